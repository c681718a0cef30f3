//! The kernarg segment: one layout, used by the compiler to read arguments and by the runtime to write them.
//!
//! Parameters in order, each naturally aligned. A scalar takes 4 bytes (8 if it is 64 bits wide). A slice is
//! `{u64 address, u32 length in elements, u32 0}`. A matrix is `{u64 address, u32 rows, u32 cols, u32 row stride in elements,
//! u32 length in elements}` where length = (rows − 1)·stride + cols, or 0 when it has no element. A kernel with checked indices
//! has one more word behind its parameters, `u64 address` of the launch's report, 0 if nobody wants to know.

use crate::func::{Func, Param, ParamKind};

/// Where one parameter lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Byte offset in the kernarg segment.
    pub offset: u32,
    /// Size in bytes.
    pub size: u32,
}

/// Size and alignment of a parameter, in bytes.
pub fn size_align(kind: ParamKind) -> (u32, u32) {
    match kind {
        ParamKind::Scalar(s) => {
            let n = s.bytes().max(4);
            (n, n)
        }
        ParamKind::Slice(..) => (16, 8),
        ParamKind::Mat(..) => (24, 8),
    }
}

/// Slots of all parameters and the size of the segment.
pub fn layout(params: &[Param]) -> (Vec<Slot>, u32) {
    let mut end = 0u32;
    let slots = params
        .iter()
        .map(|p| {
            let (size, align) = size_align(p.kind);
            let offset = end.next_multiple_of(align);
            end = offset + size;
            Slot { offset, size }
        })
        .collect();
    (slots, end)
}

/// Slot of the report's address in a kernel with checked indices: behind all parameters.
pub fn report(params: &[Param]) -> Slot {
    let offset = layout(params).1.next_multiple_of(8);
    Slot { offset, size: 8 }
}

/// Size of the segment of a kernel.
pub fn kernarg_bytes(func: &Func) -> u32 {
    if func.sites.is_empty() {
        return layout(&func.params).1;
    }
    let slot = report(&func.params);
    slot.offset + slot.size
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::func::Access;
    use crate::ty::Scalar;

    #[test]
    fn scalar_then_slice_then_mat() {
        let p = |kind| Param { name: "p".into(), kind };
        let (slots, size) = layout(&[
            p(ParamKind::Scalar(Scalar::F32)),
            p(ParamKind::Slice(Scalar::F32, Access::Read)),
            p(ParamKind::Scalar(Scalar::Bool)),
            p(ParamKind::Mat(Scalar::Bf16, Access::Write)),
        ]);
        assert_eq!(slots.iter().map(|s| s.offset).collect::<Vec<_>>(), [0, 8, 24, 32]);
        assert_eq!(size, 56);
        let odd = [
            p(ParamKind::Slice(Scalar::F32, Access::Read)),
            p(ParamKind::Scalar(Scalar::F32)),
        ];
        assert_eq!((layout(&odd).1, report(&odd).offset), (20, 24));
    }
}
