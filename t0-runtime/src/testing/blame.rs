//! Which line of the kernel is to blame for wrong bytes: the store that put them there, and where its value comes from.
//!
//! Only the simulated card with the sanitizer can tell, and only the run that explains a failure asks: what is kept for it
//! takes memory.

use std::sync::Arc;

use t0_kfd::Stores;

use super::memory::{Watched, BAND};

/// Launches of a test that are remembered.
const LAUNCHES: usize = 8;
/// Stores that are named when nobody wrote an element.
const MOST: usize = 3;

/// Who stored what in one launch, if that is known.
pub(super) type Record = Option<Arc<dyn Stores>>;

/// What is wrong, where.
pub(super) struct Wrong {
    pub text: String,
    /// First wrong byte, counted from the first band.
    pub byte: usize,
    /// Nobody has written it.
    pub unwritten: bool,
}

impl Wrong {
    /// The element cannot be looked at.
    pub fn because(e: crate::error::Error) -> Wrong {
        Wrong {
            text: e.to_string(),
            byte: usize::MAX / 2,
            unwritten: false,
        }
    }
}

/// Records of the launches that made what memory holds, the last one first.
#[derive(Clone, Default)]
pub(super) struct Records(Vec<Arc<dyn Stores>>);

impl Records {
    /// The records after one more launch.
    pub fn with(&self, last: &Record) -> Records {
        let all = last.iter().chain(&self.0);
        Records(all.take(LAUNCHES).cloned().collect())
    }

    /// The same of another run than the one that is wrong.
    pub fn notes_of(&self, run: &str, w: &Watched, wrong: &Wrong) -> String {
        match self.notes(w, wrong) {
            notes if notes.is_empty() => notes,
            notes => format!("\nnote: {run}:{notes}"),
        }
    }

    /// Notes on stores that were out of range and dropped: defined, and often the reason of what is wrong.
    pub fn dropped(&self) -> String {
        let notes = self.0.iter().flat_map(|s| s.dropped(MOST));
        notes.take(MOST).map(|n| format!("\n{n}")).collect()
    }

    /// Notes below a failure; empty if nothing is known.
    pub fn notes(&self, w: &Watched, wrong: &Wrong) -> String {
        let inside = w.layout.elements_at();
        let len = match inside.contains(&wrong.byte) {
            true => w.layout.size,
            false => 1,
        };
        let va = w.core.va() + wrong.byte as u64;
        let known = self.0.iter().find_map(|s| s.last(va, len as u64));
        if let Some(note) = known.filter(|_| !wrong.unwritten) {
            return format!("\n{note}");
        }
        let buffer = w.core.va() + BAND..w.core.va() + BAND + w.layout.bytes() as u64;
        let mut notes: Vec<String> = self.0.iter().flat_map(|s| s.around(va, buffer.clone(), MOST)).collect();
        let mut nobody = String::new();
        if notes.is_empty() && !self.0.is_empty() {
            nobody = format!("\nnote: nothing was stored in `{}`", w.name);
            notes.extend(self.0.iter().flat_map(|s| s.all(MOST)));
        }
        notes.truncate(MOST);
        notes.iter().fold(nobody, |all, n| all + "\n" + n)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::memory::{same, text, Layout};
    use super::*;

    /// One launch that stored so many bytes, from the first element on.
    #[derive(Debug)]
    struct Fake(&'static str, u64, u64);

    impl Stores for Fake {
        fn last(&self, va: u64, len: u64) -> Option<String> {
            let mine = self.1..self.1 + self.2;
            (va..va + len)
                .any(|b| mine.contains(&b))
                .then(|| format!("last of {}", self.0))
        }

        fn around(&self, _: u64, buffer: std::ops::Range<u64>, most: usize) -> Vec<String> {
            let near = buffer.contains(&self.1) && self.2 > 0;
            vec![format!("around {}", self.0); if near { most } else { 0 }]
        }

        fn dropped(&self, most: usize) -> Vec<String> {
            vec![format!("dropped by {}", self.0); most]
        }

        fn all(&self, _: usize) -> Vec<String> {
            vec![format!("a store of {}", self.0)]
        }
    }

    #[test]
    fn the_last_launch_that_knows_is_told() {
        let gpu = crate::Gpu::simulated().unwrap();
        let w = Watched {
            name: "y".into(),
            core: gpu.alloc::<f32>(1000).unwrap().core,
            layout: Layout {
                rows: 1,
                cols: 8,
                stride: 8,
                size: 4,
            },
            read_only: false,
            vector: true,
            same: same::<f32>,
            text: text::<f32>,
        };
        let first = w.core.va() + BAND;
        let fake = |name, at, len| -> Record { Some(Arc::new(Fake(name, at, len))) };
        let one = Records::default().with(&fake("one", first, 16));
        let two = one.with(&fake("two", first, 8)).with(&None);
        let says = |r: &Records, element: usize, unwritten| {
            let wrong = Wrong {
                text: String::new(),
                byte: BAND as usize + 4 * element,
                unwritten,
            };
            r.notes(&w, &wrong)
        };
        assert_eq!(says(&two, 1, false), "\nlast of two");
        assert_eq!(says(&two, 3, false), "\nlast of one");
        let around = "\naround two\naround two\naround two";
        assert_eq!(says(&two, 5, false), around);
        assert_eq!(says(&two, 1, true), around);
        let elsewhere = Records::default().with(&fake("one", 0, 4));
        assert_eq!(
            says(&elsewhere, 0, true),
            "\nnote: nothing was stored in `y`\na store of one"
        );
        assert_eq!(says(&Records::default(), 0, true), "");
        let wrong = Wrong {
            text: String::new(),
            byte: BAND as usize,
            unwritten: false,
        };
        assert_eq!(
            one.notes_of("plain code", &w, &wrong),
            "\nnote: plain code:\nlast of one"
        );
        assert_eq!(Records::default().notes_of("plain code", &w, &wrong), "");
    }
}
