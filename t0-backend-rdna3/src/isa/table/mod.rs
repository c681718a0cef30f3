//! The instruction table: one file per encoding family, one line per instruction.
//!
//! A line reads `code name Class [operands] FLAGS;`. Operands are built by the short constants and functions below, in
//! the order the assembler prints them. Adding a line adds the enum variant, and everything derived from rows.

use super::row::{Field, ImmKind, Kind, OperandSpec, Role, Ty};
use super::Row;
use std::collections::HashMap;
use std::sync::OnceLock;

/// Declares one family: the enum, its rows and conversions.
macro_rules! rows {
    ($(#[$m:meta])* $fam:ident; [$($base:ident)?]; $( $code:literal $name:ident $class:ident [$($opd:expr),* $(,)?] $($flag:ident)* ;)*) => {
        $(#[$m])*
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $fam {
            $(#[doc = concat!("`", stringify!($name), "`, opcode ", stringify!($code), ".")] $name,)*
        }
        impl $fam {
            /// Every instruction of the family in opcode order.
            pub const ALL: &'static [$fam] = &[$($fam::$name,)*];
            /// The table row.
            pub fn row(self) -> &'static $crate::isa::Row {
                &ROWS[self as usize]
            }
        }
        impl From<$fam> for $crate::isa::Opcode {
            fn from(op: $fam) -> Self {
                $crate::isa::Opcode::$fam(op)
            }
        }
        /// Flags every row of the family has.
        const BASE: $crate::isa::Flags = $crate::isa::Flags::NONE $(.or($crate::isa::Flags::$base))?;
        static ROWS: &[$crate::isa::Row] = &[$(
            $crate::isa::Row {
                name: stringify!($name),
                family: $crate::isa::Family::$fam,
                code: $code,
                operands: { const O: &[$crate::isa::OperandSpec] = &[$($opd),*]; O },
                class: $crate::isa::Class::$class,
                flags: BASE$(.or($crate::isa::Flags::$flag))*,
            },
        )*];
    };
}

pub(super) mod alias;
mod ds;
mod exp;
mod flat;
mod ldsdir;
mod mimg;
mod mtbuf;
mod mubuf;
mod smem;
mod sop1;
mod sop2;
mod sopc;
mod sopk;
mod sopp;
mod vinterp;
mod vop1;
mod vop2;
mod vop3;
mod vop3p;
mod vop3sd;
mod vopc;
mod vopd;

pub use ds::Ds;
pub use exp::Exp;
pub use flat::Flat;
pub use ldsdir::Ldsdir;
pub use mimg::Mimg;
pub use mtbuf::Mtbuf;
pub use mubuf::Mubuf;
pub use smem::Smem;
pub use sop1::Sop1;
pub use sop2::Sop2;
pub use sopc::Sopc;
pub use sopk::Sopk;
pub use sopp::Sopp;
pub use vinterp::Vinterp;
pub use vop1::Vop1;
pub use vop2::Vop2;
pub use vop3::Vop3;
pub use vop3p::Vop3p;
pub use vop3sd::Vop3sd;
pub use vopc::Vopc;
pub use vopd::{Vopdx, Vopdy};

macro_rules! opcode {
    ($($fam:ident)*) => {
        /// An instruction of any family.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs)]
        pub enum Opcode { $($fam($fam),)* }
        impl Opcode {
            /// The table row.
            pub fn row(self) -> &'static Row {
                match self { $(Opcode::$fam(op) => op.row(),)* }
            }
            /// Every instruction, family by family.
            pub fn all() -> impl Iterator<Item = Opcode> {
                std::iter::empty()$(.chain($fam::ALL.iter().map(|&op| Opcode::$fam(op))))*
            }
        }
    };
}

opcode! {
    Sop1 Sop2 Sopc Sopk Sopp Smem Vop1 Vop2 Vopc Vop3 Vop3sd Vop3p Vopdx Vopdy Ds Flat Mubuf Mtbuf Mimg Ldsdir Vinterp Exp
}

impl Opcode {
    /// The instruction of that name (no `_e32`/`_e64` suffix). Names of both halves of dual-issue pairs mean the first.
    pub fn from_name(name: &str) -> Option<Opcode> {
        static NAMES: OnceLock<HashMap<&'static str, Opcode>> = OnceLock::new();
        NAMES
            .get_or_init(|| {
                let mut names = HashMap::new();
                for op in Opcode::all() {
                    names.entry(op.row().name).or_insert(op);
                }
                names
            })
            .get(name)
            .copied()
    }
    /// Mnemonic without encoding suffix.
    pub fn name(self) -> &'static str {
        self.row().name
    }
}

const fn op(role: Role, field: Field, kind: Kind, ty: Ty) -> OperandSpec {
    OperandSpec {
        role,
        field,
        kind,
        ty,
        neg: ty.is_float(),
    }
}

// Scalar operands.
pub(super) const fn sd(ty: Ty) -> OperandSpec {
    op(Role::Dst, Field::Sdst, Kind::SDst, ty)
}
/// Scalar destination that is also read.
pub(super) const fn sds(ty: Ty) -> OperandSpec {
    op(Role::DstSrc, Field::Sdst, Kind::SDst, ty)
}
/// Scalar register source in the SOPK register field.
pub(super) const fn sk(ty: Ty) -> OperandSpec {
    op(Role::Src, Field::Sdst, Kind::SReg, ty)
}
pub(super) const fn s0(ty: Ty) -> OperandSpec {
    op(Role::Src, Field::Src0, Kind::SSrc, ty)
}
pub(super) const fn s1(ty: Ty) -> OperandSpec {
    op(Role::Src, Field::Src1, Kind::SSrc, ty)
}
/// The register field of a counter wait, NULL in assembler text.
pub(super) const NULL: OperandSpec = op(Role::Src, Field::Sdst, Kind::Null, Ty::B32);
/// Scalar source that must be a register.
pub(super) const fn sr0(ty: Ty) -> OperandSpec {
    op(Role::Src, Field::Src0, Kind::SReg, ty)
}
pub(super) const fn imm(kind: ImmKind) -> OperandSpec {
    op(Role::Src, Field::Simm16, Kind::Imm(kind), Ty::B16)
}
/// Message number in the first source field (`s_sendmsg_rtn_b32`).
pub(super) const fn msg0() -> OperandSpec {
    op(Role::Src, Field::Src0, Kind::Imm(ImmKind::SendMsg), Ty::B16)
}
/// The literal dword.
pub(super) const fn lit(ty: Ty) -> OperandSpec {
    op(Role::Src, Field::Lit, Kind::Literal, ty)
}

// Scalar memory.
/// Scalar load destination; its width follows the instruction.
pub(super) const fn sdata(ty: Ty) -> OperandSpec {
    op(Role::Dst, Field::Sdst, Kind::SDst, ty)
}
/// Permission bits in the destination field (`s_atc_probe`).
pub(super) const fn perm() -> OperandSpec {
    op(Role::Src, Field::Sdst, Kind::Imm(ImmKind::Dec), Ty::B16)
}
pub(super) const fn sbase(ty: Ty) -> OperandSpec {
    op(Role::Src, Field::Sbase, Kind::SBase, ty)
}
pub(super) const SOFF: OperandSpec = op(Role::Src, Field::Soffset, Kind::SOpt, Ty::B32);

// Vector operands.
pub(super) const fn vd(ty: Ty) -> OperandSpec {
    op(Role::Dst, Field::Vdst, Kind::Vgpr, ty)
}
/// Vector destination that is also read.
pub(super) const fn vds(ty: Ty) -> OperandSpec {
    op(Role::DstSrc, Field::Vdst, Kind::Vgpr, ty)
}
/// Scalar destination in the vector destination field (`v_readlane_b32`).
pub(super) const fn vsd(ty: Ty) -> OperandSpec {
    op(Role::Dst, Field::Vdst, Kind::SDst, ty)
}
pub(super) const fn v0(ty: Ty) -> OperandSpec {
    op(Role::Src, Field::Src0, Kind::VSrc, ty)
}
pub(super) const fn v1(ty: Ty) -> OperandSpec {
    op(Role::Src, Field::Src1, Kind::VSrc, ty)
}
pub(super) const fn v2(ty: Ty) -> OperandSpec {
    op(Role::Src, Field::Src2, Kind::VSrc, ty)
}
/// VGPR-only first source.
pub(super) const fn r0(ty: Ty) -> OperandSpec {
    op(Role::Src, Field::Src0, Kind::Vgpr, ty)
}
/// VGPR-only first source that is also written (`v_swap_b32`).
pub(super) const fn rx0(ty: Ty) -> OperandSpec {
    op(Role::DstSrc, Field::Src0, Kind::Vgpr, ty)
}
/// Second source of VOP2 and VOPC: VGPR in the 32-bit form.
pub(super) const fn r1(ty: Ty) -> OperandSpec {
    op(Role::Src, Field::Src1, Kind::Vgpr, ty)
}
/// VGPR-only third source.
pub(super) const fn r2(ty: Ty) -> OperandSpec {
    op(Role::Src, Field::Src2, Kind::Vgpr, ty)
}
/// WMMA accumulator input.
pub(super) const fn c2(ty: Ty) -> OperandSpec {
    op(Role::Src, Field::Src2, Kind::VgprOrConst, ty)
}
/// Scalar-only first source (`v_writelane_b32`).
pub(super) const fn l0(ty: Ty) -> OperandSpec {
    op(Role::Src, Field::Src0, Kind::SSrc, ty)
}
/// Scalar-only second source: lane number.
pub(super) const fn l1(ty: Ty) -> OperandSpec {
    op(Role::Src, Field::Src1, Kind::SRegOrConst, ty)
}
/// Second source taken from scalars, literal allowed (`v_permlane16_b32`).
pub(super) const fn p1(ty: Ty) -> OperandSpec {
    op(Role::Src, Field::Src1, Kind::SSrc, ty)
}
/// Third source taken from scalars, literal allowed.
pub(super) const fn p2(ty: Ty) -> OperandSpec {
    op(Role::Src, Field::Src2, Kind::SSrc, ty)
}
/// Mask result: VCC in the 32-bit form.
pub(super) const VCC_D: OperandSpec = op(Role::Dst, Field::Fixed, Kind::Vcc, Ty::Mask);
/// Mask source: VCC in the 32-bit form.
pub(super) const VCC_S: OperandSpec = op(Role::Src, Field::Fixed, Kind::Vcc, Ty::Mask);
/// Mask result of VOP3SD.
pub(super) const MASK_D: OperandSpec = op(Role::Dst, Field::Sdst, Kind::Mask, Ty::Mask);
/// Mask source in the third source field.
pub(super) const MASK_2: OperandSpec = op(Role::Src, Field::Src2, Kind::Mask, Ty::Mask);

// Second half of a dual-issue pair.
pub(super) const fn yd(ty: Ty) -> OperandSpec {
    op(Role::Dst, Field::VdstY, Kind::Vgpr, ty).no_neg()
}
/// Accumulator of the second half.
pub(super) const fn yds(ty: Ty) -> OperandSpec {
    op(Role::DstSrc, Field::VdstY, Kind::Vgpr, ty).no_neg()
}
pub(super) const fn y0(ty: Ty) -> OperandSpec {
    op(Role::Src, Field::Src0Y, Kind::VSrc, ty).no_neg()
}
pub(super) const fn y1(ty: Ty) -> OperandSpec {
    op(Role::Src, Field::Src1Y, Kind::Vgpr, ty).no_neg()
}

// LDS.
pub(super) const ADDR: OperandSpec = op(Role::Src, Field::Addr, Kind::Vgpr, Ty::B32);
/// Address that is also written (`ds_bvh_stack_rtn_b32`).
pub(super) const ADDR_X: OperandSpec = op(Role::DstSrc, Field::Addr, Kind::Vgpr, Ty::B32);
pub(super) const fn d0(ty: Ty) -> OperandSpec {
    op(Role::Src, Field::Data0, Kind::Vgpr, ty)
}
pub(super) const fn d1(ty: Ty) -> OperandSpec {
    op(Role::Src, Field::Data1, Kind::Vgpr, ty)
}

// Flat, global, scratch.
/// 64-bit flat address.
pub(super) const FADDR: OperandSpec = op(Role::Src, Field::Addr, Kind::Vgpr, Ty::B64);
/// Global address, width decided by the scalar base.
pub(super) const GADDR: OperandSpec = op(Role::Src, Field::Addr, Kind::GAddr, Ty::B64);
/// Scratch address VGPR or `off`.
pub(super) const XADDR: OperandSpec = op(Role::Src, Field::Addr, Kind::SAddrV, Ty::B32);
/// 64-bit scalar base of a global access.
pub(super) const SADDR: OperandSpec = op(Role::Src, Field::Saddr, Kind::SOpt, Ty::B64);
/// 32-bit scalar offset of a scratch access.
pub(super) const SADDR32: OperandSpec = op(Role::Src, Field::Saddr, Kind::SOpt, Ty::B32);

// Buffers.
/// Loaded buffer data.
pub(super) const fn bd(ty: Ty) -> OperandSpec {
    op(Role::Dst, Field::Vdata, Kind::Vgpr, ty)
}
/// Stored buffer data.
pub(super) const fn bs(ty: Ty) -> OperandSpec {
    op(Role::Src, Field::Vdata, Kind::Vgpr, ty)
}
/// Buffer atomic data: written too when `glc` asks for the old value.
pub(super) const fn bx(ty: Ty) -> OperandSpec {
    op(Role::DstSrc, Field::Vdata, Kind::Vgpr, ty)
}
pub(super) const VADDR: OperandSpec = op(Role::Src, Field::Vaddr, Kind::VAddr, Ty::B64);
pub(super) const SRSRC: OperandSpec = op(Role::Src, Field::Srsrc, Kind::SBase, Ty::B128);
pub(super) const SOFFSET: OperandSpec = op(Role::Src, Field::Soffset, Kind::SRegOrConst, Ty::B32);

// Graphics.
pub(super) const ATTR: OperandSpec = op(Role::Src, Field::Attr, Kind::Imm(ImmKind::Attr), Ty::B8);
pub(super) const EXP_TARGET: OperandSpec = op(Role::Src, Field::Target, Kind::Imm(ImmKind::ExpTarget), Ty::B8);
pub(super) const fn export(i: u32) -> OperandSpec {
    op(Role::Src, Field::Export(i), Kind::Export, Ty::B32)
}
