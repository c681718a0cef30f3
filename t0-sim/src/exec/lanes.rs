//! Fetching operands of a vector instruction as rows of 32 lanes and writing results back.
//!
//! Order of things on the way in: register, DPP, half select, `abs`, `neg`; on the way out: `omod`, `clamp`, half
//! merge, EXEC (RDNA3 manual 7.2 to 7.7).
//!
//! Fetching and writing back are calls on purpose: inlined into every operation they would be most of the code. Only
//! the hot operations of [`super::valu`] inline the plain cases ([`Lanes::row`], [`Lanes::set32`]).

use std::mem::MaybeUninit;

use super::double;
use super::valu::out64;
use super::wide::wide;
use crate::num::FpMode;
use crate::program::{Dpp, Dst, Instr, Src};
use crate::wave::{Row, Wave, LANES, VCC};

/// 32 halves.
pub(super) type Row16 = [u16; LANES];
/// 32 quadwords.
pub(super) type Row64 = [u64; LANES];

/// A vector instruction in the making: operand access and write-back.
pub(super) struct Lanes<'a> {
    pub w: &'a mut Wave,
    pub i: &'a Instr,
    /// Lanes that will be written.
    pub mask: u32,
    pub fp: FpMode,
}

impl<'a> Lanes<'a> {
    #[inline(always)]
    pub fn new(w: &'a mut Wave, i: &'a Instr) -> Lanes<'a> {
        let (mut mask, fp) = (w.exec(), w.fp);
        if i.dpp != Dpp::Off {
            mask &= dpp_row(i.dpp, &[0; LANES], mask, w.half()).1;
        }
        Lanes { w, i, mask, fp }
    }

    /// Source `k` as it stands in its register, after DPP.
    #[inline(never)]
    pub fn raw(&self, k: usize) -> Row {
        let row = match self.i.src[k] {
            Src::V(r) => *self.w.v(usize::from(r)),
            other => [super::scalar32(self.w, other); LANES],
        };
        if k == 0 && self.i.dpp != Dpp::Off {
            return dpp_row(self.i.dpp, &row, self.w.exec(), self.w.half()).0;
        }
        row
    }

    /// As [`Lanes::s32`], by reference when the source is a register without modifiers.
    #[inline(always)]
    pub fn row<'t>(&'t self, k: usize, room: &'t mut MaybeUninit<Row>) -> &'t Row {
        match self.i.src[k] {
            Src::V(r) if self.i.plain => self.w.v(usize::from(r)),
            Src::S(r) if self.i.plain => room.write([self.w.sgpr[usize::from(r) & 127]; LANES]),
            Src::K(c) if self.i.plain => room.write([c as u32; LANES]),
            _ => room.write(self.s32(k)),
        }
    }

    /// Source `k` as 32-bit lanes with `abs` and `neg` applied to bit 31.
    #[inline(never)]
    pub fn s32(&self, k: usize) -> Row {
        let mut row = self.raw(k);
        if self.i.src_mods {
            let m = &self.i.mods;
            let keep = if m.abs >> k & 1 == 1 { 0x7fff_ffff } else { u32::MAX };
            let flip = if m.neg >> k & 1 == 1 { 0x8000_0000 } else { 0 };
            row.iter_mut().for_each(|x| *x = (*x & keep) ^ flip);
        }
        row
    }

    /// Source `k` as 16-bit lanes: half chosen by `op_sel`, then `abs` and `neg` on bit 15.
    #[inline(never)]
    pub fn s16(&self, k: usize) -> Row16 {
        let row = self.raw(k);
        let m = &self.i.mods;
        let constant = matches!(self.i.src[k], Src::K(_));
        let shift = if m.op_sel >> k & 1 == 1 && !constant { 16 } else { 0 };
        let keep = if m.abs >> k & 1 == 1 { 0x7fff } else { 0xffff };
        let flip = if m.neg >> k & 1 == 1 { 0x8000 } else { 0 };
        each(|l| ((row[l] >> shift) as u16 & keep) ^ flip)
    }

    /// Source `k` as 64-bit lanes with `abs` and `neg` on bit 63.
    #[inline(never)]
    pub fn s64(&self, k: usize) -> Row64 {
        let mut row = match self.i.src[k] {
            Src::V(r) => {
                let (lo, hi) = (self.w.v(usize::from(r)), self.w.v(usize::from(r) + 1));
                each(|l| u64::from(lo[l]) | u64::from(hi[l]) << 32)
            }
            other => [super::scalar64(self.w, other); LANES],
        };
        if self.i.src_mods {
            let m = &self.i.mods;
            let keep = if m.abs >> k & 1 == 1 { u64::MAX >> 1 } else { u64::MAX };
            let flip = if m.neg >> k & 1 == 1 { 1 << 63 } else { 0 };
            row.iter_mut().for_each(|x| *x = (*x & keep) ^ flip);
        }
        row
    }

    /// The bits of a lane mask source that belong to the current pass.
    #[inline(always)]
    pub fn mask_src(&self, k: usize) -> u32 {
        match self.i.src[k] {
            Src::S(r) => self.w.mask(usize::from(r)),
            other => (super::scalar64(self.w, other) >> (32 * self.w.half())) as u32,
        }
    }

    /// Lane `lane` (of the whole wave) of source `k`.
    pub fn lane(&self, k: usize, lane: usize) -> u32 {
        match self.i.src[k] {
            Src::V(r) => self.w.lane(usize::from(r), lane),
            other => super::scalar32(self.w, other),
        }
    }

    /// A scalar source: the same in both passes.
    #[inline(always)]
    pub fn scalar(&self, k: usize) -> u32 {
        super::scalar32(self.w, self.i.src[k])
    }

    /// VCC as a lane mask.
    pub fn vcc(&self) -> u32 {
        self.w.mask(VCC)
    }

    /// The old value of the vector destination.
    #[inline(never)]
    pub fn old(&self) -> Row {
        match self.i.dst[0] {
            Dst::V(r) => *self.w.v(usize::from(r)),
            _ => [0; LANES],
        }
    }

    /// The old half of the vector destination that `op_sel[3]` names.
    pub fn old16(&self) -> Row16 {
        let shift = if self.i.mods.op_sel >> 3 & 1 == 1 { 16 } else { 0 };
        self.old().map(|x| (x >> shift) as u16)
    }

    /// Writes active lanes of register `r`.
    #[inline(always)]
    fn write(&mut self, r: usize, row: &Row) {
        let mask = self.mask;
        let dst = self.w.v_mut(r);
        if mask == u32::MAX {
            *dst = *row;
            return;
        }
        for (l, d) in dst.iter_mut().enumerate() {
            let keep = (mask >> l & 1).wrapping_sub(1);
            *d = (*d & keep) | (row[l] & !keep);
        }
    }

    /// A 32-bit result without output modifiers, inlined.
    #[inline(always)]
    pub fn set32(&mut self, row: &Row) {
        if let Dst::V(r) = self.i.dst[0] {
            self.write(usize::from(r), row);
        }
    }

    /// An f32 result, the case without output modifiers inlined.
    #[inline(always)]
    pub fn setf32(&mut self, row: &Row) {
        if self.i.dst_mods {
            self.putf32(row);
        } else {
            self.set32(row);
        }
    }

    wide! {
        /// Writes active lanes of register `r`.
        pub fn put(x, r: usize, row: &Row) -> () {
            x.write(r, row);
        }

        /// A 32-bit result without output modifiers.
        pub fn put32(x, row: &Row) -> () {
            x.set32(row);
        }

        /// A 64-bit result.
        pub fn put64(x, row: &Row64) -> () {
            if let Dst::V(r) = x.i.dst[0] {
                let r = usize::from(r);
                x.write(r, &each(|l| row[l] as u32));
                x.write(r + 1, &each(|l| (row[l] >> 32) as u32));
            }
        }

        /// A 16-bit integer or bit result into the half `op_sel[3]` names; the other half stays (true 16-bit registers
        /// of gfx11, manual 7.4).
        pub fn put16(x, row: &Row16) -> () {
            let Dst::V(r) = x.i.dst[0] else { return };
            let old = x.w.v(usize::from(r));
            let out: Row = if x.i.mods.op_sel >> 3 & 1 == 1 {
                each(|l| merge16(old[l], row[l], true))
            } else {
                each(|l| merge16(old[l], row[l], false))
            };
            x.set32(&out);
        }
    }

    /// An f32 result: `omod`, `clamp`.
    #[inline(never)]
    pub fn putf32(&mut self, row: &Row) {
        if !self.i.dst_mods {
            return self.put32(row);
        }
        let out = row.map(|b| self.modify32(b));
        self.put32(&out);
    }

    /// The factor of `omod`, if it works: only while output denormals are flushed (`denorm` is the MODE field of the
    /// type) and IEEE mode is off (RDNA3 manual 7.2.3.1).
    fn omod(&self, denorm: u32) -> Option<f64> {
        let on = self.i.mods.omod & 3 != 0 && denorm & 2 == 0 && !self.fp.ieee;
        on.then(|| [1.0, 2.0, 4.0, 0.5][(self.i.mods.omod & 3) as usize])
    }

    /// `omod` (which makes -0 of it +0), then clamp, which makes NaN zero in DX10 mode.
    fn modify32(&self, b: u32) -> u32 {
        let mut x = f32::from_bits(b);
        if x.is_nan() {
            return if self.i.mods.clamp && self.fp.dx10_clamp { 0 } else { b };
        }
        if let Some(k) = self.omod(self.fp.denorm32) {
            x = f32::from_bits(self.fp.to32(f64::from(x) * k)) + 0.0;
        }
        if self.i.mods.clamp {
            x = if x > 0.0 { x.min(1.0) } else { 0.0 };
        }
        x.to_bits()
    }

    fn modify16(&self, h: u16) -> u16 {
        if crate::num::is_nan16(h) {
            return if self.i.mods.clamp && self.fp.dx10_clamp { 0 } else { h };
        }
        let mut h = h;
        if let Some(k) = self.omod(self.fp.denorm16) {
            h = self.fp.to16(crate::num::f16_to_f64(h) * k);
            h = if h == 0x8000 { 0 } else { h };
        }
        match h {
            _ if !self.i.mods.clamp => h,
            0x8000.. => 0,
            _ => h.min(0x3c00),
        }
    }

    /// An f64 result: `clamp`, and `omod` under the same rule as f32.
    pub fn putf64(&mut self, row: &Row64) {
        let mut out = *row;
        if self.i.dst_mods {
            for x in &mut out {
                let mut v = f64::from_bits(*x);
                if v.is_nan() {
                    *x = if self.i.mods.clamp && self.fp.dx10_clamp { 0 } else { *x };
                    continue;
                }
                if let Some(k) = self.omod(self.fp.denorm16) {
                    let r = double::mul(v.to_bits(), k.to_bits(), self.fp.round16);
                    v = f64::from_bits(out64(self.fp, r)) + 0.0;
                }
                if self.i.mods.clamp {
                    v = if v > 0.0 { v.min(1.0) } else { 0.0 };
                }
                *x = v.to_bits();
            }
        }
        self.put64(&out);
    }

    /// An f16 result: `omod`, `clamp`, half merge.
    #[inline(never)]
    pub fn putf16(&mut self, row: &Row16) {
        if !self.i.dst_mods {
            return self.put16(row);
        }
        let out = row.map(|h| self.modify16(h));
        self.put16(&out);
    }

    /// A lane mask result into destination `d`: inactive lanes read 0.
    #[inline(always)]
    pub fn put_mask(&mut self, d: usize, bits: u32) {
        if let Dst::S(r) = self.i.dst[d] {
            let r = usize::from(r);
            let bits = bits & self.mask;
            self.w.set_mask(r, bits);
        }
    }
}

/// An array made lane by lane. A plain loop: `array::from_fn` and `array::map` are not always vectorised.
#[inline(always)]
pub(super) fn each<T: Copy + Default, const N: usize>(f: impl Fn(usize) -> T) -> [T; N] {
    let mut out = [T::default(); N];
    for (l, x) in out.iter_mut().enumerate() {
        *x = f(l);
    }
    out
}

/// Puts a half into a dword.
#[inline(always)]
pub(super) fn merge16(old: u32, half: u16, high: bool) -> u32 {
    if high {
        (old & 0xffff) | u32::from(half) << 16
    } else {
        (old & 0xffff_0000) | u32::from(half)
    }
}

/// The mask of lanes for which `f` holds.
#[inline(always)]
pub(super) fn lane_mask(f: impl Fn(usize) -> bool) -> u32 {
    (0..LANES).fold(0, |m, l| m | u32::from(f(l)) << l)
}

/// Applies DPP to a row: the moved row, and the lanes DPP lets the instruction write.
///
/// An invalid source lane (outside of its row, or disabled in EXEC without FI) reads 0 with bound_ctrl, else the lane
/// is not written. DPP8 behaves as with bound_ctrl (RDNA3 manual 7.7).
#[inline(never)]
pub(crate) fn dpp_row(dpp: Dpp, row: &Row, exec: u32, half: usize) -> (Row, u32) {
    let mut out = [0; LANES];
    let mut mask = 0;
    for (l, o) in out.iter_mut().enumerate() {
        let (from, fi, bound, enabled) = match dpp {
            Dpp::Off => (Some(l), true, true, true),
            Dpp::D8(d) => (Some((l & !7) | (d.sel[l & 7] & 7) as usize), d.fi, true, true),
            Dpp::D16(d) => {
                let on = d.row_mask >> (2 * half + l / 16) & 1 == 1 && d.bank_mask >> (l % 16 / 4) & 1 == 1;
                (dpp16_source(d.ctrl, l), d.fi, d.bound_ctrl, on)
            }
        };
        if !enabled {
            continue;
        }
        match from {
            Some(s) if fi || exec >> s & 1 == 1 => {
                *o = row[s];
                mask |= 1 << l;
            }
            _ if bound => mask |= 1 << l,
            _ => {}
        }
    }
    (out, mask)
}

/// The lane that lane `l` reads under a DPP16 control, if it is inside of the row.
fn dpp16_source(ctrl: u32, l: usize) -> Option<usize> {
    let (row, i) = (l & !15, l & 15);
    let n = (ctrl & 15) as usize;
    let at = match ctrl {
        0x000..=0x0ff => (i & !3) | (ctrl >> (2 * (i & 3)) & 3) as usize,
        0x101..=0x10f => i + n,
        0x111..=0x11f => i.checked_sub(n)?,
        0x121..=0x12f => (i + 16 - n) & 15,
        0x140 => 15 - i,
        0x141 => (i & 8) | (7 - (i & 7)),
        0x150..=0x15f => n,
        0x160..=0x16f => i ^ n,
        _ => return None,
    };
    (at < 16).then_some(row + at)
}
