//! Launches that an index out of range stopped.
//!
//! Problem: a checked kernel that finds an index out of range ends early and leaves a report in memory; whoever waits for
//! what it should have written must hear of it, and so must whoever waits for launches that followed it blindly.
//! Method: a queue turns reports into [`Stop`]s when it retires packets. A stop is the error of its own launch for ever,
//! and of the later launches of the queue that were submitted before the host was told.
//!
//! Invariant: a stop outlives its queue: fences hold the list.

use std::sync::{Arc, Mutex};

use t0_ir::{Diag, Report, Site, Span};

use crate::device::lock;
use crate::error::Error;

/// What a checked kernel's reports are told with.
#[derive(Debug)]
pub(crate) struct Checks {
    pub sites: Vec<Site>,
    pub files: Vec<String>,
}

/// Where and why a checked kernel stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutOfRange {
    /// Source file, as the compiler names it; empty if unknown.
    pub file: String,
    /// Line, from 1; 0 if unknown.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// The sentence: what was indexed with what, and its length.
    pub what: String,
    /// The index.
    pub index: u32,
    /// What it must be below.
    pub len: u32,
    /// Workgroup in x, y, z.
    pub group: [u32; 3],
    /// Index of the work-item in its workgroup.
    pub local: u32,
}

impl Checks {
    /// The error of a launch with this report.
    pub fn error(&self, kernel: String, report: Report) -> Error {
        let site = self.sites.get(report.site as usize);
        let span = site.map_or_else(Span::default, |s| s.span);
        let what = match site {
            Some(s) => s.message(report.index, report.len),
            None => format!("index {} is out of range, the length is {}", report.index, report.len),
        };
        let [x, y, z] = report.group;
        let note = format!(
            "in workgroup ({x}, {y}, {z}), lane {} of wave {} (work-item {} of the group)",
            report.local % 32,
            report.local / 32,
            report.local
        );
        let text = Diag::new(span, what.clone()).note(note).render(&self.files);
        let file = self.files.get(span.file as usize).filter(|_| span.line > 0);
        let stop = OutOfRange {
            file: file.cloned().unwrap_or_default(),
            line: span.line,
            column: span.column,
            what,
            index: report.index,
            len: report.len,
            group: report.group,
            local: report.local,
        };
        Error::OutOfRange {
            kernel,
            text,
            stop: Arc::new(stop),
        }
    }
}

/// A launch that stopped.
#[derive(Debug)]
struct Stop {
    packet: u64,
    /// The last packet submitted before the host was told; `None`: it was not told yet.
    last: Option<u64>,
    error: Error,
}

/// The stopped launches of a queue.
#[derive(Debug, Default)]
pub(crate) struct Stops(Mutex<Vec<Stop>>);

impl Stops {
    /// Notes a stopped launch.
    pub fn add(&self, packet: u64, error: Error) {
        let last = None;
        lock(&self.0).push(Stop { packet, last, error });
    }

    /// The error of whoever waits for a packet; `next`: the packet the queue will submit next.
    pub fn check(&self, packet: u64, next: u64) -> Result<(), Error> {
        let mut stops = lock(&self.0);
        let concerns = |s: &&mut Stop| s.packet <= packet && s.last.is_none_or(|last| packet <= last);
        match stops.iter_mut().find(concerns) {
            None => Ok(()),
            Some(s) => {
                s.last.get_or_insert(next.saturating_sub(1).max(packet));
                Err(s.error.clone())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(kernel: &str) -> Error {
        Error::NoGrid { kernel: kernel.into() }
    }

    #[test]
    fn a_stop_concerns_its_launch_and_those_submitted_blindly() {
        let stops = Stops::default();
        assert!(stops.check(7, 8).is_ok());
        stops.add(3, error("k"));
        assert!(stops.check(2, 8).is_ok());
        assert!(stops.check(5, 8).is_err()); // now the host knows; 7 was submitted before
        assert!(stops.check(7, 9).is_err());
        assert!(stops.check(8, 9).is_ok());
        assert!(stops.check(3, 9).is_err());
    }
}
