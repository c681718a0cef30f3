//! Conditions: `.if`, `.ifdef`, `.ifc`, `.ifeqs` and their relatives.
//!
//! Method: every line asks here first; a line that is skipped or is part of a condition is dealt with. Source: LLVM 19
//! `AsmParser.cpp`.

use super::error::{AsmError, AsmErrorKind};
use super::lex::{Cursor, Place, Token};
use super::state::Assembler;

/// An open `.if`.
#[derive(Debug, Clone)]
pub struct Condition {
    /// Its lines are read.
    active: bool,
    /// A branch was taken already, or the whole stands in lines that are skipped.
    done: bool,
    /// `.else` was seen.
    in_else: bool,
    place: Place,
}

impl Assembler {
    fn skipping(&self) -> bool {
        self.conditions.last().is_some_and(|c| !c.active)
    }

    /// Handles `.if` and relatives; true when the line is dealt with, because it is one or because it is skipped.
    pub(super) fn skip_by_condition(&mut self, c: &mut Cursor<'_>) -> Result<bool, AsmError> {
        let mut ahead = c.clone();
        let here = ahead.here();
        let name = match ahead.next() {
            Ok(Token::Name(name)) if name.starts_with('.') => name,
            _ => return Ok(self.skipping()),
        };
        match name.as_str() {
            ".if" | ".ifeq" | ".ifne" | ".iflt" | ".ifle" | ".ifgt" | ".ifge" | ".ifdef" | ".ifndef" | ".ifnotdef"
            | ".ifb" | ".ifnb" | ".ifc" | ".ifnc" | ".ifeqs" | ".ifnes" => {
                let skipping = self.skipping();
                let active = !skipping && self.condition(&name, &mut ahead)?;
                self.conditions.push(Condition {
                    active,
                    done: active || skipping,
                    in_else: false,
                    place: here,
                });
            }
            ".elseif" => {
                let done = self.top(&here, ".elseif")?.done;
                let value = !done && self.condition(".if", &mut ahead)?;
                let top = self.top(&here, ".elseif")?;
                (top.active, top.done) = (value, done || value);
            }
            ".else" => {
                let top = self.top(&here, ".else")?;
                (top.active, top.done, top.in_else) = (!top.done, true, true);
                ahead.finish()?;
            }
            ".endif" => {
                let opening = AsmErrorKind::Unopened {
                    directive: ".endif",
                    opening: ".if",
                };
                self.conditions.pop().ok_or_else(|| here.error(opening))?;
                ahead.finish()?;
            }
            _ => return Ok(self.skipping()),
        }
        Ok(true)
    }

    fn top(&mut self, here: &Place, directive: &'static str) -> Result<&mut Condition, AsmError> {
        let opening = ".if";
        match self.conditions.last_mut() {
            Some(c) if !c.in_else => Ok(c),
            _ => Err(here.error(AsmErrorKind::Unopened { directive, opening })),
        }
    }

    fn condition(&mut self, name: &str, c: &mut Cursor<'_>) -> Result<bool, AsmError> {
        match name {
            ".ifdef" | ".ifndef" | ".ifnotdef" => {
                let symbol = c.name("a symbol")?;
                let defined = self.known_symbol(&symbol).is_some_and(|s| s.definition.is_some());
                return Ok(defined == (name == ".ifdef"));
            }
            ".ifb" => return Ok(c.at_end()),
            ".ifnb" => return Ok(!c.at_end()),
            ".ifc" | ".ifnc" => {
                let (a, b) = c.rest().split_once(',').unwrap_or((c.rest(), ""));
                return Ok((a.trim() == b.trim()) == (name == ".ifc"));
            }
            ".ifeqs" | ".ifnes" => {
                let a = string(c)?;
                c.expect(",", "`,` and a string")?;
                let b = string(c)?;
                c.finish()?;
                return Ok((a == b) == (name == ".ifeqs"));
            }
            _ => {}
        }
        let (v, _) = self.number(c)?;
        c.finish()?;
        Ok(match name {
            ".ifeq" => v == 0,
            ".iflt" => v < 0,
            ".ifle" => v <= 0,
            ".ifgt" => v > 0,
            ".ifge" => v >= 0,
            _ => v != 0,
        })
    }

    /// Everything that was opened must be closed at the end of the file.
    pub(super) fn check_closed(&mut self) {
        if let Some(block) = self.block.take() {
            self.errors.push(block.unclosed());
        }
        if let Some(place) = &self.frames.open {
            let (opening, closing) = (".cfi_startproc", ".cfi_endproc");
            self.errors
                .push(place.error(AsmErrorKind::Unclosed { opening, closing }));
        }
        if let Some(place) = self.frames.first.as_ref().filter(|_| !self.frames.for_debuggers) {
            self.errors.push(place.error(AsmErrorKind::Frames));
        }
        if let Some((_, place)) = self.metadata_text.take() {
            let (opening, closing) = (".amdgpu_metadata", ".end_amdgpu_metadata");
            self.errors
                .push(place.error(AsmErrorKind::Unclosed { opening, closing }));
        }
        if let Some(open) = self.conditions.pop() {
            self.errors.push(open.place.error(AsmErrorKind::Unclosed {
                opening: ".if",
                closing: ".endif",
            }));
        }
    }
}

fn string(c: &mut Cursor<'_>) -> Result<Vec<u8>, AsmError> {
    let expected = c.expected("a string in quotation marks");
    match c.next()? {
        Token::Text(bytes) => Ok(bytes),
        _ => Err(expected),
    }
}
