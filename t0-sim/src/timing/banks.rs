//! Banks: how many passes an access of the LDS takes, and how long an instruction waits for its registers.
//!
//! Sources: RDNA3 ISA manual 3.3.4 (32 banks of 32 bits a CU), 7.6 (four VGPR banks). UNVERIFIED(hw): which lanes of an
//! access of more than a dword a lane go together; nothing is published for RDNA3. Taken here: as many lanes as fill the
//! banks once, in ascending order. UNVERIFIED(hw): that equal addresses of a pass are one access (a broadcast).

use crate::mem::Addresses;
use crate::program::{Instr, Src, VSet};

/// Banks of the LDS of a CU.
const LDS_BANKS: u64 = 32;
/// Banks of the vector registers.
const VGPR_BANKS: u32 = 4;

/// Passes an access of 32 lanes takes, and how many it would take at best.
///
/// `bytes` are those of one lane; lanes that are off take no part, but a pass is one whether or not all its lanes are on.
pub fn lds_passes(at: &Addresses, lanes: u32, bytes: u32) -> (u32, u32) {
    let dwords = u64::from(bytes.div_ceil(4).max(1));
    let together = (LDS_BANKS / dwords.next_power_of_two()).max(1) as usize;
    let (mut passes, mut least) = (0, 0);
    for first in (0..32).step_by(together) {
        let on = (first..first + together).filter(|&l| lanes >> l & 1 == 1);
        let longest = busiest_bank(on.map(|l| at[l]), bytes, dwords);
        passes += longest;
        least += u32::from(longest > 0);
    }
    (passes, least)
}

/// How many different dwords the busiest bank has to deliver.
fn busiest_bank(at: impl Iterator<Item = u64>, bytes: u32, dwords: u64) -> u32 {
    let mut dword: Vec<u64> = Vec::with_capacity(64);
    for a in at {
        // An access that is not aligned reaches into one more.
        let last = (a + u64::from(bytes.max(1)) - 1) / 4;
        dword.extend(a / 4..=last.min(a / 4 + dwords));
    }
    dword.sort_unstable();
    dword.dedup();
    let mut load = [0u32; LDS_BANKS as usize];
    dword.iter().for_each(|d| load[(d % LDS_BANKS) as usize] += 1);
    load.into_iter().max().unwrap_or(0)
}

/// Cycles a dual-issue pair waits for the banks of its source registers, besides the one it takes anyway.
///
/// Each bank serves two registers a cycle in this model: a pair whose six reads (an accumulator is one) are spread by the
/// scheme SEB describes takes one cycle, and pairs that read three or four registers of a bank take the two or three
/// cycles measured there.
pub fn pair_conflict(reads: &VSet) -> u32 {
    let load = by_bank(reads);
    load.into_iter().max().unwrap_or(0).saturating_sub(2)
}

fn by_bank(set: &VSet) -> [u32; VGPR_BANKS as usize] {
    // Registers of a bank are every fourth bit.
    const FIRST: u64 = 0x1111_1111_1111_1111;
    [0, 1, 2, 3].map(|b| set.iter().map(|w| (w & FIRST << b).count_ones()).sum())
}

/// Whether two of the operands A, B and C of a matrix instruction begin in the same bank.
///
/// Source: llvm/llvm-project issue 204254, measured on gfx1151: 34 cycles instead of 32 then. Constants are in no bank.
pub fn wmma_conflict(i: &Instr) -> bool {
    let bank = |s: &Src| match s {
        Src::V(r) => Some(u32::from(*r) % VGPR_BANKS),
        _ => None,
    };
    let [a, b, c] = [&i.src[0], &i.src[1], &i.src[2]].map(bank);
    let same = |x: Option<u32>, y: Option<u32>| x.is_some() && x == y;
    same(a, b) || same(b, c) || same(a, c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(f: impl Fn(u64) -> u64) -> Addresses {
        std::array::from_fn(|l| f(l as u64))
    }

    #[test]
    fn passes_of_the_lds() {
        let all = u32::MAX;
        assert_eq!(lds_passes(&rows(|l| 4 * l), all, 4), (1, 1), "side by side");
        assert_eq!(lds_passes(&rows(|_| 64), all, 4), (1, 1), "one dword for all");
        assert_eq!(lds_passes(&rows(|l| 8 * l), all, 4), (2, 1), "every second dword");
        assert_eq!(lds_passes(&rows(|l| 128 * l), all, 4), (32, 1), "one bank");
        assert_eq!(lds_passes(&rows(|l| 132 * l), all, 4), (1, 1), "padded rows");
        assert_eq!(lds_passes(&rows(|l| 8 * l), all, 8), (2, 2));
        assert_eq!(lds_passes(&rows(|l| 16 * l), all, 16), (4, 4));
        // Rows of 32 dwords, four dwords a lane: eight lanes meet in the same four banks.
        assert_eq!(lds_passes(&rows(|l| 128 * l), all, 16), (32, 4));
        assert_eq!(lds_passes(&rows(|l| 144 * l), all, 16), (4, 4), "padded by four dwords");
        assert_eq!(lds_passes(&rows(|l| 4 * l), 1, 16), (1, 1), "one lane");
        assert_eq!(lds_passes(&rows(|l| 4 * l), 0, 4), (0, 0));
        assert_eq!(lds_passes(&rows(|l| 2 * l), all, 2), (1, 1), "halves of dwords");
        assert_eq!(lds_passes(&rows(|l| l), all, 1), (1, 1), "bytes");
    }

    #[test]
    fn banks_of_pairs() {
        let set = |regs: &[u32]| {
            let mut s: VSet = [0; 4];
            regs.iter().for_each(|&r| s[r as usize / 64] |= 1 << (r % 64));
            s
        };
        // A in banks 2 and 3, B in 0 and 1, accumulators in different ones (SEB, kernel 6).
        assert_eq!(pair_conflict(&set(&[2, 3, 4, 5, 8, 9])), 0);
        assert_eq!(pair_conflict(&set(&[0, 4, 8, 1, 5, 10])), 1);
        assert_eq!(pair_conflict(&set(&[0, 4, 8, 12])), 2);
        assert_eq!(pair_conflict(&set(&[])), 0);
    }
}
