//! What came of a case, and how a failure is told.

use std::collections::BTreeMap;
use std::mem::{discriminant, Discriminant};
use std::panic::Location;

use super::asks::Drawn;
use super::draw::{Case, Draw};
use super::Plan;
use crate::error::Error;

/// What came of one case.
#[derive(Default)]
pub(super) struct Outcome {
    pub failure: Option<String>,
    pub kind: Kind,
    /// The call of the test that found it.
    pub place: Option<&'static Location<'static>>,
    /// The launches whose grid had no workgroup.
    pub idle: Vec<&'static Location<'static>>,
    /// Indices were checked.
    pub checked: bool,
    /// Every draw that was made.
    pub case: Case,
    pub drawn: BTreeMap<String, Drawn>,
}

/// How a case failed. A smaller case stands for a larger one only if it fails in the same way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    /// The test says so.
    #[default]
    Said,
    /// The test panicked, there.
    Panic(String),
    /// A launch failed with such an error.
    Launch(Discriminant<Error>),
    /// A launch did not end.
    Endless,
    /// The sanitizer found a mistake, by this rule.
    Finding(String),
    /// Something was written that must not be.
    Stray,
    /// Plain and optimised code differ.
    Differs,
    /// An element is not what is expected.
    Wrong,
}

impl Outcome {
    /// The failure, which launches had nothing to do, and which call of the test found it.
    pub fn text(&self) -> String {
        let mut text = self.failure.clone().unwrap_or_default();
        for at in &self.idle {
            text += &format!("\nnote: the grid of the launch at {at} is empty (0 workgroups): nothing ran there");
        }
        if let Some(at) = self.place {
            text += &format!("\nnote: found by the test at {at}");
        }
        text
    }
}

/// What a launch that failed is told as.
pub(super) fn of_launch(e: &Error) -> (Kind, String) {
    match e {
        // The next case gets another device.
        Error::Fault { kernel, report, .. } => {
            let endless = report.starts_with("error[endless-loop]");
            let kind = if endless {
                Kind::Endless
            } else {
                Kind::Launch(discriminant(e))
            };
            let help = match endless {
                true => {
                    "\nhelp: if it only takes long, `#[kernel_test(instructions = N)]` allows a wave N instructions"
                }
                false => "",
            };
            (kind, format!("kernel `{kernel}` faulted:\n{report}{help}"))
        }
        e => (Kind::Launch(discriminant(e)), e.to_string()),
    }
}

/// A finding of the sanitizer with the way out that a test has.
pub(super) fn with_help(text: &str) -> String {
    let help = "an output holds nothing until a kernel writes it: a buffer that has values before is made by `t.inout`";
    text.replace(t0_sim::UNWRITTEN, help)
}

/// The kind of a finding of the sanitizer, as rustc would print it: `error[rule]: …`.
pub(super) fn of_finding(text: &str) -> Kind {
    let rule = text.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    Kind::Finding(rule.map_or_else(String::new, |(rule, _)| rule.to_string()))
}

/// The smallest failing case as a test of its own.
pub(super) fn report(name: &str, plan: &Plan, best: &Outcome, [n, cases, tried]: [usize; 3], seed: u64) -> String {
    let lowest = |name: &str| best.drawn.get(name).map_or(0, |d| d.lowest);
    let case = best.case.clone().short(lowest);
    format!(
        "{name} fails: {}\n\n\
         case {n} of {cases}, made smaller in {tried} steps (T0_TEST_SEED={seed:#x} draws the same ones); as a test:\n\n{}",
        best.text(),
        test_text(name, plan, &case, best)
    )
}

/// A test of one case, to paste next to the property test.
fn test_text(name: &str, plan: &Plan, case: &Case, best: &Outcome) -> String {
    let shapes = best.case.0.iter().filter_map(|(name, d)| match d {
        Draw::Size(n) if !name.contains('.') && name.ends_with(|c: char| c.is_ascii_digit()) => {
            Some(format!("_{name}_{n}"))
        }
        Draw::Size(n) if !name.contains('.') => Some(format!("_{name}{n}")),
        _ => None,
    });
    let suffix: String = shapes.collect();
    let suffix = if suffix.is_empty() { "_case".into() } else { suffix };
    let text = case.to_string();
    // What the environment asks for is part of the case, too.
    let checked = if best.checked { ", checked" } else { "" };
    let instructions = plan
        .instructions
        .map_or(String::new(), |n| format!(", instructions = {n}"));
    format!(
        "#[t0::kernel_test(case = {text:?}{checked}{instructions})]\n\
         fn {name}{suffix}(t: &mut t0::testing::KernelTest) {{\n    {name}(t)\n}}\n"
    )
}
