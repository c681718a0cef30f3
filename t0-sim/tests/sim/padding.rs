//! What lies between the arguments of a kernel: nobody writes it. It may be loaded and left alone, not used.

use crate::common::{load_object, pointers};
use t0_backend_rdna3::asm::assemble;
use t0_sim::driver::{Finding, PageFlags, Vm};
use t0_sim::{Launch, Simulator};

const CODE: u64 = 0x10_0000;
const ARGS: u64 = 0x20_0000;
const DATA: u64 = 0x30_0000;

/// A kernel with 32 bytes of arguments: a pointer at 0, then those of `args` (offset and size), with this body; s[2:3] is the
/// pointer, v1 = 4 * lane.
fn file(args: &[(u32, u32)], body: &str) -> Vec<u8> {
    let args: String = args
        .iter()
        .map(|(offset, size)| format!("      - {{ .offset: {offset}, .size: {size}, .value_kind: by_value }}\n"))
        .collect();
    let text = format!(
        "\t.text\n\t.globl k\n\t.p2align 8\n\t.type k,@function\nk:\n\ts_load_b64 s[2:3], s[0:1], 0x0\n\tv_and_b32 v1, 0x3ff, v0\n\tv_lshlrev_b32 v1, 2, v1\n\ts_waitcnt lgkmcnt(0)\n{body}\n\ts_endpgm\n\
         .Lend:\n\t.size k, .Lend-k\n\t.fill 64, 4, 0xbf9f0000\n\
         \t.amdhsa_kernel k\n\t.amdhsa_next_free_vgpr 32\n\t.amdhsa_next_free_sgpr 32\n\t.amdhsa_user_sgpr_kernarg_segment_ptr 1\n\
         \t.amdhsa_user_sgpr_count 13\n\t.amdhsa_wavefront_size32 1\n\t.amdhsa_kernarg_size 32\n\t.end_amdhsa_kernel\n\
         \t.amdgpu_metadata\namdhsa.version: [1, 2]\namdhsa.kernels:\n  - .name: k\n    .symbol: k.kd\n    .kernarg_segment_size: 32\n\
         \x20   .kernarg_segment_align: 8\n    .group_segment_fixed_size: 0\n    .private_segment_fixed_size: 0\n    .wavefront_size: 32\n\
         \x20   .sgpr_count: 32\n    .vgpr_count: 32\n    .max_flat_workgroup_size: 1024\n    .args:\n\
         \x20     - {{ .offset: 0, .size: 8, .value_kind: global_buffer, .name: c, .address_space: global }}\n{args}\t.end_amdgpu_metadata\n"
    );
    assemble(&text, &Default::default())
        .unwrap_or_else(|e| panic!("{e:?}\n{text}"))
        .file
}

fn run(args: &[(u32, u32)], body: &str) -> Vec<Finding> {
    let vm = Vm::new().unwrap();
    let descriptor = load_object(&vm, CODE, &file(args, body));
    pointers(&vm, ARGS, &[DATA, 0, 0, 0]);
    vm.map_fresh(DATA, 4096, PageFlags::ALL, "c").unwrap();
    let launch = Launch {
        descriptor,
        kernarg: ARGS,
        grid: [32, 1, 1],
        workgroup: [32, 1, 1],
        lds: 0,
    };
    let run = Simulator::new().with_sanitizer(true).run(&launch, &vm);
    run.unwrap_or_else(|e| panic!("{e}")).findings
}

/// A dword at byte 8 of the arguments is used.
const USES: [(&str, &str); 4] = [
    (
        "s_cmp_eq_u32 s4, 0\ns_cbranch_scc1 out\nv_mov_b32 v2, 0\nout:",
        "the condition of a branch",
    ),
    (
        "v_cmp_gt_u32 vcc_lo, s4, v1\ns_and_saveexec_b32 s5, vcc_lo",
        "the mask of active lanes",
    ),
    (
        "s_and_b32 s4, s4, 4\nv_mov_b32 v4, s4\nglobal_load_b32 v5, v4, s[2:3]\ns_waitcnt vmcnt(0)",
        "an address",
    ),
    (
        "v_mov_b32 v4, s4\nglobal_store_b32 v1, v4, s[2:3]",
        "data for global memory",
    ),
];

#[test]
fn padding_that_is_used_is_found() {
    let load = "s_load_b32 s4, s[0:1], 0x8\ns_waitcnt lgkmcnt(0)\n";
    for (use_, what) in USES {
        let found = run(&[(16, 4)], &format!("{load}{use_}"));
        let [f] = &found[..] else { panic!("{what}: {found:#?}") };
        assert_eq!(f.rule, "uninitialised");
        let place = "read from byte 8 of the kernel's arguments (padding: no argument covers it)";
        assert!(f.text.contains(what) && f.text.contains(place), "{f}");
        // An argument there, or no list of arguments.
        assert_eq!(run(&[(8, 4)], &format!("{load}{use_}")), [], "{what}");
    }
}

#[test]
fn padding_may_be_loaded() {
    // As clang does it: the whole block at once, of which the arguments are used.
    let wide = |use_: &str| format!("s_load_b256 s[8:15], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n{use_}");
    let store = |s: &str| wide(&format!("v_mov_b32 v4, {s}\nglobal_store_b32 v1, v4, s[2:3]"));
    assert_eq!(run(&[(16, 4)], &wide("")), []);
    assert_eq!(run(&[(16, 4)], &store("s12")), []);
    for s in ["s10", "s11", "s13", "s15"] {
        assert_eq!(run(&[(16, 4)], &store(s)).len(), 1, "{s}");
    }
    // An argument of one byte, and padding on both sides of another one: the mask keeps the padding away.
    let low = |s: &str, mask: &str| {
        wide(&format!(
            "s_and_b32 s4, {s}, {mask}\ns_cmp_eq_u32 s4, 0\ns_cbranch_scc1 out\nv_mov_b32 v2, 0\nout:"
        ))
    };
    let bytes = [(16, 1), (21, 2)];
    assert_eq!(run(&bytes, &low("s12", "0xff")), []);
    assert_eq!(run(&bytes, &low("s13", "0xffff00")), []);
    for (s, mask) in [("s12", "0x100"), ("s13", "0x1"), ("s13", "0x1000000")] {
        assert_eq!(run(&bytes, &low(s, mask)).len(), 1, "{s} {mask}");
    }
}
