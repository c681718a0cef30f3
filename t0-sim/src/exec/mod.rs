//! Execution: one function per encoding family, each an exhaustive `match` on the family's rows, so that a new row
//! of the instruction table does not compile until it has semantics here.
//!
//! [`run`] is the loop of one wave: fetch the decoded instruction, check the traps, execute, advance. It returns at a
//! barrier, at the end, when the slice is used up, or with a [`Fault`].

mod atomic;
mod control;
mod double;
mod fma;
mod format;
mod global;
mod hwreg;
mod lanes;
mod lds;
mod mubuf;
mod salu;
mod salu_float;
mod scratch;
mod smem;
mod typed;
mod valu;
mod vmem;
mod vop1;
mod vop2;
mod vop3;
mod vop3p;
mod vopc;
pub(crate) mod vopd;
mod wide;
mod wmma;

use t0_backend_rdna3::errata::{Hit, Severity};
use t0_backend_rdna3::isa::{Class, Flags, Opcode};

use crate::dice::Dice;
use crate::driver::{ExecFaultKind, FindingKind, Offset};
use crate::mem::{Global, Lds};
use crate::profile::Tally;
use crate::program::{Instr, Passes, Program, Src};
use crate::sanitize::{Touch, Watch};
use crate::timing::record::WaveTrace;
use crate::wave::{Wave, WaveState, M0};

pub(crate) use lanes::dpp_row;
pub(crate) use lds::swizzle;

/// Why a wave cannot go on.
#[derive(Clone, Debug)]
pub struct Fault {
    /// What happened.
    pub kind: ExecFaultKind,
    /// The lane to blame.
    pub lane: Option<u32>,
    /// Not a fault yet: offset of code to decode before the instruction is executed again.
    pub jump: Option<u64>,
}

impl Fault {
    /// A fault of the whole wave.
    pub fn new(kind: ExecFaultKind) -> Box<Fault> {
        Box::new(Fault {
            kind,
            lane: None,
            jump: None,
        })
    }

    /// A broken rule.
    pub fn rule(what: impl Into<String>) -> Box<Fault> {
        Fault::new(ExecFaultKind::Rule { what: what.into() })
    }

    /// A broken rule that has a name of its own, and the way out.
    fn named(rule: &'static str, what: String, help: String) -> Box<Fault> {
        Fault::new(ExecFaultKind::Named { rule, what, help })
    }

    /// An instruction or mode that is not simulated.
    pub fn unsupported(reason: &'static str) -> Box<Fault> {
        Fault::new(ExecFaultKind::Unsupported { reason })
    }

    /// A refused memory access of one lane.
    pub fn memory(fault: crate::driver::VmFault, lane: u32) -> Box<Fault> {
        Box::new(Fault {
            kind: ExecFaultKind::Memory(fault),
            lane: Some(lane),
            jump: None,
        })
    }
}

/// Result of a step.
pub type Step<T = ()> = Result<T, Box<Fault>>;

/// What a wave executes against.
pub struct Env<'a, 'v> {
    /// The kernel.
    pub program: &'a Program,
    /// Global memory.
    pub mem: &'a mut Global<'v>,
    /// The workgroup's LDS.
    pub lds: &'a mut Lds,
    /// GPU address of the kernel's first instruction.
    pub entry: u64,
    /// Waves of the workgroup; alone, `s_barrier` does nothing.
    pub waves: u32,
    /// Counts of what is executed, when asked for.
    pub tally: Option<&'a mut Tally>,
    /// Whether ordered instructions may be executed.
    pub token: bool,
    /// Which order waves and workgroups run in, see `dice.rs`; 0: the usual one.
    pub order: u64,
    /// What the workgroup has done since it last yielded.
    pub polls: &'a mut Polls,
    /// The sanitizer, when it is on: every access is shown to it before it takes effect.
    pub watch: Option<&'a mut Watch>,
    /// What the wave does is kept for the cycle model.
    pub trace: Option<&'a mut WaveTrace>,
}

/// Ordered instructions after which a workgroup yields: some may be attempts to see what another has done.
const POLLS: u32 = 1024;
/// The same when it wrote nothing meanwhile: it looks as if it waits for somebody.
const IDLE_POLLS: u32 = 16;

/// What a workgroup has done since it last yielded.
#[derive(Debug, Default)]
pub struct Polls {
    /// Ordered instructions executed.
    all: u32,
    /// Those since it last wrote memory or LDS.
    idle: u32,
    /// It has written memory or LDS.
    pub acted: bool,
    /// Writes counted so far of the wave whose turn it is.
    mark: u64,
}

impl Polls {
    /// A wave starts or goes on.
    fn start(&mut self, w: &Wave, mem: &Global) {
        self.mark = w.writes + mem.changes;
    }

    /// Takes notice of what the wave has written.
    fn settle(&mut self, w: &Wave, mem: &Global) {
        let mark = w.writes + mem.changes;
        if mark != self.mark {
            (self.mark, self.idle, self.acted) = (mark, 0, true);
        }
    }

    /// The workgroup has yielded.
    pub fn reset(&mut self) {
        *self = Polls::default();
    }
}

impl Env<'_, '_> {
    /// Whether accesses have to be shown to the sanitizer or to the cycle model: fast paths that know no lanes are not for them then.
    #[inline(always)]
    pub fn watched(&self) -> bool {
        self.watch.is_some() || self.trace.is_some()
    }

    /// Shows an access to those who want to know.
    #[cold]
    pub fn show(&mut self, w: &Wave, touch: &Touch) {
        if let Some(watch) = self.watch.as_deref_mut() {
            watch.touch(w, touch);
        }
        if let Some(trace) = self.trace.as_deref_mut() {
            trace.touch(w, touch);
        }
    }

    /// Keeps an instruction for the cycle model, as long as that wants more.
    #[inline(always)]
    fn note_step(&mut self, w: &Wave, i: &Instr) {
        let Some(trace) = self.trace.as_deref_mut() else {
            return;
        };
        if trace.full() {
            self.trace = None;
        } else {
            trace.step(w, i);
        }
    }

    /// Whether others come between in the order that was chosen: never before the group has executed an ordered instruction
    /// since it last yielded, so that everybody gets on.
    fn interrupted(&self, w: &Wave) -> bool {
        let toss = || Dice::new(&[self.order, w.group, w.index.into(), w.issued]).below(2) == 0;
        self.order != 0 && self.polls.all > 0 && toss()
    }

    /// What keeps a wave from executing an ordered instruction.
    fn gate(&mut self, w: &Wave) -> Option<Stop> {
        self.polls.settle(w, self.mem);
        if !self.token {
            return Some(Stop::Token);
        }
        if self.polls.all >= POLLS || self.polls.idle >= IDLE_POLLS || self.interrupted(w) {
            return Some(Stop::Yield);
        }
        self.polls.all += 1;
        self.polls.idle += 1;
        None
    }
}

/// Why a wave stopped without a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Its time is up, or it stands at a barrier, or it has ended.
    Paused,
    /// The next instruction needs the token.
    Token,
    /// The workgroup has to let others go first.
    Yield,
    /// The next instruction jumps to this offset, which has not been decoded.
    Jump(u64),
}

/// Runs a wave until it has executed `until` instructions in all.
pub fn run(w: &mut Wave, env: &mut Env, until: u64) -> Step<Stop> {
    let program = env.program;
    env.polls.start(w, env.mem);
    while w.issued < until && w.state == WaveState::Running {
        let Some(i) = program.code.get(w.pc as usize) else {
            return Err(Fault::rule(
                "control left the code of the kernel: a branch out of it, or no s_endpgm",
            ));
        };
        if i.ordered {
            if let Some(stop) = env.gate(w) {
                return Ok(stop);
            }
        }
        w.issued += 1;
        let at = w.pc;
        guard(w, i, program, at, env.watch.is_some())?;
        w.pc = i.next;
        if let Some(tally) = env.tally.as_deref_mut() {
            tally.note(at, i.class == Class::Wmma && wmma::copies_differ(w, i));
        }
        if let Some(watch) = env.watch.as_deref_mut() {
            watch.flow(w, i);
        }
        env.note_step(w, i);
        if let Err(f) = execute(w, env, i) {
            w.pc = at;
            let Some(to) = f.jump else { return Err(f) };
            w.issued -= 1;
            if let Some(tally) = env.tally.as_deref_mut() {
                tally.forget(at);
            }
            if let Some(trace) = env.trace.as_deref_mut() {
                trace.forget();
            }
            env.polls.settle(w, env.mem);
            return Ok(Stop::Jump(to));
        }
    }
    env.polls.settle(w, env.mem);
    Ok(Stop::Paused)
}

/// The traps that come before execution.
#[inline(always)]
fn guard(w: &mut Wave, i: &Instr, program: &Program, at: u32, warnings: bool) -> Step {
    if i.stop != 0 {
        return Err(Fault::new(program.stops[i.stop as usize - 1].clone()));
    }
    if w.waits.pending {
        let chosen = if i.flags.has(Flags::R_M0) {
            i.chosen(w.sgpr[M0])
        } else {
            None
        };
        if let Err(e) = w.waits.check(chosen.as_ref().unwrap_or(i), program) {
            return Err(early_touch(&e, program));
        }
    }
    if i.matters || w.hazards.armed() {
        return hazards(w, program, at, warnings);
    }
    Ok(())
}

/// The rules about sequences of instructions, see [`t0_backend_rdna3::errata`].
fn hazards(w: &mut Wave, program: &Program, at: u32, warnings: bool) -> Step {
    let facts = program.facts(at);
    let mut hits = Vec::new();
    w.hazards.hits(facts, &mut hits);
    w.hazards.issue(facts, at);
    for h in hits {
        if h.severity() == Severity::Error {
            return Err(hazard(h, program));
        }
        if warnings {
            let lane = w.whole_exec().trailing_zeros() % w.lanes();
            w.findings.note(at, lane, FindingKind::Hazard(h));
        }
    }
    Ok(())
}

#[cold]
fn hazard(h: Hit, program: &Program) -> Box<Fault> {
    let by = h.by.map_or_else(String::new, |by| {
        format!(
            " (`{}` at {})",
            program.text(by),
            Offset(program.code[by as usize].offset)
        )
    });
    let help = format!("mended by: {}", h.rule.entry().mitigated_by);
    Fault::named(h.rule.name(), format!("{h}{by}"), help)
}

#[cold]
fn early_touch(e: &crate::wait::EarlyTouch, program: &Program) -> Box<Fault> {
    let load = program.text(e.load);
    let offset = program.code[e.load as usize].offset;
    let what = if e.written { "written" } else { "read" };
    let text = format!(
        "{} is {what} while `{load}` at {} is still in flight",
        e.register,
        Offset(offset)
    );
    Fault::named(
        "missing-wait",
        text,
        format!("put an `s_waitcnt` on {} between", e.counter),
    )
}

/// Executes an instruction in one pass, or in two in a wave of 64 lanes, and counts it as in flight.
#[inline(always)]
fn execute(w: &mut Wave, env: &mut Env, i: &Instr) -> Step {
    if w.lanes() == 64 && i.passes != Passes::One {
        two_passes(w, env, i)?;
    } else {
        pass(w, env, i)?;
    }
    if i.counts {
        w.waits.issue(i, i.index);
        w.writes += u64::from(i.writes);
    }
    Ok(())
}

/// A vector instruction of a wave of 64 lanes.
fn two_passes(w: &mut Wave, env: &mut Env, i: &Instr) -> Step {
    let mut done = Ok(());
    for half in 0..2 {
        w.set_half(half);
        if i.passes == Passes::Active && w.exec() == 0 {
            continue;
        }
        done = pass(w, env, i).map_err(|mut f| {
            f.lane = f.lane.map(|l| l + 32 * half as u32);
            f
        });
        if done.is_err() {
            break;
        }
    }
    w.set_half(0);
    done
}

#[inline(always)]
fn pass(w: &mut Wave, env: &mut Env, i: &Instr) -> Step {
    match i.op {
        Opcode::Vop2(op) => vop2::exec(w, i, op),
        Opcode::Vop3(op) => vop3::exec(w, i, op),
        Opcode::Vop1(op) => vop1::exec(w, i, op),
        Opcode::Vop3p(op) => vop3p::exec(w, i, op),
        Opcode::Vopc(op) => vopc::exec(w, i, op),
        Opcode::Vop3sd(op) => vop3::exec_sd(w, i, op),
        Opcode::Vopdx(_) | Opcode::Vopdy(_) => vopd::exec(w, i),
        Opcode::Sop2(op) => salu::sop2(w, i, op),
        Opcode::Sop1(op) => salu::sop1(w, env, i, op),
        Opcode::Sopc(op) => salu::sopc(w, i, op),
        Opcode::Sopk(op) => control::sopk(w, env, i, op),
        Opcode::Sopp(op) => control::sopp(w, env, i, op),
        Opcode::Ds(op) => lds::exec(w, env, i, op),
        Opcode::Smem(op) => smem::exec(w, env, i, op),
        Opcode::Flat(op) => global::exec(w, env, i, op),
        Opcode::Mubuf(op) => mubuf::exec(w, env, i, op),
        Opcode::Mtbuf(op) => typed::mtbuf(w, env, i, op),
        Opcode::Mimg(_) | Opcode::Ldsdir(_) | Opcode::Vinterp(_) | Opcode::Exp(_) => {
            Err(Fault::unsupported("it needs the graphics pipeline"))
        }
    }
}

/// A scalar source of 32 bits.
#[inline(always)]
pub(crate) fn scalar32(w: &Wave, s: Src) -> u32 {
    // The two common cases as plain branches: a jump table costs more than they do.
    if let Src::S(r) = s {
        return w.sgpr[usize::from(r) & 127];
    }
    if let Src::K(k) = s {
        return k as u32;
    }
    status_source(w, s)
}

/// The condition codes as operands.
#[inline(never)]
fn status_source(w: &Wave, s: Src) -> u32 {
    match s {
        Src::Scc => u32::from(w.scc),
        Src::Vccz => u32::from(w.vccz()),
        Src::Execz => u32::from(w.execz()),
        _ => 0,
    }
}

/// A scalar source of 64 bits.
#[inline(always)]
pub(crate) fn scalar64(w: &Wave, s: Src) -> u64 {
    match s {
        Src::S(r) => w.s64(usize::from(r)),
        Src::K(k) => k,
        other => u64::from(status_source(w, other)),
    }
}
