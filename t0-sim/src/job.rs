//! A dispatch in progress: workgroups over host threads, statistics, the first fault.
//!
//! In which order groups act on each other is [`crate::order`]'s matter. Of several faulting groups the one with the
//! lowest number is reported, however the threads were timed.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use t0_backend_rdna3::object::CodeObject;

use crate::backtrace::{describe, Standing};
use crate::dispatch::RunStats;
use crate::driver::{ExecFault, ExecFaultKind, Finding, Offset, Vm, Watch};
use crate::exec::Fault;
use crate::findings::{Collected, Seen};
use crate::group::{Group, GroupFault, Pause, Setup};
use crate::mem::Global;
use crate::order::Order;
use crate::places::Places;
use crate::profile::Tally;
use crate::program::{Program, FETCH};
use crate::sanitize::{Entry, Sanitizer};
use crate::scratch::Slots;
use crate::timing::Recorder;
use crate::written::Written;

/// A code object and the number of a kernel in it.
pub(crate) type Source = (Arc<CodeObject>, usize);

/// The code object a descriptor was loaded from, if the client told.
pub(crate) fn source(vm: &Vm, descriptor: u64) -> Option<Source> {
    let (at, object) = vm.code_at(descriptor)?;
    let is = |k: &t0_backend_rdna3::object::Kernel| at + k.descriptor_vaddr == descriptor;
    let kernel = object.kernels.iter().position(is)?;
    Some((object, kernel))
}

pub(crate) fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The fault of a jump to where there is no code.
pub(crate) fn no_code(offset: u64) -> Box<Fault> {
    Fault::rule(format!(
        "jump to {} from the kernel's entry, where there is no code; functions and jump targets must be mapped for execution",
        Offset(offset)
    ))
}

/// A dispatch in progress, shared by its workers.
pub(crate) struct Job<'a> {
    setup: Setup,
    /// The kernel as far as any group has needed it.
    program: Mutex<Arc<Program>>,
    places: Places,
    cancel: &'a AtomicBool,
    watch: &'a Watch,
    /// Number of the question being answered, and what the groups on threads have answered.
    answers: Mutex<(u64, HashMap<u64, Vec<Standing>>)>,
    cancelled: AtomicBool,
    threads: usize,
    order: Order<Group>,
    /// What all workers counted, when asked for.
    tally: Option<Mutex<Tally>>,
    /// Free slots of private memory.
    slots: Slots,
    sanitizer: Option<Arc<Sanitizer>>,
    /// Traces for the cycle model, when it is on.
    recorder: Option<Recorder>,
    state: Mutex<Outcome>,
}

/// What is known about a dispatch in progress.
#[derive(Default)]
struct Outcome {
    stats: RunStats,
    findings: Collected,
    fault: Option<(u64, ExecFault)>,
}

impl<'a> Job<'a> {
    /// A dispatch on at most `threads` host threads.
    pub fn new(
        setup: Setup,
        program: Arc<Program>,
        source: Option<Source>,
        (cancel, watch): (&'a AtomicBool, &'a Watch),
        threads: usize,
    ) -> Job<'a> {
        let total: u64 = setup.groups().iter().map(|&n| u64::from(n)).product();
        let threads = threads.min(usize::try_from(total).unwrap_or(usize::MAX)).max(1);
        let order = Order::new(total, threads, setup.resident);
        Job {
            slots: Slots::new(setup.scratch.map_or(0, |a| a.slots)),
            places: Places {
                source,
                groups: setup.groups(),
                order: setup.order,
                sizes: order.sizes(),
                numbers: None,
            },
            order,
            setup,
            program: Mutex::new(program),
            cancel,
            watch,
            answers: Mutex::default(),
            cancelled: AtomicBool::new(false),
            threads,
            state: Mutex::default(),
            tally: None,
            sanitizer: None,
            recorder: None,
        }
    }

    /// Watches every access.
    pub fn sanitize(&mut self, sanitizer: Sanitizer) {
        self.sanitizer = Some(Arc::new(sanitizer));
    }

    /// Counts every instruction.
    pub fn count_instructions(&mut self) {
        self.tally = Some(Mutex::new(Tally::new(&self.program())));
    }

    /// Keeps traces for the cycle model; of a sampled launch only the groups run that it looks at.
    pub fn record(&mut self, recorder: Recorder) {
        if recorder.sampled {
            self.places.numbers = Some(recorder.numbers.as_slice().into());
            let total = recorder.numbers.len() as u64;
            self.threads = self.threads.min(recorder.numbers.len()).max(1);
            self.order = Order::new(total, self.threads, self.setup.resident);
        }
        self.recorder = Some(recorder);
    }

    /// The traces, if they were asked for.
    pub fn take_recorder(&mut self) -> Option<Recorder> {
        self.recorder.take()
    }

    /// What was counted, if that was asked for.
    pub fn take_tally(&mut self) -> Option<Tally> {
        let tally = self.tally.take()?;
        Some(tally.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// The kernel as far as it is decoded.
    pub fn program(&self) -> Arc<Program> {
        lock(&self.program).clone()
    }

    /// The code object and the kernel in it, if the client told.
    pub fn source(&self) -> Option<Source> {
        self.places.source.clone()
    }

    /// What the groups start with.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Runs every group to its end, or to the first fault.
    pub fn run(&self, vm: &Vm) {
        if self.threads == 1 {
            self.work(vm);
        } else {
            rayon::scope(|s| (0..self.threads).for_each(|_| s.spawn(|_| self.work(vm))));
        }
    }

    fn work(&self, vm: &Vm) {
        let mut mem = Global::new(vm);
        let mut tally = self.tally.as_ref().map(|_| Tally::new(&self.program()));
        while let Some(turn) = self.order.take() {
            mem.refresh();
            let group = turn.group.unwrap_or_else(|| self.start(turn.n, &mut mem));
            if !self.go_on(turn.n, group, turn.token, &mut mem, tally.as_mut()) {
                self.cancelled.store(true, Ordering::Relaxed);
                self.order.cancel();
            }
        }
        if let (Some(all), Some(own)) = (&self.tally, &tally) {
            lock(all).merge(own);
        }
    }

    fn start(&self, n: u64, mem: &mut Global) -> Group {
        let needs = self.setup.scratch.map_or(0, |_| self.setup.waves());
        // There are enough slots: no more groups are in flight at once.
        let slots = self.slots.take(needs).unwrap_or_default();
        let mut group = Group::new(&self.setup, self.program(), self.places.id(n), slots);
        group.poison(mem);
        group.watch = self.sanitizer.as_ref().map(|s| s.watch(n));
        let recorder = self.recorder.as_ref();
        group.trace = recorder.and_then(|r| r.start(self.places.number(n), group.waves.len()));
        // Warnings of the errata table are for the sanitizer only.
        let program = group.program.clone();
        group.adopt(program);
        if let Some(watch) = &mut group.watch {
            watch.follow(&group.waves, &self.setup);
        }
        group
    }

    /// Runs a group until it ends or has to wait. False when the dispatch was cancelled.
    fn go_on(
        &self,
        n: u64,
        mut group: Group,
        mut token: bool,
        mem: &mut Global,
        mut tally: Option<&mut Tally>,
    ) -> bool {
        loop {
            if self.cancel.load(Ordering::Relaxed) {
                self.note_findings(n, &group);
                return false;
            }
            if self.watch.question() != 0 {
                self.answer(n, &group);
            }
            if self.order.stopped(n) {
                self.retire(n, group, false);
                return true;
            }
            mem.shield(&group.program, self.setup.entry, &self.setup.kernarg);
            let pause = group.run(&self.setup, mem, tally.as_deref_mut(), token);
            let pause = match pause {
                Ok(Pause::Jump(to)) => self.grow(&mut group, to, mem).map(|()| Pause::Round),
                other => other,
            };
            match pause {
                Ok(Pause::Ended) => {
                    self.count(n, &group);
                    self.retire(n, group, false);
                    return true;
                }
                Ok(Pause::Round | Pause::Jump(_)) => {
                    if self.recorder.as_ref().is_some_and(|r| r.sampled) && group.recorded() {
                        self.count(n, &group);
                        self.retire(n, group, false);
                        return true;
                    }
                }
                Ok(Pause::Token) => match self.order.block(n, group) {
                    Some(back) => (group, token) = (back, true),
                    None => return true,
                },
                Ok(Pause::Yield(stuck)) => {
                    self.order.give(n, group, stuck);
                    return true;
                }
                Err(f) => {
                    self.fault(n, &group, f);
                    self.retire(n, group, true);
                    return true;
                }
            }
        }
    }

    fn retire(&self, n: u64, mut group: Group, faulted: bool) {
        self.slots.give(&group.slots);
        if let Some((r, trace)) = self.recorder.as_ref().zip(group.trace.take()) {
            r.keep(trace);
        }
        if let (Some(s), Some(watch)) = (&self.sanitizer, group.watch) {
            s.retire(n, *watch, faulted);
        }
        self.order.end(n, faulted);
    }

    /// Gives a group a program that has the code at offset `to`.
    fn grow(&self, group: &mut Group, to: u64, mem: &Global) -> Result<(), GroupFault> {
        let fetch = |at: u64| mem.code(self.setup.entry.wrapping_add(at), FETCH).unwrap_or_default();
        if fetch(to).is_empty() {
            return Err(group.fault(no_code(to)));
        }
        let mut latest = lock(&self.program);
        if latest.at_offset(to).is_none() {
            let mut more = Program::clone(&latest);
            more.grow(&fetch, to);
            *latest = Arc::new(more);
        }
        group.adopt(latest.clone());
        Ok(())
    }

    fn note_findings(&self, n: u64, group: &Group) {
        let all = &mut lock(&self.state).findings;
        group.waves.iter().for_each(|w| all.add(n, w.index, &w.findings));
    }

    fn count(&self, n: u64, group: &Group) {
        self.note_findings(n, group);
        let stats = &mut lock(&self.state).stats;
        stats.workgroups += 1;
        stats.waves += group.waves.len() as u64;
        stats.instructions += group.waves.iter().map(|w| w.issued).sum::<u64>();
        stats.wmma += group.waves.iter().map(|w| w.wmma).sum::<u64>();
    }

    fn fault(&self, n: u64, group: &Group, f: GroupFault) {
        self.note_findings(n, group);
        let program = &group.program;
        let mut e = ExecFault::new(f.fault.kind);
        e.line = self.places.line_of(program, f.pc);
        if let ExecFaultKind::Endless { place, waves, .. } = &mut e.kind {
            *place = e.line.as_ref().map(|s| s.to_string());
            *waves = self.places(group.standing(n).collect());
            let (total, resident) = self.order.sizes();
            if resident < total {
                waves.push(format!(
                    "at most {resident} of the {total} workgroups are resident at once"
                ));
            }
        }
        e.pc = program.code.get(f.pc as usize).map(|i| i.offset);
        e.function = e.pc.and_then(|pc| self.places.function_of(pc));
        e.instruction = Some(program.text(f.pc));
        e.workgroup = Some(group.id);
        e.wave = Some(f.wave);
        e.lane = f.fault.lane;
        let slot = &mut lock(&self.state).fault;
        if slot.as_ref().is_none_or(|(m, _)| n < *m) {
            *slot = Some((n, e));
        }
    }

    /// Where waves stand, a line for each place.
    fn places(&self, all: Vec<Standing>) -> Vec<String> {
        let program = self.program();
        describe(all, &program, &|at| {
            let source = self.places.line_of(&program, at)?;
            Some(format!("{}:{}", source.file, source.line))
        })
    }

    /// Says where group `n` stands; when all groups on threads have, the question is answered.
    fn answer(&self, n: u64, group: &Group) {
        let question = self.watch.question();
        let mut answers = lock(&self.answers);
        if answers.0 != question {
            *answers = (question, HashMap::new());
        }
        answers.1.insert(n, group.standing(n).collect());
        let mut all = Vec::new();
        let mut parked = 0;
        let (running, ended) = self.order.look(|n, g| {
            parked += 1;
            all.extend(g.standing(n));
        });
        if question == 0 || running.iter().any(|r| !answers.1.contains_key(r)) {
            return;
        }
        running
            .iter()
            .filter_map(|r| answers.1.get(r))
            .for_each(|s| all.extend(s));
        let (total, resident) = self.order.sizes();
        let mut lines = vec![format!(
            "{ended} of {total} workgroups have ended, {} have started",
            running.len() as u64 + parked
        )];
        if resident < total {
            lines.push(format!("at most {resident} are resident at once"));
        }
        lines.extend(self.places(all));
        self.watch.answer(question, lines);
    }

    /// The fault of a launch whose resident workgroups all wait for others.
    fn deadlock(&self) -> ExecFault {
        let mut all = Vec::new();
        let mut resident = 0;
        let (_, ended) = self.order.look(|n, g| {
            resident += 1;
            all.extend(g.standing(n));
            self.note_findings(n, g);
            if let (Some(s), Some(watch)) = (&self.sanitizer, &g.watch) {
                s.park(n, watch);
            }
        });
        let (total, _) = self.order.sizes();
        ExecFault::new(ExecFaultKind::Deadlock {
            resident,
            total,
            others: total - ended - resident,
            waves: self.places(all),
        })
    }

    /// Who stored what, when that was watched.
    pub fn written(&self, kernel: Option<String>) -> Option<Written> {
        Some(Written {
            sanitizer: self.sanitizer.clone()?,
            program: self.program(),
            places: self.places.clone(),
            kernel,
        })
    }

    /// The result.
    pub fn finish(self, name: Option<String>) -> Result<RunStats, ExecFault> {
        let deadlock = self.order.dead().then(|| (u64::MAX, self.deadlock()));
        let Outcome {
            mut stats,
            findings,
            fault,
        } = std::mem::take(&mut *lock(&self.state));
        if let Some((n, f)) = fault.or(deadlock) {
            return Err(ExecFault {
                findings: self.first_findings(findings, n, &name),
                kernel: name,
                ..f
            });
        }
        if self.cancelled.load(Ordering::Relaxed) {
            return Err(ExecFault {
                findings: self.first_findings(findings, u64::MAX, &name),
                kernel: name,
                ..ExecFault::new(ExecFaultKind::Cancelled)
            });
        }
        stats.findings = self.findings(findings, &name);
        stats.out_of_range = self.sanitizer.as_ref().map_or(0, |s| s.swallowed());
        Ok(stats)
    }

    /// Of a launch that stopped, what its workgroups up to number `last` did. They all got that far, so this does not
    /// depend on how host threads were timed; the numbers of accesses would.
    fn first_findings(&self, all: Collected, last: u64, name: &Option<String>) -> Vec<Finding> {
        let mut first = self.findings(all.up_to(last), name);
        first.iter_mut().for_each(|f| f.count = 1);
        first
    }

    fn findings(&self, all: Collected, name: &Option<String>) -> Vec<Finding> {
        let program = self.program();
        let metadata =
            |(object, kernel): &'_ Source| object.kernels.get(*kernel)?.metadata.as_ref().map(|m| m.lds.clone());
        let arrays: &[_] = &self.places.source.as_ref().and_then(metadata).unwrap_or_default();
        let finding = |(group, wave, seen): (u64, u32, Seen)| Finding {
            rule: seen.kind.rule(),
            severity: seen.kind.severity(),
            text: seen.kind.text_with(arrays),
            help: seen.kind.help(arrays),
            born: None,
            kernel: name.clone(),
            site: self.places.site(&program, seen.at, group, wave, seen.lane),
            other: None,
            count: seen.count,
        };
        let mut findings: Vec<Finding> = all.into_iter().map(finding).collect();
        if let Some(s) = &self.sanitizer {
            let site = |e: &Entry| {
                self.places
                    .site(&program, e.at, e.group.into(), e.wave.into(), e.lane().into())
            };
            findings.extend(s.finish(name, &site, &|a, b| program.between(a, b)));
        }
        findings
    }
}
