//! Bugs of register allocation, scheduling and instruction selection, planted into machine code.

use std::collections::BTreeSet;

use t0_backend_rdna3::isa::{parse, Class, Flags, Inst, Operand, Reg, RegFile, Sop1};
use t0_backend_rdna3::target::GFX1100;

use crate::code::{source as source_line, Maker};
use crate::language::ALIKE;
use crate::paths::waits;
use crate::roots;

/// Why a mistake in a square root changes no picture, see `roots`.
const PIXELS: &str = "all whole numbers up to 2^21, more than two squares of gradients, give the same pixel";
/// How far the making of a constant is followed.
const DEPTH: u32 = 4;
/// Why the upper half of the number of a row's first element may be taken for 0.
const UPPER: &str = "the upper half of a row's first element is 0: matrices have fewer than 2^32";

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
            let why = why.or_else(|| roots::same_pixels(self.image, i, std::slice::from_ref(&wrong)).then_some(PIXELS));
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
            let swapped = [b, a];
            let Some(file) = self.image.replace_two(i, &swapped) else {
                continue;
            };
            let mask = self.needless_mask(i);
            let mask = mask.or_else(|| roots::same_pixels(self.image, i, &swapped).then_some(PIXELS));
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
        let lanes = |k: &usize| matches!(self.inst(*k).row().name, "v_and_b32" | "v_mov_b32");
        let lane = self.written(i, Reg::v(0)).iter().all(lanes);
        if line.contains("if thread::local() == 0 {") && self.inst(i).row().name == "v_cmp_eq_u32" && lane {
            return Some("v0 is here 4 * wave in lane 0 and the lane's number elsewhere: 0 in work-item 0 only");
        }
        let compares = self.inst(i).row().name;
        let in_array = compares == "v_cmp_lt_u32" && self.inst(i).operands[2] == Operand::int(64);
        let masked = self
            .written(i, Reg::v(0))
            .iter()
            .all(|k| self.inst(*k).row().name == "v_and_b32");
        if in_array && line.contains("[63 - l]") && self.one_axis() && masked {
            return Some("v0, the work-item's number, is below the 64 elements, too");
        }
        if line.contains("(v - max).exp()") && self.inst(i).to_string().contains("v_cmp_lt_f32_e64 s1, 0x42b17218") {
            return Some("v - max is never above 0, and v0, a lane's number, is next to 0 as a float");
        }
        let number = |k: &usize| {
            let name = self.inst(*k).row().name;
            matches!(name, "v_and_b32" | "v_add_nc_u32" | "v_min_u32" | "v_lshlrev_b32")
        };
        let small = self.one_axis() && self.written(i, Reg::v(0)).iter().all(number);
        let same_twice = self.inst(i).operands.get(1) == self.inst(i).operands.get(2);
        if compares == "v_cmp_u_f32" && same_twice && small {
            return Some("v0, a work-item's number, is no NaN as a float");
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
        if let Some(why) = self
            .dead(i)
            .or_else(|| self.same_constant(i))
            .or_else(|| same_sum(a, b))
        {
            return Some(why);
        }
        if let ("v_add_nc_u32", "v_min_u32", [sum, _, x], [to, _, from]) =
            (a.row().name, b.row().name, &a.operands[..], &b.operands[..])
        {
            if [x, to, from] == [sum; 3] {
                return Some("an index is not clamped to the length, which matters from 2^30 on");
            }
        }
        if let ("s_cselect_b32", [to, index, Operand::Literal(0x1_0000)]) = (a.row().name, &a.operands[..]) {
            if to == index && source_line(&self.image.spot(i)).contains("sum += parts[w];") {
                return Some("w of 0..8 is in range of the eight parts, and only past them something else is chosen");
            }
        }
        if let ("s_mov_b32", "v_min_u32", [Operand::Reg(to), ..]) = (a.row().name, b.row().name, &a.operands[..]) {
            let last = self.written(i, *to);
            if b.operands[1] == Operand::Reg(*to)
                && !last.is_empty()
                && last.iter().all(|&k| self.holds_in_all_lanes(k))
            {
                return Some(
                    "all bits are set where the length should be: no index is clamped, which matters from 2^30 on",
                );
            }
        }
        if let ("v_ldexp_f32", "v_cndmask_b32", [x, from, _], [to, kept, zero, _]) =
            (a.row().name, b.row().name, &a.operands[..], &b.operands[..])
        {
            if [from, to, kept] == [x; 3] && *zero == Operand::int(0) {
                return Some("a power of two times 0 is 0, too");
            }
        }
        // A factor is still the number of the wave in its group.
        if let ("s_mov_b32", "s_mul_hi_u32", [Operand::Reg(to), ..]) = (a.row().name, b.row().name, &a.operands[..]) {
            let last = self.written(i, *to);
            let wave = |k: &usize| self.inst(*k).row().name == "v_readfirstlane_b32";
            if !last.is_empty() && last.iter().all(wave) {
                return Some(UPPER);
            }
        }
        let overflow = a.row().name == "v_cndmask_b32" && a.operands[2] == Operand::Literal(0x7f80_0000);
        let scaled = overflow && b.row().name == "v_mul_f32";
        if scaled && source_line(&self.image.spot(i)).contains("- max).exp()") {
            return Some("v - max is never above 0, so its exponential is never infinite");
        }
        let tested = a.row().name == "s_cmp_lt_u32" && b.row().name == "s_cselect_b32";
        if tested && source_line(&self.image.spot(i)).contains(".step_by(BK)") {
            return Some("a workgroup that gets here has rows and columns, and the comparison before was true, too");
        }
        let bound = b.row().name == "s_min_u32" && b.operands.get(2) == Some(&Operand::Literal(0x3fff_ffff));
        if let ("s_mov_b32", true, Operand::Reg(length)) =
            (a.row().name, bound && a.operands[0] == b.operands[0], a.operands[0])
        {
            if !self.written(i, length).is_empty() {
                return Some("the length is not clamped, which matters from 2^30 elements on");
            }
        }
        // What is rounded up wrongly is the number of all rounds, of which never more are made than fit.
        let rounded =
            a.row().name == "s_add_u32" && a.operands[2] == Operand::int(47) && b.row().name == "s_mul_hi_u32";
        if rounded && source_line(&self.image.spot(i)).contains(".step_by(BK)") {
            return Some("the loop ends with the columns, so that what fits decides how many rounds are made");
        }
        let clamp = a.row().name == "s_min_u32" && a.operands[2] == Operand::Literal(0x3fff_ffff);
        if clamp && a.operands[0] == a.operands[1] {
            return Some("the length is not clamped, which matters from 2^30 elements on");
        }
        if let ("s_mov_b32", "s_lshl_b64", [Operand::Reg(high), _], Some(pair)) =
            (a.row().name, b.row().name, &a.operands[..], b.operands[1].reg())
        {
            let product = |r: Reg| {
                let last = self.written(i, r);
                let name = |k: &usize| self.inst(*k).row().name;
                !last.is_empty() && last.iter().all(|k| matches!(name(k), "s_mul_hi_u32" | "s_add_u32"))
            };
            // The upper half of another row is as much 0.
            let product = a.operands[1].reg().is_some_and(product) && product(*high);
            if pair.index + 1 == high.index && (product || self.constant(i, *high, DEPTH) == Some(0)) {
                return Some(UPPER);
            }
        }
        // The product of the upper half of a row's number, which is 0, comes behind the sum with the carry of the lower one.
        if let ("s_mul_i32", "s_add_u32", [Operand::Reg(product), ..], [to, x, y]) =
            (a.row().name, b.row().name, &a.operands[..], &b.operands[..])
        {
            let high = |o: &Operand| {
                let from = o.reg().map(|r| self.written(i, r)).unwrap_or_default();
                let name = |k: &usize| self.inst(*k).row().name;
                !from.is_empty() && from.iter().all(|k| matches!(name(k), "s_mul_hi_u32" | "s_add_u32"))
            };
            let sum = [to, y] == [&Operand::Reg(*product); 2] && high(x);
            if sum && self.result(i, DEPTH) == Some(0) {
                return Some(UPPER);
            }
        }
        let [Operand::Reg(to), from, mask] = b.operands[..] else {
            return None;
        };
        let high = b.row().name == "s_and_b32" && mask == Operand::Literal(0xffff) && from == Operand::Reg(to);
        let makes = a.row().name == "s_mov_b32" && a.operands[0] == from;
        // What neither the launch nor anything else has filled is seen by the static checker.
        let given = self.image.object.kernels[0].descriptor.initial_sgprs().inputs;
        let written = to.index < given || !self.written(i, to).is_empty();
        (high && makes && written).then_some("the mask is that of the upper half of an address, which has 48 bits")
    }

    /// A comparison that is true in all 64 lanes of a group: of the mirror image of a lane's number with their count.
    fn holds_in_all_lanes(&self, k: usize) -> bool {
        let image = |x: Reg| {
            let last = self.written(k, x);
            let mirror = |&k: &usize| {
                let inst = self.inst(k);
                inst.row().name == "v_sub_nc_u32" && inst.operands[1] == Operand::int(63)
            };
            !last.is_empty() && last.iter().all(mirror)
        };
        let below = match &self.inst(k).operands[..] {
            [_, Operand::Reg(x), count] => *count == Operand::int(64) && image(*x),
            _ => false,
        };
        below && self.inst(k).row().name == "v_cmp_lt_u32" && source_line(&self.image.spot(k)).contains("t[63 - l]")
    }

    /// What instruction `i + 1` makes of a stale register is overwritten before anything reads it.
    fn dead(&self, i: usize) -> Option<&'static str> {
        let (a, b) = (self.inst(i), self.inst(i + 1));
        let but_scc = |of: Vec<Reg>| of.into_iter().filter(|r| *r != Reg::SCC).collect::<Vec<_>>();
        let (reads, writes) = (but_scc(a.reads(32)), but_scc(b.writes(32)));
        let meets = |of: &[Reg]| of.iter().any(|r| writes.iter().any(|w| w.overlaps(*r)));
        let apart = !meets(&reads) && !meets(&a.writes(32)) && !a.flags().has(Flags::R_SCC);
        let scc = a.flags().has(Flags::W_SCC) || b.flags().has(Flags::W_SCC);
        let scalar = |w: &Reg| w.file == RegFile::S && !w.overlaps(Reg::EXEC);
        let plain = !b.flags().has(Flags::R_SCC) && writes.iter().all(scalar);
        let unread = writes.iter().all(|w| !self.is_read(i + 1, Some(*w))) && (!scc || !self.is_read(i + 1, None));
        (apart && plain && unread).then_some("what it makes too early is overwritten before anything reads it")
    }

    /// Whether an instruction behind `i` reads a register, or SCC, before something writes it.
    fn is_read(&self, i: usize, of: Option<Reg>) -> bool {
        let (mut seen, mut work) = (BTreeSet::new(), self.image.next(i));
        while let Some(k) = work.pop() {
            if !seen.insert(k) {
                continue;
            }
            let inst = self.inst(k);
            let (reads, writes) = match of {
                Some(r) => (
                    inst.reads(32).iter().any(|x| x.overlaps(r)),
                    inst.writes(32).iter().any(|x| covers(x, r)),
                ),
                None => {
                    let branch = inst.row().name.starts_with("s_cbranch_scc");
                    (branch || inst.flags().has(Flags::R_SCC), inst.flags().has(Flags::W_SCC))
                }
            };
            if reads {
                return true;
            }
            if !writes {
                work.extend(self.image.next(k));
            }
        }
        false
    }

    /// The stale register holds the constant that instruction `i` puts there again.
    fn same_constant(&self, i: usize) -> Option<&'static str> {
        let (a, b) = (self.inst(i), self.inst(i + 1));
        let Some(Operand::Reg(to)) = a.operands.first() else {
            return None;
        };
        let result = self.result(i, DEPTH)?;
        let apart = b
            .operands
            .first()
            .and_then(|o| o.reg())
            .is_some_and(|r| !r.overlaps(*to) && a.reads(32).iter().all(|x| !x.overlaps(r)));
        let scc = a.flags().has(Flags::W_SCC) || b.flags().has(Flags::W_SCC);
        let quiet =
            !b.flags().has(Flags::R_SCC) && !a.flags().has(Flags::R_SCC) && (!scc || !self.is_read(i + 1, None));
        let same = self.constant(i, *to, DEPTH) == Some(result);
        (apart && quiet && same).then_some("the register holds the same constant before")
    }

    /// The constant that a scalar register holds before instruction `i` on all paths.
    fn constant(&self, i: usize, r: Reg, depth: u32) -> Option<u32> {
        let last = self.written(i, r);
        let mut all = last.iter().map(|&k| match self.inst(k).operands.first() {
            Some(Operand::Reg(to)) if *to == r => self.result(k, depth.checked_sub(1)?),
            _ => None,
        });
        let first = all.next()??;
        all.all(|c| c == Some(first)).then_some(first)
    }

    /// The constant that a scalar instruction makes.
    fn result(&self, k: usize, depth: u32) -> Option<u32> {
        let value = |o: &Operand| match o {
            Operand::Literal(n) => Some(*n),
            Operand::Reg(r) if r.file == RegFile::S && r.count == 1 => self.constant(k, *r, depth),
            o => o.const_b32(),
        };
        match (self.inst(k).row().name, &self.inst(k).operands[..]) {
            ("s_mov_b32", [_, x]) => value(x),
            ("s_mul_i32", [_, x, y]) if value(x) == Some(0) || value(y) == Some(0) => Some(0),
            _ => None,
        }
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

/// Whether a register is written as a whole with `x`.
fn covers(x: &Reg, r: Reg) -> bool {
    x.file == r.file && x.index <= r.index && x.index + x.count >= r.index + r.count
}

/// Why the order of two instructions does not matter that add to, or mask, the same register.
fn same_sum(a: &Inst, b: &Inst) -> Option<&'static str> {
    let names = (a.row().name, b.row().name);
    let ([to, ..], [to_b, ..]) = (&a.operands[..], &b.operands[..]) else {
        return None;
    };
    let (x, y) = (&a.operands[1..], &b.operands[1..]);
    let once = |of: &[Operand]| of.iter().filter(|o| *o == to).count() == 1;
    if names == ("v_add_nc_u32", "v_add_nc_u32") && to == to_b && once(x) && once(y) {
        return Some("a sum whose parts come in another order");
    }
    let mask = |of: &[Operand]| match of[0] {
        Operand::Literal(n) => Some(n),
        o => o.const_b32(),
    };
    if let (("v_and_b32", "v_and_b32"), Some(first), Some(second)) = (names, mask(x), mask(y)) {
        if x[1] == *to && y[1] == *to && first & second == second {
            return Some("the second mask takes all bits away that the first does");
        }
    }
    let index = names == ("s_add_u32", "s_min_u32") && to == to_b && !once(x) && once(y);
    index.then_some("an index is not clamped to the length, which matters from 2^30 on")
}

/// The first source that is one vector register.
fn source(inst: &Inst) -> Option<usize> {
    let sources = inst.operands.iter().enumerate().skip(1);
    sources
        .filter(|(_, o)| matches!(o, Operand::Reg(r) if r.file == RegFile::V && r.count == 1))
        .map(|(k, _)| k)
        .next()
}
