//! Sections to a loadable file: what `ld.lld -shared` does for one input.
//!
//! Problem: descriptors and addresses computed relative to the program counter depend on where sections end up, so a
//! file assembled here must be laid out the way LLVM's linker lays it out. Method: the same section ranks, the same
//! synthetic sections with the same sizes, the same address rule (each segment starts on a page of its own, file offset
//! and address agree modulo the page). [`Linker::layout`] fixes the addresses, the caller patches what depends on them,
//! [`Linker::write`] makes the file. Invariant: loaded addresses, symbols and hash tables equal those of ld.lld 19 for
//! the object llvm-mc 19 makes from the same sections (checked in the tests).
//! Source: LLVM AMDGPUUsage "ELF Code Object"; ELF gABI; files made by ld.lld 19.

mod file;

use super::merge::{Merged, Pieces};
use object::elf;
use std::collections::HashMap;

/// Segments do not share pages of this size.
const PAGE: u64 = 4096;

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

    /// What the section became a part of.
    fn merged_with(&self, section: usize) -> Option<&Merged> {
        self.merged
            .iter()
            .find(|m| m.members.iter().any(|(i, _)| *i == section))
    }

    fn dynamic_symbols(&self) -> impl Iterator<Item = (usize, &Symbol)> {
        self.symbols.iter().enumerate().filter(|(_, s)| s.is_dynamic())
    }

    /// How many words the loader fills in without a symbol.
    fn relative_words(&self) -> usize {
        let words = self.words.iter().filter(|w| matches!(w.target, WordTarget::Place(..)));
        let got = self.got.iter().filter(|&&i| !self.symbols[i].is_preemptible());
        words.count() + got.count()
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
