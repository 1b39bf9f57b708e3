//! The lines that may be among the answers, while the scan goes on.

use std::collections::HashMap;

use super::rank::{Parts, Weights};

/// A line that may be among the answers.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) parts: Parts,
    /// By what was known when it was made or last pruned.
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
    /// The variants in it that are synonyms.
    pub(super) synonyms: Vec<u16>,
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

/// How many lines of each set of words stay, whatever they score: what is rare is not known before the end.
const KEPT_OF_A_SET: u16 = 12;

/// The candidates so far: the best, and some of every set of words.
pub(super) struct Pool {
    pub(super) items: Vec<Candidate>,
    /// What a line must score to be of interest; 0 while there is room.
    pub(super) bar: f32,
    room: usize,
    known: HashMap<u64, usize>,
    /// A bit for each hash that may be known.
    seen: Vec<u64>,
    /// How many known lines share a length and a set of words, hashed: asked for every line that has words.
    lengths: Vec<u16>,
    /// How many of each set of words are kept, hashed.
    sets: [u16; 256],
}

fn slot(mask: u32) -> usize {
    (mask.wrapping_mul(0x9E37_79B1) >> 24) as usize
}

fn key(length: usize, mask: u32) -> usize {
    (length ^ (mask.wrapping_mul(0x9E37_79B1) >> 20) as usize) & 4095
}

impl Pool {
    /// Makes room for an answer of `limit` hits.
    pub(super) fn new(limit: usize) -> Self {
        Pool {
            items: Vec::new(),
            bar: 0.0,
            room: limit.saturating_mul(4).clamp(256, 4096),
            known: HashMap::new(),
            seen: vec![0; 1024],
            lengths: vec![0; 4096],
            sets: [0; 256],
        }
    }

    /// Whether few lines with this set of words are kept.
    pub(super) fn wants_set(&self, mask: u32) -> bool {
        self.sets[slot(mask)] < KEPT_OF_A_SET
    }

    /// Whether a line of this length (folded, in bytes) and these words may be one that is kept.
    pub(super) fn may_know(&self, length: usize, mask: u32) -> bool {
        self.lengths[key(length, mask)] > 0
    }

    /// Returns the candidate with this text.
    pub(super) fn find(&mut self, hash: u64) -> Option<&mut Candidate> {
        if self.seen[(hash >> 6) as usize & 1023] & (1 << (hash & 63)) == 0 {
            return None;
        }
        let k = *self.known.get(&hash)?;
        self.items.get_mut(k)
    }

    /// Adds a candidate whose text is new.
    pub(super) fn add(&mut self, candidate: Candidate) {
        let k = self.items.len();
        self.note(&candidate, k);
        let set = &mut self.sets[slot(candidate.parts.mask)];
        *set = set.saturating_add(1);
        self.items.push(candidate);
    }

    /// Puts a candidate in the place of its copy, whose count it takes.
    pub(super) fn replace(&mut self, candidate: Candidate) {
        if let Some(known) = self.find(candidate.hash) {
            let count = known.count;
            *known = Candidate { count, ..candidate };
        }
    }

    fn note(&mut self, candidate: &Candidate, k: usize) {
        self.known.insert(candidate.hash, k);
        self.seen[(candidate.hash >> 6) as usize & 1023] |= 1 << (candidate.hash & 63);
        let length = &mut self.lengths[key(candidate.parts.length as usize, candidate.parts.mask)];
        *length = length.saturating_add(1);
    }

    /// Whether it is time to prune.
    pub(super) fn full(&self) -> bool {
        self.items.len() >= self.room * 2
    }

    /// Scores all anew, best first; keeps the best and some of every set of words.
    pub(super) fn prune(&mut self, mut score: impl FnMut(&Parts) -> f32) {
        for item in &mut self.items {
            item.score = score(&item.parts);
        }
        crate::order::by(&mut self.items, |a, b| {
            b.score.total_cmp(&a.score).then(a.line.cmp(&b.line)).then(a.offset.cmp(&b.offset))
        });
        self.bar = self.items.get(self.room - 1).map_or(0.0, |c| c.score);
        let (room, mut rank, mut sets) = (self.room, 0, [0u16; 256]);
        self.items.retain(|item| {
            rank += 1;
            let set = &mut sets[slot(item.parts.mask)];
            let keep = rank <= room || *set < KEPT_OF_A_SET;
            *set = set.saturating_add(u16::from(keep));
            keep
        });
        self.sets = sets;
        self.known.clear();
        self.seen.fill(0);
        self.lengths.fill(0);
        let items = std::mem::take(&mut self.items);
        items.iter().enumerate().for_each(|(k, item)| self.note(item, k));
        self.items = items;
    }

    /// Takes the answer, best first. A line that looks like one already chosen, or is shown beside it, has less to
    /// tell than it scores.
    pub(super) fn choose(mut self, limit: usize, context: u64, weights: &Weights) -> Vec<Candidate> {
        let mut chosen: Vec<Candidate> = Vec::new();
        while chosen.len() < limit && !self.items.is_empty() {
            let value = |item: &Candidate| {
                let mut keeps = 1.0f32;
                for c in &chosen {
                    if c.outline == item.outline || c.line == item.line {
                        keeps *= weights.similar;
                    } else if c.line.abs_diff(item.line) <= context {
                        keeps *= weights.shown;
                    }
                }
                item.score * keeps.max(0.3)
            };
            let depth = self.items.len().min(limit.saturating_mul(4).saturating_add(16));
            let best =
                (0..depth).map(|k| (k, value(&self.items[k]))).max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
            let Some((k, score)) = best else { break };
            let item = self.items.remove(k);
            chosen.push(Candidate { score, ..item });
        }
        chosen
    }
}
