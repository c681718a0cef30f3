//! `t0 isa`: the listing of a kernel as text, JSON or HTML.

use crate::dis::entry_json;
use crate::error::{check_output, CliError};
use crate::output::{self, Outcome, Output};
use crate::page::{page, Shown};
use crate::work::{self, Launched, What};
use serde_json::{json, Map, Value};
use std::collections::BTreeMap;
use std::path::PathBuf;
use t0_backend_rdna3::listing::{decode_all, Entry, Listing};
use t0_backend_rdna3::reasons::reasons;
use t0_backend_rdna3::target::Target;
use t0_sim::card::{other_chip, Card, MODEL};
use t0_sim::timing::{Costs, Site, Timing, STALLS};

/// Arguments of `t0 isa`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    work: What,
    /// How to print it [default: text]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Write to this file; without, or with `-`: to standard output
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
pub fn run(args: &Args, target: Option<Target>, out: &mut Output) -> Result<Outcome, CliError> {
    let format = output::format(out.json(), args.format, [Format::Text, Format::Json])?;
    if args.diff.is_some() && format != Format::Html {
        return Err(CliError::Usage("--diff is for --format html".into()));
    }
    if let Some(path) = &args.output {
        let other = args.diff.as_ref().map(|d| args.work.other(d));
        let both = args.work.inputs().chain(other.iter().flat_map(What::inputs));
        check_output(path, both)?;
    }
    let text = match format {
        Format::Text => text(args, target)?,
        Format::Json => {
            let built = args.work.open(target)?;
            let costs = costs(args, &built)?;
            format!("{:#}\n", document(&built.name, &built.listing()?, costs.as_ref()))
        }
        Format::Html => html(args, target)?,
    };
    match &args.output {
        Some(path) if path.as_os_str() != "-" => crate::error::write_file(path, text.as_bytes())?,
        _ => out.text(&text)?,
    }
    Ok(Outcome::Fine)
}

/// What a launch says of each instruction, by offset.
type Spent = BTreeMap<u64, Site>;

/// What the command line's launch costs; `None` when it asks for none.
fn costs(args: &Args, built: &work::Work) -> Result<Option<Spent>, CliError> {
    if !args.work.asks_for_launch() {
        return Ok(None);
    }
    let of = |l: Launched| {
        let timing = l.recording.time(&Costs::default(), false);
        l.recording.instructions().map(|i| i.0).zip(timing.sites).collect()
    };
    Ok(args.work.launch(built)?.map(of))
}

/// Why each wait is there, by offset.
fn why(l: &Listing) -> BTreeMap<u64, String> {
    let code: Vec<u8> = l.entries.iter().flat_map(|e| e.bytes.iter().copied()).collect();
    let decoded = decode_all(&code, &l.target);
    let reasons = reasons(&decoded, &l.target);
    let both = l.entries.iter().zip(reasons);
    both.filter_map(|(e, why)| Some((e.offset, why?))).collect()
}

/// Each at an issue, to a tenth of a cycle.
fn each(n: u64, site: &Site) -> f64 {
    (n as f64 / site.issued.max(1) as f64 * 10.0).round() / 10.0
}

/// What the model says of an instruction that was issued: cycle of the first issue, times issued, cycles a wave waits each time (for anything but
/// a turn at a unit), and by reason.
pub fn cost_json(site: &Site) -> Map<String, Value> {
    let waits = STALLS.iter().zip(site.stalls).map(|(s, n)| (s.name(), each(n, site)));
    let waits = waits
        .filter(|w| w.1 > 0.0)
        .map(|(why, cycles)| json!({"why": why, "cycles": cycles}));
    let fields = [
        ("cycle", site.first.into()),
        ("issued", site.issued.into()),
        ("stall", each(site.waited(), site).into()),
        ("stalls", waits.collect()),
        ("conflicts", site.conflicts.into()),
    ];
    fields.into_iter().map(|(n, v)| (n.to_owned(), v)).collect()
}

/// The listing; of a launch, how often each instruction was issued and what waves waited for there.
fn text(args: &Args, target: Option<Target>) -> Result<String, CliError> {
    let built = args.work.open(target)?;
    let listing = built.listing()?;
    let Some(costs) = costs(args, &built)? else {
        return Ok(listing.to_string());
    };
    let why = why(&listing);
    let note = |e: &Entry| {
        let reason = why.get(&e.offset).map(|w| format!("; {w}")).unwrap_or_default();
        let Some(site) = costs.get(&e.offset).filter(|s| s.issued > 0) else {
            return Some(format!("not issued{reason}"));
        };
        let waits = STALLS.iter().zip(site.stalls).map(|(s, n)| (s.name(), each(n, site)));
        let waits: String = waits
            .filter(|w| w.1 > 0.0)
            .map(|(s, n)| format!(", {s} {n:.1}"))
            .collect();
        Some(format!("issued {}{waits}{reason}", site.issued))
    };
    let of = other_chip(&listing.target).map_or(String::new(), |_| format!(" of an {MODEL} (gfx1100)"));
    Ok(format!(
        "; behind | : times issued, cycles a wave waits each time by reason, and why a wait is there; modelled{of}\n{}",
        listing.noted(note)
    ))
}

fn document(kernel: &str, l: &Listing, costs: Option<&Spent>) -> Value {
    let why = costs.map(|_| why(l)).unwrap_or_default();
    let instruction = |e: &Entry| {
        let mut out = entry_json(e);
        if let (Some(costs), Some(map)) = (costs, out.as_object_mut()) {
            map.extend(why.get(&e.offset).map(|w| ("why".to_owned(), Value::from(w.as_str()))));
            let site = costs.get(&e.offset).filter(|s| s.issued > 0);
            map.extend(site.map(cost_json).unwrap_or_default());
        }
        out
    };
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
        "instructions": l.entries.iter().map(instruction).collect::<Vec<_>>(),
    });
    let changed: Vec<&str> = l.changed_files().collect();
    if let (false, Some(map)) = (changed.is_empty(), document.as_object_mut()) {
        map.insert("changed_files".into(), changed.into());
    }
    if let (Some([sgprs, vgprs]), Some(resources)) = (l.spills, document["resources"].as_object_mut()) {
        resources.insert("sgpr_spills".into(), sgprs.into());
        resources.insert("vgpr_spills".into(), vgprs.into());
    }
    document
}

/// The page, of all kernels of a code object unless one is named or launched: with what the cycle model says, where there is
/// a launch for it.
fn html(args: &Args, target: Option<Target>) -> Result<String, CliError> {
    let built = args.work.open_all(target)?;
    let listings = built.listings()?;
    let launched = match &listings[..] {
        [_] => args.work.launch(&built)?,
        _ => None,
    };
    let timing = launched.as_ref().map(|l| l.recording.time(&Costs::default(), false));
    let launch = launched.as_ref().map(|l| &l.recording).zip(timing.as_ref());
    let cards = cards(&listings, launched.as_ref().zip(timing.as_ref()));
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
            compared: args.diff.is_some(),
            before: old.map(|k| &before[k]),
            card_before: old.map_or("", |k| &cards_before[k]),
        });
    }
    Ok(page(&shown))
}

/// The kernels of the build before and their cards, launched as the new one is.
fn before(args: &Args, other: &str, target: Option<Target>) -> Result<(Vec<Listing>, Vec<String>), CliError> {
    let work = args.work.other(other);
    let built = work.open_all(target)?;
    let listings = built.listings()?;
    let launched = match &listings[..] {
        [_] => work.launch(&built)?,
        _ => None,
    };
    let timing = launched.as_ref().map(|l| l.recording.time(&Costs::default(), false));
    let cards = cards(&listings, launched.as_ref().zip(timing.as_ref()));
    Ok((listings, cards))
}

/// The card of each kernel, with what the launch of the only one takes.
fn cards(listings: &[Listing], launched: Option<(&Launched, &Timing)>) -> Vec<String> {
    let launch = launched.map(|(l, timing)| (&l.recording, timing));
    let card = |listing: &Listing| {
        let with = launched.map(|(l, _)| format!("launched with {}\n", l.with));
        Card::new(listing, launch).to_string() + &with.unwrap_or_default()
    };
    listings.iter().map(card).collect()
}
