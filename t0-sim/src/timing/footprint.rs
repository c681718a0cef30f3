//! Where the data of a launch come from: what it touches in all, and what the caches have of it.
//!
//! Problem: a model of one WGP does not see what the others bring into the L2 and the Infinity Cache. Method: two *windows*
//! are compared, the groups that start together and those after them. What a window asks for the first time comes from beyond the L2;
//! what the window before had is still in a cache that is large enough for that window. What an earlier launch has left
//! is still there if everything the launch touches fits (the *warm* rule): both caches are taken for strictly least
//! recently used, so that of data read in turn that do not fit nothing is found again. [`Recording::time_cold`] finds
//! nothing in the L2, but in the Infinity Cache what the host has just written.
//!
//! What is touched is counted, never taken from the size of allocations: cache lines of some groups spread over the launch, by
//! allocation; how often the same line turns up in several of them says how many there are in all.
//! UNVERIFIED(hw): how the Infinity Cache replaces; AMD's is not strictly least recently used, so its edge is softer.

use std::collections::{BTreeMap, HashMap, HashSet};

use t0_backend_rdna3::isa::Class;

use super::costs::Costs;
use super::launch::Recording;
use super::plan::WINDOW;
use super::record::{Access, GroupTrace, WaveTrace, LINE, SECTOR};

/// Where what misses the L0 comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Far {
    /// Share that misses the L2.
    pub beyond_l2: f64,
    /// Share of that which comes from DRAM.
    pub dram: f64,
}

/// What is known of a launch's data.
#[derive(Clone, Debug, Default)]
pub(super) struct Sources {
    /// Of vector and of scalar accesses.
    pub far: [Far; 2],
    /// Sectors that atomics of several groups meet in, and on how much of the card: the share of groups that use them.
    pub shared: HashMap<u64, f64>,
    /// Bytes of the lines the launch touches.
    pub touched: u64,
}

/// Vector and scalar.
const KINDS: usize = 2;

fn kind(c: Class) -> usize {
    usize::from(c == Class::Smem)
}

/// What a window asks for.
#[derive(Default)]
struct Window {
    groups: u64,
    /// Sectors, counted once for each group.
    asked: [u64; KINDS],
    seen: [HashSet<u64>; KINDS],
}

/// Lines of an allocation that some groups touch.
#[derive(Default)]
struct Lines {
    /// Counted once for each group.
    sum: u64,
    seen: HashSet<u64>,
}

/// By number of the allocation.
type ByBuffer = BTreeMap<usize, Lines>;

impl Recording {
    /// Where the data come from.
    pub(super) fn sources(&self, costs: &Costs, cold: bool) -> Sources {
        let (touched, of_window) = self.touched();
        let fits = |mib: u32, bytes: f64| bytes <= f64::from(mib) * 1048576.0;
        let left = |mib: u32| fits(mib, touched) && !(cold && mib == costs.l2_size);
        let [first, next] = self.windows();
        // The groups after the first window are like those of the second.
        let at_once = self.plan.units * self.plan.resident;
        let after = self.plan.total.saturating_sub(at_once) as f64 / next.groups.max(1) as f64;
        let far = std::array::from_fn(|k| {
            let (n, new) = (next.seen[k].len(), next.seen[k].difference(&first.seen[k]).count());
            let fetched = |mib: u32| {
                let later = if fits(mib, of_window) { new } else { n };
                first.seen[k].len() as f64 + after * later as f64
            };
            let asked = first.asked[k] as f64 + after * next.asked[k] as f64;
            let (l2, mall) = (fetched(costs.l2_size), fetched(costs.mall_size));
            let share = |n: f64, of: f64| if of > 0.0 { (n / of).min(1.0) } else { 0.0 };
            Far {
                beyond_l2: if left(costs.l2_size) { 0.0 } else { share(l2, asked) },
                dram: if left(costs.mall_size) { 0.0 } else { share(mall, l2) },
            }
        });
        Sources {
            far,
            shared: self.shared(),
            touched: touched as u64,
        }
    }

    /// The accesses of a wave's first instructions, with what they are.
    fn accesses<'t>(&'t self, w: &'t WaveTrace, steps: usize) -> impl Iterator<Item = (Class, &'t Access)> {
        let at = w.steps.iter().take(steps).filter(|s| s.accesses());
        let class = |s: &super::record::Step| self.program.code.get(s.at() as usize).map(|i| i.class);
        at.zip(&w.accesses).filter_map(move |(s, a)| Some((class(s)?, a)))
    }

    fn windows(&self) -> [Window; 2] {
        let mut windows: [Window; 2] = Default::default();
        for g in &self.groups {
            let Some(window) = self.plan.window(g.number).and_then(|k| windows.get_mut(k)) else {
                continue;
            };
            let mut own: [HashSet<u64>; KINDS] = Default::default();
            for w in &g.waves {
                for (class, a) in self.accesses(w, WINDOW) {
                    own[kind(class)].extend(w.sectors_of(a));
                }
            }
            window.groups += 1;
            for (k, own) in own.into_iter().enumerate() {
                window.asked[k] += own.len() as u64;
                window.seen[k].extend(own);
            }
        }
        windows
    }

    /// Lines that groups touch with the first instructions of their waves, and how many groups that were.
    fn lines<'t>(&self, groups: impl Iterator<Item = &'t GroupTrace>, steps: usize) -> (u64, ByBuffer) {
        let (mut n, mut all) = (0, ByBuffer::new());
        for g in groups {
            n += 1;
            let mut own: HashSet<u64> = HashSet::new();
            for w in &g.waves {
                let sectors = self.accesses(w, steps).flat_map(|(_, a)| w.sectors_of(a));
                own.extend(sectors.map(|s| s * SECTOR / LINE));
            }
            for line in own {
                let lines = all.entry(self.buffer(line)).or_default();
                lines.sum += 1;
                lines.seen.insert(line);
            }
        }
        (n, all)
    }

    /// Number of the allocation a line belongs to.
    fn buffer(&self, line: u64) -> usize {
        self.buffers.partition_point(|b| b.end <= line * LINE)
    }

    /// Bytes the launch touches, and those its first window touches.
    fn touched(&self) -> (f64, f64) {
        let total = self.plan.total;
        let queue = || self.groups.iter().filter(|g| self.plan.whole(g.number));
        let (n, some) = self.lines(self.groups.iter().filter(|g| self.plan.spread(g.number)), WINDOW);
        let (_, window) = self.lines(
            self.groups.iter().filter(|g| self.plan.window(g.number) == Some(0)),
            WINDOW,
        );
        let (_, begun) = self.lines(queue(), WINDOW);
        let (whole_n, whole) = self.lines(queue(), usize::MAX);
        // A wave that runs for long touches more than its first instructions do: in proportion, unless it is seen to come to what
        // others have touched at first; then the share of that says how much there is.
        let longer = |k: &usize, lines: f64| {
            let (Some(all), Some(first)) = (whole.get(k), begun.get(k)) else {
                return lines;
            };
            let late: Vec<&u64> = all.seen.difference(&first.seen).collect();
            let sets: Vec<&HashSet<u64>> = [some.get(k), window.get(k)]
                .into_iter()
                .flatten()
                .map(|l| &l.seen)
                .collect();
            let found = late.iter().filter(|l| sets.iter().any(|s| s.contains(l))).count();
            let known: HashSet<&u64> = sets.iter().flat_map(|s| s.iter()).collect();
            let more = lines * all.seen.len() as f64 / first.seen.len().max(1) as f64;
            match found {
                0 => more,
                n => more.min(known.len() as f64 * late.len() as f64 / n as f64).max(lines),
            }
        };
        let most = |k: usize| match self.buffers.get(k) {
            Some(b) => (b.end - b.start) as f64,
            None => f64::MAX,
        };
        let bytes = |k: usize, lines: f64| (lines * LINE as f64).min(most(k));
        let mut launch: f64 = some
            .iter()
            .map(|(k, l)| bytes(*k, longer(k, in_all(l, n, total))))
            .sum();
        // What is touched only later: the results of long loops.
        let late = whole.iter().filter(|(k, _)| !some.contains_key(k));
        launch += late.map(|(k, l)| bytes(*k, in_all(l, whole_n, total))).sum::<f64>();
        let first = window
            .iter()
            .map(|(k, l)| bytes(*k, longer(k, l.seen.len() as f64)))
            .sum();
        (launch, first)
    }

    /// Sectors that atomics meet in: of the groups that were looked at, which share uses them.
    fn shared(&self) -> HashMap<u64, f64> {
        let mut out: HashMap<u64, f64> = HashMap::new();
        let windows = self.groups.iter().filter(|g| self.plan.window(g.number).is_some());
        let (n, met) = self.atomics(windows, WINDOW);
        out.extend(met.into_iter().map(|(s, k)| (s, k as f64 / n.max(1) as f64)));
        // Those at the end of long loops; a group does not meet itself.
        let (n, met) = self.atomics(self.groups.iter().filter(|g| self.plan.whole(g.number)), usize::MAX);
        for (sector, k) in met {
            let share = out.entry(sector).or_default();
            *share = share.max((k - 1) as f64 / (n.max(2) - 1) as f64);
        }
        out
    }

    /// How many groups use each sector with atomics.
    fn atomics<'t>(&self, groups: impl Iterator<Item = &'t GroupTrace>, steps: usize) -> (u64, HashMap<u64, u64>) {
        let (mut n, mut all) = (0, HashMap::new());
        for g in groups {
            n += 1;
            let mut own: HashSet<u64> = HashSet::new();
            for w in &g.waves {
                let atomics = self.accesses(w, steps).filter(|(c, _)| *c == Class::VmemAtomic);
                own.extend(atomics.flat_map(|(_, a)| w.sectors_of(a)));
            }
            own.into_iter().for_each(|s| *all.entry(s).or_default() += 1);
        }
        (n, all)
    }
}

/// How many lines there are, when `n` of `all` groups touch these.
///
/// If each line belongs to `m` groups, one is seen with the probability `1 - (1 - n/all)^m`; `m` follows from how often
/// lines were seen. Exact where no line belongs to two groups and where all groups were looked at.
fn in_all(lines: &Lines, n: u64, all: u64) -> f64 {
    let (seen, sum) = (lines.seen.len() as f64, lines.sum as f64);
    if n == 0 || n >= all {
        return seen;
    }
    let part = n as f64 / all as f64;
    // Times a group touches a line, in the whole launch.
    let touches = sum / part;
    let expected = |m: f64| touches / m * (1.0 - (1.0 - part).powf(m));
    let (mut low, mut high) = (1.0f64, all as f64);
    for _ in 0..64 {
        let m = (low * high).sqrt();
        if expected(m) > seen {
            low = m;
        } else {
            high = m;
        }
    }
    (touches / low).max(seen)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(groups: impl Iterator<Item = Vec<u64>>) -> (u64, Lines) {
        let (mut n, mut out) = (0, Lines::default());
        for g in groups {
            n += 1;
            out.sum += g.len() as u64;
            out.seen.extend(g);
        }
        (n, out)
    }

    #[test]
    fn lines_of_a_launch_from_those_of_some_groups() {
        let near = |(n, l): (u64, Lines), all: u64, want: f64| {
            let got = in_all(&l, n, all);
            assert!((got / want - 1.0).abs() < 0.15, "{got} for {want}");
        };
        // Each group its own four lines.
        let own = lines((0..64).map(|k| (0..4).map(|j| 400 * k + j).collect()));
        assert!((in_all(&own.1, own.0, 6400) - 25600.0).abs() < 1e-3);
        // The same three lines for all.
        near(lines((0..64).map(|_| vec![1, 2, 3])), 100_000, 3.0);
        // Columns of a matrix of 32 x 32 groups, two groups looked at in each row.
        let mut x = 1u64;
        let columns = lines((0..64).map(|_| {
            x = x
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            vec![x >> 59]
        }));
        near(columns, 1024, 32.0);
        // All of them were looked at.
        near(lines((0..10).map(|k| vec![k / 3])), 10, 4.0);
    }
}
