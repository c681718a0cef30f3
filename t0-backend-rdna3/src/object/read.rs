//! Reads code objects, whoever made them.
//!
//! Problem: a loader needs segments and relocations, a launcher kernels and arguments, a disassembler code ranges and
//! lines; the file may come from clang, Triton or from nowhere good. Method: object's ELF reader for the tables, the
//! metadata note for the kernels (symbols `*.kd` when it has none). Invariant: a parsed [`CodeObject`] is
//! consistent (every kernel's descriptor and code lie in its segments, sizes are bounded), and no input panics.
//! Source: LLVM AMDGPUUsage "ELF Code Object".

use super::descriptor::DESCRIPTOR_BYTES;
use super::lines::Table;
use super::msgpack::Value;
use super::*;
use crate::target::Target;
use object::elf;
use object::read::elf::{Dyn, FileHeader, ProgramHeader, Rela, SectionHeader, SectionTable, Sym};
use object::{LittleEndian, SymbolIndex};
use std::collections::BTreeMap;
use std::ops::Range;

pub(super) type Header = elf::FileHeader64<LittleEndian>;
const LE: LittleEndian = LittleEndian;

/// Most bytes from the first to the last loaded address. Real code objects have a few megabytes.
const MAX_IMAGE: u64 = 1 << 30;
/// R_AMDGPU_ABS64: symbol + addend.
const ABS64: u32 = 3;
/// R_AMDGPU_RELATIVE64: load address + addend.
const RELATIVE64: u32 = 13;

/// A range of addresses to load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// First address, relative to where the code object is loaded.
    pub vaddr: u64,
    /// The bytes from `vaddr` on.
    pub bytes: Vec<u8>,
    /// Bytes in memory; those after `bytes` are zero.
    pub memsz: u64,
    /// Holds instructions.
    pub executable: bool,
    /// May be written by kernels.
    pub writable: bool,
}

impl Segment {
    fn get(&self, vaddr: u64, len: u64) -> Option<&[u8]> {
        let start = usize::try_from(vaddr.checked_sub(self.vaddr)?).ok()?;
        self.bytes.get(start..start.checked_add(usize::try_from(len).ok()?)?)
    }
}

/// A 64-bit word the loader must set to load address + `addend`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Relocation {
    /// Where, relative to the load address.
    pub vaddr: u64,
    /// What to add to the load address.
    pub addend: u64,
}

/// A kernel of a code object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// Address of the descriptor, relative to the load address.
    pub descriptor_vaddr: u64,
    /// The descriptor.
    pub descriptor: KernelDescriptor,
    /// Addresses of its code, relative to the load address; padding excluded where the symbol table says so.
    pub code: Range<u64>,
    /// Sizes and arguments; `None` when the file says nothing (hand-written assembly).
    pub metadata: Option<KernelMetadata>,
    /// Source lines by offset; empty when the file has none.
    pub lines: Vec<Line>,
    /// Atomic operations by offset, as the source has them; empty when the file says nothing.
    pub atomics: Vec<AtomicOp>,
    /// Pieces of source it comes from; empty when the file does not say.
    pub sources: Vec<Piece>,
}

impl Kernel {
    /// The bytes of the argument block that no argument covers, where the metadata tells: nobody writes them. t0's own code is
    /// left out: it reads arguments only and, where indices are checked, a pointer behind them that the metadata does not list.
    pub fn padding(&self) -> Vec<Range<u32>> {
        let rust = self.lines.iter().any(|l| l.file.ends_with(".rs"));
        match &self.metadata {
            Some(m) if !rust => m.padding(match self.descriptor.kernarg_bytes {
                0 => m.kernarg_bytes,
                bytes => bytes,
            }),
            _ => Vec::new(),
        }
    }

    /// The source line of the instruction at this offset from the kernel's first.
    pub fn line_at(&self, offset: u64) -> Option<&Line> {
        lines::lookup(&self.lines, offset)
    }
}

/// A function of a code object, kernels included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Addresses of its code, relative to the load address; up to the next function where the symbol has no size.
    pub code: Range<u64>,
}

/// The processor of a target id, without what is switched on or off (LLVM AMDGPUUsage, "Target ID").
fn processor(target: &str) -> &str {
    let last = target.rsplit('-').next().unwrap_or(target);
    last.split(':').next().unwrap_or(last)
}

/// The function around an address, `own` (a kernel's code) excepted: one that is called.
pub fn called_function<'f>(functions: &'f [Function], own: &Range<u64>, at: u64) -> Option<&'f Function> {
    let around = |f: &&Function| f.code.contains(&at) && f.code.start != own.start;
    functions.iter().rfind(around).filter(|_| !own.contains(&at))
}

/// A code object in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeObject {
    /// The chip it is for.
    pub target: Target,
    /// The chip `amdhsa.target` of the metadata names, where it does: `gfx1100` of `amdgcn-amd-amdhsa--gfx1100`.
    pub named_target: Option<String>,
    /// ABI version byte of the ELF header: 2 for code object v4, 3 for v5, 4 for v6.
    pub abi_version: u32,
    /// Its kernels in the order of the metadata.
    pub kernels: Vec<Kernel>,
    /// Functions the symbol table names, kernels included, by address.
    pub functions: Vec<Function>,
    /// What to load, by ascending address, not overlapping.
    pub segments: Vec<Segment>,
    /// Words to fix after loading.
    pub relocations: Vec<Relocation>,
}

impl CodeObject {
    /// Reads a code object.
    ///
    /// Errors: no ELF file, another machine or chip, damaged tables; never panics.
    pub fn parse(file: &[u8]) -> Result<CodeObject, ObjectError> {
        let header = amdgpu_header(file)?;
        if header.e_type(LE) != elf::ET_DYN {
            return Err(ObjectError::NotLinked);
        }
        let os_abi = header.e_ident().os_abi;
        if os_abi != OSABI_HSA {
            return Err(ObjectError::Runtime { os_abi });
        }
        let abi_version = header.e_ident().abi_version;
        if abi_version == 0 {
            return Err(ObjectError::AbiVersion(abi_version));
        }
        let metadata = metadata(header, file)?;
        let mach = header.e_flags(LE) & 0xff;
        let said = metadata.as_ref().and_then(|m| m.get("amdhsa.target")?.as_str());
        let target = Target::from_mach(mach).ok_or_else(|| ObjectError::unknown_target(mach, said))?;
        let named_target = said.map(|t| processor(t).to_owned());
        let segments = segments(header, file)?;
        let sections = header.sections(LE, file).map_err(elf_error)?;
        let symbols = symbols(&sections, file)?;
        let mut object = CodeObject {
            target,
            named_target,
            abi_version: abi_version.into(),
            kernels: Vec::new(),
            functions: Vec::new(),
            relocations: relocations(header, file, &sections)?,
            segments,
        };
        let mut tables = line_tables(&sections, file)?;
        for k in kernel_list(metadata.as_ref(), &symbols)? {
            let table = tables.remove(&k.0).unwrap_or_default();
            let kernel = object.find_kernel(k, &symbols, table)?;
            object.kernels.push(kernel);
        }
        object.bound_code(&symbols);
        object.functions = object.find_functions(&symbols);
        Ok(object)
    }

    /// The kernel of this name; without a name, the only one.
    ///
    /// Errors: [`ObjectError::NoKernel`], with the names there are.
    pub fn kernel(&self, name: &str) -> Result<&Kernel, ObjectError> {
        self.kernels
            .iter()
            .find(|k| k.name == name)
            .ok_or_else(|| ObjectError::NoKernel {
                name: name.to_owned(),
                have: self.kernels.iter().map(|k| k.name.clone()).collect(),
            })
    }

    /// The file's bytes at these addresses, when they lie in one segment.
    pub fn bytes(&self, vaddr: u64, len: u64) -> Option<&[u8]> {
        self.segments.iter().find_map(|s| s.get(vaddr, len))
    }

    /// The instructions of a kernel of this code object.
    pub fn code(&self, kernel: &Kernel) -> &[u8] {
        self.bytes(kernel.code.start, kernel.code.end - kernel.code.start)
            .unwrap_or_default()
    }

    /// Bytes of memory it needs, from address 0 to the end of the last segment.
    pub fn memory_bytes(&self) -> u64 {
        self.segments.iter().map(|s| s.vaddr + s.memsz).max().unwrap_or(0)
    }

    /// Its memory from address 0, relocated for a load address.
    pub fn image(&self, load_address: u64) -> Vec<u8> {
        // Parsing bounded every size by MAX_IMAGE and placed every relocation inside.
        let mut image = vec![0; self.memory_bytes() as usize];
        for s in &self.segments {
            let at = s.vaddr as usize;
            image[at..at + s.bytes.len()].copy_from_slice(&s.bytes);
        }
        for r in &self.relocations {
            let at = r.vaddr as usize;
            if let Some(word) = image.get_mut(at..at.saturating_add(8)) {
                word.copy_from_slice(&load_address.wrapping_add(r.addend).to_le_bytes());
            }
        }
        image
    }

    fn find_kernel(&self, k: NamedKernel, symbols: &Symbols, table: Table) -> Result<Kernel, ObjectError> {
        let (name, symbol, metadata) = k;
        let outside = |what, address| ObjectError::OutOfRange {
            kernel: name.clone(),
            what,
            address,
        };
        let Some(vaddr) = symbols.get(&symbol).map(|s| s.value) else {
            return Err(ObjectError::NoDescriptor { kernel: name, symbol });
        };
        let descriptor = self
            .bytes(vaddr, DESCRIPTOR_BYTES as u64)
            .and_then(|b| KernelDescriptor::decode(b).ok())
            .ok_or_else(|| outside("the descriptor", vaddr))?;
        let entry = vaddr.wrapping_add_signed(descriptor.entry_offset);
        let in_code = |s: &&Segment| s.executable && s.get(entry, 4).is_some();
        let segment = self
            .segments
            .iter()
            .find(in_code)
            .ok_or_else(|| outside("the code", entry))?;
        let code = entry..segment.vaddr + segment.bytes.len() as u64;
        Ok(Kernel {
            name,
            descriptor_vaddr: vaddr,
            descriptor,
            code,
            metadata,
            lines: table.lines,
            atomics: table.atomics,
            sources: table.sources,
        })
    }

    fn find_functions(&self, symbols: &Symbols) -> Vec<Function> {
        let loaded = |at: u64| self.segments.iter().find(|s| s.executable && s.get(at, 4).is_some());
        let mut all: Vec<(u64, u64, &String)> = symbols
            .iter()
            .filter(|(_, s)| s.is_code && loaded(s.value).is_some())
            .map(|(name, s)| (s.value, s.size, name))
            .collect();
        all.sort_unstable();
        all.dedup_by_key(|f| f.0);
        let end = |i: usize| {
            let (start, size, _) = all[i];
            let last = loaded(start).map_or(start, |s| s.vaddr + s.bytes.len() as u64);
            let next = all.get(i + 1).map_or(last, |n| n.0.min(last));
            if size >= 4 {
                start.saturating_add(size).min(last)
            } else {
                next
            }
        };
        let function = |i: usize| Function {
            name: all[i].2.clone(),
            code: all[i].0..end(i),
        };
        (0..all.len()).map(function).collect()
    }

    /// Ends each kernel's code at its symbol's size, or at the next kernel when the symbol does not say.
    fn bound_code(&mut self, symbols: &Symbols) {
        let entries: Vec<u64> = self.kernels.iter().map(|k| k.code.start).collect();
        for k in &mut self.kernels {
            let sized = symbols
                .values()
                .find(|s| s.is_code && s.value == k.code.start && s.size >= 4);
            let next = entries.iter().filter(|&&e| e > k.code.start).min();
            let end = match (sized, next) {
                (Some(s), _) => s.value.saturating_add(s.size),
                (None, Some(&next)) => next,
                (None, None) => k.code.end,
            };
            k.code.end = end.min(k.code.end);
        }
    }
}

/// The header of a little-endian 64-bit ELF file for AMD GPUs.
pub(super) fn amdgpu_header(file: &[u8]) -> Result<&Header, ObjectError> {
    if file.starts_with(b"__CLANG_OFFLOAD_BUNDLE__") {
        return Err(ObjectError::Bundle);
    }
    let readable = |b: &u8| b.is_ascii_graphic() || b.is_ascii_whitespace();
    if !file.is_empty() && file.iter().take(512).all(readable) {
        return Err(ObjectError::AssemblyText);
    }
    let header = Header::parse(file).map_err(elf_error)?;
    if !header.is_little_endian() {
        return Err(ObjectError::Elf("big-endian".to_owned()));
    }
    let machine = header.e_machine(LE);
    if machine != EM_AMDGPU {
        return Err(ObjectError::Machine { machine });
    }
    Ok(header)
}

pub(super) fn elf_error(e: object::read::Error) -> ObjectError {
    ObjectError::Elf(e.to_string())
}

/// Name, descriptor symbol and metadata of a kernel.
type NamedKernel = (String, String, Option<KernelMetadata>);

/// What is needed of a symbol.
struct Symbol {
    value: u64,
    size: u64,
    is_code: bool,
}

type Symbols = BTreeMap<String, Symbol>;

/// The metadata tree, from a note segment or else a note section.
fn metadata(header: &Header, file: &[u8]) -> Result<Option<Value>, ObjectError> {
    let mut found = None;
    for segment in header.program_headers(LE, file).map_err(elf_error)? {
        let Some(mut notes) = segment.notes(LE, file).map_err(elf_error)? else {
            continue;
        };
        while let Some(note) = notes.next().map_err(elf_error)? {
            if note.n_type(LE) == NOTE_METADATA && note.name() == b"AMDGPU" {
                found = Some(Value::parse(note.desc()).ok_or(ObjectError::Metadata("the note is no MessagePack"))?);
            }
        }
    }
    Ok(found)
}

fn segments(header: &Header, file: &[u8]) -> Result<Vec<Segment>, ObjectError> {
    let mut segments: Vec<Segment> = Vec::new();
    for p in header.program_headers(LE, file).map_err(elf_error)? {
        if p.p_type(LE) != elf::PT_LOAD {
            continue;
        }
        let bytes = p
            .data(LE, file)
            .map_err(|()| ObjectError::Elf("a segment lies outside the file".to_owned()))?;
        let (vaddr, memsz) = (p.p_vaddr(LE), p.p_memsz(LE).max(bytes.len() as u64));
        let end = vaddr.saturating_add(memsz);
        if end > MAX_IMAGE {
            return Err(ObjectError::TooLarge {
                bytes: end,
                limit: MAX_IMAGE,
            });
        }
        segments.push(Segment {
            vaddr,
            bytes: bytes.to_vec(),
            memsz,
            executable: p.p_flags(LE) & elf::PF_X != 0,
            writable: p.p_flags(LE) & elf::PF_W != 0,
        });
    }
    segments.sort_by_key(|s| s.vaddr);
    if segments.windows(2).any(|w| w[0].vaddr + w[0].memsz > w[1].vaddr) {
        return Err(ObjectError::Elf("segments overlap".to_owned()));
    }
    Ok(segments)
}

/// Defined symbols of .dynsym and .symtab.
fn symbols(sections: &SectionTable<'_, Header>, file: &[u8]) -> Result<Symbols, ObjectError> {
    let mut out = Symbols::new();
    for kind in [elf::SHT_SYMTAB, elf::SHT_DYNSYM] {
        let table = sections.symbols(LE, file, kind).map_err(elf_error)?;
        for s in table.iter() {
            if s.st_shndx(LE) == elf::SHN_UNDEF {
                continue;
            }
            let name = s.name(LE, table.strings()).map_err(elf_error)?;
            let symbol = Symbol {
                value: s.st_value(LE),
                size: s.st_size(LE),
                is_code: s.st_type() == elf::STT_FUNC,
            };
            out.insert(String::from_utf8_lossy(name).into_owned(), symbol);
        }
    }
    Ok(out)
}

fn kernel_list(metadata: Option<&Value>, symbols: &Symbols) -> Result<Vec<NamedKernel>, ObjectError> {
    let kernels = match metadata.and_then(|m| m.get("amdhsa.kernels")) {
        Some(kernels) => kernels
            .as_array()
            .ok_or(ObjectError::Metadata("`amdhsa.kernels` is no array"))?,
        None => &[],
    };
    // Descriptors say what a kernel is, the metadata only what it is given.
    if kernels.is_empty() {
        let named = |s: &String| s.strip_suffix(".kd").map(|name| (name.to_owned(), s.clone(), None));
        return Ok(symbols.keys().filter_map(named).collect());
    }
    let read = |k| {
        let m = KernelMetadata::from_value(k).ok_or_else(|| super::metadata::wrong_entry(k))?;
        Ok((m.name.clone(), m.symbol.clone(), Some(m)))
    };
    kernels.iter().map(read).collect()
}

/// The dynamic relocations. Symbols are all defined in the file itself, so each comes down to load address + addend.
fn relocations(
    header: &Header,
    file: &[u8],
    sections: &SectionTable<'_, Header>,
) -> Result<Vec<Relocation>, ObjectError> {
    let mut table = (0, 0);
    for p in header.program_headers(LE, file).map_err(elf_error)? {
        for d in p.dynamic(LE, file).map_err(elf_error)?.unwrap_or_default() {
            match d.tag32(LE) {
                Some(elf::DT_RELA) => table.0 = d.d_val(LE),
                Some(elf::DT_RELASZ) => table.1 = d.d_val(LE),
                _ => {}
            }
        }
    }
    let mut out = Vec::new();
    if table.1 == 0 {
        return Ok(out);
    }
    let dynsym = sections.symbols(LE, file, elf::SHT_DYNSYM).map_err(elf_error)?;
    for s in sections.iter().filter(|s| s.sh_addr(LE) == table.0) {
        let Some((relas, _)) = s.rela(LE, file).map_err(elf_error)? else {
            continue;
        };
        for r in relas {
            let (vaddr, kind, addend) = (r.r_offset(LE), r.r_type(LE, false), r.r_addend(LE) as u64);
            let bad = ObjectError::Relocation { kind, address: vaddr };
            if vaddr > MAX_IMAGE {
                return Err(bad);
            }
            let value = match kind {
                RELATIVE64 => 0,
                ABS64 => {
                    let s = dynsym
                        .symbol(SymbolIndex(r.r_sym(LE, false) as usize))
                        .map_err(elf_error)?;
                    if s.st_shndx(LE) == elf::SHN_UNDEF {
                        return Err(bad);
                    }
                    s.st_value(LE)
                }
                _ => return Err(bad),
            };
            out.push(Relocation {
                vaddr,
                addend: addend.wrapping_add(value),
            });
        }
    }
    Ok(out)
}

fn line_tables(sections: &SectionTable<'_, Header>, file: &[u8]) -> Result<BTreeMap<String, Table>, ObjectError> {
    match sections.section_by_name(LE, LINES_SECTION.as_bytes()) {
        Some((_, section)) => lines::decode(section.data(LE, file).map_err(elf_error)?),
        None => Ok(BTreeMap::new()),
    }
}
