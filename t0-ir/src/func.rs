//! A kernel in SSA form with structured control flow.
//!
//! Values and operations live in arenas and are named by index. Control flow is nesting: `if`, `for` and `while` own
//! regions, a region is one list of operations, and values that meet or are carried round a loop are results and region
//! arguments. An operation may use the values defined before it in its own region and in the regions around it.

use crate::check::Site;
use crate::op::{LdsId, OpKind};
use crate::source::Extent;
use crate::ty::{Scalar, Ty};

/// A value, by index into [`Func::values`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub u32);

/// An operation, by index into [`Func::ops`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OpId(pub u32);

/// A place in the user's source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Span {
    /// Index into [`Func::files`].
    pub file: u32,
    /// Line, from 1; 0 = unknown.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

/// What is known of a value besides its definition.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueInfo {
    /// Type.
    pub ty: Ty,
    /// The user's name for it, where there is one.
    pub name: Option<String>,
}

/// One operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Op {
    /// What it does.
    pub kind: OpKind,
    /// Operands.
    pub args: Vec<Value>,
    /// Results.
    pub results: Vec<Value>,
    /// Nested regions (`if`: 2, `for`: 1, `while`: 2).
    pub regions: Vec<Region>,
    /// Where it came from.
    pub span: Span,
}

/// A list of operations with arguments; the last operation is its terminator (`yield` or `condition`), but for the body of
/// the function, which has none.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Region {
    /// Arguments.
    pub args: Vec<Value>,
    /// Operations in order.
    pub ops: Vec<OpId>,
}

/// How a kernel may use a memory parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// `&[T]`, `&Mat<T>`: read by all, written by nobody during the launch.
    Read,
    /// `&mut Lanes<T>` and its like: each part has one owner.
    Write,
    /// `&[Atomic<T>]`: shared, through atomics.
    Atomic,
}

/// The kind of a kernel parameter and the values it becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParamKind {
    /// One scalar value.
    Scalar(Scalar),
    /// One view: `Buffer`.
    Slice(Scalar, Access),
    /// Four values: `Buffer`, rows, cols, row stride in elements (each `u32`).
    Mat(Scalar, Access),
}

impl ParamKind {
    /// Types of the values this parameter becomes, in order.
    pub fn values(self) -> Vec<Ty> {
        match self {
            ParamKind::Scalar(s) => vec![Ty::Scalar(s)],
            ParamKind::Slice(s, _) => vec![Ty::Buffer(s)],
            ParamKind::Mat(s, _) => vec![Ty::Buffer(s), Ty::U32, Ty::U32, Ty::U32],
        }
    }
}

/// A kernel parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// Name in the source.
    pub name: String,
    /// Kind.
    pub kind: ParamKind,
}

/// One allocation of LDS.
#[derive(Clone, Debug, PartialEq)]
pub struct LdsAlloc {
    /// The user's name for it, or the tile's.
    pub name: String,
    /// Size in bytes.
    pub bytes: u32,
    /// Alignment in bytes, a power of two.
    pub align: u32,
    /// Number of pipeline buffers it consists of (1 without pipelining); each is `bytes / slots` long.
    pub slots: u32,
    /// Type of its elements, where they lie one after the other: reports then name an index.
    pub elem: Option<Scalar>,
    /// Made by the compiler for a tile: the compiler places its barriers. Otherwise `Shared`: the user does.
    pub tile: bool,
    /// The tile's rows lie one after the other with their chunks of 16 bytes exchanged (see `lower_tiles`), not padded.
    pub swizzled: bool,
}

/// A kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Func {
    /// Symbol name.
    pub name: String,
    /// Parameters; their values are the arguments of `body`, in order (see [`ParamKind::values`]).
    pub params: Vec<Param>,
    /// Work-items per workgroup, one-dimensional; a multiple of 32, at most 1024.
    pub group: u32,
    /// LDS allocations.
    pub lds: Vec<LdsAlloc>,
    /// Values.
    pub values: Vec<ValueInfo>,
    /// Operations.
    pub ops: Vec<Op>,
    /// Body.
    pub body: Region,
    /// Source files that spans name.
    pub files: Vec<String>,
    /// Pieces of these files the kernel comes from, by index of the file; no part of the text form.
    pub sources: Vec<(u32, Extent)>,
    /// Where the kernel is declared; line 0 if that is not known.
    pub span: Span,
    /// Places where indices are checked; empty for a kernel that is not checked.
    pub sites: Vec<Site>,
}

impl Func {
    /// An empty kernel whose body has the parameters' values as arguments.
    pub fn new(name: impl Into<String>, group: u32, params: Vec<Param>) -> Func {
        let mut f = Func {
            name: name.into(),
            params: Vec::new(),
            group,
            lds: Vec::new(),
            values: Vec::new(),
            ops: Vec::new(),
            body: Region::default(),
            files: Vec::new(),
            sources: Vec::new(),
            span: Span::default(),
            sites: Vec::new(),
        };
        for p in &params {
            let names: &[&str] = &["", "rows", "cols", "stride"];
            for (i, ty) in p.kind.values().into_iter().enumerate() {
                let name = if i == 0 {
                    p.name.clone()
                } else {
                    format!("{}.{}", p.name, names[i])
                };
                let v = f.new_value(ty, Some(name));
                f.body.args.push(v);
            }
        }
        f.params = params;
        f
    }

    /// A new value without a definition yet.
    pub fn new_value(&mut self, ty: Ty, name: Option<String>) -> Value {
        self.values.push(ValueInfo { ty, name });
        Value(self.values.len() as u32 - 1)
    }

    /// A new operation in no region yet, with fresh results of the given types.
    pub fn new_op(&mut self, kind: OpKind, args: Vec<Value>, results: &[Ty], regions: Vec<Region>, span: Span) -> OpId {
        let results = results.iter().map(|&t| self.new_value(t, None)).collect();
        self.ops.push(Op {
            kind,
            args,
            results,
            regions,
            span,
        });
        OpId(self.ops.len() as u32 - 1)
    }

    /// An operation.
    pub fn op(&self, id: OpId) -> &Op {
        &self.ops[id.0 as usize]
    }

    /// An operation, to change.
    pub fn op_mut(&mut self, id: OpId) -> &mut Op {
        &mut self.ops[id.0 as usize]
    }

    /// Type of a value.
    pub fn ty(&self, v: Value) -> Ty {
        self.values[v.0 as usize].ty
    }

    /// A new LDS allocation.
    pub fn new_lds(&mut self, alloc: LdsAlloc) -> LdsId {
        self.lds.push(alloc);
        LdsId(self.lds.len() as u32 - 1)
    }

    /// Byte offset of an LDS allocation in the workgroup's LDS: allocations lie one after the other, each aligned.
    pub fn lds_offset(&self, id: LdsId) -> u32 {
        self.lds_layout(id.0 as usize).0
    }

    /// Total LDS bytes of the workgroup.
    pub fn lds_bytes(&self) -> u32 {
        self.lds_layout(self.lds.len()).1
    }

    fn lds_layout(&self, upto: usize) -> (u32, u32) {
        let mut end = 0u32;
        for (i, a) in self.lds.iter().enumerate() {
            let at = end.next_multiple_of(a.align.max(1));
            if i == upto {
                return (at, at + a.bytes);
            }
            end = at + a.bytes;
        }
        (end, end)
    }

    /// Waves per workgroup (wave32).
    pub fn waves(&self) -> u32 {
        self.group.div_ceil(32)
    }

    /// Index of a file in [`Func::files`], added when new.
    pub fn file(&mut self, name: &str) -> u32 {
        match self.files.iter().position(|f| f == name) {
            Some(i) => i as u32,
            None => {
                self.files.push(name.to_string());
                self.files.len() as u32 - 1
            }
        }
    }
}
