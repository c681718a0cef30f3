//! Floating-point operations of an instruction, as peak rates count them: a fused multiply-add is two, conversions,
//! comparisons, minima and integer work are none. Only lanes that are on count; matrix instructions do not look at EXEC.

use t0_backend_rdna3::isa::{Class, Opcode};

use crate::program::Instr;

/// Operations of an instruction that waves issued `issued` times, with `lanes` lanes on in all.
pub(super) fn of(i: &Instr, issued: u64, lanes: u64) -> u64 {
    if i.class == Class::Wmma {
        // D = A·B + C of 16 × 16 × 16; those of integers are counted the same way, see `integer`.
        return 2 * 16 * 16 * 16 * issued;
    }
    let each = match &i.pair {
        Some(p) => of_lane(p.first.op) + of_lane(p.second.op),
        None => of_lane(i.op),
    };
    each * lanes
}

/// Whether these operations are of integers.
pub(super) fn integer(i: &Instr) -> bool {
    i.op.name().starts_with("v_wmma_i32")
}

fn of_lane(op: Opcode) -> u64 {
    let name = op.name();
    let float = |n: &str| ["_f32", "_f16", "_f64", "_bf16"].iter().any(|t| n.contains(t));
    let Some(name) = name.strip_prefix("v_").filter(|n| float(n)) else {
        return 0;
    };
    let name = name.strip_prefix("dual_").unwrap_or(name);
    let (name, halves) = match name.strip_prefix("pk_") {
        Some(rest) => (rest, 2),
        None => (name, 1),
    };
    let starts = |all: &[&str]| all.iter().any(|p| name.starts_with(p));
    let each = if starts(&["dot2"]) {
        4
    } else if starts(&["fma_", "fmac_", "fmaak_", "fmamk_", "mad_"]) {
        2
    } else {
        u64::from(starts(&["add_f", "sub_f", "subrev_f", "mul_f"]))
    };
    each * halves
}

#[cfg(test)]
mod tests {
    use super::*;
    use t0_backend_rdna3::isa::{Vop1, Vop2, Vop3p};

    #[test]
    fn operations() {
        assert_eq!(of_lane(Opcode::Vop2(Vop2::v_add_f32)), 1);
        assert_eq!(of_lane(Opcode::Vop2(Vop2::v_fmac_f32)), 2);
        assert_eq!(of_lane(Opcode::Vop3p(Vop3p::v_pk_fma_f16)), 4);
        assert_eq!(of_lane(Opcode::Vop3p(Vop3p::v_dot2_f32_f16)), 4);
        assert_eq!(of_lane(Opcode::Vop2(Vop2::v_max_f32)), 0);
        assert_eq!(of_lane(Opcode::Vop2(Vop2::v_add_nc_u32)), 0);
        assert_eq!(of_lane(Opcode::Vop1(Vop1::v_cvt_f32_u32)), 0);
    }
}
