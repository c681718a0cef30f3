//! The cycle model: how long a kernel takes on the card, and what it waits for.
//!
//! Problem: without a card nobody can say whether a change makes a kernel faster; static tables know neither waits nor
//! memory. Method: while the kernel executes, some workgroups keep a trace (`record`, `plan`); one WGP of the card plays
//! traces back, cycle by cycle, with the constants of [`costs`] (`wgp`, `wave`, `memory`), and the launch as a whole follows
//! from it (`steady`, `launch`). What the kernel computes has no part in it, so the model may be asked again with other constants.
//!
//! Left out, because nothing is published about it: the instruction cache, the L1 between L0 and L2, channel conflicts
//! of L2 and memory, how the Infinity Cache replaces, the clock under load (one constant), power.

mod banks;
pub mod costs;
mod flops;
mod footprint;
mod launch;
mod memory;
mod plan;
pub(crate) mod record;
mod steady;
mod wave;
mod wgp;

pub use costs::{Constant, Costs, Source, CONSTANTS};
pub use footprint::Far;
pub use launch::{Recording, Timing};
pub(crate) use plan::{Plan, Recorder};
pub use steady::Rounds;
pub use wave::{Stall, STALLS};
pub use wgp::{Issue, Site, Unit, UNITS};
