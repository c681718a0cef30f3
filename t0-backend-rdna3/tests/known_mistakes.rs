//! Mistakes other code generators for this card have made, each with the right value. Bytes: llvm-mc 19; register and
//! descriptor facts: LLVM 19's AMDGPU backend and the RDNA3 ISA manual.
#![allow(clippy::unwrap_used)]

use t0_backend_rdna3::isa::{encode, parse, Inst, Operand, Reg, Vop3};
use t0_backend_rdna3::object::descriptor::{Denorm, Round};
use t0_backend_rdna3::object::{KernelDescriptor, Resources};
use t0_backend_rdna3::target::GFX1100;

fn bytes(text: &str) -> String {
    let inst = parse(text, &GFX1100).unwrap_or_else(|e| panic!("`{text}`: {e}"));
    encode(&inst, &GFX1100)
        .unwrap()
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect()
}

fn refusal(text: &str) -> String {
    match parse(text, &GFX1100) {
        Ok(inst) => panic!("`{text}` was read as `{inst}`"),
        Err(e) => e.to_string(),
    }
}

fn names(regs: Vec<Reg>) -> Vec<String> {
    regs.iter().map(Reg::to_string).collect()
}

/// The byte permutation that packs bf16 pairs and transposes tiles.
#[test]
fn v_perm_b32() {
    // The selector is a literal dword of its own; left out, the next instruction would be eaten.
    assert_eq!(bytes("v_perm_b32 v1, v2, v3, 0x7060302"), "010044d60207fe0302030607");
    let perm = |selector| {
        Inst::new(
            Vop3::v_perm_b32,
            [Operand::v(1), Operand::v(2), Operand::v(3), selector],
        )
    };
    assert_eq!(perm(Operand::Literal(0x0706_0302)).size(), 12);
    // A selector held in an SGPR saves it.
    assert_eq!(bytes("v_perm_b32 v1, v2, v3, s4"), "010044d602071200");
    assert_eq!(perm(Operand::s(4)).size(), 8);
    // The first source is src0, bits 40:32; swapping the sources swaps the halves of the result.
    assert_eq!(bytes("v_perm_b32 v1, v3, v2, 0x7060302"), "010044d60305fe0302030607");
    // Its opcode on gfx11 is not that of gfx10 (0xd744).
    assert_eq!(&bytes("v_perm_b32 v0, v0, v0, v0")[4..8], "44d6");
}

/// Distances of lane exchanges: the xor mask of `ds_swizzle_b32` sits in bits 14:10, and bit 15 would select quads.
#[test]
fn lane_exchange_distances() {
    for (n, want) in [(1, "1f04"), (2, "1f08"), (4, "1f10"), (8, "1f20"), (16, "1f40")] {
        let text = format!("ds_swizzle_b32 v0, v1 offset:swizzle(SWAP,{n})");
        assert_eq!(bytes(&text), format!("{want}d4d801000000"), "{text}");
        let raw = format!("ds_swizzle_b32 v0, v1 offset:{}", n << 10 | 0x1f);
        assert_eq!(bytes(&raw), bytes(&text));
    }
    // Crossing the halves of 16 lanes is another instruction than permuting inside them.
    assert_eq!(bytes("v_permlane16_b32 v0, v1, s2, s3"), "00005bd601050c00");
    assert_eq!(bytes("v_permlanex16_b32 v0, v1, s2, s3"), "00005cd601050c00");
    // DPP reaches 16 lanes only.
    assert_eq!(bytes("v_mov_b32_dpp v0, v1 row_xmask:8"), "fa02007e016801ff");
    assert!(refusal("v_mov_b32_dpp v0, v1 row_xmask:16").contains("out of range"));
}

#[test]
fn encodings_of_gfx11() {
    let cases = [
        // 0xbf800000 is no end of a program.
        ("s_endpgm", "0000b0bf"),
        ("s_nop 0", "000080bf"),
        // Numbers of gfx10 mean other instructions.
        ("global_load_u16 v0, v[2:3], off", "00004adc02007c00"),
        // Selectors: integers count up from 128, negatives from 193, floats from 240.
        ("v_mov_b32 v0, 64", "c002007e"),
        ("v_mov_b32 v0, -16", "d002007e"),
        ("v_mov_b32 v0, 0.5", "f002007e"),
        ("v_mov_b32 v0, 4.0", "f602007e"),
        ("v_mov_b32 v0, 65", "ff02007e41000000"),
        // Constants of compares stand in source 0 of the short form; the order of the text is the order of the comparison.
        ("v_cmp_gt_f32 vcc_lo, 1.0, v0", "f200287c"),
        ("v_cmp_gt_f32 vcc_lo, v0, 1.0", "6a0014d400e50100"),
        // Signed 13-bit offsets of global accesses.
        ("global_load_b128 v[0:3], v[4:5], off offset:-4096", "00105edc04007c00"),
        ("global_load_b128 v[0:3], v[4:5], off offset:4095", "ff0f5edc04007c00"),
        (
            "buffer_load_b128 v[0:3], v4, s[8:11], 0 offen offset:4095",
            "ff0f5ce004004280",
        ),
        ("s_getreg_b32 s0, hwreg(HW_REG_SHADER_CYCLES)", "1df880b8"),
        ("s_waitcnt_vscnt null, 0x0", "00007cbc"),
        // Matrix operands may start at any register.
        (
            "v_wmma_f32_16x16x16_bf16 v[1:8], v[9:16], v[17:24], v[1:8]",
            "014041cc0923061c",
        ),
    ];
    for (text, want) in cases {
        assert_eq!(bytes(text), want, "{text}");
    }
}

#[test]
fn refused_with_a_reason() {
    let cases = [
        ("s_load_b64 s[0:1], s[3:4], null", "multiple of 2"),
        ("buffer_load_b128 v[0:3], v4, s[6:9], 0 offen", "multiple of 4"),
        (
            "global_load_b128 v[0:3], v[4:5], off offset:4096",
            "out of range -4096..=4095",
        ),
        (
            "buffer_load_b128 v[0:3], v4, s[8:11], 0 offen offset:4096",
            "out of range 0..=4095",
        ),
        ("ds_load_b32 v0, v1 offset:65536", "out of range 0..=65535"),
        // gfx11 has no conversion to bf16.
        ("v_cvt_pk_bf16_f32 v0, v1, v2", "unknown instruction"),
        (
            "v_wmma_f32_16x16x16_bf16 v[1:8], v[9:16], v[17:24], v[1:9]",
            "needs 8 registers",
        ),
        (
            "s_add_f32 s0, s1, s2",
            "s_add_f32 is not on gfx1100; it exists on gfx1150",
        ),
    ];
    for (text, want) in cases {
        let e = refusal(text);
        assert!(e.contains(want), "`{text}`: {e}");
    }
}

/// Carries and conditions: who reads and who writes them.
#[test]
fn carries_and_conditions() {
    let sets = |text: &str| {
        let i = parse(text, &GFX1100).unwrap();
        (names(i.reads(32)), names(i.writes(32)))
    };
    // An addition with carry-out does not read the old carry: nothing has to be cleared before it.
    let (reads, writes) = sets("v_add_co_u32 v0, vcc_lo, v1, v2");
    assert!(!reads.contains(&"vcc_lo".to_string()));
    assert_eq!(writes, ["v0", "vcc_lo"]);
    let (reads, _) = sets("v_add_co_ci_u32 v0, vcc_lo, v1, v2, vcc_lo");
    assert!(reads.contains(&"vcc_lo".to_string()));
    // A scalar compare leaves its result in SCC and nowhere else.
    assert_eq!(sets("s_cmp_lt_i32 s0, s1").1, ["scc"]);
}

/// Kernel descriptors: offsets and fields by LLVM's `AMDHSAKernelDescriptor.h`.
#[test]
fn descriptor_fields() {
    let of = |r: Resources| KernelDescriptor::new(&r, &GFX1100).unwrap().encode();
    let word = |d: &[u8], at: usize| u32::from_le_bytes([d[at], d[at + 1], d[at + 2], d[at + 3]]);
    let base = || Resources {
        vgprs: 239,
        kernarg_bytes: 8,
        work_item_dims: 3,
        lds_bytes: 65536,
        ..Resources::default()
    };
    let d = of(base());
    let (rsrc1, rsrc2, properties) = (word(&d, 0x30), word(&d, 0x34), word(&d, 0x38) & 0xffff);
    // Blocks of 8 VGPRs, minus one; 256 registers do not wrap to none.
    assert_eq!(rsrc1 & 0x3f, 29);
    assert_eq!(word(&of(Resources { vgprs: 256, ..base() }), 0x30) & 0x3f, 31);
    // Rounding to nearest even is 0 (3 is towards zero), denormals are kept with 3.
    assert_eq!((rsrc1 >> 12 & 15, rsrc1 >> 16 & 15), (0, 15));
    assert_eq!(
        (Round::NearestEven as u32, Round::Zero as u32, Denorm::Keep as u32),
        (0, 3, 3)
    );
    // Clamping and IEEE mode, then WGP mode (LLVM's default) and ordered memory.
    assert_eq!(
        (rsrc1 >> 21 & 1, rsrc1 >> 23 & 1, rsrc1 >> 29 & 1, rsrc1 >> 30 & 1),
        (1, 1, 1, 1)
    );
    let cu = word(
        &of(Resources {
            wgp_mode: false,
            ..base()
        }),
        0x30,
    );
    assert_eq!(cu >> 29 & 3, 2);
    // The SGPR field is unused on gfx10 and later.
    assert_eq!(rsrc1 >> 6 & 15, 0);
    // LDS is named in bytes at the start; the field of the second register word stays empty.
    assert_eq!((word(&d, 0), rsrc2 >> 15 & 0x1ff), (65536, 0));
    // Work-item ids are asked for in the second register word, not in the code properties.
    assert_eq!((rsrc2 >> 11 & 3, rsrc2 >> 7 & 7), (2, 7));
    // Kernel arguments are bit 3, wave32 is bit 10 of the code properties.
    assert_eq!(properties, 0x408);
    assert_eq!(
        word(
            &of(Resources {
                wave_size: 64,
                ..base()
            }),
            0x38
        ) & 0xffff,
        0x8
    );
}
