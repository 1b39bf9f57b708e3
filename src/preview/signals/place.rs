//! Where in a line a word stands: in the place of a severity, as an exception's name, as a reason, as a count.

use std::ops::Range;

use super::line::Line;

/// The longest name of an exception, in bytes.
const NAME: usize = 200;

/// A line that begins with as many blanks and no time stamp is taken for the text of a manual.
const PROSE: usize = 5;

/// Where a word must stand to mean something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Where a severity stands in small letters: `error: …`, `file.c:12:5: error: …`, `x.ts:1:2 - error TS2307: …`.
    LevelWord,
    /// A severity in capitals, alone, near the start.
    Word,
    /// The first that the line says, after decoration.
    Head,
    /// At the very start of the line.
    First,
    /// The last that the line says, but for a time or a percentage.
    Verdict,
    /// The end of an exception's name: `json.decoder.JSONDecodeError: …`, `Caused by: java.net.BindException: …`.
    Exception,
    /// What went wrong with what stands before the colon: `cat: x: No such file or directory`.
    Reason,
    /// What begins a reason: `x.go:3:4: undefined: foo`, `cp: cannot stat …`.
    Complaint,
    /// After the name of a program and nothing else: `make[1]: *** …`.
    Named,
    /// Before a number other than 0: `exit code 1`, `failures=2`.
    Exit,
    /// After a number other than 0: `3 failed, 398 passed`.
    Count,
    /// The status in a line of an access log.
    Http,
    /// Anywhere, as a word.
    Anywhere,
    /// The header of a traceback: the exception comes after the frames.
    Header,
}

impl Place {
    /// Whether a word at `at` stands in this place; returns where what the line says begins.
    pub(super) fn holds(self, line: &Line<'_>, at: &Range<usize>) -> Option<usize> {
        let t = line.bytes();
        let (before, after) = (&t[..at.start], &t[at.end..]);
        let prose = line.indent >= PROSE && !line.stamped;
        let strict = matches!(self, Place::LevelWord | Place::Word | Place::Exception | Place::Head | Place::Anywhere);
        if !bounded(t, at) && self != Place::Http || prose && !strict {
            return None;
        }
        match self {
            Place::Anywhere | Place::Header => Some(line.head.min(at.start)),
            Place::Head => (at.start == line.head).then_some(line.head),
            Place::First => (at.start == 0).then_some(0),
            Place::Verdict => last(after).then_some(line.head),
            Place::LevelWord => level_word(line, at).then_some(at.start),
            Place::Word => (at.start < 120 && alone(before, after) && !denied(before, after)).then_some(at.start),
            Place::Exception => exception(line, at),
            Place::Reason => {
                (reason_before(line, at.start) && phrase_ends(after) && !denied(before, after)).then_some(line.head)
            }
            Place::Complaint => (reason_before(line, at.start) && !after.trim_ascii().is_empty()).then_some(line.head),
            Place::Named => {
                let name = &t[line.head.min(at.start)..at.start];
                (name.len() > 2 && name.ends_with(b": ") && !name[..name.len() - 2].contains(&b' '))
                    .then_some(line.head)
            }
            Place::Exit => number_after(after).then_some(line.head),
            Place::Count => (number_before(before) && count_ends(after)).then_some(line.head),
            Place::Http => http(t, at.start).then_some(at.start),
        }
    }
}

/// Whether a word is not part of a longer one, of a flag, a path or a name. What the table spells from inside a word
/// (`onnection refused`, `Error` in `TypeError`) may have letters before it.
fn bounded(t: &[u8], at: &Range<usize>) -> bool {
    let inner = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let left = at.start == 0 || !inner(t[at.start]) || !b"-/_".contains(&t[at.start - 1]);
    let right = !inner(t[at.end - 1]) || t.get(at.end).is_none_or(|b| !inner(*b) && !b"-/".contains(b));
    left && right
}

/// Whether a word that follows `before` begins there.
fn begins(before: &[u8]) -> bool {
    before.last().is_none_or(|b| !b.is_ascii_alphanumeric() && *b < 0x80 && !b"_-./\\@#$`'\"".contains(b))
}

/// Whether a word in capitals stands alone: not in a path, a call, an assignment or a quotation.
fn alone(before: &[u8], after: &[u8]) -> bool {
    before.last().is_none_or(|b| b" \t[(|<:=".contains(b) || *b >= 0x80)
        && after.first().is_none_or(|b| b" \t])|>:,!".contains(b) || *b >= 0x80)
        && !after.starts_with(b"::")
}

/// Whether the words around say that there was none, or only speak of it: `no errors`, `error: null`, `on error`.
fn denied(before: &[u8], after: &[u8]) -> bool {
    const NO: &[&str] =
        &["no", "No", "NO", "0", "without", "zero", "any", "not", "if", "on", "an", "the", "of", "and", "or"];
    let words = before.trim_ascii_end();
    let said = |w: &&str| words.ends_with(w.as_bytes()) && begins(&words[..words.len() - w.len()]);
    if words.len() < before.len() && NO.iter().any(said) {
        return true;
    }
    let Some(value) = after.strip_prefix(b":").or_else(|| after.strip_prefix(b"=")) else { return false };
    let value = value.trim_ascii();
    let value = value.strip_suffix(b",").unwrap_or(value);
    const NOTHING: &[&str] = &[
        "",
        "0",
        "null",
        "none",
        "None",
        "nil",
        "<nil>",
        "false",
        "[]",
        "{}",
        "\"\"",
        "''",
        "string",
        "0,",
        "undefined",
    ];
    NOTHING.iter().any(|n| value == n.as_bytes())
}

/// Whether `error` at `at` stands where programs put a severity.
fn level_word(line: &Line<'_>, at: &Range<usize>) -> bool {
    let (before, after) = (&line.bytes()[..at.start], &line.bytes()[at.end..]);
    // Build services: `##[error]…`, `::error file=…::…`.
    if before.ends_with(b"##[") || before == b"::" {
        return true;
    }
    if !begins(before) || denied(before, after) {
        return false;
    }
    let says = line.head == at.start;
    let colon = before.ends_with(b": ") || before.ends_with(b" - ") || before.ends_with(b"|");
    if coded(after) {
        return says || colon;
    }
    if [&b": "[..], b":\t", b"!", b"\t", b" error: "].iter().any(|mark| after.starts_with(mark)) {
        return says || colon || qualified(&before[line.head.min(before.len())..]);
    }
    if !after.starts_with(b" ") {
        return false;
    }
    let next = after.trim_ascii_start();
    if says {
        let names = next.first().is_some_and(|b| b.is_ascii_uppercase() || b"\"'`0123456789".contains(b));
        return line.stamped || names || line.bytes()[at.start].is_ascii_uppercase() && doing(next);
    }
    // `dpkg: error processing package`: after the name of a program.
    let name = &before[line.head.min(before.len())..];
    name.len() > 2 && name.ends_with(b": ") && name[0].is_ascii_lowercase() && !name[..name.len() - 2].contains(&b' ')
}

/// Whether what follows is the code of a compiler: `[E0308]`, ` TS2307:`, ` [ERR_X]`.
fn coded(after: &[u8]) -> bool {
    let rest = after.strip_prefix(b" ").unwrap_or(after);
    if let Some(inside) = rest.strip_prefix(b"[") {
        let len = inside.iter().take_while(|b| b.is_ascii_alphanumeric() || b":_-".contains(b)).count();
        return len > 0 && inside.get(len) == Some(&b']');
    }
    let letters = rest.iter().take_while(|b| b.is_ascii_uppercase()).count();
    let digits = rest[letters..].iter().take_while(|b| b.is_ascii_digit()).count();
    rest.len() < after.len() && (1..=8).contains(&letters) && digits > 1 && rest.get(letters + digits) == Some(&b':')
}

/// Whether one or two words stand before `error:`, as in `rsync error: …`, `internal compiler error: …`.
fn qualified(before: &[u8]) -> bool {
    let before = &before[before.len().saturating_sub(64)..];
    let after_colon = before.windows(2).rposition(|w| w == b": ").map_or(0, |n| n + 2);
    let words = &before[after_colon..];
    words.ends_with(b" ")
        && words.iter().all(|b| b.is_ascii_alphabetic() || *b == b' ')
        && (1..=2).contains(&words.split(|b| *b == b' ').filter(|w| !w.is_empty()).count())
}

/// Whether `Error …` goes on as a message does: `Error connecting to …`, `Error while reading …`.
fn doing(next: &[u8]) -> bool {
    let word = &next[..next.iter().take_while(|b| b.is_ascii_alphabetic()).count()];
    const HOW: &[&str] = &["while", "in", "during", "on", "at", "when", "code", "from", "occurred", "response"];
    const TALK: &[&str] = &["handling", "reporting", "checking", "logging", "using", "tracing"];
    let is = |list: &[&str]| list.iter().any(|w| word == w.as_bytes());
    is(HOW) || word.ends_with(b"ing") && !is(TALK)
}

/// Whether nothing but a time or a percentage follows.
fn last(after: &[u8]) -> bool {
    let rest = after.trim_ascii();
    rest.is_empty()
        || (rest.len() < 40 && (rest.starts_with(b"[") || rest.starts_with(b"(") || rest.starts_with(b"in ")))
}

/// Finds where an exception's name that ends in `at` begins, if it stands where exceptions are told.
fn exception(line: &Line<'_>, at: &Range<usize>) -> Option<usize> {
    let t = line.bytes();
    let after = &t[at.end..];
    let told = after.starts_with(b": ") || after == b":" || after.starts_with(b" [") || after.starts_with(b" (");
    if !(told || after.trim_ascii().is_empty() || after.starts_with(b"; ")) {
        return None;
    }
    let name =
        t[..at.start].iter().rev().take(NAME).take_while(|b| b.is_ascii_alphanumeric() || b"_.$:".contains(b)).count();
    let start = at.start - name;
    // `path.py:281: TypeError` has no name before it; `file.rs:Error` is no exception.
    let simple = t[start..at.start].rsplit(|b| b".:$".contains(b)).next().unwrap_or(&[]);
    let named = t[at.start].is_ascii_uppercase() && simple.first().is_none_or(u8::is_ascii_uppercase);
    if !named || !begins(&t[..start]) || t[start..].starts_with(b":") {
        return None;
    }
    let before = t[..start].trim_ascii_end();
    if start == line.head {
        // Alone on its line a word is a heading; a path of names is an exception.
        return (told || after.starts_with(b"; ") || t[start..at.start].contains(&b'.')).then_some(start);
    }
    const TELL: &[&str] = &[
        "Caused by:",
        "Uncaught",
        "Unhandled",
        "Suppressed:",
        "[cause]:",
        "exception.",
        "exception:",
        "\"",
        "(in promise)",
    ];
    let tells = TELL.iter().any(|word| before.ends_with(word.as_bytes()));
    (tells || told && (before.ends_with(b":") || before.ends_with(b" -") || before == b"E")).then_some(start)
}

/// Whether what stands before a reason ends in a colon, or is nothing.
fn reason_before(line: &Line<'_>, start: usize) -> bool {
    let before = &line.bytes()[..start];
    // `Permission denied` is looked for without its first letter, to catch both cases.
    let before = match before {
        [rest @ .., b'P' | b'p' | b'A' | b'a'] => rest,
        _ => before,
    };
    before.len() == line.head || before.ends_with(b": ") && !before.ends_with(b"\": ") || before.ends_with(b"] ")
}

/// Whether a reason ends the sentence, or says of what.
fn phrase_ends(after: &[u8]) -> bool {
    let rest = after.trim_ascii_start();
    let on = [" (", " in ", " for ", " by ", " while ", " after ", " at "];
    rest.is_empty()
        || after.first().is_some_and(|b| b".:;,)".contains(b))
        || on.iter().any(|word| after.starts_with(word.as_bytes()))
}

/// Whether a number other than 0 follows, perhaps after `code`, `status` or a sign.
fn number_after(after: &[u8]) -> bool {
    let mut rest = after;
    for _ in 0..4 {
        rest = rest.trim_ascii_start();
        let word = [&b"code"[..], b"status", b":", b"=", b"\"", b"'"];
        match word.iter().find_map(|w| rest.strip_prefix(*w)) {
            Some(left) => rest = left,
            None => break,
        }
    }
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    // `failed 3 times` is a sentence: a number right after a bare word needs a sign, a `code` or a `with`.
    (1..=5).contains(&digits) && rest[..digits].iter().any(|b| *b != b'0') && !rest[digits..].starts_with(b"%")
}

/// Whether a number other than 0 stands right before.
fn number_before(before: &[u8]) -> bool {
    let words = before.trim_ascii_end();
    let words = words.strip_suffix(b"tests").or_else(|| words.strip_suffix(b"test")).unwrap_or(words).trim_ascii_end();
    let digits = words.iter().rev().take_while(|b| b.is_ascii_digit() || **b == b',').count();
    let number = &words[words.len() - digits..];
    let lead = &words[..words.len() - digits];
    let said = lead.trim_ascii_end();
    // In a sentence (`past 403 errors`) it is no summary.
    let summary = said.last().is_none_or(|b| b",;:(=[|-*>".contains(b) || *b >= 0x80)
        || [&b"ound"[..], b"with", b"esults", b"result", b"ompleted"].iter().any(|w| said.ends_with(w));
    before.ends_with(b" ")
        && digits > 0
        && number.iter().any(|b| b.is_ascii_digit() && *b != b'0')
        && lead.last().is_none_or(|b| b" (,[\t=".contains(b))
        && summary
}

/// Whether a count ends there, as summaries do: `3 failed, …`, `2 errors generated.`, `1 error in 3 files`.
fn count_ends(after: &[u8]) -> bool {
    let rest = after.trim_ascii_end();
    rest.is_empty()
        || matches!(rest, [b',' | b';' | b')' | b']', ..] | [b'.'] | [b'.', b' ', ..])
        || [" in ", " generated", " and ", " out of ", " occurred", " found", " (", " |"]
            .iter()
            .any(|w| after.starts_with(w.as_bytes()))
}

/// Whether the quotation mark at `at` ends a request and a status of 500 to 509 follows.
fn http(t: &[u8], at: usize) -> bool {
    let version = t[at.saturating_sub(9)..at].rsplit(|b| *b == b' ').next().unwrap_or(&[]);
    version.starts_with(b"HTTP/")
        && t.get(at + 4).is_some_and(u8::is_ascii_digit)
        && t.get(at + 5).is_none_or(|b| *b == b' ')
}
