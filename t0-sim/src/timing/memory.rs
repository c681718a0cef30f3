//! The way of vector and scalar accesses through the caches.
//!
//! Method: each path is a server that takes requests in the order of their issue and so many bytes a cycle, so that the time an
//! access is done is known when it issues. The L0 and the scalar cache are kept line by line; how much of what misses them
//! comes from farther away than the L2 is a share, because that depends on the workgroups of the whole card
//! ([`super::footprint`]). What the WGPs share is a server that is slower by as much as there are others.
//! Invariant: an access is not done before the servers have passed its bytes on, so no path is busy longer than the waves run.
//! The L1 between L0 and L2 (256 KB per shader array) is left out: `Costs::l2` was fitted with it in the path.

use std::collections::HashMap;

use t0_backend_rdna3::isa::Class;

use crate::program::Instr;

use super::costs::Costs;
use super::footprint::Sources;
use super::record::{LINE, SECTOR};

/// A path that takes requests one after the other.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Server {
    /// When it is free, in 256ths of a cycle.
    free: u64,
    /// Cycles it was busy, in 256ths.
    busy: u64,
}

const FRACTION: u64 = 256;

impl Server {
    /// Takes `bytes` at `rate` bytes a cycle from `at` on: when it begins and when it is done.
    pub fn take(&mut self, at: u64, bytes: u64, rate: u64) -> (u64, u64) {
        self.hold(at, bytes * FRACTION / rate.max(1))
    }

    /// Is busy for `cycles` from `at` on.
    pub fn cycles(&mut self, at: u64, cycles: u64) -> (u64, u64) {
        self.hold(at, cycles * FRACTION)
    }

    /// Is busy for `time` 256ths of a cycle from `at` on.
    fn hold(&mut self, at: u64, time: u64) -> (u64, u64) {
        let begin = self.free.max(at * FRACTION);
        self.free = begin + time;
        self.busy += time;
        (begin / FRACTION, self.free.div_ceil(FRACTION))
    }

    /// Cycles it was busy.
    pub fn busy(&self) -> u64 {
        self.busy / FRACTION
    }
}

/// A line of a cache: the sectors it holds, and when the last of them arrived.
#[derive(Clone, Copy, Debug)]
struct Held {
    line: u64,
    mask: u64,
    filled: u64,
}

/// A cache: which lines it holds, least recently used leave first.
#[derive(Clone, Debug)]
pub(super) struct Tags {
    sets: Vec<Vec<Held>>,
    ways: usize,
}

impl Tags {
    pub fn new(lines: usize, ways: usize) -> Tags {
        Tags {
            sets: vec![Vec::with_capacity(ways); (lines / ways).max(1)],
            ways,
        }
    }

    /// Looks for the sectors `mask` of a line and takes them in: those that were missing, and when the others are there.
    pub fn look(&mut self, line: u64, mask: u64) -> (u64, u64) {
        let n = self.sets.len() as u64;
        let set = &mut self.sets[(line % n) as usize];
        let known = set.iter().position(|h| h.line == line).map(|k| set.remove(k));
        if known.is_none() && set.len() == self.ways {
            set.remove(0);
        }
        let (held, filled) = known.map_or((0, 0), |h| (h.mask, h.filled));
        let mask = held | mask;
        set.push(Held { line, mask, filled });
        (mask & !held, if mask & held == 0 { 0 } else { filled })
    }

    /// What a line missed arrives at `at`.
    pub fn fill(&mut self, line: u64, at: u64) {
        let n = self.sets.len() as u64;
        if let Some(h) = self.sets[(line % n) as usize].iter_mut().find(|h| h.line == line) {
            h.filled = h.filled.max(at);
        }
    }

    /// Forgets a line.
    pub fn drop_line(&mut self, line: u64) {
        let n = self.sets.len() as u64;
        self.sets[(line % n) as usize].retain(|h| h.line != line);
    }

    pub fn clear(&mut self) {
        self.sets.iter_mut().for_each(Vec::clear);
    }
}

/// The memory paths of a WGP.
#[derive(Clone, Debug)]
pub(super) struct Memory<'s> {
    cu: [Cu; 2],
    scalar: Tags,
    scalar_data: Server,
    mall: Server,
    dram: Server,
    /// The slices of the L2 that do atomics, and sectors that are asked for by several lanes.
    slices: Server,
    atomics: HashMap<u64, Server>,
    sources: &'s Sources,
    /// Units that share what is beyond the L2.
    units: u64,
    /// Pages touched before, and until when the first access to them takes; `None`: all are warm.
    cold: Option<HashMap<u64, u64>>,
    /// Parts of sectors that are still to come from beyond the L2 and from DRAM; of vector and of scalar accesses.
    missed: [f64; 2],
    from_dram: [f64; 2],
    /// Sectors asked for, found in the L0, and taken from beyond the L2.
    pub sectors: [u64; 3],
}

#[derive(Clone, Debug)]
struct Cu {
    l0: Tags,
    address: Server,
    data: Server,
    l2: Server,
}

/// Bytes of what the address translation keeps as one: a fragment of local memory.
const PAGE: u64 = 2 << 20;

/// Whether data come to the scalar or the vector registers.
#[derive(Clone, Copy, PartialEq)]
enum To {
    Vector = 0,
    Scalar = 1,
}

/// When what lies beyond the L2 has passed the paths, and when it has arrived.
struct Passed {
    through: u64,
    arrived: u64,
}

impl<'s> Memory<'s> {
    pub fn new(c: &Costs, sources: &'s Sources, units: u64, cold: bool) -> Memory<'s> {
        let cu = Cu {
            l0: Tags::new((u64::from(c.l0_size) / LINE) as usize, 16),
            address: Server::default(),
            data: Server::default(),
            l2: Server::default(),
        };
        Memory {
            cu: [cu.clone(), cu],
            scalar: Tags::new(16384 / SECTOR as usize, 4),
            scalar_data: Server::default(),
            mall: Server::default(),
            dram: Server::default(),
            slices: Server::default(),
            atomics: HashMap::new(),
            sources,
            units: units.max(1),
            cold: cold.then(HashMap::new),
            missed: [0.0; 2],
            from_dram: [0.0; 2],
            sectors: [0; 3],
        }
    }

    /// When a vector access that issues at `at` is done, and until when the unit cannot take another.
    pub fn vector(&mut self, i: &Instr, cu: usize, at: u64, (sectors, bytes): (&[u64], u32), c: &Costs) -> (u64, u64) {
        let mut lines: Vec<(u64, u64)> = Vec::new();
        for s in sectors {
            let (line, bit) = (s * SECTOR / LINE, 1 << (s % (LINE / SECTOR)));
            match lines.iter_mut().find(|l| l.0 == line) {
                Some(l) => l.1 |= bit,
                None => lines.push((line, bit)),
            }
        }
        let looked = lines.len().max(1) as u64;
        let (begin, taken) = self.cu[cu].address.take(at, looked, c.vmem_address.into());
        let mut done = begin;
        if i.class == Class::VmemAtomic {
            done = self.in_l2(begin, sectors, c);
        }
        for (line, mask) in lines {
            done = done.max(self.line(i, cu, begin, (line, mask), c));
        }
        if i.class == Class::VmemLoad {
            // The data go to the registers one load after the other.
            let bytes = u64::from(bytes).max(looked * u64::from(c.l0_bytes / c.vmem_address.max(1)));
            done = self.cu[cu].data.take(done, bytes, c.l0_bytes.into()).1;
        }
        if i.class == Class::VmemInv {
            self.cu[cu].l0.clear();
            done = begin + u64::from(c.l0);
        }
        (done, taken)
    }

    fn line(&mut self, i: &Instr, cu: usize, at: u64, (line, mask): (u64, u64), c: &Costs) -> u64 {
        let count = u64::from(mask.count_ones());
        self.sectors[0] += count;
        if i.class != Class::VmemLoad {
            // Stores are written through, and acknowledged when there is room for them; atomics act in the L2.
            self.cu[cu].l0.drop_line(line);
            let (_, sent) = self.cu[cu].l2.take(at, count * SECTOR, c.l2_bytes.into());
            let beyond = self.beyond(sent, count, To::Vector, c);
            return match i.class {
                Class::VmemAtomic => beyond.arrived.max(sent + u64::from(c.l2)),
                _ => beyond.through.max(sent + u64::from(c.wave_end)),
            };
        }
        // Stores do not show it in the traces. What waits for its translation goes on from there.
        let page = self.page(line * LINE, at, c.cold_vmem);
        let at = at.max(page.saturating_sub(c.mall.into()));
        let (missing, filled) = match i.mods.glc {
            true => (mask, 0),
            false => self.cu[cu].l0.look(line, mask),
        };
        let count = u64::from(missing.count_ones());
        self.sectors[1] += u64::from(mask.count_ones()) - count;
        let mut done = filled.max(at + u64::from(c.l0));
        if missing != 0 {
            let (_, sent) = self.cu[cu].l2.take(at, count * SECTOR, c.l2_bytes.into());
            let far = self.beyond(sent, count, To::Vector, c);
            done = done.max(sent + u64::from(c.l2)).max(far.arrived);
            self.cu[cu].l0.fill(line, done);
        }
        done
    }

    /// When the L2 has done an atomic instruction's work: sectors come as often as lanes take turns in them.
    fn in_l2(&mut self, at: u64, sectors: &[u64], c: &Costs) -> u64 {
        let turn = u64::from(c.atomic) * FRACTION;
        let mut done = at;
        for sector in sectors {
            let (_, slice) = self.slices.hold(at, turn * self.units / u64::from(c.l2_slices.max(1)));
            // Other units do as much work on a sector as this one, as many as use it.
            let share = self.sources.shared.get(sector).copied().unwrap_or(0.0);
            let others = (share * self.units as f64).max(1.0);
            let held = (turn as f64 * others) as u64;
            let (_, own) = self.atomics.entry(*sector).or_default().hold(at, held);
            done = done.max(slice).max(own);
        }
        done + u64::from(c.l2)
    }

    /// The part of `count` sectors that is not in the L2.
    fn beyond(&mut self, at: u64, count: u64, to: To, c: &Costs) -> Passed {
        let far = self.sources.far[to as usize];
        let whole = |kept: &mut f64, more: f64| {
            *kept += more;
            let n = *kept as u64;
            *kept -= n as f64;
            n
        };
        let n = whole(&mut self.missed[to as usize], count as f64 * far.beyond_l2);
        let m = whole(&mut self.from_dram[to as usize], n as f64 * far.dram);
        self.sectors[2] += n;
        let (mall, dram) = match to {
            To::Vector => (c.mall, c.dram),
            To::Scalar => (c.mall_scalar, (c.dram + c.mall_scalar).saturating_sub(c.mall)),
        };
        let mut passed = Passed {
            through: at,
            arrived: at,
        };
        let mut pass = |(_, through): (u64, u64), latency: u32| {
            passed.through = passed.through.max(through);
            passed.arrived = passed.arrived.max(through + u64::from(latency));
        };
        // A unit has its share of the card's rate: the rate is divided by taking as many times the bytes.
        let share = SECTOR * self.units;
        if n > 0 {
            pass(self.mall.take(at, n * share, c.mall_bytes.into()), mall);
        }
        if m > 0 {
            pass(self.dram.take(at, m * share, c.dram_bytes.into()), dram);
        }
        passed
    }

    /// Until when the first access to a page takes that holds `at`.
    fn page(&mut self, va: u64, at: u64, first: u32) -> u64 {
        let Some(pages) = &mut self.cold else { return 0 };
        let page = va / PAGE;
        *pages.entry(page).or_insert(at + u64::from(first))
    }

    /// When a scalar load is done.
    pub fn scalar(&mut self, at: u64, sectors: &[u64], c: &Costs) -> u64 {
        let mut done = at + u64::from(c.smem);
        for &s in sectors {
            let page = self.page(s * SECTOR, at, c.cold_smem);
            let (missing, filled) = self.scalar.look(s, 1);
            done = done.max(page).max(filled);
            if missing != 0 {
                let far = self.beyond(at, 1, To::Scalar, c);
                done = done.max(at + u64::from(c.l2)).max(far.arrived);
                self.scalar.fill(s, done);
            }
        }
        self.scalar_data.cycles(done, c.smem_return.into()).0
    }

    /// Cycles the busiest CU's address unit, way from the L0 to the registers and path to the L2, and this unit's share of what lies beyond and of the busiest
    /// place for atomics, were busy.
    pub fn busy(&self) -> [u64; 6] {
        let most = |f: fn(&Cu) -> &Server| self.cu.iter().map(|cu| f(cu).busy()).max().unwrap_or(0);
        let [mall, dram, atomics] = self.beyond_cus();
        let of_cu = [most(|c| &c.address), most(|c| &c.data), most(|c| &c.l2)];
        [of_cu[0], of_cu[1], of_cu[2], mall, dram, atomics]
    }

    /// Cycles of the path that has most to do, of those of a CU the mean.
    pub fn held(&self) -> u64 {
        let mean = |f: fn(&Cu) -> &Server| self.cu.iter().map(|cu| f(cu).busy()).sum::<u64>() / 2;
        let of_cu = [mean(|c| &c.address), mean(|c| &c.data), mean(|c| &c.l2)];
        of_cu.into_iter().chain(self.beyond_cus()).max().unwrap_or(0)
    }

    fn beyond_cus(&self) -> [u64; 3] {
        let atomics = self.atomics.values().map(Server::busy).max().unwrap_or(0);
        [self.mall.busy(), self.dram.busy(), atomics.max(self.slices.busy())]
    }
}
