//! Loads in flight, and the trap for registers touched before their wait.
//!
//! Problem: on the card a register named by a load holds garbage until the right `s_waitcnt`; code that forgets the
//! wait works on most runs. Method: a load delivers its data at once but marks its destination as pending together
//! with its counter; a wait retires what it *guarantees* to be finished; any other touch of a pending register is a
//! fault. Because every touch faults, delivering early cannot be observed.
//!
//! What a wait guarantees (RDNA3 manual 4.4, LLVM `SIInsertWaitcnts`): VMEM loads finish in order; DS operations finish in
//! order among themselves; SMEM and messages finish in any order, only `lgkmcnt(0)` retires them. A wait for `n` leaves at
//! most `n` operations of the counter, so of an ordered kind at most the latest `n`, whatever else is counted. FLAT counts on
//! both sides, in order with VMEM loads there and with DS here, and both have to be waited for, as it is not known where it
//! goes. That is LLVM's rule from gfx10 on (`hasFlatLgkmVMemCountInOrder`), which clang's code relies on; the RDNA3 manual
//! says that FLAT may return out of order. UNVERIFIED(hw): which of them is right; t0's own compiler makes no FLAT accesses.
//!
//! Loads of one in-order kind may write the same register without a wait in between. A D16 load pends one half of a
//! register: code that only touches the other half (16-bit registers of gfx11, as LLVM 22 uses them) needs no wait.
//! UNVERIFIED(hw): that the card forwards halves by themselves is LLVM's assumption. The static checker
//! (`t0_backend_rdna3::check`) has the same rules, and those of instructions that are not simulated.

use std::collections::VecDeque;

use crate::program::{Instr, Program, SSet, VSet};
use t0_backend_rdna3::isa::{scalar_name, Class, Flags};

/// Largest value of VMcnt, VScnt and LGKMcnt.
const MAX: u32 = 63;

/// In what order operations finish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Vmem,
    Lds,
    /// SMEM, messages.
    Any,
}

/// One operation in flight.
#[derive(Clone, Debug)]
struct InFlight {
    order: Order,
    count: u32,
    /// How many operations its counter had seen before.
    number: u32,
    v: VSet,
    s: SSet,
    /// A D16 load: true when it writes the high half of its register.
    high: Option<bool>,
    pc: u32,
}

/// The counters of a wave and what they stand for.
#[derive(Clone, Debug, Default)]
pub struct Waits {
    vm: VecDeque<InFlight>,
    lgkm: VecDeque<InFlight>,
    vs: u32,
    vm_v: VSet,
    lds_v: VSet,
    any_v: VSet,
    s: SSet,
    /// True when some register is pending.
    pub pending: bool,
    /// Operations of VMcnt and LGKMcnt, and counts of VScnt, issued so far.
    issued: [u32; 3],
    /// All stores have been waited for, and nothing was issued since but accesses of private memory.
    pub flushed: bool,
    /// Some store that others see has not been waited for.
    pub storing: bool,
}

/// A register touched too early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlyTouch {
    /// The register as text.
    pub register: String,
    /// Program index of the operation still in flight.
    pub load: u32,
    /// The counter to wait for.
    pub counter: &'static str,
    /// True when the register is only written.
    pub written: bool,
}

fn overlap<const N: usize>(a: &[u64; N], b: &[u64; N]) -> bool {
    a.iter().zip(b).any(|(x, y)| x & y != 0)
}

fn add<const N: usize>(a: &mut [u64; N], b: &[u64; N]) {
    a.iter_mut().zip(b).for_each(|(x, y)| *x |= y);
}

impl Waits {
    /// Checks an instruction of `program` that is about to execute.
    #[inline]
    pub fn check(&self, i: &Instr, program: &Program) -> Result<(), EarlyTouch> {
        let reads = overlap(&i.vread, &self.vm_v) || overlap(&i.vread, &self.lds_v) || overlap(&i.vread, &self.any_v);
        let writes =
            overlap(&i.vwrite, &self.vm_v) || overlap(&i.vwrite, &self.lds_v) || overlap(&i.vwrite, &self.any_v);
        let scalar = overlap(&i.sread, &self.s) || overlap(&i.swrite, &self.s);
        if !(reads || writes || scalar) {
            return Ok(());
        }
        self.explain(i, program)
    }

    fn explain(&self, i: &Instr, program: &Program) -> Result<(), EarlyTouch> {
        let own = match i.class {
            Class::VmemLoad | Class::VmemAtomic if !i.flags.has(Flags::FLAT) => Some(Order::Vmem),
            Class::LdsLoad | Class::LdsAtomic | Class::LdsLane => Some(Order::Lds),
            _ => None,
        };
        for f in self.vm.iter().chain(&self.lgkm) {
            let register = (0..4).find_map(|k| first(f.v[k], k));
            let half = f.high.zip(register).zip(program.inst(i.index));
            if half.is_some_and(|((high, r), inst)| inst.touches_only_half(r, !high)) {
                continue;
            }
            // A later load of the same in-order kind may land on the same register: the data arrive in order. A
            // D16 load reads the rest of its destination where it writes it.
            let (read, write) = if own == Some(f.order) {
                let mut address = i.vread;
                if i.flags.has(Flags::D16) {
                    address.iter_mut().zip(&i.vwrite).for_each(|(r, w)| *r &= !w);
                }
                (address, [0; 4])
            } else {
                (i.vread, i.vwrite)
            };
            let hit = (0..4)
                .find_map(|k| first(f.v[k] & read[k], k).map(|r| (r, false)))
                .or_else(|| (0..4).find_map(|k| first(f.v[k] & write[k], k).map(|r| (r, true))))
                .map(|(r, w)| (format!("v{r}"), w))
                .or_else(|| {
                    (0..2)
                        .find_map(|k| first(f.s[k] & i.sread[k], k).map(|r| (r, false)))
                        .or_else(|| (0..2).find_map(|k| first(f.s[k] & i.swrite[k], k).map(|r| (r, true))))
                        .map(|(r, w)| (scalar_name(r), w))
                });
            if let Some((register, written)) = hit {
                let counter = if f.order == Order::Vmem { "vmcnt" } else { "lgkmcnt" };
                return Err(EarlyTouch {
                    register,
                    load: f.pc,
                    counter,
                    written,
                });
            }
        }
        Ok(())
    }

    /// Notes an executed instruction that increments counters.
    pub fn issue(&mut self, i: &Instr, pc: u32) {
        self.vs = (self.vs + i.wait.vs).min(MAX);
        if !i.flags.has(Flags::SCRATCH) {
            self.flushed = false;
            self.storing |= i.wait.vs > 0;
        }
        let mut retired = false;
        if i.wait.vm > 0 {
            if self.vm.len() as u32 >= MAX {
                // The card stalls such an instruction until the oldest has returned.
                self.vm.pop_front();
                retired = true;
            }
            add(&mut self.vm_v, &i.vwrite);
            self.vm.push_back(InFlight {
                order: Order::Vmem,
                count: i.wait.vm,
                number: self.issued[0],
                v: i.vwrite,
                s: [0; 2],
                high: i.half_loaded,
                pc,
            });
        }
        if i.wait.lgkm > 0 {
            retired |= self.issue_lgkm(i, pc);
        }
        self.issued[0] += u32::from(i.wait.vm > 0);
        self.issued[1] += u32::from(i.wait.lgkm > 0);
        self.issued[2] += i.wait.vs;
        if retired {
            self.rebuild();
        } else if i.wait.vm + i.wait.lgkm > 0 {
            let scalar = i.swrite.iter().fold(0, |all, b| all | b);
            self.pending |= i.vwrite.iter().fold(scalar, |all, b| all | b) != 0;
        }
    }

    /// The part of LGKMcnt; true when an older operation must be finished.
    fn issue_lgkm(&mut self, i: &Instr, pc: u32) -> bool {
        let ordered = i.class.is_lds() || i.flags.has(Flags::FLAT);
        let full = ordered && self.lds_count() >= MAX;
        if full {
            // As with VMcnt. Others in flight may be what the card stalls for; they change nothing about the 64 of this kind.
            self.finish_lds(1);
        }
        let (order, set) = if ordered {
            (Order::Lds, &mut self.lds_v)
        } else {
            (Order::Any, &mut self.any_v)
        };
        add(set, &i.vwrite);
        let s = if ordered { [0; 2] } else { i.swrite };
        add(&mut self.s, &s);
        self.lgkm.push_back(InFlight {
            order,
            count: i.wait.lgkm,
            number: self.issued[1],
            v: i.vwrite,
            s,
            high: i.half_loaded,
            pc,
        });
        full
    }

    fn lds_count(&self) -> u32 {
        self.lgkm.iter().filter(|f| f.order == Order::Lds).count() as u32
    }

    /// The oldest `n` of the operations that finish in order have.
    fn finish_lds(&mut self, mut n: u32) {
        self.lgkm.retain(|f| {
            let done = n > 0 && f.order == Order::Lds;
            n -= u32::from(done);
            !done
        });
    }

    /// VMcnt, LGKMcnt and VScnt.
    pub fn counts(&self) -> [u32; 3] {
        [self.vm.len() as u32, self.lgkm_count().min(MAX), self.vs]
    }

    /// How many operations each counter (VMcnt, LGKMcnt, VScnt) has seen so far. The next one's number.
    pub fn issued(&self) -> [u32; 3] {
        self.issued
    }

    /// How many of them are known to be finished: those with lower numbers.
    pub fn done(&self) -> [u32; 3] {
        let [vm, lgkm, vs] = self.issued;
        let oldest = |queue: &VecDeque<InFlight>, all: u32| queue.front().map_or(all, |f| f.number);
        [oldest(&self.vm, vm), oldest(&self.lgkm, lgkm), vs - self.vs]
    }

    fn lgkm_count(&self) -> u32 {
        self.lgkm.iter().map(|f| f.count).sum()
    }

    /// `s_waitcnt vmcnt(n)`.
    pub fn wait_vm(&mut self, n: u32) {
        if self.vm.len() as u32 <= n {
            return;
        }
        if n == 0 {
            self.vm.clear();
            self.vm_v = [0; 4];
            self.count_pending();
            return;
        }
        while self.vm.len() as u32 > n {
            self.vm.pop_front();
        }
        self.rebuild();
    }

    /// `s_waitcnt lgkmcnt(n)`.
    pub fn wait_lgkm(&mut self, n: u32) {
        if self.lgkm.is_empty() {
            return;
        }
        if n == 0 {
            self.lgkm.clear();
            (self.lds_v, self.any_v, self.s) = ([0; 4], [0; 4], [0; 2]);
            self.count_pending();
            return;
        }
        let over = self.lds_count().saturating_sub(n);
        if over > 0 {
            self.finish_lds(over);
            self.rebuild();
        }
    }

    /// `s_waitcnt_vscnt n`.
    pub fn wait_vs(&mut self, n: u32) {
        self.vs = self.vs.min(n);
        self.flushed |= n == 0;
        self.storing &= n != 0;
    }

    fn rebuild(&mut self) {
        self.vm_v = [0; 4];
        self.lds_v = [0; 4];
        self.any_v = [0; 4];
        self.s = [0; 2];
        for f in self.vm.iter().chain(&self.lgkm) {
            let set = match f.order {
                Order::Vmem => &mut self.vm_v,
                Order::Lds => &mut self.lds_v,
                Order::Any => &mut self.any_v,
            };
            add(set, &f.v);
            add(&mut self.s, &f.s);
        }
        self.count_pending();
    }

    fn count_pending(&mut self) {
        let mut all = self.s[0] | self.s[1];
        for k in 0..4 {
            all |= self.vm_v[k] | self.lds_v[k] | self.any_v[k];
        }
        self.pending = all != 0;
    }
}

fn first(bits: u64, word: usize) -> Option<u32> {
    (bits != 0).then(|| bits.trailing_zeros() + 64 * word as u32)
}
