//! Asking a running dispatch where its waves stand.
//!
//! Method: the asker raises a number; whoever runs the dispatch sees it between two steps and answers.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::arena::lock;

/// One question at a time from the client to the executor of a queue.
#[derive(Debug, Default)]
pub struct Watch {
    /// Number of the latest question.
    asked: AtomicU64,
    /// Number of the question that was answered last.
    answered: AtomicU64,
    /// A dispatch runs that may answer.
    running: AtomicBool,
    answer: Mutex<Vec<String>>,
    changed: Condvar,
}

impl Watch {
    /// The number of a question that waits for an answer; 0 if there is none.
    #[inline]
    pub fn question(&self) -> u64 {
        let asked = self.asked.load(Ordering::Relaxed);
        match asked == self.answered.load(Ordering::Relaxed) {
            true => 0,
            false => asked,
        }
    }

    /// Answers a question, one place of waves a line.
    pub fn answer(&self, question: u64, lines: Vec<String>) {
        *lock(&self.answer) = lines;
        self.answered.store(question, Ordering::Release);
        self.changed.notify_all();
    }

    /// Says whether a dispatch runs.
    pub(super) fn set_running(&self, on: bool) {
        self.running.store(on, Ordering::Release);
    }

    /// Whether a dispatch runs.
    pub(super) fn is_running(&self) -> bool {
        self.running.load(Ordering::Acquire)
    }

    /// Where the waves of the running dispatch stand; `None` when it does not answer in time.
    pub fn ask(&self, limit: Duration) -> Option<Vec<String>> {
        let question = self.asked.fetch_add(1, Ordering::AcqRel) + 1;
        let waiting = |_: &mut Vec<String>| self.answered.load(Ordering::Acquire) < question;
        let answer = lock(&self.answer);
        let (answer, time) = self
            .changed
            .wait_timeout_while(answer, limit, waiting)
            .unwrap_or_else(PoisonError::into_inner);
        (!time.timed_out()).then(|| answer.clone())
    }
}
