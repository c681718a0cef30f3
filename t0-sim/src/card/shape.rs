//! What the code around a wait looks like: how many loads are under way, in which loop, whether one load needs the one before.
//!
//! Method: instructions in the order of their offsets; a load chases pointers when what it loaded reaches its own address in
//! the next round. EXEC is no way for data: lanes that leave a loop early do not make its loads a chain.

use t0_backend_rdna3::isa::Class;

use super::places::At;
use super::Loop;
use crate::program::{Instr, SSet, VSet};
use crate::timing::{Stall, STALLS};

/// What EXEC is in a set of scalar registers: registers 126 and 127.
const EXEC: SSet = [0, 3 << 62];

/// The place waves wait longest for one reason.
pub(super) struct Wait<'a> {
    pub at: &'a At<'a>,
    /// The innermost loop around it that went round.
    pub inside: Option<&'a Loop>,
    /// Instructions that ask for data between the wait before and this one.
    pub under_way: Vec<&'a At<'a>>,
    /// What they load is an address of theirs in the next round.
    pub chases: bool,
}

/// Where waves wait longest for `why`, in the order of [`STALLS`].
pub(super) fn longest<'a>(sites: &'a [At<'a>], loops: &'a [Loop], why: Stall) -> Option<Wait<'a>> {
    let reason = STALLS.iter().position(|s| *s == why)?;
    let (k, at) = sites.iter().enumerate().max_by_key(|(_, a)| a.site.stalls[reason])?;
    if at.site.stalls[reason] == 0 {
        return None;
    }
    let inside = innermost(loops, at.offset);
    let asks = |a: &At| match why {
        Stall::Loads => a.instr.class == Class::VmemLoad || a.instr.class == Class::VmemAtomic,
        Stall::Stores => a.instr.class == Class::VmemStore || a.instr.class == Class::VmemAtomic,
        _ => a.instr.class == Class::Smem || a.instr.class.is_lds(),
    };
    let waits = |a: &At| a.site.stalls[reason] > 0 && matches!(a.instr.class, Class::Wait | Class::End);
    let before = sites[..k].iter().rev();
    let mut under_way: Vec<&At> = before
        .take_while(|a| !waits(a))
        .filter(|a| a.site.issued > 0 && asks(a))
        .filter(|a| inside.is_none_or(|l| contains(l, a.offset)))
        .collect();
    under_way.reverse();
    let chases = inside.is_some_and(|l| {
        let body: Vec<&At> = sites.iter().filter(|a| contains(l, a.offset)).collect();
        let mut loads = (0..body.len()).filter(|&k| matches!(body[k].instr.class, Class::VmemLoad | Class::Smem));
        loads.any(|k| chases(&body, k))
    });
    Some(Wait {
        at,
        inside,
        under_way,
        chases,
    })
}

fn contains(l: &Loop, offset: u64) -> bool {
    l.spans.iter().any(|s| (s.0..=s.1).contains(&offset))
}

/// The innermost loop around an offset that went round.
fn innermost(loops: &[Loop], offset: u64) -> Option<&Loop> {
    let around = loops
        .iter()
        .filter(|l| l.rounds.unwrap_or(0) > 0 && contains(l, offset));
    around.max_by_key(|l| l.depth)
}

/// Whether what instruction `k` of a loop loads reaches its own address in the next round.
fn chases(body: &[&At], k: usize) -> bool {
    let load = body[k].instr;
    let mut known: (VSet, SSet) = (load.vwrite, load.swrite);
    for a in body[k + 1..].iter().chain(&body[..k]) {
        let i = a.instr;
        let from = reads(i, &known);
        let put = |set: &mut [u64], written: &[u64]| {
            set.iter_mut()
                .zip(written)
                .for_each(|(s, w)| *s = if from { *s | w } else { *s & !w });
        };
        put(&mut known.0, &i.vwrite);
        put(&mut known.1, &i.swrite);
    }
    reads(load, &known)
}

/// Whether an instruction reads one of these registers.
fn reads(i: &Instr, (vector, scalar): &(VSet, SSet)) -> bool {
    let vectors = i.vread.iter().zip(vector).any(|(r, s)| r & s != 0);
    let mut scalars = i.sread.iter().zip(EXEC).zip(scalar);
    vectors || scalars.any(|((r, e), s)| r & !e & s != 0)
}

/// Whether lanes of a memory instruction read or write less than 16 bytes each, side by side, so that it could be wider.
pub(super) fn could_be_wider(a: &At) -> bool {
    let (s, class) = (a.site, a.instr.class);
    // More bytes than the sectors have: lanes want the same ones.
    let bytes = s.bytes as f64 / (64.0 * s.sectors.max(1) as f64);
    let side_by_side = (0.9..=1.0).contains(&bytes) && s.lanes > 0;
    let lane = s.bytes / s.lanes.max(1);
    matches!(class, Class::VmemLoad | Class::VmemStore) && a.is_global() && side_by_side && (1..=8).contains(&lane)
}
