//! Directives: sections, data, target. Source: LLVM 19 `AsmParser.cpp`, `ELFAsmParser.cpp`.

use super::error::{AsmError, AsmErrorKind};
use super::expr;
use super::lex::{Cursor, Place, Token};
use super::state::{too_large, Assembler, FixupKind, MAX_SECTION};
use super::Note;
use crate::object::link::Section;
use crate::target::{Target, TARGETS};
use object::elf;

pub(super) const ALLOC: u64 = elf::SHF_ALLOC as u64;
pub(super) const WRITE: u64 = elf::SHF_WRITE as u64;
const EXEC: u64 = elf::SHF_EXECINSTR as u64;
/// `s_nop 0`, which pads code.
const S_NOP: u32 = 0xbf80_0000;

impl Assembler {
    /// Obeys a directive; its name is read already.
    pub(super) fn directive(&mut self, name: &str, c: &mut Cursor<'_>, here: &Place) -> Result<(), AsmError> {
        match name {
            ".text" | ".data" | ".bss" | ".rodata" | ".data.rel.ro" => self.named_section(name, c, here),
            ".section" | ".pushsection" => self.section(c, name == ".pushsection"),
            ".popsection" => {
                let top = self.section_stack.pop();
                let opening = AsmErrorKind::Unopened {
                    directive: ".popsection",
                    opening: ".pushsection",
                };
                (self.current, self.previous) = top.ok_or_else(|| here.error(opening))?;
                c.finish()
            }
            ".previous" => {
                std::mem::swap(&mut self.current, &mut self.previous);
                c.finish()
            }
            ".globl" | ".global" => self.binding(c, elf::STB_GLOBAL),
            ".weak" => self.binding(c, elf::STB_WEAK),
            ".local" => self.binding(c, elf::STB_LOCAL),
            ".hidden" | ".internal" => self.attribute(c, |s| s.visibility = elf::STV_HIDDEN),
            ".protected" => self.attribute(c, |s| s.visibility = elf::STV_PROTECTED),
            ".type" => self.symbol_type(c),
            ".size" => self.symbol_size(c),
            ".set" | ".equ" | ".equiv" => {
                let place = c.here();
                let symbol = c.name("a symbol")?;
                c.expect(",", "`,` and a value")?;
                self.assign(&symbol, c, &place, name != ".equiv")
            }
            ".comm" | ".lcomm" => self.common(c, name == ".comm"),
            ".amdgpu_lds" => self.lds(c),
            ".byte" | ".dc.b" => self.data(c, 1),
            ".short" | ".2byte" | ".value" | ".dc" | ".dc.w" => self.data(c, 2),
            ".long" | ".4byte" | ".int" | ".dc.l" => self.data(c, 4),
            ".quad" | ".8byte" | ".dc.a" => self.data(c, 8),
            ".octa" => self.octa(c),
            ".float" | ".single" | ".dc.s" => self.floats(c, 4),
            ".double" | ".dc.d" => self.floats(c, 8),
            ".dcb.b" => self.repeated(c, 1, false),
            ".dcb" | ".dcb.w" => self.repeated(c, 2, false),
            ".dcb.l" => self.repeated(c, 4, false),
            ".dcb.s" => self.repeated(c, 4, true),
            ".dcb.d" => self.repeated(c, 8, true),
            ".ds.b" => self.space(c, 1),
            ".ds" | ".ds.w" => self.space(c, 2),
            ".ds.l" | ".ds.s" => self.space(c, 4),
            ".ds.d" => self.space(c, 8),
            ".ds.p" | ".ds.x" => self.space(c, 12),
            ".ascii" => self.text(c, false),
            ".asciz" | ".string" => self.text(c, true),
            ".zero" | ".skip" | ".space" => self.skip(c),
            ".fill" => self.fill(c),
            ".org" => self.org(c),
            ".p2align" | ".p2alignw" | ".p2alignl" | ".balign" | ".balignw" | ".balignl" | ".align" => {
                self.align(name, c)
            }
            ".uleb128" | ".sleb128" => self.leb(c, name == ".sleb128"),
            ".amdgcn_target" => self.amdgcn_target(c),
            ".amdhsa_code_object_version" => self.code_object_version(c),
            ".amdhsa_kernel" => self.open_kernel(c, here),
            ".amdgpu_metadata" => {
                self.metadata_text = Some((String::new(), here.clone()));
                c.finish()
            }
            // They describe the source to debuggers and linkers; a code object works without.
            ".file" | ".loc" | ".ident" | ".addrsig" | ".addrsig_sym" => Ok(()),
            // Every symbol of a file that is not defined is extern.
            ".extern" => Ok(()),
            ".line" => {
                if !c.at_end() {
                    self.number(c)?;
                }
                c.finish()
            }
            ".weakref" => self.weak_reference(c),
            ".version" | ".symver" => {
                let why = match name {
                    ".version" => "a note that no loader of code objects reads",
                    _ => "loaders of code objects know no versions of symbols",
                };
                Err(here.error(AsmErrorKind::Unsupported {
                    name: name.to_owned(),
                    why,
                }))
            }
            ".end" => {
                c.finish()?;
                self.stop();
                Ok(())
            }
            _ if name.starts_with(".cfi_") => self.call_frame(name, c, here),
            ".error" | ".err" => {
                let message = match c.peek() {
                    Token::Text(t) => String::from_utf8_lossy(&t).into_owned(),
                    _ => "the file says `.err`".to_owned(),
                };
                Err(here.error(AsmErrorKind::User { message }))
            }
            ".warning" | ".print" => self.note(name, c, here),
            ".include" | ".incbin" => {
                let why = "t0 reads one file";
                Err(here.error(AsmErrorKind::Unsupported {
                    name: name.to_owned(),
                    why,
                }))
            }
            ".amdgpu_hsa_kernel" | ".amd_kernel_code_t" | ".hsa_code_object_version" | ".hsa_code_object_isa" => {
                let why = "code objects older than version 3; use .amdhsa_kernel";
                Err(here.error(AsmErrorKind::Unsupported {
                    name: name.to_owned(),
                    why,
                }))
            }
            _ => self.macro_directive(name, c, here),
        }
    }

    fn named_section(&mut self, name: &str, c: &mut Cursor<'_>, here: &Place) -> Result<(), AsmError> {
        if !c.at_end() {
            let (subsection, place) = self.number(c)?;
            if subsection != 0 {
                let why = "subsections";
                return Err(place.error(AsmErrorKind::Unsupported {
                    name: name.to_owned(),
                    why,
                }));
            }
        }
        c.finish()?;
        self.switch(name, None, None, here)
    }

    /// `.section NAME[, "FLAGS"[, @TYPE[, ENTSIZE]]]`
    fn section(&mut self, c: &mut Cursor<'_>, push: bool) -> Result<(), AsmError> {
        let here = c.here();
        let start = c.position();
        let name = match c.peek() {
            Token::Text(_) => c.name("a section name")?,
            _ => {
                // Names such as `.note.GNU-stack` contain signs that other names do not.
                while !matches!(c.peek(), Token::Sign(",") | Token::End) {
                    c.next()?;
                }
                c.since(start).text
            }
        };
        if name.is_empty() {
            return Err(c.expected("a section name"));
        }
        let (mut flags, mut kind, mut entsize) = (None, None, None);
        if c.eat(",") {
            let place = c.here();
            flags = Some(section_flags(&c.name("flags such as \"ax\"")?, &place)?);
            let merges = flags.is_some_and(|f| f & u64::from(elf::SHF_MERGE) != 0);
            if c.eat(",") {
                kind = Some(section_type(c)?);
            } else if merges {
                return Err(c.expected("`,` and a type such as @progbits, which flag `M` asks for"));
            }
            if merges {
                entsize = Some(self.entry_size(c)?);
            }
            while c.eat(",") {
                expr::parse(c, self)?;
            }
        }
        c.finish()?;
        if let Some(kind) = kind.filter(|k| !is_linkable(*k, flags.unwrap_or(0))) {
            return Err(here.error(AsmErrorKind::SectionType { kind }));
        }
        let saved = (self.current, self.previous);
        let there = self.sections.len();
        self.switch(&name, flags, kind, &here)?;
        let section = &mut self.sections[self.current];
        if self.current == there {
            section.entsize = entsize.unwrap_or(0);
        } else if entsize.is_some_and(|e| e != section.entsize) {
            return Err(here.error(AsmErrorKind::SectionChanged { name }));
        }
        if push {
            self.section_stack.push(saved);
        }
        Ok(())
    }

    /// `, ENTSIZE` of a mergeable section.
    fn entry_size(&mut self, c: &mut Cursor<'_>) -> Result<u64, AsmError> {
        c.expect(",", "`,` and the bytes of an entry, which flag `M` asks for")?;
        let (value, place) = self.number(c)?;
        let (what, low, high) = ("the size of an entry", 1, MAX_SECTION as i64);
        if !(low..=high).contains(&value) {
            return Err(place.error(AsmErrorKind::Range { what, value, low, high }));
        }
        Ok(value as u64)
    }

    pub(super) fn switch(
        &mut self,
        name: &str,
        flags: Option<u64>,
        kind: Option<u32>,
        place: &Place,
    ) -> Result<(), AsmError> {
        let found = self.sections.iter().position(|s| s.name == name);
        let index = match found {
            Some(i) => {
                let s = &self.sections[i];
                if flags.is_some_and(|f| f != s.flags) || kind.is_some_and(|k| k != s.kind) {
                    return Err(place.error(AsmErrorKind::SectionChanged { name: name.to_owned() }));
                }
                i
            }
            None => {
                let (default_flags, default_kind) = section_defaults(name);
                self.sections.push(Section {
                    name: name.to_owned(),
                    kind: kind.unwrap_or(default_kind),
                    flags: flags.unwrap_or(default_flags),
                    align: 1,
                    ..Section::default()
                });
                self.opened.insert(self.sections.len() - 1, place.clone());
                self.sections.len() - 1
            }
        };
        (self.previous, self.current) = (self.current, index);
        Ok(())
    }

    /// A number of bytes or repetitions.
    pub(super) fn count(&mut self, c: &mut Cursor<'_>, what: &'static str) -> Result<u64, AsmError> {
        let (value, place) = self.number(c)?;
        let high = MAX_SECTION as i64;
        if !(0..=high).contains(&value) {
            return Err(place.error(AsmErrorKind::Range {
                what,
                value,
                low: 0,
                high,
            }));
        }
        Ok(value as u64)
    }

    fn data(&mut self, c: &mut Cursor<'_>, bytes: u64) -> Result<(), AsmError> {
        if c.at_end() {
            return Ok(());
        }
        loop {
            let start = c.position();
            let e = expr::parse(c, self)?;
            let place = c.since(start);
            match self.absolute(&e) {
                Some(v) => {
                    check_width(v, bytes, &place)?;
                    self.emit(&v.to_le_bytes()[..bytes as usize], &place)?;
                }
                // LLVM puts nothing there that is settled later, be it zero in the end.
                None if self.sections[self.current].kind == elf::SHT_NOBITS => {
                    return Err(place.error(AsmErrorKind::NoBits));
                }
                None => {
                    self.fixup(FixupKind::Data(bytes), 0, e, &place);
                    self.emit(&[0; 8][..bytes as usize], &place)?;
                }
            }
            if !c.eat(",") {
                return c.finish();
            }
        }
    }

    /// `.octa`: numbers of 128 bits, as they stand.
    fn octa(&mut self, c: &mut Cursor<'_>) -> Result<(), AsmError> {
        if c.at_end() {
            return Ok(());
        }
        loop {
            let place = c.here();
            let expected = c.expected("a number");
            let Token::Number(v) = c.next()? else {
                return Err(expected);
            };
            self.emit(&v.to_le_bytes(), &place)?;
            if !c.eat(",") {
                return c.finish();
            }
        }
    }

    fn floats(&mut self, c: &mut Cursor<'_>, bytes: usize) -> Result<(), AsmError> {
        if c.at_end() {
            return Ok(());
        }
        loop {
            let here = c.here();
            let value = float(c, bytes)?;
            self.emit(&value, &here)?;
            if !c.eat(",") {
                return c.finish();
            }
        }
    }

    /// `.dcb COUNT, VALUE`
    fn repeated(&mut self, c: &mut Cursor<'_>, bytes: usize, is_float: bool) -> Result<(), AsmError> {
        let here = c.here();
        let count = self.count(c, "the count")?;
        c.expect(",", "`,` and the value")?;
        let one = if is_float {
            float(c, bytes)?
        } else {
            let (value, place) = self.number(c)?;
            check_width(value, bytes as u64, &place)?;
            value.to_le_bytes()[..bytes].to_vec()
        };
        c.finish()?;
        self.room(count, bytes as u64, &here)?;
        self.emit(&one.repeat(count as usize), &here)
    }

    /// `.ds COUNT`
    fn space(&mut self, c: &mut Cursor<'_>, bytes: u64) -> Result<(), AsmError> {
        let here = c.here();
        let count = self.count(c, "the count")?;
        c.finish()?;
        self.room(count, bytes, &here)?;
        self.reserve(count * bytes, &here)
    }

    /// Refuses more bytes than a section may have.
    fn room(&self, count: u64, bytes: u64, place: &Place) -> Result<(), AsmError> {
        if count * bytes <= MAX_SECTION {
            return Ok(());
        }
        Err(place.error(AsmErrorKind::Range {
            what: "the number of bytes",
            value: (count * bytes) as i64,
            low: 0,
            high: MAX_SECTION as i64,
        }))
    }

    /// `.warning ["TEXT"]` and `.print "TEXT"`
    fn note(&mut self, name: &str, c: &mut Cursor<'_>, here: &Place) -> Result<(), AsmError> {
        let is_warning = name == ".warning";
        let text = if is_warning && c.at_end() {
            "the file says `.warning`".to_owned()
        } else {
            let expected = c.expected("a string in quotation marks");
            match c.next()? {
                Token::Text(t) => String::from_utf8_lossy(&t).into_owned(),
                _ => return Err(expected),
            }
        };
        c.finish()?;
        self.notes.push(Note {
            line: here.line,
            is_warning,
            text,
        });
        Ok(())
    }

    fn text(&mut self, c: &mut Cursor<'_>, zero: bool) -> Result<(), AsmError> {
        if c.at_end() {
            return Ok(());
        }
        loop {
            let here = c.here();
            let Token::Text(bytes) = c.next()? else {
                return Err(here.error(AsmErrorKind::Expected {
                    expected: "a string in quotation marks",
                }));
            };
            self.emit(&bytes, &here)?;
            // Strings of `.ascii` may follow each other, as in C.
            if !zero && matches!(c.peek(), Token::Text(_)) {
                continue;
            }
            if zero {
                self.emit(&[0], &here)?;
            }
            if !c.eat(",") {
                return c.finish();
            }
        }
    }

    pub(super) fn reserve(&mut self, bytes: u64, place: &Place) -> Result<(), AsmError> {
        self.emit(&vec![0; bytes as usize], place)
    }

    fn skip(&mut self, c: &mut Cursor<'_>) -> Result<(), AsmError> {
        let here = c.here();
        let bytes = self.count(c, "the number of bytes")?;
        let fill = if c.eat(",") { self.number(c)?.0 } else { 0 };
        c.finish()?;
        self.emit(&vec![fill as u8; bytes as usize], &here)
    }

    /// `.fill COUNT[, SIZE[, VALUE]]`: of a size above 4 only the low 4 bytes carry the value.
    fn fill(&mut self, c: &mut Cursor<'_>) -> Result<(), AsmError> {
        let here = c.here();
        // Nothing comes of negative numbers; LLVM warns.
        let count = self.number(c)?.0.max(0) as u64;
        let (mut size, mut value) = (1, 0);
        if c.eat(",") {
            size = self.number(c)?.0.clamp(0, 8) as u64;
            if c.eat(",") {
                value = self.number(c)?.0;
            }
        }
        c.finish()?;
        let mut one = [0; 8];
        one[..4].copy_from_slice(&value.to_le_bytes()[..4]);
        self.room(count.min(MAX_SECTION + 1), size.max(1), &here)?;
        self.emit(&one[..size as usize].repeat(count as usize), &here)
    }

    fn org(&mut self, c: &mut Cursor<'_>) -> Result<(), AsmError> {
        let start = c.position();
        let e = expr::parse(c, self)?;
        let place = c.since(start);
        let sum = self.sum(&e, &place)?;
        let fill = if c.eat(",") { self.number(c)?.0 } else { 0 };
        c.finish()?;
        if !(sum.minus.is_empty() && sum.plus.iter().all(|s| *s == self.current) && sum.plus.len() <= 1) {
            return Err(place.error(AsmErrorKind::NotAbsolute));
        }
        let size = self.sections[self.current].size as i64;
        if sum.number < size || sum.number > MAX_SECTION as i64 {
            let range = AsmErrorKind::Range {
                what: "the new offset",
                value: sum.number,
                low: size,
                high: MAX_SECTION as i64,
            };
            return Err(place.error(range));
        }
        self.emit(&vec![fill as u8; (sum.number - size) as usize], &place)
    }

    /// `.p2align POWER[, FILL[, MOST]]` and relatives.
    fn align(&mut self, name: &str, c: &mut Cursor<'_>) -> Result<(), AsmError> {
        let (value, place) = self.number(c)?;
        let align = if name.starts_with(".p2align") {
            power(value, &place)?
        } else if value == 0 {
            1
        } else {
            power_of_two(value, &place)?
        };
        let width = match name.as_bytes()[name.len() - 1] {
            b'w' => 2,
            b'l' => 4,
            _ => 1,
        };
        // Only fills of bytes pad code with instructions when they are left out.
        let mut fill = (width > 1).then_some((0, width));
        let mut most = u64::MAX;
        if c.eat(",") {
            if !matches!(c.peek(), Token::Sign(",") | Token::End) {
                fill = Some((self.number(c)?.0, width));
            }
            if c.eat(",") {
                most = self.count(c, "the most bytes to skip")?;
            }
        }
        c.finish()?;
        self.align_to(align, fill, most, &place)
    }

    pub(super) fn align_to(
        &mut self,
        align: u64,
        fill: Option<(i64, usize)>,
        most: u64,
        place: &Place,
    ) -> Result<(), AsmError> {
        let s = &mut self.sections[self.current];
        s.align = s.align.max(align);
        let pad = s.size.next_multiple_of(align) - s.size;
        if pad > most || pad == 0 {
            return Ok(());
        }
        if s.size + pad > MAX_SECTION {
            return Err(too_large(place));
        }
        let code = s.flags & EXEC != 0 && matches!(fill, None | Some((0, 1)));
        let mut bytes = Vec::new();
        if let Some((_, unit)) = fill.filter(|(_, unit)| pad % *unit as u64 != 0) {
            let unit = unit as u64;
            return Err(place.error(AsmErrorKind::Padding { pad, unit }));
        }
        let (unit, value) = match fill {
            _ if code => (4, i64::from(S_NOP)),
            Some((value, width)) => (width, value),
            None => (1, 0),
        };
        bytes.resize(pad as usize % unit, 0);
        bytes.extend(value.to_le_bytes()[..unit].repeat(pad as usize / unit));
        self.emit(&bytes, place)
    }

    /// `.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"`
    fn amdgcn_target(&mut self, c: &mut Cursor<'_>) -> Result<(), AsmError> {
        let place = c.here();
        let id = c.name("a target in quotation marks")?;
        c.finish()?;
        let cpu = ["amdgcn-amd-amdhsa--", "amdgcn-amd-amdhsa-unknown-"]
            .iter()
            .find_map(|p| id.strip_prefix(p));
        let Some(target) = cpu.and_then(Target::from_name) else {
            let known = TARGETS.iter().map(|t| t.name).collect::<Vec<_>>().join(", ");
            return Err(place.error(AsmErrorKind::UnknownTarget { id, known }));
        };
        if let Some(asked) = self.asked_target.filter(|a| a.name != target.name) {
            let (file, asked) = (target.name.to_owned(), asked.name.to_owned());
            return Err(place.error(AsmErrorKind::TargetMismatch { file, asked }));
        }
        self.target = target.with_wave_size(self.target.wave_size);
        Ok(())
    }

    fn code_object_version(&mut self, c: &mut Cursor<'_>) -> Result<(), AsmError> {
        let (version, place) = self.number(c)?;
        self.abi_version = match version {
            4..=6 => version as u8 - 2,
            _ => return Err(place.error(AsmErrorKind::CodeObjectVersion { version })),
        };
        c.finish()
    }
}

/// The bytes of a floating-point number: a literal with a point or exponent, decimal digits, `inf` or `nan`.
fn float(c: &mut Cursor<'_>, bytes: usize) -> Result<Vec<u8>, AsmError> {
    let here = c.here();
    let negative = c.eat("-");
    if !negative {
        c.eat("+");
    }
    let text = c.here().text;
    let name = text.to_ascii_lowercase();
    let (single, double) = match c.next()? {
        Token::Float(t) if t.starts_with("0x") || t.starts_with("0X") => {
            let v = crate::isa::float(&t.to_ascii_lowercase());
            (v.map(|v| v as f32), v)
        }
        Token::Float(t) => (t.parse().ok(), t.parse().ok()),
        Token::Number(_) if text.bytes().all(|b| b.is_ascii_digit()) => (text.parse().ok(), text.parse().ok()),
        Token::Name(_) if name == "inf" || name == "infinity" => (Some(f32::INFINITY), Some(f64::INFINITY)),
        // LLVM's has every bit of the fraction set.
        Token::Name(_) if name == "nan" => (Some(f32::from_bits(u32::MAX >> 1)), Some(f64::from_bits(u64::MAX >> 1))),
        _ => (None, None),
    };
    let (Some(single), Some(double)) = (single, double) else {
        return Err(here.error(AsmErrorKind::Expected {
            expected: "a floating-point number",
        }));
    };
    let sign = |top: u32| u64::from(negative) << top;
    Ok(if bytes == 4 {
        (single.to_bits() ^ sign(31) as u32).to_le_bytes().to_vec()
    } else {
        (double.to_bits() ^ sign(63)).to_le_bytes().to_vec()
    })
}

/// The alignment of an exponent; none is larger than a section.
pub(super) fn power(value: i64, place: &Place) -> Result<u64, AsmError> {
    let high = i64::from(MAX_SECTION.trailing_zeros());
    if (0..=high).contains(&value) {
        return Ok(1 << value);
    }
    Err(place.error(AsmErrorKind::Range {
        what: "the power of the alignment",
        value,
        low: 0,
        high,
    }))
}

pub(super) fn power_of_two(value: i64, place: &Place) -> Result<u64, AsmError> {
    match u64::try_from(value) {
        Ok(v) if v.is_power_of_two() && v > MAX_SECTION => Err(place.error(AsmErrorKind::Range {
            what: "the alignment",
            value,
            low: 1,
            high: MAX_SECTION as i64,
        })),
        Ok(v) if v.is_power_of_two() => Ok(v),
        _ => Err(place.error(AsmErrorKind::Expected {
            expected: "an alignment that is a power of two",
        })),
    }
}

/// Whether a number fits so many bytes, signed or unsigned.
pub fn check_width(value: i64, bytes: u64, place: &Place) -> Result<(), AsmError> {
    if bytes >= 8 {
        return Ok(());
    }
    let (low, high) = (-(1i64 << (8 * bytes - 1)), (1i64 << (8 * bytes)) - 1);
    if (low..=high).contains(&value) {
        return Ok(());
    }
    Err(place.error(AsmErrorKind::Range {
        what: "the value",
        value,
        low,
        high,
    }))
}

fn section_flags(text: &str, place: &Place) -> Result<u64, AsmError> {
    text.chars().try_fold(0, |flags, c| {
        let flag = match c {
            'a' => elf::SHF_ALLOC,
            'w' => elf::SHF_WRITE,
            'x' => elf::SHF_EXECINSTR,
            'M' => elf::SHF_MERGE,
            'S' => elf::SHF_STRINGS,
            'o' => elf::SHF_LINK_ORDER,
            'e' => elf::SHF_EXCLUDE,
            'R' => elf::SHF_GNU_RETAIN,
            'G' | '?' => elf::SHF_GROUP,
            _ => {
                return Err(place.error(AsmErrorKind::Expected {
                    expected: "section flags out of `awxMSoeRG`",
                }))
            }
        };
        Ok(flags | u64::from(flag))
    })
}

fn section_type(c: &mut Cursor<'_>) -> Result<u32, AsmError> {
    let _ = c.eat("@") || c.eat("%");
    let place = c.here();
    if let Token::Number(n) = c.peek() {
        c.next()?;
        let expected = AsmErrorKind::Expected {
            expected: "a section type of 32 bits",
        };
        return u32::try_from(n).map_err(|_| place.error(expected));
    }
    Ok(match c.name("a type such as @progbits")?.as_str() {
        "progbits" => elf::SHT_PROGBITS,
        "nobits" => elf::SHT_NOBITS,
        "note" => elf::SHT_NOTE,
        "init_array" => elf::SHT_INIT_ARRAY,
        "fini_array" => elf::SHT_FINI_ARRAY,
        "preinit_array" => elf::SHT_PREINIT_ARRAY,
        _ => {
            return Err(place.error(AsmErrorKind::Expected {
                expected: "progbits, nobits or note",
            }))
        }
    })
}

/// Types of sections ld.lld copies: those of programs, of systems, of processors, and of users where no loader looks.
fn is_linkable(kind: u32, flags: u64) -> bool {
    match kind {
        elf::SHT_PROGBITS | elf::SHT_NOBITS | elf::SHT_NOTE => true,
        elf::SHT_INIT_ARRAY | elf::SHT_FINI_ARRAY | elf::SHT_PREINIT_ARRAY => true,
        elf::SHT_LOOS..=elf::SHT_HIPROC => true,
        elf::SHT_LOUSER.. => flags & ALLOC == 0,
        _ => false,
    }
}

/// Flags and type of a section that is opened by its name alone.
fn section_defaults(name: &str) -> (u64, u32) {
    let is = |prefix: &str| name == prefix || name.strip_prefix(prefix).is_some_and(|r| r.starts_with('.'));
    let flags = if is(".rodata") || name == ".rodata1" {
        ALLOC
    } else if is(".text") || is(".init") || is(".fini") {
        ALLOC | EXEC
    } else if is(".data") || is(".bss") || is(".init_array") || is(".fini_array") || is(".preinit_array") {
        ALLOC | WRITE
    } else {
        0
    };
    let kind = if is(".note") || name.starts_with(".note") {
        elf::SHT_NOTE
    } else if is(".bss") {
        elf::SHT_NOBITS
    } else if is(".init_array") {
        elf::SHT_INIT_ARRAY
    } else if is(".preinit_array") {
        elf::SHT_PREINIT_ARRAY
    } else if is(".fini_array") {
        elf::SHT_FINI_ARRAY
    } else {
        elf::SHT_PROGBITS
    };
    (flags, kind)
}
