//! Making a failing case small: one draw after the other is replaced by simpler ones for as long as the case still fails.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::draw::{Case, Draw};
use super::outcome::{Kind, Outcome};

/// What one search may cost.
pub(super) struct Budget {
    pub runs: usize,
    pub time: Duration,
    /// Time for cases that do not end: each takes long, and they are alike.
    pub endless: Duration,
}

/// A search under way.
pub(super) struct Shrink<'a> {
    attempt: &'a mut dyn FnMut(&Case) -> Outcome,
    /// The smallest failing case so far.
    best: Outcome,
    runs: usize,
    budget: Budget,
    start: Instant,
    /// Spent on cases that do not end.
    endless: Duration,
}

/// The smallest failing case found, and how many were tried.
pub(super) fn shrink(first: Outcome, budget: Budget, attempt: &mut dyn FnMut(&Case) -> Outcome) -> (Outcome, usize) {
    let mut s = Shrink {
        attempt,
        best: first,
        runs: 0,
        budget,
        start: Instant::now(),
        endless: Duration::ZERO,
    };
    while s.round() {}
    (s.best, s.runs)
}

impl Shrink<'_> {
    fn spent(&self) -> bool {
        self.runs >= self.budget.runs || self.start.elapsed() >= self.budget.time || self.endless >= self.budget.endless
    }

    /// Tries the best case with another draw; it is the best one from then on if it fails in the same way.
    fn fails_with(&mut self, name: &str, draw: Draw) -> bool {
        if self.spent() || self.best.case.0.get(name) == Some(&draw) {
            return false;
        }
        let mut case = self.best.case.clone();
        case.0.insert(name.to_string(), draw);
        self.runs += 1;
        let start = Instant::now();
        let outcome = (self.attempt)(&case);
        if outcome.failure.is_some() && outcome.kind == Kind::Endless {
            self.endless += start.elapsed();
        }
        // What the test does not allow it has changed, perhaps to what it was.
        let other = outcome.case != self.best.case;
        let fails = other && outcome.failure.is_some() && outcome.kind == self.best.kind;
        if fails {
            self.best = outcome;
        }
        fails
    }

    /// One pass over all draws; did it help?
    fn round(&mut self) -> bool {
        let names: Vec<String> = self.best.case.0.keys().cloned().collect();
        let mut better = false;
        // sizes first: they make everything after them cheaper
        for sizes in [true, false] {
            for name in &names {
                let Some(draw) = self.best.case.0.get(name).cloned() else {
                    continue;
                };
                better |= match draw {
                    Draw::Size(n) if sizes => self.size(name, n),
                    Draw::Scalar(text) if !sizes => self.scalar(name, &text),
                    Draw::Seed(_) if !sizes => self.seeded(name),
                    Draw::Elements(list) if !sizes => self.elements(name, &list),
                    _ => false,
                };
            }
        }
        better && !self.spent()
    }

    fn size(&mut self, name: &str, from: usize) -> bool {
        let lowest = self.best.drawn.get(name).map_or(0, |d| d.lowest);
        let mut n = from;
        loop {
            let span = n.saturating_sub(lowest);
            let candidates = [n - span, n - span / 2, n - span / 4, n - span.min(1)];
            match candidates
                .into_iter()
                .find(|&c| c < n && self.fails_with(name, Draw::Size(c)))
            {
                Some(c) => n = c,
                None => return n < from,
            }
        }
    }

    fn simpler(&self, name: &str, text: &str) -> Vec<String> {
        self.best.drawn.get(name).map_or_else(Vec::new, |d| (d.simpler)(text))
    }

    fn scalar(&mut self, name: &str, text: &str) -> bool {
        let list = self.simpler(name, text);
        list.into_iter().any(|s| self.fails_with(name, Draw::Scalar(s)))
    }

    fn seeded(&mut self, name: &str) -> bool {
        if self.fails_with(name, Draw::Elements(BTreeMap::new())) {
            return true;
        }
        let list = self.best.drawn.get(name).and_then(|d| (d.explicit)());
        list.is_some_and(|list| self.fails_with(name, Draw::Elements(list)))
    }

    fn elements(&mut self, name: &str, list: &BTreeMap<usize, String>) -> bool {
        let mut list = list.clone();
        let mut better = false;
        // leave out ever smaller parts
        let mut part = list.len();
        while part > 0 {
            let mut at = 0;
            while at < list.len() {
                let keys: Vec<usize> = list.keys().copied().skip(at).take(part).collect();
                let mut fewer = list.clone();
                keys.iter().for_each(|k| drop(fewer.remove(k)));
                if self.fails_with(name, Draw::Elements(fewer.clone())) {
                    (list, better) = (fewer, true);
                } else {
                    at += part;
                }
            }
            part /= 2;
        }
        // what is left moves to the front, so that the sizes can shrink
        let front: BTreeMap<usize, String> = list.values().cloned().enumerate().collect();
        if front != list && self.fails_with(name, Draw::Elements(front.clone())) {
            (list, better) = (front, true);
        }
        // or at least forward: where elements stand next to each other matters
        while let Some(&first) = list.keys().next() {
            let by = |d: usize| {
                list.iter()
                    .map(|(i, text)| (i - d, text.clone()))
                    .collect::<BTreeMap<_, _>>()
            };
            let moved = [first / 2, 1].into_iter().filter(|&d| d > 0 && d <= first).map(by);
            match moved
                .collect::<Vec<_>>()
                .into_iter()
                .find(|m| self.fails_with(name, Draw::Elements(m.clone())))
            {
                Some(m) => (list, better) = (m, true),
                None => break,
            }
        }
        for (i, text) in list.clone() {
            for simpler in self.simpler(name, &text) {
                let mut other = list.clone();
                other.insert(i, simpler);
                if self.fails_with(name, Draw::Elements(other.clone())) {
                    (list, better) = (other, true);
                    break;
                }
            }
        }
        better
    }
}
