//! The loops of `t0 card` are those LLVM names in its own assembly text, with clang 19's kernels. Without clang 19 there is
//! nothing to compare, and the test says so.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use common::{folder, json, t0};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Compiles a source of `tests/peers` to assembly text or a code object; `None` without clang 19.
fn clang(source: &str, opt: &str, to: &Path) -> Option<()> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/cl");
    let mut c = Command::new("clang-19");
    c.args("-x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -mcpu=gfx1100 -nogpulib".split(' '));
    c.arg(opt).arg("-I").arg(&dir);
    if to.extension().is_some_and(|e| e == "s") {
        c.arg("-S");
    }
    let out = c.arg(dir.join(source)).arg("-o").arg(to).output().ok()?;
    assert!(
        out.status.success(),
        "{source}: {}",
        String::from_utf8_lossy(&out.stderr)
    );
    Some(())
}

/// By kernel: how many instructions stand before the one each loop begins with, and its depth, which starts with 1.
/// `s_nop` is not counted: the assembler fills up to `.p2align` with it.
///
/// LLVM writes `; =>This Loop Header: Depth=1` behind the label of the block, or behind `; %bb.3:` where it has none, with the
/// loops around it in lines of their own between.
fn named(text: &str) -> BTreeMap<String, Vec<(u64, u64)>> {
    let mut out: BTreeMap<String, Vec<(u64, u64)>> = BTreeMap::new();
    let (mut function, mut count) = (String::new(), 0);
    for line in text.lines() {
        if let Some(name) = line
            .split_once(':')
            .map(|l| l.0)
            .filter(|n| text.contains(&format!(".type\t{n},@function")))
        {
            (function, count) = (name.to_owned(), 0);
            out.insert(function.clone(), Vec::new());
        }
        if let Some((_, depth)) = line.split_once("Loop Header: Depth=") {
            let depth = depth.split_whitespace().next().unwrap().parse().unwrap();
            out.get_mut(&function).unwrap().push((count, depth));
        }
        let instruction = |l: &&str| l.starts_with(|c: char| c.is_ascii_lowercase()) && !l.starts_with("s_nop");
        count += u64::from(line.strip_prefix('\t').filter(instruction).is_some());
    }
    out.values_mut().for_each(|l| l.sort_unstable());
    out
}

#[test]
fn loops_are_those_llvm_names() {
    let dir = folder("loops");
    let (mut kernels, mut all, mut nested) = (0, 0, 0);
    for source in ["rows.cl", "gemm.cl", "flags.cl", "waves.cl", "integers.cl"] {
        for opt in ["-O1", "-O3"] {
            let path = |end: &str| dir.join(format!("{source}{opt}.{end}"));
            if clang(source, opt, &path("s")).is_none() {
                eprintln!("clang-19 is not installed: nothing compared");
                return;
            }
            clang(source, opt, &path("co")).unwrap();
            let file = path("co").to_str().unwrap().to_owned();
            for (kernel, expected) in named(&std::fs::read_to_string(path("s")).unwrap()) {
                let card = json(&t0(&["card", &file, "--kernel", &kernel, "--json"]));
                let code = json(&t0(&["isa", &file, "--kernel", &kernel, "--json"]));
                let at = |offset: &Value| {
                    let before = code["instructions"]
                        .as_array()
                        .unwrap()
                        .iter()
                        .take_while(|i| &i["offset"] != offset);
                    before
                        .filter(|i| !i["text"].as_str().unwrap().starts_with("s_nop"))
                        .count() as u64
                };
                let loops = card["loops"].as_array().unwrap();
                let mut found: Vec<(u64, u64)> = loops
                    .iter()
                    .map(|l| (at(&l["from"]), l["depth"].as_u64().unwrap() + 1))
                    .collect();
                found.sort_unstable();
                assert_eq!(found, expected, "{source} {opt}, {kernel}");
                kernels += 1;
                all += found.len();
                nested += found.iter().filter(|l| l.1 > 1).count();
            }
        }
    }
    assert!(
        kernels > 20 && all > 60 && nested > 5,
        "{kernels} kernels, {all} loops, {nested} in others"
    );
}
