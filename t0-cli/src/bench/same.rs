//! The same work for t0 and for another compiler: kernels of `t0-kernels`, and the same algorithm, group size and grid as OpenCL C
//! (`same/*.cl`), written as one would by hand; what both must leave in memory; and what the simulated card counts of both.
//!
//! Nothing is told of a launch whose results are wrong.

pub mod clang;
mod problems;
pub mod triton;

use crate::device::{Device, Options, Timing};
use crate::error::CliError;
use serde::Serialize;
use std::path::PathBuf;
use t0::{Kernel, KernelEntry, Module};
use t0_backend_rdna3::isa::Class;
use t0_backend_rdna3::listing::Listing;
use t0_backend_rdna3::object::CodeObject;
use t0_kernels::{
    conv3x3, gelu, gemm, histogram, layernorm, reduce, rmsnorm, saxpy, saxpy_rows, scan_blocks, softmax, transpose,
};
use t0_runtime::{Buffer, KernelKey};
use t0_sim::timing::Costs;

/// A kernel of the list.
pub struct Work {
    /// Its name, that of the kernel in every language.
    pub name: &'static str,
    /// What it does and how the work is shared out.
    pub what: &'static str,
    entry: &'static KernelEntry,
    consts: &'static [i64],
    /// OpenCL C without the common part.
    source: &'static str,
    /// The launch for a size: rows and columns of matrices, the root of a vector's length.
    pub problem: fn(usize) -> Problem,
}

impl Work {
    /// The kernel with its const arguments.
    pub fn key(&self) -> KernelKey {
        KernelKey::new(self.entry, self.consts.to_vec())
    }

    /// The whole OpenCL source.
    pub fn source(&self) -> String {
        format!("{}{}", include_str!("same/common.h"), self.source)
    }
}

macro_rules! list {
    ($($kernel:ty, $consts:expr, $name:ident, $what:literal;)*) => {
        /// Every kernel of the list.
        pub const LIST: &[Work] = &[$(Work {
            name: stringify!($name),
            what: $what,
            entry: <$kernel as Kernel>::ENTRY,
            consts: $consts,
            source: include_str!(concat!("same/", stringify!($name), ".cl")),
            problem: problems::$name,
        }),*];
    };
}

list! {
    saxpy, &[], saxpy, "an element a work-item";
    saxpy_rows, &[], saxpy_rows, "four elements a work-item: every 32nd of a row of 128 (t0), neighbours (OpenCL)";
    softmax, &[], softmax, "a row a wave, three sweeps";
    rmsnorm, &[], rmsnorm, "a row a wave, two sweeps";
    layernorm, &[], layernorm, "a row a wave, three sweeps";
    transpose, &[], transpose, "tiles of 32 x 32 through LDS, four elements a work-item";
    reduce, &[], reduce, "an element a work-item, an atomic a workgroup";
    gelu, &[], gelu, "an element a work-item, the form by tanh";
    conv3x3, &[], conv3x3, "a row a wave, nine weights, the border repeated";
    histogram, &[], histogram, "256 bins counted in LDS, four elements a work-item";
    scan_blocks, &[], scan_blocks, "prefix sums of blocks of 256, an element a work-item";
    gemm::<128, 128, 32>, &[128, 128, 32], gemm, "bf16, WMMA, tiles of 128 x 128 x 32, two buffers in LDS";
}

/// The kernels of these names; all where none is named.
///
/// Errors: a name that is not in the list.
pub fn named(names: &[String]) -> Result<Vec<&'static Work>, CliError> {
    if names.is_empty() {
        return Ok(LIST.iter().collect());
    }
    let find = |n: &String| {
        LIST.iter().find(|w| w.name == n).ok_or_else(|| {
            let all: Vec<&str> = LIST.iter().map(|w| w.name).collect();
            CliError::Usage(format!(
                "`{n}` is not in the list of the same work; it has {}",
                all.join(", ")
            ))
        })
    };
    names.iter().map(find).collect()
}

/// An array of a launch.
pub struct Array {
    bytes: Vec<u8>,
    rows: usize,
    cols: usize,
}

/// An argument; numbers are those of arrays.
#[derive(Clone, Copy)]
pub enum Arg {
    F32(f32),
    U32(u32),
    /// A bare address.
    Pointer(usize),
    /// A slice or vector of t0.
    Slice(usize),
    /// A matrix of t0.
    Mat(usize),
    /// An address nobody uses.
    Null,
}

/// What an array of 32-bit elements must hold.
pub struct Expected {
    array: usize,
    want: Vec<f64>,
    float: bool,
    relative: f64,
    absolute: f64,
}

/// A launch and what must come out.
pub struct Problem {
    /// Its size in words.
    pub size: String,
    arrays: Vec<Array>,
    /// Workgroups of 256 work-items.
    groups: [u64; 3],
    ours: Vec<Arg>,
    theirs: Vec<Arg>,
    expected: Vec<Expected>,
}

/// A code object and how its kernel is launched.
pub struct Build<'b> {
    pub object: &'b [u8],
    pub symbol: &'b str,
    pub args: Vec<Arg>,
    pub groups: [u64; 3],
    pub group: u32,
    /// Bytes of dynamic LDS.
    pub lds: u32,
}

impl Problem {
    /// t0's kernel.
    pub fn ours<'b>(&self, object: &'b [u8], symbol: &'b str) -> Build<'b> {
        self.build(object, symbol, &self.ours)
    }

    /// The kernel in OpenCL C.
    pub fn theirs<'b>(&self, object: &'b [u8], symbol: &'b str) -> Build<'b> {
        self.build(object, symbol, &self.theirs)
    }

    /// Triton's kernel: the arguments of OpenCL, and two pointers to memory nobody uses; its own groups.
    pub fn tritons<'b>(&self, object: &'b [u8], made: &'b triton::Made) -> Build<'b> {
        let args = [&self.theirs[..], &[Arg::Null; 2]].concat();
        Build {
            groups: [made.groups, 1, 1],
            group: made.group,
            lds: made.lds,
            ..self.build(object, &made.name, &args)
        }
    }

    fn build<'b>(&self, object: &'b [u8], symbol: &'b str, args: &[Arg]) -> Build<'b> {
        Build {
            object,
            symbol,
            args: args.to_vec(),
            groups: self.groups,
            group: 256,
            lds: 0,
        }
    }

    /// What is wrong with the arrays a launch left.
    fn check(&self, arrays: &[Vec<u8>]) -> Option<String> {
        for e in &self.expected {
            let words = arrays[e.array].chunks_exact(4).map(|w| [w[0], w[1], w[2], w[3]]);
            let number = |w| match e.float {
                true => f64::from(f32::from_le_bytes(w)),
                false => f64::from(u32::from_le_bytes(w)),
            };
            for (i, (got, &want)) in words.map(number).zip(&e.want).enumerate() {
                let bound = e.relative * want.abs() + e.absolute;
                let right = (got - want).abs() <= bound;
                if !right {
                    return Some(format!("element {i} of its result is {got} instead of {want}"));
                }
            }
        }
        None
    }
}

/// What is known of a kernel and its launch.
#[derive(Debug, Serialize)]
pub struct Measured {
    /// Instructions of the code, hints left out.
    pub static_instructions: usize,
    /// Wave instructions executed, hints left out.
    pub executed: u64,
    /// `s_delay_alu`, `s_clause` and the like executed.
    pub hints: u64,
    /// Waits executed.
    pub waits: u64,
    pub vgprs: u32,
    pub waves_per_simd: u32,
    /// SGPRs and VGPRs that went to memory for lack of room, where the code object says so.
    pub spills: Option<u32>,
    /// By the cycle model.
    pub cycles: u64,
}

/// Launches the kernel, checks what it left, and counts.
///
/// Errors: a kernel that cannot be launched; results that are wrong, said of `by`.
pub fn measure(name: &'static str, by: &str, problem: &Problem, build: &Build) -> Result<Measured, CliError> {
    let wrong = |what: String| CliError::Bench {
        name,
        what: format!("{by}: {what}"),
    };
    let lost = || wrong("the simulated card kept nothing of the launch".into());
    let (device, buffers) = launch(problem, build, Timing::Off)?;
    let left = buffers.iter().map(Buffer::to_vec).collect::<Result<Vec<_>, _>>()?;
    if let Some(what) = problem.check(&left) {
        return Err(wrong(what));
    }
    let profile = device.profile().ok_or_else(lost)?;
    drop((device, buffers));
    let of = |class: Class| {
        let ops = profile.by_opcode().into_iter().filter(|o| o.class == class);
        ops.map(|o| o.count).sum::<u64>()
    };
    let hints = of(Class::Control);
    let (device, _buffers) = launch(problem, build, Timing::Sampled)?;
    let recording = device.recording().ok_or_else(lost)?;

    let unreadable = |e: t0_backend_rdna3::object::ObjectError| wrong(e.to_string());
    let object = CodeObject::parse(build.object).map_err(unreadable)?;
    let kernel = object.kernel(build.symbol).map_err(unreadable)?;
    let listing = Listing::new(&object, kernel).launched(build.group, build.lds);
    let told = |e: &&t0_backend_rdna3::listing::Entry| e.class != Some(Class::Control);
    Ok(Measured {
        static_instructions: listing.entries.iter().filter(told).count(),
        executed: profile.instructions() - hints,
        hints,
        waits: of(Class::Wait),
        vgprs: listing.vgprs,
        waves_per_simd: listing.occupancy.waves_per_simd,
        spills: listing.spills.map(|[s, v]| s + v),
        cycles: recording.time(&Costs::default(), false).cycles,
    })
}

/// A launch on a simulated card of its own: one that runs whole and is counted, or one for the cycle model.
fn launch(problem: &Problem, build: &Build, timing: Timing) -> Result<(Device, Vec<Buffer<u8>>), CliError> {
    let options = Options {
        timing,
        profile: timing == Timing::Off,
        ..Options::default()
    };
    let device = Device::simulated("t0 bench code", &options)?;
    let upload = |a: &Array| device.gpu.upload(&a.bytes);
    let buffers = problem.arrays.iter().map(upload).collect::<Result<Vec<_>, _>>()?;
    let kernarg = kernarg(problem, &build.args, &buffers);
    let module = Module::load(&device.gpu, build.object)?;
    let kernel = module.kernel(build.symbol)?.with_dynamic_lds(build.lds);
    device
        .gpu
        .queue()?
        .dispatch(&kernel, build.groups, [build.group, 1, 1], &kernarg)?
        .wait()?;
    Ok((device, buffers))
}

/// The argument block; t0's views as in `t0_ir::abi`.
fn kernarg(problem: &Problem, args: &[Arg], buffers: &[Buffer<u8>]) -> Vec<u8> {
    let mut block: Vec<u8> = Vec::new();
    for arg in args {
        let address = match *arg {
            Arg::Null => 0,
            Arg::F32(x) => {
                block.extend(x.to_le_bytes());
                continue;
            }
            Arg::U32(x) => {
                block.extend(x.to_le_bytes());
                continue;
            }
            Arg::Pointer(a) | Arg::Slice(a) | Arg::Mat(a) => buffers[a].va(),
        };
        block.resize(block.len().next_multiple_of(8), 0);
        block.extend(address.to_le_bytes());
        let words = match *arg {
            Arg::Slice(a) => vec![problem.arrays[a].len(), 0],
            Arg::Mat(a) => {
                let m = &problem.arrays[a];
                vec![m.rows, m.cols, m.cols, m.len()]
            }
            _ => Vec::new(),
        };
        block.extend(words.iter().flat_map(|w| (*w as u32).to_le_bytes()));
    }
    block
}

impl Array {
    /// Elements.
    fn len(&self) -> usize {
        self.rows * self.cols
    }
}

/// A folder for files that is removed in the end.
pub struct Folder(PathBuf);

impl Folder {
    /// An empty one among the system's temporary files.
    ///
    /// Errors: it cannot be made.
    fn new(name: &str) -> Result<Folder, CliError> {
        let path = std::env::temp_dir().join(format!("t0-bench-{name}-{}", std::process::id()));
        match std::fs::create_dir_all(&path) {
            Ok(()) => Ok(Folder(path)),
            Err(source) => Err(CliError::Write { path, source }),
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left there does no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The geometric mean.
pub fn geomean(all: impl Iterator<Item = f64>) -> f64 {
    let (n, sum) = all.fold((0.0, 0.0), |(n, sum), x| (n + 1.0, sum + x.ln()));
    (sum / n).exp()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn wrong_results_are_told() {
        for work in LIST {
            let p = (work.problem)(128);
            let mut arrays: Vec<Vec<u8>> = p.arrays.iter().map(|a| a.bytes.clone()).collect();
            assert!(p.check(&arrays).is_some(), "{}: nothing was computed", work.name);
            for e in &p.expected {
                let bits = |w: &f64| if e.float { (*w as f32).to_bits() } else { *w as u32 };
                arrays[e.array] = e.want.iter().flat_map(|w| bits(w).to_le_bytes()).collect();
            }
            assert_eq!(p.check(&arrays), None, "{}", work.name);
            let e = p.expected.last().unwrap();
            let last = arrays[e.array].len() - 4;
            arrays[e.array][last..].copy_from_slice(&f32::NAN.to_bits().to_le_bytes());
            let text = p.check(&arrays).unwrap();
            assert!(
                text.starts_with(&format!("element {} of its result is ", last / 4)),
                "{text}"
            );
        }
    }

    #[test]
    fn names_are_found_or_listed() {
        assert_eq!(named(&[]).unwrap().len(), LIST.len());
        assert_eq!(named(&["gelu".into()]).unwrap()[0].name, "gelu");
        let e = named(&["other".into()]).err().unwrap();
        assert_eq!(e.status(), 2);
        assert!(e.to_string().contains("it has saxpy, saxpy_rows, softmax"), "{e}");
    }

    #[test]
    fn means_are_geometric() {
        assert!((geomean([1.0, 4.0].into_iter()) - 2.0).abs() < 1e-12);
    }
}
