//! Rows of CSV and TSV over a stream, quotes and quoted newlines understood, with memory bounded for any row.
//!
//! Relies on csv-core's automaton. A field longer than [`FIELD`] is handed out by its start, a row with more than
//! [`FIELDS`] fields by its first ones; both are counted in full. In TSV quotes are plain chars.

use std::io::{self, Read};

use csv_core::{ReadFieldResult, Reader, ReaderBuilder};

use super::lines::BLOCK;
use super::measure::{self, Measure};

/// The longest start of a field that is kept, in bytes.
pub const FIELD: usize = 4 << 10;
/// The most fields of a row that are kept.
pub const FIELDS: usize = 4096;
/// The longest start of a row as written that is kept, in bytes.
pub const ROW: usize = 8 << 10;

/// One row.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// The line it begins on, from 0.
    pub line: u64,
    /// The line it ends on.
    pub last_line: u64,
    /// How many fields it has.
    pub fields: u64,
    /// It as written, without its line end; its start if it is longer than [`ROW`].
    pub raw: Vec<u8>,
    /// Its length as written in bytes.
    pub bytes: u64,
    text: Vec<u8>,
    ends: Vec<(usize, u64)>,
}

impl Row {
    /// Iterates over the kept fields: what each stands for (its start, if it is long) and its length in chars.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], u64)> {
        let mut from = 0;
        self.ends.iter().map(move |&(end, chars)| {
            let field = &self.text[from..end];
            from = end;
            (field, chars)
        })
    }

    fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
        self.raw.clear();
        (self.fields, self.bytes) = (0, 0);
    }
}

/// Reads rows.
pub struct Rows<R> {
    input: R,
    reader: Reader,
    buf: Vec<u8>,
    pos: usize,
    end: usize,
    ended: bool,
    line: u64,
    piece: Vec<u8>,
}

impl<R: Read> Rows<R> {
    /// Reads a text from its start.
    pub fn new(input: R, delimiter: u8) -> Self {
        let reader = ReaderBuilder::new().delimiter(delimiter).quoting(delimiter != b'\t').build();
        Rows { input, reader, buf: vec![0; BLOCK], pos: 0, end: 0, ended: false, line: 0, piece: vec![0; FIELD] }
    }

    fn fill(&mut self) -> io::Result<()> {
        (self.pos, self.end) = (0, 0);
        while self.end < 3 && !self.ended {
            match self.input.read(&mut self.buf[self.end..]) {
                Ok(0) => self.ended = true,
                Ok(n) => self.end += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    /// Reads the next row that is not an empty line; `false` at the end of the text.
    pub fn next_row(&mut self, row: &mut Row) -> io::Result<bool> {
        row.clear();
        if self.line == 0 && self.pos == self.end && !self.ended {
            self.fill()?;
            if self.buf[..self.end].starts_with(b"\xEF\xBB\xBF") {
                self.pos = 3;
            }
        }
        // Empty lines are no rows.
        loop {
            match self.buf[..self.end].get(self.pos) {
                Some(b'\n') => {
                    self.line += 1;
                    self.pos += 1;
                }
                Some(b'\r') => self.pos += 1,
                Some(_) => break,
                None if self.ended => return Ok(false),
                None => self.fill()?,
            }
        }
        (row.line, row.last_line) = (self.line, self.line);
        let (mut from, mut long) = (0, None);
        loop {
            if self.pos == self.end && !self.ended {
                self.fill()?;
            }
            let (result, read, wrote) = self.reader.read_field(&self.buf[self.pos..self.end], &mut self.piece);
            let taken = &self.buf[self.pos..self.pos + read];
            self.pos += read;
            self.line += memchr::memchr_iter(b'\n', taken).count() as u64;
            row.bytes += read as u64;
            let room = ROW.saturating_sub(row.raw.len());
            row.raw.extend_from_slice(&taken[..taken.len().min(room)]);
            let piece = &self.piece[..wrote];
            if let Some(measure) = &mut long {
                Measure::push(measure, piece);
            } else if row.ends.len() < FIELDS {
                row.text.extend_from_slice(piece);
                if row.text.len() - from > FIELD {
                    let mut measure = Measure::default();
                    measure.push(&row.text[from..]);
                    long = Some(measure);
                    let cut = from + FIELD;
                    let cut = cut - measure::unfinished(&row.text[cut - 3..cut]);
                    row.text.truncate(cut);
                }
            }
            let ends_row = match result {
                ReadFieldResult::Field { record_end } => Some(record_end),
                ReadFieldResult::End => {
                    // A text that ends without a field: what was collected belongs to none.
                    self.ended = true;
                    return Ok(row.fields > 0);
                }
                ReadFieldResult::InputEmpty | ReadFieldResult::OutputFull => None,
            };
            let Some(ends_row) = ends_row else { continue };
            row.fields += 1;
            if row.ends.len() < FIELDS {
                let chars = match long.take() {
                    Some(measure) => measure.size().chars,
                    None => measure::chars(&row.text[from..]),
                };
                from = row.text.len();
                row.ends.push((from, chars));
            }
            if ends_row {
                let newline = row.raw.ends_with(b"\n") && row.bytes as usize == row.raw.len();
                row.last_line = self.line - u64::from(newline);
                if row.bytes as usize == row.raw.len() {
                    let kept = row.raw.len() - row.raw.iter().rev().take_while(|&&b| b == b'\n' || b == b'\r').count();
                    row.raw.truncate(kept);
                    row.bytes = kept as u64;
                }
                return Ok(true);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rows(text: &[u8], delimiter: u8) -> Vec<(u64, u64, Vec<String>)> {
        let (mut rows, mut row, mut out) = (Rows::new(text, delimiter), Row::default(), Vec::new());
        while rows.next_row(&mut row).unwrap() {
            let fields = row.iter().map(|(field, _)| String::from_utf8_lossy(field).into_owned()).collect();
            out.push((row.line, row.last_line, fields));
        }
        out
    }

    fn row(line: u64, last: u64, fields: &[&str]) -> (u64, u64, Vec<String>) {
        (line, last, fields.iter().map(|&f| f.to_owned()).collect())
    }

    #[test]
    fn quotes_hold_delimiters_and_newlines() {
        let text = b"\xEF\xBB\xBFa,b\r\n\r\n\"x,\"\"y\"\"\",\"1\n2\"\r\nlast,";
        assert_eq!(
            rows(text, b','),
            [row(0, 0, &["a", "b"]), row(2, 3, &["x,\"y\"", "1\n2"]), row(4, 4, &["last", ""])]
        );
        assert_eq!(rows(b"a\t\"b\nc\t\"d\n", b'\t'), [row(0, 0, &["a", "\"b"]), row(1, 1, &["c", "\"d"])]);
        assert_eq!(rows(b"", b','), []);
        assert_eq!(rows(b"\n\n", b','), []);
    }

    #[test]
    fn giants_are_cut_and_counted() {
        let text = format!("a,\"{}\",c\nnext,1,2\n", "日".repeat(200_000));
        let (mut rows, mut row) = (Rows::new(text.as_bytes(), b','), Row::default());
        assert!(rows.next_row(&mut row).unwrap());
        let fields: Vec<(usize, u64)> = row.iter().map(|(field, chars)| (field.len(), chars)).collect();
        assert_eq!(fields, [(1, 1), (4095, 200_000), (1, 1)]);
        assert!(rows.next_row(&mut row).unwrap());
        assert_eq!((row.line, row.raw.as_slice()), (1, &b"next,1,2"[..]));
    }

    proptest! {
        #[test]
        fn lines_add_up_for_any_text(text in "[ab,\"\n\r]{0,80}") {
            let (mut rows, mut row, mut last) = (Rows::new(text.as_bytes(), b','), Row::default(), None);
            while rows.next_row(&mut row).unwrap() {
                prop_assert!(last.is_none_or(|last| row.line >= last) && row.last_line >= row.line);
                prop_assert!(row.last_line < text.split('\n').count() as u64);
                last = Some(row.last_line);
            }
        }
    }
}
