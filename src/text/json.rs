//! JSON as a stream of tokens, with memory bounded for any size, depth and length of a string or number.
//!
//! A pull reader: [`Tokens::next_token`] hands out one token at a time, borrowed from the block it was read in. What
//! does no harm is accepted and remembered in [`Quirks`]: a byte order mark, `NaN` and `Infinity`, lone surrogates,
//! raw control characters, invalid UTF-8, unknown escapes. At anything else reading stops, and [`Tokens::stop`] says
//! where and why; all tokens before hold. Numbers and strings are handed out as written.
//!
//! Laws: any split of the text into reads gives the same tokens; open levels cost one bit each; a token longer than
//! [`WHOLE`] is handed out as its first [`PREFIX`] bytes, its span and its length.

use std::io::{self, Read};
use std::ops::Range;

use super::lines::BLOCK;
use super::measure::Measure;

mod records;
mod scan;
#[cfg(test)]
mod tests;
mod token;

pub use scan::unescape;
use scan::{ends_word, escape_at, inspect, is_number, number_run, string_end};
pub use token::{Fault, Kind, Quirks, Record, Stop, Token, Trailing};

/// The longest token that is handed out whole, in bytes.
pub const WHOLE: usize = 64 << 10;
/// How many bytes of a longer token are handed out.
pub const PREFIX: usize = 4 << 10;
/// The deepest nesting that is followed, in levels (2 MiB of bits).
pub const MAX_DEPTH: u64 = 1 << 24;

/// What may come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    Colon,
    After,
    Done,
}

/// Reads tokens from a stream.
pub struct Tokens<R> {
    input: R,
    buf: Vec<u8>,
    pos: usize,
    /// Where what may be looked at ends: with the buffer, or in NDJSON with the line.
    limit: usize,
    /// Whether nothing of this value comes after `limit`.
    closed: bool,
    end: usize,
    ended: bool,
    /// Where `buf` begins in the text.
    base: u64,
    line: u64,
    records: bool,
    /// Whether lines of NDJSON are read once before their tokens are handed out.
    checked: bool,
    state: State,
    /// One bit a level: 1 for an object.
    levels: Vec<u64>,
    depth: u64,
    deepest: u64,
    in_object: bool,
    /// The start of a token longer than [`WHOLE`].
    long: Vec<u8>,
    stop: Option<Stop>,
    quirks: Quirks,
}

/// A token before its bytes are borrowed: where they stand in the buffer, or in `long`.
struct Found {
    kind: Kind,
    at: Range<usize>,
    whole: bool,
    chars: u64,
    escaped: bool,
    span: Range<u64>,
    line: u64,
}

impl<R: Read> Tokens<R> {
    /// Reads one value from the start of a text.
    pub fn new(input: R) -> Self {
        Self::at(input, 0, 0)
    }

    /// Reads one value from byte `offset` of a text, on line `line`.
    pub fn at(input: R, offset: u64, line: u64) -> Self {
        Tokens {
            input,
            buf: vec![0; BLOCK + WHOLE],
            pos: 0,
            limit: 0,
            closed: false,
            end: 0,
            ended: false,
            base: offset,
            line,
            records: false,
            checked: true,
            state: State::Value,
            levels: Vec::new(),
            depth: 0,
            deepest: 0,
            in_object: false,
            long: Vec::new(),
            stop: None,
            quirks: Quirks::default(),
        }
    }

    /// Reads NDJSON from the start of a text: call [`Tokens::next_record`], then [`Tokens::next_token`] to its end.
    pub fn records(input: R) -> Self {
        Tokens { records: true, closed: true, state: State::Done, ..Self::new(input) }
    }

    /// Reads NDJSON without checking lines beforehand, which is twice as fast: [`Record::fault`] is never set, after the
    /// tokens of a record [`Tokens::stop`] and [`Tokens::trailing`] tell.
    pub fn unchecked_records(input: R) -> Self {
        Tokens { checked: false, ..Self::records(input) }
    }

    /// Returns why reading stopped before the end of the value, if it did.
    pub fn stop(&self) -> Option<&Stop> {
        self.stop.as_ref()
    }

    /// Returns what was accepted though it is not JSON.
    pub fn quirks(&self) -> &Quirks {
        &self.quirks
    }

    /// Returns how many levels are open.
    pub fn depth(&self) -> u64 {
        self.depth
    }

    /// Returns how many levels were open at most.
    pub fn deepest(&self) -> u64 {
        self.deepest
    }

    /// Returns how far the text was read, in bytes.
    pub fn offset(&self) -> u64 {
        self.base + self.pos as u64
    }

    /// Returns the line reading stands on, from 0.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Returns the next token, or `None` at the end of the value or where reading stopped.
    pub fn next_token(&mut self) -> io::Result<Option<Token<'_>>> {
        let Some(found) = self.find()? else { return Ok(None) };
        let raw = if found.whole { &self.buf[found.at] } else { &self.long[..] };
        Ok(Some(Token {
            kind: found.kind,
            raw,
            whole: found.whole,
            chars: found.chars,
            escaped: found.escaped,
            span: found.span,
            line: found.line,
        }))
    }

    /// Returns what follows the value, if it is not white space.
    pub fn trailing(&mut self) -> io::Result<Option<Trailing>> {
        if self.state != State::Done || self.stop.is_some() || self.peek()?.is_none() {
            return Ok(None);
        }
        let bytes = &self.buf[self.pos..self.limit.min(self.pos + 400)];
        let end = memchr::memchr(b'\n', bytes).unwrap_or(bytes.len());
        Ok(Some(Trailing { line: self.line, offset: self.offset(), start: bytes[..end].to_vec() }))
    }

    /// Returns what of the record that was just begun is in hand: all of it, if its line was checked.
    pub fn in_hand(&self) -> &[u8] {
        &self.buf[self.pos..self.limit]
    }

    fn find(&mut self) -> io::Result<Option<Found>> {
        if self.stop.is_some() {
            return Ok(None);
        }
        loop {
            if self.state == State::Done {
                return Ok(None);
            }
            let Some(b) = self.peek()? else {
                return Ok(self.fail(Fault::Ends { open: self.depth }));
            };
            match self.state {
                State::Colon => {
                    if b != b':' {
                        return Ok(self.fail(Fault::Wanted("a colon")));
                    }
                    self.pos += 1;
                    self.state = State::Value;
                }
                State::After => match b {
                    b',' => {
                        self.pos += 1;
                        self.state = if self.in_object { State::Key } else { State::Value };
                    }
                    b'}' if self.in_object => return Ok(Some(self.close(Kind::ObjectEnd))),
                    b']' if !self.in_object => return Ok(Some(self.close(Kind::ArrayEnd))),
                    _ if self.in_object => return Ok(self.fail(Fault::Wanted("a comma or }"))),
                    _ => return Ok(self.fail(Fault::Wanted("a comma or ]"))),
                },
                State::Key | State::KeyOrEnd => match b {
                    b'"' => {
                        let key = self.string(Kind::Key)?;
                        self.state = State::Colon;
                        return Ok(key);
                    }
                    b'}' if self.state == State::KeyOrEnd => return Ok(Some(self.close(Kind::ObjectEnd))),
                    _ => return Ok(self.fail(Fault::Wanted("a key"))),
                },
                State::ValueOrEnd if b == b']' => return Ok(Some(self.close(Kind::ArrayEnd))),
                State::Value | State::ValueOrEnd => return self.value(b),
                State::Done => return Ok(None),
            }
        }
    }

    fn value(&mut self, b: u8) -> io::Result<Option<Found>> {
        let found = match b {
            b'"' => self.string(Kind::String)?,
            b'{' => return Ok(self.open(Kind::ObjectStart)),
            b'[' => return Ok(self.open(Kind::ArrayStart)),
            b'0'..=b'9' | b'-' => self.number()?,
            b't' => self.word(b"true", Kind::Bool)?,
            b'f' => self.word(b"false", Kind::Bool)?,
            b'n' => self.word(b"null", Kind::Null)?,
            b'N' => self.word(b"NaN", Kind::Number)?,
            b'I' => self.word(b"Infinity", Kind::Number)?,
            _ => self.fail(Fault::Wanted("a value")),
        };
        self.state = if self.depth == 0 { State::Done } else { State::After };
        Ok(found)
    }

    fn open(&mut self, kind: Kind) -> Option<Found> {
        if self.depth >= MAX_DEPTH {
            return self.fail(Fault::Deep);
        }
        let (word, bit) = ((self.depth / 64) as usize, self.depth % 64);
        if word == self.levels.len() {
            self.levels.push(0);
        }
        self.in_object = kind == Kind::ObjectStart;
        self.levels[word] = (self.levels[word] & !(1 << bit)) | (u64::from(self.in_object) << bit);
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        self.state = if self.in_object { State::KeyOrEnd } else { State::ValueOrEnd };
        Some(self.bracket(kind))
    }

    fn close(&mut self, kind: Kind) -> Found {
        self.depth -= 1;
        self.state = State::After;
        match self.depth.checked_sub(1) {
            Some(top) => self.in_object = self.levels[(top / 64) as usize] >> (top % 64) & 1 == 1,
            None => self.state = State::Done,
        }
        self.bracket(kind)
    }

    fn bracket(&mut self, kind: Kind) -> Found {
        let (at, start) = (self.pos, self.offset());
        self.pos += 1;
        Found { kind, at: at..at + 1, whole: true, chars: 1, escaped: false, span: start..start + 1, line: self.line }
    }

    fn fail<T>(&mut self, fault: Fault) -> Option<T> {
        self.stop = Some(Stop { fault, line: self.line, offset: self.offset() });
        None
    }

    /// Moves to the next byte that is not white space and returns it, with [`WHOLE`] bytes in hand if there are as many.
    fn peek(&mut self) -> io::Result<Option<u8>> {
        loop {
            if self.limit - self.pos < WHOLE && !self.closed {
                self.fill()?;
            }
            let mut at = self.pos;
            while let Some(&b) = self.buf[..self.limit].get(at) {
                match b {
                    b' ' | b'\t' | b'\r' => {}
                    b'\n' => self.line += 1,
                    _ => {
                        self.pos = at;
                        return Ok(Some(b));
                    }
                }
                at += 1;
            }
            self.pos = at;
            if self.closed {
                return Ok(None);
            }
        }
    }

    /// Reads on until [`WHOLE`] bytes are in hand, or all of the text, or of the line.
    fn fill(&mut self) -> io::Result<()> {
        self.read_to(WHOLE)?;
        let seen = self.limit;
        self.limit = self.end;
        self.closed = self.ended;
        if self.records {
            self.close_line(seen);
        }
        Ok(())
    }

    /// Ends what may be looked at with the line, if the line's end was read; nothing before `seen` ends it.
    fn close_line(&mut self, seen: usize) {
        match memchr::memchr(b'\n', &self.buf[seen..self.end]) {
            Some(n) => (self.limit, self.closed) = (seen + n, true),
            None => (self.limit, self.closed) = (self.end, self.ended),
        }
    }

    fn read_to(&mut self, want: usize) -> io::Result<()> {
        if self.pos > 0 {
            self.buf.copy_within(self.pos..self.end, 0);
            self.base += self.pos as u64;
            self.end -= self.pos;
            self.limit -= self.pos;
            self.pos = 0;
        }
        while self.end < want && !self.ended {
            if self.end == self.buf.len() {
                self.buf.resize(self.buf.len() * 2, 0);
            }
            match self.input.read(&mut self.buf[self.end..]) {
                Ok(0) => self.ended = true,
                Ok(n) => self.end += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
            if self.base == 0
                && self.pos == 0
                && self.end >= 3
                && !self.quirks.bom
                && self.buf.starts_with(b"\xEF\xBB\xBF")
            {
                self.quirks.bom = true;
                self.pos = 3;
                self.limit = self.limit.max(3);
            }
        }
        Ok(())
    }

    fn string(&mut self, kind: Kind) -> io::Result<Option<Found>> {
        loop {
            let body = &self.buf[self.pos + 1..self.limit];
            let Some(seen) = string_end(body) else {
                if self.closed {
                    return Ok(self.fail(Fault::Ends { open: self.depth }));
                }
                if self.limit - self.pos >= WHOLE {
                    return self.long_string(kind);
                }
                self.fill()?;
                continue;
            };
            if seen.end + 1 >= WHOLE {
                return self.long_string(kind);
            }
            let raw = &body[..seen.end];
            let (start, line) = (self.base + self.pos as u64, self.line);
            let chars = if seen.escaped || seen.high || seen.control {
                let (chars, quirks) = inspect(raw);
                self.quirks.lone_surrogates += u64::from(quirks.lone);
                self.quirks.invalid_utf8 += u64::from(quirks.invalid);
                self.quirks.bad_escapes += u64::from(quirks.bad);
                if seen.control {
                    self.quirks.controls += 1;
                    self.line += memchr::memchr_iter(b'\n', raw).count() as u64;
                }
                chars
            } else {
                seen.end as u64
            };
            let at = self.pos + 1..self.pos + 1 + seen.end;
            self.pos = at.end + 1;
            let span = start..start + seen.end as u64 + 2;
            return Ok(Some(Found { kind, at, whole: true, chars, escaped: seen.escaped, span, line }));
        }
    }

    /// Reads a string that is longer than [`WHOLE`]: its start is kept, the rest counted.
    fn long_string(&mut self, kind: Kind) -> io::Result<Option<Found>> {
        let (start, line) = (self.offset(), self.line);
        self.keep_prefix(1);
        self.pos += 1;
        let (mut measure, mut escaped, mut newlines) = (Measure::default(), false, 0);
        loop {
            let bytes = &self.buf[self.pos..self.limit];
            match memchr::memchr2(b'"', b'\\', bytes) {
                Some(n) if bytes[n] == b'"' => {
                    newlines += measure.push(&bytes[..n]);
                    self.pos += n + 1;
                    break;
                }
                // An escape and its other half take 12 bytes.
                Some(n) if bytes.len() - n >= 12 || self.closed => {
                    newlines += measure.push(&bytes[..n]);
                    escaped = true;
                    let length = escape_at(&bytes[n..]).0;
                    if n + length > bytes.len() {
                        return Ok(self.fail(Fault::Ends { open: self.depth }));
                    }
                    // Whatever it stands for, it is one char.
                    measure.push(b"e");
                    self.pos += n + length;
                    continue;
                }
                Some(n) => {
                    newlines += measure.push(&bytes[..n]);
                    self.pos += n;
                }
                None => {
                    newlines += measure.push(bytes);
                    self.pos = self.limit;
                }
            }
            if self.closed && self.pos == self.limit {
                self.line += newlines;
                return Ok(self.fail(Fault::Ends { open: self.depth }));
            }
            self.fill()?;
        }
        self.quirks.controls += u64::from(newlines > 0);
        self.line += newlines;
        let span = start..self.offset();
        Ok(Some(Found { kind, at: 0..0, whole: false, chars: measure.size().chars, escaped, span, line }))
    }

    fn keep_prefix(&mut self, skip: usize) {
        self.long.clear();
        self.long.extend_from_slice(&self.buf[self.pos + skip..self.pos + skip + PREFIX]);
        let cut = self.long.len() - super::measure::unfinished(&self.long[PREFIX - 3..]);
        // Half an escape is no text.
        let odd = self.long[..cut].iter().rev().take_while(|&&b| b == b'\\').count() % 2;
        self.long.truncate(cut - odd);
    }

    fn number(&mut self) -> io::Result<Option<Found>> {
        loop {
            let bytes = &self.buf[self.pos..self.limit];
            let n = number_run(bytes);
            if n >= WHOLE {
                return self.long_number();
            }
            if n == bytes.len() && !self.closed {
                self.fill()?;
                continue;
            }
            if n == 1 && bytes.get(1) == Some(&b'I') {
                return self.word(b"-Infinity", Kind::Number);
            }
            // At the end of a text that breaks off a number may lack its last digits.
            let broken = n == bytes.len() && self.depth > 0;
            if broken || !is_number(&bytes[..n]) || !ends_word(bytes.get(n)) {
                let fault = match n == bytes.len() {
                    true if !self.records => Fault::Ends { open: self.depth },
                    _ => Fault::Wanted("a value"),
                };
                return Ok(self.fail(fault));
            }
            let start = self.base + self.pos as u64;
            let at = self.pos..self.pos + n;
            self.pos += n;
            let (chars, span) = (n as u64, start..start + n as u64);
            return Ok(Some(Found {
                kind: Kind::Number,
                at,
                whole: true,
                chars,
                escaped: false,
                span,
                line: self.line,
            }));
        }
    }

    fn long_number(&mut self) -> io::Result<Option<Found>> {
        let (start, line) = (self.offset(), self.line);
        self.keep_prefix(0);
        loop {
            let n = number_run(&self.buf[self.pos..self.limit]);
            self.pos += n;
            if self.pos < self.limit || self.closed {
                break;
            }
            self.fill()?;
        }
        let span = start..self.offset();
        let chars = span.end - span.start;
        Ok(Some(Found { kind: Kind::Number, at: 0..0, whole: false, chars, escaped: false, span, line }))
    }

    fn word(&mut self, word: &'static [u8], kind: Kind) -> io::Result<Option<Found>> {
        if self.limit - self.pos <= word.len() && !self.closed {
            self.fill()?;
        }
        let bytes = &self.buf[self.pos..self.limit];
        if !bytes.starts_with(word) || !ends_word(bytes.get(word.len())) {
            let fault = match word.starts_with(bytes) {
                true => Fault::Ends { open: self.depth },
                false => Fault::Wanted("a value"),
            };
            return Ok(self.fail(fault));
        }
        self.quirks.not_finite += u64::from(kind == Kind::Number);
        let start = self.offset();
        let at = self.pos..self.pos + word.len();
        self.pos = at.end;
        let span = start..start + word.len() as u64;
        Ok(Some(Found { kind, at, whole: true, chars: word.len() as u64, escaped: false, span, line: self.line }))
    }
}
