//! The static checker on what clang makes of every source, at every optimisation level: no error, since the kernels are right.

use crate::harness::{builds, each_build_of, OPTIMISATIONS};

/// Warnings that are true findings in clang 19's code.
///
/// `vopd-parity` and `valu-mask-write-valu`: both rules are younger than this compiler (llvm/llvm-project#220348 of 2026,
/// #138663 of 2025). `wave64-same-sgpr`: at -O0 clang writes lane masks over scalar sources of the same comparison, which the
/// manual forbids (7.2.3). `check-incomplete`: more lane masks meet at one place of the 64-lane code than states are followed.
const TRUE: [&str; 4] = [
    "vopd-parity",
    "valu-mask-write-valu",
    "wave64-same-sgpr",
    "check-incomplete",
];

#[test]
fn clang_kernels_have_no_errors() {
    let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/cl");
    let mut sources: Vec<String> = std::fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .filter(|n| n.ends_with(".cl"))
        .collect();
    sources.sort();
    assert!(sources.len() >= 10);
    for source in sources {
        each_build_of(&source, &builds(&OPTIMISATIONS), |object| {
            let (status, report) = object.check();
            let kernels = report["kernels"].as_array().unwrap();
            assert!(!kernels.is_empty());
            let findings = kernels.iter().flat_map(|k| k["findings"].as_array().unwrap());
            let wrong: Vec<_> = findings
                .filter(|f| !TRUE.contains(&f["rule"].as_str().unwrap()))
                .collect();
            assert!(status == Some(0) && wrong.is_empty(), "{wrong:#?}");
        });
    }
}
