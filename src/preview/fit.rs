//! Lines that together keep to a budget of chars, and the marks for what is left out.

use crate::text::show;

/// The longest line that a preview by kind shows, in chars.
pub(super) const LINE_CHARS: usize = 400;

/// Lines within a budget; each costs its chars and one for its end.
#[derive(Debug)]
pub(super) struct Fit {
    pub(super) lines: Vec<String>,
    left: usize,
}

impl Fit {
    pub(super) fn new(budget_chars: usize) -> Self {
        Fit { lines: Vec::new(), left: budget_chars }
    }

    /// Returns how many chars are left.
    pub(super) fn left(&self) -> usize {
        self.left
    }

    /// Adds a line if it fits, its end included, and `reserve` chars are left after it.
    pub(super) fn push(&mut self, line: String, reserve: usize) -> bool {
        debug_assert!(!line.contains('\n'));
        let Some(left) = self.left.checked_sub(cost(&line)).filter(|left| *left >= reserve) else { return false };
        self.left = left;
        self.lines.push(line);
        true
    }
}

/// Returns what a line costs of a budget.
pub(super) fn cost(line: &str) -> usize {
    line.chars().count() + 1
}

/// Returns the mark for the lines `from` to `to`, which have `chars` chars.
pub(super) fn omitted(from: u64, to: u64, chars: u64) -> String {
    format!(
        "[... lines {from}-{to} omitted ({}, {}) ...]",
        show::count(to.saturating_sub(from) + 1, "line"),
        show::count(chars, "char")
    )
}

/// How many chars the longest mark takes, with its end.
pub(super) const MARK: usize = 120;

/// A heading of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Heading {
    /// The number of its line, from 0.
    pub(super) line: u64,
    /// From 1.
    pub(super) level: usize,
    /// Clean and cut.
    pub(super) text: String,
}

/// How many headings are held; further ones are counted.
pub(super) const HEADINGS: usize = 2000;

/// Returns how deep headings can be shown so that all of them cost at most `budget`; 0 if not even the first level fits.
pub(super) fn depth(headings: &[Heading], budget: usize) -> usize {
    let mut costs = [0usize; 7];
    for heading in headings {
        costs[heading.level.clamp(1, 6)] += heading.text.chars().count() + 24;
    }
    let mut total = 0;
    (1..=6)
        .take_while(|&level| {
            total += costs[level];
            total <= budget
        })
        .last()
        .unwrap_or(0)
}

/// Returns the line that shows a heading, with how many deeper ones come below it unshown.
pub(super) fn heading_line(heading: &Heading, deeper: usize) -> String {
    let more = if deeper > 0 { format!(" (+{} deeper)", show::thousands(deeper as u64)) } else { String::new() };
    format!("{:>6}  {} {}{more}", heading.line, "#".repeat(heading.level.clamp(1, 6)), heading.text)
}
