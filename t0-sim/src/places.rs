//! What an instruction of a launch is called: its offset, text and Rust line, and the workgroup that ran it.

use std::sync::Arc;

use t0_backend_rdna3::object::{called_function, Kernel, Line};

use crate::dice;
use crate::driver::{self, Site};
use crate::job::Source;
use crate::program::Program;

/// What places are told by; it outlives the launch.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    /// The code object, if the client told.
    pub source: Option<Source>,
    /// Workgroups in x, y, z.
    pub groups: [u32; 3],
    /// Seed of the order of workgroups.
    pub order: u64,
    /// Workgroups in all, and at once.
    pub sizes: (u64, u64),
    /// The only ones that run, when the cycle model looks at a sample.
    pub numbers: Option<Arc<[u64]>>,
}

impl Places {
    /// The number in the launch of the workgroup that runs as number `n`.
    pub fn number(&self, n: u64) -> u64 {
        if let Some(numbers) = &self.numbers {
            return usize::try_from(n)
                .ok()
                .and_then(|n| numbers.get(n))
                .copied()
                .unwrap_or(n);
        }
        let (total, resident) = self.sizes;
        dice::workgroup(self.order, n, total, resident)
    }

    /// The workgroup that runs as number `n`, in x, y, z.
    pub fn id(&self, n: u64) -> [u32; 3] {
        let n = self.number(n);
        let [gx, gy, _] = self.groups.map(u64::from);
        [n % gx, n / gx % gy, n / (gx * gy)].map(|v| v as u32)
    }

    /// File and line of an instruction, when the code object tells.
    pub fn row(&self, program: &Program, at: u32) -> Option<(Arc<str>, u32)> {
        let line = self.line(program, at)?;
        Some((line.file.clone(), line.line))
    }

    fn line(&self, program: &Program, at: u32) -> Option<&Line> {
        self.kernel()?.line_at(program.code.get(at as usize)?.offset)
    }

    fn kernel(&self) -> Option<&Kernel> {
        let (object, kernel) = self.source.as_ref()?;
        object.kernels.get(*kernel)
    }

    /// Place of an instruction in the Rust source, with its text.
    pub fn line_of(&self, program: &Program, at: u32) -> Option<driver::Source> {
        let sources = self.kernel().map_or(&[][..], |k| &k.sources);
        self.line(program, at).map(|l| driver::Source::of(l, sources))
    }

    /// The called function an instruction stands in, and its offset there.
    pub fn function_of(&self, pc: u64) -> Option<(Arc<str>, u64)> {
        let (object, kernel) = self.source.as_ref()?;
        let own = &object.kernels.get(*kernel)?.code;
        let at = own.start.wrapping_add(pc);
        let f = called_function(&object.functions, own, at)?;
        Some((f.name.as_str().into(), at - f.code.start))
    }

    /// An instruction as a lane of a wave executed it.
    pub fn site(&self, program: &Program, at: u32, group: u64, wave: u32, lane: u32) -> Site {
        let pc = program.code.get(at as usize).map_or(0, |i| i.offset);
        Site {
            pc,
            function: self.function_of(pc),
            instruction: program.text(at),
            source: self.line_of(program, at),
            workgroup: self.id(group),
            wave,
            lane,
        }
    }
}
