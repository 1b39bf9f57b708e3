//! UTF-16 with a byte order mark, read as UTF-8. Every other text goes through untouched.

use std::io::{self, Read};

/// Which UTF-16 a text is, as its first two bytes tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Utf16 {
    /// Starts with `FF FE`.
    Little,
    /// Starts with `FE FF`.
    Big,
}

impl Utf16 {
    /// Returns what the byte order mark at the start of a text says, if there is one.
    pub fn of(start: &[u8]) -> Option<Utf16> {
        match start {
            [0xFF, 0xFE, ..] => Some(Utf16::Little),
            [0xFE, 0xFF, ..] => Some(Utf16::Big),
            _ => None,
        }
    }
}

/// Transcodes UTF-16 to UTF-8 chunk by chunk, whatever the cuts between chunks; the byte order mark is left out.
#[derive(Debug)]
pub struct Transcoder {
    order: Utf16,
    odd: Option<u8>,
    high: Option<u16>,
    started: bool,
}

impl Transcoder {
    /// Begins a text whose mark said `order`; the mark itself is still to come.
    pub fn new(order: Utf16) -> Self {
        Transcoder { order, odd: None, high: None, started: false }
    }

    /// Appends the UTF-8 of the next `bytes` to `out`.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        for &b in bytes {
            let Some(first) = self.odd.take() else {
                self.odd = Some(b);
                continue;
            };
            let unit = match self.order {
                Utf16::Little => u16::from_le_bytes([first, b]),
                Utf16::Big => u16::from_be_bytes([first, b]),
            };
            if !self.started {
                self.started = true;
                if unit == 0xFEFF {
                    continue;
                }
            }
            self.unit(unit, out);
        }
    }

    /// Appends what is left at the end of the text: half a pair or half a unit is one U+FFFD.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        if self.high.take().is_some() {
            put(char::REPLACEMENT_CHARACTER, out);
        }
        if self.odd.take().is_some() {
            put(char::REPLACEMENT_CHARACTER, out);
        }
    }

    fn unit(&mut self, unit: u16, out: &mut Vec<u8>) {
        if let Some(high) = self.high.take() {
            if (0xDC00..0xE000).contains(&unit) {
                let c = 0x10000 + ((u32::from(high) - 0xD800) << 10) + (u32::from(unit) - 0xDC00);
                put(char::from_u32(c).unwrap_or(char::REPLACEMENT_CHARACTER), out);
                return;
            }
            put(char::REPLACEMENT_CHARACTER, out);
        }
        if (0xD800..0xDC00).contains(&unit) {
            self.high = Some(unit);
        } else {
            put(char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER), out);
        }
    }
}

fn put(c: char, out: &mut Vec<u8>) {
    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

/// A reader of the text as its readers mean it: UTF-16 with a mark becomes UTF-8, all else comes through as it is.
pub struct Decoded<R> {
    input: R,
    state: State,
}

enum State {
    Start,
    /// The first bytes, read to look for a mark, and how many of them were handed out.
    Plain {
        head: [u8; 2],
        len: usize,
        given: usize,
    },
    Utf16 {
        transcoder: Transcoder,
        ready: Vec<u8>,
        given: usize,
        ended: bool,
    },
}

impl<R: Read> Decoded<R> {
    /// Wraps a reader that stands at the start of a text.
    pub fn new(input: R) -> Self {
        Decoded { input, state: State::Start }
    }

    fn begin(&mut self) -> io::Result<()> {
        let mut head = [0; 2];
        let mut len = 0;
        while len < 2 {
            match self.input.read(&mut head[len..]) {
                Ok(0) => break,
                Ok(n) => len += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        self.state = match Utf16::of(&head[..len]) {
            Some(order) => {
                let mut transcoder = Transcoder::new(order);
                transcoder.push(&head, &mut Vec::new());
                State::Utf16 { transcoder, ready: Vec::new(), given: 0, ended: false }
            }
            None => State::Plain { head, len, given: 0 },
        };
        Ok(())
    }
}

impl<R: Read> Read for Decoded<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if matches!(self.state, State::Start) {
            self.begin()?;
        }
        match &mut self.state {
            State::Start => Ok(0),
            State::Plain { head, len, given } if *given < *len => {
                let n = buf.len().min(*len - *given);
                buf[..n].copy_from_slice(&head[*given..*given + n]);
                *given += n;
                Ok(n)
            }
            State::Plain { .. } => self.input.read(buf),
            State::Utf16 { transcoder, ready, given, ended } => {
                while *given == ready.len() && !*ended {
                    ready.clear();
                    *given = 0;
                    let mut raw = [0; 64 << 10];
                    match self.input.read(&mut raw)? {
                        0 => {
                            *ended = true;
                            transcoder.finish(ready);
                        }
                        n => transcoder.push(&raw[..n], ready),
                    }
                }
                let n = buf.len().min(ready.len() - *given);
                buf[..n].copy_from_slice(&ready[*given..*given + n]);
                *given += n;
                Ok(n)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16(text: &str, order: Utf16) -> Vec<u8> {
        std::iter::once(0xFEFF)
            .chain(text.encode_utf16())
            .flat_map(|u| match order {
                Utf16::Little => u.to_le_bytes(),
                Utf16::Big => u.to_be_bytes(),
            })
            .collect()
    }

    /// Hands out one byte at a time: the cruellest cuts.
    struct Drip<'a>(&'a [u8]);
    impl Read for Drip<'_> {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            let n = buf.len().min(self.0.len()).min(1);
            buf[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    #[test]
    fn both_byte_orders_become_utf8_whatever_the_cuts() {
        let text = "a\nб中🦀\r\nend";
        for order in [Utf16::Little, Utf16::Big] {
            let bytes = utf16(text, order);
            let mut got = String::new();
            Decoded::new(&bytes[..]).read_to_string(&mut got).unwrap();
            assert_eq!(got, text);
            got.clear();
            Decoded::new(Drip(&bytes)).read_to_string(&mut got).unwrap();
            assert_eq!(got, text);
        }
    }

    #[test]
    fn halves_of_pairs_and_units_become_one_replacement_each() {
        let mut got = String::new();
        Decoded::new(&[0xFF, 0xFE, 0x3D, 0xD8, b'x', 0, b'y'][..]).read_to_string(&mut got).unwrap();
        assert_eq!(got, "\u{FFFD}x\u{FFFD}");
    }

    #[test]
    fn other_texts_come_through_as_they_are() {
        for text in [&b""[..], b"x", b"\xff", b"\xef\xbb\xbfbom", b"\0\xff\xfe"] {
            let mut got = Vec::new();
            Decoded::new(Drip(text)).read_to_end(&mut got).unwrap();
            assert_eq!(got, text);
        }
    }
}
