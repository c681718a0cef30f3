//! Global memory of the interpreter, and LDS with its race detector.

/// Global memory: buffers at addresses far enough from each other that no access can reach from one into the next unnoticed.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    buffers: Vec<(u64, Vec<u8>)>,
}

/// Unused addresses before, between and after buffers, in bytes.
const GAP: u64 = 1 << 20;

impl Memory {
    /// No buffers.
    pub fn new() -> Memory {
        Memory::default()
    }

    /// A buffer with the given content; its address (a multiple of 256).
    pub fn alloc(&mut self, content: &[u8]) -> u64 {
        let end = self.buffers.last().map_or(0, |(at, b)| at + b.len() as u64);
        let at = (end + GAP).next_multiple_of(256);
        self.buffers.push((at, content.to_vec()));
        at
    }

    /// Content of the buffer that was allocated at an address.
    pub fn buffer(&self, address: u64) -> Option<&[u8]> {
        self.buffers.iter().find(|b| b.0 == address).map(|b| b.1.as_slice())
    }

    /// Bytes at an address, if they lie inside one buffer.
    pub fn read(&self, address: u64, bytes: u64) -> Option<&[u8]> {
        let (i, start) = self.find(address, bytes)?;
        Some(&self.buffers[i].1[start..start + bytes as usize])
    }

    /// Bytes at an address, to change.
    pub fn write(&mut self, address: u64, bytes: u64) -> Option<&mut [u8]> {
        let (i, start) = self.find(address, bytes)?;
        Some(&mut self.buffers[i].1[start..start + bytes as usize])
    }

    fn find(&self, address: u64, bytes: u64) -> Option<(usize, usize)> {
        let i = self.buffers.partition_point(|b| b.0 <= address).checked_sub(1)?;
        let start = address - self.buffers[i].0;
        let end = start.checked_add(bytes)?;
        (end <= self.buffers[i].1.len() as u64).then_some((i, start as usize))
    }
}

/// Little-endian bits of a scalar's bytes.
pub(super) fn bits_of(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b))
}

/// What an LDS access does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
    Atomic,
}

/// Who touched a byte since the last barrier.
#[derive(Clone, Copy, Default)]
struct Shadow {
    epoch: u32,
    readers: u32,
    writers: u32,
    atomics: u32,
}

/// LDS of one workgroup.
pub(super) struct Lds {
    pub(super) bytes: Vec<u8>,
    shadow: Vec<Shadow>,
    epoch: u32,
}

impl Lds {
    pub(super) fn new(bytes: u32) -> Lds {
        Lds {
            bytes: vec![0xa5; bytes as usize],
            shadow: vec![Shadow::default(); bytes as usize],
            epoch: 1,
        }
    }

    pub(super) fn barrier(&mut self) {
        self.epoch += 1;
    }

    /// Notes an access; `Err`: another wave that conflicts, and the byte.
    pub(super) fn touch(&mut self, wave: u32, at: usize, bytes: usize, access: Access) -> Result<(), (u32, u64)> {
        let me = 1u32 << wave;
        for (i, s) in self.shadow[at..at + bytes].iter_mut().enumerate() {
            if s.epoch != self.epoch {
                *s = Shadow {
                    epoch: self.epoch,
                    ..Shadow::default()
                };
            }
            let others = match access {
                Access::Read => s.writers | s.atomics,
                Access::Write => s.readers | s.writers | s.atomics,
                Access::Atomic => s.readers | s.writers,
            } & !me;
            match access {
                Access::Read => s.readers |= me,
                Access::Write => s.writers |= me,
                Access::Atomic => s.atomics |= me,
            }
            if others != 0 {
                return Err((others.trailing_zeros(), (at + i) as u64));
            }
        }
        Ok(())
    }
}
