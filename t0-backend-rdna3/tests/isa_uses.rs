//! Read and write sets, wait counters, legality errors and table invariants.
#![allow(clippy::unwrap_used)]

use std::collections::HashSet;
use t0_backend_rdna3::isa::{
    encode, parse, Class, EncodeError, Field, Flags, Inst, Opcode, Operand, Reg, Sop2, Vop2, Vop3, WaitCounts,
};
use t0_backend_rdna3::target::GFX1100;

fn p(text: &str) -> Inst {
    parse(text, &GFX1100).unwrap_or_else(|e| panic!("`{text}`: {e}"))
}

fn names(regs: Vec<Reg>) -> Vec<String> {
    regs.iter().map(Reg::to_string).collect()
}

#[test]
fn read_and_write_sets() {
    // Expectations from the manual's pseudocode of each instruction.
    let cases: &[(&str, &[&str], &[&str])] = &[
        ("v_add_f32_e32 v0, s1, v2", &["s1", "v2", "exec_lo"], &["v0"]),
        ("v_fmac_f32_e32 v0, v1, v2", &["v0", "v1", "v2", "exec_lo"], &["v0"]),
        (
            "v_cndmask_b32_e32 v0, v1, v2, vcc_lo",
            &["v1", "v2", "vcc_lo", "exec_lo"],
            &["v0"],
        ),
        (
            "v_add_co_ci_u32_e64 v0, s3, v1, v2, s4",
            &["v1", "v2", "s4", "exec_lo"],
            &["v0", "s3"],
        ),
        ("v_cmp_lt_f32_e32 vcc_lo, v1, v2", &["v1", "v2", "exec_lo"], &["vcc_lo"]),
        ("v_cmpx_lt_f32_e32 v1, v2", &["v1", "v2", "exec_lo"], &["exec_lo"]),
        (
            "v_div_fmas_f32 v0, v1, v2, v3",
            &["v1", "v2", "v3", "vcc_lo", "exec_lo"],
            &["v0"],
        ),
        ("v_readlane_b32 s0, v1, s2", &["v1", "s2"], &["s0"]),
        ("v_writelane_b32 v0, s1, s2", &["v0", "s1", "s2"], &["v0"]),
        ("v_readfirstlane_b32 s0, v1", &["v1", "exec_lo"], &["s0"]),
        ("v_swap_b32 v0, v1", &["v0", "v1", "exec_lo"], &["v0", "v1"]),
        ("s_add_u32 s0, s1, 5", &["s1"], &["s0", "scc"]),
        ("s_addc_u32 s0, s1, s2", &["s1", "s2", "scc"], &["s0", "scc"]),
        ("s_cselect_b32 s0, s1, s2", &["s1", "s2", "scc"], &["s0"]),
        (
            "s_and_saveexec_b32 s0, vcc_lo",
            &["vcc_lo", "exec_lo"],
            &["s0", "scc", "exec_lo"],
        ),
        ("s_cmp_eq_u32 s0, s1", &["s0", "s1"], &["scc"]),
        ("s_cbranch_scc1 4", &["scc"], &[]),
        ("s_cbranch_vccz 4", &["vcc_lo"], &[]),
        ("s_cbranch_execz 4", &["exec_lo"], &[]),
        ("s_load_b64 s[4:5], s[2:3], 0x10", &["s[2:3]"], &["s[4:5]"]),
        ("global_load_b32 v0, v[2:3], off", &["v[2:3]", "exec_lo"], &["v0"]),
        (
            "global_load_d16_b16 v0, v2, s[4:5]",
            &["v0", "v2", "s[4:5]", "exec_lo"],
            &["v0"],
        ),
        (
            "global_store_b64 v2, v[4:5], s[6:7]",
            &["v2", "v[4:5]", "s[6:7]", "exec_lo"],
            &[],
        ),
        (
            "global_atomic_add_u32 v[2:3], v4, off",
            &["v[2:3]", "v4", "exec_lo"],
            &[],
        ),
        (
            "global_atomic_add_u32 v0, v[2:3], v4, off glc",
            &["v[2:3]", "v4", "exec_lo"],
            &["v0"],
        ),
        (
            "buffer_atomic_cmpswap_b32 v[4:5], v2, s[8:11], 0 offen glc",
            &["v[4:5]", "v2", "s[8:11]", "exec_lo"],
            &["v4"],
        ),
        (
            "buffer_load_b32 v1, off, s[4:7], s3",
            &["s[4:7]", "s3", "exec_lo"],
            &["v1"],
        ),
        ("ds_load_b128 v[0:3], v4 offset:16", &["v4", "exec_lo"], &["v[0:3]"]),
        ("ds_store_b64 v4, v[0:1]", &["v4", "v[0:1]", "exec_lo"], &[]),
        (
            "v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]",
            &["v[8:15]", "v[16:23]", "v[0:7]"],
            &["v[0:7]"],
        ),
        (
            "v_wmma_f16_16x16x16_f16 v[0:7], v[8:15], v[16:23], 0",
            &["v[0:7]", "v[8:15]", "v[16:23]"],
            &["v[0:7]"],
        ),
        (
            "v_fma_mixlo_f16 v0, v1, v2, v3",
            &["v0", "v1", "v2", "v3", "exec_lo"],
            &["v0"],
        ),
        ("v_fma_f16 v0, v1, v2, v3", &["v1", "v2", "v3", "exec_lo"], &["v0"]),
        (
            "v_fma_f16 v0, v1, v2, v3 op_sel:[0,0,0,1]",
            &["v0", "v1", "v2", "v3", "exec_lo"],
            &["v0"],
        ),
        ("s_mov_b32 m0, src_scc", &["scc"], &["m0"]),
        ("s_mov_b32 null, s1", &["s1"], &[]),
        ("s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)", &["m0"], &[]),
    ];
    for (text, reads, writes) in cases {
        let inst = p(text);
        assert_eq!(names(inst.reads(32)), *reads, "reads of {text}");
        assert_eq!(names(inst.writes(32)), *writes, "writes of {text}");
    }
}

#[test]
fn masks_of_wave64_are_pairs() {
    let wave64 = GFX1100.with_wave_size(64);
    let cases: &[(&str, &[&str], &[&str])] = &[
        (
            "v_cndmask_b32_e32 v0, v1, v2, vcc",
            &["v1", "v2", "vcc", "exec"],
            &["v0"],
        ),
        (
            "v_add_co_ci_u32_e64 v0, s[4:5], v1, v2, s[6:7]",
            &["v1", "v2", "s[6:7]", "exec"],
            &["v0", "s[4:5]"],
        ),
        ("v_cmpx_lt_f32_e32 v1, v2", &["v1", "v2", "exec"], &["exec"]),
        (
            "v_div_fmas_f32 v0, v1, v2, v3",
            &["v1", "v2", "v3", "vcc", "exec"],
            &["v0"],
        ),
        ("s_cbranch_execz 4", &["exec"], &[]),
        ("s_cbranch_vccnz 4", &["vcc"], &[]),
        // Scalar instructions say their width themselves.
        (
            "s_and_saveexec_b32 s0, s1",
            &["s1", "exec_lo"],
            &["s0", "scc", "exec_lo"],
        ),
    ];
    for (text, reads, writes) in cases {
        let inst = parse(text, &wave64).unwrap_or_else(|e| panic!("`{text}`: {e}"));
        assert_eq!(names(inst.reads(64)), *reads, "reads of {text}");
        assert_eq!(names(inst.writes(64)), *writes, "writes of {text}");
    }
    let pair = p("s_and_saveexec_b64 s[0:1], s[2:3]");
    assert_eq!(names(pair.reads(32)), ["s[2:3]", "exec"]);
    // A mask of the other width is refused, by name of the rule.
    assert!(parse("v_cmp_lt_f32_e32 vcc_lo, v1, v2", &wave64).is_err());
    assert!(parse("v_cmp_lt_f32_e32 vcc, v1, v2", &GFX1100).is_err());
}

#[test]
fn pairs_read_and_write_both_halves() {
    let i = p("v_dual_fmac_f32 v0, v1, v2 :: v_dual_cndmask_b32 v3, s4, v5");
    assert_eq!(names(i.reads(32)), ["v0", "v1", "v2", "s4", "v5", "vcc_lo", "exec_lo"]);
    assert_eq!(names(i.writes(32)), ["v0", "v3"]);
}

/// The rules of pairing, each with llvm-mc's verdict.
#[test]
fn illegal_pairs_name_the_rule() {
    let cases = [
        (
            "v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v2, v3",
            "one destination of the pair must be an even",
        ),
        ("v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v1, v5", "the src0 registers"),
        ("v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v1, v1", "the src0 registers"),
        (
            "v_dual_add_f32 v0, v1, v2 :: v_dual_add_f32 v1, v3, v6",
            "the src1 registers",
        ),
        (
            "v_dual_fmamk_f32 v0, v1, 0x1234, v2 :: v_dual_fmamk_f32 v1, v3, 0x1234, v4",
            "the src2 registers",
        ),
        (
            "v_dual_fmamk_f32 v0, v1, 0x1234, v3 :: v_dual_fmac_f32 v1, v3, v5",
            "the src2 registers",
        ),
        (
            "v_dual_fmaak_f32 v0, 0x1235, v2, 0x1234 :: v_dual_fmac_f32 v1, v3, v5",
            "two different literals",
        ),
        (
            "v_dual_mov_b32 v0, 0x1234 :: v_dual_mov_b32 v1, 0x1235",
            "two different literals",
        ),
        (
            "v_dual_fmaak_f32 v0, s1, v2, 0x1234 :: v_dual_fmac_f32 v1, s2, v5",
            "reads 3 scalar values",
        ),
        (
            "v_dual_cndmask_b32 v0, s1, v2 :: v_dual_fmac_f32 v1, s2, v5",
            "reads 3 scalar values",
        ),
        (
            "v_dual_cndmask_b32 v0, s1, v2 :: v_dual_cndmask_b32 v1, 0x1234, v5",
            "reads 3 scalar values",
        ),
        (
            "v_dual_lshlrev_b32 v0, v1, v2 :: v_dual_mov_b32 v1, 0x1234",
            "cannot be the first half",
        ),
        ("v_dual_mov_b32 v0, -v1 :: v_dual_lshlrev_b32 v1, 5, v2", "neg or abs"),
        (
            "v_dual_add_f32 v0, v1, s1 :: v_dual_lshlrev_b32 v1, s1, v0",
            "may not be a scalar register",
        ),
        ("v_dual_mov_b32 v0, v1", "one half of a dual-issue pair"),
    ];
    for (text, want) in cases {
        let e = parse(text, &GFX1100).map(|i| i.to_string()).unwrap_err().to_string();
        assert!(e.contains(want), "`{text}`: {e}");
    }
    let ok = [
        "v_dual_fmamk_f32 v0, v1, 0x1234, v2 :: v_dual_add_f32 v1, v3, v6",
        "v_dual_fmaak_f32 v0, 0x1234, v2, 0x1234 :: v_dual_fmac_f32 v1, v3, v5",
        "v_dual_cndmask_b32 v0, s1, v2 :: v_dual_cndmask_b32 v1, s1, v5",
        "v_dual_mov_b32 v0, src_scc :: v_dual_add_nc_u32 v1, src_shared_base, v2",
    ];
    for text in ok {
        assert_eq!(p(text).to_string(), text);
        assert!(parse(text, &GFX1100.with_wave_size(64)).is_err(), "`{text}` in wave64");
    }
}

#[test]
fn wait_counters() {
    let w = |vm, vs, lgkm| WaitCounts { vm, vs, lgkm, exp: 0 };
    let cases = [
        ("v_add_f32_e32 v0, v1, v2", w(0, 0, 0)),
        ("global_load_b128 v[0:3], v[4:5], off", w(1, 0, 0)),
        ("global_store_b32 v[4:5], v0, off", w(0, 1, 0)),
        ("global_atomic_add_f32 v[2:3], v4, off", w(0, 1, 0)),
        ("global_atomic_add_f32 v0, v[2:3], v4, off glc", w(1, 0, 0)),
        ("flat_load_b32 v0, v[2:3]", w(1, 0, 1)),
        ("flat_store_b32 v[2:3], v0", w(0, 1, 1)),
        ("buffer_load_b32 v0, off, s[4:7], 0", w(1, 0, 0)),
        ("ds_load_b32 v0, v1", w(0, 0, 1)),
        ("ds_bpermute_b32 v0, v1, v2", w(0, 0, 1)),
        ("s_load_b32 s0, s[2:3], null", w(0, 0, 1)),
        ("s_load_b512 s[16:31], s[2:3], null", w(0, 0, 2)),
    ];
    for (text, want) in cases {
        assert_eq!(p(text).wait(), want, "{text}");
    }
}

fn refused(inst: &Inst) -> EncodeError {
    encode(inst, &GFX1100).expect_err("must be refused")
}

#[test]
fn illegal_instructions_name_the_rule() {
    let (v, s) = (Operand::v, Operand::s);
    let fma = |a, b, c| Inst::new(Vop3::v_fma_f32, [v(0), a, b, c]);
    // Scalar values: two at most, the literal counts, repeats do not.
    assert!(encode(&fma(s(1), s(1), s(2)), &GFX1100).is_ok());
    assert!(encode(&fma(Operand::Literal(0x1234_5678), s(1), v(2)), &GFX1100).is_ok());
    assert!(matches!(
        refused(&fma(s(1), s(2), s(3))),
        EncodeError::ScalarLimit { got: 3, max: 2, .. }
    ));
    assert!(matches!(
        refused(&fma(s(1), s(2), Operand::Literal(0x1234_5678))),
        EncodeError::ScalarLimit { .. }
    ));
    let shift = Inst::new(Vop3::v_lshlrev_b64, [Operand::vn(0, 2), s(0), Operand::sn(2, 2)]);
    assert!(matches!(
        refused(&shift),
        EncodeError::ScalarLimit { got: 2, max: 1, .. }
    ));
    let two = Inst::new(Sop2::s_add_u32, [s(0), Operand::Literal(1000), Operand::Literal(1001)]);
    assert!(matches!(refused(&two), EncodeError::TwoLiterals { .. }));
    let odd = Inst::new(
        Sop2::s_and_b64,
        [Operand::sn(1, 2), Operand::sn(2, 2), Operand::sn(4, 2)],
    );
    assert!(matches!(
        refused(&odd),
        EncodeError::Alignment {
            operand: 0,
            align: 2,
            ..
        }
    ));
    let src1 = Inst::new(Vop2::v_add_f32, [v(0), v(1), s(2)]);
    assert!(matches!(refused(&src1), EncodeError::OperandKind { operand: 2, .. }));
    let high = Inst::new(Vop2::v_add_f16, [v(200), v(1), v(2)]);
    assert!(matches!(refused(&high), EncodeError::High16 { operand: 0, .. }));
    assert!(encode(&high.e64(), &GFX1100).is_ok());
    let count = Inst::new(Vop2::v_add_f32, [Operand::vn(0, 2), v(1), v(2)]);
    assert!(matches!(refused(&count), EncodeError::RegCount { want: 1, got: 2, .. }));
    assert!(matches!(
        refused(&Inst::new(Vop2::v_add_f32, [v(0), v(1)])),
        EncodeError::OperandCount { want: 3, got: 2, .. }
    ));
    let far = p("global_load_b32 v0, v[2:3], off").with(|m| m.offset = 4096);
    assert!(matches!(
        refused(&far),
        EncodeError::OffsetRange {
            min: -4096,
            max: 4095,
            ..
        }
    ));
    let clamp = p("v_add_f32_e32 v0, v1, v2").with(|m| m.clamp = true);
    assert!(matches!(
        refused(&clamp),
        EncodeError::Modifier { modifier: "clamp", .. }
    ));
    let csub = p("global_atomic_csub_u32 v0, v[2:3], v4, off glc");
    assert!(csub.mods.glc);
}

#[test]
fn readers_of_scc() {
    let readers: Vec<&str> = Opcode::all()
        .filter(|op| op.row().flags.has(Flags::R_SCC))
        .map(Opcode::name)
        .collect();
    let want = [
        "s_cmov_b32",
        "s_cmov_b64",
        "s_addc_u32",
        "s_subb_u32",
        "s_cselect_b32",
        "s_cselect_b64",
        "s_cmovk_i32",
        "s_cbranch_scc0",
        "s_cbranch_scc1",
    ];
    assert_eq!(readers, want);
}

#[test]
fn rows_are_consistent() {
    let mut seen = HashSet::new();
    for op in Opcode::all() {
        let row = op.row();
        // A name both halves of dual-issue pairs have means the first half.
        match op {
            Opcode::Vopdy(_) => assert!(Opcode::from_name(row.name).is_some()),
            _ => assert_eq!(Opcode::from_name(row.name), Some(op)),
        }
        let segment = row.flags.0 & (Flags::FLAT.0 | Flags::GLOBAL.0 | Flags::SCRATCH.0);
        let vop3 = matches!(
            row.family,
            t0_backend_rdna3::isa::Family::Vop3 | t0_backend_rdna3::isa::Family::Vop3sd
        );
        let family = if vop3 { 100 } else { row.family as u32 };
        assert!(
            seen.insert((family, segment, row.code)),
            "{} shares its number",
            row.name
        );
        // Destinations come first, and nothing VALU touches lanes without EXEC unless it says so.
        let first_src = row
            .operands
            .iter()
            .position(|o| !o.is_dst())
            .unwrap_or(row.operands.len());
        let late_dst = row.operands[first_src..].iter().any(|o| o.is_dst());
        assert!(!late_dst, "{}: a destination after a source", row.name);
        if row.class.is_valu() && row.class != Class::Wmma {
            assert!(row.flags.has(Flags::R_EXEC), "{}: no EXEC", row.name);
        }
        if row.flags.has(Flags::OFFSETS2) {
            assert!(row.name.contains("2addr"));
        }
        assert!(row.operands.iter().filter(|o| o.field == Field::Lit).count() <= 1);
    }
    assert!(seen.len() > 900, "{}", seen.len());
}
