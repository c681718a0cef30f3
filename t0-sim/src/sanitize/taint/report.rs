//! Where undefined values come from, and what is said about their uses.

use std::fmt;

use crate::aperture::Space;

/// A register, as reports call it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sanitize) struct Name(u16);

impl Name {
    pub const SCC: Name = Name(512);

    pub fn v(r: usize) -> Name {
        Name(r as u16 & 255)
    }

    pub fn s(r: usize) -> Name {
        Name(256 + (r as u16 & 127))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            r @ 0..=255 => write!(f, "v{r}"),
            512 => f.write_str("scc"),
            362 => f.write_str("vcc_lo"),
            363 => f.write_str("vcc_hi"),
            381 => f.write_str("m0"),
            382 => f.write_str("exec_lo"),
            383 => f.write_str("exec_hi"),
            r => write!(f, "s{}", r - 256),
        }
    }
}

/// Where an undefined value was born: a register nobody wrote, or a load and its place.
///
/// Bit 63 says that it has been computed with since. Bits 62:48 are 1 + the index of the load, 0 for a register; bits 47:0 the
/// register, a GPU address, or with bit 47 an offset in the LDS or (bit 46) in the lane's private memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sanitize) struct Born(u64);

/// What a [`Born`] says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sanitize) enum Origin {
    /// Nobody wrote the register.
    Register(Name),
    /// An instruction (unknown in code of more than 32766 instructions) loaded from there.
    Load(Option<u32>, Space, u64),
}

const LOCAL: u64 = 1 << 47;
const PRIVATE: u64 = 1 << 46;
const PLACE: u64 = (1 << 48) - 1;
const UNKNOWN: u64 = 0x7fff;
const COMPUTED: u64 = 1 << 63;

impl Born {
    pub const NONE: Born = Born(0);

    pub fn register(n: Name) -> Born {
        Born(u64::from(n.0))
    }

    pub fn load(index: u32, space: Space, at: u64) -> Born {
        let place = match space {
            Space::Global => at & (LOCAL - 1),
            Space::Shared => LOCAL | at & (PRIVATE - 1),
            Space::Private => LOCAL | PRIVATE | at & (PRIVATE - 1),
        };
        Born((u64::from(index) + 1).min(UNKNOWN) << 48 | place)
    }

    pub fn origin(self) -> Origin {
        let place = self.0 & PLACE;
        let load = |space, at| {
            let index = Some(self.0 >> 48 & UNKNOWN)
                .filter(|&k| k != UNKNOWN)
                .map(|k| k as u32 - 1);
            Origin::Load(index, space, at)
        };
        match self.0 >> 48 & UNKNOWN {
            0 => Origin::Register(Name(place as u16)),
            _ if place & LOCAL == 0 => load(Space::Global, place),
            _ if place & PRIVATE == 0 => load(Space::Shared, place & !LOCAL),
            _ => load(Space::Private, place & !(LOCAL | PRIVATE)),
        }
    }

    /// Of a value that depends on this one.
    pub fn computed(self) -> Born {
        match self {
            Born::NONE => Born::NONE,
            Born(b) => Born(b | COMPUTED),
        }
    }

    /// Whether private memory was its birthplace.
    pub fn is_private(self) -> bool {
        matches!(self.origin(), Origin::Load(_, Space::Private, _))
    }

    /// Whether it was loaded, and only moved since.
    pub fn is_moved(self) -> bool {
        self.0 & COMPUTED == 0 && matches!(self.origin(), Origin::Load(..))
    }
}

/// A use of an undefined value.
#[derive(Clone, Copy, Debug)]
pub(in crate::sanitize) struct Found {
    /// What it is used as.
    pub what: &'static str,
    /// The register; none when an atomic works on undefined memory.
    pub name: Option<Name>,
    /// The lane of the wave, of a vector register or lane mask.
    pub lane: Option<u8>,
    pub born: Born,
}

impl Found {
    /// The instruction that loaded the value.
    pub fn load(&self) -> Option<u32> {
        match self.born.origin() {
            Origin::Load(index, ..) => index.filter(|_| self.name.is_some()),
            Origin::Register(_) => None,
        }
    }

    /// Which memory the value was loaded from.
    pub fn space(&self) -> Option<Space> {
        match self.born.origin() {
            Origin::Load(_, space, _) => Some(space),
            Origin::Register(_) => None,
        }
    }

    /// The report. `instruction` describes a load, `place` a place in memory that has a name.
    pub fn text(&self, instruction: &dyn Fn(u32) -> String, place: &dyn Fn(Space, u64) -> String) -> String {
        let lane = self.lane.map_or(String::new(), |l| format!(" (lane {l})"));
        let subject = match self.name {
            Some(n) => format!("{n}{lane} is used as {}", self.what),
            None => format!("{} in lane {}", self.what, self.lane.unwrap_or(0)),
        };
        match (self.born.origin(), self.name) {
            (Origin::Register(r), Some(n)) if r == n => format!("{subject} but was never written"),
            (Origin::Register(r), _) => format!("{subject} but comes from {r}, which was never written"),
            (Origin::Load(_, space, at), None) => format!("{subject}: nobody has written {}", place(space, at)),
            (Origin::Load(index, space, at), Some(_)) => {
                let load = index.map_or_else(|| String::from("a load"), instruction);
                format!(
                    "{subject} but holds what {load} read from {}, which nobody has written",
                    place(space, at)
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_kept() {
        let all = [
            (Space::Global, 0x7fff_ffff_fffc),
            (Space::Shared, 0xfffc),
            (Space::Private, 0x1_0000),
        ];
        for (space, at) in all {
            assert_eq!(Born::load(7, space, at).origin(), Origin::Load(Some(7), space, at));
            assert_eq!(Born::load(70_000, space, at).origin(), Origin::Load(None, space, at));
        }
        assert_eq!(Born::register(Name::s(106)).origin(), Origin::Register(Name::s(106)));
        assert_eq!(Name::s(106).to_string(), "vcc_lo");
        let private = Born::load(0, Space::Private, 4);
        assert!(private.is_private() && private.is_moved() && private.computed().is_private());
        assert!(!private.computed().is_moved() && !Born::register(Name::v(3)).is_moved());
        assert_eq!(private.computed().origin(), private.origin());
    }
}
