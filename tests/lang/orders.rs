//! Memory orders, scopes and fences: what is handed over is there, on the card with the sanitizer in several orders, and what
//! the orders become in the IR.

use t0::ir::{text, verify, OpKind, Order, Scope};
use t0::prelude::*;
use t0::SimOptions;

/// In the usual order and in others.
const SEEDS: std::ops::Range<u64> = 0..6;

fn watched(seed: u64) -> Queue {
    let options = SimOptions {
        sanitize: Some(true),
        order_seed: Some(seed),
        ..SimOptions::default()
    };
    Gpu::simulated_with(&options).unwrap().queue().unwrap()
}

/// Running sums over workgroups: each adds its own to what its predecessor hands over.
#[kernel(group = 64, grid = x.len())]
pub fn running_sums(x: &[u32], sums: &[Atomic<u32>], ready: &[Atomic<u32>]) {
    let mut parts = Shared::<[u32; 2]>::new();
    let part = wave::sum(x[thread::index()]);
    if lane::id() == 0 {
        parts[wave::id()] = part;
    }
    group::barrier();
    if thread::local() == 0 {
        let g = group::id();
        let mut before = 0;
        if g > 0 {
            while ready[g - 1].load(Acquire, Device) == 0 {}
            before = sums[g - 1].load(Relaxed, Device);
        }
        sums[g].store(before + parts[0] + parts[1], Relaxed, Device);
        ready[g].store(1, Release, Device);
    }
}

#[test]
fn a_value_behind_a_flag_is_handed_over_between_workgroups() {
    let x: Vec<u32> = (0..64 * 9).map(|i| i * 7 % 31).collect();
    let want: Vec<u32> = (1..=9).map(|g| x[..64 * g].iter().sum()).collect();
    for seed in SEEDS {
        let q = watched(seed);
        let buf = q.gpu().upload(&x).unwrap();
        let mut sums = q.gpu().upload(&[0u32; 9]).unwrap();
        let mut ready = q.gpu().upload(&[0u32; 9]).unwrap();
        let launch = running_sums {
            x: &buf,
            sums: &mut sums,
            ready: &mut ready,
        };
        q.launch(launch).unwrap();
        assert_eq!(sums.to_vec().unwrap(), want, "seed {seed}");
    }
}

/// The last workgroup adds up what all have written, told by fences around a counter.
#[kernel(group = 32, grid = x.len())]
pub fn last_one_adds(x: &[u32], parts: &[Atomic<u32>], done: &[Atomic<u32>], total: &[Atomic<u32>]) {
    let part = wave::sum(x[thread::index()]);
    if lane::id() == 0 {
        parts[group::id()].store(part, Relaxed, Device);
        fence(Release, Device);
        let k = done[0].fetch_add(1, Relaxed, Device);
        fence(Acquire, Device);
        if k as usize == parts.len() - 1 {
            let mut sum = 0;
            for g in 0..parts.len() {
                sum += parts[g].load(Relaxed, Device);
            }
            total[0].store(sum, Relaxed, Device);
        }
    }
}

#[test]
fn the_last_workgroup_sees_what_all_others_wrote() {
    let x: Vec<u32> = (0..32 * 12).map(|i| i * 5 % 17).collect();
    for seed in SEEDS {
        let q = watched(seed);
        let buf = q.gpu().upload(&x).unwrap();
        let mut parts = q.gpu().upload(&[0u32; 12]).unwrap();
        let (mut done, mut total) = (q.gpu().upload(&[0u32]).unwrap(), q.gpu().upload(&[0u32]).unwrap());
        let launch = last_one_adds {
            x: &buf,
            parts: &mut parts,
            done: &mut done,
            total: &mut total,
        };
        q.launch(launch).unwrap();
        assert_eq!(total.to_vec().unwrap(), [x.iter().sum::<u32>()], "seed {seed}");
    }
}

/// Wave 1 waits for what wave 0 writes to `Shared`; the flag is there before, behind a barrier.
#[kernel(group = 64, grid = y.len())]
pub fn through_shared(x: &[u32], y: &[Atomic<u32>]) {
    let mut block = Shared::<[u32; 32]>::new();
    let flag = Shared::<[Atomic<u32>; 1]>::new();
    if thread::local() == 0 {
        flag[0].store(0, Relaxed, Group);
    }
    group::barrier();
    let l = lane::id();
    if wave::id() == 0 {
        block[l] = x[l] * 3;
        flag[0].store(1, Release, Group);
    } else {
        while flag[0].load(Acquire, Group) == 0 {}
        y[l].store(block[31 - l], Relaxed, Group);
    }
}

#[test]
fn a_wave_waits_for_another_through_shared_memory() {
    let x: Vec<u32> = (0..32).map(|i| i + 100).collect();
    let want: Vec<u32> = x.iter().rev().map(|v| v * 3).chain([0; 32]).collect();
    for seed in SEEDS {
        let q = watched(seed);
        let buf = q.gpu().upload(&x).unwrap();
        let mut y = q.gpu().upload(&[0u32; 64]).unwrap();
        q.launch(through_shared { x: &buf, y: &mut y }).unwrap();
        assert_eq!(y.to_vec().unwrap(), want, "seed {seed}");
    }
}

/// One of each.
#[kernel(group = 32, grid = 32)]
pub fn all_orders(y: &[Atomic<u32>], z: &[Atomic<f32>]) {
    let order = AcqRel;
    let old = y[0].fetch_add(1, order, Device);
    y[1].swap(old, Acquire, Group);
    y[2].fetch_max(old, Release, Device);
    let a = y[3].load(Acquire, Group);
    y[4].store(a, Release, Group);
    z[0].store(z[1].load(Relaxed, Device), Relaxed, Device);
    fence(order, Group);
}

#[test]
fn orders_are_fences_around_the_operation() {
    use Order::*;
    let f = all_orders::stage().unwrap();
    verify::verify(&f).unwrap();
    assert_eq!(
        text::parse(&text::print(&f)).map(|f| text::print(&f)),
        Ok(text::print(&f))
    );
    let fence = |order, scope| ("fence", Some(order), scope);
    let (device, group) = (Scope::Device, Scope::Group);
    let got: Vec<_> = f
        .body
        .ops
        .iter()
        .filter_map(|&id| match f.op(id).kind {
            OpKind::Fence { order, scope } => Some(fence(order, scope)),
            OpKind::Atomic { scope, .. } => Some(("rmw", None, scope)),
            OpKind::AtomicLoad { scope } => Some(("load", None, scope)),
            _ => None,
        })
        .collect();
    let want = [
        fence(Release, device),
        ("rmw", None, device),
        fence(Acquire, device),
        ("rmw", None, group),
        fence(Acquire, group),
        fence(Release, device),
        ("rmw", None, device),
        ("load", None, group),
        fence(Acquire, group),
        fence(Release, group),
        ("rmw", None, group),
        ("load", None, device),
        ("rmw", None, device),
        fence(AcqRel, group),
    ];
    assert_eq!(got, want);
}

/// Every workgroup counts into the same bins, at a scope they do not share.
#[kernel(group = 32, grid = x.len())]
pub fn narrow_bins(x: &[u32], bins: &[Atomic<u32>]) {
    bins[x[thread::index()] as usize].fetch_add(1, Relaxed, Group);
}

#[test]
fn a_scope_that_is_too_narrow_is_reported_at_its_line() {
    for seed in SEEDS {
        let q = watched(seed);
        let x = q.gpu().upload(&[3u32; 96]).unwrap();
        let mut bins = q.gpu().upload(&[0u32; 8]).unwrap();
        let launch = narrow_bins { x: &x, bins: &mut bins };
        let said = q.launch(launch).unwrap().wait().unwrap_err().to_string();
        let rule = "error[scope-too-narrow]: atomics of different workgroups at `bins`, index 3";
        assert!(said.contains(rule), "seed {seed}: {said}");
        let line = "bins[x[thread::index()] as usize].fetch_add(1, Relaxed, Group);";
        assert!(said.contains(line), "seed {seed}: {said}");
        assert!(said.contains("use `Device` scope on both sides"), "seed {seed}: {said}");
    }
}
