//! Which values are the same for all lanes of the group, of the wave, or differ from lane to lane.
//!
//! A value's level is the join of its operands' levels unless its operation says otherwise (lane numbers, atomics, loads …).
//! Regions argue by control: what leaves an `if` differs as the condition does, what a loop carries differs as its bounds
//! or condition do. Levels only rise, so iterating over the function until nothing changes ends at the least solution.
//! "Same" speaks of the lanes that execute the operation together.

use crate::func::{Access, Func, Op, OpId, Region, Value};
use crate::op::{OpKind, Rmw};
use crate::ty::Ty;

/// How widely a value agrees, from all lanes of the group to none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Uniformity {
    /// The same in all lanes of the workgroup.
    #[default]
    Group,
    /// The same in all lanes of a wave.
    Wave,
    /// May differ between lanes.
    Lane,
}

/// Under which control an operation runs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Control {
    /// Which lanes certainly run it together.
    pub level: Uniformity,
    /// The innermost enclosing construct that raised the level, and the condition or bound that did.
    pub by: Option<(OpId, Value)>,
}

/// Result of the analysis.
#[derive(Clone, Debug)]
pub struct Uniform {
    values: Vec<Uniformity>,
    defs: Vec<Option<OpId>>,
    control: Vec<Control>,
    one_wave: bool,
}

impl Uniform {
    /// Analyses a function.
    pub fn of(func: &Func) -> Uniform {
        let mut u = Uniform {
            values: vec![Uniformity::Group; func.values.len()],
            defs: vec![None; func.values.len()],
            control: vec![Control::default(); func.ops.len()],
            one_wave: func.waves() <= 1,
        };
        u.find_defs(func, &func.body);
        while u.region(func, &func.body, Control::default()) {}
        u
    }

    /// Level of a value.
    pub fn value(&self, v: Value) -> Uniformity {
        self.values[v.0 as usize]
    }

    /// Control an operation runs under.
    pub fn control(&self, op: OpId) -> Control {
        self.control[op.0 as usize]
    }

    /// The operation that defines a value (for region arguments, the operation that owns the region); `None` for parameters.
    pub fn def(&self, v: Value) -> Option<OpId> {
        self.defs[v.0 as usize]
    }

    /// Where a value's level comes from: follows operands of at least that level back to the operation that made the
    /// difference (a lane number, a load …).
    pub fn source(&self, func: &Func, v: Value) -> Option<OpId> {
        let level = self.value(v);
        let mut seen = vec![false; func.values.len()];
        let mut at = v;
        loop {
            seen[at.0 as usize] = true;
            let id = self.def(at)?;
            let op = func.op(id);
            let yielded = op
                .regions
                .iter()
                .filter_map(|r| r.ops.last())
                .flat_map(|&t| &func.op(t).args);
            let next = op
                .args
                .iter()
                .chain(yielded)
                .find(|a| self.value(**a) >= level && !seen[a.0 as usize]);
            match next {
                Some(&a) => at = a,
                None => return Some(id),
            }
        }
    }

    fn find_defs(&mut self, func: &Func, region: &Region) {
        for &id in &region.ops {
            let op = func.op(id);
            for r in &op.results {
                self.defs[r.0 as usize] = Some(id);
            }
            for inner in &op.regions {
                for a in &inner.args {
                    self.defs[a.0 as usize] = Some(id);
                }
                self.find_defs(func, inner);
            }
        }
    }

    /// Raises a value's level; did it change?
    fn raise(&mut self, v: Value, level: Uniformity) -> bool {
        let level = if self.one_wave && level == Uniformity::Wave {
            Uniformity::Group
        } else {
            level
        };
        let slot = &mut self.values[v.0 as usize];
        let changed = level > *slot;
        *slot = level.max(*slot);
        changed
    }

    fn join(&self, values: &[Value]) -> Uniformity {
        values.iter().map(|&v| self.value(v)).max().unwrap_or_default()
    }

    fn region(&mut self, func: &Func, region: &Region, control: Control) -> bool {
        let mut changed = false;
        for &id in &region.ops {
            self.control[id.0 as usize] = control;
            let op = func.op(id);
            changed |= match op.kind {
                OpKind::If => self.if_(func, id, op, control),
                OpKind::For { .. } => self.for_(func, id, op, control),
                OpKind::While => self.while_(func, id, op, control),
                _ => {
                    let level = self.op_level(func, op);
                    let mut any = false;
                    for &r in &op.results {
                        any |= self.raise(r, level);
                    }
                    any
                }
            };
        }
        changed
    }

    fn under(&self, id: OpId, cause: Value, outer: Control) -> Control {
        let level = self.value(cause);
        if level > outer.level {
            Control {
                level,
                by: Some((id, cause)),
            }
        } else {
            outer
        }
    }

    fn if_(&mut self, func: &Func, id: OpId, op: &Op, outer: Control) -> bool {
        let cond = op.args[0];
        let inner = self.under(id, cond, outer);
        let mut changed = false;
        for r in &op.regions {
            changed |= self.region(func, r, inner);
        }
        let yields: Vec<&[Value]> = op.regions.iter().map(|r| terminator(func, r)).collect();
        for (i, &r) in op.results.iter().enumerate() {
            let (a, b) = (yields[0][i], yields[1][i]);
            let mut level = self.value(a).max(self.value(b));
            if a != b {
                level = level.max(self.value(cond));
            }
            changed |= self.raise(r, level);
        }
        changed
    }

    fn for_(&mut self, func: &Func, id: OpId, op: &Op, outer: Control) -> bool {
        let (bounds, init) = op.args.split_at(3);
        let cause = bounds
            .iter()
            .copied()
            .max_by_key(|&v| self.value(v))
            .unwrap_or(bounds[0]);
        let level = self.join(bounds);
        let inner = self.under(id, cause, outer);
        let args = &op.regions[0].args;
        let mut changed = self.raise(args[0], level);
        changed |= self.region(func, &op.regions[0], inner);
        let next = terminator(func, &op.regions[0]);
        for (i, &r) in op.results.iter().enumerate() {
            let l = level.max(self.value(init[i])).max(self.value(next[i]));
            changed |= self.raise(args[i + 1], l);
            changed |= self.raise(r, l);
        }
        changed
    }

    fn while_(&mut self, func: &Func, id: OpId, op: &Op, outer: Control) -> bool {
        let cond = terminator(func, &op.regions[0])[0];
        let inner = self.under(id, cond, outer);
        let mut changed = false;
        for r in &op.regions {
            changed |= self.region(func, r, inner);
        }
        let level = self.value(cond);
        let passed = &terminator(func, &op.regions[0])[1..];
        let next = terminator(func, &op.regions[1]);
        for (i, &r) in op.results.iter().enumerate() {
            let round = level.max(self.value(op.args[i])).max(self.value(next[i]));
            changed |= self.raise(op.regions[0].args[i], round);
            let out = level.max(self.value(passed[i]));
            changed |= self.raise(op.regions[1].args[i], out);
            changed |= self.raise(r, out);
        }
        changed
    }

    fn op_level(&self, func: &Func, op: &Op) -> Uniformity {
        let args = self.join(&op.args);
        match op.kind {
            OpKind::WaveId => Uniformity::Wave,
            OpKind::LaneId | OpKind::LocalId => Uniformity::Lane,
            OpKind::Atomic { .. }
            | OpKind::AtomicLoad { .. }
            | OpKind::LdsAtomic { .. }
            | OpKind::LdsAtomicLoad { .. } => Uniformity::Lane,
            OpKind::Select if op.args[1] == op.args[2] => self.value(op.args[1]),
            // The memory does not change during the launch, so equal addresses give equal values in all waves.
            OpKind::Load if self.read_only(func, op.args[0]) => args,
            OpKind::Load | OpKind::LdsLoad { .. } => args.max(Uniformity::Wave),
            // An idempotent or a counting operation on a group-uniform operand is a function of it, as all lanes take part.
            OpKind::WaveReduce { op: Rmw::Swap } => Uniformity::Lane,
            OpKind::WaveReduce { .. } | OpKind::WaveBallot => args.min(Uniformity::Wave),
            OpKind::WaveScan {
                op: Rmw::Min | Rmw::Max | Rmw::And | Rmw::Or,
            } if args < Uniformity::Lane => args,
            OpKind::WaveScan { .. } => Uniformity::Lane,
            OpKind::WaveShuffleXor { .. } => args,
            OpKind::WaveShuffle => self.value(op.args[0]).min(self.value(op.args[1]).max(Uniformity::Wave)),
            OpKind::WaveBroadcast => self.value(op.args[0]).min(Uniformity::Wave),
            OpKind::WavePerm { .. }
            | OpKind::Wmma
            | OpKind::LdsFragLoad { .. }
            | OpKind::LoadChunk { .. }
            | OpKind::TileFetch { .. }
            | OpKind::TileFrag => Uniformity::Lane,
            // A handle names the same tile for everybody who got it from the same operands; the staged lanes' share does not matter.
            OpKind::TileCommit { .. } => self.value(op.args[1]),
            _ => args,
        }
    }

    /// Is this view, on every way it can have come, part of a parameter nobody writes during the launch?
    pub fn read_only(&self, func: &Func, mut view: Value) -> bool {
        loop {
            match self.def(view) {
                None => break,
                Some(id) => {
                    let op = func.op(id);
                    match op.kind {
                        OpKind::View => view = op.args[0],
                        OpKind::Select => {
                            return self.read_only(func, op.args[1]) && self.read_only(func, op.args[2]);
                        }
                        _ => return false,
                    }
                }
            }
        }
        param_access(func, view) == Some(Access::Read)
    }
}

/// How the kernel may use the memory parameter a value is the view of; `None` if it is not a parameter's view.
pub fn param_access(func: &Func, v: Value) -> Option<Access> {
    use crate::func::ParamKind;
    if !matches!(func.ty(v), Ty::Buffer(_)) {
        return None;
    }
    let mut at = func.body.args.iter().position(|&a| a == v)?;
    for p in &func.params {
        let n = p.kind.values().len();
        if at < n {
            return match p.kind {
                ParamKind::Slice(_, a) | ParamKind::Mat(_, a) => Some(a),
                ParamKind::Scalar(_) => None,
            };
        }
        at -= n;
    }
    None
}

/// Operands of a region's terminator.
pub fn terminator<'a>(func: &'a Func, region: &Region) -> &'a [Value] {
    match region.ops.last() {
        Some(&id) => &func.op(id).args,
        None => panic!("{}: a region has no terminator", func.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::Builder;
    use crate::func::{Param, ParamKind};
    use crate::op::{LoopHints, Pred};
    use crate::ty::Scalar;

    fn builder(group: u32) -> Builder {
        let p = |name: &str, access| Param {
            name: name.into(),
            kind: ParamKind::Slice(Scalar::U32, access),
        };
        Builder::new(Func::new("t", group, vec![p("r", Access::Read), p("w", Access::Write)]))
    }

    fn cmp(b: &mut Builder, x: Value, y: Value) -> Value {
        b.op1(OpKind::Cmp { pred: Pred::Lt }, &[x, y])
    }

    #[test]
    fn loads_and_wave_operations() {
        let mut b = builder(64);
        let (r, w) = (Value(0), Value(1));
        let g = b.op1(OpKind::GroupId { axis: 0 }, &[]);
        let wave = b.op1(OpKind::WaveId, &[]);
        let lane = b.op1(OpKind::LaneId, &[]);
        let cases = [
            (b.op1_as(OpKind::Load, &[r, g], Ty::U32), Uniformity::Group),
            (b.op1_as(OpKind::Load, &[w, g], Ty::U32), Uniformity::Wave),
            (b.op1_as(OpKind::Load, &[r, wave], Ty::U32), Uniformity::Wave),
            (b.op1_as(OpKind::Load, &[r, lane], Ty::U32), Uniformity::Lane),
            (b.op1(OpKind::WaveReduce { op: Rmw::Add }, &[lane]), Uniformity::Wave),
            (b.op1(OpKind::WaveReduce { op: Rmw::Add }, &[g]), Uniformity::Group),
            (b.op1(OpKind::WaveBroadcast, &[lane, g]), Uniformity::Wave),
            (b.op1(OpKind::WaveShuffle, &[lane, lane]), Uniformity::Lane),
            (b.op1(OpKind::WaveShuffle, &[lane, g]), Uniformity::Wave),
            (b.op1(OpKind::WaveScan { op: Rmw::Add }, &[g]), Uniformity::Lane),
            (b.op1(OpKind::Add, &[wave, lane]), Uniformity::Lane),
        ];
        let f = b.finish();
        let u = Uniform::of(&f);
        for (v, want) in cases {
            assert_eq!(u.value(v), want, "%{}", v.0);
        }
    }

    #[test]
    fn one_wave_groups_have_no_wave_level() {
        let mut b = builder(32);
        let wave = b.op1(OpKind::WaveId, &[]);
        let f = b.finish();
        assert_eq!(Uniform::of(&f).value(wave), Uniformity::Group);
    }

    #[test]
    fn divergence_through_control() {
        let mut b = builder(64);
        let lane = b.op1(OpKind::LaneId, &[]);
        let (zero, one, ten) = (b.u32(0), b.u32(1), b.u32(10));
        let c = cmp(&mut b, lane, ten);
        let mut barrier_at = OpId(0);
        let picked = b.if_(
            c,
            &[Ty::U32, Ty::U32],
            |_| vec![one, ten],
            |b| {
                b.op0(OpKind::Barrier, &[]);
                barrier_at = OpId(b.func().ops.len() as u32 - 1);
                vec![zero, ten]
            },
        );
        // A carried value that becomes lane-dependent only in the second round, by way of another one.
        let carried = b.for_([zero, ten, one], LoopHints::default(), &[zero, zero], |_, _, c| {
            vec![c[1], lane]
        });
        let calm = b.for_([zero, ten, one], LoopHints::default(), &[zero], |b, i, c| {
            vec![b.op1(OpKind::Add, &[c[0], i])]
        });
        let wild = b.for_([zero, lane, one], LoopHints::default(), &[zero], |_, _, c| vec![c[0]]);
        let f = b.finish();
        let u = Uniform::of(&f);
        assert_eq!(u.value(picked[0]), Uniformity::Lane);
        assert_eq!(u.value(picked[1]), Uniformity::Group);
        assert_eq!(u.value(carried[0]), Uniformity::Lane);
        assert_eq!(u.value(calm[0]), Uniformity::Group);
        assert_eq!(u.value(wild[0]), Uniformity::Lane);
        let control = u.control(barrier_at);
        assert_eq!(control.level, Uniformity::Lane);
        let (_, cause) = control.by.expect("the if");
        assert_eq!(cause, c);
        let source = u.source(&f, cause).expect("lane id");
        assert_eq!(f.op(source).kind, OpKind::LaneId);
    }
}
