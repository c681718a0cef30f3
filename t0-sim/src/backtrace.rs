//! Where the waves of a launch stand, for launches that do not end.
//!
//! Problem: thousands of waves, most of them at the same few places. Method: waves in the same state at the same
//! instruction are one entry, the places with most waves come first; each entry names its first wave.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::driver::Offset;
use crate::program::Program;
use crate::wave::WaveState;

/// Where one wave stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standing {
    /// Number of its workgroup, then x, y, z.
    pub group: (u64, [u32; 3]),
    /// Its number in the workgroup.
    pub wave: u32,
    /// Index of its next instruction.
    pub pc: u32,
    /// What it does.
    pub state: WaveState,
}

/// Places that are told.
const PLACES: usize = 8;

/// Waves at one place.
struct Place {
    first: Standing,
    waves: u64,
    groups: u64,
    last_group: u64,
}

/// All waves, a line for each place. `line` knows the place of an instruction in the source.
pub(crate) fn describe(mut all: Vec<Standing>, program: &Program, line: &dyn Fn(u32) -> Option<String>) -> Vec<String> {
    all.sort_by_key(|s| (s.group.0, s.wave));
    let mut places: BTreeMap<(u32, bool), Place> = BTreeMap::new();
    let mut ended = 0;
    for s in &all {
        let barrier = match s.state {
            WaveState::Ended => {
                ended += 1;
                continue;
            }
            WaveState::AtBarrier => true,
            WaveState::Running => false,
        };
        let place = places.entry((s.pc, barrier)).or_insert(Place {
            first: *s,
            waves: 0,
            groups: 0,
            last_group: u64::MAX,
        });
        place.waves += 1;
        place.groups += u64::from(place.last_group != s.group.0);
        place.last_group = s.group.0;
    }
    let mut places: Vec<Place> = places.into_values().collect();
    places.sort_by_key(|p| (std::cmp::Reverse(p.waves), p.first.group.0, p.first.wave));
    let mut parts: Vec<String> = places.iter().take(PLACES).map(|p| entry(p, program, line)).collect();
    let rest: u64 = places.iter().skip(PLACES).map(|p| p.waves).sum();
    if rest > 0 {
        parts.push(format!("{rest} waves at {} other places", places.len() - PLACES));
    }
    if ended > 0 {
        parts.push(format!("{ended} of these workgroups' waves have ended"));
    }
    parts
}

fn entry(p: &Place, program: &Program, line: &dyn Fn(u32) -> Option<String>) -> String {
    let Standing {
        group: (_, [x, y, z]),
        wave,
        pc,
        state,
    } = p.first;
    let first = format!("workgroup ({x}, {y}, {z}) wave {wave}");
    let mut text = match (p.waves, p.groups) {
        (1, _) => first,
        (n, 1) => format!("{n} waves, first {first},"),
        (n, groups) => format!("{n} waves of {groups} workgroups, first {first},"),
    };
    // A wave at a barrier has the barrier behind it.
    let at = match state {
        WaveState::AtBarrier => program.code.iter().position(|i| i.next == pc).unwrap_or(pc as usize) as u32,
        _ => pc,
    };
    let doing = match state {
        WaveState::AtBarrier => "waiting at the barrier",
        _ if program.text(at).starts_with("s_sleep") => "asleep",
        _ => "running",
    };
    let offset = program.code.get(at as usize).map_or(0, |i| i.offset);
    let _ = write!(text, " {doing} at {} `{}`", Offset(offset), program.text(at));
    if let Some(line) = line(at) {
        let _ = write!(text, " ({line})");
    }
    text
}
