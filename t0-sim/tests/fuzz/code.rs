//! Random straight machine code: what the passes behind selection make of it does the same as the code in the order it stands, every
//! virtual register in a place of its own.
//!
//! The instructions are drawn from the table of the instruction set, all that compute from registers to registers and touch no state but
//! SCC, between the loads and the stores of a kernel that selection made.

use crate::machine;
use crate::seeds;
use t0_backend_rdna3::isa::{Class as Unit, Enc, Family, Flags, Kind, Mods, Opcode, Operand, OperandSpec, Role, Vop2};
use t0_backend_rdna3::mir::{Class, MFunc, MInst, MOp, MOperand, Sub};
use t0_backend_rdna3::object::{self, KernelCode, Resources};
use t0_backend_rdna3::passes::allocate::{allocate, Assignment};
use t0_backend_rdna3::passes::check_allocation::check_allocation;
use t0_backend_rdna3::passes::liveness::liveness;
use t0_backend_rdna3::passes::phys::expand;
use t0_backend_rdna3::passes::{
    combine, encode, fix_hazards, forward_copies, insert_waits, legalize, remove_dead, schedule,
};
use t0_backend_rdna3::select::{select, Entry};
use t0_backend_rdna3::target::GFX1100;
use t0_ir::analysis::uniform::{Uniform, Uniformity};
use t0_ir::interp::{Arg, Memory};
use t0_ir::testing::{Case, Rng};
use t0_ir::{text, Const, Scalar, Span, Value};

const INPUTS: u32 = 6;
const SCALARS: u32 = 4;
const OUTPUTS: u32 = 10;
const LANES: u32 = 64;
/// Instructions drawn for a program.
const LENGTH: usize = 40;

/// A kernel that loads numbers of each lane and of all, and stores some, with a launch of it.
fn frame(rng: &mut Rng) -> Case {
    let mut body = String::from("  %100:u32 = local_id\n");
    let mut next = 101;
    let mut line = |out: &mut String, what: &str| {
        *out += &format!("  %{next}:u32 = {what}\n");
        next += 1;
        next - 1
    };
    let mut values = Vec::new();
    for k in 0..INPUTS {
        let c = line(&mut body, &format!("const {}", k * LANES));
        let at = line(&mut body, &format!("add %100, %{c}"));
        values.push(line(&mut body, &format!("load %x.0, %{at}")));
    }
    let all = (0..SCALARS).map(|k| format!("%s{k}.{}", 2 + k)).collect::<Vec<_>>();
    let each = values.iter().map(|v| format!("%{v}"));
    let sums: Vec<String> = each.chain(all).collect();
    for k in 0..OUTPUTS {
        let c = line(&mut body, &format!("const {}", k * LANES));
        let at = line(&mut body, &format!("add %100, %{c}"));
        body += &format!("  store %y.1, %{at}, {}\n", sums[k as usize % sums.len()]);
    }
    let params: String = (0..SCALARS).map(|k| format!("param s{k} u32\n")).collect();
    let names: String = (0..SCALARS).map(|k| format!(", %s{k}.{}:u32", 2 + k)).collect();
    let source = format!(
        "kernel k group {LANES}\nparam x slice u32 read\nparam y slice u32 write\n{params}body %x.0:buf<u32>, %y.1:buf<u32>{names} {{\n{body}}}\n"
    );
    let func = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
    let mut memory = Memory::new();
    let bytes: Vec<u8> = (0..INPUTS * LANES)
        .flat_map(|_| (word(rng) as u32).to_le_bytes())
        .collect();
    let (x, y) = (
        memory.alloc(&bytes),
        memory.alloc(&vec![0xcd; (4 * OUTPUTS * LANES) as usize]),
    );
    let slice = |base, len| Arg::Slice { base, len };
    let mut args = vec![slice(x, INPUTS * LANES), slice(y, OUTPUTS * LANES)];
    args.extend((0..SCALARS).map(|_| Arg::Scalar(Const::new(Scalar::U32, word(rng)))));
    Case {
        func,
        args,
        memory,
        groups: [1, 1, 1],
    }
}

/// A dword: an integer or a float of either width.
fn word(rng: &mut Rng) -> u64 {
    let half = |rng: &mut Rng| rng.scalar(Scalar::F16).bits;
    match rng.below(3) {
        0 => rng.scalar(Scalar::U32).bits,
        1 => rng.scalar(Scalar::F32).bits,
        _ => half(rng) | half(rng) << 16,
    }
}

fn resources(case: &Case) -> Resources {
    Resources {
        kernarg_bytes: t0_ir::abi::kernarg_bytes(&case.func),
        workgroup_ids: [true, false, false],
        float_mode: object::FloatMode {
            ieee_mode: false,
            ..object::FloatMode::default()
        },
        ..Resources::default()
    }
}

fn selected(case: &Case) -> MFunc {
    let mut func = case.func.clone();
    t0_ir::passes::optimize(&mut func, &t0_ir::passes::PassOptions::default()).unwrap();
    let uniform = Uniform::of(&func);
    let known = (0..func.values.len() as u32)
        .map(|v| uniform.value(Value(v)) <= Uniformity::Wave)
        .collect();
    let sgprs = object::initial_sgprs(&resources(case), &GFX1100).unwrap();
    select(&func, known, &Entry { sgprs }).unwrap()
}

/// Whether an instruction of the table computes from registers to registers.
fn fits(op: Opcode) -> bool {
    let row = op.row();
    let family = matches!(
        row.family,
        Family::Sop1
            | Family::Sop2
            | Family::Sopc
            | Family::Vop1
            | Family::Vop2
            | Family::Vopc
            | Family::Vop3
            | Family::Vop3sd
            | Family::Vop3p
    );
    let unit = matches!(
        row.class,
        Unit::Salu | Unit::Valu | Unit::ValuTrans | Unit::ValuMul | Unit::Valu64 | Unit::ValuF64
    );
    let state = [
        Flags::R_VCC,
        Flags::W_VCC,
        Flags::W_EXEC,
        Flags::R_M0,
        Flags::W_M0,
        Flags::D16,
        Flags::TERMINATOR,
        Flags::MODE,
        Flags::TRUE16,
    ];
    // The VALU reads EXEC as its mask; what reads it as a value is scalar.
    let exec = row.class == Unit::Salu && row.flags.has(Flags::R_EXEC);
    family
        && unit
        && !exec
        && row.feature().is_none()
        && !state.into_iter().any(|f| row.flags.has(f))
        && row.operands.iter().all(|o| class(o).is_some())
        && !row.operands.is_empty()
        // Addresses of code, and a register number as a value.
        && !["pc", "call", "rel", "swap"].iter().any(|n| row.name.contains(n))
}

/// Which registers an operand is.
fn class(spec: &OperandSpec) -> Option<Class> {
    match spec.kind {
        Kind::Vgpr => Some(Class::V),
        Kind::VSrc if spec.role == Role::Src => Some(Class::V),
        Kind::SDst | Kind::SSrc | Kind::SReg | Kind::Mask | Kind::Vcc => Some(Class::S),
        _ => None,
    }
}

struct Program<'a> {
    rng: &'a mut Rng,
    m: MFunc,
    insts: Vec<MInst>,
    /// Registers with a value.
    v: Vec<Sub>,
    s: Vec<Sub>,
}

impl Program<'_> {
    fn push(&mut self, op: MOp, enc: Enc, operands: Vec<MOperand>) {
        let mods = match op {
            MOp::Isa(op) => Mods::for_op(op),
            _ => Mods::default(),
        };
        self.insts.push(MInst {
            op,
            enc,
            operands,
            mods,
            span: Span::default(),
            shared: false,
            atomic: None,
        });
    }

    fn recent(&mut self, class: Class) -> Sub {
        let pool = match class {
            Class::V => &self.v,
            Class::S => &self.s,
        };
        let from = if self.rng.one_in(3) {
            0
        } else {
            pool.len().saturating_sub(8)
        };
        pool[from + self.rng.below(pool.len() - from)]
    }

    /// A register or tuple that holds something.
    fn value(&mut self, class: Class, width: u32) -> Sub {
        if width == 1 {
            return self.recent(class);
        }
        let tuple = self.m.vreg(class, width);
        self.push(MOp::ImplicitDef, Enc::Natural, vec![tuple.into()]);
        for d in 0..width {
            let from = self.recent(class);
            self.push(MOp::Copy, Enc::Natural, vec![tuple.dword(d).into(), from.into()]);
        }
        tuple
    }

    fn source(&mut self, spec: &OperandSpec, literals: bool) -> MOperand {
        let width = spec.bits().div_ceil(32).max(1);
        let own = class(spec).unwrap_or(Class::V);
        let constants = matches!(spec.kind, Kind::VSrc | Kind::SSrc);
        match self.rng.below(8) {
            0 if constants => MOperand::Isa(Operand::Const(128 + self.rng.below(81) as u32)),
            1 if constants && width == 1 && literals => {
                let bits = word(self.rng) as u32;
                MOperand::Isa(Operand::Literal(if spec.bits() == 16 { bits & 0xffff } else { bits }))
            }
            2 if spec.kind == Kind::VSrc => self.value(Class::S, width).into(),
            _ => self.value(own, width).into(),
        }
    }

    fn instruction(&mut self, op: Opcode) {
        let row = op.row();
        let enc = match row.family {
            Family::Vopc => Enc::E64,
            _ if row.operands.iter().any(|o| o.kind == Kind::Vcc) => Enc::E64,
            _ => Enc::Natural,
        };
        let mut results = Vec::new();
        let mut operands = Vec::new();
        for spec in row.operands {
            let (own, width) = (class(spec).unwrap_or(Class::V), spec.bits().div_ceil(32).max(1));
            operands.push(match spec.role {
                // Whether 16 or 32 bits of a mixed source count depends on its modifiers.
                Role::Src => self.source(spec, row.family != Family::Vop3p),
                Role::Dst => {
                    let to = self.m.vreg(own, width);
                    results.push((own, to, spec.bits() == 16));
                    to.into()
                }
                Role::DstSrc => {
                    let (to, from) = (self.m.vreg(own, width), self.value(own, width));
                    self.push(MOp::Copy, Enc::Natural, vec![to.into(), from.into()]);
                    results.push((own, to, spec.bits() == 16));
                    to.into()
                }
            });
        }
        self.push(MOp::Isa(op), enc, operands);
        for (class, to, half) in results {
            if half && class == Class::V {
                // The upper half is that of whatever was in the register.
                let low = self.m.vreg(Class::V, 1);
                let mask = MOperand::Isa(Operand::Literal(0xffff));
                let and = Opcode::from(Vop2::v_and_b32);
                self.push(MOp::Isa(and), Enc::Natural, vec![low.into(), mask, to.into()]);
                self.v.push(low);
                continue;
            }
            let parts = (0..to.count).map(|d| to.dword(d));
            match class {
                Class::V => self.v.extend(parts),
                Class::S => self.s.extend(parts),
            }
        }
    }
}

/// The frame with random instructions between loads and stores, whose results are stored.
fn program(case: &Case, length: usize, skip: &[usize], rng: &mut Rng) -> MFunc {
    let m = selected(case);
    assert_eq!(m.blocks.len(), 1, "the frame is straight");
    let unit = |i: &MInst| i.opcode().map(|o| o.row().class);
    let insts = m.blocks[0].insts.clone();
    let stores = insts.iter().filter(|i| unit(i) == Some(Unit::VmemStore)).count();
    assert_eq!(stores, OUTPUTS as usize);
    let loaded = |class: Unit| {
        let of = insts.iter().filter(move |i| unit(i) == Some(class));
        of.filter_map(|i| i.operands[0].virt())
            .flat_map(|s| (0..s.count).map(move |d| s.dword(d)))
            .collect::<Vec<_>>()
    };
    let mut p = Program {
        v: loaded(Unit::VmemLoad),
        s: loaded(Unit::Smem),
        insts: Vec::new(),
        m,
        rng,
    };
    assert!(p.v.len() >= INPUTS as usize && p.s.len() >= SCALARS as usize);
    let table: Vec<Opcode> = Opcode::all().filter(|&op| fits(op)).collect();
    // SCC is something from here on.
    let compare = table.iter().find(|o| o.row().family == Family::Sopc).copied().unwrap();
    p.instruction(compare);
    for k in 0..length {
        let op = p.rng.pick(&table);
        let before = (p.insts.len(), p.v.len(), p.s.len());
        p.instruction(op);
        if skip.contains(&k) {
            p.insts.truncate(before.0);
            p.v.truncate(before.1);
            p.s.truncate(before.2);
        }
    }
    let mut out = Vec::new();
    let first = insts.iter().position(|i| unit(i) == Some(Unit::VmemStore)).unwrap();
    out.extend(insts[..first].iter().cloned());
    out.append(&mut p.insts);
    let mut rest = insts[first..].to_vec();
    for (k, i) in rest.iter_mut().enumerate() {
        if unit(i) == Some(Unit::VmemStore) {
            // The last results, and a scalar now and then.
            let data = p.v[p.v.len() - 1 - k % p.v.len()];
            i.operands[0] = data.into();
        }
    }
    out.append(&mut rest);
    p.m.blocks[0].insts = out;
    p.m
}

/// Every register in a place of its own; `None` when there are too many.
fn apart(m: &MFunc) -> Option<Assignment> {
    let (mut s, mut v) = (20u32, 8u32);
    let mut base = Vec::new();
    for r in &m.vregs {
        let next = if r.class == Class::S { &mut s } else { &mut v };
        if r.class == Class::S {
            *next = next.next_multiple_of(r.width.next_power_of_two().min(4));
        }
        base.push(*next);
        *next += r.width;
    }
    (s <= GFX1100.max_sgprs && v <= GFX1100.max_vgprs).then_some(Assignment {
        base,
        sgprs: s,
        vgprs: v,
    })
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Way {
    /// In the order it stands, every register in a place of its own.
    Apart,
    /// The same with allocated registers.
    Plain,
    /// All passes.
    Optimised,
}

/// The memory after the program, or why there is none.
fn run(case: &Case, mut m: MFunc, way: Way) -> Result<Option<Memory>, String> {
    if way == Way::Optimised {
        remove_dead::remove_dead(&mut m);
        forward_copies::forward_copies(&mut m);
        combine::combine(&mut m);
    }
    legalize::legalize(&mut m);
    if way == Way::Optimised {
        let live = liveness(&m);
        schedule::schedule(&mut m, &live, [GFX1100.max_sgprs - 10, 200]);
    }
    let assignment = match way {
        Way::Apart => match apart(&m) {
            Some(a) => a,
            None => return Ok(None),
        },
        _ => allocate(&m, &GFX1100).map_err(|e| format!("{e:?}"))?,
    };
    if let Some(w) = check_allocation(&m, &assignment).first() {
        return Err(format!("{} does not find {}", w.inst, w.expected));
    }
    let mut code = expand(&m, &assignment);
    insert_waits::insert_waits(&mut code);
    fix_hazards::fix_hazards(&mut code, &GFX1100);
    let bytes = encode::encode(&code, &GFX1100, &[]).map_err(|e| format!("{e}\n{m}"))?;
    let mut resources = resources(case);
    resources.vgprs = assignment.vgprs;
    resources.sgprs = assignment.sgprs;
    let kernel = KernelCode {
        name: "k".into(),
        code: bytes.bytes,
        resources,
        args: object::args_of(&case.func.params).0,
        lds: Vec::new(),
        max_group_size: LANES,
        required_group_size: Some([LANES, 1, 1]),
        spills: [0, 0],
        lines: Vec::new(),
        atomics: Vec::new(),
        sources: Vec::new(),
    };
    let object = object::write(&GFX1100, &[kernel]).map_err(|e| e.to_string())?;
    machine::run(case, &object)
        .map(Some)
        .map_err(|e| format!("{e}\n{code}"))
}

/// Whether there were registers enough to run the program, or what is wrong.
fn check(seed: u64, length: usize, skip: &[usize]) -> Result<bool, String> {
    let mut rng = Rng::new(seed);
    let case = frame(&mut rng);
    let m = program(&case, length, skip, &mut rng);
    let Some(want) = run(&case, m.clone(), Way::Apart).map_err(|e| format!("Apart: {e}"))? else {
        return Ok(false);
    };
    for way in [Way::Plain, Way::Optimised] {
        let got = run(&case, m.clone(), way).map_err(|e| format!("{way:?}: {e}"))?;
        let same = got.map_or(Ok(()), |got| case.compare(&want, &got));
        same.map_err(|e| format!("{way:?}: {e}\n{m}"))?;
    }
    Ok(true)
}

/// Fewer instructions, as long as it still fails.
fn shrink(seed: u64) -> (usize, Vec<usize>) {
    let (mut length, mut skip) = (LENGTH, Vec::new());
    while length > 0 && check(seed, length - 1, &skip).is_err() {
        length -= 1;
    }
    for k in (0..length).rev() {
        let more = [&skip[..], &[k]].concat();
        if check(seed, length, &more).is_err() {
            skip = more;
        }
    }
    (length, skip)
}

#[test]
fn straight_code_does_the_same_after_the_passes() {
    let (mut all, mut ran) = (0, 0);
    seeds(7_000_000, 120, |seed| {
        all += 1;
        match check(seed, LENGTH, &[]) {
            Ok(enough) => ran += u32::from(enough),
            Err(_) => {
                let (length, skip) = shrink(seed);
                let what = check(seed, length, &skip).err().unwrap_or_default();
                let list = skip.iter().map(|k| format!(" {k}")).collect::<String>();
                panic!("{what}\nto keep it, add to `found/code.txt`: {seed} {length}{list}");
            }
        }
    });
    assert!(2 * ran > all, "{ran} of {all} programs had registers enough");
}

/// Programs that went wrong once: seed, number of instructions drawn, those left out. They are the same as long as `Program` draws the same.
#[test]
fn what_was_found_is_right_now() {
    let text = std::fs::read_to_string(crate::compare::folder().join("code.txt")).unwrap();
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        let n: Vec<u64> = line.split(' ').map(|w| w.parse().unwrap()).collect();
        let skip: Vec<usize> = n[2..].iter().map(|&k| k as usize).collect();
        check(n[0], n[1] as usize, &skip).unwrap_or_else(|e| panic!("{line}: {e}"));
    }
}

#[test]
fn most_of_the_table_takes_part() {
    let names: Vec<&str> = Opcode::all().filter(|&op| fits(op)).map(|op| op.row().name).collect();
    assert!(names.len() > 300, "{} of the table: {names:?}", names.len());
    for name in [
        "v_add3_u32",
        "v_perm_b32",
        "s_addc_u32",
        "v_fma_f32",
        "v_mul_hi_u32",
        "v_cmp_lt_f32",
        "v_pk_fma_f16",
    ] {
        assert!(names.contains(&name), "{name}");
    }
}
