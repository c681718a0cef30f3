//! The card as a page of text.

use std::fmt;

use super::{Card, Loop, Modelled};

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
        for l in &self.loops {
            writeln!(f, "{}", of_loop(l))?;
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
        "{indent}loop {}{place}: {} instructions ({}){cycles}",
        spans.join(" and "),
        l.instructions,
        kinds.join(", ")
    )
}

fn percent(x: f64) -> String {
    format!("{:.1} %", 100.0 * x)
}

impl fmt::Display for Modelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flops = self.tflops.map(|t| format!(", {t:.2} TFLOP/s")).unwrap_or_default();
        writeln!(
            f,
            "modelled: {} cycles, {:.3} us at {} MHz{flops}; {} workgroups, {} at once",
            self.cycles,
            self.seconds * 1e6,
            self.clock_mhz,
            self.groups,
            self.resident_groups
        )?;
        writeln!(f, "  limiter: {}", self.limiter)?;
        let list = |all: &[(&str, f64)]| {
            let shown = all.iter().filter(|x| x.1 >= 0.001);
            shown
                .map(|(n, x)| format!("{n} {}", percent(*x)))
                .collect::<Vec<_>>()
                .join(", ")
        };
        writeln!(f, "  busy: {}", list(&self.utilisation.units()))?;
        let waits = list(&self.waits);
        if !waits.is_empty() {
            writeln!(f, "  waits: {waits}")?;
        }
        let b = &self.bank_conflicts;
        let lds = (b.lds_passes > 0).then(|| format!("{} of {} LDS passes, ", b.lds, b.lds_passes));
        writeln!(
            f,
            "  bank conflicts: {}{} cycles for VGPRs",
            lds.unwrap_or_default(),
            b.vgpr
        )?;
        if let Some(beyond) = self.beyond_l2 {
            let dram = self.from_dram.map(|d| format!(", {} of those from DRAM", percent(d)));
            writeln!(
                f,
                "  misses of the L0: {} beyond the L2{}",
                percent(beyond),
                dram.unwrap_or_default()
            )?;
        }
        if let Some(r) = &self.roofline {
            writeln!(
                f,
                "  roofline: {:.1} FLOP a byte; memory allows {:.1} TFLOP/s, {} {:.1}",
                r.flop_per_byte, r.memory_tflops, r.peak_of, r.peak_tflops
            )?;
        }
        self.places(f)
    }
}

impl Modelled {
    fn places(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.stalls_by_line.is_empty() {
            writeln!(f, "  waits by line:")?;
        }
        for l in &self.stalls_by_line {
            writeln!(
                f,
                "{:>9} {}:{} {}",
                percent(l.share),
                l.file,
                l.line,
                l.source.as_deref().unwrap_or_default()
            )?;
        }
        if !self.stalls.is_empty() {
            writeln!(f, "  waits by instruction (cycles a wave each time):")?;
        }
        for s in &self.stalls {
            let line = s.line.map(|l| format!(" line {l}")).unwrap_or_default();
            writeln!(
                f,
                "{:>9} {:7.1} {:<9} {:06x} {}{line}",
                percent(s.share),
                s.cycles,
                s.why,
                s.offset,
                s.instruction
            )?;
        }
        Ok(())
    }
}
