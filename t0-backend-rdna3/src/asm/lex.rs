//! Lines without comments, and the tokens of expressions and directives.
//!
//! Comments (`;`, `//`, `/* … */`, a line that starts with `#`) become spaces, so columns stay those of the file. A
//! newline or carriage return ends a statement; `;` does not separate statements on this target. Spaces and tabs separate
//! words, nothing else does.

use super::error::{AsmError, AsmErrorKind};
use super::state::Line;
use crate::isa;
use std::borrow::Cow;

/// A place in the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
    /// The text there.
    pub text: String,
}

impl Place {
    /// An error here.
    pub fn error(&self, kind: impl Into<AsmErrorKind>) -> AsmError {
        AsmError {
            line: self.line,
            column: self.column,
            text: self.text.clone(),
            kind: kind.into(),
        }
    }
}

/// See [`super::text_of`].
pub fn text_of(bytes: &[u8]) -> Result<Cow<'_, str>, usize> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Ok(Cow::Borrowed(text));
    }
    let comments = comments(bytes);
    let mut out = bytes.to_vec();
    while let Err(e) = std::str::from_utf8(&out) {
        let at = e.valid_up_to();
        let is_comment = comments.iter().any(|c| c.contains(&at));
        match out.get_mut(at) {
            Some(byte) if is_comment => *byte = b'?',
            _ => return Err(at),
        }
    }
    String::from_utf8(out)
        .map(Cow::Owned)
        .map_err(|e| e.utf8_error().valid_up_to())
}

/// Where the comments of a file are.
fn comments(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut out = Vec::new();
    let (mut at, mut quoted, mut line_start) = (0, false, true);
    while let Some(&c) = bytes.get(at) {
        let rest = &bytes[at..];
        let line = rest
            .iter()
            .position(|b| matches!(b, b'\n' | b'\r'))
            .unwrap_or(rest.len());
        let length = match c {
            _ if quoted => 0,
            b'/' if rest.starts_with(b"/*") => {
                let end = rest[2..].windows(2).position(|w| w == b"*/");
                end.map_or(rest.len(), |end| end + 4)
            }
            b'/' if rest.starts_with(b"//") => line,
            b';' => line,
            b'#' if line_start => line,
            _ => 0,
        };
        if length > 0 {
            out.push(at..at + length);
            at += length;
            continue;
        }
        quoted ^= c == b'"';
        line_start = c == b'\n' || c == b'\r' || line_start && matches!(c, b' ' | b'\t');
        at += 1 + usize::from(quoted && c == b'\\');
    }
    out
}

/// Cuts text into lines without comments; block comments may span lines, which become one.
#[derive(Debug)]
pub struct Lines<'a> {
    rest: &'a str,
    /// The number of the line `rest` starts in.
    number: u32,
    in_metadata: bool,
    /// What cannot be read at all: characters, and a comment without end.
    pub errors: Vec<AsmError>,
}

impl<'a> Lines<'a> {
    /// The lines of a file.
    pub fn new(source: &'a str) -> Lines<'a> {
        Lines {
            rest: source,
            number: 1,
            in_metadata: false,
            errors: Vec::new(),
        }
    }

    /// A line of metadata as it is.
    fn raw(&mut self) -> String {
        let end = self.rest.find('\n').unwrap_or(self.rest.len());
        let line = &self.rest[..end];
        self.rest = self.rest.get(end + 1..).unwrap_or_default();
        self.number += 1;
        line.strip_suffix('\r').unwrap_or(line).to_owned()
    }

    /// A line with spaces in place of comments. A carriage return outside strings ends a line, too.
    fn stripped(&mut self) -> String {
        let mut out = String::new();
        let mut quoted = false;
        let mut line_start = true;
        while let Some(c) = self.rest.chars().next() {
            let rest = self.rest;
            if c == '\n' || c == '\r' && (!quoted || rest.starts_with("\r\n")) {
                break;
            }
            if !quoted && (c == ';' || rest.starts_with("//") || c == '#' && line_start) {
                self.rest = &rest[rest.find(['\n', '\r']).unwrap_or(rest.len())..];
                break;
            }
            if !quoted && rest.starts_with("/*") {
                self.block_comment(&mut out);
                continue;
            }
            // A character such as ';'.
            let literal = if quoted || c != '\'' { 0 } else { isa::quoted(rest) };
            if literal > 0 && !rest[..literal].contains(['\n', '\r']) {
                out.push_str(&rest[..literal]);
                self.rest = &rest[literal..];
                line_start = false;
                continue;
            }
            self.rest = &rest[c.len_utf8()..];
            if quoted && c == '\\' {
                out.push(c);
                if let Some(escaped) = self.rest.chars().next().filter(|c| !matches!(c, '\n' | '\r')) {
                    out.push(escaped);
                    self.rest = &self.rest[escaped.len_utf8()..];
                }
                continue;
            }
            if !quoted && (c != '\t' && c.is_control() && c != '\0' || !c.is_ascii() && c.is_whitespace()) {
                let place = Place {
                    line: self.number,
                    column: out.len() as u32 + 1,
                    text: String::new(),
                };
                self.errors
                    .push(place.error(AsmErrorKind::Character { code: c.into() }));
            }
            quoted ^= c == '"';
            line_start &= matches!(c, ' ' | '\t');
            out.push(if c == '\0' && !quoted { ' ' } else { c });
        }
        self.rest = self
            .rest
            .strip_prefix("\r\n")
            .or(self.rest.strip_prefix(['\n', '\r']))
            .unwrap_or(self.rest);
        self.number += 1;
        out
    }

    /// Reads a comment up to its end and leaves spaces, so columns stay those of the file.
    fn block_comment(&mut self, out: &mut String) {
        let place = Place {
            line: self.number,
            column: out.len() as u32 + 1,
            text: String::new(),
        };
        let end = self.rest[2..].find("*/").map(|at| at + 4);
        if end.is_none() {
            let (opening, closing) = ("/*", "*/");
            self.errors
                .push(place.error(AsmErrorKind::Unclosed { opening, closing }));
        }
        let (comment, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        out.extend(std::iter::repeat_n(
            ' ',
            comment.len() - comment.rfind('\n').map_or(0, |at| at + 1),
        ));
        self.number += comment.matches('\n').count() as u32;
        self.rest = rest;
    }
}

impl Iterator for Lines<'_> {
    type Item = Line;

    fn next(&mut self) -> Option<Line> {
        if self.rest.is_empty() {
            return None;
        }
        let number = self.number;
        let text = if self.in_metadata { self.raw() } else { self.stripped() };
        match text.trim() {
            ".amdgpu_metadata" => self.in_metadata = true,
            ".end_amdgpu_metadata" => self.in_metadata = false,
            _ => {}
        }
        Some(Line { number, text })
    }
}

/// A token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    /// A name: letters, digits, `_ . $`.
    Name(String),
    /// A number.
    Number(u128),
    /// A floating-point number as written.
    Float(String),
    /// A quoted string, unescaped.
    Text(Vec<u8>),
    /// An operator or other sign.
    Sign(&'static str),
    /// The end of the statement.
    End,
}

const SIGNS: [&str; 32] = [
    "<<", ">>", "<=", ">=", "==", "!=", "<>", "&&", "||", "+", "-", "*", "/", "%", "(", ")", "[", "]", ",", ":", "@",
    "~", "!", "&", "|", "^", "<", ">", "=", "#", "{", "}",
];

/// Reads tokens from one statement.
#[derive(Debug, Clone)]
pub struct Cursor<'a> {
    text: &'a str,
    line: u32,
    /// Column of the first byte of `text`.
    column: u32,
    at: usize,
    /// Parentheses open around what is read.
    pub(super) depth: usize,
    /// Operators read so far in one expression after the other.
    pub(super) operators: usize,
}

/// Whether a name may contain the character.
pub fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$')
}

impl<'a> Cursor<'a> {
    /// At the start of `text`, which stands at this place of the file.
    pub fn new(text: &'a str, line: u32, column: u32) -> Cursor<'a> {
        Cursor {
            text,
            line,
            column,
            at: 0,
            depth: 0,
            operators: 0,
        }
    }

    fn skip_space(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start_matches([' ', '\t']).len();
    }

    /// Passes over so many bytes, which the caller read from [`Cursor::rest`].
    pub fn skip(&mut self, bytes: usize) {
        self.at = (self.at + bytes).min(self.text.len());
    }

    /// The rest of the statement.
    pub fn rest(&mut self) -> &'a str {
        self.skip_space();
        self.text[self.at..].trim_end()
    }

    /// Bytes read so far, spaces before the next token included.
    pub fn position(&mut self) -> usize {
        self.skip_space();
        self.at
    }

    /// The place from byte `start` of the statement to where reading is.
    pub fn since(&self, start: usize) -> Place {
        self.place(start, self.text[start..self.at.max(start)].trim_end())
    }

    fn place(&self, at: usize, text: &str) -> Place {
        Place {
            line: self.line,
            column: self.column + at as u32,
            text: text.to_owned(),
        }
    }

    /// The place of the next token.
    pub fn here(&mut self) -> Place {
        self.skip_space();
        let mut ahead = self.clone();
        let _ = ahead.next();
        self.place(self.at, &self.text[self.at..ahead.at])
    }

    /// Whether the statement is read to its end.
    pub fn at_end(&mut self) -> bool {
        self.rest().is_empty()
    }

    /// The next token, which stays unread.
    pub fn peek(&self) -> Token {
        self.clone().next().unwrap_or(Token::End)
    }

    /// Reads the sign when it is next.
    pub fn eat(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Token::Sign(s) if s == sign);
        if found {
            let _ = self.next();
        }
        found
    }

    /// Reads the sign.
    pub fn expect(&mut self, sign: &str, expected: &'static str) -> Result<(), AsmError> {
        if self.eat(sign) {
            return Ok(());
        }
        Err(self.expected(expected))
    }

    /// An error that says what should be next.
    pub fn expected(&mut self, expected: &'static str) -> AsmError {
        let here = self.here();
        if here.text.is_empty() {
            return here.error(AsmErrorKind::Expected { expected });
        }
        let found = here.text.clone();
        here.error(AsmErrorKind::Found { expected, found })
    }

    /// The statement must end here.
    pub fn finish(&mut self) -> Result<(), AsmError> {
        if self.at_end() {
            return Ok(());
        }
        Err(self.expected("the end of the line"))
    }

    /// Reads a name, quoted or not.
    pub fn name(&mut self, expected: &'static str) -> Result<String, AsmError> {
        match self.peek() {
            Token::Name(name) => {
                let _ = self.next();
                Ok(name)
            }
            Token::Text(bytes) => {
                let _ = self.next();
                Ok(String::from_utf8_lossy(&bytes).into_owned())
            }
            _ => Err(self.expected(expected)),
        }
    }

    /// The next token.
    #[allow(clippy::should_implement_trait)] // it fails
    pub fn next(&mut self) -> Result<Token, AsmError> {
        self.skip_space();
        let rest = &self.text[self.at..];
        let Some(first) = rest.chars().next() else {
            return Ok(Token::End);
        };
        if first == '"' {
            return self.quoted();
        }
        if first == '\'' {
            return self.character();
        }
        // `.4byte` is a name, `.5` and `.5e1` are numbers.
        let point = rest.strip_prefix('.').is_some_and(|digits| {
            let after = digits.trim_start_matches(|c: char| c.is_ascii_digit());
            after.len() < digits.len() && !after.starts_with(|c| is_name(c) && c != 'e' && c != 'E')
        });
        if first.is_ascii_digit() || point {
            return self.number();
        }
        if is_name(first) {
            let len = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
            self.at += len;
            return Ok(Token::Name(rest[..len].to_owned()));
        }
        if let Some(sign) = SIGNS.iter().find(|s| rest.starts_with(**s)) {
            self.at += sign.len();
            return Ok(Token::Sign(sign));
        }
        let place = self.place(self.at, &rest[..first.len_utf8()]);
        self.at += first.len_utf8();
        Err(place.error(AsmErrorKind::Expected {
            expected: "a name, a number or an operator",
        }))
    }

    fn number(&mut self) -> Result<Token, AsmError> {
        let rest = &self.text[self.at..];
        let len = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
        let word = &rest[..len];
        let place = self.place(self.at, word);
        let lower = word.to_ascii_lowercase();
        // `1.5e+3`: the sign of an exponent belongs to the number.
        let exponent = if lower.starts_with("0x") { 'p' } else { 'e' };
        // A zero in front makes an octal integer of the digits after it, which has no fraction.
        let octal = lower.starts_with('0') && lower[1..].starts_with(|c: char| c.is_ascii_digit() || c == 'e');
        if octal && lower.contains(['.', 'e']) {
            return Err(place.error(AsmErrorKind::Expected {
                expected: "a number; one that starts with 0 is octal",
            }));
        }
        if lower.contains(exponent) || exponent == 'e' && word.contains('.') {
            let mut len = len;
            if lower.ends_with(exponent) && rest[len..].starts_with(['+', '-']) {
                let digits = &rest[len + 1..];
                len += 1 + digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
            }
            self.at += len;
            return Ok(Token::Float(rest[..len].to_owned()));
        }
        self.at += len;
        let lower = isa::without_suffix(&lower);
        let value = if let Some(hex) = lower.strip_prefix("0x") {
            u128::from_str_radix(hex, 16)
        } else if let Some(binary) = lower.strip_prefix("0b").filter(|b| !b.is_empty()) {
            u128::from_str_radix(binary, 2)
        } else if lower.ends_with(['f', 'b']) && lower[..lower.len() - 1].bytes().all(|c| c.is_ascii_digit()) {
            return Ok(Token::Name(word.to_owned()));
        } else if lower.len() > 1 && lower.starts_with('0') {
            u128::from_str_radix(lower, 8)
        } else {
            lower.parse()
        };
        match value {
            Ok(v) => Ok(Token::Number(v)),
            _ => Err(place.error(AsmErrorKind::Expected {
                expected: "a number of at most 128 bits",
            })),
        }
    }

    fn quoted(&mut self) -> Result<Token, AsmError> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut out = Vec::new();
        self.at += 1;
        loop {
            let Some(&c) = bytes.get(self.at) else {
                let place = self.place(start, &self.text[start..]);
                return Err(place.error(AsmErrorKind::Expected {
                    expected: "a closing quotation mark",
                }));
            };
            self.at += 1;
            match c {
                b'"' => return Ok(Token::Text(out)),
                b'\\' => out.push(self.escape()?),
                c => out.push(c),
            }
        }
    }

    /// What follows a backslash.
    fn escape(&mut self) -> Result<u8, AsmError> {
        let rest = &self.text[self.at..];
        let mut c = rest.bytes();
        let first = c.next().unwrap_or(b'\\');
        let octal = rest.bytes().take(3).take_while(|c| (b'0'..=b'7').contains(c)).count();
        if octal > 0 {
            self.at += octal;
            let value = u32::from_str_radix(&rest[..octal], 8).unwrap_or(256);
            let place = self.place(self.at - octal, &rest[..octal]);
            let range = AsmErrorKind::Expected {
                expected: "an octal escape of one byte",
            };
            return u8::try_from(value).map_err(|_| place.error(range));
        }
        if first == b'x' {
            let hex = rest[1..].bytes().take_while(u8::is_ascii_hexdigit).count();
            let digits = &rest[1..1 + hex];
            self.at += 1 + hex;
            let last = &digits[digits.len().saturating_sub(2)..];
            let place = self.place(self.at - hex, digits);
            let missing = AsmErrorKind::Expected { expected: "hex digits" };
            return u8::from_str_radix(last, 16).map_err(|_| place.error(missing));
        }
        let value = match first {
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'"' | b'\\' => first,
            _ => {
                let here = self.here();
                return Err(here.error(AsmErrorKind::Expected {
                    expected: "an escape sequence of LLVM",
                }));
            }
        };
        self.at += 1;
        Ok(value)
    }

    fn character(&mut self) -> Result<Token, AsmError> {
        let start = self.at;
        self.at += 1;
        let value = match self.text[self.at..].chars().next() {
            Some('\\') => {
                let escaped = self.text.as_bytes().get(self.at + 1).copied().filter(u8::is_ascii);
                self.at += 1 + usize::from(escaped.is_some());
                escaped.map(|c| u128::from(isa::escaped(c)))
            }
            Some(c) if c.is_ascii() && c != '\'' => {
                self.at += 1;
                Some(c as u128)
            }
            _ => None,
        };
        match value {
            Some(v) if self.text[self.at..].starts_with('\'') => {
                self.at += 1;
                Ok(Token::Number(v))
            }
            _ => {
                let place = self.place(start, &self.text[start..]);
                Err(place.error(AsmErrorKind::Expected {
                    expected: "one character between single quotes",
                }))
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn comments_hold_any_bytes() {
        for (file, text) in [
            (&b"s_nop 0 // \xff\xfe\ns_nop 1"[..], "s_nop 0 // ??\ns_nop 1"),
            (b"; \xe9\r/* \xe9\n\xe9 */ # \xe9", "; ?\r/* ?\n? */ # ?"),
            (
                b" # \xe9\n.ascii \"; \\\" /*\" ; \xe9",
                " # ?\n.ascii \"; \\\" /*\" ; ?",
            ),
        ] {
            assert_eq!(text_of(file).unwrap(), text);
        }
        assert_eq!(text_of(b".ascii \"; \xe9\""), Err(10));
        assert_eq!(text_of(b"s_nop \xe9 ; \xe9"), Err(6));
    }
}
