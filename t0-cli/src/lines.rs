//! Line by line: one answer for each line of a file or of standard input.

use crate::error::{read_file, CliError};
use crate::output::{Outcome, Output};
use serde_json::{json, Value};
use std::io::BufRead;
use std::path::Path;

/// The value of `--wave-size`.
pub fn parse_wave_size(text: &str) -> Result<u32, String> {
    match text {
        "32" => Ok(32),
        "64" => Ok(64),
        _ => Err("waves have 32 or 64 lanes".to_owned()),
    }
}

/// Prints one line for each line of the file (`-`: standard input) as it comes: the answer, or `error: line N: …`. As
/// JSON: `results`, each with `key` or with `error` and `line`. An error makes the outcome a finding.
///
/// Errors: a file that cannot be read, output that cannot be written.
pub fn answer(
    path: &Path,
    key: &str,
    out: &mut Output,
    f: impl FnMut(&str) -> Result<String, String>,
) -> Result<Outcome, CliError> {
    if path.as_os_str() == "-" {
        answer_all(std::io::stdin().lock(), path, key, out, f)
    } else {
        answer_all(&*read_file(path)?, path, key, out, f)
    }
}

fn answer_all(
    mut input: impl BufRead,
    path: &Path,
    key: &str,
    out: &mut Output,
    mut f: impl FnMut(&str) -> Result<String, String>,
) -> Result<Outcome, CliError> {
    let mut results: Vec<Value> = Vec::new();
    let mut failed = false;
    let mut line = Vec::new();
    for number in 1u64.. {
        line.clear();
        let read = input.read_until(b'\n', &mut line);
        let path = path.to_owned();
        if read.map_err(|source| CliError::Read { path, source })? == 0 {
            break;
        }
        let result = f(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']));
        failed |= result.is_err();
        match (out.json(), result) {
            (true, Ok(text)) => results.push(json!({ key: text })),
            (true, Err(error)) => results.push(json!({ "line": number, "error": error })),
            (false, Ok(text)) => out.line(&text)?,
            (false, Err(error)) => out.line(&format!("error: line {number}: {}", error.replace('\n', " ")))?,
        }
    }
    if out.json() {
        out.document(&json!({ "results": results }))?;
    }
    Ok(Outcome::finding(failed))
}
