//! Floating-point arithmetic.
//!
//! f32 division and square root are correctly rounded: the `v_div_*` sequence and one correction step after `v_sqrt_f32`
//! (LLVM `SITargetLowering::LowerFDIV32`, `lowerFSQRTF32`), with denormals kept as the descriptor's mode says. f16 uses its
//! own instructions where they round correctly, otherwise f32 and one rounding (f32 has 2·11 + 2 bits, so nothing is
//! rounded twice). bf16 is f32 with operands shifted up and results rounded to nearest even. `exp`, `ln` and `log2` follow
//! LLVM's `lowerFEXP` and `LowerFLOGCommon`; `sin` and `cos` reduce to revolutions with 48 bits of 1/2π.

use super::{Rep, Sel, Select, X};
use crate::isa::{Reg, Sop1, Sop2, Sopp, Vop1, Vop2, Vop3, Vop3sd, Vopc};
use crate::mir::{Class, MOp, Sub};
use t0_ir::{OpKind, Scalar, Value};

/// `v_cmp_class_f32` bits: -0, +0, +infinity. Source: RDNA3 ISA manual, V_CMP_CLASS_F32.
const ZERO_OR_INF: u32 = 0x260;
const QUIET_NAN: u32 = 0x7fc0_0000;

impl Select<'_> {
    pub(super) fn float_arith(&mut self, kind: &OpKind, ty: Scalar, args: &[Value]) -> Sel<Rep> {
        use OpKind as K;
        if ty == Scalar::F64 {
            return self.unsupported(format!("`{}` on f64; use f32", kind.row().name));
        }
        let xs: Vec<X> = args.iter().map(|&a| self.x(a, 0)).collect();
        let sign = if ty == Scalar::F32 { 0x8000_0000u32 } else { 0x8000 };
        match kind {
            K::Neg => return Ok(Rep::Regs(self.v(Vop2::v_xor_b32, &[sign.into(), xs[0]]))),
            K::Abs => return Ok(Rep::Regs(self.v(Vop2::v_and_b32, &[(sign - 1).into(), xs[0]]))),
            _ => {}
        }
        if ty == Scalar::F16 {
            if let Some(out) = self.f16_native(kind, &xs) {
                return Ok(Rep::Regs(out));
            }
        }
        let xs: Vec<X> = xs.iter().map(|&x| self.widen_to_f32(ty, x)).collect();
        let out = self.f32_arith(kind, &xs)?;
        Ok(Rep::Regs(self.narrow_f32(ty, out)))
    }

    fn f16_native(&mut self, kind: &OpKind, xs: &[X]) -> Option<Sub> {
        use OpKind as K;
        Some(match kind {
            K::Add => self.v(Vop2::v_add_f16, xs),
            K::Sub => self.v(Vop2::v_sub_f16, xs),
            K::Mul => self.v(Vop2::v_mul_f16, xs),
            K::Min => self.v(Vop2::v_min_f16, xs),
            K::Max => self.v(Vop2::v_max_f16, xs),
            K::MulAdd => self.v(Vop3::v_fma_f16, xs),
            K::Floor => self.v(Vop1::v_floor_f16, xs),
            K::Ceil => self.v(Vop1::v_ceil_f16, xs),
            K::Trunc => self.v(Vop1::v_trunc_f16, xs),
            K::RoundEven => self.v(Vop1::v_rndne_f16, xs),
            _ => return None,
        })
    }

    fn f32_arith(&mut self, kind: &OpKind, xs: &[X]) -> Sel<Sub> {
        use OpKind as K;
        Ok(match kind {
            K::Add => self.v(Vop2::v_add_f32, xs),
            K::Sub => self.v(Vop2::v_sub_f32, xs),
            K::Mul => self.v(Vop2::v_mul_f32, xs),
            K::Div => self.div_f32(xs[0], xs[1]),
            K::Rem => self.rem_f32(xs[0], xs[1]),
            // The descriptor clears IEEE_MODE: for any NaN operand the result is the other one.
            K::Min => self.v(Vop2::v_min_f32, xs),
            K::Max => self.v(Vop2::v_max_f32, xs),
            K::MulAdd => self.v(Vop3::v_fma_f32, xs),
            K::Sqrt => self.sqrt_f32(xs[0]),
            K::Exp => self.exp_f32(xs[0]),
            K::Exp2 => self.exp2_f32(xs[0]),
            K::Ln => self.ln_f32(xs[0]),
            K::Log2 => self.log2_f32(xs[0]),
            K::Sin => self.revolutions_then(Vop1::v_sin_f32, xs[0]),
            K::Cos => self.revolutions_then(Vop1::v_cos_f32, xs[0]),
            K::Floor => self.v(Vop1::v_floor_f32, xs),
            K::Ceil => self.v(Vop1::v_ceil_f32, xs),
            K::Trunc => self.v(Vop1::v_trunc_f32, xs),
            K::RoundEven => self.v(Vop1::v_rndne_f32, xs),
            _ => return self.unsupported(format!("`{}` on floats", kind.row().name)),
        })
    }

    // ---- conversions between float formats -------------------------------------------------------------------------

    /// A bf16 as an f32.
    pub(super) fn bf16_to_f32(&mut self, x: X) -> X {
        match x {
            X::K(k) => X::K(k << 16),
            _ => self.v(Vop2::v_lshlrev_b32, &[16.into(), x]).into(),
        }
    }

    /// A float of at most 32 bits as an f32.
    pub(super) fn widen_to_f32(&mut self, ty: Scalar, x: X) -> X {
        match ty {
            Scalar::Bf16 => self.bf16_to_f32(x),
            Scalar::F16 => self.v(Vop1::v_cvt_f32_f16, &[x]).into(),
            _ => x,
        }
    }

    /// An f32 rounded to a float type of at most 32 bits.
    pub(super) fn narrow_f32(&mut self, ty: Scalar, x: Sub) -> Sub {
        match ty {
            Scalar::F16 => self.v(Vop1::v_cvt_f16_f32, &[x.into()]),
            Scalar::Bf16 => self.f32_to_bf16(x),
            _ => x,
        }
    }

    /// To nearest, ties to even: adds half a unit less the last kept bit's complement; a NaN keeps its top bits, quieted.
    fn f32_to_bf16(&mut self, x: Sub) -> Sub {
        let x = X::from(x);
        let odd = self.v(Vop3::v_bfe_u32, &[x, 16.into(), 1.into()]);
        let rounded = self.v(Vop3::v_add3_u32, &[x, odd.into(), 0x7fff.into()]);
        let nan = self.vcmp(Vopc::v_cmp_u_f32, x, x);
        let quiet = self.v(Vop2::v_or_b32, &[0x40_0000.into(), x]);
        let out = self.cnd(nan.into(), quiet.into(), rounded.into());
        self.v(Vop2::v_lshrrev_b32, &[16.into(), out.into()])
    }

    // ---- division, remainder, square root --------------------------------------------------------------------------

    /// `fma(±a, b, c)`; `neg`: bit 0 negates a, bit 2 negates c.
    fn fma(&mut self, a: X, b: X, c: X, neg: u32) -> X {
        self.vm(Vop3::v_fma_f32, &[a, b, c], |m| m.neg = neg).into()
    }

    fn div_f32(&mut self, a: X, b: X) -> Sub {
        if let X::K(k) = b {
            // Powers of two whose reciprocal is a normal number: the product is the quotient.
            let (mantissa, exponent) = (k & 0x7f_ffff, k >> 23 & 0xff);
            if mantissa == 0 && (1..=253).contains(&exponent) {
                let reciprocal = (k & 0x8000_0000) | (254 - exponent) << 23;
                return self.v(Vop2::v_mul_f32, &[reciprocal.into(), a]);
            }
        }
        let (a, b) = (X::from(self.in_v(a)), X::from(self.in_v(b)));
        let den = self.m.vreg(Class::V, 1);
        self.inst(Vop3sd::v_div_scale_f32, &[den.into(), Reg::NULL.into(), b, b, a]);
        let den = X::from(den);
        let r = X::from(self.v(Vop1::v_rcp_f32, &[den]));
        let e = self.fma(den, r, 1.0f32.into(), 1);
        let r = self.fma(e, r, r, 0);
        let num = self.m.vreg(Class::V, 1);
        self.inst(Vop3sd::v_div_scale_f32, &[num.into(), Reg::VCC.into(), a, b, a]);
        let num = X::from(num);
        let q = X::from(self.v(Vop2::v_mul_f32, &[num, r]));
        let e = self.fma(den, q, num, 1);
        let q = self.fma(e, r, q, 0);
        let e = self.fma(den, q, num, 1);
        let q = self.v(Vop3::v_div_fmas_f32, &[e, r, q]);
        self.v(Vop3::v_div_fixup_f32, &[q.into(), b, a])
    }

    /// Long division: while r ≥ y, subtract the largest y·2^k ≤ r, which is exact.
    fn rem_f32(&mut self, a: X, b: X) -> Sub {
        let r = self.m.vreg(Class::V, 1);
        self.m.vregs[r.reg.0 as usize].sticky = true;
        self.pseudo(MOp::ImplicitDef, vec![r.into()]);
        self.inst(Vop2::v_and_b32, &[r.into(), 0x7fff_ffff.into(), a]);
        let r = X::from(r);
        let y = X::from(self.v(Vop2::v_and_b32, &[0x7fff_ffff.into(), b]));
        // No result for a divisor of 0 or an infinite dividend: a NaN divisor ends the loop at once.
        let zero = self.vcmp(Vopc::v_cmp_eq_f32, 0.into(), y);
        let infinite = self.vcmp(Vopc::v_cmp_eq_f32, f32::INFINITY.into(), r);
        let invalid = self.s(Sop2::s_or_b32, &[zero.into(), infinite.into()]);
        let y = X::from(self.cnd(invalid.into(), QUIET_NAN.into(), y));
        let (head, exit) = (self.label(), self.label());
        let saved = self.s(Sop1::s_mov_b32, &[Self::exec()]);
        self.depth += 1;
        self.bind(head);
        let more = self.vcmp(Vopc::v_cmp_ge_f32, r, y);
        self.inst(Sop2::s_and_b32, &[Self::exec(), Self::exec(), more.into()]);
        self.branch(Sopp::s_cbranch_execz, exit);
        let er = self.v(Vop1::v_frexp_exp_i32_f32, &[r]);
        let ey = self.v(Vop1::v_frexp_exp_i32_f32, &[y]);
        let k = self.v(Vop2::v_sub_nc_u32, &[er.into(), ey.into()]);
        let k1 = self.v(Vop2::v_add_nc_u32, &[u32::MAX.into(), k.into()]);
        let t = self.v(Vop3::v_ldexp_f32, &[y, k.into()]);
        let t1 = self.v(Vop3::v_ldexp_f32, &[y, k1.into()]);
        let above = self.vcmp(Vopc::v_cmp_gt_f32, t.into(), r);
        let t = self.cnd(above.into(), t1.into(), t.into());
        self.inst(Vop2::v_sub_f32, &[r, r, t.into()]);
        self.depth -= 1;
        self.branch(Sopp::s_branch, head);
        self.bind(exit);
        self.inst(Sop1::s_mov_b32, &[Self::exec(), saved.into()]);
        // The sign of the dividend: v_bfi_b32 takes the bits of its second operand where the first has ones.
        let signed = self.v(Vop3::v_bfi_b32, &[0x7fff_ffff.into(), r, a]);
        let nan = self.vcmp(Vopc::v_cmp_u_f32, r, y);
        self.cnd(nan.into(), QUIET_NAN.into(), signed.into())
    }

    fn sqrt_f32(&mut self, x: X) -> Sub {
        // Small operands are scaled by 2^32 so that the products of the correction do not underflow.
        let small = X::from(self.vcmp(Vopc::v_cmp_gt_f32, 0x0f80_0000.into(), x));
        let scaled = self.v(Vop2::v_mul_f32, &[0x4f80_0000.into(), x]);
        let x = X::from(self.cnd(small, scaled.into(), x));
        let s = X::from(self.v(Vop1::v_sqrt_f32, &[x]));
        let down = X::from(self.v(Vop2::v_add_nc_u32, &[u32::MAX.into(), s]));
        let up = X::from(self.v(Vop2::v_add_nc_u32, &[1.into(), s]));
        let below = self.fma(down, s, x, 1);
        let above = self.fma(up, s, x, 1);
        let use_down = self.vcmp(Vopc::v_cmp_ge_f32, 0.into(), below);
        let root = self.cnd(use_down.into(), down, s);
        let use_up = self.vcmp(Vopc::v_cmp_lt_f32, 0.into(), above);
        let root = X::from(self.cnd(use_up.into(), up, root.into()));
        let unscaled = self.v(Vop2::v_mul_f32, &[0x3780_0000.into(), root]);
        let root = self.cnd(small, unscaled.into(), root);
        let exact = self.vcmp(Vopc::v_cmp_class_f32, x, ZERO_OR_INF.into());
        self.cnd(exact.into(), x, root.into())
    }

    // ---- exponentials and logarithms -------------------------------------------------------------------------------

    fn exp_f32(&mut self, x: X) -> Sub {
        let x = X::from(self.in_v(x));
        const LOG2E: u32 = 0x3fb8_aa3b; // 0x1.715476p+0
        const LOG2E_LOW: u32 = 0x32a5_705f; // 0x1.4ae0bep-26
        let high = X::from(self.v(Vop2::v_mul_f32, &[LOG2E.into(), x]));
        let low = self.fma(x, LOG2E.into(), high, 4);
        let low = self.fma(x, LOG2E_LOW.into(), low, 0);
        let whole = X::from(self.v(Vop1::v_rndne_f32, &[high]));
        let part = self.v(Vop2::v_sub_f32, &[high, whole]);
        let part = self.v(Vop2::v_add_f32, &[part.into(), low]);
        let power = self.v(Vop1::v_exp_f32, &[part.into()]);
        let exponent = self.v(Vop1::v_cvt_i32_f32, &[whole]);
        let out = self.v(Vop3::v_ldexp_f32, &[power.into(), exponent.into()]);
        // Below -103.28 even the smallest denormal is too large, above 88.72 the result overflows.
        let under = self.vcmp(Vopc::v_cmp_gt_f32, 0xc2ce_8ed0.into(), x);
        let out = self.cnd(under.into(), 0.into(), out.into());
        let over = self.vcmp(Vopc::v_cmp_lt_f32, 0x42b1_7218.into(), x);
        self.cnd(over.into(), f32::INFINITY.into(), out.into())
    }

    fn exp2_f32(&mut self, x: X) -> Sub {
        // v_exp_f32 has no denormal results: the range below 2^-126 is computed 2^64 higher.
        let small = X::from(self.vcmp(Vopc::v_cmp_gt_f32, (-126.0f32).into(), x));
        let offset = self.cnd(small, 64.0f32.into(), 0.into());
        let shifted = self.v(Vop2::v_add_f32, &[x, offset.into()]);
        let power = self.v(Vop1::v_exp_f32, &[shifted.into()]);
        let scale = self.cnd(small, 0x1f80_0000.into(), 1.0f32.into());
        self.v(Vop2::v_mul_f32, &[power.into(), scale.into()])
    }

    /// log2 of x·2^32 for denormal x, of x otherwise, and the mask of the former.
    fn log2_scaled(&mut self, x: X) -> (X, X) {
        let small = X::from(self.vcmp(Vopc::v_cmp_gt_f32, 0x0080_0000.into(), x));
        let scale = self.cnd(small, 0x4f80_0000.into(), 1.0f32.into());
        let scaled = self.v(Vop2::v_mul_f32, &[x, scale.into()]);
        (self.v(Vop1::v_log_f32, &[scaled.into()]).into(), small)
    }

    fn log2_f32(&mut self, x: X) -> Sub {
        let (y, small) = self.log2_scaled(x);
        let offset = self.cnd(small, 32.0f32.into(), 0.into());
        self.v(Vop2::v_sub_f32, &[y, offset.into()])
    }

    fn ln_f32(&mut self, x: X) -> Sub {
        const LN2: u32 = 0x3f31_7217; // 0x1.62e42ep-1
        const LN2_LOW: u32 = 0x3377_d1cf; // 0x1.efa39ep-25
        let (y, small) = self.log2_scaled(x);
        let product = X::from(self.v(Vop2::v_mul_f32, &[LN2.into(), y]));
        let error = self.fma(y, LN2.into(), product, 4);
        let error = self.fma(y, LN2_LOW.into(), error, 0);
        let out = self.v(Vop2::v_add_f32, &[product, error]);
        // Infinities make the error term NaN.
        let finite = self.s(Vopc::v_cmp_gt_f32, &[f32::INFINITY.into(), y]);
        if let Some(last) = self.m.blocks.last_mut().and_then(|b| b.insts.last_mut()) {
            last.mods.abs = 2; // |y|
        }
        let out = self.cnd(finite.into(), out.into(), y);
        let offset = self.cnd(small, 0x41b1_7218.into(), 0.into()); // 32 ln 2
        self.v(Vop2::v_sub_f32, &[out.into(), offset.into()])
    }

    /// `v_sin_f32`/`v_cos_f32` of x/2π: the product in two parts, whole revolutions dropped from the high one.
    fn revolutions_then(&mut self, op: Vop1, x: X) -> Sub {
        const PER_TURN: u32 = 0x3e22_f983; // 0x1.45f306p-3
        const PER_TURN_LOW: u32 = 0x31dc_9c88; // 0x1.b9391p-28
        let x = X::from(self.in_v(x));
        let high = X::from(self.v(Vop2::v_mul_f32, &[PER_TURN.into(), x]));
        let low = self.fma(x, PER_TURN.into(), high, 4);
        let low = self.fma(x, PER_TURN_LOW.into(), low, 0);
        let part = self.v(Vop1::v_fract_f32, &[high]);
        let turn = self.v(Vop2::v_add_f32, &[part.into(), low]);
        self.v(op, &[turn.into()])
    }
}
