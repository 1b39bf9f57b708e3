//! The map of a unified diff: its commits, its files with what was added and removed, their hunks.
//!
//! A hunk's header says how many lines it has, and so long nothing in it is taken for a header: not the removed
//! `-- x` that reads `--- x`, not a diff of a diff.

use std::io::{self, Read};
use std::ops::ControlFlow;

use crate::text::clean;
use crate::text::lines::each_line;
use crate::text::show::{count, thousands};

use super::{Entry, Levels, Outline, row, start_of};

/// Returns the map of a diff.
///
/// Entries carry `kind`: `commit`; `file` with `path`, `added`, `removed`, `hunks`, and `change` (`new`, `deleted`,
/// `renamed`, `copied`, `mode`, `binary`) where there is one; `hunk` with `added`, `removed`.
pub fn outline(text: impl Read) -> io::Result<Outline> {
    let mut reading = Reading::default();
    each_line(text, |line| {
        if let Some(bytes) = start_of(&line) {
            let text;
            let bytes = match memchr::memchr(0x1B, bytes) {
                Some(_) => {
                    text = clean::line(bytes);
                    text.as_bytes()
                }
                None => bytes.strip_suffix(b"\r").unwrap_or(bytes),
            };
            reading.line(line.number, bytes);
        }
        ControlFlow::Continue(())
    })?;
    Ok(reading.finish())
}

/// A file whose hunks are being read.
#[derive(Default)]
struct File {
    line: u64,
    /// The names as the headers give them; empty if there was none yet.
    git: String,
    old: String,
    new: String,
    renamed_from: Option<String>,
    renamed_to: Option<String>,
    copied: bool,
    /// Words that stand behind the name: `new`, `mode 100644 → 100755`.
    changes: Vec<String>,
    change: Option<&'static str>,
    added: u64,
    removed: u64,
    hunks: Vec<Entry>,
    hunk_count: u64,
}

/// A hunk whose lines are being read.
struct Hunk {
    line: u64,
    title: String,
    /// How many lines of each old side and of the new one are still to come.
    old: Vec<u64>,
    new: u64,
    added: u64,
    removed: u64,
}

#[derive(Default)]
struct Reading {
    rows: Option<Levels>,
    file: Option<File>,
    hunk: Option<Hunk>,
    /// A commit whose subject is still to come, and whether any was seen.
    commit: Option<(u64, String)>,
    in_commits: bool,
    /// Within a binary patch, which ends at a blank line.
    lines: u64,
    files: u64,
    hunks: u64,
    commits: u64,
    added: u64,
    removed: u64,
    cut_hunks: Vec<u64>,
}

/// How many hunks of one file are kept.
const HUNKS: usize = 1000;

impl Reading {
    fn line(&mut self, number: u64, line: &[u8]) {
        self.lines = number + 1;
        if self.hunk.is_some() && self.in_hunk(line) {
            return;
        }
        if line.starts_with(b"@@") {
            if let Some(hunk) = hunk_header(number, line) {
                self.close_hunk();
                self.file.get_or_insert_with(|| File { line: number, ..File::default() });
                self.hunk = Some(hunk);
            }
            return;
        }
        self.header(number, line);
    }

    /// Takes a line of the open hunk; returns false where the hunk is over.
    fn in_hunk(&mut self, line: &[u8]) -> bool {
        let Some(hunk) = &mut self.hunk else { return false };
        if hunk.new == 0 && hunk.old.iter().all(|n| *n == 0) {
            if line.starts_with(b"\\") {
                return true;
            }
            self.close_hunk();
            return false;
        }
        let sides = hunk.old.len();
        if sides == 1 {
            match line.first() {
                Some(b'+') => {
                    hunk.added += 1;
                    hunk.new = hunk.new.saturating_sub(1);
                }
                Some(b'-') => {
                    hunk.removed += 1;
                    hunk.old[0] = hunk.old[0].saturating_sub(1);
                }
                // An editor or a mailer may have stripped the blank of an empty line.
                Some(b' ') | None => {
                    hunk.old[0] = hunk.old[0].saturating_sub(1);
                    hunk.new = hunk.new.saturating_sub(1);
                }
                Some(b'\\') => {}
                _ => return self.cut_short(),
            }
            return true;
        }
        // A merge: one column a parent; a line with a minus is in none of the result.
        let marks = &line[..sides.min(line.len())];
        if !marks.iter().all(|b| matches!(b, b'+' | b'-' | b' ')) {
            return line.starts_with(b"\\") || self.cut_short();
        }
        let gone = marks.contains(&b'-');
        for (k, old) in hunk.old.iter_mut().enumerate() {
            let mark = marks.get(k).copied().unwrap_or(b' ');
            if mark == b'-' || (mark == b' ' && !gone) {
                *old = old.saturating_sub(1);
            }
        }
        if gone {
            hunk.removed += 1;
        } else {
            hunk.added += u64::from(marks.contains(&b'+'));
            hunk.new = hunk.new.saturating_sub(1);
        }
        true
    }

    /// The hunk has fewer lines than its header said.
    fn cut_short(&mut self) -> bool {
        if let Some(hunk) = &self.hunk
            && self.cut_hunks.len() < 5
        {
            self.cut_hunks.push(hunk.line);
        }
        self.close_hunk();
        false
    }

    fn header(&mut self, number: u64, line: &[u8]) {
        let rest = |start: &str| line.strip_prefix(start.as_bytes());
        if let Some(names) = rest("diff --git ").or_else(|| rest("diff --cc ")).or_else(|| rest("diff --combined ")) {
            self.open_file(number, git_name(&row(names)));
        } else if rest("diff ").is_some() || rest("Index: ").is_some() {
            self.close_file();
            self.open_file(number, String::new());
        } else if let Some(name) = rest("--- ") {
            // Without a `diff` line before it, this line begins the file.
            if self.file.as_ref().is_none_or(|f| !f.old.is_empty() || f.hunk_count > 0) {
                self.open_file(number, String::new());
            }
            if let Some(file) = &mut self.file {
                file.old = name_of(name);
            }
        } else if let Some(name) = rest("+++ ") {
            if let Some(file) = &mut self.file {
                file.new = name_of(name);
            }
        } else if let Some(from) = rest("rename from ") {
            self.in_file(|f| f.renamed_from = Some(row(from)));
        } else if let Some(to) = rest("rename to ") {
            self.in_file(|f| f.renamed_to = Some(row(to)));
        } else if let Some(from) = rest("copy from ") {
            self.in_file(|f| (f.renamed_from, f.copied) = (Some(row(from)), true));
        } else if let Some(to) = rest("copy to ") {
            self.in_file(|f| f.renamed_to = Some(row(to)));
        } else if let Some(mode) = rest("new file mode ") {
            let mode = if mode == b"100644" { String::new() } else { format!(" ({})", row(mode)) };
            self.in_file(|f| (f.changes.push(format!("new{mode}")), f.change = Some("new")).1);
        } else if rest("deleted file mode ").is_some() {
            self.in_file(|f| (f.changes.push("deleted".to_owned()), f.change = Some("deleted")).1);
        } else if let Some(mode) = rest("old mode ") {
            self.in_file(|f| (f.changes.push(format!("mode {}", row(mode))), f.change = f.change.or(Some("mode"))).1);
        } else if let Some(mode) = rest("new mode ") {
            self.in_file(|f| {
                if let Some(change) = f.changes.iter_mut().find(|c| c.starts_with("mode ")) {
                    change.push_str(&format!(" → {}", row(mode)));
                }
            });
        } else if rest("Binary files ").is_some() || rest("GIT binary patch").is_some() {
            if self.file.is_none() {
                self.open_file(number, row(line));
            }
            self.in_file(|f| (f.changes.push("binary".to_owned()), f.change = f.change.or(Some("binary"))).1);
        } else if let Some(place) = rest("Only in ") {
            self.close_file();
            self.rows().push(1, Entry::at(number, format!("only in {}", row(place))).with("kind", "only"));
        } else {
            self.commit_header(number, line);
        }
    }

    fn commit_header(&mut self, number: u64, line: &[u8]) {
        let hash = line.strip_prefix(b"commit ").or_else(|| line.strip_prefix(b"From "));
        if let Some(hash) = hash
            && hash.len() >= 7
            && hash.iter().take_while(|b| b.is_ascii_hexdigit()).count() >= 7
        {
            self.close_file();
            self.close_commit("");
            self.in_commits = true;
            self.commits += 1;
            let short = hash.iter().take_while(|b| b.is_ascii_hexdigit()).count().min(10);
            self.commit = Some((number, row(&hash[..short])));
            return;
        }
        if self.commit.is_some() {
            if let Some(subject) = line.strip_prefix(b"Subject: ") {
                self.close_commit(&row(subject));
            } else if line.starts_with(b"    ") && !line.trim_ascii().is_empty() {
                self.close_commit(row(line).trim());
            }
        }
    }

    fn rows(&mut self) -> &mut Levels {
        self.rows.get_or_insert_with(Levels::new)
    }

    fn close_commit(&mut self, subject: &str) {
        if let Some((line, hash)) = self.commit.take() {
            let text = format!("commit {hash} {subject}");
            self.rows().push(0, Entry::at(line, text.trim_end()).with("kind", "commit"));
        }
    }

    fn in_file(&mut self, change: impl FnOnce(&mut File)) {
        if let Some(file) = &mut self.file {
            change(file);
        }
    }

    fn open_file(&mut self, line: u64, git: String) {
        self.close_file();
        self.close_commit("");
        self.file = Some(File { line, git, ..File::default() });
    }

    fn close_hunk(&mut self) {
        let Some(hunk) = self.hunk.take() else { return };
        self.hunks += 1;
        let Some(file) = &mut self.file else { return };
        file.hunk_count += 1;
        file.added += hunk.added;
        file.removed += hunk.removed;
        if file.hunks.len() < HUNKS {
            let text = format!("  {} +{} -{}", hunk.title, hunk.added, hunk.removed);
            let entry = Entry::at(hunk.line, text).with("kind", "hunk");
            file.hunks.push(entry.with("added", hunk.added).with("removed", hunk.removed));
        }
    }

    fn close_file(&mut self) {
        self.close_hunk();
        let Some(file) = self.file.take() else { return };
        // A `diff` or `Index:` line of a program that then writes its own headers, and prose, name nothing.
        if file.git.is_empty() && file.old.is_empty() && file.new.is_empty() && file.hunk_count == 0 {
            return;
        }
        self.files += 1;
        self.added += file.added;
        self.removed += file.removed;
        let (name, change) = file.name();
        let mut text = format!("{name} +{} -{}", thousands(file.added), thousands(file.removed));
        if !file.changes.is_empty() {
            text.push_str(&format!(" [{}]", file.changes.join(", ")));
        }
        let mut entry = Entry::at(file.line, text).with("kind", "file").with("path", file.path());
        entry = entry.with("added", file.added).with("removed", file.removed).with("hunks", file.hunk_count);
        if let Some(change) = change {
            entry = entry.with("change", change);
        }
        self.rows().push(1, entry);
        let left_out = file.hunk_count - file.hunks.len() as u64;
        for hunk in file.hunks {
            self.rows().push(2, hunk);
        }
        if left_out > 0 {
            let text = format!("  … {} more of {}", count(left_out, "hunk"), thousands(file.hunk_count));
            self.rows().push(2, Entry::caption(text));
        }
    }

    fn finish(mut self) -> Outline {
        if let Some(hunk) = &self.hunk
            && (hunk.new > 0 || hunk.old.iter().any(|n| *n > 0))
        {
            self.cut_short();
        }
        self.close_file();
        self.close_commit("");
        let mut head = format!(
            "{}, +{} -{}, {}",
            count(self.files, "file"),
            thousands(self.added),
            thousands(self.removed),
            count(self.hunks, "hunk")
        );
        if self.in_commits {
            head = format!("{}, {head}", count(self.commits, "commit"));
        }
        let (entries, mut notes) = self.rows.take().unwrap_or_else(Levels::new).finish("row");
        if !self.cut_hunks.is_empty() {
            let lines: Vec<String> = self.cut_hunks.iter().map(u64::to_string).collect();
            notes.push(format!("shorter than its header says: the hunk on line {}", lines.join(", ")));
        }
        Outline { head: format!("{head} in {}", count(self.lines, "line")), entries, notes }
    }
}

impl File {
    fn path(&self) -> String {
        let stripped = |name: &String| name.strip_prefix("b/").unwrap_or(name).to_owned();
        match (&self.renamed_to, self.new.as_str()) {
            (Some(to), _) => to.clone(),
            (None, "" | "/dev/null") if !self.git.is_empty() => self.git.clone(),
            (None, "" | "/dev/null") => self.old.strip_prefix("a/").unwrap_or(&self.old).to_owned(),
            (None, _) => stripped(&self.new),
        }
    }

    /// Returns the name as it is shown, and the kind of change.
    fn name(&self) -> (String, Option<&'static str>) {
        match &self.renamed_from {
            Some(from) if self.copied => (format!("{from} ⇒ {}", self.path()), Some("copied")),
            Some(from) => (format!("{from} → {}", self.path()), Some("renamed")),
            None => {
                let gone = self.new == "/dev/null" && !self.old.is_empty();
                let made = self.old == "/dev/null";
                let change = self.change.or(if gone { Some("deleted") } else { made.then_some("new") });
                (self.path(), change)
            }
        }
    }
}

/// Returns the name in `a/x b/x`, or in `"a/x" "b/x"`.
fn git_name(names: &str) -> String {
    let half = names.len() / 2;
    if let (Some(a), Some(b)) = (names.get(..half), names.get(half + 1..))
        && a.get(2..) == b.get(2..)
        && let Some(name) = b.strip_prefix("b/")
    {
        return name.to_owned();
    }
    match names.find(" b/") {
        Some(at) => names[at + 3..].to_owned(),
        None => names.trim_matches('"').to_owned(),
    }
}

/// Returns the name of a `---` or `+++` line: without the time that GNU diff puts after a tab.
fn name_of(rest: &[u8]) -> String {
    let name = rest.split(|b| *b == b'\t').next().unwrap_or(rest);
    row(name).trim_matches('"').to_owned()
}

/// Reads `@@ -12,6 +14,9 @@ fn main`, and `@@@ -1,2 -1,3 +1,4 @@@` of a merge.
fn hunk_header(line_number: u64, line: &[u8]) -> Option<Hunk> {
    let text = row(line);
    let marks = text.bytes().take_while(|b| *b == b'@').count();
    let body = text.get(marks..)?.strip_prefix(' ')?;
    let (ranges, context) = body.split_once(" @@")?;
    let (mut old, mut new) = (Vec::new(), None);
    for range in ranges.split(' ') {
        let (sign, numbers) = (range.chars().next()?, range.get(1..)?);
        let (start, length) = numbers.split_once(',').unwrap_or((numbers, "1"));
        start.parse::<u64>().ok()?;
        let length = length.parse::<u64>().ok()?;
        match sign {
            '-' if old.len() < 16 => old.push(length),
            '+' => new = Some(length),
            _ => return None,
        }
    }
    let context = context.trim_start_matches('@').trim();
    let title = format!("@@ {ranges} @@ {context}").trim_end().to_owned();
    (!old.is_empty()).then_some(Hunk { line: line_number, title, old, new: new?, added: 0, removed: 0 })
}

#[cfg(test)]
mod tests {
    use super::super::rendered;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn files_and_hunks_have_counts_and_lines() {
        let text = "diff --git a/src/a.rs b/src/a.rs\nindex 1..2 100644\n--- a/src/a.rs\n+++ b/src/a.rs\n\
            @@ -1,3 +1,4 @@ fn main() {\n x\n+y\n z\n--- gone\n+++ here\n@@ -10 +11,2 @@\n-a\n+b\n+c\n\
            diff --git a/old.txt b/new.txt\nsimilarity index 100%\nrename from old.txt\nrename to new.txt\n\
            diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n\
            diff --git a/x.png b/x.png\nnew file mode 100644\nBinary files /dev/null and b/x.png differ\n\
            diff --git a/n.c b/n.c\nnew file mode 100644\n--- /dev/null\n+++ b/n.c\n@@ -0,0 +1 @@\n+int x;\n\\ No newline at end of file\n\
            diff --git a/gone.c b/gone.c\ndeleted file mode 100644\n--- a/gone.c\n+++ /dev/null\n@@ -1 +0,0 @@\n-int x;\n";
        assert_eq!(
            rendered(&outline(text.as_bytes()).unwrap()),
            "6 files, +5 -3, 4 hunks in 37 lines\n\
             0:src/a.rs +4 -2\n  4:  @@ -1,3 +1,4 @@ fn main() { +2 -1\n  10:  @@ -10 +11,2 @@ +2 -1\n\
             14:old.txt → new.txt +0 -0\n18:run.sh +0 -0 [mode 100644 → 100755]\n21:x.png +0 -0 [new, binary]\n\
             24:n.c +1 -0 [new]\n  28:  @@ -0,0 +1 @@ +1 -0\n31:gone.c +0 -1 [deleted]\n  35:  @@ -1 +0,0 @@ +0 -1\n"
                .replace("  4:", "4:")
                .replace("  10:", "10:")
                .replace("  28:", "28:")
                .replace("  35:", "35:")
        );
    }

    #[test]
    fn a_diff_of_a_diff_is_one_file() {
        let inner = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
        let lines: String = inner.lines().map(|l| format!("+{l}\n")).collect();
        let text = format!("--- /dev/null\n+++ b/p.diff\n@@ -0,0 +1,6 @@\n{lines}");
        assert_eq!(
            rendered(&outline(text.as_bytes()).unwrap()),
            "1 file, +6 -0, 1 hunk in 9 lines\n0:p.diff +6 -0\n2:  @@ -0,0 +1,6 @@ +6 -0\n"
        );
    }

    #[test]
    fn commits_are_sections_and_merges_are_counted() {
        let text = "commit 0123456789abcdef0123456789abcdef01234567\nAuthor: A <a@b>\nDate:   now\n\n    Fix the thing\n\n    More.\n\n\
            diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n\n\
            commit fedcba9876543210fedcba9876543210fedcba98\n\n    Merge\n\ndiff --cc a\n--- a/a\n+++ b/a\n@@@ -1,2 -1,2 +1,2 @@@\n  x\n- y\n -z\n++w\n";
        assert_eq!(
            rendered(&outline(text.as_bytes()).unwrap()),
            "2 commits, 2 files, +2 -3, 2 hunks in 27 lines\n0:commit 0123456789 Fix the thing\n8:a +1 -1\n11:  @@ -1 +1 @@ +1 -1\n\
             15:commit fedcba9876 Merge\n19:a +1 -2\n22:  @@ -1,2 -1,2 +1,2 @@ +1 -2\n"
        );
    }

    #[test]
    fn cut_hunks_are_said_and_plain_diffs_are_read() {
        let text = "--- old.c\t2026-01-01\n+++ new.c\t2026-01-02\n@@ -1,9 +1,9 @@\n-a\n+b\nprose\n--- x\n+++ y\n@@ -1 +1 @@\n-a\n+b\n";
        assert_eq!(
            rendered(&outline(text.as_bytes()).unwrap()),
            "2 files, +2 -2, 2 hunks in 11 lines\n0:new.c +1 -1\n2:  @@ -1,9 +1,9 @@ +1 -1\n6:y +1 -1\n8:  @@ -1 +1 @@ +1 -1\n\
             (shorter than its header says: the hunk on line 2)\n"
        );
    }

    proptest! {
        #[test]
        fn any_text_has_a_map(lines in proptest::collection::vec(prop_oneof![
            Just("@@ -1,2 +1,3 @@"), Just("@@@ -1 -1 +1 @@@"), Just("--- a/x"), Just("+++ b/y"), Just("+"), Just("-"), Just(" "), Just(""),
            Just("diff --git a/é b/é"), Just("diff --git "), Just("rename from x"), Just("commit 01234567"), Just("@@ -x +y @@"), Just("é\u{1b}[1m")], 0..60)) {
            let text = lines.join("\n");
            let map = outline(text.as_bytes()).unwrap();
            prop_assert!(map.entries.iter().all(|e| e.line.is_none_or(|l| l < lines.len() as u64)));
        }
    }
}
