//! `T0_DUMP` writes listings, IR and cards of a program's own launches. A process of its own, as the environment is everybody's.
#![allow(clippy::unwrap_used, missing_docs)]

use std::path::Path;
use t0::prelude::{Compile, Gpu, GFX1100};
use t0::SimOptions;
use t0_kernels::saxpy;

#[test]
fn launches_leave_what_t0_dump_asks_for() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("dump");
    let _ = std::fs::remove_dir_all(&dir);
    std::env::set_var("T0_DUMP_DIR", &dir);
    std::env::set_var("T0_DUMP", "isa, ir,card");
    let options = SimOptions {
        timing: true,
        ..SimOptions::default()
    };
    let gpu = Gpu::simulated_with(&options).unwrap();
    let queue = gpu.queue().unwrap();
    let x = gpu.upload(&[1f32; 1000]).unwrap();
    let mut y = gpu.upload(&[2f32; 1000]).unwrap();
    for _ in 0..2 {
        queue
            .launch(saxpy {
                a: 3.0,
                x: &x,
                y: &mut y,
            })
            .unwrap();
    }
    assert_eq!(y.to_vec().unwrap(), [8f32; 1000]);
    let read = |name: &str| std::fs::read_to_string(dir.join(name)).unwrap();
    assert!(read("saxpy.isa.txt").starts_with("; kernel saxpy for gfx1100"));
    assert!(read("saxpy.ir.txt").contains("saxpy"));
    for name in ["saxpy.card.txt", "saxpy.2.card.txt"] {
        assert!(
            read(name).contains("modelled: ") && read(name).contains("vector.rs:10"),
            "{name}"
        );
    }
    assert!(!dir.join("saxpy.3.card.txt").exists());
    let cards = gpu.cards().unwrap();
    assert_eq!(cards.len(), 2);
    assert_eq!(cards[0].modelled.as_ref().unwrap().groups, 4);
    assert!(gpu.cards().unwrap().is_empty());

    // A word that says nothing is an error, not nothing.
    std::env::set_var("T0_DUMP", "isa,asm");
    let error = Gpu::simulated().err().unwrap().to_string();
    assert_eq!(
        error,
        "T0_DUMP has `asm`; it takes isa, ir and card, separated by commas"
    );
    std::env::remove_var("T0_DUMP");

    let card = saxpy::card(GFX1100).unwrap();
    assert!(card.modelled.is_none() && card.resources.waves_per_simd == 16);
}
