//! Instructions whose result may not lie where one of their sources does, though the source ends there.
#![allow(clippy::unwrap_used)]

use t0_backend_rdna3::isa::{Enc, Mods, Opcode, Operand, Vop1, Vop3sd};
use t0_backend_rdna3::mir::{Class, MBlock, MFunc, MInst, MOp, MOperand};
use t0_backend_rdna3::passes::allocate::allocate;
use t0_backend_rdna3::target::GFX1100;
use t0_ir::Span;

fn inst(op: Opcode, operands: Vec<MOperand>) -> MInst {
    MInst {
        op: MOp::Isa(op),
        enc: Enc::Natural,
        operands,
        mods: Mods::for_op(op),
        span: Span::default(),
        shared: false,
        atomic: None,
    }
}

#[test]
fn a_64_bit_multiply_add_does_not_write_over_its_sources() {
    for mad in [Vop3sd::v_mad_u64_u32, Vop3sd::v_mad_i64_i32] {
        let mut m = MFunc::default();
        let (x, y, sum) = (m.vreg(Class::V, 1), m.vreg(Class::V, 1), m.vreg(Class::V, 2));
        let (to, carry) = (m.vreg(Class::V, 2), m.vreg(Class::S, 1));
        let one = || MOperand::Isa(Operand::Const(129));
        let set = |to: MOperand| inst(Vop1::v_mov_b32.into(), vec![to, one()]);
        let insts = vec![
            set(x.into()),
            set(y.into()),
            inst_undefined(sum.into()),
            set(sum.dword(0).into()),
            set(sum.dword(1).into()),
            inst(
                mad.into(),
                vec![to.into(), carry.into(), x.into(), y.into(), sum.into()],
            ),
            inst(Vop1::v_mov_b32.into(), vec![x.into(), to.dword(0).into()]),
            inst(Vop1::v_mov_b32.into(), vec![y.into(), to.dword(1).into()]),
        ];
        m.blocks = vec![MBlock { insts, depth: 0 }];
        let a = allocate(&m, &GFX1100).unwrap();
        let of = |s: t0_backend_rdna3::mir::Sub| {
            let first = a.base[s.reg.0 as usize];
            first..first + s.count
        };
        for source in [x, y, sum] {
            let (to, source) = (of(to), of(source));
            assert!(
                to.end <= source.start || source.end <= to.start,
                "{mad:?}: {to:?} and {source:?}"
            );
        }
    }
}

fn inst_undefined(to: MOperand) -> MInst {
    MInst {
        op: MOp::ImplicitDef,
        ..inst(Vop1::v_mov_b32.into(), vec![to])
    }
}
