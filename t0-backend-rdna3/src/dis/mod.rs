//! The disassembler for files: any gfx11 code object as assembler text that [`crate::asm`] reads back.
//!
//! Problem: show everything a code object holds, in LLVM's words, such that the text is also a source: assembled, it
//! gives the same bytes at the same addresses. Method: target, symbols, descriptors (as `.amdhsa_` directives) and
//! metadata first, then the loaded sections from start to end, instructions in the wave size of their kernel, padding
//! and zeros collapsed, everything else as data. An instruction whose text would be assembled to other bytes (a literal
//! that fits an inline constant, as linkers leave them) is written as `.long`, with llvm-objdump's text and the reason in
//! the comment. Invariant:
//! the lines of a section cover its bytes exactly once. Text and comments are those of llvm-objdump 19.

mod code;
mod data;

use crate::asm::{kernel_directives, GRANULATED_SGPRS, INST_PREF_SIZE};
use crate::object::view::{ObjectView, SymbolView};
use crate::object::{yaml, KernelDescriptor, ObjectError};
use object::elf;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

/// What to show and how.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options<'a> {
    /// Only this kernel: its descriptor and its code.
    pub kernel: Option<&'a str>,
    /// Branches name labels instead of distances, and distances from `s_getpc_b64` name symbols.
    pub symbolize: bool,
    /// Lanes of a wave in code that belongs to no kernel.
    pub wave_size: Option<u32>,
}

/// Bytes with their text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code {
    /// The section.
    pub section: String,
    /// Address; offset in the section for relocatable objects.
    pub address: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// LLVM's text of the instruction; `None` for data and padding.
    pub instruction: Option<String>,
    /// Why the bytes are no instruction.
    pub error: Option<String>,
    /// The address a branch leads to.
    pub target: Option<u64>,
}

/// A line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// What the assembler reads.
    pub text: String,
    /// What it does not read.
    pub comment: String,
    /// The bytes it stands for.
    pub code: Option<Code>,
}

impl Line {
    fn plain(text: impl Into<String>) -> Line {
        Line {
            text: text.into(),
            comment: String::new(),
            code: None,
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.comment.as_str(), self.code.is_some()) {
            ("", _) => f.write_str(&self.text),
            // The columns of llvm-objdump.
            (comment, true) => write!(f, "\t{:<58} // {comment}", self.text),
            (comment, false) if self.text.is_empty() => write!(f, "// {comment}"),
            (comment, false) => write!(f, "{} // {comment}", self.text),
        }
    }
}

/// A kernel of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DisKernel {
    /// Its name.
    pub name: String,
    /// The descriptor.
    pub descriptor: KernelDescriptor,
    /// Section and offset of the descriptor.
    place: (usize, u64),
    /// Section and offset of the first instruction.
    entry: Option<(usize, u64)>,
    /// The descriptor's bytes, those of the entry's offset included.
    bytes: [u8; 64],
    /// The entry is where the symbol of the kernel's name is.
    entry_named: bool,
}

/// A file's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disassembly {
    /// The lines.
    pub lines: Vec<Line>,
    /// The kernels in order of their descriptors.
    pub kernels: Vec<DisKernel>,
    /// Something that is no instruction can be reached by a kernel or function.
    pub unknown_reached: bool,
}

impl fmt::Display for Disassembly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|l| writeln!(f, "{l}"))
    }
}

/// The text of a code object.
///
/// Errors: a kernel that is not there.
pub fn disassemble(object: &ObjectView, options: &Options<'_>) -> Result<Disassembly, ObjectError> {
    let kernels = kernels(object);
    if let Some(name) = options.kernel {
        if !kernels.iter().any(|k| k.name == name) {
            let have = kernels.iter().map(|k| k.name.clone()).collect();
            return Err(ObjectError::NoKernel {
                name: name.to_owned(),
                have,
            });
        }
    }
    let mut p = Printer {
        object,
        options,
        kernels: &kernels,
        labels: BTreeMap::new(),
        names: HashSet::new(),
        section_labels: HashMap::new(),
        lines: Vec::new(),
        unknown_reached: false,
    };
    p.name_symbols();
    p.header();
    p.attributes();
    p.descriptors();
    p.metadata();
    p.sections();
    let (lines, unknown_reached) = (p.lines, p.unknown_reached);
    Ok(Disassembly {
        lines,
        kernels,
        unknown_reached,
    })
}

/// Sections a linker makes, and those that only serve tools.
const MADE: [&str; 8] = [
    ".dynsym",
    ".gnu.hash",
    ".hash",
    ".dynstr",
    ".dynamic",
    ".rela.dyn",
    ".relro_padding",
    ".note",
];
/// The offset of the entry address in a descriptor.
const ENTRY: u64 = 16;

fn kernels(object: &ObjectView) -> Vec<DisKernel> {
    let mut out = Vec::new();
    for s in &object.symbols {
        let (Some(name), Some(section)) = (s.name.strip_suffix(".kd"), s.section) else {
            continue;
        };
        let home = &object.sections[section];
        let start = s.offset as usize;
        let bytes = start.checked_add(64).and_then(|end| home.data.get(start..end));
        let Some(bytes) = bytes.and_then(|b| <[u8; 64]>::try_from(b).ok()) else {
            continue;
        };
        let Ok(descriptor) = KernelDescriptor::decode(&bytes) else {
            continue;
        };
        let entry = if object.linked {
            let address = object.address(s).wrapping_add_signed(descriptor.entry_offset);
            object
                .section_at(address)
                .map(|i| (i, address - object.sections[i].address))
        } else {
            let at = s.offset + ENTRY;
            home.relocations.iter().find(|r| r.offset == at).and_then(|r| {
                let target = &object.symbols[r.symbol?];
                let offset = target.offset.wrapping_add_signed(r.addend).wrapping_sub(ENTRY);
                Some((target.section?, offset))
            })
        };
        let place = (section, s.offset);
        let is_entry = |s: &SymbolView| s.name == name && s.section.map(|i| (i, s.offset)) == entry;
        let entry_named = entry.is_some() && object.symbols.iter().any(is_entry);
        if out.iter().any(|k: &DisKernel| k.place == place) {
            continue;
        }
        out.push(DisKernel {
            name: name.to_owned(),
            descriptor,
            place,
            entry,
            bytes,
            entry_named,
        });
    }
    out.sort_by_key(|k| k.place);
    out
}

/// A place that has a name.
#[derive(Debug, Clone)]
struct Label {
    name: String,
    size: u64,
    kind: u8,
    /// Another file's symbol may take its place: what refers to it is left to the loader.
    preemptible: bool,
}

struct Printer<'a> {
    object: &'a ObjectView,
    options: &'a Options<'a>,
    kernels: &'a [DisKernel],
    /// Labels by section and offset.
    labels: BTreeMap<(usize, u64), Vec<Label>>,
    names: HashSet<String>,
    /// Private labels at the start of sections that relocations refer to.
    section_labels: HashMap<usize, String>,
    lines: Vec<Line>,
    unknown_reached: bool,
}

/// A name as the assembler reads it: in quotes when it contains what names do not.
fn quoted(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$');
    if !name.is_empty() && name.chars().all(plain) && !name.starts_with(|c: char| c.is_ascii_digit()) {
        return name.to_owned();
    }
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

impl Printer<'_> {
    /// Only one kernel is shown.
    fn filtered(&self) -> bool {
        self.options.kernel.is_some()
    }

    fn shown(&self, k: &DisKernel) -> bool {
        self.options.kernel.is_none_or(|name| name == k.name)
    }

    fn named_symbols(&self) -> impl Iterator<Item = &SymbolView> {
        let made = |s: &&SymbolView| {
            let home = s.section.map(|i| self.object.sections[i].name.as_str());
            matches!(s.kind, elf::STT_FUNC | elf::STT_OBJECT | elf::STT_NOTYPE)
                && !s.name.is_empty()
                && home.is_some_and(|h| !MADE.contains(&h))
        };
        self.object.symbols.iter().filter(made)
    }

    /// Gives every symbol its label; local symbols of one name keep the first.
    fn name_symbols(&mut self) {
        let mut labels: BTreeMap<(usize, u64), Vec<Label>> = BTreeMap::new();
        let mut names = HashSet::new();
        for s in self.named_symbols() {
            let Some(section) = s.section else { continue };
            if names.insert(s.name.clone()) {
                let label = Label {
                    name: s.name.clone(),
                    size: s.size,
                    kind: s.kind,
                    preemptible: s.binding != elf::STB_LOCAL && s.visibility == elf::STV_DEFAULT,
                };
                labels.entry((section, s.offset)).or_default().push(label);
            }
        }
        (self.labels, self.names) = (labels, names);
    }

    fn header(&mut self) {
        let o = self.object;
        let version = i32::from(o.abi_version) + 2;
        let (system, hsa) = match o.os_abi {
            64 => ("amd-amdhsa", true),
            65 => ("amd-amdpal", false),
            66 => ("mesa-mesa3d", false),
            _ => ("-", false),
        };
        let version_text = match hsa {
            true => format!("ABI version {} (code object v{version})", o.abi_version),
            false => format!("OS/ABI {}, ABI version {}", o.os_abi, o.abi_version),
        };
        let form = if o.linked { "linked" } else { "relocatable" };
        self.lines.push(Line {
            text: String::new(),
            comment: format!(
                "{form} code object for {}, e_flags {:#x}, {version_text}",
                o.target.name, o.flags
            ),
            code: None,
        });
        self.lines.push(Line::plain(format!(
            "\t.amdgcn_target \"amdgcn-{system}--{}\"",
            o.target.name
        )));
        if hsa && (4..=6).contains(&version) {
            self.lines
                .push(Line::plain(format!("\t.amdhsa_code_object_version {version}")));
        }
    }

    /// Binding, visibility and type of the symbols, in the order of the symbol table.
    fn attributes(&mut self) {
        let mut out = Vec::new();
        let mut seen = HashSet::new();
        for s in self.named_symbols() {
            let code = s.name.strip_suffix(".kd").unwrap_or(&s.name);
            if self.options.kernel.is_some_and(|k| k != code) || !seen.insert(s.name.as_str()) {
                continue;
            }
            let name = quoted(&s.name);
            let later = self.is_told_later(s);
            match s.binding {
                _ if later => {}
                elf::STB_GLOBAL => out.push(format!("\t.globl {name}")),
                elf::STB_WEAK => out.push(format!("\t.weak {name}")),
                // Said only so that local symbols, too, keep their order.
                _ => out.push(format!("\t.local {name}")),
            }
            // The assembler protects a kernel's code by itself, and leaves its descriptor as the code was before.
            let kd = format!("{}.kd", s.name);
            let block = self.kernels.iter().any(|k| k.name == s.name && as_block(k).is_some());
            let open = |d: &SymbolView| block && d.name == kd && d.visibility == elf::STV_DEFAULT;
            match s.visibility {
                _ if later => {}
                elf::STV_PROTECTED if self.object.symbols.iter().any(open) => {}
                elf::STV_PROTECTED => out.push(format!("\t.protected {name}")),
                elf::STV_HIDDEN | elf::STV_INTERNAL => out.push(format!("\t.hidden {name}")),
                _ => {}
            }
            match s.kind {
                elf::STT_FUNC => out.push(format!("\t.type {name},@function")),
                elf::STT_OBJECT if !s.name.ends_with(".kd") => out.push(format!("\t.type {name},@object")),
                // Keeps its place in the symbol table.
                elf::STT_NOTYPE if later => out.push(format!("\t.type {name},@notype")),
                _ => {}
            }
        }
        // Symbols of other files have a place in the loader's tables.
        let elsewhere = |s: &&SymbolView| s.section.is_none() && s.offset == 0 && s.binding != elf::STB_LOCAL;
        for s in self
            .object
            .symbols
            .iter()
            .filter(elsewhere)
            .filter(|_| self.options.kernel.is_none())
        {
            let directive = if s.binding == elf::STB_WEAK { ".weak" } else { ".globl" };
            out.push(format!("\t{directive} {}", quoted(&s.name)));
        }
        self.lines.extend(out.into_iter().map(Line::plain));
    }

    /// A descriptor takes binding and visibility from what is known of the code where it stands: one that stood before
    /// anything was said of the code is global. Then the code's are said after it.
    fn is_told_later(&self, s: &SymbolView) -> bool {
        let block = self.kernels.iter().any(|k| k.name == s.name && as_block(k).is_some());
        let kd = format!("{}.kd", s.name);
        let open = |d: &SymbolView| d.binding == elf::STB_GLOBAL && d.visibility == elf::STV_DEFAULT;
        let hidden = matches!(s.visibility, elf::STV_HIDDEN | elf::STV_INTERNAL);
        let differs = s.binding != elf::STB_GLOBAL || hidden;
        block && differs && self.object.symbols.iter().any(|d| d.name == kd && open(d))
    }

    /// Binding and visibility of a kernel's code where they follow its descriptor.
    fn late_attributes(&mut self, k: &DisKernel) {
        let symbols = &self.object.symbols;
        let Some(s) = symbols.iter().find(|s| s.name == k.name && self.is_told_later(s)) else {
            return;
        };
        let name = quoted(&s.name);
        let binding = match s.binding {
            elf::STB_WEAK => Some(".weak"),
            elf::STB_GLOBAL => Some(".globl"),
            _ => None,
        };
        let hidden = matches!(s.visibility, elf::STV_HIDDEN | elf::STV_INTERNAL).then_some(".hidden");
        let lines = binding.into_iter().chain(hidden);
        self.lines
            .extend(lines.map(|directive| Line::plain(format!("\t{directive} {name}"))));
    }

    /// The read-only data the descriptors are in, so that they come first.
    fn descriptors(&mut self) {
        let mut sections: Vec<usize> = self
            .kernels
            .iter()
            .filter(|k| self.shown(k))
            .map(|k| k.place.0)
            .collect();
        sections.dedup();
        for s in sections {
            self.data_section(s);
        }
    }

    fn metadata(&mut self) {
        let Some(m) = self.object.metadata.as_ref().filter(|_| !self.filtered()) else {
            return;
        };
        self.lines.push(Line::plain("\t.amdgpu_metadata"));
        self.lines.extend(yaml::print(m).lines().map(Line::plain));
        self.lines.push(Line::plain("\t.end_amdgpu_metadata"));
    }

    fn sections(&mut self) {
        let with_descriptors: HashSet<usize> = self
            .kernels
            .iter()
            .filter(|k| self.shown(k))
            .map(|k| k.place.0)
            .collect();
        for (i, s) in self.object.sections.iter().enumerate() {
            if !self.is_printed(i) || with_descriptors.contains(&i) {
                continue;
            }
            if s.is_code() {
                self.code_section(i);
            } else if !self.filtered() {
                self.data_section(i);
            }
        }
    }

    /// The text has this section.
    fn is_printed(&self, i: usize) -> bool {
        let s = &self.object.sections[i];
        s.is_loaded() && !MADE.contains(&s.name.as_str())
    }

    /// The directive that opens a section, its alignment and its private label.
    fn open_section(&mut self, i: usize) {
        let s = &self.object.sections[i];
        self.lines.push(Line::plain(""));
        if s.name == ".text" {
            self.lines.push(Line::plain("\t.text"));
        } else {
            let flags = [('a', elf::SHF_ALLOC), ('w', elf::SHF_WRITE), ('x', elf::SHF_EXECINSTR)];
            let has = |f: &&(char, u32)| s.flags & u64::from(f.1) != 0;
            let flags: String = flags.iter().filter(has).map(|f| f.0).collect();
            let kind = match s.kind {
                elf::SHT_NOBITS => "@nobits".to_owned(),
                elf::SHT_PROGBITS => "@progbits".to_owned(),
                elf::SHT_NOTE => "@note".to_owned(),
                other => format!("@{other}"),
            };
            self.lines.push(Line::plain(format!(
                "\t.section {},\"{flags}\",{kind}",
                quoted_section(&s.name)
            )));
        }
        if s.align > 1 && s.align.is_power_of_two() {
            self.lines
                .push(Line::plain(format!("\t.p2align {}", s.align.trailing_zeros())));
        }
        if let Some(label) = self.section_labels.get(&i) {
            self.lines.push(Line::plain(format!("{label}:")));
        }
    }

    /// The labels at a place, and their sizes but for those that reach to `end`, which stand there.
    fn labels_at(&mut self, at: (usize, u64), end: Option<u64>) {
        for label in self.labels.get(&at).cloned().unwrap_or_default() {
            self.lines.push(Line::plain(format!("{}:", quoted(&label.name))));
            if label.size > 0 && at.1.checked_add(label.size) != end {
                self.lines
                    .push(Line::plain(format!("\t.size {}, {}", quoted(&label.name), label.size)));
            }
        }
    }

    /// Offsets in a section where something begins: labels, and the end.
    fn cuts(&self, section: usize) -> Vec<u64> {
        let size = self.object.sections[section].size;
        let mut cuts: Vec<u64> = self
            .labels
            .range((section, 0)..(section, size))
            .map(|(k, _)| k.1)
            .filter(|offset| !self.is_within_pointer(section, *offset))
            .chain([0, size])
            .collect();
        cuts.sort_unstable();
        cuts.dedup();
        cuts
    }

    /// The descriptor as a block, or as plain words when no block gives its bytes.
    fn descriptor(&mut self, k: &DisKernel) {
        let name = quoted(&k.name);
        let Some(directives) = as_block(k) else {
            self.raw_descriptor(k);
            return;
        };
        self.lines.push(Line::plain(format!("\t.amdhsa_kernel {name}")));
        for (directive, value) in directives {
            let mut line = Line::plain(format!("\t\t.amdhsa_{directive} {value}"));
            line.comment = match directive {
                GRANULATED_SGPRS => "reserved bits a compiler left set; LLVM has no directive for them",
                INST_PREF_SIZE => "LLVM 19 has no such directive",
                _ => "",
            }
            .to_owned();
            self.lines.push(line);
        }
        self.lines.push(Line::plain("\t.end_amdhsa_kernel"));
        self.late_attributes(k);
    }

    /// A descriptor whose bytes no block gives.
    fn raw_descriptor(&mut self, k: &DisKernel) {
        let (name, kd) = (quoted(&k.name), quoted(&format!("{}.kd", k.name)));
        let words = |bytes: &[u8]| {
            let word = |w: &[u8]| format!("{:#010x}", u32::from_le_bytes([w[0], w[1], w[2], w[3]]));
            bytes.chunks_exact(4).map(word).collect::<Vec<_>>().join(", ")
        };
        let comment = match (k.entry_named, has_reserved_bits(k)) {
            (false, _) => "the entry of this descriptor is not where its kernel's symbol is",
            (true, true) => "this descriptor has reserved bits set",
            (true, false) => "this descriptor has bits that no .amdhsa_ directive sets",
        };
        self.lines.push(Line {
            text: format!("\t.type {kd},@object"),
            comment: comment.to_owned(),
            code: None,
        });
        self.lines.push(Line::plain(format!("{kd}:")));
        self.lines.push(Line::plain(format!("\t.size {kd}, 64")));
        self.lines
            .push(Line::plain(format!("\t.long {}", words(&k.bytes[..16]))));
        let entry = match k.entry_named {
            true => format!("\t.quad {name}-{kd}"),
            false => format!("\t.long {}", words(&k.bytes[16..24])),
        };
        self.lines.push(Line::plain(entry));
        self.lines
            .push(Line::plain(format!("\t.long {}", words(&k.bytes[24..]))));
    }
}

/// The directives that give a descriptor's bytes, if there are any.
fn as_block(k: &DisKernel) -> Option<Vec<(&'static str, u32)>> {
    kernel_directives(&k.descriptor).filter(|_| k.entry_named && !has_reserved_bits(k))
}

/// Bits that no field of the descriptor has: a block would not give them back.
fn has_reserved_bits(k: &DisKernel) -> bool {
    let entry = ENTRY as usize..ENTRY as usize + 8;
    let known = k.descriptor.encode();
    (0..64).any(|i| !entry.contains(&i) && known[i] != k.bytes[i])
}

fn quoted_section(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | '-');
    if name.chars().all(plain) {
        name.to_owned()
    } else {
        quoted(name)
    }
}
