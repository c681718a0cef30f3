//! What to change first, from what the card says.

use super::{Card, Loop, Modelled};

/// The most promising first.
pub(super) fn of(card: &Card) -> Vec<String> {
    let mut out = Vec::new();
    out.extend(card.loops.iter().filter(|l| l.scratch > 0).map(spills));
    if let Some(m) = &card.modelled {
        out.extend(launch(m));
        out.extend(banks(m));
        out.extend(units(m));
        out.extend(waits(card, m));
    } else if let Some(next) = &card.next_step {
        out.push(format!("more waves hide more latency: {next}"));
    }
    if out.is_empty() {
        out.push(match &card.modelled {
            Some(_) => "nothing stands out; the listing shows where the rest of the time goes".into(),
            None => "launch it to learn where the time goes: give grid, block and arguments".into(),
        });
    }
    out
}

fn place(l: &Loop) -> String {
    match (&l.file, l.line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        _ => format!("offset {:#x}", l.from),
    }
}

fn spills(l: &Loop) -> String {
    format!(
        "the loop at {} goes to private memory {} times a round: fewer live values, or compile-time indices into local arrays",
        place(l),
        l.scratch
    )
}

fn launch(m: &Modelled) -> Option<String> {
    let rounds = m.groups.div_ceil(m.resident_groups.max(1));
    if m.launch_share > 0.3 {
        return Some(format!(
            "{:.0} % of the time is the launch itself: give it more work, or do several steps in one kernel",
            100.0 * m.launch_share
        ));
    }
    let filled = m.groups as f64 / (rounds * m.resident_groups.max(1)) as f64;
    (rounds <= 4 && filled < 0.7).then(|| {
        format!(
            "{} workgroups in {rounds} rounds of {}: the last one leaves most of the card idle; other tile sizes, or split the work finer",
            m.groups, m.resident_groups
        )
    })
}

fn banks(m: &Modelled) -> Option<String> {
    let b = &m.bank_conflicts;
    (b.lds as f64 > 0.1 * b.lds_passes as f64 && m.utilisation.lds > 0.3).then(|| {
        format!(
            "{:.0} % of the passes through the LDS are bank conflicts: pad the rows, or permute the columns",
            100.0 * b.lds as f64 / b.lds_passes as f64
        )
    })
}

fn units(m: &Modelled) -> Option<String> {
    let u = &m.utilisation;
    let text = if u.dram >= 0.7 {
        "DRAM is busy: read less, in smaller types or once only, or let neighbouring workgroups share what they read"
    } else if u.infinity_cache >= 0.7 {
        "the Infinity Cache is busy: larger tiles read less"
    } else if u.l2_path >= 0.7 {
        "the way from the L2 is busy: larger tiles, or share what is read through the LDS"
    } else if u.vmem >= 0.7 {
        "the address unit is busy: lanes side by side should read side by side"
    } else if u.lds >= 0.7 {
        "the LDS is busy: wider loads, or keep more values in registers"
    } else if u.wmma >= 0.85 {
        "the matrix units are busy: only fewer operations help"
    } else if u.trans >= 0.7 {
        "the transcendental unit is busy: fewer exponentials, roots and divisions"
    } else if u.valu >= 0.85 {
        "the VALU is busy: fewer vector instructions for the same result, or pairs that issue together"
    } else {
        return None;
    };
    Some(text.into())
}

fn waits(card: &Card, m: &Modelled) -> Option<String> {
    let (why, share) = *m.waits.first()?;
    if share < 0.25 {
        return None;
    }
    let at = match m.stalls_by_line.first() {
        Some(l) => format!(", mostly at {}:{}", l.file, l.line),
        None => String::new(),
    };
    let more = card
        .next_step
        .as_ref()
        .map(|n| format!(", or more waves ({n})"))
        .unwrap_or_default();
    let text = match why {
        "vmcnt" => "load earlier: the next tile while this one is computed",
        "lgkmcnt" => "load from the LDS earlier, and wider",
        "barrier" => "fewer barriers: a larger step between them, or two buffers in turn",
        "result" => "more independent operations between an instruction and the use of its result",
        "vscnt" => "store later, or less",
        "handover" => "compute addresses well before they are used",
        "branch" => "unroll short loops",
        _ => return None,
    };
    Some(format!(
        "waves wait for {why} ({:.0} % of all waits{at}): {text}{more}",
        100.0 * share
    ))
}
