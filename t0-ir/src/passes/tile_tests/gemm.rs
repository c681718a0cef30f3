//! A GEMM in tile form, and what the passes make of it.

use crate::build::Builder;
use crate::func::{Access, Func, Param, ParamKind, Value};
use crate::op::{LoopHints, OpKind, Pred};
use crate::passes::{lower_tiles, pipeline_lds, place_barriers};
use crate::ty::{Role, Scalar, TileTy, Ty};
use crate::verify::verify;

/// What is around and in the loop over k.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// One tile of C per workgroup, fragments unrolled.
    Plain,
    /// One workgroup does all tiles of C, one after the other.
    Persistent,
    /// The loop over the 16-wide parts of a tile is a loop.
    InnerLoop,
    /// There is one wave more than work: it only helps with the loading.
    SpareWave,
    /// The loop counts tiles from −3 in `i32`; the place along k is computed from that in the loop.
    SignedIndex,
}

/// C ← A·Bᵀ with a tile of C per workgroup, shared out over `wm`×`wn` waves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gemm {
    pub elem: Scalar,
    pub out: Scalar,
    pub tile: [u32; 3],
    pub waves: [u32; 2],
    pub stages: u32,
    pub form: Form,
    /// A, and what is Bᵀ otherwise, have k along their columns.
    pub transposed: [bool; 2],
}

/// Values that the parts of a kernel share.
struct Parts {
    /// Matrix parameters: A, Bᵀ, C, four values each.
    mats: [[Value; 4]; 3],
    /// Row and column of a wave in the tile, in units of its own share.
    wave: [Value; 2],
    /// Does this wave have a share?
    has_share: Value,
}

impl Gemm {
    /// `tile`: M, N, K; `waves`: along M, N.
    pub fn new(tile: [u32; 3], waves: [u32; 2], stages: u32) -> Gemm {
        let (elem, out, form) = (Scalar::Bf16, Scalar::F32, Form::Plain);
        Gemm {
            elem,
            out,
            tile,
            waves,
            stages,
            form,
            transposed: [false; 2],
        }
    }

    /// Type of the sums.
    pub fn acc(&self) -> Scalar {
        match self.elem {
            Scalar::I8 | Scalar::U8 => Scalar::I32,
            _ => Scalar::F32,
        }
    }

    /// Workgroups for an `m`×`n` result.
    pub fn grid(&self, m: u32, n: u32) -> [u32; 3] {
        match self.form {
            Form::Persistent => [1, 1, 1],
            _ => [m.div_ceil(self.tile[0]), n.div_ceil(self.tile[1]), 1],
        }
    }

    /// 16×16 blocks of C per wave along M, N.
    fn blocks(&self) -> [u32; 2] {
        [0, 1].map(|d| self.tile[d] / 16 / self.waves[d])
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
        let working = self.waves[0] * self.waves[1];
        let group = 32 * (working + u32::from(self.form == Form::SpareWave));
        let mut b = Builder::new(Func::new("gemm", group, params));
        let wave = b.op1(OpKind::WaveId, &[]);
        let (wn, all) = (b.u32(self.waves[1]), b.u32(working));
        let p = Parts {
            mats: [0, 4, 8].map(|n| [0, 1, 2, 3].map(|i| Value(n + i))),
            wave: [b.op1(OpKind::Div, &[wave, wn]), b.op1(OpKind::Rem, &[wave, wn])],
            has_share: b.op1(OpKind::Cmp { pred: Pred::Lt }, &[wave, all]),
        };
        if self.form == Form::Persistent {
            self.all_tiles(&mut b, &p);
        } else {
            let g = [0, 1].map(|axis| b.op1(OpKind::GroupId { axis }, &[]));
            self.one_tile(&mut b, &p, g);
        }
        b.finish()
    }

    fn all_tiles(&self, b: &mut Builder, p: &Parts) {
        let tiles = [0, 1].map(|d| {
            let (size, more) = (b.u32(self.tile[d]), b.u32(self.tile[d] - 1));
            let n = b.op1(OpKind::Add, &[p.mats[2][1 + d], more]);
            b.op1(OpKind::Div, &[n, size])
        });
        let (zero, one) = (b.u32(0), b.u32(1));
        let hints = LoopHints::default();
        b.for_([zero, tiles[0], one], hints, &[], |b, i, _| {
            b.for_([zero, tiles[1], one], hints, &[], |b, j, _| {
                self.one_tile(b, p, [i, j]);
                vec![]
            });
            vec![]
        });
    }

    fn one_tile(&self, b: &mut Builder, p: &Parts, at: [Value; 2]) {
        let at = [0, 1].map(|d| {
            let size = b.u32(self.tile[d]);
            b.op1(OpKind::Mul, &[at[d], size])
        });
        let [fm, fn_] = self.blocks();
        let acc_ty = Ty::Frag(Role::Acc, self.acc());
        let zero = b.constant(self.acc(), 0);
        let acc: Vec<Value> = (0..fm * fn_)
            .map(|_| b.op1_as(OpKind::FragSplat, &[zero], acc_ty))
            .collect();
        let bounds = self.bounds(b, p.mats[0][if self.transposed[0] { 1 } else { 2 }]);
        let hints = LoopHints {
            stages: self.stages,
            turns: false,
            unroll: false,
        };
        let acc = b.for_(bounds, hints, &acc, |b, i, acc| {
            let k = self.place_along_k(b, i);
            let tiles = [0, 1].map(|d| self.load(b, &p.mats[d], at[d], k, d));
            if self.form == Form::SpareWave {
                let tys = vec![acc_ty; acc.len()];
                return b.if_(p.has_share, &tys, |b| self.multiply(b, p, tiles, acc), |_| acc.to_vec());
            }
            self.multiply(b, p, tiles, acc)
        });
        if self.form == Form::SpareWave {
            let store = |b: &mut Builder| {
                self.store(b, p, at, &acc);
                vec![]
            };
            b.if_(p.has_share, &[], store, |_| vec![]);
        } else {
            self.store(b, p, at, &acc);
        }
    }

    /// Bounds of the loop along k, of matrices `k` wide.
    fn bounds(&self, b: &mut Builder, k: Value) -> [Value; 3] {
        let size = b.u32(self.tile[2]);
        if self.form != Form::SignedIndex {
            return [b.u32(0), k, size];
        }
        let more = b.u32(self.tile[2] - 1);
        let tiles = b.op1(OpKind::Add, &[k, more]);
        let tiles = b.op1(OpKind::Div, &[tiles, size]);
        let tiles = b.op1_as(OpKind::Cast, &[tiles], Ty::I32);
        let (lo, one) = (b.constant(Scalar::I32, -3i32 as u32 as u64), b.constant(Scalar::I32, 1));
        let hi = b.op1(OpKind::Add, &[tiles, lo]);
        [lo, hi, one]
    }

    fn place_along_k(&self, b: &mut Builder, i: Value) -> Value {
        if self.form != Form::SignedIndex {
            return i;
        }
        let (three, size) = (b.constant(Scalar::I32, 3), b.u32(self.tile[2]));
        let n = b.op1(OpKind::Add, &[i, three]);
        let n = b.op1_as(OpKind::Cast, &[n], Ty::U32);
        b.op1(OpKind::Mul, &[n, size])
    }

    fn load(&self, b: &mut Builder, m: &[Value; 4], at: Value, k: Value, d: usize) -> Value {
        let ty = TileTy {
            elem: self.elem,
            rows: self.tile[d],
            cols: self.tile[2],
        };
        let transposed = self.transposed[d];
        let [row, col] = if transposed { [k, at] } else { [at, k] };
        let args = [m[0], m[1], m[2], m[3], row, col];
        let tile = b.op1_as(OpKind::TileLoad { transposed }, &args, Ty::LdsTile(ty));
        b.func_mut().values[tile.0 as usize].name = Some(["ta", "tb"][d].into());
        tile
    }

    fn multiply(&self, b: &mut Builder, p: &Parts, tiles: [Value; 2], acc: &[Value]) -> Vec<Value> {
        if self.form == Form::InnerLoop {
            let (lo, hi, step) = (b.u32(0), b.u32(self.tile[2]), b.u32(16));
            return b.for_([lo, hi, step], LoopHints::default(), acc, |b, kk, acc| {
                self.step(b, p, tiles, kk, acc)
            });
        }
        (0..self.tile[2]).step_by(16).fold(acc.to_vec(), |acc, kk| {
            let kk = b.u32(kk);
            self.step(b, p, tiles, kk, &acc)
        })
    }

    /// One 16-wide step along k.
    fn step(&self, b: &mut Builder, p: &Parts, tiles: [Value; 2], kk: Value, acc: &[Value]) -> Vec<Value> {
        let [fm, fn_] = self.blocks();
        let mut acc = acc.iter();
        let mut next = Vec::new();
        for i in 0..fm {
            for j in 0..fn_ {
                let frags = [i, j].into_iter().enumerate().map(|(d, n)| {
                    let block = self.block(b, p, d, n);
                    b.op1_as(
                        OpKind::TileFrag,
                        &[tiles[d], block, kk],
                        Ty::Frag(Role::Input, self.elem),
                    )
                });
                let mut args: Vec<Value> = frags.collect();
                args.extend(acc.next());
                next.push(b.op1(OpKind::Wmma, &args));
            }
        }
        next
    }

    /// Number of the wave's `n`-th block along M (d = 0) or N (1) in the tile.
    fn block(&self, b: &mut Builder, p: &Parts, d: usize, n: u32) -> Value {
        let (share, n) = (b.u32(self.blocks()[d]), b.u32(n));
        let first = b.op1(OpKind::Mul, &[p.wave[d], share]);
        b.op1(OpKind::Add, &[first, n])
    }

    fn store(&self, b: &mut Builder, p: &Parts, at: [Value; 2], acc: &[Value]) {
        let [fm, fn_] = self.blocks();
        for i in 0..fm {
            for j in 0..fn_ {
                let place = [i, j].into_iter().enumerate().map(|(d, n)| {
                    let (block, sixteen) = (self.block(b, p, d, n), b.u32(16));
                    let off = b.op1(OpKind::Mul, &[block, sixteen]);
                    b.op1(OpKind::Add, &[at[d], off])
                });
                let place: Vec<Value> = place.collect();
                let args = p.mats[2]
                    .iter()
                    .copied()
                    .chain(place)
                    .chain([acc[(i * fn_ + j) as usize]]);
                let args: Vec<Value> = args.collect();
                b.op0(OpKind::TileStore, &args);
            }
        }
    }
}

/// Runs the tile passes in their order; each must leave a function the verifier accepts.
pub(super) fn lower(f: &mut Func) {
    verify(f).unwrap();
    for pass in [pipeline_lds::run, lower_tiles::run, place_barriers::run] {
        pass(f).unwrap();
        verify(f).unwrap();
    }
}
