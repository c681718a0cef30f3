//! How far the results of a launch can be trusted to be the card's, instruction by instruction.
//!
//! Problem: most of the instruction set is specified to the bit; a few instructions are not (tables nobody published, an
//! adder measured on a relative, orders that depend on timing). A result that depends on those may differ from
//! silicon in its last bits, which matters little in a float that is stored and much in an address or a branch.
//!
//! Method: [`judge`] says for each instruction whether it is exact, approximate (why, and by how much at most) or
//! unsupported. [`Report::of`] follows approximate results forward through the registers over the control flow of the
//! instructions the launch executed, to a fixed point, and names where they enter an address, a branch (or EXEC), or
//! memory.
//!
//! The flow is conservative: it may name a place that no approximate value reaches, it does not miss one that values
//! flow into. A vector register becomes clean again only where EXEC has not been touched since the start; memory is two
//! places (LDS, everything else), tainted as a whole by the first tainted store, in any wave. Scalar loads are taken to
//! read what was there before the launch: the scalar cache does not see the launch's own stores (RDNA3 ISA manual 8).
//! What depends on an approximate value only through *which* instructions ran is covered by naming the branch.

use std::collections::BTreeSet;
use std::fmt;

use t0_backend_rdna3::isa::{
    Class, Field, Flags, Inst, Opcode, Operand, OperandSpec, Reg, RegFile, Row, Sopp, Vop1, Vop2, Vop3, Vop3p,
};

use crate::driver::Offset;
use crate::num::Numerics;
use crate::profile::{name, OpCount, Profile};

/// What the simulator promises for an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fidelity {
    /// The card's result, bit by bit, as far as its documentation defines it.
    Exact,
    /// A result that may differ from the card's.
    Approximate {
        /// Why.
        why: &'static str,
        /// By how much at most.
        bound: &'static str,
    },
    /// It stops the wave.
    Unsupported {
        /// Why.
        why: &'static str,
    },
}

impl Fidelity {
    /// `exact`, `approximate` or `unsupported`.
    pub fn name(self) -> &'static str {
        match self {
            Fidelity::Exact => "exact",
            Fidelity::Approximate { .. } => "approximate",
            Fidelity::Unsupported { .. } => "unsupported",
        }
    }
}

const UNIT: &str = "the tables of the card's transcendental unit are not published";
const F32_UNIT: Fidelity = Fidelity::Approximate {
    why: UNIT,
    bound: "1 ulp on the card (RDNA3 ISA manual), 0.501 ulp of the exact value here",
};
const F16_UNIT: Fidelity = Fidelity::Approximate {
    why: UNIT,
    bound: "0.51 ulp on the card (RDNA3 ISA manual), 0.501 ulp of the exact value here",
};
const CIRCULAR: Fidelity = Fidelity::Approximate {
    why: UNIT,
    bound: "none stated for the card; 0.501 ulp of the exact value here, operands beyond 256 turns give the value at 0",
};
const F64_UNIT: Fidelity = Fidelity::Approximate {
    why: "the card gives a first approximation for software to refine, its tables are not published",
    bound: "2^29 ulp on the card (RDNA3 ISA manual), 1 ulp here",
};
const TIME: Fidelity = Fidelity::Approximate {
    why: "time is the simulator's own",
    bound: "none",
};
const ATOMIC_ORDER: Fidelity = Fidelity::Approximate {
    why: "sums of several work-items are rounded in the order they arrive, which on the card depends on timing",
    bound: "that of the order; exact where every partial sum is",
};
const HALF_DOT: Fidelity = Fidelity::Approximate {
    why: "the adder of the 16-bit dot products is not published",
    bound: "1 ulp of each partial sum; exact where every partial sum is",
};

/// The dot products with f32 accumulation, in the mode of the run.
fn dot(numerics: Numerics, wmma: bool) -> Fidelity {
    let bound =
        "one step of 2^-24 of the largest addend for each addend against the accumulator's sign, and the rounding \
                 of each sum; exact where all addends have one sign and every partial sum is exact";
    let why = match (numerics, wmma) {
        (Numerics::Fast, _) => "summed with fused multiply-adds in order of k; the card adds on a common grid",
        (Numerics::Silicon, false) => "the adder model was measured on gfx1151, not on this chip",
        (Numerics::Silicon, true) => {
            "the adder model was measured on gfx1151; the order of the steps over k is not published"
        }
    };
    Fidelity::Approximate { why, bound }
}

/// What the simulator promises for an instruction.
pub fn judge(inst: &Inst, numerics: Numerics) -> Fidelity {
    use Opcode as O;
    let row = inst.row();
    if let Some(why) = graphics(row.name) {
        return Fidelity::Unsupported { why };
    }
    let pair = inst.vopd_y.map_or("", |y| Opcode::Vopdy(y).row().name);
    if row.name.contains("dot2acc_f32") || pair.contains("dot2acc_f32") {
        return dot(numerics, false);
    }
    match inst.op {
        O::Vop1(Vop1::v_rcp_f64 | Vop1::v_rsq_f64 | Vop1::v_sqrt_f64) => F64_UNIT,
        O::Vop1(Vop1::v_sin_f32 | Vop1::v_cos_f32 | Vop1::v_sin_f16 | Vop1::v_cos_f16) => CIRCULAR,
        O::Vop1(_) if row.class == Class::ValuTrans && row.name.ends_with("f16") => F16_UNIT,
        O::Vop1(_) if row.class == Class::ValuTrans => F32_UNIT,
        O::Vop2(Vop2::v_dot2acc_f32_f16) => dot(numerics, false),
        O::Vop3p(Vop3p::v_dot2_f32_f16 | Vop3p::v_dot2_f32_bf16) => dot(numerics, false),
        O::Vop3p(
            Vop3p::v_wmma_f32_16x16x16_f16
            | Vop3p::v_wmma_f32_16x16x16_bf16
            | Vop3p::v_wmma_f16_16x16x16_f16
            | Vop3p::v_wmma_bf16_16x16x16_bf16,
        ) => dot(numerics, true),
        O::Vop3(Vop3::v_dot2_f16_f16 | Vop3::v_dot2_bf16_bf16) => HALF_DOT,
        O::Sopk(_) if row.name == "s_getreg_b32" && inst.operands.iter().any(is_cycle_counter) => TIME,
        O::Sop1(_) if row.name.starts_with("s_sendmsg_rtn") => TIME,
        _ if is_float_atomic_sum(inst) => ATOMIC_ORDER,
        _ => Fidelity::Exact,
    }
}

/// Why an instruction of the graphics pipeline stops the wave.
fn graphics(name: &str) -> Option<&'static str> {
    let starts = |prefixes: &[&str]| prefixes.iter().any(|p| name.starts_with(p));
    if starts(&["image_"]) {
        Some("texture instructions are not simulated")
    } else if name == "exp" || starts(&["v_interp", "lds_param_load", "lds_direct_load"]) {
        Some("instructions of the graphics pipeline are not simulated")
    } else if starts(&["ds_gws", "ds_ordered"]) {
        Some("the global data share is not simulated")
    } else {
        None
    }
}

/// The hardware register SHADER_CYCLES is number 29 (bits 5:0 of the immediate).
fn is_cycle_counter(o: &Operand) -> bool {
    matches!(o, Operand::Imm(v) if v & 63 == 29)
}

fn is_atomic(class: Class) -> bool {
    matches!(class, Class::VmemAtomic | Class::LdsAtomic)
}

fn is_float_atomic_sum(inst: &Inst) -> bool {
    let row = inst.row();
    is_atomic(row.class) && row.name.contains("add") && row.name.contains("_f")
}

/// Where an approximate result goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sink {
    /// Into the address of a memory access.
    Address,
    /// Into a branch, or into EXEC.
    Branch,
    /// Into memory.
    Memory,
}

impl Sink {
    /// `address`, `branch` or `memory`.
    pub fn name(self) -> &'static str {
        match self {
            Sink::Address => "address",
            Sink::Branch => "branch",
            Sink::Memory => "memory",
        }
    }
}

/// An instruction that an approximate result may reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// As what.
    pub sink: Sink,
    /// Byte offset of the instruction from the kernel's entry.
    pub offset: u64,
    /// The instruction.
    pub text: String,
    /// How many waves executed it, each time counted.
    pub count: u64,
}

/// The fidelity of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// How dot products were summed.
    pub numerics: Numerics,
    /// Executed opcodes, most frequent first, and what is promised for them.
    pub opcodes: Vec<(OpCount, Fidelity)>,
    /// Where approximate results may arrive, by place in the program.
    pub reached: Vec<Reached>,
    /// WMMA executions whose A or B copies differed between lanes 0..=15 and the others: what the card makes of them is
    /// not documented.
    pub uneven_tiles: u64,
}

impl Report {
    /// The report on what a profiled launch executed.
    pub fn of(profile: &Profile) -> Report {
        let of_name = |wanted: &str| {
            let mut all = profile.executed().filter(|(_, inst, _)| name(inst) == wanted);
            let judged = all.by_ref().map(|(_, inst, _)| judge(inst, profile.numerics));
            // One opcode may be exact with one operand and not with another: the worse counts.
            judged.fold(
                Fidelity::Exact,
                |worst, f| if worst == Fidelity::Exact { f } else { worst },
            )
        };
        let opcodes = profile.by_opcode().into_iter().map(|o| {
            let fidelity = of_name(&o.name);
            (o, fidelity)
        });
        Report {
            numerics: profile.numerics,
            opcodes: opcodes.collect(),
            reached: Flow::new(profile).run(),
            uneven_tiles: profile.uneven_tiles(),
        }
    }

    /// Whether an approximate result may reach this.
    pub fn reaches(&self, sink: Sink) -> bool {
        self.reached.iter().any(|r| r.sink == sink)
    }

    /// Whether every executed instruction is exact and every WMMA operand well formed.
    pub fn is_exact(&self) -> bool {
        self.uneven_tiles == 0 && self.opcodes.iter().all(|(_, f)| *f == Fidelity::Exact)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exact = self.opcodes.iter().filter(|(_, f)| *f == Fidelity::Exact);
        let (kinds, count) = exact.fold((0, 0), |(k, n), (o, _)| (k + 1, n + o.count));
        writeln!(f, "numerics: {}", self.numerics.name())?;
        writeln!(f, "exact: {count} wave instructions of {kinds} opcodes")?;
        for (o, judged) in &self.opcodes {
            match judged {
                Fidelity::Exact => {}
                Fidelity::Approximate { why, bound } => {
                    writeln!(f, "approximate: {} x {}: {why}; bound: {bound}", o.count, o.name)?;
                }
                Fidelity::Unsupported { why } => writeln!(f, "unsupported: {} x {}: {why}", o.count, o.name)?,
            }
        }
        if self.uneven_tiles > 0 {
            let n = self.uneven_tiles;
            writeln!(f, "{n} WMMA operands differ between lanes 0..=15 and their copies in the other lanes: the card's result is not documented")?;
        }
        for sink in [Sink::Address, Sink::Branch, Sink::Memory] {
            let mut at = self.reached.iter().filter(|r| r.sink == sink);
            match at.next() {
                None => writeln!(f, "no approximate result reaches {}", phrase(sink))?,
                Some(r) => {
                    let more = match at.count() {
                        0 => String::new(),
                        n => format!(" and {n} more"),
                    };
                    writeln!(
                        f,
                        "an approximate result may reach {}: `{}` at {}{more}",
                        phrase(sink),
                        r.text,
                        Offset(r.offset)
                    )?;
                }
            }
        }
        Ok(())
    }
}

fn phrase(sink: Sink) -> &'static str {
    match sink {
        Sink::Address => "an address",
        Sink::Branch => "a branch or EXEC",
        Sink::Memory => "memory",
    }
}

/// Registers that may hold something approximate: 256 vector and 256 scalar ones (SCC is number 253).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    bits: [u64; 8],
    /// EXEC is what it was at the start.
    untouched: bool,
}

const CLEAN: State = State {
    bits: [0; 8],
    untouched: true,
};

fn slots(r: &Reg) -> impl Iterator<Item = usize> {
    let base = if r.file == RegFile::V { 0 } else { 256 };
    (r.index..r.index + r.count).map(move |k| base + (k as usize & 255))
}

impl State {
    fn has(&self, r: &Reg) -> bool {
        slots(r).any(|k| self.bits[k / 64] >> (k % 64) & 1 == 1)
    }

    fn set(&mut self, r: &Reg, on: bool) {
        for k in slots(r) {
            let bit = 1 << (k % 64);
            self.bits[k / 64] = (self.bits[k / 64] & !bit) | if on { bit } else { 0 };
        }
    }

    /// Adds what another path brings; true when that is new.
    fn join(&mut self, other: &State) -> bool {
        let before = *self;
        self.bits.iter_mut().zip(other.bits).for_each(|(a, b)| *a |= b);
        self.untouched &= other.untouched;
        *self != before
    }
}

/// Memory as the flow sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Memory {
    lds: bool,
    other: bool,
}

/// The state after a dual-issue pair: each half's result depends on its own operands only, as they were before.
fn pair(inst: &Inst, y: &Row, before: State, wave: u32) -> State {
    let mut after = before;
    let x = inst.row();
    let (first, second) = inst.operands.split_at(x.operands.len().min(inst.operands.len()));
    for (row, operands) in [(x, first), (y, second)] {
        let of = |wanted: fn(&OperandSpec) -> bool| {
            let pairs = row.operands.iter().zip(operands).filter(move |(spec, _)| wanted(spec));
            pairs.filter_map(|(_, o)| match o {
                Operand::Reg(r) => Some(*r),
                _ => None,
            })
        };
        let vcc = row.flags.has(Flags::R_VCC) && before.has(&Reg::vcc(wave));
        let source = vcc || row.name.contains("dot2acc") || of(OperandSpec::is_src).any(|r| before.has(&r));
        for r in of(OperandSpec::is_dst) {
            if source || before.untouched {
                after.set(&r, source);
            }
        }
    }
    after
}

struct Flow<'a> {
    profile: &'a Profile,
    memory: Memory,
    found: BTreeSet<(u32, Sink)>,
}

impl<'a> Flow<'a> {
    fn new(profile: &'a Profile) -> Flow<'a> {
        Flow {
            profile,
            memory: Memory::default(),
            found: BTreeSet::new(),
        }
    }

    fn run(mut self) -> Vec<Reached> {
        // A store may taint what a load before it (in another wave, or around a loop) reads.
        loop {
            let before = self.memory;
            self.pass();
            if self.memory == before {
                break;
            }
        }
        let code = &self.profile.program.code;
        let reached = self.found.iter().map(|&(at, sink)| Reached {
            sink,
            offset: code[at as usize].offset,
            text: self.profile.program.text(at),
            count: self.profile.count(at),
        });
        reached.collect()
    }

    /// One fixed point with the present memory.
    fn pass(&mut self) {
        let program = &self.profile.program;
        let mut states: Vec<Option<State>> = vec![None; program.code.len()];
        let mut work = vec![(program.entry, CLEAN)];
        while let Some((at, incoming)) = work.pop() {
            if self.profile.count(at) == 0 {
                continue;
            }
            let (Some(slot), Some(inst)) = (states.get_mut(at as usize), program.inst(at)) else {
                continue;
            };
            let new = match slot {
                Some(s) => s.join(&incoming),
                None => {
                    *slot = Some(incoming);
                    true
                }
            };
            let Some(state) = slot.filter(|_| new) else { continue };
            let out = self.step(at, inst, state);
            work.extend(self.successors(at, inst).into_iter().map(|next| (next, out)));
        }
    }

    fn successors(&self, at: u32, inst: &Inst) -> Vec<u32> {
        let code = &self.profile.program.code;
        let i = &code[at as usize];
        match inst.op {
            Opcode::Sopp(Sopp::s_endpgm) => Vec::new(),
            Opcode::Sopp(Sopp::s_branch) => vec![i.target],
            // A jump through a register may go anywhere that was executed.
            Opcode::Sop1(_) if inst.row().class == Class::Branch => (0..code.len() as u32).collect(),
            _ => vec![i.next, i.target],
        }
    }

    /// The state after an instruction; notes the places it lets approximate values into.
    fn step(&mut self, at: u32, inst: &Inst, mut state: State) -> State {
        let row = inst.row();
        let wave = self.profile.wave_size;
        let (reads, writes) = (inst.reads(wave), inst.writes(wave));
        let approximate = matches!(judge(inst, self.profile.numerics), Fidelity::Approximate { .. });
        let tainted_operand = |fields: &[Field]| {
            let mut pairs = inst.specs().zip(&inst.operands);
            pairs.any(|(spec, o)| fields.contains(&spec.field) && matches!(o, Operand::Reg(r) if state.has(r)))
        };
        let mut source = reads.iter().any(|r| state.has(r));
        let lds = row.class.is_lds();
        if row.class.is_vmem() || lds || row.class == Class::Smem {
            use Field::{Addr, Data0, Data1, Saddr, Sbase, Soffset, Srsrc, Vaddr, Vdata};
            if tainted_operand(&[Sbase, Soffset, Addr, Saddr, Srsrc, Vaddr]) {
                self.found.insert((at, Sink::Address));
            }
            let flat = row.flags.has(Flags::FLAT);
            let stores = matches!(row.class, Class::VmemStore | Class::LdsStore) || is_atomic(row.class);
            if stores && (tainted_operand(&[Data0, Data1, Vdata]) || approximate) {
                self.found.insert((at, Sink::Memory));
                self.memory.lds |= lds || flat;
                self.memory.other |= !lds;
            }
            let loads = !matches!(row.class, Class::LdsLane | Class::Smem) && !writes.is_empty();
            source |= loads && ((self.memory.lds && (lds || flat)) || (self.memory.other && !lds));
        }
        source |= approximate;
        let exec = |r: &Reg| r.file == RegFile::S && (126..128).contains(&r.index);
        if source && (row.class == Class::Branch || writes.iter().any(exec)) {
            self.found.insert((at, Sink::Branch));
        }
        if let Some(y) = inst.vopd_y {
            return pair(inst, y.row(), state, wave);
        }
        for r in &writes {
            let whole = r.file == RegFile::S || state.untouched || row.flags.has(Flags::IGNORES_EXEC);
            if source || whole {
                state.set(r, source);
            }
        }
        state.untouched &= !writes.iter().any(exec);
        state
    }
}
