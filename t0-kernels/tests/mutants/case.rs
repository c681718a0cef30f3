//! A kernel with launches that exercise it: memory laid out by hand, the simulated card watching, the outputs compared with
//! references.
//!
//! Each buffer has its own mapping and exact size; behind it, up to the end of its last page, lies a guard. Argument blocks are
//! written as `t0_ir::abi` describes them.

use std::sync::Arc;

use t0::ir::abi::layout;
use t0::ir::{Func, Report};
use t0::Kernel;
use t0_backend_rdna3::object::CodeObject;
use t0_backend_rdna3::target::GFX1100;
use t0_backend_rdna3::{compile, Options};
use t0_sim::driver::{ExecFault, Finding, PageFlags, Vm, PAGE};
use t0_sim::{Launch, Simulator, Stored, Written};

/// Instructions of one wave before it counts as endless; the longest correct one here needs a tenth.
const BUDGET: u64 = 50_000;
const GUARD: u8 = 0x5e;
pub const POISON: u8 = 0xa5;
const CODE: u64 = 0x7000_0000_0000;
const KERNARG: u64 = 0x7100_0000_0000;
const REPORT: u64 = 0x7200_0000_0000;
/// `s_code_end`, which pads loaded code.
const CODE_END: u32 = 0xbf9f_0000;

/// Memory of one parameter: bytes at offsets, zeros between.
#[derive(Clone)]
pub struct Buf {
    pub size: u64,
    pub pieces: Vec<(u64, Vec<u8>)>,
}

impl Buf {
    pub fn of(bytes: Vec<u8>) -> Buf {
        Buf {
            size: bytes.len() as u64,
            pieces: vec![(0, bytes)],
        }
    }

    pub fn f32s(v: &[f32]) -> Buf {
        Buf::of(v.iter().flat_map(|x| x.to_le_bytes()).collect())
    }

    pub fn poisoned(bytes: usize) -> Buf {
        Buf::of(vec![POISON; bytes])
    }
}

/// An argument: values and sizes in elements.
#[derive(Clone)]
pub enum Arg {
    Scalar(u32),
    Slice(Buf, u32),
    /// Rows, columns, stride.
    Mat(Buf, [u32; 3]),
}

/// A place in a buffer: its number (scalars do not count), the byte in its pieces, and how many.
pub type At = (usize, usize, usize);

/// What is wrong with a buffer after a launch.
#[derive(Clone, Debug)]
pub struct Wrong {
    /// `values`, `poison` or `guard`.
    pub kind: &'static str,
    pub text: String,
    /// Where, if that is in a buffer.
    pub at: Option<At>,
    /// Something was to be written and was not.
    pub missing: bool,
    /// The stores that are named for it.
    pub stores: Vec<Stored>,
}

impl Wrong {
    /// A wrong value of `bytes` bytes.
    pub fn value(buffer: usize, at: usize, bytes: usize, text: String) -> Wrong {
        Wrong {
            kind: "values",
            text,
            at: Some((buffer, at, bytes)),
            missing: false,
            stores: Vec::new(),
        }
    }
}

/// Compares the bytes of all buffers with what they should be.
pub type Check = Arc<dyn Fn(&[Vec<u8>]) -> Result<(), Wrong> + Send + Sync>;

/// How a launch departs from what the kernel asks for.
#[derive(Clone, Default)]
pub struct Odd {
    /// Work-items of a workgroup.
    pub group: Option<u32>,
    /// LDS of a workgroup.
    pub lds: Option<u32>,
    /// An argument whose memory is freed.
    pub freed: Option<usize>,
    /// Bytes missing at the end of the argument block.
    pub short: usize,
    /// All arguments are in system memory.
    pub host: bool,
    /// Indices are out of range and read 0: not for a kernel that checks them.
    pub past: bool,
    /// Where buffers and arguments are.
    pub where_: Where,
}

/// Where buffers and arguments are. An address taken for a size makes a buffer empty where its half is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Where {
    /// Buffers begin on the last page of 4 GiB, so that sums of addresses carry.
    #[default]
    Crossing,
    /// The lower halves of their addresses are 0.
    Aligned,
    /// The upper halves are 0, that of the arguments' address among them.
    Low,
}

/// One launch.
#[derive(Clone)]
pub struct Shot {
    pub args: Vec<Arg>,
    pub groups: [u32; 3],
    pub check: Check,
    pub odd: Odd,
}

/// A kernel and its launches.
#[derive(Clone)]
pub struct Case {
    pub name: &'static str,
    pub func: Option<Func>,
    /// The kernel with checked indices, if it has any to check.
    pub checked: Option<Func>,
    pub object: Vec<u8>,
    pub group: u32,
    pub shots: Vec<Shot>,
}

/// What the simulated card said.
pub struct Ran {
    pub findings: Vec<Finding>,
    pub fault: Option<ExecFault>,
    /// What a failed check of the kernel itself wrote.
    pub report: Option<Report>,
    /// Accesses at or past the length of a buffer.
    pub swallowed: u64,
    /// Wave instructions.
    pub instructions: u64,
    pub values: Result<(), Wrong>,
    /// The bytes of all buffers.
    pub memory: Vec<Vec<u8>>,
    /// Who stored where that was asked.
    pub asked: Vec<Stored>,
}

/// Stores that are named for something that nobody wrote.
const NAMED: usize = 3;

impl Case {
    pub fn of<K: Kernel>(name: &'static str, shots: Vec<Shot>) -> Case {
        let checked = K::ENTRY.stage_checked(&K::consts()).unwrap();
        Case {
            checked: Some(checked).filter(|f| !f.sites.is_empty()),
            ..Case::of_func(name, K::stage().unwrap(), shots)
        }
    }

    pub fn of_func(name: &'static str, func: Func, shots: Vec<Shot>) -> Case {
        Case {
            name,
            object: build(&func).unwrap(),
            group: func.group,
            func: Some(func),
            checked: None,
            shots,
        }
    }

    pub fn of_object(name: &'static str, object: Vec<u8>, group: u32, shots: Vec<Shot>) -> Case {
        Case {
            name,
            func: None,
            checked: None,
            object,
            group,
            shots,
        }
    }

    /// The launches in which all indices are in range.
    pub fn in_range(&self) -> Vec<Shot> {
        self.shots.iter().filter(|s| !s.odd.past).cloned().collect()
    }

    /// The kernel as it was written, without the passes that make it fast; none of an assembled one.
    pub fn plain(&self) -> Option<Vec<u8>> {
        let options = Options {
            plain: true,
            ..Options::default()
        };
        self.func.as_ref().map(|f| build_with(f, &options).unwrap())
    }

    /// Runs launch `shot` of a code object with this case's arguments.
    pub fn run(&self, object: &CodeObject, shot: &Shot) -> Ran {
        self.run_asking(object, shot, None)
    }

    /// The same; whatever it stored, who stored there is asked.
    pub fn run_asking(&self, object: &CodeObject, shot: &Shot, ask: Option<At>) -> Ran {
        let vm = Vm::new().unwrap();
        let mut image = object.image(CODE);
        image.resize(image.len().next_multiple_of(4), 0);
        (0..64).for_each(|_| image.extend(CODE_END.to_le_bytes()));
        vm.map_fresh(CODE, image.len() as u64, PageFlags::ALL, "code").unwrap();
        put(&vm, CODE, &image);
        let kernel = &object.kernels[0];
        vm.add_code(CODE, Arc::new(object.clone()));

        let mut block = self.arguments(&vm, shot);
        if kernel.descriptor.kernarg_bytes as usize > block.len() {
            // Checked indices: the address of the report comes last.
            vm.map_fresh(REPORT, 4 * u64::from(Report::WORDS), PageFlags::ALL, "report")
                .unwrap();
            block.resize(block.len().next_multiple_of(8), 0);
            block.extend(REPORT.to_le_bytes());
        }
        block.truncate(block.len() - shot.odd.short);
        let kernarg = kernarg(&shot.odd);
        vm.map_fresh(kernarg, block.len() as u64, PageFlags::ALL, "arguments")
            .unwrap();
        put(&vm, kernarg, &block);
        vm.guard(kernarg);

        let group = shot.odd.group.unwrap_or(self.group);
        let launch = Launch {
            descriptor: CODE + kernel.descriptor_vaddr,
            kernarg,
            grid: [shot.groups[0] * group, shot.groups[1], shot.groups[2]],
            workgroup: [group, 1, 1],
            lds: shot.odd.lds.unwrap_or(kernel.descriptor.group_segment_bytes),
        };
        let card = Simulator::new()
            .with_budget(BUDGET)
            .with_threads(1)
            .with_sanitizer(true);
        card.keep_written(true);
        match card.run(&launch, &vm) {
            Ok(stats) => {
                let (memory, values, asked) = self.outputs(&vm, shot, &card.take_written().unwrap(), ask);
                Ran {
                    swallowed: stats.out_of_range,
                    instructions: stats.instructions,
                    findings: stats.findings,
                    fault: None,
                    report: report(&vm),
                    values,
                    memory,
                    asked,
                }
            }
            Err(fault) => Ran {
                swallowed: 0,
                instructions: 0,
                findings: fault.findings.clone(),
                fault: Some(fault),
                report: report(&vm),
                values: Ok(()),
                memory: Vec::new(),
                asked: Vec::new(),
            },
        }
    }

    /// Maps and fills the buffers, and makes the argument block.
    fn arguments(&self, vm: &Vm, shot: &Shot) -> Vec<u8> {
        let mut block = Vec::new();
        for (i, arg) in shot.args.iter().enumerate() {
            let buf = match arg {
                Arg::Scalar(bits) => {
                    block.extend(bits.to_le_bytes());
                    continue;
                }
                Arg::Slice(buf, _) | Arg::Mat(buf, _) => buf,
            };
            let va = address(i, &shot.odd);
            let flags = PageFlags {
                vram: !shot.odd.host,
                ..PageFlags::ALL
            };
            vm.map_fresh(va, buf.size, flags, &format!("argument {i}")).unwrap();
            buf.pieces.iter().for_each(|(at, bytes)| put(vm, va + at, bytes));
            let end = va + buf.size;
            let guard = end.next_multiple_of(PAGE) - end;
            put(vm, end, &vec![GUARD; guard as usize]);
            if shot.odd.freed == Some(i) {
                vm.forget(va);
                vm.unmap(va);
            }
            block.resize(block.len().next_multiple_of(8), 0);
            block.extend(va.to_le_bytes());
            let words = match arg {
                Arg::Slice(_, len) => vec![*len, 0],
                Arg::Mat(_, [rows, cols, stride]) => vec![*rows, *cols, *stride, (rows - 1) * stride + cols],
                Arg::Scalar(_) => vec![],
            };
            block.extend(words.iter().flat_map(|w| w.to_le_bytes()));
        }
        if let Some(f) = &self.func {
            assert_eq!(layout(&f.params).1 as usize, block.len(), "{}", self.name);
        }
        block
    }

    /// The bytes of all buffers after a launch, and what is wrong with guards and values.
    fn outputs(
        &self,
        vm: &Vm,
        shot: &Shot,
        written: &Written,
        ask: Option<At>,
    ) -> (Vec<Vec<u8>>, Result<(), Wrong>, Vec<Stored>) {
        let buffers = shot.args.iter().enumerate().filter_map(|(i, arg)| match arg {
            Arg::Slice(buf, _) | Arg::Mat(buf, _) => Some((i, buf)),
            Arg::Scalar(_) => None,
        });
        let buffers: Vec<(usize, &Buf)> = buffers.filter(|_| shot.odd.freed.is_none()).collect();
        let mut memory = Vec::new();
        for &(i, buf) in &buffers {
            let pieces = buf.pieces.iter();
            let bytes = pieces.flat_map(|(at, bytes)| get(vm, address(i, &shot.odd) + at, bytes.len() as u64));
            memory.push(bytes.collect());
        }
        for &(i, buf) in &buffers {
            let end = address(i, &shot.odd) + buf.size;
            let guard = get(vm, end, end.next_multiple_of(PAGE) - end);
            if let Some(k) = guard.iter().position(|&b| b != GUARD) {
                let wrong = Wrong {
                    kind: "guard",
                    at: None,
                    stores: written.last(end + k as u64, 1).into_iter().collect(),
                    ..Wrong::value(0, 0, 0, format!("something was written behind argument {i}"))
                };
                return (memory, Err(wrong), Vec::new());
            }
        }
        if buffers.is_empty() {
            return (memory, Ok(()), Vec::new());
        }
        let who = |(k, at, len): At, missing| {
            let (i, buf) = buffers[k];
            stores(written, address(i, &shot.odd), buf, (at, len), missing)
        };
        let values = (shot.check)(&memory).map_err(|mut wrong| {
            if let Some(at) = wrong.at {
                wrong.stores = who(at, wrong.missing);
            }
            wrong
        });
        let asked = ask.map(|at| who(at, false)).unwrap_or_default();
        (memory, values, asked)
    }
}

/// The stores that a failing `#[kernel_test]` names for a byte of a buffer's pieces.
fn stores(written: &Written, base: u64, buf: &Buf, (mut at, len): (usize, usize), missing: bool) -> Vec<Stored> {
    let mut va = base;
    for (from, bytes) in &buf.pieces {
        va = base + from + at as u64;
        if at < bytes.len() {
            break;
        }
        at -= bytes.len();
    }
    let last = written.last(va, len as u64).filter(|_| !missing);
    let mut all: Vec<Stored> = last.into_iter().collect();
    // Rows that lie far apart have too much between them to look through.
    if all.is_empty() && buf.size < 1 << 24 {
        all = written.around(va, base..base + buf.size, NAMED);
    }
    if all.is_empty() {
        all = written.all(NAMED);
    }
    all
}

/// The report of a failed check.
fn report(vm: &Vm) -> Option<Report> {
    let word = |i: usize| vm.read::<u32>(REPORT + 4 * i as u64).unwrap_or(0);
    Report::from_words(&std::array::from_fn(word))
}

/// Buffers far apart: what leaves one reaches no other.
fn address(i: usize, odd: &Odd) -> u64 {
    let far = ((i as u64 + 1) << 36) + (1 << 32);
    match odd.where_ {
        Where::Crossing => far - PAGE,
        Where::Aligned => far,
        Where::Low => (i as u64 + 1) << 28,
    }
}

fn kernarg(odd: &Odd) -> u64 {
    match odd.where_ {
        Where::Low => 1 << 24,
        _ => KERNARG,
    }
}

/// Compiles a kernel.
pub fn build(func: &Func) -> Result<Vec<u8>, String> {
    build_with(func, &Options::default())
}

fn build_with(func: &Func, options: &Options) -> Result<Vec<u8>, String> {
    let done = compile(func, &GFX1100, options);
    done.map(|c| c.code_object).map_err(|e| e.to_string())
}

fn put(vm: &Vm, va: u64, bytes: &[u8]) {
    let chunks = bytes.chunks_exact(256);
    let rest = chunks.remainder();
    let done = (bytes.len() - rest.len()) as u64;
    for (i, c) in chunks.enumerate() {
        let whole: [u8; 256] = c.try_into().unwrap();
        vm.write(va + 256 * i as u64, &whole).unwrap();
    }
    for (i, b) in rest.iter().enumerate() {
        vm.write(va + done + i as u64, b).unwrap();
    }
}

fn get(vm: &Vm, va: u64, len: u64) -> Vec<u8> {
    let mut out = Vec::with_capacity(len as usize);
    while out.len() as u64 + 256 <= len {
        out.extend(vm.read::<[u8; 256]>(va + out.len() as u64).unwrap());
    }
    while (out.len() as u64) < len {
        out.push(vm.read::<u8>(va + out.len() as u64).unwrap());
    }
    out
}

/// The f32 values of a buffer.
pub fn floats(bytes: &[u8]) -> Vec<f32> {
    let word = |c: &[u8]| f32::from_le_bytes([c[0], c[1], c[2], c[3]]);
    bytes.chunks_exact(4).map(word).collect()
}

/// Compares the f32 values of buffer `k` with a reference; `None` where nothing may be written. What is not written at all is
/// told apart.
pub fn same(buffers: &[Vec<u8>], k: usize, want: &[Option<f64>], tolerance: f64) -> Result<(), Wrong> {
    for (i, (c, want)) in buffers[k].chunks_exact(4).zip(want).enumerate() {
        let untouched = c.iter().all(|&b| b == POISON);
        let value = floats(c)[0];
        let wrong = |text| Err(Wrong::value(k, 4 * i, 4, text));
        let poison = |missing, text| {
            Err(Wrong {
                kind: "poison",
                missing,
                ..Wrong::value(k, 4 * i, 4, text)
            })
        };
        match want {
            None if untouched => {}
            None => return poison(false, format!("element {i} was written ({value})")),
            Some(w) if untouched => return poison(true, format!("element {i} was not written, {w} expected")),
            Some(w) => {
                let error = (f64::from(value) - w).abs();
                if f64::from(value) == *w {
                    continue;
                }
                if error.is_nan() || error > tolerance * w.abs() + 1e-37 {
                    return wrong(format!("element {i} is {value}, {w} expected"));
                }
            }
        }
    }
    Ok(())
}
