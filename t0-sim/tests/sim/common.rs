//! Assembling short programs from text and running them on the simulator.
#![allow(dead_code, clippy::unwrap_used)]

use std::collections::HashMap;
use std::sync::Arc;

use t0_backend_rdna3::isa::{self, Operand};
use t0_backend_rdna3::object::CodeObject;
use t0_backend_rdna3::target::{Target, GFX1100};
use t0_sim::driver::{ExecFault, PageFlags, Vm};
use t0_sim::wave::{Row, Wave};
use t0_sim::Simulator;

/// MODE of t0's and LLVM's kernels: round to nearest, all denormals, DX10 clamp, IEEE.
pub const MODE: u32 = 0x3f0;

/// Machine code of the lines; `name:` lines are labels, `s_branch name` refers to them, `s_branch 5` counts dwords. `;` and `//` start comments.
pub fn assemble(text: &str) -> Vec<u8> {
    assemble_for(text, &GFX1100)
}

/// The same for another card.
pub fn assemble_for(text: &str, target: &Target) -> Vec<u8> {
    let lines: Vec<&str> = text
        .lines()
        .map(|l| l.split("//").next().unwrap().split(';').next().unwrap().trim())
        .filter(|l| !l.is_empty())
        .collect();
    let mut labels = HashMap::new();
    let mut code = Vec::new();
    let mut patches = Vec::new();
    for line in lines {
        if let Some(name) = line.strip_suffix(':') {
            labels.insert(name.to_string(), code.len());
            continue;
        }
        let (op, rest) = line.split_once(' ').unwrap_or((line, ""));
        let counted = rest.starts_with(|c: char| c.is_ascii_digit());
        let branch = (op.starts_with("s_branch") || op.starts_with("s_cbranch")) && !counted;
        let text = if branch { format!("{op} 0") } else { line.to_string() };
        let inst = isa::parse(&text, target).unwrap_or_else(|e| panic!("`{line}`: {e}"));
        if branch {
            patches.push((code.len(), rest.trim().to_string(), inst.clone()));
        }
        code.extend(isa::encode(&inst, target).unwrap_or_else(|e| panic!("`{line}`: {e}")));
    }
    for (at, label, mut inst) in patches {
        let to = *labels.get(&label).unwrap_or_else(|| panic!("no label `{label}`"));
        inst.operands = vec![Operand::Imm((to as i64 - at as i64 - 4) / 4)];
        code[at..at + 4].copy_from_slice(&isa::encode(&inst, target).unwrap());
    }
    code
}

/// One wave and the memory it can reach.
pub struct Machine {
    pub wave: Wave,
    pub vm: Vm,
    pub lds: Vec<u8>,
}

impl Machine {
    pub fn new() -> Machine {
        Machine {
            wave: Wave::new(96, MODE),
            vm: Vm::new().unwrap(),
            lds: Vec::new(),
        }
    }

    /// A machine with a wave of 64 lanes.
    pub fn wave64() -> Machine {
        Machine {
            wave: Wave::with_lanes(64, 96, MODE),
            ..Machine::new()
        }
    }

    pub fn set_v64(&mut self, r: usize, f: impl Fn(usize) -> u32) -> &mut Machine {
        (0..64).for_each(|l| self.wave.set_lane(r, l, f(l)));
        self
    }

    pub fn v64(&self, r: usize) -> Vec<u32> {
        (0..64).map(|l| self.wave.lane(r, l)).collect()
    }

    pub fn set_v(&mut self, r: usize, row: Row) -> &mut Machine {
        *self.wave.v_mut(r) = row;
        self
    }

    pub fn set_s(&mut self, r: usize, v: u32) -> &mut Machine {
        self.wave.set_s(r, v);
        self
    }

    pub fn set_s64(&mut self, r: usize, v: u64) -> &mut Machine {
        self.wave.set_s64(r, v);
        self
    }

    pub fn v(&self, r: usize) -> Row {
        *self.wave.v(r)
    }

    pub fn s(&self, r: usize) -> u32 {
        self.wave.sgpr[r]
    }

    /// Maps a named buffer and fills it.
    pub fn buffer(&mut self, va: u64, name: &str, data: &[u32]) {
        let p = self
            .vm
            .map_fresh(va, 4 * data.len() as u64, PageFlags::ALL, name)
            .unwrap();
        for (k, d) in data.iter().enumerate() {
            // SAFETY: `map_fresh` gave at least 4 * data.len() bytes.
            unsafe { p.cast::<u32>().add(k).write(*d) };
        }
    }

    pub fn memory(&self, va: u64, n: usize) -> Vec<u32> {
        read(&self.vm, va, n)
    }

    pub fn run(&mut self, text: &str) -> Result<(), ExecFault> {
        self.run_code(&assemble(&format!("{text}\ns_endpgm")))
    }

    pub fn run_code(&mut self, code: &[u8]) -> Result<(), ExecFault> {
        self.wave.state = t0_sim::wave::WaveState::Running;
        let lds = std::mem::take(&mut self.lds);
        self.lds = Simulator::new()
            .with_budget(100_000)
            .run_wave(code, &mut self.wave, lds, &self.vm)?;
        Ok(())
    }
}

/// Dwords from GPU memory.
pub fn read(vm: &Vm, va: u64, n: usize) -> Vec<u32> {
    let p = vm
        .resolve(va, 4 * n as u64, t0_sim::driver::Access::Read)
        .unwrap()
        .as_ptr();
    // SAFETY: `resolve` vouches for 4 * n bytes.
    (0..n).map(|k| unsafe { p.cast::<u32>().add(k).read() }).collect()
}

/// A kernel in GPU memory at `va`: a descriptor, then the code 256 bytes later.
pub struct Kernel {
    pub vgprs: u32,
    /// compute_pgm_rsrc2 bits besides the user SGPR count.
    pub rsrc2: u32,
    pub user_sgprs: u32,
    pub lds: u32,
    /// Bytes of private memory per work-item.
    pub private: u32,
    /// 32 or 64.
    pub lanes: u32,
    /// Bytes of the arguments; 0: the descriptor does not say.
    pub kernarg: u32,
    /// Workgroups use both CUs of a WGP, each with an L0 of its own.
    pub wgp: bool,
}

impl Default for Kernel {
    /// Kernarg pointer in s[0:1], workgroup x, y, z in s13, s14, s15, work-item ids of three dimensions in v0.
    fn default() -> Self {
        Kernel {
            vgprs: 96,
            rsrc2: 7 << 7 | 2 << 11,
            user_sgprs: 13,
            lds: 0,
            private: 0,
            lanes: 32,
            kernarg: 0,
            wgp: false,
        }
    }
}

impl Kernel {
    pub fn load(&self, vm: &Vm, va: u64, name: &str, text: &str) {
        let code = assemble_for(text, &GFX1100.with_wave_size(self.lanes));
        let mut image = vec![0u32; 64];
        image[0] = self.lds;
        image[1] = self.private;
        image[2] = self.kernarg;
        image[4] = 256;
        let unit = if self.lanes == 64 { 4 } else { 8 };
        image[12] =
            (self.vgprs.div_ceil(unit) - 1) | 0xf << 16 | 1 << 21 | 1 << 23 | u32::from(self.wgp) << 29 | 1 << 30;
        image[13] = self.user_sgprs << 1 | self.rsrc2;
        image[14] = 1 << 3 | u32::from(self.lanes == 32) << 10;
        image.extend(code.chunks_exact(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())));
        image.extend([0xbf9f_0000; 64]);
        let p = vm.map_fresh(va, 4 * image.len() as u64, PageFlags::ALL, name).unwrap();
        for (k, d) in image.iter().enumerate() {
            // SAFETY: `map_fresh` gave at least 4 * image.len() bytes.
            unsafe { p.cast::<u32>().add(k).write(*d) };
        }
    }
}

/// xorshift.
pub struct Rng(pub u64);
impl Rng {
    pub fn u64(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    pub fn u32(&mut self) -> u32 {
        (self.u64() >> 20) as u32
    }
    pub fn row(&mut self) -> Row {
        std::array::from_fn(|_| self.u32())
    }
}

/// f32 patterns worth trying.
pub const EDGES_F32: [u32; 20] = [
    0,
    0x8000_0000,
    1,
    0x8000_0001,
    0x007f_ffff,
    0x0080_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x3f00_0000,
    0x4000_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0xffc0_1234,
    0x7f80_0001,
    0x3eaa_aaab,
    0x4b00_0001,
    0xcf00_0000,
];

/// Integers worth trying.
pub const EDGES_INT: [u32; 16] = [
    0,
    1,
    2,
    31,
    32,
    33,
    0x7f,
    0x80,
    0xffff,
    0x8000,
    0x10000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_fffe,
    0xffff_ffff,
    0x1234_5678,
];

/// Rows that pair every edge with every other.
pub fn pairs(edges: &[u32]) -> Vec<(Row, Row)> {
    let all: Vec<(u32, u32)> = edges.iter().flat_map(|&a| edges.iter().map(move |&b| (a, b))).collect();
    all.chunks(32)
        .map(|c| {
            let get = |l: usize| c[l % c.len()];
            (std::array::from_fn(|l| get(l).0), std::array::from_fn(|l| get(l).1))
        })
        .collect()
}

/// Up to eight kernel arguments that are addresses, in a page of their own.
pub fn pointers(vm: &Vm, at: u64, values: &[u64]) {
    let args = vm.map_fresh(at, 64, PageFlags::ALL, "kernarg").unwrap();
    for (k, v) in values.iter().enumerate() {
        // SAFETY: a fresh page.
        unsafe { args.cast::<u64>().add(k).write(*v) };
    }
}

/// A code object in GPU memory at `va`, with all that it tells; the address of its first kernel's descriptor.
pub fn load_object(vm: &Vm, va: u64, file: &[u8]) -> u64 {
    let object = Arc::new(CodeObject::parse(file).unwrap());
    let image = object.image(va);
    let len = (image.len() as u64).next_multiple_of(4096);
    let host = vm.map_fresh(va, len, PageFlags::ALL, "code").unwrap();
    // SAFETY: the mapping is fresh and at least this long.
    unsafe { std::ptr::copy_nonoverlapping(image.as_ptr(), host, image.len()) };
    vm.add_code(va, object.clone());
    va + object.kernels[0].descriptor_vaddr
}
