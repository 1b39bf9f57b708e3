//! Whether a text is one JSON value or one a line: a walk over the tokens of its start, without recursion.

use super::{Kind, Sample};

/// How deep the kinds of the open brackets are remembered; below that any closing bracket is taken.
const DEPTH: usize = 4096;
/// How many good tokens and bytes make a broken value JSON that is damaged, rather than something else.
const DAMAGED: (u64, usize) = (50, 1024);

/// How the walk over one value ended.
#[derive(Debug, PartialEq, Eq)]
enum End {
    /// The value ends before this byte.
    At(usize),
    /// The bytes ended first.
    Cut,
    /// What stands at this byte, after so many good tokens, is no JSON.
    Broken(usize, u64),
}

/// Tells [`Kind::Json`] and [`Kind::Ndjson`]; `None` for what is neither.
pub(super) fn detect(sample: &Sample<'_>) -> Option<Kind> {
    let head = super::without_mark(sample.head);
    let start = head.iter().position(|b| !b.is_ascii_whitespace())?;
    let whole = sample.bytes <= sample.head.len() as u64;
    let collection = matches!(head[start], b'{' | b'[');
    match value(head, start) {
        End::Cut if collection => Some(if ends_in_records(sample) { Kind::Ndjson } else { Kind::Json }),
        // A string or a number longer than the sample.
        End::Cut => (head[start] == b'"' || head.len() - start > 4096).then_some(Kind::Json),
        End::Broken(at, tokens) => (collection && tokens >= DAMAGED.0 && at >= DAMAGED.1).then_some(Kind::Json),
        End::At(end) => {
            let rest = head[end..].trim_ascii();
            if rest.is_empty() {
                return (collection || whole).then_some(Kind::Json);
            }
            if collection && !head[start..end].contains(&b'\n') && records(&head[end..], whole) {
                return Some(Kind::Ndjson);
            }
            // Something follows: JSON with a tail that is none, if it is most of what is seen.
            (collection && end - start > (head.len() / 2).max(DAMAGED.1)).then_some(Kind::Json)
        }
    }
}

/// Whether the lines after a first value are values, too, but for one in ten.
fn records(rest: &[u8], whole: bool) -> bool {
    let (mut good, mut bad) = (0usize, 0usize);
    let mut lines = rest.split(|b| *b == b'\n').peekable();
    // What follows the first value on its own line.
    if lines.next().is_some_and(|line| !line.trim_ascii().is_empty()) {
        return false;
    }
    while let Some(line) = lines.next() {
        let last = lines.peek().is_none();
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        match value(line, 0) {
            End::At(end) if end == line.len() && matches!(line[0], b'{' | b'[') => good += 1,
            // The sample or the text ends in this line.
            End::Cut if last => good += 1,
            _ => bad += usize::from(!last || whole),
        }
    }
    good > 0 && bad * 9 <= good
}

/// Whether the text ends in lines that are values of their own, though its first line is longer than the sample.
fn ends_in_records(sample: &Sample<'_>) -> bool {
    if sample.bytes <= sample.head.len() as u64 || sample.head.contains(&b'\n') {
        return false;
    }
    let mut lines = sample.tail.trim_ascii_end().rsplit(|b| *b == b'\n');
    let last = lines.next().unwrap_or(&[]).trim_ascii();
    lines.next().is_some() && matches!(last.first(), Some(b'{' | b'[')) && value(last, 0) != End::Broken(0, 0)
}

/// Walks over the value that begins at `from`.
fn value(text: &[u8], from: usize) -> End {
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Expect {
        Value,
        ValueOrEnd,
        Key,
        KeyOrEnd,
        Colon,
        CommaOrEnd,
    }
    use Expect::{Colon, CommaOrEnd, Key, KeyOrEnd, Value, ValueOrEnd};
    let mut open: Vec<u8> = Vec::new();
    let (mut depth, mut expect, mut at, mut tokens) = (0usize, Value, from, 0u64);
    while at < text.len() {
        let b = text[at];
        if b.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        // What the innermost bracket is, where that is remembered.
        let inner = if depth == open.len() { open.last().copied() } else { None };
        let unknown = depth > open.len();
        match (expect, b) {
            (Value | ValueOrEnd, b'{' | b'[') => {
                depth += 1;
                if depth <= DEPTH {
                    open.push(b);
                }
                expect = if b == b'{' { KeyOrEnd } else { ValueOrEnd };
                at += 1;
            }
            (ValueOrEnd | CommaOrEnd, b']') | (KeyOrEnd | CommaOrEnd, b'}')
                if unknown || inner == Some(if b == b']' { b'[' } else { b'{' }) =>
            {
                if !unknown {
                    open.pop();
                }
                depth -= 1;
                expect = CommaOrEnd;
                at += 1;
            }
            (CommaOrEnd, b',') if depth > 0 => {
                expect = if inner == Some(b'{') { Key } else { Value };
                at += 1;
            }
            (Colon, b':') | (CommaOrEnd, b':') if expect == Colon || unknown => {
                expect = Value;
                at += 1;
            }
            (Value | ValueOrEnd | Key | KeyOrEnd, b'"') => match string(&text[at..]) {
                Some(len) => {
                    at += len;
                    expect = if matches!(expect, Key | KeyOrEnd) { Colon } else { CommaOrEnd };
                }
                None if text[at..].contains(&b'\n') => return End::Broken(at, tokens),
                None => return End::Cut,
            },
            (Value | ValueOrEnd, _) => {
                let len = text[at..].iter().take_while(|b| b.is_ascii_alphanumeric() || b"+-.".contains(b)).count();
                if at + len == text.len() && depth > 0 {
                    return End::Cut;
                }
                if !scalar(&text[at..at + len]) {
                    return End::Broken(at, tokens);
                }
                at += len;
                expect = CommaOrEnd;
            }
            _ => return End::Broken(at, tokens),
        }
        tokens += 1;
        if depth == 0 && expect == CommaOrEnd {
            return End::At(at);
        }
    }
    End::Cut
}

/// Returns the length of the string at the start, if it ends before the line does.
fn string(text: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        at += memchr::memchr3(b'"', b'\\', b'\n', text.get(at..)?)?;
        match text[at] {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => return None,
        }
    }
}

/// Whether a token is a number or one of the names; `NaN` and the infinities are what many programs write.
fn scalar(token: &[u8]) -> bool {
    if matches!(token, b"true" | b"false" | b"null" | b"NaN" | b"Infinity" | b"-Infinity") {
        return true;
    }
    let digits = token.strip_prefix(b"-").unwrap_or(token);
    let at_most_one = |set: &[u8]| digits.iter().filter(|b| set.contains(b)).count() <= 1;
    digits.first().is_some_and(u8::is_ascii_digit)
        && digits.iter().all(|b| b.is_ascii_digit() || b".eE+-".contains(b))
        && at_most_one(b".")
        && at_most_one(b"eE")
        && at_most_one(b"+-")
}
