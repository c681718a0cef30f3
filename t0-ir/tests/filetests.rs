//! File tests: `tests/files/**/*.t0` hold an input and what is expected of it.
//!
//! The first line is `test verify` or `test PASS` with the name of a pass of the pipeline; `test PASS PASS …` runs several. Then
//! comes the input in text form, a line `; expected:`, and the function after the passes, or the diagnostics as they are
//! printed (with `test verify`: diagnostics or `ok`). `T0_BLESS=1` rewrites what follows `; expected:`.
#![allow(clippy::unwrap_used)]

use std::fmt::Write;
use std::path::{Path, PathBuf};

use t0_ir::{passes, text, verify, Diags, Func};

const MARK: &str = "; expected:";

fn result(head: &str, input: &str) -> String {
    let Some(what) = head.strip_prefix("test ") else {
        return "error: the first line is not `test …`\n".into();
    };
    // The line of the head stays, so that places are those in the file.
    let func = match text::parse(&format!("\n{input}")) {
        Ok(f) => f,
        Err(d) => return errors(&d, None),
    };
    if what == "verify" {
        return match verify::verify(&func) {
            Ok(()) => "ok\n".into(),
            Err(d) => errors(&d, Some(&func)),
        };
    }
    let mut func = func;
    if let Err(d) = verify::verify(&func) {
        return errors(&d, Some(&func));
    }
    for name in what.split(' ') {
        let Some(pass) = passes::find(name) else {
            return format!("error: there is no pass `{name}`\n");
        };
        if let Err(d) = (pass.run)(&mut func) {
            return errors(&d, Some(&func));
        }
        verify::structure(&func).unwrap_or_else(|d| panic!("{name}: {d}\n{}", text::print(&func)));
    }
    text::print(&passes::rewrite::canonical(&func))
}

/// Parse errors are places in the file itself; others are places in the files the function names.
fn errors(diags: &Diags, func: Option<&Func>) -> String {
    match func {
        Some(f) => diags.render(&f.files) + "\n",
        None => format!("{diags}\n"),
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

/// Lines that differ, in the order of a longest common subsequence.
fn diff(want: &str, got: &str) -> String {
    let (a, b): (Vec<&str>, Vec<&str>) = (want.lines().collect(), got.lines().collect());
    let mut len = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            len[i][j] = if a[i] == b[j] {
                len[i + 1][j + 1] + 1
            } else {
                len[i + 1][j].max(len[i][j + 1])
            };
        }
    }
    let (mut i, mut j, mut out) = (0, 0, String::new());
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] {
            writeln!(out, "  {}", a[i]).unwrap();
            (i, j) = (i + 1, j + 1);
        } else if j == b.len() || (i < a.len() && len[i + 1][j] >= len[i][j + 1]) {
            writeln!(out, "- {}", a[i]).unwrap();
            i += 1;
        } else {
            writeln!(out, "+ {}", b[j]).unwrap();
            j += 1;
        }
    }
    out
}

#[test]
fn file_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files");
    let mut paths = Vec::new();
    files(&root, &mut paths);
    paths.sort();
    assert!(!paths.is_empty());
    let bless = std::env::var_os("T0_BLESS").is_some_and(|v| v == "1");
    let mut failed = String::new();
    for path in paths {
        let all = std::fs::read_to_string(&path).unwrap();
        let (front, want) = all.split_once(&format!("{MARK}\n")).unwrap_or((&all, ""));
        let (head, input) = front.split_once('\n').unwrap_or((front, ""));
        let got = result(head, input);
        if got == want {
            continue;
        }
        if bless {
            let front = front.trim_end_matches('\n');
            std::fs::write(&path, format!("{front}\n{MARK}\n{got}")).unwrap();
        } else {
            writeln!(failed, "{}:\n{}", path.display(), diff(want, &got)).unwrap();
        }
    }
    assert!(failed.is_empty(), "T0_BLESS=1 accepts the new output (+):\n{failed}");
}
