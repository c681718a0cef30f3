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
