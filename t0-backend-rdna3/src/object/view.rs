//! A code object as its tables say, linked or not: sections, symbols, relocations, metadata.
//!
//! Problem: a disassembler wants everything in the file where the file has it, and must also read relocatable objects,
//! which no loader takes. Method: object's ELF reader, with the relocations sorted into the sections they change.
//! Invariant: every section's bytes, every symbol's section and every relocation's offset are inside the file; no input
//! panics. Source: LLVM AMDGPUUsage "ELF Code Object", "Relocation Records".

use super::msgpack::Value;
use super::read::{amdgpu_header, elf_error, Header};
use super::{ObjectError, NOTE_METADATA};
use crate::target::Target;
use object::elf;
use object::read::elf::{FileHeader, Rela, SectionHeader, SectionTable, Sym};
use object::{LittleEndian, SymbolIndex};

const LE: LittleEndian = LittleEndian;
/// Most bytes of zeros of a section that has none in the file.
const MAX_ZEROS: u64 = 1 << 30;

/// A section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionView {
    /// Its name.
    pub name: String,
    /// sh_type.
    pub kind: u32,
    /// sh_flags.
    pub flags: u64,
    /// Its address; 0 in relocatable objects.
    pub address: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// Bytes in memory.
    pub size: u64,
    /// Bytes in the file.
    pub data: Vec<u8>,
    /// What changes the bytes when they are linked or loaded, by offset.
    pub relocations: Vec<RelocationView>,
}

impl SectionView {
    /// Is loaded.
    pub fn is_loaded(&self) -> bool {
        self.flags & u64::from(elf::SHF_ALLOC) != 0
    }

    /// Holds instructions.
    pub fn is_code(&self) -> bool {
        self.flags & u64::from(elf::SHF_EXECINSTR) != 0
    }
}

/// A relocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelocationView {
    /// Offset in the section.
    pub offset: u64,
    /// The R_AMDGPU number.
    pub kind: u32,
    /// The symbol by number; `None` for relocations relative to the load address.
    pub symbol: Option<usize>,
    /// What is added.
    pub addend: i64,
}

/// A symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolView {
    /// Its name; that of the section for section symbols.
    pub name: String,
    /// The section it is in, by number.
    pub section: Option<usize>,
    /// Offset in the section; the value of symbols without section.
    pub offset: u64,
    /// st_size.
    pub size: u64,
    /// STT_*.
    pub kind: u8,
    /// STB_*.
    pub binding: u8,
    /// STV_*.
    pub visibility: u8,
}

/// A code object.
#[derive(Debug, Clone, PartialEq)]
pub struct ObjectView {
    /// The chip.
    pub target: Target,
    /// e_flags.
    pub flags: u32,
    /// ABI version byte.
    pub abi_version: u8,
    /// OS/ABI byte of the ELF header: 64 for HSA, 65 for PAL, 66 for Mesa, 0 for none.
    pub os_abi: u8,
    /// Is linked, not relocatable.
    pub linked: bool,
    /// The sections but the first, empty one.
    pub sections: Vec<SectionView>,
    /// The symbols of .symtab, or of .dynsym when there is no .symtab.
    pub symbols: Vec<SymbolView>,
    /// The metadata tree.
    pub metadata: Option<Value>,
}

impl ObjectView {
    /// Reads a code object.
    ///
    /// Errors: no ELF file, another machine or chip, damaged tables; never panics.
    pub fn parse(file: &[u8]) -> Result<ObjectView, ObjectError> {
        let header = amdgpu_header(file)?;
        let flags = header.e_flags(LE);
        let table = header.sections(LE, file).map_err(elf_error)?;
        let linked = header.e_type(LE) == elf::ET_DYN;
        let mut sections = sections(&table, file)?;
        let metadata = metadata(&table, file)?;
        let mach = flags & 0xff;
        let target = Target::from_mach(mach).ok_or_else(|| {
            let said = metadata.as_ref().and_then(|m| m.get("amdhsa.target")?.as_str());
            ObjectError::unknown_target(mach, said)
        })?;
        let mut symbols = symbols(&table, file, &sections, linked, elf::SHT_SYMTAB)?;
        if symbols.is_empty() {
            symbols = self::symbols(&table, file, &sections, linked, elf::SHT_DYNSYM)?;
        }
        relocations(&table, file, &mut sections, &symbols, linked)?;
        let abi_version = header.e_ident().abi_version;
        Ok(ObjectView {
            target,
            flags,
            os_abi: header.e_ident().os_abi,
            abi_version,
            linked,
            sections,
            symbols,
            metadata,
        })
    }

    /// The section that holds this address.
    pub fn section_at(&self, address: u64) -> Option<usize> {
        at_address(&self.sections, address)
    }

    /// Address of a symbol; its offset in relocatable objects.
    pub fn address(&self, symbol: &SymbolView) -> u64 {
        let base = symbol
            .section
            .and_then(|s| self.sections.get(s))
            .map_or(0, |s| s.address);
        base.wrapping_add(symbol.offset)
    }
}

fn at_address(sections: &[SectionView], address: u64) -> Option<usize> {
    let holds = |s: &SectionView| s.is_loaded() && address >= s.address && address - s.address < s.size;
    sections.iter().position(holds)
}

fn sections(table: &SectionTable<'_, Header>, file: &[u8]) -> Result<Vec<SectionView>, ObjectError> {
    let mut out = Vec::new();
    for s in table.iter().skip(1) {
        let name = table.section_name(LE, s).map_err(elf_error)?;
        let data = s.data(LE, file).map_err(elf_error)?;
        let size = s.sh_size(LE);
        if size > MAX_ZEROS {
            return Err(ObjectError::TooLarge {
                bytes: size,
                limit: MAX_ZEROS,
            });
        }
        out.push(SectionView {
            name: String::from_utf8_lossy(name).into_owned(),
            kind: s.sh_type(LE),
            flags: s.sh_flags(LE),
            address: s.sh_addr(LE),
            align: s.sh_addralign(LE),
            size,
            data: data.to_vec(),
            relocations: Vec::new(),
        });
    }
    Ok(out)
}

fn metadata(table: &SectionTable<'_, Header>, file: &[u8]) -> Result<Option<Value>, ObjectError> {
    let mut found = None;
    for s in table.iter() {
        let Some(mut notes) = s.notes(LE, file).map_err(elf_error)? else {
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

fn symbols(
    table: &SectionTable<'_, Header>,
    file: &[u8],
    sections: &[SectionView],
    linked: bool,
    kind: u32,
) -> Result<Vec<SymbolView>, ObjectError> {
    let symbols = table.symbols(LE, file, kind).map_err(elf_error)?;
    let mut out = Vec::new();
    for s in symbols.iter() {
        let index = usize::from(s.st_shndx(LE));
        let section = index.checked_sub(1).filter(|i| *i < sections.len());
        let mut name = String::from_utf8_lossy(s.name(LE, symbols.strings()).map_err(elf_error)?).into_owned();
        let home = section.and_then(|i| sections.get(i));
        if let (elf::STT_SECTION, Some(home)) = (s.st_type(), home) {
            name = home.name.clone();
        }
        let base = home.filter(|_| linked).map_or(0, |h| h.address);
        out.push(SymbolView {
            name,
            section,
            offset: s.st_value(LE).wrapping_sub(base),
            size: s.st_size(LE),
            kind: s.st_type(),
            binding: s.st_bind(),
            visibility: s.st_visibility(),
        });
    }
    Ok(out)
}

/// Sorts the relocations into their sections. Those of linked files name symbols of .dynsym, which are looked up by name.
fn relocations(
    table: &SectionTable<'_, Header>,
    file: &[u8],
    sections: &mut [SectionView],
    symbols: &[SymbolView],
    linked: bool,
) -> Result<(), ObjectError> {
    for s in table.iter() {
        let Some((relas, link)) = s.rela(LE, file).map_err(elf_error)? else {
            continue;
        };
        let names = table.symbol_table_by_index(LE, file, link).map_err(elf_error)?;
        for r in relas {
            let index = r.r_sym(LE, false) as usize;
            let symbol = match (index, linked) {
                (0, _) => None,
                (i, false) => Some(i),
                (i, true) => {
                    let entry = names.symbol(SymbolIndex(i)).map_err(elf_error)?;
                    let name = entry.name(LE, names.strings()).map_err(elf_error)?;
                    let name = String::from_utf8_lossy(name);
                    symbols.iter().position(|s| s.name == name)
                }
            };
            let (home, offset) = if linked {
                let address = r.r_offset(LE);
                let home = at_address(sections, address);
                (home, home.map_or(0, |h| address - sections[h].address))
            } else {
                ((s.sh_info(LE) as usize).checked_sub(1), r.r_offset(LE))
            };
            let bad = ObjectError::Relocation {
                kind: r.r_type(LE, false),
                address: r.r_offset(LE),
            };
            let Some(home) = home.and_then(|h| sections.get_mut(h)).filter(|h| offset < h.size) else {
                return Err(bad);
            };
            if symbol.is_some_and(|s| s >= symbols.len()) {
                return Err(bad);
            }
            let (kind, addend) = (r.r_type(LE, false), r.r_addend(LE));
            home.relocations.push(RelocationView {
                offset,
                kind,
                symbol,
                addend,
            });
        }
    }
    sections
        .iter_mut()
        .for_each(|s| s.relocations.sort_by_key(|r| r.offset));
    Ok(())
}
