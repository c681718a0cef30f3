//! Standard output: text as a command writes it, or one JSON document.

use crate::error::CliError;
use serde::Serialize;
use std::io::{self, Write};

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

    /// Gives everything written to the reader.
    pub fn flush(&mut self) -> Result<(), CliError> {
        self.writer.flush().map_err(CliError::Output)
    }
}
