//! Sections to a loadable file: what `ld.lld -shared` does for one input.
//!
//! Problem: descriptors and addresses computed relative to the program counter depend on where sections end up, so a
//! file assembled here must be laid out the way LLVM's linker lays it out. Method: the same section ranks, the same
//! synthetic sections with the same sizes, the same address rule (each segment starts on a page of its own, file offset
//! and address agree modulo the page). [`Linker::layout`] fixes the addresses, the caller patches what depends on them,
//! [`Linker::write`] makes the file. Invariant: loaded addresses, symbols and hash tables equal those of ld.lld 19 for
//! the object llvm-mc 19 makes from the same sections (checked in the tests).
//! Source: LLVM AMDGPUUsage "ELF Code Object"; ELF gABI; files made by ld.lld 19.

use super::merge::{Merged, Pieces};
use object::elf;
use std::collections::HashMap;

/// Segments do not share pages of this size.
const PAGE: u64 = 4096;
/// R_AMDGPU_ABS64: symbol + addend.
const ABS64: u32 = 3;
/// R_AMDGPU_RELATIVE64: load address + addend.
const RELATIVE64: u32 = 13;

/// A section of the input.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Section {
    /// Its name; `.text.x` and the like end up in `.text`.
    pub name: String,
    /// sh_type.
    pub kind: u32,
    /// sh_flags.
    pub flags: u64,
    /// Alignment in bytes, a power of two.
    pub align: u64,
    /// The bytes; empty for SHT_NOBITS.
    pub data: Vec<u8>,
    /// Bytes in memory.
    pub size: u64,
    /// Bytes of an entry; 0 when it has none of one size.
    pub entsize: u64,
}

impl Section {
    /// Linkers drop it: a marker for them, or what only files that are not linked have.
    pub fn is_left_out(&self) -> bool {
        self.name == ".note.GNU-stack" || self.flags & u64::from(elf::SHF_EXCLUDE) != 0
    }
}

/// Name of the sections that hold one common symbol each (`.comm`): they become the start of .bss, as in ld.lld.
pub const COMMON: &str = "COMMON";

/// Where a symbol is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In a section: its number and the offset.
    Section(usize, u64),
    /// A plain number.
    Absolute(u64),
    /// In no section of this file.
    Undefined,
}

/// A symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// Its value.
    pub place: Place,
    /// st_size.
    pub size: u64,
    /// STT_*.
    pub kind: u8,
    /// STB_*.
    pub binding: u8,
    /// STV_*.
    pub visibility: u8,
}

impl Symbol {
    /// Seen from outside the file.
    pub fn is_dynamic(&self) -> bool {
        self.binding != elf::STB_LOCAL && matches!(self.visibility, elf::STV_DEFAULT | elf::STV_PROTECTED)
    }

    /// May be replaced by another file's symbol, so that references to it are left to the loader.
    pub fn is_preemptible(&self) -> bool {
        self.binding != elf::STB_LOCAL && self.visibility == elf::STV_DEFAULT
    }
}

/// A 64-bit word the loader fills in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DynamicWord {
    /// Section that holds the word.
    pub section: usize,
    /// Its offset there.
    pub offset: u64,
    /// What it points to.
    pub target: WordTarget,
}

/// What a [`DynamicWord`] points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordTarget {
    /// A place in this file and an addend.
    Place(Place, i64),
    /// A symbol that may be replaced, by number, and an addend.
    Symbol(usize, i64),
}

/// The input of a link.
#[derive(Debug, Clone, Default)]
pub struct Linker {
    /// e_flags: the chip.
    pub flags: u32,
    /// Code object ABI version byte.
    pub abi_version: u8,
    /// The sections in order of appearance.
    pub sections: Vec<Section>,
    /// The symbols in order of appearance.
    pub symbols: Vec<Symbol>,
    /// The symbols that have a slot in the global offset table, by number.
    pub got: Vec<usize>,
    /// The words the loader fills in, those of the global offset table left out.
    pub words: Vec<DynamicWord>,
    /// Sections that became one.
    pub merged: Vec<Merged>,
}

/// Addresses of everything, see [`Linker::layout`].
#[derive(Debug, Clone)]
pub struct Layout {
    /// Address of each input section, of merged ones that of all together; 0 for those that are not loaded.
    pub addresses: Vec<u64>,
    /// Where the pieces of merged sections went.
    pieces: HashMap<usize, Pieces>,
    /// Address of the first slot of the global offset table.
    pub got: u64,
    out: Vec<Out>,
    dynsym: Vec<usize>,
}

impl Layout {
    /// The address of a place.
    pub fn address(&self, place: Place) -> u64 {
        match place {
            Place::Section(s, offset) => {
                let offset = self.pieces.get(&s).map_or(offset, |p| p.place(offset));
                self.addresses[s].wrapping_add(offset)
            }
            Place::Absolute(v) => v,
            Place::Undefined => 0,
        }
    }

    fn find(&self, name: &str) -> Option<&Out> {
        self.out.iter().find(|o| o.name == name)
    }

    fn index(&self, name: &str) -> u32 {
        self.out.iter().position(|o| o.name == name).map_or(0, |i| i as u32 + 1)
    }
}

/// Order of output sections; each rank but the first two has a segment of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Note,
    Tables,
    ReadOnly,
    Code,
    Relro,
    Data,
    NoBits,
    NotLoaded,
}

impl Rank {
    fn of(name: &str, kind: u32, flags: u64) -> Rank {
        let has = |f: u32| flags & u64::from(f) != 0;
        if !has(elf::SHF_ALLOC) {
            Rank::NotLoaded
        } else if kind == elf::SHT_NOTE {
            Rank::Note
        } else if has(elf::SHF_EXECINSTR) {
            Rank::Code
        } else if has(elf::SHF_WRITE) {
            let relro = [
                ".data.rel.ro",
                ".dynamic",
                ".got",
                ".relro_padding",
                ".init_array",
                ".fini_array",
                ".preinit_array",
            ];
            match kind {
                elf::SHT_INIT_ARRAY | elf::SHT_FINI_ARRAY | elf::SHT_PREINIT_ARRAY => Rank::Relro,
                _ if relro.contains(&name) => Rank::Relro,
                elf::SHT_NOBITS => Rank::NoBits,
                _ => Rank::Data,
            }
        } else if kind == elf::SHT_PROGBITS {
            Rank::ReadOnly
        } else {
            Rank::Tables
        }
    }

    /// Number of its segment and the segment's flags.
    fn segment(self) -> Option<(u32, u32)> {
        match self {
            Rank::Note | Rank::Tables | Rank::ReadOnly => Some((0, elf::PF_R)),
            Rank::Code => Some((1, elf::PF_R | elf::PF_X)),
            Rank::Relro => Some((2, elf::PF_R | elf::PF_W)),
            Rank::Data | Rank::NoBits => Some((3, elf::PF_R | elf::PF_W)),
            Rank::NotLoaded => None,
        }
    }
}

/// A section of the output.
#[derive(Debug, Clone)]
struct Out {
    name: String,
    kind: u32,
    flags: u64,
    align: u64,
    entsize: u64,
    rank: Rank,
    /// Numbers of the input sections it holds and their offsets in it.
    inputs: Vec<(usize, u64)>,
    size: u64,
    address: u64,
    offset: u64,
}

impl Out {
    fn file_size(&self) -> u64 {
        if self.kind == elf::SHT_NOBITS {
            0
        } else {
            self.size
        }
    }
}

/// The output section of an input section: numbered and per-function sections are collected.
pub(super) fn output_name(name: &str) -> &str {
    if name == COMMON {
        return ".bss";
    }
    let collected = [
        ".text",
        ".rodata",
        ".data.rel.ro",
        ".data",
        ".bss",
        ".init_array",
        ".fini_array",
    ];
    let of = |c: &&&str| name == **c || name.strip_prefix(**c).is_some_and(|rest| rest.starts_with('.'));
    collected.iter().find(of).copied().unwrap_or(name)
}

impl Linker {
    /// Gives every section its address.
    pub fn layout(&self) -> Layout {
        let dynsym = self.dynamic_order();
        let mut out = self.outputs(&dynsym);
        let late = [".dynamic", ".got", ".relro_padding"];
        out.sort_by_key(|o| (o.rank, late.iter().position(|n| *n == o.name).map_or(0, |i| i + 1)));
        let segments = segment_numbers(&out).len() as u64;
        let notes = u64::from(out.iter().any(|o| o.rank == Rank::Note));
        let mut address = 64 + 56 * (5 + segments - 1 + notes);
        let mut offset = address;
        let mut last = Some(0);
        for o in &mut out {
            let segment = o.rank.segment().map(|s| s.0);
            if segment.is_some() && segment != last {
                address = address.next_multiple_of(PAGE) + address % PAGE;
            }
            if o.name == ".relro_padding" {
                o.size = address.next_multiple_of(PAGE) - address;
            }
            if segment.is_none() {
                offset = offset.next_multiple_of(o.align);
                o.offset = offset;
                offset += o.file_size();
                continue;
            }
            address = address.next_multiple_of(o.align);
            o.address = address;
            if segment != last {
                // The first section of a segment: file offset and address agree modulo the page.
                offset += address.wrapping_sub(offset) % PAGE;
                last = segment;
            } else if o.kind != elf::SHT_NOBITS {
                offset = offset.next_multiple_of(o.align);
            }
            o.offset = offset;
            offset += o.file_size();
            // The padding is only memory that the page of the sections before it has anyway.
            if o.name != ".relro_padding" {
                address += o.size;
            }
        }
        let mut addresses = vec![0; self.sections.len()];
        for o in out.iter().filter(|o| o.rank != Rank::NotLoaded) {
            for &(i, at) in &o.inputs {
                addresses[i] = o.address + at;
            }
        }
        for m in &self.merged {
            m.members.iter().for_each(|(i, _)| addresses[*i] = addresses[m.head]);
        }
        // A file may bring a section of that name, as disassembled ones do.
        let got = out
            .iter()
            .find(|o| o.name == ".got" && o.inputs.is_empty())
            .map_or(0, |o| o.address);
        let members = self.merged.iter().flat_map(|m| m.members.iter().cloned());
        Layout {
            addresses,
            pieces: members.collect(),
            got,
            out,
            dynsym,
        }
    }

    /// The output sections with their sizes, not yet sorted.
    fn outputs(&self, dynsym: &[usize]) -> Vec<Out> {
        let (alloc, write) = (u64::from(elf::SHF_ALLOC), u64::from(elf::SHF_WRITE));
        let n = dynsym.len() as u64;
        let names: u64 = dynsym.iter().map(|&i| self.symbols[i].name.len() as u64 + 1).sum();
        let hashed = n - self.undefined(dynsym) as u64;
        let (buckets, words) = gnu_hash_shape(hashed);
        let made = |name: &str, kind, flags, align, entsize, size| Out {
            name: name.to_owned(),
            kind,
            flags,
            align,
            entsize,
            rank: Rank::of(name, kind, flags),
            inputs: Vec::new(),
            size,
            address: 0,
            offset: 0,
        };
        let mut out = vec![
            made(".dynsym", elf::SHT_DYNSYM, alloc, 8, 24, 24 * (n + 1)),
            made(
                ".gnu.hash",
                elf::SHT_GNU_HASH,
                alloc,
                8,
                0,
                16 + 8 * words + 4 * buckets + 4 * hashed,
            ),
            made(".hash", elf::SHT_HASH, alloc, 4, 4, 8 + 8 * (n + 1)),
            made(".dynstr", elf::SHT_STRTAB, alloc, 1, 0, names + 1),
        ];
        let relas = (self.words.len() + self.got.len()) as u64;
        if relas > 0 {
            out.push(made(".rela.dyn", elf::SHT_RELA, alloc, 8, 24, 24 * relas));
        }
        let mut order: Vec<(usize, &Section)> = self
            .sections
            .iter()
            .enumerate()
            .filter(|(_, s)| !s.is_left_out())
            .collect();
        order.sort_by_key(|(_, s)| s.name != COMMON);
        for (i, s) in order {
            let name = output_name(&s.name);
            let at = match out.iter().position(|o| o.name == name) {
                Some(at) => at,
                None => {
                    // What belongs together belongs to files that are not linked yet.
                    let flags = s.flags & !u64::from(elf::SHF_GROUP);
                    out.push(made(name, s.kind, flags, 1, s.entsize, 0));
                    out.len() - 1
                }
            };
            let o = &mut out[at];
            o.flags |= s.flags & u64::from(elf::SHF_MERGE | elf::SHF_STRINGS);
            o.entsize = if o.entsize == s.entsize { s.entsize } else { 0 };
            let (align, size) = match self.merged_with(i) {
                Some(m) if m.head != i => continue,
                Some(m) => (m.align, m.bytes.len() as u64),
                None => (s.align, s.size),
            };
            o.align = o.align.max(align);
            let start = o.size.next_multiple_of(align.max(1));
            o.inputs.push((i, start));
            o.size = start + size;
        }
        let arrays = out.iter().filter(|o| array_tags(o.kind).is_some()).count() as u64;
        let counted = u64::from(self.relative_words() > 0);
        let tags = if relas > 0 { 3 } else { 0 } + counted + 7 + 2 * arrays;
        out.push(made(".dynamic", elf::SHT_DYNAMIC, alloc | write, 8, 16, 16 * tags));
        if !self.got.is_empty() {
            out.push(made(
                ".got",
                elf::SHT_PROGBITS,
                alloc | write,
                8,
                0,
                8 * self.got.len() as u64,
            ));
        }
        out.push(made(".relro_padding", elf::SHT_NOBITS, alloc | write, 1, 0, 0));
        let all = self.symbols.len() as u64 + 1;
        let strings: u64 = self.symbols.iter().map(|s| s.name.len() as u64 + 1).sum();
        out.push(made(".symtab", elf::SHT_SYMTAB, 0, 8, 24, 24 * all));
        let headers: u64 = out.iter().map(|o| o.name.len() as u64 + 1).sum::<u64>() + 1;
        let headers = headers + ".shstrtab".len() as u64 + ".strtab".len() as u64 + 2;
        out.push(made(".shstrtab", elf::SHT_STRTAB, 0, 1, 0, headers));
        out.push(made(".strtab", elf::SHT_STRTAB, 0, 1, 0, strings + 1));
        out
    }

    /// The dynamic symbols in the order the GNU hash table wants: those it does not hold, then by bucket.
    fn dynamic_order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = self.dynamic_symbols().map(|(i, _)| i).collect();
        let (buckets, _) = gnu_hash_shape((order.len() - self.undefined(&order)) as u64);
        order.sort_by_key(|&i| {
            let s = &self.symbols[i];
            let defined = s.place != Place::Undefined;
            (
                defined,
                if defined {
                    u64::from(gnu_hash(&s.name)) % buckets
                } else {
                    0
                },
            )
        });
        order
    }

    /// How many of these symbols are undefined.
    fn undefined(&self, symbols: &[usize]) -> usize {
        symbols
            .iter()
            .filter(|&&i| self.symbols[i].place == Place::Undefined)
            .count()
    }

    /// The bytes of the file. `self.sections` hold their final bytes by now.
    pub fn write(&self, layout: &Layout) -> Vec<u8> {
        let headers_at = layout
            .out
            .last()
            .map_or(64, |o| o.offset + o.file_size())
            .next_multiple_of(8);
        let mut file = self.file_header(layout, headers_at);
        for header in self.program_headers(layout) {
            file.extend(header);
        }
        let (symtab, strtab, locals) = self.symbol_table(layout);
        for o in &layout.out {
            let bytes = match o.name.as_str() {
                ".dynsym" => self.dynsym(layout),
                ".gnu.hash" => self.gnu_hash_table(layout),
                ".hash" => self.hash_table(layout),
                ".dynstr" => strings(self.dynamic_symbols().map(|(_, s)| &s.name)),
                ".rela.dyn" => self.relas(layout),
                ".dynamic" => self.dynamic(layout),
                ".got" if o.inputs.is_empty() => vec![0; o.size as usize],
                ".symtab" => symtab.clone(),
                ".strtab" => strtab.clone(),
                ".shstrtab" => strings(layout.out.iter().map(|o| &o.name)),
                _ => self.input_bytes(o),
            };
            if o.kind != elf::SHT_NOBITS {
                file.resize(o.offset as usize, 0);
                file.extend(bytes);
            }
        }
        file.resize(headers_at as usize, 0);
        file.extend([0; 64]);
        let mut name_at = 1u32;
        for o in &layout.out {
            file.extend(self.section_header(layout, o, name_at, locals));
            name_at += o.name.len() as u32 + 1;
        }
        file
    }

    fn input_bytes(&self, o: &Out) -> Vec<u8> {
        let mut bytes = Vec::new();
        for &(i, at) in &o.inputs {
            bytes.resize(at as usize, 0);
            bytes.extend(self.merged_with(i).map_or(&self.sections[i].data, |m| &m.bytes));
        }
        bytes
    }

    /// What the section became a part of.
    fn merged_with(&self, section: usize) -> Option<&Merged> {
        self.merged
            .iter()
            .find(|m| m.members.iter().any(|(i, _)| *i == section))
    }

    fn file_header(&self, layout: &Layout, headers_at: u64) -> Vec<u8> {
        let mut h = vec![0x7f, b'E', b'L', b'F', 2, 1, 1, super::OSABI_HSA, self.abi_version];
        h.resize(16, 0);
        h.extend(elf::ET_DYN.to_le_bytes());
        h.extend(super::EM_AMDGPU.to_le_bytes());
        h.extend(1u32.to_le_bytes());
        h.extend(0u64.to_le_bytes());
        h.extend(64u64.to_le_bytes());
        h.extend(headers_at.to_le_bytes());
        h.extend(self.flags.to_le_bytes());
        let sections = layout.out.len() as u16 + 1;
        let counts = [
            64,
            56,
            self.program_headers(layout).len() as u16,
            64,
            sections,
            layout.index(".shstrtab") as u16,
        ];
        counts.iter().for_each(|c| h.extend(c.to_le_bytes()));
        h
    }

    fn program_headers(&self, layout: &Layout) -> Vec<Vec<u8>> {
        let header = |kind: u32, flags: u32, words: [u64; 5]| {
            let [offset, address, file, memory, align] = words;
            let mut h = kind.to_le_bytes().to_vec();
            h.extend(flags.to_le_bytes());
            [offset, address, address, file, memory, align]
                .iter()
                .for_each(|w| h.extend(w.to_le_bytes()));
            h
        };
        let span = |outs: &[&Out]| -> [u64; 4] {
            let (first, last) = (outs[0], outs[outs.len() - 1]);
            let file_end = outs.iter().map(|o| o.offset + o.file_size()).max().unwrap_or(0);
            [
                first.offset,
                first.address,
                file_end - first.offset,
                last.address + last.size - first.address,
            ]
        };
        let segments = segment_numbers(&layout.out);
        let mut rest = Vec::new();
        for &(number, flags) in &segments {
            let of = |o: &&Out| o.rank.segment().is_some_and(|s| s.0 == number);
            let outs: Vec<&Out> = layout.out.iter().filter(of).collect();
            let [mut offset, mut address, mut file, mut memory] = span(&outs);
            if number == 0 {
                (file, memory) = (file + offset, memory + address);
                (offset, address) = (0, 0);
            }
            rest.push(header(elf::PT_LOAD, flags, [offset, address, file, memory, PAGE]));
        }
        let one = |kind, flags, outs: &[&Out], align| {
            let [offset, address, file, memory] = span(outs);
            header(kind, flags, [offset, address, file, memory, align])
        };
        let ranked = |rank: Rank| layout.out.iter().filter(|o| o.rank == rank).collect::<Vec<_>>();
        if let Some(dynamic) = layout.find(".dynamic") {
            rest.push(one(elf::PT_DYNAMIC, elf::PF_R | elf::PF_W, &[dynamic], 8));
        }
        rest.push(one(elf::PT_GNU_RELRO, elf::PF_R, &ranked(Rank::Relro), 1));
        rest.push(header(elf::PT_GNU_STACK, elf::PF_R | elf::PF_W, [0; 5]));
        let notes = ranked(Rank::Note);
        if !notes.is_empty() {
            rest.push(one(elf::PT_NOTE, elf::PF_R, &notes, 4));
        }
        let size = 56 * (rest.len() as u64 + 1);
        let mut all = vec![header(elf::PT_PHDR, elf::PF_R, [64, 64, size, size, 8])];
        all.append(&mut rest);
        all
    }

    fn symbol(&self, layout: &Layout, i: usize, name: u32) -> Vec<u8> {
        let s = &self.symbols[i];
        let index = match s.place {
            Place::Section(section, _) => {
                let section = self.merged_with(section).map_or(section, |m| m.head);
                let holds = |o: &Out| o.inputs.iter().any(|x| x.0 == section);
                layout.out.iter().position(holds).map_or(0, |i| i as u16 + 1)
            }
            Place::Absolute(_) => elf::SHN_ABS,
            Place::Undefined => elf::SHN_UNDEF,
        };
        // Symbols that are not seen from outside become local, as in any linked file.
        let binding = if s.is_dynamic() { s.binding } else { elf::STB_LOCAL };
        let mut b = name.to_le_bytes().to_vec();
        b.extend([binding << 4 | s.kind, s.visibility]);
        b.extend(index.to_le_bytes());
        b.extend(layout.address(s.place).to_le_bytes());
        b.extend(s.size.to_le_bytes());
        b
    }

    fn dynsym(&self, layout: &Layout) -> Vec<u8> {
        // The names stand in the order of the symbols, not of the hash table.
        let mut names = vec![0u32; self.symbols.len()];
        let mut name = 1;
        for (i, s) in self.dynamic_symbols() {
            names[i] = name;
            name += s.name.len() as u32 + 1;
        }
        let symbols = layout.dynsym.iter().flat_map(|&i| self.symbol(layout, i, names[i]));
        vec![0; 24].into_iter().chain(symbols).collect()
    }

    fn dynamic_symbols(&self) -> impl Iterator<Item = (usize, &Symbol)> {
        self.symbols.iter().enumerate().filter(|(_, s)| s.is_dynamic())
    }

    /// .symtab, .strtab and the number of local symbols: those come first.
    fn symbol_table(&self, layout: &Layout) -> (Vec<u8>, Vec<u8>, u32) {
        let mut order: Vec<usize> = (0..self.symbols.len()).collect();
        order.sort_by_key(|&i| self.symbols[i].is_dynamic());
        let locals = order.iter().filter(|&&i| !self.symbols[i].is_dynamic()).count() as u32 + 1;
        let mut bytes = vec![0; 24];
        let mut name = 1;
        for &i in &order {
            bytes.extend(self.symbol(layout, i, name));
            name += self.symbols[i].name.len() as u32 + 1;
        }
        (bytes, strings(order.iter().map(|&i| &self.symbols[i].name)), locals)
    }

    fn gnu_hash_table(&self, layout: &Layout) -> Vec<u8> {
        let first = self.undefined(&layout.dynsym);
        let held = &layout.dynsym[first..];
        let (buckets, words) = gnu_hash_shape(held.len() as u64);
        let hashes: Vec<u32> = held.iter().map(|&i| gnu_hash(&self.symbols[i].name)).collect();
        let mut bloom = vec![0u64; words as usize];
        for &h in &hashes {
            let word = &mut bloom[(u64::from(h) / 64 % words) as usize];
            *word |= 1 << (h % 64) | 1 << ((h >> 26) % 64);
        }
        let mut heads = vec![0u32; buckets as usize];
        let mut chains = Vec::new();
        let bucket = |h: u32| (u64::from(h) % buckets) as usize;
        for (i, &h) in hashes.iter().enumerate() {
            if heads[bucket(h)] == 0 {
                heads[bucket(h)] = (first + i) as u32 + 1;
            }
            let last = hashes.get(i + 1).is_none_or(|&next| bucket(next) != bucket(h));
            chains.push(h & !1 | u32::from(last));
        }
        let mut bytes = Vec::new();
        [buckets as u32, first as u32 + 1, words as u32, 26]
            .iter()
            .for_each(|w| bytes.extend(w.to_le_bytes()));
        bloom.iter().for_each(|w| bytes.extend(w.to_le_bytes()));
        heads.iter().chain(&chains).for_each(|w| bytes.extend(w.to_le_bytes()));
        bytes
    }

    fn hash_table(&self, layout: &Layout) -> Vec<u8> {
        let n = layout.dynsym.len() + 1;
        let mut heads = vec![0u32; n];
        let mut chains = vec![0u32; n];
        for (i, &symbol) in layout.dynsym.iter().enumerate() {
            let bucket = elf::hash(self.symbols[symbol].name.as_bytes()) as usize % n;
            chains[i + 1] = heads[bucket];
            heads[bucket] = i as u32 + 1;
        }
        let counts = [n as u32, n as u32];
        counts
            .iter()
            .chain(&heads)
            .chain(&chains)
            .flat_map(|w| w.to_le_bytes())
            .collect()
    }

    /// The dynamic relocations: those without a symbol first, each kind by address.
    fn relas(&self, layout: &Layout) -> Vec<u8> {
        let got = self.got.iter().enumerate().map(|(slot, &i)| {
            let s = &self.symbols[i];
            let target = if s.is_preemptible() {
                WordTarget::Symbol(i, 0)
            } else {
                WordTarget::Place(s.place, 0)
            };
            (layout.got + 8 * slot as u64, target)
        });
        let words = self
            .words
            .iter()
            .map(|w| (layout.addresses[w.section] + w.offset, w.target));
        let mut all: Vec<(u32, u64, u64)> = words
            .chain(got)
            .map(|(address, target)| match target {
                WordTarget::Place(p, addend) => (0, address, layout.address(p).wrapping_add_signed(addend)),
                WordTarget::Symbol(i, addend) => {
                    let index = layout.dynsym.iter().position(|&d| d == i).map_or(0, |p| p as u32 + 1);
                    (index, address, addend as u64)
                }
            })
            .collect();
        all.sort_unstable();
        let mut bytes = Vec::new();
        for (symbol, address, addend) in all {
            let kind = if symbol == 0 { RELATIVE64 } else { ABS64 };
            let info = u64::from(symbol) << 32 | u64::from(kind);
            [address, info, addend]
                .iter()
                .for_each(|w| bytes.extend(w.to_le_bytes()));
        }
        bytes
    }

    /// How many words the loader fills in without a symbol.
    fn relative_words(&self) -> usize {
        let words = self.words.iter().filter(|w| matches!(w.target, WordTarget::Place(..)));
        let got = self.got.iter().filter(|&&i| !self.symbols[i].is_preemptible());
        words.count() + got.count()
    }

    fn dynamic(&self, layout: &Layout) -> Vec<u8> {
        let address = |name: &str| layout.find(name).map_or(0, |o| o.address);
        let size = |name: &str| layout.find(name).map_or(0, |o| o.size);
        let mut tags: Vec<(u32, u64)> = Vec::new();
        if layout.find(".rela.dyn").is_some() {
            let relative = self.relative_words();
            tags.extend([
                (elf::DT_RELA, address(".rela.dyn")),
                (elf::DT_RELASZ, size(".rela.dyn")),
                (elf::DT_RELAENT, 24),
            ]);
            if relative > 0 {
                tags.push((elf::DT_RELACOUNT, relative as u64));
            }
        }
        tags.extend([
            (elf::DT_SYMTAB, address(".dynsym")),
            (elf::DT_SYMENT, 24),
            (elf::DT_STRTAB, address(".dynstr")),
            (elf::DT_STRSZ, size(".dynstr")),
            (elf::DT_GNU_HASH, address(".gnu.hash")),
            (elf::DT_HASH, address(".hash")),
        ]);
        for kind in [elf::SHT_PREINIT_ARRAY, elf::SHT_INIT_ARRAY, elf::SHT_FINI_ARRAY] {
            if let (Some(o), Some((at, bytes))) = (layout.out.iter().find(|o| o.kind == kind), array_tags(kind)) {
                tags.extend([(at, o.address), (bytes, o.size)]);
            }
        }
        tags.push((elf::DT_NULL, 0));
        tags.iter()
            .flat_map(|&(tag, value)| [u64::from(tag), value])
            .flat_map(u64::to_le_bytes)
            .collect()
    }

    fn section_header(&self, layout: &Layout, o: &Out, name: u32, locals: u32) -> Vec<u8> {
        let (link, info) = match o.name.as_str() {
            ".dynsym" => (".dynstr", 1),
            ".gnu.hash" | ".hash" | ".rela.dyn" => (".dynsym", 0),
            ".dynamic" => (".dynstr", 0),
            ".symtab" => (".strtab", locals),
            _ => ("", 0),
        };
        let mut h = name.to_le_bytes().to_vec();
        h.extend(o.kind.to_le_bytes());
        [o.flags, o.address, o.offset, o.size]
            .iter()
            .for_each(|w| h.extend(w.to_le_bytes()));
        h.extend(layout.index(link).to_le_bytes());
        h.extend(info.to_le_bytes());
        h.extend(o.align.to_le_bytes());
        h.extend(o.entsize.to_le_bytes());
        h
    }
}

/// The dynamic tags that name an array of functions a loader calls, by its section's type: address and bytes.
fn array_tags(kind: u32) -> Option<(u32, u32)> {
    Some(match kind {
        elf::SHT_PREINIT_ARRAY => (elf::DT_PREINIT_ARRAY, elf::DT_PREINIT_ARRAYSZ),
        elf::SHT_INIT_ARRAY => (elf::DT_INIT_ARRAY, elf::DT_INIT_ARRAYSZ),
        elf::SHT_FINI_ARRAY => (elf::DT_FINI_ARRAY, elf::DT_FINI_ARRAYSZ),
        _ => return None,
    })
}

/// Number and flags of the segments there are, in order.
fn segment_numbers(out: &[Out]) -> Vec<(u32, u32)> {
    let mut all: Vec<(u32, u32)> = out.iter().filter_map(|o| o.rank.segment()).collect();
    all.dedup_by_key(|s| s.0);
    all
}

/// Buckets and Bloom filter words of the GNU hash table for so many symbols (the sizes LLD chooses).
fn gnu_hash_shape(symbols: u64) -> (u64, u64) {
    let bits = symbols * 12 / 64;
    ((symbols / 4).max(1), (bits + 1).next_power_of_two())
}

fn gnu_hash(name: &str) -> u32 {
    name.bytes()
        .fold(5381u32, |h, c| h.wrapping_mul(33).wrapping_add(u32::from(c)))
}

/// A string table: an empty string, then these.
fn strings<'a>(names: impl Iterator<Item = &'a String>) -> Vec<u8> {
    let mut bytes = vec![0];
    for name in names {
        bytes.extend(name.as_bytes());
        bytes.push(0);
    }
    bytes
}
