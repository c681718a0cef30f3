//! Findings and faults as text: what happened, where, who was on the other side, and the way out, in the form of rustc's
//! messages.
//!
//! Everybody who shows one shows this: the runtime's errors and `Gpu::findings`, `#[kernel_test]`, `t0 run`. Nothing in
//! it varies from run to run, but for the addresses of page faults: places in memory are offsets from what has a name.

use std::fmt;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use t0_backend_rdna3::errata::ERRATA;

use super::finding::{Finding, Severity, Site, Source};
use super::place;
use crate::written::{Dropped, Stored};

/// A message before it is text.
#[derive(Clone, Debug)]
pub struct Message {
    /// How bad it is.
    pub severity: Severity,
    /// Stable name of what was broken.
    pub rule: &'static str,
    /// What happened, in one sentence.
    pub text: String,
    /// Where, in the source.
    pub source: Option<Source>,
    /// What else is known; a note may have several lines.
    pub notes: Vec<String>,
    /// Other places that have to do with it: what they are, and where.
    pub sides: Vec<(String, Option<Source>)>,
    /// The way out.
    pub help: Option<String>,
}

impl Message {
    /// A message of which nothing but this is known.
    pub fn new(severity: Severity, rule: &'static str, text: impl Into<String>) -> Message {
        Message {
            severity,
            rule,
            text: text.into(),
            source: None,
            notes: Vec::new(),
            sides: Vec::new(),
            help: None,
        }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let title = Group::with_title(level.primary_title(self.text.as_str()).id(self.rule));
        let mut first = snippet(title, self.source.as_ref());
        for note in &self.notes {
            first = first.element(Level::NOTE.message(note.as_str()));
        }
        let mut report = vec![first];
        for (what, source) in &self.sides {
            let title = Group::with_title(Level::NOTE.secondary_title(what.as_str()));
            report.push(snippet(title, source.as_ref()));
        }
        if let Some(help) = &self.help {
            report.push(Group::with_title(Level::HELP.secondary_title(help.as_str())));
        }
        let text = Renderer::plain().decor_style(DecorStyle::Ascii).render(&report);
        f.write_str(&text)
    }
}

impl From<&Finding> for Message {
    fn from(f: &Finding) -> Message {
        let kernel = f.kernel.as_ref().map_or(String::new(), |k| format!(" of kernel `{k}`"));
        let mut m = Message::new(f.severity, f.rule, f.text.as_str());
        m.source = f.site.source.clone();
        m.notes
            .push(format!("{}{kernel}; {}", instruction(&f.site), who(&f.site)));
        if f.count > 1 {
            // A hazard is one of instructions, whatever they do.
            let what = if ERRATA.iter().any(|e| e.name == f.rule) {
                "times"
            } else {
                "accesses"
            };
            m.notes.push(format!("{} {what} in all", f.count));
        }
        if let Some(other) = &f.other {
            let title = format!("the other side: {}; {}", instruction(other), who(other));
            m.sides.push((title, other.source.clone()));
        }
        if let Some(born) = &f.born {
            let title = format!("the value comes from {}", instruction(born));
            m.sides.push((title, born.source.clone()));
        }
        m.help = f.help.clone();
        m
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Message::from(self).fmt(f)
    }
}

/// A store as a note below a failure that names what it wrote.
pub enum StoredBy<'s> {
    /// It wrote what is wrong.
    Here(&'s Stored),
    /// It wrote other elements of what was not written.
    Others(&'s Stored),
    /// It is in the kernel, and may not have been reached.
    Nobody(&'s Stored),
}

impl fmt::Display for StoredBy<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (s, what) = match self {
            StoredBy::Here(s) if s.atomic => (s, "an atomic wrote it last, here"),
            StoredBy::Here(s) => (s, "stored here"),
            StoredBy::Others(s) => (s, "other elements are stored here"),
            StoredBy::Nobody(s) => (s, "the kernel stores here"),
        };
        let who = match self {
            StoredBy::Nobody(_) => String::new(),
            _ => format!("; {}", who(&s.site)),
        };
        let kernel = s.kernel.as_ref().map_or(String::new(), |k| format!(" of kernel `{k}`"));
        let title = format!("{what}: {}{kernel}{who}", instruction(&s.site));
        let mut note = snippet(
            Group::with_title(Level::NOTE.secondary_title(title)),
            s.site.source.as_ref(),
        );
        let origin = s.origin.to_string();
        if !origin.is_empty() {
            note = note.element(Level::NOTE.message(origin));
        }
        f.write_str(&Renderer::plain().decor_style(DecorStyle::Ascii).render(&[note]))
    }
}

impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = match self.buffer.as_str() {
            "" => String::from("a buffer"),
            name => format!("`{name}`"),
        };
        let stores = match self.count {
            1 => String::from("a store out of range of"),
            n => format!("{n} stores out of range of"),
        };
        let dropped = if self.count == 1 {
            "was dropped, here"
        } else {
            "were dropped, the first here"
        };
        let title = format!(
            "{stores} {of} {dropped}: {}; {}",
            instruction(&self.site),
            who(&self.site)
        );
        let title = Group::with_title(Level::NOTE.secondary_title(title));
        let note = snippet(title, self.site.source.as_ref());
        f.write_str(&Renderer::plain().decor_style(DecorStyle::Ascii).render(&[note]))
    }
}

fn instruction(s: &Site) -> String {
    format!(
        "instruction `{}` at {}",
        s.instruction,
        place(s.pc, s.function.as_ref())
    )
}

fn who(s: &Site) -> String {
    let [x, y, z] = s.workgroup;
    format!("workgroup ({x}, {y}, {z}) wave {} lane {}", s.wave, s.lane)
}

/// Adds the place in the source, with its line if the file is there.
fn snippet<'a>(group: Group<'a>, source: Option<&'a Source>) -> Group<'a> {
    let Some(s) = source else { return group };
    let (line, column) = (s.line as usize, s.column.max(1) as usize);
    match &s.text {
        Some(text) => {
            let mark = AnnotationKind::Primary.span(token(text, s));
            let source = Snippet::source(text.as_str()).line_start(line).path(&*s.file);
            group.element(source.annotation(mark))
        }
        None => group.element(Origin::path(&*s.file).line(line).char_column(column)),
    }
}

/// Byte range of the word or the single character at a source place; the whole line if no column is known.
fn token(text: &str, s: &Source) -> std::ops::Range<usize> {
    let blank = text.len() - text.trim_start().len();
    let Some(column) = (s.column as usize).checked_sub(1) else {
        return blank..text.len();
    };
    let start = text.char_indices().nth(column).map_or(text.len(), |(at, _)| at);
    let rest = &text[start..];
    let word = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
    let word = rest[..word.unwrap_or(rest.len())].trim_end_matches(':').len();
    start..start + word.max(rest.chars().next().map_or(0, char::len_utf8))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::{Access, ExecFault, ExecFaultKind, PageFlags, Vm};
    use super::*;
    use crate::written::Origin;

    fn site(line: u32, column: u32, text: Option<&str>, instruction: &str, wave: u32) -> Site {
        Site {
            pc: 0x40 + u64::from(wave) * 8,
            instruction: instruction.into(),
            source: Some(Source {
                file: "src/sums.rs".into(),
                line,
                column,
                text: text.map(str::to_owned),
            }),
            workgroup: [0, 2, 0],
            wave,
            lane: 3,
            ..Site::default()
        }
    }

    fn race() -> Finding {
        Finding {
            rule: "lds-race",
            severity: Severity::Error,
            text: "read here and write by another wave at `sums`, index 31, with nothing to order them".into(),
            kernel: Some("sums".into()),
            site: site(12, 13, Some("    let v = sums[31 - lane];"), "ds_load_b32 v6, v5", 1),
            other: Some(site(10, 0, Some("    sums[lane] = x;"), "ds_store_b32 v2, v1", 0)),
            born: None,
            help: Some("put a `group::barrier()` between them".into()),
            count: 32,
        }
    }

    fn value() -> Finding {
        Finding {
            rule: "uninitialised",
            severity: Severity::Warning,
            text: "v3 (lane 3) is used as an address but was read from `sums`, index 7, which nobody has written"
                .into(),
            other: None,
            born: Some(site(9, 5, None, "ds_load_b32 v3, v0", 0)),
            help: None,
            count: 1,
            ..race()
        }
    }

    /// A store that depends on lines of one file, an atomic that depends on lines of two and on all of its own.
    fn stored(atomic: bool) -> Stored {
        let lines = |file: &str, all: &[u32]| all.iter().map(|&n| (file.into(), n)).collect();
        Stored {
            site: race().site,
            kernel: Some("sums".into()),
            atomic,
            origin: Origin {
                value: lines("src/sums.rs", &[11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 20, 21, 22]),
                place: lines("src/sums.rs", &[9]),
                condition: lines(if atomic { "src/more.rs" } else { "src/sums.rs" }, &[7, 8]),
                everything: atomic,
            },
        }
    }

    fn bare() -> Finding {
        let finding = race();
        Finding {
            kernel: None,
            site: Site {
                source: None,
                function: Some(("helper".into(), 0x10)),
                ..finding.site
            },
            other: None,
            help: None,
            ..finding
        }
    }

    fn stray() -> ExecFault {
        let vm = Vm::new().unwrap();
        vm.map_fresh(0x7000_0000_0000, 4000, PageFlags::ALL, "y").unwrap();
        let refused = vm.resolve(0x7000_0000_1000, 4, Access::Write).unwrap_err();
        let here = site(12, 5, Some("    sums[lane] = x;"), "global_store_b32 v1, v2, s[4:5]", 1);
        ExecFault {
            kernel: Some("sums".into()),
            pc: Some(here.pc),
            instruction: Some(here.instruction),
            line: here.source,
            workgroup: Some(here.workgroup),
            wave: Some(here.wave),
            lane: Some(here.lane),
            ..ExecFault::new(refused.into())
        }
    }

    fn endless() -> ExecFault {
        let waves = [
            "wave 0 waiting at the barrier at +0x40 `s_barrier`",
            "wave 1 running at +0x48 `s_branch 0xfff0`",
        ];
        let kind = ExecFaultKind::Endless {
            instructions: 50_000,
            place: None,
            waves: waves
                .map(|w| format!("workgroup (0, 2, 0) {w} (src/sums.rs:12)"))
                .to_vec(),
        };
        ExecFault {
            kind,
            instruction: Some("s_branch 0xfff0".into()),
            lane: None,
            ..stray()
        }
    }

    fn deadlock() -> ExecFault {
        let kind = ExecFaultKind::Deadlock {
            resident: 96,
            total: 97,
            others: 1,
            waves: vec![
                "96 waves of 96 workgroups, first workgroup (0, 0, 0) wave 0, asleep at +0x20 `s_sleep 1`".into(),
            ],
        };
        ExecFault {
            kernel: Some("meet".into()),
            ..ExecFault::new(kind)
        }
    }

    fn early() -> ExecFault {
        let kind = ExecFaultKind::Named {
            rule: "missing-wait",
            what: "v3 is read while `global_load_b32 v3, v0, s[4:5]` at +0x20 is still in flight".into(),
            help: "put an `s_waitcnt` on vmcnt between".into(),
        };
        ExecFault { kind, ..stray() }
    }

    /// `T0_BLESS=1` accepts what is there now.
    #[test]
    fn findings_look_like_the_compilers_messages() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/driver/render.txt");
        let found = [race(), value(), bare()].map(|f| f.to_string());
        let (here, atomic) = (stored(false), stored(true));
        let stores = [
            StoredBy::Here(&here),
            StoredBy::Here(&atomic),
            StoredBy::Others(&here),
            StoredBy::Nobody(&atomic),
        ];
        let trap = ExecFault::new(ExecFaultKind::Trap { id: 2 });
        let faults = [stray(), endless(), deadlock(), early(), trap].map(|f| f.message().to_string());
        let stores = stores.map(|s| s.to_string());
        let got: Vec<String> = found.into_iter().chain(faults).chain(stores).collect();
        let got = got.join("\n\n") + "\n";
        if std::env::var_os("T0_BLESS").is_some_and(|v| v == "1") {
            std::fs::write(path, &got).unwrap();
        }
        assert_eq!(
            got,
            std::fs::read_to_string(path).unwrap_or_default(),
            "T0_BLESS=1 accepts it"
        );
    }

    #[test]
    fn accesses_are_counted_and_so_is_how_often_a_hazard_was_run_into() {
        let finding = |rule, count| Finding {
            rule,
            severity: Severity::Warning,
            text: String::new(),
            help: None,
            born: None,
            kernel: None,
            site: Site {
                pc: 0,
                function: None,
                instruction: "s_nop 0".into(),
                source: None,
                workgroup: [0; 3],
                wave: 0,
                lane: 0,
            },
            other: None,
            count,
        };
        let last = |rule, count| Message::from(&finding(rule, count)).notes.last().cloned();
        assert_eq!(last("lds-race", 8).as_deref(), Some("8 accesses in all"));
        assert_eq!(last("vopd-parity", 8).as_deref(), Some("8 times in all"));
        assert!(last("vopd-parity", 1).is_some_and(|n| n.starts_with("instruction ")));
    }
}
