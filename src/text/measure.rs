//! How large a text is: bytes, chars, lines and its longest line, counted while it streams past.
//!
//! Law: any split of a text into chunks gives the same measure.

use bstr::ByteSlice;

/// The size of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Bytes.
    pub bytes: u64,
    /// Unicode scalar values, each maximal invalid UTF-8 sequence counting as one.
    pub chars: u64,
    /// Lines: a last one without `\n` counts, an empty text has none.
    pub lines: u64,
    /// Chars of the longest line, without its `\n`.
    pub longest_line: u64,
}

/// Measures a text chunk by chunk.
#[derive(Clone, Debug, Default)]
pub struct Measure {
    bytes: u64,
    chars: u64,
    newlines: u64,
    longest: u64,
    /// Chars of the line that has not ended yet.
    line_chars: u64,
    line_open: bool,
    /// The start of a char that the last chunk cut.
    carry: [u8; 3],
    carried: usize,
}

impl Measure {
    /// Sees the next bytes of the text; returns how many of them are `\n`.
    pub fn push(&mut self, chunk: &[u8]) -> u64 {
        self.bytes += chunk.len() as u64;
        if chunk.is_empty() {
            return 0;
        }
        self.line_open = chunk.last() != Some(&b'\n');
        let mut rest = chunk;
        if self.carried > 0 {
            rest = self.finish_carried(chunk);
        }
        let open = unfinished(&rest[rest.len().saturating_sub(3)..]);
        let (whole, tail) = rest.split_at(rest.len() - open);
        // An invalid carried sequence ends before the byte that broke it, so a newline is never inside the carry.
        let found = self.count(whole);
        if !tail.is_empty() {
            self.carry[..open].copy_from_slice(tail);
            self.carried = open;
        }
        self.newlines += found;
        found
    }

    /// Counts the char that the last chunk cut; returns what of `chunk` comes after it.
    fn finish_carried<'a>(&mut self, chunk: &'a [u8]) -> &'a [u8] {
        let mut small = [0u8; 6];
        small[..self.carried].copy_from_slice(&self.carry[..self.carried]);
        let more = chunk.len().min(3);
        small[self.carried..self.carried + more].copy_from_slice(&chunk[..more]);
        let small = &small[..self.carried + more];
        if unfinished(small) == small.len() {
            self.carry[..small.len()].copy_from_slice(small);
            self.carried = small.len();
            return &chunk[more..];
        }
        let (_, n) = bstr::decode_utf8(small);
        self.chars += 1;
        self.line_chars += 1;
        let used = n.saturating_sub(self.carried);
        self.carried = 0;
        &chunk[used..]
    }

    fn count(&mut self, bytes: &[u8]) -> u64 {
        let Some(first) = memchr::memchr(b'\n', bytes) else {
            let chars = bytes.chars().count() as u64;
            self.chars += chars;
            self.line_chars += chars;
            return 0;
        };
        self.chars += bytes.chars().count() as u64;
        self.line_chars += bytes[..first].chars().count() as u64;
        self.longest = self.longest.max(self.line_chars);
        let (mut at, mut found) = (first + 1, 1);
        for n in memchr::memchr_iter(b'\n', &bytes[at..]) {
            let end = first + 1 + n;
            // Chars are at most bytes: only a line with more bytes than the longest has chars can be longer.
            if (end - at) as u64 > self.longest {
                self.longest = self.longest.max(bytes[at..end].chars().count() as u64);
            }
            at = end + 1;
            found += 1;
        }
        self.line_chars = bytes[at..].chars().count() as u64;
        found
    }

    /// Returns the size of what was seen, as if the text ended here.
    pub fn size(&self) -> Size {
        let cut = u64::from(self.carried > 0);
        Size {
            bytes: self.bytes,
            chars: self.chars + cut,
            lines: self.newlines + u64::from(self.line_open),
            longest_line: self.longest.max(self.line_chars + cut),
        }
    }
}

/// Measures a whole text.
pub fn size(text: &[u8]) -> Size {
    let mut measure = Measure::default();
    measure.push(text);
    measure.size()
}

/// Returns how many chars `bytes` hold.
pub fn chars(bytes: &[u8]) -> u64 {
    bytes.chars().count() as u64
}

/// Returns how many bytes at the end of `bytes` could begin a char that the next bytes complete (0 to 3).
pub fn unfinished(bytes: &[u8]) -> usize {
    let n = bytes.len();
    for back in 1..=n.min(3) {
        let b = bytes[n - back];
        if b & 0xC0 == 0x80 {
            continue;
        }
        let need = match b {
            0xC2..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF4 => 4,
            _ => return 0,
        };
        if back >= need {
            return 0;
        }
        // The second byte narrows what is valid: E0, ED, F0 and F4 take only part of 80..BF.
        let second_fits = back < 2
            || match (b, bytes[n - back + 1]) {
                (0xE0, s) => s >= 0xA0,
                (0xED, s) => s < 0xA0,
                (0xF0, s) => s >= 0x90,
                (0xF4, s) => s < 0x90,
                _ => true,
            };
        return if second_fits { back } else { 0 };
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn naive(text: &[u8]) -> Size {
        let lossy = text.to_str_lossy();
        let mut lines: Vec<&str> = lossy.split('\n').collect();
        if lines.last() == Some(&"") {
            lines.pop();
        }
        Size {
            bytes: text.len() as u64,
            chars: lossy.chars().count() as u64,
            lines: lines.len() as u64,
            longest_line: lines.iter().map(|l| l.chars().count() as u64).max().unwrap_or(0),
        }
    }

    #[test]
    fn invalid_sequences_count_as_lossy_decoding_does() {
        for text in [
            &b"\xff\xff\xff"[..],
            b"\xe6\x97",
            b"\xe6\x97\xe6\x97\xa5",
            b"\xed\xa0\x80",
            b"\xf0\x9f\n",
            b"\xf0\x80\x80\x80",
        ] {
            assert_eq!(size(text), naive(text), "{text:x?}");
        }
    }

    proptest! {
        #[test]
        fn any_split_into_chunks_measures_the_same(
            text in proptest::collection::vec(prop_oneof![
                Just(b'\n'), Just(0xE6), Just(0x97), Just(0xA5), Just(0xF0), Just(0x9F), Just(0xED), Just(0xA0), any::<u8>()], 0..200),
            cuts in proptest::collection::vec(1usize..6, 0..100)) {
            let mut measure = Measure::default();
            let (mut rest, mut cuts, mut newlines) = (&text[..], cuts.into_iter(), 0);
            while !rest.is_empty() {
                let n = cuts.next().unwrap_or(rest.len()).min(rest.len());
                newlines += measure.push(&rest[..n]);
                rest = &rest[n..];
            }
            prop_assert_eq!(measure.size(), naive(&text));
            prop_assert_eq!(newlines, text.iter().filter(|&&b| b == b'\n').count() as u64);
        }
    }
}
