//! Undefined bytes of memory, and what loads, stores and atomics make of them.
//!
//! The LDS of a starting workgroup and private memory are undefined; of global memory what the client has allocated and
//! not written ([`crate::driver::Unwritten`]). LDS and private memory keep undefined bits exactly, so that registers can
//! be spilled and structures with padding copied in silence. Global memory keeps them by the byte.
//!
//! Stores of undefined bits into global memory are reported, but for one kind: of an access some bits of which are
//! defined, undefined ones that were loaded and only moved since. Compilers copy the padding of structures and bit fields so.
//! The bytes stay undefined, and loads see that. t0's language has no such structures: in its code only what comes from
//! private memory, where values are spilled, is let through.

use std::collections::HashMap;
use std::ops::Range;

use t0_backend_rdna3::isa::{Class, Ds, Field, Flags, Kind as Operand, Opcode};

use super::bits::{ones, sign};
use super::{Born, Name, Taint};
use crate::aperture::Space;
use crate::exec::swizzle;
use crate::mem::lanes_of;
use crate::program::{Dst, Instr, Passes, Src};
use crate::sanitize::launch::Undefined;
use crate::sanitize::{Kind, Landing, Touch};
use crate::wave::{Row, Wave, LANES};

/// Bytes and their undefined bits.
#[derive(Clone, Debug, Default)]
pub(in crate::sanitize) struct Bytes {
    /// Bits that are defined.
    known: Vec<u8>,
    /// Where undefined values that were stored come from, by dword.
    born: HashMap<u64, Born>,
}

impl Bytes {
    /// So many bytes, all of them undefined.
    pub fn new(len: usize) -> Bytes {
        Bytes {
            known: vec![0; len],
            born: HashMap::new(),
        }
    }

    fn part(&self, at: u64, len: u32) -> Option<&[u8]> {
        let at = usize::try_from(at).ok()?;
        self.known.get(at..at.checked_add(len as usize)?)
    }

    /// Undefined bits of up to 16 bytes; what lies outside is defined.
    #[inline(always)]
    fn load(&self, at: u64, len: u32, fresh: impl Fn() -> Born) -> (u128, Born) {
        match self.part(at, len) {
            Some(part) if !defined(part) => self.undefined(at, part, fresh()),
            _ => (0, Born::NONE),
        }
    }

    #[cold]
    fn undefined(&self, at: u64, part: &[u8], fresh: Born) -> (u128, Born) {
        let bits = part.iter().rev().fold(0, |t, &k| t << 8 | u128::from(!k));
        let first = at + u64::from(bits.trailing_zeros() / 8);
        (bits, self.born.get(&(first / 4)).copied().unwrap_or(fresh))
    }

    /// Defines bytes.
    #[inline(always)]
    fn define(&mut self, at: u64, len: u32) {
        let at = at as usize;
        let Some(part) = self.known.get_mut(at..at.saturating_add(len as usize)) else {
            return;
        };
        // Usual sizes without a call.
        if let Ok(all) = <&mut [u8; 16]>::try_from(&mut *part) {
            *all = [0xff; 16];
        } else if let Ok(all) = <&mut [u8; 4]>::try_from(&mut *part) {
            *all = [0xff; 4];
        } else {
            part.fill(0xff);
        }
    }

    /// Stores undefined bits.
    fn store(&mut self, at: u64, len: u32, bits: u128, born: Born) {
        self.define(at, len);
        if bits == 0 {
            return;
        }
        let first = at as usize;
        let Some(part) = self.known.get_mut(first..first.saturating_add(len as usize)) else {
            return;
        };
        for (k, p) in part.iter_mut().enumerate() {
            *p = !((bits >> (8 * k)) as u8);
            if *p != 0xff {
                self.born.insert((at + k as u64) / 4, born);
            }
        }
    }
}

/// Whether all bits are defined; usual sizes at once.
#[inline(always)]
fn defined(known: &[u8]) -> bool {
    if let Ok(&all) = <&[u8; 16]>::try_from(known) {
        u128::from_ne_bytes(all) == u128::MAX
    } else if let Ok(&all) = <&[u8; 4]>::try_from(known) {
        u32::from_ne_bytes(all) == u32::MAX
    } else {
        known.iter().all(|&k| k == 0xff)
    }
}

/// An instruction that is no ALU's is about to execute: its address is a use, its destination defined until [`access`]
/// tells otherwise.
pub(super) fn begin(t: &mut Taint, w: &mut Wave, i: &Instr) {
    if i.class == Class::LdsLane {
        return crossbar(t, w, i);
    }
    let halves = if i.passes == Passes::One {
        1
    } else {
        w.lanes() as usize / LANES
    };
    let mut k = 0;
    for spec in i.op.row().operands {
        if matches!(spec.kind, Operand::Imm(_)) || spec.is_dst() && spec.field != Field::Src0 {
            continue;
        }
        let src = i.src[k.min(3)];
        k += 1;
        let data = matches!(spec.field, Field::Data0 | Field::Data1 | Field::Vdata);
        match src {
            Src::S(r) if !data => scalar_address(t, r.into(), spec.ty.regs().max(1) as usize, spec.field),
            Src::V(r) if !data => vector_use(t, w, halves, r.into(), address_regs(i, spec.field), "an address"),
            Src::V(r) if i.class == Class::VmemAtomic => {
                vector_use(t, w, halves, r.into(), i.data_regs as usize, "an operand of an atomic");
            }
            _ => {}
        }
    }
    // Buffer atomics have their operands where the old value goes.
    if let (Class::VmemAtomic, Dst::V(r), Opcode::Mubuf(_)) = (i.class, i.dst[0], i.op) {
        vector_use(t, w, halves, r.into(), i.data_regs as usize, "an operand of an atomic");
    }
    if i.flags.has(Flags::R_M0) && t.s[crate::wave::M0] != 0 {
        let m0 = crate::wave::M0;
        t.report("an address", Some(Name::s(m0)), None, t.s_born[m0]);
    }
    land_clean(t, w, i, halves);
}

/// Registers of the address of a vector access.
fn address_regs(i: &Instr, field: Field) -> usize {
    match (i.op, field) {
        (Opcode::Mubuf(_) | Opcode::Mtbuf(_), _) => usize::from(i.mods.idxen) + usize::from(i.mods.offen),
        (Opcode::Flat(_), _) if i.flags.has(Flags::FLAT) => 2,
        (Opcode::Flat(_), _) if i.flags.has(Flags::GLOBAL) => {
            let load = i.class == Class::VmemLoad;
            1 + usize::from(i.src[if load { 1 } else { 2 }] == Src::None)
        }
        _ => 1,
    }
}

fn scalar_address(t: &mut Taint, r: usize, n: usize, field: Field) {
    let what = match field {
        Field::Srsrc => "a buffer descriptor",
        _ => "an address",
    };
    if let Some(k) = (r..r + n).map(|k| k & 127).find(|&k| t.s[k] != 0) {
        t.report(what, Some(Name::s(k)), None, t.s_born[k]);
    }
}

/// Reports the first active lane in which a register is undefined.
fn vector_use(t: &mut Taint, w: &Wave, halves: usize, r: usize, n: usize, what: &'static str) {
    for half in 0..halves {
        if let Some((l, k, born)) = t.first(half, r, n, exec(w, half)) {
            return t.report(what, Some(Name::v(k)), Some(l + LANES * half), born);
        }
    }
}

fn exec(w: &Wave, half: usize) -> u32 {
    w.sgpr[crate::wave::EXEC + half]
}

/// What the instruction loads into is defined.
fn land_clean(t: &mut Taint, w: &Wave, i: &Instr, halves: usize) {
    for r in super::members(i.vwrite) {
        for half in 0..halves {
            let mask = exec(w, half);
            if !i.flags.has(Flags::D16) {
                t.clean_lanes(half, r, mask);
                continue;
            }
            let name = i.op.row().name;
            let field = match (name.contains("format"), name.contains("_hi")) {
                (true, false) => u32::MAX,
                (_, true) => 0xffff_0000,
                (_, false) => 0xffff,
            };
            lanes_of(mask).for_each(|l| t.set_lane(half, r, l, field, 0, Born::NONE));
        }
    }
    if let (true, Dst::V(d)) = (i.mods.tfe, i.dst[0]) {
        for half in 0..halves {
            t.clean_lanes(half, usize::from(d) + i.data_regs as usize, exec(w, half));
        }
    }
    for r in (0..128).filter(|r| i.swrite[r / 64] >> (r % 64) & 1 == 1) {
        t.clean_s(r);
    }
}

/// `ds_swizzle`, `ds_permute`, `ds_bpermute`: values move between lanes of one pass; a lane that is off gives 0.
fn crossbar(t: &mut Taint, w: &mut Wave, i: &Instr) {
    let reg = |s: Src| match s {
        Src::V(r) => usize::from(r),
        _ => 0,
    };
    let (a, offset) = (reg(i.src[0]), i.mods.offset as u32);
    let Dst::V(d) = i.dst[0] else { return };
    for half in 0..w.lanes() as usize / LANES {
        let on = exec(w, half);
        w.set_half(half);
        let addr: Row = *w.v(a);
        let aim = |l: usize| (addr[l].wrapping_add(offset) / 4 % 32) as usize;
        let mut new = [(0, Born::NONE); LANES];
        for l in lanes_of(on) {
            let unknown = t.lane(half, a, l);
            let aimed = unknown.0 & 0x7c;
            match i.op {
                Opcode::Ds(Ds::ds_swizzle_b32) => {
                    let from = swizzle(offset, l);
                    if on >> from & 1 == 1 {
                        new[l] = t.lane(half, a, from);
                    }
                }
                _ if aimed != 0 => new[l] = (u32::MAX, unknown.1),
                Opcode::Ds(Ds::ds_permute_b32) => new[aim(l)] = t.lane(half, reg(i.src[1]), l),
                _ => {
                    if on >> aim(l) & 1 == 1 {
                        new[l] = t.lane(half, reg(i.src[1]), aim(l));
                    }
                }
            }
        }
        for l in lanes_of(on) {
            t.set_lane(half, d.into(), l, u32::MAX, new[l].0, new[l].1);
        }
    }
    w.set_half(0);
}

impl Taint {
    /// An access of the LDS, or of private memory.
    pub fn local(&mut self, w: &Wave, touch: &Touch, lds: &mut Bytes) {
        if touch.space == Space::Shared {
            return self.access(w, touch, lds, |_| 0);
        }
        let (stride, first) = (self.stride, LANES as u64 * w.half() as u64);
        let mut private = std::mem::take(&mut self.private);
        if private.known.is_empty() {
            private = Bytes::new((stride * u64::from(w.lanes())) as usize);
        }
        self.access(w, touch, &mut private, |l| (first + l as u64) * stride);
        self.private = private;
    }

    fn access(&mut self, w: &Wave, touch: &Touch, bytes: &mut Bytes, base: impl Fn(usize) -> u64) {
        let half = w.half();
        let dirty = match touch.data {
            Some((r, _)) => self.lanes_of(half, r, (touch.bytes as usize).div_ceil(4).max(1), touch.lanes),
            None => 0,
        };
        let stride = self.stride;
        let inside = |at: u64| touch.space == Space::Shared || at.saturating_add(touch.bytes.into()) <= stride;
        for l in lanes_of(touch.lanes).filter(|&l| inside(touch.at[l])) {
            let at = base(l) + touch.at[l];
            let fresh = || Born::load(touch.instr.index, touch.space, touch.at[l]);
            match touch.kind {
                Kind::Load => {
                    let (bits, born) = bytes.load(at, touch.bytes, fresh);
                    self.land(half, touch, l, bits, born);
                }
                Kind::Store if dirty >> l & 1 == 0 => bytes.define(at, touch.bytes),
                Kind::Store => {
                    let (bits, born) = self.stored(half, touch, l);
                    bytes.store(at, touch.bytes, bits, born);
                }
                Kind::Atomic => {
                    let (old, born) = bytes.load(at, touch.bytes, fresh);
                    let (new, from) = self.operand(half, touch, l);
                    let kept = if exchanges(touch.instr) { 0 } else { old };
                    let all = if kept | new == 0 { 0 } else { low(8 * touch.bytes) };
                    bytes.store(at, touch.bytes, all, if new != 0 { from } else { born });
                    self.land(half, touch, l, old, born);
                }
            }
        }
    }

    /// An access of global memory.
    pub fn global(&mut self, w: &Wave, touch: &Touch, memory: &Undefined) {
        let half = w.half();
        let mut dirty = 0;
        if let (Kind::Store, Some((r, _))) = (touch.kind, touch.data) {
            dirty = self.lanes_of(half, r, (touch.bytes as usize).div_ceil(4).max(1), touch.lanes);
        }
        for l in lanes_of(dirty) {
            let (bits, _) = self.stored(half, touch, l);
            if bits == 0 {
                dirty &= !(1 << l);
            } else if let Some((reg, born)) = self.no_padding(half, touch, l, bits) {
                self.report(
                    "data for global memory",
                    Some(Name::v(reg)),
                    Some(l + LANES * half),
                    born,
                );
            }
        }
        if memory.is_empty() {
            return;
        }
        match touch.kind {
            Kind::Store => {
                memory.written(touch, touch.lanes & !dirty);
                for l in lanes_of(dirty) {
                    let (bits, _) = self.stored(half, touch, l);
                    for k in 0..touch.bytes {
                        // In doubt defined: of a byte with bit fields some bits may be.
                        memory.mark(touch.at[l] + u64::from(k), bits >> (8 * k) & 0xff != 0xff);
                    }
                }
            }
            Kind::Load => {
                if !memory.all_written(touch) {
                    for l in lanes_of(touch.lanes) {
                        self.fetch(half, touch, l, memory);
                    }
                }
            }
            Kind::Atomic => {
                if !memory.all_written(touch) {
                    self.atomic(half, touch, memory);
                }
            }
        }
    }

    /// A load that reaches `padding` in the kernel's arguments or what lies behind them, from within or through their address
    /// (`through`): nobody has written that.
    pub fn arguments(&mut self, w: &Wave, touch: &Touch, (args, padding): (&Range<u64>, &[Range<u64>]), through: bool) {
        let half = w.half();
        let reaches = |&l: &usize| args.contains(&touch.at[l]) || through && touch.at[l] >= args.end;
        for l in lanes_of(touch.lanes).filter(reaches) {
            let first = touch.at[l];
            let end = first.saturating_add(touch.bytes.into());
            for hole in padding.iter().cloned().chain(std::iter::once(args.end..u64::MAX)) {
                let mut from = hole.start.max(first);
                while from < end.min(hole.end) {
                    let at = (from - first) as u32;
                    // What is left of the dword of the register, of the hole, and of the load.
                    let len = (4 - u64::from(at % 4)).min(end.min(hole.end) - from) as u32;
                    let born = Born::load(touch.instr.index, Space::Global, from);
                    self.land_part(half, touch, l, at & !3, low(8 * len) << (8 * (at & 3)), born);
                    from += u64::from(len);
                }
            }
        }
    }

    /// A lane's load. A scalar one is as long as sixteen dwords.
    fn fetch(&mut self, half: usize, touch: &Touch, l: usize, memory: &Undefined) {
        let mut from = 0;
        while from < touch.bytes {
            let len = (touch.bytes - from).min(4);
            let at = touch.at[l] + u64::from(from);
            let bits = memory.bits(at, len);
            if bits != 0 {
                let first = at + u64::from(bits.trailing_zeros() / 8);
                let born = Born::load(touch.instr.index, Space::Global, first);
                self.land_part(half, touch, l, from, u128::from(bits), born);
            }
            from += len;
        }
    }

    fn atomic(&mut self, half: usize, touch: &Touch, memory: &Undefined) {
        for l in lanes_of(touch.lanes) {
            let old = (0..touch.bytes).find(|&k| memory.bits(touch.at[l] + u64::from(k), 1) != 0);
            let Some(k) = old else { continue };
            let born = Born::load(touch.instr.index, Space::Global, touch.at[l] + u64::from(k));
            if exchanges(touch.instr) {
                self.fetch(half, touch, l, memory);
            } else {
                let what = "an atomic works on memory that was never written,";
                self.report(what, None, Some(l + LANES * half), born);
            }
        }
        memory.written(touch, touch.lanes);
    }

    /// Undefined bits of what a lane stores.
    fn stored(&self, half: usize, touch: &Touch, l: usize) -> (u128, Born) {
        let Some((r, shift)) = touch.data else {
            return (0, Born::NONE);
        };
        let (mut bits, mut born) = (0, Born::NONE);
        for k in (0..(touch.bytes as usize).div_ceil(4).max(1)).rev() {
            let (b, from) = self.lane(half, r + k, l);
            bits |= u128::from(b) << (32 * k);
            if b != 0 {
                born = from;
            }
        }
        (bits >> shift & low(8 * touch.bytes), born)
    }

    /// The first register of a store whose undefined bits are no padding of a structure that is copied, and where they come
    /// from. Padding: some bits of the access are defined (there are bit fields), the others were loaded and only moved.
    fn no_padding(&self, half: usize, touch: &Touch, l: usize, bits: u128) -> Option<(usize, Born)> {
        let (r, shift) = touch.data?;
        let all = bits == low(8 * touch.bytes);
        let fine = |born: Born| !all && born.is_moved() && (born.is_private() || !self.strict);
        let registers = 0..(touch.bytes as usize).div_ceil(4).max(1);
        let dirty = registers.filter(|k| bits << shift >> (32 * k) & u128::from(u32::MAX) != 0);
        let mut born = dirty.map(|k| (r + k, self.lane(half, r + k, l).1));
        born.find(|(_, born)| !fine(*born))
    }

    /// Undefined bits of the operands of a lane's atomic on the LDS.
    fn operand(&self, half: usize, touch: &Touch, l: usize) -> (u128, Born) {
        let n = (touch.bytes as usize).div_ceil(4);
        let all = touch.instr.src.iter().skip(1).filter_map(|s| match s {
            Src::V(r) => self.first(half, usize::from(*r), n, 1 << l),
            _ => None,
        });
        all.map(|(_, _, born)| (1, born)).next().unwrap_or((0, Born::NONE))
    }

    fn land(&mut self, half: usize, touch: &Touch, l: usize, bits: u128, born: Born) {
        if bits != 0 {
            self.land_part(half, touch, l, 0, bits, born);
        }
    }

    /// Undefined bits arrive in a register; those of bytes from `from` on of the access.
    fn land_part(&mut self, half: usize, touch: &Touch, l: usize, from: u32, bits: u128, born: Born) {
        match touch.landing {
            Landing::None => {}
            Landing::Scalar(r) => {
                for k in 0..4usize {
                    let word = (bits >> (32 * k)) as u32;
                    if word != 0 {
                        let r = r + from as usize / 4 + k;
                        // With what else of it is undefined: a dword of the arguments may have several holes.
                        self.set_s(r, word | self.s[r & 127], born);
                    }
                }
            }
            Landing::All { reg, count } => {
                (reg..reg + count).for_each(|r| self.set_lane(half, r, l, u32::MAX, u32::MAX, born));
            }
            Landing::Vector { reg, shift, narrow } => {
                let (mut bits, mut born) = (bits, born);
                if let Some((width, true)) = narrow {
                    born = born.computed();
                    let extended = sign(bits as u64, 8 * touch.bytes) as u64 & ones(width);
                    bits = extended.into();
                }
                let first = reg + from as usize / 4;
                for k in 0..4usize {
                    let word = (bits << shift >> (32 * k)) as u32;
                    // Only the bits that arrive: the rest is another load's, or defined already.
                    if word != 0 {
                        self.set_lane(half, first + k, l, word, word, born);
                    }
                }
            }
        }
    }
}

/// Whether an atomic's result does not depend on the old value.
fn exchanges(i: &Instr) -> bool {
    let name = i.op.row().name;
    (name.contains("swap") && !name.contains("cmpswap")) || name.contains("storexchg")
}

/// The lowest `n` bits.
fn low(n: u32) -> u128 {
    if n >= 128 {
        u128::MAX
    } else {
        (1 << n) - 1
    }
}
