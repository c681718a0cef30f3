//! Calls: registers and stack as the compiler's calling convention has them.

use crate::harness::{each_build, groups, same, Random};

const SIZES: [usize; 3] = [1, 64, 131];

fn mix(a: u32, b: u32) -> u32 {
    (a ^ b.wrapping_mul(2_654_435_761)).wrapping_add(a.rotate_left(5))
}

fn mix64(a: u64, b: u32) -> u64 {
    a.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(b.into()) ^ a >> 29
}

#[test]
fn functions() {
    each_build("calls.cl", |object| {
        let mut r = Random::new(19);
        for n in SIZES {
            let x = r.vec(n, Random::u32);
            let launch = object.launch("chains", groups(n, 64), 64);
            let ran = launch.output::<u32>(n).output::<u64>(n).input(&x).u32(n).run();
            let (y, z): (Vec<u32>, Vec<u64>) = (0..n).map(|i| chain(i as u32, x[i])).unzip();
            same("chains", &ran.get::<u32>(0), &y);
            same("chains 64", &ran.get::<u64>(1), &z);

            let ran = object
                .launch("structs", groups(n, 64), 64)
                .output::<u32>(n)
                .input(&x)
                .u32(n)
                .run();
            let want: Vec<u32> = (0..n as u32)
                .map(|i| {
                    let (v, at) = (x[i as usize], x[i as usize] % 24);
                    let first = mix(v, at).wrapping_add(if at == i % 24 { 5 } else { 0 });
                    first.wrapping_add(mix(i, i * 5 % 24))
                })
                .collect();
            same("structs", &ran.get::<u32>(0), &want);

            let ran = object.launch("exchanges", groups(n, 64), 64).inout(&x).u32(n).run();
            let mut want = x.clone();
            want.chunks_exact_mut(2).for_each(|pair| pair.swap(0, 1));
            same("exchanges", &ran.get::<u32>(0), &want);
        }
    });
}

fn chain(i: u32, x: u32) -> (u32, u64) {
    let (mut v, mut k) = (x, 0);
    while k < v & 7 {
        v = mix(v, k);
        k += 1;
    }
    let z = mix64(mix64(u64::from(v) << 20, i), v);
    let mut s = [v, mix(v, 1), mix(v, 2)];
    s.sort_unstable();
    let [a, b, c] = s;
    let many = a
        .wrapping_add(c.wrapping_mul(3))
        .wrapping_add(u32::from(b as u16) * 5)
        .wrapping_add((i & 255) * 7)
        .wrapping_add(i)
        .wrapping_add(c)
        .wrapping_add(i * 11)
        .wrapping_add(b)
        .wrapping_add(i)
        .wrapping_add((i + 1) * 13)
        .wrapping_add(i + 1)
        .wrapping_add(c);
    ((a / 2 + b / 4 + c / 8).wrapping_add(many), z)
}

/// OpenCL C has no recursion, and clang 19 counts one frame only: 16 to 80 bytes of scratch. A card would write into the
/// stacks of other lanes; the simulated one says so.
#[test]
fn recursion_beyond_the_declared_stack_is_found() {
    each_build("calls.cl", |object| {
        let launch = object.launch("recursion", 1, 64).output::<u32>(64).u32(64);
        let text = launch.finding();
        assert!(text.contains("scratch access of 4 bytes at"), "{text}");
        assert!(text.contains("is outside of its"), "{text}");
    });
}

#[test]
fn function_pointers() {
    each_build("calls.cl", |object| {
        let mut r = Random::new(20);
        for n in SIZES {
            let x = r.vec(n, Random::u32);
            let ran = object
                .launch("pointers", groups(n, 64), 64)
                .output::<u32>(n)
                .input(&x)
                .u32(n)
                .run();
            let want: Vec<u32> = (0..n as u32)
                .map(|i| {
                    let v = x[i as usize];
                    [v.wrapping_add(i), v.wrapping_sub(i), v.wrapping_mul(i), v << (i & 31)][i as usize % 4]
                })
                .collect();
            same("pointers", &ran.get::<u32>(0), &want);
        }
    });
}
