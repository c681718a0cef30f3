//! Pairing rules of dual-issue instructions.
//!
//! Both halves read the register file in the same cycle, so their registers must lie in different banks: sources 0 and 1
//! in different ones of four, source 2 (the accumulator, or the last operand of `fmamk`) and the destination in different
//! ones of two. Sources: RDNA3 ISA manual section 7.6 and LLVM 19 `VOPD::InstInfo`; each case compared with llvm-mc.

use super::legal::EncodeError;
use super::row::{Field, Kind, Row};
use super::{Operand, RegFile};

/// VGPR numbers of one half: destination, source 0, 1, 2.
type Regs = [Option<u32>; 4];

fn registers(row: &Row, operands: &[Operand]) -> Regs {
    let mut regs = [None; 4];
    // The multiplicand of `fmamk` takes the third source's read port.
    let last = row.operands.iter().position(|s| s.kind == Kind::Literal) == Some(2);
    for (spec, o) in row.operands.iter().zip(operands) {
        let v = match o {
            Operand::Reg(r) if r.file == RegFile::V => Some(r.index),
            _ => None,
        };
        match spec.field {
            Field::Vdst | Field::VdstY => {
                regs[0] = v;
                if spec.is_src() {
                    regs[3] = v;
                }
            }
            Field::Src0 | Field::Src0Y => regs[1] = v,
            Field::Src1 | Field::Src1Y if last => regs[3] = v,
            Field::Src1 | Field::Src1Y => regs[2] = v,
            _ => {}
        }
    }
    regs
}

/// Checks the two halves against each other; `operands` are those of `x`, then those of `y`.
pub(crate) fn check(x: &'static Row, y: &Row, operands: &[Operand]) -> Result<(), EncodeError> {
    let (of_x, of_y) = operands.split_at(x.operands.len().min(operands.len()));
    let (a, b) = (registers(x, of_x), registers(y, of_y));
    let clash = |i: usize, banks: u32| matches!((a[i], b[i]), (Some(p), Some(q)) if p % banks == q % banks);
    if clash(0, 2) {
        return Err(EncodeError::PairDst { name: x.name });
    }
    for (i, source_name, banks) in [(1, "src0", 4), (2, "src1", 4), (3, "src2", 2)] {
        if clash(i, banks) {
            return Err(EncodeError::PairBank {
                name: x.name,
                source_name,
                banks,
            });
        }
    }
    Ok(())
}

/// VGPRs that `src0` and `src1` of the two halves read; `None` for what is no pair.
pub(crate) fn sources(inst: &super::Inst) -> Option<[[Option<u32>; 2]; 2]> {
    let y = inst.vopd_y?;
    let x = inst.row();
    let (of_x, of_y) = inst.operands.split_at(x.operands.len().min(inst.operands.len()));
    let (a, b) = (registers(x, of_x), registers(y.row(), of_y));
    Some([[a[1], a[2]], [b[1], b[2]]])
}
