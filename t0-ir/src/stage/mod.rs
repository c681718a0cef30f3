//! Staging: running a kernel's twin builds its IR.
//!
//! `#[kernel]` emits a kernel's body twice: as written, for rustc to check, and as a *twin* that calls [`Stage`] once per
//! piece of syntax. The twin is not generic and knows one type, [`Val`]: rustc has already reported every type error at the
//! user's token, so staging only has to follow. Types flow forward from the parameters; a bare literal has a type that is
//! still open and takes the one of the first value it meets (`literal.rs`), with rustc's fallback at the end.
//!
//! Mutable locals live in slots of the stage. `if` and loops compare the slots before and after a region and turn exactly
//! the changed ones into results and carried values (`flow.rs`). An early exit sets a flag, and what follows it is staged
//! under `if !flag`: the IR has structured control flow only, and a collective behind a lane-dependent exit is then visible
//! to the verifier as what it is.
//!
//! What the user did wrong in a way only staging can see is a [`Diag`]; staging goes on with [`Val::Poison`] to find more.

mod arith;
mod atomic;
mod call;
mod check;
mod desc;
mod entry;
mod flow;
mod iter;
mod literal;
mod method;
mod place;
mod region;
mod tile;
mod val;

pub use arith::{BinOp, UnOp};
pub use desc::{field_ty, Described, Lift, Lifted, Probe, TArg, TyDesc, UnknownTy};
pub use entry::{stage_kernel, Kernel, KernelEntry, ParamDesc, Twin, Types};
pub use flow::Loop;
pub use val::{Acc, Iter, Place, Proj, Range, Root, TilePlace, Val, VarId};

use std::collections::HashMap;

use crate::build::Builder;
use crate::diag::{Diag, Diags};
use crate::func::{Func, Span, Value};
use crate::op::OpKind;
use crate::source::Extent;
use crate::ty::{Scalar, Ty};
use check::Part;
use flow::Frame;
use literal::Open;

/// A place in the user's source, as the twin passes it: [`crate::at!`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    /// `file!()`.
    pub file: &'static str,
    /// `line!()`.
    pub line: u32,
    /// `column!()`.
    pub column: u32,
}

/// A mutable local.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub(crate) name: &'static str,
    pub(crate) val: Val,
    /// Its declared type, for literals assigned later.
    pub(crate) ty: TyDesc,
}

/// Values that need not be built twice while the region they were built in is open.
#[derive(Debug, Default)]
struct Cache {
    consts: HashMap<(Scalar, u64), Value>,
    frags: HashMap<[Value; 3], Value>,
}

/// A kernel being staged: what the twin calls.
#[derive(Debug)]
pub struct Stage {
    pub(crate) b: Builder,
    pub(crate) slots: Vec<Slot>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) open: Open,
    /// Constants by value, for the decisions that are made while staging.
    pub(crate) known: HashMap<Value, u64>,
    caches: Vec<Cache>,
    diags: Diags,
    /// Depth of inlined device functions.
    pub(crate) calls: u32,
    /// The value just asked for is that of code behind an exit.
    pub(crate) unreached: bool,
    /// Are indices checked?
    pub(crate) checked: bool,
    /// What views are parts of, for the messages of checks.
    parts: HashMap<Value, Part>,
}

impl Stage {
    pub(crate) fn new(func: Func, checked: bool) -> Stage {
        Stage {
            b: Builder::new(func),
            slots: Vec::new(),
            frames: Vec::new(),
            open: Open::default(),
            known: HashMap::new(),
            caches: vec![Cache::default()],
            diags: Diags::default(),
            calls: 0,
            unreached: false,
            checked,
            parts: HashMap::new(),
        }
    }

    pub(crate) fn finish(mut self) -> Result<Func, Diags> {
        self.close_literals();
        std::mem::take(&mut self.diags).into_result()?;
        let mut func = self.b.finish();
        literal::drop_identity_casts(&mut func);
        Ok(func)
    }

    /// What is built from now on comes from this place.
    pub fn at(&mut self, at: At) {
        let file = self.b.func_mut().file(at.file);
        self.b.set_span(Span {
            file,
            line: at.line,
            column: at.column,
        });
    }

    /// The kernel comes from this text, which stands from one place to another.
    pub fn source(&mut self, first: At, last: At, text: &'static str) {
        let func = self.b.func_mut();
        let file = func.file(first.file);
        let (from, to) = ((first.line, first.column), (last.line, last.column));
        let known = func.sources.iter().any(|(f, e)| (*f, e.from) == (file, from));
        if !known {
            func.sources.extend(Extent::new(from, to, text).map(|e| (file, e)));
        }
    }

    /// Records a finding at the current place and goes on with a value that fits everywhere.
    pub fn fail(&mut self, message: impl Into<String>, help: impl Into<String>) -> Val {
        let diag = Diag::new(self.b.span(), message).help(help);
        self.diag(diag)
    }

    /// A value that could not be made. There is a finding already, or the code is never reached; else this is one, so that
    /// nothing is ever left out in silence.
    pub(crate) fn poison(&mut self) -> Val {
        if self.diags.is_empty() && !self.unreached {
            return self.fail(
                "this cannot be compiled for the device although rustc accepts it",
                "write it in another way; this is a defect of t0",
            );
        }
        self.unreached = false;
        Val::Poison
    }

    pub(crate) fn diag(&mut self, diag: Diag) -> Val {
        if !self.diags.0.contains(&diag) {
            self.diags.push(diag);
        }
        Val::Poison
    }

    /// Type of a value; of an open literal: its fallback.
    pub(crate) fn ty(&self, v: Value) -> Ty {
        self.b.func().ty(v)
    }

    /// Scalar type of a value; `u32` for what is none (a finding has been or will be recorded by whoever checks).
    pub(crate) fn scalar(&self, v: Value) -> Scalar {
        self.ty(v).scalar().unwrap_or(Scalar::U32)
    }

    /// A typed constant.
    pub(crate) fn constant(&mut self, ty: Scalar, bits: u64) -> Value {
        if let Some(&v) = self.caches.iter().rev().find_map(|c| c.consts.get(&(ty, bits))) {
            return v;
        }
        let v = self.b.constant(ty, bits);
        self.known.insert(v, bits);
        if let Some(cache) = self.caches.last_mut() {
            cache.consts.insert((ty, bits), v);
        }
        v
    }

    /// A `u32` constant.
    pub(crate) fn u32(&mut self, n: u32) -> Value {
        self.constant(Scalar::U32, u64::from(n))
    }

    /// A `bool` constant.
    pub(crate) fn bool(&mut self, b: bool) -> Value {
        self.constant(Scalar::Bool, u64::from(b))
    }

    /// A value known while staging.
    pub(crate) fn known_bits(&self, v: Value) -> Option<u64> {
        self.known.get(&v).copied().or_else(|| self.open_bits(v))
    }

    /// The fragment of an LDS tile, which never changes after its load: built once per open region.
    pub(crate) fn tile_frag(&mut self, tile: Value, block: Value, k: Value) -> Value {
        let key = [tile, block, k];
        if let Some(&v) = self.caches.iter().rev().find_map(|c| c.frags.get(&key)) {
            return v;
        }
        let ty = Ty::Frag(crate::ty::Role::Input, self.ty(tile).elem());
        let v = self.b.op1_as(OpKind::TileFrag, &key, ty);
        if let Some(cache) = self.caches.last_mut() {
            cache.frags.insert(key, v);
        }
        v
    }

    pub(crate) fn begin_region(&mut self, args: &[Ty]) -> Vec<Value> {
        self.caches.push(Cache::default());
        self.b.begin_region(args)
    }

    pub(crate) fn end_region(&mut self, terminator: OpKind, args: &[Value]) -> crate::func::Region {
        self.caches.pop();
        self.b.end_region(terminator, args)
    }

    /// Gives a value the user's name for it if it has none yet.
    pub(crate) fn name(&mut self, v: Value, name: &str) {
        if self.known.contains_key(&v) || name.is_empty() {
            return;
        }
        let info = &mut self.b.func_mut().values[v.0 as usize];
        if info.name.is_none() {
            info.name = Some(name.to_string());
        }
    }
}

/// The place of the tokens it is written with.
#[doc(hidden)]
#[macro_export]
macro_rules! at {
    () => {
        $crate::stage::At {
            file: ::core::file!(),
            line: ::core::line!(),
            column: ::core::column!(),
        }
    };
}
