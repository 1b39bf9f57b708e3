//! Looking at one line with words in it: what its score is made of, and its text and neighbours if it is of interest.
//!
//! Most lines of a text full of common words are not: they are told by what their words could score at best, before
//! anything else is looked at.

use std::ops::Range;

use super::find::Mark;
use super::fold::Folded;
use super::place::{Fold, Place, char_start, indent};
use super::pool::{Candidate, hash};
use super::query::MAX_TERMS;
use super::rank::{Parts, Strengths, bits, closeness, raise};
use super::scan::{GIANT, LONG, MARKS, Scanner};
use super::shape::{self, Shape};
use crate::text::lines::Part;
use crate::text::{clean, cut};

/// How many lines back parents are looked for.
const PARENT_LINES: usize = 300;
/// How many lines indented under a line are looked at.
const BODY_LINES: usize = 3;
/// How much a line may gain by what is looked at last, over what its words promise.
const MAY_GAIN: f32 = 1.6;

/// What the marks of a line say.
#[derive(Clone, Copy)]
pub(super) struct Gathered {
    /// How well each term is matched.
    pub(super) own: Strengths,
    /// Which terms, a bit each.
    pub(super) mask: u32,
    /// Which of them only by a synonym.
    pub(super) synonyms: u32,
}

/// Returns what the marks of a line say.
pub(super) fn gather(marks: &[Mark]) -> Gathered {
    let (mut own, mut mask, mut direct) = ([0.0f32; MAX_TERMS], 0, 0);
    for m in marks {
        mask |= m.terms;
        direct |= if m.synonym { 0 } else { m.terms };
        bits(m.terms, |t| own[t] = own[t].max(m.strength));
    }
    Gathered { own, mask, synonyms: mask & !direct }
}

/// A line, or a place in a long one.
pub(super) struct Spot<'a> {
    pub(super) place: Place<'a>,
    pub(super) line: Folded<'a>,
    /// The part of the folded line that is looked at.
    pub(super) span: Range<usize>,
    pub(super) marks: &'a [Mark],
    pub(super) gathered: Gathered,
    /// What is found elsewhere in the line, weighed.
    pub(super) around: Strengths,
}

impl Spot<'_> {
    fn whole(&self) -> bool {
        self.span.len() == self.line.bytes.len() && self.place.part == Part::WHOLE
    }

    /// Returns the hash under which identical lines, or one place seen twice, are one.
    fn hash(&self) -> u64 {
        if self.whole() {
            hash(self.line.source)
        } else {
            let window = &self.line.bytes[self.span.clone()];
            hash(window) ^ self.place.offset.wrapping_add(self.line.source_at(self.span.start) as u64)
        }
    }
}

impl Scanner<'_> {
    /// Whether a line is of no interest, whatever stands in it besides these words; nothing else is known of it.
    pub(super) fn hopeless(&self, number: u64, length: usize, gathered: &Gathered) -> bool {
        let mask = gathered.mask;
        if self.pool.bar == 0.0 || self.pool.wants_set(mask) || self.pool.may_know(length, mask) {
            return false;
        }
        let weights = &self.options.weights;
        let mut best = self.rarity.ceiling(mask, 1.0);
        for recent in self.recent.iter().filter(|r| number.wrapping_sub(r.number) <= 2) {
            best += self.rarity.ceiling(recent.mask & !mask, weights.near);
        }
        best *= 1.2 * (1.0 + weights.close);
        let phrase = if self.phrase_fits(mask) { weights.phrase * 1.05 } else { 0.0 };
        let gain = if self.budget > 0 { MAY_GAIN } else { 1.0 };
        (best + phrase) * gain <= self.pool.bar
    }

    /// Whether a line with these words could hold the whole query as typed.
    fn phrase_fits(&self, mask: u32) -> bool {
        // All its words, but for one that may be the end of another word there.
        let terms = self.query.terms.len();
        mask.count_ones() as usize + 1 >= terms
    }

    /// Scores a line or a place in a long one; returns it if it is of interest and not known yet.
    pub(super) fn look(&mut self, spot: &Spot<'_>) -> Option<Candidate> {
        let weights = &self.options.weights;
        let (query, terms) = (self.query, self.query.terms.len());
        let Gathered { own, mask, synonyms } = spot.gathered;
        let mut parts = Parts {
            own,
            around: spot.around,
            synonyms,
            mask,
            length: spot.span.len() as u32,
            factor: 1.0 + weights.close * closeness(spot.marks, terms),
            bonus: self.as_typed(spot),
        };
        for recent in &self.recent {
            match spot.place.number.wrapping_sub(recent.number) {
                1 => raise(&mut parts.around, &recent.own, weights.near),
                2 => raise(&mut parts.around, &recent.own, weights.near2),
                _ => {}
            }
        }
        let score = self.rarity.score(&parts, terms, weights);
        if score <= self.pool.bar && !self.pool.wants_set(mask) {
            // A copy of a line that is kept counts there.
            let may_know = spot.whole() && self.pool.may_know(spot.span.len(), mask);
            if let Some(known) = may_know.then(|| spot.hash()).and_then(|h| self.pool.find(h)) {
                known.count += 1;
                return None;
            }
            if score * MAY_GAIN <= self.pool.bar || self.budget == 0 {
                return None;
            }
            self.budget -= 1;
        }
        // What costs more is looked at only here.
        if spot.line.bytes.len() <= LONG {
            self.look_around(spot, &mut parts.around);
        }
        let window = &spot.line.bytes[spot.span.clone()];
        let signal = if query.intent.failure { weights.signal } else { weights.signal_unasked };
        parts.factor *= 1.0 + signal * f32::from(shape::severity(window)) / 2.0;
        let words = spot.marks.iter().map(|m| (m.start as usize, m.end as usize));
        let first = words.clone().map(|w| w.0).min().unwrap_or(0).saturating_sub(spot.span.start);
        let last = words.clone().map(|w| w.1).max().unwrap_or(0).saturating_sub(spot.span.start);
        if query.intent.shapes.iter().any(|&s| shape::has(window, s, first..last)) {
            parts.factor *= 1.0 + weights.shape;
        }
        if query.intent.shapes.contains(&Shape::Number) && shape::counted(spot.line.bytes, words) {
            parts.factor *= 1.0 + weights.counted;
        }
        let score = self.rarity.score(&parts, terms, weights);
        let hash = spot.hash();
        if let Some(known) = self.pool.find(hash) {
            known.count += 1;
            if score <= known.score {
                return None;
            }
            // Of copies the one that stands in the best place is shown.
            let better = self.candidate(spot, parts, score, hash)?;
            self.pool.replace(better);
            self.wait_for_lines(spot.place.number);
            return None;
        }
        if score <= self.pool.bar && !self.pool.wants_set(mask) {
            return None;
        }
        self.candidate(spot, parts, score, hash)
    }

    /// Returns what a line gains by holding the query as typed: much for all of several words, a little for one.
    fn as_typed(&self, spot: &Spot<'_>) -> f32 {
        let (query, phrase) = (self.query, self.options.weights.phrase);
        if !self.phrase_fits(spot.gathered.mask) {
            return 0.0;
        }
        let (line, span) = (&spot.line, &spot.span);
        let (mut bonus, mut end) = (0.0, span.end);
        if let Some(typed) = &query.phrase {
            end = line.bytes.len().min(span.end + typed.needle().len());
            if typed.find(&line.bytes[span.start..end]).is_none() {
                return 0.0;
            }
            bonus = phrase;
        }
        // Among lines with the same words, the ones with the same capitals and signs.
        let source = &line.source[line.source_at(span.start)..line.source_at(end)];
        if query.typed.find(source).is_some() {
            bonus += phrase * 0.05;
        }
        bonus
    }

    /// Adds what stands around a line: in the lines after it and those that it is indented under.
    fn look_around(&self, spot: &Spot<'_>, around: &mut Strengths) {
        let weights = &self.options.weights;
        let mut margin = indent(spot.line.bytes);
        let mut under = true;
        for (k, raw) in spot.place.after().take(BODY_LINES).enumerate() {
            // What a line introduces stands indented under it.
            let here = indent(raw);
            under &= here > margin && raw.len() > here;
            let weight = match k {
                _ if under && weights.body > 0.0 => weights.body,
                0 => weights.near,
                1 => weights.near2,
                _ => break,
            };
            raise(around, &self.strengths(raw), weight);
        }
        let mut weight = weights.parent;
        for raw in spot.place.before().take(PARENT_LINES) {
            if margin == 0 || weight == 0.0 {
                break;
            }
            let here = indent(raw);
            if here < margin && raw.len() > here && raw.len() < LONG {
                margin = here;
                raise(around, &self.strengths(raw), weight);
                weight *= 0.85;
            }
        }
    }

    /// Returns how well (the start of) a raw line matches each term.
    pub(super) fn strengths(&self, raw: &[u8]) -> Strengths {
        let query = self.query;
        let clean = clean::line(&raw[..raw.len().min(LONG)]);
        let (mut fold, mut marks) = (Fold::default(), Vec::new());
        let line = fold.line(&clean);
        query.finder.all(&query.variants, self.rules, &line, MARKS, &mut marks);
        query.passive.all(&query.variants, self.rules, &line, marks.len() + MARKS, &mut marks);
        gather(&marks).own
    }

    /// Makes a candidate of a line, with its text and its neighbours; none if the words cannot be seen in it.
    fn candidate(&self, spot: &Spot<'_>, parts: Parts, score: f32, hash_of_line: u64) -> Option<Candidate> {
        let query = self.query;
        let (place, line) = (&spot.place, &spot.line);
        let max = self.options.line_max_chars;
        let whole = spot.whole();
        // Of a long line only what can be shown around the place.
        let reach = max.saturating_mul(4);
        let (start, end) = (line.source_at(spot.span.start), line.source_at(spot.span.end));
        let (from, to) = if whole {
            (0, line.source.len())
        } else {
            (start.saturating_sub(reach), end.saturating_add(reach).min(line.source.len()))
        };
        let (from, to) = (char_start(line.source, from), char_start(line.source, to));
        let shown = clean::line(&line.source[from..to]);
        let mut fold = Fold::default();
        let folded = fold.line(&shown);
        let mut marks = Vec::new();
        query.finder.all(&query.variants, self.rules, &folded, usize::MAX, &mut marks);
        if !whole && shown.len() == to - from {
            marks.retain(|m| folded.source_at(m.start as usize) >= start - from);
        }
        let best = best_window(&marks, max * 2 / 3)?;
        let words = folded.source_at(best.start)..folded.source_at(best.end);
        let text = cut::around(&shown, words.clone(), max);
        let complete = whole && text == shown;
        let offset = if complete {
            place.offset
        } else {
            // Where the words stand in the line as stored, less what is shown before them. Escapes that cleaning
            // removed push them to the right.
            let (raw, word) = (place.raw(), &shown[words.clone()]);
            let guess = (from + words.start).min(raw.len());
            let at = memchr::memmem::find(&raw[guess..], word.as_bytes()).map_or(guess, |n| guess + n);
            let core = text.strip_prefix('…').unwrap_or(&text);
            let core = core.strip_suffix('…').unwrap_or(core);
            let reach = words.start.saturating_sub(core.len());
            let lead = memchr::memmem::find(&shown.as_bytes()[reach..], core.as_bytes())
                .map_or(0, |n| words.start.saturating_sub(reach + n));
            place.offset + char_start(raw, at.saturating_sub(lead)) as u64
        };
        let context = self.options.context as u64;
        let mut before: Vec<(u64, String)> = (1..=context.min(place.number))
            .zip(place.before())
            .map(|(k, raw)| (place.number - k, neighbour(raw, max)))
            .collect();
        before.reverse();
        let after = (1..=context).zip(place.after()).map(|(k, raw)| (place.number + k, neighbour(raw, max)));
        let without_digits: Vec<u8> = folded.bytes.iter().filter(|b| !b.is_ascii_digit()).copied().collect();
        // A synonym at the start of a word of the query (`req` in `request`) is not what was found.
        let direct = |m: &Mark| marks.iter().any(|d| !d.synonym && d.start == m.start && d.terms & m.terms != 0);
        let mut synonyms: Vec<u16> =
            marks.iter().take(MARKS).filter(|m| m.synonym && !direct(m)).map(|m| m.variant).collect();
        synonyms.dedup();
        Some(Candidate {
            parts,
            score,
            line: place.number,
            offset,
            text: text.into_owned(),
            whole: complete,
            before: if place.part.first { before } else { Vec::new() },
            after: if place.part.last { after.collect() } else { Vec::new() },
            count: 1,
            hash: hash_of_line,
            outline: hash(&without_digits),
            synonyms,
        })
    }
}

/// Returns the start of a line beside a hit as a reader sees it.
pub(super) fn neighbour(raw: &[u8], max: usize) -> String {
    let raw = &raw[..char_start(raw, raw.len().min(GIANT.max(max.saturating_mul(8))))];
    cut::start(&clean::line(raw), max).into_owned()
}

/// Returns the range of marks, at most about `max` bytes, that holds most.
fn best_window(marks: &[Mark], max: usize) -> Option<Range<usize>> {
    let mut best: Option<(f32, Range<usize>)> = None;
    for (k, first) in marks.iter().enumerate().take(256) {
        let (mut seen, mut value, mut end) = (0, 0.0, first.end);
        for m in &marks[k..] {
            if (m.end.max(end) - first.start) as usize > max && m.start != first.start {
                break;
            }
            if m.terms & !seen != 0 {
                value += m.strength * (m.terms & !seen).count_ones() as f32;
                seen |= m.terms;
                end = end.max(m.end);
            }
        }
        if best.as_ref().is_none_or(|(v, _)| value > *v) {
            best = Some((value, first.start as usize..end as usize));
        }
    }
    best.map(|(_, range)| range)
}
