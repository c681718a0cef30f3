//! Operand and result types, one arm per operation, as the rows and doc comments of `op.rs` say.

use crate::analysis::uniform::terminator;
use crate::diag::{Diag, Diags};
use crate::eval::{can_cast, mask, rmw, Const};
use crate::func::{Func, Op, Region, Value};
use crate::op::{LdsId, OpKind, ResultRule, Rmw, AXES};
use crate::ty::{Role, Scalar, TileTy, Ty};

pub(super) fn check(func: &Func, diags: &mut Diags) {
    region(func, &func.body, diags);
    for (i, a) in func.lds.iter().enumerate() {
        if !a.align.is_power_of_two() || a.slots == 0 || a.bytes % a.slots != 0 {
            let text = format!(
                "LDS allocation {i} (`{}`) has an alignment or slot count that does not fit",
                a.name
            );
            diags.push(Diag::new(Default::default(), text));
        }
    }
}

fn region(func: &Func, r: &Region, diags: &mut Diags) {
    for &id in &r.ops {
        let op = func.op(id);
        if let Err(what) = (Checker { func, op }).op() {
            diags.push(Diag::new(op.span, format!("`{}`: {what}", op.kind.row().name)));
        }
        for inner in &op.regions {
            region(func, inner, diags);
        }
    }
}

type Check = Result<(), String>;

fn ensure(ok: bool, what: impl FnOnce() -> String) -> Check {
    if ok {
        Ok(())
    } else {
        Err(what())
    }
}

struct Checker<'a> {
    func: &'a Func,
    op: &'a Op,
}

impl Checker<'_> {
    fn arg(&self, n: usize) -> Ty {
        self.func.ty(self.op.args[n])
    }

    fn scalar(&self, n: usize) -> Result<Scalar, String> {
        let ty = self.arg(n);
        ty.scalar().ok_or_else(|| format!("operand {n} is {ty}, not a scalar"))
    }

    fn expect(&self, n: usize, want: Ty) -> Check {
        let ty = self.arg(n);
        ensure(ty == want, || format!("operand {n} is {ty}, not {want}"))
    }

    fn u32s(&self, from: usize, to: usize) -> Check {
        (from..to).try_for_each(|n| self.expect(n, Ty::U32))
    }

    /// The single result's type.
    fn result(&self) -> Result<Ty, String> {
        match self.op.results[..] {
            [r] => Ok(self.func.ty(r)),
            _ => Err(format!("has {} results instead of one", self.op.results.len())),
        }
    }

    fn gives(&self, want: Ty) -> Check {
        let ty = self.result()?;
        ensure(ty == want, || format!("result is {ty}, not {want}"))
    }

    fn same(&self, a: usize, b: usize) -> Check {
        let (x, y) = (self.arg(a), self.arg(b));
        ensure(x == y, || {
            format!("operands {a} and {b} are {x} and {y}, not of one type")
        })
    }

    fn tys(&self, values: &[Value]) -> Vec<Ty> {
        values.iter().map(|&v| self.func.ty(v)).collect()
    }

    fn view(&self) -> Result<Scalar, String> {
        match self.arg(0) {
            Ty::Buffer(s) => Ok(s),
            ty => Err(format!("operand 0 is {ty}, not a view")),
        }
    }

    fn row_result(&self) -> Check {
        match self.op.kind.row().result {
            ResultRule::None => ensure(self.op.results.is_empty(), || "has results".into()),
            ResultRule::Operand(n) => self.gives(self.arg(n)),
            ResultRule::Always(t) => self.gives(t),
            ResultRule::Elem => self.gives(Ty::Scalar(self.arg(0).elem())),
            ResultRule::Given => Ok(()),
        }
    }

    fn op(&self) -> Check {
        self.row_result()?;
        let number = |s: Scalar| ensure(s != Scalar::Bool, || "works on numbers, not bool".into());
        match self.op.kind {
            OpKind::Const { ty, bits } => {
                self.gives(Ty::Scalar(ty))?;
                ensure(bits & !mask(ty) == 0, || format!("bits {bits:#x} do not fit {ty}"))
            }
            OpKind::Add | OpKind::Sub | OpKind::Mul | OpKind::Div | OpKind::Rem | OpKind::Min | OpKind::Max => {
                self.same(0, 1)?;
                number(self.scalar(0)?)
            }
            OpKind::Neg | OpKind::Abs => number(self.scalar(0)?),
            OpKind::And | OpKind::Or | OpKind::Xor => {
                self.same(0, 1)?;
                not_float(self.scalar(0)?)
            }
            OpKind::Not => not_float(self.scalar(0)?),
            OpKind::Shl | OpKind::Shr => {
                self.expect(1, Ty::U32)?;
                int(self.scalar(0)?)
            }
            OpKind::MulAdd => {
                self.same(0, 1)?;
                self.same(0, 2)?;
                float(self.scalar(0)?)
            }
            OpKind::Sqrt | OpKind::Exp | OpKind::Exp2 | OpKind::Ln | OpKind::Log2 | OpKind::Sin | OpKind::Cos => {
                float(self.scalar(0)?)
            }
            OpKind::Floor | OpKind::Ceil | OpKind::Trunc | OpKind::RoundEven => float(self.scalar(0)?),
            OpKind::CountOnes | OpKind::LeadingZeros | OpKind::TrailingZeros | OpKind::ReverseBits => {
                int(self.scalar(0)?)
            }
            OpKind::Cmp { .. } => {
                self.scalar(0)?;
                self.same(0, 1)
            }
            OpKind::Select => {
                self.expect(0, Ty::BOOL)?;
                self.same(1, 2)
            }
            OpKind::Cast => {
                let (from, to) = (self.scalar(0)?, self.result()?);
                let ok = to.scalar().is_some_and(|to| can_cast(from, to));
                ensure(ok, || format!("there is no cast from {from} to {to}"))
            }
            OpKind::Bitcast => {
                let (from, to) = (self.arg(0), self.result()?);
                let ok = plain_bits(from).is_some() && plain_bits(from) == plain_bits(to);
                ensure(ok, || format!("{from} and {to} are not of one width"))
            }
            OpKind::VecBuild => self.vec_build(),
            OpKind::VecGet { index } => {
                let n = elements(self.arg(0)).ok_or_else(|| format!("operand 0 is {}", self.arg(0)))?;
                ensure(index < n, || format!("no element {index} among {n}"))
            }
            OpKind::GroupId { axis } | OpKind::GroupCount { axis } => ensure(axis < AXES, || format!("no axis {axis}")),
            OpKind::LocalId | OpKind::LaneId | OpKind::WaveId | OpKind::Barrier => Ok(()),
            _ => self.memory_wave_control(),
        }
    }

    fn memory_wave_control(&self) -> Check {
        match self.op.kind {
            OpKind::BufferLen => self.view().map(drop),
            OpKind::View => {
                self.view()?;
                self.expect(1, Ty::Scalar(Scalar::U64))?;
                self.expect(2, Ty::U32)
            }
            OpKind::Load => {
                self.expect(1, Ty::U32)?;
                accessible(self.result()?, self.view()?)
            }
            OpKind::LoadChunk { .. } => {
                self.u32s(1, 3)?;
                let ty = self.result()?;
                accessible(ty, self.view()?)?;
                match ty {
                    Ty::Vec(elem, n) if (elem.bytes() * n) % 4 == 0 => Ok(()),
                    ty => Err(format!("result is {ty}, not whole dwords")),
                }
            }
            OpKind::Store => {
                self.expect(1, Ty::U32)?;
                accessible(self.arg(2), self.view()?)
            }
            OpKind::Atomic { op, .. } => {
                let s = self.view()?;
                self.expect(1, Ty::U32)?;
                self.expect(2, Ty::Scalar(s))?;
                has_rmw(op, s)
            }
            OpKind::AtomicLoad { .. } => {
                self.view()?;
                self.expect(1, Ty::U32)
            }
            OpKind::Fence { .. } => Ok(()),
            OpKind::LdsLoad { lds, base, slot } => {
                self.lds(lds, base, slot)?;
                self.expect(0, Ty::U32)?;
                let ty = self.result()?;
                accessible(ty, ty.elem())
            }
            OpKind::LdsStore { lds, base, slot } => {
                self.lds(lds, base, slot)?;
                self.expect(0, Ty::U32)?;
                accessible(self.arg(1), self.arg(1).elem())
            }
            OpKind::LdsAtomic { lds, base, op } => {
                self.lds(lds, base, 0)?;
                self.expect(0, Ty::U32)?;
                has_rmw(op, self.scalar(1)?)
            }
            OpKind::LdsAtomicLoad { lds, base } => {
                self.lds(lds, base, 0)?;
                self.expect(0, Ty::U32)?;
                let scalar = self.result()?.scalar().is_some();
                ensure(scalar, || "an atomic load has a scalar result".into())
            }
            OpKind::Check { site } => {
                self.expect(0, Ty::BOOL)?;
                self.u32s(1, 3)?;
                let known = (site as usize) < self.func.sites.len();
                ensure(known, || format!("there is no site {site}"))
            }
            OpKind::WaveReduce { op } | OpKind::WaveScan { op } => {
                ensure(op != Rmw::Swap, || "cannot reduce by `swap`".into())?;
                has_rmw(op, self.scalar(0)?)
            }
            OpKind::WaveShuffle | OpKind::WaveBroadcast => {
                self.scalar(0)?;
                self.expect(1, Ty::U32)
            }
            OpKind::WaveShuffleXor { mask } => {
                self.scalar(0)?;
                ensure(mask < 32, || format!("mask {mask} names no lane of a wave of 32"))
            }
            OpKind::WaveBallot => self.expect(0, Ty::BOOL),
            OpKind::WavePerm { mask } => {
                self.u32s(0, 2)?;
                ensure(mask < 16, || format!("mask {mask} leads out of the lane's 16"))
            }
            OpKind::FragSplat => match self.result()? {
                Ty::Frag(_, s) => self.expect(0, Ty::Scalar(s)),
                ty => Err(format!("result is {ty}, not a fragment")),
            },
            OpKind::Wmma => self.wmma(),
            OpKind::LdsFragLoad { lds, base, slot } => {
                self.lds(lds, base, slot)?;
                let parts = self.op.args.len();
                ensure(matches!(parts, 1 | 2), || format!("{parts} offsets, not one or two"))?;
                self.u32s(0, parts)?;
                self.input_frag().map(drop)
            }
            _ => self.tile_or_control(),
        }
    }

    fn tile_or_control(&self) -> Check {
        match self.op.kind {
            OpKind::TileLoad { transposed } => {
                self.u32s(1, 6)?;
                match self.result()? {
                    Ty::LdsTile(t) => self.tile(t, self.view()?, transposed),
                    ty => Err(format!("result is {ty}, not a tile")),
                }
            }
            OpKind::TileFetch { transposed, .. } => {
                self.u32s(1, 6)?;
                match self.result()? {
                    Ty::Staged(t) => self.tile(t, self.view()?, transposed),
                    ty => Err(format!("result is {ty}, not a staged tile")),
                }
            }
            OpKind::TileCommit { lds, slot } => {
                self.lds(lds, 0, slot)?;
                self.expect(1, Ty::U32)?;
                match (self.arg(0), self.result()?) {
                    (Ty::Staged(a), Ty::LdsTile(b)) if a == b => Ok(()),
                    (a, b) => Err(format!("makes {b} of {a}")),
                }
            }
            OpKind::TileAt { lds, slot } => {
                self.lds(lds, 0, slot)?;
                self.expect(0, Ty::U32)?;
                let ty = self.result()?;
                ensure(matches!(ty, Ty::LdsTile(_)), || format!("result is {ty}, not a tile"))
            }
            OpKind::TileFrag => {
                self.u32s(1, 3)?;
                let e = self.input_frag()?;
                match self.arg(0) {
                    Ty::LdsTile(t) if t.elem == e => Ok(()),
                    ty => Err(format!("operand 0 is {ty}, not a tile of {e}")),
                }
            }
            OpKind::TileStore => {
                self.u32s(1, 6)?;
                let to = self.view()?;
                match self.arg(6) {
                    Ty::Frag(Role::Acc, from) if can_cast(from, to) => Ok(()),
                    ty => Err(format!("operand 6 is {ty}, which does not go to a matrix of {to}")),
                }
            }
            OpKind::If => self.if_(),
            OpKind::For { .. } => self.for_(),
            OpKind::While => self.while_(),
            OpKind::Yield | OpKind::Condition => Ok(()),
            _ => Err("has no type rule".into()),
        }
    }

    fn vec_build(&self) -> Check {
        let Ty::Vec(s, n) = self.result()? else {
            return Err(format!("result is {}, not a vector", self.result()?));
        };
        vector(s, n)?;
        let got = self.op.args.len();
        ensure(got == n as usize, || format!("{got} operands for {n} elements"))?;
        (0..got).try_for_each(|i| self.expect(i, Ty::Scalar(s)))
    }

    fn lds(&self, lds: LdsId, base: u32, slot: u32) -> Check {
        let Some(a) = self.func.lds.get(lds.0 as usize) else {
            return Err(format!("there is no LDS allocation {}", lds.0));
        };
        ensure(base < a.bytes.max(1), || {
            format!("base {base} is outside of `{}`, {} bytes", a.name, a.bytes)
        })?;
        ensure(slot < a.slots, || {
            format!("slot {slot} of `{}`, which has {}", a.name, a.slots)
        })
    }

    fn input_frag(&self) -> Result<Scalar, String> {
        match self.result()? {
            Ty::Frag(Role::Input, s) => Ok(s),
            ty => Err(format!("result is {ty}, not an input fragment")),
        }
    }

    fn tile(&self, t: TileTy, elem: Scalar, transposed: bool) -> Check {
        ensure(t.elem == elem, || {
            format!("a tile of {} from a matrix of {elem}", t.elem)
        })?;
        ensure(!transposed || elem.bytes() == 2, || {
            format!("a transposed tile of {elem}, which is not 16 bits wide")
        })?;
        ensure(t.rows > 0 && t.cols > 0, || "a tile without elements".into())
    }

    fn wmma(&self) -> Check {
        let (a, b, c) = (self.arg(0), self.arg(1), self.arg(2));
        let (Ty::Frag(Role::Input, x), Ty::Frag(Role::Input, y), Ty::Frag(Role::Acc, z)) = (a, b, c) else {
            return Err(format!("operands are {a}, {b} and {c}"));
        };
        use Scalar::*;
        let ok = matches!(
            (x, y, z),
            (F16, F16, F32 | F16) | (Bf16, Bf16, F32 | Bf16) | (I8 | U8, I8 | U8, I32)
        );
        ensure(ok, || format!("the hardware has no {x} x {y} -> {z}"))
    }

    fn if_(&self) -> Check {
        self.expect(0, Ty::BOOL)?;
        let results = self.tys(&self.op.results);
        for r in &self.op.regions {
            ensure(r.args.is_empty(), || "its regions take no arguments".into())?;
            let yields = self.tys(terminator(self.func, r));
            ensure(yields == results, || {
                "a region yields other types than the results".into()
            })?;
        }
        Ok(())
    }

    fn for_(&self) -> Check {
        ensure(self.op.args.len() >= 3, || "needs three bounds".into())?;
        let bound = self.arg(0);
        let ok = bound == Ty::U32 || bound == Ty::I32;
        ensure(ok, || format!("counts in {bound}, not in u32 or i32"))?;
        self.expect(1, bound)?;
        self.expect(2, bound)?;
        let carried = self.tys(&self.op.args[3..]);
        let mut args = vec![bound];
        args.extend(&carried);
        let region = &self.op.regions[0];
        let yields = self.tys(terminator(self.func, region));
        let ok = self.tys(&region.args) == args && yields == carried && self.tys(&self.op.results) == carried;
        ensure(ok, || {
            "carried values, region arguments, yields and results differ in type".into()
        })
    }

    fn while_(&self) -> Check {
        let carried = self.tys(&self.op.args);
        let [before, after] = &self.op.regions[..] else {
            return Err("needs two regions".into());
        };
        let condition = self.tys(terminator(self.func, before));
        let yields = self.tys(terminator(self.func, after));
        let cond_is_bool = condition.first() == Some(&Ty::BOOL);
        ensure(cond_is_bool, || "its first region ends in no bool condition".into())?;
        let lists = [
            self.tys(&before.args),
            self.tys(&after.args),
            condition[1..].to_vec(),
            yields,
        ];
        let ok = lists.iter().all(|l| *l == carried) && self.tys(&self.op.results) == carried;
        ensure(ok, || {
            "carried values, region arguments, yields and results differ in type".into()
        })
    }
}

fn int(s: Scalar) -> Check {
    ensure(s.is_int(), || format!("works on integers, not {s}"))
}

fn float(s: Scalar) -> Check {
    ensure(s.is_float(), || format!("works on floats, not {s}"))
}

fn not_float(s: Scalar) -> Check {
    ensure(!s.is_float(), || format!("works on integers and bool, not {s}"))
}

fn has_rmw(op: Rmw, s: Scalar) -> Check {
    let zero = Const::zero(s);
    ensure(rmw(op, zero, zero).is_some(), || format!("no {op:?} on {s}"))
}

fn vector(s: Scalar, n: u32) -> Check {
    let ok = matches!(n, 2 | 4 | 8) && s.bytes() * n <= 16;
    ensure(ok, || format!("there is no vector {s}x{n}"))
}

/// Is a type what memory of `elem`s is read and written as?
fn accessible(ty: Ty, elem: Scalar) -> Check {
    match ty {
        Ty::Scalar(s) if s == elem => Ok(()),
        Ty::Vec(s, n) if s == elem => vector(s, n),
        _ => Err(format!("{ty} does not go to or come from memory of {elem}")),
    }
}

/// Elements per lane of a vector or fragment.
pub(crate) fn elements(ty: Ty) -> Option<u32> {
    match ty {
        Ty::Vec(_, n) => Some(n),
        Ty::Frag(Role::Input, _) => Some(16),
        Ty::Frag(Role::Acc, _) => Some(8),
        _ => None,
    }
}

/// Width in bits of a type that `bitcast` works on.
fn plain_bits(ty: Ty) -> Option<u32> {
    match ty {
        Ty::Scalar(s) if s != Scalar::Bool => Some(s.bits()),
        Ty::Vec(s, n) if s != Scalar::Bool => Some(s.bits() * n),
        _ => None,
    }
}
