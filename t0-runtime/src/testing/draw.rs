//! What a case is made of: named draws, as data that can be made at random, made simpler, written and read.
//!
//! A [`Case`] maps names to [`Draw`]s. A name that is not there stands for the simplest draw (shape: the smallest, scalar and
//! elements: 0, row gap: none), so a small case has a short text: `n=3 a=1.5 x=0:1,2:-4`.

use std::collections::BTreeMap;
use std::fmt;

use t0_ir::testing::Rng;

/// One draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Draw {
    /// A shape, or the gap between the rows of a matrix.
    Size(usize),
    /// A scalar, as text.
    Scalar(String),
    /// Elements made at random from a seed.
    Seed(u64),
    /// The elements that are not 0: index and text.
    Elements(BTreeMap<usize, String>),
}

/// The draws of a case by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Case(pub BTreeMap<String, Draw>);

impl Draw {
    /// Is it what a name without a draw stands for?
    fn is_simplest(&self, lowest: usize) -> bool {
        match self {
            Draw::Size(n) => *n == lowest,
            Draw::Scalar(s) => s == "0",
            Draw::Seed(_) => false,
            Draw::Elements(list) => list.is_empty(),
        }
    }
}

impl fmt::Display for Draw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Draw::Size(n) => write!(f, "{n}"),
            Draw::Scalar(s) => f.write_str(s),
            Draw::Seed(s) => write!(f, "seed:{s:#x}"),
            Draw::Elements(list) => {
                let list: Vec<String> = list.iter().map(|(i, v)| format!("{i}:{v}")).collect();
                f.write_str(&list.join(","))
            }
        }
    }
}

impl Case {
    /// The case without draws that say nothing; `lowest`: the smallest size of a name.
    pub fn short(mut self, lowest: impl Fn(&str) -> usize) -> Case {
        self.0.retain(|name, d| !d.is_simplest(lowest(name)));
        self
    }

    /// Reads what `Display` writes.
    ///
    /// Errors: the word that is no draw.
    pub fn parse(text: &str) -> Result<Case, String> {
        let mut case = Case::default();
        for word in text.split_whitespace() {
            let (name, value) = word.split_once('=').ok_or(word)?;
            let draw = Draw::parse(value).ok_or(word)?;
            case.0.insert(name.to_string(), draw);
        }
        Ok(case)
    }
}

impl Draw {
    fn parse(value: &str) -> Option<Draw> {
        if let Some(seed) = value.strip_prefix("seed:0x") {
            return u64::from_str_radix(seed, 16).ok().map(Draw::Seed);
        }
        if value.contains(':') || value.is_empty() {
            let mut list = BTreeMap::new();
            for part in value.split(',').filter(|p| !p.is_empty()) {
                let (i, v) = part.split_once(':')?;
                list.insert(i.parse().ok()?, v.to_string());
            }
            return Some(Draw::Elements(list));
        }
        // whether a number is a size or a scalar is known where it is drawn
        Some(Draw::Scalar(value.to_string()))
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<String> = self.0.iter().map(|(n, d)| format!("{n}={d}")).collect();
        f.write_str(&words.join(" "))
    }
}

/// A small reproducible generator.
#[derive(Clone, Debug)]
pub(super) struct Random(Rng);

impl Random {
    /// Equal seeds give equal numbers.
    pub fn new(seed: u64) -> Random {
        Random(Rng::new(seed))
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    /// A number below `n` (0 for 0).
    pub fn below(&mut self, n: u64) -> u64 {
        match n {
            0 => 0,
            n => self.bits() % n,
        }
    }

    /// A number in 0 … 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A generator for a name of a case: independent of the order of draws.
pub(super) fn seed_of(seed: u64, name: &str) -> u64 {
    name.bytes().fold(seed ^ 0xcbf2_9ce4_8422_2325, |h, b| {
        (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn cases_are_read_as_they_are_written() {
        let text = "a=-1.5 n=3 x=0:1,7:nan y=seed:0x1f";
        let case = Case::parse(text).unwrap();
        assert_eq!(case.0.len(), 4);
        assert_eq!(case.0["y"], Draw::Seed(31));
        assert_eq!(case.to_string(), text);
        assert_eq!(Case::parse("").unwrap(), Case::default());
        assert_eq!(Case::parse("n=3 what").unwrap_err(), "what");
        assert_eq!(Case::parse("x=0:1,q").unwrap_err(), "x=0:1,q");
    }

    #[test]
    fn what_is_simplest_is_not_written() {
        let case = Case::parse("a=0 b=1 x=0:1").unwrap();
        let mut case = case;
        case.0.insert("n".into(), Draw::Size(2));
        case.0.insert("m".into(), Draw::Size(3));
        assert_eq!(case.short(|_| 2).to_string(), "b=1 m=3 x=0:1");
    }
}
