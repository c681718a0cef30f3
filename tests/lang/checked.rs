//! Checked indices: a kernel stops at the first index out of range and says which, on the simulated card and in the
//! interpreter alike; what is in range is as without checks.
// Odd code is the point here.
#![allow(clippy::all)]

use std::sync::Arc;

use t0::ir::interp::{self, Arg, InterpError, Memory};
use t0::ir::{text, verify, Effect, OpKind};
use t0::prelude::*;
use t0::{Error, OutOfRange, Submission};
use t0_kernels::{edges, gemm, reduce, saxpy, softmax};

/// Everything these kernels use. `x` has 100 elements, `m` 5 rows of 9 elements, 12 apart, `bins` 10 elements.
struct Data {
    n: u32,
    at: Vec<u32>,
    x: Vec<u32>,
    m: Vec<u32>,
}

const ROWS: usize = 5;
const COLS: usize = 9;
const STRIDE: usize = 12;
const BINS: usize = 10;

impl Data {
    /// 150 work-items with this index each.
    fn new(at: impl Fn(usize) -> u32) -> Data {
        Data {
            n: 3,
            at: (0..150).map(at).collect(),
            x: (0..100).map(|i| i * i + 1).collect(),
            m: (0..45).map(|i| i * 3 + 2).collect(),
        }
    }
}

struct Buffers {
    at: Buffer<u32>,
    x: Buffer<u32>,
    m: MatBuffer<u32>,
    bins: Buffer<u32>,
    y: Buffer<u32>,
}

type Launch = fn(&Queue, u32, &mut Buffers) -> t0::Result<Submission>;

macro_rules! launch {
    ($kernel:ident) => {{
        fn launch(q: &Queue, n: u32, b: &mut Buffers) -> t0::Result<Submission> {
            q.launch($kernel {
                n: n as usize,
                at: &b.at,
                x: &b.x,
                m: &b.m,
                bins: &mut b.bins,
                y: &mut b.y,
            })
        }
        launch as Launch
    }};
}

fn gpu() -> (Gpu, Queue) {
    let gpu = Gpu::simulated().unwrap();
    let q = gpu.queue().unwrap();
    (gpu, q)
}

fn buffers(gpu: &Gpu, d: &Data) -> Buffers {
    Buffers {
        at: gpu.upload(&d.at).unwrap(),
        x: gpu.upload(&d.x).unwrap(),
        m: gpu.upload_mat_strided(ROWS, COLS, STRIDE, &d.m).unwrap(),
        bins: gpu.upload(&[0; BINS]).unwrap(),
        y: gpu.upload(&vec![77; d.at.len()]).unwrap(),
    }
}

fn stopped(e: Error) -> Arc<OutOfRange> {
    match e {
        Error::OutOfRange { stop, .. } => stop,
        other => panic!("{other}"),
    }
}

/// What the interpreter says, and what it leaves in y.
fn interpret<K: Kernel>(d: &Data) -> (Result<interp::Stats, InterpError>, Vec<u32>) {
    let mut func = K::ENTRY.stage_checked(&K::consts()).unwrap();
    if let Err(e) = verify::verify(&func) {
        panic!("{}\n{}", e.render(&func.files), text::print(&func));
    }
    let reread = text::parse(&text::print(&func)).unwrap();
    assert_eq!(reread.sites, func.sites);
    let before = run(&func, d);
    t0::ir::passes::optimize(&mut func, &Default::default()).unwrap();
    let after = run(&func, d);
    assert_eq!(before, after, "{}", text::print(&func));
    after
}

fn run(func: &t0::ir::Func, d: &Data) -> (Result<interp::Stats, InterpError>, Vec<u32>) {
    let bytes = |v: &[u32]| v.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let mut padded = Vec::new();
    for row in d.m.chunks(COLS) {
        padded.extend(row);
        padded.resize(padded.len().next_multiple_of(STRIDE), 0);
    }
    let mut memory = Memory::new();
    let len = d.at.len() as u32;
    let [at, x, m] = [&d.at, &d.x, &padded].map(|v| memory.alloc(&bytes(v)));
    let (bins, y) = (
        memory.alloc(&[0; 4 * BINS]),
        memory.alloc(&bytes(&vec![77; d.at.len()])),
    );
    let args = [
        Arg::Scalar(t0::ir::Const::new(t0::ir::Scalar::U32, d.n.into())),
        Arg::Slice { base: at, len },
        Arg::Slice {
            base: x,
            len: d.x.len() as u32,
        },
        Arg::Mat {
            base: m,
            rows: ROWS as u32,
            cols: COLS as u32,
            stride: STRIDE as u32,
        },
        Arg::Slice {
            base: bins,
            len: BINS as u32,
        },
        Arg::Slice { base: y, len },
    ];
    let groups = [len.div_ceil(func.group), 1, 1];
    let ran = interp::run(func, &args, &mut memory, groups).map(|s| interp::Stats { ops: 0, ..s });
    let y = memory.buffer(y).unwrap().chunks(4);
    (ran, y.map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect())
}

/// Launches a kernel on the simulated card and in the interpreter, with one work-item out of range; checks that both stop
/// there and leave the same; returns the stop.
fn stops<K: Kernel>(launch: Launch, d: &Data) -> Arc<OutOfRange> {
    let (ran, interpreted) = interpret::<K>(d);
    let Err(InterpError::Index { text, span, report }) = ran else {
        panic!("{ran:?}");
    };
    let mut stop = None;
    for plain in [false, true] {
        let (gpu, q) = gpu();
        let q = q.with_checked(true).with_plain_code(plain);
        let mut b = buffers(&gpu, d);
        let job = launch(&q, d.n, &mut b).unwrap_or_else(|e| panic!("{e}"));
        let s = stopped(job.wait().unwrap_err());
        assert_eq!(stopped(b.y.to_vec().unwrap_err()), s);
        assert_eq!((&s.what, s.line, s.column), (&text, span.line, span.column));
        assert_eq!(
            (s.index, s.len, s.local, s.group),
            (report.index, report.len, report.local, report.group)
        );
        // the card goes on working; what the kernel left is what the interpreter left
        let left = unsafe_contents(&gpu, &b.y);
        assert_eq!(left, interpreted);
        stop = Some(s);
    }
    stop.unwrap()
}

/// The contents of a buffer a stopped kernel wrote, by way of a kernel of its own queue.
fn unsafe_contents(gpu: &Gpu, y: &Buffer<u32>) -> Vec<u32> {
    let mut out = gpu.upload(&vec![0; y.len()]).unwrap();
    let q = gpu.queue().unwrap();
    // the new queue would wait for y's last write and hear of its end: copy by address
    let compiled = copy::compile(GFX1100).unwrap();
    let module = t0::Module::load(gpu, &compiled.code_object).unwrap();
    let kernel = module.kernel("copy").unwrap().with_group([64, 1, 1]);
    let mut args = Vec::new();
    for va in [y.va(), out.va()] {
        args.extend(va.to_le_bytes());
        args.extend((y.len() as u64).to_le_bytes());
    }
    let groups = y.len().div_ceil(64) as u64;
    q.dispatch(&kernel, [groups, 1, 1], [64, 1, 1], &args).unwrap();
    q.wait().unwrap();
    let got = out.to_vec().unwrap();
    out.fill(0).unwrap();
    got
}

#[kernel(group = 64)]
pub fn copy(x: &[u32], y: &mut Lanes<u32>) {
    for (i, y) in y {
        *y = x[i];
    }
}

/// With indices in range a kernel gives the same with and without checks, optimised or not.
fn same<K: Kernel>(launch: Launch, d: &Data) {
    let mut results = Vec::new();
    for (checked, plain) in [(false, false), (true, false), (true, true), (false, true)] {
        let (gpu, q) = gpu();
        let q = q.with_checked(checked).with_plain_code(plain);
        let mut b = buffers(&gpu, d);
        launch(&q, d.n, &mut b).unwrap();
        results.push((b.y.to_vec().unwrap(), b.bins.to_vec().unwrap()));
    }
    assert!(results.iter().all(|r| *r == results[0]), "{results:?}");
    assert_ne!(results[0].0, vec![77; d.at.len()]);
    let (ran, interpreted) = interpret::<K>(d);
    ran.unwrap();
    assert_eq!(interpreted, results[0].0);
}

/// Line and column of the first `token` in the line of this file with a comment of this name.
fn place(comment: &str, token: &str) -> (u32, u32) {
    let source = include_str!("checked.rs");
    let mark = format!("// {comment}");
    let (n, line) = source.lines().enumerate().find(|l| l.1.ends_with(&mark)).unwrap();
    let column = line.find(token).unwrap();
    (n as u32 + 1, column as u32 + 1)
}

macro_rules! checked_kernel {
    ($(#[$attr:meta])* $name:ident, ($n:ident, $at:ident, $x:ident, $m:ident, $bins:ident, $y:ident) $body:block) => {
        #[kernel(group = 64)]
        #[allow(unused)]
        pub fn $name($n: usize, $at: &[u32], $x: &[u32], $m: &Mat<u32>, $bins: &[Atomic<u32>], $y: &mut Lanes<u32>) $body
    };
}

checked_kernel!(gather, (n, at, x, m, bins, y) {
    for (i, y) in y {
        *y = x[at[i] as usize]; // gather
    }
});

#[test]
fn a_read_of_a_slice() {
    let d = Data::new(|i| if i == 64 + 37 { 1000 } else { i as u32 % 100 });
    let s = stops::<gather>(launch!(gather), &d);
    assert_eq!(s.what, "index 1000 is out of range of `x`, whose length is 100");
    assert_eq!((s.line, s.column), place("gather", "x["));
    assert!(s.file.ends_with("tests/lang/checked.rs"), "{}", s.file);
    assert_eq!((s.group, s.local), ([1, 0, 0], 37));
    same::<gather>(launch!(gather), &Data::new(|i| (i * 7 % 100) as u32));
}

#[test]
fn the_error_is_printed_as_rustc_would() {
    let (gpu, q) = gpu();
    let mut b = buffers(&gpu, &Data::new(|i| if i == 64 + 37 { 1000 } else { 0 }));
    launch!(gather)(&q.with_checked(true), 3, &mut b).unwrap();
    let (line, column) = place("gather", "x[");
    let text = b.y.to_vec().unwrap_err().to_string();
    let want = format!(
        "kernel `gather` stopped at an index out of range:\n\
         error: index 1000 is out of range of `x`, whose length is 100\n   \
         --> tests/lang/checked.rs:{line}:{column}\n    |\n\
         {line} |         *y = x[at[i] as usize]; // gather\n    |              ^\n    |\n    \
         = note: in workgroup (1, 0, 0), lane 5 of wave 1 (work-item 37 of the group)"
    );
    assert_eq!(text, want, "\n{text}");
}

#[test]
fn the_first_index_past_the_end_and_the_largest() {
    for bad in [100, 101, 1 << 30, (1 << 30) + 5, u32::MAX] {
        let s = stops::<gather>(launch!(gather), &Data::new(|i| if i == 3 { bad } else { 99 }));
        assert_eq!((s.index, s.len), (bad, 100));
    }
    let mut d = Data::new(|_| 0);
    d.x.clear();
    let s = stops::<gather>(launch!(gather), &d);
    assert_eq!((s.index, s.len), (0, 0));
    // without checks: 0 everywhere
    let (gpu, q) = gpu();
    let mut b = buffers(&gpu, &d);
    launch!(gather)(&q, 3, &mut b).unwrap();
    assert_eq!(b.y.to_vec().unwrap(), vec![0; 150]);
}

checked_kernel!(uniform, (n, at, x, m, bins, y) {
    for (i, y) in y {
        *y = at[i] + x[n]; // uniform
    }
});

#[test]
fn an_index_that_is_the_same_for_all() {
    let mut d = Data::new(|i| i as u32);
    same::<uniform>(launch!(uniform), &d);
    d.n = 100;
    d.at.truncate(40);
    let s = stops::<uniform>(launch!(uniform), &d);
    assert_eq!((s.index, s.len, s.local), (100, 100, 0));
    assert_eq!((s.line, s.column), place("uniform", "x["));
}

checked_kernel!(rows, (n, at, x, m, bins, y) {
    for (i, y) in y {
        *y = m[at[i] as usize][2]; // row
    }
});

checked_kernel!(columns, (n, at, x, m, bins, y) {
    for (i, y) in y {
        *y = m[n][at[i] as usize]; // column
    }
});

checked_kernel!(named_row, (n, at, x, m, bins, y) {
    let row = &m[n];
    for (i, y) in y {
        *y = row[at[i] as usize]; // named
    }
});

#[test]
fn rows_and_elements_of_a_matrix() {
    let d = Data::new(|i| if i == 70 { 5 } else { i as u32 % 5 });
    let s = stops::<rows>(launch!(rows), &d);
    assert_eq!(s.what, "row 5 is out of range of `m`, which has 5 rows");
    assert_eq!((s.line, s.column), place("row", "m["));
    same::<rows>(launch!(rows), &Data::new(|i| i as u32 % 5));

    // between the columns and the stride
    let d = Data::new(|i| if i == 70 { 9 } else { i as u32 % 9 });
    let s = stops::<columns>(launch!(columns), &d);
    assert_eq!(s.what, "index 9 is out of range of a row of `m`, whose length is 9");
    assert_eq!((s.line, s.column), place("column", "m["));
    same::<columns>(launch!(columns), &Data::new(|i| i as u32 % 9));

    let s = stops::<named_row>(launch!(named_row), &d);
    assert_eq!(
        s.what,
        "index 9 is out of range of `row` (a row of `m`), whose length is 9"
    );
    assert_eq!((s.line, s.column), place("named", "row["));
}

checked_kernel!(count, (n, at, x, m, bins, y) {
    for (i, y) in y {
        bins[at[i] as usize].fetch_add(1, Relaxed, Device); // atomic
        *y = 1;
    }
});

#[test]
fn atomics_in_memory() {
    let d = Data::new(|i| if i == 149 { 10 } else { i as u32 % 10 });
    let s = stops::<count>(launch!(count), &d);
    assert_eq!(s.what, "index 10 is out of range of `bins`, whose length is 10");
    assert_eq!((s.line, s.column), place("atomic", "bins["));
    assert_eq!((s.group, s.local), ([2, 0, 0], 21));
    same::<count>(launch!(count), &Data::new(|i| i as u32 % 10));
}

checked_kernel!(shared_write, (n, at, x, m, bins, y) {
    let mut part = Shared::<[u32; 64]>::new();
    let i = thread::index();
    if i < at.len() {
        part[at[i] as usize] = x[i % 100]; // shared write
    }
    group::barrier();
    for (_, y) in y {
        *y = part[thread::local() % 16]; // in range
    }
});

checked_kernel!(shared_read, (n, at, x, m, bins, y) {
    let mut part = Shared::<[u32; 64]>::new();
    part[thread::local()] = x[thread::local()];
    group::barrier();
    for (i, y) in y {
        *y = part[at[i] as usize]; // shared read
    }
});

checked_kernel!(shared_atomic, (n, at, x, m, bins, y) {
    let count = Shared::<[Atomic<u32>; 8]>::new();
    if thread::local() < 8 {
        count[thread::local()].swap(0, Relaxed, Group);
    }
    group::barrier();
    for (i, y) in y {
        *y = count[at[i] as usize].fetch_add(0, Relaxed, Group); // shared atomic
    }
});

#[test]
fn shared_arrays() {
    let at = |bad: usize| move |i: usize| if i == bad { 64 } else { i as u32 % 64 };
    let s = stops::<shared_read>(launch!(shared_read), &Data::new(at(5)));
    assert_eq!(s.what, "index 64 is out of range of `part`, whose length is 64");
    assert_eq!((s.line, s.column), place("shared read", "part["));
    same::<shared_read>(launch!(shared_read), &Data::new(at(1000)));

    let d = Data::new(|i| if i == 9 { u32::MAX } else { i as u32 % 8 });
    let s = stops::<shared_atomic>(launch!(shared_atomic), &d);
    assert_eq!(
        s.what,
        "index -1 (4294967295) is out of range of `count`, whose length is 8"
    );
    assert_eq!((s.line, s.column), place("shared atomic", "count["));
    same::<shared_atomic>(launch!(shared_atomic), &Data::new(|i| i as u32 % 8));
}

#[test]
fn other_waves_go_on_behind_a_barrier() {
    // the second wave of the first group stops before the barrier; its first wave passes it and writes
    let d = Data::new(|i| if i == 32 { 64 } else { i as u32 % 64 });
    let s = stops::<shared_write>(launch!(shared_write), &d);
    assert_eq!(s.what, "index 64 is out of range of `part`, whose length is 64");
    assert_eq!((s.line, s.column), place("shared write", "part["));
    assert_eq!((s.group, s.local), ([0, 0, 0], 32));
    let (_, y) = interpret::<shared_write>(&d);
    assert_eq!(y[0..16], d.x[0..16]);
    assert_eq!(y[32..64], [77; 32]);
    assert_eq!(y[64], d.x[64]);
    same::<shared_write>(launch!(shared_write), &Data::new(|i| i as u32 % 64));
}

checked_kernel!(array, (n, at, x, m, bins, y) {
    let list = [10, 20, 30, 40];
    for (i, y) in y {
        *y = list[at[i] as usize]; // array
    }
});

#[test]
fn arrays_in_registers() {
    let d = Data::new(|i| if i == 64 { 4 } else { i as u32 % 4 });
    let s = stops::<array>(launch!(array), &d);
    assert_eq!((s.index, s.len), (4, 4));
    assert_eq!((s.line, s.column), place("array", "list["));
    same::<array>(launch!(array), &Data::new(|i| i as u32 % 4));
}

checked_kernel!(ranges, (n, at, x, m, bins, y) {
    for (i, y) in y {
        let part = &x[n..at[i] as usize]; // range
        *y = part.len() as u32 + part[0]; // part
    }
});

#[test]
fn ranges_of_a_slice() {
    let d = |bad: u32| Data::new(move |i| if i == 31 { bad } else { 50 });
    let s = stops::<ranges>(launch!(ranges), &d(101));
    assert_eq!(s.what, "a range ends at 101, out of range of `x`, whose length is 100");
    assert_eq!((s.line, s.column), place("range", "x["));
    let s = stops::<ranges>(launch!(ranges), &d(2));
    assert_eq!(s.what, "a range of `x` starts at 3, behind its end 2");
    // an empty part is in range; it has no first element
    let s = stops::<ranges>(launch!(ranges), &d(3));
    assert_eq!(
        s.what,
        "index 0 is out of range of `part` (a part of `x`), whose length is 0"
    );
    assert_eq!((s.line, s.column), place("part", "part[0]"));
    same::<ranges>(launch!(ranges), &d(100));
}

checked_kernel!(branches, (n, at, x, m, bins, y) {
    for (i, y) in y {
        let k = at[i] as usize;
        *y = if k % 2 == 0 {
            x[k] // then
        } else if k < x.len() && x[k] > 5 { // guarded
            x[k]
        } else {
            x[k / 4] + m[k % 5][k % 9] // otherwise
        };
    }
});

#[test]
fn branches_that_differ_from_lane_to_lane() {
    // out of range and even; odd ones are guarded by the kernel itself
    let d = Data::new(|i| if i == 40 { 200 } else { 2 * i as u32 % 99 + 1 });
    let s = stops::<branches>(launch!(branches), &d);
    assert_eq!((s.index, s.local), (200, 40));
    assert_eq!((s.line, s.column), place("then", "x["));
    let s = stops::<branches>(launch!(branches), &Data::new(|i| if i == 40 { 401 } else { 1 }));
    assert_eq!((s.index, s.local), (100, 40));
    assert_eq!((s.line, s.column), place("otherwise", "x["));
    same::<branches>(launch!(branches), &Data::new(|i| (i as u32 * 3) % 100));
    same::<branches>(launch!(branches), &Data::new(|i| 101 + 2 * (i as u32 % 100)));
}

checked_kernel!(loops, (n, at, x, m, bins, y) {
    for (i, y) in y {
        let mut sum = 0;
        for k in 0..at[i] as usize {
            sum += x[k] * x[k]; // loop
            if k == n {
                sum += 1;
            }
        }
        let mut k = at[i] as usize;
        while k > 0 {
            sum += x[k - 1]; // while
            k = k / 2;
        }
        *y = sum;
    }
});

#[test]
fn loops_stop_in_their_round() {
    let d = Data::new(|i| if i == 20 { 130 } else { i as u32 % 100 });
    let s = stops::<loops>(launch!(loops), &d);
    assert_eq!((s.index, s.len, s.local), (100, 100, 20));
    assert_eq!((s.line, s.column), place("loop", "x["));
    same::<loops>(launch!(loops), &Data::new(|i| i as u32 % 101));
}

checked_kernel!(unrolled, (n, at, x, m, bins, y) {
    for (i, y) in y {
        let mut sum = 0;
        #[unroll]
        for k in 0..6 {
            sum += x[at[i] as usize + k * 2]; // unrolled
        }
        let _unused = x[at[i] as usize * 2]; // unused
        *y = sum;
    }
});

#[test]
fn checks_of_unrolled_and_unused_reads_stay() {
    let d = Data::new(|i| if i == 33 { 91 } else { 7 });
    let s = stops::<unrolled>(launch!(unrolled), &d);
    assert_eq!((s.index, s.local), (101, 33));
    assert_eq!((s.line, s.column), place("unrolled", "x["));
    let s = stops::<unrolled>(launch!(unrolled), &Data::new(|i| if i == 33 { 50 } else { 7 }));
    assert_eq!((s.index, s.local), (100, 33));
    assert_eq!((s.line, s.column), place("unused", "x["));
    same::<unrolled>(launch!(unrolled), &Data::new(|i| i as u32 % 50));
}

#[device]
fn nth(of: &[u32], i: usize) -> u32 {
    of[i] // in a function
}

checked_kernel!(function, (n, at, x, m, bins, y) {
    for (i, y) in y {
        let first = nth(x, at[i] as usize);
        // SAFETY: in range, or the check that this test is about stops here
        *y = first + unsafe { *x.get_unchecked(at[i] as usize + 1) }; // unchecked
    }
});

#[test]
fn indices_in_device_functions_and_unchecked_ones() {
    let s = stops::<function>(launch!(function), &Data::new(|i| if i == 1 { 100 } else { 0 }));
    assert_eq!((s.index, s.len), (100, 100));
    assert_eq!((s.line, s.column), place("in a function", "of["));
    let s = stops::<function>(launch!(function), &Data::new(|i| if i == 1 { 99 } else { 0 }));
    assert_eq!((s.index, s.len), (100, 100));
    assert_eq!(s.line, place("unchecked", "x").0);
    same::<function>(launch!(function), &Data::new(|i| i as u32 % 99));
}

#[kernel(group = 64, checked)]
pub fn by_attribute(x: &[u32], y: &mut Lanes<u32>) {
    for (i, y) in y {
        *y = x[i] + 1;
    }
}

#[test]
fn the_attribute_checks_every_launch() {
    let (gpu, q) = gpu();
    let x = gpu.upload(&[5u32; 70]).unwrap();
    let mut y = gpu.upload(&[0u32; 71]).unwrap();
    q.launch(by_attribute { x: &x, y: &mut y }).unwrap();
    let s = stopped(y.to_vec().unwrap_err());
    assert_eq!((s.index, s.len, s.group, s.local), (70, 70, [1, 0, 0], 6));
    let mut y = gpu.upload(&[0u32; 70]).unwrap();
    q.launch(by_attribute { x: &x, y: &mut y }).unwrap();
    assert_eq!(y.to_vec().unwrap(), [6; 70]);
    assert!(by_attribute::listing(GFX1100).unwrap().contains("buffer_atomic_or_b32"));
}

#[test]
fn two_kernels_in_one_queue() {
    let (gpu, q) = gpu();
    let q = q.with_checked(true);
    let short = gpu.upload(&[5u32; 70]).unwrap();
    let mut outs: Vec<Buffer<u32>> = (0..4).map(|_| gpu.upload(&[0u32; 71]).unwrap()).collect();
    let [good, bad, blind, later] = &mut outs[..] else {
        panic!()
    };
    let ones = gpu.upload(&[1u32; 71]).unwrap();
    q.launch(copy { x: &ones, y: good }).unwrap();
    q.launch(copy { x: &short, y: bad }).unwrap();
    q.launch(copy { x: &ones, y: blind }).unwrap();
    // what came before is right; what was queued behind the stop may have read what is not there
    assert_eq!(good.to_vec().unwrap(), [1; 71]);
    assert_eq!(stopped(blind.to_vec().unwrap_err()).index, 70);
    assert_eq!(stopped(bad.to_vec().unwrap_err()).index, 70);
    // now the host knows, and goes on
    let job = q.launch(copy { x: &ones, y: later }).unwrap();
    job.wait().unwrap();
    q.wait().unwrap();
    assert_eq!(later.to_vec().unwrap(), [1; 71]);
    assert_eq!(stopped(bad.to_vec().unwrap_err()).index, 70);
    // and the buffer is good again once it has other contents
    bad.copy_from(&[9; 71]).unwrap();
    assert_eq!(bad.to_vec().unwrap(), [9; 71]);
}

#[test]
fn a_stop_outlives_its_queue_and_is_heard_by_others() {
    let (gpu, q) = gpu();
    let short = gpu.upload(&[5u32; 70]).unwrap();
    let (mut y, mut z) = (gpu.upload(&[0u32; 71]).unwrap(), gpu.upload(&[0u32; 71]).unwrap());
    q.clone()
        .with_checked(true)
        .launch(copy { x: &short, y: &mut y })
        .unwrap();
    let other = gpu.queue().unwrap();
    let e = other.launch(copy { x: &y, y: &mut z }).unwrap_err();
    assert_eq!(stopped(e).index, 70);
    drop(q);
    assert_eq!(stopped(y.to_vec().unwrap_err()).index, 70);
    assert_eq!(z.to_vec().unwrap(), [0; 71]);
}

#[test]
fn the_ready_kernels_run_checked() {
    let (gpu, q) = gpu();
    let q = q.with_checked(true);
    let xs: Vec<f32> = (0..777).map(|i| (i % 15) as f32 - 6.0).collect();
    let x = gpu.upload(&xs).unwrap();
    let mut y = gpu.upload(&xs).unwrap();
    q.launch(saxpy {
        a: 2.0,
        x: &x,
        y: &mut y,
    })
    .unwrap();
    assert_eq!(y.to_vec().unwrap(), xs.iter().map(|x| 3.0 * x).collect::<Vec<f32>>());
    let mut total = gpu.upload(&[0.0f32]).unwrap();
    q.launch(reduce {
        x: &x,
        total: &mut total,
    })
    .unwrap();
    assert_eq!(total.to_vec().unwrap(), [xs.iter().sum::<f32>()]);
    let m = gpu.upload_mat(7, 111, &xs).unwrap();
    let mut out = gpu.alloc_mat::<f32>(7, 111).unwrap();
    q.launch(softmax { x: &m, y: &mut out }).unwrap();
    assert!(out
        .to_vec()
        .unwrap()
        .chunks(111)
        .all(|r| (r.iter().sum::<f32>() - 1.0).abs() < 1e-5));
    let picture = gpu.upload_mat(7, 111, &[9u8; 777]).unwrap();
    let mut out = gpu.alloc_mat::<u8>(7, 111).unwrap();
    q.launch(edges {
        x: &picture,
        y: &mut out,
    })
    .unwrap();
    assert_eq!(out.to_vec().unwrap(), [0; 777]);
    // an empty total has no element 0
    let mut none = gpu.upload::<f32>(&[]).unwrap();
    q.launch(reduce {
        x: &x,
        total: &mut none,
    })
    .unwrap();
    let s = stopped(none.to_vec().unwrap_err());
    assert_eq!(s.what, "index 0 is out of range of `total`, whose length is 0");
}

/// Bᵀ's and A's fragments by any block and k, and a product on the way.
#[kernel(group = 64)]
pub fn fragments(block: usize, k: usize, a: &Mat<bf16>, c: &mut Groups<Tile<f32, 32, 32>>) {
    for (at, c) in c {
        let mut acc = Acc::<f32, 32, 32>::zero();
        let ta = Lds::load(a.tile::<32, 32>(at.row, 0));
        for (i, _, d) in acc.frags_mut() {
            *d = wmma(ta.frag(i, 16), ta.frag(block, k), *d); // fragment
        }
        c.store(acc);
    }
}

#[test]
fn gemm_and_fragments() {
    let (gpu, q) = gpu();
    let side = 65;
    let xs: Vec<bf16> = (0..side * 48).map(|i| bf16::from_f32((i % 7) as f32 - 3.0)).collect();
    let (a, bt) = (
        gpu.upload_mat(side, 48, &xs).unwrap(),
        gpu.upload_mat(side, 48, &xs).unwrap(),
    );
    let mut results = Vec::new();
    for (checked, plain) in [(false, false), (true, false), (true, true), (false, true)] {
        let q = q.clone().with_checked(checked).with_plain_code(plain);
        let mut c = gpu.alloc_mat::<f32>(side, side).unwrap();
        q.launch(gemm::<64, 64, 32> {
            a: &a,
            bt: &bt,
            c: &mut c,
        })
        .unwrap_or_else(|e| panic!("{e}"));
        results.push(c.to_vec().unwrap());
    }
    let product =
        |i: usize, j: usize| -> f32 { (0..48).map(|k| xs[i * 48 + k].to_f32() * xs[j * 48 + k].to_f32()).sum() };
    for r in results {
        assert!((0..side * side).all(|n| r[n] == product(n / side, n % side)));
    }
    let try_with = |block, k| {
        let mut c = gpu.alloc_mat::<f32>(32, 32).unwrap();
        let q = q.clone().with_checked(true);
        let launch = fragments {
            block,
            k,
            a: &a,
            c: &mut c,
        };
        q.launch(launch).unwrap();
        c.to_vec().map_err(stopped)
    };
    try_with(1, 16).unwrap();
    let s = try_with(2, 0).unwrap_err();
    assert_eq!(s.what, "block 2 is out of range of `ta`, which has 2 blocks of 16 rows");
    assert_eq!((s.line, s.column), place("fragment", "frag(block"));
    let s = try_with(1, 17).unwrap_err();
    assert_eq!(
        s.what,
        "columns 17 to 17 + 15 are not all in `ta`, which has 32 columns"
    );
}

#[test]
fn without_checks_nothing_is_left_of_them() {
    let plain = gather::ENTRY.stage(&[]).unwrap();
    assert!(plain.sites.is_empty());
    assert!(!plain.ops.iter().any(|o| matches!(o.kind, OpKind::Check { .. })));
    let checked = gather::ENTRY.stage_checked(&[]).unwrap();
    let checks = checked.ops.iter().filter(|o| matches!(o.kind, OpKind::Check { .. }));
    // of at[i] and x[…]; the owned element has none
    assert_eq!(checks.count(), 2);
    assert_eq!(OpKind::Check { site: 0 }.row().effect, Effect::Write);
    assert!(!gather::listing(GFX1100).unwrap().contains("buffer_atomic_or_b32"));
}
