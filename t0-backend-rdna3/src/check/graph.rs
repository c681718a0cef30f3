//! What control can reach: instructions, blocks and how they follow each other.
//!
//! Method: from the entry, code is decoded along every way control can take, so that padding and data are never looked at.
//! Targets of `s_setpc_b64` and `s_swappc_b64` are followed where they are sums of `s_getpc_b64` and constants, as all
//! compilers write them. A called function is one more entry. When a target is not known, every function of the code object
//! may be called.
//! Invariant: no two instructions share a byte; where control demands that, it is a finding and not followed.
//! Source: RDNA3 ISA manual 2.4, 5; LLVM AMDGPUUsage (calling convention, padding).

use super::{quoted, Raw};
use crate::errata::Facts;
use crate::isa::{
    decode, Class, DecodeError, EncodeError, Inst, Opcode, Operand, Reg, RegFile, Sop1, Sop2, Sopk, Sopp,
};
use crate::object::{called_function, CodeObject, Function, Kernel};
use crate::target::Target;
use std::collections::BTreeSet;
use std::ops::Range;

/// Bytes after the last instruction that instruction fetch may read: 64 words (RDNA3 ISA manual 2.4).
const FETCH_AHEAD: u64 = 256;

/// Where the code of a kernel lies.
pub(super) struct Place<'a> {
    /// Address of the first byte.
    base: u64,
    bytes: &'a [u8],
    entry: u64,
    /// Functions of the code object, kernels included, by address.
    functions: &'a [Function],
    kernels: BTreeSet<u64>,
    end: u64,
}

impl<'a> Place<'a> {
    /// A kernel of a code object.
    pub fn of(object: &'a CodeObject, kernel: &'a Kernel) -> Place<'a> {
        let entry = kernel.code.start;
        let holds =
            |s: &&crate::object::Segment| s.executable && (s.vaddr..s.vaddr + s.bytes.len() as u64).contains(&entry);
        let segment = object.segments.iter().find(holds);
        Place {
            base: segment.map_or(entry, |s| s.vaddr),
            bytes: segment.map_or(&[], |s| &s.bytes),
            entry,
            functions: &object.functions,
            kernels: object.kernels.iter().map(|k| k.code.start).collect(),
            end: kernel.code.end,
        }
    }

    /// Instructions on their own.
    pub fn bare(code: &'a [u8]) -> Place<'a> {
        Place {
            base: 0,
            bytes: code,
            entry: 0,
            functions: &[],
            kernels: BTreeSet::from([0]),
            end: code.len() as u64,
        }
    }

    /// The loaded bytes from an address on.
    pub fn bytes_from(&self, at: u64) -> &'a [u8] {
        let from = at.checked_sub(self.base).and_then(|o| usize::try_from(o).ok());
        from.and_then(|o| self.bytes.get(o..)).unwrap_or_default()
    }

    fn loaded_end(&self) -> u64 {
        self.base + self.bytes.len() as u64
    }

    /// The function around an address, the kernel itself excepted.
    fn function(&self, at: u64) -> Option<&'a Function> {
        called_function(self.functions, &(self.entry..self.end), at)
    }

    /// What to say about an address.
    pub fn at(&self, address: u64) -> super::At {
        match self.function(address) {
            Some(f) => super::At {
                address,
                function: Some(f.name.clone()),
                offset: address - f.code.start,
            },
            None => super::At {
                address,
                function: None,
                offset: address.wrapping_sub(self.entry),
            },
        }
    }

    /// Where code that is at `at` must have ended: the end of its function, or the next one.
    fn limit(&self, at: u64) -> u64 {
        if (self.entry..self.end).contains(&at) {
            return self.end;
        }
        let next = || {
            self.functions
                .iter()
                .map(|f| f.code.start)
                .chain(self.kernels.iter().copied())
        };
        let next = next().filter(|s| *s > at).min().unwrap_or(u64::MAX);
        self.function(at).map_or(next, |f| f.code.end).min(self.loaded_end())
    }

    fn starts_function(&self, at: u64) -> bool {
        self.functions.iter().any(|f| f.code.start == at)
    }
}

/// How control leaves an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// To the next one.
    Next,
    /// To the next one or there.
    Maybe(u64),
    /// There.
    Jump(u64),
    /// To the next one after a call of a function, if it is known.
    Call(Option<u64>),
    /// To a function that returns to this one's caller.
    Tail(u64),
    /// To where a register says: to the caller.
    Return,
    /// Not at all.
    Ends,
}

/// An instruction that control reaches.
pub(super) struct Step {
    /// Address.
    pub at: u64,
    size: u32,
    /// The instruction; `None` where the bytes are none, which has been reported.
    pub inst: Option<Inst>,
    /// What the hazard rules read of it.
    pub facts: Facts,
    /// Only calls whose target is not known may lead here.
    pub guessed: bool,
    way: Way,
}

/// Instructions that run one after the other.
pub(super) struct Block {
    /// The instructions.
    pub steps: Range<usize>,
    /// Blocks that may follow.
    pub next: Vec<usize>,
    /// How it leaves its function at its end.
    pub leaves: Leaves,
}

/// How a block leaves its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaves {
    /// It does not.
    No,
    /// It calls this block and goes on behind the call; `None`: nobody knows which.
    Calls(Option<usize>),
    /// This block returns in its place.
    Tail(usize),
    /// To whoever called.
    Returns,
}

/// What control can reach of a kernel.
#[derive(Default)]
pub(super) struct Graph {
    /// Instructions by address.
    pub steps: Vec<Step>,
    /// Blocks by address.
    pub blocks: Vec<Block>,
    /// First blocks: the kernel's, then those of functions.
    pub entries: Vec<usize>,
    /// First blocks of functions that are called by nobody knows whom.
    pub guesses: Vec<usize>,
    /// A jump led nobody knows where.
    blind: bool,
}

impl Graph {
    /// Decodes what can be reached.
    pub fn new(place: &Place<'_>, target: &Target, raw: &mut Vec<Raw>) -> Graph {
        let mut w = Walker {
            place,
            target,
            raw,
            slots: vec![FREE; place.bytes.len() / 4 + 1],
            // Most instructions have 4 or 8 bytes.
            steps: Vec::with_capacity((place.end.saturating_sub(place.entry) / 6).min(MOST_RESERVED) as usize),
            work: vec![(place.entry, None)],
            entries: BTreeSet::from([place.entry]),
            led_by: Vec::new(),
            unknown_calls: false,
            guesses: BTreeSet::new(),
            guessing: false,
            blind: None,
        };
        w.run();
        w.overlapped();
        let (blind, entries, guesses) = (w.blind, w.entries, w.guesses);
        let mut steps = w.steps;
        if !steps.is_sorted_by_key(|s| s.at) {
            steps.sort_by_key(|s| s.at);
        }
        if let Some(at) = blind {
            let text =
                "the target of this jump is no sum of s_getpc_b64 and constants: what it leads to is not looked at";
            raw.push(Raw::new(
                "check-incomplete",
                Some(at),
                text,
                "a branch, or a jump relative to s_getpc_b64",
            ));
        }
        let (blocks, mut entries) = blocks(&steps, &entries);
        let starts = |b: &usize| guesses.contains(&steps[blocks[*b].steps.start].at);
        let guesses = entries.iter().copied().filter(starts).collect();
        let own = |b: &usize| steps[blocks[*b].steps.start].at == place.entry;
        if let Some(first) = entries.iter().position(own) {
            entries.swap(0, first);
        }
        Graph {
            steps,
            blocks,
            entries,
            guesses,
            blind: blind.is_some(),
        }
    }

    /// Padding, alignment, and code nothing leads to.
    pub fn layout(&self, place: &Place<'_>, target: &Target, raw: &mut Vec<Raw>) {
        if place.entry % 256 != 0 {
            let text = format!("the kernel begins at {:#x}", place.entry);
            raw.push(Raw::new(
                "entry-alignment",
                Some(place.entry),
                text,
                ".p2align 8 before its label",
            ));
        }
        if let Some(last) = self.steps.last() {
            let behind = place.loaded_end().saturating_sub(last.at + u64::from(last.size));
            if behind < FETCH_AHEAD {
                let text = format!(
                    "{behind} bytes are loaded behind the last instruction, fetching reads {FETCH_AHEAD} ahead"
                );
                raw.push(Raw::new(
                    "missing-padding",
                    Some(last.at),
                    text,
                    ".fill 64, 4, 0xbf9f0000 (s_code_end) behind it",
                ));
            }
        }
        if !self.blind {
            self.unreachable(place, target, raw);
        }
    }

    /// Gaps between reached instructions of the kernel that hold instructions other than padding.
    fn unreachable(&self, place: &Place<'_>, target: &Target, raw: &mut Vec<Raw>) {
        let mut at = place.entry;
        let own = self.steps.iter().filter(|s| (place.entry..place.end).contains(&s.at));
        let ranges = own
            .map(|s| (s.at, s.at + u64::from(s.size)))
            .chain([(place.end, place.end)]);
        for (start, end) in ranges {
            if start > at {
                gap(place, at..start, target, raw);
            }
            at = at.max(end);
        }
    }
}

/// A stretch of the kernel that nothing leads to.
fn gap(place: &Place<'_>, gap: Range<u64>, target: &Target, raw: &mut Vec<Raw>) {
    let bytes = place.bytes_from(gap.start);
    let bytes = &bytes[..bytes.len().min((gap.end - gap.start) as usize)];
    let padding = |w: &[u8]| PADDING.contains(&u32::from_le_bytes([w[0], w[1], w[2], w[3]]));
    let Some(first) = bytes.chunks_exact(4).position(|w| !padding(w)) else {
        return;
    };
    if decode(&bytes[4 * first..], target).is_ok() {
        let at = gap.start + 4 * first as u64;
        let text = format!("nothing leads to the {} bytes from here", gap.end - at);
        let fix = "remove them, or mend the branch that should lead here";
        raw.push(Raw::new("unreachable-code", Some(at), text, fix));
    }
}

/// Words that fill space: nothing, `s_nop 0`, `s_code_end`.
const PADDING: [u32; 3] = [0, 0xbf80_0000, 0xbf9f_0000];

/// A word nobody has reached, and one that is the rest of an instruction. Other numbers: the instruction's, plus one.
const FREE: u32 = 0;
const REST: u32 = u32::MAX;

/// Instructions there is room for from the start; more can come.
const MOST_RESERVED: u64 = 1 << 16;

struct Walker<'a> {
    place: &'a Place<'a>,
    target: &'a Target,
    raw: &'a mut Vec<Raw>,
    slots: Vec<u32>,
    steps: Vec<Step>,
    /// Addresses to go on from, and the branch that leads there.
    work: Vec<(u64, Option<u64>)>,
    entries: BTreeSet<u64>,
    /// Where each chain of instructions began, and the branch that led there.
    led_by: Vec<(u64, u64)>,
    unknown_calls: bool,
    guesses: BTreeSet<u64>,
    guessing: bool,
    /// A jump with unknown target outside of functions.
    blind: Option<u64>,
}

impl Walker<'_> {
    fn run(&mut self) {
        loop {
            while let Some((at, from)) = self.work.pop() {
                self.chain(at, from);
            }
            if !std::mem::take(&mut self.unknown_calls) {
                return;
            }
            self.guessing = true;
            let place = self.place;
            for f in place
                .functions
                .iter()
                .filter(|f| !place.kernels.contains(&f.code.start))
            {
                self.guesses.insert(f.code.start);
                self.call(f.code.start);
            }
        }
    }

    fn call(&mut self, at: u64) {
        if self.entries.insert(at) {
            self.work.push((at, None));
        }
    }

    fn slot(&self, at: u64) -> Option<u32> {
        let word = at.checked_sub(self.place.base)? / 4;
        self.slots.get(usize::try_from(word).ok()?).copied()
    }

    /// Decodes from an address to where control does not go on, or is known already.
    fn chain(&mut self, start: u64, from: Option<u64>) {
        let limit = self.place.limit(start);
        if let Some(from) = from {
            self.led_by.push((start, from));
        }
        let mut at = start;
        let mut prev: Option<(u64, bool)> = None;
        let mut pcs = Constants::default();
        loop {
            if at >= limit {
                // A trap or a call may never come back; what follows is then nobody's.
                if let Some((before, false)) = prev {
                    self.past_the_end(before);
                }
                return;
            }
            match self.slot(at) {
                Some(FREE) => {}
                Some(REST) => return self.inside(at, from.or(prev.map(|p| p.0))),
                _ => return,
            }
            let Some(mut step) = self.decode(at) else { return };
            if self.code_end(&step, prev, from) {
                return;
            }
            let size = u64::from(step.size);
            if !self.claim(&step, from) {
                return;
            }
            self.leave(&mut step, &mut pcs);
            let may_stop = matches!(step.way, Way::Call(_)) || step.inst.as_ref().is_some_and(may_stop);
            let ends = !matches!(step.way, Way::Next | Way::Maybe(_) | Way::Call(_));
            self.steps.push(step);
            if ends {
                return;
            }
            prev = Some((at, may_stop));
            at += size;
        }
    }

    fn decode(&mut self, at: u64) -> Option<Step> {
        let rest = self.place.bytes_from(at);
        let (inst, size, error) = match decode(rest, self.target) {
            Ok((inst, size)) => (Some(inst), size, None),
            Err(e) => (None, e.bytes().len(), Some(e)),
        };
        if let Some(e) = error {
            self.refused(at, &e);
            // Only where the bytes are an instruction but for its operands is it known where the next one begins.
            if !matches!(e, DecodeError::Illegal { .. }) {
                return None;
            }
        }
        let facts = inst.as_ref().map_or_else(Facts::default, |i| Facts::of(i, self.target));
        Some(Step {
            at,
            size: size.max(4) as u32,
            inst,
            facts,
            guessed: self.guessing,
            way: Way::Next,
        })
    }

    fn refused(&mut self, at: u64, e: &DecodeError) {
        let (rule, fix) = match e {
            DecodeError::Illegal { source, .. } => match source {
                EncodeError::Target { .. } => ("illegal-instruction", "compile for the card the code object is for"),
                EncodeError::WaveSize { .. } => (
                    "wave-size",
                    "the other wave size in the descriptor, or other instructions",
                ),
                _ => ("illegal-operands", "other operands"),
            },
            _ => (
                "illegal-instruction",
                "s_endpgm before it, if it is data; otherwise the file is damaged or for another card",
            ),
        };
        self.raw.push(Raw::new(rule, Some(at), e.to_string(), fix));
    }

    fn past_the_end(&mut self, before: u64) {
        let text = "control runs on after this instruction, and the code ends there";
        self.raw
            .push(Raw::new("missing-end", Some(before), text, "s_endpgm after it"));
    }

    /// `s_code_end` is padding: whoever gets there has no end.
    fn code_end(&mut self, step: &Step, prev: Option<(u64, bool)>, from: Option<u64>) -> bool {
        let is_end = |i: &Inst| i.op == Opcode::Sopp(Sopp::s_code_end);
        if !step.inst.as_ref().is_some_and(is_end) {
            return false;
        }
        match prev {
            Some((_, true)) => {}
            Some((before, false)) => self.past_the_end(before),
            None => {
                let at = from.unwrap_or(step.at);
                let text = format!("control comes to the padding at {:#x}", step.at);
                self.raw.push(Raw::new(
                    "missing-end",
                    Some(at),
                    text,
                    "s_endpgm at the end of every path",
                ));
            }
        }
        true
    }

    /// Takes an instruction's words; false when another instruction has one of them.
    fn claim(&mut self, step: &Step, from: Option<u64>) -> bool {
        let words = u64::from(step.size / 4);
        let taken = (1..words)
            .map(|k| step.at + 4 * k)
            .find(|&a| self.slot(a) != Some(FREE));
        if let Some(other) = taken {
            // Whoever leads to the one in the middle, or else to this one, is wrong.
            let led = self.led_by.iter().find(|(start, _)| *start == other).map(|l| l.1);
            self.inside(other, led.or(from));
            return false;
        }
        let first = ((step.at - self.place.base) / 4) as usize;
        self.slots[first] = self.steps.len() as u32 + 1;
        self.slots[first + 1..first + words as usize].fill(REST);
        true
    }

    /// Branches to bytes that were no instruction when they were followed, and turned out to be the rest of one.
    fn overlapped(&mut self) {
        for (start, from) in std::mem::take(&mut self.led_by) {
            let told = |r: &Raw| r.rule == "jump-into-instruction" && r.related == Some(start);
            if self.slot(start) == Some(REST) && !self.raw.iter().any(told) {
                self.raw.retain(|r| r.at != Some(start));
                self.inside(start, Some(from));
            }
        }
    }

    fn inside(&mut self, at: u64, from: Option<u64>) {
        let text = format!("it leads to {:#x}, which is inside of another instruction", at);
        let mut raw = Raw::new(
            "jump-into-instruction",
            from.or(Some(at)),
            text,
            "a branch to where an instruction begins",
        );
        raw.related = Some(at);
        self.raw.push(raw);
    }

    /// Works out where control goes after an instruction and notes the places.
    fn leave(&mut self, step: &mut Step, pcs: &mut Constants) {
        let Some(inst) = &step.inst else { return };
        let row = inst.row();
        let next = step.at + u64::from(step.size);
        step.way = match row.class {
            Class::End => Way::Ends,
            Class::Branch => self.branch(step.at, next, inst, pcs),
            _ => {
                pcs.step(inst, next, &step.facts);
                Way::Next
            }
        };
        if let Way::Jump(to) | Way::Maybe(to) = step.way {
            if self.place.bytes_from(to).len() < 4 {
                let text = format!("it leads to {:#x}, where no code is loaded", to);
                let fix = "a branch to an instruction of the kernel";
                self.raw.push(Raw::new("jump-out-of-code", Some(step.at), text, fix));
                step.way = if matches!(step.way, Way::Jump(_)) {
                    Way::Ends
                } else {
                    Way::Next
                };
            } else {
                self.work.push((to, Some(step.at)));
            }
        }
    }

    fn branch(&mut self, at: u64, next: u64, inst: &Inst, pcs: &mut Constants) -> Way {
        let distance = inst.operands.iter().find_map(|o| match o {
            Operand::Imm(words) => Some(i64::from(*words as i16) * 4),
            _ => None,
        });
        // An address below zero is as wrong as one behind the end.
        let there = distance.map(|d| next.checked_add_signed(d).unwrap_or(u64::MAX));
        let known = inst.operands.last().and_then(|o| o.reg()).and_then(|r| pcs.pair(r));
        pcs.clear();
        match (inst.op, there) {
            (Opcode::Sopp(Sopp::s_branch), Some(to)) => Way::Jump(to),
            (Opcode::Sopk(Sopk::s_call_b64), Some(to)) => {
                self.call(to);
                Way::Call(Some(to))
            }
            (_, Some(to)) => Way::Maybe(to),
            (Opcode::Sop1(Sop1::s_swappc_b64), None) => {
                let known = known.filter(|&to| !self.place.bytes_from(to).is_empty());
                match known {
                    Some(to) => self.call(to),
                    None => self.unknown_calls = true,
                }
                Way::Call(known)
            }
            (Opcode::Sop1(Sop1::s_setpc_b64), None) => match known {
                Some(to) if self.place.starts_function(to) => {
                    self.call(to);
                    Way::Tail(to)
                }
                Some(to) => Way::Jump(to),
                None => {
                    // Functions return this way.
                    let in_kernel = self.place.function(at).is_none() && self.entries.len() == 1;
                    self.blind = self.blind.or(in_kernel.then_some(at));
                    Way::Return
                }
            },
            _ => Way::Ends,
        }
    }
}

/// Whether a wave may stay at the instruction for good.
fn may_stop(inst: &Inst) -> bool {
    use Sopp::{s_sendmsghalt, s_sethalt, s_trap};
    matches!(inst.op, Opcode::Sopp(s_trap | s_sendmsghalt | s_sethalt))
}

/// Scalar registers whose value is known relative to the load address: sums of `s_getpc_b64` and constants.
#[derive(Default)]
struct Constants {
    known: Vec<(u32, u32)>,
    carry: Option<bool>,
}

impl Constants {
    fn clear(&mut self) {
        *self = Constants::default();
    }

    fn get(&self, r: u32) -> Option<u32> {
        self.known.iter().find(|k| k.0 == r).map(|k| k.1)
    }

    fn pair(&self, r: Reg) -> Option<u64> {
        let pair = r.file == RegFile::S && r.count == 2;
        let (lo, hi) = (self.get(r.index)?, self.get(r.index + 1)?);
        pair.then_some(u64::from(hi) << 32 | u64::from(lo))
    }

    fn value(&self, o: &Operand) -> Option<u32> {
        match o {
            Operand::Reg(r) if r.file == RegFile::S => self.get(r.index),
            Operand::Literal(l) => Some(*l),
            o => o.const_b32(),
        }
    }

    fn set(&mut self, r: u32, value: Option<u32>) {
        self.known.retain(|k| k.0 != r);
        self.known.extend(value.map(|v| (r, v)));
    }

    /// Nothing is known before the first `s_getpc_b64`, so that most code costs nothing.
    fn step(&mut self, inst: &Inst, next: u64, facts: &Facts) {
        let dst = inst.operands.first().and_then(|o| o.reg());
        if let (Opcode::Sop1(Sop1::s_getpc_b64), Some(d)) = (inst.op, dst) {
            self.set(d.index, Some(next as u32));
            self.set(d.index + 1, Some((next >> 32) as u32));
            return;
        }
        if self.known.is_empty() {
            return;
        }
        let src = |k: usize| inst.operands.get(k).and_then(|o| self.value(o));
        let (a, b, carry) = (src(1), src(2), self.carry);
        let both = a.zip(b);
        let Some(d) = dst.filter(|d| d.file == RegFile::S) else {
            return;
        };
        let (value, carry) = match inst.op {
            Opcode::Sop1(Sop1::s_mov_b32) => (a, carry),
            Opcode::Sop1(Sop1::s_mov_b64) => {
                let from = inst.operands.get(1).and_then(|o| o.reg());
                let high = from.and_then(|r| self.get(r.index + 1));
                self.set(d.index, a.filter(|_| from.is_some()));
                self.set(d.index + 1, high);
                return;
            }
            Opcode::Sop2(Sop2::s_add_u32) => {
                let sum = both.map(|(a, b)| a.overflowing_add(b));
                (sum.map(|s| s.0), sum.map(|s| s.1))
            }
            Opcode::Sop2(Sop2::s_addc_u32) => {
                let sum = both
                    .zip(carry)
                    .map(|((a, b), c)| u64::from(a) + u64::from(b) + u64::from(c));
                (sum.map(|s| s as u32), sum.map(|s| s >> 32 != 0))
            }
            Opcode::Sop2(Sop2::s_sub_u32) => {
                let diff = both.map(|(a, b)| a.overflowing_sub(b));
                (diff.map(|s| s.0), diff.map(|s| s.1))
            }
            Opcode::Sop2(Sop2::s_subb_u32) => {
                let diff = both
                    .zip(carry)
                    .map(|((a, b), c)| i64::from(a) - i64::from(b) - i64::from(c));
                (diff.map(|s| s as u32), diff.map(|s| s < 0))
            }
            _ => {
                let written = |r: u32| facts.swrite[(r / 64) as usize & 1] >> (r % 64) & 1 == 1;
                self.known.retain(|k| !written(k.0));
                self.carry = None;
                return;
            }
        };
        self.set(d.index, value);
        self.carry = carry;
    }
}

/// Cuts the instructions into blocks.
fn blocks(steps: &[Step], entries: &BTreeSet<u64>) -> (Vec<Block>, Vec<usize>) {
    let index = |at: u64| steps.binary_search_by_key(&at, |s| s.at).ok();
    let follows = |i: usize| {
        steps
            .get(i + 1)
            .is_some_and(|n| n.at == steps[i].at + u64::from(steps[i].size))
    };
    let mut leads = vec![false; steps.len()];
    entries.iter().filter_map(|&e| index(e)).for_each(|i| leads[i] = true);
    for (i, s) in steps.iter().enumerate() {
        if let Way::Maybe(to) | Way::Jump(to) = s.way {
            index(to).into_iter().for_each(|t| leads[t] = true);
        }
        if i + 1 < steps.len() && (s.way != Way::Next || !follows(i)) {
            leads[i + 1] = true;
        }
    }
    let starts: Vec<usize> = (0..steps.len()).filter(|&i| i == 0 || leads[i]).collect();
    let block_of = |i: usize| starts.binary_search(&i).ok();
    let mut out = Vec::with_capacity(starts.len());
    for (b, &first) in starts.iter().enumerate() {
        let end = starts.get(b + 1).copied().unwrap_or(steps.len());
        let last = end - 1;
        let falls = matches!(steps[last].way, Way::Next | Way::Maybe(_) | Way::Call(_)) && follows(last);
        let mut next: Vec<usize> = falls.then_some(b + 1).into_iter().collect();
        let block_at = |to: u64| index(to).and_then(block_of);
        let mut leaves = Leaves::No;
        match steps[last].way {
            Way::Maybe(to) | Way::Jump(to) => next.extend(block_at(to)),
            Way::Call(to) => leaves = Leaves::Calls(to.and_then(block_at)),
            Way::Tail(to) => leaves = block_at(to).map_or(Leaves::No, Leaves::Tail),
            Way::Return => leaves = Leaves::Returns,
            Way::Next | Way::Ends => {}
        }
        out.push(Block {
            steps: first..end,
            next,
            leaves,
        });
    }
    let entries = entries.iter().filter_map(|&e| block_of(index(e)?)).collect();
    (out, entries)
}

impl Graph {
    /// Number of every block in an order in which, loops aside, a block comes behind those that lead to it, and what is behind
    /// a call behind the called function: a dataflow that takes blocks in this order looks at few of them twice.
    pub fn order(&self) -> Vec<usize> {
        let mut number = vec![usize::MAX; self.blocks.len()];
        let mut done = self.blocks.len();
        let mut seen = vec![false; self.blocks.len()];
        for &entry in self.entries.iter().rev() {
            // Depth first: a block and how many of its ways have been taken.
            let mut path = vec![(entry, 0)];
            if std::mem::replace(&mut seen[entry], true) {
                continue;
            }
            while let Some((b, taken)) = path.last_mut() {
                let block = &self.blocks[*b];
                let called = match block.leaves {
                    Leaves::Calls(Some(c)) | Leaves::Tail(c) => Some(c),
                    _ => None,
                };
                let way = block.next.iter().copied().chain(called).nth(*taken);
                *taken += 1;
                match way {
                    Some(n) if !std::mem::replace(&mut seen[n], true) => path.push((n, 0)),
                    Some(_) => {}
                    None => {
                        done -= 1;
                        number[*b] = done;
                        path.pop();
                    }
                }
            }
        }
        number
    }
}

impl Step {
    /// Whether the other one is the only one that can follow.
    pub fn falls_to(&self, next: &Step) -> bool {
        self.way == Way::Next && self.at + u64::from(self.size) == next.at
    }

    /// Text of the instruction in a finding.
    pub fn text(&self) -> String {
        self.inst.as_ref().map(quoted).unwrap_or_default()
    }
}
