//! Bit layouts of the encoding forms: where each field sits.
//!
//! Source: AMD machine-readable RDNA3 ISA (field positions), spot-checked against LLVM 19. Bit 0 is the least
//! significant bit of the first dword; 64-bit forms are one little-endian u64.

use super::row::{Family, Field, Flags, Row};
use super::Enc;

/// A concrete bit layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Sop1,
    Sop2,
    Sopc,
    Sopk,
    Sopp,
    Smem,
    Vop1,
    Vop2,
    Vopc,
    Vop3,
    Vop3sd,
    Vop3p,
    Vopd,
    Ds,
    Flat,
    Mubuf,
    Mtbuf,
    Mimg,
    Ldsdir,
    Vinterp,
    Exp,
}

impl Form {
    /// The layout a row uses under an encoding; `None` when the row has no such form.
    pub(crate) fn of(row: &Row, enc: Enc) -> Option<Form> {
        let natural = match row.family {
            Family::Sop1 => Form::Sop1,
            Family::Sop2 => Form::Sop2,
            Family::Sopc => Form::Sopc,
            Family::Sopk => Form::Sopk,
            Family::Sopp => Form::Sopp,
            Family::Smem => Form::Smem,
            Family::Vop1 => Form::Vop1,
            Family::Vop2 => Form::Vop2,
            Family::Vopc => Form::Vopc,
            Family::Vop3 => Form::Vop3,
            Family::Vop3sd => Form::Vop3sd,
            Family::Vop3p => Form::Vop3p,
            Family::Vopdx => Form::Vopd,
            // Only ever the second half of a `Vopdx` instruction.
            Family::Vopdy => return None,
            Family::Ds => Form::Ds,
            Family::Flat => Form::Flat,
            Family::Mubuf => Form::Mubuf,
            Family::Mtbuf => Form::Mtbuf,
            Family::Mimg => Form::Mimg,
            Family::Ldsdir => Form::Ldsdir,
            Family::Vinterp => Form::Vinterp,
            Family::Exp => Form::Exp,
        };
        if enc.is_dpp() && (!natural.is_vector_alu() || row.flags.has(Flags::NO_DPP)) {
            return None;
        }
        if matches!(enc, Enc::Nsa(_)) && natural != Form::Mimg {
            return None;
        }
        if !enc.is_e64() {
            return Some(natural);
        }
        row.e64_code()?;
        // Carry-in/out additions keep a scalar destination in the 64-bit form.
        let sdst = row.family == Family::Vop2
            && row
                .operands
                .get(1)
                .is_some_and(|o| o.field == Field::Fixed && o.is_dst());
        Some(if sdst { Form::Vop3sd } else { Form::Vop3 })
    }

    pub(crate) fn is_vector_alu(self) -> bool {
        matches!(
            self,
            Form::Vop1 | Form::Vop2 | Form::Vopc | Form::Vop3 | Form::Vop3sd | Form::Vop3p | Form::Vopd
        )
    }

    /// Fixed top bits and the position of the opcode: (prefix, prefix shift, opcode shift, opcode width).
    pub(crate) fn opcode(self) -> (u64, u32, u32, u32) {
        match self {
            Form::Sop1 => (0b1_0111_1101, 23, 8, 8),
            Form::Sop2 => (0b10, 30, 23, 7),
            Form::Sopc => (0b1_0111_1110, 23, 16, 7),
            Form::Sopk => (0b1011, 28, 23, 5),
            Form::Sopp => (0b1_0111_1111, 23, 16, 7),
            Form::Smem => (0b11_1101, 26, 18, 8),
            Form::Vop1 => (0b011_1111, 25, 9, 8),
            Form::Vop2 => (0, 31, 25, 6),
            Form::Vopc => (0b011_1110, 25, 17, 8),
            Form::Vop3 | Form::Vop3sd => (0b11_0101, 26, 16, 10),
            Form::Vop3p => (0b1100_1100, 24, 16, 7),
            Form::Vopd => (0b11_0010, 26, 22, 4),
            Form::Ds => (0b11_0110, 26, 18, 8),
            Form::Flat => (0b11_0111, 26, 18, 7),
            Form::Mubuf => (0b11_1000, 26, 18, 8),
            Form::Mtbuf => (0b11_1010, 26, 15, 4),
            Form::Mimg => (0b11_1100, 26, 18, 8),
            Form::Ldsdir => (0b1100_1110, 24, 20, 2),
            Form::Vinterp => (0b1100_1101, 24, 16, 7),
            Form::Exp => (0b11_1110, 26, 0, 0),
        }
    }

    /// Base size in bytes, without literal or DPP dword.
    pub(crate) fn bytes(self) -> usize {
        match self {
            Form::Sop1 | Form::Sop2 | Form::Sopc | Form::Sopk | Form::Sopp => 4,
            Form::Vop1 | Form::Vop2 | Form::Vopc | Form::Ldsdir => 4,
            _ => 8,
        }
    }

    /// Shift and width of a field.
    /// The 32-bit encodings of vector instructions.
    pub(crate) fn is_short(self) -> bool {
        matches!(self, Form::Vop1 | Form::Vop2 | Form::Vopc)
    }

    pub(crate) fn field(self, field: Field) -> Option<(u32, u32)> {
        Some(match (self, field) {
            (Form::Sop1 | Form::Sop2 | Form::Sopk, Field::Sdst) => (16, 7),
            (Form::Sop1 | Form::Sop2 | Form::Sopc, Field::Src0) => (0, 8),
            (Form::Sop2 | Form::Sopc, Field::Src1) => (8, 8),
            (Form::Sopk | Form::Sopp, Field::Simm16) => (0, 16),
            (Form::Smem, Field::Sdst) => (6, 7),
            (Form::Smem, Field::Sbase) => (0, 6),
            (Form::Smem, Field::Soffset) => (57, 7),
            (Form::Vop1 | Form::Vop2, Field::Vdst) => (17, 8),
            (Form::Vop1 | Form::Vop2 | Form::Vopc, Field::Src0) => (0, 9),
            (Form::Vop2 | Form::Vopc, Field::Src1) => (9, 8),
            (Form::Vop3 | Form::Vop3sd | Form::Vop3p | Form::Vinterp | Form::Ldsdir, Field::Vdst) => (0, 8),
            (Form::Vop3 | Form::Vop3sd | Form::Vop3p | Form::Vinterp, Field::Src0) => (32, 9),
            (Form::Vop3 | Form::Vop3sd | Form::Vop3p | Form::Vinterp, Field::Src1) => (41, 9),
            (Form::Vop3 | Form::Vop3sd | Form::Vop3p | Form::Vinterp, Field::Src2) => (50, 9),
            (Form::Vop3sd, Field::Sdst) => (8, 7),
            (Form::Vopd, Field::Src0) => (0, 9),
            (Form::Vopd, Field::Src1) => (9, 8),
            (Form::Vopd, Field::Vdst) => (56, 8),
            (Form::Vopd, Field::Src0Y) => (32, 9),
            (Form::Vopd, Field::Src1Y) => (41, 8),
            (Form::Vopd, Field::VdstY) => (49, 7),
            (Form::Ds | Form::Flat, Field::Vdst) => (56, 8),
            (Form::Ds | Form::Flat, Field::Addr) => (32, 8),
            (Form::Ds | Form::Flat, Field::Data0) => (40, 8),
            (Form::Ds, Field::Data1) => (48, 8),
            (Form::Flat, Field::Saddr) => (48, 7),
            (Form::Mubuf | Form::Mtbuf | Form::Mimg, Field::Vdata) => (40, 8),
            (Form::Mubuf | Form::Mtbuf | Form::Mimg, Field::Vaddr) => (32, 8),
            (Form::Mubuf | Form::Mtbuf | Form::Mimg, Field::Srsrc) => (48, 5),
            (Form::Mubuf | Form::Mtbuf, Field::Soffset) => (56, 8),
            (Form::Mimg, Field::Ssamp) => (58, 5),
            (Form::Ldsdir, Field::Attr) => (8, 8),
            (Form::Exp, Field::Target) => (4, 6),
            (Form::Exp, Field::Export(i)) => (32 + 8 * i, 8),
            _ => return None,
        })
    }
}

/// Shift and width of the second half's opcode in a dual-issue pair.
pub(crate) const OPCODE_Y: (u32, u32) = (17, 5);

/// Segment field of FLAT.
pub(crate) fn segment(row: &Row) -> u64 {
    if row.flags.has(Flags::GLOBAL) {
        2
    } else if row.flags.has(Flags::SCRATCH) {
        1
    } else {
        0
    }
}
