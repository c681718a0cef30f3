//! `t0 dis`: code objects and lines of hex as LLVM's text.

use crate::error::{read_file, CliError};
use crate::{hex, lines};
use crate::output::{Outcome, Output};
use serde_json::{json, Value};
use std::path::{Path, PathBuf};
use t0_backend_rdna3::isa::decode;
use t0_backend_rdna3::listing::{hex_words, Entry, Listing};
use t0_backend_rdna3::object::descriptor::FloatMode;
use t0_backend_rdna3::object::{CodeObject, Kernel, KernelDescriptor, KernelMetadata};
use t0_backend_rdna3::target::Target;

/// Arguments of `t0 dis`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A code object
    #[arg(required_unless_present = "hex", conflicts_with = "hex")]
    file: Option<PathBuf>,
    /// Only this kernel
    #[arg(long, requires = "file")]
    kernel: Option<String>,
    /// A file with the hex bytes of one instruction on each line; `-` is standard input. Lines without bytes (empty,
    /// or a comment only) give empty lines
    #[arg(long, value_name = "FILE")]
    hex: Option<PathBuf>,
    /// Lanes of a wave: how `--hex` reads masks
    #[arg(long, value_name = "LANES", value_parser = lines::parse_wave_size)]
    wave_size: Option<u32>,
}

/// Runs the command.
pub fn run(args: &Args, target: &Target, out: &mut Output) -> Result<Outcome, CliError> {
    match (&args.file, &args.hex) {
        (Some(file), _) => file_text(file, args.kernel.as_deref(), out),
        (None, Some(hex)) => {
            let target = target.with_wave_size(args.wave_size.unwrap_or(32));
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

fn file_text(path: &Path, kernel: Option<&str>, out: &mut Output) -> Result<Outcome, CliError> {
    let object_error = |source| CliError::Object {
        path: path.to_owned(),
        source,
    };
    let object = CodeObject::parse(&read_file(path)?).map_err(object_error)?;
    let kernels: Vec<&Kernel> = match kernel {
        Some(name) => vec![object.kernel(name).map_err(object_error)?],
        None => object.kernels.iter().collect(),
    };
    let listings: Vec<Listing> = kernels.iter().map(|k| Listing::new(&object, k)).collect();
    let unknown = listings.iter().flat_map(|l| &l.entries).any(|e| e.error.is_some());
    if out.json() {
        let kernels: Vec<Value> = kernels.iter().zip(&listings).map(|(k, l)| kernel_json(k, l)).collect();
        let abi = object.abi_version;
        out.document(&json!({ "target": object.target.name, "abi_version": abi, "kernels": kernels }))?;
    } else {
        out.line(&format!(
            "// {}: {}, ELF ABI version {}",
            path.display(),
            object.target.name,
            object.abi_version
        ))?;
        for (k, l) in kernels.iter().zip(&listings) {
            out.text(&kernel_text(k, l))?;
        }
    }
    Ok(Outcome::finding(unknown))
}

/// Descriptor and metadata, then the instructions with offsets and bytes as comments.
fn kernel_text(k: &Kernel, listing: &Listing) -> String {
    let mut s = format!("\n.amdhsa_kernel {}\n", k.name);
    for (name, value) in directives(&k.descriptor) {
        s += &format!("    .amdhsa_{name} {value}\n");
    }
    s += ".end_amdhsa_kernel\n";
    if let Some(m) = &k.metadata {
        s += &metadata_text(m);
    }
    s += &format!("\n{}:\n", k.name);
    for e in &listing.entries {
        let mut note = format!("{:06X}: {}", e.offset, hex_words(&e.bytes));
        if let Some(target) = e.branch_target {
            note += &format!(" <{}+{target:#x}>", k.name);
        }
        if let Some(error) = &e.error {
            note += &format!(" ({error})");
        }
        s += &format!("    {:<58} // {note}\n", e.text);
    }
    s
}

/// The directives that make the assembler write this descriptor.
fn directives(d: &KernelDescriptor) -> Vec<(&'static str, u32)> {
    let s = d.initial_sgprs();
    let FloatMode {
        round_32,
        round_16_64,
        denorm_32,
        denorm_16_64,
        dx10_clamp,
        ieee_mode,
    } = d.float_mode();
    let on = u32::from;
    vec![
        ("group_segment_fixed_size", d.group_segment_bytes),
        ("private_segment_fixed_size", d.private_segment_bytes),
        ("kernarg_size", d.kernarg_bytes),
        ("next_free_vgpr", d.vgprs()),
        ("next_free_sgpr", 8),
        ("reserve_vcc", 0),
        ("user_sgpr_count", d.user_sgprs()),
        ("user_sgpr_dispatch_ptr", on(s.dispatch_ptr.is_some())),
        ("user_sgpr_queue_ptr", on(s.queue_ptr.is_some())),
        ("user_sgpr_kernarg_segment_ptr", on(s.kernarg_ptr.is_some())),
        ("user_sgpr_dispatch_id", on(s.dispatch_id.is_some())),
        ("user_sgpr_private_segment_size", on(s.private_segment_size.is_some())),
        ("wavefront_size32", on(d.wave_size() == 32)),
        ("uses_dynamic_stack", on(d.dynamic_stack())),
        ("enable_private_segment", on(d.scratch_enabled())),
        ("system_sgpr_workgroup_id_x", on(s.workgroup_id[0].is_some())),
        ("system_sgpr_workgroup_id_y", on(s.workgroup_id[1].is_some())),
        ("system_sgpr_workgroup_id_z", on(s.workgroup_id[2].is_some())),
        ("system_sgpr_workgroup_info", on(s.workgroup_info.is_some())),
        ("system_vgpr_workitem_id", d.work_item_dims() - 1),
        ("float_round_mode_32", round_32 as u32),
        ("float_round_mode_16_64", round_16_64 as u32),
        ("float_denorm_mode_32", denorm_32 as u32),
        ("float_denorm_mode_16_64", denorm_16_64 as u32),
        ("dx10_clamp", on(dx10_clamp)),
        ("ieee_mode", on(ieee_mode)),
        ("fp16_overflow", on(d.fp16_overflow())),
        ("workgroup_processor_mode", on(d.wgp_mode())),
        ("memory_ordered", on(d.mem_ordered())),
        ("forward_progress", on(d.forward_progress())),
    ]
}

fn metadata_text(m: &KernelMetadata) -> String {
    let mut s = format!(
        "// {} VGPRs, {} SGPRs, spills {} VGPRs {} SGPRs, groups of up to {}, {} bytes of arguments\n",
        m.vgprs, m.sgprs, m.spills[1], m.spills[0], m.max_group_size, m.kernarg_bytes
    );
    for a in &m.args {
        let mut words = vec![format!("//   {:>4} {:>3} bytes {}", a.offset, a.size, a.kind.name())];
        words.extend([&a.name, &a.type_name].into_iter().filter(|w| !w.is_empty()).cloned());
        s += &(words.join(" ") + "\n");
    }
    s
}

fn kernel_json(k: &Kernel, listing: &Listing) -> Value {
    let descriptor: serde_json::Map<String, Value> = directives(&k.descriptor)
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.into()))
        .collect();
    let instructions: Vec<Value> = listing.entries.iter().map(entry_json).collect();
    json!({
        "name": k.name,
        "descriptor": descriptor,
        "metadata": k.metadata.as_ref().map(metadata_json),
        "instructions": instructions,
    })
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
