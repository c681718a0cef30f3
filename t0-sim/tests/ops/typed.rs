//! Typed buffer rows: which registers and bytes each of them touches.
//!
//! What a component becomes in each format is tested beside the simulator's memory tests; here every row moves unsigned
//! integers, so that only places count: one register or half per component; a store writes 0 to the components of the
//! format it has no data for (LLVM, `hasDefaultComponentZero`: gfx10 and gfx11); a load gives 0, 0, 0, 1 where the format
//! has no component. Source otherwise: the manual's pseudocode and its section 9.
#![allow(clippy::unwrap_used)]

use crate::common::{Machine, Rng};
use t0_backend_rdna3::isa::graphics::FORMATS;
use t0_backend_rdna3::isa::Opcode;
use t0_sim::wave::Wave;

const BUF: u64 = 0x40_0000;
/// Records that exist; the lanes behind them are out of range.
const RECORDS: usize = 28;

/// What a row's name says.
#[derive(Clone, Copy, Debug)]
struct Shape {
    load: bool,
    d16: bool,
    high: bool,
    components: usize,
}

fn shape(name: &str) -> Option<Shape> {
    let (head, tail) = name.split_once("format_")?;
    (!head.contains("_lds_")).then_some(Shape {
        load: head.contains("_load_"),
        d16: head.contains("d16"),
        high: head.contains("_hi_"),
        components: tail.len(),
    })
}

/// Rows this module checks.
pub fn checks(name: &str) -> bool {
    shape(name).is_some()
}

/// Register and shift of component `c`.
fn place(s: &Shape, c: usize) -> (usize, u32) {
    match (s.d16, s.high) {
        (false, _) => (4 + c, 0),
        (true, false) => (4 + c / 2, 16 * (c as u32 % 2)),
        (true, true) => (4, 16),
    }
}

/// Component `c` of the data registers.
fn part(w: &Wave, s: &Shape, c: usize, l: usize) -> u32 {
    let (r, shift) = place(s, c);
    w.lane(r, l) >> shift & if s.d16 { 0xffff } else { u32::MAX }
}

fn trial(name: &str, s: &Shape, (bits, channels): (usize, usize), rng: &mut Rng) -> Result<(), String> {
    let format = format!("{}_UINT", vec![bits.to_string(); channels].join("_"));
    let number = FORMATS.iter().position(|f| *f == format).unwrap() as u32;
    let (bytes, size) = (bits / 8, bits / 8 * channels);
    let mut m = Machine::new();
    let words: Vec<u32> = (0..8 * size).map(|_| rng.u32()).collect();
    m.buffer(BUF, "data", &words);
    m.set_s64(4, BUF | (size as u64) << 48).set_s(6, RECORDS as u32);
    m.set_v(0, std::array::from_fn(|l| l as u32)).set_s(126, rng.u32() | 1);
    // The instruction's own format counts for MTBUF; the descriptor then names another one.
    let (tail, described) = if name.starts_with('t') {
        (format!(" format:[BUF_FMT_{format}]"), 1)
    } else {
        (String::new(), number)
    };
    m.set_s(7, described << 12 | 0xfac);
    for r in 4..9 {
        // Values that fit and values that do not: stores saturate.
        m.set_v(r, std::array::from_fn(|_| rng.u32() >> (8 * (rng.u32() % 4))));
    }
    let n = if s.d16 { s.components.div_ceil(2) } else { s.components } as u32;
    let data = if n == 1 { "v4".into() } else { format!("v[4:{}]", 3 + n) };
    let text = format!("{name} {data}, v0, s[4:7], 0{tail} idxen\ns_waitcnt vmcnt(0)\ns_waitcnt_vscnt null, 0");
    let before = m.wave.clone();
    m.run(&text).map_err(|e| format!("{text}: {e}"))?;
    let mut memory: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let mut want = before.clone();
    let all = (u64::MAX >> (64 - bits)) as u32;
    for l in (0..32).filter(|l| before.sgpr[126] >> l & 1 == 1) {
        if !s.load {
            for c in (0..channels).filter(|_| l < RECORDS) {
                let at = l * size + c * bytes;
                let v = if c < s.components {
                    part(&before, s, c, l).min(all)
                } else {
                    0
                };
                memory[at..at + bytes].copy_from_slice(&v.to_le_bytes()[..bytes]);
            }
            continue;
        }
        for c in 0..s.components {
            let (r, shift) = place(s, c);
            let at = l * size + c * bytes;
            let mask = if s.d16 { 0xffff } else { u32::MAX };
            let v = match (l < RECORDS, c < channels) {
                (false, _) => 0,
                (true, true) => memory[at..at + bytes]
                    .iter()
                    .rev()
                    .fold(0, |v, &b| v << 8 | u32::from(b)),
                _ => u32::from(c == 3),
            };
            let old = want.lane(r, l);
            want.set_lane(r, l, old & !(mask << shift) | (v & mask) << shift);
        }
    }
    for r in 0..10 {
        for l in 0..32 {
            let (got, want) = (m.wave.lane(r, l), want.lane(r, l));
            if got != want {
                return Err(format!("{text} {format}: v{r} lane {l} is {got:#x}, model {want:#x}"));
            }
        }
    }
    let after: Vec<u8> = m
        .memory(BUF, words.len())
        .iter()
        .flat_map(|w| w.to_le_bytes())
        .collect();
    match (0..after.len()).find(|&k| after[k] != memory[k]) {
        Some(k) => Err(format!(
            "{text} {format}: byte {k} is {:#x}, model {:#x}",
            after[k], memory[k]
        )),
        None => Ok(()),
    }
}

#[test]
fn every_typed_row() {
    let mut rng = Rng(0xb_1122_3344_5566);
    let (mut rows, mut failures) = (0, Vec::new());
    for op in Opcode::all() {
        let name = op.name();
        let Some(s) = shape(name) else { continue };
        rows += 1;
        for f in [(8, 1), (8, 4), (16, 1), (16, 2), (16, 4), (32, 1), (32, 3), (32, 4)] {
            // What 16 bits make of a greater integer is no matter of places.
            if s.d16 && s.load && f.0 == 32 {
                continue;
            }
            failures.extend(trial(name, &s, f, &mut rng).err());
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert_eq!(rows, 16 + 18);
}
