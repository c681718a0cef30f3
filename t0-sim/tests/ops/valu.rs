//! Models of integer, bit and conversion-free vector instructions, one per opcode.

use crate::vector::{int, mask, raw, In, Model, Models, Out, V};
use t0_backend_rdna3::isa::Mods;

fn s32(v: u64) -> i128 {
    i128::from(v as u32 as i32)
}
fn u32_(v: u64) -> i128 {
    i128::from(v as u32)
}
fn s16(v: u64) -> i128 {
    i128::from(v as u16 as i16)
}
fn u16_(v: u64) -> i128 {
    i128::from(v as u16)
}
fn s24(v: u64) -> i128 {
    i128::from(((v as u32) << 8) as i32 >> 8)
}
fn u24(v: u64) -> i128 {
    i128::from(v & 0xff_ffff)
}
fn s64(v: u64) -> i128 {
    i128::from(v as i64)
}
fn u64_(v: u64) -> i128 {
    i128::from(v)
}

fn byte(v: u64, k: u32) -> u64 {
    v >> (8 * k) & 255
}
fn absdiff(a: u64, b: u64) -> u64 {
    a.max(b) - a.min(b)
}

fn sad8(a: u64, b: u64) -> i128 {
    (0..4).map(|k| i128::from(absdiff(byte(a, k), byte(b, k)))).sum()
}
/// Bytes of the reference `b` that are zero do not count.
fn msad8(a: u64, b: u64) -> i128 {
    (0..4)
        .filter(|&k| byte(b, k) != 0)
        .map(|k| i128::from(absdiff(byte(a, k), byte(b, k))))
        .sum()
}

/// Four sums of `bits` each over byte windows of `a`.
fn windows(x: &In, bits: u32, f: fn(u64, u64) -> i128) -> Out {
    let max = (1i128 << bits) - 1;
    let mut r = 0u128;
    for k in 0..4 {
        let old = (x.s[2] >> (bits * k)) as i128 & max;
        let v = f(x.a() >> (8 * k) & 0xffff_ffff, x.b()) + old;
        let v = if x.mods.clamp { v.min(max) } else { v & max };
        r |= (v as u128) << (bits * k);
    }
    raw(r)
}

/// v_perm_b32: one result byte. Source: manual pseudocode BYTE_PERMUTE.
fn permute(data: u64, sel: u64) -> u64 {
    let sign = |k: u32| if byte(data, k) & 0x80 != 0 { 0xff } else { 0 };
    match sel {
        0..=7 => byte(data, sel as u32),
        8 => sign(1),
        9 => sign(3),
        10 => sign(5),
        11 => sign(7),
        12 => 0,
        _ => 0xff,
    }
}

fn find(n: u32, hit: impl Fn(u32) -> bool) -> Out {
    int((0..n).find(|&k| hit(k)).map_or(-1, i128::from))
}

fn med(mut v: [i128; 3]) -> i128 {
    v.sort_unstable();
    v[1]
}

/// Integer arithmetic of two and three operands by element type.
fn typed(t: &mut Models) {
    let types: [(&str, fn(u64) -> i128); 4] = [("i16", s16), ("u16", u16_), ("i32", s32), ("u32", u32_)];
    let mut add = |n: String, f: Model| assert!(t.insert(n.clone(), f).is_none(), "{n} twice");
    for (ty, g) in types {
        add(format!("v_min_{ty}"), Box::new(move |x| int(g(x.a()).min(g(x.b())))));
        add(format!("v_max_{ty}"), Box::new(move |x| int(g(x.a()).max(g(x.b())))));
        let three = move |x: &In| [g(x.a()), g(x.b()), g(x.c())];
        add(
            format!("v_min3_{ty}"),
            Box::new(move |x| int(three(x).into_iter().min().unwrap_or(0))),
        );
        add(
            format!("v_max3_{ty}"),
            Box::new(move |x| int(three(x).into_iter().max().unwrap_or(0))),
        );
        add(format!("v_med3_{ty}"), Box::new(move |x| int(med(three(x)))));
        add(format!("v_add_nc_{ty}"), Box::new(move |x| int(g(x.a()) + g(x.b()))));
        add(format!("v_sub_nc_{ty}"), Box::new(move |x| int(g(x.a()) - g(x.b()))));
        if ty.ends_with("32") {
            add(
                format!("v_maxmin_{ty}"),
                Box::new(move |x| int(g(x.a()).max(g(x.b())).min(g(x.c())))),
            );
            add(
                format!("v_minmax_{ty}"),
                Box::new(move |x| int(g(x.a()).min(g(x.b())).max(g(x.c())))),
            );
        } else {
            add(
                format!("v_mad_{ty}"),
                Box::new(move |x| int(g(x.a()) * g(x.b()) + g(x.c()))),
            );
        }
    }
    for (name, f) in [
        ("and", (|a, b| a & b) as fn(u64, u64) -> u64),
        ("or", |a, b| a | b),
        ("xor", |a, b| a ^ b),
    ] {
        add(format!("v_{name}_b16"), Box::new(move |x| raw(f(x.a(), x.b()).into())));
        add(format!("v_{name}_b32"), Box::new(move |x| raw(f(x.a(), x.b()).into())));
    }
    let compare: [(&str, fn(i128, i128) -> bool); 8] = [
        ("f", |_, _| false),
        ("lt", |a, b| a < b),
        ("eq", |a, b| a == b),
        ("le", |a, b| a <= b),
        ("gt", |a, b| a > b),
        ("ne", |a, b| a != b),
        ("ge", |a, b| a >= b),
        ("t", |_, _| true),
    ];
    for (ty, g) in types
        .into_iter()
        .chain([("i64", s64 as fn(u64) -> i128), ("u64", u64_)])
    {
        for (op, f) in compare {
            if ty.ends_with("16") && matches!(op, "f" | "t") {
                continue;
            }
            for x in ["", "x"] {
                add(
                    format!("v_cmp{x}_{op}_{ty}"),
                    Box::new(move |x| mask(f(g(x.a()), g(x.b())))),
                );
            }
        }
    }
}

fn plain(t: &mut Models) {
    let mut add = |n: &str, f: Model| assert!(t.insert(n.to_string(), f).is_none(), "{n} twice");
    add("v_mov_b32", Box::new(|x| raw(x.s[0])));
    add("v_not_b32", Box::new(|x| raw(u128::from(!x.a() as u32))));
    add("v_not_b16", Box::new(|x| raw(u128::from(!x.a() as u16))));
    add(
        "v_bfrev_b32",
        Box::new(|x| raw((0..32).fold(0, |r, k| r | (x.s[0] >> k & 1) << (31 - k)))),
    );
    add("v_clz_i32_u32", Box::new(|x| find(32, |k| x.a() >> (31 - k) & 1 == 1)));
    add("v_ctz_i32_b32", Box::new(|x| find(32, |k| x.a() >> k & 1 == 1)));
    add(
        "v_cls_i32",
        Box::new(|x| find(32, |k| k > 0 && x.a() >> (31 - k) & 1 != x.a() >> 31)),
    );
    add("v_cvt_i32_i16", Box::new(|x| int(s16(x.a()))));
    add("v_cvt_u32_u16", Box::new(|x| int(u16_(x.a()))));
    add(
        "v_sat_pk_u8_i16",
        Box::new(|x| raw((s16(x.a()).clamp(0, 255) | s16(x.a() >> 16).clamp(0, 255) << 8) as u128)),
    );
    add("v_xnor_b32", Box::new(|x| raw(u128::from(!(x.a() ^ x.b()) as u32))));
    add("v_mul_i32_i24", Box::new(|x| int(s24(x.a()) * s24(x.b()))));
    add("v_mul_u32_u24", Box::new(|x| int(u24(x.a()) * u24(x.b()))));
    add("v_mul_hi_i32_i24", Box::new(|x| int((s24(x.a()) * s24(x.b())) >> 32)));
    add("v_mul_hi_u32_u24", Box::new(|x| int((u24(x.a()) * u24(x.b())) >> 32)));
    add("v_mad_i32_i24", Box::new(|x| int(s24(x.a()) * s24(x.b()) + s32(x.c()))));
    add(
        "v_mad_u32_u24",
        Box::new(|x| int(u24(x.a()) * u24(x.b()) + u32_(x.c()))),
    );
    add(
        "v_mad_u32_u16",
        Box::new(|x| int(u16_(x.a()) * u16_(x.b()) + u32_(x.c()))),
    );
    add("v_mad_i32_i16", Box::new(|x| int(s16(x.a()) * s16(x.b()) + s32(x.c()))));
    add("v_mul_lo_u16", Box::new(|x| int(u16_(x.a()) * u16_(x.b()))));
    add("v_mul_lo_u32", Box::new(|x| int(u32_(x.a()) * u32_(x.b()))));
    add("v_mul_hi_u32", Box::new(|x| int((u32_(x.a()) * u32_(x.b())) >> 32)));
    add("v_mul_hi_i32", Box::new(|x| int((s32(x.a()) * s32(x.b())) >> 32)));
    add("v_subrev_nc_u32", Box::new(|x| int(u32_(x.b()) - u32_(x.a()))));
    add("v_add3_u32", Box::new(|x| int(u32_(x.a()) + u32_(x.b()) + u32_(x.c()))));
    add("v_xor3_b32", Box::new(|x| raw(x.s[0] ^ x.s[1] ^ x.s[2])));
    add("v_or3_b32", Box::new(|x| raw(x.s[0] | x.s[1] | x.s[2])));
    add("v_and_or_b32", Box::new(|x| raw(x.s[0] & x.s[1] | x.s[2])));
    add("v_xad_u32", Box::new(|x| int((x.s[0] ^ x.s[1]) as i128 + u32_(x.c()))));
    add("v_cndmask_b32", Box::new(|x| raw(if x.bit { x.s[1] } else { x.s[0] })));
    add("v_cndmask_b16", Box::new(|x| raw(if x.bit { x.s[1] } else { x.s[0] })));
    for (suffix, n) in [("b16", 16u32), ("b32", 32), ("b64", 64)] {
        let sh = move |v: u64| v as u32 % n;
        add(
            &format!("v_lshlrev_{suffix}"),
            Box::new(move |x| raw(x.s[1] << sh(x.a()) & (u128::MAX >> (128 - n)))),
        );
        add(
            &format!("v_lshrrev_{suffix}"),
            Box::new(move |x| raw(x.s[1] >> sh(x.a()))),
        );
        add(
            &format!("v_ashrrev_i{n}"),
            Box::new(move |x| {
                let v = (x.s[1] as i128) << (128 - n) >> (128 - n);
                raw((v >> sh(x.a())) as u128 & (u128::MAX >> (128 - n)))
            }),
        );
    }
    add(
        "v_lshl_add_u32",
        Box::new(|x| int((u32_(x.a()) << (x.b() & 31)) + u32_(x.c()))),
    );
    add(
        "v_add_lshl_u32",
        Box::new(|x| int((u32_(x.a()) + u32_(x.b())) << (x.c() & 31))),
    );
    add(
        "v_lshl_or_b32",
        Box::new(|x| raw((x.s[0] << (x.b() & 31) | x.s[2]) & 0xffff_ffff)),
    );
    add(
        "v_bfe_u32",
        Box::new(|x| int(u32_(x.a()) >> (x.b() & 31) & ((1 << (x.c() & 31)) - 1))),
    );
    add(
        "v_bfe_i32",
        Box::new(|x| {
            let w = (x.c() & 31) as u32;
            let v = s32(x.a()) >> (x.b() & 31);
            int(if w == 0 { 0 } else { v << (128 - w) >> (128 - w) })
        }),
    );
    add(
        "v_bfi_b32",
        Box::new(|x| raw((x.s[0] & x.s[1] | !x.s[0] & x.s[2]) & 0xffff_ffff)),
    );
    add(
        "v_bfm_b32",
        Box::new(|x| int(((1 << (x.a() & 31)) - 1) << (x.b() & 31))),
    );
    add("v_bcnt_u32_b32", Box::new(|x| int(ones(x.a()) + u32_(x.b()))));
    // Lanes below this one: bits 0 to 31 and 32 to 63 of the mask.
    add(
        "v_mbcnt_lo_u32_b32",
        Box::new(|x| int(ones(x.a() & ((1u64 << x.lane.min(32)) - 1)) + u32_(x.b()))),
    );
    add(
        "v_mbcnt_hi_u32_b32",
        Box::new(|x| int(ones(x.a() & ((1u64 << x.lane.saturating_sub(32)) - 1)) + u32_(x.b()))),
    );
    let pair = |x: &In| u64::from(x.a() as u32) << 32 | u64::from(x.b() as u32);
    add("v_alignbit_b32", Box::new(move |x| int(u32_(pair(x) >> (x.c() & 31)))));
    add(
        "v_alignbyte_b32",
        Box::new(move |x| int(u32_(pair(x) >> (8 * (x.c() & 3))))),
    );
    add(
        "v_perm_b32",
        Box::new(move |x| {
            raw((0..4)
                .fold(0u64, |r, k| r | permute(pair(x), byte(x.c(), k)) << (8 * k))
                .into())
        }),
    );
    add(
        "v_lerp_u8",
        Box::new(|x| {
            raw((0..4)
                .fold(0u64, |r, k| {
                    r | (byte(x.a(), k) + byte(x.b(), k) + (byte(x.c(), k) & 1)) / 2 << (8 * k)
                })
                .into())
        }),
    );
    add("v_sad_u8", Box::new(|x| int(sad8(x.a(), x.b()) + u32_(x.c()))));
    add(
        "v_sad_hi_u8",
        Box::new(|x| int((sad8(x.a(), x.b()) << 16) + u32_(x.c()))),
    );
    add("v_msad_u8", Box::new(|x| int(msad8(x.a(), x.b()) + u32_(x.c()))));
    add(
        "v_sad_u16",
        Box::new(|x| {
            let d = |k: u32| i128::from(absdiff(x.a() >> k & 0xffff, x.b() >> k & 0xffff));
            int(d(0) + d(16) + u32_(x.c()))
        }),
    );
    add(
        "v_sad_u32",
        Box::new(|x| int(i128::from(absdiff(x.a(), x.b())) + u32_(x.c()))),
    );
    add("v_qsad_pk_u16_u8", Box::new(|x| windows(x, 16, sad8)));
    add("v_mqsad_pk_u16_u8", Box::new(|x| windows(x, 16, msad8)));
    add("v_mqsad_u32_u8", Box::new(|x| windows(x, 32, msad8)));
    add(
        "v_cvt_pk_u16_u32",
        Box::new(|x| raw((x.s[0].min(0xffff)) | x.s[1].min(0xffff) << 16)),
    );
    add(
        "v_cvt_pk_i16_i32",
        Box::new(|x| {
            let c = |v: u64| (s32(v).clamp(-32768, 32767) & 0xffff) as u128;
            raw(c(x.a()) | c(x.b()) << 16)
        }),
    );
}

fn ones(v: u64) -> i128 {
    (0..32).map(|k| i128::from(v >> k & 1)).sum()
}

/// Carries and the 65-bit multiply-adds.
fn carries(t: &mut Models) {
    let mut add = |n: &str, f: fn(&In) -> (i128, bool)| {
        let f: Model = Box::new(move |x| {
            let (v, bit) = f(x);
            Out { v: V::I(v), bit }
        });
        assert!(t.insert(n.to_string(), f).is_none(), "{n} twice");
    };
    fn up(v: i128) -> (i128, bool) {
        (v, v > 0xffff_ffff)
    }
    fn down(v: i128) -> (i128, bool) {
        (v, v < 0)
    }
    add("v_add_co_u32", |x| up(u32_(x.a()) + u32_(x.b())));
    add("v_sub_co_u32", |x| down(u32_(x.a()) - u32_(x.b())));
    add("v_subrev_co_u32", |x| down(u32_(x.b()) - u32_(x.a())));
    add("v_add_co_ci_u32", |x| up(u32_(x.a()) + u32_(x.b()) + i128::from(x.bit)));
    add("v_sub_co_ci_u32", |x| {
        down(u32_(x.a()) - u32_(x.b()) - i128::from(x.bit))
    });
    add("v_subrev_co_ci_u32", |x| {
        down(u32_(x.b()) - u32_(x.a()) - i128::from(x.bit))
    });
    add("v_mad_u64_u32", |x| {
        let v = u32_(x.a()) * u32_(x.b()) + u64_(x.c());
        (v, v >> 64 & 1 == 1)
    });
    // Bit 64 of the 65-bit sum.
    add("v_mad_i64_i32", |x| {
        let v = s32(x.a()) * s32(x.b()) + s64(x.c());
        (v, v >> 64 & 1 == 1)
    });
}

/// Half `k` (0 low, 1 high) of source `i` of a packed instruction.
pub fn packed_half(x: &In, i: usize, k: u32) -> u64 {
    let m: &Mods = &x.mods;
    let (sel, neg) = if k == 0 {
        (m.op_sel, m.neg_lo)
    } else {
        (m.op_sel_hi, m.neg_hi)
    };
    let v = (x.s[i] >> (16 * (sel >> i & 1))) as u64 & 0xffff;
    v ^ if neg >> i & 1 == 1 { 0x8000 } else { 0 }
}

fn packed(t: &mut Models) {
    type F = fn([u64; 3]) -> i128;
    let table: [(&str, bool, F); 14] = [
        ("v_pk_mad_i16", true, |[a, b, c]| s16(a) * s16(b) + s16(c)),
        ("v_pk_mad_u16", false, |[a, b, c]| u16_(a) * u16_(b) + u16_(c)),
        ("v_pk_mul_lo_u16", false, |[a, b, _]| u16_(a) * u16_(b)),
        ("v_pk_add_i16", true, |[a, b, _]| s16(a) + s16(b)),
        ("v_pk_sub_i16", true, |[a, b, _]| s16(a) - s16(b)),
        ("v_pk_add_u16", false, |[a, b, _]| u16_(a) + u16_(b)),
        ("v_pk_sub_u16", false, |[a, b, _]| u16_(a) - u16_(b)),
        ("v_pk_lshlrev_b16", false, |[a, b, _]| (u16_(b) << (a & 15)) & 0xffff),
        ("v_pk_lshrrev_b16", false, |[a, b, _]| u16_(b) >> (a & 15)),
        ("v_pk_ashrrev_i16", true, |[a, b, _]| s16(b) >> (a & 15)),
        ("v_pk_max_i16", true, |[a, b, _]| s16(a).max(s16(b))),
        ("v_pk_min_i16", true, |[a, b, _]| s16(a).min(s16(b))),
        ("v_pk_max_u16", false, |[a, b, _]| u16_(a).max(u16_(b))),
        ("v_pk_min_u16", false, |[a, b, _]| u16_(a).min(u16_(b))),
    ];
    for (name, signed, f) in table {
        let (lo, hi) = if signed { (-32768, 32767) } else { (0, 65535) };
        let model: Model = Box::new(move |x| {
            let half = |k| {
                // Sign modifiers are for floats; integer forms carry the bits without effect.
                let mods = Mods {
                    neg_lo: 0,
                    neg_hi: 0,
                    ..x.mods
                };
                let v = f([0, 1, 2].map(|i| packed_half(&In { mods, ..*x }, i, k)));
                let v = if x.mods.clamp { v.clamp(lo, hi) } else { v };
                (v & 0xffff) as u128
            };
            raw(half(0) | half(1) << 16)
        });
        assert!(t.insert(name.to_string(), model).is_none());
    }
    // Dot products of small integers: bits per element, elements, may be signed by neg.
    for (name, n, count, iu) in [
        ("v_dot4_i32_iu8", 8u32, 4u32, true),
        ("v_dot4_u32_u8", 8, 4, false),
        ("v_dot8_i32_iu4", 4, 8, true),
        ("v_dot8_u32_u4", 4, 8, false),
    ] {
        let model: Model = Box::new(move |x| {
            let element = |i: usize, k: u32| {
                let v = i128::from(x.s[i] as u64 >> (n * k) & ((1 << n) - 1));
                let signed = iu && x.mods.neg_lo >> i & 1 == 1;
                if signed && v >> (n - 1) == 1 {
                    v - (1 << n)
                } else {
                    v
                }
            };
            let c = if iu { s32(x.c()) } else { u32_(x.c()) };
            int((0..count).map(|k| element(0, k) * element(1, k)).sum::<i128>() + c)
        });
        assert!(t.insert(name.to_string(), model).is_none());
    }
}

pub fn models() -> Models {
    let mut t = Models::new();
    typed(&mut t);
    plain(&mut t);
    carries(&mut t);
    packed(&mut t);
    t
}
