//! `t0 dis`: code objects and lines of hex as LLVM's text.

use crate::device::check_target;
use crate::error::{read_file, CliError};
use crate::output::{Outcome, Output};
use crate::{hex, lines};
use serde_json::{json, Value};
use std::path::{Path, PathBuf};
use t0_backend_rdna3::asm::kernel_directives;
use t0_backend_rdna3::dis::{disassemble, DisKernel, Line, Options};
use t0_backend_rdna3::isa::decode;
use t0_backend_rdna3::listing::{Entry, Listing};
use t0_backend_rdna3::object::view::ObjectView;
use t0_backend_rdna3::object::{CodeObject, KernelMetadata};
use t0_backend_rdna3::target::{Target, GFX1100};

/// Arguments of `t0 dis`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A code object, linked or not; `-` is standard input
    #[arg(required_unless_present = "hex", conflicts_with = "hex")]
    file: Option<PathBuf>,
    /// Only this kernel
    #[arg(long, requires = "file")]
    kernel: Option<String>,
    /// A file with the hex bytes of one instruction on each line; `-` is standard input. Lines without bytes (empty,
    /// or a comment only) give empty lines
    #[arg(long, value_name = "FILE")]
    hex: Option<PathBuf>,
    /// Branches name labels, and distances from the program counter name symbols
    #[arg(long, requires = "file")]
    symbolize_operands: bool,
    /// Lanes of a wave: how `--hex` reads masks, and how code that belongs to no kernel is read
    #[arg(long, value_name = "LANES", value_parser = lines::parse_wave_size, allow_hyphen_values = true)]
    wave_size: Option<u32>,
}

/// Runs the command.
pub fn run(args: &Args, target: Option<Target>, out: &mut Output) -> Result<Outcome, CliError> {
    match (&args.file, &args.hex) {
        (Some(file), _) => file_text(file, args, target, out),
        (None, Some(hex)) => {
            let target = target.unwrap_or(GFX1100).with_wave_size(args.wave_size.unwrap_or(32));
            lines::answer(hex, "text", out, |line| instruction(line, &target))
        }
        (None, None) => Err(CliError::Usage("give a code object or --hex -".to_owned())),
    }
}

/// The text of a line's instruction; nothing for a line without bytes.
fn instruction(line: &str, target: &Target) -> Result<String, String> {
    let line = line.split("//").next().unwrap_or_default();
    let line = line.split([';', '#']).next().unwrap_or_default();
    if line.trim().is_empty() {
        return Ok(String::new());
    }
    let bytes = hex::parse_line(line)?;
    let (inst, used) = decode(&bytes, target).map_err(|e| e.to_string())?;
    let left = bytes.len().saturating_sub(used);
    if left > 0 {
        return Err(format!(
            "{left} bytes are left after `{inst}`; write one instruction a line"
        ));
    }
    Ok(inst.to_string())
}

/// The whole file, or one kernel of it.
fn file_text(path: &Path, args: &Args, target: Option<Target>, out: &mut Output) -> Result<Outcome, CliError> {
    let object_error = |source| CliError::Object {
        path: path.to_owned(),
        source,
    };
    let bytes = read_file(path)?;
    let view = ObjectView::parse(&bytes).map_err(object_error)?;
    check_target(target, &view.target, path)?;
    let options = Options {
        kernel: args.kernel.as_deref(),
        symbolize: args.symbolize_operands,
        wave_size: args.wave_size,
    };
    let text = disassemble(&view, &options).map_err(object_error)?;
    if out.json() {
        // Linked files also say which registers live at an instruction and which line it comes from.
        let object = view
            .linked
            .then(|| CodeObject::parse(&bytes))
            .transpose()
            .map_err(object_error)?;
        let shown = |k: &&DisKernel| args.kernel.as_ref().is_none_or(|name| *name == k.name);
        let kernels: Vec<Value> = text
            .kernels
            .iter()
            .filter(shown)
            .map(|k| kernel_json(k, object.as_ref()))
            .collect();
        out.document(&json!({
            "target": view.target.name,
            "e_flags": view.flags,
            "abi_version": view.abi_version,
            "linked": view.linked,
            "kernels": kernels,
            "lines": text.lines.iter().map(line_json).collect::<Vec<_>>(),
        }))?;
    } else {
        out.text(&format!("// {}\n{text}", path.display()))?;
    }
    Ok(Outcome::finding(text.unknown_reached))
}

/// A line of the text; lines that stand for bytes say where and which.
fn line_json(line: &Line) -> Value {
    match &line.code {
        Some(c) => json!({
            "section": c.section,
            "address": c.address,
            "bytes": hex::text(&c.bytes),
            "text": c.instruction.as_ref().unwrap_or(&line.text),
            "source": line.text,
            "error": c.error,
            "branch_target": c.target,
        }),
        None => json!({ "source": line.text }),
    }
}

fn kernel_json(k: &DisKernel, object: Option<&CodeObject>) -> Value {
    let descriptor: Value = match kernel_directives(&k.descriptor) {
        Some(all) => all
            .into_iter()
            .map(|(name, value)| (name.to_owned(), Value::from(value)))
            .collect(),
        None => json!({ "bytes": hex::text(&k.descriptor.encode()) }),
    };
    let kernel = object.and_then(|o| Some((o, o.kernel(&k.name).ok()?)));
    let metadata = kernel
        .and_then(|(_, kernel)| kernel.metadata.as_ref())
        .map(metadata_json);
    let instructions: Vec<Value> = kernel.map_or_else(Vec::new, |(o, kernel)| {
        Listing::new(o, kernel).entries.iter().map(entry_json).collect()
    });
    json!({ "name": k.name, "descriptor": descriptor, "metadata": metadata, "instructions": instructions })
}

fn metadata_json(m: &KernelMetadata) -> Value {
    let arg = |a: &t0_backend_rdna3::object::Arg| json!({ "name": a.name, "type": a.type_name, "offset": a.offset, "size": a.size, "kind": a.kind.name() });
    json!({
        "vgpr": m.vgprs,
        "sgpr": m.sgprs,
        "vgpr_spills": m.spills[1],
        "sgpr_spills": m.spills[0],
        "max_group_size": m.max_group_size,
        "required_group_size": m.required_group_size,
        "kernarg_bytes": m.kernarg_bytes,
        "args": m.args.iter().map(arg).collect::<Vec<_>>(),
    })
}

/// An instruction as `t0 dis --json` and `t0 isa --format json` give it.
pub fn entry_json(e: &Entry) -> Value {
    json!({
        "offset": e.offset,
        "bytes": hex::text(&e.bytes),
        "text": e.text,
        "error": e.error.as_ref().map(ToString::to_string),
        "file": e.line.as_ref().map(|l| l.file.to_string()),
        "line": e.line.as_ref().map(|l| l.line),
        "live_vgpr": e.live_vgprs,
        "live_sgpr": e.live_sgprs,
    })
}
