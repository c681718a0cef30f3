//! Matrix products: all six forms in waves of 32 and 64 lanes against a scalar matrix model.
//!
//! Layout (AMD matrix instruction calculator): row i of A and column j of B lie in lane i or j and are repeated every 16
//! lanes, k along the registers from the lowest bits up. Element (i, j) of C and D lies in register `i * 16 / lanes`,
//! lane `(16 * i + j) % lanes`. Sums: k = 0, 1, .. 15, one fused step each, rounded to nearest in f32 with denormals;
//! 16-bit results are rounded once more. EXEC and MODE do not count (RDNA3 ISA manual 7.9).
#![allow(clippy::unwrap_used)]

use crate::common::{assemble_for, Machine, Rng};
use crate::soft::{product, sum, Fmt, Num, Round, BF16, F16, F32};
use crate::vector::float_bits;
use t0_backend_rdna3::isa::{Class, Opcode};
use t0_backend_rdna3::target::GFX1100;
use t0_sim::Numerics;

/// Element of A or B, accumulator.
#[derive(Clone, Copy, Debug)]
enum Form {
    Float(Fmt, Fmt),
    Int(u32),
}

fn form(name: &str) -> Option<Form> {
    Some(match name {
        "v_wmma_f32_16x16x16_f16" => Form::Float(F16, F32),
        "v_wmma_f32_16x16x16_bf16" => Form::Float(BF16, F32),
        "v_wmma_f16_16x16x16_f16" => Form::Float(F16, F16),
        "v_wmma_bf16_16x16x16_bf16" => Form::Float(BF16, BF16),
        "v_wmma_i32_16x16x16_iu8" => Form::Int(8),
        "v_wmma_i32_16x16x16_iu4" => Form::Int(4),
        _ => return None,
    })
}

impl Form {
    fn bits(self) -> u32 {
        match self {
            Form::Float(..) => 16,
            Form::Int(n) => n,
        }
    }
}

/// Random settings of one instruction.
#[derive(Clone, Copy, Debug)]
struct Setting {
    neg_lo: u32,
    neg_hi: u32,
    high: bool,
    clamp: bool,
    /// An inline constant's text and bits in place of C.
    inline: Option<(&'static str, u32)>,
    /// D over C.
    in_place: bool,
}

const A: u32 = 0;
const B: u32 = 8;
const C: u32 = 16;
const D: u32 = 24;

/// Element k of the row or column in `lane`.
fn element(m: &Machine, base: u32, lane: usize, k: u32, bits: u32) -> u32 {
    let per = 32 / bits;
    m.wave.lane((base + k / per) as usize, lane) >> (bits * (k % per)) & (u32::MAX >> (32 - bits))
}

fn float_sum(m: &Machine, f: Fmt, acc: Fmt, s: &Setting, (i, j): (usize, usize), c: u32) -> u32 {
    let sign = |v: u64, f: Fmt, on: bool| if on { v ^ f.sign_bit() } else { v };
    let mut c = u64::from(c) & acc.all();
    if s.neg_hi >> 2 & 1 == 1 {
        c &= !acc.sign_bit();
    }
    c = sign(c, acc, s.neg_lo >> 2 & 1 == 1);
    let mut total = acc.num(c);
    for k in 0..16 {
        let neg = if k % 2 == 0 { s.neg_lo } else { s.neg_hi };
        let a = sign(element(m, A, i, k, 16).into(), f, neg & 1 == 1);
        let b = sign(element(m, B, j, k, 16).into(), f, neg >> 1 & 1 == 1);
        total = rounded(sum(product(f.num(a), f.num(b)), total, Round::Near), F32);
    }
    encode(total, acc) as u32
}

fn encode(v: Num, f: Fmt) -> u64 {
    match v {
        Num::Nan => f.nan(),
        Num::Inf(n) => f.inf(n),
        Num::Fin(x) => f.round(x, Round::Near),
    }
}
fn rounded(v: Num, f: Fmt) -> Num {
    f.num(encode(v, f))
}

fn int_sum(m: &Machine, n: u32, s: &Setting, (i, j): (usize, usize), c: u32) -> u32 {
    let value = |v: u32, signed: bool| {
        let v = i64::from(v);
        if signed && v >> (n - 1) == 1 {
            v - (1 << n)
        } else {
            v
        }
    };
    let dot: i64 = (0..16)
        .map(|k| {
            let a = value(element(m, A, i, k, n), s.neg_lo & 1 == 1);
            a * value(element(m, B, j, k, n), s.neg_lo >> 1 & 1 == 1)
        })
        .sum();
    let v = dot + i64::from(c as i32);
    if s.clamp {
        v.clamp(i32::MIN.into(), i32::MAX.into()) as u32
    } else {
        v as u32
    }
}

fn range(first: u32, n: u32) -> String {
    format!("v[{first}:{}]", first + n - 1)
}

fn setting(f: Form, rng: &mut Rng) -> Setting {
    let float = matches!(f, Form::Float(..));
    let inline = match (f, rng.u32() % 8) {
        (Form::Int(_), 0) => Some(("-16", -16i32 as u32)),
        (Form::Int(_), 1) => Some(("64", 64)),
        (Form::Float(_, c), 0) => Some(("1.0", c.one() as u32)),
        (Form::Float(_, c), 1) => Some(("-4.0", (encode(F32.num(0xc080_0000), c)) as u32)),
        (_, 2) => Some(("0", 0)),
        _ => None,
    };
    Setting {
        neg_lo: rng.u32() % if float { 8 } else { 4 },
        neg_hi: if float { rng.u32() % 8 } else { 0 },
        high: matches!(f, Form::Float(_, c) if c != F32) && rng.u32() % 2 == 0,
        clamp: !float && rng.u32() % 2 == 0,
        inline,
        in_place: inline.is_none() && rng.u32() % 2 == 0,
    }
}

fn text(name: &str, f: Form, lanes: u32, s: &Setting) -> String {
    let (ab, cd) = (f.bits() / 2, 256 / lanes);
    let c = s.inline.map_or_else(|| range(C, cd), |(t, _)| t.into());
    let d = if s.in_place { C } else { D };
    let list = |n: u32| format!("[{},{},{}]", n & 1, n >> 1 & 1, n >> 2 & 1);
    let mut t = format!("{name} {}, {}, {}, {c}", range(d, cd), range(A, ab), range(B, ab));
    if s.high {
        t += " op_sel:[0,0,1]";
    }
    if s.neg_lo != 0 {
        t += &format!(" neg_lo:{}", list(s.neg_lo));
    }
    if s.neg_hi != 0 {
        t += &format!(" neg_hi:{}", list(s.neg_hi));
    }
    if s.clamp {
        t += " clamp";
    }
    t
}

/// What the registers hold: bits of A and B from `ab`, of C from `c`; A and B repeat every 16 lanes.
fn fill(m: &mut Machine, rng: &mut Rng, mut ab: impl FnMut(&mut Rng) -> u32, mut c: impl FnMut(&mut Rng) -> u32) {
    let lanes = m.wave.lanes() as usize;
    for r in 0..16 {
        let v: [u32; 16] = std::array::from_fn(|_| ab(rng));
        (0..lanes).for_each(|l| m.wave.set_lane(r, l, v[l % 16]));
    }
    for r in 16..34 {
        (0..lanes).for_each(|l| m.wave.set_lane(r, l, c(rng)));
    }
    let exec = [u64::MAX, 0, rng.u64()][rng.u32() as usize % 3];
    m.wave.sgpr[126] = exec as u32;
    m.wave.sgpr[127] = (exec >> 32) as u32;
}

/// Runs one and compares the whole register file.
fn check(name: &str, f: Form, m: &mut Machine, s: &Setting) -> Result<(), String> {
    let lanes = m.wave.lanes();
    let text = text(name, f, lanes, s);
    let mut want = m.wave.clone();
    let d = if s.in_place { C } else { D };
    let (shift, keep) = match f {
        Form::Float(_, c) if c != F32 => (
            16 * u32::from(s.high),
            0xffff_0000u32.rotate_left(16 * u32::from(s.high)),
        ),
        _ => (0, 0),
    };
    for i in 0..16usize {
        for j in 0..16usize {
            let (reg, lane) = (16 * i / lanes as usize, (16 * i + j) % lanes as usize);
            let c = s
                .inline
                .map_or_else(|| m.wave.lane(C as usize + reg, lane) >> shift, |(_, v)| v);
            let v = match f {
                Form::Float(ab, acc) => float_sum(m, ab, acc, s, (i, j), c),
                Form::Int(n) => int_sum(m, n, s, (i, j), c),
            };
            let old = m.wave.lane(d as usize + reg, lane);
            want.set_lane(d as usize + reg, lane, old & keep | v << shift);
        }
    }
    let code = assemble_for(&format!("{text}\ns_endpgm"), &GFX1100.with_wave_size(lanes));
    m.run_code(&code).map_err(|e| format!("{text}: {e}"))?;
    for r in 0..34 {
        for lane in 0..lanes as usize {
            let (got, want) = (m.wave.lane(r, lane), want.lane(r, lane));
            let nan = |v: u32| match f {
                Form::Float(_, c) => c.is_nan(u64::from(v >> shift) & c.all()),
                Form::Int(_) => false,
            };
            if got != want && !(nan(got) && nan(want) && got & keep == want & keep) {
                return Err(format!(
                    "{text} ({lanes} lanes): v{r} lane {lane} is {got:#010x}, model {want:#010x}"
                ));
            }
        }
    }
    Ok(())
}

fn rows() -> Vec<(&'static str, Form)> {
    Opcode::all()
        .filter(|op| op.row().class == Class::Wmma)
        .map(|op| {
            (
                op.name(),
                form(op.name()).unwrap_or_else(|| panic!("no model for {}", op.name())),
            )
        })
        .collect()
}

/// Two values of a 16-bit format of moderate size, or anything.
fn two(f: Fmt, special: bool, rng: &mut Rng) -> u32 {
    let one = |rng: &mut Rng| {
        if special {
            float_bits(f, rng) as u32
        } else {
            let e = (f.bias() as u32 + rng.u32() % 9 - 4) << f.man;
            (rng.u32() & 0x8000) | e | rng.u32() & ((1 << f.man) - 1)
        }
    };
    one(rng) | one(rng) << 16
}

#[test]
fn every_form_in_both_wave_sizes() {
    let mut rng = Rng(0x3_1415_9265_3589);
    let mut failures = Vec::new();
    for mut m in [Machine::new(), Machine::wave64()] {
        for (name, f) in rows() {
            for round in 0..10 {
                let s = setting(f, &mut rng);
                // Infinities, NaN and denormals now and then: a sum with them is seldom a number.
                let special = round % 4 == 3;
                fill(
                    &mut m,
                    &mut rng,
                    |rng| match f {
                        Form::Float(ab, _) => two(ab, special && rng.u32() % 12 == 0, rng),
                        Form::Int(_) => rng.u32(),
                    },
                    |rng| match f {
                        Form::Float(_, c) if c == F32 && !special => 0x3f00_0000 + (rng.u32() & 0x81ff_ffff),
                        Form::Float(_, c) if c == F32 => float_bits(F32, rng) as u32,
                        Form::Float(_, c) => two(c, special, rng),
                        Form::Int(_) => [rng.u32(), i32::MAX as u32 - 9, i32::MIN as u32 + 9][rng.u32() as usize % 3],
                    },
                );
                if let Err(e) = check(name, f, &mut m, &s) {
                    failures.push(e);
                    break;
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert_eq!(rows().len(), 6);
}

/// Whole numbers of one sign: every order of adding gives the same bits, in both numerics.
#[test]
fn both_numerics_on_whole_numbers() {
    let mut rng = Rng(0x2_7182_8182_8459);
    for numerics in [Numerics::Fast, Numerics::Silicon] {
        for mut m in [Machine::new(), Machine::wave64()] {
            m.wave.numerics = numerics;
            for (name, f) in rows() {
                let Form::Float(ab, acc) = f else { continue };
                let whole = |f: Fmt, n: u32| encode(F32.num((n as f32).to_bits().into()), f) as u32;
                // bf16 keeps 8 bits: 16 products below 16 and a small C stay exact.
                let top = if acc == BF16 { 4 } else { 12 };
                fill(
                    &mut m,
                    &mut rng,
                    |rng| whole(ab, rng.u32() % top) | whole(ab, rng.u32() % top) << 16,
                    |rng| match acc == F32 {
                        true => whole(F32, rng.u32() % 1000),
                        false => whole(acc, rng.u32() % 64) | whole(acc, rng.u32() % 64) << 16,
                    },
                );
                let s = Setting {
                    neg_lo: 0,
                    neg_hi: 0,
                    high: false,
                    clamp: false,
                    inline: None,
                    in_place: false,
                };
                check(name, f, &mut m, &s).unwrap_or_else(|e| panic!("{numerics:?}: {e}"));
            }
        }
    }
}
