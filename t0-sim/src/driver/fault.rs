//! What stops a kernel: the fault, where it happened, and the way out.

use std::sync::Arc;

use super::vm::{Near, VmFault, VmFaultKind};
use super::{place, Finding, Message, Severity, Source};

/// Why a dispatch stopped, and where.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{kind}{}", FaultPlace(self))]
pub struct ExecFault {
    /// What happened.
    pub kind: ExecFaultKind,
    /// Kernel name, when known.
    pub kernel: Option<String>,
    /// Byte offset of the instruction from the kernel's entry; negative in two's complement for a function before it.
    pub pc: Option<u64>,
    /// The called function it stands in, and its offset there; `None` in the kernel's own code.
    pub function: Option<(Arc<str>, u64)>,
    /// The instruction as text.
    pub instruction: Option<String>,
    /// Place in the Rust source.
    pub line: Option<Source>,
    /// Workgroup in x, y, z.
    pub workgroup: Option<[u32; 3]>,
    /// Wave of the workgroup.
    pub wave: Option<u32>,
    /// Lane of the wave, when one lane is to blame.
    pub lane: Option<u32>,
    /// What the launch did before it faulted that hardware swallows silently. Of each instruction the first occurrence
    /// is described; `count` is 1, because how far other workgroups came says nothing.
    pub findings: Vec<Finding>,
}

impl ExecFault {
    /// A fault with nothing known but its kind; fill the places in that are known.
    pub fn new(kind: ExecFaultKind) -> Self {
        ExecFault {
            kind,
            kernel: None,
            pc: None,
            function: None,
            instruction: None,
            line: None,
            workgroup: None,
            wave: None,
            lane: None,
            findings: Vec::new(),
        }
    }
}

impl ExecFault {
    /// The fault in the form of rustc's messages.
    pub fn message(&self) -> Message {
        let mut m = Message::new(Severity::Error, self.kind.rule(), self.kind.title());
        m.source = self.line.clone();
        m.notes.extend(self.place());
        if !self.kind.waves().is_empty() {
            m.notes
                .push(format!("where the waves stand:\n{}", self.kind.waves().join("\n")));
        }
        m.help = self.kind.help();
        m
    }

    /// The instruction and who executed it, as far as they are known.
    fn place(&self) -> Option<String> {
        let mut text = String::new();
        if let Some(i) = &self.instruction {
            text += &format!("instruction `{i}`");
        }
        if let Some(pc) = self.pc {
            text += &format!(" at {}", place(pc, self.function.as_ref()));
        }
        if let Some(k) = &self.kernel {
            text += if text.is_empty() { "in" } else { " of" };
            text += &format!(" kernel `{k}`");
        }
        text += &self.who();
        (!text.is_empty()).then_some(text)
    }

    /// Who executed it: workgroup, wave and lane, as far as they are known.
    fn who(&self) -> String {
        let group = self.workgroup.map(|[x, y, z]| format!("; workgroup ({x}, {y}, {z})"));
        let part = |what, n: Option<u32>| n.map_or_else(String::new, |n| format!(" {what} {n}"));
        group.unwrap_or_default() + &part("wave", self.wave) + &part("lane", self.lane)
    }
}

struct FaultPlace<'a>(&'a ExecFault);

impl std::fmt::Display for FaultPlace<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let e = self.0;
        if let Some(k) = &e.kernel {
            write!(f, "; kernel `{k}`")?;
        }
        if let Some(i) = &e.instruction {
            write!(f, "; instruction `{i}`")?;
        }
        if let Some(pc) = e.pc {
            write!(f, " at {}", place(pc, e.function.as_ref()))?;
        }
        f.write_str(&e.who())?;
        // An endless loop has told its line already.
        let told = matches!(e.kind, ExecFaultKind::Endless { place: Some(_), .. });
        if let Some(s) = e.line.as_ref().filter(|_| !told) {
            write!(f, "; {s}")?;
        }
        Ok(())
    }
}

/// Kinds of [`ExecFault`].
#[derive(Clone, Debug, thiserror::Error)]
pub enum ExecFaultKind {
    /// Memory the kernel may not touch.
    #[error("{0}")]
    Memory(#[from] VmFault),
    /// LDS or scratch access outside of its allocation, or an address in no aperture.
    #[error("{space} access of {len} bytes at {address:#x} is outside of its {size} bytes")]
    OutOfAperture {
        /// `LDS`, `scratch` …
        space: &'static str,
        /// Offset in the space.
        address: u64,
        /// Bytes accessed.
        len: u64,
        /// Size of the space.
        size: u64,
    },
    /// An atomic whose address is not a multiple of its size.
    #[error("{space} atomic at {address:#x} is not aligned to {bytes} bytes; hardware raises a memory violation")]
    MisalignedAtomic {
        /// `LDS` or `global`.
        space: &'static str,
        /// The address, or the offset in the LDS.
        address: u64,
        /// Bytes of the value.
        bytes: u64,
    },
    /// Bytes that are no instruction of the target.
    #[error("illegal instruction {}", Words(.words))]
    IllegalInstruction {
        /// The dwords at the program counter.
        words: Vec<u32>,
    },
    /// A real instruction the simulator cannot execute.
    #[error("the simulator does not execute this instruction ({reason})")]
    Unsupported {
        /// What is missing.
        reason: &'static str,
    },
    /// `s_trap`: an assertion of the kernel failed.
    #[error("trap {id}")]
    Trap {
        /// Operand of `s_trap`.
        id: u8,
    },
    /// A rule of the instruction set or the code object was broken.
    #[error("{what}")]
    Rule {
        /// The rule, and how it was broken.
        what: String,
    },
    /// A rule that has a name of its own was broken.
    #[error("{rule}: {what}; {help}")]
    Named {
        /// The rule.
        rule: &'static str,
        /// How it was broken.
        what: String,
        /// The way out.
        help: String,
    },
    /// The kernel did not end within the limit of the simulator.
    #[error("endless loop{}: a wave did not end within {instructions} instructions; {STANDING}{}", place.as_deref().map(|p| format!(" at {p}")).unwrap_or_default(), waves.join("; "))]
    Endless {
        /// The limit.
        instructions: u64,
        /// The loop in the Rust source, when the code object tells: the line of the branch that closes it.
        place: Option<String>,
        /// Where every wave of the workgroup stands, a line for each place.
        waves: Vec<String>,
    },
    /// All waves of a workgroup wait for something that cannot happen.
    #[error("deadlock: {}; {}; {STANDING}{}", deadlock(*resident, *total, *others), most(*resident), waves.join("; "))]
    Deadlock {
        /// Workgroups that have started and not ended.
        resident: u64,
        /// Workgroups of the launch.
        total: u64,
        /// Workgroups that have not started.
        others: u64,
        /// Where every wave of the resident workgroups stands, a line for each place.
        waves: Vec<String>,
    },
    /// The queue was destroyed while the kernel ran.
    #[error("stopped because the queue was destroyed")]
    Cancelled,
}

impl ExecFaultKind {
    /// Stable name of the rule that was broken; `fault` where none has a name of its own.
    pub fn rule(&self) -> &'static str {
        match self {
            ExecFaultKind::Memory(f) => match (&f.kind, &f.nearest) {
                (VmFaultKind::Misaligned, _) => "misaligned-atomic",
                (VmFaultKind::NotPresent, Near::Allocation(n)) if n.freed.is_some() && n.range.contains(&f.va) => {
                    "use-after-free"
                }
                (VmFaultKind::NotPresent | VmFaultKind::Straddles | VmFaultKind::ReadOnly, _) => "out-of-bounds",
                _ => "fault",
            },
            ExecFaultKind::MisalignedAtomic { .. } => "misaligned-atomic",
            ExecFaultKind::OutOfAperture { space: "scratch", .. } => "scratch-out-of-bounds",
            ExecFaultKind::OutOfAperture { .. } => "out-of-bounds",
            ExecFaultKind::Endless { .. } => "endless-loop",
            ExecFaultKind::Deadlock { .. } => "deadlock",
            ExecFaultKind::IllegalInstruction { .. } => "illegal-instruction",
            ExecFaultKind::Trap { .. } => "trap",
            ExecFaultKind::Named { rule, .. } => rule,
            ExecFaultKind::Unsupported { .. } | ExecFaultKind::Rule { .. } | ExecFaultKind::Cancelled => "fault",
        }
    }

    /// What happened, in one sentence: the rule, places, waves and the way out are told apart from it.
    pub fn title(&self) -> String {
        match self {
            ExecFaultKind::Endless { instructions, .. } => {
                format!("a wave did not end within {instructions} instructions")
            }
            ExecFaultKind::Deadlock {
                resident,
                total,
                others,
                ..
            } => deadlock(*resident, *total, *others),
            ExecFaultKind::Named { what, .. } => what.clone(),
            other => other.to_string(),
        }
    }

    /// Where the waves stand, if it is a fault of all of them.
    pub fn waves(&self) -> &[String] {
        match self {
            ExecFaultKind::Endless { waves, .. } | ExecFaultKind::Deadlock { waves, .. } => waves,
            _ => &[],
        }
    }

    /// The way out, where there is one that can be told.
    pub fn help(&self) -> Option<String> {
        let help = match self {
            ExecFaultKind::Memory(f) => return f.help().map(str::to_owned),
            ExecFaultKind::Named { help, .. } => return Some(help.clone()),
            ExecFaultKind::Deadlock { resident, .. } => return Some(most(*resident)),
            ExecFaultKind::MisalignedAtomic { .. } => "make the address of an atomic a multiple of its size",
            ExecFaultKind::Endless { .. } => {
                "see that every lane leaves the loop; `SimOptions::instructions` gives a loop that is only long more of them"
            }
            ExecFaultKind::Trap { .. } => {
                "compilers put a trap where an assertion of the kernel fails: see which condition leads here"
            }
            _ => return None,
        };
        Some(help.to_owned())
    }
}

/// Begins the backtrace.
const STANDING: &str = "where the waves stand: ";

fn deadlock(resident: u64, total: u64, others: u64) -> String {
    format!(
        "{resident} of {total} workgroups are resident and all of them poll memory that only the other {others} could \
         change; those start when a resident one ends, so no progress is possible, on a card as little as here"
    )
}

fn most(resident: u64) -> String {
    format!("launch at most {resident} workgroups that wait for each other")
}

struct Words<'a>(&'a [u32]);

impl std::fmt::Display for Words<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, w) in self.0.iter().enumerate() {
            write!(f, "{}{w:08x}", if i == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}
