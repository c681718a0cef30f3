//! Code object metadata as YAML text.
//!
//! Problem: assembler files carry the metadata as YAML, code objects as MessagePack. Method: the block style that
//! LLVM's compilers write (maps and lists by indentation, scalars plain or quoted, lists and maps in brackets), read into
//! and written from the same value tree. Invariant: [`print()`] gives the text llvm-readelf 19 gives, and [`parse`] reads
//! it back to an equal value (integers, booleans and text keep their kind). Source: LLVM 19 `YAMLTraits.h`
//! (`needsQuotes`), `MsgPackDocumentYAML.cpp`.

use super::msgpack::Value;

/// Why text is no metadata.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct YamlError {
    /// The line in the text, from 1.
    pub line: u32,
    /// The offending text.
    pub text: String,
    /// What is wrong.
    pub what: &'static str,
}

/// A step into metadata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The entry of a map with this key.
    Key(String),
    /// The item of a list with this number, from 0.
    Item(usize),
}

/// Deepest nesting accepted; real metadata has about five levels.
const MAX_DEPTH: u32 = 32;

/// A line with its indentation removed.
#[derive(Clone)]
struct Line<'a> {
    number: u32,
    indent: usize,
    text: &'a str,
}

impl Line<'_> {
    fn error(&self, what: &'static str) -> YamlError {
        YamlError {
            line: self.number,
            text: self.text.to_owned(),
            what,
        }
    }
}

/// Reads metadata. Maps come out sorted by key, as LLVM keeps them.
///
/// Errors: the first line that is not of the accepted style.
pub fn parse(text: &str) -> Result<Value, YamlError> {
    parse_with_places(text).map(|(value, _)| value)
}

/// Reads metadata; gives with it the line of each entry, from 1.
///
/// Errors: as of [`parse`].
pub fn parse_with_places(text: &str) -> Result<(Value, Places), YamlError> {
    let mut lines = Vec::new();
    for (number, line) in (1u32..).zip(text.lines()) {
        let content = line.trim_start_matches(' ');
        let trimmed = strip_comment(content).trim_end();
        if trimmed.is_empty() || trimmed == "---" {
            continue;
        }
        if trimmed == "..." {
            break;
        }
        let line = Line {
            number,
            indent: line.len() - content.len(),
            text: trimmed,
        };
        if trimmed.starts_with('\t') {
            return Err(line.error("indentation must be spaces"));
        }
        lines.push(line);
    }
    let mut p = Parser {
        lines,
        at: 0,
        path: Vec::new(),
        places: Places::default(),
    };
    let Some(first) = p.lines.first().cloned() else {
        return Ok((Value::Map(Vec::new()), p.places));
    };
    let value = p.block(first.indent, MAX_DEPTH)?;
    match p.lines.get(p.at) {
        None => Ok((value, p.places)),
        Some(l) => Err(l.error("the line is indented unlike those before it")),
    }
}

fn strip_comment(text: &str) -> &str {
    let (mut single, mut double, mut before) = (false, false, ' ');
    for (i, c) in text.char_indices() {
        match c {
            '\'' if !double => single = !single,
            '"' if !single && before != '\\' => double = !double,
            '#' if !single && !double && before == ' ' => return &text[..i],
            _ => {}
        }
        before = c;
    }
    text
}

/// Where entries of metadata stand in its text.
#[derive(Debug, Clone, Default)]
pub struct Places(Vec<(Vec<Step>, u32)>);

impl Places {
    /// The line of an entry, or of what it is part of as far as that is known.
    pub fn line(&self, path: &[Step]) -> Option<u32> {
        let found = |len: usize| self.0.iter().find(|(p, _)| p[..] == path[..len]).map(|p| p.1);
        (1..=path.len()).rev().find_map(found)
    }
}

struct Parser<'a> {
    lines: Vec<Line<'a>>,
    at: usize,
    /// The way to what is being read.
    path: Vec<Step>,
    places: Places,
}

impl Parser<'_> {
    /// The map, list or scalar whose lines have this indentation.
    fn block(&mut self, indent: usize, depth: u32) -> Result<Value, YamlError> {
        let line = self.lines[self.at].clone();
        let depth = depth.checked_sub(1).ok_or_else(|| line.error("nested too deep"))?;
        if line.text == "-" || line.text.starts_with("- ") {
            return self.list(indent, depth);
        }
        if split_key(line.text).is_some() {
            return self.map(indent, depth);
        }
        self.at += 1;
        self.value(line.text, &line)
    }

    fn list(&mut self, indent: usize, depth: u32) -> Result<Value, YamlError> {
        let mut items = Vec::new();
        while let Some(line) = self.lines.get(self.at).cloned() {
            let Some(rest) = line.text.strip_prefix('-').filter(|_| line.indent == indent) else {
                break;
            };
            if !rest.is_empty() && !rest.starts_with(' ') {
                break;
            }
            let inner = rest.trim_start();
            self.enter(Step::Item(items.len()), line.number);
            if inner.is_empty() {
                self.at += 1;
                items.push(self.nested(indent, depth, false)?);
                self.path.pop();
                continue;
            }
            // What follows the dash is the first line of a block of its own.
            let column = indent + line.text.len() - inner.len();
            self.lines[self.at] = Line {
                indent: column,
                text: inner,
                ..line
            };
            items.push(self.block(column, depth)?);
            self.path.pop();
        }
        Ok(Value::Array(items))
    }

    fn map(&mut self, indent: usize, depth: u32) -> Result<Value, YamlError> {
        let mut entries: Vec<(Value, Value)> = Vec::new();
        while let Some(line) = self.lines.get(self.at).cloned() {
            if line.indent != indent || line.text.starts_with("- ") {
                break;
            }
            let (key, rest) = split_key(line.text).ok_or_else(|| line.error("expected `key: value`"))?;
            let key = scalar(key).map_err(|what| line.error(what))?;
            if entries.iter().any(|(k, _)| *k == key) {
                return Err(line.error(TWICE));
            }
            self.at += 1;
            self.enter(Step::Key(key_text(&key)), line.number);
            // Anchors name a node for aliases, which LLVM does not read.
            let rest = match rest.strip_prefix('&') {
                Some(anchored) => anchored.split_once(' ').map_or("", |(_, rest)| rest.trim_start()),
                None => rest,
            };
            let value = if rest.is_empty() {
                self.nested(indent, depth, true)?
            } else {
                self.value(rest, &line)?
            };
            self.path.pop();
            entries.push((key, value));
        }
        entries.sort_by_key(|e| key_text(&e.0));
        Ok(Value::Map(entries))
    }

    fn enter(&mut self, step: Step, line: u32) {
        self.path.push(step);
        self.places.0.push((self.path.clone(), line));
    }

    /// A scalar, or a list or map in brackets, which may go on in the following lines.
    fn value(&mut self, text: &str, line: &Line<'_>) -> Result<Value, YamlError> {
        if !text.starts_with(['[', '{']) {
            return scalar(text).map_err(|what| line.error(what));
        }
        let mut joined = text.to_owned();
        let mut starts = vec![(0, line.clone())];
        while open_brackets(&joined) > 0 {
            let Some(next) = self.lines.get(self.at) else { break };
            joined.push(' ');
            starts.push((joined.len(), next.clone()));
            joined.push_str(next.text);
            self.at += 1;
        }
        let mut flow = Flow {
            text: &joined,
            at: 0,
            starts: &starts,
            path: &mut self.path,
            places: &mut self.places,
        };
        let value = flow.value(MAX_DEPTH);
        match value {
            Ok(value) if flow.rest().is_empty() => Ok(value),
            Ok(_) => Err(flow.line().error("something follows the closing bracket")),
            Err(what) => Err(flow.line().error(what)),
        }
    }

    /// The block after `key:` or `-`; nothing is nil. A list may be indented as little as the key it belongs to.
    fn nested(&mut self, indent: usize, depth: u32, after_key: bool) -> Result<Value, YamlError> {
        match self.lines.get(self.at) {
            Some(l) if l.indent > indent => {
                let indent = l.indent;
                self.block(indent, depth)
            }
            Some(l) if after_key && l.indent == indent && (l.text == "-" || l.text.starts_with("- ")) => {
                self.list(indent, depth)
            }
            _ => Ok(Value::Nil),
        }
    }
}

fn key_text(v: &Value) -> String {
    match v {
        Value::Str(s) => s.clone(),
        other => format!("{other:?}"),
    }
}

/// Key and rest of `key: rest`; colons in quotes do not count.
fn split_key(text: &str) -> Option<(&str, &str)> {
    let end = match text.chars().next()? {
        q @ ('\'' | '"') => text[1..].find(q)? + 2,
        '[' | '{' => return None,
        _ => text
            .find(": ")
            .or_else(|| text.ends_with(':').then(|| text.len() - 1))?,
    };
    let rest = text[end..].strip_prefix(':')?;
    (rest.is_empty() || rest.starts_with(' ')).then(|| (&text[..end], rest.trim_start()))
}

/// Brackets that are open at the end of the text.
fn open_brackets(text: &str) -> i64 {
    let (mut open, mut quote, mut before) = (0, None, ' ');
    for c in text.chars() {
        match (quote, c) {
            (Some(q), c) if c == q && !(q == '"' && before == '\\') => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '[' | '{') => open += 1,
            (None, ']' | '}') => open -= 1,
            _ => {}
        }
        before = c;
    }
    open
}

/// Reads lists and maps in brackets.
struct Flow<'a, 'p> {
    text: &'a str,
    at: usize,
    /// The lines and where they start in the text.
    starts: &'p [(usize, Line<'p>)],
    path: &'p mut Vec<Step>,
    places: &'p mut Places,
}

impl<'a, 'p> Flow<'a, 'p> {
    /// The line of what is read next.
    fn line(&self) -> &'p Line<'p> {
        let at = self.starts.iter().rposition(|s| s.0 <= self.at).unwrap_or(0);
        &self.starts[at].1
    }

    /// The value of an entry.
    fn entry(&mut self, step: Step, depth: u32) -> Result<Value, &'static str> {
        self.path.push(step);
        self.rest();
        self.places.0.push((self.path.clone(), self.line().number));
        let value = self.value(depth);
        self.path.pop();
        value
    }

    fn rest(&mut self) -> &'a str {
        let rest = self.text[self.at..].trim_start();
        self.at = self.text.len() - rest.len();
        rest
    }

    fn eat(&mut self, sign: char) -> bool {
        let found = self.rest().starts_with(sign);
        self.at += if found { sign.len_utf8() } else { 0 };
        found
    }

    fn value(&mut self, depth: u32) -> Result<Value, &'static str> {
        let depth = depth.checked_sub(1).ok_or("nested too deep")?;
        if self.eat('[') {
            return self.list(depth);
        }
        if self.eat('{') {
            return self.map(depth);
        }
        scalar(self.word()?)
    }

    fn list(&mut self, depth: u32) -> Result<Value, &'static str> {
        let mut items = Vec::new();
        while !self.eat(']') {
            items.push(self.entry(Step::Item(items.len()), depth)?);
            if !self.eat(',') && !self.rest().starts_with(']') {
                return Err("expected `,` or `]`");
            }
        }
        Ok(Value::Array(items))
    }

    fn map(&mut self, depth: u32) -> Result<Value, &'static str> {
        let mut entries: Vec<(Value, Value)> = Vec::new();
        while !self.eat('}') {
            let key = scalar(self.word()?)?;
            if entries.iter().any(|(k, _)| *k == key) {
                return Err(TWICE);
            }
            let colon = self.eat(':');
            let value = match self.rest().chars().next() {
                Some(',' | '}') | None => Value::Nil,
                _ if colon => self.entry(Step::Key(key_text(&key)), depth)?,
                _ => return Err("expected `:`, `,` or `}`"),
            };
            entries.push((key, value));
            if !self.eat(',') && !self.rest().starts_with('}') {
                return Err("expected `,` or `}`");
            }
        }
        entries.sort_by_key(|e| key_text(&e.0));
        Ok(Value::Map(entries))
    }

    /// The text of a scalar.
    fn word(&mut self) -> Result<&'a str, &'static str> {
        let rest = self.rest();
        let len = match rest.chars().next() {
            Some(q @ ('\'' | '"')) => quoted_len(rest, q).ok_or("the quotation mark is not closed")?,
            _ => {
                let colon = |at: usize| rest[at + 1..].is_empty() || rest[at + 1..].starts_with([' ', ',', ']', '}']);
                let end = |&(at, c): &(usize, char)| match c {
                    ',' | '[' | ']' | '{' | '}' => true,
                    ':' => colon(at),
                    _ => false,
                };
                rest.char_indices().find(end).map_or(rest.len(), |(at, _)| at)
            }
        };
        self.at += len;
        let word = rest[..len].trim_end();
        if word.is_empty() {
            return Err("expected a value; is a bracket not closed?");
        }
        Ok(word)
    }
}

/// Bytes of the quoted text at the start, its quotation marks included.
fn quoted_len(text: &str, quote: char) -> Option<usize> {
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((i, c)) = chars.next() {
        if c == '\\' && quote == '"' {
            chars.next();
        } else if c == quote {
            // Two quotation marks are one of the text.
            if quote == '\'' && chars.peek().is_some_and(|n| n.1 == quote) {
                chars.next();
                continue;
            }
            return Some(i + 1);
        }
    }
    None
}

const TWICE: &str = "the key is there twice";

/// A scalar, quoted or not: LLVM finds the type of both in the text, `!str` apart.
fn scalar(text: &str) -> Result<Value, &'static str> {
    let (text, tag) = match text.strip_prefix('!') {
        Some(t) => t
            .split_once(' ')
            .map(|(tag, rest)| (rest.trim_start(), Some(tag)))
            .ok_or("a tag stands before a value")?,
        None => (text, None),
    };
    let content = match text.chars().next() {
        Some(q @ ('\'' | '"')) => {
            if quoted_len(text, q) != Some(text.len()) {
                return Err("the quotation mark is not closed, or something follows it");
            }
            let inner = &text[1..text.len() - 1];
            if q == '"' {
                unescape(inner).ok_or("no such escape sequence")?
            } else {
                inner.replace("''", "'")
            }
        }
        Some('*') => return Err("aliases are not supported, by LLVM neither; write the value again"),
        Some('|' | '>') => return Err("text blocks are not supported; write the text in quotation marks"),
        Some('@' | '`' | '%') => return Err("a value that starts with this sign stands in quotation marks"),
        None => return Ok(Value::Nil),
        _ => text.to_owned(),
    };
    Ok(match tag {
        Some("str") => Value::Str(content),
        Some("nil") => Value::Nil,
        _ => plain(&content),
    })
}

/// The value LLVM sees in a text: a number, a boolean or else the text. Source: LLVM 19 `DocNode::fromString`.
fn plain(text: &str) -> Value {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let radix = |prefixes: [&str; 2]| prefixes.iter().find_map(|p| digits.strip_prefix(p));
    let magnitude = if let Some(hex) = radix(["0x", "0X"]) {
        u64::from_str_radix(hex, 16).ok()
    } else if let Some(binary) = radix(["0b", "0B"]) {
        u64::from_str_radix(binary, 2).ok()
    } else if let Some(octal) = digits.strip_prefix("0o") {
        u64::from_str_radix(octal, 8).ok()
    } else if digits.len() > 1 && digits.starts_with('0') {
        u64::from_str_radix(digits, 8).ok()
    } else if digits.bytes().all(|b| b.is_ascii_digit()) {
        digits.parse::<u64>().ok()
    } else {
        None
    };
    if let Some(m) = magnitude {
        let m = i128::from(m);
        return Value::Int(if text.starts_with('-') { -m } else { m });
    }
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" | "true" | "True" | "TRUE" => Value::Bool(true),
        "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF" | "false" | "False" | "FALSE" => Value::Bool(false),
        _ => text.parse().map_or_else(|_| Value::Str(text.to_owned()), Value::Float),
    }
}

fn unescape(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next()? {
            'x' => out.push(char::from_u32(take_hex(&mut chars, 2)?)?),
            'u' => out.push(char::from_u32(take_hex(&mut chars, 4)?)?),
            'U' => out.push(char::from_u32(take_hex(&mut chars, 8)?)?),
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            '0' => out.push('\0'),
            'a' => out.push('\u{7}'),
            'b' => out.push('\u{8}'),
            'e' => out.push('\u{1b}'),
            c @ ('"' | '\\' | '/' | ' ') => out.push(c),
            _ => return None,
        }
    }
    Some(out)
}

fn take_hex(chars: &mut std::str::Chars<'_>, n: usize) -> Option<u32> {
    let digits: String = chars.by_ref().take(n).collect();
    u32::from_str_radix(&digits, 16).ok()
}

/// The text of metadata: `---`, the tree, `...`.
pub fn print(value: &Value) -> String {
    let mut out = String::from("---\n");
    block(value, 0, &mut out);
    out.push_str("...\n");
    out
}

/// A value on lines of its own.
fn block(value: &Value, indent: usize, out: &mut String) {
    match value {
        Value::Map(entries) if !entries.is_empty() => {
            for (i, (k, v)) in entries.iter().enumerate() {
                if i > 0 || out.ends_with('\n') {
                    out.push_str(&" ".repeat(indent));
                }
                entry(&text_of(k), v, indent, out);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (i, v) in items.iter().enumerate() {
                if i > 0 || out.ends_with('\n') {
                    out.push_str(&" ".repeat(indent));
                }
                out.push_str("- ");
                match v {
                    Value::Map(e) if !e.is_empty() => block(v, indent + 2, out),
                    Value::Array(a) if !a.is_empty() => block(v, indent + 2, out),
                    _ => *out += &(text_of(v) + "\n"),
                }
            }
        }
        other => *out += &(text_of(other) + "\n"),
    }
}

/// `key: value`; values start at column 17 of the entry where the key leaves room.
fn entry(key: &str, value: &Value, indent: usize, out: &mut String) {
    out.push_str(key);
    out.push(':');
    let nested = match value {
        Value::Map(e) => !e.is_empty(),
        Value::Array(a) => !a.is_empty(),
        _ => false,
    };
    if nested {
        out.push('\n');
        block(value, indent + 2, out);
    } else {
        let pad = 16usize.checked_sub(key.len()).filter(|p| *p > 0).unwrap_or(1);
        *out += &(" ".repeat(pad) + &text_of(value) + "\n");
    }
}

fn text_of(value: &Value) -> String {
    match value {
        Value::Nil => "!nil ''".to_owned(),
        Value::Bool(b) => b.to_string(),
        Value::Int(v) => v.to_string(),
        Value::Float(f) => format!("{f:?}"),
        Value::Str(s) => quoted(s),
        Value::Bin(b) => quoted(&String::from_utf8_lossy(b)),
        Value::Array(_) => "[]".to_owned(),
        Value::Map(_) => "{}".to_owned(),
    }
}

/// Text with the quotes LLVM gives it.
fn quoted(s: &str) -> String {
    let special = |c: char| "-?:\\,[]{}#&*!|>'\"%@`".contains(c);
    // A tag keeps text that looks like something else what it is; LLVM quotes the most of it, too.
    let not_text = !s.is_empty() && !matches!(plain(s), Value::Str(_));
    if not_text {
        return if matches!(plain(s), Value::Bool(_)) && !matches!(s.len(), 4 | 5) {
            format!("!str {s}")
        } else {
            format!("!str '{s}'")
        };
    }
    let not_text = matches!(s, "~" | "null" | "Null" | "NULL");
    let safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '^' | '.' | ',' | ' ' | '\t');
    if s.chars()
        .any(|c| c < ' ' && !matches!(c, '\t' | '\n' | '\r') || c == '\u{7f}' || !c.is_ascii())
    {
        return format!("\"{}\"", escaped(s));
    }
    let edges = s.starts_with(char::is_whitespace) || s.ends_with(char::is_whitespace);
    if s.is_empty() || edges || not_text || s.starts_with(special) || !s.chars().all(safe) {
        return format!("'{}'", s.replace('\'', "''"));
    }
    s.to_owned()
}

fn escaped(s: &str) -> String {
    let mut out = String::new();
    for c in s.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c < ' ' || c == '\u{7f}' => out += &format!("\\x{:02X}", c as u32),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const TEXT: &str = "---\namdhsa.kernels:\n  - .args:\n      - .address_space:  global\n        .offset:         0\n        \
        .type_name:      'float*'\n      - .offset:         8\n        .size:           4\n    .language_version:\n      \
        - 2\n      - 0\n    .name:           k\n    .uses_dynamic_stack: false\namdhsa.target:   amdgcn-amd-amdhsa--gfx1100\n\
        amdhsa.version:\n  - 1\n  - 2\n...\n";

    #[test]
    fn what_llvm_writes_is_read_and_written_back() {
        let v = parse(TEXT).unwrap();
        let kernel = &v.get("amdhsa.kernels").unwrap().as_array().unwrap()[0];
        assert_eq!(kernel.get(".uses_dynamic_stack"), Some(&Value::Bool(false)));
        assert_eq!(
            kernel.get(".args").unwrap().as_array().unwrap()[1].get(".size"),
            Some(&Value::Int(4))
        );
        assert_eq!(print(&v), TEXT);
    }

    #[test]
    fn other_styles_are_read() {
        let v = parse("b: [ 64, 1, 1 ] # groups\na:\n- x\n- 'it''s'\nc: \"\\u00e9\\n\"\nd: !str 5\n").unwrap();
        let items = |v: &Value| v.as_array().unwrap().to_vec();
        assert_eq!(items(v.get("b").unwrap()), [64u32, 1, 1].map(Value::from));
        assert_eq!(items(v.get("a").unwrap()), ["x", "it's"].map(Value::from));
        assert_eq!(v.get("c").unwrap().as_str(), Some("é\n"));
        assert_eq!(v.get("d").unwrap().as_str(), Some("5"));
    }

    #[test]
    fn text_that_looks_like_something_else_is_quoted() {
        for (text, written) in [
            ("5", "!str '5'"),
            ("true", "!str 'true'"),
            ("n", "!str n"),
            ("null", "'null'"),
            ("a b", "a b"),
            ("", "''"),
            ("é", "\"é\""),
            ("a/b", "'a/b'"),
        ] {
            assert_eq!(quoted(text), written);
            assert_eq!(scalar(written).unwrap().as_str(), Some(text));
        }
    }

    #[test]
    fn types_are_llvms() {
        // Right: what llvm-mc 19 puts into the note.
        for (text, value) in [
            ("'5'", Value::Int(5)),
            ("010", Value::Int(8)),
            ("0b11", Value::Int(3)),
            ("-5", Value::Int(-5)),
            ("n", Value::Bool(false)),
            ("Yes", Value::Bool(true)),
            ("~", Value::from("~")),
            ("null", Value::from("null")),
            ("!str 5", Value::from("5")),
            ("&a k", Value::from("k")),
            ("5x", Value::from("5x")),
            ("08", Value::Float(8.0)),
            ("1e5", Value::Float(1e5)),
        ] {
            assert_eq!(parse(&format!("a: {text}\n")).unwrap().get("a"), Some(&value), "{text}");
        }
    }

    #[test]
    fn maps_and_lists_in_brackets_are_read() {
        let v = parse("a: {b: 1, 'c': [x, {d: [1,\n  2]}],}\ne: []\n- f\n");
        assert!(v.is_err());
        let v = parse("a: {b: 1, 'c': [x, {d: [1,\n  2]}],}\ne: []\nf: {g:h, i}\n").unwrap();
        let a = v.get("a").unwrap();
        assert_eq!(a.get("b"), Some(&Value::Int(1)));
        let c = a.get("c").unwrap().as_array().unwrap();
        assert_eq!(c[0].as_str(), Some("x"));
        assert_eq!(c[1].get("d").unwrap().as_array().unwrap().len(), 2);
        assert_eq!(v.get("f").unwrap().get("g:h"), Some(&Value::Nil));
    }

    #[test]
    fn wrong_lines_are_named() {
        for (text, line) in [
            ("a: 1\nb\n", 2),
            ("a: 1\n  b: 2\n", 2),
            ("a: 'x\n", 1),
            ("a: 1\na: 2\n", 2),
        ] {
            assert_eq!(parse(text).unwrap_err().line, line, "{text}");
        }
        for (deep, what) in [
            (
                "a: ".to_owned() + &"[".repeat(50_000) + &"]".repeat(50_000),
                "nested too deep",
            ),
            ("a: ".to_owned() + &"{b: ".repeat(50_000), "nested too deep"),
            ("- ".repeat(50_000) + "1", "nested too deep"),
            (
                "a: &x 5\nb: *x\n".to_owned(),
                "aliases are not supported, by LLVM neither; write the value again",
            ),
            ("a: [1, 2\n".to_owned(), "expected `,` or `]`"),
            ("a: {b: 1, b: 2}\n".to_owned(), TWICE),
        ] {
            assert_eq!(parse(&deep).unwrap_err().what, what);
        }
        let deep = (0..100).map(|i| format!("{}a:\n", " ".repeat(i))).collect::<String>();
        assert!(parse(&deep).is_err());
    }
}
