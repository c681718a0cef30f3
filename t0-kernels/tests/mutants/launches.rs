//! Launches that do not fit the kernel.

use crate::case::{Arg, Case, Shot};
use crate::ir::stores;
use crate::judge::Mutant;

/// Makes the mutants of one case.
struct Maker<'a> {
    number: usize,
    case: &'a Case,
    out: Vec<Mutant>,
}

/// All mutants of a case's launches.
pub fn mutants(number: usize, case: &Case) -> Vec<Mutant> {
    let mut m = Maker {
        number,
        case,
        out: Vec::new(),
    };
    m.sizes();
    m.grid();
    m.group();
    m.memory();
    m.arguments();
    m.out
}

impl Maker<'_> {
    /// A mutant with changed launches.
    fn push(&mut self, class: &'static str, what: &str, rules: &'static [&'static str], change: impl Fn(&mut Shot)) {
        let mut shots = self.case.shots.clone();
        shots.iter_mut().for_each(change);
        self.out.push(Mutant {
            class,
            case: self.number,
            what: what.into(),
            planted: None,
            object: Ok(self.case.object.clone()),
            rules,
            suffers: Default::default(),
            equivalent: None,
            shots: Some(shots),
            touched: Default::default(),
        });
    }

    /// Outputs that are too small.
    fn sizes(&mut self) {
        if self.case.name == "reduce" {
            return; // its output is one element
        }
        self.push("undersized output", "half of the bytes", &["out-of-bounds"], |shot| {
            let Some(Arg::Slice(buf, _) | Arg::Mat(buf, _)) = shot.args.last_mut() else {
                return;
            };
            buf.size = buf.size / 2 / 4 * 4;
            let size = buf.size as usize;
            let pieces = buf.pieces.iter_mut();
            pieces.for_each(|(at, bytes)| bytes.truncate(size.saturating_sub(*at as usize)));
        });
        self.stores();
    }

    /// The last mutant is to be reported where the kernel writes.
    fn stores(&mut self) {
        if let (Some(m), Some(f)) = (self.out.last_mut(), &self.case.func) {
            m.suffers = stores(f);
        }
    }

    fn grid(&mut self) {
        if self.case.shots.iter().all(|s| s.groups != [1; 3]) {
            self.push("wrong grid", "one workgroup fewer", &[], |shot| {
                let k = usize::from(shot.groups[0] == 1);
                shot.groups[k] -= 1;
            });
        }
        self.push("wrong grid", "no workgroup along y", &["fault"], |s| s.groups[1] = 0);
        let compares = self.case.func.is_some();
        let rules: &[&str] = if compares { &[] } else { &["out-of-bounds"] };
        let tickets = self.case.name == "tickets";
        self.push("wrong grid", "one workgroup more", rules, |s| s.groups[0] += 1);
        if let Some(m) = self.out.last_mut().filter(|_| compares && !tickets) {
            let why = "the kernel compares its indices with lengths: the launch was run, nothing is written";
            m.equivalent = Some(why.into());
        }
    }

    /// Workgroups of another size, with the same number of workgroups, and less LDS than the descriptor asks for.
    fn group(&mut self) {
        let size = self.case.group;
        if size > 32 {
            self.push("wrong workgroup size", "half as large", &[], |s| {
                s.odd.group = Some(size / 2)
            });
        }
        if size <= 512 {
            self.push("wrong workgroup size", "twice as large", &[], |s| {
                s.odd.group = Some(size * 2)
            });
        }
        if self.case.func.as_ref().is_some_and(|f| !f.lds.is_empty()) {
            let rules = &["fault", "lds-out-of-bounds"];
            self.push("LDS missing in the launch", "none", rules, |s| s.odd.lds = Some(0));
        }
    }

    fn memory(&mut self) {
        for (i, arg) in self.case.shots[0].args.iter().enumerate() {
            if matches!(arg, Arg::Scalar(_)) {
                continue;
            }
            let what = format!("argument {i} is freed before the launch");
            self.push("freed buffer", &what, &["use-after-free"], |s| s.odd.freed = Some(i));
        }
        let atomics = |f: &t0::ir::Func| {
            let float = |o: &&t0::ir::Op| matches!(o.kind, t0::ir::OpKind::Atomic { .. });
            f.ops.iter().any(|o| float(&o))
        };
        if self.case.func.as_ref().is_some_and(atomics) {
            let rules = &["float-atomic-fine-grained"];
            let what = "all memory is the host's";
            self.push("atomic on fine-grained memory", what, rules, |s| s.odd.host = true);
            self.stores();
        }
    }

    /// Argument blocks that are too short, and strides that are not the buffer's.
    fn arguments(&mut self) {
        let rules = &["out-of-bounds"];
        for bytes in [4, 8] {
            let what = format!("the last {bytes} bytes");
            self.push("argument missing", &what, rules, |s| s.odd.short = bytes);
            if let (Some(m), None) = (self.out.last_mut(), &self.case.func) {
                m.equivalent = Some("the kernel in assembly does not load its last argument, a length".into());
            }
        }
        for i in 0..self.case.shots[0].args.len() {
            let padded =
                |s: &Shot| matches!(s.args[i], Arg::Mat(_, [rows, cols, stride]) if rows > 1 && cols != stride);
            if self.case.shots.iter().any(padded) {
                let what = format!("argument {i} without the gaps between its rows");
                self.push("stride of padded rows", &what, &[], |s| {
                    if let Arg::Mat(_, [_, cols, stride]) = &mut s.args[i] {
                        *stride = *cols;
                    }
                });
            }
        }
    }
}
