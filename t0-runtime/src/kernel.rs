//! Launch arguments: what a launch struct turns into.
//!
//! The layout of the argument block is `t0_ir::abi`'s: parameters in order, each naturally aligned; a scalar 4 or 8
//! bytes; a slice `{u64 address, u32 length, u32 0}`; a matrix `{u64 address, u32 rows, cols, stride, length}`.
//!
//! Invariant: what [`Args::finish`] returns has no written buffer twice, only buffers of the queue's device and below
//! 2³² bytes, so every index the kernel can form fits 32 bits.

use std::sync::Arc;

use bytemuck::Pod;
use t0_ir::stage::KernelEntry;
use t0_ir::Access;

use crate::buffer::{Buffer, BufferCore, MatBuffer};
use crate::error::{Error, Result};
use crate::queue::{Fence, QueueInner};

/// Which compiled kernel a launch needs: the kernel and the values of its const generics.
#[derive(Clone, Debug)]
pub struct KernelKey {
    /// The kernel.
    pub entry: &'static KernelEntry,
    /// Values of its const generics.
    pub consts: Vec<i64>,
    /// How it is compiled.
    pub build: Build,
}

/// How a kernel is compiled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Build {
    /// With checked indices.
    pub checked: bool,
    /// Without the passes that only make the code better.
    pub plain: bool,
}

impl KernelKey {
    /// A kernel compiled as its attribute says.
    pub fn new(entry: &'static KernelEntry, consts: Vec<i64>) -> KernelKey {
        let build = Build {
            checked: entry.checked,
            plain: false,
        };
        KernelKey { entry, consts, build }
    }

    fn identity(&self) -> (&str, &str, &[i64], Build) {
        (self.entry.module, self.entry.name, &self.consts, self.build)
    }
}

impl PartialEq for KernelKey {
    fn eq(&self, other: &Self) -> bool {
        self.identity() == other.identity() && self.entry.line == other.entry.line
    }
}

impl Eq for KernelKey {}

impl std::hash::Hash for KernelKey {
    fn hash<H: std::hash::Hasher>(&self, h: &mut H) {
        self.identity().hash(h);
    }
}

/// A launch struct: a kernel and its arguments.
pub trait Launch {
    /// The kernel to compile.
    fn kernel(&self) -> KernelKey;

    /// Adds the arguments in parameter order, and the grid.
    fn bind(&self, args: &mut Args) -> Result<()>;
}

impl<L: Launch + ?Sized> Launch for &L {
    fn kernel(&self) -> KernelKey {
        (**self).kernel()
    }

    fn bind(&self, args: &mut Args) -> Result<()> {
        (**self).bind(args)
    }
}

/// How many workgroups to launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grid {
    /// This many lanes, one per element; the last workgroup may have idle lanes.
    Lanes(u64),
    /// This many waves, one per row.
    Waves(u64),
    /// Workgroups in x, y, z.
    Groups([u64; 3]),
}

impl std::fmt::Display for Grid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Grid::Lanes(n) => write!(f, "{n} lanes"),
            Grid::Waves(n) => write!(f, "{n} waves"),
            Grid::Groups([x, y, z]) => write!(f, "{x} × {y} × {z} workgroups"),
        }
    }
}

/// A scalar kernel argument: its bits, and whether it takes 8 bytes of the argument block (else 4).
pub trait ScalarArg: Copy {
    /// Bits, sign-extended for signed and zero-extended for other types; and the size in bytes, 4 or 8.
    fn bits(self) -> (u64, u32);
}

macro_rules! scalar_args {
    ($($t:ty: |$v:ident| $bits:expr, $size:literal;)*) => {$(
        impl ScalarArg for $t {
            fn bits(self) -> (u64, u32) {
                let $v = self;
                ($bits, $size)
            }
        }
    )*};
}

scalar_args! {
    bool: |v| v.into(), 4;
    i8: |v| v as u64, 4;
    i16: |v| v as u64, 4;
    i32: |v| v as u64, 4;
    u8: |v| v.into(), 4;
    u16: |v| v.into(), 4;
    u32: |v| v.into(), 4;
    half::f16: |v| v.to_bits().into(), 4;
    half::bf16: |v| v.to_bits().into(), 4;
    f32: |v| v.to_bits().into(), 4;
    i64: |v| v as u64, 8;
    u64: |v| v, 8;
    f64: |v| v.to_bits(), 8;
}

/// The arguments of one launch, in parameter order.
pub struct Args {
    queue: Arc<QueueInner>,
    kernel: String,
    bytes: Vec<u8>,
    uses: Vec<Use>,
    grid: Option<(&'static str, Grid)>,
}

/// A buffer of a launch.
pub(crate) struct Use {
    core: Arc<BufferCore>,
    queue: Arc<QueueInner>,
    access: Access,
    name: &'static str,
}

impl Use {
    pub fn waits_for(&self, queue: &Arc<QueueInner>) -> Vec<Fence> {
        self.core.waits_for(self.access, queue)
    }

    pub fn note(&self, fence: &Fence) {
        self.core.note(self.access, &self.queue, fence);
    }
}

impl Args {
    pub(crate) fn new(queue: &Arc<QueueInner>, kernel: &str) -> Args {
        Args {
            queue: queue.clone(),
            kernel: kernel.into(),
            bytes: Vec::new(),
            uses: Vec::new(),
            grid: None,
        }
    }

    fn align(&mut self, align: usize) {
        self.bytes.resize(self.bytes.len().next_multiple_of(align), 0);
    }

    /// A scalar.
    pub fn scalar(&mut self, value: impl ScalarArg) {
        let (bits, size) = value.bits();
        self.align(size as usize);
        self.bytes.extend(&bits.to_le_bytes()[..size as usize]);
    }

    /// A scalar `usize` of the kernel: 32 bits on the device.
    pub fn size(&mut self, name: &'static str, value: usize) -> Result<()> {
        let v = u32::try_from(value).map_err(|_| Error::TooLong {
            name: name.into(),
            bytes: value as u64,
        })?;
        self.scalar(v);
        Ok(())
    }

    /// A slice.
    pub fn buffer<T: Pod>(&mut self, name: &'static str, b: &Buffer<T>, access: Access) -> Result<()> {
        let len = self.use_memory(name, &b.core, access, b.len() as u64, size_of::<T>())?;
        self.align(8);
        self.bytes.extend(b.va().to_le_bytes());
        self.words([len, 0]);
        Ok(())
    }

    /// A matrix.
    pub fn mat<T: Pod>(&mut self, name: &'static str, m: &MatBuffer<T>, access: Access) -> Result<()> {
        let len = self.use_memory(name, &m.core, access, m.span(), size_of::<T>())?;
        let word = |n: usize| {
            u32::try_from(n).map_err(|_| Error::TooLong {
                name: name.into(),
                bytes: n as u64,
            })
        };
        let shape = [word(m.rows())?, word(m.cols())?, word(m.stride())?, len];
        self.align(8);
        self.bytes.extend(m.va().to_le_bytes());
        self.words(shape);
        Ok(())
    }

    fn words<const N: usize>(&mut self, words: [u32; N]) {
        self.bytes.extend(words.iter().flat_map(|w| w.to_le_bytes()));
    }

    /// Checks a buffer and remembers its use; returns its length in elements.
    fn use_memory(
        &mut self,
        name: &'static str,
        core: &Arc<BufferCore>,
        access: Access,
        len: u64,
        element: usize,
    ) -> Result<u32> {
        let kernel = || self.kernel.clone();
        if !Arc::ptr_eq(core.device(), self.queue.device()) {
            return Err(Error::OtherDevice {
                kernel: kernel(),
                name: name.into(),
            });
        }
        let bytes = len.saturating_mul(element as u64);
        let len = u32::try_from(len).ok().filter(|_| bytes < 1 << 32);
        let len = len.ok_or_else(|| Error::TooLong {
            name: name.into(),
            bytes,
        })?;
        let conflict = |u: &&Use| {
            Arc::ptr_eq(&u.core, core) && !(u.access == access && matches!(access, Access::Read | Access::Atomic))
        };
        if let Some(other) = self.uses.iter().find(conflict) {
            return Err(Error::Aliased {
                kernel: kernel(),
                first: other.name.into(),
                second: name.into(),
            });
        }
        core.rename(name);
        self.uses.push(Use {
            core: core.clone(),
            queue: self.queue.clone(),
            access,
            name,
        });
        Ok(len)
    }

    /// Demands a grid; `name` is the parameter that does. All demands of a launch must agree.
    pub fn grid(&mut self, name: &'static str, grid: Grid) -> Result<()> {
        match self.grid {
            Some((first, g)) if g != grid => Err(Error::GridMismatch {
                kernel: self.kernel.clone(),
                first: first.into(),
                second: name.into(),
                left: g.to_string(),
                right: grid.to_string(),
            }),
            _ => {
                self.grid = Some((name, grid));
                Ok(())
            }
        }
    }

    /// [`Args::grid`] of one lane per element.
    pub fn grid_lanes(&mut self, name: &'static str, n: usize) -> Result<()> {
        self.grid(name, Grid::Lanes(n as u64))
    }

    /// [`Args::grid`] of one wave per row.
    pub fn grid_waves(&mut self, name: &'static str, n: usize) -> Result<()> {
        self.grid(name, Grid::Waves(n as u64))
    }

    /// [`Args::grid`] of workgroups in x and y.
    pub fn grid_groups(&mut self, name: &'static str, x: usize, y: usize) -> Result<()> {
        self.grid(name, Grid::Groups([x as u64, y as u64, 1]))
    }

    /// Workgroups to launch.
    pub(crate) fn groups(&self, group: [u32; 3], wave: u32) -> Result<[u64; 3]> {
        let items: u64 = group.iter().map(|&g| u64::from(g)).product();
        match self.grid {
            None => Err(Error::NoGrid {
                kernel: self.kernel.clone(),
            }),
            Some((_, Grid::Lanes(n))) => Ok([n.div_ceil(items.max(1)), 1, 1]),
            Some((_, Grid::Waves(n))) => Ok([n.div_ceil(items.div_ceil(wave.max(1).into()).max(1)), 1, 1]),
            Some((_, Grid::Groups(g))) => Ok(g),
        }
    }

    /// The argument block and the buffers in it.
    pub(crate) fn finish(self) -> Result<(Vec<u8>, Vec<Use>)> {
        Ok((self.bytes, self.uses))
    }
}
