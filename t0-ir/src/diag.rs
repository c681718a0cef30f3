//! Diagnostics: what is wrong with the user's kernel, where, and the way out.
//!
//! A [`Diag`] is one sentence with the place it is about, notes that may point at other places, and a help line.
//! It is printed like rustc's own errors. The source line is shown when the file can be read: span file names are what
//! `file!()` gave when the kernel was compiled, so they may be relative to a workspace root above the current directory.

use std::fmt;
use std::path::Path;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use crate::func::Span;

/// Whether a kernel with such a finding compiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Severity {
    /// It does not.
    #[default]
    Error,
    /// It does.
    Warning,
}

/// One finding about the user's kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Diag {
    /// Whether the kernel compiles.
    pub severity: Severity,
    /// What is wrong, one sentence, lower case start.
    pub message: String,
    /// Where.
    pub span: Span,
    /// Further facts, each with its own place if it has one.
    pub notes: Vec<(Option<Span>, String)>,
    /// The way out.
    pub help: Option<String>,
}

impl Diag {
    /// A finding at a place that makes the kernel wrong.
    pub fn new(span: Span, message: impl Into<String>) -> Diag {
        Diag {
            severity: Severity::Error,
            message: message.into(),
            span,
            notes: Vec::new(),
            help: None,
        }
    }

    /// A finding at a place that the kernel compiles with.
    pub fn warning(span: Span, message: impl Into<String>) -> Diag {
        Diag {
            severity: Severity::Warning,
            ..Diag::new(span, message)
        }
    }

    /// Adds a note without a place.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Diag {
        self.notes.push((None, text.into()));
        self
    }

    /// Adds a note about another place.
    #[must_use]
    pub fn note_at(mut self, span: Span, text: impl Into<String>) -> Diag {
        self.notes.push((Some(span), text.into()));
        self
    }

    /// Sets the help line.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Diag {
        self.help = Some(text.into());
        self
    }

    /// Prints the finding as rustc does; `files` are [`crate::Func::files`].
    pub fn render(&self, files: &[String]) -> String {
        let places: Vec<Place> = std::iter::once(Some(self.span))
            .chain(self.notes.iter().map(|n| n.0))
            .map(|s| Place::find(s.unwrap_or_default(), files))
            .collect();
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let mut first = Group::with_title(level.primary_title(&*self.message));
        first = places[0].show(first, AnnotationKind::Primary);
        let mut rest = Vec::new();
        for ((span, text), place) in self.notes.iter().zip(&places[1..]) {
            if span.is_some() {
                let group = Group::with_title(Level::NOTE.secondary_title(&**text));
                rest.push(place.show(group, AnnotationKind::Primary));
            } else {
                first = first.element(Level::NOTE.message(&**text));
            }
        }
        if let Some(help) = &self.help {
            rest.push(Group::with_title(Level::HELP.secondary_title(&**help)));
        }
        let mut report = vec![first];
        report.extend(rest);
        Renderer::plain().decor_style(DecorStyle::Ascii).render(&report)
    }
}

impl fmt::Display for Diag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if self.span.line != 0 {
            write!(f, " (line {}, column {})", self.span.line, self.span.column)?;
        }
        for (_, note) in &self.notes {
            write!(f, "; {note}")?;
        }
        if let Some(help) = &self.help {
            write!(f, "; {help}")?;
        }
        Ok(())
    }
}

/// A span resolved against the file names, with its source line if that could be read.
struct Place<'a> {
    span: Span,
    file: Option<&'a str>,
    line: Option<String>,
}

impl<'a> Place<'a> {
    fn find(span: Span, files: &'a [String]) -> Place<'a> {
        let file = files
            .get(span.file as usize)
            .filter(|_| span.line != 0)
            .map(String::as_str);
        let line = file.and_then(read_source).and_then(|text| {
            let line = text.lines().nth(span.line as usize - 1)?;
            Some(line.to_string())
        });
        Place { span, file, line }
    }

    fn show<'g>(&'g self, group: Group<'g>, kind: AnnotationKind) -> Group<'g> {
        let Some(file) = self.file else { return group };
        let (line, column) = (self.span.line as usize, self.span.column.max(1) as usize);
        match &self.line {
            Some(text) => group.element(
                Snippet::source(&**text)
                    .line_start(line)
                    .path(file)
                    .annotation(kind.span(token_at(text, column))),
            ),
            None => group.element(Origin::path(file).line(line).char_column(column)),
        }
    }
}

/// The file as named, under a directory above the current one (tests run in their package's directory), or under one
/// above this crate's source.
fn read_source(file: &str) -> Option<String> {
    if let Ok(text) = std::fs::read_to_string(file) {
        return Some(text);
    }
    if Path::new(file).is_absolute() {
        return None;
    }
    let here = std::env::current_dir().unwrap_or_default();
    here.ancestors()
        .skip(1)
        .chain(Path::new(env!("CARGO_MANIFEST_DIR")).ancestors())
        .find_map(|dir| std::fs::read_to_string(dir.join(file)).ok())
}

/// Byte range of the path or single character that starts at a column (in characters, from 1).
fn token_at(line: &str, column: usize) -> std::ops::Range<usize> {
    let start = line.char_indices().nth(column - 1).map_or(line.len(), |(at, _)| at);
    let rest = &line[start..];
    let word = rest
        .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'))
        .unwrap_or(rest.len());
    let word = rest[..word].trim_end_matches(':').len();
    let len = word.max(rest.chars().next().map_or(0, char::len_utf8));
    start..start + len
}

/// One or more findings: the error type of everything that judges a kernel.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Diags(pub Vec<Diag>);

impl Diags {
    /// Adds a finding.
    pub fn push(&mut self, diag: Diag) {
        self.0.push(diag);
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `Ok` if there are none, else all of them as the error.
    ///
    /// # Errors
    /// The findings.
    pub fn into_result(self) -> Result<(), Diags> {
        if self.is_empty() {
            Ok(())
        } else {
            Err(self)
        }
    }

    /// Prints all findings as rustc does, with an empty line between them.
    pub fn render(&self, files: &[String]) -> String {
        let all: Vec<String> = self.0.iter().map(|d| d.render(files)).collect();
        all.join("\n\n")
    }
}

impl From<Diag> for Diags {
    fn from(diag: Diag) -> Diags {
        Diags(vec![diag])
    }
}

impl fmt::Display for Diags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, d) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            d.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Diags {}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(line: u32, column: u32) -> Span {
        Span { file: 0, line, column }
    }

    #[test]
    fn shows_the_source_line_when_it_can() {
        let diag = Diag::new(span(1, 5), "the first line is shown")
            .note("a plain note")
            .note_at(span(8, 1), "another place")
            .help("do something else");
        let text = diag.render(&["t0-ir/src/diag.rs".to_string()]);
        assert!(text.starts_with("error: the first line is shown\n"), "{text}");
        assert!(text.contains("t0-ir/src/diag.rs:1:5"), "{text}");
        assert!(text.contains("1 | //! Diagnostics: what is wrong"), "{text}");
        assert!(text.contains("= note: a plain note"), "{text}");
        assert!(text.contains("note: another place\n"), "{text}");
        assert!(text.contains("8 | use std::path::Path;"), "{text}");
        assert!(text.contains("help: do something else"), "{text}");
    }

    #[test]
    fn no_source_no_line() {
        let text = Diag::new(span(3, 7), "gone").render(&["no/such/file.rs".to_string()]);
        assert!(text.contains("no/such/file.rs:3:7"), "{text}");
        let text = Diag::new(Span::default(), "nowhere").render(&[]);
        assert_eq!(text, "error: nowhere");
    }

    #[test]
    fn token_is_a_whole_path() {
        assert_eq!(token_at("  wave::sum(x)", 3), 2..11);
        assert_eq!(token_at("a + b", 3), 2..3);
        assert_eq!(token_at("ab", 9), 2..2);
    }
}
