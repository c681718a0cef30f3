//! Conditions and macros: `.if`, `.ifdef`, `.macro`, `.rept`, `.irp`.
//!
//! Method: the lines of a macro's use or of a repetition are put in front of the lines still to be read, with the
//! parameters replaced; errors in them name the line of the use.

use super::error::{AsmError, AsmErrorKind};
use super::lex::{is_name, Cursor, Place, Token};
use super::state::{Assembler, Line};

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

/// A `.macro`.
#[derive(Debug, Clone)]
pub struct Macro {
    /// Names and default texts.
    parameters: Vec<(String, Option<String>)>,
    lines: Vec<String>,
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
            | ".ifb" | ".ifnb" | ".ifc" | ".ifnc" => {
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

    /// Macro directives; anything else is unknown.
    pub(super) fn macro_directive(&mut self, name: &str, c: &mut Cursor<'_>, here: &Place) -> Result<(), AsmError> {
        match name {
            ".macro" => self.define_macro(c, here),
            ".rept" | ".rep" => {
                let (count, place) = self.number(c)?;
                c.finish()?;
                let body = self.body(&[".rept", ".rep", ".irp"], ".endr", ".rept", here)?;
                if count < 0 {
                    let range = AsmErrorKind::Range {
                        what: "the count",
                        value: count,
                        low: 0,
                        high: i64::from(u32::MAX),
                    };
                    return Err(place.error(range));
                }
                let mut made = Vec::new();
                for _ in 0..count {
                    made.extend(body.iter().map(|text| Line {
                        number: here.line,
                        text: text.clone(),
                    }));
                    if made.len() > 1 << 18 {
                        break;
                    }
                }
                self.feed_made(made, here)
            }
            ".irp" => {
                let parameter = c.name("a parameter")?;
                c.eat(",");
                let values: Vec<String> = arguments(c.rest());
                let body = self.body(&[".rept", ".rep", ".irp"], ".endr", ".irp", here)?;
                let mut made = Vec::new();
                for value in values {
                    let pair = [(parameter.clone(), value)];
                    made.extend(body.iter().map(|t| Line {
                        number: here.line,
                        text: substitute(t, &pair, 0),
                    }));
                }
                self.feed_made(made, here)
            }
            ".purgem" => {
                let name = c.name("a macro")?;
                self.macros.remove(&name);
                c.finish()
            }
            ".endm" | ".endmacro" => Err(here.error(AsmErrorKind::Unopened {
                directive: ".endm",
                opening: ".macro",
            })),
            ".endr" => Err(here.error(AsmErrorKind::Unopened {
                directive: ".endr",
                opening: ".rept",
            })),
            ".end_amdhsa_kernel" => {
                let opening = ".amdhsa_kernel";
                Err(here.error(AsmErrorKind::Unopened {
                    directive: ".end_amdhsa_kernel",
                    opening,
                }))
            }
            _ => Err(here.error(AsmErrorKind::UnknownDirective { name: name.to_owned() })),
        }
    }

    /// The lines up to the closing directive.
    fn body(
        &mut self,
        openings: &[&str],
        closing: &'static str,
        opening: &'static str,
        here: &Place,
    ) -> Result<Vec<String>, AsmError> {
        let mut depth = 0;
        let mut body = Vec::new();
        while let Some(line) = self.next_line() {
            let word = line.text.split_whitespace().next().unwrap_or_default();
            if openings.contains(&word) {
                depth += 1;
            } else if word == closing || closing == ".endm" && word == ".endmacro" {
                if depth == 0 {
                    return Ok(body);
                }
                depth -= 1;
            }
            body.push(line.text);
        }
        Err(here.error(AsmErrorKind::Unclosed { opening, closing }))
    }

    fn define_macro(&mut self, c: &mut Cursor<'_>, here: &Place) -> Result<(), AsmError> {
        let name = c.name("the macro's name")?;
        c.eat(",");
        let mut parameters = Vec::new();
        while !c.at_end() {
            let parameter = c.name("a parameter")?;
            if c.eat(":") {
                c.name("`req`")?;
            }
            let mut default = None;
            if c.eat("=") {
                let start = c.position();
                while !matches!(c.peek(), Token::Sign(",") | Token::End) {
                    c.next()?;
                }
                default = Some(c.since(start).text);
            }
            parameters.push((parameter, default));
            c.eat(",");
        }
        let lines = self.body(&[".macro"], ".endm", ".macro", here)?;
        self.macros.insert(name, Macro { parameters, lines });
        Ok(())
    }

    /// Puts a macro's lines in place of its use.
    pub(super) fn expand(&mut self, m: &Macro, c: &mut Cursor<'_>, here: &Place) -> Result<(), AsmError> {
        let given = arguments(c.rest());
        if given.len() > m.parameters.len() {
            return Err(here.error(AsmErrorKind::Expected {
                expected: "no more arguments than the macro has parameters",
            }));
        }
        let mut pairs: Vec<(String, String)> = m
            .parameters
            .iter()
            .map(|(p, d)| (p.clone(), d.clone().unwrap_or_default()))
            .collect();
        for (i, argument) in given.into_iter().enumerate() {
            let named = argument.split_once('=').and_then(|(key, value)| {
                let at = m.parameters.iter().position(|p| p.0 == key.trim())?;
                Some((at, value.trim().to_owned()))
            });
            let (at, value) = named.unwrap_or((i, argument));
            pairs[at].1 = value;
        }
        let number = self.expansions;
        self.expansions += 1;
        let made = m
            .lines
            .iter()
            .map(|t| Line {
                number: here.line,
                text: substitute(t, &pairs, number),
            })
            .collect();
        self.feed_made(made, here)
    }

    /// Everything that was opened must be closed at the end of the file.
    pub(super) fn check_closed(&mut self) {
        if let Some(block) = self.block.take() {
            self.errors.push(block.unclosed());
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

/// Arguments at commas outside brackets and quotes, or at spaces when there is no comma.
fn arguments(text: &str) -> Vec<String> {
    if text.is_empty() {
        return Vec::new();
    }
    let (mut depth, mut quoted, mut start) = (0i32, false, 0);
    let mut parts = Vec::new();
    for (i, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '(' | '[' if !quoted => depth += 1,
            ')' | ']' if !quoted => depth -= 1,
            ',' if depth == 0 && !quoted => {
                parts.push(text[start..i].trim().to_owned());
                start = i + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim().to_owned());
    parts
}

/// The line with `\name` replaced; `\@` is the number of the expansion, `\()` nothing.
fn substitute(line: &str, pairs: &[(String, String)], number: u64) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('@') {
            out.push_str(&number.to_string());
            rest = after;
            continue;
        }
        if let Some(after) = rest.strip_prefix("()") {
            rest = after;
            continue;
        }
        let len = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
        match pairs.iter().find(|p| p.0 == rest[..len]) {
            Some((_, value)) => out.push_str(value),
            None => {
                out.push('\\');
                out.push_str(&rest[..len]);
            }
        }
        rest = &rest[len..];
    }
    out + rest
}
