//! The last look at compiled code before its first launch.
//!
//! Problem: a fault of the compiler is rarely wrong numbers or a hang on a card. Method: what it made goes through the static
//! checker, as bytes, like anybody's code object. An error there is a fault of t0 by definition: the launch is refused,
//! and everything needed to look into it goes to a file. Invariant: what passes has no error; warnings do not stop a launch.

use std::io;
use std::path::{Path, PathBuf};

use t0_backend_rdna3::check::{check_kernel, Finding, Options};
use t0_backend_rdna3::errata::Severity;
use t0_backend_rdna3::listing::Listing;
use t0_backend_rdna3::object::{CodeObject, Kernel};
use t0_backend_rdna3::Compiled;

use crate::compile::read_source;
use crate::error::{Error, Result};

/// Checks compiled code. `name` is what the user calls the kernel.
pub(crate) fn verify(name: &str, compiled: &Compiled) -> Result<()> {
    let dir = std::env::var_os("T0_REPORT_DIR").filter(|d| !d.is_empty());
    let dir = dir.map_or_else(std::env::temp_dir, PathBuf::from);
    verify_to(name, compiled, &dir)
}

fn verify_to(name: &str, compiled: &Compiled, dir: &Path) -> Result<()> {
    let object = CodeObject::parse(&compiled.code_object)?;
    let kernel = object.kernel(&compiled.name)?;
    // Compiled kernels are launched with the LDS they declare.
    let options = Options {
        static_lds: true,
        compiled: true,
    };
    let findings = check_kernel(&object, kernel, &options);
    let Some(first) = findings.iter().find(|f| f.severity == Severity::Error) else {
        return Ok(());
    };
    let place = match &first.line {
        Some(l) => format!(", from {}:{}:{}", l.file, l.line, l.column),
        None => String::new(),
    };
    let report = match write_report(name, &object, kernel, &findings, dir) {
        Ok(path) => format!("please report it with {}", path.display()),
        Err(e) => format!(
            "no report could be written to {} ({e}); set T0_REPORT_DIR",
            dir.display()
        ),
    };
    Err(Error::Check {
        kernel: name.into(),
        finding: first.to_string(),
        place,
        report,
    })
}

/// Findings and listing in a file of its own.
fn write_report(
    name: &str,
    object: &CodeObject,
    kernel: &Kernel,
    findings: &[Finding],
    dir: &Path,
) -> io::Result<PathBuf> {
    let plain: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    let path = dir.join(format!("t0-check-{plain}-{}.txt", std::process::id()));
    let mut text = format!("kernel `{name}` for {}\n", object.target.name);
    for f in findings {
        text += &format!("\n{f}\n");
        if let Some(other) = &f.related {
            text += &format!("  see {other}\n");
        }
        if let Some(l) = &f.line {
            text += &format!("  from {}:{}:{}\n", l.file, l.line, l.column);
        }
    }
    text += &format!("\n{}", Listing::new(object, kernel).with_source(read_source));
    std::fs::write(&path, text)?;
    Ok(path)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use t0_backend_rdna3::isa::{encode, parse};
    use t0_backend_rdna3::object::{write, KernelCode, Line, Resources};
    use t0_backend_rdna3::target::GFX1100;
    use t0_backend_rdna3::Usage;

    /// A kernel of these instructions, one source line each.
    fn compiled(lines: &[&str]) -> Compiled {
        let (mut code, mut table) = (Vec::new(), Vec::new());
        for (line, text) in (40..).zip(lines) {
            table.push(Line {
                offset: code.len() as u64,
                file: "src/k.rs".into(),
                line,
                column: 5,
            });
            code.extend(encode(&parse(text, &GFX1100).unwrap(), &GFX1100).unwrap());
        }
        let kernel = KernelCode {
            name: "k_8".into(),
            code,
            resources: Resources {
                vgprs: 8,
                kernarg_bytes: 8,
                ..Resources::default()
            },
            args: vec![],
            lds: Vec::new(),
            max_group_size: 32,
            required_group_size: None,
            spills: [0, 0],
            lines: table,
            atomics: Vec::new(),
            sources: Vec::new(),
        };
        Compiled {
            code_object: write(&GFX1100, &[kernel]).unwrap(),
            name: "k_8".into(),
            resources: Usage::default(),
            timings: vec![],
            ir_text: None,
            mir_text: None,
            warnings: Default::default(),
            sites: vec![],
            files: vec![],
        }
    }

    const LOAD: &str = "global_load_b32 v1, v0, s[0:1]";
    const USE: &str = "v_add_f32_e32 v4, v1, v1";

    #[test]
    fn a_missing_wait_stops_the_launch_with_place_and_report() {
        let dir = std::env::temp_dir().join(format!("t0-verify-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let good = compiled(&[LOAD, "s_waitcnt vmcnt(0)", USE, "s_endpgm"]);
        verify_to("k::<8>", &good, &dir).unwrap();
        assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 0);
        let bad = compiled(&[LOAD, "s_nop 0", USE, "s_endpgm"]);
        let error = verify_to("k::<8>", &bad, &dir).unwrap_err().to_string();
        let path = dir.join(format!("t0-check-k___8_-{}.txt", std::process::id()));
        assert_eq!(
            error,
            format!(
                "kernel `k::<8>` was compiled wrongly and is not launched: error[missing-wait] at +0xc: \
                 `v_add_f32_e32 v4, v1, v1`: v1 is read while `global_load_b32 v1, v0, s[0:1]` may be in flight; \
                 fix: s_waitcnt vmcnt(0) before it, from src/k.rs:42:5; this is a fault of t0: please report it with {}",
                path.display()
            )
        );
        let report = std::fs::read_to_string(&path).unwrap();
        for part in ["see +0x0", "from src/k.rs:42:5", "global_load_b32 v1", "s_endpgm"] {
            assert!(report.contains(part), "{part} is missing in\n{report}");
        }
        std::fs::remove_dir_all(&dir).unwrap();
        let error = verify_to("k::<8>", &bad, &dir).unwrap_err().to_string();
        assert!(error.contains("no report could be written to"), "{error}");
    }

    #[test]
    fn lds_that_is_not_declared_is_an_error_in_compiled_code() {
        let bad = compiled(&["ds_store_b32 v1, v2", "s_endpgm"]);
        let error = verify_to("k", &bad, Path::new("/nowhere")).unwrap_err().to_string();
        assert!(error.contains("error[lds-size]"), "{error}");
    }
}
