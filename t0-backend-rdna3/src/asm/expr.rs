//! Expressions over numbers, symbols and the current place.
//!
//! Method: a tree with the precedences of LLVM's GNU-style expressions; symbols that are numbers by now are numbers in
//! the tree, so that `.set n, n+1` means what it says. A value is a number plus addresses: at most one address is left
//! over in anything that can be encoded. Source: LLVM 19 `MCParser/AsmParser.cpp`.

use super::error::{AsmError, AsmErrorKind};
use super::lex::{Cursor, Place, Token};

/// Number of a symbol in the assembler's table.
pub type SymbolId = usize;

/// What `@…` asks of the linker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// Nothing special.
    None,
    /// Low half of the distance from the place.
    Rel32Lo,
    /// High half of the distance.
    Rel32Hi,
    /// The distance as 64 bits.
    Rel64,
    /// Low half of the distance to the symbol's slot in the global offset table.
    GotPcRel32Lo,
    /// High half of that.
    GotPcRel32Hi,
    /// Low half of the value.
    Abs32Lo,
    /// High half of the value.
    Abs32Hi,
    /// The value as 64 bits.
    Abs64,
}

impl Variant {
    fn from_name(name: &str) -> Option<Variant> {
        Some(match name {
            "rel32@lo" => Variant::Rel32Lo,
            "rel32@hi" => Variant::Rel32Hi,
            "rel64" => Variant::Rel64,
            "gotpcrel32@lo" | "gotpcrel" => Variant::GotPcRel32Lo,
            "gotpcrel32@hi" => Variant::GotPcRel32Hi,
            "abs32@lo" => Variant::Abs32Lo,
            "abs32@hi" => Variant::Abs32Hi,
            "abs64" => Variant::Abs64,
            _ => return None,
        })
    }
}

/// An operator with one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unary {
    /// `-`
    Minus,
    /// `~`
    Not,
    /// `!`
    LogicalNot,
}

/// An operator with two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Shl,
    Shr,
    And,
    Or,
    Xor,
    OrNot,
    LogicalAnd,
    LogicalOr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Max,
}

/// An expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expr {
    /// A number.
    Int(i64),
    /// A symbol, and what is asked of the linker.
    Symbol(SymbolId, Variant),
    /// A place: section and offset (`.` at the time of writing).
    Place(usize, u64),
    /// One operand.
    Unary(Unary, Box<Expr>),
    /// Two operands.
    Binary(Binary, Box<Expr>, Box<Expr>),
}

impl Expr {
    /// Whether a symbol in it names a relocation.
    pub fn asks_linker(&self) -> bool {
        match self {
            Expr::Symbol(_, v) => *v != Variant::None,
            Expr::Unary(_, a) => a.asks_linker(),
            Expr::Binary(_, a, b) => a.asks_linker() || b.asks_linker(),
            Expr::Int(_) | Expr::Place(..) => false,
        }
    }
}

/// What an expression parser must ask the assembler.
pub trait Scope {
    /// The expression a name stands for; makes an undefined symbol of an unknown name.
    fn symbol(&mut self, name: &str, place: &Place) -> Result<Expr, AsmError>;
    /// The current place.
    fn dot(&mut self) -> Expr;
}

/// Parses an expression.
///
/// Errors: what is no expression, with its place.
pub fn parse(c: &mut Cursor<'_>, scope: &mut dyn Scope) -> Result<Expr, AsmError> {
    binary(c, scope, 1)
}

/// Deepest nesting of parentheses and signs.
const MAX_DEPTH: usize = 200;
/// Most operators in a statement: a sum is as deep a tree as it has terms.
const MAX_OPERATORS: usize = 2000;

fn operator(token: &Token) -> Option<(Binary, u32)> {
    let Token::Sign(sign) = token else { return None };
    Some(match *sign {
        "||" => (Binary::LogicalOr, 1),
        "&&" => (Binary::LogicalAnd, 2),
        "==" => (Binary::Eq, 3),
        "!=" | "<>" => (Binary::Ne, 3),
        "<" => (Binary::Lt, 3),
        "<=" => (Binary::Le, 3),
        ">" => (Binary::Gt, 3),
        ">=" => (Binary::Ge, 3),
        "+" => (Binary::Add, 4),
        "-" => (Binary::Sub, 4),
        "|" => (Binary::Or, 5),
        "^" => (Binary::Xor, 5),
        "&" => (Binary::And, 5),
        "!" => (Binary::OrNot, 5),
        "*" => (Binary::Mul, 6),
        "/" => (Binary::Div, 6),
        "%" => (Binary::Mod, 6),
        "<<" => (Binary::Shl, 6),
        ">>" => (Binary::Shr, 6),
        _ => return None,
    })
}

fn binary(c: &mut Cursor<'_>, scope: &mut dyn Scope, lowest: u32) -> Result<Expr, AsmError> {
    let mut left = unary(c, scope)?;
    while let Some((op, precedence)) = operator(&c.peek()).filter(|o| o.1 >= lowest) {
        c.operators += 1;
        if c.operators > MAX_OPERATORS {
            return Err(c.expected("a shorter expression"));
        }
        c.next()?;
        let right = binary(c, scope, precedence + 1)?;
        left = fold(Expr::Binary(op, Box::new(left), Box::new(right)));
    }
    Ok(left)
}

fn unary(c: &mut Cursor<'_>, scope: &mut dyn Scope) -> Result<Expr, AsmError> {
    let mut signs = Vec::new();
    loop {
        let op = match c.peek() {
            Token::Sign("-") => Some(Unary::Minus),
            Token::Sign("~") => Some(Unary::Not),
            Token::Sign("!") => Some(Unary::LogicalNot),
            Token::Sign("+") => None,
            _ => break,
        };
        c.next()?;
        signs.extend(op);
        if signs.len() > MAX_DEPTH {
            return Err(c.expected("fewer signs"));
        }
    }
    let inner = primary(c, scope)?;
    Ok(signs
        .into_iter()
        .rev()
        .fold(inner, |e, op| fold(Expr::Unary(op, Box::new(e)))))
}

fn primary(c: &mut Cursor<'_>, scope: &mut dyn Scope) -> Result<Expr, AsmError> {
    let here = c.here();
    match c.peek() {
        Token::Number(v) => {
            let Ok(v) = u64::try_from(v) else {
                return Err(c.expected("a number of at most 64 bits"));
            };
            c.next()?;
            Ok(Expr::Int(v as i64))
        }
        Token::Sign("(") => {
            c.depth += 1;
            if c.depth > MAX_DEPTH {
                return Err(c.expected("fewer parentheses"));
            }
            c.next()?;
            let inner = binary(c, scope, 1)?;
            c.expect(")", "`)`")?;
            c.depth -= 1;
            Ok(inner)
        }
        Token::Name(name) if name == "." => {
            c.next()?;
            Ok(scope.dot())
        }
        Token::Name(_) | Token::Text(_) => {
            let name = c.name("a symbol")?;
            if c.eat("(") {
                c.depth += 1;
                if c.depth > MAX_DEPTH {
                    return Err(c.expected("fewer parentheses"));
                }
                return call(c, scope, &name, &here);
            }
            let variant = variant(c)?;
            let e = scope.symbol(&name, &here)?;
            match (variant, e) {
                (Variant::None, e) => Ok(e),
                (v, Expr::Symbol(s, Variant::None)) => Ok(Expr::Symbol(s, v)),
                _ => Err(here.error(AsmErrorKind::VariantHere)),
            }
        }
        _ => Err(c.expected("a number, a symbol or `(`")),
    }
}

/// The functions of LLVM's AMDGPU expressions.
fn call(c: &mut Cursor<'_>, scope: &mut dyn Scope, name: &str, here: &Place) -> Result<Expr, AsmError> {
    let op = match name {
        "max" => Binary::Max,
        "or" => Binary::Or,
        _ => {
            return Err(here.error(AsmErrorKind::Expected {
                expected: "`max(…)` or `or(…)`",
            }))
        }
    };
    let mut all = binary(c, scope, 1)?;
    while c.eat(",") {
        let next = binary(c, scope, 1)?;
        all = fold(Expr::Binary(op, Box::new(all), Box::new(next)));
    }
    c.expect(")", "`,` or `)`")?;
    Ok(all)
}

fn variant(c: &mut Cursor<'_>) -> Result<Variant, AsmError> {
    if !c.eat("@") {
        return Ok(Variant::None);
    }
    let start = c.position();
    let mut name = c.name("the name of a relocation")?;
    if c.eat("@") {
        name = format!("{name}@{}", c.name("`lo` or `hi`")?);
    }
    let unknown = AsmErrorKind::Variant { name: name.clone() };
    Variant::from_name(&name).ok_or_else(|| c.since(start).error(unknown))
}

/// The number, when only numbers are involved; division by zero is left for the evaluation.
fn fold(e: Expr) -> Expr {
    let value = match &e {
        Expr::Unary(op, a) => match **a {
            Expr::Int(a) => Some(apply_unary(*op, a)),
            _ => None,
        },
        Expr::Binary(op, a, b) => match (&**a, &**b) {
            (Expr::Int(a), Expr::Int(b)) => apply(*op, *a, *b),
            _ => None,
        },
        _ => None,
    };
    value.map_or(e, Expr::Int)
}

/// The result of an operator on a number.
pub fn apply_unary(op: Unary, a: i64) -> i64 {
    match op {
        Unary::Minus => a.wrapping_neg(),
        Unary::Not => !a,
        Unary::LogicalNot => i64::from(a == 0),
    }
}

/// The result of an operator on numbers; `None` for a division by zero. Comparisons give -1 for true, as in LLVM.
pub fn apply(op: Binary, a: i64, b: i64) -> Option<i64> {
    let truth = |t: bool| -i64::from(t);
    Some(match op {
        Binary::Add => a.wrapping_add(b),
        Binary::Sub => a.wrapping_sub(b),
        Binary::Mul => a.wrapping_mul(b),
        Binary::Div => a.checked_div(b)?,
        Binary::Mod => a.checked_rem(b)?,
        Binary::Shl => u32::try_from(b).ok().and_then(|b| a.checked_shl(b)).unwrap_or(0),
        // LLVM's target default: a logical shift.
        Binary::Shr => u32::try_from(b)
            .ok()
            .and_then(|b| (a as u64).checked_shr(b))
            .unwrap_or(0) as i64,
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::OrNot => a | !b,
        Binary::LogicalAnd => i64::from(a != 0 && b != 0),
        Binary::LogicalOr => i64::from(a != 0 || b != 0),
        Binary::Eq => truth(a == b),
        Binary::Ne => truth(a != b),
        Binary::Lt => truth(a < b),
        Binary::Le => truth(a <= b),
        Binary::Gt => truth(a > b),
        Binary::Ge => truth(a >= b),
        Binary::Max => a.max(b),
    })
}
