//! The reference interpreter: what a kernel means, run for whole workgroups and grids, before and after lowering.
//!
//! Method: the lanes of a wave run in lockstep under a mask of active lanes; a wave is a stack of frames, one per open
//! region, so it can stop at a barrier; the waves of a group take turns, each running to its next barrier or atomic load, by
//! which it may wait for another one. What nobody wrote is poison: the lanes a value has no meaning for, and LDS at the start of a group (bytes 0xA5).
//!
//! A wave that fails a check ends and counts as arrived at barriers from then on; the others go on, and so do the groups after
//! it. The first such failure is the run's error.
//!
//! The interpreter is also a sanitizer. It stops with an error at an access outside of every buffer or LDS allocation, at a
//! collective that not all lanes reach, at a barrier that not all waves reach, and at an LDS byte that one wave writes
//! and another reads or writes with no barrier in between; not the last in a kernel with fences, which may order such
//! accesses, too. (Tile operations have no barriers in them before
//! `place_barriers`: here each wave keeps tiles of its own, equal in content.)
//!
//! Order of things the IR leaves open, which everything that is compared with this must share: `wmma` adds the products in order
//! of k, each with one rounding in f32 (`acc = fma(a, b, acc)`), and rounds to a 16-bit accumulator at the end; the lanes of
//! a wave store and do atomics in ascending order; groups run one after the other, x fastest, so a group that waits for a later
//! one never ends.

mod memory;
mod ops;
mod tiles;
mod wave;

use crate::check::Report;
use crate::eval::Const;
use crate::func::{Func, ParamKind, Span};
use crate::op::OpKind;
use crate::ty::Ty;

pub use memory::Memory;

/// An argument of a launch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arg {
    /// A scalar.
    Scalar(Const),
    /// A slice: address and length in elements.
    Slice {
        /// Address of its first byte.
        base: u64,
        /// Length in elements.
        len: u32,
    },
    /// A matrix: address and shape in elements.
    Mat {
        /// Address of its first byte.
        base: u64,
        /// Rows.
        rows: u32,
        /// Columns.
        cols: u32,
        /// Distance of the starts of two rows.
        stride: u32,
    },
}

/// What a run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Operations executed, counted once per wave.
    pub ops: u64,
    /// Barriers passed, counted once per group.
    pub barriers: u64,
    /// Workgroups run.
    pub groups: u64,
}

/// Switches of [`run_with`].
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Stop with an error after this many operations (counted per wave).
    pub max_ops: u64,
    /// Stop at LDS accesses of different waves that conflict with no barrier in between.
    pub check_races: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            max_ops: 1 << 32,
            check_races: true,
        }
    }
}

/// Why a run stopped.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the messages say what the fields are
pub enum InterpError {
    #[error("argument {index} does not fit parameter `{name}`")]
    Argument { index: usize, name: String },
    #[error("the kernel has {params} parameters, the launch {args} arguments")]
    ArgumentCount { params: usize, args: usize },
    #[error("`{op}` at {span:?}: {bytes} bytes at address {address:#x} are in no buffer")]
    Address {
        op: &'static str,
        span: Span,
        address: u64,
        bytes: u64,
    },
    #[error("`{op}` at {span:?}: byte {offset} + {bytes} of LDS allocation `{name}` is outside of it")]
    Lds {
        op: &'static str,
        span: Span,
        name: String,
        offset: u64,
        bytes: u64,
    },
    #[error("`{op}` at {span:?}: only lanes {mask:#010x} of wave {wave} get here, it needs all")]
    Divergent {
        op: &'static str,
        span: Span,
        mask: u32,
        wave: u32,
    },
    #[error("not all waves of the group reach the barrier at {span:?}; wave {wave} ends without it")]
    Barrier { span: Span, wave: u32 },
    #[error("`{op}` at {span:?}: wave {wave} and wave {other} meet at byte {byte} of LDS with no barrier in between")]
    Race {
        op: &'static str,
        span: Span,
        wave: u32,
        other: u32,
        byte: u64,
    },
    #[error("`{op}` at {span:?}: lanes {lane} and {} of an input fragment should hold the same and do not", lane + 16)]
    Fragment { op: &'static str, span: Span, lane: u32 },
    #[error("{text}, in work-item {} of workgroup {:?}, at {span:?}", report.local, report.group)]
    Index { text: String, span: Span, report: Report },
    #[error("stopped after {max_ops} operations")]
    TooLong { max_ops: u64 },
    #[error("`{op}` at {span:?} cannot be interpreted: {what}")]
    Unsupported {
        op: &'static str,
        span: Span,
        what: &'static str,
    },
}

/// Runs a kernel on a grid of `groups` workgroups.
///
/// # Errors
/// See [`InterpError`]. Memory keeps what was written until then.
///
/// # Panics
/// On a function the verifier rejects.
pub fn run(func: &Func, args: &[Arg], memory: &mut Memory, groups: [u32; 3]) -> Result<Stats, InterpError> {
    run_with(func, args, memory, groups, Options::default())
}

/// [`run`] with switches.
///
/// # Errors
/// See [`InterpError`].
///
/// # Panics
/// On a function the verifier rejects.
pub fn run_with(
    func: &Func,
    args: &[Arg],
    memory: &mut Memory,
    groups: [u32; 3],
    options: Options,
) -> Result<Stats, InterpError> {
    let params = bind(func, args)?;
    let mut stats = Stats::default();
    let mut stopped = None;
    for z in 0..groups[2] {
        for y in 0..groups[1] {
            for x in 0..groups[0] {
                let mut group = wave::Group::new(func, &params, memory, [x, y, z], groups, options, &mut stats);
                let ran = group.run();
                stopped = stopped.or(group.report);
                match (ran, stopped) {
                    // what a group without one of its waves does wrong comes from that
                    (Err(_), Some(report)) => return Err(index_error(func, report)),
                    (ran, _) => ran?,
                }
                stats.groups += 1;
            }
        }
    }
    match stopped {
        Some(report) => Err(index_error(func, report)),
        None => Ok(stats),
    }
}

fn index_error(func: &Func, report: Report) -> InterpError {
    let site = func.sites.get(report.site as usize);
    InterpError::Index {
        text: site.map_or_else(String::new, |s| s.message(report.index, report.len)),
        span: site.map_or_else(Span::default, |s| s.span),
        report,
    }
}

/// A value of the body's arguments.
#[derive(Clone, Copy, Debug)]
enum ParamValue {
    Scalar(u64),
    View(u64, u32),
}

fn bind(func: &Func, args: &[Arg]) -> Result<Vec<ParamValue>, InterpError> {
    if func.params.len() != args.len() {
        return Err(InterpError::ArgumentCount {
            params: func.params.len(),
            args: args.len(),
        });
    }
    let mut out = Vec::new();
    for (index, (p, a)) in func.params.iter().zip(args).enumerate() {
        match (p.kind, *a) {
            (ParamKind::Scalar(s), Arg::Scalar(c)) if c.ty == s => out.push(ParamValue::Scalar(c.bits)),
            (ParamKind::Slice(..), Arg::Slice { base, len }) => out.push(ParamValue::View(base, len)),
            (
                ParamKind::Mat(..),
                Arg::Mat {
                    base,
                    rows,
                    cols,
                    stride,
                },
            ) => {
                let empty = rows == 0 || cols == 0;
                let len = if empty {
                    0
                } else {
                    u64::from(rows - 1) * u64::from(stride) + u64::from(cols)
                };
                let len = u32::try_from(len).map_err(|_| InterpError::Argument {
                    index,
                    name: p.name.clone(),
                })?;
                out.push(ParamValue::View(base, len));
                out.extend([rows, cols, stride].map(|n| ParamValue::Scalar(u64::from(n))));
            }
            _ => {
                return Err(InterpError::Argument {
                    index,
                    name: p.name.clone(),
                })
            }
        }
    }
    Ok(out)
}

/// Is a function free of what only the lowering removes? (Tile operations keep a tile per wave and use no LDS.)
pub fn is_lowered(func: &Func) -> bool {
    !func.ops.iter().any(|op| {
        matches!(
            op.kind,
            OpKind::TileLoad { .. }
                | OpKind::TileFetch { .. }
                | OpKind::TileCommit { .. }
                | OpKind::TileAt { .. }
                | OpKind::TileFrag
                | OpKind::TileStore
        )
    }) && !func
        .values
        .iter()
        .any(|v| matches!(v.ty, Ty::Staged(_) | Ty::LdsTile(_)))
}

#[cfg(test)]
mod tests;
