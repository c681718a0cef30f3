//! MessagePack values, as much as code object metadata needs.
//!
//! Problem: metadata is a tree of maps with optional keys, written by many compilers. Method: a small tree type over
//! rmp's primitive readers and writers. Invariant: reading never panics or allocates more than the input justifies,
//! whatever the bytes are: lengths are not trusted, depth is limited.

use rmp::decode::{self, Bytes};
use rmp::{encode, Marker};

/// Deepest nesting accepted; real metadata has about five levels.
const MAX_DEPTH: u32 = 32;

/// A MessagePack value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// nil.
    Nil,
    /// A boolean.
    Bool(bool),
    /// An integer of either sign; i128 holds both u64 and i64.
    Int(i128),
    /// A float.
    Float(f64),
    /// Text; invalid UTF-8 is replaced.
    Str(String),
    /// Bytes.
    Bin(Vec<u8>),
    /// An array.
    Array(Vec<Value>),
    /// A map in file order.
    Map(Vec<(Value, Value)>),
}

impl From<&str> for Value {
    fn from(s: &str) -> Value {
        Value::Str(s.to_owned())
    }
}

impl From<u32> for Value {
    fn from(v: u32) -> Value {
        Value::Int(v.into())
    }
}

impl From<u64> for Value {
    fn from(v: u64) -> Value {
        Value::Int(v.into())
    }
}

impl From<bool> for Value {
    fn from(v: bool) -> Value {
        Value::Bool(v)
    }
}

impl Value {
    /// A map with text keys.
    pub fn map(entries: Vec<(&str, Value)>) -> Value {
        Value::Map(entries.into_iter().map(|(k, v)| (k.into(), v)).collect())
    }

    /// The value of a text key when this is a map that has it.
    pub fn get(&self, key: &str) -> Option<&Value> {
        let Value::Map(entries) = self else {
            return None;
        };
        entries.iter().find(|(k, _)| k.as_str() == Some(key)).map(|(_, v)| v)
    }

    /// The text when this is text.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Str(s) => Some(s),
            _ => None,
        }
    }

    /// The number when this is an integer that fits u64. A boolean counts as 0 or 1 (compilers differ).
    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Value::Int(v) => u64::try_from(*v).ok(),
            Value::Bool(b) => Some(u64::from(*b)),
            _ => None,
        }
    }

    /// The elements when this is an array.
    pub fn as_array(&self) -> Option<&[Value]> {
        match self {
            Value::Array(a) => Some(a),
            _ => None,
        }
    }

    /// The bytes of the value.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(&mut out);
        out
    }

    // Writing into a Vec cannot fail; rmp's error type for it is uninhabited in practice.
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Value::Nil => drop(encode::write_nil(out)),
            Value::Bool(b) => drop(encode::write_bool(out, *b)),
            Value::Int(v) => {
                if let Ok(u) = u64::try_from(*v) {
                    drop(encode::write_uint(out, u));
                } else {
                    drop(encode::write_sint(out, i64::try_from(*v).unwrap_or(i64::MIN)));
                }
            }
            Value::Float(f) => drop(encode::write_f64(out, *f)),
            Value::Str(s) => drop(encode::write_str(out, s)),
            Value::Bin(b) => drop(encode::write_bin(out, b)),
            Value::Array(items) => {
                drop(encode::write_array_len(out, items.len() as u32));
                items.iter().for_each(|v| v.write(out));
            }
            Value::Map(entries) => {
                drop(encode::write_map_len(out, entries.len() as u32));
                for (k, v) in entries {
                    k.write(out);
                    v.write(out);
                }
            }
        }
    }

    /// Reads one value from the start of `bytes`; `None` when they are not one.
    pub fn parse(bytes: &[u8]) -> Option<Value> {
        read(&mut Bytes::new(bytes), MAX_DEPTH)
    }
}

fn take<'a>(b: &mut Bytes<'a>, len: usize) -> Option<&'a [u8]> {
    let rest = b.remaining_slice();
    let head = rest.get(..len)?;
    *b = Bytes::new(&rest[len..]);
    Some(head)
}

fn read(b: &mut Bytes<'_>, depth: u32) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    let marker = Marker::from_u8(*b.remaining_slice().first()?);
    Some(match marker {
        Marker::Null => {
            decode::read_nil(b).ok()?;
            Value::Nil
        }
        Marker::True | Marker::False => Value::Bool(decode::read_bool(b).ok()?),
        Marker::F32 => Value::Float(decode::read_f32(b).ok()?.into()),
        Marker::F64 => Value::Float(decode::read_f64(b).ok()?),
        Marker::U64 => Value::Int(decode::read_u64(b).ok()?.into()),
        Marker::FixPos(_)
        | Marker::FixNeg(_)
        | Marker::U8
        | Marker::U16
        | Marker::U32
        | Marker::I8
        | Marker::I16
        | Marker::I32
        | Marker::I64 => Value::Int(decode::read_int::<i64, _>(b).ok()?.into()),
        Marker::FixStr(_) | Marker::Str8 | Marker::Str16 | Marker::Str32 => {
            let len = decode::read_str_len(b).ok()?;
            Value::Str(String::from_utf8_lossy(take(b, len as usize)?).into_owned())
        }
        Marker::Bin8 | Marker::Bin16 | Marker::Bin32 => {
            let len = decode::read_bin_len(b).ok()?;
            Value::Bin(take(b, len as usize)?.to_vec())
        }
        Marker::FixArray(_) | Marker::Array16 | Marker::Array32 => {
            let len = decode::read_array_len(b).ok()?;
            let mut items = Vec::new();
            for _ in 0..len {
                items.push(read(b, depth)?);
            }
            Value::Array(items)
        }
        Marker::FixMap(_) | Marker::Map16 | Marker::Map32 => {
            let len = decode::read_map_len(b).ok()?;
            let mut entries = Vec::new();
            for _ in 0..len {
                entries.push((read(b, depth)?, read(b, depth)?));
            }
            Value::Map(entries)
        }
        // Extension types do not occur in code objects.
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_survive_writing_and_reading() {
        let v = Value::map(vec![
            ("nil", Value::Nil),
            ("yes", true.into()),
            ("small", 7u32.into()),
            ("large", u64::MAX.into()),
            ("negative", Value::Int(-70_000)),
            ("float", Value::Float(0.5)),
            ("text", "x".repeat(300).as_str().into()),
            ("bin", Value::Bin(vec![1, 2, 3])),
            ("array", Value::Array((0..20u32).map(Value::from).collect())),
        ]);
        assert_eq!(Value::parse(&v.to_bytes()), Some(v));
    }

    #[test]
    fn liars_and_deep_nests_are_refused() {
        assert_eq!(Value::parse(&[0xdd, 0xff, 0xff, 0xff, 0xff]), None); // 4 billion elements, none there
        assert_eq!(Value::parse(&[0x91; 1000]), None);
        assert_eq!(Value::parse(&[0xd9, 10, b'a']), None);
        assert_eq!(Value::parse(&[]), None);
    }
}
