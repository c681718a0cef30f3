//! The text form of a function: printed and parsed without loss.
//!
//! ```text
//! kernel saxpy group 256 @0:10:8
//! param a f32
//! param x slice f32 read
//! param y slice f32 write
//! file "src/lib.rs"
//! lds "tile" 4096 align 16 slots 2 tile
//! site "`x`" length @0:12:9
//! body %a.0:f32, %x.1:buf<f32>, %y.2:buf<f32> {
//!   %i.3:u32 = local_id @0:12:5
//!   %4:f32 = load %x.1, %i.3 @0:12:9
//!   %5:f32 = mul %a.0, %4
//!   store %y.2, %i.3, %5
//! }
//! ```
//! A value is `%number` or `%name.number`; the number alone says which value it is, the name is the user's. Attributes
//! stand in brackets (`cmp[lt]`, `for[unroll]`), those with their usual value are left out. `@file:line:column` is the
//! source place. `//` starts a comment. Reading numbers values in structured order, so `parse(print(f))` is
//! [`crate::passes::rewrite::canonical`]`(f)`.

mod parse;
mod print;

use crate::op::{Inside, LdsId, LoopHints, Order, Pred, Rmw, Scope};
use crate::ty::Scalar;

pub use parse::parse;
pub use print::{print, print_const};

/// Attributes as the parser read them.
pub trait AttrSource {
    /// The number after a key, if the key is there.
    fn number(&mut self, key: &str) -> Option<u32>;
    /// Is the word there?
    fn word(&mut self, word: &str) -> bool;
    /// The constant of a `const`: its type and bits.
    fn constant(&mut self) -> Option<(Scalar, u64)>;
}

/// A type of attribute: how the text form writes and reads it.
pub trait AttrType: Sized {
    /// As text, or nothing for its usual value.
    fn print(&self, field: &'static str) -> Option<String>;
    /// From text.
    ///
    /// # Errors
    /// The attribute's name, if it is not there and has no usual value.
    fn take(field: &'static str, source: &mut dyn AttrSource) -> Result<Self, &'static str>;
}

impl AttrType for u32 {
    fn print(&self, field: &'static str) -> Option<String> {
        let usual = matches!(field, "base" | "slot") && *self == 0;
        (!usual).then(|| format!("{field} {self}"))
    }

    fn take(field: &'static str, source: &mut dyn AttrSource) -> Result<u32, &'static str> {
        match source.number(field) {
            None if matches!(field, "base" | "slot") => Ok(0),
            n => n.ok_or(field),
        }
    }
}

impl AttrType for bool {
    fn print(&self, field: &'static str) -> Option<String> {
        self.then(|| field.to_string())
    }

    fn take(field: &'static str, source: &mut dyn AttrSource) -> Result<bool, &'static str> {
        Ok(source.word(field))
    }
}

impl AttrType for LdsId {
    fn print(&self, field: &'static str) -> Option<String> {
        Some(format!("{field} {}", self.0))
    }

    fn take(field: &'static str, source: &mut dyn AttrSource) -> Result<LdsId, &'static str> {
        source.number(field).map(LdsId).ok_or(field)
    }
}

impl AttrType for Pred {
    fn print(&self, _: &'static str) -> Option<String> {
        PREDS.iter().find(|p| p.1 == *self).map(|p| p.0.to_string())
    }

    fn take(field: &'static str, source: &mut dyn AttrSource) -> Result<Pred, &'static str> {
        PREDS.iter().find(|p| source.word(p.0)).map(|p| p.1).ok_or(field)
    }
}

impl AttrType for Rmw {
    fn print(&self, _: &'static str) -> Option<String> {
        RMWS.iter().find(|p| p.1 == *self).map(|p| p.0.to_string())
    }

    fn take(field: &'static str, source: &mut dyn AttrSource) -> Result<Rmw, &'static str> {
        RMWS.iter().find(|p| source.word(p.0)).map(|p| p.1).ok_or(field)
    }
}

impl AttrType for Scope {
    fn print(&self, _: &'static str) -> Option<String> {
        (*self == Scope::Group).then(|| "group".into())
    }

    fn take(_: &'static str, source: &mut dyn AttrSource) -> Result<Scope, &'static str> {
        Ok(match source.word("group") {
            true => Scope::Group,
            false => Scope::Device,
        })
    }
}

impl AttrType for Order {
    fn print(&self, _: &'static str) -> Option<String> {
        ORDERS.iter().find(|p| p.1 == *self).map(|p| p.0.to_string())
    }

    fn take(field: &'static str, source: &mut dyn AttrSource) -> Result<Order, &'static str> {
        ORDERS.iter().find(|p| source.word(p.0)).map(|p| p.1).ok_or(field)
    }
}

impl AttrType for Inside {
    fn print(&self, _: &'static str) -> Option<String> {
        match self {
            Inside::Unknown => None,
            Inside::Columns => Some("columns".into()),
            Inside::All => Some("inside".into()),
        }
    }

    fn take(_: &'static str, source: &mut dyn AttrSource) -> Result<Inside, &'static str> {
        Ok(match (source.word("columns"), source.word("inside")) {
            (true, _) => Inside::Columns,
            (_, true) => Inside::All,
            _ => Inside::Unknown,
        })
    }
}

impl AttrType for LoopHints {
    fn print(&self, _: &'static str) -> Option<String> {
        let stages = (self.stages > 0).then(|| format!("stages {}", self.stages));
        let words = [
            self.unroll.then(|| "unroll".to_string()),
            stages,
            self.turns.then(|| "turns".to_string()),
        ];
        let words: Vec<String> = words.into_iter().flatten().collect();
        (!words.is_empty()).then(|| words.join(", "))
    }

    fn take(_: &'static str, source: &mut dyn AttrSource) -> Result<LoopHints, &'static str> {
        Ok(LoopHints {
            unroll: source.word("unroll"),
            stages: source.number("stages").unwrap_or(0),
            turns: source.word("turns"),
        })
    }
}

// The two attributes of `const`, which the text form writes as one number after the name.
impl AttrType for Scalar {
    fn print(&self, _: &'static str) -> Option<String> {
        None
    }

    fn take(field: &'static str, source: &mut dyn AttrSource) -> Result<Scalar, &'static str> {
        source.constant().map(|c| c.0).ok_or(field)
    }
}

impl AttrType for u64 {
    fn print(&self, _: &'static str) -> Option<String> {
        None
    }

    fn take(field: &'static str, source: &mut dyn AttrSource) -> Result<u64, &'static str> {
        source.constant().map(|c| c.1).ok_or(field)
    }
}

const PREDS: [(&str, Pred); 6] = [
    ("eq", Pred::Eq),
    ("ne", Pred::Ne),
    ("lt", Pred::Lt),
    ("le", Pred::Le),
    ("gt", Pred::Gt),
    ("ge", Pred::Ge),
];

const ORDERS: [(&str, Order); 3] = [
    ("acquire", Order::Acquire),
    ("release", Order::Release),
    ("acq_rel", Order::AcqRel),
];

const RMWS: [(&str, Rmw); 7] = [
    ("add", Rmw::Add),
    ("min", Rmw::Min),
    ("max", Rmw::Max),
    ("and", Rmw::And),
    ("or", Rmw::Or),
    ("xor", Rmw::Xor),
    ("swap", Rmw::Swap),
];

#[cfg(test)]
mod tests;
