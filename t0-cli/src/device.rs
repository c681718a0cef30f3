//! The device a command uses, with a way to ask the simulated one for more than a card tells.

use crate::error::CliError;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use t0_backend_rdna3::target::{Target, GFX1100};
use t0_kfd::{Kfd, RealKfd};
use t0_runtime::{numerics_from_environment, order_seed_from_environment, sanitize_from_environment, Gpu};
use t0_sim::driver::{node_of, Dispatch, DispatchStats, ExecFault, Executor, SimKfd, Vm};
use t0_sim::timing::Recording;
use t0_sim::{Numerics, Profile, Simulator};

/// Where to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum DeviceKind {
    /// The simulated card.
    Sim,
    /// A real card through KFD.
    Kfd,
}

impl DeviceKind {
    /// What `T0_DEVICE` says; `None`: the card if there is one.
    ///
    /// Errors: it says something else.
    pub fn from_environment() -> Result<Option<DeviceKind>, CliError> {
        let choice = std::env::var_os("T0_DEVICE").unwrap_or_default();
        match choice.to_string_lossy() {
            c if c.is_empty() || c == "auto" => Ok(None),
            c if c == "kfd" => Ok(Some(DeviceKind::Kfd)),
            c if c == "sim" => Ok(Some(DeviceKind::Sim)),
            c => Err(t0_runtime::Error::DeviceChoice { value: c.into_owned() }.into()),
        }
    }
}

/// What the simulated card keeps for the cycle model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Timing {
    /// Nothing.
    #[default]
    Off,
    /// What it needs of launches that run whole.
    Whole,
    /// Launches run only as far as it needs them, and compute nothing useful.
    Sampled,
}

/// What is wanted of the simulated card.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// How it sums dot products; without: `T0_NUMERICS`, else fast.
    pub numerics: Option<Numerics>,
    /// Whether it counts what every launch executes.
    pub profile: bool,
    /// Whether it watches every access of memory; also with `T0_SANITIZE=1`.
    pub sanitize: bool,
    /// What it keeps for the cycle model.
    pub timing: Timing,
    /// Host threads; without: all.
    pub threads: Option<usize>,
    /// The chip it is; without: gfx1100.
    pub target: Option<Target>,
}

/// An open device.
pub struct Device {
    /// The device.
    pub gpu: Gpu,
    /// What is behind it when it is simulated.
    pub sim: Option<Sim>,
}

/// The simulated card's inside.
pub struct Sim {
    kfd: Arc<SimKfd>,
    recorder: Arc<Recorder>,
}

/// The simulator's executor that remembers why it stopped.
struct Recorder {
    simulator: Simulator,
    fault: Mutex<Option<ExecFault>>,
}

impl Executor for Recorder {
    fn dispatch(&self, d: &Dispatch, vm: &Vm) -> Result<DispatchStats, ExecFault> {
        self.simulator.dispatch(d, vm).inspect_err(|fault| {
            *self.fault.lock().unwrap_or_else(PoisonError::into_inner) = Some(fault.clone());
        })
    }
}

impl Sim {
    /// Why the last launch stopped, if it faulted.
    pub fn fault(&self) -> Option<ExecFault> {
        self.recorder
            .fault
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// How it sums dot products.
    pub fn numerics(&self) -> Numerics {
        self.recorder.simulator.numerics()
    }

    /// Which of the `bytes` from `va` on somebody has written; `None` without the sanitizer, as nobody keeps count then.
    pub fn written_bytes(&self, va: u64, bytes: u64) -> Option<Vec<bool>> {
        let kfd: &dyn Kfd = &*self.kfd;
        self.recorder
            .simulator
            .sanitizes()
            .then(|| kfd.written_bytes(va, bytes))
    }

    /// The `bytes` from `va` on count as written.
    pub fn written_memory(&self, va: u64, bytes: u64) {
        let kfd: &dyn Kfd = &*self.kfd;
        kfd.memory_written(va, bytes);
    }

    /// The `bytes` from `va` on count as written by nobody.
    pub fn unwritten_memory(&self, va: u64, bytes: u64) {
        self.kfd.unwritten_memory(va, bytes);
    }

    /// Leaves kernels only the `bytes` from `va` on of the buffer at `home`, and calls them so in messages.
    pub fn narrow_memory(&self, home: u64, va: u64, bytes: u64, name: &str) {
        self.kfd.narrow_memory(home, va, bytes, name);
    }
}

impl Device {
    /// Opens the device that was asked for; without: what `T0_DEVICE` says, else the card if there is one.
    ///
    /// Errors: no such device, an unknown choice, options of the simulated card for a real one.
    pub fn open(kind: Option<DeviceKind>, options: &Options) -> Result<Device, CliError> {
        let real = |why| {
            if options.profile || options.sanitize || options.timing != Timing::Off || options.numerics.is_some() {
                let text = "--count, --fidelity, --numerics, --sanitize and --timing are the simulated card's; add --device sim";
                return Err(CliError::Usage(text.to_owned()));
            }
            let kfd = RealKfd::open().map_err(t0_runtime::Error::from)?;
            Ok(Device {
                gpu: Gpu::with_driver(Arc::new(kfd), why)?,
                sim: None,
            })
        };
        // What the command line says makes the environment's word moot, a mistyped one, too.
        let environment = match kind {
            Some(_) => None,
            None => DeviceKind::from_environment()?,
        };
        match (kind, environment) {
            (Some(DeviceKind::Kfd), _) => real("--device kfd"),
            (Some(DeviceKind::Sim), _) => Device::simulated("--device sim", options),
            (None, Some(DeviceKind::Kfd)) => real("T0_DEVICE=kfd"),
            (None, Some(DeviceKind::Sim)) => Device::simulated("T0_DEVICE=sim", options),
            // Nobody asked for a card, so these options ask for the simulated one.
            (None, _) if options.profile => Device::simulated("counting needs it", options),
            (None, _) if options.sanitize => Device::simulated("--sanitize needs it", options),
            (None, _) if options.timing != Timing::Off => Device::simulated("--timing needs it", options),
            (None, _) if options.numerics.is_some() => Device::simulated("--numerics needs it", options),
            // Who did not ask for a card need not read how to get one.
            (None, _) => real("found through /dev/kfd")
                .or_else(|_| Device::simulated("no card can be used, --device kfd says why", options)),
        }
    }

    /// A simulated card; `why` ends up in its description.
    pub fn simulated(why: &str, options: &Options) -> Result<Device, CliError> {
        let numerics = match options.numerics {
            Some(n) => n,
            None => numerics_from_environment()?.unwrap_or_default(),
        };
        let sanitize = options.sanitize || sanitize_from_environment()?;
        let mut simulator = Simulator::new().with_numerics(numerics).with_sanitizer(sanitize);
        simulator = simulator.with_order_seed(order_seed_from_environment()?);
        if options.profile {
            simulator = simulator.with_profile();
        }
        simulator = match options.timing {
            Timing::Off => simulator,
            Timing::Whole => simulator.with_timing(),
            Timing::Sampled => simulator.with_sampling(),
        };
        if let Some(n) = options.threads {
            simulator = simulator.with_threads(n);
        }
        let target = options.target.unwrap_or(GFX1100);
        simulator = simulator.with_target(target);
        let recorder = Arc::new(Recorder {
            simulator,
            fault: Mutex::default(),
        });
        let kfd = Arc::new(SimKfd::with_node(node_of(&target), recorder.clone()).map_err(t0_runtime::Error::from)?);
        let gpu = Gpu::with_driver(kfd.clone(), why)?;
        Ok(Device {
            gpu,
            sim: Some(Sim { kfd, recorder }),
        })
    }

    /// `sim` or `kfd`.
    pub fn name(&self) -> &'static str {
        if self.sim.is_some() {
            "sim"
        } else {
            "kfd"
        }
    }

    /// What the simulated card has executed so far.
    pub fn stats(&self) -> Option<DispatchStats> {
        self.sim.as_ref().map(|s| s.kfd.stats())
    }

    /// What the cycle model needs of the last launch, when it was to be kept.
    pub fn recording(&self) -> Option<Recording> {
        self.sim.as_ref()?.recorder.simulator.take_recordings().pop()
    }

    /// What the last launch executed, when it was to be counted.
    pub fn profile(&self) -> Option<Profile> {
        self.sim.as_ref()?.recorder.simulator.take_profiles().pop()
    }
}

/// The chip the user named is the file's.
///
/// Errors: it is not.
pub fn check_target(asked: Option<Target>, own: &Target, path: &Path) -> Result<(), CliError> {
    match asked {
        Some(t) if t.name != own.name => Err(CliError::Usage(format!(
            "{} is for {}, --target says {}; leave --target out, or build the code object for {}",
            path.display(),
            own.name,
            t.name,
            t.name
        ))),
        _ => Ok(()),
    }
}
