//! `grep PATTERN`: matching lines, all of them counted, as many shown as fit.
//!
//! Lines are seen as a reader sees them. Blocks of lines that are clean as they are stored are searched at once; only
//! the others are looked at line by line.

use std::collections::VecDeque;

use regex::bytes::{Regex, RegexBuilder};
use serde_json::{Value, json};

use super::{FRAME, Show, read_error};
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
    /// With `-o`: how many matches of that line were shown before.
    pub skip: usize,
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

    /// Returns the arguments that go on at line `start`, there after the first `skip` matches.
    fn again(&self, start: u64, skip: usize) -> Vec<String> {
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
        if let Some(max) = self.max_count {
            args.extend(["-m".to_owned(), max.to_string()]);
        }
        args.extend(["--start".to_owned(), start.to_string()]);
        if skip > 0 {
            args.extend(["--skip".to_owned(), skip.to_string()]);
        }
        for pattern in &self.patterns {
            args.extend(["-e".to_owned(), pattern.clone()]);
        }
        args
    }
}

fn build(pattern: &str, ignore_case: bool) -> std::result::Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).case_insensitive(ignore_case).multi_line(true).crlf(false).build()
}

/// Returns the mark that stands for lines of context that did not fit.
fn context_omitted(first: u64, lines: u64) -> String {
    format!("[... {} from {first} omitted; `range {first} {lines}` shows them ...]", count(lines, "context line"))
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
        after_room: 0,
        after: None,
        shown_to: None,
        matches: 0,
        matched_to: 0,
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
    /// How many chars the lines after this match may still take.
    after_room: usize,
    /// The arguments that go on where showing stopped: at the first match without room, or where `-m` said so.
    after: Option<Vec<String>>,
    shown_to: Option<u64>,
    /// For `-o`: the matches of this line so far, and the byte of the text where the last one ends.
    matches: usize,
    matched_to: u64,
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
        if self.wanted_after == 0 || !line.part.last {
            return;
        }
        self.wanted_after -= 1;
        let text = self.context_text(text);
        let cost = self.context_cost(&text);
        if cost > self.after_room {
            let mark = context_omitted(line.number, self.wanted_after as u64 + 1);
            self.rows.extend_last(&format!("\n{mark}"), "after", json!({ "line": line.number, "omitted": true }));
            self.wanted_after = 0;
            return;
        }
        self.after_room -= cost;
        self.shown_to = Some(line.number);
        let json = json!({ "line": line.number, "text": text });
        self.rows.extend_last(&format!("\n{}-{text}", line.number), "after", json);
    }

    /// Returns how many chars a line of context takes in the answer, with its number.
    fn context_cost(&self, text: &str) -> usize {
        self.show.cost(text) + if self.show.json { 40 } else { 12 }
    }

    fn hit(&mut self, line: &Line<'_>, text: &[u8]) {
        let again = self.last_hit == Some(line.number);
        let only = self.grep.only_matching && !self.grep.invert;
        if again {
            // A later piece of a giant line: it is counted, but has matches of its own.
            if only && self.after.is_none() && line.number >= self.grep.start {
                self.only(line, text);
            }
            return;
        }
        self.last_hit = Some(line.number);
        self.total += 1;
        (self.matches, self.matched_to) = (0, 0);
        if line.number < self.grep.start {
            return;
        }
        self.from_start += 1;
        let enough = self.grep.max_count.is_some_and(|max| self.from_start > max);
        if enough || !self.rows.open() {
            self.after.get_or_insert_with(|| self.grep.again(line.number, 0));
            self.wanted_after = 0;
            return;
        }
        if only {
            self.only(line, text);
        } else {
            self.with_context(line, text);
        }
    }

    /// Shows each match of a line, or of one piece of it, on a row of its own.
    fn only(&mut self, line: &Line<'_>, text: &[u8]) {
        let max = LINE_CHARS.min(self.show.cap / 3);
        let exact = text.len() == line.bytes.len();
        for found in self.regex.find_iter(text).filter(|m| !m.is_empty()) {
            // Pieces of a line share some bytes; what began in the one before was shown there.
            if exact && line.offset + (found.start() as u64) < self.matched_to {
                continue;
            }
            self.matched_to = line.offset + found.end() as u64;
            self.matches += 1;
            if line.number == self.grep.start && self.matches <= self.grep.skip {
                continue;
            }
            let here = self.grep.again(line.number, self.matches - 1);
            if !self.rows.open() {
                self.after.get_or_insert(here);
                return;
            }
            let text = cut::middle(&String::from_utf8_lossy(found.as_bytes()), max).into_owned();
            let json = json!({ "line": line.number, "text": text });
            self.rows.push(Row { text: format!("{}:{text}", line.number), json, here });
        }
    }

    /// Shows a matching line with the lines before it; the ones after it come as they pass.
    fn with_context(&mut self, line: &Line<'_>, text: &[u8]) {
        let (shown, mut json) = self.hit_text(line, text);
        let room = self.show.cap.saturating_sub(FRAME + self.show.cost(&shown) + 120);
        let mut behind: Vec<(u64, String)> =
            self.behind.drain(..).filter(|(n, _)| self.shown_to.is_none_or(|shown| *n > shown)).collect();
        // Where not all of the context fits, what is nearest to the match does.
        let mut left = if self.grep.after > 0 { room / 2 } else { room };
        let mut fits = 0;
        for (_, text) in behind.iter().rev() {
            let cost = self.context_cost(text);
            if cost > left {
                break;
            }
            left -= cost;
            fits += 1;
        }
        let omitted = behind.drain(..behind.len() - fits).map(|(n, _)| n).collect::<Vec<_>>();
        let mut row = String::new();
        let first = omitted.first().copied().or(behind.first().map(|(n, _)| *n)).unwrap_or(line.number);
        let context = self.grep.before > 0 || self.grep.after > 0;
        if context && self.shown_to.is_some_and(|shown| first > shown + 1) {
            row.push_str("--\n");
        }
        let mut before = Vec::new();
        if let Some(first) = omitted.first() {
            row.push_str(&format!("{}\n", context_omitted(*first, omitted.len() as u64)));
            before.push(json!({ "line": first, "omitted": true }));
        }
        for (number, text) in behind {
            row.push_str(&format!("{number}-{text}\n"));
            before.push(json!({ "line": number, "text": text }));
        }
        row.push_str(&format!("{}:{shown}", line.number));
        if !before.is_empty() {
            json["before"] = before.into();
        }
        self.shown_to = Some(line.number);
        self.wanted_after = self.grep.after;
        self.after_room = if self.grep.before > 0 { room / 2 } else { room };
        let here = self.grep.again(line.number, 0);
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
        let hits = if self.grep.only_matching { "match" } else { "line" };
        let header = move |shown: &[Row]| {
            let matching = count(total, &format!("{verb} line"));
            let head = format!("grep '{what}' in {shown_id}: {matching} of {}", thousands(lines));
            let shown = shown.len() as u64;
            match (total, counting) {
                (0, _) | (_, true) => head,
                _ if shown == total && all => format!("{head}, numbered from 0"),
                _ => format!("{head}, {} shown, numbered from 0", count(shown, hits)),
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
        answer.after = self.after;
        answer
    }
}
