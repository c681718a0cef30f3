//! Panics of test bodies, with the place they come from.
//!
//! Problem: `catch_unwind` hands out a panic's text but not its place, and a case that is made smaller panics hundreds of
//! times on the way, each time printed by the default hook. Method: a hook, set once for the process, that keeps the panics
//! of threads which are running a case and hands all others to the hook that was there before.

use std::cell::RefCell;
use std::panic::{catch_unwind, set_hook, take_hook, AssertUnwindSafe, PanicHookInfo};
use std::sync::Once;

thread_local! {
    /// `Some` while this thread runs a case: the last panic's place and text.
    static CAUGHT: RefCell<Option<(String, String)>> = const { RefCell::new(None) };
}

/// Is the panic one of a case? Then its text is kept.
fn keep(info: &PanicHookInfo) -> bool {
    CAUGHT.with_borrow_mut(|caught| match caught {
        None => false,
        Some(caught) => {
            let payload = info.payload();
            let what = payload.downcast_ref::<String>().map(String::as_str);
            let what = what
                .or(payload.downcast_ref::<&str>().copied())
                .unwrap_or("it panicked");
            let place = info.location().map_or_else(String::new, |at| at.to_string());
            let text = match place.as_str() {
                "" => format!("the test panicked: {what}"),
                at => format!("the test panicked at {at}: {what}"),
            };
            *caught = (place, text);
            true
        }
    })
}

/// Runs a test body; the place of its panic and a text with it, if it does.
pub(super) fn caught(body: impl FnOnce()) -> Option<(String, String)> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |info| {
            if !keep(info) {
                before(info);
            }
        }));
    });
    CAUGHT.set(Some(Default::default()));
    let ended = catch_unwind(AssertUnwindSafe(body));
    let text = CAUGHT.take().filter(|(_, text)| !text.is_empty());
    // A panic that went round the hook (`resume_unwind`) has no place.
    ended
        .err()
        .map(|_| text.unwrap_or_else(|| (String::new(), "the test panicked".to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_told_with_its_place() {
        let line = line!() + 1;
        let (at, text) = caught(|| panic!("number {}", 3)).unwrap_or_default();
        let place = format!("{}:{line}:", file!());
        assert!(at.starts_with(&place), "{at}");
        assert!(text.starts_with(&format!("the test panicked at {place}")), "{text}");
        assert!(text.ends_with(": number 3"), "{text}");
        assert_eq!(caught(|| {}), None);
    }
}
