//! A laid out file as bytes: headers, symbol and hash tables, dynamic section and relocations.
//!
//! Invariant: every table has the size the layout gave it. Source: ELF gABI; LLVM AMDGPUUsage "ELF Code Object"; the order of
//! entries is that of ld.lld 19.

use super::{
    array_tags, gnu_hash, gnu_hash_shape, segment_numbers, Layout, Linker, Out, Place, Rank, WordTarget, PAGE,
};
use crate::object::{EM_AMDGPU, OSABI_HSA};
use object::elf;

/// R_AMDGPU_ABS64: symbol + addend.
const ABS64: u32 = 3;
/// R_AMDGPU_RELATIVE64: load address + addend.
const RELATIVE64: u32 = 13;

impl Linker {
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

    fn file_header(&self, layout: &Layout, headers_at: u64) -> Vec<u8> {
        let mut h = vec![0x7f, b'E', b'L', b'F', 2, 1, 1, OSABI_HSA, self.abi_version];
        h.resize(16, 0);
        h.extend(elf::ET_DYN.to_le_bytes());
        h.extend(EM_AMDGPU.to_le_bytes());
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

/// A string table: an empty string, then these.
fn strings<'a>(names: impl Iterator<Item = &'a String>) -> Vec<u8> {
    let mut bytes = vec![0];
    for name in names {
        bytes.extend(name.as_bytes());
        bytes.push(0);
    }
    bytes
}
