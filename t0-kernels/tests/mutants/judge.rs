//! Who notices a bug first, and whether what is said is the truth.
//!
//! Catchers in order: the static checker, the reader of code objects and the IR's verifier; the sanitizer and faults of the
//! simulated card with their rules (deadlocks and endless loops among them); checks of indices that the kernel itself makes
//! when it is compiled with them; guards and poison; values against the
//! reference; every bit against plain code, as in each `#[kernel_test]`. A catch counts when its rule is one of those the mutant must be caught by, and its line is the planted
//! instruction's or that of an instruction that suffers from it.

use std::collections::BTreeSet;
use std::fmt;

use t0_backend_rdna3::check::{check_kernel, Options};
use t0_backend_rdna3::errata::Severity;
use t0_backend_rdna3::object::CodeObject;

use t0_sim::Stored;

use crate::case::{At, Case, Odd, Shot, Where};

/// A place: file and line, or the offset of an instruction that has none (what prepares the arguments).
pub type Spot = String;

/// The place of an instruction of an object's only kernel.
pub fn spot(object: &CodeObject, offset: u64) -> Spot {
    match object.kernels[0].line_at(offset) {
        Some(l) => format!("{}:{}", l.file, l.line),
        None => format!("+{offset:#x}"),
    }
}

/// A bug that was planted.
pub struct Mutant {
    pub class: &'static str,
    pub case: usize,
    /// What was done.
    pub what: String,
    /// Where.
    pub planted: Option<Spot>,
    /// The code object, or why there is none.
    pub object: Result<Vec<u8>, String>,
    /// Rules that tell the truth about it; empty: any, and values will do.
    pub rules: &'static [&'static str],
    /// Lines that suffer from it, besides the planted one; empty: no line is asked for.
    pub suffers: BTreeSet<Spot>,
    /// Why it changes nothing, if there is a reason; it is tried out, too.
    pub equivalent: Option<String>,
    /// Launches instead of the case's.
    pub shots: Option<Vec<crate::case::Shot>>,
    /// Lines of what was changed where that has several; `planted` is none then.
    pub touched: BTreeSet<Spot>,
}

/// What was said about a mutant.
#[derive(Clone, Debug)]
pub struct Catch {
    pub rule: String,
    pub spots: Vec<Spot>,
    pub text: String,
    /// Of wrong memory: the stores that are named for it, and where it is; the number of the launch.
    pub stores: Vec<Stored>,
    pub at: Option<At>,
    pub shot: usize,
}

/// Where the stores that are named for wrong memory stand, seen from the planted bug.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Line {
    /// In its line.
    At,
    /// It is among the lines their values, places and conditions come from.
    Slice,
    /// The store of plain code, or what that comes from, which are told where optimised code differs from it.
    Plain,
    /// Neither, and why.
    Elsewhere(&'static str),
    /// It has no line: where it is.
    None(&'static str),
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Line::At => f.write_str("at the line"),
            Line::Slice => f.write_str("in the slice"),
            Line::Plain => f.write_str("in plain code"),
            Line::Elsewhere(why) => write!(f, "elsewhere: {why}"),
            Line::None(what) => write!(f, "no line: {what}"),
        }
    }
}

/// What is said of wrong memory about the line of a bug.
pub fn line(case: &Case, m: &Mutant, c: &Catch) -> Line {
    let planted: Vec<&Spot> = m
        .planted
        .iter()
        .chain(&m.touched)
        .filter(|s| !s.starts_with('+'))
        .collect();
    if planted.is_empty() {
        return Line::None(match (&case.func, &m.planted, &m.shots) {
            (None, ..) => "assembly",
            (_, Some(_), _) => "loading of arguments",
            (_, None, Some(_)) => "the launch",
            (_, None, None) => "the descriptor",
        });
    }
    let is = |file: &str, line: u32| planted.iter().any(|s| **s == format!("{file}:{line}"));
    let own = |s: &Stored| s.site.source.as_ref().is_some_and(|o| is(&o.file, o.line));
    let among = |lines: &[(std::sync::Arc<str>, u32)]| lines.iter().any(|(file, line)| is(file, *line));
    let told = |s: &Stored| s.origin.told().iter().any(|l| among(l));
    let whole = |s: &Stored| {
        let o = &s.origin;
        [&o.value, &o.place, &o.condition].into_iter().any(|l| among(l))
    };
    // A mistake of a compiler's passes: the plain code is right, and a difference names its store, too.
    let plain = || {
        let object = CodeObject::parse(&case.object).ok()?;
        let shot = &shots(case, Some(m))[c.shot];
        let by_passes = crate::classes::by_passes(m.class) && case.func.is_some();
        Some(case.run_asking(&object, shot, Some(c.at.filter(|_| by_passes)?)).asked)
    };
    match &c.stores {
        all if all.iter().any(own) => Line::At,
        all if all.iter().any(told) => Line::Slice,
        _ if plain().is_some_and(|all| all.iter().any(|s| own(s) || told(s))) => Line::Plain,
        all if all.is_empty() => Line::Elsewhere("the kernel stores nothing any more"),
        all if all.iter().any(|s| whole(s) && s.origin.everything) => {
            Line::Elsewhere("the value depends on all lines, which is not told")
        }
        all if all.iter().any(whole) => Line::Elsewhere("twelve lines are nearer"),
        _ => Line::Elsewhere("the bug is that nothing comes from there any more"),
    }
}

/// How it ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    Caught,
    /// Said to change nothing, nothing differs where that was tried, and nobody said a word.
    Equivalent,
    /// Said to change nothing, and it does.
    Differs,
    /// Nobody said a word, and all that happened were accesses at or past a length more than without the bug: they read 0 and
    /// write nothing, as the language defines.
    RangeCheck,
    /// Nobody noticed.
    Survived,
    /// Somebody noticed something else, or elsewhere.
    Mistaken,
    /// Somebody complained about what changes nothing.
    FalseAlarm,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Verdict::Caught => "caught",
            Verdict::Equivalent => "equivalent",
            Verdict::Differs => "NOT EQUIVALENT",
            Verdict::RangeCheck => "range check",
            Verdict::Survived => "SURVIVED",
            Verdict::Mistaken => "WRONG RULE OR LINE",
            Verdict::FalseAlarm => "FALSE ALARM",
        })
    }
}

fn catch(rule: impl Into<String>, spots: Vec<Spot>, text: impl Into<String>) -> Catch {
    Catch {
        rule: rule.into(),
        spots,
        text: text.into(),
        stores: Vec::new(),
        at: None,
        shot: 0,
    }
}

/// The launches that judge a mutant: its own or the case's, the first of them again with its buffers elsewhere.
fn shots(case: &Case, m: Option<&Mutant>) -> Vec<Shot> {
    let mut all = m.and_then(|m| m.shots.as_ref()).unwrap_or(&case.shots).clone();
    let first = all.first().cloned();
    let elsewhere = first.into_iter().flat_map(|first| {
        [Where::Aligned, Where::Low].map(|where_| Shot {
            odd: Odd {
                where_,
                ..first.odd.clone()
            },
            ..first.clone()
        })
    });
    all.extend(elsewhere);
    all
}

/// Everything that notices, in order; the first in each kind that fits the mutant comes first.
pub fn catches(case: &Case, m: &Mutant) -> Vec<Catch> {
    let bytes = match &m.object {
        Ok(bytes) => bytes,
        Err(e) => return vec![catch("verifier", m.planted.iter().cloned().collect(), e.as_str())],
    };
    let object = match CodeObject::parse(bytes) {
        Ok(o) => o,
        Err(e) => return vec![catch("code-object", vec![], e.to_string())],
    };
    let mut all = statically(&object);
    if all.is_empty() {
        for (n, shot) in shots(case, Some(m)).iter().enumerate() {
            all = dynamically(case, &object, shot);
            all.iter_mut().for_each(|c| c.shot = n);
            if !all.is_empty() {
                break;
            }
        }
    }
    all
}

/// The errors of the static checker, then its warnings.
pub fn statically(object: &CodeObject) -> Vec<Catch> {
    let ours = Options {
        static_lds: true,
        compiled: true,
    };
    let mut found = check_kernel(object, &object.kernels[0], &ours);
    found.sort_by_key(|f| f.severity != Severity::Error);
    let of = |f: t0_backend_rdna3::check::Finding| {
        let spot = f.at.as_ref().map(|at| spot(object, at.offset));
        catch(f.rule, spot.into_iter().collect(), f.to_string())
    };
    found.into_iter().map(of).collect()
}

/// Findings and fault of the simulated card, or wrong outputs.
pub fn dynamically(case: &Case, object: &CodeObject, shot: &crate::case::Shot) -> Vec<Catch> {
    let ran = case.run(object, shot);
    let mut all = Vec::new();
    for f in &ran.findings {
        let sites = [Some(&f.site), f.other.as_ref()];
        let spots = sites.into_iter().flatten().map(|s| spot(object, s.pc)).collect();
        all.push(catch(f.rule, spots, f.text.as_str()));
    }
    if let Some(f) = &ran.fault {
        let spots = f.pc.map(|pc| spot(object, pc)).into_iter().collect();
        all.push(catch(f.kind.rule(), spots, f.to_string()));
    }
    if let (Some(r), Some(f)) = (&ran.report, &case.checked) {
        let site = &f.sites[r.site as usize];
        let spot = format!("{}:{}", f.files[site.span.file as usize], site.span.line);
        all.push(catch("index-out-of-bounds", vec![spot], site.message(r.index, r.len)));
    }
    if let Err(e) = ran.values {
        all.push(Catch {
            stores: e.stores,
            at: e.at,
            ..catch(e.kind, vec![], format!("{}: {}", e.kind, e.text))
        });
    }
    all
}

fn fits(m: &Mutant, c: &Catch) -> bool {
    let rule = m.rules.is_empty() || m.rules.contains(&c.rule.as_str());
    let lines = m.suffers.is_empty() || c.spots.is_empty() || {
        let right = |s: &Spot| m.suffers.contains(s) || m.planted.as_ref() == Some(s);
        c.spots.iter().any(right)
    };
    rule && lines
}

/// Classes that take away the test whether a row of a tile is a row of the matrix.
const GUARDS: [&str; 5] = [
    "self-update removed",
    "CSE with a key that is unknown",
    "scheduled too early",
    "condition ignored",
    "access before its bounds check",
];

/// Whether silence is right for what was done to the edges of a matrix: without the test of its rows, tiles reach past the
/// last row, which is past the end of the buffer, where loads read 0 and stores write nothing, as they do with the test. (Past
/// the last column lies the next row, or NaN: without that test values are wrong.)
fn row_guard(case: &Case, m: &Mutant) -> bool {
    let line = m.planted.as_ref().map(crate::code::source).unwrap_or_default();
    let tiles = line.contains(".tile::<") || line.contains("c.store(acc)");
    case.name.starts_with("gemm") && GUARDS.contains(&m.class) && tiles
}

/// What was done to the number of rounds that the loop of tiles inside their matrices makes: the loop behind it does what is left,
/// so fewer of them are slower and not wrong. Nobody can tell but by the instructions executed, and these must be more.
fn slower(case: &Case, m: &Mutant) -> Option<String> {
    let line = m.planted.as_ref().map(crate::code::source).unwrap_or_default();
    if !line.contains(".step_by(BK)") {
        return None;
    }
    let (right, wrong) = (
        CodeObject::parse(&case.object).ok()?,
        CodeObject::parse(m.object.as_ref().ok()?).ok()?,
    );
    let count = |object: &CodeObject, m: Option<&Mutant>| -> u64 {
        shots(case, m)
            .iter()
            .map(|shot| case.run(object, shot).instructions)
            .sum()
    };
    let (before, after) = (count(&right, None), count(&wrong, Some(m)));
    let launches = crate::evidence::tried(case, m).ok()?;
    let more = format!(
        "the loop for tiles inside leaves more to the one behind it: {after} instructions instead of {before}; no byte differs in {launches} launches"
    );
    (after > before).then_some(more)
}

/// Accesses that range checks of buffers answer with 0, or drop.
fn swallowed(case: &Case, m: &Mutant) -> u64 {
    let Some(object) = m.object.as_ref().ok().and_then(|bytes| CodeObject::parse(bytes).ok()) else {
        return 0;
    };
    let shots = shots(case, Some(m));
    shots.iter().map(|shot| case.run(&object, shot).swallowed).sum()
}

/// The same of the kernel without a bug.
fn swallowed_without(case: &Case) -> u64 {
    let object = CodeObject::parse(&case.object).unwrap();
    let shots = shots(case, None);
    shots.iter().map(|shot| case.run(&object, shot).swallowed).sum()
}

/// What a mutant leaves in memory is not what the kernel leaves as it was written, bit for bit (`main` sees to it that without the
/// bug it is).
fn differs_from_plain(case: &Case, m: &Mutant) -> Option<Catch> {
    let parse = |bytes: &[u8]| CodeObject::parse(bytes).unwrap();
    let (plain, object) = (parse(&case.plain()?), parse(m.object.as_ref().ok()?));
    shots(case, Some(m)).iter().enumerate().find_map(|(n, shot)| {
        let (want, got) = (case.run(&plain, shot).memory, case.run(&object, shot).memory);
        let pairs = want.iter().zip(&got).enumerate();
        let first = |(k, (a, b)): (usize, (&Vec<u8>, &Vec<u8>))| Some((k, a.iter().zip(b).position(|(a, b)| a != b)?));
        let (buffer, byte) = pairs.filter_map(first).next()?;
        let at = (buffer, byte & !3, 4);
        Some(Catch {
            stores: case.run_asking(&object, shot, Some(at)).asked,
            at: Some(at),
            shot: n,
            ..catch(
                "plain",
                vec![],
                format!("byte {byte} of buffer {buffer} differs from plain code"),
            )
        })
    })
}

/// The catch that is written into the table, and the verdict.
pub fn judge(case: &Case, m: &Mutant) -> (Option<Catch>, Verdict) {
    let all = catches(case, m);
    if m.equivalent.is_some() {
        return match (all.into_iter().next(), crate::evidence::tried(case, m)) {
            (None, Ok(n)) => {
                let text = format!("no byte differs in {n} launches");
                (Some(catch("-", vec![], text)), Verdict::Equivalent)
            }
            (None, Err(why)) => (Some(catch("-", vec![], why)), Verdict::Differs),
            (some, _) => (some, Verdict::FalseAlarm),
        };
    }
    if let Some(c) = all.iter().find(|c| fits(m, c)) {
        return (Some(c.clone()), Verdict::Caught);
    }
    match all.into_iter().next() {
        None if swallowed(case, m) > swallowed_without(case) => (None, Verdict::RangeCheck),
        None if row_guard(case, m) && swallowed(case, m) > 0 => (None, Verdict::RangeCheck),
        None => match differs_from_plain(case, m).filter(|c| fits(m, c)) {
            Some(c) => (Some(c), Verdict::Caught),
            None => match slower(case, m) {
                Some(text) => (Some(catch("-", vec![], text)), Verdict::Equivalent),
                None => (None, Verdict::Survived),
            },
        },
        some => (some, Verdict::Mistaken),
    }
}
