//! The order in which workgroups of a launch act on each other, the same for any number of host threads.
//!
//! Problem: groups run in parallel on host threads, but a program may see in which order they did something: the old
//! value an atomic returns, the rounding of a float atomic, a flag another group sets. A result must not depend on
//! the host.
//!
//! Rule: there is one *token*. Instructions by which a group can notice others (*ordered* ones: atomics on memory that
//! do not merely commute, and device-scope loads, `glc`, by which programs poll) are executed only by the group that
//! holds it. The token goes from group to group in a queue: first in ascending number; a group leaves the queue by
//! ending and goes to its back by *yielding*. It yields after a fixed number of rounds or of ordered instructions
//! of its own, in another order than the usual one (`dice.rs`) also at random between two of them, so groups that wait for each other all get their turns. The queue holds the *resident* groups, as many
//! as a card has room for; whenever one leaves, the next number joins at the back.
//!
//! A launch whose resident groups all wait for one that is not resident hangs on a card. Here a group yields *stuck*
//! when none of its waves can go on unless another group writes memory. When every resident group has yielded stuck, in
//! two rounds of the token without a write between, while others are not resident, the launch is *dead*: the groups
//! run on to where they need the token, so that they stand where they always do, and the launch ends. Another queue
//! could still write: therefore that is only believed after [`GRACE`].
//!
//! Why that is deterministic: between two ordered instructions a group depends on nothing but itself and memory no
//! other group writes meanwhile (a data race without atomics is the program's own fault, as on the card). The order of
//! ordered instructions follows from the queue alone, and when a group yields, ends or faults follows from its own
//! instruction counts. When these things *happen* on the host is left open; they take effect in token order.
//! A fault takes effect when the group that made it has the token: groups with higher numbers stop then.
//!
//! Why it is parallel: everything else needs no token. A group runs ahead until its first ordered instruction, or to
//! its end, on any thread. The holder of the token is never made to wait for a thread's sake, so there is always
//! progress; other groups are started only while few are in flight, which bounds memory.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use t0_backend_rdna3::isa::{Class, Inst, Opcode, Sop1};

use crate::program::Instr;

/// How long all resident groups must be stuck.
const GRACE: Duration = Duration::from_millis(500);
/// Groups in flight per host thread before no more are started ahead of the token.
const AHEAD: usize = 16;

/// A group that got a thread.
pub(crate) struct Turn<G> {
    /// Its number.
    pub n: u64,
    /// Its state; `None` for a group that has not started.
    pub group: Option<G>,
    /// Whether it holds the token.
    pub token: bool,
}

/// Where a started group is.
#[derive(Debug)]
enum Place<G> {
    /// On a thread.
    Running,
    /// May run to its next ordered instruction.
    Ready(G),
    /// Stands before an ordered instruction.
    Blocked(G),
    /// Gives the token away as soon as it has it; true: it is stuck.
    Yielding(G, bool),
    /// Has ended; true: by a fault.
    Ended(bool),
}

#[derive(Debug)]
struct State<G> {
    /// Unfinished groups of the window, in the order of the token.
    queue: VecDeque<Range<u64>>,
    /// Groups that are or were in the queue.
    joined: u64,
    /// The lowest number not started.
    next: u64,
    places: HashMap<u64, Place<G>>,
    /// Groups that became ready; some may have moved on.
    ready: VecDeque<u64>,
    /// Groups started and not ended.
    alive: usize,
    /// Groups that left the queue for good.
    gone: u64,
    /// Stuck groups that yielded one after the other, and when the first did.
    stuck: (u64, Option<Instant>),
    dead: bool,
    cancelled: bool,
}

/// The queue of a launch.
#[derive(Debug)]
pub(crate) struct Order<G> {
    total: u64,
    resident: u64,
    ahead: usize,
    state: Mutex<State<G>>,
    changed: Condvar,
    /// The lowest number of a group whose fault took effect.
    stop_at: AtomicU64,
}

impl<G> Order<G> {
    /// For `total` groups on `threads` threads, of which `most` are resident at once.
    pub fn new(total: u64, threads: usize, most: u64) -> Order<G> {
        let window = most.max(1).min(total);
        let mut queue = VecDeque::new();
        queue.push_back(0..window);
        Order {
            total,
            resident: window,
            ahead: AHEAD * threads,
            state: Mutex::new(State {
                queue,
                joined: window,
                next: 0,
                places: HashMap::new(),
                ready: VecDeque::new(),
                alive: 0,
                gone: 0,
                stuck: (0, None),
                dead: false,
                cancelled: false,
            }),
            changed: Condvar::new(),
            stop_at: AtomicU64::new(u64::MAX),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<G>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True when group `n` need not go on: a group before it has faulted.
    pub fn stopped(&self, n: u64) -> bool {
        n > self.stop_at.load(Ordering::Relaxed)
    }

    /// Ends the launch: nobody gets another turn.
    pub fn cancel(&self) {
        self.lock().cancelled = true;
        self.changed.notify_all();
    }

    /// The next group to run; `None` when all have ended. Waits while only others can go on.
    pub fn take(&self) -> Option<Turn<G>> {
        let mut s = self.lock();
        loop {
            if s.cancelled {
                return None;
            }
            let Some(head) = self.advance(&mut s) else {
                self.changed.notify_all();
                return None;
            };
            let turn = match s.dead {
                true => s.ready(),
                false => self.pick(&mut s, head),
            };
            if turn.is_some() {
                return turn;
            }
            if s.dead && !s.places.values().any(|p| matches!(p, Place::Running)) {
                self.changed.notify_all();
                return None;
            }
            s = self.changed.wait(s).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn pick(&self, s: &mut State<G>, head: u64) -> Option<Turn<G>> {
        if !matches!(s.places.get(&head), Some(Place::Running)) {
            let group = s.resume(head);
            return Some(s.start(head, group, true));
        }
        if let Some(turn) = s.ready() {
            return Some(turn);
        }
        let may_start = s.alive < self.ahead && s.next < s.joined && !self.stopped(s.next);
        may_start.then(|| s.start(s.next, None, false))
    }

    /// Group `n` stands before an ordered instruction. It gets itself back when it has the token.
    pub fn block(&self, n: u64, group: G) -> Option<G> {
        let mut s = self.lock();
        if self.advance(&mut s) == Some(n) && !s.dead {
            return Some(group);
        }
        s.places.insert(n, Place::Blocked(group));
        if s.dead {
            self.changed.notify_all();
        }
        None
    }

    /// Group `n` has to give the token away, perhaps because it is stuck.
    pub fn give(&self, n: u64, group: G, stuck: bool) {
        self.lock().places.insert(n, Place::Yielding(group, stuck));
        self.changed.notify_all();
    }

    /// Group `n` has ended, perhaps by a fault.
    pub fn end(&self, n: u64, faulted: bool) {
        let mut s = self.lock();
        s.places.insert(n, Place::Ended(faulted));
        s.alive -= 1;
        self.changed.notify_all();
    }

    /// Lets everything take effect that the holder of the token has waiting; the holder then.
    fn advance(&self, s: &mut State<G>) -> Option<u64> {
        while !s.dead {
            let head = s.queue.front()?.start;
            match s.places.remove(&head) {
                Some(Place::Ended(faulted)) => {
                    if faulted {
                        self.stop_at.fetch_min(head, Ordering::Relaxed);
                    }
                    s.leave(self.total);
                    s.stuck = (0, None);
                }
                Some(Place::Yielding(group, stuck)) => {
                    s.note_stuck(stuck, self.total);
                    s.pop();
                    s.push(head);
                    s.places.insert(head, Place::Ready(group));
                    s.ready.push_back(head);
                    self.changed.notify_all();
                    if s.queue.front().map(|r| r.start) == Some(head) {
                        return Some(head);
                    }
                }
                None if self.stopped(head) => {
                    s.next = s.next.max(head + 1);
                    s.leave(self.total);
                }
                Some(Place::Ready(_) | Place::Blocked(_)) if self.stopped(head) => {
                    s.alive -= 1;
                    s.leave(self.total);
                }
                Some(place) => {
                    s.places.insert(head, place);
                    return Some(head);
                }
                None => return Some(head),
            }
        }
        s.queue.front().map(|r| r.start)
    }

    /// Groups in all, and how many of them can be resident.
    pub fn sizes(&self) -> (u64, u64) {
        (self.total, self.resident)
    }

    /// Looks at every started group that is on no thread; returns the numbers of the others, and how many have ended.
    pub fn look(&self, mut at: impl FnMut(u64, &G)) -> (Vec<u64>, u64) {
        let s = self.lock();
        let mut running = Vec::new();
        let mut ended = s.gone;
        for (&n, place) in &s.places {
            match place {
                Place::Running => running.push(n),
                Place::Ready(g) | Place::Blocked(g) | Place::Yielding(g, _) => at(n, g),
                Place::Ended(_) => ended += 1,
            }
        }
        (running, ended)
    }

    /// True when no group can ever go on, because those that are resident wait for those that are not.
    pub fn dead(&self) -> bool {
        self.lock().dead
    }
}

impl<G> State<G> {
    fn start(&mut self, n: u64, group: Option<G>, token: bool) -> Turn<G> {
        if group.is_none() {
            self.next = self.next.max(n + 1);
            self.alive += 1;
        }
        self.places.insert(n, Place::Running);
        Turn { n, group, token }
    }

    fn resume(&mut self, n: u64) -> Option<G> {
        match self.places.remove(&n) {
            Some(Place::Ready(g) | Place::Blocked(g) | Place::Yielding(g, _)) => Some(g),
            _ => None,
        }
    }

    /// The next group that may run without the token.
    fn ready(&mut self) -> Option<Turn<G>> {
        while let Some(n) = self.ready.pop_front() {
            if matches!(self.places.get(&n), Some(Place::Ready(_))) {
                let group = self.resume(n);
                return Some(self.start(n, group, false));
            }
        }
        None
    }

    /// The head yields.
    fn note_stuck(&mut self, stuck: bool, total: u64) {
        if !stuck {
            self.stuck = (0, None);
            return;
        }
        self.stuck.0 += 1;
        let since = *self.stuck.1.get_or_insert_with(Instant::now);
        let resident = self.joined - self.gone;
        self.dead = self.joined < total && self.stuck.0 >= 2 * resident && since.elapsed() >= GRACE;
    }

    /// Takes the head out of the queue.
    fn pop(&mut self) {
        if let Some(first) = self.queue.front_mut() {
            first.start += 1;
            if first.is_empty() {
                self.queue.pop_front();
            }
        }
    }

    /// Appends a group.
    fn push(&mut self, n: u64) {
        match self.queue.back_mut() {
            Some(last) if last.end == n => last.end += 1,
            _ => self.queue.push_back(n..n + 1),
        }
    }

    /// The head leaves for good, the next number joins.
    fn leave(&mut self, total: u64) {
        self.pop();
        self.gone += 1;
        if self.joined < total {
            let n = self.joined;
            self.joined += 1;
            self.push(n);
        }
    }
}

/// How an instruction lets a group notice others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Contact {
    None,
    /// An integer atomic without return value, by its operation and width: such atomics of one kind commute.
    Commutes(&'static str),
    /// Anything else that depends on the order.
    Orders,
}

fn contact(inst: &Inst) -> Contact {
    let row = inst.row();
    match row.class {
        Class::VmemLoad | Class::Smem if inst.mods.glc => Contact::Orders,
        Class::VmemAtomic => {
            let what = row.name.split_once("atomic_").map_or("", |(_, what)| what);
            let commutes = [
                "add_u", "sub_u", "min_i", "min_u", "max_i", "max_u", "and_b", "or_b", "xor_b",
            ];
            if inst.mods.glc || !commutes.iter().any(|c| what.starts_with(c)) {
                Contact::Orders
            } else {
                Contact::Commutes(what)
            }
        }
        _ => Contact::None,
    }
}

/// Marks the ordered instructions of a program. Commuting atomics of a single kind need no order while nothing else
/// can see their intermediate results; code behind register jumps may hold anything.
pub(crate) fn mark(code: &mut [Instr], insts: &[Option<Inst>]) {
    let contacts: Vec<Contact> = insts
        .iter()
        .map(|i| i.as_ref().map_or(Contact::None, contact))
        .collect();
    let jumps = insts
        .iter()
        .flatten()
        .any(|i| matches!(i.op, Opcode::Sop1(Sop1::s_setpc_b64 | Sop1::s_swappc_b64)));
    let first = contacts.iter().find(|c| **c != Contact::None).copied();
    let alike = first.is_some_and(|f| f != Contact::Orders && contacts.iter().all(|&c| c == Contact::None || c == f));
    for (i, c) in code.iter_mut().zip(contacts) {
        i.ordered = c != Contact::None && (jumps || !alike);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const WINDOW: u64 = 512;

    /// Runs groups that block `steps[n]` times and yield after every third block; returns the order of the ordered
    /// steps.
    fn run(steps: &[u32], threads: usize) -> Vec<u64> {
        let order: Order<u32> = Order::new(steps.len() as u64, threads, WINDOW);
        let log = Mutex::new(Vec::new());
        let work = |seed: u64| {
            let mut x = seed;
            while let Some(turn) = order.take() {
                let (n, mut done, mut token) = (turn.n, turn.group.unwrap_or(0), turn.token);
                loop {
                    x = x.wrapping_mul(6364136223846793005).wrapping_add(99);
                    for _ in 0..x >> 60 {
                        std::thread::yield_now();
                    }
                    if done == steps[n as usize] {
                        order.end(n, false);
                        break;
                    }
                    if !token {
                        match order.block(n, done) {
                            Some(_) => token = true,
                            None => break,
                        }
                    }
                    log.lock().unwrap().push(n);
                    done += 1;
                    if done % 3 == 0 {
                        order.give(n, done, false);
                        break;
                    }
                }
            }
        };
        std::thread::scope(|s| (0..threads).for_each(|t| drop(s.spawn(move || work(t as u64 + 1)))));
        log.into_inner().unwrap()
    }

    #[test]
    fn ordered_steps_come_in_one_order_whatever_the_threads() {
        let steps: Vec<u32> = (0..200).map(|n| (n * 7 + n / 3) % 11).collect();
        let want = run(&steps, 1);
        assert_eq!(want.len() as u32, steps.iter().sum());
        assert_eq!(want[..4], [1, 1, 1, 2]);
        for threads in [2, 3, 8] {
            assert_eq!(run(&steps, threads), want, "{threads} threads");
        }
    }

    #[test]
    fn more_groups_than_the_window_all_get_their_turn() {
        let steps = vec![4; 1500];
        let log = run(&steps, 4);
        assert_eq!(log, run(&steps, 1));
        // The first yields after three steps; its fourth comes after everybody in the window had a turn.
        assert_eq!(log[..6], [0, 0, 0, 1, 1, 1]);
        let fourth = log.iter().enumerate().filter(|(_, &n)| n == 0).nth(3).unwrap().0;
        assert_eq!(fourth as u64, 3 * WINDOW);
    }

    #[test]
    fn a_fault_stops_those_behind_it() {
        let order: Order<u32> = Order::new(10, 2, u64::MAX);
        let a = order.take().unwrap();
        let b = order.take().unwrap();
        assert_eq!((a.n, a.token, b.n, b.token), (0, true, 1, false));
        order.end(1, true);
        // Group 0 is not done, so the fault has not taken effect.
        assert!(!order.stopped(2));
        order.end(0, false);
        assert!(order.take().is_none());
        assert!(order.stopped(2) && !order.stopped(1));
    }
}
