//! The card as a page of text.

use std::fmt;

use t0_backend_rdna3::listing::CHANGED;

use super::{ByLine, Card, Limiting, Loop, Modelled, Roofline};

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let r = &self.resources;
        writeln!(
            f,
            "{} for {}, workgroups of {}, wave{}",
            self.kernel, self.target, r.group_size, r.wave_size
        )?;
        writeln!(
            f,
            "  {} VGPR, {} SGPR, {} bytes LDS, {} bytes scratch",
            r.vgpr, r.sgpr, r.lds, r.scratch
        )?;
        let next = self.next_step.as_ref().map(|n| format!("; {n}")).unwrap_or_default();
        writeln!(
            f,
            "  occupancy: {} waves/SIMD, limited by {}{next}",
            r.waves_per_simd, r.limited_by
        )?;
        for file in &self.changed_files {
            writeln!(f, "  {file}: {CHANGED}; lines are those of the build")?;
        }
        let shown = longest(&self.loops);
        for l in &shown {
            writeln!(f, "{}", of_loop(l))?;
        }
        match self.loops.len() - shown.len() {
            0 => {}
            n => writeln!(
                f,
                "  {} with less in them; JSON has all",
                counted(n as u64, "more loop")
            )?,
        }
        match &self.modelled {
            Some(m) => write!(f, "{m}")?,
            None => writeln!(f, "not launched: cycles, utilisation and stalls are unknown")?,
        }
        writeln!(f, "change first:")?;
        self.advice
            .iter()
            .enumerate()
            .try_for_each(|(k, a)| writeln!(f, "  {}. {a}", k + 1))
    }
}

/// Loops that a page has room for.
const MOST_LOOPS: usize = 12;

/// The loops that take most time, without a launch those with most instructions, in their order.
fn longest(all: &[Loop]) -> Vec<&Loop> {
    let weight = |l: &Loop| match (l.rounds, l.cycles_per_round) {
        (Some(n), Some(cycles)) => n as f64 * cycles,
        (Some(_), None) => 0.0,
        _ => f64::from(l.instructions),
    };
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by(|a, b| weight(&all[*b]).total_cmp(&weight(&all[*a])));
    order.truncate(MOST_LOOPS);
    order.sort_unstable();
    order.into_iter().map(|k| &all[k]).collect()
}

fn of_loop(l: &Loop) -> String {
    let place = match (&l.file, l.line) {
        (Some(file), Some(line)) => format!(" at {file}:{line}"),
        _ => String::new(),
    };
    let kinds = [
        (l.wmma, "WMMA"),
        (l.valu, "VALU"),
        (l.salu, "SALU"),
        (l.lds, "LDS"),
        (l.vmem, "memory"),
        (l.waits, "waits"),
        (l.barriers, "barriers"),
        (l.scratch, "private memory"),
    ];
    let never = if l.rounds == Some(0) {
        "; not run in this launch"
    } else {
        ""
    };
    let kinds: Vec<String> = kinds
        .iter()
        .filter(|k| k.0 > 0)
        .map(|(n, k)| format!("{n} {k}"))
        .collect();
    let cycles = l
        .cycles_per_round
        .map(|c| format!("; a round takes a wave {c:.0} cycles"))
        .unwrap_or_default();
    let indent = "  ".repeat(l.depth as usize + 1);
    let spans: Vec<String> = l.spans.iter().map(|s| format!("{:#x} to {:#x}", s.0, s.1)).collect();
    format!(
        "{indent}loop {}{place}: {} instructions ({}){cycles}{never}",
        spans.join(" and "),
        l.instructions,
        kinds.join(", ")
    )
}

fn percent(x: f64) -> String {
    format!("{:.1} %", 100.0 * x)
}

/// `1 workgroup`, `2 workgroups`.
fn counted(n: u64, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// Operations a second with a prefix that leaves digits before the point: `unit` is what follows it.
fn rate(tera: f64, unit: &str) -> String {
    let (value, prefix) = match tera {
        t if t >= 0.1 => (t, "T"),
        t if t >= 1e-4 => (1e3 * t, "G"),
        t => (1e6 * t, "M"),
    };
    format!("{value:.2} {prefix}{unit}")
}

/// Names and shares, those left out that would be printed as 0.0 %.
fn list(all: &[(&str, f64)]) -> String {
    let shown = all.iter().filter(|x| x.1 >= 0.0005);
    shown
        .map(|(n, x)| format!("{n} {}", percent(*x)))
        .collect::<Vec<_>>()
        .join(", ")
}

impl fmt::Display for Modelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flops = self
            .tflops
            .map(|t| format!(", {}", rate(t, "FLOP/s")))
            .unwrap_or_default();
        let ops = self.tops.map(|t| format!(", {}", rate(t, "OP/s"))).unwrap_or_default();
        writeln!(
            f,
            "modelled: {} cycles, {:.3} us at {} MHz{flops}{ops}; {}, {} at once",
            self.cycles,
            self.seconds * 1e6,
            self.clock_mhz,
            counted(self.groups, "workgroup"),
            self.resident_groups
        )?;
        if let Some(chip) = self.other_chip {
            writeln!(
                f,
                "  model: of the {} (gfx1100), {chip} has other units, caches and clocks: compare builds, trust no time",
                self.model
            )?;
        }
        writeln!(f, "  limiter: {}", self.limiter)?;
        self.card(f)?;
        let busy = list(&self.utilisation.units());
        if !busy.is_empty() {
            writeln!(f, "  busy: {busy}")?;
        }
        let waits = list(&self.waits);
        if !waits.is_empty() {
            writeln!(f, "  waits: {waits}")?;
        }
        self.memory(f)?;
        if let Some(r) = &self.roofline {
            writeln!(f, "  roofline: {}", roofline(r))?;
        }
        match &self.limiting {
            Some(l) => held(l, f),
            None => self.places(f),
        }
    }
}

impl Modelled {
    /// How much of the card is at work.
    fn card(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (used, all) = self.wgps;
        write!(
            f,
            "  card: {used} of {all} WGPs have workgroups, {:.1} waves/SIMD on average",
            self.waves_per_simd
        )?;
        let units = self.utilisation.units();
        let most = units.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        match most.filter(|x| self.balance < 0.95 && x.1 * self.balance >= 0.0005) {
            Some((unit, share)) => writeln!(
                f,
                "; below are those of the WGP with most, of the whole card {unit} is busy {}",
                percent(share * self.balance)
            )?,
            None => writeln!(f)?,
        }
        match self.lanes_active.filter(|a| *a < super::advice::LANES) {
            Some(active) => writeln!(f, "  lanes active: {}", percent(active)),
            None => Ok(()),
        }
    }

    /// Banks, and how accesses lie in memory.
    fn memory(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let b = &self.bank_conflicts;
        let lds = || {
            format!(
                "{} of {} LDS passes ({} of its time)",
                b.lds,
                b.lds_passes,
                percent(b.lds_time)
            )
        };
        let vgpr = || format!("{} for VGPRs", counted(b.vgpr, "cycle"));
        let parts: Vec<String> = [(b.lds_passes > 0).then(lds), (b.vgpr > 0).then(vgpr)]
            .into_iter()
            .flatten()
            .collect();
        if !parts.is_empty() {
            writeln!(f, "  bank conflicts: {}", parts.join(", "))?;
        }
        if let Some(c) = &self.coalescing {
            let worst = c
                .worst
                .as_ref()
                .map(|w| format!("; {} touches {:.1} and uses {}", w.place, w.lines, percent(w.used)));
            writeln!(
                f,
                "  memory: {:.1} lines an access, {} of the bytes moved are used{}",
                c.lines,
                percent(c.used),
                worst.unwrap_or_default()
            )?;
        }
        let Some(beyond) = self.beyond_l2 else { return Ok(()) };
        writeln!(f, "  caches: {}", self.caches)?;
        let dram = self.from_dram.map(|d| format!(", {} of those from DRAM", percent(d)));
        writeln!(
            f,
            "  misses of the L0: {} beyond the L2{}",
            percent(beyond),
            dram.unwrap_or_default()
        )
    }

    fn places(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        lines("waits by line", &self.stalls_by_line, f)?;
        if !self.stalls.is_empty() {
            writeln!(f, "  waits by instruction (cycles a wave each time):")?;
        }
        for s in &self.stalls {
            let line = s.at.line.map(|l| format!(" line {l}")).unwrap_or_default();
            writeln!(
                f,
                "{:>9} {:7.1} {:<9} {:06x} {}{line}",
                percent(s.share),
                s.cycles,
                s.why,
                s.at.offset,
                s.at.instruction
            )?;
        }
        Ok(())
    }
}

fn roofline(r: &Roofline) -> String {
    let memory = match (r.flop_per_byte, r.memory_tflops, r.dram_tflops) {
        (Some(each), Some(most), Some(dram)) => format!(
            "{each:.1} FLOP a byte; memory allows {}, DRAM alone {}",
            rate(most, "FLOP/s"),
            rate(dram, "FLOP/s")
        ),
        _ => "nothing comes from beyond the L2".into(),
    };
    let pairs = r.paired_tflops.map(|t| format!(" ({t:.1} if all were in pairs)"));
    format!(
        "{memory}; {} {:.1}{}",
        r.peak_of,
        r.peak_tflops,
        pairs.unwrap_or_default()
    )
}

/// What the unit that is the limit is busy with.
fn held(l: &Limiting, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    lines(&format!("time of {} by line", l.unit), &l.by_line, f)?;
    if !l.by_instruction.is_empty() {
        writeln!(f, "  time of {} by instruction (times issued):", l.unit)?;
    }
    for h in &l.by_instruction {
        let line = h.at.line.map(|l| format!(" line {l}")).unwrap_or_default();
        writeln!(
            f,
            "{:>9} {:>9} {:06x} {}{line}",
            percent(h.share),
            h.at.issued,
            h.at.offset,
            h.at.instruction
        )?;
    }
    Ok(())
}

fn lines(title: &str, all: &[ByLine], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if !all.is_empty() {
        writeln!(f, "  {title}:")?;
    }
    for l in all {
        let source = match &l.source {
            Some(text) => text,
            None if l.changed => &format!("({CHANGED})"),
            None => "(source not found)",
        };
        writeln!(f, "{:>9} {}:{} {source}", percent(l.share), l.file, l.line)?;
    }
    Ok(())
}
