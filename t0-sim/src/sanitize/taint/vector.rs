//! Undefined bits through the vector ALU.
//!
//! An instruction that is not named here makes every bit of its results depend on every bit of its operands in the same
//! lane. Named are those that move, mask, shift, pack or add bits, and those that cross lanes.

use t0_backend_rdna3::isa::{
    Class, Field, Flags, Kind, Opcode, OperandSpec, Role, Ty, Vop1, Vop2, Vop3, Vop3p, Vop3sd,
};

use super::bits::{any, comparison, ones, perm, up, Bits};
use super::{wmma, Born, Name, Shade, Taint};
use crate::exec::{dpp_row, scalar32, scalar64};
use crate::mem::lanes_of;
use crate::program::{Dpp, Dst, Instr, Passes, Src};
use crate::wave::{Row, Wave, EXEC, LANES, M0, VCC};

/// Undefined bits of a vector result.
struct Out {
    half: usize,
    mask: u32,
    reg: usize,
    /// Bits that are written, of one register or two.
    field: u64,
    shade: Box<Shade>,
}

/// Undefined bits of a lane mask, of one pass.
struct Mask {
    half: usize,
    /// The register; `None` is EXEC.
    reg: Option<usize>,
    bits: u32,
    born: Born,
}

/// What an instruction writes; put down when all its sources have been read.
#[derive(Default)]
struct Outs {
    rows: Vec<Out>,
    masks: Vec<Mask>,
}

/// A source operand in one pass.
struct Source {
    value: [u64; LANES],
    shade: Shade,
}

impl Source {
    fn bits(&self, l: usize) -> Bits {
        Bits::new(self.value[l], self.shade.bits[l])
    }
}

/// One pass of an instruction (or of half a pair).
struct Pass<'a> {
    t: &'a Taint,
    w: &'a Wave,
    i: &'a Instr,
    half: usize,
    /// Lanes that are written.
    mask: u32,
}

pub(super) fn flow(t: &mut Taint, w: &mut Wave, i: &Instr) {
    let mut outs = Outs::default();
    if i.class == Class::Wmma {
        return wmma::flow(t, w, i);
    }
    let relative = i.flags.has(Flags::R_M0);
    if relative && t.s[M0] != 0 {
        t.report("the number of a register", Some(Name::s(M0)), None, t.s_born[M0]);
    }
    if i.passes == Passes::One {
        return whole(t, w, i);
    }
    for half in 0..w.lanes() as usize / LANES {
        w.set_half(half);
        match i.pair.as_deref() {
            Some(p) => [&p.first, &p.second]
                .into_iter()
                .for_each(|i| pass(t, w, i, half, &mut outs)),
            None => pass(t, w, i, half, &mut outs),
        }
    }
    w.set_half(0);
    put(t, outs);
}

fn put(t: &mut Taint, outs: Outs) {
    for o in outs.rows {
        for l in lanes_of(o.mask) {
            let (bits, born) = (o.shade.bits[l], o.shade.born[l]);
            for k in 0..2 {
                let field = (o.field >> (32 * k)) as u32;
                if field != 0 {
                    t.set_lane(o.half, o.reg + k, l, field, (bits >> (32 * k)) as u32, born);
                }
            }
        }
    }
    for m in outs.masks {
        match m.reg {
            Some(r) => t.set_s(r + m.half, m.bits, m.born),
            None if m.bits != 0 => {
                let lane = m.bits.trailing_zeros() as usize + LANES * m.half;
                t.report(
                    "the mask of active lanes",
                    Some(Name::s(EXEC + m.half)),
                    Some(lane),
                    m.born,
                );
            }
            None => {}
        }
    }
}

fn pass(t: &Taint, w: &Wave, i: &Instr, half: usize, outs: &mut Outs) {
    let mut mask = w.exec();
    if i.dpp != Dpp::Off {
        mask &= dpp_row(i.dpp, &[0; LANES], mask, half).1;
    }
    let p = Pass { t, w, i, half, mask };
    match i.op {
        Opcode::Vopc(_) => p.compare(outs),
        Opcode::Vop1(op) => p.vop1(op, outs),
        Opcode::Vop2(op) => p.vop2(op, outs),
        Opcode::Vop3(op) => p.vop3(op, outs),
        Opcode::Vop3p(op) => p.vop3p(op, outs),
        Opcode::Vop3sd(op) => p.vop3sd(op, outs),
        _ => p.mix(outs),
    }
}

impl Pass<'_> {
    /// Source `k` as `width` bits; of 16 bits the half `shift` says.
    fn source(&self, k: usize, width: u32, shift: u32) -> Source {
        let mut s = self.raw(self.i.src[k], width);
        if k == 0 && self.i.dpp != Dpp::Off {
            self.move_lanes(&mut s);
        }
        if matches!(self.i.src[k], Src::K(_)) && width == 16 {
            return s;
        }
        for l in 0..LANES {
            s.value[l] = s.value[l] >> shift & ones(width);
            s.shade.bits[l] = s.shade.bits[l] >> shift & ones(width);
        }
        s
    }

    /// The registers of an operand.
    fn raw(&self, src: Src, width: u32) -> Source {
        let mut s = Source {
            value: [0; LANES],
            shade: Shade::CLEAN,
        };
        match src {
            Src::V(r) => {
                let r = usize::from(r);
                for k in 0..width.div_ceil(32).max(1) as usize {
                    let Some(row) = self.w.v_get(r + k) else { break };
                    for (l, &v) in row.iter().enumerate() {
                        let (bits, born) = self.t.lane(self.half, r + k, l);
                        // Of more than two registers only whether any bit is undefined.
                        let at = 32 * (k % 2);
                        s.value[l] |= u64::from(v) << at;
                        s.shade.bits[l] |= u64::from(bits) << at;
                        if bits != 0 {
                            s.shade.born[l] = born;
                        }
                    }
                }
            }
            other => {
                let (value, (bits, born)) = match width {
                    64 => (scalar64(self.w, other), self.t.scalar64(self.w, other)),
                    _ => {
                        let (b, born) = self.t.scalar32(self.w, other);
                        (scalar32(self.w, other).into(), (b.into(), born))
                    }
                };
                s.value = [value; LANES];
                s.shade = Shade {
                    bits: [bits; LANES],
                    born: [born; LANES],
                };
            }
        }
        s
    }

    fn move_lanes(&self, s: &mut Source) {
        let exec = self.w.exec();
        let row = |f: &dyn Fn(usize) -> u32| {
            let r: Row = std::array::from_fn(f);
            dpp_row(self.i.dpp, &r, exec, self.half).0
        };
        let from = row(&|l| l as u32);
        let (value, bits) = (row(&|l| s.value[l] as u32), row(&|l| s.shade.bits[l] as u32));
        let born = s.shade.born;
        for l in 0..LANES {
            (s.value[l], s.shade.bits[l]) = (value[l].into(), bits[l].into());
            s.shade.born[l] = born[from[l] as usize & 31];
        }
    }

    /// A lane mask: one bit for each lane.
    fn mask_source(&self, src: Src) -> Source {
        let (bits, (t, born)) = match src {
            Src::S(r) => {
                let r = usize::from(r) + self.half;
                (self.w.sgpr[r & 127], (self.t.s[r & 127], self.t.s_born[r & 127]))
            }
            other => ((scalar64(self.w, other) >> (32 * self.half)) as u32, (0, Born::NONE)),
        };
        Source {
            value: std::array::from_fn(|l| u64::from(bits >> l & 1)),
            shade: Shade {
                bits: std::array::from_fn(|l| u64::from(t >> l & 1)),
                born: [born; LANES],
            },
        }
    }

    /// Operands that are no immediates, with their sources.
    fn sources(&self) -> Vec<Source> {
        let mut k = 0;
        let mut all = Vec::with_capacity(4);
        for spec in self.i.op.row().operands {
            if matches!(spec.kind, Kind::Imm(_)) {
                continue;
            }
            if spec.role == Role::DstSrc && spec.field != Field::Src0 {
                all.push(self.old(spec));
                continue;
            }
            if spec.is_dst() && spec.field != Field::Src0 {
                continue;
            }
            if spec.is_dst() || spec.is_src() {
                all.push(self.typed(k, spec));
                k += 1;
            }
        }
        if self.i.flags.has(Flags::R_VCC) {
            all.push(self.mask_source(Src::S(VCC as u16)));
        }
        all
    }

    fn typed(&self, k: usize, spec: &OperandSpec) -> Source {
        match (spec.ty, spec.half_bit()) {
            (Ty::Mask, _) => self.mask_source(self.i.src[k]),
            (_, Some(bit)) => self.source(k, 16, 16 * (self.i.mods.op_sel >> bit & 1)),
            (ty, None) => self.source(k, ty.bits().max(32), 0),
        }
    }

    /// An accumulator.
    fn old(&self, spec: &OperandSpec) -> Source {
        let Dst::V(r) = self.i.dst[0] else {
            return self.raw(Src::None, 32);
        };
        let mut s = self.raw(Src::V(r), spec.ty.bits().max(32));
        if let Some(bit) = spec.half_bit() {
            let shift = 16 * (self.i.mods.op_sel >> bit & 1);
            s.shade.bits.iter_mut().for_each(|b| *b = *b >> shift & 0xffff);
        }
        s
    }

    /// Writes the vector result: undefined bits of each lane, as many as the destination has.
    fn out(&self, outs: &mut Outs, sources: &[&Source], width: u32, f: impl Fn(usize) -> u64) {
        let Dst::V(r) = self.i.dst[0] else { return };
        let shift = if width == 16 {
            16 * (self.i.mods.op_sel >> 3 & 1)
        } else {
            0
        };
        self.out_at(outs, sources, r.into(), (width, shift), f);
    }

    fn out_at(
        &self,
        outs: &mut Outs,
        sources: &[&Source],
        reg: usize,
        (width, shift): (u32, u32),
        f: impl Fn(usize) -> u64,
    ) {
        let mut shade = Box::new(Shade::CLEAN);
        let moved = moves(self.i.op);
        for l in lanes_of(self.mask) {
            shade.bits[l] = (f(l) & ones(width)) << shift;
            if shade.bits[l] != 0 {
                let from = born(sources, l);
                shade.born[l] = if moved { from } else { from.computed() };
            }
        }
        outs.rows.push(Out {
            half: self.half,
            mask: self.mask,
            reg,
            field: ones(width) << shift,
            shade,
        });
    }

    /// Writes a lane mask: a lane's bit is undefined where `f` says so.
    fn out_mask(&self, outs: &mut Outs, reg: Option<usize>, sources: &[&Source], f: impl Fn(usize) -> bool) {
        let bits = lanes_of(self.mask).filter(|&l| f(l)).fold(0, |m, l| m | 1 << l);
        let first = lanes_of(bits).next();
        outs.masks.push(Mask {
            half: self.half,
            reg,
            bits,
            // What is told from a value is not the value: nobody copies a structure so.
            born: first.map_or(Born::NONE, |l| born(sources, l).computed()),
        });
    }

    /// Every bit of the results depends on every bit of the sources.
    fn mix(&self, outs: &mut Outs) {
        let sources = self.sources();
        let refs: Vec<&Source> = sources.iter().collect();
        let dirty = |l: usize| sources.iter().fold(0, |m, s| m | s.shade.bits[l]);
        let mut dsts = self.i.dst.into_iter();
        for spec in self.i.op.row().operands.iter().filter(|s| s.is_dst()) {
            match dsts.next() {
                Some(Dst::V(r)) => {
                    let width = if spec.half_bit().is_some() {
                        16
                    } else {
                        spec.ty.bits().max(32)
                    };
                    let shift = if width == 16 {
                        16 * (self.i.mods.op_sel >> 3 & 1)
                    } else {
                        0
                    };
                    for k in 0..width.div_ceil(64) {
                        let part = (width - 64 * k).min(64);
                        let reg = usize::from(r) + 2 * k as usize;
                        self.out_at(outs, &refs, reg, (part, shift), |l| any(dirty(l), 64).t);
                    }
                }
                Some(Dst::S(r)) => self.out_mask(outs, Some(r.into()), &refs, |l| dirty(l) != 0),
                _ => {}
            }
        }
    }

    fn compare(&self, outs: &mut Outs) {
        let name = self.i.op.row().name;
        let sources = self.sources();
        let refs: Vec<&Source> = sources.iter().collect();
        let constant = ["v_cmp_t_", "v_cmp_f_", "v_cmpx_t_", "v_cmpx_f_"]
            .iter()
            .any(|p| name.starts_with(p));
        let integers = comparison(name).filter(|_| sources.len() > 1);
        let reg = match self.i.dst[0] {
            Dst::S(r) => Some(usize::from(r)),
            _ if self.i.flags.has(Flags::W_EXEC) => None,
            _ => return,
        };
        self.out_mask(outs, reg, &refs, |l| {
            let dirty = sources.iter().any(|s| s.shade.bits[l] != 0);
            let told = |(op, width, signed)| sources[0].bits(l).told(op, sources[1].bits(l), width, signed);
            // An integer is equal to itself.
            let same = integers.is_some() && self.same_twice();
            dirty && !constant && !same && !integers.is_some_and(told)
        });
    }

    /// An operation on the first `n` sources in their operands' widths.
    fn op(&self, outs: &mut Outs, f: impl Fn(&[Bits]) -> Bits) {
        let sources = self.sources();
        let refs: Vec<&Source> = sources.iter().collect();
        let Some(dst) = self.i.op.row().operands.iter().find(|s| s.is_dst()) else {
            return;
        };
        let width = if dst.half_bit().is_some() {
            16
        } else {
            dst.ty.bits().max(32)
        };
        self.out(outs, &refs, width, |l| f(&values(&sources, l)).t);
    }

    /// Both halves separately from those the modifiers choose.
    fn packed(&self, outs: &mut Outs, n: usize, f: impl Fn(&[Bits]) -> Bits) {
        let m = &self.i.mods;
        let half =
            |select: u32| -> Vec<Source> { (0..n).map(|k| self.source_bits(k, 16 * (select >> k & 1))).collect() };
        let (mut lo, mut hi) = (half(m.op_sel), half(m.op_sel_hi));
        if self.i.op == Opcode::Vop2(Vop2::v_pk_fmac_f16) {
            // Natural form: the halves are in their places, and the accumulator is read.
            (lo, hi) = (self.halves(0), self.halves(16));
        }
        let refs: Vec<&Source> = lo.iter().chain(&hi).collect();
        self.out(outs, &refs, 32, |l| {
            let of = |half: &[Source]| f(&values(half, l)).t & 0xffff;
            of(&lo) | of(&hi) << 16
        });
    }

    fn halves(&self, shift: u32) -> Vec<Source> {
        let cut = |mut s: Source| {
            s.shade.bits.iter_mut().for_each(|b| *b = *b >> shift & 0xffff);
            s
        };
        let old = match self.i.dst[0] {
            Dst::V(r) => Src::V(r),
            _ => Src::None,
        };
        vec![
            cut(self.source(0, 32, 0)),
            cut(self.source(1, 32, 0)),
            cut(self.raw(old, 32)),
        ]
    }

    /// 16 bits of a packed source.
    fn source_bits(&self, k: usize, shift: u32) -> Source {
        let mut s = self.source(k, 32, 0);
        for l in 0..LANES {
            s.value[l] = s.value[l] >> shift & 0xffff;
            s.shade.bits[l] = s.shade.bits[l] >> shift & 0xffff;
        }
        s
    }

    /// The same register twice, unchanged on the way.
    fn same_twice(&self) -> bool {
        let registers = matches!(self.i.src[0], Src::V(_) | Src::S(_));
        let m = &self.i.mods;
        registers && self.i.src[0] == self.i.src[1] && self.i.plain && matches!(m.op_sel & 3, 0 | 3)
    }

    fn vop1(&self, op: Vop1, outs: &mut Outs) {
        use Vop1::*;
        match op {
            v_nop | v_pipeflush => {}
            v_mov_b32 | v_mov_b16 | v_not_b32 | v_not_b16 | v_cvt_u32_u16 => self.op(outs, |s| s[0]),
            v_cvt_i32_i16 => self.op(outs, |s| Bits::new(0, s[0].t as i16 as u32 as u64)),
            v_bfrev_b32 => self.op(outs, |s| Bits::new(0, (s[0].t as u32).reverse_bits().into())),
            v_cvt_f32_ubyte0 => self.op(outs, |s| any(s[0].t & 0xff, 32)),
            v_cvt_f32_ubyte1 => self.op(outs, |s| any(s[0].t & 0xff00, 32)),
            v_cvt_f32_ubyte2 => self.op(outs, |s| any(s[0].t & 0xff_0000, 32)),
            v_cvt_f32_ubyte3 => self.op(outs, |s| any(s[0].t & 0xff00_0000, 32)),
            v_cvt_off_f32_i4 => self.op(outs, |s| any(s[0].t & 15, 32)),
            v_movrels_b32 | v_movreld_b32 | v_movrelsd_b32 | v_movrelsd_2_b32 => self.move_relative(op, outs),
            v_swap_b32 => self.swap(0, 0, outs),
            v_swaprel_b32 => {
                let m0 = self.w.sgpr[M0];
                self.swap((m0 >> 16 & 0x3ff) as usize, (m0 & 0x3ff) as usize, outs);
            }
            _ => self.mix(outs),
        }
    }

    fn move_relative(&self, op: Vop1, outs: &mut Outs) {
        use Vop1::*;
        let m0 = self.w.sgpr[M0] as usize;
        let (to, from) = match op {
            v_movrels_b32 => (0, m0),
            v_movreld_b32 => (m0, 0),
            v_movrelsd_b32 => (m0, m0),
            _ => (m0 >> 16 & 0x3ff, m0 & 0x3ff),
        };
        let source = match self.i.src[0] {
            Src::V(r) => self.raw(Src::V((usize::from(r) + from).min(256) as u16), 32),
            other => self.raw(other, 32),
        };
        if let Dst::V(d) = self.i.dst[0] {
            self.out_at(outs, &[&source], usize::from(d) + to, (32, 0), |l| source.shade.bits[l]);
        }
    }

    fn swap(&self, to: usize, from: usize, outs: &mut Outs) {
        let (Dst::V(d), Src::V(s)) = (self.i.dst[0], self.i.src[0]) else {
            return;
        };
        let (d, s) = (usize::from(d) + to, usize::from(s) + from);
        let (a, b) = (
            self.raw(Src::V(d.min(256) as u16), 32),
            self.raw(Src::V(s.min(256) as u16), 32),
        );
        self.out_at(outs, &[&b], d, (32, 0), |l| b.shade.bits[l]);
        self.out_at(outs, &[&a], s, (32, 0), |l| a.shade.bits[l]);
    }

    fn vop2(&self, op: Vop2, outs: &mut Outs) {
        use Vop2::*;
        match op {
            v_xor_b32 | v_xnor_b32 | v_sub_nc_u32 | v_subrev_nc_u32 if self.same_twice() => {
                self.op(outs, |_| Bits::known(0))
            }
            v_cndmask_b32 => self.op(outs, |s| Bits::select(s[2], s[1], s[0])),
            v_and_b32 => self.op(outs, |s| s[0].and(s[1])),
            v_or_b32 => self.op(outs, |s| s[0].or(s[1])),
            v_xor_b32 | v_xnor_b32 => self.op(outs, |s| s[0].xor(s[1])),
            v_lshlrev_b32 => self.op(outs, |s| s[1].shl(s[0], 32)),
            v_lshrrev_b32 => self.op(outs, |s| s[1].shr(s[0], 32)),
            v_ashrrev_i32 => self.op(outs, |s| s[1].sar(s[0], 32)),
            v_add_nc_u32 if !self.i.mods.clamp => self.op(outs, |s| s[0].add(s[1], 32)),
            v_sub_nc_u32 if !self.i.mods.clamp => self.op(outs, |s| s[0].sub(s[1], 32)),
            v_subrev_nc_u32 if !self.i.mods.clamp => self.op(outs, |s| s[1].sub(s[0], 32)),
            v_mul_u32_u24 | v_mul_i32_i24 if !self.i.mods.clamp => {
                self.op(outs, |s| up(s[0].cut(24).mul(s[1].cut(24), 32).t, 32))
            }
            v_mul_dx9_zero_f32 => self.op(outs, |s| {
                // Either zero is one.
                let size = |x: Bits| Bits::new(x.v & 0x7fff_ffff, x.t);
                size(s[0]).unless_zero(size(s[1]), 32)
            }),
            v_min_u32 => self.op(outs, |s| s[0].extreme(s[1], false, 32, false)),
            v_max_u32 => self.op(outs, |s| s[0].extreme(s[1], true, 32, false)),
            v_min_i32 => self.op(outs, |s| s[0].extreme(s[1], false, 32, true)),
            v_max_i32 => self.op(outs, |s| s[0].extreme(s[1], true, 32, true)),
            v_add_co_ci_u32 => self.carry(outs, 32, |s| s[0].add_carry(s[1], s[2], 32)),
            v_sub_co_ci_u32 => self.carry(outs, 32, |s| s[0].sub_borrow(s[1], s[2], 32)),
            v_subrev_co_ci_u32 => self.carry(outs, 32, |s| s[1].sub_borrow(s[0], s[2], 32)),
            v_cvt_pk_rtz_f16_f32 => self.pack(outs),
            v_pk_fmac_f16 => self.packed(outs, 3, |s| any(s[0].t | s[1].t | s[2].t, 16)),
            _ => self.mix(outs),
        }
    }

    /// Any of source 0 makes the low half, any of source 1 the high one.
    fn pack(&self, outs: &mut Outs) {
        self.op(outs, |s| Bits::new(0, any(s[0].t, 16).t | any(s[1].t, 16).t << 16));
    }

    /// A sum with a carry out: a mask. `f` says whether the carry is undefined.
    fn carry(&self, outs: &mut Outs, width: u32, f: impl Fn(&[Bits]) -> (Bits, bool)) {
        let sources = self.sources();
        let refs: Vec<&Source> = sources.iter().collect();
        let of = |l: usize| f(&values(&sources, l));
        self.out(outs, &refs, width, |l| of(l).0.t);
        if let Dst::S(r) = self.i.dst[1] {
            self.out_mask(outs, Some(r.into()), &refs, |l| of(l).1);
        }
    }

    fn vop3sd(&self, op: Vop3sd, outs: &mut Outs) {
        use Vop3sd::*;
        let none = Bits::known(0);
        match op {
            v_sub_co_u32 | v_subrev_co_u32 if self.same_twice() => self.carry(outs, 32, |_| (none, false)),
            _ if self.i.mods.clamp => self.mix(outs),
            v_add_co_u32 => self.carry(outs, 32, |s| s[0].add_carry(s[1], none, 32)),
            v_sub_co_u32 => self.carry(outs, 32, |s| s[0].sub_borrow(s[1], none, 32)),
            v_subrev_co_u32 => self.carry(outs, 32, |s| s[1].sub_borrow(s[0], none, 32)),
            v_mad_u64_u32 => self.carry(outs, 64, |s| s[0].mul(s[1], 64).add_carry(s[2], none, 64)),
            _ => self.mix(outs),
        }
    }

    fn vop3(&self, op: Vop3, outs: &mut Outs) {
        use Vop3::*;
        let clamp = self.i.mods.clamp;
        match op {
            v_and_b16 => self.op(outs, |s| s[0].and(s[1])),
            v_or_b16 => self.op(outs, |s| s[0].or(s[1])),
            v_xor_b16 | v_sub_nc_u16 | v_sub_nc_i16 | v_sub_nc_i32 if self.same_twice() => {
                self.op(outs, |_| Bits::known(0))
            }
            v_xor_b16 => self.op(outs, |s| s[0].xor(s[1])),
            v_lshlrev_b16 => self.op(outs, |s| s[1].shl(s[0], 16)),
            v_lshrrev_b16 => self.op(outs, |s| s[1].shr(s[0], 16)),
            v_ashrrev_i16 => self.op(outs, |s| s[1].sar(s[0], 16)),
            v_lshlrev_b64 => self.op(outs, |s| s[1].shl(s[0], 64)),
            v_lshrrev_b64 => self.op(outs, |s| s[1].shr(s[0], 64)),
            v_ashrrev_i64 => self.op(outs, |s| s[1].sar(s[0], 64)),
            v_cndmask_b16 => self.op(outs, |s| Bits::select(s[2], s[1], s[0])),
            v_add_nc_u16 | v_sub_nc_u16 | v_add_nc_i16 | v_sub_nc_i16 | v_mul_lo_u16 | v_mad_u16 | v_mad_i16
                if !clamp =>
            {
                self.op(outs, |s| up(s[0].t | s[1].t | s[2].t, 16))
            }
            v_add_nc_i32 if !clamp => self.op(outs, |s| s[0].add(s[1], 32)),
            v_sub_nc_i32 if !clamp => self.op(outs, |s| s[0].sub(s[1], 32)),
            v_add3_u32 => self.op(outs, |s| s[0].add(s[1], 32).add(s[2], 32)),
            v_mul_lo_u32 => self.op(outs, |s| s[0].mul(s[1], 32)),
            v_mul_hi_u32 | v_mul_hi_i32 => self.op(outs, |s| s[0].unless_zero(s[1], 32)),
            v_mad_u32_u16 | v_mad_i32_i16 if !clamp => {
                self.op(outs, |s| up(s[0].cut(16).mul(s[1].cut(16), 32).t | s[2].t, 32))
            }
            v_mad_u32_u24 | v_mad_i32_i24 if !clamp => {
                self.op(outs, |s| up(s[0].cut(24).mul(s[1].cut(24), 32).t | s[2].t, 32))
            }
            v_bfe_u32 => self.op(outs, |s| s[0].field(s[1], s[2].and(Bits::known(31)), 32, false)),
            v_bfe_i32 => self.op(outs, |s| s[0].field(s[1], s[2].and(Bits::known(31)), 32, true)),
            v_bfi_b32 => self.op(outs, |s| s[0].and(s[1]).or(s[0].not().and(s[2]))),
            v_alignbit_b32 => self.op(outs, |s| both(s).shr(s[2].and(Bits::known(31)), 64)),
            v_alignbyte_b32 => self.op(outs, |s| {
                both(s).shr(s[2].and(Bits::known(3)).shl(Bits::known(3), 64), 64)
            }),
            v_perm_b32 => self.op(outs, |s| perm(s[0], s[1], s[2])),
            v_xor3_b32 => self.op(outs, |s| s[0].xor(s[1]).xor(s[2])),
            v_or3_b32 => self.op(outs, |s| s[0].or(s[1]).or(s[2])),
            v_and_or_b32 => self.op(outs, |s| s[0].and(s[1]).or(s[2])),
            v_lshl_or_b32 => self.op(outs, |s| s[0].shl(s[1], 32).or(s[2])),
            v_lshl_add_u32 => self.op(outs, |s| s[0].shl(s[1], 32).add(s[2], 32)),
            v_add_lshl_u32 => self.op(outs, |s| s[0].add(s[1], 32).shl(s[2], 32)),
            v_xad_u32 => self.op(outs, |s| s[0].xor(s[1]).add(s[2], 32)),
            v_pack_b32_f16 => self.op(outs, |s| Bits::new(0, s[0].t & 0xffff | (s[1].t & 0xffff) << 16)),
            v_cvt_pk_i16_f32
            | v_cvt_pk_u16_f32
            | v_cvt_pk_norm_i16_f32
            | v_cvt_pk_norm_u16_f32
            | v_cvt_pk_norm_i16_f16
            | v_cvt_pk_norm_u16_f16
            | v_cvt_pk_u16_u32
            | v_cvt_pk_i16_i32 => self.pack(outs),
            v_permlane16_b32 | v_permlanex16_b32 => self.permlane(op == v_permlanex16_b32, outs),
            _ => self.mix(outs),
        }
    }

    fn permlane(&self, cross: bool, outs: &mut Outs) {
        let row = self.source(0, 32, 0);
        let (lo, hi) = (
            self.t.scalar32(self.w, self.i.src[1]),
            self.t.scalar32(self.w, self.i.src[2]),
        );
        let select = u64::from(scalar32(self.w, self.i.src[1])) | u64::from(scalar32(self.w, self.i.src[2])) << 32;
        let unknown = u64::from(lo.0) | u64::from(hi.0) << 32;
        let (fi, bound) = (self.i.mods.op_sel & 1 == 1, self.i.mods.op_sel >> 1 & 1 == 1);
        let exec = self.w.exec();
        let mut moved = Source {
            value: [0; LANES],
            shade: Shade::CLEAN,
        };
        let mut mask = 0;
        for l in lanes_of(self.mask) {
            let base = (l & 16) ^ if cross { 16 } else { 0 };
            let from = base + (select >> (4 * (l & 15)) & 15) as usize;
            let reads = fi || exec >> from & 1 == 1;
            mask |= u32::from(reads || bound) << l;
            if unknown >> (4 * (l & 15)) & 15 != 0 {
                moved.shade.bits[l] = ones(32);
                moved.shade.born[l] = if lo.0 != 0 { lo.1 } else { hi.1 };
            } else if reads {
                moved.shade.bits[l] = row.shade.bits[from];
                moved.shade.born[l] = row.shade.born[from];
            }
        }
        let p = Pass { mask, ..*self };
        p.out(outs, &[&moved], 32, |l| moved.shade.bits[l]);
    }

    fn vop3p(&self, op: Vop3p, outs: &mut Outs) {
        use Vop3p::*;
        let clamp = self.i.mods.clamp;
        match op {
            v_pk_add_i16 | v_pk_sub_i16 | v_pk_add_u16 | v_pk_sub_u16 | v_pk_mul_lo_u16 if !clamp => {
                self.packed(outs, 2, |s| up(s[0].t | s[1].t, 16))
            }
            v_pk_mad_i16 | v_pk_mad_u16 if !clamp => self.packed(outs, 3, |s| up(s[0].t | s[1].t | s[2].t, 16)),
            v_pk_lshlrev_b16 => self.packed(outs, 2, |s| s[1].shl(s[0], 16)),
            v_pk_lshrrev_b16 => self.packed(outs, 2, |s| s[1].shr(s[0], 16)),
            v_pk_ashrrev_i16 => self.packed(outs, 2, |s| s[1].sar(s[0], 16)),
            v_pk_fma_f16 | v_pk_mad_i16 | v_pk_mad_u16 => self.packed(outs, 3, |s| any(s[0].t | s[1].t | s[2].t, 16)),
            v_pk_add_f16 | v_pk_mul_f16 | v_pk_min_f16 | v_pk_max_f16 | v_pk_max_i16 | v_pk_min_i16 | v_pk_max_u16
            | v_pk_min_u16 | v_pk_add_i16 | v_pk_sub_i16 | v_pk_add_u16 | v_pk_sub_u16 | v_pk_mul_lo_u16 => {
                self.packed(outs, 2, |s| any(s[0].t | s[1].t, 16))
            }
            v_fma_mix_f32 => self.mixed(outs, 32, 0),
            v_fma_mixlo_f16 => self.mixed(outs, 16, 0),
            v_fma_mixhi_f16 => self.mixed(outs, 16, 16),
            _ => self.mix(outs),
        }
    }

    /// `v_fma_mix*`: each source is an f32 or a half.
    fn mixed(&self, outs: &mut Outs, width: u32, shift: u32) {
        let m = &self.i.mods;
        let source = |k: usize| match m.op_sel_hi >> k & 1 {
            0 => self.source(k, 32, 0),
            _ => self.source_bits(k, 16 * (m.op_sel >> k & 1)),
        };
        let all = [source(0), source(1), source(2)];
        let refs: Vec<&Source> = all.iter().collect();
        let Dst::V(r) = self.i.dst[0] else { return };
        self.out_at(outs, &refs, r.into(), (width, shift), |l| {
            any(all.iter().fold(0, |m, s| m | s.shade.bits[l]), width).t
        });
    }
}

/// Whether an instruction only moves bits: they are as undefined in its result as where they come from.
fn moves(op: Opcode) -> bool {
    let name = op.row().name;
    let kinds = [
        "v_mov",
        "v_swap",
        "v_and_b",
        "v_or_b",
        "v_lshlrev_",
        "v_lshrrev_",
        "v_ashrrev_",
        "v_bfe_",
        "v_bfi_",
        "v_perm",
        "v_align",
        "v_or3_",
        "v_and_or_",
        "v_lshl_or_",
        "v_cndmask_",
        "v_pack_",
        "v_dual_mov",
        "v_dual_cndmask",
        "v_dual_and",
        "v_dual_lshlrev",
    ];
    kinds.iter().any(|k| name.starts_with(k))
}

/// The sources in one lane.
fn values(sources: &[Source], l: usize) -> [Bits; 4] {
    let mut v = [Bits::known(0); 4];
    v.iter_mut().zip(sources).for_each(|(v, s)| *v = s.bits(l));
    v
}

/// Two dwords as one value: the first is the high one.
fn both(s: &[Bits]) -> Bits {
    Bits::new(s[0].v << 32 | s[1].v & ones(32), s[0].t << 32 | s[1].t & ones(32))
}

/// Where a lane's result comes from: the first source that is undefined there.
fn born(sources: &[&Source], l: usize) -> Born {
    let dirty = sources.iter().find(|s| s.shade.bits[l] != 0);
    dirty.map_or(Born::NONE, |s| s.shade.born[l])
}

/// Instructions that reach across the halves of a wave.
fn whole(t: &mut Taint, w: &Wave, i: &Instr) {
    let lane_count = w.lanes() as usize;
    let of = |t: &Taint, lane: usize| match i.src[0] {
        Src::V(r) => t.lane(lane / LANES, r.into(), lane % LANES),
        other => t.scalar32(w, other),
    };
    match i.op {
        Opcode::Vop1(Vop1::v_readfirstlane_b32) => {
            let exec = w.whole_exec();
            let lane = if exec == 0 { 0 } else { exec.trailing_zeros() as usize };
            let (bits, born) = of(t, lane);
            if let Dst::S(d) = i.dst[0] {
                t.set_s(d.into(), bits, born);
            }
        }
        Opcode::Vop3(Vop3::v_readlane_b32) => {
            let (select, from) = t.scalar32(w, i.src[1]);
            let (bits, born) = match select & (lane_count as u32 - 1) {
                0 => of(t, scalar32(w, i.src[1]) as usize & (lane_count - 1)),
                _ => (u32::MAX, from),
            };
            if let Dst::S(d) = i.dst[0] {
                t.set_s(d.into(), bits, born);
            }
        }
        Opcode::Vop3(Vop3::v_writelane_b32) => {
            let (bits, born) = t.scalar32(w, i.src[0]);
            let lane = scalar32(w, i.src[1]) as usize & (lane_count - 1);
            if let Dst::V(d) = i.dst[0] {
                t.set_lane(lane / LANES, d.into(), lane % LANES, u32::MAX, bits, born);
            }
        }
        Opcode::Vop1(Vop1::v_permlane64_b32) if lane_count == 64 => {
            let exec = w.whole_exec();
            let all: Vec<(u32, Born)> = (0..64).map(|l| of(t, l ^ 32)).collect();
            if let Dst::V(d) = i.dst[0] {
                for (l, (bits, born)) in all.into_iter().enumerate().filter(|(l, _)| exec >> l & 1 == 1) {
                    t.set_lane(l / LANES, d.into(), l % LANES, u32::MAX, bits, born);
                }
            }
        }
        _ => {}
    }
}
