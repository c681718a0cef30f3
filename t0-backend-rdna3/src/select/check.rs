//! Checked indices: the test in place, what follows a failed one behind the kernel's end.
//!
//! Where a check may fail there is a comparison and a branch that is not taken; the numbers of the report are still where
//! the kernel has them. Each check's own code behind the end puts its site, index and length into registers common to all
//! and goes on to one tail, which lets the first failing lane claim the report with an atomic `or` (the first of the launch
//! gets 0) and write the other words, and ends the wave. Only ordinary instructions are used.
//!
//! A wave that ends early keeps nobody waiting. Source: RDNA3 ISA manual, S_BARRIER: "If some waves in the threadgroup
//! have already terminated, this waits on only the surviving waves"; S_ENDPGM waits for outstanding stores by itself.
//! UNVERIFIED(hw): that a report in video memory is seen by the host after the kernel's release fence like any other store.

use super::{Buf, Sel, Select, X};
use crate::isa::{Mubuf, Operand, Reg, Smem, Sop1, Sop2, Sopc, Sopp, Vopc};
use crate::mir::{BlockId, Class, MOp, Sub};
use t0_ir::{abi, Func, OpKind, Pred, Report, Scalar, Ty, Value};

/// A check whose failure still needs its code.
pub(super) struct Failure {
    label: BlockId,
    site: u32,
    /// The failing lanes; all active ones when the condition is uniform.
    lanes: Option<Sub>,
    index: X,
    len: X,
    span: t0_ir::Span,
}

/// Has the kernel checks, so that a report needs to know where a work-item is?
pub fn has_checks(f: &Func) -> bool {
    f.ops.iter().any(|o| matches!(o.kind, OpKind::Check { .. }))
}

impl Select<'_> {
    /// `check ok, index, len`.
    pub(super) fn check(&mut self, site: u32, args: &[Value]) -> Sel<()> {
        let ok = args[0];
        let pending = self.pending.contains_key(&ok);
        if !pending && (self.constant(ok).is_some_and(|c| c != 0) || self.holds(ok)) {
            return Ok(());
        }
        let label = self.label();
        let lanes = if pending || self.uniform(ok) {
            self.scc(ok);
            self.branch(Sopp::s_cbranch_scc0, label);
            None
        } else {
            let mask = self.x(ok, 0);
            let failed = self.s(Sop2::s_and_not1_b32, &[Reg::EXEC.into(), mask]);
            self.branch(Sopp::s_cbranch_scc1, label);
            Some(failed)
        };
        self.failures.push(Failure {
            label,
            site,
            lanes,
            index: self.x(args[1], 0),
            len: self.x(args[2], 0),
            span: self.span,
        });
        self.assume(ok);
        Ok(())
    }

    /// Does a condition around this place already say so?
    fn holds(&self, ok: Value) -> bool {
        let Some(op) = self.def[ok.0 as usize].map(|id| self.f.op(id)) else {
            return false;
        };
        let unsigned = op.args.first().is_some_and(|&a| self.ty(a) == Ty::U32);
        unsigned && op.kind == OpKind::Cmp { pred: Pred::Lt } && self.known_below(op.args[0], op.args[1])
    }

    /// The code of failed checks, behind the end of the kernel.
    pub(super) fn failed_checks(&mut self) -> Sel<()> {
        let failures = std::mem::take(&mut self.failures);
        let Some(last) = failures.last() else { return Ok(()) };
        let span = last.span;
        let (tail, end) = (self.label(), self.label());
        let (lanes, site) = (self.m.vreg(Class::S, 1), self.m.vreg(Class::S, 1));
        let (index, len) = (self.m.vreg(Class::V, 1), self.m.vreg(Class::V, 1));
        for f in failures {
            self.span = f.span;
            self.bind(f.label);
            match f.lanes {
                Some(l) => self.mov(lanes, l.into()),
                None => {
                    self.inst(Sop1::s_mov_b32, &[lanes.into(), Reg::EXEC.into()]);
                }
            }
            self.mov(site, f.site.into());
            self.mov(index, f.index);
            self.mov(len, f.len);
            self.branch(Sopp::s_branch, tail);
        }
        self.span = span;
        self.bind(tail);
        self.report(lanes, [site.into(), index.into(), len.into()], end)?;
        self.bind(end);
        self.raw(Sopp::s_endpgm, vec![Operand::Imm(0).into()]);
        Ok(())
    }

    /// The first of `lanes` claims the report and fills it; `end` is where everybody else goes.
    fn report(&mut self, lanes: Sub, [site, index, len]: [X; 3], end: BlockId) -> Sel<()> {
        let Some(kernarg) = self.kernarg else {
            return self.unsupported("a check without arguments");
        };
        let first = self.s(Sop1::s_ctz_i32_b32, &[lanes.into()]);
        self.inst(Sop2::s_lshl_b32, &[Reg::EXEC.into(), 1.into(), first.into()]);
        let slot = abi::report(&self.f.params);
        let srd = self.m.vreg(Class::S, 4);
        let address = srd.slice(0, 2);
        self.pseudo(MOp::ImplicitDef, vec![srd.into()]);
        self.s_load_to(Smem::s_load_b64, address, kernarg, slot.offset);
        self.scmp(Sopc::s_cmp_eq_u64, address.into(), 0.into());
        self.branch(Sopp::s_cbranch_scc1, end);

        let buf = Buf {
            srd,
            len: X::K(Report::WORDS),
            elem: Scalar::U32,
            by_element: false,
            readonly: false,
            lanes: None,
        };
        self.stride(&buf);
        self.size(&buf);
        let claim = self.in_v(1.into());
        let store = |s: &mut Self, op, data: Sub, offset, glc| {
            let inst = s.inst(op, &[data.into(), Reg::NULL.into(), buf.srd.into(), 0.into()]);
            inst.mods.offset = offset as i32;
            inst.mods.glc = glc;
        };
        store(self, Mubuf::buffer_atomic_or_b32, claim, Report::CLAIMED, true);
        let mine = self.vcmp(Vopc::v_cmp_eq_u32, 0.into(), claim.into());
        self.inst(Sop2::s_and_b32, &[Reg::EXEC.into(), Reg::EXEC.into(), mine.into()]);
        self.branch(Sopp::s_cbranch_execz, end);

        let local = self.thread().into();
        let words = self.filled(&[site, index, len, local]);
        store(self, Mubuf::buffer_store_b128, words, 0, false);
        let group: Vec<X> = self.group_id.map(|g| g.map_or(0.into(), X::from)).to_vec();
        let words = self.filled(&group);
        store(self, Mubuf::buffer_store_b96, words, Report::GROUP, false);
        Ok(())
    }

    /// A new VGPR tuple with these dwords.
    fn filled(&mut self, xs: &[X]) -> Sub {
        let to = self.m.vreg(Class::V, xs.len() as u32);
        self.pseudo(MOp::ImplicitDef, vec![to.into()]);
        for (i, &x) in xs.iter().enumerate() {
            self.mov(to.dword(i as u32), x);
        }
        to
    }
}
