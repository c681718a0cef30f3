//! Mergeable sections: equal strings and constants are there once, where `ld.lld -shared` (its default `-O1`) puts them.
//!
//! Problem: compilers put strings and constants into sections of flags `MS` and `M`, whose pieces a linker may join, so
//! addresses of pieces do not follow from their offsets. Method: as LLD, the sections of an output section with equal flags
//! and entry sizes (strings: and alignments) become one. A piece, a string with its end or a constant, belongs to one of 32
//! shards by its hash; within a shard pieces stand in order of their first appearance, each aligned, and the shards follow
//! one another. Invariant: the bytes and the place of each piece are those of ld.lld 19 (checked in the tests). Sections
//! with relocations in them stay as they are.
//! Source: what ld.lld 19 does; ELF gABI `SHF_MERGE`.

use super::link::{output_name, Section};
use object::elf;
use std::collections::HashMap;
use twox_hash::XxHash3_64;

/// Shards of a merged section.
const SHARDS: usize = 32;

/// Why a section cannot be merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// The last string has no end.
    #[error("the last string of a section with flag `S` needs an entry of zeros behind it, as .asciz writes it")]
    Unterminated,
    /// Half an entry.
    #[error("a section with flag `M` holds whole entries; its {size} bytes are no multiple of {entsize}")]
    Size {
        /// Bytes of the section.
        size: u64,
        /// Bytes of an entry.
        entsize: u64,
    },
    /// Flags `M` and `w`.
    #[error("a section that is written to cannot be mergeable; leave the flag `M` or `w` out")]
    Writable,
}

/// A string or a constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Piece {
    /// Offset in its section.
    start: u64,
    /// Offset in the merged section.
    at: u64,
}

/// Where the pieces of a section went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pieces(Vec<Piece>);

impl Pieces {
    /// Offset in the merged section of an offset in the input; of one past the end that of the last piece.
    pub fn place(&self, offset: u64) -> u64 {
        let after = self.0.partition_point(|p| p.start <= offset);
        match self.0.get(after.saturating_sub(1)) {
            Some(p) => p.at.wrapping_add(offset.wrapping_sub(p.start)),
            None => offset,
        }
    }
}

/// Sections that became one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// The first of them: the merged section stands in its place.
    pub head: usize,
    /// Alignment in bytes.
    pub align: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The sections by number and where their pieces went.
    pub members: Vec<(usize, Pieces)>,
}

/// Whether the linker splits the section into pieces, unless it has relocations.
pub fn is_mergeable(s: &Section) -> bool {
    s.flags & u64::from(elf::SHF_MERGE) != 0 && s.entsize > 0 && !s.data.is_empty()
}

/// Merges what can be; `fixed` tells which sections have relocations in them.
///
/// Errors: the number of the first section that is not made of pieces, and why.
pub fn merge(sections: &[Section], fixed: impl Fn(usize) -> bool) -> Result<Vec<Merged>, (usize, MergeError)> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (i, s) in sections.iter().enumerate().filter(|(_, s)| is_mergeable(s)) {
        check(s).map_err(|why| (i, why))?;
        if fixed(i) {
            continue;
        }
        let together = |other: &Section| {
            output_name(&other.name) == output_name(&s.name)
                && (other.flags, other.entsize) == (s.flags, s.entsize)
                && (other.align == s.align || !holds_strings(s))
        };
        match groups.iter_mut().find(|g| together(&sections[g[0]])) {
            Some(group) => group.push(i),
            None => groups.push(vec![i]),
        }
    }
    groups.iter().map(|group| join(sections, group)).collect()
}

fn holds_strings(s: &Section) -> bool {
    s.flags & u64::from(elf::SHF_STRINGS) != 0
}

fn check(s: &Section) -> Result<(), MergeError> {
    if s.size % s.entsize != 0 {
        return Err(MergeError::Size {
            size: s.size,
            entsize: s.entsize,
        });
    }
    if s.flags & u64::from(elf::SHF_WRITE) != 0 {
        return Err(MergeError::Writable);
    }
    Ok(())
}

/// Bytes of a piece, and those its hash is of: the end of a string is not hashed.
fn split(s: &Section) -> Option<Vec<(&[u8], &[u8])>> {
    let entries = s.data.chunks_exact(s.entsize as usize);
    if !holds_strings(s) {
        return Some(entries.map(|c| (c, c)).collect());
    }
    let (mut pieces, mut start, mut at) = (Vec::new(), 0, 0);
    for entry in entries {
        let end = at + entry.len();
        if entry.iter().all(|b| *b == 0) {
            pieces.push((&s.data[start..end], &s.data[start..at]));
            start = end;
        }
        at = end;
    }
    (start == s.data.len()).then_some(pieces)
}

/// The pieces of one shard, in order.
#[derive(Default)]
struct Shard<'a> {
    size: u64,
    places: HashMap<&'a [u8], u64>,
}

fn join(sections: &[Section], group: &[usize]) -> Result<Merged, (usize, MergeError)> {
    let align = group.iter().map(|&i| sections[i].align.max(1)).max().unwrap_or(1);
    let mut shards: [Shard<'_>; SHARDS] = Default::default();
    // Shard and offset in it of each piece.
    let mut members = Vec::new();
    for &i in group {
        let pieces = split(&sections[i]).ok_or((i, MergeError::Unterminated))?;
        let (mut start, mut found) = (0, Vec::with_capacity(pieces.len()));
        for (bytes, hashed) in pieces {
            // The upper five bits of the lower half.
            let number = (XxHash3_64::oneshot(hashed) as u32 >> 27) as usize;
            let shard = &mut shards[number];
            let at = match shard.places.get(bytes) {
                Some(at) => *at,
                None => {
                    let at = shard.size.next_multiple_of(align);
                    shard.size = at + bytes.len() as u64;
                    shard.places.insert(bytes, at);
                    at
                }
            };
            found.push((number, Piece { start, at }));
            start += bytes.len() as u64;
        }
        members.push((i, found));
    }
    let mut offsets = [0; SHARDS];
    let mut size: u64 = 0;
    for (offset, shard) in offsets.iter_mut().zip(&shards) {
        if shard.size > 0 {
            size = size.next_multiple_of(align);
        }
        *offset = size;
        size += shard.size;
    }
    let mut bytes = vec![0; size as usize];
    for (offset, shard) in offsets.iter().zip(&shards) {
        for (piece, at) in &shard.places {
            let start = (offset + at) as usize;
            bytes[start..start + piece.len()].copy_from_slice(piece);
        }
    }
    let moved = |(number, p): (usize, Piece)| Piece {
        at: p.at + offsets[number],
        ..p
    };
    let members = members
        .into_iter()
        .map(|(i, found)| (i, Pieces(found.into_iter().map(moved).collect())));
    Ok(Merged {
        head: group[0],
        align,
        bytes,
        members: members.collect(),
    })
}
