//! The kernel subset: what is outside of it, each with one sentence and a way out.

use quote::ToTokens;
use syn::{Expr, Macro, Pat};

/// Methods staging knows. A name missing here is refused at the user's token instead of while staging.
pub const METHODS: &[&str] = &[
    // scalars
    "abs",
    "abs_diff",
    "ceil",
    "clamp",
    "clone",
    "copysign",
    "cos",
    "count_ones",
    "count_zeros",
    "div_ceil",
    "exp",
    "exp2",
    "floor",
    "fract",
    "is_finite",
    "is_infinite",
    "is_nan",
    "is_power_of_two",
    "leading_zeros",
    "ln",
    "log2",
    "max",
    "min",
    "mul_add",
    "recip",
    "reverse_bits",
    "rotate_left",
    "rotate_right",
    "round_ties_even",
    "saturating_add",
    "saturating_sub",
    "sin",
    "sqrt",
    "to_bits",
    "to_f32",
    "to_f64",
    "trailing_zeros",
    "trunc",
    "wrapping_abs",
    "wrapping_add",
    "wrapping_div",
    "wrapping_mul",
    "wrapping_neg",
    "wrapping_rem",
    "wrapping_shl",
    "wrapping_shr",
    "wrapping_sub",
    // views, matrices, tiles
    "cols",
    "frag",
    "frags_mut",
    "get_unchecked",
    "is_empty",
    "lanes",
    "lanes_mut",
    "len",
    "mma_nt",
    "rows",
    "store",
    "tile",
    "transposed",
    // iterators
    "copied",
    "cloned",
    "enumerate",
    "into_iter",
    "iter",
    "rev",
    "step_by",
    // atomics
    "load",
    "fetch_add",
    "fetch_and",
    "fetch_max",
    "fetch_min",
    "fetch_or",
    "fetch_xor",
    "swap",
];

/// Types of the vocabulary that take arguments: their name stands for them even where the arguments are left to inference.
pub const GENERIC_TYPES: &[&str] = &[
    "Acc", "AccFrag", "Atomic", "Frag", "Groups", "Lanes", "Lds", "Mat", "Shared", "Tile", "TileRef", "Waves",
];

/// Why an expression is outside.
pub fn expr(e: &Expr) -> String {
    let (what, way) = match e {
        Expr::Closure(_) => ("closures are", "write a `#[device]` function and call it by its name"),
        Expr::Async(_) | Expr::Await(_) => (
            "`async` and `await` are",
            "a kernel runs to its end; order work by launching kernels on a queue",
        ),
        Expr::Try(_) => ("`?` is", "test the value with `if` and `return`"),
        Expr::Let(_) => (
            "`let` in a condition is",
            "compare with `==`, or use `match` on an integer",
        ),
        Expr::TryBlock(_) | Expr::Yield(_) => ("this expression is", "use plain control flow"),
        Expr::Const(_) => ("`const` blocks are", "use a `const` item outside the kernel"),
        Expr::Infer(_) => ("`_` as a value is", "name the value"),
        Expr::RawAddr(_) => ("raw addresses are", "index the slice instead"),
        _ => (
            "this expression is",
            "use `let`, arithmetic, `if`, `for`, `while`, `match` on integers, and device functions",
        ),
    };
    format!("{what} not in the kernel subset; {way}")
}

/// Why a pattern is outside.
pub fn pat(p: &Pat) -> &'static str {
    match p {
        Pat::Struct(_) => {
            "struct patterns are not in the kernel subset; take the value apart by its fields, as in `let x = p.x;`"
        }
        Pat::TupleStruct(_) => "enums with fields are not in the kernel subset; use integers and `match` on them",
        Pat::Slice(_) => "slice patterns are not in the kernel subset; index the slice",
        Pat::Ident(i) if i.by_ref.is_some() => "`ref` is not in the kernel subset; write `&` in front of the value",
        _ => "this pattern is not in the kernel subset; use names, `_`, `&name` and tuples of them",
    }
}

/// Why a macro call is outside.
pub fn macro_call(m: &Macro) -> String {
    let name = m.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
    let way = match name.as_str() {
        "vec" | "format" => "a kernel cannot allocate; use an array, `Shared`, or a buffer from the host",
        "print" | "println" | "eprint" | "eprintln" | "dbg" => {
            "a kernel cannot print; write the value to a buffer and look at it on the host"
        }
        "assert" | "assert_eq" | "assert_ne" | "debug_assert" | "debug_assert_eq" | "debug_assert_ne" | "panic"
        | "todo" | "unimplemented" | "unreachable" => {
            "a kernel cannot stop the program; write a flag to a buffer, or check the arguments before the launch"
        }
        "matches" => "use `match` on an integer",
        _ => "write its expansion, or a `#[device]` function",
    };
    format!("`{name}!` is not in the kernel subset; {way}")
}

/// Why a method is refused.
pub fn method(name: &str) -> String {
    let way = match name {
        "powf" | "powi" | "pow" => "multiply, or use `exp2` and `log2`",
        "round" => "use `round_ties_even`, `floor` or `trunc`",
        "unwrap" | "expect" | "ok" => "there is no `Option` or `Result` on the device",
        "map" | "zip" | "sum" | "fold" | "filter" | "for_each" | "chunks" | "windows" => "write the loop with `for`",
        "push" | "to_vec" | "collect" => "a kernel cannot allocate; use an array or `Shared`",
        "get" | "get_mut" => "index with `[i]`: what is out of range reads as 0",
        "compare_exchange" | "compare_exchange_weak" | "compare_and_swap" | "fetch_update" => {
            "atomics have `load`, `store`, `swap` and `fetch_{add,min,max,and,or,xor}`; a lock is taken with \
             `while lock[0].swap(1, Acquire, Device) != 0 {}` by one lane, and given back with `lock[0].store(0, Release, Device)`"
        }
        "fetch_sub" => "use `fetch_add` of the negated value: `x[0].fetch_add(n.wrapping_neg(), Relaxed, Device)`",
        "fetch_nand" => "atomics have `load`, `store`, `swap` and `fetch_{add,min,max,and,or,xor}`",
        "log10" => "use `log2` and a factor",
        "tan" => "divide `sin` by `cos`",
        _ => "the methods of the device are listed in `t0::prelude`; a function of your own is a `#[device]` function, not a method",
    };
    format!("`{name}` is not a device method; {way}")
}

/// An early exit where staging could not guard what follows.
pub const EXIT_INSIDE: &str =
    "`return`, `break` and `continue` cannot stand inside a larger expression here; put them in a statement of their own";

/// Indexing an output with an element per lane.
pub fn lanes_index(name: &str) -> String {
    format!(
        "`{name}` has an element per lane and cannot be indexed: `for (i, v) in {name} {{ *v = … }}` gives each lane its own; \
         elements of others are read from a `&[T]`, and written and read through `&[Atomic<T>]`"
    )
}

/// Writing through a parameter that is read by all.
pub fn read_only(base: impl ToTokens) -> String {
    format!(
        "cannot assign here: `{}` is read by all; a kernel writes through `&mut Lanes`, `&mut Waves`, `&mut Groups` or `&[Atomic<T>]`",
        base.to_token_stream()
    )
}
