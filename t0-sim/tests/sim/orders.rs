//! What the compiler makes of memory orders, judged by the sanitizer: a workgroup hands plain data over to another one. With
//! release and acquire nothing is found, with either left out or at too narrow a scope the race is.

use crate::common::{load_object, pointers};
use t0_backend_rdna3::target::GFX1100;
use t0_backend_rdna3::{compile, Options};
use t0_sim::driver::{Finding, PageFlags, Vm};
use t0_sim::{Launch, Simulator};

const CODE: u64 = 0x10_0000;
const ARGS: u64 = 0x20_0000;
const DATA: u64 = 0x30_0000;
const FLAGS: u64 = 0x40_0000;
const LEN: u32 = 64;

/// Group 0 writes data and sets the flag; group 1 waits for the flag and reads the data.
const HAND_OVER: &str = include_str!("hand_over.ir");

fn run(text: &str, groups: u32, seed: u64) -> (Vec<Finding>, Vec<u32>) {
    let func = t0_ir::text::parse(text).unwrap_or_else(|d| panic!("{d}\n{text}"));
    let compiled = compile(&func, &GFX1100, &Options::default()).unwrap();
    let vm = Vm::new().unwrap();
    let descriptor = load_object(&vm, CODE, &compiled.code_object);
    let size = u64::from(LEN);
    pointers(&vm, ARGS, &[DATA, size, FLAGS, size]);
    let data = vm.map_fresh(DATA, 4096, PageFlags::ALL, "data").unwrap();
    vm.map_fresh(FLAGS, 4096, PageFlags::ALL, "flags").unwrap();
    let launch = Launch {
        descriptor,
        kernarg: ARGS,
        grid: [32 * groups, 1, 1],
        workgroup: [32, 1, 1],
        lds: 0,
    };
    let simulator = Simulator::new()
        .with_threads(1)
        .with_sanitizer(true)
        .with_order_seed(seed);
    let run = simulator.with_budget(1_000_000).run(&launch, &vm);
    let found = run.unwrap_or_else(|e| panic!("{e}")).findings;
    // SAFETY: the launch is over, and the mapping has this many bytes.
    let data = (0..LEN as usize).map(|i| unsafe { data.cast::<u32>().add(i).read() });
    (found, data.collect())
}

fn hand_over(release: &str, acquire: &str, scope: &str) -> String {
    let fence = |order: &str| match order {
        "" => String::from("%99:u32 = const 7"),
        _ => format!("fence[{order}{scope}]"),
    };
    let (swap, load) = match scope {
        "" => ("swap", ""),
        _ => ("swap, group", "[group]"),
    };
    HAND_OVER
        .replace("fence[release]", &fence(release))
        .replace("fence[acquire]", &fence(acquire).replace("%99", "%98"))
        .replace("[swap]", &format!("[{swap}]"))
        .replace("atomic_load", &format!("atomic_load{load}"))
}

#[test]
fn release_and_acquire_hand_data_over_to_another_workgroup() {
    for seed in 0..6 {
        let (found, data) = run(&hand_over("release", "acquire", ""), 2, seed);
        assert_eq!(found, [], "seed {seed}");
        let want: Vec<u32> = (0..32).chain(0..32).collect();
        assert_eq!(data, want, "seed {seed}");
    }
}

#[test]
fn without_release_or_acquire_the_data_is_a_race() {
    for seed in 0..6 {
        for (release, acquire) in [("", "acquire"), ("release", ""), ("", "")] {
            let (found, _) = run(&hand_over(release, acquire, ""), 2, seed);
            let [f] = &found[..] else {
                panic!("{release} {acquire}, seed {seed}: {found:#?}");
            };
            assert_eq!(f.rule, "global-race", "{f}");
            let line = |s: &t0_sim::driver::Site| s.source.as_ref().map(|s| s.line);
            let lines = [line(&f.site), f.other.as_ref().and_then(line)];
            assert_eq!(lines, [Some(7), Some(2)], "{release} {acquire}, seed {seed}: {f}");
        }
    }
}

/// The rules of what was found, and the lines of both sides.
fn lines(found: &[Finding]) -> Vec<(&'static str, [Option<u32>; 2])> {
    let line = |s: &t0_sim::driver::Site| s.source.as_ref().map(|s| s.line);
    let both = |f: &Finding| [line(&f.site), f.other.as_ref().and_then(line)];
    found.iter().map(|f| (f.rule, both(f))).collect()
}

#[test]
fn a_flag_of_workgroup_scope_between_workgroups_is_too_narrow() {
    for seed in 0..6 {
        let (found, _) = run(&hand_over("release", "acquire", ", group"), 2, seed);
        let got = lines(&found);
        let flag =
            |r: &&(_, [Option<u32>; 2])| r.0 == "scope-too-narrow" && r.1.contains(&Some(4)) && r.1.contains(&Some(5));
        assert!(got.iter().any(|r| flag(&r)), "seed {seed}: {got:?}");
        // The L1 of the reader is not invalidated either: the data is a race.
        assert!(
            got.contains(&("global-race", [Some(7), Some(2)])),
            "seed {seed}: {got:?}"
        );
    }
}

/// Each group counts; `SCOPE` of the first group, then of the others.
const COUNTING: &str = r#"kernel k group 32
param data slice u32 write
param flag slice u32 atomic
file "k.rs"
body %data.0:buf<u32>, %flag.1:buf<u32> {
  %2:u32 = group_id[axis 0] @0:1:1
  %3:u32 = const 0 @0:1:1
  %4:u32 = const 1 @0:1:1
  %5:bool = cmp[eq] %2, %3 @0:1:1
  if %5 {
    %6:u32 = atomic[add FIRST] %flag.1, AT, %4 @0:2:1
    yield
  } {
    %7:u32 = atomic[add REST] %flag.1, AT, %4 @0:3:1
    yield
  }
}
"#;

#[test]
fn one_side_of_workgroup_scope_is_enough() {
    let text = |first: &str, rest: &str, at: &str| {
        COUNTING
            .replace(" FIRST", first)
            .replace(" REST", rest)
            .replace("AT", at)
    };
    let group = ", group";
    for seed in 0..4 {
        let found = |first, rest, at, groups| lines(&run(&text(first, rest, at), groups, seed).0);
        assert_eq!(found("", "", "%3", 5), [], "seed {seed}");
        // A place for each group, and a single group.
        assert_eq!(found(group, group, "%2", 5), [], "seed {seed}");
        assert_eq!(found(group, group, "%3", 1), [], "seed {seed}");
        for (first, rest) in [(group, ""), ("", group), (group, group)] {
            let got = found(first, rest, "%3", 2);
            let [(rule, sides)] = got[..] else {
                panic!("seed {seed}: {got:?}")
            };
            assert_eq!(rule, "scope-too-narrow");
            assert!(sides == [Some(2), Some(3)] || sides == [Some(3), Some(2)], "{got:?}");
        }
        let all = found(group, group, "%3", 5);
        assert!(
            !all.is_empty() && all.iter().all(|f| f.0 == "scope-too-narrow"),
            "seed {seed}: {all:?}"
        );
    }
}
