//! Values nobody has defined: followed from where they are born to where they are used.
//!
//! Problem: a card's registers, LDS and fresh buffers hold what somebody left there, so a forgotten write gives numbers
//! that are often right. Method, as Valgrind's memcheck does it (Seward & Nethercote, "Using Valgrind to detect undefined
//! value errors with bit-precision", USENIX 2005): a shadow bit for every bit of every register says that it is
//! undefined. Instructions compute shadows ([`vector`], [`scalar`]), memory keeps them ([`memory`]). Moving and computing
//! with undefined bits is no mistake, compilers do it all the time; using them is: in an address, in a branch or EXEC, in
//! what global memory receives.
//!
//! Shadows are computed before an instruction executes, from the values it will read. An instruction none of whose
//! registers has an undefined bit in an active lane costs a few comparisons.
//!
//! Invariant: when in doubt a bit is defined: an undefined value may be missed, a defined one is never reported.

mod bits;
mod memory;
mod report;
mod scalar;
mod vector;
mod wmma;

use t0_backend_rdna3::isa::{Class, Flags, Opcode};

use crate::mem::lanes_of;
use crate::program::{Dpp, Instr, Passes, SSet, Src, VSet};
use crate::wave::{Row, Wave, EXEC, LANES, VCC};

pub(super) use memory::Bytes;
pub(super) use report::{Born, Found, Name};

/// Undefined bits of the lanes of one operand, and where they come from.
#[derive(Clone, Copy, Debug)]
struct Shade {
    bits: [u64; LANES],
    born: [Born; LANES],
}

impl Shade {
    const CLEAN: Shade = Shade {
        bits: [0; LANES],
        born: [Born::NONE; LANES],
    };
}

/// The undefined bits of one wave's registers.
#[derive(Clone, Debug)]
pub(super) struct Taint {
    /// VGPRs of the wave.
    count: usize,
    /// Registers with an undefined bit in any lane.
    any_v: VSet,
    any_s: SSet,
    /// By half and register: lanes with undefined bits. `bits` and `born` of other lanes mean nothing.
    lanes: Vec<u32>,
    bits: Vec<Row>,
    born: Vec<[Born; LANES]>,
    s: [u32; 128],
    s_born: [Born; 128],
    scc: Option<Born>,
    private: Bytes,
    /// Bytes of private memory a lane has, in whole dwords.
    stride: u64,
    /// Uses of undefined values, to be reported.
    pub found: Vec<Found>,
    /// Code whose language has no structures with padding.
    strict: bool,
}

impl Taint {
    /// Of a wave before its first instruction: of its registers v0 is defined in active lanes, and the first `scalars`
    /// SGPRs and those in `more`.
    pub fn new(w: &Wave, scalars: usize, more: std::ops::Range<usize>, strict: bool) -> Taint {
        let count = w.vgprs() as usize;
        let halves = w.lanes() as usize / LANES;
        let mut t = Taint {
            count,
            any_v: std::array::from_fn(|k| below(count, k)),
            any_s: [u64::MAX; 2],
            lanes: vec![u32::MAX; halves * count],
            bits: vec![[u32::MAX; LANES]; halves * count],
            born: Vec::with_capacity(halves * count),
            s: [u32::MAX; 128],
            s_born: std::array::from_fn(|r| Born::register(Name::s(r))),
            scc: Some(Born::register(Name::SCC)),
            private: Bytes::default(),
            stride: u64::from(w.scratch.bytes.next_multiple_of(4)),
            found: Vec::new(),
            strict,
        };
        for _ in 0..halves {
            let fresh = |r| [Born::register(Name::v(r)); LANES];
            t.born.extend((0..count).map(fresh));
        }
        // Trap registers and NULL read 0; EXEC is set.
        let defined = (0..scalars).chain(more).chain(108..=124).chain([EXEC, EXEC + 1]);
        defined.for_each(|r| t.clean_s(r));
        for half in 0..halves {
            t.clean_lanes(half, 0, w.sgpr[EXEC + half]);
        }
        t
    }

    fn clean_s(&mut self, r: usize) {
        self.s[r & 127] = 0;
        self.any_s[(r & 127) / 64] &= !(1 << (r % 64));
    }

    /// Writes the shadow of a scalar register.
    fn set_s(&mut self, r: usize, bits: u32, born: Born) {
        let r = r & 127;
        if (108..=124).contains(&r) {
            return;
        }
        if bits == 0 {
            return self.clean_s(r);
        }
        (self.s[r], self.s_born[r]) = (bits, born);
        self.any_s[r / 64] |= 1 << (r % 64);
    }

    #[inline(always)]
    fn at(&self, half: usize, r: usize) -> usize {
        half * self.count + r
    }

    /// Lanes of a register are defined.
    #[inline(always)]
    fn clean_lanes(&mut self, half: usize, r: usize, mask: u32) {
        let at = self.at(half, r);
        let Some(lanes) = self.lanes.get_mut(at) else { return };
        *lanes &= !mask;
        let other = self.lanes.get(r + (half ^ 1) * self.count).copied().unwrap_or(0);
        if self.lanes[at] | other == 0 {
            self.any_v[(r / 64) & 3] &= !(1 << (r % 64));
        }
    }

    /// Undefined bits of a lane of a register.
    #[inline(always)]
    fn lane(&self, half: usize, r: usize, l: usize) -> (u32, Born) {
        let at = self.at(half, r);
        match self.lanes.get(at) {
            Some(m) if r < self.count && m >> l & 1 == 1 => (self.bits[at][l], self.born[at][l]),
            _ => (0, Born::NONE),
        }
    }

    /// Sets those undefined bits of a lane that `field` covers.
    fn set_lane(&mut self, half: usize, r: usize, l: usize, field: u32, bits: u32, born: Born) {
        if r >= self.count {
            return;
        }
        let (old, old_born) = self.lane(half, r, l);
        let new = old & !field | bits & field;
        if new == 0 {
            return self.clean_lanes(half, r, 1 << l);
        }
        let at = self.at(half, r);
        self.lanes[at] |= 1 << l;
        self.bits[at][l] = new;
        self.born[at][l] = if bits & field != 0 { born } else { old_born };
        self.any_v[(r / 64) & 3] |= 1 << (r % 64);
    }

    /// Lanes of `mask` in which any of `n` registers has undefined bits.
    #[inline(always)]
    fn lanes_of(&self, half: usize, r: usize, n: usize, mask: u32) -> u32 {
        let end = (r + n).min(self.count);
        let all = (r..end).fold(0, |m, k| m | self.lanes[self.at(half, k)]);
        all & mask
    }

    /// The lowest of the lanes of `mask` in which any of `n` registers has undefined bits, and the register.
    fn first(&self, half: usize, r: usize, n: usize, mask: u32) -> Option<(usize, usize, Born)> {
        let l = lanes_of(self.lanes_of(half, r, n, mask)).next()?;
        let k = (r..r + n).find(|&k| self.lane(half, k, l).0 != 0)?;
        Some((l, k, self.lane(half, k, l).1))
    }

    fn report(&mut self, what: &'static str, name: Option<Name>, lane: Option<usize>, born: Born) {
        self.found.push(Found {
            what,
            name,
            lane: lane.map(|l| l as u8),
            born,
        });
    }

    /// An instruction is about to execute.
    #[inline(always)]
    pub fn flow(&mut self, w: &mut Wave, i: &Instr) {
        let v = (0..4).fold(0, |m, k| m | (i.vread[k] | i.vwrite[k]) & self.any_v[k]);
        let s = (0..2).fold(0, |m, k| m | (i.sread[k] | i.swrite[k]) & self.any_s[k]);
        let scc =
            self.scc.is_some() && (i.flags.has(Flags::R_SCC) || i.flags.has(Flags::W_SCC) || i.src.contains(&Src::Scc));
        // M0 chooses other registers than those that are named.
        if v | s != 0 || scc || i.flags.has(Flags::R_M0) {
            self.slow(w, i);
        }
    }

    #[cold]
    #[inline(never)]
    fn slow(&mut self, w: &mut Wave, i: &Instr) {
        match i.op {
            Opcode::Sop2(_) | Opcode::Sop1(_) | Opcode::Sopc(_) | Opcode::Sopk(_) | Opcode::Sopp(_) => {
                scalar::flow(self, w, i)
            }
            _ if i.class.is_valu() => {
                if !self.quick(w, i) {
                    vector::flow(self, w, i);
                }
            }
            _ => memory::begin(self, w, i),
        }
    }

    /// A vector instruction that reads no undefined bit of an active lane defines what it writes. False if it does, or
    /// may read other lanes.
    fn quick(&mut self, w: &Wave, i: &Instr) -> bool {
        let crosses = i.dpp != Dpp::Off || i.passes == Passes::One || i.class == Class::ValuLane;
        let relative = i.flags.has(Flags::R_M0);
        if crosses || relative || (0..2).any(|k| i.sread[k] & self.any_s[k] != 0) {
            return false;
        }
        let halves = w.lanes() as usize / LANES;
        let dirty = |t: &Taint, set: &VSet| {
            let touched: VSet = std::array::from_fn(|k| set[k] & t.any_v[k]);
            members(touched)
        };
        for r in dirty(self, &i.vread) {
            if (0..halves).any(|h| self.lanes[self.at(h, r)] & w.sgpr[EXEC + h] != 0) {
                return false;
            }
        }
        for r in dirty(self, &i.vwrite) {
            (0..halves).for_each(|h| self.clean_lanes(h, r, w.sgpr[EXEC + h]));
        }
        for k in 0..2 {
            let dirty = i.swrite[k] & self.any_s[k];
            members([dirty, 0, 0, 0]).for_each(|r| self.clean_s(r + 64 * k));
        }
        true
    }

    /// Undefined bits of a scalar source of 32 bits.
    fn scalar32(&self, w: &Wave, s: Src) -> (u32, Born) {
        match s {
            Src::S(r) => (self.s[usize::from(r) & 127], self.s_born[usize::from(r) & 127]),
            Src::Scc => self.scc.map_or((0, Born::NONE), |b| (1, b)),
            Src::Vccz => self.zero_test(w, VCC).map_or((0, Born::NONE), |(_, b)| (1, b)),
            _ => (0, Born::NONE),
        }
    }

    /// The same of 64 bits.
    fn scalar64(&self, w: &Wave, s: Src) -> (u64, Born) {
        match s {
            Src::S(r) => {
                let (lo, b) = self.scalar32(w, s);
                let (hi, c) = self.scalar32(w, Src::S(r + 1));
                (u64::from(lo) | u64::from(hi) << 32, if lo != 0 { b } else { c })
            }
            other => {
                let (bits, born) = self.scalar32(w, other);
                (bits.into(), born)
            }
        }
    }

    /// Whether undefined bits of the lane mask at `r` decide if it is zero: the register, and where they come from.
    fn zero_test(&self, w: &Wave, r: usize) -> Option<(usize, Born)> {
        let words = w.lanes() as usize / LANES;
        let set = (r..r + words).any(|k| w.sgpr[k] & !self.s[k] != 0);
        let dirty = (r..r + words).find(|&k| self.s[k] != 0).filter(|_| !set)?;
        Some((dirty, self.s_born[dirty]))
    }
}

/// Word `k` of the set of all registers below `count`.
fn below(count: usize, k: usize) -> u64 {
    match count.saturating_sub(64 * k) {
        0 => 0,
        n if n >= 64 => u64::MAX,
        n => (1 << n) - 1,
    }
}

/// The members of a set.
fn members(set: VSet) -> impl Iterator<Item = usize> {
    set.into_iter().enumerate().flat_map(|(k, mut word)| {
        std::iter::from_fn(move || {
            let bit = word.trailing_zeros();
            word &= word.wrapping_sub(1);
            (bit < 64).then_some(64 * k + bit as usize)
        })
    })
}
