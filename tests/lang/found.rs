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
    for want in ["lds-race", "a barrier must stand between them", &read, &write, of] {
        assert!(text.contains(want), "`{want}` is missing in:\n{text}");
    }
    assert!(!text.contains("`own`"), "{text}");
}
