//! Blanks in operands, and how deep they nest.
//!
//! Problem: LLVM reads tokens, so blanks may stand between any two of them (`offset : 4`, `vmcnt( 0 )`, `s [0:1]`,
//! `- v1`), while the parser here cuts text at blanks. Method: blanks inside what is one operand or modifier are taken
//! out first. Operators join both their sides in the value of a modifier only: between operands commas may be left out,
//! so `v1 -v2` may be two. Invariant: what llvm-mc 19 reads as one operand is one word.

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
    out
}

/// Bytes of a string or character in quotes at the start of the text.
fn quoted(text: &str) -> usize {
    let mut c = text.char_indices();
    match c.next() {
        Some((_, '"')) => text[1..].find('"').map_or(text.len(), |end| end + 2),
        Some((_, '\'')) => match (c.next(), c.next()) {
            (Some(_), Some((at, '\''))) => at + 1,
            _ => 0,
        },
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
        (_, ':') | (':' | '(' | '[' | '{', _) | (_, ')' | ']' | '}') => true,
        (_, '(') => CALLS.contains(&word) || word.contains("cnt") || word.starts_with("depctr_"),
        (_, '[') if matches!(word, "v" | "s" | "ttmp") => true,
        // The sign of an operand, which nothing stands before.
        ('-', c) => {
            let before = before[..before.len() - 1].trim_end();
            let first = before.is_empty() || before.ends_with([',', '(', '|', '-']);
            first && (is_name(c) || matches!(c, '.' | '[' | '|' | '-'))
        }
        _ => false,
    }
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
