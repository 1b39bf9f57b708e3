//! Where a line stands in its text, and the lines around it.

use super::fold::{self, Folded};
use crate::text::lines::Part;

/// A line in its block, after the end of the block before.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) block: &'a [u8],
    /// The line's bytes in the block, without the `\n`.
    pub(super) range: (usize, usize),
    /// The end of the block before, of whole lines but perhaps the first.
    pub(super) tail: &'a [u8],
    /// From 0.
    pub(super) number: u64,
    /// Where the line begins in the text, in bytes.
    pub(super) offset: u64,
    pub(super) part: Part,
}

impl<'a> Place<'a> {
    /// Returns the line as stored.
    pub(super) fn raw(&self) -> &'a [u8] {
        &self.block[self.range.0..self.range.1]
    }

    /// Iterates over the lines before it, the nearest first, as far back as they are kept.
    pub(super) fn before(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let back = |text: &'a [u8]| {
            let mut left = text.strip_suffix(b"\n").or((!text.is_empty()).then_some(text));
            std::iter::from_fn(move || {
                let text = left?;
                let from = memchr::memrchr(b'\n', text).map_or(0, |n| n + 1);
                left = (from > 0).then(|| &text[..from - 1]);
                Some(&text[from..])
            })
        };
        back(&self.block[..self.range.0]).chain(back(self.tail))
    }

    /// Iterates over the lines of the block after it.
    pub(super) fn after(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let mut left = self.block.get(self.range.1 + 1..).filter(|l| !l.is_empty());
        std::iter::from_fn(move || {
            let text = left?;
            let end = memchr::memchr(b'\n', text).unwrap_or(text.len());
            left = text.get(end + 1..).filter(|l| !l.is_empty());
            Some(&text[..end])
        })
    }
}

/// Returns how far a line is indented, in bytes.
pub(super) fn indent(line: &[u8]) -> usize {
    line.iter().take_while(|b| matches!(b, b' ' | b'\t')).count()
}

/// Returns where the char begins that byte `at` is in.
pub(super) fn char_start(bytes: &[u8], mut at: usize) -> usize {
    let low = at.saturating_sub(3);
    while at > low && at < bytes.len() && bytes[at] & 0xC0 == 0x80 {
        at -= 1;
    }
    at
}

/// Buffers for folding one line.
#[derive(Default)]
pub(super) struct Fold {
    text: String,
    map: Vec<u32>,
    lower: Vec<u8>,
}

impl Fold {
    /// Returns a clean line in the form in which it is searched.
    pub(super) fn line<'a>(&'a mut self, clean: &'a str) -> Folded<'a> {
        if fold::needs_more(clean.as_bytes()) {
            fold::fold_with_map(clean, &mut self.text, &mut self.map);
            Folded { source: clean.as_bytes(), bytes: self.text.as_bytes(), map: Some(&self.map) }
        } else {
            self.lower.clear();
            self.lower.extend_from_slice(clean.as_bytes());
            self.lower.make_ascii_lowercase();
            Folded { source: clean.as_bytes(), bytes: &self.lower, map: None }
        }
    }
}
