//! `t0 card`: how fast a kernel is, why, and what to change first, on one page.

use crate::error::CliError;
use crate::output::{format, Format, Outcome, Output};
use crate::work;
use serde::Serialize;
use t0_backend_rdna3::target::Target;
use t0_sim::card::Card;
use t0_sim::timing::Costs;

/// Arguments of `t0 card`.
#[derive(Debug, clap::Args)]
#[command(after_help = WORDS)]
pub struct Args {
    #[command(flatten)]
    work: work::What,
    /// How to print it [default: text]
    #[arg(long, value_enum)]
    format: Option<Format>,
}

/// Where the words of a card are explained.
const WORDS: &str =
    "All times are modelled. What each line of a card means (limiter, waits by reason, bank conflicts, roofline, ...) \
is in docs/timing.md, \"Words of a card\".";

#[derive(Debug, Serialize)]
struct Document {
    #[serde(flatten)]
    card: Card,
    /// How it was launched.
    #[serde(skip_serializing_if = "Option::is_none")]
    launched_with: Option<String>,
}

/// Runs the command.
pub fn run(args: &Args, target: Option<Target>, out: &mut Output) -> Result<Outcome, CliError> {
    let format = format(out.json(), args.format, [Format::Text, Format::Json])?;
    let work = args.work.open(target)?;
    let listing = work.listing()?;
    let launched = args.work.launch(&work)?;
    let timing = launched.as_ref().map(|l| l.recording.time(&Costs::default(), false));
    let launch = launched.as_ref().zip(timing.as_ref());
    let card = Card::new(&listing, launch.map(|(l, t)| (&l.recording, t)));
    let launched_with = launched.map(|l| l.with);
    if format == Format::Json {
        out.document(&Document { card, launched_with })?;
    } else {
        out.text(&card.to_string())?;
        if let Some(with) = launched_with {
            out.line(&format!("launched with {with}"))?;
        }
    }
    Ok(Outcome::Fine)
}
