//! Orders, scopes and operations that are not there.
use std::sync::atomic::Ordering;
use t0::prelude::*;

#[kernel(group = 32, grid = 32)]
pub fn orders(y: &[Atomic<u32>]) {
    y[0].fetch_add(1, Ordering::SeqCst, Device);
    y[0].fetch_add(1, Relaxed, Relaxed);
    y[0].load(Release, Device);
    y[0].store(1, Acquire, Device);
    fence(Relaxed, Device);
}

#[kernel(group = 32, grid = 32)]
pub fn operations(y: &[Atomic<u32>]) {
    y[0].compare_exchange(0, 1, Relaxed, Device);
    y[0].fetch_sub(1, Relaxed, Device);
}

fn main() {}
