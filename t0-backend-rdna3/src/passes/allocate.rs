//! Register allocation.
//!
//! Problem: give every virtual register consecutive physical ones (SGPR tuples aligned) such that two that are live at the
//! same time share none. Method: registers joined by copies whose lives do not overlap are first merged into groups,
//! innermost loops first, so that carried values and WMMA accumulators need no moves. Then the groups, widest first, take
//! the lowest place where none of their segments is taken: lives have holes and a place is checked over all of a group's
//! segments, so any order gives a correct result and the order only matters for fragmentation. Running out is an error that
//! says where most registers are live; `spill` then takes some out.
//!
//! Invariant: checked from the outside by `check_allocation`.

use super::liveness::{liveness, merge, Liveness, Segment};
use crate::isa::{Class as Unit, Operand, Reg, RegFile};
use crate::mir::{Class, MFunc, MOp, MOperand, VReg};
use crate::target::Target;

/// Banks of the VGPRs: register `n` lies in bank `n` modulo this.
/// Source: Chips and Cheese, "Microbenchmarking AMD's RDNA 3 Graphics Architecture", 2023: VOPD needs operands of different
/// banks (RDNA3 ISA manual 7.6). Traces of a card show 34 cycles instead of 32 for a WMMA whose operands begin in one bank.
const VGPR_BANKS: u32 = 4;

/// Where each virtual register lies.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// First physical register, by virtual register; unused ones have 0.
    pub base: Vec<u32>,
    /// Number of SGPRs up to the highest one used.
    pub sgprs: u32,
    /// Number of VGPRs up to the highest one used.
    pub vgprs: u32,
}

/// Too many values live at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfRegisters {
    /// Register file.
    pub class: Class,
    /// Dwords live where most are.
    pub needed: u32,
    /// What there is.
    pub limit: u32,
    /// Number of that instruction over the whole function.
    pub at: u32,
}

/// Occupied positions of one physical register, one bit each.
struct Track(Vec<u64>);

impl Track {
    fn new(positions: usize) -> Track {
        Track(vec![0; positions.div_ceil(64)])
    }
    fn is_free(&self, s: Segment) -> bool {
        words(s).all(|(w, mask)| self.0[w] & mask == 0)
    }
    fn take(&mut self, s: Segment) {
        for (w, mask) in words(s) {
            self.0[w] |= mask;
        }
    }
}

/// As many places as it takes, handed out for parts of the time.
pub(super) struct Places {
    tracks: Vec<Track>,
    positions: usize,
}

impl Places {
    pub fn new(positions: usize) -> Places {
        Places {
            tracks: Vec::new(),
            positions,
        }
    }

    /// The lowest `width` places in a row that are free at all of these times; they are taken.
    pub fn put(&mut self, segments: &[Segment], width: u32) -> u32 {
        let free = |t: Option<&Track>| t.is_none_or(|t| segments.iter().all(|&s| t.is_free(s)));
        let fits = |at: &u32| (*at..*at + width).all(|p| free(self.tracks.get(p as usize)));
        let at = (0..).find(fits).unwrap_or(0);
        while self.tracks.len() < (at + width) as usize {
            self.tracks.push(Track::new(self.positions));
        }
        for t in &mut self.tracks[at as usize..(at + width) as usize] {
            segments.iter().for_each(|&s| t.take(s));
        }
        at
    }

    /// Places there are.
    pub fn len(&self) -> u32 {
        self.tracks.len() as u32
    }
}

/// The words and masks of a range of bits.
fn words(s: Segment) -> impl Iterator<Item = (usize, u64)> {
    let (first, last) = (s.start / 64, (s.end - 1) / 64);
    (first..=last).map(move |w| {
        let low = if w == first { !0 << (s.start % 64) } else { !0 };
        let high = if w == last { !0 >> (63 - (s.end - 1) % 64) } else { !0 };
        (w as usize, low & high)
    })
}

/// Virtual registers that will share a place.
pub(super) struct Groups {
    parent: Vec<u32>,
    /// Segments by the register that stands for a group.
    pub segments: Vec<Vec<Segment>>,
}

impl Groups {
    /// The register that stands for the group of another.
    pub fn find(&mut self, mut r: u32) -> u32 {
        while self.parent[r as usize] != r {
            let up = self.parent[self.parent[r as usize] as usize];
            self.parent[r as usize] = up;
            r = up;
        }
        r
    }

    fn join(&mut self, a: VReg, b: VReg) {
        let (a, b) = (self.find(a.0), self.find(b.0));
        if a == b || overlap(&self.segments[a as usize], &self.segments[b as usize]) {
            return;
        }
        let taken = std::mem::take(&mut self.segments[b as usize]);
        let into = &mut self.segments[a as usize];
        into.extend(taken);
        into.sort_unstable();
        merge(into);
        self.parent[b as usize] = a;
    }
}

fn overlap(a: &[Segment], b: &[Segment]) -> bool {
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        if a[i].start < b[j].end && b[j].start < a[i].end {
            return true;
        }
        if a[i].end <= b[j].end {
            i += 1;
        } else {
            j += 1;
        }
    }
    false
}

/// Alignment of a scalar tuple (RDNA3 ISA manual 3.3.1).
fn alignment(class: Class, width: u32) -> u32 {
    match (class, width) {
        (Class::V, _) | (_, 1) => 1,
        (_, 2) => 2,
        _ => 4,
    }
}

/// Allocates registers.
///
/// Errors: more values live at once than there are registers.
pub fn allocate(m: &MFunc, target: &Target) -> Result<Assignment, OutOfRegisters> {
    let live = liveness(m);
    let mut groups = coalesce(m, &live);
    let positions = live.positions();
    let blank = |n: u32| (0..n).map(|_| Track::new(positions)).collect::<Vec<_>>();
    let (mut s, mut v) = (blank(target.max_sgprs), blank(target.max_vgprs));
    let mut hints: Vec<Option<u32>> = vec![None; m.vregs.len()];
    let banks = matrix_banks(m, &mut groups);
    reserve_inputs(m, &mut groups, &mut s, &mut v, &mut hints);

    let n = m.vregs.len() as u32;
    let mut order: Vec<u32> = (0..n).filter(|&r| groups.find(r) == r).collect();
    let start = |g: &Groups, r: u32| g.segments[r as usize].first().map_or(u32::MAX, |s| s.start);
    // What the launch fills stays where it is if it can.
    let key = |r: u32| {
        (
            hints[r as usize].is_none(),
            std::cmp::Reverse(m.vregs[r as usize].width),
            start(&groups, r),
        )
    };
    order.sort_by_key(|&r| key(r));
    let mut place = vec![0u32; n as usize];
    let mut used = [0u32; 2];
    for r in order {
        let info = m.vregs[r as usize];
        let segments = &groups.segments[r as usize];
        if segments.is_empty() {
            continue;
        }
        let tracks = if info.class == Class::S { &mut s } else { &mut v };
        let fits = |at: u32| {
            at + info.width <= tracks.len() as u32
                && (at..at + info.width).all(|p| segments.iter().all(|&seg| tracks[p as usize].is_free(seg)))
        };
        let step = alignment(info.class, info.width);
        let hint = hints[r as usize].filter(|&h| h % step == 0 && fits(h));
        let limit = tracks.len() as u32;
        let in_bank = || banks[r as usize].and_then(|b| (b..limit).step_by(VGPR_BANKS as usize).find(|&at| fits(at)));
        let anywhere = || (0..limit).step_by(step as usize).find(|&at| fits(at));
        let Some(at) = hint.or_else(in_bank).or_else(anywhere) else {
            return Err(out_of_registers(m, &live, info.class, limit));
        };
        for p in at..at + info.width {
            segments.iter().for_each(|&seg| tracks[p as usize].take(seg));
        }
        place[r as usize] = at;
        let used = &mut used[usize::from(info.class == Class::V)];
        *used = (*used).max(at + info.width);
    }
    let base = (0..n).map(|r| place[groups.find(r) as usize]).collect();
    Ok(Assignment {
        base,
        sgprs: used[0],
        vgprs: used[1],
    })
}

/// Merges registers along copies, those in the deepest loops first.
pub(super) fn coalesce(m: &MFunc, live: &Liveness) -> Groups {
    let mut groups = Groups {
        parent: (0..m.vregs.len() as u32).collect(),
        segments: live.segments.clone(),
    };
    let mut copies = Vec::new();
    for b in &m.blocks {
        for i in b.insts.iter().filter(|i| i.op == MOp::Copy) {
            if let (MOperand::Virt(to), MOperand::Virt(from)) = (i.operands[0], i.operands[1]) {
                let same = m.info(to.reg).class == m.info(from.reg).class && m.is_whole(to) && m.is_whole(from);
                if same {
                    copies.push((b.depth, to.reg, from.reg));
                }
            }
        }
    }
    copies.sort_by_key(|&(depth, ..)| std::cmp::Reverse(depth)); // stable: program order within a depth
    for (_, to, from) in copies {
        groups.join(to, from);
    }
    groups
}

/// Registers that hold something when the kernel starts stay untouched until they are copied.
fn reserve_inputs(m: &MFunc, groups: &mut Groups, s: &mut [Track], v: &mut [Track], hints: &mut [Option<u32>]) {
    for (i, inst) in m.blocks.first().map_or(&[][..], |b| &b.insts[..]).iter().enumerate() {
        if inst.op != MOp::Copy {
            continue;
        }
        if let (MOperand::Virt(to), MOperand::Isa(Operand::Reg(r))) = (inst.operands[0], inst.operands[1]) {
            let tracks: &mut [Track] = if r.file == RegFile::S { s } else { v };
            for p in r.index..r.index + r.count {
                if let Some(t) = tracks.get_mut(p as usize) {
                    t.take(Segment {
                        start: 0,
                        end: 2 * i as u32 + 1,
                    });
                }
            }
            hints[groups.find(to.reg.0) as usize] = Some(r.index);
        }
    }
}

/// The banks that the operands of matrix products should begin in: A, B and C in different ones, or the product takes two
/// cycles more (see [`VGPR_BANKS`]).
fn matrix_banks(m: &MFunc, groups: &mut Groups) -> Vec<Option<u32>> {
    let mut banks = vec![None; m.vregs.len()];
    for i in m.blocks.iter().flat_map(|b| &b.insts) {
        if i.opcode().is_none_or(|op| op.row().class != Unit::Wmma) {
            continue;
        }
        // D and C, which share their registers, A, B.
        for (operand, bank) in [(0, 0), (1, 1), (2, 2)] {
            if let Some(MOperand::Virt(s)) = i.operands.get(operand) {
                let group = groups.find(s.reg.0) as usize;
                banks[group].get_or_insert((bank + VGPR_BANKS - s.at % VGPR_BANKS) % VGPR_BANKS);
            }
        }
    }
    banks
}

fn out_of_registers(m: &MFunc, live: &Liveness, class: Class, limit: u32) -> OutOfRegisters {
    let end = live.first.last().copied().unwrap_or(0) as usize;
    let mut change = vec![0i64; 2 * end + 3];
    for (info, segments) in m.vregs.iter().zip(&live.segments) {
        if info.class == class {
            for s in segments {
                change[s.start as usize] += i64::from(info.width);
                change[s.end as usize] -= i64::from(info.width);
            }
        }
    }
    let (mut now, mut most, mut at) = (0, 0, 0);
    for (p, c) in change.iter().enumerate() {
        now += c;
        if now > most {
            (most, at) = (now, p as u32 / 2);
        }
    }
    OutOfRegisters {
        class,
        needed: most as u32,
        limit,
        at,
    }
}

/// The physical registers of part of a virtual one.
pub fn physical(m: &MFunc, a: &Assignment, s: crate::mir::Sub) -> Reg {
    let index = a.base[s.reg.0 as usize] + s.at;
    match m.info(s.reg).class {
        Class::S => Reg::sn(index, s.count),
        Class::V => Reg::vn(index, s.count),
    }
}
