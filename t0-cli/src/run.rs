//! `t0 run`: launches a kernel of a code object on a card or the simulated one.

use crate::arrays::{fits_memory, leave_no_guards, Guarded, Input};
use crate::device::{check_target, Device, DeviceKind, Options, Timing};
use crate::error::{read_file, whole_path, CliError};
use crate::kernarg::{pack, Geometry, Piece};
use crate::output::{Outcome, Output};
use crate::profile::{Counts, Fidelity};
use crate::spec::{parse_block, parse_bytes, parse_dims, Spec};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use t0_backend_rdna3::listing::Listing;
use t0_backend_rdna3::object::{CodeObject, Kernel, MOST_ITEMS};
use t0_backend_rdna3::occupancy::{room, Usage};
use t0_backend_rdna3::target::Target;
use t0_runtime::Module;
use t0_sim::card::Modelled;
use t0_sim::driver::{ExecFaultKind, Message, Severity, Site, Source};
use t0_sim::timing::Costs;
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
    /// Bytes of private memory of a work-item besides what the kernel declares: for functions that call themselves or
    /// are called through pointers, whose depth no compiler knows; without: 16384 where the kernel says that it is so
    #[arg(long, value_parser = parse_bytes, allow_hyphen_values = true)]
    stack: Option<u32>,
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
    /// Say how long the launch takes on the card by the cycle model, and what its waves wait for (the simulated card only)
    #[arg(long)]
    timing: bool,
}

const ARG_HELP: &str = "An argument, in order: a value, TYPE:NUMBER (u32:7 f32:0.5) or hex:00ff; an array, in:X.npy, \
    out:Y.npy:TYPE:64x64[:FILL] or inout:X.npy:Y.npy (names without a colon). TYPE is i8 to i64, u8 to u64, f16, bf16, \
    f32 or f64; FILL is a number, nan or poison";

/// Bytes of arguments the runtime passes at most.
const MOST_ARGUMENTS: u32 = 64 << 10;

const STACK_HELP: &str =
    "where functions call themselves or are called through pointers, the compiler does not know their \
    stack: --stack BYTES gives each work-item more";

/// Something wrong that the run brought to light.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Finding {
    pub rule: &'static str,
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
    pub count: Option<u64>,
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
    pub fn of(m: &Message, place: Place) -> Finding {
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
pub(crate) struct Place {
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
    timing: Option<Modelled>,
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
    check_target(target, &object.target, &args.file)?;
    check_launch(&object, kernel, args.block, args.lds)?;
    check_outputs(args)?;
    let mut inputs: Vec<Input> = args.args.iter().map(Input::read).collect::<Result<_, _>>()?;
    let device = Device::open(
        args.device,
        &Options {
            numerics: args.numerics,
            profile: args.count || args.fidelity,
            sanitize: args.sanitize,
            timing: if args.timing { Timing::Whole } else { Timing::Off },
            threads: None,
            target: Some(object.target),
        },
    )?;
    if device.sim.is_some() {
        fits_memory(&inputs)?;
    }
    let buffers = inputs
        .iter_mut()
        .map(|i| Guarded::new(&device.gpu, i))
        .collect::<Result<Vec<_>, _>>()?;
    let pieces: Vec<Piece> = inputs.iter().zip(&buffers).map(|(i, b)| i.piece(b.as_ref())).collect();
    let geometry = Geometry {
        groups: args.grid,
        group_size: args.block,
        static_lds: kernel.descriptor.group_segment_bytes,
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
    let launched = launch(&device, &bytes, kernel, args.stack, &geometry, &kernarg);
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
            findings.extend(buffer.guard_findings(index)?);
            if let Some(path) = input.output_path() {
                never_written.extend(buffer.never_written(index, &device));
                buffer.write(path)?;
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
    let modelled = device.recording().filter(|_| !faulted).map(|r| {
        let listing = Listing::new(&object, kernel).with_source(t0_runtime::read_source);
        Modelled::new(&listing, &r, &r.time(&Costs::default(), false))
    });
    let asked = |on: bool| profile.as_ref().filter(|_| on);
    let report = Report {
        device: device.name().to_owned(),
        wave_instructions: profile
            .as_ref()
            .map(Profile::instructions)
            .or(stats.as_ref().filter(|_| !faulted).map(|s| s.instructions)),
        seconds: duration.as_secs_f64(),
        cycles: modelled.as_ref().map(|m| m.cycles),
        timing: modelled,
        numerics: device.sim.as_ref().map(|s| s.numerics().name()),
        counts: asked(args.count).map(Counts::of),
        fidelity: asked(args.fidelity).map(Fidelity::of),
        findings,
    };
    print(&device, &report, out)?;
    // A warning is printed, but fails nothing, as in `t0 check`.
    Ok(Outcome::finding(report.findings.iter().any(|f| f.severity == "error")))
}

pub(crate) fn only_kernel<'a>(object: &'a CodeObject, path: &Path) -> Result<&'a Kernel, CliError> {
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

/// Counts as one writes them: `64`, `8,4`.
fn dims_text(dims: [u32; 3]) -> String {
    let used = (1..3).rev().find(|&d| dims[d] != 1).map_or(1, |d| d + 1);
    dims[..used].iter().map(u32::to_string).collect::<Vec<_>>().join(",")
}

/// No two arguments write the same file, one result would be lost; and none writes what another one, or the run, reads, but
/// for `inout:` with the same name twice.
fn check_outputs(args: &Args) -> Result<(), CliError> {
    let mut written: Vec<PathBuf> = Vec::new();
    for (index, spec) in args.args.iter().enumerate() {
        let Some(path) = spec.output_path() else { continue };
        let file = whole_path(path);
        let others = args.args.iter().enumerate().filter(|(i, _)| *i != index);
        let mut read = others.filter_map(|(_, s)| s.input_path()).chain([&*args.file]);
        let text = if written.contains(&file) {
            "two arguments write"
        } else if read.any(|p| whole_path(p) == file) {
            "an argument would overwrite a file that is read:"
        } else {
            written.push(file);
            continue;
        };
        let text = format!("{text} {}; give each its own file", path.display());
        return Err(CliError::Usage(text));
    }
    Ok(())
}

/// Workgroup and LDS are what the kernel and the chip can have.
pub(crate) fn check_launch(
    object: &CodeObject,
    kernel: &Kernel,
    block_size: [u32; 3],
    dynamic_lds: u32,
) -> Result<(), CliError> {
    let block = dims_text(block_size);
    let items: u64 = block_size.iter().fold(1, |n, &d| n.saturating_mul(d.into()));
    let name = &kernel.name;
    let metadata = kernel.metadata.as_ref();
    if let Some((what, fix)) = metadata.and_then(|m| m.impossible_group()) {
        return Err(CliError::Usage(format!(
            "the metadata of kernel `{name}` asks for {what}, so no launch is right; give it {fix}"
        )));
    }
    if let Some(required) = metadata
        .and_then(|m| m.required_group_size)
        .filter(|r| *r != block_size)
    {
        let required = dims_text(required);
        return Err(CliError::Usage(format!(
            "--block {block}: kernel `{name}` was compiled for workgroups of {required} only; write --block {required}"
        )));
    }
    let limit = u64::from(metadata.and_then(|m| m.max_group_size).unwrap_or(MOST_ITEMS));
    if items > limit {
        return Err(CliError::Usage(format!(
            "--block {block} has {items} work-items, kernel `{name}` takes at most {limit}; write a smaller --block, or compile it for more \
             (clang: __attribute__((amdgpu_flat_work_group_size(1, N))) with N up to {MOST_ITEMS})"
        )));
    }
    let arguments = kernel.descriptor.kernarg_bytes;
    if arguments > MOST_ARGUMENTS {
        return Err(CliError::Usage(format!(
            "kernel `{name}` declares {arguments} bytes of arguments, a launch takes at most {MOST_ARGUMENTS}; look at its .amdhsa_kernarg_size"
        )));
    }
    let declared = kernel.descriptor.group_segment_bytes;
    let limit = object.target.max_lds;
    if declared > limit {
        return Err(CliError::Usage(format!(
            "kernel `{name}` declares {declared} bytes of LDS, a workgroup has {limit} at most: it cannot be launched"
        )));
    }
    if u64::from(declared) + u64::from(dynamic_lds) > u64::from(limit) {
        return Err(CliError::Usage(format!(
            "--lds {}: with the {declared} bytes kernel `{name}` declares it is more than the {limit} bytes a workgroup has; write at most {}",
            dynamic_lds,
            limit.saturating_sub(declared)
        )));
    }
    let usage = Usage {
        vgprs: kernel.descriptor.vgprs(),
        lds_bytes: declared + dynamic_lds,
        group_size: items as u32,
        wave_size: kernel.descriptor.wave_size(),
        wgp_mode: kernel.descriptor.wgp_mode(),
    };
    room(&object.target, &usage).map_err(|e| {
        CliError::Usage(format!(
            "--block {block}: {e}; kernel `{name}` would never start and hang its queue"
        ))
    })
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

pub(crate) fn launch(
    device: &Device,
    file: &[u8],
    kernel: &Kernel,
    stack: Option<u32>,
    g: &Geometry,
    kernarg: &[u8],
) -> Result<(Duration, Option<t0_runtime::Error>), CliError> {
    let module = Module::load(&device.gpu, file)?;
    let mut loaded = module.kernel(&kernel.name)?.with_dynamic_lds(g.dynamic_lds);
    if let Some(bytes) = stack {
        loaded = loaded.with_stack(bytes);
    }
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
    if m.rule == "scratch-out-of-bounds" && m.help.is_none() {
        m.help = Some(STACK_HELP.to_owned());
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
    if let Some(timing) = &report.timing {
        out.text(&timing.to_string())?;
    }
    for f in &report.findings {
        out.line(&f.long)?;
    }
    Ok(())
}
