//! Ideas where waves wait and no unit is the limit, by what they wait for and what the code around it looks like.

use t0_backend_rdna3::isa::Class;

use super::{idea, place, Idea, Scene};
use crate::card::places::At;
use crate::card::shape::{could_be_wider, longest, Wait};
use crate::timing::Stall;

/// Waits of less than this share of all are not worth a word.
const WORTH: f64 = 0.15;

pub(super) const WIDER: &str =
    "lanes side by side load and store 4 or 8 bytes each: 16 each (b128, four elements a work-item) takes a quarter to half of the instructions";

/// Ideas for each reason that matters.
pub(super) fn ideas(s: &Scene, out: &mut Vec<Idea>) {
    if s.limit().is_some() {
        return;
    }
    for (why, share) in s.m.waits.iter().filter(|w| w.1 >= WORTH) {
        out.extend(of_reason(s, why, *share));
    }
    wider(s, out);
    scattered(s, out);
    // More waves than there are workgroups for do not come.
    let full = s.m.groups >= s.m.resident_most;
    if let Some(next) = s.card.next_step.as_ref().filter(|_| full) {
        let hidden = ["vmcnt", "lgkmcnt", "result", "handover"]
            .iter()
            .map(|w| s.waits(w))
            .sum::<f64>();
        out.push(idea(
            s.less_waiting(0.3 * hidden),
            format!("more waves hide more of the waiting: {next}"),
        ));
    }
}

fn of_reason(s: &Scene, name: &'static str, share: f64) -> Option<Idea> {
    let why = crate::timing::STALLS.into_iter().find(|r| r.name() == name)?;
    let wait = longest(s.sites, &s.card.loops, why)?;
    let (factor, text) = match why {
        Stall::Loads => loads(&wait),
        Stall::Lgkm => local(&wait),
        Stall::Stores => stores(&wait),
        Stall::Barrier => (
            0.5,
            "fewer barriers: a larger step between them, or two buffers in turn".into(),
        ),
        Stall::Result => (
            0.5,
            "more independent operations between an instruction and the use of its result".into(),
        ),
        Stall::Handover => (
            0.3,
            "compute addresses and what is stored well before they are used".into(),
        ),
        Stall::Branch => (0.5, "unroll short loops".into()),
        Stall::Own if s.m.launch_share <= 0.3 => (
            0.3,
            "waves are short, and starting them takes longer than what they do: more work for each work-item".into(),
        ),
        Stall::Own | Stall::Unit => return None,
    };
    Some(idea(
        s.less_waiting(factor * share),
        format!(
            "waves wait for {name} ({:.0} % of all waits), mostly at {}: {text}",
            100.0 * share,
            wait.at.place()
        ),
    ))
}

/// `1 load is`, `3 loads are`.
fn are(n: usize, what: &str) -> String {
    match n {
        1 => format!("1 {what} is"),
        n => format!("{n} {what}s are"),
    }
}

fn loads(w: &Wait) -> (f64, String) {
    let n = w.under_way.len().max(1);
    match w.inside {
        _ if w.chases => (
            0.6,
            "each load needs the one before (pointer chasing): more independent chains at once hide it, a layout with fewer steps shortens it".into(),
        ),
        Some(l) => (
            0.8,
            format!(
                "{} under way there: unroll the loop at {} so that more are, or load for the next round before computing this one",
                are(n, "load"),
                place(l)
            ),
        ),
        None => (
            0.7,
            format!(
                "{} under way there and the code goes straight on: issue more loads before the first wait (several elements a work-item)",
                are(n, "load")
            ),
        ),
    }
}

fn local(w: &Wait) -> (f64, String) {
    let scalar = w.under_way.last().is_some_and(|a| a.instr.class == Class::Smem);
    match w.inside {
        _ if scalar && w.chases => (
            0.6,
            "each scalar load needs the one before (pointer chasing): a layout with fewer steps shortens it".into(),
        ),
        Some(_) if scalar => (0.7, "scalar loads in a loop: load for the next round before computing this one".into()),
        None if scalar => (
            0.3,
            "scalar loads (arguments, values all lanes share): what needs none of them can go before the wait; longer waves pay for it once".into(),
        ),
        _ => (0.6, "load from the LDS earlier, and wider".into()),
    }
}

fn stores(w: &Wait) -> (f64, String) {
    match (w.at.instr.class, w.inside) {
        (Class::End, _) => (
            0.4,
            "a wave ends when its stores are done: more elements a work-item wait for it once".into(),
        ),
        (_, Some(l)) => (
            0.6,
            format!(
                "the loop at {} waits for its own stores: keep the results in registers or the LDS until it ends",
                place(l)
            ),
        ),
        _ => (
            0.3,
            "what follows waits for the stores: put work that needs none of them in between".into(),
        ),
    }
}

/// Loads and stores that could be wider.
fn wider(s: &Scene, out: &mut Vec<Idea>) {
    let issued = |f: &dyn Fn(&At) -> bool| {
        let all = s.sites.iter().filter(|a| a.is_global() && f(a));
        all.map(|a| a.site.issued).sum::<u64>()
    };
    let narrow = issued(&could_be_wider) as f64 / issued(&|_| true).max(1) as f64;
    if narrow >= 0.5 {
        out.push(idea(s.less_waiting(0.5 * (s.waits("vmcnt") + s.waits("vscnt"))), WIDER));
    }
}

/// Accesses that touch many lines take long, too.
fn scattered(s: &Scene, out: &mut Vec<Idea>) {
    let Some(c) = s.m.coalescing.as_ref().filter(|c| c.used < 0.8) else {
        return;
    };
    if let Some(w) = &c.worst {
        out.push(idea(
            s.less_waiting((1.0 - c.used) * s.waits("vmcnt").max(s.waits("vscnt"))),
            format!(
                "only {:.0} % of the bytes that are moved are used: {} touches {:.0} lines of 128 bytes each time; let lanes side by side read and write side by side",
                100.0 * c.used,
                w.place,
                w.lines
            ),
        ));
    }
}
