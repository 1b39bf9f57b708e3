//! `grep PATTERN`: matching lines, all of them counted, as many shown as fit.
//!
//! Lines are seen as a reader sees them. Blocks of lines that are clean as they are stored are searched at once; only
//! the others are looked at line by line.

use std::collections::VecDeque;

use regex::bytes::{Regex, RegexBuilder};
use serde_json::{Value, json};

use super::{Show, read_error};
use crate::answer::{Answer, Row, Rows};
use crate::error::{Error, Result};
use crate::store::blob::Blob;
use crate::text::lines::{Block, Blocks, Line, Part};
use crate::text::show::{count, thousands};
use crate::text::{clean, cut};

/// The most chars of a line in an answer of matching lines; a longer one is cut around its match.
const LINE_CHARS: usize = 1000;

/// What `grep` looks for and how it shows it.
#[derive(Clone, Debug, Default)]
pub struct Grep {
    /// Regular expressions, any of which matches.
    pub patterns: Vec<String>,
    /// `-i`
    pub ignore_case: bool,
    /// `-F`
    pub fixed: bool,
    /// `-w`
    pub word: bool,
    /// `-v`
    pub invert: bool,
    /// `-c`
    pub count: bool,
    /// `-o`
    pub only_matching: bool,
    /// `-B`
    pub before: usize,
    /// `-A`
    pub after: usize,
    /// `-m`
    pub max_count: Option<u64>,
    /// The line to begin at.
    pub start: u64,
}

impl Grep {
    /// Compiles the patterns.
    fn compile(&self) -> Result<Regex> {
        let one = |p: &String| if self.fixed { regex::escape(p) } else { format!("(?:{p})") };
        for pattern in &self.patterns {
            // Each on its own first, so that an error quotes what was typed.
            build(&if self.fixed { regex::escape(pattern) } else { pattern.clone() }, self.ignore_case)
                .map_err(|e| bad_pattern(pattern, &e))?;
        }
        let any = self.patterns.iter().map(one).collect::<Vec<_>>().join("|");
        let any = if self.word { format!(r"\b{{start-half}}(?:{any})\b{{end-half}}") } else { any };
        build(&any, self.ignore_case).map_err(|e| bad_pattern(&self.patterns.join("|"), &e))
    }

    /// Whether a block can be searched at once: a pattern that looks at the ends of the text must see lines alone.
    fn by_block(&self) -> bool {
        let looks_at_ends = |p: &String| !self.fixed && (p.contains(r"\A") || p.contains(r"\z") || p.contains("(?"));
        !self.invert && !self.patterns.iter().any(looks_at_ends)
    }

    /// Returns the arguments that go on at line `start`.
    fn again(&self, start: u64) -> Vec<String> {
        let mut args = vec!["grep".to_owned()];
        let mut flag = |on: bool, name: &str| {
            if on {
                args.push(name.to_owned());
            }
        };
        flag(self.ignore_case, "-i");
        flag(self.fixed, "-F");
        flag(self.word, "-w");
        flag(self.invert, "-v");
        flag(self.only_matching, "-o");
        for (n, name) in [(self.before, "-B"), (self.after, "-A")] {
            if n > 0 {
                args.extend([name.to_owned(), n.to_string()]);
            }
        }
        args.extend(["--start".to_owned(), start.to_string()]);
        for pattern in &self.patterns {
            args.extend(["-e".to_owned(), pattern.clone()]);
        }
        args
    }
}

fn build(pattern: &str, ignore_case: bool) -> std::result::Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).case_insensitive(ignore_case).multi_line(true).crlf(false).build()
}

fn bad_pattern(pattern: &str, error: &regex::Error) -> Error {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default();
    let why = last.trim_start_matches("error: ").trim_end_matches('.');
    let hint = if why.contains("look-around") || why.contains("backreference") {
        "; match the line without it, or use `toolaria cat ID | grep -P`"
    } else if why.contains("size limit") {
        "; make its repetitions smaller"
    } else {
        "; for a plain string use -F"
    };
    Error::Invalid(format!("cannot use the pattern {}: {why}{hint}", cut::middle(pattern, 200)))
}

/// Answers `grep PATTERN`. The whole text is counted, whatever fits into the answer.
pub fn grep(blob: &Blob, grep: &Grep, show: &Show) -> Result<Answer> {
    let regex = grep.compile()?;
    let failed = read_error(blob);
    let mut finder = Finder {
        grep,
        regex: &regex,
        show,
        rows: Rows::new(if grep.count { 0 } else { show.cap }),
        total: 0,
        from_start: 0,
        last_hit: None,
        behind: VecDeque::new(),
        wanted_after: 0,
        limited: None,
        shown_to: None,
    };
    let by_block = grep.by_block();
    let context = grep.before > 0 || grep.after > 0;
    let mut blocks = Blocks::new(blob.read()).overlapping();
    while let Some(block) = blocks.next_block().map_err(&failed)? {
        let whole = block.part == Part::WHOLE;
        let by_block = by_block && whole && !(context && finder.rows.open());
        if by_block && (show.raw || clean::is_plain(block.bytes)) {
            finder.block(&block);
        } else {
            block.lines().for_each(|line| finder.line(&line));
        }
    }
    Ok(finder.answer(blob))
}

/// Looks for the pattern and collects what is shown.
struct Finder<'a> {
    grep: &'a Grep,
    regex: &'a Regex,
    show: &'a Show,
    rows: Rows,
    total: u64,
    /// Matching lines from the line to begin at.
    from_start: u64,
    /// The line that matched last: a giant line counts once, however many of its pieces match.
    last_hit: Option<u64>,
    /// The lines before this one, for `-B`.
    behind: VecDeque<(u64, String)>,
    wanted_after: usize,
    /// Where `-m` stopped.
    limited: Option<u64>,
    shown_to: Option<u64>,
}

impl Finder<'_> {
    /// Searches a block of clean lines at once.
    fn block(&mut self, block: &Block<'_>) {
        let bytes = block.bytes;
        let (mut at, mut line, mut counted) = (0, block.line, 0);
        while let Some(found) = self.regex.find_at(bytes, at) {
            if found.start() == bytes.len() && bytes.ends_with(b"\n") {
                break;
            }
            let start = memchr::memrchr(b'\n', &bytes[..found.start()]).map_or(0, |n| n + 1);
            let end = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |n| start + n);
            line += memchr::memchr_iter(b'\n', &bytes[counted..start]).count() as u64;
            counted = start;
            let text = &bytes[start..end];
            // A match that goes on into the next line says nothing about this one.
            if (found.end() <= end && found.start() <= end) || self.regex.is_match(text) {
                let offset = block.offset + start as u64;
                let line = Line { number: line, offset, bytes: text, part: block.part };
                self.hit(&line, text);
            }
            at = end + 1;
            if at > bytes.len() {
                break;
            }
        }
    }

    /// Looks at one line, or one piece of a giant one.
    fn line(&mut self, line: &Line<'_>) {
        let cleaned;
        let text: &[u8] = if self.show.raw {
            line.bytes
        } else {
            cleaned = line.text();
            cleaned.as_bytes()
        };
        if self.regex.is_match(text) != self.grep.invert {
            self.hit(line, text);
        } else {
            self.miss(line, text);
        }
        if self.grep.before > 0 && line.part.last && self.rows.open() {
            if self.behind.len() == self.grep.before {
                self.behind.pop_front();
            }
            self.behind.push_back((line.number, self.context_text(text)));
        }
    }

    fn context_text(&self, text: &[u8]) -> String {
        let text = String::from_utf8_lossy(&text[..text.len().min(LINE_CHARS * 4)]);
        cut::start(&text, LINE_CHARS.min(self.show.cap / 8)).into_owned()
    }

    fn miss(&mut self, line: &Line<'_>, text: &[u8]) {
        if self.wanted_after > 0 && line.part.last {
            self.wanted_after -= 1;
            let text = self.context_text(text);
            self.shown_to = Some(line.number);
            self.rows.extend_last(
                &format!("\n{}-{text}", line.number),
                "after",
                json!({ "line": line.number, "text": text }),
            );
        }
    }

    fn hit(&mut self, line: &Line<'_>, text: &[u8]) {
        if self.last_hit == Some(line.number) {
            return;
        }
        self.last_hit = Some(line.number);
        self.total += 1;
        if line.number < self.grep.start {
            return;
        }
        self.from_start += 1;
        if self.grep.max_count.is_some_and(|max| self.from_start > max) {
            self.limited = self.limited.or(Some(line.number));
            self.wanted_after = 0;
            return;
        }
        if !self.rows.open() {
            self.wanted_after = 0;
            return;
        }
        let here = self.grep.again(line.number);
        if self.grep.only_matching && !self.grep.invert {
            let all: Vec<String> = self
                .regex
                .find_iter(text)
                .take(1000)
                .map(|m| {
                    cut::middle(&String::from_utf8_lossy(m.as_bytes()), LINE_CHARS.min(self.show.cap / 3)).into_owned()
                })
                .filter(|m| !m.is_empty())
                .collect();
            for text in all {
                if self.rows.open() {
                    let json = json!({ "line": line.number, "text": text });
                    self.rows.push(Row { text: format!("{}:{text}", line.number), json, here: here.clone() });
                }
            }
            return;
        }
        let mut row = String::new();
        let mut before = Vec::new();
        let context = self.grep.before > 0 || self.grep.after > 0;
        let behind: Vec<(u64, String)> =
            self.behind.drain(..).filter(|(n, _)| self.shown_to.is_none_or(|shown| *n > shown)).collect();
        let first = behind.first().map_or(line.number, |(n, _)| *n);
        if context && self.shown_to.is_some_and(|shown| first > shown + 1) {
            row.push_str("--\n");
        }
        for (number, text) in behind {
            row.push_str(&format!("{number}-{text}\n"));
            before.push(json!({ "line": number, "text": text }));
        }
        let (shown, json) = self.hit_text(line, text);
        row.push_str(&format!("{}:{shown}", line.number));
        let mut json = json;
        if !before.is_empty() {
            json["before"] = before.into();
        }
        self.shown_to = Some(line.number);
        self.wanted_after = self.grep.after;
        self.rows.push(Row { text: row, json, here });
    }

    /// Returns a matching line as it is shown, cut around its match if it is long, and its JSON.
    fn hit_text(&self, line: &Line<'_>, text: &[u8]) -> (String, Value) {
        let max = LINE_CHARS.min(self.show.cap / 3);
        let found = self.regex.find(text).map_or(0..0, |m| m.range());
        let short = line.part.first && line.part.last && text.len() <= max * 4;
        if short {
            let whole = String::from_utf8_lossy(text);
            if whole.chars().nth(max).is_none() {
                return (whole.to_string(), json!({ "line": line.number, "text": whole }));
            }
        }
        // Around the match the bytes are those of the stored text unless escapes were removed from the line.
        let from = found.start.saturating_sub(max * 4);
        let to = found.end.saturating_add(max * 4).min(text.len());
        let from = (from..=found.start).find(|&k| text.get(k).is_none_or(|b| b & 0xC0 != 0x80)).unwrap_or(from);
        let window = String::from_utf8_lossy(&text[from..to]);
        let shown = cut::around(&window, found.start - from..found.end - from, max.saturating_sub(60));
        let exact = text.len() == line.bytes.len();
        let at = line.offset + if exact { found.start as u64 } else { 0 };
        let place = format!("{at}");
        let place = if exact { format!("at byte {place}") } else { format!("line begins at byte {place}") };
        let json = json!({ "line": line.number, "text": shown, "cut": true, "byte": at });
        (format!("{shown} [{place}; `bytes` shows more]"), json)
    }

    fn answer(self, blob: &Blob) -> Answer {
        let (id, total, lines) = (blob.id().to_owned(), self.total, blob.meta().size.lines);
        let what = self.grep.patterns.join("' or '");
        let what = cut::middle(&clean::line(what.as_bytes()), 100).into_owned();
        let verb = if self.grep.invert { "not matching" } else { "matching" };
        let all = self.grep.start == 0;
        let shown_id = id.clone();
        let counting = self.grep.count;
        let hits = if self.grep.only_matching { "matches" } else { "lines" };
        let header = move |shown: &[Row]| {
            let matching = count(total, &format!("{verb} line"));
            let head = format!("grep '{what}' in {shown_id}: {matching} of {}", thousands(lines));
            let shown = shown.len() as u64;
            match (total, counting) {
                (0, _) | (_, true) => head,
                _ if shown == total && all => format!("{head}, numbered from 0"),
                _ => format!("{head}, {} {hits} shown, numbered from 0", thousands(shown)),
            }
        };
        let mut answer = Answer::new("grep", &id, "hits", Box::new(header));
        answer.found = self.total > 0;
        answer.fields.insert("total".to_owned(), json!(total));
        answer.rows = self.rows.into_rows();
        if self.grep.count {
            let n = self.grep.max_count.map_or(total, |max| total.min(max));
            answer.rows = vec![Row { text: n.to_string(), ..Row::default() }];
            return answer;
        }
        answer.after = self.limited.map(|line| self.grep.again(line));
        answer
    }
}
