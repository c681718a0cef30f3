//! A simulated Radeon that executes gfx11 code objects behind the KFD interface.

// A fault carries everything a report needs and happens at most once per dispatch.
#![allow(clippy::result_large_err)]
// Host memory behind the card and the host's vector units only: `mem`, `exec::fma`, `exec::wide`, `driver::arena`,
// `driver::access`.
#![cfg_attr(not(test), deny(unsafe_code))]

pub mod aperture;
mod backtrace;
pub mod card;
mod dice;
pub mod dispatch;
pub mod driver;
mod exec;
pub mod fidelity;
mod findings;
mod group;
mod job;
mod mem;
pub mod num;
mod order;
mod origin;
mod places;
pub mod profile;
pub mod program;
mod relative;
mod sanitize;
mod scratch;
mod spin;
pub mod timing;
mod trail;
mod wait;
pub mod wave;
mod written;

pub use dispatch::{Launch, RunStats, Simulator};
pub use findings::{Findings, Seen};
pub use num::Numerics;
pub use profile::Profile;
pub use sanitize::UNWRITTEN;
pub use scratch::Scratch;
pub use written::{Dropped, Origin, Stored, Written};
