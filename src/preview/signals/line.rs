//! What a line says of itself: where it begins after its decoration (time stamps, bracketed groups, container names),
//! and the severity that it gives itself, if any.

use std::ops::Range;

/// The severity that a line gives itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    Info,
    Warning,
    Error,
    Fatal,
}

/// Returns what a word that logs use for a severity means.
fn level_of(word: &[u8]) -> Option<Level> {
    let mut small = [0; 9];
    let small = small.get_mut(..word.len())?;
    small.copy_from_slice(word);
    small.make_ascii_lowercase();
    match &*small {
        b"info" | b"debug" | b"trace" | b"notice" | b"verbose" | b"inf" | b"dbg" | b"fine" => Some(Level::Info),
        b"warning" | b"warn" | b"wrn" => Some(Level::Warning),
        b"error" | b"err" | b"erro" | b"failed" | b"severe" | b"fehler" => Some(Level::Error),
        b"fatal" | b"critical" | b"crit" | b"panic" | b"emerg" | b"emergency" | b"alert" | b"ftl" => Some(Level::Fatal),
        _ if word.first().is_some_and(|b| *b >= 0x80) => match std::str::from_utf8(small).ok()? {
            "情報" | "信息" | "調試" => Some(Level::Info),
            "警告" => Some(Level::Warning),
            "エラー" | "错误" | "錯誤" | "重大" => Some(Level::Error),
            "致命的" => Some(Level::Fatal),
            _ => None,
        },
        _ => None,
    }
}

/// The keys under which structured logs give their level; each has one `v` (two have the longer ones), which is rare
/// enough to be looked for alone.
const KEYS: &[&str] = &["level", "severity", "lvl", "levelname"];

/// How far from the start of a line its own severity is looked for, in bytes.
const REACH: usize = 240;

/// How far from the start of a line of data a key for it is looked for, in bytes.
const KEYED: usize = 4096;

/// A clean line, taken apart.
pub(super) struct Line<'a> {
    pub(super) text: &'a str,
    /// Where what the line says begins: the first byte that is not decoration.
    pub(super) head: usize,
    /// How many blanks it begins with.
    pub(super) indent: usize,
    /// Whether there is a time stamp, a number or a bracketed group before that.
    pub(super) stamped: bool,
    /// The severity that the line gives itself, and where.
    pub(super) level: Option<(Level, Range<usize>)>,
}

impl<'a> Line<'a> {
    pub(super) fn read(text: &'a str) -> Self {
        let t = text.as_bytes();
        let indent = t.iter().take_while(|b| **b == b' ').count();
        let mut line = Line { text, head: t.len(), indent, stamped: false, level: None };
        let mut head = None;
        let (mut at, mut passed) = (0, 0);
        while at < t.len().min(REACH) {
            let b = t[at];
            if b.is_ascii_whitespace() {
                at += 1;
                continue;
            }
            if let Some(close) = closing(b) {
                let end = t[at + 1..].iter().take(64).position(|&c| c == close).map(|n| at + 1 + n);
                let Some(end) = end else {
                    head.get_or_insert(at);
                    break;
                };
                let inner = trim(t, at + 1..end);
                if let Some(level) = level_of(&t[inner.clone()]) {
                    head.get_or_insert(at);
                    line.level = Some((level, inner));
                    break;
                }
                line.stamped |= head.is_none();
                at = end + 1;
                continue;
            }
            let end = at + t[at..].iter().position(|c| b" \t[(|".contains(c)).unwrap_or(t.len() - at);
            if end == at {
                // A bar: what stands before it names the source of what follows (`web-1  | …`).
                (head, passed, line.stamped) = (None, 0, true);
                at += 1;
                continue;
            }
            let token = trim_end(t, at..end);
            if punctuation(&text[at..end]) {
                at = end;
                continue;
            }
            if let Some(level) = level_of(&t[token.clone()]) {
                let loud = t[at..token.end].iter().all(|c| c.is_ascii_uppercase() || *c >= 0x80);
                let marked = matches!(t.get(token.end), Some(b':' | b'\t' | b'['));
                let alone =
                    matches!(t.get(token.end), None | Some(b' ' | b'\t' | b':' | b'[' | b']' | b'|' | b',' | b';'));
                if alone
                    && (loud && (passed == 0 || line.stamped)
                        || passed == 0 && (line.stamped || marked && level == Level::Info))
                {
                    head.get_or_insert(at);
                    line.level = Some((level, token));
                    break;
                }
            }
            // A small number that comes first counts something, or numbers a list.
            let small = head.is_none()
                && !line.stamped
                && end - at < 6
                && t[at..end].iter().all(|b| b.is_ascii_digit() || *b == b'.');
            if stamp(&t[at..end]) && !small {
                line.stamped |= head.is_none();
            } else {
                head.get_or_insert(at);
                passed += usize::from(!t[at..end].ends_with(b":"));
                if passed > 4 {
                    break;
                }
            }
            at = end;
        }
        line.head = head.unwrap_or(at.min(t.len()));
        if line.level.is_none() {
            line.level = keyed(t);
        }
        line
    }

    /// Whether the line begins as a program's complaint does: `cp: …`, `./run.sh: line 3: …`, `E: …`.
    pub(super) fn names_program(&self) -> bool {
        let name = self.bytes().split(|b| *b == b' ').next().unwrap_or(&[]);
        let word = name.strip_suffix(b":").unwrap_or(&[]);
        let first = word.first().is_some_and(|b| b.is_ascii_lowercase() || b"./[".contains(b));
        word == b"E" || first && word.len() <= 80 && !word.contains(&b'"')
    }

    pub(super) fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }
}

fn closing(open: u8) -> Option<u8> {
    match open {
        b'[' => Some(b']'),
        b'(' => Some(b')'),
        b'<' => Some(b'>'),
        _ => None,
    }
}

fn trim(t: &[u8], range: Range<usize>) -> Range<usize> {
    let start = range.start + t[range.clone()].iter().take_while(|b| b.is_ascii_whitespace()).count();
    let end = range.end - t[start..range.end].iter().rev().take_while(|b| b.is_ascii_whitespace()).count();
    start..end
}

fn trim_end(t: &[u8], range: Range<usize>) -> Range<usize> {
    let colon = t[range.clone()].iter().position(|b| b":,;".contains(b)).unwrap_or(range.len());
    range.start..range.start + colon
}

/// Whether a token only separates: `-`, `*`, `│`, `•`.
fn punctuation(token: &str) -> bool {
    token.len() <= 3 && !token.chars().any(|c| c.is_alphanumeric()) && !"✗✘✕✖".contains(token)
}

/// Whether a token is a date, a time, a number, a process id or a part of one of them.
fn stamp(token: &[u8]) -> bool {
    const NAMES: &[&str] = &[
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec", "Mon", "Tue", "Wed", "Thu",
        "Fri", "Sat", "Sun", "UTC", "GMT", "AM", "PM", "CET",
    ];
    if token.len() > 40 {
        return false;
    }
    let digits = token.iter().filter(|b| b.is_ascii_digit()).count();
    let letters = token.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let others = token.iter().all(|b| b.is_ascii_alphanumeric() || b"-:./,+#%".contains(b));
    let named = |name: &&str| token.windows(name.len()).any(|w| w == name.as_bytes());
    token.len() <= 3 && NAMES.iter().any(|name| token == name.as_bytes())
        || (others
            && digits > 0
            && (letters <= 2 || letters == 3 && digits >= 4 && NAMES.iter().any(named))
            && (token[0].is_ascii_digit() || token[0] == b'#' || token[0] == b'+'))
}

/// Finds `level=error`, `"level":"error"` and their like.
fn keyed(t: &[u8]) -> Option<(Level, Range<usize>)> {
    memchr::memchr_iter(b'v', &t[..t.len().min(KEYED)]).find_map(|v| KEYS.iter().find_map(|key| keyed_at(t, v, key)))
}

/// Looks for a key whose (first) `v` stands at `v`.
fn keyed_at(t: &[u8], v: usize, key: &str) -> Option<(Level, Range<usize>)> {
    let start = v.checked_sub(key.find('v')?)?;
    let rest = t[start..].strip_prefix(key.as_bytes())?;
    let name = start.checked_sub(1).is_none_or(|n| !t[n].is_ascii_alphanumeric() && t[n] != b'_');
    let gap = rest.iter().take(5).take_while(|b| b"\"': =".contains(b)).count();
    if !name || !rest[..gap].iter().any(|b| b":=".contains(b)) {
        return None;
    }
    let start = start + key.len() + gap;
    let len = t[start..].iter().take(10).take_while(|b| b.is_ascii_alphabetic()).count();
    Some((level_of(&t[start..start + len])?, start..start + len))
}
