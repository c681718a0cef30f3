//! Mutants that are said to change nothing: the claim is tried out with other data and other shapes than the launches that
//! judge mutants have.
//!
//! No reference is needed: the kernel without the bug runs from the same memory, and every byte of every buffer, the findings and
//! the fault must be the same.

use std::collections::BTreeSet;

use t0_backend_rdna3::object::CodeObject;

use crate::case::{Arg, Buf, Case, Shot};
use crate::judge::Mutant;

/// Variants of each launch.
const VARIANTS: usize = 4;

/// What a launch left, as far as it must not change.
type Left = (Vec<Vec<u8>>, BTreeSet<&'static str>, Option<String>);

/// How many launches were the same with and without the bug; an error names the first one that was not.
pub fn tried(case: &Case, m: &Mutant) -> Result<usize, String> {
    let parse = |bytes: &[u8]| CodeObject::parse(bytes).map_err(|e| e.to_string());
    let (right, wrong) = (parse(&case.object)?, parse(m.object.as_ref().map_err(Clone::clone)?)?);
    let changed = m.shots.as_ref().unwrap_or(&case.shots);
    let mut launches = 0;
    for (shot, changed) in case.shots.iter().zip(changed) {
        for n in 0..=VARIANTS {
            let [before, after] = [(&right, shot), (&wrong, changed)].map(|(o, s)| left(case, o, &varied(s, n)));
            if before != after {
                return Err(format!("variant {n} of launch {launches} differs"));
            }
            launches += 1;
        }
    }
    Ok(launches)
}

fn left(case: &Case, object: &CodeObject, shot: &Shot) -> Left {
    let ran = case.run(object, shot);
    let rules = ran.findings.iter().map(|f| f.rule).collect();
    (ran.memory, rules, ran.fault.map(|f| f.to_string()))
}

/// The launch with other data in other places (0: as it is), and every second time with shorter slices and smaller matrices.
fn varied(shot: &Shot, n: usize) -> Shot {
    let mut new = shot.clone();
    for (k, arg) in new.args.iter_mut().enumerate() {
        match arg {
            Arg::Scalar(_) => {}
            Arg::Slice(buf, len) => {
                turn(buf, 7 * n + k);
                *len -= (n as u32 % 2 * n as u32).min(len.saturating_sub(1));
            }
            Arg::Mat(buf, [rows, cols, _]) => {
                turn(buf, 7 * n + k);
                *rows -= (n as u32 % 2).min(rows.saturating_sub(1));
                *cols -= (n as u32 % 2 * n as u32).min(cols.saturating_sub(1));
            }
        }
    }
    new
}

/// Moves the dwords of a buffer on by `by`, those with a NaN (gaps between rows) excepted.
fn turn(buf: &mut Buf, by: usize) {
    let nan = |w: &[u8]| {
        let halves = [u16::from_le_bytes([w[0], w[1]]), u16::from_le_bytes([w[2], w[3]])];
        halves.iter().any(|h| h & 0x7fff > 0x7f80)
    };
    for (_, bytes) in &mut buf.pieces {
        let places: Vec<usize> = (0..bytes.len() / 4)
            .filter(|&k| !nan(&bytes[4 * k..4 * k + 4]))
            .collect();
        let old = bytes.clone();
        for (i, &to) in places.iter().enumerate() {
            let from = places[(i + by) % places.len()];
            bytes[4 * to..4 * to + 4].copy_from_slice(&old[4 * from..4 * from + 4]);
        }
    }
}
