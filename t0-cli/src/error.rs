//! Why a command could not do its work, and the exit status that follows.

use std::error::Error;
use std::io;
use std::path::PathBuf;
use t0_backend_rdna3::object::ObjectError;

/// A command's failure. What the user typed wrong, a file that cannot be used included, is status 2; what did not work
/// is status 1.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// Contradictory or incomplete arguments.
    #[error("{0}")]
    Usage(String),
    /// A file that cannot be read.
    #[error("cannot read {}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file that cannot be written.
    #[error("cannot write {}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A kernel whose compiled form cannot be read back.
    #[error("kernel `{kernel}`")]
    Built {
        /// The kernel.
        kernel: String,
        /// Why.
        source: ObjectError,
    },
    /// A device that cannot be used.
    #[error(transparent)]
    Runtime(#[from] Box<t0_runtime::Error>),
    /// Standard output that cannot be written.
    #[error("cannot write to standard output")]
    Output(#[source] io::Error),
    /// A measurement whose kernel cannot be made, or gives another result than it must.
    #[error("bench `{name}`: {what}")]
    Bench {
        /// The measurement.
        name: &'static str,
        /// What is wrong.
        what: String,
    },
    /// A code object that cannot be used.
    #[error("{}", .path.display())]
    Object {
        /// The file.
        path: PathBuf,
        /// Why.
        source: ObjectError,
    },
}

impl CliError {
    /// The exit status: 1 something failed, 2 wrong usage.
    pub fn status(&self) -> u8 {
        match self {
            CliError::Usage(_) | CliError::Read { .. } | CliError::Write { .. } => 2,
            CliError::Runtime(e) if is_usage(e) => 2,
            CliError::Object { .. } => 2,
            CliError::Output(_) | CliError::Built { .. } | CliError::Runtime(_) | CliError::Bench { .. } => 1,
        }
    }

    /// Whether it only means that nobody reads on.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, CliError::Output(e) if e.kind() == io::ErrorKind::BrokenPipe)
    }

    /// The message with those of its causes.
    pub fn chain(&self) -> String {
        let mut text = self.to_string();
        let mut cause = self.source();
        while let Some(e) = cause {
            text.push_str(": ");
            text.push_str(&e.to_string());
            cause = e.source();
        }
        text
    }
}

/// What the user chose and no device could do.
fn is_usage(error: &t0_runtime::Error) -> bool {
    use t0_runtime::Error;
    matches!(
        error,
        Error::DeviceChoice { .. }
            | Error::Numerics { .. }
            | Error::Switch { .. }
            | Error::Scratch { .. }
            | Error::TimeLimit { .. }
            | Error::Group { .. }
            | Error::Grid { .. }
            | Error::Kernarg { .. }
            | Error::TooLong { .. }
            | Error::Target { .. }
            | Error::Object(_)
    )
}

impl From<t0_runtime::Error> for CliError {
    fn from(e: t0_runtime::Error) -> CliError {
        CliError::Runtime(Box::new(e))
    }
}

/// The bytes of a file; `-` is standard input.
///
/// Errors: [`CliError::Read`].
pub fn read_file(path: &std::path::Path) -> Result<Vec<u8>, CliError> {
    if path.as_os_str() == "-" {
        return crate::lines::standard_input();
    }
    std::fs::read(path).map_err(|source| CliError::Read {
        path: path.to_owned(),
        source,
    })
}

/// Writes a whole file.
///
/// Errors: [`CliError::Write`].
pub fn write_file(path: &std::path::Path, bytes: &[u8]) -> Result<(), CliError> {
    std::fs::write(path, bytes).map_err(|source| CliError::Write {
        path: path.to_owned(),
        source,
    })
}
