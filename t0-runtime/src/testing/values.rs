//! Elements of test inputs: how they are drawn, written, made simpler and compared.

use std::fmt;

use half::{bf16, f16};

use super::draw::Random;
use crate::param::Element;

/// What the elements of an input are drawn from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Values {
    /// Anything its type holds. Of the elements of one vector half are edge values (±0, ±1, largest, smallest, subnormal, ∞,
    /// NaN), of another one few or none, and in some few different values come again and again: edges at every place would
    /// hide who wins among all others, none what becomes of equals.
    Any,
    /// The same without ∞ and NaN.
    Finite,
    /// Numbers from the first to the second.
    Between(f64, f64),
    /// Whole numbers from the first to the second, both included: sums of them are exact.
    Whole(i64, i64),
}

/// How far a result may be from what is expected: near enough by any one of the three is near enough. NaN is near NaN only, an
/// infinity itself only.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    ulps: u64,
    relative: f64,
    absolute: f64,
}

impl Tolerance {
    /// Equal (+0 and −0 are).
    pub const EXACT: Tolerance = Tolerance {
        ulps: 0,
        relative: 0.0,
        absolute: 0.0,
    };

    /// At most this many representable numbers away.
    pub const fn ulps(n: u64) -> Tolerance {
        Tolerance {
            ulps: n,
            ..Tolerance::EXACT
        }
    }

    /// At most this part of the expected value away.
    pub const fn relative(r: f64) -> Tolerance {
        Tolerance {
            relative: r,
            ..Tolerance::EXACT
        }
    }

    /// Or at most this far away.
    #[must_use]
    pub const fn or_absolute(mut self, a: f64) -> Tolerance {
        self.absolute = a;
        self
    }

    pub(super) fn accepts<T: Sample>(self, got: T, want: T) -> bool {
        let (a, b) = (got.to_f64(), want.to_f64());
        if a.is_nan() || b.is_nan() {
            return a.is_nan() && b.is_nan();
        }
        if got.rank() == want.rank() || a == b && T::IS_FLOAT {
            return true;
        }
        if a.is_infinite() || b.is_infinite() {
            return false;
        }
        let error = (a - b).abs();
        got.rank().abs_diff(want.rank()) <= self.ulps.into()
            || (self.relative > 0.0 && error <= self.relative * b.abs())
            || (self.absolute > 0.0 && error <= self.absolute)
    }
}

/// An element type tests can draw.
pub trait Sample: Element {
    #[doc(hidden)]
    const IS_FLOAT: bool;
    #[doc(hidden)]
    fn edges() -> Vec<Self>;
    #[doc(hidden)]
    fn from_bits64(bits: u64) -> Self;
    #[doc(hidden)]
    fn of_f64(x: f64) -> Self;
    #[doc(hidden)]
    fn of_i64(x: i64) -> Self;
    #[doc(hidden)]
    fn to_f64(self) -> f64;
    /// Position in the order of all numbers: neighbours differ by 1, +0 and −0 are the same.
    #[doc(hidden)]
    fn rank(self) -> i128;
    #[doc(hidden)]
    fn text(self) -> String;
    #[doc(hidden)]
    fn parse(text: &str) -> Option<Self>;
}

macro_rules! integers {
    ($($t:ty)*) => { $(
        impl Sample for $t {
            const IS_FLOAT: bool = false;
            fn edges() -> Vec<$t> {
                vec![0, 1, 2, <$t>::MAX, <$t>::MIN, <$t>::MAX - 1, (<$t>::MAX >> 1) + 1, (0 as $t).wrapping_sub(1)]
            }
            fn from_bits64(bits: u64) -> $t { (bits >> (bits & 31)) as $t }
            fn of_f64(x: f64) -> $t { x as $t }
            fn of_i64(x: i64) -> $t { x as $t }
            fn to_f64(self) -> f64 { self as f64 }
            fn rank(self) -> i128 { self as i128 }
            fn text(self) -> String { self.to_string() }
            fn parse(text: &str) -> Option<$t> { text.parse().ok() }
        }
    )* };
}

integers! { i8 i16 i32 i64 u8 u16 u32 u64 }

macro_rules! floats {
    ($($t:ty, $bits:ty, $from:expr, $to:expr;)*) => { $(
        impl Sample for $t {
            const IS_FLOAT: bool = true;
            fn edges() -> Vec<$t> {
                let (from, sub): (fn(f64) -> $t, $t) = ($from, <$t>::from_bits(1));
                let zero = from(0.0);
                vec![
                    zero, -zero, from(1.0), from(-1.0), from(0.5), <$t>::MAX, <$t>::MIN, <$t>::MIN_POSITIVE, <$t>::EPSILON, sub,
                    -sub, <$t>::INFINITY, <$t>::NEG_INFINITY, <$t>::NAN,
                ]
            }
            fn from_bits64(bits: u64) -> $t { <$t>::from_bits(bits as $bits) }
            fn of_f64(x: f64) -> $t { ($from)(x) }
            fn of_i64(x: i64) -> $t { ($from)(x as f64) }
            fn to_f64(self) -> f64 { ($to)(self) }
            fn rank(self) -> i128 {
                let bits = self.to_bits();
                let low = i128::from(bits & (<$bits>::MAX >> 1));
                if bits >> (<$bits>::BITS - 1) == 0 { low } else { -low }
            }
            fn text(self) -> String {
                let x = self.to_f64();
                match () {
                    () if x.is_nan() => "nan".into(),
                    () if x.fract() == 0.0 && x.abs() < 1e15 => if self.to_bits() == (-self).to_bits() { "0".into() } else { format!("{x:.0}") },
                    // short where that reads back, else every digit; an exponent only where there would be many zeros
                    () => {
                        let plain = (1e-5..1e15).contains(&x.abs());
                        let (short, long) = match plain {
                            true => (format!("{}", x as f32), format!("{x}")),
                            false => (format!("{:e}", x as f32), format!("{x:e}")),
                        };
                        match <$t as Sample>::parse(&short) { Some(y) if y.to_bits() == self.to_bits() => short, _ => long }
                    }
                }
            }
            fn parse(text: &str) -> Option<$t> { text.parse::<f64>().ok().map($from) }
        }
    )* };
}

floats! {
    f32, u32, |x| x as f32, f64::from;
    f64, u64, |x| x, |x| x;
    f16, u16, f16::from_f64, f16::to_f64;
    bf16, u16, bf16::from_f64, bf16::to_f64;
}

/// What the values of one vector are like.
#[derive(Clone, Copy, Debug)]
struct Mood {
    /// One in so many is an edge value; 0: none, and none of rare size.
    edges: u64,
    /// So many different values, if they are few.
    distinct: u64,
}

impl Mood {
    const USUAL: Mood = Mood { edges: 2, distinct: 0 };

    fn draw(r: &mut Random) -> Mood {
        match r.below(5) {
            0 => Mood::USUAL,
            1 => Mood { edges: 32, distinct: 0 },
            2 => Mood { edges: 0, distinct: 0 },
            _ => Mood {
                edges: 8,
                distinct: 1 + r.below(4),
            },
        }
    }

    fn is_edge(self, r: &mut Random) -> bool {
        self.edges > 0 && r.below(self.edges) == 0
    }
}

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Values::Any => f.write_str("any value"),
            Values::Finite => f.write_str("finite values"),
            Values::Between(lo, hi) => write!(f, "numbers from {lo} to {hi}"),
            Values::Whole(lo, hi) => write!(f, "whole numbers from {lo} to {hi}"),
        }
    }
}

impl Values {
    /// Are there none?
    pub(super) fn is_empty(self) -> bool {
        match self {
            Values::Any | Values::Finite => false,
            Values::Between(lo, hi) => lo.is_nan() || hi.is_nan() || lo > hi,
            Values::Whole(lo, hi) => lo > hi,
        }
    }

    /// The values of a vector.
    pub(super) fn draw_all<T: Sample>(self, r: &mut Random, n: usize) -> Vec<T> {
        let mood = Mood::draw(r);
        let few: Vec<T> = (0..mood.distinct).map(|_| self.draw_in(mood, r)).collect();
        let one = |_| match few.is_empty() {
            true => self.draw_in(mood, r),
            false => pick(&few, r),
        };
        (0..n).map(one).collect()
    }

    /// A value.
    pub(super) fn draw<T: Sample>(self, r: &mut Random) -> T {
        self.draw_in(Mood::USUAL, r)
    }

    fn draw_in<T: Sample>(self, mood: Mood, r: &mut Random) -> T {
        match self {
            Values::Any if mood.is_edge(r) => pick(&T::edges(), r),
            Values::Any => random(r, mood.edges > 0),
            Values::Finite => loop {
                let x: T = Values::Any.draw_in(mood, r);
                if x.to_f64().is_finite() {
                    return x;
                }
            },
            Values::Between(lo, hi) => match mood.is_edge(r) {
                true => pick(&[self.simplest(), T::of_f64(lo), T::of_f64(hi)], r),
                false => self.nearest(T::of_f64(lo + (hi - lo) * r.unit())),
            },
            Values::Whole(lo, hi) => T::of_i64(lo.saturating_add(r.below(hi.abs_diff(lo).saturating_add(1)) as i64)),
        }
    }

    /// Is a value one of these? Bounds count as what they are in the type: rounded, integers wrapped around.
    pub(super) fn allow<T: Sample>(self, x: T) -> bool {
        let v = x.to_f64();
        match self {
            Values::Any => true,
            Values::Finite => v.is_finite(),
            Values::Between(lo, hi) => {
                let [first, last] = [lo, hi].map(|b| T::of_f64(b).to_f64());
                (lo.min(first)..=hi.max(last)).contains(&v)
            }
            Values::Whole(lo, hi) if T::IS_FLOAT => {
                let [first, last] = [lo, hi].map(|b| T::of_i64(b).to_f64());
                (v.fract() == 0.0 || v.is_infinite()) && (first..=last).contains(&v)
            }
            Values::Whole(lo, hi) => {
                let all = 1i128 << (8 * size_of::<T>());
                (x.rank() - i128::from(lo)).rem_euclid(all) <= i128::from(hi) - i128::from(lo)
            }
        }
    }

    /// The simplest value that is allowed: 0 where it is, else the first.
    pub(super) fn simplest<T: Sample>(self) -> T {
        self.nearest(T::of_i64(0))
    }

    /// The value that is allowed and next to this one.
    pub(super) fn nearest<T: Sample>(self, x: T) -> T {
        match self {
            _ if self.allow(x) => x,
            Values::Between(lo, hi) => T::of_f64(x.to_f64().clamp(lo, hi)),
            Values::Whole(lo, hi) => T::of_i64((x.to_f64() as i64).clamp(lo, hi)),
            Values::Finite => T::of_i64(0),
            Values::Any => x,
        }
    }

    /// Simpler values to try in the place of this one, simplest first.
    pub(super) fn simpler<T: Sample>(self, x: T) -> Vec<T> {
        let v = x.to_f64();
        let whole = v.trunc();
        let mut all = vec![self.simplest(), T::of_i64(1), T::of_i64(2)];
        if !T::IS_FLOAT {
            // what is left of it when the high bits go: remainders and masks decide by the low ones
            let bits = x.rank() as i64;
            let low = [2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32].map(|n| bits & ((1 << n) - 1));
            all.extend(low.map(T::of_i64).into_iter().filter(|y| y.text() != x.text()));
        }
        if v.is_finite() {
            all.extend([(v / 2.0).trunc(), whole - whole.signum(), whole.abs(), whole].map(T::of_f64));
        }
        let mut out: Vec<T> = Vec::new();
        for y in all {
            if y.text() == x.text() {
                break;
            }
            if self.allow(y) && !out.iter().any(|o| o.text() == y.text()) {
                out.push(y);
            }
        }
        out
    }
}

fn pick<T: Copy>(list: &[T], r: &mut Random) -> T {
    list[r.below(list.len() as u64) as usize]
}

/// Floats: mostly of everyday size; sometimes any bits, if they may be `odd`.
fn random<T: Sample>(r: &mut Random, odd: bool) -> T {
    match T::IS_FLOAT && (r.below(4) > 0 || !odd) {
        true => T::of_f64((r.unit() - 0.5) * 2f64.powi(r.below(20) as i32 - 6)),
        false => T::from_bits64(r.bits()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn reads_back<T: Sample>() {
        let mut r = Random::new(7);
        for _ in 0..2000 {
            let x: T = Values::Any.draw(&mut r);
            let y = T::parse(&x.text()).unwrap();
            assert!(Tolerance::EXACT.accepts(y, x), "{}", x.text());
            if x.to_f64() == 0.0 {
                assert_eq!(x.to_f64().to_bits(), y.to_f64().to_bits(), "{}", x.text());
            }
            assert!(!x.text().contains([' ', ':', ',', '=']), "{}", x.text());
        }
    }

    #[test]
    fn values_are_read_as_they_are_written() {
        reads_back::<f32>();
        reads_back::<f64>();
        reads_back::<f16>();
        reads_back::<bf16>();
        reads_back::<i8>();
        reads_back::<u32>();
        reads_back::<i64>();
        let texts = [1.5, 0.9995004, -0.0001, 1.25e-6, 3e38].map(f32::text);
        assert_eq!(texts, ["1.5", "0.9995004", "-0.0001", "1.25e-6", "3e38"]);
        assert_eq!(
            (0.1f64.text(), f16::from_f32(0.1).text()),
            ("0.1".into(), "0.099975586".into())
        );
        assert_eq!(
            (0.0f32.text(), (-0.0f32).text(), 3.0f32.text()),
            ("0".into(), "-0".into(), "3".into())
        );
    }

    #[test]
    fn draws_keep_to_what_was_asked_for() {
        let mut r = Random::new(1);
        for v in [Values::Finite, Values::Between(0.5, 2.0), Values::Whole(-4, 4)] {
            let all: Vec<f32> = (0..500).map(|_| v.draw(&mut r)).collect();
            assert!(all.iter().all(|&x| v.allow(x)), "{v:?}");
            assert!(all.iter().all(|&x| v.simpler(x).into_iter().all(|y| v.allow(y))));
        }
        assert_eq!(Values::Between(0.5, 2.0).simplest::<f32>(), 0.5);
        // whatever is drawn is allowed, bounds that the type rounds or wraps around included
        fn drawn_are_allowed<T: Sample>(v: Values) {
            let mut r = Random::new(3);
            for _ in 0..20 {
                let all = v.draw_all::<T>(&mut r, 50);
                assert!(
                    all.iter().all(|&x| v.allow(x) && v.nearest(x).text() == x.text()),
                    "{v}"
                );
            }
        }
        for v in [
            Values::Between(0.001, 0.1),
            Values::Whole(-3, 300),
            Values::Finite,
            Values::Whole(0, 1 << 40),
        ] {
            drawn_are_allowed::<f32>(v);
            drawn_are_allowed::<f16>(v);
            drawn_are_allowed::<u8>(v);
            drawn_are_allowed::<i64>(v);
        }
        assert!(
            !Values::Whole(0, 4).allow(5u32) && !Values::Whole(0, 4).allow(-1i8) && !Values::Whole(0, 4).allow(1.5f32)
        );
        assert_eq!(
            (Values::Whole(0, 4).nearest(9u8), Values::Whole(2, 4).nearest(0.0f32)),
            (4, 2.0)
        );
        assert!(
            Values::Whole(0, -1).is_empty() && Values::Between(1.0, 0.5).is_empty() && !Values::Whole(3, 3).is_empty()
        );
        assert_eq!(Values::Any.simpler(-2.5f32), [0.0, 1.0, 2.0, -1.0, -2.0]);
        assert_eq!(Values::Any.simpler(9u8), [0, 1, 2, 4, 8]);
        assert_eq!(Values::Whole(-9, -3).simpler(-7i32), [-3, -6]);
        assert_eq!(Values::Any.simpler(0x1060u32)[3..6], [0x20, 0x60, 0x830]);
        assert_eq!(Values::Any.simpler(1u32), [0]);
        assert!(Values::Any.simpler(0u32).is_empty());
    }

    #[test]
    fn vectors_differ_in_kind() {
        let vectors: Vec<Vec<f32>> = (0..64)
            .map(|seed| Values::Any.draw_all(&mut Random::new(seed), 400))
            .collect();
        let odd = |v: &&Vec<f32>| v.iter().filter(|x| !x.is_finite()).count();
        let different = |v: &&Vec<f32>| {
            let all: std::collections::BTreeSet<u32> = v.iter().map(|x| x.to_bits()).collect();
            all.len()
        };
        // each kind is one in five
        let many = |p: &dyn Fn(&&Vec<f32>) -> bool| vectors.iter().filter(p).count() >= 6;
        assert!(many(&|v| odd(v) == 0) && many(&|v| (1..20).contains(&odd(v))) && many(&|v| odd(v) > 30));
        assert!(many(&|v| different(v) <= 4) && many(&|v| different(v) > 350));
    }

    #[test]
    fn tolerances() {
        let one = 1.0f32;
        let next = f32::from_bits(one.to_bits() + 1);
        assert!(!Tolerance::EXACT.accepts(next, one));
        assert!(Tolerance::ulps(1).accepts(next, one));
        assert!(Tolerance::EXACT.accepts(-0.0f32, 0.0));
        assert!(Tolerance::EXACT.accepts(f32::NAN, -f32::NAN));
        assert!(!Tolerance::relative(1.0).accepts(f32::NAN, 1.0));
        assert!(!Tolerance::ulps(9).accepts(f32::INFINITY, f32::MAX));
        assert!(Tolerance::relative(1e-3).accepts(1000.5f64, 1000.0));
        assert!(Tolerance::EXACT.or_absolute(0.5).accepts(3.25f32, 3.0));
        assert!(!Tolerance::EXACT.accepts(u64::MAX, u64::MAX - 1));
    }
}
