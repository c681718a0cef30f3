//! What an instruction reads, writes and waits for, derived from its row.

use super::form::Form;
use super::inst::WaitCounts;
use super::row::{Class, Family, Field, Flags, Kind, OperandSpec, Ty};
use super::{Enc, Inst, Operand, Reg, RegFile};

impl Inst {
    /// Registers read by a wave of `wave_size` lanes: explicit operands, then implicit state (SCC, VCC, EXEC, M0) by the
    /// row's flags. VALU and vector memory read EXEC as lane mask unless the row ignores it.
    pub fn reads(&self, wave_size: u32) -> Vec<Reg> {
        let mut out = Vec::new();
        self.each_read(wave_size, |r| out.push(r));
        out
    }

    /// Calls `f` with each of [`Inst::reads`].
    pub(crate) fn each_read(&self, wave_size: u32, mut f: impl FnMut(Reg)) {
        for (spec, o) in self.spec_list().iter().zip(&self.operands) {
            if spec.is_src() || self.keeps_half(spec) {
                match *o {
                    Operand::Reg(r) if counts(r) => f(r),
                    Operand::Special(253) => f(Reg::SCC),
                    _ => {}
                }
            }
        }
        let flags = self.flags();
        let exec = flags.has(Flags::R_EXEC) && !flags.has(Flags::IGNORES_EXEC);
        for (on, reg) in [
            (flags.has(Flags::R_SCC), Reg::SCC),
            (flags.has(Flags::R_VCC), Reg::vcc(wave_size)),
            (exec, self.exec(wave_size)),
            (flags.has(Flags::R_M0), Reg::M0),
        ] {
            if on {
                f(reg);
            }
        }
    }

    /// EXEC as this instruction touches it: scalar instructions have a width of their own.
    fn exec(&self, wave_size: u32) -> Reg {
        match self.row().family {
            Family::Sop1 => Reg::sn(126, self.row().operands[0].ty.regs()),
            _ => Reg::exec(wave_size),
        }
    }

    /// Registers written by a wave of `wave_size` lanes: explicit operands, then implicit state. A write under a partial EXEC keeps the other lanes;
    /// register allocators must treat such a destination as also read when lanes may differ.
    pub fn writes(&self, wave_size: u32) -> Vec<Reg> {
        let mut out = Vec::new();
        self.each_write(wave_size, |r| out.push(r));
        out
    }

    /// Calls `f` with each of [`Inst::writes`].
    pub(crate) fn each_write(&self, wave_size: u32, mut f: impl FnMut(Reg)) {
        let row = self.row();
        for (spec, o) in self.spec_list().iter().zip(&self.operands) {
            let atomic = row.class == Class::VmemAtomic && spec.field == Field::Vdata;
            if spec.is_dst() && (!atomic || self.mods.glc) {
                match *o {
                    Operand::Reg(r) if atomic && counts(r) => f(returned(row.name, r)),
                    Operand::Reg(r) if counts(r) => f(r),
                    _ => {}
                }
            }
        }
        let flags = self.flags();
        for (flag, reg) in [
            (Flags::W_SCC, Reg::SCC),
            (Flags::W_VCC, Reg::vcc(wave_size)),
            (Flags::W_EXEC, self.exec(wave_size)),
            (Flags::W_M0, Reg::M0),
        ] {
            if flags.has(flag) {
                f(reg);
            }
        }
    }

    /// Destinations whose other half survives: `op_sel` bit 3, 16-bit WMMA accumulators.
    pub(crate) fn keeps_half(&self, spec: &OperandSpec) -> bool {
        let row = self.row();
        spec.is_dst()
            && spec.kind == Kind::Vgpr
            && (row.flags.has(Flags::D16) || self.mods.op_sel & 8 != 0 || matches!(spec.ty, Ty::F16x8 | Ty::Bf16x8))
    }

    /// Which half of its register a D16 load writes: true for the high one; `None` for what is no such load.
    pub fn half_loaded(&self) -> Option<bool> {
        self.flags().has(Flags::D16).then(|| self.row().name.contains("_hi"))
    }

    /// Whether all that the instruction touches of VGPR `r` is its high (or low) half.
    pub fn touches_only_half(&self, r: u32, high: bool) -> bool {
        let row = self.row();
        let mut some = false;
        for (spec, o) in self.specs().zip(&self.operands) {
            let Operand::Reg(reg) = o else { continue };
            if reg.file != RegFile::V || !(reg.index..reg.index + reg.count).contains(&r) {
                continue;
            }
            let half = match spec.half_bit() {
                Some(bit) if row.class.is_valu() => Some(self.mods.op_sel >> bit & 1 == 1),
                // 16- and 8-bit stores read the low half, or with `d16_hi` the high one.
                _ if matches!(spec.field, Field::Data0 | Field::Vdata) && spec.ty.bits() <= 32 => {
                    let narrow = ["_b16", "_b8"].iter().any(|w| row.name.contains(w));
                    narrow.then(|| row.name.contains("_hi"))
                }
                _ => None,
            };
            if half != Some(high) {
                return false;
            }
            some = true;
        }
        some
    }

    /// Counters the instruction increments. Source: RDNA3 ISA manual 4.4, LLVM `SIInsertWaitcnts`.
    pub fn wait(&self) -> WaitCounts {
        let row = self.row();
        let mut w = WaitCounts::default();
        let flat = row.flags.has(Flags::FLAT);
        match row.class {
            Class::VmemLoad => w.vm = 1,
            Class::VmemStore => w.vs = 1,
            Class::VmemAtomic if self.mods.glc => w.vm = 1,
            Class::VmemAtomic => w.vs = 1,
            Class::LdsLoad | Class::LdsStore | Class::LdsAtomic | Class::LdsLane => w.lgkm = 1,
            // Scalar loads of two dwords or more count twice.
            Class::Smem => w.lgkm = if row.operands[0].ty.regs() >= 2 { 2 } else { 1 },
            Class::LdsDir | Class::Export => w.exp = 1,
            Class::SmemInv => w.lgkm = 1,
            Class::Msg if row.name.starts_with("s_sendmsg") => w.lgkm = 1,
            _ => {}
        }
        // Data of the global data share is read out late. Source: LLVM `SIInsertWaitcnts`, GDS_GPR_LOCK.
        if self.mods.gds {
            w.exp = 1;
        }
        // A flat access may turn out to be an LDS access, so it also counts there.
        if flat {
            w.lgkm = 1;
        }
        w
    }

    /// Size in bytes, including literal and DPP dword.
    pub fn size(&self) -> usize {
        let form = Form::of(self.row(), self.enc).or(Form::of(self.row(), Enc::Natural));
        let literal = self.operands.iter().any(|o| matches!(o, Operand::Literal(_)));
        form.map_or(0, Form::bytes)
            + if literal || self.enc.is_dpp() || matches!(self.enc, Enc::Nsa(_)) {
                4
            } else {
                0
            }
    }
}

/// NULL reads zero and swallows writes.
fn counts(r: Reg) -> bool {
    !r.is_null() && r.count > 0
}

/// Registers a returning buffer atomic writes: compare-and-swap returns only the old value, half of its data.
fn returned(name: &str, r: Reg) -> Reg {
    if name.contains("cmpswap") {
        Reg {
            count: r.count / 2,
            ..r
        }
    } else {
        r
    }
}

/// Name of a scalar register by hardware number.
pub fn scalar_name(r: u32) -> String {
    match r {
        106 => "vcc_lo".into(),
        107 => "vcc_hi".into(),
        108..=123 => format!("ttmp{}", r - 108),
        125 => "m0".into(),
        126 => "exec_lo".into(),
        127 => "exec_hi".into(),
        124 => "null".into(),
        _ => format!("s{r}"),
    }
}
