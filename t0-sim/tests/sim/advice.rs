//! What the sanitizer advises for races in code of t0: atomics where they help, a barrier where it must stand. And exchanges whose
//! old value nobody asks for, by lanes of one wave.

use crate::common::{assemble, load_object, pointers};
use t0_backend_rdna3::object::{write, KernelCode, Line, Resources};
use t0_backend_rdna3::target::GFX1100;
use t0_sim::driver::{Finding, PageFlags, Severity, Vm};
use t0_sim::{Launch, Simulator};

const CODE: u64 = 0x10_0000;
const ARGS: u64 = 0x20_0000;
const DATA: u64 = 0x30_0000;

/// s[4:5] = DATA, v1 = 4 * item, v2 = 0, v9 = 1.
const BEGIN: &str = "s_load_b64 s[4:5], s[0:1], 0x0
    v_and_b32 v1, 0x3ff, v0
    v_lshlrev_b32 v1, 2, v1
    v_mov_b32 v2, 0
    v_mov_b32 v9, 1
    s_waitcnt lgkmcnt(0)";

/// Runs a kernel that looks as if it came from Rust: groups of 64 items.
fn run(groups: u32, items: u32, body: &str) -> Vec<Finding> {
    let kernel = KernelCode {
        name: "k".into(),
        code: assemble(&format!("{BEGIN}\n{body}\ns_endpgm")),
        resources: Resources {
            vgprs: 16,
            sgprs: 32,
            kernarg_bytes: 8,
            lds_bytes: 1024,
            ..Resources::default()
        },
        args: Vec::new(),
        lds: Vec::new(),
        max_group_size: 1024,
        required_group_size: None,
        spills: [0; 2],
        lines: vec![Line {
            offset: 0,
            file: "k.rs".into(),
            line: 1,
            column: 1,
        }],
        atomics: Vec::new(),
        sources: Vec::new(),
    };
    let vm = Vm::new().unwrap();
    let descriptor = load_object(&vm, CODE, &write(&GFX1100, &[kernel]).unwrap());
    pointers(&vm, ARGS, &[DATA]);
    vm.map_fresh(DATA, 4096, PageFlags::ALL, "data").unwrap();
    let launch = Launch {
        descriptor,
        kernarg: ARGS,
        grid: [items * groups, 1, 1],
        workgroup: [items, 1, 1],
        lds: 1024,
    };
    let run = Simulator::new().with_sanitizer(true).run(&launch, &vm);
    run.unwrap_or_else(|e| panic!("{e}")).findings
}

/// Whatever is found, this is the advice.
fn advised(found: &[Finding], rule: &str, advice: &str) {
    assert!(!found.is_empty(), "{rule}: {advice}");
    for f in found {
        assert_eq!(f.rule, rule, "{f}");
        let help = f.help.as_deref().unwrap_or_default();
        assert!(help.contains(advice), "{help}\n{f}");
    }
}

#[test]
fn who_reads_and_writes_back_needs_atomics() {
    let local =
        "ds_load_b32 v3, v2\ns_waitcnt lgkmcnt(0)\nv_add_nc_u32 v3, 1, v3\nds_store_b32 v2, v3\ns_waitcnt lgkmcnt(0)";
    advised(&with_zeros(local), "lds-race", "use an atomic");
    let global =
        "global_load_b32 v3, v2, s[4:5]\ns_waitcnt vmcnt(0)\nv_add_nc_u32 v3, 1, v3\nglobal_store_b32 v2, v3, s[4:5]";
    advised(&run(1, 64, global), "global-race", "use an atomic");
    advised(&run(3, 32, global), "global-race", "use an atomic");
    // Lanes of one wave that add different values.
    let lanes = global.replace("1, v3", "v1, v3");
    advised(&run(1, 32, &lanes), "global-race", "use an atomic");
    // One writer, and others that read.
    let one = "s_mov_b32 s9, 0\nglobal_load_b32 v3, v1, s[4:5] offset:64\ns_waitcnt vmcnt(0)\nglobal_store_b32 v1, v3, s[4:5]";
    advised(&run(1, 64, one), "global-race", "put a `group::barrier()` between them");
}

/// The same after all of the LDS is 0.
fn with_zeros(body: &str) -> Vec<Finding> {
    run(
        1,
        64,
        &format!("ds_store_b32 v1, v2\ns_waitcnt lgkmcnt(0)\ns_barrier\n{body}"),
    )
}

#[test]
fn rounds_of_a_loop_need_a_barrier_at_its_end() {
    let text = |end: &str| {
        format!(
            "s_mov_b32 s9, 0\nv_xor_b32 v4, 0x80, v1\nagain:\nds_store_b32 v1, v9\ns_waitcnt lgkmcnt(0)\ns_barrier\n\
             ds_load_b32 v5, v4\ns_waitcnt lgkmcnt(0)\n{end}\ns_add_u32 s9, s9, 1\ns_cmp_lt_u32 s9, 3\ns_cbranch_scc1 again"
        )
    };
    assert_eq!(run(1, 64, &text("s_barrier")), []);
    advised(&run(1, 64, &text("")), "lds-race", "at the end of the loop's body");
    // No loop: the barrier is missing between them.
    let straight =
        "v_xor_b32 v4, 0x80, v1\nds_store_b32 v1, v9\ns_waitcnt lgkmcnt(0)\nds_load_b32 v5, v4\ns_waitcnt lgkmcnt(0)";
    advised(
        &with_zeros(straight),
        "lds-race",
        "put a `group::barrier()` between them",
    );
}

#[test]
fn lanes_that_exchange_different_values_and_do_not_ask_for_the_old_one() {
    let found = run(1, 32, "global_atomic_swap_b32 v2, v1, s[4:5]");
    let [f] = &found[..] else { panic!("{found:#?}") };
    assert_eq!((f.rule, f.severity), ("global-race", Severity::Warning), "{f}");
    assert!(
        f.text
            .starts_with("lanes 0 and 1 of one wave exchange different values"),
        "{f}"
    );
    for silent in [
        // The old value is asked for: each lane gets the one before.
        "global_atomic_swap_b32 v3, v2, v1, s[4:5] glc\ns_waitcnt vmcnt(0)",
        // The same value, a place for each lane, and sums.
        "global_atomic_swap_b32 v2, v9, s[4:5]",
        "global_atomic_swap_b32 v1, v1, s[4:5]",
        "global_atomic_add_u32 v2, v1, s[4:5]",
        // One after the other.
        "global_atomic_swap_b32 v2, v9, s[4:5]\nglobal_atomic_swap_b32 v2, v2, s[4:5]",
    ] {
        assert_eq!(run(1, 32, silent), [], "{silent}");
    }
}
