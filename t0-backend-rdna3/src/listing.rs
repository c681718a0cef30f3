//! Listings: the instructions of a kernel under the Rust lines they came from, with register pressure and occupancy.
//!
//! Problem: see from the machine code what a kernel costs and which line causes it. Method: decode the code object's
//! bytes (nothing is remembered from compilation, so any gfx11 code object can be listed), solve backward liveness on
//! the control flow of the decoded instructions, look lines up in the line table. Invariant: the bytes of all entries
//! in order are the kernel's bytes.
//!
//! Liveness is per register, not per lane: a vector write under a partial EXEC counts as a full definition, so values
//! that survive in the inactive lanes only are not counted inside the branch.

use crate::flow::falls_through;
use crate::isa::{decode, Class, DecodeError, Inst, Operand, Reg, RegFile};
use crate::object::lines::is_changed;
use crate::object::{CodeObject, Kernel, Line, Piece};
use crate::occupancy::{occupancy, Limit, Occupancy, Usage};
use crate::target::Target;
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

/// An instruction, or a word that is none, at its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Decoded {
    /// Bytes from the first instruction.
    pub offset: u64,
    /// Its encoding.
    pub bytes: Vec<u8>,
    /// The instruction.
    pub inst: Result<Inst, DecodeError>,
}

impl Decoded {
    /// LLVM's text; `.long` for what is no instruction.
    pub fn text(&self) -> String {
        match &self.inst {
            Ok(inst) => inst.to_string(),
            Err(_) => format!(".long 0x{}", hex_words(&self.bytes).replace(' ', ", 0x")),
        }
    }

    /// The offset a branch leads to, for branches with an immediate.
    pub fn branch_target(&self) -> Option<u64> {
        let inst = self.inst.as_ref().ok().filter(|i| i.row().class == Class::Branch)?;
        let words = inst.operands.iter().find_map(|o| match o {
            Operand::Imm(i) => Some(i64::from(*i as i16)),
            _ => None,
        })?;
        // Relative to the next instruction (RDNA3 ISA manual 5.4: PC + 4 + SIMM16 * 4).
        (self.offset + self.bytes.len() as u64).checked_add_signed(words * 4)
    }
}

/// Bytes as 32-bit words in upper-case hex, the way LLVM's disassembler comments them.
pub fn hex_words(bytes: &[u8]) -> String {
    let word = |w: &[u8]| w.iter().rev().map(|b| format!("{b:02X}")).collect::<String>();
    bytes.chunks(4).map(word).collect::<Vec<_>>().join(" ")
}

/// Decodes code from its start to its end. A word that is no instruction becomes an entry of its own.
pub fn decode_all(code: &[u8], target: &Target) -> Vec<Decoded> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < code.len() {
        let (inst, len) = match decode(&code[at..], target) {
            Ok((inst, len)) => (Ok(inst), len.max(4)),
            Err(e) => (Err(e), unknown_bytes(&code[at..])),
        };
        let end = (at + len).min(code.len());
        out.push(Decoded {
            offset: at as u64,
            bytes: code[at..end].to_vec(),
            inst,
        });
        at = end;
    }
    out
}

/// Bytes of an instruction that is not in the table: all families that start with the bits 11 have two words, except
/// LDSDIR (RDNA3 ISA manual, section 15).
pub(crate) fn unknown_bytes(code: &[u8]) -> usize {
    match code.get(3) {
        Some(&top) if top >> 6 == 3 && top != 0xce => 8,
        _ => 4,
    }
}

/// A set of registers: 256 vector registers, then the scalar numbering 0 to 127.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct RegSet([u64; 6]);

impl RegSet {
    fn of(regs: &[Reg]) -> RegSet {
        let mut set = RegSet::default();
        for r in regs {
            let (base, limit) = if r.file == RegFile::V { (0, 256) } else { (256, 128) };
            for i in (r.index..r.index.saturating_add(r.count)).filter(|&i| i < limit) {
                let bit = (base + i) as usize;
                set.0[bit / 64] |= 1 << (bit % 64);
            }
        }
        set
    }

    fn zip(self, other: RegSet, f: impl Fn(u64, u64) -> u64) -> RegSet {
        let mut out = self;
        out.0.iter_mut().zip(other.0).for_each(|(a, b)| *a = f(*a, b));
        out
    }

    fn union(self, other: RegSet) -> RegSet {
        self.zip(other, |a, b| a | b)
    }

    fn minus(self, other: RegSet) -> RegSet {
        self.zip(other, |a, b| a & !b)
    }

    fn vgprs(&self) -> u32 {
        self.0[..4].iter().map(|w| w.count_ones()).sum()
    }

    /// SGPRs and VCC, without M0, NULL and EXEC.
    fn sgprs(&self) -> u32 {
        self.0[4].count_ones() + (self.0[5] & ((1 << (108 - 64)) - 1)).count_ones()
    }
}

/// Live vector and scalar registers of each instruction: the greater of what is live before it and what is live or
/// written after it.
fn pressure(code: &[Decoded], wave_size: u32) -> Vec<(u32, u32)> {
    let index: HashMap<u64, usize> = code.iter().enumerate().map(|(i, d)| (d.offset, i)).collect();
    let successors: Vec<Vec<usize>> = code.iter().enumerate().map(|(i, d)| successors(d, i, &index)).collect();
    let regs = |f: fn(&Inst, u32) -> Vec<Reg>| -> Vec<RegSet> {
        code.iter()
            .map(|d| {
                d.inst
                    .as_ref()
                    .map_or(RegSet::default(), |i| RegSet::of(&f(i, wave_size)))
            })
            .collect()
    };
    let (reads, writes) = (regs(Inst::reads), regs(Inst::writes));
    let mut live_in = vec![RegSet::default(); code.len()];
    let live_out = |live_in: &[RegSet], i: usize| {
        successors[i].iter().fold(RegSet::default(), |set, &s| {
            live_in.get(s).map_or(set, |&l| set.union(l))
        })
    };
    loop {
        let mut changed = false;
        for i in (0..code.len()).rev() {
            let before = live_out(&live_in, i).minus(writes[i]).union(reads[i]);
            changed |= before != live_in[i];
            live_in[i] = before;
        }
        if !changed {
            break;
        }
    }
    let at = |i: usize| {
        let after = live_out(&live_in, i).union(writes[i]);
        (
            live_in[i].vgprs().max(after.vgprs()),
            live_in[i].sgprs().max(after.sgprs()),
        )
    };
    (0..code.len()).map(at).collect()
}

fn successors(d: &Decoded, i: usize, index: &HashMap<u64, usize>) -> Vec<usize> {
    let Ok(inst) = &d.inst else { return vec![i + 1] };
    match inst.row().class {
        Class::End => vec![],
        Class::Branch => {
            let taken = d.branch_target().and_then(|t| index.get(&t).copied());
            taken.into_iter().chain(falls_through(inst).then_some(i + 1)).collect()
        }
        _ => vec![i + 1],
    }
}

/// An instruction of a [`Listing`].
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Bytes from the kernel's first instruction.
    pub offset: u64,
    /// Its encoding.
    pub bytes: Vec<u8>,
    /// LLVM's text; `.long` for what is no instruction.
    pub text: String,
    /// Why it is no instruction.
    pub error: Option<DecodeError>,
    /// Its unit and cost class.
    pub class: Option<Class>,
    /// The offset a branch leads to.
    pub branch_target: Option<u64>,
    /// Whether control may go on with the next instruction.
    pub falls_through: bool,
    /// Where it comes from.
    pub line: Option<Line>,
    /// Vector registers live at it.
    pub live_vgprs: u32,
    /// Scalar registers live at it, VCC included.
    pub live_sgprs: u32,
}

/// What is said of a file whose text is another one than when the kernel was compiled.
pub const CHANGED: &str = "source changed since the build";

/// The listing of a kernel. `Display` prints it.
#[derive(Debug, Clone, PartialEq)]
pub struct Listing {
    /// The kernel.
    pub kernel: String,
    /// The chip.
    pub target: Target,
    /// VGPRs of a wave.
    pub vgprs: u32,
    /// SGPRs of a wave.
    pub sgprs: u32,
    /// LDS bytes of a workgroup: what the kernel declares, and what a launch adds ([`Listing::launched`]).
    pub lds_bytes: u32,
    /// Scratch bytes of a work-item.
    pub scratch_bytes: u32,
    /// SGPRs and VGPRs that went to memory for lack of room, where the metadata says so.
    pub spills: Option<[u32; 2]>,
    /// Work-items of the workgroup that `occupancy` assumes.
    pub group_size: u32,
    /// Waves per SIMD and what limits them.
    pub occupancy: Occupancy,
    /// What `occupancy` follows from.
    pub usage: Usage,
    /// The instructions.
    pub entries: Vec<Entry>,
    /// Text of source lines by file and line, as far as it was found.
    source: HashMap<(Arc<str>, u32), String>,
    /// Pieces of source the kernel comes from.
    pieces: Vec<Piece>,
    /// Files that are no longer what was compiled.
    changed: BTreeSet<Arc<str>>,
}

impl Listing {
    /// The listing of a kernel of this code object.
    pub fn new(object: &CodeObject, kernel: &Kernel) -> Listing {
        let target = object.target.with_wave_size(kernel.descriptor.wave_size());
        let decoded = decode_all(object.code(kernel), &target);
        let pressure = pressure(&decoded, target.wave_size);
        let entry = |(d, (live_vgprs, live_sgprs)): (Decoded, (u32, u32))| Entry {
            text: d.text(),
            class: d.inst.as_ref().ok().map(|i| i.row().class),
            branch_target: d.branch_target(),
            falls_through: d.inst.as_ref().map_or(true, |i| match i.row().class {
                Class::End => false,
                Class::Branch => falls_through(i),
                _ => true,
            }),
            line: kernel.line_at(d.offset).cloned(),
            offset: d.offset,
            bytes: d.bytes,
            error: d.inst.err(),
            live_vgprs,
            live_sgprs,
        };
        let d = &kernel.descriptor;
        let m = kernel.metadata.as_ref();
        // The descriptor only knows whole blocks of registers; the metadata knows the number, but may be missing.
        let vgprs = m.map_or(d.vgprs(), |m| m.vgprs);
        let group_size = match m.map(|m| (m.required_group_size, m.max_group_size)) {
            Some((Some([x, y, z]), _)) => x.saturating_mul(y).saturating_mul(z),
            Some((None, Some(most))) if most > 0 => most,
            _ => d.wave_size(),
        };
        let usage = Usage {
            vgprs: d.vgprs(),
            lds_bytes: d.group_segment_bytes,
            group_size,
            wave_size: d.wave_size(),
            wgp_mode: d.wgp_mode(),
        };
        Listing {
            kernel: kernel.name.clone(),
            target,
            vgprs,
            sgprs: m.map_or(object.target.max_sgprs, |m| m.sgprs),
            lds_bytes: d.group_segment_bytes,
            scratch_bytes: d.private_segment_bytes,
            spills: m.map(|m| m.spills),
            group_size,
            occupancy: occupancy(&object.target, &usage),
            usage,
            entries: decoded.into_iter().zip(pressure).map(entry).collect(),
            source: HashMap::new(),
            pieces: kernel.sources.clone(),
            changed: BTreeSet::new(),
        }
    }

    /// The listing with the occupancy of a launch: workgroups of this many work-items, and LDS besides what the kernel declares.
    pub fn launched(mut self, group_size: u32, dynamic_lds: u32) -> Listing {
        self.usage.group_size = group_size;
        self.usage.lds_bytes = self.lds_bytes.saturating_add(dynamic_lds);
        self.group_size = group_size;
        self.lds_bytes = self.usage.lds_bytes;
        self.occupancy = occupancy(&self.target, &self.usage);
        self
    }

    /// The listing with the text of its source lines, which `read` gives file by file (`None`: not found). Of a file that has
    /// changed since the build no line is taken.
    pub fn with_source(mut self, mut read: impl FnMut(&str) -> Option<String>) -> Listing {
        let mut files: HashMap<Arc<str>, Vec<String>> = HashMap::new();
        for line in self.entries.iter().filter_map(|e| e.line.as_ref()) {
            let text = files.entry(line.file.clone()).or_insert_with(|| {
                let text = read(&line.file).unwrap_or_default();
                if !text.is_empty() && is_changed(&self.pieces, &line.file, &text) {
                    self.changed.insert(line.file.clone());
                    return Vec::new();
                }
                text.lines().map(str::to_owned).collect()
            });
            if let Some(text) = (line.line as usize).checked_sub(1).and_then(|n| text.get(n)) {
                self.source
                    .insert((line.file.clone(), line.line), text.trim().to_owned());
            }
        }
        self
    }

    /// The text of a source line, when [`Listing::with_source`] found it.
    pub fn source(&self, line: &Line) -> Option<&str> {
        self.source.get(&(line.file.clone(), line.line)).map(String::as_str)
    }

    /// Files that [`Listing::with_source`] found, but not as they were compiled: their lines are others now.
    pub fn changed_files(&self) -> impl Iterator<Item = &str> {
        self.changed.iter().map(|f| &**f)
    }

    /// Bytes of its code.
    pub fn code_bytes(&self) -> u64 {
        self.entries.iter().map(|e| e.bytes.len() as u64).sum()
    }

    /// What limits the waves, in words.
    pub fn limit_text(&self) -> String {
        match self.occupancy.limited_by {
            Limit::Waves => "all wave slots".to_owned(),
            Limit::Vgprs => format!("limited by {} VGPRs", self.vgprs),
            Limit::Lds => format!("limited by {} bytes of LDS", self.lds_bytes),
            Limit::Groups => format!("limited by the number of groups of {}", self.group_size),
            Limit::DoesNotFit => format!("a group of {} does not fit", self.group_size),
        }
    }
}

/// A listing with notes at its instructions, see [`Listing::noted`].
pub struct Noted<'a, F> {
    listing: &'a Listing,
    note: F,
}

impl<F: Fn(&Entry) -> Option<String>> fmt::Display for Noted<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.listing.write(f, &self.note)
    }
}

impl fmt::Display for Listing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, &|_| None)
    }
}

impl Listing {
    /// The text with what `note` says behind each instruction.
    pub fn noted<F: Fn(&Entry) -> Option<String>>(&self, note: F) -> Noted<'_, F> {
        Noted { listing: self, note }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, note: &dyn Fn(&Entry) -> Option<String>) -> fmt::Result {
        writeln!(f, "; kernel {} for {}", self.kernel, self.target.name)?;
        let (v, s, lds, scratch) = (self.vgprs, self.sgprs, self.lds_bytes, self.scratch_bytes);
        write!(f, "; {v} VGPR, {s} SGPR, {lds} bytes LDS, {scratch} bytes scratch")?;
        match self.spills {
            Some([0, 0]) | None => writeln!(f)?,
            Some([s, v]) => writeln!(f, ", spills of {s} SGPRs and {v} VGPRs")?,
        }
        let waves = self.occupancy.waves_per_simd;
        writeln!(
            f,
            "; {waves} waves/SIMD with groups of {}: {}",
            self.group_size,
            self.limit_text()
        )?;
        for file in self.changed_files() {
            writeln!(
                f,
                "; {file}: {CHANGED}; its text is left out, lines are those of the build"
            )?;
        }
        let mut last: Option<&Line> = None;
        for e in &self.entries {
            let place = |l: Option<&Line>| l.map(|l| (l.file.clone(), l.line));
            if let Some(line) = e.line.as_ref().filter(|l| place(Some(l)) != place(last)) {
                let text = self.source(line).map(|t| format!("  {t}")).unwrap_or_default();
                writeln!(f, "\n; {}:{}{text}", line.file, line.line)?;
                last = Some(line);
            }
            let target = e.branch_target.map(|t| format!(" -> {t:06x}")).unwrap_or_default();
            let (offset, live_v, live_s) = (e.offset, e.live_vgprs, e.live_sgprs);
            let note = note(e).map(|n| format!(" | {n}")).unwrap_or_default();
            writeln!(
                f,
                "  {:<52} ; {offset:06x}: {:<26} v{live_v} s{live_s}{target}{note}",
                e.text,
                hex_words(&e.bytes)
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::object::{write, KernelCode, Resources};
    use crate::target::GFX1100;

    fn listing(words: &[u32], lines: Vec<Line>) -> Listing {
        let kernel = KernelCode {
            name: "k".into(),
            code: words.iter().flat_map(|w| w.to_le_bytes()).collect(),
            resources: Resources {
                vgprs: 97,
                sgprs: 20,
                lds_bytes: 512,
                ..Resources::default()
            },
            args: vec![],
            lds: Vec::new(),
            max_group_size: 64,
            required_group_size: None,
            spills: [0; 2],
            lines,
            atomics: Vec::new(),
            sources: Vec::new(),
        };
        let object = CodeObject::parse(&write(&GFX1100, &[kernel]).unwrap()).unwrap();
        Listing::new(&object, &object.kernels[0])
    }

    const V_ADD_V0_V1_V2: u32 = 0x0600_0501;
    const V_MOV_V1_0: u32 = 0x7e02_0280;
    const S_NOP: u32 = 0xbf80_0000;
    const S_ENDPGM: u32 = 0xbfb0_0000;

    #[test]
    fn pressure_follows_the_loop() {
        // 0: v1 = 0; loop: 4: v0 = v1 + v2; 8: if scc0 goto 4; c: end. v1 and v2 are live around the loop, v0 never
        // read: it counts only where it is written.
        let l = listing(&[V_MOV_V1_0, V_ADD_V0_V1_V2, 0xbfa1_fffe, S_ENDPGM], vec![]);
        let live: Vec<(u32, u32)> = l.entries.iter().map(|e| (e.live_vgprs, e.live_sgprs)).collect();
        assert_eq!(live, [(2, 0), (3, 0), (2, 0), (0, 0)]);
        assert_eq!(l.entries[2].branch_target, Some(4));
    }

    #[test]
    fn what_is_used_behind_a_call_is_live_across_it() {
        // s_swappc_b64 s[0:1], s[2:3]; v0 = v1 + v2; end.
        let l = listing(&[0xbe80_4902, V_ADD_V0_V1_V2, S_ENDPGM], vec![]);
        assert_eq!(l.entries[0].text, "s_swappc_b64 s[0:1], s[2:3]");
        assert_eq!((l.entries[0].live_vgprs, l.entries[0].falls_through), (2, true));
        assert!(!l.entries[2].falls_through);
    }

    #[test]
    fn registers_beyond_vgprs_are_counted_apart() {
        let mut all = RegSet::of(&[Reg::vn(0, 256), Reg::sn(0, 106), Reg::VCC, Reg::VCC_HI]);
        assert_eq!((all.vgprs(), all.sgprs()), (256, 108));
        all = all.union(RegSet::of(&[Reg::EXEC, Reg::M0, Reg::SCC, Reg::NULL]));
        assert_eq!((all.vgprs(), all.sgprs()), (256, 108));
    }

    #[test]
    fn words_that_are_no_instruction_are_kept() {
        let l = listing(&[S_NOP, 0xbfff_ffff, S_ENDPGM], vec![]);
        assert_eq!(l.entries[1].text, ".long 0xBFFFFFFF");
        assert!(l.entries[1].error.is_some() && l.entries[2].error.is_none());
        assert_eq!(l.entries.iter().map(|e| e.bytes.len()).sum::<usize>(), 12);
    }

    #[test]
    fn lines_head_their_instructions() {
        let line = |offset, line| Line {
            offset,
            file: "k.rs".into(),
            line,
            column: 1,
        };
        let l = listing(
            &[S_NOP, S_NOP, S_NOP, S_ENDPGM],
            vec![line(0, 2), line(8, 1), line(12, 0)],
        );
        let text = l
            .with_source(|file| (file == "k.rs").then(|| "fn k() {\n    work();\n}".to_owned()))
            .to_string();
        let heads: Vec<&str> = text.lines().filter(|l| l.starts_with("; k.rs")).collect();
        assert_eq!(heads, ["; k.rs:2  work();", "; k.rs:1  fn k() {"]);
        let header: Vec<&str> = text.lines().take(3).collect();
        assert_eq!(header[0], "; kernel k for gfx1100");
        assert_eq!(header[1], "; 97 VGPR, 20 SGPR, 512 bytes LDS, 0 bytes scratch");
        assert_eq!(header[2], "; 12 waves/SIMD with groups of 64: limited by 97 VGPRs");
        // 12 waves a SIMD are 24 on a CU: three groups of 8 waves; 32 KB of LDS leave room for two.
        let l = listing(&[S_ENDPGM], vec![]);
        let with = |group, lds| {
            let l = l.clone().launched(group, lds);
            (l.occupancy.waves_per_simd, l.occupancy.limited_by, l.lds_bytes)
        };
        assert_eq!(with(256, 0), (12, Limit::Vgprs, 512));
        assert_eq!(with(256, 32256), (8, Limit::Lds, 32768));
    }
}
