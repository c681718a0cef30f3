//! `t0 bench sim`: how many wave instructions and WMMAs the simulator executes in a second on this host.
//!
//! Method: for each kind of instruction a kernel is assembled whose waves run a loop of it a given number of times and
//! store a value that tells whether every round was executed right. A short launch finds how many rounds fill a share of
//! the time asked for; then the launch is repeated, the numbers of host threads taking turns so that what else runs on
//! the host disturbs all of them alike, and the rate of the fastest launch is given. Every launch is checked: every
//! work-item's value, and the number of wave instructions against the program's length. The time is the host's, around
//! the launch.

use crate::device::{Device, Options, Timing};
use crate::error::CliError;
use crate::output::{Outcome, Output};
use serde::Serialize;
use std::time::Instant;
use t0_backend_rdna3::isa::{self, Operand};
use t0_backend_rdna3::object::descriptor::initial_sgprs;
use t0_backend_rdna3::object::{write, Arg, KernelCode, Resources};
use t0_backend_rdna3::target::Target;
use t0_runtime::{Module, Queue};
use t0_sim::Numerics;

/// Arguments of `t0 bench sim`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Seconds to fill for each measurement, over all its launches
    #[arg(long, default_value = "0.5", value_parser = parse_seconds, allow_hyphen_values = true)]
    seconds: f64,
    /// Host threads; without: one, then all
    #[arg(long, value_parser = parse_threads, allow_hyphen_values = true)]
    threads: Option<usize>,
    /// How dot products are summed: fast or silicon
    #[arg(long, default_value = "fast")]
    numerics: Numerics,
}

fn parse_seconds(s: &str) -> Result<f64, String> {
    let seconds = s.parse().ok().filter(|n| *n > 0.0 && *n <= 60.0);
    seconds.ok_or_else(|| format!("`{s}` is no time to measure; write seconds above 0 and up to 60, such as 0.5"))
}

fn parse_threads(s: &str) -> Result<usize, String> {
    let threads = s.parse().ok().filter(|n| *n > 0);
    threads.ok_or_else(|| format!("`{s}` is no number of threads; write 1 or more"))
}

/// What the numbers are.
const BASIS: &str = "host speed of the simulator, measured";

/// Waves of a launch, each a workgroup of its own.
const WAVES: u32 = 64;
/// Launches of a measurement.
const LAUNCHES: u32 = 25;
/// Rounds at most: f32 counters stay exact.
const MOST_ROUNDS: u64 = 1 << 15;

/// One kind of instructions.
struct Loop {
    name: &'static str,
    /// Runs before the loop. v0: number of the work-item, v1: its byte offset, `s[2:3]`: the output, s4: rounds.
    before: String,
    /// The loop's body.
    body: String,
    /// Runs after the loop and leaves the result in v2.
    after: &'static str,
    /// WMMAs in the body.
    wmma: u64,
    /// The result of work-item `i` after `n` rounds.
    expected: fn(i: u32, n: u32) -> u32,
}

fn repeated(text: &str, times: usize) -> String {
    vec![text; times].join("\n")
}

/// Operands of ones in the given element pattern, accumulators of zeros; each product adds 16.
fn wmma(name: &'static str, opcode: &str, regs: u32, ones: &str, expected: fn(u32, u32) -> u32) -> Loop {
    let last = regs - 1;
    let mut before: String = (0..regs)
        .map(|r| format!("v_mov_b32 v{}, {ones}\nv_mov_b32 v{}, {ones}\n", 8 + r, 16 + r))
        .collect();
    before.extend((24..40).map(|r| format!("v_mov_b32 v{r}, 0\n")));
    let one = |acc: u32| {
        format!(
            "{opcode} v[{acc}:{}], v[8:{}], v[16:{}], v[{acc}:{}]\n",
            acc + 7,
            8 + last,
            16 + last,
            acc + 7
        )
    };
    Loop {
        name,
        before,
        body: repeated(&(one(24) + &one(32)), 4),
        after: "v_mov_b32 v2, v31",
        wmma: 8,
        expected,
    }
}

fn loops() -> Vec<Loop> {
    let f32_sum = |_: u32, n: u32| (n as f32 * 64.0).to_bits();
    let i32_sum = |_: u32, n: u32| n * 64;
    let setup = |lines: &str| lines.to_owned();
    vec![
        Loop {
            name: "valu",
            before: setup("v_mov_b32 v2, 0\nv_mov_b32 v3, 1.0\nv_mov_b32 v4, 0.5\nv_mov_b32 v5, v0"),
            body: repeated(
                "v_fma_f32 v2, v2, v3, v4\nv_add_nc_u32 v5, 3, v5\nv_max_f32 v6, v2, v3\nv_lshlrev_b32 v7, 1, v5",
                8,
            ),
            after: "v_cvt_u32_f32 v2, v2\nv_add_nc_u32 v2, v2, v5\nv_add_nc_u32 v2, v2, v7",
            wmma: 0,
            expected: |i, n| 4 * n + 3 * (i + 24 * n),
        },
        Loop {
            name: "salu",
            before: setup("s_mov_b32 s5, 0\ns_mov_b32 s6, 0"),
            body: repeated("s_add_u32 s5, s5, 3\ns_and_b32 s7, s5, 0xff\ns_lshl_b32 s8, s7, 2\ns_xor_b32 s6, s6, s7", 8),
            after: "v_mov_b32 v2, s6\nv_add_nc_u32 v2, v2, v0",
            wmma: 0,
            // 256 steps in a row cancel out.
            expected: |i, n| (1..=8 * n % 256).fold(0, |x, k| x ^ ((3 * k) & 0xff)) + i,
        },
        Loop {
            name: "lds",
            before: setup("v_mov_b32 v2, v0\nv_and_b32 v3, 31, v0\nv_lshlrev_b32 v3, 2, v3"),
            body: repeated("ds_store_b32 v3, v2\nds_load_b32 v2, v3\ns_waitcnt lgkmcnt(0)\nv_add_nc_u32 v2, 1, v2", 8),
            after: "",
            wmma: 0,
            expected: |i, n| i + 8 * n,
        },
        Loop {
            name: "global",
            before: setup("global_store_b32 v1, v0, s[2:3]"),
            body: repeated(
                "global_load_b32 v2, v1, s[2:3]\ns_waitcnt vmcnt(0)\nv_add_nc_u32 v2, 1, v2\nglobal_store_b32 v1, v2, s[2:3]",
                8,
            ),
            after: "",
            wmma: 0,
            expected: |i, n| i + 8 * n,
        },
        Loop {
            name: "trans",
            before: setup("v_mov_b32 v3, 4.0\nv_mov_b32 v9, 0.5"),
            body: repeated(
                "v_exp_f32 v4, v3\nv_rcp_f32 v5, v3\nv_log_f32 v6, v3\nv_sqrt_f32 v7, v3\nv_rsq_f32 v8, v3\nv_cos_f32 v10, v9",
                4,
            ),
            // 16 + 1/4 + 2 + 2 + 1/2 - 1, every step exact. The wait keeps the sums off the unit's last results.
            after: "s_waitcnt_depctr 0xfff\nv_add_f32 v2, v4, v5\nv_add_f32 v2, v2, v6\nv_add_f32 v2, v2, v7\n\
                    v_add_f32 v2, v2, v8\nv_add_f32 v2, v2, v10",
            wmma: 0,
            expected: |_, _| 19.75f32.to_bits(),
        },
        wmma("wmma_f32_f16", "v_wmma_f32_16x16x16_f16", 8, "0x3c003c00", f32_sum),
        wmma("wmma_f32_bf16", "v_wmma_f32_16x16x16_bf16", 8, "0x3f803f80", f32_sum),
        wmma("wmma_i32_iu8", "v_wmma_i32_16x16x16_iu8", 4, "0x01010101", i32_sum),
        wmma("wmma_i32_iu4", "v_wmma_i32_16x16x16_iu4", 2, "0x11111111", i32_sum),
    ]
}

/// A measurement.
#[derive(Debug, Serialize)]
struct Measured {
    name: &'static str,
    wave_instructions_per_second: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    wmma_per_second: Option<f64>,
    threads: usize,
    wave_instructions: u64,
    seconds: f64,
}

#[derive(Debug, Serialize)]
struct Report {
    basis: &'static str,
    numerics: &'static str,
    results: Vec<Measured>,
}

/// Runs the command.
pub fn run(args: &Args, target: &Target, out: &mut Output) -> Result<Outcome, CliError> {
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = match args.threads {
        Some(n) => vec![n],
        None if all == 1 => vec![1],
        None => vec![1, all],
    };
    if !out.json() {
        out.line(BASIS)?;
    }
    let open = |threads| {
        let options = Options {
            numerics: Some(args.numerics),
            profile: false,
            sanitize: false,
            timing: Timing::Off,
            threads: Some(threads),
            target: Some(*target),
        };
        Ok((threads, Device::simulated("t0 bench sim", &options)?))
    };
    let devices = threads.into_iter().map(open).collect::<Result<Vec<_>, CliError>>()?;
    let mut results = Vec::new();
    for l in loops() {
        let measured = measure(&l, args.seconds, target, &devices)?;
        if !out.json() {
            for m in &measured {
                out.line(&line(m, &measured[0]))?;
            }
            out.flush()?;
        }
        results.extend(measured);
    }
    if out.json() {
        let numerics = args.numerics.name();
        out.document(&Report {
            basis: BASIS,
            numerics,
            results,
        })?;
    }
    Ok(Outcome::Fine)
}

/// A measurement as text; `first` is the one of the same loop with the fewest threads.
fn line(m: &Measured, first: &Measured) -> String {
    let mut text = format!(
        "{:>14}, {} thread{}: {:7.2} M wave instructions/s",
        m.name,
        m.threads,
        if m.threads == 1 { "" } else { "s" },
        m.wave_instructions_per_second / 1e6
    );
    if let Some(w) = m.wmma_per_second {
        text += &format!(", {:6.2} M WMMA/s", w / 1e6);
    }
    if m.threads != first.threads {
        let times = m.wave_instructions_per_second / first.wave_instructions_per_second;
        text += &format!(", {times:.2} x one thread");
    }
    text
}

/// A loop on one of the devices.
struct Run<'a> {
    l: &'a Loop,
    kernel: &'a Assembled,
    module: Module,
    queue: Queue,
    device: &'a Device,
    threads: usize,
    /// Rounds that fill a launch.
    rounds: u64,
    /// Seconds of the fastest launch.
    best: f64,
}

/// The loop on each device, with its number of host threads.
fn measure(l: &Loop, seconds: f64, target: &Target, devices: &[(usize, Device)]) -> Result<Vec<Measured>, CliError> {
    let kernel = Assembled::new(l, target)?;
    let share = seconds / f64::from(LAUNCHES);
    let mut runs = Vec::new();
    for (threads, device) in devices {
        let mut run = Run {
            l,
            kernel: &kernel,
            module: Module::load(&device.gpu, &kernel.object)?,
            queue: device.gpu.queue()?,
            device,
            threads: *threads,
            rounds: 4,
            best: f64::INFINITY,
        };
        run.calibrate(share)?;
        runs.push(run);
    }
    for _ in 0..LAUNCHES {
        for run in &mut runs {
            run.best = run.best.min(run.launch()?);
        }
    }
    Ok(runs.iter().map(Run::measured).collect())
}

impl Run<'_> {
    /// Finds the rounds that fill the given seconds.
    fn calibrate(&mut self, seconds: f64) -> Result<(), CliError> {
        let mut spent = self.launch()?;
        // Short launches are mostly overhead: grow until the rate can be told.
        while spent < seconds / 8.0 && self.rounds < MOST_ROUNDS {
            self.rounds = (self.rounds * 4).min(MOST_ROUNDS);
            spent = self.launch()?;
        }
        // Once more, lest a disturbance of this one make the launches too short.
        spent = spent.min(self.launch()?);
        self.rounds = ((self.rounds as f64 * seconds / spent) as u64).clamp(1, MOST_ROUNDS);
        Ok(())
    }

    fn measured(&self) -> Measured {
        let wave_instructions = self.kernel.instructions(self.rounds);
        let wmma = self.l.wmma * self.rounds * u64::from(WAVES);
        Measured {
            name: self.l.name,
            wave_instructions_per_second: wave_instructions as f64 / self.best,
            wmma_per_second: (wmma > 0).then(|| wmma as f64 / self.best),
            threads: self.threads,
            wave_instructions,
            seconds: self.best,
        }
    }

    /// Launches and checks; the seconds it took.
    fn launch(&self) -> Result<f64, CliError> {
        let (l, device, rounds) = (self.l, self.device, self.rounds);
        let wrong = |what| CliError::Bench { name: l.name, what };
        let output = device.gpu.upload(&vec![0u32; 32 * WAVES as usize])?;
        let mut kernarg = output.va().to_le_bytes().to_vec();
        kernarg.extend((rounds as u32).to_le_bytes());
        kernarg.extend([0; 4]);
        let kernel = self.module.kernel(l.name)?;
        let before = device.stats().map_or(0, |s| s.instructions);
        let start = Instant::now();
        self.queue
            .dispatch(&kernel, [WAVES.into(), 1, 1], [32, 1, 1], &kernarg)?
            .wait()?;
        let spent = start.elapsed().as_secs_f64();
        let executed = device.stats().map_or(0, |s| s.instructions) - before;
        let want = self.kernel.instructions(rounds);
        if executed != want {
            return Err(wrong(format!(
                "{executed} wave instructions were executed instead of {want}"
            )));
        }
        for (i, got) in output.to_vec()?.into_iter().enumerate() {
            let want = (l.expected)(i as u32, rounds as u32);
            if got != want {
                return Err(wrong(format!("work-item {i} gave {got:#x} instead of {want:#x}")));
            }
        }
        Ok(spent)
    }
}

/// A kernel made of a [`Loop`].
struct Assembled {
    object: Vec<u8>,
    /// Instructions outside and inside of the loop.
    outside: u64,
    inside: u64,
}

impl Assembled {
    fn new(l: &Loop, target: &Target) -> Result<Assembled, CliError> {
        let wrong = |what: String| CliError::Bench { name: l.name, what };
        let resources = Resources {
            vgprs: 40,
            sgprs: 32,
            lds_bytes: 128,
            kernarg_bytes: 16,
            workgroup_ids: [true, false, false],
            ..Resources::default()
        };
        let sgprs = initial_sgprs(&resources, target).map_err(|e| wrong(e.to_string()))?;
        let (Some(arguments), Some(group)) = (sgprs.kernarg_ptr, sgprs.workgroup_id[0]) else {
            return Err(wrong("no register holds the arguments".to_owned()));
        };
        let (pair, first) = (format!("s[{arguments}:{}]", arguments + 1), "v_lshl_add_u32 v0");
        let start = format!(
            "s_mov_b32 s20, s{group}\ns_load_b32 s4, {pair}, 0x8\ns_load_b64 s[2:3], {pair}, 0x0\n\
             {first}, s20, 5, v0\nv_lshlrev_b32 v1, 2, v0\ns_waitcnt lgkmcnt(0)\n{}",
            l.before
        );
        let repeat = format!("{}\ns_sub_u32 s4, s4, 1\ns_cmp_lg_u32 s4, 0", l.body);
        let end = format!("{}\nglobal_store_b32 v1, v2, s[2:3]\ns_endpgm", l.after);
        let encode = |text: &str| assemble(text, target).map_err(wrong);
        let (start, repeat, end) = (encode(&start)?, encode(&repeat)?, encode(&end)?);
        // The branch counts dwords back from the instruction behind it.
        let back = Operand::Imm(-((repeat.0.len() / 4 + 1) as i64));
        let jump = isa::Inst::new(isa::Sopp::s_cbranch_scc1, [back]);
        let jump = isa::encode(&jump, target).map_err(|e| wrong(e.to_string()))?;
        let kernel = KernelCode {
            name: l.name.to_owned(),
            code: [start.0, repeat.0, jump, end.0].concat(),
            resources,
            args: vec![Arg::buffer("out", "u32", 0), Arg::by_value("rounds", "u32", 8, 4)],
            lds: Vec::new(),
            max_group_size: 32,
            required_group_size: None,
            spills: [0; 2],
            lines: Vec::new(),
            atomics: Vec::new(),
            sources: Vec::new(),
        };
        Ok(Assembled {
            object: write(target, &[kernel]).map_err(|e| wrong(e.to_string()))?,
            outside: start.1 + end.1,
            inside: repeat.1 + 1,
        })
    }

    /// Wave instructions of a launch.
    fn instructions(&self, rounds: u64) -> u64 {
        (self.outside + self.inside * rounds) * u64::from(WAVES)
    }
}

/// The machine code of the lines and their number.
fn assemble(text: &str, target: &Target) -> Result<(Vec<u8>, u64), String> {
    let mut code = Vec::new();
    let mut count = 0;
    for line in text.lines().filter(|l| !l.trim().is_empty()) {
        let inst = isa::parse(line, target).map_err(|e| format!("`{line}`: {e}"))?;
        code.extend(isa::encode(&inst, target).map_err(|e| format!("`{line}`: {e}"))?);
        count += 1;
    }
    Ok((code, count))
}
