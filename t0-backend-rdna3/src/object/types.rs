//! Type names in the metadata of kernels.
//!
//! Problem: `.type_name` is the source's text, and tools want to know which elements a buffer holds. Method: t0's own names of
//! scalars, and OpenCL C's scalars and vectors; types that have no name here (structures, those of other languages)
//! stay unknown. Source of C's names: clang 19's `kernel_arg_type`, which writes `unsigned int` as `uint`.

/// A type with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedType {
    /// Rust's name of the scalar it is or has several of: `f32`; `bool` for t0's.
    pub scalar: &'static str,
    /// Bytes of the scalar in memory.
    pub bytes: u32,
    /// Elements of a vector, 1 for a scalar.
    pub lanes: u32,
    /// A name of t0's own, not of C's.
    pub ours: bool,
}

/// The scalars: Rust's name, bytes, OpenCL C's name (`__bf16` is clang's).
const SCALARS: [(&str, u32, Option<&str>); 13] = [
    ("i8", 1, Some("char")),
    ("u8", 1, Some("uchar")),
    ("i16", 2, Some("short")),
    ("u16", 2, Some("ushort")),
    ("i32", 4, Some("int")),
    ("u32", 4, Some("uint")),
    ("i64", 8, Some("long")),
    ("u64", 8, Some("ulong")),
    ("f16", 2, Some("half")),
    ("bf16", 2, Some("__bf16")),
    ("f32", 4, Some("float")),
    ("f64", 8, Some("double")),
    ("bool", 1, None),
];

impl NamedType {
    /// The type of this name, which is no pointer's.
    pub fn of(name: &str) -> Option<NamedType> {
        if let Some(&(scalar, bytes, _)) = SCALARS.iter().find(|s| s.0 == name) {
            return Some(NamedType {
                scalar,
                bytes,
                lanes: 1,
                ours: true,
            });
        }
        let of_c = |name: &str| SCALARS.iter().find(|s| s.2 == Some(name));
        let ((scalar, bytes, _), lanes) = match of_c(name) {
            Some(s) => (*s, 1),
            None => {
                let element = name.trim_end_matches(|c: char| c.is_ascii_digit());
                let lanes = match &name[element.len()..] {
                    digits @ ("2" | "3" | "4" | "8" | "16") => digits.parse().ok()?,
                    _ => return None,
                };
                (*of_c(element).filter(|s| s.2 != Some("__bf16"))?, lanes)
            }
        };
        Some(NamedType {
            scalar,
            bytes,
            lanes,
            ours: false,
        })
    }

    /// What a pointer in C points to, `float*`.
    pub fn behind(pointer: &str) -> Option<NamedType> {
        NamedType::of(pointer.strip_suffix('*')?).filter(|t| !t.ours)
    }

    /// Bytes of an element of an array of it: a vector of three takes the room of four.
    pub fn element_bytes(self) -> u32 {
        self.bytes * self.lanes.next_power_of_two()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_give_scalar_lanes_and_room() {
        let of = |name| NamedType::of(name).map(|t| (t.scalar, t.lanes, t.element_bytes(), t.ours));
        assert_eq!(of("f32"), Some(("f32", 1, 4, true)));
        assert_eq!(of("bool"), Some(("bool", 1, 1, true)));
        assert_eq!(of("float"), Some(("f32", 1, 4, false)));
        assert_eq!(of("half16"), Some(("f16", 16, 32, false)));
        assert_eq!(of("uchar3"), Some(("u8", 3, 4, false)));
        assert_eq!(of("__bf16"), Some(("bf16", 1, 2, false)));
        for name in [
            "", "packet", "float5", "__bf162", "__bf", "16", "float*", "size_t", "floaté", "f322",
        ] {
            assert_eq!(of(name), None, "{name}");
        }
        assert_eq!(NamedType::behind("double2*").map(NamedType::element_bytes), Some(16));
        for name in ["float**", "void*", "float", "f32*", "packet*"] {
            assert_eq!(NamedType::behind(name), None, "{name}");
        }
    }
}
