//! Scalar instructions: SOP1, SOP2, SOPC, SOPK and the branches of SOPP.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use crate::common::{Machine, Rng};
use t0_backend_rdna3::isa::{self, Class, Family, Inst, Opcode, Operand, Reg};
use t0_backend_rdna3::target::GFX1100;

/// What a scalar instruction sees; 32-bit operands have a clear upper half.
#[derive(Clone, Copy, Debug)]
struct In {
    a: u64,
    b: u64,
    /// Destination before.
    d: u64,
    scc: bool,
    exec: u64,
}

/// What it leaves; `None` where it writes nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Out {
    d: Option<u64>,
    scc: Option<bool>,
    exec: Option<u64>,
}

type Model = Box<dyn Fn(In) -> Out>;

fn put(d: u64) -> Out {
    Out {
        d: Some(d),
        ..Out::default()
    }
}
fn put_scc(d: u64, scc: bool) -> Out {
    Out {
        d: Some(d),
        scc: Some(scc),
        exec: None,
    }
}
fn nonzero(d: u64) -> Out {
    put_scc(d, d != 0)
}
fn cond(scc: bool) -> Out {
    Out {
        scc: Some(scc),
        ..Out::default()
    }
}
fn i(v: u64) -> i64 {
    i64::from(v as u32 as i32)
}
fn u(v: i64) -> u64 {
    u64::from(v as u32)
}

/// First position from the top at which `hit` holds, counted in `n` bits, or -1.
fn search(n: u32, hit: impl Fn(u32) -> bool) -> u64 {
    (0..n).find(|&k| hit(k)).map_or(0xffff_ffff, u64::from)
}

fn models() -> BTreeMap<String, Model> {
    let mut t: BTreeMap<String, Model> = BTreeMap::new();
    let mut add = |name: &str, f: Model| assert!(t.insert(name.to_string(), f).is_none(), "{name} twice");
    for (n, name) in [(32u32, "b32"), (64, "b64")] {
        let all = u64::MAX >> (64 - n);
        add(&format!("s_mov_{name}"), Box::new(|x| put(x.a)));
        add(
            &format!("s_cmov_{name}"),
            Box::new(|x| if x.scc { put(x.a) } else { Out::default() }),
        );
        let rev = move |v: u64| (0..n).fold(0u64, |r, k| r | (v >> k & 1) << (n - 1 - k));
        add(&format!("s_brev_{name}"), Box::new(move |x| put(rev(x.a))));
        add(
            &format!("s_ctz_i32_{name}"),
            Box::new(move |x| put(search(n, |k| x.a >> k & 1 == 1))),
        );
        let un = if n == 32 { "i32_u32" } else { "i32_u64" };
        add(
            &format!("s_clz_{un}"),
            Box::new(move |x| put(search(n, |k| x.a >> (n - 1 - k) & 1 == 1))),
        );
        let sn = if n == 32 { "i32" } else { "i32_i64" };
        add(
            &format!("s_cls_{sn}"),
            Box::new(move |x| put(search(n, |k| k > 0 && x.a >> (n - 1 - k) & 1 != x.a >> (n - 1) & 1))),
        );
        let bit = move |v: u64| 1u64 << (v % u64::from(n));
        add(&format!("s_bitset0_{name}"), Box::new(move |x| put(x.d & !bit(x.a))));
        add(&format!("s_bitset1_{name}"), Box::new(move |x| put(x.d | bit(x.a))));
        let ones = move |v: u64| (0..n).map(|k| v >> k & 1).sum::<u64>();
        add(
            &format!("s_bcnt0_i32_{name}"),
            Box::new(move |x| nonzero(u64::from(n) - ones(x.a))),
        );
        add(&format!("s_bcnt1_i32_{name}"), Box::new(move |x| nonzero(ones(x.a))));
        let quads = move |v: u64| (0..n / 4).fold(0u64, |r, k| r | u64::from(v >> (4 * k) & 15 != 0) << k);
        add(&format!("s_quadmask_{name}"), Box::new(move |x| nonzero(quads(x.a))));
        let wqm = move |v: u64| (0..n).fold(0u64, |r, k| r | u64::from(v >> (k & 60) & 15 != 0) << k);
        add(&format!("s_wqm_{name}"), Box::new(move |x| nonzero(wqm(x.a))));
        add(&format!("s_not_{name}"), Box::new(move |x| nonzero(!x.a & all)));
        let save = |f: fn(u64, u64) -> u64| -> Model {
            Box::new(move |x| {
                let e = f(x.a, x.exec & all) & all;
                Out {
                    d: Some(x.exec & all),
                    scc: Some(e != 0),
                    exec: Some(x.exec & !all | e),
                }
            })
        };
        let logic: [(&str, fn(u64, u64) -> u64); 10] = [
            ("and", |a, e| a & e),
            ("or", |a, e| a | e),
            ("xor", |a, e| a ^ e),
            ("nand", |a, e| !(a & e)),
            ("nor", |a, e| !(a | e)),
            ("xnor", |a, e| !(a ^ e)),
            ("and_not0", |a, e| !a & e),
            ("or_not0", |a, e| !a | e),
            ("and_not1", |a, e| a & !e),
            ("or_not1", |a, e| a | !e),
        ];
        for (op, f) in logic {
            add(&format!("s_{op}_saveexec_{name}"), save(f));
            if !op.contains("not0") {
                add(&format!("s_{op}_{name}"), Box::new(move |x| nonzero(f(x.a, x.b) & all)));
            }
            if op.starts_with("and_not") {
                add(
                    &format!("s_{op}_wrexec_{name}"),
                    Box::new(move |x| {
                        let e = f(x.a, x.exec & all) & all;
                        Out {
                            d: Some(e),
                            scc: Some(e != 0),
                            exec: Some(x.exec & !all | e),
                        }
                    }),
                );
            }
        }
        let sh = move |v: u64| (v % u64::from(n)) as u32;
        add(
            &format!("s_lshl_{name}"),
            Box::new(move |x| nonzero(x.a << sh(x.b) & all)),
        );
        add(&format!("s_lshr_{name}"), Box::new(move |x| nonzero(x.a >> sh(x.b))));
        let sext = move |v: u64| ((v << (64 - n)) as i64) >> (64 - n);
        add(
            &format!("s_ashr_i{n}"),
            Box::new(move |x| nonzero((sext(x.a) >> sh(x.b)) as u64 & all)),
        );
        // Offset and width from S1; a width beyond the register takes all there is.
        let field = move |v: i128, b: u64| v >> sh(b) & ((1i128 << (b >> 16 & 127).min(100)) - 1);
        add(
            &format!("s_bfe_u{n}"),
            Box::new(move |x| nonzero(field(i128::from(x.a), x.b) as u64 & all)),
        );
        add(
            &format!("s_bfe_i{n}"),
            Box::new(move |x| {
                let w = (x.b >> 16 & 127).min(100) as u32;
                let f = field(i128::from(sext(x.a)), x.b);
                let v = if w == 0 { 0 } else { f << (128 - w) >> (128 - w) };
                nonzero(v as u64 & all)
            }),
        );
        add(
            &format!("s_bfm_{name}"),
            Box::new(move |x| put(((1u64 << sh(x.a)) - 1) << sh(x.b) & all)),
        );
        add(
            &format!("s_cselect_{name}"),
            Box::new(|x| put(if x.scc { x.a } else { x.b })),
        );
        add(
            &format!("s_bitcmp0_{name}"),
            Box::new(move |x| cond(x.a & bit(x.b) == 0)),
        );
        add(
            &format!("s_bitcmp1_{name}"),
            Box::new(move |x| cond(x.a & bit(x.b) != 0)),
        );
    }
    add(
        "s_sext_i32_i8",
        Box::new(|x| put(u64::from(x.a as u8 as i8 as i32 as u32))),
    );
    add(
        "s_sext_i32_i16",
        Box::new(|x| put(u64::from(x.a as u16 as i16 as i32 as u32))),
    );
    add(
        "s_bitreplicate_b64_b32",
        Box::new(|x| put((0..32).fold(0, |r, k| r | (x.a >> k & 1) * 3 << (2 * k)))),
    );
    add("s_abs_i32", Box::new(|x| nonzero(u(i(x.a).abs()))));
    add(
        "s_add_u32",
        Box::new(|x| put_scc((x.a + x.b) & 0xffff_ffff, x.a + x.b > 0xffff_ffff)),
    );
    add(
        "s_sub_u32",
        Box::new(|x| put_scc(u(x.a as i64 - x.b as i64), x.b > x.a)),
    );
    // The machine-readable ISA says carry-out; the manual's section 6.3 and its pseudocode say signed overflow.
    add(
        "s_add_i32",
        Box::new(|x| put_scc(u(i(x.a) + i(x.b)), i32::try_from(i(x.a) + i(x.b)).is_err())),
    );
    add(
        "s_sub_i32",
        Box::new(|x| put_scc(u(i(x.a) - i(x.b)), i32::try_from(i(x.a) - i(x.b)).is_err())),
    );
    add(
        "s_addc_u32",
        Box::new(|x| {
            let s = x.a + x.b + u64::from(x.scc);
            put_scc(s & 0xffff_ffff, s > 0xffff_ffff)
        }),
    );
    add(
        "s_subb_u32",
        Box::new(|x| {
            let s = x.a as i64 - x.b as i64 - i64::from(x.scc);
            put_scc(u(s), s < 0)
        }),
    );
    // The difference wraps to 32 bits before its sign is looked at.
    add("s_absdiff_i32", Box::new(|x| nonzero(u(i(u(i(x.a) - i(x.b))).abs()))));
    for k in 1..=4 {
        add(
            &format!("s_lshl{k}_add_u32"),
            Box::new(move |x| {
                let s = (x.a << k) + x.b;
                put_scc(s & 0xffff_ffff, s > 0xffff_ffff)
            }),
        );
    }
    add(
        "s_min_i32",
        Box::new(|x| put_scc(u(i(x.a).min(i(x.b))), i(x.a) < i(x.b))),
    );
    add(
        "s_max_i32",
        Box::new(|x| put_scc(u(i(x.a).max(i(x.b))), i(x.a) >= i(x.b))),
    );
    add("s_min_u32", Box::new(|x| put_scc(x.a.min(x.b), x.a < x.b)));
    add("s_max_u32", Box::new(|x| put_scc(x.a.max(x.b), x.a >= x.b)));
    add("s_mul_i32", Box::new(|x| put(u(i(x.a).wrapping_mul(i(x.b))))));
    add("s_mul_hi_u32", Box::new(|x| put((x.a * x.b) >> 32)));
    add("s_mul_hi_i32", Box::new(|x| put(u((i(x.a) * i(x.b)) >> 32))));
    for (name, sa, sb) in [("ll", 0, 0), ("lh", 0, 16), ("hh", 16, 16), ("hl", 16, 0)] {
        add(
            &format!("s_pack_{name}_b32_b16"),
            Box::new(move |x| put((x.a >> sa & 0xffff) | (x.b >> sb & 0xffff) << 16)),
        );
    }
    let compare: [(&str, fn(i64, i64) -> bool); 6] = [
        ("eq", |a, b| a == b),
        ("lg", |a, b| a != b),
        ("gt", |a, b| a > b),
        ("ge", |a, b| a >= b),
        ("lt", |a, b| a < b),
        ("le", |a, b| a <= b),
    ];
    for (op, f) in compare {
        add(&format!("s_cmp_{op}_i32"), Box::new(move |x| cond(f(i(x.a), i(x.b)))));
        add(
            &format!("s_cmp_{op}_u32"),
            Box::new(move |x| cond(f(x.a as i64, x.b as i64))),
        );
        // SOPK: the register is the first operand, the immediate arrives as `b`.
        add(&format!("s_cmpk_{op}_i32"), Box::new(move |x| cond(f(i(x.a), i(x.b)))));
        add(
            &format!("s_cmpk_{op}_u32"),
            Box::new(move |x| cond(f(x.a as i64, x.b as i64))),
        );
    }
    add("s_cmp_eq_u64", Box::new(|x| cond(x.a == x.b)));
    add("s_cmp_lg_u64", Box::new(|x| cond(x.a != x.b)));
    add("s_movk_i32", Box::new(|x| put(x.b)));
    add(
        "s_cmovk_i32",
        Box::new(|x| if x.scc { put(x.b) } else { Out::default() }),
    );
    add(
        "s_addk_i32",
        Box::new(|x| put_scc(u(i(x.d) + i(x.b)), i32::try_from(i(x.d) + i(x.b)).is_err())),
    );
    add("s_mulk_i32", Box::new(|x| put(u(i(x.d).wrapping_mul(i(x.b))))));
    t
}

/// Rows tested by name below or elsewhere.
const OTHERWISE: &[&str] = &[
    // `program_counter`
    "s_getpc_b64",
    "s_setpc_b64",
    "s_swappc_b64",
    "s_call_b64",
    // `relative_moves`
    "s_movrels_b32",
    "s_movrels_b64",
    "s_movreld_b32",
    "s_movreld_b64",
    "s_movrelsd_2_b32",
    // Half a wave of 64 at a time: no compiler emits them, the simulator refuses them by name.
    "s_subvector_loop_begin",
    "s_subvector_loop_end",
    // Trap handlers only.
    "s_rfe_b64",
    // `mode_register`
    "s_getreg_b32",
    "s_setreg_b32",
    "s_setreg_imm32_b32",
    "s_round_mode",
    "s_denorm_mode",
];

/// Scalar ALU rows: what `models` must cover.
fn scalar_rows() -> impl Iterator<Item = Opcode> {
    Opcode::all().filter(|op| {
        let r = op.row();
        matches!(r.family, Family::Sop1 | Family::Sop2 | Family::Sopc | Family::Sopk)
            && matches!(r.class, Class::Salu | Class::Branch)
            && r.feature().is_none()
            && !OTHERWISE.contains(&r.name)
    })
}

const EDGES: [u64; 20] = [
    0,
    1,
    2,
    3,
    31,
    32,
    33,
    63,
    0x7f,
    0x80,
    0x8000,
    0xffff,
    0x10_0004,
    0x20_0000,
    0x7f_0008,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_fffe,
    0xffff_ffff,
    0x1234_5678,
];

fn value(rng: &mut Rng) -> u64 {
    let half = |r: &mut Rng| match r.u32() % 4 {
        0 => u64::from(r.u32()),
        1 => 1u64 << (r.u32() % 32),
        _ => EDGES[r.u32() as usize % EDGES.len()],
    };
    let (lo, hi) = (half(rng), half(rng));
    if rng.u32() % 4 == 0 {
        return if rng.u32() % 2 == 0 { 0 } else { u64::MAX };
    }
    lo | hi << 32
}

/// Where the operands of a trial live.
#[derive(Clone, Copy, Debug)]
enum Place {
    S(u32),
    Const(Operand, u64),
}

/// One trial: build the instruction, fill the registers, compare the whole scalar state.
fn trial(op: Opcode, model: &Model, rng: &mut Rng, m: &mut Machine) -> Result<(), String> {
    let row = op.row();
    let mut operands = Vec::new();
    let before: Vec<u32> = (0..128).map(|_| value(rng) as u32).collect();
    let mut state: Vec<u32> = before.clone();
    state[108..=124].fill(0);
    let scc = rng.u32() % 2 == 0;
    let read = |r: u32, n: u32| {
        let at = |k: u32| u64::from(state[k as usize]);
        if r == 124 {
            return 0;
        }
        at(r) | if n == 2 { at(r + 1) << 32 } else { 0 }
    };
    // Few registers, so that sources and destination often coincide; VCC, EXEC and M0 among them.
    let pool = |rng: &mut Rng, n: u32| match rng.u32() % 12 {
        0 => 106,
        1 => 126,
        2 if n == 1 => 125,
        3 => 124,
        k => (k % 3) * 2,
    };
    let (mut dst, mut sources, mut imm) = (None, Vec::new(), None);
    for spec in row.operands {
        let n = spec.ty.regs();
        let reg = |r: u32| {
            if r == 124 {
                Operand::OFF
            } else {
                Operand::Reg(Reg::sn(r, n))
            }
        };
        match spec.kind {
            isa::Kind::SDst => {
                let r = pool(rng, n);
                dst = Some((r, n));
                operands.push(reg(r));
            }
            isa::Kind::SReg => {
                let r = pool(rng, n);
                sources.push(Place::S(r));
                operands.push(reg(r));
            }
            isa::Kind::SSrc => {
                let signed = matches!(spec.ty, isa::Ty::I64 | isa::Ty::I32);
                let place = match rng.u32() % 8 {
                    0 => {
                        let k = rng.u32() % 81;
                        let v = if k <= 64 { i64::from(k) } else { 64 - i64::from(k) };
                        let c = Operand::Const(128 + k);
                        Place::Const(c, if n == 2 { v as u64 } else { u(v) })
                    }
                    1 if operands.iter().all(|o| !matches!(o, Operand::Literal(_))) => {
                        let v = value(rng) as u32 | 0x100;
                        // 64-bit integers: LLVM and the machine-readable ISA sign-extend for signed operands only.
                        let wide = if signed && n == 2 {
                            i(u64::from(v)) as u64
                        } else {
                            u64::from(v)
                        };
                        Place::Const(Operand::Literal(v), wide)
                    }
                    2 if n == 1 => Place::Const(Operand::Special(253), u64::from(scc)),
                    _ => Place::S(pool(rng, n)),
                };
                operands.push(match place {
                    Place::S(r) => reg(r),
                    Place::Const(o, _) => o,
                });
                sources.push(place);
            }
            isa::Kind::Imm(kind) => {
                let v = (value(rng) & 0xffff) as u16;
                let signed = kind == isa::ImmKind::Signed;
                imm = Some(if signed { u(i64::from(v as i16)) } else { u64::from(v) });
                operands.push(Operand::Imm(if signed { i64::from(v as i16) } else { i64::from(v) }));
            }
            k => panic!("{}: operand kind {k:?}", row.name),
        }
    }
    let inst = Inst::new(op, operands);
    let mut code = isa::encode(&inst, &GFX1100).unwrap_or_else(|e| panic!("{inst:?}: {e}"));
    let text = inst.to_string();
    code.extend(0xbfb0_0000u32.to_le_bytes());
    for (r, v) in state.iter().enumerate() {
        m.wave.sgpr[r] = *v;
    }
    m.wave.scc = scc;
    m.run_code(&code).map_err(|e| format!("{text}: {e}"))?;
    let mut v = sources.iter().enumerate().map(|(k, p)| match *p {
        Place::S(r) => read(
            r,
            row.operands
                .iter()
                .filter(|s| s.is_src() && s.role == isa::Role::Src)
                .nth(k)
                .unwrap()
                .ty
                .regs(),
        ),
        Place::Const(_, v) => v,
    });
    let input = In {
        a: v.next().unwrap_or(0),
        b: imm.or(v.next()).unwrap_or(0),
        d: dst.map_or(0, |(r, n)| read(r, n)),
        scc,
        exec: read(126, 2),
    };
    let out = model(input);
    let mut want = state.clone();
    // EXEC first: a destination that is EXEC as well keeps the destination's value.
    if let Some(e) = out.exec {
        (want[126], want[127]) = (e as u32, (e >> 32) as u32);
    }
    if let (Some(d), Some((r, n))) = (out.d, dst) {
        if r != 124 {
            want[r as usize] = d as u32;
            if n == 2 {
                want[r as usize + 1] = (d >> 32) as u32;
            }
        }
    }
    let dual = out.exec.is_some() && dst.is_some_and(|(r, _)| r == 126);
    for r in 0..128 {
        if !(dual && r >= 126) && m.wave.sgpr[r] != want[r] {
            return Err(format!(
                "{text}: register {r} is {:#x}, model {:#x}\n{input:x?}",
                m.wave.sgpr[r], want[r]
            ));
        }
    }
    let scc = out.scc.unwrap_or(scc);
    if m.wave.scc != scc {
        return Err(format!("{text}: SCC is not {scc}\n{input:x?}"));
    }
    Ok(())
}

#[test]
fn scalar_instructions() {
    let models = models();
    let mut m = Machine::new();
    let mut rng = Rng(0x5ca1_ab1e_0dd5_eed5);
    let mut failures = Vec::new();
    for op in scalar_rows() {
        if let Some(model) = models.get(op.name()) {
            failures.extend((0..150).find_map(|_| trial(op, model, &mut rng, &mut m).err()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_scalar_row_has_a_model() {
    let models = models();
    let missing: Vec<_> = scalar_rows()
        .map(|op| op.name())
        .filter(|n| !models.contains_key(*n))
        .collect();
    assert!(missing.is_empty(), "no model for {missing:?}");
    let rows: Vec<_> = Opcode::all().map(|op| op.name()).collect();
    let stray: Vec<_> = models.keys().filter(|k| !rows.contains(&k.as_str())).collect();
    assert!(stray.is_empty(), "models of no row: {stray:?}");
}

/// Runs text with `s_endpgm` behind it.
fn run(m: &mut Machine, text: &str) {
    m.run(text).unwrap_or_else(|e| panic!("{text}: {e}"));
}

#[test]
fn program_counter() {
    let mut m = Machine::new();
    // The address of the instruction behind it, whatever stands before.
    for pad in 0..3 {
        let before = "s_nop 0\n".repeat(pad);
        run(&mut m, &format!("{before}s_getpc_b64 s[4:5]"));
        assert_eq!(m.wave.s64(4), 4 * (pad as u64 + 1));
    }
    // s_swappc: jump and leave the return address; the subroutine returns by s_setpc. SCC is clear after the addition.
    run(
        &mut m,
        "s_mov_b32 s8, 0
         s_mov_b32 s9, 0
         s_getpc_b64 s[0:1]
         s_add_u32 s0, s0, 20
         s_swappc_b64 s[4:5], s[0:1]
         s_mov_b32 s9, 1
         s_cbranch_scc0 end
         s_cbranch_scc1 sub
         sub:
         s_mov_b32 s8, 7
         s_setpc_b64 s[4:5]
         end:",
    );
    assert_eq!((m.s(8), m.s(9)), (7, 1));
    assert_eq!(m.wave.s64(4), 20);
    // s_call: relative jump with a return address.
    let call = isa::encode(
        &Inst::new(isa::Sopk::s_call_b64, vec![Operand::sn(6, 2), Operand::Imm(2)]),
        &GFX1100,
    )
    .unwrap();
    let mut code = call.clone();
    code.extend(crate::common::assemble(
        "s_mov_b32 s9, 2\ns_endpgm\ns_mov_b32 s8, 3\ns_setpc_b64 s[6:7]",
    ));
    m.run_code(&code).unwrap();
    assert_eq!((m.s(8), m.s(9), m.wave.s64(6)), (3, 2, call.len() as u64));
}

#[test]
fn conditional_branches() {
    let mut m = Machine::new();
    let mut taken = |op: &str, scc: bool, vcc: u32, exec: u32| {
        m.wave.scc = scc;
        // The upper halves are ordinary registers in wave32.
        m.set_s(106, vcc).set_s(107, 5).set_s(126, exec).set_s(127, 9);
        run(
            &mut m,
            &format!("s_movk_i32 s0, 1\n{op} over\ns_movk_i32 s0, 0\nover:\ns_nop 0"),
        );
        m.s(0) == 1
    };
    for (scc, vcc, exec) in [(false, 0, 0), (true, 0, 1), (false, 1 << 31, 0), (true, 3, 1 << 31)] {
        assert!(taken("s_branch", scc, vcc, exec));
        assert_eq!(taken("s_cbranch_scc0", scc, vcc, exec), !scc);
        assert_eq!(taken("s_cbranch_scc1", scc, vcc, exec), scc);
        assert_eq!(taken("s_cbranch_vccz", scc, vcc, exec), vcc == 0);
        assert_eq!(taken("s_cbranch_vccnz", scc, vcc, exec), vcc != 0);
        assert_eq!(taken("s_cbranch_execz", scc, vcc, exec), exec == 0);
        assert_eq!(taken("s_cbranch_execnz", scc, vcc, exec), exec != 0);
    }
}

#[test]
fn mode_register() {
    let mut m = Machine::new();
    let mut rng = Rng(77);
    for _ in 0..300 {
        // Rounding, denormals, DX10_CLAMP and IEEE: bits 0 to 9.
        let (old, v) = (rng.u32() & 0x3ff, rng.u32());
        let offset = rng.u32() % 10;
        let size = 1 + rng.u32() % (10 - offset);
        let mask = ((1 << size) - 1) << offset;
        let new = old & !mask | v << offset & mask;
        m.wave.set_mode(old);
        m.set_s(3, v);
        run(
            &mut m,
            &format!("s_getreg_b32 s5, hwreg(HW_REG_MODE, {offset}, {size})"),
        );
        assert_eq!(m.s(5), old >> offset & ((1 << size) - 1));
        run(
            &mut m,
            &format!("s_setreg_b32 hwreg(HW_REG_MODE, {offset}, {size}), s3"),
        );
        assert_eq!(m.wave.mode & 0x3ff, new, "old {old:#x} value {v:#x} {offset} {size}");
        m.wave.set_mode(old);
        run(
            &mut m,
            &format!(
                "s_setreg_imm32_b32 hwreg(HW_REG_MODE, {offset}, {size}), {:#x}",
                v | 0x8000_0000
            ),
        );
        let v = v | 0x8000_0000;
        assert_eq!(m.wave.mode & 0x3ff, old & !mask | v << offset & mask);
        m.wave.set_mode(old);
        run(&mut m, &format!("s_round_mode {:#x}", v & 15));
        assert_eq!(m.wave.mode & 0x3ff, old & !0xf | v & 15);
        m.wave.set_mode(old);
        run(&mut m, &format!("s_denorm_mode {}", v & 15));
        assert_eq!(m.wave.mode & 0x3ff, old & !0xf0 | (v & 15) << 4);
    }
}

#[test]
fn relative_moves() {
    let mut m = Machine::new();
    let mut go = |text: &str, m0: u32| {
        for r in 0..64 {
            m.set_s(r, 0x1000 + r as u32);
        }
        m.set_s(125, m0);
        run(&mut m, text);
        (0..64)
            .map(|r| m.s(r))
            .enumerate()
            .filter(|&(r, v)| v != 0x1000 + r as u32)
            .map(|(r, v)| (r, v - 0x1000))
            .collect::<Vec<_>>()
    };
    assert_eq!(go("s_movrels_b32 s20, s3", 5), [(20, 8)]);
    assert_eq!(go("s_movreld_b32 s24, s1", 5), [(29, 1)]);
    assert_eq!(go("s_movrels_b64 s[34:35], s[4:5]", 6), [(34, 10), (35, 11)]);
    assert_eq!(go("s_movreld_b64 s[40:41], s[8:9]", 2), [(42, 8), (43, 9)]);
    assert_eq!(go("s_movrelsd_2_b32 s30, s2", 7 << 16 | 3), [(37, 5)]);
}
