//! The architectural state of one wave of 32 or 64 lanes.
//!
//! Registers are kept the way the vector unit sees them: a VGPR is a row of 32 dwords, so an operation over lanes is
//! a loop over two or three arrays that the host compiler turns into vector instructions. A wave of 64 lanes has two
//! such rows per register and runs a vector instruction in two passes, as the hardware does: [`Wave::half`] says
//! which rows, EXEC bits and mask bits the pass works on. Scalar registers use the hardware's numbering (106/107 VCC,
//! 124 NULL, 125 M0, 126/127 EXEC), so operands need no translation.
//!
//! Invariants: `sgpr[108..=124]` stay zero (trap temporaries and NULL read zero, writes are ignored). Between
//! instructions `half` is 0. In a wave of 32 lanes it is always 0.

use t0_backend_rdna3::errata;

use crate::findings::Findings;
use crate::num::{FpMode, Numerics};
use crate::scratch::Scratch;
use crate::wait::Waits;

/// Byte offsets that lanes would have accessed, had they been in range.
#[derive(Clone, Debug)]
pub struct Outside {
    /// The register that holds an address outside of the LDS instead: a vector register, or 256 + a scalar one.
    pub reg: u16,
    /// What it would hold, by lane.
    pub offset: [u32; 64],
}

/// Lanes of one pass of the vector unit.
pub const LANES: usize = 32;
/// One VGPR in one pass.
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
    /// Vector registers: the rows of lanes 0..=31, then those of lanes 32..=63.
    vgpr: Vec<Row>,
    /// Vector registers the descriptor allocates.
    count: usize,
    /// 32 or 64.
    lanes: u32,
    /// The pass of the current vector instruction: 0 for lanes 0..=31, 1 for lanes 32..=63.
    half: usize,
    /// Lane mask bits of pass 0, kept until pass 1 has read its sources.
    low_bits: u32,
    /// Index of the next instruction in the program.
    pub pc: u32,
    /// MODE hardware register.
    pub mode: u32,
    /// Floating-point part of MODE, decoded.
    pub fp: FpMode,
    /// How dot products are summed.
    pub numerics: Numerics,
    /// What it is doing.
    pub state: WaveState,
    /// Number in its workgroup.
    pub index: u32,
    /// Number of its workgroup in the launch.
    pub group: u64,
    /// Number of the dispatch packet.
    pub dispatch_id: u64,
    /// TRAPSTS hardware register.
    pub trapsts: u32,
    /// Instructions executed.
    pub issued: u64,
    /// WMMA instructions executed.
    pub wmma: u64,
    /// Instructions executed that write memory or LDS.
    pub writes: u64,
    /// What its registers were when its workgroup last yielded at its instruction, see [`Wave::fingerprint`]; 0 when
    /// the workgroup has done something since.
    pub stood: u64,
    /// It stood like that twice: it goes round in a loop that only a change of memory can end.
    pub stuck: bool,
    /// Private memory of the lanes.
    pub scratch: Scratch,
    /// What it did that its author should know.
    pub findings: Findings,
    /// Its last instruction that met a barrier or ended it, by index.
    pub stop: u32,
    /// Barriers met.
    pub barriers: u32,
    /// Under the sanitizer: byte offsets of indices that t0's code has found out of range of their arrays in LDS.
    pub outside: Vec<Outside>,
    /// Loads in flight.
    pub waits: Waits,
    /// Recent instructions that endanger the next.
    pub hazards: errata::State,
}

impl Wave {
    /// A wave of 32 lanes with every register poisoned, all lanes active and the given MODE.
    pub fn new(vgprs: u32, mode: u32) -> Wave {
        Wave::with_lanes(32, vgprs, mode)
    }

    /// The same of 32 or 64 lanes.
    pub fn with_lanes(lanes: u32, vgprs: u32, mode: u32) -> Wave {
        let (lanes, rows) = if lanes > 32 { (64, 2 * vgprs) } else { (32, vgprs) };
        let mut sgpr = [POISON; 128];
        sgpr[108..=124].fill(0);
        sgpr[EXEC] = u32::MAX;
        sgpr[EXEC + 1] = if lanes == 64 { u32::MAX } else { 0 };
        Wave {
            sgpr,
            scc: false,
            vgpr: vec![[POISON; LANES]; rows as usize],
            count: vgprs as usize,
            lanes,
            half: 0,
            low_bits: 0,
            pc: 0,
            mode,
            fp: FpMode::from_mode(mode),
            numerics: Numerics::Fast,
            state: WaveState::Running,
            index: 0,
            group: 0,
            dispatch_id: 0,
            trapsts: 0,
            issued: 0,
            wmma: 0,
            writes: 0,
            stop: 0,
            barriers: 0,
            outside: Vec::new(),
            stood: 0,
            stuck: false,
            scratch: Scratch::default(),
            findings: Findings::default(),
            waits: Waits::default(),
            hazards: errata::State::default(),
        }
    }

    /// Lanes of the wave: 32 or 64.
    #[inline(always)]
    pub fn lanes(&self) -> u32 {
        self.lanes
    }

    /// Vector registers of the wave.
    #[inline(always)]
    pub fn vgprs(&self) -> u32 {
        self.count as u32
    }

    /// The pass of the current vector instruction.
    #[inline(always)]
    pub fn half(&self) -> usize {
        self.half
    }

    /// Chooses the pass. A wave of 32 lanes has only pass 0.
    #[inline(always)]
    pub fn set_half(&mut self, half: usize) {
        debug_assert!(half == 0 || self.lanes == 64);
        self.half = half;
    }

    /// Vector register `r` in the current pass.
    #[inline(always)]
    pub fn v(&self, r: usize) -> &Row {
        &self.vgpr[self.half * self.count + r]
    }

    /// The same, to write.
    #[inline(always)]
    pub fn v_mut(&mut self, r: usize) -> &mut Row {
        &mut self.vgpr[self.half * self.count + r]
    }

    /// The same, when the wave has it.
    #[inline(always)]
    pub fn v_get(&self, r: usize) -> Option<&Row> {
        (r < self.count).then(|| self.v(r))
    }

    /// `n` vector registers from `r` in the current pass.
    #[inline(always)]
    pub fn vs(&self, r: usize, n: usize) -> &[Row] {
        let at = self.half * self.count + r;
        &self.vgpr[at..at + n]
    }

    /// The same, to write.
    #[inline(always)]
    pub fn vs_mut(&mut self, r: usize, n: usize) -> &mut [Row] {
        let at = self.half * self.count + r;
        &mut self.vgpr[at..at + n]
    }

    /// Active lanes of the current pass.
    #[inline(always)]
    pub fn exec(&self) -> u32 {
        self.sgpr[EXEC + self.half]
    }

    /// The bits of the lane mask at scalar register `r` that belong to the current pass.
    #[inline(always)]
    pub fn mask(&self, r: usize) -> u32 {
        self.sgpr[(r + self.half) & 127]
    }

    /// Writes the bits of a lane mask that belong to the current pass. Pass 0 of a wave of 64 lanes only notes them:
    /// pass 1 must still see the old scalar registers, and writes both halves.
    #[inline(always)]
    pub fn set_mask(&mut self, r: usize, bits: u32) {
        match (self.lanes, self.half) {
            (32, _) => self.set_s(r, bits),
            (_, 0) => self.low_bits = bits,
            _ => self.set_s64(r, u64::from(self.low_bits) | u64::from(bits) << 32),
        }
    }

    /// The value of lane `lane` (of the whole wave) of register `r`.
    pub fn lane(&self, r: usize, lane: usize) -> u32 {
        self.vgpr[lane / LANES * self.count + r][lane % LANES]
    }

    /// Sets lane `lane` (of the whole wave) of register `r`.
    pub fn set_lane(&mut self, r: usize, lane: usize, v: u32) {
        self.vgpr[lane / LANES * self.count + r][lane % LANES] = v;
    }

    /// A lane mask of the whole wave: a register, or a pair of them in a wave of 64 lanes.
    #[inline(always)]
    pub fn whole_mask(&self, r: usize) -> u64 {
        if self.lanes == 64 {
            self.s64(r)
        } else {
            u64::from(self.sgpr[r & 127])
        }
    }

    /// Active lanes of the whole wave.
    #[inline(always)]
    pub fn whole_exec(&self) -> u64 {
        self.whole_mask(EXEC)
    }

    /// True when no lane's VCC bit is set.
    #[inline(always)]
    pub fn vccz(&self) -> bool {
        self.whole_mask(VCC) == 0
    }

    /// True when no lane is active.
    #[inline(always)]
    pub fn execz(&self) -> bool {
        self.whole_exec() == 0
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

    /// A number that stands for all that decides what the wave does next, apart from memory. Never 0.
    pub fn fingerprint(&self) -> u64 {
        let mix = |h: u64, v: u32| (h.rotate_left(5) ^ u64::from(v)).wrapping_mul(0x517c_c1b7_2722_0a95);
        let start = [self.pc, u32::from(self.scc), self.mode, self.trapsts];
        let all = start.iter().chain(&self.sgpr).chain(self.vgpr.iter().flatten());
        all.fold(1, |h, &v| mix(h, v)) | 1
    }

    /// Replaces MODE.
    pub fn set_mode(&mut self, mode: u32) {
        self.mode = mode;
        self.fp = FpMode::from_mode(mode);
    }
}
