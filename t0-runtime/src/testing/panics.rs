//! Panics of test bodies, with the place they come from.
//!
//! Problem: `catch_unwind` hands out a panic's text but not its place, and a case that is made smaller panics hundreds of
//! times on the way, each time printed by the default hook. Method: a hook, set once for the process, that keeps the panics
//! of threads which are running a case and hands all others to the hook that was there before.

use std::cell::RefCell;
use std::panic::{catch_unwind, set_hook, take_hook, AssertUnwindSafe, PanicHookInfo};
use std::sync::Once;

thread_local! {
    /// `Some` while this thread runs a case: the last panic's text with its place.
    static CAUGHT: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Is the panic one of a case? Then its text is kept.
fn keep(info: &PanicHookInfo) -> bool {
    CAUGHT.with_borrow_mut(|caught| match caught {
        None => false,
        Some(text) => {
            let payload = info.payload();
            let what = payload.downcast_ref::<String>().map(String::as_str);
            let what = what
                .or(payload.downcast_ref::<&str>().copied())
                .unwrap_or("it panicked");
            *text = match info.location() {
                Some(at) => format!(
                    "the test panicked at {}:{}:{}: {what}",
                    at.file(),
                    at.line(),
                    at.column()
                ),
                None => format!("the test panicked: {what}"),
            };
            true
        }
    })
}

/// Runs a test body; the text of its panic, if it does.
pub(super) fn caught(body: impl FnOnce()) -> Option<String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |info| {
            if !keep(info) {
                before(info);
            }
        }));
    });
    CAUGHT.set(Some(String::new()));
    let ended = catch_unwind(AssertUnwindSafe(body));
    let text = CAUGHT.take().filter(|t| !t.is_empty());
    // A panic that went round the hook (`resume_unwind`) has no place.
    ended
        .err()
        .map(|_| text.unwrap_or_else(|| "the test panicked".to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_told_with_its_place() {
        let line = line!() + 1;
        let text = caught(|| panic!("number {}", 3)).unwrap_or_default();
        let place = format!("{}:{line}:", file!());
        assert!(text.starts_with(&format!("the test panicked at {place}")), "{text}");
        assert!(text.ends_with(": number 3"), "{text}");
        assert_eq!(caught(|| {}), None);
    }
}
