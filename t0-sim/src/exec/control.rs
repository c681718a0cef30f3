//! SOPK and SOPP: immediates, branches, waits, barriers; messages and hardware registers are in [`hwreg`].

use t0_backend_rdna3::isa::{Sopk, Sopp};

use super::{hwreg, scalar32, Env, Fault, Step};
use crate::driver::{ExecFaultKind, Offset};
use crate::program::{Dst, Instr};
use crate::wave::{Wave, WaveState};

pub(super) fn sopk(w: &mut Wave, env: &Env, i: &Instr, op: Sopk) -> Step {
    use Sopk::*;
    let k = i.imm as i16 as i32;
    let u = i.imm as u16 as u32;
    // The register is a source for compares and waits, a destination for the arithmetic ones.
    let r = match i.dst[0] {
        Dst::S(r) => w.sgpr[usize::from(r) & 127],
        _ => scalar32(w, i.src[0]),
    };
    let ir = r as i32;
    let set = |w: &mut Wave, v: u32| {
        if let Dst::S(d) = i.dst[0] {
            w.set_s(usize::from(d), v);
        }
    };
    match op {
        // Tells the compiler's version to a debugger.
        s_version => {}
        s_subvector_loop_begin | s_subvector_loop_end => {
            return Err(Fault::unsupported("subvector loops: the RDNA3 manual defines none"))
        }
        s_movk_i32 => set(w, k as u32),
        s_cmovk_i32 => {
            if w.scc {
                set(w, k as u32);
            }
        }
        s_cmpk_eq_i32 => w.scc = ir == k,
        s_cmpk_lg_i32 => w.scc = ir != k,
        s_cmpk_gt_i32 => w.scc = ir > k,
        s_cmpk_ge_i32 => w.scc = ir >= k,
        s_cmpk_lt_i32 => w.scc = ir < k,
        s_cmpk_le_i32 => w.scc = ir <= k,
        s_cmpk_eq_u32 => w.scc = r == u,
        s_cmpk_lg_u32 => w.scc = r != u,
        s_cmpk_gt_u32 => w.scc = r > u,
        s_cmpk_ge_u32 => w.scc = r >= u,
        s_cmpk_lt_u32 => w.scc = r < u,
        s_cmpk_le_u32 => w.scc = r <= u,
        s_addk_i32 => {
            set(w, r.wrapping_add(k as u32));
            w.scc = ir.checked_add(k).is_none();
        }
        s_mulk_i32 => set(w, r.wrapping_mul(k as u32)),
        s_getreg_b32 => {
            let v = hwreg::read(w, env, u & 63)?;
            set(w, field(v, u));
        }
        s_setreg_b32 | s_setreg_imm32_b32 => hwreg::write(w, env, u, scalar32(w, i.src[0]))?,
        s_call_b64 => {
            if let Dst::S(d) = i.dst[0] {
                w.set_s64(usize::from(d), env.entry.wrapping_add(i.offset) + 4);
            }
            branch(w, env, i)?;
        }
        s_waitcnt_vscnt => w.waits.wait_vs((r & 63) + (u & 63)),
        s_waitcnt_vmcnt => w.waits.wait_vm((r & 63) + (u & 63)),
        s_waitcnt_lgkmcnt => w.waits.wait_lgkm((r & 63) + (u & 63)),
        // Exports do not exist in compute kernels.
        s_waitcnt_expcnt => {}
    }
    Ok(())
}

/// The field of a hardware register an hwreg immediate selects: offset in bits 10:6, size minus one in 15:11.
fn field(v: u32, imm: u32) -> u32 {
    let (offset, size) = (imm >> 6 & 31, (imm >> 11 & 31) + 1);
    let mask = if size >= 32 { u32::MAX } else { (1 << size) - 1 };
    (v >> offset) & mask
}

/// Takes the branch.
fn branch(w: &mut Wave, env: &Env, i: &Instr) -> Step {
    if i.target == u32::MAX {
        return Err(nowhere(env, i));
    }
    w.pc = i.target;
    Ok(())
}

#[cold]
fn nowhere(env: &Env, i: &Instr) -> Box<Fault> {
    let to = i.offset.wrapping_add_signed(4 * i64::from(i.imm as i16) + 4);
    Fault::rule(format!(
        "branch to {:#x} ({} from the entry), outside the kernel's code, from `{}` at {}",
        env.entry.wrapping_add(to),
        Offset(to),
        env.program.text(i.index),
        Offset(i.offset)
    ))
}

pub(super) fn sopp(w: &mut Wave, env: &Env, i: &Instr, op: Sopp) -> Step {
    use Sopp::*;
    let u = i.imm as u16 as u32;
    match op {
        s_nop
        | s_sleep
        | s_set_inst_prefetch_distance
        | s_clause
        | s_delay_alu
        | s_setprio
        | s_wakeup
        | s_incperflevel
        | s_decperflevel
        | s_icache_inv
        | s_wait_event
        | s_ttracedata
        | s_ttracedata_imm
        | s_singleuse_vdst => {}
        // Taken under a debugger only.
        s_cbranch_cdbgsys | s_cbranch_cdbguser | s_cbranch_cdbgsys_or_user | s_cbranch_cdbgsys_and_user => {}
        s_setkill => {
            if u & 1 == 1 {
                w.state = WaveState::Ended;
            }
        }
        s_sethalt => {
            return Err(Fault::unsupported(
                "s_sethalt stops a wave until a debugger restarts it",
            ))
        }
        // What it waits for is done here; the hazard rules take note of it.
        s_waitcnt_depctr => {}
        s_waitcnt => {
            w.waits.wait_vm(u >> 10 & 63);
            w.waits.wait_lgkm(u >> 4 & 63);
        }
        s_wait_idle => {
            w.waits.wait_vm(0);
            w.waits.wait_lgkm(0);
            w.waits.wait_vs(0);
        }
        s_trap => return Err(Fault::new(ExecFaultKind::Trap { id: u as u8 })),
        s_round_mode => w.set_mode((w.mode & !0xf) | (u & 0xf)),
        s_denorm_mode => w.set_mode((w.mode & !0xf0) | (u & 0xf) << 4),
        s_code_end => {
            return Err(Fault::rule(
                "s_code_end was reached: control ran past the end of the kernel",
            ))
        }
        s_branch => branch(w, env, i)?,
        s_cbranch_scc0 if !w.scc => branch(w, env, i)?,
        s_cbranch_scc1 if w.scc => branch(w, env, i)?,
        s_cbranch_vccz if w.vccz() => branch(w, env, i)?,
        s_cbranch_vccnz if !w.vccz() => branch(w, env, i)?,
        s_cbranch_execz if w.execz() => branch(w, env, i)?,
        s_cbranch_execnz if !w.execz() => branch(w, env, i)?,
        s_cbranch_scc0 | s_cbranch_scc1 | s_cbranch_vccz | s_cbranch_vccnz | s_cbranch_execz | s_cbranch_execnz => {}
        s_endpgm | s_endpgm_saved => (w.state, w.stop) = (WaveState::Ended, i.index),
        s_sendmsg => hwreg::send(w, env, u)?,
        s_sendmsghalt => {
            return Err(Fault::unsupported(
                "s_sendmsghalt stops a wave until a debugger restarts it",
            ))
        }
        // The barrier of a single-wave workgroup does nothing (RDNA3 manual 2.3).
        s_barrier if env.waves <= 1 => {}
        s_barrier => {
            (w.state, w.stop) = (WaveState::AtBarrier, i.index);
            w.barriers += 1;
        }
    }
    Ok(())
}
