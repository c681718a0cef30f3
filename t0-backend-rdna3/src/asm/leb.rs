//! `.uleb128` and `.sleb128`: numbers as long as they need to be.
//!
//! Problem: a distance to a label further down is not known when the line is read, and where that label is depends on how
//! many bytes the distance takes. Method: such a number is taken to be one byte long; when all is read and some are longer,
//! the file is read again with those lengths ([`super::assemble`]). Invariant: lengths only grow, as in LLVM's relaxation,
//! and a number that came out shorter is padded to its length. Source: DWARF 5, 7.6; what llvm-mc 19 does.

use super::error::{AsmError, AsmErrorKind};
use super::expr::{self, Expr};
use super::lex::{Cursor, Place};
use super::state::Assembler;
use object::elf;

/// A number whose value is not known yet.
#[derive(Debug, Clone)]
pub struct Leb {
    section: usize,
    offset: u64,
    size: usize,
    signed: bool,
    expr: Expr,
    place: Place,
}

impl Assembler {
    /// Numbers of seven bits a byte.
    pub(super) fn leb(&mut self, c: &mut Cursor<'_>, signed: bool) -> Result<(), AsmError> {
        loop {
            let start = c.position();
            let e = expr::parse(c, self)?;
            let place = c.since(start);
            match self.absolute(&e) {
                Some(value) => self.emit(&bytes(value, signed, 1), &place)?,
                None if self.sections[self.current].kind == elf::SHT_NOBITS => {
                    return Err(place.error(AsmErrorKind::NoBits));
                }
                None => {
                    let size = self.leb_sizes.get(self.lebs.len()).copied().unwrap_or(1);
                    self.register_all(&e);
                    self.lebs.push(Leb {
                        section: self.current,
                        offset: self.sections[self.current].size,
                        size,
                        signed,
                        expr: e,
                        place: place.clone(),
                    });
                    self.emit(&vec![0; size], &place)?;
                }
            }
            if !c.eat(",") {
                return c.finish();
            }
        }
    }

    /// Writes the numbers; gives the lengths they need when some are too short.
    ///
    /// Errors: one that depends on where code is placed.
    pub(super) fn write_lebs(&mut self) -> Result<Option<Vec<usize>>, AsmError> {
        let lebs = std::mem::take(&mut self.lebs);
        let mut sizes = Vec::with_capacity(lebs.len());
        for leb in &lebs {
            let value = self.sum(&leb.expr, &leb.place)?.absolute();
            let value = value.ok_or_else(|| leb.place.error(AsmErrorKind::NotAbsolute))?;
            let bytes = bytes(value, leb.signed, leb.size);
            sizes.push(bytes.len());
            let at = leb.offset as usize;
            if let Some(place) = self.sections[leb.section].data.get_mut(at..at + leb.size) {
                place.copy_from_slice(&bytes[..leb.size]);
            }
        }
        let longer = lebs.iter().zip(&sizes).any(|(l, size)| l.size < *size);
        Ok(longer.then_some(sizes))
    }
}

/// A number in at least so many bytes.
fn bytes(value: i64, signed: bool, least: usize) -> Vec<u8> {
    let (mut rest, mut bytes) = (value, Vec::new());
    loop {
        let low = (rest & 0x7f) as u8;
        rest = if signed { rest >> 7 } else { (rest as u64 >> 7) as i64 };
        let sign = low & 0x40 != 0;
        let is_whole = match signed {
            true => rest == 0 && !sign || rest == -1 && sign,
            false => rest == 0,
        };
        let last = is_whole && bytes.len() + 1 >= least;
        bytes.push(if last { low } else { low | 0x80 });
        if last {
            return bytes;
        }
    }
}
