//! The main job: a text that is small comes out as it went in, a large one is stored and replaced by its preview.
//!
//! Laws. Output begins only when the verdict is known. Each byte is read, counted, hashed and written once. Memory is
//! bounded by the settings, not by the text. No handle is printed for a text that is not in the store, and from any
//! failure to store the whole text still goes out ([`pass_on`]).

use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::SystemTime;

use crate::error::{Error, Result};
use crate::handle::{self, Handle};
use crate::preview::signals::{Signal, Signals};
use crate::preview::window::{Head, TAIL, Window};
use crate::preview::{self as by_kind, Body, Marked};
use crate::store::Store;
use crate::store::meta::{Meta, Source};
use crate::store::spill::{Limits, Spill};
use crate::text::decode::{Decoded, Transcoder, Utf16};
use crate::text::kind::{self, Kind, Sample};
use crate::text::lines::{INDEX_STEP, LineIndexBuilder};
use crate::text::measure::{Measure, Size};
use crate::text::paths;
use crate::text::show::thousands;

/// How much is read at once before the verdict, in bytes: a small result comes in one or two reads.
const FIRST_READ: usize = 64 << 10;
/// How much is read at once after it.
const READ: usize = 256 << 10;
/// How much of a text's start decides its kind, in bytes.
const SAMPLE: usize = 64 << 10;
/// The room kept for the words of the preview's label, in chars.
const LABEL: usize = 70;

/// Where a text comes from: standard input, or a command's output.
pub trait Input: Read {
    /// Tells how the text ended, once all of it was read.
    fn ended(&mut self) -> Ended;
}

/// How a text ended.
#[derive(Clone, Debug, Default)]
pub struct Ended {
    /// What cut it short: a signal, a timeout.
    pub partial: Option<String>,
    /// The exit status of the command, as a shell reports it.
    pub exit_status: Option<i32>,
    /// How long the command ran, in milliseconds.
    pub duration_ms: Option<u64>,
}

impl<T: Read> Input for io::Take<T> {
    fn ended(&mut self) -> Ended {
        Ended::default()
    }
}

/// When a text is rescued: if it exceeds any of these.
#[derive(Clone, Copy, Debug)]
pub struct Gate {
    /// Chars.
    pub max_chars: u64,
    /// Bytes; `None` = no limit.
    pub max_bytes: Option<u64>,
    /// Lines; `None` = no limit.
    pub max_lines: Option<u64>,
}

impl Gate {
    fn exceeded(&self, size: &Size) -> bool {
        size.chars > self.max_chars
            || self.max_bytes.is_some_and(|max| size.bytes > max)
            || self.max_lines.is_some_and(|max| size.lines > max)
    }
}

/// What a preview shows.
#[derive(Clone, Copy, Debug)]
pub struct PreviewOptions {
    /// The most chars of the whole replacement.
    pub excerpt_max: usize,
    /// First lines.
    pub head_lines: usize,
    /// Last lines.
    pub tail_lines: usize,
    /// The most chars of a line.
    pub line_max: usize,
    /// Lines that look like errors.
    pub signal_lines: usize,
    /// First items of JSON.
    pub json_head_items: usize,
    /// Last items of JSON.
    pub json_tail_items: usize,
}

/// What is to be done with a text.
#[derive(Clone, Debug)]
pub struct Request {
    /// Whether the text passes whatever its size, and is never stored.
    pub keep_out: bool,
    /// When it is rescued.
    pub gate: Gate,
    /// What the replacement shows.
    pub preview: PreviewOptions,
    /// How much of it is stored.
    pub limits: Limits,
    /// Where it comes from.
    pub source: Source,
    /// The time that is recorded.
    pub now: SystemTime,
    /// Whether the printed command must name the store.
    pub name_store: bool,
}

/// What was done with a text.
#[derive(Debug)]
pub struct Outcome {
    /// The metadata of the blob whose handle was printed; `None` if the text went out as it is.
    pub rescued: Option<Meta>,
    /// The store, if it was opened: a sweep may be due.
    pub store: Option<Store>,
    /// Why a text that should have been rescued was not.
    pub failure: Option<Error>,
    /// How the text ended.
    pub ended: Ended,
}

/// Reads a text and writes it, or what replaces it.
///
/// # Errors
/// [`Error::Output`] if the output cannot be written; the text is then stored all the same if it was to be.
pub fn rescue(
    input: &mut dyn Input,
    output: &mut dyn Write,
    open_store: &dyn Fn() -> Result<Store>,
    request: &Request,
) -> Result<Outcome> {
    let passed = |store, failure, ended| Ok(Outcome { rescued: None, store, failure, ended });
    if request.keep_out {
        pass_on(input, output)?;
        return passed(None, None, input.ended());
    }
    let mut meter = Meter::new(&request.preview);
    let mut start = Vec::new();
    let ended = gate(input, &mut meter, &mut start, request)?;
    if let Some(ended) = ended {
        // The size of a text that was cut inside a char is only known now.
        let own = handle::of_replacement(&start).is_some();
        if own || !request.gate.exceeded(&meter.size(start.len() as u64)) {
            write(output, &start)?;
            return passed(None, None, ended);
        }
    }
    let store = match open_store() {
        Ok(store) => store,
        Err(failure) => {
            write(output, &start)?;
            pass_on(input, output)?;
            return passed(None, Some(failure), input.ended());
        }
    };
    let (rescued, failure, ended) = match spill_and_publish(input, &mut meter, start, &store, request) {
        Ok((meta, replacement, ended, held)) => {
            write(output, replacement.as_bytes())?;
            drop(held);
            (Some(meta), None, ended)
        }
        Err(unstored) => {
            let Unstored { spill, rest, failure } = *unstored;
            if let Some(spill) = &spill {
                io::copy(&mut spill.read(0), output).map_err(Error::Output)?;
            }
            write(output, &rest)?;
            drop(spill);
            pass_on(input, output)?;
            (None, failure, input.ended())
        }
    };
    Ok(Outcome { rescued, store: Some(store), failure, ended })
}

/// Reads until the verdict is known; returns how the text ended if it did before.
fn gate(input: &mut dyn Input, meter: &mut Meter, start: &mut Vec<u8>, request: &Request) -> Result<Option<Ended>> {
    let own_limit = request.preview.excerpt_max.saturating_mul(4).max(FIRST_READ);
    loop {
        let at = start.len();
        start.resize(at + FIRST_READ, 0);
        let n = read(input, &mut start[at..]);
        start.truncate(at + n);
        if n == 0 {
            meter.finish();
            return Ok(Some(input.ended()));
        }
        meter.push(&start[at..]);
        if request.gate.exceeded(&meter.size(start.len() as u64)) {
            // What this program printed itself is small: it is read to its end, to be recognised.
            let maybe_own = start.starts_with(b"[Toolaria: ") && start.len() < own_limit;
            if !maybe_own {
                return Ok(None);
            }
        }
    }
}

/// A text that could not be stored, with all that is needed to write it out whole.
struct Unstored<'s> {
    spill: Option<Spill<'s>>,
    rest: Vec<u8>,
    failure: Option<Error>,
}

type Stored = (Meta, String, Ended, Option<crate::store::lock::Lock>);

/// Stores the text that begins with `start` and makes what replaces it.
fn spill_and_publish<'s>(
    input: &mut dyn Input,
    meter: &mut Meter,
    start: Vec<u8>,
    store: &'s Store,
    request: &Request,
) -> std::result::Result<Stored, Box<Unstored<'s>>> {
    let unstored = |spill, rest, failure| Box::new(Unstored { spill, rest, failure });
    let mut spill = match Spill::begin(store, &request.source, request.limits) {
        Ok(spill) => spill,
        Err(e) => return Err(unstored(None, start, Some(e))),
    };
    let mut bytes = start.len() as u64;
    if spill.reserve(start.len()) < start.len() {
        meter.keep_end(&start);
    }
    let mut chunk = start;
    loop {
        let mut free = match spill.write(chunk) {
            Ok(free) => free,
            Err(mut failed) => {
                failed.chunk.drain(..failed.stored);
                return Err(unstored(Some(spill), failed.chunk, Some(failed.error)));
            }
        };
        free.resize(READ, 0);
        let n = read(input, &mut free);
        free.truncate(n);
        if n == 0 {
            break;
        }
        if spill.reserve(n) < n && meter.end.is_none() {
            meter.keep_end(&stored_end(&spill).unwrap_or_default());
        }
        meter.push(&free);
        bytes += n as u64;
        chunk = free;
    }
    meter.finish();
    let ended = input.ended();
    let total = meter.size(bytes);
    let mut meta = Meta {
        id: String::new(),
        sha256: spill.finish(),
        size: total,
        kind: Kind::Text,
        source: Source { exit_status: ended.exit_status, duration_ms: ended.duration_ms, ..request.source.clone() },
        created: request.now,
        partial: ended.partial.clone(),
        not_stored: spill.dropped(),
    };
    if spill.dropped() > 0 {
        meta.size = match measure(&spill) {
            Ok(size) => size,
            Err(source) => {
                let failure = Error::Io { doing: "read back", path: store.layout().tmp(), source };
                return Err(unstored(Some(spill), Vec::new(), Some(failure)));
            }
        };
    }
    let end = meter.end(&spill).unwrap_or_default();
    meta.kind = kind::detect(&Sample { head: &meter.sample, tail: &end, bytes: meter.decoded_bytes() });
    let index = meter.take_index().filter(|_| meta.size.bytes > INDEX_STEP && meta.not_stored == 0);
    // Where not even the handle is shorter than the text or fits its cap, the text is the better answer.
    meta.id = meta.sha256[..crate::store::ID_DIGITS].to_owned();
    let cap = request.preview.excerpt_max.min(usize::try_from(total.chars).unwrap_or(usize::MAX).saturating_sub(1));
    let place = store.layout().root();
    let body = match room(&handle(&meta, &total, place, request), cap) {
        Some(room) => preview(meter, &meta, &total, &spill, &end, request, room),
        None => {
            // A text of about the handle's own size is better as it is; of a larger one its user should know why.
            let larger = total.chars > 2 * request.preview.excerpt_max as u64;
            let needs = handle(&meta, &total, place, request).cost("", cap);
            let failure = larger.then(|| {
                Error::Store(format!(
                    "the handle takes {needs} chars with the store at {}, more than excerpt_max_chars ({})",
                    place.display(),
                    request.preview.excerpt_max
                ))
            });
            return Err(unstored(Some(spill), Vec::new(), failure));
        }
    };
    let held = store.hold();
    if let Err(failure) = spill.publish(&mut meta, index.as_ref(), request.now) {
        return Err(unstored(Some(spill), Vec::new(), Some(failure)));
    }
    // Only now it is known what the id is and when the same text was first stored.
    match wrap(&handle(&meta, &total, place, request), body, cap) {
        Some(text) => Ok((meta, text, ended, held)),
        None => Err(unstored(Some(spill), Vec::new(), None)),
    }
}

fn handle<'a>(meta: &'a Meta, total: &Size, store: &'a Path, request: &Request) -> Handle<'a> {
    Handle {
        meta,
        chars: total.chars,
        lines: total.lines,
        store,
        name_store: request.name_store,
        long_lines: total.longest_line > request.preview.line_max as u64,
    }
}

/// Returns how many chars the lines of a preview may have inside a handle; `None` if not even the handle fits.
fn room(handle: &Handle<'_>, cap: usize) -> Option<usize> {
    Some(cap.checked_sub(handle.cost("", cap))?.saturating_sub(LABEL))
}

/// Makes the preview.
fn preview(
    meter: &Meter,
    meta: &Meta,
    total: &Size,
    spill: &Spill<'_>,
    end: &[u8],
    request: &Request,
    room: usize,
) -> Body {
    // A fault in a preview must not cost the text: the plain first and last lines never fail.
    let typed = catch_unwind(AssertUnwindSafe(|| typed_body(meta.kind, spill, total, request, room)));
    typed.ok().flatten().unwrap_or_else(|| plain_body(meter, meta, end, total, request, room))
}

/// Puts the handle around a preview; `None` if that cannot fit into `cap` chars.
fn wrap(handle: &Handle<'_>, mut body: Body, cap: usize) -> Option<String> {
    loop {
        let text = handle.around(&body.label, &body.lines, cap);
        if text.chars().count() <= cap {
            return Some(text);
        }
        // The label, or a longer id, took more than its room.
        if body.lines.pop().is_none() {
            let bare = handle.around("no line of it fits", &[], cap);
            return (bare.chars().count() <= cap).then_some(bare);
        }
    }
}

/// Makes the preview that suits the kind of the text, if there is a better one than its first and last lines.
fn typed_body(kind: Kind, spill: &Spill<'_>, total: &Size, request: &Request, budget: usize) -> Option<Body> {
    let options = &request.preview;
    let (head_items, tail_items) = (options.json_head_items, options.json_tail_items);
    let (head, tail) = (options.head_lines, options.tail_lines);
    let text = Decoded::new(spill.read(0));
    let body = match kind {
        Kind::Json => by_kind::json::body(text, *total, budget, head_items, tail_items),
        Kind::Ndjson => by_kind::ndjson::body(text, *total, budget, head_items, tail_items),
        Kind::Csv => by_kind::csv::body(text, b',', *total, budget, head, tail),
        Kind::Tsv => by_kind::csv::body(text, b'\t', *total, budget, head, tail),
        Kind::Diff => by_kind::diff::body(text, budget),
        Kind::Html => by_kind::html::body(text, budget),
        Kind::Markdown => by_kind::markdown::body(text, budget),
        Kind::Binary => return by_kind::binary(text, total),
        _ => return None,
    };
    body.ok().flatten()
}

/// Makes the preview of the first and last lines and the ones that look like errors.
fn plain_body(meter: &Meter, meta: &Meta, end: &[u8], total: &Size, request: &Request, budget: usize) -> Body {
    let options = &request.preview;
    // After a failure the end tells more than the start.
    let failed = meta.source.exit_status.is_some_and(|s| s != 0);
    let tail = if failed { options.tail_lines.max(options.head_lines) } else { options.tail_lines };
    let window = Window::new(meter.head.clone(), end, tail, *total);
    // What a search through files found says `error` as the files do; nothing happened there.
    let found = paths::are_matches(meter.sample.split(|&b| b == b'\n').take(400));
    window.body(options.line_max, budget, |visible| match found {
        true => Vec::new(),
        false => meter.signals.clone().finish(meta.kind, visible).into_iter().map(marked).collect(),
    })
}

/// Makes what the preview shows of a signal.
fn marked(signal: Signal) -> Marked {
    let text = match signal.count {
        0 | 1 => signal.text,
        n => format!("{} [{} such lines, the last is {}]", signal.text, thousands(n), signal.last),
    };
    Marked { line: signal.line, text, rank: signal.severity as u8, context: signal.context }
}

/// Measures what was stored of a text that was not stored whole.
fn measure(spill: &Spill<'_>) -> io::Result<Size> {
    let mut measure = Measure::default();
    let mut buf = vec![0; READ];
    let mut text = Decoded::new(spill.read(0));
    loop {
        match text.read(&mut buf)? {
            0 => break,
            n => _ = measure.push(&buf[..n]),
        }
    }
    Ok(Size { bytes: spill.written(), ..measure.size() })
}

/// Reads once; an error ends the text like its end does: what arrived is the text.
fn read(input: &mut dyn Input, buf: &mut [u8]) -> usize {
    loop {
        match input.read(buf) {
            Ok(n) => return n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return 0,
        }
    }
}

fn write(output: &mut dyn Write, bytes: &[u8]) -> Result<()> {
    output.write_all(bytes).map_err(Error::Output)
}

/// Writes the rest of the text as it comes.
fn pass_on(input: &mut dyn Input, output: &mut dyn Write) -> Result<()> {
    let mut buf = vec![0; READ];
    loop {
        match read(input, &mut buf) {
            0 => return Ok(()),
            n => write(output, &buf[..n])?,
        }
    }
}

/// Everything that is learnt of a text while it streams past.
struct Meter {
    /// What came before it was known whether the text is UTF-16.
    undecided: Option<Vec<u8>>,
    transcoder: Option<Transcoder>,
    measure: Measure,
    index: Option<LineIndexBuilder>,
    sample: Vec<u8>,
    head: Head,
    signals: Signals,
    /// The last bytes of the text, where they cannot be read back from what was stored.
    end: Option<Vec<u8>>,
}

impl Meter {
    fn new(options: &PreviewOptions) -> Meter {
        Meter {
            undecided: Some(Vec::new()),
            transcoder: None,
            measure: Measure::default(),
            index: Some(LineIndexBuilder::default()),
            sample: Vec::new(),
            head: Head::new(options.head_lines),
            signals: Signals::new(options.signal_lines, options.line_max),
            end: None,
        }
    }

    /// Sees the next stored bytes.
    fn push(&mut self, bytes: &[u8]) {
        if let Some(mut start) = self.undecided.take() {
            start.extend_from_slice(bytes);
            if start.len() < 2 {
                self.undecided = Some(start);
                return;
            }
            if let Some(order) = Utf16::of(&start) {
                self.transcoder = Some(Transcoder::new(order));
                self.end = Some(Vec::new());
                self.index = None;
            }
            self.decode(&start);
        } else {
            self.decode(bytes);
        }
    }

    fn decode(&mut self, bytes: &[u8]) {
        match &mut self.transcoder {
            None => self.see(bytes),
            Some(transcoder) => {
                let mut decoded = Vec::new();
                transcoder.push(bytes, &mut decoded);
                self.see(&decoded);
            }
        }
    }

    fn see(&mut self, text: &[u8]) {
        let newlines = self.measure.push(text);
        if let Some(index) = &mut self.index {
            index.push(text, newlines);
        }
        if self.sample.len() < SAMPLE {
            let more = text.len().min(SAMPLE - self.sample.len());
            self.sample.extend_from_slice(&text[..more]);
        }
        self.head.push(text);
        self.signals.push(text);
        if let Some(end) = &mut self.end {
            end.extend_from_slice(&text[text.len().saturating_sub(TAIL)..]);
            let surplus = end.len().saturating_sub(TAIL);
            end.drain(..surplus);
        }
    }

    /// Ends the text.
    fn finish(&mut self) {
        if let Some(start) = self.undecided.take() {
            self.see(&start);
        }
        if let Some(mut transcoder) = self.transcoder.take() {
            let mut last = Vec::new();
            transcoder.finish(&mut last);
            self.see(&last);
        }
    }

    /// Returns the size of a text of which `bytes` are (to be) stored.
    fn size(&self, bytes: u64) -> Size {
        Size { bytes, ..self.measure.size() }
    }

    fn decoded_bytes(&self) -> u64 {
        self.measure.size().bytes
    }

    fn take_index(&mut self) -> Option<crate::text::lines::LineIndex> {
        self.index.take().map(LineIndexBuilder::finish)
    }

    /// Keeps the end of the text in memory from now on, as storing stops; `before` is the text up to here or its end.
    fn keep_end(&mut self, before: &[u8]) {
        if self.end.is_none() {
            self.end = Some(before[before.len().saturating_sub(TAIL)..].to_vec());
        }
    }

    /// Returns the last bytes of the text.
    fn end(&self, spill: &Spill<'_>) -> io::Result<Vec<u8>> {
        match &self.end {
            Some(end) => Ok(end.clone()),
            None => stored_end(spill),
        }
    }
}

/// Returns the last bytes of what was stored.
fn stored_end(spill: &Spill<'_>) -> io::Result<Vec<u8>> {
    let mut end = Vec::new();
    spill.read(spill.written().saturating_sub(TAIL as u64)).read_to_end(&mut end)?;
    Ok(end)
}
