//! Hardware registers and messages: what `s_getreg`, `s_setreg` and `s_sendmsg*` reach.
//!
//! Sources: RDNA3 ISA manual 3.4 (MODE, STATUS, TRAPSTS, HW_ID1, HW_ID2, SH_MEM_BASES) and 5.3 (messages); register
//! numbers from LLVM `SIDefines.h`; fields of GPR_ALLOC, LDS_ALLOC and IB_STS from Linux `gc_11_0_0_sh_mask.h`.
//! Where a wave runs and what time it is follow from its number and its instruction count, so runs repeat.

use super::{Env, Fault, Step};
use crate::aperture;
use crate::wave::Wave;

const MODE: u32 = 1;
const STATUS: u32 = 2;
const TRAPSTS: u32 = 3;
const GPR_ALLOC: u32 = 5;
const LDS_ALLOC: u32 = 6;
const IB_STS: u32 = 7;
const SH_MEM_BASES: u32 = 15;
const PERF_SNAPSHOT_PC_LO: u32 = 18;
const PERF_SNAPSHOT_PC_HI: u32 = 19;
const FLAT_SCR_LO: u32 = 20;
const FLAT_SCR_HI: u32 = 21;
const HW_ID1: u32 = 23;
const HW_ID2: u32 = 24;
const PERF_SNAPSHOT_DATA: u32 = 27;
const SHADER_CYCLES: u32 = 29;

/// WGPs of a Navi 31 (6 engines of 2 arrays of 4).
const WGPS: u64 = 48;
/// Shader clocks (one per instruction here) in one tick of the 100 MHz counter: a 2.5 GHz card.
const CLOCKS_PER_TICK: u64 = 25;

fn status(w: &Wave, env: &Env) -> u32 {
    const TRAP_EN: u32 = 1 << 6;
    const VALID: u32 = 1 << 16;
    let in_group = u32::from(env.waves > 1) << 11;
    u32::from(w.scc) | TRAP_EN | u32::from(w.execz()) << 9 | u32::from(w.vccz()) << 10 | in_group | VALID
}

/// Wave slot, SIMD, WGP, array and engine; f64 units at 1/32 rate.
fn hw_id1(w: &Wave) -> u32 {
    let wgp = w.group % WGPS;
    let (engine, array, unit) = ((wgp / 8) as u32, (wgp / 4 % 2) as u32, (wgp % 4) as u32);
    let (slot, simd) = (w.index / 4 % 16, w.index % 4);
    slot | simd << 8 | unit << 10 | array << 16 | engine << 18 | 1 << 29
}

/// An ACE compute queue; the workgroup's number in its WGP; the first user VMID.
fn hw_id2(w: &Wave) -> u32 {
    1 << 8 | ((w.group / WGPS % 32) as u32) << 16 | 8 << 24
}

/// The value of a hardware register.
pub(super) fn read(w: &Wave, env: &Env, id: u32) -> Step<u32> {
    let unit = if w.lanes() == 64 { 4 } else { 8 };
    Ok(match id {
        MODE => w.mode,
        STATUS => status(w, env),
        TRAPSTS => w.trapsts,
        GPR_ALLOC => (w.vgprs().div_ceil(unit).max(1) - 1) << 12,
        LDS_ALLOC => (env.lds.size().div_ceil(512)) << 12,
        IB_STS => {
            let [vm, lgkm, vs] = w.waits.counts();
            lgkm << 4 | vm << 10 | vs << 26
        }
        SH_MEM_BASES => (aperture::SHARED_BASE >> 48 << 16 | aperture::PRIVATE_BASE >> 48) as u32,
        FLAT_SCR_LO => w.scratch.base as u32,
        FLAT_SCR_HI => (w.scratch.base >> 32) as u32,
        HW_ID1 => hw_id1(w),
        HW_ID2 => hw_id2(w),
        // No profiler samples.
        PERF_SNAPSHOT_PC_LO | PERF_SNAPSHOT_PC_HI | PERF_SNAPSHOT_DATA => 0,
        // Not a clock: instructions executed, which is at least monotonic and repeatable.
        SHADER_CYCLES => w.issued as u32 & 0xf_ffff,
        _ => {
            return Err(Fault::rule(format!(
                "hardware register {id} does not exist on gfx11; see `s_getreg_b32` in the RDNA3 manual, 6.8"
            )))
        }
    })
}

/// Writes the field of a hardware register that an hwreg immediate selects.
pub(super) fn write(w: &mut Wave, env: &Env, imm: u32, value: u32) -> Step {
    let (id, offset, size) = (imm & 63, imm >> 6 & 31, (imm >> 11 & 31) + 1);
    let mask = (if size >= 32 { u32::MAX } else { (1 << size) - 1 }) << offset;
    let new = |old: u32| (old & !mask) | (value << offset & mask);
    match id {
        MODE => w.set_mode(new(w.mode)),
        TRAPSTS => w.trapsts = new(w.trapsts),
        // Only a trap handler may write the others; hardware drops what a kernel writes there.
        _ => {
            read(w, env, id)?;
        }
    }
    Ok(())
}

/// `s_sendmsg`: an interrupt to the host (nobody listens here), or the release of all VGPRs, after which only
/// `s_endpgm` may follow.
pub(super) fn send(w: &Wave, env: &Env, message: u32) -> Step {
    match message & 0xff {
        1 => Ok(()),
        3 => {
            use t0_backend_rdna3::isa::{Opcode, Sopp};
            let next = env.program.code.get(w.pc as usize);
            if next.is_some_and(|n| n.op == Opcode::Sopp(Sopp::s_endpgm)) {
                return Ok(());
            }
            Err(Fault::rule(
                "s_sendmsg MSG_DEALLOC_VGPRS must be followed by s_endpgm: the VGPRs are gone",
            ))
        }
        2 | 9 => Err(Fault::unsupported("messages of graphics shaders")),
        m => Err(Fault::rule(format!("message {m:#x} of s_sendmsg is reserved"))),
    }
}

/// `s_sendmsg_rtn`: the answer.
pub(super) fn ask(w: &Wave, message: u32) -> Step<u64> {
    match message & 0xff {
        // The simulated queue has no doorbell a kernel could ring: what hardware answers for an unknown queue.
        0x80 => Ok(0x0bad),
        0x81 => Ok(w.dispatch_id),
        // No trap handler: neither code (TBA) nor data (TMA).
        0x82 | 0x85 => Ok(0),
        0x83 => Ok(w.issued / CLOCKS_PER_TICK),
        0x84 => Err(Fault::rule("message SAVE_WAVE may only be sent by a trap handler")),
        m => Err(Fault::rule(format!("message {m:#x} of s_sendmsg_rtn is reserved"))),
    }
}
