//! What the operations do to a wave: scalars, vectors, memory, LDS and wave collectives.

use super::memory::{bits_of, Access};
use super::wave::{lanes, poison, poison_of, Group, Lanes, Val, Wave, LANES};
use super::InterpError;
use crate::eval::{eval, mask, rmw, Const};
use crate::func::{Op, Value};
use crate::op::{LdsId, OpKind, Rmw, CHUNK_OUTSIDE, LDS_OUTSIDE};
use crate::ty::{Scalar, Ty};

type Done = Result<(), InterpError>;

impl<'f> Group<'f, '_> {
    /// Executes an operation that is not control for the lanes of a mask.
    pub(super) fn execute(&mut self, w: &mut Wave<'f>, op: &'f Op, m: u32) -> Done {
        match op.kind {
            OpKind::Select => self.select(w, op, m),
            OpKind::Bitcast => self.bitcast(w, op, m),
            OpKind::VecBuild => {
                let elems = op.args.iter().map(|&a| *w.lanes(a)).collect();
                w.set(op.results[0], Val::Elems(elems));
            }
            OpKind::VecGet { index } => {
                let e = w.elems(op.args[0])[index as usize];
                self.give(w, op, m, |l| e[l]);
            }
            OpKind::GroupId { axis } => {
                let n = u64::from(self.id[axis as usize]);
                self.give(w, op, m, |_| n);
            }
            OpKind::GroupCount { axis } => {
                let n = u64::from(self.count[axis as usize]);
                self.give(w, op, m, |_| n);
            }
            OpKind::LocalId => {
                let first = u64::from(w.index) * LANES as u64;
                self.give(w, op, m, |l| first + l as u64);
            }
            OpKind::LaneId => self.give(w, op, m, |l| l as u64),
            OpKind::WaveId => {
                let n = u64::from(w.index);
                self.give(w, op, m, |_| n);
            }
            OpKind::BufferLen => {
                let view = *w.view(op.args[0]);
                self.give(w, op, m, |l| u64::from(view[l].1));
            }
            OpKind::View => self.view(w, op, m),
            OpKind::Load | OpKind::AtomicLoad { .. } => return self.load(w, op, m),
            OpKind::LoadChunk { base } => return self.load_chunk(w, op, m, base),
            OpKind::Fence { .. } => {}
            OpKind::Store => return self.store(w, op, m),
            OpKind::Atomic { op: how, .. } => return self.atomic(w, op, how, m),
            OpKind::LdsLoad { lds, base, .. } | OpKind::LdsFragLoad { lds, base, .. } => {
                return self.lds_load(w, op, lds, base, Access::Read, m)
            }
            OpKind::LdsAtomicLoad { lds, base } => return self.lds_load(w, op, lds, base, Access::Atomic, m),
            OpKind::LdsStore { lds, base, .. } => return self.lds_store(w, op, lds, base, m),
            OpKind::LdsAtomic { lds, base, op: how } => return self.lds_atomic(w, op, lds, base, how, m),
            OpKind::WaveReduce { .. }
            | OpKind::WaveScan { .. }
            | OpKind::WaveShuffle
            | OpKind::WaveBroadcast
            | OpKind::WaveShuffleXor { .. }
            | OpKind::WaveBallot => self.collective(w, op),
            OpKind::WavePerm { mask } => return Self::wave_perm(w, op, mask),
            OpKind::FragSplat => {
                let x = *w.lanes(op.args[0]);
                let n = poison_of(self.func.ty(op.results[0])).len();
                w.set(op.results[0], Val::Elems(vec![x; n]));
            }
            OpKind::Wmma => return self.wmma(w, op),
            OpKind::TileLoad { .. } | OpKind::TileFetch { .. } => return self.tile_load(w, op),
            OpKind::TileCommit { lds, .. } => return self.tile_commit(w, op, lds),
            OpKind::TileAt { lds, .. } => {
                let at = w.lanes(op.args[0])[0] as u32;
                w.set(op.results[0], Val::TileAt(lds, at));
            }
            OpKind::TileFrag => return self.tile_frag(w, op),
            OpKind::TileStore => return self.tile_store(w, op),
            _ => return self.scalar(w, op, m),
        }
        Ok(())
    }

    pub(super) fn unsupported(op: &Op, what: &'static str) -> InterpError {
        InterpError::Unsupported {
            op: op.kind.row().name,
            span: op.span,
            what,
        }
    }

    /// Sets the single scalar result in the lanes of a mask.
    fn give(&self, w: &mut Wave<'f>, op: &Op, m: u32, value: impl Fn(usize) -> u64) {
        let mut out = poison(self.func.ty(op.results[0]).elem());
        lanes(m).for_each(|l| out[l] = value(l));
        w.set(op.results[0], Val::Elems(vec![out]));
    }

    fn scalar(&self, w: &mut Wave<'f>, op: &Op, m: u32) -> Done {
        let result = self.func.ty(op.results[0]);
        let mut out = poison(result.elem());
        let tys: Vec<Scalar> = op.args.iter().map(|&a| self.func.ty(a).elem()).collect();
        let ins: Vec<&Lanes> = op.args.iter().map(|&a| w.lanes(a)).collect();
        let mut args = [Const::zero(Scalar::Bool); 3];
        for l in lanes(m) {
            for (i, (ty, lanes)) in tys.iter().zip(&ins).enumerate() {
                args[i] = Const::new(*ty, lanes[l]);
            }
            match eval(&op.kind, &args[..ins.len()], result) {
                Some(c) => out[l] = c.bits,
                None => return Err(Self::unsupported(op, "it has no meaning on these types")),
            }
        }
        w.set(op.results[0], Val::Elems(vec![out]));
        Ok(())
    }

    fn select(&self, w: &mut Wave<'f>, op: &Op, m: u32) {
        let c = *w.lanes(op.args[0]);
        let picked = match (w.val(op.args[1]), w.val(op.args[2])) {
            (Val::Elems(a), Val::Elems(b)) => {
                let mut out = poison_of(self.func.ty(op.results[0]));
                for (o, (x, y)) in out.iter_mut().zip(a.iter().zip(b)) {
                    lanes(m).for_each(|l| o[l] = if c[l] != 0 { x[l] } else { y[l] });
                }
                Val::Elems(out)
            }
            (Val::View(a), Val::View(b)) => {
                let mut out = a.clone();
                lanes(m).filter(|&l| c[l] == 0).for_each(|l| out[l] = b[l]);
                Val::View(out)
            }
            // Tiles are the same for the group, and so must the condition be.
            (a, b) => if c[0] != 0 { a } else { b }.clone(),
        };
        w.set(op.results[0], picked);
    }

    fn bitcast(&self, w: &mut Wave<'f>, op: &Op, m: u32) {
        let (from, to) = (self.func.ty(op.args[0]), self.func.ty(op.results[0]));
        let (a, b) = (from.elem().bytes() as usize, to.elem().bytes() as usize);
        let ins = w.elems(op.args[0]);
        let mut out = poison_of(to);
        for l in lanes(m) {
            let bytes: Vec<u8> = ins.iter().flat_map(|e| e[l].to_le_bytes()[..a].to_vec()).collect();
            for (o, chunk) in out.iter_mut().zip(bytes.chunks(b)) {
                o[l] = bits_of(chunk);
            }
        }
        w.set(op.results[0], Val::Elems(out));
    }

    fn view(&self, w: &mut Wave<'f>, op: &Op, m: u32) {
        let size = u64::from(self.func.ty(op.args[0]).elem().bytes());
        let mut out = Box::new(*w.view(op.args[0]));
        let (offset, len) = (w.lanes(op.args[1]), w.lanes(op.args[2]));
        for l in lanes(m) {
            let at = out[l].0.wrapping_add(offset[l].wrapping_mul(size));
            out[l] = (at, len[l] as u32);
        }
        w.set(op.results[0], Val::View(out));
    }

    /// Address of an element of a lane's view, unless it is past the end.
    pub(super) fn element(view: (u64, u32), index: u64, size: u32) -> Option<u64> {
        (index < u64::from(view.1)).then(|| view.0.wrapping_add(index * u64::from(size)))
    }

    pub(super) fn read(&self, op: &Op, address: u64, s: Scalar) -> Result<u64, InterpError> {
        let bytes = u64::from(s.bytes());
        match self.memory.read(address, bytes) {
            Some(b) => Ok(from_memory(s, b)),
            None => Err(InterpError::Address {
                op: op.kind.row().name,
                span: op.span,
                address,
                bytes,
            }),
        }
    }

    pub(super) fn write(&mut self, op: &Op, address: u64, s: Scalar, bits: u64) -> Done {
        let n = s.bytes() as usize;
        match self.memory.write(address, n as u64) {
            Some(b) => {
                b.copy_from_slice(&bits.to_le_bytes()[..n]);
                Ok(())
            }
            None => Err(InterpError::Address {
                op: op.kind.row().name,
                span: op.span,
                address,
                bytes: n as u64,
            }),
        }
    }

    fn load(&self, w: &mut Wave<'f>, op: &Op, m: u32) -> Done {
        let ty = self.func.ty(op.results[0]);
        let s = ty.elem();
        let mut out = poison_of(ty);
        let (view, index) = (w.view(op.args[0]), w.lanes(op.args[1]));
        for l in lanes(m) {
            for (e, o) in out.iter_mut().enumerate() {
                o[l] = match Self::element(view[l], index[l] + e as u64, s.bytes()) {
                    Some(at) => self.read(op, at, s)?,
                    None => 0,
                };
            }
        }
        w.set(op.results[0], Val::Elems(out));
        Ok(())
    }

    fn load_chunk(&self, w: &mut Wave<'f>, op: &Op, m: u32, base: u32) -> Done {
        let ty = self.func.ty(op.results[0]);
        let (s, mut out) = (ty.elem(), poison_of(ty));
        let (view, lane, wave) = (w.view(op.args[0]), w.lanes(op.args[1]), w.lanes(op.args[2]));
        let size = u64::from(s.bytes());
        for l in lanes(m) {
            let outside = lane[l] >= u64::from(CHUNK_OUTSIDE);
            let at = lane[l] + wave[l] + u64::from(base);
            let end = at + size * out.len() as u64;
            if !outside && (at % 4 != 0 || end > u64::from(view[l].1) * size) {
                return Err(Self::unsupported(op, "it is no chunk of its view"));
            }
            for (e, o) in out.iter_mut().enumerate() {
                o[l] = match outside {
                    true => 0,
                    false => self.read(op, view[l].0.wrapping_add(at + size * e as u64), s)?,
                };
            }
        }
        w.set(op.results[0], Val::Elems(out));
        Ok(())
    }

    fn store(&mut self, w: &Wave<'f>, op: &Op, m: u32) -> Done {
        let s = self.func.ty(op.args[2]).elem();
        let (view, index) = (w.view(op.args[0]), w.lanes(op.args[1]));
        for l in lanes(m) {
            for (e, x) in w.elems(op.args[2]).iter().enumerate() {
                if let Some(at) = Self::element(view[l], index[l] + e as u64, s.bytes()) {
                    self.write(op, at, s, x[l])?;
                }
            }
        }
        Ok(())
    }

    fn atomic(&mut self, w: &mut Wave<'f>, op: &Op, how: Rmw, m: u32) -> Done {
        let s = self.func.ty(op.args[2]).elem();
        let mut out = poison(s);
        for l in lanes(m) {
            let view = w.view(op.args[0])[l];
            let index = w.lanes(op.args[1])[l];
            out[l] = 0;
            if let Some(at) = Self::element(view, index, s.bytes()) {
                let old = Const::new(s, self.read(op, at, s)?);
                let new = rmw(how, old, Const::new(s, w.lanes(op.args[2])[l]));
                let new = new.ok_or_else(|| Self::unsupported(op, "the type has no such atomic"))?;
                self.write(op, at, s, new.bits)?;
                out[l] = old.bits;
            }
        }
        w.set(op.results[0], Val::Elems(vec![out]));
        Ok(())
    }

    /// Byte of the group's LDS that a lane's access starts at, checked and noted.
    fn lds_at(
        &mut self,
        w: &Wave<'f>,
        op: &Op,
        lds: LdsId,
        offset: u64,
        bytes: u32,
        access: Access,
    ) -> Result<usize, InterpError> {
        let alloc = &self.func.lds[lds.0 as usize];
        if offset + u64::from(bytes) > u64::from(alloc.bytes) {
            return Err(InterpError::Lds {
                op: op.kind.row().name,
                span: op.span,
                name: alloc.name.clone(),
                offset,
                bytes: u64::from(bytes),
            });
        }
        let at = self.func.lds_offset(lds) as usize + offset as usize;
        if self.check_races {
            self.lds
                .touch(w.index, at, bytes as usize, access)
                .map_err(|(other, byte)| InterpError::Race {
                    op: op.kind.row().name,
                    span: op.span,
                    wave: w.index,
                    other,
                    byte,
                })?;
        }
        Ok(at)
    }

    fn lds_load(&mut self, w: &mut Wave<'f>, op: &Op, lds: LdsId, base: u32, access: Access, m: u32) -> Done {
        let ty = self.func.ty(op.results[0]);
        let (s, size) = (ty.elem(), ty.elem().bytes());
        let mut out = poison_of(ty);
        // A fragment may come in two parts.
        let part = out.len() / op.args.len();
        for (&offset, out) in op.args.iter().zip(out.chunks_mut(part)) {
            for l in lanes(m) {
                let offset = w.lanes(offset)[l] + u64::from(base);
                if offset >= u64::from(LDS_OUTSIDE) {
                    out.iter_mut().for_each(|o| o[l] = 0);
                    continue;
                }
                let at = self.lds_at(w, op, lds, offset, size * part as u32, access)?;
                for (e, o) in out.iter_mut().enumerate() {
                    let at = at + e * size as usize;
                    o[l] = from_memory(s, &self.lds.bytes[at..at + size as usize]);
                }
            }
        }
        w.set(op.results[0], Val::Elems(out));
        Ok(())
    }

    fn lds_store(&mut self, w: &Wave<'f>, op: &Op, lds: LdsId, base: u32, m: u32) -> Done {
        let elems = w.elems(op.args[1]);
        let size = self.func.ty(op.args[1]).elem().bytes() as usize;
        for l in lanes(m) {
            let offset = w.lanes(op.args[0])[l] + u64::from(base);
            if offset >= u64::from(LDS_OUTSIDE) {
                continue;
            }
            let at = self.lds_at(w, op, lds, offset, (size * elems.len()) as u32, Access::Write)?;
            for (e, x) in elems.iter().enumerate() {
                let at = at + e * size;
                self.lds.bytes[at..at + size].copy_from_slice(&x[l].to_le_bytes()[..size]);
            }
        }
        Ok(())
    }

    fn lds_atomic(&mut self, w: &mut Wave<'f>, op: &Op, lds: LdsId, base: u32, how: Rmw, m: u32) -> Done {
        let s = self.func.ty(op.args[1]).elem();
        let size = s.bytes() as usize;
        let mut out = poison(s);
        for l in lanes(m) {
            let offset = w.lanes(op.args[0])[l] + u64::from(base);
            if offset >= u64::from(LDS_OUTSIDE) {
                out[l] = 0;
                continue;
            }
            let at = self.lds_at(w, op, lds, offset, size as u32, Access::Atomic)?;
            let old = Const::new(s, from_memory(s, &self.lds.bytes[at..at + size]));
            let new = rmw(how, old, Const::new(s, w.lanes(op.args[1])[l]));
            let new = new.ok_or_else(|| Self::unsupported(op, "the type has no such atomic"))?;
            self.lds.bytes[at..at + size].copy_from_slice(&new.bits.to_le_bytes()[..size]);
            out[l] = old.bits;
        }
        w.set(op.results[0], Val::Elems(vec![out]));
        Ok(())
    }

    fn collective(&self, w: &mut Wave<'f>, op: &Op) {
        let x = *w.lanes(op.args[0]);
        let s = self.func.ty(op.args[0]).elem();
        let out: Lanes = match op.kind {
            OpKind::WaveReduce { op: how } => [1, 2, 4, 8, 16]
                .iter()
                .fold(x, |v, d| std::array::from_fn(|l| combine(how, s, v[l], v[l ^ d]))),
            OpKind::WaveScan { op: how } => [1, 2, 4, 8, 16].iter().fold(x, |v, &d| {
                std::array::from_fn(|l| if l < d { v[l] } else { combine(how, s, v[l - d], v[l]) })
            }),
            OpKind::WaveShuffleXor { mask } => std::array::from_fn(|l| x[l ^ mask as usize]),
            OpKind::WaveBallot => {
                let bits = lanes(u32::MAX).filter(|&l| x[l] != 0).fold(0u64, |b, l| b | 1 << l);
                [bits; LANES]
            }
            _ => {
                let from: &Lanes = w.lanes(op.args[1]);
                std::array::from_fn(|l| x[from[l] as usize % LANES])
            }
        };
        w.set(op.results[0], Val::Elems(vec![out]));
    }

    fn wave_perm(w: &mut Wave<'f>, op: &Op, mask: u32) -> Done {
        let (x, pick) = (*w.lanes(op.args[0]), *w.lanes(op.args[1]));
        let mut out: Lanes = [0; LANES];
        for l in 0..LANES {
            let bytes = x[l ^ mask as usize] << 32 | x[l];
            for i in 0..4 {
                let n = pick[l] >> (8 * i) & 0xff;
                if n > 7 {
                    return Err(Self::unsupported(op, "it picks a byte beyond the 8 there are"));
                }
                out[l] |= (bytes >> (8 * n) & 0xff) << (8 * i);
            }
        }
        w.set(op.results[0], Val::Elems(vec![out]));
        Ok(())
    }

    /// A value of a scalar operand that is the same in all lanes.
    pub(super) fn uniform(w: &Wave<'f>, v: Value) -> u32 {
        w.lanes(v)[0] as u32
    }

    pub(super) fn ty(&self, v: Value) -> Ty {
        self.func.ty(v)
    }
}

/// Two elements combined; the verifier has seen to it that the type has the operation.
fn combine(how: Rmw, s: Scalar, a: u64, b: u64) -> u64 {
    match rmw(how, Const::new(s, a), Const::new(s, b)) {
        Some(c) => c.bits,
        None => panic!("interp: no {how:?} on {s}"),
    }
}

fn from_memory(s: Scalar, bytes: &[u8]) -> u64 {
    let bits = bits_of(bytes);
    if s == Scalar::Bool {
        u64::from(bits != 0)
    } else {
        bits & mask(s)
    }
}
