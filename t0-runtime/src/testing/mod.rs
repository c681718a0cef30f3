//! Property tests of kernels: what `#[kernel_test]` runs.
//!
//! Problem: kernels fail at the shapes and values nobody thought of, and what a test on one device prints is no test of the
//! next one. Method: a test is a function of a [`KernelTest`], which hands out shapes, values and buffers by name and
//! records them. The function is run for many cases from a fixed seed; a case that fails is run again with simpler draws for
//! as long as it fails, and the smallest one is printed as a test.
//!
//! Every launch runs the kernel compiled without and with the passes that make code better, from the same memory, and compares.
//! Outputs are poison before and count as undefined, every buffer lies between guard bands, and matrices have gaps between
//! their rows; a changed band, gap or input is a failure, and so are an element that is expected and was never written, a
//! fault, an index out of range in a checked kernel and what [`crate::Gpu::findings`] has to say.
//!
//! ```
//! # // the real thing is `#[kernel_test]` on a function like this one
//! use t0_runtime::testing::{KernelTest, Plan, Tolerance, Values};
//! fn doubles(t: &mut KernelTest) {
//!     let n = t.shape("n", 0..=1000);
//!     let x = t.input_of::<f32>("x", n, Values::Finite);
//!     let y = t.output::<f32>("y", n);
//!     // t.launch(double { x: &x, y: &mut y });
//!     // t.expect(&y, |i| 2.0 * x[i], Tolerance::EXACT);
//! #   let _ = (x, y);
//! }
//! # t0_runtime::testing::run("doubles", &Plan::cases(3), doubles);
//! ```

mod asks;
mod blame;
mod draw;
mod memory;
mod outcome;
mod panics;
mod shrink;
mod values;

use std::panic::Location;
use std::time::Duration;

use blame::{Record, Records, Wrong};
use draw::{seed_of, Case};
use memory::{compare, Contents, Layout, Watched, BAND};
use outcome::{report, Kind, Outcome};
use shrink::{shrink, Budget};

use crate::error::{Error, Result};
use crate::kernel::Launch;
use crate::{Gpu, Queue, SimOptions};

pub use memory::{Input, InputMat, Output, OutputMat};
pub use values::{Sample, Tolerance, Values};

const BUDGET: Budget = Budget {
    runs: 400,
    time: Duration::from_secs(20),
    endless: Duration::from_secs(3),
};
/// Instructions of a wave of the simulated card in a test, and of all waves of a launch: what needs more takes seconds, so it
/// is a loop without an end.
const INSTRUCTIONS: u64 = 1 << 20;
const OF_A_LAUNCH: u64 = 1 << 22;

/// One case of a property test: hands out shapes, values and buffers, launches, compares.
///
/// Every draw has a name, which is how a failing case tells it. After the first failure nothing more is launched or compared.
pub struct KernelTest {
    gpu: Gpu,
    queue: Queue,
    /// The draws to make; others are the simplest, or random if there is a seed.
    given: Case,
    random: Option<(u64, usize)>,
    /// Draws that the test does not allow are refused, not changed: somebody wrote them down.
    strict: bool,
    done: Outcome,
    /// Which call of the test is running.
    at: Option<&'static Location<'static>>,
    watched: Vec<Watched>,
    ordered: bool,
    /// Other orders of waves that launches run in, too.
    orders: Vec<u64>,
    /// What the last launch left in all orders but the last one.
    results: Vec<Run>,
    /// Who stored what memory holds, and what it held before the last launch.
    records: Records,
    earlier: Records,
}

/// What one launch left: contents of the buffers, and who stored what.
struct Run {
    contents: Vec<Contents>,
    record: Record,
}

/// What a case is run for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Aim {
    /// To know whether it fails.
    Verdict,
    /// To name the lines of the kernel that are to blame, too.
    Lines,
}

/// What a property test runs.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The text of the one case to run.
    pub case: Option<String>,
    /// How many cases to draw if there is none, unless `T0_TEST_CASES` says so.
    pub cases: usize,
    /// With checked indices, as `#[kernel(checked)]`.
    pub checked: bool,
    /// Instructions a wave may execute before it counts as an endless loop; without: 2²⁰, and 2²² all waves of a launch.
    pub instructions: Option<u64>,
}

impl Plan {
    /// So many random cases.
    pub fn cases(cases: usize) -> Plan {
        Plan {
            case: None,
            cases,
            checked: false,
            instructions: None,
        }
    }

    /// One case, as a failing test prints it.
    pub fn case(case: &str) -> Plan {
        Plan {
            case: Some(case.into()),
            ..Plan::cases(1)
        }
    }

    /// The same with checked indices.
    #[must_use]
    pub fn checked(mut self) -> Plan {
        self.checked = true;
        self
    }

    /// The same for kernels whose waves execute so many instructions.
    #[must_use]
    pub fn instructions(mut self, most: u64) -> Plan {
        self.instructions = Some(most);
        self
    }
}

impl KernelTest {
    fn new(gpu: &Gpu, given: Case, random: Option<(u64, usize)>, (checked, aim): (bool, Aim)) -> Result<KernelTest> {
        let queue = gpu.queue()?;
        gpu.keep_stores(aim == Aim::Lines);
        let checked = checked || queue.is_checked();
        Ok(KernelTest {
            gpu: gpu.clone(),
            queue: queue.with_checked(checked),
            given,
            random,
            strict: false,
            done: Outcome {
                checked,
                ..Outcome::default()
            },
            at: None,
            watched: Vec::new(),
            ordered: true,
            orders: match random {
                Some((_, n)) => vec![1 + n as u64 % 2],
                None => vec![1, 2],
            },
            results: Vec::new(),
            records: Records::default(),
            earlier: Records::default(),
        })
    }

    /// Makes the case fail, unless it has failed already.
    #[track_caller]
    pub fn fail(&mut self, why: impl Into<String>) {
        self.at = Some(Location::caller());
        self.fail_as(Kind::Said, why);
    }

    fn fail_as(&mut self, kind: Kind, why: impl Into<String>) {
        if self.done.failure.is_none() {
            self.done.failure = Some(why.into());
            (self.done.kind, self.done.place) = (kind, self.at);
        }
    }

    fn fail_if(&mut self, kind: Kind, why: Option<String>) {
        if let Some(why) = why {
            self.fail_as(kind, why);
        }
    }

    // ---- buffers ---------------------------------------------------------------------------------------------------

    fn buffer<T: Sample>(&mut self, name: &str, n: usize, data: Option<&[T]>) -> Result<crate::Buffer<T>> {
        let buffer = self.gpu.alloc_between::<T>(n, BAND)?;
        self.watch::<T>(name, &buffer.core, [1, n, n], data, data.is_some(), true);
        Ok(buffer)
    }

    fn watch<T: Sample>(
        &mut self,
        name: &str,
        core: &std::sync::Arc<crate::buffer::BufferCore>,
        [rows, cols, stride]: [usize; 3],
        data: Option<&[T]>,
        read_only: bool,
        vector: bool,
    ) {
        let layout = Layout {
            rows,
            cols,
            stride,
            size: size_of::<T>(),
        };
        core.write_all(&layout.image(data.map(bytemuck::cast_slice)));
        if data.is_none() {
            core.forget(BAND, layout.bytes() as u64);
        }
        self.watched.push(Watched {
            name: name.into(),
            core: core.clone(),
            layout,
            read_only,
            vector,
            same: memory::same::<T>,
            text: memory::text::<T>,
        });
    }

    /// A vector to read, with elements of any value.
    ///
    /// # Panics
    /// If there is no memory for it, as every method that makes a buffer.
    #[track_caller]
    pub fn input<T: Sample>(&mut self, name: &str, n: usize) -> Input<T> {
        self.input_of(name, n, Values::Any)
    }

    /// A vector to read.
    ///
    /// # Panics
    /// If there is no memory for it.
    #[track_caller]
    pub fn input_of<T: Sample>(&mut self, name: &str, n: usize, values: Values) -> Input<T> {
        let data = self.elements(name, n, values);
        let buffer = made(self.buffer(name, n, Some(&data)));
        let name = name.into();
        Input { name, buffer, data }
    }

    /// A vector to write, all poison: a kernel that reads an element before it is written reads what is undefined.
    ///
    /// # Panics
    /// If there is no memory for it.
    #[track_caller]
    pub fn output<T: Sample>(&mut self, name: &str, n: usize) -> Output<T> {
        let buffer = made(self.buffer::<T>(name, n, None));
        Output {
            name: name.into(),
            buffer,
            before: vec![bytemuck::pod_read_unaligned(&vec![memory::POISON; size_of::<T>()]); n],
        }
    }

    /// A vector to read and write, with elements of any value; [`Output::before`] has them.
    ///
    /// # Panics
    /// If there is no memory for it.
    #[track_caller]
    pub fn inout<T: Sample>(&mut self, name: &str, n: usize) -> Output<T> {
        self.inout_of(name, n, Values::Any)
    }

    /// A vector to read and write; [`Output::before`] has its elements before the first launch.
    ///
    /// # Panics
    /// If there is no memory for it.
    #[track_caller]
    pub fn inout_of<T: Sample>(&mut self, name: &str, n: usize, values: Values) -> Output<T> {
        let before = self.elements(name, n, values);
        let buffer = made(self.buffer(name, n, Some(&before)));
        if let Some(w) = self.watched.last_mut() {
            w.read_only = false;
        }
        Output {
            name: name.into(),
            buffer,
            before,
        }
    }

    /// A matrix to read, with elements of any value and poison between its rows.
    ///
    /// # Panics
    /// If there is no memory for it.
    #[track_caller]
    pub fn input_mat<T: Sample>(&mut self, name: &str, rows: usize, cols: usize) -> InputMat<T> {
        self.input_mat_of(name, rows, cols, Values::Any)
    }

    /// A matrix to read, with poison between its rows.
    ///
    /// # Panics
    /// If there is no memory for it.
    #[track_caller]
    pub fn input_mat_of<T: Sample>(&mut self, name: &str, rows: usize, cols: usize, values: Values) -> InputMat<T> {
        let stride = cols + self.gap(name);
        let data = self.elements(name, rows * cols, values);
        let buffer = made(self.gpu.alloc_mat_between::<T>(rows, cols, stride, BAND));
        self.watch::<T>(name, &buffer.core, [rows, cols, stride], Some(&data), true, false);
        let name = name.into();
        InputMat {
            name,
            buffer,
            data,
            rows,
            cols,
        }
    }

    /// A matrix to write, all poison.
    ///
    /// # Panics
    /// If there is no memory for it.
    #[track_caller]
    pub fn output_mat<T: Sample>(&mut self, name: &str, rows: usize, cols: usize) -> OutputMat<T> {
        let stride = cols + self.gap(name);
        let buffer = made(self.gpu.alloc_mat_between::<T>(rows, cols, stride, BAND));
        self.watch::<T>(name, &buffer.core, [rows, cols, stride], None, false, false);
        OutputMat {
            name: name.into(),
            buffer,
        }
    }

    // ---- launches --------------------------------------------------------------------------------------------------

    /// The next launches give results that differ from run to run, such as float sums by atomics: optimised and plain code
    /// are not compared with each other.
    pub fn unordered(&mut self) {
        self.ordered = false;
    }

    /// Launches a kernel, waits for it, and looks at everything it must not have done.
    #[track_caller]
    pub fn launch(&mut self, kernel: impl Launch) {
        if self.done.failure.is_some() {
            return;
        }
        self.at = Some(Location::caller());
        let before = self.contents();
        self.earlier = std::mem::take(&mut self.records);
        let plain = self.run(&kernel, &before, true, " (plain code)");
        let optimised = self.run(&kernel, &before, false, "");
        if let (Some(plain), Some(optimised), true) = (&plain, &optimised, self.ordered) {
            let pairs = self.watched.iter().zip(plain.contents.iter().zip(&optimised.contents));
            let mut differ = pairs.filter_map(|(w, (p, o))| Some((w, w.difference(&p.bytes, &o.bytes)?)));
            let (plain, optimised) = (self.earlier.with(&plain.record), self.earlier.with(&optimised.record));
            let why = differ.next().map(|(w, d)| {
                let notes = optimised.notes(w, &d) + &plain.notes_of("plain code", w, &d);
                d.text + &notes
            });
            self.fail_if(Kind::Differs, why);
        }
        self.results = optimised.into_iter().collect();
        if self.gpu.is_simulated() {
            self.in_other_orders(&kernel, &before);
        }
        // The last one is what memory holds now.
        if let Some(last) = self.results.pop() {
            self.records = self.earlier.with(&last.record);
        }
    }

    /// The same launch with the waves in other orders; what is expected is expected of all of them.
    fn in_other_orders(&mut self, kernel: &impl Launch, before: &[Contents]) {
        for order in self.orders.clone() {
            self.gpu.vary_order(order);
            let after = self.run(kernel, before, false, " (waves in another order)");
            self.gpu.vary_order(0);
            self.results.extend(after);
        }
    }

    fn contents(&self) -> Vec<Contents> {
        self.watched.iter().map(|w| Contents::of(&w.core)).collect()
    }

    /// One launch from the given contents; what memory holds then.
    fn run(&mut self, kernel: &impl Launch, before: &[Contents], plain: bool, by: &str) -> Option<Run> {
        if self.done.failure.is_some() {
            return None;
        }
        for (w, contents) in self.watched.iter().zip(before) {
            contents.put_back(&w.core);
        }
        let queue = self.queue.clone().with_plain_code(plain);
        let job = queue.launch(kernel);
        if let (Ok(job), Some(at)) = (&job, self.at) {
            if job.is_empty() && !self.done.idle.contains(&at) {
                self.done.idle.push(at);
            }
        }
        match job.and_then(|job| job.wait()) {
            Ok(()) => {}
            // plain code may need more registers than there are
            Err(Error::Compile { .. }) if plain => return None,
            // They are told below.
            Err(Error::Findings { .. }) => {}
            Err(e) => {
                let (kind, why) = outcome::of_launch(&e);
                self.fail_as(kind, format!("the launch failed{by}: {why}"));
                return None;
            }
        }
        let findings = self.gpu.findings();
        if let Some(first) = findings.first() {
            let why = format!("the sanitizer found a mistake{by}:\n{}", outcome::with_help(first));
            self.fail_as(outcome::of_finding(first), why);
        }
        let run = Run {
            contents: self.contents(),
            record: self.gpu.take_stores(),
        };
        let pairs = self.watched.iter().zip(before.iter().zip(&run.contents));
        let mut stray = pairs.filter_map(|(w, (b, a))| Some((w, w.stray_write(&b.bytes, &a.bytes)?)));
        let records = self.earlier.with(&run.record);
        let why = stray
            .next()
            .map(|(w, s)| format!("{}{by}{}", s.text, records.notes(w, &s)));
        self.fail_if(Kind::Stray, why);
        Some(run)
    }

    // ---- expectations ----------------------------------------------------------------------------------------------

    /// Every element of a vector is what a reference on the CPU gives for its index.
    #[track_caller]
    pub fn expect<T: Sample>(&mut self, out: &Output<T>, want: impl Fn(usize) -> T, tolerance: Tolerance) {
        if self.done.failure.is_some() {
            return;
        }
        self.at = Some(Location::caller());
        let name = |i| format!("{}[{i}]", out.name);
        self.in_all_orders(&out.name, |written, layout| {
            let got = out.buffer.to_vec()?;
            Ok(compare(&got, written, &want, name, |i| layout.at(0, i), tolerance))
        });
    }

    /// Every element of a matrix is what a reference on the CPU gives for its row and column.
    #[track_caller]
    pub fn expect_mat<T: Sample>(
        &mut self,
        out: &OutputMat<T>,
        want: impl Fn(usize, usize) -> T,
        tolerance: Tolerance,
    ) {
        if self.done.failure.is_some() {
            return;
        }
        self.at = Some(Location::caller());
        let cols = out.buffer.cols().max(1);
        let name = |i| format!("{}[{}][{}]", out.name, i / cols, i % cols);
        let want = |i| want(i / cols, i % cols);
        self.in_all_orders(&out.name, |written, layout| {
            let at = |i| layout.at(i / cols, i % cols);
            Ok(compare(&out.buffer.to_vec()?, written, want, name, at, tolerance))
        });
    }

    /// Checks what a buffer holds, and what it held after the last launch in other orders of waves. `check` is told which
    /// elements were written, where somebody keeps count, and where they lie.
    fn in_all_orders(&mut self, name: &str, check: impl Fn(Option<Vec<bool>>, &Layout) -> Result<Option<Wrong>>) {
        let Some(k) = self.watched.iter().position(|w| w.name == name) else {
            return self.fail_as(Kind::Said, format!("`{name}` is no buffer of this test"));
        };
        let w = &self.watched[k];
        let look = || {
            let written = w.core.written_bytes();
            let all = |at: usize| {
                written
                    .as_ref()
                    .is_none_or(|b| b[at..at + w.layout.size].iter().all(|&b| b))
            };
            let elements = written.is_some().then(|| w.layout.elements(all));
            check(elements, &w.layout).unwrap_or_else(|e| Some(Wrong::because(e)))
        };
        let mut all = vec![(look(), self.records.clone())];
        let now = Contents::of(&w.core);
        for other in self.results.iter().filter(|r| r.contents[k].bytes != now.bytes) {
            other.contents[k].put_back(&w.core);
            all.push((look(), self.earlier.with(&other.record)));
            now.put_back(&w.core);
        }
        let (wrong, right): (Vec<_>, Vec<_>) = all.into_iter().partition(|(wrong, _)| wrong.is_some());
        let first = wrong.into_iter().find_map(|(wrong, records)| Some((wrong?, records)));
        let why = first.map(|(wrong, records)| {
            let notes = records.notes(w, &wrong) + &records.dropped();
            match right.first() {
                Some((_, other)) if other.notes(w, &wrong) + &other.dropped() == notes && !notes.is_empty() => {
                    format!("{}; {ORDER}{notes}{ALIKE}", wrong.text)
                }
                Some((_, other)) => {
                    let other = other.notes_of("where it is right", w, &wrong);
                    format!("{}; {ORDER}{notes}{other}", wrong.text)
                }
                None => wrong.text + &notes,
            }
        });
        self.fail_if(Kind::Wrong, why);
    }
}

/// What is said of a result that is wrong in one order of waves and right in another.
const ORDER: &str =
    "in another order of waves it is right: the result depends on the order; several waves write it, or read what \
                     others write, with no `group::barrier()` between";

/// What is said of the store, when the same one by the same lane makes it right.
const ALIKE: &str =
    "\nnote: where it is right the same store made it, of another value: what that is computed from differs";

impl std::fmt::Debug for KernelTest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "KernelTest({})", self.done.case)
    }
}

/// A buffer, or the end of the test.
#[track_caller]
fn made<T>(buffer: Result<T>) -> T {
    match buffer {
        Ok(b) => b,
        Err(e) => panic!("{e}"),
    }
}

/// The device tests run on: the one `T0_DEVICE` names, with the sanitizer where that is the simulated one, unless
/// `T0_SANITIZE` says something else.
fn device(plan: &Plan) -> Result<Gpu> {
    let silent = std::env::var_os("T0_SANITIZE").is_none();
    Gpu::open_with(&SimOptions {
        sanitize: silent.then_some(true),
        instructions: Some(plan.instructions.unwrap_or(INSTRUCTIONS)),
        launch_instructions: plan.instructions.is_none().then_some(OF_A_LAUNCH),
        ..SimOptions::default()
    })
}

/// Runs cases on a device, which is opened anew when a kernel broke it.
struct Runner<'p> {
    gpu: Gpu,
    plan: &'p Plan,
    body: fn(&mut KernelTest),
}

impl Runner<'_> {
    fn case(&mut self, given: &Case, random: Option<(u64, usize)>, aim: Aim) -> Outcome {
        let how = (self.plan.checked, aim);
        let mut test = match KernelTest::new(&self.gpu, given.clone(), random, how) {
            Err(Error::DeviceLost { .. }) => {
                self.gpu = made(device(self.plan));
                made(KernelTest::new(&self.gpu, given.clone(), random, how))
            }
            test => made(test),
        };
        self.finish(&mut test);
        test.done
    }

    /// A case that somebody wrote down.
    fn written(&mut self, given: &Case) -> Outcome {
        let mut test = made(KernelTest::new(
            &self.gpu,
            given.clone(),
            None,
            (self.plan.checked, Aim::Lines),
        ));
        test.strict = true;
        self.finish(&mut test);
        test.refuse_unknown();
        test.done
    }

    fn finish(&self, test: &mut KernelTest) {
        if let Some((place, text)) = panics::caught(|| (self.body)(test)) {
            // The text has the place.
            test.at = None;
            test.fail_as(Kind::Panic(place), text);
        }
    }
}

/// Runs a property test: what `#[kernel_test]` expands to. The seed is that of the name or `T0_TEST_SEED`.
///
/// # Panics
/// If a case fails, with the smallest one found as a test; if there is no device.
#[track_caller]
pub fn run(name: &str, plan: &Plan, body: fn(&mut KernelTest)) {
    let mut runner = Runner {
        gpu: made(device(plan)),
        plan,
        body,
    };
    if let Some(case) = &plan.case {
        let given = match Case::parse(case) {
            Ok(c) => c,
            Err(word) => panic!("`{word}` is no draw; a case is written `name=value …`, as a failing test prints it"),
        };
        let outcome = runner.written(&given);
        if outcome.failure.is_some() {
            panic!("{name} fails: {}", outcome.text());
        }
        return;
    }
    let cases = setting("T0_TEST_CASES").unwrap_or(plan.cases as u64) as usize;
    let seed = setting("T0_TEST_SEED").unwrap_or_else(|| seed_of(0, name));
    for n in 0..cases {
        let drawn = seed_of(seed, &n.to_string());
        let first = runner.case(&Case::default(), Some((drawn, n)), Aim::Verdict);
        if first.failure.is_some() {
            let (mut best, tried) = shrink(first, BUDGET, &mut |case| runner.case(case, None, Aim::Verdict));
            // Once more, now that it is worth the memory to know who stored what; nobody knows it of a launch that did not end.
            if best.kind != Kind::Endless {
                best.failure = runner.case(&best.case, None, Aim::Lines).failure.or(best.failure);
            }
            panic!("{}", report(name, plan, &best, [n, cases, tried], seed));
        }
    }
}

/// A number from the environment: decimal, or hexadecimal behind `0x`.
#[track_caller]
fn setting(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok().filter(|t| !t.is_empty())?;
    let n = match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => text.parse(),
    };
    match n {
        Ok(n) => Some(n),
        Err(_) => panic!("{variable} is `{text}`; use a whole number, such as 100 or 0x1f"),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
