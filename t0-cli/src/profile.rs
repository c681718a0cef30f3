//! What a launch executed and how far it can be trusted, as text and JSON.

use serde::Serialize;
use t0_sim::fidelity::{self, Report};
use t0_sim::profile::class_name;
use t0_sim::Profile;

/// Wave instructions by class and by opcode, most frequent first.
#[derive(Debug, Serialize)]
pub struct Counts {
    classes: Vec<Class>,
    opcodes: Vec<Opcode>,
}

#[derive(Debug, Serialize)]
struct Class {
    name: String,
    count: u64,
}

#[derive(Debug, Serialize)]
struct Opcode {
    name: String,
    class: String,
    count: u64,
}

impl Counts {
    /// Of a launch.
    pub fn of(profile: &Profile) -> Counts {
        let class = |(name, count)| Class { name, count };
        let opcode = |o: t0_sim::profile::OpCount| Opcode {
            name: o.name,
            class: class_name(o.class),
            count: o.count,
        };
        Counts {
            classes: profile.by_class().into_iter().map(class).collect(),
            opcodes: profile.by_opcode().into_iter().map(opcode).collect(),
        }
    }

    /// As lines.
    pub fn text(&self) -> String {
        let all: u64 = self.classes.iter().map(|c| c.count).sum();
        let mut s = format!("{all} wave instructions\n");
        for c in &self.classes {
            s += &format!("{:>12} {}\n", c.count, c.name);
            for o in self.opcodes.iter().filter(|o| o.class == c.name) {
                s += &format!("{:>16} {}\n", o.count, o.name);
            }
        }
        s
    }
}

/// The fidelity report of a launch.
#[derive(Debug, Serialize)]
pub struct Fidelity {
    numerics: &'static str,
    exact: bool,
    opcodes: Vec<Judged>,
    reached: Vec<Reached>,
    uneven_tiles: u64,
    #[serde(skip)]
    text: String,
}

#[derive(Debug, Serialize)]
struct Judged {
    name: String,
    class: String,
    count: u64,
    level: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bound: Option<&'static str>,
}

#[derive(Debug, Serialize)]
struct Reached {
    sink: &'static str,
    offset: u64,
    instruction: String,
    count: u64,
}

impl Fidelity {
    /// Of a launch.
    pub fn of(profile: &Profile) -> Fidelity {
        let report = Report::of(profile);
        let judged = |(o, f): &(t0_sim::profile::OpCount, fidelity::Fidelity)| {
            let (why, bound) = match *f {
                fidelity::Fidelity::Exact => (None, None),
                fidelity::Fidelity::Approximate { why, bound } => (Some(why), Some(bound)),
                fidelity::Fidelity::Unsupported { why } => (Some(why), None),
            };
            Judged {
                name: o.name.clone(),
                class: class_name(o.class),
                count: o.count,
                level: f.name(),
                why,
                bound,
            }
        };
        let reached = |r: &fidelity::Reached| Reached {
            sink: r.sink.name(),
            offset: r.offset,
            instruction: r.text.clone(),
            count: r.count,
        };
        Fidelity {
            numerics: report.numerics.name(),
            exact: report.is_exact(),
            opcodes: report.opcodes.iter().map(judged).collect(),
            reached: report.reached.iter().map(reached).collect(),
            uneven_tiles: report.uneven_tiles,
            text: report.to_string(),
        }
    }

    /// As lines.
    pub fn text(&self) -> String {
        self.text.clone()
    }
}
