//! Code sections: instructions, padding, and what is neither.

use super::{quoted, Code, Line, Printer};
use crate::asm::reads_back;
use crate::isa::{decode, Class, DecodeError, Inst, Operand};
use crate::listing::{hex_words, unknown_bytes, Decoded};
use crate::target::Target;
use object::elf;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Equal words from this many on, where no control flow comes, are one line.
const PADDING: usize = 4;

impl Printer<'_> {
    /// A section with instructions.
    pub(super) fn code_section(&mut self, section: usize) {
        let (ranges, targets) = self.regions(section);
        let shown: Vec<Region> = ranges.into_iter().filter(|r| r.shown).collect();
        if shown.is_empty() && self.filtered() {
            return;
        }
        self.name_targets();
        let code: Vec<(usize, Vec<Decoded>)> = shown
            .iter()
            .enumerate()
            .map(|(i, r)| (i, self.decode_region(section, r, &targets[r.index])))
            .collect();
        let all: Vec<&Decoded> = code.iter().flat_map(|c| &c.1).collect();
        let reached = self.reached(section, &all);
        let branches = branch_labels(&shown, &code);
        self.open_section(section);
        for (i, decoded) in &code {
            let region = &shown[*i];
            let end = region.code_end(decoded);
            self.labels_at((section, region.start), end);
            if region.data {
                self.data(section, region.start, region.end);
                continue;
            }
            self.instructions(section, region, decoded, &reached, &branches);
            if end == Some(region.end) {
                self.sizes_at(section, region);
            }
        }
        if !self.filtered() {
            self.labels_at((section, self.object.sections[section].size), None);
        }
    }

    /// Cuts a code section at its symbols and gives each part the wave size of its kernel.
    fn regions(&self, section: usize) -> (Vec<Region>, Vec<Target>) {
        let size = self.object.sections[section].size;
        let cuts = self.cuts(section);
        let all_64 = !self.kernels.is_empty() && self.kernels.iter().all(|k| k.descriptor.wave_size() == 64);
        let other = self.options.wave_size.unwrap_or(if all_64 { 64 } else { 32 });
        let (mut regions, mut targets) = (Vec::new(), Vec::new());
        for (index, &start) in cuts.iter().enumerate().filter(|(_, c)| **c < size) {
            let end = cuts.get(index + 1).copied().unwrap_or(size);
            let labels = self
                .labels
                .get(&(section, start))
                .map(Vec::as_slice)
                .unwrap_or_default();
            let kernel = self.kernels.iter().find(|k| k.entry == Some((section, start)));
            let wave = kernel.map_or(other, |k| k.descriptor.wave_size());
            let limit = labels
                .iter()
                .map(|l| l.size)
                .max()
                .filter(|s| *s > 0)
                .map_or(end, |s| (start + s).min(end));
            targets.push(self.object.target.with_wave_size(wave));
            regions.push(Region {
                index,
                start,
                end,
                limit,
                data: !labels.is_empty() && labels.iter().all(|l| l.kind == elf::STT_OBJECT),
                name: labels
                    .first()
                    .map_or_else(|| self.object.sections[section].name.clone(), |l| l.name.clone()),
                shown: !self.filtered() || kernel.is_some_and(|k| self.shown(k)),
            });
        }
        (regions, targets)
    }

    /// The region's instructions; offsets are those in the section.
    fn decode_region(&self, section: usize, region: &Region, target: &Target) -> Vec<Decoded> {
        let data = &self.object.sections[section].data;
        let mut end = region.end;
        if self.filtered() {
            end = region.limit;
        }
        let bytes = data.get(region.start as usize..end as usize).unwrap_or_default();
        if region.data {
            return Vec::new();
        }
        let mut out = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let rest = &bytes[at..];
            let (inst, len) = match decode(rest, target) {
                Ok((inst, len)) => (Ok(inst), len.max(4)),
                Err(e) => (Err(e), unknown_bytes(rest)),
            };
            // Whole words stay apart from a tail that is none.
            let len = len.min(rest.len());
            let offset = region.start + at as u64;
            out.push(Decoded {
                offset,
                bytes: rest[..len].to_vec(),
                inst,
            });
            at += len;
        }
        out
    }

    /// Offsets that control flow comes to from kernels and functions.
    fn reached(&self, section: usize, code: &[&Decoded]) -> HashSet<u64> {
        let by_offset: HashMap<u64, &Decoded> = code.iter().map(|d| (d.offset, *d)).collect();
        let mut work: Vec<(u64, u64)> = Vec::new();
        let size = self.object.sections[section].size;
        for (&(_, offset), labels) in self.labels.range((section, 0)..(section, size)) {
            let is_code = labels.iter().any(|l| l.kind != elf::STT_OBJECT);
            let longest = labels.iter().map(|l| l.size).max().unwrap_or(0);
            if is_code {
                work.push((offset, if longest > 0 { offset + longest } else { size }));
            }
        }
        work.extend(
            self.kernels
                .iter()
                .filter_map(|k| k.entry)
                .filter(|e| e.0 == section)
                .map(|e| (e.1, size)),
        );
        let mut reached = HashSet::new();
        work.reverse();
        while let Some((mut at, limit)) = work.pop() {
            while at < limit && reached.insert(at) {
                let Some(d) = by_offset.get(&at) else { break };
                let next = at + d.bytes.len() as u64;
                let Ok(inst) = &d.inst else { break };
                if let Some(target) = d.branch_target() {
                    work.push((target, size));
                }
                if ends(inst) {
                    break;
                }
                at = next;
            }
        }
        reached
    }

    fn instructions(
        &mut self,
        section: usize,
        region: &Region,
        code: &[Decoded],
        reached: &HashSet<u64>,
        branches: &HashMap<u64, String>,
    ) {
        let target = self.wave_target(section, region);
        let pcs = if self.options.symbolize {
            self.pc_relative(section, code)
        } else {
            HashMap::new()
        };
        let mut i = 0;
        while i < code.len() {
            let d = &code[i];
            let same = |e: &&Decoded| {
                let inside = e.offset == d.offset || e.offset != region.limit;
                inside
                    && e.bytes == d.bytes
                    && !reached.contains(&e.offset)
                    && (e.offset == d.offset || !branches.contains_key(&e.offset))
            };
            let run = code[i..].iter().take_while(same).count();
            if d.offset == region.limit {
                self.sizes_at(section, region);
            }
            if let Some(label) = branches.get(&d.offset) {
                self.lines.push(Line::plain(format!("{label}:")));
            }
            if run >= PADDING && d.bytes.len() == 4 {
                self.padding(section, d, run);
                i += run;
                continue;
            }
            let symbol = pcs.get(&d.offset).cloned().or_else(|| self.relocated(section, d));
            self.instruction(section, d, (&target, symbol, region), reached, branches);
            i += 1;
        }
    }

    /// Sizes of symbols that reach from the start of the region to here: as distances, which stay right when instructions
    /// are put between.
    fn sizes_at(&mut self, section: usize, region: &Region) {
        let labels = self.labels.get(&(section, region.start)).cloned();
        for label in labels.unwrap_or_default() {
            if label.size > 0 && region.start + label.size == region.limit {
                let name = quoted(&label.name);
                self.lines.push(Line::plain(format!("\t.size {name}, .-{name}")));
            }
        }
    }

    fn wave_target(&self, section: usize, region: &Region) -> Target {
        let kernel = self.kernels.iter().find(|k| k.entry == Some((section, region.start)));
        let all_64 = !self.kernels.is_empty() && self.kernels.iter().all(|k| k.descriptor.wave_size() == 64);
        let other = self.options.wave_size.unwrap_or(if all_64 { 64 } else { 32 });
        self.object
            .target
            .with_wave_size(kernel.map_or(other, |k| k.descriptor.wave_size()))
    }

    fn padding(&mut self, section: usize, d: &Decoded, run: usize) {
        let word = u32::from_le_bytes([d.bytes[0], d.bytes[1], d.bytes[2], d.bytes[3]]);
        let what = match &d.inst {
            Ok(inst) if word != 0 => format!("{inst}, "),
            _ => String::new(),
        };
        let text = if word == 0 {
            format!(".zero {}", 4 * run)
        } else {
            format!(".fill {run}, 4, {word:#010x}")
        };
        self.code_line(
            section,
            d.offset,
            d.bytes.repeat(run),
            text,
            format!("{what}{run} times"),
        );
    }

    /// The reference of an instruction whose literal a linker fills in.
    fn relocated(&self, section: usize, d: &Decoded) -> Option<String> {
        let at = d.offset + d.bytes.len().checked_sub(4)? as u64;
        let r = self.object.sections[section]
            .relocations
            .iter()
            .find(|r| r.offset == at && r.offset > d.offset)?;
        let suffix = match r.kind {
            1 => "@abs32@lo",
            2 => "@abs32@hi",
            4 => "",
            8 => "@gotpcrel32@lo",
            9 => "@gotpcrel32@hi",
            10 => "@rel32@lo",
            11 => "@rel32@hi",
            _ => return None,
        };
        Some(self.reference(r.symbol, r.addend, suffix))
    }

    /// What `s_getpc_b64` and the additions after it lead to, as references with a relocation, by offset of the addition.
    /// Only sums that lead to a label and whose both halves are literals: those a compiler wrote as relocations.
    fn pc_relative(&self, section: usize, code: &[Decoded]) -> HashMap<u64, String> {
        let mut out = HashMap::new();
        let base = self.object.sections[section].address;
        for (i, get) in code.iter().enumerate().filter(|(_, d)| named(d, "s_getpc_b64")) {
            let near = &code[i + 1..code.len().min(i + 6)];
            let low = near
                .iter()
                .find(|d| named(d, "s_add_u32"))
                .and_then(|d| Some((d, literal(d)?)));
            let high = near
                .iter()
                .find(|d| named(d, "s_addc_u32"))
                .and_then(|d| Some((d, literal(d)?)));
            let (Some((low, lo)), Some((high, hi))) = (low, high) else {
                continue;
            };
            let pc = base + get.offset + 4;
            let target = pc.wrapping_add(u64::from(hi) << 32 | u64::from(lo));
            let Some(home) = self.object.section_at(target) else {
                continue;
            };
            let place = (home, target - self.object.sections[home].address);
            let Some(label) = self.labels.get(&place).and_then(|l| l.first()) else {
                continue;
            };
            for (d, half) in [(low, "lo"), (high, "hi")] {
                // The relocation counts from the literal, the program counter from after `s_getpc_b64`.
                let addend = d.offset - get.offset;
                out.insert(d.offset, format!("{}@rel32@{half}+{addend}", quoted(&label.name)));
            }
        }
        out
    }

    fn instruction(
        &mut self,
        section: usize,
        d: &Decoded,
        (target, symbol, region): (&Target, Option<String>, &Region),
        reached: &HashSet<u64>,
        branches: &HashMap<u64, String>,
    ) {
        let s = &self.object.sections[section];
        let address = s.address + d.offset;
        let mut comment = format!("{address:012X}: {}", hex_words(&d.bytes));
        let mut error = None;
        let leads = d.branch_target();
        if let Some(t) = leads {
            comment += &format!(" <{}+{:#x}>", region.name, t.wrapping_sub(region.start));
        }
        let instruction = d.inst.as_ref().ok().map(Inst::to_string);
        let text = match (&d.inst, &instruction) {
            (Ok(inst), Some(text)) => {
                let label = leads.and_then(|t| branches.get(&t)).filter(|_| self.options.symbolize);
                match (symbol, label) {
                    (Some(symbol), _) => with_literal(inst, &symbol).unwrap_or_else(|| raw(&d.bytes)),
                    (None, Some(label)) => with_label(inst, label).unwrap_or_else(|| text.clone()),
                    (None, None) if reads_back(text, &d.bytes, target) => text.clone(),
                    (None, None) => {
                        // LLVM has no way to say that a number is to stay a literal: `lit()` only says what kind.
                        comment += &format!(" {text}, which would be assembled to other bytes");
                        raw(&d.bytes)
                    }
                }
            }
            (inst, _) => {
                let why = inst.as_ref().err().map(DecodeError::to_string).unwrap_or_default();
                comment += &format!(" {why}");
                self.unknown_reached |= reached.contains(&d.offset);
                error = Some(why);
                raw(&d.bytes)
            }
        };
        let code = Code {
            section: s.name.clone(),
            address,
            bytes: d.bytes.clone(),
            instruction,
            error,
            target: leads.map(|t| s.address.wrapping_add(t)),
        };
        self.lines.push(Line {
            text,
            comment,
            code: Some(code),
        });
    }
}

/// A part of a code section.
#[derive(Debug, Clone)]
struct Region {
    index: usize,
    start: u64,
    end: u64,
    /// Where its symbol ends.
    limit: u64,
    /// Holds no instructions.
    data: bool,
    name: String,
    shown: bool,
}

impl Region {
    /// Where the code of the symbols at its start ends, if an instruction ends there.
    fn code_end(&self, code: &[Decoded]) -> Option<u64> {
        let ends = |d: &Decoded| d.offset + d.bytes.len() as u64 == self.limit;
        (!self.data && code.iter().any(ends)).then_some(self.limit)
    }
}

/// Bytes as directives.
fn raw(bytes: &[u8]) -> String {
    let word = |w: &[u8]| format!("{:#010x}", u32::from_le_bytes([w[0], w[1], w[2], w[3]]));
    if bytes.len() % 4 == 0 {
        return format!(".long {}", bytes.chunks(4).map(word).collect::<Vec<_>>().join(", "));
    }
    format!(
        ".byte {}",
        bytes.iter().map(|b| format!("{b:#04x}")).collect::<Vec<_>>().join(", ")
    )
}

/// Control does not come to what follows.
fn ends(inst: &Inst) -> bool {
    let row = inst.row();
    match row.class {
        Class::End => true,
        Class::Branch => !row.name.starts_with("s_cbranch") && !matches!(row.name, "s_call_b64" | "s_swappc_b64"),
        _ => false,
    }
}

fn named(d: &Decoded, name: &str) -> bool {
    d.inst.as_ref().is_ok_and(|i| i.row().name == name)
}

fn literal(d: &Decoded) -> Option<u32> {
    d.inst.as_ref().ok()?.operands.iter().find_map(|o| match o {
        Operand::Literal(l) => Some(*l),
        _ => None,
    })
}

/// A literal that no file contains by chance.
const MARK: u32 = 0x7ead_be1f;

fn with_literal(inst: &Inst, symbol: &str) -> Option<String> {
    let mut inst = inst.clone();
    let literal = inst.operands.iter_mut().find(|o| matches!(o, Operand::Literal(_)))?;
    *literal = Operand::Literal(MARK);
    let mark = format!("{MARK:#x}");
    let text = inst.to_string();
    text.contains(&mark).then(|| text.replacen(&mark, symbol, 1))
}

fn with_label(inst: &Inst, label: &str) -> Option<String> {
    let text = inst.to_string();
    let (head, _) = text.rsplit_once(' ')?;
    Some(format!("{head} {}", quoted(label)))
}

/// A label for every place a branch leads to: its function's number and its own.
fn branch_labels(regions: &[Region], code: &[(usize, Vec<Decoded>)]) -> HashMap<u64, String> {
    let mut targets = BTreeSet::new();
    let mut starts = HashSet::new();
    for d in code.iter().flat_map(|c| &c.1) {
        starts.insert(d.offset);
        targets.extend(d.branch_target());
    }
    let mut counts = HashMap::new();
    let mut out = HashMap::new();
    for t in targets.into_iter().filter(|t| starts.contains(t)) {
        let region = regions.iter().position(|r| (r.start..r.end).contains(&t)).unwrap_or(0);
        let count: &mut usize = counts.entry(region).or_default();
        out.insert(t, format!(".LBB{region}_{count}"));
        *count += 1;
    }
    out
}
