//! The shape of each simulated chip.
//!
//! Problem: a program asks the driver how many compute units there are and sizes queues and private memory by the
//! answer. Method: each target is its best-known card, with that card's compute units and memory; all else is as on the
//! RX 7900 XTX. Source: AMD, "GPU specifications" of the ROCm documentation (`docs/reference/gpu-specs`). An APU's
//! memory is what its machine gives it: 16 GiB stand for it.
//!
//! UNVERIFIED(hw): how the compute units are spread over shader engines and arrays; only their product is documented.

use t0_backend_rdna3::target::Target;
use t0_kfd::Node;

/// Chip, shader engines, arrays of an engine, compute units of an array, GiB.
const SHAPES: [(&str, u32, u32, u32, u64); 6] = [
    ("gfx1101", 3, 2, 10, 16),
    ("gfx1102", 2, 2, 8, 8),
    ("gfx1103", 1, 2, 6, 16),
    ("gfx1150", 1, 2, 8, 16),
    ("gfx1151", 2, 2, 10, 16),
    ("gfx1152", 1, 2, 4, 16),
];

/// The node of a target's card.
pub fn node_of(target: &Target) -> Node {
    let xtx = Node::rx7900xtx();
    let Some(&(name, engines, arrays, units, gib)) = SHAPES.iter().find(|s| s.0 == target.name) else {
        return xtx;
    };
    Node {
        name: name.to_owned(),
        simd_count: engines * arrays * units * xtx.simd_per_cu,
        array_count: engines * arrays,
        simd_arrays_per_engine: arrays,
        cu_per_simd_array: units,
        gfx_target_version: target_version(name).unwrap_or(xtx.gfx_target_version),
        device_id: 0,
        vram_bytes: gib << 30,
        ..xtx
    }
}

/// The driver's number of a chip: major * 10000 + minor * 100 + stepping, each from the name (`gfx1151` is 11, 5, 1).
fn target_version(name: &str) -> Option<u32> {
    let digits = name.strip_prefix("gfx")?;
    let (major, rest) = digits.split_at_checked(digits.len().checked_sub(2)?)?;
    let (minor, stepping) = rest.split_at_checked(1)?;
    let number = |text: &str, radix| u32::from_str_radix(text, radix).ok();
    Some(number(major, 10)? * 10_000 + number(minor, 10)? * 100 + number(stepping, 16)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use t0_backend_rdna3::target::TARGETS;

    #[test]
    fn every_target_has_its_card() {
        let units = [96, 60, 32, 12, 16, 40, 8];
        assert_eq!(units.len(), TARGETS.len());
        for (target, units) in TARGETS.iter().zip(units) {
            let node = node_of(target);
            assert_eq!((node.target().as_str(), node.name.as_str()), (target.name, target.name));
            assert_eq!(node.cu_count(), units, "{}", target.name);
            assert_eq!(node.array_count * node.cu_per_simd_array, units, "{}", target.name);
            assert!(node.shader_engines() > 0);
        }
    }

    #[test]
    fn chips_have_the_drivers_numbers() {
        assert_eq!(target_version("gfx1100"), Some(110_000));
        assert_eq!(target_version("gfx1151"), Some(110_501));
        assert_eq!(target_version("gfx90a"), Some(90_010));
        assert_eq!(target_version("navi"), None);
    }
}
