//! The device vocabulary of t0 kernels, their SSA intermediate representation, its verifier, interpreter and passes.
//!
//! Knows no instruction set: see `t0-backend-rdna3` for what becomes of a [`Func`].
#![forbid(unsafe_code)]

pub mod abi;
pub mod analysis;
pub mod build;
pub mod check;
pub mod diag;
pub mod eval;
pub mod func;
pub mod interp;
pub mod op;
pub mod passes;
pub mod source;
pub mod stage;
pub mod surface;
#[doc(hidden)]
pub mod testing;
pub mod text;
pub mod ty;
pub mod verify;

pub use build::Builder;
pub use check::{index_text, Bound, Report, Site};
pub use diag::{Diag, Diags, Severity};
pub use eval::Const;
pub use func::{Access, Func, LdsAlloc, Op, OpId, Param, ParamKind, Region, Span, Value, ValueInfo};
pub use op::LDS_OUTSIDE;
pub use op::{Convergent, Effect, Inside, LdsId, LoopHints, OpKind, Order, Pred, Rmw, Scope};
pub use ty::{Role, Scalar, TileTy, Ty};
