//! The line table: which source line each instruction came from.
//!
//! Problem: listings, sanitizer reports and traces name the Rust line of an instruction. Method: rows of (offset from
//! the kernel's first instruction, file, line, column), sorted by offset, each valid up to the next row; kept in a
//! section of its own that loaders skip, so foreign loaders are not disturbed. Invariant: [`encode`] and [`decode`] are
//! inverse to each other. Format: MessagePack `{files: [text], kernels: {name: [[offset, file, line, column]]}, atomics:
//! {name: [[offset, scope]]}}`. `atomics` has the atomic operations of the kernel, loads included, by offset, with scope 0
//! (workgroup) or 1 (device): their machine code is the same, and the sanitizer compares what it sees with what was asked for.
//! Kernels without atomics are left out, files without `atomics` say nothing about them.

use super::msgpack::Value;
use super::ObjectError;
use std::collections::BTreeMap;
use std::sync::Arc;
use t0_ir::Scope;

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

/// An atomic operation, as the kernel's source has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AtomicOp {
    /// Bytes from the kernel's first instruction.
    pub offset: u64,
    /// Who must see it happen at one time.
    pub scope: Scope,
}

/// What the section says of a kernel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    /// Source lines by offset.
    pub lines: Vec<Line>,
    /// Atomic operations by offset.
    pub atomics: Vec<AtomicOp>,
}

/// The row valid at `offset`; rows are sorted.
pub fn lookup(lines: &[Line], offset: u64) -> Option<&Line> {
    let after = lines.partition_point(|l| l.offset <= offset);
    lines[..after].last().filter(|l| l.line > 0)
}

/// The section's bytes for these kernels and their tables.
pub fn encode<'a>(kernels: impl Iterator<Item = (&'a str, &'a [Line], &'a [AtomicOp])>) -> Vec<u8> {
    let mut files: Vec<Arc<str>> = Vec::new();
    let (mut tables, mut atomics) = (Vec::new(), Vec::new());
    let row = |numbers: &[u64]| Value::Array(numbers.iter().copied().map(Value::from).collect());
    for (name, lines, ops) in kernels {
        let rows = lines.iter().map(|l| {
            let file = files.iter().position(|f| *f == l.file).unwrap_or_else(|| {
                files.push(l.file.clone());
                files.len() - 1
            });
            row(&[l.offset, file as u64, l.line.into(), l.column.into()])
        });
        tables.push((name.into(), Value::Array(rows.collect())));
        if !ops.is_empty() {
            let rows = ops.iter().map(|a| row(&[a.offset, (a.scope == Scope::Device).into()]));
            atomics.push((name.into(), Value::Array(rows.collect())));
        }
    }
    let files = files.iter().map(|f| Value::from(&**f)).collect();
    let mut all = vec![("files", Value::Array(files)), ("kernels", Value::Map(tables))];
    if !atomics.is_empty() {
        all.push(("atomics", Value::Map(atomics)));
    }
    Value::map(all).to_bytes()
}

/// The tables by kernel.
///
/// Errors: [`ObjectError::Lines`] when the bytes are not a line table.
pub fn decode(bytes: &[u8]) -> Result<BTreeMap<String, Table>, ObjectError> {
    parse(bytes).ok_or(ObjectError::Lines)
}

fn parse(bytes: &[u8]) -> Option<BTreeMap<String, Table>> {
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
    let mut out: BTreeMap<String, Table> = BTreeMap::new();
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
        out.entry(name.as_str()?.to_owned()).or_default().lines = lines;
    }
    match table.get("atomics") {
        Some(Value::Map(kernels)) => {
            for (name, rows) in kernels {
                let ops: Vec<AtomicOp> = rows.as_array()?.iter().map(atomic).collect::<Option<_>>()?;
                if !ops.is_sorted_by_key(|a| a.offset) {
                    return None;
                }
                out.entry(name.as_str()?.to_owned()).or_default().atomics = ops;
            }
        }
        Some(_) => return None,
        None => {}
    }
    Some(out)
}

fn atomic(row: &Value) -> Option<AtomicOp> {
    let [offset, scope] = row.as_array()? else {
        return None;
    };
    let scope = match scope.as_u64()? {
        0 => Scope::Group,
        1 => Scope::Device,
        _ => return None,
    };
    Some(AtomicOp {
        offset: offset.as_u64()?,
        scope,
    })
}
