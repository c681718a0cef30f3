//! Texts with something changed that may or may not make them illegal.

use super::random::Rng;

const SUFFIXES: [&str; 5] = ["", "_e32", "_e64", "_dpp", "_e64_dpp"];

const OPERANDS: &[&str] = &[
    "v0",
    "v127",
    "v128",
    "v255",
    "v256",
    "v[0:1]",
    "v[1:2]",
    "v[2:5]",
    "v[4:11]",
    "v[5:4]",
    "v[255:256]",
    "s0",
    "s1",
    "s105",
    "s106",
    "s[0:1]",
    "s[1:2]",
    "s[2:3]",
    "s[4:7]",
    "s[2:5]",
    "s[8:15]",
    "s[104:105]",
    "s[102:105]",
    "vcc",
    "vcc_lo",
    "vcc_hi",
    "m0",
    "exec",
    "exec_lo",
    "exec_hi",
    "null",
    "off",
    "ttmp0",
    "ttmp15",
    "ttmp[0:3]",
    "ttmp16",
    "src_scc",
    "src_vccz",
    "src_execz",
    "src_shared_base",
    "src_private_limit",
    "scc",
    "0",
    "1",
    "64",
    "65",
    "-16",
    "-17",
    "0.5",
    "-4.0",
    "1.0",
    "0.15915494",
    "1.5",
    "-0.5",
    "100",
    "0x1234",
    "0xffff",
    "0xffffffff",
    "0x12345678",
    "0x123456789",
    "-1",
    "-100",
    "-32769",
    "65536",
    "0x3c00",
    "0x3f800000",
    "0x3ff00000",
    "-v1",
    "|v2|",
    "-|v3|",
    "neg(1)",
    "abs(v1)",
    "-s1",
    "|s1|",
    "|1|",
    "-1.0",
    "[v1, v2]",
    "[v1,v2,v3]",
    "attr0.x",
    "attr33.y",
    "mrt0",
    "prim",
    "pos5",
    "lit",
    "",
];

const MODIFIERS: &[&str] = &[
    "glc",
    "slc",
    "dlc",
    "tfe",
    "lwe",
    "offen",
    "idxen",
    "gds",
    "lds",
    "clamp",
    "mul:2",
    "mul:4",
    "mul:3",
    "div:2",
    "div:4",
    "offset:0",
    "offset:4",
    "offset:255",
    "offset:4095",
    "offset:4096",
    "offset:-1",
    "offset:-4096",
    "offset:-4097",
    "offset:65535",
    "offset:65536",
    "offset:0x10",
    "offset0:1",
    "offset0:255",
    "offset0:256",
    "offset1:3",
    "op_sel:[0,0]",
    "op_sel:[1,0]",
    "op_sel:[0,0,1]",
    "op_sel:[1,1,1,1]",
    "op_sel:[0,0,0,1]",
    "op_sel:[0,2]",
    "op_sel_hi:[0,0]",
    "op_sel_hi:[1,1,0]",
    "op_sel_hi:[0,0,0]",
    "neg_lo:[1,0]",
    "neg_lo:[1,1,1]",
    "neg_hi:[0,1]",
    "neg_hi:[1,1,1]",
    "quad_perm:[0,1,2,3]",
    "quad_perm:[3,3,3,4]",
    "quad_perm:[0,1,2]",
    "row_shl:1",
    "row_shl:0",
    "row_shl:16",
    "row_shr:15",
    "row_ror:3",
    "row_mirror",
    "row_half_mirror",
    "row_share:0",
    "row_share:15",
    "row_share:16",
    "row_xmask:7",
    "wave_shl:1",
    "row_bcast:15",
    "row_mask:0x3",
    "row_mask:0x10",
    "bank_mask:0xf",
    "bank_mask:0x1",
    "bound_ctrl:0",
    "bound_ctrl:1",
    "bound_ctrl:2",
    "fi:0",
    "fi:1",
    "fi:2",
    "dpp8:[7,6,5,4,3,2,1,0]",
    "dpp8:[0,1,2,3,4,5,6,8]",
    "dpp8:[0,1,2]",
    "dmask:0x1",
    "dmask:0xf",
    "dmask:3",
    "dim:SQ_RSRC_IMG_1D",
    "dim:2D",
    "dim:SQ_RSRC_IMG_CUBE",
    "dim:4",
    "dim:SQ_RSRC_IMG_2D_MSAA",
    "unorm",
    "r128",
    "a16",
    "d16",
    "da",
    "format:22",
    "format:128",
    "format:[BUF_FMT_32_FLOAT]",
    "format:[BUF_FMT_8_UNORM]",
    "format:[BUF_NUM_FORMAT_FLOAT]",
    "format:[BUF_DATA_FORMAT_32]",
    "format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT]",
    "format:[BUF_NUM_FORMAT_UINT,BUF_DATA_FORMAT_16_16]",
    "done",
    "row_en",
    "vm",
    "compr",
    "wait_vdst:3",
    "wait_vdst:16",
    "wait_exp:7",
    "wait_exp:8",
    "offset:swizzle(SWAP,16)",
    "offset:swizzle(QUAD_PERM,0,1,2,3)",
    "offset:swizzle(BROADCAST,4,1)",
    "offset:swizzle(REVERSE,8)",
    "offset:swizzle(BITMASK_PERM,\"01pip\")",
    "offset:swizzle(SWAP,3)",
    "nv",
    "scc",
    "sc0",
    "nt",
    "neg:[1,0]",
    "sext",
    "dst_sel:DWORD",
    "unknown",
    "th:TH_LOAD_NT",
];

/// A text of the same kind with one or two things changed.
pub fn mutate(rng: &mut Rng, text: &str) -> String {
    let (name, rest) = text.split_once(' ').unwrap_or((text, ""));
    let (mut operands, mut modifiers) = split(rest);
    let mut name = name.to_string();
    for _ in 0..1 + rng.below(2) {
        change(rng, &mut name, &mut operands, &mut modifiers);
    }
    let mut out = format!("{name} {}", operands.join(", "));
    for m in modifiers {
        out += " ";
        out += &m;
    }
    out.trim_end().to_string()
}

fn change(rng: &mut Rng, name: &mut String, operands: &mut Vec<String>, modifiers: &mut Vec<String>) {
    let pick = |rng: &mut Rng, v: &[String]| rng.below(v.len() as u32) as usize;
    match rng.below(12) {
        0..=3 if !operands.is_empty() => {
            let i = pick(rng, operands);
            operands[i] = rng.pick(OPERANDS).to_string();
        }
        4 if operands.len() > 1 => {
            let (i, j) = (pick(rng, operands), pick(rng, operands));
            operands.swap(i, j);
        }
        5 if !operands.is_empty() => {
            let i = pick(rng, operands);
            if rng.chance(50) {
                operands.remove(i);
            } else {
                operands.insert(i, rng.pick(OPERANDS).to_string());
            }
        }
        6 if !modifiers.is_empty() => {
            let i = pick(rng, modifiers);
            modifiers.remove(i);
        }
        7 if !modifiers.is_empty() => {
            let (i, j) = (pick(rng, modifiers), pick(rng, modifiers));
            if rng.chance(60) {
                modifiers.swap(i, j);
            } else {
                modifiers[i] = rng.pick(MODIFIERS).to_string();
            }
        }
        8 => {
            let plain = SUFFIXES[1..]
                .iter()
                .rev()
                .find_map(|s| name.strip_suffix(s))
                .unwrap_or(name);
            *name = format!("{plain}{}", rng.pick(&SUFFIXES));
        }
        _ => {
            let at = rng.below(modifiers.len() as u32 + 1) as usize;
            modifiers.insert(at, rng.pick(MODIFIERS).to_string());
        }
    }
}

/// Operands and modifiers of what follows a mnemonic.
fn split(rest: &str) -> (Vec<String>, Vec<String>) {
    let (mut parts, mut depth, mut quoted) = (vec![String::new()], 0, false);
    for c in rest.chars() {
        match c {
            '"' => quoted = !quoted,
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 && !quoted => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut().unwrap().push(c);
    }
    let mut operands: Vec<String> = parts.iter().map(|p| p.trim().to_string()).collect();
    let last = operands.pop().unwrap_or_default();
    let mut words = words(&last).into_iter();
    operands.extend(words.next());
    (operands, words.collect())
}

/// Words at spaces outside brackets.
fn words(text: &str) -> Vec<String> {
    let (mut out, mut depth) = (vec![String::new()], 0);
    for c in text.chars() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ' ' if depth == 0 => {
                out.push(String::new());
                continue;
            }
            _ => {}
        }
        out.last_mut().unwrap().push(c);
    }
    out.retain(|w| !w.is_empty());
    out
}
