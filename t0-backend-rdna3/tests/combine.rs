//! Two instructions become one where that is the same, and stay two where it is not.
#![allow(clippy::unwrap_used)]

use t0_backend_rdna3::isa::{Ds, Enc, Mods, Mubuf, Opcode, Operand, Reg, Sop1, Sop2, Vop1, Vop2, Vop3, Vopc};
use t0_backend_rdna3::mir::{Class, MBlock, MFunc, MInst, MOp, MOperand, Sub};
use t0_backend_rdna3::passes::combine::combine;
use t0_backend_rdna3::passes::legalize::legalize;
use t0_ir::Span;

/// Code in the making, all in one block, with vector registers x, y, z and scalar ones s, t, u that anything may be in.
struct Code {
    m: MFunc,
    insts: Vec<MInst>,
    v: [MOperand; 3],
    s: [MOperand; 3],
}

impl Code {
    fn new() -> Code {
        let mut m = MFunc::default();
        let v = [(); 3].map(|()| m.vreg(Class::V, 1).into());
        let s = [(); 3].map(|()| m.vreg(Class::S, 1).into());
        let insts = Vec::new();
        Code { m, insts, v, s }
    }

    fn write(&mut self, to: MOperand, op: impl Into<Opcode>, sources: &[MOperand]) {
        let op = op.into();
        let operands = [&[to], sources].concat();
        self.insts.push(MInst {
            op: MOp::Isa(op),
            enc: Enc::Natural,
            operands,
            mods: Mods::for_op(op),
            span: Span::default(),
            shared: false,
            atomic: None,
        });
    }

    fn vector(&mut self, op: impl Into<Opcode>, sources: &[MOperand]) -> MOperand {
        let to = self.m.vreg(Class::V, 1).into();
        self.write(to, op, sources);
        to
    }

    fn scalar(&mut self, op: impl Into<Opcode>, sources: &[MOperand]) -> MOperand {
        let to = self.m.vreg(Class::S, 1).into();
        self.write(to, op, sources);
        to
    }

    fn last(&mut self) -> &mut MInst {
        self.insts.last_mut().unwrap()
    }

    /// The names of the instructions after the pass, which the limits of encodings leave alone.
    fn combined(mut self) -> Vec<String> {
        let insts = std::mem::take(&mut self.insts);
        self.m.blocks = vec![MBlock { insts, depth: 0 }];
        self.after()
    }

    fn after(mut self) -> Vec<String> {
        combine(&mut self.m);
        let texts = |m: &MFunc| -> Vec<String> {
            let all = m.blocks.iter().flat_map(|b| &b.insts);
            all.map(ToString::to_string).collect()
        };
        let (after, count) = (texts(&self.m), texts(&self.m).len());
        legalize(&mut self.m);
        assert_eq!(texts(&self.m).len(), count, "{after:?}");
        after
    }
}

fn k(n: u32) -> MOperand {
    Operand::b32(n).into()
}

/// The code that `build` makes becomes these lines, registers left out.
fn becomes(expected: &[&str], build: impl FnOnce(&mut Code)) {
    let mut c = Code::new();
    build(&mut c);
    let got = c.combined();
    let names: Vec<&str> = got.iter().map(|t| t.split(' ').next().unwrap()).collect();
    assert_eq!(names, expected, "{got:?}");
}

fn register(o: MOperand) -> Sub {
    o.virt().unwrap()
}

#[test]
fn operations_of_three_numbers() {
    use Vop2::*;
    for (outer, inner, expected) in [
        (v_add_nc_u32, v_add_nc_u32, "v_add3_u32"),
        (v_add_nc_u32, v_xor_b32, "v_xad_u32"),
        (v_add_nc_u32, v_lshlrev_b32, "v_lshl_add_u32"),
        (v_add_nc_u32, v_mul_u32_u24, "v_mad_u32_u24"),
        (v_add_nc_u32, v_mul_i32_i24, "v_mad_i32_i24"),
        (v_or_b32, v_or_b32, "v_or3_b32"),
        (v_or_b32, v_and_b32, "v_and_or_b32"),
        (v_or_b32, v_lshlrev_b32, "v_lshl_or_b32"),
        (v_min_u32, v_min_u32, "v_min3_u32"),
        (v_max_u32, v_max_u32, "v_max3_u32"),
        (v_min_i32, v_min_i32, "v_min3_i32"),
        (v_max_i32, v_max_i32, "v_max3_i32"),
    ] {
        for swapped in [false, true] {
            becomes(&[expected], |c| {
                let [x, y, z] = c.v;
                let t = c.vector(inner, &[x, y]);
                let mut sources = [t, z];
                if swapped {
                    sources.reverse();
                }
                c.vector(outer, &sources);
            });
        }
        // Another reader keeps the first one.
        becomes(&[inner.row().name, outer.row().name, "v_mov_b32"], |c| {
            let [x, y, z] = c.v;
            let t = c.vector(inner, &[x, y]);
            c.vector(outer, &[t, z]);
            c.vector(Vop1::v_mov_b32, &[t]);
        });
    }
    for (outer, inner) in [
        (v_add_nc_u32, v_or_b32),
        (v_min_u32, v_min_i32),
        (v_add_f32, v_add_f32),
        (v_min_f32, v_min_f32),
    ] {
        becomes(&[inner.row().name, outer.row().name], |c| {
            let [x, y, z] = c.v;
            let t = c.vector(inner, &[x, y]);
            c.vector(outer, &[z, t]);
        });
    }
}

#[test]
fn a_sum_is_shifted_and_no_amount() {
    becomes(&["v_add_lshl_u32"], |c| {
        let [x, y, z] = c.v;
        let sum = c.vector(Vop2::v_add_nc_u32, &[x, y]);
        c.vector(Vop2::v_lshlrev_b32, &[z, sum]);
    });
    becomes(&["v_add_nc_u32", "v_lshlrev_b32"], |c| {
        let [x, y, z] = c.v;
        let sum = c.vector(Vop2::v_add_nc_u32, &[x, y]);
        c.vector(Vop2::v_lshlrev_b32, &[sum, z]);
    });
}

#[test]
fn operands_are_the_same_in_between() {
    let two: &[&str] = &["v_add_nc_u32", "v_mov_b32", "v_add_nc_u32"];
    // A source is written.
    becomes(two, |c| {
        let [x, y, z] = c.v;
        let t = c.vector(Vop2::v_add_nc_u32, &[x, y]);
        c.write(x, Vop1::v_mov_b32, &[k(0)]);
        c.vector(Vop2::v_add_nc_u32, &[t, z]);
    });
    // Something else is.
    becomes(&["v_mov_b32", "v_add3_u32"], |c| {
        let [x, y, z] = c.v;
        let t = c.vector(Vop2::v_add_nc_u32, &[x, y]);
        c.write(z, Vop1::v_mov_b32, &[k(0)]);
        c.vector(Vop2::v_add_nc_u32, &[t, z]);
    });
    // The result is written twice.
    becomes(two, |c| {
        let [x, y, z] = c.v;
        let t = c.vector(Vop2::v_add_nc_u32, &[x, y]);
        c.write(t, Vop1::v_mov_b32, &[k(0)]);
        c.vector(Vop2::v_add_nc_u32, &[t, z]);
    });
    // The result is kept for other lanes.
    becomes(&["v_add_nc_u32", "v_add_nc_u32"], |c| {
        let [x, y, z] = c.v;
        let t = c.vector(Vop2::v_add_nc_u32, &[x, y]);
        c.m.vregs[register(t).reg.0 as usize].sticky = true;
        c.vector(Vop2::v_add_nc_u32, &[t, z]);
    });
    // Other lanes are active.
    becomes(&["v_add_nc_u32", "s_mov_b32", "v_add_nc_u32"], |c| {
        let ([x, y, z], [s, ..]) = (c.v, c.s);
        let t = c.vector(Vop2::v_add_nc_u32, &[x, y]);
        c.write(Reg::EXEC.into(), Sop1::s_mov_b32, &[s]);
        c.vector(Vop2::v_add_nc_u32, &[t, z]);
    });
    // Saturation is no sum modulo 2^32.
    becomes(&["v_add_nc_u32", "v_add_nc_u32"], |c| {
        let [x, y, z] = c.v;
        let t = c.vector(Vop2::v_add_nc_u32, &[x, y]);
        c.last().mods.clamp = true;
        c.vector(Vop2::v_add_nc_u32, &[t, z]);
    });
}

#[test]
fn blocks_keep_to_themselves() {
    let mut c = Code::new();
    let [x, y, z] = c.v;
    let t = c.vector(Vop2::v_add_nc_u32, &[x, y]);
    c.vector(Vop2::v_add_nc_u32, &[t, z]);
    let blocks = std::mem::take(&mut c.insts).into_iter();
    c.m.blocks = blocks
        .map(|i| MBlock {
            insts: vec![i],
            depth: 0,
        })
        .collect();
    assert_eq!(c.after().len(), 2);
}

#[test]
fn one_instruction_reads_so_many_scalars() {
    let sum = |operands: [MOperand; 3], c: &mut Code| {
        let t = c.vector(Vop2::v_add_nc_u32, &operands[..2]);
        c.vector(Vop2::v_add_nc_u32, &[operands[2], t]);
    };
    let (v, s) = (Code::new().v, Code::new().s);
    becomes(&["v_add3_u32"], |c| sum([s[0], v[0], s[1]], c));
    becomes(&["v_add3_u32"], |c| sum([k(1000), v[0], s[1]], c));
    becomes(&["v_add3_u32"], |c| sum([k(1000), v[0], k(1000)], c));
    becomes(&["v_add_nc_u32", "v_add_nc_u32"], |c| sum([k(1000), v[0], k(1001)], c));
    becomes(&["v_add_nc_u32", "v_add_nc_u32"], |c| sum(s, c));
}

#[test]
fn products_below_24_bits() {
    let product = |bits: u32, c: &mut Code| {
        let [x, y, z] = c.v;
        let a = c.vector(Vop2::v_lshrrev_b32, &[k(32 - bits), x]);
        let b = c.vector(Vop2::v_and_b32, &[k((1 << bits) - 1), y]);
        let p = c.vector(Vop3::v_mul_lo_u32, &[a, b]);
        c.vector(Vop2::v_add_nc_u32, &[p, z]);
    };
    becomes(&["v_lshrrev_b32", "v_and_b32", "v_mad_u32_u24"], |c| product(24, c));
    becomes(&["v_lshrrev_b32", "v_and_b32", "v_mul_lo_u32", "v_add_nc_u32"], |c| {
        product(25, c)
    });
    // Signed ones.
    let square = |by: u32, c: &mut Code| {
        let [x, ..] = c.v;
        let a = c.vector(Vop2::v_ashrrev_i32, &[k(by), x]);
        c.vector(Vop3::v_mul_lo_u32, &[a, a]);
    };
    becomes(&["v_ashrrev_i32", "v_mul_i32_i24"], |c| square(8, c));
    becomes(&["v_ashrrev_i32", "v_mul_lo_u32"], |c| square(7, c));
}

#[test]
fn bit_fields() {
    use Vop2::*;
    let two = |inner: Vop2, n: u32, outer: Vop2, m: u32, c: &mut Code| {
        let [x, ..] = c.v;
        let t = c.vector(inner, &[k(n), x]);
        c.vector(outer, &[k(m), t]);
    };
    becomes(&["v_bfe_u32"], |c| two(v_lshrrev_b32, 5, v_and_b32, 31, c));
    becomes(&["v_bfe_u32"], |c| two(v_and_b32, 0x3ff, v_lshrrev_b32, 5, c));
    becomes(&["v_bfe_u32"], |c| two(v_lshlrev_b32, 5, v_lshrrev_b32, 9, c));
    becomes(&["v_bfe_i32"], |c| two(v_lshlrev_b32, 5, v_ashrrev_i32, 9, c));
    // Not ones from the lowest bit on; nothing left; shifted back too little.
    becomes(&["v_lshrrev_b32", "v_and_b32"], |c| {
        two(v_lshrrev_b32, 5, v_and_b32, 30, c)
    });
    becomes(&["v_and_b32", "v_lshrrev_b32"], |c| {
        two(v_and_b32, 31, v_lshrrev_b32, 5, c)
    });
    becomes(&["v_lshlrev_b32", "v_lshrrev_b32"], |c| {
        two(v_lshlrev_b32, 9, v_lshrrev_b32, 5, c)
    });
}

#[test]
fn limits_on_both_sides() {
    use Vop2::*;
    let two = |inner: Vop2, n: i32, outer: Vop2, m: i32, c: &mut Code| {
        let [x, ..] = c.v;
        let t = c.vector(inner, &[k(n as u32), x]);
        c.vector(outer, &[k(m as u32), t]);
    };
    becomes(&["v_med3_u32"], |c| two(v_max_u32, 3, v_min_u32, 9, c));
    becomes(&["v_med3_u32"], |c| two(v_min_u32, 9, v_max_u32, 3, c));
    becomes(&["v_med3_i32"], |c| two(v_max_i32, -3, v_min_i32, 9, c));
    becomes(&["v_med3_i32"], |c| two(v_min_i32, 9, v_max_i32, -3, c));
    // Limits the wrong way round, as signed and as unsigned numbers.
    becomes(&["v_max_i32", "v_min_i32"], |c| two(v_max_i32, 9, v_min_i32, -3, c));
    becomes(&["v_max_u32", "v_min_u32"], |c| two(v_max_u32, -3, v_min_u32, 9, c));
}

#[test]
fn scc_is_whose_it_was() {
    let sum = |by: u32, c: &mut Code| {
        let [s, t, _] = c.s;
        let shifted = c.scalar(Sop2::s_lshl_b32, &[s, k(by)]);
        c.scalar(Sop2::s_add_u32, &[t, shifted]);
    };
    for by in 1..=4 {
        becomes(&[&format!("s_lshl{by}_add_u32")], |c| sum(by, c));
    }
    becomes(&["s_lshl_b32", "s_add_u32"], |c| sum(5, c));
    // The carry is read.
    becomes(&["s_lshl_b32", "s_add_u32", "s_addc_u32"], |c| {
        let [s, t, _] = c.s;
        sum(2, c);
        c.scalar(Sop2::s_addc_u32, &[s, t]);
    });
    // SCC of the shift is read.
    becomes(&["s_lshl_b32", "s_cselect_b32", "v_add_nc_u32"], |c| {
        let ([x, ..], [s, t, u]) = (c.v, c.s);
        let shifted = c.scalar(Sop2::s_lshl_b32, &[s, k(3)]);
        c.scalar(Sop2::s_cselect_b32, &[t, u]);
        c.vector(Vop2::v_add_nc_u32, &[shifted, x]);
    });
    // A bit field leaves SCC as the mask does, halves leave it alone.
    becomes(&["s_bfe_u32", "s_cselect_b32"], |c| {
        let [s, t, u] = c.s;
        let shifted = c.scalar(Sop2::s_lshr_b32, &[s, k(3)]);
        c.scalar(Sop2::s_and_b32, &[shifted, k(7)]);
        c.scalar(Sop2::s_cselect_b32, &[t, u]);
    });
    let halves = |mask: u32, c: &mut Code| {
        let [s, t, _] = c.s;
        let low = c.scalar(Sop2::s_and_b32, &[s, k(mask)]);
        let high = c.scalar(Sop2::s_lshl_b32, &[t, k(16)]);
        c.scalar(Sop2::s_or_b32, &[high, low]);
    };
    becomes(&["s_pack_ll_b32_b16"], |c| halves(0xffff, c));
    becomes(&["s_and_b32", "s_lshl_b32", "s_or_b32"], |c| halves(0x7fff, c));
    becomes(&["s_and_b32", "s_lshl_b32", "s_or_b32", "s_cselect_b32"], |c| {
        let [s, t, _] = c.s;
        halves(0xffff, c);
        c.scalar(Sop2::s_cselect_b32, &[s, t]);
    });
}

#[test]
fn signs_are_modifiers() {
    const SIGN: u32 = 0x8000_0000;
    let one = |first: (Vop2, u32), reader: Opcode, sources: usize| {
        let mut c = Code::new();
        let [x, y, z] = c.v;
        let t = c.vector(first.0, &[k(first.1), x]);
        c.vector(reader, &[[y, t, z], [t, t, t]][usize::from(sources == 1)][..sources]);
        c.combined()
    };
    let mods = |got: Vec<String>| match got.as_slice() {
        [one] => one
            .split_once(" neg:")
            .map_or_else(|| one.split_once(" abs:").unwrap().1.to_string(), |m| m.1.to_string()),
        other => panic!("{other:?}"),
    };
    let (neg, abs) = ((Vop2::v_xor_b32, SIGN), (Vop2::v_and_b32, SIGN - 1));
    assert_eq!(mods(one(neg, Vop2::v_add_f32.into(), 2)), "2");
    assert_eq!(mods(one(abs, Vop3::v_fma_f32.into(), 3)), "2");
    assert_eq!(mods(one(neg, Vop1::v_floor_f32.into(), 1)), "1");
    assert_eq!(mods(one((Vop2::v_xor_b32, 0x8000), Vop2::v_mul_f16.into(), 2)), "2");
    // Another bit, the sign of another width, readers that have no signs.
    for (first, reader) in [
        ((Vop2::v_xor_b32, 0x4000_0000), Vop2::v_add_f32),
        ((Vop2::v_xor_b32, 0x8000), Vop2::v_add_f32),
        (neg, Vop2::v_mul_f16),
        (neg, Vop2::v_sub_nc_u32),
        (abs, Vop2::v_xor_b32),
    ] {
        assert_eq!(one(first, reader.into(), 2).len(), 2);
    }
    // The sign of a number without sign is nothing, that of a sign is none.
    let two = |inner: (Vop2, u32), outer: (Vop2, u32)| {
        let mut c = Code::new();
        let [x, y, _] = c.v;
        let t = c.vector(inner.0, &[k(inner.1), x]);
        let t = c.vector(outer.0, &[k(outer.1), t]);
        c.vector(Vop2::v_mul_f32, &[t, y]);
        c.combined()
    };
    assert!(two(abs, neg)[0].ends_with(" neg:1 abs:1"));
    assert!(two(neg, abs)[0].ends_with(" abs:1") && !two(neg, abs)[0].contains("neg"));
    assert_eq!(two(neg, neg), ["v_mul_f32 %8, %0, %1"]);
}

#[test]
fn addresses_with_a_constant() {
    let load = |bits: u32, by: u32, offset: i32, c: &mut Code| {
        let [x, ..] = c.v;
        let base = c.vector(Vop2::v_lshrrev_b32, &[k(32 - bits), x]);
        let sum = c.vector(Vop2::v_add_nc_u32, &[k(by), base]);
        c.vector(Ds::ds_load_b32, &[sum]);
        c.last().mods.offset = offset;
    };
    becomes(&["v_lshrrev_b32", "ds_load_b32"], |c| load(20, 100, 4, c));
    becomes(&["v_lshrrev_b32", "ds_load_b32"], |c| load(20, 0xfff0, 0xf, c));
    let three: &[&str] = &["v_lshrrev_b32", "v_add_nc_u32", "ds_load_b32"];
    // The field is 16 bits wide.
    becomes(three, |c| load(20, 0xfff0, 0x10, c));
    // The sum may be a small number again: an index below 0.
    becomes(three, |c| load(20, -4i32 as u32, 0, c));
    becomes(&["v_add_nc_u32", "ds_load_b32"], |c| {
        let [x, ..] = c.v;
        let sum = c.vector(Vop2::v_add_nc_u32, &[k(4), x]);
        c.vector(Ds::ds_load_b32, &[sum]);
    });
    let buffer = |by: u32, offset: i32, c: &mut Code| {
        let ([x, ..], srd) = (c.v, c.m.vreg(Class::S, 4));
        let base = c.vector(Vop2::v_and_b32, &[k(0xffff), x]);
        let sum = c.vector(Vop2::v_add_nc_u32, &[k(by), base]);
        c.vector(Mubuf::buffer_load_b32, &[sum, srd.into(), k(0)]);
        c.last().mods.offen = true;
        c.last().mods.offset = offset;
    };
    becomes(&["v_and_b32", "buffer_load_b32"], |c| buffer(4000, 95, c));
    becomes(&["v_and_b32", "v_add_nc_u32", "buffer_load_b32"], |c| {
        buffer(4000, 96, c)
    });
}

#[test]
fn a_comparison_narrows_exec() {
    use {Sop1::s_and_saveexec_b32, Vopc::v_cmp_lt_u32};
    becomes(&["v_cmpx_lt_u32"], |c| {
        let [x, y, _] = c.v;
        let inside = c.scalar(v_cmp_lt_u32, &[x, y]);
        c.scalar(s_and_saveexec_b32, &[inside]);
    });
    // Somebody restores EXEC.
    becomes(&["v_cmp_lt_u32", "s_and_saveexec_b32", "s_mov_b32"], |c| {
        let [x, y, _] = c.v;
        let inside = c.scalar(v_cmp_lt_u32, &[x, y]);
        let saved = c.scalar(s_and_saveexec_b32, &[inside]);
        c.write(Operand::Reg(Reg::EXEC).into(), Sop1::s_mov_b32, &[saved]);
    });
    // SCC tells whether lanes are left.
    becomes(&["v_cmp_lt_u32", "s_and_saveexec_b32", "s_cselect_b32"], |c| {
        let ([x, y, _], [s, t, _]) = (c.v, c.s);
        let inside = c.scalar(v_cmp_lt_u32, &[x, y]);
        c.scalar(s_and_saveexec_b32, &[inside]);
        c.scalar(Sop2::s_cselect_b32, &[s, t]);
    });
    // The mask is read once more.
    becomes(&["v_cmp_lt_u32", "s_and_saveexec_b32", "s_mov_b32"], |c| {
        let [x, y, _] = c.v;
        let inside = c.scalar(v_cmp_lt_u32, &[x, y]);
        c.scalar(s_and_saveexec_b32, &[inside]);
        c.scalar(Sop1::s_mov_b32, &[inside]);
    });
}
