//! Memory a client has allocated and nobody has written yet.
//!
//! Kept as ranges; a range that is written in part gets a bit per byte. Only a sanitizing executor follows what kernels
//! write (see `sanitize/taint`); after a launch without one nothing is known any more, and all counts as written.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// A range nobody wrote when it was allocated.
#[derive(Debug)]
pub struct Unwritten {
    range: Range<u64>,
    /// A bit for each byte that has been written since.
    written: OnceLock<Box<[AtomicU64]>>,
}

impl Unwritten {
    fn new(range: Range<u64>) -> Unwritten {
        Unwritten {
            range,
            written: OnceLock::new(),
        }
    }

    /// GPU addresses.
    pub fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    /// Calls `f` with the word and the bits of it that stand for the bytes of `part` within the range.
    fn words(&self, part: Range<u64>, mut f: impl FnMut(usize, u64)) {
        let (mut at, end) = (part.start.max(self.range.start), part.end.min(self.range.end));
        while at < end {
            let byte = at - self.range.start;
            let (word, bit) = ((byte / 64) as usize, byte % 64);
            let n = (64 - bit).min(end - at);
            let bits = if n == 64 { u64::MAX } else { (1 << n) - 1 };
            f(word, bits << bit);
            at += n;
        }
    }

    /// Whether all bytes of `part` that lie in the range have been written.
    pub fn is_written(&self, part: Range<u64>) -> bool {
        let Some(all) = self.written.get() else {
            return part.start >= self.range.end || part.end <= self.range.start || part.is_empty();
        };
        let mut written = true;
        self.words(part, |k, bits| {
            written &= all.get(k).is_none_or(|w| w.load(Ordering::Relaxed) & bits == bits);
        });
        written
    }

    /// Notes that bytes have been written, or (`false`) hold again what nobody knows.
    pub fn set(&self, part: Range<u64>, written: bool) {
        let new = || {
            let words = (self.range.end - self.range.start).div_ceil(64);
            (0..words).map(|_| AtomicU64::new(0)).collect()
        };
        let all = self.written.get_or_init(new);
        self.words(part, |k, bits| {
            let Some(word) = all.get(k) else { return };
            match written {
                // Mostly they have been.
                true if word.load(Ordering::Relaxed) & bits == bits => {}
                true => drop(word.fetch_or(bits, Ordering::Relaxed)),
                false => drop(word.fetch_and(!bits, Ordering::Relaxed)),
            }
        });
    }
}

/// All of them, by address.
#[derive(Debug, Default)]
pub(super) struct Ledger(BTreeMap<u64, Arc<Unwritten>>);

impl Ledger {
    /// Nobody has written these bytes. What lies in a range that is there already is noted in it, what is left over becomes
    /// ranges of its own: no two ranges overlap.
    pub fn add(&mut self, range: Range<u64>) {
        self.remove(range.clone());
        let mut from = range.start;
        let new = |r: Range<u64>| Some(r).filter(|r| !r.is_empty()).map(Unwritten::new).map(Arc::new);
        for u in self.touching(&range) {
            u.set(range.clone(), false);
            if let Some(gap) = new(from..u.range.start) {
                self.0.insert(from, gap);
            }
            from = u.range.end;
        }
        if let Some(rest) = new(from..range.end) {
            self.0.insert(from, rest);
        }
    }

    /// Somebody has.
    pub fn write(&mut self, range: Range<u64>) {
        self.remove(range.clone());
        for u in self.touching(&range) {
            u.set(range.clone(), true);
        }
    }

    /// Drops what lies inside of a range.
    pub fn remove(&mut self, range: Range<u64>) {
        let inside = |u: &Arc<Unwritten>| u.range.start >= range.start && u.range.end <= range.end;
        self.0.retain(|_, u| !inside(u));
    }

    fn touching(&self, range: &Range<u64>) -> Vec<Arc<Unwritten>> {
        let meets = |u: &&Arc<Unwritten>| u.range.start < range.end && u.range.end > range.start;
        self.0.values().filter(meets).cloned().collect()
    }

    /// Which bytes have been written; those nobody said anything of have.
    pub fn written_bytes(&self, range: Range<u64>) -> Vec<bool> {
        let mut all = vec![true; (range.end - range.start) as usize];
        for u in self.touching(&range) {
            let (from, to) = (range.start.max(u.range.start), range.end.min(u.range.end));
            for va in from..to {
                all[(va - range.start) as usize] = u.is_written(va..va + 1);
            }
        }
        all
    }

    /// Nothing is known any more.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// By address.
    pub fn all(&self) -> Vec<Arc<Unwritten>> {
        self.0.values().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_kept_apart() {
        let u = Unwritten::new(1000..1300);
        assert!(u.is_written(900..1000) && !u.is_written(999..1001));
        u.set(1001..1200, true);
        assert!(u.is_written(1001..1200) && u.is_written(1064..1065));
        assert!(!u.is_written(1000..1002) && !u.is_written(1199..1201));
        u.set(1100..1101, false);
        assert!(!u.is_written(1096..1104) && u.is_written(1101..1104));
        u.set(0..2000, true);
        assert!(u.is_written(1000..1300));
    }

    /// Part of a range that is partly written is unwritten again, and so is what sticks out of it on both sides.
    #[test]
    fn a_range_may_lie_across_others() {
        let unwritten = |l: &Ledger| -> Vec<u64> {
            let all = l.written_bytes(0..100);
            (0..100).filter(|&k| !all[k as usize]).collect()
        };
        let bytes = |parts: &[Range<u64>]| -> Vec<u64> { parts.iter().cloned().flatten().collect() };
        let mut l = Ledger::default();
        l.add(10..50);
        l.write(12..40);
        l.add(20..30);
        assert_eq!(unwritten(&l), bytes(&[10..12, 20..30, 40..50]));
        // Over its end, and a second one, and over the beginning of a third.
        l.add(60..70);
        l.add(80..90);
        l.write(60..65);
        l.write(80..88);
        l.add(35..85);
        assert_eq!(unwritten(&l), bytes(&[10..12, 20..30, 35..85, 88..90]));
        l.write(0..100);
        assert_eq!(unwritten(&l), []);
        let all: Vec<Range<u64>> = l.all().iter().map(|u| u.range()).collect();
        assert!(all.windows(2).all(|w| w[0].end <= w[1].start), "{all:?}");
    }

    #[test]
    fn a_write_of_all_of_it_takes_a_range_away() {
        let mut l = Ledger::default();
        l.add(0x1000..0x2000);
        l.add(0x3000..0x3010);
        l.write(0x1800..0x1900);
        assert_eq!(l.all().len(), 2);
        assert!(l.all()[0].is_written(0x1800..0x1900) && !l.all()[0].is_written(0x17ff..0x1800));
        l.write(0x1000..0x2000);
        assert_eq!(l.all().len(), 1);
        l.add(0x3000..0x3010);
        l.write(0x3004..0x3008);
        let written = l.written_bytes(0x2ffe..0x3012);
        let places: Vec<usize> = (0..written.len()).filter(|&k| !written[k]).collect();
        assert_eq!(places, [2, 3, 4, 5, 10, 11, 12, 13, 14, 15, 16, 17]);
        l.remove(0x3000..0x4000);
        assert!(l.all().is_empty());
        assert_eq!(l.written_bytes(0x3000..0x3002), [true; 2]);
    }
}
