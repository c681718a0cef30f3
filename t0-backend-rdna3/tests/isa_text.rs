//! Assembler text of all kinds, right and wrong, with llvm-mc 19's verdict: `corpus/text.txt` holds lines `target lanes ;
//! text ; bytes`, where bytes are `-` when llvm-mc refuses the text for that target. Halves of registers (`v1.h`) in 16-bit
//! instructions are not among them: t0 reads more of those than LLVM 19 does (see `llvm/judge.rs`).
#![allow(clippy::unwrap_used)]

use t0_backend_rdna3::isa::{encode, parse};
use t0_backend_rdna3::target::Target;

#[test]
fn text_is_read_as_llvm_reads_it() {
    let corpus = include_str!("corpus/text.txt");
    let (mut accepted, mut refused) = (0, 0);
    for line in corpus.lines().filter(|l| !l.starts_with('#')) {
        let mut parts = line.split(" ; ");
        let mut next = || parts.next().unwrap();
        let (target, text, want) = (next(), next(), next());
        let (name, lanes) = target.split_once(' ').unwrap();
        let target = Target::from_name(name).unwrap().with_wave_size(lanes.parse().unwrap());
        let got = match parse(text, &target) {
            Ok(inst) => encode(&inst, &target)
                .unwrap()
                .iter()
                .map(|b| format!("{b:02x}"))
                .collect(),
            Err(e) => {
                assert!(!e.to_string().is_empty());
                "-".to_string()
            }
        };
        assert_eq!(got, want, "{line}");
        if want == "-" {
            refused += 1;
        } else {
            accepted += 1;
        }
    }
    assert!(
        accepted > 1000 && refused > 1000,
        "{accepted} accepted, {refused} refused"
    );
}
