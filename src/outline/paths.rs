//! The map of a listing of paths, or of matches with their files: its folders with how many lines are below each.
//!
//! `find`, `git ls-files`, `rg --files` print paths; `grep -rn` prints `path:number:`. The folders are counted to a few
//! levels as the lines stream past; at the end the largest are opened until the map fills a screen. Memory is bounded:
//! where there are too many folders the deepest level is given up.

use std::collections::HashMap;

use crate::text::clean;
use crate::text::paths::path;
use crate::text::show::{count, thousands};

use super::{Entry, LINE_BYTES, Outline};

/// How many levels of folders are counted.
const LEVELS: usize = 8;
/// How many folders are held.
const FOLDERS: usize = 50_000;
/// How many rows make a map: about as many as a reader sees at once.
const ROWS: usize = 60;
/// After how many lines that are no paths the text is no listing, if they are more than a tenth.
const PATIENCE: u64 = 20;

#[derive(Clone, Copy, Debug)]
struct Folder {
    first: u64,
    lines: u64,
}

/// Counts the folders of a listing.
#[derive(Debug)]
pub(super) struct Paths {
    folders: HashMap<Box<[u8]>, Folder>,
    levels: usize,
    lines: u64,
    others: u64,
    /// How many lines are matches in a file.
    matches: u64,
    given_up: bool,
}

impl Paths {
    pub(super) fn new() -> Paths {
        Paths { folders: HashMap::new(), levels: LEVELS, lines: 0, others: 0, matches: 0, given_up: false }
    }

    /// Sees a line that is not blank.
    pub(super) fn line(&mut self, number: u64, text: &[u8]) {
        if self.given_up {
            return;
        }
        self.lines += 1;
        let text = &text[..text.len().min(LINE_BYTES)];
        let Some((path, is_match)) = path(text) else {
            self.others += 1;
            self.given_up = self.others > PATIENCE && self.others * 10 > self.lines;
            if self.given_up {
                self.folders = HashMap::new();
            }
            return;
        };
        self.matches += u64::from(is_match);
        // A file with matches is opened like a folder; the last part of a plain path is not.
        let mut level = 0;
        let mut at = 0;
        while let Some(n) = memchr::memchr(b'/', &path[at..]) {
            let end = at + n + 1;
            if level < self.levels {
                self.count(&path[..end], number);
            }
            level += 1;
            at = end;
        }
        if is_match && level < self.levels {
            self.count(path, number);
        }
    }

    fn count(&mut self, folder: &[u8], number: u64) {
        if let Some(known) = self.folders.get_mut(folder) {
            known.lines += 1;
            return;
        }
        while self.folders.len() >= FOLDERS && self.levels > 1 {
            self.levels -= 1;
            let levels = self.levels;
            self.folders.retain(|name, _| depth(name) <= levels);
        }
        if self.folders.len() < FOLDERS && depth(folder) <= self.levels {
            self.folders.insert(folder.into(), Folder { first: number, lines: 1 });
        }
    }

    /// Returns the map, if the text is a listing of some size.
    pub(super) fn finish(self) -> Option<Outline> {
        if self.given_up || self.lines < 20 || self.others * 10 > self.lines || self.folders.len() < 2 {
            return None;
        }
        let mut children: HashMap<&[u8], Vec<&[u8]>> = HashMap::new();
        for name in self.folders.keys() {
            children.entry(parent(name)).or_default().push(name);
        }
        let of = |name: &[u8]| self.folders.get(name).copied().unwrap_or(Folder { first: 0, lines: 0 });
        // The largest folder that is not open yet is opened, until its folders would be too many.
        let mut shown: Vec<(&[u8], bool)> = children.get(&b""[..])?.iter().map(|name| (*name, false)).collect();
        let mut full = Vec::new();
        loop {
            let next = shown.iter().enumerate().filter(|(k, (_, open))| !open && !full.contains(k));
            let Some((k, _)) = next.max_by_key(|(_, (name, _))| of(name).lines) else { break };
            shown[k].1 = true;
            let Some(below) = children.get(shown[k].0) else { continue };
            if shown.len() + below.len() > ROWS {
                // Only its largest, so that the map still spans the whole.
                full.push(k);
                let mut largest = below.clone();
                crate::order::by_key(&mut largest, |name| u64::MAX - of(name).lines);
                let room = ROWS.saturating_sub(shown.len()).min(5);
                shown.extend(largest.into_iter().take(room).map(|name| (name, false)));
                if room == 0 {
                    break;
                }
                continue;
            }
            shown.extend(below.iter().map(|name| (*name, false)));
        }
        crate::order::by(&mut shown, |a, b| a.0.cmp(b.0));
        let noun = if self.matches * 2 > self.lines { "match" } else { "line" };
        let entries = shown.iter().take(ROWS * 2).map(|(name, _)| {
            let folder = of(name);
            let indent = "  ".repeat(depth(name).saturating_sub(1).min(12));
            let text = format!("{indent}{} ({})", clean::line(name), count(folder.lines, noun));
            Entry::at(folder.first, text).with("kind", "folder").with("lines", folder.lines)
        });
        let entries: Vec<Entry> = entries.collect();
        let head = match noun {
            "match" => format!("{} in {} files", count(self.matches, "match"), thousands(self.files())),
            _ => format!("{} in {} folders", count(self.lines, "path"), thousands(self.folders.len() as u64)),
        };
        let mut notes = Vec::new();
        if self.levels < LEVELS {
            notes.push(format!("folders deeper than {} levels are counted with those above", self.levels));
        }
        Some(Outline { head, entries, notes })
    }

    fn files(&self) -> u64 {
        self.folders.keys().filter(|name| !name.ends_with(b"/")).count() as u64
    }
}

/// Returns how many folders lead to what a name stands for, itself included.
fn depth(name: &[u8]) -> usize {
    let body = name.strip_suffix(b"/").unwrap_or(name);
    if body.is_empty() {
        return 1;
    }
    memchr::memchr_iter(b'/', body).count() + 1
}

/// Returns the name of the folder that holds a folder or a file.
fn parent(name: &[u8]) -> &[u8] {
    let body = name.strip_suffix(b"/").unwrap_or(name);
    match memchr::memrchr(b'/', body) {
        Some(n) if n + 1 < name.len() || n > 0 => &name[..n + 1],
        _ => b"",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(text: &str) -> Option<Vec<String>> {
        let mut paths = Paths::new();
        text.lines().enumerate().for_each(|(k, line)| paths.line(k as u64, line.as_bytes()));
        let outline = paths.finish()?;
        let rows = outline.entries.iter().map(|e| format!("{}:{}", e.line.unwrap(), e.text));
        Some(std::iter::once(outline.head).chain(rows).collect())
    }

    #[test]
    fn a_listing_is_its_folders() {
        let mut text = String::from("/\n/etc\n/etc/hosts\n");
        (0..30).for_each(|k| text += &format!("/usr/lib/a/f{k}\n"));
        (0..5).for_each(|k| text += &format!("/usr/share/my doc/f{k}\n"));
        assert_eq!(
            map(&text).unwrap(),
            [
                "38 paths in 7 folders",
                "0:/ (38 lines)",
                "2:  /etc/ (1 line)",
                "3:  /usr/ (35 lines)",
                "3:    /usr/lib/ (30 lines)",
                "3:      /usr/lib/a/ (30 lines)",
                "33:    /usr/share/ (5 lines)",
                "33:      /usr/share/my doc/ (5 lines)",
            ]
        );
    }

    #[test]
    fn matches_are_counted_by_file() {
        let mut text = String::new();
        (0..15).for_each(|k| text += &format!("src/a.rs:{k}: let x = y / z;\n"));
        (0..9).for_each(|k| text += &format!("src/b/c.rs:{k}:fn main() {{}}\n"));
        assert_eq!(
            map(&text).unwrap(),
            [
                "24 matches in 2 files",
                "0:src/ (24 matches)",
                "0:  src/a.rs (15 matches)",
                "15:  src/b/ (9 matches)",
                "15:    src/b/c.rs (9 matches)",
            ]
        );
    }

    #[test]
    fn other_texts_are_no_listing() {
        let words = "words and/or more of them\n".repeat(50);
        assert_eq!(map(&words), None);
        assert_eq!(map(&"12:30:01 started\n".repeat(50)), None);
        assert_eq!(map("/a\n/b\n"), None);
        assert_eq!(map(&"https://example.org/a/b\n".repeat(50)), None);
    }

    #[test]
    fn too_many_folders_cost_the_deepest_level() {
        let text: String = (0..120_000).map(|k| format!("/r/{}/{k}/f\n", k % 100)).collect();
        let rows = map(&text).unwrap();
        assert!(rows.len() < 130 && rows[1] == "0:/ (120,000 lines)", "{rows:?}");
    }
}
