//! The shapes of lines: what remains of a line when its variable parts are masked, and how often each shape occurs.
//!
//! One loop over the bytes of a line reads its words; words with digits are variables, and so are dates, paths and
//! quoted texts. The loop feeds a [`Sink`]: a hash (for every line, without allocation) or the text that a reader
//! sees (for the few shapes shown). The table of shapes is of fixed size. When it is full, rare shapes that begin with
//! the same words become one shape, longest beginnings first; later lines that begin so are counted there. Only when
//! that does not help are the rarest shapes given up, and counted.

use std::collections::HashMap;

use crate::text::clean;

use super::levels::{self, Level};

/// How many shapes are kept.
const SHAPES: usize = 4096;
/// By how many of its first words a shape can be folded with others.
const DEPTH: usize = 6;
/// How much of a line makes its shape, in bytes.
const LOOK: usize = 1024;
/// How much of a shape's first line is kept, in bytes.
const EXAMPLE: usize = 512;

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
const fn packed(word: &[u8]) -> u64 {
    let (mut w, mut at) = (0u64, 0);
    while at < word.len() {
        w = w.rotate_left(8) ^ word[at] as u64;
        at += 1;
    }
    w
}

const MIX: u64 = 0x9E37_79B9_7F4A_7C15;

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
enum Mark {
    /// Numbers, ids, times.
    Number,
    /// A path or an address.
    Path,
    /// What stands between quotes.
    Quoted,
}

/// What is made of a line's parts.
trait Sink {
    fn word(&mut self, word: &[u8], packed: u64);
    fn mark(&mut self, mark: Mark);
    /// A byte between words; a run of blanks is one blank.
    fn gap(&mut self, byte: u8);
}

/// What the loop saw beside the parts.
struct Seen {
    /// Where the first word stands; 0 where no number stands before it.
    body: usize,
    worded: bool,
    /// What stands before it could be a time stamp: numbers that begin with digits.
    stamp: bool,
    /// The line moves the cursor: it must be cleaned before it is read.
    painted: bool,
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
fn scan<S: Sink>(line: &[u8], sink: &mut S) -> Seen {
    let mut to = After { sink, number: false, any_number: false, held: [0; 2], holding: 0 };
    let mut seen = Seen { body: 0, worded: false, stamp: true, painted: false };
    let (mut i, mut last_word, mut request) = (0, 0u64, false);
    while let Some(&b) = line.get(i) {
        let start = i;
        if CLASS[b as usize] & WORD != 0 {
            let Word { len, packed: w, digits, not_hex } = word(&line[start..]);
            i = start + len;
            let word = &line[start..i];
            if b == b'_' && len >= 3 && word.iter().all(|b| *b == b'_') {
                (0..3).for_each(|_| to.gap(b));
            } else if line.get(i) == Some(&b'/')
                && let Some(end) = path_end(line, start)
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
            b'/' => match path_end(line, start) {
                Some(end) => {
                    i = end;
                    seen.word_at(start, &to);
                    to.mark(Mark::Path);
                }
                None => to.gap(b),
            },
            b'"' | b'\'' | b'`' => match quoted(line, start) {
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
                Some(n) => i = start + n,
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
fn quoted(line: &[u8], start: usize) -> Option<usize> {
    let mark = line[start];
    let is_word = |b: Option<&u8>| b.is_some_and(|b| CLASS[*b as usize] & WORD != 0);
    // An apostrophe stands in or after a word; a quote before one.
    if mark != b'"' && start.checked_sub(1).is_some_and(|k| is_word(line.get(k))) {
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

/// Returns where the path or address that begins at `start` ends, if it is one: `/etc/passwd`, `src/main.rs`,
/// `a/b/c`, not `and/or`.
fn path_end(line: &[u8], start: usize) -> Option<usize> {
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
    let after_word = start > 0 && CLASS[line[start - 1] as usize] & WORD != 0;
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

/// The hash of a shape and of its beginnings.
struct Hash {
    hash: u64,
    prefixes: [u64; DEPTH],
    words: usize,
}

impl Hash {
    #[inline]
    fn mix(&mut self, value: u64) {
        let h = (self.hash ^ value).wrapping_mul(MIX);
        self.hash = h ^ (h >> 29);
    }
}

impl Sink for Hash {
    #[inline]
    fn word(&mut self, _: &[u8], packed: u64) {
        self.mix(packed);
        if self.words < DEPTH {
            self.prefixes[self.words] = self.hash;
        }
        self.words += 1;
    }

    #[inline]
    fn mark(&mut self, mark: Mark) {
        self.mix(u64::MAX - mark as u64);
    }

    #[inline]
    fn gap(&mut self, byte: u8) {
        // Cheaper than mixing: the next word mixes it in.
        self.hash = self.hash.rotate_left(9).wrapping_add(u64::from(byte));
    }
}

/// The text of a shape, or of its first words.
struct Masked {
    text: String,
    /// How many words remain to be written.
    words: usize,
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

/// A shape of lines, or all lines that begin with the same words.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    key: u64,
    prefixes: [u64; DEPTH],
    words: usize,
    /// How many first words its lines share; 0 where they share the whole shape.
    wild: usize,
    /// Lines.
    pub(super) count: u64,
    /// The first line, from 0.
    pub(super) first: u64,
    /// The last line, from 0.
    pub(super) last: u64,
    /// How grave its lines are.
    pub(super) level: Level,
    /// The HTTP status of its lines, or 0.
    pub(super) status: u16,
    /// Its lines begin sections.
    pub(super) section: bool,
    /// All its lines say the same after their time stamp.
    same: bool,
    body: usize,
    example: Box<[u8]>,
}

impl Shape {
    /// Returns the first line as a reader sees it.
    pub(super) fn example(&self) -> String {
        clean::line(&self.example).into_owned()
    }

    /// Whether its lines differ in more than their time stamps.
    pub(super) fn varies(&self) -> bool {
        self.count > 1 && !(self.same && self.wild == 0)
    }

    /// Whether its lines are those of a stack trace, of passed tests, or have no words: last in a map.
    pub(super) fn is_noise(&self) -> bool {
        let example = self.example();
        let text = example.trim_start();
        self.words == 0 || self.level == Level::Passed || text.starts_with("at ") || text.starts_with("File \"")
    }

    /// Returns a line of this shape after its time stamp.
    pub(super) fn message<'a>(&self, line: &'a str) -> &'a str {
        let mut hash = Hash { hash: 0, prefixes: [0; DEPTH], words: 0 };
        &line[body(line, scan(line.as_bytes(), &mut hash).body)..]
    }

    /// Returns the first line after its time stamp.
    pub(super) fn first_text(&self) -> String {
        self.message(&self.example()).to_owned()
    }

    /// Returns what all its lines have in common, as a reader sees it: the first line where they are the same.
    pub(super) fn text(&self) -> String {
        let example = self.example();
        let mut hash = Hash { hash: 0, prefixes: [0; DEPTH], words: 0 };
        let body = body(&example, scan(example.as_bytes(), &mut hash).body);
        let body = &example[body..];
        if !self.varies() {
            return body.to_owned();
        }
        let words = if self.wild > 0 { self.wild } else { usize::MAX };
        let mut masked = Masked { text: String::new(), words };
        scan(body.as_bytes(), &mut masked);
        if self.wild > 0 && hash.words > self.wild {
            masked.text.push_str(" …");
        }
        masked.text
    }
}

/// Returns where a line's message begins: after a time stamp, not after a plain number.
fn body(line: &str, first_word: usize) -> usize {
    let mut at = if (8..line.len()).contains(&first_word) { first_word } else { 0 };
    while !line.is_char_boundary(at) {
        at -= 1;
    }
    // The bracket that opens before the word belongs to it: `[main] started`.
    if at > 0 && matches!(line.as_bytes()[at - 1], b'[' | b'(' | b'<' | b'{') {
        at -= 1;
    }
    at
}

/// Counts the shapes of lines.
pub(super) struct Shapes {
    shapes: Vec<Shape>,
    /// Key and place of each shape, by the key's upper bits.
    slots: Vec<(u64, u32)>,
    any_wild: bool,
    gate: levels::Gate,
    inserted: u64,
    /// Lines by level, of shapes that were given up.
    lost_levels: [u64; Level::COUNT],
    /// Shapes given up, at least.
    pub(super) lost_shapes: u64,
    /// Their lines.
    pub(super) lost_lines: u64,
}

const SLOT_BITS: u32 = 14;
const EMPTY: u32 = u32::MAX;

impl Shapes {
    pub(super) fn new() -> Shapes {
        Shapes {
            shapes: Vec::new(),
            slots: vec![(0, EMPTY); 1 << SLOT_BITS],
            any_wild: false,
            gate: levels::Gate::new(),
            inserted: 0,
            lost_levels: [0; Level::COUNT],
            lost_shapes: 0,
            lost_lines: 0,
        }
    }

    /// Counts a line; returns its shape, and whether it is the shape's first line.
    pub(super) fn see(&mut self, number: u64, line: &[u8]) -> (&Shape, bool) {
        let look = &line[..line.len().min(LOOK)];
        let mut hash = Hash { hash: 0, prefixes: [0; DEPTH], words: 0 };
        let seen = scan(look, &mut hash);
        if seen.painted {
            let text = clean::line(look);
            let mut hash = Hash { hash: 0, prefixes: [0; DEPTH], words: 0 };
            let seen = scan(text.as_bytes(), &mut hash);
            return self.count(number, text.as_bytes(), &hash, seen.body);
        }
        self.count(number, look, &hash, seen.body)
    }

    #[inline]
    fn count(&mut self, number: u64, line: &[u8], hash: &Hash, body: usize) -> (&Shape, bool) {
        let body = if (8..line.len()).contains(&body) { body } else { 0 };
        let found = match self.find(hash.hash) {
            Some(at) => at,
            None => match self.find_wild(line, hash) {
                Some(at) => at,
                None => {
                    let at = self.insert(number, line, hash, body);
                    return (&self.shapes[at], true);
                }
            },
        };
        let shape = &mut self.shapes[found];
        shape.count += 1;
        shape.last = number;
        if shape.same {
            shape.same = line[body..].get(..EXAMPLE).unwrap_or(&line[body..])
                == shape.example.get(shape.body..).unwrap_or_default();
        }
        (&self.shapes[found], false)
    }

    #[inline]
    fn find(&self, key: u64) -> Option<usize> {
        let mut at = (key >> (64 - SLOT_BITS)) as usize;
        loop {
            match self.slots[at] {
                (_, EMPTY) => return None,
                (k, n) if k == key => return Some(n as usize),
                _ => at = (at + 1) & ((1 << SLOT_BITS) - 1),
            }
        }
    }

    fn find_wild(&self, line: &[u8], hash: &Hash) -> Option<usize> {
        if !self.any_wild {
            return None;
        }
        let (level, section) = self.read(line);
        let words = hash.words.min(DEPTH);
        (1..=words).rev().find_map(|k| self.find(wild_key(hash.prefixes[k - 1], k, level, section)))
    }

    /// Returns the level of a line, and whether it is a section.
    fn read(&self, line: &[u8]) -> (Level, bool) {
        let (leveled, sectioned) = (self.gate.may_have_level(line), levels::may_be_section(line));
        if !leveled && !sectioned {
            return (Level::Plain, false);
        }
        let text = clean::line(line);
        (if leveled { levels::of(&text) } else { Level::Plain }, sectioned && levels::is_section(&text))
    }

    fn insert(&mut self, number: u64, line: &[u8], hash: &Hash, body: usize) -> usize {
        if self.shapes.len() >= SHAPES {
            self.fold(16, 16);
            self.give_up();
        }
        self.inserted += 1;
        let (level, section) = self.read(line);
        let end = (body + EXAMPLE).min(line.len());
        let status = match memchr::memmem::find(line, b" HTTP/") {
            Some(_) => levels::http_status(&clean::line(line)).unwrap_or(0),
            None => 0,
        };
        let start = if body > EXAMPLE { body } else { 0 };
        self.shapes.push(Shape {
            key: hash.hash,
            prefixes: hash.prefixes,
            words: hash.words,
            wild: 0,
            count: 1,
            first: number,
            last: number,
            level,
            status,
            section,
            same: true,
            body: body - start,
            example: line[start..end].into(),
        });
        let at = self.shapes.len() - 1;
        self.place(hash.hash, at);
        at
    }

    fn place(&mut self, key: u64, shape: usize) {
        let mut at = (key >> (64 - SLOT_BITS)) as usize;
        while self.slots[at].1 != EMPTY {
            at = (at + 1) & ((1 << SLOT_BITS) - 1);
        }
        self.slots[at] = (key, shape as u32);
    }

    /// Makes one shape of those that begin with the same words where there are at least `least` of them (`least_few`
    /// where they share one word or two). Frequent shapes stay themselves.
    fn fold(&mut self, least: usize, least_few: usize) {
        let lines: u64 = self.shapes.iter().map(|s| s.count).sum();
        let rare = (lines / 100).max(8);
        for k in (1..=DEPTH).rev() {
            let mut groups: HashMap<u64, Vec<usize>> = HashMap::new();
            for (at, shape) in self.shapes.iter().enumerate() {
                if shape.words >= k && (shape.wild == 0 || shape.wild > k) && shape.count <= rare {
                    let key = wild_key(shape.prefixes[k - 1], k, shape.level, shape.section);
                    groups.entry(key).or_default().push(at);
                }
            }
            let mut gone = vec![false; self.shapes.len()];
            let folded: HashMap<u64, usize> =
                self.shapes.iter().enumerate().filter(|s| s.1.wild == k).map(|(at, s)| (s.key, at)).collect();
            for (key, group) in groups {
                // An earlier fold's shape for these very words takes new ones in whatever their number.
                let old = folded.get(&key).copied();
                if old.is_none() && group.len() < if k <= 2 { least_few } else { least } {
                    continue;
                }
                let Some(into) = old.or_else(|| group.iter().copied().min_by_key(|&at| self.shapes[at].first)) else {
                    continue;
                };
                for &at in group.iter().filter(|&&at| at != into) {
                    let (count, first, last) = (self.shapes[at].count, self.shapes[at].first, self.shapes[at].last);
                    let shape = &mut self.shapes[into];
                    shape.count += count;
                    shape.first = shape.first.min(first);
                    shape.last = shape.last.max(last);
                    gone[at] = true;
                }
                let shape = &mut self.shapes[into];
                (shape.key, shape.wild, shape.same) = (key, k, false);
                self.any_wild = true;
            }
            let mut at = 0;
            self.shapes.retain(|_| {
                at += 1;
                !gone[at - 1]
            });
        }
        self.rebuild();
    }

    /// Gives up the rarest shapes, the gravest last, where folding did not make enough room.
    fn give_up(&mut self) {
        if self.shapes.len() <= SHAPES * 3 / 4 {
            return;
        }
        self.shapes.sort_by_key(|s| (!s.level.is_grave() && s.count == 1, s.level > Level::Warn, u64::MAX - s.count));
        for shape in self.shapes.drain(SHAPES / 2..) {
            self.lost_levels[shape.level as usize] += shape.count;
            self.lost_lines += shape.count;
            self.lost_shapes += 1;
        }
        self.rebuild();
    }

    fn rebuild(&mut self) {
        self.slots.fill((0, EMPTY));
        for at in 0..self.shapes.len() {
            self.place(self.shapes[at].key, at);
        }
    }

    /// Returns how many shapes there were before any was folded.
    pub(super) fn distinct(&self) -> u64 {
        self.inserted
    }

    /// Returns how many lines there are of each level.
    pub(super) fn levels(&self) -> [u64; Level::COUNT] {
        let mut levels = self.lost_levels;
        for shape in &self.shapes {
            levels[shape.level as usize] += shape.count;
        }
        levels
    }

    /// Returns the shapes as they are to be shown: those that differ in a few words only folded once more.
    pub(super) fn finish(&mut self) -> Vec<Shape> {
        self.fold(6, 12);
        std::mem::take(&mut self.shapes)
    }
}

fn wild_key(prefix: u64, words: usize, level: Level, section: bool) -> u64 {
    let salt = (words as u64) << 16 | (level as u64) << 8 | u64::from(section) << 1 | 1;
    (prefix ^ salt.wrapping_mul(0xD6E8_FEB8_6659_FD93)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
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
            ("===== x ====== __________ worker12", "=== x === ___ worker#"),
        ] {
            assert_eq!(masked(line), shape);
        }
    }

    #[test]
    fn colours_do_not_change_a_shape() {
        let mut shapes = Shapes::new();
        shapes.see(0, b"\x1b[1;31merror\x1b[0m: a b");
        assert!(!shapes.see(1, b"\x1b[1merror\x1b[m: a b").1);
        shapes.see(2, b"old\rnew 1");
        assert!(!shapes.see(3, b"xyz\rnew 2").1);
    }

    #[test]
    fn many_rare_shapes_become_one_with_all_their_lines() {
        let mut shapes = Shapes::new();
        for k in 0..50_000u64 {
            let name: String = k.to_string().bytes().map(|b| char::from(b - b'0' + b'a')).collect();
            shapes.see(k, format!("fetch manifest {name} cached").as_bytes());
        }
        let found = shapes.finish();
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].count, found[0].first, found[0].last), (50_000, 0, 49_999));
        assert_eq!(found[0].text(), "fetch manifest …");
        assert_eq!(shapes.lost_lines, 0);
    }

    #[test]
    fn no_line_is_lost_to_the_counts() {
        let mut shapes = Shapes::new();
        let mut seed = 7u64;
        for k in 0..30_000u64 {
            let mut line = String::from(if k % 10 == 0 { "ERROR" } else { "" });
            for _ in 0..5 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                line.push_str([" alpha", " beta", " gamma", "<", ">", " delta", "{}", "|"][(seed >> 61) as usize]);
                line.push(char::from(b'a' + (seed >> 50) as u8 % 26));
            }
            shapes.see(k, line.as_bytes());
        }
        let levels = shapes.levels();
        assert_eq!(levels.iter().sum::<u64>(), 30_000);
        assert_eq!(levels[Level::Error as usize], 3000);
    }
}
