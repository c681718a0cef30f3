//! Integer and `bool` arithmetic, comparisons, selects and vectors.
//!
//! Uniform integers with scalar operands go to the SALU where it has the operation; the rest to the VALU. Results of types
//! narrower than 32 bits are extended again after operations that can leave their range. Division by a variable is the reciprocal
//! method with two corrections (LLVM `AMDGPUCodeGenPrepare`, `expandDivRem32`), exact for all operands; by constants see `divide`.

use super::control::scalar_compare;
use super::{dwords, Buf, Rep, Sel, Select, X};
use crate::isa::{Opcode, Reg, Sop1, Sop2, Sopc, Vop1, Vop2, Vop3, Vop3sd, Vopc};
use crate::mir::{Class, Sub};
use t0_ir::{OpKind, Pred, Scalar, Ty, Value};

impl Select<'_> {
    /// Arithmetic of any scalar type.
    pub(super) fn arith(&mut self, kind: &OpKind, result: Value, args: &[Value]) -> Sel<Rep> {
        let Ty::Scalar(ty) = self.ty(args[0]) else {
            return self.unsupported(format!("`{}` on {}", kind.row().name, self.ty(args[0])));
        };
        match ty {
            Scalar::Bool => self.bool_arith(kind, args),
            _ if ty.is_float() => self.float_arith(kind, ty, args),
            Scalar::I64 | Scalar::U64 => self.arith64(kind, ty, result, args),
            _ => self.int_arith(kind, ty, result, args),
        }
    }

    fn bool_arith(&mut self, kind: &OpKind, args: &[Value]) -> Sel<Rep> {
        let xs: Vec<X> = args.iter().map(|&a| self.x(a, 0)).collect();
        Ok(Rep::Regs(match kind {
            OpKind::And => self.s(Sop2::s_and_b32, &xs),
            OpKind::Or => self.s(Sop2::s_or_b32, &xs),
            OpKind::Xor => self.s(Sop2::s_xor_b32, &xs),
            OpKind::Not => self.s(Sop1::s_not_b32, &xs),
            _ => return self.unsupported(format!("`{}` on bool", kind.row().name)),
        }))
    }

    // ---- 8 to 32 bits ----------------------------------------------------------------------------------------------

    fn int_arith(&mut self, kind: &OpKind, ty: Scalar, result: Value, args: &[Value]) -> Sel<Rep> {
        let whole = ty.bits() == 32 && self.constant(args[args.len() - 1]).is_none();
        if let (OpKind::Rem, true, Some(q)) = (kind, whole, self.quotient(args)) {
            let (a, b) = (self.x(args[0], 0), self.x(args[1], 0));
            return Ok(Rep::Regs(self.rest(a, b, q)));
        }
        let rep = self.int_result(kind, ty, result, args)?;
        if let (OpKind::Div, true, Rep::Regs(q)) = (kind, whole, rep) {
            self.note_quotient(args, q);
        }
        Ok(rep)
    }

    fn int_result(&mut self, kind: &OpKind, ty: Scalar, result: Value, args: &[Value]) -> Sel<Rep> {
        use OpKind as K;
        let xs: Vec<X> = args.iter().map(|&a| self.x(a, 0)).collect();
        if self.salu(result, args) {
            if let Some(s) = self.int_salu(kind, ty, &xs) {
                return Ok(Rep::Regs(s));
            }
        }
        let signed = ty.is_signed();
        let bits = ty.bits();
        let swapped = [xs[xs.len() - 1], xs[0]];
        let out = match kind {
            K::Add => self.v(Vop2::v_add_nc_u32, &xs),
            K::Sub => self.v(Vop2::v_sub_nc_u32, &xs),
            K::Mul => self.mul32(ty, &xs),
            K::Div | K::Rem => self.div_rem(Class::V, *kind == K::Div, ty, xs[0], xs[1]),
            K::Neg => self.v(Vop2::v_sub_nc_u32, &[0.into(), xs[0]]),
            K::And => self.v(Vop2::v_and_b32, &xs),
            K::Or => self.v(Vop2::v_or_b32, &xs),
            K::Xor => self.v(Vop2::v_xor_b32, &xs),
            K::Not => self.v(Vop1::v_not_b32, &xs),
            K::Shl => {
                let by = self.shift_amount(bits, xs[1]);
                self.v(Vop2::v_lshlrev_b32, &[by, xs[0]])
            }
            K::Shr => {
                let by = self.shift_amount(bits, xs[1]);
                let op = if signed {
                    Vop2::v_ashrrev_i32
                } else {
                    Vop2::v_lshrrev_b32
                };
                self.v(op, &[by, xs[0]])
            }
            K::Min => self.v(if signed { Vop2::v_min_i32 } else { Vop2::v_min_u32 }, &swapped),
            K::Max => self.v(if signed { Vop2::v_max_i32 } else { Vop2::v_max_u32 }, &swapped),
            K::Abs if signed => {
                let negative = self.v(Vop2::v_sub_nc_u32, &[0.into(), xs[0]]);
                self.v(Vop2::v_max_i32, &[xs[0], negative.into()])
            }
            K::Abs => return Ok(self.rep(args[0])),
            K::CountOnes | K::LeadingZeros | K::TrailingZeros | K::ReverseBits => {
                let x = self.zero_extended(ty, xs[0]);
                let counted = self.bit_count(kind, bits, x);
                let narrow = *kind == K::ReverseBits;
                return Ok(Rep::Regs(if narrow { self.extend(ty, counted) } else { counted }));
            }
            _ => return self.unsupported(format!("`{}` on {ty}", kind.row().name)),
        };
        let stays_in_range =
            matches!(kind, K::And | K::Or | K::Xor | K::Shr | K::Min | K::Max | K::Rem) || (*kind == K::Not && signed);
        Ok(Rep::Regs(if stays_in_range { out } else { self.extend(ty, out) }))
    }

    fn int_salu(&mut self, kind: &OpKind, ty: Scalar, xs: &[X]) -> Option<Sub> {
        use OpKind as K;
        let signed = ty.is_signed();
        let out = match kind {
            K::Add => self.s(Sop2::s_add_u32, xs),
            K::Sub => self.s(Sop2::s_sub_u32, xs),
            K::Mul => self.s(Sop2::s_mul_i32, xs),
            K::Neg => self.s(Sop2::s_sub_u32, &[0.into(), xs[0]]),
            K::And => self.s(Sop2::s_and_b32, xs),
            K::Or => self.s(Sop2::s_or_b32, xs),
            K::Xor => self.s(Sop2::s_xor_b32, xs),
            K::Not => self.s(Sop1::s_not_b32, xs),
            K::Shl | K::Shr => {
                let by = match (ty.bits(), xs[1]) {
                    (32, by) => by,
                    (bits, X::K(k)) => X::K(k % bits),
                    (bits, by) => self.s(Sop2::s_and_b32, &[by, (bits - 1).into()]).into(),
                };
                let op = match (kind, signed) {
                    (K::Shl, _) => Sop2::s_lshl_b32,
                    (_, true) => Sop2::s_ashr_i32,
                    (_, false) => Sop2::s_lshr_b32,
                };
                self.s(op, &[xs[0], by])
            }
            K::Min => self.s(if signed { Sop2::s_min_i32 } else { Sop2::s_min_u32 }, xs),
            K::Max => self.s(if signed { Sop2::s_max_i32 } else { Sop2::s_max_u32 }, xs),
            K::Abs if signed => self.s(Sop1::s_abs_i32, xs),
            K::Div | K::Rem => self.div_rem(Class::S, *kind == K::Div, ty, xs[0], xs[1]),
            _ => return None,
        };
        let stays = matches!(kind, K::And | K::Or | K::Xor | K::Shr | K::Min | K::Max | K::Rem)
            || (*kind == K::Not && signed)
            // Divided by 0 it is all ones.
            || (*kind == K::Div && !signed && matches!(xs[1], X::K(k) if k != 0));
        Some(if stays { out } else { self.extend(ty, out) })
    }

    /// A shift amount reduced to the width; the hardware does it for 32 bits (RDNA3 ISA manual, V_LSHLREV_B32).
    fn shift_amount(&mut self, bits: u32, by: X) -> X {
        match by {
            X::K(k) => X::K(k % bits),
            _ if bits == 32 => by,
            _ => self.v(Vop2::v_and_b32, &[(bits - 1).into(), by]).into(),
        }
    }

    fn mul32(&mut self, ty: Scalar, xs: &[X]) -> Sub {
        for (k, other) in [(xs[0], xs[1]), (xs[1], xs[0])] {
            if let X::K(k) = k {
                if k.is_power_of_two() {
                    return self.v(Vop2::v_lshlrev_b32, &[k.trailing_zeros().into(), other]);
                }
            }
        }
        if ty.bytes() <= 2 {
            // Both fit 17 bits with sign: the 24-bit multiplier has all of the low 32 bits.
            let op = if ty.is_signed() {
                Vop2::v_mul_i32_i24
            } else {
                Vop2::v_mul_u32_u24
            };
            return self.v(op, xs);
        }
        self.v(Vop3::v_mul_lo_u32, xs)
    }

    /// Extends the low bits of a dword as registers hold the type.
    pub(super) fn extend(&mut self, ty: Scalar, x: Sub) -> Sub {
        let scalar = self.m.info(x.reg).class == Class::S;
        let x = X::from(x);
        match (ty, scalar) {
            (Scalar::I8, true) => self.s(Sop1::s_sext_i32_i8, &[x]),
            (Scalar::I16, true) => self.s(Sop1::s_sext_i32_i16, &[x]),
            (Scalar::U8, true) => self.s(Sop2::s_and_b32, &[x, 0xff.into()]),
            (Scalar::U16, true) => self.s(Sop2::s_and_b32, &[x, 0xffff.into()]),
            (Scalar::I8, false) => self.v(Vop3::v_bfe_i32, &[x, 0.into(), 8.into()]),
            (Scalar::I16, false) => self.v(Vop3::v_bfe_i32, &[x, 0.into(), 16.into()]),
            (Scalar::U8, false) => self.v(Vop2::v_and_b32, &[0xff.into(), x]),
            (Scalar::U16, false) => self.v(Vop2::v_and_b32, &[0xffff.into(), x]),
            _ => match x {
                X::R(s) => s,
                _ => self.in_v(x),
            },
        }
    }

    fn zero_extended(&mut self, ty: Scalar, x: X) -> X {
        match ty {
            Scalar::I8 => self.v(Vop2::v_and_b32, &[0xff.into(), x]).into(),
            Scalar::I16 => self.v(Vop2::v_and_b32, &[0xffff.into(), x]).into(),
            _ => x,
        }
    }

    /// Bit counts of a zero-extended number of `bits` bits.
    fn bit_count(&mut self, kind: &OpKind, bits: u32, x: X) -> Sub {
        match kind {
            OpKind::CountOnes => self.v(Vop3::v_bcnt_u32_b32, &[x, 0.into()]),
            OpKind::LeadingZeros => {
                // The hardware says -1 for 0, which as an unsigned number is above every count.
                let n = self.v(Vop1::v_clz_i32_u32, &[x]);
                let n = self.v(Vop2::v_min_u32, &[32.into(), n.into()]);
                match bits {
                    32 => n,
                    _ => self.v(Vop2::v_sub_nc_u32, &[n.into(), (32 - bits).into()]),
                }
            }
            OpKind::TrailingZeros => {
                let n = self.v(Vop1::v_ctz_i32_b32, &[x]);
                self.v(Vop2::v_min_u32, &[bits.into(), n.into()])
            }
            _ => {
                let r = self.v(Vop1::v_bfrev_b32, &[x]);
                match bits {
                    32 => r,
                    _ => self.v(Vop2::v_lshrrev_b32, &[(32 - bits).into(), r.into()]),
                }
            }
        }
    }

    /// `a / b` or `a % b`, on one of the units but for the estimate of a reciprocal.
    fn div_rem(&mut self, class: Class, quotient: bool, ty: Scalar, a: X, b: X) -> Sub {
        if let X::K(d) = b {
            if d != 0 {
                let a = self.in_class(class, a);
                return self.divide_by(quotient, ty.is_signed(), a, d);
            }
        }
        if !ty.is_signed() {
            let (q, r) = self.udiv(class, a, b);
            if !quotient {
                return r;
            }
            return self.all_ones_if_zero(class, b, q);
        }
        let (sa, sb) = (
            X::from(self.right_signed(class, a, 31)),
            X::from(self.right_signed(class, b, 31)),
        );
        let (ua, ub) = (self.with_sign(class, a, sa), self.with_sign(class, b, sb));
        let (q, r) = self.udiv(class, ua.into(), ub.into());
        if !quotient {
            return self.with_sign(class, r.into(), sa);
        }
        let sign = self.flipped(class, sa, sb);
        let q = self.with_sign(class, q.into(), sign.into());
        self.all_ones_if_zero(class, b, q)
    }

    /// `-x` where the sign is all ones, `x` where it is 0.
    fn with_sign(&mut self, class: Class, x: X, sign: X) -> Sub {
        let flipped = self.flipped(class, x, sign);
        self.minus(class, flipped.into(), sign)
    }

    fn flipped(&mut self, class: Class, x: X, by: X) -> Sub {
        match class {
            Class::S => self.s(Sop2::s_xor_b32, &[x, by]),
            Class::V => self.v(Vop2::v_xor_b32, &[x, by]),
        }
    }

    /// The remainder of a division whose quotient there is: exact for a divisor of 0, too, whose quotient is all ones.
    fn rest(&mut self, a: X, b: X, q: Sub) -> Sub {
        let scalar = [a, b, q.into()].iter().all(|&x| self.class(x) == Class::S);
        let (class, product) = match scalar {
            true => (Class::S, self.s(Sop2::s_mul_i32, &[q.into(), b])),
            false => (Class::V, self.v(Vop3::v_mul_lo_u32, &[q.into(), b])),
        };
        self.minus(class, a, product.into())
    }

    /// A uniform number divided by a constant.
    pub(super) fn divide_uniform(&mut self, n: X, by: u32) -> X {
        let n = self.in_s(n);
        self.divide_by(true, false, n, by).into()
    }

    fn all_ones_if_zero(&mut self, class: Class, divisor: X, q: Sub) -> Sub {
        match (class, divisor) {
            (_, X::K(k)) if k != 0 => q,
            (Class::S, _) => {
                self.scmp(Sopc::s_cmp_eq_u32, divisor, 0.into());
                self.s(Sop2::s_cselect_b32, &[u32::MAX.into(), q.into()])
            }
            (Class::V, _) => {
                let zero = self.vcmp(Vopc::v_cmp_eq_u32, divisor, 0.into());
                self.cnd(zero.into(), u32::MAX.into(), q.into())
            }
        }
    }

    fn in_class(&mut self, class: Class, x: X) -> X {
        match class {
            Class::S => self.in_s(x),
            Class::V => self.in_v(x).into(),
        }
    }

    /// Unsigned quotient and remainder; for a divisor of 0 the remainder is the dividend and the quotient unspecified.
    fn udiv(&mut self, class: Class, a: X, b: X) -> (Sub, Sub) {
        let (a, b) = (self.in_class(class, a), self.in_class(class, b));
        let f = self.v(Vop1::v_cvt_f32_u32, &[b]);
        let f = self.v(Vop1::v_rcp_iflag_f32, &[f.into()]);
        // 2^32 less a little, so that the estimate is never too large.
        let f = self.v(Vop2::v_mul_f32, &[0x4f7f_fffe.into(), f.into()]);
        let z = self.v(Vop1::v_cvt_u32_f32, &[f.into()]);
        let z = self.in_class(class, z.into());
        let (low, high): (Opcode, Opcode) = match class {
            Class::S => (Sop2::s_mul_i32.into(), Sop2::s_mul_hi_u32.into()),
            Class::V => (Vop3::v_mul_lo_u32.into(), Vop3::v_mul_hi_u32.into()),
        };
        let minus_b = self.minus(class, 0.into(), b);
        let error = self.with_result(low, class, &[minus_b.into(), z]);
        let error = self.with_result(high, class, &[z, error.into()]);
        let z = self.plus(class, z, error.into());
        let mut q = self.with_result(high, class, &[a, z.into()]);
        let product = self.with_result(low, class, &[q.into(), b]);
        let mut r = self.minus(class, a, product.into());
        for _ in 0..2 {
            let q1 = self.plus(class, q.into(), 1.into());
            let r1 = self.minus(class, r.into(), b);
            (q, r) = match class {
                Class::S => {
                    self.scmp(Sopc::s_cmp_ge_u32, r.into(), b);
                    let pick = |s: &mut Self, yes: Sub, no: Sub| s.s(Sop2::s_cselect_b32, &[yes.into(), no.into()]);
                    (pick(self, q1, q), pick(self, r1, r))
                }
                Class::V => {
                    let more = X::from(self.vcmp(Vopc::v_cmp_ge_u32, r.into(), b));
                    (self.cnd(more, q1.into(), q.into()), self.cnd(more, r1.into(), r.into()))
                }
            };
        }
        (q, r)
    }

    // ---- 64 bits ---------------------------------------------------------------------------------------------------

    fn arith64(&mut self, kind: &OpKind, ty: Scalar, result: Value, args: &[Value]) -> Sel<Rep> {
        use OpKind as K;
        let lo = |s: &Self, i: usize| s.x(args[i], 0);
        let hi = |s: &Self, i: usize| s.x(args[i], 1);
        let salu = self.salu(result, args);
        let binary = |s: &mut Self, lo_op: Opcode, hi_op: Opcode| {
            let class = if salu { Class::S } else { Class::V };
            let (a, b, c, d) = (lo(s, 0), lo(s, 1), hi(s, 0), hi(s, 1));
            let l = if salu { s.s(lo_op, &[a, b]) } else { s.v(lo_op, &[a, b]) };
            let h = if salu { s.s(hi_op, &[c, d]) } else { s.v(hi_op, &[c, d]) };
            Rep::Regs(s.tuple(class, &[l.into(), h.into()]))
        };
        Ok(match kind {
            K::And if salu => binary(self, Sop2::s_and_b32.into(), Sop2::s_and_b32.into()),
            K::Or if salu => binary(self, Sop2::s_or_b32.into(), Sop2::s_or_b32.into()),
            K::Xor if salu => binary(self, Sop2::s_xor_b32.into(), Sop2::s_xor_b32.into()),
            K::And => binary(self, Vop2::v_and_b32.into(), Vop2::v_and_b32.into()),
            K::Or => binary(self, Vop2::v_or_b32.into(), Vop2::v_or_b32.into()),
            K::Xor => binary(self, Vop2::v_xor_b32.into(), Vop2::v_xor_b32.into()),
            K::Add if salu => binary(self, Sop2::s_add_u32.into(), Sop2::s_addc_u32.into()),
            K::Sub if salu => binary(self, Sop2::s_sub_u32.into(), Sop2::s_subb_u32.into()),
            K::Add | K::Sub => {
                let (a, b) = ([lo(self, 0), hi(self, 0)], [lo(self, 1), hi(self, 1)]);
                Rep::Regs(self.add64(*kind == K::Sub, a, b))
            }
            K::Neg => {
                let a = [lo(self, 0), hi(self, 0)];
                Rep::Regs(self.add64(true, [0.into(), 0.into()], a))
            }
            K::Not => {
                let (a, b) = (lo(self, 0), hi(self, 0));
                let (a, b) = (self.v(Vop1::v_not_b32, &[a]), self.v(Vop1::v_not_b32, &[b]));
                Rep::Regs(self.tuple(Class::V, &[a.into(), b.into()]))
            }
            K::Mul => {
                let (a, b) = (self.factor(args[0]), self.factor(args[1]));
                Rep::Regs(if salu { self.mul64_s(a, b) } else { self.mul64_v(a, b) })
            }
            K::Shl | K::Shr => {
                let op: Opcode = match (kind, ty, salu) {
                    (K::Shl, _, true) => Sop2::s_lshl_b64.into(),
                    (_, Scalar::I64, true) => Sop2::s_ashr_i64.into(),
                    (_, _, true) => Sop2::s_lshr_b64.into(),
                    (K::Shl, _, false) => Vop3::v_lshlrev_b64.into(),
                    (_, Scalar::I64, false) => Vop3::v_ashrrev_i64.into(),
                    (_, _, false) => Vop3::v_lshrrev_b64.into(),
                };
                let by = match lo(self, 1) {
                    X::K(k) => X::K(k & 63),
                    x => x,
                };
                Rep::Regs(if salu {
                    let a = self.s_tuple(args[0]);
                    self.s(op, &[a.into(), by])
                } else {
                    let a = self.v_tuple(args[0]);
                    self.v(op, &[by, a.into()])
                })
            }
            K::Min | K::Max => {
                let pred = if *kind == K::Min { Pred::Lt } else { Pred::Gt };
                let mask = self.compare_v(pred, ty, args[0], args[1])?;
                let (a, b) = (self.xs(args[0]), self.xs(args[1]));
                Rep::Regs(self.select_dwords(mask.into(), &a, &b))
            }
            K::Abs if ty.is_signed() => {
                let a = [lo(self, 0), hi(self, 0)];
                let sign = X::from(self.v(Vop2::v_ashrrev_i32, &[31.into(), a[1]]));
                let flipped = a.map(|x| X::from(self.v(Vop2::v_xor_b32, &[x, sign])));
                Rep::Regs(self.add64(true, flipped, [sign, sign]))
            }
            K::Abs => self.rep(args[0]),
            K::CountOnes => {
                let (a, b) = (lo(self, 0), hi(self, 0));
                let n = self.v(Vop3::v_bcnt_u32_b32, &[a, 0.into()]);
                Rep::Regs(self.v(Vop3::v_bcnt_u32_b32, &[b, n.into()]))
            }
            K::LeadingZeros | K::TrailingZeros => {
                let leading = *kind == K::LeadingZeros;
                let (first, then) = if leading {
                    (hi(self, 0), lo(self, 0))
                } else {
                    (lo(self, 0), hi(self, 0))
                };
                let op = if leading {
                    Vop1::v_clz_i32_u32
                } else {
                    Vop1::v_ctz_i32_b32
                };
                // -1 for 0: saturated addition keeps it above every count.
                let (first, then) = (self.v(op, &[first]), self.v(op, &[then]));
                let then = self.vm(Vop2::v_add_nc_u32, &[32.into(), then.into()], |m| m.clamp = true);
                Rep::Regs(self.v(Vop3::v_min3_u32, &[first.into(), then.into(), 64.into()]))
            }
            K::ReverseBits => {
                let (a, b) = (lo(self, 0), hi(self, 0));
                let (a, b) = (self.v(Vop1::v_bfrev_b32, &[a]), self.v(Vop1::v_bfrev_b32, &[b]));
                Rep::Regs(self.tuple(Class::V, &[b.into(), a.into()]))
            }
            _ => return self.unsupported(format!("`{}` on {ty}; use 32-bit numbers", kind.row().name)),
        })
    }

    /// 64-bit `a + b` or `a - b` on the VALU.
    pub(super) fn add64(&mut self, subtract: bool, a: [X; 2], b: [X; 2]) -> Sub {
        let (low, with) = match subtract {
            false => (Vop3sd::v_add_co_u32, Vop2::v_add_co_ci_u32),
            true => (Vop3sd::v_sub_co_u32, Vop2::v_sub_co_ci_u32),
        };
        let (lo, carry) = self.add_co(low, a[0], b[0]);
        let (hi, out) = (self.m.vreg(Class::V, 1), self.m.vreg(Class::S, 1));
        self.inst(with, &[hi.into(), out.into(), a[1], b[1], carry.into()]);
        self.tuple(Class::V, &[lo.into(), hi.into()])
    }

    /// The words of a factor of 64 bits. What was widened without sign has a 0 above, whose products are left out.
    fn factor(&self, v: Value) -> [X; 2] {
        let words = [self.x(v, 0), self.x(v, 1)];
        let cast = self.def[v.0 as usize]
            .map(|id| self.f.op(id))
            .filter(|o| o.kind == OpKind::Cast);
        let Some(from) = cast.map(|o| o.args[0]) else {
            return words;
        };
        let unsigned = matches!(self.ty(from), Ty::Scalar(Scalar::U8 | Scalar::U16 | Scalar::U32));
        if !unsigned || self.constant(from).is_some() {
            return words;
        }
        let low = self.x(from, 0);
        match self.class(low) == self.class(words[0]) {
            true => [low, 0.into()],
            false => [words[0], 0.into()],
        }
    }

    fn mul64_s(&mut self, a: [X; 2], b: [X; 2]) -> Sub {
        let lo = self.s(Sop2::s_mul_i32, &[a[0], b[0]]);
        let mut hi = self.s(Sop2::s_mul_hi_u32, &[a[0], b[0]]);
        for (x, y) in [(a[1], b[0]), (a[0], b[1])] {
            if x == X::K(0) || y == X::K(0) {
                continue;
            }
            let cross = self.s(Sop2::s_mul_i32, &[x, y]);
            hi = self.s(Sop2::s_add_u32, &[hi.into(), cross.into()]);
        }
        self.tuple(Class::S, &[lo.into(), hi.into()])
    }

    fn mul64_v(&mut self, a: [X; 2], b: [X; 2]) -> Sub {
        let lo = self.v(Vop3::v_mul_lo_u32, &[a[0], b[0]]);
        let mut hi = self.v(Vop3::v_mul_hi_u32, &[a[0], b[0]]);
        for (x, y) in [(a[1], b[0]), (a[0], b[1])] {
            if x == X::K(0) || y == X::K(0) {
                continue;
            }
            let cross = self.v(Vop3::v_mul_lo_u32, &[x, y]);
            hi = self.v(Vop2::v_add_nc_u32, &[hi.into(), cross.into()]);
        }
        self.tuple(Class::V, &[lo.into(), hi.into()])
    }

    // ---- comparisons and selects -----------------------------------------------------------------------------------

    pub(super) fn cmp(&mut self, pred: Pred, result: Value, a: Value, b: Value) -> Sel<Rep> {
        let Ty::Scalar(ty) = self.ty(a) else {
            return self.unsupported(format!("a comparison of {}", self.ty(a)));
        };
        if ty == Scalar::Bool {
            return Ok(Rep::Regs(self.compare_bool(pred, a, b)));
        }
        if self.salu(result, &[a, b]) {
            if let Some(op) = scalar_compare(pred, ty) {
                let (x, y) = match ty.bytes() {
                    8 => (self.s_tuple(a).into(), self.s_tuple(b).into()),
                    _ => (self.x(a, 0), self.x(b, 0)),
                };
                if self.scc_only.contains(&result) {
                    self.pending.insert(result, (op, x, y));
                    return Ok(Rep::Const(0)); // never read: its users take the pending comparison
                }
                self.scmp(op, x, y);
                return Ok(Rep::Regs(self.s(Sop2::s_cselect_b32, &[u32::MAX.into(), 0.into()])));
            }
        }
        Ok(Rep::Regs(self.compare_v(pred, ty, a, b)?))
    }

    fn compare_bool(&mut self, pred: Pred, a: Value, b: Value) -> Sub {
        let (x, y) = (self.x(a, 0), self.x(b, 0));
        match pred {
            Pred::Eq => self.s(Sop2::s_xnor_b32, &[x, y]),
            Pred::Ne => self.s(Sop2::s_xor_b32, &[x, y]),
            Pred::Lt => self.s(Sop2::s_and_not1_b32, &[y, x]),
            Pred::Gt => self.s(Sop2::s_and_not1_b32, &[x, y]),
            Pred::Le => self.s(Sop2::s_or_not1_b32, &[y, x]),
            Pred::Ge => self.s(Sop2::s_or_not1_b32, &[x, y]),
        }
    }

    /// Comparison on the VALU, into a mask.
    pub(super) fn compare_v(&mut self, pred: Pred, ty: Scalar, a: Value, b: Value) -> Sel<Sub> {
        let (x, y) = match ty {
            Scalar::Bf16 => {
                let (x, y) = (self.x(a, 0), self.x(b, 0));
                (self.bf16_to_f32(x), self.bf16_to_f32(y))
            }
            _ if ty.bytes() == 8 => (self.v_tuple(a).into(), self.v_tuple(b).into()),
            _ => (self.x(a, 0), self.x(b, 0)),
        };
        let op = vector_compare(pred, ty);
        Ok(self.vcmp(op, x, y))
    }

    /// Per lane `mask ? a : b` on tuples.
    pub(super) fn select_dwords(&mut self, mask: X, a: &[X], b: &[X]) -> Sub {
        let mask = self.mask_reg(mask);
        let out: Vec<X> = a.iter().zip(b).map(|(&a, &b)| self.cnd(mask, a, b).into()).collect();
        self.tuple(Class::V, &out)
    }

    pub(super) fn select(&mut self, result: Value, args: &[Value]) -> Sel<Rep> {
        let (c, a, b) = (args[0], args[1], args[2]);
        let ty = self.ty(a);
        let integer = matches!(ty, Ty::Scalar(s) if s.is_int());
        if integer && self.uniform(c) && self.salu(result, &[a, b]) {
            let (xs, ys) = (self.xs(a), self.xs(b));
            self.scc(c);
            let out: Vec<X> = xs
                .iter()
                .zip(&ys)
                .map(|(&x, &y)| self.s(Sop2::s_cselect_b32, &[x, y]).into())
                .collect();
            return Ok(Rep::Regs(self.tuple(Class::S, &out)));
        }
        if !self.pending.contains_key(&c) {
            if let Some(k) = self.constant(c) {
                return Ok(self.rep(if k != 0 { a } else { b }));
            }
        }
        let mask = self.mask_of(c);
        if let (Rep::Buf(x), Rep::Buf(y)) = (self.rep(a), self.rep(b)) {
            return self.select_buffer(c, x, y);
        }
        if ty == Ty::BOOL {
            let (x, y) = (self.x(a, 0), self.x(b, 0));
            let yes = self.s(Sop2::s_and_b32, &[x, mask]);
            let no = self.s(Sop2::s_and_not1_b32, &[y, mask]);
            return Ok(Rep::Regs(self.s(Sop2::s_or_b32, &[yes.into(), no.into()])));
        }
        let (xs, ys) = (self.xs(a), self.xs(b));
        Ok(Rep::Regs(self.select_dwords(mask, &xs, &ys)))
    }

    fn select_buffer(&mut self, c: Value, a: Buf, b: Buf) -> Sel<Rep> {
        if !self.uniform(c) || a.lanes.is_some() || b.lanes.is_some() {
            return self
                .unsupported("a choice between buffers that differs from lane to lane; index one buffer instead");
        }
        let mask = self.x(c, 0);
        self.scc_from_mask(mask);
        let words: Vec<X> = (0..4)
            .map(|i| {
                self.s(Sop2::s_cselect_b32, &[a.srd.dword(i).into(), b.srd.dword(i).into()])
                    .into()
            })
            .collect();
        let len = self.s(Sop2::s_cselect_b32, &[a.len, b.len]).into();
        let srd = self.tuple(Class::S, &words);
        Ok(Rep::Buf(Buf {
            srd,
            len,
            readonly: a.readonly && b.readonly,
            ..a
        }))
    }

    // ---- vectors ---------------------------------------------------------------------------------------------------

    pub(super) fn vec_build(&mut self, result: Value, args: &[Value]) -> Sel<Rep> {
        let elem = self.elem(result);
        if elem == Scalar::Bool {
            return self.unsupported("a vector of bool; use u8");
        }
        if dwords(self.ty(result)) == 0 || matches!(self.ty(result), Ty::Frag(..)) {
            return self.unsupported("building a fragment from elements");
        }
        let dwords: Vec<X> = match elem.bytes() {
            8 => args.iter().flat_map(|&a| self.xs(a)).collect(),
            4 => args.iter().map(|&a| self.x(a, 0)).collect(),
            size => {
                let per = (4 / size) as usize;
                args.chunks(per).map(|c| self.pack(size * 8, c)).collect()
            }
        };
        Ok(Rep::Regs(self.tuple(Class::V, &dwords)))
    }

    /// Packs elements of 8 or 16 bits into a dword, the first lowest.
    fn pack(&mut self, bits: u32, elems: &[Value]) -> X {
        let xs: Vec<X> = elems.iter().map(|&e| self.x(e, 0)).collect();
        if xs.iter().all(|x| matches!(x, X::K(_))) {
            let mask = (1u32 << bits) - 1;
            return xs
                .iter()
                .enumerate()
                .fold(0, |n, (i, x)| match x {
                    X::K(k) => n | (k & mask) << (i as u32 * bits),
                    _ => n,
                })
                .into();
        }
        if bits == 16 {
            return match xs[..] {
                // Bytes 5, 4 of {second, first} over bytes 1, 0: selector from the v_perm_b32 byte table.
                [first, second] => self.v(Vop3::v_perm_b32, &[second, first, 0x0504_0100.into()]).into(),
                _ => self.v(Vop2::v_and_b32, &[0xffff.into(), xs[0]]).into(),
            };
        }
        let mut out: X = self.v(Vop2::v_and_b32, &[0xff.into(), xs[0]]).into();
        for (i, &x) in xs.iter().enumerate().skip(1) {
            let low = self.v(Vop2::v_and_b32, &[0xff.into(), x]);
            out = self
                .v(Vop3::v_lshl_or_b32, &[low.into(), (8 * i as u32).into(), out])
                .into();
        }
        out
    }

    pub(super) fn vec_get(&mut self, v: Value, index: u32) -> Sel<Rep> {
        let elem = self.elem(v);
        let acc = matches!(self.ty(v), Ty::Frag(t0_ir::Role::Acc, _));
        let Rep::Regs(all) = self.rep(v) else {
            return self.unsupported("an element of this value");
        };
        Ok(Rep::Regs(match elem.bytes() {
            8 => all.slice(2 * index, 2),
            4 => all.dword(index),
            _ if acc => {
                let x = all.dword(index);
                if elem.is_float() {
                    x
                } else {
                    self.extend(elem, x)
                }
            }
            size => self.unpack(elem, all.dword(index * size / 4), index * size % 4),
        }))
    }

    /// The element at byte `at` of a dword.
    fn unpack(&mut self, elem: Scalar, x: Sub, at: u32) -> Sub {
        let bits = elem.bits();
        if elem.is_float() {
            return match at {
                0 => x,
                _ => self.v(Vop2::v_lshrrev_b32, &[16.into(), x.into()]),
            };
        }
        let op = if elem.is_signed() {
            Vop3::v_bfe_i32
        } else {
            Vop3::v_bfe_u32
        };
        self.v(op, &[x.into(), (8 * at).into(), bits.into()])
    }

    /// EXEC as a source.
    pub(super) fn exec() -> X {
        Reg::EXEC.into()
    }

    /// SCC = "the scalar is not 0".
    pub(super) fn scc_if_nonzero(&mut self, x: X) {
        self.scmp(Sopc::s_cmp_lg_u32, x, 0.into());
    }
}

fn vector_compare(pred: Pred, ty: Scalar) -> Vopc {
    use Pred::*;
    use Vopc::*;
    match (ty, pred) {
        (Scalar::F32 | Scalar::Bf16, Eq) => v_cmp_eq_f32,
        (Scalar::F32 | Scalar::Bf16, Ne) => v_cmp_neq_f32,
        (Scalar::F32 | Scalar::Bf16, Lt) => v_cmp_lt_f32,
        (Scalar::F32 | Scalar::Bf16, Le) => v_cmp_le_f32,
        (Scalar::F32 | Scalar::Bf16, Gt) => v_cmp_gt_f32,
        (Scalar::F32 | Scalar::Bf16, Ge) => v_cmp_ge_f32,
        (Scalar::F16, Eq) => v_cmp_eq_f16,
        (Scalar::F16, Ne) => v_cmp_neq_f16,
        (Scalar::F16, Lt) => v_cmp_lt_f16,
        (Scalar::F16, Le) => v_cmp_le_f16,
        (Scalar::F16, Gt) => v_cmp_gt_f16,
        (Scalar::F16, Ge) => v_cmp_ge_f16,
        (Scalar::F64, Eq) => v_cmp_eq_f64,
        (Scalar::F64, Ne) => v_cmp_neq_f64,
        (Scalar::F64, Lt) => v_cmp_lt_f64,
        (Scalar::F64, Le) => v_cmp_le_f64,
        (Scalar::F64, Gt) => v_cmp_gt_f64,
        (Scalar::F64, Ge) => v_cmp_ge_f64,
        (Scalar::I64, Eq) => v_cmp_eq_i64,
        (Scalar::I64, Ne) => v_cmp_ne_i64,
        (Scalar::I64, Lt) => v_cmp_lt_i64,
        (Scalar::I64, Le) => v_cmp_le_i64,
        (Scalar::I64, Gt) => v_cmp_gt_i64,
        (Scalar::I64, Ge) => v_cmp_ge_i64,
        (Scalar::U64, Eq) => v_cmp_eq_u64,
        (Scalar::U64, Ne) => v_cmp_ne_u64,
        (Scalar::U64, Lt) => v_cmp_lt_u64,
        (Scalar::U64, Le) => v_cmp_le_u64,
        (Scalar::U64, Gt) => v_cmp_gt_u64,
        (Scalar::U64, Ge) => v_cmp_ge_u64,
        (_, Eq) => v_cmp_eq_u32,
        (_, Ne) => v_cmp_ne_u32,
        (t, Lt) if t.is_signed() => v_cmp_lt_i32,
        (t, Le) if t.is_signed() => v_cmp_le_i32,
        (t, Gt) if t.is_signed() => v_cmp_gt_i32,
        (t, Ge) if t.is_signed() => v_cmp_ge_i32,
        (_, Lt) => v_cmp_lt_u32,
        (_, Le) => v_cmp_le_u32,
        (_, Gt) => v_cmp_gt_u32,
        (_, Ge) => v_cmp_ge_u32,
    }
}
