//! Pairs of kernels, made from templates: one with a race, which must be reported with both sides, and one without, which
//! must pass in silence.

use crate::common::*;
use t0_sim::driver::{Finding, PageFlags, Severity, Vm};
use t0_sim::{Launch, Simulator};

const KERNEL: u64 = 0x10_0000;
const ARGS: u64 = 0x20_0000;
const DATA: u64 = 0x30_0000;
const FLAGS: u64 = 0x40_0000;

/// s[4:5] data, s[6:7] flags (zero), s8 wave, s13 workgroup, v1 work-item, v2 4 * work-item, v4 zero.
const BEGIN: &str = "
    s_load_b128 s[4:7], s[0:1], 0x0
    v_and_b32 v1, 0x3ff, v0
    v_lshlrev_b32 v2, 2, v1
    v_lshrrev_b32 v3, 5, v1
    v_readfirstlane_b32 s8, v3
    v_mov_b32 v4, 0
    v_mov_b32 v7, 1
    v_mov_b32 v8, 0
    s_waitcnt lgkmcnt(0)";

const WAIT_LDS: &str = "s_waitcnt lgkmcnt(0)";
const WAIT_STORES: &str = "s_waitcnt_vscnt null, 0x0";
const READ: &str = "s_waitcnt vmcnt(0)";
const INVALIDATE: &str = "buffer_gl1_inv\nbuffer_gl0_inv";

/// Two kernels that differ in what stands at `{0}`, `{1}` … of the body.
struct Pair {
    name: String,
    waves: u32,
    groups: u32,
    lanes: u32,
    /// Two CUs with an L0 each run the workgroup.
    wgp: bool,
    body: String,
    racy: Vec<String>,
    clean: Vec<String>,
    rule: &'static str,
    severity: Severity,
}

impl Pair {
    /// Of one workgroup.
    fn local(name: &str, waves: u32, body: &str, racy: &[&str], clean: &[&str]) -> Pair {
        let owned = |of: &[&str]| of.iter().map(|s| s.to_string()).collect();
        Pair {
            name: format!("{name}, {waves} waves"),
            waves,
            groups: 1,
            lanes: 32,
            wgp: true,
            body: body.replace("{bytes}", &(128 * waves).to_string()),
            racy: owned(racy),
            clean: owned(clean),
            rule: "lds-race",
            severity: Severity::Error,
        }
    }

    fn global(mut self, groups: u32) -> Pair {
        self.groups = groups;
        self.rule = "global-race";
        self.body = self.body.replace("{groups}", &groups.to_string());
        self.name = format!("{}, {groups} groups", self.name);
        self
    }

    /// In CU mode.
    fn cu(mut self) -> Pair {
        self.wgp = false;
        self.name += ", CU mode";
        self
    }

    /// With a finding that is only a warning.
    fn mild(self) -> Pair {
        Pair {
            severity: Severity::Warning,
            ..self
        }
    }

    fn run(&self, holes: &[String], threads: usize) -> Vec<Finding> {
        let mut body = self.body.clone();
        for (k, hole) in holes.iter().enumerate() {
            body = body.replace(&format!("{{{k}}}"), hole);
        }
        let vm = Vm::new().unwrap();
        Kernel {
            lds: 16384,
            lanes: self.lanes,
            wgp: self.wgp,
            ..Kernel::default()
        }
        .load(&vm, KERNEL, "pair", &format!("{BEGIN}\n{body}\ns_endpgm"));
        pointers(&vm, ARGS, &[DATA, FLAGS]);
        vm.map_fresh(DATA, 1 << 16, PageFlags::ALL, "data").unwrap();
        vm.map_fresh(FLAGS, 4096, PageFlags::ALL, "flags").unwrap();
        let items = 32 * self.waves;
        let launch = Launch {
            descriptor: KERNEL,
            kernarg: ARGS,
            grid: [items * self.groups, 1, 1],
            workgroup: [items, 1, 1],
            lds: 16384,
        };
        let simulator = Simulator::new().with_threads(threads).with_sanitizer(true);
        let run = simulator.with_budget(1_000_000).run(&launch, &vm);
        run.unwrap_or_else(|e| panic!("{}: {e}", self.name)).findings
    }

    fn check(&self) {
        for threads in [1, 3] {
            let clean = self.run(&self.clean, threads);
            let texts: Vec<String> = clean.iter().map(|f| f.to_string()).collect();
            assert!(clean.is_empty(), "{}: false alarm: {texts:#?}", self.name);
        }
        let racy = self.run(&self.racy, 1);
        assert!(!racy.is_empty(), "{}: the race was not seen", self.name);
        for f in &racy {
            let other = f.other.as_ref().expect("both sides");
            assert_eq!((f.rule, f.severity), (self.rule, self.severity), "{}: {f}", self.name);
            let who = |s: &t0_sim::driver::Site| (s.workgroup, s.wave);
            assert_ne!(who(&f.site), who(other), "{}: {f}", self.name);
            for s in [&f.site, other] {
                let memory = ["ds_", "global_", "buffer_"]
                    .iter()
                    .any(|p| s.instruction.starts_with(p));
                assert!(memory, "{}: {f}", self.name);
            }
        }
        for threads in [2, 5] {
            assert_eq!(self.run(&self.racy, threads), racy, "{}: {threads} threads", self.name);
        }
    }
}

/// All lanes store.
const STORE: &str = "s_mov_b32 exec_lo, -1\nds_store_b32 v2, v1";

/// A barrier after a wait for the LDS.
const BARRIER: &str = "s_waitcnt lgkmcnt(0)\ns_barrier";

#[rustfmt::skip]
fn lds(waves: u32) -> Vec<Pair> {
    let pair = |name: &str, body: &str, racy: &[&str], clean: &[&str]| Pair::local(name, waves, body, racy, clean);
    let mirror = format!("v_sub_nc_u32 v5, {}, v2", 128 * waves - 4);
    let exchange = format!("ds_store_b32 v2, v1\n{{0}}\n{mirror}\nds_load_b32 v6, v5\n{WAIT_LDS}");
    let double = format!("ds_store_b32 v2, v1
        {BARRIER}
        {mirror}
        ds_load_b32 v6, v5
        {{0}}
        ds_store_b32 v2, v7
        {WAIT_LDS}");
    let ping_pong = format!("{mirror}
        s_mov_b32 s9, 4
        loop:
        ds_store_b32 v2, v1
        {BARRIER}
        ds_load_b32 v6, v5
        {WAIT_LDS}
        v_xor_b32 v2, {{0}}, v2
        v_xor_b32 v5, {{0}}, v5
        s_sub_u32 s9, s9, 1
        s_cmp_lg_u32 s9, 0
        s_cbranch_scc1 loop");
    let reduce = format!("ds_store_b32 v2, v1
        {BARRIER}
        v_add_nc_u32 v5, 128, v2
        s_cmp_eq_u32 s8, 0
        s_cbranch_scc0 rest
        ds_load_b32 v6, v5
        ds_load_b32 v9, v2
        {WAIT_LDS}
        v_add_nc_u32 v6, v6, v9
        ds_store_b32 v2, v6
        rest:
        {{0}}
        ds_load_b32 v10, v4
        {WAIT_LDS}");
    let ticket = format!("v_mov_b32 v11, 0x2000
        s_cmp_eq_u32 s8, 0
        s_cbranch_scc0 ready
        s_mov_b32 exec_lo, 1
        ds_store_b32 v11, v4
        s_mov_b32 exec_lo, -1
        ready:
        {BARRIER}
        {{0}}
        s_mov_b32 exec_lo, 1
        ds_add_rtn_u32 v10, v11, v7
        {{1}}
        {WAIT_LDS}
        v_readfirstlane_b32 s10, v10
        s_cmp_eq_u32 s10, {}
        s_cbranch_scc0 out
        s_mov_b32 exec_lo, -1
        {mirror}
        ds_load_b32 v6, v5
        {WAIT_LDS}
        out:", waves - 1);
    vec![
        pair("missing barrier", &exchange, &[WAIT_LDS], &[BARRIER]),
        pair("store not waited for before the barrier", &exchange, &["s_barrier"], &[BARRIER]),
        pair("barrier before the store", &format!("{{0}}\nds_store_b32 v2, v1\n{{1}}\n{mirror}\nds_load_b32 v6, v5\n{WAIT_LDS}"), &["s_barrier", WAIT_LDS], &["", BARRIER]),
        pair("buffer written again without a barrier", &double, &[WAIT_LDS], &[BARRIER]),
        pair("two buffers in turn", &ping_pong, &["0"], &["0x1000"]),
        pair("reduction without its last barrier", &reduce, &[""], &[BARRIER]),
        pair("neighbour's element", "ds_store_b32 v2, v1\nds_load_b32 v6, v2 offset:{0}\ns_waitcnt lgkmcnt(0)", &["4"], &["0"]),
        pair("atomics and a plain load", &format!("ds_add_u32 v4, v7\n{{0}}\nds_load_b32 v6, v4\n{WAIT_LDS}"), &[WAIT_LDS], &[BARRIER]),
        pair("atomics and a plain store", &format!("s_cmp_eq_u32 s8, 0\ns_cbranch_scc0 rest\nds_store_b32 v4, v4\nrest:\n{{0}}\nds_add_u32 v4, v7\n{WAIT_LDS}"), &[WAIT_LDS], &[BARRIER]),
        pair("bytes of one dword", "v_lshrrev_b32 v5, {0}, v1\nds_store_b8 v5, v3\ns_waitcnt lgkmcnt(0)", &["10"], &["5"]),
        pair("a wide store and a narrow load", &format!("v_lshlrev_b32 v5, 4, v1\nds_store_b128 v5, v[8:11]\n{{0}}\nds_load_u16 v6, v5 offset:516\n{WAIT_LDS}"), &[WAIT_LDS], &[BARRIER]),
        pair("two addresses", &format!("ds_store_b32 v2, v1\n{{0}}\nds_load_2addr_b32 v[9:10], v2 offset1:32\n{WAIT_LDS}"), &[WAIT_LDS], &[BARRIER]),
        pair("the last wave sums", &ticket, &["", STORE], &[STORE, ""]),
    ]
}

/// Wave 0 writes, the others wait for a flag at v11, which is 0.
fn flags_in_lds(waves: u32) -> Vec<Pair> {
    let flag = |release: &str, spin: &str| {
        format!(
            "v_mov_b32 v11, 0x2000
            v_and_b32 v5, 0x7c, v2
            s_cmp_eq_u32 s8, 0
            s_cbranch_scc0 ready
            s_mov_b32 exec_lo, 1
            ds_store_b32 v11, v4
            s_mov_b32 exec_lo, -1
            ready:
            {BARRIER}
            s_cmp_eq_u32 s8, 0
            s_cbranch_scc0 consumer
            {{0}}
            s_mov_b32 exec_lo, 1
            {release}
            {{1}}
            s_endpgm
            consumer:
            {spin}
            ds_load_b32 v6, v5
            {WAIT_LDS}"
        )
    };
    let look = "ds_load_b32 v10, v11\ns_waitcnt lgkmcnt(0)\nv_readfirstlane_b32 s10, v10\ns_cmp_eq_u32 s10, 1";
    let spin = format!("spin:\n{look}\ns_cbranch_scc0 spin");
    // Loop rotation: the first look stands before the loop.
    let peeled = format!("{look}\ns_cbranch_scc1 go\nspin:\ns_sleep 1\n{look}\ns_cbranch_scc0 spin\ngo:");
    // As clang leaves a loop lane by lane.
    let masks = "s_mov_b32 s9, 0
        s_mov_b32 s12, exec_lo
        spin:
        ds_load_b32 v10, v11
        s_waitcnt lgkmcnt(0)
        v_cmp_eq_u32 vcc_lo, 1, v10
        s_or_b32 s9, vcc_lo, s9
        s_and_not1_b32 exec_lo, exec_lo, s9
        s_cbranch_execnz spin
        s_mov_b32 exec_lo, s12";
    let take = "spin:\nv_mov_b32 v12, 0\nds_add_rtn_u32 v10, v11, v12\ns_waitcnt lgkmcnt(0)\nv_readfirstlane_b32 s10, v10\ns_cmp_eq_u32 s10, 1\ns_cbranch_scc0 spin";
    let (store, add) = ("ds_store_b32 v11, v7", "ds_add_u32 v11, v7");
    // DS operations of a wave are in order: no wait is needed.
    let pair = |name: &str, body: &str| Pair::local(name, waves, body, &["", STORE], &[STORE, ""]);
    let all = [
        ("a stored flag", store, &spin[..]),
        ("an added flag", add, &spin),
        ("a flag, first look before the loop", store, &peeled),
        ("a flag, lane by lane", add, masks),
        ("a flag fetched by an atomic", add, take),
    ];
    all.map(|(name, release, spin)| pair(name, &flag(release, spin))).into()
}

/// Waves add to a sum in the LDS, each while it holds a lock at v11.
fn locks_in_lds(waves: u32) -> Vec<Pair> {
    let (exchange, compare) = (
        "ds_storexchg_rtn_b32 v10, v11, v7",
        "ds_cmpstore_rtn_b32 v10, v11, v7, v4",
    );
    let (swapped, stored) = ("ds_storexchg_rtn_b32 v10, v11, v4", "ds_store_b32 v11, v4");
    let mut all = Vec::new();
    for (take, open) in [
        (exchange, swapped),
        (exchange, stored),
        (compare, swapped),
        (compare, stored),
    ] {
        let body = format!(
            "v_mov_b32 v11, 0x2000
            s_mov_b32 exec_lo, 1
            s_cmp_eq_u32 s8, 0
            s_cbranch_scc0 ready
            ds_store_b32 v11, v4
            ds_store_b32 v4, v4
            ready:
            {BARRIER}
            spin:
            {take}
            {WAIT_LDS}
            v_readfirstlane_b32 s10, v10
            s_cmp_eq_u32 s10, 0
            s_cbranch_scc0 spin
            ds_load_b32 v6, v4
            {WAIT_LDS}
            v_add3_u32 v6, v6, v1, 1
            {{0}}
            {{1}}"
        );
        let store = "ds_store_b32 v4, v6";
        let name = format!("a lock, {take}, {open}");
        all.push(Pair::local(&name, waves, &body, &[open, store], &[store, open]));
    }
    all
}

/// The same in global memory, at workgroup scope.
fn flags_in_one_group(waves: u32) -> Vec<Pair> {
    let flag = |release: &str, scope: &str| {
        format!(
            "v_and_b32 v5, 0x7c, v2
            s_cmp_eq_u32 s8, 0
            s_cbranch_scc0 consumer
            global_store_b32 v2, v1, s[4:5]
            {{0}}
            s_mov_b32 exec_lo, 1
            {release}
            s_endpgm
            consumer:
            global_load_b32 v9, v4, s[6:7] {scope}
            s_waitcnt vmcnt(0)
            v_readfirstlane_b32 s10, v9
            s_cmp_eq_u32 s10, 1
            s_cbranch_scc0 {{2}}
            {{1}}
            global_load_b32 v6, v5, s[4:5]
            s_waitcnt vmcnt(0)
            out:"
        )
    };
    let mut all = Vec::new();
    for release in [
        "global_store_b32 v4, v7, s[6:7]",
        "global_atomic_add_u32 v4, v7, s[6:7]",
    ] {
        let body = flag(release, "glc");
        let pair = |name: &str, body: &str, racy: &[&str], clean: &[&str]| {
            Pair::local(&format!("{name}, {release}"), waves, body, racy, clean).global(1)
        };
        let clean = [WAIT_STORES, "buffer_gl0_inv", "consumer"];
        all.push(pair("set too early", &body, &["", clean[1], clean[2]], &clean));
        all.push(pair("stale L0", &body, &[WAIT_STORES, "", "consumer"], &clean));
        // One L0 takes everything in order: neither wait, glc nor invalidation. Whoever does not wait in a loop has a race.
        let plain = flag(release, "");
        all.push(pair("no loop", &plain, &["", "", "out"], &["", "", "consumer"]).cu());
    }
    all
}

fn in_one_group(waves: u32) -> Vec<Pair> {
    let mirror = format!("v_sub_nc_u32 v5, {}, v2", 128 * waves - 4);
    let through_memory =
        format!("global_store_b32 v2, v1, s[4:5]\n{{0}}\n{mirror}\nglobal_load_b32 v6, v5, s[4:5]\ns_waitcnt vmcnt(0)");
    let overwritten = format!("{mirror}\nglobal_load_b32 v6, v5, s[4:5]\n{{0}}\nglobal_store_b32 v2, v1, s[4:5]");
    let clean = format!("{WAIT_STORES}\ns_barrier");
    // Everybody looks, wave 0 changes it, everybody looks again.
    let again = format!(
        "global_load_b32 v6, v2, s[4:5]
        {mirror}
        global_load_b32 v7, v5, s[4:5]
        s_waitcnt vmcnt(0)
        s_barrier
        v_add_nc_u32 v6, 1, v6
        global_store_b32 v2, v6, s[4:5]
        {WAIT_STORES}
        s_barrier
        {{0}}
        global_load_b32 v6, v5, s[4:5]
        s_waitcnt vmcnt(0)"
    );
    let pair =
        |name: &str, body: &str, racy: &[&str], clean: &[&str]| Pair::local(name, waves, body, racy, clean).global(1);
    vec![
        pair("through memory, no barrier", &through_memory, &[WAIT_STORES], &[&clean]),
        pair("through memory, no wait", &through_memory, &["s_barrier"], &[&clean]),
        pair(
            "overwritten while read",
            &overwritten,
            &["s_waitcnt vmcnt(0)"],
            &["s_waitcnt vmcnt(0)\ns_barrier"],
        ),
        pair("an older value in the L0", &again, &[""], &["buffer_gl0_inv"]),
        pair("through memory, one L0", &through_memory, &[""], &["s_barrier"]).cu(),
        pair("overwritten while read, one L0", &overwritten, &[""], &["s_barrier"]).cu(),
    ]
}

#[rustfmt::skip]
fn between_groups(groups: u32) -> Vec<Pair> {
    let pair = |name: &str, waves: u32, body: &str, racy: &[&str], clean: &[&str]| Pair::local(name, waves, body, racy, clean).global(groups);
    let stride = "s_mul_i32 s9, s13, {0}\nv_add_nc_u32 v5, s9, v2\nglobal_store_b32 v5, v1, s[4:5]";
    let split_k = format!("{{0}}\n{WAIT_STORES}");
    // Values that differ whatever group reads what: whether they are equal decides on the severity.
    let plain_sum = "s_lshl_b32 s9, 0x100, s13
        global_load_b32 v6, v2, s[4:5]
        s_waitcnt vmcnt(0)
        v_add3_u32 v6, v6, v1, s9
        global_store_b32 v2, v6, s[4:5]";
    let last_block = "s_mul_i32 s9, s13, {bytes}
        v_add_nc_u32 v5, s9, v2
        global_store_b32 v5, v1, s[4:5]
        {0}
        s_barrier
        s_cmp_eq_u32 s8, 0
        s_cbranch_scc0 out
        s_mov_b32 exec_lo, 1
        global_atomic_add_u32 v9, v4, v7, s[6:7] glc
        s_waitcnt vmcnt(0)
        {1}
        v_readfirstlane_b32 s10, v9
        s_add_u32 s10, s10, 1
        s_cmp_eq_u32 s10, {groups}
        s_cbranch_scc0 out
        s_mov_b32 exec_lo, -1
        global_load_b32 v6, v2, s[4:5]
        global_load_b32 v10, v2, s[4:5] offset:{bytes}
        s_waitcnt vmcnt(0)
        out:";
    let flag = "s_cmp_eq_u32 s13, 0
        s_cbranch_scc0 consumer
        global_store_b32 v2, v1, s[4:5]
        {0}
        s_mov_b32 exec_lo, 1
        global_store_b32 v4, v7, s[6:7]
        s_endpgm
        consumer:
        global_load_b32 v9, v4, s[6:7] glc
        s_waitcnt vmcnt(0)
        v_readfirstlane_b32 s10, v9
        s_cmp_eq_u32 s10, 1
        s_cbranch_scc0 consumer
        {1}
        global_load_b32 v6, v2, s[4:5]
        s_waitcnt vmcnt(0)";
    let atomic_flag = flag.replace("global_store_b32 v4, v7, s[6:7]", "global_atomic_swap_b32 v4, v7, s[6:7]");
    let lock = "s_lshl_b32 s9, 0x100, s13
        s_mov_b32 exec_lo, 1
        spin:
        {0}
        global_load_b32 v6, v4, s[4:5]
        s_waitcnt vmcnt(0)
        v_add_nc_u32 v6, s9, v6
        global_store_b32 v4, v6, s[4:5]
        s_waitcnt_vscnt null, 0x0
        {1}";
    let cas = "s_mov_b32 exec_lo, 1
        s_lshl_b32 s9, 0x100, s13
        v_mov_b32 v9, s9
        global_load_b32 v10, v4, s[6:7]
        s_waitcnt vmcnt(0)
        again:
        {0}
        v_cmp_eq_u32 vcc_lo, v10, v11
        v_mov_b32 v10, v11
        s_cbranch_vccz again";
    // A wait for the stores, then others before the flag.
    let later = flag.replace("{0}", "{0}\nglobal_store_b32 v2, v1, s[6:7] offset:1024");
    let second = flag
        .replace("global_store_b32 v4, v7, s[6:7]", "global_store_b32 v4, v7, s[6:7]\nglobal_store_b32 v4, v7, s[6:7] offset:128")
        .replace("s[6:7] glc", "s[6:7] offset:128 glc");
    // Each group waits for the one before and tells the next one, which has nothing to wait for.
    let relay = format!("s_lshl_b32 s9, s13, 2
        v_mov_b32 v12, s9
        s_cmp_eq_u32 s13, 0
        s_cbranch_scc0 consumer
        global_store_b32 v2, v1, s[4:5]
        {{0}}
        s_branch tell
        consumer:
        global_load_b32 v9, v12, s[6:7] offset:-4 glc
        s_waitcnt vmcnt(0)
        v_readfirstlane_b32 s10, v9
        s_cmp_eq_u32 s10, 1
        s_cbranch_scc0 consumer
        tell:
        s_mov_b32 exec_lo, 1
        global_store_b32 v12, v7, s[6:7]
        s_mov_b32 exec_lo, -1
        {{1}}
        s_cmp_eq_u32 s13, 0
        s_cbranch_scc1 out
        global_load_b32 v6, v2, s[4:5]
        {READ}
        out:");
    let take = format!("global_atomic_cmpswap_b32 v9, v4, v[7:8], s[6:7] glc\ns_waitcnt vmcnt(0)\nv_readfirstlane_b32 s10, v9\ns_cmp_eq_u32 s10, 0\ns_cbranch_scc0 spin\n{INVALIDATE}");
    vec![
        pair("tiles that overlap", 2, stride, &["240"], &["256"]),
        pair("tiles off by one element", 1, stride, &["124"], &["128"]),
        pair("split over k", 2, &split_k, &[plain_sum], &["global_atomic_add_u32 v2, v1, s[4:5]"]),
        pair("a halo written in place", 1, "s_mul_i32 s9, s13, 128\nv_add_nc_u32 v5, s9, v2\nglobal_load_b32 v6, v5, s[4:5] offset:4\ns_waitcnt vmcnt(0)\nglobal_store_b32 v5, v6, {0}", &["s[4:5]"], &["s[4:5] offset:2048\ns_mov_b32 s9, 0"]),
        pair("an input that one group writes", 1, "global_load_b32 v6, v2, s[4:5]\ns_waitcnt vmcnt(0)\ns_cmp_eq_u32 s13, 1\ns_cbranch_scc0 out\n{0}\nout:", &["global_store_b32 v2, v6, s[4:5]"], &["global_store_b32 v2, v6, s[6:7]"]),
        pair("a counter read without atomic", 1, "s_mov_b32 exec_lo, 1\nglobal_atomic_add_u32 v4, v7, s[6:7]\nglobal_load_b32 v6, v4, s[6:7] {0}\ns_waitcnt vmcnt(0)", &[""], &["glc"]),
        pair("atomic stores of different values", 1, "s_mov_b32 exec_lo, 1\nv_add_nc_u32 v9, s13, v7\nglobal_store_b32 v4, v9, s[6:7]\nglobal_load_b32 v6, v4, s[6:7] {0}\ns_waitcnt vmcnt(0)", &[""], &["glc"]),
        pair("a flag at workgroup scope", 1, flag, &[WAIT_STORES, "buffer_gl0_inv"], &[WAIT_STORES, INVALIDATE]),
        pair("a loop of compare and swap", 1, cas, &["v_add_nc_u32 v9, 1, v9\nglobal_store_b32 v4, v9, s[6:7]\nv_mov_b32 v11, v10"], &["v_add_nc_u32 v9, 1, v10\nglobal_atomic_cmpswap_b32 v11, v4, v[9:10], s[6:7] glc\ns_waitcnt vmcnt(0)"]),
        pair("last group sums, no wait for the stores", 2, last_block, &["", INVALIDATE], &[WAIT_STORES, INVALIDATE]),
        pair("last group sums, no invalidation", 2, last_block, &[WAIT_STORES, ""], &[WAIT_STORES, INVALIDATE]),
        pair("last group sums, one cache invalidated", 2, last_block, &[WAIT_STORES, "buffer_gl0_inv"], &[WAIT_STORES, INVALIDATE]),
        pair("a flag set too early", 1, flag, &["", INVALIDATE], &[WAIT_STORES, INVALIDATE]),
        pair("a flag, stale caches", 1, flag, &[WAIT_STORES, ""], &[WAIT_STORES, INVALIDATE]),
        pair("a flag behind another store", 1, &later, &["", INVALIDATE], &[WAIT_STORES, INVALIDATE]),
        pair("the second of two flags", 1, &second, &["", INVALIDATE], &[WAIT_STORES, INVALIDATE]),
        pair("a flag that is passed on", 1, &relay, &["", INVALIDATE], &[WAIT_STORES, INVALIDATE]),
        pair("a flag that is passed on, stale caches", 1, &relay, &[WAIT_STORES, ""], &[WAIT_STORES, INVALIDATE]),
        pair("an atomic flag set too early", 1, &atomic_flag, &["", INVALIDATE], &[WAIT_STORES, INVALIDATE]),
        pair("an atomic flag, stale caches", 1, &atomic_flag, &[WAIT_STORES, "buffer_gl1_inv"], &[WAIT_STORES, INVALIDATE]),
        pair("a lock", 1, lock, &["", ""], &[&take, "global_store_b32 v4, v8, s[6:7]"]),
    ]
}

/// Stores of equal values are a race all the same, but a mild one.
fn same_values() -> Vec<Pair> {
    let lds = "ds_store_b32 {0}, v7\ns_waitcnt lgkmcnt(0)";
    let flag = "s_lshl_b32 s9, s13, 7\nv_add_nc_u32 v5, s9, v2\nglobal_store_b32 {0}, v7, s[4:5]";
    vec![
        Pair::local("one flag of all waves", 4, lds, &["v4"], &["v2"]).mild(),
        Pair::local("one flag of all groups", 1, flag, &["v4"], &["v5"])
            .global(4)
            .mild(),
    ]
}

#[test]
fn in_the_lds() {
    for waves in [2, 4, 8] {
        lds(waves).iter().for_each(Pair::check);
    }
    for waves in [2, 4] {
        flags_in_lds(waves).iter().for_each(Pair::check);
        locks_in_lds(waves).iter().for_each(Pair::check);
    }
    for mut p in lds(4).into_iter().take(4) {
        // The same work-items as two waves of 64 lanes.
        p.lanes = 64;
        p.name += " of 64 lanes";
        p.check();
    }
}

#[test]
fn in_global_memory() {
    for waves in [2, 4] {
        in_one_group(waves).iter().for_each(Pair::check);
        flags_in_one_group(waves).iter().for_each(Pair::check);
    }
    for groups in [2, 5] {
        // One flag has one consumer or several.
        between_groups(groups).iter().for_each(Pair::check);
    }
}

#[test]
fn of_equal_values() {
    same_values().iter().for_each(Pair::check);
}

/// One instruction, several lanes, one address: which value stays is not said.
#[test]
fn lanes_of_one_wave_may_store_equal_values_only() {
    let lds = "ds_store_b32 {0}, {1}\ns_waitcnt lgkmcnt(0)";
    let global = "global_store_b32 {0}, {1}, s[4:5]";
    let overlap = "v_lshlrev_b32 v5, {0}, v1\nglobal_store_b64 v5, v[1:2], s[4:5]";
    let cases = [
        (Pair::local("lds", 1, lds, &["v4", "v1"], &["v4", "v7"]), [0, 1]),
        (Pair::local("lds", 1, lds, &["v4", "v1"], &["v2", "v1"]), [0, 1]),
        (
            Pair::local("one dword", 1, global, &["v4", "v1"], &["v4", "v7"]).global(1),
            [0, 1],
        ),
        (
            Pair::local("parts of two", 1, overlap, &["2"], &["3"]).global(1),
            [0, 1],
        ),
    ];
    for (p, lanes) in cases {
        assert_eq!(p.run(&p.clean, 1), [], "{}", p.name);
        let found = p.run(&p.racy, 1);
        let [f] = &found[..] else {
            panic!("{}: {found:#?}", p.name)
        };
        assert_eq!((f.rule, f.severity), (p.rule, Severity::Error));
        let other = f.other.as_ref().unwrap();
        assert_eq!([other.lane, f.site.lane], lanes, "{f}");
        assert!(
            f.text
                .starts_with("lanes 0 and 1 of one wave write different values at "),
            "{f}"
        );
    }
    // An atomic is none.
    let atomic = Pair::local(
        "atomic",
        1,
        "ds_storexchg_rtn_b32 v9, v4, v1\ns_waitcnt lgkmcnt(0)",
        &[],
        &[],
    );
    assert_eq!(atomic.run(&[], 1), []);
}

/// A store that may be an atomic one meets an atomic.
#[test]
fn a_store_that_may_be_atomic() {
    let body = "s_mov_b32 exec_lo, 1\ns_cmp_eq_u32 s13, 0\ns_cbranch_scc0 add\nglobal_store_b32 v4, v7, {0}\ns_endpgm\nadd:\nglobal_atomic_add_u32 v4, v7, s[6:7]";
    let p = Pair::local("a counter that is reset", 1, body, &["s[6:7]"], &["s[4:5]"]);
    p.global(3).mild().check();
}

/// Whoever only reads under a lock has no store to wait for when it opens it.
#[test]
fn a_lock_of_readers() {
    let body = format!(
        "s_mov_b32 exec_lo, 1
        spin:
        global_atomic_cmpswap_b32 v9, v4, v[7:8], s[6:7] glc
        s_waitcnt vmcnt(0)
        v_readfirstlane_b32 s10, v9
        s_cmp_eq_u32 s10, 0
        s_cbranch_scc0 spin
        {INVALIDATE}
        global_load_b32 v6, v4, s[4:5]
        s_waitcnt vmcnt(0)
        global_store_b32 v4, v8, s[6:7]"
    );
    let found = Pair::local("readers", 1, &body, &[], &[]).global(4).run(&[], 1);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn a_scope_that_is_too_narrow_is_told() {
    let all = between_groups(2);
    let text = |name: &str, k: usize| {
        let p = all.iter().filter(|p| p.name.starts_with(name)).nth(k).unwrap();
        let f = &p.run(&p.racy, 1)[0];
        format!("{}: {}", f.text, f.help.as_ref().unwrap())
    };
    let narrow = text("a flag at workgroup scope", 0);
    assert!(
        narrow.contains("at workgroup scope, which other workgroups do not see: use device scope"),
        "{narrow}"
    );
    let stale = text("a flag, stale caches", 0);
    assert!(stale.contains("the reader's caches may hold an older value"), "{stale}");
    let early = text("a flag set too early", 0);
    assert!(early.contains("workgroups run in no order"), "{early}");
}

#[test]
fn a_report_names_both_sides() {
    let p = lds(2).remove(0);
    let [_, f] = &p.run(&p.racy, 1)[..] else { panic!() };
    assert_eq!((f.site.wave, f.site.lane), (1, 0));
    let other = f.other.as_ref().unwrap();
    assert_eq!((other.wave, other.lane), (0, 31));
    let text = f.to_string();
    for want in [
        "error[lds-race]: read here and write by another wave at LDS offset 0x7c, with nothing to order them",
        "`ds_load_b32 v6, v5`",
        "workgroup (0, 0, 0) wave 1 lane 0",
        "note: the other side: instruction `ds_store_b32 v2, v1`",
        "help: a barrier must stand between them, and a wait for LGKMcnt before it",
        "wave 0 lane 31",
    ] {
        assert!(text.contains(want), "`{text}` lacks `{want}`");
    }
}

#[test]
fn the_suite_has_at_least_forty_pairs() {
    let lds: usize = [2, 4, 8].map(|w| lds(w).len()).iter().sum();
    let global: usize = [2, 5].map(|g| between_groups(g).len()).iter().sum();
    assert!(lds + global + 2 * in_one_group(2).len() + same_values().len() + 4 > 70);
}
