//! Lines of NDJSON, each a value of its own.

use std::io::{self, Read};

use super::{Fault, Record, State, Stop, Tokens, WHOLE};

/// The longest line of NDJSON that is checked before its tokens are handed out, in bytes.
const RECORD: usize = 1 << 20;

impl<R: Read> Tokens<R> {
    /// Moves to the next line of NDJSON that is not blank; what was not read of the last one is skipped.
    pub fn next_record(&mut self) -> io::Result<Option<Record>> {
        loop {
            // To the end of the line.
            while !self.closed {
                self.pos = self.limit;
                self.fill()?;
            }
            self.pos = self.limit;
            if self.end - self.pos < RECORD
                && !self.ended
                && memchr::memchr(b'\n', &self.buf[(self.pos + 1).min(self.end)..self.end]).is_none()
            {
                self.read_record()?;
            }
            if self.pos < self.end && self.buf[self.pos] == b'\n' {
                self.pos += 1;
                self.line += 1;
            }
            if self.pos == self.end && self.ended {
                return Ok(None);
            }
            self.close_line(self.pos);
            (self.depth, self.stop, self.state) = (0, None, State::Value);
            let (line, offset) = (self.line, self.offset());
            if self.closed && self.buf[self.pos..self.limit].iter().all(u8::is_ascii_whitespace) {
                self.state = State::Done;
                continue;
            }
            if !self.closed || !self.checked {
                return Ok(Some(Record { line, offset, fault: None }));
            }
            let (start, quirks, deepest) = (self.pos, self.quirks, self.deepest);
            while self.find()?.is_some() {}
            let mut fault = self.stop.take();
            if fault.is_none() && self.peek()?.is_some() {
                fault = Some(Stop { fault: Fault::Wanted("the end of the line"), line, offset: self.offset() });
            }
            (self.depth, self.state, self.line) = (0, State::Value, line);
            self.quirks = quirks;
            self.deepest = deepest;
            match fault {
                Some(_) => (self.pos, self.state) = (self.limit, State::Done),
                None => self.pos = start,
            }
            return Ok(Some(Record { line, offset, fault }));
        }
    }

    /// Reads on until a line end is in hand after `pos`, or [`RECORD`] bytes.
    fn read_record(&mut self) -> io::Result<()> {
        loop {
            let had = self.end - self.pos;
            self.read_to((had + 1).clamp(WHOLE, RECORD + 1))?;
            let new = (self.pos + had.max(1)).min(self.end);
            if self.ended || self.end - self.pos > RECORD || memchr::memchr(b'\n', &self.buf[new..self.end]).is_some() {
                return Ok(());
            }
        }
    }
}
