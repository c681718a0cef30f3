//! Floating-point arithmetic. Operations IEEE 754 defines are compared bit by bit with the host's; approximations of the
//! card with bounds from what the ISA and LLVM promise.

use crate::harness::{each_build, groups, near, same, Random};
use half::f16;

/// Bits, all NaNs alike.
fn bits32(v: &[f32]) -> Vec<u32> {
    v.iter()
        .map(|f| if f.is_nan() { 0x7fc0_0000 } else { f.to_bits() })
        .collect()
}

fn bits64(v: &[f64]) -> Vec<u64> {
    v.iter()
        .map(|f| if f.is_nan() { 0x7ff8 << 48 } else { f.to_bits() })
        .collect()
}

fn bits16(v: &[f16]) -> Vec<u16> {
    v.iter()
        .map(|f| if f.is_nan() { 0x7e00 } else { f.to_bits() })
        .collect()
}

/// Every kind of number in pairs: zeros, subnormals, infinities, NaN, halves for rounding, and random bits.
fn pairs64(r: &mut Random, n: usize) -> (Vec<f64>, Vec<f64>) {
    let edges = [
        0.0,
        -0.0,
        1.0,
        -1.5,
        2.5,
        0.5,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        f64::MIN_POSITIVE,
        5e-324,
        f64::MAX,
        1e-310,
        -3e9,
        4.6e18,
    ];
    let mut v: Vec<(f64, f64)> = edges.iter().flat_map(|&a| edges.iter().map(move |&b| (a, b))).collect();
    let quiet = |b: u64| {
        if f64::from_bits(b).is_nan() {
            1.0
        } else {
            f64::from_bits(b)
        }
    };
    while v.len() < n {
        let (a, b) = (r.u64(), r.u64());
        // Exponents near each other half of the time.
        let b = if a & 1 == 0 {
            b
        } else {
            b & !(0x7ff << 52) | a & 0x7ff << 52
        };
        v.push((quiet(a), quiet(b)));
        v.push((r.unit() * 3000.0, r.unit() * 10.0));
    }
    v.into_iter().take(n).unzip()
}

fn pairs32(r: &mut Random, n: usize) -> (Vec<f32>, Vec<f32>) {
    let edges = [
        0.0,
        -0.0,
        1.0,
        -1.5,
        2.5,
        0.5,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        f32::MIN_POSITIVE,
        1e-45,
        f32::MAX,
        1e-40,
        -3e9,
        4.6e18,
    ];
    let mut v: Vec<(f32, f32)> = edges.iter().flat_map(|&a| edges.iter().map(move |&b| (a, b))).collect();
    let quiet = |b: u32| {
        if f32::from_bits(b).is_nan() {
            1.0
        } else {
            f32::from_bits(b)
        }
    };
    while v.len() < n {
        let (a, b) = (r.u32(), r.u32());
        let b = if a & 1 == 0 {
            b
        } else {
            b & !(0xff << 23) | a & 0xff << 23
        };
        v.push((quiet(a), quiet(b)));
        v.push(((r.unit() * 3000.0) as f32, (r.unit() * 10.0) as f32));
    }
    v.into_iter().take(n).unzip()
}

fn pairs16(r: &mut Random, n: usize) -> (Vec<f16>, Vec<f16>) {
    let quiet = |b: u16| {
        if f16::from_bits(b).is_nan() {
            f16::NAN
        } else {
            f16::from_bits(b)
        }
    };
    (0..n).map(|_| (quiet(r.u64() as u16), quiet(r.u64() as u16))).unzip()
}

/// `(p < q) | (p <= q) << 1 | …` as in the kernels.
fn relations<T: PartialOrd>(p: T, q: T) -> i32 {
    let r = [
        p < q,
        p <= q,
        p == q,
        p != q,
        p > q,
        p >= q,
        p.partial_cmp(&q).is_none(),
        p.partial_cmp(&q).is_some_and(std::cmp::Ordering::is_ne),
    ];
    (0..8).map(|i| i32::from(r[i]) << i).sum()
}

macro_rules! classes {
    ($p:expr) => {{
        let p = $p;
        let c = [
            p.is_infinite(),
            p.is_nan(),
            p.is_normal(),
            p.is_finite(),
            p.is_sign_negative(),
        ];
        // The sign of NaN is not compared: a compiler may make either.
        (0..5)
            .map(|i| i32::from(c[i] && !(i == 4 && p.is_nan())) << i)
            .sum::<i32>()
    }};
}

/// Columns of the results that are compared as numbers, since the sign of a zero minimum is the implementation's choice.
const MIN_MAX: [usize; 2] = [10, 11];

#[test]
fn exact_f32() {
    each_build("floats.cl", |object| {
        let (mut r, n) = (Random::new(29), 1000usize);
        let (a, b) = pairs32(&mut r, n);
        let launch = object.launch("exact32", groups(n, 64), 64);
        let ran = launch
            .output::<f32>(16 * n)
            .output::<i32>(4 * n)
            .input(&a)
            .input(&b)
            .u32(n)
            .run();
        let (mut y, mut z) = (Vec::new(), Vec::new());
        for (i, (&p, &q)) in a.iter().zip(&b).enumerate() {
            let scaled = (f64::from(p) * 2f64.powi((i % 64) as i32 - 32)) as f32;
            y.extend([
                p + q,
                p - q,
                p * q,
                p.mul_add(q, -p),
                p / q,
                p.sqrt(),
                p.floor(),
                p.ceil(),
                p.trunc(),
                p.round_ties_even(),
            ]);
            y.extend([
                p.min(q),
                p.max(q),
                p.copysign(q) + q.abs(),
                scaled,
                f16::from_f32(p).to_f32(),
                1.0 / q,
            ]);
            let unsigned = if p.is_nan() { 0.0 } else { p.clamp(0.0, 4_294_967_040.0) };
            let signed = if p.is_nan() {
                -2_147_483_648.0
            } else {
                p.clamp(-2_147_483_648.0, 2_147_483_520.0)
            };
            z.extend([relations(p, q), classes!(p), unsigned as u32 as i32, signed as i32]);
        }
        let (mut got, mut classes) = (ran.get::<f32>(0), ran.get::<i32>(1));
        for i in 0..n {
            for c in MIN_MAX.map(|c| 16 * i + c) {
                (got[c], y[c]) = (got[c] + 0.0, y[c] + 0.0);
            }
            if a[i].is_nan() {
                classes[4 * i + 1] &= 15;
            }
        }
        same("f32", &bits32(&got), &bits32(&y));
        same("f32 relations", &classes, &z);
    });
}

#[test]
fn exact_f64() {
    each_build("floats.cl", |object| {
        let (mut r, n) = (Random::new(30), 1000usize);
        let (a, b) = pairs64(&mut r, n);
        let launch = object.launch("exact64", groups(n, 64), 64);
        let ran = launch
            .output::<f64>(16 * n)
            .output::<i32>(4 * n)
            .input(&a)
            .input(&b)
            .u32(n)
            .run();
        let (mut y, mut z) = (Vec::new(), Vec::new());
        for (i, (&p, &q)) in a.iter().zip(&b).enumerate() {
            y.extend([
                p + q,
                p - q,
                p * q,
                p.mul_add(q, -p),
                p / q,
                p.sqrt(),
                p.floor(),
                p.ceil(),
                p.trunc(),
                p.round_ties_even(),
            ]);
            y.extend([
                p.min(q),
                p.max(q),
                p.copysign(q) + q.abs(),
                scaled(p, (i % 64) as i32 - 32),
                f64::from(p as f32),
                1.0 / q,
            ]);
            let unsigned = if p.is_nan() { 0.0 } else { p.clamp(0.0, 4_294_967_295.0) };
            let signed = if p.is_nan() {
                -2_147_483_648.0
            } else {
                p.clamp(-2_147_483_648.0, 2_147_483_647.0)
            };
            z.extend([relations(p, q), classes!(p), signed as i32, unsigned as u32 as i32]);
        }
        let (mut got, mut classes) = (ran.get::<f64>(0), ran.get::<i32>(1));
        for i in 0..n {
            for c in MIN_MAX.map(|c| 16 * i + c) {
                (got[c], y[c]) = (got[c] + 0.0, y[c] + 0.0);
            }
            if a[i].is_nan() {
                classes[4 * i + 1] &= 15;
            }
        }
        same("f64", &bits64(&got), &bits64(&y));
        same("f64 relations", &classes, &z);
    });
}

/// `p · 2^e`, rounded once: a factor that is a power of two rounds only when the result is subnormal.
fn scaled(p: f64, e: i32) -> f64 {
    p * 2f64.powi(e)
}

/// `p·q + r` rounded once: the sum in units of 2^-48 is an integer below 2^82, reduced to 53 bits and a sticky bit.
fn fma16(p: f16, q: f16, r: f16) -> f16 {
    let (x, y, z) = (p.to_f64(), q.to_f64(), r.to_f64());
    if !(x.is_finite() && y.is_finite() && z.is_finite()) || x * y + z == 0.0 {
        return f16::from_f64(x * y + z);
    }
    let unit = 2f64.powi(48);
    let exact = (x * y * unit) as i128 + (z * unit) as i128;
    let size = exact.unsigned_abs();
    let drop = (128 - size.leading_zeros()).saturating_sub(53);
    let odd = size >> drop << drop != size;
    let kept = (size >> drop | u128::from(odd)) << drop;
    f16::from_f64(kept as f64 / unit * exact.signum() as f64)
}

#[test]
fn exact_f16() {
    each_build("floats.cl", |object| {
        let (mut r, n) = (Random::new(31), 3000usize);
        let (a, b) = pairs16(&mut r, n);
        let launch = object.launch("exact16", groups(n, 64), 64);
        let ran = launch
            .output::<f16>(12 * n)
            .output::<i32>(n)
            .input(&a)
            .input(&b)
            .u32(n)
            .run();
        let (mut y, mut z) = (Vec::new(), Vec::new());
        for (&p, &q) in a.iter().zip(&b) {
            let (x, w) = (p.to_f64(), q.to_f64());
            let h = f16::from_f64;
            y.extend([
                h(x + w),
                h(x - w),
                h(x * w),
                fma16(p, q, -p),
                h(x / w),
                h(x.sqrt()),
                h(x.floor()),
                h(x.ceil()),
            ]);
            y.extend([
                h(x.round_ties_even()),
                h(x.min(w)),
                h(x.max(w)),
                h(h(x.trunc()).to_f64() + w.abs()),
            ]);
            let relation = relations(x, w) & 63;
            let whole = if x.abs() < 30000.0 { x as i16 } else { 0 };
            z.push(relation | i32::from(whole) << 8);
        }
        let mut got = ran.get::<f16>(0);
        for i in 0..n {
            for c in [9, 10].map(|c| 12 * i + c) {
                (got[c], y[c]) = (f16::from_f32(got[c].to_f32() + 0.0), f16::from_f32(y[c].to_f32() + 0.0));
            }
            // Quotients and roots: LLVM allows one unit.
            for c in [4, 5].map(|c| 12 * i + c) {
                let (g, w) = (got[c], y[c]);
                let close = g.is_sign_negative() == w.is_sign_negative() && g.to_bits().abs_diff(w.to_bits()) <= 1;
                if close && !g.is_nan() && !w.is_nan() {
                    got[c] = w;
                }
            }
        }
        same("f16", &bits16(&got), &bits16(&y));
        same("f16 relations", &ran.get::<i32>(1), &z);
    });
}

#[test]
fn packed_f16() {
    each_build("floats.cl", |object| {
        let (mut r, n) = (Random::new(32), 1500usize);
        let ((a, b), (c, _)) = (pairs16(&mut r, 2 * n), pairs16(&mut r, 2 * n));
        let launch = object.launch("packed16", groups(n, 64), 64);
        let ran = launch.output::<f16>(12 * n).input(&a).input(&b).input(&c).u32(n).run();
        let h = f16::from_f64;
        let two = |f: &dyn Fn(usize) -> f16| [f(0), f(1)];
        let mut y = Vec::new();
        for i in 0..n {
            let pair = |v: &[f16]| [v[2 * i], v[2 * i + 1]];
            let (p, q, r) = (pair(&a), pair(&b), pair(&c));
            y.extend(two(&|k| h(p[k].to_f64() + q[k].to_f64())));
            y.extend(two(&|k| h(p[k].to_f64() * q[k].to_f64())));
            y.extend(two(&|k| fma16(p[k], q[k], r[k])));
            y.extend(two(&|k| fma16(p[1 - k], -q[k], r[0])));
            y.extend(two(&|k| h(p[k].to_f64().min(q[k].to_f64()).max(r[k].to_f64()) + 0.0)));
            y.extend(two(&|k| fma16(-p[k], q[1 - k], -r[k])));
        }
        let mut got = ran.get::<f16>(0);
        for i in 0..n {
            for c in [8, 9].map(|c| 12 * i + c) {
                got[c] = h(got[c].to_f64() + 0.0);
            }
        }
        same("packed", &bits16(&got), &bits16(&y));
    });
}

#[test]
fn mixed_f16_and_f32() {
    each_build("floats.cl", |object| {
        let (mut r, n) = (Random::new(33), 800usize);
        let half = |r: &mut Random| f16::from_f64(r.unit() * 2f64.powi((r.u32() % 20) as i32 - 10));
        let (a, b) = (r.vec(2 * n, half), r.vec(2 * n, half));
        let c = r.vec(n, |r| (r.unit() * 4.0) as f32);
        let launch = object.launch("mixed16", groups(n, 64), 64);
        let ran = launch.output::<f32>(4 * n).input(&a).input(&b).input(&c).u32(n).run();
        let got = ran.get::<f32>(0);
        for i in 0..n {
            let (p, q) = (
                [a[2 * i].to_f32(), a[2 * i + 1].to_f32()],
                [b[2 * i].to_f32(), b[2 * i + 1].to_f32()],
            );
            let g = &got[4 * i..4 * i + 4];
            assert_eq!(g[0], p[0].mul_add(q[1], c[i]), "mix {i}");
            // Rounded to f16 from f32, or at once.
            let twice = f16::from_f32(p[1].mul_add(c[i], q[0])).to_f32();
            let once = f16::from_f64(f64::from(p[1]) * f64::from(c[i]) + f64::from(q[0])).to_f32();
            assert!(g[1] == twice || g[1] == once, "mixlo {i}: {} {twice} {once}", g[1]);
            let products = [f64::from(p[0]) * f64::from(q[0]), f64::from(p[1]) * f64::from(q[1])];
            let (sum, size) = (products[0] + products[1], products[0].abs() + products[1].abs());
            // The order and rounding inside of the dot product are the card's own.
            let bound = 2f64.powi(-22) * (size + f64::from(c[i]).abs());
            assert!((f64::from(g[2]) - sum - f64::from(c[i])).abs() <= bound, "dot {i}");
            assert_eq!(g[3], sum as f32, "sum of products {i}");
        }
    });
}

#[test]
fn conversions() {
    each_build("floats.cl", |object| {
        let (mut r, n) = (Random::new(34), 600usize);
        let a = r.vec(n, |r| r.unit() * 2f64.powi((r.u32() % 63) as i32));
        let b = r.vec(n, |r| r.u64() >> (r.u32() & 63));
        let launch = object
            .launch("conversions", groups(n, 64), 64)
            .output::<u64>(6 * n)
            .output::<f64>(4 * n);
        let ran = launch.output::<f32>(8 * n).input(&a).input(&b).u32(n).run();
        let (mut y, mut d, mut f) = (Vec::new(), Vec::new(), Vec::new());
        for (&p, &q) in a.iter().zip(&b) {
            let high = p / 4_294_967_296.0;
            y.extend([
                p as i64 as u64,
                p.abs() as u64,
                high as i32 as i64 as u64,
                u64::from(high.abs() as u32),
            ]);
            y.extend([p as f32 as i64 as u64, p.abs() as f32 as u64]);
            d.extend([q as f64, q as i64 as f64, f64::from(q as u32), f64::from(q as i32)]);
            f.extend([q as f32, q as i64 as f32, q as u32 as f32, q as i32 as f32]);
            f.extend([f32::from((q >> 8) as u8), f32::from((q >> 16) as i16)]);
            f.extend(
                [
                    f16::from_f32(f32::from(q as i16)),
                    f16::from_f32(f32::from((q >> 20) as u16)),
                ]
                .map(f16::to_f32),
            );
        }
        same("to integers", &ran.get::<u64>(0), &y);
        same("to f64", &bits64(&ran.get::<f64>(1)), &bits64(&d));
        same("to f32", &bits32(&ran.get::<f32>(2)), &bits32(&f));
    });
}

#[test]
fn approximations() {
    each_build("floats.cl", |object| {
        let (mut r, n) = (Random::new(35), 1000usize);
        let a = r.vec(n, |r| (r.unit() * 2f64.powi((r.u32() % 14) as i32 - 7)) as f32);
        let ran = object
            .launch("approximate", groups(n, 64), 64)
            .output::<f32>(10 * n)
            .input(&a)
            .u32(n)
            .run();
        let mut want = Vec::new();
        for p in a.iter().map(|&p| f64::from(p)) {
            want.extend([
                p.exp2(),
                p.exp(),
                p.abs().log2(),
                p.abs().ln(),
                p.abs().log10(),
                p.sin(),
                p.cos(),
            ]);
            want.extend([1.0 / p, 1.0 / p.abs().sqrt(), (p - p.floor()).min(1.0 - 2f64.powi(-24))]);
        }
        let unit = 2f64.powi(-23);
        let bound = |i: usize, w: f64| match i % 10 {
            0 => w * unit * 1.5,
            1 => w * unit * 3.0,
            // Relative to the larger of result and 1: near 1 logarithms cancel.
            2..=4 => unit * 2.0 * w.abs().max(0.5),
            // The argument in revolutions is rounded to 24 bits, the table of the card has about as many.
            5 | 6 => 2f64.powi(-20) + f64::from(a[i / 10]).abs() * unit,
            7 | 8 => w.abs() * unit,
            // Rounded once.
            _ => 2f64.powi(-25),
        };
        near("f32", ran.get::<f32>(0).into_iter().map(f64::from), &want, bound);

        let a = r.vec(n, |r| f16::from_f64(r.unit() * 2f64.powi((r.u32() % 8) as i32 - 4)));
        let ran = object
            .launch("approximate16", groups(n, 64), 64)
            .output::<f16>(5 * n)
            .input(&a)
            .u32(n)
            .run();
        let want = a.iter().map(|p| p.to_f64());
        let want: Vec<f64> = want
            .flat_map(|p| [p.exp2(), p.exp(), p.abs().log2(), p.sin(), p.cos()])
            .collect();
        let unit = 2f64.powi(-10);
        let bound = |i: usize, w: f64| match i % 5 {
            0 | 1 => w * unit * 1.5 + 2f64.powi(-24),
            2 => unit * 2.0 * w.abs().max(0.5),
            _ => unit * (2.0 + 4.0 * a[i / 5].to_f64().abs()),
        };
        near("f16", ran.get::<f16>(0).into_iter().map(f64::from), &want, bound);
    });
}

/// Fraction in 0.5..1 and exponent; zero has exponent 0.
fn frexp(v: f64) -> (f64, i32) {
    if v == 0.0 {
        return (v, 0);
    }
    let (v, below) = if v.abs() < f64::MIN_POSITIVE {
        (v * 2f64.powi(64), 64)
    } else {
        (v, 0)
    };
    let e = (v.to_bits() >> 52 & 0x7ff) as i32 - 1022;
    (f64::from_bits(v.to_bits() & !(0x7ff << 52) | 1022 << 52), e - below)
}

#[test]
fn parts() {
    each_build("floats.cl", |object| {
        let (mut r, n) = (Random::new(36), 700usize);
        let ((mut a, b), (mut c, _)) = (pairs32(&mut r, n), pairs64(&mut r, n));
        a.iter_mut().filter(|v| !v.is_finite()).for_each(|v| *v = 3.0);
        let b: Vec<f32> = b.iter().map(|v| if v.is_nan() { -2.0 } else { *v }).collect();
        c.iter_mut().filter(|v| !v.is_finite()).for_each(|v| *v = 3.0);
        let launch = object
            .launch("parts", groups(n, 64), 64)
            .output::<f32>(4 * n)
            .output::<i32>(4 * n);
        let ran = launch.input(&a).input(&b).input(&c).u32(n).run();
        let (mut y, mut z) = (Vec::new(), Vec::new());
        for i in 0..n {
            let (p, q, d) = (a[i], b[i], c[i]);
            let mut sorted = [p, q, 1.0];
            sorted.sort_by(f32::total_cmp);
            let ((fm, fe), (dm, de)) = (frexp(p.into()), frexp(d));
            y.extend([fm as f32, sorted[1] + 0.0, p.max(q).max(i as f32) + 0.0, dm as f32]);
            let class = i32::from(p == 0.0) | i32::from(d != 0.0) << 1;
            let (pb, qb) = (p.to_bits(), q.to_bits());
            let perm = (qb >> 8 & 255) | (if pb >> 15 & 1 == 1 { 255 } else { 0 }) << 8 | (pb >> 8 & 255) << 16;
            z.extend([fe, de, class, perm as i32]);
        }
        let mut got = ran.get::<f32>(0);
        for i in 0..n {
            for c in [4 * i + 1, 4 * i + 2] {
                got[c] += 0.0;
            }
        }
        same("parts", &bits32(&got), &bits32(&y));
        same("classes", &ran.get::<i32>(1), &z);
    });
}
