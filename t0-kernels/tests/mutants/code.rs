//! Bugs planted into machine code.

use std::collections::BTreeSet;

use t0_backend_rdna3::isa::{Class, Family, Field, Flags, Inst, Opcode, Operand, Reg, RegFile, Sopp};
use t0_backend_rdna3::target::GFX1100;

use crate::case::Case;
use crate::image::{nop, Image};
use crate::judge::{Mutant, Spot};
use crate::paths::{explore, waits, Answer};

const WAIT: &[&str] = &["missing-wait", "barrier-without-wait", "lds-race", "global-race"];
const RACE: &[&str] = &["lds-race", "global-race"];
const NOTHING: &[&str] = &[];

/// EXEC restores that change nothing although EXEC is read behind them, by the source line they belong to; and why.
const NARROW: &[(&str, &str)] = &[(
    "if lane::id() == 0 {",
    "EXEC is lane 0 here, and behind the barrier only `thread::local() == 0`, a lane 0, does anything",
)];

/// The text of the source line at a place.
pub fn source(spot: &Spot) -> String {
    let line = spot.rsplit_once(':').and_then(|(file, line)| {
        let text = t0::read_source(file)?;
        text.lines()
            .nth(line.parse::<usize>().ok()?.checked_sub(1)?)
            .map(str::to_string)
    });
    line.unwrap_or_default()
}

/// Makes the mutants of one case.
pub struct Maker<'a> {
    pub case: usize,
    pub image: &'a Image,
    pub out: Vec<Mutant>,
}

/// All mutants of a case's machine code.
pub fn mutants(case: usize, c: &Case) -> Vec<Mutant> {
    let image = Image::new(&c.object);
    let mut m = Maker {
        case,
        image: &image,
        out: Vec::new(),
    };
    let live = m.live();
    for i in 0..image.insts.len() {
        m.waits(i);
        m.barrier(i);
        m.hazard(i);
        m.offset(i);
        m.toggle(i);
        m.reuse(i);
        m.exec(i);
        m.control(i);
        m.perm(i);
        m.clobber(i, &live);
        m.carry(i, c.name);
    }
    m.registers();
    m.descriptor();
    m.out
}

impl Maker<'_> {
    pub fn inst(&self, i: usize) -> &Inst {
        &self.image.insts[i].inst
    }

    /// A mutant that has `new` in the place of instruction `i`.
    pub fn plant(&mut self, class: &'static str, i: usize, what: String, new: &[Inst]) -> Option<&mut Mutant> {
        let file = self.image.replace(i, new)?;
        let planted = self.image.spot(i);
        self.push(class, what, Some(planted), file)
    }

    pub fn push(
        &mut self,
        class: &'static str,
        what: String,
        planted: Option<Spot>,
        file: Vec<u8>,
    ) -> Option<&mut Mutant> {
        self.out.push(Mutant {
            class,
            case: self.case,
            what,
            planted,
            object: Ok(file),
            rules: NOTHING,
            suffers: BTreeSet::new(),
            equivalent: None,
            shots: None,
            touched: Default::default(),
        });
        self.out.last_mut()
    }

    /// Lines of the instructions that fit.
    pub fn lines(&self, fits: impl Fn(&Inst) -> bool) -> BTreeSet<Spot> {
        let all = (0..self.image.insts.len()).filter(|&i| fits(self.inst(i)));
        all.map(|i| self.image.spot(i)).collect()
    }

    /// The line of the next instruction that is no filling.
    fn next_line(&self, i: usize) -> BTreeSet<Spot> {
        let filling =
            |inst: &Inst| matches!(inst.row().class, Class::Control | Class::Wait) || inst.row().name == "v_nop";
        let next = (i + 1..self.image.insts.len()).find(|&k| !filling(self.inst(k)));
        next.map(|k| self.image.spot(k)).into_iter().collect()
    }

    fn waits(&mut self, i: usize) {
        let inst = self.inst(i).clone();
        let counts = waits(&inst);
        if counts == [None; 3] {
            return;
        }
        self.wait(i, "drop a wait", format!("drop `{inst}`"), nop());
        let [vm, lgkm, vs] = counts;
        for (n, unit, name) in [(vm, 1 << 10, "vmcnt"), (lgkm, 1 << 4, "lgkmcnt"), (vs, 1, "vscnt")] {
            let Some(n) = n.filter(|&n| n < 63) else { continue };
            let mut weaker = inst.clone();
            for o in &mut weaker.operands {
                if let Operand::Imm(value) = o {
                    *value += unit;
                }
            }
            self.wait(i, "weaken a wait", format!("{name}({n}) → {name}({})", n + 1), weaker);
        }
    }

    /// A wait is gone or too weak: whether that matters is computed; who suffers is who touches a result of a load.
    pub fn wait(&mut self, i: usize, class: &'static str, what: String, new: Inst) {
        let Some(after) = self.image.with(i, std::slice::from_ref(&new)) else {
            return;
        };
        let results: Vec<Reg> = self
            .image
            .insts
            .iter()
            .filter(|a| is_load(&a.inst))
            .flat_map(|a| a.inst.writes(32))
            .collect();
        let touches = |inst: &Inst| {
            let all = inst.reads(32).into_iter().chain(inst.writes(32));
            inst.row().class == Class::Barrier || all.into_iter().any(|r| results.iter().any(|w| w.overlaps(r)))
        };
        let answer = explore(&after);
        let suffers = match answer {
            Answer::Missing(k) if self.inst(k).row().class != Class::Barrier => BTreeSet::from([self.image.spot(k)]),
            _ => self.lines(touches),
        };
        let Some(m) = self.plant(class, i, what, &[new]) else {
            return;
        };
        m.rules = WAIT;
        m.suffers = suffers;
        if let Answer::Covered(states) = answer {
            m.equivalent = Some(format!(
                "every touch is behind another wait on all paths ({states} states)"
            ));
        }
    }

    fn barrier(&mut self, i: usize) {
        if self.inst(i).row().class != Class::Barrier {
            return;
        }
        let memory = self.lines(|inst| inst.row().class.is_lds() || inst.row().class.is_vmem());
        if let Some(m) = self.plant("drop a barrier", i, "drop `s_barrier`".into(), &[nop()]) {
            m.rules = RACE;
            m.suffers = memory;
        }
    }

    fn hazard(&mut self, i: usize) {
        let inst = self.inst(i).clone();
        let fix = inst.op == Opcode::Sopp(Sopp::s_waitcnt_depctr) || inst.row().name == "v_nop";
        if !fix {
            return;
        }
        let next = self.next_line(i);
        if let Some(m) = self.plant("skip a hazard fix", i, format!("drop `{inst}`"), &[nop()]) {
            m.rules = &["valu-trans-use", "wmma-after-d", "vcmpx-permlane"];
            m.suffers = next;
        }
    }

    fn offset(&mut self, i: usize) {
        let inst = self.inst(i).clone();
        let class = inst.row().class;
        let memory = class.is_vmem()
            || class == Class::Smem
            || matches!(class, Class::LdsLoad | Class::LdsStore | Class::LdsAtomic);
        if !memory {
            return;
        }
        let mut moved = inst.clone();
        if inst.flags().has(Flags::OFFSETS2) {
            moved.mods.offset0 += 1;
        } else if inst.row().family == Family::Smem {
            let Some(Operand::Imm(_)) = moved.operands.last() else {
                moved.mods.offset += 4;
                self.moved(i, &inst, moved);
                return;
            };
            if let Some(Operand::Imm(n)) = moved.operands.last_mut() {
                *n += 4;
            }
        } else {
            moved.mods.offset += 4;
        }
        self.moved(i, &inst, moved);
    }

    fn moved(&mut self, i: usize, inst: &Inst, moved: Inst) {
        self.plant(
            "offset off by one",
            i,
            format!("`{}` 4 bytes further", inst.row().name),
            &[moved],
        );
    }

    /// The toggle between two LDS buffers.
    fn toggle(&mut self, i: usize) {
        let inst = self.inst(i).clone();
        let lds = self.image.object.kernels[0].descriptor.group_segment_bytes;
        let literal =
            matches!(inst.operands[..], [Operand::Reg(a), Operand::Reg(b), Operand::Literal(n)] if a == b && n < lds);
        if inst.row().name != "s_xor_b32" || !literal {
            return;
        }
        let suffers = self.lines(|inst| inst.row().class.is_lds());
        let dst = inst.operands[0];
        let stuck = Inst::new(inst.op, vec![dst, dst, Operand::Literal(0)]);
        if let Some(m) = self.plant("swap LDS buffers", i, format!("`{inst}` leaves the buffer"), &[stuck]) {
            m.rules = RACE;
            m.suffers = suffers;
        }
    }

    /// An instruction between a load and its wait writes the load's destination.
    fn reuse(&mut self, i: usize) {
        let load = self.inst(i).clone();
        if !is_load(&load) {
            return;
        }
        let Some(dst) = load.writes(32).into_iter().find(|r| r.file == RegFile::V) else {
            return;
        };
        for k in i + 1..self.image.insts.len() {
            let inst = self.inst(k).clone();
            if matches!(inst.row().class, Class::Wait | Class::Branch | Class::End) {
                return;
            }
            let mut early = inst.clone();
            match early.operands.first_mut() {
                Some(Operand::Reg(r)) if inst.row().class == Class::Valu && r.file == RegFile::V && r.count == 1 => {
                    r.index = dst.index
                }
                _ => continue,
            }
            let what = format!("`{}` writes v{} while a load does", inst.row().name, dst.index);
            if let Some(m) = self.plant("reuse a register early", k, what, &[early]) {
                m.rules = &["missing-wait"];
                m.suffers = m.planted.iter().cloned().collect();
            }
            return;
        }
    }

    /// EXEC is not restored behind a branch.
    fn exec(&mut self, i: usize) {
        let inst = self.inst(i).clone();
        let exec = matches!(inst.operands.first(), Some(Operand::Reg(r)) if *r == Reg::EXEC);
        if !exec || inst.row().name != "s_mov_b32" {
            return;
        }
        let unread = !self.exec_is_read(i);
        let line = source(&self.image.spot(i));
        let known = NARROW
            .iter()
            .find(|(text, _)| line.contains(text))
            .map(|k| k.1.to_string());
        if let Some(m) = self.plant("drop an EXEC restore", i, format!("drop `{inst}`"), &[nop()]) {
            m.equivalent = unread
                .then(|| "no path from here has an instruction that reads EXEC".into())
                .or(known);
        }
    }

    /// Whether an instruction behind `i` reads EXEC before something writes it.
    fn exec_is_read(&self, i: usize) -> bool {
        let (mut seen, mut work) = (BTreeSet::new(), self.image.next(i));
        while let Some(k) = work.pop() {
            if !seen.insert(k) {
                continue;
            }
            let inst = self.inst(k);
            let branches = inst.row().name.contains("exec");
            if branches || inst.reads(32).iter().any(|r| r.overlaps(Reg::EXEC)) {
                return true;
            }
            if !inst.writes(32).iter().any(|r| r.overlaps(Reg::EXEC)) {
                work.extend(self.image.next(k));
            }
        }
        false
    }

    /// A VALU instruction writes another register, one that is the address of a memory instruction; its own keeps an old value.
    fn clobber(&mut self, i: usize, live: &[BTreeSet<u32>]) {
        let inst = self.inst(i).clone();
        let Some(&Operand::Reg(dst)) = inst.operands.first() else {
            return;
        };
        let plain = inst.row().class == Class::Valu && dst.file == RegFile::V && dst.count == 1;
        if !plain {
            return;
        }
        let Some(&victim) = live[i].iter().find(|&&r| r != dst.index) else {
            return;
        };
        let mut wrong = inst.clone();
        wrong.operands[0] = Operand::v(victim);
        let what = format!("`{}` writes v{victim} instead of v{}", inst.row().name, dst.index);
        self.plant("clobber a live register", i, what, &[wrong]);
    }

    /// VGPRs whose values behind each instruction are addresses of memory instructions.
    fn live(&self) -> Vec<BTreeSet<u32>> {
        let regs = |list: Vec<Reg>| -> BTreeSet<u32> {
            let vector = list.into_iter().filter(|r| r.file == RegFile::V);
            vector.flat_map(|r| r.index..r.index + r.count).collect()
        };
        let n = self.image.insts.len();
        let (mut after, mut changed) = (vec![BTreeSet::new(); n], true);
        while changed {
            changed = false;
            for i in (0..n).rev() {
                let mut out = after[i].clone();
                for next in self.image.next(i) {
                    let inst = self.inst(next);
                    let written = regs(inst.writes(32));
                    out.extend(after[next].iter().filter(|r| !written.contains(r)));
                    let addresses = inst
                        .specs()
                        .zip(&inst.operands)
                        .filter(|(spec, _)| matches!(spec.field, Field::Addr | Field::Vaddr));
                    out.extend(regs(addresses.filter_map(|(_, o)| o.reg()).collect()));
                }
                changed |= out.len() != after[i].len();
                after[i] = out;
            }
        }
        after
    }

    fn control(&mut self, i: usize) {
        let inst = self.inst(i).clone();
        if inst.row().class == Class::End {
            if let Some(m) = self.plant("drop s_endpgm", i, "drop `s_endpgm`".into(), &[nop()]) {
                m.rules = &["missing-end", "illegal-instruction"];
            }
        }
        let Some(target) = self.image.target(i) else { return };
        let long = self.image.insts.iter().filter(|a| a.size >= 8);
        let Some(near) = long.min_by_key(|a| a.offset.abs_diff(target)) else {
            return;
        };
        let dwords = (near.offset as i64 + 4 - self.image.insts[i].offset as i64 - 4) / 4;
        let there = Inst::new(inst.op, vec![Operand::Imm(dwords & 0xffff)]);
        let what = format!("`{}` into `{}`", inst.row().name, near.inst.row().name);
        let into = self.image.index(near.offset).map(|k| self.image.spot(k));
        if let Some(m) = self.plant("jump into an instruction", i, what, &[there]) {
            // When nothing else leads to that instruction, its middle is only bytes that are none.
            m.rules = &["jump-into-instruction", "illegal-instruction"];
            m.suffers = m.planted.iter().cloned().chain(into).collect();
        }
    }

    fn perm(&mut self, i: usize) {
        let inst = self.inst(i).clone();
        if inst.row().name != "v_perm_b32" {
            return;
        }
        let mut sources = inst.clone();
        sources.operands.swap(1, 2);
        self.plant("operands of v_perm", i, "sources swapped".into(), &[sources]);
        let mut selector = inst.clone();
        if let Some(Operand::Literal(bytes)) = selector.operands.last_mut() {
            *bytes = bytes.swap_bytes();
            self.plant("operands of v_perm", i, "selector bytes reversed".into(), &[selector]);
        }
    }

    /// The upper half of a row's byte offset is lost; rows 4 GiB apart show it.
    fn carry(&mut self, i: usize, name: &str) {
        let inst = self.inst(i).clone();
        if name != "softmax" || inst.row().name != "s_addc_u32" || !source(&self.image.spot(i)).contains("&x[r]") {
            return;
        }
        let mut low = inst.clone();
        low.operands[2] = Operand::int(0);
        if let Some(m) = self.plant(
            "32-bit offset",
            i,
            format!("`{inst}` without the row's upper half"),
            &[low],
        ) {
            m.shots = Some(vec![crate::subjects::softmax_shot(2, 40, (1 << 30) + 64)]);
        }
    }

    fn descriptor(&mut self) {
        let d = self.image.object.kernels[0].descriptor;
        let bad = |m: &mut Self, class, what: &str, at, rules, change: &dyn Fn(u32) -> u32| {
            let file = m.image.descriptor_word(at, change);
            if let Some(new) = m.push(class, what.into(), None, file) {
                new.rules = rules;
            }
        };
        let class = "descriptor bits";
        // Assembly without metadata may be right for both.
        if self.image.object.kernels[0].metadata.is_some() {
            bad(self, class, "waves of 64 lanes", 56, &["wave-size"], &|w| {
                w & !(1 << 10)
            });
            for (what, bit) in [("bit 9 for waves of 32 lanes", 9), ("bit 11 for waves of 32 lanes", 11)] {
                let rules = &["wave-size", "descriptor-bits"];
                bad(self, class, what, 56, rules, &|w| w & !(1 << 10) | 1 << bit);
            }
        }
        if d.rsrc1 & 63 != 0 {
            bad(
                self,
                class,
                "8 VGPRs fewer",
                48,
                &["vgpr-count", "metadata-mismatch"],
                &|w| w - 1,
            );
            // What is left of a count of 256 that was kept in eight bits.
            let rules = &["vgpr-count", "metadata-mismatch"];
            bad(self, class, "8 VGPRs in all", 48, rules, &|w| w & !63);
        }
        bad(self, class, "no user SGPRs", 52, &["user-sgprs"], &|w| w & !(31 << 1));
        bad(
            self,
            class,
            "one user SGPR fewer",
            52,
            &["user-sgprs", "user-sgpr-init16", "unfilled-sgpr"],
            &|w| w - 2,
        );
        bad(self, class, "no workgroup id x", 52, &["unfilled-sgpr"], &|w| {
            w & !(1 << 7)
        });
        bad(self, class, "no kernarg pointer", 56, &["unfilled-sgpr"], &|w| {
            w & !(1 << 3)
        });
        bad(self, class, "float rounding 3", 48, &["float-mode"], &|w| w | 3 << 12);
        bad(self, class, "denormals flushed", 48, &["float-mode"], &|w| {
            w & !(15 << 16)
        });
        bad(self, class, "loads out of order", 48, &["descriptor-bits"], &|w| {
            w & !(1 << 30)
        });
        bad(self, class, "LDS size in rsrc2", 52, &["descriptor-bits"], &|w| {
            w | 1 << 15
        });
        bad(self, class, "privileged", 48, &["descriptor-bits"], &|w| w | 1 << 20);
        if d.private_segment_bytes > 0 {
            let rules = &["scratch-size", "scratch-out-of-bounds"];
            bad(self, "shrink the scratch", "half of it", 4, rules, &|w| w / 2);
            bad(self, "shrink the scratch", "none", 4, rules, &|_| 0);
            bad(self, "shrink the scratch", "not enabled", 52, rules, &|w| w & !1);
        }
        if d.group_segment_bytes > 0 {
            let class = "shrink the LDS";
            let lds = d.group_segment_bytes;
            let rules = &["metadata-mismatch", "lds-out-of-bounds", "lds-size"];
            bad(self, class, "half of it", 0, rules, &|_| lds / 2);
            bad(self, class, "none", 0, rules, &|_| 0);
            self.consistent(lds / 2);
            // Less than that may be the padding behind the last row of a tile.
            self.consistent((lds - lds.div_ceil(16)) / 4 * 4);
        }
    }

    /// Descriptor and metadata agree on an LDS that is too small: only who runs the code can tell.
    fn consistent(&mut self, lds: u32) {
        use t0_backend_rdna3::object::{write, KernelCode, Resources};
        let k = &self.image.object.kernels[0];
        let (d, Some(m)) = (&k.descriptor, &k.metadata) else {
            return;
        };
        let bit = |w: u32, b: u32| w >> b & 1 == 1;
        let code = KernelCode {
            name: k.name.clone(),
            code: self.image.object.code(k).to_vec(),
            resources: Resources {
                vgprs: m.vgprs,
                sgprs: m.sgprs,
                lds_bytes: lds,
                scratch_bytes: d.private_segment_bytes,
                kernarg_bytes: d.kernarg_bytes,
                workgroup_ids: [7, 8, 9].map(|b| bit(d.rsrc2, b)),
                dispatch_ptr: bit(d.properties, 1),
                float_mode: d.float_mode(),
                ..Resources::default()
            },
            args: m.args.clone(),
            lds: m.lds.clone(),
            max_group_size: m.max_group_size.unwrap_or(1024),
            required_group_size: m.required_group_size,
            spills: [0, 0],
            lines: k.lines.clone(),
            atomics: k.atomics.clone(),
            sources: k.sources.clone(),
        };
        let file = write(&GFX1100, &[code]).unwrap();
        let suffers = self.lines(|i| i.row().class.is_lds());
        let what = format!("{lds} bytes in descriptor and metadata");
        if let Some(new) = self.push("shrink the LDS", what, None, file) {
            new.rules = &["lds-out-of-bounds"];
            new.suffers = suffers;
        }
    }
}

fn is_load(inst: &Inst) -> bool {
    let w = inst.wait();
    (w.vm > 0 || w.lgkm > 0) && !inst.writes(32).is_empty()
}
