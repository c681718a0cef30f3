//! Findings as text: what happened, where, who was on the other side, and the way out, in the form of rustc's messages.
//!
//! Everybody who shows a finding shows this: the runtime's errors and `Gpu::findings`, `#[kernel_test]`, `t0 run`. Nothing in
//! it varies from run to run: places in memory are offsets from what has a name.

use std::fmt;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::finding::{Finding, Severity, Site, Source};
use super::place;

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&render(self))
    }
}

fn render(f: &Finding) -> String {
    let level = match f.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let first = Group::with_title(level.primary_title(f.text.as_str()).id(f.rule));
    let mut first = snippet(first, &f.site);
    let kernel = f.kernel.as_ref().map_or(String::new(), |k| format!(" of kernel `{k}`"));
    let at = format!("{}{kernel}; {}", instruction(&f.site), who(&f.site));
    first = first.element(Level::NOTE.message(at));
    if f.count > 1 {
        first = first.element(Level::NOTE.message(format!("{} accesses in all", f.count)));
    }
    let mut report = vec![first];
    if let Some(other) = &f.other {
        let title = format!("the other side: {}; {}", instruction(other), who(other));
        report.push(snippet(Group::with_title(Level::NOTE.secondary_title(title)), other));
    }
    if let Some(born) = &f.born {
        let title = format!("the value comes from {}", instruction(born));
        report.push(snippet(Group::with_title(Level::NOTE.secondary_title(title)), born));
    }
    if let Some(help) = &f.help {
        report.push(Group::with_title(Level::HELP.secondary_title(help.as_str())));
    }
    Renderer::plain().decor_style(DecorStyle::Ascii).render(&report)
}

fn instruction(s: &Site) -> String {
    format!(
        "instruction `{}` at {}",
        s.instruction,
        place(s.pc, s.function.as_ref())
    )
}

fn who(s: &Site) -> String {
    let [x, y, z] = s.workgroup;
    format!("workgroup ({x}, {y}, {z}) wave {} lane {}", s.wave, s.lane)
}

/// Adds the place in the source, with its line if the file is there.
fn snippet<'a>(group: Group<'a>, site: &'a Site) -> Group<'a> {
    let Some(s) = &site.source else { return group };
    let (line, column) = (s.line as usize, s.column.max(1) as usize);
    match &s.text {
        Some(text) => {
            let mark = AnnotationKind::Primary.span(token(text, s));
            let source = Snippet::source(text.as_str()).line_start(line).path(&*s.file);
            group.element(source.annotation(mark))
        }
        None => group.element(Origin::path(&*s.file).line(line).char_column(column)),
    }
}

/// Byte range of the word or the single character at a source place; the whole line if no column is known.
fn token(text: &str, s: &Source) -> std::ops::Range<usize> {
    let blank = text.len() - text.trim_start().len();
    let Some(column) = (s.column as usize).checked_sub(1) else {
        return blank..text.len();
    };
    let start = text.char_indices().nth(column).map_or(text.len(), |(at, _)| at);
    let rest = &text[start..];
    let word = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
    let word = rest[..word.unwrap_or(rest.len())].trim_end_matches(':').len();
    start..start + word.max(rest.chars().next().map_or(0, char::len_utf8))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn site(line: u32, column: u32, text: Option<&str>, instruction: &str, wave: u32) -> Site {
        Site {
            pc: 0x40 + u64::from(wave) * 8,
            instruction: instruction.into(),
            source: Some(Source {
                file: "src/sums.rs".into(),
                line,
                column,
                text: text.map(str::to_owned),
            }),
            workgroup: [0, 2, 0],
            wave,
            lane: 3,
            ..Site::default()
        }
    }

    fn race() -> Finding {
        Finding {
            rule: "lds-race",
            severity: Severity::Error,
            text: "read here and write by another wave at `sums`, index 31, with nothing to order them".into(),
            kernel: Some("sums".into()),
            site: site(12, 13, Some("    let v = sums[31 - lane];"), "ds_load_b32 v6, v5", 1),
            other: Some(site(10, 0, Some("    sums[lane] = x;"), "ds_store_b32 v2, v1", 0)),
            born: None,
            help: Some("put a `group::barrier()` between them".into()),
            count: 32,
        }
    }

    fn value() -> Finding {
        Finding {
            rule: "uninitialised",
            severity: Severity::Warning,
            text: "v3 (lane 3) is used as an address but was read from `sums`, index 7, which nobody has written"
                .into(),
            other: None,
            born: Some(site(9, 5, None, "ds_load_b32 v3, v0", 0)),
            help: None,
            count: 1,
            ..race()
        }
    }

    fn bare() -> Finding {
        let finding = race();
        Finding {
            kernel: None,
            site: Site {
                source: None,
                function: Some(("helper".into(), 0x10)),
                ..finding.site
            },
            other: None,
            help: None,
            ..finding
        }
    }

    /// `T0_BLESS=1` accepts what is there now.
    #[test]
    fn findings_look_like_the_compilers_messages() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/driver/render.txt");
        let got: Vec<String> = [race(), value(), bare()].iter().map(|f| f.to_string()).collect();
        let got = got.join("\n\n") + "\n";
        if std::env::var_os("T0_BLESS").is_some_and(|v| v == "1") {
            std::fs::write(path, &got).unwrap();
        }
        assert_eq!(
            got,
            std::fs::read_to_string(path).unwrap_or_default(),
            "T0_BLESS=1 accepts it"
        );
    }
}
