//! Basic blocks of a listing and the loops they make.
//!
//! Problem: a branch backwards alone makes no loop. Compilers put rarely used code behind the end of a kernel and branch back
//! from there, and turn loops around so that what is executed first stands last. Method: blocks end at branches and before
//! their targets; an edge to a block that dominates its own beginning closes a natural loop, which holds everything that
//! reaches the edge without passing that block. Invariant: blocks are in order of their offsets, hold every instruction
//! once, and a loop comes after those it stands in.
//! Sources: Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (dominators); Aho et al., "Compilers", 9.6
//! (natural loops). Targets in registers (`s_setpc_b64`) are not followed: code that is reached no other way counts as an
//! entry of its own.

use crate::isa::{Inst, Opcode, Sop1, Sopk};
use crate::listing::Entry;

/// Instructions that are executed one after another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Index of its first instruction in [`crate::listing::Listing::entries`].
    pub first: usize,
    /// Index of its last instruction.
    pub last: usize,
    /// Blocks that may be next.
    pub next: Vec<usize>,
}

/// A natural loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NaturalLoop {
    /// The block every round begins with.
    pub header: usize,
    /// The blocks that lead back to it, in order.
    pub latches: Vec<usize>,
    /// All of its blocks in order, inner loops included.
    pub blocks: Vec<usize>,
    /// Loops around it.
    pub depth: u32,
}

/// Control flow of a kernel.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Flow {
    /// Its blocks.
    pub blocks: Vec<Block>,
    /// Its loops, inner ones behind those they stand in.
    pub loops: Vec<NaturalLoop>,
}

impl Flow {
    /// Of the instructions of a listing.
    pub fn new(entries: &[Entry]) -> Flow {
        let blocks = blocks(entries);
        let loops = loops(&blocks);
        Flow { blocks, loops }
    }

    /// First and last instruction of each run of a loop's instructions, as indices.
    pub fn spans(&self, l: &NaturalLoop) -> Vec<(usize, usize)> {
        let mut out: Vec<(usize, usize)> = Vec::new();
        for b in l.blocks.iter().filter_map(|&b| self.blocks.get(b)) {
            match out.last_mut().filter(|s| s.1 + 1 == b.first) {
                Some(s) => s.1 = b.last,
                None => out.push((b.first, b.last)),
            }
        }
        out
    }
}

/// Whether a branch may go on with the next instruction: conditional ones do, and calls once they return.
pub(crate) fn falls_through(inst: &Inst) -> bool {
    let call = matches!(
        inst.op,
        Opcode::Sop1(Sop1::s_swappc_b64) | Opcode::Sopk(Sopk::s_call_b64)
    );
    let conditional = ["s_cbranch", "s_subvector_loop"];
    call || conditional.iter().any(|c| inst.row().name.starts_with(c))
}

fn blocks(entries: &[Entry]) -> Vec<Block> {
    let at = |offset: u64| entries.binary_search_by_key(&offset, |e| e.offset).ok();
    let mut starts = vec![false; entries.len()];
    for (k, e) in entries.iter().enumerate() {
        if let Some(target) = e.branch_target.and_then(at) {
            starts[target] = true;
        }
        let ends = e.branch_target.is_some() || !e.falls_through;
        if let Some(next) = starts.get_mut(k + 1).filter(|_| ends) {
            *next = true;
        }
    }
    let firsts: Vec<usize> = (0..entries.len()).filter(|&k| k == 0 || starts[k]).collect();
    let block_at = |k: usize| firsts.binary_search(&k).ok();
    let block = |(b, &first): (usize, &usize)| {
        let last = firsts.get(b + 1).map_or(entries.len(), |n| *n) - 1;
        let e = &entries[last];
        let through = Some(b + 1).filter(|&n| e.falls_through && n < firsts.len());
        let taken = e.branch_target.and_then(at).and_then(block_at);
        let mut next: Vec<usize> = through.into_iter().chain(taken).collect();
        next.dedup();
        Block { first, last, next }
    };
    firsts.iter().enumerate().map(block).collect()
}

/// Blocks in reverse postorder, and the block each is reached from first: the first one, or for what that does not reach, the
/// next one that nothing has reached.
fn order(blocks: &[Block]) -> (Vec<usize>, Vec<usize>) {
    let mut root_of: Vec<Option<usize>> = vec![None; blocks.len()];
    let mut post = Vec::new();
    for root in 0..blocks.len() {
        if root_of[root].is_some() {
            continue;
        }
        root_of[root] = Some(root);
        let mut stack = vec![(root, 0)];
        while let Some((b, k)) = stack.last_mut() {
            let Some(&next) = blocks[*b].next.get(*k) else {
                post.push(*b);
                stack.pop();
                continue;
            };
            *k += 1;
            if root_of[next].is_none() {
                root_of[next] = Some(root);
                stack.push((next, 0));
            }
        }
    }
    post.reverse();
    (post, root_of.into_iter().flatten().collect())
}

/// Blocks that lead to each. What nothing reaches leads nowhere: padding before an aligned loop is no way into it.
fn predecessors(blocks: &[Block], root_of: &[usize]) -> Vec<Vec<usize>> {
    let mut before = vec![Vec::new(); blocks.len()];
    for (b, block) in blocks.iter().enumerate() {
        let same = block.next.iter().filter(|&&n| root_of[n] == root_of[b]);
        same.for_each(|&n| before[n].push(b));
    }
    before
}

/// The dominator next above each block; `blocks.len()` stands above all roots.
fn dominators(order: &[usize], root_of: &[usize], before: &[Vec<usize>]) -> Vec<usize> {
    let top = before.len();
    let mut place = vec![0; top + 1];
    order.iter().enumerate().for_each(|(k, &b)| place[b] = k + 1);
    let mut above: Vec<Option<usize>> = vec![None; top + 1];
    above[top] = Some(top);
    root_of.iter().for_each(|&r| above[r] = Some(top));
    let common = |above: &[Option<usize>], mut a: usize, mut b: usize| {
        while a != b {
            let lower = if place[a] > place[b] { &mut a } else { &mut b };
            *lower = above[*lower].unwrap_or(top);
        }
        a
    };
    loop {
        let mut changed = false;
        for &b in order.iter().filter(|&&b| root_of[b] != b) {
            let known = before[b].iter().copied().filter(|&p| above[p].is_some());
            let new = known.reduce(|x, y| common(&above, x, y));
            changed |= new != above[b];
            above[b] = new;
        }
        if !changed {
            break above.into_iter().map(|a| a.unwrap_or(top)).collect();
        }
    }
}

fn loops(blocks: &[Block]) -> Vec<NaturalLoop> {
    let (order, root_of) = order(blocks);
    let before = predecessors(blocks, &root_of);
    let above = dominators(&order, &root_of, &before);
    let dominates = |a: usize, mut b: usize| {
        while b != a && b != blocks.len() {
            b = above[b];
        }
        a == b
    };
    let mut found: Vec<NaturalLoop> = Vec::new();
    for (header, before_it) in before.iter().enumerate() {
        let latches: Vec<usize> = before_it.iter().copied().filter(|&b| dominates(header, b)).collect();
        if latches.is_empty() {
            continue;
        }
        let mut inside = vec![false; blocks.len()];
        inside[header] = true;
        let mut work = latches.clone();
        while let Some(b) = work.pop() {
            if !std::mem::replace(&mut inside[b], true) {
                work.extend(&before[b]);
            }
        }
        found.push(NaturalLoop {
            header,
            latches,
            blocks: (0..blocks.len()).filter(|&b| inside[b]).collect(),
            depth: 0,
        });
    }
    nested(found)
}

/// The loops with their depths, each behind those around it.
fn nested(mut loops: Vec<NaturalLoop>) -> Vec<NaturalLoop> {
    let around = |inner: &NaturalLoop, outer: &NaturalLoop| {
        outer.header != inner.header && outer.blocks.binary_search(&inner.header).is_ok()
    };
    let chains: Vec<Vec<usize>> = loops
        .iter()
        .map(|l| {
            // Outer loops are larger than inner ones, so this is the way from the outermost one.
            let mut chain: Vec<&NaturalLoop> = loops.iter().filter(|o| around(l, o)).collect();
            chain.sort_by_key(|o| std::cmp::Reverse(o.blocks.len()));
            chain.iter().map(|o| o.header).chain([l.header]).collect()
        })
        .collect();
    for (l, chain) in loops.iter_mut().zip(&chains) {
        l.depth = chain.len() as u32 - 1;
    }
    let mut order: Vec<(Vec<usize>, NaturalLoop)> = chains.into_iter().zip(loops).collect();
    order.sort_by(|a, b| a.0.cmp(&b.0));
    order.into_iter().map(|x| x.1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Instructions of a byte each: where each branches to, and whether it falls through.
    fn flow(code: &[(Option<u64>, bool)]) -> Flow {
        let entry = |(k, &(branch_target, falls_through)): (usize, &(Option<u64>, bool))| Entry {
            offset: k as u64,
            bytes: vec![0],
            text: String::new(),
            error: None,
            class: None,
            branch_target,
            falls_through,
            line: None,
            live_vgprs: 0,
            live_sgprs: 0,
        };
        Flow::new(&code.iter().enumerate().map(entry).collect::<Vec<_>>())
    }

    const PLAIN: (Option<u64>, bool) = (None, true);
    const END: (Option<u64>, bool) = (None, false);
    fn maybe(to: u64) -> (Option<u64>, bool) {
        (Some(to), true)
    }
    fn jump(to: u64) -> (Option<u64>, bool) {
        (Some(to), false)
    }

    /// Header, latches and spans of a loop, as instructions, and its depth.
    type Found = (usize, Vec<usize>, Vec<(usize, usize)>, u32);

    fn found(f: &Flow) -> Vec<Found> {
        let first = |b: usize| f.blocks[b].first;
        let one = |l: &NaturalLoop| {
            let latches = l.latches.iter().map(|&b| f.blocks[b].last).collect();
            (first(l.header), latches, f.spans(l), l.depth)
        };
        f.loops.iter().map(one).collect()
    }

    #[test]
    fn blocks_hold_every_instruction_once() {
        let f = flow(&[PLAIN, maybe(4), PLAIN, jump(0), END]);
        let spans: Vec<(usize, usize)> = f.blocks.iter().map(|b| (b.first, b.last)).collect();
        assert_eq!(spans, [(0, 1), (2, 3), (4, 4)]);
        let next: Vec<&[usize]> = f.blocks.iter().map(|b| &*b.next).collect();
        assert_eq!(next, [&[1, 2][..], &[0], &[]]);
        assert_eq!(flow(&[]), Flow::default());
    }

    #[test]
    fn a_branch_back_from_behind_the_end_is_no_loop() {
        // 1 branches to what stands behind the end, which goes back to 2: nothing is executed twice.
        let f = flow(&[PLAIN, maybe(4), PLAIN, END, PLAIN, jump(2)]);
        assert_eq!(f.loops, []);
        // A loop whose rare block stands behind the end holds it, and not what is between.
        let f = flow(&[PLAIN, maybe(5), PLAIN, maybe(1), END, PLAIN, jump(2)]);
        assert_eq!(found(&f), [(1, vec![3], vec![(1, 3), (5, 6)], 0)]);
    }

    #[test]
    fn loops_in_loops() {
        let f = flow(&[PLAIN, PLAIN, PLAIN, maybe(2), PLAIN, maybe(1), maybe(6), END]);
        assert_eq!(
            found(&f),
            [
                (1, vec![5], vec![(1, 5)], 0),
                (2, vec![3], vec![(2, 3)], 1),
                (6, vec![6], vec![(6, 6)], 0)
            ]
        );
    }

    #[test]
    fn branches_to_one_place_are_one_loop() {
        let f = flow(&[PLAIN, PLAIN, maybe(1), PLAIN, maybe(1), END]);
        assert_eq!(found(&f), [(1, vec![2, 4], vec![(1, 4)], 0)]);
    }

    #[test]
    fn a_loop_that_is_entered_in_the_middle_begins_there() {
        // 0 goes to the test at 3, which leads back to 1; 3 is on every way in, 1 is not.
        let f = flow(&[jump(3), PLAIN, PLAIN, maybe(1), END]);
        assert_eq!(found(&f), [(3, vec![2], vec![(1, 3)], 0)]);
        // Two ways in: no block is on both, so it is no natural loop.
        assert_eq!(flow(&[maybe(3), PLAIN, PLAIN, maybe(1), END]).loops, []);
    }

    #[test]
    fn padding_is_no_way_into_a_loop() {
        // 1 jumps over the padding at 2 to 4, the test, which leads back to 3.
        let f = flow(&[PLAIN, jump(4), PLAIN, maybe(6), PLAIN, jump(3), END]);
        assert_eq!(found(&f), [(4, vec![3], vec![(3, 5)], 0)]);
    }

    #[test]
    fn code_that_only_a_register_leads_to_has_its_loops() {
        let f = flow(&[PLAIN, END, PLAIN, maybe(2), END]);
        assert_eq!(found(&f), [(2, vec![3], vec![(2, 3)], 0)]);
    }
}
