//! Global memory through buffer descriptors, and LDS.
//!
//! The hardware drops what is out of range of a view's descriptor. Most views are addressed by elements: the stride is the size of
//! an element, the size of the view its number of elements, and an index goes into the access as it is (`idxen`). The comparison
//! is of whole numbers, so no index can wrap into range, and the length needs no scaling. It looks at the index alone, not at what
//! an access reaches beyond it, so views with accesses wider than an element are addressed by bytes (`offen`; `views`
//! tells which): the size is in bytes, and each dword of a wide access is checked on its own. Byte offsets are 32 bits: scaling an
//! index of 2^30 or more could wrap into range. Such an index is first limited to the length of the view, whose scaled value is
//! just out of range; the limit is left out where the index is known to be small or to be below the length. A view that differs
//! between lanes keeps the descriptor of the buffer it is part of and does its own check per lane.
//!
//! Elements of 4 and 8 bytes in vectors are checked one by one as the IR wants it. A vector of narrower elements is one access where
//! conditions around it show that index and length are whole dwords (see [`super::facts`]), as in the unmasked part of a tile;
//! otherwise it is one access per element.
//!
//! Sources: RDNA3 ISA manual 9.4, 9.6 "Buffer resource descriptor"; Mesa `ac_set_buf_desc_word3` on OOB_SELECT, whose vertex buffers
//! are by elements likewise; LLVM `SIInstrInfo::getDefaultRsrcDataFormat`. UNVERIFIED(hw): range check of raw buffers is
//! `offset + size > num_records` without wrapping; of structured ones `index >= num_records` for all 32-bit indices.
//!
//! Fences, at workgroup and device scope (LLVM AMDGPUUsage, memory model GFX11, in WGP mode): a release waits for all accesses of
//! the wave; an acquire waits, too, and invalidates the caches that may hold older values, L0 for the workgroup, whose waves sit
//! on two CUs, and L1 for the device. Atomics take place in the L2, loads of them pass the L0 and L1 by (`glc`).
//! Wide LDS and buffer accesses need element alignment only: the driver runs compute queues in unaligned mode (Linux
//! `kfd_device_queue_manager_v11.c`, SH_MEM_ALIGNMENT_MODE_UNALIGNED).

use super::{dwords, Buf, Rep, Sel, Select, X};
use crate::isa::{Ds, Mubuf, Opcode, Operand, Reg, Smem, Sop2, Sopk, Vop2, Vopc};
use crate::mir::{Class, MInst, MOp, MOperand, Sub};
use t0_ir::{LdsId, OpKind, Order, Rmw, Scalar, Scope, Ty, Value};

/// Constants of a descriptor's last word: DST_SEL xyzw = X, Y, Z, W; FORMAT 32_UINT (20).
const CONSTANTS: u32 = 4 | 5 << 3 | 6 << 6 | 7 << 9 | 20 << 12;
/// Last word of a descriptor by elements: OOB_SELECT 1 (index >= NUM_RECORDS).
const BY_ELEMENT: u32 = CONSTANTS | 1 << 28;
/// Last word of a descriptor by bytes: OOB_SELECT 3 (raw).
const BY_BYTE: u32 = CONSTANTS | 3 << 28;
/// Largest immediate offset of a buffer access.
const MAX_OFFSET: u64 = 4095;
/// Largest immediate offset of a scalar load.
const MAX_SCALAR_OFFSET: u32 = 0xf_ffff;
/// Indices scaled to at most this cannot wrap, whatever the width of the access.
const SAFE_BYTES: u64 = 0xffff_ffe0;

/// Where an access goes: address VGPR, immediate offset, and what the wave adds.
struct Address {
    vaddr: Option<Sub>,
    offset: u32,
    wave: X,
}

impl Address {
    fn new(vaddr: Option<Sub>, offset: u32) -> Address {
        let wave = 0.into();
        Address { vaddr, offset, wave }
    }
}

impl Select<'_> {
    /// A parameter's view, from its address in the first words of what will be its descriptor, and its length.
    pub(super) fn whole_view(&mut self, v: Value, words: Sub, len: X, elem: Scalar, readonly: bool) -> Buf {
        let by_element = self.views.by_element(v);
        let accessed = self.views.accessed(v);
        let len = match len {
            // The word will hold the size.
            X::R(l) if accessed && !by_element && l == words.dword(2) => self.copy_of(l).into(),
            x => x,
        };
        let buf = Buf {
            srd: words,
            len,
            elem,
            by_element,
            readonly,
            lanes: None,
        };
        self.stride(&buf);
        if accessed {
            self.size(&buf);
        }
        buf
    }

    /// Sets what is beside the address in word 1: the stride, no swizzling.
    pub(super) fn stride(&mut self, b: &Buf) {
        let high = b.srd.dword(1).into();
        let stride = if b.by_element { b.elem.bytes() } else { 0 };
        self.inst(Sop2::s_pack_ll_b32_b16, &[high, high, stride.into()]);
    }

    /// Sets words 2 and 3, the size and constants.
    pub(super) fn size(&mut self, b: &Buf) {
        let (word, size) = (b.srd.dword(2), b.elem.bytes());
        match b.len {
            X::R(len) if b.by_element && len == word => {}
            len if b.by_element || size == 1 => self.mov(word, len),
            X::K(k) => self.mov(word, k.saturating_mul(size).into()),
            len => {
                let limited = self.s(Sop2::s_min_u32, &[len, (u32::MAX / size).into()]);
                let shift = size.trailing_zeros();
                self.inst(Sop2::s_lshl_b32, &[word.into(), limited.into(), shift.into()]);
            }
        }
        let constants = if b.by_element { BY_ELEMENT } else { BY_BYTE };
        self.mov(b.srd.dword(3), constants.into());
    }

    pub(super) fn buffer_len(&mut self, v: Value) -> Sel<Rep> {
        let b = self.buf(v);
        Ok(match b.lanes.map_or(b.len, |(_, len)| len) {
            X::R(s) => Rep::Regs(s),
            X::K(k) => Rep::Const(k.into()),
            X::P(_) => return self.unsupported("the length of this view"),
        })
    }

    pub(super) fn view(&mut self, result: Value, args: &[Value]) -> Sel<Rep> {
        let (buf, offset, len) = (self.buf(args[0]), args[1], args[2]);
        let uniform = buf.lanes.is_none() && self.uniform(offset) && self.uniform(len);
        let count = self.x(len, 0);
        if !uniform {
            let low = self.x(offset, 0);
            let start = match buf.lanes {
                Some((outer, _)) => self.v(Vop2::v_add_nc_u32, &[outer, low]).into(),
                None => low,
            };
            return Ok(Rep::Buf(Buf {
                lanes: Some((start, count)),
                ..buf
            }));
        }
        let len = self.in_s(count);
        let bytes = self.view_bytes(offset, buf.elem.bytes().trailing_zeros());
        let accessed = self.views.accessed(result);
        let srd = self.m.vreg(Class::S, if accessed { 4 } else { 2 });
        let words: [X; 2] = [srd.dword(0).into(), srd.dword(1).into()];
        self.pseudo(MOp::ImplicitDef, vec![srd.into()]);
        // Either the view lies inside of the outer one and the sum is an address, so nothing is carried into the stride, or it
        // is empty and the size keeps every access out.
        self.inst(Sop2::s_add_u32, &[words[0], buf.srd.dword(0).into(), bytes[0]]);
        self.inst(Sop2::s_addc_u32, &[words[1], buf.srd.dword(1).into(), bytes[1]]);
        let by_element = self.views.by_element(result);
        let part = Buf {
            srd,
            len,
            by_element,
            ..buf
        };
        if by_element != buf.by_element {
            self.stride(&part);
        }
        if accessed {
            self.size(&part);
        }
        Ok(Rep::Buf(part))
    }

    /// A uniform `u64` element offset in bytes.
    fn view_bytes(&mut self, offset: Value, shift: u32) -> [X; 2] {
        let cast = self.def[offset.0 as usize]
            .map(|id| self.f.op(id))
            .filter(|o| o.kind == OpKind::Cast);
        let narrow = cast.map(|o| o.args[0]).filter(|&v| self.ty(v) == Ty::U32);
        if let (Some(v), None) = (narrow, self.constant(offset)) {
            let x = self.x(v, 0);
            let x = self.in_s(x);
            if shift == 0 {
                return [x, 0.into()];
            }
            let lo = self.s(Sop2::s_lshl_b32, &[x, shift.into()]);
            let hi = self.s(Sop2::s_lshr_b32, &[x, (32 - shift).into()]);
            return [lo.into(), hi.into()];
        }
        let parts = [self.x(offset, 0), self.x(offset, 1)].map(|x| self.in_s(x));
        match parts {
            [X::K(lo), X::K(hi)] => {
                let n = (u64::from(lo) | u64::from(hi) << 32) << shift;
                [X::K(n as u32), X::K((n >> 32) as u32)]
            }
            _ if shift == 0 => parts,
            _ => {
                let pair = self.tuple(Class::S, &parts);
                let scaled = self.s(Sop2::s_lshl_b64, &[pair.into(), shift.into()]);
                [scaled.dword(0).into(), scaled.dword(1).into()]
            }
        }
    }

    // ---- addresses -------------------------------------------------------------------------------------------------

    fn address(&mut self, b: &Buf, view: Value, index: Value) -> Address {
        let size = b.elem.bytes();
        let shift = size.trailing_zeros();
        let at = self.x(index, 0);
        if b.lanes.is_some() {
            return self.lane_address(b, at);
        }
        if b.by_element {
            let vaddr = (at != X::K(0)).then(|| self.in_v(at));
            return Address::new(vaddr, 0);
        }
        if let X::K(k) = at {
            let byte = u64::from(k) * u64::from(size);
            if byte <= MAX_OFFSET {
                return Address::new(None, byte as u32);
            }
            if byte <= SAFE_BYTES {
                let vaddr = Some(self.in_v(X::K(byte as u32)));
                return Address::new(vaddr, 0);
            }
        }
        let small = self.ranges.get(index).hi <= i128::from(SAFE_BYTES / u64::from(size));
        let at = if small || self.below_length(index, view) {
            at
        } else if self.class(at) == Class::S {
            self.s(Sop2::s_min_u32, &[at, b.len]).into()
        } else {
            self.v(Vop2::v_min_u32, &[b.len, at]).into()
        };
        let scaled = match (shift, self.class(at)) {
            (0, _) => at,
            (_, Class::S) => self.s(Sop2::s_lshl_b32, &[at, shift.into()]).into(),
            (_, Class::V) => self.v(Vop2::v_lshlrev_b32, &[shift.into(), at]).into(),
        };
        Address::new(Some(self.in_v(scaled)), 0)
    }

    /// Address in a view that differs between lanes; out of range is out of range of the whole buffer.
    fn lane_address(&mut self, b: &Buf, at: X) -> Address {
        let (start, len) = b.lanes.unwrap_or((0.into(), b.len));
        let at = X::from(self.in_v(at));
        let inside = self.vcmp(Vopc::v_cmp_gt_u32, len, at);
        let element = self.v(Vop2::v_add_nc_u32, &[start, at]);
        if b.by_element {
            return Address::new(Some(self.cnd(inside.into(), element.into(), u32::MAX.into())), 0);
        }
        let byte = match b.elem.bytes().trailing_zeros() {
            0 => element,
            shift => self.v(Vop2::v_lshlrev_b32, &[shift.into(), element.into()]),
        };
        let outside = b.srd.dword(2).into();
        Address::new(Some(self.cnd(inside.into(), byte.into(), outside)), 0)
    }

    fn buffer_inst(&mut self, op: Mubuf, data: Sub, b: &Buf, address: &Address, shared: bool, glc: bool) -> &mut MInst {
        let vaddr = address.vaddr.map_or(X::P(Reg::NULL), X::R);
        let inst = self.inst(op, &[data.into(), vaddr, b.srd.into(), address.wave]);
        inst.mods.offen = address.vaddr.is_some() && !b.by_element;
        inst.mods.idxen = address.vaddr.is_some() && b.by_element;
        inst.mods.offset = address.offset as i32;
        inst.mods.glc = glc;
        inst.shared = shared;
        inst
    }

    // ---- global loads and stores -----------------------------------------------------------------------------------

    pub(super) fn load(&mut self, result: Value, view: Value, index: Value) -> Sel<Rep> {
        let b = self.buf(view);
        let ty = self.ty(result);
        if let (Ty::Vec(elem, n), true) = (ty, self.piecewise(&b, view, index, ty)) {
            let parts: Vec<X> = (0..n).map(|k| self.load_element(&b, index, k).into()).collect();
            return Ok(Rep::Regs(self.assemble(elem, &parts)));
        }
        if let Some(to) = self.scalar_load(&b, result, index) {
            return Ok(Rep::Regs(to));
        }
        let address = self.address(&b, view, index);
        let (op, width) = load_op(ty);
        let to = self.m.vreg(Class::V, width);
        self.buffer_inst(op, to, &b, &address, !b.readonly, false);
        if ty == Ty::BOOL {
            return Ok(Rep::Regs(self.byte_to_bool(to.into())));
        }
        Ok(Rep::Regs(to))
    }

    /// A load by the scalar unit: of whole dwords that nobody writes during the launch, from one place, whose offset in bytes cannot
    /// wrap. The size is `NUM_RECORDS * STRIDE` bytes there, or `NUM_RECORDS` without stride (RDNA3 ISA manual 8.2).
    /// UNVERIFIED(hw): that product has more than 32 bits, so that views of 2^32 bytes and more are read, too.
    fn scalar_load(&mut self, b: &Buf, result: Value, index: Value) -> Option<Sub> {
        let size = b.elem.bytes();
        let op = match (self.ty(result), size) {
            (Ty::Scalar(_), 4) => Smem::s_buffer_load_b32,
            (Ty::Scalar(_), 8) => Smem::s_buffer_load_b64,
            _ => return None,
        };
        let one_place = self.uniform(index) && self.uniform(result) && b.lanes.is_none();
        if !b.readonly || !one_place {
            return None;
        }
        let (soffset, offset) = match self.x(index, 0) {
            X::K(k) if k <= MAX_SCALAR_OFFSET / size => (X::P(Reg::NULL), k * size),
            X::K(_) => return None,
            x if self.ranges.get(index).hi <= i128::from(SAFE_BYTES / u64::from(size)) => {
                let x = self.in_s(x);
                (self.s(Sop2::s_lshl_b32, &[x, size.trailing_zeros().into()]).into(), 0)
            }
            _ => return None,
        };
        let to = self.m.vreg(Class::S, size / 4);
        self.inst(op, &[to.into(), b.srd.into(), soffset]).mods.offset = offset as i32;
        Some(to)
    }

    /// A chunk of a tile: its lane's part of the address, the wave's and the constant.
    pub(super) fn load_chunk(&mut self, result: Value, args: &[Value], base: u32) -> Sel<Rep> {
        let b = self.buf(args[0]);
        if b.lanes.is_some() {
            return self.unsupported("a tile of a view that differs between lanes");
        }
        let (op, width) = load_op(self.ty(result));
        let lane = self.x(args[1], 0);
        let lane = self.in_v(lane);
        let wave = self.x(args[2], 0);
        let wave = self.s_reg(wave);
        let mut address = Address::new(Some(lane), base);
        address.wave = wave.into();
        if u64::from(base) > MAX_OFFSET {
            address.offset = 0;
            address.wave = self.s(Sop2::s_add_u32, &[wave.into(), base.into()]).into();
        }
        let to = self.m.vreg(Class::V, width);
        self.buffer_inst(op, to, &b, &address, !b.readonly, false);
        Ok(Rep::Regs(to))
    }

    /// Whether a vector access is made element by element.
    fn piecewise(&self, b: &Buf, view: Value, index: Value, ty: Ty) -> bool {
        let Ty::Vec(elem, n) = ty else { return false };
        let per_dword = 4 / elem.bytes().min(4);
        let whole =
            per_dword == 1 || (self.index_is_multiple(index, per_dword) && self.view_is_multiple(view, per_dword));
        b.lanes.is_some() || (elem.bytes() * n) % 4 != 0 || !whole
    }

    /// Address of element `index + k`, without wrapping past the largest index.
    fn element_address(&mut self, b: &Buf, index: Value, k: u32) -> Address {
        let at = self.x(index, 0);
        let at = self.in_v(at);
        let at = match k {
            0 => at,
            _ => self.vm(Vop2::v_add_nc_u32, &[k.into(), at.into()], |m| m.clamp = true),
        };
        let whole = Buf {
            lanes: Some(b.lanes.unwrap_or((0.into(), b.len))),
            ..*b
        };
        self.lane_address(&whole, at.into())
    }

    fn load_element(&mut self, b: &Buf, index: Value, k: u32) -> Sub {
        let address = self.element_address(b, index, k);
        let (op, width) = load_op(Ty::Scalar(b.elem));
        let to = self.m.vreg(Class::V, width);
        self.buffer_inst(op, to, b, &address, !b.readonly, false);
        to
    }

    /// A vector from its elements in registers, zero-extended ones where narrow.
    fn assemble(&mut self, elem: Scalar, parts: &[X]) -> Sub {
        let words: Vec<X> = match elem.bytes() {
            8 => parts
                .iter()
                .flat_map(|p| match p {
                    X::R(s) => vec![X::R(s.dword(0)), X::R(s.dword(1))],
                    other => vec![*other],
                })
                .collect(),
            4 => parts.to_vec(),
            size => parts
                .chunks((4 / size) as usize)
                .map(|c| self.pack_dword(size * 8, c).into())
                .collect(),
        };
        self.tuple(Class::V, &words)
    }

    fn pack_dword(&mut self, bits: u32, parts: &[X]) -> Sub {
        let mask = (1u32 << bits) - 1;
        let mut out = self.v(Vop2::v_and_b32, &[mask.into(), parts[0]]);
        for (i, &p) in parts.iter().enumerate().skip(1) {
            let low = self.v(Vop2::v_and_b32, &[mask.into(), p]);
            out = self.v(
                crate::isa::Vop3::v_lshl_or_b32,
                &[low.into(), (bits * i as u32).into(), out.into()],
            );
        }
        out
    }

    pub(super) fn store(&mut self, view: Value, index: Value, value: Value) -> Sel<()> {
        let b = self.buf(view);
        let ty = self.ty(value);
        if self.piecewise(&b, view, index, ty) {
            let Ty::Vec(_, n) = ty else { return Ok(()) };
            for k in 0..n {
                let Rep::Regs(part) = self.vec_get(value, k)? else {
                    continue;
                };
                let part = if self.class(part.into()) == Class::S {
                    self.in_v(part.into())
                } else {
                    part
                };
                let address = self.element_address(&b, index, k);
                self.buffer_inst(store_op(Ty::Scalar(b.elem)), part, &b, &address, false, false);
            }
            return Ok(());
        }
        let data = self.memory_value(value);
        let address = self.address(&b, view, index);
        self.buffer_inst(store_op(ty), data, &b, &address, false, false);
        Ok(())
    }

    /// A value as it is stored, in VGPRs.
    fn memory_value(&mut self, value: Value) -> Sub {
        if self.ty(value) == Ty::BOOL {
            let mask = self.x(value, 0);
            return self.bool_to_byte(mask);
        }
        self.v_tuple(value)
    }

    /// `order` at `scope`, for global memory and LDS.
    pub(super) fn fence(&mut self, order: Order, scope: Scope) {
        if order.releases() {
            let operands = [Operand::Reg(Reg::NULL), Operand::Imm(0)].map(MOperand::Isa);
            self.raw(Sopk::s_waitcnt_vscnt, operands.into());
        }
        if order.acquires() {
            if scope == Scope::Device {
                self.raw(Mubuf::buffer_gl1_inv, Vec::new());
            }
            self.raw(Mubuf::buffer_gl0_inv, Vec::new());
        }
    }

    pub(super) fn atomic_load(&mut self, scope: Scope, args: &[Value]) -> Sel<Rep> {
        let b = self.buf(args[0]);
        if !matches!(b.elem, Scalar::U32 | Scalar::I32 | Scalar::F32) {
            return self.unsupported(format!("an atomic load of {}; use u32, i32 or f32", b.elem));
        }
        let address = self.address(&b, args[0], args[1]);
        let to = self.m.vreg(Class::V, 1);
        self.buffer_inst(Mubuf::buffer_load_b32, to, &b, &address, true, true)
            .atomic = Some(scope);
        Ok(Rep::Regs(to))
    }

    pub(super) fn atomic(&mut self, op: Rmw, scope: Scope, result: Value, args: &[Value]) -> Sel<Rep> {
        let b = self.buf(args[0]);
        use Mubuf::*;
        let code = match (op, b.elem) {
            (Rmw::Add, Scalar::U32 | Scalar::I32) => buffer_atomic_add_u32,
            (Rmw::Min, Scalar::U32) => buffer_atomic_min_u32,
            (Rmw::Min, Scalar::I32) => buffer_atomic_min_i32,
            (Rmw::Max, Scalar::U32) => buffer_atomic_max_u32,
            (Rmw::Max, Scalar::I32) => buffer_atomic_max_i32,
            (Rmw::And, Scalar::U32 | Scalar::I32) => buffer_atomic_and_b32,
            (Rmw::Or, Scalar::U32 | Scalar::I32) => buffer_atomic_or_b32,
            (Rmw::Xor, Scalar::U32 | Scalar::I32) => buffer_atomic_xor_b32,
            (Rmw::Swap, Scalar::U32 | Scalar::I32 | Scalar::F32) => buffer_atomic_swap_b32,
            (Rmw::Add, Scalar::F32) => buffer_atomic_add_f32,
            (Rmw::Min, Scalar::F32) => buffer_atomic_min_f32,
            (Rmw::Max, Scalar::F32) => buffer_atomic_max_f32,
            (_, s) => return self.unsupported(format!("an atomic {op:?} on {s}; use u32, i32 or f32")),
        };
        let wanted = self.uses[result.0 as usize] > 0;
        let value = self.v_tuple(args[2]);
        let data = self.m.vreg(Class::V, 1);
        self.mov(data, value.into());
        let address = self.address(&b, args[0], args[1]);
        self.buffer_inst(code, data, &b, &address, wanted, wanted).atomic = Some(scope);
        Ok(Rep::Regs(data))
    }

    // ---- LDS -------------------------------------------------------------------------------------------------------

    /// Address VGPR and immediate of byte `offset + extra` of an allocation.
    fn lds_address(&mut self, lds: LdsId, extra: u32, offset: Value) -> (Sub, u32) {
        let at = self.f.lds_offset(lds) + extra;
        let offset = self.x(offset, 0);
        match offset {
            X::K(k) if k.checked_add(at).is_some_and(|n| n <= 0xffff) => (self.in_v(0.into()), k + at),
            _ if at <= 0xffff => (self.in_v(offset), at),
            _ => (self.v(Vop2::v_add_nc_u32, &[at.into(), offset]), 0),
        }
    }

    fn ds(&mut self, op: Ds, xs: &[X], offset: u32) -> &mut MInst {
        let inst = self.inst(op, xs);
        inst.mods.offset = offset as i32;
        inst
    }

    /// Whether an access is known to be out of range: there it reads 0 and writes nothing. A check before it, or a condition around
    /// it, may keep everybody out, so nobody is told.
    fn lds_outside(&mut self, lds: LdsId, base: u32, offset: Value) -> bool {
        let bytes = self.f.lds[lds.0 as usize].bytes;
        matches!(self.x(offset, 0), X::K(k) if k.saturating_add(base) >= bytes)
    }

    pub(super) fn lds_load(&mut self, lds: LdsId, base: u32, result: Value, offset: Value) -> Sel<Rep> {
        let ty = self.ty(result);
        if matches!(ty, Ty::Scalar(_)) && self.lds_outside(lds, base, offset) {
            return Ok(Rep::Const(0));
        }
        let (addr, at) = self.lds_address(lds, base, offset);
        let Some(op) = ds_load_op(ty) else {
            return self.unsupported(format!("an LDS access of {ty}"));
        };
        let to = self.m.vreg(Class::V, Opcode::from(op).row().operands[0].ty.regs());
        self.ds(op, &[to.into(), addr.into()], at);
        if ty == Ty::BOOL {
            return Ok(Rep::Regs(self.byte_to_bool(to.into())));
        }
        Ok(Rep::Regs(to))
    }

    pub(super) fn lds_store(&mut self, lds: LdsId, base: u32, offset: Value, value: Value) -> Sel<()> {
        let ty = self.ty(value);
        if self.lds_outside(lds, base, offset) {
            return Ok(());
        }
        let data = self.memory_value(value);
        let (addr, at) = self.lds_address(lds, base, offset);
        let Some(op) = ds_store_op(ty) else {
            return self.unsupported(format!("an LDS access of {ty}"));
        };
        self.ds(op, &[addr.into(), data.into()], at);
        Ok(())
    }

    pub(super) fn lds_atomic_load(&mut self, lds: LdsId, base: u32, result: Value, offset: Value) -> Sel<Rep> {
        let elem = self.elem(result);
        if !matches!(elem, Scalar::U32 | Scalar::I32 | Scalar::F32) {
            return self.unsupported(format!("an LDS atomic load of {elem}; use u32, i32 or f32"));
        }
        let (addr, at) = self.lds_address(lds, base, offset);
        let to = self.m.vreg(Class::V, 1);
        self.ds(Ds::ds_load_b32, &[to.into(), addr.into()], at).atomic = Some(Scope::Group);
        Ok(Rep::Regs(to))
    }

    pub(super) fn lds_atomic(&mut self, lds: LdsId, base: u32, op: Rmw, result: Value, args: &[Value]) -> Sel<Rep> {
        let elem = self.elem(args[1]);
        use Ds::*;
        let (silent, returning) = match (op, elem) {
            (Rmw::Add, Scalar::U32 | Scalar::I32) => (ds_add_u32, ds_add_rtn_u32),
            (Rmw::Min, Scalar::U32) => (ds_min_u32, ds_min_rtn_u32),
            (Rmw::Min, Scalar::I32) => (ds_min_i32, ds_min_rtn_i32),
            (Rmw::Max, Scalar::U32) => (ds_max_u32, ds_max_rtn_u32),
            (Rmw::Max, Scalar::I32) => (ds_max_i32, ds_max_rtn_i32),
            (Rmw::And, Scalar::U32 | Scalar::I32) => (ds_and_b32, ds_and_rtn_b32),
            (Rmw::Or, Scalar::U32 | Scalar::I32) => (ds_or_b32, ds_or_rtn_b32),
            (Rmw::Xor, Scalar::U32 | Scalar::I32) => (ds_xor_b32, ds_xor_rtn_b32),
            (Rmw::Swap, Scalar::U32 | Scalar::I32 | Scalar::F32) => (ds_storexchg_rtn_b32, ds_storexchg_rtn_b32),
            (Rmw::Add, Scalar::F32) => (ds_add_f32, ds_add_rtn_f32),
            (Rmw::Min, Scalar::F32) => (ds_min_f32, ds_min_rtn_f32),
            (Rmw::Max, Scalar::F32) => (ds_max_f32, ds_max_rtn_f32),
            (_, s) => return self.unsupported(format!("an LDS atomic {op:?} on {s}; use u32, i32 or f32")),
        };
        let data = self.v_tuple(args[1]);
        let (addr, at) = self.lds_address(lds, base, args[0]);
        let to = self.m.vreg(Class::V, 1);
        if self.uses[result.0 as usize] > 0 || silent == returning {
            self.ds(returning, &[to.into(), addr.into(), data.into()], at)
        } else {
            self.ds(silent, &[addr.into(), data.into()], at)
        }
        .atomic = Some(Scope::Group);
        Ok(Rep::Regs(to))
    }

    pub(super) fn lds_frag_load(&mut self, lds: LdsId, base: u32, result: Value, offsets: &[Value]) -> Sel<Rep> {
        let width = dwords(self.ty(result));
        if width % 4 != 0 {
            return self.unsupported(format!("loading {} from LDS", self.ty(result)));
        }
        let places: Vec<_> = offsets.iter().map(|&o| self.lds_address(lds, base, o)).collect();
        let to = self.m.vreg(Class::V, width);
        self.pseudo(MOp::ImplicitDef, vec![to.into()]);
        for i in 0..width / 4 {
            let (addr, at) = match places[..] {
                [first] => (first.0, first.1 + 16 * i),
                _ => places[i as usize],
            };
            let (addr, at) = match at {
                0..=0xffff => (addr, at),
                _ => (self.v(Vop2::v_add_nc_u32, &[at.into(), addr.into()]), 0),
            };
            self.ds(Ds::ds_load_b128, &[to.slice(4 * i, 4).into(), addr.into()], at);
        }
        Ok(Rep::Regs(to))
    }
}

fn load_op(ty: Ty) -> (Mubuf, u32) {
    use Mubuf::*;
    match (ty, dwords(ty)) {
        (Ty::Scalar(Scalar::Bool | Scalar::U8), _) => (buffer_load_u8, 1),
        (Ty::Scalar(Scalar::I8), _) => (buffer_load_i8, 1),
        (Ty::Scalar(Scalar::U16 | Scalar::F16 | Scalar::Bf16), _) => (buffer_load_u16, 1),
        (Ty::Scalar(Scalar::I16), _) => (buffer_load_i16, 1),
        (_, 1) => (buffer_load_b32, 1),
        (_, 2) => (buffer_load_b64, 2),
        (_, 3) => (buffer_load_b96, 3),
        _ => (buffer_load_b128, 4),
    }
}

fn store_op(ty: Ty) -> Mubuf {
    use Mubuf::*;
    match (ty, dwords(ty)) {
        (Ty::Scalar(Scalar::Bool | Scalar::U8 | Scalar::I8), _) => buffer_store_b8,
        (Ty::Scalar(Scalar::U16 | Scalar::I16 | Scalar::F16 | Scalar::Bf16), _) => buffer_store_b16,
        (_, 1) => buffer_store_b32,
        (_, 2) => buffer_store_b64,
        (_, 3) => buffer_store_b96,
        _ => buffer_store_b128,
    }
}

fn ds_load_op(ty: Ty) -> Option<Ds> {
    use Ds::*;
    Some(match ty {
        Ty::Scalar(Scalar::Bool | Scalar::U8) => ds_load_u8,
        Ty::Scalar(Scalar::I8) => ds_load_i8,
        Ty::Scalar(Scalar::U16 | Scalar::F16 | Scalar::Bf16) => ds_load_u16,
        Ty::Scalar(Scalar::I16) => ds_load_i16,
        _ => match bytes(ty)? {
            4 => ds_load_b32,
            8 => ds_load_b64,
            12 => ds_load_b96,
            16 => ds_load_b128,
            _ => return None,
        },
    })
}

fn ds_store_op(ty: Ty) -> Option<Ds> {
    use Ds::*;
    Some(match bytes(ty)? {
        1 => ds_store_b8,
        2 => ds_store_b16,
        4 => ds_store_b32,
        8 => ds_store_b64,
        12 => ds_store_b96,
        16 => ds_store_b128,
        _ => return None,
    })
}

/// Bytes in memory of a scalar or vector.
fn bytes(ty: Ty) -> Option<u32> {
    match ty {
        Ty::Scalar(s) => Some(s.bytes()),
        Ty::Vec(s, n) => Some(s.bytes() * n),
        _ => None,
    }
}
