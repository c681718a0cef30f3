//! Runs a compiled kernel on the simulator with the arguments of an interpreter launch.

use t0_backend_rdna3::check;
use t0_backend_rdna3::errata::Severity;
use t0_backend_rdna3::object::CodeObject;
use t0_ir::abi;
use t0_ir::interp::{Arg, Memory};
use t0_ir::testing::Case;
use t0_sim::driver::{PageFlags, Vm};
use t0_sim::{Launch, Simulator};

const CODE: u64 = 0x10_0000;
const ARGS: u64 = 0x80_0000;
const PACKET: u64 = 0x90_0000;
const DATA: u64 = 0x1_0000_0000;
const PAGE: u64 = 4096;
/// Names of the sanitizer's rules.
pub type Rules = std::collections::BTreeSet<&'static str>;

/// Bytes around every buffer that must not change.
const GUARD: u64 = 256;
const POISON: u8 = 0xa5;

/// Runs a case's kernel from its code object; the memory after it, or what went wrong.
pub fn run(case: &Case, code_object: &[u8]) -> Result<Memory, String> {
    run_with(case, code_object, false).map(|r| r.0)
}

/// [`run`], under the sanitizer or not, and the rules it found broken.
pub fn run_with(case: &Case, code_object: &[u8], sanitize: bool) -> Result<(Memory, Rules), String> {
    let vm = Vm::new().unwrap();
    let object = CodeObject::parse(code_object).map_err(|e| e.to_string())?;
    for s in &object.segments {
        load(&vm, CODE + s.vaddr, s.memsz, &s.bytes);
    }
    let kernel = &object.kernels[0];
    let (slots, size) = abi::layout(&case.func.params);
    let mut kernarg = vec![0u8; size.max(16) as usize];
    let mut buffers = Vec::new();
    for (slot, arg) in slots.iter().zip(&case.args) {
        let at = slot.offset as usize;
        match arg {
            Arg::Scalar(c) => {
                kernarg[at..at + slot.size as usize].copy_from_slice(&c.bits.to_le_bytes()[..slot.size as usize])
            }
            Arg::Slice { .. } | Arg::Mat { .. } => {
                let (base, sizes) = sizes(*arg);
                let va = DATA + buffers.len() as u64 * 0x100_0000 + GUARD;
                let content = case.memory.buffer(base).unwrap();
                let mut image = vec![POISON; GUARD as usize];
                image.extend(content);
                image.resize(image.len() + GUARD as usize, POISON);
                load(&vm, va - GUARD, image.len() as u64, &image);
                buffers.push((base, va, content.len()));
                kernarg[at..at + 8].copy_from_slice(&va.to_le_bytes());
                for (i, n) in sizes.iter().enumerate() {
                    kernarg[at + 8 + 4 * i..at + 12 + 4 * i].copy_from_slice(&n.to_le_bytes());
                }
            }
        }
    }
    load(&vm, ARGS, kernarg.len() as u64, &kernarg);
    let group = case.func.group;
    let launch = Launch {
        descriptor: CODE + kernel.descriptor_vaddr,
        kernarg: ARGS,
        grid: [case.groups[0] * group, case.groups[1], case.groups[2]],
        workgroup: [group, 1, 1],
        lds: kernel.descriptor.group_segment_bytes,
    };
    let mut packet = [0u8; 64];
    packet[4..6].copy_from_slice(&(group as u16).to_le_bytes());
    packet[6..10].copy_from_slice(&[1, 0, 1, 0]);
    for (axis, n) in launch.grid.iter().enumerate() {
        packet[12 + 4 * axis..16 + 4 * axis].copy_from_slice(&n.to_le_bytes());
    }
    load(&vm, PACKET, 64, &packet);
    let simulator = Simulator::new()
        .with_threads(1)
        .with_budget(20_000_000)
        .with_sanitizer(sanitize);
    let stats = simulator.run_packet(&launch, PACKET, &vm).map_err(|e| e.to_string())?;
    let mut memory = case.memory.clone();
    for (base, va, len) in buffers {
        let image = read(&vm, va - GUARD, len as u64 + 2 * GUARD);
        let (front, rest) = image.split_at(GUARD as usize);
        let (content, back) = rest.split_at(len);
        if front.iter().chain(back).any(|&b| b != POISON) {
            return Err(format!("wrote outside the buffer at {va:#x}"));
        }
        memory.write(base, len as u64).unwrap().copy_from_slice(content);
    }
    Ok((memory, stats.findings.iter().map(|f| f.rule).collect()))
}

/// Address of a buffer argument and the words after it in the argument block, see [`abi`].
fn sizes(arg: Arg) -> (u64, Vec<u32>) {
    match arg {
        Arg::Slice { base, len } => (base, vec![len]),
        Arg::Mat {
            base,
            rows,
            cols,
            stride,
        } => {
            let len = if rows == 0 || cols == 0 {
                0
            } else {
                (rows - 1) * stride + cols
            };
            (base, vec![rows, cols, stride, len])
        }
        Arg::Scalar(_) => (0, Vec::new()),
    }
}

fn load(vm: &Vm, va: u64, len: u64, bytes: &[u8]) {
    let start = va / PAGE * PAGE;
    let end = (va + len.max(bytes.len() as u64)).next_multiple_of(PAGE);
    let host = vm.map_fresh(start, end - start, PageFlags::ALL, "test").unwrap();
    // SAFETY: the mapping is fresh, at least this long and nobody else knows it.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), host.add((va - start) as usize), bytes.len()) };
}

fn read(vm: &Vm, va: u64, len: u64) -> Vec<u8> {
    (0..len).map(|i| vm.read::<u8>(va + i).unwrap()).collect()
}

/// What `t0 check` calls an error in compiled code.
pub fn findings(object: &CodeObject) -> Vec<String> {
    let options = check::Options {
        compiled: true,
        ..check::Options::default()
    };
    let all = check::check(object, &options).into_iter().flat_map(|r| r.findings);
    let errors = all.filter(|f| f.severity == Severity::Error);
    errors.map(|f| f.to_string()).collect()
}
