//! `t0 asm`: LLVM's assembler syntax to a code object, or lines of instructions to hex.

use crate::error::{check_output, read_file, CliError};
use crate::output::{Outcome, Output};
use crate::{hex, lines};
use serde_json::{json, Value};
use std::path::{Path, PathBuf};
use t0_backend_rdna3::asm::{assemble, text_of, AsmError, AsmOptions};
use t0_backend_rdna3::isa::{encode, parse};
use t0_backend_rdna3::target::{Target, GFX1100};

/// Arguments of `t0 asm`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// An assembler file in LLVM's syntax; `-` is standard input
    #[arg(required_unless_present = "hex", conflicts_with = "hex", requires = "output")]
    file: Option<PathBuf>,
    /// The code object to write; `-` is standard output
    #[arg(short, long, value_name = "FILE", conflicts_with = "hex")]
    output: Option<PathBuf>,
    /// A file with one instruction on each line, to be printed as hex bytes line by line; `-` is standard input. Lines
    /// without an instruction (empty, or a comment only) give empty lines
    #[arg(long, value_name = "FILE")]
    hex: Option<PathBuf>,
    /// Lanes of a wave; for files, the kernel descriptors decide unless it is given
    #[arg(long, value_name = "LANES", value_parser = lines::parse_wave_size, allow_hyphen_values = true)]
    wave_size: Option<u32>,
}

/// Runs the command.
pub fn run(args: &Args, target: Option<Target>, out: &mut Output) -> Result<Outcome, CliError> {
    match (&args.file, &args.output, &args.hex) {
        (Some(file), Some(output), _) => {
            let options = AsmOptions {
                target,
                wave_size: args.wave_size,
            };
            assemble_file(file, output, &options, out)
        }
        (_, _, Some(hex)) => {
            let target = target.unwrap_or(GFX1100).with_wave_size(args.wave_size.unwrap_or(32));
            lines::answer(hex, "bytes", out, |line| instruction(line, &target))
        }
        _ => Err(CliError::Usage(
            "give an assembler file and -o FILE, or --hex -".to_owned(),
        )),
    }
}

/// The bytes of a line's instruction; nothing for a line without one.
fn instruction(line: &str, target: &Target) -> Result<String, String> {
    let code = line.split("//").next().unwrap_or_default();
    let code = code.split(';').next().unwrap_or_default();
    if code.trim().is_empty() || code.trim().starts_with('#') {
        return Ok(String::new());
    }
    let inst = parse(line, target).map_err(|e| e.to_string())?;
    let bytes = encode(&inst, target).map_err(|e| e.to_string())?;
    Ok(hex::text(&bytes))
}

fn assemble_file(file: &Path, output: &Path, options: &AsmOptions, out: &mut Output) -> Result<Outcome, CliError> {
    check_output(output, [file])?;
    let bytes = read_file(file)?;
    // Bytes that are no text would come out of `.ascii` as others than they went in.
    let source = text_of(&bytes).map_err(|at| {
        let line = 1 + bytes[..at].iter().filter(|&&b| b == b'\n').count();
        CliError::Usage(format!(
            "{}:{line}: byte {:#04x} is not UTF-8; write it as an escape, such as \\377, in a string",
            file.display(),
            bytes[at]
        ))
    })?;
    match assemble(&source, options) {
        Ok(made) => {
            for n in &made.notes {
                let kind = if n.is_warning { "warning" } else { "note" };
                eprintln!("{kind}: {}:{}: {}", file.display(), n.line, n.text);
            }
            if out.object(output, &made.file)? {
                return Ok(Outcome::Fine);
            }
            let (path, size) = (output.display().to_string(), made.file.len());
            if out.json() {
                let target = made.target.name;
                out.document(&json!({ "target": target, "kernels": made.kernels, "file": path, "bytes": size }))?;
            } else {
                let names: Vec<String> = made.kernels.iter().map(|k| format!("`{k}`")).collect();
                let what = match names.len() {
                    0 => "no kernel".to_owned(),
                    1 => format!("kernel {}", names[0]),
                    _ => format!("kernels {}", names.join(", ")),
                };
                out.line(&format!("{path}: {what}, {size} bytes"))?;
            }
            Ok(Outcome::Fine)
        }
        Err(errors) => {
            for e in &errors {
                eprintln!("error: {}:{e}", file.display());
            }
            if out.json() {
                let all: Vec<Value> = errors.iter().map(error_json).collect();
                out.document(&json!({ "file": file.display().to_string(), "errors": all }))?;
            }
            Ok(Outcome::Finding)
        }
    }
}

fn error_json(e: &AsmError) -> Value {
    json!({ "line": e.line, "column": e.column, "text": e.text, "message": e.kind.to_string() })
}
