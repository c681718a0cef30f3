//! `t0 isa`: the listing of a kernel as text, JSON or HTML.

use crate::dis::entry_json;
use crate::error::CliError;
use crate::output::{Outcome, Output};
use crate::registry;
use serde_json::{json, Value};
use std::path::PathBuf;
use t0_backend_rdna3::listing::{hex_words, Listing};
use t0_backend_rdna3::target::Target;

/// Arguments of `t0 isa`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A kernel of `t0 kernels` with its compile-time arguments, such as 'gemm::<128,128,32>'
    kernel: String,
    /// How to print it [default: text]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// How a listing is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Rust lines with their instructions below.
    Text,
    /// For scripts.
    Json,
    /// A page for the browser.
    Html,
}

/// Runs the command.
pub fn run(args: &Args, target: &Target, out: &mut Output) -> Result<Outcome, CliError> {
    let built = registry::build(&args.kernel, target)?;
    let listing = Listing::new(&built.object, built.kernel()?).with_source(t0_runtime::read_source);
    let format = match (out.json(), args.format) {
        (true, None | Some(Format::Json)) => Format::Json,
        (true, Some(_)) => {
            return Err(CliError::Usage(
                "--json asks for another format than --format; give one".into(),
            ))
        }
        (false, format) => format.unwrap_or(Format::Text),
    };
    let text = match format {
        Format::Text => listing.to_string(),
        Format::Json => format!("{:#}\n", document(&built.name, &listing)),
        Format::Html => html(&built.name, &listing),
    };
    match &args.output {
        Some(path) => crate::error::write_file(path, text.as_bytes())?,
        None => out.text(&text)?,
    }
    Ok(Outcome::Fine)
}

fn document(kernel: &str, l: &Listing) -> Value {
    json!({
        "kernel": kernel,
        "target": l.target.name,
        "resources": {
            "vgpr": l.vgprs,
            "sgpr": l.sgprs,
            "lds": l.lds_bytes,
            "scratch": l.scratch_bytes,
            "group_size": l.group_size,
            "waves_per_simd": l.occupancy.waves_per_simd,
            "limited_by": l.occupancy.limited_by.name(),
        },
        "instructions": l.entries.iter().map(entry_json).collect::<Vec<_>>(),
    })
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

const STYLE: &str = "body{font:14px monospace;margin:2em;background:#fff;color:#222}\
    table{border-collapse:collapse}td,th{padding:1px 1em 1px 0;text-align:left;white-space:pre}\
    .line td{padding-top:.8em;color:#06c;font-weight:bold}.dim{color:#888}.bar{background:#fc8;display:inline-block;height:.7em}";

/// One self-contained page: no script, nothing fetched.
fn html(kernel: &str, l: &Listing) -> String {
    let kernel = escape(kernel);
    let mut s = format!("<!doctype html>\n<meta charset=\"utf-8\">\n<title>{kernel}</title>\n<style>{STYLE}</style>\n");
    s += &format!("<h1>{kernel} <span class=\"dim\">{}</span></h1>\n", l.target.name);
    s += &format!(
        "<p>{} VGPR, {} SGPR, {} bytes LDS, {} bytes scratch; {} waves/SIMD with groups of {}: {}</p>\n",
        l.vgprs,
        l.sgprs,
        l.lds_bytes,
        l.scratch_bytes,
        l.occupancy.waves_per_simd,
        l.group_size,
        escape(&l.limit_text())
    );
    s += "<table>\n<tr><th>offset<th>instruction<th>bytes<th>VGPR<th>SGPR<th></tr>\n";
    let mut last = None;
    for e in &l.entries {
        let place = e.line.as_ref().map(|l| (l.file.clone(), l.line));
        if let Some(line) = e.line.as_ref().filter(|_| place != last) {
            let source = escape(l.source(line).unwrap_or_default());
            let file = escape(&line.file);
            s += &format!(
                "<tr class=\"line\"><td colspan=\"6\">{file}:{} {source}</tr>\n",
                line.line
            );
            last = place;
        }
        let link = e
            .branch_target
            .map(|t| format!(" <a href=\"#o{t:x}\">{t:06x}</a>"))
            .unwrap_or_default();
        s += &format!(
            "<tr id=\"o{0:x}\"><td class=\"dim\">{0:06x}<td>{1}{link}<td class=\"dim\">{2}<td>{3}<td>{4}<td><span class=\"bar\" style=\"width:{3}px\"></span></tr>\n",
            e.offset,
            escape(&e.text),
            hex_words(&e.bytes),
            e.live_vgprs,
            e.live_sgprs
        );
    }
    s + "</table>\n"
}
