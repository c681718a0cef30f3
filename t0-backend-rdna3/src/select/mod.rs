//! Instruction selection: IR with structured control flow becomes machine code over virtual registers.
//!
//! Where a value lives: wave-uniform integers in SGPRs as far as SALU instructions make them, everything else in VGPRs.
//! A `bool` is a lane mask in one SGPR; only the bits of active lanes mean anything, for a uniform `bool` they are all
//! equal. Integers narrower than 32 bits are kept extended to 32 bits; the upper half of an f16 or bf16 is undefined.
//! 64-bit values, vectors and fragments are tuples.
//!
//! Parts: [`emit`] (instructions from operands), [`control`] (branches and EXEC), [`arith`], [`float`], [`cast`],
//! [`memory`] with `views` (how views are addressed), [`wave`], [`check`] (indices out of range), `scalars` (which uniform values are
//! needed in scalar registers).

pub mod arith;
pub mod cast;
pub mod check;
pub mod control;
mod divide;
pub mod emit;
pub mod facts;
pub mod float;
pub mod memory;
mod scalars;
mod views;
pub mod wave;

use crate::isa::{Mods, Operand, Reg, Smem, Sop1, Sop2, Sopc, Sopp, Vop2};
use crate::mir::{BlockId, Class, MBlock, MFunc, MInst, MOp, MOperand, Sub};
use crate::object::InitialSgprs;
use crate::CompileError;
use std::collections::{HashMap, HashSet};
use t0_ir::analysis::ranges::Ranges;
use t0_ir::{abi, Access, Effect, Func, OpId, OpKind, ParamKind, Role, Scalar, Span, Ty, Value};

/// A source or destination of an instruction under construction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum X {
    /// Virtual registers.
    R(Sub),
    /// A 32-bit constant, by its bits.
    K(u32),
    /// A physical register.
    P(Reg),
}

impl From<Sub> for X {
    fn from(s: Sub) -> X {
        X::R(s)
    }
}

impl From<u32> for X {
    fn from(k: u32) -> X {
        X::K(k)
    }
}

impl From<f32> for X {
    fn from(k: f32) -> X {
        X::K(k.to_bits())
    }
}

impl From<Reg> for X {
    fn from(r: Reg) -> X {
        X::P(r)
    }
}

/// A buffer value.
#[derive(Clone, Copy, Debug)]
pub struct Buf {
    /// Descriptor, 4 SGPRs; of a view that only views of it are accessed through, its first two words at least.
    pub srd: Sub,
    /// Length in elements: a scalar register or a constant; not above what the descriptor covers.
    pub len: X,
    /// Element type.
    pub elem: Scalar,
    /// Addressed by elements; else by bytes.
    pub by_element: bool,
    /// No lane of the launch writes this memory.
    pub readonly: bool,
    /// A view that differs between lanes: element offset into the buffer of `srd` and length, per lane.
    pub lanes: Option<(X, X)>,
}

/// Where a value is.
#[derive(Clone, Copy, Debug)]
pub enum Rep {
    /// A constant, by its bits, not in any register yet.
    Const(u64),
    /// In registers.
    Regs(Sub),
    /// A buffer.
    Buf(Buf),
}

/// A parameter: kind, values, offset in the argument block.
type Parameter<'a> = (ParamKind, &'a [Value], u32);

/// Argument blocks up to this size are loaded when the kernel starts; of larger ones every argument is loaded before the
/// first operation of the body that needs it, so that they do not fill the SGPRs.
const EAGER_BYTES: u32 = 192;

/// The selector: its state while it walks the IR.
pub struct Select<'a> {
    /// The kernel.
    pub f: &'a Func,
    /// The code so far.
    pub m: MFunc,
    reps: Vec<Option<Rep>>,
    uniform: Vec<bool>,
    uses: Vec<u32>,
    def: Vec<Option<OpId>>,
    labels: Vec<Option<u32>>,
    span: Span,
    depth: u32,
    /// What conditions around the current place say.
    facts: facts::Facts,
    /// Between which numbers each integer lies.
    ranges: Ranges,
    /// Uniform comparisons made anew where they are consumed through SCC.
    pending: HashMap<Value, (Sopc, X, X)>,
    /// Values that only branches and scalar selects test.
    scc_only: HashSet<Value>,
    /// Values that are needed in scalar registers.
    scalars: Vec<bool>,
    /// How views are addressed.
    views: views::Views,
    /// The `for` of every `u32` loop counter.
    loops: HashMap<Value, OpId>,
    /// Address of the kernel arguments.
    kernarg: Option<Sub>,
    /// Parameters not loaded yet.
    params: Vec<Parameter<'a>>,
    local_id: Option<Sub>,
    lane_id: Option<Sub>,
    wave_id: Option<Sub>,
    group_id: [Option<Sub>; 3],
    group_count: [Option<Sub>; 3],
    /// Checks that have no code for their failure yet.
    failures: Vec<check::Failure>,
}

/// Result of a selection step.
pub type Sel<T> = Result<T, CompileError>;

/// Number of dwords of a value of this type in registers (`bool`: its mask).
pub fn dwords(ty: Ty) -> u32 {
    match ty {
        Ty::Scalar(s) => s.bytes().div_ceil(4),
        Ty::Vec(s, n) => (s.bytes() * n).div_ceil(4),
        Ty::Frag(Role::Input, s) => 16 * s.bytes() / 4,
        Ty::Frag(Role::Acc, _) => 8,
        Ty::Buffer(_) => 4,
        Ty::Staged(_) | Ty::LdsTile(_) => 0,
    }
}

/// A constant's bits extended to 64 as registers hold the type.
fn canonical(ty: Scalar, bits: u64) -> u64 {
    match ty {
        Scalar::Bool => bits & 1,
        Scalar::I8 => i64::from(bits as i8) as u64,
        Scalar::I16 => i64::from(bits as i16) as u64,
        Scalar::I32 => i64::from(bits as i32) as u64,
        Scalar::U8 => bits & 0xff,
        Scalar::U16 | Scalar::F16 | Scalar::Bf16 => bits & 0xffff,
        Scalar::U32 | Scalar::F32 => bits & 0xffff_ffff,
        Scalar::I64 | Scalar::U64 | Scalar::F64 => bits,
    }
}

/// Facts about the launch that selection needs.
pub struct Entry {
    /// Where the initial SGPRs are.
    pub sgprs: InitialSgprs,
}

/// Selects instructions for a verified, tile-free kernel. `uniform[v]`: is value `v` the same in all lanes of a wave?
///
/// Errors: an operation on types that have no code yet.
pub fn select(f: &Func, uniform: Vec<bool>, entry: &Entry) -> Sel<MFunc> {
    let n = f.values.len();
    let mut uses = vec![0; n];
    let mut def = vec![None; n];
    count_uses(f, &f.body.ops, &mut uses, &mut def);
    let tested = scalars::tested(f, &uniform);
    let scalars = scalars::scalars(f, &uniform, &tested);
    let views = views::Views::of(f, &uniform);
    let mut s = Select {
        f,
        m: MFunc::default(),
        reps: vec![None; n],
        uniform,
        uses,
        def,
        labels: Vec::new(),
        span: f.span,
        depth: 0,
        facts: facts::Facts::default(),
        ranges: Ranges::of(f),
        pending: HashMap::new(),
        scc_only: tested,
        scalars,
        views,
        loops: loops(f, &f.body.ops),
        kernarg: None,
        params: Vec::new(),
        local_id: None,
        lane_id: None,
        wave_id: None,
        group_id: [None; 3],
        group_count: [None; 3],
        failures: Vec::new(),
    };
    s.m.blocks.push(MBlock::default());
    s.m.group = f.group;
    s.prologue(entry)?;
    s.body()?;
    s.span = f.span;
    s.raw(Sopp::s_endpgm, vec![Operand::Imm(0).into()]);
    s.failed_checks()?;
    s.resolve_labels();
    Ok(s.m)
}

/// Counter of every `for` over `u32`.
fn loops(f: &Func, ops: &[OpId]) -> HashMap<Value, OpId> {
    let mut out = HashMap::new();
    for &id in ops {
        let op = f.op(id);
        if matches!(op.kind, OpKind::For { .. }) && f.ty(op.args[1]) == Ty::U32 {
            out.insert(op.regions[0].args[0], id);
        }
        op.regions.iter().for_each(|r| out.extend(loops(f, &r.ops)));
    }
    out
}

/// The values an operation and those in its regions use.
fn values_used(f: &Func, id: OpId, used: &mut HashSet<Value>) {
    let op = f.op(id);
    used.extend(&op.args);
    for &inner in op.regions.iter().flat_map(|r| &r.ops) {
        values_used(f, inner, used);
    }
}

fn count_uses(f: &Func, ops: &[OpId], uses: &mut [u32], def: &mut [Option<OpId>]) {
    for &id in ops {
        let op = f.op(id);
        for a in &op.args {
            uses[a.0 as usize] += 1;
        }
        for r in &op.results {
            def[r.0 as usize] = Some(id);
        }
        for r in &op.regions {
            count_uses(f, &r.ops, uses, def);
        }
    }
}

impl<'a> Select<'a> {
    // ---- blocks ----------------------------------------------------------------------------------------------------

    /// A label to branch to.
    pub fn label(&mut self) -> BlockId {
        self.labels.push(None);
        BlockId(self.labels.len() as u32 - 1)
    }

    /// Starts a block here and gives the label its place.
    pub fn bind(&mut self, label: BlockId) {
        self.begin_block();
        self.labels[label.0 as usize] = Some(self.m.blocks.len() as u32 - 1);
    }

    /// Starts a block here.
    pub fn begin_block(&mut self) {
        self.m.blocks.push(MBlock {
            insts: Vec::new(),
            depth: self.depth,
        });
    }

    fn resolve_labels(&mut self) {
        for block in &mut self.m.blocks {
            for inst in &mut block.insts {
                for o in &mut inst.operands {
                    if let MOperand::Block(l) = o {
                        let at = self.labels[l.0 as usize];
                        *l = BlockId(at.unwrap_or_else(|| panic!("select: label {} was never bound", l.0)));
                    }
                }
            }
        }
    }

    // ---- values ----------------------------------------------------------------------------------------------------

    /// The type of a value.
    pub fn ty(&self, v: Value) -> Ty {
        self.f.ty(v)
    }

    /// The scalar or element type of a value.
    pub fn elem(&self, v: Value) -> Scalar {
        self.f.ty(v).elem()
    }

    /// Whether the value is the same in all lanes of a wave.
    pub fn uniform(&self, v: Value) -> bool {
        self.uniform[v.0 as usize]
    }

    /// Where the value is.
    pub fn rep(&self, v: Value) -> Rep {
        match self.reps[v.0 as usize] {
            Some(r) => r,
            None => panic!("select: value {} used before its definition", v.0),
        }
    }

    /// Puts a value somewhere.
    pub fn set(&mut self, v: Value, rep: Rep) {
        self.reps[v.0 as usize] = Some(rep);
    }

    /// Dword `k` of a value; a `bool` as its mask.
    pub fn x(&self, v: Value, k: u32) -> X {
        match self.rep(v) {
            Rep::Const(bits) if self.ty(v) == Ty::BOOL => X::K(if bits == 0 { 0 } else { u32::MAX }),
            Rep::Const(bits) => X::K((bits >> (32 * k)) as u32),
            Rep::Regs(s) => X::R(s.dword(k)),
            Rep::Buf(_) => panic!("select: buffer {} used as a number", v.0),
        }
    }

    /// The constant a value is, if it is one.
    pub fn constant(&self, v: Value) -> Option<u64> {
        match self.reps[v.0 as usize] {
            Some(Rep::Const(bits)) => Some(bits),
            _ => None,
        }
    }

    /// Register class of a source (constants count as scalar).
    pub fn class(&self, x: X) -> Class {
        match x {
            X::R(s) => self.m.info(s.reg).class,
            X::K(_) => Class::S,
            X::P(r) => match r.file {
                crate::isa::RegFile::S => Class::S,
                crate::isa::RegFile::V => Class::V,
            },
        }
    }

    /// Whether the value is in scalar registers or constant.
    pub fn in_sgpr(&self, v: Value) -> bool {
        match self.rep(v) {
            Rep::Const(_) => true,
            Rep::Regs(s) => self.m.info(s.reg).class == Class::S,
            Rep::Buf(_) => false,
        }
    }

    /// Whether SALU instructions can compute a result of this operation: uniform, operands in scalar registers.
    pub fn salu(&self, result: Value, args: &[Value]) -> bool {
        self.uniform(result) && args.iter().all(|&a| self.in_sgpr(a))
    }

    /// An error for something that has no code.
    pub fn unsupported<T>(&self, what: impl Into<String>) -> Sel<T> {
        Err(CompileError::unsupported(self.f, self.span, what.into()))
    }

    // ---- walk ------------------------------------------------------------------------------------------------------

    /// Selects a list of operations; the operands of its terminator.
    pub fn ops(&mut self, ops: &'a [OpId]) -> Sel<&'a [Value]> {
        for &id in ops {
            let op = self.f.op(id);
            self.span = op.span;
            if matches!(op.kind, OpKind::Yield | OpKind::Condition) {
                return Ok(&op.args);
            }
            let unused = op.results.iter().all(|r| self.uses[r.0 as usize] == 0);
            let removable = matches!(op.kind.row().effect, Effect::Pure | Effect::Read);
            if !(unused && removable) {
                self.op(op)?;
            }
        }
        Ok(&[])
    }

    /// Loads what is used of the kernel arguments and names the initial registers.
    fn prologue(&mut self, entry: &Entry) -> Sel<()> {
        let axes = self.used_axes();
        for (axis, at) in entry.sgprs.workgroup_id.into_iter().enumerate() {
            if let (true, Some(at)) = (axes[axis], at) {
                self.group_id[axis] = Some(self.copy_in(Reg::s(at), Class::S));
            }
        }
        if self.uses_local_id() {
            self.local_id = Some(self.copy_in(Reg::v(0), Class::V));
        }
        let packet = entry
            .sgprs
            .dispatch_ptr
            .map(|at| self.copy_in(Reg::sn(at, 2), Class::S));
        let kernarg = entry.sgprs.kernarg_ptr;
        let (slots, _) = abi::layout(&self.f.params);
        let f = self.f;
        let any = f.body.args.iter().any(|a| self.uses[a.0 as usize] > 0) || check::has_checks(f);
        if let (Some(at), true) = (kernarg, any) {
            self.kernarg = Some(self.copy_in(Reg::sn(at, 2), Class::S));
        }
        let mut arg = 0;
        for (p, slot) in f.params.iter().zip(slots) {
            let values = &f.body.args[arg..arg + p.kind.values().len()];
            arg += values.len();
            self.params.push((p.kind, values, slot.offset));
        }
        if abi::kernarg_bytes(f) <= EAGER_BYTES {
            let all = std::mem::take(&mut self.params);
            self.load_params(all);
        }
        self.group_counts(packet)?;
        self.parts_of_local_id();
        Ok(())
    }

    /// The operations of the body, the arguments they use loaded before them unless they are all loaded already.
    fn body(&mut self) -> Sel<()> {
        for id in &self.f.body.ops {
            if !self.params.is_empty() {
                let mut used = HashSet::new();
                values_used(self.f, *id, &mut used);
                let (now, later) = std::mem::take(&mut self.params)
                    .into_iter()
                    .partition(|(_, v, _)| v.iter().any(|v| used.contains(v)));
                self.params = later;
                self.span = self.f.span;
                self.load_params(now);
            }
            self.ops(std::slice::from_ref(id))?;
        }
        Ok(())
    }

    /// Loads parameters: all loads first, so that they are waited for together.
    fn load_params(&mut self, params: Vec<Parameter<'a>>) {
        let Some(base) = self.kernarg else { return };
        let mut loaded: Vec<Vec<Sub>> = Vec::new();
        while let Some(&(kind, values, offset)) = params.get(loaded.len()) {
            let next = params.get(loaded.len() + 1);
            let slice = |s: &Self, p: &Parameter| matches!(p.0, ParamKind::Slice(..)) && s.uses[p.1[0].0 as usize] > 0;
            let pair =
                slice(self, &(kind, values, offset)) && next.is_some_and(|p| p.2 == offset + 16 && slice(self, p));
            if pair {
                // Two slices in a row are one load.
                let words = self.s_load(Smem::s_load_b256, base, offset);
                loaded.extend([vec![words.slice(0, 4)], vec![words.slice(4, 4)]]);
            } else {
                loaded.push(self.load_param(kind, values, base, offset));
            }
        }
        for ((kind, values, _), words) in params.into_iter().zip(loaded) {
            self.param(kind, values, &words);
        }
    }

    /// Numbers of workgroups, from the dispatch packet's grid in work-items (AQL packet: grid sizes at bytes 12, 16, 20).
    fn group_counts(&mut self, packet: Option<Sub>) -> Sel<()> {
        let Some(packet) = packet else { return Ok(()) };
        let used = |axis: u32| self.f.ops.iter().any(|o| o.kind == OpKind::GroupCount { axis });
        for axis in (0..3).filter(|&a| used(a)).collect::<Vec<_>>() {
            let grid = self.s_load(Smem::s_load_b32, packet, 12 + 4 * axis);
            self.group_count[axis as usize] = Some(match axis {
                // Only whole workgroups are launched; a last partial one would count as one.
                0 => {
                    let group = self.f.group;
                    let grid = self.s(Sop2::s_add_u32, &[grid.into(), (group - 1).into()]);
                    let count = self.divide_uniform(grid.into(), group);
                    self.s_reg(count)
                }
                _ => grid,
            });
        }
        Ok(())
    }

    /// Lane and wave number. v0 holds the local id alone: the parts above bit 9, numbers in y and z, are 0 in groups of one dimension
    /// (LLVM `SITargetLowering::allocateSpecialEntryInputVGPRs` masks nothing either where only x is asked for).
    fn parts_of_local_id(&mut self) {
        let Some(v0) = self.local_id else { return };
        let used = |k: fn(&OpKind) -> bool| self.f.ops.iter().any(|o| k(&o.kind));
        let (lane, wave) = (
            used(|k| matches!(k, OpKind::LaneId | OpKind::WaveScan { .. })),
            used(|k| *k == OpKind::WaveId),
        );
        if lane {
            self.lane_id = Some(match self.f.group {
                0..=32 => v0,
                _ => self.v(Vop2::v_and_b32, &[31.into(), v0.into()]),
            });
        }
        if wave {
            let first = self.in_s(v0.into());
            self.wave_id = Some(self.s(Sop2::s_lshr_b32, &[first, 5.into()]));
        }
    }

    fn used_axes(&self) -> [bool; 3] {
        let mut used = [check::has_checks(self.f); 3];
        for op in &self.f.ops {
            if let OpKind::GroupId { axis } = op.kind {
                used[axis as usize % 3] = true;
            }
        }
        used
    }

    fn uses_local_id(&self) -> bool {
        let by_lane = |k: &OpKind| {
            matches!(
                k,
                OpKind::LocalId | OpKind::LaneId | OpKind::WaveId | OpKind::WaveScan { .. }
            )
        };
        self.f.ops.iter().any(|o| by_lane(&o.kind)) || check::has_checks(self.f)
    }

    fn copy_in(&mut self, from: Reg, class: Class) -> Sub {
        let to = self.m.vreg(class, from.count);
        self.pseudo(MOp::Copy, vec![to.into(), from.into()]);
        to
    }

    /// Loads the words of a parameter that are used.
    fn load_param(&mut self, kind: ParamKind, values: &[Value], base: Sub, offset: u32) -> Vec<Sub> {
        let used = |s: &Self, i: usize| s.uses[values[i].0 as usize] > 0;
        if !(0..values.len()).any(|i| used(self, i)) {
            return Vec::new();
        }
        match kind {
            ParamKind::Scalar(s) if s.bytes() == 8 => vec![self.s_load(Smem::s_load_b64, base, offset)],
            ParamKind::Scalar(_) => vec![self.s_load(Smem::s_load_b32, base, offset)],
            ParamKind::Slice(..) => vec![self.s_load(Smem::s_load_b128, base, offset)],
            ParamKind::Mat(..) => {
                let shape = self.s_load(Smem::s_load_b128, base, offset + 8);
                if !used(self, 0) {
                    return vec![shape];
                }
                // The address goes to where the descriptor will be.
                let srd = self
                    .m
                    .vreg(Class::S, if self.views.accessed(values[0]) { 4 } else { 2 });
                if srd.count > 2 {
                    self.pseudo(MOp::ImplicitDef, vec![srd.into()]);
                }
                self.s_load_to(Smem::s_load_b64, srd.slice(0, 2), base, offset);
                vec![shape, srd]
            }
        }
    }

    /// Makes a parameter's values from its words.
    fn param(&mut self, kind: ParamKind, values: &[Value], words: &[Sub]) {
        let Some(&first) = words.first() else {
            for &v in values {
                self.set(v, Rep::Const(0)); // not used
            }
            return;
        };
        match kind {
            ParamKind::Scalar(s) => {
                let rep = match s {
                    Scalar::Bool => {
                        self.scmp(Sopc::s_cmp_lg_u32, first.into(), 0.into());
                        self.s(Sop2::s_cselect_b32, &[u32::MAX.into(), 0.into()])
                    }
                    Scalar::I8 => self.s(Sop1::s_sext_i32_i8, &[first.into()]),
                    Scalar::I16 => self.s(Sop1::s_sext_i32_i16, &[first.into()]),
                    Scalar::U8 => self.s(Sop2::s_and_b32, &[first.into(), 0xff.into()]),
                    Scalar::U16 | Scalar::F16 | Scalar::Bf16 => self.s(Sop2::s_and_b32, &[first.into(), 0xffff.into()]),
                    _ => first,
                };
                self.set(values[0], Rep::Regs(rep));
            }
            ParamKind::Slice(elem, access) => {
                let buf = self.whole_view(values[0], first, first.dword(2).into(), elem, access == Access::Read);
                self.set(values[0], Rep::Buf(buf));
            }
            ParamKind::Mat(elem, access) => {
                match words.get(1) {
                    Some(&srd) => {
                        let buf = self.whole_view(values[0], srd, first.dword(3).into(), elem, access == Access::Read);
                        self.set(values[0], Rep::Buf(buf));
                    }
                    None => self.set(values[0], Rep::Const(0)),
                }
                for i in 0..3 {
                    self.set(values[i + 1], Rep::Regs(first.dword(i as u32)));
                }
            }
        }
    }

    fn s_load(&mut self, op: Smem, base: Sub, offset: u32) -> Sub {
        let to = self
            .m
            .vreg(Class::S, crate::isa::Opcode::from(op).row().operands[0].ty.regs());
        self.s_load_to(op, to, base, offset);
        to
    }

    pub(super) fn s_load_to(&mut self, op: Smem, to: Sub, base: Sub, offset: u32) {
        self.inst(op, &[to.into(), base.into(), Reg::NULL.into()]).mods.offset = offset as i32;
    }

    /// The local id.
    fn thread(&self) -> Sub {
        match self.local_id {
            Some(v) => v,
            None => panic!("select: the local id was not set up"),
        }
    }

    fn where_am_i(&mut self, kind: &OpKind) -> Sel<Rep> {
        Ok(Rep::Regs(match *kind {
            OpKind::LocalId => self.thread(),
            OpKind::LaneId => self.lane_id(),
            OpKind::WaveId => match self.wave_id {
                Some(s) => s,
                None => panic!("select: the wave number was not set up"),
            },
            OpKind::GroupId { axis } => match self.group_id.get(axis as usize).copied().flatten() {
                Some(s) => s,
                None => return self.unsupported(format!("a grid axis number {axis}; axes are 0, 1, 2")),
            },
            OpKind::GroupCount { axis } => match self.group_count.get(axis as usize).copied().flatten() {
                Some(s) => s,
                None => return self.unsupported("the number of workgroups; pass it as an argument"),
            },
            _ => return self.unsupported(kind.row().name),
        }))
    }

    /// Lane number, 0 … 31: groups are one-dimensional, so it is the low part of the local id.
    pub fn lane_id(&mut self) -> Sub {
        match self.lane_id {
            Some(v) => v,
            None => panic!("select: the lane number was not set up"),
        }
    }

    fn op(&mut self, op: &'a t0_ir::Op) -> Sel<()> {
        use OpKind as K;
        let (args, results) = (&op.args[..], &op.results[..]);
        let rep = match &op.kind {
            K::If => return self.if_(op),
            K::For { .. } => return self.for_(op),
            K::While => return self.while_(op),
            K::Const { ty, bits } => Rep::Const(canonical(*ty, *bits)),
            K::Add
            | K::Sub
            | K::Mul
            | K::Div
            | K::Rem
            | K::Neg
            | K::And
            | K::Or
            | K::Xor
            | K::Not
            | K::Shl
            | K::Shr
            | K::Min
            | K::Max
            | K::Abs
            | K::MulAdd
            | K::Sqrt
            | K::Exp
            | K::Exp2
            | K::Ln
            | K::Log2
            | K::Sin
            | K::Cos
            | K::Floor
            | K::Ceil
            | K::Trunc
            | K::RoundEven
            | K::CountOnes
            | K::LeadingZeros
            | K::TrailingZeros
            | K::ReverseBits => self.arith(&op.kind, results[0], args)?,
            K::Cmp { pred } => self.cmp(*pred, results[0], args[0], args[1])?,
            K::Select => self.select(results[0], args)?,
            K::Cast => self.cast(results[0], args[0])?,
            K::Bitcast => self.bitcast(results[0], args[0])?,
            K::VecBuild => self.vec_build(results[0], args)?,
            K::VecGet { index } => self.vec_get(args[0], *index)?,
            K::LocalId | K::LaneId | K::WaveId | K::GroupId { .. } | K::GroupCount { .. } => {
                self.where_am_i(&op.kind)?
            }
            K::BufferLen => self.buffer_len(args[0])?,
            K::View => self.view(results[0], args)?,
            K::Load => self.load(results[0], args[0], args[1])?,
            K::LoadChunk { base } => self.load_chunk(results[0], args, *base)?,
            K::Store => return self.store(args[0], args[1], args[2]),
            K::Atomic { op, scope } => self.atomic(*op, *scope, results[0], args)?,
            K::AtomicLoad { scope } => self.atomic_load(*scope, args)?,
            K::Fence { order, scope } => {
                self.fence(*order, *scope);
                return Ok(());
            }
            K::LdsLoad { lds, base, .. } => self.lds_load(*lds, *base, results[0], args[0])?,
            K::LdsStore { lds, base, .. } => return self.lds_store(*lds, *base, args[0], args[1]),
            K::LdsAtomic { lds, base, op } => self.lds_atomic(*lds, *base, *op, results[0], args)?,
            K::LdsAtomicLoad { lds, base } => self.lds_atomic_load(*lds, *base, results[0], args[0])?,
            K::Check { site } => return self.check(*site, args),
            K::Barrier => {
                self.raw(Sopp::s_barrier, Vec::new());
                return Ok(());
            }
            K::WaveReduce { op } => self.wave_reduce(*op, args[0])?,
            K::WaveScan { op } => self.wave_scan(*op, args[0])?,
            K::WaveShuffle => self.wave_shuffle(args[0], args[1])?,
            K::WaveShuffleXor { mask } => self.wave_shuffle_xor(args[0], *mask)?,
            K::WaveBallot => self.wave_ballot(args[0])?,
            K::WaveBroadcast => self.wave_broadcast(args[0], args[1])?,
            K::WavePerm { mask } => self.wave_perm(args, *mask),
            K::FragSplat => self.frag_splat(results[0], args[0])?,
            K::Wmma => self.wmma(results[0], args)?,
            K::LdsFragLoad { lds, base, .. } => self.lds_frag_load(*lds, *base, results[0], args)?,
            K::TileLoad { .. }
            | K::TileFetch { .. }
            | K::TileCommit { .. }
            | K::TileAt { .. }
            | K::TileFrag
            | K::TileStore => return self.unsupported(format!("`{}` after tiles were lowered", op.kind.row().name)),
            K::Yield | K::Condition => return Ok(()),
        };
        let rep = self.read_out(results[0], rep);
        self.set(results[0], rep);
        Ok(())
    }

    /// A value in scalar registers if it is needed there.
    fn read_out(&mut self, v: Value, rep: Rep) -> Rep {
        match rep {
            Rep::Regs(s) if self.scalars[v.0 as usize] && self.m.info(s.reg).class == Class::V => {
                let words: Vec<X> = (0..s.count).map(|k| self.in_s(s.dword(k).into())).collect();
                Rep::Regs(self.tuple(Class::S, &words))
            }
            rep => rep,
        }
    }

    /// Appends an instruction with ready operands.
    pub fn raw(&mut self, op: impl Into<crate::isa::Opcode>, operands: Vec<MOperand>) -> &mut MInst {
        let op = op.into();
        let enc = emit::natural_enc(op);
        self.push(MInst {
            op: MOp::Isa(op),
            enc,
            operands,
            mods: Mods::for_op(op),
            span: self.span,
            shared: false,
            atomic: None,
        })
    }

    /// Appends a pseudo-instruction.
    pub fn pseudo(&mut self, op: MOp, operands: Vec<MOperand>) {
        let span = self.span;
        let enc = crate::isa::Enc::Natural;
        self.push(MInst {
            op,
            enc,
            operands,
            mods: Mods::default(),
            span,
            shared: false,
            atomic: None,
        });
    }

    fn push(&mut self, inst: MInst) -> &mut MInst {
        let last = self.m.blocks.len() - 1; // the entry block always exists
        let insts = &mut self.m.blocks[last].insts;
        insts.push(inst);
        let at = insts.len() - 1;
        &mut insts[at]
    }
}
