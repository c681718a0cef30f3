//! Code objects: the ELF files a loader puts on the card.
//!
//! [`write()`] makes one from compiled kernels, [`CodeObject::parse`] reads any of gfx11, ours or another compiler's.
//! The parts: [`descriptor`] (the 64 bytes that start a kernel), [`metadata`] (arguments and sizes, MessagePack),
//! [`lines`] (which Rust line an instruction came from).

mod args;
pub mod descriptor;
pub mod lines;
pub mod link;
pub mod merge;
pub mod metadata;
pub mod msgpack;
mod read;
pub(crate) mod rules;
mod types;
pub mod view;
mod write;
pub mod yaml;

pub use args::args_of;
pub use descriptor::{
    initial_sgprs, Denorm, DescriptorError, FloatMode, InitialSgprs, KernelDescriptor, Resources, Round,
};
pub use lines::{AtomicOp, Line, Piece, Table};
pub use metadata::{Arg, ArgKind, KernelMetadata, LdsVariable, MOST_ITEMS};
pub use read::{called_function, CodeObject, Function, Kernel, Relocation, Segment};
pub use types::NamedType;
pub(crate) use write::metadata_note;
pub use write::{write, KernelCode};

/// ELF machine number of AMD GPUs (EM_AMDGPU).
pub(crate) const EM_AMDGPU: u16 = 224;
/// ELF OS/ABI of HSA code objects (ELFOSABI_AMDGPU_HSA).
pub(crate) const OSABI_HSA: u8 = 64;
/// ABI version of code object v5 (ELFABIVERSION_AMDGPU_HSA_V5).
pub(crate) const ABI_V5: u8 = 3;
/// Type of the metadata note (NT_AMDGPU_METADATA), whose owner is "AMDGPU".
pub(crate) const NOTE_METADATA: u32 = 32;
/// Name of the section that holds the line table; not loaded.
pub(crate) const LINES_SECTION: &str = ".t0.lines";

/// Why a code object could not be read or written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ObjectError {
    /// Not an ELF file or one that contradicts itself.
    #[error("this is no intact ELF file ({0}); give a code object, for example one made by `t0 build`")]
    Elf(String),
    /// Text where a code object should be.
    #[error("this is no intact ELF file but text; if it is assembly, make a code object of it with `t0 asm`, or give one made by `t0 build`")]
    AssemblyText,
    /// What clang makes of HIP sources by default: code objects of several chips in one file.
    #[error("this is clang's bundle of code objects for several chips; compile with --no-gpu-bundle-output, or take the one for this chip out of it with clang-offload-bundler")]
    Bundle,
    /// A code object for another runtime.
    #[error("this code object is for the runtime with OS/ABI {os_abi}{}, not for HSA (64); build it for amdgcn-amd-amdhsa", match .os_abi { 65 => " (PAL)", 66 => " (Mesa)", _ => "" })]
    Runtime {
        /// The OS/ABI byte.
        os_abi: u8,
    },
    /// An ELF file of something else.
    #[error("this ELF file is for machine {machine}, not for AMD GPUs (224); give a code object")]
    Machine {
        /// The e_machine found.
        machine: u16,
    },
    /// A relocatable object.
    #[error("this code object is not linked yet; link it with `ld.lld -shared`")]
    NotLinked,
    /// A chip outside the table.
    #[error("this code object is for machine number {mach:#x}{}, which t0 does not know; build it for one of {known}", .name.as_ref().map(|n| format!(" ({n})")).unwrap_or_default(), known = known_targets())]
    Target {
        /// Machine number in e_flags.
        mach: u32,
        /// The chip: LLVM's name of the machine number, or `amdhsa.target` when the metadata says it.
        name: Option<String>,
    },
    /// An ABI version before v3 of code objects.
    #[error("code object ABI version {0} is too old; rebuild it with -mcode-object-version=5")]
    AbiVersion(u8),
    /// The metadata note is broken.
    #[error("the metadata of the code object cannot be read ({0}); the file is damaged")]
    Metadata(&'static str),
    /// An entry of a kernel's metadata that cannot be used.
    #[error("the metadata of {kernel} {what}; correct `{key}`")]
    MetadataEntry {
        /// The kernel, or which it is.
        kernel: String,
        /// The key.
        key: &'static str,
        /// What is wrong with it.
        what: String,
    },
    /// The line table is broken.
    #[error("the line table of the code object cannot be read; the file is damaged, rebuild it")]
    Lines,
    /// `.symbol` of the metadata names nothing.
    #[error("the metadata says that `{symbol}` is the descriptor of kernel `{kernel}`, but the file has no such symbol; correct `.symbol`, or define the symbol (`.amdhsa_kernel {kernel}` makes `{kernel}.kd`)")]
    NoDescriptor {
        /// The kernel.
        kernel: String,
        /// The symbol that is missing.
        symbol: String,
    },
    /// A kernel's descriptor or code lies outside the loaded segments.
    #[error("{what} of kernel `{kernel}` is at {address:#x}, outside the loaded segments; the file is damaged")]
    OutOfRange {
        /// The kernel.
        kernel: String,
        /// Descriptor or code.
        what: &'static str,
        /// Where it would be.
        address: u64,
    },
    /// Segments that cannot be laid out.
    #[error("the segments of the code object span {bytes} bytes, the limit is {limit}; the file is damaged")]
    TooLarge {
        /// Bytes from the first to the last.
        bytes: u64,
        /// What is accepted.
        limit: u64,
    },
    /// A relocation that needs a linker.
    #[error("relocation type {kind} at {address:#x} is not supported; link the code object with all symbols defined")]
    Relocation {
        /// The R_AMDGPU number.
        kind: u32,
        /// Where it applies.
        address: u64,
    },
    /// A kernel that is not there.
    #[error("there is no kernel `{name}`; the code object has {}", list(.have))]
    NoKernel {
        /// What was asked for.
        name: String,
        /// What there is.
        have: Vec<String>,
    },
    /// Nothing to write.
    #[error("a code object needs at least one kernel")]
    Empty,
    /// A name that cannot be a symbol.
    #[error("`{0}` cannot be a kernel name: it must be non-empty, without NUL and given once")]
    Name(String),
    /// Code that is no sequence of instructions.
    #[error("the code of kernel `{kernel}` has {bytes} bytes; instructions are whole 4-byte words and at least one")]
    Code {
        /// The kernel.
        kernel: String,
        /// Its bytes.
        bytes: usize,
    },
    /// A resource beyond the hardware.
    #[error("kernel `{kernel}`: {source}")]
    Descriptor {
        /// The kernel.
        kernel: String,
        /// What is wrong.
        source: DescriptorError,
    },
}

/// LLVM's processor names of the machine numbers 0x20 to 0x59 in e_flags; empty where there is none. Source: LLVM 19
/// AMDGPUUsage, "AMDGPU ELF Header e_flags".
const MACHINES: [&str; 58] = [
    "gfx600",
    "gfx601",
    "gfx700",
    "gfx701",
    "gfx702",
    "gfx703",
    "gfx704",
    "",
    "gfx801",
    "gfx802",
    "gfx803",
    "gfx810",
    "gfx900",
    "gfx902",
    "gfx904",
    "gfx906",
    "gfx908",
    "gfx909",
    "gfx90c",
    "gfx1010",
    "gfx1011",
    "gfx1012",
    "gfx1030",
    "gfx1031",
    "gfx1032",
    "gfx1033",
    "gfx602",
    "gfx705",
    "gfx805",
    "gfx1035",
    "gfx1034",
    "gfx90a",
    "gfx940",
    "gfx1100",
    "gfx1013",
    "gfx1150",
    "gfx1103",
    "gfx1036",
    "gfx1101",
    "gfx1102",
    "gfx1200",
    "",
    "gfx1151",
    "gfx941",
    "gfx942",
    "",
    "gfx1201",
    "",
    "",
    "gfx9-generic",
    "gfx10-1-generic",
    "gfx10-3-generic",
    "gfx11-generic",
    "gfx1152",
    "",
    "",
    "",
    "gfx12-generic",
];

impl ObjectError {
    /// The refusal of a machine number without a target, `said` being the metadata's name for it.
    pub(crate) fn unknown_target(mach: u32, said: Option<&str>) -> ObjectError {
        let known = mach.checked_sub(0x20).and_then(|at| MACHINES.get(at as usize));
        let known = known.copied().filter(|n| !n.is_empty());
        ObjectError::Target {
            mach,
            name: known.or(said).map(str::to_owned),
        }
    }
}

/// The chips there is a target for.
fn known_targets() -> String {
    crate::target::TARGETS
        .iter()
        .map(|t| t.name)
        .collect::<Vec<_>>()
        .join(", ")
}

fn list(names: &[String]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
}
