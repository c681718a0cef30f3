//! Code on the device: loading code objects, kernels compiled on first use.
//!
//! Invariants: code lies in executable video memory at a page boundary with [`GUARD`] bytes of `s_code_end` behind it,
//! because instruction fetch runs ahead of execution; code in flight is never freed (launches hold their [`Kernel`]).

use std::sync::Arc;

use t0_backend_rdna3::object::{self, CodeObject, ObjectError, MOST_ITEMS};
use t0_backend_rdna3::target::Target;
use t0_sim::driver::Executor;
use t0_sim::Numerics;

use t0_backend_rdna3::compile::Options;

use crate::compile::compile_with;
use crate::device::{lock, Device, Gpu};
use crate::dump::{Carded, Cards, Dump};
use crate::error::{Error, Result};
use crate::kernel::KernelKey;
use crate::memory::{Driver, GpuMem, Kind};
use crate::stop::Checks;
use crate::verify::verify;

/// Stack bytes of a work-item that the descriptor does not count: what LLVM assumes of an unknown callee
/// (`amdgpu-assume-external-call-stack-size`).
const DYNAMIC_STACK: u32 = 16 << 10;

/// Bytes of padding behind the code.
const GUARD: u64 = 256;
/// `s_code_end`.
const CODE_END: u32 = 0xbf9f_0000;
/// Longest argument block.
const MAX_KERNARG: u64 = 64 << 10;

/// A code object on a device.
#[derive(Clone)]
pub struct Module {
    inner: Arc<Loaded>,
}

struct Loaded {
    driver: Arc<Driver>,
    mem: GpuMem,
    object: CodeObject,
}

/// A kernel of a loaded code object.
#[derive(Clone)]
pub struct Kernel {
    module: Arc<Loaded>,
    index: usize,
    group: Option<[u32; 3]>,
    dynamic_lds: u32,
    /// Private memory besides the declared; `None`: what the descriptor lets guess.
    stack: Option<u32>,
    /// Of a kernel that reports indices out of range: its launches pass a report as a hidden last argument.
    checks: Option<Arc<Checks>>,
}

/// The executor of the simulated card, and whether it sanitizes.
pub(crate) fn simulator(options: &SimOptions) -> Result<(Arc<dyn Executor>, bool, Arc<Cards>)> {
    let numerics = match options.numerics {
        Some(n) => n,
        None => numerics_from_environment()?.unwrap_or_default(),
    };
    let sanitize = match options.sanitize {
        Some(on) => on,
        None => sanitize_from_environment()?,
    };
    let mut simulator = t0_sim::Simulator::new().with_numerics(numerics);
    let order = match options.order_seed {
        Some(seed) => seed,
        None => order_seed_from_environment()?,
    };
    simulator = simulator.with_order_seed(order);
    if let Some(n) = options.instructions {
        simulator = simulator.with_budget(n);
    }
    if let Some(n) = options.launch_instructions {
        simulator = simulator.with_launch_budget(n);
    }
    simulator = simulator.with_sanitizer(sanitize);
    let (cards, dump) = (Arc::<Cards>::default(), Dump::from_environment()?);
    if !(options.timing || dump.card) {
        return Ok((Arc::new(simulator), sanitize, cards));
    }
    let carded = Carded {
        simulator: simulator.with_timing(),
        cards: cards.clone(),
        keep: options.timing,
        dump,
    };
    Ok((Arc::new(carded), sanitize, cards))
}

/// What is wanted of a simulated card; what is not said here the environment says.
#[derive(Clone, Copy, Debug, Default)]
pub struct SimOptions {
    /// How it sums dot products; without: `T0_NUMERICS`, else fast.
    pub numerics: Option<Numerics>,
    /// Whether every access of memory is watched (bounds, races, misplaced atomics); without: `T0_SANITIZE`. A mistake
    /// found is an error of the next wait, and all are in `Gpu::findings`.
    pub sanitize: Option<bool>,
    /// In which order waves and workgroups take turns; without: `T0_ORDER_SEED`, else 0, the usual one.
    pub order_seed: Option<u64>,
    /// Instructions a wave may execute before it counts as an endless loop; without: 2²⁸.
    pub instructions: Option<u64>,
    /// The same of all waves of a launch, which get an even share each, but 2¹⁶ at least; without: no such limit.
    pub launch_instructions: Option<u64>,
    /// Whether the cycle model looks at every launch; what it says is in `Gpu::cards`.
    pub timing: bool,
}

/// Whether `T0_CHECKED` asks for checked indices in everything that is launched: `1` does; `0`, nothing or no such variable
/// does not.
///
/// # Errors
/// Another value.
pub fn checked_from_environment() -> Result<bool> {
    switch("T0_CHECKED")
}

/// Whether `T0_SANITIZE` asks for the sanitizer of the simulated card: `1` does; `0`, nothing or no such variable does
/// not.
///
/// # Errors
/// Another value.
pub fn sanitize_from_environment() -> Result<bool> {
    switch("T0_SANITIZE")
}

/// In which order the simulated card runs waves and workgroups according to `T0_ORDER_SEED`, a whole number; 0, the usual
/// one, when it is not set.
///
/// # Errors
/// Another value.
pub fn order_seed_from_environment() -> Result<u64> {
    match std::env::var_os("T0_ORDER_SEED") {
        None => Ok(0),
        Some(v) if v.is_empty() => Ok(0),
        Some(v) => {
            let value = v.to_string_lossy().into_owned();
            value.parse().map_err(|_| Error::OrderSeed { value })
        }
    }
}

/// A variable of the environment that is 1, 0, empty or not there.
fn switch(variable: &'static str) -> Result<bool> {
    match std::env::var_os(variable).as_deref().map(|v| v.to_string_lossy()) {
        None => Ok(false),
        Some(v) => match &*v {
            "" | "0" => Ok(false),
            "1" => Ok(true),
            other => Err(Error::Switch {
                variable,
                value: other.into(),
            }),
        },
    }
}

/// How the simulated card sums dot products according to `T0_NUMERICS`: `fast` or `silicon`, `None` when it is not set.
pub fn numerics_from_environment() -> Result<Option<Numerics>> {
    match std::env::var_os("T0_NUMERICS") {
        None => Ok(None),
        Some(v) if v.is_empty() => Ok(None),
        Some(v) => {
            let mode = v.to_string_lossy().parse();
            mode.map(Some).map_err(|why| Error::Numerics { why })
        }
    }
}

/// The kernel of a launch, compiled and loaded on first use.
pub(crate) fn kernel_for(gpu: &Gpu, key: &KernelKey) -> Result<Kernel> {
    if let Some(k) = lock(&gpu.device.kernels).get(key) {
        return Ok(k.clone());
    }
    let name = gpu.target();
    let target = Target::from_name(&name).ok_or(Error::NoCompiler { device: name })?;
    let dump = Dump::from_environment()?;
    let options = Options {
        keep_text: dump.ir,
        ..Options::default()
    };
    let compiled = compile_with(key, &target, &options)?;
    verify(&key.entry.display(&key.consts), &compiled)?;
    dump.kernel(&compiled, gpu.is_simulated())?;
    let module = Module::load(gpu, &compiled.code_object)?;
    let mut kernel = module
        .kernel(&compiled.name)?
        .with_group([compiled.resources.group, 1, 1]);
    if !compiled.sites.is_empty() {
        kernel.checks = Some(Arc::new(Checks {
            sites: compiled.sites,
            files: compiled.files,
        }));
    }
    // Two threads may have compiled it: the first one to get here wins, so that code is loaded once.
    Ok(lock(&gpu.device.kernels).entry(key.clone()).or_insert(kernel).clone())
}

impl Module {
    /// Loads a code object (an ELF file for this device's chip).
    ///
    /// Faults name the code by its kernel if there is only one.
    pub fn load(gpu: &Gpu, code_object: &[u8]) -> Result<Module> {
        let object = CodeObject::parse(code_object)?;
        let device = gpu.target();
        if object.target.name != device {
            return Err(Error::Target {
                object: object.target.name.to_string(),
                device,
            });
        }
        let driver = gpu.device.driver.clone();
        let size = object.memory_bytes() + GUARD;
        let name = match &object.kernels[..] {
            [k] => k.name.as_str(),
            _ => "kernel code",
        };
        let mem = gpu.device.alloc(size, Kind::Code, name)?;
        let mut image = object.image(mem.va());
        image.resize(image.len().next_multiple_of(4), 0);
        while (image.len() as u64) < mem.len() {
            image.extend(CODE_END.to_le_bytes());
        }
        image.truncate(mem.len() as usize);
        mem.write(0, &image);
        driver.kfd.name_code(mem.va(), code_object);
        Ok(Module {
            inner: Arc::new(Loaded { driver, mem, object }),
        })
    }

    /// The kernel of this name.
    pub fn kernel(&self, name: &str) -> Result<Kernel> {
        let kernels = &self.inner.object.kernels;
        let index = kernels
            .iter()
            .position(|k| k.name == name)
            .ok_or_else(|| ObjectError::NoKernel {
                name: name.into(),
                have: kernels.iter().map(|k| k.name.clone()).collect(),
            })?;
        Ok(Kernel {
            module: self.inner.clone(),
            index,
            group: None,
            dynamic_lds: 0,
            stack: None,
            checks: None,
        })
    }

    /// Names of all kernels.
    pub fn kernels(&self) -> Vec<&str> {
        self.inner.object.kernels.iter().map(|k| k.name.as_str()).collect()
    }
}

impl Kernel {
    fn info(&self) -> &object::Kernel {
        &self.module.object.kernels[self.index]
    }

    /// Name.
    pub fn name(&self) -> &str {
        &self.info().name
    }

    /// What the code object says about arguments and sizes, if it does.
    pub fn metadata(&self) -> Option<&object::KernelMetadata> {
        self.info().metadata.as_ref()
    }

    /// GPU address of the descriptor.
    pub fn descriptor_va(&self) -> u64 {
        self.module.mem.va() + self.info().descriptor_vaddr
    }

    pub(crate) fn checks(&self) -> Option<&Arc<Checks>> {
        self.checks.as_ref()
    }

    /// LDS bytes of a workgroup, dynamic ones included.
    pub fn lds_bytes(&self) -> u32 {
        self.info()
            .descriptor
            .group_segment_bytes
            .saturating_add(self.dynamic_lds)
    }

    /// Scratch bytes of a work-item. A kernel whose stack the compiler could not measure (recursion, calls through
    /// pointers, arrays of run-time size) gets `DYNAMIC_STACK` bytes on top of what its descriptor counts, or those of
    /// [`Kernel::with_stack`].
    pub fn scratch_bytes(&self) -> u32 {
        let d = &self.info().descriptor;
        let more = if d.dynamic_stack() { DYNAMIC_STACK } else { 0 };
        d.private_segment_bytes.saturating_add(self.stack.unwrap_or(more))
    }

    /// Bytes of the argument block; 0 if the code object does not say.
    pub fn kernarg_bytes(&self) -> u64 {
        let said = self.info().descriptor.kernarg_bytes;
        self.metadata().map_or(said, |m| m.kernarg_bytes.max(said)).into()
    }

    /// Lanes of a wave.
    pub fn wave_size(&self) -> u32 {
        self.info().descriptor.wave_size()
    }

    /// The same kernel for workgroups of this shape.
    pub fn with_group(mut self, group: [u32; 3]) -> Kernel {
        self.group = Some(group);
        self
    }

    /// The same kernel with so many bytes of LDS behind those it declares.
    pub fn with_dynamic_lds(mut self, bytes: u32) -> Kernel {
        self.dynamic_lds = bytes;
        self
    }

    /// The same kernel with so many bytes of private memory for each work-item behind those it declares. Compilers do not
    /// always say that they could not measure the stack: clang 19 leaves functions that call themselves out.
    pub fn with_stack(mut self, bytes: u32) -> Kernel {
        self.stack = Some(bytes);
        self
    }

    /// Work-items of a workgroup: as set, or as the kernel was compiled for.
    pub fn group_size(&self) -> Result<[u32; 3]> {
        let required = || self.metadata().and_then(|m| m.required_group_size);
        self.group.or_else(required).ok_or_else(|| Error::Group {
            kernel: self.name().into(),
            what: "does not say which workgroup it was compiled for".into(),
        })
    }

    /// Bytes of arguments that must be given: up to the end of the last one that is not hidden.
    fn explicit_kernarg_bytes(&self) -> u64 {
        let args = self.metadata().map_or(&[][..], |m| &m.args);
        args.iter()
            .filter(|a| !a.kind.is_hidden())
            .map(|a| u64::from(a.offset) + u64::from(a.size))
            .max()
            .unwrap_or(0)
    }

    /// Checks device, workgroup and argument size of a launch.
    pub(crate) fn check_launch(&self, device: &Device, group: [u32; 3], kernarg: u64) -> Result<()> {
        let kernel = || self.name().to_string();
        if !Arc::ptr_eq(&self.module.driver, &device.driver) {
            return Err(Error::OtherDevice {
                kernel: kernel(),
                name: "the kernel's code".into(),
            });
        }
        let items: u64 = group.iter().map(|&g| u64::from(g)).product();
        let wrong = |what| Err(Error::Group { kernel: kernel(), what });
        if let Some((what, fix)) = self.metadata().and_then(|m| m.impossible_group()) {
            return wrong(format!("asks in its metadata for {what}; give it {fix}"));
        }
        let limit = self.metadata().and_then(|m| m.max_group_size);
        let limit = u64::from(limit.unwrap_or(MOST_ITEMS));
        if items == 0 || items > limit {
            return wrong(format!(
                "cannot have workgroups of {items} work-items, the limit is {limit}"
            ));
        }
        if let Some(required) = self.metadata().and_then(|m| m.required_group_size) {
            if required != group {
                return wrong(format!("was compiled for workgroups of {required:?}, not {group:?}"));
            }
        }
        let (min, max) = match self.kernarg_bytes() {
            0 => (0, MAX_KERNARG),
            max => (self.explicit_kernarg_bytes(), max.min(MAX_KERNARG)),
        };
        if kernarg < min || kernarg > max {
            let want = if kernarg < min { min } else { max };
            return Err(Error::Kernarg {
                kernel: kernel(),
                want,
                got: kernarg,
            });
        }
        Ok(())
    }
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Kernel({})", self.name())
    }
}
