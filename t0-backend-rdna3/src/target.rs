//! The chips t0 makes code for: one `const Target` each, the only place that names a chip.
//!
//! Code asks `target.has(..)` or reads a size; it never compares names.
//! Sources: LLVM 19 `AMDGPU.td` (features, e_flags), RDNA3 ISA manual 3.3.2 (register allocation).

/// A property that differs between chips.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feature {
    /// Wave32 kernels must initialise 16 SGPRs (LLVM `FeatureUserSGPRInit16Bug`).
    UserSgprInit16Bug,
}

/// A chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// LLVM's name, such as `gfx1100`.
    pub name: &'static str,
    /// The `e_flags` machine number of its code objects.
    pub mach: u32,
    /// 32-lane VGPRs of one SIMD.
    pub vgprs_per_simd: u32,
    /// VGPR allocation granule of a wave32.
    pub vgpr_granule: u32,
    /// What it has besides the common ground.
    pub features: &'static [Feature],
}

impl Target {
    /// Whether the chip has this property.
    pub fn has(&self, feature: Feature) -> bool {
        self.features.contains(&feature)
    }

    /// The target of this name.
    pub fn from_name(name: &str) -> Option<Target> {
        TARGETS.iter().find(|t| t.name == name).copied()
    }

    /// The target whose code objects carry this machine number.
    pub fn from_mach(mach: u32) -> Option<Target> {
        TARGETS.iter().find(|t| t.mach == mach).copied()
    }
}

/// Navi 31: Radeon RX 7900 XTX, XT, GRE, PRO W7900.
pub const GFX1100: Target = Target {
    name: "gfx1100",
    mach: 0x41,
    vgprs_per_simd: 1536,
    vgpr_granule: 24,
    features: &[Feature::UserSgprInit16Bug],
};

/// Every target, for look-up by name or machine number.
pub const TARGETS: &[Target] = &[GFX1100];
