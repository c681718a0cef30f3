//! Test buffers: between guard bands, with what the host knows of their contents.

use std::ops::{Deref, DerefMut, Index};
use std::sync::Arc;

use super::blame::Wrong;
use super::values::{Sample, Tolerance};
use crate::buffer::{Buffer, BufferCore, MatBuffer};

/// Bytes of guard on either side: a multiple of 256, so that what lies between is aligned as an allocation of its own.
pub(super) const BAND: u64 = 1024;
pub(super) const GUARD: u8 = 0x5e;
/// What outputs and the gaps between rows hold before a launch.
pub(super) const POISON: u8 = 0xa5;

/// A vector that is read: a `&Buffer<T>` for the launch, its elements by index for the reference.
#[derive(Debug)]
pub struct Input<T> {
    pub(super) name: String,
    pub(super) buffer: Buffer<T>,
    pub(super) data: Vec<T>,
}

/// A vector that is written: a `&mut Buffer<T>` for the launch.
#[derive(Debug)]
pub struct Output<T> {
    pub(super) name: String,
    pub(super) buffer: Buffer<T>,
    pub(super) before: Vec<T>,
}

/// A matrix that is read: a `&MatBuffer<T>` for the launch, its elements by `[(row, column)]` for the reference.
#[derive(Debug)]
pub struct InputMat<T> {
    pub(super) name: String,
    pub(super) buffer: MatBuffer<T>,
    pub(super) data: Vec<T>,
    pub(super) rows: usize,
    pub(super) cols: usize,
}

/// A matrix that is written: a `&mut MatBuffer<T>` for the launch.
#[derive(Debug)]
pub struct OutputMat<T> {
    pub(super) name: String,
    pub(super) buffer: MatBuffer<T>,
}

impl<T> Input<T> {
    /// The elements.
    pub fn data(&self) -> &[T] {
        &self.data
    }
}

impl<T> Output<T> {
    /// The elements before the first launch.
    pub fn before(&self) -> &[T] {
        &self.before
    }
}

impl<T> InputMat<T> {
    /// A row.
    ///
    /// # Panics
    /// If there is no such row.
    #[track_caller]
    pub fn row(&self, r: usize) -> &[T] {
        let Self { name, rows, .. } = self;
        assert!(r < *rows, "{name}.row({r}): the matrix has {rows} rows");
        &self.data[r * self.cols..(r + 1) * self.cols]
    }
}

macro_rules! is_a_buffer {
    ($($name:ident: $buffer:ident $(, $mutable:ident)?;)*) => { $(
        impl<T> Deref for $name<T> {
            type Target = $buffer<T>;
            fn deref(&self) -> &$buffer<T> {
                &self.buffer
            }
        }
        $(impl<T> $mutable for $name<T> {
            fn deref_mut(&mut self) -> &mut $buffer<T> {
                &mut self.buffer
            }
        })?
    )* };
}

is_a_buffer! { Input: Buffer; Output: Buffer, DerefMut; InputMat: MatBuffer; OutputMat: MatBuffer, DerefMut; }

impl<T> Index<usize> for Input<T> {
    type Output = T;

    #[track_caller]
    fn index(&self, i: usize) -> &T {
        let n = self.data.len();
        assert!(i < n, "{}[{i}]: the input has {n} elements", self.name);
        &self.data[i]
    }
}

impl<T> Index<(usize, usize)> for InputMat<T> {
    type Output = T;

    #[track_caller]
    fn index(&self, (r, c): (usize, usize)) -> &T {
        let Self { name, rows, cols, .. } = self;
        assert!(
            r < *rows && c < *cols,
            "{name}[({r}, {c})]: the input has {rows} rows and {cols} columns"
        );
        &self.data[r * cols + c]
    }
}

/// Where the elements of a buffer lie between its bands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub rows: usize,
    pub cols: usize,
    pub stride: usize,
    /// Bytes of an element.
    pub size: usize,
}

impl Layout {
    /// Bytes between the bands.
    pub fn bytes(&self) -> usize {
        self.rows * self.stride * self.size
    }

    /// Something of every element, told by the byte it is at.
    pub fn elements<R>(&self, f: impl Fn(usize) -> R) -> Vec<R> {
        let all = (0..self.rows).flat_map(|r| (0..self.cols).map(move |c| (r, c)));
        all.map(|(r, c)| f(self.at(r, c))).collect()
    }

    /// Byte of an element, counted from the first band.
    pub fn at(&self, r: usize, c: usize) -> usize {
        BAND as usize + (r * self.stride + c) * self.size
    }

    /// What lies between the bands.
    pub fn elements_at(&self) -> std::ops::Range<usize> {
        BAND as usize..BAND as usize + self.bytes()
    }

    /// The whole memory before the launch: bands, gaps, elements.
    pub fn image(&self, elements: Option<&[u8]>) -> Vec<u8> {
        let band = vec![GUARD; BAND as usize];
        let mut all = [&band[..], &vec![POISON; self.bytes()], &band].concat();
        if let Some(elements) = elements {
            let row = self.cols * self.size;
            for (r, bytes) in elements.chunks_exact(row.max(1)).enumerate() {
                let at = self.at(r, 0);
                all[at..at + row].copy_from_slice(bytes);
            }
        }
        all
    }

    /// The row and column of an element's byte, or where else it is.
    fn place(&self, byte: usize) -> Place {
        let inside = byte.wrapping_sub(BAND as usize);
        if byte < BAND as usize {
            return Place::Before(BAND as usize - byte);
        }
        if inside >= self.bytes() {
            return Place::Behind(inside - self.bytes());
        }
        let element = inside / self.size;
        let (r, c) = (element / self.stride.max(1), element % self.stride.max(1));
        match c < self.cols {
            true => Place::Element(r, c),
            false => Place::Gap(r),
        }
    }
}

enum Place {
    Before(usize),
    Behind(usize),
    Gap(usize),
    Element(usize, usize),
}

/// What a buffer holds, bands and all.
pub(super) struct Contents {
    pub bytes: Vec<u8>,
    /// Which of them somebody has written; `None` where nobody keeps count.
    written: Option<Vec<bool>>,
}

impl Contents {
    pub fn of(core: &BufferCore) -> Contents {
        Contents {
            bytes: core.read_all(),
            written: core.written_bytes(),
        }
    }

    /// Makes the buffer hold it again.
    pub fn put_back(&self, core: &BufferCore) {
        core.write_all(&self.bytes);
        let mut at = 0;
        for run in self.written.iter().flat_map(|w| w.chunk_by(|a, b| a == b)) {
            if !run[0] {
                core.forget(at, run.len() as u64);
            }
            at += run.len() as u64;
        }
    }
}

/// A buffer that a test looks after.
pub(super) struct Watched {
    pub name: String,
    pub core: Arc<BufferCore>,
    pub layout: Layout,
    /// Is the launch to leave it alone?
    pub read_only: bool,
    /// One row of elements, no vector.
    pub vector: bool,
    /// Are two elements the same number? All NaNs are.
    pub same: fn(&[u8], &[u8]) -> bool,
    pub text: fn(&[u8]) -> String,
}

/// The bytes of an element as its type.
pub(super) fn element<T: Sample>(bytes: &[u8]) -> T {
    bytemuck::pod_read_unaligned(bytes)
}

pub(super) fn same<T: Sample>(a: &[u8], b: &[u8]) -> bool {
    let (x, y): (T, T) = (element(a), element(b));
    a == b || (x.to_f64().is_nan() && y.to_f64().is_nan())
}

pub(super) fn text<T: Sample>(bytes: &[u8]) -> String {
    element::<T>(bytes).text()
}

/// A value for a message. `written`: whether the element was, if somebody keeps count; else poison tells.
fn value_text<T: Sample>(x: T, written: Option<bool>) -> String {
    let poison = || bytemuck::bytes_of(&x).iter().all(|&b| b == POISON);
    match written {
        Some(false) => format!("{} (poison: never written)", x.text()),
        None if poison() => format!("{} (that is poison: perhaps never written)", x.text()),
        _ => x.text(),
    }
}

impl Watched {
    fn element_name(&self, r: usize, c: usize) -> String {
        match self.vector {
            true => format!("{}[{c}]", self.name),
            false => format!("{}[{r}][{c}]", self.name),
        }
    }

    /// What a launch did that it must not do, if anything.
    pub fn stray_write(&self, before: &[u8], after: &[u8]) -> Option<Wrong> {
        let changed = before.iter().zip(after).enumerate().filter(|(_, (a, b))| a != b);
        for (byte, _) in changed {
            let name = &self.name;
            let text = match self.layout.place(byte) {
                Place::Before(n) => format!("the kernel wrote {n} bytes before the start of `{name}`"),
                Place::Behind(n) => format!("the kernel wrote {n} bytes behind the end of `{name}`"),
                Place::Gap(r) => format!("the kernel wrote into the gap behind row {r} of `{name}`"),
                Place::Element(r, c) if self.read_only => {
                    format!("the kernel wrote {}, which it is to read only", self.element_name(r, c))
                }
                Place::Element(..) => continue,
            };
            return Some(Wrong {
                text,
                byte,
                unwritten: false,
            });
        }
        None
    }

    /// Where two runs differ, if they do.
    pub fn difference(&self, plain: &[u8], optimised: &[u8]) -> Option<Wrong> {
        let l = &self.layout;
        let all = (0..l.rows).flat_map(|r| (0..l.cols).map(move |c| (r, c)));
        for (r, c) in all {
            let at = l.at(r, c)..l.at(r, c) + l.size;
            let (a, b) = (&plain[at.clone()], &optimised[at]);
            if !(self.same)(a, b) {
                return Some(Wrong {
                    text: format!(
                        "{} is {} from optimised code and {} from plain code",
                        self.element_name(r, c),
                        (self.text)(b),
                        (self.text)(a)
                    ),
                    byte: l.at(r, c),
                    unwritten: false,
                });
            }
        }
        None
    }
}

/// The first element that is not as expected, and how many there are. An element nobody has written is wrong whatever it
/// holds. `at`: the byte of an element, counted from the first band.
pub(super) fn compare<T: Sample>(
    got: &[T],
    written: Option<Vec<bool>>,
    want: impl Fn(usize) -> T,
    name: impl Fn(usize) -> String,
    at: impl Fn(usize) -> usize,
    tolerance: Tolerance,
) -> Option<Wrong> {
    let of = |i| written.as_ref().map(|all| all[i]);
    let mut first = None;
    let mut wrong = 0usize;
    for (i, &g) in got.iter().enumerate() {
        let w = want(i);
        if !tolerance.accepts(g, w) || of(i) == Some(false) {
            wrong += 1;
            first.get_or_insert((i, g, w));
        }
    }
    let (i, g, w) = first?;
    let more = match wrong {
        1 => String::new(),
        n => format!(" ({n} elements of {} are wrong)", got.len()),
    };
    Some(Wrong {
        text: format!("{} is {}, expected {}{more}", name(i), value_text(g, of(i)), w.text()),
        byte: at(i),
        unwritten: of(i) == Some(false),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn places_between_the_bands() {
        let l = Layout {
            rows: 2,
            cols: 3,
            stride: 5,
            size: 4,
        };
        let elements: Vec<u8> = (0..24).collect();
        let image = l.image(Some(&elements));
        assert_eq!(image.len(), 2 * BAND as usize + 40);
        assert_eq!(image[l.at(1, 2)..][..4], [20, 21, 22, 23]);
        assert_eq!(image[l.at(0, 3)..l.at(1, 0)], [POISON; 8]);
        let kind = |byte| match l.place(byte) {
            Place::Before(n) => format!("before {n}"),
            Place::Behind(n) => format!("behind {n}"),
            Place::Gap(r) => format!("gap {r}"),
            Place::Element(r, c) => format!("{r} {c}"),
        };
        let b = BAND as usize;
        let got: Vec<String> = [b - 1, b, b + 11, b + 12, b + 20, b + 40].map(kind).into();
        assert_eq!(got, ["before 1", "0 0", "0 2", "gap 0", "1 0", "behind 0"]);
    }

    fn watched(read_only: bool) -> Watched {
        let gpu = crate::Gpu::simulated().unwrap();
        Watched {
            name: "y".into(),
            core: gpu.alloc::<f32>(1).unwrap().core,
            layout: Layout {
                rows: 2,
                cols: 3,
                stride: 5,
                size: 4,
            },
            read_only,
            vector: false,
            same: same::<f32>,
            text: text::<f32>,
        }
    }

    #[test]
    fn stray_writes_are_named() {
        let w = watched(false);
        let before = w.layout.image(None);
        let with = |w: &Watched, byte: usize| {
            let mut after = before.clone();
            after[byte] ^= 1;
            w.stray_write(&before, &after).map(|w| w.text)
        };
        let b = BAND as usize;
        let says = |byte, text: &str| assert_eq!(with(&w, byte).unwrap(), format!("the kernel wrote {text}"));
        says(b - 4, "4 bytes before the start of `y`");
        says(b + 40, "0 bytes behind the end of `y`");
        says(b + 12, "into the gap behind row 0 of `y`");
        assert_eq!(with(&w, b + 8), None);
        let text = with(&watched(true), b + 28).unwrap();
        assert_eq!(text, "the kernel wrote y[1][2], which it is to read only");
    }

    #[test]
    fn differences_are_of_numbers() {
        let w = watched(false);
        let image = |x: f32, gap: u8| {
            let mut bytes = w.layout.image(None);
            let (at, behind) = (w.layout.at(1, 1), w.layout.at(1, 3));
            bytes[at..at + 4].copy_from_slice(&x.to_le_bytes());
            bytes[behind] = gap;
            bytes
        };
        assert!(w.difference(&image(f32::NAN, 1), &image(-f32::NAN, 2)).is_none());
        let wrong = w.difference(&image(1.0, 0), &image(2.5, 0)).unwrap();
        assert_eq!(wrong.byte, w.layout.at(1, 1));
        assert_eq!(wrong.text, "y[1][1] is 2.5 from optimised code and 1 from plain code");
    }

    #[test]
    fn the_first_wrong_element_is_told() {
        fn compare<T: Sample>(got: &[T], written: Option<Vec<bool>>, want: T) -> String {
            let name = |i| format!("y[{i}]");
            let wrong = super::compare(got, written, |_| want, name, |i| 10 * i, Tolerance::EXACT).unwrap();
            assert!(wrong.text.starts_with(&format!("y[{}] ", wrong.byte / 10)));
            wrong.text
        }
        let poison: f32 = element(&[POISON; 4]);
        let text = compare(&[0.0, 1.0, poison, 3.0], None, 0.0);
        assert_eq!(text, "y[1] is 1, expected 0 (3 elements of 4 are wrong)");
        let text = compare(&[poison], None, 0.0);
        assert!(
            text.ends_with("(that is poison: perhaps never written), expected 0"),
            "{text}"
        );
        let text = compare(&[0.0, poison], Some(vec![true; 2]), 0.0);
        assert!(!text.contains("poison"), "{text}");
        let text = compare(&[0xa5u8, 0xa5], Some(vec![true, false]), 0xa5);
        assert_eq!(text, "y[1] is 165 (poison: never written), expected 165");
    }
}
