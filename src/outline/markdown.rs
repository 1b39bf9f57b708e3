//! The map of a Markdown text: its headings. What stands in fenced code, in front matter or in comments is no heading.

use std::io::{self, Read};
use std::ops::ControlFlow;

use crate::text::lines::each_line;
use crate::text::show::{count, thousands};

use super::{Entry, Levels, Outline, row, start_of};

/// Returns the map of a Markdown text. Entries carry `level` (1 to 6).
pub fn outline(text: impl Read) -> io::Result<Outline> {
    let mut reading = Reading::new();
    each_line(text, |line| {
        if let Some(bytes) = start_of(&line) {
            reading.line(line.number, bytes);
        }
        ControlFlow::Continue(())
    })?;
    Ok(reading.finish())
}

/// An open code fence: its mark, its length and the line it began on.
type Fence = (u8, usize, u64);

struct Reading {
    headings: Levels,
    total: u64,
    lines: u64,
    fence: Option<Fence>,
    front_matter: bool,
    comment: bool,
    code_blocks: u64,
    /// The languages of code blocks, most in a text being few.
    languages: Vec<(String, u64)>,
    tables: u64,
    /// The line before, if it could be a heading that the next line underlines, or a table's header.
    before: Option<(u64, Vec<u8>)>,
}

impl Reading {
    fn new() -> Reading {
        Reading {
            headings: Levels::new(),
            total: 0,
            lines: 0,
            fence: None,
            front_matter: false,
            comment: false,
            code_blocks: 0,
            languages: Vec::new(),
            tables: 0,
            before: None,
        }
    }

    fn line(&mut self, number: u64, bytes: &[u8]) {
        self.lines = number + 1;
        let line = bytes.trim_ascii_end();
        if self.front_matter {
            self.front_matter = !matches!(line, b"---" | b"...");
            return;
        }
        if number == 0 && line == b"---" {
            self.front_matter = true;
            return;
        }
        let indent = line.iter().take_while(|b| **b == b' ').count();
        let text = &line[indent..];
        if let Some((mark, length, _)) = self.fence {
            let closing = text.iter().take_while(|b| **b == mark).count();
            if indent < 4 && closing >= length && closing == text.len() {
                self.fence = None;
            }
            return;
        }
        if self.comment {
            self.comment = memchr::memmem::find(text, b"-->").is_none();
            return;
        }
        let before = self.before.take();
        if let Some((mark, length)) = fence(text) {
            self.fence = Some((mark, length, number));
            self.code_blocks += 1;
            self.language(&text[length..]);
            return;
        }
        if text.starts_with(b"<!--") && memchr::memmem::find(text, b"-->").is_none() {
            self.comment = true;
            return;
        }
        // Four blanks make code of a line that continues nothing.
        if indent >= 4 || text.is_empty() {
            return;
        }
        if let Some((level, title)) = atx(text) {
            self.heading(number, level, title);
        } else if let Some(level) = underline(text)
            && let Some((number, title)) = before
        {
            self.heading(number, level, &title);
        } else if is_table_ruler(text) && before.is_some_and(|(_, header)| header.contains(&b'|')) {
            self.tables += 1;
        } else if !text.starts_with(b">") {
            self.before = Some((number, text.to_vec()));
        }
    }

    fn heading(&mut self, number: u64, level: u8, title: &[u8]) {
        self.total += 1;
        if self.headings.wants(level) {
            let text = format!("{} {}", &"######"[..usize::from(level)], row(title).trim());
            self.headings.push(level, Entry::at(number, text).with("level", level));
        }
    }

    fn language(&mut self, info: &[u8]) {
        let name = row(info);
        let name = name.trim().split([' ', ',', '{', ':']).next().unwrap_or("");
        match self.languages.iter().position(|l| l.0 == name) {
            Some(at) => self.languages[at].1 += 1,
            None if self.languages.len() < 64 => self.languages.push((name.to_owned(), 1)),
            None => {}
        }
    }

    fn finish(mut self) -> Outline {
        let mut head = format!("{}, {}", count(self.lines, "line"), count(self.total, "heading"));
        if self.code_blocks > 0 {
            head.push_str(&format!(", {}", count(self.code_blocks, "code block")));
            self.languages.retain(|l| !l.0.is_empty());
            crate::order::by_key(&mut self.languages, |l| u64::MAX - l.1);
            let names: Vec<String> =
                self.languages.iter().take(5).map(|(name, n)| format!("{name} {}", thousands(*n))).collect();
            if !names.is_empty() {
                head.push_str(&format!(" ({})", names.join(", ")));
            }
        }
        if self.tables > 0 {
            head.push_str(&format!(", {}", count(self.tables, "table")));
        }
        let (entries, mut notes) = self.headings.finish("heading");
        if let Some((_, _, began)) = self.fence {
            notes.push(format!("the code block that begins on line {began} does not end"));
        }
        if self.front_matter {
            notes.push("the front matter does not end".to_owned());
        }
        if self.comment {
            notes.push("a comment does not end".to_owned());
        }
        Outline { head, entries, notes }
    }
}

/// Returns the mark and the length of an opening code fence.
fn fence(text: &[u8]) -> Option<(u8, usize)> {
    let mark = *text.first().filter(|b| matches!(b, b'`' | b'~'))?;
    let length = text.iter().take_while(|b| **b == mark).count();
    // "```x```" on one line is code within text.
    (length >= 3 && (mark == b'~' || !text[length..].contains(&b'`'))).then_some((mark, length))
}

/// Returns the level and the title of a `## heading ##`.
fn atx(text: &[u8]) -> Option<(u8, &[u8])> {
    let level = text.iter().take_while(|b| **b == b'#').count();
    let title = &text[level..];
    if !(1..=6).contains(&level) || !(title.is_empty() || title.starts_with(b" ") || title.starts_with(b"\t")) {
        return None;
    }
    let title = title.trim_ascii();
    let open = title.len() - title.iter().rev().take_while(|b| **b == b'#').count();
    let title = if open == 0 || title[open - 1] == b' ' { title[..open].trim_ascii_end() } else { title };
    Some((level as u8, title))
}

/// Returns the level of the heading that this line underlines.
fn underline(text: &[u8]) -> Option<u8> {
    match text[0] {
        b'=' if text.iter().all(|b| *b == b'=') => Some(1),
        b'-' if text.iter().all(|b| *b == b'-') => Some(2),
        _ => None,
    }
}

fn is_table_ruler(text: &[u8]) -> bool {
    text.contains(&b'|') && text.contains(&b'-') && text.iter().all(|b| matches!(b, b'|' | b'-' | b':' | b' '))
}

#[cfg(test)]
mod tests {
    use super::super::rendered;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn headings_are_told_from_what_looks_like_them() {
        let text = "---\ntitle: x\n# no heading\n---\n# Title #\n\nSome text\n\nSetext one\n==========\n\n```sh\n# a comment\n```\n\n\
            ~~~~\n~~~\n## still code\n~~~~\n    # indented code\n#hashtag\n- item\n\nSetext *two*\n---\n\n<!--\n# hidden\n-->\n\
            | a | b |\n|---|---|\n| 1 | 2 |\n###### Deep\n####### too deep\n";
        assert_eq!(
            rendered(&outline(text.as_bytes()).unwrap()),
            "34 lines, 4 headings, 2 code blocks (sh 1), 1 table\n4:# Title\n8:# Setext one\n23:## Setext *two*\n32:###### Deep\n"
        );
    }

    #[test]
    fn what_does_not_end_is_said() {
        let map = outline(&b"# A\n```\n# not B\n"[..]).unwrap();
        assert_eq!(
            rendered(&map),
            "3 lines, 1 heading, 1 code block\n0:# A\n(the code block that begins on line 1 does not end)\n"
        );
        assert_eq!(outline(&b"---\n# x\n"[..]).unwrap().notes, ["the front matter does not end"]);
    }

    proptest! {
        #[test]
        fn any_text_has_a_map(text in proptest::collection::vec(prop_oneof![
            Just(b'#'), Just(b'\n'), Just(b' '), Just(b'`'), Just(b'-'), Just(b'='), Just(b'|'), any::<u8>()], 0..300)) {
            let map = outline(&text[..]).unwrap();
            let lines = memchr::memchr_iter(b'\n', &text).count() as u64 + 1;
            prop_assert!(map.entries.iter().all(|e| e.line.is_none_or(|l| l < lines)));
        }
    }
}
