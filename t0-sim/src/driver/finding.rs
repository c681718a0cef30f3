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
use t0_backend_rdna3::object::lines::is_changed;
use t0_backend_rdna3::object::{LdsVariable, Line, Piece};

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
    /// The instruction that loaded an undefined value.
    pub born: Option<Site>,
    /// The way out; `arrays` are those of the LDS.
    pub help: Option<String>,
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
    /// The line itself, if the file is there, as it stands there.
    pub text: Option<String>,
}

impl Source {
    /// Of a row of the line table. The text is read from the file, if it is found from here or a directory above:
    /// compilers name files relative to the workspace. A file that is no longer what was compiled, as `sources` tell, has none.
    pub fn of(line: &Line, sources: &[Piece]) -> Source {
        Source {
            file: line.file.clone(),
            line: line.line,
            column: line.column,
            text: text_of(line, sources),
        }
    }
}

/// Directories above the current one that may be the workspace.
const ABOVE: usize = 4;

fn text_of(line: &Line, sources: &[Piece]) -> Option<String> {
    let file = Path::new(&*line.file);
    let here = std::env::current_dir().unwrap_or_default();
    let found = here
        .ancestors()
        .take(ABOVE)
        .map(|d| d.join(file))
        .find(|p| p.is_file())?;
    let text = std::fs::read_to_string(found).ok()?;
    if is_changed(sources, &line.file, &text) {
        return None;
    }
    let text = text.lines().nth(line.line.checked_sub(1)? as usize)?;
    Some(text.trim_end().to_owned())
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        if self.column > 0 {
            write!(f, ":{}", self.column)?;
        }
        match &self.text {
            Some(t) => write!(f, ": {}", t.trim()),
            None => Ok(()),
        }
    }
}

/// Kinds of findings that need no sanitizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FindingKind {
    /// An access that ends outside of the workgroup's LDS: the part outside reads 0 or is dropped.
    #[error("{}", lds_text(*.address, *.len, *.size, *.write, &[], *.wanted))]
    LdsOutOfRange {
        /// Byte offset in the LDS.
        address: u64,
        /// Bytes accessed.
        len: u32,
        /// Bytes the workgroup has.
        size: u32,
        /// A store or an atomic.
        write: bool,
        /// Of an index out of range in t0's code: the byte offset that it would have in its array. The sanitizer knows it.
        wanted: Option<u32>,
    },
    /// An entry of the errata table that only warns; noted under the sanitizer.
    #[error("{0}")]
    Hazard(Hit),
}

fn lds_text(address: u64, len: u32, size: u32, write: bool, arrays: &[LdsVariable], wanted: Option<u32>) -> String {
    let (what, then) = match write {
        true => ("write", "it is dropped"),
        false => ("read", "it reads 0"),
    };
    if !is_no_index(address, arrays) {
        return format!(
            "LDS {what} of {len} bytes at {address:#x} ends outside of the workgroup's {size} bytes: {then}"
        );
    }
    // What is out of range lies as far behind the end as its array from the beginning.
    let holds = |v: &&LdsVariable| {
        let at = address.checked_sub(NO_INDEX + u64::from(v.offset));
        at.is_some_and(|d| d < v.size.into())
    };
    let array = arrays.iter().find(holds);
    let element = array.map_or(0, |a| a.element);
    // An index below 0 has wrapped around.
    let index = wanted.and_then(|w| (w as i32).checked_div(element as i32));
    let index = index.map_or_else(
        || String::from("an index"),
        |i| format!("index {}", t0_ir::index_text(i as u32)),
    );
    let place = match array {
        Some(a) if element > 0 => format!("`{}`, which has {} elements", a.name, a.size / element),
        Some(a) => format!("`{}`", a.name),
        None => String::from("its array in the LDS"),
    };
    format!("{what} at {index} that is out of range of {place}: {then}")
}

/// The LDS address t0's code gives an index that is out of range: 64 KiB.
const NO_INDEX: u64 = 0x1_0000;

/// Whether an LDS address is above what any workgroup has, in code of t0, whose metadata alone names the arrays in the LDS.
/// It sends an index that is out of range there, where it is defined to read 0 and write nothing.
fn is_no_index(address: u64, arrays: &[LdsVariable]) -> bool {
    address >= NO_INDEX && !arrays.is_empty()
}

impl FindingKind {
    /// The text, with the name of the array where `arrays` are those of the LDS.
    pub fn text_with(&self, arrays: &[LdsVariable]) -> String {
        let FindingKind::LdsOutOfRange {
            address,
            len,
            size,
            write,
            wanted,
        } = *self
        else {
            return self.to_string();
        };
        lds_text(address, len, size, write, arrays, wanted)
    }

    /// The way out.
    pub fn help(&self, arrays: &[LdsVariable]) -> Option<String> {
        match self {
            FindingKind::LdsOutOfRange { address, .. } if is_no_index(*address, arrays) => Some(String::from(
                "compare the index with the length first; `#[kernel(checked)]` or `queue.with_checked(true)` stop the launch there",
            )),
            FindingKind::LdsOutOfRange { .. } => None,
            FindingKind::Hazard(hit) => Some(format!("mended by: {}", hit.rule.entry().mitigated_by)),
        }
    }

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
            FindingKind::LdsOutOfRange { .. } => Severity::Error,
            FindingKind::Hazard(hit) => hit.severity(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_out_of_range_is_told_from_an_address_behind_the_lds() {
        let finding = |address, write, wanted| FindingKind::LdsOutOfRange {
            address,
            len: 4,
            size: 256,
            write,
            wanted,
        };
        let behind = finding(0x100, false, None);
        assert_eq!((behind.severity(), behind.help(&[])), (Severity::Error, None));
        assert_eq!(
            behind.to_string(),
            "LDS read of 4 bytes at 0x100 ends outside of the workgroup's 256 bytes: it reads 0"
        );
        let arrays = [("sums", 0, 64), ("tile", 64, 128)].map(|(name, offset, size)| LdsVariable {
            name: name.into(),
            offset,
            size,
            element: 4,
        });
        let text = |address, wanted| finding(address, true, wanted).text_with(&arrays);
        assert_eq!(
            text(0x1_0000, Some(280)),
            "write at index 70 that is out of range of `sums`, which has 16 elements: it is dropped"
        );
        assert_eq!(
            text(0x1_0044, Some(-4i32 as u32)),
            "write at index -1 (4294967295) that is out of range of `tile`, which has 32 elements: it is dropped"
        );
        assert_eq!(
            text(0x1_0040, None),
            "write at an index that is out of range of `tile`, which has 32 elements: it is dropped"
        );
        let index = finding(0x1_0000, true, None);
        assert_eq!(index.severity(), Severity::Error);
        assert!(index.text_with(&arrays[1..]).contains("its array in the LDS"));
        assert!(index.help(&arrays).is_some_and(|h| h.contains("kernel(checked)")));
        // Code of others has no such addresses.
        assert_eq!(
            index.to_string(),
            "LDS write of 4 bytes at 0x10000 ends outside of the workgroup's 256 bytes: it is dropped"
        );
        assert_eq!(index.help(&[]), None);
    }
}
