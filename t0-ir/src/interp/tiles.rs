//! Fragments, WMMA and tile operations.

use std::rc::Rc;

use super::wave::{poison, Group, Lanes, TileData, Val, Wave, LANES};
use super::InterpError;
use crate::eval::{eval, round, Const};
use crate::func::{Op, Value};
use crate::op::{Inside, LdsId, OpKind};
use crate::ty::{Scalar, TileTy, Ty};

type Done = Result<(), InterpError>;

/// Row and column that register `v` of lane `l` of an accumulator holds (see [`crate::Role::Acc`]).
fn acc_place(v: usize, l: usize) -> (usize, usize) {
    (2 * v + (l >> 4), l & 15)
}

impl<'f> Group<'f, '_> {
    pub(super) fn wmma(&self, w: &mut Wave<'f>, op: &Op) -> Done {
        for &input in &op.args[..2] {
            let uneven = w.elems(input).iter().find_map(|e| (0..16).find(|&l| e[l] != e[l + 16]));
            if let Some(lane) = uneven {
                return Err(InterpError::Fragment {
                    op: op.kind.row().name,
                    span: op.span,
                    lane: lane as u32,
                });
            }
        }
        let tys = [0, 1, 2].map(|n| self.ty(op.args[n]).elem());
        let c = w.elems(op.args[2]);
        let mut out = vec![poison(tys[2]); 8];
        if tys[2] == Scalar::I32 {
            let [a, b] = [0, 1].map(|n| matrix(w.elems(op.args[n]), |bits| Const::new(tys[n], bits).int()));
            accumulate(&mut out, c, |row, col, c| {
                let c = Const::new(tys[2], c).int();
                let sum = (0..16).fold(c, |acc, k| acc + a[row][k] * b[col][k]);
                Const::i32(sum as i32).bits
            });
        } else {
            let number = |ty, bits| Const::new(ty, bits).float() as f32; // 16 and 32 bits: exact
            let [a, b] = [0, 1].map(|n| matrix(w.elems(op.args[n]), |bits| number(tys[n], bits)));
            accumulate(&mut out, c, |row, col, c| {
                let sum = (0..16).fold(number(tys[2], c), |acc, k| a[row][k].mul_add(b[col][k], acc));
                round(tys[2], f64::from(sum)).bits
            });
        }
        w.set(op.results[0], Val::Elems(out));
        Ok(())
    }

    pub(super) fn tile_load(&self, w: &mut Wave<'f>, op: &Op) -> Done {
        let (Ty::LdsTile(t) | Ty::Staged(t)) = self.ty(op.results[0]) else {
            return Err(Self::unsupported(op, "its result is no tile"));
        };
        let view = w.view(op.args[0])[0];
        let [rows, cols, stride, row, col] = [1, 2, 3, 4, 5].map(|n| u64::from(Self::uniform(w, op.args[n])));
        let (OpKind::TileLoad { transposed } | OpKind::TileFetch { transposed, .. }) = op.kind else {
            return Err(Self::unsupported(op, "it loads no tile"));
        };
        if let OpKind::TileFetch { inside, .. } = op.kind {
            let (down, across) = if transposed { (t.cols, t.rows) } else { (t.rows, t.cols) };
            let all_cols = row < rows && col + u64::from(across) <= cols;
            let all_rows = row + u64::from(down) <= rows;
            if (inside != Inside::Unknown && !all_cols) || (inside == Inside::All && !all_rows) {
                return Err(Self::unsupported(op, "the tile is not inside its matrix"));
            }
        }
        let mut data = Vec::with_capacity((t.rows * t.cols) as usize);
        for r in 0..u64::from(t.rows) {
            for c in 0..u64::from(t.cols) {
                let (r, c) = if transposed { (c, r) } else { (r, c) };
                let inside = row + r < rows && col + c < cols;
                let index = (row + r) * stride + col + c;
                let at = Self::element(view, index, t.elem.bytes()).filter(|_| inside);
                data.push(at.map_or(Ok(0), |at| self.read(op, at, t.elem))?);
            }
        }
        w.set(op.results[0], Val::Tile(Rc::new(data)));
        Ok(())
    }

    pub(super) fn tile_commit(&self, w: &mut Wave<'f>, op: &Op, lds: LdsId) -> Done {
        let offset = Self::uniform(w, op.args[1]);
        let Val::Tile(data) = w.val(op.args[0]) else {
            return Err(Self::unsupported(op, "its operand is no staged tile"));
        };
        let data = data.clone();
        w.tiles.insert((lds, offset), data);
        w.set(op.results[0], Val::TileAt(lds, offset));
        Ok(())
    }

    fn tile_data(w: &Wave<'f>, op: &Op, v: Value) -> Result<TileData, InterpError> {
        match w.val(v) {
            Val::Tile(data) => Ok(data.clone()),
            Val::TileAt(lds, offset) => match w.tiles.get(&(*lds, *offset)) {
                Some(data) => Ok(data.clone()),
                None => Err(Self::unsupported(op, "no tile was committed there")),
            },
            _ => Err(Self::unsupported(op, "its operand is no tile")),
        }
    }

    pub(super) fn tile_frag(&self, w: &mut Wave<'f>, op: &Op) -> Done {
        let Ty::LdsTile(TileTy { rows, cols, .. }) = self.ty(op.args[0]) else {
            return Err(Self::unsupported(op, "its operand is no tile"));
        };
        let data = Self::tile_data(w, op, op.args[0])?;
        let (block, k) = (
            Self::uniform(w, op.args[1]) as usize,
            Self::uniform(w, op.args[2]) as usize,
        );
        if 16 * block + 16 > rows as usize || k + 16 > cols as usize || data.len() != (rows * cols) as usize {
            return Err(Self::unsupported(op, "the fragment is not inside of its tile"));
        }
        let elem =
            |e: usize| -> Lanes { std::array::from_fn(|l| data[(16 * block + (l & 15)) * cols as usize + k + e]) };
        w.set(op.results[0], Val::Elems((0..16).map(elem).collect()));
        Ok(())
    }

    pub(super) fn tile_store(&mut self, w: &Wave<'f>, op: &Op) -> Done {
        let (from, s) = (self.ty(op.args[6]).elem(), self.ty(op.args[0]).elem());
        let view = w.view(op.args[0])[0];
        let [rows, cols, stride, row, col] = [1, 2, 3, 4, 5].map(|n| u64::from(Self::uniform(w, op.args[n])));
        for (v, x) in w.elems(op.args[6]).iter().enumerate() {
            for (l, &bits) in x.iter().enumerate().take(LANES) {
                let (r, c) = acc_place(v, l);
                let (r, c) = (row + r as u64, col + c as u64);
                let at = Self::element(view, r * stride + c, s.bytes());
                let cast = eval(&OpKind::Cast, &[Const::new(from, bits)], Ty::Scalar(s));
                if let (Some(at), Some(x)) = (at.filter(|_| r < rows && c < cols), cast) {
                    self.write(op, at, s, x.bits)?;
                }
            }
        }
        Ok(())
    }
}

/// An input fragment as rows of 16 numbers.
fn matrix<T>(elems: &[Lanes], number: impl Fn(u64) -> T) -> [[T; 16]; 16] {
    std::array::from_fn(|row| std::array::from_fn(|k| number(elems[k][row])))
}

/// Sets every element of an accumulator from its row, column and old value.
fn accumulate(out: &mut [Lanes], c: &[Lanes], element: impl Fn(usize, usize, u64) -> u64) {
    for (v, (o, c)) in out.iter_mut().zip(c).enumerate() {
        for (l, x) in o.iter_mut().enumerate() {
            let (row, col) = acc_place(v, l);
            *x = element(row, col, c[l]);
        }
    }
}
