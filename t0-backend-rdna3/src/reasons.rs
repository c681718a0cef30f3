//! Why each wait and each nop of a kernel is there, for people who read listings.
//!
//! Method: the bytes do not say, so it is worked out again. A wait on a counter is for the oldest operations in flight that the
//! counter still allows for none of, and for the first instruction behind it that touches their registers; a nop is for the
//! hazard that would be there without it. Instructions are followed in the order of memory; what comes round a loop is
//! said to come from there.

use crate::errata::{Facts, Hit, State};
use crate::isa::{Class, Inst, Opcode, Operand, Reg, Sopk, Sopp};
use crate::listing::Decoded;
use crate::target::Target;

/// How far back and forth instructions are looked at.
const WINDOW: usize = 400;

/// Counters of memory operations.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counter {
    Vm,
    Lgkm,
    Vs,
}

impl Counter {
    fn name(self) -> &'static str {
        match self {
            Counter::Vm => "vmcnt",
            Counter::Lgkm => "lgkmcnt",
            Counter::Vs => "vscnt",
        }
    }

    fn of(i: &Inst) -> Option<Counter> {
        match i.row().class {
            Class::VmemLoad => Some(Counter::Vm),
            Class::VmemAtomic if i.mods.glc => Some(Counter::Vm),
            Class::VmemAtomic | Class::VmemStore => Some(Counter::Vs),
            Class::Smem | Class::Msg => Some(Counter::Lgkm),
            c if c.is_lds() => Some(Counter::Lgkm),
            _ => None,
        }
    }
}

/// A sentence for each wait and each nop; `None` for other instructions.
pub fn reasons(code: &[Decoded], target: &Target) -> Vec<Option<String>> {
    (0..code.len()).map(|at| reason(code, at, target)).collect()
}

fn reason(code: &[Decoded], at: usize, target: &Target) -> Option<String> {
    let inst = code[at].inst.as_ref().ok()?;
    let imm = inst.operands.iter().find_map(|o| match o {
        Operand::Imm(i) => Some(*i as u64 & 0xffff),
        _ => None,
    });
    match inst.op {
        Opcode::Sopp(Sopp::s_waitcnt) => {
            // RDNA3 ISA manual, s_waitcnt: expcnt in bits 2:0, lgkmcnt in 9:4, vmcnt in 15:10.
            let imm = imm?;
            let each = [(Counter::Vm, imm >> 10 & 63), (Counter::Lgkm, imm >> 4 & 63)];
            let all: Vec<String> = each.iter().filter_map(|&(c, n)| wait(code, at, c, n)).collect();
            Some(if all.is_empty() {
                "nothing before it is in flight".into()
            } else {
                all.join("; ")
            })
        }
        Opcode::Sopk(Sopk::s_waitcnt_vscnt) => wait(code, at, Counter::Vs, imm?),
        Opcode::Sopp(Sopp::s_nop | Sopp::s_waitcnt_depctr) => hazard(code, at, target),
        _ if inst.op.name() == "v_nop" => hazard(code, at, target),
        _ => None,
    }
}

/// What a wait for `left` operations of a counter waits for.
fn wait(code: &[Decoded], at: usize, counter: Counter, left: u64) -> Option<String> {
    let before = code[..at].iter().rev().take(WINDOW);
    let ops: Vec<&Decoded> = before
        .filter(|d| d.inst.as_ref().is_ok_and(|i| Counter::of(i) == Some(counter)))
        .collect();
    // Those that were issued last may stay in flight.
    let waited = ops.get(left as usize..)?;
    let user = code[at + 1..].iter().take(WINDOW).find_map(|d| {
        let i = d.inst.as_ref().ok()?;
        let whose = waited.iter().find(|w| w.inst.as_ref().is_ok_and(|w| touches(i, w)))?;
        Some((d, *whose))
    });
    if let Some((user, whose)) = user {
        return Some(format!(
            "{}: `{}` at {:#x} needs what `{}` at {:#x} {}",
            counter.name(),
            user.text(),
            user.offset,
            whose.text(),
            whose.offset,
            if counter == Counter::Vs { "stores" } else { "loads" }
        ));
    }
    let next = code[at + 1..].iter().find_map(|d| d.inst.as_ref().ok())?;
    let first = waited.first()?;
    let before = match next.row().class {
        Class::Barrier => "the others may look at it behind the barrier",
        Class::End => "the wave ends",
        _ => "what follows depends on it, or a path that comes round a loop",
    };
    Some(format!(
        "{}: `{}` at {:#x} must be done: {before}",
        counter.name(),
        first.text(),
        first.offset
    ))
}

/// Does `i` read or write a register that memory operation `op` writes?
fn touches(i: &Inst, op: &Inst) -> bool {
    let specs = op.spec_list();
    let written = specs.iter().zip(&op.operands).filter(|(s, _)| s.is_dst());
    let regs: Vec<Reg> = written.filter_map(|(_, o)| register(o)).collect();
    i.operands
        .iter()
        .filter_map(register)
        .any(|r| regs.iter().any(|w| overlap(&r, w)))
}

fn register(o: &Operand) -> Option<Reg> {
    match o {
        Operand::Reg(r) => Some(*r),
        _ => None,
    }
}

fn overlap(a: &Reg, b: &Reg) -> bool {
    a.file == b.file && a.index < b.index + b.count && b.index < a.index + a.count
}

/// The hazard that would be there without the instruction at `at`.
fn hazard(code: &[Decoded], at: usize, target: &Target) -> Option<String> {
    let facts: Vec<(usize, Facts)> = (at.saturating_sub(WINDOW)..code.len().min(at + 16))
        .filter_map(|k| Some((k, Facts::of(code[k].inst.as_ref().ok()?, target))))
        .collect();
    let without = hits(&facts, at, None, target);
    let with = hits(&facts, at, Some(at), target);
    let (k, hit) = without.into_iter().find(|h| !with.contains(h))?;
    let user = &code[k];
    let by = hit
        .by
        .and_then(|b| code.get(b as usize))
        .map(|d| format!(" after `{}` at {:#x}", d.text(), d.offset));
    Some(format!(
        "{}: `{}` at {:#x}{}: {hit}",
        hit.rule.name(),
        user.text(),
        user.offset,
        by.unwrap_or_default()
    ))
}

/// Hazards from `at` on, with the instruction there only if it is `kept`.
fn hits(facts: &[(usize, Facts)], at: usize, kept: Option<usize>, target: &Target) -> Vec<(usize, Hit)> {
    let mut state = State::new(target, true);
    let mut out = Vec::new();
    for (k, f) in facts.iter().filter(|(k, _)| *k != at || kept == Some(at)) {
        if *k > at {
            let mut found = Vec::new();
            state.hits(f, &mut found);
            out.extend(found.into_iter().map(|h| (*k, h)));
        }
        state.issue(f, *k as u32);
    }
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::isa::{encode, parse};
    use crate::listing::decode_all;
    use crate::target::GFX1100;

    fn of(text: &str) -> Vec<Option<String>> {
        let bytes: Vec<u8> = text
            .lines()
            .flat_map(|l| encode(&parse(l, &GFX1100).unwrap(), &GFX1100).unwrap())
            .collect();
        reasons(&decode_all(&bytes, &GFX1100), &GFX1100)
    }

    #[test]
    fn a_wait_names_the_load_and_its_user() {
        let all = of("global_load_b32 v1, v0, s[2:3]\nglobal_load_b32 v2, v0, s[4:5]\ns_waitcnt vmcnt(1)\nv_add_f32 v3, v1, v1\ns_waitcnt vmcnt(0)\nv_add_f32 v3, v2, v2\ns_endpgm");
        let want = "vmcnt: `v_add_f32_e32 v3, v1, v1` at 0x14 needs what `global_load_b32 v1, v0, s[2:3]` at 0x0 loads";
        assert_eq!(all[2].as_deref(), Some(want));
        assert!(
            all[4]
                .as_ref()
                .unwrap()
                .contains("`v_add_f32_e32 v3, v2, v2` at 0x1c needs what `global_load_b32 v2"),
            "{all:?}"
        );
        assert_eq!(all[0], None);
    }

    #[test]
    fn a_nop_names_its_hazard() {
        let all = of("v_exp_f32 v1, v0\ns_waitcnt_depctr 0xfff\nv_add_f32 v2, v1, v1\ns_endpgm");
        assert!(
            all[1]
                .as_ref()
                .unwrap()
                .starts_with("valu-trans-use: `v_add_f32_e32 v2, v1, v1`"),
            "{all:?}"
        );
        // One that mends nothing has no reason.
        assert_eq!(of("v_mov_b32 v1, v0\ns_nop 0\ns_endpgm")[1], None);
    }
}
