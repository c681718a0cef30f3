//! One work-item an element: sizes around waves and workgroups, widths of loads, what launches pass.

use crate::harness::{each_build, groups, near, same, Random};

const SIZES: [usize; 10] = [0, 1, 31, 32, 33, 63, 65, 127, 257, 1009];

#[test]
fn saxpy() {
    each_build("linear.cl", |object| {
        let mut r = Random::new(1);
        for n in SIZES {
            let (x, y) = (r.vec(n, |r| r.unit() as f32), r.vec(n, |r| r.unit() as f32));
            let a = 1.7f32;
            let launch = object.launch("saxpy", groups(n, 64), 64);
            let ran = launch.inout(&y).input(&x).value("f32:1.7").u32(n).run();
            let exact: Vec<f64> = (0..n)
                .map(|i| f64::from(a) * f64::from(x[i]) + f64::from(y[i]))
                .collect();
            // Fused or not: half a unit of the product and half a unit of the sum, both below 4.
            let got = ran.get::<f32>(0).into_iter().map(f64::from);
            near("saxpy", got, &exact, |_, _| 2f64.powi(-24) * 4.0);

            let launch = object.launch("saxpy_strided", 3, 96);
            let ran = launch.inout(&y).input(&x).value("f32:1.7").u32(n).u32(3).run();
            let fused: Vec<f32> = (0..n).map(|i| a.mul_add(x[i], y[i])).collect();
            same("saxpy_strided", &ran.get::<f32>(0), &fused);

            let ran = object
                .launch("fill_bytes", groups(n, 128), 128)
                .output::<u8>(n)
                .u32(n)
                .u32(200)
                .run();
            let bytes: Vec<u8> = (0..n).map(|i| (i * 7 + 200) as u8).collect();
            same("fill_bytes", &ran.get::<u8>(0), &bytes);
        }
    });
}

#[test]
fn widths_of_loads_and_stores() {
    each_build("linear.cl", |object| {
        let (mut r, n) = (Random::new(2), 101);
        let a = r.vec(n, |r| r.u64() as i8);
        let b = r.vec(n, |r| r.u64() as u16);
        let c = r.vec(2 * n, Random::u64);
        let d = r.vec(3 * n, |r| (r.u64() % 2000) as f32 - 1000.0);
        let launch = object.launch("widths", groups(n, 64), 64);
        let ran = launch
            .input(&a)
            .input(&b)
            .input(&c)
            .input(&d)
            .output::<i64>(n)
            .output::<u32>(4 * n)
            .u32(n)
            .run();
        let sums: Vec<i64> = (0..n)
            .map(|i| {
                let words = (c[2 * i] ^ c[2 * i + 1]) as i64;
                let floats = d[3 * i] + d[3 * i + 1] + d[3 * i + 2];
                i64::from(a[i])
                    .wrapping_add(b[i].into())
                    .wrapping_add(words)
                    .wrapping_add(floats as i64)
            })
            .collect();
        same("sums", &ran.get::<i64>(4), &sums);
        let quads: Vec<u32> = (0..n)
            .flat_map(|i| {
                [
                    a[i] as u32,
                    b[i].into(),
                    (c[2 * i] >> 32) as u32,
                    d[3 * i + 2] as i32 as u32,
                ]
            })
            .collect();
        same("quads", &ran.get::<u32>(5), &quads);

        let bytes = r.vec(5 * n + 16, |r| r.u64() as u8);
        let launch = object.launch("unaligned", groups(n, 64), 64);
        let ran = launch.input(&bytes).output::<u32>(n).output::<u64>(n).u32(n).run();
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let double = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
        same(
            "words",
            &ran.get::<u32>(1),
            &(0..n).map(|i| word(5 * i + 1)).collect::<Vec<_>>(),
        );
        same(
            "doubles",
            &ran.get::<u64>(2),
            &(0..n).map(|i| double(3 * i + 1)).collect::<Vec<_>>(),
        );

        let x = r.vec(n, |r| r.u64() as i16);
        let launch = object.launch("halves", groups(n, 64), 64);
        let ran = launch.input(&x).output::<i16>(2 * n).output::<u8>(2 * n).u32(n).run();
        let pair = |i: usize| (x[i], x[n - 1 - i]);
        let shorts: Vec<i16> = (0..n)
            .flat_map(|i| [pair(i).1.wrapping_mul(3), pair(i).0.wrapping_mul(-5)])
            .collect();
        let chars: Vec<u8> = (0..n).flat_map(|i| [(pair(i).0 >> 8) as u8, pair(i).1 as u8]).collect();
        same("shorts", &ran.get::<i16>(1), &shorts);
        same("chars", &ran.get::<u8>(2), &chars);
    });
}

#[test]
fn arguments_that_are_no_words() {
    each_build("linear.cl", |object| {
        let n = 70usize;
        let (scale, bias, big) = ([3u16, 500, 65535], [0.5f32, -1.0, 2.0, 8.0], 1u64 << 33);
        // struct packet: n, tag, scale[3] at 6, bias at 16, big at 32, padded to 48.
        let mut p = [0u8; 48];
        p[0..4].copy_from_slice(&(n as u32).to_le_bytes());
        p[4] = 9;
        for (i, s) in scale.iter().enumerate() {
            p[6 + 2 * i..8 + 2 * i].copy_from_slice(&s.to_le_bytes());
        }
        for (i, b) in bias.iter().enumerate() {
            p[16 + 4 * i..20 + 4 * i].copy_from_slice(&b.to_le_bytes());
        }
        p[32..40].copy_from_slice(&big.to_le_bytes());
        let hex: String = p.iter().map(|b| format!("{b:02x}")).collect();
        let launch = object
            .launch("by_value", groups(n, 64), 64)
            .output::<f32>(4 * n)
            .value(&format!("hex:{hex}"));
        let launch = launch
            .value("u8:200")
            .value("i16:-7")
            .value("i64:-8589934592")
            .value("f16:0.25");
        let ran = launch.value("f64:1.5").run();
        let want: Vec<f32> = (0..n)
            .flat_map(|i| [209.0 + 0.75, f32::from(scale[i % 3]) * -7.0 - 1.5, 3.0, 12.25])
            .collect();
        same("by_value", &ran.get::<f32>(0), &want);

        let ran = object
            .launch("program_scope", groups(n, 64), 64)
            .output::<u32>(n)
            .u32(n)
            .run();
        let table = [3u32, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3];
        let want: Vec<u32> = (0..n).map(|i| table[i & 15] * [5, 7][i & 1]).collect();
        same("program_scope", &ran.get::<u32>(0), &want);
    });
}

#[test]
fn three_dimensions() {
    each_build("linear.cl", |object| {
        for (grid, block) in [
            ([2, 3, 2], [5, 3, 2]),
            ([1, 1, 3], [7, 7, 3]),
            ([5, 1, 1], [1, 1, 1]),
            ([3, 4, 1], [6, 7, 1]),
        ] {
            let (grid, block): ([u32; 3], [u32; 3]) = (grid, block);
            let w: [u32; 3] = std::array::from_fn(|d| grid[d] * block[d]);
            let n = w.iter().product::<u32>() as usize;
            let launch = object.launch("grid3", grid, block).output::<u32>(n);
            let ran = launch.u32(w[0] as usize).u32(w[1] as usize).run();
            let mut want = vec![0; n];
            for (i, v) in want.iter_mut().enumerate() {
                let i = i as u32;
                let at = [i % w[0], i / w[0] % w[1], i / (w[0] * w[1])];
                for d in 0..3 {
                    *v |= (at[d] % block[d]) << (4 * d) | (at[d] / block[d]) << (12 + 4 * d) | block[d] << (24 + 3 * d);
                }
            }
            same("grid3", &ran.get::<u32>(0), &want);

            let ran = object.launch("launch_sizes", grid, block).output::<u32>(14).run();
            let dims = if grid[2] * block[2] > 1 {
                3
            } else if grid[1] * block[1] > 1 {
                2
            } else {
                1
            };
            let want = [&grid[..], &block, &block, &w, &[dims, w[0]]].concat();
            same("launch_sizes", &ran.get::<u32>(0), &want);
        }
    });
}

#[test]
fn buffers_are_clipped() {
    each_build("buffers.cl", |object| {
        let (mut r, n) = (Random::new(3), 96usize);
        let x = r.vec(4 * n, Random::u32);
        for limit in [0usize, 4, 32, 92, 96] {
            let y = vec![0xdead_beef_u32; n];
            let launch = object.launch("clipped", 2, 64);
            let ran = launch.inout(&y).input(&x).u32(n).u32(limit).run();
            let at = |i: usize| if i < limit { x[i] } else { 0 };
            let want: Vec<u32> = (0..n)
                .map(|i| {
                    let factors = [
                        (i, 1),
                        (2 * i + 2, 3),
                        (2 * i + 3, 5),
                        (4 * i, 7),
                        (4 * i + 1, 11),
                        (4 * i + 2, 13),
                    ];
                    let sum = factors
                        .iter()
                        .fold(0u32, |s, &(j, f)| s.wrapping_add(at(j).wrapping_mul(f)));
                    let sum = sum.wrapping_add(at(4 * i + 3).wrapping_mul(17));
                    let sum = sum
                        .wrapping_add((at(i) >> 8 & 0xff) * 19)
                        .wrapping_add((at(i) >> 16) * 23);
                    if i < limit {
                        sum
                    } else {
                        0xdead_beef
                    }
                })
                .collect();
            same("clipped", &ran.get::<u32>(0), &want);
        }
    });
}
