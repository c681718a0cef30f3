//! Every row in every form, one thing varied at a time: each operand through everything an operand can be, each modifier
//! through its values, DPP through its controls. Illegal variants are kept: LLVM must refuse them too.

use super::random::{forms, random_inst, Rng};
use t0_backend_rdna3::isa::{
    encode, Dpp16, Dpp8, Enc, Family, Field, ImmKind, Inst, Kind, Mods, Opcode, Operand, OperandSpec, Ty, Vopdy,
};
use t0_backend_rdna3::target::Target;

/// All variants of all rows the target has; with `only`, of those rows.
pub fn sweep(target: &Target, only: impl Fn(Opcode) -> bool) -> Vec<Inst> {
    let mut out = Vec::new();
    for op in Opcode::all().filter(|op| only(*op)) {
        let row = op.row();
        if row.family == Family::Vopdy || row.feature().is_some_and(|f| !target.has(f)) {
            continue;
        }
        for form in forms(op, &mut Rng(1)) {
            if row.family == Family::Vopdx {
                for y in Vopdy::ALL {
                    variants(target, op, form, Some(*y), &mut out);
                }
            } else {
                variants(target, op, form, None, &mut out);
            }
        }
    }
    out
}

fn variants(target: &Target, op: Opcode, form: Enc, y: Option<Vopdy>, out: &mut Vec<Inst>) {
    let Some(base) = base(target, op, form, y) else {
        return;
    };
    out.push(base.clone());
    let specs: Vec<OperandSpec> = base.specs().collect();
    // Pairs are many: operands vary with the pair's own combination of halves.
    let dpp = form.is_dpp();
    for (i, spec) in specs.iter().enumerate() {
        for o in alternatives(spec, base.operands[i], target.wave_size, dpp || y.is_some()) {
            let mut inst = base.clone();
            inst.operands[i] = o;
            // One literal dword serves all operands; VOPD and `v_fmaak` repeat theirs.
            out.push(inst);
        }
    }
    if y.is_some() {
        return;
    }
    for mods in modifiers(&base) {
        let mut inst = Inst { mods, ..base.clone() };
        for enc in parts(form) {
            inst.enc = enc;
            if refit(&mut inst) {
                out.push(inst.clone());
                break;
            }
        }
    }
    for enc in controls(form) {
        out.push(Inst { enc, ..base.clone() });
    }
}

/// A plain legal instruction: low registers, no modifiers.
fn base(target: &Target, op: Opcode, form: Enc, y: Option<Vopdy>) -> Option<Inst> {
    for enc in parts(plain(form)) {
        let mut inst = Inst {
            op,
            enc,
            operands: Vec::new(),
            mods: Mods::for_op(op),
            vopd_y: y,
        };
        if op.row().family == Family::Mimg && !op.name().contains("bvh") {
            inst.mods.dmask = if op.name().contains("cmpswap") { 3 } else { 1 };
            inst.mods.dim = 6;
            inst.mods.a16 = op.name().contains("mip");
        }
        let specs: Vec<OperandSpec> = inst.specs().collect();
        inst.operands = specs
            .iter()
            .enumerate()
            .map(|(i, s)| plain_operand(s, i as u32, target.wave_size))
            .collect();
        if refit(&mut inst) && encode(&inst, target).is_ok() {
            return Some(inst);
        }
    }
    random_inst(&mut Rng(5), op, form, target)
}

/// DPP controls of the base instruction.
fn plain(form: Enc) -> Enc {
    let d16 = Dpp16 {
        ctrl: 0x1b,
        row_mask: 15,
        bank_mask: 15,
        bound_ctrl: false,
        fi: false,
    };
    let d8 = Dpp8 {
        sel: [7, 6, 5, 4, 3, 2, 1, 0],
        fi: false,
    };
    match form {
        Enc::Dpp16(_) => Enc::Dpp16(d16),
        Enc::Dpp8(_) => Enc::Dpp8(d8),
        Enc::E64Dpp16(_) => Enc::E64Dpp16(d16),
        Enc::E64Dpp8(_) => Enc::E64Dpp8(d8),
        e => e,
    }
}

/// The numbers of address parts an image access may have.
fn parts(form: Enc) -> Vec<Enc> {
    match form {
        Enc::Nsa(_) => (2..=5).map(Enc::Nsa).collect(),
        e => vec![e],
    }
}

fn plain_operand(spec: &OperandSpec, i: u32, wave_size: u32) -> Operand {
    let regs = spec.ty.regs_in(wave_size);
    match spec.kind {
        Kind::Imm(ImmKind::ExpTarget) => Operand::Imm(0),
        Kind::Imm(_) => Operand::Imm(1),
        Kind::Literal => Operand::Literal(0x4321),
        Kind::Null => Operand::OFF,
        Kind::Vcc => Operand::sn(106, regs),
        Kind::SDst | Kind::SReg | Kind::SSrc | Kind::SRegOrConst | Kind::Mask | Kind::SBase => {
            Operand::sn(16 * i, regs)
        }
        Kind::SOpt | Kind::VAddr | Kind::SAddrV => Operand::OFF,
        // Odd steps: halves of pairs want different banks and destinations of both parities.
        _ => Operand::vn(9 * i, regs.max(1)),
    }
}

/// Makes register counts follow the modifiers. False when the operands do not fit any more.
fn refit(inst: &mut Inst) -> bool {
    let specs: Vec<OperandSpec> = inst.specs().collect();
    if matches!(inst.enc, Enc::Nsa(_)) && specs.len() != inst.operands.len() {
        let data = inst.operands.first().copied();
        let tail: Vec<Operand> = inst.operands.iter().filter(|o| !is_vgpr(o)).copied().collect();
        let addresses = specs.iter().filter(|s| matches!(s.kind, Kind::ImgAddr(_))).count();
        inst.operands = data.into_iter().collect();
        inst.operands
            .extend((0..addresses as u32).map(|i| Operand::v(30 + 7 * i)));
        inst.operands.extend(tail);
    }
    if specs.len() != inst.operands.len() {
        return false;
    }
    let saddr = specs
        .iter()
        .position(|s| s.field == Field::Saddr)
        .is_some_and(|i| inst.operands[i] != Operand::OFF);
    for (i, spec) in specs.iter().enumerate() {
        let Operand::Reg(mut r) = inst.operands[i] else {
            continue;
        };
        let vgpr = is_vgpr(&inst.operands[i]);
        match spec.kind {
            Kind::VAddr => {
                let n = u32::from(inst.mods.offen) + u32::from(inst.mods.idxen);
                inst.operands[i] = if n == 0 { Operand::OFF } else { Operand::vn(11, n) };
                continue;
            }
            Kind::GAddr => r.count = if saddr { 1 } else { 2 },
            Kind::ImgData(_) | Kind::ImgAddr(_) => {
                r.count = inst.image_regs(spec);
                if r.count == 0 {
                    return false;
                }
            }
            _ if spec.field == Field::Vdata && vgpr => r.count = spec.ty.regs() + u32::from(inst.mods.tfe),
            _ => continue,
        }
        inst.operands[i] = Operand::Reg(r);
    }
    true
}

fn is_vgpr(o: &Operand) -> bool {
    matches!(o, Operand::Reg(r) if r.file == t0_backend_rdna3::isa::RegFile::V)
}

/// What may or may not stand in an operand; `few` leaves most of it out.
fn alternatives(spec: &OperandSpec, base: Operand, wave_size: u32, few: bool) -> Vec<Operand> {
    let regs = match base {
        Operand::Reg(r) if is_vgpr(&base) => r.count,
        _ => spec.ty.regs_in(wave_size).max(1),
    };
    if let Kind::Imm(kind) = spec.kind {
        return immediates(kind).into_iter().map(Operand::Imm).collect();
    }
    let wide_vgpr = |i: u32| Operand::vn(i, regs);
    let mut out = vec![
        wide_vgpr(1),
        wide_vgpr(128 - regs),
        wide_vgpr(128),
        wide_vgpr(256 - regs),
    ];
    out.extend([wide_vgpr(257 - regs), Operand::vn(4, regs + 1), Operand::OFF]);
    let align = regs.next_power_of_two().min(4);
    let last = (106 - regs) / align * align;
    out.extend([Operand::sn(4, regs), Operand::sn(last, regs), Operand::sn(1, regs)]);
    if few {
        out.extend([Operand::Const(129), Operand::Literal(0x1234)]);
        return out;
    }
    out.extend([
        Operand::sn(2, regs),
        Operand::sn(last + align, regs),
        Operand::sn(108, regs),
    ]);
    out.extend([Operand::sn(106, regs), Operand::sn(124 - regs.min(16), regs)]);
    out.extend([106, 107, 124, 125, 126, 127].map(|r| Operand::sn(r, 1)));
    out.extend([106, 126].map(|r| Operand::sn(r, 2)));
    out.extend([128, 129, 192, 193, 208].map(Operand::Const));
    out.extend((240..=248).map(Operand::Const));
    out.extend([235, 236, 237, 238, 251, 252, 253].map(Operand::Special));
    out.extend([0x1234, 0x1234_5678, 0xffff_ffff, 0xffff, 0x8000, 0, 65, 0x3c00, 0x3f80].map(Operand::Literal));
    out.extend([0x3f80_0000, 0x3ff0_0000, 0xfff0_0000].map(Operand::Literal));
    if spec.ty == Ty::F64 {
        out.push(Operand::Literal(0x4009_21fb));
    }
    out
}

fn immediates(kind: ImmKind) -> Vec<i64> {
    match kind {
        ImmKind::ExpTarget => (0..64).collect(),
        ImmKind::Attr => (0..140).collect(),
        ImmKind::Signed | ImmKind::Branch => vec![0, 1, -1, 64, 65, 1000, -1000, 32767, -32768, 32768, -32769],
        ImmKind::WaitCnt | ImmKind::DepCtr | ImmKind::DelayAlu => {
            let bits = (0..16).flat_map(|b| [1 << b, 0xffff ^ 1 << b]);
            let ids = (0..16).flat_map(|i| [i, i << 7, i << 4 | 1]);
            bits.chain(ids).chain([0, 0x7f, 0xfff7, 0xffff, 0x10000, -1]).collect()
        }
        ImmKind::SendMsg => (0..256).chain([256, 0x1002, 0xffff, 0x10000]).collect(),
        ImmKind::HwReg => {
            let all = (0..64).map(|id| id | 31 << 11);
            let parts = [0x0801, 0x1041, 0xf801, 0xffff, 0x07c1, 3 << 6 | 4 << 11 | 2];
            all.chain(parts).chain([0x10000]).collect()
        }
        _ => vec![0, 1, 2, 63, 64, 65, 100, 255, 256, 0x7fff, 0x8000, 0xffff, 0x10000, -1],
    }
}

/// Takes a change of the modifiers.
type Add<'a> = dyn FnMut(&dyn Fn(&mut Mods)) + 'a;

/// Modifiers one at a time, then everything the row can have at once.
fn modifiers(base: &Inst) -> Vec<Mods> {
    let row = base.row();
    let m = base.mods;
    let mut out = Vec::new();
    let mut add = |f: &dyn Fn(&mut Mods)| {
        let mut mods = m;
        f(&mut mods);
        out.push(mods);
    };
    let valu = row.class.is_valu();
    if valu {
        for b in 0..4 {
            add(&|m| m.neg ^= 1 << b);
            add(&|m| m.abs ^= 1 << b);
            add(&|m| m.op_sel ^= 1 << b);
        }
        for b in 0..3 {
            add(&|m| m.op_sel_hi ^= 1 << b);
            add(&|m| m.neg_lo ^= 1 << b);
            add(&|m| m.neg_hi ^= 1 << b);
        }
        add(&|m| m.clamp ^= true);
        for o in 1..4 {
            add(&|m| m.omod = o);
        }
        add(&|m| (m.neg, m.abs) = (1, 1));
        add(&|m| (m.neg, m.abs, m.clamp, m.omod) = (3, 2, true, 3));
        add(&|m| (m.op_sel, m.clamp) = (15, true));
        add(&|m| (m.op_sel, m.op_sel_hi, m.neg_lo, m.neg_hi) = (7, 0, 7, 7));
    }
    if matches!(row.family, Family::Vinterp | Family::Ldsdir) || row.family == Family::Exp {
        (0..17).for_each(|w| add(&|m| m.wait = w));
        add(&|m| m.done = true);
        add(&|m| m.row_en = true);
        add(&|m| (m.done, m.row_en) = (true, true));
    }
    let memory = matches!(
        row.family,
        Family::Smem | Family::Ds | Family::Flat | Family::Mubuf | Family::Mtbuf | Family::Mimg
    );
    if memory {
        for c in 1..8 {
            add(&|m| (m.glc, m.slc, m.dlc) = (m.glc ^ (c & 1 != 0), c & 2 != 0, c & 4 != 0));
        }
        add(&|m| m.gds ^= true);
        add(&|m| m.tfe = true);
        add(&|m| m.offen = true);
        add(&|m| m.idxen = true);
        add(&|m| (m.idxen, m.offen, m.offset, m.glc, m.slc, m.dlc) = (true, true, 4095, true, true, true));
        let offsets = [
            1, 4, 16, 255, 256, 4095, 4096, 65535, 65536, -1, -8, -4096, -4097, 0xf_ffff, 0x10_0000,
        ];
        offsets.into_iter().for_each(|o| add(&|m| m.offset = o));
        add(&|m| m.offset = -0x10_0000);
        add(&|m| m.offset = -0x10_0001);
        for o in [1, 7, 255, 256] {
            add(&|m| m.offset0 = o);
            add(&|m| m.offset1 = o);
            add(&|m| (m.offset0, m.offset1, m.gds) = (o, o, true));
        }
        if row.name == "ds_swizzle_b32" {
            (0..=0xffff).step_by(37).for_each(|o| add(&|m| m.offset = o));
        }
    }
    if row.family == Family::Mtbuf {
        (0..129).for_each(|f| add(&|m| m.format = f));
    }
    if row.family == Family::Mimg {
        image_modifiers(&mut add);
    }
    out
}

fn image_modifiers(add: &mut Add) {
    for dmask in 0..17 {
        for k in 0..4 {
            add(&|m| (m.dmask, m.d16, m.tfe) = (dmask, k & 1 != 0, k & 2 != 0));
        }
    }
    for dim in 0..9 {
        for a16 in [false, true] {
            add(&|m| (m.dim, m.a16) = (dim, a16));
        }
    }
    add(&|m| m.unorm = true);
    add(&|m| m.r128 = true);
    add(&|m| m.lwe = true);
    add(&|m| {
        (m.unorm, m.r128, m.lwe, m.tfe) = (true, true, true, true);
        (m.glc, m.slc, m.dlc, m.a16, m.d16) = (true, true, true, true, true);
    });
}

/// Values of the DPP controls.
fn controls(form: Enc) -> Vec<Enc> {
    let mut out = Vec::new();
    match plain(form) {
        Enc::Dpp16(d) | Enc::E64Dpp16(d) => {
            let mut add = |d: Dpp16| out.push(if form.is_e64() { Enc::E64Dpp16(d) } else { Enc::Dpp16(d) });
            for ctrl in [
                0, 0xe4, 0xff, 0x100, 0x101, 0x10f, 0x110, 0x111, 0x11f, 0x121, 0x12f, 0x130, 0x140, 0x141, 0x142,
                0x150, 0x15f, 0x160, 0x16f, 0x170, 0x1ff,
            ] {
                add(Dpp16 { ctrl, ..d });
            }
            for mask in [0, 1, 10] {
                add(Dpp16 { row_mask: mask, ..d });
                add(Dpp16 { bank_mask: mask, ..d });
            }
            add(Dpp16 { bound_ctrl: true, ..d });
            add(Dpp16 { fi: true, ..d });
            add(Dpp16 {
                bound_ctrl: true,
                fi: true,
                row_mask: 3,
                bank_mask: 5,
                ..d
            });
        }
        Enc::Dpp8(d) | Enc::E64Dpp8(d) => {
            let mut add = |d: Dpp8| out.push(if form.is_e64() { Enc::E64Dpp8(d) } else { Enc::Dpp8(d) });
            add(Dpp8 { fi: true, ..d });
            add(Dpp8 { sel: [0; 8], ..d });
            add(Dpp8 {
                sel: [1, 3, 5, 7, 0, 2, 4, 6],
                ..d
            });
        }
        _ => {}
    }
    out
}
