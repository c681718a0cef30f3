//! The kernel descriptor: the 64 bytes the packet processor reads to start a kernel.
//!
//! Problem: say, in the hardware's own words, which registers, LDS and modes a kernel wants, and know which SGPRs hold
//! what when its first instruction runs. Method: the descriptor keeps the hardware words exactly as they are in memory
//! (so a foreign descriptor survives decode and encode unchanged) and reads or builds them through typed accessors.
//! Invariant: [`KernelDescriptor::new`] gives the bytes llvm-mc 19 gives for the same `.amdhsa_` directives.
//! Source: LLVM AMDGPUUsage, "Kernel Descriptor" and "Initial Kernel Execution State"; `AMDHSAKernelDescriptor.h`.

use crate::target::{Feature, Target};

/// Bytes of a kernel descriptor, and its alignment in the code object.
pub const DESCRIPTOR_BYTES: usize = 64;

/// Why a descriptor could not be built or read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DescriptorError {
    /// More of a resource than the hardware has.
    #[error("the kernel needs {needed} {what}, the hardware has at most {limit}; make the tile or the group smaller")]
    TooMuch {
        /// Name of the resource with its unit.
        what: &'static str,
        /// What the kernel asks for.
        needed: u32,
        /// What there is.
        limit: u32,
    },
    /// A wave size that does not exist.
    #[error("wave size {0} does not exist, use 32 or 64")]
    WaveSize(u32),
    /// Work-item ids beyond three dimensions.
    #[error("{0} work-item id dimensions asked for, there are 1 to 3")]
    WorkItemDims(u32),
    /// Not 64 bytes.
    #[error("a kernel descriptor has 64 bytes, these are {0}")]
    Size(usize),
}

/// Rounding of the float unit (MODE.round, 2 bits per width).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Round {
    /// To nearest, ties to even: IEEE's default and ours.
    #[default]
    NearestEven = 0,
    /// Towards +infinity.
    Up = 1,
    /// Towards -infinity.
    Down = 2,
    /// Towards zero.
    Zero = 3,
}

/// Treatment of denormals (MODE.denorm, 2 bits per width).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Denorm {
    /// Flush inputs and results to zero.
    FlushBoth = 0,
    /// Flush results only.
    FlushOutput = 1,
    /// Flush inputs only.
    FlushInput = 2,
    /// Keep denormals: IEEE's default and ours.
    #[default]
    Keep = 3,
}

/// The MODE bits a wave starts with. The default is IEEE arithmetic as LLVM's compute kernels start:
/// nearest-even, denormals kept at every width, DX10_CLAMP and IEEE_MODE on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FloatMode {
    /// Rounding of 32-bit operations.
    pub round_32: Round,
    /// Rounding of 16- and 64-bit operations.
    pub round_16_64: Round,
    /// Denormals of 32-bit operations.
    pub denorm_32: Denorm,
    /// Denormals of 16- and 64-bit operations.
    pub denorm_16_64: Denorm,
    /// DX10_CLAMP: the clamp modifier turns NaN into 0.
    pub dx10_clamp: bool,
    /// IEEE_MODE: signalling NaNs are quieted.
    pub ieee_mode: bool,
}

impl Default for FloatMode {
    fn default() -> Self {
        FloatMode {
            round_32: Round::NearestEven,
            round_16_64: Round::NearestEven,
            denorm_32: Denorm::Keep,
            denorm_16_64: Denorm::Keep,
            dx10_clamp: true,
            ieee_mode: true,
        }
    }
}

/// What a kernel needs from the hardware: the input of [`KernelDescriptor::new`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resources {
    /// VGPRs used: highest index + 1.
    pub vgprs: u32,
    /// SGPRs used: highest index + 1, without VCC. Metadata only; gfx10 and later always allocate 128.
    pub sgprs: u32,
    /// Statically known LDS bytes of a workgroup.
    pub lds_bytes: u32,
    /// Scratch bytes of one work-item.
    pub scratch_bytes: u32,
    /// Bytes of the kernel argument block.
    pub kernarg_bytes: u32,
    /// Lanes of a wave: 32 or 64.
    pub wave_size: u32,
    /// Whether the waves of a workgroup may use both CUs of a WGP (LLVM's default) or stay on one CU.
    pub wgp_mode: bool,
    /// Dimensions of the work-item id packed into v0 (x\[9:0\], y\[19:10\], z\[29:20\]): 1, 2 or 3.
    pub work_item_dims: u32,
    /// Which of the workgroup ids x, y, z arrive in SGPRs.
    pub workgroup_ids: [bool; 3],
    /// Whether the address of the dispatch packet arrives in SGPRs.
    pub dispatch_ptr: bool,
    /// The float mode waves start with.
    pub float_mode: FloatMode,
}

impl Default for Resources {
    fn default() -> Self {
        Resources {
            vgprs: 0,
            sgprs: 0,
            lds_bytes: 0,
            scratch_bytes: 0,
            kernarg_bytes: 0,
            wave_size: 32,
            wgp_mode: true,
            work_item_dims: 1,
            workgroup_ids: [true; 3],
            dispatch_ptr: false,
            float_mode: FloatMode::default(),
        }
    }
}

/// Which SGPR holds what when the first instruction runs. 64-bit values take two SGPRs from the index given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InitialSgprs {
    /// Private segment buffer, 4 SGPRs.
    pub private_segment_buffer: Option<u32>,
    /// Address of the AQL dispatch packet, 2 SGPRs.
    pub dispatch_ptr: Option<u32>,
    /// Address of the AQL queue, 2 SGPRs.
    pub queue_ptr: Option<u32>,
    /// Address of the kernel arguments, 2 SGPRs.
    pub kernarg_ptr: Option<u32>,
    /// Dispatch id, 2 SGPRs.
    pub dispatch_id: Option<u32>,
    /// Flat scratch init, 2 SGPRs.
    pub flat_scratch_init: Option<u32>,
    /// Scratch bytes of one work-item, 1 SGPR.
    pub private_segment_size: Option<u32>,
    /// Workgroup id x, y, z, one SGPR each.
    pub workgroup_id: [Option<u32>; 3],
    /// Workgroup info, 1 SGPR.
    pub workgroup_info: Option<u32>,
    /// User SGPRs the enabled inputs take, from SGPR 0 on; the descriptor may declare more.
    pub inputs: u32,
    /// SGPRs initialised in all; codegen must not expect anything in others.
    pub count: u32,
}

/// Where the kernel argument pointer and the workgroup ids are for a kernel with these needs on this target.
///
/// Errors: as [`KernelDescriptor::new`].
pub fn initial_sgprs(resources: &Resources, target: &Target) -> Result<InitialSgprs, DescriptorError> {
    Ok(KernelDescriptor::new(resources, target)?.initial_sgprs())
}

/// A kernel descriptor; the words are the hardware's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KernelDescriptor {
    /// Static LDS bytes of a workgroup.
    pub group_segment_bytes: u32,
    /// Scratch bytes of one work-item.
    pub private_segment_bytes: u32,
    /// Bytes of the kernel argument block (0 = not said).
    pub kernarg_bytes: u32,
    /// Address of the first instruction minus the address of this descriptor.
    pub entry_offset: i64,
    /// COMPUTE_PGM_RSRC3.
    pub rsrc3: u32,
    /// COMPUTE_PGM_RSRC1.
    pub rsrc1: u32,
    /// COMPUTE_PGM_RSRC2.
    pub rsrc2: u32,
    /// kernel_code_properties: which user SGPRs are filled, wave size.
    pub properties: u32,
    /// kernarg_preload; not used on gfx11.
    pub kernarg_preload: u32,
}

/// The `width` bits of `word` from bit `low`.
fn bits(word: u32, low: u32, width: u32) -> u32 {
    (word >> low) & ((1u32 << width) - 1)
}

const fn at_most(what: &'static str, needed: u32, limit: u32) -> Result<(), DescriptorError> {
    if needed > limit {
        return Err(DescriptorError::TooMuch { what, needed, limit });
    }
    Ok(())
}

impl KernelDescriptor {
    /// The descriptor of a kernel with these needs; `entry_offset` is 0 until the kernel has a place.
    ///
    /// Errors: a resource beyond the hardware, a wave size or a dimension that does not exist.
    pub fn new(r: &Resources, target: &Target) -> Result<KernelDescriptor, DescriptorError> {
        at_most("VGPRs", r.vgprs, target.max_vgprs)?;
        at_most("SGPRs", r.sgprs, target.max_sgprs)?;
        at_most("bytes of LDS", r.lds_bytes, target.max_lds)?;
        let wave32 = match r.wave_size {
            32 => true,
            64 => false,
            other => return Err(DescriptorError::WaveSize(other)),
        };
        if !(1..=3).contains(&r.work_item_dims) {
            return Err(DescriptorError::WorkItemDims(r.work_item_dims));
        }
        // The encoding granule is 8 (wave32) or 4 (wave64) whatever the allocation granule of the chip.
        let granule = if wave32 { 8 } else { 4 };
        let f = r.float_mode;
        let rsrc1 = (r.vgprs.max(1).div_ceil(granule) - 1)
            | (f.round_32 as u32) << 12
            | (f.round_16_64 as u32) << 14
            | (f.denorm_32 as u32) << 16
            | (f.denorm_16_64 as u32) << 18
            | u32::from(f.dx10_clamp) << 21
            | u32::from(f.ieee_mode) << 23
            | u32::from(r.wgp_mode) << 29
            | 1 << 30; // MEM_ORDERED: loads return in order, which s_waitcnt with counts needs.
        let [x, y, z] = r.workgroup_ids.map(u32::from);
        let mut rsrc2 = u32::from(r.scratch_bytes > 0)
            | user_sgpr_count(r, target) << 1
            | x << 7
            | y << 8
            | z << 9
            | (r.work_item_dims - 1) << 11;
        // LDS bytes stay out of rsrc2: the packet processor fills them in from the dispatch packet.
        rsrc2 &= !(0x1ff << 15);
        let pointers = u32::from(r.dispatch_ptr) << 1 | u32::from(r.kernarg_bytes > 0) << 3;
        Ok(KernelDescriptor {
            group_segment_bytes: r.lds_bytes,
            private_segment_bytes: r.scratch_bytes,
            kernarg_bytes: r.kernarg_bytes,
            entry_offset: 0,
            rsrc3: 0,
            rsrc1,
            rsrc2,
            properties: pointers | u32::from(wave32) << 10,
            kernarg_preload: 0,
        })
    }

    /// Reads the 64 bytes of a descriptor.
    ///
    /// Errors: `bytes` is not 64 bytes long.
    pub fn decode(bytes: &[u8]) -> Result<KernelDescriptor, DescriptorError> {
        let b: &[u8; DESCRIPTOR_BYTES] = bytes.try_into().map_err(|_| DescriptorError::Size(bytes.len()))?;
        let word = |at: usize| u32::from_le_bytes([b[at], b[at + 1], b[at + 2], b[at + 3]]);
        Ok(KernelDescriptor {
            group_segment_bytes: word(0),
            private_segment_bytes: word(4),
            kernarg_bytes: word(8),
            entry_offset: (u64::from(word(16)) | u64::from(word(20)) << 32) as i64,
            rsrc3: word(44),
            rsrc1: word(48),
            rsrc2: word(52),
            properties: word(56) & 0xffff,
            kernarg_preload: word(56) >> 16,
        })
    }

    /// The 64 bytes as they lie in memory.
    pub fn encode(&self) -> [u8; DESCRIPTOR_BYTES] {
        let mut b = [0; DESCRIPTOR_BYTES];
        let mut word = |at: usize, value: u32| b[at..at + 4].copy_from_slice(&value.to_le_bytes());
        word(0, self.group_segment_bytes);
        word(4, self.private_segment_bytes);
        word(8, self.kernarg_bytes);
        word(16, self.entry_offset as u32);
        word(20, (self.entry_offset >> 32) as u32);
        word(44, self.rsrc3);
        word(48, self.rsrc1);
        word(52, self.rsrc2);
        word(56, (self.properties & 0xffff) | self.kernarg_preload << 16);
        b
    }

    /// Lanes of a wave: 32 or 64.
    pub fn wave_size(&self) -> u32 {
        if bits(self.properties, 10, 1) == 1 {
            32
        } else {
            64
        }
    }

    /// VGPRs the hardware allocates at least: what was asked for, rounded up to the encoding granule.
    pub fn vgprs(&self) -> u32 {
        let granule = if self.wave_size() == 32 { 8 } else { 4 };
        (bits(self.rsrc1, 0, 6) + 1) * granule
    }

    /// The float mode waves start with.
    pub fn float_mode(&self) -> FloatMode {
        let round = |low| match bits(self.rsrc1, low, 2) {
            0 => Round::NearestEven,
            1 => Round::Up,
            2 => Round::Down,
            _ => Round::Zero,
        };
        let denorm = |low| match bits(self.rsrc1, low, 2) {
            0 => Denorm::FlushBoth,
            1 => Denorm::FlushOutput,
            2 => Denorm::FlushInput,
            _ => Denorm::Keep,
        };
        FloatMode {
            round_32: round(12),
            round_16_64: round(14),
            denorm_32: denorm(16),
            denorm_16_64: denorm(18),
            dx10_clamp: bits(self.rsrc1, 21, 1) == 1,
            ieee_mode: bits(self.rsrc1, 23, 1) == 1,
        }
    }

    /// Whether 16-bit overflow clamps to the largest finite value (FP16_OVFL).
    pub fn fp16_overflow(&self) -> bool {
        bits(self.rsrc1, 26, 1) == 1
    }

    /// Whether workgroups may use both CUs of a WGP.
    pub fn wgp_mode(&self) -> bool {
        bits(self.rsrc1, 29, 1) == 1
    }

    /// MEM_ORDERED: loads return in order.
    pub fn mem_ordered(&self) -> bool {
        bits(self.rsrc1, 30, 1) == 1
    }

    /// FWD_PROGRESS: waves are scheduled oldest first.
    pub fn forward_progress(&self) -> bool {
        bits(self.rsrc1, 31, 1) == 1
    }

    /// Whether the kernel uses scratch memory.
    pub fn scratch_enabled(&self) -> bool {
        bits(self.rsrc2, 0, 1) == 1
    }

    /// User SGPRs loaded by the packet processor, padding included.
    pub fn user_sgprs(&self) -> u32 {
        bits(self.rsrc2, 1, 5)
    }

    /// Dimensions of the work-item id packed into v0: 1, 2 or 3.
    pub fn work_item_dims(&self) -> u32 {
        (bits(self.rsrc2, 11, 2) + 1).min(3)
    }

    /// Whether the scratch size is only known at run time (function calls through pointers).
    pub fn dynamic_stack(&self) -> bool {
        bits(self.properties, 11, 1) == 1
    }

    /// Which SGPR holds what when the first instruction runs.
    pub fn initial_sgprs(&self) -> InitialSgprs {
        let mut next = 0;
        let mut take = |enabled: bool, count: u32| {
            enabled.then(|| {
                next += count;
                next - count
            })
        };
        let property = |bit| bits(self.properties, bit, 1) == 1;
        let mut s = InitialSgprs {
            private_segment_buffer: take(property(0), 4),
            dispatch_ptr: take(property(1), 2),
            queue_ptr: take(property(2), 2),
            kernarg_ptr: take(property(3), 2),
            dispatch_id: take(property(4), 2),
            flat_scratch_init: take(property(5), 2),
            private_segment_size: take(property(6), 1),
            ..InitialSgprs::default()
        };
        s.inputs = next;
        // System SGPRs start right after the declared number of user SGPRs, used or not.
        let mut next = self.user_sgprs();
        let mut take = |bit: u32| {
            (bits(self.rsrc2, bit, 1) == 1).then(|| {
                next += 1;
                next - 1
            })
        };
        s.workgroup_id = [take(7), take(8), take(9)];
        s.workgroup_info = take(10);
        s.count = next;
        s
    }
}

/// USER_SGPR_COUNT: two for each pointer, more on chips with the initialisation quirk.
///
/// Triggered by: wave32 on gfx1100 and gfx1102 with fewer than 16 SGPRs initialised in all: the ids then arrive wrong.
/// Mitigated by: declaring unused user SGPRs until user + system SGPRs are 16.
/// Source: LLVM `FeatureUserSGPRInit16Bug`, `SIMachineFunctionInfo::allocateKnownAddress..` / AMDGPULowerKernelArguments.
fn user_sgpr_count(r: &Resources, target: &Target) -> u32 {
    let used = 2 * (u32::from(r.kernarg_bytes > 0) + u32::from(r.dispatch_ptr));
    let system = r.workgroup_ids.iter().filter(|&&on| on).count() as u32;
    if target.has(Feature::UserSgprInit16Bug) && r.wave_size == 32 {
        used.max(16 - system)
    } else {
        used
    }
}
