//! A deterministic generator of random legal instructions.

use t0_backend_rdna3::isa::{
    encode, Class, Dpp16, Dpp8, Enc, Family, Flags, ImmKind, Inst, Kind, Mods, Opcode, Operand, OperandSpec, Reg, Ty,
    Vopdy,
};
use t0_backend_rdna3::target::Target;

/// SplitMix64.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    pub fn below(&mut self, n: u32) -> u32 {
        (self.next() % u64::from(n)) as u32
    }
    pub fn pick<T: Copy>(&mut self, xs: &[T]) -> T {
        xs[self.below(xs.len() as u32) as usize]
    }
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }
}

/// Encoding forms a row claims to have.
pub fn forms(op: Opcode, rng: &mut Rng) -> Vec<Enc> {
    let row = op.row();
    let short = matches!(row.family, Family::Vop1 | Family::Vop2 | Family::Vopc);
    let valu = short || matches!(row.family, Family::Vop3 | Family::Vop3sd | Family::Vop3p);
    let dpp = valu && !row.flags.has(Flags::NO_DPP);
    let e64 = row.e64_code().is_some();
    let d16 = Dpp16 {
        ctrl: rng.pick(&[
            0x1b, 0xe4, 0x101, 0x10f, 0x111, 0x11f, 0x121, 0x12f, 0x140, 0x141, 0x150, 0x15f, 0x160, 0x16f,
        ]),
        row_mask: rng.pick(&[15, 15, 5, 0]),
        bank_mask: rng.pick(&[15, 15, 10, 0]),
        bound_ctrl: rng.chance(50),
        fi: rng.chance(50),
    };
    let d8 = Dpp8 {
        sel: std::array::from_fn(|_| rng.below(8)),
        fi: rng.chance(50),
    };
    let mut out = vec![Enc::Natural];
    if row.family == Family::Mimg && row.name != "image_get_resinfo" {
        out.push(Enc::Nsa(2));
    }
    if e64 {
        out.push(Enc::E64);
    }
    if dpp {
        out.extend([Enc::Dpp16(d16), Enc::Dpp8(d8)]);
        if e64 {
            out.extend([Enc::E64Dpp16(d16), Enc::E64Dpp8(d8)]);
        }
    }
    out
}

fn sgpr(rng: &mut Rng, regs: u32) -> Operand {
    let align = match regs {
        1 => 1,
        2 => 2,
        _ => 4,
    };
    let n = (106 - regs) / align + 1;
    match (rng.below(12), regs) {
        (0, 1) => Operand::Reg(Reg::VCC),
        (0, 2) => Operand::sn(106, 2),
        (1, 1) => Operand::Reg(rng.pick(&[Reg::VCC_HI, Reg::M0, Reg::EXEC, Reg::EXEC_HI])),
        (1, 2) => Operand::sn(126, 2),
        (2, _) => Operand::OFF,
        (3, _) if regs <= 8 => Operand::sn(108, regs),
        _ => Operand::sn(rng.below(n) * align, regs),
    }
}

fn vgpr(rng: &mut Rng, regs: u32) -> Operand {
    let top = if rng.chance(60) { 128 } else { 256 };
    Operand::vn(rng.below(top - regs + 1), regs)
}

fn constant(rng: &mut Rng) -> Operand {
    Operand::Const(if rng.chance(60) {
        128 + rng.below(81)
    } else {
        240 + rng.below(9)
    })
}

/// A literal no operand type has an inline constant for.
fn literal(rng: &mut Rng, ty: Ty) -> Operand {
    if ty.bits() == 16 && rng.chance(80) {
        return Operand::Literal(rng.pick(&[0x1234, 0xbeef, 0x7fff, 0x8000]));
    }
    Operand::Literal(rng.pick(&[
        0x1234_5678,
        0xdead_beef,
        0x4049_0fdb,
        0x7fff_4321,
        0x0000_1234,
        0x0001_2345,
    ]))
}

fn imm(rng: &mut Rng, kind: ImmKind) -> Operand {
    let v = rng.next() as i64 & 0xffff;
    Operand::Imm(match kind {
        ImmKind::ExpTarget => rng.pick(&[0, 1, 7, 8, 12, 16, 20, 21, 22]),
        ImmKind::Attr => i64::from(rng.below(132)),
        ImmKind::Signed | ImmKind::Branch => i64::from(v as u16 as i16),
        ImmKind::WaitCnt => {
            (if rng.chance(50) {
                v | rng.pick(&[0xfc00, 0x3f0, 7])
            } else {
                v
            }) & 0xfff7
        }
        ImmKind::DepCtr => rng.pick(&[v, v & 0xff9f, 0x0f9f, 0xfffe & 0xff9f, 0xffff, 0x0fff]),
        ImmKind::DelayAlu => i64::from(rng.below(12) | rng.below(6) << 4 | rng.below(12) << 7),
        ImmKind::SendMsg => i64::from(rng.pick(&[1, 2, 3, 5, 6, 9, 0, 4, 77])),
        ImmKind::Optional => i64::from(rng.pick(&[0, 0, 3])),
        ImmKind::Hex | ImmKind::Dec | ImmKind::HwReg | ImmKind::Version => v,
    })
}

fn operand(rng: &mut Rng, inst: &Inst, spec: &OperandSpec, saddr_off: bool, wave_size: u32) -> Operand {
    let (mods, enc) = (&inst.mods, inst.enc);
    let regs = spec.ty.regs_in(wave_size);
    let int16 = matches!(spec.ty, Ty::I16 | Ty::U16 | Ty::B16) || (spec.ty == Ty::F16 && spec.kind == Kind::SSrc);
    let konst = |rng: &mut Rng| loop {
        // Integer types of 16 bits print inline floats as numbers, which assemble to literals: not used here.
        let c = constant(rng);
        if !int16 || c.const_int().is_some() {
            break c;
        }
    };
    let scalar = |rng: &mut Rng| match rng.below(10) {
        0 | 1 => konst(rng),
        2 | 3 if spec.kind == Kind::SSrc || spec.kind == Kind::VSrc => literal(rng, spec.ty),
        4 if spec.kind == Kind::SSrc || spec.kind == Kind::VSrc => {
            Operand::Special(rng.pick(&[235, 236, 237, 238, 253]))
        }
        _ => sgpr(rng, regs),
    };
    match spec.kind {
        Kind::Vgpr => vgpr(
            rng,
            regs + u32::from(spec.field == t0_backend_rdna3::isa::Field::Vdata && mods.tfe),
        ),
        Kind::VSrc if enc.is_dpp() || rng.chance(60) => vgpr(rng, regs),
        Kind::VgprOrConst if rng.chance(60) => vgpr(rng, regs),
        Kind::VgprOrConst => konst(rng),
        Kind::VSrc | Kind::SSrc => scalar(rng),
        Kind::SRegOrConst if rng.chance(40) => konst(rng),
        Kind::SDst | Kind::SReg | Kind::Mask | Kind::SBase | Kind::SRegOrConst => sgpr(rng, regs),
        Kind::SOpt if spec.field == t0_backend_rdna3::isa::Field::Saddr => {
            if saddr_off {
                Operand::OFF
            } else {
                sgpr(rng, regs)
            }
        }
        Kind::SOpt => sgpr(rng, regs),
        Kind::Null => Operand::OFF,
        Kind::Vcc => Operand::Reg(Reg::vcc(wave_size)),
        Kind::VAddr => match u32::from(mods.offen) + u32::from(mods.idxen) {
            0 => Operand::OFF,
            n => vgpr(rng, n),
        },
        Kind::GAddr => vgpr(rng, if saddr_off { 2 } else { 1 }),
        Kind::SAddrV if rng.chance(50) => Operand::OFF,
        Kind::SAddrV => vgpr(rng, 1),
        Kind::Literal => literal(rng, spec.ty),
        Kind::Imm(_) if spec.field == t0_backend_rdna3::isa::Field::Sdst => Operand::Imm(i64::from(rng.below(128))),
        Kind::Imm(kind) => imm(rng, kind),
        // LLVM decodes gathers as four registers first, and refuses what reaches beyond v255 then.
        Kind::ImgData(_) => Operand::vn(rng.below(248), inst.image_regs(spec)),
        Kind::ImgAddr(_) => vgpr(rng, inst.image_regs(spec).max(1)),
        Kind::Export if rng.chance(30) => Operand::OFF,
        Kind::Export => vgpr(rng, 1),
    }
}

fn random_mods(rng: &mut Rng, op: Opcode, level: u32) -> Mods {
    let row = op.row();
    let mut m = Mods::for_op(op);
    if row.family == Family::Mimg && row.name.contains("bvh") {
        m.a16 = rng.chance(50);
        return m;
    }
    if level == 0 && row.family != Family::Mimg {
        return m;
    }
    let bits = |rng: &mut Rng, n: u32| if rng.chance(level) { rng.below(1 << n) } else { 0 };
    match row.family {
        Family::Smem => {
            m.offset = rng.pick(&[0, 4, 0x10, 0xfffff, -4, -0x10_0000]);
            (m.glc, m.dlc) = (rng.chance(30), rng.chance(30));
        }
        Family::Ds => {
            if row.flags.has(Flags::OFFSETS2) {
                (m.offset0, m.offset1) = (rng.pick(&[0, 1, 255]), rng.pick(&[0, 7, 255]));
            } else {
                m.offset = rng.pick(&[0, 1, 16, 65535, 0x8055, 0x401f, 0x7c1f, 0x0907, 0x003c, 0xc001]);
            }
            m.gds = rng.chance(20);
        }
        Family::Flat => {
            m.offset = rng.pick(&[0, 4, 4095, -1, -4096]);
            (m.slc, m.dlc) = (rng.chance(30), rng.chance(30));
            m.glc |= rng.chance(40);
        }
        Family::Mubuf | Family::Mtbuf => {
            m.format = if row.family == Family::Mtbuf { rng.below(128) } else { 0 };
            m.offset = rng.pick(&[0, 4, 4095]);
            (m.slc, m.dlc) = (rng.chance(30), rng.chance(30));
            m.glc |= rng.chance(40);
            (m.offen, m.idxen) = (rng.chance(40), rng.chance(40));
            m.tfe = rng.chance(10);
        }
        Family::Mimg => {
            (m.glc, m.slc, m.dlc) = (rng.chance(20), rng.chance(20), rng.chance(20));
            (m.dmask, m.dim) = (rng.below(16), rng.below(8));
            (m.unorm, m.r128, m.a16) = (rng.chance(20), rng.chance(20), rng.chance(30));
            (m.d16, m.tfe, m.lwe) = (rng.chance(20), rng.chance(20), rng.chance(20));
        }
        Family::Exp => (m.done, m.row_en) = (rng.chance(30), rng.chance(30)),
        Family::Ldsdir => m.wait = rng.below(16),
        Family::Vinterp => {
            m.wait = rng.below(8);
            (m.neg, m.op_sel, m.clamp) = (bits(rng, 3), bits(rng, 4), rng.chance(30));
        }
        Family::Vop3p => {
            m.clamp = rng.chance(30);
            m.op_sel = bits(rng, 3);
            m.op_sel_hi ^= bits(rng, 3);
            (m.neg_lo, m.neg_hi) = (bits(rng, 3), bits(rng, 3));
            (m.neg, m.abs) = (bits(rng, 3), bits(rng, 3));
        }
        Family::Vop1 | Family::Vop2 | Family::Vopc | Family::Vop3 | Family::Vop3sd => {
            (m.neg, m.abs) = (bits(rng, 3), bits(rng, 3));
            m.clamp = rng.chance(30);
            m.omod = bits(rng, 2);
            m.op_sel = bits(rng, 4);
        }
        _ => {}
    }
    m
}

/// A random legal instruction of that row and form; of a first half of a dual-issue pair, with any second half.
pub fn random_inst(rng: &mut Rng, op: Opcode, enc: Enc, target: &Target) -> Option<Inst> {
    let row = op.row();
    let pair = row.family == Family::Vopdx;
    for attempt in 0..4000 {
        let level = if rng.chance(40) {
            0
        } else {
            60 - (attempt / 8).min(50u32)
        };
        let mods = random_mods(rng, op, level);
        let saddr_off = rng.chance(50);
        // The number of address parts follows from the modifiers.
        let encs: Vec<Enc> = match enc {
            Enc::Nsa(_) => (2..=5).map(Enc::Nsa).collect(),
            e => vec![e],
        };
        let enc = encs[rng.below(encs.len() as u32) as usize];
        let mut inst = Inst {
            op,
            enc,
            operands: vec![],
            mods,
            vopd_y: pair.then(|| rng.pick(Vopdy::ALL)),
        };
        let specs: Vec<OperandSpec> = inst.specs().collect();
        inst.operands = specs
            .iter()
            .map(|s| operand(rng, &inst, s, saddr_off, target.wave_size))
            .collect();
        one_literal(&specs, &mut inst.operands);
        // Late attempts drop single modifiers that the row may not have.
        for drop in 0..6 {
            if encode(&inst, target).is_ok() {
                return Some(inst);
            }
            match drop {
                0 => inst.mods.op_sel = 0,
                1 => inst.mods.omod = 0,
                2 => inst.mods.clamp = false,
                3 => (inst.mods.neg, inst.mods.abs) = (inst.mods.neg & 1, inst.mods.abs & 1),
                4 if row.family == Family::Ds => inst.mods.gds = false,
                4 => (inst.mods.neg_lo, inst.mods.neg_hi) = (0, 0),
                _ if row.class == Class::Wmma || row.family == Family::Vop3p => (inst.mods.neg, inst.mods.abs) = (0, 0),
                _ => inst.mods = Mods::for_op(op),
            }
        }
    }
    None
}

/// Gives all literals the value of the first operand that takes nothing else.
fn one_literal(specs: &[OperandSpec], operands: &mut [Operand]) {
    let Some(at) = specs.iter().position(|s| s.kind == Kind::Literal) else {
        return;
    };
    let k = operands[at];
    for o in operands.iter_mut().filter(|o| matches!(o, Operand::Literal(_))) {
        *o = k;
    }
}

/// The text does not say which form the instruction has (`v_nop`).
pub fn text_hides_form(inst: &Inst) -> bool {
    inst.enc != Enc::Natural && inst.row().flags.has(Flags::BARE)
}

/// `count` random instructions per row and form that the target has.
pub fn random_corpus(target: &Target, seed: u64, count: usize) -> Vec<Inst> {
    let mut rng = Rng(seed);
    let mut out = Vec::new();
    for op in Opcode::all() {
        let family = op.row().family;
        let lacks = op.row().feature().is_some_and(|f| !target.has(f));
        if lacks || family == Family::Vopdy || (family == Family::Vopdx && target.wave_size != 32) {
            continue;
        }
        // Second halves are drawn at random: enough pairs that each comes up.
        let count = if family == Family::Vopdx { 8 * count } else { count };
        let n = forms(op, &mut rng).len();
        for form in 0..n {
            for _ in 0..count {
                let enc = forms(op, &mut rng)[form];
                out.push(
                    random_inst(&mut rng, op, enc, target)
                        .unwrap_or_else(|| panic!("no legal {} as {enc:?}", op.name())),
                );
            }
        }
    }
    out
}
