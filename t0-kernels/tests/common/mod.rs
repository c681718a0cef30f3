//! Buffers between guard bands, argument blocks by hand, random numbers.

use std::ops::Range;
use t0::ir::abi::layout;
use t0::prelude::*;
use t0::{Element, Module};

/// Lengths that meet every edge of lanes, waves and groups.
pub const SHAPES: [usize; 11] = [0, 1, 31, 32, 33, 63, 97, 255, 256, 257, 1009];

/// Matrices whose rows and columns do the same.
pub const MATRICES: [(usize, usize); 14] = [
    (0, 5),
    (5, 0),
    (1, 1),
    (1, 31),
    (3, 32),
    (8, 33),
    (9, 257),
    (2, 1009),
    (31, 7),
    (32, 1),
    (33, 2),
    (97, 13),
    (257, 3),
    (1009, 1),
];

/// Bytes of guard on either side: a multiple of 256, so that what lies between is aligned as an allocation of its own.
const BAND: usize = 1024;
const GUARD: u8 = 0x5e;
const POISON: u8 = 0xa5;

/// The device and its queue.
pub struct Card {
    gpu: Gpu,
    q: Queue,
}

impl Card {
    pub fn open() -> Card {
        let gpu = Gpu::open().unwrap();
        let q = gpu.queue().unwrap();
        Card { gpu, q }
    }

    pub fn load<K: Compile>(&self) -> t0_runtime::Kernel {
        let compiled = K::compile(GFX1100).unwrap();
        let (_, bytes) = layout(&K::stage().unwrap().params);
        assert_eq!(bytes, compiled.resources.kernarg_bytes);
        let module = Module::load(&self.gpu, &compiled.code_object).unwrap();
        let group = [compiled.resources.group, 1, 1];
        module.kernel(&compiled.name).unwrap().with_group(group)
    }

    pub fn args(&self) -> Block {
        Block(Vec::new())
    }

    pub fn run(&self, kernel: &t0_runtime::Kernel, [x, y]: [usize; 2], args: Block) {
        if x * y == 0 {
            return;
        }
        let group = kernel.group_size().unwrap();
        let job = self
            .q
            .dispatch(kernel, [x as u64, y as u64, 1], group, &args.0)
            .unwrap();
        job.wait().unwrap();
    }
}

/// An argument block: parameters in order, each aligned to its size (8 at most).
pub struct Block(Vec<u8>);

impl Block {
    pub fn scalar(mut self, bits: u32) -> Block {
        self.0.extend(bits.to_le_bytes());
        self
    }

    pub fn slice<T: Element>(self, g: &Guarded<T>, len: usize) -> Block {
        self.pointer(g.va()).words(&[len, 0])
    }

    pub fn mat<T: Element>(self, g: &Guarded<T>, rows: usize, cols: usize, stride: usize) -> Block {
        let len = if rows * cols == 0 {
            0
        } else {
            (rows - 1) * stride + cols
        };
        self.pointer(g.va()).words(&[rows, cols, stride, len])
    }

    fn pointer(mut self, va: u64) -> Block {
        self.0.resize(self.0.len().next_multiple_of(8), 0);
        self.0.extend(va.to_le_bytes());
        self
    }

    fn words(mut self, words: &[usize]) -> Block {
        for &w in words {
            self.0.extend(u32::try_from(w).unwrap().to_le_bytes());
        }
        self
    }
}

/// Elements between two guard bands.
pub struct Guarded<T: Element> {
    bytes: Buffer<u8>,
    len: usize,
    _elements: std::marker::PhantomData<T>,
}

impl<T: Element> Guarded<T> {
    pub fn new(card: &Card, data: &[T]) -> Guarded<T> {
        Guarded::from_bytes(card, bytemuck::cast_slice(data), data.len())
    }

    pub fn poisoned(card: &Card, len: usize) -> Guarded<T> {
        Guarded::from_bytes(card, &vec![POISON; len * size_of::<T>()], len)
    }

    fn from_bytes(card: &Card, middle: &[u8], len: usize) -> Guarded<T> {
        let all = [&[GUARD; BAND][..], middle, &[GUARD; BAND][..]].concat();
        let bytes = card.gpu.upload(&all).unwrap();
        Guarded {
            bytes,
            len,
            _elements: std::marker::PhantomData,
        }
    }

    fn va(&self) -> u64 {
        self.bytes.va() + BAND as u64
    }

    /// The elements, after both bands were found whole.
    pub fn read(&self, name: &str) -> Vec<T> {
        let all = self.bytes.to_vec().unwrap();
        let end = BAND + self.len * size_of::<T>();
        for (i, &b) in all.iter().enumerate() {
            assert!(
                (BAND..end).contains(&i) || b == GUARD,
                "{name}: wrote at byte {} of 0..{}",
                i as i64 - BAND as i64,
                end - BAND
            );
        }
        all[BAND..end]
            .chunks_exact(size_of::<T>())
            .map(bytemuck::pod_read_unaligned)
            .collect()
    }

    /// These elements were not written.
    pub fn assert_poisoned(&self, range: Range<usize>, what: &str) {
        let all = self.bytes.to_vec().unwrap();
        let size = size_of::<T>();
        for i in range {
            let at = BAND + i * size;
            assert!(
                all[at..at + size].iter().all(|&b| b == POISON),
                "{what}: element {i} was written"
            );
        }
    }
}

/// A small reproducible generator (xorshift64*, Vigna 2016).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next number in −1 … 1.
    pub fn unit(&mut self) -> f32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let bits = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 40;
        bits as f32 / (1u32 << 23) as f32 - 1.0
    }
}
