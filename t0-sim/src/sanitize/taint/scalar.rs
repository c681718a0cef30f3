//! Undefined bits through the scalar ALU, and the branches that must not depend on them.
//!
//! Lane masks are scalar values: bit operations are exact, so that `s_and` with EXEC defines the bits of lanes that are
//! off.

use t0_backend_rdna3::isa::{Flags, Opcode, Sop1, Sop2, Sopc, Sopk, Sopp};

use super::bits::{any, ones, Bits};
use super::{Born, Name, Taint};
use crate::exec::{scalar32, scalar64};
use crate::mem::lanes_of;
use crate::program::{Dst, Instr, Src};
use crate::wave::{Wave, EXEC, M0, VCC};

/// What an instruction makes of SCC.
enum Scc {
    /// Leaves it.
    Kept,
    /// Result is not zero.
    NotZero,
    /// Undefined if this has undefined bits.
    From(u64),
}

/// A result.
struct Result {
    bits: Bits,
    width: u32,
    scc: Scc,
}

/// A sum whose carry is SCC.
fn carried((bits, carry): (Bits, bool)) -> Option<Result> {
    result(bits, 32, Scc::From(carry.into()))
}

fn result(bits: Bits, width: u32, scc: Scc) -> Option<Result> {
    Some(Result { bits, width, scc })
}

struct Scalar<'a> {
    t: &'a Taint,
    w: &'a Wave,
    i: &'a Instr,
}

impl Scalar<'_> {
    fn src(&self, k: usize, width: u32) -> Bits {
        self.of(self.i.src[k], width)
    }

    fn of(&self, s: Src, width: u32) -> Bits {
        match width {
            64 => Bits::new(scalar64(self.w, s), self.t.scalar64(self.w, s).0),
            _ => Bits::new(scalar32(self.w, s).into(), self.t.scalar32(self.w, s).0.into()),
        }
    }

    fn old(&self, width: u32) -> Bits {
        match self.i.dst[0] {
            Dst::S(r) => self.of(Src::S(r), width),
            _ => Bits::known(0),
        }
    }

    fn scc(&self) -> Bits {
        Bits::new(self.w.scc.into(), self.t.scc.is_some().into())
    }

    /// The first undefined source.
    fn born(&self) -> (Option<Name>, Born) {
        let dst = match self.i.dst[0] {
            Dst::S(r) => Src::S(r),
            _ => Src::None,
        };
        for s in self.i.src.into_iter().chain([dst]) {
            if let Src::S(r) = s {
                // Sources of 64 bits have two registers.
                let wide = usize::from(r)..usize::from(r) + 2;
                let reads = |k: &usize| self.i.sread[(k & 127) / 64] >> (k % 64) & 1 == 1;
                if let Some(k) = wide.filter(reads).find(|&k| self.t.s[k & 127] != 0) {
                    return (Some(Name::s(k)), self.t.s_born[k & 127]);
                }
            }
            let (bits, born) = self.t.scalar32(self.w, s);
            if bits != 0 && !matches!(s, Src::S(_)) {
                return (Some(Name::SCC), born);
            }
        }
        let scc = self.t.scc.map(|b| (Some(Name::SCC), b));
        scc.unwrap_or((None, Born::NONE))
    }
}

pub(super) fn flow(t: &mut Taint, w: &Wave, i: &Instr) {
    if let Opcode::Sopp(op) = i.op {
        return branch(t, w, i, op);
    }
    let m0 = i.flags.has(Flags::R_M0) && t.s[M0] != 0;
    if m0 {
        t.report("the number of a register", Some(Name::s(M0)), None, t.s_born[M0]);
    }
    let x = Scalar { t, w, i };
    let (name, born) = x.born();
    let born = if moves(i.op) { born } else { born.computed() };
    let r = match i.op {
        Opcode::Sop2(op) => sop2(&x, op),
        Opcode::Sop1(op) => match op {
            Sop1::s_setpc_b64 | Sop1::s_swappc_b64 if x.src(0, 64).t != 0 => {
                t.report("the target of a jump", name, None, born);
                return clean(t, i);
            }
            Sop1::s_movrels_b32
            | Sop1::s_movrels_b64
            | Sop1::s_movreld_b32
            | Sop1::s_movreld_b64
            | Sop1::s_movrelsd_2_b32 => return relative(t, w, i, op),
            _ if saves_exec(op) => return exec(t, w, i, op, (name, born)),
            _ => sop1(&x, op),
        },
        Opcode::Sopc(op) => sopc(&x, op),
        Opcode::Sopk(op) => sopk(&x, op),
        _ => None,
    };
    match r {
        Some(r) => put(t, w, i, r, (name, born)),
        None => clean(t, i),
    }
}

/// Whether an instruction only moves bits.
fn moves(op: Opcode) -> bool {
    let name = op.row().name;
    let kinds = [
        "s_mov",
        "s_cmov",
        "s_and_",
        "s_or_",
        "s_lsh",
        "s_bfe",
        "s_pack",
        "s_cselect",
        "s_sext",
    ];
    kinds.iter().any(|k| name.starts_with(k)) && !name.contains("_add_")
}

/// Everything the instruction writes is defined.
fn clean(t: &mut Taint, i: &Instr) {
    for r in 0..128 {
        if i.swrite[r / 64] >> (r % 64) & 1 == 1 {
            t.clean_s(r);
        }
    }
    if i.flags.has(Flags::W_SCC) {
        t.scc = None;
    }
}

fn put(t: &mut Taint, w: &Wave, i: &Instr, r: Result, (name, born): (Option<Name>, Born)) {
    let bits = r.bits.t & ones(r.width);
    let scc = match r.scc {
        Scc::Kept => None,
        // A defined bit that is set decides.
        Scc::NotZero => Some(bits != 0 && r.bits.v & !bits & ones(r.width) == 0),
        Scc::From(t) => Some(t != 0),
    };
    if let Some(dirty) = scc {
        t.scc = dirty.then_some(born.computed());
    }
    let Dst::S(d) = i.dst[0] else { return };
    let d = usize::from(d);
    for k in 0..r.width.div_ceil(32) as usize {
        let word = (bits >> (32 * k)) as u32;
        if matches!(d + k, EXEC | 127) {
            // EXEC_HI means nothing in a wave of 32 lanes.
            let word = if d + k > EXEC && w.lanes() == 32 { 0 } else { word };
            active(t, word, 32 * (d + k - EXEC), (name, born));
        } else {
            t.set_s(d + k, word, born);
        }
    }
}

/// Undefined bits on their way into EXEC.
fn active(t: &mut Taint, bits: u32, first: usize, (name, born): (Option<Name>, Born)) {
    if let Some(l) = lanes_of(bits).next() {
        t.report("the mask of active lanes", name, Some(l + first), born);
    }
}

fn sop2(x: &Scalar, op: Sop2) -> Option<Result> {
    use Sop2::*;
    let same = x.i.src[0] == x.i.src[1] && matches!(x.i.src[0], Src::S(_));
    let (a, b) = (x.src(0, 32), x.src(1, 32));
    let (p, q) = (x.src(0, 64), x.src(1, 64));
    let sum = a.t | b.t;
    match op {
        s_xor_b32 | s_xnor_b32 | s_sub_u32 | s_sub_i32 if same => None,
        s_xor_b64 | s_xnor_b64 if same => None,
        s_and_b32 => result(a.and(b), 32, Scc::NotZero),
        s_or_b32 => result(a.or(b), 32, Scc::NotZero),
        s_xor_b32 => result(a.xor(b), 32, Scc::NotZero),
        s_nand_b32 => result(a.and(b).not(), 32, Scc::NotZero),
        s_nor_b32 => result(a.or(b).not(), 32, Scc::NotZero),
        s_xnor_b32 => result(a.xor(b).not(), 32, Scc::NotZero),
        s_and_not1_b32 => result(a.and(b.not()), 32, Scc::NotZero),
        s_or_not1_b32 => result(a.or(b.not()), 32, Scc::NotZero),
        s_and_b64 => result(p.and(q), 64, Scc::NotZero),
        s_or_b64 => result(p.or(q), 64, Scc::NotZero),
        s_xor_b64 => result(p.xor(q), 64, Scc::NotZero),
        s_nand_b64 => result(p.and(q).not(), 64, Scc::NotZero),
        s_nor_b64 => result(p.or(q).not(), 64, Scc::NotZero),
        s_xnor_b64 => result(p.xor(q).not(), 64, Scc::NotZero),
        s_and_not1_b64 => result(p.and(q.not()), 64, Scc::NotZero),
        s_or_not1_b64 => result(p.or(q.not()), 64, Scc::NotZero),
        s_lshl_b32 => result(a.shl(b, 32), 32, Scc::NotZero),
        s_lshr_b32 => result(a.shr(b, 32), 32, Scc::NotZero),
        s_ashr_i32 => result(a.sar(b, 32), 32, Scc::NotZero),
        s_lshl_b64 => result(p.shl(b, 64), 64, Scc::NotZero),
        s_lshr_b64 => result(p.shr(b, 64), 64, Scc::NotZero),
        s_ashr_i64 => result(p.sar(b, 64), 64, Scc::NotZero),
        // Of signed ones SCC is the overflow.
        s_add_i32 => result(a.add(b, 32), 32, Scc::From(sum)),
        s_sub_i32 => result(a.sub(b, 32), 32, Scc::From(sum)),
        s_add_u32 => carried(a.add_carry(b, Bits::known(0), 32)),
        s_sub_u32 => carried(a.sub_borrow(b, Bits::known(0), 32)),
        s_addc_u32 => carried(a.add_carry(b, x.scc(), 32)),
        s_subb_u32 => carried(a.sub_borrow(b, x.scc(), 32)),
        s_min_i32 | s_min_u32 | s_max_i32 | s_max_u32 => {
            let (largest, signed) = (matches!(op, s_max_i32 | s_max_u32), matches!(op, s_min_i32 | s_max_i32));
            let told = a.told(if largest { "ge" } else { "lt" }, b, 32, signed);
            result(a.extreme(b, largest, 32, signed), 32, Scc::From(u64::from(!told)))
        }
        s_lshl1_add_u32 | s_lshl2_add_u32 | s_lshl3_add_u32 | s_lshl4_add_u32 => {
            let n = op as u32 - s_lshl1_add_u32 as u32 + 1;
            let shifted = Bits::new(a.v << n, a.t << n).cut(32);
            result(shifted.add(b, 32), 32, Scc::From(sum))
        }
        s_mul_i32 => result(a.mul(b, 32), 32, Scc::Kept),
        s_mul_hi_u32 | s_mul_hi_i32 => result(a.unless_zero(b, 32), 32, Scc::Kept),
        s_bfe_u32 | s_bfe_i32 | s_bfe_u64 | s_bfe_i64 => {
            let width = if matches!(op, s_bfe_u32 | s_bfe_i32) { 32 } else { 64 };
            let value = if width == 32 { a } else { p };
            let len = b.shr(Bits::known(16), 32).and(Bits::known(127));
            let bits = value.field(b, len, width, matches!(op, s_bfe_i32 | s_bfe_i64));
            result(bits, width, Scc::NotZero)
        }
        s_bfm_b32 => result(any(sum & 31, 32), 32, Scc::Kept),
        s_bfm_b64 => result(any(sum & 63, 64), 64, Scc::Kept),
        s_cselect_b32 => result(Bits::select(x.scc(), a, b), 32, Scc::Kept),
        s_cselect_b64 => result(Bits::select(x.scc(), p, q), 64, Scc::Kept),
        s_pack_ll_b32_b16 => result(Bits::new(0, a.t & 0xffff | b.t << 16), 32, Scc::Kept),
        s_pack_lh_b32_b16 => result(Bits::new(0, a.t & 0xffff | b.t & 0xffff_0000), 32, Scc::Kept),
        s_pack_hh_b32_b16 => result(Bits::new(0, a.t >> 16 | b.t & 0xffff_0000), 32, Scc::Kept),
        s_pack_hl_b32_b16 => result(Bits::new(0, a.t >> 16 | b.t << 16), 32, Scc::Kept),
        _ => {
            // Accumulators and the literal of `s_fmaak` count, too.
            let all = sum | x.src(2, 32).t | if accumulates(op) { x.old(32).t } else { 0 };
            let scc = if x.i.flags.has(Flags::W_SCC) {
                Scc::From(all)
            } else {
                Scc::Kept
            };
            result(any(all, 32), 32, scc)
        }
    }
}

fn accumulates(op: Sop2) -> bool {
    matches!(op, Sop2::s_fmac_f32 | Sop2::s_fmac_f16)
}

fn saves_exec(op: Sop1) -> bool {
    let name = Opcode::Sop1(op).row().name;
    name.contains("_saveexec_") || name.contains("_wrexec_")
}

fn exec(t: &mut Taint, w: &Wave, i: &Instr, op: Sop1, (name, born): (Option<Name>, Born)) {
    let text = Opcode::Sop1(op).row().name;
    let width = if text.ends_with("_b64") { 64 } else { 32 };
    let x = Scalar { t, w, i };
    let (s, e) = (
        x.src(0, width),
        Bits::known(if width == 64 { w.s64(EXEC) } else { w.sgpr[EXEC].into() }),
    );
    let (and, or) = (s.and(e), s.or(e));
    let new = match text
        .split("_saveexec")
        .next()
        .and_then(|n| n.split("_wrexec").next())
        .unwrap_or("")
    {
        "s_and" => and,
        "s_or" => or,
        "s_xor" => s.xor(e),
        "s_nand" => and.not(),
        "s_nor" => or.not(),
        "s_xnor" => s.xor(e).not(),
        "s_and_not0" => s.not().and(e),
        "s_or_not0" => s.not().or(e),
        "s_and_not1" => s.and(e.not()),
        _ => s.or(e.not()),
    };
    let bits = new.t & ones(width);
    active(t, bits as u32, 0, (name, born));
    active(t, (bits >> 32) as u32, 32, (name, born));
    // The old EXEC is defined, and the new one counts as such once it is reported.
    clean(t, i);
}

fn sop1(x: &Scalar, op: Sop1) -> Option<Result> {
    use Sop1::*;
    let (a, p) = (x.src(0, 32), x.src(0, 64));
    let scc = |t: u64| {
        if x.i.flags.has(Flags::W_SCC) {
            Scc::From(t)
        } else {
            Scc::Kept
        }
    };
    match op {
        s_getpc_b64 | s_swappc_b64 | s_sendmsg_rtn_b32 | s_sendmsg_rtn_b64 => None,
        s_mov_b32 => result(a, 32, Scc::Kept),
        s_mov_b64 => result(p, 64, Scc::Kept),
        s_cmov_b32 => result(Bits::select(x.scc(), a, x.old(32)), 32, Scc::Kept),
        s_cmov_b64 => result(Bits::select(x.scc(), p, x.old(64)), 64, Scc::Kept),
        s_not_b32 => result(a.not(), 32, Scc::NotZero),
        s_not_b64 => result(p.not(), 64, Scc::NotZero),
        s_brev_b32 => result(Bits::new(0, (a.t as u32).reverse_bits().into()), 32, Scc::Kept),
        s_brev_b64 => result(Bits::new(0, p.t.reverse_bits()), 64, Scc::Kept),
        s_sext_i32_i8 => result(Bits::new(0, a.t as i8 as u32 as u64), 32, Scc::Kept),
        s_sext_i32_i16 => result(Bits::new(0, a.t as i16 as u32 as u64), 32, Scc::Kept),
        s_bitset0_b32 | s_bitset1_b32 | s_bitset0_b64 | s_bitset1_b64 => {
            let width = if matches!(op, s_bitset0_b32 | s_bitset1_b32) {
                32
            } else {
                64
            };
            let at = u64::from(width - 1);
            let old = x.old(width);
            let bits = match a.t & at {
                0 => Bits::new(0, old.t & !(1 << (a.v & at))),
                _ => any(1, width),
            };
            result(bits, width, Scc::Kept)
        }
        _ => {
            let name = Opcode::Sop1(op).row().name;
            // The last part but one of `s_bcnt1_i32_b64` is the result's type; of `s_wqm_b64` there is only one.
            let source = if name.ends_with("_b64") || name.ends_with("_u64") || name.ends_with("_i64") {
                p.t
            } else {
                a.t
            };
            let width = 32 * x.i.data_regs.clamp(1, 2);
            result(any(source, width), width, scc(source))
        }
    }
}

fn relative(t: &mut Taint, w: &Wave, i: &Instr, op: Sop1) {
    use Sop1::*;
    let m0 = w.sgpr[M0] as usize;
    let wide = matches!(op, s_movrels_b64 | s_movreld_b64);
    let (to, from) = match op {
        s_movrels_b32 | s_movrels_b64 => (0, m0),
        s_movreld_b32 | s_movreld_b64 => (m0, 0),
        _ => (m0 >> 16 & 0x3ff, m0 & 0x3ff),
    };
    for k in 0..1 + usize::from(wide) {
        let (bits, born) = match i.src[0] {
            Src::S(r) => {
                let r = (((usize::from(r) + from) & !usize::from(wide)) + k).min(127);
                (t.s[r], t.s_born[r])
            }
            _ => (0, Born::NONE),
        };
        if let Dst::S(d) = i.dst[0] {
            t.set_s((((usize::from(d) + to) & !usize::from(wide)) + k).min(123), bits, born);
        }
    }
}

fn sopc(x: &Scalar, op: Sopc) -> Option<Result> {
    use Sopc::*;
    let wide = matches!(op, s_cmp_eq_u64 | s_cmp_lg_u64);
    let width = if wide { 64 } else { 32 };
    let (a, b) = (x.src(0, width), x.src(1, width));
    let bit = |value: Bits, width: u32| {
        let mask = u64::from(width - 1);
        if b.t & mask != 0 {
            1
        } else {
            value.t >> (b.v & mask) & 1
        }
    };
    let same = x.i.src[0] == x.i.src[1] && matches!(x.i.src[0], Src::S(_));
    let integers = super::bits::comparison(x.i.op.row().name).is_some();
    let dirty = match op {
        // A number is equal to itself.
        _ if same && integers || told(x.i, a, b) => 0,
        s_bitcmp0_b32 | s_bitcmp1_b32 => bit(a, 32),
        s_bitcmp0_b64 | s_bitcmp1_b64 => bit(x.src(0, 64), 64),
        _ => a.t | b.t,
    };
    result(Bits::known(0), 0, Scc::From(dirty))
}

/// Whether a comparison does not depend on undefined bits.
fn told(i: &Instr, a: Bits, b: Bits) -> bool {
    let Some((op, width, signed)) = super::bits::comparison(i.op.row().name) else {
        return false;
    };
    a.told(op, b, width, signed)
}

fn sopk(x: &Scalar, op: Sopk) -> Option<Result> {
    use Sopk::*;
    let old = match x.i.dst[0] {
        Dst::S(_) => x.old(32),
        _ => x.src(0, 32),
    };
    let k = Bits::known(u64::from(x.i.imm as i16 as u32));
    match op {
        s_addk_i32 => result(old.add(k, 32), 32, Scc::From(old.t)),
        s_mulk_i32 => result(old.mul(k, 32), 32, Scc::Kept),
        s_cmovk_i32 => result(Bits::select(x.scc(), k, old), 32, Scc::Kept),
        // Of unsigned ones the constant has no sign.
        _ if told(
            x.i,
            old,
            if x.i.op.row().name.ends_with("_u32") {
                k.cut(16)
            } else {
                k
            },
        ) =>
        {
            None
        }
        _ if x.i.flags.has(Flags::W_SCC) => result(Bits::known(0), 0, Scc::From(old.t)),
        _ => None,
    }
}

fn branch(t: &mut Taint, w: &Wave, i: &Instr, op: Sopp) {
    use Sopp::*;
    let what = "the condition of a branch";
    match op {
        s_cbranch_scc0 | s_cbranch_scc1 => {
            if let Some(born) = t.scc.take() {
                t.report(what, Some(Name::SCC), None, born);
            }
        }
        s_cbranch_vccz | s_cbranch_vccnz => {
            if let Some((r, born)) = t.zero_test(w, VCC) {
                let lane = t.s[r].trailing_zeros() as usize + 32 * (r - VCC);
                t.report(what, Some(Name::s(r)), Some(lane), born);
            }
        }
        _ => clean(t, i),
    }
}
