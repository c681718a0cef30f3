//! Compiling without a device: code objects and listings from a kernel's launch struct.

use t0_backend_rdna3::listing::Listing;
use t0_backend_rdna3::object::CodeObject;
use t0_backend_rdna3::target::Target;
use t0_backend_rdna3::{CompileError, Compiled, Options};
use t0_ir::stage::Kernel;
use t0_ir::Diags;

use crate::error::{Error, Result};
use crate::kernel::KernelKey;

/// Compiles a kernel for its const arguments and a target: stage, optimise, generate code.
///
/// # Errors
/// What is wrong with the kernel, with its source place, or what it needs more of than the target has.
pub fn compile_kernel(key: &KernelKey, target: &Target) -> Result<Compiled> {
    compile_with(key, target, &Options::default())
}

/// [`compile_kernel`] with the compiler's switches.
///
/// # Errors
/// As [`compile_kernel`].
pub fn compile_with(key: &KernelKey, target: &Target, options: &Options) -> Result<Compiled> {
    let fail = |report| Error::Compile {
        kernel: key.entry.display(&key.consts),
        report,
    };
    let render = |diags: &Diags, files: &[String]| {
        let all: Vec<String> = diags.0.iter().map(|d| d.render(files)).collect();
        all.join("\n")
    };
    let entry_file = [key.entry.file.to_string()];
    let func = key
        .entry
        .stage(&key.consts)
        .map_err(|d| fail(render(&d, &entry_file)))?;
    t0_backend_rdna3::compile(&func, target, options).map_err(|e| match e {
        CompileError::Diag(d) => fail(render(&d, &func.files)),
        other => fail(other.to_string()),
    })
}

/// The text of a source file as the compiler names it: relative to the workspace it was compiled in, which is looked for
/// from the current directory upwards.
pub fn read_source(file: &str) -> Option<String> {
    let here = std::env::current_dir().ok()?;
    here.ancestors()
        .find_map(|dir| std::fs::read_to_string(dir.join(file)).ok())
}

/// A kernel's machine code, with no device: `saxpy::listing(GFX1100)?`.
pub trait Compile: Kernel {
    /// Compiles the kernel.
    ///
    /// # Errors
    /// What is wrong with the kernel, with its source place, or what it needs more of than the target has.
    fn compile(target: Target) -> Result<Compiled> {
        let key = KernelKey {
            entry: Self::ENTRY,
            consts: Self::consts(),
        };
        compile_kernel(&key, &target)
    }

    /// The kernel's instructions as text, each below the Rust line it came from, with registers, LDS and waves per SIMD.
    ///
    /// # Errors
    /// As [`Compile::compile`].
    fn listing(target: Target) -> Result<String> {
        let compiled = Self::compile(target)?;
        let object = CodeObject::parse(&compiled.code_object)?;
        let kernel = object.kernel(&compiled.name)?;
        Ok(Listing::new(&object, kernel).with_source(read_source).to_string())
    }
}

impl<K: Kernel> Compile for K {}
