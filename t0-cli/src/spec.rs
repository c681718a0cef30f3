//! Kernel arguments on the command line.
//!
//! `u32:7`, `f32:0.5` … pass a value; `hex:00ff…` the bytes of a structure; `in:X.npy` a buffer with the array's bytes; `out:Y.npy:f32:64x64[:FILL]` a buffer
//! whose bytes are written to a file after the run; `inout:X.npy:Y.npy` both. FILL is what an output buffer holds
//! before the run: a number, `nan`, or `poison` (the default): all bits set, which is NaN in every float type and -1 in
//! the signed integers, so an element that was never written shows.

use half::{bf16, f16};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// An element type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Elem {
    F16,
    Bf16,
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
}

/// Name, type and NumPy descriptor. NumPy has no bf16: its bits travel as unsigned 16-bit integers.
const ELEMS: [(&str, Elem, &str); 12] = [
    ("f16", Elem::F16, "<f2"),
    ("bf16", Elem::Bf16, "<u2"),
    ("f32", Elem::F32, "<f4"),
    ("f64", Elem::F64, "<f8"),
    ("i8", Elem::I8, "|i1"),
    ("i16", Elem::I16, "<i2"),
    ("i32", Elem::I32, "<i4"),
    ("i64", Elem::I64, "<i8"),
    ("u8", Elem::U8, "|u1"),
    ("u16", Elem::U16, "<u2"),
    ("u32", Elem::U32, "<u4"),
    ("u64", Elem::U64, "<u8"),
];

impl Elem {
    /// The type of this name.
    pub fn from_name(name: &str) -> Option<Elem> {
        ELEMS.iter().find(|e| e.0 == name).map(|e| e.1)
    }

    fn entry(self) -> &'static (&'static str, Elem, &'static str) {
        ELEMS.iter().find(|e| e.1 == self).unwrap_or(&ELEMS[0])
    }

    /// Its NumPy descriptor.
    pub fn descriptor(self) -> &'static str {
        self.entry().2
    }

    /// NumPy's name of a descriptor: `<f4` is `float32`. One that no type here has stays as it is.
    pub fn dtype_of(descriptor: &str) -> String {
        let known = descriptor.trim_start_matches(['<', '|', '=']);
        let (kind, bytes) = known.split_at(known.len().min(1));
        let kind = match kind {
            "f" => "float",
            "i" => "int",
            "u" => "uint",
            "b" => return "bool".to_owned(),
            _ => return descriptor.to_owned(),
        };
        bytes
            .parse::<u32>()
            .map_or(descriptor.to_owned(), |b| format!("{kind}{}", b * 8))
    }

    /// The bytes of a number of this type.
    ///
    /// Errors: not a number, or one the type does not hold.
    pub fn parse(self, text: &str) -> Result<Vec<u8>, SpecError> {
        let wrong = || SpecError::Number {
            text: text.to_owned(),
            elem: self,
        };
        let beyond = |holds: String| SpecError::Range {
            text: text.to_owned(),
            elem: self,
            holds,
        };
        macro_rules! int {
            ($t:ty) => {
                <$t>::try_from(integer(text).ok_or_else(wrong)?)
                    .map_err(|_| beyond(format!("{} to {}", <$t>::MIN, <$t>::MAX)))?
                    .to_le_bytes()
                    .to_vec()
            };
        }
        macro_rules! float {
            ($value:expr, $most:expr) => {{
                let value = $value;
                if value.is_infinite() && !says_infinity(text) {
                    return Err(beyond(format!(
                        "finite numbers up to {:e}; write inf for infinity",
                        $most
                    )));
                }
                value.to_le_bytes().to_vec()
            }};
        }
        let float = || text.parse::<f64>().map_err(|_| wrong());
        Ok(match self {
            Elem::F16 => float!(f16::from_f64(float()?), f16::MAX.to_f32()),
            Elem::Bf16 => float!(bf16::from_f64(float()?), bf16::MAX.to_f32()),
            // Parsed as f32, not rounded twice.
            Elem::F32 => float!(text.parse::<f32>().map_err(|_| wrong())?, f32::MAX),
            Elem::F64 => float!(float()?, f64::MAX),
            Elem::I8 => int!(i8),
            Elem::I16 => int!(i16),
            Elem::I32 => int!(i32),
            Elem::I64 => int!(i64),
            Elem::U8 => int!(u8),
            Elem::U16 => int!(u16),
            Elem::U32 => int!(u32),
            Elem::U64 => int!(u64),
        })
    }

    /// Whether its numbers are integers.
    pub fn is_int(self) -> bool {
        !matches!(self, Elem::F16 | Elem::Bf16 | Elem::F32 | Elem::F64)
    }

    /// Bytes of an element.
    pub fn size(self) -> usize {
        match self {
            Elem::I8 | Elem::U8 => 1,
            Elem::F16 | Elem::Bf16 | Elem::I16 | Elem::U16 => 2,
            Elem::F32 | Elem::I32 | Elem::U32 => 4,
            Elem::F64 | Elem::I64 | Elem::U64 => 8,
        }
    }
}

impl fmt::Display for Elem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.entry().0)
    }
}

/// Infinity in words, not a number too large for its type.
fn says_infinity(text: &str) -> bool {
    let word = text.trim_start_matches(['+', '-']).to_ascii_lowercase();
    matches!(word.as_str(), "inf" | "infinity")
}

/// A decimal or `0x` hexadecimal integer.
fn integer(text: &str) -> Option<i128> {
    match text.strip_prefix("0x") {
        Some(hex) => i128::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

/// What an argument passes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spec {
    /// A value: its type and bytes.
    Value(Elem, Vec<u8>),
    /// A value's bytes as they are, whatever its type.
    Bytes(Vec<u8>),
    /// A buffer with the bytes of an array.
    In(PathBuf),
    /// A buffer whose bytes go to a file.
    Out {
        /// The file.
        path: PathBuf,
        /// Its element type.
        elem: Elem,
        /// Its dimensions.
        shape: Vec<u64>,
        /// The bytes of one element before the run.
        fill: Vec<u8>,
        /// They stand for undefined contents.
        poison: bool,
    },
    /// A buffer with the bytes of an array that go to a file after the run.
    InOut {
        /// The array.
        input: PathBuf,
        /// The file.
        output: PathBuf,
    },
}

/// Why an argument makes no sense.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// Nothing that is known.
    #[error("`{0}` is no argument; write u32:7, i32:-1, u64:7, f32:0.5, hex:00ff, in:X.npy, out:Y.npy:f32:64x64[:FILL] or inout:X.npy:Y.npy")]
    Form(String),
    /// More than two parts.
    #[error("`{0}` can be read in more than one way; use files without a colon in their names")]
    Colon(String),
    /// A number beyond its type.
    #[error("`{text}` is out of range for {elem}, which holds {holds}")]
    Range {
        /// What was written.
        text: String,
        /// What was wanted.
        elem: Elem,
        /// The numbers it has.
        holds: String,
    },
    /// A number that is none.
    #[error("`{text}` is no {elem}")]
    Number {
        /// What was written.
        text: String,
        /// What was wanted.
        elem: Elem,
    },
    /// Bytes that are none.
    #[error(
        "`{0}` is no list of bytes; write two hexadecimal digits for each byte in memory order, for example hex:00ff"
    )]
    Hex(String),
    /// An output without type and shape.
    #[error("`{0}` does not say what to write; add type and shape, for example out:Y.npy:f32:64x64")]
    Out(String),
    /// An array for standard output.
    #[error(
        "`{0}` would write an array to standard output, where the report goes; name a file (`./-` is one called `-`)"
    )]
    Stdout(String),
    /// More bytes than can be.
    #[error("shape {0} is too large")]
    Shape(String),
    /// A shape that may be meant as a hexadecimal number.
    #[error("shape `{0}` looks hexadecimal; shapes are decimal numbers with x between them, such as 1024 or 64x64 (a first dimension of 0 is written 00)")]
    Hexadecimal(String),
}

impl Spec {
    /// The file it reads before the run.
    pub fn input_path(&self) -> Option<&Path> {
        match self {
            Spec::In(path) | Spec::InOut { input: path, .. } => Some(path),
            Spec::Value(..) | Spec::Bytes(_) | Spec::Out { .. } => None,
        }
    }

    /// The file it writes after the run.
    pub fn output_path(&self) -> Option<&Path> {
        match self {
            Spec::Out { path, .. } | Spec::InOut { output: path, .. } => Some(path),
            Spec::Value(..) | Spec::Bytes(_) | Spec::In(_) => None,
        }
    }
}

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(s: &str) -> Result<Spec, SpecError> {
        let spec = Spec::read(s)?;
        match spec.output_path() {
            Some(path) if path == Path::new("-") => Err(SpecError::Stdout(s.to_owned())),
            _ => Ok(spec),
        }
    }
}

impl Spec {
    fn read(s: &str) -> Result<Spec, SpecError> {
        let form = || SpecError::Form(s.to_owned());
        let (kind, rest) = s.split_once(':').ok_or_else(form)?;
        if rest.is_empty() {
            return Err(form());
        }
        match kind {
            "in" => Ok(Spec::In(rest.into())),
            "hex" => hex_bytes(rest)
                .map(Spec::Bytes)
                .ok_or_else(|| SpecError::Hex(rest.to_owned())),
            "out" => parse_out(s, rest),
            "inout" => {
                let (input, output) = rest.split_once(':').ok_or_else(form)?;
                if input.is_empty() || output.is_empty() {
                    return Err(form());
                }
                if output.contains(':') {
                    return Err(SpecError::Colon(s.to_owned()));
                }
                Ok(Spec::InOut {
                    input: input.into(),
                    output: output.into(),
                })
            }
            _ => {
                let elem = Elem::from_name(kind).ok_or_else(form)?;
                Ok(Spec::Value(elem, elem.parse(rest)?))
            }
        }
    }
}

/// Pairs of hexadecimal digits.
fn hex_bytes(digits: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = digits
        .chars()
        .map(|c| c.to_digit(16).map(|d| d as u8))
        .collect::<Option<_>>()?;
    (digits.len() % 2 == 0).then(|| digits.chunks(2).map(|p| p[0] << 4 | p[1]).collect())
}

/// `PATH:TYPE:SHAPE[:FILL]`, read from the right so that the path may contain colons.
fn parse_out(whole: &str, rest: &str) -> Result<Spec, SpecError> {
    let parts: Vec<&str> = rest.split(':').collect();
    let n = parts.len();
    let typed = |at: usize| parts.get(at).and_then(|name| Elem::from_name(name)).map(|e| (at, e));
    // TYPE is second from the right without FILL, third with it.
    let found = n
        .checked_sub(2)
        .and_then(typed)
        .or_else(|| n.checked_sub(3).and_then(typed));
    let (at, elem) = found
        .filter(|&(at, _)| at > 0 && parts[..at].iter().any(|p| !p.is_empty()))
        .ok_or_else(|| SpecError::Out(whole.to_owned()))?;
    if parts[at + 1].starts_with("0x") || parts[at + 1].starts_with("0X") {
        return Err(SpecError::Hexadecimal(parts[at + 1].to_owned()));
    }
    let shape: Vec<u64> = parts[at + 1]
        .split('x')
        .map(str::parse)
        .collect::<Result<_, _>>()
        .map_err(|_| SpecError::Out(whole.to_owned()))?;
    let bytes = shape.iter().try_fold(elem.size() as u64, |n, &d| n.checked_mul(d));
    if bytes.is_none_or(|b| b > isize::MAX as u64) {
        return Err(SpecError::Shape(parts[at + 1].to_owned()));
    }
    let (fill, poison) = match parts.get(at + 2) {
        None | Some(&"poison") => (vec![0xff; elem.size()], true),
        Some(number) => (elem.parse(number)?, false),
    };
    Ok(Spec::Out {
        path: parts[..at].join(":").into(),
        elem,
        shape,
        fill,
        poison,
    })
}

/// Bytes of LDS.
///
/// Errors: no number, a negative one.
pub fn parse_bytes(s: &str) -> Result<u32, String> {
    s.parse()
        .map_err(|_| format!("`{s}` is no number of bytes; write a decimal number from 0 up, such as 4096"))
}

/// A workgroup as [`parse_dims`] reads it.
///
/// Errors: not one to three numbers, no work-item.
pub fn parse_block(s: &str) -> Result<[u32; 3], String> {
    let dims = parse_dims(s)?;
    if dims.contains(&0) {
        return Err("a workgroup has at least one work-item in each dimension".to_owned());
    }
    Ok(dims)
}

/// `X[,Y,Z]`: counts in up to three dimensions, missing ones are 1.
///
/// Errors: not one to three numbers below 2^32.
pub fn parse_dims(s: &str) -> Result<[u32; 3], String> {
    let mut dims = [1; 3];
    let parts: Vec<&str> = s.split(',').collect();
    if parts.len() > 3 {
        return Err("there are at most three dimensions".to_owned());
    }
    for (d, part) in dims.iter_mut().zip(parts) {
        *d = part.trim().parse().map_err(|_| {
            format!(
                "`{part}` is no count; write X, X,Y or X,Y,Z with numbers from 0 to {}",
                u32::MAX
            )
        })?;
    }
    Ok(dims)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn value(s: &str) -> Vec<u8> {
        match s.parse() {
            Ok(Spec::Value(_, v) | Spec::Bytes(v)) => v,
            other => panic!("{s}: {other:?}"),
        }
    }

    #[test]
    fn values_have_their_types_bytes() {
        assert_eq!(value("u32:7"), 7u32.to_le_bytes());
        assert_eq!(value("i32:-1"), [0xff; 4]);
        assert_eq!(value("u64:0xffffffffffffffff"), [0xff; 8]);
        assert_eq!(value("f32:0.1"), 0.1f32.to_le_bytes());
        assert_eq!(value("f64:-inf"), f64::NEG_INFINITY.to_le_bytes());
        assert_eq!(value("bf16:1"), [0x80, 0x3f]);
        assert_eq!(value("f16:1"), [0x00, 0x3c]);
        assert_eq!(value("u8:255"), [255]);
        assert_eq!(value("hex:00fF1a"), [0, 255, 0x1a]);
    }

    #[test]
    fn buffers() {
        assert_eq!("in:a.npy".parse(), Ok(Spec::In("a.npy".into())));
        let out = |path: &str, elem, shape: &[u64], fill: &[u8]| {
            Ok(Spec::Out {
                path: path.into(),
                elem,
                shape: shape.to_vec(),
                fill: fill.to_vec(),
                poison: fill.iter().all(|&b| b == 0xff),
            })
        };
        assert_eq!(
            "out:y.npy:f32:64x32".parse(),
            out("y.npy", Elem::F32, &[64, 32], &[0xff; 4])
        );
        assert_eq!("out:y.npy:i32:64:0".parse(), out("y.npy", Elem::I32, &[64], &[0; 4]));
        assert_eq!(
            "out:y.npy:f16:5:nan".parse(),
            out("y.npy", Elem::F16, &[5], &[0x00, 0x7e])
        );
        assert_eq!(
            "out:C:/y.npy:u8:00x3:poison".parse(),
            out("C:/y.npy", Elem::U8, &[0, 3], &[0xff])
        );
        let inout = Spec::InOut {
            input: "a.npy".into(),
            output: "b.npy".into(),
        };
        assert_eq!("inout:a.npy:b.npy".parse(), Ok(inout));
    }

    #[test]
    fn nonsense_is_refused() {
        for s in [
            "",
            "7",
            "u32",
            "u32:",
            "u32:-1",
            "u32:4294967296",
            "i8:128",
            "f32:x",
            "x:1",
            "in:",
            "inout:a",
            "hex:0",
            "hex:0g",
            "hex:é",
        ] {
            assert!(s.parse::<Spec>().is_err(), "{s}");
        }
        for s in [
            "out:y.npy",
            "out:y.npy:f32",
            "out:f32:64",
            "out:y.npy:f32:64x",
            "out:y.npy:f32:axb",
        ] {
            assert!(matches!(s.parse::<Spec>(), Err(SpecError::Out(_))), "{s}");
        }
        for s in ["0x400", "0X400", "0x3", "0x"] {
            let e = format!("out:y.npy:f32:{s}").parse::<Spec>().unwrap_err();
            assert_eq!(e, SpecError::Hexadecimal(s.to_owned()));
        }
        for s in ["out:-:f32:64", "inout:a.npy:-"] {
            assert!(matches!(s.parse::<Spec>(), Err(SpecError::Stdout(_))), "{s}");
        }
        assert!("out:./-:f32:64".parse::<Spec>().is_ok());
        let huge = "out:y.npy:f32:4294967296x4294967296";
        assert!(matches!(huge.parse::<Spec>(), Err(SpecError::Shape(_))));
    }

    #[test]
    fn numbers_beyond_their_type_are_refused() {
        for s in [
            "f16:65520",
            "f16:-1e5",
            "bf16:3.4e38",
            "f32:1e60",
            "f32:-1e60",
            "f64:1e400",
            "u8:256",
            "u32:-1",
            "i8:-129",
            "i64:0x8000000000000000",
        ] {
            let e = s.parse::<Spec>().unwrap_err();
            assert!(matches!(e, SpecError::Range { .. }), "{s}: {e}");
        }
        let e = "f32:1e60".parse::<Spec>().unwrap_err().to_string();
        assert_eq!(
            e,
            "`1e60` is out of range for f32, which holds finite numbers up to 3.4028235e38; write inf for infinity"
        );
        let e = "u8:256".parse::<Spec>().unwrap_err().to_string();
        assert_eq!(e, "`256` is out of range for u8, which holds 0 to 255");
        assert!("out:y.npy:f16:4:1e9".parse::<Spec>().is_err());
        // Infinity in words, and what still rounds to a number.
        assert_eq!(value("f32:-Inf"), f32::NEG_INFINITY.to_le_bytes());
        assert_eq!(value("f16:infinity"), [0x00, 0x7c]);
        assert_eq!(value("f16:65519"), [0xff, 0x7b]);
        assert_eq!(value("f32:3.4028235e38"), f32::MAX.to_le_bytes());
    }

    #[test]
    fn dims() {
        for s in ["0", "1,0", "-1"] {
            assert!(parse_block(s).is_err(), "{s}");
        }
        assert_eq!(parse_block("8,4"), Ok([8, 4, 1]));
        assert_eq!(parse_bytes("4096"), Ok(4096));
        assert!(parse_bytes("-1").unwrap_err().contains("from 0 up"));

        assert_eq!(parse_dims("4"), Ok([4, 1, 1]));
        assert_eq!(parse_dims("4,5,6"), Ok([4, 5, 6]));
        for s in ["", "a", "1,", "1,2,3,4", "-1"] {
            assert!(parse_dims(s).is_err(), "{s}");
        }
    }
}
