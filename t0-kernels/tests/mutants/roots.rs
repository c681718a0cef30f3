//! Mutants of a square root that change no pixel: tried for every number the root is taken of.
//!
//! Problem: `f32::sqrt` scales small numbers up and mends the last bit of the hardware's root; where a picture takes the root
//! of a whole number and keeps eight bits of it, many mistakes in that change nothing, and no picture proves it. Method: the
//! instructions between the conversions from and to integers run on their own, right and wrong, for all numbers that can come:
//! two squares of at most 4 · 255 each. Registers they may read from before hold all ones in one run and zeros in another.

use std::sync::{Arc, OnceLock};

use t0_backend_rdna3::isa::{Inst, Operand};
use t0_backend_rdna3::object::CodeObject;
use t0_sim::driver::{PageFlags, Vm};
use t0_sim::{Launch, Simulator};

use crate::image::Image;
use crate::subjects::assembled;

/// More than 2 · 1020².
const NUMBERS: u64 = 1 << 21;
const CODE: u64 = 0x7000_0000_0000;
const ARGS: u64 = 0x7100_0000_0000;
const OUT: u64 = 0x7200_0000_0000;

/// Whether the pixels are the same with `new` in the place of the instructions from `i` on, where a root is taken.
pub fn same_pixels(image: &Image, i: usize, new: &[Inst]) -> bool {
    let named = |name: &str| image.insts.iter().position(|a| a.inst.row().name == name);
    let (Some(first), Some(last)) = (named("v_cvt_f32_i32"), named("v_cvt_u32_f32")) else {
        return false;
    };
    if i < first || i + new.len() > last {
        return false;
    }
    let right: Vec<Inst> = image.insts[first..last + 2].iter().map(|a| a.inst.clone()).collect();
    let mut wrong = right.clone();
    wrong[i - first..][..new.len()].clone_from_slice(new);
    let ends = (vgpr(&right[0].operands[1]), vgpr(&right[right.len() - 1].operands[0]));
    static RIGHT: OnceLock<[Vec<u8>; 2]> = OnceLock::new();
    *RIGHT.get_or_init(|| [-1, 0].map(|before| pixels(&right, ends, before)))
        == [-1, 0].map(|before| pixels(&wrong, ends, before))
}

fn vgpr(o: &Operand) -> u32 {
    match o {
        Operand::Reg(r) => r.index,
        _ => panic!("{o:?} is no register"),
    }
}

/// What the instructions make of all numbers.
fn pixels(insts: &[Inst], (input, output): (u32, u32), before: i32) -> Vec<u8> {
    let body: String = insts.iter().map(|i| format!("{i}\n")).collect();
    let fill: String = (0..24).map(|r| format!("v_mov_b32 v{r}, {before}\n")).collect();
    let scalars: String = (2..15).map(|r| format!("s_mov_b32 s{r}, {before}\n")).collect();
    let text = format!(
        ".amdgcn_target \"amdgcn-amd-amdhsa--gfx1100\"\n.text\n.globl k\n.p2align 8\n.type k,@function\nk:\n\
         s_load_b64 s[40:41], s[0:1], null\ns_lshl_b32 s42, s15, 8\nv_and_b32 v30, 0x3ff, v0\nv_add_nc_u32 v30, s42, v30\n\
         {fill}{scalars}v_mov_b32 v{input}, v30\n\
         s_waitcnt lgkmcnt(0)\n{body}global_store_b8 v30, v{output}, s[40:41]\ns_endpgm\n.Lend:\n.size k, .Lend-k\n\
         .fill 64, 4, 0xbf9f0000\n.rodata\n.p2align 6\n.amdhsa_kernel k\n.amdhsa_float_denorm_mode_32 3\n\
         .amdhsa_kernarg_size 8\n.amdhsa_user_sgpr_count 15\n.amdhsa_user_sgpr_kernarg_segment_ptr 1\n\
         .amdhsa_next_free_vgpr 32\n.amdhsa_next_free_sgpr 48\n.amdhsa_wavefront_size32 1\n.end_amdhsa_kernel\n"
    );
    let object = CodeObject::parse(&assembled(&text)).unwrap();
    let vm = Vm::new().unwrap();
    let image = object.image(CODE);
    vm.map_fresh(CODE, image.len() as u64, PageFlags::ALL, "code").unwrap();
    let words = |va: u64, bytes: &[u8]| {
        let whole = bytes.iter().enumerate();
        whole.for_each(|(k, b)| vm.write(va + k as u64, b).unwrap());
    };
    words(CODE, &image);
    vm.add_code(CODE, Arc::new(object.clone()));
    vm.map_fresh(ARGS, 64, PageFlags::ALL, "arguments").unwrap();
    words(ARGS, &OUT.to_le_bytes());
    vm.map_fresh(OUT, NUMBERS, PageFlags::ALL, "pixels").unwrap();
    let launch = Launch {
        descriptor: CODE + object.kernels[0].descriptor_vaddr,
        kernarg: ARGS,
        grid: [NUMBERS as u32, 1, 1],
        workgroup: [256, 1, 1],
        lds: 0,
    };
    Simulator::new().with_threads(1).run(&launch, &vm).unwrap();
    let chunks = (0..NUMBERS / 256).flat_map(|k| vm.read::<[u8; 256]>(OUT + 256 * k).unwrap());
    chunks.collect()
}
