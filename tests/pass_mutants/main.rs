//! Mistakes planted into the compiler itself: the source of a pass is changed at one place, and a test must fail.
//!
//! `cargo test --test pass_mutants` only sees whether each mistake still has its place in the source. The proof takes a rebuild for each,
//! and prints the table:
//!
//! ```sh
//! cargo test --test pass_mutants -- --ignored --nocapture
//! ```
//!
//! `T0_PASS_MUTANTS=scc,barrier` takes those whose name has one of these words. Work is done on a copy of the sources in cargo's folder for
//! temporary files. Only tests that look at what code does count, and those that look into it for a reason; recorded texts do not.
#![allow(missing_docs, clippy::unwrap_used)]

mod table;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use table::{Mutant, MUTANTS};

/// Tests that may kill a mutant, quick ones first: package and arguments.
const TESTS: &[(&str, &[&str])] = &[
    ("t0-ir", &["--lib"]),
    (
        "t0-backend-rdna3",
        &[
            "--lib",
            "--test",
            "schedule",
            "--test",
            "combine",
            "--test",
            "early_clobber",
            "--test",
            "waits",
        ],
    ),
    ("t0-sim", &["--test", "fuzz"]),
    ("t0-sim", &["--test", "diff"]),
    ("t0-kernels", &["--test", "gemm_loop", "--test", "properties"]),
];

/// A test that takes longer has come into an endless loop.
const PATIENCE: Duration = Duration::from_secs(600);

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn planted(m: &Mutant, source: &str) -> String {
    m.edits.iter().fold(source.to_string(), |text, (from, to)| {
        let n = text.matches(from).count();
        assert_eq!(n, 1, "`{}`: {from:?} stands {n} times in {}", m.name, m.file);
        text.replace(from, to)
    })
}

#[test]
fn every_mistake_has_its_place() {
    for m in MUTANTS {
        let source = std::fs::read_to_string(root().join(m.file)).unwrap();
        assert_ne!(planted(m, &source), source, "`{}` changes nothing", m.name);
        assert!(!m.stands_for.is_empty());
    }
    let mut names: Vec<&str> = MUTANTS.iter().map(|m| m.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), MUTANTS.len(), "two mistakes of one name");
}

/// Copies the files that git would, so far as cargo needs them.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap();
        if name == "target" || name.to_string_lossy().starts_with(".git") {
            continue;
        }
        let to = to.join(name);
        if path.is_dir() {
            copy(&path, &to);
        } else if std::fs::read(&path).ok() != std::fs::read(&to).ok() {
            // Files that are the same keep their time, so that cargo builds only what changed.
            std::fs::copy(&path, &to).unwrap();
        }
    }
}

#[derive(Debug, PartialEq)]
enum Outcome {
    Passed,
    /// The package whose test failed, and the first test that did.
    Failed(String),
    NoBuild(String),
}

fn cargo(copy: &Path, log: &Path, package: &str, args: &[&str]) -> Command {
    let out = std::fs::File::create(log).unwrap();
    let mut c = Command::new(env!("CARGO"));
    c.current_dir(copy)
        .args(["test", "-q", "-p", package, "--no-fail-fast"])
        .args(args)
        .env("CARGO_TARGET_DIR", copy.join("../target"))
        .env("RUST_BACKTRACE", "0")
        .stdout(out.try_clone().unwrap())
        .stderr(out);
    c.stdin(Stdio::null());
    c
}

/// Whether the command ends well in time.
fn ends_well(mut command: Command) -> Option<bool> {
    let mut child = command.spawn().unwrap();
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status.success());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    None
}

fn run(copy: &Path) -> Outcome {
    let log = copy.join("../log.txt");
    for (package, args) in TESTS {
        let build = [args, &["--no-run"][..]].concat();
        if ends_well(cargo(copy, &log, package, &build)) != Some(true) {
            return Outcome::NoBuild(std::fs::read_to_string(&log).unwrap());
        }
        match ends_well(cargo(copy, &log, package, args)) {
            Some(true) => {}
            Some(false) => {
                let text = std::fs::read_to_string(&log).unwrap();
                return Outcome::Failed(format!("{package}: {}", first_failure(&text)));
            }
            None => return Outcome::Failed(format!("{package}: no end")),
        }
    }
    Outcome::Passed
}

fn first_failure(log: &str) -> &str {
    let name = log.lines().find_map(|l| l.strip_prefix("---- ")?.split(' ').next());
    name.unwrap_or("aborted")
}

#[test]
#[ignore = "builds the compiler anew for every mistake"]
fn every_mistake_is_found() {
    let base = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("pass_mutants");
    let work = base.join("copy");
    copy(root(), &work);
    assert_eq!(run(&work), Outcome::Passed, "the tests fail without a mistake");
    let words = std::env::var("T0_PASS_MUTANTS").unwrap_or_default();
    let wanted = |m: &&Mutant| words.is_empty() || words.split(',').any(|w| m.name.contains(w));
    let mut survivors = Vec::new();
    println!("{:44} {:34} found by", "mistake", "stands for");
    for m in MUTANTS.iter().filter(wanted) {
        let file = work.join(m.file);
        let source = std::fs::read_to_string(root().join(m.file)).unwrap();
        std::fs::write(&file, planted(m, &source)).unwrap();
        let outcome = run(&work);
        std::fs::write(&file, source).unwrap();
        // Small cases that the fuzz tests wrote down are of this mistake.
        let found = "t0-sim/tests/fuzz/found";
        let _ = std::fs::remove_dir_all(work.join(found));
        copy(&root().join(found), &work.join(found));
        let what = match &outcome {
            Outcome::Passed => "NOTHING".to_string(),
            Outcome::Failed(test) => test.clone(),
            Outcome::NoBuild(log) => format!("DOES NOT BUILD\n{log}"),
        };
        println!("{:44} {:34} {what}", m.name, m.stands_for);
        if !matches!(outcome, Outcome::Failed(_)) {
            survivors.push(m.name);
        }
    }
    assert!(survivors.is_empty(), "not found: {survivors:?}");
}
