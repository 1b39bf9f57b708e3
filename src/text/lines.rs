//! Lines over a stream, in blocks of whole lines, with memory bounded however long a line is; and the sparse index
//! that makes a deep line one seek away.
//!
//! Law: the blocks join to the text (but for [`OVERLAP`], asked for), and every line lies in one block unless it is
//! longer than [`PIECE`].

use std::borrow::Cow;
use std::io::{self, Read};

use super::clean;

/// How much is read at once, in bytes: big enough that the calls cost nothing, small enough to stay in the cache.
pub const BLOCK: usize = 256 << 10;
/// The longest line that is handed out whole, in bytes; a longer one comes in pieces of this size.
pub const PIECE: usize = 1 << 20;
/// How many bytes two pieces of one line share where a scan asks for it, so that what it looks for is seen whole.
pub const OVERLAP: usize = 4 << 10;
/// The distance of the entries of a line index, in bytes of the text.
pub const INDEX_STEP: u64 = 1 << 20;

/// Which part of its line a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The line begins here.
    pub first: bool,
    /// The line ends here.
    pub last: bool,
}

impl Part {
    /// A line in one piece.
    pub const WHOLE: Part = Part { first: true, last: true };
}

/// A run of whole lines, or one piece of a line longer than [`PIECE`].
#[derive(Debug)]
pub struct Block<'a> {
    /// The bytes, each line with its `\n`.
    pub bytes: &'a [u8],
    /// The number of the first line, from 0.
    pub line: u64,
    /// Where the bytes stand in the (decoded) text.
    pub offset: u64,
    /// What this is of its first line; [`Part::WHOLE`] but for pieces.
    pub part: Part,
}

impl<'a> Block<'a> {
    /// Iterates over the lines of the block (over the one piece it holds).
    pub fn lines(&self) -> impl Iterator<Item = Line<'a>> + use<'a> {
        let (bytes, part) = (self.bytes, self.part);
        let (mut at, mut number, offset) = (0, self.line, self.offset);
        std::iter::from_fn(move || {
            if at == bytes.len() {
                return None;
            }
            let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |n| at + n);
            let line = Line { number, offset: offset + at as u64, bytes: &bytes[at..end], part };
            at = (end + 1).min(bytes.len());
            number += 1;
            Some(line)
        })
    }
}

/// A line without its `\n`, or a piece of a giant one.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// From 0.
    pub number: u64,
    /// Where its bytes stand in the (decoded) text.
    pub offset: u64,
    /// The bytes as stored.
    pub bytes: &'a [u8],
    /// Whether this is all of the line.
    pub part: Part,
}

impl<'a> Line<'a> {
    /// Returns the line as a reader sees it: without escapes, overwritten text and invalid UTF-8.
    pub fn text(&self) -> Cow<'a, str> {
        clean::line(self.bytes)
    }
}

/// Cuts a stream into [`Block`]s.
pub struct Blocks<R> {
    input: R,
    buf: Vec<u8>,
    start: usize,
    end: usize,
    ended: bool,
    line: u64,
    offset: u64,
    inside: bool,
    overlap: usize,
}

impl<R: Read> Blocks<R> {
    /// Reads a text from its start.
    pub fn new(input: R) -> Self {
        Self::at(input, 0, 0)
    }

    /// Reads on from where line `line` begins, at byte `offset` of the text.
    pub fn at(input: R, line: u64, offset: u64) -> Self {
        let buf = vec![0; BLOCK];
        Blocks { input, buf, start: 0, end: 0, ended: false, line, offset, inside: false, overlap: 0 }
    }

    /// Makes the pieces of one line share [`OVERLAP`] bytes.
    pub fn overlapping(mut self) -> Self {
        self.overlap = OVERLAP;
        self
    }

    /// Returns the next block, or `None` at the end of the text.
    pub fn next_block(&mut self) -> io::Result<Option<Block<'_>>> {
        loop {
            let have = &self.buf[self.start..self.end];
            // Inside a giant line its last piece ends at the first newline; elsewhere a block ends at the last one.
            let cut = if self.inside { memchr::memchr(b'\n', have) } else { memchr::memrchr(b'\n', have) };
            if let Some(n) = cut {
                return Ok(Some(self.take(n + 1, true, 0)));
            }
            if self.ended {
                let left = have.len();
                return Ok((left > 0).then(|| self.take(left, true, 0)));
            }
            if have.len() >= PIECE {
                let n = char_cut(have);
                return Ok(Some(self.take(n, false, self.overlap)));
            }
            self.fill()?;
        }
    }

    fn take(&mut self, n: usize, ends: bool, keep: usize) -> Block<'_> {
        let part = Part { first: !self.inside, last: ends };
        let (from, line, offset) = (self.start, self.line, self.offset);
        let bytes = from..from + n;
        if ends {
            self.line += memchr::memchr_iter(b'\n', &self.buf[bytes.clone()]).count() as u64;
        }
        self.inside = !ends;
        let step = n - char_back(&self.buf[bytes.clone()], keep);
        self.start += step;
        self.offset += step as u64;
        Block { bytes: &self.buf[bytes], line, offset, part }
    }

    fn fill(&mut self) -> io::Result<()> {
        if self.start > 0 {
            self.buf.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buf.len() {
            self.buf.resize((self.buf.len() * 2).min(PIECE + BLOCK), 0);
        }
        loop {
            match self.input.read(&mut self.buf[self.end..]) {
                Ok(0) => self.ended = true,
                Ok(n) => self.end += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(e),
            }
            return Ok(());
        }
    }
}

/// Calls `each` with every line of a text (every piece of a giant one, sharing [`OVERLAP`]) until it breaks.
pub fn each_line(input: impl Read, mut each: impl FnMut(Line<'_>) -> std::ops::ControlFlow<()>) -> io::Result<()> {
    let mut blocks = Blocks::new(input).overlapping();
    while let Some(block) = blocks.next_block()? {
        for line in block.lines() {
            if each(line).is_break() {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Returns the longest length up to which `bytes` can be cut without cutting a char, at most 3 bytes back.
fn char_cut(bytes: &[u8]) -> usize {
    let n = bytes.len();
    n - crate::text::measure::unfinished(&bytes[n.saturating_sub(3)..]).min(n.saturating_sub(1))
}

/// Returns how many of the last `keep` bytes to repeat so that they begin with a whole char.
fn char_back(bytes: &[u8], keep: usize) -> usize {
    let mut keep = keep.min(bytes.len() / 2);
    while keep > 0 && bytes[bytes.len() - keep] & 0xC0 == 0x80 {
        keep -= 1;
    }
    keep
}

/// The sparse line index of a text: how many lines begin before each [`INDEX_STEP`] bytes of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineIndex {
    entries: Vec<u64>,
}

/// Builds a [`LineIndex`] as the text streams past.
#[derive(Debug, Default)]
pub struct LineIndexBuilder {
    entries: Vec<u64>,
    /// Lines that begin before `offset`, counting one that would begin there.
    begun: u64,
    offset: u64,
    after_newline: bool,
}

impl LineIndexBuilder {
    /// Sees the next bytes, of which `newlines` are `\n`.
    pub fn push(&mut self, mut bytes: &[u8], newlines: u64) {
        let mut left = newlines;
        while !bytes.is_empty() {
            if self.offset.is_multiple_of(INDEX_STEP) {
                self.entries.push(self.begun);
            }
            let room = INDEX_STEP - self.offset % INDEX_STEP;
            let here = room.min(bytes.len() as u64) as usize;
            let (now, rest) = bytes.split_at(here);
            let found = if rest.is_empty() { left } else { memchr::memchr_iter(b'\n', now).count() as u64 };
            left -= found;
            // A line begins at the start, and after each newline that is followed by something.
            let starts_here = u64::from(self.offset == 0 || self.after_newline);
            let ends_in_newline = now.last() == Some(&b'\n');
            self.begun += starts_here + found - u64::from(ends_in_newline);
            self.after_newline = ends_in_newline;
            self.offset += here as u64;
            bytes = rest;
        }
    }

    /// Returns the index of the text that ended.
    pub fn finish(self) -> LineIndex {
        LineIndex { entries: self.entries }
    }
}

impl LineIndex {
    /// Returns the index as it is stored: one little-endian `u64` for each entry.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.entries.iter().flat_map(|e| e.to_le_bytes()).collect()
    }

    /// Reads a stored index of a text of `bytes` bytes and `lines` lines; `None` if it cannot be that text's.
    pub fn from_bytes(stored: &[u8], bytes: u64, lines: u64) -> Option<LineIndex> {
        if stored.len() as u64 != bytes.div_ceil(INDEX_STEP) * 8 {
            return None;
        }
        let entries: Vec<u64> =
            stored.chunks_exact(8).map(|e| u64::from_le_bytes(e.try_into().unwrap_or_default())).collect();
        let grows = entries.windows(2).all(|w| w[0] <= w[1] && w[1] - w[0] <= INDEX_STEP);
        (entries.first() == Some(&0) && grows && entries.last() <= Some(&lines)).then_some(LineIndex { entries })
    }

    /// Returns where to begin looking for line `line`: a byte offset, and the number of lines that begin before it.
    pub fn before(&self, line: u64) -> (u64, u64) {
        let k = self.entries.partition_point(|&begun| begun <= line).saturating_sub(1);
        (k as u64 * INDEX_STEP, self.entries.get(k).copied().unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn joined(text: &[u8]) -> (Vec<u8>, Vec<(u64, Vec<u8>)>) {
        let (mut all, mut lines) = (Vec::new(), Vec::<(u64, Vec<u8>)>::new());
        let mut blocks = Blocks::new(text);
        while let Some(block) = blocks.next_block().unwrap() {
            assert_eq!(block.offset, all.len() as u64);
            all.extend_from_slice(block.bytes);
            for line in block.lines() {
                match lines.last_mut() {
                    Some((_, bytes)) if !line.part.first => bytes.extend_from_slice(line.bytes),
                    _ => lines.push((line.number, line.bytes.to_vec())),
                }
            }
        }
        (all, lines)
    }

    fn check(text: &[u8]) {
        let (all, lines) = joined(text);
        assert!(all == text);
        let mut want: Vec<&[u8]> = text.split(|&b| b == b'\n').collect();
        if want.last().is_some_and(|l| l.is_empty()) {
            want.pop();
        }
        assert_eq!(lines.len(), want.len());
        for (k, (number, bytes)) in lines.iter().enumerate() {
            assert_eq!(*number, k as u64);
            assert!(bytes == want[k]);
        }
    }

    #[test]
    fn giant_lines_come_in_pieces_that_join() {
        let giant = "日本語x".repeat(PIECE / 4);
        check(giant.as_bytes());
        check(format!("short\n{giant}\nshort\n\n{giant}").as_bytes());
        check(&vec![b'\n'; 600_000]);
    }

    #[test]
    fn overlapping_pieces_share_bytes_and_keep_their_offsets() {
        let giant = "日本語x".repeat(PIECE / 4);
        let mut blocks = Blocks::new(giant.as_bytes()).overlapping();
        let (mut end, mut pieces) = (0, 0);
        while let Some(block) = blocks.next_block().unwrap() {
            let from = block.offset as usize;
            assert!(block.bytes == &giant.as_bytes()[from..from + block.bytes.len()]);
            assert!(std::str::from_utf8(block.bytes).is_ok());
            assert!(pieces == 0 || (end - from <= OVERLAP && end - from > OVERLAP - 4));
            end = from + block.bytes.len();
            pieces += 1;
        }
        assert_eq!(end, giant.len());
        assert!(pieces > 1);
    }

    #[test]
    fn the_index_leads_to_every_line() {
        let mut text = Vec::new();
        for k in 0..60_000 {
            text.extend_from_slice("y".repeat(k * 7 % 97).as_bytes());
            text.push(b'\n');
        }
        let mut builder = LineIndexBuilder::default();
        for chunk in text.chunks(70_001) {
            builder.push(chunk, memchr::memchr_iter(b'\n', chunk).count() as u64);
        }
        let index = builder.finish();
        let stored = index.to_bytes();
        assert_eq!(LineIndex::from_bytes(&stored, text.len() as u64, 60_000), Some(index.clone()));
        assert_eq!(LineIndex::from_bytes(&stored, text.len() as u64 * 3, 60_000), None);
        let starts: Vec<u64> =
            std::iter::once(0).chain(memchr::memchr_iter(b'\n', &text).map(|n| n as u64 + 1)).collect();
        for line in 0..60_000u64 {
            let (offset, begun) = index.before(line);
            assert_eq!(begun, starts.partition_point(|&s| s < offset) as u64);
            assert!(begun <= line && offset <= starts[line as usize]);
        }
    }

    proptest! {
        #[test]
        fn blocks_join_to_any_text(text in proptest::collection::vec(prop_oneof![Just(b'\n'), any::<u8>()], 0..3000)) {
            check(&text);
        }
    }
}
