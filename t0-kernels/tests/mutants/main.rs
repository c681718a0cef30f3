//! The mutation proof: bugs are planted into compiled kernels, one at a time, and every one must be reported, by the right
//! rule and at the right line.
//!
//! `cargo test -p t0-kernels --test mutants -- --nocapture` prints the table; `T0_MUTANTS=all` tries all mutants instead of
//! a sample that is the same every time. Some classes plant at six places of a kernel at most; `T0_MUTANTS=places` plants at
//! all of them. `T0_MUTANT_CLASSES=…` tries only some classes, between commas. What each class of bugs stands for is in
//! `classes.rs`; every class there must have mutants.
#![allow(clippy::unwrap_used)]

mod assembly;
mod case;
mod classes;
mod code;
mod endless;
mod evidence;
mod image;
mod ir;
mod judge;
mod language;
mod launches;
mod orders;
mod passes;
mod paths;
mod registers;
mod roots;
mod subjects;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

use case::Case;
use t0_backend_rdna3::object::CodeObject;

use judge::{catches, judge, line, Catch, Line, Mutant, Spot, Verdict};

/// Mutants of a class and kernel that the sample keeps.
const SAMPLE: usize = 3;

/// Columns of the table of classes: mutants, caught, equivalent, range check; caught by wrong memory, and of those the stores
/// named at the line, with the line in the slice or told of plain code, elsewhere, without a line.
const COLUMNS: usize = 10;

fn columns(class: &str, counts: [usize; COLUMNS]) -> String {
    let [all, caught, same, checked, memory, at, slice, plain, elsewhere, none] = counts;
    let score = (100 * caught).checked_div(all - same - checked).unwrap_or(100);
    format!(
        "{class:32} {all:8} {caught:8} {same:10} {checked:11} {score:5}%   {memory:9} {at:11} {slice:12} {plain:13} {elsewhere:9} {none:8}"
    )
}

fn place(spot: Option<&Spot>) -> String {
    // The part that tells files apart.
    spot.map_or("-".into(), |s| s.trim_start_matches("t0-kernels/").to_string())
}

/// Whether `T0_MUTANTS` is one of these.
fn asked(values: &[&str]) -> bool {
    std::env::var("T0_MUTANTS").is_ok_and(|v| values.contains(&v.as_str()))
}

/// Whether `T0_MUTANT_CLASSES` has a class, or is not set.
fn wanted(class: &str) -> bool {
    std::env::var("T0_MUTANT_CLASSES").map_or(true, |v| v.split(',').any(|c| c == class))
}

/// Some of the mutants: of each class and kernel the first, the last and others spread evenly between.
fn sample(all: Vec<Mutant>) -> Vec<Mutant> {
    if asked(&["all", "places"]) {
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
            touched: Default::default(),
        };
        let all = catches(case, &clean);
        assert!(all.is_empty(), "{}: {all:?}", case.name);
        if let Some(plain) = case.plain() {
            let [plain, own] = [&plain, &case.object].map(|bytes| CodeObject::parse(bytes).unwrap());
            for shot in &case.shots {
                let same = case.run(&plain, shot).memory == case.run(&own, shot).memory;
                assert!(same, "{}: optimised and plain code disagree", case.name);
            }
        }
        let Some(checked) = &case.checked else { continue };
        let checked = Mutant {
            object: case::build(checked),
            shots: Some(case.in_range()),
            ..clean
        };
        let all = catches(case, &checked);
        assert!(all.is_empty(), "{} with checks: {all:?}", case.name);
    }
    for section in assembly::errata().iter().filter(|s| s.title != "trigger") {
        let object = CodeObject::parse(&subjects::assembled(&section.kernel())).unwrap();
        let found = judge::statically(&object);
        let told = found.iter().any(|c| section.rules.contains(&c.rule.as_str()));
        assert!(!told, "{} of {:?}: {found:?}", section.title, section.rules);
    }
}

#[test]
fn every_bug_is_reported_at_its_line() {
    let cases = subjects::cases();
    let numbered = || cases.iter().enumerate();
    let whole = || numbered().filter(|(_, c)| c.name != orders::HAND_OVER);
    let code = whole().flat_map(|(i, c)| code::mutants(i, c));
    let code = code.chain(whole().flat_map(|(i, c)| launches::mutants(i, c)));
    let code = code.chain(numbered().flat_map(|(i, c)| ir::mutants(i, c)));
    let all = code.chain(assembly::mutants(cases.len() - 1));
    let mutants = sample(all.filter(|m| wanted(m.class)).collect());
    let made: std::collections::BTreeSet<&str> = mutants.iter().map(|m| m.class).collect();
    let results = judge_all(&cases, &mutants);

    println!(
        "{:32} {:18} {:58} {:30} {:22} {:30} verdict",
        "class", "kernel", "mutant", "planted at", "caught by", "reported at"
    );
    let mut score: BTreeMap<&str, [usize; COLUMNS]> = BTreeMap::new();
    let mut why: BTreeMap<Line, usize> = BTreeMap::new();
    let mut by: BTreeMap<&str, usize> = BTreeMap::new();
    let mut failed = Vec::new();
    for (m, (catch, verdict)) in mutants.iter().zip(&results) {
        let rule = catch.as_ref().map_or("-", |c| &c.rule);
        let at = place(catch.as_ref().and_then(|c| c.spots.first()));
        let memory = matches!(rule, "values" | "poison" | "guard" | "plain") && *verdict == Verdict::Caught;
        let line = catch.as_ref().filter(|_| memory).map(|c| line(&cases[m.case], m, c));
        let at = line.as_ref().map_or(at, Line::to_string);
        let row = format!(
            "{:32} {:18} {:58} {:30} {rule:22} {at:30} {verdict}",
            m.class,
            cases[m.case].name,
            m.what,
            place(m.planted.as_ref())
        );
        println!("{row}");
        if let (Verdict::Equivalent, Some(why)) = (verdict, &m.equivalent) {
            let tried = catch.as_ref().map_or("", |c| &c.text);
            println!("{:32} {why}; {tried}", "");
        }
        if *verdict == Verdict::Caught {
            *by.entry(rule).or_default() += 1;
        }
        let counts = score.entry(m.class).or_default();
        counts[0] += 1;
        counts[1] += usize::from(*verdict == Verdict::Caught);
        counts[2] += usize::from(*verdict == Verdict::Equivalent);
        counts[3] += usize::from(*verdict == Verdict::RangeCheck);
        counts[4] += usize::from(memory);
        match &line {
            Some(Line::At) => counts[5] += 1,
            Some(Line::Slice) => counts[6] += 1,
            Some(Line::Plain) => counts[7] += 1,
            Some(Line::Elsewhere(_)) => counts[8] += 1,
            Some(Line::None(_)) => counts[9] += 1,
            None => {}
        }
        if let Some(line) = line {
            *why.entry(line).or_default() += 1;
        }
        if !matches!(verdict, Verdict::Caught | Verdict::Equivalent | Verdict::RangeCheck) {
            failed.push(format!("{row}\n    {}", catch.as_ref().map_or("", |c| &c.text)));
        }
    }
    println!(
        "\n{:32} {:>8} {:>8} {:>10} {:>11} {:>6}   {:>9} {:>11} {:>12} {:>13} {:>9} {:>8}  stands for",
        "class",
        "mutants",
        "caught",
        "equivalent",
        "range check",
        "score",
        "by memory",
        "at the line",
        "in the slice",
        "in plain code",
        "elsewhere",
        "no line"
    );
    let mut sums = [0; COLUMNS];
    for (class, counts) in score {
        (0..COLUMNS).for_each(|k| sums[k] += counts[k]);
        println!(
            "{}  {}",
            columns(class, counts),
            classes::stands_for(class).unwrap_or("NOT LISTED")
        );
    }
    println!("{}", columns("all", sums));
    println!("\nwrong memory names the planted line (columns at the right):");
    why.iter().for_each(|(line, n)| println!("{n:8} {line}"));
    let mut by: Vec<(&str, usize)> = by.into_iter().collect();
    by.sort_by_key(|b| std::cmp::Reverse(b.1));
    let by: Vec<String> = by.iter().map(|(rule, n)| format!("{rule} {n}")).collect();
    println!("\ncaught by: {}", by.join(", "));
    let without: Vec<&str> = classes::CLASSES
        .iter()
        .map(|c| c.0)
        .filter(|c| wanted(c) && !made.contains(c))
        .collect();
    assert!(without.is_empty(), "no mutants of {without:?}");
    let unlisted: Vec<&&str> = made.iter().filter(|c| classes::stands_for(c).is_none()).collect();
    assert!(unlisted.is_empty(), "classes.rs does not know {unlisted:?}");
    assert!(
        failed.is_empty(),
        "{} of {} mutants:\n{}",
        failed.len(),
        mutants.len(),
        failed.join("\n")
    );
}
