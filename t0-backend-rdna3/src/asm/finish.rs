//! From sections and notes to the file: layout, relocations, metadata, symbols.

use super::directive::check_width;
use super::error::{AsmError, AsmErrorKind, KernelError};
use super::expr::{Binary, Expr, SymbolId, Unary, Variant};
use super::lex;
use super::state::{is_private, Assembler, Definition, Fixup, FixupKind, Symbol};
use crate::object::link::{self, DynamicWord, Layout, Linker, Section, WordTarget};
use crate::object::{merge, metadata_note};
use object::elf;
use std::collections::{HashMap, HashSet};

impl Assembler {
    /// The code object.
    ///
    /// Errors: undefined symbols, branches that are too far, relocations that cannot be.
    pub(super) fn finish(mut self) -> Result<Vec<u8>, Vec<AsmError>> {
        let mut errors = Vec::new();
        for k in &self.kernels {
            if !matches!(self.symbols[k.code].definition, Some(Definition::Label(..))) {
                let name = k.name.clone();
                errors.push(k.place.error(AsmErrorKind::Kernel(KernelError::NoCode { name })));
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        self.settle();
        self.leave_undefined_values();
        for late in std::mem::take(&mut self.late) {
            match self.late_descriptor(&late) {
                Ok(d) => write(&mut self.sections[late.at.0], late.at.1, &d.encode()),
                Err(e) => errors.push(e),
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        self.leave_to_loader();
        if let Some(metadata) = self.metadata.take() {
            self.sections.push(metadata_note(&metadata));
        }
        let mut linker = Linker {
            flags: self.target.mach,
            abi_version: self.abi_version,
            sections: std::mem::take(&mut self.sections),
            ..Linker::default()
        };
        self.merge(&mut linker).map_err(|e| vec![e])?;
        let numbers = self.link_symbols(&mut linker, &mut errors);
        let mut later = Vec::new();
        for f in std::mem::take(&mut self.fixups) {
            if linker.sections[f.section].is_left_out() {
                continue;
            }
            match self.prepare(&f, &numbers, &mut linker) {
                Ok(true) => later.push(f),
                Ok(false) => {}
                Err(e) => errors.push(e),
            }
        }
        if !errors.is_empty() {
            errors.sort_by_key(|e| (e.line, e.column));
            return Err(errors);
        }
        let layout = linker.layout();
        for f in &later {
            if let Err(e) = self.resolve(f, &numbers, &layout, &mut linker) {
                errors.push(e);
            }
        }
        if errors.is_empty() {
            Ok(linker.write(&layout))
        } else {
            Err(errors)
        }
    }

    /// Gives symbols that other symbols define their values, and names of sections their places.
    fn settle(&mut self) {
        for s in self.symbols.iter_mut().filter(|s| s.definition.is_none()) {
            if let Some(section) = self.sections.iter().position(|x| x.name == s.name) {
                s.definition = Some(Definition::Label(section, 0));
                s.kind = elf::STT_SECTION;
            }
        }
        let mut known = HashMap::new();
        for s in &self.symbols {
            if let Some(Definition::Value(e)) = &s.definition {
                // What is wrong with it is said where it is used.
                let _ = self.know(e, &s.place, &mut known);
            }
        }
        for i in 0..self.symbols.len() {
            let is_value = matches!(self.symbols[i].definition, Some(Definition::Value(_)));
            let Some(sum) = known.get(&i).filter(|_| is_value) else {
                continue;
            };
            let value = match (&sum.plus[..], &sum.minus[..]) {
                ([], []) if !sum.from_address => Expr::Int(sum.number),
                (&[section], []) => Expr::Place(section, sum.number as u64),
                _ => continue,
            };
            let asks = matches!(&self.symbols[i].definition, Some(Definition::Value(e)) if e.asks_linker());
            if !asks {
                self.symbols[i].definition = Some(Definition::Value(value));
            }
        }
    }

    /// A value made of symbols that no line of the file defines is no symbol of it; its parts are, as in llvm-mc. Where it
    /// is used, that is an error.
    fn leave_undefined_values(&mut self) {
        let mut parts = Vec::new();
        for &id in &self.order {
            if let Some(Definition::Value(e)) = &self.symbols[id].definition {
                let missing = self.undefined_in(e);
                if !missing.is_empty() && missing.iter().all(|m| !is_private(&self.symbols[*m].name)) {
                    parts.push((id, missing));
                }
            }
        }
        for (id, missing) in parts {
            self.order.retain(|o| *o != id);
            for m in missing {
                if self.symbols[m].binding == elf::STB_LOCAL {
                    self.symbols[m].binding = elf::STB_GLOBAL;
                }
                self.register(m);
            }
        }
    }

    /// Symbols without definition that an expression names itself.
    fn undefined_in(&self, e: &Expr) -> Vec<SymbolId> {
        match e {
            Expr::Symbol(id, _) if self.symbols[*id].definition.is_none() => vec![*id],
            Expr::Unary(_, a) => self.undefined_in(a),
            Expr::Binary(_, a, b) => [self.undefined_in(a), self.undefined_in(b)].concat(),
            Expr::Symbol(..) | Expr::Int(_) | Expr::Place(..) => Vec::new(),
        }
    }

    /// Undefined symbols in sections that are not loaded (debuggers' notes on LDS variables) are 0 there, as for LLD.
    fn leave_to_loader(&mut self) {
        let mut fixups = std::mem::take(&mut self.fixups);
        for f in &mut fixups {
            if self.sections[f.section].flags & u64::from(elf::SHF_ALLOC) == 0 {
                self.zero_undefined(&mut f.expr);
            }
        }
        self.fixups = fixups;
    }

    fn zero_undefined(&mut self, e: &mut Expr) {
        match e {
            Expr::Symbol(id, _) if self.symbols[*id].definition.is_none() && !is_private(&self.symbols[*id].name) => {
                let s = &mut self.symbols[*id];
                if s.binding == elf::STB_LOCAL {
                    s.binding = elf::STB_GLOBAL;
                }
                *e = Expr::Int(0);
            }
            Expr::Unary(_, a) => self.zero_undefined(a),
            Expr::Binary(_, a, b) => {
                self.zero_undefined(a);
                self.zero_undefined(b);
            }
            Expr::Symbol(..) | Expr::Int(_) | Expr::Place(..) => {}
        }
    }

    /// Merges what is mergeable. Numbers known by now are written first: pieces are compared by their bytes.
    fn merge(&mut self, linker: &mut Linker) -> Result<(), AsmError> {
        let mut fixed = HashSet::new();
        for f in std::mem::take(&mut self.fixups) {
            let number = match f.kind {
                _ if !merge::is_mergeable(&linker.sections[f.section]) => None,
                FixupKind::Data(bytes) => self.sum(&f.expr, &f.place)?.absolute().map(|v| (v, bytes)),
                _ => None,
            };
            match number {
                Some((value, bytes)) => {
                    check_width(value, bytes, &f.place)?;
                    let value = &value.to_le_bytes()[..bytes as usize];
                    write(&mut linker.sections[f.section], f.offset, value);
                }
                None => {
                    fixed.insert(f.section);
                    self.fixups.push(f);
                }
            }
        }
        linker.merged = merge::merge(&linker.sections, |i| fixed.contains(&i)).map_err(|(i, why)| {
            let place = self.opened.get(&i).cloned().unwrap_or_default();
            place.error(AsmErrorKind::Mergeable(why))
        })?;
        // LLD makes plain sections of those it does not take apart.
        for i in fixed {
            if merge::is_mergeable(&linker.sections[i]) {
                linker.sections[i].entsize = 0;
            }
        }
        Ok(())
    }

    /// Refuses what points behind the last piece of a merged section.
    fn inside(&self, linker: &Linker, place: link::Place, at: &lex::Place) -> Result<(), AsmError> {
        let link::Place::Section(section, offset) = place else {
            return Ok(());
        };
        let s = &linker.sections[section];
        let is_merged = |m: &merge::Merged| m.members.iter().any(|(i, _)| *i == section);
        if offset >= s.size && linker.merged.iter().any(is_merged) {
            let section = s.name.clone();
            return Err(at.error(AsmErrorKind::BehindPieces { section }));
        }
        Ok(())
    }

    /// The place an expression that is an address and a number starts from, and what is to be added: pieces of merged
    /// sections move, so a number beside a symbol counts from the symbol's piece.
    fn base(&self, e: &Expr, section: usize, number: i64) -> (link::Place, i64) {
        let label = added_symbol(e)
            .map(|id| &self.symbols[id])
            .filter(|s| s.kind != elf::STT_SECTION);
        let offset = match label.and_then(|s| s.definition.as_ref()) {
            Some(Definition::Label(s, offset)) if *s == section => *offset as i64,
            Some(Definition::Value(Expr::Place(s, offset))) if *s == section => *offset as i64,
            _ => number,
        };
        let place = link::Place::Section(section, offset as u64);
        (place, number.wrapping_sub(offset))
    }

    /// The symbols of the file; gives their numbers there.
    fn link_symbols(&self, linker: &mut Linker, errors: &mut Vec<AsmError>) -> HashMap<SymbolId, usize> {
        let mut numbers = HashMap::new();
        for &id in &self.order {
            let s = &self.symbols[id];
            if s.definition.is_none() && s.binding != elf::STB_LOCAL {
                if s.binding == elf::STB_WEAK {
                    numbers.insert(id, linker.symbols.len());
                }
                linker.symbols.push(link::Symbol {
                    name: s.name.clone(),
                    place: link::Place::Undefined,
                    size: 0,
                    kind: s.kind,
                    binding: s.binding,
                    visibility: s.visibility,
                });
                continue;
            }
            if is_private(&s.name) || s.alias || s.definition.is_none() || s.kind == elf::STT_SECTION {
                continue;
            }
            match self.link_symbol(s) {
                Ok(Some(symbol)) => {
                    let home = match symbol.place {
                        link::Place::Section(section, _) => linker.sections.get(section),
                        _ => None,
                    };
                    if home.is_some_and(Section::is_left_out) {
                        continue;
                    }
                    errors.extend(self.inside(linker, symbol.place, &s.place).err());
                    numbers.insert(id, linker.symbols.len());
                    linker.symbols.push(symbol);
                }
                Ok(None) => {}
                Err(e) => errors.push(e),
            }
        }
        numbers
    }

    fn link_symbol(&self, s: &Symbol) -> Result<Option<link::Symbol>, AsmError> {
        let place = match &s.definition {
            Some(Definition::Label(section, offset)) => link::Place::Section(*section, *offset),
            Some(Definition::Lds(offset)) => link::Place::Absolute(*offset),
            Some(Definition::Value(e)) => {
                let sum = self.sum(e, &s.place)?;
                match (sum.absolute(), sum.plus[..].split_first(), sum.minus.is_empty()) {
                    (Some(v), ..) => link::Place::Absolute(v as u64),
                    (None, Some((&section, [])), true) => link::Place::Section(section, sum.number as u64),
                    _ => return Err(s.place.error(AsmErrorKind::NotAbsolute)),
                }
            }
            None => return Ok(None),
        };
        let size = match &s.size {
            Some((e, at)) => {
                let size = self.sum(e, at)?.absolute();
                size.ok_or_else(|| at.error(AsmErrorKind::NotAbsolute))? as u64
            }
            None => 0,
        };
        let (kind, binding, visibility) = (s.kind, s.binding, s.visibility);
        Ok(Some(link::Symbol {
            name: s.name.clone(),
            place,
            size,
            kind,
            binding,
            visibility,
        }))
    }

    /// Notes what a place needs of the file's tables; false when the loader fills it in.
    fn prepare(&self, f: &Fixup, numbers: &HashMap<SymbolId, usize>, linker: &mut Linker) -> Result<bool, AsmError> {
        let loaded = linker.sections[f.section].flags & u64::from(elf::SHF_ALLOC) != 0;
        let undefined = symbol_and_addend(&f.expr).filter(|(id, _)| self.is_weak_undefined(*id));
        if let (Some((id, addend)), FixupKind::Data(8), true) = (undefined, f.kind, loaded) {
            if let (Some(&number), None | Some((_, Variant::Abs64))) = (numbers.get(&id), variant(&f.expr)) {
                writable(f, linker)?;
                linker.words.push(DynamicWord {
                    section: f.section,
                    offset: f.offset,
                    target: WordTarget::Symbol(number, addend),
                });
                return Ok(false);
            }
        }
        let sum = self.sum(&f.expr, &f.place)?;
        let mut places = sum.plus.iter().chain(&sum.minus).map(|i| &linker.sections[*i]);
        if let Some(out) = places.find(|s| s.is_left_out()) {
            let section = out.name.clone();
            return Err(f.place.error(AsmErrorKind::Excluded { section }));
        }
        match (variant(&f.expr), f.kind) {
            (Some((id, Variant::GotPcRel32Lo | Variant::GotPcRel32Hi)), _) => {
                let name = &self.symbols[id].name;
                let number = numbers.get(&id).copied();
                let number = number.ok_or_else(|| f.place.error(AsmErrorKind::Undefined { name: name.clone() }))?;
                if !linker.got.contains(&number) {
                    linker.got.push(number);
                }
                Ok(true)
            }
            (None | Some((_, Variant::Abs64)), FixupKind::Data(8)) if sum.net() == 1 && loaded => {
                writable(f, linker)?;
                let preempted = symbol_and_addend(&f.expr)
                    .and_then(|(id, addend)| Some((*numbers.get(&id)?, addend)))
                    .filter(|(n, _)| linker.symbols[*n].is_preemptible());
                let target = match (preempted, &sum.plus[..]) {
                    (Some((number, addend)), _) => WordTarget::Symbol(number, addend),
                    (None, &[section]) => {
                        let (place, addend) = self.base(&f.expr, section, sum.number);
                        self.inside(linker, place, &f.place)?;
                        WordTarget::Place(place, addend)
                    }
                    _ => return Err(f.place.error(AsmErrorKind::NotAbsolute)),
                };
                linker.words.push(DynamicWord {
                    section: f.section,
                    offset: f.offset,
                    target,
                });
                Ok(false)
            }
            _ => Ok(true),
        }
    }

    /// Another file may define it, and the loader takes 0 where none does.
    fn is_weak_undefined(&self, id: SymbolId) -> bool {
        let s = &self.symbols[id];
        s.definition.is_none() && s.binding == elf::STB_WEAK
    }

    /// Fills in a place.
    fn resolve(
        &self,
        f: &Fixup,
        numbers: &HashMap<SymbolId, usize>,
        layout: &Layout,
        linker: &mut Linker,
    ) -> Result<(), AsmError> {
        let sum = self.sum(&f.expr, &f.place)?;
        let address = |s: &usize| layout.addresses[*s] as i64;
        let value = match sum.plus[..] {
            [section] => {
                let (place, addend) = self.base(&f.expr, section, sum.number);
                self.inside(linker, place, &f.place)?;
                (layout.address(place) as i64).wrapping_add(addend)
            }
            _ => sum.plus.iter().map(address).fold(sum.number, i64::wrapping_add),
        };
        let value = sum.minus.iter().map(address).fold(value, i64::wrapping_sub);
        let here = layout.addresses[f.section].wrapping_add(f.offset) as i64;
        let net = sum.net();
        let distance = value.wrapping_sub(here);
        let bytes: Vec<u8> = match (f.kind, variant(&f.expr)) {
            (FixupKind::Branch, None) => branch(f, net, distance)?.to_le_bytes().to_vec(),
            (FixupKind::Branch, Some(_)) => return Err(f.place.error(AsmErrorKind::VariantHere)),
            (kind, Some((id, v))) => {
                let got = || {
                    let slot = numbers
                        .get(&id)
                        .and_then(|n| linker.got.iter().position(|g| g == n))
                        .unwrap_or(0);
                    let addend = symbol_and_addend(&f.expr).map_or(0, |s| s.1);
                    (layout.got as i64 + 8 * slot as i64)
                        .wrapping_add(addend)
                        .wrapping_sub(here)
                };
                let (bytes, value) = match v {
                    Variant::Rel32Lo => (4, distance),
                    Variant::Rel32Hi => (4, distance >> 32),
                    Variant::GotPcRel32Lo => (4, got()),
                    Variant::GotPcRel32Hi => (4, got() >> 32),
                    Variant::Rel64 => (8, distance),
                    Variant::Abs64 => (8, value),
                    Variant::None | Variant::Abs32Lo | Variant::Abs32Hi => {
                        let name = self.symbols[id].name.clone();
                        return Err(f.place.error(AsmErrorKind::Abs32 { name }));
                    }
                };
                let room = if let FixupKind::Data(n) = kind { n } else { 4 };
                if room < bytes {
                    return Err(f.place.error(AsmErrorKind::VariantHere));
                }
                value.to_le_bytes()[..bytes as usize].to_vec()
            }
            // A bare address in an instruction is its distance from the literal (LLVM `needsPCRel`).
            (FixupKind::Literal, None) if net == 0 && is_distance(&f.expr) => {
                return Err(f.place.error(AsmErrorKind::LaterNumber));
            }
            (FixupKind::Literal, None) => {
                let value = if net == 0 { value } else { distance };
                check_width(value, 4, &f.place)?;
                value.to_le_bytes()[..4].to_vec()
            }
            (FixupKind::Data(n), None) => {
                let loaded = linker.sections[f.section].flags & u64::from(elf::SHF_ALLOC) != 0;
                if net != 0 && loaded {
                    return Err(self.narrow(f));
                }
                check_width(value, n, &f.place)?;
                value.to_le_bytes()[..n as usize].to_vec()
            }
        };
        write(&mut linker.sections[f.section], f.offset, &bytes);
        Ok(())
    }

    fn narrow(&self, f: &Fixup) -> AsmError {
        let name = symbol_and_addend(&f.expr).map_or_else(|| f.place.text.clone(), |s| self.symbols[s.0].name.clone());
        f.place.error(AsmErrorKind::AddressTooNarrow { name })
    }
}

/// Refuses an address where the loader cannot put one.
fn writable(f: &Fixup, linker: &Linker) -> Result<(), AsmError> {
    let section = &linker.sections[f.section];
    if section.flags & u64::from(elf::SHF_WRITE) != 0 {
        return Ok(());
    }
    let section = section.name.clone();
    Err(f.place.error(AsmErrorKind::AddressInReadOnly { section }))
}

/// Words from the next instruction to the target.
fn branch(f: &Fixup, net: i64, distance: i64) -> Result<i16, AsmError> {
    if net != 1 {
        return Err(f.place.error(AsmErrorKind::Expected {
            expected: "a label or a distance in words",
        }));
    }
    let bytes = distance.wrapping_sub(4);
    if bytes % 4 != 0 {
        return Err(f.place.error(AsmErrorKind::BranchUnaligned { bytes: distance }));
    }
    i16::try_from(bytes / 4).map_err(|_| f.place.error(AsmErrorKind::BranchTooFar { words: bytes / 4 }))
}

fn write(section: &mut Section, offset: u64, bytes: &[u8]) {
    let at = offset as usize;
    if let Some(place) = section.data.get_mut(at..at + bytes.len()) {
        place.copy_from_slice(bytes);
    }
}

/// Whether LLVM takes an expression in an instruction for the distance to its value, whatever that is (`needsPCRel`).
fn is_distance(e: &Expr) -> bool {
    match e {
        Expr::Symbol(..) => true,
        Expr::Int(_) | Expr::Place(..) | Expr::Binary(Binary::Sub, ..) => false,
        Expr::Unary(_, a) => is_distance(a),
        Expr::Binary(_, a, b) => is_distance(a) || is_distance(b),
    }
}

/// The first symbol of an expression that is added.
fn added_symbol(e: &Expr) -> Option<SymbolId> {
    match e {
        Expr::Symbol(id, _) => Some(*id),
        Expr::Binary(Binary::Add, a, b) => added_symbol(a).or_else(|| added_symbol(b)),
        Expr::Binary(Binary::Sub, a, _) => added_symbol(a),
        _ => None,
    }
}

/// The symbol with a relocation in an expression.
fn variant(e: &Expr) -> Option<(SymbolId, Variant)> {
    match e {
        Expr::Symbol(_, Variant::None) | Expr::Int(_) | Expr::Place(..) => None,
        Expr::Symbol(id, v) => Some((*id, *v)),
        Expr::Unary(_, a) => variant(a),
        Expr::Binary(_, a, b) => variant(a).or_else(|| variant(b)),
    }
}

/// The symbol and the number of a sum of both.
fn symbol_and_addend(e: &Expr) -> Option<(SymbolId, i64)> {
    match e {
        Expr::Symbol(id, _) => Some((*id, 0)),
        Expr::Binary(op, a, b) => match (op, &**a, &**b) {
            (Binary::Add, a, Expr::Int(n)) | (Binary::Add, Expr::Int(n), a) => {
                symbol_and_addend(a).map(|(id, m)| (id, m.wrapping_add(*n)))
            }
            (Binary::Sub, a, Expr::Int(n)) => symbol_and_addend(a).map(|(id, m)| (id, m.wrapping_sub(*n))),
            _ => None,
        },
        Expr::Unary(Unary::Minus | Unary::Not | Unary::LogicalNot, _) | Expr::Int(_) | Expr::Place(..) => None,
    }
}
