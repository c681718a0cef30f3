//! Why a command could not do its work, and the exit status that follows.

use std::error::Error;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use t0_backend_rdna3::object::ObjectError;
use t0_sim::driver::available_memory;

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
            | Error::OrderSeed { .. }
            | Error::DumpWord { .. }
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

/// Bytes of a code object or a text at most: more is no such thing.
const MOST_BYTES: u64 = 1 << 30;

/// The bytes of a code object or a text; `-` is standard input.
///
/// Errors: [`CliError::Read`], also for devices and for what is too long.
pub fn read_file(path: &Path) -> Result<Vec<u8>, CliError> {
    read(path, MOST_BYTES)
}

/// The bytes of an array's file, which may be as large as memory; `-` is standard input.
///
/// Errors: as of [`read_file`].
pub fn read_array(path: &Path) -> Result<Vec<u8>, CliError> {
    read(path, available_memory().unwrap_or(u64::MAX))
}

fn read(path: &Path, most: u64) -> Result<Vec<u8>, CliError> {
    let bytes = if path.as_os_str() == "-" {
        limited(std::io::stdin().lock(), most, 0)
    } else {
        open(path).and_then(|(file, len)| limited(file, most, len))
    };
    bytes.map_err(|source| CliError::Read {
        path: path.to_owned(),
        source,
    })
}

/// A file that has an end, and how long it says it is.
fn open(path: &Path) -> io::Result<(File, u64)> {
    // Before it is opened: that waits where nobody writes into a pipe.
    let about = std::fs::metadata(path)?;
    let kind = about.file_type();
    let what = match () {
        () if kind.is_file() => return Ok((File::open(path)?, about.len())),
        () if kind.is_dir() => "a directory",
        () if kind.is_fifo() => "a pipe",
        () if kind.is_socket() => "a socket",
        () => "a device",
    };
    let text = format!("it is {what}; give a file (`-` is standard input)");
    Err(io::Error::new(io::ErrorKind::InvalidInput, text))
}

/// All of it, if that is not more than so many bytes; `len` is what it says.
fn limited(from: impl Read, most: u64, len: u64) -> io::Result<Vec<u8>> {
    let too_long = || {
        let text = format!("it has more than {most} bytes, which is as much as can be read here; give a shorter file");
        io::Error::new(io::ErrorKind::InvalidData, text)
    };
    if len > most {
        return Err(too_long());
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(len as usize)?;
    from.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(too_long());
    }
    Ok(bytes)
}

/// The path of a file with everything in it followed, to tell whether two are the same file; as it is where that cannot be done.
pub fn whole_path(path: &Path) -> PathBuf {
    let real = std::fs::canonicalize(path).or_else(|_| std::path::absolute(path));
    real.unwrap_or_else(|_| path.to_owned())
}

/// What a command writes is no file that it reads; `-` is standard output.
///
/// Errors: it is.
pub fn check_output<'a>(output: &Path, read: impl IntoIterator<Item = &'a Path>) -> Result<(), CliError> {
    if output.as_os_str() == "-" {
        return Ok(());
    }
    let file = whole_path(output);
    match read.into_iter().any(|p| whole_path(p) == file) {
        true => Err(CliError::Usage(format!(
            "-o {}: that file is read, and would be overwritten; give another name",
            output.display()
        ))),
        false => Ok(()),
    }
}

/// Writes a whole file.
///
/// Errors: [`CliError::Write`].
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    std::fs::write(path, bytes).map_err(|source| CliError::Write {
        path: path.to_owned(),
        source,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_end_is_refused_without_reading_it() {
        let e = read_file(Path::new("/dev/zero")).unwrap_err().chain();
        assert!(e.starts_with("cannot read /dev/zero: it is a device;"), "{e}");
        let e = read_file(Path::new("/")).unwrap_err().chain();
        assert!(e.starts_with("cannot read /: it is a directory;"), "{e}");
        // Neither what says how long it is, nor what does not.
        for len in [0, 100] {
            let e = limited(io::repeat(0), 99, len).unwrap_err().to_string();
            assert!(e.starts_with("it has more than 99 bytes"), "{e}");
        }
        assert_eq!(limited(&b"abc"[..], 3, 3).unwrap(), b"abc");
        assert_eq!(limited(&b"abc"[..], 3, 0).unwrap(), b"abc");
    }
}
