//! Waves as stacks of frames, and the groups they make up.

use std::collections::HashMap;
use std::rc::Rc;

use super::memory::{Lds, Memory};
use super::{InterpError, Options, ParamValue, Stats};
use crate::check::Report;
use crate::eval::{mask, Const};
use crate::func::{Func, Op, OpId, Region, Value};
use crate::op::{Convergent, LdsId, OpKind};
use crate::ty::{Scalar, Ty};

pub(super) const LANES: usize = 32;
const ALL: u32 = u32::MAX;
const POISON: u64 = 0xa5a5_a5a5_a5a5_a5a5;

/// One scalar per lane.
pub(super) type Lanes = [u64; LANES];

/// Elements of a tile, row by row.
pub(super) type TileData = Rc<Vec<u64>>;

/// What a wave holds of a value.
#[derive(Clone, Debug)]
pub(super) enum Val {
    None,
    /// Elements of a scalar (one), vector or fragment.
    Elems(Vec<Lanes>),
    /// Address and length per lane.
    View(Box<[(u64, u32); LANES]>),
    /// A tile, staged or loaded.
    Tile(TileData),
    /// The tile committed last at a byte of an allocation.
    TileAt(LdsId, u32),
}

enum Kind {
    Body,
    If {
        /// Lanes that still have to run the other region.
        other: u32,
    },
    For {
        /// Induction variable.
        i: Box<Lanes>,
    },
    While,
}

struct Frame<'f> {
    region: &'f Region,
    pc: usize,
    /// Active lanes.
    mask: u32,
    owner: Option<OpId>,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Ready,
    AtBarrier(OpId),
    Done,
    /// Ended by a check.
    Stopped,
}

pub(super) struct Wave<'f> {
    pub(super) index: u32,
    pub(super) values: Vec<Val>,
    pub(super) tiles: HashMap<(LdsId, u32), TileData>,
    frames: Vec<Frame<'f>>,
    state: State,
}

/// A workgroup in execution.
pub(super) struct Group<'f, 'm> {
    pub(super) func: &'f Func,
    pub(super) memory: &'m mut Memory,
    pub(super) lds: Lds,
    pub(super) id: [u32; 3],
    pub(super) count: [u32; 3],
    options: Options,
    /// Whether only barriers order the waves.
    pub(super) check_races: bool,
    stats: &'m mut Stats,
    waves: Vec<Wave<'f>>,
    /// The first check that failed.
    pub(super) report: Option<Report>,
}

impl<'f, 'm> Group<'f, 'm> {
    pub(super) fn new(
        func: &'f Func,
        params: &[ParamValue],
        memory: &'m mut Memory,
        id: [u32; 3],
        count: [u32; 3],
        options: Options,
        stats: &'m mut Stats,
    ) -> Group<'f, 'm> {
        let waves = (0..func.waves()).map(|index| Wave::new(func, params, index)).collect();
        let fences = func.ops.iter().any(|op| matches!(op.kind, OpKind::Fence { .. }));
        Group {
            func,
            memory,
            lds: Lds::new(func.lds_bytes()),
            id,
            count,
            options,
            check_races: options.check_races && !fences,
            stats,
            waves,
            report: None,
        }
    }

    /// Runs all waves to their ends, from barrier or atomic load to the next.
    pub(super) fn run(&mut self) -> Result<(), InterpError> {
        loop {
            let mut waves = std::mem::take(&mut self.waves);
            for w in &mut waves {
                self.run_wave(w)?;
            }
            self.waves = waves;
            if self.waves.iter().any(|w| w.state == State::Ready) {
                continue;
            }
            let waiting = self.waves.iter().find_map(|w| match w.state {
                State::AtBarrier(id) => Some(id),
                _ => None,
            });
            let done = self.waves.iter().find(|w| w.state == State::Done);
            match (waiting, done) {
                (None, _) => return Ok(()),
                (Some(id), Some(w)) => {
                    return Err(InterpError::Barrier {
                        span: self.func.op(id).span,
                        wave: w.index,
                    })
                }
                (Some(_), None) => {
                    self.stats.barriers += 1;
                    self.lds.barrier();
                    let arrived = |w: &&mut Wave<'_>| matches!(w.state, State::AtBarrier(_));
                    self.waves
                        .iter_mut()
                        .filter(arrived)
                        .for_each(|w| w.state = State::Ready);
                }
            }
        }
    }

    fn run_wave(&mut self, w: &mut Wave<'f>) -> Result<(), InterpError> {
        while w.state == State::Ready {
            let Some(frame) = w.frames.last_mut() else {
                w.state = State::Done;
                break;
            };
            let Some(&id) = frame.region.ops.get(frame.pc) else {
                w.frames.pop(); // the body has no terminator
                continue;
            };
            frame.pc += 1;
            let mask = frame.mask;
            self.stats.ops += 1;
            if self.stats.ops > self.options.max_ops {
                return Err(InterpError::TooLong {
                    max_ops: self.options.max_ops,
                });
            }
            let op = self.func.op(id);
            if op.kind.row().convergent != Convergent::No && mask != ALL {
                return Err(InterpError::Divergent {
                    op: op.kind.row().name,
                    span: op.span,
                    mask,
                    wave: w.index,
                });
            }
            match op.kind {
                OpKind::Barrier => w.state = State::AtBarrier(id),
                OpKind::Check { site } => self.check(w, op, site, mask),
                OpKind::If => w.enter_if(self.func, id, op, mask),
                OpKind::For { .. } => w.enter_for(self.func, id, op, mask),
                OpKind::While => w.enter_while(self.func, id, op, mask),
                OpKind::Yield | OpKind::Condition => w.leave(self.func, op),
                _ => self.execute(w, op, mask)?,
            }
            // What is loaded may be what another wave of the group is to write.
            if matches!(op.kind, OpKind::AtomicLoad { .. } | OpKind::LdsAtomicLoad { .. }) {
                break;
            }
        }
        Ok(())
    }
}

impl<'f> Group<'f, '_> {
    /// Ends the wave if a lane fails the check.
    fn check(&mut self, w: &mut Wave<'f>, op: &Op, site: u32, mask: u32) {
        let failed = mask & !w.true_lanes(op.args[0], mask);
        let Some(lane) = lanes(failed).next() else { return };
        let word = |v: Value| w.lanes(v)[lane] as u32;
        let report = Report {
            site,
            index: word(op.args[1]),
            len: word(op.args[2]),
            local: w.index * LANES as u32 + lane as u32,
            group: self.id,
        };
        self.report.get_or_insert(report);
        w.state = State::Stopped;
    }
}

/// Numbers of the lanes in a mask, ascending.
pub(super) fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..LANES).filter(move |l| mask >> l & 1 != 0)
}

impl<'f> Wave<'f> {
    fn new(func: &'f Func, params: &[ParamValue], index: u32) -> Wave<'f> {
        let mut values = vec![Val::None; func.values.len()];
        for (&v, p) in func.body.args.iter().zip(params) {
            values[v.0 as usize] = match *p {
                ParamValue::Scalar(bits) => Val::Elems(vec![[bits; LANES]]),
                ParamValue::View(base, len) => Val::View(Box::new([(base, len); LANES])),
            };
        }
        let body = Frame {
            region: &func.body,
            pc: 0,
            mask: ALL,
            owner: None,
            kind: Kind::Body,
        };
        Wave {
            index,
            values,
            tiles: HashMap::new(),
            frames: vec![body],
            state: State::Ready,
        }
    }

    pub(super) fn val(&self, v: Value) -> &Val {
        &self.values[v.0 as usize]
    }

    /// Elements of a scalar, vector or fragment.
    pub(super) fn elems(&self, v: Value) -> &[Lanes] {
        match self.val(v) {
            Val::Elems(e) => e,
            other => panic!("interp: %{} holds {other:?}", v.0),
        }
    }

    /// A scalar.
    pub(super) fn lanes(&self, v: Value) -> &Lanes {
        &self.elems(v)[0]
    }

    pub(super) fn view(&self, v: Value) -> &[(u64, u32); LANES] {
        match self.val(v) {
            Val::View(x) => x,
            other => panic!("interp: %{} holds {other:?}", v.0),
        }
    }

    pub(super) fn set(&mut self, v: Value, val: Val) {
        self.values[v.0 as usize] = val;
    }

    /// Copies the lanes of a mask from one value to another; a value without content starts as poison.
    fn merge(&mut self, func: &Func, to: Value, from: &Val, mask: u32) {
        let slot = &mut self.values[to.0 as usize];
        match (&mut *slot, from) {
            (Val::Elems(a), Val::Elems(b)) if a.len() == b.len() => {
                for (x, y) in a.iter_mut().zip(b) {
                    lanes(mask).for_each(|l| x[l] = y[l]);
                }
            }
            (Val::View(a), Val::View(b)) => lanes(mask).for_each(|l| a[l] = b[l]),
            (_, Val::Elems(b)) => {
                let mut a = vec![poison(func.ty(to).elem()); b.len()];
                for (x, y) in a.iter_mut().zip(b) {
                    lanes(mask).for_each(|l| x[l] = y[l]);
                }
                *slot = Val::Elems(a);
            }
            _ => *slot = from.clone(),
        }
    }

    fn clear(&mut self, values: &[Value]) {
        for &v in values {
            self.set(v, Val::None);
        }
    }

    fn merge_all(&mut self, func: &Func, to: &[Value], from: &[Val], mask: u32) {
        for (&t, f) in to.iter().zip(from) {
            self.merge(func, t, f, mask);
        }
    }

    /// The contents of values at this moment (so that carried values change all at once).
    fn snapshot(&self, values: &[Value]) -> Vec<Val> {
        values.iter().map(|&v| self.val(v).clone()).collect()
    }

    fn true_lanes(&self, cond: Value, mask: u32) -> u32 {
        let c = self.lanes(cond);
        lanes(mask).filter(|&l| c[l] != 0).fold(0, |m, l| m | 1 << l)
    }

    fn enter_if(&mut self, func: &'f Func, id: OpId, op: &'f Op, mask: u32) {
        let then = self.true_lanes(op.args[0], mask);
        let other = mask & !then;
        self.clear(&op.results);
        let (region, mask, other) = if then != 0 { (0, then, other) } else { (1, other, 0) };
        self.frames.push(Frame {
            region: &func.op(id).regions[region],
            pc: 0,
            mask,
            owner: Some(id),
            kind: Kind::If { other },
        });
    }

    fn enter_for(&mut self, func: &'f Func, id: OpId, op: &'f Op, mask: u32) {
        let ty = func.ty(op.args[0]).elem();
        let int = |bits: u64| Const::new(ty, bits).int();
        let [lo, hi, step] = [0, 1, 2].map(|n| *self.lanes(op.args[n]));
        let live = lanes(mask)
            .filter(|&l| int(step[l]) > 0 && int(lo[l]) < int(hi[l]))
            .fold(0, |m, l| m | 1 << l);
        let init = self.snapshot(&op.args[3..]);
        self.clear(&op.results);
        self.merge_all(func, &op.results, &init, mask);
        if live == 0 {
            return;
        }
        let region = &func.op(id).regions[0];
        self.clear(&region.args);
        self.merge(func, region.args[0], &Val::Elems(vec![lo]), live);
        self.merge_all(func, &region.args[1..], &init, live);
        self.frames.push(Frame {
            region,
            pc: 0,
            mask: live,
            owner: Some(id),
            kind: Kind::For { i: Box::new(lo) },
        });
    }

    fn enter_while(&mut self, func: &'f Func, id: OpId, op: &'f Op, mask: u32) {
        let init = self.snapshot(&op.args);
        self.clear(&op.results);
        let region = &func.op(id).regions[0];
        self.clear(&region.args);
        self.merge_all(func, &region.args, &init, mask);
        self.frames.push(Frame {
            region,
            pc: 0,
            mask,
            owner: Some(id),
            kind: Kind::While,
        });
    }

    /// A terminator: hands values on, and goes on with the next round, the other branch or the operation after.
    fn leave(&mut self, func: &'f Func, end: &Op) {
        let values = self.snapshot(&end.args);
        let Some(mut frame) = self.frames.pop() else { return };
        let Some(owner) = frame.owner.map(|id| func.op(id)) else {
            return;
        };
        match &mut frame.kind {
            Kind::Body => {}
            Kind::If { other } => {
                self.merge_all(func, &owner.results, &values, frame.mask);
                if *other != 0 {
                    frame.region = &owner.regions[1];
                    (frame.mask, *other, frame.pc) = (*other, 0, 0);
                    self.frames.push(frame);
                }
            }
            Kind::For { i } => {
                self.merge_all(func, &owner.results, &values, frame.mask);
                let live = self.advance(func, owner, i, frame.mask);
                if live != 0 {
                    let args = &frame.region.args;
                    self.merge(func, args[0], &Val::Elems(vec![**i]), live);
                    self.merge_all(func, &args[1..], &values, live);
                    (frame.mask, frame.pc) = (live, 0);
                    self.frames.push(frame);
                }
            }
            Kind::While => {
                let next = if end.kind == OpKind::Condition {
                    let live = self.true_lanes(end.args[0], frame.mask);
                    self.merge_all(func, &owner.results, &values[1..], frame.mask & !live);
                    self.merge_all(func, &owner.regions[1].args, &values[1..], live);
                    frame.mask = live;
                    1
                } else {
                    self.merge_all(func, &owner.regions[0].args, &values, frame.mask);
                    0
                };
                if frame.mask != 0 {
                    frame.region = &owner.regions[next];
                    frame.pc = 0;
                    self.frames.push(frame);
                }
            }
        }
    }

    /// Steps the induction variable of a `for`; the lanes that go on.
    fn advance(&self, func: &Func, owner: &Op, i: &mut Lanes, mask: u32) -> u32 {
        let ty = func.ty(owner.args[0]).elem();
        let (hi, step) = (self.lanes(owner.args[1]), self.lanes(owner.args[2]));
        let int = |bits: u64| Const::new(ty, bits).int();
        let mut live = 0;
        for l in lanes(mask) {
            let next = int(i[l]) + int(step[l]); // in i128: does not wrap
            if next < int(hi[l]) {
                i[l] = Const::new(ty, next as u64).bits;
                live |= 1 << l;
            }
        }
        live
    }
}

/// One element in every lane that nobody wrote.
pub(super) fn poison(s: Scalar) -> Lanes {
    [POISON & mask(s); LANES]
}

/// All elements of a type, as poison.
pub(super) fn poison_of(ty: Ty) -> Vec<Lanes> {
    let n = crate::verify::elements(ty).unwrap_or(1);
    vec![poison(ty.elem()); n as usize]
}
