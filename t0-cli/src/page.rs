//! The listing as a page for the browser: one file that works without a network.
//!
//! Method: everything the page shows is one JSON document in it (`data`), which `page/page.js` draws. What a launch costs is
//! there when there was one; a number that nobody has is left out, and the page leaves it out, too.

use crate::hex;
use crate::isa::cost_json;
use serde_json::{json, Map, Value};
use std::collections::{BTreeMap, HashMap};
use t0_backend_rdna3::flow::Flow;
use t0_backend_rdna3::isa::{about, bit_fields, Inst};
use t0_backend_rdna3::listing::{decode_all, Decoded, Entry, Listing, CHANGED};
use t0_backend_rdna3::occupancy::with_fewer_vgprs;
use t0_backend_rdna3::reasons::reasons;
use t0_sim::card::Resources;
use t0_sim::timing::{Recording, Site, Timing};

/// A kernel to show.
pub struct Shown<'a> {
    /// The kernel.
    pub listing: &'a Listing,
    /// A launch of it.
    pub launch: Option<(&'a Recording, &'a Timing)>,
    /// Its card as text.
    pub card: &'a str,
    /// A build before was asked for.
    pub compared: bool,
    /// The build before, to tell what is different; `None` too when it has no such kernel.
    pub before: Option<&'a Listing>,
    /// Its card as text; empty without one.
    pub card_before: &'a str,
}

/// The page of one kernel or several.
pub fn page(kernels: &[Shown]) -> String {
    let mut help = Map::new();
    let all: Vec<Value> = kernels.iter().map(|k| kernel(k, &mut help)).collect();
    let title = escape(&kernels.first().map(|k| title(k.listing)).unwrap_or_default());
    // Nothing in a script element is an escape, and `<` could end it: JSON can say it in other words.
    let data = json!({"kernels": all, "help": help})
        .to_string()
        .replace('<', "\\u003c");
    let script = [
        include_str!("page/page.js"),
        include_str!("page/graph.js"),
        include_str!("page/use.js"),
    ]
    .concat();
    let mut page = include_str!("page/page.html").to_owned();
    let parts = [
        ("{title}", title.as_str()),
        ("{style}", include_str!("page/page.css")),
        ("{script}", &script),
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

fn title(l: &Listing) -> String {
    format!("{} for {}", l.kernel, l.target.name)
}

fn kernel(shown: &Shown, help: &mut Map<String, Value>) -> Value {
    let l = shown.listing;
    let code: Vec<u8> = l.entries.iter().flat_map(|e| e.bytes.iter().copied()).collect();
    let decoded = decode_all(&code, &l.target);
    let why = reasons(&decoded, &l.target);
    let sites = sites(shown);
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
    let flow = Flow::new(&l.entries);
    let mut out = json!({
        "kernel": l.kernel,
        "title": title(l),
        "before": shown.before.map(title),
        "compared": shown.compared,
        "same": shown.before.is_some_and(|b| same_build(l, b)),
        "card_before": shown.card_before,
        "summary": summary(l),
        "card": shown.card,
        "vgprs": l.vgprs,
        "timed": shown.launch.is_some(),
        "instructions": instructions,
        "sources": sources(l, &sites),
        "blocks": blocks(l, &flow),
        "loops": t0_sim::card::Card::new(l, None).loops.iter()
            .map(|x| json!({"from": x.from, "spans": x.spans, "depth": x.depth})).collect::<Vec<_>>(),
    });
    if let (Some((vgprs, waves)), Some(map)) = (with_fewer_vgprs(&l.target, &l.usage), out.as_object_mut()) {
        let step = json!({"vgprs": vgprs, "from": l.occupancy.waves_per_simd, "waves": waves});
        map.insert("next_wave".into(), step);
    }
    out
}

/// Bytes of the instruction cache of a WGP (ROCm documentation, "Accelerator and GPU hardware specifications").
const INSTRUCTION_CACHE: u64 = 32 * 1024;

fn summary(l: &Listing) -> String {
    let spills = match l.spills {
        Some([0, 0]) => ", no spills".to_owned(),
        Some([s, v]) => format!(", spills of {s} SGPRs and {v} VGPRs"),
        None => String::new(),
    };
    let cache = match l.code_bytes() {
        n if n > INSTRUCTION_CACHE => format!("{n} bytes of code, more than the instruction cache has"),
        n => format!("{n} bytes of code"),
    };
    format!(
        "{} VGPR, {} SGPR, {} bytes LDS, {} bytes scratch{spills}, {cache}; {} waves/SIMD with groups of {}: {}",
        l.vgprs,
        l.sgprs,
        l.lds_bytes,
        l.scratch_bytes,
        l.occupancy.waves_per_simd,
        l.group_size,
        l.limit_text()
    )
}

/// The basic blocks: offsets of their first and last instruction, blocks that may be next, loops around them.
fn blocks(l: &Listing, flow: &Flow) -> Vec<Value> {
    let offset = |k: usize| l.entries.get(k).map(|e| e.offset);
    let mut depth = vec![0u32; flow.blocks.len()];
    for b in flow.loops.iter().flat_map(|x| &x.blocks) {
        depth[*b] += 1;
    }
    let one = |(b, depth): (&t0_backend_rdna3::flow::Block, u32)| json!({"from": offset(b.first), "to": offset(b.last), "next": b.next, "depth": depth});
    flow.blocks.iter().zip(depth).map(one).collect()
}

/// What the model says of each instruction, by offset.
fn sites<'a>(shown: &Shown<'a>) -> BTreeMap<u64, &'a Site> {
    let Some((recording, timing)) = shown.launch else {
        return BTreeMap::new();
    };
    recording.instructions().map(|i| i.0).zip(&timing.sites).collect()
}

fn instruction(e: &Entry, d: &Decoded, why: Option<&str>, site: Option<&Site>) -> Value {
    let fields = |inst: &Inst| {
        let all = bit_fields(inst, &d.bytes);
        let one = |f: t0_backend_rdna3::isa::BitField| {
            let last = f.first + f.width - 1;
            json!([f.name, f.value, format!("{last}:{}", f.first)])
        };
        all.into_iter().map(one).collect::<Vec<Value>>()
    };
    let inst = d.inst.as_ref().ok();
    let mut out = Map::new();
    let mut put = |name: &str, value: Value| {
        if !value.is_null() {
            out.insert(name.into(), value);
        }
    };
    put("offset", e.offset.into());
    put("bytes", hex::text(&e.bytes).into());
    put("text", e.text.clone().into());
    put("file", e.line.as_ref().map(|l| l.file.to_string()).into());
    put("line", e.line.as_ref().map(|l| l.line).into());
    put("live_vgpr", e.live_vgprs.into());
    put("live_sgpr", e.live_sgprs.into());
    put("target", e.branch_target.into());
    put("group", e.class.map(|c| c.group()).into());
    put("opcode", inst.map(|i| i.op.name()).into());
    put("fields", inst.map(fields).into());
    put("why", why.into());
    put("error", e.error.as_ref().map(ToString::to_string).into());
    if let Some(site) = site.filter(|s| s.issued > 0) {
        out.extend(cost_json(site));
    }
    Value::Object(out)
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
        let waited = sites.get(&e.offset).map_or(0, |s| s.waited());
        *files.entry(&line.file).or_default().entry(line.line).or_default() += waited;
    }
    let all: u64 = files.values().flat_map(BTreeMap::values).sum::<u64>().max(1);
    let file = |(name, lines): (&str, BTreeMap<u32, u64>)| {
        let (first, last) = (*lines.keys().next()?, *lines.keys().last()?);
        let row = |(number, text): (u32, &str)| {
            let share = lines
                .get(&number)
                .map(|w| format!("{:.1}%", 100.0 * *w as f64 / all as f64));
            match share.filter(|_| !sites.is_empty()) {
                Some(share) => json!({"number": number, "text": text, "stall": share}),
                None => json!({"number": number, "text": text}),
            }
        };
        if l.changed_files().any(|f| f == name) {
            // The lines that were compiled, without a text: clicks and shares go on as before.
            let rows = lines.keys().map(|number| row((*number, "")));
            return Some(json!({"name": name, "remark": CHANGED, "lines": rows.collect::<Vec<_>>()}));
        }
        let text = t0_runtime::read_source(name)?;
        let shown = text.lines().enumerate().map(|(k, t)| (k as u32 + 1, t));
        let shown = shown.skip_while(|x| x.0 + 8 < first).take_while(|x| x.0 <= last + 4);
        Some(json!({"name": name, "lines": shown.map(row).collect::<Vec<_>>()}))
    };
    files.into_iter().filter_map(file).collect()
}

/// Whether two builds are the same bytes for the same chip, with the same registers and LDS.
fn same_build(a: &Listing, b: &Listing) -> bool {
    let same_bytes = || {
        a.entries
            .iter()
            .map(|e| &e.bytes)
            .eq(b.entries.iter().map(|e| &e.bytes))
    };
    a.target == b.target && Resources::of(a) == Resources::of(b) && same_bytes()
}

/// The instructions with those of the build before that are gone, each marked.
fn compared<'a>(now: &'a Listing, before: &'a Listing, instructions: Vec<Value>) -> Vec<Value> {
    // Numbers stand for texts, so that comparing is cheap.
    let mut known: HashMap<&str, usize> = HashMap::new();
    let [old, new] = [before, now].map(|l| {
        let number = |e: &'a Entry| {
            let next = known.len();
            *known.entry(e.text.as_str()).or_insert(next)
        };
        l.entries.iter().map(number).collect::<Vec<usize>>()
    });
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
            "live_sgpr": e.live_sgprs, "group": e.class.map(|c| c.group()), "change": "del"})
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

/// Pairs of equal elements in both orders: a longest common subsequence.
///
/// Hirschberg's way (CACM 18, 1975): lengths of one row at a time tell where to cut, so that ten thousand instructions on
/// both sides need no table of their product.
fn common(old: &[usize], new: &[usize]) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    cut(old, new, (0, 0), &mut out);
    out
}

fn cut(old: &[usize], new: &[usize], at: (usize, usize), out: &mut Vec<(usize, usize)>) {
    // What both begin or end with is common, and most of two builds is.
    let first = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    out.extend((0..first).map(|k| (at.0 + k, at.1 + k)));
    let (old, new, at) = (&old[first..], &new[first..], (at.0 + first, at.1 + first));
    let last = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let (ends, (old, new)) = (
        (old.len() - last, new.len() - last),
        (&old[..old.len() - last], &new[..new.len() - last]),
    );
    if let ([one], false) = (old, new.is_empty()) {
        out.extend(new.iter().position(|x| x == one).map(|k| (at.0, at.1 + k)));
    } else if old.len() > 1 && !new.is_empty() {
        let half = old.len() / 2;
        let (upper, lower) = (lengths(old[..half].iter(), new.iter()), {
            let mut l = lengths(old[half..].iter().rev(), new.iter().rev());
            l.reverse();
            l
        });
        let split = (0..=new.len())
            .max_by_key(|&k| (upper[k] + lower[k], std::cmp::Reverse(k)))
            .unwrap_or(0);
        cut(&old[..half], &new[..split], at, out);
        cut(&old[half..], &new[split..], (at.0 + half, at.1 + split), out);
    }
    out.extend((0..last).map(|k| (at.0 + ends.0 + k, at.1 + ends.1 + k)));
}

/// How long the longest common subsequence of `old` and each beginning of `new` is.
fn lengths<'a>(old: impl Iterator<Item = &'a usize>, new: impl Iterator<Item = &'a usize> + Clone) -> Vec<u32> {
    let mut row = vec![0u32; new.clone().count() + 1];
    for a in old {
        let mut diagonal = 0;
        for (k, b) in new.clone().enumerate() {
            let above = row[k + 1];
            row[k + 1] = if a == b { diagonal + 1 } else { above.max(row[k]) };
            diagonal = above;
        }
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_longest_common_subsequence() {
        let list = |s: &str| s.bytes().map(usize::from).collect::<Vec<_>>();
        let of = |a: &str, b: &str| common(&list(a), &list(b)).len();
        assert_eq!(of("abcd", "abxd"), 3);
        assert_eq!(of("", "ab"), 0);
        assert_eq!(of("abc", "cab"), 2);
        assert_eq!(of("xaxbxcx", "yaybycy"), 3);
        assert_eq!(of("nematode knowledge", "empty bottle"), 7);
        assert_eq!(common(&list("ab"), &list("xab")), [(0, 1), (1, 2)]);
        // Pairs are equal, and in both orders.
        let (a, b) = (list("xmjyauzmjyauz"), list("mzjawxumzjawxu"));
        let pairs = common(&a, &b);
        assert!(pairs.iter().all(|p| a[p.0] == b[p.1]));
        assert!(pairs.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 < w[1].1));
    }
}
