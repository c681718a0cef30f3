//! `decode` inverts `encode`, for random legal instructions of every row in every form, and survives arbitrary bytes.
#![allow(clippy::unwrap_used)]

mod isa_support;

use isa_support::{hex, random_corpus, Rng};
use t0_backend_rdna3::isa::{decode, disassemble, encode};
use t0_backend_rdna3::target::GFX1100;

#[test]
fn decode_inverts_encode() {
    for inst in random_corpus(1, 12) {
        let bytes = encode(&inst, &GFX1100).unwrap();
        assert_eq!(bytes.len(), inst.size(), "{inst}");
        let back = decode(&bytes, &GFX1100).unwrap_or_else(|e| panic!("{inst}: {}: {e}", hex(&bytes)));
        assert_eq!(back, (inst, bytes.len()));
    }
}

#[test]
fn arbitrary_bytes_never_panic_and_stay_exact() {
    let mut rng = Rng(7);
    let mut decoded = 0;
    for _ in 0..400_000 {
        let mut bytes: Vec<u8> = rng.next().to_le_bytes().into_iter().chain(rng.next().to_le_bytes()).collect();
        bytes.truncate(rng.below(17) as usize);
        if let Ok((inst, size)) = decode(&bytes, &GFX1100) {
            decoded += 1;
            assert_eq!(encode(&inst, &GFX1100).unwrap(), bytes[..size], "{inst}");
            assert!(!inst.to_string().is_empty());
        }
    }
    assert!(decoded > 10_000, "only {decoded} of the random words decoded");
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
