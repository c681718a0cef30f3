//! The decoder over arbitrary bytes, on every target: no panic, and what it reads is stable under encoding.

use super::random::Rng;
use std::time::{Duration, Instant};
use t0_backend_rdna3::isa::{decode, disassemble, encode, parse};
use t0_backend_rdna3::target::{Target, GFX1100, TARGETS};

/// Longer with `T0_FUZZ_SECONDS`; otherwise `rounds` steps.
fn budget(rounds: u64) -> impl Fn(u64) -> bool {
    let seconds: Option<u64> = std::env::var("T0_FUZZ_SECONDS").ok().and_then(|s| s.parse().ok());
    let start = Instant::now();
    move |n| match seconds {
        Some(s) => start.elapsed() < Duration::from_secs(s),
        None => n < rounds,
    }
}

fn targets() -> Vec<Target> {
    let wave64 = TARGETS.iter().map(|t| t.with_wave_size(64));
    TARGETS.iter().copied().chain(wave64).collect()
}

#[test]
fn arbitrary_bytes_never_panic_and_stay_exact() {
    let targets = targets();
    let mut rng = Rng(7);
    let more = budget(400_000);
    let (mut n, mut decoded) = (0, 0);
    while more(n) {
        n += 1;
        let target = rng.pick(&targets);
        let mut bytes = [rng.next().to_le_bytes(), rng.next().to_le_bytes()].concat();
        bytes.truncate(rng.below(17) as usize);
        let Ok((inst, size)) = decode(&bytes, &target) else {
            continue;
        };
        decoded += 1;
        assert!(size <= bytes.len());
        // The decoder tolerates a few spellings other tools use; what it read encodes to the canonical one.
        let canonical = encode(&inst, &target).unwrap();
        assert_eq!(canonical.len(), inst.size(), "{inst}");
        assert_eq!(
            decode(&canonical, &target).unwrap(),
            (inst.clone(), canonical.len()),
            "{inst}"
        );
        assert!(!inst.to_string().is_empty());
    }
    assert!(decoded * 50 > n, "only {decoded} of {n} random words decoded");
}

#[test]
fn disassembly_covers_every_byte() {
    let mut rng = Rng(3);
    let code: Vec<u8> = (0..4001).map(|_| rng.next() as u8).collect();
    let mut at = 0x100;
    for (offset, _, bytes) in disassemble(&code, 0x100, &GFX1100) {
        assert_eq!(offset, at);
        at += bytes.len() as u64;
    }
    assert_eq!(at, 0x100 + code.len() as u64);
}

/// Text made of the pieces texts are made of, and of anything else, never panics the parser.
#[test]
fn arbitrary_text_never_panics() {
    const PIECES: &[&str] = &[
        "v_add_f32",
        "image_sample",
        "exp",
        "ds_swizzle_b32",
        "s_waitcnt",
        "s_load_b32",
        "buffer_load_b32",
        "v_dual_add_f32",
        "tbuffer_load_format_x",
        "v_mov_b32_dpp",
        "lds_param_load",
        " ",
        " ",
        ",",
        ", ",
        "[",
        "]",
        "(",
        ")",
        ":",
        "::",
        "|",
        "-",
        "\"",
        ";",
        "//",
        "v",
        "s",
        "v0",
        "v[0:1]",
        "s[1:0]",
        "v255",
        "attr0.x",
        "mrt0",
        "off",
        "null",
        "0x",
        "1e9",
        "-0x80000000",
        "99999999999999999999",
        "0.5",
        ".",
        "offset:",
        "swizzle(",
        "dmask:",
        "dim:",
        "neg(",
        "hwreg(",
        "format:[",
        "op_sel:[",
        "é",
        "\t",
        "\u{0}",
    ];
    let mut rng = Rng(11);
    let more = budget(30_000);
    let mut n = 0;
    while more(n) {
        n += 1;
        let text: String = (0..rng.below(12)).map(|_| rng.pick(PIECES)).collect();
        let _ = parse(&text, &GFX1100);
    }
}
