//! The map of a text that is no other kind: whatever divides it.
//!
//! One pass collects every division that such texts have: the folders of `ls -R` and of paths, the symbols of a disassembly, the
//! headings of a manual page, underlined titles, blocks between blank lines, blocks at one indentation, and the
//! shapes of the lines. At the end the first of these that divides the text is the map, and there always is one:
//! lines at equal distances at the least.

use std::borrow::Cow;
use std::io::{self, Read};

use crate::text::lines::{Blocks, Line};
use crate::text::show::{count, thousands};
use crate::text::{clean, cut};

use super::log::Log;
use super::paths::Paths;
use super::{Entry, LINE_BYTES, Levels, Outline, row};

/// How many lines stand for the text where nothing divides it.
const LANDMARKS: usize = 40;
/// After how many lines it is known whether shapes repeat, so that a long text of prose need not pay for them.
const TRIAL: u64 = 20_000;

/// Returns the map of any text.
///
/// Entries carry `kind`: `folder`, `section`, `symbol`, `heading` with `level`, `block` with `lines`, `line`; the
/// shapes of lines carry what those of a log do.
pub fn outline(text: impl Read) -> io::Result<Outline> {
    let mut reading = Reading::new();
    let mut blocks = Blocks::new(text);
    while let Some(block) = blocks.next_block()? {
        if let Some(shapes) = &mut reading.shapes {
            shapes.see(&block);
            if reading.lines > TRIAL && !shapes.repeats() {
                reading.shapes = None;
            }
        }
        for line in block.lines() {
            reading.line(&line);
        }
    }
    Ok(reading.finish())
}

/// A block of lines that has not ended.
struct Open {
    line: u64,
    text: String,
    lines: u64,
}

/// One way to divide the text.
struct Division {
    rows: Levels,
    total: u64,
    open: Option<Open>,
    /// Lines of the longest block.
    longest: u64,
}

impl Division {
    fn new() -> Division {
        Division { rows: Levels::new(), total: 0, open: None, longest: 0 }
    }

    fn row(&mut self, level: u8, line: u64, text: &[u8], kind: &str) {
        self.total += 1;
        if self.rows.wants(level) {
            let text = format!("{}{}", "  ".repeat(usize::from(level.min(6))), row(text).trim());
            self.rows.push(level, Entry::at(line, text).with("kind", kind).with("level", level));
        }
    }

    /// Begins a block, ending the one before.
    fn begin(&mut self, line: u64, text: &[u8], kind: &str) {
        self.close(kind);
        self.open = Some(Open { line, text: row(text).trim().to_owned(), lines: 1 });
    }

    fn close(&mut self, kind: &str) {
        let Some(open) = self.open.take() else { return };
        self.total += 1;
        self.longest = self.longest.max(open.lines);
        // What is nested deeper in a folder's name stands deeper in the map; other blocks stand side by side.
        let level = match kind {
            "folder" => open.text.matches('/').count().min(60) as u8,
            "symbol" => 1,
            _ => 0,
        };
        if self.rows.wants(level) {
            let noun = if kind == "folder" { "entry" } else { "line" };
            let size = if open.lines == 1 && kind == "block" {
                String::new()
            } else {
                format!(" ({})", amount(open.lines, noun))
            };
            let indent = if kind == "symbol" { "  " } else { "" };
            let text = format!("{indent}{}{size}", cut::start(&open.text, 100));
            self.rows.push(level, Entry::at(open.line, text).with("kind", kind).with("lines", open.lines));
        }
    }
}

fn amount(n: u64, noun: &str) -> String {
    match noun {
        "entry" if n != 1 => format!("{} entries", thousands(n)),
        _ => count(n, noun),
    }
}

struct Reading {
    lines: u64,
    blank_before: bool,
    before: Vec<u8>,
    before_line: u64,
    folders: Division,
    entries: u64,
    symbols: Division,
    headings: Division,
    capitals: u64,
    paragraphs: Division,
    groups: Division,
    indented: u64,
    paths: Paths,
    shapes: Option<Log>,
    landmarks: Vec<Entry>,
    step: u64,
}

impl Reading {
    fn new() -> Reading {
        Reading {
            lines: 0,
            blank_before: true,
            before: Vec::new(),
            before_line: 0,
            folders: Division::new(),
            entries: 0,
            symbols: Division::new(),
            headings: Division::new(),
            capitals: 0,
            paragraphs: Division::new(),
            groups: Division::new(),
            indented: 0,
            paths: Paths::new(),
            shapes: Some(Log::new()),
            landmarks: Vec::new(),
            step: 1,
        }
    }

    fn line(&mut self, line: &Line<'_>) {
        if !line.part.first {
            return;
        }
        self.lines = line.number + 1;
        let bytes = &line.bytes[..line.bytes.len().min(LINE_BYTES)];
        let painted = memchr::memchr3(0x1B, 0x08, b'\r', bytes).is_some();
        let text =
            if painted { Cow::Owned(clean::line(bytes).into_owned().into_bytes()) } else { Cow::Borrowed(bytes) };
        let text = text.trim_ascii_end();
        let number = line.number;
        if number.is_multiple_of(self.step) && !text.is_empty() {
            self.landmark(number, text);
        }
        if text.is_empty() {
            self.folders.close("folder");
            self.paragraphs.close("block");
            self.blank_before = true;
            self.before.clear();
            return;
        }
        let indent = text.iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
        self.paths.line(number, text);
        self.folder(number, text);
        self.symbol(number, text);
        self.heading(number, indent, text);
        match &mut self.paragraphs.open {
            Some(open) if !self.blank_before => open.lines += 1,
            _ => self.paragraphs.begin(number, text, "block"),
        }
        self.indented += u64::from(indent > 0);
        match &mut self.groups.open {
            Some(open) if indent > 0 => open.lines += 1,
            _ => self.groups.begin(number, text, "block"),
        }
        self.blank_before = false;
        self.before.clear();
        self.before.extend_from_slice(text);
        self.before_line = number;
    }

    fn folder(&mut self, number: u64, text: &[u8]) {
        if let Some(open) = &mut self.folders.open {
            if !text.starts_with(b"total ") {
                open.lines += 1;
                self.entries += 1;
            }
        } else if self.blank_before
            && let Some(name) = text.strip_suffix(b":")
            && (name.starts_with(b"/") || name.starts_with(b"."))
        {
            self.folders.begin(number, name, "folder");
            if let Some(open) = &mut self.folders.open {
                open.lines = 0;
            }
        }
    }

    fn symbol(&mut self, number: u64, text: &[u8]) {
        if text.starts_with(b"Disassembly of section ") {
            self.symbols.close("symbol");
            self.symbols.row(0, number, text.strip_suffix(b":").unwrap_or(text), "section");
            return;
        }
        if text.ends_with(b">:") {
            let hex = text.iter().take_while(|b| b.is_ascii_hexdigit()).count();
            if hex >= 4 && text[hex..].starts_with(b" <") {
                self.symbols.begin(number, &text[hex + 1..text.len() - 1], "symbol");
                return;
            }
        }
        if let Some(open) = &mut self.symbols.open {
            open.lines += 1;
        }
    }

    fn heading(&mut self, number: u64, indent: usize, text: &[u8]) {
        if let Some(title) = text.strip_prefix(b".SH ") {
            self.capitals += 1;
            self.headings.row(0, number, unquoted(title), "heading");
        } else if let Some(title) = text.strip_prefix(b".SS ") {
            self.headings.row(1, number, unquoted(title), "heading");
        } else if text.len() >= 4 && is_ruler(text) && !self.before.is_empty() && self.before.len() <= text.len() + 4 {
            let title = std::mem::take(&mut self.before);
            self.headings.row(u8::from(text[0] != b'='), self.before_line, &title, "heading");
            self.capitals += 1;
        } else if self.blank_before && indent == 0 && is_capitals(text) {
            self.capitals += 1;
            self.headings.row(0, number, text, "heading");
        } else if indent == 3 && text.len() < 60 && self.blank_before && self.capitals > 0 && !text.ends_with(b".") {
            self.headings.row(1, number, text, "heading");
        } else if (4..=8).contains(&indent)
            && self.blank_before
            && self.capitals > 0
            && text[indent] == b'-'
            && text.len() < 100
        {
            // What the option does may stand on its line, after a wide gap.
            let end = memchr::memmem::find(&text[indent..], b"  ").map_or(text.len(), |n| indent + n);
            self.headings.row(2, number, &text[..end], "option");
        }
    }

    fn landmark(&mut self, number: u64, text: &[u8]) {
        // Twice as far apart may leave them all, as where every other line is blank.
        while self.landmarks.len() >= LANDMARKS {
            self.step *= 2;
            let step = self.step;
            self.landmarks.retain(|entry| entry.line.is_some_and(|line| line.is_multiple_of(step)));
        }
        if !number.is_multiple_of(self.step) {
            return;
        }
        self.landmarks.push(Entry::at(number, cut::start(row(text).trim(), 90)).with("kind", "line"));
    }

    fn finish(mut self) -> Outline {
        self.folders.close("folder");
        self.symbols.close("symbol");
        self.paragraphs.close("block");
        self.groups.close("block");
        let lines = count(self.lines, "line");
        let divides = |d: &Division| d.total >= 3 && d.longest * 10 <= self.lines * 8;
        if self.folders.total >= 3 {
            let head =
                format!("{lines}, {} with {}", count(self.folders.total, "folder"), amount(self.entries, "entry"));
            return made(head, self.folders, "folder");
        }
        if let Some(map) = std::mem::replace(&mut self.paths, Paths::new()).finish() {
            return map;
        }
        if self.symbols.total >= 3 {
            return made(format!("{lines}, {}", count(self.symbols.total, "symbol")), self.symbols, "symbol");
        }
        if self.capitals >= 3 {
            return made(format!("{lines}, {}", count(self.headings.total, "heading")), self.headings, "heading");
        }
        // A few large blocks divide less than many small ones do.
        let finer = self.groups.total > self.paragraphs.total && self.groups.longest * 4 <= self.paragraphs.longest * 3;
        let groups = divides(&self.groups) && self.indented * 5 >= self.lines;
        if divides(&self.paragraphs) && !(groups && finer && self.paragraphs.total < 8) {
            let head = format!("{lines}, {} between blank lines", count(self.paragraphs.total, "block"));
            return made(head, self.paragraphs, "block");
        }
        if groups {
            let head = format!("{lines}, {} by indentation", count(self.groups.total, "block"));
            return made(head, self.groups, "block");
        }
        let shapes = self.shapes.filter(Log::repeats).map(Log::finish);
        let mut map = shapes.unwrap_or_else(|| Outline { head: lines, ..Outline::default() });
        if self.lines as usize > LANDMARKS || map.entries.is_empty() {
            if !map.entries.is_empty() {
                map.entries.push(Entry::caption(format!("every {} lines:", thousands(self.step))));
            }
            map.entries.append(&mut self.landmarks);
        }
        map
    }
}

fn made(head: String, division: Division, noun: &str) -> Outline {
    let (entries, notes) = division.rows.finish(noun);
    Outline { head, entries, notes }
}

fn unquoted(title: &[u8]) -> &[u8] {
    let title = title.trim_ascii();
    title.strip_prefix(b"\"").and_then(|t| t.strip_suffix(b"\"")).unwrap_or(title)
}

/// `=====`, `-----`, `~~~~~`: what underlines a title.
fn is_ruler(text: &[u8]) -> bool {
    matches!(text[0], b'=' | b'-' | b'~' | b'^') && text.iter().all(|b| *b == text[0])
}

/// A heading in capitals at the line start, as manual pages have them.
fn is_capitals(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else { return false };
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    (2..70).contains(&text.len())
        && letters >= 2
        && letters * 2 > text.chars().count()
        && text.starts_with(char::is_alphabetic)
        && !text.chars().any(char::is_lowercase)
        && text.chars().any(char::is_uppercase)
        && !text.contains(['(', '=', '"', '{', ';'])
}

#[cfg(test)]
mod tests {
    use super::super::rendered;
    use super::*;
    use proptest::prelude::*;

    fn map(text: &str) -> String {
        rendered(&outline(text.as_bytes()).unwrap())
    }

    #[test]
    fn folders_of_a_listing() {
        let text = "/etc:\ntotal 8\n-rw-r--r-- 1 a a 1 x\ndrwxr-xr-x 2 a a 1 apt\n\n/etc/apt:\ntotal 0\n\n/etc/b:\ntotal 4\n-rw 1 a: b\n";
        assert_eq!(
            map(text),
            "11 lines, 3 folders with 3 entries\n0:/etc (2 entries)\n5:/etc/apt (0 entries)\n8:/etc/b (1 entry)\n"
        );
    }

    #[test]
    fn symbols_of_a_disassembly() {
        let text = "\n/bin/true:     file format elf64\n\nDisassembly of section .init:\n\n0000000000002000 <.init>:\n    2000:\t48 <x>\n\n0000000000002020 <puts@plt>:\n  1\n";
        assert_eq!(
            map(text),
            "10 lines, 3 symbols\n3:Disassembly of section .init\n5:  <.init> (2 lines)\n8:  <puts@plt> (2 lines)\n"
        );
    }

    #[test]
    fn headings_of_a_manual_page() {
        let text = "LS(1)    User Commands   LS(1)\n\nNAME\n       ls - list\n\nSY\x08YN\n       ls [x]\n\nOPTIONS\n       text\n\n   Long ones\n\n       -a, --all\n              all\n";
        assert_eq!(map(text), "15 lines, 5 headings\n2:NAME\n5:SYN\n8:OPTIONS\n11:  Long ones\n13:    -a, --all\n");
        let text = ".TH X\n.SH NAME\nx\n.SH \"SEE ALSO\"\ny\n.SS Sub\n.SH END\n";
        assert_eq!(map(text), "7 lines, 4 headings\n1:NAME\n3:SEE ALSO\n5:  Sub\n6:END\n");
    }

    #[test]
    fn blocks_between_blank_lines_and_at_indentations() {
        assert_eq!(
            map("a\nb\n\nc\n\n\nd\ne\nf\n"),
            "9 lines, 3 blocks between blank lines\n0:a (2 lines)\n3:c\n6:d (3 lines)\n"
        );
        assert_eq!(
            map("a:\n  x\n  y\nb:\n  z\nc:\n"),
            "6 lines, 3 blocks by indentation\n0:a: (3 lines)\n3:b: (2 lines)\n5:c:\n"
        );
    }

    #[test]
    fn a_text_that_nothing_divides_has_landmarks() {
        let text: String = (0..1000).map(|k| format!("import time: {k} | {k} | name{k}\n")).collect();
        let map = outline(text.as_bytes()).unwrap();
        assert_eq!(map.entries[1].text, "1,000 × import time: # | # | name# (last 999)");
        assert_eq!(map.entries[2].text, "every 32 lines:");
        assert_eq!(map.entries[4].line, Some(32));
        assert_eq!(map.entries.len(), 3 + 32);
        assert!(outline(&b""[..]).unwrap().entries.is_empty());
        assert_eq!(outline(&b"x"[..]).unwrap().entries[0].text, "x");
    }

    proptest! {
        #[test]
        fn any_text_has_a_map(lines in proptest::collection::vec(prop_oneof![
            Just("/a:"), Just("total 1"), Just(""), Just("NAME"), Just("===="), Just("   é"), Just(".SH x"), Just("0000 <x>:"), Just("    -x"),
            Just("é\u{8}é"), Just("\u{1b}[")], 0..80)) {
            let text = lines.join("\n");
            let map = outline(text.as_bytes()).unwrap();
            prop_assert!(map.entries.iter().all(|e| e.line.is_none_or(|l| l < lines.len() as u64)));
        }
    }

    #[test]
    fn landmarks_stay_few_where_every_other_line_is_blank() {
        let text: String = (0..3000).map(|k| format!("block {k} words\n\n")).collect();
        let mut reading = Reading::new();
        crate::text::lines::each_line(text.as_bytes(), |line| {
            reading.line(&line);
            std::ops::ControlFlow::Continue(())
        })
        .unwrap();
        assert!((LANDMARKS / 4..=LANDMARKS).contains(&reading.landmarks.len()), "{}", reading.landmarks.len());
    }
}
