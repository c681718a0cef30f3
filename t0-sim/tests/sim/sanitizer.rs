//! What the sanitizer finds in single accesses: exact sizes, names, and traps that depend on values.

use crate::common::*;
use t0_sim::driver::{ExecFault, Finding, FindingKind, PageFlags, Severity, Vm};
use t0_sim::{Launch, RunStats, Simulator};

const KERNEL: u64 = 0x10_0000;
const ARGS: u64 = 0x20_0000;
const DATA: u64 = 0x30_0000;

/// Runs the lines on one wave with s[4:5] = DATA, of which 1000 bytes are `c`, and v1 = 4 * lane.
fn run(flags: PageFlags, private: u32, text: &str) -> Result<RunStats, ExecFault> {
    let vm = Vm::new().unwrap();
    let begin = "s_load_b64 s[4:5], s[0:1], 0x0\nv_and_b32 v1, 0x3ff, v0\nv_lshlrev_b32 v1, 2, v1\nv_mov_b32 v2, 0\ns_waitcnt lgkmcnt(0)";
    let kernel = Kernel {
        private,
        lds: 256,
        ..Kernel::default()
    };
    kernel.load(&vm, KERNEL, "single", &format!("{begin}\n{text}\ns_endpgm"));
    pointers(&vm, ARGS, &[DATA]);
    vm.map_fresh(DATA, 1000, flags, "c").unwrap();
    vm.map_fresh(0x38_0000, 100, PageFlags::ALL, "gone").unwrap();
    vm.unmap(0x38_0000);
    vm.forget(0x38_0000);
    let launch = Launch {
        descriptor: KERNEL,
        kernarg: ARGS,
        grid: [32, 1, 1],
        workgroup: [32, 1, 1],
        lds: 256,
    };
    let off = Simulator::new().run(&launch, &vm);
    if let Ok(s) = off {
        assert!(
            s.findings.iter().all(|f| f.rule == "lds-out-of-bounds"),
            "{:?}",
            s.findings
        );
    }
    Simulator::new().with_sanitizer(true).run(&launch, &vm)
}

fn only(text: &str) -> Finding {
    let s = run(PageFlags::ALL, 0, text).unwrap();
    let [f] = &s.findings[..] else {
        panic!("{:#?}", s.findings)
    };
    f.clone()
}

#[test]
fn accesses_outside_of_the_size_asked_for() {
    // 1000 bytes are 250 dwords; the page has 1024.
    let f = only("global_store_b32 v1, v2, s[4:5] offset:896");
    assert_eq!((f.rule, f.severity), ("out-of-bounds", Severity::Error));
    assert_eq!((f.site.lane, f.count), (26, 6));
    assert_eq!(f.text, "store of 4 bytes 4 bytes past the end of `c` (1000 bytes)");
    let f = only("global_load_b128 v[4:7], v1, s[4:5] offset:872");
    assert_eq!((f.site.lane, f.count), (29, 3));
    assert_eq!(f.text, "load of 16 bytes 4 bytes past the end of `c` (1000 bytes)");
    let f = only("s_load_b64 s[8:9], s[4:5], 0x3e4\ns_waitcnt lgkmcnt(0)");
    assert_eq!(f.text, "load of 8 bytes 4 bytes past the end of `c` (1000 bytes)");
    let f = only("global_atomic_add_u32 v1, v2, s[4:5] offset:900");
    assert!(f.text.starts_with("atomic of 4 bytes 4 bytes past"), "{f}");
    let f = only("global_load_u8 v4, v2, s[4:5] offset:1000");
    assert!(f.text.starts_with("load of 1 byte 1 byte past the end"), "{f}");
}

#[test]
fn what_is_inside_is_silent() {
    let text = "global_store_b32 v1, v2, s[4:5] offset:872
        global_load_b128 v[4:7], v1, s[4:5] offset:860
        global_load_b32 v8, v1, s[4:5] offset:1
        s_waitcnt vmcnt(0)";
    assert!(run(PageFlags::ALL, 0, text).unwrap().findings.is_empty());
}

#[test]
fn a_buffers_range_check_is_counted_and_no_alarm() {
    let text =
        "s_mov_b32 s6, 64\ns_mov_b32 s7, 0x30000000\nbuffer_load_b32 v4, v1, s[4:7], 0 offen\ns_waitcnt vmcnt(0)";
    let s = run(PageFlags::ALL, 0, text).unwrap();
    assert!(s.findings.is_empty(), "{:#?}", s.findings);
    assert_eq!(s.out_of_range, 16);
    // A descriptor that reaches too far is none of the range check's business.
    let f = only("s_movk_i32 s6, 1024\ns_mov_b32 s7, 0x30000000\nbuffer_load_b32 v4, v1, s[4:7], 0 offen offset:896\ns_waitcnt vmcnt(0)");
    assert_eq!((f.rule, f.site.lane), ("out-of-bounds", 26));
}

#[test]
fn float_atomics_need_coarse_memory() {
    let host = PageFlags {
        vram: false,
        ..PageFlags::ALL
    };
    let uncached = PageFlags {
        uncached: true,
        ..PageFlags::ALL
    };
    let text = "global_atomic_add_f32 v1, v2, s[4:5]";
    for flags in [host, uncached] {
        let s = run(flags, 0, text).unwrap();
        assert_eq!(s.findings[0].rule, "float-atomic-fine-grained");
        assert_eq!(s.findings[0].count, 32);
        let integer = run(flags, 0, "global_atomic_add_u32 v1, v2, s[4:5]").unwrap();
        assert!(integer.findings.is_empty());
    }
    assert!(run(PageFlags::ALL, 0, text).unwrap().findings.is_empty());
}

#[test]
fn flat_offsets_do_not_choose_the_aperture() {
    // src_shared_base is 1 << 48; eight bytes below it is no LDS address, whatever the offset.
    let text =
        "v_mov_b32 v4, -8\nv_mov_b32 v5, 0xffff\nflat_load_b32 v6, v[4:5] offset:8\ns_waitcnt vmcnt(0) lgkmcnt(0)";
    let e = run(PageFlags::ALL, 0, text).unwrap_err();
    assert_eq!(e.findings[0].rule, "flat-offset");
    let fine =
        "v_mov_b32 v4, 0\nv_mov_b32 v5, 0x10000\nflat_store_b32 v[4:5], v5 offset:8\ns_waitcnt vmcnt(0) lgkmcnt(0)";
    assert!(run(PageFlags::ALL, 0, fine).unwrap().findings.is_empty());
}

#[test]
fn scratch_addresses_start_at_zero() {
    let text = "v_mov_b32 v4, -8\nscratch_store_b32 v4, v1, off offset:8";
    let e = run(PageFlags::ALL, 64, text).unwrap_err();
    assert_eq!(e.findings[0].rule, "scratch-negative-base");
    assert_eq!(e.kind.rule(), "scratch-out-of-bounds");
    let fine = "v_mov_b32 v4, 8\nscratch_store_b32 v4, v1, off offset:-8";
    assert!(run(PageFlags::ALL, 64, fine).unwrap().findings.is_empty());
}

#[test]
fn faults_have_the_names_of_their_rules() {
    let rule = |text: &str| run(PageFlags::ALL, 64, text).unwrap_err();
    let e = rule("s_mov_b32 s4, 0x380000\nglobal_load_b32 v4, v1, s[4:5]");
    assert_eq!(e.kind.rule(), "use-after-free");
    assert!(
        e.to_string()
            .contains("`gone` (100 bytes at 0x380000, freed before this launch)"),
        "{e}"
    );
    assert_eq!(
        rule("global_load_b32 v4, v1, s[4:5] offset:4092").kind.rule(),
        "out-of-bounds"
    );
    assert_eq!(
        rule("v_add_nc_u32 v1, 2, v1\nglobal_atomic_add_u32 v1, v2, s[4:5]")
            .kind
            .rule(),
        "misaligned-atomic"
    );
    assert_eq!(
        rule("v_add_nc_u32 v1, 2, v1\nds_add_u32 v1, v2").kind.rule(),
        "misaligned-atomic"
    );
    assert_eq!(
        rule("scratch_load_b32 v4, off, off offset:64").kind.rule(),
        "scratch-out-of-bounds"
    );
}

#[test]
fn doubtful_pairs_are_warnings() {
    // llvm/llvm-project#220348: v8 and v4 through one port with one parity, v8 just written.
    let f = only("v_mul_f32 v8, v2, v2\nv_dual_add_f32 v10, v8, v1 :: v_dual_mul_f32 v11, v6, v2");
    assert_eq!((f.rule, f.severity, f.count), ("vopd-parity", Severity::Warning, 1));
    // Opposite parity is safe.
    let s = run(
        PageFlags::ALL,
        0,
        "v_mul_f32 v8, v2, v2\nv_dual_add_f32 v10, v8, v1 :: v_dual_mul_f32 v11, v7, v2",
    );
    assert_eq!(s.unwrap().findings, vec![]);
}

/// Runs a kernel with so many bytes of arguments, of which 128 can be read, on two waves.
fn with_arguments(kernarg: u32, text: &str) -> Vec<Finding> {
    arguments_in(Vm::new().unwrap(), kernarg, text)
}

/// The same in memory that holds something.
fn arguments_in(vm: Vm, kernarg: u32, text: &str) -> Vec<Finding> {
    let kernel = Kernel {
        kernarg,
        lds: 256,
        ..Kernel::default()
    };
    let begin = "s_load_b64 s[4:5], s[0:1], 0x0\nv_and_b32 v1, 0x3ff, v0\nv_lshrrev_b32 v3, 5, v1\nv_readfirstlane_b32 s8, v3\nv_lshlrev_b32 v1, 2, v1\ns_waitcnt lgkmcnt(0)";
    kernel.load(&vm, KERNEL, "arguments", &format!("{begin}\n{text}\ns_endpgm"));
    pointers(&vm, ARGS, &[DATA]);
    vm.map_fresh(DATA, 4096, PageFlags::ALL, "c").unwrap();
    let launch = Launch {
        descriptor: KERNEL,
        kernarg: ARGS,
        grid: [64, 1, 1],
        workgroup: [64, 1, 1],
        lds: 256,
    };
    let run = Simulator::new().with_sanitizer(true).run(&launch, &vm);
    run.unwrap_or_else(|e| panic!("{e}")).findings
}

#[test]
fn loads_behind_the_arguments() {
    // Compilers load more than they need.
    let wide = "s_load_b512 s[16:31], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)";
    assert_eq!(with_arguments(20, wide), []);
    let far = "s_load_b64 s[16:17], s[0:1], 0x3c\ns_waitcnt lgkmcnt(0)";
    let [f] = &with_arguments(20, far)[..] else { panic!() };
    assert_eq!((f.rule, f.severity), ("out-of-bounds", Severity::Error));
    assert!(f.text.starts_with("load of 8 bytes"), "{f}");
    let none = "s_load_b32 s16, s[0:1], 0x40\ns_waitcnt lgkmcnt(0)";
    let found = with_arguments(20, none);
    assert!(found.iter().any(|f| f.text.contains("past the end")), "{found:?}");
    let before = "s_load_b64 s[16:17], s[0:1], -0x8\ns_waitcnt lgkmcnt(0)";
    let vm = Vm::new().unwrap();
    vm.map_fresh(ARGS - 4096, 4096, PageFlags::ALL, "kernel arguments")
        .unwrap();
    let [f] = &arguments_in(vm, 20, before)[..] else {
        panic!()
    };
    assert_eq!(
        f.text,
        "load of 8 bytes 8 bytes before the kernel arguments, which have 20 bytes (kernarg_segment_size)"
    );
    // What lies behind them is nobody's: it may be loaded, not used.
    let store = |s: &str| format!("{wide}\nv_mov_b32 v4, {s}\nglobal_store_b32 v1, v4, s[4:5]");
    assert_eq!(with_arguments(20, &store("s20")), []);
    let [f] = &with_arguments(20, &store("s21"))[..] else {
        panic!()
    };
    assert_eq!(f.rule, "uninitialised");
    assert!(
        f.text
            .contains("read from byte 20 of the kernel's arguments, which nobody has written"),
        "{f}"
    );
    assert_eq!(with_arguments(24, &store("s21")), []);
    // A load that begins behind them, within the cache line: its value decides which lanes are active, or an address.
    let behind = |use_: &str| format!("s_load_b32 s16, s[0:1], 0x18\ns_waitcnt lgkmcnt(0)\n{use_}");
    let decides = "v_cmp_gt_u32 vcc_lo, s16, v1\ns_and_saveexec_b32 s17, vcc_lo\nglobal_store_b32 v1, v1, s[4:5]";
    let leads = "s_and_b32 s16, s16, 4\nv_mov_b32 v4, s16\nglobal_load_b32 v5, v4, s[4:5]\ns_waitcnt vmcnt(0)";
    for (use_, what) in [(decides, "the mask of active lanes"), (leads, "an address")] {
        let found = with_arguments(20, &behind(use_));
        let [f] = &found[..] else { panic!("{found:#?}") };
        assert_eq!(f.rule, "uninitialised");
        assert!(
            f.text.contains(what) && f.text.contains("byte 24 of the kernel's arguments"),
            "{f}"
        );
        assert_eq!(with_arguments(28, &behind(use_)), []);
    }
    assert_eq!(with_arguments(20, &behind("")), []);
    // Nobody says how many there are.
    assert_eq!(with_arguments(0, &store("s21")), []);
}

#[test]
fn a_wave_that_ends_before_a_barrier() {
    let ends = |before: &str, other: &str| {
        format!("s_cmp_eq_u32 s8, 0\ns_cbranch_scc0 rest\n{before}\ns_endpgm\nrest:\nds_store_b32 v1, v1\ns_waitcnt lgkmcnt(0)\n{other}")
    };
    // It has done its part, and leaves.
    let worker = ends("ds_store_b32 v1, v1\ns_waitcnt lgkmcnt(0)", "s_barrier");
    let [f] = &with_arguments(0, &worker)[..] else { panic!() };
    assert_eq!((f.rule, f.severity), ("barrier-divergence", Severity::Warning));
    let other = f.other.as_ref().unwrap();
    assert_eq!((f.site.instruction.as_str(), f.site.wave), ("s_barrier", 1));
    assert_eq!((other.instruction.as_str(), other.wave), ("s_endpgm", 0));
    let later = format!("s_barrier\n{}", ends("", "s_barrier"));
    assert_eq!(with_arguments(0, &later).len(), 1);
    // Nothing to do for this wave: many kernels leave so.
    assert_eq!(with_arguments(0, &ends("", "s_barrier")), []);
    assert_eq!(
        with_arguments(0, &ends("ds_store_b32 v1, v1\ns_waitcnt lgkmcnt(0)", "")),
        []
    );
}

/// As t0's code has it: an index that is out of range gets an address outside of the LDS.
#[test]
fn an_index_of_shared_that_is_out_of_range() {
    let choose = "v_cmp_gt_u32 vcc_lo, 0x40, v1\nv_cndmask_b32 v5, v6, v1, vcc_lo\nds_store_b32 v5, v1 offset:16\ns_waitcnt lgkmcnt(0)";
    let s_half = "s_cmp_lt_u32 s8, 1\ns_movk_i32 s9, 0x90\ns_cselect_b32 s9, s9, 0x10000\nv_mov_b32 v5, s9\nds_load_b32 v7, v5\ns_waitcnt lgkmcnt(0)";
    for (text, address, wanted, lane) in [
        (choose.replace("v6,", "0x10000,"), 0x1_0010, 0x40, 16),
        (
            format!("s_mov_b32 s9, 0x10000\n{}", choose.replace("v6,", "s9,")),
            0x1_0010,
            0x40,
            16,
        ),
        (s_half.to_owned(), 0x1_0000, 0x90, 0),
    ] {
        let found = with_arguments(0, &text);
        let [f] = &found[..] else { panic!("{text}: {found:#?}") };
        assert_eq!(
            (f.rule, f.severity, f.site.lane),
            ("lds-out-of-bounds", Severity::Error, lane),
            "{f}"
        );
        let kind = FindingKind::LdsOutOfRange {
            address,
            len: 4,
            size: 256,
            write: wanted == 0x40,
            wanted: Some(wanted),
        };
        assert_eq!(f.text, kind.to_string());
    }
}
