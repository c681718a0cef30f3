//! The t0 command.
fn main() {}
