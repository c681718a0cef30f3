//! The registered kernels and their names on the command line.
//!
//! A KERNEL is the function's name with the values of its const generics: `saxpy`, `gemm::<128,128,32>`.

use crate::error::CliError;
use t0_backend_rdna3::object::{CodeObject, Kernel};
use t0_backend_rdna3::target::Target;
use t0_ir::stage::KernelEntry;
use t0_runtime::{checked_from_environment, compile_kernel, KernelKey};

/// A compiled kernel.
pub struct Built {
    /// Its name as [`KernelEntry::display`] gives it.
    pub name: String,
    /// The code object's bytes.
    pub file: Vec<u8>,
    /// The code object.
    pub object: CodeObject,
    /// The kernel's symbol in it.
    pub symbol: String,
    /// What it was compiled from, with which const arguments.
    pub entry: &'static KernelEntry,
    /// See `entry`.
    pub consts: Vec<i64>,
}

impl Built {
    /// The kernel in the code object.
    ///
    /// Errors: it is not there, which would be a fault of the compiler.
    pub fn kernel(&self) -> Result<&Kernel, CliError> {
        let name = self.name.clone();
        self.object
            .kernel(&self.symbol)
            .map_err(|source| CliError::Built { kernel: name, source })
    }
}

/// Every registered kernel.
pub fn all() -> &'static [&'static KernelEntry] {
    t0_kernels::all()
}

/// Whether a registered kernel has this name, whatever its const arguments.
pub fn is_known(text: &str) -> bool {
    let name = text.split('<').next().unwrap_or_default();
    let name = name.trim().trim_end_matches("::").trim_end();
    all().iter().any(|e| e.name == name)
}

/// Compiles the kernel of this name.
///
/// Errors: a name that is not registered, missing or superfluous const arguments, a kernel that does not compile.
pub fn build(name: &str, target: &Target) -> Result<Built, CliError> {
    let key = find(all(), name).map_err(CliError::Usage)?;
    if checked_from_environment()? && !key.build.checked {
        eprintln!("note: T0_CHECKED is for what programs launch; this is `{name}` without checked indices");
    }
    let compiled = compile_kernel(&key, target)?;
    for warning in &compiled.warnings.0 {
        eprintln!("{}", warning.render(&compiled.files));
    }
    let name = key.entry.display(&key.consts);
    let object = CodeObject::parse(&compiled.code_object).map_err(|source| CliError::Built {
        kernel: name.clone(),
        source,
    })?;
    Ok(Built {
        name,
        file: compiled.code_object,
        object,
        symbol: compiled.name,
        entry: key.entry,
        consts: key.consts,
    })
}

/// The kernel and const arguments of `name` or `name::<1,2>`.
fn find(entries: &[&'static KernelEntry], text: &str) -> Result<KernelKey, String> {
    let (name, consts) = parse_name(text)?;
    let found: Vec<_> = entries.iter().filter(|e| e.name == name).collect();
    let entry = match found[..] {
        [entry] => *entry,
        [] => {
            let names: Vec<&str> = entries.iter().map(|e| e.name).collect();
            return Err(format!(
                "there is no kernel `{name}`; `t0 kernels` lists them: {}",
                names.join(", ")
            ));
        }
        _ => return Err(format!("{} kernels are called `{name}`", found.len())),
    };
    let given = consts.len();
    match entry.consts {
        names if names.len() == given => Ok(KernelKey::new(entry, consts)),
        [] => Err(format!("`{name}` has no const generics; write '{name}'")),
        names => {
            let (words, list) = (names.join(", "), names.join(","));
            Err(format!(
                "`{name}` wants {words}: write '{name}::<{list}>' with a number for each ({given} given)"
            ))
        }
    }
}

/// Name and const arguments; `true` and `false` are 1 and 0.
fn parse_name(text: &str) -> Result<(&str, Vec<i64>), String> {
    let Some((name, rest)) = text.split_once('<') else {
        return Ok((text.trim(), Vec::new()));
    };
    let name = name.trim().trim_end_matches("::").trim_end();
    let wrong = || format!("`{text}` is no kernel; write a name such as 'saxpy' or 'gemm::<128,128,32>'");
    let list = rest.trim_end().strip_suffix('>').ok_or_else(wrong)?;
    let number = |part: &str| match part.trim() {
        "true" => Ok(1),
        "false" => Ok(0),
        number => number
            .parse()
            .map_err(|_| format!("`{number}` in `{text}` is no number")),
    };
    let consts = list.split(',').map(number).collect::<Result<_, _>>()?;
    Ok((name, consts))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use t0_ir::{Diags, Func};

    fn stage(_: &[i64], _: bool) -> Result<Func, Diags> {
        Ok(Func::new("k", 32, vec![]))
    }

    const fn entry(name: &'static str, consts: &'static [&'static str]) -> KernelEntry {
        KernelEntry {
            name,
            module: "m",
            file: "m.rs",
            line: 1,
            group: 32,
            params: &[],
            consts,
            checked: false,
            stage,
        }
    }

    static PLAIN: KernelEntry = entry("plain", &[]);
    static TILED: KernelEntry = entry("tiled", &["M", "N"]);

    fn of(text: &str) -> Result<String, String> {
        find(&[&PLAIN, &TILED], text).map(|k| k.entry.display(&k.consts))
    }

    #[test]
    fn names_are_found_in_every_spelling() {
        assert_eq!(of("plain").unwrap(), "plain");
        for text in ["tiled::<16,-2>", "tiled<16,-2>", " tiled :: < 16 , -2 > "] {
            assert_eq!(of(text).unwrap(), "tiled::<16,-2>", "{text}");
        }
        assert_eq!(of("tiled::<true,false>").unwrap(), "tiled::<1,0>");
    }

    #[test]
    fn wrong_names_are_explained() {
        let check = |text: &str, expected: &str| {
            let error = of(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        };
        check(
            "other",
            "there is no kernel `other`; `t0 kernels` lists them: plain, tiled",
        );
        check(
            "tiled",
            "`tiled` wants M, N: write 'tiled::<M,N>' with a number for each (0 given)",
        );
        check("plain::<1>", "`plain` has no const generics; write 'plain'");
        check("tiled::<1,x>", "`x` in `tiled::<1,x>` is no number");
        check("tiled::<1,2", "is no kernel");
        check("tiled::<>", "is no number");
    }
}
