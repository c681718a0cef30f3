//! What to say about a mnemonic that does not exist: its name on gfx11, or one that is spelled alike.
//!
//! Source of the renamed ones: RDNA3 ISA manual, LLVM 19's tables of older cards.

use super::Opcode;

/// Mnemonics of older cards that LLVM does not read for gfx11, and the instruction with the same result (or nearly:
/// fused products round once).
const RENAMED: &[(&str, &str)] = &[
    ("v_addc_u32", "v_add_co_ci_u32"),
    ("v_subb_u32", "v_sub_co_ci_u32"),
    ("v_subbrev_u32", "v_subrev_co_ci_u32"),
    ("v_addc_co_u32", "v_add_co_ci_u32"),
    ("v_subb_co_u32", "v_sub_co_ci_u32"),
    ("v_subbrev_co_u32", "v_subrev_co_ci_u32"),
    ("v_add_u16", "v_add_nc_u16"),
    ("v_sub_u16", "v_sub_nc_u16"),
    ("v_mul_lo_i32", "v_mul_lo_u32"),
    ("v_mac_f32", "v_fmac_f32"),
    ("v_mac_f16", "v_fmac_f16"),
    ("v_mad_f32", "v_fma_f32"),
    ("v_mad_f16", "v_fma_f16"),
    ("v_madak_f32", "v_fmaak_f32"),
    ("v_madmk_f32", "v_fmamk_f32"),
    ("v_lshl_b32", "v_lshlrev_b32"),
    ("v_lshr_b32", "v_lshrrev_b32"),
    ("v_ashr_i32", "v_ashrrev_i32"),
    ("v_lshl_b64", "v_lshlrev_b64"),
    ("v_lshr_b64", "v_lshrrev_b64"),
    ("v_ashr_i64", "v_ashrrev_i64"),
    ("s_memtime", "s_sendmsg_rtn_b64"),
    ("s_memrealtime", "s_sendmsg_rtn_b64"),
    ("buffer_wbinvl1", "buffer_gl0_inv"),
    ("buffer_wbinvl1_vol", "buffer_gl0_inv"),
    ("s_wait_dscnt", "s_waitcnt"),
    ("s_wait_loadcnt", "s_waitcnt"),
    ("s_wait_storecnt", "s_waitcnt_vscnt"),
    ("s_wait_kmcnt", "s_waitcnt"),
    ("s_wait_alu", "s_waitcnt_depctr"),
    ("s_barrier_signal", "s_barrier"),
    ("s_barrier_wait", "s_barrier"),
];

/// What follows the name in the message; starts with `;` when there is something to say.
pub(crate) fn hint(mnemonic: &str) -> String {
    let name = mnemonic.to_ascii_lowercase();
    let bare = ["_e32", "_e64", "_dpp"]
        .iter()
        .find_map(|s| name.strip_suffix(s))
        .unwrap_or(&name);
    if bare.ends_with("_sdwa") {
        return "; gfx11 has no SDWA: use `v_bfe_u32`, `v_perm_b32` or the halves `.l` and `.h`".to_owned();
    }
    if bare.starts_with("v_mfma_") {
        return "; it is of gfx9 cards, the matrix products of gfx11 are `v_wmma_*`".to_owned();
    }
    if let Some((_, today)) = RENAMED.iter().find(|r| r.0 == bare) {
        return format!("; it is of other cards, here it is `{today}`");
    }
    let most = if bare.len() < 8 { 1 } else { 2 };
    let near = Opcode::all()
        .map(|op| op.row().name)
        .filter_map(|n| Some((distance(bare, n, most)?, n)))
        .min();
    near.map_or_else(String::new, |(_, n)| format!("; did you mean `{n}`?"))
}

/// Letters to change, insert, drop or swap with their neighbour; `None` above `most`.
fn distance(a: &str, b: &str, most: usize) -> Option<usize> {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len().abs_diff(b.len()) > most {
        return None;
    }
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let above = &rows[i - 1];
            let mut d = (above[j - 1] + usize::from(a[i - 1] != b[j - 1])).min(above[j].min(row[j - 1]) + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                d = d.min(rows[i - 2][j - 2] + 1);
            }
            row.push(d);
        }
        rows.push(row);
    }
    rows[a.len()].last().copied().filter(|d| *d <= most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::parse::parse;
    use crate::isa::ParseError;
    use crate::target::GFX1100;

    #[test]
    fn renamed_ones_exist_under_their_new_name_only() {
        for (old, new) in RENAMED {
            assert!(Opcode::from_name(new).is_some(), "{new}");
            let said = parse(&format!("{old} v0, v1, v2"), &GFX1100);
            assert!(matches!(said, Err(ParseError::Unknown { .. })), "{old}: {said:?}");
        }
    }

    #[test]
    fn near_names_are_proposed() {
        assert_eq!(hint("v_add_f23"), "; did you mean `v_add_f32`?");
        assert_eq!(hint("v_mac_f32_e64"), "; it is of other cards, here it is `v_fmac_f32`");
        assert_eq!(hint("frobnicate"), "");
    }
}
