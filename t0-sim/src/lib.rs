//! A simulated Radeon that executes gfx11 code objects behind the KFD interface.

pub mod driver;
