//! Gives accesses of values that left the registers a register for a while.

use super::choose::Chosen;
use super::code::{transfer, undefined, Way};
use super::{Home, Scene, Step, Touch};
use crate::isa::Class as Unit;
use crate::mir::{Class, MFunc, MInst, MOp, Sub, VReg};
use t0_ir::Span;

/// Dwords of a value that are in a register of their own.
#[derive(Clone, Copy, Debug)]
struct Resident {
    group: u32,
    /// First dword of the value.
    at: u32,
    temp: Sub,
    /// Dwords that are newer than the home, one bit each.
    dirty: u32,
    /// Read by the instruction for the last time: where it writes there is room for other things.
    leaving: bool,
}

impl Resident {
    fn overlaps(&self, group: u32, s: Sub) -> bool {
        self.group == group && self.at < s.at + s.count && s.at < self.at + self.temp.count
    }

    fn contains(&self, group: u32, s: Sub) -> bool {
        self.group == group && self.at <= s.at && s.at + s.count <= self.at + self.temp.count
    }
}

struct Rewriter<'a, 's> {
    scene: &'a Scene<'s>,
    chosen: &'a Chosen,
    limit: u32,
    /// The code with registers for homes, blocks to come.
    m: MFunc,
    lanes: Vec<VReg>,
    resident: Vec<Resident>,
    out: Vec<MInst>,
    /// Which of `out` are instructions of the block before, and which of those.
    kept: Vec<(usize, u32)>,
}

/// An instruction on its way.
#[derive(Clone, Copy)]
struct Here<'i> {
    inst: &'i MInst,
    /// Its number.
    at: u32,
    /// The number of the first one behind its block.
    end: u32,
    span: Span,
}

/// The code with accesses to homes.
pub(super) fn rewrite(scene: &Scene<'_>, chosen: &Chosen, limit: u32, step: &mut Step) {
    let mut r = Rewriter {
        scene,
        chosen,
        limit,
        m: MFunc {
            vregs: scene.m.vregs.clone(),
            blocks: Vec::new(),
            group: scene.m.group,
        },
        lanes: Vec::new(),
        resident: Vec::new(),
        out: Vec::new(),
        kept: Vec::new(),
    };
    let mut origin = Vec::with_capacity(scene.m.blocks.len());
    if scene.class == Class::S {
        for _ in 0..step.dwords.div_ceil(super::super::WAVE_SIZE) {
            let keeper = r.m.vreg(Class::V, 1);
            r.lanes.push(keeper.reg);
            r.out.push(undefined(keeper, Span::default()));
        }
    }
    let mut at = 0;
    for block in &scene.m.blocks {
        let end = at + block.insts.len() as u32;
        for i in &block.insts {
            let span = i.span;
            r.instruction(Here { inst: i, at, end, span });
            at += 1;
        }
        let span = block.insts.last().map_or_else(Span::default, |i| i.span);
        r.leave_block(at, span);
        let insts = std::mem::take(&mut r.out);
        let mut from = vec![None; insts.len()];
        for (k, at) in r.kept.drain(..) {
            from[k] = Some(at + block.insts.len() as u32 - end);
        }
        origin.push(from);
        r.m.blocks.push(crate::mir::MBlock {
            insts,
            depth: block.depth,
        });
    }
    step.after = r.m;
    step.origin = origin;
    step.lanes = r.lanes;
}

impl Rewriter<'_, '_> {
    /// The group of a register that has a home.
    fn away(&self, s: Sub) -> Option<(u32, &Home)> {
        let group = self.scene.root[s.reg.0 as usize];
        Some((group, self.chosen.homes[group as usize].as_ref()?))
    }

    fn instruction(&mut self, here: Here<'_>) {
        let i = here.inst;
        if self.vanishes(i) {
            return;
        }
        let accesses = i.accesses();
        let mut operands = i.operands.clone();
        let away: Vec<(usize, Sub)> = (0..operands.len())
            .filter_map(|k| Some((k, i.operands[k].virt().filter(|&s| self.away(s).is_some())?)))
            .collect();
        let needed: Vec<Sub> = away.iter().map(|a| a.1).collect();
        if !self.make_room(0, &needed, here) {
            self.trim(&needed, here);
        }
        for &(k, s) in away.iter().filter(|a| accesses[a.0].use_) {
            operands[k] = self.fetch(s, &needed, here).into();
        }
        if self.scene.class == Class::V && i.writes_exec() || ends_block(i) {
            self.flush(here);
        }
        let written: Vec<Sub> = away.iter().filter(|a| accesses[a.0].def).map(|a| a.1).collect();
        self.part_with_read(&needed, &written, here);
        if !self.make_room(0, &needed, here) {
            self.release(&written, here);
        }
        for &(k, s) in away.iter().filter(|a| accesses[a.0].def) {
            match self.target(s, &needed, &written, here) {
                Some(to) => operands[k] = to.into(),
                None => return,
            }
        }
        self.kept.push((self.out.len(), here.at));
        self.out.push(MInst { operands, ..i.clone() });
        self.forget(here, &away);
    }

    /// Whether no instruction is needed: values that are made again, copies within a home.
    fn vanishes(&self, i: &MInst) -> bool {
        let Some(to) = i.operands.first().and_then(|o| o.virt()) else {
            return false;
        };
        match self.away(to) {
            Some((_, Home::Remade(_))) => i.accesses()[0].def,
            Some((group, Home::Slot(_))) if i.op == MOp::Copy => {
                let from = i.operands[1].virt();
                from.is_some_and(|from| self.scene.root[from.reg.0 as usize] == group)
            }
            _ => false,
        }
    }

    /// A register with what is read.
    fn fetch(&mut self, s: Sub, needed: &[Sub], here: Here<'_>) -> Sub {
        let group = self.scene.root[s.reg.0 as usize];
        if let Some(r) = self.resident.iter().find(|r| r.contains(group, s)) {
            return r.temp.slice(s.at - r.at, s.count);
        }
        self.part(group, s, here);
        self.make_room(s.count, needed, here);
        let temp = self.m.vreg(self.scene.class, s.count);
        if s.count > 1 {
            self.out.push(undefined(temp, here.span)); // it comes in pieces
        }
        match self.chosen.homes[group as usize].as_ref() {
            Some(Home::Remade(makers)) => {
                for (k, maker) in (0..).zip(&makers[s.at as usize..(s.at + s.count) as usize]) {
                    let mut again = maker.clone();
                    again.operands[0] = temp.dword(k).into();
                    again.span = here.span;
                    self.out.push(again);
                }
            }
            Some(&Home::Slot(slot)) => {
                let (m, out) = (&mut self.m, &mut self.out);
                transfer(Way::Load, temp, slot + s.at, &self.lanes, here.span, m, out);
            }
            None => {}
        }
        self.settle(group, s, temp);
        temp
    }

    /// A register for what is written; none for an IMPLICIT_DEF of more than there is room for.
    fn target(&mut self, s: Sub, needed: &[Sub], written: &[Sub], here: Here<'_>) -> Option<Sub> {
        let group = self.scene.root[s.reg.0 as usize];
        let bits = |at: u32| ((1u64 << s.count) - 1) << at;
        let is_made = here.inst.op != MOp::ImplicitDef;
        if let Some(r) = self.resident.iter_mut().find(|r| r.contains(group, s)) {
            if is_made {
                r.dirty |= bits(s.at - r.at) as u32;
            }
            return Some(r.temp.slice(s.at - r.at, s.count));
        }
        self.part(group, s, here);
        if !self.make_room(s.count, needed, here) {
            if !is_made {
                return None;
            }
            self.release(written, here);
        }
        let temp = self.m.vreg(self.scene.class, s.count);
        self.settle(group, s, temp);
        if let (true, Some(r)) = (is_made, self.resident.last_mut()) {
            r.dirty = bits(0) as u32;
        }
        Some(temp)
    }

    fn settle(&mut self, group: u32, s: Sub, temp: Sub) {
        self.resident.push(Resident {
            group,
            at: s.at,
            temp,
            dirty: 0,
            leaving: false,
        });
    }

    /// Sends home what overlaps with dwords that get a register of their own.
    fn part(&mut self, group: u32, s: Sub, here: Here<'_>) {
        let (overlapping, rest) = self.resident.iter().partition(|r| r.overlaps(group, s));
        self.resident = rest;
        let overlapping: Vec<Resident> = overlapping;
        overlapping.iter().for_each(|r| self.store(r, here));
    }

    /// Whether an instruction names dwords of a resident.
    fn is_named(&self, r: &Resident, subs: &[Sub]) -> bool {
        let root = |s: &Sub| self.scene.root[s.reg.0 as usize];
        subs.iter().any(|s| r.overlaps(root(s), *s))
    }

    /// Sends home what is needed last until there is room for `count` dwords more; false if there is none still.
    fn make_room(&mut self, count: u32, needed: &[Sub], here: Here<'_>) -> bool {
        let fixed = |p: u32| self.chosen.fixed[p as usize];
        let fixed = fixed(2 * here.at).max(fixed(2 * here.at + 1));
        loop {
            let staying = self.resident.iter().filter(|r| !r.leaving);
            let taken: u32 = staying.map(|r| r.temp.count).sum();
            if fixed + i64::from(taken + count) <= i64::from(self.limit) {
                return true;
            }
            let free = (0..self.resident.len()).filter(|&k| !self.is_named(&self.resident[k], needed));
            let last = free.max_by_key(|&k| (self.next_access(self.resident[k].group, here), k));
            let Some(k) = last else { return false };
            let gone = self.resident.remove(k);
            self.store(&gone, here);
        }
    }

    /// Sends home what is wider than what the instruction names of it.
    fn trim(&mut self, needed: &[Sub], here: Here<'_>) {
        let root = |s: &Sub| self.scene.root[s.reg.0 as usize];
        let whole = |r: &Resident| {
            needed
                .iter()
                .any(|s| root(s) == r.group && s.at == r.at && s.count == r.temp.count)
        };
        let (stay, go): (Vec<Resident>, Vec<Resident>) = self.resident.iter().partition(|r| whole(r));
        self.resident = stay;
        go.iter().for_each(|r| self.store(r, here));
    }

    /// Sends home what the instruction is the last of its block to read: where it writes there is room again.
    fn part_with_read(&mut self, needed: &[Sub], written: &[Sub], here: Here<'_>) {
        let last = here.at + 1 == here.end;
        for k in 0..self.resident.len() {
            let r = self.resident[k];
            let read = self.is_named(&r, needed) && !self.is_named(&r, written);
            if read && self.next_access(r.group, here) == u32::MAX {
                if self.scene.lives_behind(r.group, here.at, last) {
                    self.store_dirty(&r, here.span);
                }
                self.resident[k].dirty = 0;
                self.resident[k].leaving = true;
            }
        }
    }

    /// Lets go of what the instruction only reads.
    fn release(&mut self, written: &[Sub], here: Here<'_>) {
        for k in 0..self.resident.len() {
            let mut r = self.resident[k];
            if !self.is_named(&r, written) {
                self.store(&r, here);
                r.dirty = 0;
                r.leaving = true;
                self.resident[k] = r;
            }
        }
    }

    /// The next instruction of the block that names a group.
    fn next_access(&self, group: u32, here: Here<'_>) -> u32 {
        let touches: &[Touch] = &self.scene.touches[group as usize];
        let k = touches.partition_point(|t| t.at <= here.at);
        touches
            .get(k)
            .map(|t| t.at)
            .filter(|&at| at < here.end)
            .unwrap_or(u32::MAX)
    }

    /// Stores what the home does not have yet, if it is still needed before the instruction or behind it.
    fn store(&mut self, r: &Resident, here: Here<'_>) {
        if self.scene.lives(r.group, 2 * here.at) {
            self.store_dirty(r, here.span);
        }
    }

    fn store_dirty(&mut self, r: &Resident, span: Span) {
        let Some(Home::Slot(slot)) = self.chosen.homes[r.group as usize] else {
            return;
        };
        let mut k = 0;
        while k < r.temp.count {
            let run = (k..r.temp.count).take_while(|&d| r.dirty >> d & 1 == 1).count() as u32;
            if run > 0 {
                let (m, out) = (&mut self.m, &mut self.out);
                let data = r.temp.slice(k, run);
                transfer(Way::Store, data, slot + r.at + k, &self.lanes, span, m, out);
            }
            k += run.max(1);
        }
    }

    /// Stores all that is newer than its home.
    fn flush(&mut self, here: Here<'_>) {
        let mut all = std::mem::take(&mut self.resident);
        for r in &mut all {
            self.store(r, here);
            r.dirty = 0;
        }
        self.resident = all;
    }

    /// Lets go of what nobody needs any more behind an instruction, and of everything when EXEC is another.
    fn forget(&mut self, here: Here<'_>, away: &[(usize, Sub)]) {
        if self.scene.class == Class::V && here.inst.writes_exec() {
            self.resident.clear();
            return;
        }
        let last = here.at + 1 == here.end;
        let mut all = std::mem::take(&mut self.resident);
        all.retain(|r| {
            if r.leaving || !self.scene.lives_behind(r.group, here.at, last) {
                return false;
            }
            let named = away.iter().any(|a| self.scene.root[a.1.reg.0 as usize] == r.group);
            if named && self.next_access(r.group, here) == u32::MAX && !ends_block(here.inst) {
                self.store_dirty(r, here.span);
                return false;
            }
            true
        });
        self.resident = all;
    }

    /// A block that falls into the next leaves nothing in registers either.
    fn leave_block(&mut self, end: u32, span: Span) {
        for r in std::mem::take(&mut self.resident) {
            if end > 0 && self.scene.lives_behind(r.group, end - 1, true) {
                self.store_dirty(&r, span);
            }
        }
    }
}

fn ends_block(i: &MInst) -> bool {
    let unit = i.opcode().map(|o| o.row().class);
    matches!(unit, Some(Unit::Branch | Unit::End))
}
