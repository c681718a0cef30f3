//! `t0 run`: launches a kernel of a code object on a card or the simulated one.
//!
//! Every buffer lies between guard bytes. The simulated card maps none of them: a load or store that leaves the buffer is
//! a fault at its instruction. A card knows only pages, so there the guard bytes hold a pattern that is checked after the
//! run: stores are found, loads are not.

use crate::device::{Device, DeviceKind, Options};
use crate::error::{read_file, write_file, CliError};
use crate::kernarg::{pack, Geometry, Piece};
use crate::npy::Array;
use crate::output::{Outcome, Output};
use crate::profile::{Counts, Fidelity};
use crate::spec::{parse_block, parse_bytes, parse_dims, Elem, Spec};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use t0_backend_rdna3::object::{CodeObject, Kernel};
use t0_backend_rdna3::target::Target;
use t0_runtime::{Buffer, Gpu, Module};
use t0_sim::driver::{ExecFaultKind, Message, Severity, Site, Source};
use t0_sim::{Numerics, Profile};

/// Arguments of `t0 run`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A code object
    file: PathBuf,
    /// The kernel; not needed when there is only one
    #[arg(long)]
    kernel: Option<String>,
    /// Workgroups: X, X,Y or X,Y,Z. With a 0 nothing is executed and outputs hold their FILL, as a launch over an empty
    /// array does nothing
    #[arg(long, value_parser = parse_dims, allow_hyphen_values = true)]
    grid: [u32; 3],
    /// Work-items of a workgroup: X, X,Y or X,Y,Z
    #[arg(long, value_parser = parse_block, allow_hyphen_values = true)]
    block: [u32; 3],
    /// Bytes of dynamic LDS besides what the kernel declares
    #[arg(long, default_value = "0", value_parser = parse_bytes, allow_hyphen_values = true)]
    lds: u32,
    /// The kernel's arguments in order.
    #[arg(long = "arg", value_name = "SPEC", help = ARG_HELP)]
    args: Vec<Spec>,
    /// Where to run it; without: what T0_DEVICE says, else the card if there is one
    #[arg(long, value_enum)]
    device: Option<DeviceKind>,
    /// How the simulated card sums dot products: fast or silicon; without: what T0_NUMERICS says, else fast
    #[arg(long)]
    numerics: Option<Numerics>,
    /// Print what the waves executed, by class and by opcode (the simulated card only)
    #[arg(long)]
    count: bool,
    /// Say which instructions are exact, approximate or unsupported, and where approximate results may arrive (the
    /// simulated card only)
    #[arg(long)]
    fidelity: bool,
    /// Watch every access of memory: bounds, races, undefined values (the simulated card only); also with T0_SANITIZE=1.
    /// Some races show in another order of waves only: try T0_ORDER_SEED=1, 2, 3 …
    #[arg(long)]
    sanitize: bool,
}

const ARG_HELP: &str = "An argument, in order: a value, TYPE:NUMBER (u32:7 f32:0.5) or hex:00ff; an array, in:X.npy, \
    out:Y.npy:TYPE:64x64[:FILL] or inout:X.npy:Y.npy (names without a colon). TYPE is i8 to i64, u8 to u64, f16, bf16, \
    f32 or f64; FILL is a number, nan or poison";

/// Work-items of a workgroup at most (LLVM AMDGPUUsage, `.max_flat_workgroup_size`).
const MOST_ITEMS: u64 = 1024;

/// Guard bytes on either side of a buffer. A multiple of 256 keeps the buffer as aligned as an allocation.
const GUARD: usize = 4096;

/// The guard byte at a position; a pattern with no short period, so that shifted copies show too.
fn guard_byte(i: usize) -> u8 {
    (i.wrapping_mul(37) ^ (i >> 8).wrapping_mul(101)) as u8 ^ 0xa5
}

/// Something wrong that the run brought to light.
#[derive(Debug, Clone, Serialize)]
struct Finding {
    rule: &'static str,
    severity: &'static str,
    #[serde(flatten)]
    place: Place,
    /// The other side of a race.
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<Place>,
    /// The instruction that loaded an undefined value.
    #[serde(skip_serializing_if = "Option::is_none")]
    born: Option<Place>,
    /// The way out.
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u64>,
    /// What else is known: where the waves of a launch stand that does not end, what became of the outputs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    text: String,
    /// All of it as it is printed.
    #[serde(skip)]
    long: String,
}

impl Finding {
    /// What is known of a message whose place is told apart.
    fn of(m: &Message, place: Place) -> Finding {
        Finding {
            rule: m.rule,
            severity: match m.severity {
                Severity::Warning => "warning",
                Severity::Error => "error",
            },
            place: place.with_source(m.source.as_ref()),
            other: None,
            born: None,
            help: m.help.clone(),
            count: None,
            notes: m.notes.clone(),
            text: m.text.clone(),
            long: m.to_string(),
        }
    }
}

/// Where something happened, as far as it is known.
#[derive(Debug, Clone, Default, Serialize)]
struct Place {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    /// The source line's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    pc: Option<u64>,
    /// The called function it stands in.
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instruction: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    workgroup: Option<[u32; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wave: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lane: Option<u32>,
}

impl Place {
    fn of(site: &Site) -> Place {
        Place {
            pc: Some(site.pc),
            function: site.function.as_ref().map(|f| f.0.to_string()),
            instruction: Some(site.instruction.clone()),
            workgroup: Some(site.workgroup),
            wave: Some(site.wave),
            lane: Some(site.lane),
            ..Place::default()
        }
        .with_source(site.source.as_ref())
    }

    fn with_source(self, source: Option<&Source>) -> Place {
        let Some(s) = source else { return self };
        Place {
            file: Some(s.file.to_string()),
            line: Some(s.line),
            column: Some(s.column).filter(|&c| c > 0),
            source: s.text.as_ref().map(|t| t.trim().to_owned()),
            ..self
        }
    }
}

impl From<&t0_sim::driver::Finding> for Finding {
    fn from(f: &t0_sim::driver::Finding) -> Finding {
        let mut f = f.clone();
        if f.help.as_deref() == Some(t0_sim::UNWRITTEN) {
            f.help = Some(String::from(
                "an output holds nothing at first: give it a FILL, or use `inout:`",
            ));
        }
        Finding {
            other: f.other.as_ref().map(Place::of),
            born: f.born.as_ref().map(Place::of),
            count: Some(f.count),
            // They say what the fields say.
            notes: Vec::new(),
            ..Finding::of(&Message::from(&f), Place::of(&f.site))
        }
    }
}

/// The JSON document of a run.
#[derive(Debug, Serialize)]
struct Report {
    device: String,
    /// Absent on a card, which does not count, and after a fault unless --count counted up to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    wave_instructions: Option<u64>,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    cycles: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    numerics: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    counts: Option<Counts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fidelity: Option<Fidelity>,
    findings: Vec<Finding>,
}

/// Runs the command.
pub fn run(args: &Args, target: Option<Target>, out: &mut Output) -> Result<Outcome, CliError> {
    let in_file = |source| CliError::Object {
        path: args.file.clone(),
        source,
    };
    let bytes = read_file(&args.file)?;
    let object = CodeObject::parse(&bytes).map_err(in_file)?;
    let kernel = match &args.kernel {
        Some(name) => object.kernel(name).map_err(in_file)?,
        None => only_kernel(&object, &args.file)?,
    };
    // Everything that can be wrong with the command line is found before a device is opened.
    check_target(target, &object, &args.file)?;
    check_launch(args, &object, kernel)?;
    check_outputs(args)?;
    let inputs: Vec<Input> = args.args.iter().map(Input::read).collect::<Result<_, _>>()?;
    let device = Device::open(
        args.device,
        &Options {
            numerics: args.numerics,
            profile: args.count || args.fidelity,
            sanitize: args.sanitize,
            threads: None,
            target: Some(object.target),
        },
    )?;
    let buffers = inputs
        .iter()
        .map(|i| Guarded::new(&device.gpu, i))
        .collect::<Result<Vec<_>, _>>()?;
    let pieces: Vec<Piece> = inputs.iter().zip(&buffers).map(|(i, b)| i.piece(b.as_ref())).collect();
    let geometry = Geometry {
        groups: args.grid,
        group_size: args.block,
        dynamic_lds: args.lds,
    };
    let kernarg = pack(
        kernel.metadata.as_ref(),
        kernel.descriptor.kernarg_bytes,
        &pieces,
        &geometry,
    )
    .map_err(|e| CliError::Usage(e.to_string()))?;

    leave_no_guards(&device, kernel, &buffers);
    let launched = launch(&device, &bytes, kernel, &geometry, &kernarg);
    let unwritten = not_written(&inputs);
    let (duration, fault) = launched.inspect_err(|_| {
        if let Some(text) = &unwritten {
            eprintln!("note: {text}");
        }
    })?;
    let faulted = fault.is_some();
    let mut findings: Vec<Finding> = fault
        .map(|e| stopped(&e, &device, &buffers, unwritten))
        .into_iter()
        .collect();
    let mut never_written = Vec::new();
    if !faulted {
        for (index, (input, buffer)) in inputs.iter().zip(&buffers).enumerate() {
            let Some(buffer) = buffer else { continue };
            let contents = buffer.buffer.to_vec()?;
            findings.extend(buffer.guard_findings(index, &contents));
            if let Some((path, mut array)) = input.output() {
                never_written.extend(buffer.never_written(index, &array, &device));
                array.bytes = contents[GUARD..GUARD + buffer.len].to_vec();
                write_file(path, &array.to_file())?;
            }
        }
    }
    let stats = device.stats();
    findings.extend(stats.iter().flat_map(|s| &s.findings).map(Finding::from));
    // A kernel that stores undefined values has been told so; what it left is undefined because of that.
    if findings.iter().all(|f| f.rule != "uninitialised") {
        findings.extend(never_written);
    }
    let profile = device.profile();
    let asked = |on: bool| profile.as_ref().filter(|_| on);
    let report = Report {
        device: device.name().to_owned(),
        wave_instructions: profile
            .as_ref()
            .map(Profile::instructions)
            .or(stats.as_ref().filter(|_| !faulted).map(|s| s.instructions)),
        seconds: duration.as_secs_f64(),
        cycles: stats.as_ref().and_then(|s| s.cycles),
        numerics: device.sim.as_ref().map(|s| s.numerics().name()),
        counts: asked(args.count).map(Counts::of),
        fidelity: asked(args.fidelity).map(Fidelity::of),
        findings,
    };
    print(&device, &report, out)?;
    // A warning is printed, but fails nothing, as in `t0 check`.
    Ok(Outcome::finding(report.findings.iter().any(|f| f.severity == "error")))
}

fn only_kernel<'a>(object: &'a CodeObject, path: &Path) -> Result<&'a Kernel, CliError> {
    match &object.kernels[..] {
        [one] => Ok(one),
        all => {
            let names: Vec<&str> = all.iter().map(|k| k.name.as_str()).collect();
            let list = if names.is_empty() {
                "no kernel".to_owned()
            } else {
                names.join(", ")
            };
            Err(CliError::Usage(format!(
                "{} has {list}; choose one with --kernel",
                path.display()
            )))
        }
    }
}

/// The chip the user named is the file's.
fn check_target(asked: Option<Target>, object: &CodeObject, path: &Path) -> Result<(), CliError> {
    match asked {
        Some(t) if t.name != object.target.name => Err(CliError::Usage(format!(
            "{} is for {}, --target says {}; leave --target out, or build the code object for {}",
            path.display(),
            object.target.name,
            t.name,
            t.name
        ))),
        _ => Ok(()),
    }
}

/// Counts as one writes them: `64`, `8,4`.
fn dims_text(dims: [u32; 3]) -> String {
    let used = (1..3).rev().find(|&d| dims[d] != 1).map_or(1, |d| d + 1);
    dims[..used].iter().map(u32::to_string).collect::<Vec<_>>().join(",")
}

/// No two arguments write the same file: one result would be lost.
fn check_outputs(args: &Args) -> Result<(), CliError> {
    let mut seen: Vec<PathBuf> = Vec::new();
    for path in args.args.iter().filter_map(Spec::output_path) {
        let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        if seen.contains(&whole) {
            return Err(CliError::Usage(format!(
                "two arguments write {}; give each its own file",
                path.display()
            )));
        }
        seen.push(whole);
    }
    Ok(())
}

/// Workgroup and LDS are what the kernel and the chip can have.
fn check_launch(args: &Args, object: &CodeObject, kernel: &Kernel) -> Result<(), CliError> {
    let block = dims_text(args.block);
    let items: u64 = args.block.iter().fold(1, |n, &d| n.saturating_mul(d.into()));
    let name = &kernel.name;
    let metadata = kernel.metadata.as_ref();
    if let Some(required) = metadata
        .and_then(|m| m.required_group_size)
        .filter(|r| *r != args.block)
    {
        let required = dims_text(required);
        return Err(CliError::Usage(format!(
            "--block {block}: kernel `{name}` was compiled for workgroups of {required} only; write --block {required}"
        )));
    }
    let limit = match metadata.map_or(0, |m| m.max_group_size) {
        0 => MOST_ITEMS,
        n => MOST_ITEMS.min(n.into()),
    };
    if items > limit {
        return Err(CliError::Usage(format!(
            "--block {block} has {items} work-items, kernel `{name}` takes at most {limit}; write a smaller --block, or compile it for more \
             (clang: __attribute__((amdgpu_flat_work_group_size(1, N))) with N up to {MOST_ITEMS})"
        )));
    }
    let declared = kernel.descriptor.group_segment_bytes;
    let limit = object.target.max_lds;
    if u64::from(declared) + u64::from(args.lds) > u64::from(limit) {
        return Err(CliError::Usage(format!(
            "--lds {}: with the {declared} bytes kernel `{name}` declares it is more than the {limit} bytes a workgroup has; write at most {}",
            args.lds,
            limit.saturating_sub(declared)
        )));
    }
    Ok(())
}

/// What happened to the outputs of a run that has none.
fn not_written(inputs: &[Input]) -> Option<String> {
    let outputs: Vec<&Path> = inputs.iter().filter_map(Input::output_path).collect();
    let old = outputs.iter().any(|p| p.exists());
    let names: Vec<String> = outputs.iter().map(|p| p.display().to_string()).collect();
    let (was, it) = match names.len() {
        0 => return None,
        1 => ("was", "that file"),
        _ => ("were", "what exists of them"),
    };
    let note = if old {
        format!("; {it} is from before this run")
    } else {
        String::new()
    };
    Some(format!("{} {was} not written{note}", names.join(", ")))
}

fn launch(
    device: &Device,
    file: &[u8],
    kernel: &Kernel,
    g: &Geometry,
    kernarg: &[u8],
) -> Result<(Duration, Option<t0_runtime::Error>), CliError> {
    let module = Module::load(&device.gpu, file)?;
    let loaded = module.kernel(&kernel.name)?.with_dynamic_lds(g.dynamic_lds);
    let queue = device.gpu.queue()?;
    let start = Instant::now();
    let submission = queue.dispatch(&loaded, g.groups.map(u64::from), g.group_size, kernarg)?;
    match submission.wait() {
        // A card's own clock leaves the launch overhead out; the simulator has no clock but the host's.
        Ok(()) => Ok((
            submission
                .duration()
                .filter(|_| device.sim.is_none())
                .unwrap_or(start.elapsed()),
            None,
        )),
        Err(e @ (t0_runtime::Error::Fault { .. } | t0_runtime::Error::Timeout { .. })) => {
            Ok((start.elapsed(), Some(e)))
        }
        Err(e) => Err(e.into()),
    }
}

/// The finding a launch ended with: its place in the code and the source as far as they are known, the array whose guard
/// bytes were touched, and what became of the outputs.
fn stopped(
    error: &t0_runtime::Error,
    device: &Device,
    buffers: &[Option<Guarded>],
    unwritten: Option<String>,
) -> Finding {
    let fault = device.sim.as_ref().and_then(|s| s.fault());
    let mut m = match (error, &fault) {
        (t0_runtime::Error::Timeout { message, .. }, _) => (**message).clone(),
        (_, Some(fault)) => fault.message(),
        (t0_runtime::Error::Fault { detail, .. }, None) => Message::new(Severity::Error, "fault", detail.as_str()),
        (other, None) => Message::new(Severity::Error, "fault", other.to_string()),
    };
    let va = fault.as_ref().and_then(|f| match &f.kind {
        ExecFaultKind::Memory(m) => Some(m.va),
        _ => None,
    });
    let guard = va.and_then(|va| {
        let mut all = buffers.iter().enumerate();
        all.find_map(|(index, b)| b.as_ref().filter(|b| b.guards(va)).map(|b| (index, b)))
    });
    if let Some((index, b)) = guard {
        m.rule = "out-of-bounds";
        m.text = format!(
            "argument {index} ({}): outside of its {} bytes: {}",
            b.name, b.len, m.text
        );
    }
    m.notes.extend(unwritten);
    let place = fault.as_ref().map_or_else(Place::default, |f| Place {
        pc: f.pc,
        function: f.function.as_ref().map(|f| f.0.to_string()),
        instruction: f.instruction.clone(),
        workgroup: f.workgroup,
        wave: f.wave,
        lane: f.lane,
        ..Place::default()
    });
    Finding::of(&m, place)
}

fn print(device: &Device, report: &Report, out: &mut Output) -> Result<(), CliError> {
    if out.json() {
        return out.document(report);
    }
    eprintln!("{}", device.gpu.describe());
    if report.wave_instructions == Some(0) && report.findings.is_empty() {
        eprintln!("note: the grid has no workgroup, nothing was executed");
    }
    out.line(&format!("{}: {:.6} s", report.device, report.seconds))?;
    if let Some(counts) = &report.counts {
        out.text(&counts.text())?;
    }
    if let Some(fidelity) = &report.fidelity {
        out.text(&fidelity.text())?;
    }
    for f in &report.findings {
        out.line(&f.long)?;
    }
    Ok(())
}

/// An argument with its file read.
enum Input<'a> {
    Value(Elem, &'a [u8]),
    Bytes(&'a [u8]),
    Array {
        name: &'a Path,
        array: Array,
        output: Option<&'a Path>,
        /// Its contents are undefined before the run.
        poison: bool,
    },
}

impl<'a> Input<'a> {
    fn read(spec: &'a Spec) -> Result<Input<'a>, CliError> {
        let array = |path: &Path| {
            let file = read_file(path)?;
            Array::read(&file).map_err(|source| CliError::Read {
                path: path.to_owned(),
                source,
            })
        };
        Ok(match spec {
            Spec::Value(elem, bytes) => Input::Value(*elem, bytes),
            Spec::Bytes(bytes) => Input::Bytes(bytes),
            Spec::In(path) => Input::Array {
                name: path,
                array: array(path)?,
                output: None,
                poison: false,
            },
            Spec::InOut { input, output } => Input::Array {
                name: input,
                array: array(input)?,
                output: Some(output),
                poison: false,
            },
            Spec::Out {
                path,
                elem,
                shape,
                fill,
                poison,
            } => {
                // The shape's bytes fit the address space; parsing made sure. Memory is another matter.
                let elements = shape.iter().product::<u64>() as usize;
                let size = elements * fill.len();
                let mut bytes = Vec::new();
                bytes.try_reserve_exact(size).map_err(|_| {
                    CliError::Usage(format!(
                        "{}: an array of {size} bytes does not fit this machine's memory; give a smaller shape",
                        path.display()
                    ))
                })?;
                (0..elements).for_each(|_| bytes.extend_from_slice(fill));
                let descriptor = elem.descriptor().to_owned();
                let array = Array {
                    descriptor,
                    shape: shape.clone(),
                    bytes,
                };
                Input::Array {
                    name: path,
                    array,
                    output: Some(path),
                    poison: *poison,
                }
            }
        })
    }

    fn piece(&self, buffer: Option<&Guarded>) -> Piece {
        match (self, buffer) {
            (Input::Array { array, .. }, Some(b)) => Piece::Buffer {
                address: b.buffer.va() + GUARD as u64,
                descriptor: array.descriptor.clone(),
                shape: array.shape.clone(),
            },
            (Input::Value(elem, bytes), _) => Piece::Value(*elem, bytes.to_vec()),
            (Input::Bytes(bytes), _) => Piece::Bytes(bytes.to_vec()),
            (Input::Array { .. }, None) => Piece::Value(Elem::U64, Vec::new()),
        }
    }

    fn output_path(&self) -> Option<&Path> {
        match self {
            Input::Array { output, .. } => *output,
            _ => None,
        }
    }

    fn output(&self) -> Option<(&Path, Array)> {
        match self {
            Input::Array {
                array,
                output: Some(path),
                ..
            } => Some((
                path,
                Array {
                    bytes: Vec::new(),
                    ..array.clone()
                },
            )),
            _ => None,
        }
    }
}

/// A buffer between guard bytes.
struct Guarded {
    name: String,
    buffer: Buffer<u8>,
    len: usize,
    poison: bool,
}

impl Guarded {
    /// The buffer of an argument; values have none.
    fn new(gpu: &Gpu, input: &Input) -> Result<Option<Guarded>, CliError> {
        let Input::Array {
            name, array, poison, ..
        } = input
        else {
            return Ok(None);
        };
        let len = array.bytes.len();
        let mut bytes: Vec<u8> = (0..len + 2 * GUARD).map(guard_byte).collect();
        bytes[GUARD..GUARD + len].copy_from_slice(&array.bytes);
        Ok(Some(Guarded {
            name: name.display().to_string(),
            buffer: gpu.upload(&bytes)?,
            len,
            poison: *poison,
        }))
    }

    /// Elements of an output without FILL of which no launch has written a byte, as far as a sanitizer has seen. Those written in
    /// part may be structures with padding.
    fn never_written(&self, index: usize, array: &Array, device: &Device) -> Option<Finding> {
        let elements = array.shape.iter().product::<u64>() as usize;
        let size = self.len.checked_div(elements).filter(|_| self.poison)?;
        let sim = device.sim.as_ref()?;
        let written = sim.written_bytes(self.buffer.va() + GUARD as u64, self.len as u64)?;
        let of = |e: &usize| written[e * size..][..size].iter().any(|&b| b);
        let missing: Vec<usize> = (0..elements).filter(|e| !of(e)).collect();
        let first = *missing.first()?;
        let (are, them) = if missing.len() == 1 {
            ("element was", "")
        } else {
            ("elements were", ", the first")
        };
        let text = format!(
            "argument {index} ({}): {} of {elements} {are} never written{them} at index {first}; the file has undefined bytes there",
            self.name,
            missing.len(),
        );
        let m = Message::new(Severity::Warning, "never-written", text);
        Some(Finding {
            count: Some(missing.len() as u64),
            ..Finding::of(&m, Place::default())
        })
    }

    /// Whether an address lies in the guard bytes.
    fn guards(&self, va: u64) -> bool {
        let at = va.wrapping_sub(self.buffer.va());
        let (guard, len) = (GUARD as u64, self.len as u64);
        at < guard || (at >= guard + len && at < 2 * guard + len)
    }

    fn guard_findings(&self, index: usize, contents: &[u8]) -> Option<Finding> {
        let is_guard = |i: &usize| *i < GUARD || *i >= GUARD + self.len;
        let wrong: Vec<usize> = (0..contents.len())
            .filter(is_guard)
            .filter(|&i| contents[i] != guard_byte(i))
            .collect();
        let (first, last) = (
            *wrong.first()? as i64 - GUARD as i64,
            *wrong.last()? as i64 - GUARD as i64,
        );
        let text = format!(
            "argument {index} ({}): {} bytes outside of the buffer's {} were overwritten, from offset {first} to {last}",
            self.name,
            wrong.len(),
            self.len
        );
        let m = Message::new(Severity::Error, "guard", text);
        Some(Finding::of(&m, Place::default()))
    }
}

/// Leaves kernels on the simulated card the user's bytes without the guards, by the parameters' names.
fn leave_no_guards(device: &Device, kernel: &Kernel, buffers: &[Option<Guarded>]) {
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
        let va = b.buffer.va();
        sim.narrow_memory(va, va + GUARD as u64, b.len as u64, &name);
        if b.poison {
            sim.unwritten_memory(va + GUARD as u64, b.len as u64);
        }
    }
}
