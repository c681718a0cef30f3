//! How many waves of a kernel fit on a SIMD, and what keeps it from being more.
//!
//! Problem: latency is hidden by other waves; registers, LDS and whole workgroups limit how many there are. Method:
//! count the workgroups that fit on one CU (CU mode) or WGP (WGP mode) by each resource and take the least. Invariant:
//! with one-wave groups and no LDS the answer is LLVM's `Occupancy`.
//! Sources: RDNA3 ISA manual 2.3 and 3.3 (groups per WGP, allocation granules), llc 19 for the register table.
//! UNVERIFIED(hw): that the LDS limit counts 64 KB per CU, or 128 KB per WGP shared by all groups on it.

use crate::target::Target;

/// LDS of one CU in bytes; a WGP has two.
const LDS_BYTES_PER_CU: u64 = 64 * 1024;
/// LDS is handed out in blocks of this many bytes.
const LDS_GRANULE: u64 = 1024;
/// Workgroups of more than one wave that a CU can hold; a WGP twice as many.
const GROUPS_PER_CU: u64 = 16;

/// What a kernel uses, as far as occupancy goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// VGPRs of a wave.
    pub vgprs: u32,
    /// LDS bytes of a workgroup, static and dynamic.
    pub lds_bytes: u32,
    /// Work-items of a workgroup.
    pub group_size: u32,
    /// Lanes of a wave.
    pub wave_size: u32,
    /// Whether groups may use both CUs of a WGP.
    pub wgp_mode: bool,
}

/// What limits the number of waves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// The wave slots of the SIMD: nothing to gain.
    Waves,
    /// Vector registers.
    Vgprs,
    /// LDS.
    Lds,
    /// The number of workgroups the hardware tracks: larger groups would give more waves.
    Groups,
    /// A single workgroup does not fit: the kernel cannot be launched.
    DoesNotFit,
}

impl Limit {
    /// Its name in listings and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Limit::Waves => "waves",
            Limit::Vgprs => "vgpr",
            Limit::Lds => "lds",
            Limit::Groups => "groups",
            Limit::DoesNotFit => "does not fit",
        }
    }
}

/// The answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occupancy {
    /// Waves on the fullest SIMD.
    pub waves_per_simd: u32,
    /// Workgroups on one CU (CU mode) or one WGP (WGP mode).
    pub groups: u32,
    /// What limits it.
    pub limited_by: Limit,
}

/// Occupancy of a kernel on a target.
pub fn occupancy(target: &Target, u: &Usage) -> Occupancy {
    let cus = if u.wgp_mode { 2 } else { 1 };
    let simds = 2 * cus;
    let waves_per_group = u64::from(u.group_size.max(1).div_ceil(u.wave_size.max(1)));
    let slots = simds * u64::from(target.max_waves_per_simd) / waves_per_group;
    let by_vgprs = u64::from(room_for(target, u)) / waves_per_group;
    let by_lds = match u64::from(u.lds_bytes).next_multiple_of(LDS_GRANULE) {
        0 => u64::MAX,
        bytes => cus * LDS_BYTES_PER_CU / bytes,
    };
    let by_groups = if waves_per_group > 1 {
        cus * GROUPS_PER_CU
    } else {
        u64::MAX
    };
    let limits = [
        (slots, Limit::Waves),
        (by_vgprs, Limit::Vgprs),
        (by_lds, Limit::Lds),
        (by_groups, Limit::Groups),
    ];
    // The first of equals: when the wave slots are full nothing else matters.
    let (groups, limit) = limits.into_iter().min_by_key(|l| l.0).unwrap_or((0, Limit::DoesNotFit));
    Occupancy {
        waves_per_simd: (groups * waves_per_group).div_ceil(simds) as u32,
        groups: groups as u32,
        limited_by: if groups == 0 { Limit::DoesNotFit } else { limit },
    }
}

/// A workgroup no CU or WGP has room for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a workgroup of {items} work-items is {waves} waves of {vgprs} VGPRs, and {place} has room for {room} such waves{fits}"
)]
pub struct NoRoom {
    /// Work-items and waves of the group.
    pub items: u32,
    /// See `items`.
    pub waves: u32,
    /// VGPRs of a wave.
    pub vgprs: u32,
    /// A CU or a WGP.
    pub place: &'static str,
    /// Waves there is room for.
    pub room: u32,
    fits: Fits,
}

/// The way out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fits {
    items: u32,
    vgprs: Option<u32>,
}

impl std::fmt::Display for Fits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "; use workgroups of at most {} work-items", self.items)?;
        match self.vgprs {
            Some(n) => write!(f, ", or at most {n} VGPRs"),
            None => Ok(()),
        }
    }
}

/// Whether the registers of a workgroup's waves find room at all. Its size and LDS have limits of their own.
///
/// UNVERIFIED(hw): what a card does with such a dispatch. Neither the packet processor nor KFD compares the two numbers, so it is
/// taken to wait for room for ever, until the driver resets the queue.
pub fn room(target: &Target, u: &Usage) -> Result<(), NoRoom> {
    let fits = |vgprs: u32| room_for(target, &Usage { vgprs, ..*u });
    let waves = u.group_size.max(1).div_ceil(u.wave_size.max(1));
    let room = fits(u.vgprs);
    if waves <= room {
        return Ok(());
    }
    Err(NoRoom {
        items: u.group_size,
        waves,
        vgprs: u.vgprs,
        place: if u.wgp_mode { "a WGP" } else { "a CU" },
        room,
        fits: Fits {
            items: room * u.wave_size,
            vgprs: (1..u.vgprs).rev().find(|&n| waves <= fits(n)),
        },
    })
}

/// Waves the registers of the SIMDs that a workgroup may use have room for.
fn room_for(target: &Target, u: &Usage) -> u32 {
    let simds = if u.wgp_mode { 4 } else { 2 };
    // A wave64 register is two wave32 registers, and its allocation granule half as many registers.
    simds * target.with_wave_size(u.wave_size).waves_per_simd(u.vgprs)
}

/// The most VGPRs with which one more workgroup fits than with `u.vgprs`, and the waves per SIMD that gives; `None` where
/// registers are not what limits it.
pub fn with_fewer_vgprs(target: &Target, u: &Usage) -> Option<(u32, u32)> {
    let now = occupancy(target, u);
    let at = |vgprs: u32| occupancy(target, &Usage { vgprs, ..*u });
    let vgprs = (1..u.vgprs).rev().find(|&n| at(n).groups > now.groups)?;
    Some((vgprs, at(vgprs).waves_per_simd))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::GFX1100;

    fn of(vgprs: u32, lds_bytes: u32, group_size: u32, wave_size: u32, wgp_mode: bool) -> (u32, Limit) {
        let o = occupancy(
            &GFX1100,
            &Usage {
                vgprs,
                lds_bytes,
                group_size,
                wave_size,
                wgp_mode,
            },
        );
        (o.waves_per_simd, o.limited_by)
    }

    /// llc 19's `; Occupancy:` on gfx1100 by VGPR count.
    #[test]
    fn registers_as_llc_says() {
        let wave32 = [
            (24, 16),
            (64, 16),
            (72, 16),
            (96, 16),
            (97, 12),
            (120, 12),
            (128, 10),
            (168, 9),
            (192, 8),
            (193, 7),
            (216, 7),
            (240, 6),
            (256, 5),
        ];
        for (vgprs, waves) in wave32 {
            assert_eq!(of(vgprs, 0, 32, 32, true).0, waves, "{vgprs} VGPRs, wave32");
        }
        for (vgprs, waves) in [(24, 16), (64, 10), (96, 8), (128, 5), (256, 2)] {
            assert_eq!(of(vgprs, 0, 64, 64, true).0, waves, "{vgprs} VGPRs, wave64");
        }
        assert_eq!(of(0, 0, 32, 32, false), (16, Limit::Waves));
        assert_eq!(of(200, 0, 32, 32, false), (7, Limit::Vgprs));
    }

    #[test]
    fn the_next_step_of_registers() {
        let step = |vgprs, lds_bytes, group_size| {
            let u = Usage {
                vgprs,
                lds_bytes,
                group_size,
                wave_size: 32,
                wgp_mode: true,
            };
            with_fewer_vgprs(&GFX1100, &u)
        };
        // From the table above: 200 VGPRs leave 7 waves, 192 leave 8.
        assert_eq!(step(200, 0, 32), Some((192, 8)));
        assert_eq!(step(97, 0, 32), Some((96, 16)));
        assert_eq!(step(96, 0, 32), None);
        // Three groups of 8 waves; the fourth needs 8 waves a SIMD.
        assert_eq!(step(200, 0, 256), Some((192, 8)));
        // The LDS leaves room for two groups, whatever the registers.
        assert_eq!(step(200, 65536, 128), None);
        // Does not fit: 32 waves need 8 a SIMD.
        assert_eq!(step(256, 0, 1024), Some((192, 8)));
    }

    #[test]
    fn lds_limits_whole_groups() {
        // 128x128x32 bf16 tiles, double-buffered: 32 KB, 4 waves: 2 groups of 4 waves on the 2 SIMDs of a CU.
        assert_eq!(of(200, 32768, 128, 32, false), (4, Limit::Lds));
        assert_eq!(of(200, 32768, 128, 32, true), (4, Limit::Lds));
        assert_eq!(of(32, 65536, 256, 32, true), (4, Limit::Lds));
        assert_eq!(of(32, 1, 64, 32, false), (16, Limit::Waves));
    }

    #[test]
    fn groups_fit_whole_or_not_at_all() {
        // 7 waves per SIMD by registers, 28 in a WGP: three groups of 8 waves.
        assert_eq!(of(200, 0, 256, 32, true), (6, Limit::Vgprs));
        // 1024 work-items are 32 waves; with 256 VGPRs a WGP holds 20.
        assert_eq!(of(256, 0, 1024, 32, true), (0, Limit::DoesNotFit));
        assert_eq!(of(24, 0, 64, 32, true), (16, Limit::Waves));
    }

    #[test]
    fn a_group_without_room_says_what_would_have_some() {
        let usage = |vgprs, group_size, wgp_mode| Usage {
            vgprs,
            lds_bytes: 0,
            group_size,
            wave_size: 32,
            wgp_mode,
        };
        let refused = room(&GFX1100, &usage(256, 1024, true)).map_err(|e| e.to_string());
        let expected =
            "a workgroup of 1024 work-items is 32 waves of 256 VGPRs, and a WGP has room for 20 such waves; use \
            workgroups of at most 640 work-items, or at most 192 VGPRs";
        assert_eq!(refused, Err(expected.to_owned()));
        assert!(room(&GFX1100, &usage(192, 1024, true)).is_ok());
        assert!(room(&GFX1100, &usage(193, 1024, true)).is_err());
        assert!(room(&GFX1100, &usage(256, 640, true)).is_ok());
        assert!(room(&GFX1100, &usage(256, 640, false)).is_err());
    }
}
