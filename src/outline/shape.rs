//! The shapes of lines: what remains of a line when its variable parts are masked, and how often each shape occurs.
//!
//! The table of shapes is of fixed size. When it is full, rare shapes that begin with
//! the same words become one shape, longest beginnings first; later lines that begin so are counted there. Only when
//! that does not help are the rarest shapes given up, and counted.

use std::collections::HashMap;

use crate::text::clean;

use super::levels::{self, Level};
use super::scan::{LOOK, MIX, Mark, Masked, Sink, scan};

/// How many shapes are kept.
const SHAPES: usize = 4096;
/// By how many of its first words a shape can be folded with others.
const DEPTH: usize = 6;
/// How much of a shape's first line is kept, in bytes.
const EXAMPLE: usize = 512;

/// The hash of a shape and of its beginnings.
struct Hash {
    hash: u64,
    prefixes: [u64; DEPTH],
    words: usize,
}

impl Hash {
    fn new() -> Hash {
        Hash { hash: 0, prefixes: [0; DEPTH], words: 0 }
    }

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

    /// Whether its lines share their first words only.
    pub(super) fn is_folded(&self) -> bool {
        self.wild > 0
    }

    /// Whether its lines are those of a stack trace, of passed tests, or have no words: last in a map.
    pub(super) fn is_noise(&self) -> bool {
        let example = self.example();
        let text = example.trim_start();
        self.words == 0 || self.level == Level::Passed || text.starts_with("at ") || text.starts_with("File \"")
    }

    /// Returns a line of this shape after its time stamp.
    pub(super) fn message<'a>(&self, line: &'a str) -> &'a str {
        let mut hash = Hash::new();
        &line[body(line, scan(line.as_bytes(), &mut hash).body)..]
    }

    /// Returns the first line after its time stamp.
    pub(super) fn first_text(&self) -> String {
        self.message(&self.example()).to_owned()
    }

    /// Returns what all its lines have in common, as a reader sees it: the first line where they are the same.
    pub(super) fn text(&self) -> String {
        let example = self.example();
        let mut hash = Hash::new();
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
    /// How often room was made without folding since the last fold, and how often that is done before the next.
    unfolded: u32,
    patience: u32,
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
            unfolded: 0,
            patience: 0,
            lost_levels: [0; Level::COUNT],
            lost_shapes: 0,
            lost_lines: 0,
        }
    }

    /// Counts a line; returns its shape.
    pub(super) fn see(&mut self, number: u64, line: &[u8]) -> &Shape {
        let look = &line[..line.len().min(LOOK)];
        let mut hash = Hash::new();
        let seen = scan(look, &mut hash);
        if seen.painted {
            let text = clean::line(look);
            let mut hash = Hash::new();
            let seen = scan(text.as_bytes(), &mut hash);
            return self.count(number, text.as_bytes(), &hash, seen.body);
        }
        self.count(number, look, &hash, seen.body)
    }

    #[inline]
    fn count(&mut self, number: u64, line: &[u8], hash: &Hash, body: usize) -> &Shape {
        let body = if (8..line.len()).contains(&body) { body } else { 0 };
        let found = match self.find(hash.hash) {
            Some(at) => at,
            None => match self.find_wild(line, hash) {
                Some(at) => at,
                None => {
                    let at = self.insert(number, line, hash, body);
                    return &self.shapes[at];
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
        &self.shapes[found]
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
            self.make_room();
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
    /// where they share one word or two, `least_grave` of faults). Frequent shapes stay themselves.
    fn fold(&mut self, least: usize, least_few: usize, least_grave: usize) {
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
                let grave = self.shapes[group[0]].level.is_grave();
                let enough = if k <= 2 { least_few } else { least }.max(if grave { least_grave } else { 0 });
                if old.is_none() && group.len() < enough {
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

    /// Folds shapes, and gives up what is too much then. Where folding did not help (prose), it is tried more rarely.
    fn make_room(&mut self) {
        if self.unfolded < self.patience {
            self.unfolded += 1;
        } else {
            let before = self.shapes.len();
            self.fold(16, 16, 16);
            let helped = self.shapes.len() * 10 < before * 9;
            (self.unfolded, self.patience) = (0, if helped { 0 } else { (self.patience * 2 + 1).min(31) });
        }
        self.give_up();
    }

    /// Gives up the rarest shapes, the gravest last, where folding did not make enough room.
    fn give_up(&mut self) {
        if self.shapes.len() <= SHAPES * 3 / 4 {
            return;
        }
        crate::order::by_key(&mut self.shapes, |s| {
            (!s.level.is_grave() && s.count == 1, s.level > Level::Warn, u64::MAX - s.count)
        });
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
        self.fold(6, 12, 24);
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

    fn see(shapes: &mut Shapes, number: u64, line: &[u8]) -> u64 {
        shapes.see(number, line).count
    }

    #[test]
    fn colours_do_not_change_a_shape() {
        let mut shapes = Shapes::new();
        see(&mut shapes, 0, b"\x1b[1;31merror\x1b[0m: a b");
        assert_eq!(see(&mut shapes, 1, b"\x1b[1merror\x1b[m: a b"), 2);
        see(&mut shapes, 9, b"\x1b[96msrc/a/b.ts\x1b[0m \x1b[1m'x'");
        assert_eq!(see(&mut shapes, 9, b"src/d.ts 'some other'"), 2);
        see(&mut shapes, 2, b"old\rnew 1");
        assert_eq!(see(&mut shapes, 3, b"xyz\rnew 2"), 2);
    }

    #[test]
    fn many_rare_shapes_become_one_with_all_their_lines() {
        let mut shapes = Shapes::new();
        for k in 0..50_000u64 {
            let name: String = k.to_string().bytes().map(|b| char::from(b - b'0' + b'a')).collect();
            see(&mut shapes, k, format!("fetch manifest {name} cached").as_bytes());
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
            see(&mut shapes, k, line.as_bytes());
        }
        let levels = shapes.levels();
        assert_eq!(levels.iter().sum::<u64>(), 30_000);
        assert_eq!(levels[Level::Error as usize], 3000);
    }
}
