//! Writes code objects (ELF64, HSA code object v5).
//!
//! Problem: ROCr, HIP, our own loader and LLVM's tools must all accept the file. Method: the layout ld.lld gives, with
//! the dynamic section moved to the read-only segment since nothing in it is relocated:
//!
//! ```text
//! file offset   0  ELF header, program headers
//!    R segment     .note .dynsym .hash .dynstr .dynamic .rodata (descriptors, 64-byte aligned)
//!   RX segment     .text (every kernel 256-byte aligned), at file offset + 4096 so that no page is shared
//!   not loaded     .symtab .t0.lines .strtab .shstrtab section headers
//! ```
//! Invariants: descriptor.entry_offset leads to the kernel's first byte; after the last instruction come at least 64
//! `s_code_end` words so that instruction prefetch stays inside the segment; the bytes depend on the input only.
//! Source: LLVM AMDGPUUsage "ELF Code Object", files made by clang 19 + ld.lld 19.

use super::descriptor::DESCRIPTOR_BYTES;
use super::link::Section;
use super::msgpack::Value;
use super::*;
use crate::target::Target;
use object::elf;
use object::write::elf::{FileHeader, ProgramHeader, SectionHeader, Sym, SymbolIndex, Writer};
use object::write::StringId;
use object::Endianness;

/// `s_code_end`: fills what is never executed; tools and the prefetcher know it.
const S_CODE_END: u32 = 0xbf9f_0000;
/// `s_code_end` words after the last instruction (LLVM pads the same for instruction prefetch).
const CODE_END_WORDS: usize = 64;
/// Kernels start at multiples of this (the packet processor drops the low 8 address bits).
const CODE_ALIGN: usize = 256;
/// Segments do not share pages of this size.
const PAGE: u64 = 4096;
/// Symbol visibility and type, as LLVM gives to kernels and descriptors.
const PROTECTED: u8 = elf::STV_PROTECTED;

/// A compiled kernel: the input of [`write()`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelCode {
    /// Its name; becomes the symbol.
    pub name: String,
    /// Instructions, ending with `s_endpgm`.
    pub code: Vec<u8>,
    /// Registers, memory and modes.
    pub resources: Resources,
    /// The arguments in order of offset.
    pub args: Vec<Arg>,
    /// The arrays in LDS.
    pub lds: Vec<LdsVariable>,
    /// Most work-items of a workgroup.
    pub max_group_size: u32,
    /// The workgroup size the kernel was compiled for, if only that one is right.
    pub required_group_size: Option<[u32; 3]>,
    /// SGPR and VGPR spills in this order.
    pub spills: [u32; 2],
    /// Source lines by offset.
    pub lines: Vec<Line>,
    /// Atomic operations by offset.
    pub atomics: Vec<AtomicOp>,
    /// Pieces of source it comes from.
    pub sources: Vec<Piece>,
}

impl KernelCode {
    fn table(&self) -> Table {
        Table {
            lines: self.lines.clone(),
            atomics: self.atomics.clone(),
            sources: self.sources.clone(),
        }
    }

    fn metadata(&self) -> KernelMetadata {
        let r = &self.resources;
        KernelMetadata {
            name: self.name.clone(),
            symbol: format!("{}.kd", self.name),
            kernarg_bytes: r.kernarg_bytes,
            kernarg_align: 8,
            lds_bytes: r.lds_bytes,
            scratch_bytes: r.scratch_bytes,
            wave_size: r.wave_size,
            sgprs: r.sgprs,
            vgprs: r.vgprs,
            spills: self.spills,
            max_group_size: Some(self.max_group_size),
            required_group_size: self.required_group_size,
            wgp_mode: Some(r.wgp_mode),
            args: self.args.clone(),
            lds: self.lds.clone(),
        }
    }
}

/// A code object with these kernels for this target.
///
/// Errors: a name that cannot be a symbol or comes twice, code that is not whole words, resources beyond the hardware.
pub fn write(target: &Target, kernels: &[KernelCode]) -> Result<Vec<u8>, ObjectError> {
    check(kernels)?;
    let mut descriptors = Vec::new();
    for k in kernels {
        let made = KernelDescriptor::new(&k.resources, target);
        descriptors.push(made.map_err(|source| ObjectError::Descriptor {
            kernel: k.name.clone(),
            source,
        })?);
    }
    let (text, starts) = text(kernels);
    let symbol_names: Vec<[Vec<u8>; 2]> = kernels
        .iter()
        .map(|k| [k.name.clone().into_bytes(), format!("{}.kd", k.name).into_bytes()])
        .collect();
    let image = Image {
        target,
        kernels,
        descriptors,
        starts,
        note: note(target, kernels),
        lines: lines::encode(kernels.iter().map(|k| (k.name.as_str(), k.table()))),
        text,
    };
    image.write(&symbol_names).map_err(|e| ObjectError::Elf(e.to_string()))
}

fn check(kernels: &[KernelCode]) -> Result<(), ObjectError> {
    if kernels.is_empty() {
        return Err(ObjectError::Empty);
    }
    for (i, k) in kernels.iter().enumerate() {
        let twice = kernels[..i].iter().any(|other| other.name == k.name);
        if k.name.is_empty() || k.name.contains('\0') || twice {
            return Err(ObjectError::Name(k.name.clone()));
        }
        if k.code.is_empty() || k.code.len() % 4 != 0 {
            return Err(ObjectError::Code {
                kernel: k.name.clone(),
                bytes: k.code.len(),
            });
        }
    }
    Ok(())
}

/// The bytes of .text and where each kernel starts in it.
fn text(kernels: &[KernelCode]) -> (Vec<u8>, Vec<usize>) {
    let mut text = Vec::new();
    let mut starts = Vec::new();
    let fill = |text: &mut Vec<u8>, until: usize| {
        while text.len() < until {
            text.extend(S_CODE_END.to_le_bytes());
        }
    };
    for k in kernels {
        let start = text.len().next_multiple_of(CODE_ALIGN);
        fill(&mut text, start);
        starts.push(start);
        text.extend(&k.code);
    }
    let end = text.len() + 4 * CODE_END_WORDS;
    fill(&mut text, end.next_multiple_of(CODE_ALIGN));
    (text, starts)
}

/// The metadata note, padded to whole words.
fn note(target: &Target, kernels: &[KernelCode]) -> Vec<u8> {
    let version = Value::Array(vec![1u32.into(), 2u32.into()]);
    let metadata = Value::map(vec![
        (
            "amdhsa.kernels",
            Value::Array(kernels.iter().map(|k| k.metadata().to_value()).collect()),
        ),
        (
            "amdhsa.target",
            format!("amdgcn-amd-amdhsa--{}", target.name).as_str().into(),
        ),
        ("amdhsa.version", version),
    ])
    .to_bytes();
    note_bytes(&metadata)
}

/// The note that holds the metadata, padded to whole words.
fn note_bytes(metadata: &[u8]) -> Vec<u8> {
    let mut note = Vec::new();
    note.extend(7u32.to_le_bytes()); // "AMDGPU" with its NUL
    note.extend((metadata.len() as u32).to_le_bytes());
    note.extend(NOTE_METADATA.to_le_bytes());
    note.extend(b"AMDGPU\0\0");
    note.extend(metadata);
    note.resize(note.len().next_multiple_of(4), 0);
    note
}

/// The section that holds the metadata.
pub(crate) fn metadata_note(metadata: &Value) -> Section {
    let data = note_bytes(&metadata.to_bytes());
    Section {
        name: ".note".to_owned(),
        kind: elf::SHT_NOTE,
        flags: u64::from(elf::SHF_ALLOC),
        align: 4,
        size: data.len() as u64,
        data,
        entsize: 0,
    }
}

/// Everything that goes into the file.
struct Image<'a> {
    target: &'a Target,
    kernels: &'a [KernelCode],
    descriptors: Vec<KernelDescriptor>,
    starts: Vec<usize>,
    note: Vec<u8>,
    lines: Vec<u8>,
    text: Vec<u8>,
}

/// A symbol before it is written, for .dynsym and .symtab alike.
struct Symbol {
    dynamic_name: StringId,
    name: StringId,
    kind: u8,
    in_text: bool,
    offset: u64,
    size: u64,
}

impl Image<'_> {
    fn write(&self, names: &[[Vec<u8>; 2]]) -> object::write::Result<Vec<u8>> {
        let mut out = Vec::new();
        let mut w = Writer::new(Endianness::Little, true, &mut out);

        // Reserve: fixes every offset. Read-only addresses equal file offsets.
        w.reserve_file_header();
        const PROGRAM_HEADERS: u32 = 6;
        w.reserve_program_headers(PROGRAM_HEADERS);
        w.reserve_null_section_index();
        let note_name = w.add_section_name(b".note");
        w.reserve_section_index();
        let note_at = w.reserve(self.note.len(), 4);

        w.reserve_null_dynamic_symbol_index();
        w.reserve_null_symbol_index();
        let symbols: Vec<Symbol> = self.symbols(&mut w, names);
        w.reserve_dynsym_section_index();
        let dynsym_at = w.reserve_dynsym();
        w.reserve_hash_section_index();
        let chains = w.dynamic_symbol_count();
        let hash_at = w.reserve_hash(chains, chains);
        w.reserve_dynstr_section_index();
        let dynstr_at = w.reserve_dynstr();
        let dynamic_name = w.add_section_name(b".dynamic");
        w.reserve_section_index();
        const DYNAMIC_ENTRIES: usize = 6;
        let dynamic_at = w.reserve_dynamic(DYNAMIC_ENTRIES);
        let rodata_name = w.add_section_name(b".rodata");
        let rodata_index = w.reserve_section_index();
        let rodata_len = self.descriptors.len() * DESCRIPTOR_BYTES;
        let rodata_at = w.reserve(rodata_len, DESCRIPTOR_BYTES);
        let text_name = w.add_section_name(b".text");
        let text_index = w.reserve_section_index();
        let text_at = w.reserve(self.text.len(), CODE_ALIGN);
        let text_address = text_at as u64 + PAGE;

        w.reserve_symtab_section_index();
        w.reserve_symtab();
        let lines_name = w.add_section_name(LINES_SECTION.as_bytes());
        w.reserve_section_index();
        let lines_at = w.reserve(self.lines.len(), 1);
        w.reserve_strtab_section_index();
        w.reserve_strtab();
        w.reserve_shstrtab_section_index();
        w.reserve_shstrtab();
        w.reserve_section_headers();

        // Write, in the same order.
        w.write_file_header(&FileHeader {
            os_abi: OSABI_HSA,
            abi_version: ABI_V5,
            e_type: elf::ET_DYN,
            e_machine: EM_AMDGPU,
            e_entry: 0,
            e_flags: self.target.mach,
        })?;
        w.write_align_program_headers();
        let header = |p_type, p_flags, at: usize, address: u64, len: usize, p_align| ProgramHeader {
            p_type,
            p_flags,
            p_offset: at as u64,
            p_vaddr: address,
            p_paddr: address,
            p_filesz: len as u64,
            p_memsz: len as u64,
            p_align,
        };
        let same = |p_type, at: usize, len, p_align| header(p_type, elf::PF_R, at, at as u64, len, p_align);
        let headers_len = PROGRAM_HEADERS as usize * 56;
        let dynamic_len = DYNAMIC_ENTRIES * 16;
        w.write_program_header(&same(elf::PT_PHDR, 64, headers_len, 8));
        w.write_program_header(&same(elf::PT_LOAD, 0, rodata_at + rodata_len, PAGE));
        let rx = elf::PF_R | elf::PF_X;
        w.write_program_header(&header(elf::PT_LOAD, rx, text_at, text_address, self.text.len(), PAGE));
        w.write_program_header(&same(elf::PT_DYNAMIC, dynamic_at, dynamic_len, 8));
        w.write_program_header(&header(elf::PT_GNU_STACK, elf::PF_R | elf::PF_W, 0, 0, 0, 1));
        w.write_program_header(&same(elf::PT_NOTE, note_at, self.note.len(), 4));

        w.pad_until(note_at);
        w.write(&self.note);
        let symbol = |s: &Symbol, name| Sym {
            name: Some(name),
            section: Some(if s.in_text { text_index } else { rodata_index }),
            st_info: (elf::STB_GLOBAL << 4) | s.kind,
            st_other: PROTECTED,
            st_shndx: 0,
            st_value: s.offset + if s.in_text { text_address } else { rodata_at as u64 },
            st_size: s.size,
        };
        w.write_null_dynamic_symbol();
        symbols
            .iter()
            .for_each(|s| w.write_dynamic_symbol(&symbol(s, s.dynamic_name)));
        let flat_names: Vec<&[u8]> = names.iter().flatten().map(Vec::as_slice).collect();
        w.write_hash(chains, chains, |index| {
            index.checked_sub(1).map(|i| elf::hash(flat_names[i as usize]))
        });
        w.write_dynstr();
        w.write_align_dynamic();
        w.write_dynamic(elf::DT_SYMTAB, dynsym_at as u64);
        w.write_dynamic(elf::DT_SYMENT, 24);
        w.write_dynamic(elf::DT_STRTAB, dynstr_at as u64);
        let dynstr_len = w.dynstr_len() as u64;
        w.write_dynamic(elf::DT_STRSZ, dynstr_len);
        w.write_dynamic(elf::DT_HASH, hash_at as u64);
        w.write_dynamic(elf::DT_NULL, 0);
        w.pad_until(rodata_at);
        for (i, (d, start)) in self.descriptors.iter().zip(&self.starts).enumerate() {
            let at = (rodata_at + i * DESCRIPTOR_BYTES) as i64;
            let entry_offset = text_address as i64 + *start as i64 - at;
            w.write(&KernelDescriptor { entry_offset, ..*d }.encode());
        }
        w.pad_until(text_at);
        w.write(&self.text);

        w.write_null_symbol();
        symbols.iter().for_each(|s| w.write_symbol(&symbol(s, s.name)));
        w.pad_until(lines_at);
        w.write(&self.lines);
        w.write_strtab();
        w.write_shstrtab();

        let alloc = u64::from(elf::SHF_ALLOC);
        let section = |name, sh_type, sh_flags, at: usize, sh_addr, len: usize, sh_addralign| SectionHeader {
            name: Some(name),
            sh_type,
            sh_flags,
            sh_addr,
            sh_offset: at as u64,
            sh_size: len as u64,
            sh_link: 0,
            sh_info: 0,
            sh_addralign,
            sh_entsize: 0,
        };
        w.write_null_section_header();
        let at = note_at as u64;
        w.write_section_header(&section(
            note_name,
            elf::SHT_NOTE,
            alloc,
            note_at,
            at,
            self.note.len(),
            4,
        ));
        w.write_dynsym_section_header(dynsym_at as u64, 1);
        w.write_hash_section_header(hash_at as u64);
        w.write_dynstr_section_header(dynstr_at as u64);
        let sh_link = w.dynstr_index().0;
        let at = dynamic_at as u64;
        let dynamic = section(dynamic_name, elf::SHT_DYNAMIC, alloc, dynamic_at, at, dynamic_len, 8);
        w.write_section_header(&SectionHeader {
            sh_link,
            sh_entsize: 16,
            ..dynamic
        });
        let at = rodata_at as u64;
        w.write_section_header(&section(
            rodata_name,
            elf::SHT_PROGBITS,
            alloc,
            rodata_at,
            at,
            rodata_len,
            64,
        ));
        let flags = alloc | u64::from(elf::SHF_EXECINSTR);
        let text = section(
            text_name,
            elf::SHT_PROGBITS,
            flags,
            text_at,
            text_address,
            self.text.len(),
            CODE_ALIGN as u64,
        );
        w.write_section_header(&text);
        w.write_symtab_section_header(1);
        w.write_section_header(&section(
            lines_name,
            elf::SHT_PROGBITS,
            0,
            lines_at,
            0,
            self.lines.len(),
            1,
        ));
        w.write_strtab_section_header();
        w.write_shstrtab_section_header();
        debug_assert_eq!(w.reserved_len(), w.len());
        Ok(out)
    }

    /// The symbols NAME (code) and NAME.kd (descriptor) of every kernel, reserved in both tables.
    fn symbols<'n>(&self, w: &mut Writer<'n>, names: &'n [[Vec<u8>; 2]]) -> Vec<Symbol> {
        let mut symbols = Vec::new();
        for (i, [code, descriptor]) in names.iter().enumerate() {
            let places = [
                (
                    code,
                    elf::STT_FUNC,
                    true,
                    self.starts[i] as u64,
                    self.kernels[i].code.len() as u64,
                ),
                (
                    descriptor,
                    elf::STT_OBJECT,
                    false,
                    (i * DESCRIPTOR_BYTES) as u64,
                    DESCRIPTOR_BYTES as u64,
                ),
            ];
            for (name, kind, in_text, offset, size) in places {
                let _: SymbolIndex = w.reserve_dynamic_symbol_index();
                let _: SymbolIndex = w.reserve_symbol_index(None);
                let (dynamic_name, name) = (w.add_dynamic_string(name), w.add_string(name));
                symbols.push(Symbol {
                    dynamic_name,
                    name,
                    kind,
                    in_text,
                    offset,
                    size,
                });
            }
        }
        symbols
    }
}
