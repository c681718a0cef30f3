//! Which values leave the registers.

use super::{covers, Home, Scene, Touch};
use crate::isa::{Class as Unit, Enc, Flags, Operand, Ty};
use crate::mir::{Class, MInst, MOp, MOperand, VReg};
use std::collections::BTreeSet;

/// What leaves, and what is alive of the rest.
pub(super) struct Chosen {
    /// By group.
    pub homes: Vec<Option<Home>>,
    /// Dwords of the others alive at each position.
    pub fixed: Vec<i64>,
}

/// Cost of a scratch load of up to four dwords, a store, and an instruction that makes a dword again, or moves it to
/// or from a lane: about the instructions that a wave could issue instead.
const LOAD: u64 = 6;
const STORE: u64 = 4;
const MAKE: u64 = 1;

/// How much more often the code of a loop is taken to run than what is around it.
const ROUNDS: u64 = 10;

/// Chooses until at most `limit` dwords are alive at once; `kept` stay. `None`: cannot be done.
pub(super) fn choose(scene: &Scene<'_>, limit: u32, kept: &[VReg]) -> Option<Chosen> {
    let mut chooser = Chooser::new(scene, kept);
    let limit = i64::from(limit);
    loop {
        let most = (0..)
            .zip(&chooser.demand)
            .max_by_key(|&(at, d)| (*d, std::cmp::Reverse(at)));
        let (at, &demand) = most?;
        if demand <= limit {
            break;
        }
        chooser.relieve(at, limit)?;
    }
    Some(Chosen {
        homes: chooser.homes,
        fixed: chooser.fixed,
    })
}

struct Chooser<'a, 's> {
    scene: &'a Scene<'s>,
    /// Dwords alive at each position, those of accesses of what left among them.
    demand: Vec<i64>,
    fixed: Vec<i64>,
    homes: Vec<Option<Home>>,
    /// Groups that stay where they are.
    kept: BTreeSet<u32>,
    cost: Vec<u64>,
    /// What makes each group, where that is cheap.
    makers: Vec<Option<Vec<MInst>>>,
}

impl<'a, 's> Chooser<'a, 's> {
    fn new(scene: &'a Scene<'s>, kept: &[VReg]) -> Self {
        let n = scene.m.vregs.len();
        let mut demand = vec![0i64; scene.live.positions() + 1];
        for g in scene.groups() {
            for s in &scene.segments[g as usize] {
                demand[s.start as usize] += i64::from(scene.width(g));
                demand[s.end as usize] -= i64::from(scene.width(g));
            }
        }
        for k in 1..demand.len() {
            demand[k] += demand[k - 1];
        }
        let makers = makers(scene);
        let mut cost = vec![0; n];
        for g in scene.groups() {
            let made = makers[g as usize].is_some();
            cost[g as usize] = scene.touches[g as usize]
                .iter()
                .map(|t| price(scene.class, t, made))
                .sum();
        }
        Chooser {
            scene,
            fixed: demand.clone(),
            demand,
            homes: vec![None; n],
            kept: kept.iter().map(|r| scene.root[r.0 as usize]).collect(),
            cost,
            makers,
        }
    }

    /// Takes values away until a position has no more than `limit` left.
    fn relieve(&mut self, at: u32, limit: i64) -> Option<()> {
        let over: Vec<u32> = self
            .demand
            .iter()
            .scan(0, |sum, &d| {
                let before = *sum;
                *sum += u32::from(d > limit);
                Some(before)
            })
            .collect();
        let mut candidates: Vec<(f64, u32)> = Vec::new();
        for g in self.scene.groups() {
            let free = self.homes[g as usize].is_none() && !self.kept.contains(&g) && self.scene.lives(g, at);
            if !free || self.gain(g, at) <= 0 {
                continue;
            }
            let segments = self.scene.segments[g as usize].iter();
            let covered: u32 = segments.map(|s| over[s.end as usize] - over[s.start as usize]).sum();
            let room = f64::from(covered.max(1)) * f64::from(self.scene.width(g));
            candidates.push((self.cost[g as usize] as f64 / room, g));
        }
        candidates.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (_, g) in candidates {
            if self.demand[at as usize] <= limit {
                return Some(());
            }
            // What an earlier choice reads has to stay.
            if !self.kept.contains(&g) {
                self.take(g);
            }
        }
        (self.demand[at as usize] <= limit).then_some(())
    }

    /// Dwords less at a position when a group leaves.
    fn gain(&self, g: u32, at: u32) -> i64 {
        let touches = &self.scene.touches[g as usize];
        let k = touches.partition_point(|t| t.at < at / 2);
        let here = touches[k..].iter().take_while(|t| t.at == at / 2);
        let needed: u32 = here.filter(|t| needs(t)[at as usize % 2]).map(|t| t.sub.count).sum();
        i64::from(self.scene.width(g)) - i64::from(needed)
    }

    fn take(&mut self, g: u32) {
        let scene = self.scene;
        let width = i64::from(scene.width(g));
        for s in &scene.segments[g as usize] {
            for p in s.start..s.end {
                self.demand[p as usize] -= width;
                self.fixed[p as usize] -= width;
            }
        }
        for t in &scene.touches[g as usize] {
            for (p, needed) in (2 * t.at..).zip(needs(t)) {
                self.demand[p as usize] += i64::from(t.sub.count) * i64::from(needed);
            }
        }
        let reads = |makers: &[MInst]| -> Vec<u32> {
            let operands = makers.iter().flat_map(|i| &i.operands[1..]);
            let subs = operands.filter_map(|o| o.virt());
            subs.map(|s| scene.root[s.reg.0 as usize]).collect()
        };
        self.homes[g as usize] = Some(match self.makers[g as usize].take() {
            Some(makers) if reads(&makers).iter().all(|&r| self.homes[r as usize].is_none()) => {
                self.kept.extend(reads(&makers));
                Home::Remade(makers)
            }
            _ => Home::Slot(0),
        });
    }
}

/// Whether an access takes registers where the instruction reads, and where it writes.
fn needs(t: &Touch) -> [bool; 2] {
    [t.read, t.written || t.late]
}

fn price(class: Class, t: &Touch, made: bool) -> u64 {
    let dwords = u64::from(t.sub.count);
    let (read, write) = match (made, class) {
        (true, _) => (MAKE * dwords, 0),
        (_, Class::S) => (MAKE * dwords, MAKE * dwords),
        _ => (LOAD * dwords.div_ceil(4), STORE * dwords.div_ceil(4)),
    };
    let once = read * u64::from(t.read) + write * u64::from(t.written);
    once * ROUNDS.pow(t.depth.min(6))
}

/// For each group that is made by cheap instructions alone, one for each dword: those instructions.
fn makers(scene: &Scene<'_>) -> Vec<Option<Vec<MInst>>> {
    let m = scene.m;
    let mut writes = vec![0u32; m.vregs.len()];
    let mut members = vec![0u32; m.vregs.len()];
    let mut by_dword: Vec<Vec<Option<&MInst>>> = m.vregs.iter().map(|v| vec![None; v.width as usize]).collect();
    for (r, info) in m.vregs.iter().enumerate() {
        members[scene.root[r] as usize] += u32::from(info.class == scene.class && !scene.live.segments[r].is_empty());
    }
    for i in m.blocks.iter().flat_map(|b| &b.insts) {
        for (access, o) in i.accesses().iter().zip(&i.operands) {
            let Some(s) = o.virt().filter(|_| access.def && i.op != MOp::ImplicitDef) else {
                continue;
            };
            writes[s.reg.0 as usize] += 1;
            if s.count == 1 && is_cheap(i) {
                by_dword[s.reg.0 as usize][s.at as usize] = Some(i);
            }
        }
    }
    let maker = |g: usize| -> Option<Vec<MInst>> {
        let info = m.vregs[g];
        if info.class != scene.class || info.sticky || scene.root[g] != g as u32 || members[g] != 1 {
            return None;
        }
        if writes[g] != info.width {
            return None;
        }
        let insts: Option<Vec<&MInst>> = by_dword[g].iter().copied().collect();
        let insts = insts?;
        let sources = insts.iter().flat_map(|i| &i.operands[1..]).filter_map(|o| o.virt());
        for s in sources {
            let r = s.reg.0 as usize;
            let one = writes[r] == 1 && m.is_whole(s) && !m.vregs[r].sticky;
            let reads = scene.touches[g].iter().filter(|t| t.read);
            let there = || reads.into_iter().all(|t| covers(&scene.live.segments[r], 2 * t.at));
            if r == g || !one || !there() {
                return None;
            }
        }
        Some(insts.into_iter().cloned().collect())
    };
    (0..m.vregs.len()).map(maker).collect()
}

/// An instruction that can run anywhere, as often as one likes: it reads and writes nothing but its operands.
fn is_cheap(i: &MInst) -> bool {
    let Some(op) = i.opcode() else { return false };
    let row = op.row();
    let hidden = [
        Flags::R_SCC,
        Flags::W_SCC,
        Flags::R_VCC,
        Flags::W_VCC,
        Flags::W_EXEC,
        Flags::R_M0,
        Flags::W_M0,
        Flags::MODE,
        Flags::IGNORES_EXEC,
    ];
    let plain = matches!(i.enc, Enc::Natural | Enc::E64) && hidden.iter().all(|&f| !row.flags.has(f));
    let accesses = i.accesses();
    let one_result = accesses.first().is_some_and(|a| a.def && !a.use_) && accesses[1..].iter().all(|a| !a.def);
    let sources = i.operands.iter().skip(1).all(|o| match o {
        MOperand::Virt(s) => s.count == 1,
        MOperand::Isa(Operand::Reg(_)) | MOperand::Block(_) => false,
        MOperand::Isa(_) => true,
    });
    // Float operations go by the MODE register, which code may change.
    let integers = row.operands.iter().all(|o| matches!(o.ty, Ty::B32 | Ty::U32 | Ty::I32));
    plain && one_result && sources && integers && matches!(row.class, Unit::Valu | Unit::Salu)
}
