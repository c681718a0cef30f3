//! The GPU's address space: which buffers are mapped where, and with which rights.
//!
//! Problem: the executor turns millions of GPU addresses into host pointers while the client maps and unmaps. Method:
//! the mappings are an immutable sorted table behind an `Arc`; a change makes a new table and bumps a generation
//! number. An executor takes a [`PageTable`] and keeps it as hardware keeps its TLB, refreshing when
//! [`Vm::generation`] moved.
//!
//! Invariant: host pointers come from the [`Arena`] and stay valid as long as the [`Vm`], even after a free.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use t0_backend_rdna3::object::CodeObject;

use super::arena::{lock, Arena, ArenaError, PAGE};
use super::unwritten::{Ledger, Unwritten};

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Load.
    Read,
    /// Store.
    Write,
    /// Atomic read-modify-write.
    Atomic,
    /// Instruction fetch.
    Execute,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Access::Read => "read",
            Access::Write => "write",
            Access::Atomic => "atomic access",
            Access::Execute => "instruction fetch",
        })
    }
}

/// Rights and kind of a mapping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageFlags {
    /// Stores and atomics are allowed.
    pub writable: bool,
    /// Instructions may be fetched.
    pub executable: bool,
    /// Video memory (else system memory).
    pub vram: bool,
    /// GPU caches are bypassed.
    pub uncached: bool,
}

impl PageFlags {
    /// Readable, writable and executable VRAM.
    pub const ALL: PageFlags = PageFlags {
        writable: true,
        executable: true,
        vram: true,
        uncached: false,
    };
}

/// One buffer mapped to the GPU.
#[derive(Clone, Debug)]
pub struct Mapping {
    /// First GPU address.
    pub va: u64,
    /// Bytes; a multiple of the page size but where [`Vm::narrow`] made them fewer.
    pub len: u64,
    /// Rights.
    pub flags: PageFlags,
    /// Memory of the runtime that kernels have no business writing, see [`Vm::guard`].
    pub guarded: bool,
    host: usize,
    /// GPU addresses that were mapped, of which a narrowed mapping leaves some out.
    whole: Range<u64>,
}

impl Mapping {
    /// Host address of the first byte.
    pub fn host(&self) -> *mut u8 {
        self.host as *mut u8
    }

    /// GPU addresses of the mapping.
    pub fn range(&self) -> Range<u64> {
        self.va..self.va + self.len
    }
}

/// Host memory behind a range of GPU addresses.
#[derive(Clone, Copy, Debug)]
pub struct HostRange {
    ptr: *mut u8,
    available: u64,
}

impl HostRange {
    /// Host address of the first byte asked for. Valid as long as the [`Vm`] lives; other threads may access the
    /// same bytes at the same time, so use volatile or atomic accesses where that matters.
    pub fn as_ptr(self) -> *mut u8 {
        self.ptr
    }

    /// Contiguous bytes from there to the end of the mapping (at least the length asked for).
    pub fn available(self) -> u64 {
        self.available
    }
}

/// A GPU access that hardware would refuse.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{access} of {} at {va:#x}: {}{nearest}", bytes(*len), self.why())]
pub struct VmFault {
    /// First GPU address of the access.
    pub va: u64,
    /// Bytes.
    pub len: u64,
    /// What the access wanted.
    pub access: Access,
    /// Why it was refused.
    pub kind: VmFaultKind,
    /// What lies there or near.
    pub nearest: Near,
}

impl VmFault {
    /// The way out, where the surroundings tell one.
    pub fn help(&self) -> Option<&'static str> {
        match (self.kind, &self.nearest) {
            (VmFaultKind::Misaligned, _) => Some("make the address of an atomic a multiple of its size"),
            (VmFaultKind::NotPresent, Near::Zero) => {
                Some("the address comes from a null pointer: give the kernel a buffer for it")
            }
            (VmFaultKind::NotPresent, Near::Allocation(n)) if n.freed.is_some() => {
                Some("keep the allocation until the launch has ended")
            }
            (VmFaultKind::NotPresent | VmFaultKind::Straddles, Near::Allocation(_)) => {
                Some("compare the index with the length before the access")
            }
            _ => None,
        }
    }

    /// Why, in words. Allocations end where the client's bytes end; on a card their last page does.
    fn why(&self) -> String {
        let page = |n: &Nearest| n.range.end.next_multiple_of(PAGE);
        match &self.nearest {
            Near::Allocation(n)
                if self.kind == VmFaultKind::NotPresent
                    && n.freed.is_none()
                    && (n.range.end..page(n)).contains(&self.va) =>
            {
                String::from("a card has memory there, the rest of a page, but it belongs to nobody")
            }
            _ => self.kind.to_string(),
        }
    }
}

/// A number of bytes in words.
pub(crate) fn bytes(n: u64) -> String {
    format!("{n} {}", if n == 1 { "byte" } else { "bytes" })
}

/// Why an access was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VmFaultKind {
    /// Nothing is mapped there.
    #[error("no memory is mapped there")]
    NotPresent,
    /// The mapping is read-only.
    #[error("the memory is read-only for the GPU")]
    ReadOnly,
    /// The mapping holds no code.
    #[error("the memory is not executable")]
    NoExecute,
    /// The access begins in one buffer and ends in the next.
    #[error("the access straddles two buffers")]
    Straddles,
    /// An atomic access whose address is not a multiple of its size.
    #[error("the address of an atomic access is not a multiple of its size")]
    Misaligned,
    /// A store or atomic of a kernel into its own code.
    #[error("the page holds code of the running kernel, which must not change while it runs: instruction caches do not notice")]
    Code,
    /// A store or atomic of a kernel into its arguments.
    #[error("it is a store into the kernarg segment, which kernels may only read")]
    Kernarg,
    /// A store or atomic of a kernel into memory of the runtime.
    #[error("the memory belongs to the runtime, kernels must not write it")]
    Runtime,
}

/// Below this no allocation ever lies (Linux keeps the first 64 KiB free, vm.mmap_min_addr).
const NEAR_ZERO: u64 = 1 << 16;

/// An allocation this far away is not named: it has nothing to do with the access. Larger allocations reach as far
/// as they are long.
const REACH: u64 = 1 << 20;

/// What the runtime calls the memory of argument blocks, the only one of its own that kernels know the address of.
const ARGUMENTS: &str = "kernel arguments";

/// The arguments are meant when an address is as close to them: between all allocations there are guard pages.
const CLOSE: u64 = 64;

/// What is known of the surroundings of a bad address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Near {
    /// Nobody has looked, see [`Vm::explain`].
    #[default]
    Unknown,
    /// The address is close to 0: a null pointer and an index.
    Zero,
    /// There is no allocation within a sensible distance.
    Nothing,
    /// The nearest allocation.
    Allocation(Nearest),
}

impl fmt::Display for Near {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Near::Unknown => Ok(()),
            Near::Zero => write!(f, "; near address 0, where nothing is ever allocated"),
            Near::Nothing => write!(f, "; no allocation is near"),
            Near::Allocation(n) => write!(f, "; {n}"),
        }
    }
}

/// When an allocation was freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freed {
    /// Before the latest launch began.
    Before,
    /// After it began.
    During,
}

/// Where a bad address lies relative to an allocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearest {
    /// Name given by the client, or a description of the buffer.
    pub name: Arc<str>,
    /// GPU addresses of the allocation.
    pub range: Range<u64>,
    /// The allocation was freed before the access.
    pub freed: Option<Freed>,
    /// The faulting address.
    pub va: u64,
}

impl fmt::Display for Nearest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Nearest { name, range, va, .. } = self;
        let name = match &**name {
            ARGUMENTS => format!("the {ARGUMENTS}"),
            name => format!("`{name}`"),
        };
        if *va >= range.end {
            match va - range.end {
                0 => write!(f, "just past the end of {name}")?,
                n => write!(f, "{} past the end of {name}", bytes(n))?,
            }
        } else if *va < range.start {
            write!(f, "{} before {name}", bytes(range.start - va))?;
        } else {
            write!(f, "{} into {name}", bytes(va - range.start))?;
        }
        let state = match self.freed {
            None => "",
            Some(Freed::Before) => ", freed before this launch",
            Some(Freed::During) => ", freed while this launch ran",
        };
        write!(f, " ({} at {:#x}{state})", bytes(range.end - range.start), range.start)
    }
}

/// All mappings at one moment, sorted by address.
#[derive(Clone, Debug, Default)]
pub struct PageTable {
    mappings: Vec<Mapping>,
    generation: u64,
}

impl PageTable {
    /// The mapping that holds `va`.
    pub fn find(&self, va: u64) -> Option<&Mapping> {
        let after = self.mappings.partition_point(|m| m.va <= va);
        self.mappings.get(after.checked_sub(1)?).filter(|m| va - m.va < m.len)
    }

    /// All mappings, by address.
    pub fn mappings(&self) -> &[Mapping] {
        &self.mappings
    }

    /// The [`Vm::generation`] this table belongs to.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Like [`Vm::resolve`], on this table; the error does not say what is near (see [`Vm::explain`]).
    pub fn resolve(&self, va: u64, len: u64, access: Access) -> Result<HostRange, VmFault> {
        let fault = |kind, at| VmFault {
            va: at,
            len,
            access,
            kind,
            nearest: Near::Unknown,
        };
        let m = self.find(va).ok_or_else(|| fault(VmFaultKind::NotPresent, va))?;
        match access {
            Access::Write | Access::Atomic if !m.flags.writable => return Err(fault(VmFaultKind::ReadOnly, va)),
            Access::Execute if !m.flags.executable => return Err(fault(VmFaultKind::NoExecute, va)),
            _ => {}
        }
        let offset = va - m.va;
        // Compilers widen loads of bytes and halves to the dword they lie in, which no page boundary can cut.
        let dwords = access == Access::Read && va % 4 == 0 && m.va % 4 == 0;
        let reach = if dwords { m.len.next_multiple_of(4) } else { m.len };
        let available = reach - offset;
        if len > available {
            let end = m.va + m.len;
            return Err(match self.find(end) {
                Some(_) => fault(VmFaultKind::Straddles, va),
                None => fault(VmFaultKind::NotPresent, end),
            });
        }
        Ok(HostRange {
            ptr: m.host().wrapping_add(offset as usize),
            available,
        })
    }
}

#[derive(Clone, Debug)]
struct Named {
    len: u64,
    name: Arc<str>,
    /// How many launches had begun when it was freed.
    freed: Option<u64>,
}

/// The GPU's address space and the memory behind it.
pub struct Vm {
    arena: Arena,
    table: RwLock<Arc<PageTable>>,
    generation: AtomicU64,
    names: Mutex<BTreeMap<u64, Named>>,
    launches: AtomicU64,
    code: Mutex<BTreeMap<u64, Arc<CodeObject>>>,
    unwritten: Mutex<Ledger>,
}

/// First file offset used for buffers, as DRM's fake offsets start at 4 GiB.
pub const FIRST_BUFFER_OFFSET: u64 = 1 << 32;
const ARENA_BYTES: u64 = 256 << 30;
/// Freed allocations remembered so that a use after free can be named.
const REMEMBERED: usize = 4096;

impl Vm {
    /// An empty address space.
    pub fn new() -> Result<Self, ArenaError> {
        Ok(Vm {
            arena: Arena::new(ARENA_BYTES, FIRST_BUFFER_OFFSET)?,
            table: RwLock::default(),
            generation: AtomicU64::new(0),
            names: Mutex::default(),
            launches: AtomicU64::new(0),
            code: Mutex::default(),
            unwritten: Mutex::default(),
        })
    }

    /// The memory behind the address space.
    pub fn arena(&self) -> &Arena {
        &self.arena
    }

    /// Host memory behind `len` bytes at GPU address `va`, if the GPU may access them so.
    pub fn resolve(&self, va: u64, len: u64, access: Access) -> Result<HostRange, VmFault> {
        self.table().resolve(va, len, access).map_err(|f| self.explain(f))
    }

    /// The mappings of this moment. Cheap (a lock and a reference count), but keep it while `generation` stands.
    pub fn table(&self) -> Arc<PageTable> {
        self.table.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes whenever a mapping is added or removed.
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Adds the nearest allocation to a fault: the one that holds the address, else a buffer of the user or the kernel
    /// arguments right beside it, else any of the runtime's own.
    pub fn explain(&self, mut fault: VmFault) -> VmFault {
        let names = lock(&self.names);
        let table = self.table();
        let va = fault.va;
        let distance = |start: u64, n: &Named| match va < start {
            true => start - va,
            false => (va + 1).saturating_sub(start + n.len),
        };
        let internal = |start: u64| table.find(start).is_some_and(|m| m.guarded);
        let meant = |d: u64, n: &Named| d <= CLOSE && &*n.name == ARGUMENTS;
        let best = names
            .iter()
            .map(|(&start, n)| (distance(start, n), start, n))
            .filter(|&(d, _, n)| d <= n.len.max(REACH))
            .min_by_key(|&(d, start, n)| {
                (
                    d > 0,
                    !meant(d, n) && internal(start),
                    d,
                    n.freed.is_some(),
                    Reverse(start),
                )
            });
        fault.nearest = match best {
            Some((d, ..)) if d > 0 && va < NEAR_ZERO => Near::Zero,
            Some((_, start, n)) => Near::Allocation(Nearest {
                name: n.name.clone(),
                range: start..start + n.len,
                freed: n.freed.map(|at| match at < self.launches.load(Ordering::Relaxed) {
                    true => Freed::Before,
                    false => Freed::During,
                }),
                va,
            }),
            None if va < NEAR_ZERO => Near::Zero,
            None => Near::Nothing,
        };
        fault
    }

    /// The name of the allocation that holds `va`.
    pub fn name_at(&self, va: u64) -> Option<Arc<str>> {
        let names = lock(&self.names);
        let (start, n) = names.range(..=va).next_back()?;
        (va - start < n.len).then(|| n.name.clone())
    }

    /// A launch begins: what is freed from now on is freed while it runs.
    pub fn begin_launch(&self) {
        self.launches.fetch_add(1, Ordering::Relaxed);
    }

    /// Ranges and names of everything named and not freed, by address.
    pub fn allocations(&self) -> Vec<(Range<u64>, Arc<str>)> {
        let names = lock(&self.names);
        let live = names.iter().filter(|(_, n)| n.freed.is_none());
        live.map(|(&start, n)| (start..start + n.len, n.name.clone())).collect()
    }

    /// Nobody has written the `len` bytes at `va` yet: a sanitizer reports who uses them.
    pub fn set_unwritten(&self, va: u64, len: u64) {
        lock(&self.unwritten).add(va..va.saturating_add(len));
    }

    /// The host has written the `len` bytes at `va`.
    pub fn set_written(&self, va: u64, len: u64) {
        lock(&self.unwritten).write(va..va.saturating_add(len));
    }

    /// Which of the `len` bytes at `va` somebody has written, as far as that is known.
    pub fn written_bytes(&self, va: u64, len: u64) -> Vec<bool> {
        lock(&self.unwritten).written_bytes(va..va.saturating_add(len))
    }

    /// A kernel runs and nobody sees what it writes: all memory counts as written.
    pub fn forget_unwritten(&self) {
        lock(&self.unwritten).clear();
    }

    /// What nobody has written, by address.
    pub fn unwritten(&self) -> Vec<Arc<Unwritten>> {
        lock(&self.unwritten).all()
    }

    /// Marks the mapping that holds `va` as the runtime's own (rings, signals, kernel arguments): a card lets kernels
    /// write there, but no correct kernel does. The driver's own accesses do not care.
    pub fn guard(&self, va: u64) {
        self.change(|t| {
            let after = t.mappings.partition_point(|m| m.va <= va);
            let at = after
                .checked_sub(1)
                .filter(|&k| va - t.mappings[k].va < t.mappings[k].len);
            at.is_some_and(|k| !std::mem::replace(&mut t.mappings[k].guarded, true))
        });
    }

    /// Names the `len` bytes at `va` for fault messages. A name inside a buffer replaces the buffer's own.
    pub fn name(&self, va: u64, len: u64, name: &str) {
        let mut names = lock(&self.names);
        // Remembered frees that overlap would hide the new allocation.
        let stale: Vec<u64> = names
            .range(..va + len.max(1))
            .rev()
            .take_while(|(s, n)| **s + n.len > va || n.freed.is_some())
            .filter(|(s, n)| n.freed.is_some() && **s + n.len > va)
            .map(|(s, _)| *s)
            .collect();
        for s in stale {
            names.remove(&s);
        }
        names.insert(
            va,
            Named {
                len,
                name: name.into(),
                freed: None,
            },
        );
    }

    /// Notes that the named allocation at `va` is gone.
    pub fn forget(&self, va: u64) {
        let mut names = lock(&self.names);
        if let Some(n) = names.get_mut(&va) {
            n.freed = Some(self.launches.load(Ordering::Relaxed));
        }
        while names.len() > REMEMBERED {
            let Some(old) = names.iter().find(|(_, n)| n.freed.is_some()).map(|(s, _)| *s) else {
                break;
            };
            names.remove(&old);
        }
    }

    /// Notes that `object` was loaded at GPU address `va`.
    pub fn add_code(&self, va: u64, object: Arc<CodeObject>) {
        lock(&self.code).insert(va, object);
    }

    /// The code object whose memory holds `va`, and where it was loaded; known only if the client told.
    pub fn code_at(&self, va: u64) -> Option<(u64, Arc<CodeObject>)> {
        let code = lock(&self.code);
        let (&at, object) = code.range(..=va).next_back()?;
        (va - at < object.memory_bytes()).then(|| (at, object.clone()))
    }

    /// Maps `len` bytes at arena `offset` to GPU address `va`. Returns false, changing nothing, if the range overlaps
    /// a mapping.
    pub fn map(&self, va: u64, len: u64, offset: u64, flags: PageFlags) -> bool {
        let host = self.arena.host(offset) as usize;
        self.change(|t| {
            let at = t.mappings.partition_point(|m| m.va < va);
            let free_below = at == 0 || t.mappings[at - 1].whole.end <= va;
            let free_above = t.mappings.get(at).is_none_or(|m| va + len <= m.whole.start);
            if free_below && free_above {
                t.mappings.insert(
                    at,
                    Mapping {
                        va,
                        len,
                        flags,
                        guarded: false,
                        host,
                        whole: va..va + len,
                    },
                );
            }
            free_below && free_above
        })
    }

    /// Removes the mapping that starts at `va`; false if there is none.
    pub fn unmap(&self, va: u64) -> bool {
        lock(&self.code).remove(&va);
        self.change(|t| match t.mappings.binary_search_by_key(&va, |m| m.whole.start) {
            Ok(i) => {
                let gone = t.mappings.remove(i);
                lock(&self.unwritten).remove(gone.whole);
                true
            }
            Err(_) => false,
        })
    }

    /// Leaves of the mapping that starts at `home` only the `len` bytes from `va` on, and calls them `name`: every other
    /// access to it is a fault, as precisely as no page table can tell. Only loads of whole dwords may end up to three
    /// bytes behind. The host's view keeps all of it. Returns false, changing nothing, if the bytes are not within the
    /// mapping.
    pub fn narrow(&self, home: u64, va: u64, len: u64, name: &str) -> bool {
        let narrowed = self.change(|t| {
            let Ok(i) = t.mappings.binary_search_by_key(&home, |m| m.whole.start) else {
                return false;
            };
            let m = &mut t.mappings[i];
            let inside = va >= m.whole.start && va <= m.whole.end && m.whole.end - va >= len;
            if inside {
                m.host = m.host.wrapping_add(va.wrapping_sub(m.va) as usize);
                (m.va, m.len) = (va, len);
            }
            inside
        });
        if narrowed {
            lock(&self.names).remove(&home);
            self.name(va, len, name);
        }
        narrowed
    }

    /// Takes fresh zeroed memory, maps it at `va` and names it: for tests of an executor without a driver.
    pub fn map_fresh(&self, va: u64, len: u64, flags: PageFlags, name: &str) -> Result<*mut u8, ArenaError> {
        let size = len.max(1).next_multiple_of(PAGE);
        let offset = self.arena.take(size)?;
        if !self.map(va, size, offset, flags) {
            self.arena.give(offset, size);
            return Err(ArenaError::Full { size });
        }
        self.name(va, len, name);
        Ok(self.arena.host(offset))
    }

    fn change(&self, f: impl FnOnce(&mut PageTable) -> bool) -> bool {
        let mut guard = self.table.write().unwrap_or_else(PoisonError::into_inner);
        let mut next = PageTable::clone(&guard);
        let changed = f(&mut next);
        if changed {
            next.generation += 1;
            self.generation.store(next.generation, Ordering::Release);
            *guard = Arc::new(next);
        }
        changed
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn resolves_inside_and_names_what_is_near_outside() {
        let vm = Vm::new().unwrap();
        let base = 0x7000_0000_0000;
        let ro = PageFlags {
            writable: false,
            executable: false,
            vram: true,
            uncached: false,
        };
        vm.map_fresh(base, 100, PageFlags::ALL, "code").unwrap();
        vm.map_fresh(base + 2 * PAGE, PAGE, ro, "table").unwrap();
        let r = vm.resolve(base + 16, 4, Access::Write).unwrap();
        assert_eq!(r.available(), PAGE - 16);
        let e = vm.resolve(base + PAGE, 4, Access::Read).unwrap_err();
        assert_eq!(e.kind, VmFaultKind::NotPresent);
        assert_eq!(
            e.to_string(),
            "read of 4 bytes at 0x700000001000: no memory is mapped there; 3996 bytes past the end of `code` (100 bytes at 0x700000000000)"
        );
        let e = vm.resolve(base + PAGE - 2, 4, Access::Read).unwrap_err();
        assert_eq!((e.kind, e.va), (VmFaultKind::NotPresent, base + PAGE));
        assert_eq!(
            vm.resolve(base + 2 * PAGE, 4, Access::Atomic).unwrap_err().kind,
            VmFaultKind::ReadOnly
        );
        assert_eq!(
            vm.resolve(base + 2 * PAGE, 4, Access::Execute).unwrap_err().kind,
            VmFaultKind::NoExecute
        );
        let before = vm.resolve(base + 2 * PAGE - 8, 4, Access::Read).unwrap_err();
        assert!(before.to_string().contains("8 bytes before `table`"), "{before}");
    }

    #[test]
    fn narrowed_mappings_end_at_the_byte() {
        let vm = Vm::new().unwrap();
        let base = 0x7000_0000_0000;
        let host = vm.map_fresh(base, 3 * PAGE, PageFlags::ALL, "a buffer").unwrap();
        assert!(!vm.narrow(base + PAGE, base + PAGE, 5, "x"), "nothing starts there");
        assert!(!vm.narrow(base, base + 2 * PAGE, PAGE + 1, "x"), "more than there is");
        let at = base + PAGE;
        assert!(vm.narrow(base, at, 5, "x"));
        let r = vm.resolve(at, 4, Access::Write).unwrap();
        assert_eq!((r.as_ptr(), r.available()), (host.wrapping_add(PAGE as usize), 5));
        // The dword of the last byte may be loaded, and nothing else behind the fifth byte.
        for (offset, len, access, fine) in [
            (4, 1, Access::Read, true),
            (4, 1, Access::Write, true),
            (4, 4, Access::Read, true),
            (0, 8, Access::Read, true),
            (4, 4, Access::Write, false),
            (4, 4, Access::Atomic, false),
            (4, 2, Access::Write, false),
            (5, 1, Access::Read, false),
            (6, 2, Access::Read, false),
            (3, 4, Access::Read, false),
            (4, 8, Access::Read, false),
            (8, 4, Access::Read, false),
        ] {
            let r = vm.resolve(at + offset, len, access);
            assert_eq!(r.is_ok(), fine, "{access} of {len} bytes at {offset}");
        }
        let e = vm.resolve(at - 4, 4, Access::Read).unwrap_err();
        assert!(
            e.to_string()
                .ends_with("4 bytes before `x` (5 bytes at 0x700000001000)"),
            "{e}"
        );
        let e = vm.resolve(at + 8, 4, Access::Read).unwrap_err();
        assert!(e.to_string().contains("3 bytes past the end of `x`"), "{e}");
        let e = vm.resolve(at + 5, 1, Access::Read).unwrap_err().to_string();
        let want = "read of 1 byte at 0x700000001005: a card has memory there, the rest of a page, but it belongs to nobody; just past the end of `x`";
        assert!(e.starts_with(want), "{e}");
        // The rest is still taken, and all of it goes together.
        assert!(!vm.map(base + 2 * PAGE, PAGE, 0, PageFlags::ALL));
        assert!(!vm.map(base, PAGE, 0, PageFlags::ALL));
        assert!(vm.unmap(base));
        assert_eq!(
            vm.resolve(at, 4, Access::Read).unwrap_err().kind,
            VmFaultKind::NotPresent
        );
    }

    #[test]
    fn mappings_neither_overlap_nor_survive_unmap() {
        let vm = Vm::new().unwrap();
        vm.map_fresh(0x10000, 2 * PAGE, PageFlags::ALL, "a").unwrap();
        assert!(vm.map_fresh(0x11000, PAGE, PageFlags::ALL, "b").is_err());
        assert!(vm.map_fresh(0xf000, 2 * PAGE, PageFlags::ALL, "b").is_err());
        vm.map_fresh(0x12000, PAGE, PageFlags::ALL, "b").unwrap();
        assert_eq!(
            vm.resolve(0x11ffc, 8, Access::Read).unwrap_err().kind,
            VmFaultKind::Straddles
        );
        let g = vm.generation();
        assert!(vm.unmap(0x10000));
        assert!(!vm.unmap(0x10000));
        assert_ne!(vm.generation(), g);
        vm.forget(0x10000);
        let e = vm.resolve(0x10010, 4, Access::Read).unwrap_err();
        assert!(
            e.to_string()
                .contains("16 bytes into `a` (8192 bytes at 0x10000, freed while this launch ran)"),
            "{e}"
        );
    }

    #[test]
    fn only_what_is_near_is_named_and_the_users_first() {
        let vm = Vm::new().unwrap();
        let at = |va| vm.resolve(va, 4, Access::Read).unwrap_err().to_string();
        assert!(at(0x10).ends_with("near address 0, where nothing is ever allocated"));
        let base = 0x7000_0000_0000;
        vm.map_fresh(base, PAGE, PageFlags::ALL, "ring").unwrap();
        vm.map_fresh(base + 8 * PAGE, PAGE, PageFlags::ALL, "user").unwrap();
        assert!(at(base + PAGE).contains("`ring`"), "{}", at(base + PAGE));
        vm.guard(base + 17);
        // The user's buffer is further away, and yet likelier to be meant.
        assert!(
            at(base + PAGE).contains("28672 bytes before `user`"),
            "{}",
            at(base + PAGE)
        );
        // But not than the arguments right beside it.
        vm.map_fresh(base + 4 * PAGE, PAGE, PageFlags::ALL, ARGUMENTS).unwrap();
        vm.guard(base + 4 * PAGE);
        let before = at(base + 4 * PAGE - 4);
        assert!(before.contains("4 bytes before the kernel arguments ("), "{before}");
        let further = at(base + 3 * PAGE);
        assert!(further.contains("before `user`"), "{further}");
        let far = at(base + (1 << 30));
        assert!(
            far.ends_with("no memory is mapped there; no allocation is near"),
            "{far}"
        );
        let large = 64 << 20;
        vm.map_fresh(base + (1 << 32), large, PageFlags::ALL, "large").unwrap();
        assert!(at(base + (1 << 32) - large).contains("before `large`"));
        assert_eq!(vm.name_at(base + 5).as_deref(), Some("ring"));
        assert_eq!(vm.name_at(base + PAGE), None);
    }
}
