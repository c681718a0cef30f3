//! How a tile lies in LDS and which lane of the workgroup carries which part of it.
//!
//! A tile is cut into chunks of up to 8 elements and at most 16 bytes, row by row; work-item `t` of the group carries the chunks
//! `t`, `t + group`, `t + 2·group` …, so neighbouring lanes read neighbouring memory. In LDS the rows lie one after the other,
//! swizzled (see [`super::swizzle`]) or padded to an odd multiple of 16 bytes: the 16-byte accesses of 8 lanes that read 8 consecutive
//! rows at the same column, which is what a fragment load does, then fall on 8 different groups of 4 banks (32 banks, dword-interleaved).
//! UNVERIFIED(hw): that the LDS of RDNA3 serves a 16-byte access 8 lanes at a time; AMD documents this grouping for CDNA only.

use crate::diag::Diag;
use crate::func::Span;
use crate::ty::{Scalar, TileTy, Ty};
use crate::verify::LDS_LIMIT;

use super::swizzle::Swizzle;

/// The shape of a tile in LDS and in the lanes of its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The tile.
    pub ty: TileTy,
    /// Work-items of the group.
    pub group: u32,
    /// Elements per chunk: a power of two.
    pub chunk: u32,
    /// Chunks per row, in the matrix.
    pub per_row: u32,
    /// Chunks each work-item carries; in the last one not all work-items may take part.
    pub per_lane: u32,
    /// Bytes from one row to the next in LDS.
    pub stride: u32,
    /// How chunks of a row are exchanged, if they are.
    pub swizzle: Option<Swizzle>,
    /// The matrix has the transposed of the tile (see [`super::transpose`]).
    pub transposed: bool,
}

impl Layout {
    /// The layout of a tile in a workgroup of `group` work-items, swizzled where it may and can be.
    ///
    /// # Errors
    /// A shape that has no whole chunks, or is larger than any LDS.
    pub fn new(ty: TileTy, group: u32, span: Span, swizzled: bool) -> Result<Layout, Diag> {
        let TileTy { elem, rows, cols } = ty;
        if elem == Scalar::Bool {
            return Err(Diag::new(span, "a tile of `bool` cannot be loaded").help("use a tile of `u8`"));
        }
        if rows == 0 || cols == 0 {
            return Err(Diag::new(span, format!("a tile of {rows}×{cols} has no element"))
                .help("give the tile at least one row and one chunk of columns"));
        }
        let chunk = (16 / elem.bytes()).min(8);
        if cols % chunk != 0 {
            let bytes = chunk * elem.bytes();
            let text = format!(
                "a tile of {rows}×{cols} {elem} cannot be loaded: a row of {} bytes is no whole number of {bytes}-byte chunks",
                u64::from(cols) * u64::from(elem.bytes())
            );
            return Err(Diag::new(span, text).help(whole_columns(cols, chunk)));
        }
        let row = u64::from(cols) * u64::from(elem.bytes());
        let units = row.div_ceil(16);
        let swizzle = Swizzle::of(ty).filter(|_| swizzled);
        let padded = 16 * (units + (units + 1) % 2);
        let stride = if swizzle.is_some() { row } else { padded };
        let bytes = stride.saturating_mul(u64::from(rows));
        if bytes > u64::from(LDS_LIMIT) {
            let padding = match stride > row {
                true => format!(", padded to {stride}"),
                false => String::new(),
            };
            let text = format!("a tile of {rows}×{cols} {elem} takes {bytes} bytes of LDS ({rows} rows of {row} bytes{padding}), a workgroup has {LDS_LIMIT}");
            return Err(Diag::new(span, text).help("use a smaller tile"));
        }
        let per_row = cols / chunk;
        Ok(Layout {
            ty,
            group,
            chunk,
            per_row,
            per_lane: (rows * per_row).div_ceil(group), // rows · per_row ≤ bytes / 2 here
            stride: stride as u32,
            swizzle,
            transposed: false,
        })
    }

    /// The layout of a tile that is transposed on its way to LDS, where it lies like any other.
    ///
    /// # Errors
    /// Rows of the matrix's block that have no whole chunks.
    pub fn transposed(self, span: Span) -> Result<Layout, Diag> {
        let TileTy { elem, rows, cols } = self.ty;
        if rows % self.chunk != 0 {
            let text = format!(
                "the transposed of a tile of {cols}×{rows} {elem} cannot be loaded: a row of {} bytes is no whole number of 16-byte chunks",
                u64::from(rows) * u64::from(elem.bytes())
            );
            return Err(Diag::new(span, text).help(whole_columns(rows, self.chunk)));
        }
        // Two chunks in each of two lanes are four rows of the matrix.
        let per_row = rows / self.chunk;
        Ok(Layout {
            per_row,
            per_lane: 2 * (cols / 2 * per_row).div_ceil(self.group),
            transposed: true,
            ..self
        })
    }

    /// Rows and columns in the matrix.
    pub fn source(&self) -> [u32; 2] {
        let TileTy { rows, cols, .. } = self.ty;
        if self.transposed {
            [cols, rows]
        } else {
            [rows, cols]
        }
    }

    /// Bytes of LDS the tile takes.
    pub fn bytes(&self) -> u32 {
        self.stride * self.ty.rows
    }

    /// What a work-item holds of one chunk.
    pub fn chunk_ty(&self) -> Ty {
        Ty::Vec(self.ty.elem, self.chunk)
    }

    /// Do only some work-items carry chunk number `n` (of `per_lane`)?
    pub fn is_partial(&self, n: u32) -> bool {
        let n = if self.transposed { n | 1 } else { n }; // they come in pairs
        (n + 1) * self.group > self.source()[0] * self.per_row
    }

    /// The arithmetic, for messages.
    pub fn describe(&self) -> String {
        let TileTy { elem, rows, cols } = self.ty;
        let padded = if self.swizzle.is_some() { "of" } else { "padded to" };
        format!(
            "{rows}×{cols} {elem}: {rows} rows {padded} {} bytes = {} bytes",
            self.stride,
            self.bytes()
        )
    }
}

/// Numbers of columns next to `cols` that are whole chunks.
fn whole_columns(cols: u32, chunk: u32) -> String {
    let (down, up) = (cols - cols % chunk, u64::from(cols).next_multiple_of(chunk.into()));
    match down {
        0 => format!("take {up} columns"),
        _ => format!("take {down} or {up} columns"),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn layout(elem: Scalar, rows: u32, cols: u32, group: u32) -> Result<Layout, Diag> {
        Layout::new(TileTy { elem, rows, cols }, group, Span::default(), false)
    }

    #[test]
    fn rows_are_odd_multiples_of_16_bytes() {
        for (elem, cols, stride) in [
            (Scalar::Bf16, 16, 48),
            (Scalar::Bf16, 24, 48),
            (Scalar::Bf16, 32, 80),
            (Scalar::F16, 48, 112),
            (Scalar::F32, 32, 144),
            (Scalar::I8, 8, 16),
            (Scalar::I8, 24, 48),
            (Scalar::F64, 2, 16),
        ] {
            assert_eq!(layout(elem, 16, cols, 64).unwrap().stride, stride, "{elem} {cols}");
        }
    }

    #[test]
    fn fragment_rows_fall_on_different_banks() {
        let l = layout(Scalar::Bf16, 16, 32, 64).unwrap();
        let mut banks: Vec<u32> = (0..8)
            .flat_map(|r| (0..4).map(move |d| (r * l.stride / 4 + d) % 32))
            .collect();
        banks.sort_unstable();
        assert_eq!(banks, (0..32).collect::<Vec<_>>());
    }

    #[test]
    fn every_chunk_has_one_lane() {
        for (rows, cols, group) in [(16, 48, 64), (128, 32, 256), (16, 16, 256), (17, 8, 32)] {
            let l = layout(Scalar::Bf16, rows, cols, group).unwrap();
            let chunks = rows * cols / 8;
            assert!(l.per_lane * group >= chunks && (l.per_lane - 1) * group < chunks);
            let partial: Vec<u32> = (0..l.per_lane).filter(|&n| l.is_partial(n)).collect();
            assert_eq!(partial.len(), usize::from(chunks % group != 0));
        }
    }

    #[test]
    fn impossible_shapes_say_the_arithmetic() {
        let say = |r: Result<Layout, Diag>| r.unwrap_err().to_string();
        assert_eq!(
            say(layout(Scalar::Bf16, 128, 20, 256)),
            "a tile of 128×20 bf16 cannot be loaded: a row of 40 bytes is no whole number of 16-byte chunks; take 16 or 24 columns"
        );
        assert_eq!(
            say(layout(Scalar::F32, 4, 3, 256)),
            "a tile of 4×3 f32 cannot be loaded: a row of 12 bytes is no whole number of 16-byte chunks; take 4 columns"
        );
        assert_eq!(
            say(layout(Scalar::Bf16, 512, 64, 256)),
            "a tile of 512×64 bf16 takes 73728 bytes of LDS (512 rows of 128 bytes, padded to 144), a workgroup has 65536; use a smaller tile"
        );
        assert_eq!(
            say(layout(Scalar::F32, 0, 16, 256)),
            "a tile of 0×16 has no element; give the tile at least one row and one chunk of columns"
        );
        assert_eq!(
            say(layout(Scalar::Bool, 16, 16, 256)),
            "a tile of `bool` cannot be loaded; use a tile of `u8`"
        );
        assert!(layout(Scalar::Bf16, u32::MAX, u32::MAX - 7, 256).is_err());
    }
}
