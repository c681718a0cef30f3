//! `as` and bit casts.

use super::{dwords, Rep, Sel, Select, X};
use crate::isa::{Sop1, Sop2, Vop1, Vop2, Vop3, Vopc};
use crate::mir::{Class, Sub};
use t0_ir::{Scalar, Ty, Value};

impl Select<'_> {
    pub(super) fn cast(&mut self, result: Value, v: Value) -> Sel<Rep> {
        let (Ty::Scalar(from), Ty::Scalar(to)) = (self.ty(v), self.ty(result)) else {
            return self.unsupported(format!("a cast of {} to {}", self.ty(v), self.ty(result)));
        };
        if from == to {
            return Ok(self.rep(v));
        }
        if from == Scalar::F64 || to == Scalar::F64 {
            return self.unsupported(format!("a cast from {from} to {to}; use f32"));
        }
        match (from.is_float(), to.is_float()) {
            (true, true) => {
                let x = self.x(v, 0);
                let wide = self.widen_to_f32(from, x);
                let wide = self.in_v(wide);
                Ok(Rep::Regs(self.narrow_f32(to, wide)))
            }
            (true, false) => self.float_to_int(from, to, v),
            (false, true) => self.int_to_float(from, to, v),
            (false, false) => self.int_to_int(from, to, result, v),
        }
    }

    fn float_to_int(&mut self, from: Scalar, to: Scalar, v: Value) -> Sel<Rep> {
        if to.bytes() == 8 {
            return self.unsupported(format!("a cast from {from} to {to}; cast to a 32-bit integer"));
        }
        let x = self.x(v, 0);
        let x = self.widen_to_f32(from, x);
        // Both conversions truncate, saturate and send NaN to 0 (RDNA3 ISA manual, V_CVT_I32_F32, V_CVT_U32_F32).
        let signed = to.is_signed();
        let n = self.v(
            if signed {
                Vop1::v_cvt_i32_f32
            } else {
                Vop1::v_cvt_u32_f32
            },
            &[x],
        );
        Ok(Rep::Regs(match to {
            Scalar::I8 => self.v(Vop3::v_med3_i32, &[n.into(), 127.into(), (-128i32 as u32).into()]),
            Scalar::I16 => self.v(Vop3::v_med3_i32, &[n.into(), 0x7fff.into(), (-0x8000i32 as u32).into()]),
            Scalar::U8 => self.v(Vop2::v_min_u32, &[0xff.into(), n.into()]),
            Scalar::U16 => self.v(Vop2::v_min_u32, &[0xffff.into(), n.into()]),
            _ => n,
        }))
    }

    fn int_to_float(&mut self, from: Scalar, to: Scalar, v: Value) -> Sel<Rep> {
        let wide = if from.bytes() == 8 {
            self.int64_to_f32(from, v)
        } else {
            let x = self.x(v, 0);
            self.v(
                if from.is_signed() {
                    Vop1::v_cvt_f32_i32
                } else {
                    Vop1::v_cvt_f32_u32
                },
                &[x],
            )
        };
        Ok(Rep::Regs(self.narrow_f32(to, wide)))
    }

    /// Shifts the magnitude left until its top bit is set, folds what does not fit the high word into a sticky bit,
    /// converts that word and scales back: one rounding.
    fn int64_to_f32(&mut self, from: Scalar, v: Value) -> Sub {
        let mut magnitude = [self.x(v, 0), self.x(v, 1)];
        let sign = X::from(self.v(Vop2::v_ashrrev_i32, &[31.into(), magnitude[1]]));
        if from.is_signed() {
            let flipped = magnitude.map(|x| X::from(self.v(Vop2::v_xor_b32, &[x, sign])));
            let m = self.add64(true, flipped, [sign, sign]);
            magnitude = [m.dword(0).into(), m.dword(1).into()];
        }
        let high_zeros = self.v(Vop1::v_clz_i32_u32, &[magnitude[1]]);
        let shift = X::from(self.v(Vop2::v_min_u32, &[32.into(), high_zeros.into()]));
        let pair = self.tuple(Class::V, &magnitude);
        let pair = self.v(Vop3::v_lshlrev_b64, &[shift, pair.into()]);
        let lost = self.v(Vop2::v_min_u32, &[1.into(), pair.dword(0).into()]);
        let word = self.v(Vop2::v_or_b32, &[pair.dword(1).into(), lost.into()]);
        let f = self.v(Vop1::v_cvt_f32_u32, &[word.into()]);
        let exponent = self.v(Vop2::v_sub_nc_u32, &[32.into(), shift]);
        let f = self.v(Vop3::v_ldexp_f32, &[f.into(), exponent.into()]);
        if !from.is_signed() {
            return f;
        }
        let bit = self.v(Vop2::v_and_b32, &[0x8000_0000.into(), sign]);
        self.v(Vop2::v_or_b32, &[bit.into(), f.into()])
    }

    fn int_to_int(&mut self, from: Scalar, to: Scalar, result: Value, v: Value) -> Sel<Rep> {
        let salu = self.salu(result, &[v]);
        let low = if from == Scalar::Bool {
            if self.uniform(v) {
                self.scc(v);
                self.s(Sop2::s_cselect_b32, &[1.into(), 0.into()])
            } else {
                let mask = self.x(v, 0);
                self.cnd(mask, 1.into(), 0.into())
            }
        } else {
            match self.x(v, 0) {
                X::R(s) => s,
                x if salu => self.s(Sop1::s_mov_b32, &[x]),
                x => self.in_v(x),
            }
        };
        let scalar = self.class(low.into()) == Class::S;
        if to.bytes() == 8 {
            if from.bytes() == 8 {
                return Ok(self.rep(v));
            }
            // Registers hold narrow integers extended to 32 bits already.
            let high: X = match (from.is_signed(), scalar) {
                (false, _) => 0.into(),
                (true, true) => self.s(Sop2::s_ashr_i32, &[low.into(), 31.into()]).into(),
                (true, false) => self.v(Vop2::v_ashrrev_i32, &[31.into(), low.into()]).into(),
            };
            let class = if scalar { Class::S } else { Class::V };
            return Ok(Rep::Regs(self.tuple(class, &[low.into(), high])));
        }
        let fits = match from {
            Scalar::Bool => true,
            _ => from.bytes() < to.bytes() && (from.is_signed() == to.is_signed() || !from.is_signed()),
        };
        Ok(Rep::Regs(if fits || to.bytes() == 4 {
            low
        } else {
            self.extend(to, low)
        }))
    }

    pub(super) fn bitcast(&mut self, result: Value, v: Value) -> Sel<Rep> {
        let (from, to) = (self.ty(v), self.ty(result));
        if dwords(from) != dwords(to) || from == Ty::BOOL || to == Ty::BOOL {
            return self.unsupported(format!("a bit cast of {from} to {to}"));
        }
        if let (Rep::Const(bits), Ty::Scalar(s)) = (self.rep(v), to) {
            return Ok(Rep::Const(super::canonical(s, bits)));
        }
        match (to, self.rep(v)) {
            (Ty::Scalar(s), Rep::Regs(x)) if s.is_int() && s.bytes() < 4 => Ok(Rep::Regs(self.extend(s, x))),
            (_, rep) => Ok(rep),
        }
    }

    /// A byte from memory as a `bool`.
    pub(super) fn byte_to_bool(&mut self, x: X) -> Sub {
        self.vcmp(Vopc::v_cmp_ne_u32, 0.into(), x)
    }

    /// A `bool` as the byte it is in memory.
    pub(super) fn bool_to_byte(&mut self, mask: X) -> Sub {
        self.cnd(mask, 1.into(), 0.into())
    }
}
