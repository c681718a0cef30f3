//! Integer arithmetic.

use crate::harness::{each_build, groups, same, Num, Object, Random};
use std::fmt::Debug;
use std::ops::{Div, Rem};

/// Numbers of all lengths: random bits shifted by random amounts, and the extremes.
fn ladder(r: &mut Random, n: usize) -> Vec<u64> {
    let mut v = r.vec(n, |r| r.u64() >> (r.u32() & 63));
    for (slot, edge) in v.iter_mut().zip([
        1,
        u64::MAX,
        1 << 63,
        1 << 31,
        0xffff_ffff,
        0x7fff_ffff,
        i64::MAX as u64,
        2,
    ]) {
        *slot = edge;
    }
    v
}

fn divided<T>(object: &Object, kernel: &str, cast: impl Fn(u64) -> T, fits: impl Fn(T, T) -> bool)
where
    T: Num + Div<Output = T> + Rem<Output = T> + PartialEq + Debug,
{
    let mut r = Random::new(21);
    let numbers = ladder(&mut r, 40);
    let pairs = numbers.iter().flat_map(|&a| numbers.iter().map(move |&b| (a, b)));
    let (a, b): (Vec<T>, Vec<T>) = pairs
        .map(|(a, b)| (cast(a), cast(b)))
        .filter(|&(a, b)| fits(a, b))
        .unzip();
    let n = a.len();
    let launch = object.launch(kernel, groups(n, 64), 64);
    let ran = launch.output::<T>(n).output::<T>(n).input(&a).input(&b).u32(n).run();
    let (q, r): (Vec<T>, Vec<T>) = a.iter().zip(&b).map(|(&a, &b)| (a / b, a % b)).unzip();
    same(&format!("{kernel}: quotients"), &ran.get::<T>(0), &q);
    same(&format!("{kernel}: remainders"), &ran.get::<T>(1), &r);
}

#[test]
fn division() {
    each_build("integers.cl", |object| {
        divided(object, "divide_u8", |v| v as u8, |_, b| b != 0);
        divided(
            object,
            "divide_i16",
            |v| v as i16,
            |a: i16, b| a.checked_div(b).is_some(),
        );
        divided(object, "divide_u32", |v| v as u32, |_, b| b != 0);
        divided(
            object,
            "divide_i32",
            |v| v as i32,
            |a: i32, b| a.checked_div(b).is_some(),
        );
        divided(object, "divide_u64", |v| v, |_, b| b != 0);
        divided(
            object,
            "divide_i64",
            |v| v as i64,
            |a: i64, b| a.checked_div(b).is_some(),
        );
    });
}

#[test]
fn division_by_constants() {
    each_build("integers.cl", |object| {
        let (mut r, n) = (Random::new(22), 300usize);
        let b = ladder(&mut r, n);
        let a: Vec<u32> = ladder(&mut r, n).into_iter().map(|v| v as u32).collect();
        let launch = object.launch("constants", groups(n, 64), 64);
        let ran = launch
            .output::<u32>(n)
            .output::<u64>(n)
            .input(&a)
            .input(&b)
            .u32(n)
            .run();
        let y = |v: u32| {
            let s = v as i32;
            (v / 7)
                .wrapping_add(v % 10)
                .wrapping_add((s / -13) as u32)
                .wrapping_add((s % 1000) as u32)
        };
        let z = |v: u64| {
            let s = v as i64;
            (v / 7)
                .wrapping_add(v % 10)
                .wrapping_add((s / -13) as u64)
                .wrapping_add((s % 1000) as u64)
        };
        same(
            "32 bits",
            &ran.get::<u32>(0),
            &a.iter().map(|&v| y(v)).collect::<Vec<_>>(),
        );
        same(
            "64 bits",
            &ran.get::<u64>(1),
            &b.iter().map(|&v| z(v)).collect::<Vec<_>>(),
        );
    });
}

#[test]
fn wide_and_bits() {
    each_build("integers.cl", |object| {
        let (mut r, n) = (Random::new(23), 300usize);
        let (a, mut b) = (ladder(&mut r, n), ladder(&mut r, n));
        b.rotate_left(3);
        let ran = object
            .launch("wide", groups(n, 64), 64)
            .output::<u64>(8 * n)
            .input(&a)
            .input(&b)
            .u32(n)
            .run();
        let wide = |p: u64, q: u64| {
            let (s, t) = (p as i64, q as i64);
            let shift = (q & 63) as u32;
            [
                p.wrapping_mul(q),
                ((i128::from(s) * i128::from(t)) >> 64) as u64,
                ((u128::from(p) * u128::from(q)) >> 64) as u64,
                p << shift,
                p >> shift,
                (s >> shift) as u64,
                p.wrapping_add(q).wrapping_add(p.checked_add(q).is_none().into()),
                (if s < t { s.wrapping_sub(t) } else { t.wrapping_sub(s) }) as u64 ^ p.min(q),
            ]
        };
        let want: Vec<u64> = a.iter().zip(&b).flat_map(|(&p, &q)| wide(p, q)).collect();
        same("wide", &ran.get::<u64>(0), &want);

        let (mut a, mut b): (Vec<u32>, Vec<u32>) = (
            a.iter().map(|&v| v as u32).collect(),
            b.iter().map(|&v| v as u32).collect(),
        );
        (a[9], b[9], a[10]) = (0, 0, 0);
        let ran = object
            .launch("bits", groups(n, 64), 64)
            .output::<u32>(16 * n)
            .input(&a)
            .input(&b)
            .u32(n)
            .run();
        let bits = |p: u32, q: u32| {
            let (s, t, w) = (p as i32, q as i32, u64::from(p) << 32 | u64::from(q));
            [
                p.leading_zeros(),
                p.trailing_zeros(),
                p.count_ones(),
                p.reverse_bits(),
                p.swap_bytes(),
                w.leading_zeros(),
                w.trailing_zeros(),
                w.count_ones(),
                p.saturating_add(q),
                p.saturating_sub(q),
                s.saturating_add(t) as u32,
                s.saturating_sub(t) as u32,
                p.rotate_left(q & 31),
                p >> (q & 15) & 0x3ff,
                ((p << 7) as i32 >> 19) as u32,
                s.unsigned_abs()
                    .wrapping_add(p & !q)
                    .wrapping_add(!(p ^ q))
                    .wrapping_add(p.abs_diff(q)),
            ]
        };
        // A shift by the width of 32 less 0 is no shift: `p << 0 | p >> 0`.
        let want: Vec<u32> = a.iter().zip(&b).flat_map(|(&p, &q)| bits(p, q)).collect();
        same("bits", &ran.get::<u32>(0), &want);
    });
}

#[test]
fn narrow_vectors() {
    each_build("integers.cl", |object| {
        let (mut r, n) = (Random::new(24), 200usize);
        let (a, b) = (
            r.vec(2 * n, |r| r.u64() as u16),
            r.vec(2 * n, |r| (r.u64() as u16) >> (r.u32() & 15)),
        );
        let c = r.vec(4 * n, |r| r.u64() as u8);
        let launch = object.launch("narrow", groups(n, 64), 64);
        let ran = launch
            .output::<u16>(16 * n)
            .output::<u8>(4 * n)
            .input(&a)
            .input(&b)
            .input(&c)
            .u32(n)
            .run();
        let one = |p: u16, q: u16| {
            let (s, t, shift) = (p as i16, q as i16, u32::from(q & 15));
            [
                p.wrapping_add(q),
                p.wrapping_sub(q),
                p.wrapping_mul(q),
                p << shift,
                p >> shift,
                (s >> shift) as u16,
                p.min(q) ^ s.max(t) as u16,
                p.saturating_add(q).wrapping_add(s.saturating_sub(t) as u16),
            ]
        };
        let want: Vec<u16> = (0..n)
            .flat_map(|i| {
                let (x, y) = (one(a[2 * i], b[2 * i]), one(a[2 * i + 1], b[2 * i + 1]));
                (0..16).map(move |k| if k % 2 == 0 { x[k / 2] } else { y[k / 2] })
            })
            .collect();
        same("shorts", &ran.get::<u16>(0), &want);
        let bytes = |v: &[u8]| {
            let mean = v.iter().map(|&b| u32::from(b)).sum::<u32>() / 4;
            [
                v[3].wrapping_add(v[0]),
                v[2].wrapping_mul(v[1]),
                v[0] >> (v[1] & 7),
                mean as u8,
            ]
        };
        same(
            "bytes",
            &ran.get::<u8>(1),
            &c.chunks(4).flat_map(bytes).collect::<Vec<_>>(),
        );
    });
}

#[test]
fn dot_products() {
    each_build("integers.cl", |object| {
        let (mut r, n) = (Random::new(25), 150usize);
        let (a, b) = (r.vec(n, Random::u32), r.vec(n, Random::u32));
        let ran = object
            .launch("dots", groups(n, 64), 64)
            .output::<i32>(6 * n)
            .input(&a)
            .input(&b)
            .u32(n)
            .run();
        // Fields of `bits` bits with or without sign.
        let part = |v: u32, k: u32, bits: u32, signed: bool| -> i64 {
            let up = v << (32 - bits * (k + 1));
            if signed {
                ((up as i32) >> (32 - bits)).into()
            } else {
                (up >> (32 - bits)).into()
            }
        };
        let dot = |p: u32, q: u32, bits: u32, sp: bool, sq: bool| -> i64 {
            (0..32 / bits)
                .map(|k| part(p, k, bits, sp) * part(q, k, bits, sq))
                .sum()
        };
        let clamp = |v: i64| v.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
        let want: Vec<i32> = a
            .iter()
            .zip(&b)
            .flat_map(|(&p, &q)| {
                [
                    (dot(p, q, 8, true, true) + 100) as i32,
                    (dot(p, q, 8, false, false) + 100) as i32,
                    clamp(dot(p, q, 8, true, false) + 2_147_480_000),
                    (dot(p, q, 4, true, true) + 7) as i32,
                    (dot(p, q, 4, false, false) + 7) as i32,
                    clamp(dot(p, q, 4, false, true) - 2_147_483_000),
                ]
            })
            .collect();
        same("dots", &ran.get::<i32>(0), &want);
    });
}
