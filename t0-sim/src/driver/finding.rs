//! What a kernel did that hardware swallows silently and its author should know.
//!
//! A finding is no fault: the kernel goes on exactly as on the card. One finding stands for all occurrences at one
//! instruction; it describes the first of them in the order of workgroups and waves.

use std::fmt;

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What happened.
    pub kind: FindingKind,
    /// Kernel name, when known.
    pub kernel: Option<String>,
    /// Byte offset of the instruction from the kernel's entry.
    pub pc: u64,
    /// The instruction as text.
    pub instruction: String,
    /// Place in the Rust source, when known.
    pub source_line: Option<String>,
    /// Workgroup in x, y, z.
    pub workgroup: [u32; 3],
    /// Wave of the workgroup.
    pub wave: u32,
    /// Lane of the wave.
    pub lane: u32,
    /// Accesses like it at this instruction, over the whole dispatch.
    pub count: u64,
}

/// Kinds of [`Finding`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FindingKind {
    /// An access that ends outside of the workgroup's LDS: the part outside reads 0 or is dropped.
    #[error("LDS {} of {len} bytes at {address:#x} ends outside of the workgroup's {size} bytes: {}",
        if *.write { "write" } else { "read" }, if *.write { "it is dropped" } else { "it reads 0" })]
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
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind)?;
        if let Some(k) = &self.kernel {
            write!(f, "; kernel `{k}`")?;
        }
        let [x, y, z] = self.workgroup;
        let Finding {
            instruction,
            pc,
            wave,
            lane,
            ..
        } = self;
        write!(
            f,
            "; instruction `{instruction}` at {}; workgroup ({x}, {y}, {z}) wave {wave} lane {lane}",
            super::Offset(*pc)
        )?;
        if self.count > 1 {
            write!(f, "; {} accesses in all", self.count)?;
        }
        if let Some(s) = &self.source_line {
            write!(f, "; {s}")?;
        }
        Ok(())
    }
}
