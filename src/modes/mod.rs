//! The modes of `fetch`, one file each: a blob and a request become an [`Answer`](crate::answer::Answer). Each is one
//! pass over no more of the text than it needs.

pub mod bytes;
pub mod grep;
pub mod json;
pub mod outline;
pub mod range;
pub mod search;
pub mod stat;

use std::io::{self, Read};

use serde_json::Value;

use crate::error::Error;
use crate::store::blob::Blob;
use crate::text::clean;
use crate::text::lines::Blocks;

/// The room that an answer keeps for its header and its footer, in chars.
pub(crate) const FRAME: usize = 400;

/// How slices are shown.
#[derive(Clone, Copy, Debug)]
pub struct Show {
    /// The most chars of the answer.
    pub cap: usize,
    /// Whether the answer is asked for in JSON.
    pub json: bool,
    /// Whether escapes are left as they are stored.
    pub raw: bool,
}

impl Show {
    /// Returns bytes of the text as this answer shows them.
    pub(crate) fn text(&self, bytes: &[u8]) -> String {
        if self.raw { String::from_utf8_lossy(bytes).into_owned() } else { clean::text(bytes) }
    }

    /// Returns how many chars a text takes in the answer.
    pub(crate) fn cost(&self, text: &str) -> usize {
        if self.json { Value::from(text).to_string().chars().count() } else { text.chars().count() }
    }

    /// Returns how many of the first bytes can be shown in `max` chars: as many as are sure to fit, ending with a
    /// whole char.
    pub(crate) fn fitting(&self, bytes: &[u8], max: usize) -> usize {
        let mut chars = max;
        loop {
            let n = prefix(bytes, chars);
            if self.cost(&self.text(&bytes[..n])) <= max || n == 0 {
                return n;
            }
            chars = chars * 3 / 4;
        }
    }
}

/// Returns how many bytes the first `chars` chars take.
fn prefix(bytes: &[u8], chars: usize) -> usize {
    use bstr::ByteSlice;
    bytes.char_indices().nth(chars).map_or(bytes.len(), |(start, _, _)| start)
}

pub(crate) fn read_error(blob: &Blob) -> impl Fn(io::Error) -> Error + '_ {
    |source| Error::Io { doing: "read", path: blob.path(), source }
}

/// Returns blocks that begin at or before line `line`.
pub(crate) fn blocks_before(blob: &Blob, line: u64) -> io::Result<Blocks<Box<dyn Read + '_>>> {
    match blob.before_line(line) {
        (0, _) => Ok(Blocks::new(blob.read_from(0)?)),
        // One byte earlier stands (the end of) the line before the first that begins here.
        (offset, number) => Ok(Blocks::at(blob.read_from(offset - 1)?, number.saturating_sub(1), offset - 1)),
    }
}

/// Returns the byte at which line `line` begins; the length of the text if there are not as many.
pub(crate) fn line_offset(blob: &Blob, line: u64) -> io::Result<u64> {
    let mut blocks = blocks_before(blob, line)?;
    let mut end = 0;
    while let Some(block) = blocks.next_block()? {
        end = block.offset + block.bytes.len() as u64;
        let newlines = memchr::memchr_iter(b'\n', block.bytes).count() as u64;
        if block.line + newlines >= line
            && let Some(found) = block.lines().find(|l| l.number == line && l.part.first)
        {
            return Ok(found.offset);
        }
    }
    Ok(end)
}
