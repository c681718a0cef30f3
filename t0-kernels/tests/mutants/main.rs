//! The mutation proof: bugs are planted into compiled kernels, one at a time, and every one must be reported, by the right
//! rule and at the right line.
//!
//! `cargo test -p t0-kernels --test mutants -- --nocapture` prints the table; `T0_MUTANTS=all` tries all mutants instead of
//! a sample that is the same every time.
#![allow(clippy::unwrap_used)]

mod case;
mod code;
mod image;
mod ir;
mod judge;
mod paths;
mod subjects;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

use case::Case;
use judge::{catches, judge, Catch, Mutant, Spot, Verdict};

/// Mutants of a class and kernel that the sample keeps.
const SAMPLE: usize = 5;

fn place(spot: Option<&Spot>) -> String {
    // The part that tells files apart.
    spot.map_or("-".into(), |s| s.trim_start_matches("t0-kernels/").to_string())
}

/// Some of the mutants: of each class and kernel the first, the last and others spread evenly between.
fn sample(all: Vec<Mutant>) -> Vec<Mutant> {
    if std::env::var("T0_MUTANTS").is_ok_and(|v| v == "all") {
        return all;
    }
    let mut of: BTreeMap<(&str, usize), Vec<Mutant>> = BTreeMap::new();
    all.into_iter()
        .for_each(|m| of.entry((m.class, m.case)).or_default().push(m));
    let some = |mutants: Vec<Mutant>| {
        let n = mutants.len();
        let keep = move |i: &usize| n <= SAMPLE || (0..SAMPLE).any(|k| k * (n - 1) / (SAMPLE - 1) == *i);
        mutants
            .into_iter()
            .enumerate()
            .filter(move |(i, _)| keep(i))
            .map(|(_, m)| m)
    };
    of.into_values().flat_map(some).collect()
}

/// Judges all mutants on all cores.
fn judge_all(cases: &[Case], mutants: &[Mutant]) -> Vec<(Option<Catch>, Verdict)> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    let work = || loop {
        let i = next.fetch_add(1, Ordering::Relaxed);
        let Some(m) = mutants.get(i) else { return };
        let result = judge(&cases[m.case], m);
        results.lock().unwrap().push((i, result));
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|s| (0..threads).for_each(|_| drop(s.spawn(work))));
    let mut results = results.into_inner().unwrap();
    results.sort_by_key(|r| r.0);
    results.into_iter().map(|r| r.1).collect()
}

#[test]
fn kernels_without_bugs_are_silent() {
    for (number, case) in subjects::cases().iter().enumerate() {
        let clean = Mutant {
            class: "none",
            case: number,
            what: String::new(),
            planted: None,
            object: Ok(case.object.clone()),
            rules: &[],
            suffers: Default::default(),
            equivalent: None,
            shots: None,
        };
        let all = catches(case, &clean);
        assert!(all.is_empty(), "{}: {all:?}", case.name);
    }
}

#[test]
fn every_bug_is_reported_at_its_line() {
    let cases = subjects::cases();
    let numbered = || cases.iter().enumerate();
    let code = numbered().flat_map(|(i, c)| code::mutants(i, c));
    let mutants = sample(code.chain(numbered().flat_map(|(i, c)| ir::mutants(i, c))).collect());
    let results = judge_all(&cases, &mutants);

    println!(
        "{:28} {:18} {:58} {:30} {:22} {:30} verdict",
        "class", "kernel", "mutant", "planted at", "caught by", "reported at"
    );
    let mut score: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    let mut failed = Vec::new();
    for (m, (catch, verdict)) in mutants.iter().zip(&results) {
        let rule = catch.as_ref().map_or("-", |c| &c.rule);
        let at = place(catch.as_ref().and_then(|c| c.spots.first()));
        let row = format!(
            "{:28} {:18} {:58} {:30} {rule:22} {at:30} {verdict}",
            m.class,
            cases[m.case].name,
            m.what,
            place(m.planted.as_ref())
        );
        println!("{row}");
        if let (Verdict::Equivalent, Some(why)) = (verdict, &m.equivalent) {
            println!("{:28} {why}", "");
        }
        let counts = score.entry(m.class).or_default();
        counts[0] += 1;
        counts[1] += usize::from(*verdict == Verdict::Caught);
        counts[2] += usize::from(*verdict == Verdict::Caught && matches!(rule, "values" | "poison" | "guard"));
        counts[3] += usize::from(*verdict == Verdict::Equivalent);
        if !matches!(verdict, Verdict::Caught | Verdict::Equivalent) {
            failed.push(format!("{row}\n    {}", catch.as_ref().map_or("", |c| &c.text)));
        }
    }
    println!(
        "\n{:28} {:>8} {:>8} {:>20} {:>12} {:>8}",
        "class", "mutants", "caught", "by values alone", "equivalent", "score"
    );
    for (class, [all, caught, values, same]) in score {
        let rated = (all - same).max(1);
        println!(
            "{class:28} {all:8} {caught:8} {values:20} {same:12} {:7}%",
            if all == same { 100 } else { 100 * caught / rated }
        );
    }
    assert!(
        failed.is_empty(),
        "{} of {} mutants:\n{}",
        failed.len(),
        mutants.len(),
        failed.join("\n")
    );
}
