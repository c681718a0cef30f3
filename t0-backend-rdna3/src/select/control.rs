//! Branches, loops and EXEC.
//!
//! A condition that is the same for the wave becomes a scalar branch. A lane-dependent `if` narrows EXEC to the lanes of
//! each arm in turn, with the code of `then` falling into that of `else`; a lane-dependent loop runs while any lane is
//! left and takes lanes out of EXEC as they finish. Arms and bodies are branched over when no lane is in them, so user
//! code never runs with EXEC = 0. The control flow graph is the one the machine executes, so liveness on it is exact:
//! what `else` reads survives `then`.
//!
//! Values that meet (`if` results, carried values) get one register that each side writes. Written under a narrowed
//! EXEC, it keeps the other lanes' values: such registers are marked sticky and start with an IMPLICIT_DEF or the value
//! of the side that needs no code. Masks have no lanes of EXEC's protection; they are merged with bit operations.

use super::{dwords, Buf, Rep, Sel, Select, X};
use crate::isa::{Reg, Sop1, Sop2, Sopc, Sopp, Vop2, Vopc};
use crate::mir::{Class, MOp, Sub};
use t0_ir::{Op, Pred, Scalar, Ty, Value};

impl<'a> Select<'a> {
    /// A register (or buffer) where values of the type of `v` meet.
    fn phi(&mut self, v: Value, sticky: bool) -> Sel<Rep> {
        if let Ty::Buffer(elem) = self.ty(v) {
            if sticky {
                return self
                    .unsupported("a choice between buffers that differs from lane to lane; index one buffer instead");
            }
            let (srd, len) = (self.m.vreg(Class::S, 4), self.m.vreg(Class::S, 1));
            return Ok(Rep::Buf(Buf {
                srd,
                len: len.into(),
                elem,
                by_element: self.views.by_element(v),
                readonly: false,
                lanes: None,
            }));
        }
        let class = self.home(v, sticky);
        let to = self.m.vreg(class, dwords(self.ty(v)));
        self.m.vregs[to.reg.0 as usize].sticky = sticky;
        Ok(Rep::Regs(to))
    }

    /// Begins the life of a sticky register.
    fn open(&mut self, phi: Rep) {
        if let Rep::Regs(to) = phi {
            self.pseudo(MOp::ImplicitDef, vec![to.into()]);
            if self.m.info(to.reg).class == Class::S {
                self.mov(to, 0.into());
            }
        }
    }

    /// `phi = v`; `masked`: for the active lanes only.
    fn assign(&mut self, phi: Rep, v: Value, masked: bool) -> Sel<()> {
        match (phi, self.rep(v)) {
            (Rep::Buf(to), Rep::Buf(from)) => {
                if from.lanes.is_some() {
                    return self
                        .unsupported("a choice between views that differ from lane to lane; index one buffer instead");
                }
                let srd: Vec<X> = (0..4).map(|i| from.srd.dword(i).into()).collect();
                self.fill(to.srd, &srd);
                if let X::R(len) = to.len {
                    self.mov(len, from.len);
                }
            }
            (Rep::Regs(to), Rep::Regs(from)) if to == from => {}
            (Rep::Regs(to), _) if masked && self.ty(v) == Ty::BOOL => {
                let new = self.x(v, 0);
                let kept = self.s(Sop2::s_and_not1_b32, &[to.into(), Reg::EXEC.into()]);
                let new = self.s(Sop2::s_and_b32, &[new, Reg::EXEC.into()]);
                self.inst(Sop2::s_or_b32, &[to.into(), kept.into(), new.into()]);
            }
            (Rep::Regs(to), _) => {
                let xs = self.xs(v);
                self.fill(to, &xs);
            }
            (Rep::Const(_), _) | (Rep::Buf(_), _) => {}
        }
        Ok(())
    }

    /// All assignments at once: no destination is written before every source was read.
    fn assign_all(&mut self, pairs: &[(Rep, Value)], masked: bool) -> Sel<()> {
        let regs = |r: Rep| match r {
            Rep::Regs(s) => vec![s],
            Rep::Buf(b) => match b.len {
                X::R(len) => vec![b.srd, len],
                _ => vec![b.srd],
            },
            Rep::Const(_) => vec![],
        };
        let destinations: Vec<Sub> = pairs.iter().flat_map(|&(to, _)| regs(to)).collect();
        for &(to, v) in pairs {
            let from = self.rep(v);
            let sources = regs(from);
            let clash = sources.iter().any(|s| destinations.iter().any(|d| d.reg == s.reg)) && sources != regs(to);
            if clash {
                let copy = self.copy_rep(from);
                self.set(v, copy);
            }
        }
        for &(to, v) in pairs {
            self.assign(to, v, masked)?;
        }
        Ok(())
    }

    fn copy_rep(&mut self, rep: Rep) -> Rep {
        match rep {
            Rep::Regs(s) => Rep::Regs(self.copy_of(s)),
            Rep::Buf(b) => {
                let len = match b.len {
                    X::R(s) => X::R(self.copy_of(s)),
                    other => other,
                };
                Rep::Buf(Buf {
                    srd: self.copy_of(b.srd),
                    len,
                    ..b
                })
            }
            Rep::Const(_) => rep,
        }
    }

    pub(super) fn copy_of(&mut self, s: Sub) -> Sub {
        let to = self.m.vreg(self.m.info(s.reg).class, s.count);
        self.pseudo(MOp::Copy, vec![to.into(), s.into()]);
        to
    }

    /// Phis for those of `values` that are used; the others get nothing.
    fn phis(&mut self, values: &[Value], sticky: bool) -> Sel<Vec<Option<Rep>>> {
        let mut out = Vec::new();
        for &v in values {
            out.push(if self.uses[v.0 as usize] > 0 {
                Some(self.phi(v, sticky)?)
            } else {
                None
            });
        }
        Ok(out)
    }

    fn pairs(phis: &[Option<Rep>], values: &[Value]) -> Vec<(Rep, Value)> {
        phis.iter()
            .zip(values)
            .filter_map(|(p, &v)| p.map(|p| (p, v)))
            .collect()
    }

    fn bind_values(&mut self, values: &[Value], phis: &[Option<Rep>]) {
        for (&v, p) in values.iter().zip(phis) {
            if let Some(p) = p {
                self.set(v, *p);
            }
        }
    }

    // ---- if --------------------------------------------------------------------------------------------------------

    /// `if`.
    pub(super) fn if_(&mut self, op: &'a Op) -> Sel<()> {
        let cond = op.args[0];
        if self.pending.contains_key(&cond) {
            return self.uniform_if(op);
        }
        if let Some(c) = self.constant(cond) {
            let values = self.ops(&op.regions[usize::from(c == 0)].ops)?;
            for (&r, &v) in op.results.iter().zip(values) {
                let rep = self.rep(v);
                self.set(r, rep);
            }
            return Ok(());
        }
        if self.uniform(cond) {
            self.uniform_if(op)
        } else {
            self.divergent_if(op)
        }
    }

    /// Leaves SCC = the value of a uniform `bool`.
    pub(super) fn scc(&mut self, cond: Value) {
        match self.pending.get(&cond).copied() {
            Some((cmp, a, b)) => self.scmp(cmp, a, b),
            None => {
                let mask = self.x(cond, 0);
                self.scc_from_mask(mask);
            }
        }
    }

    /// The mask of a `bool`, a pending comparison made now.
    pub(super) fn mask_of(&mut self, cond: Value) -> X {
        if self.pending.contains_key(&cond) {
            self.scc(cond);
            return self.s(Sop2::s_cselect_b32, &[u32::MAX.into(), 0.into()]).into();
        }
        self.x(cond, 0)
    }

    fn uniform_if(&mut self, op: &'a Op) -> Sel<()> {
        let (otherwise, end) = (self.label(), self.label());
        let phis = self.phis(&op.results, false)?;
        self.scc(op.args[0]);
        self.branch(Sopp::s_cbranch_scc0, otherwise);
        let mark = self.facts_mark();
        self.assume(op.args[0]);
        let values = self.ops(&op.regions[0].ops)?;
        self.facts_reset(mark);
        self.assign_all(&Self::pairs(&phis, values), false)?;
        if op.regions[1].ops.len() > 1 || !op.results.is_empty() {
            self.branch(Sopp::s_branch, end);
        }
        self.bind(otherwise);
        let values = self.ops(&op.regions[1].ops)?;
        self.facts_reset(mark);
        self.assign_all(&Self::pairs(&phis, values), false)?;
        self.bind(end);
        self.bind_values(&op.results, &phis);
        Ok(())
    }

    fn divergent_if(&mut self, op: &'a Op) -> Sel<()> {
        let (otherwise, end) = (self.label(), self.label());
        let phis = self.phis(&op.results, true)?;
        for p in phis.iter().flatten() {
            self.open(*p);
        }
        // An `else` without code only hands on values that exist already: they go in first, for all lanes.
        let else_has_code = op.regions[1].ops.len() > 1;
        if !else_has_code {
            let values = self.ops(&op.regions[1].ops)?;
            self.assign_all(&Self::pairs(&phis, values), false)?;
            self.span = op.span;
        }
        let mask = self.x(op.args[0], 0);
        let saved = self.s(Sop1::s_and_saveexec_b32, &[mask]);
        self.branch(Sopp::s_cbranch_execz, otherwise);
        let mark = self.facts_mark();
        self.assume(op.args[0]);
        let values = self.ops(&op.regions[0].ops)?;
        self.facts_reset(mark);
        self.assign_all(&Self::pairs(&phis, values), true)?;
        self.bind(otherwise);
        if else_has_code {
            // Here EXEC is the mask of `then`, or 0 when that was skipped: exactly the lanes not to run now.
            self.inst(
                Sop2::s_and_not1_b32,
                &[Reg::EXEC.into(), saved.into(), Reg::EXEC.into()],
            );
            self.branch(Sopp::s_cbranch_execz, end);
            let values = self.ops(&op.regions[1].ops)?;
            self.facts_reset(mark);
            self.assign_all(&Self::pairs(&phis, values), true)?;
        }
        self.bind(end);
        self.span = op.span;
        self.inst(Sop1::s_mov_b32, &[Reg::EXEC.into(), saved.into()]);
        self.bind_values(&op.results, &phis);
        Ok(())
    }

    // ---- for -------------------------------------------------------------------------------------------------------

    /// `for`: tested before the first iteration and at the end of each; the results are the carried registers.
    pub(super) fn for_(&mut self, op: &'a Op) -> Sel<()> {
        let [lo, hi, step] = [op.args[0], op.args[1], op.args[2]];
        let signed = match self.ty(lo) {
            Ty::I32 => true,
            Ty::U32 => false,
            other => return self.unsupported(format!("a `for` over {other}; count in u32 or i32")),
        };
        let divergent = op.args[..3].iter().any(|&v| !self.uniform(v));
        let region = &op.regions[0];
        let init = &op.args[3..];
        if let Some(s) = self.constant(step) {
            if s as u32 == 0 || (signed && (s as i32) < 0) {
                for (&r, &v) in op.results.iter().zip(init) {
                    let rep = self.rep(v);
                    self.set(r, rep);
                }
                return Ok(());
            }
        }
        let mut phis = Vec::new();
        for &arg in &region.args[1..] {
            phis.push(Some(self.phi(arg, divergent)?));
        }
        if divergent {
            for p in phis.iter().flatten() {
                self.open(*p);
            }
        }
        self.assign_all(&Self::pairs(&phis, init), false)?;
        let class = if divergent { Class::V } else { Class::S };
        let i = self.m.vreg(class, 1);
        let bounds = [self.x(lo, 0), self.x(hi, 0), self.x(step, 0)];
        let bounds = if divergent {
            bounds
        } else {
            bounds.map(|b| self.in_s(b))
        };
        self.mov(i, bounds[0]);
        self.set(region.args[0], Rep::Regs(i));
        self.bind_values(&region.args[1..], &phis);
        let l = Loop {
            op,
            phis,
            i,
            bounds,
            signed,
        };
        if divergent {
            self.divergent_for(&l)?;
        } else {
            self.uniform_for(&l)?;
        }
        self.bind_values(&op.results, &l.phis);
        Ok(())
    }

    /// The body; what goes on to the next iteration belongs to the loop's own line.
    fn for_body(&mut self, l: &Loop<'a>, masked: bool) -> Sel<()> {
        let mark = self.facts_mark();
        self.assume_below(l.op.regions[0].args[0], l.op.args[1]);
        let values = self.ops(&l.op.regions[0].ops)?;
        self.facts_reset(mark);
        self.span = l.op.span;
        self.assign_all(&Self::pairs(&l.phis, values), masked)
    }

    fn uniform_for(&mut self, l: &Loop<'a>) -> Sel<()> {
        let (body, exit) = (self.label(), self.label());
        let [lo, hi, step] = l.bounds;
        let lt = if l.signed {
            Sopc::s_cmp_lt_i32
        } else {
            Sopc::s_cmp_lt_u32
        };
        let gt = if l.signed {
            Sopc::s_cmp_gt_i32
        } else {
            Sopc::s_cmp_gt_u32
        };
        self.scmp(lt, lo, hi);
        self.branch(Sopp::s_cbranch_scc0, exit);
        if !matches!(step, X::K(_)) {
            self.scmp(gt, step, 0.into());
            self.branch(Sopp::s_cbranch_scc0, exit);
        }
        self.depth += 1;
        self.bind(body);
        self.for_body(l, false)?;
        let i = X::R(l.i);
        if step == X::K(1) {
            self.inst(Sop2::s_add_u32, &[i, i, step]);
            self.scmp(lt, i, hi);
        } else {
            // i + step may wrap; hi - i, as an unsigned number, does not.
            let left = self.s(Sop2::s_sub_u32, &[hi, i]);
            self.inst(Sop2::s_add_u32, &[i, i, step]);
            self.scmp(Sopc::s_cmp_gt_u32, left.into(), step);
        }
        self.depth -= 1;
        self.branch(Sopp::s_cbranch_scc1, body);
        self.bind(exit);
        Ok(())
    }

    fn divergent_for(&mut self, l: &Loop<'a>) -> Sel<()> {
        let (body, exit) = (self.label(), self.label());
        let [lo, hi, step] = l.bounds;
        let gt = if l.signed {
            Vopc::v_cmp_gt_i32
        } else {
            Vopc::v_cmp_gt_u32
        };
        let mut mask = self.vcmp(gt, hi, lo);
        if !matches!(step, X::K(_)) {
            let more = self.vcmp(gt, step, 0.into());
            mask = self.s(Sop2::s_and_b32, &[mask.into(), more.into()]);
        }
        let saved = self.s(Sop1::s_and_saveexec_b32, &[mask.into()]);
        self.branch(Sopp::s_cbranch_execz, exit);
        self.depth += 1;
        self.bind(body);
        self.for_body(l, true)?;
        let left = self.v(Vop2::v_sub_nc_u32, &[hi, l.i.into()]);
        self.inst(Vop2::v_add_nc_u32, &[l.i.into(), step, l.i.into()]);
        let mask = self.vcmp(Vopc::v_cmp_gt_u32, left.into(), step);
        self.inst(Sop2::s_and_b32, &[Reg::EXEC.into(), Reg::EXEC.into(), mask.into()]);
        self.depth -= 1;
        self.branch(Sopp::s_cbranch_execnz, body);
        self.bind(exit);
        self.inst(Sop1::s_mov_b32, &[Reg::EXEC.into(), saved.into()]);
        Ok(())
    }

    // ---- while -----------------------------------------------------------------------------------------------------

    /// `while`.
    pub(super) fn while_(&mut self, op: &'a Op) -> Sel<()> {
        let head = &op.regions[0];
        let condition = head.ops.last().map(|&id| &self.f.op(id).args[..]).unwrap_or(&[]);
        let divergent = !condition.first().is_some_and(|&c| self.uniform(c));
        let mut phis = Vec::new();
        for &arg in &head.args {
            phis.push(Some(self.phi(arg, divergent)?));
        }
        if divergent {
            for p in phis.iter().flatten() {
                self.open(*p);
            }
        }
        self.assign_all(&Self::pairs(&phis, &op.args), false)?;
        self.bind_values(&head.args, &phis);
        if divergent {
            self.divergent_while(op, &phis, condition)
        } else {
            self.uniform_while(op, &phis)
        }
    }

    fn uniform_while(&mut self, op: &'a Op, phis: &[Option<Rep>]) -> Sel<()> {
        let (head, exit) = (self.label(), self.label());
        self.depth += 1;
        self.bind(head);
        let outside = self.facts_mark();
        let condition = self.ops(&op.regions[0].ops)?;
        self.scc(condition[0]);
        self.branch(Sopp::s_cbranch_scc0, exit);
        self.assume(condition[0]);
        for (&arg, &v) in op.regions[1].args.iter().zip(&condition[1..]) {
            let rep = self.rep(v);
            self.set(arg, rep);
        }
        let values = self.ops(&op.regions[1].ops)?;
        self.facts_reset(outside);
        self.span = op.span;
        // The results are read after the branch out of the head, where the carried registers still hold this
        // iteration's values.
        let results: Vec<Rep> = condition[1..].iter().map(|&v| self.rep(v)).collect();
        self.assign_all(&Self::pairs(phis, values), false)?;
        self.depth -= 1;
        self.branch(Sopp::s_branch, head);
        self.bind(exit);
        for (&r, rep) in op.results.iter().zip(results) {
            self.set(r, rep);
        }
        Ok(())
    }

    fn divergent_while(&mut self, op: &'a Op, phis: &[Option<Rep>], condition: &'a [Value]) -> Sel<()> {
        let (head, exit) = (self.label(), self.label());
        // A carried value handed on unchanged stays in its register: lanes that left do not write it any more.
        let mut results = Vec::new();
        for (&r, v) in op.results.iter().zip(&condition[1..]) {
            let same = op.regions[0].args.iter().position(|a| a == v);
            results.push(match same {
                Some(k) => (phis[k], None),
                None if self.uses[r.0 as usize] > 0 => {
                    let p = self.phi(r, true)?;
                    self.open(p);
                    (Some(p), Some(*v))
                }
                None => (None, None),
            });
        }
        let saved = self.s(Sop1::s_mov_b32, &[Reg::EXEC.into()]);
        self.depth += 1;
        self.bind(head);
        let outside = self.facts_mark();
        let condition = self.ops(&op.regions[0].ops)?;
        let pairs: Vec<(Rep, Value)> = results.iter().filter_map(|&(p, v)| Some((p?, v?))).collect();
        self.assign_all(&pairs, true)?;
        let mask = self.x(condition[0], 0);
        self.inst(Sop2::s_and_b32, &[Reg::EXEC.into(), Reg::EXEC.into(), mask]);
        self.branch(Sopp::s_cbranch_execz, exit);
        self.assume(condition[0]);
        for (&arg, &v) in op.regions[1].args.iter().zip(&condition[1..]) {
            let rep = self.rep(v);
            self.set(arg, rep);
        }
        let values = self.ops(&op.regions[1].ops)?;
        self.facts_reset(outside);
        self.span = op.span;
        self.assign_all(&Self::pairs(phis, values), true)?;
        self.depth -= 1;
        self.branch(Sopp::s_branch, head);
        self.bind(exit);
        self.inst(Sop1::s_mov_b32, &[Reg::EXEC.into(), saved.into()]);
        for (&r, (p, _)) in op.results.iter().zip(&results) {
            if let Some(p) = p {
                self.set(r, *p);
            }
        }
        Ok(())
    }
}

/// A `for` under construction.
struct Loop<'a> {
    op: &'a Op,
    phis: Vec<Option<Rep>>,
    i: Sub,
    /// lo, hi, step.
    bounds: [X; 3],
    signed: bool,
}

/// Whether a comparison of values of this type has a scalar instruction.
pub(super) fn scalar_compare(pred: Pred, ty: Scalar) -> Option<Sopc> {
    use Pred::*;
    let signed = ty.is_signed();
    if !ty.is_int() {
        return None;
    }
    Some(match (ty.bytes(), pred, signed) {
        (8, Eq, _) => Sopc::s_cmp_eq_u64,
        (8, Ne, _) => Sopc::s_cmp_lg_u64,
        (8, ..) => return None,
        (_, Eq, _) => Sopc::s_cmp_eq_u32,
        (_, Ne, _) => Sopc::s_cmp_lg_u32,
        (_, Lt, true) => Sopc::s_cmp_lt_i32,
        (_, Le, true) => Sopc::s_cmp_le_i32,
        (_, Gt, true) => Sopc::s_cmp_gt_i32,
        (_, Ge, true) => Sopc::s_cmp_ge_i32,
        (_, Lt, false) => Sopc::s_cmp_lt_u32,
        (_, Le, false) => Sopc::s_cmp_le_u32,
        (_, Gt, false) => Sopc::s_cmp_gt_u32,
        (_, Ge, false) => Sopc::s_cmp_ge_u32,
    })
}
