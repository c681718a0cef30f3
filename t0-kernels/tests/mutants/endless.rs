//! Endless loops are reported at their own line, whatever the wave does in them when its instructions are used up.

use std::sync::Arc;

use t0::prelude::*;
use t0_backend_rdna3::object::CodeObject;

use crate::case::{Arg, Buf, Case, Odd, Shot};

/// The outer loop does not end, the inner one does.
#[kernel(group = 32)]
pub fn outer(n: u32, y: &mut Lanes<u32>) {
    for (_, y) in y {
        let mut k = 0u32;
        while k < n * 2 {
            for j in 0..40u32 {
                *y += j;
            }
            if *y == 1 {
                k += 1;
            }
        }
    }
}

/// The inner loop does not end, so the outer one never goes on.
#[kernel(group = 32)]
pub fn inner(n: u32, y: &mut Lanes<u32>) {
    for (_, y) in y {
        for i in 0..100u32 {
            *y += i;
            let mut k = i;
            while k < n * 3 {
                *y ^= k;
                if k < 5 {
                    k += 1;
                }
            }
        }
    }
}

/// A loop that ends, then one that does not: lanes leave it one by one, but for one.
#[kernel(group = 32)]
pub fn last(n: u32, y: &mut Lanes<u32>) {
    for (l, y) in y {
        for i in 0..100u32 {
            *y += i;
        }
        let mut k = l as u32;
        loop {
            *y += k;
            if k > n {
                break;
            }
            k *= 2;
        }
    }
}

/// The fault of a kernel that does not end.
fn fault<K: Kernel>(name: &'static str) -> String {
    let shot = Shot {
        args: vec![Arg::Scalar(10), Arg::Slice(Buf::of(vec![0; 128]), 32)],
        groups: [1, 1, 1],
        check: Arc::new(|_| Ok(())),
        odd: Odd::default(),
    };
    let case = Case::of::<K>(name, vec![shot]);
    let object = CodeObject::parse(&case.object).unwrap();
    case.run(&object, &case.shots[0]).fault.unwrap().to_string()
}

/// What is said of a line of this file: its place up to the column, and its text.
fn place(text: &str) -> [String; 2] {
    let source = include_str!("endless.rs");
    let n = source.lines().position(|l| l.trim() == text).unwrap();
    [
        format!("endless loop at {}:{}:", file!(), n + 1),
        format!(": {text}: a wave did not end within 50000 instructions"),
    ]
}

#[test]
fn endless_loops_name_their_line() {
    for (said, line) in [
        (fault::<outer<'_>>("outer"), "while k < n * 2 {"),
        (fault::<inner<'_>>("inner"), "while k < n * 3 {"),
        (fault::<last<'_>>("last"), "loop {"),
    ] {
        let [place, text] = place(line);
        assert!(
            said.starts_with(&place) && said.contains(&text),
            "{place}{text}\n{said}"
        );
        assert!(said.contains("workgroup (0, 0, 0) wave 0 running at "), "{said}");
    }
}
