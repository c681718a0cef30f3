//! What a test asks for: shapes, scalars and elements by name, at random, from a case, or the simplest.
//!
//! Invariant: whatever is handed out is among what the test asks for, and is recorded as it was handed out.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::draw::{seed_of, Draw, Random};
use super::outcome::Kind;
use super::values::{Sample, Values};
use super::KernelTest;

/// Sizes at which lanes, waves, workgroups and divisions by them go wrong; numbers with no factor in common with them.
const SIZES: [usize; 24] = [
    0, 1, 2, 3, 5, 7, 16, 17, 31, 32, 33, 63, 64, 65, 97, 127, 128, 129, 255, 256, 257, 511, 1009, 1025,
];
/// Gaps between the rows of matrices, in elements.
const GAPS: [usize; 5] = [0, 1, 3, 8, 17];
/// Longest input whose elements are told one by one in a case.
const EXPLICIT: usize = 4096;
/// What to do about a case that does not fit its test.
const MEND: &str = "correct the case or remove it";

/// Makes the elements that are not the simplest, by index.
type Explicit = dyn Fn() -> Option<BTreeMap<usize, String>>;
/// Makes the texts of simpler values.
type Simpler = dyn Fn(&str) -> Vec<String>;

/// What is known of a draw, to make it simpler.
pub(super) struct Drawn {
    /// Smallest size.
    pub lowest: usize,
    /// The elements one by one, if they are not too many.
    pub explicit: Box<Explicit>,
    /// Simpler values than one, as texts.
    pub simpler: Box<Simpler>,
}

impl Drawn {
    fn size(lowest: usize) -> Drawn {
        Drawn {
            lowest,
            explicit: Box::new(|| None),
            simpler: Box::new(|_| Vec::new()),
        }
    }

    fn values<T: Sample>(data: Vec<T>, values: Values) -> Drawn {
        let zero = values.simplest::<T>();
        let explicit = move || {
            let list = data.iter().enumerate().filter(|(_, x)| x.text() != zero.text());
            (data.len() <= EXPLICIT).then(|| list.map(|(i, x)| (i, x.text())).collect())
        };
        let simpler = move |text: &str| {
            let all = T::parse(text).map_or_else(Vec::new, |x| values.simpler(x));
            all.into_iter().map(Sample::text).collect()
        };
        Drawn {
            lowest: 0,
            explicit: Box::new(explicit),
            simpler: Box::new(simpler),
        }
    }
}

impl KernelTest {
    fn record(&mut self, name: &str, draw: Draw, drawn: Drawn) {
        self.at = None;
        let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        if name.is_empty() || !name.chars().all(plain) {
            self.fail_as(
                Kind::Said,
                format!("{name:?} is no name for a draw; use letters, digits and `_`"),
            );
        }
        if self.done.case.0.insert(name.to_string(), draw).is_some() {
            self.fail_as(
                Kind::Said,
                format!("two draws are called `{name}`; give each a name of its own"),
            );
        }
        self.done.drawn.insert(name.to_string(), drawn);
    }

    fn generator(&self, name: &str) -> Option<Random> {
        self.random.map(|(seed, _)| Random::new(seed_of(seed, name)))
    }

    fn size(&mut self, name: &str, lowest: usize, highest: usize, make: impl Fn(&mut Random, usize) -> usize) -> usize {
        self.at = None;
        let n = match (self.given.0.get(name), self.generator(name)) {
            (Some(Draw::Size(n)), _) => *n,
            (Some(Draw::Scalar(text)), _) => match text.parse() {
                Ok(n) => n,
                Err(_) => {
                    self.fail_as(Kind::Said, format!("`{name}={text}`: a size is a whole number"));
                    lowest
                }
            },
            (_, Some(mut r)) => {
                let first = !self.done.case.0.values().any(|d| matches!(d, Draw::Size(_)));
                let turn = self
                    .random
                    .map_or(usize::MAX, |(_, case)| if first { case } else { usize::MAX });
                make(&mut r, turn)
            }
            _ => lowest,
        };
        if self.strict && !(lowest..=highest.max(lowest)).contains(&n) {
            let why = format!("`{name}={n}`: the test asks for {lowest} to {highest}; {MEND}");
            self.fail_as(Kind::Said, why);
        }
        let n = n.clamp(lowest, highest.max(lowest));
        self.record(name, Draw::Size(n), Drawn::size(lowest));
        n
    }

    /// A size in a range. Every size at which things go wrong (0, 1, around waves and workgroups, primes) is drawn often; the
    /// first shape of a test takes them one by one.
    pub fn shape(&mut self, name: &str, range: RangeInclusive<usize>) -> usize {
        let (lowest, highest) = (*range.start(), *range.end());
        let special: Vec<usize> = SIZES.into_iter().filter(|n| range.contains(n)).collect();
        self.size(name, lowest, highest, |r, turn| match special.get(turn) {
            Some(&n) => n,
            None if !special.is_empty() && r.below(4) > 0 => special[r.below(special.len() as u64) as usize],
            // half of the others evenly, half of them smaller
            None if r.below(2) == 0 => {
                lowest + r.below((highest.saturating_sub(lowest) as u64).saturating_add(1)) as usize
            }
            None => {
                let span = (highest.saturating_sub(lowest) as f64 + 1.0).ln() * r.unit();
                lowest + span.exp() as usize - 1
            }
        })
    }

    /// A scalar of any value.
    pub fn scalar<T: Sample>(&mut self, name: &str) -> T {
        self.scalar_of(name, Values::Any)
    }

    /// A scalar.
    pub fn scalar_of<T: Sample>(&mut self, name: &str, values: Values) -> T {
        let values = self.possible(name, 1, values);
        let x: T = match (self.given.0.get(name).cloned(), self.generator(name)) {
            (Some(Draw::Scalar(text)), _) => self.value(name, &text, values),
            (_, Some(mut r)) => values.draw(&mut r),
            _ => values.simplest(),
        };
        self.record(name, Draw::Scalar(x.text()), Drawn::values(vec![x], values));
        x
    }

    pub(super) fn elements<T: Sample>(&mut self, name: &str, n: usize, values: Values) -> Vec<T> {
        let values = self.possible(name, n, values);
        let draw = match (self.given.0.get(name), self.random) {
            (Some(draw @ (Draw::Seed(_) | Draw::Elements(_))), _) => draw.clone(),
            (None, Some((seed, _))) => Draw::Seed(seed_of(seed, name)),
            _ => Draw::Elements(BTreeMap::new()),
        };
        let (data, draw) = match draw {
            Draw::Elements(list) => self.listed(name, n, &list, values),
            Draw::Seed(seed) => (values.draw_all(&mut Random::new(seed), n), Draw::Seed(seed)),
            other => (vec![values.simplest(); n], other),
        };
        self.record(name, draw, Drawn::values(data.clone(), values));
        data
    }

    /// Elements told one by one, and those that are not the simplest.
    fn listed<T: Sample>(
        &mut self,
        name: &str,
        n: usize,
        list: &BTreeMap<usize, String>,
        values: Values,
    ) -> (Vec<T>, Draw) {
        let simplest = values.simplest::<T>();
        let mut data = vec![simplest; n];
        let mut kept = BTreeMap::new();
        for (&i, text) in list {
            let Some(place) = data.get_mut(i) else {
                if self.strict {
                    let why = format!("the case has an element {i} of `{name}`, which has {n} in it; {MEND}");
                    self.fail_as(Kind::Said, why);
                }
                continue;
            };
            *place = self.value(name, text, values);
            if place.text() != simplest.text() {
                kept.insert(i, place.text());
            }
        }
        (data, Draw::Elements(kept))
    }

    /// A value of a given case. One that the test does not allow is refused in a case that somebody wrote down, and the
    /// nearest one in a case that is being made smaller: what it may be can depend on other draws.
    fn value<T: Sample>(&mut self, name: &str, text: &str, values: Values) -> T {
        self.at = None;
        let Some(x) = T::parse(text) else {
            self.fail_as(Kind::Said, format!("`{name}`: `{text}` is not a value of its type"));
            return values.simplest();
        };
        if self.strict && !values.allow(x) {
            let why = format!("`{name}`: {text} is none of the values the test asks for, {values}; {MEND}");
            self.fail_as(Kind::Said, why);
        }
        values.nearest(x)
    }

    /// What is asked for, if there is any such value.
    fn possible(&mut self, name: &str, n: usize, values: Values) -> Values {
        self.at = None;
        match values.is_empty() {
            true if n > 0 => {
                let why = format!("`{name}`: there are no {values}; the first bound must not be above the second");
                self.fail_as(Kind::Said, why);
                Values::Any
            }
            true => Values::Any,
            false => values,
        }
    }

    /// Every draw of a case that somebody wrote down must have been asked for.
    pub(super) fn refuse_unknown(&mut self) {
        let unknown = self.given.0.keys().find(|k| !self.done.case.0.contains_key(*k));
        if let Some(name) = unknown.cloned() {
            self.fail_as(
                Kind::Said,
                format!("the test draws no `{name}`, which the case has; {MEND}"),
            );
        }
    }

    pub(super) fn gap(&mut self, name: &str) -> usize {
        let name = format!("{name}.gap");
        self.size(&name, 0, usize::MAX, |r, _| GAPS[r.below(GAPS.len() as u64) as usize])
    }
}
