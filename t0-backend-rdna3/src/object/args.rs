//! Argument metadata of t0's own kernels, from the IR's parameters.
//!
//! Problem: a slice or a matrix is one parameter in Rust and several words in the argument block. Method: one metadata
//! argument per word group, named after the parameter: `x` (address), `x.len`, `x.rows`, `x.cols`, `x.stride`, so that
//! a launcher that knows nothing of t0 sees ordinary buffers and values, and one that does can fill in the sizes.
//! Invariant: offsets are those of [`t0_ir::abi::layout`].

use super::Arg;
use t0_ir::abi::layout;
use t0_ir::{Param, ParamKind};

/// The metadata arguments of these parameters and the bytes of the argument block.
pub fn args_of(params: &[Param]) -> (Vec<Arg>, u32) {
    let (slots, bytes) = layout(params);
    let mut args = Vec::new();
    for (p, slot) in params.iter().zip(slots) {
        let (scalar, sizes): (_, &[&str]) = match p.kind {
            ParamKind::Scalar(s) => {
                args.push(Arg::by_value(&p.name, s.name(), slot.offset, s.bytes().max(4)));
                continue;
            }
            ParamKind::Slice(s, _) => (s, &["len"]),
            ParamKind::Mat(s, _) => (s, &["rows", "cols", "stride", "len"]),
        };
        args.push(Arg::buffer(&p.name, scalar.name(), slot.offset));
        for (i, size) in (0u32..).zip(sizes) {
            args.push(Arg::by_value(
                &format!("{}.{size}", p.name),
                "u32",
                slot.offset + 8 + 4 * i,
                4,
            ));
        }
    }
    (args, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use t0_ir::{Access, Scalar};

    #[test]
    fn words_have_names_and_places() {
        let p = |name: &str, kind| Param {
            name: name.into(),
            kind,
        };
        let (args, bytes) = args_of(&[
            p("a", ParamKind::Scalar(Scalar::Bf16)),
            p("x", ParamKind::Slice(Scalar::F32, Access::Read)),
            p("c", ParamKind::Mat(Scalar::F32, Access::Write)),
        ]);
        let words: Vec<String> = args
            .iter()
            .map(|a| format!("{} {} {}", a.name, a.offset, a.size))
            .collect();
        let expected = [
            "a 0 4",
            "x 8 8",
            "x.len 16 4",
            "c 24 8",
            "c.rows 32 4",
            "c.cols 36 4",
            "c.stride 40 4",
            "c.len 44 4",
        ];
        assert_eq!(words, expected);
        assert_eq!(bytes, 48);
    }
}
