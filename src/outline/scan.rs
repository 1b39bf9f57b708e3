//! The parts of a log line: its words, and what in it is variable.
//!
//! One loop over the bytes of a line reads its words; words with digits are variables, and so are dates, paths and
//! quoted texts. The loop feeds a [`Sink`]: a hash, for every line and without allocation, or the text that a reader
//! sees, for the few shapes shown.

/// How much of a line makes its shape, in bytes.
pub(super) const LOOK: usize = 1024;

const WORD: u8 = 1;
const PATH: u8 = 2;
const DIGIT: u8 = 4;
const NOT_HEX: u8 = 8;

/// What a byte can be part of.
const CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let mut b = 0;
    while b < 256 {
        class[b] = match b as u8 {
            b'0'..=b'9' => WORD | PATH | DIGIT,
            b'a'..=b'f' | b'A'..=b'F' => WORD | PATH,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80.. => WORD | PATH | NOT_HEX,
            b'/' | b'.' | b'-' | b'+' | b'@' | b'%' | b'=' | b'&' | b'?' | b'#' | b'~' | b'$' | b'*' => PATH,
            _ => 0,
        };
        b += 1;
    }
    class
};

/// Packs a word into a number: exact up to eight bytes.
pub(super) const fn packed(word: &[u8]) -> u64 {
    let (mut w, mut at) = (0u64, 0);
    while at < word.len() {
        w = w.rotate_left(8) ^ word[at] as u64;
        at += 1;
    }
    w
}

pub(super) const MIX: u64 = 0x9E37_79B9_7F4A_7C15;

/// A word at the start of bytes.
struct Word {
    len: usize,
    packed: u64,
    digits: bool,
    /// It has letters that no hexadecimal number has.
    not_hex: bool,
}

#[inline]
fn word(bytes: &[u8]) -> Word {
    let (mut packed, mut class, mut len) = (0u64, 0, 0);
    for &b in bytes {
        let c = CLASS[b as usize];
        if c & WORD == 0 {
            break;
        }
        class |= c;
        packed = packed.rotate_left(8) ^ u64::from(b);
        len += 1;
    }
    Word { len, packed, digits: class & DIGIT != 0, not_hex: class & NOT_HEX != 0 }
}

/// What stands for a masked part.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// Numbers, ids, times.
    Number,
    /// A path or an address.
    Path,
    /// What stands between quotes.
    Quoted,
}

/// What is made of a line's parts.
pub(super) trait Sink {
    fn word(&mut self, word: &[u8], packed: u64);
    fn mark(&mut self, mark: Mark);
    /// A byte between words; a run of blanks is one blank.
    fn gap(&mut self, byte: u8);
}

/// What the loop saw beside the parts.
pub(super) struct Seen {
    /// Where the first word stands; 0 where no number stands before it.
    pub(super) body: usize,
    worded: bool,
    /// What stands before it could be a time stamp: numbers that begin with digits.
    stamp: bool,
    /// The line moves the cursor: it must be cleaned before it is read.
    pub(super) painted: bool,
}

impl Seen {
    #[inline]
    fn word_at<S>(&mut self, at: usize, to: &After<'_, S>) {
        if !self.worded {
            self.worded = true;
            self.body = if to.any_number && self.stamp { at } else { 0 };
        }
    }
}

/// Numbers that were just masked, and what stands after them: `#`, then `-#-# #:#` adds nothing to it.
struct After<'a, S> {
    sink: &'a mut S,
    number: bool,
    any_number: bool,
    held: [u8; 2],
    holding: usize,
}

impl<S: Sink> After<'_, S> {
    fn flush(&mut self) {
        for k in 0..self.holding {
            self.sink.gap(self.held[k]);
        }
        self.holding = 0;
        self.number = false;
    }

    #[inline]
    fn gap(&mut self, byte: u8) {
        if self.number {
            if self.holding < 2 && matches!(byte, b'.' | b':' | b',' | b'-' | b'/' | b'+' | b' ') {
                self.held[self.holding] = byte;
                self.holding += 1;
                return;
            }
            self.flush();
        }
        self.sink.gap(byte);
    }

    #[inline]
    fn number(&mut self) {
        if !self.number {
            self.sink.mark(Mark::Number);
            self.number = true;
            self.any_number = true;
        }
        self.holding = 0;
    }

    #[inline]
    fn word(&mut self, word: &[u8], packed: u64) {
        if self.number {
            self.flush();
        }
        self.sink.word(word, packed);
    }

    fn mark(&mut self, mark: Mark) {
        self.flush();
        self.sink.mark(mark);
    }
}

/// Reads the parts of a line.
pub(super) fn scan<S: Sink>(line: &[u8], sink: &mut S) -> Seen {
    let mut to = After { sink, number: false, any_number: false, held: [0; 2], holding: 0 };
    let mut seen = Seen { body: 0, worded: false, stamp: true, painted: false };
    let (mut i, mut last_word, mut request) = (0, 0u64, false);
    // Where a colour ended: its last letter is no word.
    let mut edge = 0;
    while let Some(&b) = line.get(i) {
        let start = i;
        if CLASS[b as usize] & WORD != 0 {
            let Word { len, packed: w, digits, not_hex } = word(&line[start..]);
            i = start + len;
            let word = &line[start..i];
            if b == b'_' && len >= 3 && word.iter().all(|b| *b == b'_') {
                (0..3).for_each(|_| to.gap(b));
            } else if starts_path(line, start, i, edge)
                && let Some(end) = path_end(line, start, edge)
            {
                i = end;
                seen.word_at(start, &to);
                to.mark(Mark::Path);
            } else if b == 0xE2
                && word.starts_with("‘".as_bytes())
                && let Some(end) = memchr::memmem::find(&line[start..], "’".as_bytes())
            {
                i = start + end + 3;
                to.mark(Mark::Quoted);
            } else if digits {
                let status = word.len() <= 3 && (request || is_status_name(last_word));
                request = false;
                if status && !not_hex || is_code(word) {
                    seen.word_at(start, &to);
                    to.word(word, w);
                } else if not_hex && let Some(n) = name_before_number(word) {
                    // `worker12` is a worker.
                    seen.word_at(start, &to);
                    to.word(&word[..n], packed(&word[..n]));
                    to.number();
                } else {
                    // The rest of a date, a time, an address, a version: `26-11-08`, `0.0.1:80`.
                    while matches!(line.get(i), Some(b'-' | b':' | b'.' | b'/' | b','))
                        && line.get(i + 1).is_some_and(u8::is_ascii_digit)
                    {
                        i += 2;
                        while line.get(i).is_some_and(|b| CLASS[*b as usize] & WORD != 0) {
                            i += 1;
                        }
                    }
                    seen.stamp &= word[0].is_ascii_digit() || word == b"T" || word == b"Z";
                    to.number();
                }
            } else if is_month(w, len) || !not_hex && is_group(&to, line, start, len) {
                to.number();
            } else {
                seen.word_at(start, &to);
                last_word = w;
                to.word(word, w);
            }
            continue;
        }
        i += 1;
        match b {
            b' ' | b'\t' => {
                while matches!(line.get(i), Some(b' ' | b'\t')) {
                    i += 1;
                }
                to.gap(b' ');
            }
            b'/' => match path_end(line, start, edge) {
                Some(end) => {
                    i = end;
                    seen.word_at(start, &to);
                    to.mark(Mark::Path);
                }
                None => to.gap(b),
            },
            b'"' | b'\'' | b'`' => match quoted(line, start, edge) {
                Some(end) => {
                    seen.word_at(start, &to);
                    let kept = match line.get(end) {
                        Some(b':') => 40,
                        _ if line[..start].trim_ascii_end().ends_with(b":") || line[..start].ends_with(b"=") => 12,
                        _ => 0,
                    };
                    request = quote(&line[start..end], kept, &mut to, &mut last_word);
                    i = end;
                }
                None => to.gap(b),
            },
            0x1B => match colour(&line[start..]) {
                Some(n) => {
                    i = start + n;
                    edge = i;
                }
                None => {
                    seen.painted = true;
                    return seen;
                }
            },
            b'\r' | 0x08 if i < line.len() => {
                seen.painted = true;
                return seen;
            }
            b'\r' => {}
            _ => {
                // `=====` is as long as the title beside it leaves room for.
                while line.get(i) == Some(&b) {
                    i += 1;
                }
                for _ in 0..(i - start).min(3) {
                    to.gap(b);
                }
            }
        }
    }
    to.flush();
    seen
}

/// Hands on what stands between quotes (they are in `text`); returns whether it was an HTTP request. Kept are names of
/// at most `kept` bytes (keys of objects, short values) and words in capitals.
fn quote<S: Sink>(text: &[u8], kept: usize, to: &mut After<'_, S>, last_word: &mut u64) -> bool {
    let (mark, inner) = (text[0], text[1..].strip_suffix(&text[..1]).unwrap_or(&text[1..]));
    let is_name =
        inner.len() <= kept && inner.iter().all(|b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'.' | b'-'));
    let is_capital = inner.len() <= 12 && inner.iter().all(u8::is_ascii_uppercase);
    if mark != b'`' && (is_name || is_capital) {
        *last_word = packed(inner);
        to.gap(mark);
        to.word(inner, *last_word);
        to.gap(mark);
        return false;
    }
    let method = inner.iter().take_while(|b| b.is_ascii_uppercase()).count();
    let request = (3..=8).contains(&method)
        && inner.get(method) == Some(&b' ')
        && inner[method..].starts_with(b" /") | inner.ends_with(b"HTTP/1.1");
    if request {
        to.gap(mark);
        to.word(&inner[..method], packed(&inner[..method]));
        to.gap(b' ');
        to.mark(Mark::Path);
        to.gap(mark);
    } else {
        to.mark(Mark::Quoted);
    }
    request
}

/// Returns where the quoted text that begins at `start` ends, after its closing quote.
fn quoted(line: &[u8], start: usize, edge: usize) -> Option<usize> {
    let mark = line[start];
    let is_word = |b: Option<&u8>| b.is_some_and(|b| CLASS[*b as usize] & WORD != 0);
    // An apostrophe stands in or after a word; a quote before one.
    if mark != b'"' && start > edge && is_word(line.get(start - 1)) {
        return None;
    }
    let rest = &line[start + 1..];
    let Some(n) = memchr::memchr_iter(mark, rest).find(|&n| n == 0 || rest[n - 1] != b'\\') else {
        // The line is longer than what is looked at, so its quote may well end beyond.
        return (mark != b'\'' && line.len() >= LOOK).then_some(line.len());
    };
    let end = start + n + 2;
    (mark == b'"' || !is_word(line.get(end))).then_some(end)
}

/// Whether a word could begin a path: `src/`, and `my-app/` where nothing of a path stands before it.
#[inline]
fn starts_path(line: &[u8], start: usize, end: usize, edge: usize) -> bool {
    match line.get(end) {
        Some(b'/') => true,
        Some(b'-') => start == edge || CLASS[line[start - 1] as usize] & PATH == 0,
        _ => false,
    }
}

/// Returns where the path or address that begins at `start` ends, if it is one: `/etc/passwd`, `src/main.rs`,
/// `a/b/c`, not `and/or`.
fn path_end(line: &[u8], start: usize, edge: usize) -> Option<usize> {
    let mut end = start;
    let (mut slashes, mut dot) = (0, false);
    while let Some(&b) = line.get(end) {
        if CLASS[b as usize] & PATH == 0 {
            break;
        }
        slashes += u32::from(b == b'/');
        dot |= b == b'.' && slashes > 0;
        end += 1;
    }
    while end > start && matches!(line[end - 1], b'.' | b'?' | b'=' | b'-') {
        end -= 1;
    }
    let after_word = start > edge && CLASS[line[start - 1] as usize] & WORD != 0;
    let rooted =
        line[start] == b'/' && !after_word && line.get(start + 1).is_some_and(|b| CLASS[*b as usize] & WORD != 0);
    let is_path = rooted || slashes >= 2 && !after_word || slashes == 1 && dot && line[start] != b'/';
    // Fractions and dates are numbers: `3/4`, `01/Dec/2026`.
    let is_number = line[start].is_ascii_digit() && !dot;
    (is_path && !is_number && end > start).then_some(end)
}

/// Returns the length of a colour sequence at the start of `bytes`, which is ESC.
fn colour(bytes: &[u8]) -> Option<usize> {
    let params = bytes.get(2..)?.iter().take_while(|b| (0x30..=0x3F).contains(*b)).count();
    (bytes[1] == b'[' && matches!(bytes.get(2 + params), Some(b'm' | b'K'))).then_some(3 + params)
}

/// Whether a word is a code that tells faults apart: `E0308`, `TS2304`.
fn is_code(word: &[u8]) -> bool {
    if !word[0].is_ascii_uppercase() || word.len() > 9 {
        return false;
    }
    let letters = word.iter().take_while(|b| b.is_ascii_uppercase()).count();
    letters <= 4 && (3..=5).contains(&(word.len() - letters)) && word[letters..].iter().all(u8::is_ascii_digit)
}

/// Returns the length of the name that a number stands behind: `worker` in `worker12`, `item_` in `item_3`.
fn name_before_number(word: &[u8]) -> Option<usize> {
    let n = word.iter().take_while(|b| b.is_ascii_lowercase() || **b == b'_').count();
    (n >= 3 && word[n..].iter().all(u8::is_ascii_digit)).then_some(n)
}

/// Whether a number after this word tells kinds apart: `status 404`, `exit code 1`.
fn is_status_name(w: u64) -> bool {
    const NAMES: [u64; 5] = [packed(b"status"), packed(b"code"), packed(b"HTTP"), packed(b"Status"), packed(b"signal")];
    NAMES.contains(&w)
}

/// Whether letters that could be hexadecimal are a group of an UUID: after another group, or as its first.
fn is_group<S>(to: &After<'_, S>, line: &[u8], start: usize, len: usize) -> bool {
    let later = (4..=12).contains(&len) && to.number && to.holding == 1 && to.held[0] == b'-';
    later || len == 8 && line.get(start + 8) == Some(&b'-') && line.get(start + 13) == Some(&b'-')
}

fn is_month(w: u64, len: usize) -> bool {
    const NAMES: [u64; 19] = {
        let names: [&[u8; 3]; 19] = [
            b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec", b"Mon",
            b"Tue", b"Wed", b"Thu", b"Fri", b"Sat", b"Sun",
        ];
        let (mut packed_names, mut k) = ([0; 19], 0);
        while k < 19 {
            packed_names[k] = packed(names[k]);
            k += 1;
        }
        packed_names
    };
    len == 3 && NAMES.contains(&w)
}

/// The text of a shape, or of its first words.
pub(super) struct Masked {
    pub(super) text: String,
    /// How many words remain to be written.
    pub(super) words: usize,
}

impl Sink for Masked {
    fn word(&mut self, word: &[u8], _: u64) {
        if self.words > 0 {
            self.text.push_str(&String::from_utf8_lossy(word));
        }
        self.words = self.words.saturating_sub(1);
    }

    fn mark(&mut self, mark: Mark) {
        if self.words > 0 {
            self.text.push_str(match mark {
                Mark::Number => "#",
                Mark::Path => "/…",
                Mark::Quoted => "'…'",
            });
        }
    }

    fn gap(&mut self, byte: u8) {
        if self.words > 0 {
            self.text.push(char::from(byte));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(line: &str) -> String {
        let mut masked = Masked { text: String::new(), words: usize::MAX };
        scan(line.as_bytes(), &mut masked);
        masked.text
    }

    #[test]
    fn variable_parts_are_masked() {
        for (line, shape) in [
            (
                "2026-11-08 04:12:31 INFO worker-3 handled request 17 in 629 ms",
                "# INFO worker-# handled request # in # ms",
            ),
            ("01-Dec-2026 02:14:15.151 INFO [main] x", "# INFO [main] x"),
            ("id 550e8400-e29b-41d4-abcd-446655440000 done", "id # done"),
            (
                r#"10.0.0.1 - - [01/Dec/2026:01:19:50 +0000] "GET /a/b?c=1 HTTP/1.1" 404 178 "-" "curl/7.88""#,
                r#"# - - [#] "GET /…" 404 # '…' '…'"#,
            ),
            ("open /etc/passwd: no such file", "open /…: no such file"),
            (
                "src/main.rs:12:5: error: cannot find value `x` in this scope",
                "/…:#: error: cannot find value '…' in this scope",
            ),
            ("error[E0308]: mismatched types", "error[E0308]: mismatched types"),
            (r#"{"level":"info","msg":"handled request 5","took":12}"#, r#"{"level":"info","msg":'…',"took":#}"#),
            ("process exited with exit code 101", "process exited with exit code 101"),
            ("don't mask and/or TCP/IP", "don't mask and/or TCP/IP"),
            ("‘std::foo’ was not declared", "'…' was not declared"),
            ("list [1, 2, 3] of 3/4", "list [#] of #"),
            ("my-app/src/x.rs:3 pre-release", "/…:# pre-release"),
            ("===== x ====== __________ worker12", "=== x === ___ worker#"),
        ] {
            assert_eq!(masked(line), shape);
        }
    }
}
