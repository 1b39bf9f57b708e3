//! A diff as the list of its files, with what each adds and removes, and its first hunks.
//!
//! The hunk headers say how many lines a hunk has, so a removed line `-- x` is not taken for a file header, nor is a
//! diff within a diff.

use std::io::{self, Read};

use super::Body;
use super::fit::{self, Fit, LINE_CHARS, MARK};
use crate::handle::guard;
use crate::text::lines::Blocks;
use crate::text::{clean, cut, measure, show};

/// How many files are listed at most; further ones are counted.
const FILES: usize = 1000;

/// A file of a diff.
#[derive(Debug, Default)]
struct File {
    name: String,
    /// The number of its first line, from 0.
    line: u64,
    added: u64,
    removed: u64,
    hunks: u64,
    /// `new`, `deleted`, `renamed from x`, `binary`, `mode 100755`.
    notes: Vec<String>,
}

/// Reads a diff line by line.
#[derive(Debug, Default)]
struct Reading {
    files: Vec<File>,
    more_files: u64,
    current: Option<File>,
    total: (u64, u64, u64),
    /// Lines of the old and of the new file that the open hunk still has.
    left: (u64, u64),
    /// How many columns of signs a line of a combined diff's hunk has; 0 elsewhere.
    columns: usize,
    /// Whether the header of a file is being read: its `---` and `+++` name it, they do not begin another.
    header: bool,
}

impl Reading {
    fn file(&mut self, line: u64, name: String) {
        self.close();
        self.current = Some(File { name, line, ..File::default() });
        self.header = true;
        self.columns = 0;
        self.left = (0, 0);
    }

    fn close(&mut self) {
        let Some(file) = self.current.take() else { return };
        self.total = (self.total.0 + file.added, self.total.1 + file.removed, self.total.2 + file.hunks);
        if self.files.len() < FILES {
            self.files.push(file);
        } else {
            self.more_files += 1;
        }
    }

    fn line(&mut self, number: u64, line: &[u8]) {
        if self.left != (0, 0) {
            match line.first() {
                Some(b'+') => return self.change(true),
                Some(b'-') => return self.change(false),
                Some(b'\\') => return,
                Some(b' ' | b'\r') | None => {
                    self.left = (self.left.0.saturating_sub(1), self.left.1.saturating_sub(1));
                    return;
                }
                // The hunk is shorter than it said.
                _ => self.left = (0, 0),
            }
        }
        if self.columns > 0 && !line.starts_with(b"diff ") && !line.starts_with(b"@@@") {
            let signs = &line[..line.len().min(self.columns)];
            if let Some(file) = &mut self.current {
                file.added += u64::from(signs.contains(&b'+'));
                file.removed += u64::from(!signs.contains(&b'+') && signs.contains(&b'-'));
            }
            return;
        }
        self.outside(number, line);
    }

    fn change(&mut self, added: bool) {
        let left = if added { &mut self.left.1 } else { &mut self.left.0 };
        *left = left.saturating_sub(1);
        if let Some(file) = &mut self.current {
            *(if added { &mut file.added } else { &mut file.removed }) += 1;
        }
    }

    /// Sees a line outside of hunks.
    fn outside(&mut self, number: u64, line: &[u8]) {
        let text = |from: usize| name(&line[from.min(line.len())..]);
        if let Some(rest) = line.strip_prefix(b"diff --git ") {
            let name = name(rest);
            // `a/x b/x`: the second half names the file as it is now.
            let new = name.rfind(" b/").map_or(name.clone(), |at| name[at + 3..].to_owned());
            return self.file(number, new);
        }
        if line.starts_with(b"diff --cc ") || line.starts_with(b"diff --combined ") {
            let name = text(line.iter().rposition(|b| *b == b' ').map_or(0, |n| n + 1));
            return self.file(number, name);
        }
        if line.starts_with(b"--- ") {
            if !self.header {
                self.file(number, plain(&text(4)));
            }
            return;
        }
        if line.starts_with(b"+++ ") && self.header {
            let name = plain(&text(4));
            if let Some(file) = self.current.as_mut().filter(|_| name != "/dev/null") {
                file.name = name;
            }
            return;
        }
        if let Some((old, new)) = hunk(line) {
            if let Some(file) = &mut self.current {
                self.left = (old, new);
                file.hunks += 1;
                self.header = false;
            }
            return;
        }
        if line.starts_with(b"@@@") {
            self.columns = line.iter().take_while(|b| **b == b'@').count() - 1;
            self.header = false;
            if let Some(file) = &mut self.current {
                file.hunks += 1;
            }
            return;
        }
        let note = match line {
            _ if line.starts_with(b"new file") => "new".to_owned(),
            _ if line.starts_with(b"deleted file") => "deleted".to_owned(),
            _ if line.starts_with(b"new mode ") => format!("mode {}", text(9)),
            _ if line.starts_with(b"rename from ") => format!("renamed from {}", text(12)),
            _ if line.starts_with(b"copy from ") => format!("copied from {}", text(10)),
            _ if line.starts_with(b"Binary files ") || line.starts_with(b"GIT binary patch") => "binary".to_owned(),
            _ => return,
        };
        if let Some(file) = self.current.as_mut().filter(|file| file.notes.len() < 4) {
            file.notes.push(note);
        }
    }
}

/// Returns a name as it is shown.
fn name(bytes: &[u8]) -> String {
    let text = clean::line(&bytes[..bytes.len().min(4096)]);
    cut::middle(text.trim(), 200).into_owned()
}

/// Returns a file's name without `a/` or `b/` before it and a time stamp after it.
fn plain(name: &str) -> String {
    let name = name.split('\t').next().unwrap_or(name);
    name.strip_prefix("a/").or_else(|| name.strip_prefix("b/")).unwrap_or(name).to_owned()
}

/// Reads `@@ -1,3 +1,4 @@`: how many lines of the old and of the new file follow.
fn hunk(line: &[u8]) -> Option<(u64, u64)> {
    let text = std::str::from_utf8(line.get(..line.len().min(80))?).unwrap_or("");
    let (old, rest) = text.strip_prefix("@@ -")?.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let count = |range: &str| range.split_once(',').map_or(Some(1), |(_, n)| n.parse().ok());
    Some((count(old)?, count(new)?))
}

/// Returns the preview of a diff within `budget_chars` chars; `None` if it names no file.
pub fn body(text: impl Read, budget_chars: usize) -> io::Result<Option<Body>> {
    let mut reading = Reading::default();
    // The first lines as they are, as many as could ever be shown; what each costs in chars of the text.
    let mut first: Vec<(String, u64, bool)> = Vec::new();
    let (mut room, mut total_chars, mut last_line) = (budget_chars, 0u64, 0u64);
    let mut blocks = Blocks::new(text);
    while let Some(block) = blocks.next_block()? {
        total_chars += measure::chars(block.bytes);
        for line in block.lines() {
            last_line = line.number;
            if !line.part.first {
                continue;
            }
            let begins = line.bytes.starts_with(b"@@") && reading.left == (0, 0) || line.bytes.starts_with(b"diff ");
            reading.line(line.number, line.bytes);
            if room > 0 {
                let shown = cut::middle(&guard(line.text().trim_end()), LINE_CHARS).into_owned();
                room = room.saturating_sub(fit::cost(&shown));
                first.push((shown, measure::chars(line.bytes) + 1, begins));
            }
        }
    }
    reading.close();
    if reading.files.is_empty() {
        return Ok(None);
    }
    let files = reading.files.len() as u64 + reading.more_files;
    let (added, removed, hunks) = reading.total;
    let mut fit = Fit::new(budget_chars);
    let list = budget_chars / 2;
    let mut listed = 0;
    for file in &reading.files {
        let line = describe(file);
        // The rest of the files is named by its number only, once the list takes half of the budget.
        if fit.left() < list.max(MARK) || !fit.push(line, MARK) {
            break;
        }
        listed += 1;
    }
    if listed < files {
        let line = reading.files.get(listed as usize).map_or(0, |file| file.line);
        fit.push(format!("[... {} more from line {line} on ...]", show::count(files - listed, "file")), 0);
    }
    let shown = excerpt(&mut fit, &first, total_chars, last_line);
    let label = format!(
        "{}, +{} -{}, {}; line numbers from 0; then the first {}",
        show::count(files, "file"),
        show::thousands(added),
        show::thousands(removed),
        show::count(hunks, "hunk"),
        show::count(shown, "line")
    );
    Ok(Some(Body { label, lines: fit.lines }))
}

/// Adds the first lines as far as they fit, up to the end of a hunk if one ends in the last half; returns how many.
fn excerpt(fit: &mut Fit, first: &[(String, u64, bool)], total_chars: u64, last_line: u64) -> u64 {
    let room = fit.left().saturating_sub(MARK);
    let mut used = 0;
    let mut fits = 0;
    for (line, _, _) in first {
        used += fit::cost(line);
        if used > room {
            break;
        }
        fits += 1;
    }
    if fits < first.len() {
        let hunk = (fits / 2..=fits).rev().find(|&k| k > 0 && first[k].2);
        fits = hunk.unwrap_or(fits);
    }
    let mut chars = 0;
    for (line, cost, _) in &first[..fits] {
        chars += cost;
        fit.push(line.clone(), 0);
    }
    if (fits as u64) <= last_line {
        fit.push(fit::omitted(fits as u64, last_line, total_chars.saturating_sub(chars)), 0);
    }
    fits as u64
}

fn describe(file: &File) -> String {
    let mut line = format!("{:>6}  {}", file.line, file.name);
    if file.hunks > 0 {
        line += &format!("  +{} -{}", show::thousands(file.added), show::thousands(file.removed));
        line += &format!("  {}", show::count(file.hunks, "hunk"));
    }
    if !file.notes.is_empty() {
        line += &format!("  ({})", file.notes.join(", "));
    }
    cut::middle(&line, LINE_CHARS).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cost(body: &Body) -> usize {
        body.lines.iter().map(|line| fit::cost(line)).sum()
    }

    #[test]
    fn files_are_listed_with_what_they_add_and_remove() {
        let text = "commit 1\n\ndiff --git a/x.rs b/x.rs\nindex 1..2 100644\n--- a/x.rs\n+++ b/x.rs\n@@ -1,4 +1,4 @@\n one\n--- a\n+++ b\n two\n \
                    three\ndiff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to new\ndiff --git a/p.png b/p.png\nBinary files \
                    a/p.png and b/p.png differ\n";
        let body = body(text.as_bytes(), 2000).unwrap().unwrap();
        assert_eq!(
            body.lines[..3],
            ["     2  x.rs  +1 -1  1 hunk", "    12  new  (renamed from old)", "    16  p.png  (binary)",]
        );
        assert!(body.label.starts_with("3 files, +1 -1, 1 hunk"), "{}", body.label);
        assert_eq!(body.lines[3], "commit 1");
        assert!(!body.lines.iter().any(|line| line.contains("omitted")));
    }

    #[test]
    fn what_does_not_fit_is_marked_in_place() {
        let mut text = String::new();
        for k in 0..500 {
            text += &format!("--- a/f{k}\t2026-11-08\n+++ b/f{k}\t2026-11-08\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
        }
        let body = body(text.as_bytes(), 1500).unwrap().unwrap();
        assert!(cost(&body) <= 1500);
        assert!(body.lines[0].contains("f0  +1 -1  1 hunk"));
        assert!(body.lines.iter().any(|line| line.contains("more from line")), "{body:?}");
        assert!(body.lines.last().unwrap().contains("-2999 omitted ("), "{body:?}");
    }

    #[test]
    fn combined_diffs_and_texts_without_files() {
        let text = "diff --cc x\nindex 1,2..3\n--- a/x\n+++ b/x\n@@@ -1,2 -1,2 +1,3 @@@\n  a\n++b\n -c\n";
        assert_eq!(body(text.as_bytes(), 999).unwrap().unwrap().lines[0], "     0  x  +1 -1  1 hunk");
        assert_eq!(body(&b"no diff\n"[..], 999).unwrap(), None);
        assert_eq!(body(&b""[..], 999).unwrap(), None);
    }

    proptest! {
        #[test]
        fn nothing_exceeds_its_budget(
            pieces in proptest::collection::vec(prop_oneof![
                Just("diff --git a/x b/y\n".to_owned()), Just("--- a/x\n+++ b/x\n".to_owned()), Just("@@ -1,2 +3 @@\n".to_owned()),
                Just("@@@ -1 -1 +1 @@@\n".to_owned()), Just("+a\n".to_owned()), Just("-- b\n".to_owned()), "\\PC{0,30}\n?"], 0..60),
            budget in 0usize..3000) {
            let text = pieces.concat();
            if let Some(body) = body(text.as_bytes(), budget).unwrap() {
                prop_assert!(cost(&body) <= budget);
                prop_assert!(body.lines.iter().all(|line| !line.contains('\n')));
            }
        }
    }
}
