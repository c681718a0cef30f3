//! Random matrix products C ← A·Bᵀ: shapes of tiles, layouts of waves, pipeline depths, element types, sizes off the tile, gaps between rows.

use crate::compare::{both, compare, folder, Failure, Stage};
use crate::seeds;
use std::io::Write;
use t0_ir::interp::{Arg, Memory};
use t0_ir::testing::{Case, Rng};
use t0_ir::{Access, Builder, Func, LoopHints, OpKind, Param, ParamKind, Role, Scalar, TileTy, Ty, Value};

/// A product. Its text is its fields, between blanks.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Config {
    elem: Scalar,
    /// Rows of A, rows of Bᵀ and columns of both in a tile.
    tile: [u32; 3],
    /// Waves along the rows and along the columns of C.
    waves: [u32; 2],
    stages: u32,
    /// M, N, K.
    size: [u32; 3],
    /// Elements between the rows of A, Bᵀ, C.
    gaps: [u32; 3],
    /// Of the elements.
    seed: u32,
}

const ELEMS: [Scalar; 4] = [Scalar::Bf16, Scalar::F16, Scalar::I8, Scalar::U8];

impl Config {
    fn random(seed: u64) -> Config {
        let mut rng = Rng::new(seed);
        let waves = rng.pick(&[[1, 1], [2, 1], [1, 2], [2, 2], [4, 1], [4, 2]]);
        let blocks = [1 + rng.below(3) as u32, 1 + rng.below(3) as u32];
        let tile = [
            16 * waves[0] * blocks[0],
            16 * waves[1] * blocks[1],
            rng.pick(&[16, 32, 32, 48, 64]),
        ];
        let size = [0, 1, 2].map(|d| match rng.below(6) {
            0 => rng.below(3) as u32,
            1 => tile[d],
            2 => tile[d] * 2 + 1,
            3 => tile[d] * 2 - 1,
            4 => tile[d] * (1 + rng.below(4) as u32),
            _ => rng.below(2 * tile[d] as usize + 20) as u32,
        });
        Config {
            elem: rng.pick(&ELEMS),
            tile,
            waves,
            stages: rng.below(4) as u32,
            size,
            gaps: [0, 1, 2].map(|_| if rng.one_in(2) { 0 } else { rng.below(9) as u32 }),
            seed: rng.bits() as u32,
        }
    }

    /// Whether two or three buffers of both tiles find room in the LDS; rows may be padded by 16 bytes.
    fn fits(&self) -> bool {
        let row = self.tile[2] * self.elem.bytes() + 16;
        (self.tile[0] + self.tile[1]) * row * self.stages.max(1) <= 65536
    }

    fn text(&self) -> String {
        let [m, n, k] = self.tile;
        let [wm, wn] = self.waves;
        let ([sm, sn, sk], [ga, gb, gc]) = (self.size, self.gaps);
        format!(
            "{} {m} {n} {k} {wm} {wn} {} {sm} {sn} {sk} {ga} {gb} {gc} {}",
            self.elem, self.stages, self.seed
        )
    }

    fn parse(text: &str) -> Option<Config> {
        let (elem, rest) = text.split_once(' ')?;
        let n: Vec<u32> = rest.split(' ').map(|w| w.parse().ok()).collect::<Option<_>>()?;
        let &[m, nn, k, wm, wn, stages, sm, sn, sk, ga, gb, gc, seed] = &n[..] else {
            return None;
        };
        Some(Config {
            elem: ELEMS.into_iter().find(|e| e.to_string() == elem)?,
            tile: [m, nn, k],
            waves: [wm, wn],
            stages,
            size: [sm, sn, sk],
            gaps: [ga, gb, gc],
            seed,
        })
    }

    /// Products that are a little smaller in one way.
    fn smaller(&self) -> Vec<Config> {
        let mut out = Vec::new();
        for d in 0..3 {
            for to in [0, self.size[d] / 2, self.size[d].saturating_sub(1)] {
                let mut c = *self;
                c.size[d] = to;
                out.push(c);
            }
            let mut c = *self;
            c.gaps[d] = 0;
            out.push(c);
            let mut c = *self;
            c.tile[d] = c.tile[d].saturating_sub(if d < 2 { 16 * c.waves[d] } else { 16 });
            out.push(c);
        }
        for d in 0..2 {
            let mut c = *self;
            c.tile[d] /= c.waves[d];
            c.waves[d] = 1;
            out.push(c);
        }
        for stages in 0..self.stages {
            out.push(Config { stages, ..*self });
        }
        out.push(Config { seed: 0, ..*self });
        out.retain(|c| c != self && c.tile.iter().all(|&t| t > 0) && c.fits());
        out
    }

    fn sum(&self) -> Scalar {
        if self.elem.is_float() {
            Scalar::F32
        } else {
            Scalar::I32
        }
    }
}

fn mat(name: &str, elem: Scalar, access: Access) -> Param {
    Param {
        name: name.into(),
        kind: ParamKind::Mat(elem, access),
    }
}

/// One tile of C per workgroup, a part of it per wave.
fn kernel(c: &Config) -> Func {
    let (elem, sum) = (c.elem, c.sum());
    let params = vec![
        mat("a", elem, Access::Read),
        mat("bt", elem, Access::Read),
        mat("c", sum, Access::Write),
    ];
    let f = Func::new("gemm", 32 * c.waves[0] * c.waves[1], params);
    let v = |n: usize| f.body.args[n];
    let mats = [0, 4, 8].map(|n| [v(n), v(n + 1), v(n + 2), v(n + 3)]);
    let mut b = Builder::new(f);
    let at: [Value; 2] = [0, 1].map(|axis| {
        let (g, size) = (b.op1(OpKind::GroupId { axis }, &[]), b.u32(c.tile[axis as usize]));
        b.op1(OpKind::Mul, &[g, size])
    });
    let (wave, across) = (b.op1(OpKind::WaveId, &[]), b.u32(c.waves[1]));
    let part = [b.op1(OpKind::Div, &[wave, across]), b.op1(OpKind::Rem, &[wave, across])];
    let blocks = [0, 1].map(|d| c.tile[d] / 16 / c.waves[d]);
    let zero = b.constant(sum, 0);
    let frag = Ty::Frag(Role::Acc, sum);
    let init: Vec<Value> = (0..blocks[0] * blocks[1])
        .map(|_| b.op1_as(OpKind::FragSplat, &[zero], frag))
        .collect();
    let (lo, step) = (b.u32(0), b.u32(c.tile[2]));
    let hints = LoopHints {
        stages: c.stages,
        ..LoopHints::default()
    };
    let acc = b.for_([lo, mats[0][2], step], hints, &init, |b, k, acc| {
        products(b, c, (mats, at, part, blocks), k, acc)
    });
    for (n, sum) in acc.into_iter().enumerate() {
        let block = [n as u32 / blocks[1], n as u32 % blocks[1]];
        let place: [Value; 2] = [0, 1].map(|d| {
            let (share, own) = (b.u32(16 * blocks[d]), b.u32(16 * block[d]));
            let first = b.op1(OpKind::Mul, &[part[d], share]);
            let first = b.op1(OpKind::Add, &[first, own]);
            b.op1(OpKind::Add, &[at[d], first])
        });
        let [buf, rows, cols, stride] = mats[2];
        b.op0(OpKind::TileStore, &[buf, rows, cols, stride, place[0], place[1], sum]);
    }
    b.finish()
}

type Places = ([[Value; 4]; 3], [Value; 2], [Value; 2], [u32; 2]);

fn products(b: &mut Builder, c: &Config, (mats, at, part, blocks): Places, k: Value, acc: &[Value]) -> Vec<Value> {
    let tiles = [0, 1].map(|m| {
        let ty = Ty::LdsTile(TileTy {
            elem: c.elem,
            rows: c.tile[m],
            cols: c.tile[2],
        });
        let [buf, rows, cols, stride] = mats[m];
        b.op1_as(
            OpKind::TileLoad { transposed: false },
            &[buf, rows, cols, stride, at[m], k],
            ty,
        )
    });
    let mut acc = acc.to_vec();
    for kk in 0..c.tile[2] / 16 {
        let kk = b.u32(kk * 16);
        let frags = [0, 1].map(|m| {
            let frag = |i: u32| {
                let (n, i) = (b.u32(blocks[m]), b.u32(i));
                let first = b.op1(OpKind::Mul, &[part[m], n]);
                let block = b.op1(OpKind::Add, &[first, i]);
                b.op1_as(OpKind::TileFrag, &[tiles[m], block, kk], Ty::Frag(Role::Input, c.elem))
            };
            (0..blocks[m]).map(frag).collect::<Vec<_>>()
        });
        for (n, sum) in acc.iter_mut().enumerate() {
            let (i, j) = (n / blocks[1] as usize, n % blocks[1] as usize);
            *sum = b.op1(OpKind::Wmma, &[frags[0][i], frags[1][j], *sum]);
        }
    }
    acc
}

/// Small whole numbers, so that every sum is exact in any order.
fn number(elem: Scalar, rng: &mut Rng) -> (i64, u64) {
    let n = rng.below(16) as i64 - if elem == Scalar::U8 { 0 } else { 7 };
    let bits = if elem.is_float() {
        t0_ir::eval::round(elem, n as f64).bits
    } else {
        n as u64
    };
    (n, bits)
}

/// The launch, and C on the CPU.
fn case(c: &Config) -> (Case, Vec<i64>) {
    let mut rng = Rng::new(u64::from(c.seed));
    let mut memory = Memory::new();
    let [m, n, k] = c.size;
    let size = c.elem.bytes() as usize;
    let mut input = |rows: u32, gap: u32| {
        let all: Vec<(i64, u64)> = (0..rows * (k + gap)).map(|_| number(c.elem, &mut rng)).collect();
        let bytes: Vec<u8> = all.iter().flat_map(|x| x.1.to_le_bytes()[..size].to_vec()).collect();
        (all, memory.alloc(&bytes))
    };
    let ((a, pa), (bt, pb)) = (input(m, c.gaps[0]), input(n, c.gaps[1]));
    let out = memory.alloc(&vec![0xcc; (4 * m * (n + c.gaps[2])) as usize]);
    let mat = |base, rows, cols, gap| Arg::Mat {
        base,
        rows,
        cols,
        stride: cols + gap,
    };
    let args = vec![
        mat(pa, m, k, c.gaps[0]),
        mat(pb, n, k, c.gaps[1]),
        mat(out, m, n, c.gaps[2]),
    ];
    let at = |of: &[(i64, u64)], gap: u32, row: u32, x: u32| of[(row * (k + gap) + x) as usize].0;
    let product = |i, j| {
        (0..k)
            .map(|x| at(&a, c.gaps[0], i, x) * at(&bt, c.gaps[1], j, x))
            .sum::<i64>()
    };
    let want = (0..m)
        .flat_map(|i| (0..n).map(move |j| (i, j)))
        .map(|(i, j)| product(i, j));
    let want = want.collect();
    let case = Case {
        func: kernel(c),
        args,
        memory,
        groups: [m.div_ceil(c.tile[0]).max(1), n.div_ceil(c.tile[1]).max(1), 1],
    };
    (case, want)
}

/// CPU = interpreter = plain code = optimised code.
fn fails(c: &Config) -> Option<Failure> {
    let (case, want) = case(c);
    if let Err(f) = compare(&case, &both()) {
        return Some(f);
    }
    let mut memory = case.memory.clone();
    let wrong = |what: String| {
        Some(Failure {
            stage: Stage::Interpreter,
            way: "no",
            what,
        })
    };
    if let Err(e) = t0_ir::interp::run(&case.func, &case.args, &mut memory, case.groups) {
        return wrong(e.to_string());
    }
    let Arg::Mat { base, .. } = case.args[2] else {
        return None;
    };
    let (out, row) = (memory.buffer(base).unwrap_or_default(), c.size[1] + c.gaps[2]);
    for (e, &want) in want.iter().enumerate() {
        let (i, j) = (e as u32 / c.size[1], e as u32 % c.size[1]);
        let at = 4 * (i * row + j) as usize;
        let got = u32::from_le_bytes(out[at..at + 4].try_into().unwrap());
        let bits = if c.elem.is_float() {
            (want as f32).to_bits()
        } else {
            want as u32
        };
        if got != bits {
            return wrong(format!("C[{i}][{j}] is {got:#x}, {bits:#x} on the CPU"));
        }
    }
    None
}

fn found() -> std::path::PathBuf {
    folder().join("gemm.txt")
}

#[test]
fn products_are_exact() {
    seeds(5_000_000, 24, |seed| {
        let mut c = Config::random(seed);
        if !c.fits() {
            return;
        }
        let Some(mut failure) = fails(&c) else { return };
        while let Some((small, f)) = c.smaller().into_iter().find_map(|s| Some((s, fails(&s)?))) {
            (c, failure) = (small, f);
        }
        let file = std::fs::OpenOptions::new().append(true).create(true).open(found());
        let written = file.and_then(|mut f| writeln!(f, "{}", c.text()));
        panic!(
            "{c:?}: {failure}\nadded to {}: {written:?}: {}",
            found().display(),
            c.text()
        );
    });
}

/// Products that were wrong once, or are at an edge.
#[test]
fn what_was_found_is_right_now() {
    let text = std::fs::read_to_string(found()).unwrap();
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        let config = Config::parse(line).unwrap_or_else(|| panic!("`{line}` is no product"));
        assert_eq!(config.text(), line);
        if let Some(failure) = fails(&config) {
            panic!("{config:?}: {failure}");
        }
    }
}
