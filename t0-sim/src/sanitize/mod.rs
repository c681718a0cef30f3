//! The sanitizer of the simulated card: finds what a card does silently wrong, and names the Rust line.
//!
//! Problem: on a card an access outside of an allocation, a race or a misplaced atomic gives rare wrong numbers and no
//! message. Method: with the sanitizer on, `exec` shows every access of a wave to the group's [`Watch`] before it takes
//! effect, from one place per kind of memory (`vmem::linear` and `show_scattered` for GLOBAL, FLAT and buffers, `typed`,
//! `smem`, `lds::show`, `scratch::private`). Fast paths that know no lanes are skipped then; off, each of these places
//! costs one predictable branch.
//!
//! Invariant: watching changes nothing a program can see.

use t0_backend_rdna3::isa::Flags;

use crate::aperture::Space;
use crate::mem::Addresses;
use crate::program::Instr;
use crate::wave::{Row, Wave};

#[cfg(test)]
mod tests;

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Reads and writes at once.
    Atomic,
}

/// An access of some lanes of one pass, all of the same size.
///
/// The scope bits are `instr.mods.{glc, slc, dlc}`, lane `l` of the pass is lane `l + 32 * wave.half()` of the wave.
#[derive(Clone, Copy, Debug)]
pub struct Touch<'t> {
    /// The instruction.
    pub instr: &'t Instr,
    /// Which memory.
    pub space: Space,
    /// What it does.
    pub kind: Kind,
    /// Lanes of the pass that take part; bit 0 for a scalar load.
    pub lanes: u32,
    /// First byte of each lane: a GPU address, an LDS offset, or an offset in the lane's private memory.
    pub at: &'t Addresses,
    /// Bytes of each lane.
    pub bytes: u32,
}

/// What the sanitizer knows about a running workgroup.
#[derive(Debug, Default)]
pub struct Watch {
    /// Accesses of lanes that a buffer's range check kept from memory: defined behaviour, only counted.
    swallowed: u64,
    #[cfg(test)]
    log: Vec<tests::Seen>,
}

impl Watch {
    /// An access that is about to take effect.
    pub fn touch(&mut self, w: &Wave, touch: &Touch) {
        if touch.lanes == 0 {
            return;
        }
        let _ = w;
        #[cfg(test)]
        self.log.push(tests::Seen::of(w, touch));
    }

    /// Lanes whose access a buffer's range check keeps from memory.
    pub fn swallowed(&mut self, lanes: u32) {
        self.swallowed += u64::from(lanes.count_ones());
    }

    /// A FLAT access: its address registers, and the addresses with the offset added.
    pub fn flat(&mut self, w: &Wave, i: &Instr, lanes: u32, base: &Addresses, va: &Addresses) {
        let _ = (w, i.flags.has(Flags::FLAT), lanes, base, va);
    }

    /// A SCRATCH access: its address registers.
    pub fn scratch(&mut self, w: &Wave, i: &Instr, lanes: u32, vaddr: &Row, saddr: u32) {
        let _ = (w, i, lanes, vaddr, saddr);
    }

    /// An invalidation of the L0 cache, or (`gl1`) of the L1.
    pub fn invalidate(&mut self, w: &Wave, gl1: bool) {
        let _ = (w, gl1);
    }

    /// The barrier opens.
    pub fn barrier(&mut self, waves: &[Wave]) {
        let _ = waves;
    }
}
