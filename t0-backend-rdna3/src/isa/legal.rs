//! What may stand in an operand or modifier: the rules shared by the encoder and, through it, the decoder.
//!
//! Every rule is a named [`EncodeError`]. Sources: RDNA3 ISA manual sections 3.3.1 (alignment), 7.2.2 (scalar sources and
//! literals), 7.7 (DPP), 11 (offsets); each checked against LLVM 19.

use super::form::Form;
use super::graphics;
use super::inst::Enc;
use super::row::{Class, Field, Flags, ImmKind, Kind, OperandSpec, Row, Ty};
use super::{vopd, Inst, Operand, Reg, RegFile};
use crate::target::{Feature, Target};

/// Why an instruction cannot be encoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum EncodeError {
    #[error("{name} has no such encoding form; use another `Enc`")]
    NoForm { name: &'static str },
    #[error("{name} takes {want} operands, got {got}")]
    OperandCount {
        name: &'static str,
        want: usize,
        got: usize,
    },
    #[error("{name}: operand {operand} may not be a {got}; allowed here: {want}")]
    OperandKind {
        name: &'static str,
        operand: usize,
        got: &'static str,
        want: &'static str,
    },
    #[error("{name}: operand {operand} needs {want} registers, got {got}")]
    RegCount {
        name: &'static str,
        operand: usize,
        want: u32,
        got: u32,
    },
    #[error("{name}: operand {operand} names registers outside the register file")]
    RegRange { name: &'static str, operand: usize },
    #[error("{name}: operand {operand} must start at a multiple of {align}")]
    Alignment {
        name: &'static str,
        operand: usize,
        align: u32,
    },
    #[error("{name}: operand {operand}: 16-bit values of the 32-bit encoding live in v0..v127; use the VOP3 form")]
    High16 { name: &'static str, operand: usize },
    #[error("{name}: operand {operand}: selector {selector} is no inline constant")]
    BadConst {
        name: &'static str,
        operand: usize,
        selector: u32,
    },
    #[error("{name}: operand {operand}: selector {selector} is no special source")]
    BadSpecial {
        name: &'static str,
        operand: usize,
        selector: u32,
    },
    #[error("{name}: immediate {value} does not fit operand {operand} ({min}..={max})")]
    ImmRange {
        name: &'static str,
        operand: usize,
        value: i64,
        min: i64,
        max: i64,
    },
    #[error("{name}: two different literals; an instruction has room for one")]
    TwoLiterals { name: &'static str },
    #[error("{name}: operand {operand} is 16 bits wide, literal {literal:#x} has more")]
    LiteralWidth {
        name: &'static str,
        operand: usize,
        literal: u32,
    },
    #[error("{name}: a literal is not allowed here; move it to a register first")]
    NoLiteral { name: &'static str },
    #[error("{name}: reads {got} scalar values, at most {max} are allowed; move one to a VGPR")]
    ScalarLimit { name: &'static str, got: usize, max: usize },
    #[error("{name}: DPP needs a VGPR as source {operand}")]
    DppSource { name: &'static str, operand: usize },
    #[error("{name}: DPP control {what} out of range")]
    DppControl { name: &'static str, what: &'static str },
    #[error("{name}: modifier {modifier} is not available in this form")]
    Modifier { name: &'static str, modifier: &'static str },
    #[error("{name}: offset {offset} out of range {min}..={max}")]
    OffsetRange {
        name: &'static str,
        offset: i64,
        min: i64,
        max: i64,
    },
    #[error("{name} is one half of a dual-issue pair; write both as `{name} .. :: v_dual_..`")]
    NoPair { name: &'static str },
    #[error("{name}: exists for waves of {lanes} lanes only")]
    WaveSize { name: &'static str, lanes: u32 },
    #[error("{name}: one destination of the pair must be an even register and the other an odd one")]
    PairDst { name: &'static str },
    #[error(
        "{name}: the {source_name} registers of both halves are in one of the {banks} register banks; \
         they must differ modulo {banks}"
    )]
    PairBank {
        name: &'static str,
        source_name: &'static str,
        banks: u32,
    },
    #[error("{name}: exists for the global data share only; set gds")]
    NeedsGds { name: &'static str },
    #[error("{name}: dmask {dmask:#x} is not possible here; allowed: {want}")]
    ImageMask {
        name: &'static str,
        dmask: u32,
        want: &'static str,
    },
    #[error("{name}: dimension {dim} is not possible here; allowed: {want}")]
    ImageDim {
        name: &'static str,
        dim: u32,
        want: &'static str,
    },
    #[error("{name}: dmask, d16 and tfe ask for {regs} data registers, which this instruction does not have")]
    ImageData { name: &'static str, regs: u32 },
    #[error("{name}: dim and a16 ask for an address of {want} registers, got {got}")]
    ImageAddress { name: &'static str, want: u32, got: u32 },
    #[error("{name} is not on {target}; it exists on {on}")]
    Target {
        name: &'static str,
        target: &'static str,
        on: &'static str,
    },
}

impl EncodeError {
    /// The number of the operand at fault, where one is.
    pub fn operand(&self) -> Option<usize> {
        match self {
            EncodeError::OperandKind { operand, .. }
            | EncodeError::RegCount { operand, .. }
            | EncodeError::RegRange { operand, .. }
            | EncodeError::Alignment { operand, .. }
            | EncodeError::High16 { operand, .. }
            | EncodeError::BadConst { operand, .. }
            | EncodeError::BadSpecial { operand, .. }
            | EncodeError::ImmRange { operand, .. }
            | EncodeError::LiteralWidth { operand, .. } => Some(*operand),
            _ => None,
        }
    }
}

/// Operand position for error messages and its context.
pub(crate) struct Ctx<'a> {
    pub inst: &'a Inst,
    pub row: &'static Row,
    pub form: Form,
    pub target: &'a Target,
}

impl Ctx<'_> {
    fn name(&self) -> &'static str {
        self.row.name
    }

    /// Number of registers operand `spec` must name.
    fn want_regs(&self, spec: &OperandSpec) -> u32 {
        match spec.kind {
            Kind::GAddr if !self.saddr_is_null() => 1,
            Kind::VAddr => u32::from(self.inst.mods.offen) + u32::from(self.inst.mods.idxen),
            Kind::ImgData(_) | Kind::ImgAddr(_) => graphics::operand_regs(spec, self.inst.enc, &self.inst.mods),
            _ if spec.field == Field::Vdata && self.inst.mods.tfe => spec.ty.regs() + 1,
            _ => spec.ty.regs_in(self.target.wave_size),
        }
    }

    fn saddr_is_null(&self) -> bool {
        matches!(self.inst.operands.last(), Some(Operand::Reg(r)) if r.is_null())
    }

    /// Checks one operand and returns the value of its field (before scaling) and whether it is the literal.
    pub(crate) fn operand(&self, i: usize, spec: &OperandSpec, o: Operand) -> Result<(u32, Option<u32>), EncodeError> {
        match o {
            Operand::Reg(r) => self.reg(i, spec, r).map(|v| (v, None)),
            Operand::Const(c) => {
                if !matches!(c, 128..=208 | 240..=248) {
                    return Err(EncodeError::BadConst {
                        name: self.name(),
                        operand: i,
                        selector: c,
                    });
                }
                self.allow(
                    i,
                    spec,
                    matches!(
                        spec.kind,
                        Kind::VSrc | Kind::SSrc | Kind::SRegOrConst | Kind::VgprOrConst
                    ),
                    "constant",
                )?;
                Ok((c, None))
            }
            Operand::Special(s) => {
                if !matches!(s, 235..=238 | 251..=253) {
                    return Err(EncodeError::BadSpecial {
                        name: self.name(),
                        operand: i,
                        selector: s,
                    });
                }
                // Scalar destinations and bare registers may name one where their field is wide enough for it; that
                // means nothing to the machine, but LLVM has it so.
                let wide = self.form.field(spec.field).is_some_and(|(_, width)| width >= 8);
                let ok = match spec.kind {
                    Kind::VSrc | Kind::SSrc | Kind::SRegOrConst | Kind::VgprOrConst => true,
                    Kind::Mask => wide,
                    // What a relative move reads is a register; of the special sources LLVM has SCC there.
                    Kind::SReg if self.row.name == "s_movrels_b32" => s == 253,
                    Kind::SReg => wide && (s != 253 || spec.bits() == 32),
                    Kind::SDst => wide && s == 253,
                    _ => false,
                };
                self.allow(i, spec, ok, "special source")?;
                Ok((s, None))
            }
            Operand::Literal(l) => {
                self.allow(
                    i,
                    spec,
                    matches!(spec.kind, Kind::VSrc | Kind::SSrc | Kind::Literal),
                    "literal",
                )?;
                if self.inst.enc.is_dpp() {
                    return Err(EncodeError::NoLiteral { name: self.name() });
                }
                let narrow = spec.ty == Ty::MixF32 || (spec.ty.bits() == 16 && spec.ty != Ty::Class16);
                if narrow && l > 0xffff && !self.row.flags.has(Flags::TEXT_B32) {
                    return Err(EncodeError::LiteralWidth {
                        name: self.name(),
                        operand: i,
                        literal: l,
                    });
                }
                Ok((255, Some(l)))
            }
            Operand::Imm(v) => {
                let Kind::Imm(kind) = spec.kind else {
                    return Err(self.kind_error(i, spec, "immediate"));
                };
                let (min, max) = match kind {
                    ImmKind::Signed | ImmKind::Branch => (-32768, 32767),
                    ImmKind::Attr => (0, graphics::MAX_ATTR),
                    _ => (
                        0,
                        match spec.field {
                            Field::Simm16 => 65535,
                            Field::Sdst => 127,
                            _ => 255,
                        },
                    ),
                };
                if !(min..=max).contains(&v) || (kind == ImmKind::ExpTarget && graphics::target_name(v).is_none()) {
                    return Err(EncodeError::ImmRange {
                        name: self.name(),
                        operand: i,
                        value: v,
                        min,
                        max,
                    });
                }
                Ok(((v & 0xffff) as u32, None))
            }
        }
    }

    fn allow(&self, i: usize, spec: &OperandSpec, ok: bool, got: &'static str) -> Result<(), EncodeError> {
        if ok {
            Ok(())
        } else {
            Err(self.kind_error(i, spec, got))
        }
    }

    fn kind_error(&self, operand: usize, spec: &OperandSpec, got: &'static str) -> EncodeError {
        let want = match spec.kind {
            Kind::Vgpr => "VGPR",
            Kind::VSrc => "VGPR, SGPR, constant, literal",
            Kind::VgprOrConst => "VGPR, inline constant",
            Kind::SDst => "writable scalar register",
            Kind::SSrc => "scalar register, constant, literal",
            Kind::SReg => "scalar register",
            Kind::SRegOrConst => "scalar register, inline constant",
            Kind::Null => "scalar register (NULL in text)",
            Kind::Mask => "scalar lane mask",
            Kind::Vcc => "VCC",
            Kind::SBase => "aligned SGPRs",
            Kind::SOpt => "SGPR or NULL",
            Kind::VAddr | Kind::SAddrV | Kind::Export => "VGPR, or NULL for off",
            Kind::ImgData(_) => "VGPR",
            Kind::ImgAddr(_) => "VGPR address",
            Kind::GAddr => "VGPR address",
            Kind::Literal => "literal",
            Kind::Imm(_) => "immediate",
        };
        EncodeError::OperandKind {
            name: self.name(),
            operand,
            got,
            want,
        }
    }

    fn reg(&self, i: usize, spec: &OperandSpec, r: Reg) -> Result<u32, EncodeError> {
        let name = self.name();
        let want = self.want_regs(spec);
        match r.file {
            RegFile::V => {
                let ok = matches!(
                    spec.kind,
                    Kind::Vgpr
                        | Kind::VSrc
                        | Kind::VgprOrConst
                        | Kind::VAddr
                        | Kind::GAddr
                        | Kind::SAddrV
                        | Kind::ImgData(_)
                        | Kind::ImgAddr(_)
                        | Kind::Export
                );
                self.allow(i, spec, ok && want > 0, "VGPR")?;
                if r.count != want {
                    return Err(EncodeError::RegCount {
                        name,
                        operand: i,
                        want,
                        got: r.count,
                    });
                }
                if r.index + r.count > 256 {
                    return Err(EncodeError::RegRange { name, operand: i });
                }
                let short = matches!(self.form, Form::Vop1 | Form::Vop2 | Form::Vopc);
                if short && spec.ty.bits() == 16 && r.index >= 128 {
                    return Err(EncodeError::High16 { name, operand: i });
                }
                Ok(r.index)
            }
            RegFile::S => self.sreg(i, spec, r, want),
        }
    }

    fn sreg(&self, i: usize, spec: &OperandSpec, r: Reg, want: u32) -> Result<u32, EncodeError> {
        let name = self.name();
        if r.is_null() {
            return self.null(i, spec, r, want);
        }
        if r.count != want {
            return Err(EncodeError::RegCount {
                name,
                operand: i,
                want,
                got: r.count,
            });
        }
        let last = r.index + r.count - 1;
        let run = match r.index {
            0..=105 => last <= 105,
            106..=107 => last <= 107,
            108..=123 => last <= 123,
            125 => r.count == 1,
            126..=127 => last <= 127,
            _ => false,
        };
        if !run {
            return Err(EncodeError::RegRange { name, operand: i });
        }
        let align = match r.count {
            1 => 1,
            2 => 2,
            _ => 4,
        };
        if r.index % align != 0 {
            return Err(EncodeError::Alignment {
                name,
                operand: i,
                align,
            });
        }
        let sgpr = r.index < 124;
        let ok = match spec.kind {
            Kind::SDst if self.form == Form::Smem => sgpr,
            Kind::SDst | Kind::SReg | Kind::SSrc | Kind::VSrc | Kind::SRegOrConst | Kind::Null => true,
            Kind::Vcc => r == Reg::vcc(self.target.wave_size),
            Kind::Mask if spec.is_src() => sgpr || r == Reg::M0,
            Kind::Mask => true,
            // Only the widest descriptors are kept out of EXEC.
            Kind::SBase => sgpr || (r.count == 2 && self.form == Form::Smem),
            Kind::SOpt if self.form == Form::Flat => sgpr || (r.index >= 125 && r != Reg::EXEC_HI),
            Kind::SOpt => sgpr || r.count == 1,
            _ => false,
        };
        self.allow(i, spec, ok, "scalar register")?;
        Ok(r.index)
    }

    fn null(&self, i: usize, spec: &OperandSpec, r: Reg, want: u32) -> Result<u32, EncodeError> {
        let ok = match spec.kind {
            // Wide scalar loads have no NULL destination (LLVM register classes).
            Kind::SDst if self.form == Form::Smem => want <= 2,
            Kind::Null => true,
            Kind::SBase => want == 2,
            Kind::VgprOrConst => r.count == 1,
            Kind::SDst | Kind::SReg | Kind::SSrc | Kind::VSrc | Kind::SRegOrConst | Kind::Mask => {
                r.count == want || r.count == 1
            }
            Kind::SOpt | Kind::SAddrV | Kind::Export => r.count == 1,
            Kind::VAddr => want == 0 && r.count == 1,
            _ => false,
        };
        self.allow(i, spec, ok, "NULL")?;
        // NULL has one spelling: one register, whatever the operand's width.
        if r.count != 1 {
            return Err(EncodeError::RegCount {
                name: self.name(),
                operand: i,
                want: 1,
                got: r.count,
            });
        }
        Ok(124)
    }

    /// Rules over the whole instruction: one literal, scalar values, DPP sources.
    pub(crate) fn whole(&self, specs: &[OperandSpec], literals: &[u32]) -> Result<(), EncodeError> {
        let name = self.name();
        if literals.windows(2).any(|w| w[0] != w[1]) {
            return Err(EncodeError::TwoLiterals { name });
        }
        if !self.form.is_vector_alu() {
            return Ok(());
        }
        if self.inst.enc.is_dpp() {
            self.dpp_sources(specs)?;
        }
        if let Some(y) = self.inst.vopd_y {
            vopd::check(self.row, y.row(), &self.inst.operands)?;
        }
        // One literal read as 32 and as 64 bits counts twice, as in LLVM.
        let mut scalars: Vec<(Operand, bool)> = Vec::new();
        let mut add = |o: Operand, wide: bool| {
            if !scalars.contains(&(o, wide)) {
                scalars.push((o, wide));
            }
        };
        for (spec, &o) in specs.iter().zip(&self.inst.operands) {
            match o {
                Operand::Reg(r) if r.file == RegFile::S && !r.is_null() && spec.is_src() => add(o, false),
                Operand::Special(_) if spec.is_src() => add(o, false),
                Operand::Literal(_) => add(o, spec.bits() >= 64),
                _ => {}
            }
        }
        let flags = self.inst.flags();
        let max = if flags.has(Flags::ONE_SCALAR) { 1 } else { 2 };
        // An implied VCC counts apart from `vcc_lo`, but not from the pair, as in LLVM.
        let pair = (Operand::Reg(Reg::vcc(64)), false);
        let implied = flags.has(Flags::R_VCC) && !scalars.contains(&pair);
        let got = scalars.len() + usize::from(implied);
        if got > max {
            return Err(EncodeError::ScalarLimit { name, got, max });
        }
        Ok(())
    }

    /// DPP moves lanes of source 0, which must be a VGPR. So must source 1 before gfx1150, and in mixed-precision
    /// instructions (LLVM `FeatureDPPSrc1SGPR`).
    fn dpp_sources(&self, specs: &[OperandSpec]) -> Result<(), EncodeError> {
        let free1 = self.target.has(Feature::DppSrc1Scalar);
        for (i, (spec, o)) in specs.iter().zip(&self.inst.operands).enumerate() {
            let vgpr = matches!(o, Operand::Reg(r) if r.file == RegFile::V);
            let fixed1 = spec.field == Field::Src1 && (!free1 || spec.ty == Ty::MixF32);
            if (spec.field == Field::Src0 || fixed1) && !vgpr {
                return Err(EncodeError::DppSource {
                    name: self.name(),
                    operand: i,
                });
            }
        }
        Ok(())
    }

    /// Bits of `op_sel` that choose halves of VGPRs as 16-bit operands.
    fn halves(&self, specs: &[OperandSpec]) -> u32 {
        if self.form != Form::Vop3 && !self.form.is_short() {
            return 0;
        }
        let pairs = specs.iter().zip(&self.inst.operands);
        let vgprs = pairs.filter(|(_, o)| matches!(o, Operand::Reg(r) if r.file == RegFile::V));
        vgprs
            .filter_map(|(spec, _)| spec.half_bit())
            .fold(0, |m, bit| m | 1 << bit)
    }

    /// Checks modifiers against the form and the row.
    pub(crate) fn mods(&self, specs: &[OperandSpec]) -> Result<(), EncodeError> {
        let (m, row) = (&self.inst.mods, self.row);
        let srcs: Vec<&OperandSpec> = specs.iter().filter(|s| s.is_src() && s.field != Field::Vdst).collect();
        let mut legal = LegalMods::of(row, self.form, self.inst.enc, &srcs);
        legal.op_sel |= self.halves(specs);
        let bad = |cond: bool, modifier: &'static str| {
            if cond {
                Err(EncodeError::Modifier {
                    name: row.name,
                    modifier,
                })
            } else {
                Ok(())
            }
        };
        bad(m.neg & !legal.neg != 0, "neg")?;
        bad(m.abs & !legal.abs != 0, "abs")?;
        bad(m.clamp && !legal.clamp, "clamp")?;
        bad(m.omod > 3 || (m.omod != 0 && !legal.omod), "omod")?;
        bad(m.op_sel & !legal.op_sel != 0, "op_sel")?;
        bad(
            (m.op_sel_hi ^ legal.op_sel_hi_default) & !legal.op_sel_hi != 0,
            "op_sel_hi",
        )?;
        bad(m.neg_lo & !legal.neg_lo != 0, "neg_lo")?;
        bad(m.neg_hi & !legal.neg_hi != 0, "neg_hi")?;
        let vmem =
            matches!(self.form, Form::Flat | Form::Mubuf | Form::Mtbuf | Form::Mimg) && row.class != Class::VmemInv;
        let smem = self.form == Form::Smem && row.class == Class::Smem && row.operands[0].is_dst();
        bad(m.glc && !(vmem || smem), "glc")?;
        bad(m.dlc && !(vmem || smem), "dlc")?;
        bad(m.slc && !vmem, "slc")?;
        let mubuf = matches!(self.form, Form::Mubuf | Form::Mtbuf) && row.class != Class::VmemInv;
        let loads = self.form == Form::Mubuf && row.class == Class::VmemLoad && row.operands[0].field == Field::Vdata;
        bad(m.offen && !mubuf, "offen")?;
        bad(m.idxen && !mubuf, "idxen")?;
        bad(m.tfe && !(loads || self.form == Form::Mimg), "tfe")?;
        // Of the lane permutations LLVM gives only the swizzle the bit.
        let permutes = row.class == Class::LdsLane && row.name != "ds_swizzle_b32";
        let gds = self.form == Form::Ds && !permutes && !row.flags.has(Flags::NO_GDS);
        bad(m.gds && !gds, "gds")?;
        if row.flags.has(Flags::GDS_ONLY) && !m.gds {
            return Err(EncodeError::NeedsGds { name: row.name });
        }
        graphics::check(self.inst, self.form)?;
        self.offsets()
    }

    fn offsets(&self) -> Result<(), EncodeError> {
        let (m, row) = (&self.inst.mods, self.row);
        let two = row.flags.has(Flags::OFFSETS2);
        let (min, max) = match self.form {
            Form::Smem if row.class == Class::SmemInv => (0, 0),
            Form::Smem if row.operands[1].ty == Ty::B128 => (0, (1 << 20) - 1),
            Form::Smem => (-(1 << 20), (1 << 20) - 1),
            Form::Ds if row.name == "ds_nop" => (0, 0),
            Form::Ds if !two => (0, 65535),
            Form::Flat if row.flags.has(Flags::FLAT) => (0, 4095),
            Form::Flat => (-4096, 4095),
            Form::Mubuf if row.class != Class::VmemInv => (0, 4095),
            Form::Mtbuf => (0, 4095),
            _ => (0, 0),
        };
        let check = |offset: i64, min: i64, max: i64| {
            if (min..=max).contains(&offset) {
                Ok(())
            } else {
                Err(EncodeError::OffsetRange {
                    name: row.name,
                    offset,
                    min,
                    max,
                })
            }
        };
        check(i64::from(m.offset), min, max)?;
        let max8 = if two { 255 } else { 0 };
        check(i64::from(m.offset0), 0, max8)?;
        check(i64::from(m.offset1), 0, max8)
    }
}

/// Which modifier bits a row may set in a form.
pub(crate) struct LegalMods {
    pub neg: u32,
    pub abs: u32,
    pub clamp: bool,
    pub omod: bool,
    pub op_sel: u32,
    pub op_sel_hi: u32,
    pub op_sel_hi_default: u32,
    pub neg_lo: u32,
    pub neg_hi: u32,
}

impl LegalMods {
    pub(crate) fn of(row: &Row, form: Form, enc: Enc, srcs: &[&OperandSpec]) -> LegalMods {
        let mut l = LegalMods {
            neg: 0,
            abs: 0,
            clamp: false,
            omod: false,
            op_sel: 0,
            op_sel_hi: 0,
            op_sel_hi_default: 0,
            neg_lo: 0,
            neg_hi: 0,
        };
        let n = srcs
            .iter()
            .filter(|s| matches!(s.field, Field::Src0 | Field::Src1 | Field::Src2))
            .count();
        let all = (1u32 << n) - 1;
        let floats = srcs
            .iter()
            .enumerate()
            .filter(|(_, s)| s.neg)
            .fold(0, |a, (i, _)| a | 1 << i);
        match form {
            Form::Vop3 | Form::Vop3sd => {
                l.neg = floats;
                l.abs = if form == Form::Vop3sd { 0 } else { floats };
                l.clamp = row.flags.has(Flags::CLAMP);
                l.omod = row.flags.has(Flags::OMOD);
                if row.flags.has(Flags::OPSEL) {
                    l.op_sel = if row.class == Class::ValuLane {
                        3
                    } else if srcs[0].ty.is_float() && srcs[0].ty.bits() == 32 {
                        // v_dot2_f16_f16, v_dot2_bf16_bf16: sources are packed, only accumulator and result choose.
                        0b1100
                    } else {
                        all | 8
                    };
                }
            }
            Form::Vop3p => vop3p_mods(&mut l, row, all, srcs),
            Form::Vinterp => {
                l.neg = all;
                l.clamp = true;
                if row.flags.has(Flags::OPSEL) {
                    l.op_sel = all | 8;
                }
            }
            Form::Vop1 | Form::Vop2 | Form::Vopc if matches!(enc, Enc::Dpp16(_)) => {
                // The exponent takes signs in the long forms only.
                let floats = if row.name == "v_ldexp_f16" { floats & 1 } else { floats };
                l.neg = floats;
                l.abs = floats;
            }
            _ => {}
        }
        l
    }
}

fn vop3p_mods(l: &mut LegalMods, row: &Row, all: u32, srcs: &[&OperandSpec]) {
    let ty = srcs[0].ty;
    l.clamp = row.flags.has(Flags::CLAMP);
    if ty == Ty::MixF32 {
        l.neg = all;
        l.abs = all;
        l.op_sel = all;
        l.op_sel_hi = all;
        return;
    }
    l.op_sel_hi_default = 7;
    if row.class == Class::Wmma {
        match ty {
            Ty::Iu8x16 | Ty::Iu4x16 => (l.neg_lo, l.neg_hi) = (7, 7),
            _ => {
                (l.neg_lo, l.neg_hi) = (7, 7);
                if matches!(srcs[2].ty, Ty::F16x8 | Ty::Bf16x8) {
                    (l.op_sel, l.op_sel_hi) = (7, 7);
                }
            }
        }
        return;
    }
    // The rest takes every bit, whether or not it means something for its sources.
    l.op_sel = all;
    l.op_sel_hi = all;
    l.neg_lo = all;
    l.neg_hi = all;
}
