//! The one type of the twin: what an expression is while staging.

use crate::func::Value;
use crate::op::LdsId;
use crate::ty::Scalar;

/// A mutable local, by index into the stage's slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VarId(pub usize);

/// What an expression is while staging.
///
/// Everything is made of IR values (its *leaves*); control flow merges two `Val`s of the same shape leaf by leaf.
#[derive(Clone, Debug, PartialEq)]
pub enum Val {
    /// `()`.
    Unit,
    /// The value of an expression that does not return (`break`).
    Never,
    /// A local without a value yet.
    Uninit,
    /// After a finding: fits everywhere, says nothing more.
    Poison,
    /// A scalar or a fragment.
    V(Value),
    /// `(a, b)`.
    Tuple(Vec<Val>),
    /// `[T; N]` in registers.
    Array(Vec<Val>),
    /// A struct with named fields.
    Struct(Vec<(&'static str, Val)>),
    /// `&[T]` and the rows of matrices: a `Buffer` value.
    View(Value),
    /// `&[Atomic<T>]`: a `Buffer` value.
    Atomics(Value),
    /// `&Mat<T>`: buffer, rows, cols, stride.
    Mat([Value; 4]),
    /// `&mut Lanes<T>`.
    Lanes(Value),
    /// `&mut Waves<[T]>`.
    Waves([Value; 4]),
    /// `&mut Groups<Tile<T, R, C>>` with R, C.
    Groups([Value; 4], u32, u32),
    /// A block of a matrix: `&mut Tile<T, R, C>` or `TileRef<T, R, C>`.
    Tile(TilePlace),
    /// `Lds<T, R, C>`: an `LdsTile` value.
    Lds(Value),
    /// `Acc<T, R, C>`.
    Acc(Acc),
    /// `Shared<[T; N]>`, or of `Atomic<T>`.
    Shared {
        /// The allocation.
        lds: LdsId,
        /// Element type.
        elem: Scalar,
        /// Number of elements.
        len: u32,
        /// Are the elements atomics?
        atomic: bool,
    },
    /// A range or an iterator.
    Iter(Box<Iter>),
    /// A reference, or what a place expression (`*p`, `a[i]`, `s.f`) stands for.
    Ref(Box<Place>),
    /// A mutable local.
    Var(VarId),
    /// A marker value such as `Relaxed` or `Device`.
    Mark(&'static str),
}

/// R×C block of a matrix, from element (row, col) on.
#[derive(Clone, Debug, PartialEq)]
pub struct TilePlace {
    /// Buffer, rows, cols, stride.
    pub mat: [Value; 4],
    /// First row.
    pub row: Value,
    /// First column.
    pub col: Value,
    /// R.
    pub rows: u32,
    /// C.
    pub cols: u32,
    /// It is the transposed of the C×R block there.
    pub transposed: bool,
}

/// The R×C accumulator of a workgroup: this wave's share of its 16×16 blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct Acc {
    /// R.
    pub rows: u32,
    /// C.
    pub cols: u32,
    /// Blocks of this wave, down.
    pub bm: u32,
    /// Blocks of this wave, across.
    pub bn: u32,
    /// First block row of this wave (`u32`).
    pub row: Value,
    /// First block column of this wave (`u32`).
    pub col: Value,
    /// The `bm × bn` accumulator fragments, row by row.
    pub frags: Vec<Value>,
}

/// Somewhere a value can be read from and written to.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// Where it starts.
    pub root: Root,
    /// The way from there.
    pub path: Vec<Proj>,
}

/// Where a place starts.
#[derive(Clone, Debug, PartialEq)]
pub enum Root {
    /// A mutable local.
    Var(VarId),
    /// Element `index` of a view of global memory.
    Elem(Value, Value),
    /// Element of an LDS allocation at a byte offset.
    Lds(LdsId, Value, Scalar),
    /// An atomic: element `index` of a buffer.
    Atomic(Value, Value),
    /// An atomic in LDS at a byte offset.
    LdsAtomic(LdsId, Value, Scalar),
}

/// A step into a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Proj {
    /// `.name`
    Field(&'static str),
    /// `.0`
    Item(usize),
    /// `[i]`
    Index(Value),
    /// Fragment `n` of an accumulator.
    Frag(usize),
}

/// A range with what was done to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// First index.
    pub lo: Value,
    /// End.
    pub hi: Value,
    /// Does the range include its end?
    pub inclusive: bool,
    /// `step_by`, a `u32`.
    pub step: Option<Value>,
    /// Backwards?
    pub rev: bool,
    /// `rev` came before `step_by`.
    pub rev_first: bool,
}

/// An iterator of the device vocabulary.
#[derive(Clone, Debug, PartialEq)]
pub enum Iter {
    /// `lo..hi` and its like.
    Range(Range),
    /// Elements `lane, lane + 32, …` of a view, with their indices.
    Lanes(Value),
    /// All elements of a view.
    Elems(Value),
    /// Elements of an array.
    Items(Vec<Val>),
    /// With a counter.
    Enumerate(Box<Iter>),
    /// The fragments of an accumulator at a place.
    Frags(Place),
}

impl Val {
    /// The value of a statement that may leave early: `Never` if it does.
    pub fn diverges(&self) -> Val {
        match self {
            Val::Never => Val::Never,
            _ => Val::Unit,
        }
    }

    /// Calls `f` on every IR value this is made of, in a fixed order.
    pub fn leaves_mut(&mut self, f: &mut dyn FnMut(&mut Value)) {
        match self {
            Val::Unit | Val::Never | Val::Uninit | Val::Poison | Val::Shared { .. } | Val::Var(_) | Val::Mark(_) => {}
            Val::V(v) | Val::View(v) | Val::Atomics(v) | Val::Lanes(v) | Val::Lds(v) => f(v),
            Val::Tuple(vs) | Val::Array(vs) => vs.iter_mut().for_each(|v| v.leaves_mut(f)),
            Val::Struct(fields) => fields.iter_mut().for_each(|(_, v)| v.leaves_mut(f)),
            Val::Mat(m) | Val::Waves(m) | Val::Groups(m, ..) => m.iter_mut().for_each(f),
            Val::Tile(t) => {
                t.mat.iter_mut().for_each(&mut *f);
                f(&mut t.row);
                f(&mut t.col);
            }
            Val::Acc(a) => {
                f(&mut a.row);
                f(&mut a.col);
                a.frags.iter_mut().for_each(f);
            }
            Val::Iter(i) => i.leaves_mut(f),
            Val::Ref(p) => p.leaves_mut(f),
        }
    }

    /// The IR values this is made of.
    pub fn leaves(&self) -> Vec<Value> {
        let mut out = Vec::new();
        self.clone().leaves_mut(&mut |v| out.push(*v));
        out
    }

    /// The same with other leaves, taken in order.
    pub(crate) fn with_leaves(&self, new: &[Value]) -> Val {
        let mut out = self.clone();
        let mut i = 0;
        out.leaves_mut(&mut |v| {
            *v = new[i];
            i += 1;
        });
        out
    }

    /// Do both have the same shape, so that they can be merged leaf by leaf?
    pub(crate) fn same_shape(&self, other: &Val) -> bool {
        let (a, b) = (self.leaves().len(), other.leaves().len());
        a == b && self.with_leaves(&vec![Value(0); a]) == other.with_leaves(&vec![Value(0); b])
    }
}

impl Iter {
    fn leaves_mut(&mut self, f: &mut dyn FnMut(&mut Value)) {
        match self {
            Iter::Range(r) => {
                f(&mut r.lo);
                f(&mut r.hi);
                r.step.iter_mut().for_each(f);
            }
            Iter::Lanes(v) | Iter::Elems(v) => f(v),
            Iter::Items(vs) => vs.iter_mut().for_each(|v| v.leaves_mut(f)),
            Iter::Enumerate(i) => i.leaves_mut(f),
            Iter::Frags(p) => p.leaves_mut(f),
        }
    }
}

impl Place {
    pub(crate) fn var(id: VarId) -> Place {
        Place {
            root: Root::Var(id),
            path: Vec::new(),
        }
    }

    pub(crate) fn elem(buf: Value, index: Value) -> Place {
        Place {
            root: Root::Elem(buf, index),
            path: Vec::new(),
        }
    }

    pub(crate) fn then(&self, step: Proj) -> Place {
        let mut p = self.clone();
        p.path.push(step);
        p
    }

    fn leaves_mut(&mut self, f: &mut dyn FnMut(&mut Value)) {
        match &mut self.root {
            Root::Var(_) => {}
            Root::Elem(b, i) | Root::Atomic(b, i) => {
                f(b);
                f(i);
            }
            Root::Lds(_, i, _) | Root::LdsAtomic(_, i, _) => f(i),
        }
        for step in &mut self.path {
            if let Proj::Index(v) = step {
                f(v);
            }
        }
    }
}
