//! Signal lines: the few lines of a long text that tell what went wrong, found as the text streams past.
//!
//! The raw bytes are searched for the stems of the table in `rules` at memory speed; a line with a stem is cleaned
//! and judged; lines of one shape are counted, the first of them kept. Laws: how the text is cut into chunks
//! changes nothing; memory is bounded whatever comes; the work is linear.
//!
//! They make sense for logs, builds and tests, the worse of them for plain text too; in data, pages and code the same
//! words stand for nothing ([`least`]).

mod line;
mod place;
mod rules;
mod shape;

use std::borrow::Cow;
use std::ops::Range;

use crate::text::kind::Kind;
use crate::text::{clean, cut};

pub use rules::Severity;

use place::Place;
use rules::Finding;

/// How many bytes at the start and at the end of a giant line are looked at.
const WINDOW: usize = 16 << 10;
/// How many different shapes are held at least.
const SHAPES: usize = 64;
/// How many lines a traceback may have before its end is no longer waited for.
const TRACEBACK: u32 = 400;
/// How many lines of lower rank are shown beside errors.
const SUSPECTS: usize = 3;

/// A line that tells of a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    /// The number of the line, from 0.
    pub line: u64,
    /// The line, clean and cut.
    pub text: String,
    /// How bad it is.
    pub severity: Severity,
    /// How many lines of this shape (numbers, ids, times and quoted names masked) it stands for, itself included.
    pub count: u64,
    /// The number of the last line of this shape.
    pub last: u64,
    /// Lines that belong to it, with their numbers: the last frame of a traceback before it, the place or the message
    /// after it. In order, clean and cut; none is a signal itself.
    pub context: Vec<(u64, String)>,
}

/// Returns how bad a line must be to mean something in a text of this kind; `None` where nothing does.
pub fn least(kind: Kind) -> Option<Severity> {
    match kind {
        Kind::Log | Kind::Ndjson | Kind::Xml => Some(Severity::Warning),
        // A manual speaks of what failed or is missing all the time.
        Kind::Text => Some(Severity::Error),
        _ => None,
    }
}

/// Judges one clean line; `None` if nothing in it tells of a failure.
pub fn severity(line: &str) -> Option<Severity> {
    rules::judge(line).map(|finding| finding.severity)
}

/// Collects the signals of a text that is pushed through it.
#[derive(Clone, Debug)]
pub struct Signals {
    limit: usize,
    line_max_chars: usize,
    shapes: Vec<Shape>,
    held: usize,
    /// Once there is no room for another shape: the worst severity that found none.
    full_of: Option<Severity>,
    warnings: u64,
    /// The number of the line that begins or goes on next.
    number: u64,
    /// The line that the last chunk left open: all of it, or its start and its end.
    open: Vec<u8>,
    /// Whether something was left out between them.
    skipped: bool,
    inside: bool,
    watch: Option<Watch>,
    /// The last line that told of a failed assertion of pytest (`E   …`): only the first of a block counts.
    detail: Option<u64>,
}

#[derive(Clone, Debug)]
struct Shape {
    key: u64,
    severity: Severity,
    count: u64,
    first: u64,
    last: u64,
    lines: Vec<Held>,
}

#[derive(Clone, Debug)]
struct Held {
    line: u64,
    place: Place,
    text: String,
    context: Vec<(u64, String)>,
}

/// What the next lines may add to a signal.
#[derive(Clone, Debug)]
enum Watch {
    /// The frames of a Python traceback, up to the exception.
    Traceback { indent: usize, frame: Option<(u64, String)>, code: Option<(u64, String)>, left: u32 },
    /// What belongs to the signal of the line `of`.
    After { of: u64, what: Extra, left: u32 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extra {
    /// `  --> src/lib.rs:51:7` after a message of rustc.
    Arrow,
    /// The message of a panic, on the line after `panicked at src/x.rs:1:2:`.
    Message,
    /// `test_shop.py:9: AssertionError` after the detail lines of pytest.
    Location,
}

impl Signals {
    /// Begins a text; at most `limit` signals will be given, their lines cut to `line_max_chars` chars.
    pub fn new(limit: usize, line_max_chars: usize) -> Self {
        Signals {
            limit,
            line_max_chars,
            shapes: Vec::new(),
            held: 0,
            full_of: None,
            warnings: 0,
            number: 0,
            open: Vec::new(),
            skipped: false,
            inside: false,
            watch: None,
            detail: None,
        }
    }

    /// Sees the next bytes of the (decoded) text.
    pub fn push(&mut self, chunk: &[u8]) {
        if self.limit == 0 {
            return;
        }
        let mut rest = chunk;
        if self.inside {
            let Some(n) = memchr::memchr(b'\n', chunk) else { return self.carry(chunk) };
            self.carry(&chunk[..n]);
            self.close();
            rest = &chunk[n + 1..];
        }
        let end = memchr::memrchr(b'\n', rest).map_or(0, |n| n + 1);
        self.scan(&rest[..end]);
        if end < rest.len() {
            self.inside = true;
            self.carry(&rest[end..]);
        }
    }

    /// Keeps a part of an open line: its first and its last [`WINDOW`] bytes.
    fn carry(&mut self, part: &[u8]) {
        let (first, rest) = part.split_at(WINDOW.saturating_sub(self.open.len()).min(part.len()));
        self.open.extend_from_slice(first);
        let skip = rest.len().saturating_sub(WINDOW);
        self.skipped |= skip > 0;
        self.open.extend_from_slice(&rest[skip..]);
        if self.open.len() > 3 * WINDOW {
            self.open.drain(WINDOW..self.open.len() - WINDOW);
            self.skipped = true;
        }
    }

    /// Ends the open line.
    fn close(&mut self) {
        let open = std::mem::take(&mut self.open);
        self.line(self.number, &open, self.skipped, false);
        self.open = open;
        self.open.clear();
        self.skipped = false;
        self.inside = false;
        self.number += 1;
    }

    /// Sees whole lines.
    fn scan(&mut self, lines: &[u8]) {
        // Up to where the lines are counted.
        let mut counted = 0;
        let mut at = 0;
        while at < lines.len() {
            let known = self.watch.is_none();
            let start = if !known {
                at
            } else {
                let Some(stem) = rules::next_stem(lines, at) else { break };
                memchr::memrchr(b'\n', &lines[at..stem]).map_or(at, |n| at + n + 1)
            };
            let end = memchr::memchr(b'\n', &lines[start..]).map_or(lines.len(), |n| start + n);
            self.number += newlines(&lines[counted..start]);
            counted = start;
            self.line(self.number, &lines[start..end], false, known);
            at = end + 1;
        }
        self.number += newlines(&lines[counted..]);
    }

    /// Sees one line; `skipped` says that bytes are missing after its first [`WINDOW`], `stem` that it has a stem.
    fn line(&mut self, number: u64, bytes: &[u8], skipped: bool, stem: bool) {
        let (raw, giant) = window(bytes, skipped);
        let stem = stem && !giant || rules::next_stem(&raw, 0).is_some();
        if self.watch.is_none() && !stem {
            return;
        }
        let text =
            if giant && raw[WINDOW..].contains(&b'\r') { clean::line(&raw[WINDOW..]) } else { clean::line(&raw) };
        if self.watched(number, &text) || !stem {
            return;
        }
        let text = text.trim_end();
        match rules::judge(text) {
            None => {}
            Some(finding) if finding.place == Place::Header => {
                let indent = text[..finding.word.start].chars().count();
                self.watch = Some(Watch::Traceback { indent, frame: None, code: None, left: TRACEBACK });
            }
            Some(finding) => self.found(number, text, &finding, Vec::new()),
        }
    }

    /// Offers a line to what is waited for; returns whether it was taken.
    fn watched(&mut self, number: u64, text: &str) -> bool {
        match self.watch.take() {
            None => false,
            Some(Watch::Traceback { indent, frame, code, left }) => self.frame(number, text, indent, frame, code, left),
            Some(Watch::After { of, what, left }) => {
                let trimmed = text.trim();
                let (fits, on) = match what {
                    Extra::Arrow => (trimmed.starts_with("--> "), false),
                    Extra::Message => (!trimmed.is_empty() && !trimmed.starts_with("note: "), trimmed.is_empty()),
                    Extra::Location => (location(trimmed), true),
                };
                if fits {
                    let shown = shown(text, 0..0, self.line_max_chars);
                    let held = self.shapes.iter_mut().flat_map(|s| s.lines.iter_mut()).find(|held| held.line == of);
                    if let Some(held) = held {
                        held.context.push((number, shown));
                    }
                    return true;
                }
                if on && left > 1 {
                    self.watch = Some(Watch::After { of, what, left: left - 1 });
                }
                false
            }
        }
    }

    /// Sees a line after the header of a traceback.
    fn frame(
        &mut self,
        number: u64,
        text: &str,
        indent: usize,
        frame: Option<(u64, String)>,
        code: Option<(u64, String)>,
        left: u32,
    ) -> bool {
        let body = text.char_indices().nth(indent).map_or("", |(at, _)| &text[at..]);
        let at = text.find("File \"");
        if let Some(at) = at.filter(|_| body.starts_with(' ') || frame.is_none()) {
            let frame = Some((number, shown(text, at..at, self.line_max_chars)));
            let indent = text[..at].chars().count().saturating_sub(2);
            self.watch = (left > 1).then_some(Watch::Traceback { indent, frame, code: None, left: left - 1 });
            return true;
        }
        if body.is_empty() && !text.is_empty() || body.starts_with([' ', '\t']) || text.is_empty() {
            let code = match code {
                None if frame.is_some() && !body.trim().is_empty() => {
                    Some((number, shown(text, 0..0, self.line_max_chars)))
                }
                code => code,
            };
            self.watch = (left > 1).then_some(Watch::Traceback { indent, frame, code, left: left - 1 });
            return true;
        }
        let Some(frame) = frame else { return false };
        let start = text.len() - body.len();
        let finding = Finding { severity: Severity::Error, word: start..start, from: start, place: Place::Exception };
        self.found(number, text, &finding, std::iter::once(frame).chain(code).collect());
        true
    }

    /// Counts a line that tells of a failure, and holds it if it is among the first of its shape.
    fn found(&mut self, number: u64, text: &str, finding: &Finding, context: Vec<(u64, String)>) {
        let severity = finding.severity;
        let detail = text.starts_with("E   ");
        if detail {
            let before = self.detail.replace(number);
            if before.is_some_and(|before| before + 1 == number) {
                return;
            }
        }
        if severity == Severity::Warning {
            self.warnings += 1;
        }
        let key = match finding.place {
            Place::Http => shape::of(&text[..finding.word.end]) ^ u64::from(text.as_bytes()[finding.word.end]),
            _ => shape::of(&text[finding.from..]),
        };
        let at = match self.shapes.iter().position(|shape| shape.key == key && shape.severity == severity) {
            Some(at) => at,
            None => {
                if !self.room(severity) {
                    return;
                }
                self.shapes.push(Shape { key, severity, count: 0, first: number, last: number, lines: Vec::new() });
                self.shapes.len() - 1
            }
        };
        let full = self.held > SHAPES + 4 * self.limit;
        let shape = &mut self.shapes[at];
        shape.count += 1;
        shape.last = number;
        if !shape.lines.is_empty() && (full || shape.lines.len() >= self.limit) {
            return;
        }
        self.held += 1;
        let text_shown = shown(text, finding.word.clone(), self.line_max_chars);
        shape.lines.push(Held { line: number, place: finding.place, text: text_shown, context });
        let what = if detail {
            Some((Extra::Location, 12))
        } else if text.ends_with(':') && text.contains("panicked at ") {
            Some((Extra::Message, 3))
        } else if matches!(finding.place, Place::LevelWord | Place::Word) {
            Some((Extra::Arrow, 1))
        } else {
            None
        };
        self.watch = what.map(|(what, left)| Watch::After { of: number, what, left });
    }

    /// Makes room for one more shape; false if those that are held are all as bad.
    fn room(&mut self, severity: Severity) -> bool {
        // Of warnings one line is shown, the first.
        if severity == Severity::Warning && self.warnings > 1 {
            return false;
        }
        if self.shapes.len() < SHAPES.max(self.limit) {
            return true;
        }
        if self.full_of >= Some(severity) {
            return false;
        }
        let least = self.shapes.iter().enumerate().rev().min_by_key(|(_, shape)| shape.severity);
        match least {
            Some((at, least)) if least.severity < severity => {
                self.held -= self.shapes.remove(at).lines.len();
                true
            }
            _ => {
                self.full_of = Some(severity);
                false
            }
        }
    }

    /// Makes a line that only announces the exception on the next line part of that signal: one incident, one signal.
    fn announce(&mut self) {
        let exceptions: Vec<u64> = self
            .shapes
            .iter()
            .flat_map(|shape| &shape.lines)
            .filter(|held| held.place == Place::Exception)
            .map(|held| held.line)
            .collect();
        let mut announcing = Vec::new();
        for shape in &mut self.shapes {
            let (count, lines) = (&mut shape.count, &mut shape.lines);
            announcing.extend(lines.extract_if(.., |held| {
                let announces = held.place == Place::Word && exceptions.contains(&(held.line + 1));
                *count -= u64::from(announces);
                announces
            }));
        }
        for held in self.shapes.iter_mut().flat_map(|shape| &mut shape.lines) {
            if let Some(k) = announcing.iter().position(|a| a.line + 1 == held.line) {
                let announcing = announcing.swap_remove(k);
                held.context.insert(0, (announcing.line, announcing.text));
            }
        }
    }

    /// Ends the text: returns the worst and first signals, in the order of their lines, as far as they mean something
    /// in a text of this kind. A line of which `visible` is true is shown anyway and not repeated.
    pub fn finish(mut self, kind: Kind, visible: impl Fn(u64) -> bool) -> Vec<Signal> {
        let Some(least) = least(kind) else { return Vec::new() };
        if self.inside {
            self.close();
        }
        self.shapes.retain(|shape| shape.severity >= least);
        self.announce();
        self.shapes.retain_mut(|shape| {
            let before = shape.lines.len() as u64;
            shape.lines.retain(|held| !visible(held.line));
            shape.count -= before - shape.lines.len() as u64;
            !shape.lines.is_empty()
        });
        crate::order::by_key(&mut self.shapes, |shape| (std::cmp::Reverse(shape.severity), shape.first));
        let of = |severity: Severity| self.shapes.iter().filter(move |s| s.severity == severity).count();
        let errors = of(Severity::Fatal) + of(Severity::Error);
        let suspects = if errors > 0 { SUSPECTS } else { self.limit };
        let room = |severity: Severity| match severity {
            Severity::Fatal | Severity::Error => usize::MAX,
            Severity::Suspect => suspects,
            Severity::Warning => 1,
        };
        // One line of each shape, the worst shapes first; what is left goes to more lines of the same shapes.
        let mut shown: Vec<usize> = Vec::new();
        let mut left = self.limit;
        let mut used = [0usize; 4];
        for shape in &self.shapes {
            let used = &mut used[shape.severity as usize];
            let take = usize::from(left > 0 && *used < room(shape.severity));
            shown.push(take);
            *used += take;
            left -= take;
        }
        for (shape, shown) in self.shapes.iter().zip(&mut shown) {
            if matches!(shape.severity, Severity::Fatal | Severity::Error) && *shown > 0 {
                let more = (shape.lines.len() - 1).min(left);
                *shown += more;
                left -= more;
            }
        }
        let warnings = self.warnings;
        let mut signals = Vec::new();
        for (shape, shown) in self.shapes.into_iter().zip(shown) {
            let (severity, last) = (shape.severity, shape.last);
            let count = if severity == Severity::Warning { warnings } else { shape.count };
            for (k, held) in shape.lines.into_iter().take(shown).enumerate() {
                let ends = k + 1 == shown;
                signals.push(Signal {
                    line: held.line,
                    text: held.text,
                    severity,
                    count: if ends { count - k as u64 } else { 1 },
                    last: if ends { last } else { held.line },
                    context: held.context,
                });
            }
        }
        crate::order::by_key(&mut signals, |signal| signal.line);
        signals
    }
}

/// Returns a line as it will be shown: cut, but not in the word that tells.
fn shown(text: &str, word: Range<usize>, max: usize) -> String {
    let text = text.trim_end();
    let near = word.start <= max / 2 || text.len().saturating_sub(word.start) <= max / 4;
    if near { cut::middle(text, max) } else { cut::around(text, word, max) }.into_owned()
}

fn newlines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

/// Returns what of a line is looked at, and whether that is its start and its end only.
fn window(bytes: &[u8], skipped: bool) -> (Cow<'_, [u8]>, bool) {
    if bytes.len() <= 2 * WINDOW && !skipped {
        return (Cow::Borrowed(bytes), false);
    }
    let (head, tail) = (&bytes[..WINDOW], &bytes[bytes.len() - WINDOW..]);
    (Cow::Owned([head, " … ".as_bytes(), tail].concat()), true)
}

/// Whether a line is only a place and an exception: `tests/test_shop.py:9: AssertionError`.
fn location(text: &str) -> bool {
    let mut parts = text.split(": ");
    let (Some(place), Some(name), None) = (parts.next(), parts.next(), parts.next()) else { return false };
    let number = place.rsplit(':').next().unwrap_or("");
    !place.contains(' ')
        && !number.is_empty()
        && number.bytes().all(|b| b.is_ascii_digit())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.')
}

#[cfg(test)]
mod tests;
