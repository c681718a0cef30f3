//! Loads by which a wave waits for another one: loops that only look.
//!
//! Problem: compilers write an atomic load of the LDS, and in CU mode one of global memory at workgroup scope, as a plain
//! load; only a race check that knows flags from data can follow them. Method: a *spin load* stands in a loop that stores
//! nothing and meets no barrier, reads the same address every time, and its value decides whether the loop goes on: such a
//! loop ends only by what another wave writes. A first look that a compiler has peeled off the loop (loop rotation copies a
//! loop's head) counts as well: the same load of the same registers, close before the loop, with no store between.
//!
//! Invariant: a load that is not in such a loop, or before one, is never marked.

use t0_backend_rdna3::isa::{Class, Flags, Opcode, Sop1, Sopp, Vop1};

use crate::program::{Dst, Instr, SSet, Src, VSet};
use crate::wave::{EXEC, VCC};

/// Instructions of a loop that may be one.
const LONGEST: usize = 128;
/// How many instructions before the loop a peeled load is looked for.
const PEELED: usize = 32;

/// Registers, and SCC.
#[derive(Clone, Copy, Default, PartialEq)]
struct Regs {
    v: VSet,
    s: SSet,
    scc: bool,
}

impl Regs {
    fn meets(&self, v: &VSet, s: &SSet) -> bool {
        let any = |a: &[u64], b: &[u64]| a.iter().zip(b).any(|(a, b)| a & b != 0);
        any(&self.v, v) || any(&self.s, s)
    }

    fn has_s(&self, r: usize) -> bool {
        self.s[r / 64] >> (r % 64) & 1 == 1
    }

    fn add(&mut self, i: &Instr) {
        self.v.iter_mut().zip(&i.vwrite).for_each(|(a, b)| *a |= b);
        self.s.iter_mut().zip(&i.swrite).for_each(|(a, b)| *a |= b);
        self.scc |= i.flags.has(Flags::W_SCC);
        if i.flags.has(Flags::W_EXEC) {
            self.s[EXEC / 64] |= 1 << (EXEC % 64);
        }
    }
}

/// Marks the spin loads of a program.
pub(crate) fn mark(code: &mut [Instr]) {
    let mut order: Vec<usize> = (0..code.len()).collect();
    order.sort_unstable_by_key(|&k| code[k].offset as i64);
    let place = |offset: u64| order.binary_search_by_key(&(offset as i64), |&k| code[k].offset as i64);
    let mut spins = Vec::new();
    for (end, &k) in order.iter().enumerate() {
        let Some(to) = code.get(code[k].target as usize) else {
            continue;
        };
        let Ok(start) = place(to.offset) else { continue };
        if start > end || end - start >= LONGEST {
            continue;
        }
        let body: Vec<&Instr> = order[start..=end].iter().map(|&k| &code[k]).collect();
        for load in in_loop(&body) {
            spins.push(load.index as usize);
            let before = order[start.saturating_sub(PEELED)..start].iter().rev();
            let near = before.map(|&k| &code[k]).take_while(|i| !acts(i));
            let peeled = near.filter(|i| i.op == load.op && i.src == load.src && i.mods.offset == load.mods.offset);
            spins.extend(peeled.map(|i| i.index as usize));
        }
    }
    for k in spins {
        code[k].spins = true;
    }
}

/// Whether an instruction does something others may wait for, or leaves for code that may.
fn acts(i: &Instr) -> bool {
    let takes = i.class == Class::LdsAtomic && i.dst[0] != Dst::None;
    let leaves = matches!(i.op, Opcode::Sop1(Sop1::s_setpc_b64 | Sop1::s_swappc_b64));
    i.writes && !takes || leaves || i.stop != 0 || matches!(i.op, Opcode::Sopp(Sopp::s_barrier | Sopp::s_endpgm))
}

/// The spin loads of a loop.
fn in_loop<'a>(body: &[&'a Instr]) -> Vec<&'a Instr> {
    if body.iter().any(|i| acts(i)) {
        return Vec::new();
    }
    let mut written = Regs::default();
    body.iter().for_each(|i| written.add(i));
    let loads = body
        .iter()
        .filter(|i| matches!(i.class, Class::LdsLoad | Class::VmemLoad));
    let same_place = |i: &&&Instr| stands_still(i, body, &written);
    loads.filter(same_place).filter(|i| decides(i, body)).copied().collect()
}

/// Whether the address of a load is the same in every iteration: nothing in the loop writes it, but for copies of what
/// does not change.
fn stands_still(load: &Instr, body: &[&Instr], written: &Regs) -> bool {
    let mut scalars = load.sread;
    scalars[EXEC / 64] &= !(3 << (EXEC % 64));
    let mut address = Regs {
        v: load.vread,
        s: scalars,
        scc: false,
    };
    if written.meets(&[0; 4], &address.s) {
        return false;
    }
    address.s = [0; 2];
    let writers = body.iter().filter(|i| address.meets(&i.vwrite, &i.swrite));
    let (mut own, mut copies) = (false, 0);
    for i in writers {
        let fixed = match i.src[0] {
            Src::K(_) => true,
            Src::S(r) => !written.has_s(usize::from(r) & 127),
            _ => false,
        };
        if i.index == load.index {
            own = true;
        } else if matches!(i.op, Opcode::Vop1(Vop1::v_mov_b32)) && fixed {
            copies += 1;
        } else {
            return false;
        }
    }
    !own || copies > 0
}

/// Whether the value of a load decides if the loop goes on.
fn decides(load: &Instr, body: &[&Instr]) -> bool {
    let mut from = Regs::default();
    from.add(load);
    loop {
        let before = from;
        for i in body.iter().filter(|i| i.index != load.index) {
            if from.meets(&i.vread, &i.sread) || from.scc && i.flags.has(Flags::R_SCC) {
                from.add(i);
            }
        }
        if from == before {
            break;
        }
    }
    let inside = |index: u32| body.iter().any(|i| i.index == index);
    body.iter().any(|i| {
        let Opcode::Sopp(op) = i.op else { return false };
        let leaves = !inside(i.target) || !inside(i.next);
        let told = match op {
            Sopp::s_cbranch_scc0 | Sopp::s_cbranch_scc1 => from.scc,
            Sopp::s_cbranch_vccz | Sopp::s_cbranch_vccnz => from.has_s(VCC) || from.has_s(VCC + 1),
            Sopp::s_cbranch_execz | Sopp::s_cbranch_execnz => from.has_s(EXEC) || from.has_s(EXEC + 1),
            _ => false,
        };
        leaves && told
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use t0_backend_rdna3::isa;
    use t0_backend_rdna3::target::GFX1100;

    use crate::program::{Program, FETCH};

    /// Which of the lines are spin loads; a branch counts dwords.
    fn spins(text: &str) -> Vec<usize> {
        let encode = |l: &str| isa::encode(&isa::parse(l, &GFX1100).unwrap(), &GFX1100).unwrap();
        let code: Vec<u8> = text
            .lines()
            .chain(["s_endpgm"])
            .flat_map(|l| encode(l.trim()))
            .collect();
        let fetch = |at: u64| code.iter().skip(at as usize).take(FETCH).copied().collect();
        let p = Program::decode(&fetch, &GFX1100, 32);
        let marked = p.code.iter().filter(|i| i.spins);
        marked.map(|i| i.index as usize).collect()
    }

    #[test]
    fn a_loop_that_only_looks() {
        // As clang writes it: a mask of lanes that are through.
        let masks = "ds_load_b32 v2, v1 offset:256
            s_waitcnt lgkmcnt(0)
            v_cmp_eq_u32_e32 vcc_lo, 32, v2
            s_or_b32 s2, vcc_lo, s2
            s_and_not1_b32 exec_lo, exec_lo, s2
            s_cbranch_execnz 65529";
        assert_eq!(spins(masks), [0]);
        let uniform = "global_load_b32 v2, v1, s[6:7]
            s_waitcnt vmcnt(0)
            v_cmp_ne_u32_e32 vcc_lo, 32, v2
            s_cbranch_vccnz 65531";
        assert_eq!(spins(uniform), [0]);
        // The loaded value takes the register of the address, which is made anew.
        let anew = "v_mov_b32_e32 v1, 0
            ds_load_b32 v1, v1
            s_waitcnt lgkmcnt(0)
            v_readfirstlane_b32 s2, v1
            s_cmp_eq_u32 s2, 0
            s_cbranch_scc1 65529";
        assert_eq!(spins(anew), [1]);
    }

    #[test]
    fn a_peeled_load_before_the_loop() {
        let text = "ds_load_b32 v2, v1
            s_waitcnt lgkmcnt(0)
            v_readfirstlane_b32 s2, v2
            s_cmp_lg_u32 s2, 0
            s_cbranch_scc1 7
            s_sleep 1
            ds_load_b32 v2, v1
            s_waitcnt lgkmcnt(0)
            v_readfirstlane_b32 s2, v2
            s_cmp_lg_u32 s2, 0
            s_cbranch_scc0 65529";
        assert_eq!(spins(text), [0, 6]);
    }

    #[test]
    fn loops_that_do_more_are_none() {
        let sum = "ds_load_b32 v2, v1
            v_add_nc_u32_e32 v1, 4, v1
            s_waitcnt lgkmcnt(0)
            v_add_nc_u32_e32 v3, v3, v2
            s_sub_u32 s2, s2, 1
            s_cmp_lg_u32 s2, 0
            s_cbranch_scc1 65528";
        assert_eq!(spins(sum), [] as [usize; 0]);
        // The address moves: a search.
        let search = "ds_load_b32 v2, v1
            v_add_nc_u32_e32 v1, 4, v1
            s_waitcnt lgkmcnt(0)
            v_readfirstlane_b32 s2, v2
            s_cmp_lg_u32 s2, 0
            s_cbranch_scc1 65529";
        assert_eq!(spins(search), [] as [usize; 0]);
        let stores = "ds_load_b32 v2, v1
            s_waitcnt lgkmcnt(0)
            ds_store_b32 v1, v3
            v_readfirstlane_b32 s2, v2
            s_cmp_lg_u32 s2, 0
            s_cbranch_scc1 65528";
        assert_eq!(spins(stores), [] as [usize; 0]);
    }
}
