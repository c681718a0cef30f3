//! Operations that the compiler does in one instruction, on numbers at the edges: the instruction is there, and memory is as the
//! reference interpreter leaves it.

use crate::machine;
use t0_backend_rdna3::target::GFX1100;
use t0_backend_rdna3::{compile, Options};
use t0_ir::interp::{self, Arg, Memory};
use t0_ir::testing::{Case, Rng};
use t0_ir::{text, Const, Scalar};

const LANES: u32 = 256;
const EDGES: [u32; 12] = [
    0,
    1,
    31,
    0x7f,
    0xffff,
    0x00ff_ffff,
    0x0100_0000,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xff80_0000,
    u32::MAX,
];

/// A kernel with x, y, z in `%7`, `%8`, `%9`, uniform p and q, and what `body` makes of them: its name and type.
fn case(body: &str, result: (&str, &str), seed: u64) -> Case {
    let (result, ty) = result;
    let source = format!(
        "
kernel k group {LANES}
param a slice u32 read
param b slice u32 read
param c slice u32 read
param out slice {ty} write
param p u32
param q u32
lds \"part\" 4096 align 4 slots 1
body %a.0:buf<u32>, %b.1:buf<u32>, %c.2:buf<u32>, %out.3:buf<{ty}>, %p.4:u32, %q.5:u32 {{
  %6:u32 = local_id
  %7:u32 = load %a.0, %6
  %8:u32 = load %b.1, %6
  %9:u32 = load %c.2, %6
{body}
  store %out.3, %6, {result}
}}
"
    );
    let func = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
    let mut rng = Rng::new(seed);
    let mut number = |i: usize, every: usize| match (i / every) % (EDGES.len() + 3) {
        k if k < EDGES.len() => EDGES[k],
        _ => rng.bits() as u32,
    };
    let mut memory = Memory::new();
    let mut args = Vec::new();
    for every in [1, 13, 5, 1] {
        let words: Vec<u8> = (0..LANES as usize)
            .flat_map(|i| number(i, every).to_le_bytes())
            .collect();
        let base = memory.alloc(&words);
        args.push(Arg::Slice { base, len: LANES });
    }
    for k in 0..2 {
        let bits = u64::from(number(seed as usize + 7 * k, 1));
        args.push(Arg::Scalar(Const::new(Scalar::U32, bits)));
    }
    Case {
        func,
        args,
        memory,
        groups: [1, 1, 1],
    }
}

/// Checks a body, and that its code has each of these instructions.
fn becomes(body: &str, result: (&str, &str), instructions: &[&str]) {
    for seed in 0..4 {
        let case = case(body, result, seed);
        let options = Options {
            check: true,
            keep_text: true,
            ..Options::default()
        };
        let compiled = compile(&case.func, &GFX1100, &options).unwrap();
        let [_, code] = compiled.mir_text.unwrap();
        for i in instructions {
            assert!(code.contains(i), "no `{i}` for\n{body}\n{code}");
        }
        let mut expected = case.memory.clone();
        interp::run(&case.func, &case.args, &mut expected, case.groups).unwrap();
        let got = machine::run(&case, &compiled.code_object).unwrap();
        case.compare(&expected, &got)
            .unwrap_or_else(|e| panic!("{e}\n{body}\n{code}"));
    }
}

/// Lines `%10`, `%11`, … that define one value each: `type = operation`.
fn lines(of: &[&str]) -> (String, String) {
    let numbered = of.iter().enumerate().map(|(k, l)| format!("  %{}:{l}", 10 + k));
    let last = format!("%{}", 9 + of.len());
    (numbered.collect::<Vec<_>>().join("\n"), last)
}

fn each(cases: &[(&[&str], &str)]) {
    for (of, instruction) in cases {
        let (body, last) = lines(of);
        becomes(&body, (&last, "u32"), &[instruction]);
    }
}

#[test]
fn sums_shifts_and_masks() {
    each(&[
        (&["u32 = add %7, %8", "u32 = add %9, %10"], "v_add3_u32"),
        (
            &["u32 = const 5", "u32 = shl %7, %10", "u32 = add %8, %11"],
            "v_lshl_add_u32",
        ),
        (&["u32 = shl %7, %8", "u32 = add %10, %9"], "v_lshl_add_u32"),
        (&["u32 = add %7, %8", "u32 = shl %10, %9"], "v_add_lshl_u32"),
        (&["u32 = shl %7, %8", "u32 = or %9, %10"], "v_lshl_or_b32"),
        (&["u32 = and %7, %8", "u32 = or %10, %9"], "v_and_or_b32"),
        (&["u32 = or %7, %8", "u32 = or %10, %9"], "v_or3_b32"),
        (&["u32 = xor %7, %8", "u32 = add %10, %9"], "v_xad_u32"),
        // A sum of the SALU goes along.
        (
            &["u32 = const 8", "u32 = shl %p.4, %10", "u32 = add %11, %7"],
            "v_lshl_add_u32",
        ),
    ]);
}

#[test]
fn products_of_24_bits() {
    each(&[
        (
            &[
                "u32 = const 8",
                "u32 = shr %7, %10",
                "u32 = shr %8, %10",
                "u32 = mul %11, %12",
            ],
            "v_mul_u32_u24",
        ),
        (
            &[
                "u32 = const 8",
                "u32 = shr %7, %10",
                "u32 = shr %8, %10",
                "u32 = mul %11, %12",
                "u32 = add %13, %9",
            ],
            "v_mad_u32_u24",
        ),
        (
            &[
                "i32 = bitcast %7",
                "i32 = bitcast %8",
                "u32 = const 8",
                "i32 = shr %10, %12",
                "i32 = shr %11, %12",
                "i32 = mul %13, %14",
                "u32 = bitcast %15",
                "u32 = add %16, %9",
            ],
            "v_mad_i32_i24",
        ),
        // One bit too many.
        (
            &[
                "u32 = const 7",
                "u32 = shr %7, %10",
                "u32 = shr %8, %10",
                "u32 = mul %11, %12",
            ],
            "v_mul_lo_u32",
        ),
    ]);
}

#[test]
fn bit_fields_and_limits() {
    each(&[
        (
            &[
                "u32 = const 7",
                "u32 = const 511",
                "u32 = shr %7, %10",
                "u32 = and %12, %11",
            ],
            "v_bfe_u32",
        ),
        (
            &[
                "u32 = const 4",
                "u32 = const 4095",
                "u32 = and %7, %11",
                "u32 = shr %12, %10",
            ],
            "v_bfe_u32",
        ),
        (
            &[
                "i32 = bitcast %7",
                "u32 = const 8",
                "u32 = const 20",
                "i32 = shl %10, %11",
                "i32 = shr %13, %12",
                "u32 = bitcast %14",
            ],
            "v_bfe_i32",
        ),
        (&["u32 = min %7, %8", "u32 = min %9, %10"], "v_min3_u32"),
        (&["u32 = max %7, %8", "u32 = max %9, %10"], "v_max3_u32"),
        (
            &[
                "u32 = const 100",
                "u32 = const 20",
                "u32 = min %7, %10",
                "u32 = max %12, %11",
            ],
            "v_med3_u32",
        ),
        (
            &[
                "i32 = bitcast %7",
                "i32 = const 100",
                "i32 = const -10",
                "i32 = max %10, %12",
                "i32 = min %13, %11",
                "u32 = bitcast %14",
            ],
            "v_med3_i32",
        ),
        (
            &[
                "i32 = bitcast %7",
                "i32 = bitcast %8",
                "i32 = bitcast %9",
                "i32 = max %10, %11",
                "i32 = max %12, %13",
                "u32 = bitcast %14",
            ],
            "v_max3_i32",
        ),
    ]);
}

#[test]
fn uniform_numbers() {
    each(&[
        (
            &["u32 = const 3", "u32 = shl %p.4, %10", "u32 = add %11, %q.5"],
            "s_lshl3_add_u32",
        ),
        (
            &[
                "u32 = const 5",
                "u32 = const 2047",
                "u32 = shr %p.4, %10",
                "u32 = and %12, %11",
            ],
            "s_bfe_u32",
        ),
        (
            &[
                "u32 = const 65535",
                "u32 = const 16",
                "u32 = and %p.4, %10",
                "u32 = shl %q.5, %11",
                "u32 = or %12, %13",
            ],
            "s_pack_ll_b32_b16",
        ),
    ]);
}

#[test]
fn signs_of_floats() {
    let floats = ["f32 = bitcast %7", "f32 = bitcast %8", "f32 = bitcast %9"];
    let cases: [(&[&str], &str); 6] = [
        (&["f32 = neg %10", "f32 = mul %13, %11"], ", -v"),
        (&["f32 = abs %10", "f32 = add %13, %11"], "|v"),
        (&["f32 = abs %10", "f32 = neg %13", "f32 = mul %14, %11"], "-|v"),
        (&["f32 = neg %12", "f32 = mul_add %10, %11, %13"], ", -v"),
        (&["f32 = neg %10", "f32 = max %13, %11"], "-v"),
        (&["f32 = abs %10", "f32 = floor %13"], "|v"),
    ];
    for (of, instruction) in cases {
        let mut all = floats.to_vec();
        all.extend_from_slice(of);
        let (body, last) = lines(&all);
        becomes(&body, (&last, "f32"), &[instruction]);
    }
}

#[test]
fn addresses() {
    let (mut body, last) = lines(&[
        "u32 = const 2",
        "u32 = shl %6, %10",
        "u32 = const 512",
        "u32 = const 508",
        "u32 = and %11, %13",
        "u32 = add %14, %12",
        "u32 = lds_load[lds 0] %15",
    ]);
    let store = "  %13:u32 = const 508";
    body = body.replace(store, &format!("{store}\n  lds_store[lds 0] %11, %7\n  barrier"));
    becomes(&body, (&last, "u32"), &["offset:512"]);
}
