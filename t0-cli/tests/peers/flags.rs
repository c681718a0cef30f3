//! Locks and flags: right code is silent under the sanitizer, and a lock that is opened too early is a race. Booleans of undefined
//! values.

use crate::harness::{builds, each_build_of, same, Object};

/// Without optimisation a waiting loop keeps what it has loaded in private memory, which hides the flags in LDS (README).
const LEVELS: [&str; 3] = ["-O1", "-O2", "-O3"];

fn each(check: impl Fn(&Object)) {
    each_build_of("flags.cl", &builds(&LEVELS), check);
}

/// The same with `-O0`.
fn each_and_plain(check: impl Fn(&Object)) {
    each_build_of("flags.cl", &builds(&["-O0", "-O1", "-O3"]), check);
}

#[test]
fn locks_in_the_lds() {
    each(|object| {
        for kernel in ["exchanged", "compared", "tickets_in_lds"] {
            let ran = object.launch(kernel, 3, 256).output::<u32>(3).sanitized().run();
            let wave = object.build.wave;
            let sum: u32 = (0..256 / wave).map(|w| w * wave + 1).sum();
            same(kernel, &ran.get::<u32>(0), &[sum; 3]);
        }
        let launch = object.launch("opened_early", 1, 256).output::<u32>(1);
        for text in launch.sanitized().findings() {
            assert!(
                text.contains("by another wave at LDS offset 0x0, with nothing to order them"),
                "{text}"
            );
        }
    });
}

#[test]
fn flags_between_workgroups() {
    each_and_plain(|object| {
        let ran = object
            .launch("one_fence", 5, 64)
            .inout(&[0u32; 5])
            .output::<u32>(1)
            .output::<u32>(1)
            .output::<u32>(5)
            .u32(5)
            .sanitized()
            .run();
        same("one_fence", &ran.get::<u32>(3), &[42; 5]);
        let ran = object
            .launch("told_by_one", 3, 128)
            .inout(&[0u32])
            .output::<u32>(128)
            .output::<u32>(384)
            .sanitized()
            .run();
        let want: Vec<u32> = (0..384).map(|i| i % 128).collect();
        same("told_by_one", &ran.get::<u32>(2), &want);
        let ran = object
            .launch("passed_on", 4, 64)
            .inout(&[0u32; 4])
            .output::<u32>(1)
            .output::<u32>(4)
            .sanitized()
            .run();
        same("passed_on", &ran.get::<u32>(2), &[9; 4]);
        let ran = object
            .launch("read_under_lock", 4, 64)
            .inout(&[0u32])
            .inout(&[5u32])
            .output::<u32>(4)
            .sanitized()
            .run();
        same("read_under_lock", &ran.get::<u32>(2), &[5; 4]);
    });
}

#[test]
fn booleans_of_undefined_values() {
    each_and_plain(|object| {
        let launch = object.launch("told_from_nothing", 1, 64).output::<u32>(64);
        let text = launch.sanitized().finding();
        assert!(text.contains("which nobody has written"), "{text}");
    });
}
