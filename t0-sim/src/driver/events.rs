//! The event table: what CREATE_EVENT, SET_EVENT and WAIT_EVENTS do, and how the GPU raises events.
//!
//! Invariant: signal events have numbers 1 to 4095, equal to their slot of the event page; all others count up from
//! 0x4000_0000. Every signal of an event raises its age, so a waiter that tells the age it saw last loses no wake-up.
//!
//! Source: `drivers/gpu/drm/amd/amdkfd/kfd_events.c`.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use t0_kfd::uapi::{self, EventData, HwException, MemoryException};
use t0_kfd::{Errno, WaitOutcome};

use super::arena::lock;
use super::vm::Vm;

/// Value of an event slot nothing was written to.
const UNSIGNALED: u64 = u64::MAX;

#[derive(Debug)]
struct Event {
    kind: u32,
    auto_reset: bool,
    signaled: bool,
    age: u64,
    waiters: u32,
    data: EventData,
}

#[derive(Default)]
struct Table {
    /// Arena offset of the event page.
    page: Option<u64>,
    events: BTreeMap<u32, Event>,
    next_other: u32,
}

/// All events of the process.
#[derive(Default)]
pub(super) struct Events {
    table: Mutex<Table>,
    changed: Condvar,
}

/// An errno and its reason.
pub(super) type Refusal = (Errno, String);

fn invalid(why: impl Into<String>) -> Refusal {
    (Errno::EINVAL, why.into())
}

impl Events {
    /// Takes the event page over (once) and fills it.
    pub fn set_page(&self, vm: &Vm, offset: u64) -> Result<(), Refusal> {
        let mut t = lock(&self.table);
        if t.page.is_some() {
            return Err(invalid(
                "the event page was handed over before: event_page_offset must be 0",
            ));
        }
        for slot in 0..uapi::SIGNAL_EVENT_LIMIT {
            vm.event_slot(offset, slot)
                .store(UNSIGNALED, std::sync::atomic::Ordering::Release);
        }
        t.page = Some(offset);
        Ok(())
    }

    /// Arena offset of the event page.
    pub fn page(&self) -> Option<u64> {
        lock(&self.table).page
    }

    /// CREATE_EVENT without the page: fills the outputs of `args` in.
    pub fn create(&self, args: &mut uapi::CreateEvent, gpu_id: u32) -> Result<(), Refusal> {
        let mut t = lock(&self.table);
        let is_signal = matches!(args.event_type, uapi::EVENT_SIGNAL | uapi::EVENT_DEBUG);
        let id = if is_signal {
            if t.page.is_none() {
                return Err(invalid("no event page yet: the first CREATE_EVENT must hand one over"));
            }
            let free = (1..uapi::SIGNAL_EVENT_LIMIT).find(|id| !t.events.contains_key(id));
            free.ok_or_else(|| (Errno::ENOSPC, "all 4095 signal events are in use".into()))?
        } else if matches!(args.event_type, uapi::EVENT_HW_EXCEPTION | uapi::EVENT_MEMORY) {
            t.next_other += 1;
            uapi::FIRST_NONSIGNAL_EVENT_ID + t.next_other - 1
        } else {
            return Err(invalid(format!("event type {} is not simulated", args.event_type)));
        };
        let event = Event {
            kind: args.event_type,
            auto_reset: args.auto_reset != 0,
            signaled: false,
            age: 1,
            waiters: 0,
            data: EventData::new(id),
        };
        t.events.insert(id, event);
        args.event_id = id;
        args.event_trigger_data = if is_signal { id } else { 0 };
        args.event_slot_index = if is_signal { id } else { 0 };
        args.event_page_offset = if is_signal {
            uapi::mmap_offset(uapi::MMAP_TYPE_EVENTS, gpu_id)
        } else {
            0
        };
        Ok(())
    }

    /// DESTROY_EVENT; waiters of the event fail.
    pub fn destroy(&self, id: u32) -> Result<(), Refusal> {
        let removed = lock(&self.table).events.remove(&id);
        self.changed.notify_all();
        removed.map(drop).ok_or_else(|| invalid(format!("no event {id:#x}")))
    }

    /// SET_EVENT (`on`) or RESET_EVENT, from the host.
    pub fn set(&self, id: u32, on: bool) -> Result<(), Refusal> {
        let mut t = lock(&self.table);
        let e = t
            .events
            .get_mut(&id)
            .ok_or_else(|| invalid(format!("no event {id:#x}")))?;
        if e.kind != uapi::EVENT_SIGNAL {
            return Err(invalid(format!(
                "event {id:#x} is not a signal event, the host cannot set it"
            )));
        }
        if on {
            e.fire();
        } else {
            e.signaled = false;
        }
        drop(t);
        self.changed.notify_all();
        Ok(())
    }

    /// The GPU's interrupt with event number `id`: counts only if the slot was written.
    pub fn interrupt(&self, vm: &Vm, id: u32) {
        let mut t = lock(&self.table);
        let Some(page) = t.page else { return };
        let Some(e) = t.events.get_mut(&id).filter(|_| id < uapi::SIGNAL_EVENT_LIMIT) else {
            return;
        };
        let slot = vm.event_slot(page, id);
        if slot.swap(UNSIGNALED, std::sync::atomic::Ordering::AcqRel) != UNSIGNALED {
            e.fire();
            drop(t);
            self.changed.notify_all();
        }
    }

    /// Raises every memory event.
    pub fn memory_exception(&self, m: &MemoryException) {
        self.raise(uapi::EVENT_MEMORY, |d| d.set_memory_exception(m));
    }

    /// Raises every hardware exception event.
    pub fn hw_exception(&self, h: &HwException) {
        self.raise(uapi::EVENT_HW_EXCEPTION, |d| d.set_hw_exception(h));
    }

    fn raise(&self, kind: u32, fill: impl Fn(&mut EventData)) {
        let mut t = lock(&self.table);
        for e in t.events.values_mut().filter(|e| e.kind == kind) {
            fill(&mut e.data);
            e.fire();
        }
        drop(t);
        self.changed.notify_all();
    }

    /// WAIT_EVENTS.
    pub fn wait(&self, events: &mut [EventData], all: bool, timeout_ms: u32) -> Result<WaitOutcome, Refusal> {
        let mut t = lock(&self.table);
        if let Some(e) = events.iter().find(|e| !t.events.contains_key(&e.event_id)) {
            return Err(invalid(format!("no event {:#x}", e.event_id)));
        }
        let mut waits: Vec<Waiting> = Vec::with_capacity(events.len());
        for w in events.iter() {
            waits.extend(t.events.get_mut(&w.event_id).map(|e| e.enter(w)));
        }
        let end = (timeout_ms != u32::MAX).then(|| Instant::now() + Duration::from_millis(timeout_ms.into()));
        let outcome = loop {
            let mut fired = 0;
            let mut gone = None;
            for (w, wait) in events.iter_mut().zip(&mut waits) {
                match t.events.get(&w.event_id) {
                    Some(e) => fired += usize::from(e.look(wait, w)),
                    None => gone = Some(w.event_id),
                }
            }
            if let Some(id) = gone {
                break Err((Errno::EIO, format!("event {id:#x} was destroyed")));
            }
            if fired == events.len() || !all && fired > 0 {
                break Ok(WaitOutcome::Complete);
            }
            let left = match end {
                None => Duration::from_secs(3600),
                Some(end) => match end.checked_duration_since(Instant::now()) {
                    Some(d) if !d.is_zero() => d,
                    _ => break Ok(WaitOutcome::Timeout),
                },
            };
            t = self
                .changed
                .wait_timeout(t, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        };
        for w in events.iter() {
            if let Some(e) = t.events.get_mut(&w.event_id) {
                e.waiters -= 1;
            }
        }
        outcome
    }
}

/// One event of one wait.
struct Waiting {
    /// Age when the wait began: any later signal activates the waiter, whoever else was woken by it.
    age: u64,
    activated: bool,
}

impl Event {
    /// Signals the event: wakes every waiter; an auto-reset event stays signaled only if there was none.
    fn fire(&mut self) {
        self.age += 1;
        self.signaled = !self.auto_reset || self.waiters == 0;
    }

    fn enter(&mut self, w: &EventData) -> Waiting {
        let is_signal = self.kind == uapi::EVENT_SIGNAL;
        let age_moved = is_signal && w.last_event_age() != 0 && w.last_event_age() != self.age;
        let activated = self.signaled || age_moved;
        if self.signaled && self.auto_reset {
            self.signaled = false;
        }
        self.waiters += 1;
        Waiting {
            age: self.age,
            activated,
        }
    }

    /// Did the event fire for this waiter? Fills the waiter's payload in.
    fn look(&self, wait: &mut Waiting, w: &mut EventData) -> bool {
        wait.activated |= self.age != wait.age;
        if !wait.activated {
            return false;
        }
        if self.kind != uapi::EVENT_SIGNAL {
            w.payload = self.data.payload;
        } else if w.last_event_age() != 0 {
            w.set_last_event_age(self.age);
        }
        true
    }
}
