//! How fast the executor is. Run with
//! `cargo test --release -p t0-sim --test sim speed -- --ignored --nocapture`.
#![allow(clippy::unwrap_used)]

use crate::common::*;
use t0_sim::driver::{PageFlags, Vm};
use t0_sim::{Launch, Simulator};

/// Time this thread has spent on a core: a busy machine does not count.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9
}

fn time(name: &str, body: &str, lds: u32) {
    let vm = Vm::new().unwrap();
    let init: String = (1..90).map(|r| format!("v_mov_b32 v{r}, 1.0\n")).collect();
    let text = format!("{init}s_movk_i32 s20, 0x2000\nv_lshlrev_b32 v90, 2, v0\ns_load_b64 s[2:3], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\nloop:\n{body}\ns_sub_u32 s20, s20, 1\ns_cmp_lg_u32 s20, 0\ns_cbranch_scc1 loop\ns_endpgm");
    Kernel {
        lds,
        ..Kernel::default()
    }
    .load(&vm, 0x10_0000, name, &text);
    let args = vm.map_fresh(0x20_0000, 64, PageFlags::ALL, "args").unwrap();
    // SAFETY: a fresh page.
    unsafe { args.cast::<u64>().write(0x30_0000) };
    vm.map_fresh(0x30_0000, 1 << 20, PageFlags::ALL, "data").unwrap();
    let launch = Launch {
        descriptor: 0x10_0000,
        kernarg: 0x20_0000,
        grid: [128, 1, 1],
        workgroup: [32, 1, 1],
        lds,
    };
    let sim = Simulator::new().with_threads(1);
    let start = cpu_seconds();
    let s = sim.run(&launch, &vm).unwrap();
    let t = cpu_seconds() - start;
    println!(
        "{name:>12}: {:7.2} M wave-instructions/s, {:6.2} M WMMA/s",
        s.instructions as f64 / t / 1e6,
        s.wmma as f64 / t / 1e6
    );
}

#[test]
#[ignore = "a measurement"]
fn speed() {
    time(
        "valu f32",
        &"v_fma_f32 v1, v2, v3, v1\nv_add_f32 v4, v5, v6\nv_mul_f32 v7, v8, v9\nv_max_f32 v10, v11, v12\n".repeat(8),
        0,
    );
    time("valu int", &"v_add_nc_u32 v1, v2, v3\nv_lshlrev_b32 v4, 3, v5\nv_and_b32 v6, 0xff, v7\nv_cndmask_b32 v8, v9, v10, vcc_lo\n".repeat(8), 0);
    time("salu", &"s_add_u32 s4, s5, s6\ns_and_b32 s7, s8, s9\n".repeat(16), 0);
    time(
        "lds",
        &"ds_store_b32 v90, v1\nds_load_b32 v2, v90\ns_waitcnt lgkmcnt(0)\n".repeat(8),
        4096,
    );
    time(
        "lds b128",
        &"ds_load_b128 v[4:7], v90\ns_waitcnt lgkmcnt(0)\n".repeat(8),
        4096,
    );
    time(
        "global",
        &"global_load_b32 v2, v90, s[2:3]\ns_waitcnt vmcnt(0)\nglobal_store_b32 v90, v2, s[2:3]\n".repeat(8),
        0,
    );
    time("transcend", &"v_exp_f32 v2, v1\nv_rcp_f32 v3, v1\n".repeat(8), 0);
    time("wmma", &"v_wmma_f32_16x16x16_bf16 v[16:23], v[0:7], v[8:15], v[16:23]\nv_wmma_f32_16x16x16_bf16 v[24:31], v[0:7], v[8:15], v[24:31]\n".repeat(8), 0);
}
