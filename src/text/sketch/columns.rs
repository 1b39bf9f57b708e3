//! What the objects of a long array have in common, and which of them look like failures.
//!
//! The keys of all items are counted, and the values of keys that carry a verdict (`status`, `level`) while they are few.
//! An item looks like a failure by the verdict it carries: `"level": "error"`, `"status": 503`, `"success": false`,
//! `"error": "…"`, `"exit_code": 1`. The first few of these are kept, because the cause is rarely among the first or the
//! last items.

use super::Sketch;
use crate::text::json::{Kind, Token};
use crate::text::show::thousands;
use crate::text::{clean, cut};

/// The most keys that are told apart.
const KEYS: usize = 64;
/// The most values of a verdict that are told apart.
const VALUES: usize = 6;
/// How many items that look like failures are kept.
const KEPT: usize = 3;

/// Keys whose value is a verdict on their object.
const VERDICTS: [&str; 18] = [
    "level",
    "levelname",
    "loglevel",
    "log_level",
    "lvl",
    "severity",
    "status",
    "state",
    "result",
    "outcome",
    "conclusion",
    "verdict",
    "phase",
    "statuscode",
    "status_code",
    "code",
    "health",
    "priority",
];
/// Keys that say what went wrong, if their value is not empty, zero or false.
const FAULTS: [&str; 20] = [
    "error",
    "err",
    "errors",
    "exception",
    "failure",
    "failures",
    "failed",
    "fault",
    "panic",
    "stacktrace",
    "stack_trace",
    "traceback",
    "error_message",
    "errormessage",
    "error_code",
    "errorcode",
    "exit_code",
    "exitcode",
    "exit_status",
    "returncode",
];
/// Keys that say that all is well, if their value is true.
const GOOD: [&str; 6] = ["success", "succeeded", "ok", "passed", "healthy", "valid"];
/// What a bad verdict begins with or has after a separator.
const BAD: [&str; 16] = [
    "err",
    "fail",
    "fatal",
    "crit",
    "panic",
    "emerg",
    "alert",
    "abort",
    "crash",
    "denied",
    "timeout",
    "timed_out",
    "timedout",
    "killed",
    "unhealthy",
    "broken",
];
/// What stands where nothing went wrong.
const NOTHING: [&str; 9] = ["", "0", "none", "null", "no", "false", "n/a", "-", "ok"];

/// What a key tells of its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Plain,
    Verdict,
    Fault,
    Good,
}

/// One key of the objects.
#[derive(Clone, Debug)]
struct Column {
    name: String,
    /// How many objects have it.
    count: u64,
    role: Role,
    /// The values of a verdict, while they are few.
    values: Vec<(String, u64)>,
    open: bool,
}

/// An item that looks like a failure.
#[derive(Debug)]
pub struct Item {
    /// Its place in the array.
    pub index: u64,
    /// It, cut down.
    pub sketch: Sketch,
}

/// What the items of an outer array are like.
#[derive(Debug, Default)]
pub struct Columns {
    columns: Vec<Column>,
    /// Objects among the items.
    pub objects: u64,
    /// Arrays among the items.
    pub arrays: u64,
    /// Items that look like failures.
    pub failures: u64,
    /// The first of them that are not among the first items anyway.
    pub kept: Vec<Item>,
    /// Whether there were more keys.
    more: bool,
    next: usize,
    due: Option<usize>,
    failed: bool,
    inner: bool,
}

impl Columns {
    /// Counts an item that is an object or an array; its keys follow.
    pub fn item(&mut self, kind: Kind) {
        (self.next, self.due, self.failed, self.inner) = (0, None, false, false);
        self.objects += u64::from(kind == Kind::ObjectStart);
        self.arrays += u64::from(kind == Kind::ArrayStart);
    }

    /// Counts a key of an object.
    pub fn key(&mut self, token: &Token<'_>) {
        self.due = None;
        if self.columns.get(self.next).is_none_or(|c| c.name.as_bytes() != token.raw) {
            let value = token.value();
            match self.columns.iter().position(|c| c.name == value) {
                Some(at) => self.next = at,
                None if self.columns.len() == KEYS => {
                    self.more = true;
                    return;
                }
                None => {
                    self.next = self.columns.len();
                    let name = cut::start(&value, 80).into_owned();
                    let role = role(&name);
                    self.columns.push(Column { name, count: 0, role, values: Vec::new(), open: false });
                }
            }
        }
        let column = &mut self.columns[self.next];
        column.count += 1;
        if column.role != Role::Plain {
            self.due = Some(self.next);
        }
        self.next += 1;
    }

    /// Sees the value of the key just counted.
    #[inline]
    pub fn value(&mut self, token: &Token<'_>) {
        if let Some(at) = self.due.take() {
            self.verdict(at, token);
        }
    }

    fn verdict(&mut self, at: usize, token: &Token<'_>) {
        let column = &mut self.columns[at];
        let text = if token.kind == Kind::String { token.value() } else { String::from_utf8_lossy(token.raw) };
        let bad = match (column.role, token.kind) {
            (Role::Verdict, Kind::String) => bad_word(&text),
            (Role::Verdict, Kind::Number) => token.raw.len() == 3 && token.raw.starts_with(b"5"),
            (Role::Fault, Kind::ObjectStart) => true,
            (Role::Fault, Kind::String | Kind::Number) => !NOTHING.contains(&text.trim().to_ascii_lowercase().as_str()),
            (Role::Fault, Kind::Bool) => token.raw == b"true",
            (Role::Good, Kind::Bool) => token.raw == b"false",
            _ => false,
        };
        self.failures += u64::from(bad && !self.failed);
        self.failed |= bad;
        let scalar = matches!(token.kind, Kind::String | Kind::Number | Kind::Bool);
        if matches!(column.role, Role::Fault | Role::Plain) || column.open || !scalar {
            return;
        }
        match column.values.iter().position(|(value, _)| *value == text) {
            Some(at) => column.values[at].1 += 1,
            None if column.values.len() == VALUES || text.len() > 40 => {
                column.open = true;
                column.values.clear();
            }
            None => column.values.push((text.into_owned(), 1)),
        }
    }

    /// Sees a key one level further in: how bad a message is, is often told there.
    #[inline]
    pub fn inner_key(&mut self, token: &Token<'_>) {
        self.inner = matches!(token.raw, b"level" | b"severity");
    }

    /// Sees the value of that key.
    #[inline]
    pub fn inner_value(&mut self, token: &Token<'_>) {
        if std::mem::take(&mut self.inner) && token.kind == Kind::String && bad_word(&token.value()) {
            self.failures += u64::from(!self.failed);
            self.failed = true;
        }
    }

    /// Whether the item just read looks like a failure and should be kept.
    pub fn wants_item(&self) -> bool {
        self.failed && self.kept.len() < KEPT
    }

    /// Returns how many items look like failures, as it goes on from how many there are; nothing if none or all do.
    pub fn failing(&self) -> String {
        match self.failures {
            0 => String::new(),
            n if n == self.objects => String::new(),
            1 => ", 1 looks like a failure".to_owned(),
            n => format!(", {} look like failures", thousands(n)),
        }
    }

    /// Returns the keys for a reader, in at most `max` chars: `id, status (ok ×1,979, failed ×21), refund (in 800), …`.
    pub fn names(&self, max: usize) -> String {
        let mut out = String::new();
        for (k, column) in self.columns.iter().enumerate() {
            let key = clean::line(column.name.as_bytes());
            let mut told = Vec::new();
            if column.count < self.objects {
                told.push(format!("in {}", thousands(column.count)));
            }
            if column.values.len() > 1 {
                let value =
                    |(value, n): &(String, u64)| format!("{} ×{}", clean::line(value.as_bytes()), thousands(*n));
                let mut values: Vec<_> = column.values.iter().collect();
                crate::order::by_key(&mut values, |(_, n)| std::cmp::Reverse(*n));
                told.extend(values.into_iter().map(value));
            }
            let word = if told.is_empty() { key.into_owned() } else { format!("{key} ({})", told.join(", ")) };
            let more = k + 1 < self.columns.len() || self.more;
            if out.chars().count() + word.chars().count() + 2 + 3 * usize::from(more) > max {
                out.push_str(if out.is_empty() { "…" } else { ", …" });
                return out;
            }
            if k > 0 {
                out.push_str(", ");
            }
            out.push_str(&word);
        }
        if self.more {
            out.push_str(", …");
        }
        out
    }
}

fn role(name: &str) -> Role {
    let name = name.trim_start_matches('@').to_ascii_lowercase();
    let name = name.as_str();
    if VERDICTS.contains(&name) {
        Role::Verdict
    } else if FAULTS.contains(&name) {
        Role::Fault
    } else if GOOD.contains(&name) {
        Role::Good
    } else {
        Role::Plain
    }
}

/// Whether a verdict is a bad one: `error`, `FAILED`, `test-failure`.
fn bad_word(text: &str) -> bool {
    if text.len() > 40 {
        return false;
    }
    let lower = text.to_ascii_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).any(|word| BAD.iter().any(|bad| word.starts_with(bad)))
        || BAD.iter().any(|bad| lower.starts_with(bad))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::json::Tokens;
    use crate::text::sketch::Limits;

    fn columns(text: &str) -> Columns {
        let limits = Limits::for_chars(2000, 2, 1);
        let mut sketch = Sketch::read(&mut Tokens::new(text.as_bytes()), limits).unwrap();
        sketch.columns.remove(0)
    }

    #[test]
    fn verdicts_are_counted_and_the_first_failures_kept() {
        let rows: Vec<String> = (0..100)
            .map(|k| format!("{{\"id\": {k}, \"status\": \"{}\"}}", if k % 20 == 7 { "FAILED" } else { "ok" }))
            .collect();
        let columns = columns(&format!("[{}]", rows.join(",")));
        assert_eq!(columns.names(100), "id, status (ok ×95, FAILED ×5)");
        assert_eq!(columns.failures, 5);
        assert_eq!(columns.kept.iter().map(|item| item.index).collect::<Vec<_>>(), [7, 27, 47]);
        assert_eq!(columns.names(12), "id, …");
    }

    #[test]
    fn failures_are_told_from_mentions() {
        for (item, fails) in [
            ("{\"level\": \"error\"}", true),
            ("{\"@level\": \"FATAL\"}", true),
            ("{\"status\": 503}", true),
            ("{\"status\": 200}", false),
            ("{\"status\": \"build-failed\"}", true),
            ("{\"status\": \"preferred\"}", false),
            ("{\"success\": false}", true),
            ("{\"success\": true}", false),
            ("{\"error\": null}", false),
            ("{\"error\": \"\"}", false),
            ("{\"error\": \"disk full\"}", true),
            ("{\"error\": {\"code\": 1}}", true),
            ("{\"errors\": 0}", false),
            ("{\"errors\": []}", false),
            ("{\"exit_code\": 1}", true),
            ("{\"exit_code\": 0}", false),
            ("{\"message\": \"error\"}", false),
            ("{\"inner\": {\"level\": \"error\"}}", true),
            ("{\"inner\": {\"status\": \"error\"}}", false),
            ("[\"error\"]", false),
        ] {
            assert_eq!(columns(&format!("[{item}]")).failures, u64::from(fails), "{item}");
        }
    }
}
