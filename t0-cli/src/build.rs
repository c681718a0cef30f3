//! `t0 build`: a kernel as a code object in a file.

use crate::error::CliError;
use crate::output::{Outcome, Output};
use crate::registry;
use serde_json::json;
use std::path::PathBuf;
use t0_backend_rdna3::target::Target;

/// Arguments of `t0 build`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A kernel of `t0 kernels` with its compile-time arguments, such as 'gemm::<128,128,32>'
    kernel: String,
    /// The code object to write; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// Runs the command.
pub fn run(args: &Args, target: &Target, out: &mut Output) -> Result<Outcome, CliError> {
    let built = registry::build(&args.kernel, target)?;
    let symbol = &built.kernel()?.name;
    if out.object(&args.output, &built.file)? {
        return Ok(Outcome::Fine);
    }
    let (bytes, path) = (built.file.len(), args.output.display());
    if out.json() {
        let target = built.object.target.name;
        out.document(&json!({
            "kernel": built.name, "symbol": symbol, "target": target, "file": path.to_string(), "bytes": bytes,
        }))?;
    } else {
        out.line(&format!("{path}: kernel `{symbol}`, {bytes} bytes"))?;
    }
    Ok(Outcome::Fine)
}
