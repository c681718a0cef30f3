//! A `#[device]` function is ordinary Rust as well: staged and interpreted it gives what it gives on the host, bit for bit.
// Odd code is the point here.
#![allow(clippy::all, unreachable_code)]

use t0::ir::interp::{self, Arg, Memory};
use t0::ir::{text, verify};
use t0::prelude::*;

/// Numbers with all kinds of bits: small, large, float-like.
fn numbers(n: usize, seed: u64) -> Vec<u32> {
    let mut s = seed;
    let mut out: Vec<u32> = [0, 1, 2, 3, 7, 31, 32, 255, 1 << 16, i32::MAX as u32, 1 << 31, u32::MAX].to_vec();
    out.extend([1.0f32, -2.5, 0.1, -0.0, 1e-40, 3.4e38, f32::INFINITY].map(f32::to_bits));
    while out.len() < n {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        out.push((s >> (s % 33)) as u32);
    }
    out.rotate_left((seed % 11) as usize);
    out
}

/// Launches a kernel of two inputs and an output.
type Launch = fn(&Queue, &Buffer<u32>, &Buffer<u32>, &mut Buffer<u32>) -> t0::Result<()>;

/// Runs a kernel of two inputs and an output in the interpreter and, compiled, on the simulated card; compares both with the host.
fn compare<K: Kernel>(f: fn(u32, u32) -> u32, launch: Option<Launch>) {
    let func = K::stage().unwrap();
    if let Err(d) = verify::verify(&func) {
        panic!("{}\n{}", d.render(&func.files), text::print(&func));
    }
    let n = 300;
    let (a, b) = (numbers(n, 0x1234_5678_9abc), numbers(n, 0xfeed_beef));
    let bytes = |v: &[u32]| v.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let mut memory = Memory::new();
    let slices = [
        memory.alloc(&bytes(&a)),
        memory.alloc(&bytes(&b)),
        memory.alloc(&vec![0xa5; 4 * n]),
    ];
    let args = slices.map(|base| Arg::Slice { base, len: n as u32 });
    let groups = (n as u32).div_ceil(func.group);
    if let Err(e) = interp::run(&func, &args, &mut memory, [groups, 1, 1]) {
        panic!("{e}\n{}", text::print(&func));
    }
    let out = memory.buffer(slices[2]).unwrap();
    let interpreted: Vec<u32> = out
        .chunks(4)
        .map(|b| u32::from_le_bytes(b.try_into().unwrap()))
        .collect();
    let compiled = launch.map_or_else(|| interpreted.clone(), |launch| on_the_card(&a, &b, launch));
    for i in 0..n {
        let want = f(a[i], b[i]);
        for (got, by) in [(interpreted[i], "interpreted"), (compiled[i], "compiled")] {
            let (a, b) = (a[i], b[i]);
            assert_eq!(
                got,
                want,
                "f({a:#x}, {b:#x}): {got:#x} {by}, {want:#x} in Rust\n{}",
                text::print(&func)
            );
        }
    }
}

/// What the compiled kernel gives on the simulated card.
fn on_the_card(a: &[u32], b: &[u32], launch: Launch) -> Vec<u32> {
    let gpu = crate::watched();
    let q = gpu.queue().unwrap();
    let (x, y) = (gpu.upload(a).unwrap(), gpu.upload(b).unwrap());
    let mut z = gpu.upload(&vec![7u32; a.len()]).unwrap();
    if let Err(e) = launch(&q, &x, &y, &mut z) {
        panic!("{e}");
    }
    z.to_vec().unwrap()
}

/// A test of one function of two `u32`; `interpreted` ones use operations there is no code for yet.
macro_rules! meaning {
    (@launch) => { Some(|q, a, b, out| q.launch(k { a, b, out }).map(|_| ())) };
    (@launch interpreted) => { None };
    ($($name:ident($a:ident, $b:ident) $($mode:ident)? { $($body:tt)* })*) => { $(
        mod $name {
            use super::*;

            #[device]
            pub fn f($a: u32, $b: u32) -> u32 { $($body)* }

            #[kernel(group = 64)]
            pub fn k(a: &[u32], b: &[u32], out: &mut Lanes<u32>) {
                for (i, o) in out {
                    *o = f(a[i], b[i]);
                }
            }

            #[test]
            fn agrees() {
                compare::<k>(f, meaning!(@launch $($mode)?));
            }
        }
    )* };
}

const TABLE: [u32; 4] = [3, 1, 4, 1];
const LIMIT: u32 = 1000;

struct Point {
    x: u32,
    y: u32,
}

#[device]
fn clamp_sum(a: u32, b: u32) -> u32 {
    let s = a.wrapping_add(b);
    if s > LIMIT {
        return LIMIT;
    }
    s
}

#[device]
fn bump(n: &mut u32, by: u32) {
    *n = n.wrapping_add(by);
}

#[device]
fn larger<T: Scalar>(a: T, b: T) -> T {
    if a > b {
        a
    } else {
        b
    }
}

#[device]
fn times<const N: usize>(a: u32) -> u32 {
    let mut s = 0u32;
    for _ in 0..N {
        s = s.wrapping_add(a);
    }
    s
}

#[device]
fn swap(p: Point) -> Point {
    Point { x: p.y, y: p.x }
}

#[device]
fn total<const N: usize>(xs: [u32; N]) -> u32 {
    let mut s = 0u32;
    for x in xs {
        s = s.wrapping_mul(31).wrapping_add(x);
    }
    s
}

struct P8 {
    a: u8,
    b: u32,
}

struct Wide {
    u: usize,
    m: i64,
    x: [u8; 2],
    t: (u8, u16),
}

struct Pair<T> {
    a: T,
    b: T,
}

#[device]
fn p8() -> P8 {
    let (s, t) = (200, 3);
    P8 { a: s, b: t }
}

#[device]
fn read8(a: &u8) -> u32 {
    a.wrapping_add(100) as u32
}

#[device]
fn bump8(a: &mut u8) {
    *a = a.wrapping_add(100);
}

#[device]
fn same<T: Scalar>(a: T, b: T) -> T {
    if a == b {
        a
    } else {
        b
    }
}

#[device]
fn first_set(bits: u32) -> u32 {
    for i in 0..32u32 {
        if bits >> i & 1 == 1 {
            return i;
        }
    }
    32
}

meaning! {
    literals_in_fields(a, b) {
        let mut p = P8 { a: 250, b: 1 };
        p.a = p.a.wrapping_add(10);
        let s = 250 - 47;
        let w = Wide { u: 2, m: 1, x: [1, s], t: (s, 2) };
        let mut v = Wide { u: 2, m: 1, x: [1, 2], t: (3, 4) };
        let n = 255;
        v.x[1] = n;
        v.t.0 = 254;
        let l = (w.m << (a & 63)) as u64 >> 32;
        p.a as u32 ^ P8 { a: 200, b: 1 }.a.wrapping_mul(2) as u32 ^ (w.u.wrapping_sub(5) / 3) as u32 ^ l as u32
            ^ w.x[1].wrapping_mul(3) as u32 ^ w.t.0.wrapping_mul(5) as u32 ^ (w.t.1.wrapping_sub(3) as u32)
            ^ v.x[(b & 1) as usize].wrapping_add(7) as u32 ^ v.t.0.wrapping_add(9) as u32 ^ p8().a.wrapping_mul(7) as u32
    }
    literals_in_generic_fields(a, b) {
        let s = 200;
        let p = Pair::<u8> { a: s, b: 100 };
        p.a.wrapping_add(p.b) as u32 ^ a ^ b
    }
    literals_put_into_fields(a, b) {
        let mut p = P8 { a: a as u8, b };
        let s = 200;
        p.a = s;
        p.a.wrapping_add(s) as u32 ^ p.b
    }
    literals_behind_references(a, b) {
        let r: &u8 = &250;
        let s = 200;
        let mut t = 190;
        bump8(&mut t);
        bump8(&mut { t });
        r.wrapping_add(10) as u32 ^ read8(&s) ^ t.wrapping_mul(9) as u32 ^ a ^ b
    }
    literals_meet_generics(a, b) {
        let s = 200;
        let t = 7;
        same(s, b as u8).wrapping_add(s) as u32 ^ same(1, 2) ^ (same(same(t, 250), b as u8).wrapping_add(b as u8) as u32) ^ a
    }
    literals_in_loops(a, b) {
        let x = [1u32, 5, 9, 40, 100, 1 << 20, 1 << 30];
        let n = (b & 7).min(7) as usize;
        let mut k = 0;
        while k < n {
            k += 3;
        }
        let mut h = 0;
        while h * 2 < n {
            h += 1;
        }
        let mut lo = 0;
        let mut hi = n;
        while lo < hi {
            let mid = (lo + hi) / 2;
            if x[mid] < a {
                lo = mid + 1;
            } else {
                hi = mid;
            }
        }
        let mut c = 0;
        let mut i = 0;
        while i < n {
            c = c + x[i] % 3;
            i += 1;
        }
        (k * 100 + h * 10 + lo) as u32 + c
    }
    operators(a, b) {
        let d = b | 1;
        (a / d) ^ (a % d) | (!a & b) ^ (a >> (b & 31)) ^ (a << (b % 32)) ^ a.wrapping_mul(b) ^ a.wrapping_sub(b)
    }
    comparisons(a, b) {
        let (x, y) = (a as i32, b as i32);
        (a < b) as u32 | ((a <= b) as u32) << 1 | ((x > y) as u32) << 2 | ((x >= y) as u32) << 3 | ((x == y) as u32) << 4
            | ((a != b) as u32) << 5 | (((a < b) == (x < y)) as u32) << 6 | (((a < b) != (x < y)) as u32) << 7
            | (((a < b) <= (x < y)) as u32) << 8 | (!(a < b) as u32) << 9
    }
    narrow_types(a, b) {
        let (c, d) = (a as i8, b as u16);
        let e = c.wrapping_add(d as i8) as i32;
        let f = (d.wrapping_mul(a as u16)) as u32;
        (e as u32).wrapping_add(f) ^ (a as u8 as i8 as i64 as u64 >> 3) as u32
    }
    wide_types(a, b) {
        let p = a as u64 * b as u64;
        let q = (a as i32 as i64).wrapping_mul(b as i32 as i64);
        (p >> 32) as u32 ^ (q >> 17) as u32 ^ (q as u64).wrapping_sub(p).count_ones()
    }
    wide_division(a, b) interpreted {
        let q = (a as i32 as i64).wrapping_mul(b as i32 as i64);
        (q as u64 / (b as u64 + 1)) as u32 ^ (q % (a as i64 + 1)) as u32
    }
    float_to_wide(a, b) interpreted {
        (f32::from_bits(a) as i64 as u32) ^ (f32::from_bits(b) as u64 >> 7) as u32
    }
    float_to_int(a, b) {
        let (x, y) = (f32::from_bits(a), f32::from_bits(b));
        (x as i32 as u32) ^ (y as u32) ^ (x as u8 as u32) ^ (y as i16 as u32)
    }
    int_to_float(a, b) {
        ((a as f32) + (b as i32 as f32)).to_bits() ^ (((a as u64) << 20) as f32).to_bits()
    }
    float_arithmetic(a, b) {
        let x = (a as f32) * 0.37 - 5.0;
        let y = (b & 0xffff) as f32 + 1.5;
        let z = x.mul_add(y, 0.25) / (y * y).sqrt();
        (z.abs().floor() + z.fract() - z.max(y).min(x) + x.clamp(-3.0, 3.0)).to_bits()
            ^ z.ceil().copysign(x).to_bits() ^ (x.trunc() + y.round_ties_even()).to_bits()
    }
    float_tests(a, b) {
        let (x, y) = (f32::from_bits(a), f32::from_bits(b));
        x.is_nan() as u32 | (y.is_infinite() as u32) << 1 | (x.is_finite() as u32) << 2 | ((x < y) as u32) << 3
            | ((x != x) as u32) << 4 | ((x >= f32::MAX) as u32) << 5 | ((x == f32::NEG_INFINITY) as u32) << 6
    }
    half_types(a, b) {
        let (x, y) = (bf16::from_f32(a as f32), bf16::from_f32((b & 0xff) as f32 * 0.5 + 1.0));
        let z = f16::from_f32((a & 0x3ff) as f32) * f16::from_f32((b & 7) as f32 + 0.5);
        let w = x / y + x * y - y;
        (w.to_bits() as u32) << 16 ^ z.to_bits() as u32 ^ (w > y) as u32 ^ w.to_f32().to_bits()
    }
    bit_methods(a, b) {
        a.count_ones() + b.leading_zeros() * 3 + (a | 1).trailing_zeros() * 7 + b.count_zeros()
            ^ a.reverse_bits() ^ b.rotate_left(a & 31) ^ (b as i32).rotate_right(5) as u32
    }
    integer_methods(a, b) {
        let d = b | 3;
        a.min(b) ^ a.max(d) ^ a.saturating_sub(b) ^ a.saturating_add(b).rotate_left(1) ^ a.abs_diff(b) ^ a.div_ceil(d)
            ^ (a as i32).wrapping_abs() as u32 ^ a.clamp(3, 90) ^ (a as i32).max(-5) as u32 ^ d.is_power_of_two() as u32
    }
    branches(a, b) {
        let mut n = a;
        if n > b {
            n = n.wrapping_sub(b);
            if n & 1 == 0 { n /= 2 } else { n = n.wrapping_mul(3) }
        } else if n == 0 {
            n = 17;
        }
        let m = if n > 9 { n } else { b };
        n ^ m
    }
    uninitialised(a, b) {
        let x;
        let y: f32;
        if a > b { x = a; y = 2.0; } else { x = b ^ 1; y = 0.5; }
        x ^ y.to_bits()
    }
    early_returns(a, b) {
        if a == b { return 7; }
        let c = a ^ b;
        if c & 1 == 1 {
            if a > 100 { return c; }
            if b > 100 { return !c; }
        }
        let d = if c & 2 == 2 { return 5 } else { c >> 2 };
        clamp_sum(d, c)
    }
    returns_from_loops(a, b) {
        first_set(a).wrapping_mul(100) + first_set(b)
    }
    while_loops(a, b) {
        let (mut x, mut y) = (a % 5000, b % 3000 + 1);
        while y != 0 {
            let t = x % y;
            x = y;
            y = t;
        }
        x
    }
    endless_loops(a, b) {
        let mut n = a % 1000 + 1;
        let mut steps = 0u32;
        loop {
            if n == 1 || steps > 60 { break; }
            if n % 2 == 0 { n /= 2; } else { n = 3 * n + 1; }
            steps += 1;
        }
        steps ^ b
    }
    break_and_continue(a, b) {
        let mut s = 0u32;
        for i in 0..40u32 {
            if i & 3 == a & 3 { continue; }
            if i > b % 50 { break; }
            s = s.wrapping_mul(7).wrapping_add(i);
        }
        s
    }
    labels(a, b) {
        let mut s = 0u32;
        'rows: for i in 0..8u32 {
            let mut j = 0;
            while j < 8 {
                j += 1;
                if j == a % 11 { continue 'rows; }
                if i * j == b % 37 { break 'rows; }
                s += i ^ j;
            }
            s += 100;
        }
        s
    }
    ranges(a, b) {
        let n = b % 23;
        let mut s = a;
        for i in (0..n).rev() { s = s.wrapping_mul(3).wrapping_add(i); }
        for i in (1..n).step_by(3) { s = s.wrapping_mul(5).wrapping_add(i); }
        for i in (1..n).step_by(4).rev() { s = s.wrapping_mul(7).wrapping_add(i); }
        for i in (1..n).rev().step_by(4) { s = s.wrapping_mul(11).wrapping_add(i); }
        for i in 2..=n { s = s.wrapping_mul(13).wrapping_add(i); }
        for i in (0..=n).rev().step_by(2) { s = s.wrapping_mul(17).wrapping_add(i); }
        for i in -5..(n as i32 - 9) { s = s.wrapping_mul(19).wrapping_add(i as u32); }
        for i in (-20..-3i32).step_by(6).rev() { s = s.wrapping_mul(23).wrapping_add(i as u32); }
        for i in 250..=255u8 { s = s.wrapping_mul(29).wrapping_add(i as u32); }
        for i in (5..9u64).rev() { s = s.wrapping_mul(31).wrapping_add(i as u32); }
        for i in u32::MAX - 2..=u32::MAX { s = s.wrapping_mul(37).wrapping_add(i); }
        for i in (i32::MAX - 9..i32::MAX).step_by(4) { s = s.wrapping_mul(41).wrapping_add(i as u32); }
        s
    }
    stepped_with_exits(a, b) {
        let mut s = 0u32;
        for k in (0..64).step_by(16) {
            if k as u32 > a { break; }
            s += k as u32 + 1;
        }
        for k in (0..20u32).step_by(3).rev() {
            if k == b % 20 { break; }
            s = s * 2 + k;
        }
        s
    }
    matches(a, b) {
        let x = match a % 9 {
            0 => 5,
            1 | 2 => b,
            3..=5 => 77,
            n if n > b => n,
            _ => 1,
        };
        let y = match (b % 7) as i32 - 3 { -2 => 1, -1..=1 => 2, i32::MAX => 9, _ => 3 };
        let z = match a > b { true => 10, false => 20 };
        match x { LIMIT => 0, _ => x ^ y ^ z }
    }
    arrays(a, b) {
        let mut t = [a, b, 3, 4];
        t[(b % 4) as usize] = 9;
        t[0] ^= 5;
        let mut s = 0u32;
        for i in 0..4 { s = s.wrapping_mul(10).wrapping_add(t[i]); }
        s ^ TABLE[(a % 4) as usize] ^ total(t) ^ total([a; 3])
    }
    tuples_and_structs(a, b) {
        let p = swap(Point { x: a, y: b });
        let mut q = (p.x, [p.y, 1]);
        q.0 ^= 3;
        q.1[1] = q.0 ^ 8;
        let (c, d) = (q.1, q.0);
        c[0] ^ c[1].wrapping_mul(d)
    }
    references(a, b) {
        let mut n = a;
        bump(&mut n, b);
        let r = &mut n;
        *r = r.wrapping_mul(3);
        bump(r, 1);
        let k = &n;
        *k ^ n
    }
    generics(a, b) {
        let f = larger(a as f32, 2.5);
        larger(a, b) ^ larger(a as i32, b as i32) as u32 ^ larger::<f32>(f, 1.0).to_bits() ^ times::<5>(a)
    }
    short_circuits(a, b) {
        let ok = b != 0 && a / b > 3 || first_set(a) == 2;
        let mut n = 1;
        if ok && clamp_sum(a, b) < LIMIT { n = 2; }
        n ^ ok as u32
    }
    literals(a, b) {
        let mut i = 0;
        let mut x = 0.1;
        let big = 0xffff_ffffu32;
        while i < 5 { i += 1; x = x * 1.1 + 1e-3; }
        let y: f32 = x;
        let k = if a > b { 1 } else { -1 };
        (i as u32).wrapping_add(y.to_bits()) ^ (k as i64 as u32) ^ big ^ (3 as f32).to_bits() ^ (2.75 as u32) ^ b'a' as u32 ^ (-7i32) as u32
    }
    shadowing(a, b) {
        let k = a;
        let stage = k ^ b;
        let k = { let k = stage.wrapping_add(1); let item = k; item ^ k.wrapping_mul(2) };
        let v = { let a = b; a };
        let __t_1 = v ^ k;
        let args = __t_1; let consts = args ^ stage;
        for it in 0..1u32 { let a = it; let _ = a; }
        consts ^ a
    }
    nested_functions(a, b) {
        let mut s = 0u32;
        for i in 0..6u32 {
            let c = clamp_sum(a % 500 + i, b % 700);
            if c == LIMIT { s += 1; continue; }
            s ^= first_set(c) + times::<3>(i);
        }
        s
    }
    unreachable_rests(a, b) {
        let mut n = a;
        for i in 0..3u32 {
            if b > 5 { n ^= i; continue; } else { n = n.wrapping_add(1); break; }
            n = 0;
        }
        if a > b { return n; } else { return n ^ b; }
        n.wrapping_mul(3)
    }
    first_values_in_loops(a, b) {
        let last;
        let mut i = a % 5;
        loop {
            if i >= 7 { last = i ^ b; break; }
            i += 2;
        }
        let mut seen: u32;
        let mut s = 0u32;
        for k in 0..4u32 {
            seen = k ^ b;
            s = s.wrapping_add(seen);
        }
        last ^ s
    }
}
