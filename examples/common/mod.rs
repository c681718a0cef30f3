//! What the examples share: arguments, random numbers, and the last line.
#![allow(dead_code)] // each example uses a part

use std::error::Error;
use std::process::ExitCode;
use std::str::FromStr;

/// What an example came to: an error on the way, or an answer that is right (`Ok`) or wrong (`Err`), in a sentence.
pub type Outcome = Result<Result<String, String>, Box<dyn Error>>;

/// Prints `OK …` or `FAILED …` and gives the exit status.
pub fn finish(outcome: Outcome) -> ExitCode {
    match outcome {
        Ok(Ok(text)) => {
            println!("OK {text}");
            ExitCode::SUCCESS
        }
        Ok(Err(text)) => {
            println!("FAILED {text}");
            ExitCode::FAILURE
        }
        Err(error) => {
            println!("FAILED {error}");
            ExitCode::FAILURE
        }
    }
}

/// Looks at the command line before anything is done with it: prints `usage` (the part behind the example's name) for
/// `-h` and `--help`.
///
/// Errors: more than `most` arguments.
pub fn only_help(usage: &str, most: usize) -> Result<bool, String> {
    let mut args = std::env::args();
    let program = args.next().unwrap_or_default();
    let name = std::path::Path::new(&program).file_stem().unwrap_or_default();
    let line = format!("usage: {} {usage}", name.to_string_lossy());
    let args: Vec<String> = args.collect();
    if args.iter().any(|a| a == "-h" || a == "--help") {
        println!("{line}");
        return Ok(true);
    }
    match args.get(most) {
        Some(extra) => Err(format!("`{extra}` is one argument too many; {line}")),
        None => Ok(false),
    }
}

/// Bytes the machine can still give away, where the system says so (Linux).
fn available() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    kib.checked_mul(1024)
}

/// Refuses work that needs more host memory than there is, before the system ends the process for it.
///
/// `parts` are rows, columns and bytes per element of everything that is held at once.
pub fn check_memory(parts: &[(usize, usize, usize)]) -> Result<(), String> {
    let bytes = parts.iter().try_fold(0u64, |sum, &(rows, cols, size)| {
        let part = (rows as u64).checked_mul(cols as u64)?.checked_mul(size as u64)?;
        sum.checked_add(part)
    });
    match (bytes, available()) {
        (None, _) => Err("these sizes need more than 2^64 bytes; choose smaller ones".into()),
        (Some(need), Some(have)) if need > have => Err(format!(
            "these sizes need about {need} bytes of memory, {have} are available; choose smaller ones"
        )),
        _ => Ok(()),
    }
}

/// The `index`-th command-line argument, or the default when there is none.
pub fn argument<T: FromStr>(index: usize, name: &str, default: T) -> Result<T, String> {
    match std::env::args().nth(index) {
        None => Ok(default),
        Some(text) => text
            .parse()
            .map_err(|_| format!("{name} must be a number, not `{text}`")),
    }
}

/// A small reproducible generator (xorshift64*, Vigna 2016).
pub struct Random(u64);

impl Random {
    /// From a seed other than 0.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next number in −1 … 1.
    pub fn unit(&mut self) -> f32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let bits = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 40;
        bits as f32 / (1u32 << 23) as f32 - 1.0
    }
}
