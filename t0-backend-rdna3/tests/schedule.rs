//! The scheduler keeps the order of whatever touches the same register or memory, brings loads forward and keeps within its limits.
#![allow(clippy::unwrap_used)]

mod common;

use common::random;
use t0_backend_rdna3::isa::{Class as Unit, Ds, Enc, Flags, Mods, Mubuf, Opcode, Operand, Reg, Sop2, Sopc, Vop2};
use t0_backend_rdna3::mir::{Class, MBlock, MFunc, MInst, MOp, MOperand, Sub};
use t0_backend_rdna3::passes::allocate::allocate;
use t0_backend_rdna3::passes::check_allocation::check_allocation;
use t0_backend_rdna3::passes::liveness::liveness;
use t0_backend_rdna3::passes::schedule::{peak, schedule};
use t0_backend_rdna3::target::GFX1100;
use t0_ir::Span;

fn scheduled(m: &mut MFunc, limits: [u32; 2]) {
    let live = liveness(m);
    schedule(m, &live, limits);
}

const ROOM: [u32; 2] = [96, 250];

/// What an instruction touches, as one reads it off the page: (what, dword, writes).
fn touches(i: &MInst) -> Vec<(String, u32, bool)> {
    let mut all = Vec::new();
    for (a, o) in i.accesses().iter().zip(&i.operands) {
        let (name, from, count) = match o {
            MOperand::Virt(s) => (format!("%{}", s.reg.0), s.at, s.count),
            MOperand::Isa(Operand::Reg(r)) if !r.is_null() => (format!("{:?}", r.file), r.index, r.count),
            _ => continue,
        };
        all.extend((from..from + count).map(|d| (name.clone(), d, a.def)));
    }
    let Some(op) = i.opcode() else { return all };
    let row = op.row();
    for (read, write, name) in [
        (Flags::R_SCC, Flags::W_SCC, "scc"),
        (Flags::R_VCC, Flags::W_VCC, "vcc"),
        (Flags::R_EXEC, Flags::W_EXEC, "exec"),
    ] {
        if row.flags.has(read) || row.flags.has(write) {
            all.push((name.into(), 0, row.flags.has(write)));
        }
    }
    let memory = match row.class {
        Unit::VmemLoad => i.shared.then_some(("global", false)),
        Unit::VmemStore | Unit::VmemAtomic => Some(("global", true)),
        Unit::LdsLoad => Some(("lds", false)),
        Unit::LdsStore | Unit::LdsAtomic => Some(("lds", true)),
        _ => None,
    };
    all.extend(memory.map(|(name, write)| (name.to_string(), 0, write)));
    if row.class == Unit::Barrier {
        all.extend(["global", "lds"].map(|name| (name.to_string(), 0, true)));
    }
    all
}

fn in_order(a: &MInst, b: &MInst) -> bool {
    let (a, b) = (touches(a), touches(b));
    a.iter()
        .any(|x| b.iter().any(|y| (&x.0, x.1) == (&y.0, y.1) && (x.2 || y.2)))
}

#[test]
fn what_touches_the_same_stays_in_order() {
    let mut moved = 0;
    for seed in 0..40 {
        let mut m = random(seed);
        // A number in the place of the source line tells equal instructions apart.
        for (n, i) in m.blocks.iter_mut().flat_map(|b| &mut b.insts).enumerate() {
            i.span.line = n as u32;
        }
        let before = m.clone();
        scheduled(&mut m, if seed % 2 == 0 { ROOM } else { [20, 12] });
        for (old, new) in before.blocks.iter().zip(&m.blocks) {
            let place = |line: u32| new.insts.iter().position(|i| i.span.line == line).unwrap();
            assert_eq!(old.insts.len(), new.insts.len(), "seed {seed}");
            let places: Vec<usize> = old.insts.iter().map(|i| place(i.span.line)).collect();
            moved += places.windows(2).filter(|w| w[0] > w[1]).count();
            for (k, a) in old.insts.iter().enumerate() {
                for (l, b) in old.insts.iter().enumerate().skip(k + 1).filter(|(_, b)| in_order(a, b)) {
                    assert!(places[k] < places[l], "seed {seed}: `{a}` and `{b}`\n{before}\n{m}");
                }
            }
        }
        let a = allocate(&m, &GFX1100).unwrap();
        assert_eq!(check_allocation(&m, &a), vec![], "seed {seed}");
    }
    assert!(moved > 100, "only {moved} instructions moved");
}

/// A block in the making.
#[derive(Default)]
struct Block {
    m: MFunc,
    insts: Vec<MInst>,
}

impl Block {
    fn reg(&mut self, class: Class, width: u32) -> Sub {
        self.m.vreg(class, width)
    }

    fn inst(&mut self, op: impl Into<Opcode>, operands: &[MOperand]) {
        let op = op.into();
        self.push(MOp::Isa(op), Mods::for_op(op), operands);
    }

    fn push(&mut self, op: MOp, mods: Mods, operands: &[MOperand]) {
        self.insts.push(MInst {
            op,
            enc: Enc::Natural,
            operands: operands.to_vec(),
            mods,
            span: Span::default(),
            shared: false,
            atomic: None,
        });
    }

    fn scheduled(mut self, limits: [u32; 2]) -> Vec<String> {
        let insts = std::mem::take(&mut self.insts);
        self.m.blocks = vec![MBlock { insts, depth: 0 }];
        scheduled(&mut self.m, limits);
        self.m.blocks[0].insts.iter().map(|i| i.to_string()).collect()
    }
}

fn zero() -> MOperand {
    MOperand::Isa(Operand::int(0))
}

#[test]
fn loads_come_first() {
    let mut b = Block::default();
    let srd = b.reg(Class::S, 4);
    let address = b.reg(Class::V, 1);
    let mut sums = Vec::new();
    for _ in 0..3 {
        let (x, y) = (b.reg(Class::V, 1), b.reg(Class::V, 1));
        b.inst(Mubuf::buffer_load_b32, &[x.into(), address.into(), srd.into(), zero()]);
        b.inst(Vop2::v_add_f32, &[y.into(), x.into(), x.into()]);
        sums.push(y);
    }
    for y in sums {
        b.inst(Mubuf::buffer_store_b32, &[y.into(), address.into(), srd.into(), zero()]);
    }
    let order: Vec<String> = b.scheduled(ROOM).iter().map(|t| t[..10].to_string()).collect();
    assert_eq!(order[..4], ["buffer_loa", "buffer_loa", "buffer_loa", "v_add_f32 "]);
}

#[test]
fn scc_reaches_its_reader() {
    let mut b = Block::default();
    let all: Vec<Sub> = (0..6).map(|_| b.reg(Class::S, 1)).collect();
    let n: Vec<MOperand> = all.iter().map(|&s| s.into()).collect();
    b.inst(Sopc::s_cmp_lt_u32, &[n[0], n[1]]);
    b.inst(Sop2::s_cselect_b32, &[n[2], n[0], n[1]]);
    b.inst(Sop2::s_add_u32, &[n[3], n[0], n[1]]);
    b.inst(Sop2::s_addc_u32, &[n[4], n[0], n[1]]);
    b.inst(Sop2::s_mul_i32, &[n[5], n[0], n[1]]);
    let order = b.scheduled(ROOM);
    let at = |name: &str| order.iter().position(|t| t.starts_with(name)).unwrap();
    assert!(at("s_cmp_lt") < at("s_cselect") && at("s_cselect") < at("s_add_u32"));
    assert!(at("s_add_u32") < at("s_addc_u32"));
}

/// Ten products of what is loaded from LDS: with room all loads come first, without it they alternate.
fn products(limits: [u32; 2]) -> (Vec<String>, u32) {
    let mut b = Block::default();
    let (address, sum) = (b.reg(Class::V, 1), b.reg(Class::V, 1));
    for _ in 0..10 {
        let x = b.reg(Class::V, 4);
        b.push(MOp::ImplicitDef, Mods::default(), &[x.into()]);
        for part in [0, 2] {
            b.inst(Ds::ds_load_b64, &[x.slice(part, 2).into(), address.into()]);
        }
        for d in 0..4 {
            b.inst(Vop2::v_add_f32, &[sum.into(), x.dword(d).into(), sum.into()]);
        }
    }
    let insts = std::mem::take(&mut b.insts);
    b.m.blocks = vec![MBlock { insts, depth: 0 }];
    scheduled(&mut b.m, limits);
    let texts = b.m.blocks[0].insts.iter().map(|i| i.to_string()).collect();
    (texts, peak(&b.m, &liveness(&b.m))[1])
}

#[test]
fn registers_limit_what_is_in_flight() {
    let (wide, most) = products(ROOM);
    assert_eq!(most, 42);
    let first_sum = wide.iter().position(|t| t.starts_with("v_add")).unwrap();
    assert_eq!(
        wide[..first_sum].iter().filter(|t| t.starts_with("ds_load")).count(),
        20
    );
    let (narrow, most) = products([96, 14]);
    assert!((10..=14).contains(&most), "{most}");
    // An IMPLICIT_DEF stands before the first part of its register.
    for texts in [wide, narrow] {
        for (k, t) in texts.iter().enumerate().filter(|(_, t)| t.starts_with("IMPLICIT")) {
            let register = t.split([' ', '[']).nth(1).unwrap();
            assert!(
                texts[k + 1].starts_with(&format!("ds_load_b64 {register}[")),
                "{texts:?}"
            );
        }
    }
}

#[test]
fn constant_registers_are_no_dependence() {
    // NULL swallows what is written and reads 0.
    let null: MOperand = Reg::NULL.into();
    let mut b = Block::default();
    let s = b.reg(Class::S, 1);
    b.inst(Sop2::s_mul_i32, &[null, s.into(), s.into()]);
    b.inst(Sop2::s_mul_i32, &[s.into(), null, null]);
    assert_eq!(b.scheduled(ROOM).len(), 2);
}
