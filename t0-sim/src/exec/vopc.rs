//! VOPC: compares into a lane mask or into EXEC. Semantics: RDNA3 ISA manual 16.10 (compare tables).

use t0_backend_rdna3::isa::{Flags, Vopc};

use std::mem::MaybeUninit;

use super::lanes::{each, lane_mask, Lanes, Row16};
use super::wide::wide;
use super::Step;
use crate::num::{f16_to_f64, FpMode};
use crate::program::Instr;
use crate::wave::{Row, Wave, EXEC, LANES};

/// The relation a compare tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Test {
    F,
    Lt,
    Eq,
    Le,
    Gt,
    /// Less or greater: false for NaN.
    Lg,
    Ge,
    /// Ordered: neither is NaN.
    O,
    U,
    Nge,
    Nlg,
    Ngt,
    Nle,
    Neq,
    Nlt,
    T,
    /// Integer not equal.
    Ne,
    Class,
}

/// Element type of a compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    F16,
    F32,
    F64,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
}

#[rustfmt::skip]
fn meaning(op: Vopc) -> (Test, Kind) {
    use Vopc::*;
    match op {
        v_cmp_f_f16 | v_cmpx_f_f16 => (Test::F, Kind::F16),
        v_cmp_lt_f16 | v_cmpx_lt_f16 => (Test::Lt, Kind::F16),
        v_cmp_eq_f16 | v_cmpx_eq_f16 => (Test::Eq, Kind::F16),
        v_cmp_le_f16 | v_cmpx_le_f16 => (Test::Le, Kind::F16),
        v_cmp_gt_f16 | v_cmpx_gt_f16 => (Test::Gt, Kind::F16),
        v_cmp_lg_f16 | v_cmpx_lg_f16 => (Test::Lg, Kind::F16),
        v_cmp_ge_f16 | v_cmpx_ge_f16 => (Test::Ge, Kind::F16),
        v_cmp_o_f16 | v_cmpx_o_f16 => (Test::O, Kind::F16),
        v_cmp_u_f16 | v_cmpx_u_f16 => (Test::U, Kind::F16),
        v_cmp_nge_f16 | v_cmpx_nge_f16 => (Test::Nge, Kind::F16),
        v_cmp_nlg_f16 | v_cmpx_nlg_f16 => (Test::Nlg, Kind::F16),
        v_cmp_ngt_f16 | v_cmpx_ngt_f16 => (Test::Ngt, Kind::F16),
        v_cmp_nle_f16 | v_cmpx_nle_f16 => (Test::Nle, Kind::F16),
        v_cmp_neq_f16 | v_cmpx_neq_f16 => (Test::Neq, Kind::F16),
        v_cmp_nlt_f16 | v_cmpx_nlt_f16 => (Test::Nlt, Kind::F16),
        v_cmp_t_f16 | v_cmpx_t_f16 => (Test::T, Kind::F16),
        v_cmp_f_f32 | v_cmpx_f_f32 => (Test::F, Kind::F32),
        v_cmp_lt_f32 | v_cmpx_lt_f32 => (Test::Lt, Kind::F32),
        v_cmp_eq_f32 | v_cmpx_eq_f32 => (Test::Eq, Kind::F32),
        v_cmp_le_f32 | v_cmpx_le_f32 => (Test::Le, Kind::F32),
        v_cmp_gt_f32 | v_cmpx_gt_f32 => (Test::Gt, Kind::F32),
        v_cmp_lg_f32 | v_cmpx_lg_f32 => (Test::Lg, Kind::F32),
        v_cmp_ge_f32 | v_cmpx_ge_f32 => (Test::Ge, Kind::F32),
        v_cmp_o_f32 | v_cmpx_o_f32 => (Test::O, Kind::F32),
        v_cmp_u_f32 | v_cmpx_u_f32 => (Test::U, Kind::F32),
        v_cmp_nge_f32 | v_cmpx_nge_f32 => (Test::Nge, Kind::F32),
        v_cmp_nlg_f32 | v_cmpx_nlg_f32 => (Test::Nlg, Kind::F32),
        v_cmp_ngt_f32 | v_cmpx_ngt_f32 => (Test::Ngt, Kind::F32),
        v_cmp_nle_f32 | v_cmpx_nle_f32 => (Test::Nle, Kind::F32),
        v_cmp_neq_f32 | v_cmpx_neq_f32 => (Test::Neq, Kind::F32),
        v_cmp_nlt_f32 | v_cmpx_nlt_f32 => (Test::Nlt, Kind::F32),
        v_cmp_t_f32 | v_cmpx_t_f32 => (Test::T, Kind::F32),
        v_cmp_f_f64 | v_cmpx_f_f64 => (Test::F, Kind::F64),
        v_cmp_lt_f64 | v_cmpx_lt_f64 => (Test::Lt, Kind::F64),
        v_cmp_eq_f64 | v_cmpx_eq_f64 => (Test::Eq, Kind::F64),
        v_cmp_le_f64 | v_cmpx_le_f64 => (Test::Le, Kind::F64),
        v_cmp_gt_f64 | v_cmpx_gt_f64 => (Test::Gt, Kind::F64),
        v_cmp_lg_f64 | v_cmpx_lg_f64 => (Test::Lg, Kind::F64),
        v_cmp_ge_f64 | v_cmpx_ge_f64 => (Test::Ge, Kind::F64),
        v_cmp_o_f64 | v_cmpx_o_f64 => (Test::O, Kind::F64),
        v_cmp_u_f64 | v_cmpx_u_f64 => (Test::U, Kind::F64),
        v_cmp_nge_f64 | v_cmpx_nge_f64 => (Test::Nge, Kind::F64),
        v_cmp_nlg_f64 | v_cmpx_nlg_f64 => (Test::Nlg, Kind::F64),
        v_cmp_ngt_f64 | v_cmpx_ngt_f64 => (Test::Ngt, Kind::F64),
        v_cmp_nle_f64 | v_cmpx_nle_f64 => (Test::Nle, Kind::F64),
        v_cmp_neq_f64 | v_cmpx_neq_f64 => (Test::Neq, Kind::F64),
        v_cmp_nlt_f64 | v_cmpx_nlt_f64 => (Test::Nlt, Kind::F64),
        v_cmp_t_f64 | v_cmpx_t_f64 => (Test::T, Kind::F64),
        v_cmp_lt_i16 | v_cmpx_lt_i16 => (Test::Lt, Kind::I16),
        v_cmp_eq_i16 | v_cmpx_eq_i16 => (Test::Eq, Kind::I16),
        v_cmp_le_i16 | v_cmpx_le_i16 => (Test::Le, Kind::I16),
        v_cmp_gt_i16 | v_cmpx_gt_i16 => (Test::Gt, Kind::I16),
        v_cmp_ne_i16 | v_cmpx_ne_i16 => (Test::Ne, Kind::I16),
        v_cmp_ge_i16 | v_cmpx_ge_i16 => (Test::Ge, Kind::I16),
        v_cmp_lt_u16 | v_cmpx_lt_u16 => (Test::Lt, Kind::U16),
        v_cmp_eq_u16 | v_cmpx_eq_u16 => (Test::Eq, Kind::U16),
        v_cmp_le_u16 | v_cmpx_le_u16 => (Test::Le, Kind::U16),
        v_cmp_gt_u16 | v_cmpx_gt_u16 => (Test::Gt, Kind::U16),
        v_cmp_ne_u16 | v_cmpx_ne_u16 => (Test::Ne, Kind::U16),
        v_cmp_ge_u16 | v_cmpx_ge_u16 => (Test::Ge, Kind::U16),
        v_cmp_f_i32 | v_cmpx_f_i32 => (Test::F, Kind::I32),
        v_cmp_lt_i32 | v_cmpx_lt_i32 => (Test::Lt, Kind::I32),
        v_cmp_eq_i32 | v_cmpx_eq_i32 => (Test::Eq, Kind::I32),
        v_cmp_le_i32 | v_cmpx_le_i32 => (Test::Le, Kind::I32),
        v_cmp_gt_i32 | v_cmpx_gt_i32 => (Test::Gt, Kind::I32),
        v_cmp_ne_i32 | v_cmpx_ne_i32 => (Test::Ne, Kind::I32),
        v_cmp_ge_i32 | v_cmpx_ge_i32 => (Test::Ge, Kind::I32),
        v_cmp_t_i32 | v_cmpx_t_i32 => (Test::T, Kind::I32),
        v_cmp_f_u32 | v_cmpx_f_u32 => (Test::F, Kind::U32),
        v_cmp_lt_u32 | v_cmpx_lt_u32 => (Test::Lt, Kind::U32),
        v_cmp_eq_u32 | v_cmpx_eq_u32 => (Test::Eq, Kind::U32),
        v_cmp_le_u32 | v_cmpx_le_u32 => (Test::Le, Kind::U32),
        v_cmp_gt_u32 | v_cmpx_gt_u32 => (Test::Gt, Kind::U32),
        v_cmp_ne_u32 | v_cmpx_ne_u32 => (Test::Ne, Kind::U32),
        v_cmp_ge_u32 | v_cmpx_ge_u32 => (Test::Ge, Kind::U32),
        v_cmp_t_u32 | v_cmpx_t_u32 => (Test::T, Kind::U32),
        v_cmp_f_i64 | v_cmpx_f_i64 => (Test::F, Kind::I64),
        v_cmp_lt_i64 | v_cmpx_lt_i64 => (Test::Lt, Kind::I64),
        v_cmp_eq_i64 | v_cmpx_eq_i64 => (Test::Eq, Kind::I64),
        v_cmp_le_i64 | v_cmpx_le_i64 => (Test::Le, Kind::I64),
        v_cmp_gt_i64 | v_cmpx_gt_i64 => (Test::Gt, Kind::I64),
        v_cmp_ne_i64 | v_cmpx_ne_i64 => (Test::Ne, Kind::I64),
        v_cmp_ge_i64 | v_cmpx_ge_i64 => (Test::Ge, Kind::I64),
        v_cmp_t_i64 | v_cmpx_t_i64 => (Test::T, Kind::I64),
        v_cmp_f_u64 | v_cmpx_f_u64 => (Test::F, Kind::U64),
        v_cmp_lt_u64 | v_cmpx_lt_u64 => (Test::Lt, Kind::U64),
        v_cmp_eq_u64 | v_cmpx_eq_u64 => (Test::Eq, Kind::U64),
        v_cmp_le_u64 | v_cmpx_le_u64 => (Test::Le, Kind::U64),
        v_cmp_gt_u64 | v_cmpx_gt_u64 => (Test::Gt, Kind::U64),
        v_cmp_ne_u64 | v_cmpx_ne_u64 => (Test::Ne, Kind::U64),
        v_cmp_ge_u64 | v_cmpx_ge_u64 => (Test::Ge, Kind::U64),
        v_cmp_t_u64 | v_cmpx_t_u64 => (Test::T, Kind::U64),
        v_cmp_class_f16 | v_cmpx_class_f16 => (Test::Class, Kind::F16),
        v_cmp_class_f32 | v_cmpx_class_f32 => (Test::Class, Kind::F32),
        v_cmp_class_f64 | v_cmpx_class_f64 => (Test::Class, Kind::F64),
    }
}

impl Test {
    /// For values with a (partial) order; NaN is unordered.
    #[inline(always)]
    #[allow(clippy::neg_cmp_op_on_partial_ord)] // The negation is the point: it is true for NaN.
    fn holds<T: PartialOrd + Copy>(self, a: T, b: T) -> bool {
        let ordered = a.partial_cmp(&b).is_some();
        match self {
            Test::F => false,
            Test::Lt => a < b,
            Test::Eq => a == b,
            Test::Le => a <= b,
            Test::Gt => a > b,
            Test::Lg => ordered && a != b,
            Test::Ge => a >= b,
            Test::O => ordered,
            Test::U => !ordered,
            Test::Nge => !(a >= b),
            Test::Nlg => !ordered || a == b,
            Test::Ngt => !(a > b),
            Test::Nle => !(a <= b),
            Test::Neq | Test::Ne => a != b,
            Test::Nlt => !(a < b),
            Test::T => true,
            Test::Class => false,
        }
    }
}

/// Compares rows with the relation resolved outside of the lane loop.
#[inline(always)]
fn rows<T: PartialOrd + Copy>(t: Test, a: &[T; LANES], b: &[T; LANES]) -> u32 {
    match t {
        Test::Lt => lane_mask(|l| a[l] < b[l]),
        Test::Eq => lane_mask(|l| a[l] == b[l]),
        Test::Le => lane_mask(|l| a[l] <= b[l]),
        Test::Gt => lane_mask(|l| a[l] > b[l]),
        Test::Ge => lane_mask(|l| a[l] >= b[l]),
        Test::Neq | Test::Ne => lane_mask(|l| a[l] != b[l]),
        _ => lane_mask(|l| t.holds(a[l], b[l])),
    }
}

impl Lanes<'_> {
    wide! {
        /// A compare of 32-bit lanes.
        fn compare32(x, test: Test, kind: Kind) -> u32 {
            let mut room = [MaybeUninit::uninit(); 2];
            let [p, q] = &mut room;
            let (a, b, m) = (x.row(0, p), x.row(1, q), x.fp);
            match kind {
                Kind::F32 => {
                    let float = |r: &Row| -> [f32; LANES] { each(|l| f32::from_bits(m.in32(r[l]))) };
                    rows(test, &float(a), &float(b))
                }
                Kind::I32 => {
                    let int = |r: &Row| -> [i32; LANES] { each(|l| r[l] as i32) };
                    rows(test, &int(a), &int(b))
                }
                _ => rows(test, a, b),
            }
        }

        /// A compare of 16-bit lanes.
        fn compare16(x, test: Test, kind: Kind) -> u32 {
            let (a, b, m) = (x.s16(0), x.s16(1), x.fp);
            match kind {
                Kind::F16 => rows(test, &half(&a, m), &half(&b, m)),
                Kind::I16 => rows(test, &a.map(|h| h as i16), &b.map(|h| h as i16)),
                _ => rows(test, &a, &b),
            }
        }

        /// A compare of 64-bit lanes.
        fn compare64(x, test: Test, kind: Kind) -> u32 {
            match kind {
                Kind::F64 => rows(test, &x.f64src(0), &x.f64src(1)),
                Kind::I64 => rows(test, &x.s64(0).map(|q| q as i64), &x.s64(1).map(|q| q as i64)),
                _ => rows(test, &x.s64(0), &x.s64(1)),
            }
        }
    }
}

pub(super) fn exec(w: &mut Wave, i: &Instr, op: Vopc) -> Step {
    let (test, kind) = meaning(op);
    let mut x = Lanes::new(w, i);
    let bits = match kind {
        _ if test == Test::Class => class(&x, kind),
        Kind::F32 | Kind::I32 | Kind::U32 => x.compare32(test, kind),
        Kind::F16 | Kind::I16 | Kind::U16 => x.compare16(test, kind),
        Kind::F64 | Kind::I64 | Kind::U64 => x.compare64(test, kind),
    };
    if i.flags.has(Flags::W_EXEC) {
        let bits = bits & x.mask;
        x.w.set_mask(EXEC, bits);
    } else {
        x.put_mask(0, bits);
    }
    Ok(())
}

#[inline(always)]
fn half(r: &Row16, m: FpMode) -> [f64; LANES] {
    each(|l| f16_to_f64(m.in16(r[l])))
}

/// V_CMP_CLASS: bit 0 signalling NaN, 1 quiet NaN, 2..=9 -inf, -normal, -denormal, -0, +0, +denormal, +normal, +inf.
fn class(x: &Lanes, kind: Kind) -> u32 {
    let wanted = if kind == Kind::F16 {
        x.s16(1).map(u32::from)
    } else {
        x.s32(1)
    };
    let (values, frac, exp): ([u64; LANES], u32, u32) = match kind {
        Kind::F16 => (x.s16(0).map(u64::from), 10, 5),
        Kind::F32 => (x.s32(0).map(u64::from), 23, 8),
        _ => (x.s64(0), 52, 11),
    };
    lane_mask(|l| wanted[l] >> class_bit(values[l], frac, exp) & 1 == 1)
}

fn class_bit(v: u64, frac: u32, exp: u32) -> u32 {
    let (f, top) = (v & ((1 << frac) - 1), (1u64 << exp) - 1);
    let e = v >> frac & top;
    let negative = v >> (frac + exp) & 1 == 1;
    match (e, f) {
        (e, 0) if e == top => {
            if negative {
                2
            } else {
                9
            }
        }
        (e, f) if e == top => (f >> (frac - 1)) as u32,
        (0, 0) => {
            if negative {
                5
            } else {
                6
            }
        }
        (0, _) => {
            if negative {
                4
            } else {
                7
            }
        }
        _ => {
            if negative {
                3
            } else {
                8
            }
        }
    }
}
