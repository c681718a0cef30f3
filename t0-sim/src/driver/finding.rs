//! What a kernel did wrong that hardware swallows silently and its author should know.
//!
//! A finding is no fault: the kernel goes on exactly as on the card. One finding stands for all occurrences at one
//! instruction (of a race: at one pair of instructions); it describes the first of them in the order of workgroups and
//! waves.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use t0_backend_rdna3::errata::Hit;
pub use t0_backend_rdna3::errata::Severity;
use t0_backend_rdna3::object::Line;

use super::place;

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Stable name of what was broken: `out-of-bounds`, `lds-race` ….
    pub rule: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What happened.
    pub text: String,
    /// Kernel name, when known.
    pub kernel: Option<String>,
    /// Where.
    pub site: Site,
    /// The other side of a race.
    pub other: Option<Site>,
    /// Occurrences, over the whole dispatch.
    pub count: u64,
}

/// An instruction as one lane executed it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Site {
    /// Byte offset of the instruction from the kernel's entry.
    pub pc: u64,
    /// The called function it stands in, and its offset there; `None` in the kernel's own code.
    pub function: Option<(Arc<str>, u64)>,
    /// The instruction as text.
    pub instruction: String,
    /// Place in the Rust source, when known.
    pub source: Option<Source>,
    /// Workgroup in x, y, z.
    pub workgroup: [u32; 3],
    /// Wave of the workgroup.
    pub wave: u32,
    /// Lane of the wave.
    pub lane: u32,
}

/// A place in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The file, as the compiler names it.
    pub file: Arc<str>,
    /// Line from 1.
    pub line: u32,
    /// Column from 1; 0 when unknown.
    pub column: u32,
    /// The line itself, if the file is there.
    pub text: Option<String>,
}

impl Source {
    /// Of a row of the line table. The text is read from the file, if it is found from here or a directory above:
    /// compilers name files relative to the workspace.
    pub fn of(line: &Line) -> Source {
        Source {
            file: line.file.clone(),
            line: line.line,
            column: line.column,
            text: text_of(Path::new(&*line.file), line.line),
        }
    }
}

/// Directories above the current one that may be the workspace.
const ABOVE: usize = 4;

fn text_of(file: &Path, line: u32) -> Option<String> {
    let here = std::env::current_dir().unwrap_or_default();
    let found = here
        .ancestors()
        .take(ABOVE)
        .map(|d| d.join(file))
        .find(|p| p.is_file())?;
    let text = std::fs::read_to_string(found).ok()?;
    let text = text.lines().nth(line.checked_sub(1)? as usize)?;
    Some(text.trim().to_owned())
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        if self.column > 0 {
            write!(f, ":{}", self.column)?;
        }
        match &self.text {
            Some(t) => write!(f, ": {t}"),
            None => Ok(()),
        }
    }
}

/// Kinds of findings that need no sanitizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FindingKind {
    /// An access that ends outside of the workgroup's LDS: the part outside reads 0 or is dropped.
    #[error("{}", lds_text(*.address, *.len, *.size, *.write))]
    LdsOutOfRange {
        /// Byte offset in the LDS.
        address: u64,
        /// Bytes accessed.
        len: u32,
        /// Bytes the workgroup has.
        size: u32,
        /// A store or an atomic.
        write: bool,
    },
    /// An entry of the errata table that only warns; noted under the sanitizer.
    #[error("{0}")]
    Hazard(Hit),
}

fn lds_text(address: u64, len: u32, size: u32, write: bool) -> String {
    let (what, then) = match write {
        true => ("write", "it is dropped"),
        false => ("read", "it reads 0"),
    };
    match is_no_index(address) {
        true => format!(
            "LDS {what} of {len} bytes at {address:#x}, where t0's code sends every index that is out of range of its array: \
             {then}; `#[kernel(checked)]` or `queue.with_checked(true)` names array, index and length"
        ),
        false => format!("LDS {what} of {len} bytes at {address:#x} ends outside of the workgroup's {size} bytes: {then}"),
    }
}

/// Whether an LDS address is above what any workgroup has. Code of t0 sends an index that is out of range there, where it
/// is defined to read 0 and write nothing.
fn is_no_index(address: u64) -> bool {
    address >= 0x1_0000
}

impl FindingKind {
    /// The rule that was broken.
    pub fn rule(&self) -> &'static str {
        match self {
            FindingKind::LdsOutOfRange { .. } => "lds-out-of-bounds",
            FindingKind::Hazard(hit) => hit.rule.name(),
        }
    }

    /// How bad it is.
    pub fn severity(&self) -> Severity {
        match self {
            FindingKind::LdsOutOfRange { address, .. } if is_no_index(*address) => Severity::Warning,
            FindingKind::LdsOutOfRange { .. } => Severity::Error,
            FindingKind::Hazard(hit) => hit.severity(),
        }
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.workgroup;
        let Site {
            instruction,
            pc,
            function,
            wave,
            lane,
            ..
        } = self;
        let at = place(*pc, function.as_ref());
        write!(
            f,
            "instruction `{instruction}` at {at}; workgroup ({x}, {y}, {z}) wave {wave} lane {lane}"
        )?;
        match &self.source {
            Some(s) => write!(f, "; {s}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): {}", self.severity, self.rule, self.text)?;
        if let Some(k) = &self.kernel {
            write!(f, "; kernel `{k}`")?;
        }
        write!(f, "; {}", self.site)?;
        if let Some(other) = &self.other {
            write!(f, "; the other side: {other}")?;
        }
        if self.count > 1 {
            write!(f, "; {} accesses in all", self.count)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_out_of_range_is_told_from_an_address_behind_the_lds() {
        let finding = |address, write| FindingKind::LdsOutOfRange {
            address,
            len: 4,
            size: 256,
            write,
        };
        assert_eq!(finding(0x100, false).severity(), Severity::Error);
        assert_eq!(
            finding(0x100, false).to_string(),
            "LDS read of 4 bytes at 0x100 ends outside of the workgroup's 256 bytes: it reads 0"
        );
        let index = finding(0x1_0000, true);
        assert_eq!(index.severity(), Severity::Warning);
        assert!(index
            .to_string()
            .contains("every index that is out of range of its array: it is dropped"));
    }
}
