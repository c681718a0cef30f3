//! Moves whose registers M0 chooses.
//!
//! Problem: `v_movrel*`, `v_swaprel` and `s_movrel*` touch other registers than those they name, and whoever asks what an
//! instruction reads and writes is told the named ones. Method: when M0 is known, a copy of the instruction is made that has the
//! real ones. Source: RDNA3 ISA manual 16.2 and 16.8; `exec` moves by the same rules.

use t0_backend_rdna3::isa::{Opcode, Sop1, Vop1};

use crate::program::{Dst, Instr, SSet, Src, VSet};
use crate::wave::M0;

impl Instr {
    /// The instruction with the registers it touches when M0 holds `m0`; `None` if they are those it names.
    #[cold]
    pub(crate) fn chosen(&self, m0: u32) -> Option<Instr> {
        let (low, high) = ((m0 & 0x3ff) as usize, (m0 >> 16 & 0x3ff) as usize);
        let whole = m0 as usize;
        match self.op {
            Opcode::Vop1(op) => {
                let (to, from) = match op {
                    Vop1::v_movrels_b32 => (0, whole),
                    Vop1::v_movreld_b32 => (whole, 0),
                    Vop1::v_movrelsd_b32 => (whole, whole),
                    Vop1::v_movrelsd_2_b32 | Vop1::v_swaprel_b32 => (high, low),
                    _ => return None,
                };
                Some(self.vector(to, from, op == Vop1::v_swaprel_b32))
            }
            Opcode::Sop1(op) => {
                let (to, from) = match op {
                    Sop1::s_movrels_b32 | Sop1::s_movrels_b64 => (0, whole),
                    Sop1::s_movreld_b32 | Sop1::s_movreld_b64 => (whole, 0),
                    Sop1::s_movrelsd_2_b32 => (high, low),
                    _ => return None,
                };
                let wide = matches!(op, Sop1::s_movrels_b64 | Sop1::s_movreld_b64);
                Some(self.scalar(to, from, 1 + usize::from(wide)))
            }
            _ => None,
        }
    }

    fn vector(&self, to: usize, from: usize, swaps: bool) -> Instr {
        let mut i = self.clone();
        (i.vread, i.vwrite) = (VSet::default(), VSet::default());
        if let Src::V(r) = self.src[0] {
            put(&mut i.vread, usize::from(r) + from);
        }
        if let Dst::V(d) = self.dst[0] {
            put(&mut i.vwrite, usize::from(d) + to);
        }
        if swaps {
            let both: VSet = std::array::from_fn(|k| i.vread[k] | i.vwrite[k]);
            (i.vread, i.vwrite) = (both, both);
        }
        i
    }

    fn scalar(&self, to: usize, from: usize, regs: usize) -> Instr {
        let mut i = self.clone();
        if let (Src::S(r), true) = (self.src[0], from != 0) {
            i.sread = SSet::default();
            put(&mut i.sread, M0);
            let first = (usize::from(r) + from) & !(regs - 1);
            (first..first + regs).for_each(|r| put(&mut i.sread, r));
        }
        if let Dst::S(d) = self.dst[0] {
            i.swrite = SSet::default();
            let first = (usize::from(d) + to) & !(regs - 1);
            (first..first + regs).for_each(|r| put(&mut i.swrite, r));
        }
        i
    }
}

/// Adds a register; what lies outside is a fault when the instruction executes.
fn put(set: &mut [u64], r: usize) {
    if let Some(word) = set.get_mut(r / 64) {
        *word |= 1 << (r % 64);
    }
}
