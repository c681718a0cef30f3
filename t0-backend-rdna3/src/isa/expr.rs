//! Numbers in assembler text: integer expressions and floating-point literals.
//!
//! Integers may be decimal, `0x`, `0b`, octal with a leading 0, or a quoted character, joined by C's operators with the
//! binding LLVM's assembler gives them (`getGNUBinOpPrecedence`): `* / % << >>` bind tightest, then `| ^ &`, then `+ -`,
//! then comparisons (true is -1), then `&&`, `||`. Arithmetic wraps in 64 bits; `>>` shifts zeros in. C's suffixes `u` and
//! `l` say nothing. A float inside an expression, such as `(0.5)`, stands for its 64 bits.

/// Value of an integer expression; `None` when the text is none.
pub(crate) fn integer(text: &str) -> Option<i64> {
    let mut p = Parser {
        text: text.trim().as_bytes(),
        at: 0,
    };
    if p.float(usize::from(p.text.starts_with(b"-"))).is_some() {
        return None;
    }
    let v = p.binary(1)?;
    p.space();
    (p.at == p.text.len()).then_some(v)
}

/// Value of a floating-point literal: it has a point or an exponent, and perhaps a minus sign.
pub(crate) fn float(text: &str) -> Option<f64> {
    let (negative, t) = match text.strip_prefix('-') {
        Some(t) => (true, t),
        None => (false, text),
    };
    let v = match t.strip_prefix("0x").or(t.strip_prefix("0X")) {
        Some(hex) => hex_float(hex)?,
        None => {
            let shape = t
                .bytes()
                .all(|b| matches!(b, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
            let starts = t.starts_with(|c: char| c.is_ascii_digit() || c == '.');
            // A zero in front makes an octal integer of what follows.
            let octal = t.starts_with('0') && t[1..].starts_with(|c: char| c != '.');
            if !shape || !starts || octal || !t.contains(['.', 'e', 'E']) {
                return None;
            }
            t.parse().ok()?
        }
    };
    Some(if negative { -v } else { v })
}

/// `1.8p1` of `0x1.8p1`.
fn hex_float(text: &str) -> Option<f64> {
    let (mantissa, exponent) = text.split_once(['p', 'P'])?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let m = u64::from_str_radix(&digits, 16).ok()?;
    let e: i32 = exponent.parse().ok()?;
    let shift = e.checked_sub(4 * i32::try_from(fraction.len()).ok()?)?;
    Some(m as f64 * 2f64.powi(shift))
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
}

/// Binary operators: spelling and how tightly they bind. Longer spellings first.
const OPERATORS: [(&str, u32); 18] = [
    ("||", 1),
    ("&&", 2),
    ("==", 3),
    ("!=", 3),
    ("<>", 3),
    ("<<", 6),
    (">>", 6),
    ("<=", 3),
    (">=", 3),
    ("<", 3),
    (">", 3),
    ("+", 4),
    ("-", 4),
    ("|", 5),
    ("^", 5),
    ("&", 5),
    ("*", 6),
    ("/", 6),
];

impl Parser<'_> {
    fn space(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    /// The float that starts there, and where it ends.
    fn float(&self, start: usize) -> Option<(f64, usize)> {
        let rest = std::str::from_utf8(self.text.get(start..)?).ok()?;
        let word = |c: char| c.is_ascii_alphanumeric() || c == '.';
        let mut len = rest.find(|c| !word(c)).unwrap_or(rest.len());
        if !rest[..len].contains('.') {
            return None;
        }
        // The sign of an exponent.
        if rest[..len].ends_with(['e', 'E', 'p', 'P']) && rest[len..].starts_with(['+', '-']) {
            len += 1 + rest[len + 1..].bytes().take_while(u8::is_ascii_digit).count();
        }
        float(&rest[..len]).map(|v| (v, start + len))
    }

    fn operator(&mut self) -> Option<(&'static str, u32)> {
        self.space();
        let rest = &self.text[self.at..];
        if rest.first() == Some(&b'%') {
            return Some(("%", 6));
        }
        OPERATORS
            .into_iter()
            .find(|(name, _)| rest.starts_with(name.as_bytes()))
    }

    fn binary(&mut self, least: u32) -> Option<i64> {
        let mut left = self.unary()?;
        while let Some((name, binds)) = self.operator().filter(|o| o.1 >= least) {
            self.at += name.len();
            let right = self.binary(binds + 1)?;
            left = apply(name, left, right)?;
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<i64> {
        self.space();
        let c = *self.text.get(self.at)?;
        if let Some((v, end)) = self.float(self.at) {
            self.at = end;
            return Some(v.to_bits() as i64);
        }
        self.at += 1;
        match c {
            b'-' => self.unary().map(i64::wrapping_neg),
            b'+' => self.unary(),
            b'~' => self.unary().map(|v| !v),
            b'!' => self.unary().map(|v| i64::from(v == 0)),
            b'(' => {
                let v = self.binary(1)?;
                self.space();
                let closed = self.text.get(self.at) == Some(&b')');
                self.at += 1;
                closed.then_some(v)
            }
            b'\'' => {
                let mut c = *self.text.get(self.at)?;
                if c == b'\\' {
                    self.at += 1;
                    c = escaped(*self.text.get(self.at)?);
                }
                let closed = self.text.get(self.at + 1) == Some(&b'\'');
                self.at += 2;
                closed.then_some(i64::from(c))
            }
            b'0'..=b'9' => {
                let start = self.at - 1;
                while self.text.get(self.at).is_some_and(u8::is_ascii_alphanumeric) {
                    self.at += 1;
                }
                digits(std::str::from_utf8(&self.text[start..self.at]).ok()?)
            }
            _ => None,
        }
    }
}

/// The character a backslash and this one stand for: between single quotes most stand for themselves.
pub(crate) fn escaped(c: u8) -> u8 {
    match c {
        b't' => b'\t',
        b'n' => b'\n',
        b'b' => 8,
        b'f' => 12,
        b'r' => b'\r',
        c => c,
    }
}

/// The number without a suffix of C: `u`, `l`, `ul`, `ll`, `ull`.
pub(crate) fn without_suffix(digits: &str) -> &str {
    let bare = digits.strip_suffix(['l', 'L']).unwrap_or(digits);
    let bare = bare.strip_suffix(['l', 'L']).unwrap_or(bare);
    bare.strip_suffix(['u', 'U']).unwrap_or(bare)
}

fn digits(text: &str) -> Option<i64> {
    let lower = without_suffix(text).to_ascii_lowercase();
    let (base, digits) = match (lower.strip_prefix("0x"), lower.strip_prefix("0b")) {
        (Some(h), _) => (16, h),
        (_, Some(b)) => (2, b),
        _ if lower.len() > 1 && lower.starts_with('0') => (8, &lower[1..]),
        _ => (10, &lower[..]),
    };
    u64::from_str_radix(digits, base).ok().map(|v| v as i64)
}

fn apply(name: &str, a: i64, b: i64) -> Option<i64> {
    let truth = |v: bool| -i64::from(v);
    let shift = u32::try_from(b).ok();
    Some(match name {
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "/" => a.checked_div(b)?,
        "%" => a.checked_rem(b)?,
        "|" => a | b,
        "^" => a ^ b,
        "&" => a & b,
        "<<" => a.checked_shl(shift?)?,
        ">>" => (a as u64).checked_shr(shift?)? as i64,
        "==" => truth(a == b),
        "!=" | "<>" => truth(a != b),
        "<" => truth(a < b),
        ">" => truth(a > b),
        "<=" => truth(a <= b),
        ">=" => truth(a >= b),
        "&&" => i64::from(a != 0 && b != 0),
        _ => i64::from(a != 0 || b != 0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_llvm_mcs() {
        // Right: what llvm-mc 19 makes of `v_mov_b32 v0, <left>`.
        let cases = [
            ("017", 15),
            ("0b11", 3),
            ("0x1F", 31),
            ("'a'", 0x61),
            ("-(3)", -3),
            ("1 + 2 * 3", 7),
            ("(1+2)*3", 9),
            ("7 & 3 | 8", 11),
            ("1<<4", 16),
            ("!1", 0),
            ("3 == 3", -1),
            ("--1", 1),
            ("+1", 1),
            ("1L+0x1ull", 2),
            ("'\\n'", 10),
            ("'\\v'", 0x76),
            ("(0.5)", 0x3fe0_0000_0000_0000),
            ("+0.5e-1", 0x3fa9_9999_9999_999a),
            ("~0", -1),
        ];
        for (text, value) in cases {
            assert_eq!(integer(text), Some(value), "{text}");
        }
        for bad in [
            "08", "1_000", "10h", "0o17", "", "(1", "1 2", "1/0", "v0", "0.5", "-0.5", "0.0+1", "1lu", "1lll",
        ] {
            assert_eq!(integer(bad), None, "{bad}");
        }
        for (text, value) in [
            ("1.5", 1.5),
            (".5", 0.5),
            ("1.", 1.0),
            ("1e2", 100.0),
            ("0x1.8p1", 3.0),
            ("-2.5", -2.5),
        ] {
            assert_eq!(float(text), Some(value), "{text}");
        }
        for bad in ["1", "0x10", "1e", "e5", "abc", "1.0.0", "04.0", "00.5", "0e1", "08.0"] {
            assert_eq!(float(bad), None, "{bad}");
        }
    }
}
