//! Compiling without a device: code objects and listings from a kernel's launch struct.

use std::path::{Path, PathBuf};

use t0_backend_rdna3::listing::Listing;
use t0_backend_rdna3::object::CodeObject;
use t0_backend_rdna3::target::Target;
use t0_backend_rdna3::{Compiled, Options};
use t0_ir::stage::Kernel;
use t0_ir::Diags;
use t0_sim::card::Card;

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
    let func = match key.build.checked {
        true => key.entry.stage_checked(&key.consts),
        false => key.entry.stage(&key.consts),
    };
    let func = func.map_err(|d| fail(render(&d, &entry_file)))?;
    let options = Options {
        plain: options.plain || key.build.plain,
        ..*options
    };
    t0_backend_rdna3::compile(&func, target, &options).map_err(|e| fail(render(&e.to_diags(), &func.files)))
}

/// The text of a source file as the compiler names it: relative to the workspace it was compiled in, which is looked for
/// from the current directory upwards, then from the package that cargo runs, from the program (cargo puts it into its workspace) and
/// from where t0 itself was compiled.
pub fn read_source(file: &str) -> Option<String> {
    let here = std::env::current_dir().unwrap_or_default();
    let package = std::env::var_os("CARGO_MANIFEST_DIR")
        .map(PathBuf::from)
        .unwrap_or_default();
    let program = std::env::current_exe().unwrap_or_default();
    let built = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors()
        .chain(package.ancestors())
        .chain(program.ancestors().skip(1))
        .chain(built.ancestors())
        .find_map(|dir| std::fs::read_to_string(dir.join(file)).ok())
}

/// A kernel's machine code, with no device: `saxpy::listing(GFX1100)?`.
pub trait Compile: Kernel {
    /// Compiles the kernel.
    ///
    /// # Errors
    /// What is wrong with the kernel, with its source place, or what it needs more of than the target has.
    fn compile(target: Target) -> Result<Compiled> {
        compile_kernel(&KernelKey::new(Self::ENTRY, Self::consts()), &target)
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

    /// What the code alone tells of its speed: waves per SIMD and what the next one needs, loops and what is in them. What a
    /// launch costs is in `Gpu::cards` of a simulated card.
    ///
    /// # Errors
    /// As [`Compile::compile`].
    fn card(target: Target) -> Result<Card> {
        let compiled = Self::compile(target)?;
        let object = CodeObject::parse(&compiled.code_object)?;
        let kernel = object.kernel(&compiled.name)?;
        Ok(Card::new(&Listing::new(&object, kernel).with_source(read_source), None))
    }
}

impl<K: Kernel> Compile for K {}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use t0_backend_rdna3::target::GFX1100;
    use t0_ir::stage::KernelEntry;
    use t0_ir::{Builder, Diags, Func, LdsAlloc, OpKind, Role, Scalar, Span, Ty, Value};

    /// 40 matrix accumulators of 8 VGPRs carried round a loop: more than the 256 VGPRs there are.
    fn many(_: &[i64], _: bool) -> std::result::Result<Func, Diags> {
        let params = vec![t0_ir::Param {
            name: "n".into(),
            kind: t0_ir::ParamKind::Scalar(Scalar::U32),
        }];
        let mut func = Func::new("many_128", 32, params);
        func.files = vec![file!().into()];
        let mut b = Builder::new(func);
        let span = Span {
            file: 0,
            line: 1,
            column: 1,
        };
        b.set_span(span);
        let (zero, one) = (b.f32(0.0), b.constant(Scalar::Bf16, 0x3f80));
        let acc = Ty::Frag(Role::Acc, Scalar::F32);
        let init: Vec<Value> = (0..40).map(|_| b.op1_as(OpKind::FragSplat, &[zero], acc)).collect();
        let input = b.op1_as(OpKind::FragSplat, &[one], Ty::Frag(Role::Input, Scalar::Bf16));
        let (lo, step) = (b.u32(0), b.u32(1));
        let sums = b.for_([lo, Value(0), step], Default::default(), &init, |b, _, acc| {
            let product = |&c| b.op1(OpKind::Wmma, &[input, input, c]);
            acc.iter().map(product).collect()
        });
        let lds = b.func_mut().new_lds(LdsAlloc {
            name: "out".into(),
            bytes: 4096,
            align: 16,
            slots: 1,
            elem: None,
            tile: false,
            swizzled: false,
        });
        for (i, s) in sums.into_iter().enumerate() {
            let x = b.op1(OpKind::VecGet { index: 0 }, &[s]);
            let at = b.u32(4 * i as u32);
            b.op0(OpKind::LdsStore { lds, base: 0, slot: 0 }, &[at, x]);
        }
        Ok(b.finish())
    }

    static MANY: KernelEntry = KernelEntry {
        name: "many",
        module: "m",
        file: file!(),
        line: 1,
        group: 32,
        params: &[],
        consts: &["N"],
        checked: false,
        stage: many,
    };

    #[test]
    fn values_without_a_register_are_a_warning_with_the_loop() {
        let key = KernelKey::new(&MANY, vec![128]);
        let compiled = compile_kernel(&key, &GFX1100).unwrap();
        let text = compiled.warnings.0[0].render(&compiled.files);
        assert!(
            text.starts_with("warning: the kernel does not fit in 256 VGPRs: "),
            "{text}"
        );
        assert!(text.contains("1 | //! Compiling without a device"), "{text}");
        assert!(text.contains("note: each round of this loop loads them"), "{text}");
        assert!(text.contains("help: make the tile smaller"), "{text}");
        assert!(compiled.resources.scratch_bytes > 0);
    }

    #[test]
    fn too_many_registers_for_one_instruction_are_shown_with_source_line_and_help() {
        let key = KernelKey::new(&MANY, vec![128]);
        let options = Options {
            max_vgprs: Some(12),
            ..Options::default()
        };
        let text = compile_with(&key, &GFX1100, &options).unwrap_err().to_string();
        assert!(text.starts_with("kernel `many::<128>` does not compile:"), "{text}");
        assert!(
            text.contains("error: the kernel needs ") && text.contains("the limit is 12"),
            "{text}"
        );
        assert!(text.contains("1 | //! Compiling without a device"), "{text}");
        assert!(text.contains("help: make the tile smaller"), "{text}");
        assert!(!text.contains("many_128"), "{text}");
    }

    #[test]
    fn sources_are_found_from_the_crate_upwards() {
        assert!(read_source("t0-runtime/src/compile.rs")
            .unwrap()
            .starts_with("//! Compiling"));
        assert!(read_source("no/such/file.rs").is_none());
    }
}
