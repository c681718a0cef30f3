//! Private memory and pointers that may lead into any memory.

use crate::harness::{each_build, groups, same, Random};

const SIZES: [usize; 3] = [1, 65, 130];

#[test]
fn private_arrays() {
    each_build("scratch.cl", |object| {
        let mut r = Random::new(16);
        for n in SIZES {
            let x = r.vec(24 * n, |r| r.u32() >> (r.u32() & 31));
            let ran = object.launch("sort24", groups(n, 64), 64).inout(&x).u32(n).run();
            let mut want = x;
            want.chunks_mut(24).for_each(<[u32]>::sort_unstable);
            same("sort24", &ran.get::<u32>(0), &want);

            let key = r.vec(n, Random::u32);
            let ran = object
                .launch("permute", groups(n, 128), 128)
                .output::<u64>(n)
                .input(&key)
                .u32(n)
                .run();
            same(
                "permute",
                &ran.get::<u64>(0),
                &(0..n).map(|i| permuted(i as u32, key[i])).collect::<Vec<_>>(),
            );

            let ran = object
                .launch("vectors", groups(n, 64), 64)
                .output::<u32>(4 * n)
                .input(&key)
                .u32(n)
                .run();
            let want: Vec<u32> = (0..n).flat_map(|i| vectors(i as u32, key[i])).collect();
            same("vectors", &ran.get::<u32>(0), &want);

            let ran = object
                .launch("list", groups(n, 64), 64)
                .output::<u32>(n)
                .input(&key)
                .u32(n)
                .run();
            same(
                "list",
                &ran.get::<u32>(0),
                &(0..n).map(|i| list(i as u32, key[i])).collect::<Vec<_>>(),
            );
        }
    });
}

fn permuted(i: u32, key: u32) -> u64 {
    let from = |f: &dyn Fn(u32) -> u64| -> Vec<u64> { (0..20).map(f).collect() };
    let mut b = from(&|k| u64::from((i.wrapping_add(31 * k)) as u8));
    let mut h = from(&|k| u64::from((i.wrapping_mul(77).wrapping_add(1001 * k)) as u16));
    let mut d = from(&|k| (u64::from(i) << 33) | (u64::from(k) * 0x10001));
    let mut sh: Vec<i16> = (0..20u32)
        .map(|k| i.wrapping_mul(313).wrapping_sub(5000 * k) as i16)
        .collect();
    let mut sb: Vec<i8> = (0..20u32)
        .map(|k| i.wrapping_mul(3).wrapping_sub(17 * k) as i8)
        .collect();
    let mut j = (key % 20) as usize;
    for _ in 0..9 {
        let t = (j * 7 + 3) % 20;
        b.swap(j, t);
        h.swap(j, t);
        d.swap(j, t);
        sh[j] = sh[j].wrapping_add(sh[t]);
        sb[j] = sb[j].wrapping_sub(sb[t]);
        j = t;
    }
    (0..20).fold(0u64, |sum, k| {
        let signed = (sh[k] as i64 as u64).wrapping_add(sb[k] as i64 as u64);
        sum.wrapping_mul(31)
            .wrapping_add(b[k])
            .wrapping_add(h[k])
            .wrapping_add(d[k])
            .wrapping_add(signed)
    })
}

fn vectors(i: u32, key: u32) -> [u32; 4] {
    let mut v: Vec<[u32; 4]> = (0..12).map(|k| [i, k, i * k, i ^ k]).collect();
    let u: Vec<[u32; 2]> = (0..12).map(|k| [i + k, i.wrapping_sub(k)]).collect();
    let (a, b) = ((key % 12) as usize, (key / 12 % 12) as usize);
    let t = v[a];
    let add = [u[b][0], u[b][1], u[a][0], u[a][1]];
    v[a] = std::array::from_fn(|c| v[b][c].wrapping_add(add[c]));
    v[b] = t;
    v.iter().fold([0; 4], |sum, v| {
        std::array::from_fn(|c| sum[c].wrapping_mul(5).wrapping_add(v[c]))
    })
}

fn list(i: u32, order: u32) -> u32 {
    let mut nodes = [(0u32, 0u32); 17];
    nodes[16] = (i, 99);
    let mut head = 16;
    for k in 0..16u32 {
        let at = (order >> (k % 8 * 4) & 15) ^ (k & 8);
        nodes[k as usize] = (at * 3 + k, head);
        head = k;
    }
    let (mut sum, mut steps) = (0u32, 0);
    while head != 99 && steps < 100 {
        sum = sum.wrapping_mul(7).wrapping_add(nodes[head as usize].0);
        head = nodes[head as usize].1;
        steps += 1;
    }
    sum.wrapping_add(steps)
}

#[test]
fn spilled_registers() {
    each_build("scratch.cl", |object| {
        let mut r = Random::new(17);
        for n in SIZES {
            let x = r.vec(n, |r| r.unit() as f32);
            let ran = object
                .launch("spills", groups(n, 64), 64)
                .output::<f32>(n)
                .input(&x)
                .u32(n)
                .run();
            // Multiplying by a half is exact, so fused or not makes no difference.
            let want: Vec<f32> = (0..n)
                .map(|i| {
                    let v: Vec<f32> = (0..48).map(|k| x[(i + k) % n] * (k + 1) as f32).collect();
                    (0..48).fold(0.0, |sum, k| sum * 0.5 + v[47 - k] + v[k * 5 % 48])
                })
                .collect();
            same("spills", &ran.get::<f32>(0), &want);
        }
    });
}

#[test]
fn pointers_into_any_memory() {
    each_build("scratch.cl", |object| {
        let mut r = Random::new(18);
        for n in SIZES {
            let (x, block) = (r.vec(n, Random::u32), 64usize);
            let g = groups(n, block as u32);
            let ran = object
                .launch("any_space", g, block as u32)
                .output::<u32>(n)
                .inout(&x)
                .u32(n)
                .run();
            let (mut y, mut after) = (vec![0u32; n], x.clone());
            for i in 0..n {
                match i % 3 {
                    0 => {
                        let mut p = [i as u32, 2, 3, 4];
                        let before = p[i & 3];
                        p[i & 3] = before * 2 + 1;
                        y[i] = before + p.iter().sum::<u32>();
                    }
                    1 => y[i] = ((i % block + 5) % block * 3) as u32,
                    _ => {
                        after[i] = x[i].wrapping_mul(2).wrapping_add(1);
                        y[i] = x[i].wrapping_add(after[i]);
                    }
                }
            }
            same("any_space", &ran.get::<u32>(0), &y);
            same("any_space, memory", &ran.get::<u32>(1), &after);

            let launch = object.launch("any_space_atomic", g, block as u32);
            let ran = launch.output::<u32>(g as usize).inout(&[7u32]).u32(n).run();
            let all: Vec<u32> = (0..n as u32).collect();
            let odd = all.chunks(block).map(|c| c.iter().filter(|&&i| i % 2 == 1).sum());
            same("odd", &ran.get::<u32>(0), &odd.collect::<Vec<u32>>());
            same(
                "even",
                &ran.get::<u32>(1),
                &[7 + all.iter().filter(|&&i| i % 2 == 0).sum::<u32>()],
            );
        }
    });
}
