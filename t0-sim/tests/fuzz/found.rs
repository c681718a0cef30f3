//! Kernels that were compiled wrongly once: each must be right now.

use crate::compare::{both, compare, folder};
use crate::ir::few;
use t0_ir::testing::file;

#[test]
fn what_was_found_is_right_now() {
    let mut files: Vec<_> = std::fs::read_dir(folder())
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "t0"))
        .collect();
    files.sort();
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        let case = file::parse(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let mut ways = both().to_vec();
        ways.extend((0..9).map(|seed| ("spilling", few(seed))));
        compare(&case, &ways).unwrap_or_else(|f| panic!("{}: {f}", path.display()));
    }
}
