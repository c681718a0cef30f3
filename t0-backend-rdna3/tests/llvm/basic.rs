//! First contact with the instruction table: a few encodings checked by hand against llvm-mc 19.

use t0_backend_rdna3::isa::{decode, encode, parse, Inst, Operand, Sop2, Sopp, Vop2, Vop3p};
use t0_backend_rdna3::target::GFX1100;

fn check(inst: Inst, bytes: &[u8], text: &str) {
    assert_eq!(encode(&inst, &GFX1100).unwrap(), bytes, "{text}");
    assert_eq!(inst.to_string(), text);
    assert_eq!(decode(bytes, &GFX1100).unwrap(), (inst, bytes.len()), "{text}");
}

#[test]
fn encodings_from_llvm() {
    check(
        Inst::new(Vop2::v_add_f32, [Operand::v(0), Operand::f32(1.0), Operand::v(1)]),
        &[0xf2, 0x02, 0x00, 0x06],
        "v_add_f32_e32 v0, 1.0, v1",
    );
    check(
        Inst::new(
            Vop3p::v_wmma_f32_16x16x16_f16,
            [
                Operand::vn(0, 8),
                Operand::vn(8, 8),
                Operand::vn(16, 8),
                Operand::f32(1.0),
            ],
        ),
        &[0x00, 0x40, 0x40, 0xcc, 0x08, 0x21, 0xca, 0x1b],
        "v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], 1.0",
    );
    check(
        Inst::new(
            Sop2::s_and_b64,
            [Operand::sn(0, 2), Operand::Literal(0x1234_5678), Operand::sn(2, 2)],
        ),
        &[0xff, 0x02, 0x80, 0x8b, 0x78, 0x56, 0x34, 0x12],
        "s_and_b64 s[0:1], 0x12345678, s[2:3]",
    );
    check(
        Inst::new(Sopp::s_waitcnt, [Operand::Imm(0x03f7)]),
        &[0xf7, 0x03, 0x89, 0xbf],
        "s_waitcnt vmcnt(0)",
    );
}

/// Literals equal to an inline constant print as that constant where the operand's type has one.
#[test]
fn literals_print_by_type() {
    let c: &[(&[u32], &str)] = &[
        (&[0x640002ff, 0xffff], "v_add_f16_e32 v0, -1, v1"),
        (&[0x7c7202ff, 0xfff0], "v_cmp_lt_u16_e32 vcc_lo, 0xfff0, v1"),
        (&[0x7c7202ff, 0x41], "v_cmp_lt_u16_e32 vcc_lo, 0x41, v1"),
        (&[0x7c7202ff, 0x40], "v_cmp_lt_u16_e32 vcc_lo, 64, v1"),
        (&[0xbe8001ff, 0x3f800000], "s_mov_b64 s[0:1], 0x3f800000"),
        (&[0xd7270000, 0x000202ff, 0x3ff00000], "v_add_f64 v[0:1], 1.0, v[1:2]"),
        (&[0xd7270000, 0x000202ff, 0x40], "v_add_f64 v[0:1], 0x40, v[1:2]"),
        (&[0xd7270000, 0x000202ff, 0], "v_add_f64 v[0:1], 0, v[1:2]"),
        (&[0xcc0f4008, 0x1801ff01, 0x3c00], "v_pk_add_f16 v8, v1, 1.0"),
        (&[0xcc0f4008, 0x1801ff01, 0xffffffff], "v_pk_add_f16 v8, v1, -1"),
        (&[0xcc0f4008, 0x1801ff01, 0x3f800000], "v_pk_add_f16 v8, v1, 0x3f800000"),
        (&[0xcc0a4008, 0x1801ff01, 0x3f800000], "v_pk_add_u16 v8, v1, 1.0"),
        (&[0xcc1a4000, 0x1c01ff01, 0x3f80], "v_dot2_f32_bf16 v0, v1, 1.0, v0"),
    ];
    for (w, t) in c {
        let b: Vec<u8> = w.iter().flat_map(|d| d.to_le_bytes()).collect();
        assert_eq!(decode(&b, &GFX1100).unwrap().0.to_string(), *t);
    }
}

/// What other compilers write where the card does not care: Triton 3.9 (LLVM 22) puts the inline constant 0 into unused
/// source fields, clang 19 sign-extends literals of 16-bit integers. Texts are theirs.
#[test]
fn unused_sources_and_wide_literals_of_other_compilers() {
    let c: &[(&[u32], &str)] = &[
        (&[0xd73c0000, 0x02020482], "v_lshlrev_b64 v[0:1], 2, v[2:3]"),
        (&[0xd7000203, 0x02020004], "v_add_co_u32 v3, s2, s4, v0"),
        (&[0xd4440002, 0x02020403], "v_cmp_gt_i32_e64 s2, s3, v2"),
        (&[0xd76100dc, 0x02010002], "v_writelane_b32 v220, s2, 0"),
        (&[0xd7600005, 0x020101fd], "v_readlane_b32 s5, v253, 0"),
        (&[0xd703000c, 0x0001ff0e, 0xfffff000], "v_add_nc_u16 v12, v14, 0xf000"),
    ];
    let bytes = |w: &[u32]| -> Vec<u8> { w.iter().flat_map(|d| d.to_le_bytes()).collect() };
    for (w, t) in c {
        assert_eq!(decode(&bytes(w), &GFX1100).unwrap().0.to_string(), *t);
    }
    // Any other value there, or a literal that is no 16-bit number, is no known encoding.
    for w in [
        &[0xd73c0000, 0x02060482][..],
        &[0xd703000c, 0x0001ff0e, 0xffff7000],
        &[0xd703000c, 0x0001ff0e, 0x0001f000],
    ] {
        assert!(decode(&bytes(w), &GFX1100).is_err(), "{w:x?}");
    }
}

/// 16-bit halves of registers (RDNA3 manual 7.4), as Triton 3.9 writes them: bit 7 of the register field in the 32-bit
/// encodings, op_sel in VOP3. Texts of high halves are LLVM 22's; LLVM 19 writes low halves as whole registers.
#[test]
fn halves_of_registers() {
    let c: &[(&[u32], &str)] = &[
        (&[0x7f0a3905], "v_mov_b16_e32 v5.h, v5.l"),
        (&[0xd59c40b6, 0x00000145], "v_mov_b16_e64 v182.h, v69.l"),
        (&[0x7f00151d], "v_cvt_f16_f32_e32 v0.h, v29"),
        (&[0x7e16178b], "v_cvt_f32_f16_e32 v11, v11.h"),
        (&[0x65060781], "v_add_f16_e32 v3.h, v1.h, v3"),
    ];
    for (w, t) in c {
        let bytes: Vec<u8> = w.iter().flat_map(|d| d.to_le_bytes()).collect();
        let inst = decode(&bytes, &GFX1100).unwrap().0;
        assert_eq!(inst.to_string(), *t);
        assert_eq!(encode(&inst, &GFX1100).unwrap(), bytes, "{t}");
        assert_eq!(parse(t, &GFX1100).unwrap(), inst, "{t}");
    }
    for text in [
        "v_lshlrev_b16 v33.h, 8, v63",
        "v_cvt_f16_u16_e64 v70.h, v30.h clamp div:2",
    ] {
        let inst = parse(text, &GFX1100).unwrap();
        let bytes = encode(&inst, &GFX1100).unwrap();
        assert_eq!(decode(&bytes, &GFX1100).unwrap().0, inst);
        assert_eq!(inst.to_string(), text);
    }
}
