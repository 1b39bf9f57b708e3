//! Which lines answer best: BM25's idea (rare words weigh more) over lines, with what a reader would add: words close
//! together, the exact words typed, what stands around the line, the shape of the answer.
//!
//! One scan without an index: how rare a word is, is known only at its end. So a line becomes a [`Candidate`] with all
//! that its score is made of, the pool keeps the best by what is known so far (and some of every set of words), and the
//! end ranks them again.

use super::query::{MAX_TERMS, Query};

/// What each rule counts; 0 turns a rule off.
#[derive(Clone, Debug)]
pub struct Weights {
    /// A word derived from the query's (`failure` for `fail`).
    pub derived: f32,
    /// A word that begins with the query's.
    pub prefix: f32,
    /// A word that holds the query's inside.
    pub inside: f32,
    /// A short or long form, or an irregular one.
    pub short: f32,
    /// A synonym.
    pub alike: f32,
    /// A chunk with signs as typed, next to its words.
    pub chunk: f32,
    /// Words like `not`.
    pub weak: f32,
    /// Words close together.
    pub close: f32,
    /// How much a line loses that is longer than most.
    pub length: f32,
    /// A word in the line before or after.
    pub near: f32,
    /// A word two lines away.
    pub near2: f32,
    /// A word in a line that this one is indented under.
    pub parent: f32,
    /// A word in the lines that are indented under this one.
    pub body: f32,
    /// A word elsewhere in the same long line.
    pub same_line: f32,
    /// A line that reports a failure, where one is asked for.
    pub signal: f32,
    /// The same where none is asked for.
    pub signal_unasked: f32,
    /// A line of the shape asked for.
    pub shape: f32,
    /// The whole query as typed.
    pub phrase: f32,
    /// A word that asks for a shape (`number of`, `version`), as a word.
    pub asking: f32,
    /// A word that says little wherever it stands (`file`, `line`, `list`).
    pub general: f32,
    /// A line that reports a failure, as if the question had named it.
    pub cause: f32,
    /// The initials of words (`lto` for `link time optimization`).
    pub initials: f32,
    /// A number right beside a word, where a number is asked for.
    pub counted: f32,
    /// What a line keeps that looks like one already chosen.
    pub similar: f32,
    /// What a line keeps that a chosen one shows as its neighbour.
    pub shown: f32,
}

impl Default for Weights {
    fn default() -> Self {
        Weights {
            derived: 0.6,
            prefix: 0.6,
            inside: 0.4,
            short: 0.9,
            alike: 0.65,
            chunk: 0.7,
            weak: 0.3,
            close: 0.4,
            length: 0.3,
            near: 0.4,
            near2: 0.3,
            parent: 0.4,
            body: 0.9,
            same_line: 0.6,
            signal: 0.3,
            signal_unasked: 0.05,
            shape: 0.3,
            phrase: 1.0,
            asking: 0.4,
            general: 0.6,
            cause: 0.3,
            counted: 0.4,
            initials: 0.8,

            similar: 0.6,
            shown: 0.9,
        }
    }
}

/// How well each term is matched, up to 1.
pub(super) type Strengths = [f32; MAX_TERMS];

/// Calls `each` with the terms of a mask.
pub(super) fn bits(mut mask: u32, mut each: impl FnMut(usize)) {
    while mask != 0 {
        each(mask.trailing_zeros() as usize);
        mask &= mask - 1;
    }
}

/// What a line's score is made of.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    /// The terms in the line.
    pub(super) own: Strengths,
    /// The terms around it, weighed.
    pub(super) around: Strengths,
    /// The terms that only a synonym stands for, a bit each.
    pub(super) synonyms: u32,
    /// The terms in the line, a bit each.
    pub(super) mask: u32,
    /// Bytes of the line.
    pub(super) length: u32,
    /// What multiplies the score: closeness, shape, failure.
    pub(super) factor: f32,
    /// What is added for the query as typed.
    pub(super) bonus: f32,
}

/// How rare the terms are so far.
#[derive(Clone, Debug)]
pub(super) struct Rarity {
    /// Lines (for long lines, places in them) seen.
    pub(super) units: u64,
    pub(super) bytes: u64,
    /// Of those with the term itself.
    pub(super) with: [u64; MAX_TERMS],
    /// Of those with the term or a synonym.
    pub(super) with_any: [u64; MAX_TERMS],
    idf: Strengths,
    idf_any: Strengths,
    average: f32,
    total: f32,
}

impl Rarity {
    pub(super) fn new() -> Self {
        let zero = [0; MAX_TERMS];
        let ones = [1.0; MAX_TERMS];
        Rarity { units: 0, bytes: 0, with: zero, with_any: zero, idf: ones, idf_any: ones, average: 80.0, total: 1.0 }
    }

    /// Counts one line with terms.
    pub(super) fn count(&mut self, mask: u32, synonyms: u32) {
        bits(mask & !synonyms, |t| self.with[t] += 1);
        bits(mask, |t| self.with_any[t] += 1);
    }

    /// Brings the weights of the terms up to date.
    pub(super) fn update(&mut self, query: &Query) {
        let n = self.units.max(1) as f32;
        let idf = |with: u64| {
            let with = (with as f32).min(n);
            (1.0 + (n - with + 0.5) / (with + 0.5)).ln()
        };
        self.total = 0.0;
        for (t, term) in query.terms.iter().enumerate() {
            // A term that only synonyms stand for is as rare as they are.
            let own = if self.with[t] == 0 { self.with_any[t] } else { self.with[t] };
            self.idf[t] = idf(own) * term.weight;
            self.idf_any[t] = idf(self.with_any[t]) * term.weight;
            self.total += self.idf[t];
        }
        self.average = (self.bytes as f32 / n).max(20.0);
    }

    /// Returns the score of a line: about 0 to 1 for the words, times the factors.
    pub(super) fn score(&self, parts: &Parts, terms: usize, weights: &Weights) -> f32 {
        let mut sum = 0.0;
        for t in 0..terms {
            let (own, around) = (parts.own[t], parts.around[t]);
            if own == 0.0 && around == 0.0 {
                continue;
            }
            let idf = if parts.synonyms & (1 << t) == 0 { self.idf[t] } else { self.idf_any[t] };
            let best = own.max(around);
            sum += idf * best;
        }
        let total = self.total.max(0.001);
        // BM25's length rule; beyond three times the usual, longer is not worse.
        let relative = (parts.length as f32 / self.average).min(3.0);
        let length = 2.2 / (1.2 + 1.0 * (1.0 - weights.length + weights.length * relative));
        sum / total * length * parts.factor + parts.bonus
    }
}

/// A line that may be among the answers.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) parts: Parts,
    pub(super) score: f32,
    pub(super) line: u64,
    pub(super) offset: u64,
    pub(super) text: String,
    pub(super) whole: bool,
    pub(super) before: Vec<(u64, String)>,
    pub(super) after: Vec<(u64, String)>,
    pub(super) count: u64,
    /// Of the cleaned line.
    pub(super) hash: u64,
    /// Of the line without its digits.
    pub(super) outline: u64,
    /// The synonyms that it holds.
    pub(super) variants: Vec<u16>,
}

/// Returns a hash of bytes, eight at a time; for telling lines apart, not for safety.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    const K: u64 = 0x517C_C1B7_2722_0A95;
    let mut h = bytes.len() as u64;
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        h = (h.rotate_left(5) ^ u64::from_le_bytes(chunk.try_into().unwrap_or_default())).wrapping_mul(K);
    }
    for &b in chunks.remainder() {
        h = (h.rotate_left(5) ^ u64::from(b)).wrapping_mul(K);
    }
    h ^ (h >> 29)
}

/// The candidates so far.
pub(super) struct Pool {
    pub(super) items: Vec<Candidate>,
    known: std::collections::HashMap<u64, usize>,
    /// Which hashes may be known, by their low bits: asked for every line that has words.
    maybe: Vec<u16>,
    room: usize,
    /// What a line must score to be of interest.
    pub(super) bar: f32,
    /// How many of each set of words are kept, by the low bits of its hash.
    sets: [u16; 256],
}

/// How many lines of each set of words stay, whatever they score.
const KEPT_OF_A_SET: u16 = 12;

fn slot(mask: u32) -> usize {
    (mask.wrapping_mul(0x9E37_79B1) >> 24) as usize
}

impl Pool {
    pub(super) fn new(limit: usize) -> Self {
        let room = (limit * 4).clamp(256, 8192);
        Pool {
            items: Vec::new(),
            known: std::collections::HashMap::new(),
            maybe: vec![0; 4096],
            room,
            bar: 0.0,
            sets: [0; 256],
        }
    }

    /// Whether few lines with this set of words are kept.
    pub(super) fn wants_set(&self, mask: u32) -> bool {
        self.sets[slot(mask)] < KEPT_OF_A_SET
    }

    /// Whether a line of this length and these words may be one that is kept already.
    pub(super) fn may_know(&self, length: usize, mask: u32) -> bool {
        self.maybe[key(length, mask)] > 0
    }

    /// Returns the candidate with this text.
    pub(super) fn find(&mut self, hash: u64) -> Option<&mut Candidate> {
        let k = *self.known.get(&hash)?;
        self.items.get_mut(k)
    }

    pub(super) fn add(&mut self, candidate: Candidate) {
        self.known.insert(candidate.hash, self.items.len());
        let maybe = &mut self.maybe[key(candidate.parts.length as usize, candidate.parts.mask)];
        *maybe = maybe.saturating_add(1);
        let set = &mut self.sets[slot(candidate.parts.mask)];
        *set = set.saturating_add(1);
        self.items.push(candidate);
    }

    /// Whether it is time to prune.
    pub(super) fn full(&self) -> bool {
        self.items.len() >= self.room * 2
    }

    /// Keeps the best, and some of every set of words.
    pub(super) fn prune(&mut self, mut score: impl FnMut(&Parts) -> f32) {
        for item in &mut self.items {
            item.score = score(&item.parts);
        }
        self.items.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.line.cmp(&b.line)).then(a.offset.cmp(&b.offset)));
        self.bar = self.items.get(self.room.saturating_sub(1)).map_or(0.0, |c| c.score);
        let (room, mut rank) = (self.room, 0);
        let mut sets = [0u16; 256];
        self.items.retain(|item| {
            rank += 1;
            let set = &mut sets[slot(item.parts.mask)];
            let keep = rank <= room || *set < KEPT_OF_A_SET;
            *set = set.saturating_add(u16::from(keep));
            keep
        });
        self.sets = sets;
        self.known.clear();
        self.maybe.fill(0);
        for (k, item) in self.items.iter().enumerate() {
            self.known.insert(item.hash, k);
            let maybe = &mut self.maybe[key(item.parts.length as usize, item.parts.mask)];
            *maybe = maybe.saturating_add(1);
        }
    }
}

fn key(length: usize, mask: u32) -> usize {
    (length ^ (mask.wrapping_mul(0x9E37_79B1) >> 20) as usize) & 4095
}
