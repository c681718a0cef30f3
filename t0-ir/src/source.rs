//! What a piece of source was when it was compiled, so that nobody takes another text for it later.
//!
//! Problem: listings read a source file when they are printed, and it may have changed since the build; line numbers then name
//! other lines. Method: `#[kernel]` and `#[device]` hand the text between two delimiters (the parameters, the body) to the stage;
//! its place and a hash are kept beside the line numbers and compared with the file. Changes elsewhere in the file that leave the
//! piece where it was do not matter. Kernels that a `macro_rules!` macro writes have no such place, and no extent.

/// Where a piece of source stood, and a hash of its text. Lines and columns from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Line and column of its first character.
    pub from: (u32, u32),
    /// Of its last one.
    pub to: (u32, u32),
    /// Hash of the text.
    pub hash: u64,
}

impl Extent {
    /// Of a text between these places; `None` if it cannot have stood there.
    pub fn new(from: (u32, u32), to: (u32, u32), text: &str) -> Option<Extent> {
        let rows = text.split('\n').count() as u64;
        let last = text.split('\n').next_back()?.chars().count() as u64;
        let before = if rows == 1 { u64::from(from.1) - 1 } else { 0 };
        let fits = u64::from(from.0) + rows == u64::from(to.0) + 1 && before + last == u64::from(to.1);
        let hash = hash(text);
        fits.then_some(Extent { from, to, hash })
    }

    /// Whether a file with this text has the piece where it was.
    pub fn is_in(&self, file: &str) -> bool {
        let file = file.strip_prefix('\u{feff}').unwrap_or(file);
        let (first, count) = (
            self.from.0 as usize,
            (self.to.0 + 1).saturating_sub(self.from.0) as usize,
        );
        let mut lines: Vec<String> = file
            .lines()
            .skip(first.saturating_sub(1))
            .take(count)
            .map(str::to_owned)
            .collect();
        if lines.len() != count {
            return false;
        }
        if let Some(last) = lines.last_mut() {
            *last = last.chars().take(self.to.1 as usize).collect();
        }
        if let Some(first) = lines.first_mut() {
            *first = first.chars().skip(self.from.1.saturating_sub(1) as usize).collect();
        }
        hash(&lines.join("\n")) == self.hash
    }
}

/// FNV-1a of 64 bits (Fowler, Noll, Vo): it tells texts apart that nobody chose to look alike.
fn hash(text: &str) -> u64 {
    let step = |h: u64, b: u8| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_is_found_where_it_was_and_nowhere_else() {
        let file = "// ü\nfn k(x: u32) { x }\nfn l() {\n    y();\n}\n";
        let one = Extent::new((2, 14), (2, 18), "{ x }").unwrap();
        let three = Extent::new((3, 8), (5, 1), "{\n    y();\n}").unwrap();
        for e in [one, three] {
            assert!(e.is_in(file));
            assert!(e.is_in(&file.replace('\n', "\r\n")) && e.is_in(&format!("\u{feff}{file}")));
            assert!(e.is_in(&file.replace("// ü", "// another comment")), "it is elsewhere");
            assert!(!e.is_in(&format!("\n{file}")), "it has moved");
            assert!(!e.is_in(""));
        }
        assert!(!one.is_in(&file.replace("{ x }", "{ z }")) && three.is_in(&file.replace("{ x }", "{ z }")));
        assert!(!three.is_in(&file.replace("    y", "  y")) && !three.is_in(&file.replace("}\n", "")));
        assert_eq!(hash("a"), 0xaf63_dc4c_8601_ec8c, "of the authors' test vectors");
    }

    #[test]
    fn a_text_that_did_not_stand_there_has_no_extent() {
        // All lines of a macro's kernel are those of its call.
        assert_eq!(Extent::new((7, 5), (7, 5), "{\n    y();\n}"), None);
        assert_eq!(Extent::new((7, 5), (7, 5), "{ x }"), None);
        assert_eq!(Extent::new((7, 5), (9, 2), "{\n    y();\n}"), None);
    }
}
