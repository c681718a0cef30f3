//! Tiles: accumulators shared out over the waves, LDS tiles, matrix fragments.

use crate::func::Value;
use crate::op::OpKind;
use crate::stage::{Acc, Iter, Stage, TArg, TilePlace, TyDesc, Val};
use crate::ty::{Role, Scalar, TileTy, Ty};

/// Side of a matrix fragment.
const FRAG: u32 = 16;

/// How the `rows × cols` blocks of an accumulator are shared out over `waves` waves: the grid of waves whose shares are
/// nearest to square, which need the fewest input fragments per block. `None` if no grid divides the blocks evenly.
pub(crate) fn wave_grid(rows: u32, cols: u32, waves: u32) -> Option<(u32, u32)> {
    (1..=waves)
        .filter(|wm| waves % wm == 0)
        .map(|wm| (wm, waves / wm))
        .filter(|&(wm, wn)| rows % wm == 0 && cols % wn == 0)
        .min_by_key(|&(wm, wn)| rows / wm + cols / wn)
}

impl Stage {
    /// `Acc::<T, R, C>::zero()`
    pub(crate) fn acc_zero(&mut self, ty: &TyDesc) -> Val {
        let (Some(elem), Some(rows), Some(cols)) = (
            ty.ty_arg(0).and_then(TyDesc::scalar),
            self.size(ty, 1),
            self.size(ty, 2),
        ) else {
            return self.fail(
                "the type of this accumulator is not known here",
                "write it with its arguments, as in `Acc::<f32, 128, 128>::zero()`",
            );
        };
        let waves = self.b.func().waves();
        if rows % FRAG != 0 || cols % FRAG != 0 || rows == 0 || cols == 0 {
            return self.fail(
                format!("an accumulator of {rows}×{cols} does not consist of {FRAG}×{FRAG} blocks"),
                format!("make both sides multiples of {FRAG}"),
            );
        }
        let Some((wm, wn)) = wave_grid(rows / FRAG, cols / FRAG, waves) else {
            return self.fail(
                format!(
                    "the {}×{} blocks of this {rows}×{cols} accumulator cannot be shared out evenly over the {waves} waves of the group",
                    rows / FRAG,
                    cols / FRAG
                ),
                format!(
                    "choose a group of fewer waves or a larger tile: some split of {waves} into two factors must divide {} and {}",
                    rows / FRAG,
                    cols / FRAG
                ),
            );
        };
        self.acc(elem, rows, cols, (wm, wn))
    }

    fn acc(&mut self, elem: Scalar, rows: u32, cols: u32, (wm, wn): (u32, u32)) -> Val {
        let (bm, bn) = (rows / FRAG / wm, cols / FRAG / wn);
        let wave = self.pure(OpKind::WaveId, &[]);
        let across = self.u32(wn);
        let (down, right) = match (wm, wn) {
            (_, 1) => (wave, self.u32(0)),
            (1, _) => (self.u32(0), wave),
            _ => (
                self.pure(OpKind::Div, &[wave, across]),
                self.pure(OpKind::Rem, &[wave, across]),
            ),
        };
        let (bm_v, bn_v) = (self.u32(bm), self.u32(bn));
        let row = self.int_op(OpKind::Mul, down, bm_v);
        let col = self.int_op(OpKind::Mul, right, bn_v);
        let zero = self.constant(elem, 0);
        let frags = (0..bm * bn)
            .map(|_| self.b.op1_as(OpKind::FragSplat, &[zero], Ty::Frag(Role::Acc, elem)))
            .collect();
        Val::Acc(Acc {
            rows,
            cols,
            bm,
            bn,
            row,
            col,
            frags,
        })
    }

    /// Number argument `n` of a type as a size.
    fn size(&self, ty: &TyDesc, n: usize) -> Option<u32> {
        ty.const_arg(n).and_then(|c| u32::try_from(c).ok())
    }

    /// `mat.tile::<R, C>(row, col)`
    pub(crate) fn tile(&mut self, mat: &[Value; 4], targs: &[TArg], args: &[Val]) -> Val {
        let sizes: Vec<u32> = targs
            .iter()
            .filter_map(|a| match a {
                TArg::Const(c) => u32::try_from(*c).ok(),
                TArg::Ty(_) => None,
            })
            .collect();
        let (&[rows, cols], [row, col]) = (sizes.as_slice(), args) else {
            return self.fail(
                "the shape of this tile is not known here",
                "write it with its shape, as in `a.tile::<128, 32>(row, k)`",
            );
        };
        let (Some(row), Some(col)) = (self.index_value(row), self.index_value(col)) else {
            return self.poison();
        };
        Val::Tile(TilePlace {
            mat: *mat,
            row,
            col,
            rows,
            cols,
            transposed: false,
        })
    }

    /// `Lds::load(tile)`
    pub(crate) fn lds_load(&mut self, tile: &Val) -> Val {
        let Val::Tile(t) = self.target(tile) else {
            return self.poison();
        };
        let ty = TileTy {
            elem: self.elem(t.mat[0]),
            rows: t.rows,
            cols: t.cols,
        };
        let [buf, rows, cols, stride] = t.mat;
        let args = [buf, rows, cols, stride, t.row, t.col];
        let transposed = t.transposed;
        Val::Lds(self.b.op1_as(OpKind::TileLoad { transposed }, &args, Ty::LdsTile(ty)))
    }

    /// `lds.frag(block, k)`
    pub(crate) fn lds_frag(&mut self, tile: Value, args: &[Val]) -> Val {
        let [block, k] = args else { return self.poison() };
        let (Some(block), Some(k)) = (self.index_value(block), self.index_value(k)) else {
            return self.poison();
        };
        self.check_fragment(tile, block, k);
        Val::V(self.tile_frag(tile, block, k))
    }

    /// `wmma(a, b, c)`
    pub(crate) fn wmma(&mut self, args: &[Val]) -> Val {
        let [a, b, c] = args else { return self.poison() };
        let (Some(a), Some(b), Some(c)) = (self.value(a), self.value(b), self.value(c)) else {
            return self.poison();
        };
        Val::V(self.b.op1(OpKind::Wmma, &[a, b, c]))
    }

    /// `acc.frags_mut()`
    pub(crate) fn frags_mut(&mut self, acc: &Val) -> Val {
        match self.target_place(acc) {
            Some(p) => Val::Iter(Box::new(Iter::Frags(p))),
            None => self.fail(
                "this accumulator is not in a `let mut` local",
                "bind it with `let mut` first",
            ),
        }
    }

    /// `acc.mma_nt(&a, &b)`: acc += a·bᵀ over all of k.
    pub(crate) fn mma_nt(&mut self, acc: &Val, args: &[Val]) -> Val {
        let (Some(place), [a, b]) = (self.target_place(acc), args) else {
            return self.poison();
        };
        let (Val::Lds(a), Val::Lds(b)) = (self.target(a), self.target(b)) else {
            return self.poison();
        };
        let (Val::Acc(mut acc), Ty::LdsTile(ty)) = (self.read_place(&place), self.ty(a)) else {
            return self.poison();
        };
        for k in (0..ty.cols).step_by(FRAG as usize) {
            let k = self.u32(k);
            for i in 0..acc.bm {
                let block = self.offset(acc.row, i);
                let a = self.tile_frag(a, block, k);
                for j in 0..acc.bn {
                    let block = self.offset(acc.col, j);
                    let b = self.tile_frag(b, block, k);
                    let d = &mut acc.frags[(i * acc.bn + j) as usize];
                    *d = self.b.op1(OpKind::Wmma, &[a, b, *d]);
                }
            }
        }
        self.write_place(&place, &Val::Acc(acc));
        Val::Unit
    }

    /// `tile.store(acc)`
    pub(crate) fn tile_store(&mut self, t: &TilePlace, acc: &Val) -> Val {
        let Val::Acc(acc) = self.full(acc) else {
            return self.poison();
        };
        let [buf, rows, cols, stride] = t.mat;
        for i in 0..acc.bm {
            let row = self.block_origin(t.row, acc.row, i);
            for j in 0..acc.bn {
                let col = self.block_origin(t.col, acc.col, j);
                let frag = acc.frags[(i * acc.bn + j) as usize];
                self.b
                    .op0(OpKind::TileStore, &[buf, rows, cols, stride, row, col, frag]);
            }
        }
        Val::Unit
    }

    /// Element at which a block starts: `origin + (first + n)·16`.
    fn block_origin(&mut self, origin: Value, first: Value, n: u32) -> Value {
        let block = self.offset(first, n);
        let side = self.u32(FRAG);
        let at = self.int_op(OpKind::Mul, block, side);
        self.int_op(OpKind::Add, origin, at)
    }

    /// `Shared::<[T; N]>::new()`
    pub(crate) fn shared(&mut self, ty: &TyDesc) -> Val {
        let Some(TyDesc::Array(elem, len)) = ty.ty_arg(0) else {
            return self.fail(
                "the type of this shared array is not known here",
                "write it with its type, as in `Shared::<[f32; 256]>::new()`",
            );
        };
        let atomic = elem.named() == Some("Atomic");
        let scalar = if atomic {
            elem.ty_arg(0).and_then(TyDesc::scalar)
        } else {
            elem.scalar()
        };
        let (Some(elem), Ok(len)) = (scalar, u32::try_from(*len)) else {
            return self.fail(
                "`Shared` holds arrays of scalars",
                "use an element type such as `f32` or `u32`",
            );
        };
        let Some(bytes) = len.checked_mul(elem.bytes()).filter(|&b| b <= 1 << 16) else {
            return self.fail(
                format!("{len} elements of `{elem}` are more than the 65536 bytes of LDS a workgroup can have"),
                "use a smaller array",
            );
        };
        let n = self.b.func().lds.len();
        let lds = self.b.func_mut().new_lds(crate::func::LdsAlloc {
            name: format!("shared{n}"),
            bytes,
            align: elem.bytes().max(4),
            slots: 1,
            elem: Some(elem),
            tile: false,
            swizzled: false,
        });
        Val::Shared { lds, elem, len, atomic }
    }
}

#[cfg(test)]
mod tests {
    use super::wave_grid;

    #[test]
    fn shares_are_near_square() {
        assert_eq!(wave_grid(8, 8, 8), Some((2, 4)));
        assert_eq!(wave_grid(8, 8, 4), Some((2, 2)));
        assert_eq!(wave_grid(4, 4, 8), Some((2, 4)));
        assert_eq!(wave_grid(8, 4, 8), Some((4, 2)));
        assert_eq!(wave_grid(1, 8, 8), Some((1, 8)));
        assert_eq!(wave_grid(3, 5, 8), None);
        assert_eq!(wave_grid(1, 1, 1), Some((1, 1)));
    }
}
