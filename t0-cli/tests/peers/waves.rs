//! Lanes of a wave: votes, shuffles, divergence. References move whole waves.

use crate::harness::{each_build, groups, same, Random};

const SIZES: [usize; 4] = [1, 37, 128, 190];
const BLOCK: usize = 128;

/// The values of all lanes of all waves; lanes beyond `x` hold `other`.
fn lanes(x: &[u32], other: u32) -> Vec<u32> {
    let mut v = x.to_vec();
    v.resize(groups(x.len(), BLOCK as u32) as usize * BLOCK, other);
    v
}

#[test]
fn votes() {
    each_build("waves.cl", |object| {
        let (mut r, wave) = (Random::new(26), object.build.wave as usize);
        for n in SIZES {
            let x = r.vec(n, Random::u32);
            let launch = object.launch("votes", groups(n, BLOCK as u32), BLOCK as u32);
            let ran = launch.output::<u64>(3 * n).input(&x).u32(n).run();
            let v = lanes(&x, 0);
            let mut want = Vec::new();
            for i in 0..n {
                let first = i / wave * wave;
                let mask = |f: &dyn Fn(usize) -> bool| (0..wave).filter(|l| f(first + l)).fold(0u64, |m, l| m | 1 << l);
                let third = |j: usize| j < n && v[j] % 3 == 0;
                let active = if third(i) { mask(&third) } else { 0 };
                want.extend([
                    mask(&|j| v[j] & 1 == 1),
                    active,
                    (i - first) as u64 | u64::from(v[first]) << 32,
                ]);
            }
            same("votes", &ran.get::<u64>(0), &want);
        }
    });
}

#[test]
fn shuffles() {
    each_build("waves.cl", |object| {
        let (mut r, wave) = (Random::new(27), object.build.wave as usize);
        let nibble =
            |lo: u32, hi: u32, l: usize| (if l < 8 { lo >> (4 * l) } else { hi >> (4 * (l - 8)) } & 15) as usize;
        for n in SIZES {
            let x = r.vec(n, Random::u32);
            let launch = object.launch("shuffles", groups(n, BLOCK as u32), BLOCK as u32);
            let v = lanes(&x, 7);
            let ran = launch.output::<u32>(12 * v.len()).input(&x).u32(n).run();
            let mut want = Vec::new();
            for i in 0..v.len() {
                let (first, l) = (i / wave * wave, i % wave);
                let (row, in_row) = (l & !15, l & 15);
                let at = |lane: usize| v[first + lane];
                let other = |l: usize| l & 32 | (l * 5 + 3) & 31;
                let sender = (0..wave).find(|&s| other(s) == l).unwrap();
                let masked = [0, 2].contains(&(l / 16)) && [1, 2].contains(&(in_row / 4));
                want.extend([
                    at(other(l)),
                    at(sender),
                    at(l ^ 16),
                    at(l ^ 3),
                    if in_row > 0 { at(l - 1) } else { v[i].wrapping_add(1) },
                    at(row | (15 - in_row)),
                    if masked { at(l ^ 1) } else { v[i].wrapping_add(2) },
                    at(l & !7 | (0x53977d >> (3 * (l & 7)) & 7)),
                    at(row | nibble(0x84c0_3fa1, 0x27b6_e5d9, in_row)),
                    at(row ^ 16 | nibble(0x0123_4567, 0x89ab_cdef, in_row)),
                    at(13),
                    at(row | 5),
                ]);
            }
            same("shuffles", &ran.get::<u32>(0), &want);

            let launch = object.launch("wave_sum", groups(n, BLOCK as u32), BLOCK as u32);
            let ran = launch.output::<u32>(n).input(&x).u32(n).run();
            let sum = |i: usize| {
                x[i / wave * wave..n.min((i / wave + 1) * wave)]
                    .iter()
                    .fold(0u32, |s, &v| s.wrapping_add(v))
            };
            same("wave_sum", &ran.get::<u32>(0), &(0..n).map(sum).collect::<Vec<_>>());
        }
    });
}

#[test]
fn control_flow() {
    each_build("waves.cl", |object| {
        let mut r = Random::new(28);
        for n in SIZES {
            let x = r.vec(n, |r| (r.u32() >> (r.u32() & 31)).max(1));
            let launch = object.launch("divergence", groups(n, BLOCK as u32), BLOCK as u32);
            let ran = launch.output::<u32>(n).input(&x).u32(n).run();
            same(
                "divergence",
                &ran.get::<u32>(0),
                &x.iter().map(|&v| diverged(v)).collect::<Vec<_>>(),
            );

            let launch = object.launch("irreducible", groups(n, BLOCK as u32), BLOCK as u32);
            let ran = launch.output::<u32>(n).input(&x).u32(n).run();
            same(
                "irreducible",
                &ran.get::<u32>(0),
                &x.iter().map(|&v| irreducible(v)).collect::<Vec<_>>(),
            );
        }
    });
}

fn diverged(mut v: u32) -> u32 {
    let mut steps = 0u32;
    while v != 1 && steps < 200 {
        if v & 1 == 1 {
            if v > 1_000_000 {
                break;
            }
            v = 3 * v + 1;
        } else {
            v /= 2;
            if v % 5 == 0 {
                continue;
            }
        }
        steps += 1;
    }
    let r = match steps % 9 {
        0 => v,
        1 => v.wrapping_mul(3).wrapping_add(17),
        2 => 17,
        3 => (0..v % 11).fold(0, |r, k| r ^ k.wrapping_mul(v)),
        4 => 1000u32.checked_div(v).unwrap_or(5),
        6 => steps << 3,
        7 => return u32::MAX, // returns before it writes
        _ => !v,
    };
    r.wrapping_add(steps)
}

fn irreducible(x: u32) -> u32 {
    let (mut v, mut k, mut acc) = (x % 1000, 0u32, 0u32);
    let mut first = v & 1 == 0;
    loop {
        if first {
            acc = acc.wrapping_mul(3).wrapping_add(v);
            k += 1;
        }
        acc ^= k * 7 + v;
        v -= v.min(3);
        if v == 0 || k >= 400 {
            return acc;
        }
        first = true;
    }
}
