//! The performance card: one page that says how fast a kernel is, why, and what to change first.
//!
//! Problem: counters of RDNA3 cards read zero, and numbers alone do not say what to do. Method: what the machine code tells
//! by itself (registers, occupancy and the next step of it, loops and what is in them) and, when a launch was recorded, what
//! the cycle model ([`crate::timing`]) says of it. Invariant: a number that nobody has is left out, never zero.

mod advice;
mod code;
mod modelled;
mod places;
mod shape;
mod text;

use serde::Serialize;
use t0_backend_rdna3::listing::Listing;

pub use code::{Loop, Resources};
pub use modelled::{other_chip, BankConflicts, Modelled, Roofline, Utilisation, MODEL};
pub use places::{ByLine, Coalescing, Holds, Issued, Limiting, Scattered, Stalled};

use crate::timing::{Recording, Timing};

/// The card of a kernel. `Display` prints it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Card {
    /// The kernel.
    pub kernel: String,
    /// The chip.
    pub target: String,
    /// Registers, LDS and how many waves fit.
    pub resources: Resources,
    /// What one more workgroup on a CU or WGP needs; `None` when the wave slots are full.
    pub next_step: Option<String>,
    /// Source files that are no longer what was compiled: line numbers are those of the build, and no text of them is shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed_files: Vec<String>,
    /// Its loops, inner ones behind those they stand in.
    pub loops: Vec<Loop>,
    /// What the cycle model says of a launch; `None`: nothing was launched.
    #[serde(flatten)]
    pub modelled: Option<Modelled>,
    /// What to change, the most promising first.
    pub advice: Vec<String>,
}

impl Card {
    /// Of a kernel's listing (with its source, if that is to be shown), and of a launch of it.
    pub fn new(listing: &Listing, launch: Option<(&Recording, &Timing)>) -> Card {
        let sites = launch.map(|(r, t)| places::joined(listing, r, t)).unwrap_or_default();
        let modelled = launch.map(|(r, t)| Modelled::of(listing, r, &sites, t));
        let mut loops = code::loops(listing);
        if launch.is_some() {
            code::rounds(&mut loops, &sites);
        }
        let mut card = Card {
            kernel: listing.kernel.clone(),
            target: listing.target.name.to_owned(),
            resources: Resources::of(listing),
            next_step: code::next_step(listing),
            changed_files: listing.changed_files().map(str::to_owned).collect(),
            loops,
            modelled,
            advice: Vec::new(),
        };
        card.advice = advice::of(&card, &sites);
        card
    }
}
