//! Registers and operands of machine instructions.

/// Register file of a [`Reg`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RegFile {
    /// Scalar numbering of the hardware: 0..=105 SGPRs, 106/107 VCC, 108..=123 trap temporaries, 124 NULL, 125 M0,
    /// 126/127 EXEC. SCC appears as 253 in read/write sets only.
    S,
    /// Vector registers 0..=255.
    V,
}

/// A run of consecutive 32-bit registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reg {
    /// Register file.
    pub file: RegFile,
    /// First register.
    pub index: u32,
    /// Number of 32-bit registers.
    pub count: u32,
}

impl Reg {
    /// VCC_LO, the lane mask of wave32; see [`Reg::vcc`].
    pub const VCC: Reg = Reg::s(106);
    /// VCC_HI, ordinary storage in wave32.
    pub const VCC_HI: Reg = Reg::s(107);
    /// The null register: reads zero, ignores writes.
    pub const NULL: Reg = Reg::s(124);
    /// M0.
    pub const M0: Reg = Reg::s(125);
    /// EXEC_LO, the execution mask of wave32; see [`Reg::exec`].
    pub const EXEC: Reg = Reg::s(126);
    /// EXEC_HI, ordinary storage in wave32.
    pub const EXEC_HI: Reg = Reg::s(127);
    /// The scalar condition code, as it appears in [`crate::isa::Inst::reads`] and `writes`.
    pub const SCC: Reg = Reg::s(253);

    /// VCC as the lane mask of waves of `wave_size` lanes: `vcc_lo` or the pair `vcc`.
    pub const fn vcc(wave_size: u32) -> Reg {
        Reg::sn(106, wave_size / 32)
    }
    /// EXEC of waves of `wave_size` lanes: `exec_lo` or the pair `exec`.
    pub const fn exec(wave_size: u32) -> Reg {
        Reg::sn(126, wave_size / 32)
    }
    /// One scalar register.
    pub const fn s(index: u32) -> Reg {
        Reg {
            file: RegFile::S,
            index,
            count: 1,
        }
    }
    /// One vector register.
    pub const fn v(index: u32) -> Reg {
        Reg {
            file: RegFile::V,
            index,
            count: 1,
        }
    }
    /// `count` scalar registers from `index`.
    pub const fn sn(index: u32, count: u32) -> Reg {
        Reg {
            file: RegFile::S,
            index,
            count,
        }
    }
    /// `count` vector registers from `index`.
    pub const fn vn(index: u32, count: u32) -> Reg {
        Reg {
            file: RegFile::V,
            index,
            count,
        }
    }
    /// True for the null register of any width.
    pub const fn is_null(self) -> bool {
        matches!(self.file, RegFile::S) && self.index == 124
    }
    /// True when the two runs share a register.
    pub fn overlaps(self, o: Reg) -> bool {
        self.file == o.file && self.index < o.index + o.count && o.index < self.index + self.count
    }
}

/// One operand of an instruction, in the order the assembler prints them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// Registers. An absent optional register (`off`) is NULL.
    Reg(Reg),
    /// Inline constant by its selector: 128..=192 for 0..=64, 193..=208 for -1..=-16, 240..=248 for
    /// 0.5, -0.5, 1, -1, 2, -2, 4, -4 and 1/(2 pi).
    Const(u32),
    /// A literal dword.
    Literal(u32),
    /// An immediate field: signed for signed kinds, otherwise the raw field value.
    Imm(i64),
    /// A special source by its selector: 235..=238 apertures, 251 VCCZ, 252 EXECZ, 253 SCC.
    Special(u32),
}

/// Bit patterns of the inline floats in f32, selector 240 first.
const INLINE_F32: [u32; 9] = [
    0x3f00_0000,
    0xbf00_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x4000_0000,
    0xc000_0000,
    0x4080_0000,
    0xc080_0000,
    0x3e22_f983,
];
const INLINE_F16: [u16; 9] = [0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118];
const INLINE_F64: [u64; 9] = [
    0x3fe0_0000_0000_0000,
    0xbfe0_0000_0000_0000,
    0x3ff0_0000_0000_0000,
    0xbff0_0000_0000_0000,
    0x4000_0000_0000_0000,
    0xc000_0000_0000_0000,
    0x4010_0000_0000_0000,
    0xc010_0000_0000_0000,
    0x3fc4_5f30_6dc9_c882,
];

impl Operand {
    /// One scalar register.
    pub const fn s(index: u32) -> Operand {
        Operand::Reg(Reg::s(index))
    }
    /// One vector register.
    pub const fn v(index: u32) -> Operand {
        Operand::Reg(Reg::v(index))
    }
    /// A scalar register run.
    pub const fn sn(index: u32, count: u32) -> Operand {
        Operand::Reg(Reg::sn(index, count))
    }
    /// A vector register run.
    pub const fn vn(index: u32, count: u32) -> Operand {
        Operand::Reg(Reg::vn(index, count))
    }
    /// The absent optional register.
    pub const OFF: Operand = Operand::Reg(Reg::NULL);

    /// A 32-bit integer source: inline constant when one exists, else a literal.
    pub fn int(value: i32) -> Operand {
        match value {
            0..=64 => Operand::Const(128 + value as u32),
            -16..=-1 => Operand::Const((192 - value) as u32),
            _ => Operand::Literal(value as u32),
        }
    }
    /// A 32-bit source by bit pattern: inline integer, inline f32, else a literal.
    pub fn b32(bits: u32) -> Operand {
        match INLINE_F32.iter().position(|&p| p == bits) {
            Some(i) => Operand::Const(240 + i as u32),
            None => Operand::int(bits as i32),
        }
    }
    /// An f32 source.
    pub fn f32(value: f32) -> Operand {
        Operand::b32(value.to_bits())
    }
    /// A 16-bit source by bit pattern for f16 operands: inline integer, inline f16, else a literal.
    pub fn b16(bits: u16) -> Operand {
        match INLINE_F16.iter().position(|&p| p == bits) {
            Some(i) => Operand::Const(240 + i as u32),
            None => match Operand::int(i32::from(bits as i16)) {
                Operand::Literal(_) => Operand::Literal(u32::from(bits)),
                c => c,
            },
        }
    }
    /// The register, when this is one.
    pub const fn reg(self) -> Option<Reg> {
        match self {
            Operand::Reg(r) => Some(r),
            _ => None,
        }
    }
    /// Value of an inline constant as a 32-bit operand sees it (floats as f32 patterns). `None` for other operands.
    /// Source: RDNA3 ISA manual, scalar source table.
    pub fn const_b32(self) -> Option<u32> {
        self.const_int()
            .map(|i| i as u32)
            .or(self.float_slot().map(|i| INLINE_F32[i]))
    }
    /// Value of an inline constant as a 16-bit operand sees it (floats as f16 patterns).
    pub fn const_b16(self) -> Option<u16> {
        self.const_int()
            .map(|i| i as u16)
            .or(self.float_slot().map(|i| INLINE_F16[i]))
    }
    /// Value of an inline constant as a 64-bit operand sees it (integers sign-extended, floats as f64 patterns).
    pub fn const_b64(self) -> Option<u64> {
        self.const_int()
            .map(|i| i64::from(i) as u64)
            .or(self.float_slot().map(|i| INLINE_F64[i]))
    }
    /// Integer value of an integer inline constant.
    pub fn const_int(self) -> Option<i32> {
        match self {
            Operand::Const(c @ 128..=192) => Some(c as i32 - 128),
            Operand::Const(c @ 193..=208) => Some(192 - c as i32),
            _ => None,
        }
    }
    fn float_slot(self) -> Option<usize> {
        match self {
            Operand::Const(c @ 240..=248) => Some((c - 240) as usize),
            _ => None,
        }
    }
}

impl From<Reg> for Operand {
    fn from(r: Reg) -> Operand {
        Operand::Reg(r)
    }
}
