//! Which lines answer best: BM25's idea (rare words weigh more) over lines, with what a reader would add: words close
//! together, the exact words typed, what stands around the line, the shape of the answer.
//!
//! One scan without an index: how rare a word is, is known only at its end. So a line becomes a
//! [`Candidate`](super::pool::Candidate) with all
//! that its score is made of, the pool keeps the best by what is known so far (and some of every set of words), and the
//! end ranks them again.

use super::find::Mark;
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

    /// Returns what lines with these terms could have of the words' score, before its factors.
    pub(super) fn ceiling(&self, mask: u32, weight: f32) -> f32 {
        let mut sum = 0.0;
        bits(mask, |t| sum += self.idf[t].max(self.idf_any[t]));
        sum * weight / self.total.max(0.001)
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

/// Raises what is known of the terms by what is found elsewhere, weighed.
pub(super) fn raise(to: &mut Strengths, from: &Strengths, weight: f32) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = to.max(from * weight);
    }
}

/// How close together terms that are neighbours in the query stand, 0 to 1.
pub(super) fn closeness(marks: &[Mark], terms: usize) -> f32 {
    if terms < 2 || marks.len() < 2 {
        return 0.0;
    }
    let mut sum = 0.0;
    for t in 0..terms - 1 {
        let (a, b) = (1u32 << t, 1u32 << (t + 1));
        let mut best = 0.0f32;
        for x in marks.iter().filter(|m| m.terms & a != 0).take(8) {
            for y in marks.iter().filter(|m| m.terms & b != 0).take(8) {
                let (gap, order) = if x.terms & (a | b) == (a | b) {
                    (0, 1.0)
                } else if y.start >= x.start {
                    (y.start.saturating_sub(x.end), 1.0)
                } else {
                    (x.start.saturating_sub(y.end), 0.7)
                };
                best = best.max(order * x.strength.min(y.strength) / (1.0 + gap as f32 / 10.0));
            }
        }
        sum += best;
    }
    sum / (terms - 1) as f32
}
