//! File tests of the errata table: `tests/files/errata/RULE.t0` holds for each rule that code alone decides a triggering
//! sequence, its mended form and a near miss, and below `; expected:` what is found in them. `T0_BLESS=1` rewrites that.
//!
//! Sections are `; trigger`, `; mended`, `; near miss`, each possibly followed by ` on TARGET waveN` (gfx1100 wave32 unless
//! told). Whatever is blessed, a trigger must break the rule and nothing else, the other sections must be silent, and where the
//! table knows an instruction to insert, the mended form must be the trigger with that instruction.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use t0_backend_rdna3::errata::{Facts, Hit, Scope, State, ERRATA};
use t0_backend_rdna3::isa::{parse, Inst};
use t0_backend_rdna3::target::Target;

const MARK: &str = "; expected:";

struct Section {
    title: String,
    target: Target,
    code: Vec<Inst>,
}

fn sections(text: &str) -> Vec<Section> {
    let mut out: Vec<Section> = Vec::new();
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty()) {
        if let Some(head) = line.strip_prefix("; ") {
            let (title, place) = head.split_once(" on ").unwrap_or((head, "gfx1100 wave32"));
            let (name, wave) = place.split_once(" wave").unwrap();
            out.push(Section {
                title: title.into(),
                target: Target::from_name(name).unwrap().with_wave_size(wave.parse().unwrap()),
                code: Vec::new(),
            });
        } else {
            let section = out.last_mut().unwrap();
            let inst = parse(line, &section.target).unwrap_or_else(|e| panic!("{line}: {e}"));
            section.code.push(inst);
        }
    }
    out
}

/// Number of the instruction and what is wrong there.
fn walk(code: &[Inst], target: &Target) -> Vec<(usize, Hit)> {
    let facts: Vec<Facts> = code.iter().map(|i| Facts::of(i, target)).collect();
    let back = facts.iter().any(|f| f.looks_back(target));
    let mut state = State::new(target, back);
    let mut out = Vec::new();
    for (at, f) in facts.iter().enumerate() {
        let mut hits = Vec::new();
        // What the simulated card skips as harmless must be harmless.
        if state.armed() || f.matters() {
            state.hits(f, &mut hits);
            state.issue(f, at as u32);
        }
        out.extend(hits.into_iter().map(|h| (at, h)));
    }
    out
}

fn report(all: &[Section]) -> String {
    let mut out = String::new();
    for s in all {
        write!(out, "{} on {} wave{}:", s.title, s.target.name, s.target.wave_size).unwrap();
        let found = walk(&s.code, &s.target);
        if found.is_empty() {
            out.push_str(" silent\n");
            continue;
        }
        out.push('\n');
        for (at, h) in found {
            write!(out, "  {}: {} {}", s.code[at], h.severity(), h.rule.name()).unwrap();
            if let Some((file, r)) = h.reg {
                write!(out, " {file}{r}").unwrap();
            }
            if let Some(by) = h.by {
                write!(out, " after `{}`", s.code[by as usize]).unwrap();
            }
            match h.fix.inst() {
                Some(fix) => writeln!(out, "; before it: {fix}").unwrap(),
                None => out.push_str("; to be rewritten\n"),
            }
        }
    }
    out
}

/// The trigger with every fix in its place.
fn mend(s: &Section) -> Vec<String> {
    let found = walk(&s.code, &s.target);
    let mut out = Vec::new();
    for (at, inst) in s.code.iter().enumerate() {
        let fixes = found.iter().filter(|(k, _)| *k == at).filter_map(|(_, h)| h.fix.inst());
        out.extend(fixes.map(|f| f.to_string()));
        out.push(inst.to_string());
    }
    out
}

fn check(rule: &str, all: &[Section]) {
    let mut seen = BTreeSet::new();
    let mut trigger = None;
    for s in all {
        seen.insert(s.title.as_str());
        let found = walk(&s.code, &s.target);
        if s.title == "trigger" {
            assert!(!found.is_empty(), "{rule}: the trigger is silent");
            let other = found.iter().find(|(_, h)| h.rule.name() != rule);
            assert!(other.is_none(), "{rule}: another rule is broken: {other:?}");
            trigger = Some(s);
        } else {
            assert!(found.is_empty(), "{rule}: `{}` is not silent: {found:?}", s.title);
        }
        let mendable = trigger.is_some_and(|t| walk(&t.code, &t.target).iter().all(|(_, h)| h.fix.inst().is_some()));
        if let ("mended", true, Some(t)) = (s.title.as_str(), mendable, trigger) {
            let got: Vec<String> = s.code.iter().map(Inst::to_string).collect();
            assert_eq!(mend(t), got, "{rule}: mended by other means than the table's");
        }
    }
    let all = BTreeSet::from(["trigger", "mended", "near miss"]);
    assert_eq!(seen, all, "{rule}: sections");
}

#[test]
fn every_rule_triggers_is_mended_and_keeps_silent() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files/errata");
    let bless = std::env::var_os("T0_BLESS").is_some_and(|v| v == "1");
    let mut files = 0;
    for e in ERRATA.iter().filter(|e| e.scope == Scope::Code) {
        let path = dir.join(format!("{}.t0", e.name));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("no file {}", path.display()));
        let (front, want) = text.split_once(&format!("{MARK}\n")).unwrap_or((&text, ""));
        let (head, body) = front.split_once('\n').unwrap();
        assert_eq!(head, format!("test errata {}", e.name));
        let all = sections(body);
        check(e.name, &all);
        let got = report(&all);
        if got != want && bless {
            std::fs::write(&path, format!("{}\n\n{MARK}\n{got}", front.trim_end())).unwrap();
        } else {
            assert_eq!(got, want, "{}: T0_BLESS=1 accepts the new output", e.name);
        }
        files += 1;
    }
    assert_eq!(
        std::fs::read_dir(dir).unwrap().count(),
        files,
        "files of rules that do not exist"
    );
}
