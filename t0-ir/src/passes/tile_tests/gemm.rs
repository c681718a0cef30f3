//! A GEMM in tile form, and what the passes make of it.

use crate::build::Builder;
use crate::func::{Access, Func, Param, ParamKind, Value};
use crate::op::{LoopHints, OpKind};
use crate::passes::{lower_tiles, pipeline_lds, place_barriers};
use crate::ty::{Role, Scalar, TileTy, Ty};

/// C ← A·Bᵀ with a tile of C per workgroup, shared out over `wm`×`wn` waves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gemm {
    pub elem: Scalar,
    pub out: Scalar,
    pub bm: u32,
    pub bn: u32,
    pub bk: u32,
    pub wm: u32,
    pub wn: u32,
    pub stages: u32,
}

impl Gemm {
    pub fn new(bm: u32, bn: u32, bk: u32, wm: u32, wn: u32, stages: u32) -> Gemm {
        Gemm {
            elem: Scalar::Bf16,
            out: Scalar::F32,
            bm,
            bn,
            bk,
            wm,
            wn,
            stages,
        }
    }

    pub fn group(&self) -> u32 {
        32 * self.wm * self.wn
    }

    /// The kernel as a `#[kernel]` function would be staged, its inner loop unrolled.
    pub fn build(&self) -> Func {
        let mat = |name: &str, elem, access| Param {
            name: name.into(),
            kind: ParamKind::Mat(elem, access),
        };
        let params = vec![
            mat("a", self.elem, Access::Read),
            mat("bt", self.elem, Access::Read),
            mat("c", self.out, Access::Write),
        ];
        let mut b = Builder::new(Func::new("gemm", self.group(), params));
        let p: Vec<Value> = (0..12).map(Value).collect();
        let row = origin(&mut b, 0, self.bm);
        let col = origin(&mut b, 1, self.bn);
        let wave = b.op1(OpKind::WaveId, &[]);
        let wn = b.u32(self.wn);
        let wave_row = b.op1(OpKind::Div, &[wave, wn]);
        let wave_col = b.op1(OpKind::Rem, &[wave, wn]);
        let (fm, fn_) = (self.bm / 16 / self.wm, self.bn / 16 / self.wn);
        let zero = b.f32(0.0);
        let acc: Vec<Value> = (0..fm * fn_)
            .map(|_| b.op1_as(OpKind::FragSplat, &[zero], Ty::Frag(Role::Acc, Scalar::F32)))
            .collect();
        let (lo, step) = (b.u32(0), b.u32(self.bk));
        let hints = LoopHints {
            stages: self.stages,
            unroll: false,
        };
        let acc = b.for_([lo, p[2], step], hints, &acc, |b, k, acc| {
            let ta = self.load(b, &p[0..4], row, k, self.bm, "ta");
            let tb = self.load(b, &p[4..8], col, k, self.bn, "tb");
            let mut acc = acc.to_vec();
            for kk in (0..self.bk).step_by(16) {
                for i in 0..fm {
                    for j in 0..fn_ {
                        let fa = self.frag(b, ta, wave_row, fm, i, kk);
                        let fb = self.frag(b, tb, wave_col, fn_, j, kk);
                        let d = &mut acc[(i * fn_ + j) as usize];
                        *d = b.op1(OpKind::Wmma, &[fa, fb, *d]);
                    }
                }
            }
            acc
        });
        for i in 0..fm {
            for j in 0..fn_ {
                let r = place(&mut b, row, wave_row, fm, i);
                let c = place(&mut b, col, wave_col, fn_, j);
                let args = [p[8], p[9], p[10], p[11], r, c, acc[(i * fn_ + j) as usize]];
                b.op0(OpKind::TileStore, &args);
            }
        }
        b.finish()
    }

    fn load(&self, b: &mut Builder, m: &[Value], at: Value, k: Value, rows: u32, name: &str) -> Value {
        let ty = TileTy {
            elem: self.elem,
            rows,
            cols: self.bk,
        };
        let tile = b.op1_as(OpKind::TileLoad, &[m[0], m[1], m[2], m[3], at, k], Ty::LdsTile(ty));
        b.func_mut().values[tile.0 as usize].name = Some(name.into());
        tile
    }

    fn frag(&self, b: &mut Builder, tile: Value, wave: Value, per_wave: u32, i: u32, kk: u32) -> Value {
        let per_wave = b.u32(per_wave);
        let first = b.op1(OpKind::Mul, &[wave, per_wave]);
        let i = b.u32(i);
        let block = b.op1(OpKind::Add, &[first, i]);
        let k = b.u32(kk);
        b.op1_as(OpKind::TileFrag, &[tile, block, k], Ty::Frag(Role::Input, self.elem))
    }
}

fn origin(b: &mut Builder, axis: u32, size: u32) -> Value {
    let g = b.op1(OpKind::GroupId { axis }, &[]);
    let size = b.u32(size);
    b.op1(OpKind::Mul, &[g, size])
}

fn place(b: &mut Builder, origin: Value, wave: Value, per_wave: u32, i: u32) -> Value {
    let (per_wave, sixteen, i) = (b.u32(per_wave), b.u32(16), b.u32(i));
    let block = b.op1(OpKind::Mul, &[wave, per_wave]);
    let block = b.op1(OpKind::Add, &[block, i]);
    let at = b.op1(OpKind::Mul, &[block, sixteen]);
    b.op1(OpKind::Add, &[origin, at])
}

/// The tile passes in their order.
pub(super) fn lower(f: &mut Func) {
    pipeline_lds::run(f).unwrap();
    lower_tiles::run(f).unwrap();
    place_barriers::run(f).unwrap();
}
