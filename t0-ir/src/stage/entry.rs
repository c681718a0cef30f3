//! What `#[kernel]` makes known of a kernel.

use crate::diag::{Diag, Diags};
use crate::func::{Func, Param, ParamKind, Span, Value};
use crate::stage::{Stage, TyDesc, Val};

/// A kernel parameter as written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParamDesc {
    /// Its name.
    pub name: &'static str,
    /// Its type as written.
    pub ty: &'static str,
    /// What it is in the kernarg segment.
    pub kind: ParamKind,
}

/// A kernel as `#[kernel]` registers it: everything but the values of its const generics.
#[derive(Clone, Copy, Debug)]
pub struct KernelEntry {
    /// Name of the function.
    pub name: &'static str,
    /// `module_path!()` of the function.
    pub module: &'static str,
    /// Source file, as `file!()` gives it.
    pub file: &'static str,
    /// Line of the function's name.
    pub line: u32,
    /// Work-items per workgroup.
    pub group: u32,
    /// Parameters in order.
    pub params: &'static [ParamDesc],
    /// Names of the const generics in order.
    pub consts: &'static [&'static str],
    /// Does the kernel ask for its indices to be checked: `#[kernel(checked)]`?
    pub checked: bool,
    /// Stages the kernel for values of its const generics; with checked indices?
    ///
    /// # Errors
    /// What is wrong with the kernel, or the number of constants.
    pub stage: fn(&[i64], bool) -> Result<Func, Diags>,
}

impl KernelEntry {
    /// Stages the kernel for values of its const generics (`bool`: 0 or 1).
    ///
    /// # Errors
    /// What is wrong with the kernel, or the number of constants.
    pub fn stage(&self, consts: &[i64]) -> Result<Func, Diags> {
        (self.stage)(consts, self.checked)
    }

    /// [`KernelEntry::stage`] with checked indices, whether the kernel asks for them or not.
    ///
    /// # Errors
    /// As [`KernelEntry::stage`].
    pub fn stage_checked(&self, consts: &[i64]) -> Result<Func, Diags> {
        (self.stage)(consts, true)
    }

    /// Name with const arguments, as on the command line: `gemm::<128,128,32>`.
    pub fn display(&self, consts: &[i64]) -> String {
        if consts.is_empty() {
            return self.name.to_string();
        }
        let list: Vec<String> = consts.iter().map(i64::to_string).collect();
        format!("{}::<{}>", self.name, list.join(","))
    }
}

/// The launch struct of a kernel.
pub trait Kernel {
    /// The kernel.
    const ENTRY: &'static KernelEntry;

    /// The kernel.
    fn entry() -> &'static KernelEntry {
        Self::ENTRY
    }

    /// Values of the const generics of this launch struct.
    fn consts() -> Vec<i64>;

    /// Stages the kernel.
    ///
    /// # Errors
    /// What is wrong with the kernel.
    fn stage() -> Result<Func, Diags> {
        Self::ENTRY.stage(&Self::consts())
    }
}

/// Types of a kernel's parameters, from its constants.
pub type Types<'t> = &'t dyn Fn(&[i64]) -> Vec<TyDesc>;

/// The body of a kernel's twin, from its constants and parameters.
pub type Twin<'t> = &'t dyn Fn(&mut Stage, &[i64], &[Val]);

/// Runs a kernel's twin: what [`KernelEntry::stage`] points to.
///
/// # Errors
/// What is wrong with the kernel.
pub fn stage_kernel(
    entry: &KernelEntry,
    consts: &[i64],
    checked: bool,
    params: Types,
    body: Twin,
) -> Result<Func, Diags> {
    let here = Span {
        file: 0,
        line: entry.line,
        column: 1,
    };
    if consts.len() != entry.consts.len() {
        let message = format!(
            "`{}` has {} const generics ({}), {} values were given",
            entry.name,
            entry.consts.len(),
            entry.consts.join(", "),
            consts.len()
        );
        return Err(Diag::new(here, message).help("give one number for each").into());
    }
    if entry.group == 0 || entry.group % 32 != 0 || entry.group > 1024 {
        let message = format!("a workgroup of {} work-items is not possible", entry.group);
        return Err(Diag::new(here, message).help("use a multiple of 32 up to 1024").into());
    }
    let types = params(consts);
    let list: Vec<Param> = entry
        .params
        .iter()
        .map(|p| Param {
            name: p.name.to_string(),
            kind: p.kind,
        })
        .collect();
    let mut func = Func::new(symbol(entry.name, consts), entry.group, list);
    func.span.file = func.file(entry.file);
    (func.span.line, func.span.column) = (here.line, here.column);
    let mut args = func.body.args.clone().into_iter();
    let vals: Vec<Val> = entry
        .params
        .iter()
        .zip(&types)
        .map(|(p, ty)| param(p.kind, ty, &mut args))
        .collect();
    let mut stage = Stage::new(func, checked);
    body(&mut stage, consts, &vals);
    stage.finish()
}

/// Symbol name: letters, digits and underscores only.
fn symbol(name: &str, consts: &[i64]) -> String {
    consts.iter().fold(name.to_string(), |mut s, c| {
        s.push('_');
        s.push_str(&c.to_string().replace('-', "m"));
        s
    })
}

/// The value of a parameter, from the values of its kind.
fn param(kind: ParamKind, ty: &TyDesc, args: &mut impl Iterator<Item = Value>) -> Val {
    let mut next = || args.next().unwrap_or(Value(0));
    let inner = match ty {
        TyDesc::Ref(to) => to,
        other => other,
    };
    match kind {
        ParamKind::Scalar(_) => Val::V(next()),
        ParamKind::Slice(..) => {
            let buf = next();
            match (inner.named(), inner) {
                (Some("Lanes"), _) => Val::Lanes(buf),
                (_, TyDesc::Slice(e)) if e.named() == Some("Atomic") => Val::Atomics(buf),
                _ => Val::View(buf),
            }
        }
        ParamKind::Mat(..) => {
            let m = [next(), next(), next(), next()];
            match inner.named() {
                Some("Waves") => Val::Waves(m),
                Some("Groups") => {
                    let size = |n| {
                        let tile = inner.ty_arg(0);
                        let n = tile.and_then(|t| t.const_arg(n));
                        n.and_then(|n| u32::try_from(n).ok()).unwrap_or(0)
                    };
                    Val::Groups(m, size(1), size(2))
                }
                _ => Val::Mat(m),
            }
        }
    }
}
