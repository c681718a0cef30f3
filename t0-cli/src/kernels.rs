//! `t0 kernels`: the registered kernels.

use crate::error::CliError;
use crate::output::{Outcome, Output};
use crate::registry;
use serde_json::json;
use t0_ir::stage::KernelEntry;

/// Runs the command.
pub fn run(out: &mut Output) -> Result<Outcome, CliError> {
    let all = registry::all();
    if out.json() {
        let kernels: Vec<_> = all.iter().map(|e| entry_json(e)).collect();
        out.document(&json!({ "kernels": kernels }))?;
        return Ok(Outcome::Fine);
    }
    for e in all {
        out.line(&format!("{}({})", name(e), params(e)))?;
        out.line(&format!("    groups of {}, {}:{}", e.group, e.file, e.line))?;
    }
    Ok(Outcome::Fine)
}

/// The name with the names of its const generics, as it is to be written: `gemm::<BM,BN,BK>`.
fn name(e: &KernelEntry) -> String {
    if e.consts.is_empty() {
        e.name.to_owned()
    } else {
        format!("{}::<{}>", e.name, e.consts.join(","))
    }
}

fn params(e: &KernelEntry) -> String {
    let list: Vec<String> = e.params.iter().map(|p| format!("{}: {}", p.name, p.ty)).collect();
    list.join(", ")
}

fn entry_json(e: &KernelEntry) -> serde_json::Value {
    let params: Vec<_> = e
        .params
        .iter()
        .map(|p| json!({ "name": p.name, "type": p.ty }))
        .collect();
    json!({
        "name": e.name,
        "module": e.module,
        "consts": e.consts,
        "params": params,
        "group": e.group,
        "file": e.file,
        "line": e.line,
    })
}
