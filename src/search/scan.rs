//! The scan: blocks of lines in, candidates out.

use std::io::{self, Read};
use std::ops::Range;

use super::find::{Mark, Rules};
use super::fold::{self, Folded};
use super::query::{MAX_TERMS, Query};
use super::rank::{Candidate, Parts, Pool, Rarity, Strengths, bits, hash};
use super::{Hit, Hits, Options, shape};
use crate::text::lines::{Block, Blocks, OVERLAP, Part};
use crate::text::{clean, cut};

/// A line longer than this, in bytes, is looked at by places.
const LONG: usize = 1200;
/// The longest place, in bytes, and the longest gap in it.
const PLACE: usize = 600;
const GAP: usize = 200;
/// A line longer than this gives more than one hit.
const GIANT: usize = 16 << 10;
/// How much of a text is kept of the block before, in bytes: for neighbours and parents.
const TAIL: usize = 16 << 10;
/// How many lines back parents are looked for.
const PARENT_LINES: usize = 300;
/// How many lines indented under a line are looked at.
const BODY_LINES: usize = 3;
/// How many marks of one line are looked at.
const MARKS: usize = 64;

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

/// Where a line stands: in its block, after the end of the block before.
#[derive(Clone, Copy)]
struct Place<'a> {
    block: &'a [u8],
    range: (usize, usize),
    tail: &'a [u8],
    number: u64,
    part: Part,
}

impl<'a> Place<'a> {
    /// Iterates over the lines before it, the nearest first.
    fn before(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let back = |text: &'a [u8]| {
            let mut left = text.strip_suffix(b"\n").or((!text.is_empty()).then_some(text));
            std::iter::from_fn(move || {
                let text = left?;
                let from = memchr::memrchr(b'\n', text).map_or(0, |n| n + 1);
                left = (from > 0).then(|| &text[..from - 1]);
                Some(&text[from..])
            })
        };
        back(&self.block[..self.range.0]).chain(back(self.tail))
    }

    /// Iterates over the lines of the block after it.
    fn after(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let mut left = self.block.get(self.range.1 + 1..).filter(|l| !l.is_empty());
        std::iter::from_fn(move || {
            let text = left?;
            let end = memchr::memchr(b'\n', text).unwrap_or(text.len());
            left = text.get(end + 1..).filter(|l| !l.is_empty());
            Some(&text[..end])
        })
    }
}

/// Buffers for folding one line.
#[derive(Default)]
struct Fold {
    text: String,
    map: Vec<u32>,
    lower: Vec<u8>,
}

impl Fold {
    /// Returns a clean line in the form in which it is searched.
    fn line<'a>(&'a mut self, clean: &'a str) -> Folded<'a> {
        if fold::needs_more(clean.as_bytes()) {
            fold::fold_with_map(clean, &mut self.text, &mut self.map);
            Folded { source: clean.as_bytes(), bytes: self.text.as_bytes(), map: Some(&self.map) }
        } else {
            self.lower.clear();
            self.lower.extend_from_slice(clean.as_bytes());
            self.lower.make_ascii_lowercase();
            Folded { source: clean.as_bytes(), bytes: &self.lower, map: None }
        }
    }
}

struct Scanner<'q> {
    query: &'q Query,
    options: &'q Options,
    rules: Rules,
    rarity: Rarity,
    pool: Pool,
    matching: u64,
    last_matching: Option<u64>,
    /// The last two lines with words.
    recent: [(u64, Strengths); 2],
    /// Candidates that wait for lines of the next block: the line, and how many lines are missing.
    open: Vec<(u64, usize)>,
    tail: Vec<u8>,
    folded: Vec<u8>,
    marks: Vec<Mark>,
    fold: Fold,
    /// Up to where a giant line was seen.
    seen_until: u64,
    /// How many lines may still be looked at closely that would not be of interest as they stand.
    budget: u64,
}

impl<'q> Scanner<'q> {
    fn new(query: &'q Query, options: &'q Options) -> Self {
        Scanner {
            query,
            options,
            rules: Rules { inside: options.weights.inside, prefix: options.weights.prefix },
            rarity: Rarity::new(),
            pool: Pool::new(options.limit),
            matching: 0,
            last_matching: None,
            recent: [(u64::MAX - 8, [0.0; MAX_TERMS]); 2],
            open: Vec::new(),
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
        self.rarity.bytes += bytes.len() as u64;
        if self.rarity.units > 0 {
            self.rarity.update(self.query);
        }
        if special {
            self.mixed(block, &folded, &tail);
        } else {
            self.plain(block, 0..bytes.len(), block.line, &folded, &tail);
        }
        self.rarity.update(self.query);
        self.keep_tail(tail, block);
        self.folded = folded;
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
        let (query, weights) = (self.query, &self.options.weights);
        let bytes = block.bytes;
        let (mut at, mut counted, mut number) = (range.start, range.start, first);
        let hay = &folded[..range.end];
        let mut marks = std::mem::take(&mut self.marks);
        while let Some((_, found)) = query.finder.next(hay, at) {
            let from = memchr::memrchr(b'\n', &bytes[counted..found]).map_or(counted, |n| counted + n + 1);
            number += memchr::memchr_iter(b'\n', &bytes[counted..from]).count() as u64;
            let end = memchr::memchr(b'\n', &bytes[found..range.end]).map_or(range.end, |n| found + n);
            let text_end = if end > from && bytes[end - 1] == b'\r' { end - 1 } else { end };
            let line = Folded { source: &bytes[from..text_end], bytes: &folded[from..text_end], map: None };
            marks.clear();
            let long = text_end - from > LONG;
            query.finder.all(&query.variants, self.rules, &line, if long { usize::MAX } else { MARKS }, &mut marks);
            if !marks.is_empty() {
                let place = Place { block: bytes, range: (from, end), tail, number, part: block.part };
                self.line(place, block.offset + from as u64, &line, &mut marks);
            }
            counted = from;
            at = (end + 1).min(range.end);
            if at >= range.end {
                counted = from;
                break;
            }
            number += 1;
            counted = at.max(counted);
        }
        self.marks = marks;
        let _ = counted;
        // Every line counts for how rare a word is.
        self.rarity.units += units(&bytes[range], block.part);
    }

    /// Looks at one line that is not clean or needs more than ASCII folding.
    fn slow(&mut self, block: &Block<'_>, range: Range<usize>, number: u64, tail: &[u8]) {
        let (query, weights) = (self.query, &self.options.weights);
        let raw = &block.bytes[range.clone()];
        self.rarity.units += 1 + (raw.len() / LONG) as u64;
        let clean = clean::line(raw);
        let mut fold = std::mem::take(&mut self.fold);
        let mut marks = std::mem::take(&mut self.marks);
        marks.clear();
        let line = fold.line(&clean);
        query.finder.all(&query.variants, self.rules, &line, usize::MAX, &mut marks);
        if !marks.is_empty() {
            let place = Place { block: block.bytes, range: (range.start, range.end), tail, number, part: block.part };
            self.line(place, block.offset + range.start as u64, &line, &mut marks);
        }
        self.marks = marks;
        self.fold = fold;
    }

    /// Looks at a line with marks; a long one by places.
    fn line(&mut self, place: Place<'_>, offset: u64, line: &Folded<'_>, marks: &mut Vec<Mark>) {
        let (query, weights) = (self.query, &self.options.weights);
        if place.part != Part::WHOLE {
            // Pieces of a giant line overlap: each mark counts once.
            let seen = self.seen_until.saturating_sub(offset);
            let last = if place.part.last { usize::MAX } else { line.bytes.len() - OVERLAP / 2 };
            marks.retain(|m| line.source_at(m.start as usize) as u64 >= seen && (m.start as usize) < last);
            self.seen_until = if place.part.last { 0 } else { offset + line.source_at(last) as u64 };
            if marks.is_empty() {
                return;
            }
        }
        if self.last_matching != Some(place.number) {
            self.last_matching = Some(place.number);
            self.matching += 1;
        }
        if !query.passive.is_empty() {
            query.passive.all(&query.variants, self.rules, line, marks.len() + MARKS, marks);
            marks.sort_by_key(|m| m.start);
        }
        let (own, mask, synonyms) = gather(marks);
        let none = [0.0; MAX_TERMS];
        let mut best: Option<Candidate> = None;
        if line.bytes.len() <= LONG {
            self.rarity.count(mask, synonyms);
            best = self.look(place, offset, line, marks, &none, 0..line.bytes.len());
        } else {
            let mut around = own;
            around.iter_mut().for_each(|s| *s *= weights.same_line);
            let mut from = 0;
            while from < marks.len() {
                let start = marks[from].start;
                let mut to = from + 1;
                while to < marks.len()
                    && (marks[to].end - start) as usize <= PLACE
                    && (marks[to].start.saturating_sub(marks[to - 1].end)) as usize <= GAP
                {
                    to += 1;
                }
                let here = &marks[from..to];
                let (_, mask, synonyms) = gather(here);
                self.rarity.count(mask, synonyms);
                let span = start as usize..here.iter().map(|m| m.end).max().unwrap_or(start) as usize;
                let found = self.look(place, offset, line, here, &around, span);
                if let Some(found) = found {
                    if line.bytes.len() > GIANT {
                        self.add(found, place);
                    } else if best.as_ref().is_none_or(|b| found.score > b.score) {
                        best = Some(found);
                    }
                }
                from = to;
            }
        }
        if let Some(best) = best {
            self.add(best, place);
        }
        self.recent = [self.recent[1], (place.number, own)];
    }

    fn add(&mut self, candidate: Candidate, place: Place<'_>) {
        let missing = self.options.context.saturating_sub(candidate.after.len());
        if missing > 0 && (candidate.line, missing) != *self.open.last().unwrap_or(&(u64::MAX, 0)) {
            self.open.push((candidate.line, missing));
        }
        let _ = place;
        self.pool.add(candidate);
        if self.pool.full() {
            let (rarity, terms, weights) = (&self.rarity, self.query.terms.len(), &self.options.weights);
            self.pool.prune(|parts| rarity.score(parts, terms, weights));
        }
    }

    /// Scores a line or a place in a long one; returns it if it is of interest.
    fn look(
        &mut self,
        place: Place<'_>,
        offset: u64,
        line: &Folded<'_>,
        marks: &[Mark],
        around: &Strengths,
        span: Range<usize>,
    ) -> Option<Candidate> {
        let (query, weights) = (self.query, &self.options.weights);
        let terms = query.terms.len();
        let (own, mask, synonyms) = gather(marks);
        let mut parts = Parts {
            own,
            around: *around,
            synonyms,
            mask,
            length: span.len() as u32,
            factor: 1.0 + weights.close * closeness(marks, terms),
            bonus: 0.0,
        };
        for (number, strengths) in &self.recent {
            let weight = match place.number.wrapping_sub(*number) {
                1 => weights.near,
                2 => weights.near2,
                _ => continue,
            };
            raise(&mut parts.around, strengths, weight);
        }
        if !query.phrase.is_empty() && mask.count_ones() as usize * 2 >= terms {
            let window = &line.bytes[span.start..line.bytes.len().min(span.end + query.phrase.len())];
            if memchr::memmem::find(window, &query.phrase).is_some() {
                parts.bonus += weights.phrase;
            }
        }
        if query.terms.len() == 1 || !query.phrase.is_empty() && parts.bonus > 0.0 {
            // Among lines with the same words, the ones written as typed.
            let window = &line.source[line.source_at(span.start)..line.source_at(span.end)];
            if memchr::memmem::find(window, &query.typed).is_some() {
                parts.bonus += weights.phrase * 0.05;
            }
        }
        let mut score = self.rarity.score(&parts, terms, weights);
        // A copy of a line that is kept counts there.
        let whole = span.len() == line.bytes.len();
        let hashed = (whole && self.pool.may_know(span.len(), mask)).then(|| hash(line.source));
        if score <= self.pool.bar && !(self.pool.wants_set(mask)) {
            if let Some(known) = hashed.and_then(|h| self.pool.find(h)) {
                known.count += 1;
                return None;
            }
            if score * 1.6 <= self.pool.bar || self.budget == 0 {
                return None;
            }
            self.budget -= 1;
        }
        // What costs more is looked at only here.
        if line.bytes.len() <= LONG {
            self.look_around(place, line.bytes, &mut parts.around);
        }
        let window = &line.bytes[span.clone()];
        let severity = f32::from(shape::severity(window)) / 2.0;
        let signal = if query.intent.failure { weights.signal } else { weights.signal_unasked };
        parts.factor *= 1.0 + signal * severity;
        let first = marks.iter().map(|m| m.start as usize).min().unwrap_or(0);
        let last = marks.iter().map(|m| m.end as usize).max().unwrap_or(0);
        let near = first.saturating_sub(span.start)..last.saturating_sub(span.start);
        if query.intent.shapes.iter().any(|&s| shape::has(window, s, near.clone())) {
            parts.factor *= 1.0 + weights.shape;
        }
        if query.intent.shapes.contains(&shape::Shape::Number) {
            let places = marks.iter().map(|m| (m.start as usize, m.end as usize));
            if shape::counted(line.bytes, places) {
                parts.factor *= 1.0 + weights.counted;
            }
        }
        score = self.rarity.score(&parts, terms, weights);
        let hashed = if whole { hash(line.source) } else { hash(window) ^ offset.wrapping_add(span.start as u64) };
        if let Some(known) = self.pool.find(hashed) {
            known.count += 1;
            // The copy that stands in the better place is shown.
            if score > known.score {
                let (count, kept) = (known.count, known.hash);
                let better = self.candidate(place, offset, line, marks, span, parts, score, kept)?;
                if let Some(known) = self.pool.find(kept) {
                    *known = Candidate { count, ..better };
                }
            }
            return None;
        }
        if score <= self.pool.bar && !self.pool.wants_set(mask) {
            return None;
        }
        self.candidate(place, offset, line, marks, span, parts, score, hashed)
    }

    /// Adds what stands around a line: the lines after it and those that it is indented under.
    fn look_around(&mut self, place: Place<'_>, line: &[u8], around: &mut Strengths) {
        let weights = &self.options.weights;
        if weights.near > 0.0 || weights.near2 > 0.0 {
            let indent = indent_of(line);
            let mut under = true;
            for (k, raw) in place.after().take(BODY_LINES).enumerate() {
                // What a line introduces stands indented under it.
                under &= indent_of(raw) > indent && raw.len() > indent_of(raw);
                let weight = match k {
                    _ if under && weights.body > 0.0 => weights.body,
                    0 => weights.near,
                    1 => weights.near2,
                    _ => break,
                };
                let strengths = self.strengths(raw);
                raise(around, &strengths, weight);
            }
        }
        if weights.parent > 0.0 {
            let mut indent = indent_of(line);
            let mut weight = weights.parent;
            for raw in place.before().take(PARENT_LINES) {
                if indent == 0 {
                    break;
                }
                let here = indent_of(raw);
                if here < indent && raw.len() > here && raw.len() < LONG {
                    indent = here;
                    let strengths = self.strengths(raw);
                    raise(around, &strengths, weight);
                    weight *= 0.85;
                }
            }
        }
    }

    /// Returns how well a raw line matches each term.
    fn strengths(&self, raw: &[u8]) -> Strengths {
        let (query, weights) = (self.query, &self.options.weights);
        let raw = &raw[..raw.len().min(LONG)];
        let clean = clean::line(raw);
        let (mut fold, mut marks) = (Fold::default(), Vec::new());
        let line = fold.line(&clean);
        query.finder.all(&query.variants, self.rules, &line, MARKS, &mut marks);
        query.passive.all(&query.variants, self.rules, &line, marks.len() + MARKS, &mut marks);
        gather(&marks).0
    }

    /// Makes a candidate of a line, with its text and its neighbours; none if the words cannot be seen in it.
    #[allow(clippy::too_many_arguments)]
    fn candidate(
        &self,
        place: Place<'_>,
        offset: u64,
        line: &Folded<'_>,
        marks: &[Mark],
        span: Range<usize>,
        parts: Parts,
        score: f32,
        hash_: u64,
    ) -> Option<Candidate> {
        let (query, weights) = (self.query, &self.options.weights);
        let max = self.options.line_max_chars;
        let whole = span.len() == line.bytes.len() && place.part == Part::WHOLE;
        // Of a long line only what can be shown around the place.
        let reach = max * 4;
        let (from, to) = if whole {
            (0, line.source.len())
        } else {
            let from = line.source_at(span.start).saturating_sub(reach);
            (from, line.source_at(span.end).saturating_add(reach).min(line.source.len()))
        };
        let (from, to) = (char_start(line.source, from), char_start(line.source, to));
        let shown = clean::line(&line.source[from..to]);
        let mut fold = Fold::default();
        let again = fold.line(&shown);
        let mut found = Vec::new();
        query.finder.all(&query.variants, self.rules, &again, usize::MAX, &mut found);
        if !whole {
            let low = line.source_at(span.start) - from;
            found.retain(|m| {
                again.source_at(m.start as usize) >= low.saturating_sub(reach / 8) || shown.len() != to - from
            });
        }
        let best = best_window(&found, max * 2 / 3)?;
        let words = again.source_at(best.start)..again.source_at(best.end);
        let text = cut::around(&shown, words.clone(), max);
        let complete = whole && text.len() == shown.len();
        let text_start = if complete {
            offset
        } else {
            // The first mark in the line as stored; the same place unless escapes were removed before it.
            let raw = &place.block[place.range.0..place.range.1];
            let word = &shown.as_bytes()[words];
            let guess = from + again.source_at(best.start);
            let at = raw
                .get(guess..)
                .and_then(|r| memchr::memmem::find(r, word))
                .map_or(guess.min(raw.len()), |n| guess + n);
            let lead = text.find(std::str::from_utf8(word).unwrap_or("")).unwrap_or(0).saturating_sub("…".len());
            offset + char_start(raw, at.saturating_sub(lead)) as u64
        };
        let show = |raw: &[u8]| neighbour(raw, max);
        let context = self.options.context;
        let mut before: Vec<(u64, String)> = (1..=context as u64)
            .zip(place.before())
            .filter_map(|(k, raw)| Some((place.number.checked_sub(k)?, show(raw))))
            .collect();
        before.reverse();
        let after = (1..=context as u64).zip(place.after()).map(|(k, raw)| (place.number + k, show(raw))).collect();
        let outline: Vec<u8> = again.bytes.iter().filter(|b| !b.is_ascii_digit()).copied().collect();
        let mut variants: Vec<u16> = found.iter().filter(|m| m.synonym).map(|m| m.variant).collect();
        variants.dedup();
        let _ = marks;
        Some(Candidate {
            parts,
            score,
            line: place.number,
            offset: text_start,
            whole: complete,
            text: text.into_owned(),
            before: if place.part.first { before } else { Vec::new() },
            after: if place.part.last { after } else { Vec::new() },
            count: 1,
            hash: hash_,
            outline: hash(&outline),
            variants,
        })
    }

    /// Gives the candidates at the end of the block before their lines after.
    fn fill_open(&mut self, block: &Block<'_>) {
        if self.open.is_empty() {
            return;
        }
        let open = std::mem::take(&mut self.open);
        if !block.part.first {
            return;
        }
        let max = self.options.line_max_chars;
        let lines: Vec<(u64, String)> =
            block.lines().take(self.options.context).map(|l| (l.number, neighbour(l.bytes, max))).collect();
        let mut near = Vec::new();
        for l in block.lines().take(2) {
            near.push((l.number, self.strengths(l.bytes)));
        }
        let weights = &self.options.weights;
        for item in &mut self.pool.items {
            if let Some((_, missing)) = open.iter().find(|(line, _)| *line == item.line) {
                item.after.extend(lines.iter().take(*missing).cloned());
            }
            for (number, strengths) in &near {
                match number.wrapping_sub(item.line) {
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
        let (terms, weights) = (self.query.terms.len(), &self.options.weights);
        let rarity = &self.rarity;
        self.pool.prune(|parts| rarity.score(parts, terms, weights));
        let mut items = std::mem::take(&mut self.pool.items);
        let limit = self.options.limit;
        let mut chosen: Vec<Candidate> = Vec::new();
        // What looks like a line already chosen, or is shown beside it, has less to tell.
        while chosen.len() < limit && !items.is_empty() {
            let depth = items.len().min(limit * 4 + 16);
            let value = |item: &Candidate| {
                let mut keeps = 1.0f32;
                for c in &chosen {
                    if c.outline == item.outline {
                        keeps *= weights.similar;
                    }
                    if c.line == item.line {
                        keeps *= weights.similar;
                    }
                    if c.line != item.line && c.line.abs_diff(item.line) <= self.options.context as u64 {
                        keeps *= weights.shown;
                    }
                }
                item.score * keeps.max(0.3)
            };
            let best = (0..depth).map(|k| (k, value(&items[k]))).max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
            let Some((k, score)) = best else { break };
            let mut item = items.remove(k);
            item.score = score;
            chosen.push(item);
        }
        let mut also: Vec<String> = Vec::new();
        for &k in chosen.iter().flat_map(|c| &c.variants) {
            let v = &self.query.variants[k as usize];
            let word = match &v.check {
                super::query::Check::Word { word, .. } => word,
                _ => &v.literal,
            };
            let word = String::from_utf8_lossy(word).into_owned();
            if !also.contains(&word) {
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
        Hits { hits: hits.collect(), matching: self.matching, terms: self.query.words(), also }
    }
}

/// How many lines, counting long ones as several, a run of lines is.
fn units(bytes: &[u8], part: Part) -> u64 {
    if part != Part::WHOLE {
        return (bytes.len() / 300) as u64 + 1;
    }
    let newlines = memchr::memchr_iter(b'\n', bytes).count();
    let lines = newlines + usize::from(!bytes.is_empty() && !bytes.ends_with(b"\n"));
    (lines as u64).max((bytes.len() / LONG) as u64)
}

/// Returns what the marks say: how well each term is matched, which terms, and which only by a synonym.
fn gather(marks: &[Mark]) -> (Strengths, u32, u32) {
    let (mut own, mut mask, mut direct) = ([0.0f32; MAX_TERMS], 0, 0);
    for m in marks {
        mask |= m.terms;
        direct |= if m.synonym { 0 } else { m.terms };
        bits(m.terms, |t| own[t] = own[t].max(m.strength));
    }
    (own, mask, mask & !direct)
}

fn raise(to: &mut Strengths, from: &Strengths, weight: f32) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = to.max(from * weight);
    }
}

fn indent_of(line: &[u8]) -> usize {
    line.iter().take_while(|b| matches!(b, b' ' | b'\t')).count()
}

/// How close together the different terms stand, 0 to 1.
fn closeness(marks: &[Mark], terms: usize) -> f32 {
    if terms < 2 || marks.len() < 2 {
        return 0.0;
    }
    let mut sum = 0.0;
    for t in 0..terms - 1 {
        let (a, b) = (1u32 << t, 1u32 << (t + 1));
        let mut best = 0.0f32;
        for x in marks.iter().filter(|m| m.terms & a != 0).take(8) {
            for y in marks.iter().filter(|m| m.terms & b != 0).take(8) {
                let (gap, order) = if x.terms & y.terms & (a | b) == (a | b) {
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

/// Returns the start of a line beside a hit as a reader sees it.
fn neighbour(raw: &[u8], max: usize) -> String {
    let raw = &raw[..char_start(raw, raw.len().min(GIANT.max(max * 8)))];
    cut::start(&clean::line(raw), max).into_owned()
}

/// Returns the range of marks, at most `max` bytes, that holds most.
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

/// Returns where the char begins that byte `at` is in.
fn char_start(bytes: &[u8], mut at: usize) -> usize {
    let low = at.saturating_sub(3);
    while at > low && at < bytes.len() && bytes[at] & 0xC0 == 0x80 {
        at -= 1;
    }
    at
}
