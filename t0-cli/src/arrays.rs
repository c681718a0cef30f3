//! The arrays of `t0 run`: from their files into buffers, and back.
//!
//! Every buffer lies between guard bytes. The simulated card maps none of them: a load or store that leaves the buffer is
//! a fault at its instruction. A card knows only pages, so there the guard bytes hold a pattern that is checked after the
//! run: stores are found, loads are not.
//!
//! Arrays can be as large as memory: nothing is held twice for longer than it takes to copy it. What a file holds is dropped
//! when it is in its buffer, fills and results go piece by piece.

use crate::device::Device;
use crate::error::{read_array, CliError};
use crate::kernarg::Piece;
use crate::npy::{header, Array};
use crate::run::{Finding, Place};
use crate::spec::{Elem, Spec};
use std::io::Write;
use std::path::{Path, PathBuf};
use t0_backend_rdna3::object::Kernel;
use t0_runtime::{Buffer, Gpu};
use t0_sim::driver::{available_memory, Message, Severity};

/// Guard bytes on either side of a buffer. A multiple of 256 keeps the buffer as aligned as an allocation.
const GUARD: usize = 4096;

/// Bytes that are filled, or read back, at a time: a multiple of every element's size.
const PIECE: usize = 1 << 20;

/// The guard byte at a position; a pattern with no short period, so that shifted copies show too.
fn guard_byte(i: usize) -> u8 {
    (i.wrapping_mul(37) ^ (i >> 8).wrapping_mul(101)) as u8 ^ 0xa5
}

/// What a buffer holds before the run.
enum Contents {
    /// An array's bytes; they are gone when the buffer has them.
    Bytes(Vec<u8>),
    /// So many bytes: the same element again and again.
    Fill(Vec<u8>, usize),
}

impl Contents {
    fn len(&self) -> usize {
        match self {
            Contents::Bytes(bytes) => bytes.len(),
            Contents::Fill(_, len) => *len,
        }
    }
}

/// An argument with its file read.
pub(crate) enum Input<'a> {
    Value(Elem, &'a [u8]),
    Bytes(&'a [u8]),
    Array(Loaded<'a>),
}

/// An array on its way into a buffer.
pub(crate) struct Loaded<'a> {
    name: &'a Path,
    /// NumPy's element descriptor.
    descriptor: String,
    shape: Vec<u64>,
    contents: Contents,
    output: Option<&'a Path>,
    /// Its contents are undefined before the run.
    poison: bool,
}

impl<'a> Input<'a> {
    /// Reads the file of an argument that has one.
    pub fn read(spec: &'a Spec) -> Result<Input<'a>, CliError> {
        let loaded = |name: &'a Path, output| {
            let array = read_array(name).and_then(|file| {
                Array::read(file).map_err(|source| CliError::Read {
                    path: name.to_owned(),
                    source,
                })
            })?;
            Ok(Input::Array(Loaded {
                name,
                descriptor: array.descriptor,
                shape: array.shape,
                contents: Contents::Bytes(array.bytes),
                output,
                poison: false,
            }))
        };
        match spec {
            Spec::Value(elem, bytes) => Ok(Input::Value(*elem, bytes)),
            Spec::Bytes(bytes) => Ok(Input::Bytes(bytes)),
            Spec::In(path) => loaded(path, None),
            Spec::InOut { input, output } => loaded(input, Some(output)),
            Spec::Out {
                path,
                elem,
                shape,
                fill,
                poison,
            } => {
                // The shape's bytes fit the address space; parsing made sure. Memory is another matter.
                let bytes = shape.iter().product::<u64>() as usize * fill.len();
                Ok(Input::Array(Loaded {
                    name: path,
                    descriptor: elem.descriptor().to_owned(),
                    shape: shape.clone(),
                    contents: Contents::Fill(fill.clone(), bytes),
                    output: Some(path),
                    poison: *poison,
                }))
            }
        }
    }

    /// What it passes to the kernel.
    pub fn piece(&self, buffer: Option<&Guarded>) -> Piece {
        match (self, buffer) {
            (Input::Array(_), Some(b)) => Piece::Buffer {
                address: b.va(),
                descriptor: b.descriptor.clone(),
                shape: b.shape.clone(),
            },
            (Input::Value(elem, bytes), _) => Piece::Value(*elem, bytes.to_vec()),
            (Input::Bytes(bytes), _) => Piece::Bytes(bytes.to_vec()),
            (Input::Array(_), None) => Piece::Value(Elem::U64, Vec::new()),
        }
    }

    /// The file it writes after the run.
    pub fn output_path(&self) -> Option<&'a Path> {
        match self {
            Input::Array(a) => a.output,
            _ => None,
        }
    }
}

/// The buffers of all arrays fit the memory that is left, which is where the simulated card has them.
///
/// Errors: they do not.
pub(crate) fn fits_memory(inputs: &[Input]) -> Result<(), CliError> {
    let arrays = inputs.iter().filter_map(|i| match i {
        Input::Array(a) => Some(a),
        _ => None,
    });
    let all: Vec<_> = arrays
        .map(|a| (a.contents.len() as u64 + 2 * GUARD as u64, a))
        .collect();
    let need = all.iter().fold(0u64, |n, a| n.saturating_add(a.0));
    let (Some((_, largest)), Some(have)) = (all.iter().max_by_key(|a| a.0), available_memory()) else {
        return Ok(());
    };
    if need <= have {
        return Ok(());
    }
    let others = if all.len() > 1 {
        format!(" (all arrays: {need})")
    } else {
        String::new()
    };
    Err(CliError::Usage(format!(
        "{}: an array of {} bytes{others} does not fit this machine's memory, of which {have} are free; give a smaller shape",
        largest.name.display(),
        largest.contents.len(),
    )))
}

/// A buffer between guard bytes.
pub(crate) struct Guarded {
    /// The file it comes from, or goes to.
    pub name: String,
    /// Bytes of the array.
    pub len: usize,
    descriptor: String,
    shape: Vec<u64>,
    buffer: Buffer<u8>,
    poison: bool,
}

impl Guarded {
    /// The buffer of an argument, which keeps no copy of it; values have none.
    pub fn new(gpu: &Gpu, input: &mut Input) -> Result<Option<Guarded>, CliError> {
        let Input::Array(a) = input else { return Ok(None) };
        let len = a.contents.len();
        let mut buffer = gpu.alloc(len + 2 * GUARD)?;
        for start in [0, GUARD + len] {
            let guard: Vec<u8> = (start..start + GUARD).map(guard_byte).collect();
            buffer.write_at(start, &guard)?;
        }
        match &mut a.contents {
            Contents::Bytes(bytes) => buffer.write_at(GUARD, &std::mem::take(bytes))?,
            Contents::Fill(element, _) => {
                let piece = element.repeat(PIECE / element.len().max(1));
                for start in (0..len).step_by(PIECE) {
                    buffer.write_at(GUARD + start, &piece[..PIECE.min(len - start)])?;
                }
            }
        }
        Ok(Some(Guarded {
            name: a.name.display().to_string(),
            len,
            descriptor: a.descriptor.clone(),
            shape: a.shape.clone(),
            buffer,
            poison: a.poison,
        }))
    }

    /// GPU address of the array.
    fn va(&self) -> u64 {
        self.buffer.va() + GUARD as u64
    }

    /// Writes the array to a `.npy` file.
    ///
    /// Errors: [`CliError::Write`], a launch that stopped.
    pub fn write(&self, path: &Path) -> Result<(), CliError> {
        let failed = |source| CliError::Write {
            path: PathBuf::from(path),
            source,
        };
        let mut file = std::fs::File::create(path).map_err(failed)?;
        file.write_all(&header(&self.descriptor, &self.shape)).map_err(failed)?;
        let mut piece = vec![0; PIECE.min(self.len)];
        for start in (0..self.len).step_by(PIECE) {
            let piece = &mut piece[..PIECE.min(self.len - start)];
            self.buffer.read_at(GUARD + start, piece)?;
            file.write_all(piece).map_err(failed)?;
        }
        Ok(())
    }

    /// Elements of an output without FILL of which no launch has written a byte, as far as a sanitizer has seen. Those written in
    /// part may be structures with padding.
    pub fn never_written(&self, index: usize, device: &Device) -> Option<Finding> {
        let elements = self.shape.iter().product::<u64>() as usize;
        let size = self.len.checked_div(elements).filter(|_| self.poison)?;
        let sim = device.sim.as_ref()?;
        let (mut missing, mut first) = (0u64, None);
        for start in (0..elements).step_by(PIECE) {
            let bytes = PIECE.min(elements - start) * size;
            let written = sim.written_bytes(self.va() + (start * size) as u64, bytes as u64)?;
            for (e, bytes) in written.chunks(size).enumerate() {
                if !bytes.iter().any(|&b| b) {
                    missing += 1;
                    first.get_or_insert(start + e);
                }
            }
        }
        let first = first?;
        let s = if elements == 1 { "" } else { "s" };
        let (are, them) = if missing == 1 {
            ("was", "")
        } else {
            ("were", ", the first")
        };
        let text = format!(
            "argument {index} ({}): {missing} of {elements} element{s} {are} never written{them} at index {first}; the file has undefined bytes there",
            self.name,
        );
        let m = Message::new(Severity::Warning, "never-written", text);
        let mut found = Finding::of(&m, Place::default());
        found.count = Some(missing);
        Some(found)
    }

    /// Whether an address lies in the guard bytes.
    pub fn guards(&self, va: u64) -> bool {
        let at = va.wrapping_sub(self.buffer.va());
        let (guard, len) = (GUARD as u64, self.len as u64);
        at < guard || (at >= guard + len && at < 2 * guard + len)
    }

    /// Guard bytes that were overwritten.
    ///
    /// Errors: a launch that stopped.
    pub fn guard_findings(&self, index: usize) -> Result<Option<Finding>, CliError> {
        let mut wrong: Vec<i64> = Vec::new();
        let mut bytes = vec![0; GUARD];
        for start in [0, GUARD + self.len] {
            self.buffer.read_at(start, &mut bytes)?;
            let changed = (start..).zip(&bytes).filter(|&(i, &b)| b != guard_byte(i));
            wrong.extend(changed.map(|(i, _)| i as i64 - GUARD as i64));
        }
        let (Some(first), Some(last)) = (wrong.first(), wrong.last()) else {
            return Ok(None);
        };
        let text = format!(
            "argument {index} ({}): {} bytes outside of the buffer's {} were overwritten, from offset {first} to {last}",
            self.name,
            wrong.len(),
            self.len
        );
        let m = Message::new(Severity::Error, "guard", text);
        Ok(Some(Finding::of(&m, Place::default())))
    }
}

/// Leaves kernels on the simulated card the user's bytes without the guards, by the parameters' names.
pub(crate) fn leave_no_guards(device: &Device, kernel: &Kernel, buffers: &[Option<Guarded>]) {
    let Some(sim) = &device.sim else { return };
    let visible = kernel.metadata.iter().flat_map(|m| &m.args);
    let visible: Vec<_> = visible.filter(|a| !a.kind.is_hidden()).collect();
    // Either every word was given, or one argument for each Rust parameter.
    let all = visible.len() == buffers.len();
    let mut names = visible.into_iter().filter(|a| all || !a.name.contains('.'));
    for (index, buffer) in buffers.iter().enumerate() {
        let name = names.next().map(|a| a.name.clone()).filter(|n| !n.is_empty());
        let Some(b) = buffer else { continue };
        let name = name.unwrap_or_else(|| format!("argument {index}"));
        // Piece by piece it was written; said at once, nothing has to be remembered of the whole buffer.
        sim.written_memory(b.buffer.va(), (b.len + 2 * GUARD) as u64);
        sim.narrow_memory(b.buffer.va(), b.va(), b.len as u64, &name);
        if b.poison {
            sim.unwritten_memory(b.va(), b.len as u64);
        }
    }
}
