//! Standard output: text as a command writes it, or one JSON document.

use crate::error::{write_file, CliError};
use serde::Serialize;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// How a command that could do its work ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing to complain about: status 0.
    Fine,
    /// Something was found or a check failed: status 1.
    Finding,
}

impl Outcome {
    /// [`Outcome::Finding`] when there is one.
    pub fn finding(found: bool) -> Outcome {
        if found {
            Outcome::Finding
        } else {
            Outcome::Fine
        }
    }
}

/// How a page of text is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For people.
    Text,
    /// For scripts.
    Json,
}

/// What both `--json` and `--format` ask for.
///
/// Errors: they ask for different things.
pub fn format<F: Copy + PartialEq>(
    json: bool,
    asked: Option<F>,
    [text_format, json_format]: [F; 2],
) -> Result<F, CliError> {
    match (json, asked) {
        (true, Some(f)) if f != json_format => Err(CliError::Usage(
            "--json asks for another format than --format; give one".into(),
        )),
        (true, _) => Ok(json_format),
        (false, f) => Ok(f.unwrap_or(text_format)),
    }
}

/// Where a command prints.
pub struct Output {
    json: bool,
    writer: Box<dyn Write>,
}

impl Output {
    /// Standard output.
    pub fn stdout(json: bool) -> Output {
        Output {
            json,
            writer: Box::new(io::stdout().lock()),
        }
    }

    /// Whether JSON is wanted instead of text.
    pub fn json(&self) -> bool {
        self.json
    }

    /// Writes text as it is.
    pub fn text(&mut self, text: &str) -> Result<(), CliError> {
        self.writer.write_all(text.as_bytes()).map_err(CliError::Output)
    }

    /// Writes a line of text.
    pub fn line(&mut self, text: &str) -> Result<(), CliError> {
        writeln!(self.writer, "{text}").map_err(CliError::Output)
    }

    /// Writes the JSON document.
    pub fn document(&mut self, value: &impl Serialize) -> Result<(), CliError> {
        let text = serde_json::to_string_pretty(value).map_err(|e| CliError::Output(e.into()))?;
        self.line(&text)
    }

    /// Writes a code object to a file, or for `-` to standard output: then the answer is true, and nothing else may be
    /// written there.
    ///
    /// Errors: bytes for a terminal, or among the text of `--json`; what cannot be written.
    pub fn object(&mut self, path: &Path, bytes: &[u8]) -> Result<bool, CliError> {
        if path.as_os_str() != "-" {
            return write_file(path, bytes).map(|()| false);
        }
        if self.json || io::stdout().is_terminal() {
            let text = "a code object is no text: give a file to -o, or send standard output to one, without --json";
            return Err(CliError::Usage(text.to_owned()));
        }
        self.writer.write_all(bytes).map_err(CliError::Output)?;
        Ok(true)
    }

    /// Gives everything written to the reader.
    pub fn flush(&mut self) -> Result<(), CliError> {
        self.writer.flush().map_err(CliError::Output)
    }
}
