//! Locals, places, reading and writing.

use crate::func::Value;
use crate::op::{OpKind, Pred, LDS_OUTSIDE};
use crate::stage::{At, BinOp, Iter, Place, Proj, Root, Slot, Stage, TyDesc, Val, VarId};
use crate::ty::{Scalar, Ty};

impl Stage {
    /// `let name = val`: gives the value its name.
    pub fn bind(&mut self, name: &'static str, val: &Val) -> Val {
        if let Val::V(v) | Val::View(v) | Val::Lds(v) = val {
            self.name(*v, name);
        }
        if let Val::Shared { lds, .. } = val {
            self.b.func_mut().lds[lds.0 as usize].name = name.to_string();
        }
        val.clone()
    }

    /// `let mut name = val`.
    pub fn var(&mut self, name: &'static str, val: &Val) -> Val {
        let val = self.bind(name, val);
        Val::Var(self.slot(name, val))
    }

    /// `let name: ty;`
    pub fn declare(&mut self, name: &'static str, ty: &TyDesc) -> Val {
        let id = self.slot(name, Val::Uninit);
        self.slots[id.0].ty = ty.clone();
        Val::Var(id)
    }

    pub(crate) fn slot(&mut self, name: &'static str, val: Val) -> VarId {
        self.slots.push(Slot {
            name,
            val,
            ty: TyDesc::Infer,
        });
        VarId(self.slots.len() - 1)
    }

    /// The value of a local.
    pub fn read(&mut self, local: &Val) -> Val {
        match local {
            Val::Var(id) => self.slots[id.0].val.clone(),
            other => other.clone(),
        }
    }

    /// The value at a place expression.
    pub fn load(&mut self, place: &Val, at: At) -> Val {
        self.at(at);
        match place {
            Val::Var(_) => self.read(place),
            Val::Ref(p) => self.read_place(p),
            other => other.clone(),
        }
    }

    /// `*reference` as a value.
    pub fn deref(&mut self, reference: &Val, at: At) -> Val {
        self.at(at);
        match reference {
            Val::Ref(p) => self.read_place(p),
            other => other.clone(),
        }
    }

    /// `&mut place`, `&place`.
    pub fn reference(&mut self, mutable: bool, place: &Val, at: At) -> Val {
        self.at(at);
        match place {
            Val::Var(id) if mutable => Val::Ref(Box::new(Place::var(*id))),
            Val::Var(_) => self.read(place),
            // a temporary of its own
            Val::V(_) | Val::Tuple(_) | Val::Array(_) | Val::Struct(_) if mutable => {
                Val::Ref(Box::new(Place::var(self.slot("", place.clone()))))
            }
            Val::Ref(p) if !mutable && !matches!(p.root, Root::Atomic(..) | Root::LdsAtomic(..)) => self.read_place(p),
            other => other.clone(),
        }
    }

    /// The place or value behind references and locals: what a method call or an index looks at.
    pub(crate) fn target(&mut self, val: &Val) -> Val {
        let mut val = val.clone();
        loop {
            let inner = match &val {
                Val::Var(id) => self.slots[id.0].val.clone(),
                Val::Ref(p) => match &p.root {
                    Root::Var(_) => self.read_place(p),
                    _ => return val,
                },
                _ => return val,
            };
            match inner {
                Val::Ref(_) | Val::Var(_) => val = inner,
                other => return other,
            }
        }
    }

    /// The local that holds the value behind references, to step into; `None` for a value that is in no local.
    pub(crate) fn target_place(&mut self, val: &Val) -> Option<Place> {
        let mut place = match val {
            Val::Var(id) => Place::var(*id),
            Val::Ref(p) => (**p).clone(),
            _ => return None,
        };
        loop {
            let Root::Var(_) = place.root else { return Some(place) };
            match self.read_place(&place) {
                Val::Ref(p) => place = *p,
                Val::Var(id) => place = Place::var(id),
                _ => return Some(place),
            }
        }
    }

    /// The scalar or fragment behind references; `None` after a finding.
    pub(crate) fn value(&mut self, val: &Val) -> Option<Value> {
        match self.full(val) {
            Val::V(v) => Some(v),
            Val::Poison => None,
            Val::Never => {
                self.unreached = true;
                None
            }
            Val::Uninit => {
                self.fail(
                    "this has no value on the way here",
                    "give it a value where it is declared",
                );
                None
            }
            _ => {
                self.fail(
                    "a number is needed here",
                    "use a scalar value; views and tiles are used through their methods",
                );
                None
            }
        }
    }

    /// The value behind all references.
    pub(crate) fn full(&mut self, val: &Val) -> Val {
        let mut v = val.clone();
        while let Val::Ref(_) | Val::Var(_) = v {
            v = match &v {
                Val::Ref(p) => self.read_place(p),
                other => self.read(other),
            };
        }
        v
    }

    /// The value as a `usize`.
    pub(crate) fn index_value(&mut self, val: &Val) -> Option<Value> {
        let v = self.value(val)?;
        self.expect(v, Scalar::U32).then_some(v)
    }

    pub(crate) fn read_place(&mut self, p: &Place) -> Val {
        match p.root {
            Root::Var(id) => {
                let val = self.slots[id.0].val.clone();
                self.project(&val, &p.path)
            }
            Root::Elem(buf, index) => {
                let ty = Ty::Scalar(self.ty(buf).elem());
                Val::V(self.b.op1_as(OpKind::Load, &[buf, index], ty))
            }
            Root::Lds(lds, offset, elem) => {
                let kind = OpKind::LdsLoad { lds, base: 0, slot: 0 };
                Val::V(self.b.op1_as(kind, &[offset], Ty::Scalar(elem)))
            }
            Root::Atomic(..) | Root::LdsAtomic(..) => self.fail(
                "an atomic is read and written through its methods",
                "use `fetch_add`, `fetch_min`, `fetch_max` …",
            ),
        }
    }

    fn project(&mut self, val: &Val, path: &[Proj]) -> Val {
        let Some(step) = path.first() else { return val.clone() };
        let inner = match (step, val) {
            (_, Val::Ref(p)) => {
                let mut p = (**p).clone();
                p.path.extend(path.iter().cloned());
                return self.read_place(&p);
            }
            (Proj::Field(name), Val::Struct(fields)) => fields.iter().find(|f| f.0 == *name).map(|f| f.1.clone()),
            (Proj::Item(n), Val::Tuple(vs)) => vs.get(*n).cloned(),
            (Proj::Frag(n), Val::Acc(a)) => a.frags.get(*n).map(|&v| Val::V(v)),
            (Proj::Index(i), Val::Array(vs)) => Some(self.array_get(vs, *i)),
            _ => None,
        };
        match inner {
            Some(v) => self.project(&v, &path[1..]),
            None if matches!(val, Val::Poison | Val::Never | Val::Uninit) => val.clone(),
            None => self.fail(
                "this part of a value cannot be taken on the device",
                "bind the parts to locals of their own",
            ),
        }
    }

    /// Byte offset of element `i` of a shared array; outside all LDS when the array has no such element, so that an index out of
    /// range does not meet the neighbouring array.
    /// Where indices are checked, a wave with such an index does not get here.
    fn shared_offset(&mut self, i: Value, len: u32, elem: Scalar) -> Value {
        let size = self.u32(elem.bytes());
        let offset = self.int_op(OpKind::Mul, i, size);
        if self.checked || self.largest(i).is_some_and(|most| most < len) {
            return offset;
        }
        let len = self.u32(len);
        let inside = self.pure(OpKind::Cmp { pred: Pred::Lt }, &[i, len]);
        let outside = self.u32(LDS_OUTSIDE);
        self.select_value(inside, offset, outside)
    }

    /// The largest value an index can have, where its operation says so.
    fn largest(&self, v: Value) -> Option<u32> {
        if let Some(n) = self.known_bits(v) {
            return u32::try_from(n).ok();
        }
        let func = self.b.func();
        let op = func.ops.iter().rev().find(|op| op.results.contains(&v))?;
        match op.kind {
            OpKind::LaneId => Some(31),
            OpKind::WaveId => Some(func.waves() - 1),
            OpKind::LocalId => Some(func.group - 1),
            _ => None,
        }
    }

    /// Element of an array in registers; an index that is not known becomes a chain of selections, of which 0 is left when it
    /// is out of range. Where indices are checked, a wave with such an index does not get here.
    fn array_get(&mut self, vs: &[Val], index: Value) -> Val {
        if let Some(i) = self.known_bits(index) {
            return match vs.get(i as usize) {
                Some(v) => v.clone(),
                None => self.out_of_range(i, vs.len()),
            };
        }
        let Some(last) = vs.last() else {
            return self.poison();
        };
        let inside = self.checked || self.most(index) < vs.len() as u64;
        let (mut out, chosen) = match self.nothing(last).filter(|_| !inside) {
            Some(nothing) => (nothing, vs),
            None => (last.clone(), &vs[..vs.len() - 1]),
        };
        for (i, v) in chosen.iter().enumerate().rev() {
            let hit = self.is_index(index, i);
            out = self.select(hit, v, &out);
        }
        out
    }

    /// Zeros in the shape of a value; none for what is no number.
    fn nothing(&mut self, like: &Val) -> Option<Val> {
        let leaves = like.leaves();
        let numbers = leaves
            .iter()
            .all(|&v| matches!(self.ty(v), Ty::Scalar(_) | Ty::Frag(..)));
        let zeros: Option<Vec<Value>> = leaves.iter().filter(|_| numbers).map(|&v| self.filler(v)).collect();
        zeros.filter(|_| numbers).map(|z| like.with_leaves(&z))
    }

    fn out_of_range(&mut self, i: u64, len: usize) -> Val {
        self.fail(
            format!("index {i} is out of range: the length is {len}"),
            "use an index below the length",
        )
    }

    fn is_index(&mut self, index: Value, i: usize) -> Value {
        let i = self.u32(i as u32);
        self.b.op1(OpKind::Cmp { pred: Pred::Eq }, &[index, i])
    }

    /// `if c { a } else { b }` leaf by leaf.
    pub(crate) fn select(&mut self, c: Value, a: &Val, b: &Val) -> Val {
        if !a.same_shape(b) {
            return self.fail("the elements of this array differ in kind", "use an array of scalars");
        }
        let (x, y) = (a.leaves(), b.leaves());
        let mut out = Vec::new();
        for (&x, &y) in x.iter().zip(&y) {
            out.push(if x == y { x } else { self.select_value(c, x, y) });
        }
        a.with_leaves(&out)
    }

    pub(crate) fn select_value(&mut self, c: Value, x: Value, y: Value) -> Value {
        match self.known_bits(c) {
            Some(0) => return y,
            Some(_) => return x,
            None => {}
        }
        if matches!(self.ty(x), Ty::Scalar(_)) {
            self.unify(x, y);
        }
        let v = self.b.op1(OpKind::Select, &[c, x, y]);
        self.follow(v, x);
        v
    }

    /// `place = val`
    pub fn assign(&mut self, place: &Val, val: &Val, at: At) -> Val {
        self.at(at);
        match place {
            Val::Var(id) => self.write_place(&Place::var(*id), val),
            Val::Ref(p) => self.write_place(p, val),
            Val::Poison => {}
            _ => {
                self.fail(
                    "cannot assign here: nothing on the device is behind this place",
                    "a kernel writes to `let mut` locals, to what `&mut Lanes`, `&mut Waves` and `&mut Groups` give it, and to `Shared`",
                );
            }
        }
        Val::Unit
    }

    /// `place op= val`
    pub fn assign_op(&mut self, op: BinOp, place: &Val, val: &Val, at: At) -> Val {
        let old = self.load(place, at);
        let new = self.binary(op, &old, val, at);
        self.assign(place, &new, at)
    }

    pub(crate) fn write_place(&mut self, p: &Place, val: &Val) {
        if *val == Val::Never {
            return;
        }
        match p.root {
            Root::Var(id) => {
                let old = self.slots[id.0].val.clone();
                let new = self.replaced(&old, &p.path, val);
                if old == Val::Uninit {
                    let ty = self.slots[id.0].ty.clone();
                    self.ascribe(&new, &ty);
                }
                // a literal put into a part of a local has that part's type
                if old.same_shape(&new) {
                    for (a, b) in old.leaves().into_iter().zip(new.leaves()) {
                        if a != b && matches!(self.ty(a), Ty::Scalar(_)) {
                            self.unify(a, b);
                        }
                    }
                }
                self.slots[id.0].val = new;
            }
            Root::Elem(buf, index) => {
                let Some(v) = self.value(val) else { return };
                let elem = self.ty(buf).elem();
                if self.expect(v, elem) {
                    self.b.op0(OpKind::Store, &[buf, index, v]);
                }
            }
            Root::Lds(lds, offset, elem) => {
                let Some(v) = self.value(val) else { return };
                if self.expect(v, elem) {
                    self.b.op0(OpKind::LdsStore { lds, base: 0, slot: 0 }, &[offset, v]);
                }
            }
            Root::Atomic(..) | Root::LdsAtomic(..) => {
                self.fail(
                    "an atomic is written through its methods",
                    "use `fetch_add`, `fetch_min`, `swap` …",
                );
            }
        }
    }

    /// `old` with the part at `path` replaced.
    fn replaced(&mut self, old: &Val, path: &[Proj], new: &Val) -> Val {
        let Some(step) = path.first() else { return new.clone() };
        let mut out = old.clone();
        match (step, &mut out) {
            (_, Val::Ref(p)) => {
                let mut p = (**p).clone();
                p.path.extend(path.iter().cloned());
                self.write_place(&p, new);
            }
            (Proj::Field(name), Val::Struct(fields)) => {
                if let Some(f) = fields.iter_mut().find(|f| f.0 == *name) {
                    f.1 = self.replaced(&f.1.clone(), &path[1..], new);
                }
            }
            (Proj::Item(n), Val::Tuple(vs)) => {
                if let Some(v) = vs.get_mut(*n) {
                    *v = self.replaced(&v.clone(), &path[1..], new);
                }
            }
            (Proj::Frag(n), Val::Acc(a)) => {
                if let (Some(f), Some(v)) = (a.frags.get_mut(*n), self.value(new)) {
                    *f = v;
                }
            }
            (Proj::Index(i), Val::Array(vs)) => self.replace_elem(vs, *i, &path[1..], new),
            (_, Val::Poison) => {}
            _ => {
                self.fail(
                    "this part of a value cannot be assigned on the device",
                    "assign the whole value",
                );
            }
        }
        out
    }

    fn replace_elem(&mut self, vs: &mut [Val], index: Value, path: &[Proj], new: &Val) {
        if let Some(i) = self.known_bits(index) {
            let len = vs.len();
            match vs.get_mut(i as usize) {
                Some(v) => *v = self.replaced(&v.clone(), path, new),
                None => {
                    self.out_of_range(i, len);
                }
            }
            return;
        }
        for (i, v) in vs.iter_mut().enumerate() {
            let changed = self.replaced(&v.clone(), path, new);
            let hit = self.is_index(index, i);
            *v = self.select(hit, &changed, &v.clone());
        }
    }

    /// `base[index]` as a place or, for the row of a matrix, a view.
    pub fn index(&mut self, base: &Val, index: &Val, at: At) -> Val {
        self.at(at);
        let target = self.target(base);
        if let (Val::View(buf), Val::Iter(iter)) = (&target, index) {
            return match &**iter {
                Iter::Range(r) => self.subview(*buf, r),
                _ => self.poison(),
            };
        }
        let Some(i) = self.index_value(index) else {
            return self.poison();
        };
        match target {
            Val::View(buf) => {
                self.check_element(buf, i);
                Val::Ref(Box::new(Place::elem(buf, i)))
            }
            Val::Atomics(buf) => {
                self.check_element(buf, i);
                Val::Ref(Box::new(Place {
                    root: Root::Atomic(buf, i),
                    path: Vec::new(),
                }))
            }
            Val::Mat(m) => {
                self.check_row(&m, i);
                Val::View(self.row_view(&m, i))
            }
            Val::Shared { lds, elem, len, atomic } => {
                if let Some(n) = self.known_bits(i).filter(|&n| n >= u64::from(len)) {
                    return self.out_of_range(n, len as usize);
                }
                self.check_shared(lds, i, len);
                let offset = self.shared_offset(i, len, elem);
                let root = if atomic {
                    Root::LdsAtomic(lds, offset, elem)
                } else {
                    Root::Lds(lds, offset, elem)
                };
                Val::Ref(Box::new(Place { root, path: Vec::new() }))
            }
            Val::Array(vs) => {
                let place = self.target_place(base);
                self.check_array(place.as_ref(), i, vs.len());
                match place {
                    Some(p) => Val::Ref(Box::new(p.then(Proj::Index(i)))),
                    None => self.array_get(&vs, i),
                }
            }
            Val::Poison | Val::Never => Val::Poison,
            _ => self.fail(
                "this cannot be indexed on the device",
                "index slices, matrices, arrays and `Shared`",
            ),
        }
    }

    /// `base.name` as a place or value; tuples have fields `0`, `1` ….
    pub fn field(&mut self, base: &Val, name: &'static str, at: At) -> Val {
        self.at(at);
        let step = match name.parse::<usize>() {
            Ok(n) => Proj::Item(n),
            Err(_) => Proj::Field(name),
        };
        match self.target_place(base) {
            Some(p) => Val::Ref(Box::new(p.then(step))),
            None => self.project(base, &[step]),
        }
    }

    /// Part `n` of a tuple in a pattern.
    pub fn part(&mut self, val: &Val, n: usize) -> Val {
        match val {
            Val::Tuple(vs) => vs.get(n).cloned().unwrap_or(Val::Poison),
            Val::Ref(p) => self.read_place(&p.then(Proj::Item(n))),
            Val::Poison | Val::Never => Val::Poison,
            _ => self.fail("a tuple is needed here", "take the value apart by its fields"),
        }
    }
}
