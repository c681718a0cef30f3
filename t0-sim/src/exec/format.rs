//! Buffer formats: what a typed element in memory is in registers, and back.
//!
//! A format is up to four components of equal kind, packed from bit 0 upwards (names list them from the top:
//! `10_11_11` has x in bits 10:0). Numbers are those of GFX11 (LLVM `MTBUFFormat::UfmtGFX11`), which descriptors and
//! MTBUF share.
//!
//! Loads are exact or rounded once: unorm `v / (2^n - 1)`, snorm the same with `2^(n-1) - 1` and -1 as least value,
//! scaled the integer as a float. Components the format lacks are 0, 0, 0, 1. Stores saturate; a NaN becomes 0 in all
//! but floats. 11- and 10-bit floats have no sign: what is negative becomes 0.
//!
//! UNVERIFIED(hw): stores round norms and f16 to nearest even, scaled and small floats toward zero (D3D11.3 3.1.3);
//! integers saturate; 16-bit data of wider integers keeps the low bits; components the data lacks are stored as 0.

/// What a component's bits mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Unorm,
    Snorm,
    Uscaled,
    Sscaled,
    Uint,
    Sint,
    Float,
}

use Kind::*;

/// A buffer format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Format {
    /// Bits of x, y, z, w; 0 where a component does not exist.
    bits: [u32; 4],
    kind: Kind,
}

impl Format {
    /// The format of a number; `None` for 0 and for numbers that do not exist.
    pub fn new(number: u32) -> Option<Format> {
        const ALL: [Kind; 7] = [Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Float];
        const WIDE: [Kind; 3] = [Uint, Sint, Float];
        const FEW: [Kind; 4] = [Unorm, Snorm, Uint, Sint];
        let runs: [(u32, [u32; 4], &[Kind]); 14] = [
            (1, [8, 0, 0, 0], &ALL[..6]),
            (7, [16, 0, 0, 0], &ALL),
            (14, [8, 8, 0, 0], &ALL[..6]),
            (20, [32, 0, 0, 0], &WIDE),
            (23, [16, 16, 0, 0], &ALL),
            (30, [11, 11, 10, 0], &ALL[6..]),
            (31, [10, 11, 11, 0], &ALL[6..]),
            (32, [2, 10, 10, 10], &FEW),
            (36, [10, 10, 10, 2], &ALL[..6]),
            (42, [8, 8, 8, 8], &ALL[..6]),
            (48, [32, 32, 0, 0], &WIDE),
            (51, [16, 16, 16, 16], &ALL),
            (58, [32, 32, 32, 0], &WIDE),
            (61, [32, 32, 32, 32], &WIDE),
        ];
        runs.iter().find_map(|(first, bits, kinds)| {
            let kind = *kinds.get(number.checked_sub(*first)? as usize)?;
            Some(Format { bits: *bits, kind })
        })
    }

    /// Bytes of an element.
    pub fn bytes(&self) -> u64 {
        u64::from(self.bits.iter().sum::<u32>() / 8)
    }

    /// What the constant 1 is in registers.
    pub fn one(&self, d16: bool) -> u32 {
        match (self.kind, d16) {
            (Uint | Sint, _) => 1,
            (_, true) => 0x3c00,
            (_, false) => 0x3f80_0000,
        }
    }

    /// Components of an element: 32-bit register values, or 16-bit ones for d16.
    pub fn load(&self, element: u128, d16: bool) -> [u32; 4] {
        let (mut out, mut at) = ([0, 0, 0, self.one(d16)], 0);
        for (o, &n) in out.iter_mut().zip(&self.bits).filter(|(_, &n)| n > 0) {
            *o = self.widen((element >> at) as u32 & mask(n), n, d16);
            at += n;
        }
        out
    }

    /// An element made of register values.
    pub fn store(&self, values: [u32; 4], d16: bool) -> u128 {
        let (mut element, mut at) = (0, 0);
        for (&v, &n) in values.iter().zip(&self.bits) {
            if n > 0 {
                element |= u128::from(self.narrow(v, n, d16)) << at;
                at += n;
            }
        }
        element
    }

    /// A component of `n` bits as a register value.
    fn widen(&self, v: u32, n: u32, d16: bool) -> u32 {
        let signed = (v << (32 - n)) as i32 >> (32 - n);
        let (u, i) = (f64::from(v), f64::from(signed));
        let value = match self.kind {
            Uint if d16 => return v & 0xffff,
            Sint if d16 => return signed as u32 & 0xffff,
            Uint => return v,
            Sint => return signed as u32,
            Float => {
                let wide = match n {
                    32 => v,
                    16 => float_from(v & 0x7fff, 10) | v >> 15 << 31,
                    _ => float_from(v, n - 5),
                };
                return if d16 { half(wide) } else { wide };
            }
            Unorm => u / f64::from(mask(n)),
            Snorm => (i / f64::from(mask(n - 1))).max(-1.0),
            Uscaled => u,
            Sscaled => i,
        };
        let wide = (value as f32).to_bits();
        if d16 {
            half(wide)
        } else {
            wide
        }
    }

    /// A register value as a component of `n` bits.
    fn narrow(&self, v: u32, n: u32, d16: bool) -> u32 {
        if n == 32 && !d16 {
            return v;
        }
        let signed = if d16 { i32::from(v as i16) } else { v as i32 };
        let unsigned = if d16 { v & 0xffff } else { v };
        let float = if d16 {
            float_from(v & 0x7fff, 10) | (v >> 15 & 1) << 31
        } else {
            v
        };
        let x = f64::from(f32::from_bits(float));
        let (top, top_i) = (f64::from(mask(n)), f64::from(mask(n - 1)));
        // A cast of NaN gives 0.
        match self.kind {
            Uint => unsigned.min(mask(n)),
            Sint => signed.clamp(-(mask(n - 1) as i32) - 1, mask(n - 1) as i32) as u32 & mask(n),
            Unorm => (x.clamp(0.0, 1.0) * top).round_ties_even() as u32,
            Snorm => (x.clamp(-1.0, 1.0) * top_i).round_ties_even() as i32 as u32 & mask(n),
            Uscaled => x.clamp(0.0, top) as u32,
            Sscaled => x.clamp(-top_i - 1.0, top_i) as i32 as u32 & mask(n),
            Float if n == 32 => float,
            Float if n == 16 => half(float),
            Float => small_float(float, n - 5),
        }
    }
}

fn mask(n: u32) -> u32 {
    u32::MAX >> (32 - n)
}

/// A positive float of 5 exponent and `m` mantissa bits as f32; exact.
fn float_from(v: u32, m: u32) -> u32 {
    let (e, f) = (v >> m, v & mask(m));
    match e {
        31 => 0x7f80_0000 | f << (23 - m),
        0 => (f as f32 * 2f32.powi(-14 - m as i32)).to_bits(),
        _ => (e + 112) << 23 | f << (23 - m),
    }
}

/// An f32 as f16, to nearest even; a NaN keeps its upper bits and is quiet.
fn half(v: u32) -> u32 {
    let (sign, a) = (v >> 16 & 0x8000, v & 0x7fff_ffff);
    if a > 0x7f80_0000 {
        return sign | 0x7e00 | a >> 13 & 0x3ff;
    }
    if a >= 0x4780_0000 {
        // 65536 and beyond.
        return sign | 0x7c00;
    }
    let x = f64::from(f32::from_bits(a));
    // The spacing of f16 numbers around x.
    let exponent = (a >> 23).max(113) as i32 - 127;
    let unit = 2f64.powi(exponent - 10);
    let n = (x / unit).round_ties_even();
    // n counts units: 1024 of them make the smallest number of an exponent, a carry moves on to the next.
    let bits = if exponent == -14 {
        n as u32
    } else {
        (((exponent + 14) as u32) << 10) + n as u32
    };
    sign | bits.min(0x7c00)
}

/// An f32 as unsigned float of 5 exponent and `m` mantissa bits, toward zero.
fn small_float(v: u32, m: u32) -> u32 {
    let a = v & 0x7fff_ffff;
    let infinity = 31 << m;
    if a > 0x7f80_0000 {
        return infinity | 1 << (m - 1);
    }
    if v >> 31 == 1 {
        return 0;
    }
    if a == 0x7f80_0000 {
        return infinity;
    }
    let exponent = (a >> 23).max(113) as i32 - 127;
    let n = (f64::from(f32::from_bits(a)) / 2f64.powi(exponent - m as i32)) as u32;
    let bits = if exponent == -14 {
        n
    } else {
        ((exponent + 15) as u32) << m | n & mask(m)
    };
    bits.min(infinity - 1)
}
