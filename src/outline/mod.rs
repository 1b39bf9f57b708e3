//! A map of a text: what is in it and on which lines, so that the next question can go straight there.
//!
//! One file a kind of text, each with one function that reads the (decoded) text once. Laws: memory is bounded
//! whatever the text; whatever was left out, sampled or could not be read is said in [`Outline::notes`]; every line
//! number is one that `range` takes. The most useful rows come first, because the reader may see only the first few
//! thousand chars; rows of one section stand in the order of the text.

pub mod blocks;
pub mod code;
pub mod csv;
pub mod diff;
pub mod html;
pub mod json;
mod languages;
mod levels;
pub mod log;
pub mod markdown;
pub mod ndjson;
mod paths;
mod scan;
mod schema;
mod shape;
mod values;
pub mod xml;

use serde_json::{Map, Value};

use crate::text::lines::Line;
use crate::text::show::{count, thousands};
use crate::text::{clean, cut};

/// One row of an outline.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// The line it stands for, from 0; `None` for a row that names the rows below it.
    pub line: Option<u64>,
    /// What is there, clean and short.
    pub text: String,
    /// The same for programs, beside line and text.
    pub fields: Map<String, Value>,
}

/// A map of a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outline {
    /// What the whole is: `14 files, +120 -33`.
    pub head: String,
    /// The rows.
    pub entries: Vec<Entry>,
    /// What could not be read and where reading stopped, what was sampled or left out.
    pub notes: Vec<String>,
}

/// The most rows an outline keeps, so that its memory is bounded.
pub const MAX_ENTRIES: usize = 2000;

/// How long a row's text may be, in chars.
const ROW_CHARS: usize = 120;
/// How many chars of rows a reader is sure to see at once; an answer is capped at 4,000 with its head and notes.
const SCREEN_CHARS: usize = 3_000;
/// How much of a line is looked at for a row, in bytes: what stands after it is cut from the row anyway.
const LINE_BYTES: usize = 1024;

impl Entry {
    /// A row for a line.
    fn at(line: u64, text: impl Into<String>) -> Entry {
        Entry { line: Some(line), text: text.into(), fields: Map::new() }
    }

    /// A row that names the rows below it.
    fn caption(text: impl Into<String>) -> Entry {
        Entry { line: None, text: text.into(), fields: Map::new() }
    }

    /// Adds a field for programs.
    fn with(mut self, key: &str, value: impl Into<Value>) -> Entry {
        self.fields.insert(key.to_owned(), value.into());
        self
    }
}

/// Returns the start of a line as a reader sees it, with a tab as one blank, no blank at the end and at most
/// [`ROW_CHARS`] chars.
fn row(line: &[u8]) -> String {
    // A line that ends in `\r` or paints over itself must be seen whole to be seen right.
    let shown = clean::line(&line[..line.len().min(LINE_BYTES)]).replace('\t', " ");
    cut::start(shown.trim_end(), ROW_CHARS).into_owned()
}

/// Returns whether a line is the first piece of its line, and what of it is worth looking at.
fn start_of<'a>(line: &Line<'a>) -> Option<&'a [u8]> {
    line.part.first.then(|| &line.bytes[..line.bytes.len().min(LINE_BYTES)])
}

/// Rows with levels, like headings. What is too much for [`MAX_ENTRIES`] is given up from the deepest level: wholly
/// where enough remains above it, else every other row of it, so that the map always spans the whole text.
#[derive(Debug)]
struct Levels {
    rows: Vec<(u8, Entry)>,
    /// Rows deeper than this are only counted.
    deepest: u8,
    /// Of the rows of the deepest level every so many-th is kept.
    stride: u64,
    turn: u64,
    /// How many rows there were.
    total: u64,
}

impl Levels {
    fn new() -> Levels {
        Levels { rows: Vec::new(), deepest: u8::MAX, stride: 1, turn: 0, total: 0 }
    }

    /// Whether a row of this level would be kept; counts it where not. A text with millions of rows asks first and
    /// makes none of them in vain.
    fn wants(&mut self, level: u8) -> bool {
        let wanted = level < self.deepest || level == self.deepest && self.turn.is_multiple_of(self.stride);
        if !wanted {
            self.total += 1;
            self.turn += u64::from(level == self.deepest);
        }
        wanted
    }

    /// Adds a row, if it is one that is kept.
    fn push(&mut self, level: u8, entry: Entry) {
        if self.rows.len() == MAX_ENTRIES {
            self.shrink();
        }
        if self.wants(level) {
            self.total += 1;
            self.turn += u64::from(level == self.deepest);
            self.rows.push((level, entry));
        }
    }

    fn shrink(&mut self) {
        let deepest = self.rows.iter().map(|r| r.0).max().unwrap_or(0);
        let above = self.rows.iter().filter(|r| r.0 < deepest).count();
        if above >= MAX_ENTRIES / 8 {
            self.rows.retain(|r| r.0 < deepest);
            (self.deepest, self.stride, self.turn) = (deepest - 1, 1, 0);
            return;
        }
        let mut k = 0;
        self.rows.retain(|r| {
            k += usize::from(r.0 == deepest);
            r.0 < deepest || k % 2 == 1
        });
        self.stride = if self.deepest == deepest { self.stride * 2 } else { 2 };
        (self.deepest, self.turn) = (deepest, 0);
    }

    /// Puts the rows in the order of the text, where they were added as they ended.
    fn in_order(&mut self) {
        crate::order::by_key(&mut self.rows, |row| row.1.line);
    }

    /// Returns the rows and what is to be said of them. Rows that do not fit one screen come in two parts: the upper
    /// levels that fit, each with the number of rows under it, then all the others; both in the order of the text.
    fn finish(self, noun: &str) -> (Vec<Entry>, Vec<String>) {
        let mut notes = Vec::new();
        if (self.rows.len() as u64) < self.total {
            let how = if self.stride > 1 { "evenly chosen" } else { "the upper levels" };
            notes.push(format!(
                "{} of {} are shown: {how}",
                thousands(self.rows.len() as u64),
                count(self.total, noun)
            ));
        }
        let size =
            |upto: u8| self.rows.iter().filter(|r| r.0 <= upto).map(|r| r.1.text.chars().count() + 8).sum::<usize>();
        let deepest = self.rows.iter().map(|r| r.0).max().unwrap_or(0);
        let upper = (0..deepest).rev().find(|&level| {
            let rows = self.rows.iter().filter(|r| r.0 <= level).count();
            rows > 2 && size(level) <= SCREEN_CHARS
        });
        match upper {
            Some(upper) if size(deepest) > SCREEN_CHARS => {
                let (mut first, mut rest) = (Vec::<Entry>::new(), Vec::new());
                let mut under = 0;
                for (level, entry) in self.rows {
                    if level > upper {
                        under += 1;
                        rest.push(entry);
                        continue;
                    }
                    note_under(&mut first, under);
                    under = 0;
                    first.push(entry);
                }
                note_under(&mut first, under);
                first.push(Entry::caption("the rows under these:"));
                first.append(&mut rest);
                (first, notes)
            }
            _ => (self.rows.into_iter().map(|r| r.1).collect(), notes),
        }
    }
}

fn note_under(rows: &mut [Entry], under: u64) {
    if let Some(last) = rows.last_mut().filter(|_| under > 0) {
        last.text.push_str(&format!(" (+{under})"));
    }
}

/// Returns the rows of an outline as a reader sees them, for tests.
#[cfg(test)]
fn rendered(outline: &Outline) -> String {
    let mut out = format!("{}\n", outline.head);
    for entry in &outline.entries {
        match entry.line {
            Some(line) => out.push_str(&format!("{line}:{}\n", entry.text)),
            None => out.push_str(&format!("{}\n", entry.text)),
        }
    }
    for note in &outline.notes {
        out.push_str(&format!("({note})\n"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deepest_levels_are_given_up_first() {
        let mut levels = Levels::new();
        for k in 0..10_000u64 {
            levels.push(if k % 10 == 0 { 0 } else { 1 }, Entry::at(k, format!("row {k}")));
        }
        let (rows, notes) = levels.finish("row");
        assert_eq!(rows.len(), 1000);
        assert_eq!(rows[999].line, Some(9990));
        assert_eq!(notes, ["1,000 of 10,000 rows are shown: the upper levels"]);
    }

    #[test]
    fn one_level_is_thinned_evenly() {
        let mut levels = Levels::new();
        for k in 0..100_000u64 {
            levels.push(3, Entry::at(k, format!("row {k}")));
        }
        let (rows, notes) = levels.finish("row");
        assert!((1000..=2000).contains(&rows.len()));
        assert!(rows.last().unwrap().line.unwrap() > 99_000);
        assert!(notes[0].contains("of 100,000 rows are shown: evenly chosen"), "{notes:?}");
    }

    #[test]
    fn a_level_with_little_above_it_is_thinned_not_dropped() {
        let mut levels = Levels::new();
        for k in 0..100_000u64 {
            levels.push(if k == 0 { 1 } else { 2 }, Entry::at(k, "x"));
        }
        let (rows, _) = levels.finish("row");
        assert!(rows.len() > 500 && rows[0].line == Some(0) && rows[rows.len() - 1].line > Some(99_000));
    }

    #[test]
    fn what_does_not_fit_a_screen_comes_after_its_upper_levels() {
        let mut levels = Levels::new();
        for k in 0..90u64 {
            let level = if k % 30 == 0 { 0 } else { 1 };
            levels.push(level, Entry::at(k, format!("{level} {}", "x".repeat(60))));
        }
        let (rows, _) = levels.finish("row");
        assert_eq!(rows[1].line, Some(30));
        assert!(rows[1].text.ends_with("x (+29)"));
        assert_eq!(rows[3].text, "the rows under these:");
        assert_eq!(rows[4].line, Some(1));
        assert_eq!(rows.len(), 91);
    }
}
