//! Bugs of a user's kernel, named at the Rust line by the watching card: both sides of a race, arrays and indices by name.

use t0::prelude::*;

const FIRST: u32 = line!() + 7;
/// Reverses blocks of 64 without the barrier between writing `block` and reading it.
#[kernel(group = 64, grid = x.len())]
pub fn reversed(x: &[u32], y: &[Atomic<u32>]) {
    let mut own = Shared::<[u32; 32]>::new();
    let mut block = Shared::<[u32; 64]>::new();
    let l = thread::local();
    block[l] = x[thread::index()];
    if l < 32 {
        // Within a wave no barrier is needed.
        own[l] = block[l];
        y[thread::index()].swap(block[63 - l] + own[31 - l], Relaxed, Device);
    }
}

#[test]
fn a_race_in_shared_memory_names_the_array_and_the_index() {
    let gpu = crate::watched();
    let q = gpu.queue().unwrap();
    let x = gpu.upload(&[1u32; 64]).unwrap();
    let mut y = gpu.upload(&[0u32; 64]).unwrap();
    let launched = q.launch(reversed { x: &x, y: &mut y });
    let text = launched.and_then(|s| s.wait()).unwrap_err().to_string();
    // Wave 0 runs first and reads what wave 1 writes later.
    let read = format!("tests/lang/found.rs:{}", FIRST + 4);
    let write = format!("tests/lang/found.rs:{FIRST}");
    let of = "`block`, index 32 (LDS offset 0x100)";
    for want in [
        "error[lds-race]",
        "help: put a `group::barrier()` between them",
        &read,
        &write,
        of,
    ] {
        assert!(text.contains(want), "`{want}` is missing in:\n{text}");
    }
    assert!(!text.contains("`own`"), "{text}");
}

/// What the sanitizer says of a launch, in full.
fn said(launched: t0::Result<t0::Submission>) -> String {
    let e = launched.and_then(|s| s.wait()).unwrap_err();
    e.to_string() + "\n"
}

#[test]
fn a_report_of_a_race_in_full() {
    let gpu = crate::watched();
    let q = gpu.queue().unwrap();
    let x = gpu.upload(&[1u32; 64]).unwrap();
    let mut y = gpu.upload(&[0u32; 64]).unwrap();
    crate::golden("found_race.txt", &said(q.launch(reversed { x: &x, y: &mut y })));
}

/// Reads one element too far.
#[kernel(group = 64, grid = x.len())]
pub fn neighbour(x: &[u32], y: &[Atomic<u32>]) {
    let mut first = Shared::<[u32; 16]>::new();
    let mut block = Shared::<[u32; 64]>::new();
    let l = thread::local();
    if l < 16 {
        first[l] = x[thread::index()];
    }
    block[l] = x[thread::index()];
    group::barrier();
    y[thread::index()].swap(block[l + 1] + first[l / 4], Relaxed, Device);
}

#[test]
fn an_index_of_shared_out_of_range_names_array_index_and_length() {
    let gpu = crate::watched();
    let q = gpu.queue().unwrap();
    let x = gpu.upload(&[1u32; 64]).unwrap();
    let mut y = gpu.upload(&[0u32; 64]).unwrap();
    let text = said(q.launch(neighbour { x: &x, y: &mut y }));
    assert!(
        text.contains("index 64 that is out of range of `block`, which has 64 elements"),
        "{text}"
    );
    crate::golden("found_index.txt", &text);
}

/// Reads what half of the work-items have written, though all of them look.
#[kernel(group = 64, grid = x.len())]
pub fn half_written(x: &[u32], y: &[Atomic<u32>]) {
    let mut block = Shared::<[u32; 64]>::new();
    let l = thread::local();
    if l < 32 {
        block[l] = x[thread::index()];
    }
    group::barrier();
    y[thread::index()].swap(block[63 - l], Relaxed, Device);
}

#[test]
fn a_value_nobody_wrote_names_array_and_index() {
    let gpu = crate::watched();
    let q = gpu.queue().unwrap();
    let x = gpu.upload(&[1u32; 64]).unwrap();
    let mut y = gpu.upload(&[0u32; 64]).unwrap();
    let text = said(q.launch(half_written { x: &x, y: &mut y }));
    assert!(text.contains("read from `block`, index 63"), "{text}");
    crate::golden("found_value.txt", &text);
}

/// All lanes write their numbers into one element.
#[kernel(group = 32, grid = y.len())]
pub fn one_for_all(y: &[Atomic<u32>]) {
    let mut last = Shared::<[u32; 1]>::new();
    last[0] = lane::id() as u32;
    group::barrier();
    y[thread::index()].swap(last[0], Relaxed, Device);
}

#[test]
fn lanes_that_write_different_values_in_one_place_are_named() {
    let gpu = crate::watched();
    let q = gpu.queue().unwrap();
    let mut y = gpu.upload(&[0u32; 32]).unwrap();
    let text = said(q.launch(one_for_all { y: &mut y }));
    assert!(
        text.contains("lanes 0 and 1 of one wave write different values at `last`, index 0"),
        "{text}"
    );
    crate::golden("found_lanes.txt", &text);
}
