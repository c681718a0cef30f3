//! One wave on a SIMD: when its next instruction may issue, and what that waits for.
//!
//! Rules (RDNA3 ISA manual 4 and 5.6; times in `costs`): a wave issues in order, at most one instruction a cycle. A
//! register is ready for the VALU some cycles after the VALU, for LDS and VMEM instructions later; data of memory are
//! ready when an `s_waitcnt` says so, which correct code has. Invariant: times of a wave's issues ascend.

use std::collections::VecDeque;

use t0_backend_rdna3::isa::{Class, Flags, Opcode, Sopk, Sopp};

use crate::program::{Instr, Passes, SSet};
use crate::wave::{EXEC, VCC};

use super::costs::Costs;
use super::record::{Step, WaveTrace};
use super::wgp::Site;

/// What an instruction waited for longest before it issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stall {
    /// A result of the vector or scalar unit.
    Result,
    /// Vector registers on their way to or from an LDS or memory instruction.
    Handover,
    /// Loads of global memory (VMcnt).
    Loads,
    /// LDS and scalar memory (LGKMcnt).
    Lgkm,
    /// Stores (VScnt).
    Stores,
    /// The other waves at a barrier.
    Barrier,
    /// The unit was busy with other waves or with this one's instruction before: the unit's rate, not a latency.
    Unit,
    /// A branch: its condition, or the code behind it.
    Branch,
    /// Other instructions of the wave that take time: `s_nop`, `s_sleep`, launch.
    Own,
}

/// All reasons, in the order of [`Stall`].
pub const STALLS: [Stall; 9] = [
    Stall::Result,
    Stall::Handover,
    Stall::Loads,
    Stall::Lgkm,
    Stall::Stores,
    Stall::Barrier,
    Stall::Unit,
    Stall::Branch,
    Stall::Own,
];

impl Stall {
    /// Its name in reports and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Stall::Result => "result",
            Stall::Handover => "handover",
            Stall::Loads => "vmcnt",
            Stall::Lgkm => "lgkmcnt",
            Stall::Stores => "vscnt",
            Stall::Barrier => "barrier",
            Stall::Unit => "unit busy",
            Stall::Branch => "branch",
            Stall::Own => "own time",
        }
    }
}

impl Site {
    /// Wave cycles waited for anything but a turn at a unit: with many waves somebody always waits for that, wherever it stands.
    pub fn waited(&self) -> u64 {
        let all = self.stalls.iter().zip(STALLS);
        all.filter(|(_, s)| *s != Stall::Unit).map(|(n, _)| n).sum()
    }
}

/// The earliest time, and what decides it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ready {
    pub at: u64,
    pub why: Stall,
}

impl Ready {
    fn later(&mut self, at: u64, why: Stall) {
        if at > self.at {
            *self = Ready { at, why };
        }
    }
}

/// A wave that is being played back.
pub(super) struct Player<'t> {
    pub trace: &'t WaveTrace,
    /// Index of the next step.
    pub next: usize,
    /// Index of the next access.
    access: usize,
    /// Time of the last issue.
    pub issued: u64,
    /// Earliest time of anything next.
    free: Ready,
    /// When the VALU delivers each vector register, to itself.
    vgpr: Box<[u64; 256]>,
    /// When the VALU last touched each vector register.
    touched: Box<[u64; 256]>,
    /// When scalar registers are ready: for the vector unit, for the scalar unit, for branches.
    sgpr: Box<[[u64; 3]; 128]>,
    scc: u64,
    /// Last write of any scalar register or mask by the VALU.
    masks: Option<u64>,
    /// Earliest time of the next VALU instruction, of `s_waitcnt` and the like, of the next scalar load.
    valu: u64,
    control: u64,
    smem: u64,
    /// When operations in flight are done: VMcnt, LGKMcnt, VScnt.
    pub loads: VecDeque<u64>,
    pub lgkm: VecDeque<u64>,
    pub stores: VecDeque<u64>,
}

/// Who reads a scalar register.
#[derive(Clone, Copy)]
enum Reader {
    Vector = 0,
    Scalar = 1,
    Branch = 2,
}

fn bits64(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(k, &w)| {
        let mut w = w;
        std::iter::from_fn(move || {
            let b = (w != 0).then(|| w.trailing_zeros() as usize)?;
            w &= w - 1;
            Some(64 * k + b)
        })
    })
}

impl<'t> Player<'t> {
    pub fn new(trace: &'t WaveTrace, start: u64) -> Player<'t> {
        Player {
            trace,
            next: 0,
            access: 0,
            issued: start,
            free: Ready {
                at: start,
                why: Stall::Own,
            },
            vgpr: Box::new([0; 256]),
            touched: Box::new([0; 256]),
            sgpr: Box::new([[0; 3]; 128]),
            scc: 0,
            masks: None,
            valu: 0,
            control: 0,
            smem: 0,
            loads: VecDeque::new(),
            lgkm: VecDeque::new(),
            stores: VecDeque::new(),
        }
    }

    /// Lanes that take part in the next step.
    pub fn lanes(&self) -> u32 {
        self.trace.lanes.get(self.next).map_or(0, |n| u32::from(*n))
    }

    /// Index in the program of the instruction before the next one.
    pub fn before(&self) -> Option<u32> {
        Some(self.trace.steps.get(self.next.checked_sub(1)?)?.at())
    }

    /// The next step, if the wave has not ended.
    pub fn step(&self) -> Option<Step> {
        self.trace.steps.get(self.next).copied()
    }

    /// Takes the access of the step that is being issued.
    pub fn take_access(&mut self, step: Step) -> super::record::Access {
        if !step.accesses() {
            return Default::default();
        }
        self.access += 1;
        self.trace.accesses.get(self.access - 1).copied().unwrap_or_default()
    }

    /// When the instruction may issue as far as the wave itself is concerned.
    pub fn ready(&self, i: &Instr, c: &Costs) -> Ready {
        let mut r = self.free;
        let class = i.class;
        if class.is_valu() {
            r.later(self.valu, Stall::Handover);
            for reg in bits64(&i.vread).chain(bits64(&i.vwrite)) {
                r.later(self.vgpr[reg & 255], Stall::Result);
            }
            self.scalars(&mut r, &i.sread, Reader::Vector, Stall::Result);
        } else if class.is_vmem() || class.is_lds() || class == Class::LdsDir || class == Class::Export {
            let needs = u64::from(if class.is_lds() { c.valu_to_lds } else { c.valu_to_vmem });
            for reg in bits64(&i.vread).chain(bits64(&i.vwrite)) {
                r.later(self.handover(reg, needs, c), Stall::Handover);
            }
            self.scalars(&mut r, &i.sread, Reader::Scalar, Stall::Result);
        } else if class == Class::Branch {
            self.scalars(&mut r, &i.sread, Reader::Branch, Stall::Branch);
            if i.flags.has(Flags::R_SCC) {
                r.later(self.scc, Stall::Branch);
            }
        } else if matches!(class, Class::Salu | Class::Smem) {
            self.scalar(&mut r, i, c);
        } else {
            r.later(self.control, Stall::Own);
            self.counters(&mut r, i);
        }
        r
    }

    /// When an LDS or VMEM instruction may use a register the VALU has touched.
    fn handover(&self, reg: usize, needs: u64, c: &Costs) -> u64 {
        match self.touched[reg & 255] {
            0 => 0,
            // Long instructions deliver later than the hand-over alone would take.
            at => (at + needs).max(self.vgpr[reg & 255] + needs.saturating_sub(c.valu.into())),
        }
    }

    fn scalars(&self, r: &mut Ready, regs: &SSet, reader: Reader, why: Stall) {
        for reg in bits64(regs) {
            r.later(self.sgpr[reg & 127][reader as usize], why);
        }
    }

    fn scalar(&self, r: &mut Ready, i: &Instr, c: &Costs) {
        self.scalars(r, &i.sread, Reader::Scalar, Stall::Result);
        if i.flags.has(Flags::R_SCC) {
            r.later(self.scc, Stall::Result);
        }
        let exec = i.sread[1] >> (EXEC - 64) & 3 != 0 && i.class == Class::Salu;
        if let Some(at) = self.masks.filter(|_| exec) {
            r.later(at + u64::from(c.valu_to_salu), Stall::Result);
        }
        if i.class == Class::Smem {
            r.later(self.smem, Stall::Unit);
        }
    }

    /// What a wait waits for.
    fn counters(&self, r: &mut Ready, i: &Instr) {
        let left = |imm: i64| imm.max(0) as usize;
        let mut until = |queue: &VecDeque<u64>, leave: usize, why| {
            if let Some(k) = queue.len().checked_sub(leave + 1) {
                // Later operations may be done earlier, which a counter that counts in order does not show.
                let at = queue.iter().take(k + 1).max().copied().unwrap_or(0);
                r.later(at, why);
            }
        };
        match i.op {
            // Source: RDNA3 manual, s_waitcnt: VMcnt in bits 15:10, LGKMcnt in 9:4, EXPcnt in 2:0.
            Opcode::Sopp(Sopp::s_waitcnt) => {
                until(&self.loads, left(i.imm >> 10 & 63), Stall::Loads);
                until(&self.lgkm, left(i.imm >> 4 & 63), Stall::Lgkm);
            }
            Opcode::Sopk(Sopk::s_waitcnt_vmcnt) => until(&self.loads, left(i.imm & 63), Stall::Loads),
            Opcode::Sopk(Sopk::s_waitcnt_lgkmcnt) => until(&self.lgkm, left(i.imm & 63), Stall::Lgkm),
            Opcode::Sopk(Sopk::s_waitcnt_vscnt) => until(&self.stores, left(i.imm & 63), Stall::Stores),
            Opcode::Sopp(Sopp::s_waitcnt_depctr) => {
                // Taken as "everything the VALU has in flight is done", which is what it is written for.
                let last = self.touched.iter().max().copied().unwrap_or(0);
                if last > 0 {
                    r.later(last + 4, Stall::Result);
                }
            }
            _ if i.class == Class::End => {
                until(&self.stores, 0, Stall::Stores);
                until(&self.loads, 0, Stall::Loads);
            }
            _ => {}
        }
    }

    /// The instruction issues at `at` and holds its unit until `busy`; what it computes is ready at `done`.
    pub fn issue(&mut self, i: &Instr, step: Step, at: u64, (busy, done): (u64, u64), c: &Costs) {
        self.issued = at;
        self.next += 1;
        self.free = Ready {
            at: at + 1,
            why: Stall::Own,
        };
        let class = i.class;
        if class.is_valu() {
            self.issue_valu(i, at, (busy, done), c);
        } else if matches!(class, Class::Salu | Class::Smem) {
            let ready = at + u64::from(c.salu);
            for reg in bits64(&i.swrite) {
                self.sgpr[reg & 127] = [ready; 3];
            }
            if i.flags.has(Flags::W_SCC) {
                self.scc = at + u64::from(c.scc);
            }
            if class == Class::Smem {
                self.smem = at + u64::from(c.smem_issue);
                self.control = at + u64::from(c.after_memory);
            }
        } else if class.is_lds() || class.is_vmem() {
            self.control = at + u64::from(c.after_memory);
            if class.is_lds() {
                self.valu = at + u64::from(c.after_lds);
            }
        } else if class == Class::Branch {
            let taken = self.trace.steps.get(self.next).is_some_and(|s| s.at() != i.next) && !step.idle();
            let cost = if taken { c.branch_taken } else { c.branch };
            self.free = Ready {
                at: at + u64::from(cost),
                why: Stall::Branch,
            };
        } else if class == Class::Wait {
            self.free.at = at + u64::from(c.wait);
        } else if let Opcode::Sopp(Sopp::s_nop) = i.op {
            self.free.at = at + 1 + (i.imm & 15) as u64;
        } else if let Opcode::Sopp(Sopp::s_sleep) = i.op {
            // Source: RDNA3 manual, s_sleep: 64 clocks for each.
            self.free.at = at + 1 + 64 * (i.imm & 127) as u64;
        }
    }

    fn issue_valu(&mut self, i: &Instr, at: u64, (busy, done): (u64, u64), c: &Costs) {
        for reg in bits64(&i.vread) {
            self.touched[reg & 255] = at;
        }
        for reg in bits64(&i.vwrite) {
            self.touched[reg & 255] = at;
            self.vgpr[reg & 255] = done;
        }
        if i.swrite == [0; 2] {
            return;
        }
        // The last cycle of a long instruction writes.
        let last = busy.max(at + 1) - 1;
        let times = [c.carry, c.valu_to_salu, c.valu_to_branch].map(|t| last + u64::from(t));
        for reg in bits64(&i.swrite) {
            self.sgpr[reg & 127] = times;
        }
        // EXECZ and VCCZ are what branches read.
        for (reg, first) in [(EXEC, EXEC), (EXEC + 1, EXEC), (VCC, VCC), (VCC + 1, VCC)] {
            if i.swrite[1] >> (first - 64) & 3 != 0 {
                self.sgpr[reg] = times;
            }
        }
        self.masks = Some(last);
    }

    /// Counts an operation of memory that is done at `done`.
    pub fn count(&mut self, i: &Instr, done: u64) {
        let in_order = |queue: &mut VecDeque<u64>| {
            let last = queue.back().copied().unwrap_or(0);
            queue.push_back(done.max(last));
        };
        if i.wait.vm > 0 {
            in_order(&mut self.loads);
        }
        if i.wait.lgkm > 0 {
            for _ in 0..i.wait.lgkm {
                // Scalar loads are done in any order; a wait for none of them is what code uses.
                self.lgkm.push_back(done);
            }
        }
        if i.wait.vs > 0 {
            self.stores.push_back(done);
        }
        for queue in [&mut self.loads, &mut self.lgkm, &mut self.stores] {
            while queue.len() > 64 {
                queue.pop_front();
            }
        }
    }

    /// The wave may not issue before `at`.
    pub fn hold(&mut self, at: u64, why: Stall) {
        self.free.later(at, why);
    }
}

/// Passes of a vector instruction.
pub(super) fn passes(i: &Instr, step: Step) -> u64 {
    if step.two_passes() && i.passes != Passes::One {
        2
    } else {
        1
    }
}
