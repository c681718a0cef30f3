//! What rustc says of wrong kernels and launches, pinned.
#![allow(missing_docs)]

#[test]
fn wrong_programs_are_refused_at_the_users_tokens() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
