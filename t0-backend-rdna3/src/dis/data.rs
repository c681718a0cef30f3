//! Data sections: descriptors as blocks, pointers as symbols, the rest as words.

use super::{quoted, Code, Line, Printer};
use object::elf;

/// Zeros from this many bytes on are one line.
const ZEROS: usize = 16;
/// Words of a line.
const WORDS: usize = 4;

/// Bytes a relocation of this kind fills in.
fn word_bytes(kind: u32) -> u64 {
    match kind {
        1 | 2 | 6 | 10 | 11 => 4,
        _ => 8,
    }
}

impl Printer<'_> {
    /// A section without instructions.
    pub(super) fn data_section(&mut self, section: usize) {
        let size = self.object.sections[section].size;
        self.name_targets();
        self.open_section(section);
        let cuts = self.cuts(section);
        for (i, &start) in cuts.iter().enumerate() {
            let end = cuts.get(i + 1).copied().unwrap_or(size);
            let kernels = self.kernels;
            let kernel = kernels.iter().find(|k| k.place == (section, start));
            match kernel {
                Some(k) => {
                    if self.shown(k) {
                        self.descriptor(k);
                    }
                    self.data(section, (start + 64).min(end), end);
                }
                None => {
                    if !self.filtered() {
                        self.labels_at((section, start), None);
                    }
                    self.data(section, start, end);
                }
            }
        }
    }

    /// Sections that relocations refer to by address get a label at their start.
    pub(super) fn name_targets(&mut self) {
        if !self.section_labels.is_empty() {
            return;
        }
        let mut wanted = Vec::new();
        for r in self.object.sections.iter().flat_map(|s| &s.relocations) {
            match r.symbol.map(|s| &self.object.symbols[s]) {
                None if self.object.linked => wanted.extend(self.anchor(r.addend as u64)),
                Some(s) if s.kind == elf::STT_SECTION => wanted.extend(s.section),
                _ => {}
            }
        }
        for s in wanted {
            self.section_labels.insert(s, format!(".Lsection{s}"));
        }
    }

    /// The printed section an address is counted from: the one that holds it, else the nearest. The address need not be
    /// in any: one past the end of an array is where a loop ends, and nothing stops a program from pointing between.
    fn anchor(&self, address: u64) -> Option<usize> {
        let sections = &self.object.sections;
        let printed = (0..sections.len()).filter(|i| self.is_printed(*i));
        printed.min_by_key(|i| {
            let (start, end) = (
                sections[*i].address,
                sections[*i].address.saturating_add(sections[*i].size),
            );
            match (address < start, address < end) {
                (true, _) => start - address,
                // Behind the last byte is no longer inside.
                (false, false) => (address - end).saturating_add(1),
                (false, true) => 0,
            }
        })
    }

    /// The bytes from `start` to `end`, neither of which is inside a label's line.
    pub(super) fn data(&mut self, section: usize, start: u64, end: u64) {
        if self.filtered() || start >= end {
            return;
        }
        let s = &self.object.sections[section];
        if s.kind == elf::SHT_NOBITS {
            self.lines.push(Line::plain(format!("\t.zero {}", end - start)));
            return;
        }
        let mut at = start;
        while at < end {
            let next = s
                .relocations
                .iter()
                .map(|r| r.offset)
                .find(|o| *o >= at)
                .unwrap_or(end)
                .min(end);
            if next > at {
                self.words(section, at, next);
                at = next;
                continue;
            }
            at += self.pointer(section, at).min(end - at);
        }
    }

    /// A place within a relocated word, where no line of its own can begin.
    pub(super) fn is_within_pointer(&self, section: usize, offset: u64) -> bool {
        let s = &self.object.sections[section];
        let behind = s.relocations.partition_point(|r| r.offset < offset);
        let last = s.relocations[..behind].last();
        !s.is_code() && last.is_some_and(|r| offset - r.offset < word_bytes(r.kind))
    }

    /// A relocated word, and the names of places within; gives its bytes.
    fn pointer(&mut self, section: usize, at: u64) -> u64 {
        let s = &self.object.sections[section];
        let Some(r) = s.relocations.iter().find(|r| r.offset == at) else {
            return 1;
        };
        let bytes = word_bytes(r.kind);
        let suffix = match r.kind {
            1 => "@abs32@lo",
            2 => "@abs32@hi",
            5 => "@rel64",
            10 => "@rel32@lo",
            11 => "@rel32@hi",
            _ => "",
        };
        let directive = if bytes == 4 { ".long" } else { ".quad" };
        let value = self.reference(r.symbol, r.addend, suffix);
        let data = s
            .data
            .get(at as usize..(at + bytes) as usize)
            .unwrap_or_default()
            .to_vec();
        self.code_line(section, at, data, format!("{directive} {value}"), String::new());
        let inside = self.labels.range((section, at + 1)..(section, at + bytes));
        let inside: Vec<_> = inside.flat_map(|(k, l)| l.iter().map(|l| (k.1, l.clone()))).collect();
        for (offset, label) in inside {
            let name = quoted(&label.name);
            self.lines
                .push(Line::plain(format!("\t.set {name}, .-{}", at + bytes - offset)));
            if label.size > 0 {
                self.lines.push(Line::plain(format!("\t.size {name}, {}", label.size)));
            }
        }
        bytes
    }

    /// A symbol with an addend as the assembler reads it.
    pub(super) fn reference(&self, symbol: Option<usize>, addend: i64, suffix: &str) -> String {
        let plus = |base: String, n: i64| match n {
            0 => format!("{base}{suffix}"),
            n => format!("{base}{suffix}{n:+}"),
        };
        let Some(s) = symbol.map(|s| &self.object.symbols[s]) else {
            return match self.object.linked {
                true => self.address(addend as u64, suffix),
                false => format!("{addend:#x}"),
            };
        };
        match (s.kind, s.section.and_then(|i| self.section_labels.get(&i))) {
            (elf::STT_SECTION, Some(label)) => plus(label.clone(), addend),
            _ => plus(quoted(&s.name), addend),
        }
    }

    /// An address in this file as a name and a distance. Never by a symbol that another file may replace: that would be
    /// another relocation.
    fn address(&self, address: u64, suffix: &str) -> String {
        let Some(home) = self.anchor(address) else {
            return format!("{address:#x}");
        };
        let offset = address.wrapping_sub(self.object.sections[home].address);
        let labels = self.labels.get(&(home, offset)).map(Vec::as_slice).unwrap_or_default();
        match (
            labels.iter().find(|l| !l.preemptible),
            self.section_labels.get(&home),
            offset as i64,
        ) {
            (Some(l), ..) => format!("{}{suffix}", quoted(&l.name)),
            (None, Some(start), 0) => format!("{start}{suffix}"),
            (None, Some(start), n) => format!("{start}{suffix}{n:+}"),
            (None, None, _) => format!("{address:#x}"),
        }
    }

    /// Bytes without relocations: zeros, words, single bytes.
    fn words(&mut self, section: usize, start: u64, end: u64) {
        let s = &self.object.sections[section];
        let bytes = s.data.get(start as usize..end as usize).unwrap_or_default().to_vec();
        let mut at = 0;
        while at < bytes.len() {
            let rest = &bytes[at..];
            let zeros = rest.iter().take_while(|b| **b == 0).count();
            let len = if zeros >= ZEROS {
                let text = format!(".zero {zeros}");
                self.code_line(section, start + at as u64, rest[..zeros].to_vec(), text, String::new());
                zeros
            } else if rest.len() >= 4 {
                let upto = rest.len().min(4 * WORDS) / 4 * 4;
                let word = |w: &[u8]| format!("{:#010x}", u32::from_le_bytes([w[0], w[1], w[2], w[3]]));
                let text = rest[..upto].chunks(4).map(word).collect::<Vec<_>>().join(", ");
                self.code_line(
                    section,
                    start + at as u64,
                    rest[..upto].to_vec(),
                    format!(".long {text}"),
                    String::new(),
                );
                upto
            } else {
                let text = rest.iter().map(|b| format!("{b:#04x}")).collect::<Vec<_>>().join(", ");
                self.code_line(
                    section,
                    start + at as u64,
                    rest.to_vec(),
                    format!(".byte {text}"),
                    String::new(),
                );
                rest.len()
            };
            at += len;
        }
    }

    /// A line of bytes that are no instruction.
    pub(super) fn code_line(&mut self, section: usize, offset: u64, bytes: Vec<u8>, text: String, note: String) {
        let s = &self.object.sections[section];
        let address = s.address + offset;
        let note = if note.is_empty() { note } else { format!(" {note}") };
        let code = Code {
            section: s.name.clone(),
            address,
            bytes,
            instruction: None,
            error: None,
            target: None,
        };
        self.lines.push(Line {
            text,
            comment: format!("{address:012X}:{note}"),
            code: Some(code),
        });
    }
}
