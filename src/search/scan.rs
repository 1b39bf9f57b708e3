//! The scan: blocks of lines in, candidates out.

use std::io::{self, Read};
use std::ops::Range;

use super::find::{Mark, Rules};
use super::fold::{self, Folded};
use super::look::{Gathered, Spot, gather, neighbour};
use super::place::{Fold, Place};
use super::pool::{Candidate, Pool};
use super::query::{MAX_TERMS, Query};
use super::rank::{Rarity, Strengths, raise};
use super::{Hit, Hits, Options};
use crate::text::clean;
use crate::text::lines::{Block, Blocks, OVERLAP, Part};

/// A line longer than this, in bytes, is looked at by places.
pub(super) const LONG: usize = 1200;
/// How many bytes of a long line count as one line.
const SHORT: usize = 400;
/// Up to where lines are counted one by one, in bytes.
const EXACT: u64 = 4 << 20;
/// The longest place, in bytes, and the longest gap in it.
const PLACE: usize = 600;
const GAP: usize = 200;
/// A line longer than this gives more than one hit.
pub(super) const GIANT: usize = 16 << 10;
/// How much of a text is kept of the block before, in bytes: for neighbours and parents.
const TAIL: usize = 16 << 10;
/// How many lines of a block may be looked at closely although they promise little.
const BUDGET_OF_A_BLOCK: u64 = 16;
/// How many marks of one line are looked at.
pub(super) const MARKS: usize = 64;

pub(super) fn scan(query: &Query, text: impl Read, options: &Options) -> io::Result<Hits> {
    let mut scanner = Scanner::new(query, options);
    if query.finder.is_empty() || options.limit == 0 {
        return Ok(Hits { terms: query.words(), ..Hits::default() });
    }
    let mut blocks = Blocks::new(text).overlapping();
    while let Some(block) = blocks.next_block()? {
        scanner.block(&block);
    }
    Ok(scanner.finish())
}

/// A line with words, for those that come soon after it.
#[derive(Clone, Copy)]
pub(super) struct Recent {
    pub(super) number: u64,
    pub(super) own: Strengths,
    pub(super) mask: u32,
}

/// The state of a scan.
pub(super) struct Scanner<'q> {
    pub(super) query: &'q Query,
    pub(super) options: &'q Options,
    pub(super) rules: Rules,
    pub(super) rarity: Rarity,
    pub(super) pool: Pool,
    matching: u64,
    last_matching: Option<u64>,
    /// The last two lines with words.
    pub(super) recent: [Recent; 2],
    /// The last line that became a candidate in this block.
    open: Option<u64>,
    tail: Vec<u8>,
    folded: Vec<u8>,
    marks: Vec<Mark>,
    fold: Fold,
    /// Up to where a giant line was seen, in bytes of the text.
    seen_until: u64,
    /// How many lines may still be looked at closely that would not be of interest as they stand.
    pub(super) budget: u64,
}

impl<'q> Scanner<'q> {
    fn new(query: &'q Query, options: &'q Options) -> Self {
        let weights = &options.weights;
        Scanner {
            query,
            options,
            rules: Rules { inside: weights.inside, prefix: weights.prefix },
            rarity: Rarity::new(),
            pool: Pool::new(options.limit),
            matching: 0,
            last_matching: None,
            recent: [Recent { number: u64::MAX / 2, own: [0.0; MAX_TERMS], mask: 0 }; 2],
            open: None,
            tail: Vec::new(),
            folded: Vec::new(),
            marks: Vec::new(),
            fold: Fold::default(),
            seen_until: 0,
            budget: 4096,
        }
    }

    fn block(&mut self, block: &Block<'_>) {
        let (bytes, tail) = (block.bytes, std::mem::take(&mut self.tail));
        let mut folded = std::mem::take(&mut self.folded);
        self.fill_open(block);
        let special = fold::lower(bytes, &mut folded);
        self.count_lines(block);
        if special {
            self.mixed(block, &folded, &tail);
        } else {
            self.plain(block, 0..bytes.len(), block.line, &folded, &tail);
        }
        self.budget += BUDGET_OF_A_BLOCK;
        self.keep_tail(tail, block);
        self.folded = folded;
    }

    /// Counts the lines of a block for how rare a word is, a long one as several. Deep in a text, where a block more or
    /// less changes nothing, they are as many as in what came before.
    fn count_lines(&mut self, block: &Block<'_>) {
        let bytes = block.bytes.len() as u64;
        let lines = match self.rarity.bytes {
            before if before > EXACT => (block.line as f64 * bytes as f64 / before as f64) as u64,
            _ => memchr::memchr_iter(b'\n', block.bytes).count() as u64 + 1,
        };
        self.rarity.bytes += bytes;
        self.rarity.units = (block.line + lines).max(self.rarity.bytes / SHORT as u64);
        self.rarity.update(self.query);
    }

    /// Looks at a block in which some lines are more than ASCII or not clean: those by themselves, the others in runs.
    fn mixed(&mut self, block: &Block<'_>, folded: &[u8], tail: &[u8]) {
        let bytes = block.bytes;
        let (mut run, mut run_line) = (0, block.line);
        let (mut at, mut number) = (0, block.line);
        while at < bytes.len() {
            let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |n| at + n);
            let next = (end + 1).min(bytes.len());
            if fold::needs_more(&bytes[at..next]) {
                self.plain(block, run..at, run_line, folded, tail);
                self.slow(block, at..end, number, tail);
                (run, run_line) = (next, number + 1);
            }
            at = next;
            number += 1;
        }
        self.plain(block, run..bytes.len(), run_line, folded, tail);
    }

    /// Looks at a run of lines whose folded form has every byte in its place.
    fn plain(&mut self, block: &Block<'_>, range: Range<usize>, first: u64, folded: &[u8], tail: &[u8]) {
        let query = self.query;
        let (bytes, hay) = (&block.bytes[..range.end], &folded[..range.end]);
        let mut marks = std::mem::take(&mut self.marks);
        marks.clear();
        // The line that is being looked at: where it begins and ends, and its number.
        let (mut from, mut end, mut number) = (range.start, range.start, first);
        let mut line = Folded { source: &[], bytes: &[], map: None };
        let mut at = range.start;
        loop {
            let found = query.finder.next(hay, at);
            let start = found.map_or(range.end, |(_, start)| start);
            if start >= end {
                if !marks.is_empty() {
                    let (range, offset) = ((from, end), block.offset + from as u64);
                    let place = Place { block: block.bytes, range, tail, number, offset, part: block.part };
                    self.line(place, line, &mut marks);
                    marks.clear();
                }
                if found.is_none() {
                    break;
                }
                let begin = memchr::memrchr(b'\n', &bytes[from..start]).map_or(from, |n| from + n + 1);
                number += memchr::memchr_iter(b'\n', &bytes[from..begin]).count() as u64;
                from = begin;
                end = memchr::memchr(b'\n', &bytes[start..]).map_or(range.end, |n| start + n);
                let text_end = if end > from && bytes[end - 1] == b'\r' { end - 1 } else { end };
                line = Folded { source: &bytes[from..text_end], bytes: &hay[from..text_end], map: None };
            }
            if let Some((literal, start)) = found {
                query.finder.check(&query.variants, self.rules, (literal, start - from), &line, &mut marks);
                at = if marks.len() >= MARKS && end - from <= LONG { end } else { start + 1 };
            }
        }
        self.marks = marks;
    }

    /// Looks at one line that is not clean or needs more than ASCII folding.
    fn slow(&mut self, block: &Block<'_>, range: Range<usize>, number: u64, tail: &[u8]) {
        let query = self.query;
        let raw = &block.bytes[range.clone()];
        let clean = clean::line(raw);
        let mut fold = std::mem::take(&mut self.fold);
        let mut marks = std::mem::take(&mut self.marks);
        marks.clear();
        let line = fold.line(&clean);
        query.finder.all(&query.variants, self.rules, &line, usize::MAX, &mut marks);
        if !marks.is_empty() {
            let offset = block.offset + range.start as u64;
            let place =
                Place { block: block.bytes, range: (range.start, range.end), tail, number, offset, part: block.part };
            self.line(place, line, &mut marks);
        }
        self.marks = marks;
        self.fold = fold;
    }

    /// Looks at a line with marks; a long one by places.
    fn line(&mut self, place: Place<'_>, line: Folded<'_>, marks: &mut Vec<Mark>) {
        let query = self.query;
        if place.part != Part::WHOLE && !self.once(&place, &line, marks) {
            return;
        }
        if self.last_matching != Some(place.number) {
            self.last_matching = Some(place.number);
            self.matching += 1;
        }
        if !query.passive.is_empty() {
            query.passive.all(&query.variants, self.rules, &line, marks.len() + MARKS, marks);
            marks.sort_by_key(|m| m.start);
        }
        let all = gather(marks);
        if line.bytes.len() <= LONG {
            self.rarity.count(all.mask, all.synonyms);
            if !self.hopeless(place.number, line.bytes.len(), &all) {
                let span = 0..line.bytes.len();
                let found = self.look(&Spot { place, line, span, marks, gathered: all, around: [0.0; MAX_TERMS] });
                self.add(found);
            }
        } else {
            self.places(place, line, marks, &all);
        }
        self.recent = [self.recent[1], Recent { number: place.number, own: all.own, mask: all.mask }];
    }

    /// Looks at a long line: each run of words is a place, and a line that is not a giant gives its best.
    fn places(&mut self, place: Place<'_>, line: Folded<'_>, marks: &[Mark], all: &Gathered) {
        let mut around = all.own;
        around.iter_mut().for_each(|s| *s *= self.options.weights.same_line);
        let mut best: Option<Candidate> = None;
        let mut rest = marks;
        while let Some(first) = rest.first() {
            let mut n = 1;
            while let Some(next) = rest.get(n) {
                let gap = next.start.saturating_sub(rest[n - 1].end) as usize;
                if (next.end - first.start) as usize > PLACE || gap > GAP {
                    break;
                }
                n += 1;
            }
            let (here, left) = rest.split_at(n);
            rest = left;
            let gathered = gather(here);
            self.rarity.count(gathered.mask, gathered.synonyms);
            let end = here.iter().map(|m| m.end).max().unwrap_or(first.end);
            let span = first.start as usize..end as usize;
            let found = self.look(&Spot { place, line, span, marks: here, gathered, around });
            if line.bytes.len() > GIANT {
                self.add(found);
            } else if found.as_ref().map(|f| f.score) > best.as_ref().map(|b| b.score) {
                best = found;
            }
        }
        self.add(best);
    }

    /// Drops the marks of a piece of a giant line that were, or will be, seen in another one; whether any are left.
    fn once(&mut self, place: &Place<'_>, line: &Folded<'_>, marks: &mut Vec<Mark>) -> bool {
        let seen = self.seen_until.saturating_sub(place.offset);
        let last = if place.part.last { usize::MAX } else { line.bytes.len().saturating_sub(OVERLAP / 2) };
        marks.retain(|m| line.source_at(m.start as usize) as u64 >= seen && (m.start as usize) < last);
        self.seen_until = if place.part.last { 0 } else { place.offset + line.source_at(last) as u64 };
        !marks.is_empty()
    }

    fn add(&mut self, found: Option<Candidate>) {
        let Some(candidate) = found else { return };
        self.wait_for_lines(candidate.line);
        self.pool.add(candidate);
        if self.pool.full() {
            let (rarity, terms, weights) = (&self.rarity, self.query.terms.len(), &self.options.weights);
            self.pool.prune(|parts| rarity.score(parts, terms, weights));
        }
    }

    /// Notes a line whose neighbours may be in the next block.
    pub(super) fn wait_for_lines(&mut self, line: u64) {
        self.open = self.open.max(Some(line));
    }

    /// Gives the candidates at the end of the block before what stands after them.
    fn fill_open(&mut self, block: &Block<'_>) {
        let (context, max) = (self.options.context, self.options.line_max_chars);
        let reach = context.max(2) as u64;
        let Some(line) = self.open.take().filter(|line| line + reach >= block.line && block.part.first) else {
            return;
        };
        let (mut shown, mut near) = (Vec::new(), Vec::new());
        for (k, line) in block.lines().take(context.max(2)).enumerate() {
            if k < context {
                shown.push((line.number, neighbour(line.bytes, max)));
            }
            if k < 2 {
                near.push((line.number, self.strengths(line.bytes)));
            }
        }
        if near.len().max(shown.len()) < context.max(2) {
            self.open = Some(line);
        }
        let weights = &self.options.weights;
        for item in self.pool.items.iter_mut().filter(|item| item.line < block.line) {
            let missing = |n: u64| n - item.line <= context as u64;
            item.after.extend(shown.iter().filter(|(n, _)| missing(*n)).cloned());
            for (n, strengths) in &near {
                match n - item.line {
                    1 => raise(&mut item.parts.around, strengths, weights.near),
                    2 => raise(&mut item.parts.around, strengths, weights.near2),
                    _ => {}
                }
            }
        }
    }

    fn keep_tail(&mut self, mut tail: Vec<u8>, block: &Block<'_>) {
        let bytes = block.bytes;
        if bytes.len() >= TAIL {
            tail.clear();
            tail.extend_from_slice(&bytes[bytes.len() - TAIL..]);
        } else {
            tail.extend_from_slice(bytes);
            let over = tail.len().saturating_sub(TAIL);
            tail.drain(..over);
        }
        self.tail = tail;
    }

    fn finish(mut self) -> Hits {
        self.rarity.update(self.query);
        let (query, options) = (self.query, self.options);
        let rarity = &self.rarity;
        self.pool.prune(|parts| rarity.score(parts, query.terms.len(), &options.weights));
        let chosen = self.pool.choose(options.limit, options.context as u64, &options.weights);
        let mut also: Vec<String> = Vec::new();
        for &k in chosen.iter().flat_map(|c| &c.synonyms) {
            let word = query.variants[usize::from(k)].word();
            if !also.contains(&word) && query.terms.iter().all(|t| t.text != word) {
                also.push(word);
            }
        }
        let hits = chosen.into_iter().map(|c| Hit {
            line: c.line,
            score: f64::from(c.score),
            text: c.text,
            whole: c.whole,
            before: c.before,
            after: c.after,
            count: c.count,
            offset: c.offset,
        });
        Hits { hits: hits.collect(), matching: self.matching, terms: query.words(), also }
    }
}
