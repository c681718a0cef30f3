//! The macro never panics, and reports everything it refuses.
