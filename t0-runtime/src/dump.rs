//! `T0_DUMP`: what a program's own kernels compile to and how fast they are, in files, without a change to the program.
//!
//! `T0_DUMP=isa,ir,card` writes `KERNEL.isa.txt` (the listing), `KERNEL.ir.txt` (the IR after its passes) and
//! `KERNEL.card.txt` to the folder `T0_DUMP_DIR`, without: `t0-dump`. On the simulated card a card is written for every launch
//! (`KERNEL.2.card.txt` for the second, and so on), with what the cycle model says of it; on a real card there is one for each kernel,
//! of its code alone. A file from an earlier run is overwritten.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use t0_backend_rdna3::compile::Compiled;
use t0_backend_rdna3::listing::Listing;
use t0_backend_rdna3::object::CodeObject;
use t0_sim::card::Card;
use t0_sim::driver::{Dispatch, DispatchStats, ExecFault, Executor, Vm};
use t0_sim::timing::Costs;
use t0_sim::Simulator;

use crate::compile::read_source;
use crate::device::lock;
use crate::error::{Error, Result};

/// What is to be written, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dump {
    pub isa: bool,
    pub ir: bool,
    pub card: bool,
    dir: PathBuf,
}

impl Dump {
    /// What `T0_DUMP` says.
    ///
    /// Errors: a word that is none of them.
    pub fn from_environment() -> Result<Dump> {
        let dir = std::env::var_os("T0_DUMP_DIR").filter(|d| !d.is_empty());
        let mut dump = Dump {
            dir: dir.map_or_else(|| PathBuf::from("t0-dump"), PathBuf::from),
            ..Dump::default()
        };
        let value = std::env::var_os("T0_DUMP").unwrap_or_default();
        for word in value
            .to_string_lossy()
            .split(',')
            .map(str::trim)
            .filter(|w| !w.is_empty())
        {
            match word {
                "isa" => dump.isa = true,
                "ir" => dump.ir = true,
                "card" => dump.card = true,
                other => return Err(Error::DumpWord { value: other.into() }),
            }
        }
        Ok(dump)
    }

    fn write(&self, name: &str, text: &str) -> Result<()> {
        let path = self.dir.join(name);
        let written = std::fs::create_dir_all(&self.dir).and_then(|()| std::fs::write(&path, text));
        written.map_err(|e| Error::DumpFile {
            path,
            why: e.to_string(),
        })
    }

    /// The listing and the IR of a kernel that was compiled for a launch, with its text if `ir` is set; its card when only
    /// its code is known.
    pub fn kernel(&self, compiled: &Compiled, simulated: bool) -> Result<()> {
        if !(self.isa || self.ir || self.card && !simulated) {
            return Ok(());
        }
        let object = CodeObject::parse(&compiled.code_object)?;
        let listing = Listing::new(&object, object.kernel(&compiled.name)?).with_source(read_source);
        if self.isa {
            self.write(&format!("{}.isa.txt", compiled.name), &listing.to_string())?;
        }
        if let Some(ir) = compiled.ir_text.as_ref().filter(|_| self.ir) {
            self.write(&format!("{}.ir.txt", compiled.name), ir)?;
        }
        if self.card && !simulated {
            self.write(
                &format!("{}.card.txt", compiled.name),
                &Card::new(&listing, None).to_string(),
            )?;
        }
        Ok(())
    }
}

/// The cards of launches on a simulated card.
#[derive(Default)]
pub(crate) struct Cards {
    done: Mutex<Vec<Card>>,
    /// Launches of each kernel so far.
    counts: Mutex<HashMap<String, u64>>,
    /// What could not be written, until somebody asks.
    failed: Mutex<Option<Error>>,
}

impl Cards {
    /// The cards since the last call.
    ///
    /// Errors: a file of `T0_DUMP` could not be written.
    pub fn take(&self) -> Result<Vec<Card>> {
        match lock(&self.failed).take() {
            Some(e) => Err(e),
            None => Ok(std::mem::take(&mut *lock(&self.done))),
        }
    }

    fn write(&self, dump: &Dump, card: &Card) {
        let mut counts = lock(&self.counts);
        let count = counts.entry(card.kernel.clone()).or_default();
        *count += 1;
        let name = match *count {
            1 => format!("{}.card.txt", card.kernel),
            n => format!("{}.{n}.card.txt", card.kernel),
        };
        if let Err(e) = dump.write(&name, &card.to_string()) {
            lock(&self.failed).get_or_insert(e);
        }
    }
}

/// A simulator that makes a card of every launch.
pub(crate) struct Carded {
    pub simulator: Simulator,
    pub cards: Arc<Cards>,
    /// Whether cards are kept for [`crate::Gpu::cards`].
    pub keep: bool,
    pub dump: Dump,
}

impl Executor for Carded {
    fn dispatch(&self, d: &Dispatch, vm: &Vm) -> std::result::Result<DispatchStats, ExecFault> {
        let stats = self.simulator.dispatch(d, vm);
        for recording in self.simulator.take_recordings() {
            let Some(listing) = recording.listing() else { continue };
            let listing = listing.with_source(read_source);
            let timing = recording.time(&Costs::default(), false);
            let card = Card::new(&listing, Some((&recording, &timing)));
            if self.dump.card {
                self.cards.write(&self.dump, &card);
            }
            if self.keep {
                lock(&self.cards.done).push(card);
            }
        }
        stats
    }

    fn vary_order(&self, by: u64) {
        Executor::vary_order(&self.simulator, by);
    }

    fn keep_written(&self, on: bool) {
        Executor::keep_written(&self.simulator, on);
    }

    fn take_written(&self) -> Option<Arc<t0_sim::Written>> {
        Executor::take_written(&self.simulator)
    }
}
