//! The map of an XML text: its elements as a tree of names with counts and attributes, failed test cases first.
//!
//! An own scanner, because nothing but names, attributes and places is wanted: comments, CDATA and processing
//! instructions are skipped, entities are decoded where they are shown. What is malformed is read on from the next
//! tag and told in a note. Tags may span lines and blocks.

use std::io::{self, Read};

use crate::text::lines::Blocks;
use crate::text::show::{count, thousands};
use crate::text::{clean, cut};

use super::{Entry, MAX_ENTRIES, Outline, ROW_CHARS};

/// How much of a tag is read, in bytes.
const TAG: usize = 8 << 10;
/// How many different element paths are told apart.
const PATHS: usize = 512;
/// How many attributes of a path are named.
const ATTRIBUTES: usize = 10;
/// Of how many elements all attributes are read.
const ALL_ATTRIBUTES: u64 = 20_000;
/// How deep elements are followed.
const DEPTH: usize = 256;
/// How many failures and messages are kept.
const FOUND: usize = 400;
/// From how many bytes a line on an offset says more than the line.
const LONG_LINE: u64 = 1000;

/// Returns the map of an XML text.
///
/// Entries carry `offset` (bytes, what `bytes` takes) and `count`; failures carry `kind`.
pub fn outline(text: impl Read) -> io::Result<Outline> {
    let mut reading = Reading::new();
    let mut blocks = Blocks::new(text);
    while let Some(block) = blocks.next_block()? {
        reading.push(block.bytes);
    }
    Ok(reading.finish())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Text,
    /// In a tag, within the quote if there is one.
    Tag(Option<u8>),
    /// Up to `-->`, `]]>` or `?>`; the number of bytes of the end that have been seen.
    Until(&'static [u8], usize),
    /// In a document type declaration, with the depth of its brackets.
    Doctype(u32),
}

/// All elements with the same names from the root down.
struct Path {
    name: String,
    parent: Option<usize>,
    count: u64,
    line: u64,
    offset: u64,
    children: Vec<usize>,
    attributes: Vec<(String, String)>,
}

/// An element that has not ended.
struct Open {
    name: u64,
    path: Option<usize>,
    /// What a test case is called, and where it begins.
    case: Option<(String, u64, u64)>,
}

struct Reading {
    state: State,
    tag: Vec<u8>,
    line: u64,
    offset: u64,
    tag_line: u64,
    tag_offset: u64,
    ends_in_newline: bool,
    paths: Vec<Path>,
    roots: Vec<usize>,
    open: Vec<Open>,
    /// Elements deeper than are followed.
    deeper: u64,
    deepest: u64,
    elements: u64,
    /// Elements of paths beyond [`PATHS`].
    unnamed: u64,
    found: Vec<Entry>,
    found_total: u64,
    failures: u64,
    malformed: u64,
    malformed_line: u64,
}

impl Reading {
    fn new() -> Reading {
        Reading {
            state: State::Text,
            tag: Vec::new(),
            line: 0,
            offset: 0,
            tag_line: 0,
            tag_offset: 0,
            ends_in_newline: true,
            paths: Vec::new(),
            roots: Vec::new(),
            open: Vec::new(),
            deeper: 0,
            deepest: 0,
            elements: 0,
            unnamed: 0,
            found: Vec::new(),
            found_total: 0,
            failures: 0,
            malformed: 0,
            malformed_line: 0,
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let used = self.step(rest);
            self.line += newlines(&rest[..used]);
            self.offset += used as u64;
            rest = &rest[used..];
        }
        self.ends_in_newline = bytes.last() == Some(&b'\n');
    }

    /// Reads on; returns how many bytes it used: none only where the state has changed to one that uses some.
    fn step(&mut self, rest: &[u8]) -> usize {
        match self.state {
            State::Text => match memchr::memchr(b'<', rest) {
                Some(n) => {
                    self.tag_line = self.line + newlines(&rest[..n]);
                    self.tag_offset = self.offset + n as u64;
                    self.tag.clear();
                    self.state = State::Tag(None);
                    n + 1
                }
                None => rest.len(),
            },
            State::Tag(None) => {
                // What a tag is shows in its first bytes: `<!--`, `<![CDATA[`, `<?`, `<!DOCTYPE`.
                if self.tag.len() < 9 && matches!(self.tag.first().unwrap_or(&rest[0]), b'!' | b'?') {
                    self.tag.push(rest[0]);
                    self.state = match &self.tag[..] {
                        b"!--" => State::Until(b"-->", 0),
                        b"![CDATA[" => State::Until(b"]]>", 0),
                        b"?" => State::Until(b"?>", 0),
                        b"!DOCTYPE" => State::Doctype(0),
                        [b'!', b'-'] | [b'!'] => return 1,
                        tag if b"![CDATA[".starts_with(tag) || b"!DOCTYPE".starts_with(tag) => return 1,
                        _ => State::Doctype(0),
                    };
                    return 1;
                }
                match rest.iter().position(|b| matches!(b, b'>' | b'"' | b'\'' | b'<')) {
                    Some(n) => {
                        self.keep(&rest[..n]);
                        match rest[n] {
                            b'>' => {
                                self.state = State::Text;
                                self.tag();
                            }
                            // A `<` in a tag: the one before was none, or was not closed.
                            b'<' => {
                                self.fault();
                                self.state = State::Text;
                                return n;
                            }
                            quote => {
                                self.keep(&[quote]);
                                self.state = State::Tag(Some(quote));
                            }
                        }
                        n + 1
                    }
                    None => {
                        self.keep(rest);
                        rest.len()
                    }
                }
            }
            State::Tag(Some(quote)) => {
                let n = memchr::memchr(quote, rest).map_or(rest.len(), |n| {
                    self.state = State::Tag(None);
                    n + 1
                });
                self.keep(&rest[..n]);
                n
            }
            State::Until(end, seen) => {
                if seen == 0 {
                    match memchr::memchr(end[0], rest) {
                        Some(n) => {
                            self.state = State::Until(end, 1);
                            return n + 1;
                        }
                        None => return rest.len(),
                    }
                }
                self.state = match rest[0] {
                    b if b == end[seen] && seen + 1 == end.len() => State::Text,
                    b if b == end[seen] => State::Until(end, seen + 1),
                    // `--->` and `]]]>` end as well.
                    b if b == end[0] => State::Until(end, seen.min(end.len() - 1)),
                    _ => State::Until(end, 0),
                };
                1
            }
            State::Doctype(depth) => match rest.iter().position(|b| matches!(b, b'[' | b']' | b'>')) {
                Some(n) => {
                    self.state = match rest[n] {
                        b'[' => State::Doctype(depth.saturating_add(1)),
                        b']' => State::Doctype(depth.saturating_sub(1)),
                        _ if depth == 0 => State::Text,
                        _ => self.state,
                    };
                    n + 1
                }
                None => rest.len(),
            },
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = TAG - self.tag.len();
        self.tag.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn fault(&mut self) {
        if self.malformed == 0 {
            self.malformed_line = self.tag_line;
        }
        self.malformed += 1;
    }

    fn tag(&mut self) {
        let tag = std::mem::take(&mut self.tag);
        if let Some(name) = tag.strip_prefix(b"/") {
            self.end(name.trim_ascii());
        } else {
            self.start(&tag);
        }
        self.tag = tag;
    }

    fn start(&mut self, tag: &[u8]) {
        let name_len = tag.iter().position(|b| b.is_ascii_whitespace() || *b == b'/').unwrap_or(tag.len());
        let name = &tag[..name_len];
        if !name.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_' || *b >= 0x80) {
            self.fault();
            return;
        }
        self.elements += 1;
        let closed = tag.ends_with(b"/");
        let depth = self.open.len() as u64 + self.deeper + 1;
        self.deepest = self.deepest.max(depth);
        if self.open.len() >= DEPTH {
            self.deeper += u64::from(!closed);
            return;
        }
        // Where thousands of elements are alike, the attributes of the first ones name them all.
        let telling = matches!(name, b"testcase" | b"failure" | b"error")
            || [&b"severity="[..], b"message=", b"level="].iter().any(|a| memchr::memmem::find(tag, a).is_some());
        let attributes =
            if telling || self.elements < ALL_ATTRIBUTES { attributes(&tag[name_len..]) } else { Vec::new() };
        let path = self.path(name, &attributes);
        let case = self.find(name, &attributes);
        if !closed {
            self.open.push(Open { name: hash(name), path, case });
        }
    }

    /// Counts an element under its path.
    fn path(&mut self, name: &[u8], attributes: &[(String, String)]) -> Option<usize> {
        let parent = match self.open.last() {
            Some(open) => Some(open.path?),
            None => None,
        };
        let siblings = match parent {
            Some(parent) => &self.paths[parent].children,
            None => &self.roots,
        };
        let known = siblings.iter().copied().find(|at| self.paths[*at].name.as_bytes() == name);
        let at = match known {
            Some(at) => at,
            None if self.paths.len() < PATHS => {
                let at = self.paths.len();
                match parent {
                    Some(parent) => self.paths[parent].children.push(at),
                    None => self.roots.push(at),
                }
                self.paths.push(Path {
                    name: cut::start(&clean::line(name), 60).into_owned(),
                    parent,
                    count: 0,
                    line: self.tag_line,
                    offset: self.tag_offset,
                    children: Vec::new(),
                    attributes: Vec::new(),
                });
                at
            }
            None => {
                self.unnamed += 1;
                return None;
            }
        };
        let path = &mut self.paths[at];
        path.count += 1;
        for (name, value) in attributes {
            if path.attributes.len() < ATTRIBUTES && path.attributes.iter().all(|a| a.0 != *name) {
                path.attributes.push((name.clone(), value.clone()));
            }
        }
        Some(at)
    }

    /// Keeps what tells of a fault: a failed test case, a checker's message. Returns what a test case is called.
    fn find(&mut self, name: &[u8], attributes: &[(String, String)]) -> Option<(String, u64, u64)> {
        let value = |name: &str| attributes.iter().find(|a| a.0 == name).map(|a| a.1.as_str());
        if name == b"testcase" {
            let class = value("classname").map(|class| format!("{class}.")).unwrap_or_default();
            return Some((format!("{class}{}", value("name").unwrap_or("?")), self.tag_line, self.tag_offset));
        }
        let fails = matches!(name, b"failure" | b"error");
        let case = self.open.last().and_then(|open| open.case.clone());
        let (kind, text, line, offset) = match (case, value("message"), value("severity").or(value("level"))) {
            (Some((case, line, offset)), message, _) if fails => {
                self.failures += 1;
                let message = message.or(value("type")).unwrap_or("");
                // Of a long name the end tells most.
                let short = cut::tail_of(&case, 60);
                let dots = if short.len() < case.len() { "…" } else { "" };
                ("failed", format!("{dots}{short}: {message}"), line, offset)
            }
            (_, Some(message), severity) if fails || severity.is_some() => {
                let name = severity.map_or_else(|| String::from_utf8_lossy(name).into_owned(), str::to_owned);
                let place = value("line").map(|line| format!(" line {line}")).unwrap_or_default();
                ("message", format!("{name}{place}: {message}"), self.tag_line, self.tag_offset)
            }
            _ => return None,
        };
        self.found_total += 1;
        if self.found.len() < FOUND {
            let text = if kind == "failed" { format!("FAILED {text}") } else { text };
            let text = cut::start(&text, ROW_CHARS + 40).into_owned();
            self.found.push(Entry::at(line, text).with("kind", kind).with("offset", offset));
        }
        None
    }

    fn end(&mut self, name: &[u8]) {
        if self.deeper > 0 {
            self.deeper -= 1;
            return;
        }
        let name = hash(name);
        // An element that was not closed is closed by its parent's end; an end without a start is skipped.
        match self.open.iter().rev().take(16).position(|open| open.name == name) {
            Some(back) => {
                if back > 0 {
                    self.fault();
                }
                self.open.truncate(self.open.len() - back - 1);
            }
            None => self.fault(),
        }
    }

    fn finish(mut self) -> Outline {
        let lines = self.line + u64::from(!self.ends_in_newline);
        let long = self.offset / lines.max(1) > LONG_LINE;
        let place = |offset: u64| if long { format!(" (byte {})", thousands(offset)) } else { String::new() };
        let mut notes = Vec::new();
        let mut rows = Vec::new();
        let roots = self.roots.clone();
        for root in roots {
            self.tree(root, 0, &mut rows);
        }
        let mut entries = Vec::new();
        let mut found = std::mem::take(&mut self.found);
        for entry in &mut found {
            if let Some(offset) = entry.fields.get("offset").and_then(|o| o.as_u64()) {
                entry.text.push_str(&place(offset));
            }
        }
        if !found.is_empty() {
            entries.push(Entry::caption(if self.failures > 0 { "failed:" } else { "messages:" }));
            entries.append(&mut found);
            if self.found_total > FOUND as u64 {
                notes.push(format!("{FOUND} of {} are shown", count(self.found_total, "failure or message")));
            }
            entries.push(Entry::caption("elements:"));
        }
        for (depth, at) in rows {
            entries.push(self.paths[at].row(depth, &place(self.paths[at].offset)));
        }
        entries.truncate(MAX_ENTRIES);
        if self.unnamed > 0 {
            notes.push(format!("{} on paths beyond the first {PATHS} only counted", count(self.unnamed, "element")));
        }
        if self.deepest > DEPTH as u64 {
            notes.push(format!("elements deeper than {DEPTH} only counted"));
        }
        if self.malformed > 0 {
            let places = count(self.malformed, "place");
            notes.push(format!("malformed in {places}, first near line {}", self.malformed_line));
        }
        match self.state {
            State::Tag(_) => notes.push(format!("the tag that begins on line {} does not end", self.tag_line)),
            State::Until(..) | State::Doctype(_) => {
                notes.push(format!("what begins on line {} does not end", self.tag_line));
            }
            State::Text if !self.open.is_empty() => {
                let open = self.open.len() as u64 + self.deeper;
                notes.push(format!("{} not closed at the end", count(open, "element")));
            }
            State::Text => {}
        }
        let mut head = format!("{}, {}", count(lines, "line"), count(self.elements, "element"));
        if let Some(root) = self.roots.first() {
            head.push_str(&format!(" in <{}>", self.paths[*root].name));
        }
        head.push_str(&format!(", {} deep", thousands(self.deepest)));
        if self.failures > 0 {
            head.push_str(&format!("; {}", count(self.failures, "failed test case")));
        }
        Outline { head, entries, notes }
    }

    fn tree(&self, at: usize, depth: usize, rows: &mut Vec<(usize, usize)>) {
        // No path is deeper than DEPTH, so neither is this.
        rows.push((depth, at));
        for child in &self.paths[at].children {
            self.tree(*child, depth + 1, rows);
        }
    }
}

impl Path {
    fn row(&self, depth: usize, place: &str) -> Entry {
        let mut text = format!("{}{}", "  ".repeat(depth.min(12)), self.name);
        if self.count > 1 {
            text.push_str(&format!(" × {}", thousands(self.count)));
            let names: Vec<&str> = self.attributes.iter().map(|a| a.0.as_str()).collect();
            if !names.is_empty() {
                text.push_str(&format!(" ({})", names.join(", ")));
            }
        } else {
            for (name, value) in &self.attributes {
                text.push_str(&format!(" {name}=\"{}\"", cut::start(value, 40)));
            }
        }
        let text = format!("{}{place}", cut::start(&text, ROW_CHARS + 40));
        let entry = Entry::at(self.line, text).with("count", self.count).with("offset", self.offset);
        entry.with("level", depth as u64).with("top", self.parent.is_none())
    }
}

fn newlines(bytes: &[u8]) -> u64 {
    // Most runs between two tags are a few bytes, for which setting up a search costs more than it saves.
    if bytes.len() < 16 {
        return bytes.iter().map(|b| u64::from(*b == b'\n')).sum();
    }
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

fn hash(name: &[u8]) -> u64 {
    name.iter().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3))
}

/// Reads the attributes of a tag.
fn attributes(mut rest: &[u8]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    while found.len() < 24 {
        rest = rest.trim_ascii_start();
        let Some(equals) = rest.iter().position(|b| *b == b'=') else { break };
        let name = rest[..equals].trim_ascii();
        let value = rest[equals + 1..].trim_ascii_start();
        let (value, after) = match value.first() {
            Some(quote @ (b'"' | b'\'')) => match memchr::memchr(*quote, &value[1..]) {
                Some(n) => (&value[1..1 + n], &value[n + 2..]),
                None => (&value[1..], &b""[..]),
            },
            _ => value.split_at(value.iter().position(u8::is_ascii_whitespace).unwrap_or(value.len())),
        };
        let value = cut::start(&clean::line(&value[..value.len().min(600)]), 200).into_owned();
        let value: Vec<&str> = value.split_whitespace().collect();
        found.push((cut::start(&clean::line(name), 40).into_owned(), decoded(&value.join(" "))));
        rest = after;
    }
    found
}

/// Returns text with the five entities of XML, and newlines, as they read.
fn decoded(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#10;", " "), ("&#x27;", "'"), ("&amp;", "&")]
        .iter()
        .fold(text.to_owned(), |text, (entity, plain)| text.replace(entity, plain))
}

#[cfg(test)]
mod tests {
    use super::super::rendered;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_test_report_shows_what_failed() {
        let text = "<?xml version=\"1.0\"?>\n<!-- <x> -->\n<testsuites>\n<testsuite name=\"py\" tests=\"3\" failures=\"1\">\n\
            <testcase classname=\"a.T\" name=\"one\" time=\"0.1\"/>\n<testcase classname=\"a.T\" name=\"two\"\n  time=\"0.2\">\
            <failure message=\"assert 1 &lt; 0\"><![CDATA[<a>]]]></failure></testcase>\n<testcase name='three'/></testsuite>\n</testsuites>\n";
        assert_eq!(
            rendered(&outline(text.as_bytes()).unwrap()),
            "9 lines, 6 elements in <testsuites>, 4 deep; 1 failed test case\nfailed:\n5:FAILED a.T.two: assert 1 < 0\nelements:\n\
             2:testsuites\n3:  testsuite name=\"py\" tests=\"3\" failures=\"1\"\n4:    testcase × 3 (classname, name, time)\n\
             6:      failure message=\"assert 1 < 0\"\n"
        );
    }

    #[test]
    fn malformed_texts_are_read_as_far_as_they_go() {
        let map = outline(&b"<a>\n<b>\n</a>\n<c x=\"1"[..]).unwrap();
        assert_eq!(
            rendered(&map),
            "4 lines, 2 elements in <a>, 2 deep\n0:a\n1:  b\n(malformed in 1 place, first near line 2)\n(the tag that begins on line 3 does not end)\n"
        );
        let deep = "<a>".repeat(100_000);
        let map = outline(deep.as_bytes()).unwrap();
        assert!(map.notes.contains(&"100,000 elements not closed at the end".to_owned()), "{:?}", map.notes);
        outline(format!("<a {}", "b".repeat(3 << 20)).as_bytes()).unwrap();
        outline("<<<<a<b".as_bytes()).unwrap();
    }

    #[test]
    fn one_line_texts_have_byte_places() {
        let text = format!("<a>{}<b/></a>", "x".repeat(5000));
        let map = outline(text.as_bytes()).unwrap();
        assert_eq!(map.entries[1].text, "  b (byte 5,003)");
    }

    proptest! {
        #[test]
        fn any_text_has_a_map(parts in proptest::collection::vec(prop_oneof![
            Just("<a>"), Just("</a>"), Just("<b x='1'"), Just("/>"), Just(">"), Just("\n"), Just("<!--"), Just("-->"), Just("<![CDATA["),
            Just("]]>"), Just("<?"), Just("?>"), Just("<!DOCTYPE ["), Just("\""), Just("é"), Just("<"), Just("<testcase>"), Just("<failure ")], 0..60)) {
            let text = parts.concat();
            let map = outline(text.as_bytes()).unwrap();
            let lines = text.matches('\n').count() as u64 + 1;
            prop_assert!(map.entries.iter().all(|e| e.line.is_none_or(|l| l < lines)));
        }
    }
}
