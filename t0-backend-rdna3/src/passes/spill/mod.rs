//! Values that find no register: made again where they are read, or kept in memory meanwhile.
//!
//! Problem: more values are alive at once than there are registers. Method, one register class after the other, scalars first:
//! `choose` takes values out of the registers until what is left fits everywhere: those that cost least for the room they
//! give, by the loops around their accesses. A value that is one cheap instruction on constants and values that are
//! there anyway is made again wherever it is read. The others get a home: a vector register a few dwords of scratch memory, a
//! scalar one lanes of vector registers kept for that. `rewrite` then goes through the blocks and gives every access a
//! register of its own for as long as there is room, the one needed last giving way (Belady), and stores what was changed
//! before it goes.
//!
//! Lanes: scratch memory is written and read under EXEC, so a home keeps the lanes that are off, as the register did; a register
//! that stands for a home is only good while EXEC is what it was when it was filled. Lanes of vector registers are
//! written whatever EXEC says.
//!
//! Registers merged along copies (see `allocate`) share their home, and homes of values that never live at once share their place.
//!
//! Invariant: checked from the outside by `check_spills`.

mod choose;
mod code;
mod rewrite;

use super::allocate::{coalesce, Places};
use super::check_spills::check_spills;
use super::liveness::{liveness, Liveness, Segment};
use crate::mir::{Class, MFunc, MInst, MOp, Sub, VReg};
use t0_ir::Span;

/// SGPRs kept free for addresses of scratch memory beyond the reach of an offset.
const ADDRESSES: u32 = 2;

/// A value that lives elsewhere than in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// The file it was for.
    pub class: Class,
    /// Dwords.
    pub width: u32,
    /// Where it is made.
    pub span: Span,
}

/// Code that fits.
#[derive(Clone, Debug, PartialEq)]
pub struct Spilled {
    /// The code.
    pub m: MFunc,
    /// Values with a home in memory or in lanes.
    pub values: Vec<Value>,
    /// Values that are made again where they are read.
    pub remade: u32,
    /// Scratch bytes of a work-item.
    pub scratch_bytes: u32,
    /// Where scalar values are kept, by the lane: 32 to a register.
    pub lanes: Vec<VReg>,
}

/// Where a value is when it is not in a register.
#[derive(Clone, Debug, PartialEq)]
enum Home {
    /// In memory or lanes, from this dword on.
    Slot(u32),
    /// Nowhere: these instructions make its dwords.
    Remade(Vec<MInst>),
}

/// What is known of a function for one register class.
struct Scene<'a> {
    m: &'a MFunc,
    live: Liveness,
    class: Class,
    /// The group of each register.
    root: Vec<u32>,
    /// Segments by group.
    segments: Vec<Vec<Segment>>,
    /// Instructions that name each group, by number.
    touches: Vec<Vec<Touch>>,
}

/// A group named by an instruction.
#[derive(Clone, Copy, Debug)]
struct Touch {
    /// Number of the instruction.
    at: u32,
    sub: Sub,
    read: bool,
    written: bool,
    late: bool,
    depth: u32,
}

/// What was done for one register class.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// Values with a home.
    pub values: Vec<Value>,
    /// Values that are made again.
    pub remade: u32,
    /// Dwords of memory, or lanes, that the homes take.
    pub dwords: u32,
    /// The code before.
    pub before: MFunc,
    /// The code after.
    pub after: MFunc,
    /// By block and instruction of the code after: the number in the block before, `None` for one that was added.
    pub origin: Vec<Vec<Option<u32>>>,
    /// Registers whose lanes are homes.
    pub lanes: Vec<VReg>,
}

/// Takes values out of the registers until no more than `limits` are alive at once; `None` when
/// an instruction alone needs more. With `check`, what was done is checked.
///
/// # Panics
/// If the check finds something: a bug, named in the message.
pub fn spill(m: &MFunc, limits: [u32; 2], check: bool) -> Option<Spilled> {
    let checked = |class: Class, step: Step| {
        let wrong = if check { check_spills(&step, class) } else { Vec::new() };
        assert!(wrong.is_empty(), "spill: {}", wrong.join("; "));
        step
    };
    let [scalars, vectors] = limits;
    let s = checked(Class::S, step(m, Class::S, scalars.saturating_sub(ADDRESSES), &[])?);
    let v = checked(Class::V, step(&s.after, Class::V, vectors, &s.lanes)?);
    Some(Spilled {
        m: v.after,
        values: s.values.into_iter().chain(v.values).collect(),
        remade: s.remade + v.remade,
        scratch_bytes: 4 * v.dwords,
        lanes: s.lanes,
    })
}

/// Takes values of one class out of the registers; `kept` stay. `None` when an instruction alone needs more.
pub fn step(m: &MFunc, class: Class, limit: u32, kept: &[VReg]) -> Option<Step> {
    let scene = Scene::new(m, class);
    let mut chosen = choose::choose(&scene, limit, kept)?;
    let mut step = Step {
        before: m.clone(),
        ..Step::default()
    };
    step.dwords = scene.assign_slots(&mut chosen.homes);
    step.values = scene.values(&chosen.homes);
    let remade = |h: &&Option<Home>| matches!(h, Some(Home::Remade(_)));
    step.remade = chosen.homes.iter().filter(remade).count() as u32;
    rewrite::rewrite(&scene, &chosen, limit, &mut step);
    Some(step)
}

impl<'a> Scene<'a> {
    fn new(m: &'a MFunc, class: Class) -> Scene<'a> {
        let live = liveness(m);
        let mut groups = coalesce(m, &live);
        let root: Vec<u32> = (0..m.vregs.len() as u32).map(|r| groups.find(r)).collect();
        let mut touches: Vec<Vec<Touch>> = vec![Vec::new(); m.vregs.len()];
        let mut at = 0;
        for b in &m.blocks {
            for i in &b.insts {
                for (access, o) in i.accesses().iter().zip(&i.operands) {
                    let Some(sub) = o.virt().filter(|s| m.info(s.reg).class == class) else {
                        continue;
                    };
                    touches[root[sub.reg.0 as usize] as usize].push(Touch {
                        at,
                        sub,
                        read: access.use_,
                        written: access.def && i.op != MOp::ImplicitDef,
                        late: access.late,
                        depth: b.depth,
                    });
                }
                at += 1;
            }
        }
        Scene {
            m,
            live,
            class,
            root,
            segments: groups.segments,
            touches,
        }
    }

    /// The groups of the class that are used at all.
    fn groups(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.root.len() as u32).filter(|&r| {
            self.root[r as usize] == r
                && self.m.vregs[r as usize].class == self.class
                && !self.segments[r as usize].is_empty()
        })
    }

    fn width(&self, group: u32) -> u32 {
        self.m.vregs[group as usize].width
    }

    /// Whether a group lives at a position.
    fn lives(&self, group: u32, position: u32) -> bool {
        covers(&self.segments[group as usize], position)
    }

    /// Whether a group lives behind an instruction; `last`: of its block.
    fn lives_behind(&self, group: u32, inst: u32, last: bool) -> bool {
        let next = 2 * inst + 2;
        let s = &self.segments[group as usize];
        let k = s.partition_point(|s| s.end < next);
        s[k..]
            .iter()
            .take(2)
            .any(|s| s.start < next && (s.end > next || (last && s.end == next)))
    }

    /// Positions for all homes in memory; the dwords they take.
    fn assign_slots(&self, homes: &mut [Option<Home>]) -> u32 {
        let mut places = Places::new(self.live.positions());
        let mut order: Vec<u32> = self
            .groups()
            .filter(|&g| matches!(homes[g as usize], Some(Home::Slot(_))))
            .collect();
        order.sort_by_key(|&g| std::cmp::Reverse(self.width(g)));
        for g in order {
            let at = places.put(&self.segments[g as usize], self.width(g));
            homes[g as usize] = Some(Home::Slot(at));
        }
        places.len()
    }

    /// What the values with a home are.
    fn values(&self, homes: &[Option<Home>]) -> Vec<Value> {
        let mut spans: Vec<Span> = Vec::new();
        for b in &self.m.blocks {
            spans.extend(b.insts.iter().map(|i| i.span));
        }
        let value = |g: u32| {
            let made = self.touches[g as usize].iter().find(|t| t.written);
            Value {
                class: self.class,
                width: self.width(g),
                span: made.map(|t| spans[t.at as usize]).unwrap_or_default(),
            }
        };
        self.groups()
            .filter(|&g| matches!(homes[g as usize], Some(Home::Slot(_))))
            .map(value)
            .collect()
    }
}

fn covers(segments: &[Segment], position: u32) -> bool {
    let k = segments.partition_point(|s| s.end <= position);
    segments.get(k).is_some_and(|s| s.start <= position)
}
