//! Typed buffers.
//!
//! Invariant: a buffer remembers the launches that use it. Reading waits for the last write, writing and freeing for
//! every use, and a launch in one queue waits for conflicting launches of another. Its memory is given back only then.

use std::marker::PhantomData;
use std::sync::{Arc, Mutex};

use bytemuck::Pod;
use t0_ir::Access;

use crate::device::{lock, Device, Gpu};
use crate::error::{Error, Result};
use crate::memory::{GpuMem, Kind};
use crate::queue::{Fence, QueueInner};

/// A one-dimensional array in video memory.
#[derive(Debug)]
pub struct Buffer<T> {
    pub(crate) core: Arc<BufferCore>,
    /// Byte of the first element in the memory.
    at: u64,
    len: usize,
    _element: PhantomData<T>,
}

/// A row-major matrix in video memory. Rows are `stride` elements apart.
#[derive(Debug)]
pub struct MatBuffer<T> {
    pub(crate) core: Arc<BufferCore>,
    /// Byte of the first element in the memory.
    at: u64,
    rows: usize,
    cols: usize,
    stride: usize,
    _element: PhantomData<T>,
}

/// Memory and the launches that use it.
#[derive(Debug)]
pub(crate) struct BufferCore {
    device: Arc<Device>,
    mem: Option<GpuMem>,
    bytes: u64,
    uses: Mutex<Uses>,
    /// The parameter it was last bound to, for fault messages.
    name: Mutex<&'static str>,
}

#[derive(Debug, Default)]
struct Uses {
    write: Option<Fence>,
    /// At most one per queue.
    reads: Vec<Fence>,
}

impl BufferCore {
    fn new(device: &Arc<Device>, bytes: u64) -> Result<Arc<Self>> {
        let mem = device.alloc(bytes, Kind::Vram, "a buffer")?;
        mem.unwritten(0, bytes);
        let (mem, device) = (Some(mem), device.clone());
        Ok(Arc::new(BufferCore {
            device,
            mem,
            bytes,
            uses: Mutex::default(),
            name: Mutex::new(""),
        }))
    }

    fn mem(&self) -> &GpuMem {
        match &self.mem {
            Some(m) => m,
            None => unreachable!("the memory is taken by drop only"),
        }
    }

    pub fn va(&self) -> u64 {
        self.mem().va()
    }

    /// All its bytes, whatever they mean; nothing may be using it.
    pub fn read_all(&self) -> Vec<u8> {
        let mut all = vec![0; self.bytes as usize];
        self.mem().read(0, &mut all);
        all
    }

    /// Replaces its first bytes; nothing may be using it.
    pub fn write_all(&self, bytes: &[u8]) {
        self.mem().write(0, bytes);
    }

    /// These bytes count as written by nobody, whatever they hold.
    pub fn forget(&self, offset: u64, len: u64) {
        self.mem().unwritten(offset, len);
    }

    /// Which bytes somebody has written; `None` where nobody keeps count.
    pub fn written_bytes(&self) -> Option<Vec<bool>> {
        self.device.sanitizes().then(|| self.mem().written_bytes(self.bytes))
    }

    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Calls the memory by the parameter it is bound to.
    pub fn rename(&self, name: &'static str) {
        let mut have = lock(&self.name);
        if *have != name {
            *have = name;
            self.mem().rename(self.bytes, name);
        }
    }

    /// What a launch in `queue` that accesses the buffer so must wait for; the order in the queue itself is given.
    pub fn waits_for(&self, access: Access, queue: &Arc<QueueInner>) -> Vec<Fence> {
        let uses = lock(&self.uses);
        let reads = if access == Access::Read {
            &[][..]
        } else {
            &uses.reads[..]
        };
        uses.write
            .iter()
            .chain(reads)
            .filter(|f| !f.is_of(queue))
            .cloned()
            .collect()
    }

    /// Remembers a launch.
    pub fn note(&self, access: Access, queue: &Arc<QueueInner>, fence: &Fence) {
        let mut uses = lock(&self.uses);
        if access == Access::Read {
            uses.reads.retain(|f| !f.is_of(queue));
            uses.reads.push(fence.clone());
        } else {
            // The launch was ordered after everything noted so far.
            *uses = Uses {
                write: Some(fence.clone()),
                reads: Vec::new(),
            };
        }
    }

    fn wait_written(&self) -> Result<()> {
        let write = lock(&self.uses).write.clone();
        match write {
            Some(f) => f.wait(&self.device),
            None => self.device.check(),
        }
    }

    /// Waits for every use before the contents are replaced: what a launch that stopped left undone does not matter any more.
    fn wait_unused(&self) -> Result<()> {
        let (write, reads) = {
            let uses = lock(&self.uses);
            (uses.write.clone(), uses.reads.clone())
        };
        self.device.check()?;
        let mut all = write.iter().chain(&reads);
        all.try_for_each(|f| f.wait_over(&self.device))?;
        *lock(&self.uses) = Uses::default();
        Ok(())
    }
}

impl Drop for BufferCore {
    fn drop(&mut self) {
        let uses = std::mem::take(&mut *lock(&self.uses));
        if let Some(mem) = self.mem.take() {
            self.device
                .free(uses.write.into_iter().chain(uses.reads).collect(), mem);
        }
    }
}

fn too_many<T>(count: String) -> Error {
    let size = size_of::<T>();
    Error::TooMany { count, size }
}

fn byte_len<T>(elements: usize) -> Result<u64> {
    let bytes = (elements as u64).checked_mul(size_of::<T>() as u64);
    bytes.ok_or_else(|| too_many::<T>(elements.to_string()))
}

impl Gpu {
    /// A buffer of `len` elements with undefined contents (0xA5 bytes on the simulated card).
    pub fn alloc<T: Pod>(&self, len: usize) -> Result<Buffer<T>> {
        self.alloc_between(len, 0)
    }

    /// [`Gpu::alloc`] with so many bytes of memory before and behind the elements.
    pub(crate) fn alloc_between<T: Pod>(&self, len: usize, band: u64) -> Result<Buffer<T>> {
        let bytes = byte_len::<T>(len)?.saturating_add(2 * band);
        let core = BufferCore::new(&self.device, bytes)?;
        Ok(Buffer {
            core,
            at: band,
            len,
            _element: PhantomData,
        })
    }

    /// A buffer of `len` zeros.
    pub fn alloc_zeroed<T: Pod>(&self, len: usize) -> Result<Buffer<T>> {
        let b = self.alloc(len)?;
        b.core.mem().fill(b.at, b.core.bytes, 0);
        Ok(b)
    }

    /// A buffer with a copy of `data`.
    pub fn upload<T: Pod>(&self, data: &[T]) -> Result<Buffer<T>> {
        let b = self.alloc(data.len())?;
        b.core.mem().write(b.at, bytemuck::cast_slice(data));
        Ok(b)
    }

    /// A matrix with undefined contents, rows without gaps.
    pub fn alloc_mat<T: Pod>(&self, rows: usize, cols: usize) -> Result<MatBuffer<T>> {
        self.alloc_mat_strided(rows, cols, cols)
    }

    /// A matrix with undefined contents whose rows are `stride` ≥ `cols` elements apart.
    pub fn alloc_mat_strided<T: Pod>(&self, rows: usize, cols: usize, stride: usize) -> Result<MatBuffer<T>> {
        self.alloc_mat_between(rows, cols, stride, 0)
    }

    /// [`Gpu::alloc_mat_strided`] with so many bytes of memory before and behind the elements.
    pub(crate) fn alloc_mat_between<T: Pod>(
        &self,
        rows: usize,
        cols: usize,
        stride: usize,
        band: u64,
    ) -> Result<MatBuffer<T>> {
        if stride < cols {
            return Err(Error::Stride { stride, cols });
        }
        let too_many = || too_many::<T>(format!("{rows} x {stride}"));
        let elements = rows.checked_mul(stride).ok_or_else(too_many)?;
        let bytes = byte_len::<T>(elements)?.saturating_add(2 * band);
        let core = BufferCore::new(&self.device, bytes)?;
        Ok(MatBuffer {
            core,
            at: band,
            rows,
            cols,
            stride,
            _element: PhantomData,
        })
    }

    /// A matrix of zeros, rows without gaps.
    pub fn alloc_mat_zeroed<T: Pod>(&self, rows: usize, cols: usize) -> Result<MatBuffer<T>> {
        let m = self.alloc_mat(rows, cols)?;
        m.core.mem().fill(m.at, m.core.bytes, 0);
        Ok(m)
    }

    /// A matrix with a copy of `data`, which holds `rows`·`cols` elements row by row.
    pub fn upload_mat<T: Pod>(&self, rows: usize, cols: usize, data: &[T]) -> Result<MatBuffer<T>> {
        self.upload_mat_strided(rows, cols, cols, data)
    }

    /// Like [`Gpu::upload_mat`], into rows `stride` ≥ `cols` elements apart; the gaps are undefined.
    pub fn upload_mat_strided<T: Pod>(
        &self,
        rows: usize,
        cols: usize,
        stride: usize,
        data: &[T],
    ) -> Result<MatBuffer<T>> {
        check_shape(rows, cols, data.len())?;
        let m = self.alloc_mat_strided(rows, cols, stride)?;
        m.put(data);
        Ok(m)
    }
}

fn check_shape(rows: usize, cols: usize, got: usize) -> Result<()> {
    match rows.checked_mul(cols) {
        Some(want) if want == got => Ok(()),
        want => Err(Error::Shape {
            rows,
            cols,
            want: want.unwrap_or(usize::MAX),
            got,
        }),
    }
}

impl<T: Pod> Buffer<T> {
    /// Elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// GPU address of the first element, for raw kernel arguments.
    pub fn va(&self) -> u64 {
        self.core.va() + self.at
    }

    /// A copy of the contents, after the last launch that writes them. A fault of that launch is the error.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        self.core.wait_written()?;
        let mut out = vec![T::zeroed(); self.len];
        self.core.mem().read(self.at, bytemuck::cast_slice_mut(&mut out));
        Ok(out)
    }

    /// Copies a part of the contents, from element `at` on, after the last launch that writes them.
    ///
    /// Errors: a part that ends behind the buffer; a fault of that launch.
    pub fn read_at(&self, at: usize, out: &mut [T]) -> Result<()> {
        self.has_part(at, out.len())?;
        self.core.wait_written()?;
        let offset = self.at + (at * size_of::<T>()) as u64;
        self.core.mem().read(offset, bytemuck::cast_slice_mut(out));
        Ok(())
    }

    /// Replaces a part of the contents, from element `at` on, after every launch that uses them.
    ///
    /// Errors: a part that ends behind the buffer.
    pub fn write_at(&mut self, at: usize, data: &[T]) -> Result<()> {
        self.has_part(at, data.len())?;
        self.core.wait_unused()?;
        let offset = self.at + (at * size_of::<T>()) as u64;
        self.core.mem().write(offset, bytemuck::cast_slice(data));
        Ok(())
    }

    fn has_part(&self, at: usize, len: usize) -> Result<()> {
        let end = at.saturating_add(len);
        if end <= self.len {
            return Ok(());
        }
        Err(Error::Length {
            what: "buffer and end of the part to copy".into(),
            left: self.len as u64,
            right: end as u64,
        })
    }

    /// Replaces the contents, after every launch that uses them. `data` must have the buffer's length.
    pub fn copy_from(&mut self, data: &[T]) -> Result<()> {
        if data.len() != self.len {
            let what = "buffer and data to copy into it".into();
            return Err(Error::Length {
                what,
                left: self.len as u64,
                right: data.len() as u64,
            });
        }
        self.core.wait_unused()?;
        self.core.mem().write(self.at, bytemuck::cast_slice(data));
        Ok(())
    }

    /// Sets every element, after every launch that uses them.
    pub fn fill(&mut self, value: T) -> Result<()> {
        self.copy_from(&vec![value; self.len])
    }
}

impl<T: Pod> MatBuffer<T> {
    /// Rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Elements from one row to the next.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// GPU address of the first element, for raw kernel arguments.
    pub fn va(&self) -> u64 {
        self.core.va() + self.at
    }

    /// Elements from the first to the last, gaps between rows included.
    pub(crate) fn span(&self) -> u64 {
        match (self.rows, self.cols) {
            (0, _) | (_, 0) => 0,
            (r, c) => (r as u64 - 1) * self.stride as u64 + c as u64,
        }
    }

    fn row_offset(&self, row: usize) -> u64 {
        self.at + (row as u64 * self.stride as u64) * size_of::<T>() as u64
    }

    fn put(&self, data: &[T]) {
        if self.stride == self.cols {
            return self.core.mem().write(self.at, bytemuck::cast_slice(data));
        }
        for (row, data) in data.chunks_exact(self.cols.max(1)).enumerate() {
            self.core.mem().write(self.row_offset(row), bytemuck::cast_slice(data));
        }
    }

    /// A copy of the contents, row by row without gaps, after the last launch that writes them.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        self.core.wait_written()?;
        let mut out = vec![T::zeroed(); self.rows * self.cols];
        if self.stride == self.cols {
            self.core.mem().read(self.at, bytemuck::cast_slice_mut(&mut out));
        } else {
            for (row, out) in out.chunks_exact_mut(self.cols.max(1)).enumerate() {
                self.core
                    .mem()
                    .read(self.row_offset(row), bytemuck::cast_slice_mut(out));
            }
        }
        Ok(out)
    }

    /// Everything the matrix owns, gaps between and after rows included: what a test of stray writes looks at.
    pub fn to_vec_with_gaps(&self) -> Result<Vec<T>> {
        self.core.wait_written()?;
        let mut out = vec![T::zeroed(); self.rows * self.stride];
        self.core.mem().read(self.at, bytemuck::cast_slice_mut(&mut out));
        Ok(out)
    }

    /// Replaces the contents, after every launch that uses them. `data` holds rows·cols elements row by row.
    pub fn copy_from(&mut self, data: &[T]) -> Result<()> {
        check_shape(self.rows, self.cols, data.len())?;
        self.core.wait_unused()?;
        self.put(data);
        Ok(())
    }
}

const _: fn() = || {
    fn shared<T: Send + Sync>() {}
    shared::<Buffer<f32>>();
    shared::<MatBuffer<f32>>();
    shared::<Gpu>();
    shared::<crate::Queue>();
};

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_copied_where_they_belong() {
        let gpu = Gpu::simulated().unwrap();
        let mut b = gpu.upload(&[1u32, 2, 3, 4]).unwrap();
        b.write_at(1, &[7, 8]).unwrap();
        let mut part = [0; 3];
        b.read_at(1, &mut part).unwrap();
        assert_eq!((part, b.to_vec().unwrap()), ([7, 8, 4], vec![1, 7, 8, 4]));
        b.write_at(4, &[]).unwrap();
        for at in [2, usize::MAX] {
            assert!(b.read_at(at, &mut part).is_err() && b.write_at(at, &part).is_err());
        }
    }

    #[test]
    fn too_many_elements_are_given_as_asked_for() {
        let gpu = Gpu::simulated().unwrap();
        let e = gpu.alloc::<f32>(usize::MAX).unwrap_err().to_string();
        assert!(
            e.starts_with("18446744073709551615 elements of 4 bytes are more than"),
            "{e}"
        );
        let e = gpu.alloc_mat::<f32>(usize::MAX, 3).unwrap_err().to_string();
        assert!(e.starts_with("18446744073709551615 x 3 elements of 4 bytes"), "{e}");
    }
}
