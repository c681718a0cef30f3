//! Blanks in operands, and how deep they nest.
//!
//! Problem: LLVM reads tokens, so blanks may stand between any two of them (`offset : 4`, `vmcnt( 0 )`, `s [0:1]`,
//! `- v1`), while the parser here cuts text at blanks. Method: blanks inside what is one operand or modifier are taken
//! out first. Operators join both their sides in the value of a modifier only: between operands commas may be left out,
//! so `v1 -v2` may be two, and `v1 - v2` is: a register ends its operand. Invariant: what llvm-mc 19 reads as one operand
//! is one word.

use super::{expr, operand_text};

/// Deepest nesting of parentheses, brackets and signs that is read; recursion is as deep.
pub(crate) const MAX_NESTING: usize = 200;

/// Names before which a parenthesis belongs to them.
const CALLS: [&str; 9] = [
    "neg", "abs", "lit", "sendmsg", "hwreg", "swizzle", "instid0", "instskip", "instid1",
];

/// How deep parentheses, brackets and signs before a value nest.
pub(crate) fn nesting(text: &str) -> usize {
    // Signs that stand before each open bracket, and since the last one.
    let (mut open, mut deep, mut signs, mut most) = (Vec::new(), 0, 0, 0);
    for c in text.chars() {
        match c {
            '-' | '+' | '~' | '!' => signs += 1,
            '(' | '[' | '{' => {
                open.push(signs + 1);
                deep += signs + 1;
                signs = 0;
            }
            ')' | ']' | '}' => {
                deep -= open.pop().unwrap_or(0);
                signs = 0;
            }
            c if c.is_whitespace() => {}
            _ => signs = 0,
        }
        most = most.max(deep + signs);
    }
    most
}

/// The operands and modifiers without the blanks inside of them.
pub(crate) fn close_up(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut depth, mut in_value) = (0i32, false);
    let mut rest = text.trim();
    while let Some(c) = rest.chars().next() {
        let quote = quoted(rest);
        if quote > 0 {
            out.push_str(&rest[..quote]);
            rest = &rest[quote..];
            continue;
        }
        rest = &rest[c.len_utf8()..];
        if !c.is_whitespace() {
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                ':' if depth == 0 => in_value = true,
                ',' if depth == 0 => in_value = false,
                _ => {}
            }
            out.push(c);
            continue;
        }
        rest = rest.trim_start();
        let next = rest.chars().next().unwrap_or_default();
        if joins(&out, next) || in_value && depth == 0 && (is_operator(next) || out.ends_with(is_operator)) {
            continue;
        }
        in_value &= depth != 0;
        out.push(' ');
    }
    separate(&out)
}

/// Puts a blank behind operands that end where they stand, and takes out those between the next operand and its sign.
fn separate(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 4);
    let mut rest = text;
    while !rest.is_empty() {
        let first = out.is_empty() || out.ends_with([' ', ',', '-']);
        let (token, after) = rest.split_at(token(rest, first));
        out.push_str(token);
        rest = after;
        if !ends_operand(token) {
            continue;
        }
        let next = after.trim_start();
        let apart = next.len() < after.len();
        match next.chars().next() {
            Some(sign @ ('-' | '+')) if apart || expr::float(token).is_none() => {
                out.extend([' ', sign]);
                rest = next[1..].trim_start();
            }
            Some('|') if !apart && token.ends_with('|') => {}
            Some(c) if !apart && (c.is_ascii_alphanumeric() || matches!(c, '_' | '|' | '[')) => out.push(' '),
            _ => {}
        }
    }
    out
}

/// Bytes of the first token: a name with what stands in its brackets, what stands between bars at the start of an operand,
/// or one character.
fn token(text: &str, first: bool) -> usize {
    let quote = quoted(text);
    if quote > 0 {
        return quote;
    }
    let one = text.chars().next().map_or(0, char::len_utf8);
    if first && text.starts_with('|') {
        return text[1..].find('|').map_or(one, |end| end + 2);
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$');
    let name = text.find(|c| !is_name(c)).unwrap_or(text.len());
    if !text[name..].starts_with(['(', '[', '{']) {
        return name.max(one);
    }
    let mut depth = 0;
    for (at, c) in text[name..].char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return name + at + c.len_utf8();
        }
    }
    text.len()
}

/// Whether nothing can follow the token in its operand: registers, sources with modifiers around them, and floats.
pub(crate) fn ends_operand(token: &str) -> bool {
    let half = token.strip_suffix(['l', 'h']).and_then(|t| t.strip_suffix('.'));
    let modified = token.starts_with("abs(") || token.starts_with("neg(");
    let bars = token.len() > 1 && token.starts_with('|') && token.ends_with('|');
    let bare = token.trim_start_matches('-');
    modified && token.ends_with(')')
        || bars
        || operand_text::names_register(half.unwrap_or(bare))
        || operand_text::special(bare) != Ok(None)
        || expr::float(token).is_some()
}

/// Bytes of a string or character in quotes at the start of the text.
pub(crate) fn quoted(text: &str) -> usize {
    let mut c = text.char_indices();
    match c.next() {
        Some((_, '"')) => text[1..].find('"').map_or(text.len(), |end| end + 2),
        Some((_, '\'')) => {
            let escape = text[1..].starts_with('\\');
            match (c.nth(usize::from(escape)), c.next()) {
                (Some(_), Some((at, '\''))) => at + 1,
                _ => 0,
            }
        }
        _ => 0,
    }
}

fn is_operator(c: char) -> bool {
    "+-*/%<>&|^=!~".contains(c)
}

/// Whether what stands before blanks and the character after them belong together.
fn joins(before: &str, next: char) -> bool {
    let last = before.chars().next_back().unwrap_or(',');
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let word = &before[before.trim_end_matches(is_name).len()..];
    match (last, next) {
        // `::` between the halves of a pair is one token.
        (':', ':') => false,
        (_, ':') | (':' | '(' | '[' | '{', _) | (_, ')' | ']' | '}') => true,
        (_, '(') => CALLS.contains(&word) || word.contains("cnt") || word.starts_with("depctr_"),
        (_, '[') if matches!(word, "v" | "s" | "ttmp") => true,
        // A bar that opens an operand, and the one that closes it.
        ('|', _) if operand_so_far(before) == "|" => true,
        (_, '|') if operand_so_far(before).starts_with('|') => operand_so_far(before).matches('|').count() == 1,
        // The sign of an operand, which nothing stands before.
        ('-', c) => {
            let before = before[..before.len() - 1].trim_end();
            let first = before.is_empty() || before.ends_with([',', '(', '|', '-']);
            first && (is_name(c) || matches!(c, '.' | '[' | '|' | '-'))
        }
        _ => false,
    }
}

/// What stands since the last comma, without its sign.
fn operand_so_far(before: &str) -> &str {
    let start = before.rfind(',').map_or(0, |at| at + 1);
    before[start..].trim_start().trim_start_matches('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_operand_is_one_word() {
        for (text, want) in [
            ("v0, v1 offset : 4 glc", "v0, v1 offset:4 glc"),
            ("v0, v1 offset:8 + 8 gds", "v0, v1 offset:8+8 gds"),
            ("vmcnt( 0 ) & lgkmcnt (1 )", "vmcnt(0) & lgkmcnt(1)"),
            ("v0, - v1, - |v2|", "v0, -v1, -|v2|"),
            ("s [ 0 : 1 ], s[2:3]", "s[0:1], s[2:3]"),
            ("v0 v1 -v2", "v0 v1 -v2"),
            ("v0, v1 - v2", "v0, v1 -v2"),
            ("v0, v[1]-|v2|", "v0, v[1] -|v2|"),
            ("v0-abs(v1)v2", "v0 -abs(v1) v2"),
            ("v0, 1.0 - v2", "v0, 1.0 -v2"),
            ("v0, a - 1", "v0, a - 1"),
            ("v0, v3, -| v1 |", "v0, v3, -|v1|"),
            ("v0, | v1 |, |v2|", "v0, |v1|, |v2|"),
            ("s0, (1 + 2) - 3", "s0, (1 + 2) - 3"),
            (
                "v1, offset : swizzle( BITMASK_PERM, \"0 : 1\" )",
                "v1, offset:swizzle(BITMASK_PERM, \"0 : 1\")",
            ),
            ("s0, ' '", "s0, ' '"),
            ("v1 op_sel: [0, 1] neg_lo:[0,1]", "v1 op_sel:[0, 1] neg_lo:[0,1]"),
        ] {
            assert_eq!(close_up(text), want);
        }
    }

    #[test]
    fn signs_count_inside_brackets() {
        assert_eq!(nesting("v0, -(1), --2"), 2);
        assert_eq!(nesting("-(-(1))"), 4);
        assert_eq!(nesting(&"(".repeat(300)), 300);
        assert_eq!(nesting("v[0:1], v[2:3], v[4:5]"), 1);
    }
}
