//! The gfx11 instruction set, written down once.
//!
//! Problem: an assembler, a disassembler, a register allocator, a wait inserter and a simulator all need the same facts
//! about the same instructions, and disagreeing tables are how such systems rot. Method: one row per instruction in
//! [`table`], one enum per encoding family generated from the rows, and generic code that reads rows for everything
//! else. Invariant: `decode(encode(i)) == i` for every legal `i`, and text equals what LLVM 19 prints (checked against a
//! recorded corpus and, when the tool is installed, live). Sources: see [`row`].

mod about;
pub(crate) mod blanks;
pub mod decode;
pub mod encode;
mod expr;
pub(crate) use expr::{escaped, float, without_suffix};
pub(crate) mod form;
pub mod graphics;
mod hint;
pub(crate) mod imm;
pub mod inst;
pub mod legal;
pub mod operand;
mod operand_text;
pub mod parse;
mod parse_mods;
mod print;
pub mod row;
pub mod table;
mod uses;
pub(crate) mod vopd;

pub use about::{about, bit_fields, BitField};
pub(crate) use blanks::{close_up, quoted};
pub use decode::{decode, disassemble, DecodeError};
pub use encode::encode;
pub use inst::{Dpp16, Dpp8, Enc, Inst, Mods, WaitCounts};
pub use legal::EncodeError;
pub use operand::{Operand, Reg, RegFile};
pub(crate) use operand_text::names_register;
pub use parse::{parse, ParseError};
pub use row::{Class, Family, Field, Flags, Gradients, ImgAddr, ImgData, ImmKind, Kind, OperandSpec, Role, Row, Ty};
pub use table::{
    Ds, Exp, Flat, Ldsdir, Mimg, Mtbuf, Mubuf, Opcode, Smem, Sop1, Sop2, Sopc, Sopk, Sopp, Vinterp, Vop1, Vop2, Vop3,
    Vop3p, Vop3sd, Vopc, Vopdx, Vopdy,
};
pub use uses::scalar_name;
