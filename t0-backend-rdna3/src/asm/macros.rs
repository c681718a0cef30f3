//! Macros and repetitions: `.macro`, `.rept`, `.irp`, `.irpc`.
//!
//! Method: the lines of a macro's use or of a repetition are put in front of the lines still to be read, with the
//! parameters replaced; errors in them name the line of the use. Arguments are cut as LLVM cuts them: at commas, and at
//! spaces that stand next to no operator. Source: LLVM 19 `AsmParser.cpp`, each rule tried with llvm-mc.

use super::error::{AsmError, AsmErrorKind};
use super::lex::{is_name, Cursor, Place, Token};
use super::state::{Assembler, Line};

/// A parameter of a macro.
#[derive(Debug, Clone)]
struct Parameter {
    name: String,
    default: Option<String>,
    /// `:req`
    required: bool,
    /// `:vararg`: the rest of the line, commas included.
    vararg: bool,
}

/// A `.macro`.
#[derive(Debug, Clone)]
pub struct Macro {
    name: String,
    parameters: Vec<Parameter>,
    lines: Vec<String>,
    /// How often it was used, for `\+`.
    uses: u64,
}

/// Deepest nesting of macro uses (LLVM's default).
const MAX_NESTING: usize = 20;

/// What backslashes in a macro's text stand for.
struct Substitution<'a> {
    /// Parameters and their texts.
    pairs: &'a [(String, String)],
    /// `\@`: how many macros were used before; repetitions by count have none.
    uses: Option<u64>,
    /// `\+`: how often this one was used before.
    count: u64,
    /// `.altmacro`: parameters are replaced without backslash, too.
    bare: bool,
}

const REPETITIONS: [&str; 4] = [".rept", ".rep", ".irp", ".irpc"];

impl Assembler {
    /// Macro directives; anything else is unknown.
    pub(super) fn macro_directive(&mut self, name: &str, c: &mut Cursor<'_>, here: &Place) -> Result<(), AsmError> {
        let unopened = |directive, opening| Err(here.error(AsmErrorKind::Unopened { directive, opening }));
        match name {
            ".macro" => self.define_macro(c, here),
            ".rept" | ".rep" => self.repeat(c, here),
            ".irp" | ".irpc" => {
                let parameter = c.name("a parameter")?;
                c.expect(",", "`,` and what the parameter stands for")?;
                let values = if name == ".irp" {
                    self.values(c)?
                } else {
                    characters(c)?
                };
                let opening = if name == ".irp" { ".irp" } else { ".irpc" };
                let body = self.body(&REPETITIONS, ".endr", opening, here)?;
                let uses = Some(self.expansions);
                let mut made = Vec::new();
                for (count, value) in (0..).zip(values) {
                    let pairs = [(parameter.clone(), value)];
                    let s = Substitution {
                        pairs: &pairs,
                        uses,
                        count,
                        bare: self.altmacro,
                    };
                    made.extend(body.iter().map(|t| s.line(t, here.line)));
                }
                self.feed_made(made, here)
            }
            ".purgem" => {
                let name = c.name("a macro")?;
                c.finish()?;
                match self.macros.remove(&name) {
                    Some(_) => Ok(()),
                    None => Err(here.error(AsmErrorKind::MacroUnknown { name })),
                }
            }
            ".altmacro" | ".noaltmacro" => {
                self.altmacro = name == ".altmacro";
                c.finish()
            }
            ".exitm" => {
                c.finish()?;
                if self.leave_macro() {
                    return Ok(());
                }
                unopened(".exitm", ".macro")
            }
            ".endm" | ".endmacro" => unopened(".endm", ".macro"),
            ".endr" => unopened(".endr", ".rept"),
            ".end_amdhsa_kernel" => unopened(".end_amdhsa_kernel", ".amdhsa_kernel"),
            _ => Err(here.error(AsmErrorKind::UnknownDirective { name: name.to_owned() })),
        }
    }

    fn repeat(&mut self, c: &mut Cursor<'_>, here: &Place) -> Result<(), AsmError> {
        let (count, place) = self.number(c)?;
        c.finish()?;
        let body = self.body(&REPETITIONS, ".endr", ".rept", here)?;
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
        for count in 0..count as u64 {
            let s = Substitution {
                pairs: &[],
                uses: None,
                count,
                bare: false,
            };
            made.extend(body.iter().map(|t| s.line(t, here.line)));
            if made.len() > 1 << 18 || body.is_empty() {
                break;
            }
        }
        self.feed_made(made, here)
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
        while let Some(line) = self.next_line_here() {
            let mut words = line.text.split_whitespace();
            let word = words.next().unwrap_or_default();
            if openings.contains(&word) {
                depth += 1;
            } else if word == closing || closing == ".endm" && word == ".endmacro" {
                if depth == 0 {
                    let mut c = Cursor::new(&line.text, line.number, 1);
                    let _ = c.next();
                    c.finish()?;
                    return Ok(body);
                }
                depth -= 1;
            }
            body.push(line.text);
        }
        Err(here.error(AsmErrorKind::Unclosed { opening, closing }))
    }

    fn define_macro(&mut self, c: &mut Cursor<'_>, here: &Place) -> Result<(), AsmError> {
        let name_at = c.here();
        let name = c.name("the macro's name")?;
        c.eat(",");
        // The text is read even when the first line is wrong: it would make errors of its own.
        let parameters = self.parameters(c, &name);
        let lines = self.body(&[".macro"], ".endm", ".macro", here)?;
        let parameters = parameters?;
        if self.macros.contains_key(&name) {
            return Err(name_at.error(AsmErrorKind::MacroRedefined { name }));
        }
        let made = Macro {
            name: name.clone(),
            parameters,
            lines,
            uses: 0,
        };
        self.macros.insert(name, made);
        Ok(())
    }

    fn parameters(&mut self, c: &mut Cursor<'_>, macro_name: &str) -> Result<Vec<Parameter>, AsmError> {
        let mut all: Vec<Parameter> = Vec::new();
        while !c.at_end() {
            let at = c.here();
            if let Some(last) = all.last().filter(|p| p.vararg) {
                let name = last.name.clone();
                return Err(at.error(AsmErrorKind::VarargLast { name }));
            }
            let name = c.name("a parameter")?;
            if all.iter().any(|p| p.name == name) {
                let in_macro = macro_name.to_owned();
                return Err(at.error(AsmErrorKind::ParameterTwice { name, in_macro }));
            }
            let mut parameter = Parameter {
                name,
                default: None,
                required: false,
                vararg: false,
            };
            if c.eat(":") {
                let at = c.here();
                match c.name("`req` or `vararg`")?.as_str() {
                    "req" => parameter.required = true,
                    "vararg" => parameter.vararg = true,
                    found => {
                        let found = found.to_owned();
                        return Err(at.error(AsmErrorKind::Qualifier { found }));
                    }
                }
            }
            if c.eat("=") {
                parameter.default = Some(self.argument(c, false)?);
            }
            all.push(parameter);
            c.eat(",");
        }
        Ok(all)
    }

    /// Puts a macro's lines in place of its use.
    pub(super) fn expand(&mut self, m: &Macro, c: &mut Cursor<'_>, here: &Place) -> Result<(), AsmError> {
        if self.nesting() >= MAX_NESTING {
            return Err(here.error(AsmErrorKind::MacroDepth { limit: MAX_NESTING }));
        }
        let pairs = self.arguments(m, c, here)?;
        let s = Substitution {
            pairs: &pairs,
            uses: Some(self.expansions),
            count: m.uses,
            bare: self.altmacro,
        };
        let made = m.lines.iter().map(|t| s.line(t, here.line)).collect();
        self.expansions += 1;
        if let Some(m) = self.macros.get_mut(&m.name) {
            m.uses += 1;
        }
        self.feed_made(made, here)
    }

    /// The parameters of a macro with the texts a use gives them.
    fn arguments(&mut self, m: &Macro, c: &mut Cursor<'_>, here: &Place) -> Result<Vec<(String, String)>, AsmError> {
        let mut given: Vec<Option<String>> = vec![None; m.parameters.len()];
        let mut named = false;
        let mut next = 0;
        while !c.at_end() {
            let at = c.here();
            let mut ahead = c.clone();
            let key = match (ahead.next(), ahead.eat("=")) {
                (Ok(Token::Name(key)), true) => Some(key),
                _ => None,
            };
            let slot = match key {
                Some(key) => {
                    *c = ahead;
                    named = true;
                    let found = m.parameters.iter().position(|p| p.name == key);
                    let in_macro = m.name.clone();
                    found.ok_or_else(|| at.error(AsmErrorKind::NoParameter { name: key, in_macro }))?
                }
                None if named => return Err(at.error(AsmErrorKind::MixedArguments)),
                None => next,
            };
            let Some(parameter) = m.parameters.get(slot) else {
                return Err(at.error(AsmErrorKind::Expected {
                    expected: "no more arguments than the macro has parameters",
                }));
            };
            let value = self.argument(c, parameter.vararg)?;
            if !value.is_empty() {
                given[slot] = Some(value);
            }
            next += 1;
            c.eat(",");
        }
        let mut pairs = Vec::with_capacity(given.len());
        for (p, value) in m.parameters.iter().zip(given) {
            if value.is_none() && p.required {
                let (name, in_macro) = (p.name.clone(), m.name.clone());
                return Err(here.error(AsmErrorKind::MissingArgument { name, in_macro }));
            }
            let value = value.or_else(|| p.default.clone()).unwrap_or_default();
            pairs.push((p.name.clone(), value));
        }
        Ok(pairs)
    }

    /// The arguments of `.irp`.
    fn values(&mut self, c: &mut Cursor<'_>) -> Result<Vec<String>, AsmError> {
        let mut out = Vec::new();
        while !c.at_end() {
            out.push(self.argument(c, false)?);
            c.eat(",");
        }
        Ok(out)
    }

    /// One argument: it ends at a comma, or at a space that joins no operator. Quotes around strings are dropped.
    fn argument(&mut self, c: &mut Cursor<'_>, vararg: bool) -> Result<String, AsmError> {
        let start = c.position();
        let text = c.rest();
        if vararg {
            c.skip(text.len());
            return Ok(text.to_owned());
        }
        if self.altmacro && text.starts_with('%') {
            c.skip(1);
            return self.number(c).map(|n| n.0.to_string());
        }
        if self.altmacro && text.starts_with('<') {
            if let Some((value, len)) = angle_brackets(text) {
                c.skip(len);
                return Ok(value);
            }
        }
        let cut = cut_argument(text);
        c.skip(cut.len);
        match cut.wrong {
            None => Ok(cut.value),
            Some(expected) => Err(c.since(start).error(AsmErrorKind::Expected { expected })),
        }
    }
}

/// An argument cut from the front of a text.
struct Cut {
    value: String,
    /// Bytes it takes of the text.
    len: usize,
    wrong: Option<&'static str>,
}

/// Operators next to which a space does not end an argument; longer ones first.
const OPERATORS: [&str; 20] = [
    "==", "!=", "<=", ">=", "<<", ">>", "<>", "&&", "||", "+", "-", "~", "/", "*", "|", "^", "&", "!", "<", ">",
];

fn cut_argument(text: &str) -> Cut {
    let mut value = String::new();
    let (mut at, mut depth) = (0, 0usize);
    let done = |value, len, wrong| Cut { value, len, wrong };
    loop {
        let mut rest = &text[at..];
        if depth == 0 {
            let trimmed = rest.trim_start_matches([' ', '\t']);
            let spaced = trimmed.len() < rest.len() && at > 0;
            at += rest.len() - trimmed.len();
            rest = trimmed;
            if rest.is_empty() || rest.starts_with(',') {
                return done(value, at, None);
            }
            if let Some(operator) = OPERATORS.iter().find(|o| rest.starts_with(**o)) {
                value += operator;
                at += operator.len();
                let after = &text[at..];
                at += after.len() - after.trim_start_matches([' ', '\t']).len();
                continue;
            }
            if spaced {
                return done(value, at, None);
            }
        }
        let Some(first) = rest.chars().next() else {
            return done(value, at, Some("`)` before the end of the macro's arguments"));
        };
        let len = match first {
            '"' => {
                let closing = closing_quote(rest);
                value += &rest[1..closing.unwrap_or(rest.len())];
                at += closing.map_or(rest.len(), |q| q + 1);
                continue;
            }
            '=' if !rest.starts_with("==") => return done(value, at, Some("no `=` in the argument of a macro")),
            '\'' if rest.len() > 2 && rest.as_bytes()[2] == b'\'' => 3,
            c if is_name(c) => rest.find(|c: char| !is_name(c)).unwrap_or(rest.len()),
            c => {
                match c {
                    '(' => depth += 1,
                    ')' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                c.len_utf8()
            }
        };
        value += &rest[..len];
        at += len;
    }
}

/// Where the string that starts the text ends.
fn closing_quote(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (i, c) in text.char_indices().skip(1) {
        match c {
            '"' if !escaped => return Some(i),
            _ => escaped = c == '\\' && !escaped,
        }
    }
    None
}

/// `<text>` of `.altmacro`, where `!` makes the next character plain; and its length.
fn angle_brackets(text: &str) -> Option<(String, usize)> {
    let mut value = String::new();
    let mut chars = text.char_indices().skip(1);
    while let Some((i, c)) = chars.next() {
        match c {
            '>' => return Some((value, i + 1)),
            '!' => value.push(chars.next()?.1),
            c => value.push(c),
        }
    }
    None
}

/// The characters of `.irpc`'s one argument.
fn characters(c: &mut Cursor<'_>) -> Result<Vec<String>, AsmError> {
    let text = c.rest();
    let cut = cut_argument(text);
    if cut.len == 0 || cut.wrong.is_some() {
        return Err(c.expected("characters for the parameter"));
    }
    // Quotes count as characters.
    let taken = text[..cut.len].trim_end();
    c.skip(cut.len);
    c.finish()?;
    Ok(taken.chars().map(String::from).collect())
}

impl Substitution<'_> {
    fn line(&self, text: &str, number: u32) -> Line {
        Line {
            number,
            text: self.text(text),
        }
    }

    /// The text with `\name` replaced; `\()` is nothing.
    fn text(&self, line: &str) -> String {
        let mut out = String::new();
        let mut rest = line;
        let value = |name: &str| self.pairs.iter().find(|p| p.0 == name).map(|p| p.1.as_str());
        while let Some(c) = rest.chars().next() {
            if is_name(c) {
                let len = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
                let word = &rest[..len];
                out.push_str(value(word).filter(|_| self.bare).unwrap_or(word));
                rest = &rest[len..];
                continue;
            }
            rest = &rest[c.len_utf8()..];
            if c != '\\' {
                out.push(c);
                continue;
            }
            if let (Some(after), Some(uses)) = (rest.strip_prefix('@'), self.uses) {
                out.push_str(&uses.to_string());
                rest = after;
                continue;
            }
            if let Some(after) = rest.strip_prefix('+') {
                out.push_str(&self.count.to_string());
                rest = after;
                continue;
            }
            if let Some(after) = rest.strip_prefix("()") {
                rest = after;
                continue;
            }
            let len = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
            match value(&rest[..len]) {
                Some(text) => out.push_str(text),
                None => {
                    out.push('\\');
                    out.push_str(&rest[..len]);
                }
            }
            rest = &rest[len..];
        }
        out
    }
}
