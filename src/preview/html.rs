//! A page as its title, its headings with their lines, and the start of the text below each; no markup.
//!
//! The page streams once through html5gum, which reads as browsers do. Memory is bounded: the tokenizer keeps a text
//! or an attribute until it ends, so `Source` withholds what makes one longer than `LONGEST`.

use std::cell::{Cell, RefCell};
use std::convert::Infallible;
use std::io::{self, Read};
use std::rc::Rc;

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};

use super::Body;
use super::fit::{self, Fit, HEADINGS, Heading, LINE_CHARS, MARK};
use crate::text::{clean, cut, show};

/// The longest text or attribute that the tokenizer is given, in bytes.
const LONGEST: usize = 256 << 10;
/// How many bytes a page may go on without a tag that ends, once it is that long, before it is read no further.
const PATIENCE: usize = 4 << 20;
/// How many chars of text are kept below each heading.
const BELOW: usize = 300;

/// What reader and callback tell each other.
#[derive(Default)]
struct Shared {
    /// The number of the line that is being read.
    line: Cell<u64>,
    /// Bytes given since something last ended.
    since: Cell<usize>,
    failed: Cell<Option<io::Error>>,
}

/// The bytes of a page, with the line counted as the tokenizer takes them.
struct Source<R> {
    input: R,
    buf: Vec<u8>,
    at: usize,
    end: usize,
    shared: Rc<Shared>,
}

impl<R: Read> Source<R> {
    /// Returns the bytes that are ready; none at the end, or where the input failed.
    fn ready(&mut self) -> &[u8] {
        while self.at == self.end {
            match self.input.read(&mut self.buf) {
                Ok(0) => return &[],
                Ok(n) => (self.at, self.end) = (0, n),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => {
                    self.shared.failed.set(Some(e));
                    return &[];
                }
            }
            if self.shared.since.get() > LONGEST {
                self.withhold();
            }
        }
        &self.buf[self.at..self.end]
    }

    /// Leaves out what would make a token longer still: all up to what may end it.
    fn withhold(&mut self) {
        if self.shared.since.get() > PATIENCE {
            self.take(self.end - self.at);
            return;
        }
        let ready = &self.buf[self.at..self.end];
        let next = memchr::memchr2(b'<', b'>', ready).map_or(ready.len(), |n| {
            // A quotation mark or the dashes of a comment before it belong to it.
            n.saturating_sub(if ready[n] == b'>' { 2 } else { 0 })
        });
        self.take(next);
    }

    /// Counts bytes as read.
    fn take(&mut self, n: usize) {
        let lines = memchr::memchr_iter(b'\n', &self.buf[self.at..self.at + n]).count() as u64;
        self.shared.line.set(self.shared.line.get() + lines);
        self.shared.since.set(self.shared.since.get() + n);
        self.at += n;
    }
}

impl<R: Read> html5gum::Reader for Source<R> {
    type Error = Infallible;

    fn read_byte(&mut self) -> Result<Option<u8>, Infallible> {
        let byte = self.ready().first().copied();
        self.take(usize::from(byte.is_some()));
        Ok(byte)
    }

    fn try_read_string(&mut self, wanted: &[u8], case_sensitive: bool) -> Result<bool, Infallible> {
        while self.end - self.at < wanted.len() {
            self.buf.copy_within(self.at..self.end, 0);
            (self.at, self.end) = (0, self.end - self.at);
            match self.input.read(&mut self.buf[self.end..]) {
                Ok(0) => return Ok(false),
                Ok(n) => self.end += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => {
                    self.shared.failed.set(Some(e));
                    return Ok(false);
                }
            }
        }
        let there = &self.buf[self.at..self.at + wanted.len()];
        let same = if case_sensitive { there == wanted } else { there.eq_ignore_ascii_case(wanted) };
        if same {
            self.take(wanted.len());
        }
        Ok(same)
    }

    fn read_until<'b>(&'b mut self, needle: &[u8], _: &'b mut [u8; 4]) -> Result<Option<&'b [u8]>, Infallible> {
        let ready = self.ready();
        if ready.is_empty() {
            return Ok(None);
        }
        let n = ready.iter().position(|b| needle.contains(b)).map_or(ready.len(), |n| n.max(1));
        let from = self.at;
        self.take(n);
        Ok(Some(&self.buf[from..from + n]))
    }
}

/// A heading or the start of the page, and the text below it.
#[derive(Debug)]
struct Section {
    heading: Option<Heading>,
    below: String,
    /// Chars of `below`.
    chars: usize,
    /// Whether there was more text than is kept.
    more: bool,
}

impl Section {
    fn new(heading: Option<Heading>) -> Self {
        Section { heading, below: String::new(), chars: 0, more: false }
    }
}

/// Collects sections from the tokenizer's events.
struct Collector {
    shared: Rc<Shared>,
    title: String,
    sections: Vec<Section>,
    more_headings: u64,
    tables: u64,
    forms: u64,
    /// What the text goes to.
    into: Into,
    /// Tags whose content is not shown, and how often they are open.
    hidden: Option<(Vec<u8>, u32)>,
    /// How many chars of text are kept before the first heading.
    preface: usize,
    last: Vec<u8>,
}

#[derive(Debug, PartialEq, Eq)]
enum Into {
    Text,
    Title,
    Heading,
}

impl Collector {
    fn event(&mut self, event: CallbackEvent<'_>) {
        if !matches!(event, CallbackEvent::Error(_)) {
            self.shared.since.set(0);
        }
        match event {
            CallbackEvent::OpenStartTag { name } => {
                self.last.clear();
                self.last.extend_from_slice(&name[..name.len().min(16)]);
            }
            CallbackEvent::CloseStartTag { self_closing } => {
                let name = std::mem::take(&mut self.last);
                self.open(&name, self_closing);
                self.last = name;
            }
            CallbackEvent::EndTag { name } => self.close(name),
            CallbackEvent::String { value } => self.text(value),
            _ => {}
        }
    }

    fn open(&mut self, name: &[u8], self_closing: bool) {
        if let Some((tag, depth)) = &mut self.hidden {
            *depth += u32::from(tag == name);
            return;
        }
        match name {
            b"script" | b"style" | b"template" | b"svg" | b"nav" | b"noscript" | b"select" if !self_closing => {
                self.hidden = Some((name.to_vec(), 1));
            }
            b"title" => self.into = Into::Title,
            b"table" => self.tables += 1,
            b"form" => self.forms += 1,
            [b'h', level @ b'1'..=b'6'] => {
                self.into = Into::Text;
                if self.sections.len() > HEADINGS {
                    self.more_headings += 1;
                    return;
                }
                let line = self.shared.line.get();
                let heading = Heading { line, level: usize::from(level - b'0'), text: String::new() };
                self.sections.push(Section::new(Some(heading)));
                self.into = Into::Heading;
            }
            _ => self.block(name),
        }
    }

    fn close(&mut self, name: &[u8]) {
        if let Some((tag, depth)) = &mut self.hidden {
            *depth -= u32::from(tag == name);
            if *depth == 0 {
                self.hidden = None;
            }
            return;
        }
        match name {
            b"title" | [b'h', b'1'..=b'6'] => self.into = Into::Text,
            _ => self.block(name),
        }
    }

    /// Ends a word, and a heading that was not closed, where a block begins or ends.
    fn block(&mut self, name: &[u8]) {
        const BLOCKS: &[&str] =
            &["p", "div", "li", "ul", "ol", "table", "section", "article", "body", "pre", "dl", "main", "blockquote"];
        let block = BLOCKS.iter().any(|tag| name == tag.as_bytes());
        if block && self.into != Into::Text {
            self.into = Into::Text;
        }
        if block || matches!(name, b"br" | b"td" | b"th" | b"tr" | b"dt" | b"dd" | b"option") {
            self.text(if block || name == b"br" || name == b"tr" { b"\n" } else { b" " });
        }
    }

    fn text(&mut self, value: &[u8]) {
        if self.hidden.is_some() {
            return;
        }
        let Some(section) = self.sections.last_mut() else { return };
        let (into, limit) = match self.into {
            Into::Title => (&mut self.title, 200),
            Into::Heading => match &mut section.heading {
                Some(heading) => (&mut heading.text, 160),
                None => return,
            },
            Into::Text => (&mut section.below, if section.heading.is_none() { self.preface } else { BELOW }),
        };
        let text = String::from_utf8_lossy(&value[..value.len().min(8 * limit + 64)]);
        let mut chars = if self.into == Into::Text { section.chars } else { into.chars().count() };
        for c in text.chars() {
            if chars >= limit {
                section.more |= self.into == Into::Text && !c.is_whitespace();
                break;
            }
            // Runs of white space are one, as a browser shows them; only blocks begin lines.
            if c.is_whitespace() {
                let end = if value == b"\n" { '\n' } else { ' ' };
                if end == '\n' && into.ends_with(' ') {
                    into.pop();
                    into.push(end);
                } else if !into.is_empty() && !into.ends_with([' ', '\n']) {
                    into.push(end);
                    chars += 1;
                }
            } else {
                into.push(c);
                chars += 1;
            }
        }
        if self.into == Into::Text {
            section.chars = chars;
            section.more |= value.len() > 8 * limit + 64;
        }
    }
}

/// Returns the preview of a page within `budget_chars` chars; `None` if it has neither title nor text.
pub fn body(text: impl Read, budget_chars: usize) -> io::Result<Option<Body>> {
    let shared = Rc::new(Shared::default());
    let source = Source { input: text, buf: vec![0; 64 << 10], at: 0, end: 0, shared: Rc::clone(&shared) };
    let collector = RefCell::new(Collector {
        shared: Rc::clone(&shared),
        title: String::new(),
        sections: vec![Section::new(None)],
        more_headings: 0,
        tables: 0,
        forms: 0,
        into: Into::Text,
        hidden: None,
        preface: budget_chars,
        last: Vec::new(),
    });
    let mut emitter = CallbackEmitter::new(|event: CallbackEvent<'_>, _: Span<()>| -> Option<Infallible> {
        collector.borrow_mut().event(event);
        None
    });
    emitter.naively_switch_states(true);
    let Ok(()) = Tokenizer::new_with_emitter(source, emitter).finish();
    if let Some(error) = shared.failed.take() {
        return Err(error);
    }
    Ok(collector.into_inner().body(budget_chars))
}

impl Collector {
    fn body(self, budget_chars: usize) -> Option<Body> {
        let seen = |text: &str| clean::line(text.trim().as_bytes()).into_owned();
        let mut headings: Vec<Heading> = Vec::new();
        let mut texts: Vec<(String, bool)> = Vec::new();
        let mut sections = self.sections.into_iter();
        let preface = sections.next()?;
        for section in sections {
            let Some(mut heading) = section.heading else { continue };
            heading.text = seen(&heading.text);
            headings.push(heading);
            texts.push((seen(&section.below.replace('\n', " ")), section.more));
        }
        let title = seen(&self.title);
        if title.is_empty() && headings.is_empty() && preface.below.trim().is_empty() {
            return None;
        }
        let mut fit = Fit::new(budget_chars);
        if !title.is_empty() {
            fit.push(format!("title: {title}"), 0);
        }
        let depth = fit::depth(&headings, budget_chars / 2).max(1);
        let shown: Vec<usize> = (0..headings.len()).filter(|&k| headings[k].level <= depth).collect();
        let cost: usize = shown.iter().map(|&k| headings[k].text.chars().count() + 24).sum();
        let spare = fit.left().saturating_sub(cost + MARK);
        // The text before the first heading: all there is room for where there are no headings.
        let before = if headings.is_empty() { fit.left() } else { spare / 4 };
        let reserve = fit.left().saturating_sub(before);
        for line in preface.below.split('\n').map(seen).filter(|line| !line.is_empty()) {
            if !fit.push(cut::start(&line, LINE_CHARS).into_owned(), reserve) {
                break;
            }
        }
        // Where there is less for each heading than says anything, the first ones get it.
        let below = spare.saturating_sub(before);
        let each = (below / shown.len().max(1)).clamp(100, BELOW);
        let mut rest = cost;
        let mut left = shown.len();
        for (n, &k) in shown.iter().enumerate() {
            let next = shown.get(n + 1).copied().unwrap_or(headings.len());
            let line = fit::heading_line(&headings[k], next - k - 1);
            if !fit.push(line, if left > 1 { MARK } else { 0 }) {
                break;
            }
            left -= 1;
            rest -= headings[k].text.chars().count() + 24;
            let (text, more) = &texts[k];
            if !text.is_empty() && fit.left() >= rest + each + MARK {
                let mut text = cut::start(text, each - 10).into_owned();
                if *more && !text.ends_with('…') {
                    text.push('…');
                }
                fit.push(format!("        {text}"), MARK);
            }
        }
        let unshown = left as u64 + self.more_headings;
        if unshown > 0 {
            fit.push(format!("[... {} not shown ...]", show::count(unshown, "heading")), 0);
        }
        let count = headings.len() as u64 + self.more_headings;
        let mut label = "the text of a page without its markup".to_owned();
        if count > 0 {
            label += &format!(
                "; {} with line numbers from 0 and the start of what is below each",
                show::count(count, "heading")
            );
        }
        for (n, noun) in [(self.tables, "table"), (self.forms, "form")] {
            if n > 0 {
                label += &format!("; {}", show::count(n, noun));
            }
        }
        Some(Body { label, lines: fit.lines })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(text: &str, budget: usize) -> Option<Body> {
        body(text.as_bytes(), budget).unwrap()
    }

    #[test]
    fn title_headings_and_text_are_shown_without_markup() {
        let page = "<!DOCTYPE html>\n<html><head><title>A &amp; B</title><style>h1 {}</style>\n<script>if (a < b) x();</script></head>\n\
                    <body><nav><a>menu</a></nav>\n<p>Before  all.</p>\n<h1 id=x><a>One</a></h1>\n<p>First <em>text</em>\nhere.</p>\n\
                    <h2>Two</h2><table><tr><td>1<td>2</table>\n</body></html>\n";
        let body = of(page, 2000).unwrap();
        assert_eq!(
            body.lines,
            [
                "title: A & B",
                "Before all.",
                "     5  # One",
                "        First text here.",
                "     8  ## Two",
                "        1 2",
            ]
        );
        assert!(body.label.contains("2 headings") && body.label.contains("1 table"), "{}", body.label);
    }

    #[test]
    fn long_pages_show_all_of_their_upper_headings() {
        let mut page = String::from("<title>Book</title>\n");
        for k in 0..40 {
            page += &format!("<h1>Part {k}</h1>\n<p>{}\n<h3>Deep {k}</h3>\n<p>x</p>\n", "words and ".repeat(99));
            page += &"<h3>Deeper</h3>\n<p>y</p>".repeat(9);
        }
        let body = of(&page, 4000).unwrap();
        assert!(body.lines.iter().map(|line| fit::cost(line)).sum::<usize>() <= 4000);
        assert!(body.lines.iter().any(|line| line.contains("# Part 39 (+10 deeper)")), "{body:?}");
    }

    #[test]
    fn unclosed_and_empty_pages_do_no_harm() {
        assert_eq!(of("", 999), None);
        assert_eq!(of("<script>x", 999), None);
        assert_eq!(of("<h1>One<p>text<h2>Two", 999).unwrap().lines.len(), 3);
        assert!(of("<div>just some text<br>two", 999).unwrap().lines.contains(&"just some text".to_owned()));
    }

    /// A page that never ends a text or an attribute.
    struct Endless(&'static [u8], usize);
    impl Read for Endless {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            let n = buf.len().min(self.1);
            for (k, b) in buf[..n].iter_mut().enumerate() {
                *b = self.0[k % self.0.len()];
            }
            self.1 -= n;
            Ok(n)
        }
    }

    #[test]
    fn a_giant_text_or_attribute_is_not_kept() {
        for (start, piece) in [
            ("<h1>a</h1><p>", &b"word "[..]),
            ("<h1>a</h1><img src=\"", b"QUJD"),
            ("<h1>a</h1><!--", b"<!"),
            ("<h1>a</h1>", b"> a < b "),
            ("<h1>a</h1><script>", b"x<y>z "),
        ] {
            let page = start.as_bytes().chain(Endless(piece, 6 << 20));
            assert!(body(page, 999).unwrap().unwrap().lines[0].ends_with("# a"), "{start}");
        }
        let page = [&b"<img src=\""[..], &b"QUJD".repeat(1 << 18), b"\">\n<h2>after</h2>"].concat();
        assert_eq!(body(&page[..], 999).unwrap().unwrap().lines, ["     1  ## after"]);
    }

    proptest! {
        #[test]
        fn nothing_exceeds_its_budget(
            pieces in proptest::collection::vec(prop_oneof![
                "<h[1-6]>", "</h[1-6]>", Just("<p>".to_owned()), Just("<title>".to_owned()), Just("<!--".to_owned()), Just("<td".to_owned()),
                Just("\n".to_owned()), "\\PC{0,50}"], 0..60),
            budget in 0usize..2000) {
            if let Some(body) = of(&pieces.concat(), budget) {
                prop_assert!(body.lines.iter().map(|line| fit::cost(line)).sum::<usize>() <= budget, "{:?}", body);
                prop_assert!(body.lines.iter().all(|line| !line.contains('\n')));
            }
        }
    }
}
