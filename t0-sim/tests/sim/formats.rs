//! Typed buffer accesses: every format by its name, both directions, 32- and 16-bit registers.
#![allow(clippy::unwrap_used)]

use crate::common::*;
use t0_backend_rdna3::isa::graphics::FORMATS;
use t0_sim::wave::Row;

const BUF: u64 = 0x40_0000;

fn lanes(f: impl Fn(u32) -> u32) -> Row {
    std::array::from_fn(|l| f(l as u32))
}

/// Widths from x to w and the kind, read from the name, which lists components from the top bit down.
fn parse(name: &str) -> (Vec<u32>, &str) {
    let (widths, kind) = name.rsplit_once('_').unwrap();
    let mut w: Vec<u32> = widths.split('_').map(|n| n.parse().unwrap()).collect();
    w.reverse();
    (w, kind)
}

/// Value of a float of 5 exponent bits, by the definition.
fn small(bits: u32, m: u32) -> f64 {
    let (e, f) = (bits >> m & 31, f64::from(bits & ((1 << m) - 1)) / f64::from(1u32 << m));
    match e {
        0 => f * 2f64.powi(-14),
        31 if f == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + f) * 2f64.powi(e as i32 - 15),
    }
}

/// The f16 nearest to a value, ties to even, by looking at all of them.
fn nearest_half(x: f64) -> u32 {
    let sign = u32::from(x.is_sign_negative()) << 15;
    let x = x.abs();
    if x.is_nan() {
        return sign | 0x7e00;
    }
    // Halfway between the greatest finite value and the next power of two counts as infinite.
    let value = |h: u32| if h == 0x7c00 { 65536.0 } else { small(h, 10) };
    let best = (0..=0x7c00u32).min_by(|&a, &b| {
        let (da, db) = ((value(a) - x).abs(), (value(b) - x).abs());
        da.total_cmp(&db).then((a & 1).cmp(&(b & 1)))
    });
    sign | if x >= 65536.0 { 0x7c00 } else { best.unwrap() }
}

fn signed(v: u32, n: u32) -> i64 {
    let v = i64::from(v);
    if v >> (n - 1) & 1 == 1 {
        v - (1i64 << n)
    } else {
        v
    }
}

/// Bits of element `bytes` from `at`, `n` of them.
fn field(bytes: &[u8], at: u32, n: u32) -> u32 {
    (0..n).fold(0, |v, k| {
        let b = (at + k) as usize;
        v | u32::from(bytes[b / 8] >> (b % 8) & 1) << k
    })
}

/// A component in a 32-bit register.
fn loaded(v: u32, n: u32, kind: &str) -> u32 {
    let x = match kind {
        "UINT" => return v,
        "SINT" => return signed(v, n) as u32,
        "FLOAT" if n == 32 => return v,
        "FLOAT" if n == 16 => small(v & 0x7fff, 10) * if v >> 15 == 1 { -1.0 } else { 1.0 },
        "FLOAT" => small(v, n - 5),
        "UNORM" => f64::from(v) / ((1u64 << n) - 1) as f64,
        "SNORM" => (signed(v, n) as f64 / ((1u64 << (n - 1)) - 1) as f64).max(-1.0),
        "USCALED" => f64::from(v),
        "SSCALED" => signed(v, n) as f64,
        other => panic!("{other}"),
    };
    (x as f32).to_bits()
}

fn same_f32(a: u32, b: u32) -> bool {
    a == b || f32::from_bits(a).is_nan() && f32::from_bits(b).is_nan()
}

#[test]
fn every_format_loads_as_its_name_says() {
    let mut rng = Rng(0x1234_5678_9abc);
    for (number, name) in FORMATS.iter().enumerate().skip(1) {
        let (widths, kind) = parse(name);
        let size = widths.iter().sum::<u32>() / 8;
        let mut m = Machine::new();
        let data: Vec<u32> = (0..256)
            .map(|k| match k {
                // The ends of the ranges come first.
                0..4 => 0,
                4..8 => u32::MAX,
                8..12 => 0x8000_8000,
                12..16 => 0x7fff_7fff,
                _ => rng.u32(),
            })
            .collect();
        let bytes: Vec<u8> = data.iter().flat_map(|d| d.to_le_bytes()).collect();
        m.buffer(BUF, "data", &data);
        // Structured: 24 records of one element.
        m.set_s64(4, BUF | u64::from(size << 16) << 32).set_s(6, 24);
        let float = !matches!(kind, "UINT" | "SINT");
        let one = if float { 1.0f32.to_bits() } else { 1 };
        m.set_v(0, lanes(|l| l)).set_s(7, (number as u32) << 12 | 0xfac);
        m.run(&format!(
            "tbuffer_load_format_xyzw v[4:7], v0, s[4:7], 0 format:[BUF_FMT_{name}] idxen\nbuffer_load_format_xyz v[8:10], v0, s[4:7], 0 idxen\nbuffer_load_format_x v11, v0, s[4:7], 0 idxen\ns_waitcnt vmcnt(0)"
        ))
        .unwrap_or_else(|e| panic!("{name}: {e}"));
        for l in 0..32usize {
            let mut want = if l < 24 { [0, 0, 0, one] } else { [0; 4] };
            if l < 24 {
                let mut at = 0;
                for (c, &n) in widths.iter().enumerate() {
                    want[c] = loaded(field(&bytes[l * size as usize..], at, n), n, kind);
                    at += n;
                }
            }
            for c in 0..4 {
                assert!(
                    same_f32(m.v(4 + c)[l], want[c]),
                    "{name} lane {l} component {c}: {:#x}, not {:#x}",
                    m.v(4 + c)[l],
                    want[c]
                );
            }
            for c in 0..3 {
                assert!(same_f32(m.v(8 + c)[l], want[c]), "{name} lane {l} component {c}");
            }
            assert!(same_f32(m.v(11)[l], want[0]), "{name}");
        }
        // 16-bit registers: the float rounded once more, integers cut.
        for r in 4..8 {
            m.set_v(r, [0x5555_5555; 32]);
        }
        m.run(&format!(
            "tbuffer_load_d16_format_xyz v[4:5], v0, s[4:7], 0 format:{number} idxen\nbuffer_load_d16_hi_format_x v6, v0, s[4:7], 0 idxen\ns_waitcnt vmcnt(0)"
        ))
        .unwrap();
        for l in 0..24usize {
            let mut at = 0;
            for c in 0..3 {
                let n = widths.get(c).copied().unwrap_or(0);
                let wide = if n == 0 {
                    0
                } else {
                    loaded(field(&bytes[l * size as usize..], at, n), n, kind)
                };
                at += n;
                let want = if float {
                    nearest_half(f32::from_bits(wide).into())
                } else {
                    wide & 0xffff
                };
                let got = m.v(4 + c / 2)[l] >> (16 * (c % 2)) & 0xffff;
                let nan = float && f32::from_bits(wide).is_nan() && got & 0x7fff > 0x7c00;
                assert!(
                    nan || got == want,
                    "{name} lane {l} component {c}: {got:#x}, not {want:#x} from {wide:#x}"
                );
                if c == 0 {
                    assert_eq!(m.v(6)[l], got << 16 | 0x5555, "{name}");
                }
            }
            assert_eq!(m.v(5)[l] >> 16, 0x5555, "{name}: the unused half stays");
        }
    }
}

/// What a component of `n` bits holds after a store of `v`.
fn stored(v: u32, n: u32, kind: &str) -> u32 {
    let x = f64::from(f32::from_bits(v));
    let all = ((1u64 << n) - 1) as u32;
    let top = f64::from(all);
    let top_i = ((1u64 << (n - 1)) - 1) as f64;
    let near = |x: f64| {
        let f = x.floor();
        match x - f {
            d if d < 0.5 => f,
            d if d > 0.5 => f + 1.0,
            _ if (f / 2.0).fract() == 0.0 => f,
            _ => f + 1.0,
        }
    };
    match kind {
        _ if n == 32 => v,
        "UINT" => v.min(all),
        "SINT" => i64::from(v as i32).clamp(-(1i64 << (n - 1)), (1i64 << (n - 1)) - 1) as u32 & all,
        "FLOAT" if n == 16 => nearest_half(x),
        "FLOAT" if x.is_nan() => 0x1f << (n - 5) | 1 << (n - 6),
        "FLOAT" if x < 0.0 => 0,
        "FLOAT" if x.is_infinite() => 0x1f << (n - 5),
        // The greatest value not above, infinity excluded.
        "FLOAT" => (0..0x1fu32 << (n - 5)).rev().find(|&b| small(b, n - 5) <= x).unwrap(),
        _ if x.is_nan() => 0,
        "UNORM" => near(x.clamp(0.0, 1.0) * top) as u32,
        "SNORM" => near(x.clamp(-1.0, 1.0) * top_i) as i64 as u32 & all,
        "USCALED" => x.clamp(0.0, top).floor() as u32,
        "SSCALED" => x.clamp(-top_i - 1.0, top_i).trunc() as i64 as u32 & all,
        other => panic!("{other}"),
    }
}

#[test]
fn every_format_stores_as_its_name_says() {
    let mut rng = Rng(0x7654_3210_fedc);
    let value = |rng: &mut Rng, l: usize, kind: &str| match (kind, l) {
        (_, 0..20) => EDGES_F32[l],
        ("UINT" | "SINT", _) => EDGES_INT[l % 16].wrapping_add(rng.u32() & 3),
        ("FLOAT", _) => rng.u32(),
        ("USCALED" | "SSCALED", _) => ((rng.u32() as i32 >> (rng.u32() % 32)) as f32 / 3.0).to_bits(),
        _ => ((rng.u32() as f32 / 4e9 - 0.5) * 2.2).to_bits(),
    };
    for (number, name) in FORMATS.iter().enumerate().skip(1) {
        let (widths, kind) = parse(name);
        let size = (widths.iter().sum::<u32>() / 8) as usize;
        let mut m = Machine::new();
        m.buffer(BUF, "data", &[0xa5a5_a5a5; 256]);
        m.set_s64(4, BUF | ((size as u64) << 48))
            .set_s(6, 30)
            .set_s(7, (number as u32) << 12 | 0xfac);
        m.set_v(0, lanes(|l| l));
        let rows: Vec<Row> = (0..4)
            .map(|c| std::array::from_fn(|l| value(&mut rng, (l + 7 * c) % 32, kind)))
            .collect();
        for (c, row) in rows.iter().enumerate() {
            m.set_v(4 + c, *row);
        }
        m.run("buffer_store_format_xyzw v[4:7], v0, s[4:7], 0 idxen\ns_waitcnt_vscnt null, 0")
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        let got: Vec<u8> = m.memory(BUF, 256).iter().flat_map(|d| d.to_le_bytes()).collect();
        for l in 0..30usize {
            let mut at = 0;
            for (c, &n) in widths.iter().enumerate() {
                let g = field(&got[l * size..], at, n);
                let w = stored(rows[c][l], n, kind);
                let nan = kind == "FLOAT" && n == 16 && w & 0x7fff > 0x7c00 && g & 0x7fff > 0x7c00;
                assert!(
                    nan || g == w,
                    "{name} lane {l} component {c}: {g:#x}, not {w:#x} from {:#x}",
                    rows[c][l]
                );
                at += n;
            }
        }
        assert!(
            got[30 * size..].iter().all(|&b| b == 0xa5),
            "{name}: records 30 and 31 do not exist"
        );
    }
}

#[test]
fn the_descriptor_chooses_components() {
    let mut m = Machine::new();
    m.buffer(BUF, "data", &[0x0403_0201, 0x1413_1211, 0, 0]);
    // 8_8_8_8_UINT; x = B, y = 1, z = 0, w = R.
    let select = 6 | 1 << 3 | 4 << 9;
    m.set_s64(4, BUF | 4 << 48).set_s(6, 4).set_s(7, 46 << 12 | select);
    m.set_v(0, lanes(|l| l % 2)).set_s(126, 3);
    m.run("buffer_load_format_xyzw v[4:7], v0, s[4:7], 0 idxen\ntbuffer_load_format_xyzw v[8:11], v0, s[4:7], 0 format:46 idxen\ns_waitcnt vmcnt(0)")
        .unwrap();
    assert_eq!([4, 5, 6, 7].map(|r| m.v(r)[1]), [0x13, 1, 0, 0x11]);
    assert_eq!([8, 9, 10, 11].map(|r| m.v(r)[1]), [0x11, 0x12, 0x13, 0x14]);
    // And a store puts them back; what nothing maps to is 0.
    m.set_v(0, [2; 32]).set_s(126, 1);
    m.run("buffer_store_format_xyzw v[4:7], v0, s[4:7], 0 idxen\ns_waitcnt_vscnt null, 0")
        .unwrap();
    assert_eq!(m.memory(BUF, 3)[2], 0x0003_0001);
    let e = m
        .set_s(7, 0xfac)
        .run("buffer_load_format_x v4, v0, s[4:7], 0 idxen")
        .unwrap_err();
    assert!(
        e.to_string().contains("0 is no buffer format; the descriptor names it"),
        "{e}"
    );
    // Texture fail enable: everything is resident.
    let mut m = Machine::new();
    m.buffer(BUF, "data", &[7, 8]);
    m.set_s64(4, BUF)
        .set_s(6, 8)
        .set_s(7, 0x3100_4000)
        .set_v(5, [9; 32])
        .set_v(6, [9; 32]);
    m.run("buffer_load_b32 v[4:5], off, s[4:7], 0 tfe\ns_waitcnt vmcnt(0)")
        .unwrap();
    assert_eq!((m.v(4)[0], m.v(5), m.v(6)), (7, [0; 32], [9; 32]));
}

#[test]
fn loads_into_the_lds() {
    let mut m = Machine::new();
    m.buffer(BUF, "data", &(0..64).map(|k| 0x8000_0080 + k).collect::<Vec<_>>());
    m.set_s64(4, BUF).set_s(6, 4 * 30).set_s(7, 0x3100_4000).set_s(125, 64);
    m.lds = vec![0xee; 512];
    m.set_v(0, lanes(|l| 4 * l)).set_s(126, 0xffff_fff0);
    m.run("buffer_load_lds_b32 v0, s[4:7], 0 offen\nbuffer_load_lds_i8 v0, s[4:7], 0 offen offset:128\ns_waitcnt vmcnt(0)")
        .unwrap();
    for l in 0..32u32 {
        let at = |o: u32| u32::from_le_bytes(m.lds[(o + 4 * l) as usize..][..4].try_into().unwrap());
        let (a, b) = match l {
            0..4 => (0xeeee_eeee, 0xeeee_eeee),
            30.. => (0, 0),
            _ => (0x8000_0080 + l, 0),
        };
        assert_eq!(at(64), a, "lane {l}");
        // The offset moves both the place in memory (out of range here) and in the LDS.
        assert_eq!(at(192), b, "lane {l}");
    }
}

#[test]
fn addresses_made_of_the_lane_number() {
    let mut m = Machine::new();
    m.buffer(BUF, "data", &(0..64).map(|k| 100 + k).collect::<Vec<_>>());
    m.set_s64(2, BUF).set_s(125, 16).set_v(1, lanes(|l| 3 * l));
    m.lds = vec![0; 256];
    m.run("global_load_addtid_b32 v4, s[2:3] offset:16\nds_store_addtid_b32 v1 offset:32\ns_waitcnt vmcnt(0) lgkmcnt(0)\nds_load_addtid_b32 v5 offset:36\nglobal_store_addtid_b32 v1, s[2:3]\ns_waitcnt lgkmcnt(0)")
        .unwrap();
    assert_eq!(m.v(4), lanes(|l| 104 + l));
    assert_eq!(m.v(5), lanes(|l| if l < 31 { 3 * l + 3 } else { 0 }));
    assert_eq!(m.memory(BUF, 32), lanes(|l| 3 * l));
    // Counters: once per wave, all lanes get the old value.
    m.lds[48..52].copy_from_slice(&50u32.to_le_bytes());
    m.set_s(126, 0xff00_0001).set_v(6, [1; 32]).set_v(7, [1; 32]);
    m.run("ds_append v6 offset:32\nds_consume v7 offset:32\nds_append v8 offset:32\ns_waitcnt lgkmcnt(0)")
        .unwrap();
    let active = |old: u32| lanes(|l| if l == 0 || l >= 24 { old } else { 1 });
    assert_eq!((m.v(6), m.v(7)), (active(50), active(59)));
    assert_eq!(u32::from_le_bytes(m.lds[48..52].try_into().unwrap()), 59);
    let mut m = Machine::wave64();
    m.lds = 7u32.to_le_bytes().repeat(8);
    m.set_s(125, 8);
    m.wave.set_s64(126, 0xff_0000_ffff);
    m.set_v64(6, |_| 1);
    m.run("ds_append v6 offset:4\ns_waitcnt lgkmcnt(0)").unwrap();
    let want: Vec<u32> = (0..64)
        .map(|l| if l < 16 || (32..40).contains(&l) { 7 } else { 1 })
        .collect();
    assert_eq!((m.v64(6), m.lds[12]), (want, 31));
}
