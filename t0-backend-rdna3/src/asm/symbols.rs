//! Directives about symbols: binding, visibility, type, size, common and LDS variables, call frames.
//!
//! Source: LLVM 19 `ELFAsmParser.cpp`, `MCELFStreamer::emitSymbolAttribute`, `emitCommonSymbol`.

use super::directive::{power, power_of_two, ALLOC, WRITE};
use super::error::{AsmError, AsmErrorKind};
use super::expr::{self, Expr};
use super::lex::{Cursor, Place};
use super::state::{Assembler, Definition};
use crate::object::link::{Section, COMMON};
use object::elf;

impl Assembler {
    pub(super) fn attribute(&mut self, c: &mut Cursor<'_>, set: fn(&mut super::state::Symbol)) -> Result<(), AsmError> {
        loop {
            let place = c.here();
            let name = c.name("a symbol")?;
            let id = self.symbol_id(&name, &place);
            self.register(id);
            set(&mut self.symbols[id]);
            if !c.eat(",") {
                return c.finish();
            }
        }
    }

    /// `.globl`, `.weak`, `.local`: what was said once stays, but a global symbol may become weak.
    pub(super) fn binding(&mut self, c: &mut Cursor<'_>, wanted: u8) -> Result<(), AsmError> {
        loop {
            let place = c.here();
            let name = c.name("a symbol")?;
            let id = self.symbol_id(&name, &place);
            self.register(id);
            let s = &mut self.symbols[id];
            if s.bound && s.binding != wanted && wanted != elf::STB_WEAK {
                let (was, wanted) = (binding_name(s.binding), binding_name(wanted));
                return Err(place.error(AsmErrorKind::Rebound { name, was, wanted }));
            }
            (s.binding, s.bound) = (wanted, true);
            if !c.eat(",") {
                return c.finish();
            }
        }
    }

    /// `.weakref ALIAS, SYMBOL`
    pub(super) fn weak_reference(&mut self, c: &mut Cursor<'_>) -> Result<(), AsmError> {
        let place = c.here();
        let alias = c.name("a symbol")?;
        c.expect(",", "`,` and a symbol")?;
        let at = c.here();
        let name = c.name("a symbol")?;
        c.finish()?;
        let target = self.symbol_id(&name, &at);
        let id = self.symbol_id(&alias, &place);
        let value = Expr::Symbol(target, expr::Variant::None);
        self.define(id, Definition::Value(value), &place)?;
        self.symbols[id].alias = true;
        Ok(())
    }

    /// `.cfi_…`: describes call frames to debuggers; a code object works without.
    pub(super) fn call_frame(&mut self, name: &str, c: &mut Cursor<'_>, here: &Place) -> Result<(), AsmError> {
        match name {
            ".cfi_sections" => {
                self.frames.for_debuggers = !c.rest().contains(".eh_frame");
                return Ok(());
            }
            ".cfi_startproc" => {
                if self.frames.open.is_some() {
                    return Err(here.error(AsmErrorKind::Unclosed {
                        opening: ".cfi_startproc",
                        closing: ".cfi_endproc",
                    }));
                }
                self.frames.open = Some(here.clone());
                self.frames.first.get_or_insert_with(|| here.clone());
                return Ok(());
            }
            _ if self.frames.open.is_none() => return Err(here.error(AsmErrorKind::OutsideFrame)),
            ".cfi_endproc" => self.frames.open = None,
            _ => {}
        }
        Ok(())
    }

    pub(super) fn symbol_type(&mut self, c: &mut Cursor<'_>) -> Result<(), AsmError> {
        let place = c.here();
        let name = c.name("a symbol")?;
        c.eat(",");
        let _ = c.eat("@") || c.eat("%") || c.eat("#");
        let at = c.here();
        let kind = match c.name("a type such as @function")?.as_str() {
            "function" | "STT_FUNC" => elf::STT_FUNC,
            "object" | "STT_OBJECT" => elf::STT_OBJECT,
            "notype" | "STT_NOTYPE" => elf::STT_NOTYPE,
            "tls_object" | "STT_TLS" => elf::STT_TLS,
            "common" | "STT_COMMON" => elf::STT_COMMON,
            "gnu_unique_object" => elf::STT_OBJECT,
            _ => {
                return Err(at.error(AsmErrorKind::Expected {
                    expected: "function, object or notype",
                }))
            }
        };
        let id = self.symbol_id(&name, &place);
        self.register(id);
        self.symbols[id].kind = kind;
        c.finish()
    }

    pub(super) fn symbol_size(&mut self, c: &mut Cursor<'_>) -> Result<(), AsmError> {
        let place = c.here();
        let name = c.name("a symbol")?;
        c.expect(",", "`,` and the size")?;
        let start = c.position();
        let size = expr::parse(c, self)?;
        let at = c.since(start);
        let id = self.symbol_id(&name, &place);
        self.symbols[id].size = Some((size, at));
        c.finish()
    }

    /// `.comm NAME, SIZE[, ALIGN]`: zeros in .bss. The alignment is a power of two by its exponent on this target. A
    /// symbol that is local stands where the directive does; of the others the linker makes a section each.
    pub(super) fn common(&mut self, c: &mut Cursor<'_>, global: bool) -> Result<(), AsmError> {
        let (id, size, align, place) = self.sized(c, None, global)?;
        let s = &self.symbols[id];
        let local = !global || s.bound && s.binding == elf::STB_LOCAL;
        let again = match &s.definition {
            Some(Definition::Label(section, _)) => Some(&self.sections[*section]).filter(|s| s.name == COMMON),
            _ => None,
        };
        if !local && again.is_some_and(|s| (s.size, s.align) == (size, align)) {
            return Ok(());
        }
        let saved = (self.current, self.previous);
        if local {
            self.switch(".bss", None, None, &place)?;
        } else {
            self.sections.push(Section {
                name: COMMON.to_owned(),
                kind: elf::SHT_NOBITS,
                flags: ALLOC | WRITE,
                align: 1,
                ..Section::default()
            });
            self.current = self.sections.len() - 1;
        }
        let placed = self.align_to(align, None, u64::MAX, &place);
        let at = Definition::Label(self.current, self.sections[self.current].size);
        let placed = placed.and_then(|()| self.reserve(size, &place));
        (self.current, self.previous) = saved;
        placed?;
        self.define(id, at, &place)?;
        self.register(id);
        let s = &mut self.symbols[id];
        s.kind = elf::STT_OBJECT;
        s.size = Some((Expr::Int(size as i64), place));
        match (global, s.bound) {
            (false, _) => (s.binding, s.bound) = (elf::STB_LOCAL, true),
            (true, false) => (s.binding, s.bound) = (elf::STB_GLOBAL, true),
            (true, true) => {}
        }
        Ok(())
    }

    /// `.amdgpu_lds NAME, SIZE[, ALIGN]`: the variables get consecutive places in LDS. (LLVM leaves this to a linker
    /// that does not exist for HSA.)
    pub(super) fn lds(&mut self, c: &mut Cursor<'_>) -> Result<(), AsmError> {
        let (id, size, align, place) = self.sized(c, Some(4), true)?;
        let start = self.lds_bytes.next_multiple_of(align);
        let end = start.saturating_add(size);
        let most = u64::from(self.target.max_lds);
        if end > most {
            let range = AsmErrorKind::Range {
                what: "the LDS in use",
                value: end as i64,
                low: 0,
                high: most as i64,
            };
            return Err(place.error(range));
        }
        self.lds_bytes = end;
        self.define(id, Definition::Lds(start), &place)?;
        self.register(id);
        self.symbols[id].kind = elf::STT_OBJECT;
        self.symbols[id].size = Some((Expr::Int(size as i64), place));
        Ok(())
    }

    /// `NAME, SIZE[, ALIGN]`: the alignment in bytes when there is a default, or else as exponent.
    fn sized(
        &mut self,
        c: &mut Cursor<'_>,
        default: Option<u64>,
        aligned: bool,
    ) -> Result<(usize, u64, u64, Place), AsmError> {
        let place = c.here();
        let name = c.name("a symbol")?;
        c.expect(",", "`,` and the size")?;
        let size = self.count(c, "the size")?;
        let mut align = default.unwrap_or(1);
        if aligned && c.eat(",") {
            let (value, at) = self.number(c)?;
            align = match (default, value) {
                (Some(_), value) => power_of_two(value, &at)?,
                (None, value) => power(value, &at)?,
            };
        }
        c.finish()?;
        Ok((self.symbol_id(&name, &place), size, align, place))
    }
}

fn binding_name(binding: u8) -> &'static str {
    match binding {
        elf::STB_LOCAL => "local",
        elf::STB_WEAK => "weak",
        _ => "global",
    }
}
