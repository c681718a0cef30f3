//! A code object as instructions that can be replaced where they stand.
//!
//! Invariant: an instruction is replaced by bytes of the same length (`s_nop` fills up), so offsets, branches and the
//! line table stay right.

use t0_backend_rdna3::isa::{decode, encode, Inst, Opcode, Operand, Sopp};
use t0_backend_rdna3::object::CodeObject;
use t0_backend_rdna3::target::GFX1100;

use crate::judge::{spot, Spot};

/// An instruction and where it is.
#[derive(Clone)]
pub struct At {
    pub offset: u64,
    pub size: usize,
    pub inst: Inst,
}

/// A code object with one kernel.
#[derive(Clone)]
pub struct Image {
    pub file: Vec<u8>,
    pub object: CodeObject,
    pub insts: Vec<At>,
    /// Offset of the kernel's code and of its descriptor in the file.
    code: usize,
    descriptor: usize,
}

impl Image {
    pub fn new(file: &[u8]) -> Image {
        let object = CodeObject::parse(file).unwrap();
        let kernel = &object.kernels[0];
        let code = object.code(kernel).to_vec();
        let descriptor = object.bytes(kernel.descriptor_vaddr, 64).unwrap().to_vec();
        let find = |what: &[u8]| file.windows(what.len()).position(|w| w == what).unwrap();
        let (at, descriptor) = (find(&code), find(&descriptor));
        let mut insts = Vec::new();
        let mut offset = 0;
        while offset < code.len() {
            let (inst, size) = decode(&code[offset..], &GFX1100).unwrap();
            insts.push(At {
                offset: offset as u64,
                size,
                inst,
            });
            offset += size;
        }
        Image {
            file: file.to_vec(),
            code: at,
            descriptor,
            insts,
            object,
        }
    }

    /// The place of an instruction.
    pub fn spot(&self, i: usize) -> Spot {
        spot(&self.object, self.insts[i].offset)
    }

    /// The file with other instructions in the place of one; `None` if they are longer or do not exist.
    pub fn replace(&self, i: usize, new: &[Inst]) -> Option<Vec<u8>> {
        let at = &self.insts[i];
        let mut bytes = Vec::new();
        for inst in new {
            bytes.extend(encode(inst, &GFX1100).ok()?);
        }
        while bytes.len() < at.size {
            bytes.extend(encode(&nop(), &GFX1100).ok()?);
        }
        (bytes.len() == at.size).then(|| self.patched(self.code + at.offset as usize, &bytes))
    }

    /// The file with other instructions in the place of one and the next; `None` if they do not fit.
    pub fn replace_two(&self, i: usize, new: &[Inst]) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        for inst in new {
            bytes.extend(encode(inst, &GFX1100).ok()?);
        }
        let (at, size) = (&self.insts[i], self.insts[i].size + self.insts[i + 1].size);
        (bytes.len() == size).then(|| self.patched(self.code + at.offset as usize, &bytes))
    }

    /// The instructions as they are in such a file.
    pub fn with(&self, i: usize, new: &[Inst]) -> Option<Image> {
        self.replace(i, new).map(|file| Image::new(&file))
    }

    /// The file with a changed dword of the descriptor.
    pub fn descriptor_word(&self, at: usize, change: impl Fn(u32) -> u32) -> Vec<u8> {
        let from = self.descriptor + at;
        let old: [u8; 4] = self.file[from..from + 4].try_into().unwrap();
        self.patched(from, &change(u32::from_le_bytes(old)).to_le_bytes())
    }

    fn patched(&self, at: usize, bytes: &[u8]) -> Vec<u8> {
        let mut file = self.file.clone();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        file
    }

    /// The instruction that begins at an offset.
    pub fn index(&self, offset: u64) -> Option<usize> {
        self.insts.binary_search_by_key(&offset, |a| a.offset).ok()
    }

    /// Where a branch leads, when this is one.
    pub fn target(&self, i: usize) -> Option<u64> {
        let at = &self.insts[i];
        let branch = at.inst.row().name.starts_with("s_branch") || at.inst.row().name.starts_with("s_cbranch");
        match at.inst.operands.first() {
            Some(Operand::Imm(n)) if branch => Some((at.offset as i64 + 4 + 4 * i64::from(*n as i16)) as u64),
            _ => None,
        }
    }

    /// Instructions that may follow.
    pub fn next(&self, i: usize) -> Vec<usize> {
        let inst = &self.insts[i].inst;
        let through = !matches!(inst.op, Opcode::Sopp(Sopp::s_branch | Sopp::s_endpgm));
        let jump = self.target(i).and_then(|to| self.index(to));
        let fall = (through && i + 1 < self.insts.len()).then_some(i + 1);
        fall.into_iter().chain(jump).collect()
    }
}

pub fn nop() -> Inst {
    Inst::new(Sopp::s_nop, vec![Operand::Imm(0)])
}
