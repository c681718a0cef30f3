//! Driver of vector instructions: builds one in a random legal form, runs it, and compares the whole register file
//! with what the model says lane by lane.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use crate::common::{Machine, Rng};
use crate::soft::{Fmt, Mode, BF16, F16, F32, F64};
use t0_backend_rdna3::errata;
use t0_backend_rdna3::isa::{
    self, Class, Dpp16, Dpp8, Enc, Family, Flags, Inst, Kind, Mods, Opcode, Operand, OperandSpec, Role, Ty,
};
use t0_backend_rdna3::target::{Target, GFX1100};
use t0_sim::wave::Wave;

/// What one lane of an instruction sees. Sources are in assembler order with the literal of `v_fmamk` where it stands,
/// source modifiers applied (VOP3P: raw, the model reads `mods`).
#[derive(Clone, Copy, Debug)]
pub struct In {
    pub s: [u128; 3],
    /// Destination before.
    pub d: u128,
    /// The lane's bit of the mask source.
    pub bit: bool,
    pub lane: u32,
    pub m: Mode,
    pub mods: Mods,
}

impl In {
    pub fn a(&self) -> u64 {
        self.s[0] as u64
    }
    pub fn b(&self) -> u64 {
        self.s[1] as u64
    }
    pub fn c(&self) -> u64 {
        self.s[2] as u64
    }
}

/// A lane's result before output modifiers.
#[derive(Clone, Copy, Debug)]
pub enum V {
    /// An exact integer: wraps, or saturates under `clamp`.
    I(i128),
    /// A float: `omod` and `clamp` apply.
    F(Fmt, u64),
    /// Bits.
    B(u128),
}

#[derive(Clone, Copy, Debug)]
pub struct Out {
    pub v: V,
    /// The lane's bit of the mask result.
    pub bit: bool,
}

pub type Model = Box<dyn Fn(&In) -> Out>;
pub type Models = BTreeMap<String, Model>;

pub fn int(v: i128) -> Out {
    Out { v: V::I(v), bit: false }
}
pub fn raw(v: u128) -> Out {
    Out { v: V::B(v), bit: false }
}
pub fn flt(f: Fmt, v: u64) -> Out {
    Out {
        v: V::F(f, v),
        bit: false,
    }
}
pub fn mask(bit: bool) -> Out {
    Out { v: V::B(0), bit }
}

pub fn fmt_of(ty: Ty) -> Option<Fmt> {
    Some(match ty {
        Ty::F16 | Ty::PkF16 => F16,
        Ty::Bf16 | Ty::PkBf16 => BF16,
        Ty::F32 | Ty::MixF32 => F32,
        Ty::F64 => F64,
        _ => return None,
    })
}

/// Output modifiers of floats. Source: RDNA3 ISA manual, section on output modifiers: OMOD acts only where output
/// denormals are flushed and IEEE is off, and then turns -0 into +0; DX10_CLAMP makes a clamped NaN zero.
pub fn finish_float(f: Fmt, v: u64, mods: &Mods, m: Mode) -> u64 {
    let mut v = v;
    if mods.omod != 0 && !m.dout(f) && !m.ieee() && !f.is_nan(v) {
        let by = [0, 1, 2, -1][mods.omod as usize];
        if let crate::soft::Num::Fin(mut x) = f.num(v) {
            x.e += by;
            v = f.result(x, m);
        }
        if f.is_zero(v) {
            v = 0;
        }
    }
    if mods.clamp {
        if f.is_nan(v) {
            return if m.dx10() { 0 } else { v };
        }
        if f.is_neg(v) {
            return 0;
        }
        if v > f.one() {
            return f.one();
        }
    }
    v
}

fn range(ty: Ty) -> (i128, i128) {
    match ty {
        Ty::I16 => (-(1 << 15), (1 << 15) - 1),
        Ty::U16 => (0, (1 << 16) - 1),
        Ty::I32 => (-(1 << 31), (1 << 31) - 1),
        Ty::U32 => (0, (1 << 32) - 1),
        Ty::I64 => (-(1 << 63), (1 << 63) - 1),
        Ty::U64 => (0, (1 << 64) - 1),
        t => panic!("{t:?} does not saturate"),
    }
}

fn finish(v: V, ty: Ty, mods: &Mods, m: Mode) -> u128 {
    match v {
        V::I(v) => {
            let v = if mods.clamp && !matches!(ty, Ty::B32) {
                let (lo, hi) = range(ty);
                v.clamp(lo, hi)
            } else {
                v
            };
            v as u128
        }
        V::F(f, v) => finish_float(f, v, mods, m).into(),
        V::B(v) => v,
    }
}

/// Which encoding a trial uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Natural,
    E64,
    /// The same two with lane movement on source 0.
    Dpp,
    E64Dpp,
}

impl Form {
    fn is_dpp(self) -> bool {
        matches!(self, Form::Dpp | Form::E64Dpp)
    }
}

/// Interesting bits of a float format.
pub fn float_bits(f: Fmt, rng: &mut Rng) -> u64 {
    let r = rng.u64();
    let sign = if r >> 63 == 1 { f.sign_bit() } else { 0 };
    let frac = r & ((1 << f.man) - 1);
    let at = |e: i32| (((e + f.bias()).clamp(0, f.emask() as i32 - 1)) as u64) << f.man;
    let v = match rng.u32() % 24 {
        0 => 0,
        1 => f.one(),
        2 => f.one() | 1,
        3 => f.one() - 1,
        4 => f.max(false),
        5 => f.inf(false),
        6 => f.nan() | frac,
        7 => f.inf(false) | (frac >> 1 & ((1 << (f.man - 1)) - 1)) | 1,
        8 => 1,
        9 => (1 << f.man) - 1,
        10 => 1 << f.man,
        11 => frac,
        // Halves and small integers.
        12 => f.round(
            crate::soft::X {
                neg: false,
                m: u128::from(r % 64),
                e: -1,
            },
            crate::soft::Round::Near,
        ),
        // Around the limits of integers and of the narrower formats.
        13 => at(31) | frac & 3,
        14 => at(15) | frac,
        15 => at(16) - 1 - (frac & 1),
        16 => at(32) - 1,
        17 => at(-14 - (r % 12) as i32) | frac,
        18 | 19 => at((r % 9) as i32 - 4) | frac,
        20 => at((r >> 8) as i32 % 8 - f.bias() + 1) | frac,
        21 => at(f.bias() - (r >> 8) as i32 % 4) | frac,
        _ => r & f.all() >> 1,
    };
    v | sign
}

fn int_bits(n: u32, rng: &mut Rng) -> u64 {
    let v = match rng.u32() % 12 {
        0 => 0,
        1 => 1,
        2 => u64::MAX,
        3 => u64::MAX >> 1 >> (64 - n),
        4 => 1 << (n - 1),
        5 => (1 << (n - 1)) + 1,
        6 => u64::from(rng.u32() % 70),
        7 => (u64::from(rng.u32() % 70)).wrapping_neg(),
        8 => 1 << (rng.u32() % n),
        9 => rng.u64() >> (rng.u32() % 64),
        _ => rng.u64(),
    };
    if n == 64 {
        v
    } else {
        v & ((1 << n) - 1)
    }
}

/// A register value of a type.
pub fn value(ty: Ty, rng: &mut Rng) -> u128 {
    if rng.u32() % 40 == 0 {
        return u128::from(rng.u64()) | u128::from(rng.u64()) << 64;
    }
    let halves = |a: u64, b: u64| u128::from(a | b << 16);
    match ty {
        Ty::F16 | Ty::PkF16 | Ty::Bf16 | Ty::PkBf16 => {
            let f = fmt_of(ty).unwrap();
            halves(float_bits(f, rng), float_bits(f, rng))
        }
        Ty::MixF32 if rng.u32() % 2 == 0 => halves(float_bits(F16, rng), float_bits(F16, rng)),
        Ty::F32 | Ty::MixF32 => float_bits(F32, rng).into(),
        Ty::F64 => float_bits(F64, rng).into(),
        Ty::I16 | Ty::U16 | Ty::B16 | Ty::PkI16 | Ty::PkU16 => halves(int_bits(16, rng), int_bits(16, rng)),
        Ty::I24 | Ty::U24 if rng.u32() % 2 == 0 => int_bits(24, rng).into(),
        Ty::B64 | Ty::I64 | Ty::U64 => int_bits(64, rng).into(),
        Ty::B128 => u128::from(rng.u64()) | u128::from(rng.u64()) << 64,
        _ => int_bits(32, rng).into(),
    }
}

/// Where a source comes from.
#[derive(Clone, Copy, Debug)]
enum From {
    V(u32),
    S(u32),
    K(u128),
}

/// A built instruction and what the model needs to know about it.
struct Built {
    inst: Inst,
    sources: Vec<(From, OperandSpec)>,
    /// First register, type.
    dst: Option<(u32, Ty)>,
    mask_dst: Option<u32>,
    mask_src: Option<u32>,
}

/// Immediate and literal values as an operand of a type reads them. Source: RDNA3 ISA manual 4.1 and the
/// machine-readable ISA. `None` where the sources leave it open.
pub fn constant(o: Operand, ty: Ty) -> Option<u128> {
    let float_const = o.const_int().is_none();
    Some(match (ty.bits(), o) {
        (16, Operand::Literal(l)) => u128::from(l & 0xffff),
        (64, Operand::Literal(l)) => match ty {
            Ty::F64 => u128::from(l) << 32,
            Ty::I64 => i64::from(l as i32) as u64 as u128,
            _ => u128::from(l),
        },
        (_, Operand::Literal(l)) => u128::from(l),
        (16, _) if ty == Ty::F16 || !float_const => u128::from(o.const_b16()?),
        (16, _) => return None,
        (64, _) => u128::from(o.const_b64()?),
        _ if matches!(ty, Ty::PkF16 | Ty::PkBf16 | Ty::PkI16 | Ty::PkU16) => return None,
        _ => u128::from(o.const_b32()?),
    })
}

fn build(op: Opcode, form: Form, rng: &mut Rng, plain: bool, t: &Target) -> Option<Built> {
    let row = op.row();
    let enc = match form {
        Form::Natural => Enc::Natural,
        Form::E64 => Enc::E64,
        Form::Dpp => dpp(rng).0,
        Form::E64Dpp => dpp(rng).1,
    };
    let mut inst = Inst::new(op, Vec::new());
    inst.enc = enc;
    let specs: Vec<OperandSpec> = inst.specs().collect();
    let mut b = Built {
        inst: inst.clone(),
        sources: Vec::new(),
        dst: None,
        mask_dst: None,
        mask_src: None,
    };
    let literal = rng.u32() | 0x4000;
    for spec in &specs {
        let n = spec.ty.regs();
        // Few registers, multiples of 4: sources repeat and meet the destination now and then.
        let pick = rng.u32() % 5 * 4;
        let o = match (spec.kind, spec.role) {
            (Kind::Mask | Kind::Vcc, _) => {
                let r = if spec.kind == Kind::Vcc {
                    106
                } else {
                    [106, 20, 22][rng.u32() as usize % 3]
                };
                if spec.is_dst() {
                    b.mask_dst = Some(r);
                } else {
                    b.mask_src = Some(r);
                }
                Operand::sn(r, t.wave_size / 32)
            }
            (Kind::Vgpr, Role::Dst | Role::DstSrc) => {
                // 128-bit results may not lie on a part of a source.
                let r = if n > 2 {
                    24
                } else {
                    [16, 20, pick][rng.u32() as usize % 3]
                };
                b.dst = Some((r, spec.ty));
                Operand::vn(r, n)
            }
            (Kind::Vgpr, _) => {
                b.sources.push((From::V(pick), *spec));
                Operand::vn(pick, n)
            }
            (Kind::Literal, _) => {
                let l = if spec.ty.bits() == 16 {
                    literal & 0xffff
                } else {
                    literal
                };
                b.sources
                    .push((From::K(constant(Operand::Literal(l), spec.ty)?), *spec));
                Operand::Literal(l)
            }
            (Kind::VSrc, _) => {
                let mut choice = rng.u32() % 10;
                if plain {
                    choice = 9;
                }
                match choice {
                    0 | 1 => {
                        let r = 8 + pick;
                        b.sources.push((From::S(r), *spec));
                        Operand::sn(r, n)
                    }
                    2 => {
                        let k = rng.u32() % 90;
                        let o = Operand::Const(if k < 81 { 128 + k } else { 240 + k - 81 });
                        b.sources.push((From::K(constant(o, spec.ty)?), *spec));
                        o
                    }
                    3 => {
                        let l = if spec.ty.bits() == 16 {
                            literal & 0xffff
                        } else {
                            literal
                        };
                        let o = Operand::Literal(l);
                        b.sources.push((From::K(constant(o, spec.ty)?), *spec));
                        o
                    }
                    _ => {
                        b.sources.push((From::V(pick), *spec));
                        Operand::vn(pick, n)
                    }
                }
            }
            k => panic!("{}: operand {k:?}", row.name),
        };
        inst.operands.push(o);
    }
    if form != Form::Natural || matches!(row.family, Family::Vop3 | Family::Vop3sd | Family::Vop3p) {
        modifiers(&mut inst, &b, rng, t);
    }
    b.inst = inst;
    Some(b)
}

/// Random legal modifiers: each is kept when the encoder takes it.
fn modifiers(inst: &mut Inst, b: &Built, rng: &mut Rng, target: &Target) {
    if rng.u32() % 3 == 0 {
        return;
    }
    let r = rng.u32();
    let n = b.sources.len() as u32;
    let mut attempt = |f: &dyn Fn(&mut Mods)| {
        let mut t = inst.clone();
        f(&mut t.mods);
        if isa::encode(&t, target).is_ok() {
            *inst = t;
        }
    };
    for k in 0..n {
        if r >> k & 1 == 1 {
            attempt(&|m| m.neg |= 1 << k);
            attempt(&|m| m.neg_lo |= 1 << k);
        }
        if r >> (4 + k) & 1 == 1 {
            attempt(&|m| m.abs |= 1 << k);
            attempt(&|m| m.neg_hi |= 1 << k);
        }
        // The half of a constant is the low one.
        let vgpr = !matches!(b.sources[k as usize].0, From::K(_));
        if r >> (8 + k) & 1 == 1 && vgpr {
            attempt(&|m| m.op_sel |= 1 << k);
        }
        if r >> (24 + k) & 1 == 1 && vgpr {
            attempt(&|m| m.op_sel_hi ^= 1 << k);
        }
    }
    if r >> 12 & 1 == 1 {
        attempt(&|m| m.op_sel |= 8);
    }
    if r >> 13 & 3 == 0 {
        attempt(&|m| m.clamp = true);
    }
    if r >> 15 & 1 == 0 {
        attempt(&|m| m.omod = r >> 16 & 3);
    }
}

/// Reads a register run of a lane.
fn read_v(w: &Wave, r: u32, regs: u32, lane: usize) -> u128 {
    (0..regs).fold(0, |v, k| v | u128::from(w.lane((r + k) as usize, lane)) << (32 * k))
}
fn write_v(w: &mut Wave, r: u32, regs: u32, lane: usize, v: u128) {
    for k in 0..regs {
        w.set_lane((r + k) as usize, lane, (v >> (32 * k)) as u32);
    }
}
/// A lane's bit of a mask register.
fn mask_bit(w: &Wave, r: usize, lane: usize) -> bool {
    w.sgpr[r + lane / 32] >> (lane % 32) & 1 == 1
}

/// Source modifiers of VOP1, VOP2, VOPC and VOP3: half, then magnitude, then sign.
fn modified(v: u128, spec: &OperandSpec, k: usize, mods: &Mods) -> u128 {
    let bits = spec.ty.bits();
    let mut v = v;
    if bits == 16 {
        v = v >> (16 * (mods.op_sel >> k & 1)) & 0xffff;
    }
    if spec.neg {
        let sign = 1u128 << (bits - 1);
        if mods.abs >> k & 1 == 1 {
            v &= !sign;
        }
        if mods.neg >> k & 1 == 1 {
            v ^= sign;
        }
    }
    v
}

/// A random lane movement, in the natural and in the VOP3 form.
fn dpp(rng: &mut Rng) -> (Enc, Enc) {
    let fi = rng.u32() % 2 == 0;
    if rng.u32() % 3 == 0 {
        let d = Dpp8 {
            sel: std::array::from_fn(|_| rng.u32() % 8),
            fi,
        };
        return (Enc::Dpp8(d), Enc::E64Dpp8(d));
    }
    let n = rng.u32() % 16;
    let ctrl = match rng.u32() % 8 {
        0 => rng.u32() % 256,
        1 => 0x100 + n.max(1),
        2 => 0x110 + n.max(1),
        3 => 0x120 + n.max(1),
        4 => 0x140,
        5 => 0x141,
        6 => 0x150 + n,
        _ => 0x160 + n,
    };
    let masks = |rng: &mut Rng| if rng.u32() % 2 == 0 { 15 } else { rng.u32() % 16 };
    let d = Dpp16 {
        ctrl,
        row_mask: masks(rng),
        bank_mask: masks(rng),
        bound_ctrl: rng.u32() % 2 == 0,
        fi,
    };
    (Enc::Dpp16(d), Enc::E64Dpp16(d))
}

/// What a lane gets as source 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moved {
    /// Another lane's value.
    From(usize),
    /// Zero, because the source lane is invalid and bound_ctrl asks for it.
    Zero,
    /// The lane does not take part.
    Off,
}

/// Source: RDNA3 ISA manual 7.7 and LLVM's names of the controls.
fn moved(enc: Enc, lane: usize, exec: u64) -> Moved {
    let (row, i) = (lane / 16 * 16, lane % 16);
    let (from, fi, bound) = match enc {
        Enc::Dpp8(d) | Enc::E64Dpp8(d) => (Some(lane / 8 * 8 + d.sel[lane % 8] as usize), d.fi, true),
        Enc::Dpp16(d) | Enc::E64Dpp16(d) => {
            if d.row_mask >> (lane / 16) & 1 == 0 || d.bank_mask >> (i / 4) & 1 == 0 {
                return Moved::Off;
            }
            let n = (d.ctrl & 15) as usize;
            let inside = |k: i64| (0..16).contains(&k).then_some(k as usize);
            let k = match d.ctrl {
                0..=0xff => Some(i / 4 * 4 + (d.ctrl >> (2 * (i % 4)) & 3) as usize),
                0x101..=0x10f => inside(i as i64 + n as i64),
                0x111..=0x11f => inside(i as i64 - n as i64),
                0x121..=0x12f => Some((i + 16 - n) % 16),
                0x140 => Some(15 - i),
                0x141 => Some(i / 8 * 8 + 7 - i % 8),
                0x150..=0x15f => Some(n),
                _ => Some(i ^ n),
            };
            (k.map(|k| row + k), d.fi, d.bound_ctrl)
        }
        _ => return Moved::From(lane),
    };
    match from {
        Some(k) if fi || exec >> k & 1 == 1 => Moved::From(k),
        _ if bound => Moved::Zero,
        _ => Moved::Off,
    }
}

/// One trial; `Err` describes a difference.
pub fn trial(
    op: Opcode,
    form: Form,
    model: &Model,
    rng: &mut Rng,
    m: &mut Machine,
    modes: &[u32],
) -> Result<(), String> {
    let plain = form.is_dpp() || rng.u32() % 2 == 0;
    let target = GFX1100.with_wave_size(m.wave.lanes());
    let row = op.row();
    let built = (0..20).find_map(|k| {
        let b = build(op, form, rng, plain || k > 10, &target)?;
        let wrong = errata::Facts::of(&b.inst, &target)
            .local
            .iter()
            .any(|h| h.severity() == errata::Severity::Error);
        isa::encode(&b.inst, &target)
            .ok()
            .filter(|_| !wrong)
            .map(|code| (b, code))
    });
    let Some((b, mut code)) = built else {
        if form.is_dpp() {
            return Ok(());
        }
        return Err(format!("{}: cannot be encoded as {form:?}", row.name));
    };
    code.extend(0xbfb0_0000u32.to_le_bytes());
    let mode = Mode(modes[rng.u32() as usize % modes.len()]);
    fill(m, &b, rng, mode);
    let before = m.wave.clone();
    let text = b.inst.to_string();
    m.run_code(&code).map_err(|e| format!("{text}: {e}"))?;
    let packed = row.family == Family::Vop3p;
    let exec = before.whole_exec();
    let mut want = before.clone();
    let mut bits = 0u64;
    for lane in 0..before.lanes() as usize {
        let source = moved(b.inst.enc, lane, exec);
        if exec >> lane & 1 == 0 || source == Moved::Off {
            continue;
        }
        let mut s = [0u128; 3];
        for (k, (from, spec)) in b.sources.iter().enumerate() {
            let n = spec.ty.regs();
            let v = match *from {
                From::V(r) if k == 0 => match source {
                    Moved::From(l) => read_v(&before, r, n, l),
                    _ => 0,
                },
                From::V(r) => read_v(&before, r, n, lane),
                From::S(r) => (0..n).fold(0, |v, k| v | u128::from(before.sgpr[(r + k) as usize]) << (32 * k)),
                From::K(v) => v,
            };
            s[k] = if packed { v } else { modified(v, spec, k, &b.inst.mods) };
        }
        let high = if packed {
            row.name == "v_fma_mixhi_f16"
        } else {
            b.inst.mods.op_sel >> 3 & 1 == 1
        };
        let old = b.dst.map_or(0, |(r, ty)| read_v(&before, r, ty.regs(), lane));
        let half = b.dst.is_some_and(|(_, ty)| ty.bits() == 16);
        let input = In {
            s,
            d: if half {
                old >> (16 * u32::from(high)) & 0xffff
            } else {
                old
            },
            bit: b.mask_src.is_some_and(|r| mask_bit(&before, r as usize, lane))
                || row.flags.has(Flags::R_VCC) && mask_bit(&before, 106, lane),
            lane: lane as u32,
            m: mode,
            mods: b.inst.mods,
        };
        let out = model(&input);
        bits |= u64::from(out.bit) << lane;
        let Some((r, ty)) = b.dst else { continue };
        let v = finish(out.v, ty, &b.inst.mods, mode);
        let v = match (half, high) {
            (false, _) => v,
            // The other half of the register stays.
            (true, false) => old & !0xffff | v & 0xffff,
            (true, true) => old & 0xffff | (v & 0xffff) << 16,
        };
        write_v(&mut want, r, ty.regs(), lane, v);
        for k in 0..ty.regs() {
            let (got, want) = (m.wave.lane((r + k) as usize, lane), want.lane((r + k) as usize, lane));
            if got != want {
                return Err(format!(
                    "{text}: lane {lane} v{} is {got:#010x}, model {want:#010x}; sources {s:x?} old {old:x} bit {} mode {:#x}",
                    r + k,
                    input.bit,
                    mode.0
                ));
            }
        }
    }
    let mut masks: Vec<usize> = b.mask_dst.iter().map(|&r| r as usize).collect();
    if row.flags.has(Flags::W_EXEC) {
        masks.push(126);
    }
    if row.flags.has(Flags::W_VCC) {
        masks.push(106);
    }
    for r in masks {
        want.sgpr[r] = bits as u32;
        if before.lanes() == 64 {
            want.sgpr[r + 1] = (bits >> 32) as u32;
        }
    }
    for r in 0..128 {
        let (got, want) = (m.wave.sgpr[r], want.sgpr[r]);
        if got != want {
            let lane = ((got ^ want).trailing_zeros()) as usize;
            let s: Vec<String> = b
                .sources
                .iter()
                .map(|(f, spec)| match *f {
                    From::V(r) => format!("{:x}", read_v(&before, r, spec.ty.regs(), lane)),
                    From::S(r) => format!("{:x} {:x}", before.sgpr[r as usize], before.sgpr[r as usize + 1]),
                    From::K(v) => format!("{v:x}"),
                })
                .collect();
            return Err(format!(
                "{text}: s{r} is {got:#010x}, model {want:#010x}; exec {exec:#x} lane {lane} sources {s:?} mode {:#x}",
                mode.0
            ));
        }
    }
    let same = (0..32).all(|r| (0..before.lanes() as usize).all(|l| m.wave.lane(r, l) == want.lane(r, l)));
    if !same || m.wave.scc != before.scc || m.wave.mode != before.mode {
        return Err(format!("{text}: wrote something else"));
    }
    Ok(())
}

fn fill(m: &mut Machine, b: &Built, rng: &mut Rng, mode: Mode) {
    let w = &mut m.wave;
    let lanes = w.lanes() as usize;
    for r in 0..32 {
        for lane in 0..lanes {
            w.set_lane(r, lane, 0x5a5a_0f0f);
        }
    }
    for s in w.sgpr[..108].iter_mut() {
        *s = rng.u32();
    }
    w.sgpr[125] = rng.u32();
    for r in [126, 127] {
        w.sgpr[r] = match rng.u32() % 4 {
            0 => rng.u32(),
            1 => 0xf0f0_5aa5,
            _ => u32::MAX,
        };
    }
    if let Some((r, ty)) = b.dst {
        for lane in 0..lanes {
            write_v(w, r, ty.regs(), lane, value(ty, rng));
        }
    }
    for (from, spec) in &b.sources {
        let n = spec.ty.regs();
        match *from {
            From::V(r) => (0..lanes).for_each(|lane| write_v(w, r, n, lane, value(spec.ty, rng))),
            From::S(r) => {
                let v = value(spec.ty, rng);
                for k in 0..n {
                    w.sgpr[(r + k) as usize] = (v >> (32 * k)) as u32;
                }
            }
            From::K(_) => {}
        }
    }
    // The same value in two sources now and then.
    if rng.u32() % 4 == 0 {
        if let [(From::V(a), x), (From::V(c), y), ..] = b.sources[..] {
            if x.ty == y.ty {
                for lane in (0..lanes).step_by(3) {
                    let v = read_v(w, a, x.ty.regs(), lane);
                    write_v(w, c, x.ty.regs(), lane, v);
                }
            }
        }
    }
    w.set_mode(mode.0);
    w.scc = rng.u32() % 2 == 0;
}

/// Rows that run on the vector ALU lane by lane.
pub fn lane_rows() -> impl Iterator<Item = Opcode> {
    Opcode::all().filter(|op| {
        let c = op.row().class;
        // Dual-issue pairs have their own driver; interpolation is graphics.
        let other = matches!(op.row().family, Family::Vopdx | Family::Vopdy | Family::Vinterp);
        c.is_valu() && !other && op.row().feature().is_none() && !matches!(c, Class::ValuLane | Class::Wmma)
    })
}

/// Runs `n` trials of each form of a row; the first difference of each form.
pub fn check_row(op: Opcode, model: &Model, n: u32, rng: &mut Rng, m: &mut Machine, modes: &[u32]) -> Vec<String> {
    let mut forms = vec![Form::Natural];
    let e64 = op.row().e64_code().is_some();
    if e64 {
        forms.push(Form::E64);
    }
    // Always an erratum.
    if !op.row().flags.has(Flags::NO_DPP) && op.name() != "v_pk_fmac_f16" {
        forms.push(Form::Dpp);
        if e64 {
            forms.push(Form::E64Dpp);
        }
    }
    forms
        .into_iter()
        .filter_map(|form| (0..n).find_map(|_| trial(op, form, model, rng, m, modes).err()))
        .collect()
}
