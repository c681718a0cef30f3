//! `t0 check`: what is wrong with a code object, without running it.

use crate::device::check_target;
use crate::error::{read_file, CliError};
use crate::output::{Outcome, Output};
use serde_json::{json, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use t0_backend_rdna3::check::{check, Finding, Options, Report};
use t0_backend_rdna3::errata::Severity;
use t0_backend_rdna3::listing::CHANGED;
use t0_backend_rdna3::object::lines::is_changed;
use t0_backend_rdna3::object::{CodeObject, Piece};
use t0_backend_rdna3::target::Target;
use t0_runtime::read_source;

/// Arguments of `t0 check`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A linked code object
    file: PathBuf,
    /// Only this kernel
    #[arg(long)]
    kernel: Option<String>,
}

/// Runs the command. Errors are findings for the exit status, warnings are not.
pub fn run(args: &Args, target: Option<Target>, out: &mut Output) -> Result<Outcome, CliError> {
    let object_error = |source| CliError::Object {
        path: args.file.clone(),
        source,
    };
    let object = CodeObject::parse(&read_file(&args.file)?).map_err(object_error)?;
    check_target(target, &object.target, &args.file)?;
    if object.kernels.is_empty() {
        return Err(CliError::Usage(no_kernel(&object, &args.file)));
    }
    let mut reports = check(&object, &Options::default());
    if let Some(name) = &args.kernel {
        object.kernel(name).map_err(object_error)?;
        reports.retain(|r| r.kernel == *name);
    }
    let count = |severity| {
        let all = reports.iter().flat_map(|r| &r.findings);
        all.filter(|f| f.severity == severity).count()
    };
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    if out.json() {
        out.document(&json!({ "kernels": reports.iter().map(report_json).collect::<Vec<_>>() }))?;
    } else {
        for r in &reports {
            let sources = object.kernel(&r.kernel).map_or(&[][..], |k| &k.sources);
            for f in &shown(r, sources) {
                out.text(f)?;
            }
        }
        let s = |n: usize| if n == 1 { "" } else { "s" };
        let n = reports.len();
        out.line(&format!(
            "{}: {n} kernel{}, {errors} error{}, {warnings} warning{}",
            args.file.display(),
            s(n),
            s(errors),
            s(warnings)
        ))?;
    }
    Ok(Outcome::finding(errors > 0))
}

/// Functions that are named in a file without kernels.
const MOST_NAMED: usize = 8;

/// What a file without kernels has instead: a library of functions can have waits missing, too, but nobody launches it.
fn no_kernel(object: &CodeObject, path: &Path) -> String {
    let names: Vec<&str> = object.functions.iter().map(|f| f.name.as_str()).collect();
    let rest = names.len().saturating_sub(MOST_NAMED);
    let list = names[..names.len() - rest].join(", ");
    let has = match names.len() {
        0 => "no function either".to_owned(),
        1 => format!("only the function {list}"),
        n if rest > 0 => format!("{n} functions ({list} and {rest} more)"),
        n => format!("{n} functions ({list})"),
    };
    format!(
        "{} has no kernel (no symbol NAME.kd of a kernel descriptor), so there is nothing to check; it has {has}. Check the code object of a kernel that \
         calls its functions",
        path.display()
    )
}

/// Findings of one rule in one kernel that the text shows.
const MOST_SHOWN: usize = 20;

/// The findings of a kernel as text: of each rule the first ones, and how many more there are.
fn shown(r: &Report, sources: &[Piece]) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut all = Vec::new();
    for f in &r.findings {
        let n = counts.entry(f.rule).or_default();
        *n += 1;
        if *n <= MOST_SHOWN {
            all.push(text(&r.kernel, f, sources));
        }
    }
    for (rule, n) in counts.into_iter().filter(|(_, n)| *n > MOST_SHOWN) {
        let more = n - MOST_SHOWN;
        all.push(format!("{more} more of [{rule}] in {} (--json has all)\n", r.kernel));
    }
    all
}

/// A finding over several lines: rule and instruction, source line, what is wrong, what to do.
fn text(kernel: &str, f: &Finding, sources: &[Piece]) -> String {
    let mut s = match &f.at {
        Some(at) => {
            let name = at.function.as_deref().unwrap_or(kernel);
            format!(
                "{}[{}] {name}+{:#x}: {}\n",
                f.severity, f.rule, at.offset, f.instruction
            )
        }
        None => format!("{}[{}] {kernel}: kernel descriptor\n", f.severity, f.rule),
    };
    if let Some(line) = &f.line {
        let source = read_source(&line.file);
        let line_of = |t: &'_ str| match is_changed(sources, &line.file, t) {
            true => Some(format!("({CHANGED})")),
            false => t.lines().nth(line.line as usize - 1).map(str::to_owned),
        };
        let source = source.as_deref().and_then(line_of);
        s += &format!("  {}:{}:{}", line.file, line.line, line.column);
        s += &source.map(|t| format!(": {}", t.trim())).unwrap_or_default();
        s.push('\n');
    }
    s += &format!("  {}", f.text);
    if let Some(other) = &f.related {
        s += &format!(" (see {other})");
    }
    s + &format!("\n  fix: {}\n", f.fix)
}

fn report_json(r: &Report) -> Value {
    json!({ "name": r.kernel, "findings": r.findings.iter().map(finding_json).collect::<Vec<_>>() })
}

fn finding_json(f: &Finding) -> Value {
    let at = f.at.as_ref();
    json!({
        "rule": f.rule,
        "severity": f.severity.to_string(),
        "offset": at.map_or(0, |a| a.offset),
        "address": at.map(|a| a.address),
        "function": at.and_then(|a| a.function.as_ref()),
        "instruction": if at.is_some() { &f.instruction } else { "kernel descriptor" },
        "register": f.register,
        "related": f.related.as_ref().map(|a| a.offset),
        "text": f.text,
        "fix": f.fix,
        "file": f.line.as_ref().map(|l| l.file.to_string()),
        "line": f.line.as_ref().map(|l| l.line),
        "column": f.line.as_ref().map(|l| l.column),
    })
}
