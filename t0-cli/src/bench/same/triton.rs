//! Compiling the kernels with Triton, all in one process of Python, for the kernels it has.

use super::Folder;
use crate::error::{read_file, write_file, CliError};
use serde::Deserialize;
use std::path::Path;
use std::process::Command;

const SCRIPT: &str = include_str!("kernels.py");

/// A code object's kernel and its launch.
#[derive(Debug, Deserialize)]
pub struct Made {
    pub name: String,
    /// Bytes of dynamic LDS.
    pub lds: u32,
    pub group: u32,
    pub groups: u64,
}

/// What the script prints.
#[derive(Deserialize)]
struct Printed {
    version: String,
    kernels: Vec<Made>,
}

/// Triton's code objects for one size.
pub struct Triton {
    pub version: String,
    kernels: Vec<Made>,
    folder: Folder,
}

fn wrong(what: String) -> CliError {
    CliError::Bench { name: "triton", what }
}

impl Triton {
    /// Compiles for matrices of n rows and columns; `None` where this Python cannot be started or has no Triton.
    ///
    /// Errors: what Triton says of the kernels; files that cannot be written.
    pub fn compile(python: &Path, n: usize) -> Result<Option<Triton>, CliError> {
        let has = Command::new(python).args(["-c", "import triton"]).output();
        if !has.is_ok_and(|said| said.status.success()) {
            return Ok(None);
        }
        let folder = Folder::new("triton")?;
        let script = folder.0.join("kernels.py");
        write_file(&script, SCRIPT.as_bytes())?;
        let mut command = Command::new(python);
        // As Triton 3.9 does by itself, with a warning.
        command.env("TRITON_DEFAULT_FP_FUSION", "1");
        let said = command.arg(&script).arg(&folder.0).arg(n.to_string()).output();
        let said = said.map_err(|e| wrong(e.to_string()))?;
        if !said.status.success() {
            let why = String::from_utf8_lossy(&said.stderr);
            return Err(wrong(format!("it does not compile the kernels:\n{}", why.trim_end())));
        }
        let printed: Printed = serde_json::from_slice(&said.stdout).map_err(|e| wrong(e.to_string()))?;
        Ok(Some(Triton {
            version: printed.version,
            kernels: printed.kernels,
            folder,
        }))
    }

    /// The kernel of this name, if it is among them, and its code object.
    ///
    /// Errors: a file that cannot be read.
    pub fn kernel(&self, name: &str) -> Result<Option<(&Made, Vec<u8>)>, CliError> {
        let Some(made) = self.kernels.iter().find(|k| k.name == name) else {
            return Ok(None);
        };
        let object = read_file(&self.folder.0.join(format!("{name}.hsaco")))?;
        Ok(Some((made, object)))
    }
}
