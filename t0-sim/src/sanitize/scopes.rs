//! Atomics whose scope is too narrow: of workgroup scope, and other workgroups use the same dword.
//!
//! Problem: atomics of every scope have the same machine code on this card, so a wrong scope shows nowhere until the code is
//! compiled for a card where it matters, or the waits and invalidations that come with the scope are missing. Method: code objects
//! of t0 tell the scope of each atomic (`object::lines`); of every dword the first atomic of workgroup scope is kept, and the first
//! of any scope of two workgroups. Another workgroup's is reported unless one is known to be over before the other.

use std::collections::HashMap;

use t0_ir::Scope;

use super::shadow::Entry;

/// The atomics of a dword.
#[derive(Debug, Default)]
struct Place {
    narrow: Option<Entry>,
    any: [Option<Entry>; 2],
}

/// The atomics of a launch by dword.
#[derive(Debug, Default)]
pub(super) struct Scopes(HashMap<u64, Place>);

impl Scopes {
    /// Notes an atomic of `scope` at `va`; the atomic of another workgroup it clashes with. `before` tells what is over before it.
    pub fn note(&mut self, e: &Entry, va: u64, scope: Scope, before: impl Fn(&Entry) -> bool) -> Option<Entry> {
        let place = self.0.entry(va).or_default();
        let foreign = |o: &&Entry| o.group != e.group && !before(o);
        let found = match scope {
            Scope::Group => place.any.iter().flatten().find(foreign),
            Scope::Device => place.narrow.iter().find(foreign),
        };
        let found = found.copied();
        if scope == Scope::Group {
            place.narrow.get_or_insert(*e);
        }
        match &mut place.any {
            [first @ None, _] => *first = Some(*e),
            [Some(first), second @ None] if first.group != e.group => *second = Some(*e),
            _ => {}
        }
        found
    }
}
