//! The mistakes.
//!
//! Sources: the post-mortem notes of t0-gpu, a project that wrote kernels for the same card, and reports of users of other compilers, by
//! repository and number; what has none is a mistake that the pass could make as easily.

/// A mistake in the source of a pass.
pub struct Mutant {
    pub name: &'static str,
    /// What it stands for.
    pub stands_for: &'static str,
    pub file: &'static str,
    /// What is replaced by what; each stands once in the file.
    pub edits: &'static [(&'static str, &'static str)],
}

const GVN: &str = "t0-ir/src/passes/gvn.rs";
const DCE: &str = "t0-ir/src/passes/dce.rs";
const LICM: &str = "t0-ir/src/passes/licm.rs";
const INTS: &str = "t0-ir/src/passes/simplify/ints.rs";
const UNROLL: &str = "t0-ir/src/passes/unroll.rs";
const BARRIERS: &str = "t0-ir/src/passes/place_barriers.rs";
const SWIZZLE: &str = "t0-ir/src/passes/lower_tiles/swizzle.rs";
const LAYOUT: &str = "t0-ir/src/passes/lower_tiles/layout.rs";
const FETCH: &str = "t0-ir/src/passes/lower_tiles/fetch.rs";
const PIPELINE: &str = "t0-ir/src/passes/pipeline_lds.rs";
const MIR: &str = "t0-backend-rdna3/src/mir.rs";
const WAITS: &str = "t0-backend-rdna3/src/passes/insert_waits.rs";
const HAZARDS: &str = "t0-backend-rdna3/src/passes/fix_hazards.rs";
const ALLOCATE: &str = "t0-backend-rdna3/src/passes/allocate.rs";
const DEPEND: &str = "t0-backend-rdna3/src/passes/depend.rs";
const FORWARD: &str = "t0-backend-rdna3/src/passes/forward_copies.rs";
const DEAD: &str = "t0-backend-rdna3/src/passes/remove_dead.rs";
const COMBINE: &str = "t0-backend-rdna3/src/passes/combine.rs";
const RULES: &str = "t0-backend-rdna3/src/passes/combine/rules.rs";
const RANGES: &str = "t0-backend-rdna3/src/passes/combine/ranges.rs";
const LEGALIZE: &str = "t0-backend-rdna3/src/passes/legalize.rs";
const DIVIDE: &str = "t0-backend-rdna3/src/select/divide.rs";
const ARITH: &str = "t0-backend-rdna3/src/select/arith.rs";
const FLOAT: &str = "t0-backend-rdna3/src/select/float.rs";

macro_rules! mutants {
    ($($name:literal, $why:literal, $file:ident, [$($from:literal => $to:literal),+ $(,)?];)*) => {
        pub const MUTANTS: &[Mutant] = &[$(Mutant {
            name: $name, stands_for: $why, file: $file, edits: &[$(($from, $to)),+],
        }),*];
    };
}

#[rustfmt::skip]
mutants! {
    // ---- numbering of values ---------------------------------------------------------------------------------------
    "gvn: constants are no part of the key", "t0-gpu: x + 64 merged with x + 128", GVN, [
        "key.kind.hash(&mut h);" => "std::mem::discriminant(&key.kind).hash(&mut h);",
        "None => a.kind == b.kind && a.args == b.args" => "None => std::mem::discriminant(&a.kind) == std::mem::discriminant(&b.kind) && a.args == b.args",
    ];
    "gvn: operands are no part of the key", "t0-gpu: a key for `not known`", GVN, [
        "args.iter().for_each(|a| h.write_u32(a.0));" => "args.iter().take(1).for_each(|a| h.write_u32(a.0));",
        "None => a.kind == b.kind && a.args == b.args" => "None => a.kind == b.kind && a.args.first() == b.args.first()",
    ];
    // That barriers alone begin no new epoch would change no kernel without races: what another wave stores between two loads is a
    // store in the text between them, too. Loads without epochs are t0-gpu's table that barriers do not clear.
    "gvn: LDS is never written", "t0-gpu: a table that barriers keep", GVN, [
        "=> self.memory.epoch(lds(id))," => "=> 0 * self.memory.epoch(lds(id)),",
    ];
    "gvn: stores to LDS change nothing", "t0-gpu: passes that do not see stores", GVN, [
        "| OpKind::TileCommit { lds: id, .. } => lds(id)," => "| OpKind::TileCommit { lds: id, .. } => lds(id) & 0,",
    ];
    "gvn: what one side of an `if` computes", "uses that no definition dominates", GVN, [
        "            self.table.leave(keep);\n" => "",
    ];
    "gvn: comparisons the other way round", "t0-gpu: `<` turned into `>`", GVN, [
        "let pred = if a < b { *pred } else { pred.swapped() };" => "let pred = *pred;",
    ];
    // ---- dead code -------------------------------------------------------------------------------------------------
    "dce: carried values that only the loop reads", "t0-gpu: pointer increments removed", DCE, [
        "self.live.is(op.results[i]) || op.regions.iter().any(|r| self.live.is(r.args[first + i]))" =>
            "{ let _ = first; self.live.is(op.results[i]) }",
    ];
    "dce: stores without effect", "t0-gpu: stores removed", DCE, [
        "if o.kind.row().effect == Effect::Write || o.kind == OpKind::While {" =>
            "if (o.kind.row().effect == Effect::Write && o.kind != OpKind::Store) || o.kind == OpKind::While {",
    ];
    "dce: the other side of an `if`", "uses that no definition dominates", DCE, [
        "for r in &op.regions {\n                    self.need(terminator(func, r)[site.at]);" =>
            "for r in op.regions.iter().take(1) {\n                    self.need(terminator(func, r)[site.at]);",
    ];
    // ---- loops -----------------------------------------------------------------------------------------------------
    "licm: loads of what the loop writes", "t0-gpu: hoisting of what varies", LICM, [
        "let movable = row.effect == Effect::Pure" => "let movable = row.effect != Effect::Write",
    ];
    "licm: operations that ask other lanes", "hoisting out of where all lanes are", LICM, [
        " && row.convergent == Convergent::No;" => ";\n            let _ = Convergent::No;",
    ];
    "unroll: the step is one", "t0-gpu: counters kept in copies", UNROLL, [
        "i128::from(n) * step" => "i128::from(n) * step.signum()",
    ];
    // ---- arithmetic ------------------------------------------------------------------------------------------------
    "simplify: shifts by the width", "ROCm/TheRock#7751", INTS, [
        "if sum >= bits {" => "if sum > bits {",
    ];
    "simplify: the wave's number is the lane's", "t0-gpu: wrong partner", INTS, [
        "shift(r, OpKind::Shr, wave, n as u32 - 5, Ty::U32)" => "shift(r, OpKind::Shr, wave, n as u32 - 4, Ty::U32)",
    ];
    "simplify: the remainder of a power of two", "t0-gpu: shift and mask for 48", INTS, [
        "OpKind::Rem if !scalar.is_signed() && c.bits.is_power_of_two() => {" => "OpKind::Rem if !scalar.is_signed() => {",
    ];
    "select: a factor that is one too small", "llvm/llvm-project#194829", DIVIDE, [
        "let factor = power.div_ceil(d);" => "let factor = power.div_ceil(d).max(2) - 1;",
    ];
    "select: signed quotients round down", "ROCm/ROCm#5142", DIVIDE, [
        "(power > u128::from(most) * rest)" => "(power > u128::from(most >> 4) * rest)",
    ];
    "select: one Newton step too few", "llvm/llvm-project#194829", ARITH, [
        "self.v(Vop2::v_mul_f32, &[0x4f7f_fffe.into(), f.into()])" => "self.v(Vop2::v_mul_f32, &[0x4f7f_0000.into(), f.into()])",
    ];
    "select: bf16 is cut off", "triton-lang/triton#11217", FLOAT, [
        "&[x, odd.into(), 0x7fff.into()]" => "&[x, odd.into(), 0.into()]",
    ];
    "select: halves the wrong way round", "llvm/llvm-project#112941", ARITH, [
        "&[second, first, 0x0504_0100.into()]" => "&[first, second, 0x0504_0100.into()]",
    ];
    // ---- tiles -----------------------------------------------------------------------------------------------------
    "tiles: no barrier before tiles are read", "t0-gpu: passes that do not see barriers", BARRIERS, [
        "a.lds == b.lds && a.write != b.write" => "a.lds == b.lds && a.write && !b.write",
    ];
    "tiles: no barrier before tiles are written", "ROCm/rocm-libraries#10893", BARRIERS, [
        "a.lds == b.lds && a.write != b.write" => "a.lds == b.lds && !a.write && b.write",
    ];
    "tiles: columns that are whole chunks by half", "t0-gpu: swizzle wrong for k above 16", SWIZZLE, [
        "OpKind::Add | OpKind::Sub => known(0) && known(1)," => "OpKind::Add | OpKind::Sub => known(0) || known(1),",
    ];
    "tiles: the turn of a row is another", "t0-gpu: swizzle on one side", FETCH, [
        "let turn = swizzle.turn(b, own);" => "let own = b.add_const(own, 1);\n            let turn = swizzle.turn(b, own);",
    ];
    "tiles: the last chunks are left out", "t0-gpu: half of a tile loaded", LAYOUT, [
        "(rows * per_row).div_ceil(group)" => "((rows * per_row) / group).max(1)",
    ];
    "tiles: rows in powers of two only", "t0-gpu: tile_k 48", FETCH, [
        "b.div_rem(id, l.per_row, l.group * l.per_lane)" => "b.div_rem(id, l.per_row.next_power_of_two(), l.group * l.per_lane)",
    ];
    "tiles: buffers that do not turn", "t0-gpu: the double buffer", PIPELINE, [
        "let slot = (p + plan.in_flight()) % plan.stages;" => "let slot = plan.in_flight() % plan.stages;",
    ];
    // ---- machine code ----------------------------------------------------------------------------------------------
    "waits: paths that join take the later one", "stores between counted reads", WAITS, [
        "mine.is_none_or(|m| t < m)" => "mine.is_none_or(|m| t > m)",
    ];
    "waits: scalar loads come in order", "mesa README-ISA", WAITS, [
        "if self.smem { 0 } else { age }" => "age",
    ];
    "waits: registers that are written are free", "t0-gpu: registers read before they are there", WAITS, [
        "i.inst.each_write(WAVE_SIZE, &mut touch);" => "",
    ];
    "hazards: none", "llvm/llvm-project#76143", HAZARDS, [
        "for _ in 0..4 {" => "for _ in 0..0 {",
    ];
    "allocate: products write over their operands", "tinygrad, tilelang#2044", MIR, [
        "out[1].late = true;" => "",
    ];
    "allocate: multiply-adds write over their addend", "llvm/llvm-project#57610", MIR, [
        "out.iter_mut().filter(|a| !a.def).for_each(|a| a.late = true);" => "",
    ];
    "allocate: lives that touch", "t0-gpu: registers reused early", ALLOCATE, [
        "if a[i].start < b[j].end && b[j].start < a[i].end {" => "if a[i].start + 2 < b[j].end && b[j].start < a[i].end {",
    ];
    "allocate: parts of a group joined", "t0-gpu: groups of eight registers", ALLOCATE, [
        "&& m.is_whole(to) && m.is_whole(from);" => ";",
    ];
    "schedule: SCC is no register", "t0-gpu: comparisons never kept", DEPEND, [
        "(Flags::R_SCC, Flags::W_SCC, Reg::SCC)," => "(Flags::R_M0, Flags::W_M0, Reg::M0),",
    ];
    "schedule: registers are written before they are read", "t0-gpu: scheduling that ignores a dependence", DEPEND, [
        "if by != k {" => "if by == k {",
    ];
    "schedule: loads from LDS before the stores", "t0-gpu: the same, moved", DEPEND, [
        "writes.push(LDS);" => "reads.push(LDS);",
    ];
    "schedule: barriers move", "t0-gpu: passes that do not see barriers", DEPEND, [
        "=> writes.extend([WORLD, GLOBAL, LDS])," => "=> writes.extend([WORLD, GLOBAL]),",
    ];
    "copies: across other uses", "t0-gpu: copy propagation", FORWARD, [
        "if between[after..].iter().any(|i| touches(i, to))" => "if false",
    ];
    "copies: across changes of EXEC", "lanes that keep their value", FORWARD, [
        "|| between.iter().any(writes_exec)" => "|| (between.iter().any(writes_exec) && false)",
    ];
    "dead: comparisons whose SCC is read", "t0-gpu: comparisons removed", DEAD, [
        "&& !(scc && flags.has(Flags::W_SCC))" => "&& !(scc && flags.has(Flags::W_M0))",
    ];
    "combine: SCC that is read", "mesa README-ISA", COMBINE, [
        "&& !self.scc[def];" => ";",
    ];
    "combine: registers written between", "t0-gpu: copy propagation", COMBINE, [
        "MOperand::Virt(s) => !self.written_between(s.reg, def, at)," => "MOperand::Virt(_) => true,",
    ];
    "combine: values with other uses", "t0-gpu: self-updates removed", COMBINE, [
        "&& self.uses[r.0 as usize] == 1;" => "&& self.uses[r.0 as usize] >= 1;",
    ];
    "combine: products of 25 bits", "llvm/llvm-project#194829", RULES, [
        "x.fits_unsigned(24) && y.fits_unsigned(24)" => "x.fits_unsigned(25) && y.fits_unsigned(25)",
    ];
    "combine: limits in the wrong order", "wrong values at the edges", RULES, [
        "ordered.then_some(())?;" => "let _ = ordered;",
    ];
    "combine: offsets that carry", "llvm/llvm-project#70634", RULES, [
        "(exact && vector).then_some(())?;" => "let _ = exact;\n    vector.then_some(())?;",
    ];
    "combine: signs of the wrong operand", "modifiers of another operand", RULES, [
        "inst.mods.neg ^= 1 << bit" => "inst.mods.neg |= 1 << bit",
    ];
    "combine: shifts of a full width", "ROCm/TheRock#7751", RULES, [
        "(And, Shr) => (inner_by & 31, ones(by)?, false)," => "(And, Shr) => (inner_by, ones(by)?, false),",
    ];
    "ranges: numbers that wrap", "cubecl#457", RANGES, [
        "match low >= i64::from(i32::MIN) && high <= ANY.high && high - low < ANY.high {" => "match low >= i64::from(i32::MIN) {",
    ];
    "legalize: differences the wrong way round", "t0-gpu: an immediate on the wrong side", LEGALIZE, [
        "Opcode::Vop2(Vop2::v_sub_nc_u32) => Vop2::v_subrev_nc_u32.into()," => "Opcode::Vop2(Vop2::v_sub_nc_u32) => Vop2::v_sub_nc_u32.into(),",
    ];
}
