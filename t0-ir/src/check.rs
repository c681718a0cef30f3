//! Checked indexing: the places a kernel checks, and the report of a check that failed.
//!
//! Problem: a kernel whose index is out of range must say so from the device itself, on a simulated card as on a real one.
//! Method: a staged check is the operation [`crate::OpKind::Check`] with the number of a [`Site`]. Where it fails, the first
//! lane of the launch to get there fills the launch's [`Report`], eight words the kernel finds through the hidden last word of
//! its arguments ([`crate::abi::report`]), and its wave ends. Sites never leave the host.
//!
//! Invariant: a report is whole once the launch is complete, because the wave that claims it writes the rest before it ends.

use crate::func::{Func, Span};

/// What an index is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bound {
    /// The number of elements.
    Length,
    /// The number of rows of a matrix.
    Rows,
    /// The end of a range, with the number of elements.
    End,
    /// The start of a range, with its end.
    Order,
    /// The number of 16-row blocks of a tile in LDS.
    Blocks,
    /// The first of 16 columns, with the number of columns of a tile in LDS.
    Columns,
}

impl Bound {
    /// All of them.
    pub const ALL: [Bound; 6] = [
        Bound::Length,
        Bound::Rows,
        Bound::End,
        Bound::Order,
        Bound::Blocks,
        Bound::Columns,
    ];

    /// Its name in the text form.
    pub fn name(self) -> &'static str {
        match self {
            Bound::Length => "length",
            Bound::Rows => "rows",
            Bound::End => "end",
            Bound::Order => "order",
            Bound::Blocks => "blocks",
            Bound::Columns => "columns",
        }
    }
}

/// A place in the source where an index is checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Where.
    pub span: Span,
    /// What is indexed, in the user's words: `` `x` ``, ``a row of `x` ``.
    pub of: String,
    /// What the index is compared with.
    pub bound: Bound,
}

/// An index for a message: one just below 0 has wrapped around, and is told as what it was meant to be, too.
pub fn index_text(index: u32) -> String {
    const NEAR: i32 = -(1 << 20);
    match index as i32 {
        i @ NEAR..0 => format!("{i} ({index})"),
        _ => index.to_string(),
    }
}

impl Site {
    /// What is wrong, as one sentence, for the two numbers of a report.
    pub fn message(&self, index: u32, len: u32) -> String {
        let (of, index) = (&self.of, index_text(index));
        match self.bound {
            Bound::Length => format!("index {index} is out of range of {of}, whose length is {len}"),
            Bound::Rows => format!("row {index} is out of range of {of}, which has {len} rows"),
            Bound::End => format!("a range ends at {index}, out of range of {of}, whose length is {len}"),
            Bound::Order => format!("a range of {of} starts at {index}, behind its end {len}"),
            Bound::Blocks => format!("block {index} is out of range of {of}, which has {len} blocks of 16 rows"),
            Bound::Columns => format!("columns {index} to {index} + 15 are not all in {of}, which has {len} columns"),
        }
    }
}

/// What a failed check says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// Number of the site, an index into [`Func::sites`].
    pub site: u32,
    /// The index.
    pub index: u32,
    /// What it was compared with.
    pub len: u32,
    /// Index of the work-item in its workgroup.
    pub local: u32,
    /// The workgroup, in x, y, z.
    pub group: [u32; 3],
}

impl Report {
    /// Words of a report in memory: site, index, length, work-item, workgroup in x, y, z, and last the word that is not 0 once
    /// a wave has claimed it.
    pub const WORDS: u32 = 8;
    /// Byte offset of the workgroup's words.
    pub const GROUP: u32 = 16;
    /// Byte offset of the claimed word.
    pub const CLAIMED: u32 = 28;

    /// The report in memory, if a check failed.
    pub fn from_words(words: &[u32; Report::WORDS as usize]) -> Option<Report> {
        let [site, index, len, local, x, y, z, claimed] = *words;
        (claimed != 0).then_some(Report {
            site,
            index,
            len,
            local,
            group: [x, y, z],
        })
    }
}

impl Func {
    /// The number of a site, added when new.
    pub fn site(&mut self, site: Site) -> u32 {
        match self.sites.iter().position(|s| *s == site) {
            Some(i) => i as u32,
            None => {
                self.sites.push(site);
                self.sites.len() as u32 - 1
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn words_are_a_report_once_claimed() {
        let mut words = [3, 1000, 7, 69, 1, 2, 4, 0];
        assert_eq!(Report::from_words(&words), None);
        words[Report::CLAIMED as usize / 4] = 1;
        let r = Report::from_words(&words).unwrap();
        assert_eq!((r.site, r.index, r.len, r.local, r.group), (3, 1000, 7, 69, [1, 2, 4]));
        assert_eq!(words[Report::GROUP as usize / 4], r.group[0]);
    }

    #[test]
    fn sentences_name_the_numbers() {
        let site = |bound| Site {
            span: Span::default(),
            of: "`x`".into(),
            bound,
        };
        let say = |bound| site(bound).message(1000, 7);
        assert_eq!(
            say(Bound::Length),
            "index 1000 is out of range of `x`, whose length is 7"
        );
        assert_eq!(say(Bound::Rows), "row 1000 is out of range of `x`, which has 7 rows");
        assert_eq!(say(Bound::Order), "a range of `x` starts at 1000, behind its end 7");
    }
}
