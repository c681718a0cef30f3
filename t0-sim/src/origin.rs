//! Where a stored value comes from: a static backward slice of the kernel's code from a store, as source lines.
//!
//! Problem: the store of a wrong value is rarely its cause. Method: from the registers of the store back over all paths to
//! the instructions that may have written them, and on from what those read: data, the branches that decide whether they
//! run, and through the LDS and private memory every store there. Registers that hold the data, the address, and EXEC with the
//! branches above the store make three lists, nearest lines first.
//!
//! A vector instruction writes the lanes of EXEC only, so one under an inner condition hides an earlier one from uses under
//! that condition, not from those behind it. For that EXEC is followed as a tree of masks: `s_and_saveexec` and its like make
//! a child, and moving the saved mask back leads to the parent.
//!
//! Not followed: global memory (what a load finds there), and into called functions. A list may name a line that is not to
//! blame, as registers are used again for other things where paths part.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use t0_backend_rdna3::isa::{Class, Field, Flags, Inst, Opcode, Operand, Reg, RegFile, Sop1};

use crate::program::{Instr, Program, Src};
use crate::wave::EXEC;

/// Vector registers, scalar registers, SCC: one bit each.
type Regs = [u64; 7];
/// Index of the first scalar register, and of SCC.
const S: usize = 256;
const SCC: usize = 384;
/// Rounds after which the masks of a strange graph are taken as they are.
const ROUNDS: usize = 64;

/// Instructions a store depends on, nearest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slice {
    /// The data.
    pub value: Vec<u32>,
    /// The address.
    pub place: Vec<u32>,
    /// Whether the lane stores at all.
    pub condition: Vec<u32>,
}

/// The analysis of a program.
#[derive(Debug)]
pub(crate) struct Origins<'p> {
    program: &'p Program,
    before: Vec<Vec<usize>>,
    reads: Vec<Regs>,
    writes: Vec<Regs>,
    masks: Masks,
    /// The branches each instruction depends on.
    branches: Vec<Vec<usize>>,
    seen: RefCell<Seen>,
}

/// Registers a walk has looked for at each instruction: those of an older walk count as none.
#[derive(Debug)]
struct Seen {
    at: Vec<(u32, Regs)>,
    walk: u32,
}

impl Seen {
    /// What of `wanted` is new at an instruction, which is noted.
    fn add(&mut self, k: usize, wanted: &Regs) -> Regs {
        let (walk, regs) = &mut self.at[k];
        if *walk != self.walk {
            (*walk, *regs) = (self.walk, [0; 7]);
        }
        let new = without(wanted, regs);
        (0..7).for_each(|w| regs[w] |= new[w]);
        new
    }
}

fn set(r: &mut Regs, k: usize) {
    r[k / 64] |= 1 << (k % 64);
}

fn has(r: &Regs, k: usize) -> bool {
    r[k / 64] >> (k % 64) & 1 == 1
}

fn only(k: usize) -> Regs {
    let mut r = [0; 7];
    set(&mut r, k);
    r
}

fn and(a: &Regs, b: &Regs) -> Regs {
    std::array::from_fn(|k| a[k] & b[k])
}

fn without(a: &Regs, b: &Regs) -> Regs {
    std::array::from_fn(|k| a[k] & !b[k])
}

fn of(v: &[u64; 4], s: &[u64; 2], scc: bool) -> Regs {
    [v[0], v[1], v[2], v[3], s[0], s[1], u64::from(scc)]
}

fn exec() -> Regs {
    let mut r = only(S + EXEC);
    set(&mut r, S + EXEC + 1);
    r
}

/// The instructions that may follow.
fn follow(i: &Instr) -> impl Iterator<Item = usize> + '_ {
    let all = [i.next, i.target].into_iter().filter(|&k| k != u32::MAX);
    all.map(|k| k as usize)
}

impl<'p> Origins<'p> {
    pub fn new(program: &'p Program) -> Origins<'p> {
        let code = &program.code;
        let n = code.len();
        let mut after: Vec<Vec<usize>> = vec![Vec::new(); n];
        let mut before = vec![Vec::new(); n];
        for (k, i) in code.iter().enumerate() {
            let falls = !matches!(i.class, Class::End) && !jumps(i);
            after[k] = follow(i)
                .filter(|&to| to < n && (falls || to == i.target as usize))
                .collect();
            after[k].iter().for_each(|&to| before[to].push(k));
        }
        let scc = |i: &Instr| i.flags.has(Flags::R_SCC) || i.src.contains(&Src::Scc);
        let branches = branches(&after, &before);
        Origins {
            masks: Masks::new(program, &before),
            reads: code.iter().map(|i| of(&i.vread, &i.sread, scc(i))).collect(),
            writes: code
                .iter()
                .map(|i| of(&i.vwrite, &i.swrite, i.flags.has(Flags::W_SCC)))
                .collect(),
            before,
            branches,
            program,
            seen: RefCell::new(Seen {
                at: vec![(0, [0; 7]); n],
                walk: 0,
            }),
        }
    }

    /// What a store (or an atomic) depends on.
    pub fn slice(&self, at: u32) -> Slice {
        let (k, Some(inst)) = (at as usize, self.program.inst(at)) else {
            return Slice::default();
        };
        let (data, address) = operands(inst);
        // What decides about the store decides about all before it that matters.
        let mut above = BTreeSet::new();
        let mut work = self.branches[k].clone();
        while let Some(b) = work.pop() {
            if above.insert(b) {
                work.extend(&self.branches[b]);
            }
        }
        above.extend(self.masks.makers(k));
        let none = BTreeSet::new();
        Slice {
            value: self.closure(k, &[(k, data)], &above),
            place: self.closure(k, &[(k, address)], &above),
            condition: {
                let mut seeds = vec![(k, exec())];
                seeds.extend(self.branches[k].iter().map(|&b| (b, self.reads[b])));
                self.closure(k, &seeds, &none)
            },
        }
    }

    /// Everything that the registers, each read at an instruction, depend on, but for what lies behind `above`.
    fn closure(&self, store: usize, seeds: &[(usize, Regs)], above: &BTreeSet<usize>) -> Vec<u32> {
        let mut work: VecDeque<(usize, Regs)> = seeds.iter().copied().collect();
        let mut known: BTreeMap<usize, Regs> = BTreeMap::new();
        let mut out: Vec<u32> = Vec::new();
        let mut found = BTreeSet::from([store]);
        let mut memory = [false; 2];
        // A branch counts itself.
        out.extend(seeds.iter().filter(|s| found.insert(s.0)).map(|s| s.0 as u32));
        while let Some((k, regs)) = work.pop_front() {
            let old = known.entry(k).or_insert([0; 7]);
            let new = without(&regs, old);
            (0..7).for_each(|w| old[w] |= new[w]);
            let masks = and(&new, &exec()) != [0; 7];
            let makers = self.masks.makers(k).filter(|_| masks);
            let makers = makers.map(|m| (m, without(&self.reads[m], &exec())));
            let writers = self.writers(k, &without(&new, &exec()));
            let writers = writers
                .into_iter()
                .map(|(d, hits, partial)| (d, self.inputs(d, &hits, partial)));
            for (d, inputs) in writers
                .chain(makers)
                .filter(|(d, _)| !above.contains(d))
                .collect::<Vec<_>>()
            {
                work.push_back((d, inputs));
                if !found.insert(d) {
                    continue;
                }
                out.push(d as u32);
                for &b in self.branches[d].iter().filter(|b| !above.contains(b)) {
                    if found.insert(b) {
                        out.push(b as u32);
                    }
                    work.push_back((b, self.reads[b]));
                }
                self.memory(d, &mut memory, &mut found, &mut out, &mut work);
            }
        }
        out
    }

    /// What is loaded from the LDS or from private memory is what some store put there.
    fn memory(
        &self,
        d: usize,
        done: &mut [bool; 2],
        found: &mut BTreeSet<usize>,
        out: &mut Vec<u32>,
        work: &mut VecDeque<(usize, Regs)>,
    ) {
        let code = &self.program.code;
        let Some(space) = space(&code[d]).filter(|_| self.writes[d] != [0; 7]) else {
            return;
        };
        if std::mem::replace(&mut done[space], true) {
            return;
        }
        for (k, i) in code.iter().enumerate() {
            let stores = matches!(
                i.class,
                Class::LdsStore | Class::LdsAtomic | Class::VmemStore | Class::VmemAtomic
            );
            if stores && self::space(i) == Some(space) {
                if found.insert(k) {
                    out.push(k as u32);
                }
                work.push_back((k, without(&self.reads[k], &exec())));
            }
        }
    }

    /// The registers an instruction's results depend on.
    fn inputs(&self, d: usize, hits: &Regs, partial: bool) -> Regs {
        let i = &self.program.code[d];
        let mask = i.class.is_valu() || i.class.is_vmem() || i.class.is_lds();
        match () {
            // The old EXEC, saved.
            () if saves(i) && and(hits, &exec()) == [0; 7] && !has(hits, SCC) => exec(),
            () if mask && !partial => without(&self.reads[d], &exec()),
            () => self.reads[d],
        }
    }

    /// The instructions that may have written registers before instruction `k` reads them, and what of them; true where lanes
    /// may hold something older.
    fn writers(&self, k: usize, regs: &Regs) -> Vec<(usize, Regs, bool)> {
        let mut out = Vec::new();
        let mut seen = self.seen.borrow_mut();
        seen.walk += 1;
        let mut work: Vec<(usize, Regs)> = self.before[k].iter().map(|&p| (p, *regs)).collect();
        while let Some((p, wanted)) = work.pop() {
            let mut new = seen.add(p, &wanted);
            if new == [0; 7] {
                continue;
            }
            let hits = and(&new, &self.writes[p]);
            if hits != [0; 7] {
                let i = &self.program.code[p];
                let lanes = hits[..4] != [0; 4] && has(&self.reads[p], S + EXEC);
                let partial = lanes && i.class != Class::Salu && !self.masks.within(k, p);
                out.push((p, hits, partial));
                if !partial {
                    new = without(&new, &hits);
                }
            }
            work.extend(self.before[p].iter().map(|&q| (q, new)));
        }
        out
    }
}

/// A jump that never falls through.
fn jumps(i: &Instr) -> bool {
    use t0_backend_rdna3::isa::Sopp;
    matches!(i.op, Opcode::Sopp(Sopp::s_branch) | Opcode::Sop1(Sop1::s_setpc_b64))
}

/// 0 for the LDS, 1 for private memory.
fn space(i: &Instr) -> Option<usize> {
    match i.class {
        c if c.is_lds() && c != Class::LdsLane => Some(0),
        c if c.is_vmem() && i.op.row().name.starts_with("scratch_") => Some(1),
        _ => None,
    }
}

/// Whether an instruction writes EXEC and keeps what it was in another register.
fn saves(i: &Instr) -> bool {
    i.op.row().name.contains("saveexec")
}

/// Registers of a store's data and of its address.
fn operands(inst: &Inst) -> (Regs, Regs) {
    let (mut data, mut address) = ([0; 7], [0; 7]);
    for (spec, o) in inst.specs().zip(&inst.operands) {
        let Operand::Reg(Reg { file, index, count, .. }) = *o else {
            continue;
        };
        let to = match spec.field {
            Field::Data0 | Field::Data1 | Field::Vdata => &mut data,
            _ => &mut address,
        };
        let first = match file {
            RegFile::V => index as usize,
            RegFile::S if index + count <= 128 => S + index as usize,
            RegFile::S => continue,
        };
        (first..first + count as usize).for_each(|k| set(to, k));
    }
    (data, address)
}

/// The masks EXEC holds, as a tree by inclusion. Number 0 is that of the wave's start, `k + 1` the one instruction `k` makes,
/// and those from `meets` on are what several paths bring together.
#[derive(Debug)]
struct Masks {
    /// At each instruction; `None` where nothing leads.
    at: Vec<Option<usize>>,
    parent: Vec<usize>,
}

/// What leaves lanes of EXEC on that were, and no others.
const NARROWS: [&str; 4] = ["s_and_b", "s_and_saveexec", "s_and_not1_b", "v_cmpx"];

/// EXEC, and the masks that scalar registers hold.
type Held = (usize, BTreeMap<u16, usize>);

impl Masks {
    fn new(program: &Program, before: &[Vec<usize>]) -> Masks {
        let n = program.code.len();
        let mut m = Masks {
            at: vec![None; n],
            parent: vec![0; 2 * n + 1],
        };
        let mut after: Vec<Option<Held>> = vec![None; n];
        for _ in 0..ROUNDS {
            let mut changed = false;
            for k in 0..n {
                let Some(held) = m.meet(k, program.entry as usize == k, &before[k], &after) else {
                    continue;
                };
                m.at[k] = Some(held.0);
                let new = m.step(&program.code[k], held);
                if after[k].as_ref() != Some(&new) {
                    after[k] = Some(new);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        m
    }

    /// What is held before instruction `k`.
    fn meet(&mut self, k: usize, entry: bool, before: &[usize], after: &[Option<Held>]) -> Option<Held> {
        let meeting = after.len() + 1 + k;
        let start = entry.then(|| (0, BTreeMap::new()));
        let mut all = before.iter().filter_map(|&p| after[p].clone()).chain(start);
        let (mut mask, mut saved) = all.next()?;
        let mut several = self.at[k] == Some(meeting);
        for (other, theirs) in all {
            several |= other != mask;
            mask = self.common(mask, other);
            saved.retain(|r, m| theirs.get(r) == Some(m));
        }
        if !several {
            return Some((mask, saved));
        }
        // The one mask that comes from here itself adds nothing.
        let up = if mask == meeting { self.parent[meeting] } else { mask };
        self.parent[meeting] = up;
        Some((meeting, saved))
    }

    fn step(&mut self, i: &Instr, (mask, mut saved): Held) -> Held {
        let reg = |o: &Src| match o {
            Src::S(r) => Some(*r),
            _ => None,
        };
        let writes = has(&of(&i.vwrite, &i.swrite, false), S + EXEC);
        let exec = |o: &Src| reg(o) == Some(EXEC as u16);
        let name = i.op.row().name;
        let held = i.src.iter().filter_map(reg).find_map(|r| saved.get(&r).copied());
        let of_exec = i.src.iter().any(exec) || i.flags.has(Flags::R_EXEC);
        let own = i.index as usize + 1;
        let new = match () {
            () if !writes => mask,
            () if name.starts_with("s_mov_b") => held.unwrap_or(match i.src[0] {
                Src::K(k) if k as u32 == u32::MAX => 0,
                _ => self.child(own, 0),
            }),
            // Lanes of the saved mask that the current one has not: an `else`.
            () if !exec(&i.src[0]) && (name.starts_with("s_and_not1_b") || name.starts_with("s_xor_b")) => {
                self.child(own, held.unwrap_or(0))
            }
            () if name.starts_with("s_or_b") => match held {
                Some(h) => self.common(h, mask),
                None => self.child(own, 0),
            },
            () if of_exec && NARROWS.iter().any(|n| name.starts_with(n)) => self.child(own, mask),
            () => self.child(own, 0),
        };
        saved.retain(|r, _| !has(&of(&[0; 4], &i.swrite, false), S + usize::from(*r & 127)));
        if let crate::program::Dst::S(d) = i.dst[0] {
            let copies = name.starts_with("s_mov_b") && exec(&i.src[0]);
            if saves(i) || copies && usize::from(d) != EXEC {
                saved.insert(d, mask);
            }
        }
        (new, saved)
    }

    fn child(&mut self, own: usize, of: usize) -> usize {
        self.parent[own] = of;
        own
    }

    /// A mask and those it is part of.
    fn chain(&self, mask: usize) -> impl Iterator<Item = usize> + '_ {
        let up = |m: &usize| (*m != 0).then(|| self.parent[*m]);
        std::iter::successors(Some(mask), up).take(self.parent.len())
    }

    fn common(&self, a: usize, b: usize) -> usize {
        let of_b: BTreeSet<usize> = self.chain(b).collect();
        self.chain(a).find(|m| of_b.contains(m)).unwrap_or(0)
    }

    /// Whether every lane active at instruction `k` was at `p`.
    fn within(&self, k: usize, p: usize) -> bool {
        match (self.at[k], self.at[p]) {
            (Some(a), Some(b)) => self.chain(a).any(|m| m == b),
            _ => true,
        }
    }

    /// The instructions that made the mask at `k` what it is.
    fn makers(&self, k: usize) -> impl Iterator<Item = usize> + '_ {
        let n = self.at.len();
        let chain = self.at[k].into_iter().flat_map(|m| self.chain(m));
        chain.filter(move |m| (1..=n).contains(m)).map(|m| m - 1)
    }
}

/// The branches that decide whether an instruction is reached: from one of their sides it always is, from the other it may
/// not be (control dependence, by postdominators: Ferrante, Ottenstein and Warren, 1987).
fn branches(after: &[Vec<usize>], before: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let n = after.len();
    let above = postdominators(after, before);
    let mut out = vec![Vec::new(); n];
    for (b, sides) in after.iter().enumerate().filter(|(_, s)| s.len() > 1) {
        for &side in sides {
            let mut k = side;
            while k != above[b] && k < n {
                if !out[k].contains(&b) {
                    out[k].push(b);
                }
                k = above[k];
            }
        }
    }
    out
}

/// The nearest instruction that every path from an instruction to the end meets; `n`: none but the end. Cooper, Harvey and
/// Kennedy, "A simple, fast dominance algorithm", on the reversed graph.
fn postdominators(after: &[Vec<usize>], before: &[Vec<usize>]) -> Vec<usize> {
    let n = after.len();
    let ends: Vec<usize> = (0..n).filter(|&k| after[k].is_empty()).collect();
    // Numbers in the order in which a walk from the ends leaves instructions.
    let mut rank = vec![usize::MAX; n + 1];
    let (mut order, mut seen) = (Vec::new(), vec![false; n]);
    for &end in &ends {
        let mut stack = vec![(end, 0)];
        seen[end] = true;
        while let Some((k, next)) = stack.pop() {
            match before[k].get(next) {
                Some(&p) => {
                    stack.push((k, next + 1));
                    if !std::mem::replace(&mut seen[p], true) {
                        stack.push((p, 0));
                    }
                }
                None => {
                    rank[k] = order.len();
                    order.push(k);
                }
            }
        }
    }
    rank[n] = order.len();
    let mut up = vec![usize::MAX; n + 1];
    up[n] = n;
    let mut changed = true;
    while changed {
        changed = false;
        for &k in order.iter().rev() {
            let leads = after[k].iter().copied().chain(after[k].is_empty().then_some(n));
            let mut known = leads.filter(|&s| up[s] != usize::MAX);
            let Some(first) = known.next() else { continue };
            let new = known.fold(first, |a, b| meet(&up, &rank, a, b));
            changed |= std::mem::replace(&mut up[k], new) != new;
        }
    }
    up.iter_mut().for_each(|u| *u = (*u).min(n));
    up
}

fn meet(up: &[usize], rank: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        if rank[a] < rank[b] {
            a = up[a];
        } else {
            b = up[b];
        }
    }
    a
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::program::FETCH;
    use t0_backend_rdna3::isa::{encode, parse};
    use t0_backend_rdna3::target::GFX1100;

    /// The slices of the last instruction but `s_endpgm`, as numbers of lines.
    fn slice(text: &str) -> [Vec<u32>; 3] {
        let encode = |l: &str| encode(&parse(l, &GFX1100).unwrap(), &GFX1100).unwrap();
        let lines: Vec<&str> = text.lines().map(str::trim).chain(["s_endpgm"]).collect();
        let code: Vec<u8> = lines.iter().flat_map(|l| encode(l)).collect();
        let fetch = |at: u64| code.iter().skip(at as usize).take(FETCH).copied().collect();
        let p = Program::decode(&fetch, &GFX1100, 32);
        let s = Origins::new(&p).slice(lines.len() as u32 - 2);
        [s.value, s.place, s.condition]
    }

    #[test]
    fn data_and_address_are_told_apart() {
        let text = "v_lshlrev_b32_e32 v1, 2, v0
            v_mov_b32_e32 v2, 7
            v_mov_b32_e32 v3, 8
            v_add_nc_u32_e32 v2, v2, v2
            global_store_b32 v1, v2, s[4:5]";
        assert_eq!(slice(text), [vec![3, 1], vec![0], vec![]]);
    }

    #[test]
    fn an_inner_condition_hides_nothing_behind_it() {
        let text = "v_mov_b32_e32 v2, 7
            v_mov_b32_e32 v2, 8
            v_cmp_eq_u32_e32 vcc_lo, 1, v0
            s_and_saveexec_b32 s2, vcc_lo
            v_mov_b32_e32 v3, 1
            v_mov_b32_e32 v2, v3
            s_mov_b32 exec_lo, s2
            global_store_b32 v1, v2, s[4:5]";
        // 2 and 3 are the condition of 5; 0 is hidden by 1.
        assert_eq!(slice(text), [vec![5, 1, 4, 3, 2], vec![], vec![]]);
    }

    #[test]
    fn the_condition_of_a_store_is_told_once() {
        let text = "v_cmp_eq_u32_e32 vcc_lo, 1, v0
            s_and_saveexec_b32 s2, vcc_lo
            s_cbranch_execz 3
            v_mov_b32_e32 v2, 8
            global_store_b32 v1, v2, s[4:5]";
        let [value, place, condition] = slice(text);
        assert_eq!((value, place), (vec![3], vec![]));
        assert_eq!(condition, [2, 1, 0]);
    }

    #[test]
    fn loops_bring_their_bounds() {
        // The sum of a loop that runs s3 times.
        let text = "v_mov_b32_e32 v2, 0
            s_mov_b32 s3, 5
            v_add_nc_u32_e32 v2, v2, v0
            s_sub_u32 s3, s3, 1
            s_cmp_lg_u32 s3, 0
            s_cbranch_scc1 65532
            global_store_b32 v1, v2, s[4:5]";
        assert_eq!(slice(text), [vec![2, 5, 0, 4, 3, 1], vec![], vec![]]);
    }

    #[test]
    fn through_the_lds() {
        let text = "v_mov_b32_e32 v3, 9
            ds_store_b32 v0, v3
            s_waitcnt lgkmcnt(0)
            ds_load_b32 v2, v1
            s_waitcnt lgkmcnt(0)
            global_store_b32 v1, v2, s[4:5]";
        assert_eq!(slice(text), [vec![3, 1, 0], vec![], vec![]]);
    }
}
