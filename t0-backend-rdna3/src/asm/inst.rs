//! Instructions, with expressions in the places of numbers.
//!
//! Method: the instruction parser knows nothing of symbols. What it cannot read is tried as an expression: a number
//! takes its place, an address becomes a placeholder that is filled in later. Each round replaces one text, so there are
//! as many rounds as operands.

use super::error::{AsmError, AsmErrorKind};
use super::expr::{self, Expr};
use super::lex::{is_name, Cursor, Place};
use super::state::{Assembler, FixupKind};
use crate::isa::{self, ImmKind, Inst, Kind, Opcode, Operand, ParseError, RegFile};

/// Stands for a value that is not known yet: no inline constant of any type.
const PLACEHOLDER: u32 = 0x7ead_be1f;
/// Most texts replaced in one instruction.
const MAX_ROUNDS: usize = 24;

impl Assembler {
    /// Assembles an instruction; `start` is its offset in the line.
    pub(super) fn instruction(&mut self, text: &str, start: usize, line: u32) -> Result<(), AsmError> {
        let place = |part: &str| {
            let at = text.find(part).unwrap_or(0);
            Place {
                line,
                column: (start + at) as u32 + 1,
                text: part.to_owned(),
            }
        };
        let whole = place(text);
        match isa::parse(text, &self.target) {
            Ok(inst) => self.put(&inst, None, &whole),
            Err(first) => {
                let (inst, fixup) = self.with_expressions(text, first, &place)?;
                self.put(&inst, fixup, &whole)
            }
        }
    }

    /// Reads an instruction some of whose operands are expressions.
    fn with_expressions(
        &mut self,
        text: &str,
        first: ParseError,
        place: &dyn Fn(&str) -> Place,
    ) -> Result<(Inst, Option<(Expr, Place)>), AsmError> {
        let refuse = |e: &ParseError| {
            let mnemonic = || {
                text.split_whitespace()
                    .next()
                    .filter(|_| matches!(e, ParseError::Nesting { .. }))
            };
            let at = offending(e).or_else(|| operand_at_fault(e, text)).or_else(mnemonic);
            let at = at.filter(|t| !t.is_empty() && text.contains(*t));
            place(at.unwrap_or(text)).error(e.clone())
        };
        let mnemonic = text.split_whitespace().next().unwrap_or_default();
        let branch = Opcode::from_name(mnemonic).is_some_and(is_branch);
        let mut now = close_up(text);
        let mut error = first.clone();
        let mut fixup = None;
        for _ in 0..MAX_ROUNDS {
            let (inst_now, bad) = match isa::parse(&now, &self.target) {
                Ok(inst) => return Ok((inst, fixup)),
                Err(e) => {
                    let bad = offending(&e).map(str::to_owned);
                    (e, bad)
                }
            };
            error = inst_now;
            let named = matches!(error, ParseError::Unknown { .. } | ParseError::WideMask { .. });
            let Some(bad) = bad.filter(|b| !b.is_empty() && !named) else {
                break;
            };
            let at = place(&bad);
            let Some((replacement, address)) = self.replacement(&bad, &at)? else {
                break;
            };
            if let Some(e) = address {
                if fixup.is_some() {
                    break;
                }
                fixup = Some((e, at));
            }
            let replacement = match replacement {
                Some(text) => text,
                None if branch => "0".to_owned(),
                None => format!("{PLACEHOLDER:#x}"),
            };
            let Some(next) = replace_operand(&now, mnemonic.len(), &bad, &replacement) else {
                break;
            };
            now = next;
        }
        // A value of later in a place that takes numbers only.
        if let (Some((_, at)), ParseError::Illegal(_)) = (&fixup, &error) {
            return Err(at.error(AsmErrorKind::NotAbsolute));
        }
        // The instruction as written says best what is wrong with it.
        Err(refuse(
            if matches!(error, ParseError::Illegal(_) | ParseError::WideMask { .. }) {
                &error
            } else {
                &first
            },
        ))
    }

    /// What stands for a text the parser cannot read: a number as text, or `None` and an expression for later.
    #[allow(clippy::type_complexity)] // two parts of one answer
    fn replacement(&mut self, bad: &str, at: &Place) -> Result<Option<(Option<String>, Option<Expr>)>, AsmError> {
        if let Some(open) = bad.find('[').filter(|_| bad.ends_with(']')) {
            let file = &bad[..open];
            let names = ["v", "s", "ttmp"];
            if names.contains(&file.trim_start_matches(['-', '|'])) {
                let inner = &bad[open + 1..bad.len() - 1];
                let numbers = self.numbers(inner, ':', at)?;
                return Ok(numbers.map(|n| (Some(format!("{file}[{}]", n.join(":"))), None)));
            }
        }
        if let Some((key, value)) = bad.split_once(':') {
            let numbers = self.numbers(value, ',', at)?;
            return Ok(numbers.map(|n| (Some(format!("{key}:{}", n.join(","))), None)));
        }
        if isa::names_register(bad) {
            return Ok(None);
        }
        let mut c = Cursor::new(bad, at.line, at.column);
        let e = match expr::parse(&mut c, self) {
            Ok(e) => e,
            // These say more than that the operand cannot be read.
            Err(e)
                if matches!(
                    e.kind,
                    AsmErrorKind::NoNumericLabel { .. } | AsmErrorKind::Variant { .. }
                ) =>
            {
                return Err(e);
            }
            Err(_) => return Ok(self.substitute(bad).map(|text| (Some(text), None))),
        };
        if !c.at_end() {
            return Ok(self.substitute(bad).map(|text| (Some(text), None)));
        }
        match self.constant(&e) {
            Some(v) => Ok(Some((Some(v.to_string()), None)).filter(|r| r.0.as_deref() != Some(bad))),
            None => Ok(Some((None, Some(e)))),
        }
    }

    /// The numbers of a list of expressions, as text; `None` when one is no number.
    fn numbers(&mut self, list: &str, separator: char, at: &Place) -> Result<Option<Vec<String>>, AsmError> {
        let mut out = Vec::new();
        for part in list.split(separator) {
            let mut c = Cursor::new(part, at.line, at.column);
            let Ok(e) = expr::parse(&mut c, self) else {
                return Ok(None);
            };
            match self.constant(&e).filter(|_| c.at_end()) {
                Some(v) => out.push(v.to_string()),
                None => return Ok(None),
            }
        }
        let same = list.split(separator).map(str::trim).eq(out.iter().map(String::as_str));
        Ok((!same).then_some(out))
    }

    /// The text with symbols that are numbers replaced by them; `None` when there is none.
    fn substitute(&self, text: &str) -> Option<String> {
        let mut out = String::new();
        let mut changed = false;
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let len = if is_name(first) {
                rest.find(|c: char| !is_name(c)).unwrap_or(rest.len())
            } else {
                first.len_utf8()
            };
            let word = &rest[..len];
            let value = self.known_symbol(word).and_then(|s| match &s.definition {
                Some(super::state::Definition::Value(e)) => self.constant(e),
                _ => None,
            });
            match value {
                Some(v) => {
                    changed = true;
                    out.push_str(&v.to_string());
                }
                None => out.push_str(word),
            }
            rest = &rest[len..];
        }
        changed.then_some(out)
    }

    fn put(&mut self, inst: &Inst, fixup: Option<(Expr, Place)>, place: &Place) -> Result<(), AsmError> {
        let bytes = isa::encode(inst, &self.target).map_err(|e| place.error(e))?;
        if let Some((e, at)) = fixup {
            if is_branch(inst.op) {
                if !matches!(e, Expr::Symbol(..)) {
                    return Err(at.error(AsmErrorKind::Expected {
                        expected: "a number of words or a label",
                    }));
                }
                self.fixup(FixupKind::Branch, 0, e, &at);
            } else {
                // As LLVM: addresses go into literals of 32 bits only.
                let is_placeholder = |o: &Operand| matches!(o, Operand::Literal(PLACEHOLDER));
                let literal = inst
                    .specs()
                    .zip(&inst.operands)
                    .any(|(s, o)| s.bits() == 32 && is_placeholder(o));
                if !literal || !bytes.ends_with(&PLACEHOLDER.to_le_bytes()) {
                    return Err(at.error(AsmErrorKind::NotAbsolute));
                }
                self.fixup(FixupKind::Literal, bytes.len() as u64 - 4, e, &at);
            }
        }
        self.emit(&bytes, place)?;
        for r in inst.operands.iter().filter_map(|o| o.reg()) {
            let end = r.index + r.count;
            match r.file {
                RegFile::V => self.used[0] = self.used[0].max(end),
                RegFile::S if r.index < 106 => self.used[1] = self.used[1].max(end),
                RegFile::S => {}
            }
        }
        Ok(())
    }
}

fn is_branch(op: Opcode) -> bool {
    op.row().operands.iter().any(|s| s.kind == Kind::Imm(ImmKind::Branch))
}

/// The text the parser stumbled over.
fn offending(e: &ParseError) -> Option<&str> {
    match e {
        ParseError::Operand { text, .. } | ParseError::Modifier { text, .. } | ParseError::WideMask { text, .. } => {
            Some(text)
        }
        ParseError::Unknown { name, .. } => Some(name),
        _ => None,
    }
}

/// The operand an instruction that cannot be encoded fails for.
fn operand_at_fault<'a>(e: &ParseError, text: &'a str) -> Option<&'a str> {
    let ParseError::Illegal(e) = e else { return None };
    let (_, operands) = text.split_once(char::is_whitespace)?;
    let operand = isa::parse::split_top(operands, |c| c == ',')
        .get(e.operand()?)
        .copied()?;
    operand.split_whitespace().next()
}

/// Removes spaces around the operators of expressions, where the instruction parser would split: a sum is one operand.
fn close_up(text: &str) -> String {
    let (mnemonic, operands) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let mut out = format!("{mnemonic} ");
    let operands = isa::close_up(operands);
    let mut rest = operands.as_str();
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        let after = rest.trim_start();
        if c.is_whitespace() {
            // A sign that follows a name or number and a space joins two terms when a space follows it, too.
            let joins = after.starts_with(['+', '*', '/', '%']) || after.starts_with("<<") || after.starts_with(">>");
            let minus = after.starts_with("- ");
            let term = out.ends_with(|c: char| is_name(c) || c == ')');
            if joins || minus && term || out.ends_with(',') {
                continue;
            }
            out.push(' ');
            continue;
        }
        out.push(c);
        let binary = matches!(c, '+' | '*' | '/' | '%' | '<' | '>') || c == '-' && rest.starts_with(' ');
        if binary {
            rest = after;
        }
    }
    out
}

/// Replaces `bad` behind the mnemonic, where it is a whole operand.
fn replace_operand(text: &str, skip: usize, bad: &str, with: &str) -> Option<String> {
    let operands = &text[skip..];
    let whole = |&(at, _): &(usize, &str)| {
        let before = operands[..at].chars().next_back();
        let after = operands[at + bad.len()..].chars().next();
        let edge = |c: Option<char>| c.is_none_or(|c| !is_name(c) && c != '@');
        edge(before) && edge(after)
    };
    let (at, _) = operands.match_indices(bad).find(whole)?;
    Some(format!("{}{with}{}", &text[..skip + at], &operands[at + bad.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_become_one_word() {
        assert_eq!(close_up("s_mov_b32 s0,  a + 4 *b"), "s_mov_b32 s0,a+4*b");
        assert_eq!(close_up("s_mov_b32 s0, a - 4"), "s_mov_b32 s0,a-4");
        assert_eq!(
            close_up("v_add_f32 v0, -v1, -|v2| clamp"),
            "v_add_f32 v0,-v1,-|v2| clamp"
        );
        assert_eq!(close_up("x v0, off offset:4 glc"), "x v0,off offset:4 glc");
    }
}
