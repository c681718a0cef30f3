//! The device a command uses, with a way to ask the simulated one for more than a card tells.

use crate::error::CliError;
use std::sync::{Arc, Mutex, PoisonError};
use t0_backend_rdna3::target::Target;
use t0_kfd::{Kfd, Node, RealKfd};
use t0_runtime::{numerics_from_environment, Gpu};
use t0_sim::driver::{Dispatch, DispatchStats, ExecFault, Executor, SimKfd, Vm};
use t0_sim::{Numerics, Profile, Simulator};

/// Where to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum DeviceKind {
    /// The simulated card.
    Sim,
    /// A real card through KFD.
    Kfd,
}

/// What is wanted of the simulated card.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// How it sums dot products; without: `T0_NUMERICS`, else fast.
    pub numerics: Option<Numerics>,
    /// Whether it counts what every launch executes.
    pub profile: bool,
    /// Host threads; without: all.
    pub threads: Option<usize>,
    /// The instruction set it executes; without: gfx1100.
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

    /// Names memory for messages.
    pub fn name_memory(&self, va: u64, bytes: u64, name: &str) {
        self.kfd.name_memory(va, bytes, name);
    }
}

impl Device {
    /// Opens the device that was asked for; without: what `T0_DEVICE` says, else the card if there is one.
    ///
    /// Errors: no such device, an unknown choice, options of the simulated card for a real one.
    pub fn open(kind: Option<DeviceKind>, options: &Options) -> Result<Device, CliError> {
        let real = |why| {
            if options.profile || options.numerics.is_some() {
                let text = "--count, --fidelity and --numerics are the simulated card's; add --device sim";
                return Err(CliError::Usage(text.to_owned()));
            }
            let kfd = RealKfd::open().map_err(t0_runtime::Error::from)?;
            Ok(Device {
                gpu: Gpu::with_driver(Arc::new(kfd), why)?,
                sim: None,
            })
        };
        let choice = std::env::var("T0_DEVICE").unwrap_or_default();
        match (kind, choice.as_str()) {
            (Some(DeviceKind::Kfd), _) => real("--device kfd"),
            (Some(DeviceKind::Sim), _) => Device::simulated("--device sim", options),
            (None, "kfd") => real("T0_DEVICE=kfd"),
            (None, "sim") => Device::simulated("T0_DEVICE=sim", options),
            (None, other) if !matches!(other, "" | "auto") => {
                Err(t0_runtime::Error::DeviceChoice { value: choice }.into())
            }
            // Nobody asked for a card, so these options ask for the simulated one.
            (None, _) if options.profile => Device::simulated("counting needs it", options),
            (None, _) if options.numerics.is_some() => Device::simulated("--numerics needs it", options),
            (None, _) => {
                real("found through /dev/kfd").or_else(|why: CliError| Device::simulated(&why.chain(), options))
            }
        }
    }

    /// A simulated card; `why` ends up in its description.
    pub fn simulated(why: &str, options: &Options) -> Result<Device, CliError> {
        let numerics = match options.numerics {
            Some(n) => n,
            None => numerics_from_environment()?.unwrap_or_default(),
        };
        let mut simulator = Simulator::new().with_numerics(numerics);
        if options.profile {
            simulator = simulator.with_profile();
        }
        if let Some(n) = options.threads {
            simulator = simulator.with_threads(n);
        }
        let mut node = Node::rx7900xtx();
        if let Some(target) = options.target {
            simulator = simulator.with_target(target);
            node.gfx_target_version = target_version(target.name).unwrap_or(node.gfx_target_version);
            node.name = target.name.to_owned();
        }
        let recorder = Arc::new(Recorder {
            simulator,
            fault: Mutex::default(),
        });
        let kfd = Arc::new(SimKfd::with_node(node, recorder.clone()).map_err(t0_runtime::Error::from)?);
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

    /// What the last launch executed, when it was to be counted.
    pub fn profile(&self) -> Option<Profile> {
        self.sim.as_ref()?.recorder.simulator.take_profiles().pop()
    }
}

/// The driver's number of a chip: major * 10000 + minor * 100 + stepping, each from the name (`gfx1151` is 11, 5, 1).
fn target_version(name: &str) -> Option<u32> {
    let digits = name.strip_prefix("gfx")?;
    let (major, rest) = digits.split_at_checked(digits.len().checked_sub(2)?)?;
    let (minor, stepping) = rest.split_at_checked(1)?;
    let number = |text: &str, radix| u32::from_str_radix(text, radix).ok();
    Some(number(major, 10)? * 10_000 + number(minor, 10)? * 100 + number(stepping, 16)?)
}

#[cfg(test)]
mod tests {
    use super::target_version;

    #[test]
    fn chips_have_the_drivers_numbers() {
        assert_eq!(target_version("gfx1100"), Some(110_000));
        assert_eq!(target_version("gfx1151"), Some(110_501));
        assert_eq!(target_version("gfx90a"), Some(90_010));
        assert_eq!(target_version("navi"), None);
    }
}
