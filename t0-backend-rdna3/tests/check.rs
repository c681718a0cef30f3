//! File tests of the static checker: `tests/files/check/*.s` hold, for each of its rules, kernels that break it and kernels
//! that nearly do, and below `; expected:` what is found in them. `T0_BLESS=1` rewrites that.
//!
//! A file begins with `; test check RULE`. Sections begin with `; == trigger` or `; == near miss`, possibly followed by what
//! it is about and by ` on TARGET waveN` (gfx1100 wave32 unless told). A section is code; `.amdhsa_` lines go into its kernel's
//! descriptor, `; descriptor OFFSET = VALUE` overwrites a word of it, `; no padding` leaves out the words behind the code,
//! `; compiled` makes it code of this crate's compiler.
//! Whatever is blessed: a trigger must break the rule, a near miss must be silent. Only the files of `uninitialised` care
//! whether registers have been written.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use t0_backend_rdna3::asm::{assemble, AsmOptions};
use t0_backend_rdna3::check::{check, check_code, Finding, Options, RULES};
use t0_backend_rdna3::errata::{Rule, Scope, Severity, ERRATA};
use t0_backend_rdna3::isa::{encode, parse};
use t0_backend_rdna3::object::CodeObject;
use t0_backend_rdna3::target::{Target, GFX1100};

const MARK: &str = "; expected:";

struct Section {
    title: String,
    target: Target,
    lines: Vec<String>,
}

fn sections(text: &str) -> Vec<Section> {
    let mut out: Vec<Section> = Vec::new();
    for line in text.lines() {
        if let Some(head) = line.strip_prefix("; == ") {
            let (title, place) = head.rsplit_once(" on gfx").unwrap_or((head, "1100 wave32"));
            let (number, wave) = place.split_once(" wave").unwrap();
            let name = format!("gfx{number}");
            out.push(Section {
                title: title.into(),
                target: Target::from_name(&name).unwrap().with_wave_size(wave.parse().unwrap()),
                lines: Vec::new(),
            });
        } else if !line.trim().is_empty() {
            out.last_mut().unwrap().lines.push(line.into());
        }
    }
    out
}

/// Keys of a kernel's metadata that the assembler requires and the section does not care about.
fn other_keys(s: &Section) -> String {
    let keys = [
        (".kernarg_segment_align", 8),
        (".wavefront_size", s.target.wave_size),
        (".sgpr_count", 108),
        (".vgpr_count", 1),
        (".max_flat_workgroup_size", 1024),
    ];
    let given = |key: &str| s.lines.iter().any(|l| l.contains(key));
    let missing = keys.into_iter().filter(|(key, _)| !given(key));
    missing.map(|(key, value)| format!("    {key}: {value}\n")).collect()
}

/// The section's kernel as a file for the assembler.
fn source(s: &Section) -> String {
    let (mut code, mut directives, mut metadata) = (String::new(), String::new(), String::new());
    let (mut in_metadata, mut padded) = (false, true);
    for line in &s.lines {
        let text = line.trim();
        in_metadata |= text == ".amdgpu_metadata";
        if in_metadata {
            writeln!(metadata, "{line}").unwrap();
            if text.starts_with(".symbol:") {
                metadata += &other_keys(s);
            }
            in_metadata = text != ".end_amdgpu_metadata";
        } else if text.starts_with(".amdhsa_") {
            writeln!(directives, "\t{line}").unwrap();
        } else if text == "; no padding" {
            padded = false;
        } else if !text.starts_with("; descriptor") && text != "; compiled" {
            writeln!(code, "{line}").unwrap();
        }
    }
    let label = if code.lines().any(|l| l == "k:") { "" } else { "k:\n" };
    let size = if code.contains(".size k") {
        ""
    } else {
        ".Lk_end:\n\t.size k, .Lk_end-k\n"
    };
    let padding = if padded { "\t.fill 64, 4, 0xbf9f0000\n" } else { "" };
    let default = |name: &str, value: &str| {
        if directives.contains(name) {
            String::new()
        } else {
            format!("\t\t{name} {value}\n")
        }
    };
    let defaults = default(".amdhsa_next_free_vgpr", "8")
        + &default(".amdhsa_next_free_sgpr", "32")
        + &default(".amdhsa_user_sgpr_count", "15")
        + &default(
            ".amdhsa_group_segment_fixed_size",
            if code.contains("\tds_") { "1024" } else { "0" },
        );
    let wave = u32::from(s.target.wave_size == 32);
    format!(
        "\t.amdgcn_target \"amdgcn-amd-amdhsa--{}\"\n\t.text\n\t.p2align 8\n\t.type k,@function\n{label}{code}{size}{padding}\
         \t.section .rodata,\"a\",@progbits\n\t.p2align 6\n\t.amdhsa_kernel k\n{defaults}{directives}\
         \t\t.amdhsa_wavefront_size32 {wave}\n\t.end_amdhsa_kernel\n{metadata}",
        s.target.name
    )
}

fn object(s: &Section) -> CodeObject {
    let source = source(s);
    let made = assemble(&source, &AsmOptions::default());
    let mut file = made.unwrap_or_else(|e| panic!("{}: {e:?}\n{source}", s.title)).file;
    let at = CodeObject::parse(&file).unwrap().kernels[0].descriptor_vaddr as usize;
    for line in &s.lines {
        if let Some(patch) = line.trim().strip_prefix("; descriptor ") {
            let (offset, value) = patch.split_once(" = 0x").unwrap();
            let offset = at + offset.parse::<usize>().unwrap();
            let value = u32::from_str_radix(value, 16).unwrap();
            // Read-only data is where its address says.
            file[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
        }
    }
    CodeObject::parse(&file).unwrap()
}

fn findings(s: &Section, rule: &str) -> Vec<Finding> {
    let options = Options {
        compiled: s.lines.iter().any(|l| l.trim() == "; compiled"),
        ..Options::default()
    };
    let mut reports = check(&object(s), &options);
    assert_eq!(reports.len(), 1);
    let mut found = reports.remove(0).findings;
    found.retain(|f| rule == f.rule || f.rule != "uninitialised");
    found
}

fn report(all: &[Section], rule: &str) -> String {
    let mut out = String::new();
    for s in all {
        write!(out, "{} on {} wave{}:", s.title, s.target.name, s.target.wave_size).unwrap();
        let found = findings(s, rule);
        if found.is_empty() {
            out.push_str(" silent");
        }
        out.push('\n');
        for f in found {
            let other = f.related.as_ref().map(|r| format!(" (see {r})")).unwrap_or_default();
            let register = f.register.as_ref().map(|r| format!(" [{r}]")).unwrap_or_default();
            writeln!(out, "  {f}{other}{register}").unwrap();
        }
    }
    out
}

fn files() -> Vec<(PathBuf, String)> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files/check");
    let mut all: Vec<PathBuf> = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
    all.sort();
    all.into_iter()
        .map(|p| {
            let text = std::fs::read_to_string(&p).unwrap();
            (p, text)
        })
        .collect()
}

#[test]
fn every_rule_has_what_breaks_it_and_what_nearly_does() {
    let bless = std::env::var_os("T0_BLESS").is_some_and(|v| v == "1");
    let mut tested = BTreeSet::new();
    for (path, text) in files() {
        let (front, want) = text.split_once(&format!("{MARK}\n")).unwrap_or((&text, ""));
        let (head, body) = front.split_once('\n').unwrap();
        let rule = head.strip_prefix("; test check ").unwrap();
        tested.insert(rule.to_owned());
        let all = sections(body);
        let (mut triggers, mut misses) = (0, 0);
        for s in &all {
            let found = findings(s, rule);
            if s.title.starts_with("trigger") {
                triggers += 1;
                assert!(found.iter().any(|f| f.rule == rule), "{rule}: {}: {found:?}", s.title);
            } else {
                misses += 1;
                assert!(s.title.starts_with("near miss"), "{}", s.title);
                assert!(found.is_empty(), "{rule}: {}: {found:?}", s.title);
            }
        }
        assert!(triggers > 0 && misses > 0, "{rule}: sections");
        let got = report(&all, rule);
        if got != want && bless {
            std::fs::write(&path, format!("{}\n\n{MARK}\n{got}", front.trim_end())).unwrap();
        } else {
            assert_eq!(got, want, "{}: T0_BLESS=1 accepts the new output", path.display());
        }
    }
    let descriptor = ERRATA.iter().filter(|e| e.scope == Scope::Descriptor).map(|e| e.name);
    for rule in RULES.iter().map(|r| r.0).chain(descriptor) {
        assert!(tested.contains(rule), "no file breaks {rule}");
    }
}

#[test]
fn rules_have_names_of_their_own() {
    let mut names = BTreeSet::new();
    let errata = ERRATA.iter().map(|e| e.name);
    for name in RULES.iter().map(|r| r.0).chain(errata) {
        assert!(names.insert(name), "{name} twice");
    }
}

/// Lines of assembly as bytes.
fn code(lines: &[&str]) -> Vec<u8> {
    let inst = |l: &&str| encode(&parse(l, &GFX1100).unwrap_or_else(|e| panic!("{l}: {e}")), &GFX1100).unwrap();
    lines.iter().flat_map(inst).collect()
}

#[test]
fn kernels_that_get_no_other_lds_must_declare_theirs() {
    let text =
        "; == x\n\t.amdhsa_group_segment_fixed_size 64\n\tv_mov_b32_e32 v0, 64\n\tds_store_b32 v0, v1\n\ts_endpgm\n";
    let object = object(&sections(text)[0]);
    for (static_lds, severity) in [(false, Severity::Warning), (true, Severity::Error)] {
        let options = Options {
            static_lds,
            ..Options::default()
        };
        let mut found = check(&object, &options).remove(0).findings;
        found.retain(|f| f.rule != "uninitialised");
        let [f] = &found[..] else { panic!("{found:?}") };
        assert_eq!((f.rule, f.severity), ("lds-out-of-bounds", severity));
    }
}

#[test]
fn workgroups_of_one_wave_need_no_barrier() {
    let text = |items: u32| {
        format!(
            "; == x\n\t.amdhsa_group_segment_fixed_size 4\n\tds_store_b32 v0, v1\n\ts_barrier\n\ts_endpgm\n\t.amdgpu_metadata\n\
             amdhsa.version: [1, 2]\namdhsa.kernels:\n  - .name: k\n    .symbol: k.kd\n    .kernarg_segment_size: 0\n    \
             .group_segment_fixed_size: 4\n    .private_segment_fixed_size: 0\n    .max_flat_workgroup_size: {items}\n\
             \t.end_amdgpu_metadata\n"
        )
    };
    let rule = "barrier-without-wait";
    assert_eq!(findings(&sections(&text(32))[0], rule), []);
    assert_eq!(findings(&sections(&text(33))[0], rule)[0].rule, rule);
}

#[test]
fn every_hazard_of_the_table_is_found_in_code() {
    let lines = ["v_exp_f32_e32 v1, v0", "v_add_f32_e32 v4, v1, v2", "s_endpgm"];
    let found = check_code(&code(&lines), &GFX1100);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].rule, Rule::ValuTransUse.name());
    assert_eq!(found[0].fix, "s_waitcnt_depctr 0xfff before it");
    assert_eq!(found[0].related.as_ref().map(|r| r.offset), Some(0));
}

#[test]
fn damaged_code_objects_never_panic() {
    let text = files();
    let mut seed = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = move |n: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % n as u64) as usize
    };
    for (_, text) in text.iter().filter(|(_, t)| !t.contains("; descriptor")) {
        let body = text.split_once(MARK).map_or(text.as_str(), |t| t.0);
        for s in sections(body.split_once('\n').unwrap().1) {
            let file = assemble(&source(&s), &AsmOptions::default()).unwrap().file;
            for _ in 0..20 {
                let mut bad = file.clone();
                for _ in 0..1 + next(4) {
                    let at = next(bad.len());
                    bad[at] = next(256) as u8;
                }
                if let Ok(object) = CodeObject::parse(&bad) {
                    check(&object, &Options::default());
                }
            }
        }
    }
}
