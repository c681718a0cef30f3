//! What the waves of a workgroup did, instruction by instruction: what the cycle model plays back.
//!
//! Problem: how long a kernel takes depends on which way its branches went and where its accesses went, and on nothing
//! else of what it computed. Method: while a workgroup executes, each wave notes the index of every instruction, and of
//! every access of memory what its cost depends on: the passes through the banks of the LDS, or the sectors of memory.
//! The order in which waves execute here has no part in the trace.

use t0_backend_rdna3::isa::Class;

use crate::aperture::Space;
use crate::mem::lanes_of;
use crate::program::Instr;
use crate::sanitize::{Kind, Touch};
use crate::wave::{Wave, EXEC};

use super::banks;

/// Bytes of the pieces in which the caches pass data on.
pub(crate) const SECTOR: u64 = 64;
/// Bytes of a line of the vector caches.
pub(crate) const LINE: u64 = 128;

/// Instructions a wave of 64 lanes runs in two passes.
fn is_vector(c: Class) -> bool {
    c.is_valu() && c != Class::Wmma || c.is_vmem() || c.is_lds()
}

/// One executed instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step(u32);

impl Step {
    const PAIR: u32 = 1 << 31;
    const IDLE: u32 = 1 << 30;
    const ACCESS: u32 = 1 << 29;

    fn new(w: &Wave, i: &Instr) -> Step {
        let halves = [w.sgpr[EXEC], w.sgpr[EXEC + 1]];
        let active = halves.iter().filter(|h| **h != 0).count();
        let pair = w.lanes() == 64 && is_vector(i.class) && active != 1;
        let idle = is_vector(i.class) && active == 0;
        let bit = |on: bool, bit: u32| if on { bit } else { 0 };
        Step(i.index | bit(pair, Step::PAIR) | bit(idle, Step::IDLE))
    }

    /// Index of the instruction in the program.
    pub fn at(self) -> u32 {
        self.0 & (Step::ACCESS - 1)
    }

    /// A wave of 64 lanes executed it in two passes.
    pub fn two_passes(self) -> bool {
        self.0 & Step::PAIR != 0
    }

    /// No lane was active.
    pub fn idle(self) -> bool {
        self.0 & Step::IDLE != 0
    }

    /// It has an [`Access`].
    pub fn accesses(self) -> bool {
        self.0 & Step::ACCESS != 0
    }
}

/// An access of memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Access {
    /// Passes through the banks of the LDS.
    pub lds: u32,
    /// Bytes of all lanes.
    pub bytes: u32,
    /// How many of them a layout without conflicts would not need.
    pub conflicts: u32,
    /// Its sectors of global memory: the first and the number, in [`WaveTrace::sectors`].
    pub first: u32,
    /// How many.
    pub count: u32,
}

/// A wave.
#[derive(Clone, Debug, Default)]
pub(crate) struct WaveTrace {
    /// Instructions in the order of execution.
    pub steps: Vec<Step>,
    /// Lanes that were on at each of them.
    pub lanes: Vec<u8>,
    /// The accesses of those that have one.
    pub accesses: Vec<Access>,
    /// Numbers of sectors in the order of lanes: each once per access, of atomics once for every turn they take in it.
    pub sectors: Vec<u64>,
    /// Instructions to keep.
    limit: usize,
}

impl WaveTrace {
    /// A trace of at most `limit` instructions.
    pub fn new(limit: usize) -> WaveTrace {
        WaveTrace {
            limit,
            ..WaveTrace::default()
        }
    }

    /// Whether nothing more is kept.
    #[inline(always)]
    pub fn full(&self) -> bool {
        self.steps.len() >= self.limit
    }

    /// An instruction is about to execute.
    pub fn step(&mut self, w: &Wave, i: &Instr) {
        self.steps.push(Step::new(w, i));
        let halves = if w.lanes() == 64 { 2 } else { 1 };
        let on: u32 = w.sgpr[EXEC..EXEC + halves].iter().map(|h| h.count_ones()).sum();
        self.lanes.push(on as u8);
    }

    /// It will be executed again.
    pub fn forget(&mut self) {
        self.steps.pop();
        self.lanes.pop();
    }

    /// An access of the instruction that executes.
    pub fn touch(&mut self, w: &Wave, touch: &Touch) {
        let Some(step) = self.steps.last_mut() else { return };
        if !step.accesses() {
            step.0 |= Step::ACCESS;
            let first = self.sectors.len() as u32;
            self.accesses.push(Access {
                first,
                ..Access::default()
            });
        }
        let Some(access) = self.accesses.last_mut() else {
            return;
        };
        if touch.space == Space::Shared {
            let (passes, least) = banks::lds_passes(touch.at, touch.lanes, touch.bytes);
            access.lds += passes;
            access.bytes += touch.bytes * touch.lanes.count_ones();
            access.conflicts += passes - least;
            return;
        }
        access.bytes += touch.bytes * touch.lanes.count_ones();
        let first = access.first as usize;
        if touch.kind == Kind::Atomic && touch.space != Space::Private {
            turns(touch, &mut self.sectors);
            access.count = (self.sectors.len() - first) as u32;
            return;
        }
        let mut add = |start: u64, bytes: u64| {
            for sector in start / SECTOR..=start.saturating_add(bytes.max(1) - 1) / SECTOR {
                let own = &self.sectors[first..];
                if own.last() != Some(&sector) && !own.contains(&sector) {
                    self.sectors.push(sector);
                }
            }
        };
        for l in lanes_of(touch.lanes) {
            match touch.space {
                Space::Private => {
                    let lane = l as u32 + 32 * w.half() as u32;
                    for dword in 0..u64::from(touch.bytes.div_ceil(4)) {
                        let at = w.scratch.address(lane, w.lanes(), touch.at[l].wrapping_add(4 * dword));
                        add(at, u64::from(touch.bytes.min(4)));
                    }
                }
                _ => add(touch.at[l], touch.bytes.into()),
            }
        }
        access.count = (self.sectors.len() - first) as u32;
    }

    /// The sectors of an access.
    pub fn sectors_of(&self, access: &Access) -> &[u64] {
        let first = access.first as usize;
        self.sectors.get(first..first + access.count as usize).unwrap_or(&[])
    }
}

/// The sectors atomics act in, each as often as its most wanted dword is wanted: lanes that want the same one take turns.
fn turns(touch: &Touch, out: &mut Vec<u64>) {
    let mut dwords: Vec<u64> = lanes_of(touch.lanes).map(|l| touch.at[l] / 4).collect();
    dwords.sort_unstable();
    let mut most: Vec<(u64, usize)> = Vec::new();
    for same in dwords.chunk_by(|a, b| a == b) {
        let sector = same[0] * 4 / SECTOR;
        match most.last_mut().filter(|m| m.0 == sector) {
            Some(m) => m.1 = m.1.max(same.len()),
            None => most.push((sector, same.len())),
        }
    }
    for (sector, n) in most {
        out.extend(std::iter::repeat_n(sector, n));
    }
}

/// A workgroup.
#[derive(Clone, Debug, Default)]
pub(crate) struct GroupTrace {
    /// Number of the group in the launch.
    pub number: u64,
    /// Its waves.
    pub waves: Vec<WaveTrace>,
}

impl GroupTrace {
    /// Empty traces of at most `limit` instructions a wave.
    pub fn new(number: u64, waves: usize, limit: usize) -> GroupTrace {
        GroupTrace {
            number,
            waves: (0..waves).map(|_| WaveTrace::new(limit)).collect(),
        }
    }
}
