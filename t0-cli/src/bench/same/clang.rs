//! Compiling OpenCL C with clang, a process for each kernel.
//!
//! Divisions and roots are correctly rounded, as t0's are (and HIP's by default).

use super::Folder;
use crate::error::CliError;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// What clang is called with, besides the files.
pub const FLAGS: [&str; 8] = [
    "-x",
    "cl",
    "-cl-std=CL2.0",
    "-nogpulib",
    "-target",
    "amdgcn-amd-amdhsa",
    "-cl-fp32-correctly-rounded-divide-sqrt",
    "-O3",
];

/// clang, and a folder for its files.
pub struct Clang {
    program: PathBuf,
    folder: Folder,
    /// The first line of `--version`.
    pub version: String,
}

fn wrong(what: String) -> CliError {
    CliError::Bench { name: "clang", what }
}

impl Clang {
    /// Looks for the program.
    ///
    /// Errors: it cannot be started; the folder cannot be made.
    pub fn find(program: &Path) -> Result<Clang, CliError> {
        let name = program.display();
        let absent = |why: String| {
            wrong(format!(
                "{name} cannot be started ({why}); install clang-19 and lld-19, or say where clang is with --clang"
            ))
        };
        let said = Command::new(program).arg("--version").output();
        let said = said.map_err(|e| absent(e.to_string()))?;
        if !said.status.success() {
            return Err(absent(format!("--version ends with {}", said.status)));
        }
        let text = String::from_utf8_lossy(&said.stdout);
        Ok(Clang {
            program: program.to_owned(),
            folder: Folder::new("clang")?,
            version: text.lines().next().unwrap_or_default().to_owned(),
        })
    }

    /// The code object of a source, and how long the process took, its start and the linker's included.
    ///
    /// Errors: files that cannot be written or read, and what clang says of the source.
    pub fn compile(&self, name: &'static str, source: &str) -> Result<(Vec<u8>, Duration), CliError> {
        let (text, object) = (
            self.folder.0.join(format!("{name}.cl")),
            self.folder.0.join(format!("{name}.co")),
        );
        crate::error::write_file(&text, source.as_bytes())?;
        let mut clang = Command::new(&self.program);
        clang.args(FLAGS).arg("-mcpu=gfx1100").arg("-o").arg(&object).arg(&text);
        let start = Instant::now();
        let said = clang.output().map_err(|e| wrong(e.to_string()))?;
        let spent = start.elapsed();
        if !said.status.success() {
            let why = String::from_utf8_lossy(&said.stderr);
            return Err(wrong(format!("it does not compile {name}.cl:\n{}", why.trim_end())));
        }
        Ok((crate::error::read_file(&object)?, spent))
    }
}
