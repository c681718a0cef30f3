//! The 32 lanes of a wave together. Every lane of the wave must reach these calls: the verifier refuses them under
//! lane-dependent control flow.

use super::{device_fn, Number, Scalar};
use crate::op::{OpKind, Rmw};

device_fn! {
    /// Sum over the lanes, the same in each. Order: butterfly over lane xor 1, 2, 4, 8, 16.
    sum[T: Number](x: T) -> T => |s, args| s.wave_reduce(Rmw::Add, args)
}
device_fn! {
    /// Largest value of the lanes, the same in each.
    max[T: Number](x: T) -> T => |s, args| s.wave_reduce(Rmw::Max, args)
}
device_fn! {
    /// Smallest value of the lanes, the same in each.
    min[T: Number](x: T) -> T => |s, args| s.wave_reduce(Rmw::Min, args)
}
device_fn! {
    /// Sum over this lane and those before it.
    scan[T: Number](x: T) -> T => |s, args| s.wave_op(OpKind::WaveScan { op: Rmw::Add }, args)
}
device_fn! {
    /// The value held by lane `lane` mod 32.
    shuffle[T: Scalar](x: T, lane: usize) -> T => |s, args| s.wave_from(OpKind::WaveShuffle, args)
}
device_fn! {
    /// The value held by lane `own ^ mask`; `mask` is a compile-time number below 32.
    shuffle_xor[T: Scalar](x: T, mask: usize) -> T => |s, args| s.wave_xor(args)
}
device_fn! {
    /// The value held by lane `lane` mod 32, which is the same for the whole wave.
    broadcast[T: Scalar](x: T, lane: usize) -> T => |s, args| s.wave_from(OpKind::WaveBroadcast, args)
}
device_fn! {
    /// Bit `l` is what lane `l` says.
    ballot(x: bool) -> u32 => |s, args| s.wave_op(OpKind::WaveBallot, args)
}
device_fn! {
    /// Does any lane say yes?
    any(x: bool) -> bool => |s, args| s.wave_vote(false, args)
}
device_fn! {
    /// Do all lanes say yes?
    all(x: bool) -> bool => |s, args| s.wave_vote(true, args)
}
device_fn! {
    /// Index of the wave in its workgroup.
    id() -> usize => |s, _| s.whereabouts(OpKind::WaveId)
}
