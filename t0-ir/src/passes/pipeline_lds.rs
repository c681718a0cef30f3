//! Overlaps the loads of a loop's next tiles with the work on its present ones: `#[pipeline(stages = N)]`.
//!
//! The loop
//! ```text
//! for i { t = tile_load m(i); work on t }
//! ```
//! becomes, with d = N − 1 tiles in flight (one, if N is 1)
//! ```text
//! for p in 0..d { s = tile_fetch m(lo + p·step); tile_commit s, buffer p }
//! for i, cur {
//!     s = tile_fetch m(i + d·step)        // global loads start here …
//!     t = tile_at cur; work on t
//!     tile_commit s, buffer cur + d       // … and are waited for here
//!     yield cur + 1
//! }
//! ```
//! Buffers are counted modulo N; `cur` is carried as a byte offset, one for all tiles of a size. Slots (see
//! `place_barriers`): the tile being worked on is slot 0, the one committed slot d mod N. With two or more buffers a commit never
//! meets the tile being worked on, and one barrier per iteration is enough; with one it needs two.
//!
//! The addresses of the next tiles are computed by a copy of the operations that compute those of the present ones, with
//! the next index put in. Past the last iteration the index stays at `hi` (it does not wrap): such a fetch is still masked by
//! its matrix, costs nothing where `hi` is the matrix's size, and what it commits is never read. The same holds for the
//! fetches before a loop without iterations.

mod full;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::diag::{Diag, Diags};
use crate::func::{Func, OpId, Region, Span, Value};
use crate::op::{Effect, Inside, LdsId, LoopHints, OpKind, Pred};
use crate::passes::lower_tiles::arith::Arith;
use crate::passes::lower_tiles::layout::Layout;
use crate::passes::lower_tiles::new_alloc;
use crate::passes::lower_tiles::swizzle::WholeChunks;
use crate::passes::rewrite::{rewrite, Rewrite, Rewriter};
use crate::ty::Ty;
use crate::verify::LDS_LIMIT;

/// Pipelines the loops that ask for it.
///
/// # Errors
/// A loop that cannot be pipelined, with the reason.
pub fn run(func: &mut Func) -> Result<(), Diags> {
    let staged =
        |k: &OpKind| matches!(k, OpKind::TileLoad { .. }) || matches!(k, OpKind::For { hints } if hints.stages > 0);
    if !func.ops.iter().any(|op| staged(&op.kind)) {
        return Ok(());
    }
    let mut pass = PipelineLds {
        at: HashMap::new(),
        whole: WholeChunks::of(func),
    };
    rewrite(func, &mut pass)
}

struct PipelineLds {
    /// Where the tile of a load that is pipelined lies: allocation, slot and byte offset (a new value).
    at: HashMap<OpId, (LdsId, u32, Value)>,
    /// Tiles that may be swizzled.
    whole: WholeChunks,
}

impl Rewrite for PipelineLds {
    fn op(&mut self, r: &mut Rewriter<'_>, id: OpId) -> Result<(), Diags> {
        let op = r.old.op(id);
        match op.kind {
            OpKind::For { hints } if hints.stages > 0 => self.pipeline(r, id, hints),
            OpKind::TileLoad { .. } => match self.at.get(&id) {
                None => r.copy(self, id),
                Some(&(lds, slot, offset)) => {
                    let tile =
                        r.b.op1_as(OpKind::TileAt { lds, slot }, &[offset], r.old.ty(op.results[0]));
                    r.set(op.results[0], tile);
                    Ok(())
                }
            },
            _ => r.copy(self, id),
        }
    }
}

/// One tile of a pipelined loop.
struct Tile {
    load: OpId,
    layout: Layout,
    lds: LdsId,
    /// Which of the carried offsets is its.
    offset: usize,
}

/// A pipelined loop.
struct Plan {
    id: OpId,
    stages: u32,
    tiles: Vec<Tile>,
    /// Bytes of one buffer, for each carried offset.
    sizes: Vec<u32>,
    /// Operations that the loads' operands are computed by, in order.
    slice: Vec<OpId>,
}

impl PipelineLds {
    fn pipeline(&mut self, r: &mut Rewriter<'_>, id: OpId, hints: LoopHints) -> Result<(), Diags> {
        let plan = plan(r, &self.whole, id, hints.stages)?;
        let op = r.old.op(id);
        let region = &op.regions[0];
        let in_flight = plan.in_flight();
        let mut bounds = [r.get(op.args[0]), r.get(op.args[1]), r.get(op.args[2])];
        r.b.set_span(op.span);
        let zero = r.b.u32(0);
        let full = full::full(r, &plan, bounds);
        plan.prologue(r, bounds);

        let mut args = r.get_all(&op.args);
        if let Some(full) = full {
            let done = self.full_turns(r, &plan, &full, &args)?;
            bounds[0] = full.end;
            args[0] = full.end;
            args.truncate(3);
            args.extend(done);
            r.b.set_span(op.span);
        }
        args.extend(plan.sizes.iter().map(|_| zero));
        let tys: Vec<Ty> = args[3..].iter().map(|&v| r.b.func().ty(v)).collect();
        let mut arg_tys = vec![r.old.ty(region.args[0])];
        arg_tys.extend(&tys);
        let inner = r.b.begin_region(&arg_tys);
        let offsets = inner[region.args.len()..].to_vec();
        r.set_all(&region.args, &inner);
        let next = (0..in_flight).fold(inner[0], |i, _| step(r, i, bounds));
        let staged = plan.fetch(r, next, &[]);
        for t in &plan.tiles {
            let offset = *offsets.get(t.offset).unwrap_or(&zero);
            self.at.insert(t.load, (t.lds, 0, offset));
        }
        let (end, mut values) = r.inline(self, region)?;
        let targets: Vec<Value> = plan
            .sizes
            .iter()
            .zip(&offsets)
            .map(|(&n, &at)| plan.back(r, at, n))
            .collect();
        for (t, s) in plan.tiles.iter().zip(staged) {
            let offset = *targets.get(t.offset).unwrap_or(&zero);
            plan.commit(r, t, s, in_flight % plan.stages, offset);
        }
        for (&n, &at) in plan.sizes.iter().zip(&offsets) {
            values.push(plan.forward(r, at, n));
        }
        let body = r.b.end_region(end, &values);
        r.b.set_span(op.span);
        let results = r.b.emit(
            OpKind::For {
                hints: LoopHints { stages: 0, ..hints },
            },
            &args,
            &tys,
            vec![body],
        );
        r.set_all(&op.results, &results);
        Ok(())
    }

    /// Builds the loop over the iterations whose fetches lie inside (see [`full`]), a turn through all buffers at a time;
    /// `args`: bounds and carried values of the original one. The carried values behind it.
    fn full_turns(
        &mut self,
        r: &mut Rewriter<'_>,
        plan: &Plan,
        full: &full::Full,
        args: &[Value],
    ) -> Result<Vec<Value>, Diags> {
        let op = r.old.op(plan.id);
        let region = &op.regions[0];
        let OpKind::For { hints } = op.kind else {
            panic!("pipeline_lds: a loop in `{}` is no `for`", r.old.name)
        };
        let turn = r.b.u32(plan.stages * full.step);
        let tys: Vec<Ty> = args[3..].iter().map(|&v| r.b.func().ty(v)).collect();
        let mut arg_tys = vec![r.old.ty(region.args[0])];
        arg_tys.extend(&tys);
        let inner = r.b.begin_region(&arg_tys);
        let mut carried = inner[1..].to_vec();
        for p in 0..plan.stages {
            r.b.set_span(op.span);
            let i = r.b.add_const(inner[0], p * full.step);
            let ahead = r.b.add_const(inner[0], (p + plan.in_flight()) * full.step);
            r.set(region.args[0], i);
            r.set_all(&region.args[1..], &carried);
            let staged = plan.fetch(r, ahead, &full.inside);
            for t in &plan.tiles {
                let offset = r.b.u32(p * t.layout.bytes());
                self.at.insert(t.load, (t.lds, p, offset));
            }
            carried = r.inline(self, region)?.1;
            let slot = (p + plan.in_flight()) % plan.stages;
            for (t, s) in plan.tiles.iter().zip(staged) {
                let offset = r.b.u32(slot * t.layout.bytes());
                plan.commit(r, t, s, slot, offset);
            }
        }
        let body = r.b.end_region(OpKind::Yield, &carried);
        r.b.set_span(op.span);
        let hints = LoopHints {
            stages: 0,
            turns: true,
            ..hints
        };
        let mut args = args.to_vec();
        (args[1], args[2]) = (full.end, turn);
        Ok(r.b.emit(OpKind::For { hints }, &args, &tys, vec![body]))
    }
}

impl Plan {
    /// How many iterations ahead tiles are fetched.
    fn in_flight(&self) -> u32 {
        (self.stages - 1).max(1)
    }

    /// Fetches and commits the first tiles.
    fn prologue(&self, r: &mut Rewriter<'_>, bounds: [Value; 3]) {
        let mut at = bounds[0];
        let mut staged = Vec::new();
        for p in 0..self.in_flight() {
            if p > 0 {
                at = step(r, at, bounds);
            }
            staged.push(self.fetch(r, at, &[]));
        }
        for (p, staged) in (0..).zip(staged) {
            for (t, s) in self.tiles.iter().zip(staged) {
                let offset = r.b.u32(p * t.layout.bytes());
                self.commit(r, t, s, p, offset);
            }
        }
    }

    /// Fetches the tiles of the iteration with index `i`: one staged tile per load. `inside`: what is known of each, or nothing.
    fn fetch(&self, r: &mut Rewriter<'_>, i: Value, inside: &[Inside]) -> Vec<Value> {
        let here = r.b.span();
        let mut new: HashMap<Value, Value> = HashMap::new();
        new.insert(r.old.op(self.id).regions[0].args[0], i);
        for &id in &self.slice {
            let op = r.old.op(id);
            let args = mapped(r, &new, &op.args);
            let tys: Vec<Ty> = op.results.iter().map(|&v| r.old.ty(v)).collect();
            r.b.set_span(op.span);
            let results = r.b.emit(op.kind.clone(), &args, &tys, Vec::new());
            new.extend(op.results.iter().copied().zip(results));
        }
        let mut staged = Vec::new();
        for (n, t) in self.tiles.iter().enumerate() {
            let op = r.old.op(t.load);
            let args = mapped(r, &new, &op.args);
            r.b.set_span(op.span);
            let inside = inside.get(n).copied().unwrap_or_default();
            let transposed = t.layout.transposed;
            let kind = OpKind::TileFetch { inside, transposed };
            staged.push(r.b.op1_as(kind, &args, Ty::Staged(t.layout.ty)));
        }
        r.b.set_span(here);
        staged
    }

    fn commit(&self, r: &mut Rewriter<'_>, t: &Tile, staged: Value, slot: u32, offset: Value) {
        let here = r.b.span();
        r.b.set_span(r.old.op(t.load).span);
        let kind = OpKind::TileCommit { lds: t.lds, slot };
        r.b.op1_as(kind, &[staged, offset], Ty::LdsTile(t.layout.ty));
        r.b.set_span(here);
    }

    /// Offset of the buffer after the one at `at`; `size`: bytes of a buffer.
    fn forward(&self, r: &mut Rewriter<'_>, at: Value, size: u32) -> Value {
        self.turn(r, at, (self.stages - 1) * size, OpKind::Add, size, 0)
    }

    /// Offset of the buffer `in_flight` ones after the one at `at`, which is the one before it.
    fn back(&self, r: &mut Rewriter<'_>, at: Value, size: u32) -> Value {
        self.turn(r, at, 0, OpKind::Sub, size, (self.stages - 1) * size)
    }

    fn turn(&self, r: &mut Rewriter<'_>, at: Value, last: u32, kind: OpKind, size: u32, wrapped: u32) -> Value {
        let size = r.b.u32(size);
        if self.stages == 2 {
            return r.b.op1(OpKind::Xor, &[at, size]); // 0 ↔ size
        }
        let (last, wrapped) = (r.b.u32(last), r.b.u32(wrapped));
        let is_last = r.b.op1(OpKind::Cmp { pred: Pred::Eq }, &[at, last]);
        let moved = r.b.op1(kind, &[at, size]);
        r.b.op1(OpKind::Select, &[is_last, wrapped, moved])
    }
}

fn mapped(r: &Rewriter<'_>, new: &HashMap<Value, Value>, old: &[Value]) -> Vec<Value> {
    old.iter()
        .map(|v| new.get(v).copied().unwrap_or_else(|| r.get(*v)))
        .collect()
}

/// The index one step after `i`, or `hi` if that is no iteration; `bounds`: lo, hi, step (new values).
fn step(r: &mut Rewriter<'_>, i: Value, [_, hi, step]: [Value; 3]) -> Value {
    let b = &mut r.b;
    // `hi - i` and `step` as unsigned numbers are right for both types of index.
    let left = b.op1(OpKind::Sub, &[hi, i]);
    let (mut unsigned, mut by) = (left, step);
    if b.func().ty(i) != Ty::U32 {
        unsigned = b.op1_as(OpKind::Cast, &[left], Ty::U32);
        by = b.op1_as(OpKind::Cast, &[step], Ty::U32);
    }
    let more = b.op1(OpKind::Cmp { pred: Pred::Lt }, &[by, unsigned]);
    let next = b.op1(OpKind::Add, &[i, step]);
    b.op1(OpKind::Select, &[more, next, hi])
}

/// Checks that a loop can be pipelined, and reserves its LDS.
fn plan(r: &mut Rewriter<'_>, whole: &WholeChunks, id: OpId, stages: u32) -> Result<Plan, Diags> {
    let func = r.old;
    let op = func.op(id);
    let region = &op.regions[0];
    let mut diags = Diags::default();
    for load in hidden_loads(func, region) {
        diags.push(
            refuse(op.span, "a tile is loaded under a condition or in an inner loop")
                .note_at(load, "loaded here")
                .help("load the tile in every iteration, at the top level of the loop"),
        );
    }
    let loads: Vec<OpId> = region
        .ops
        .iter()
        .copied()
        .filter(|&o| matches!(func.op(o).kind, OpKind::TileLoad { .. }))
        .collect();
    if loads.is_empty() && diags.is_empty() {
        let text = "it loads no tile";
        diags.push(refuse(op.span, text).help("load tiles with `Lds::load` in the loop, or remove `#[pipeline]`"));
    }
    let mut slice = BTreeSet::new(); // positions in the region
    for &load in &loads {
        if let Err(d) = slice_of(func, op.span, region, load, &mut slice) {
            diags.push(d);
        }
        if let Some(d) = written_in_loop(func, op.span, region, load) {
            diags.push(d);
        }
    }
    let mut layouts = Vec::new();
    for &load in &loads {
        let load = func.op(load);
        let (tile, ty) = (load.results[0], tile_ty(func, load.results[0]));
        let layout = Layout::new(ty, func.group, load.span, whole.has(func, tile, ty));
        let transposed = load.kind == OpKind::TileLoad { transposed: true };
        match layout.and_then(|l| if transposed { l.transposed(load.span) } else { Ok(l) }) {
            Ok(l) => layouts.push(l),
            Err(d) => diags.push(d),
        }
    }
    diags.into_result()?;
    check_bytes(r, op.span, stages, &loads, &layouts)?;
    Ok(reserve(
        r,
        id,
        stages,
        &loads,
        &layouts,
        slice.iter().map(|&p| region.ops[p]).collect(),
    ))
}

fn refuse(span: Span, why: &str) -> Diag {
    Diag::new(span, format!("this loop cannot be pipelined: {why}"))
}

fn tile_ty(func: &Func, v: Value) -> crate::ty::TileTy {
    match func.ty(v) {
        Ty::LdsTile(t) => t,
        ty => panic!("pipeline_lds: %{} of `{}` is a {ty}, not a tile", v.0, func.name),
    }
}

fn reserve(r: &mut Rewriter<'_>, id: OpId, stages: u32, loads: &[OpId], layouts: &[Layout], slice: Vec<OpId>) -> Plan {
    let mut sizes: Vec<u32> = Vec::new();
    let mut tiles = Vec::new();
    for (&load, &layout) in loads.iter().zip(layouts) {
        let size = layout.bytes();
        let offset = sizes.iter().position(|&s| s == size).unwrap_or_else(|| {
            sizes.push(size);
            sizes.len() - 1
        });
        let tile = r.old.op(load).results[0];
        let name = r.old.values[tile.0 as usize].name.as_deref();
        let lds = new_alloc(r.b.func_mut(), name, &layout, stages);
        tiles.push(Tile {
            load,
            layout,
            lds,
            offset,
        });
    }
    if stages == 1 {
        sizes.clear(); // one buffer, always at 0
    }
    Plan {
        id,
        stages,
        tiles,
        sizes,
        slice,
    }
}

/// Tile loads below the top level of a loop's body, but for those of inner loops that are pipelined themselves.
fn hidden_loads(func: &Func, region: &Region) -> Vec<Span> {
    fn all(func: &Func, region: &Region, out: &mut Vec<Span>) {
        for &id in &region.ops {
            let op = func.op(id);
            match op.kind {
                OpKind::TileLoad { .. } => out.push(op.span),
                OpKind::For { hints } if hints.stages > 0 => {}
                _ => op.regions.iter().for_each(|g| all(func, g, out)),
            }
        }
    }
    let mut out = Vec::new();
    for &id in &region.ops {
        let op = func.op(id);
        if !matches!(op.kind, OpKind::For { hints } if hints.stages > 0) {
            op.regions.iter().for_each(|g| all(func, g, &mut out));
        }
    }
    out
}

/// Adds the positions of the operations in the loop's body that a load's operands are computed by.
fn slice_of(func: &Func, span: Span, region: &Region, load: OpId, slice: &mut BTreeSet<usize>) -> Result<(), Diag> {
    let defs: BTreeMap<Value, usize> = (0..)
        .zip(&region.ops)
        .flat_map(|(p, &o)| func.op(o).results.iter().map(move |&v| (v, p)))
        .collect();
    let at = func.op(load).span;
    let mut work = func.op(load).args.clone();
    while let Some(v) = work.pop() {
        if region.args[1..].contains(&v) {
            return Err(refuse(
                span,
                "a tile's place depends on a variable that changes from iteration to iteration",
            )
            .note_at(at, "this tile")
            .help("compute the place from the loop's index and values from outside the loop"));
        }
        let Some(&p) = defs.get(&v) else { continue };
        let op = func.op(region.ops[p]);
        let why = match op.kind.row().effect {
            Effect::Pure => None,
            Effect::Control => Some("is chosen by an `if` or a loop inside the loop"),
            Effect::Read | Effect::Write => Some("is read from memory inside the loop"),
        };
        if let Some(why) = why {
            return Err(refuse(span, &format!("a tile's place {why}"))
                .note_at(op.span, "here")
                .note_at(at, "this tile")
                .help("compute the place from the loop's index and values from outside the loop"));
        }
        if slice.insert(p) {
            work.extend(&op.args);
        }
    }
    Ok(())
}

/// The parameter or other value a view is part of.
fn root(func: &Func, mut v: Value, defs: &HashMap<Value, OpId>) -> Value {
    while let Some(op) = defs.get(&v).map(|&id| func.op(id)) {
        match op.kind {
            OpKind::View => v = op.args[0],
            _ => break,
        }
    }
    v
}

/// Fetching ahead reads memory earlier than the source says: the loop must not write it.
fn written_in_loop(func: &Func, span: Span, region: &Region, load: OpId) -> Option<Diag> {
    let mut defs = HashMap::new();
    let mut writes = Vec::new();
    let mut fence = None;
    each_op(func, &func.body, &mut |id| {
        defs.extend(func.op(id).results.iter().map(|&v| (v, id)))
    });
    each_op(func, region, &mut |id| {
        if matches!(
            func.op(id).kind,
            OpKind::Store | OpKind::TileStore | OpKind::Atomic { .. }
        ) {
            writes.push(id);
        }
        if let OpKind::Fence { order, .. } = func.op(id).kind {
            fence = fence.or(order.acquires().then_some(id));
        }
    });
    if let Some(fence) = fence {
        let diag = refuse(span, "it waits for what others write")
            .note_at(func.op(fence).span, "ordered here")
            .note_at(func.op(load).span, "loaded here, one iteration ahead");
        return Some(diag.help("remove `#[pipeline]`, or let the order be `Relaxed`"));
    }
    let is_param = |v: &Value| func.body.args.contains(v);
    let from = root(func, func.op(load).args[0], &defs);
    let write = writes.into_iter().find(|&w| {
        let to = root(func, func.op(w).args[0], &defs);
        to == from || !is_param(&to) || !is_param(&from)
    })?;
    Some(
        refuse(span, "it may write the matrix it loads tiles from")
            .note_at(func.op(write).span, "written here")
            .note_at(func.op(load).span, "loaded here, one iteration ahead")
            .help("remove `#[pipeline]`, or write to another matrix"),
    )
}

fn each_op(func: &Func, region: &Region, f: &mut impl FnMut(OpId)) {
    for &id in &region.ops {
        f(id);
        for g in &func.op(id).regions {
            each_op(func, g, f);
        }
    }
}

fn check_bytes(r: &Rewriter<'_>, span: Span, stages: u32, loads: &[OpId], layouts: &[Layout]) -> Result<(), Diag> {
    let one: u64 = layouts.iter().map(|l| u64::from(l.bytes())).sum();
    let taken = u64::from(r.b.func().lds_bytes().next_multiple_of(16));
    let limit = u64::from(LDS_LIMIT);
    let need = one * u64::from(stages);
    if need + taken <= limit {
        return Ok(());
    }
    let mut diag = refuse(
        span,
        &format!(
            "{stages} stages of {one} bytes are {need} bytes of LDS, a workgroup has {}",
            limit.saturating_sub(taken)
        ),
    );
    for (&load, l) in loads.iter().zip(layouts) {
        let op = r.old.op(load);
        let name = match &r.old.values[op.results[0].0 as usize].name {
            Some(name) => format!("`{name}`"),
            None => "a tile".to_string(),
        };
        diag = diag.note_at(op.span, format!("{name} is {}", l.describe()));
    }
    if taken > 0 {
        diag = diag.note(format!("{taken} of {limit} bytes are taken by the rest of the kernel"));
    }
    let fit = limit.saturating_sub(taken) / one;
    Err(diag.help(match fit {
        0 => "use smaller tiles: not even one stage fits".to_string(),
        1 => "use `stages = 1` or smaller tiles".to_string(),
        n => format!("use at most {n} stages, or smaller tiles"),
    }))
}
