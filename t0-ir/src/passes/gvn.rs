//! Computes equal expressions once: global value numbering over the dominator tree.
//!
//! Two pure operations with the same attributes, operands and result type have the same result. The first one stands for
//! the second where it dominates it: in the same region before it, or in a region around it. One hash table holds the
//! operations that dominate the current place; what a region entered is taken out at its end. Operands that may change
//! places, and the sides of a comparison, are put in order first.
//!
//! Collectives may be merged too, since all lanes that reach the second reach the first, and so may the fragments read from a
//! tile. A check of what an earlier one found true goes.
//!
//! A load equals an earlier one of the same place if nothing in between may have changed the memory. That is known by
//! number: memory is divided into global memory that is written and the LDS allocations, each has an epoch, and whatever
//! may change it begins a new one: a store or an atomic in that part, a barrier or a fence everywhere, and the beginning and
//! end of a loop, or of an `if`, in which there is something of the kind. Between such points no other wave may write the
//! place either, or there would be a race. What nobody writes during the launch has no epochs.
//!
//! The function is changed in place: operations are only taken out of their regions, and operands renamed.

use std::hash::{Hash, Hasher};

use crate::analysis::uniform::param_access;
use crate::diag::Diags;
use crate::func::{Access, Func, OpId, Region, Value};
use crate::op::{Effect, LdsId, OpKind};

/// Merges equal expressions.
///
/// # Errors
/// None.
pub fn run(func: &mut Func) -> Result<(), Diags> {
    let read_only = read_only(func);
    let mut body = std::mem::take(&mut func.body);
    let mut pass = Gvn {
        map: (0..func.values.len() as u32).map(Value).collect(),
        read_only,
        changes: vec![0; func.ops.len()],
        table: Table::new(func.ops.len()),
        memory: Memory::default(),
        func,
    };
    pass.note_changes(&body);
    pass.operations(&mut body.ops);
    func.body = body;
    Ok(())
}

struct Gvn<'a> {
    func: &'a mut Func,
    /// The value that stands for each value.
    map: Vec<Value>,
    /// Views of what nobody writes.
    read_only: Vec<bool>,
    /// Parts of memory that an operation, or what is in its regions, may change.
    changes: Vec<Parts>,
    table: Table,
    memory: Memory,
}

/// A set of parts of memory, one bit each: [`GLOBAL`], then the LDS allocations; the last bit is all those that have none.
type Parts = u64;

const GLOBAL: Parts = 1;
const ALL: Parts = Parts::MAX;

fn lds(id: LdsId) -> Parts {
    2 << id.0.min(62)
}

/// The current epoch of each part of memory.
struct Memory {
    epochs: [u32; 64],
    last: u32,
}

impl Default for Memory {
    fn default() -> Memory {
        Memory {
            epochs: [1; 64],
            last: 1,
        }
    }
}

impl Memory {
    fn epoch(&self, part: Parts) -> u32 {
        self.epochs[part.trailing_zeros() as usize]
    }

    /// Begins a new epoch in parts of memory.
    fn change(&mut self, parts: Parts) {
        if parts == 0 {
            return;
        }
        self.last += 1;
        for (i, epoch) in self.epochs.iter_mut().enumerate() {
            if parts >> i & 1 != 0 {
                *epoch = self.last;
            }
        }
    }
}

/// What makes two operations equal, together with their types: kind, epoch and operands in an order of their own.
struct Key {
    kind: OpKind,
    epoch: u32,
    /// The operands of a commutative operation or comparison; others keep theirs.
    pair: Option<[Value; 2]>,
}

/// An operation in the table.
struct Entry {
    op: OpId,
    hash: u32,
    epoch: u32,
    /// The entry before it in its bucket.
    next: u32,
}

/// Operations that dominate the current place, by hash.
struct Table {
    buckets: Vec<u32>,
    entries: Vec<Entry>,
}

const NONE: u32 = u32::MAX;

impl Table {
    fn new(ops: usize) -> Table {
        Table {
            buckets: vec![NONE; ops.next_power_of_two().max(16)],
            entries: Vec::new(),
        }
    }

    fn bucket(&mut self, hash: u32) -> &mut u32 {
        let mask = self.buckets.len() - 1;
        &mut self.buckets[hash as usize & mask]
    }

    fn insert(&mut self, op: OpId, hash: u32, epoch: u32) {
        let at = self.entries.len() as u32;
        let next = std::mem::replace(self.bucket(hash), at);
        self.entries.push(Entry { op, hash, epoch, next });
    }

    /// Takes out what came after the first `keep` entries.
    fn leave(&mut self, keep: usize) {
        while self.entries.len() > keep {
            if let Some(e) = self.entries.pop() {
                *self.bucket(e.hash) = e.next;
            }
        }
    }
}

impl Gvn<'_> {
    fn note_changes(&mut self, region: &Region) -> Parts {
        let mut all = 0;
        for &id in &region.ops {
            let regions = std::mem::take(&mut self.func.op_mut(id).regions);
            let inner = regions.iter().fold(0, |parts, r| parts | self.note_changes(r));
            self.func.op_mut(id).regions = regions;
            let parts = inner | changes(&self.func.op(id).kind);
            self.changes[id.0 as usize] = parts;
            all |= parts;
        }
        all
    }

    fn operations(&mut self, ops: &mut Vec<OpId>) {
        ops.retain(|&id| self.op(id));
    }

    /// Visits an operation; does it stay?
    fn op(&mut self, id: OpId) -> bool {
        let op = self.func.op_mut(id);
        for a in &mut op.args {
            *a = self.map[a.0 as usize];
        }
        if !op.regions.is_empty() {
            self.regions(id);
            return true;
        }
        let Some(key) = self.key(id) else {
            self.memory.change(self.changes[id.0 as usize]);
            return true;
        };
        let hash = self.hash(id, &key);
        if let Some(first) = self.find(id, &key, hash) {
            if let [result] = self.func.op(id).results[..] {
                self.replace(result, self.func.op(first).results[0]);
            }
            return false;
        }
        self.table.insert(id, hash, key.epoch);
        true
    }

    fn regions(&mut self, id: OpId) {
        let changed = self.changes[id.0 as usize];
        let is_loop = self.func.op(id).kind != OpKind::If;
        if is_loop {
            self.memory.change(changed);
        }
        let mut regions = std::mem::take(&mut self.func.op_mut(id).regions);
        let (keep, before) = (self.table.entries.len(), self.memory.epochs);
        for region in &mut regions {
            self.memory.epochs = before;
            self.operations(&mut region.ops);
            self.table.leave(keep);
        }
        self.memory.epochs = before;
        self.memory.change(changed);
        self.func.op_mut(id).regions = regions;
    }

    /// The key of an operation that may be merged.
    fn key(&self, id: OpId) -> Option<Key> {
        let op = self.func.op(id);
        let epoch = match op.kind {
            OpKind::Check { .. } => 0,
            _ if op.results.len() != 1 => return None,
            OpKind::TileFrag => 0, // a tile does not change while its value is in use
            OpKind::Load | OpKind::LoadChunk { .. } => match self.read_only[op.args[0].0 as usize] {
                true => 0,
                false => self.memory.epoch(GLOBAL),
            },
            // The pipeline buffers of tiles take turns, at places this does not know.
            OpKind::LdsLoad { lds: id, .. } if !self.func.lds[id.0 as usize].tile => self.memory.epoch(lds(id)),
            _ if op.kind.row().effect == Effect::Pure => 0,
            _ => return None,
        };
        let mut key = Key {
            kind: op.kind.clone(),
            epoch,
            pair: None,
        };
        if let (true, &[a, b]) = (op.kind.is_commutative(), &op.args[..]) {
            key.pair = Some([a.min(b), a.max(b)]);
        }
        if let (OpKind::Cmp { pred }, &[a, b]) = (&op.kind, &op.args[..]) {
            let pred = if a < b { *pred } else { pred.swapped() };
            key.kind = OpKind::Cmp { pred };
            key.pair = Some([a.min(b), a.max(b)]);
        }
        if let OpKind::Check { .. } = op.kind {
            key.kind = OpKind::Check { site: 0 };
            key.pair = Some([op.args[0]; 2]);
        }
        Some(key)
    }

    fn hash(&self, id: OpId, key: &Key) -> u32 {
        let mut h = Mix(0);
        key.kind.hash(&mut h);
        h.write_u32(key.epoch);
        let args = key.pair.as_ref().map_or(&self.func.op(id).args[..], |p| &p[..]);
        args.iter().for_each(|a| h.write_u32(a.0));
        (h.finish() >> 32) as u32
    }

    /// An earlier operation with the same result.
    fn find(&mut self, id: OpId, key: &Key, hash: u32) -> Option<OpId> {
        let mut at = *self.table.bucket(hash);
        while at != NONE {
            let e = &self.table.entries[at as usize];
            if e.hash == hash && e.epoch == key.epoch && self.equal(e.op, id, key) {
                return Some(e.op);
            }
            at = e.next;
        }
        None
    }

    fn equal(&self, first: OpId, id: OpId, key: &Key) -> bool {
        let (a, b) = (self.func.op(first), self.func.op(id));
        let ty = |v: &Value| self.func.ty(*v);
        if a.results.first().map(ty) != b.results.first().map(ty) {
            return false;
        }
        match key.pair {
            None => a.kind == b.kind && a.args == b.args,
            Some(_) => self
                .key(first)
                .is_some_and(|first| first.kind == key.kind && first.pair == key.pair),
        }
    }

    /// Lets `first` stand for `v`.
    fn replace(&mut self, v: Value, first: Value) {
        self.map[v.0 as usize] = first;
        if self.func.values[first.0 as usize].name.is_none() {
            self.func.values[first.0 as usize].name = self.func.values[v.0 as usize].name.take();
        }
    }
}

/// Parts of memory an operation may change, those of other waves that it meets included.
fn changes(kind: &OpKind) -> Parts {
    match *kind {
        OpKind::Store | OpKind::Atomic { .. } | OpKind::AtomicLoad { .. } | OpKind::TileStore => GLOBAL,
        OpKind::LdsStore { lds: id, .. }
        | OpKind::LdsAtomic { lds: id, .. }
        | OpKind::LdsAtomicLoad { lds: id, .. }
        | OpKind::TileCommit { lds: id, .. } => lds(id),
        OpKind::Check { .. } => 0,
        _ if kind.row().effect == Effect::Write => ALL,
        _ => 0,
    }
}

/// By value: a view of a parameter that nobody writes during the launch?
fn read_only(func: &Func) -> Vec<bool> {
    let mut out = vec![false; func.values.len()];
    for &v in &func.body.args {
        out[v.0 as usize] = param_access(func, v) == Some(Access::Read);
    }
    read_only_views(func, &func.body, &mut out);
    out
}

fn read_only_views(func: &Func, region: &Region, out: &mut [bool]) {
    for &id in &region.ops {
        let op = func.op(id);
        let is = |i: usize| out[op.args[i].0 as usize];
        let yes = match op.kind {
            OpKind::View => is(0),
            OpKind::Select => is(1) && is(2),
            _ => false,
        };
        if yes {
            out[op.results[0].0 as usize] = true;
        }
        for inner in &op.regions {
            read_only_views(func, inner, out);
        }
    }
}

/// A quick hash of a few small numbers: multiply and rotate, as rustc's FxHash does.
struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&b| self.write_u64(b.into()));
    }

    fn write_u32(&mut self, n: u32) {
        self.write_u64(n.into());
    }

    fn write_u64(&mut self, n: u64) {
        self.0 = (self.0.rotate_left(5) ^ n).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    fn write_usize(&mut self, n: usize) {
        self.write_u64(n as u64);
    }

    fn write_isize(&mut self, n: isize) {
        self.write_u64(n as u64);
    }
}
