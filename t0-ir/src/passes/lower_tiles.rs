//! Turns tile operations into loads, LDS accesses and arithmetic.
//!
//! * `tile_load` becomes a fetch and a commit into an LDS allocation of its own. Commits of neighbouring loads are put off
//!   until after the last fetch, so that all their loads are under way before the first is waited for.
//! * `tile_fetch` becomes one wide load per chunk and lane (see `layout`) where rows are made of whole chunks, and one load
//!   per element elsewhere; see `fetch`.
//! * `tile_commit` becomes one LDS store per chunk, `tile_frag` one fragment load, `tile_store` eight masked stores.
//!
//! A staged tile becomes the list of its chunks' vectors; a tile in LDS becomes an allocation, a slot and a byte offset, the
//! first two known here: that is why neither can be carried through a region.
//!
//! Meaning of the borders: element (r, c) of a tile at (row, col) is the matrix's element (row + r, col + c) computed without
//! wrapping, 0 where that is outside `rows`×`cols`. Reading something as 0 is done by moving its index to `u32::MAX`, past the
//! end of any view. Barriers are not placed here but by `place_barriers`, which relies on this: two writes to the same byte of
//! a tile's allocation come from the same lane.

pub(crate) mod arith;
mod fetch;
pub(crate) mod layout;
pub(crate) mod swizzle;
mod transpose;

use std::collections::{HashMap, HashSet};

use crate::build::Builder;
use crate::diag::{Diag, Diags};
use crate::func::{Func, OpId, Region, Span, Value};
use crate::op::{Convergent, Effect, Inside, LdsId, OpKind};
use crate::passes::rewrite::{rewrite, Rewrite, Rewriter};
use crate::ty::{TileTy, Ty};

use arith::{split_const, Arith};
pub(crate) use fetch::new_alloc;
use layout::Layout;
use swizzle::{WholeChunks, UNIT};

/// Lowers all tile operations.
///
/// # Errors
/// Tiles larger than any LDS or without whole chunks, fragments outside their tile, tiles carried through control flow.
pub fn run(func: &mut Func) -> Result<(), Diags> {
    let of_tiles = |k: &OpKind| {
        use OpKind::{TileAt, TileCommit, TileFetch, TileFrag, TileLoad, TileStore};
        matches!(
            k,
            TileLoad { .. } | TileFetch { .. } | TileCommit { .. } | TileAt { .. } | TileFrag | TileStore
        )
    };
    if !func.ops.iter().any(|op| of_tiles(&op.kind)) {
        return Ok(());
    }
    let mut pass = LowerTiles {
        used: used_values(func),
        ahead: ahead(func, &func.body),
        whole: WholeChunks::of(func),
        staged: HashMap::new(),
        tiles: HashMap::new(),
        pending: Vec::new(),
    };
    rewrite(func, &mut pass)
}

/// Values that an operation in some region uses.
fn used_values(func: &Func) -> HashSet<Value> {
    fn walk(func: &Func, region: &Region, used: &mut HashSet<Value>) {
        for &id in &region.ops {
            let op = func.op(id);
            used.extend(&op.args);
            op.regions.iter().for_each(|g| walk(func, g, used));
        }
    }
    let mut used = HashSet::new();
    walk(func, &func.body, &mut used);
    used
}

/// See [`LowerTiles::ahead`].
fn ahead(func: &Func, region: &Region) -> HashMap<Value, (Value, u32)> {
    let mut out = HashMap::new();
    for &id in &region.ops {
        let op = func.op(id);
        out.extend(op.regions.iter().flat_map(|g| ahead(func, g)));
        let OpKind::For { hints } = op.kind else { continue };
        if !hints.turns {
            continue;
        }
        let body = &op.regions[0];
        let mut consts: HashMap<Value, u32> = HashMap::new();
        for &id in &body.ops {
            let op = func.op(id);
            match (&op.kind, &op.args[..]) {
                (OpKind::Const { bits, .. }, _) => drop(consts.insert(op.results[0], *bits as u32)),
                (OpKind::Add, &[i, c]) if i == body.args[0] && consts.contains_key(&c) => {
                    out.insert(op.results[0], (i, consts[&c]));
                }
                _ => {}
            }
        }
    }
    out
}

/// A tile in LDS: byte `offset` of a slot of an allocation.
#[derive(Clone, Copy)]
struct Place {
    lds: LdsId,
    slot: u32,
    offset: Value,
    layout: Layout,
}

/// A fetched tile that is not in LDS yet.
struct Pending {
    place: Place,
    chunks: Vec<Value>,
    tile: Value,
    span: Span,
}

/// A tile in the lanes' registers.
struct Staged {
    /// This lane's chunks.
    chunks: Vec<Value>,
    /// They are of the transposed.
    transposed: bool,
}

struct LowerTiles {
    /// Values of the old function that are used.
    used: HashSet<Value>,
    /// Sums of the index of a loop with [`crate::LoopHints::turns`] and a constant; `pipeline_lds` saw to it that they do not wrap.
    ahead: HashMap<Value, (Value, u32)>,
    /// Tiles that may be swizzled.
    whole: WholeChunks,
    /// Staged tiles of the old function.
    staged: HashMap<Value, Staged>,
    /// Tiles in LDS of the old function.
    tiles: HashMap<Value, Place>,
    /// Loads whose commit is put off.
    pending: Vec<Pending>,
}

impl Rewrite for LowerTiles {
    fn op(&mut self, r: &mut Rewriter<'_>, id: OpId) -> Result<(), Diags> {
        let op = r.old.op(id);
        if self.must_flush(r, id) {
            self.flush(r);
        }
        match op.kind {
            OpKind::TileLoad { transposed } => self.load(r, id, transposed)?,
            OpKind::TileFetch { inside, transposed } => self.fetch(r, id, inside, transposed)?,
            OpKind::TileCommit { lds, slot } => {
                let mut place = self.place(r, id, lds, slot, op.args[1])?;
                let staged = self.staged.get(&op.args[0]).ok_or_else(|| carried(op.span))?;
                if staged.transposed {
                    place.layout = place.layout.transposed(op.span)?;
                }
                fetch::commit(r, &place, &staged.chunks);
            }
            OpKind::TileAt { lds, slot } => {
                self.place(r, id, lds, slot, op.args[0])?;
            }
            OpKind::TileFrag => self.frag(r, id)?,
            OpKind::TileStore => fetch::store(r, id),
            _ => {
                let passed = op.regions.iter().flat_map(|g| &g.args);
                if passed.chain(&op.results).any(|&v| is_tile(r.old.ty(v))) {
                    return Err(carried(op.span).into());
                }
                r.copy(self, id)?;
            }
        }
        Ok(())
    }
}

impl LowerTiles {
    /// Notes where the tile that an operation results in lies.
    fn place(&mut self, r: &Rewriter<'_>, id: OpId, lds: LdsId, slot: u32, offset: Value) -> Result<Place, Diag> {
        let op = r.old.op(id);
        let layout = tile_layout(r, op.results[0], op.span, r.old.lds[lds.0 as usize].swizzled)?;
        let offset = r.get(offset);
        let place = Place {
            lds,
            slot,
            offset,
            layout,
        };
        self.tiles.insert(op.results[0], place);
        Ok(place)
    }

    fn fetch(&mut self, r: &mut Rewriter<'_>, id: OpId, inside: Inside, transposed: bool) -> Result<(), Diags> {
        let op = r.old.op(id);
        // Only its chunks matter here.
        let layout = fetched_layout(r, op.results[0], op.span, true, transposed)?;
        let mut args = r.get_all(&op.args);
        let chunks = match inside {
            Inside::Unknown => fetch::fetch(&mut r.b, &layout, &args),
            _ => {
                let ahead = [4, 5].map(|n| match self.ahead.get(&op.args[n]) {
                    Some(&(index, by)) => {
                        args[n] = r.get(index);
                        by
                    }
                    None => 0,
                });
                fetch::fetch_inside(&mut r.b, &layout, &args, ahead, inside == Inside::All)
            }
        };
        self.staged.insert(op.results[0], Staged { chunks, transposed });
        Ok(())
    }

    /// May put-off commits not wait until after this operation? Tile loads let them wait, and so does whatever neither uses
    /// the tiles nor writes, decides or converges.
    fn must_flush(&self, r: &Rewriter<'_>, id: OpId) -> bool {
        let op = r.old.op(id);
        if self.pending.is_empty() || matches!(op.kind, OpKind::TileLoad { .. }) {
            return false;
        }
        let row = op.kind.row();
        let harmless = matches!(row.effect, Effect::Pure | Effect::Read) && row.convergent == Convergent::No;
        !harmless || op.args.iter().any(|a| self.pending.iter().any(|p| p.tile == *a))
    }

    fn flush(&mut self, r: &mut Rewriter<'_>) {
        let here = r.b.span();
        for p in std::mem::take(&mut self.pending) {
            r.b.set_span(p.span);
            fetch::commit(r, &p.place, &p.chunks);
        }
        r.b.set_span(here);
    }

    /// A load that is used is committed before its use, which is in its own region or within an operation of it: no commit is
    /// left over at a region's end.
    fn load(&mut self, r: &mut Rewriter<'_>, id: OpId, transposed: bool) -> Result<(), Diags> {
        let op = r.old.op(id);
        let tile = op.results[0];
        let swizzled = self.whole.has(r.old, tile, tile_ty(r, tile));
        let layout = fetched_layout(r, tile, op.span, swizzled, transposed)?;
        if !self.used.contains(&tile) {
            return Ok(());
        }
        let args = r.get_all(&op.args);
        let chunks = fetch::fetch(&mut r.b, &layout, &args);
        let name = r.old.values[tile.0 as usize].name.as_deref();
        let lds = new_alloc(r.b.func_mut(), name, &layout, 1);
        let offset = r.b.u32(0);
        let place = Place {
            lds,
            slot: 0,
            offset,
            layout,
        };
        self.tiles.insert(tile, place);
        let span = op.span;
        self.pending.push(Pending {
            place,
            chunks,
            tile,
            span,
        });
        Ok(())
    }

    fn frag(&mut self, r: &mut Rewriter<'_>, id: OpId) -> Result<(), Diags> {
        let op = r.old.op(id);
        let place = *self.tiles.get(&op.args[0]).ok_or_else(|| carried(op.span))?;
        let Layout { ty, stride, .. } = place.layout;
        // The parts of the address known now go into the instruction.
        let (block, first) = split_const(r, r.get(op.args[1]));
        let (k, first_k) = split_const(r, r.get(op.args[2]));
        if ty.rows < 16 || ty.cols < 16 || first >= ty.rows / 16 || first_k > ty.cols - 16 {
            return Err(outside(ty, first, first_k, op.span).into());
        }
        let (place_offset, place_base) = split_const(r, place.offset);
        let b = &mut r.b;
        let lane = b.op1(OpKind::LaneId, &[]);
        let row = b.and_const(lane, 15);
        let mut line = b.mul_const(row, stride);
        if let Some(block) = block {
            let at = b.mul_const(block, 16 * stride);
            line = b.add(line, at);
        }
        if let Some(at) = place_offset {
            line = b.add(line, at);
        }
        let (columns, column_base) = columns(b, &place.layout, row, k, first_k);
        let offsets: Vec<Value> = columns.into_iter().map(|at| b.add(line, at)).collect();
        let kind = OpKind::LdsFragLoad {
            lds: place.lds,
            base: first * 16 * stride + column_base + place_base,
            slot: place.slot,
        };
        let frag = b.op1_as(kind, &offsets, r.old.ty(op.results[0]));
        r.set(op.results[0], frag);
        Ok(())
    }
}

/// Where in their row the lanes of a fragment load find its elements from column `k` + `first_k` on: the whole, or each half where a
/// swizzle parts them; and a constant to be added.
fn columns(b: &mut Builder, l: &Layout, row: Value, k: Option<Value>, first_k: u32) -> (Vec<Value>, u32) {
    let size = l.ty.elem.bytes();
    let moving = k.map(|k| b.mul_const(k, size));
    let fixed = first_k * size;
    let Some(swizzle) = l.swizzle else {
        let zero = b.u32(0);
        return (vec![moving.unwrap_or(zero)], fixed);
    };
    let turn = swizzle.turn(b, row);
    let halves = (16 * size).div_ceil(UNIT);
    // Whole turns of the chunks leave the rest of a constant alone.
    let base = if moving.is_some() {
        0
    } else {
        fixed - fixed % swizzle.span()
    };
    let half = |n: u32| {
        let fixed = fixed - base + n * UNIT;
        let at = match moving {
            Some(at) => b.add_const(at, fixed),
            None => b.u32(fixed),
        };
        b.op1(OpKind::Xor, &[at, turn])
    };
    ((0..halves).map(half).collect(), base)
}

/// Layout of a tile, which is a value of the old function.
fn tile_layout(r: &Rewriter<'_>, tile: Value, span: Span, swizzled: bool) -> Result<Layout, Diag> {
    Layout::new(tile_ty(r, tile), r.old.group, span, swizzled)
}

/// The same with how it is fetched.
fn fetched_layout(r: &Rewriter<'_>, tile: Value, span: Span, swizzled: bool, transposed: bool) -> Result<Layout, Diag> {
    let layout = tile_layout(r, tile, span, swizzled)?;
    if transposed {
        layout.transposed(span)
    } else {
        Ok(layout)
    }
}

fn tile_ty(r: &Rewriter<'_>, tile: Value) -> TileTy {
    match r.old.ty(tile) {
        Ty::Staged(t) | Ty::LdsTile(t) => t,
        ty => panic!("lower_tiles: %{} is a {ty}, not a tile", tile.0),
    }
}

fn is_tile(ty: Ty) -> bool {
    matches!(ty, Ty::Staged(_) | Ty::LdsTile(_))
}

fn carried(span: Span) -> Diag {
    let text = "a tile in LDS cannot be carried through a loop, an `if` or a choice: where it lies must be known when the kernel is compiled";
    Diag::new(span, text).help("load the tile where it is used, or carry its fragments")
}

fn outside(ty: TileTy, block: u32, k: u32, span: Span) -> Diag {
    let TileTy { elem, rows, cols } = ty;
    let text = format!("the 16×16 fragment at block {block}, k = {k} lies outside a tile of {rows}×{cols} {elem}");
    let help = if rows < 16 || cols < 16 {
        "fragments need a tile of at least 16×16".to_string()
    } else {
        format!("blocks go up to {}, k up to {}", rows / 16 - 1, cols - 16)
    };
    Diag::new(span, text).help(help)
}
