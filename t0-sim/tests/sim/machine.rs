//! Machine state: hardware registers, messages, traps, apertures, relative moves, scalar floating point.
#![allow(clippy::unwrap_used)]

use crate::common::*;
use t0_backend_rdna3::target::{Target, GFX1100, GFX1150};
use t0_sim::Simulator;

#[test]
fn hardware_registers_have_their_documented_fields() {
    let mut m = Machine::new();
    m.lds = vec![0; 1024];
    m.run(
        "s_getreg_b32 s0, hwreg(HW_REG_SH_MEM_BASES)
        s_getreg_b32 s1, hwreg(HW_REG_GPR_ALLOC, 12, 8)
        s_getreg_b32 s2, hwreg(HW_REG_LDS_ALLOC, 12, 9)
        s_getreg_b32 s3, hwreg(HW_REG_FLAT_SCR_LO)
        s_getreg_b32 s4, hwreg(HW_REG_TRAPSTS)
        s_getreg_b32 s5, hwreg(HW_REG_HW_ID1, 29, 3)
        s_getreg_b32 s6, hwreg(HW_REG_HW_ID2, 8, 2)
        s_getreg_b32 s7, hwreg(HW_REG_SHADER_CYCLES)
        s_getreg_b32 s8, hwreg(HW_REG_SHADER_CYCLES)",
    )
    .unwrap();
    assert_eq!(m.s(0), 0x0001_0002);
    // 96 VGPRs in blocks of 8, less one; 1024 bytes in blocks of 512.
    assert_eq!((m.s(1), m.s(2)), (11, 2));
    assert_eq!((m.s(3), m.s(4), m.s(5), m.s(6)), (0, 0, 1, 1));
    assert!(m.s(8) > m.s(7));
}

#[test]
fn status_tells_of_scc_exec_and_vcc() {
    let mut m = Machine::new();
    m.set_s(106, 0).set_s(107, 5);
    m.run("s_cmp_eq_u32 0, 0\ns_getreg_b32 s0, hwreg(HW_REG_STATUS)\ns_mov_b32 exec_lo, 0\ns_mov_b32 vcc_lo, 1\ns_getreg_b32 s1, hwreg(HW_REG_STATUS)")
        .unwrap();
    let fields = |v: u32| (v & 1, v >> 9 & 1, v >> 10 & 1, v >> 16 & 1);
    assert_eq!(fields(m.s(0)), (1, 0, 1, 1));
    assert_eq!(fields(m.s(1)), (1, 1, 0, 1));
}

#[test]
fn only_mode_and_trapsts_can_be_written() {
    let mut m = Machine::new();
    m.run(
        "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0x3
        s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 0, 3), 0x5
        s_setreg_imm32_b32 hwreg(HW_REG_HW_ID2, 0, 32), 0
        s_setreg_imm32_b32 hwreg(HW_REG_STATUS, 0, 1), 0
        s_getreg_b32 s0, hwreg(HW_REG_MODE, 0, 10)
        s_getreg_b32 s1, hwreg(HW_REG_TRAPSTS)
        s_getreg_b32 s2, hwreg(HW_REG_HW_ID2)",
    )
    .unwrap();
    assert_eq!((m.s(0), m.s(1)), ((MODE & !0xf) | 3, 5));
    assert_ne!(m.s(2), 0);
    let e = m.run("s_getreg_b32 s0, hwreg(60)").unwrap_err().to_string();
    assert!(e.contains("hardware register 60"), "{e}");
}

#[test]
fn messages_answer_after_their_wait() {
    let mut m = Machine::new();
    m.wave.dispatch_id = 0x7_0000_0003;
    m.run(
        "s_sendmsg_rtn_b64 s[0:1], sendmsg(MSG_RTN_GET_DDID)
        s_sendmsg_rtn_b32 s2, sendmsg(MSG_RTN_GET_DOORBELL)
        s_sendmsg_rtn_b64 s[4:5], sendmsg(MSG_RTN_GET_TBA)
        s_sendmsg_rtn_b64 s[6:7], sendmsg(MSG_RTN_GET_REALTIME)
        s_sendmsg sendmsg(MSG_INTERRUPT)
        s_waitcnt lgkmcnt(0)
        s_add_u32 s3, s0, s2",
    )
    .unwrap();
    assert_eq!(
        (m.wave.s64(0), m.s(2), m.wave.s64(4), m.wave.s64(6)),
        (0x7_0000_0003, 0x0bad, 0, 0)
    );
    let e = Machine::new()
        .run("s_sendmsg_rtn_b32 s2, sendmsg(MSG_RTN_GET_DOORBELL)\ns_mov_b32 s3, s2")
        .unwrap_err()
        .to_string();
    assert!(e.contains("lgkmcnt"), "{e}");
    // The 100 MHz clock goes on with the instructions executed.
    let mut m = Machine::new();
    m.run("s_movk_i32 s8, 2000\nloop:\ns_sub_u32 s8, s8, 1\ns_cmp_lg_u32 s8, 0\ns_cbranch_scc1 loop\ns_sendmsg_rtn_b64 s[6:7], sendmsg(MSG_RTN_GET_REALTIME)\ns_waitcnt lgkmcnt(0)")
        .unwrap();
    assert_eq!(m.wave.s64(6), 6002 / 25);
}

#[test]
fn traps_name_their_number() {
    for id in [2, 3] {
        let e = Machine::new().run(&format!("s_trap {id}")).unwrap_err().to_string();
        assert!(e.contains("trap") && e.contains(&id.to_string()), "{e}");
    }
}

#[test]
fn apertures_can_be_read_as_operands() {
    let mut m = Machine::new();
    m.run(
        "s_mov_b64 s[0:1], src_shared_base
        s_mov_b64 s[2:3], src_shared_limit
        s_mov_b64 s[4:5], src_private_base
        s_mov_b64 s[6:7], src_private_limit
        v_cmp_eq_u64 vcc_lo, src_shared_base, v[0:1]",
    )
    .unwrap();
    let got = [0, 2, 4, 6].map(|r| m.wave.s64(r));
    assert_eq!(
        got,
        [1 << 48, (1 << 48) + 0xffff_ffff, 2 << 48, (2 << 48) + 0xffff_ffff]
    );
}

#[test]
fn scalar_registers_can_be_selected_by_m0() {
    let mut m = Machine::new();
    for r in 0..16 {
        m.set_s(r, 100 + r as u32);
    }
    m.run(
        "s_mov_b32 m0, 5
        s_movrels_b32 s20, s3
        s_movreld_b32 s24, s1
        s_mov_b32 m0, 0x00020004
        s_movrelsd_2_b32 s30, s2
        s_mov_b32 m0, 3
        s_movrels_b64 s[34:35], s[4:5]
        s_movreld_b64 s[40:41], s[8:9]",
    )
    .unwrap();
    assert_eq!((m.s(20), m.s(29), m.s(32)), (108, 101, 106));
    // The index of a pair loses its lowest bit.
    assert_eq!((m.wave.s64(34), m.wave.s64(42)), (106 | 107 << 32, 108 | 109 << 32));
    let e = m
        .run("s_mov_b32 m0, 200\ns_movrels_b32 s20, s3")
        .unwrap_err()
        .to_string();
    assert!(e.contains("M0") && e.contains("s203"), "{e}");
}

#[test]
fn vector_registers_can_be_selected_by_m0() {
    let mut m = Machine::new();
    for r in 0..16 {
        m.set_v(r, std::array::from_fn(|l| (100 * r + l) as u32));
    }
    m.wave.set_s(126, 0xffff_fffe);
    m.run(
        "s_mov_b32 m0, 5
        v_movrels_b32 v20, v3
        v_movreld_b32 v24, v1
        v_movrelsd_b32 v30, v2
        s_mov_b32 m0, 0x00020004
        v_movrelsd_2_b32 v40, v2
        v_swaprel_b32 v8, v6",
    )
    .unwrap();
    let lane = |r: usize| m.v(r)[7];
    assert_eq!((lane(20), lane(29), lane(35), lane(42)), (807, 107, 707, 607));
    // v8 + 2 and v6 + 4 are one register.
    assert_eq!(lane(10), 1007);
    assert_eq!(m.v(20)[0], t0_sim::wave::POISON);
    let e = m
        .run("s_movk_i32 m0, 90\nv_movrels_b32 v20, v8")
        .unwrap_err()
        .to_string();
    assert!(e.contains("v98") && e.contains("96 VGPRs"), "{e}");
}

fn run_on(target: Target, m: &mut Machine, text: &str) -> Result<(), t0_sim::driver::ExecFault> {
    let code = assemble_for(&format!("{text}\ns_endpgm"), &GFX1150);
    Simulator::new()
        .with_target(target)
        .run_wave(&code, &mut m.wave, Vec::new(), &m.vm)
        .map(drop)
}

#[test]
fn scalar_floats_follow_mode_and_exist_on_gfx115x_only() {
    let mut m = Machine::new();
    let f = f32::to_bits;
    m.set_s(0, f(1.5))
        .set_s(1, f(-2.25))
        .set_s(2, f(10.0))
        .set_s(3, 0x4200_3c00);
    let text = "s_add_f32 s10, s0, s1
        s_fmac_f32 s2, s0, s1
        s_fmamk_f32 s11, s0, 0x40400000, s1
        s_max_f32 s12, s0, s1
        s_cvt_i32_f32 s13, s1
        s_cvt_f32_u32 s14, 7
        s_cvt_f16_f32 s15, s1
        s_cvt_hi_f32_f16 s16, s3
        s_rndne_f32 s17, s1
        s_mul_f16 s18, s3, s3
        s_cvt_pk_rtz_f16_f32 s19, s0, s1
        s_cmp_lt_f32 s1, s0
        s_cselect_b32 s20, 1, 0
        s_cmp_nge_f16 s3, s3
        s_cselect_b32 s21, 1, 0";
    run_on(GFX1150, &mut m, text).unwrap();
    assert_eq!([10, 2, 11].map(|r| f32::from_bits(m.s(r))), [-0.75, 10.0 - 3.375, 2.25]);
    assert_eq!((m.s(12), m.s(13) as i32, m.s(14)), (f(1.5), -2, f(7.0)));
    assert_eq!((m.s(15), m.s(16), m.s(17)), (0xc080, f(3.0), f(-2.0)));
    assert_eq!((m.s(18), m.s(19)), (0x3c00, 0xc080_3e00));
    assert_eq!((m.s(20), m.s(21)), (1, 0));
    // Toward plus infinity.
    m = Machine::new();
    m.wave.set_mode(MODE | 1);
    m.set_s(0, f(1.0)).set_s(1, f(1e-20));
    run_on(GFX1150, &mut m, "s_add_f32 s2, s0, s1").unwrap();
    assert_eq!(m.s(2), f(1.0) + 1);
    let e = run_on(GFX1100, &mut Machine::new(), "s_add_f32 s2, s0, s1")
        .unwrap_err()
        .to_string();
    assert!(e.contains("illegal instruction"), "{e}");
}

#[test]
fn only_gfx110x_needs_a_wait_after_transcendentals() {
    let text = "v_exp_f32 v1, v0\nv_add_f32 v2, v1, v1";
    run_on(GFX1150, &mut Machine::new(), text).unwrap();
    let e = run_on(GFX1100, &mut Machine::new(), text).unwrap_err().to_string();
    assert!(e.contains("valu-trans-use"), "{e}");
}
