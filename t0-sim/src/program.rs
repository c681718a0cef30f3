//! A kernel's code, decoded once into a dense form the executor runs.
//!
//! Problem: decoding on every execution costs more than executing. Method: follow control flow from the entry,
//! decode each reachable instruction once, resolve operands to register numbers and constants to bit patterns (by
//! the operand's type, RDNA3 manual 4.1), branches to indices, and precompute the register sets the wait and hazard
//! traps need. Bytes that are no instruction become a stop that fires only when *reached*: data after the last
//! `s_endpgm` is nobody's business. Code that only jumps through registers reach (functions called by address, jump
//! tables) is decoded when the first wave gets there.
//!
//! Invariant: an [`Instr`] with `stop == 0` names only registers the wave has.

use std::collections::{BTreeMap, HashMap};

use t0_backend_rdna3::errata;
use t0_backend_rdna3::isa::{
    self, Class, Enc, Family, Field, Flags, ImmKind, Kind, Mods, Opcode, Operand, Reg, RegFile, Role, Ty,
};
use t0_backend_rdna3::target::Target;

use crate::aperture;
use crate::driver::ExecFaultKind;
use crate::exec::vopd::{self, Pair};
use crate::order;
use crate::sanitize::{self, Between};
use crate::spin;

/// A source operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Src {
    /// Absent (`off`) or NULL: reads zero.
    None,
    /// Vector register, first of its run.
    V(u16),
    /// Scalar register in hardware numbering, first of its run.
    S(u16),
    /// Constant, materialised for the operand's type.
    K(u64),
    /// SCC as 0 or 1.
    Scc,
    /// 1 when VCC is zero.
    Vccz,
    /// 1 when EXEC is zero.
    Execz,
}

/// A destination operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dst {
    /// Absent or NULL.
    None,
    /// Vector register.
    V(u16),
    /// Scalar register.
    S(u16),
}

/// Lane movement on source 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dpp {
    /// None.
    Off,
    /// DPP16.
    D16(isa::Dpp16),
    /// DPP8.
    D8(isa::Dpp8),
}

/// A set of vector registers, one bit each.
pub type VSet = [u64; 4];
/// A set of scalar registers (hardware numbers 0..=127), one bit each.
pub type SSet = [u64; 2];

/// One decoded instruction.
#[derive(Clone, Debug)]
pub struct Instr {
    /// What it is.
    pub op: Opcode,
    /// Class of its row.
    pub class: Class,
    /// Flags of its row.
    pub flags: Flags,
    /// Destinations in assembler order.
    pub dst: [Dst; 2],
    /// Sources in assembler order.
    pub src: [Src; 4],
    /// 32-bit registers of the first destination or of the data source.
    pub data_regs: u32,
    /// Immediate (raw 16 bits, sign-extended for signed kinds).
    pub imm: i64,
    /// Modifiers.
    pub mods: Mods,
    /// Lane movement.
    pub dpp: Dpp,
    /// True when a source modifier is set.
    pub src_mods: bool,
    /// True when sources are used as they stand in their registers: no source modifier, no lane movement.
    pub plain: bool,
    /// True when clamp or omod is set.
    pub dst_mods: bool,
    /// Index of the next instruction in memory.
    pub next: u32,
    /// Index of the branch target.
    pub target: u32,
    /// Its own index in the program.
    pub index: u32,
    /// Byte offset from the kernel's entry.
    pub offset: u64,
    /// Length in bytes.
    pub size: u32,
    /// 0, or 1 + index of the reason why this cannot execute.
    pub stop: u32,
    /// Vector registers read.
    pub vread: VSet,
    /// Vector registers written.
    pub vwrite: VSet,
    /// Scalar registers read.
    pub sread: SSet,
    /// Scalar registers written.
    pub swrite: SSet,
    /// Counters it increments.
    pub wait: isa::WaitCounts,
    /// True when it increments one.
    pub counts: bool,
    /// True when it writes memory or LDS; not for an atomic that returns the old value, which may be a way to poll.
    pub writes: bool,
    /// How a wave of 64 lanes runs it.
    pub passes: Passes,
    /// Which half of its register a D16 load writes.
    pub half_loaded: Option<bool>,
    /// True when the hazard rules must see it even when nothing is pending.
    pub matters: bool,
    /// True when only the group that holds the token may execute it, see `order.rs`.
    pub ordered: bool,
    /// True for a load by which a wave waits for another one, see `spin.rs`.
    pub spins: bool,
    /// True when it may choose an address outside of the LDS in the place of an index out of range.
    pub selects: bool,
    /// The halves of a dual-issue pair.
    pub(crate) pair: Option<Box<Pair>>,
}

/// How a wave of 64 lanes runs an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passes {
    /// Once: scalar instructions, and those that reach across the halves.
    One,
    /// Once for each half.
    Two,
    /// Once for each half that has an active lane.
    Active,
}

impl Passes {
    fn of(inst: &isa::Inst) -> Passes {
        use isa::{Vop1, Vop3};
        let class = inst.row().class;
        match inst.op {
            Opcode::Vop1(Vop1::v_readfirstlane_b32 | Vop1::v_permlane64_b32)
            | Opcode::Vop3(Vop3::v_readlane_b32 | Vop3::v_writelane_b32) => Passes::One,
            _ if class == Class::Wmma => Passes::One,
            // A mask result has a bit for lanes that are off, too (RDNA3 manual 2.1).
            _ if class.is_valu() && inst.writes(32).iter().any(|r| r.file == RegFile::S) => Passes::Two,
            _ if class.is_valu() || class.is_vmem() || class.is_lds() => Passes::Active,
            _ => Passes::One,
        }
    }
}

/// Code as the decoder asks for it: up to [`FETCH`] bytes at an offset from the kernel's entry (below it, a wrapped
/// negative number); none where there is no code.
pub type Fetch<'a> = dyn Fn(u64) -> Vec<u8> + 'a;
/// Bytes of the longest instruction.
pub const FETCH: usize = 24;

/// A decoded kernel.
#[derive(Clone, Debug)]
pub struct Program {
    /// Instructions: what is reached from the entry in address order, then what register jumps led to.
    pub code: Vec<Instr>,
    /// The instructions as decoded, parallel to `code`; `None` for bytes that are none.
    insts: Vec<Option<isa::Inst>>,
    /// What the hazard rules read of the instructions, parallel to `code`.
    facts: Vec<errata::Facts>,
    /// Why an instruction stops the wave.
    pub stops: Vec<ExecFaultKind>,
    /// Index of the first instruction.
    pub entry: u32,
    /// Index of the instruction at an offset.
    index: HashMap<u64, u32>,
    /// Offsets that control falls through to though there is no code.
    ends: Vec<u64>,
    target: Target,
    vgprs: u32,
}

impl Program {
    /// What lies between two instructions: by address, as compilers lay out loops and their bodies.
    pub(crate) fn between(&self, a: u32, b: u32) -> Between {
        let offset = |i: u32| self.code.get(i as usize).map_or(0, |i| i.offset as i64);
        let (first, last) = (offset(a).min(offset(b)), offset(a).max(offset(b)));
        let barrier = |i: &Instr| {
            let at = i.offset as i64;
            first < at && at < last && i.op == Opcode::Sopp(isa::Sopp::s_barrier)
        };
        let closes = |i: &Instr| {
            let name = i.op.row().name;
            let branches = name.starts_with("s_branch") || name.starts_with("s_cbranch_");
            branches && i.offset as i64 >= last && offset(i.target) <= first
        };
        Between {
            barrier: self.code.iter().any(barrier),
            looped: self.code.iter().any(closes),
        }
    }

    /// Decodes what is reachable from the entry for `target`, whose wave size counts. `vgprs` is the wave's
    /// allocation. What only jumps through registers reach is added by [`Program::grow`] when they are taken.
    pub fn decode(fetch: &Fetch, target: &Target, vgprs: u32) -> Program {
        let mut p = Program {
            code: Vec::new(),
            insts: Vec::new(),
            facts: Vec::new(),
            stops: Vec::new(),
            entry: 0,
            index: HashMap::new(),
            ends: Vec::new(),
            target: *target,
            vgprs,
        };
        p.grow(fetch, 0);
        p.entry = p.at_offset(0).unwrap_or(0);
        p
    }

    /// Adds what is reachable from the instruction at offset `root`. Indices given out before stay valid.
    pub fn grow(&mut self, fetch: &Fetch, root: u64) {
        let mut found: BTreeMap<u64, Found> = BTreeMap::new();
        let mut work = vec![root];
        while let Some(start) = work.pop() {
            let mut at = start;
            while !found.contains_key(&at) && !self.index.contains_key(&at) {
                let bytes = fetch(at);
                // A branch to where there is no code is the branch's fault; it has no target then.
                if bytes.is_empty() && at == start {
                    break;
                }
                let f = Found::at(&bytes, &self.target);
                if bytes.is_empty() {
                    self.ends.push(at);
                }
                let (next, jump, falls) = (at.wrapping_add(u64::from(f.size)), f.jump(at), f.falls_through());
                found.insert(at, f);
                work.extend(jump);
                if !falls {
                    break;
                }
                at = next;
            }
        }
        let first = self.code.len();
        let indices = found.keys().enumerate().map(|(k, &o)| (o, (first + k) as u32));
        self.index.extend(indices);
        for (offset, f) in found {
            self.append(offset, f);
        }
        order::mark(&mut self.code, &self.insts);
        spin::mark(&mut self.code);
    }

    fn append(&mut self, offset: u64, f: Found) {
        let lowered = match &f.what {
            Ok(inst) => lower(inst, self.vgprs, &self.target),
            Err(words) if words.is_empty() => Err(ExecFaultKind::Rule {
                what: String::from("control ran past the end of the kernel's code: there is no s_endpgm before"),
            }),
            Err(words) => Err(ExecFaultKind::IllegalInstruction { words: words.clone() }),
        };
        let mut instr = lowered.unwrap_or_else(|why| {
            self.stops.push(why);
            Instr {
                stop: self.stops.len() as u32,
                ..blank()
            }
        });
        let place = |at: u64| self.index.get(&at).copied().unwrap_or(u32::MAX);
        instr.index = self.code.len() as u32;
        instr.offset = offset;
        instr.size = f.size;
        instr.next = place(offset.wrapping_add(u64::from(f.size)));
        let target = f.jump(offset).filter(|to| !self.ends.contains(to));
        instr.target = target.map_or(u32::MAX, place);
        let facts = f
            .what
            .as_ref()
            .map_or_else(|_| errata::Facts::default(), |i| errata::Facts::of(i, &self.target));
        instr.matters = facts.matters();
        instr.selects = sanitize::outside::selects(&instr);
        self.code.push(instr);
        self.facts.push(facts);
        self.insts.push(f.what.ok());
    }

    /// Whether workgroups may notice each other: some instruction is ordered, or a jump through a register may lead to
    /// one, see `order.rs`.
    pub(crate) fn orders(&self) -> bool {
        use isa::Sop1::{s_setpc_b64, s_swappc_b64};
        let jumps = |i: &Instr| matches!(i.op, Opcode::Sop1(s_setpc_b64 | s_swappc_b64));
        self.code.iter().any(|i| i.ordered || jumps(i))
    }

    /// Whether waves wait for each other by plain loads of the LDS, and of global memory.
    pub(crate) fn spins(&self) -> (bool, bool) {
        let any = |lds: bool| self.code.iter().any(|i| i.spins && i.class.is_lds() == lds);
        (any(true), any(false))
    }

    /// The bytes that were decoded: offset and length of each run.
    pub fn runs(&self) -> Vec<(u64, usize)> {
        let mut parts: Vec<(i64, usize)> = self.code.iter().map(|i| (i.offset as i64, i.size as usize)).collect();
        parts.sort_unstable();
        let mut runs: Vec<(u64, usize)> = Vec::new();
        for (at, len) in parts {
            match runs.last_mut() {
                Some((start, all)) if start.wrapping_add(*all as u64) == at as u64 => *all += len,
                _ => runs.push((at as u64, len)),
            }
        }
        runs
    }

    /// An instruction as text.
    pub fn text(&self, index: u32) -> String {
        match self.insts.get(index as usize) {
            Some(Some(inst)) => inst.to_string(),
            Some(None) if self.ends.contains(&self.code[index as usize].offset) => String::from("(no code)"),
            Some(None) => String::from("(not an instruction)"),
            None => String::from("(outside of the code)"),
        }
    }

    /// An instruction as decoded; `None` for bytes that are none.
    pub fn inst(&self, index: u32) -> Option<&isa::Inst> {
        self.insts.get(index as usize)?.as_ref()
    }

    /// What the hazard rules read of an instruction.
    #[inline]
    pub fn facts(&self, index: u32) -> &errata::Facts {
        &self.facts[index as usize]
    }

    /// The hazard state a wave starts with. Rules that only warn and need every vector instruction are left out unless
    /// `warnings` is set.
    pub fn hazards(&self, warnings: bool) -> errata::State {
        errata::State::new(&self.target, self.looks_back(warnings))
    }

    /// Whether the hazard state must keep recent VALU writes.
    pub fn looks_back(&self, warnings: bool) -> bool {
        let back = self.facts.iter().any(|f| f.looks_back(&self.target));
        back && (warnings || self.target.wave_size == 64)
    }

    /// Index of the instruction at a byte offset from the entry.
    pub fn at_offset(&self, offset: u64) -> Option<u32> {
        self.index.get(&offset).copied()
    }
}

/// One decoding step.
struct Found {
    what: Result<isa::Inst, Vec<u32>>,
    size: u32,
}

impl Found {
    fn at(bytes: &[u8], target: &Target) -> Found {
        match isa::decode(bytes, target) {
            Ok((inst, size)) => Found {
                what: Ok(inst),
                size: size as u32,
            },
            Err(_) => {
                let words = bytes
                    .chunks_exact(4)
                    .take(2)
                    .map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]));
                Found {
                    what: Err(words.collect()),
                    size: 4,
                }
            }
        }
    }

    /// Offset of the branch target.
    fn jump(&self, at: u64) -> Option<u64> {
        let inst = self.what.as_ref().ok()?;
        for (operand, spec) in inst.operands.iter().zip(inst.specs()) {
            if let (Operand::Imm(d), Kind::Imm(ImmKind::Branch)) = (operand, spec.kind) {
                return Some(at.wrapping_add_signed(i64::from(*d as i16) * 4 + 4));
            }
        }
        None
    }

    fn falls_through(&self) -> bool {
        use isa::{Sop1, Sopp};
        match &self.what {
            Err(_) => false,
            Ok(i) => !matches!(
                i.op,
                Opcode::Sopp(Sopp::s_endpgm | Sopp::s_branch | Sopp::s_code_end) | Opcode::Sop1(Sop1::s_setpc_b64)
            ),
        }
    }
}

fn blank() -> Instr {
    Instr {
        op: Opcode::Sopp(isa::Sopp::s_nop),
        class: Class::Control,
        flags: Flags::NONE,
        dst: [Dst::None; 2],
        src: [Src::None; 4],
        data_regs: 0,
        imm: 0,
        mods: Mods::default(),
        dpp: Dpp::Off,
        src_mods: false,
        plain: true,
        dst_mods: false,
        next: u32::MAX,
        target: u32::MAX,
        index: 0,
        offset: 0,
        size: 4,
        stop: 0,
        vread: [0; 4],
        vwrite: [0; 4],
        sread: [0; 2],
        swrite: [0; 2],
        wait: isa::WaitCounts::default(),
        counts: false,
        writes: false,
        passes: Passes::One,
        half_loaded: None,
        matters: false,
        ordered: false,
        spins: false,
        selects: false,
        pair: None,
    }
}

fn lower(inst: &isa::Inst, vgprs: u32, target: &Target) -> Result<Instr, ExecFaultKind> {
    let row = inst.row();
    if isa::graphics::is_graphics(row) {
        return Err(ExecFaultKind::Unsupported {
            reason: "it needs the graphics pipeline or the global data share",
        });
    }
    let mut i = blank();
    if let (Opcode::Vopdx(x), Some(y)) = (inst.op, inst.vopd_y) {
        let [x, y] = vopd::halves(x, y, &inst.operands);
        let pair = Pair::new(lower(&x, vgprs, target)?, lower(&y, vgprs, target)?);
        i.pair = Some(Box::new(pair));
    }
    i.op = inst.op;
    i.class = row.class;
    i.flags = inst.flags();
    i.mods = inst.mods;
    i.wait = inst.wait();
    i.half_loaded = inst.half_loaded();
    i.counts = i.wait != isa::WaitCounts::default();
    i.writes = match row.class {
        Class::VmemStore | Class::LdsStore | Class::LdsAtomic => true,
        Class::VmemAtomic => !inst.mods.glc,
        _ => false,
    };
    i.passes = Passes::of(inst);
    i.dpp = match inst.enc {
        Enc::Natural | Enc::E64 | Enc::Nsa(_) => Dpp::Off,
        Enc::Dpp16(d) | Enc::E64Dpp16(d) => Dpp::D16(d),
        Enc::Dpp8(d) | Enc::E64Dpp8(d) => Dpp::D8(d),
    };
    let m = &inst.mods;
    i.src_mods = m.neg != 0 || m.abs != 0;
    i.plain = !i.src_mods && i.dpp == Dpp::Off;
    i.dst_mods = m.clamp || m.omod != 0;
    let (mut nd, mut ns) = (0, 0);
    for (operand, spec) in inst.operands.iter().zip(inst.specs()) {
        if spec.is_dst() {
            if i.pair.is_some() {
                continue;
            }
            i.dst[nd] = dst(operand);
            if nd == 0 {
                i.data_regs = spec.ty.regs();
            }
            nd += 1;
            // `v_swap_b32` lists its second register as read and written; semantics find it as a destination.
            if !(spec.role == Role::DstSrc && spec.field == Field::Src0) {
                continue;
            }
        }
        match (operand, spec.kind) {
            (Operand::Imm(v), _) => i.imm = *v,
            // Operands of a pair are its halves'.
            _ if i.pair.is_some() => {}
            _ => {
                i.src[ns] = src(operand, spec.ty)?;
                if matches!(spec.field, Field::Data0 | Field::Vdata) {
                    i.data_regs = spec.ty.regs();
                }
                ns += 1;
            }
        }
    }
    let limits = Limits {
        vgprs,
        family: row.family,
    };
    limits.collect(&inst.reads(target.wave_size), &mut i.vread, &mut i.sread)?;
    limits.collect(&inst.writes(target.wave_size), &mut i.vwrite, &mut i.swrite)?;
    Ok(i)
}

struct Limits {
    vgprs: u32,
    family: Family,
}

impl Limits {
    /// Adds registers to the sets; refuses vector registers the wave does not have.
    fn collect(&self, regs: &[Reg], v: &mut VSet, s: &mut SSet) -> Result<(), ExecFaultKind> {
        for r in regs {
            let end = r.index + r.count;
            match r.file {
                RegFile::V if end > self.vgprs => {
                    return Err(ExecFaultKind::Rule {
                        what: format!(
                            "v{} is outside of the {} VGPRs the kernel descriptor allocates ({:?}); raise the descriptor's VGPR count",
                            end - 1,
                            self.vgprs,
                            self.family
                        ),
                    })
                }
                RegFile::V => (r.index..end).for_each(|k| v[(k / 64) as usize] |= 1 << (k % 64)),
                RegFile::S => (r.index..end.min(128)).for_each(|k| s[(k / 64) as usize] |= 1 << (k % 64)),
            }
        }
        Ok(())
    }
}

fn dst(operand: &Operand) -> Dst {
    match operand {
        Operand::Reg(r) if r.is_null() => Dst::None,
        Operand::Reg(Reg {
            file: RegFile::V,
            index,
            ..
        }) => Dst::V(*index as u16),
        Operand::Reg(Reg {
            file: RegFile::S,
            index,
            ..
        }) => Dst::S(*index as u16),
        _ => Dst::None,
    }
}

fn src(operand: &Operand, ty: Ty) -> Result<Src, ExecFaultKind> {
    Ok(match operand {
        Operand::Reg(r) if r.is_null() => Src::None,
        Operand::Reg(Reg {
            file: RegFile::V,
            index,
            ..
        }) => Src::V(*index as u16),
        Operand::Reg(Reg {
            file: RegFile::S,
            index,
            ..
        }) => Src::S(*index as u16),
        Operand::Const(_) => Src::K(constant(operand, ty)),
        Operand::Literal(v) => Src::K(literal(*v, ty)),
        Operand::Imm(v) => Src::K(*v as u64),
        Operand::Special(251) => Src::Vccz,
        Operand::Special(252) => Src::Execz,
        Operand::Special(253) => Src::Scc,
        Operand::Special(n) => match n {
            235 => Src::K(aperture::SHARED_BASE),
            236 => Src::K(aperture::SHARED_BASE + aperture::APERTURE_BYTES - 1),
            237 => Src::K(aperture::PRIVATE_BASE),
            238 => Src::K(aperture::PRIVATE_BASE + aperture::APERTURE_BYTES - 1),
            _ => {
                return Err(ExecFaultKind::Unsupported {
                    reason: "data of the LDS as an operand",
                })
            }
        },
    })
}

/// An inline constant as an operand of type `ty` sees it.
fn constant(c: &Operand, ty: Ty) -> u64 {
    let b16 = u64::from(c.const_b16().unwrap_or(0));
    let b32 = c.const_b32().unwrap_or(0);
    match ty {
        Ty::F16x8 => b16 | b16 << 16,
        Ty::Bf16x8 => {
            let h = u64::from(if c.const_int().is_some() {
                b32 & 0xffff
            } else {
                b32 >> 16
            });
            h | h << 16
        }
        Ty::Bf16 | Ty::PkBf16 if c.const_int().is_none() => u64::from(b32 >> 16),
        Ty::PkF16 if c.const_int().is_none() => b16,
        _ if ty.bits() == 64 => c.const_b64().unwrap_or(0),
        _ if ty.bits() == 16 && ty.is_float() => b16,
        _ => u64::from(b32),
    }
}

/// A literal dword as an operand of type `ty` sees it: high half of an f64, extended for 64-bit integers.
fn literal(v: u32, ty: Ty) -> u64 {
    match ty {
        Ty::F64 => u64::from(v) << 32,
        Ty::I64 => i64::from(v as i32) as u64,
        _ => u64::from(v),
    }
}
