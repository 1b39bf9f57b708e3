//! The map of a log, or of what a build or a test run printed: how many lines of which level, when it began and
//! ended, what went wrong first, its sections, and the shapes of its lines with counts.
//!
//! Law: the counts by level add up to the counts of the shapes shown and of those given up, which the notes tell.

use std::collections::HashSet;
use std::io::{self, Read};
use std::sync::OnceLock;

use regex::bytes::Regex;

use crate::text::cut;
use crate::text::lines::{Block, Blocks, Line};
use crate::text::show::{count, thousands};

use super::levels::{self, Level};
use super::shape::{Shape, Shapes};
use super::{Entry, MAX_ENTRIES, Outline, row};

/// How many chars of a line that tells of a fault are shown; of other lines less.
const FAULT_CHARS: usize = 160;
const LINE_CHARS: usize = 110;
/// How many sections of one shape are shown one by one.
const SAME_SECTIONS: u64 = 12;
/// How many faults of one shape are shown one by one.
const EACH: u64 = 4;
/// For how many faults the line after them is kept.
const FOLLOWED: usize = 200;

/// Returns the map of a log.
///
/// Entries carry `count`, `first`, `last` (lines from 0), `severity` (null where a line names none) and, where their
/// lines differ, `shape`.
pub fn outline(text: impl Read) -> io::Result<Outline> {
    let mut log = Log::new();
    let mut blocks = Blocks::new(text);
    while let Some(block) = blocks.next_block()? {
        log.see(&block);
    }
    Ok(log.finish())
}

/// A log as it is read.
pub(super) struct Log {
    shapes: Shapes,
    /// The sections, each with the first line of its shape.
    sections: Vec<(u64, Entry)>,
    sections_left_out: u64,
    /// The lines after faults: of which line, and what.
    follows: Vec<(u64, Entry)>,
    /// The first faults of each shape, with the first line of the shape.
    faults: Vec<(u64, Entry)>,
    /// The line of the fault whose next line is still to come, and whether that goes on with it.
    fault: Option<(u64, bool)>,
    began: Option<String>,
    ended: Option<String>,
    lines: u64,
    blank: u64,
    giant: u64,
}

impl Log {
    pub(super) fn new() -> Log {
        Log {
            shapes: Shapes::new(),
            sections: Vec::new(),
            sections_left_out: 0,
            follows: Vec::new(),
            faults: Vec::new(),
            fault: None,
            began: None,
            ended: None,
            lines: 0,
            blank: 0,
            giant: 0,
        }
    }

    /// Sees the next lines.
    pub(super) fn see(&mut self, block: &Block<'_>) {
        if block.part.first {
            self.times(block.bytes);
        }
        for line in block.lines() {
            self.line(&line);
        }
    }

    fn line(&mut self, line: &Line<'_>) {
        if !line.part.first {
            return;
        }
        self.lines = line.number + 1;
        if !line.part.last {
            self.giant += 1;
        }
        if line.bytes.iter().all(u8::is_ascii_whitespace) {
            self.blank += 1;
            self.fault = None;
            return;
        }
        if let Some((fault, goes_on)) = self.fault.take() {
            // What is indented under a fault, and the exception after a log line, says more than the fault's line.
            let text = row(line.bytes);
            let says_where = text.starts_with(' ') && !text.trim_start().starts_with('|');
            if (says_where || goes_on || levels::of(&text).is_grave()) && self.follows.len() < FOLLOWED {
                let text = format!("    {}", text.trim_start());
                self.follows.push((fault, Entry::at(line.number, text)));
            }
        }
        let shape = self.shapes.see(line.number, line.bytes);
        if shape.level.is_grave() && shape.count <= EACH {
            let text = row(line.bytes);
            self.fault = Some((line.number, text.ends_with(':')));
            if self.faults.len() < MAX_ENTRIES {
                let text = cut::middle(shape.message(&text), FAULT_CHARS).into_owned();
                self.faults.push((shape.first, fields(Entry::at(line.number, text), 1, line.number, shape.level)));
            }
        }
        if shape.section && !shape.level.is_grave() {
            // A section of which there are more than this is shown as a shape with its count.
            if shape.count > SAME_SECTIONS {
                return;
            }
            if self.sections.len() < MAX_ENTRIES {
                self.sections.push((shape.first, Entry::at(line.number, unruled(&row(line.bytes)))));
            } else {
                self.sections_left_out += 1;
            }
        }
    }

    /// Notes the first and the last time stamp of a block of lines.
    fn times(&mut self, block: &[u8]) {
        let stamped = |line: &[u8]| {
            let found = stamp().find(&line[..line.len().min(96)])?;
            Some(String::from_utf8_lossy(found.as_bytes()).into_owned())
        };
        if self.began.is_none() {
            self.began = block.split(|&b| b == b'\n').take(50).find_map(stamped);
        }
        if self.began.is_some()
            && let Some(last) = block.rsplit(|&b| b == b'\n').take(50).find_map(stamped)
        {
            self.ended = Some(last);
        }
    }

    /// Whether the shapes of lines repeat, so that they are a map of the text.
    pub(super) fn repeats(&self) -> bool {
        self.shapes.distinct() * 3 < self.lines - self.blank
    }

    pub(super) fn finish(mut self) -> Outline {
        let levels = self.shapes.levels();
        let shapes = self.shapes.finish();
        let head = self.head(&levels, &shapes);
        let mut notes = Vec::new();
        if self.shapes.lost_lines > 0 {
            notes.push(format!(
                "{} of rare shapes ({} of them or more) are counted by level only",
                count(self.shapes.lost_lines, "line"),
                thousands(self.shapes.lost_shapes)
            ));
        }
        if self.giant > 0 {
            notes.push(format!("{} longer than 1 MiB: only the start was looked at", count(self.giant, "line")));
        }
        if self.sections_left_out > 0 {
            notes.push(format!("{} not shown", count(self.sections_left_out, "more section")));
        }
        let sections = fold_sections(self.sections, &shapes);
        let mut entries = arrange(shapes, sections, &self.faults, &self.follows);
        if entries.len() > MAX_ENTRIES {
            notes.push(format!(
                "{} of {} are shown",
                thousands(MAX_ENTRIES as u64),
                count(entries.len() as u64, "row")
            ));
            entries.truncate(MAX_ENTRIES);
        }
        Outline { head, entries, notes }
    }

    fn head(&self, levels: &[u64; Level::COUNT], shapes: &[Shape]) -> String {
        let mut head = count(self.lines, "line");
        if let (Some(began), Some(ended)) = (&self.began, &self.ended) {
            head.push_str(&format!(", {began} to {ended}"));
        }
        let named: Vec<String> = Level::ALL
            .into_iter()
            .filter(|level| *level != Level::Plain && levels[*level as usize] > 0)
            .map(|level| format!("{} {}", level.name(), thousands(levels[level as usize])))
            .collect();
        if !named.is_empty() {
            head.push_str(&format!("; lines by level: {}", named.join(", ")));
            if levels[Level::Plain as usize] > 0 {
                head.push_str(&format!(", none {}", thousands(levels[Level::Plain as usize])));
            }
        }
        let mut statuses: Vec<(u16, u64)> = Vec::new();
        for shape in shapes.iter().filter(|s| s.status > 0) {
            match statuses.iter_mut().find(|s| s.0 == shape.status) {
                Some(status) => status.1 += shape.count,
                None => statuses.push((shape.status, shape.count)),
            }
        }
        crate::order::by(&mut statuses, |a, b| a.cmp(b));
        if !statuses.is_empty() {
            let statuses: Vec<String> = statuses.iter().map(|(s, n)| format!("{s:03} × {}", thousands(*n))).collect();
            head.push_str(&format!("; HTTP status {}", statuses.join(", ")));
        }
        head
    }
}

/// Puts one row with a count in the place of many sections of one shape.
fn fold_sections(sections: Vec<(u64, Entry)>, shapes: &[Shape]) -> Vec<Entry> {
    let folded: Vec<&Shape> = shapes.iter().filter(|s| s.section && s.count > SAME_SECTIONS).collect();
    let many = |first: u64| folded.iter().find(|s| s.first == first);
    let mut rows: Vec<Entry> = Vec::new();
    for (first, entry) in sections {
        match many(first) {
            None => rows.push(entry),
            Some(shape) if entry.line == Some(first) => {
                let mut row = shape_row(shape);
                row.text = format!("{} × {} (last {})", thousands(shape.count), unruled(&shape.text()), shape.last);
                rows.push(row);
            }
            Some(_) => {}
        }
    }
    rows
}

fn stamp() -> &'static Regex {
    static STAMP: OnceLock<Regex> = OnceLock::new();
    STAMP.get_or_init(|| {
        let clock = r"\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z| ?[+-]\d\d:?\d\d)?";
        Regex::new(&format!(
            r"(?-u)\b(?:\d{{4}}[-/]\d\d[-/]\d\d[T ]{clock}|\d\d[-/ ][A-Z][a-z][a-z][-/ ]\d{{4}}[: ]{clock}|(?:[A-Z][a-z][a-z] +)?[A-Z][a-z][a-z] [ \d]\d \d\d:\d\d:\d\d|{clock})"
        ))
        .expect("the pattern is fixed and the tests use it")
    })
}

/// Returns a section's title without its rulers.
fn unruled(line: &str) -> String {
    let title = line.trim_matches(|c: char| matches!(c, '=' | '-' | '_' | '*' | '#' | '+' | '~' | ' '));
    if title.len() >= 2 && line.trim_start().starts_with(['=', '_', '-', '*', '#', '+', '~']) {
        let mark = line.trim_start().chars().next().unwrap_or('=');
        return format!("{mark}{mark} {title}");
    }
    line.trim_start().to_owned()
}

/// Puts the rows in the order of their use: what went wrong, the sections, what is frequent, what is rare.
fn arrange(
    shapes: Vec<Shape>,
    sections: Vec<Entry>,
    each_fault: &[(u64, Entry)],
    follows: &[(u64, Entry)],
) -> Vec<Entry> {
    let (mut faults, mut warnings, mut frequent, mut telling, mut once) = (vec![], vec![], vec![], vec![], vec![]);
    for shape in shapes {
        let group = match shape.level {
            level if level.is_grave() || shape.status >= 500 => &mut faults,
            Level::Warn => &mut warnings,
            _ if (400..500).contains(&shape.status) => &mut warnings,
            _ if shape.section => continue,
            _ if shape.count > 1 => &mut frequent,
            _ if levels::is_telling(&shape.example()) => &mut telling,
            _ => &mut once,
        };
        group.push(shape);
    }
    crate::order::by_key(&mut warnings, |s| (u64::MAX - s.count, s.first));
    crate::order::by_key(&mut frequent, |s| (s.is_noise(), u64::MAX - s.count, s.first));
    crate::order::by_key(&mut telling, |s| s.first);
    crate::order::by_key(&mut once, |s| (s.is_noise(), s.first));
    let mut rows = Vec::new();
    for shape in faults {
        let each: Vec<Entry> = each_fault.iter().filter(|f| f.0 == shape.first).map(|f| f.1.clone()).collect();
        if shape.varies() && each.len() as u64 == shape.count {
            rows.extend(each);
        } else {
            rows.push(shape_row(&shape));
        }
    }
    crate::order::by_key(&mut rows, |row| row.line);
    let own: HashSet<u64> = rows.iter().filter_map(|row| row.line).collect();
    let followed = |row: Entry| {
        let line = row.line;
        // A follower that is a fault itself has its own row.
        let after = follows.iter().filter(|f| Some(f.0) == line).map(|f| f.1.clone());
        let after = after.filter(|row| row.line.is_none_or(|line| !own.contains(&line)));
        std::iter::once(row).chain(after).collect::<Vec<_>>()
    };
    let faults: Vec<Vec<Entry>> = rows.into_iter().map(followed).collect();
    let rows = |shapes: Vec<Shape>| shapes.iter().map(|s| vec![shape_row(s)]).collect::<Vec<_>>();
    let mut groups = [
        ("errors and failures:", 14, faults),
        ("warnings:", 6, rows(warnings)),
        ("sections:", 14, sections.into_iter().map(|s| vec![s]).collect()),
        ("frequent lines:", 12, rows(frequent)),
        ("seen once:", 8, rows(telling)),
        ("also seen once:", 0, rows(once)),
    ];
    let mut out = Vec::new();
    let full = groups.iter().map(|g| g.2.len()).sum::<usize>() <= 50;
    for (name, first, group) in &mut groups {
        let first = if full { group.len() } else { *first };
        let rest = group.split_off(first.min(group.len()));
        if !group.is_empty() {
            out.push(Entry::caption(*name));
            out.extend(std::mem::replace(group, rest).into_iter().flatten());
        } else {
            *group = rest;
        }
    }
    for (name, first, group) in groups {
        if !group.is_empty() {
            let name = if first > 0 { format!("more {name}") } else { name.to_owned() };
            out.push(Entry::caption(name));
            out.extend(group.into_iter().flatten());
        }
    }
    out
}

fn shape_row(shape: &Shape) -> Entry {
    let grave = shape.level <= Level::Warn;
    let chars = if grave || shape.status >= 400 { FAULT_CHARS } else { LINE_CHARS };
    // Of faults that differ one is shown as it stands: its file and its names say more than their masks.
    let first = shape.first_text().replace('\t', " ");
    let common = shape.text().replace('\t', " ");
    let text = match shape.count {
        1 => cut::middle(first.trim(), chars).into_owned(),
        n if grave && shape.is_folded() => {
            let (common, first) = (cut::start(common.trim(), chars / 2), cut::middle(first.trim(), chars / 2));
            format!("{} × {common} (last {}), first: {first}", thousands(n), shape.last)
        }
        n if grave && shape.varies() => {
            format!("{} like: {} (last {})", thousands(n), cut::middle(first.trim(), chars), shape.last)
        }
        n => format!("{} × {} (last {})", thousands(n), cut::middle(common.trim(), chars), shape.last),
    };
    let entry = Entry::at(shape.first, text);
    let entry = if shape.varies() { entry.with("shape", cut::start(common.trim(), FAULT_CHARS)) } else { entry };
    fields(entry, shape.count, shape.last, shape.level)
}

/// Adds what programs want to know.
fn fields(entry: Entry, count: u64, last: u64, level: Level) -> Entry {
    let first = entry.line;
    let severity = Some(level.name()).filter(|name| !name.is_empty());
    entry.with("count", count).with("first", first).with("last", last).with("severity", severity)
}

#[cfg(test)]
mod tests {
    use super::super::rendered;
    use super::*;

    #[test]
    fn a_log_shows_its_faults_first_then_its_shapes() {
        let mut text = String::new();
        for k in 0..3000u64 {
            text.push_str(&format!(
                "2026-11-08 04:12:{:02} INFO worker-{} handled request {k} in {} ms\n",
                k / 60 % 60,
                k % 7,
                k * 37 % 1000
            ));
            if k % 100 == 50 {
                text.push_str(&format!("2026-11-08 04:12:{:02} WARN worker-{} is slow\n", k / 60 % 60, k % 7));
            }
        }
        text.push_str("2026-11-08 04:12:59 ERROR disk /dev/sda1 full\n");
        let map = outline(text.as_bytes()).unwrap();
        assert_eq!(
            rendered(&map),
            "3,031 lines, 2026-11-08 04:12:00 to 2026-11-08 04:12:59; lines by level: ERROR 1, WARN 30, INFO 3,000\n\
             errors and failures:\n\
             3030:ERROR disk /dev/sda1 full\n\
             warnings:\n\
             51:30 like: WARN worker-1 is slow (last 2980)\n\
             frequent lines:\n\
             0:3,000 × INFO worker-# handled request # in # ms (last 3029)\n"
        );
        let fields = &map.entries[5].fields;
        assert_eq!((&fields["count"], &fields["first"], &fields["last"]), (&3000.into(), &0.into(), &3029.into()));
        assert_eq!(fields["severity"], "INFO");
        assert_eq!(map.entries[1].fields["severity"], "ERROR");
    }

    #[test]
    fn a_test_run_shows_failures_and_sections() {
        let text = "\
            ============ test session starts ============\ncollected 3 items\n\na.py::test_one PASSED [ 33%]\n\
            a.py::test_two FAILED [ 66%]\na.py::test_three PASSED [100%]\n\n\
            ============ FAILURES ============\n____________ test_two ____________\n    def test_two():\n>       assert 1 == 2\n\
            E       assert 1 == 2\n\na.py:3: AssertionError\n\
            ============ 1 failed, 2 passed in 0.1s ============\n";
        assert_eq!(
            rendered(&outline(text.as_bytes()).unwrap()),
            "15 lines; lines by level: ERROR 1, FAILED 1, PASSED 2, none 8\n\
             errors and failures:\n\
             4:a.py::test_two FAILED [ 66%]\n\
             11:E       assert 1 == 2\n\
             sections:\n\
             0:== test session starts\n\
             7:== FAILURES\n\
             8:__ test_two\n\
             14:== 1 failed, 2 passed in 0.1s\n\
             also seen once:\n\
             1:collected 3 items\n\
             9:def test_two():\n\
             10:>       assert 1 == 2\n\
             13:a.py:3: AssertionError\n\
             3:a.py::test_one PASSED [ 33%]\n\
             5:a.py::test_three PASSED [100%]\n"
        );
    }

    #[test]
    fn hostile_logs_are_mapped_too() {
        for text in
            [&b""[..], b"\n", b"\n\n\n", b"\xff\xfe\x00\x1b[", b"x", b"\r", b"'", b"\"", b"a/", b"/", b"\x1b", b"\x1b["]
        {
            outline(text).unwrap();
        }
        let giant = format!("ERROR {}\nINFO x\n", "y".repeat(3 << 20));
        let map = outline(giant.as_bytes()).unwrap();
        assert!(map.head.starts_with("2 lines; lines by level: ERROR 1, INFO 1"), "{}", map.head);
        assert_eq!(map.notes, ["1 line longer than 1 MiB: only the start was looked at"]);
    }

    #[test]
    fn time_stamps_of_many_kinds_are_found() {
        for (line, want) in [
            ("2026-11-08 04:12:31 x", "2026-11-08 04:12:31"),
            ("[2026-11-08T04:12:31.123Z] x", "2026-11-08T04:12:31.123Z"),
            (r#"127.0.0.1 - - [01/Dec/2026:01:19:50 +0000] "GET"#, "01/Dec/2026:01:19:50 +0000"),
            ("01-Dec-2026 02:14:15.151 INFO", "01-Dec-2026 02:14:15.151"),
            ("Dec  1 02:14:15 host sshd[1]:", "Dec  1 02:14:15"),
        ] {
            let found = stamp().find(line.as_bytes()).unwrap();
            assert_eq!(std::str::from_utf8(found.as_bytes()).unwrap(), want);
        }
    }
}
