//! What a question asks for besides its words: `how many` wants a number, `why` a failure, `where` a place; and whether
//! a line has that shape.

/// What the answer's line should look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// A count near the words.
    Number,
    /// A time span: `62.24s`, `10 minutes`.
    Duration,
    /// `3.2.25`.
    Version,
    /// `36.4 MB`, `1446 bytes`.
    Size,
    /// A time of day or a date.
    Time,
    /// `src/main.rs:17`, `line 12`.
    Place,
    /// `https://…`.
    Url,
    /// `/usr/bin`.
    Path,
}

/// What was asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Intent {
    /// The shapes of which the line should have one.
    pub(super) shapes: Vec<Shape>,
    /// Whether it is about something that went wrong.
    pub(super) failure: bool,
    /// Whether it asks for the cause of that.
    pub(super) cause: bool,
    /// Which of the words only ask, by their places.
    pub(super) asking: Vec<usize>,
}

/// Words that ask for a failure.
const FAILURE: &[&str] = &[
    "why",
    "wrong",
    "broken",
    "fail",
    "failed",
    "fails",
    "failing",
    "failure",
    "failures",
    "error",
    "errors",
    "crash",
    "crashed",
    "panic",
    "exception",
    "exceptions",
    "problem",
    "problems",
    "issue",
    "issues",
    "cannot",
    "can't",
    "couldn't",
    "unable",
    "missing",
    "invalid",
    "undefined",
    "unresolved",
    "refused",
    "denied",
    "rejected",
    "fatal",
    "abort",
    "aborted",
    "bug",
    "cause",
    "mismatch",
    "mismatched",
    "unexpected",
    "unsupported",
    "timeout",
    "not",
    "unused",
    "deprecated",
    "typo",
    "warning",
];

/// Words that ask for what went wrong without naming it.
const CAUSE: &[&str] = &[
    "why", "wrong", "broken", "problem", "problems", "issue", "issues", "cannot", "can't", "couldn't", "unable",
    "cause", "reason",
];

/// Questions and the shapes of their answers; a phrase is in the order of the words.
const QUESTIONS: &[(&str, Shape)] = &[
    ("how many", Shape::Number),
    ("number of", Shape::Number),
    ("count", Shape::Number),
    ("total", Shape::Number),
    ("how long", Shape::Duration),
    ("duration", Shape::Duration),
    ("elapsed", Shape::Duration),
    ("how fast", Shape::Duration),
    ("slowest", Shape::Duration),
    ("took", Shape::Duration),
    ("version", Shape::Version),
    ("versions", Shape::Version),
    ("how big", Shape::Size),
    ("how large", Shape::Size),
    ("how much", Shape::Size),
    ("size", Shape::Size),
    ("when", Shape::Time),
    ("what time", Shape::Time),
    ("date", Shape::Time),
    ("which line", Shape::Place),
    ("where", Shape::Place),
    ("line number", Shape::Place),
    ("which file", Shape::Place),
    ("url", Shape::Url),
    ("link", Shape::Url),
    ("address", Shape::Url),
    ("directory", Shape::Path),
    ("folder", Shape::Path),
    ("path", Shape::Path),
];

/// Returns what the folded words of a query ask for.
pub(super) fn intent(words: &[&str]) -> Intent {
    let mut intent = Intent {
        failure: words.iter().any(|w| FAILURE.contains(w)),
        cause: words.iter().any(|w| CAUSE.contains(w)),
        ..Intent::default()
    };
    for &(phrase, shape) in QUESTIONS {
        let phrase: Vec<&str> = phrase.split(' ').collect();
        let Some(at) = words.windows(phrase.len()).position(|w| w == phrase) else { continue };
        intent.asking.extend(at..at + phrase.len());
        if !intent.shapes.contains(&shape) {
            intent.shapes.push(shape);
        }
    }
    intent
}

/// Whether a number stands right beside one of the places: `3 failed`, `failures: 2`, `failures="2"`.
pub(super) fn counted(line: &[u8], mut places: impl Iterator<Item = (usize, usize)>) -> bool {
    places.any(|(from, to)| {
        let before = line[..from.min(line.len())].strip_suffix(b" ").unwrap_or(&[]);
        let digits = before.iter().rev().take_while(|b| b.is_ascii_digit() || **b == b',').count();
        let stands = before[..before.len() - digits].last().is_none_or(|b| !b.is_ascii_alphanumeric() && *b != b'.');
        let after = &line[to.min(line.len())..];
        let signs = after.iter().take_while(|b| b":= \"".contains(b)).take(3).count();
        digits > 0 && stands
            || after[..signs].iter().any(|b| b":=".contains(b))
                && after[signs..].first().is_some_and(u8::is_ascii_digit)
    })
}

/// Whether a folded line has a shape; `near` is where its words stand.
pub(super) fn has(line: &[u8], shape: Shape, near: std::ops::Range<usize>) -> bool {
    match shape {
        Shape::Number => {
            let from = near.start.saturating_sub(24);
            let to = (near.end + 24).min(line.len());
            numbers(&line[from.min(to)..to]).next().is_some()
        }
        Shape::Duration => unit_after_number(
            line,
            &[
                "ms", "s", "sec", "secs", "second", "seconds", "us", "ns", "min", "mins", "minute", "minutes", "h",
                "hour", "hours", "day", "days", "m",
            ],
        ),
        Shape::Size => unit_after_number(
            line,
            &["b", "kb", "mb", "gb", "tb", "kib", "mib", "gib", "k", "m", "g", "byte", "bytes", "chars", "kbytes"],
        ),
        Shape::Version => {
            numbers(line).any(|(_, to)| line.get(to) == Some(&b'.') && line.get(to + 1).is_some_and(u8::is_ascii_digit))
        }
        Shape::Time => {
            let digits = |at: usize, n: usize| line.get(at..at + n).is_some_and(|d| d.iter().all(u8::is_ascii_digit));
            memchr::memchr_iter(b':', line).any(|at| at >= 2 && digits(at - 2, 2) && digits(at + 1, 2))
                || memchr::memchr_iter(b'-', line).any(|at| at >= 4 && digits(at - 4, 4) && digits(at + 1, 2))
        }
        Shape::Place => {
            memchr::memchr_iter(b':', line).any(|at| {
                line.get(at + 1).is_some_and(u8::is_ascii_digit)
                    && at > 2
                    && line[at - 1].is_ascii_alphabetic()
                    && line[at.saturating_sub(6)..at].contains(&b'.')
            }) || memchr::memmem::find(line, b"line ")
                .is_some_and(|at| line.get(at + 5).is_some_and(u8::is_ascii_digit))
        }
        Shape::Url => memchr::memmem::find(line, b"://").is_some(),
        Shape::Path => memchr::memchr_iter(b'/', line)
            .any(|at| line.get(at + 1).is_some_and(u8::is_ascii_alphabetic) && (at == 0 || line[at - 1] != b'<')),
    }
}

/// Iterates over the runs of digits that are numbers, not parts of a word.
fn numbers(line: &[u8]) -> impl Iterator<Item = (usize, usize)> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            at += line[at..].iter().position(u8::is_ascii_digit)?;
            let from = at;
            at += line[at..].iter().take_while(|b| b.is_ascii_digit()).count();
            if from == 0 || !line[from - 1].is_ascii_alphanumeric() {
                return Some((from, at));
            }
        }
    })
}

fn unit_after_number(line: &[u8], units: &[&str]) -> bool {
    numbers(line).any(|(_, to)| {
        let mut rest = &line[to..];
        if rest.first() == Some(&b'.') {
            let digits = rest[1..].iter().take_while(|b| b.is_ascii_digit()).count();
            rest = &rest[1 + digits..];
        }
        rest = rest.strip_prefix(b" ").unwrap_or(rest);
        let letters = rest.iter().take_while(|b| b.is_ascii_alphabetic()).count();
        units.iter().any(|u| u.as_bytes() == &rest[..letters])
    })
}

/// How much a folded line looks like the report of a failure: 0, 1 (a warning) or 2.
pub(super) fn severity(line: &[u8]) -> u8 {
    let start = line.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(0);
    let line = &line[start..line.len().min(start + 400)];
    let begins = |words: &[&str]| words.iter().any(|w| line.starts_with(w.as_bytes()));
    let holds = |words: &[&str]| words.iter().any(|w| memchr::memmem::find(line, w.as_bytes()).is_some());
    if begins(&[
        "error",
        "fail",
        "fatal",
        "e   ",
        "panic",
        "exception",
        "traceback",
        "severe",
        "not ok",
        "--- fail",
        "npm err",
        "caused by",
    ]) || holds(&[
        " error:",
        " error ",
        "[error",
        " error[",
        "error:",
        "fatal:",
        " failed",
        "failed:",
        "failure",
        "exception:",
        "error]",
        " panicked at",
        "severe",
        "critical",
        "traceback",
        " error\t",
        "\"level\":\"error",
        "] error",
        "cannot ",
        "\tat error",
        "exception in",
        "exited with",
        "... failed",
        "segmentation fault",
    ]) {
        return 2;
    }
    u8::from(begins(&["warn", "caution"]) || holds(&["warning:", " warn ", " warning ", "[warn", "warning["]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_ask_for_shapes() {
        let shapes = |q: &str| intent(&q.split(' ').collect::<Vec<_>>()).shapes;
        assert_eq!(shapes("how many tests passed"), [Shape::Number]);
        assert_eq!(shapes("how long did it take"), [Shape::Duration]);
        assert_eq!(shapes("what version of clap"), [Shape::Version]);
        assert!(shapes("ownership rules").is_empty());
        assert!(intent(&["why", "does", "it", "stop"]).failure && !intent(&["ownership"]).failure);
    }

    #[test]
    fn lines_have_shapes() {
        let shows = |line: &str, shape| has(line.as_bytes(), shape, 0..line.len());
        assert!(shows("330 passed", Shape::Number) && !shows("e0308", Shape::Number));
        assert!(shows("in 62.24s (0:01:02)", Shape::Duration) && shows("up to 10 minutes", Shape::Duration));
        assert!(!shows("62 passed", Shape::Duration));
        assert!(shows("clap v3.2.25", Shape::Version));
        assert!(shows("36.4 mb", Shape::Size) && shows("1446 bytes", Shape::Size) && !shows("36.4 mbox", Shape::Size));
        assert!(shows("at 04:12:31", Shape::Time) && shows("2026-11-08", Shape::Time) && !shows("a:b", Shape::Time));
        assert!(
            shows("src/main.rs:17", Shape::Place) && shows("line 12", Shape::Place) && !shows("04:12:31", Shape::Place)
        );
    }

    #[test]
    fn failures_are_told_from_the_rest() {
        assert_eq!(severity(b"error[e0308]: mismatched types"), 2);
        assert_eq!(severity(b"    warning: unused import"), 1);
        assert_eq!(severity(b"test result: ok"), 0);
    }
}
