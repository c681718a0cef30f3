//! Everything that can go wrong between a launch and its result, each with the way out.

use t0_backend_rdna3::object::ObjectError;
use t0_kfd::KfdError;

/// Errors of the runtime. `Debug` prints the same sentence as `Display`: it is what `fn main() -> Result<…>` and
/// `unwrap` show.
#[derive(Clone, thiserror::Error)]
pub enum Error {
    /// The driver refused something.
    #[error(transparent)]
    Driver(#[from] KfdError),
    /// No memory for a buffer.
    #[error("no memory for a buffer of {bytes} bytes: {why}")]
    OutOfMemory {
        /// Bytes asked for.
        bytes: u64,
        /// The driver's error; not a `source`, because the message holds it already.
        why: KfdError,
    },
    /// `T0_DEVICE` holds something unknown.
    #[error("T0_DEVICE is {value:?}; use `auto`, `sim` (the simulated card) or `kfd` (a real one)")]
    DeviceChoice {
        /// Its value.
        value: String,
    },
    /// `T0_ORDER_SEED` is no number.
    #[error("T0_ORDER_SEED is {value:?}; use a whole number: which order waves run in on the simulated card, 0 for the usual one")]
    OrderSeed {
        /// Its value.
        value: String,
    },
    /// The sanitizer found mistakes of kernels. The results may be right all the same.
    #[error("the sanitizer found {count} mistake(s), `Gpu::findings` has all of them; the first:\n{first}")]
    Findings {
        /// Mistakes since the last time.
        count: usize,
        /// The first of them.
        first: String,
    },
    /// A word of T0_DUMP that says nothing.
    #[error("T0_DUMP has `{value}`; it takes isa, ir and card, separated by commas")]
    DumpWord {
        /// The word.
        value: String,
    },
    /// A file that T0_DUMP asks for.
    #[error("{} cannot be written ({why}); set T0_DUMP_DIR to a folder that can", path.display())]
    DumpFile {
        /// The file.
        path: std::path::PathBuf,
        /// Why.
        why: String,
    },
    /// A variable that is 1 or 0 is neither.
    #[error("{variable} is `{value}`; it must be 1 (on) or 0 (off)")]
    Switch {
        /// The variable.
        variable: &'static str,
        /// Its value.
        value: String,
    },
    /// T0_TIMEOUT is no number of seconds.
    #[error("T0_TIMEOUT is `{value}`; it must be a number of seconds above 0, such as 30 or 0.5")]
    TimeLimit {
        /// Its value.
        value: String,
    },
    /// `T0_NUMERICS` holds something unknown.
    #[error("T0_NUMERICS: {why}")]
    Numerics {
        /// What; not a `source`, because the message holds it already.
        why: t0_sim::num::UnknownNumerics,
    },
    /// More memory than an address space holds.
    #[error("cannot allocate {bytes} bytes: no address space is that large; ask for less")]
    TooMuch {
        /// Bytes asked for.
        bytes: u64,
    },
    /// A kernel faulted.
    #[error("kernel `{kernel}` faulted; the device is lost, open it again with `Gpu::open`:\n{report}")]
    Fault {
        /// The kernel, or what is known of it.
        kernel: String,
        /// What happened, where, and the nearest allocation, in one line.
        detail: String,
        /// The same as rustc would print it.
        report: String,
    },
    /// An index out of range stopped a checked kernel. The device goes on working.
    #[error("kernel `{kernel}` stopped at an index out of range:\n{text}")]
    OutOfRange {
        /// The kernel.
        kernel: String,
        /// What, where and which work-item, as rustc would print it.
        text: String,
        /// The same in parts.
        stop: std::sync::Arc<crate::stop::OutOfRange>,
    },
    /// A call after a fault.
    #[error("the device is lost since kernel `{kernel}` faulted ({detail}); open it again with `Gpu::open`")]
    DeviceLost {
        /// The kernel.
        kernel: String,
        /// The fault.
        detail: String,
    },
    /// Something did not happen in time.
    #[error("gave up waiting after {seconds} s:\n{message}")]
    Timeout {
        /// What did not finish.
        what: String,
        /// The limit.
        seconds: f64,
        /// What the queue is doing, where its waves stand, and the way out, as rustc would print it.
        message: Box<t0_sim::driver::Message>,
    },
    /// More private memory than the hardware can give a work-item.
    #[error("kernel `{kernel}` asks for {bytes} bytes of scratch per work-item, the most is {most}; use smaller private arrays, or global memory")]
    Scratch {
        /// The kernel.
        kernel: String,
        /// Bytes asked for.
        bytes: u32,
        /// The most at its wave size.
        most: u32,
    },
    /// Two parameters of a launch overlap.
    #[error("kernel `{kernel}`: parameters `{first}` and `{second}` are the same buffer and one of them is written; use two buffers")]
    Aliased {
        /// The kernel.
        kernel: String,
        /// One parameter.
        first: String,
        /// The other.
        second: String,
    },
    /// A buffer of another device.
    #[error(
        "kernel `{kernel}`: `{name}` belongs to another device than the queue; upload it through the queue's `Gpu`"
    )]
    OtherDevice {
        /// The kernel.
        kernel: String,
        /// The parameter.
        name: String,
    },
    /// Lengths that must be equal are not.
    #[error("{what}: {left} and {right} differ; make them equal")]
    Length {
        /// Which lengths.
        what: String,
        /// One.
        left: u64,
        /// The other.
        right: u64,
    },
    /// A matrix whose data does not fit its shape.
    #[error("a {rows} × {cols} matrix has {want} elements, {got} were given; pass rows·cols elements")]
    Shape {
        /// Rows.
        rows: usize,
        /// Columns.
        cols: usize,
        /// rows·cols, saturating.
        want: usize,
        /// Elements given.
        got: usize,
    },
    /// A matrix row stride below its column count.
    #[error("a row stride of {stride} elements is below {cols} columns; use at least the number of columns")]
    Stride {
        /// The stride.
        stride: usize,
        /// Columns.
        cols: usize,
    },
    /// A buffer too long for 32-bit indices and buffer descriptors.
    #[error("`{name}` has {bytes} bytes, a kernel reaches fewer than 2^32; split it and launch once per part")]
    TooLong {
        /// The parameter.
        name: String,
        /// Its bytes.
        bytes: u64,
    },
    /// More elements than there are addresses.
    #[error("{count} elements of {size} bytes are more than 2^64 bytes; ask for fewer")]
    TooMany {
        /// Elements asked for, a product for a matrix.
        count: String,
        /// Bytes of an element.
        size: usize,
    },
    /// A launch larger than the hardware can count.
    #[error("kernel `{kernel}`: a grid of {groups:?} workgroups of {group:?} work-items exceeds 2^32 work-items in a dimension; launch it in parts")]
    Grid {
        /// The kernel.
        kernel: String,
        /// Workgroups.
        groups: [u64; 3],
        /// Work-items of one.
        group: [u32; 3],
    },
    /// Two parameters demand different grids.
    #[error("kernel `{kernel}`: `{first}` and `{second}` give different grids ({left} and {right}); owned outputs must have the same shape")]
    GridMismatch {
        /// The kernel.
        kernel: String,
        /// One parameter.
        first: String,
        /// The other.
        second: String,
        /// Grid by the first.
        left: String,
        /// Grid by the second.
        right: String,
    },
    /// Nothing says how many workgroups to launch.
    #[error("kernel `{kernel}`: nothing sets the grid; give it an owned output or launch it with an explicit grid")]
    NoGrid {
        /// The kernel.
        kernel: String,
    },
    /// Kernel arguments of the wrong size.
    #[error("kernel `{kernel}` takes {want} bytes of arguments, {got} were given; check the parameter list")]
    Kernarg {
        /// The kernel.
        kernel: String,
        /// What it takes.
        want: u64,
        /// What was given.
        got: u64,
    },
    /// A workgroup shape the kernel was not made for.
    #[error("kernel `{kernel}` {what}; pass the workgroup it was compiled for")]
    Group {
        /// The kernel.
        kernel: String,
        /// What is wrong.
        what: String,
    },
    /// A code object cannot be used.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// A code object for another chip.
    #[error("the code object is for {object}, this device is {device}; build it for {device}")]
    Target {
        /// Target of the code object.
        object: String,
        /// Target of the device.
        device: String,
    },
    /// A device there is no code generator for.
    #[error("there is no code generator for {device}; load a code object made for it with `Module::load`")]
    NoCompiler {
        /// Target of the device.
        device: String,
    },
    /// A kernel does not compile.
    #[error("kernel `{kernel}` does not compile:\n{report}")]
    Compile {
        /// The kernel.
        kernel: String,
        /// All findings, printed.
        report: String,
    },
    /// The static checker found a fault in what the compiler made.
    #[error(
        "kernel `{kernel}` was compiled wrongly and is not launched: {finding}{place}; this is a fault of t0: {report}"
    )]
    Check {
        /// The kernel.
        kernel: String,
        /// The first error: rule, instruction, what is wrong.
        finding: String,
        /// Its source line, as `, from file:line:column`, or empty.
        place: String,
        /// Where the report with listing and all findings is.
        report: String,
    },
}

impl Error {
    /// The error in one line, for a place inside of another message.
    pub(crate) fn brief(&self) -> String {
        match self {
            Error::Fault { kernel, detail, .. } => format!("kernel `{kernel}` faulted: {detail}"),
            Error::Timeout { what, seconds, .. } => format!("{what} did not finish within {seconds} s"),
            other => other.to_string(),
        }
    }
}

impl std::fmt::Debug for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// Result of the runtime.
pub type Result<T> = std::result::Result<T, Error>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_is_the_sentence() {
        let e = Error::NoGrid { kernel: "k".into() };
        assert_eq!(format!("{e:?}"), e.to_string());
        assert!(format!("{e:#?}").starts_with("kernel `k`: nothing sets the grid"));
    }
}
