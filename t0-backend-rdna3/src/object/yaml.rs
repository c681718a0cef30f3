//! Code object metadata as YAML text.
//!
//! Problem: assembler files carry the metadata as YAML, code objects as MessagePack. Method: the block style that
//! LLVM's compilers write (maps and lists by indentation, scalars plain or quoted, flow lists on one line), read into
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
    let mut p = Parser { lines, at: 0 };
    let Some(first) = p.lines.first().cloned() else {
        return Ok(Value::Map(Vec::new()));
    };
    let value = p.block(first.indent, MAX_DEPTH)?;
    match p.lines.get(p.at) {
        None => Ok(value),
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

struct Parser<'a> {
    lines: Vec<Line<'a>>,
    at: usize,
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
        scalar(line.text).ok_or_else(|| line.error("expected `key: value`, `- item` or a value"))
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
            if inner.is_empty() {
                self.at += 1;
                items.push(self.nested(indent, depth, false)?);
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
            let key = scalar(key).ok_or_else(|| line.error("the key cannot be read"))?;
            if entries.iter().any(|(k, _)| *k == key) {
                return Err(line.error("the key is there twice"));
            }
            self.at += 1;
            let value = if rest.is_empty() {
                self.nested(indent, depth, true)?
            } else {
                scalar(rest).ok_or_else(|| line.error("the value cannot be read"))?
            };
            entries.push((key, value));
        }
        entries.sort_by_key(|e| key_text(&e.0));
        Ok(Value::Map(entries))
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

/// A scalar or a list or map in brackets.
fn scalar(text: &str) -> Option<Value> {
    let (text, tag) = match text.strip_prefix('!') {
        Some(t) => t.split_once(' ').map(|(tag, rest)| (rest.trim_start(), Some(tag)))?,
        None => (text, None),
    };
    if let Some(inner) = text.strip_prefix('\'') {
        let inner = inner.strip_suffix('\'')?;
        return Some(Value::Str(inner.replace("''", "'")));
    }
    if let Some(inner) = text.strip_prefix('"') {
        return unescape(inner.strip_suffix('"')?).map(Value::Str);
    }
    if let Some(inner) = text.strip_prefix('[') {
        let inner = inner.strip_suffix(']')?.trim();
        let items = inner.split(',').map(str::trim).filter(|i| !i.is_empty());
        return items.map(scalar).collect::<Option<_>>().map(Value::Array);
    }
    if let Some(inner) = text.strip_prefix('{') {
        return inner
            .strip_suffix('}')?
            .trim()
            .is_empty()
            .then(|| Value::Map(Vec::new()));
    }
    if tag == Some("str") || tag == Some("!str") {
        return Some(Value::Str(text.to_owned()));
    }
    Some(plain(text))
}

/// An unquoted scalar: nil, boolean, number or else text.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Nil,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let magnitude = if let Some(hex) = digits.strip_prefix("0x") {
        u64::from_str_radix(hex, 16).ok()
    } else if let Some(octal) = digits.strip_prefix("0o") {
        u64::from_str_radix(octal, 8).ok()
    } else if digits.bytes().all(|b| b.is_ascii_digit()) {
        digits.parse::<u64>().ok()
    } else {
        None
    };
    if let Some(m) = magnitude {
        let m = i128::from(m);
        return Value::Int(if text.starts_with('-') { -m } else { m });
    }
    let numeric = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') && digits.contains(['.', 'e', 'E']);
    match text.parse::<f64>() {
        Ok(f) if numeric => Value::Float(f),
        _ => Value::Str(text.to_owned()),
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
        Value::Nil => "null".to_owned(),
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
    let not_text = !matches!(plain(s), Value::Str(_));
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
            ("5", "'5'"),
            ("true", "'true'"),
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
    fn wrong_lines_are_named() {
        for (text, line) in [
            ("a: 1\nb\n", 2),
            ("a: 1\n  b: 2\n", 2),
            ("a: 'x\n", 1),
            ("a: 1\na: 2\n", 2),
        ] {
            assert_eq!(parse(text).unwrap_err().line, line, "{text}");
        }
        let deep = (0..100).map(|i| format!("{}a:\n", " ".repeat(i))).collect::<String>();
        assert!(parse(&deep).is_err());
    }
}
