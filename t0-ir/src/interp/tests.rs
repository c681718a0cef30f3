#![allow(clippy::unwrap_used)]

use super::*;
use crate::text::parse;

fn kernel(head: &str, body: &str) -> Func {
    let f = parse(&format!("kernel k {head} {{\n{body}\n}}")).unwrap_or_else(|d| panic!("{d}"));
    crate::verify::verify(&f).unwrap_or_else(|d| panic!("{d}"));
    f
}

/// Runs a kernel with one u32 output of `len` elements; what it wrote (poison: 0xdeadbeef).
fn out(f: &Func, len: u32, groups: u32) -> Result<Vec<u32>, InterpError> {
    let mut m = Memory::new();
    let base = m.alloc(&0xdead_beefu32.to_le_bytes().repeat(len as usize));
    run(f, &[Arg::Slice { base, len }], &mut m, [groups, 1, 1])?;
    let bytes = m.buffer(base).unwrap();
    Ok(bytes
        .chunks(4)
        .map(|b| u32::from_le_bytes(b.try_into().unwrap()))
        .collect())
}

const OUT32: &str = "group 32 param o slice u32 write body %0:buf<u32>";
const OUT64: &str = "group 64 param o slice u32 write lds \"s\" 256 align 4 slots 1 body %0:buf<u32>";

#[test]
fn divergent_while_keeps_each_lanes_result() {
    // Collatz steps of lane + 1.
    let f = kernel(
        OUT32,
        "%1:u32 = lane_id
         %2:u32 = const 1
         %3:u32 = const 0
         %4:u32 = add %1, %2
         %5:u32, %6:u32 = while %4, %3 { %7:u32, %8:u32
           %9:bool = cmp[ne] %7, %2
           condition %9, %7, %8
         } { %10:u32, %11:u32
           %12:u32 = and %10, %2
           %13:bool = cmp[eq] %12, %2
           %14:u32 = if %13 {
             %15:u32 = const 3
             %16:u32 = mul %10, %15
             %17:u32 = add %16, %2
             yield %17
           } {
             %18:u32 = shr %10, %2
             yield %18
           }
           %19:u32 = add %11, %2
           yield %14, %19
         }
         store %0, %1, %6",
    );
    let steps = |mut n: u32| {
        let mut s = 0;
        while n != 1 {
            n = if n & 1 == 1 { 3 * n + 1 } else { n >> 1 };
            s += 1;
        }
        s
    };
    assert_eq!(out(&f, 32, 1).unwrap(), (1..=32).map(steps).collect::<Vec<u32>>());
}

#[test]
fn divergent_for_and_stores_past_the_end() {
    // sum of 0, 3, 6 … below lane; only 20 elements of output.
    let f = kernel(
        OUT32,
        "%1:u32 = lane_id
         %2:u32 = const 0
         %3:u32 = const 3
         %4:u32 = for %2, %1, %3, %2 { %5:u32, %6:u32
           %7:u32 = add %5, %6
           yield %7
         }
         store %0, %1, %4",
    );
    let want: Vec<u32> = (0..20u32).map(|l| (0..l).step_by(3).sum()).collect();
    assert_eq!(out(&f, 20, 1).unwrap(), want);
}

#[test]
fn for_does_not_wrap() {
    let f = kernel(
        OUT32,
        "%1:u32 = const 4294967290
         %2:u32 = const 4294967295
         %3:u32 = const 4
         %4:u32 = const 0
         %8:u32 = const 1
         %5:u32 = for %1, %2, %3, %4 { %6:u32, %7:u32
           %9:u32 = add %7, %8
           yield %9
         }
         store %0, %4, %5",
    );
    assert_eq!(out(&f, 1, 1).unwrap(), [2]);
}

#[test]
fn waves_exchange_through_lds() {
    let body = |barrier: &str| {
        format!(
            "%1:u32 = local_id
             %2:u32 = const 4
             %3:u32 = mul %1, %2
             lds_store[lds 0] %3, %1
             {barrier}
             %4:u32 = const 63
             %5:u32 = sub %4, %1
             %6:u32 = mul %5, %2
             %7:u32 = lds_load[lds 0] %6
             store %0, %1, %7"
        )
    };
    let f = kernel(OUT64, &body("barrier"));
    assert_eq!(out(&f, 64, 1).unwrap(), (0..64).rev().collect::<Vec<u32>>());
    let race = out(&kernel(OUT64, &body("")), 64, 1).unwrap_err();
    assert!(matches!(race, InterpError::Race { wave: 1, other: 0, .. }), "{race}");
}

#[test]
fn wave_operations() {
    let f = kernel(
        OUT32,
        "%1:u32 = lane_id
         %2:u32 = wave_reduce[add] %1
         %3:u32 = wave_scan[add] %1
         %4:u32 = wave_shuffle_xor[mask 5] %1
         %5:u32 = const 3
         %6:bool = cmp[lt] %1, %5
         %7:u32 = wave_ballot %6
         %8:u32 = wave_broadcast %1, %5
         %9:u32 = const 31
         %10:u32 = sub %9, %1
         %11:u32 = wave_shuffle %3, %10
         %12:u32 = const 1000
         %13:u32 = mul %12, %4
         %14:u32 = add %11, %13
         store %0, %1, %14
         %15:u32 = const 32
         %20:u32 = const 33
         %21:u32 = const 34
         store %0, %15, %2
         store %0, %20, %7
         store %0, %21, %8",
    );
    let got = out(&f, 35, 1).unwrap();
    let scan = |l: u32| (0..=l).sum::<u32>();
    for l in 0..32u32 {
        assert_eq!(got[l as usize], scan(31 - l) + 1000 * (l ^ 5));
    }
    assert_eq!(got[32..], [496, 7, 3]);
}

#[test]
fn atomics_count_every_lane() {
    let f = kernel(
        "group 64 param o slice u32 atomic body %0:buf<u32>",
        "%1:u32 = const 0
         %2:u32 = const 1
         %3:u32 = atomic[add] %0, %1, %2",
    );
    assert_eq!(out(&f, 1, 3).unwrap(), [0xdead_beefu32.wrapping_add(192)]);
}

#[test]
fn errors() {
    let f = parse(&format!(
        "kernel k {OUT64} {{ %1:u32 = wave_id %2:u32 = const 0 %3:bool = cmp[eq] %1, %2 if %3 {{ barrier yield }} {{ yield }} }}"
    ))
    .unwrap();
    assert!(matches!(
        out(&f, 1, 1).unwrap_err(),
        InterpError::Barrier { wave: 1, .. }
    ));
    let f = parse(&format!(
        "kernel k {OUT32} {{ %1:u32 = lane_id %2:u32 = const 7 %3:bool = cmp[lt] %1, %2 if %3 {{ %4:u32 = wave_reduce[add] %1 yield }} {{ yield }} }}"
    ))
    .unwrap();
    assert!(matches!(
        out(&f, 1, 1).unwrap_err(),
        InterpError::Divergent { mask: 0x7f, .. }
    ));
    let f = kernel(OUT32, "%1:bool = const true while { condition %1 } { yield }");
    let mut m = Memory::new();
    let options = Options {
        max_ops: 100,
        check_races: true,
    };
    let e = run_with(&f, &[Arg::Slice { base: 0, len: 0 }], &mut m, [1, 1, 1], options).unwrap_err();
    assert_eq!(e, InterpError::TooLong { max_ops: 100 });
    let f = kernel(OUT32, "%1:u32 = const 5 store %0, %1, %1");
    let e = run(&f, &[Arg::Slice { base: 4096, len: 9 }], &mut m, [1, 1, 1]).unwrap_err();
    assert!(matches!(
        e,
        InterpError::Address {
            address: 4116,
            bytes: 4,
            ..
        }
    ));
}

#[test]
fn wmma_against_a_plain_product() {
    // One 16x16 block of A·Bᵀ + C, with A 20x19 and B 18x19, so that rows and k are masked; K = 32 in two steps.
    let f = kernel(
        "group 32 param a mat bf16 read param b mat bf16 read param c mat f32 write
         body %0:buf<bf16>, %1:u32, %2:u32, %3:u32, %4:buf<bf16>, %5:u32, %6:u32, %7:u32, %8:buf<f32>, %9:u32, %10:u32, %11:u32",
        "%12:u32 = const 0
         %13:u32 = const 16
         %14:f32 = const 0.5
         %15:acc<f32> = frag_splat %14
         %16:ldstile<bf16 16x32> = tile_load %0, %1, %2, %3, %13, %12
         %17:ldstile<bf16 16x32> = tile_load %4, %5, %6, %7, %12, %12
         %18:frag<bf16> = tile_frag %16, %12, %12
         %19:frag<bf16> = tile_frag %17, %12, %12
         %20:acc<f32> = wmma %18, %19, %15
         %21:frag<bf16> = tile_frag %16, %12, %13
         %22:frag<bf16> = tile_frag %17, %12, %13
         %23:acc<f32> = wmma %21, %22, %20
         tile_store %8, %9, %10, %11, %13, %12, %23",
    );
    assert!(!is_lowered(&f));
    let a: Vec<f32> = (0..20 * 19).map(|i| (i % 13) as f32 - 6.0).collect();
    let b: Vec<f32> = (0..18 * 19).map(|i| (i % 7) as f32 * 0.25).collect();
    let bytes = |x: &[f32]| -> Vec<u8> {
        x.iter()
            .flat_map(|&x| half::bf16::from_f32(x).to_bits().to_le_bytes())
            .collect()
    };
    let mut m = Memory::new();
    let (pa, pb) = (m.alloc(&bytes(&a)), m.alloc(&bytes(&b)));
    let pc = m.alloc(&[0xff; 20 * 18 * 4]);
    let mat = |base, rows, cols| Arg::Mat {
        base,
        rows,
        cols,
        stride: cols,
    };
    run(
        &f,
        &[mat(pa, 20, 19), mat(pb, 18, 19), mat(pc, 20, 18)],
        &mut m,
        [1, 1, 1],
    )
    .unwrap();
    let got = m.buffer(pc).unwrap();
    for r in 0..20 {
        for c in 0..18 {
            let at = (r * 18 + c) * 4;
            let x = u32::from_le_bytes(got[at..at + 4].try_into().unwrap());
            if r >= 16 && c < 16 {
                let want: f32 = 0.5 + (0..19).map(|k| a[r * 19 + k] * b[c * 19 + k]).sum::<f32>(); // exact: small multiples of 1/4
                assert_eq!(f32::from_bits(x), want, "{r} {c}");
            } else {
                assert_eq!(x, u32::MAX, "{r} {c}");
            }
        }
    }
}

#[test]
fn a_wave_waits_by_atomic_loads_for_another_one_of_its_group() {
    // Wave 0 waits until wave 1 has set the flag at byte 0 of LDS, then reads what it wrote behind it.
    let f = kernel(
        OUT64,
        "%1:u32 = wave_id
             %2:u32 = const 0
             %3:u32 = const 1
             %4:u32 = const 4
             %5:u32 = local_id
             %6:bool = cmp[eq] %1, %2
             if %6 {
               while {
                 %7:u32 = lds_atomic_load[lds 0] %2
                 fence[acquire, group]
                 %8:bool = cmp[ne] %7, %3
                 condition %8
               } {
                 yield
               }
               %9:u32 = lds_load[lds 0] %4
               store %0, %5, %9
               yield
             } {
               %10:u32 = const 7
               lds_store[lds 0] %4, %10
               fence[release, group]
               %11:u32 = lds_atomic[lds 0, swap] %2, %3
               yield
             }",
    );
    assert_eq!(out(&f, 32, 1).unwrap(), [7; 32]);
}
