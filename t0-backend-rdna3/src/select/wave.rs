//! Operations across the lanes of a wave, and WMMA.
//!
//! They run under uniform control only (the verifier sees to it), so every lane of the wave is active. `lane xor m` within
//! 16 lanes is a DPP row_xmask move, across the halves a `v_permlanex16_b32`; shuffles by a lane number go through
//! `ds_bpermute_b32`. Sources: RDNA3 ISA manual 7.7 (DPP), V_PERMLANEX16_B32, DS_BPERMUTE_B32, 7.9 (WMMA).

use super::{dwords, Rep, Sel, Select, X};
use crate::isa::{Dpp16, Ds, Enc, Sop1, Sop2, Vop1, Vop2, Vop3, Vop3p, Vopc};
use crate::mir::{Class, MOp, Sub};
use t0_ir::{Rmw, Role, Scalar, Ty, Value};

/// The first source is that of lane `own xor mask`, for masks within 16 lanes.
fn row_xmask(mask: u32) -> Dpp16 {
    Dpp16 {
        ctrl: 0x160 + mask,
        row_mask: 0xf,
        bank_mask: 0xf,
        bound_ctrl: true,
        fi: false,
    }
}

impl Select<'_> {
    /// The dword held by lane `own xor mask`.
    fn xor_lanes(&mut self, x: Sub, mask: u32) -> Sub {
        match mask {
            0 => x,
            1..=15 => {
                let to = self.v(Vop1::v_mov_b32, &[x.into()]);
                self.last_inst().enc = Enc::Dpp16(row_xmask(mask));
                to
            }
            _ => {
                // Nibble i of the selectors: which lane of the other half lane i reads.
                let nibbles = |from: u32| (0..8).fold(0, |n, i| n | ((from + i) ^ (mask & 15)) << (4 * i));
                let low = self.s(Sop1::s_mov_b32, &[nibbles(0).into()]);
                let high = self.s(Sop1::s_mov_b32, &[nibbles(8).into()]);
                let to = self.m.vreg(Class::V, 1);
                self.pseudo(MOp::ImplicitDef, vec![to.into()]);
                self.inst(Vop3::v_permlanex16_b32, &[to.into(), x.into(), low.into(), high.into()]);
                to
            }
        }
    }

    fn last_inst(&mut self) -> &mut crate::mir::MInst {
        match self.m.blocks.last_mut().and_then(|b| b.insts.last_mut()) {
            Some(i) => i,
            None => panic!("select: no instruction yet"),
        }
    }

    fn check_lane_type(&self, v: Value) -> Sel<Scalar> {
        match self.ty(v) {
            Ty::Scalar(s) if s != Scalar::Bool => Ok(s),
            other => self.unsupported(format!("moving {other} between lanes; convert it to u32")),
        }
    }

    /// A value's dwords in VGPRs.
    fn lane_dwords(&mut self, v: Value) -> Vec<Sub> {
        let xs = self.xs(v);
        xs.into_iter().map(|x| self.in_v(x)).collect()
    }

    fn gather(&mut self, parts: Vec<Sub>) -> Rep {
        let xs: Vec<X> = parts.into_iter().map(X::R).collect();
        Rep::Regs(self.tuple(Class::V, &xs))
    }

    pub(super) fn wave_shuffle_xor(&mut self, v: Value, mask: u32) -> Sel<Rep> {
        self.check_lane_type(v)?;
        let parts = self
            .lane_dwords(v)
            .into_iter()
            .map(|x| self.xor_lanes(x, mask & 31))
            .collect();
        Ok(self.gather(parts))
    }

    pub(super) fn wave_shuffle(&mut self, v: Value, lane: Value) -> Sel<Rep> {
        self.check_lane_type(v)?;
        let lane = self.x(lane, 0);
        // The hardware takes the byte address modulo 128: lane modulo 32.
        let address = self.v(Vop2::v_lshlrev_b32, &[2.into(), lane]);
        let parts = self
            .lane_dwords(v)
            .into_iter()
            .map(|x| self.v(Ds::ds_bpermute_b32, &[address.into(), x.into()]))
            .collect();
        Ok(self.gather(parts))
    }

    /// `v_perm_b32` numbers the bytes of its second source 0 to 3, those of its first, which DPP takes from another lane, 4 to 7.
    pub(super) fn wave_perm(&mut self, args: &[Value], mask: u32) -> Rep {
        let (x, pick) = (self.x(args[0], 0), self.x(args[1], 0));
        let (x, pick) = (self.in_v(x), self.in_v(pick));
        let to = self.v(Vop3::v_perm_b32, &[x.into(), x.into(), pick.into()]);
        if mask != 0 {
            self.last_inst().enc = Enc::Dpp16(row_xmask(mask));
        }
        Rep::Regs(to)
    }

    pub(super) fn wave_ballot(&mut self, v: Value) -> Sel<Rep> {
        let mask = self.x(v, 0);
        Ok(Rep::Regs(self.s(Sop2::s_and_b32, &[mask, Self::exec()])))
    }

    pub(super) fn wave_broadcast(&mut self, v: Value, lane: Value) -> Sel<Rep> {
        if self.ty(v) == Ty::BOOL {
            let (mask, lane) = (self.x(v, 0), self.x(lane, 0));
            let lane = self.in_s(lane);
            let bit = self.s(Sop2::s_lshr_b32, &[mask, lane]);
            let bit = self.s(Sop2::s_and_b32, &[bit.into(), 1.into()]);
            self.scc_if_nonzero(bit.into());
            return Ok(Rep::Regs(self.s(Sop2::s_cselect_b32, &[u32::MAX.into(), 0.into()])));
        }
        self.check_lane_type(v)?;
        let lane = self.x(lane, 0);
        let lane = match self.in_s(lane) {
            X::K(k) => X::K(k & 31),
            x => x,
        };
        let parts = self
            .lane_dwords(v)
            .into_iter()
            .map(|x| X::R(self.s(Vop3::v_readlane_b32, &[x.into(), lane])))
            .collect::<Vec<_>>();
        Ok(Rep::Regs(self.tuple(Class::S, &parts)))
    }

    /// Combines two values, one dword or two each, already in VGPRs.
    fn combine(&mut self, op: Rmw, ty: Scalar, a: &[Sub], b: &[Sub]) -> Sel<Vec<Sub>> {
        // The operation as the IR has it, on values made up for the purpose of selection.
        let (x, y) = (X::from(a[0]), X::from(b[0]));
        let one = |s: Sub| Ok(vec![s]);
        let signed = ty.is_signed();
        match (op, ty) {
            (Rmw::Swap, _) => self.unsupported("a wave reduction by swapping"),
            (_, Scalar::F64) => self.unsupported("wave operations on f64; use f32"),
            (Rmw::And | Rmw::Or | Rmw::Xor, t) if t.is_float() => {
                self.unsupported(format!("a bitwise reduction of {t}"))
            }
            (Rmw::And, _) => Ok(a
                .iter()
                .zip(b)
                .map(|(&x, &y)| self.v(Vop2::v_and_b32, &[x.into(), y.into()]))
                .collect()),
            (Rmw::Or, _) => Ok(a
                .iter()
                .zip(b)
                .map(|(&x, &y)| self.v(Vop2::v_or_b32, &[x.into(), y.into()]))
                .collect()),
            (Rmw::Xor, _) => Ok(a
                .iter()
                .zip(b)
                .map(|(&x, &y)| self.v(Vop2::v_xor_b32, &[x.into(), y.into()]))
                .collect()),
            (Rmw::Add, Scalar::I64 | Scalar::U64) => {
                let sum = self.add64(false, [x, a[1].into()], [y, b[1].into()]);
                Ok(vec![sum.dword(0), sum.dword(1)])
            }
            (_, Scalar::I64 | Scalar::U64) => {
                let less = if signed { Vopc::v_cmp_lt_i64 } else { Vopc::v_cmp_lt_u64 };
                let (a, b) = (
                    self.tuple(Class::V, &[x, a[1].into()]),
                    self.tuple(Class::V, &[y, b[1].into()]),
                );
                let mask = X::from(self.vcmp(less, a.into(), b.into()));
                let (yes, no) = if op == Rmw::Min { (a, b) } else { (b, a) };
                Ok((0..2)
                    .map(|k| self.cnd(mask, yes.dword(k).into(), no.dword(k).into()))
                    .collect())
            }
            (Rmw::Add, Scalar::F32) => one(self.v(Vop2::v_add_f32, &[x, y])),
            (Rmw::Min, Scalar::F32) => one(self.v(Vop2::v_min_f32, &[x, y])),
            (Rmw::Max, Scalar::F32) => one(self.v(Vop2::v_max_f32, &[x, y])),
            (Rmw::Add, Scalar::F16) => one(self.v(Vop2::v_add_f16, &[x, y])),
            (Rmw::Min, Scalar::F16) => one(self.v(Vop2::v_min_f16, &[x, y])),
            (Rmw::Max, Scalar::F16) => one(self.v(Vop2::v_max_f16, &[x, y])),
            (_, Scalar::Bf16) => {
                let (x, y) = (self.bf16_to_f32(x), self.bf16_to_f32(y));
                let code = match op {
                    Rmw::Add => Vop2::v_add_f32,
                    Rmw::Min => Vop2::v_min_f32,
                    _ => Vop2::v_max_f32,
                };
                let out = self.v(code, &[x, y]);
                one(self.narrow_f32(ty, out))
            }
            (Rmw::Add, _) => {
                let sum = self.v(Vop2::v_add_nc_u32, &[x, y]);
                one(self.extend(ty, sum))
            }
            (Rmw::Min, _) => one(self.v(if signed { Vop2::v_min_i32 } else { Vop2::v_min_u32 }, &[x, y])),
            (Rmw::Max, _) => one(self.v(if signed { Vop2::v_max_i32 } else { Vop2::v_max_u32 }, &[x, y])),
        }
    }

    pub(super) fn wave_reduce(&mut self, op: Rmw, v: Value) -> Sel<Rep> {
        if self.ty(v) == Ty::BOOL {
            return self.reduce_bool(op, v);
        }
        let ty = self.check_lane_type(v)?;
        let mut own = self.lane_dwords(v);
        for mask in [1, 2, 4, 8, 16] {
            let other: Vec<Sub> = own.iter().map(|&x| self.xor_lanes(x, mask)).collect();
            own = self.combine(op, ty, &own, &other)?;
        }
        Ok(self.gather(own))
    }

    fn reduce_bool(&mut self, op: Rmw, v: Value) -> Sel<Rep> {
        let mask = self.x(v, 0);
        let value = match op {
            Rmw::Or => {
                self.scc_from_mask(mask);
                self.s(Sop2::s_cselect_b32, &[u32::MAX.into(), 0.into()])
            }
            Rmw::And => {
                // SCC = some active lane has `false`.
                self.s(Sop2::s_and_not1_b32, &[Self::exec(), mask]);
                self.s(Sop2::s_cselect_b32, &[0.into(), u32::MAX.into()])
            }
            Rmw::Xor => {
                let active = self.s(Sop2::s_and_b32, &[mask, Self::exec()]);
                let count = self.s(Sop1::s_bcnt1_i32_b32, &[active.into()]);
                self.s(Sop2::s_and_b32, &[count.into(), 1.into()]);
                self.s(Sop2::s_cselect_b32, &[u32::MAX.into(), 0.into()])
            }
            _ => return self.unsupported(format!("a wave {op:?} on bool")),
        };
        Ok(Rep::Regs(value))
    }

    /// Doubling steps: after the step of distance d each lane holds the combination of up to 2d lanes ending with it.
    pub(super) fn wave_scan(&mut self, op: Rmw, v: Value) -> Sel<Rep> {
        let ty = self.check_lane_type(v)?;
        let lane = self.lane_id();
        let mut own = self.lane_dwords(v);
        for d in [1u32, 2, 4, 8, 16] {
            let from = self.v(Vop2::v_sub_nc_u32, &[lane.into(), d.into()]);
            let address = self.v(Vop2::v_lshlrev_b32, &[2.into(), from.into()]);
            let other: Vec<Sub> = own
                .iter()
                .map(|&x| self.v(Ds::ds_bpermute_b32, &[address.into(), x.into()]))
                .collect();
            let both = self.combine(op, ty, &other, &own)?;
            let has = X::from(self.vcmp(Vopc::v_cmp_le_u32, d.into(), lane.into()));
            own = both
                .iter()
                .zip(&own)
                .map(|(&b, &o)| self.cnd(has, b.into(), o.into()))
                .collect();
        }
        Ok(self.gather(own))
    }

    // ---- fragments -------------------------------------------------------------------------------------------------

    pub(super) fn frag_splat(&mut self, result: Value, v: Value) -> Sel<Rep> {
        let ty = self.ty(result);
        let elem = ty.elem();
        let x = self.x(v, 0);
        let packed = matches!(ty, Ty::Frag(Role::Input, _)) && elem.bytes() < 4;
        let word: X = match (packed, elem.bytes(), x) {
            (false, ..) => x,
            (true, 2, X::K(k)) => X::K((k & 0xffff) * 0x1_0001),
            (true, 1, X::K(k)) => X::K((k & 0xff) * 0x0101_0101),
            (true, 2, _) => self.v(Vop3::v_perm_b32, &[x, x, 0x0504_0504.into()]).into(),
            (true, ..) => self.v(Vop3::v_perm_b32, &[x, x, 0x0404_0404.into()]).into(),
        };
        let to = self.m.vreg(Class::V, dwords(ty));
        self.pseudo(MOp::ImplicitDef, vec![to.into()]);
        for i in 0..to.count {
            self.inst(Vop1::v_mov_b32, &[to.dword(i).into(), word]);
        }
        Ok(Rep::Regs(to))
    }

    pub(super) fn wmma(&mut self, result: Value, args: &[Value]) -> Sel<Rep> {
        let (input, acc) = (self.elem(args[0]), self.elem(result));
        let op = match (input, acc) {
            (Scalar::F16, Scalar::F32) => Vop3p::v_wmma_f32_16x16x16_f16,
            (Scalar::Bf16, Scalar::F32) => Vop3p::v_wmma_f32_16x16x16_bf16,
            (Scalar::F16, Scalar::F16) => Vop3p::v_wmma_f16_16x16x16_f16,
            (Scalar::Bf16, Scalar::Bf16) => Vop3p::v_wmma_bf16_16x16x16_bf16,
            (Scalar::I8 | Scalar::U8, Scalar::I32) => Vop3p::v_wmma_i32_16x16x16_iu8,
            _ => return self.unsupported(format!("wmma of {input} into {acc}; use f16 or bf16 into f32")),
        };
        let (a, b, c) = (self.v_tuple(args[0]), self.v_tuple(args[1]), self.v_tuple(args[2]));
        // The result takes the accumulator's registers: the copy disappears when the accumulator is not needed any more.
        let to = self.m.vreg(Class::V, 8);
        self.pseudo(MOp::Copy, vec![to.into(), c.into()]);
        let signed = [args[0], args[1]].map(|v| u32::from(self.elem(v).is_signed()));
        let inst = self.inst(op, &[to.into(), a.into(), b.into(), to.into()]);
        if acc == Scalar::I32 {
            inst.mods.neg_lo = signed[0] | signed[1] << 1;
        }
        Ok(Rep::Regs(to))
    }
}
