//! Hand-assembled kernels.
#![allow(dead_code, clippy::unwrap_used)]

use t0_backend_rdna3::isa::{encode, parse};
use t0_backend_rdna3::object::{write, KernelCode, Resources};
use t0_backend_rdna3::target::GFX1100;

/// y ← a·x + y for `{f32 a, slice x, slice y}`, one lane per element of y, 256 lanes per workgroup.
///
/// The workgroup id arrives in s13: gfx1100 always initialises 16 SGPRs, ids last.
pub const SAXPY: &str = "
    s_load_b32 s5, s[0:1], 0x0
    s_load_b128 s[8:11], s[0:1], 0x8
    s_load_b128 s[16:19], s[0:1], 0x18
    v_lshl_add_u32 v0, s13, 8, v0
    s_waitcnt lgkmcnt(0)
    v_cmp_gt_u32_e32 vcc_lo, s18, v0
    s_and_saveexec_b32 s6, vcc_lo
    v_lshlrev_b32_e32 v0, 2, v0
    global_load_b32 v2, v0, s[8:9]
    global_load_b32 v3, v0, s[16:17]
    s_waitcnt vmcnt(0)
    v_fmac_f32_e32 v3, s5, v2
    global_store_b32 v0, v3, s[16:17]
    s_endpgm";

/// Stores one dword `offset` bytes behind the slice `{slice y}`: a fault unless something is mapped there.
pub const STRAY: &str = "
    s_load_b128 s[8:11], s[0:1], 0x0
    v_mov_b32_e32 v0, 0x1000
    s_waitcnt lgkmcnt(0)
    global_store_b32 v0, v0, s[8:9]
    s_endpgm";

/// A code object of one kernel with workgroups of 256 work-items.
pub fn assemble(name: &str, text: &str, kernarg_bytes: u32) -> Vec<u8> {
    assemble_with(
        name,
        text,
        Resources {
            kernarg_bytes,
            ..Default::default()
        },
    )
}

/// The same with LDS or private memory.
pub fn assemble_with(name: &str, text: &str, resources: Resources) -> Vec<u8> {
    let lines = text.lines().map(str::trim).filter(|l| !l.is_empty());
    let code = lines
        .flat_map(|l| encode(&parse(l, &GFX1100).unwrap(), &GFX1100).unwrap())
        .collect();
    let resources = Resources {
        vgprs: 8,
        sgprs: 20,
        ..resources
    };
    let kernel = KernelCode {
        name: name.into(),
        code,
        resources,
        args: Vec::new(),
        lds: Vec::new(),
        max_group_size: 256,
        required_group_size: Some([256, 1, 1]),
        spills: [0, 0],
        lines: Vec::new(),
        atomics: Vec::new(),
        sources: Vec::new(),
    };
    write(&GFX1100, &[kernel]).unwrap()
}
