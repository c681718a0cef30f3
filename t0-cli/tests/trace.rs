//! `t0 trace` writes what the Perfetto UI and `chrome://tracing` read: the Trace Event Format, checked rule by rule.
//!
//! Sources: "Trace Event Format", Google (fields of complete and metadata events, which slices may share a track);
//! google/perfetto#394, #363 and #2048, thoren-d/tracing-chrome#32 (numbers begin with 1, have 32 bits, no negative times).
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use common::{folder, json, t0};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A trace that was checked.
struct Trace {
    /// Categories of its slices with how many there are.
    categories: BTreeMap<String, usize>,
    /// Names of slices.
    names: BTreeSet<String>,
}

type Track = (u64, u64);

fn track(e: &Value) -> Track {
    let number = |name: &str| e[name].as_u64().unwrap_or_else(|| panic!("{name} is no number: {e}"));
    let (pid, tid) = (number("pid"), number("tid"));
    assert!(pid > 0 && tid > 0, "0 is the idle process of Perfetto: {e}");
    assert!(pid < 1 << 32 && tid < 1 << 32, "more than 32 bits: {e}");
    (pid, tid)
}

fn only(e: &Value, names: &[&str]) {
    for name in e.as_object().unwrap().keys() {
        assert!(
            names.contains(&name.as_str()),
            "{name} is no field of such an event: {e}"
        );
    }
}

/// Names of processes and of threads.
fn named(events: &[Value]) -> (BTreeMap<u64, String>, BTreeMap<Track, String>) {
    let (mut processes, mut threads) = (BTreeMap::new(), BTreeMap::new());
    for e in events.iter().filter(|e| e["ph"] == "M") {
        if e["name"] == "process_sort_index" {
            only(e, &["ph", "name", "pid", "args"]);
            assert_eq!(e["args"]["sort_index"].as_u64().map(|k| k + 1), e["pid"].as_u64());
            continue;
        }
        let name = e["args"]["name"].as_str().unwrap().to_owned();
        let before = match e["name"].as_str().unwrap() {
            "process_name" => {
                only(e, &["ph", "name", "pid", "args"]);
                processes.insert(e["pid"].as_u64().unwrap(), name)
            }
            "thread_name" => {
                only(e, &["ph", "name", "pid", "tid", "args"]);
                threads.insert(track(e), name)
            }
            other => panic!("metadata of another kind: {other}"),
        };
        assert_eq!(before, None, "named twice: {e}");
    }
    (processes, threads)
}

fn checked(kernel: &str, size: &str) -> Trace {
    let path = folder(&format!("trace-{}", kernel.replace([':', '<', '>', ','], "_"))).join("t.json");
    let done = json(&t0(&[
        "trace",
        kernel,
        "--size",
        size,
        "-o",
        path.to_str().unwrap(),
        "--json",
    ]));
    let v: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    only(&v, &["traceEvents", "displayTimeUnit", "otherData"]);
    assert_eq!(v["displayTimeUnit"], "ns");
    let events = v["traceEvents"].as_array().unwrap();
    assert_eq!(done["events"].as_u64().unwrap() as usize, events.len());
    let (processes, threads) = named(events);
    assert_eq!(done["waves"].as_u64().unwrap() as usize, threads.len());
    let tids: BTreeSet<u64> = threads.keys().map(|t| t.1).collect();
    assert_eq!(tids.len(), threads.len(), "a thread in two processes");
    let mut ends: BTreeMap<Track, u64> = BTreeMap::new();
    let mut trace = Trace {
        categories: BTreeMap::new(),
        names: BTreeSet::new(),
    };
    for e in events.iter().filter(|e| e["ph"] != "M") {
        assert_eq!(e["ph"], "X", "{e}");
        only(e, &["ph", "name", "cat", "pid", "tid", "ts", "dur", "cname", "args"]);
        let at = track(e);
        assert!(
            processes.contains_key(&at.0) && threads.contains_key(&at),
            "nobody named {at:?}"
        );
        let (begin, long) = (e["ts"].as_u64().unwrap(), e["dur"].as_u64().unwrap());
        assert!(long > 0 && e["args"].is_object(), "{e}");
        let end = ends.entry(at).or_insert(0);
        assert!(begin >= *end, "{e} begins before the slice before it ends at {end}");
        *end = begin + long;
        let name = e["name"].as_str().filter(|n| !n.is_empty()).unwrap();
        let category = e["cat"].as_str().filter(|n| !n.is_empty()).unwrap();
        let waits = name.starts_with("wait: ");
        assert_eq!(waits, ["wait", "barrier"].contains(&category), "{e}");
        assert!(waits || e["args"]["unit held"].as_u64().unwrap() > 0, "{e}");
        *trace.categories.entry(category.to_owned()).or_default() += 1;
        trace.names.insert(name.to_owned());
    }
    assert_eq!(ends.len(), threads.len(), "waves without a slice");
    trace
}

#[test]
fn a_streaming_kernel() {
    let trace = checked("saxpy", "64");
    assert!(trace.names.contains("wait: vmcnt"), "{:?}", trace.names);
    assert!(!trace.categories.contains_key("barrier"), "it has no barrier");
    for category in ["valu", "salu", "smem", "vmem", "branch", "wait"] {
        assert!(
            trace.categories.contains_key(category),
            "{category}: {:?}",
            trace.categories
        );
    }
}

#[test]
fn rows_with_transcendental_functions() {
    let trace = checked("softmax", "64");
    assert!(trace.names.iter().any(|n| n.starts_with("v_exp_f32")));
    assert!(trace.categories.contains_key("trans"), "{:?}", trace.categories);
}

#[test]
fn matrices_with_barriers() {
    let trace = checked("gemm::<64,64,32>", "128");
    assert!(trace.names.iter().any(|n| n.starts_with("v_wmma_f32_16x16x16")));
    assert!(trace.names.contains("wait: barrier") && trace.categories["barrier"] > 0);
    for category in ["wmma", "valu", "salu", "vmem", "lds", "sync", "wait"] {
        assert!(
            trace.categories.contains_key(category),
            "{category}: {:?}",
            trace.categories
        );
    }
}
