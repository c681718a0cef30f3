//! The machine passes, in the order they run.
//!
//! On virtual registers: [`mod@remove_dead`], [`mod@forward_copies`], [`mod@combine`], [`mod@legalize`], [`mod@schedule`] (by the graph of `depend`), [`mod@allocate`] (with [`liveness`] and, in debug builds and tests,
//! [`check_allocation`]); where registers are not enough [`mod@spill`] (with [`check_spills`]), and those two again. On physical registers: [`mod@insert_waits`], [`mod@fix_hazards`], [`mod@encode`].

pub mod allocate;
pub mod check_allocation;
pub mod check_spills;
pub mod combine;
mod depend;
pub mod encode;
pub mod fix_hazards;
pub mod forward_copies;
pub mod insert_waits;
pub mod legalize;
pub mod liveness;
pub mod phys;
pub mod remove_dead;
pub mod schedule;
pub mod spill;

/// Lanes per wave of compiled kernels: the compiler makes wave32 code only.
pub(crate) const WAVE_SIZE: u32 = 32;

/// Names of the machine passes in order, selection first.
pub const PIPELINE: &[&str] = &[
    "select",
    "remove_dead",
    "forward_copies",
    "combine",
    "legalize",
    "schedule",
    "allocate",
    "spill",
    "check_allocation",
    "expand_copies",
    "insert_waits",
    "fix_hazards",
    "encode",
];
