//! Which bytes of global memory belong to somebody, and what they are called.
//!
//! Problem: the page table stops what leaves a page; an allocation of 1000 bytes owns 4096 of them. Method: at launch
//! the sizes clients asked for (their names' ranges) are taken down. An address may be touched if it lies in a named
//! range, or in a mapping in which nothing has a name. Buffers get the name of the kernel parameter that points to
//! them: the kernarg block holds the address, the code object's metadata the parameter's name and element type.
//!
//! Invariant: what is refused here is mapped; what is not mapped faults by itself.

use std::sync::Arc;

use t0_backend_rdna3::object::{Arg, ArgKind, LdsVariable, NamedType};

use super::Kind;
use crate::driver::{bytes, PageTable, Vm};

/// A named range.
#[derive(Clone, Debug)]
struct Allocation {
    start: u64,
    end: u64,
    name: Arc<str>,
    /// Bytes of an element, when the parameter's type tells.
    element: Option<u64>,
}

/// The elements of a parameter of t0's code: its arguments tell how many there are.
#[derive(Clone, Debug)]
struct Array {
    start: u64,
    end: u64,
    name: Arc<str>,
    /// Bytes of an element.
    element: u64,
    /// Columns of a matrix, and elements from row to row.
    rows: Option<(u64, u64)>,
}

impl Array {
    /// Of a parameter with an address, `word` being what the argument with a name holds.
    fn new(arg: &Arg, va: u64, word: impl Fn(&str) -> Option<u64>) -> Option<Array> {
        let element = element_bytes(&arg.type_name)?;
        let rows = word("cols").zip(word("stride"));
        // In a matrix the argument counts the elements from the first to the last.
        let bytes = word("len")?.checked_mul(element)?;
        Some(Array {
            start: va,
            end: va.checked_add(bytes)?,
            name: arg.name.as_str().into(),
            element,
            rows: rows.filter(|r| r.1 > 0),
        })
    }

    /// What the element at an address is called.
    fn element_at(&self, va: u64) -> Option<String> {
        let inside = (self.start..self.end).contains(&va);
        let i = inside.then(|| (va - self.start) / self.element)?;
        let name = &self.name;
        Some(match self.rows {
            None => format!("`{name}`, index {i}"),
            Some((cols, stride)) if i % stride < cols => format!("`{name}[{}][{}]`", i / stride, i % stride),
            Some((_, stride)) => format!("the gap behind row {} of `{name}`", i / stride),
        })
    }
}

/// The memory of a launch.
#[derive(Debug)]
pub(super) struct Bounds {
    /// By address.
    named: Vec<Allocation>,
    /// Parameters of t0's code.
    arrays: Vec<Array>,
    /// Arrays in LDS, by offset.
    lds: Vec<LdsVariable>,
    table: Arc<PageTable>,
}

/// A range known to be good: an access inside needs no look.
pub(super) type Good = std::ops::Range<u64>;

impl Bounds {
    /// The memory as it is now.
    pub fn new(vm: &Vm) -> Bounds {
        let named = vm.allocations().into_iter().map(|(range, name)| Allocation {
            start: range.start,
            end: range.end,
            name,
            element: None,
        });
        Bounds {
            named: named.collect(),
            arrays: Vec::new(),
            lds: Vec::new(),
            table: vm.table(),
        }
    }

    /// Calls buffers by the parameters that point to their first byte.
    pub fn name_parameters(&mut self, args: &[Arg], kernarg: &[u32]) {
        let mut done: Vec<u64> = Vec::new();
        let word = |at: u32| u64::from(kernarg.get(at as usize / 4).copied().unwrap_or(0));
        for arg in args.iter().filter(|a| a.size == 8 && !a.kind.is_hidden()) {
            let va = word(arg.offset) | word(arg.offset + 4) << 32;
            let of_it = |what: &str| {
                let is = |a: &&Arg| a.name.strip_prefix(&arg.name).and_then(|n| n.strip_prefix('.')) == Some(what);
                args.iter().find(is).map(|a| word(a.offset))
            };
            let array = Array::new(arg, va, of_it);
            let known = array.is_some();
            self.arrays.extend(array);
            let points = arg.kind == ArgKind::GlobalBuffer || arg.type_name.contains('*');
            if !points || arg.name.is_empty() || done.contains(&va) {
                continue;
            }
            let after = self.named.partition_point(|a| a.start <= va);
            let Some(a) = self.named[..after].last_mut().filter(|a| va < a.end || va == a.start) else {
                continue;
            };
            done.push(va);
            if a.start == va {
                a.name = arg.name.as_str().into();
                a.element = element_bytes(&arg.type_name);
            } else if let Some(element) = element_bytes(&arg.type_name).filter(|_| !known) {
                // Somewhere in an allocation, and nobody says how many there are.
                self.arrays.push(Array {
                    start: va,
                    end: a.end,
                    name: arg.name.as_str().into(),
                    element,
                    rows: None,
                });
            }
        }
    }

    /// Calls offsets in LDS by the arrays there.
    pub fn name_lds(&mut self, variables: &[LdsVariable]) {
        self.lds = variables.to_vec();
    }

    /// Whether an LDS offset lies in an array that has a name.
    pub fn lds_named(&self, at: u64) -> bool {
        let inside = |v: &LdsVariable| at.checked_sub(v.offset.into()).is_some_and(|d| d < v.size.into());
        self.lds.iter().any(inside)
    }

    /// The name of an LDS offset, for reports.
    pub fn lds_place(&self, at: u64) -> String {
        let inside = |v: &&LdsVariable| at.checked_sub(v.offset.into()).is_some_and(|d| d < v.size.into());
        let Some(v) = self.lds.iter().find(inside) else {
            return format!("LDS offset {at:#x}");
        };
        let offset = at - u64::from(v.offset);
        match offset.checked_div(v.element.into()) {
            Some(i) => format!("`{}`, index {i} (LDS offset {at:#x})", v.name),
            None => format!("byte {offset} of `{}` (LDS offset {at:#x})", v.name),
        }
    }

    /// Rights and kind of the memory at `va`: true for host or uncached memory.
    pub fn fine_grained(&self, va: u64) -> bool {
        self.table.find(va).is_some_and(|m| !m.flags.vram || m.flags.uncached)
    }

    /// The range around `va` in which accesses are fine, if `len` bytes there are, or if nothing can be said. Compilers
    /// load the whole dword that holds an array's last bytes.
    pub fn good(&self, kind: Kind, va: u64, len: u64) -> Option<Good> {
        let after = self.named.partition_point(|a| a.start <= va);
        // Ranges may be nested: a name inside of a buffer.
        for a in self.named[..after].iter().rev().take(4) {
            let end = va.saturating_add(len);
            if end <= a.end {
                return Some(a.start..a.end);
            }
            if kind == Kind::Load && va % 4 == 0 && va < a.end && end <= a.end.next_multiple_of(4) {
                return Some(va..end);
            }
        }
        let Some(m) = self.table.find(va) else {
            return Some(va..va.saturating_add(len));
        };
        let range = m.range();
        let has_names = self.named.iter().any(|a| a.start < range.end && a.end > range.start);
        if !has_names {
            return Some(range);
        }
        None
    }

    /// What an access outside of everything is, relative to the nearest allocation.
    pub fn outside(&self, kind: Kind, va: u64, len: u64) -> String {
        let what = match kind {
            Kind::Load => "load",
            Kind::Store => "store",
            Kind::Atomic => "atomic",
        };
        let same_mapping = |a: &Allocation| {
            let m = self.table.find(va);
            m.is_some_and(|m| m.range().contains(&a.start))
        };
        let distance = |a: &Allocation| match va < a.start {
            true => a.start - va,
            false => (va + len).saturating_sub(a.end),
        };
        let near = self.named.iter().min_by_key(|a| (!same_mapping(a), distance(a)));
        let Some(a) = near else {
            return format!("{what} of {} of memory that belongs to nobody", bytes(len));
        };
        let (name, d, size) = (&a.name, distance(a), a.end - a.start);
        let place = match va < a.start {
            true => format!("{} before `{name}`", bytes(d)),
            false => format!("{} past the end of `{name}`", bytes(d)),
        };
        let offset = va.wrapping_sub(a.start) as i64;
        let index = index(offset, a.element, len).map_or(String::new(), |i| format!(", index {i}"));
        format!("{what} of {} {place} ({}){index}", bytes(len), bytes(size))
    }

    /// The name of the array that begins at `va`; empty if there is none.
    pub fn array_at(&self, va: u64) -> String {
        let arrays = self.arrays.iter().map(|a| (a.start, &a.name));
        let named = self.named.iter().map(|a| (a.start, &a.name));
        let name = arrays.chain(named).find(|(start, _)| *start == va);
        name.map_or_else(String::new, |(_, name)| name.to_string())
    }

    /// The name of the place `va`, for reports.
    pub fn place(&self, va: u64) -> String {
        if let Some(element) = self.arrays.iter().find_map(|a| a.element_at(va)) {
            return element;
        }
        let after = self.named.partition_point(|a| a.start <= va);
        let Some(a) = self.named[..after].iter().rev().take(4).find(|a| va < a.end) else {
            return String::from("memory that has no name");
        };
        let offset = va - a.start;
        match index(offset as i64, a.element, 4) {
            Some(i) => format!("`{}`, index {i}", a.name),
            None => format!("byte {offset} of `{}`", a.name),
        }
    }
}

/// The element at a byte offset, if that is sure.
fn index(offset: i64, element: Option<u64>, len: u64) -> Option<i64> {
    let size = element.filter(|&e| e > 0 && (len % e == 0 || e % len.max(1) == 0))? as i64;
    Some(offset.div_euclid(size))
}

/// Bytes of an element of what a parameter points to: t0 names the element, C the pointer.
fn element_bytes(type_name: &str) -> Option<u64> {
    let named = NamedType::of(type_name).or_else(|| NamedType::behind(type_name))?;
    Some(named.element_bytes().into())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::driver::PageFlags;

    fn two() -> Bounds {
        let vm = Vm::new().unwrap();
        vm.map_fresh(0x10_0000, 1024, PageFlags::ALL, "a buffer").unwrap();
        vm.map(0x20_0000, 4096, 1 << 33, PageFlags::ALL);
        let mut b = Bounds::new(&vm);
        let args = [Arg::buffer("c", "f32", 8)];
        b.name_parameters(&args, &[0, 0, 0x10_0000, 0]);
        b
    }

    #[test]
    fn the_size_asked_for_counts_and_the_parameter_gives_the_name() {
        let b = two();
        assert_eq!(b.good(Kind::Load, 0x10_0000, 1024), Some(0x10_0000..0x10_0400));
        assert_eq!(b.good(Kind::Load, 0x10_03fe, 4), None);
        assert_eq!(
            b.outside(Kind::Store, 0x10_0400, 4),
            "store of 4 bytes 4 bytes past the end of `c` (1024 bytes), index 256"
        );
        assert_eq!(
            b.outside(Kind::Load, 0x10_03fc, 16),
            "load of 16 bytes 12 bytes past the end of `c` (1024 bytes), index 255"
        );
        assert_eq!(b.place(0x10_0008), "`c`, index 2");
    }

    /// Arrays lie anywhere in an allocation, as those of tests between guard bands do.
    #[test]
    fn elements_of_parameters_are_called_by_their_index() {
        let vm = Vm::new().unwrap();
        vm.map_fresh(0x10_0000, 4096, PageFlags::ALL, "y").unwrap();
        let mut b = Bounds::new(&vm);
        let value = |name: &str, offset| Arg::by_value(name, "u32", offset, 4);
        let args = [
            Arg::buffer("x", "u8", 0),
            value("x.len", 8),
            Arg::buffer("y", "f32", 16),
            value("y.rows", 24),
            value("y.cols", 28),
            value("y.stride", 32),
            value("y.len", 36),
        ];
        b.name_parameters(&args, &[0x10_0100, 0, 5, 0, 0x10_0400, 0, 2, 3, 5, 8]);
        let places = [0x10_0100, 0x10_0104, 0x10_0400, 0x10_040c, 0x10_0418, 0x10_0420].map(|va| b.place(va));
        assert_eq!(
            places,
            [
                "`x`, index 0",
                "`x`, index 4",
                "`y[0][0]`",
                "the gap behind row 0 of `y`",
                "`y[1][1]`",
                "byte 1056 of `y`"
            ]
        );
    }

    #[test]
    fn pointers_into_an_allocation_count_from_there() {
        let vm = Vm::new().unwrap();
        vm.map_fresh(0x10_0000, 4096, PageFlags::ALL, "argument 0").unwrap();
        let mut b = Bounds::new(&vm);
        b.name_parameters(&[Arg::buffer("c", "f32", 0)], &[0x10_0040, 0]);
        assert_eq!(b.place(0x10_0048), "`c`, index 2");
        assert_eq!(b.place(0x10_0038), "byte 56 of `argument 0`");
    }

    #[test]
    fn offsets_in_lds_have_the_names_of_arrays() {
        let mut b = two();
        let variable = |name: &str, offset, size, element| LdsVariable {
            name: name.into(),
            offset,
            size,
            element,
        };
        b.name_lds(&[variable("sums", 0, 64, 4), variable("tile", 128, 1024, 0)]);
        let places = [0, 60, 64, 130, 1152].map(|at| b.lds_place(at));
        assert_eq!(
            places,
            [
                "`sums`, index 0 (LDS offset 0x0)",
                "`sums`, index 15 (LDS offset 0x3c)",
                "LDS offset 0x40",
                "byte 2 of `tile` (LDS offset 0x82)",
                "LDS offset 0x480",
            ]
        );
    }

    #[test]
    fn a_mapping_without_names_is_good_all_over() {
        let b = two();
        assert_eq!(b.good(Kind::Store, 0x20_0ff0, 4), Some(0x20_0000..0x20_1000));
        // What is not mapped faults by itself.
        assert!(b.good(Kind::Load, 0x30_0000, 4).is_some());
    }

    #[test]
    fn the_dword_that_holds_the_last_bytes_may_be_loaded() {
        let vm = Vm::new().unwrap();
        vm.map_fresh(0x10_0000, 1022, PageFlags::ALL, "halves").unwrap();
        let b = Bounds::new(&vm);
        assert!(b.good(Kind::Load, 0x10_03f8, 8).is_some());
        assert!(b.good(Kind::Store, 0x10_03fc, 4).is_none());
        assert!(b.good(Kind::Load, 0x10_03fc, 8).is_none());
    }

    #[test]
    fn element_sizes_come_from_type_names() {
        let sizes = ["f32", "bf16", "float*", "uchar4*", "double", "int3*", "struct x*"].map(element_bytes);
        assert_eq!(sizes, [Some(4), Some(2), Some(4), Some(4), Some(8), Some(16), None]);
    }
}
