//! What a card lets a kernel do though no correct kernel does it, branches into nothing, and findings before a fault.
#![allow(clippy::unwrap_used)]

use crate::common::*;
use t0_sim::driver::{ExecFault, ExecFaultKind, PageFlags, Vm, VmFaultKind};
use t0_sim::{Launch, Simulator};

const KERNEL: u64 = 0x10_0000;
const ARGS: u64 = 0x20_0000;
const OUT: u64 = 0x30_0000;
const RING: u64 = 0x20_1000;

/// Runs one group of 32 with 64 bytes of arguments that begin with the addresses of `out` and of the code.
fn go(kernel: &Kernel, text: &str, groups: u32) -> (Result<t0_sim::RunStats, ExecFault>, Vm) {
    let vm = Vm::new().unwrap();
    kernel.load(
        &vm,
        KERNEL,
        "kernel",
        &format!("s_load_b128 s[4:7], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n{text}\ns_endpgm"),
    );
    let args = vm
        .map_fresh(ARGS, 4096, PageFlags::ALL, "kernarg")
        .unwrap()
        .cast::<u64>();
    // SAFETY: a fresh page.
    unsafe {
        args.write(OUT);
        args.add(1).write(KERNEL + 256);
    }
    vm.map_fresh(RING, 4096, PageFlags::ALL, "ring").unwrap();
    vm.guard(RING);
    vm.map_fresh(OUT, 4096, PageFlags::ALL, "out").unwrap();
    // The descriptor counts the bytes of the arguments.
    let size = vm
        .resolve(KERNEL + 8, 4, t0_sim::driver::Access::Write)
        .unwrap()
        .as_ptr();
    // SAFETY: 4 resolved bytes, aligned.
    unsafe { size.cast::<u32>().write(64) };
    let launch = Launch {
        descriptor: KERNEL,
        kernarg: ARGS,
        grid: [32 * groups, 1, 1],
        workgroup: [32, 1, 1],
        lds: kernel.lds,
    };
    let result = Simulator::new().with_threads(3).run(&launch, &vm);
    (result, vm)
}

/// The fault of a memory access: its kind, address, lane and text.
fn refused(text: &str) -> (VmFaultKind, u64, Option<u32>, String) {
    let e = go(&Kernel::default(), text, 1).0.unwrap_err();
    let said = e.to_string();
    match e.kind {
        ExecFaultKind::Memory(m) => (m.kind, m.va, e.lane, said),
        other => panic!("{other}"),
    }
}

#[test]
fn a_store_into_the_running_code_is_found() {
    // Every form of store; lane 3 is the first that is on.
    for store in [
        "global_store_b32 v1, v2, s[6:7]",
        "global_store_b8 v1, v2, s[6:7]",
        "global_store_b128 v1, v[2:5], s[6:7]",
        "global_atomic_add_u32 v1, v2, s[6:7]",
        "global_atomic_swap_b64 v[8:9], v1, v[2:3], s[6:7] glc",
    ] {
        let text = format!("v_lshlrev_b32 v1, 3, v0\ns_movk_i32 exec_lo, 0x78\n{store}");
        let (kind, va, lane, said) = refused(&text);
        assert_eq!(
            (kind, va, lane),
            (VmFaultKind::Code, KERNEL + 256 + 24, Some(3)),
            "{store}"
        );
        assert!(
            said.contains(store) && said.contains("must not change while it runs"),
            "{said}"
        );
    }
    // All lanes in a row, the fast way.
    let (kind, va, lane, _) = refused("v_lshlrev_b32 v1, 2, v0\nglobal_store_b32 v1, v2, s[6:7]");
    assert_eq!((kind, va, lane), (VmFaultKind::Code, KERNEL + 256, Some(0)));
    // Loads are fine, and so are stores elsewhere after a refusable mapping was touched.
    let text = "v_lshlrev_b32 v1, 2, v0
        global_load_b32 v3, v1, s[6:7]
        s_waitcnt vmcnt(0)
        global_store_b32 v1, v3, s[4:5]";
    let (result, vm) = go(&Kernel::default(), text, 1);
    result.unwrap();
    assert_eq!(read(&vm, OUT, 32), read(&vm, KERNEL + 256, 32));
}

#[test]
fn a_store_into_the_arguments_or_behind_them_is_found() {
    let at = |offset: u32| {
        refused(&format!(
            "v_mov_b32 v1, 0\ns_movk_i32 exec_lo, 1\nglobal_store_b32 v1, v2, s[0:1] offset:{offset}"
        ))
    };
    let (kind, va, _, said) = at(60);
    assert_eq!((kind, va), (VmFaultKind::Kernarg, ARGS + 60));
    assert!(said.contains("store into the kernarg segment"), "{said}");
    // Behind them lies memory that may be anybody's, then a page of the runtime's own.
    let text = "v_mov_b32 v1, 0\nglobal_store_b32 v1, v2, s[0:1] offset:64";
    assert!(go(&Kernel::default(), text, 1).0.is_ok());
    let text = "v_mov_b32 v1, 0x1000\ns_movk_i32 exec_lo, 1\nglobal_store_b32 v1, v2, s[0:1]";
    let (kind, va, _, said) = refused(text);
    assert_eq!((kind, va), (VmFaultKind::Runtime, RING));
    assert!(
        said.contains("belongs to the runtime") && said.contains("`ring`"),
        "{said}"
    );
}

#[test]
fn a_branch_to_where_there_is_no_code_says_so() {
    let e = |text: &str| go(&Kernel::default(), text, 1).0.unwrap_err();
    for branch in ["s_branch 0x7000", "s_call_b64 s[8:9], 0x7000"] {
        let fault = e(branch);
        let said = fault.to_string();
        // The load takes 8 bytes, the wait 4; the target is 4 + 4 * 0x7000 behind the branch.
        let want = format!(
            "branch to {:#x} (+0x1c010 from the entry), outside the kernel's code, from `",
            KERNEL + 256 + 0x1c010
        );
        assert!(said.starts_with(&want) && said.contains("at +0xc"), "{said}");
        assert_eq!(fault.pc, Some(12));
    }
    // Backwards, to before the mapping.
    let said = e("s_branch 0x8000").to_string();
    assert!(
        said.contains(&format!(
            "branch to {:#x} (-0x1fff0 from the entry)",
            KERNEL + 256 - 0x1fff0
        )),
        "{said}"
    );
    // A branch that is not taken is nobody's business.
    let (result, _) = go(&Kernel::default(), "s_cmp_eq_u32 0, 1\ns_cbranch_scc1 0x7000", 1);
    result.unwrap();
}

#[test]
fn findings_of_a_launch_that_faults_are_kept() {
    // Every group reads outside of its LDS; group 5 and those behind it store outside of everything.
    let text = "v_mov_b32 v1, 0x100
        ds_load_b32 v2, v1
        s_waitcnt lgkmcnt(0)
        s_cmp_lt_u32 s13, 5
        s_cbranch_scc1 fine
        s_mov_b32 s5, 0x7000
        global_store_b32 v1, v2, s[4:5]
        fine:";
    let kernel = Kernel {
        lds: 64,
        ..Kernel::default()
    };
    let e = go(&kernel, text, 40).0.unwrap_err();
    assert_eq!((e.workgroup, e.findings.len()), (Some([5, 0, 0]), 1));
    let f = &e.findings[0];
    assert_eq!((f.site.workgroup, f.site.lane, f.count), ([0, 0, 0], 0, 1));
    assert!(f.to_string().contains("`ds_load_b32 v2, v1`"), "{f}");
}

#[test]
fn places_before_the_entry_have_a_sign() {
    use t0_sim::driver::Offset;
    assert_eq!(Offset(0x1c).to_string(), "+0x1c");
    assert_eq!(Offset(0_u64.wrapping_sub(0x40)).to_string(), "-0x40");
}
