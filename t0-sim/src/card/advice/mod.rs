//! What to change first, from what the card says.
//!
//! Method: every idea comes with the share of the time it could save, and the largest comes first. Where a unit is the limit, only
//! what takes work from it saves time, down to the next busiest one; where waves wait, only what shortens or hides that
//! wait does. Savings are estimates for the order alone, so they are not printed. Invariant: it is only about code that ran.

mod units;
mod waits;

use super::modelled::busiest;
use super::places::{counts_lanes, At};
use super::{Card, Loop, Modelled};

/// Share of active lanes below which a card names it.
pub(super) const LANES: f64 = 0.95;
/// Ideas that save less are left out.
const LEAST: f64 = 0.02;
/// Ideas that are shown.
const MOST: usize = 5;

/// A change and the share of the time it could save.
struct Idea {
    saves: f64,
    text: String,
}

fn idea(saves: f64, text: impl Into<String>) -> Idea {
    let text = text.into();
    Idea { saves, text }
}

/// What ideas are judged by.
struct Scene<'a> {
    card: &'a Card,
    m: &'a Modelled,
    sites: &'a [At<'a>],
}

impl Scene<'_> {
    /// The unit that is the limit and how busy it is.
    fn limit(&self) -> Option<(&'static str, f64)> {
        busiest(&self.m.utilisation)
    }

    /// What one saves who takes a share of the limiting unit's work away: no more than down to the next busiest unit.
    fn less_work(&self, share: f64) -> f64 {
        let Some((unit, busy)) = self.limit() else { return 0.0 };
        let units = self.m.utilisation.units();
        // Matrix instructions are work of the VALU too.
        let same = |n: &str| n == unit || matches!((n, unit), ("valu", "wmma") | ("wmma", "valu"));
        let others = units.iter().filter(|u| !same(u.0));
        let next = others.map(|u| u.1).fold(0.0, f64::max);
        (busy * share).min(busy - next).max(0.0) * (1.0 - self.m.launch_share)
    }

    /// What one saves who shortens waits that are this share of all: waits are hidden while a unit is busy.
    fn less_waiting(&self, share: f64) -> f64 {
        if self.limit().is_some() {
            return 0.0;
        }
        let busy = self.m.utilisation.units().iter().map(|u| u.1).fold(0.0, f64::max);
        share * (1.0 - busy) * (1.0 - self.m.launch_share)
    }

    /// Share of the waits for one reason.
    fn waits(&self, why: &str) -> f64 {
        self.m.waits.iter().filter(|w| w.0 == why).map(|w| w.1).sum()
    }
}

/// The most promising first.
pub(super) fn of(card: &Card, sites: &[At]) -> Vec<String> {
    let Some(m) = &card.modelled else {
        let mut out: Vec<String> = card.loops.iter().filter(|l| l.scratch > 0).map(in_code).collect();
        out.push("launch it to learn where the time goes: give grid, block and arguments".into());
        return out;
    };
    let scene = Scene { card, m, sites };
    let mut all = launch(&scene);
    all.extend(lanes(&scene));
    all.extend(spills(&scene));
    units::ideas(&scene, &mut all);
    waits::ideas(&scene, &mut all);
    all.retain(|i| i.saves >= LEAST);
    all.sort_by(|a, b| b.saves.total_cmp(&a.saves));
    all.truncate(MOST);
    if all.is_empty() {
        all.push(idea(
            1.0,
            "nothing stands out; the listing shows where the rest of the time goes",
        ));
    }
    all.into_iter().map(|i| i.text).collect()
}

fn place(l: &Loop) -> String {
    match (&l.file, l.line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        _ => format!("offset {:#x}", l.from),
    }
}

const SPILLS: &str = "fewer live values, or compile-time indices into local arrays";

/// Private memory in a loop of which nobody knows whether it goes round.
fn in_code(l: &Loop) -> String {
    let n = l.scratch;
    let s = if n == 1 { "" } else { "s" };
    format!(
        "the loop at {} has {n} instruction{s} for private memory: {SPILLS}",
        place(l)
    )
}

/// Private memory in loops that went round.
fn spills(s: &Scene) -> Vec<Idea> {
    let vmem = |f: fn(&At) -> bool| {
        let all = s.sites.iter().filter(|a| a.instr.class.is_vmem() && f(a));
        all.map(|a| a.site.issued).sum::<u64>() as f64
    };
    let share = vmem(|a| a.is_scratch()) / vmem(|_| true).max(1.0);
    let saves = match s.limit() {
        Some(("vmem" | "l0" | "l2 path" | "infinity cache" | "dram", _)) => s.less_work(share),
        Some(_) => 0.0,
        None => s.less_waiting(share * (s.waits("vmcnt") + s.waits("vscnt"))),
    };
    let ran = s.card.loops.iter().filter_map(|l| Some((l, l.scratch_per_round?)));
    // Loops around loops have what is in the inner ones.
    let deepest = ran.filter(|x| x.1 >= 0.5).max_by_key(|x| x.0.depth);
    let text = |(l, each): (&Loop, f64)| {
        format!(
            "the loop at {} goes to private memory {each:.0} times a round: {SPILLS}",
            place(l)
        )
    };
    deepest.map(|x| idea(saves.max(LEAST), text(x))).into_iter().collect()
}

/// What there is too little of: work, workgroups, workgroups in the last round.
fn launch(s: &Scene) -> Vec<Idea> {
    let m = s.m;
    let mut out = Vec::new();
    if m.launch_share > 0.3 {
        out.push(idea(
            m.launch_share,
            format!(
                "{:.0} % of the time is the launch itself: give it more work, or do several steps in one kernel",
                100.0 * m.launch_share
            ),
        ));
    }
    let runs = 1.0 - m.launch_share;
    let (used, all) = m.wgps;
    let rounds = m.groups.div_ceil(m.resident_most.max(1));
    let filled = m.groups as f64 / (rounds * m.resident_most.max(1)) as f64;
    if used < all {
        out.push(idea(
            1.0 - used as f64 / all as f64,
            format!("only {used} of {all} WGPs have workgroups: launch at least {all}, or split the work finer"),
        ));
    } else if rounds == 1 && filled < 0.95 && s.limit().is_none() && m.waits.first().is_some_and(|w| w.1 > 0.0) {
        out.push(idea(
            (runs * (1.0 - filled)).min(s.less_waiting(1.0)),
            format!(
                "{} workgroups run at once where {} could, and waves wait: more workgroups take hardly more time",
                m.groups, m.resident_most
            ),
        ));
    } else if (2..=4).contains(&rounds) && filled < 0.7 {
        out.push(idea(
            runs * (1.0 - filled),
            format!(
                "{} workgroups in {rounds} rounds of {}: the last one leaves most of the card idle; other tile sizes, or split the work finer",
                m.groups, m.resident_most
            ),
        ));
    } else if m.balance < 0.8 {
        out.push(idea(
            runs * (1.0 - m.balance),
            format!(
                "{} workgroups on {all} WGPs: some have one more than others, which idle at the end; other tile sizes, or split the work finer",
                m.groups
            ),
        ));
    }
    out
}

/// Lanes that are off.
fn lanes(s: &Scene) -> Option<Idea> {
    let off = 1.0 - s.m.lanes_active.filter(|a| *a < LANES)?;
    let size = u64::from(s.card.resources.wave_size);
    let lost = |a: &At| {
        let off = (a.site.issued * size).saturating_sub(a.site.lanes);
        if counts_lanes(a) {
            off
        } else {
            0
        }
    };
    let worst = s.sites.iter().max_by_key(|a| lost(a))?;
    let saves = match s.limit() {
        Some(("valu" | "trans" | "lds" | "vmem", _)) => s.less_work(off),
        Some(_) => 0.0,
        None => s.less_waiting(0.3 * off),
    };
    Some(idea(
        saves,
        format!(
            "{:.0} % of the lanes are off, most lost at {}: let all lanes of a wave go the same way, or choose values instead of branches",
            100.0 * off,
            worst.place()
        ),
    ))
}
