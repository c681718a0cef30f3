//! The line table: which source line each instruction came from.
//!
//! Problem: listings, sanitizer reports and traces name the Rust line of an instruction. Method: rows of (offset from
//! the kernel's first instruction, file, line, column), sorted by offset, each valid up to the next row; kept in a
//! section of its own that loaders skip, so foreign loaders are not disturbed. Invariant: [`encode`] and [`decode`] are
//! inverse to each other. Format: MessagePack `{files: [text], kernels: {name: [[offset, file, line, column]]}}`.

use super::msgpack::Value;
use super::ObjectError;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A row of the line table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Bytes from the kernel's first instruction; the row is valid up to the next row's offset.
    pub offset: u64,
    /// Source file as the compiler names it.
    pub file: Arc<str>,
    /// Line from 1; 0 when the instruction has no source line.
    pub line: u32,
    /// Column from 1; 0 when unknown.
    pub column: u32,
}

/// The row valid at `offset`; rows are sorted.
pub fn lookup(lines: &[Line], offset: u64) -> Option<&Line> {
    let after = lines.partition_point(|l| l.offset <= offset);
    lines[..after].last().filter(|l| l.line > 0)
}

/// The section's bytes for these kernels and their rows.
pub fn encode<'a>(kernels: impl Iterator<Item = (&'a str, &'a [Line])>) -> Vec<u8> {
    let mut files: Vec<Arc<str>> = Vec::new();
    let mut tables = Vec::new();
    for (name, lines) in kernels {
        let rows = lines.iter().map(|l| {
            let file = files.iter().position(|f| *f == l.file).unwrap_or_else(|| {
                files.push(l.file.clone());
                files.len() - 1
            });
            let row = [l.offset, file as u64, l.line.into(), l.column.into()];
            Value::Array(row.into_iter().map(Value::from).collect())
        });
        tables.push((name.into(), Value::Array(rows.collect())));
    }
    let files = files.iter().map(|f| Value::from(&**f)).collect();
    Value::map(vec![("files", Value::Array(files)), ("kernels", Value::Map(tables))]).to_bytes()
}

/// The rows by kernel.
///
/// Errors: [`ObjectError::Lines`] when the bytes are not a line table.
pub fn decode(bytes: &[u8]) -> Result<BTreeMap<String, Vec<Line>>, ObjectError> {
    parse(bytes).ok_or(ObjectError::Lines)
}

fn parse(bytes: &[u8]) -> Option<BTreeMap<String, Vec<Line>>> {
    let table = Value::parse(bytes)?;
    let files: Vec<Arc<str>> = table
        .get("files")?
        .as_array()?
        .iter()
        .map(|f| f.as_str().map(Arc::from))
        .collect::<Option<_>>()?;
    let Value::Map(kernels) = table.get("kernels")? else {
        return None;
    };
    let mut out = BTreeMap::new();
    for (name, rows) in kernels {
        let mut lines = Vec::new();
        for row in rows.as_array()? {
            let [offset, file, line, column] = row.as_array()? else {
                return None;
            };
            lines.push(Line {
                offset: offset.as_u64()?,
                file: files.get(usize::try_from(file.as_u64()?).ok()?)?.clone(),
                line: line.as_u64()?.try_into().ok()?,
                column: column.as_u64()?.try_into().ok()?,
            });
        }
        if !lines.is_sorted_by_key(|l: &Line| l.offset) {
            return None;
        }
        out.insert(name.as_str()?.to_owned(), lines);
    }
    Some(out)
}
