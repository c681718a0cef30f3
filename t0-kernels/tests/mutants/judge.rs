//! Who notices a bug first, and whether what is said is the truth.
//!
//! Catchers in order: the static checker, the reader of code objects and the IR's verifier; the sanitizer and faults of the
//! simulated card with their rules (deadlocks and endless loops among them); checks of indices that the kernel itself makes
//! when it is compiled with them; guards and poison; values against the
//! reference. A catch counts when its rule is one of those the mutant must be caught by, and its line is the planted
//! instruction's or that of an instruction that suffers from it.

use std::collections::BTreeSet;
use std::fmt;

use t0_backend_rdna3::check::{check_kernel, Options};
use t0_backend_rdna3::errata::Severity;
use t0_backend_rdna3::object::CodeObject;

use crate::case::Case;

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
    /// Why it changes nothing, if that was computed.
    pub equivalent: Option<String>,
    /// Launches instead of the case's.
    pub shots: Option<Vec<crate::case::Shot>>,
}

/// What was said about a mutant.
#[derive(Clone, Debug)]
pub struct Catch {
    pub rule: String,
    pub spots: Vec<Spot>,
    pub text: String,
}

/// How it ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    Caught,
    /// Proven to change nothing, and nobody said a word.
    Equivalent,
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
    }
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
        for shot in m.shots.as_ref().unwrap_or(&case.shots) {
            all = dynamically(case, &object, shot);
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
        let rule = e.split(':').next().unwrap_or("values").to_string();
        all.push(catch(rule, vec![], e));
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

/// Accesses that range checks of buffers answer with 0, or drop.
fn swallowed(case: &Case, m: &Mutant) -> u64 {
    let Some(object) = m.object.as_ref().ok().and_then(|bytes| CodeObject::parse(bytes).ok()) else {
        return 0;
    };
    let shots = m.shots.as_ref().unwrap_or(&case.shots);
    shots.iter().map(|shot| case.run(&object, shot).swallowed).sum()
}

/// The same of the kernel without a bug.
fn swallowed_without(case: &Case) -> u64 {
    let object = CodeObject::parse(&case.object).unwrap();
    case.shots.iter().map(|shot| case.run(&object, shot).swallowed).sum()
}

/// The catch that is written into the table, and the verdict.
pub fn judge(case: &Case, m: &Mutant) -> (Option<Catch>, Verdict) {
    let all = catches(case, m);
    if m.equivalent.is_some() {
        return match all.into_iter().next() {
            None => (None, Verdict::Equivalent),
            some => (some, Verdict::FalseAlarm),
        };
    }
    if let Some(c) = all.iter().find(|c| fits(m, c)) {
        return (Some(c.clone()), Verdict::Caught);
    }
    match all.into_iter().next() {
        None if swallowed(case, m) > swallowed_without(case) => (None, Verdict::RangeCheck),
        None if row_guard(case, m) && swallowed(case, m) > 0 => (None, Verdict::RangeCheck),
        None => (None, Verdict::Survived),
        some => (some, Verdict::Mistaken),
    }
}
