//! From IR to a code object: the list of machine passes, timing, what can go wrong.

use crate::fit::{self, fit, vgprs_available, Fit};
use crate::mir::{Class, MFunc};
use crate::object::{self, DescriptorError, FloatMode, KernelCode, ObjectError, Resources};
use crate::passes::allocate::OutOfRegisters;
use crate::passes::check_allocation::check_allocation;
use crate::passes::phys::{expand, PFunc};
use crate::passes::{combine, encode, fix_hazards, forward_copies, insert_waits, legalize, remove_dead};
use crate::select::check::has_checks;
use crate::select::{select, Entry};
use crate::target::Target;
use std::time::{Duration, Instant};
use t0_ir::analysis::uniform::{Uniform, Uniformity};
use t0_ir::passes::PassOptions;
use t0_ir::{abi, Diag, Diags, Func, LdsAlloc, LdsId, OpKind, Scalar, Site, Span};

/// Switches of [`compile`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Keep the IR after its passes and the machine code after selection and at the end, as text.
    pub keep_text: bool,
    /// Check the register assignment; always done in builds with debug assertions.
    pub check: bool,
    /// Leave the code as it was written as far as possible: only the passes without which there is no code.
    pub plain: bool,
    /// Fewer vector registers than the card has, for tests of spilling.
    pub max_vgprs: Option<u32>,
    /// Fewer scalar registers than the card has, for tests of spilling.
    pub max_sgprs: Option<u32>,
}

/// What a pass took.
#[derive(Clone, Copy, Debug)]
pub struct PassTime {
    /// The pass.
    pub name: &'static str,
    /// Wall-clock time.
    pub time: Duration,
}

/// What a kernel uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Usage {
    /// VGPRs of a wave.
    pub vgprs: u32,
    /// SGPRs of a wave, VCC not counted.
    pub sgprs: u32,
    /// LDS bytes of a workgroup.
    pub lds_bytes: u32,
    /// Scratch bytes of a work-item.
    pub scratch_bytes: u32,
    /// Bytes of the kernel arguments.
    pub kernarg_bytes: u32,
    /// Work-items of a workgroup.
    pub group: u32,
}

/// A compiled kernel.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The code object (ELF) with this one kernel.
    pub code_object: Vec<u8>,
    /// The kernel's name.
    pub name: String,
    /// What it uses.
    pub resources: Usage,
    /// Time per pass, IR passes first.
    pub timings: Vec<PassTime>,
    /// The IR instructions were selected from, when asked for.
    pub ir_text: Option<String>,
    /// Machine code after selection and after the last pass, when asked for.
    pub mir_text: Option<[String; 2]>,
    /// Places where indices are checked, which the kernel's reports name by number (see `t0_ir::check`).
    pub sites: Vec<Site>,
    /// Source files that the places name.
    pub files: Vec<String>,
    /// What is slow about the code and could be otherwise: registers that were not enough.
    pub warnings: Diags,
}

/// Why a kernel could not be compiled.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CompileError {
    /// The kernel is wrong.
    #[error("{0}")]
    Diag(Diags),
    /// Something that has no code yet.
    #[error("kernel `{kernel}`{place}: there is no code for {what}")]
    Unsupported {
        /// The kernel.
        kernel: String,
        /// Where, as ` at file:line:column`, or empty.
        place: String,
        /// The same as a place in [`Func::files`].
        span: Span,
        /// What.
        what: String,
    },
    /// More registers than there are.
    #[error(
        "kernel `{kernel}` needs {needed} {what}{place}, the limit is {limit}; make the tile or the group smaller, or unroll less"
    )]
    Registers {
        /// The kernel.
        kernel: String,
        /// VGPRs or SGPRs.
        what: &'static str,
        /// How many, where most are needed.
        needed: u32,
        /// How many there are.
        limit: u32,
        /// Where most are needed, as ` at file:line:column`, or empty.
        place: String,
        /// The same as a place in [`Func::files`].
        span: Span,
    },
    /// The code could not be encoded.
    #[error("kernel `{kernel}`: {source}")]
    Encode {
        /// The kernel.
        kernel: String,
        /// What is wrong.
        source: encode::Error,
    },
    /// Resources beyond the hardware's.
    #[error("kernel `{kernel}`: {source}")]
    Descriptor {
        /// The kernel.
        kernel: String,
        /// What is wrong.
        source: DescriptorError,
    },
    /// The code object could not be written.
    #[error(transparent)]
    Object(#[from] ObjectError),
}

/// ` at file:line:column`, or nothing when the place is unknown.
fn place(f: &Func, span: Span) -> String {
    match f.files.get(span.file as usize) {
        Some(file) if span.line > 0 => format!(" at {file}:{}:{}", span.line, span.column),
        _ => String::new(),
    }
}

impl CompileError {
    pub(crate) fn unsupported(f: &Func, span: Span, what: String) -> CompileError {
        CompileError::Unsupported {
            kernel: f.name.clone(),
            place: place(f, span),
            span,
            what,
        }
    }

    /// The error as findings with place and way out, to be rendered with the [`Func::files`] of the kernel.
    pub fn to_diags(&self) -> Diags {
        const BUG: &str = "this is a fault of t0, not of the kernel: please report it with the kernel's source";
        let diag = match self {
            CompileError::Diag(d) => return d.clone(),
            CompileError::Unsupported { span, what, .. } => {
                Diag::new(*span, format!("there is no code for {what} yet"))
                    .help("compute the value with other operations or another type")
            }
            CompileError::Registers {
                what,
                needed,
                limit,
                span,
                ..
            } => {
                let message = format!("the kernel needs {needed} {what} here, the limit is {limit}");
                Diag::new(*span, message).help("make the tile smaller or unroll less")
            }
            CompileError::Descriptor { source, .. } => Diag::new(Span::default(), source.to_string()),
            CompileError::Encode { source, .. } => Diag::new(Span::default(), source.to_string()).help(BUG),
            CompileError::Object(source) => Diag::new(Span::default(), source.to_string()).help(BUG),
        };
        diag.into()
    }
}

/// Runs passes and notes their times.
pub(crate) struct Clock(Vec<PassTime>);

impl Clock {
    pub(crate) fn time<T>(&mut self, name: &'static str, pass: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let out = pass();
        self.0.push(PassTime {
            name,
            time: start.elapsed(),
        });
        out
    }
}

/// Compiles a kernel, always for waves of 32 lanes.
///
/// Errors: see [`CompileError`].
///
/// # Panics
/// If a pass breaks an invariant: a bug, named in the message.
pub fn compile(func: &Func, target: &Target, options: &Options) -> Result<Compiled, CompileError> {
    let target = &target.with_wave_size(crate::passes::WAVE_SIZE);
    let mut func = func.clone();
    let passes = PassOptions {
        plain: options.plain,
        ..PassOptions::default()
    };
    let report = t0_ir::passes::optimize(&mut func, &passes).map_err(CompileError::Diag)?;
    let mut clock = Clock(
        report
            .passes
            .iter()
            .map(|p| PassTime {
                name: p.name,
                time: p.time,
            })
            .collect(),
    );
    let ir_text = options.keep_text.then(|| t0_ir::text::print(&func));

    let mut resources = resources(&func);
    let descriptor = |source| CompileError::Descriptor {
        kernel: func.name.clone(),
        source,
    };
    let sgprs = object::initial_sgprs(&resources, target).map_err(descriptor)?;
    let mut m = clock.time("select", || {
        let uniform = Uniform::of(&func);
        let known = (0..func.values.len() as u32)
            .map(|v| uniform.value(t0_ir::Value(v)) <= Uniformity::Wave)
            .collect();
        select(&func, known, &Entry { sgprs })
    })?;
    let selected = options.keep_text.then(|| m.to_string());
    let made = machine_passes(&func, &mut m, target, options, &mut clock)?;
    let code = made.code;
    let [scalars, vectors] = made.registers;
    resources.vgprs = vectors;
    // SGPRs that the launch fills count even if nothing reads them.
    resources.sgprs = scalars.max(sgprs.count).min(target.max_sgprs);
    resources.scratch_bytes = made.scratch_bytes;
    let bytes = clock.time("encode", || encode::encode(&code, target, &func.files));
    let bytes = bytes.map_err(|source| CompileError::Encode {
        kernel: func.name.clone(),
        source,
    })?;

    let usage = Usage {
        vgprs: resources.vgprs,
        sgprs: resources.sgprs,
        lds_bytes: resources.lds_bytes,
        scratch_bytes: resources.scratch_bytes,
        kernarg_bytes: resources.kernarg_bytes,
        group: func.group,
    };
    let piece = |(file, extent): &(u32, t0_ir::source::Extent)| {
        let file = func.files.get(*file as usize)?.as_str().into();
        Some(object::Piece { file, extent: *extent })
    };
    let sources = func.sources.iter().filter_map(piece).collect();
    let kernel = KernelCode {
        name: func.name.clone(),
        code: bytes.bytes,
        resources,
        args: object::args_of(&func.params).0,
        lds: lds_variables(&func),
        max_group_size: func.group,
        required_group_size: Some([func.group, 1, 1]),
        spills: made.spills,
        lines: bytes.lines,
        atomics: bytes.atomics,
        sources,
    };
    let code_object = clock.time("object", || object::write(target, &[kernel]))?;
    Ok(Compiled {
        code_object,
        name: func.name.clone(),
        resources: usage,
        timings: clock.0,
        ir_text,
        mir_text: selected.map(|s| [s, code.to_string()]),
        sites: func.sites.clone(),
        files: func.files.clone(),
        warnings: made.warnings,
    })
}

/// Where the arrays in LDS are, for reports.
fn lds_variables(func: &Func) -> Vec<object::LdsVariable> {
    let variable = |(i, a): (usize, &LdsAlloc)| object::LdsVariable {
        name: a.name.clone(),
        offset: func.lds_offset(LdsId(i as u32)),
        size: a.bytes,
        element: a.elem.map_or(0, Scalar::bytes),
    };
    func.lds.iter().enumerate().map(variable).collect()
}

/// What the descriptor says, registers still open.
fn resources(func: &Func) -> Resources {
    let reports = has_checks(func);
    let uses = |axis: u32| reports || func.ops.iter().any(|o| o.kind == OpKind::GroupId { axis });
    Resources {
        lds_bytes: func.lds_bytes(),
        kernarg_bytes: abi::kernarg_bytes(func),
        workgroup_ids: [true, uses(1), uses(2)],
        dispatch_ptr: func.ops.iter().any(|o| matches!(o.kind, OpKind::GroupCount { .. })),
        // With IEEE_MODE off, min and max return the other operand for any NaN, as the IR has it.
        float_mode: FloatMode {
            ieee_mode: false,
            ..FloatMode::default()
        },
        ..Resources::default()
    }
}

/// What [`machine_passes`] makes. Registers and spilled dwords: SGPRs, VGPRs.
struct Made {
    code: PFunc,
    registers: [u32; 2],
    spills: [u32; 2],
    scratch_bytes: u32,
    warnings: Diags,
}

/// Everything between selection and encoding.
fn machine_passes(
    func: &Func,
    m: &mut MFunc,
    target: &Target,
    options: &Options,
    clock: &mut Clock,
) -> Result<Made, CompileError> {
    if !options.plain {
        clock.time("remove_dead", || remove_dead::remove_dead(m));
        clock.time("forward_copies", || forward_copies::forward_copies(m));
        clock.time("combine", || combine::combine(m));
    }
    clock.time("legalize", || legalize::legalize(m));
    let available = Target {
        max_vgprs: vgprs_available(func.group, target).min(options.max_vgprs.unwrap_or(u32::MAX)),
        max_sgprs: target.max_sgprs.min(options.max_sgprs.unwrap_or(u32::MAX)),
        ..*target
    };
    let Fit { assignment, spilled } =
        fit(func, m, &available, options, clock).map_err(|e| out_of_registers(func, m, e))?;
    if options.check || cfg!(debug_assertions) {
        let wrong = clock.time("check_allocation", || check_allocation(m, &assignment));
        if let Some(w) = wrong.first() {
            panic!(
                "allocate: in `{}`, {} at bb{}:{} does not find {} in {:?}",
                func.name, w.inst, w.at.0, w.at.1, w.expected, w.found_in
            );
        }
    }
    let mut code = clock.time("expand_copies", || expand(m, &assignment));
    clock.time("insert_waits", || insert_waits::insert_waits(&mut code));
    clock.time("fix_hazards", || fix_hazards::fix_hazards(&mut code, target));
    let mut made = Made {
        code,
        registers: [assignment.sgprs, assignment.vgprs],
        spills: [0; 2],
        scratch_bytes: 0,
        warnings: Diags::default(),
    };
    if let Some(s) = spilled {
        made.spills = [Class::S, Class::V].map(|class| fit::dwords(&s, class));
        made.scratch_bytes = s.scratch_bytes;
        made.warnings = Diags(fit::warnings(m, &s, &available));
    }
    Ok(made)
}

fn out_of_registers(func: &Func, m: &MFunc, e: OutOfRegisters) -> CompileError {
    let mut insts = m.blocks.iter().flat_map(|b| &b.insts);
    let span = insts.nth(e.at as usize).map(|i| i.span).unwrap_or_default();
    CompileError::Registers {
        kernel: func.name.clone(),
        what: match e.class {
            Class::S => "SGPRs",
            Class::V => "VGPRs",
        },
        needed: e.needed,
        limit: e.limit,
        place: place(func, span),
        span,
    }
}
