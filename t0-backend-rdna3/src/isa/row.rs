//! What one row of the instruction table says.
//!
//! A [`Row`] holds everything the rest of the crate knows about an instruction: its number, the operands in the order
//! the assembler prints them, which machine unit runs it and which state it touches without naming it. Encoder,
//! decoder, printer, parser, wait insertion and the simulator's dispatch all read rows; none of them has a list of
//! its own. Sources: LLVM 19 (`llvm-mc -mcpu=gfx1100`) for numbers and spelling, AMD's machine-readable RDNA3 ISA for
//! element types, the RDNA3 ISA manual's pseudocode for implicit state.

use crate::target::Feature;

/// The encoding family of a row: which bit layout its natural form uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    /// Scalar, one source.
    Sop1,
    /// Scalar, two sources.
    Sop2,
    /// Scalar compare into SCC.
    Sopc,
    /// Scalar with a 16-bit immediate.
    Sopk,
    /// Program control.
    Sopp,
    /// Scalar memory.
    Smem,
    /// Vector, one source (also encodable as VOP3 at +0x180).
    Vop1,
    /// Vector, two sources (also encodable as VOP3 at +0x100).
    Vop2,
    /// Vector compare (also encodable as VOP3 at +0).
    Vopc,
    /// Vector, 64-bit form only.
    Vop3,
    /// Vector, 64-bit form with a scalar carry/flag destination.
    Vop3sd,
    /// Packed, mixed-precision, dot and matrix instructions.
    Vop3p,
    /// First half of a dual-issue pair.
    Vopdx,
    /// Second half of a dual-issue pair.
    Vopdy,
    /// LDS.
    Ds,
    /// `flat_*`, `global_*` and `scratch_*`.
    Flat,
    /// Untyped buffer access.
    Mubuf,
    /// Typed buffer access.
    Mtbuf,
    /// Images.
    Mimg,
    /// Interpolation parameters and LDS broadcast.
    Ldsdir,
    /// Parameter interpolation.
    Vinterp,
    /// Exports.
    Exp,
}

/// The machine unit and cost class of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// Scalar ALU.
    Salu,
    /// Program-control instructions that neither wait, branch nor signal (`s_nop`, `s_delay_alu`, `s_clause`, ...).
    Control,
    /// Branches and jumps.
    Branch,
    /// `s_endpgm` and relatives: the wave ends.
    End,
    /// Waits on a counter.
    Wait,
    /// `s_barrier`.
    Barrier,
    /// Messages to the command processor or the trap handler.
    Msg,
    /// Scalar loads.
    Smem,
    /// Scalar cache invalidation.
    SmemInv,
    /// Full-rate vector ALU.
    Valu,
    /// Quarter-rate transcendental unit.
    ValuTrans,
    /// Quarter-rate 32-bit integer multiply.
    ValuMul,
    /// Half-rate 64-bit integer operations.
    Valu64,
    /// Double-precision floating point.
    ValuF64,
    /// Lane access: reads or writes one lane, or moves data between lanes.
    ValuLane,
    /// Matrix multiply-accumulate.
    Wmma,
    /// Vector memory load.
    VmemLoad,
    /// Vector memory store.
    VmemStore,
    /// Vector memory read-modify-write.
    VmemAtomic,
    /// Vector cache invalidation.
    VmemInv,
    /// LDS load.
    LdsLoad,
    /// LDS store.
    LdsStore,
    /// LDS read-modify-write.
    LdsAtomic,
    /// Lane permutation through the LDS crossbar; touches no LDS memory.
    LdsLane,
    /// Read of LDS without an address register (`lds_param_load`, `lds_direct_load`).
    LdsDir,
    /// Export to the graphics pipeline.
    Export,
}

impl Class {
    /// The functional group, as listings and timelines name it.
    pub fn group(self) -> &'static str {
        use Class::*;
        match self {
            Valu | ValuMul | Valu64 | ValuF64 | ValuLane => "valu",
            ValuTrans => "trans",
            Wmma => "wmma",
            Salu => "salu",
            Smem | SmemInv => "smem",
            VmemLoad | VmemStore | VmemAtomic | VmemInv => "vmem",
            LdsLoad | LdsStore | LdsAtomic | LdsLane | LdsDir => "lds",
            Branch | End => "branch",
            Wait | Barrier => "sync",
            Control | Msg => "control",
            Export => "export",
        }
    }
    /// Runs on the vector ALU (any rate, WMMA included).
    pub fn is_valu(self) -> bool {
        use Class::*;
        matches!(self, Valu | ValuTrans | ValuMul | Valu64 | ValuF64 | ValuLane | Wmma)
    }
    /// Goes through the vector memory path (buffer, global, flat or scratch).
    pub fn is_vmem(self) -> bool {
        matches!(
            self,
            Class::VmemLoad | Class::VmemStore | Class::VmemAtomic | Class::VmemInv
        )
    }
    /// Goes through the LDS unit.
    pub fn is_lds(self) -> bool {
        matches!(
            self,
            Class::LdsLoad | Class::LdsStore | Class::LdsAtomic | Class::LdsLane
        )
    }
}

/// Implicit state and legality switches of a row, a small bit set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Flags(pub u64);

macro_rules! flags {
    ($($(#[$m:meta])* $name:ident = $bit:expr;)*) => {
        impl Flags { $($(#[$m])* pub const $name: Flags = Flags(1 << $bit);)* }
        // Two flags on one bit would go unnoticed otherwise.
        const _: () = {
            let mut seen = 0u64;
            $(
                assert!(seen >> $bit & 1 == 0);
                seen |= 1 << $bit;
            )*
        };
    };
}

flags! {
    /// Reads SCC.
    R_SCC = 0;
    /// Writes SCC.
    W_SCC = 1;
    /// Reads VCC without listing it as an operand.
    R_VCC = 2;
    /// Writes VCC without listing it as an operand.
    W_VCC = 3;
    /// Reads EXEC (as lane mask or as a value).
    R_EXEC = 4;
    /// Writes EXEC.
    W_EXEC = 5;
    /// Reads M0.
    R_M0 = 6;
    /// Writes M0.
    W_M0 = 7;
    /// The first two sources may be swapped.
    COMMUTES = 8;
    /// Has only its natural form; the mnemonic never carries `_e32`.
    NO_E64 = 9;
    /// VOP3 form may set `clamp`.
    CLAMP = 10;
    /// VOP3 form may set `omod`.
    OMOD = 11;
    /// VOP3 form may set `op_sel`.
    OPSEL = 12;
    /// May not be encoded with DPP.
    NO_DPP = 14;
    /// Runs even when EXEC is zero and ignores its bits.
    IGNORES_EXEC = 15;
    /// A `global_*` instruction (segment 2).
    GLOBAL = 16;
    /// A `scratch_*` instruction (segment 1).
    SCRATCH = 17;
    /// A `flat_*` instruction (segment 0).
    FLAT = 18;
    /// DS atomic that returns the old value (`_rtn`); vector memory says so with `glc`.
    RTN = 19;
    /// Uses two 8-bit offsets (`offset0`, `offset1`) instead of one of 16 bits.
    OFFSETS2 = 20;
    /// Writes only half of a 32-bit destination register; the other half keeps its value.
    D16 = 21;
    /// Ends a basic block: control does not (only) fall through.
    TERMINATOR = 22;
    /// `neg_lo`/`neg_hi` are allowed (VOP3P).
    NEG_LO_HI = 23;
    /// Reads or writes the MODE register explicitly.
    MODE = 24;
    /// Has a VOP3 form, but the mnemonic is the same for both forms.
    BARE = 26;
    /// 16-bit operands are always written with the half of the VGPR they are (`v0.l`, `v0.h`). In every 32-bit form bit 7
    /// of the register field chooses the half (manual 7.4); the halves are kept in `op_sel`.
    TRUE16 = 27;
    /// Scalar floating point: needs [`Feature::SaluFloat`].
    SALU_FLOAT = 31;
    /// Needs [`Feature::SingleUseHint`].
    SINGLE_USE = 32;
    /// LLVM reads and prints constants of the f16 operand as 32-bit integers.
    TEXT_B32 = 33;
    /// Legal on the instruction set, but the VALU source rule allows one scalar value only (64-bit shifts).
    ONE_SCALAR = 25;
    /// Exists for the global data share only: `gds` must be set (DS).
    GDS_ONLY = 28;
    /// Has no global data share form (DS).
    NO_GDS = 29;
    /// `d16` is not available (MIMG).
    NO_D16 = 30;
}

impl Flags {
    /// The empty set.
    pub const NONE: Flags = Flags(0);
    /// Union, usable in constants.
    pub const fn or(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
    /// True when every flag of `other` is set.
    pub const fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }
}

/// Whether an operand is written, read or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Written only.
    Dst,
    /// Read only.
    Src,
    /// Read and written through one field (accumulators, `v_swap_b32`).
    DstSrc,
}

/// What an operand may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A VGPR range.
    Vgpr,
    /// VALU source: VGPR, scalar register, inline constant, special value, literal.
    VSrc,
    /// WMMA accumulator input: VGPR range or inline constant.
    VgprOrConst,
    /// SALU destination: SGPR, VCC, M0, EXEC, NULL.
    SDst,
    /// SALU source: scalar register, inline constant, special value, literal.
    SSrc,
    /// Scalar register only (SGPR, VCC, NULL, M0, EXEC), no constant.
    SReg,
    /// Scalar register or inline constant, no literal (lane selects, buffer offsets).
    SRegOrConst,
    /// NULL in assembler text. The machine takes any scalar register and adds its value to the immediate (RDNA3 ISA
    /// manual, `S_WAITCNT_VSCNT`), and such bytes decode.
    Null,
    /// A lane mask: one 32-bit scalar register in wave32, an aligned pair in wave64.
    Mask,
    /// A lane mask that the natural form fixes to VCC; the VOP3 form may choose any.
    Vcc,
    /// SMEM base or buffer resource: aligned SGPR range.
    SBase,
    /// Optional scalar register; NULL (printed `off`, or left out) when absent.
    SOpt,
    /// Optional address VGPRs of a buffer access: none (`off`), one (`offen` or `idxen`) or two (both).
    VAddr,
    /// Address of a global access: 64-bit VGPR pair, or one 32-bit VGPR when a scalar base is given.
    GAddr,
    /// Address of a scratch access: one VGPR or none (`off`).
    SAddrV,
    /// Data of an image access, its width decided by dmask, d16 and tfe.
    ImgData(ImgData),
    /// Address of an image access, its width decided by dim and a16.
    ImgAddr(ImgAddr),
    /// An exported VGPR, or NULL (`off`).
    Export,
    /// A 32-bit constant that always takes the literal dword (`v_fmamk`, `s_setreg_imm32_b32`).
    Literal,
    /// A 16-bit immediate, see [`ImmKind`].
    Imm(ImmKind),
}

/// What the data of an image access is; decides its registers together with dmask, d16 and tfe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImgData {
    /// One value per set bit of dmask.
    Texel,
    /// Four values of the one component dmask selects.
    Gather,
    /// As `Gather`, from a multisampled image.
    Msaa,
    /// Operand and old value of an atomic: 32 or 64 bits.
    Atomic,
    /// Source and comparand of a compare-and-swap: two of 32 or 64 bits.
    CmpSwap,
    /// Result of a ray intersection: four dwords.
    Ray,
}

/// Gradients of an image sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gradients {
    /// None.
    None,
    /// 32 bits each.
    Full,
    /// 16 bits each, two per register.
    Half,
}

/// What the address of an image access consists of; decides its registers together with dim and a16.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImgAddr {
    /// Extra dwords, gradients, coordinates, level of detail.
    Texel {
        /// Dwords before the gradients: offset, bias, depth reference.
        extra: u32,
        /// Gradients.
        gradients: Gradients,
        /// Has coordinates.
        coords: bool,
        /// Has a level of detail, clamp or mip behind the coordinates.
        lod: bool,
    },
    /// Ray of an intersection test.
    Ray {
        /// Dwords of the node pointer.
        node: u32,
    },
}

/// How a 16-bit immediate is read and printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImmKind {
    /// Signed value, printed as 16-bit hexadecimal.
    Signed,
    /// Unsigned value, printed in hexadecimal.
    Hex,
    /// Unsigned value, printed in decimal up to 64 and in hexadecimal above.
    Dec,
    /// Unsigned value that is not printed when zero (`s_endpgm`).
    Optional,
    /// Branch distance in dwords from the next instruction, signed.
    Branch,
    /// `s_waitcnt` counters.
    WaitCnt,
    /// `s_waitcnt_depctr` fields.
    DepCtr,
    /// `s_delay_alu` fields.
    DelayAlu,
    /// `s_sendmsg` message.
    SendMsg,
    /// Hardware register, bit offset and size.
    HwReg,
    /// Export target.
    ExpTarget,
    /// Interpolation attribute and channel: `attr` times four plus channel.
    Attr,
    /// Microcode version of `s_version`.
    Version,
}

/// Where an operand lives in the machine word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    /// Scalar destination (also the register of SOPK).
    Sdst,
    /// First source.
    Src0,
    /// Second source.
    Src1,
    /// Third source (VOP3), or the accumulator.
    Src2,
    /// Vector destination field.
    Vdst,
    /// First source of the second half of a dual-issue pair.
    Src0Y,
    /// Second source of the second half of a dual-issue pair.
    Src1Y,
    /// Destination of the second half of a dual-issue pair: the register number without its lowest bit, which is the
    /// opposite of the first half's.
    VdstY,
    /// The 16-bit immediate.
    Simm16,
    /// The literal dword.
    Lit,
    /// Not encoded: fixed by the instruction (VCC in natural forms).
    Fixed,
    /// SMEM base register, divided by two.
    Sbase,
    /// SMEM or buffer scalar offset.
    Soffset,
    /// Address VGPR of DS and FLAT.
    Addr,
    /// First data VGPR of DS and FLAT.
    Data0,
    /// Second data VGPR of DS.
    Data1,
    /// Scalar address of FLAT.
    Saddr,
    /// Buffer resource, divided by four.
    Srsrc,
    /// Buffer address VGPR.
    Vaddr,
    /// Buffer data VGPR.
    Vdata,
    /// Further address VGPR of an image access, 1 to 4: a byte of the third dword.
    Nsa(u32),
    /// Image sampler, divided by four.
    Ssamp,
    /// Export target.
    Target,
    /// Exported VGPR 0 to 3.
    Export(u32),
    /// Interpolation attribute.
    Attr,
}

/// Element type of an operand: says its width and how constants in it are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Ty {
    B8,
    B16,
    B32,
    B64,
    B96,
    B128,
    B256,
    B512,
    F16,
    Bf16,
    F32,
    F64,
    I16,
    U16,
    I24,
    U24,
    I32,
    U32,
    I64,
    U64,
    /// Class mask of `v_cmp_class_f16`: 16 bits whose constants are written as 32.
    Class16,
    /// Two f16.
    PkF16,
    /// Two bf16.
    PkBf16,
    /// Two i16.
    PkI16,
    /// Two u16.
    PkU16,
    /// Four bytes, signedness chosen by a modifier.
    PkIu8,
    /// Four unsigned bytes.
    PkU8,
    /// Eight nibbles, signedness chosen by a modifier.
    PkIu4,
    /// Eight unsigned nibbles.
    PkU4,
    /// f32, low f16 or high f16 as `op_sel_hi`/`op_sel` choose (`v_fma_mix*`).
    MixF32,
    /// WMMA A/B fragment: 16 f16.
    F16x16,
    /// WMMA A/B fragment: 16 bf16.
    Bf16x16,
    /// WMMA A/B fragment: 16 bytes.
    Iu8x16,
    /// WMMA A/B fragment: 16 nibbles.
    Iu4x16,
    /// WMMA accumulator of f32: 8 registers.
    F32x8,
    /// WMMA accumulator of i32: 8 registers.
    I32x8,
    /// WMMA accumulator of f16, one half of each of 8 registers.
    F16x8,
    /// WMMA accumulator of bf16, one half of each of 8 registers.
    Bf16x8,
    /// One bit per lane: a 32-bit scalar register in wave32, an aligned pair in wave64.
    Mask,
}

impl Ty {
    /// Width in bits of the value in its registers (a 16-bit value reports 16 and occupies one register).
    pub const fn bits(self) -> u32 {
        use Ty::*;
        match self {
            B8 => 8,
            B16 | F16 | Bf16 | I16 | U16 | Class16 => 16,
            B64 | F64 | I64 | U64 | Iu4x16 => 64,
            B96 => 96,
            B128 | Iu8x16 => 128,
            B256 | F16x16 | Bf16x16 | F32x8 | I32x8 | F16x8 | Bf16x8 => 256,
            B512 => 512,
            _ => 32,
        }
    }
    /// Number of 32-bit registers the value occupies in wave32.
    pub const fn regs(self) -> u32 {
        self.bits().div_ceil(32)
    }
    /// Number of 32-bit registers the value occupies in waves of `wave_size` lanes: a lane mask needs one bit per lane,
    /// and twice the lanes hold a matrix accumulator in half the registers (A and B are held twice).
    /// Source: RDNA3 ISA manual section 7.9, LLVM `_w64` register classes.
    pub const fn regs_in(self, wave_size: u32) -> u32 {
        use Ty::*;
        match self {
            Mask => wave_size / 32,
            F32x8 | I32x8 | F16x8 | Bf16x8 => self.regs() * 32 / wave_size,
            _ => self.regs(),
        }
    }
    /// A floating-point type, scalar or packed.
    pub const fn is_float(self) -> bool {
        use Ty::*;
        matches!(
            self,
            F16 | Bf16 | F32 | F64 | PkF16 | PkBf16 | MixF32 | F16x16 | Bf16x16 | F32x8 | F16x8 | Bf16x8
        )
    }
}

/// One operand of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OperandSpec {
    /// Read, written or both.
    pub role: Role,
    /// Field of the natural encoding that carries it.
    pub field: Field,
    /// What may stand there in the natural encoding.
    pub kind: Kind,
    /// Element type.
    pub ty: Ty,
    /// Takes `neg` and `abs` where the form has them.
    pub neg: bool,
}

impl OperandSpec {
    /// Width in bits.
    pub const fn bits(&self) -> u32 {
        self.ty.bits()
    }
    /// Bit of `op_sel` that names the half of a register this 16-bit operand lives in.
    pub fn half_bit(&self) -> Option<u32> {
        match self.field {
            _ if self.ty.bits() != 16 => None,
            Field::Src0 => Some(0),
            Field::Src1 => Some(1),
            Field::Src2 => Some(2),
            Field::Vdst => Some(3),
            _ => None,
        }
    }
    /// The same operand without `neg`/`abs`.
    pub const fn no_neg(mut self) -> OperandSpec {
        self.neg = false;
        self
    }
    /// The same operand with `neg`/`abs`, for rows whose raw-bits operand accepts them.
    pub const fn with_neg(mut self) -> OperandSpec {
        self.neg = true;
        self
    }
    /// True for operands that are written.
    pub fn is_dst(&self) -> bool {
        matches!(self.role, Role::Dst | Role::DstSrc)
    }
    /// True for operands that are read.
    pub fn is_src(&self) -> bool {
        matches!(self.role, Role::Src | Role::DstSrc)
    }
}

/// One instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// LLVM's mnemonic without `_e32`/`_e64`.
    pub name: &'static str,
    /// Encoding family of the natural form.
    pub family: Family,
    /// Opcode number of the natural form.
    pub code: u32,
    /// Operands in the order the assembler prints them.
    pub operands: &'static [OperandSpec],
    /// Machine unit and cost class.
    pub class: Class,
    /// Implicit state and legality.
    pub flags: Flags,
}

impl Row {
    /// What a target must have to run it; `None`: all have it.
    pub fn feature(&self) -> Option<Feature> {
        match self.family {
            Family::Vopdx | Family::Vopdy => Some(Feature::Vopd),
            _ if self.class == Class::Wmma => Some(Feature::Wmma),
            _ if self.flags.has(Flags::SALU_FLOAT) => Some(Feature::SaluFloat),
            _ if self.flags.has(Flags::SINGLE_USE) => Some(Feature::SingleUseHint),
            _ => None,
        }
    }
    /// Opcode number of the VOP3 form, for VOP1/VOP2/VOPC rows that have one. Source: LLVM 19 encodings.
    pub fn e64_code(&self) -> Option<u32> {
        if self.flags.has(Flags::NO_E64) {
            return None;
        }
        match self.family {
            Family::Vop1 => Some(self.code + 0x180),
            Family::Vop2 => Some(self.code + 0x100),
            Family::Vopc => Some(self.code),
            _ => None,
        }
    }
}
