//! The architectural state of one wave of 32 lanes.
//!
//! Registers are kept the way the vector unit sees them: a VGPR is a row of 32 dwords, so an operation over lanes is
//! a loop over two or three arrays that the host compiler turns into vector instructions. Scalar registers use the
//! hardware's numbering (106/107 VCC, 124 NULL, 125 M0, 126/127 EXEC), so operands need no translation.
//!
//! Invariant: `sgpr[108..=124]` stay zero (trap temporaries and NULL read zero, writes are ignored).

use crate::hazard::Hazards;
use crate::num::FpMode;
use crate::wait::Waits;

/// Lanes of a wave.
pub const LANES: usize = 32;
/// One VGPR.
pub type Row = [u32; LANES];

/// Value of registers and LDS nobody wrote: NaN as f32, and in both halves as f16 and bf16.
pub const POISON: u32 = 0x7fa5_ffa5;

/// Scalar register number of VCC.
pub const VCC: usize = 106;
/// Scalar register number of M0.
pub const M0: usize = 125;
/// Scalar register number of EXEC.
pub const EXEC: usize = 126;

/// What a wave is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaveState {
    /// It can execute.
    Running,
    /// It waits at `s_barrier`.
    AtBarrier,
    /// It executed `s_endpgm`.
    Ended,
}

/// One wave.
#[derive(Clone, Debug)]
pub struct Wave {
    /// Scalar registers in hardware numbering.
    pub sgpr: [u32; 128],
    /// The scalar condition code.
    pub scc: bool,
    /// Vector registers, as many as the descriptor allocates.
    pub vgpr: Vec<Row>,
    /// Index of the next instruction in the program.
    pub pc: u32,
    /// MODE hardware register.
    pub mode: u32,
    /// Floating-point part of MODE, decoded.
    pub fp: FpMode,
    /// What it is doing.
    pub state: WaveState,
    /// Number in its workgroup.
    pub index: u32,
    /// Instructions executed.
    pub issued: u64,
    /// WMMA instructions executed.
    pub wmma: u64,
    /// Loads in flight.
    pub waits: Waits,
    /// Recent instructions that endanger the next.
    pub hazards: Hazards,
}

impl Wave {
    /// A wave with every register poisoned, all lanes active and the given MODE.
    pub fn new(vgprs: u32, mode: u32) -> Wave {
        let mut sgpr = [POISON; 128];
        sgpr[108..=124].fill(0);
        sgpr[EXEC] = u32::MAX;
        sgpr[EXEC + 1] = 0;
        Wave {
            sgpr,
            scc: false,
            vgpr: vec![[POISON; LANES]; vgprs as usize],
            pc: 0,
            mode,
            fp: FpMode::from_mode(mode),
            state: WaveState::Running,
            index: 0,
            issued: 0,
            wmma: 0,
            waits: Waits::default(),
            hazards: Hazards::default(),
        }
    }

    /// Active lanes.
    #[inline(always)]
    pub fn exec(&self) -> u32 {
        self.sgpr[EXEC]
    }

    /// Writes a scalar register; NULL and trap temporaries swallow it.
    #[inline(always)]
    pub fn set_s(&mut self, r: usize, v: u32) {
        if !(108..=124).contains(&r) {
            self.sgpr[r & 127] = v;
        }
    }

    /// Reads an aligned pair of scalar registers.
    #[inline(always)]
    pub fn s64(&self, r: usize) -> u64 {
        u64::from(self.sgpr[r & 127]) | u64::from(self.sgpr[(r + 1) & 127]) << 32
    }

    /// Writes a pair of scalar registers.
    #[inline(always)]
    pub fn set_s64(&mut self, r: usize, v: u64) {
        self.set_s(r, v as u32);
        self.set_s(r + 1, (v >> 32) as u32);
    }

    /// Replaces MODE.
    pub fn set_mode(&mut self, mode: u32) {
        self.mode = mode;
        self.fp = FpMode::from_mode(mode);
    }
}
