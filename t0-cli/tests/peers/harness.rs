//! Compiling OpenCL C with clang and running the code objects with `t0 run`.
//!
//! Method: every source is compiled at several optimisation levels for waves of 32 and of 64 lanes, every kernel runs in
//! a process of its own on NumPy files, exactly as a user would do it. `t0 run` puts every buffer between guard bytes
//! and fills outputs with a pattern, so writes outside and elements never written show.

use bytemuck::Pod;
use half::f16;
use serde_json::Value;
use std::collections::HashMap;
use std::io::Write;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// Warnings of `t0 check` and of the sanitizer that are true findings in clang 19's code.
///
/// `vopd-parity` and `valu-mask-write-valu`: both rules are younger than this compiler (llvm/llvm-project#220348 of 2026,
/// #138663 of 2025). `wave64-same-sgpr`: at -O0 clang writes lane masks over scalar sources of the same comparison, which the
/// manual forbids (7.2.3). `never-written`: `divergence` of waves.cl returns before its store in one of its cases.
pub const TRUE: [&str; 4] = [
    "vopd-parity",
    "valu-mask-write-valu",
    "wave64-same-sgpr",
    "never-written",
];

const CLANG: &str = "clang-19";

/// How a source is compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Build {
    /// Optimisation level.
    pub opt: &'static str,
    /// Lanes of a wave.
    pub wave: u32,
}

const fn build(opt: &'static str, wave: u32) -> Build {
    Build { opt, wave }
}

const BUILDS: [Build; 6] = [
    build("-O0", 32),
    build("-O2", 32),
    build("-O3", 32),
    build("-O0", 64),
    build("-O2", 64),
    build("-O3", 64),
];

/// A compiled source.
pub struct Object {
    pub build: Build,
    path: PathBuf,
}

/// Whether clang is there. If not, says on standard error what is not tested; the test harness does not hold that back.
fn have_clang(source: &str) -> bool {
    static HAVE: OnceLock<bool> = OnceLock::new();
    let have = *HAVE.get_or_init(|| {
        let version = Command::new(CLANG).arg("--version").output();
        version.is_ok_and(|o| o.status.success())
    });
    if !have {
        let text =
            format!("SKIPPED {source}: {CLANG} cannot be started; install clang-19 and lld-19 to run its kernels\n");
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
    have
}

fn scratch_dir() -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("peers");
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

/// The code object of a source, compiled once.
fn compile(source: &str, build: Build) -> PathBuf {
    type Cell = Arc<OnceLock<PathBuf>>;
    static CELLS: OnceLock<Mutex<HashMap<(String, Build), Cell>>> = OnceLock::new();
    let cells = CELLS.get_or_init(Mutex::default);
    let cell = cells
        .lock()
        .unwrap()
        .entry((source.to_owned(), build))
        .or_default()
        .clone();
    cell.get_or_init(|| {
        let path = scratch_dir().join(format!("{source}{}.w{}.co", build.opt, build.wave));
        let mut c = Command::new(CLANG);
        c.args([
            "-x",
            "cl",
            "-cl-std=CL2.0",
            "-nogpulib",
            "-target",
            "amdgcn-amd-amdhsa",
            "-mcpu=gfx1100",
            "-Werror",
        ]);
        c.args(["-cl-fp32-correctly-rounded-divide-sqrt", build.opt, "-o"])
            .arg(&path);
        if build.wave == 64 {
            c.arg("-mwavefrontsize64");
        }
        c.arg(
            Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("tests/peers/cl")
                .join(source),
        );
        let out = c.output().unwrap();
        assert!(
            out.status.success(),
            "{source}: {}",
            String::from_utf8_lossy(&out.stderr)
        );
        path
    })
    .clone()
}

/// Optimisation levels of clang.
pub const OPTIMISATIONS: [&str; 4] = ["-O0", "-O1", "-O2", "-O3"];

/// Builds of these levels for waves of both sizes.
pub fn builds(levels: &[&'static str]) -> Vec<Build> {
    let both = |&opt: &&'static str| [build(opt, 32), build(opt, 64)];
    levels.iter().flat_map(both).collect()
}

/// Runs a check on the builds that kernels are run in.
pub fn each_build(source: &str, check: impl Fn(&Object)) {
    each_build_of(source, &BUILDS, check);
}

/// Runs a check on builds of a source and reports all that fail.
pub fn each_build_of(source: &str, builds: &[Build], check: impl Fn(&Object)) {
    if !have_clang(source) {
        return;
    }
    let mut failed = Vec::new();
    for &build in builds {
        let object = Object {
            build,
            path: compile(source, build),
        };
        if let Err(e) = catch_unwind(AssertUnwindSafe(|| check(&object))) {
            let text = e.downcast_ref::<String>().cloned();
            let text = text.or_else(|| e.downcast_ref::<&str>().map(|s| (*s).to_owned()));
            failed.push(format!(
                "{source} {} wave{}: {}",
                build.opt,
                build.wave,
                text.unwrap_or_default()
            ));
        }
    }
    assert!(
        failed.is_empty(),
        "{} builds fail:\n{}",
        failed.len(),
        failed.join("\n")
    );
}

/// An element of a buffer.
pub trait Num: Pod {
    /// NumPy's descriptor.
    const DESCRIPTOR: &'static str;
    /// Its name in arguments of `t0 run`.
    const NAME: &'static str;
}

macro_rules! nums {
    ($($t:ty, $d:literal, $n:literal;)*) => { $(
        impl Num for $t {
            const DESCRIPTOR: &'static str = $d;
            const NAME: &'static str = $n;
        }
    )* };
}

nums! {
    u8, "|u1", "u8"; i8, "|i1", "i8"; u16, "<u2", "u16"; i16, "<i2", "i16"; u32, "<u4", "u32"; i32, "<i4", "i32";
    u64, "<u8", "u64"; i64, "<i8", "i64"; f16, "<f2", "f16"; f32, "<f4", "f32"; f64, "<f8", "f64";
}

/// A NumPy file of format 1.0, written without t0's code.
fn save<T: Num>(path: &Path, data: &[T]) {
    let header = format!(
        "{{'descr': '{}', 'fortran_order': False, 'shape': ({},), }}",
        T::DESCRIPTOR,
        data.len()
    );
    let mut file = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    file.extend(format!("{header:<117}\n").as_bytes());
    file.extend(bytemuck::cast_slice(data));
    std::fs::write(path, file).unwrap();
}

fn load<T: Num>(path: &Path) -> Vec<T> {
    let file = std::fs::read(path).unwrap();
    let start = 10 + usize::from(u16::from_le_bytes([file[8], file[9]]));
    let header = String::from_utf8_lossy(&file[10..start]);
    assert!(header.contains(&format!("'{}'", T::DESCRIPTOR)), "{header}");
    let elements = file[start..].chunks_exact(size_of::<T>());
    elements.map(bytemuck::pod_read_unaligned).collect()
}

/// A launch being put together.
pub struct Launch<'a> {
    object: &'a Object,
    kernel: String,
    dir: PathBuf,
    command: Vec<String>,
    arguments: usize,
}

/// What a launch left.
pub struct Ran {
    dir: PathBuf,
}

impl Object {
    /// What `t0 check` says: exit status and report.
    pub fn check(&self) -> (Option<i32>, Value) {
        let mut t0 = Command::new(env!("CARGO_BIN_EXE_t0"));
        let out = t0.args(["check", "--json"]).arg(&self.path).output().unwrap();
        let report = serde_json::from_slice(&out.stdout);
        let err = String::from_utf8_lossy(&out.stderr);
        (out.status.code(), report.unwrap_or_else(|e| panic!("{e}: {err}")))
    }

    /// A launch of `grid` workgroups of `block` work-items.
    pub fn launch(&self, kernel: &str, grid: impl Dims, block: impl Dims) -> Launch<'_> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let n = NEXT.fetch_add(1, Ordering::Relaxed);
        let dir = scratch_dir().join(format!("{}-{n}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let mut command = vec!["run".to_owned(), self.path.display().to_string()];
        let options = [
            ("--kernel", kernel.to_owned()),
            ("--grid", grid.text()),
            ("--block", block.text()),
        ];
        for (option, value) in options {
            command.extend([option.to_owned(), value]);
        }
        command.extend(["--device", "sim", "--json"].map(str::to_owned));
        Launch {
            object: self,
            kernel: kernel.to_owned(),
            dir,
            command,
            arguments: 0,
        }
    }
}

/// One to three counts.
pub trait Dims {
    fn text(&self) -> String;
}

impl Dims for u32 {
    fn text(&self) -> String {
        self.to_string()
    }
}

impl<const N: usize> Dims for [u32; N] {
    fn text(&self) -> String {
        self.map(|d| d.to_string()).join(",")
    }
}

impl Launch<'_> {
    fn arg(mut self, text: String) -> Self {
        self.command.extend(["--arg".to_owned(), text]);
        self.arguments += 1;
        self
    }

    fn file(&self, kind: &str) -> PathBuf {
        self.dir.join(format!("{kind}{}.npy", self.arguments))
    }

    /// A buffer that is only read.
    pub fn input<T: Num>(self, data: &[T]) -> Self {
        let path = self.file("in");
        save(&path, data);
        self.arg(format!("in:{}", path.display()))
    }

    /// A buffer of so many elements that start as poison.
    pub fn output<T: Num>(self, n: usize) -> Self {
        let path = self.file("out");
        self.arg(format!("out:{}:{}:{n}", path.display(), T::NAME))
    }

    /// A buffer that is read and written.
    pub fn inout<T: Num>(self, data: &[T]) -> Self {
        let (from, to) = (self.file("in"), self.file("out"));
        save(&from, data);
        self.arg(format!("inout:{}:{}", from.display(), to.display()))
    }

    /// A value, as `t0 run` writes it.
    pub fn value(self, text: &str) -> Self {
        self.arg(text.to_owned())
    }

    /// A number of 32 bits.
    pub fn u32(self, v: usize) -> Self {
        self.arg(format!("u32:{v}"))
    }

    /// Dynamic LDS.
    pub fn lds(mut self, bytes: usize) -> Self {
        self.command.extend(["--lds".to_owned(), bytes.to_string()]);
        self
    }

    /// Under the sanitizer.
    pub fn sanitized(mut self) -> Self {
        self.command.push("--sanitize".to_owned());
        self
    }

    /// Runs it; what goes wrong fails the test.
    pub fn run(self) -> Ran {
        let (ok, findings, text) = self.start();
        let (kernel, build) = (&self.kernel, self.object.build);
        assert!(ok && findings == Some(Vec::new()), "{kernel} ({build:?}): {text}");
        Ran { dir: self.dir }
    }

    /// Runs a kernel that does wrong, and returns the text of the one finding.
    pub fn finding(self) -> String {
        let kernel = self.kernel.clone();
        match &self.findings()[..] {
            [one] => one.clone(),
            all => panic!("{kernel}: more than one finding: {all:#?}"),
        }
    }

    /// The same of several.
    pub fn findings(self) -> Vec<String> {
        let (ok, findings, text) = self.start();
        let _ = std::fs::remove_dir_all(&self.dir);
        match findings {
            Some(all) if !ok && !all.is_empty() => all,
            _ => panic!("{}: no finding: {text}", self.kernel),
        }
    }

    /// Whether it ended well, its findings but for those of [`TRUE`], and all it said.
    fn start(&self) -> (bool, Option<Vec<String>>, String) {
        let out = Command::new(env!("CARGO_BIN_EXE_t0"))
            .args(&self.command)
            .output()
            .unwrap();
        let (text, err) = (
            String::from_utf8_lossy(&out.stdout),
            String::from_utf8_lossy(&out.stderr),
        );
        let report: Value = serde_json::from_str(&text).unwrap_or_default();
        let findings = report["findings"].as_array();
        let ours = |f: &&Value| !TRUE.contains(&f["rule"].as_str().unwrap());
        let text_of = |f: &Value| f["text"].as_str().unwrap().to_owned();
        let findings = findings.map(|f| f.iter().filter(ours).map(text_of).collect());
        (out.status.success(), findings, format!("{text}{err}"))
    }
}

impl Ran {
    /// The contents of a buffer, by its argument's number.
    pub fn get<T: Num>(&self, argument: usize) -> Vec<T> {
        load(&self.dir.join(format!("out{argument}.npy")))
    }
}

impl Drop for Ran {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

/// Workgroups for so many work-items; at least one, so that a kernel with nothing to do runs too.
pub fn groups(n: usize, block: u32) -> u32 {
    n.div_ceil(block as usize).max(1) as u32
}

/// Numbers without a pattern, the same in every run (SplitMix64).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub fn u32(&mut self) -> u32 {
        self.u64() as u32
    }

    /// In -1..1.
    pub fn unit(&mut self) -> f64 {
        (self.u64() as i64 >> 11) as f64 / (1i64 << 52) as f64
    }

    pub fn vec<T>(&mut self, n: usize, f: impl Fn(&mut Random) -> T) -> Vec<T> {
        (0..n).map(|_| f(self)).collect()
    }
}

/// Both slices are the same; the first difference fails the test.
#[track_caller]
pub fn same<T: PartialEq + std::fmt::Debug>(what: &str, got: &[T], want: &[T]) {
    assert_eq!(got.len(), want.len(), "{what}: length");
    if let Some(i) = (0..got.len()).find(|&i| got[i] != want[i]) {
        let wrong = (0..got.len()).filter(|&i| got[i] != want[i]).count();
        panic!(
            "{what}: element {i} is {:x?}, expected {:x?}; {wrong} of {} are wrong",
            got[i],
            want[i],
            got.len()
        );
    }
}

/// Every element is within `bound` (of the element's number and expected value) of what is expected; NaN and infinity
/// must be themselves.
#[track_caller]
pub fn near(what: &str, got: impl IntoIterator<Item = f64>, want: &[f64], bound: impl Fn(usize, f64) -> f64) {
    let got: Vec<f64> = got.into_iter().collect();
    assert_eq!(got.len(), want.len(), "{what}: length");
    for (i, (&g, &w)) in got.iter().zip(want).enumerate() {
        let ok = g == w || (g.is_nan() && w.is_nan()) || (g - w).abs() <= bound(i, w);
        assert!(
            ok,
            "{what}: element {i} is {g:e}, expected {w:e} within {:e}",
            bound(i, w)
        );
    }
}
