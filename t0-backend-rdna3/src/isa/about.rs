//! What an instruction does, in a sentence, and which bits of its encoding say what: for people who read listings.
//!
//! The sentences are by the stem of the name (`v_fma_f32` is `fma`), types are told from its end. Semantics are the RDNA3 ISA
//! manual's; the bits are those the encoder uses.

use super::form::{Form, OPCODE_Y};
use super::row::Field;
use super::{Family, Inst, Row};

/// Stems and what they do. The longest stem a name starts with counts.
const STEMS: &[(&str, &str)] = &[
    ("abs", "D = |A|"),
    ("absdiff", "D = |A - B|"),
    ("bcnt0", "D = zeros in A"),
    ("bcnt1", "D = ones in A"),
    ("bitreplicate", "D = every bit of A twice"),
    ("call", "D = address of the next instruction; goes on at the target"),
    ("clz", "D = leading zeros of A"),
    ("cmovk", "if SCC: D = the immediate"),
    ("code_end", "marks the end of the code; is never reached"),
    ("ctz", "D = trailing zeros of A"),
    ("cubeid", "D = the face of a cube map a direction points at"),
    ("cubema", "D = twice the largest coordinate of a direction"),
    ("cubesc", "D = the first coordinate on the face of a cube map"),
    ("cubetc", "D = the second coordinate on the face of a cube map"),
    ("denorm_mode", "sets whether denormals are kept"),
    ("dot2acc", "D = A.x * B.x + A.y * B.y + D"),
    ("icache_inv", "forgets what the instruction cache holds"),
    ("movrelsd", "D = A, both M0 registers further on"),
    (
        "mqsad",
        "D = the differences of four bytes at four places, masked, summed, + C",
    ),
    ("msad", "D = the differences of four bytes, masked, summed, + C"),
    ("mullit", "D = A * B for lighting, with its special cases"),
    ("qsad", "D = the differences of four bytes at four places, summed, + C"),
    ("quadmask", "D = a bit for every four lanes of A"),
    ("round_mode", "sets how floats are rounded"),
    ("sat_pk", "D = both halves of A, cut to bytes"),
    ("sethalt", "halts the wave"),
    ("swaprel", "D and A, both M0 registers further on, are exchanged"),
    ("trig_preop", "D = a piece of 2 / pi for the reduction of large angles"),
    ("wait_idle", "waits until everything in flight is done"),
    ("wakeup", "wakes sleeping waves of the workgroup"),
    ("add", "D = A + B"),
    ("add3", "D = A + B + C"),
    ("add_co_ci", "D = A + B + carry; the carry out goes to the mask"),
    ("add_co", "D = A + B; the carry out goes to the mask"),
    ("add_lshl", "D = (A + B) << C"),
    ("addc", "D = A + B + SCC; SCC = carry out"),
    ("addk", "D = D + immediate"),
    ("alignbit", "D = low dword of {A, B} >> C bits"),
    ("alignbyte", "D = low dword of {A, B} >> C bytes"),
    ("and", "D = A & B, bit by bit"),
    ("and_not1", "D = A & ~B"),
    ("and_or", "D = (A & B) | C"),
    ("and_saveexec", "D = EXEC; EXEC = A & EXEC"),
    ("ashr", "D = A >> B, the sign moves in"),
    ("ashrrev", "D = B >> A, the sign moves in"),
    ("barrier", "waits until all waves of the workgroup stand here"),
    ("bcnt", "D = ones in A, plus B"),
    ("bfe", "D = bits of A: C of them from bit B on"),
    ("bfi", "D = B where A has ones, C where it has zeros"),
    ("bfm", "D = A ones from bit B on"),
    ("bfrev", "D = A with its bits in reverse order"),
    ("bitcmp0", "SCC = bit B of A is 0"),
    ("bitcmp1", "SCC = bit B of A is 1"),
    ("bitset0", "bit A of D = 0"),
    ("bitset1", "bit A of D = 1"),
    ("branch", "goes on at the target"),
    ("brev", "D = A with its bits in reverse order"),
    ("cbranch_execnz", "goes on at the target if any lane is on"),
    ("cbranch_execz", "goes on at the target if no lane is on"),
    ("cbranch_scc0", "goes on at the target if SCC is 0"),
    ("cbranch_scc1", "goes on at the target if SCC is 1"),
    ("cbranch_vccnz", "goes on at the target if VCC is not 0"),
    ("cbranch_vccz", "goes on at the target if VCC is 0"),
    ("ceil", "D = A rounded up to a whole number"),
    (
        "clause",
        "the next instructions of memory are issued together, without others between them",
    ),
    ("cls", "D = leading bits of A that equal its sign, less one"),
    ("clz_i32_u32", "D = leading zeros of A"),
    ("cmov", "if SCC: D = A"),
    ("cmp", "D = the comparison of A and B, a bit for each lane that is on"),
    ("cmpk", "SCC = the comparison of A and the immediate"),
    (
        "cmpx",
        "EXEC = the comparison of A and B, a bit for each lane that is on",
    ),
    ("cndmask", "D = the lane's bit in the mask ? B : A"),
    ("cos", "D = cos(2π A), about 1 ulp of the hardware"),
    ("cselect", "D = SCC ? A : B"),
    ("ctz_i32_b32", "D = trailing zeros of A"),
    (
        "cvt",
        "D = A converted to the type on the left from the type on the right",
    ),
    ("cvt_pk", "D = A and B converted, packed into one register"),
    (
        "delay_alu",
        "tells how far back the results lie that the next instructions need; no effect on results",
    ),
    ("div_fixup", "D = the special cases of a division put right"),
    (
        "div_fmas",
        "D = A * B + C, scaled by the lane's bit in VCC: a step of a division",
    ),
    ("div_scale", "D = A scaled for a division; the mask says where"),
    ("dot2", "D = A.x * B.x + A.y * B.y + C"),
    ("dot2c", "D = A.x * B.x + A.y * B.y + D"),
    ("dot4", "D = the products of four bytes, summed, + C"),
    ("dot8", "D = the products of eight half bytes, summed, + C"),
    ("endpgm", "the wave ends"),
    ("exp", "D = 2 to the power of A"),
    ("ffbh", "D = place of the first one from the top"),
    ("ffbl", "D = place of the first one from the bottom"),
    ("floor", "D = A rounded down to a whole number"),
    ("fma", "D = A * B + C, rounded once"),
    ("fma_mix", "D = A * B + C, each f16 or f32"),
    ("fmaak", "D = A * B + literal"),
    ("fmac", "D = A * B + D, rounded once"),
    ("fmamk", "D = A * literal + B"),
    ("fract", "D = A - floor(A)"),
    ("frexp_exp", "D = the exponent of A"),
    ("frexp_mant", "D = the mantissa of A"),
    ("getpc", "D = address of the next instruction"),
    ("getreg", "D = bits of a hardware register"),
    ("inst_prefetch", "sets how many cache lines of code are fetched ahead"),
    ("ldexp", "D = A * 2 to the power of B"),
    ("lerp", "D = the averages of four bytes"),
    ("log", "D = logarithm of A to base 2"),
    ("lshl", "D = A << B"),
    ("lshl1_add", "D = (A << 1) + B"),
    ("lshl2_add", "D = (A << 2) + B"),
    ("lshl3_add", "D = (A << 3) + B"),
    ("lshl4_add", "D = (A << 4) + B"),
    ("lshl_add", "D = (A << B) + C"),
    ("lshl_or", "D = (A << B) | C"),
    ("lshlrev", "D = B << A"),
    ("lshr", "D = A >> B, zeros move in"),
    ("lshrrev", "D = B >> A, zeros move in"),
    ("mad", "D = A * B + C"),
    ("max", "D = the larger of A and B"),
    ("max3", "D = the largest of A, B and C"),
    ("maxmin", "D = min(max(A, B), C)"),
    ("mbcnt_hi", "D = ones in A below this lane, lanes 32 to 63, plus B"),
    ("mbcnt_lo", "D = ones in A below this lane, lanes 0 to 31, plus B"),
    ("med3", "D = the middle one of A, B and C"),
    ("min", "D = the smaller of A and B"),
    ("min3", "D = the smallest of A, B and C"),
    ("minmax", "D = max(min(A, B), C)"),
    ("mov", "D = A"),
    ("movk", "D = the immediate, its sign extended"),
    ("movreld", "D, M0 registers further on, = A"),
    ("movrels", "D = A, M0 registers further on"),
    ("mul", "D = A * B"),
    ("mul_hi", "D = the upper half of A * B"),
    ("mul_lo", "D = the lower half of A * B"),
    ("mulk", "D = D * immediate"),
    ("nand", "D = ~(A & B)"),
    (
        "nop",
        "does nothing, for as many cycles as the immediate says and one more",
    ),
    ("nor", "D = ~(A | B)"),
    ("not", "D = ~A"),
    ("or", "D = A | B, bit by bit"),
    ("or3", "D = A | B | C"),
    ("or_not1", "D = A | ~B"),
    ("or_saveexec", "D = EXEC; EXEC = A | EXEC"),
    ("pack", "D = a half of A and a half of B"),
    ("perm", "D = four bytes chosen from A and B by the bytes of C"),
    ("permlane16", "D = A of another lane of the same 16, chosen by B and C"),
    ("permlane64", "D = A of the same lane in the other half of a wave64"),
    ("permlanex16", "D = A of a lane of the other 16, chosen by B and C"),
    ("rcp", "D = 1 / A, about 1 ulp"),
    ("readfirstlane", "scalar D = A of the first lane that is on"),
    ("readlane", "scalar D = A of lane B"),
    ("rndne", "D = A rounded to the nearest whole number, ties to even"),
    ("rsq", "D = 1 / square root of A, about 1 ulp"),
    ("sad", "D = |A - B| summed, + C"),
    (
        "sendmsg",
        "sends a message to the hardware; dealloc_vgprs gives the registers back",
    ),
    (
        "set_inst_prefetch_distance",
        "sets how many cache lines of code are fetched ahead",
    ),
    ("setpc", "goes on at the address in A"),
    ("setprio", "sets the wave's priority"),
    ("setreg", "bits of a hardware register = A"),
    ("sext", "D = A with its sign extended"),
    ("sin", "D = sin(2π A), about 1 ulp of the hardware"),
    ("sleep", "sleeps for 64 cycles, as many times as the immediate says"),
    ("sqrt", "D = square root of A, about 1 ulp"),
    ("sub", "D = A - B"),
    ("sub_co", "D = A - B; the borrow goes to the mask"),
    ("sub_co_ci", "D = A - B - borrow; the new borrow goes to the mask"),
    ("subb", "D = A - B - SCC; SCC = borrow"),
    ("subrev", "D = B - A"),
    ("subrev_co", "D = B - A; the borrow goes to the mask"),
    ("swap", "D and A are exchanged"),
    (
        "swappc",
        "D = address of the next instruction; goes on at the address in A",
    ),
    ("trap", "enters the trap handler"),
    ("trunc", "D = A rounded toward zero"),
    (
        "waitcnt",
        "waits until no more operations are in flight than the immediate allows",
    ),
    (
        "waitcnt_depctr",
        "waits for results that are on their way inside the wave",
    ),
    (
        "waitcnt_vscnt",
        "waits until no more stores are in flight than the immediate allows",
    ),
    ("wmma", "D = A * B + C of 16 x 16 matrices, by the whole wave"),
    ("wqm", "D = A with every group of four lanes whole"),
    ("writelane", "D of lane B = A"),
    ("xad", "D = (A ^ B) + C"),
    ("xnor", "D = ~(A ^ B)"),
    ("xor", "D = A ^ B, bit by bit"),
    ("xor3", "D = A ^ B ^ C"),
];

/// Stems of memory, behind `ds_`, `global_`, `buffer_` and so on.
const MEMORY: &[(&str, &str)] = &[
    ("add", "memory += data; D = what was there"),
    ("and", "memory &= data; D = what was there"),
    (
        "atomic",
        "memory is changed in one step; D = what was there if it is asked for",
    ),
    ("buffer_load", "D = what the buffer holds at the offset"),
    ("condxchg32", "exchanges dwords under a condition; D = what was there"),
    (
        "dec",
        "memory counts down to 0 and then starts at data; D = what was there",
    ),
    ("gather4", "D = one channel of the four texels around a place"),
    (
        "inc",
        "memory counts up to data and then starts at 0; D = what was there",
    ),
    (
        "mskor",
        "memory = memory with a mask cleared and data set; D = what was there",
    ),
    ("msaa_load", "D = samples of one texel"),
    ("rsub", "memory = data - memory; D = what was there"),
    ("wrap", "memory counts down and wraps; D = what was there"),
    ("bpermute", "D = data of the lane the address names"),
    ("bvh", "looks for what a ray hits"),
    (
        "cmpstore",
        "memory = data if it holds what is compared; D = what was there",
    ),
    ("consume", "a counter less the lanes that are on"),
    ("append", "a counter plus the lanes that are on"),
    ("gl0_inv", "forgets what the vector L0 cache holds"),
    ("gl1_inv", "forgets what the L1 cache holds"),
    ("load", "D = what memory holds at each lane's address"),
    (
        "load_addtid",
        "D = what memory holds at the base and four bytes for each lane",
    ),
    ("load_tr", "D = memory, transposed among lanes"),
    ("max", "memory = the larger of it and data; D = what was there"),
    ("min", "memory = the smaller of it and data; D = what was there"),
    ("nop", "does nothing"),
    ("or", "memory |= data; D = what was there"),
    ("permute", "sends data to the lane the address names"),
    ("sample", "D = a filtered value of an image"),
    ("store", "memory = data at each lane's address"),
    ("storexchg", "memory = data; D = what was there"),
    ("sub", "memory -= data; D = what was there"),
    ("swizzle", "D = data of another lane, by a fixed pattern"),
    ("xor", "memory ^= data; D = what was there"),
    ("dcache_inv", "forgets what the scalar cache holds"),
    ("icache_inv", "forgets what the instruction cache holds"),
];

/// What an instruction does; `None` for the few nobody has written a sentence for.
pub fn about(row: &Row) -> Option<String> {
    let memory = matches!(
        row.family,
        Family::Ds | Family::Flat | Family::Mubuf | Family::Mtbuf | Family::Mimg | Family::Smem
    );
    let name = row.name;
    let rest = name.split_once('_').map_or(name, |(_, rest)| rest);
    let lanes = ["pk_", "dual_"]
        .iter()
        .find_map(|p| rest.strip_prefix(p).map(|r| (*p, r)));
    let (kind, stem) = lanes.unwrap_or(("", rest));
    let table = if memory { MEMORY } else { STEMS };
    let starts = |s: &&(&str, &str)| {
        stem.strip_prefix(s.0)
            .is_some_and(|r| r.is_empty() || r.starts_with('_') || memory)
    };
    let found = table.iter().filter(starts).max_by_key(|s| s.0.len())?;
    let what = match name.split_once('_')?.0 {
        "s" if !memory && found.0 == "cmp" => "SCC = the comparison of A and B",
        _ => found.1,
    };
    Some(match kind {
        "pk_" => format!("for both halves of the registers: {what}"),
        "dual_" => format!("half of a pair that issues in one cycle: {what}"),
        _ => what.to_owned(),
    })
}

/// A field of an encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitField {
    /// Its name.
    pub name: String,
    /// Its lowest bit; the first dword has bits 0 to 31.
    pub first: u32,
    /// How many bits.
    pub width: u32,
    /// What they hold.
    pub value: u64,
}

/// The fields of an instruction's bytes, from the highest bit down; modifiers are what is left between them.
pub fn bit_fields(inst: &Inst, bytes: &[u8]) -> Vec<BitField> {
    let row = inst.row();
    let Some(form) = Form::of(row, inst.enc) else {
        return Vec::new();
    };
    let size = form.bytes().min(bytes.len());
    let word = bytes[..size].iter().rev().fold(0u64, |w, b| w << 8 | u64::from(*b));
    let (_, prefix_at, op_at, op_width) = form.opcode();
    let mut spans: Vec<(String, u32, u32)> = vec![("encoding".into(), prefix_at, 32 - prefix_at)];
    let mut add = |name: String, at: u32, width: u32| {
        let free = spans.iter().all(|s| at + width <= s.1 || s.1 + s.2 <= at);
        if free && width > 0 && (at + width) as usize <= 8 * size {
            spans.push((name, at, width));
        }
    };
    add("op".into(), op_at, op_width);
    if inst.vopd_y.is_some() {
        add("op y".into(), OPCODE_Y.0, OPCODE_Y.1);
    }
    for field in inst.spec_list().iter().map(|s| s.field) {
        if let Some((at, width)) = form.field(field) {
            add(name_of(field), at, width);
        }
    }
    spans.sort_by_key(|s| s.1);
    let mut out = Vec::new();
    let mut at = 0;
    let cut = |first: u32, width: u32| word >> first & (u64::MAX >> (64 - width));
    for (name, first, width) in spans {
        out.extend((first > at).then(|| rest(at, first - at, cut(at, first - at))));
        out.push(BitField {
            name,
            first,
            width,
            value: cut(first, width),
        });
        at = first + width;
    }
    let end = 8 * size as u32;
    out.extend((end > at).then(|| rest(at, end - at, cut(at, end - at))));
    for (k, dword) in bytes[size..].chunks_exact(4).enumerate() {
        out.push(BitField {
            name: if inst.enc.is_dpp() {
                "dpp".into()
            } else {
                "literal".into()
            },
            first: end + 32 * k as u32,
            width: 32,
            value: dword.iter().rev().fold(0, |w, b| w << 8 | u64::from(*b)),
        });
    }
    out.reverse();
    out
}

fn rest(first: u32, width: u32, value: u64) -> BitField {
    BitField {
        name: "modifiers".into(),
        first,
        width,
        value,
    }
}

fn name_of(field: Field) -> String {
    format!("{field:?}").to_lowercase().replace(['(', ')'], "")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::{decode, Opcode};
    use super::*;
    use crate::target::GFX1100;

    #[test]
    fn nearly_every_compute_instruction_has_a_sentence() {
        let without: Vec<&str> = Opcode::all()
            .filter(|o| about(o.row()).is_none())
            .map(|o| o.name())
            .collect();
        let all = Opcode::all().count();
        assert!(without.len() * 20 < all, "{} of {all}: {without:?}", without.len());
        let of = |name: &str| about(Opcode::from_name(name).unwrap().row()).unwrap();
        assert_eq!(of("v_add_f32"), "D = A + B");
        assert_eq!(of("v_add_lshl_u32"), "D = (A + B) << C");
        assert_eq!(
            of("v_pk_fma_f16"),
            "for both halves of the registers: D = A * B + C, rounded once"
        );
        assert_eq!(of("s_cmp_lg_u32"), "SCC = the comparison of A and B");
        assert_eq!(of("ds_load_b128"), "D = what memory holds at each lane's address");
    }

    #[test]
    fn fields_of_bytes() {
        // v_add_f32 v3, v1, v2: VOP2, op 3, vdst 3, vsrc1 2, src0 256 + 1 (llvm-mc 19: 0x06060501).
        let bytes = 0x0606_0501u32.to_le_bytes();
        let (inst, _) = decode(&bytes, &GFX1100).unwrap();
        let fields = bit_fields(&inst, &bytes);
        let of = |f: &BitField| (f.name.clone(), f.first, f.width, f.value);
        let want = [
            ("encoding", 31, 1, 0),
            ("op", 25, 6, 3),
            ("vdst", 17, 8, 3),
            ("src1", 9, 8, 2),
            ("src0", 0, 9, 257),
        ];
        assert_eq!(
            fields.iter().map(of).collect::<Vec<_>>(),
            want.map(|w| (w.0.to_owned(), w.1, w.2, w.3))
        );
        let total: u32 = fields.iter().map(|f| f.width).sum();
        assert_eq!(total, 32);
    }
}
