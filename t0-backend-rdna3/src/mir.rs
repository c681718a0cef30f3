//! Machine code over virtual registers.
//!
//! Problem: selection must not care which of the 106 SGPRs and 256 VGPRs hold a value. Method: blocks in their final
//! order; a block ends in at most one branch and otherwise falls into the next, so the successors follow from the
//! instructions. Registers are virtual, of class S or V and 1 to 16 dwords wide; operands name sub-ranges of them.
//! Code is not SSA: values that meet at a join or are carried round a loop have one register with several definitions.
//!
//! Invariants: SCC is consumed by the instruction that follows its definition or one that leaves SCC alone; VCC, M0 and
//! EXEC are named directly and never allocated; EXEC is not zero where user code runs.

use crate::isa::inst::specs_of;
use crate::isa::{Class as Unit, Enc, Family, Flags, Mods, Opcode, Operand, Reg, Role, Vop3sd};
use std::fmt;
use t0_ir::{Scope, Span};

/// Register class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// Scalar registers.
    S,
    /// Vector registers.
    V,
}

/// A virtual register, by index into [`MFunc::vregs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VReg(pub u32);

/// What is known of a virtual register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VRegInfo {
    /// Class.
    pub class: Class,
    /// Width in dwords.
    pub width: u32,
    /// Written for some lanes at a time: a definition keeps what other lanes hold, so it does not end the life of the
    /// value before it.
    pub sticky: bool,
}

/// Consecutive dwords of a virtual register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sub {
    /// The register.
    pub reg: VReg,
    /// First dword.
    pub at: u32,
    /// Number of dwords.
    pub count: u32,
}

impl Sub {
    /// Dword `i` of this range.
    pub fn dword(self, i: u32) -> Sub {
        debug_assert!(i < self.count, "dword {i} of {self}");
        Sub {
            reg: self.reg,
            at: self.at + i,
            count: 1,
        }
    }

    /// `count` dwords from `at` of this range.
    pub fn slice(self, at: u32, count: u32) -> Sub {
        debug_assert!(at + count <= self.count, "dwords {at}+{count} of {self}");
        Sub {
            reg: self.reg,
            at: self.at + at,
            count,
        }
    }
}

/// A block, by index into [`MFunc::blocks`]; during selection a label that stands for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub u32);

/// What an instruction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MOp {
    /// A machine instruction.
    Isa(Opcode),
    /// `dst = src`: same class and width, at least one of them virtual. Becomes moves, or nothing when both get the same
    /// registers.
    Copy,
    /// The register has some value: no code. Stands before definitions that write a register piece by piece.
    ImplicitDef,
}

/// An operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MOperand {
    /// Virtual registers.
    Virt(Sub),
    /// A physical register, a constant or an immediate.
    Isa(Operand),
    /// A branch target.
    Block(BlockId),
}

impl From<Sub> for MOperand {
    fn from(s: Sub) -> MOperand {
        MOperand::Virt(s)
    }
}

impl From<Reg> for MOperand {
    fn from(r: Reg) -> MOperand {
        MOperand::Isa(Operand::Reg(r))
    }
}

impl From<Operand> for MOperand {
    fn from(o: Operand) -> MOperand {
        MOperand::Isa(o)
    }
}

impl MOperand {
    /// The virtual registers, when this is some.
    pub fn virt(self) -> Option<Sub> {
        match self {
            MOperand::Virt(s) => Some(s),
            _ => None,
        }
    }
}

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct MInst {
    /// What it is.
    pub op: MOp,
    /// Encoding form.
    pub enc: Enc,
    /// Operands in assembler order, destinations first.
    pub operands: Vec<MOperand>,
    /// Modifiers.
    pub mods: Mods,
    /// Source place.
    pub span: Span,
    /// Reads global memory that the launch may also write: must be done before the group's barrier.
    pub shared: bool,
    /// Scope of an atomic operation.
    pub atomic: Option<Scope>,
}

/// How an operand is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Access {
    /// Written.
    pub def: bool,
    /// Read.
    pub use_: bool,
    /// Read while the results are already being written: may share no register with a result.
    pub late: bool,
}

/// Most operands of an instruction: images with addresses in registers of their own have the most.
const MOST_OPERANDS: usize = 16;

/// How the operands of an instruction are accessed, in their order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Accesses {
    all: [Access; MOST_OPERANDS],
    len: usize,
}

impl Accesses {
    fn of(all: impl IntoIterator<Item = Access>) -> Accesses {
        let mut out = Accesses::default();
        for (slot, a) in out.all.iter_mut().zip(all) {
            *slot = a;
            out.len += 1;
        }
        out
    }
}

impl std::ops::Deref for Accesses {
    type Target = [Access];
    fn deref(&self) -> &[Access] {
        &self.all[..self.len]
    }
}

impl std::ops::DerefMut for Accesses {
    fn deref_mut(&mut self) -> &mut [Access] {
        &mut self.all[..self.len]
    }
}

impl MInst {
    /// The machine opcode, when this is no pseudo-instruction.
    pub fn opcode(&self) -> Option<Opcode> {
        match self.op {
            MOp::Isa(op) => Some(op),
            _ => None,
        }
    }

    /// Whether it writes EXEC.
    pub fn writes_exec(&self) -> bool {
        let named = |(a, o): (&Access, &MOperand)| match o {
            MOperand::Isa(Operand::Reg(r)) => a.def && r.overlaps(Reg::EXEC),
            _ => false,
        };
        self.opcode().is_some_and(|o| o.row().flags.has(Flags::W_EXEC))
            || self.accesses().iter().zip(&self.operands).any(named)
    }

    /// How each operand is accessed, in operand order.
    pub fn accesses(&self) -> Accesses {
        let def = Access {
            def: true,
            ..Access::default()
        };
        let read = Access {
            use_: true,
            ..Access::default()
        };
        match self.op {
            MOp::Copy => Accesses::of([def, read]),
            MOp::ImplicitDef => Accesses::of([def]),
            MOp::Isa(op) => {
                let row = op.row();
                let plain_atomic = row.class == Unit::VmemAtomic && row.family == Family::Mubuf && !self.mods.glc;
                let wmma = row.class == Unit::Wmma;
                let specs = specs_of(row, self.enc, self.mods.glc);
                let mut out = Accesses::of(specs.map(|spec| match spec.role {
                    Role::Dst => def,
                    Role::DstSrc if plain_atomic => read,
                    Role::DstSrc => Access {
                        def: true,
                        use_: true,
                        late: false,
                    },
                    Role::Src => read,
                }));
                if wmma {
                    // The result is written while A and B are still being read (LLVM marks it early-clobber).
                    out[1].late = true;
                    out[2].late = true;
                }
                // The result may share no register with a source (see `errata`).
                if matches!(op, Opcode::Vop3sd(Vop3sd::v_mad_u64_u32 | Vop3sd::v_mad_i64_i32)) {
                    out.iter_mut().filter(|a| !a.def).for_each(|a| a.late = true);
                }
                // Lanes that DPP masks off keep the old destination.
                if let Enc::Dpp16(d) | Enc::E64Dpp16(d) = self.enc {
                    let all = d.row_mask == 0xf && d.bank_mask == 0xf && d.bound_ctrl;
                    if !all && out.first().is_some_and(|a| a.def) {
                        out[0].use_ = true;
                    }
                }
                out
            }
        }
    }
}

/// A block.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct MBlock {
    /// Instructions.
    pub insts: Vec<MInst>,
    /// Number of loops around it.
    pub depth: u32,
}

/// A kernel over virtual registers.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct MFunc {
    /// Virtual registers.
    pub vregs: Vec<VRegInfo>,
    /// Blocks in their final order; the first is the entry.
    pub blocks: Vec<MBlock>,
    /// Work-items of a workgroup, which v0 numbers at the start; 0 where that is not known.
    pub group: u32,
}

impl MFunc {
    /// A new virtual register.
    pub fn vreg(&mut self, class: Class, width: u32) -> Sub {
        self.vregs.push(VRegInfo {
            class,
            width,
            sticky: false,
        });
        Sub {
            reg: VReg(self.vregs.len() as u32 - 1),
            at: 0,
            count: width,
        }
    }

    /// What is known of a register.
    pub fn info(&self, r: VReg) -> VRegInfo {
        self.vregs[r.0 as usize]
    }

    /// Whether the range is the whole register.
    pub fn is_whole(&self, s: Sub) -> bool {
        s.at == 0 && s.count == self.info(s.reg).width
    }

    /// Blocks that may run after block `b`.
    pub fn successors(&self, b: usize) -> Vec<usize> {
        let last = self.blocks[b].insts.last();
        let target = last.and_then(|i| {
            i.operands.iter().find_map(|o| match o {
                MOperand::Block(t) => Some(t.0 as usize),
                _ => None,
            })
        });
        let name = last.and_then(|i| i.opcode()).map_or("", |o| o.name());
        let mut out: Vec<usize> = target.into_iter().collect();
        if name != "s_branch" && name != "s_endpgm" && b + 1 < self.blocks.len() {
            out.push(b + 1);
        }
        out
    }
}

impl fmt::Display for Sub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.reg.0)?;
        match (self.at, self.count) {
            (0, 1) => Ok(()),
            (at, 1) => write!(f, "[{at}]"),
            (at, n) => write!(f, "[{at}:{}]", at + n - 1),
        }
    }
}

impl fmt::Display for MOperand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MOperand::Virt(s) => write!(f, "{s}"),
            MOperand::Block(b) => write!(f, "bb{}", b.0),
            MOperand::Isa(Operand::Reg(r)) => {
                let file = if r.file == crate::isa::RegFile::S { "s" } else { "v" };
                match (file, r.index) {
                    ("s", 106) => write!(f, "vcc"),
                    ("s", 124) => write!(f, "null"),
                    ("s", 126) => write!(f, "exec"),
                    _ if r.count == 1 => write!(f, "{file}{}", r.index),
                    _ => write!(f, "{file}[{}:{}]", r.index, r.index + r.count - 1),
                }
            }
            MOperand::Isa(o @ Operand::Const(_)) => match (o.const_int(), o.const_b32()) {
                (Some(i), _) => write!(f, "{i}"),
                (None, Some(b)) => write!(f, "{:?}", f32::from_bits(b)),
                _ => write!(f, "{o:?}"),
            },
            MOperand::Isa(Operand::Literal(l)) => write!(f, "{l:#x}"),
            MOperand::Isa(Operand::Imm(i)) => write!(f, "{i}"),
            MOperand::Isa(Operand::Special(s)) => write!(f, "special{s}"),
        }
    }
}

impl fmt::Display for MInst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.op {
            MOp::Isa(op) => op.name(),
            MOp::Copy => "COPY",
            MOp::ImplicitDef => "IMPLICIT_DEF",
        };
        write!(f, "{name}")?;
        for (i, o) in self.operands.iter().enumerate() {
            write!(f, "{} {o}", if i == 0 { "" } else { "," })?;
        }
        if let Some(op) = self.opcode() {
            if self.mods != Mods::for_op(op) {
                let m = &self.mods;
                for (on, text) in [(m.offen, " offen"), (m.glc, " glc"), (m.clamp, " clamp")] {
                    if on {
                        f.write_str(text)?;
                    }
                }
                for (n, text) in [
                    (m.offset as u32, "offset"),
                    (m.neg, "neg"),
                    (m.abs, "abs"),
                    (m.op_sel, "op_sel"),
                ] {
                    if n != 0 {
                        write!(f, " {text}:{n}")?;
                    }
                }
            }
        }
        Ok(())
    }
}

impl fmt::Display for MFunc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, b) in self.blocks.iter().enumerate() {
            writeln!(f, "bb{i}:")?;
            for inst in &b.insts {
                writeln!(f, "  {inst}")?;
            }
        }
        Ok(())
    }
}
