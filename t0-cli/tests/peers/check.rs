//! The static checker on what clang makes of every source, at every optimisation level: no error, since the kernels are right.

use crate::harness::{builds, each_build_of, OPTIMISATIONS, TRUE};

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
