//! The line table: which source line each instruction came from.
//!
//! Problem: listings, sanitizer reports and traces name the Rust line of an instruction. Method: rows of (offset from
//! the kernel's first instruction, file, line, column), sorted by offset, each valid up to the next row; kept in a
//! section of its own that loaders skip, so foreign loaders are not disturbed. Invariant: [`encode`] and [`decode`] are
//! inverse to each other. Format: MessagePack `{files: [text], kernels: {name: [[offset, file, line, column]]}, atomics:
//! {name: [[offset, scope]]}, sources: {name: [[file, line, column, line, column, hash]]}}`. `atomics` has the atomic operations of the kernel, loads included, by offset, with scope 0
//! (workgroup) or 1 (device): their machine code is the same, and the sanitizer compares what it sees with what was asked for.
//! Kernels without atomics are left out, files without `atomics` say nothing about them. `sources` has the places of the functions a
//! kernel comes from, first and last character, with a hash of what stood there when it was compiled ([`t0_ir::source`]).

use super::msgpack::Value;
use super::ObjectError;
use std::collections::BTreeMap;
use std::sync::Arc;
use t0_ir::source::Extent;
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

/// A piece of source a kernel comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Source file as the compiler names it.
    pub file: Arc<str>,
    /// Where it stood, and a hash of it.
    pub extent: Extent,
}

/// What the section says of a kernel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    /// Source lines by offset.
    pub lines: Vec<Line>,
    /// Atomic operations by offset.
    pub atomics: Vec<AtomicOp>,
    /// Pieces of source the kernel comes from.
    pub sources: Vec<Piece>,
}

/// Whether a file with this text is no longer the one that was compiled, as far as these pieces of it tell.
pub fn is_changed(sources: &[Piece], file: &str, text: &str) -> bool {
    let mut own = sources.iter().filter(|p| *p.file == *file);
    own.any(|p| !p.extent.is_in(text))
}

/// The row valid at `offset`; rows are sorted.
pub fn lookup(lines: &[Line], offset: u64) -> Option<&Line> {
    let after = lines.partition_point(|l| l.offset <= offset);
    lines[..after].last().filter(|l| l.line > 0)
}

/// The section's bytes for these kernels and their tables.
pub fn encode<'a>(kernels: impl Iterator<Item = (&'a str, Table)>) -> Vec<u8> {
    let mut files: Vec<Arc<str>> = Vec::new();
    let mut number = |file: &Arc<str>| {
        let known = files.iter().position(|f| f == file);
        known.unwrap_or_else(|| {
            files.push(file.clone());
            files.len() - 1
        }) as u64
    };
    let (mut tables, mut atomics, mut sources) = (Vec::new(), Vec::new(), Vec::new());
    let row = |numbers: &[u64]| Value::Array(numbers.iter().copied().map(Value::from).collect());
    for (name, table) in kernels {
        let rows = table
            .lines
            .iter()
            .map(|l| row(&[l.offset, number(&l.file), l.line.into(), l.column.into()]));
        tables.push((name.into(), Value::Array(rows.collect())));
        if !table.atomics.is_empty() {
            let ops = table.atomics.iter();
            let rows = ops.map(|a| row(&[a.offset, (a.scope == Scope::Device).into()]));
            atomics.push((name.into(), Value::Array(rows.collect())));
        }
        if !table.sources.is_empty() {
            let rows = table.sources.iter().map(|p| {
                let Extent { from, to, hash } = p.extent;
                let places = [from.0, from.1, to.0, to.1].map(u64::from);
                row(&[&[number(&p.file)][..], &places, &[hash]].concat())
            });
            sources.push((name.into(), Value::Array(rows.collect())));
        }
    }
    let files = files.iter().map(|f| Value::from(&**f)).collect();
    let mut all = vec![("files", Value::Array(files)), ("kernels", Value::Map(tables))];
    if !atomics.is_empty() {
        all.push(("atomics", Value::Map(atomics)));
    }
    if !sources.is_empty() {
        all.push(("sources", Value::Map(sources)));
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
    match table.get("sources") {
        Some(Value::Map(kernels)) => {
            for (name, rows) in kernels {
                let pieces = rows.as_array()?.iter().map(|r| piece(r, &files));
                out.entry(name.as_str()?.to_owned()).or_default().sources = pieces.collect::<Option<_>>()?;
            }
        }
        Some(_) => return None,
        None => {}
    }
    Some(out)
}

fn piece(row: &Value, files: &[Arc<str>]) -> Option<Piece> {
    let numbers: Vec<u64> = row.as_array()?.iter().map(Value::as_u64).collect::<Option<_>>()?;
    let &[file, line, column, last_line, last_column, hash] = &numbers[..] else {
        return None;
    };
    let place = |line: u64, column: u64| Some((line.try_into().ok()?, column.try_into().ok()?));
    let (from, to) = (place(line, column)?, place(last_line, last_column)?);
    Some(Piece {
        file: files.get(usize::try_from(file).ok()?)?.clone(),
        extent: Extent { from, to, hash },
    })
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
