//! `t0 isa`: the listing of a kernel as text, JSON or HTML.

use crate::dis::entry_json;
use crate::error::CliError;
use crate::output::{Outcome, Output};
use crate::page::{page, Shown};
use crate::work::{self, Launched};
use serde_json::{json, Value};
use std::path::PathBuf;
use t0_backend_rdna3::listing::Listing;
use t0_backend_rdna3::target::Target;
use t0_sim::card::Card;
use t0_sim::timing::Costs;

/// Arguments of `t0 isa`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    work: work::What,
    /// How to print it [default: text]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Show what is different from this kernel or code object, the build before (HTML only)
    #[arg(long, value_name = "KERNEL|F.co")]
    diff: Option<String>,
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
    let format = match (out.json(), args.format) {
        (true, None | Some(Format::Json)) => Format::Json,
        (true, Some(_)) => {
            return Err(CliError::Usage(
                "--json asks for another format than --format; give one".into(),
            ))
        }
        (false, format) => format.unwrap_or(Format::Text),
    };
    if args.diff.is_some() && format != Format::Html {
        return Err(CliError::Usage("--diff is for --format html".into()));
    }
    let text = match format {
        Format::Text => args.work.open(target)?.listing()?.to_string(),
        Format::Json => {
            let built = args.work.open(target)?;
            format!("{:#}\n", document(&built.name, &built.listing()?))
        }
        Format::Html => html(args, target)?,
    };
    match &args.output {
        Some(path) => crate::error::write_file(path, text.as_bytes())?,
        None => out.text(&text)?,
    }
    Ok(Outcome::Fine)
}

fn document(kernel: &str, l: &Listing) -> Value {
    let mut document = json!({
        "kernel": kernel,
        "target": l.target.name,
        "resources": {
            "vgpr": l.vgprs,
            "sgpr": l.sgprs,
            "lds": l.lds_bytes,
            "scratch": l.scratch_bytes,
            "code": l.code_bytes(),
            "group_size": l.group_size,
            "waves_per_simd": l.occupancy.waves_per_simd,
            "limited_by": l.occupancy.limited_by.name(),
        },
        "instructions": l.entries.iter().map(entry_json).collect::<Vec<_>>(),
    });
    if let (Some([sgprs, vgprs]), Some(resources)) = (l.spills, document["resources"].as_object_mut()) {
        resources.insert("sgpr_spills".into(), sgprs.into());
        resources.insert("vgpr_spills".into(), vgprs.into());
    }
    document
}

/// The page, of all kernels of a code object unless one is named or launched: with what the cycle model says, where there is
/// a launch for it.
fn html(args: &Args, target: &Target) -> Result<String, CliError> {
    let built = args.work.open_all(target)?;
    let listings = built.listings()?;
    let launched = match &listings[..] {
        [_] => args.work.launch(&built)?,
        _ => None,
    };
    let timing = launched.as_ref().map(|l| l.recording.time(&Costs::default(), false));
    let launch = launched.as_ref().map(|l| &l.recording).zip(timing.as_ref());
    let cards = cards(&listings, launched.as_ref());
    let (before, cards_before) = match &args.diff {
        Some(other) => before(args, other, target)?,
        None => Default::default(),
    };
    // One kernel is compared with one whatever they are called, several by their names.
    let old = |now: &Listing| match (&before[..], listings.len()) {
        ([_], 1) => Some(0),
        (all, _) => all.iter().position(|l| l.kernel == now.kernel),
    };
    let mut shown = Vec::new();
    for (listing, card) in listings.iter().zip(&cards) {
        let old = old(listing);
        shown.push(Shown {
            listing,
            launch,
            card,
            before: old.map(|k| &before[k]),
            card_before: old.map_or("", |k| &cards_before[k]),
        });
    }
    Ok(page(&shown))
}

/// The kernels of the build before and their cards, launched as the new one is.
fn before(args: &Args, other: &str, target: &Target) -> Result<(Vec<Listing>, Vec<String>), CliError> {
    let work = args.work.other(other);
    let built = work.open_all(target)?;
    let listings = built.listings()?;
    let launched = match &listings[..] {
        [_] => work.launch(&built)?,
        _ => None,
    };
    let cards = cards(&listings, launched.as_ref());
    Ok((listings, cards))
}

/// The card of each kernel, with what the launch of the only one takes.
fn cards(listings: &[Listing], launched: Option<&Launched>) -> Vec<String> {
    let timing = launched.map(|l| l.recording.time(&Costs::default(), false));
    let launch = launched.map(|l| &l.recording).zip(timing.as_ref());
    let card = |listing: &Listing| {
        let with = launched.map(|l| format!("launched with {}\n", l.with));
        Card::new(listing, launch).to_string() + &with.unwrap_or_default()
    };
    listings.iter().map(card).collect()
}
