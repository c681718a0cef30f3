//! The state machine: what earlier instructions of a wave endanger in the next ones.
//!
//! Ages are counted in VALU instructions since, so that two paths that did the same lately are the same state. A state
//! holds at most [`WINDOW`] recent VALU instructions and the pending traps. [`State::hits`] says what is wrong with an
//! instruction that comes next, [`State::issue`] lets it happen.

use super::facts::{first, overlap};
use super::{Facts, Fix, Rule, SSet, Severity, VSet, ERRATA, SA_SDST_0, VA_SDST_0, VA_VCC_0, VA_VDST_0, VM_VSRC_0};
use crate::isa::scalar_name;
use crate::target::Target;
use std::collections::VecDeque;

/// VALU instructions that may stand between a transcendental and its reader without ending the trap.
const TRANS_VALUS: u32 = 5;
/// Transcendentals that may.
const TRANS_TRANS: u32 = 1;
/// VALU instructions before a dual-issue pair whose results may still be on their way (latency 5, LLVM SISchedule).
const PAIR_BACK: usize = 4;
/// VALU instructions before a reader that [`State::partial_forwarding`] looks at.
const PARTIAL_BACK: usize = 8;
/// Recent VALU instructions any rule looks at: `wait_vdst` counts to 15.
const WINDOW: usize = 16;
/// EXEC_LO as a bit of the second word of an [`SSet`].
const EXEC: u64 = 3 << (126 - 64);

/// A broken rule at an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The rule.
    pub rule: Rule,
    /// The register it is about: `v` or `s`, number.
    pub reg: Option<(char, u32)>,
    /// The instruction that set the trap, by the number [`State::issue`] was given.
    pub by: Option<u32>,
    /// What to insert before the instruction.
    pub fix: Fix,
}

impl Hit {
    pub(crate) fn plain(rule: Rule) -> Hit {
        Hit {
            rule,
            reg: None,
            by: None,
            fix: Fix::Rewrite,
        }
    }
    pub(crate) fn vgpr(rule: Rule, r: u32, by: Option<u32>) -> Hit {
        Hit {
            reg: Some(('v', r)),
            by,
            ..Hit::plain(rule)
        }
    }
    pub(crate) fn sgpr(rule: Rule, r: u32, by: Option<u32>) -> Hit {
        Hit {
            reg: Some(('s', r)),
            by,
            ..Hit::plain(rule)
        }
    }
    fn fixed_by(mut self, fix: Fix) -> Hit {
        self.fix = fix;
        self
    }
    /// Error or warning.
    pub fn severity(&self) -> Severity {
        self.rule.severity()
    }
}

/// What is wrong; the rule's name and the way out are told apart from it.
impl std::fmt::Display for Hit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.reg {
            Some(('v', r)) => write!(f, "v{r}: ")?,
            Some((_, r)) => write!(f, "{}: ", scalar_name(r))?,
            None => {}
        }
        f.write_str(self.rule.entry().triggered_by)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Trans {
    reg: u32,
    by: u32,
    valu: u32,
    trans: u32,
    /// EXEC has been written since: a later write may miss lanes this one reached.
    exec_after: bool,
}

/// A recent VALU instruction; the newest comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Recent {
    by: u32,
    write: VSet,
    read: VSet,
    trans: bool,
    cross_lane: bool,
    /// A SALU write of EXEC came between it and the VALU instruction after it.
    exec_after: bool,
}

/// An SGPR that was read as lane mask and then written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Mask {
    reg: u32,
    by: u32,
    valu: bool,
}

/// What earlier instructions of a wave endanger.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    trans: Vec<Trans>,
    wmma: Option<(VSet, u32)>,
    /// A VALU write of EXEC; whether a `v_nop` followed.
    cmpx: Option<(u32, bool)>,
    recent: VecDeque<Recent>,
    /// Keep `recent`; set for code that has a rule looking at it.
    looks_back: bool,
    wave64: bool,
    /// Rules the card has, as bits.
    rules: u32,
    /// SGPRs read as lane masks.
    masks: SSet,
    written: Vec<Mask>,
    /// VGPRs memory instructions use since the last VALU instruction.
    memory: VSet,
    memory_by: u32,
    s_nop: bool,
    scratch: Option<u32>,
    dealloc: Option<u32>,
    /// Instructions left in a clause, and its `s_clause`.
    clause: Option<(u32, u32)>,
}

impl State {
    /// The state at the entry of a kernel. `looks_back`: some instruction of it [looks back](Facts::looks_back).
    pub fn new(target: &Target, looks_back: bool) -> State {
        let has = ERRATA.iter().filter(|e| (e.applies)(target));
        State {
            looks_back,
            wave64: target.wave_size == 64,
            rules: has.fold(0, |bits, e| bits | 1 << e.rule as u32),
            ..State::default()
        }
    }

    /// Adds what another path that leads to the same place has set; true if that changed something. The traps do not depend on
    /// each other, so nothing is in the sum that is not on one of the paths. Only for states with the same
    /// [recent](State::same_recent) instructions.
    pub(crate) fn join(&mut self, other: &State) -> bool {
        let before = self.clone();
        for t in &other.trans {
            // Fewer instructions since: the trap lasts longer.
            let covers = |a: &Trans, b: &Trans| {
                let longer = a.valu <= b.valu && a.trans <= b.trans && a.exec_after >= b.exec_after;
                let differs = (a.valu, a.trans, a.exec_after) != (b.valu, b.trans, b.exec_after);
                a.reg == b.reg && longer && (differs || a.by <= b.by)
            };
            if !self.trans.iter().any(|mine| covers(mine, t)) {
                self.trans.retain(|mine| !covers(t, mine));
                self.trans.push(*t);
            }
        }
        for m in &other.written {
            match self.written.iter_mut().find(|w| (w.reg, w.valu) == (m.reg, m.valu)) {
                Some(w) => w.by = w.by.min(m.by),
                None => self.written.push(*m),
            }
        }
        let least = |a: Option<u32>, b: Option<u32>| [a, b].into_iter().flatten().min();
        self.wmma = match (self.wmma, other.wmma) {
            (Some((mut a, by)), Some((b, other))) => {
                a.iter_mut().zip(&b).for_each(|(a, b)| *a |= b);
                Some((a, by.min(other)))
            }
            (a, b) => a.or(b),
        };
        self.cmpx = match (self.cmpx, other.cmpx) {
            (Some((a, one)), Some((b, two))) => Some((a.min(b), one && two)),
            (a, b) => a.or(b),
        };
        self.clause = match (self.clause, other.clause) {
            (Some((a, one)), Some((b, two))) => Some((a.max(b), one.min(two))),
            (a, b) => a.or(b),
        };
        self.masks.iter_mut().zip(&other.masks).for_each(|(a, b)| *a |= b);
        self.memory.iter_mut().zip(&other.memory).for_each(|(a, b)| *a |= b);
        self.memory_by = self.memory_by.min(other.memory_by);
        self.s_nop &= other.s_nop;
        self.scratch = least(self.scratch, other.scratch);
        self.dealloc = least(self.dealloc, other.dealloc);
        *self != before
    }

    /// Whether both have the same latest VALU instructions behind them.
    pub(crate) fn same_recent(&self, other: &State) -> bool {
        self.recent == other.recent
    }

    /// Forgets what no rule of some code looks at: all but the latest `n` VALU instructions and, without `reads`, what they read.
    pub(crate) fn forget(&mut self, n: usize, reads: bool) {
        self.recent.truncate(n);
        if !reads {
            self.recent.iter_mut().for_each(|r| r.read = [0; 4]);
        }
    }

    /// How many of the latest VALU instructions the rules look at that concern this code.
    pub(crate) fn reach<'f>(code: impl Iterator<Item = &'f Facts>, target: &Target) -> usize {
        let depth = |f: &Facts| match f.lds_direct {
            Some(_) => WINDOW,
            None if f.salu && target.wave_size == 64 => PARTIAL_BACK,
            None => PAIR_BACK,
        };
        code.filter(|f| f.looks_back(target)).map(depth).max().unwrap_or(0)
    }

    /// Starts to keep recent VALU writes: code was found that [looks back](Facts::looks_back).
    pub fn look_back(&mut self) {
        self.looks_back = true;
    }

    fn has(&self, rule: Rule) -> bool {
        self.rules >> rule as u32 & 1 == 1
    }

    /// True when the next instruction must be shown even when it does not [matter](Facts::matters) by itself.
    #[inline]
    pub fn armed(&self) -> bool {
        self.looks_back
            || !self.trans.is_empty()
            || self.wmma.is_some()
            || self.cmpx.is_some()
            || self.s_nop
            || self.dealloc.is_some()
            || self.clause.is_some()
            || self.masks != [0; 2]
            || !self.written.is_empty()
    }

    /// What is wrong with `f` as the next instruction.
    pub fn hits(&self, f: &Facts, out: &mut Vec<Hit>) {
        out.extend_from_slice(&f.local);
        if let (Some(by), false) = (self.dealloc, f.end) {
            out.push(Hit {
                by: Some(by),
                ..Hit::plain(Rule::DeallocVgprsScratch)
            });
        }
        if let (Some((_, by)), true) = (self.clause, f.cache_inv) {
            out.push(Hit {
                by: Some(by),
                ..Hit::plain(Rule::CacheInvInClause)
            });
        }
        if f.dealloc {
            self.dealloc_hits(out);
        }
        if f.valu {
            self.valu_hits(f, out);
        }
        if (f.valu || f.salu || f.branch) && !self.written.is_empty() {
            self.mask_hits(f, out);
        }
        if let Some((reg, wait)) = f.lds_direct {
            self.lds_direct_hits(reg, wait, out);
        }
    }

    fn dealloc_hits(&self, out: &mut Vec<Hit>) {
        if !self.s_nop {
            out.push(Hit::plain(Rule::DeallocVgprsNop).fixed_by(Fix::SNop));
        }
        if let Some(by) = self.scratch {
            out.push(Hit {
                by: Some(by),
                ..Hit::plain(Rule::DeallocVgprsScratch)
            });
        }
    }

    fn valu_hits(&self, f: &Facts, out: &mut Vec<Hit>) {
        let depctr = Fix::Depctr(VA_VDST_0);
        let has = |reg: u32| f.vread[(reg / 64) as usize] >> (reg % 64) & 1 == 1;
        if let Some(t) = self.trans.iter().find(|t| has(t.reg)) {
            out.push(Hit::vgpr(Rule::ValuTransUse, t.reg, Some(t.by)).fixed_by(depctr));
        }
        if let (Some((d, by)), Some(ab)) = (self.wmma, f.wmma) {
            if let Some(reg) = first(&d, &ab) {
                out.push(Hit::vgpr(Rule::WmmaAfterD, reg, Some(by)).fixed_by(Fix::VNop));
            }
        }
        if let (Some((by, nop)), Some(source)) = (self.cmpx, f.permlane) {
            let rule = if nop {
                Rule::VcmpxPermlaneNop
            } else {
                Rule::VcmpxPermlane
            };
            out.push(Hit::vgpr(rule, source, Some(by)).fixed_by(Fix::Mov(source)));
        }
        if let Some(pair) = f.same_parity {
            if let Some((reg, by)) = self.produced(&pair, |_| true) {
                out.push(Hit::vgpr(Rule::VopdParity, reg, Some(by)).fixed_by(depctr));
            }
        }
        if f.vopd && self.has(Rule::VopdAfterDpp) {
            if let Some((reg, by)) = self.produced(&f.vread, |r| r.cross_lane) {
                out.push(Hit::vgpr(Rule::VopdAfterDpp, reg, Some(by)).fixed_by(depctr));
            }
        }
        if self.wave64 && f.vector_sources > 1 {
            if let Some((reg, by)) = self.partial_forwarding(f) {
                out.push(Hit::vgpr(Rule::ValuPartialForwarding, reg, Some(by)).fixed_by(depctr));
            }
        }
    }

    /// A register of `set` whose last writer is one of the latest VALU instructions and fits.
    fn produced(&self, set: &VSet, fits: impl Fn(&Recent) -> bool) -> Option<(u32, u32)> {
        let mut left = *set;
        for r in self.recent.iter().take(PAIR_BACK) {
            if let (Some(reg), true) = (first(&left, &r.write), fits(r)) {
                return Some((reg, r.by));
            }
            left.iter_mut().zip(&r.write).for_each(|(l, w)| *l &= !w);
        }
        None
    }

    /// Distances as LLVM has them: at most 2 VALU between the two writes, at most 4 between the second and the read. Writes of EXEC
    /// behind the second write do not matter.
    fn partial_forwarding(&self, f: &Facts) -> Option<(u32, u32)> {
        let mut left = f.vread;
        let (mut after, mut between): (Option<usize>, bool) = (None, false);
        for (k, r) in self.recent.iter().enumerate() {
            between |= after.is_some() && r.exec_after;
            if let Some(reg) = first(&left, &r.write) {
                match after {
                    Some(second) if between && k - second <= 3 => return Some((reg, r.by)),
                    // The latest of the writes that follow EXEC's counts.
                    None if k <= 4 => after = Some(k),
                    _ => {}
                }
            }
            left.iter_mut().zip(&r.write).for_each(|(l, w)| *l &= !w);
        }
        None
    }

    fn mask_hits(&self, f: &Facts, out: &mut Vec<Hit>) {
        let read = |m: &&Mask| f.sread[(m.reg / 64) as usize] >> (m.reg % 64) & 1 == 1;
        for valu in [false, true] {
            let Some(m) = self.written.iter().filter(read).find(|m| m.valu == valu) else {
                continue;
            };
            let (rule, value) = match (m.valu, m.reg) {
                (false, _) => (Rule::ValuMaskWrite, SA_SDST_0),
                (true, 106 | 107) => (Rule::ValuMaskWriteValu, VA_VCC_0),
                (true, _) => (Rule::ValuMaskWriteValu, VA_SDST_0),
            };
            out.push(Hit::sgpr(rule, m.reg, Some(m.by)).fixed_by(Fix::Depctr(value)));
        }
    }

    fn lds_direct_hits(&self, reg: u32, wait: u32, out: &mut Vec<Hit>) {
        let mut set = [0; 4];
        set[(reg / 64) as usize] |= 1 << (reg % 64);
        let mut trans = false;
        for (age, r) in self.recent.iter().enumerate() {
            trans |= r.trans;
            if overlap(&set, &r.write) || overlap(&set, &r.read) {
                let allowed = if trans { 0 } else { age as u32 };
                if wait > allowed {
                    let hit = Hit::vgpr(Rule::LdsDirectValu, reg, Some(r.by));
                    out.push(hit.fixed_by(Fix::Depctr(VA_VDST_0)));
                }
                break;
            }
        }
        if overlap(&set, &self.memory) {
            let hit = Hit::vgpr(Rule::LdsDirectVmem, reg, Some(self.memory_by));
            out.push(hit.fixed_by(Fix::Depctr(VM_VSRC_0)));
        }
    }

    /// Lets an instruction happen; `at` is its number in reports.
    pub fn issue(&mut self, f: &Facts, at: u32) {
        if f.call {
            // LLVM looks for lane masks within a function only. UNVERIFIED(hw): that a call takes long enough.
            self.masks = [0; 2];
            self.written.clear();
        }
        self.s_nop = f.s_nop;
        self.dealloc = f.dealloc.then_some(at);
        self.clause = match (f.clause, self.clause) {
            (Some(n), _) => Some((n, at)),
            (None, Some((n, by))) if n > 1 => Some((n - 1, by)),
            _ => None,
        };
        if f.scratch_store {
            self.scratch = Some(at);
        }
        if f.stores_done {
            self.scratch = None;
        }
        if let Some(value) = f.depctr {
            self.depctr(value);
        }
        if f.waits_for_valu {
            self.valu_done(0);
        }
        if f.memory && self.looks_back {
            for (m, (r, w)) in self.memory.iter_mut().zip(f.vread.iter().zip(&f.vwrite)) {
                *m |= r | w;
            }
            self.memory_by = at;
        }
        if self.wave64 {
            self.mask_writes(f, at);
        }
        if f.swrite[1] & EXEC != 0 {
            self.trans.iter_mut().for_each(|t| t.exec_after = true);
        }
        if f.salu && f.swrite[1] & EXEC != 0 {
            if let Some(newest) = self.recent.front_mut() {
                newest.exec_after = true;
            }
        }
        if f.valu {
            self.valu(f, at);
        }
    }

    fn depctr(&mut self, value: u32) {
        let va_vdst = value >> 12 & 15;
        if va_vdst < 15 {
            self.valu_done(va_vdst as usize);
        }
        if value & 1 == 0 {
            // It ends the trap on either side of the write (LLVM takes it for expired in front of it, too).
            self.written.retain(|m| m.valu);
            self.masks = [0; 2];
        }
        if value >> 9 & 7 == 0 {
            self.written.retain(|m| !m.valu || matches!(m.reg, 106 | 107));
        }
        if value >> 1 & 1 == 0 {
            self.written.retain(|m| !(m.valu && matches!(m.reg, 106 | 107)));
        }
        if value >> 2 & 7 == 0 {
            self.memory = [0; 4];
        }
    }

    /// At most `n` VALU results have not been written yet: the latest ones, unless there is a transcendental among them,
    /// which is done out of order. Only 0 ends the trap of a transcendental (LLVM counts va_vdst(0) only, too).
    fn valu_done(&mut self, n: usize) {
        if n == 0 {
            self.recent.clear();
            self.trans.clear();
        } else if self.recent.iter().all(|r| !r.trans) {
            self.recent.truncate(n);
        }
    }

    fn mask_writes(&mut self, f: &Facts, at: u32) {
        // Any scalar that a VALU instruction reads, another mask included, ends the trap for those read before it.
        if f.valu && (f.other_scalar || f.masks != [0; 2]) {
            self.masks = [0; 2];
        }
        if f.valu || f.salu {
            for k in 0..2 {
                // EXEC is no mask in this sense: VALU reads it by itself.
                let mut hit = self.masks[k] & f.swrite[k] & !(if k == 1 { EXEC } else { 0 });
                // A VALU write sets a trap of its own and leaves that of SALU writes.
                if f.salu {
                    self.masks[k] &= !hit;
                }
                while hit != 0 {
                    let reg = hit.trailing_zeros() + 64 * k as u32;
                    hit &= hit - 1;
                    self.written.retain(|m| m.reg != reg);
                    self.written.push(Mask {
                        reg,
                        by: at,
                        valu: f.valu,
                    });
                }
            }
        }
        for k in 0..2 {
            self.masks[k] |= f.masks[k];
        }
    }

    fn valu(&mut self, f: &Facts, at: u32) {
        for t in &mut self.trans {
            t.valu += 1;
            t.trans += u32::from(f.trans);
        }
        // Written over in every lane the transcendental wrote.
        let over = |t: &Trans| {
            let all = !f.partial && !t.exec_after;
            all && f.vwrite[(t.reg / 64) as usize] >> (t.reg % 64) & 1 == 1
        };
        self.trans
            .retain(|t| t.valu <= TRANS_VALUS && t.trans <= TRANS_TRANS && !over(t));
        if f.trans && self.has(Rule::ValuTransUse) {
            for k in 0..4 {
                let mut regs = f.vwrite[k];
                while regs != 0 {
                    let reg = regs.trailing_zeros() + 64 * k as u32;
                    regs &= regs - 1;
                    self.trans.push(Trans {
                        reg,
                        by: at,
                        valu: 0,
                        trans: 0,
                        exec_after: false,
                    });
                }
            }
        }
        self.wmma = f.wmma.map(|_| (f.vwrite, at));
        let exec = f.swrite[1] & EXEC != 0;
        self.cmpx = match self.cmpx {
            _ if exec => Some((at, false)),
            Some((by, _)) if f.v_nop => Some((by, true)),
            _ => None,
        };
        self.memory = [0; 4];
        if self.looks_back {
            self.recent.truncate(WINDOW - 1);
            let new = Recent {
                by: at,
                write: f.vwrite,
                read: f.vread,
                trans: f.trans,
                cross_lane: f.cross_lane,
                exec_after: false,
            };
            self.recent.push_front(new);
        }
    }
}
