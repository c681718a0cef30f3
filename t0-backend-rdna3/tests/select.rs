//! File tests of code generation: `tests/files/select/*.t0` hold a kernel in text form and its machine code.
//!
//! The first line is `test compile`, then comes the kernel, a line `; expected:`, and the code of gfx1100 after the last
//! machine pass, or the error. `T0_BLESS=1` rewrites what follows `; expected:`.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use t0_backend_rdna3::target::GFX1100;
use t0_backend_rdna3::{compile, Options};
use t0_ir::text;

const MARK: &str = "; expected:\n";

fn result(head: &str, input: &str) -> String {
    if head != "test compile" {
        return format!("error: the first line is `{head}`, not `test compile`\n");
    }
    let func = match text::parse(&format!("\n{input}")) {
        Ok(f) => f,
        Err(d) => return format!("{d}\n"),
    };
    match compile(
        &func,
        &GFX1100,
        &Options {
            keep_text: true,
            check: true,
            ..Options::default()
        },
    ) {
        Ok(c) => c.mir_text.unwrap()[1].clone(),
        Err(e) => format!("{e}\n"),
    }
}

fn files(dir: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, out);
        } else if path.extension().is_some_and(|e| e == "t0") {
            out.push(path);
        }
    }
}

#[test]
fn machine_code_is_as_recorded() {
    let mut all = Vec::new();
    files(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files/select"),
        &mut all,
    );
    all.sort();
    assert!(all.len() >= 8, "{} files", all.len());
    let bless = std::env::var_os("T0_BLESS").is_some();
    let mut wrong = Vec::new();
    for path in all {
        let file = std::fs::read_to_string(&path).unwrap();
        let (test, want) = file.split_once(MARK).unwrap_or((&file, ""));
        let (head, input) = test.split_once('\n').unwrap_or((test, ""));
        let got = result(head, input);
        if got == want {
            continue;
        }
        if bless {
            std::fs::write(&path, format!("{test}{MARK}{got}")).unwrap();
        } else {
            wrong.push(format!("{}:\n--- recorded\n{want}--- now\n{got}", path.display()));
        }
    }
    assert!(
        wrong.is_empty(),
        "{}\nT0_BLESS=1 records what is there now",
        wrong.join("\n")
    );
}
