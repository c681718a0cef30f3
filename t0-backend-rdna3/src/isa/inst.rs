//! A machine instruction: opcode, encoding form, operands, modifiers.

use super::row::{Class, Field, Flags, Kind, OperandSpec, Role, Ty};
use super::{Opcode, Operand, Row, Vopdx, Vopdy};
use std::borrow::Cow;

/// Row-wise data movement of DPP16.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dpp16 {
    /// 9-bit control: 0x000.. quad_perm, 0x101.. row_shl, 0x111.. row_shr, 0x121.. row_ror, 0x140 row_mirror,
    /// 0x141 row_half_mirror, 0x150.. row_share, 0x160.. row_xmask.
    pub ctrl: u32,
    /// Rows of 16 lanes that are written.
    pub row_mask: u32,
    /// Banks of 4 lanes in each row that are written.
    pub bank_mask: u32,
    /// Invalid source lanes read zero instead of leaving the destination alone.
    pub bound_ctrl: bool,
    /// Read source lanes that EXEC disables.
    pub fi: bool,
}

/// Lane selection of DPP8: lane i of each group of 8 reads lane `sel[i]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dpp8 {
    /// Source lane (0..=7) per destination lane.
    pub sel: [u32; 8],
    /// Read source lanes that EXEC disables.
    pub fi: bool,
}

/// Which encoding form an instruction uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Enc {
    /// `_e32`, or the only form of the family.
    Natural,
    /// The VOP3 form of a VOP1/VOP2/VOPC row.
    E64,
    /// Natural form with DPP16 on source 0.
    Dpp16(Dpp16),
    /// Natural form with DPP8 on source 0.
    Dpp8(Dpp8),
    /// VOP3 form of a VOP1/VOP2/VOPC row with DPP16 on source 0.
    E64Dpp16(Dpp16),
    /// VOP3 form of a VOP1/VOP2/VOPC row with DPP8 on source 0.
    E64Dpp8(Dpp8),
    /// Image access whose address is that many (2 to 5) separate register runs.
    Nsa(u32),
}

impl Enc {
    /// The VOP3 form of a VOP1/VOP2/VOPC row, with or without DPP.
    pub fn is_e64(self) -> bool {
        matches!(self, Enc::E64 | Enc::E64Dpp16(_) | Enc::E64Dpp8(_))
    }
    /// Carries a DPP dword.
    pub fn is_dpp(self) -> bool {
        matches!(self, Enc::Dpp16(_) | Enc::Dpp8(_) | Enc::E64Dpp16(_) | Enc::E64Dpp8(_))
    }
}

/// Modifiers. Bit i of a per-source mask belongs to source i (destinations not counted). `Default` is all clear;
/// [`Mods::for_op`] gives what LLVM assumes when nothing is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Mods {
    /// Negate source.
    pub neg: u32,
    /// Absolute value of source (before `neg`).
    pub abs: u32,
    /// Clamp the result (saturate for integers).
    pub clamp: bool,
    /// Output multiplier: 0 none, 1 times 2, 2 times 4, 3 divided by 2.
    pub omod: u32,
    /// Half select per source for 16-bit values; bit 3 is the destination. For VOP3P: half for the low result.
    pub op_sel: u32,
    /// VOP3P: half for the high result.
    pub op_sel_hi: u32,
    /// VOP3P: negate the value used for the low result.
    pub neg_lo: u32,
    /// VOP3P: negate the value used for the high result.
    pub neg_hi: u32,
    /// Memory: device scope for loads; return the old value for atomics.
    pub glc: bool,
    /// Memory: streaming (non-temporal) hint.
    pub slc: bool,
    /// Memory: do not allocate in the last-level cache.
    pub dlc: bool,
    /// Buffer: VGPR byte offset.
    pub offen: bool,
    /// Buffer: VGPR index.
    pub idxen: bool,
    /// Buffer and image: texture fail enable.
    pub tfe: bool,
    /// Image: LOD warning enable.
    pub lwe: bool,
    /// Image: components that are read or written, bit 0 red.
    pub dmask: u32,
    /// Image: dimension 0 to 7, see [`DIMS`](super::graphics::DIMS).
    pub dim: u32,
    /// Image: coordinates are not normalised.
    pub unorm: bool,
    /// Image: the descriptor has 128 bits.
    pub r128: bool,
    /// Image: addresses of 16 bits.
    pub a16: bool,
    /// Image: data of 16 bits.
    pub d16: bool,
    /// Typed buffer: format 0 to 127, see [`FORMATS`](super::graphics::FORMATS).
    pub format: u32,
    /// Export: last export of its kind.
    pub done: bool,
    /// Export: row index in M0.
    pub row_en: bool,
    /// `wait_vdst` of LDSDIR, `wait_exp` of VINTERP.
    pub wait: u32,
    /// DS: global data share.
    pub gds: bool,
    /// Byte offset of a memory access (DS with one offset, FLAT, SMEM, buffer).
    pub offset: i32,
    /// First offset of a DS two-address access, in elements.
    pub offset0: u32,
    /// Second offset of a DS two-address access, in elements.
    pub offset1: u32,
}

impl Mods {
    /// The modifiers LLVM assumes for `op` when none are written.
    pub fn for_op(op: Opcode) -> Mods {
        let row = op.row();
        let mut mods = Mods::default();
        if row.family == super::Family::Vop3p && row.operands[1].ty != Ty::MixF32 {
            // LLVM encodes all three bits even where the third source does not exist.
            mods.op_sel_hi = 7;
        }
        super::graphics::default_mods(row, &mut mods);
        mods
    }
}

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Inst {
    /// Row.
    pub op: Opcode,
    /// Encoding form.
    pub enc: Enc,
    /// Operands in assembler order, destinations first. SCC, VCC and EXEC appear only where LLVM prints them. Optional
    /// registers (`off`) are always present, as NULL.
    pub operands: Vec<Operand>,
    /// Modifiers.
    pub mods: Mods,
    /// The second half of a dual-issue pair (`op` is then the first); `None` for everything else. Its operands follow
    /// the first half's.
    pub vopd_y: Option<Vopdy>,
}

impl Inst {
    /// An instruction in its natural form with LLVM's default modifiers.
    pub fn new(op: impl Into<Opcode>, operands: impl Into<Vec<Operand>>) -> Inst {
        let op = op.into();
        Inst {
            op,
            enc: Enc::Natural,
            operands: operands.into(),
            mods: Mods::for_op(op),
            vopd_y: None,
        }
    }
    /// A dual-issue pair: operands of `x`, then operands of `y`.
    pub fn dual(x: Vopdx, y: Vopdy, operands: impl Into<Vec<Operand>>) -> Inst {
        Inst {
            vopd_y: Some(y),
            ..Inst::new(x, operands)
        }
    }
    /// The same instruction in the VOP3 form (for VOP1, VOP2 and VOPC rows).
    pub fn e64(mut self) -> Inst {
        self.enc = Enc::E64;
        self
    }
    /// The same instruction with its modifiers changed by `f`.
    pub fn with(mut self, f: impl FnOnce(&mut Mods)) -> Inst {
        f(&mut self.mods);
        self
    }
    /// The table row; of a dual-issue pair the first half's.
    pub fn row(&self) -> &'static Row {
        self.op.row()
    }
    /// The flags of the row; of a dual-issue pair those of both halves.
    pub fn flags(&self) -> Flags {
        let flags = self.row().flags;
        self.vopd_y.map_or(flags, |y| flags.or(y.row().flags))
    }
    /// Registers the data or an address operand of this image access has under its modifiers.
    pub fn image_regs(&self, spec: &OperandSpec) -> u32 {
        super::graphics::operand_regs(spec, self.enc, &self.mods)
    }
    /// Operand descriptions that apply to this instruction, one per operand: the row's, minus the destination of an
    /// atomic that returns nothing, widened to what the VOP3 form allows. Those of a dual-issue pair's second half follow.
    pub fn specs(&self) -> impl Iterator<Item = OperandSpec> {
        let second = self.vopd_y.map_or(&[][..], |y| y.row().operands);
        specs_of(self.op.row(), self.enc, self.mods.glc).chain(second.iter().copied())
    }

    /// The same as a list; most instructions have those of their row.
    pub(crate) fn spec_list(&self) -> Cow<'static, [OperandSpec]> {
        let row = self.op.row();
        if self.enc.is_e64() || matches!(self.enc, Enc::Nsa(_)) || self.vopd_y.is_some() {
            return self.specs().collect();
        }
        Cow::Borrowed(&row.operands[skipped(row, self.mods.glc)..])
    }
}

/// Operands that an atomic which returns nothing lacks: its destination comes first.
fn skipped(row: &Row, glc: bool) -> usize {
    let skips = row.class == Class::VmemAtomic && row.family == super::Family::Flat && !glc;
    usize::from(skips).min(row.operands.len())
}

/// See [`Inst::specs`].
pub(crate) fn specs_of(row: &'static Row, enc: Enc, glc: bool) -> impl Iterator<Item = OperandSpec> {
    let e64 = enc.is_e64();
    let addresses = match enc {
        Enc::Nsa(n) => n,
        _ => 1,
    };
    let operands = row.operands[skipped(row, glc)..].iter().flat_map(move |spec| {
        let image = matches!(spec.kind, Kind::ImgAddr(_));
        (0..if image { addresses } else { 1 }).map(move |i| OperandSpec {
            field: if i == 0 { spec.field } else { Field::Nsa(i) },
            ..*spec
        })
    });
    operands.map(move |spec| {
        let mut spec = spec;
        if e64 {
            spec.kind = match spec.kind {
                Kind::Vgpr if spec.field == Field::Src1 => Kind::VSrc,
                Kind::Vcc => Kind::Mask,
                k => k,
            };
            if spec.field == Field::Fixed {
                // VOPC keeps its mask in the vector destination field; carries and selects use sdst and src2.
                spec.field = match (row.family, spec.role) {
                    (super::Family::Vopc, _) => Field::Vdst,
                    (_, Role::Src) => Field::Src2,
                    _ => Field::Sdst,
                };
            }
        }
        spec
    })
}

/// Counter increments of one instruction. Source: RDNA3 ISA manual section 4.4 and LLVM `SIInsertWaitcnts`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct WaitCounts {
    /// VMcnt: vector loads and returning atomics.
    pub vm: u32,
    /// VScnt: vector stores and non-returning atomics.
    pub vs: u32,
    /// LGKMcnt: LDS, scalar memory, messages.
    pub lgkm: u32,
    /// EXPcnt.
    pub exp: u32,
}
