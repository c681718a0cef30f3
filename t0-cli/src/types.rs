//! Type names in the metadata of kernels, and which arguments they take.
//!
//! Problem: an `u32:` for a `float`, or an array of bools for a `float*`, has the right size and gives wrong numbers.
//! Method: where the metadata names a scalar, a vector or a pointer to one, arguments are compared with it; types that
//! have no name here (structures, those of other languages) take anything of their size. t0's own names are taken
//! word for word. C converts between signed and unsigned without changing a bit, so there the sign is not compared.

use crate::spec::Elem;
use t0_backend_rdna3::object::{Arg, ArgKind, NamedType};

/// A type with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Named {
    /// What it is, or has several of; `None` for t0's `bool`.
    elem: Option<Elem>,
    /// Elements of a vector, 1 for a scalar.
    lanes: u32,
    /// A name of t0's own, not of C's.
    ours: bool,
}

impl Named {
    /// The type of a parameter, or of what it points to; `None` for one that is not known.
    pub fn of(arg: &Arg) -> Option<Named> {
        let name = arg.type_name.as_str();
        let named = match arg.kind {
            // t0 names what a buffer holds, C the pointer.
            ArgKind::GlobalBuffer => NamedType::of(name)
                .filter(|t| t.ours)
                .or_else(|| NamedType::behind(name)),
            _ => NamedType::of(name),
        }?;
        Some(Named {
            elem: Elem::from_name(named.scalar),
            lanes: named.lanes,
            ours: named.ours,
        })
    }

    /// Whether a value may be narrower than its word, where t0 itself passes bf16 or bool in 4 bytes. With a parameter
    /// of any other compiler a value of another size is a value of another type.
    pub fn may_be_narrow(self) -> bool {
        self.ours
    }

    /// Whether it takes the address of an array, as an integer.
    pub fn holds_address(self) -> bool {
        self.lanes == 1 && matches!(self.elem, Some(Elem::U64 | Elem::I64))
    }

    /// Whether it takes a value of this type.
    pub fn takes(self, value: Elem) -> bool {
        match self.elem {
            // A bool is any integer word as a value.
            None => matches!(value, Elem::U8 | Elem::U32),
            Some(elem) if self.ours => value == elem,
            Some(elem) => {
                self.lanes == 1 && (value == elem || (value.is_int() && elem.is_int() && value.size() == elem.size()))
            }
        }
    }

    /// What to write for a value of it.
    pub fn value_help(self, bytes: u32) -> String {
        match self.elem {
            None => "write u32:1 or u32:0".to_owned(),
            Some(_) if self.lanes > 1 => format!("write hex: and its {bytes} bytes in memory order"),
            Some(elem) => format!("write {elem}:VALUE"),
        }
    }

    /// Whether memory of it is an array of this NumPy descriptor.
    pub fn takes_array(self, descriptor: &str) -> bool {
        let Some(elem) = self.elem else {
            return matches!(descriptor, "|u1" | "|b1");
        };
        if descriptor == elem.descriptor() || (descriptor == "|b1" && elem == Elem::U8) {
            return true;
        }
        // Complex numbers are pairs.
        match (descriptor, elem, self.lanes) {
            ("<c8", Elem::F32, 2) | ("<c16", Elem::F64, 2) => return true,
            _ => {}
        }
        let signed = |d: &str| d.replace('u', "i");
        !self.ours
            && (elem.is_int() && signed(descriptor) == signed(elem.descriptor())
                || (descriptor == "|b1" && elem == Elem::I8))
    }

    /// Which array to pass for memory of it.
    pub fn array_help(self) -> String {
        let elem = self.elem.unwrap_or(Elem::U8);
        let note = if elem == Elem::Bf16 {
            ", which carries bf16 bits in NumPy"
        } else {
            ""
        };
        format!("pass an array of dtype {}{note}", Elem::dtype_of(elem.descriptor()))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn value(name: &str) -> Option<Named> {
        Named::of(&Arg::by_value("a", name, 0, 4))
    }

    fn array(name: &str) -> Option<Named> {
        Named::of(&Arg::buffer("a", name, 0))
    }

    #[test]
    fn names_are_known_or_not() {
        for name in ["f32", "bool", "float", "uchar", "ulong", "float4", "half16", "__bf16"] {
            assert!(value(name).is_some(), "{name}");
        }
        for name in ["f32", "float*", "uint2*", "__bf16*"] {
            assert!(array(name).is_some(), "{name}");
        }
        for name in ["", "packet", "float5", "__bf", "16", "float*", "size_t", "floaté"] {
            assert_eq!(value(name), None, "{name}");
        }
        for name in ["packet*", "float**", "void*", "float", "atomic_uint*"] {
            assert_eq!(array(name), None, "{name}");
        }
    }

    #[test]
    fn values_of_c_have_its_types() {
        for (name, takes, refuses) in [
            ("float", "f32", "u32 i32 f16 f64 u8"),
            ("half", "f16", "bf16 u16 i16 f32"),
            ("__bf16", "bf16", "f16 u16"),
            ("double", "f64", "u64 i64 f32"),
            ("uint", "u32 i32", "f32 u64 u16"),
            ("char", "i8 u8", "i32 f16"),
            ("ulong", "u64 i64", "f64 u32"),
            ("float2", "", "f32 f64 u64"),
        ] {
            let named = value(name).unwrap();
            let elem = |e: &str| Elem::from_name(e).unwrap();
            assert!(takes.split_whitespace().all(|e| named.takes(elem(e))), "{name}");
            assert!(refuses.split_whitespace().all(|e| !named.takes(elem(e))), "{name}");
        }
    }

    #[test]
    fn arrays_of_c_have_its_types() {
        for (name, takes, refuses) in [
            ("float*", "<f4", "|b1 <c8 <u4 <i4 <f8 <f2"),
            ("float4*", "<f4", "<c8 <c16"),
            ("float2*", "<f4 <c8", "<c16 <f8"),
            ("double2*", "<f8 <c16", "<c8"),
            ("half*", "<f2", "<u2 <f4"),
            ("__bf16*", "<u2", "<f2 <f4"),
            ("ushort*", "<u2 <i2", "<f2 <u4"),
            ("uchar*", "|u1 |i1 |b1", "<u2"),
            ("char*", "|i1 |u1 |b1", "<f2"),
            ("int*", "<i4 <u4", "<f4 |b1 <i8"),
        ] {
            let named = array(name).unwrap();
            assert!(takes.split(' ').all(|d| named.takes_array(d)), "{name}");
            assert!(refuses.split(' ').all(|d| !named.takes_array(d)), "{name}");
        }
    }
}
