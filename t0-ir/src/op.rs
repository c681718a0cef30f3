//! The operations of the IR: one row each.
//!
//! A row gives the operation's name in the text form, its number of operands, how its result type follows, what it does
//! to memory and whether all lanes of the wave or group must reach it together. Builder, text form, verifier, dead-code
//! elimination and interpreter read the row; what an operation computes on scalars is in `eval.rs`.

use crate::text::{AttrSource, AttrType};
use crate::ty::{Scalar, Ty};

/// Number of operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arity {
    /// Exactly this many.
    Exactly(usize),
    /// Checked by the verifier's arm for the operation.
    Any,
}

/// How the result types follow from the operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultRule {
    /// No result.
    None,
    /// The type of operand `n`.
    Operand(usize),
    /// Always this type.
    Always(Ty),
    /// The element type of operand 0.
    Elem,
    /// Given by whoever builds the operation; the verifier checks that it is possible.
    Given,
}

/// What an operation does besides computing its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing: may be removed, moved and merged.
    Pure,
    /// Reads memory: may be removed when unused, not moved over writes.
    Read,
    /// Writes memory or orders it.
    Write,
    /// Decides which operations run.
    Control,
}

/// Which lanes must reach an operation together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Convergent {
    /// Any lane may.
    No,
    /// All lanes of the wave.
    Wave,
    /// All lanes of the workgroup.
    Group,
}

/// An operation's row.
#[derive(Clone, Copy, Debug)]
pub struct OpRow {
    /// Name in the text form.
    pub name: &'static str,
    /// Number of operands.
    pub arity: Arity,
    /// Result rule.
    pub result: ResultRule,
    /// Effect.
    pub effect: Effect,
    /// Convergence.
    pub convergent: Convergent,
}

/// Comparison predicate. Floats: ordered (false on NaN) but for `Ne`, which is true on NaN, as in Rust.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pred {
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

impl Pred {
    /// The predicate that is true of integers when this one is not.
    pub fn negated(self) -> Pred {
        match self {
            Pred::Eq => Pred::Ne,
            Pred::Ne => Pred::Eq,
            Pred::Lt => Pred::Ge,
            Pred::Le => Pred::Gt,
            Pred::Gt => Pred::Le,
            Pred::Ge => Pred::Lt,
        }
    }

    /// The predicate with its operands exchanged.
    pub fn swapped(self) -> Pred {
        match self {
            Pred::Eq | Pred::Ne => self,
            Pred::Lt => Pred::Gt,
            Pred::Le => Pred::Ge,
            Pred::Gt => Pred::Lt,
            Pred::Ge => Pred::Le,
        }
    }
}

/// What an atomic or a reduction does with its two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rmw {
    /// Sum, wrapping for integers.
    Add,
    /// Minimum.
    Min,
    /// Maximum.
    Max,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Replace (atomics only).
    Swap,
}

/// Who must see an atomic operation or a fence happen at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// The waves of the workgroup.
    Group,
    /// All waves on the device.
    Device,
}

/// What a fence keeps in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// What comes after the fence happens after the atomic reads before it, and sees what was released there.
    Acquire,
    /// What comes before the fence happens before the atomic writes after it.
    Release,
    /// Both.
    AcqRel,
}

impl Order {
    /// Does it keep what comes after it behind what comes before?
    pub fn acquires(self) -> bool {
        self != Order::Release
    }

    /// Is what came before it over for whoever sees a later atomic?
    pub fn releases(self) -> bool {
        self != Order::Acquire
    }
}

/// Number of dimensions of the grid.
pub const AXES: u32 = 3;

/// One allocation of LDS, by index into [`crate::Func::lds`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LdsId(pub u32);

/// An LDS byte offset that lies in no workgroup's LDS (64 KiB at most): accesses from there on read 0 and write nothing.
///
/// Source: RDNA3 ISA manual, LDS out-of-range rules. UNVERIFIED(hw): that a workgroup with less than 64 KiB is checked against
/// its own size; an offset this large is outside for any.
pub const LDS_OUTSIDE: u32 = 0x1_0000;

/// What is known of the place of a fetched tile in its matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Inside {
    /// Nothing.
    #[default]
    Unknown,
    /// Its first row and all its columns are inside, the columns begin and end with whole chunks, and the matrix has less than
    /// [`CHUNK_OUTSIDE`] bytes.
    Columns,
    /// The same, and all its rows are inside.
    All,
}

/// A byte offset that lies in no view that [`OpKind::LoadChunk`] reads.
pub const CHUNK_OUTSIDE: u32 = 1 << 31;

/// Hints on a `for`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct LoopHints {
    /// `#[unroll]`: replace the loop by its iterations; its bounds must be compile-time numbers.
    pub unroll: bool,
    /// `#[pipeline(stages = N)]`: number of LDS buffers per tile; 0 = not asked for.
    pub stages: u32,
    /// An iteration goes through all buffers of its tiles, so that a slot is the same buffer in each (see `pipeline_lds`).
    pub turns: bool,
}

macro_rules! ops {
    ($( $(#[$doc:meta])* $name:ident $( { $($f:ident : $t:ty),* } )? = $text:literal, $arity:expr, $result:expr, $effect:ident, $conv:ident; )*) => {
        /// An operation with its compile-time attributes. Operands are in [`crate::Op::args`].
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)] // the attributes are explained in the doc comment of each operation
        pub enum OpKind { $( $(#[$doc])* $name $( { $($f : $t),* } )? ),* }

        impl OpKind {
            /// The operation's row.
            pub fn row(&self) -> &'static OpRow {
                use Arity::*;
                match self {
                    $( OpKind::$name { .. } => {
                        const ROW: OpRow = OpRow {
                            name: $text, arity: $arity, result: $result,
                            effect: Effect::$effect, convergent: Convergent::$conv,
                        };
                        &ROW
                    } )*
                }
            }

            /// The attributes as the text form writes them, in order; those with their usual value are left out.
            pub(crate) fn attrs(&self) -> Vec<String> {
                match self {
                    $( OpKind::$name { $($($f),*)? } => {
                        let all: Vec<Option<String>> = vec![ $($( $f.print(stringify!($f)) ),*)? ];
                        all.into_iter().flatten().collect()
                    } )*
                }
            }

            /// The operation with a name and attributes from the text form; `None`: no such name; `Err`: the attribute missing.
            #[allow(unused_variables)] // most operations have no attributes
            pub(crate) fn from_text(name: &str, source: &mut dyn AttrSource) -> Result<Option<OpKind>, &'static str> {
                Ok(Some(match name {
                    $( $text => OpKind::$name { $($( $f: AttrType::take(stringify!($f), source)? ),*)? }, )*
                    _ => return Ok(None),
                }))
            }
        }
    };
}

const SAME: ResultRule = ResultRule::Operand(0);
const BOOL: ResultRule = ResultRule::Always(Ty::BOOL);
const U32: ResultRule = ResultRule::Always(Ty::U32);
const NONE: ResultRule = ResultRule::None;
const GIVEN: ResultRule = ResultRule::Given;

#[rustfmt::skip]
ops! {
    // ---- constants -------------------------------------------------------------------------------------------------
    /// A scalar constant: its bits in the low end of `bits`.
    Const { ty: Scalar, bits: u64 } = "const", Exactly(0), GIVEN, Pure, No;

    // ---- scalar arithmetic: both operands of the same scalar type ---------------------------------------------------
    /// `a + b`: wrapping for integers, IEEE round-to-nearest-even for floats (as for all arithmetic below).
    Add = "add", Exactly(2), SAME, Pure, No;
    /// `a - b`.
    Sub = "sub", Exactly(2), SAME, Pure, No;
    /// `a * b`.
    Mul = "mul", Exactly(2), SAME, Pure, No;
    /// `a / b`: correctly rounded; integers: `x / 0` is all ones, `MIN / -1` is `MIN`.
    Div = "div", Exactly(2), SAME, Pure, No;
    /// `a % b` with the sign of `a`; integers: `x % 0` is `x`, `MIN % -1` is 0; floats: exact, as Rust's `%`.
    Rem = "rem", Exactly(2), SAME, Pure, No;
    /// `-a`.
    Neg = "neg", Exactly(1), SAME, Pure, No;
    /// `a & b`, integers and `bool`.
    And = "and", Exactly(2), SAME, Pure, No;
    /// `a | b`, integers and `bool`.
    Or = "or", Exactly(2), SAME, Pure, No;
    /// `a ^ b`, integers and `bool`.
    Xor = "xor", Exactly(2), SAME, Pure, No;
    /// `!a`, integers and `bool`.
    Not = "not", Exactly(1), SAME, Pure, No;
    /// `a << (b mod bits)`; `b` is a `u32`.
    Shl = "shl", Exactly(2), SAME, Pure, No;
    /// `a >> (b mod bits)`, arithmetic for signed types; `b` is a `u32`.
    Shr = "shr", Exactly(2), SAME, Pure, No;
    /// Smaller of two; floats: the other one if one is NaN, `-0 < +0`.
    Min = "min", Exactly(2), SAME, Pure, No;
    /// Larger of two; floats: the other one if one is NaN, `-0 < +0`.
    Max = "max", Exactly(2), SAME, Pure, No;
    /// Absolute value; integers: `MIN` stays `MIN`.
    Abs = "abs", Exactly(1), SAME, Pure, No;
    /// `a * b + c`, rounded once; floats.
    MulAdd = "mul_add", Exactly(3), SAME, Pure, No;
    /// Square root, correctly rounded.
    Sqrt = "sqrt", Exactly(1), SAME, Pure, No;
    /// `e^a`; f32 within 2 ulp.
    Exp = "exp", Exactly(1), SAME, Pure, No;
    /// `2^a`; f32 within 2 ulp.
    Exp2 = "exp2", Exactly(1), SAME, Pure, No;
    /// Natural logarithm; f32 within 3 ulp.
    Ln = "ln", Exactly(1), SAME, Pure, No;
    /// Base-2 logarithm; f32 within 2 ulp.
    Log2 = "log2", Exactly(1), SAME, Pure, No;
    /// Sine (radians); absolute error ≤ 2^-20 for |a| ≤ 256.
    Sin = "sin", Exactly(1), SAME, Pure, No;
    /// Cosine (radians); absolute error ≤ 2^-20 for |a| ≤ 256.
    Cos = "cos", Exactly(1), SAME, Pure, No;
    /// Round down.
    Floor = "floor", Exactly(1), SAME, Pure, No;
    /// Round up.
    Ceil = "ceil", Exactly(1), SAME, Pure, No;
    /// Round towards zero.
    Trunc = "trunc", Exactly(1), SAME, Pure, No;
    /// Round to nearest, ties to even.
    RoundEven = "round_even", Exactly(1), SAME, Pure, No;
    /// Number of one bits, as `u32`.
    CountOnes = "count_ones", Exactly(1), U32, Pure, No;
    /// Number of zero bits above the highest one bit, as `u32`; the width for 0.
    LeadingZeros = "leading_zeros", Exactly(1), U32, Pure, No;
    /// Number of zero bits below the lowest one bit, as `u32`; the width for 0.
    TrailingZeros = "trailing_zeros", Exactly(1), U32, Pure, No;
    /// Bits in reverse order.
    ReverseBits = "reverse_bits", Exactly(1), SAME, Pure, No;
    /// Comparison.
    Cmp { pred: Pred } = "cmp", Exactly(2), BOOL, Pure, No;
    /// `if c { a } else { b }` on values: operands `c: bool, a, b`; any type for a and b.
    Select = "select", Exactly(3), ResultRule::Operand(1), Pure, No;
    /// Rust's `as` (saturating float → integer, NaN → 0) and conversions between float types (round to nearest even).
    Cast = "cast", Exactly(1), GIVEN, Pure, No;
    /// Same bits, other type of the same width.
    Bitcast = "bitcast", Exactly(1), GIVEN, Pure, No;

    // ---- vectors ---------------------------------------------------------------------------------------------------
    /// A vector of its operands, in order.
    VecBuild = "vec", Any, GIVEN, Pure, No;
    /// Element `index` of a vector or fragment (accumulator: register `index`).
    VecGet { index: u32 } = "vec_get", Exactly(1), ResultRule::Elem, Pure, No;

    // ---- where am I ------------------------------------------------------------------------------------------------
    /// Workgroup index along `axis` (0 = x).
    GroupId { axis: u32 } = "group_id", Exactly(0), U32, Pure, No;
    /// Number of workgroups along `axis`.
    GroupCount { axis: u32 } = "group_count", Exactly(0), U32, Pure, No;
    /// Index of the work-item in its workgroup (one-dimensional groups).
    LocalId = "local_id", Exactly(0), U32, Pure, No;
    /// Index of the lane in its wave: 0…31.
    LaneId = "lane_id", Exactly(0), U32, Pure, No;
    /// Index of the wave in its workgroup; the same for all lanes of a wave.
    WaveId = "wave_id", Exactly(0), U32, Pure, No;

    // ---- global memory ---------------------------------------------------------------------------------------------
    /// Length of a view in elements.
    BufferLen = "len", Exactly(1), U32, Pure, No;
    /// `view buf, offset, len`: the part of a view from element `offset` (a `u64`) on, `len: u32` elements long. The caller has
    /// made sure that it lies inside `buf` or that `len` is 0.
    View = "view", Exactly(3), SAME, Pure, No;
    /// `load buf, index`: element `index: u32` of a view, or a vector of consecutive elements from there. Elements at or past the
    /// length read as 0 (a vector: each element on its own).
    Load = "load", Exactly(2), GIVEN, Read, No;
    /// `load_chunk buf, lane, wave` → the vector at byte `lane + wave + base` of a view of less than [`CHUNK_OUTSIDE`] bytes, in which
    /// it lies as a whole; where `lane` is [`CHUNK_OUTSIDE`] or more it is zeros. `lane`, `wave`: `u32` below that otherwise, whole
    /// dwords; `wave` is the same for the wave. The caller has made sure of all that.
    LoadChunk { base: u32 } = "load_chunk", Exactly(3), GIVEN, Read, No;
    /// `store buf, index, value`: scalar or vector. Elements at or past the length are not written.
    Store = "store", Exactly(3), NONE, Write, No;
    /// `atomic buf, index, value` → the old value (0 past the end). It orders nothing but itself: an order is a [`OpKind::Fence`]
    /// before it (release) or behind it (acquire).
    Atomic { op: Rmw, scope: Scope } = "atomic", Exactly(3), ResultRule::Elem, Write, No;
    /// `atomic_load buf, index` → the value (0 past the end), as atomics of others leave it.
    AtomicLoad { scope: Scope } = "atomic_load", Exactly(2), ResultRule::Elem, Write, No;
    /// Orders the memory accesses of the wave, of global memory and LDS alike, around it.
    Fence { order: Order, scope: Scope } = "fence", Exactly(0), NONE, Write, No;

    // ---- LDS -------------------------------------------------------------------------------------------------------
    /// `lds_load offset`: a scalar or vector at byte `offset: u32` + `base` of an allocation. `slot`: which of the allocation's
    /// pipeline buffers, counted from the current iteration's (see `place_barriers`); 0 without pipelining.
    /// At or past [`LDS_OUTSIDE`] it reads 0, and `lds_store` and `lds_atomic` write nothing; else it must lie in the allocation.
    LdsLoad { lds: LdsId, base: u32, slot: u32 } = "lds_load", Exactly(1), GIVEN, Read, No;
    /// `lds_store offset, value`.
    LdsStore { lds: LdsId, base: u32, slot: u32 } = "lds_store", Exactly(2), NONE, Write, No;
    /// `lds_atomic offset, value` → the old value.
    LdsAtomic { lds: LdsId, base: u32, op: Rmw } = "lds_atomic", Exactly(2), ResultRule::Operand(1), Write, No;
    /// `lds_atomic_load offset` → the value, as atomics of others leave it.
    LdsAtomicLoad { lds: LdsId, base: u32 } = "lds_atomic_load", Exactly(1), GIVEN, Write, No;
    /// Every wave of the group arrives before any goes on; LDS and global writes before it are visible to the group after it.
    Barrier = "barrier", Exactly(0), NONE, Write, Group;

    // ---- checks ----------------------------------------------------------------------------------------------------
    /// `check ok, index, len`: the lanes whose `ok: bool` is false are out of range with `index: u32` at place `site` of
    /// [`crate::Func::sites`]: the first of them in the launch is reported (see [`crate::check`]), and the wave ends with all its
    /// lanes. The other waves of the group go on, at barriers too. In lanes that go on, `ok` is true from here on.
    Check { site: u32 } = "check", Exactly(3), NONE, Write, No;

    // ---- wave ------------------------------------------------------------------------------------------------------
    /// Reduction over all lanes of the wave, in a fixed order (butterfly: lane xor 1, 2, 4, 8, 16); the same value in every lane.
    WaveReduce { op: Rmw } = "wave_reduce", Exactly(1), SAME, Pure, Wave;
    /// Inclusive prefix reduction over the lanes, in steps: for d = 1, 2, 4, 8, 16, lane l ≥ d becomes lane (l − d) op lane l.
    WaveScan { op: Rmw } = "wave_scan", Exactly(1), SAME, Pure, Wave;
    /// `wave_shuffle value, lane`: the value held by lane `lane mod 32`.
    WaveShuffle = "wave_shuffle", Exactly(2), SAME, Pure, Wave;
    /// The value held by lane `own xor mask`.
    WaveShuffleXor { mask: u32 } = "wave_shuffle_xor", Exactly(1), SAME, Pure, Wave;
    /// Bit `l` of the result is lane `l`'s operand.
    WaveBallot = "wave_ballot", Exactly(1), U32, Pure, Wave;
    /// `wave_broadcast value, lane`: like a shuffle with a lane number that is the same for the whole wave.
    WaveBroadcast = "wave_broadcast", Exactly(2), SAME, Pure, Wave;
    /// `wave_perm x, pick`: four bytes out of `x: u32` (0 to 3) and the `x` of lane `own xor mask` (4 to 7), mask < 16: byte i of
    /// `pick: u32`, each below 8, names the one that becomes byte i.
    WavePerm { mask: u32 } = "wave_perm", Exactly(2), U32, Pure, Wave;

    // ---- fragments -------------------------------------------------------------------------------------------------
    /// A fragment with one value in every element (operand 0: scalar of the element type).
    FragSplat = "frag_splat", Exactly(1), GIVEN, Pure, Wave;
    /// `wmma a, b, c`: c + a·bᵀ on 16×16 blocks.
    Wmma = "wmma", Exactly(3), ResultRule::Operand(2), Pure, Wave;
    /// `lds_frag_load offset`: an input fragment: each lane reads its 16 consecutive elements at byte `offset: u32` + `base`; with two
    /// offsets, 8 at each.
    LdsFragLoad { lds: LdsId, base: u32, slot: u32 } = "lds_frag_load", Any, GIVEN, Read, Wave;

    // ---- tiles: gone after lower_tiles -----------------------------------------------------------------------------
    /// `tile_load buf, rows, cols, stride, row, col` → LdsTile: the block of the matrix at (row, col) in LDS, outside filled with 0.
    /// `transposed` (of 16-bit elements): element (r, c) of the tile is that of the matrix at (row + c, col + r).
    TileLoad { transposed: bool } = "tile_load", Exactly(6), GIVEN, Read, Group;
    /// Same operands → Staged: the block in registers, shared out over the group.
    TileFetch { inside: Inside, transposed: bool } = "tile_fetch", Exactly(6), GIVEN, Read, Group;
    /// `tile_commit staged, offset`: writes a staged tile to LDS at byte `offset: u32` of an allocation → LdsTile.
    TileCommit { lds: LdsId, slot: u32 } = "tile_commit", Exactly(2), GIVEN, Write, Group;
    /// `tile_at offset`: names the tile at byte `offset` of an allocation (committed by an earlier iteration) → LdsTile.
    TileAt { lds: LdsId, slot: u32 } = "tile_at", Exactly(1), GIVEN, Pure, No;
    /// `tile_frag tile, block, k`: input fragment of rows `16·block …`, columns `k … k+16`; `block`, `k`: u32, the same for the wave.
    TileFrag = "tile_frag", Exactly(3), GIVEN, Read, Wave;
    /// `tile_store buf, rows, cols, stride, row, col, frag`: writes an accumulator fragment at (row, col), masked at the borders;
    /// elements are converted to the matrix's type as by `cast`.
    TileStore = "tile_store", Exactly(7), NONE, Write, Wave;

    // ---- control: regions are single blocks ------------------------------------------------------------------------
    /// `if cond`: regions then, else, each ending in `yield`; results = what the taken region yields.
    If = "if", Exactly(1), GIVEN, Control, No;
    /// `for lo, hi, step, init…`: region `(i, carried…)` ending in `yield next…`; i: u32 or i32 like its bounds, from lo while i < hi; step > 0
    /// (a step of 0 is a Diag when constant, else treated as "no iterations"); i never wraps. Results = the carried values at the end.
    For { hints: LoopHints } = "for", Any, GIVEN, Control, No;
    /// `while init…`: region 0 `(carried…)` ends in `condition c, passed…`; region 1 `(passed…)` ends in `yield next…`. Results = passed values
    /// when c is false. Carried and passed types are equal.
    While = "while", Any, GIVEN, Control, No;
    /// Ends a region with the values it hands on.
    Yield = "yield", Any, NONE, Control, No;
    /// Ends the first region of a `while`: operand 0 is the condition.
    Condition = "condition", Any, NONE, Control, No;
}

impl OpKind {
    /// May the two operands change places? Of floats, too, all NaNs counting as one.
    pub fn is_commutative(&self) -> bool {
        use OpKind::{Add, And, Max, Min, Mul, Or, Xor};
        matches!(self, Add | Mul | And | Or | Xor | Min | Max)
    }
}
