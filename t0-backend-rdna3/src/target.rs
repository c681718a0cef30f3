//! The cards code is generated for. Nothing else in the crate names a card: code asks [`Target::has`].
//!
//! Sources: LLVM 19 AMDGPU target (e_flags machine numbers, register totals, features), RDNA3 ISA manual section 3.3.2
//! (VGPR allocation granules), ROCm documentation "GPU specifications" (products).

/// A property some targets have and others lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Feature {
    /// Matrix instructions `v_wmma_*`.
    Wmma,
    /// Dual-issue encoding VOPD.
    Vopd,
    /// A VALU read of a register recently written by the transcendental unit needs a wait
    /// (LLVM `hasVALUTransUseHazard`; gfx1100 to gfx1103).
    ValuTransUseHazard,
    /// Fewer than 16 initialised SGPRs at wave start are unreliable (LLVM `FeatureUserSGPRInit16Bug`).
    UserSgprInit16Bug,
    /// Scalar floating-point ALU (gfx1150 and later).
    SaluFloat,
    /// DPP instructions of the VOP3 form take scalars and constants as source 1 (LLVM `FeatureDPPSrc1SGPR`).
    DppSrc1Scalar,
    /// `s_singleuse_vdst` (LLVM `FeatureVGPRSingleUseHintInsts`).
    SingleUseHint,
}

/// One card and wave size as the code generator sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// LLVM processor name.
    pub name: &'static str,
    /// The card that stands for the chip, by the name it is sold under.
    pub product: &'static str,
    /// ELF `e_flags` machine number (`EF_AMDGPU_MACH`).
    pub mach: u32,
    /// VGPRs (of `wave_size` lanes) per SIMD.
    pub vgprs_per_simd: u32,
    /// VGPR allocation granule.
    pub vgpr_granule: u32,
    /// VGPRs one wave may address.
    pub max_vgprs: u32,
    /// SGPRs one wave may address (VCC apart).
    pub max_sgprs: u32,
    /// Waves one SIMD can hold.
    pub max_waves_per_simd: u32,
    /// LDS bytes one workgroup may use.
    pub max_lds: u32,
    /// Lanes per wave: 32, or 64 in the view [`Target::with_wave_size`] gives.
    pub wave_size: u32,
    /// What it has besides the common ground.
    pub features: &'static [Feature],
}

impl Target {
    /// Whether the card has `feature`.
    pub fn has(&self, feature: Feature) -> bool {
        self.features.contains(&feature)
    }

    /// The same card running waves of 64 lanes (any other value: of 32). A register of a 64-lane wave takes twice the
    /// storage, so register total and granule halve. Source: LLVM `getTotalNumVGPRs`, `getVGPRAllocGranule`.
    pub const fn with_wave_size(mut self, lanes: u32) -> Target {
        let lanes = if lanes == 64 { 64 } else { 32 };
        self.vgprs_per_simd = self.vgprs_per_simd * self.wave_size / lanes;
        self.vgpr_granule = self.vgpr_granule * self.wave_size / lanes;
        self.wave_size = lanes;
        self
    }

    /// The target of this LLVM name.
    pub fn from_name(name: &str) -> Option<Target> {
        TARGETS.iter().find(|t| t.name == name).copied()
    }

    /// The target whose code objects carry this machine number.
    pub fn from_mach(mach: u32) -> Option<Target> {
        TARGETS.iter().find(|t| t.mach == mach).copied()
    }

    /// Waves of `vgprs` vector registers each that fit on one SIMD. Source: RDNA3 ISA manual section 3.3.2.
    pub fn waves_per_simd(&self, vgprs: u32) -> u32 {
        let used = vgprs.max(1).div_ceil(self.vgpr_granule) * self.vgpr_granule;
        (self.vgprs_per_simd / used).min(self.max_waves_per_simd)
    }
}

/// What every gfx11 card has in common; features and register files differ.
const fn gfx11(
    name: &'static str,
    product: &'static str,
    mach: u32,
    registers: Registers,
    features: &'static [Feature],
) -> Target {
    let (vgprs_per_simd, vgpr_granule) = match registers {
        Registers::Full => (1024, 16),
        Registers::OneAndAHalf => (1536, 24),
    };
    Target {
        name,
        product,
        mach,
        vgprs_per_simd,
        vgpr_granule,
        max_vgprs: 256,
        max_sgprs: 106,
        max_waves_per_simd: 16,
        max_lds: 65536,
        wave_size: 32,
        features,
    }
}

/// Size of a card's vector register file (LLVM `Feature1_5xVGPRs`).
enum Registers {
    Full,
    OneAndAHalf,
}

const GFX110X: &[Feature] = &[Feature::Wmma, Feature::Vopd, Feature::ValuTransUseHazard];
const GFX110X_INIT16: &[Feature] = &[
    Feature::Wmma,
    Feature::Vopd,
    Feature::ValuTransUseHazard,
    Feature::UserSgprInit16Bug,
];
const GFX115X: &[Feature] = &[
    Feature::Wmma,
    Feature::Vopd,
    Feature::SaluFloat,
    Feature::DppSrc1Scalar,
    Feature::SingleUseHint,
];

/// Navi 31: Radeon RX 7900 XTX / XT / GRE.
pub const GFX1100: Target = gfx11(
    "gfx1100",
    "Radeon RX 7900 XTX",
    0x41,
    Registers::OneAndAHalf,
    GFX110X_INIT16,
);
/// Navi 32: Radeon RX 7800 XT / 7700 XT.
pub const GFX1101: Target = gfx11("gfx1101", "Radeon RX 7800 XT", 0x46, Registers::OneAndAHalf, GFX110X);
/// Navi 33: Radeon RX 7600.
pub const GFX1102: Target = gfx11("gfx1102", "Radeon RX 7600", 0x47, Registers::Full, GFX110X_INIT16);
/// Phoenix: Radeon 780M / 760M / 740M.
pub const GFX1103: Target = gfx11("gfx1103", "Radeon 780M", 0x44, Registers::Full, GFX110X);
/// Strix Point: Radeon 890M / 880M.
pub const GFX1150: Target = gfx11("gfx1150", "Radeon 890M", 0x43, Registers::Full, GFX115X);
/// Strix Halo: Radeon 8060S / 8050S.
pub const GFX1151: Target = gfx11("gfx1151", "Radeon 8060S", 0x4a, Registers::OneAndAHalf, GFX115X);
/// Krackan Point: Radeon 860M / 840M.
pub const GFX1152: Target = gfx11("gfx1152", "Radeon 860M", 0x55, Registers::Full, GFX115X);

/// Every target, for look-up by name or machine number.
pub const TARGETS: &[Target] = &[GFX1100, GFX1101, GFX1102, GFX1103, GFX1150, GFX1151, GFX1152];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn occupancy_matches_llvm() {
        // llc-19 -mcpu=gfx1100 `; Occupancy:` for kernels of these register counts.
        let want = [
            (24, 16),
            (96, 16),
            (97, 12),
            (120, 12),
            (128, 10),
            (168, 9),
            (192, 8),
            (193, 7),
            (240, 6),
            (256, 5),
        ];
        for (vgprs, waves) in want {
            assert_eq!(GFX1100.waves_per_simd(vgprs), waves, "{vgprs} VGPRs");
        }
    }

    #[test]
    fn occupancy_of_every_target_matches_llvm() {
        // llc-19 `; Occupancy:` of kernels of 97, 100 and 241 VGPRs, in wave32 and wave64.
        let full = ([9, 9, 4], [4, 4, 2]);
        let more = ([12, 12, 5], [7, 7, 3]);
        let want = [more, more, full, full, full, more, full];
        for (target, (wave32, wave64)) in TARGETS.iter().zip(want) {
            for (lanes, waves) in [(32, wave32), (64, wave64)] {
                let view = target.with_wave_size(lanes);
                let got = [97, 100, 241].map(|v| view.waves_per_simd(v));
                assert_eq!(got, waves, "{} wave{lanes}", target.name);
            }
        }
    }
}
