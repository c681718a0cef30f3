//! The kernel language: what kernels mean, what they become, what is refused.
#![allow(missing_docs, clippy::unwrap_used)]

mod checked;
mod diags;
mod failing;
mod found;
mod meaning;
mod orders;
mod property;
mod simt;
mod staging;

/// A simulated card that watches every access: what it finds fails the wait for the launch.
fn watched() -> t0::prelude::Gpu {
    let options = t0::SimOptions {
        sanitize: Some(true),
        ..t0::SimOptions::default()
    };
    t0::prelude::Gpu::simulated_with(&options).unwrap()
}

/// Compares with a recorded text; `T0_BLESS=1` records it.
fn golden(name: &str, got: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name);
    if std::env::var_os("T0_BLESS").is_some() {
        std::fs::write(&path, got).unwrap();
    }
    let want = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        got == want,
        "{} differs; T0_BLESS=1 records this:\n{got}",
        path.display()
    );
}
