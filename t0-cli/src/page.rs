//! The listing as a page for the browser: one file that works without a network.
//!
//! Method: everything the page shows is one JSON document in it (`data`), which `page/page.js` draws. What a launch costs is
//! there when there was one; a number that nobody has is `null`, and the page leaves it out.

use crate::hex;
use serde_json::{json, Map, Value};
use std::collections::BTreeMap;
use t0_backend_rdna3::isa::{about, bit_fields, Inst};
use t0_backend_rdna3::listing::{decode_all, Decoded, Entry, Listing};
use t0_backend_rdna3::reasons::reasons;
use t0_sim::timing::{Recording, Site, Timing, STALLS};

/// What to show.
pub struct Shown<'a> {
    /// The kernel.
    pub listing: &'a Listing,
    /// A launch of it.
    pub launch: Option<(&'a Recording, &'a Timing)>,
    /// Its card as text.
    pub card: &'a str,
    /// The build before, to tell what is different.
    pub before: Option<&'a Listing>,
}

/// The page.
pub fn page(shown: &Shown) -> String {
    let l = shown.listing;
    let title = escape(&format!("{} for {}", l.kernel, l.target.name));
    let summary = escape(&format!(
        "{} VGPR, {} SGPR, {} bytes LDS, {} bytes scratch; {} waves/SIMD with groups of {}: {}",
        l.vgprs,
        l.sgprs,
        l.lds_bytes,
        l.scratch_bytes,
        l.occupancy.waves_per_simd,
        l.group_size,
        l.limit_text()
    ));
    // Inside of a script only `</` could end it.
    let data = data(shown).to_string().replace("</", "<\\/");
    let mut page = include_str!("page/page.html").to_owned();
    let parts = [
        ("{title}", title.as_str()),
        ("{summary}", &summary),
        ("{style}", include_str!("page/page.css")),
        ("{card}", &escape(shown.card)),
        ("{script}", include_str!("page/page.js")),
        // Last, as the source may contain anything.
        ("{data}", &data),
    ];
    for (name, text) in parts {
        page = page.replacen(name, text, if name == "{title}" { 2 } else { 1 });
    }
    page
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

fn data(shown: &Shown) -> Value {
    let l = shown.listing;
    let code: Vec<u8> = l.entries.iter().flat_map(|e| e.bytes.iter().copied()).collect();
    let decoded = decode_all(&code, &l.target);
    let why = reasons(&decoded, &l.target);
    let sites = sites(shown);
    let mut help = Map::new();
    let mut instructions: Vec<Value> = Vec::new();
    for ((e, d), why) in l.entries.iter().zip(&decoded).zip(&why) {
        if let Ok(inst) = &d.inst {
            help.entry(inst.op.name()).or_insert_with(|| help_of(inst));
        }
        instructions.push(instruction(e, d, why.as_deref(), sites.get(&e.offset).copied()));
    }
    if let Some(before) = shown.before {
        instructions = compared(l, before, instructions);
    }
    json!({
        "kernel": l.kernel,
        "timed": shown.launch.is_some(),
        "instructions": instructions,
        "sources": sources(l, &sites),
        "loops": t0_sim::card::Card::new(l, None).loops.iter().map(|x| json!({"from": x.from, "to": x.to})).collect::<Vec<_>>(),
        "help": help,
    })
}

/// What the model says of each instruction, by offset.
fn sites<'a>(shown: &Shown<'a>) -> BTreeMap<u64, &'a Site> {
    let Some((recording, timing)) = shown.launch else {
        return BTreeMap::new();
    };
    recording.instructions().map(|i| i.0).zip(&timing.sites).collect()
}

fn instruction(e: &Entry, d: &Decoded, why: Option<&str>, site: Option<&Site>) -> Value {
    let fields: Vec<Value> = d.inst.as_ref().map_or_else(
        |_| Vec::new(),
        |inst| {
            let all = bit_fields(inst, &d.bytes);
            let one = |f: t0_backend_rdna3::isa::BitField| {
                let last = f.first + f.width - 1;
                json!({"name": f.name, "value": f.value, "bits": format!("{last}:{}", f.first)})
            };
            all.into_iter().map(one).collect()
        },
    );
    let mut out = json!({
        "offset": e.offset,
        "bytes": hex::text(&e.bytes),
        "text": e.text,
        "file": e.line.as_ref().map(|l| l.file.to_string()),
        "line": e.line.as_ref().map(|l| l.line),
        "live_vgpr": e.live_vgprs,
        "live_sgpr": e.live_sgprs,
        "target": e.branch_target,
        "opcode": d.inst.as_ref().ok().map(|i| i.op.name()),
        "fields": fields,
        "why": why,
        "error": e.error.as_ref().map(ToString::to_string),
    });
    if let (Some(site), Some(map)) = (site.filter(|s| s.issued > 0), out.as_object_mut()) {
        let each = |n: u64| (n as f64 / site.issued as f64 * 10.0).round() / 10.0;
        let waits = STALLS.iter().zip(site.stalls).filter(|s| s.1 > 0);
        let waits: Vec<Value> = waits
            .map(|(s, n)| json!({"why": s.name(), "cycles": each(n)}))
            .collect();
        map.insert("cycle".into(), site.first.into());
        map.insert("issued".into(), site.issued.into());
        map.insert("stall".into(), json!(each(site.stalls.iter().sum())));
        map.insert("stalls".into(), waits.into());
        map.insert("conflicts".into(), site.conflicts.into());
    }
    out
}

fn help_of(inst: &Inst) -> Value {
    let row = inst.row();
    let operand = |s: &t0_backend_rdna3::isa::OperandSpec| {
        let role = if s.is_dst() { "writes" } else { "reads" };
        format!("{:?} {role} {:?}", s.field, s.ty).to_lowercase()
    };
    json!({
        "what": about(row),
        "unit": format!("{:?}, {:?}", row.class, row.family).to_lowercase(),
        "operands": row.operands.iter().map(operand).collect::<Vec<_>>().join("; "),
    })
}

/// Text of the source around the kernel's lines, and how long waves wait at each.
fn sources(l: &Listing, sites: &BTreeMap<u64, &Site>) -> Vec<Value> {
    let mut files: BTreeMap<&str, BTreeMap<u32, u64>> = BTreeMap::new();
    for e in &l.entries {
        let Some(line) = &e.line else { continue };
        let waited = sites.get(&e.offset).map_or(0, |s| s.stalls.iter().sum());
        *files.entry(&line.file).or_default().entry(line.line).or_default() += waited;
    }
    let all: u64 = files.values().flat_map(BTreeMap::values).sum::<u64>().max(1);
    let file = |(name, lines): (&str, BTreeMap<u32, u64>)| {
        let (first, last) = (*lines.keys().next()?, *lines.keys().last()?);
        let text = t0_runtime::read_source(name)?;
        let shown = text.lines().enumerate().map(|(k, t)| (k as u32 + 1, t));
        let shown = shown.skip_while(|x| x.0 + 8 < first).take_while(|x| x.0 <= last + 4);
        let row = |(number, text): (u32, &str)| {
            let share = lines
                .get(&number)
                .map(|w| format!("{:.1}%", 100.0 * *w as f64 / all as f64));
            json!({"number": number, "text": text, "stall": share.filter(|_| !sites.is_empty())})
        };
        Some(json!({"name": name, "lines": shown.map(row).collect::<Vec<_>>()}))
    };
    files.into_iter().filter_map(file).collect()
}

/// The instructions with those of the build before that are gone, each marked.
fn compared(now: &Listing, before: &Listing, instructions: Vec<Value>) -> Vec<Value> {
    let text = |l: &Listing| l.entries.iter().map(|e| e.text.clone()).collect::<Vec<_>>();
    let (old, new) = (text(before), text(now));
    let same = common(&old, &new);
    let mut out = Vec::new();
    let (mut i, mut j) = (0, 0);
    let mark = |mut v: Value, change: &str| {
        if let Some(map) = v.as_object_mut() {
            map.insert("change".into(), change.into());
        }
        v
    };
    let gone = |e: &Entry| {
        json!({"offset": e.offset, "bytes": hex::text(&e.bytes), "text": e.text, "live_vgpr": e.live_vgprs,
            "live_sgpr": e.live_sgprs, "fields": [], "change": "del"})
    };
    let mut rest = instructions.into_iter();
    for (a, b) in same.into_iter().chain([(old.len(), new.len())]) {
        out.extend(before.entries[i..a].iter().map(gone));
        out.extend(rest.by_ref().take(b - j).map(|v| mark(v, "add")));
        out.extend(rest.next().filter(|_| b < new.len()));
        (i, j) = (a + 1, b + 1);
    }
    out
}

/// Pairs of equal texts in both orders: a longest common subsequence.
fn common(old: &[String], new: &[String]) -> Vec<(usize, usize)> {
    let width = new.len() + 1;
    let mut length = vec![0u32; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            length[i * width + j] = if old[i] == new[j] {
                length[(i + 1) * width + j + 1] + 1
            } else {
                length[(i + 1) * width + j].max(length[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j, mut out) = (0, 0, Vec::new());
    while i < old.len() && j < new.len() {
        if old[i] == new[j] {
            out.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if length[(i + 1) * width + j] >= length[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_longest_common_subsequence() {
        let list = |s: &str| s.chars().map(String::from).collect::<Vec<_>>();
        let of = |a, b| common(&list(a), &list(b)).len();
        assert_eq!(of("abcd", "abxd"), 3);
        assert_eq!(of("", "ab"), 0);
        assert_eq!(of("abc", "cab"), 2);
        assert_eq!(common(&list("ab"), &list("xab")), [(0, 1), (1, 2)]);
    }
}
