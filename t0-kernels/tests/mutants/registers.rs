//! Bugs of register allocation, scheduling and instruction selection, planted into machine code.

use std::collections::BTreeSet;

use t0_backend_rdna3::isa::{parse, Class, Inst, Operand, Reg, RegFile, Sop1};
use t0_backend_rdna3::target::GFX1100;

use crate::code::{source as source_line, Maker};
use crate::language::ALIKE;
use crate::paths::waits;

/// Places of a kernel that get a bug of one class, where not all mutants are asked for.
const PLACES: usize = 6;

/// At most [`PLACES`] of a list, spread evenly, the first and the last among them; or all of them.
pub fn spread<T: Copy>(all: &[T]) -> Vec<T> {
    let n = all.len();
    if n <= PLACES || crate::asked(&["places"]) {
        return all.to_vec();
    }
    (0..PLACES).map(|k| all[k * (n - 1) / (PLACES - 1)]).collect()
}

impl Maker<'_> {
    fn places(&self, fits: impl Fn(usize, &Inst) -> bool) -> Vec<usize> {
        let all: Vec<usize> = (0..self.image.insts.len()).filter(|&i| fits(i, self.inst(i))).collect();
        spread(&all)
    }

    /// Everything of this module.
    pub fn registers(&mut self) {
        self.unallocated();
        self.first_register();
        self.groups();
        self.halves();
        self.order();
        self.masks();
        self.conditions();
        self.other_generation();
    }

    /// A register that is not the wave's: a virtual number that became a physical one.
    fn unallocated(&mut self) {
        let d = self.image.object.kernels[0].descriptor;
        let count = (d.rsrc1 & 63) * 8 + 8;
        for i in self.places(|_, inst| inst.row().class == Class::Valu && source(inst).is_some()) {
            let Some(k) = source(self.inst(i)) else { continue };
            let mut wrong = self.inst(i).clone();
            wrong.operands[k] = Operand::v(count);
            let what = format!("`{}` reads v{count} of {count}", wrong.row().name);
            if let Some(m) = self.plant("register not allocated", i, what, &[wrong]) {
                m.rules = &["vgpr-count"];
                m.suffers = m.planted.iter().cloned().collect();
            }
        }
    }

    /// The work-item's number for a value: a copy whose source was lost.
    fn first_register(&mut self) {
        for i in self.places(|_, inst| {
            inst.row().class == Class::Valu && source(inst).is_some_and(|k| inst.operands[k] != Operand::v(0))
        }) {
            let Some(k) = source(self.inst(i)) else { continue };
            let mut wrong = self.inst(i).clone();
            wrong.operands[k] = Operand::v(0);
            let what = format!("`{}` reads v0", self.inst(i));
            let right = self.inst(i).operands[k].reg();
            let why = right.and_then(|r| self.as_good(i, r));
            if let Some(m) = self.plant("reads v0", i, what, &[wrong]) {
                m.equivalent = why.map(Into::into);
            }
        }
    }

    /// Groups of eight registers: one register further, the wrong ones, those of the result before.
    fn groups(&mut self) {
        let wmma = |_: usize, inst: &Inst| inst.row().class == Class::Wmma;
        for i in self.places(wmma) {
            let mut shifted = self.inst(i).clone();
            if let Operand::Reg(r) = &mut shifted.operands[1] {
                r.index += 1;
            }
            let what = "A begins one register late".to_string();
            self.plant("register group of WMMA", i, what, &[shifted]);
            let mut swapped = self.inst(i).clone();
            swapped.operands.swap(1, 2);
            self.plant("register group of WMMA", i, "A and B swapped".into(), &[swapped]);
        }
        for i in self.places(|i, inst| wmma(i, inst) && i > 0 && wmma(i - 1, self.inst(i - 1))) {
            let mut chained = self.inst(i).clone();
            chained.operands[1] = self.inst(i - 1).operands[0];
            let what = "A is the result of the WMMA before".to_string();
            if let Some(m) = self.plant("WMMA on a fresh result", i, what, &[chained]) {
                m.rules = &["wmma-after-d"];
                m.suffers = m.planted.iter().cloned().collect();
            }
        }
    }

    /// Lanes 16 to 31 of a fragment hold other rows than lanes 0 to 15.
    fn halves(&mut self) {
        let low = |inst: &Inst| inst.row().name == "v_and_b32" && inst.operands[1] == Operand::int(15);
        for i in self.places(|_, inst| low(inst)) {
            let mut all = self.inst(i).clone();
            all.operands[1] = Operand::int(31);
            let what = "lane & 31 for lane & 15".to_string();
            self.plant("fragment layout", i, what, &[all]);
        }
    }

    /// A consumer before its producer.
    fn order(&mut self) {
        let plain = |inst: &Inst| matches!(inst.row().class, Class::Valu | Class::Salu);
        let feeds = |a: &Inst, b: &Inst| {
            let written = a.writes(32);
            b.reads(32).iter().any(|r| written.iter().any(|w| w.overlaps(*r)))
        };
        let pairs = self.places(|i, a| {
            let next = self.image.insts.get(i + 1).map(|n| &n.inst);
            plain(a) && next.is_some_and(|b| plain(b) && feeds(a, b))
        });
        for i in pairs {
            let (a, b) = (self.inst(i).clone(), self.inst(i + 1).clone());
            let what = format!("`{b}` before `{a}`");
            let Some(file) = self.image.replace_two(i, &[b, a]) else {
                continue;
            };
            let mask = self.needless_mask(i);
            let planted = Some(self.image.spot(i));
            if let Some(m) = self.push("scheduled too early", what, planted, file) {
                m.equivalent = mask.map(Into::into);
            }
        }
    }

    /// The mask of a condition is not applied.
    fn masks(&mut self) {
        for i in self.places(|_, inst| inst.row().name == "s_and_saveexec_b32") {
            let old = self.inst(i).operands[0];
            let kept = Inst::new(Sop1::s_mov_b32, vec![old, Operand::Reg(Reg::EXEC)]);
            let alike = source_line(&self.image.spot(i)).contains(ALIKE);
            if let Some(m) = self.plant("condition ignored", i, "all lanes stay active".into(), &[kept]) {
                m.equivalent = alike.then(|| "all lanes store the same value in the same place".into());
            }
        }
    }

    /// SCC is not what it should be: the worst an instruction between can do is to leave the opposite.
    fn conditions(&mut self) {
        let opposite = [("_lt_", "_ge_"), ("_le_", "_gt_"), ("_eq_", "_lg_")];
        for i in self.places(|_, inst| inst.row().name.starts_with("s_cmp_")) {
            let text = self.inst(i).to_string();
            let pair = opposite.iter().find(|(a, b)| text.contains(a) || text.contains(b));
            let Some((a, b)) = pair else { continue };
            let (from, to) = if text.contains(a) { (a, b) } else { (b, a) };
            let Ok(wrong) = parse(&text.replacen(from, to, 1), &GFX1100) else {
                continue;
            };
            self.plant("stale SCC", i, format!("SCC is the opposite of `{text}`"), &[wrong]);
        }
    }

    /// Why v0 does as well as a register at an instruction: on all paths the register is v0 & 0x3ff, of a kernel whose v0 is a
    /// number below 1024 (groups of one axis, nothing wrote v0 since); or v0, not above a length.
    fn as_good(&self, i: usize, r: Reg) -> Option<&'static str> {
        let from_v0 = |k: usize| {
            let inst = self.inst(k);
            inst.operands.last() == Some(&Operand::v(0)) && self.written(k, Reg::v(0)) == self.written(i, Reg::v(0))
        };
        let last = self.written(i, r);
        let clamps = |k: &usize| self.inst(*k).row().name == "v_min_u32" && from_v0(*k);
        if !last.is_empty() && last.iter().all(clamps) {
            return Some("past a length all indices up to 2^30 read 0, and there are fewer work-items");
        }
        let line = source_line(&self.image.spot(i));
        if line.contains("if thread::local() == 0 {") && self.inst(i).row().name == "v_cmp_eq_u32" {
            return Some("v0 is here 4 * wave in lane 0 and the lane's number elsewhere: 0 in work-item 0 only");
        }
        self.is_number(i, r)
            .then_some("what it should read is v0 & 0x3ff, and v0 has no more bits")
    }

    fn is_number(&self, i: usize, r: Reg) -> bool {
        let masks = |k: usize| match &self.inst(k).operands[..] {
            [_, Operand::Literal(0x3ff), Operand::Reg(from)] => {
                self.inst(k).row().name == "v_and_b32" && *from == Reg::v(0) && self.written(k, *from).is_empty()
            }
            _ => false,
        };
        let last = self.written(i, r);
        self.one_axis() && !last.is_empty() && last.iter().all(|&k| masks(k)) && self.written(i, Reg::v(0)).is_empty()
    }

    /// v0 is only the work-item's x: COMPUTE_PGM_RSRC2 12:11.
    fn one_axis(&self) -> bool {
        self.image.object.kernels[0].descriptor.rsrc2 >> 11 & 3 == 0
    }

    /// The instructions that may have written a register last before instruction `i`, on any path from the entry.
    fn written(&self, i: usize, r: Reg) -> BTreeSet<usize> {
        let before = |i: usize| (0..self.image.insts.len()).filter(move |&k| self.image.next(k).contains(&i));
        let (mut found, mut seen) = (BTreeSet::new(), BTreeSet::new());
        let mut work: Vec<usize> = before(i).collect();
        while let Some(k) = work.pop() {
            if !seen.insert(k) {
                continue;
            }
            if self.inst(k).writes(32).iter().any(|w| w.overlaps(r)) {
                found.insert(k);
            } else {
                work.extend(before(k));
            }
        }
        found
    }

    /// Why it does not matter that instruction `i + 1` comes before `i`, one of which masks.
    fn needless_mask(&self, i: usize) -> Option<&'static str> {
        let (a, b) = (self.inst(i), self.inst(i + 1));
        let own = a.operands[0] == Operand::v(0) && a.operands.get(2) == Some(&Operand::v(0));
        let number = a.row().name == "v_and_b32" && a.operands[1] == Operand::Literal(0x3ff) && own;
        if number && self.one_axis() && self.written(i, Reg::v(0)).is_empty() {
            return Some("v0 has no more bits than the mask");
        }
        let line = source_line(&self.image.spot(i));
        if line.contains("r.max(1) - 1") && b.row().name == "s_cselect_b32" && a.row().name == "s_cmp_lt_u32" {
            return Some("SCC is 1 before, the carry of r.max(1) - 1, and after: that row always exists");
        }
        if let ("v_add_nc_u32", "v_min_u32", [sum, _, x], [to, _, from]) =
            (a.row().name, b.row().name, &a.operands[..], &b.operands[..])
        {
            if [x, to, from] == [sum; 3] {
                return Some("an index is not clamped to the length, which matters from 2^30 on");
            }
        }
        let clamp = a.row().name == "s_min_u32" && a.operands[2] == Operand::Literal(0x3fff_ffff);
        if clamp && a.operands[0] == a.operands[1] {
            return Some("the length is not clamped, which matters from 2^30 elements on");
        }
        if let ("s_mov_b32", "s_lshl_b64", [Operand::Reg(high), _], Some(pair)) =
            (a.row().name, b.row().name, &a.operands[..], b.operands[1].reg())
        {
            let zero = |k: &usize| self.inst(*k).operands[..] == [Operand::Reg(*high), Operand::int(0)];
            let last = self.written(i, *high);
            if pair.index + 1 == high.index && !last.is_empty() && last.iter().all(zero) {
                return Some("the upper half of a row's first element is 0: matrices have fewer than 2^32");
            }
        }
        let [Operand::Reg(to), from, mask] = b.operands[..] else {
            return None;
        };
        let high = b.row().name == "s_and_b32" && mask == Operand::Literal(0xffff) && from == Operand::Reg(to);
        let copies = a.row().name == "s_mov_b32" && a.operands[0] == from;
        (high && copies).then_some("the mask is that of the upper half of an address, which has 48 bits")
    }

    /// Wait immediates as GFX9 has them: vmcnt in bits 3:0 and 15:14, expcnt in 6:4, lgkmcnt in 11:8.
    fn other_generation(&mut self) {
        for i in self.places(|_, inst| waits(inst)[0].is_some()) {
            let [Some(vm), Some(lgkm), _] = waits(self.inst(i)) else {
                continue;
            };
            let (vm, lgkm) = (vm as i64, lgkm.min(15) as i64);
            let imm = vm & 15 | vm >> 4 << 14 | 7 << 4 | lgkm << 8;
            let mut gfx9 = self.inst(i).clone();
            for o in &mut gfx9.operands {
                if let Operand::Imm(value) = o {
                    *value = imm;
                }
            }
            self.wait(
                i,
                "wait of another generation",
                format!("{imm:#x} for vmcnt({vm}) lgkmcnt({lgkm})"),
                gfx9,
            );
        }
    }
}

/// The first source that is one vector register.
fn source(inst: &Inst) -> Option<usize> {
    let sources = inst.operands.iter().enumerate().skip(1);
    sources
        .filter(|(_, o)| matches!(o, Operand::Reg(r) if r.file == RegFile::V && r.count == 1))
        .map(|(k, _)| k)
        .next()
}
