//! Atomic operations: final values, results that must all differ, and protocols between workgroups.

use crate::harness::{each_build, groups, same, Random};

#[test]
fn histogram() {
    each_build("atomics.cl", |object| {
        let mut r = Random::new(11);
        for n in [0, 1, 255, 1000, 4099] {
            let x = r.vec(n, |r| (r.u64() % 256 * (r.u64() % 256) / 256) as u8);
            let before: Vec<u32> = (0..256).collect();
            let ran = object.launch("histogram", 4, 128).inout(&before).input(&x).u32(n).run();
            let mut want = before;
            x.iter().for_each(|&v| want[usize::from(v)] += 1);
            same("histogram", &ran.get::<u32>(0), &want);
        }
    });
}

/// Sum, negated sum, and, or, exclusive or, least, greatest.
macro_rules! folded {
    ($t:ty, $x:expr, $and:expr, $or:expr) => {{
        let mut f: [$t; 7] = [0, 0, !0, 0, 0, !0, 0];
        for (i, v) in $x {
            let shift = i as u32 & 7;
            f[0] = f[0].wrapping_add(v);
            f[1] = f[1].wrapping_sub(v);
            f[2] &= v | $and;
            f[3] |= v & ($or as $t).wrapping_shl(shift);
            f[4] ^= v;
            f[5] = f[5].min(v);
            f[6] = f[6].max(v);
        }
        f
    }};
}

#[test]
fn integers() {
    each_build("atomics.cl", |object| {
        let mut r = Random::new(12);
        for n in [1, 33, 500] {
            let start32: [u32; 7] = [0, 0, !0, 0, 0, !0, 0];
            let x = r.vec(n, |r| r.u32() & r.u32());
            let launch = object.launch("integers32", groups(n, 64), 64);
            let ran = launch
                .inout(&start32)
                .inout(&[i32::MAX, i32::MIN])
                .input(&x)
                .u32(n)
                .run();
            let want = folded!(u32, x.iter().copied().enumerate(), 0x0f0f_0f0f, 0x0101_0101);
            same("integers32", &ran.get::<u32>(0), &want);
            let signed = x.iter().map(|&v| v as i32);
            same(
                "signed",
                &ran.get::<i32>(1),
                &[signed.clone().min().unwrap(), signed.max().unwrap()],
            );

            let start64 = start32.map(|v| if v == 0 { 0 } else { !0u64 });
            let x = r.vec(n, |r| r.u64() & r.u64());
            let launch = object.launch("integers64", groups(n, 64), 64);
            let ran = launch
                .inout(&start64)
                .inout(&[i64::MAX, i64::MIN])
                .input(&x)
                .u32(n)
                .run();
            let want = folded!(
                u64,
                x.iter().copied().enumerate(),
                0x0f0f_0f0f_0f0f_0f0f,
                0x0101_0101_0101_0101
            );
            same("integers64", &ran.get::<u64>(0), &want);
            let signed = x.iter().map(|&v| v as i64);
            same(
                "signed 64",
                &ran.get::<i64>(1),
                &[signed.clone().min().unwrap(), signed.max().unwrap()],
            );
        }
    });
}

#[test]
fn integers_in_lds() {
    each_build("atomics.cl", |object| {
        let (mut r, n, block) = (Random::new(13), 300usize, 128usize);
        let x = r.vec(n, Random::u32);
        let g = groups(n, block as u32) as usize;
        let launch = object.launch("integers_local", g as u32, block as u32);
        let ran = launch.output::<u32>(7 * g).output::<u64>(7 * g).input(&x).u32(n).run();
        let (mut want, mut want64) = (Vec::new(), Vec::new());
        for chunk in x.chunks(block) {
            // Shifts by 0: index 0 for all.
            want.extend(folded!(u32, chunk.iter().map(|&v| (0, v)), 0x0f0f_0f0f, 0x0101_0101));
            let base = want64.len() / 7 * block;
            let wide = chunk.iter().enumerate().map(|(l, &v)| {
                let d = u64::from(v).wrapping_mul(0x1_0000_0001) ^ ((base + l) as u64) << 20;
                (0, d)
            });
            want64.extend(folded!(u64, wide, 0x0f0f_0f0f_0f0f_0f0f, 0x0101_0101_0101_0101));
        }
        same("integers_local", &ran.get::<u32>(0), &want);
        same("integers_local 64", &ran.get::<u64>(1), &want64);
    });
}

#[test]
fn results_of_atomics() {
    each_build("atomics.cl", |object| {
        for n in [1usize, 65, 700] {
            let launch = object
                .launch("tickets", groups(n, 64), 64)
                .inout(&[0u32])
                .inout(&[0u64])
                .inout(&[u32::MAX]);
            let ran = launch.output::<u32>(n).output::<u32>(n).output::<u32>(n).u32(n).run();
            let sorted = |v: Vec<u32>| {
                let mut v = v;
                v.sort_unstable();
                v
            };
            let all: Vec<u32> = (0..n as u32).collect();
            same("next", &ran.get::<u32>(0), &[n as u32]);
            same("next64", &ran.get::<u64>(1), &[3 * n as u64]);
            same("every ticket once", &sorted(ran.get(3)), &all);
            same("every 64-bit ticket once", &sorted(ran.get(4)), &all);
            let mut passed_on = ran.get::<u32>(5);
            passed_on.extend(ran.get::<u32>(2));
            let mut want = all.clone();
            want.push(u32::MAX);
            same("the token was handed on by all", &sorted(passed_on), &want);

            let limit = 9;
            let launch = object
                .launch("wrapping", groups(n, 64), 64)
                .inout(&[0u32])
                .inout(&[0u32]);
            let ran = launch.output::<u32>(n).output::<u32>(n).u32(limit).u32(n).run();
            let up: Vec<u32> = (0..n as u32).map(|i| i % 10).collect();
            let down: Vec<u32> = up.iter().map(|&v| (10 - v) % 10).collect();
            same("up", &ran.get::<u32>(0), &[n as u32 % 10]);
            same("down", &ran.get::<u32>(1), &[(10 - n as u32 % 10) % 10]);
            same("seen up", &sorted(ran.get(2)), &sorted(up));
            same("seen down", &sorted(ran.get(3)), &sorted(down));
        }
    });
}

#[test]
fn floats_and_loops_of_compare_and_swap() {
    each_build("atomics.cl", |object| {
        let (mut r, block) = (Random::new(14), 64usize);
        for n in [1usize, 63, 333] {
            // Integers: every order of addition gives the same sum.
            let x = r.vec(n, |r| (r.u64() % 2001) as f32 - 1000.0);
            let g = groups(n, block as u32);
            let launch = object
                .launch("float_adds", g, block as u32)
                .inout(&[0f32; 3])
                .inout(&[0f64]);
            let ran = launch.output::<f32>(g as usize).input(&x).u32(n).run();
            let sum = |step: usize, first: usize| x.iter().skip(first).step_by(step).sum::<f32>();
            same("sums", &ran.get::<f32>(0), &[sum(3, 0), sum(3, 1), sum(3, 2)]);
            same("sum in f64", &ran.get::<f64>(1), &[f64::from(sum(1, 0))]);
            let groups: Vec<f32> = x.chunks(block).map(|c| c.iter().sum()).collect();
            same("sums of groups", &ran.get::<f32>(2), &groups);

            let x = r.vec(n, |r| (r.unit().abs() * 1e6) as f32);
            let launch = object
                .launch("swap_loops", g, block as u32)
                .inout(&[0f32])
                .inout(&[1u32])
                .inout(&[1u64]);
            let ran = launch.input(&x).u32(n).run();
            same("largest", &ran.get::<f32>(0), &[x.iter().copied().fold(0.0, f32::max)]);
            let product = |modulus: u64| (0..n as u64).fold(1, |p, i| p * (i % 65520 + 1) % modulus);
            same("product", &ran.get::<u32>(1), &[product(65521) as u32]);
            same("product64", &ran.get::<u64>(2), &[product(4_294_967_291)]);
        }
    });
}

#[test]
fn workgroups_that_wait_for_each_other() {
    each_build("atomics.cl", |object| {
        let mut r = Random::new(15);
        for n in [1usize, 64, 65, 1000, 2500] {
            let x = r.vec(n, |r| r.u32() % 1000);
            let g = groups(n, 64) as usize;
            let launch = object
                .launch("last_group", g as u32, 64)
                .output::<u32>(1)
                .output::<u32>(g)
                .inout(&[0u32]);
            let ran = launch.input(&x).u32(n).u32(g).run();
            same("sum", &ran.get::<u32>(0), &[x.iter().sum()]);

            let launch = object.launch("chained_scan", g as u32, 64).output::<u32>(n).input(&x);
            let ran = launch.inout(&vec![0u32; g]).output::<u32>(g).u32(n).run();
            let running = x.iter().scan(0, |s, &v| {
                *s += v;
                Some(*s)
            });
            same("running sums", &ran.get::<u32>(0), &running.collect::<Vec<u32>>());
        }
    });
}
