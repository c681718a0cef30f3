//! What the assembler knows while it reads: sections, symbols, places to fill in.

use super::conditions::Condition;
use super::error::{AsmError, AsmErrorKind};
use super::expr::{apply, apply_unary, Binary, Expr, Scope, SymbolId, Unary, Variant};
use super::kernel::{KernelBlock, LateKernel};
use super::leb::Leb;
use super::lex::{Cursor, Place, Token};
use super::macros::Macro;
use super::{expr, AsmOptions, Note};
use crate::object::link::Section;
use crate::object::msgpack::Value;
use crate::target::{Target, GFX1100};
use object::elf;
use std::collections::{HashMap, HashSet};

/// A line of the file, or of a macro's text: then the number is that of its use.
#[derive(Debug, Clone)]
pub struct Line {
    /// From 1.
    pub number: u32,
    /// The text without comments.
    pub text: String,
}

/// What is still to be read.
enum Entry {
    /// A line.
    Line(Line),
    /// The end of a macro's text.
    MacroEnd,
}

/// How a symbol is defined.
#[derive(Debug, Clone, PartialEq)]
pub enum Definition {
    /// A place in a section.
    Label(usize, u64),
    /// `.set`.
    Value(Expr),
    /// An offset in LDS (`.amdgpu_lds`).
    Lds(u64),
}

/// A symbol.
#[derive(Debug, Clone)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// Where it is, once that is known.
    pub definition: Option<Definition>,
    /// May be set again (`.set`, `=`).
    pub reassignable: bool,
    /// The first place that mentions or defines it.
    pub place: Place,
    /// STB_*.
    pub binding: u8,
    /// A directive said the binding.
    pub bound: bool,
    /// STV_*.
    pub visibility: u8,
    /// STT_*.
    pub kind: u8,
    /// Another name of a symbol (`.weakref`), which no table holds.
    pub alias: bool,
    /// `.size`.
    pub size: Option<(Expr, Place)>,
}

/// How a place is filled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FixupKind {
    /// The 16-bit distance of a branch in words.
    Branch,
    /// The literal dword of an instruction.
    Literal,
    /// So many bytes of data.
    Data(u64),
}

/// A place to fill in when addresses are known.
#[derive(Debug, Clone)]
pub struct Fixup {
    /// Section number.
    pub section: usize,
    /// Offset of the bytes.
    pub offset: u64,
    /// What goes there.
    pub kind: FixupKind,
    /// Its value.
    pub expr: Expr,
    /// The text it comes from.
    pub place: Place,
}

/// A kernel descriptor that was written.
#[derive(Debug, Clone)]
pub struct Kernel {
    /// The kernel.
    pub name: String,
    /// Its code symbol.
    pub code: SymbolId,
    /// The line of the block.
    pub place: Place,
}

/// A number plus addresses minus addresses; sections by number, offsets already in the number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sum {
    /// The number.
    pub number: i64,
    /// Sections whose address is added.
    pub plus: Vec<usize>,
    /// Sections whose address is subtracted.
    pub minus: Vec<usize>,
    /// An address was involved, even where it fell out: LLVM does not count such a difference as a number in
    /// instructions.
    pub from_address: bool,
}

/// Most addresses in a sum; none that can be encoded has more than one left over.
const MAX_ADDRESSES: usize = 64;

impl Sum {
    fn place(section: usize, offset: u64) -> Sum {
        Sum {
            number: offset as i64,
            plus: vec![section],
            minus: Vec::new(),
            from_address: true,
        }
    }

    /// The number when no address is left.
    pub fn absolute(&self) -> Option<i64> {
        (self.plus.is_empty() && self.minus.is_empty()).then_some(self.number)
    }

    /// Addresses added less addresses subtracted.
    pub fn net(&self) -> i64 {
        self.plus.len() as i64 - self.minus.len() as i64
    }

    fn add(mut self, other: Sum) -> Sum {
        self.number = self.number.wrapping_add(other.number);
        self.plus.extend(other.plus);
        self.minus.extend(other.minus);
        self.from_address |= other.from_address;
        let mut i = 0;
        while i < self.plus.len() {
            match self.minus.iter().position(|m| *m == self.plus[i]) {
                Some(m) => {
                    self.minus.swap_remove(m);
                    self.plus.swap_remove(i);
                }
                None => i += 1,
            }
        }
        self
    }

    fn negate(self) -> Sum {
        Sum {
            number: self.number.wrapping_neg(),
            plus: self.minus,
            minus: self.plus,
            from_address: self.from_address,
        }
    }
}

/// What the file says of call frames.
#[derive(Debug, Clone, Default)]
pub struct Frames {
    /// The first `.cfi_startproc`.
    pub first: Option<Place>,
    /// The `.cfi_startproc` that is not closed yet.
    pub open: Option<Place>,
    /// `.cfi_sections` without `.eh_frame`: they stand where no loader looks.
    pub for_debuggers: bool,
}

/// The assembler.
pub struct Assembler {
    /// The chip, with the wave size of the code being read.
    pub target: Target,
    pub(super) asked_target: Option<Target>,
    asked_wave: Option<u32>,
    waves: HashMap<String, u32>,
    pub(super) abi_version: u8,
    pub(super) sections: Vec<Section>,
    /// Where sections were first opened.
    pub(super) opened: HashMap<usize, Place>,
    pub(super) current: usize,
    pub(super) previous: usize,
    pub(super) section_stack: Vec<(usize, usize)>,
    pub(super) symbols: Vec<Symbol>,
    by_name: HashMap<String, SymbolId>,
    /// Symbols in the order in which they enter the symbol table.
    pub(super) order: Vec<SymbolId>,
    ordered: HashSet<SymbolId>,
    /// How often each numeric label was defined so far.
    numeric: HashMap<u64, u64>,
    pub(super) fixups: Vec<Fixup>,
    pub(super) kernels: Vec<Kernel>,
    pub(super) block: Option<KernelBlock>,
    pub(super) metadata: Option<Value>,
    /// Call frames the file describes (`.cfi_startproc`).
    pub(super) frames: Frames,
    /// Text of an open `.amdgpu_metadata` block and the place where it began.
    pub(super) metadata_text: Option<(String, Place)>,
    pub(super) lds_bytes: u64,
    pub(super) conditions: Vec<Condition>,
    pub(super) macros: HashMap<String, Macro>,
    pub(super) expansions: u64,
    queue: Vec<Entry>,
    made_lines: usize,
    /// Conditions that were open where each macro being read began.
    open_macros: Vec<usize>,
    pub(super) altmacro: bool,
    /// Kernels whose descriptors are not known to the last bit.
    pub(super) late: Vec<LateKernel>,
    /// Numbers of changing length whose values are not known yet, and how long they are taken to be.
    pub(super) lebs: Vec<Leb>,
    pub(super) leb_sizes: Vec<usize>,
    pub(super) notes: Vec<Note>,
    /// Highest VGPR and SGPR used so far, plus one.
    pub(super) used: [u32; 2],
    /// What was refused so far.
    pub errors: Vec<AsmError>,
}

/// Most lines that may come out of macros.
const MAX_LINES: usize = 1 << 18;

impl Assembler {
    /// With an empty .text.
    pub fn new(options: &AsmOptions, waves: HashMap<String, u32>) -> Assembler {
        let all_64 = !waves.is_empty() && waves.values().all(|&w| w == 64);
        let wave = options.wave_size.unwrap_or(if all_64 { 64 } else { 32 });
        let target = options.target.unwrap_or(GFX1100).with_wave_size(wave);
        let mut a = Assembler {
            target,
            asked_target: options.target,
            asked_wave: options.wave_size,
            waves,
            abi_version: crate::object::ABI_V5,
            sections: Vec::new(),
            opened: HashMap::new(),
            current: 0,
            previous: 0,
            section_stack: Vec::new(),
            symbols: Vec::new(),
            by_name: HashMap::new(),
            order: Vec::new(),
            ordered: HashSet::new(),
            numeric: HashMap::new(),
            fixups: Vec::new(),
            kernels: Vec::new(),
            block: None,
            metadata: None,
            frames: Frames::default(),
            metadata_text: None,
            lds_bytes: 0,
            conditions: Vec::new(),
            macros: HashMap::new(),
            expansions: 0,
            queue: Vec::new(),
            made_lines: 0,
            open_macros: Vec::new(),
            altmacro: false,
            late: Vec::new(),
            lebs: Vec::new(),
            leb_sizes: Vec::new(),
            notes: Vec::new(),
            used: [0; 2],
            errors: Vec::new(),
        };
        a.sections.push(Section {
            name: ".text".to_owned(),
            kind: elf::SHT_PROGBITS,
            flags: u64::from(elf::SHF_ALLOC | elf::SHF_EXECINSTR),
            align: 4,
            ..Section::default()
        });
        a
    }

    /// Puts lines before those still to be read.
    pub fn feed(&mut self, lines: Vec<Line>) {
        self.queue.extend(lines.into_iter().rev().map(Entry::Line));
    }

    /// Puts the lines of a macro before those still to be read.
    pub fn feed_made(&mut self, lines: Vec<Line>, place: &Place) -> Result<(), AsmError> {
        self.made_lines += lines.len();
        if self.made_lines > MAX_LINES {
            self.queue.clear();
            return Err(place.error(AsmErrorKind::TooMuch { limit: MAX_LINES }));
        }
        self.open_macros.push(self.conditions.len());
        self.queue.push(Entry::MacroEnd);
        self.feed(lines);
        Ok(())
    }

    /// The next line to read.
    pub fn next_line(&mut self) -> Option<Line> {
        loop {
            match self.queue.pop()? {
                Entry::Line(line) => return Some(line),
                Entry::MacroEnd => {
                    self.open_macros.pop();
                }
            }
        }
    }

    /// The next line of the same macro or of the file.
    pub fn next_line_here(&mut self) -> Option<Line> {
        match self.queue.last() {
            Some(Entry::Line(_)) => self.next_line(),
            _ => None,
        }
    }

    /// How many macros are being read inside each other.
    pub fn nesting(&self) -> usize {
        self.open_macros.len()
    }

    /// Leaves out the rest of the macro being read; false when there is none.
    pub fn leave_macro(&mut self) -> bool {
        let Some(conditions) = self.open_macros.pop() else {
            return false;
        };
        while let Some(Entry::Line(_)) = self.queue.pop() {}
        self.conditions.truncate(conditions);
        true
    }

    /// Leaves out the rest of the file.
    pub fn stop(&mut self) {
        self.queue.clear();
        self.open_macros.clear();
    }

    /// Reads a line: labels, then a statement.
    pub fn line(&mut self, line: &Line) -> Result<(), AsmError> {
        if self.metadata_text.is_some() {
            return self.metadata_line(line);
        }
        let mut c = Cursor::new(&line.text, line.number, 1);
        if self.skip_by_condition(&mut c)? {
            return Ok(());
        }
        loop {
            let start = c.position();
            let mut ahead = c.clone();
            let first = ahead.next();
            match (first, ahead.eat(":")) {
                (Ok(Token::Name(name)), true) => self.label(&name, &c.here())?,
                (Ok(Token::Text(bytes)), true) => self.label(&String::from_utf8_lossy(&bytes), &c.here())?,
                (Ok(Token::Number(n)), true) => {
                    let n = u64::try_from(n).map_err(|_| c.expected("a label number of at most 64 bits"))?;
                    self.numeric_label(n, &c.here())?;
                }
                (Ok(Token::End), _) => return Ok(()),
                _ => return self.statement(c, start),
            }
            c = ahead;
        }
    }

    fn statement(&mut self, mut c: Cursor<'_>, start: usize) -> Result<(), AsmError> {
        let whole = c.clone();
        let here = c.here();
        let Ok(Token::Name(name)) = c.next() else {
            return Err(here.error(AsmErrorKind::Expected {
                expected: "an instruction, a directive or a label",
            }));
        };
        if matches!(c.peek(), Token::Sign("=")) {
            c.next()?;
            return self.assign(&name, &mut c, &here, true);
        }
        if self.block.is_some() {
            return self.kernel_line(&name, &mut c, &here);
        }
        if let Some(m) = self.macros.get(&name).cloned() {
            return self.expand(&m, &mut c, &here);
        }
        if name.starts_with('.') {
            return self.directive(&name, &mut c, &here);
        }
        let mut whole = whole;
        let text = whole.rest();
        self.instruction(text, start, here.line)
    }

    /// The number of a symbol, made when it is new.
    pub fn symbol_id(&mut self, name: &str, place: &Place) -> SymbolId {
        if let Some(&id) = self.by_name.get(name) {
            return id;
        }
        let id = self.symbols.len();
        self.by_name.insert(name.to_owned(), id);
        self.symbols.push(Symbol {
            name: name.to_owned(),
            definition: None,
            reassignable: false,
            place: place.clone(),
            binding: elf::STB_LOCAL,
            bound: false,
            visibility: elf::STV_DEFAULT,
            kind: elf::STT_NOTYPE,
            alias: false,
            size: None,
        });
        id
    }

    /// The symbol of this name, when there is one.
    pub fn known_symbol(&self, name: &str) -> Option<&Symbol> {
        self.by_name.get(name).map(|&id| &self.symbols[id])
    }

    /// Enters a symbol into the symbol table.
    pub fn register(&mut self, id: SymbolId) {
        if self.ordered.insert(id) {
            self.order.push(id);
        }
    }

    /// Enters the symbols an expression names.
    pub fn register_all(&mut self, e: &Expr) {
        match e {
            Expr::Symbol(id, _) => self.register(*id),
            Expr::Unary(_, a) => self.register_all(a),
            Expr::Binary(_, a, b) => {
                self.register_all(a);
                self.register_all(b);
            }
            Expr::Int(_) | Expr::Place(..) => {}
        }
    }

    /// Defines a label here.
    pub fn label(&mut self, name: &str, place: &Place) -> Result<(), AsmError> {
        let id = self.symbol_id(name, place);
        let at = Definition::Label(self.current, self.sections[self.current].size);
        self.define(id, at, place)?;
        self.register(id);
        if let (None, Some(&wave)) = (self.asked_wave, self.waves.get(name)) {
            self.target = self.target.with_wave_size(wave);
        }
        Ok(())
    }

    /// Gives a symbol its one definition.
    pub fn define(&mut self, id: SymbolId, definition: Definition, place: &Place) -> Result<(), AsmError> {
        let symbol = &mut self.symbols[id];
        if symbol.definition.is_some() {
            let (name, line) = (symbol.name.clone(), symbol.place.line);
            return Err(place.error(AsmErrorKind::Redefined { name, line }));
        }
        symbol.definition = Some(definition);
        symbol.place = place.clone();
        Ok(())
    }

    fn numeric_label(&mut self, n: u64, place: &Place) -> Result<(), AsmError> {
        let count = self.numeric.entry(n).or_default();
        *count += 1;
        let name = numeric_name(n, *count);
        let id = self.symbol_id(&name, place);
        let at = Definition::Label(self.current, self.sections[self.current].size);
        self.define(id, at, place)
    }

    /// `.set` and `=`.
    pub fn assign(&mut self, name: &str, c: &mut Cursor<'_>, place: &Place, again: bool) -> Result<(), AsmError> {
        let value = expr::parse(c, self)?;
        c.finish()?;
        if name == "." {
            return Err(place.error(AsmErrorKind::Unsupported {
                name: ".=".to_owned(),
                why: "use .org or .skip",
            }));
        }
        let value = self.simplified(value);
        // The register counters may be set back, as between two kernels.
        if let (Some(counter), Expr::Int(v)) = (USED.iter().position(|u| *u == name), &value) {
            self.used[counter] = u32::try_from(*v).unwrap_or(0);
            return Ok(());
        }
        let id = self.symbol_id(name, place);
        let symbol = &mut self.symbols[id];
        if symbol.definition.is_some() && !(again && symbol.reassignable) {
            let (name, line) = (symbol.name.clone(), symbol.place.line);
            return Err(place.error(AsmErrorKind::Redefined { name, line }));
        }
        symbol.reassignable = again;
        symbol.definition = Some(Definition::Value(value));
        symbol.place = place.clone();
        self.register(id);
        Ok(())
    }

    /// The value of an expression as far as it is known.
    ///
    /// Errors: undefined symbols, symbols that are defined by each other, operators on addresses that no relocation
    /// expresses.
    pub fn sum(&self, e: &Expr, place: &Place) -> Result<Sum, AsmError> {
        let mut known = HashMap::new();
        self.know(e, place, &mut known)?;
        self.sum_of(e, place, &known)
    }

    /// Finds the values of the symbols an expression needs: a chain of symbols may be long, so without recursion.
    pub fn know(&self, e: &Expr, place: &Place, known: &mut HashMap<SymbolId, Sum>) -> Result<(), AsmError> {
        let mut stack = Vec::new();
        let mut open = HashSet::new();
        self.needs(e, known, &mut stack);
        while let Some(&id) = stack.last() {
            let Some(Definition::Value(value)) = &self.symbols[id].definition else {
                stack.pop();
                continue;
            };
            let before = stack.len();
            if !known.contains_key(&id) {
                self.needs(value, known, &mut stack);
            }
            if stack.len() > before {
                // The second time something is still missing although all it needs was looked at.
                if !open.insert(id) {
                    return Err(place.error(AsmErrorKind::Cyclic));
                }
                continue;
            }
            if !known.contains_key(&id) {
                let sum = self.sum_of(value, place, known)?;
                known.insert(id, sum);
            }
            stack.pop();
        }
        Ok(())
    }

    /// The symbols of an expression that stand for other expressions and whose values are not known.
    fn needs(&self, e: &Expr, known: &HashMap<SymbolId, Sum>, out: &mut Vec<SymbolId>) {
        match e {
            Expr::Symbol(id, _) => {
                let is_value = matches!(self.symbols[*id].definition, Some(Definition::Value(_)));
                if is_value && !known.contains_key(id) {
                    out.push(*id);
                }
            }
            Expr::Unary(_, a) => self.needs(a, known, out),
            Expr::Binary(_, a, b) => {
                self.needs(a, known, out);
                self.needs(b, known, out);
            }
            Expr::Int(_) | Expr::Place(..) => {}
        }
    }

    fn sum_of(&self, e: &Expr, place: &Place, known: &HashMap<SymbolId, Sum>) -> Result<Sum, AsmError> {
        let number = |number, from_address| Sum {
            number,
            from_address,
            ..Sum::default()
        };
        let not_absolute = || place.error(AsmErrorKind::NotAbsolute);
        match e {
            Expr::Int(v) => Ok(number(*v, false)),
            Expr::Place(section, offset) => Ok(Sum::place(*section, *offset)),
            Expr::Symbol(id, _) => {
                let s = &self.symbols[*id];
                match &s.definition {
                    Some(Definition::Label(section, offset)) => Ok(Sum::place(*section, *offset)),
                    Some(Definition::Lds(offset)) => Ok(number(*offset as i64, true)),
                    Some(Definition::Value(_)) => {
                        known.get(id).cloned().ok_or_else(|| place.error(AsmErrorKind::Cyclic))
                    }
                    None => Err(self.undefined(&s.name, place)),
                }
            }
            Expr::Unary(Unary::Minus, a) => Ok(self.sum_of(a, place, known)?.negate()),
            Expr::Unary(op, a) => {
                let a = self.sum_of(a, place, known)?;
                let value = a.absolute().ok_or_else(not_absolute)?;
                Ok(number(apply_unary(*op, value), a.from_address))
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.sum_of(a, place, known)?, self.sum_of(b, place, known)?);
                let from_address = a.from_address || b.from_address;
                match (op, a.absolute(), b.absolute()) {
                    (Binary::Add | Binary::Sub, ..) => {
                        let sum = a.add(if *op == Binary::Add { b } else { b.negate() });
                        if sum.plus.len() + sum.minus.len() > MAX_ADDRESSES {
                            return Err(not_absolute());
                        }
                        Ok(sum)
                    }
                    (_, Some(a), Some(b)) => {
                        let value = apply(*op, a, b).ok_or_else(|| place.error(AsmErrorKind::DivisionByZero))?;
                        Ok(number(value, from_address))
                    }
                    _ => Err(not_absolute()),
                }
            }
        }
    }

    /// The shortest expression of the same value.
    pub fn simplified(&self, e: Expr) -> Expr {
        let Ok(sum) = self.sum(&e, &Place::default()) else {
            return e;
        };
        match (&sum.plus[..], &sum.minus[..]) {
            ([], []) if !sum.from_address => Expr::Int(sum.number),
            (&[section], []) if !e.asks_linker() => Expr::Place(section, sum.number as u64),
            _ => e,
        }
    }

    fn undefined(&self, name: &str, place: &Place) -> AsmError {
        match name.strip_prefix(NUMERIC) {
            Some(rest) => {
                let name = rest.split('.').next().unwrap_or_default().to_owned();
                place.error(AsmErrorKind::NoNumericLabel {
                    name,
                    direction: "after",
                })
            }
            None => place.error(AsmErrorKind::Undefined { name: name.to_owned() }),
        }
    }

    /// The number an expression is, when it is one by now.
    pub fn absolute(&self, e: &Expr) -> Option<i64> {
        self.sum(e, &Place::default()).ok()?.absolute()
    }

    /// The number an expression is whose value depends on no address, not even as a difference.
    pub fn constant(&self, e: &Expr) -> Option<i64> {
        let sum = self.sum(e, &Place::default()).ok()?;
        sum.absolute().filter(|_| !sum.from_address)
    }

    /// Reads an expression that must be a number here.
    pub fn number(&mut self, c: &mut Cursor<'_>) -> Result<(i64, Place), AsmError> {
        let start = c.position();
        let e = expr::parse(c, self)?;
        let place = c.since(start);
        let value = self.sum(&e, &place)?.absolute();
        Ok((value.ok_or_else(|| place.error(AsmErrorKind::NotAbsolute))?, place))
    }

    /// Appends bytes to the current section.
    pub fn emit(&mut self, bytes: &[u8], place: &Place) -> Result<(), AsmError> {
        let s = &mut self.sections[self.current];
        if s.kind == elf::SHT_NOBITS {
            if bytes.iter().any(|b| *b != 0) {
                return Err(place.error(AsmErrorKind::NoBits));
            }
        } else {
            s.data.extend(bytes);
        }
        s.size += bytes.len() as u64;
        if s.size > MAX_SECTION {
            s.data.truncate(0);
            s.size = 0;
            return Err(too_large(place));
        }
        Ok(())
    }

    /// Notes a place to fill in at the end of the current section (before its bytes are appended).
    pub fn fixup(&mut self, kind: FixupKind, skip: u64, expr: Expr, place: &Place) {
        self.register_all(&expr);
        let offset = self.sections[self.current].size + skip;
        self.fixups.push(Fixup {
            section: self.current,
            offset,
            kind,
            expr,
            place: place.clone(),
        });
    }
}

/// An error that a section has too many bytes.
pub fn too_large(place: &Place) -> AsmError {
    place.error(AsmErrorKind::Range {
        what: "the section's size",
        value: MAX_SECTION as i64 + 1,
        low: 0,
        high: MAX_SECTION as i64,
    })
}

/// Most bytes of a section.
pub const MAX_SECTION: u64 = 1 << 28;

/// Symbols that count the registers used so far.
const USED: [&str; 2] = [".amdgcn.next_free_vgpr", ".amdgcn.next_free_sgpr"];

/// Names of numeric labels start with this, which no name in a file does.
const NUMERIC: &str = "\u{1}";

fn numeric_name(n: u64, count: u64) -> String {
    format!("{NUMERIC}{n}.{count}")
}

/// Whether the symbol stays out of symbol tables.
pub fn is_private(name: &str) -> bool {
    name.starts_with(".L") || name.starts_with(NUMERIC)
}

impl Scope for Assembler {
    fn symbol(&mut self, name: &str, place: &Place) -> Result<Expr, AsmError> {
        let [vgprs, sgprs] = self.used;
        let generation = self.target.name.trim_start_matches("gfx");
        let digit = |at: usize| {
            generation
                .get(at..at + 1)
                .and_then(|d| i64::from_str_radix(d, 16).ok())
                .unwrap_or(0)
        };
        let builtin = match name {
            _ if name == USED[0] => Some(i64::from(vgprs)),
            _ if name == USED[1] => Some(i64::from(sgprs)),
            ".amdgcn.gfx_generation_number" => Some(11),
            ".amdgcn.gfx_generation_minor" => Some(digit(2)),
            ".amdgcn.gfx_generation_stepping" => Some(digit(3)),
            _ => None,
        };
        if let Some(v) = builtin {
            return Ok(Expr::Int(v));
        }
        let digits = name.len().saturating_sub(1);
        if name.ends_with(['f', 'b']) && digits > 0 && name[..digits].bytes().all(|b| b.is_ascii_digit()) {
            let n: u64 = name[..digits].parse().map_err(|_| {
                place.error(AsmErrorKind::Expected {
                    expected: "a label number of at most 64 bits",
                })
            })?;
            let count = self.numeric.get(&n).copied().unwrap_or(0);
            let backward = name.ends_with('b');
            if backward && count == 0 {
                let name = n.to_string();
                return Err(place.error(AsmErrorKind::NoNumericLabel {
                    name,
                    direction: "before",
                }));
            }
            let id = self.symbol_id(&numeric_name(n, if backward { count } else { count + 1 }), place);
            return Ok(Expr::Symbol(id, Variant::None));
        }
        let id = self.symbol_id(name, place);
        Ok(match &self.symbols[id].definition {
            Some(Definition::Value(Expr::Int(v))) => Expr::Int(*v),
            _ => Expr::Symbol(id, Variant::None),
        })
    }

    fn dot(&mut self) -> Expr {
        Expr::Place(self.current, self.sections[self.current].size)
    }
}
