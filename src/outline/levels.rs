//! How grave a line of a log says it is, and which lines begin a section.
//!
//! A severity is believed where a severity stands: a level name in capitals among the first words, `[error]`,
//! `level=error`, `error:`, `npm error`; and in the forms of test results, exceptions and compilers. Not: `0 errors`,
//! `--error-format`, `std::error::Error`.

use std::sync::OnceLock;

use aho_corasick::packed::Searcher;

/// How grave a line is, gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Fatal,
    Error,
    Failed,
    Warn,
    Plain,
    Info,
    Debug,
    Trace,
    Passed,
}

impl Level {
    pub(super) const COUNT: usize = 9;
    pub(super) const ALL: [Level; 9] = [
        Level::Fatal,
        Level::Error,
        Level::Failed,
        Level::Warn,
        Level::Plain,
        Level::Info,
        Level::Debug,
        Level::Trace,
        Level::Passed,
    ];

    /// Returns the name that counts are given under; empty for lines without a level.
    pub(super) fn name(self) -> &'static str {
        ["FATAL", "ERROR", "FAILED", "WARN", "", "INFO", "DEBUG", "TRACE", "PASSED"][self as usize]
    }

    /// Whether something went wrong.
    pub(super) fn is_grave(self) -> bool {
        self <= Level::Failed
    }

    /// Returns what a level name in capitals (or another script) means.
    fn of_name(word: &str) -> Option<Level> {
        Some(match word {
            "FATAL" | "CRITICAL" | "CRIT" | "EMERG" | "EMERGENCY" | "ALERT" | "PANIC" | "致命的" => Level::Fatal,
            "ERROR" | "ERR" | "SEVERE" | "FEHLER" | "SCHWERWIEGEND" | "ERREUR" | "重大" | "错误" | "錯誤"
            | "エラー" => Level::Error,
            "FAILED" | "FAIL" | "FAILURE" => Level::Failed,
            "WARN" | "WARNING" | "WRN" | "WARNUNG" | "AVERTISSEMENT" | "警告" => Level::Warn,
            "INFO" | "INF" | "NOTICE" | "INFORMATION" | "情報" | "信息" | "資訊" => Level::Info,
            "DEBUG" | "DBG" | "FINE" | "FINER" => Level::Debug,
            "TRACE" | "FINEST" | "VERBOSE" => Level::Trace,
            "PASSED" | "PASS" => Level::Passed,
            _ => return None,
        })
    }

    /// Returns what a level name in small letters means, where it stands as a level.
    fn of_small(word: &str) -> Option<Level> {
        Some(match word {
            "fatal" | "critical" | "crit" | "emerg" | "alert" | "panic" => Level::Fatal,
            "error" | "severe" => Level::Error,
            "warn" | "warning" => Level::Warn,
            "info" | "notice" | "note" | "information" => Level::Info,
            "debug" | "verbose" => Level::Debug,
            "trace" | "silly" => Level::Trace,
            _ => return None,
        })
    }
}

/// Tells in a few nanoseconds that a line has no level.
pub(super) struct Gate {
    stems: Option<Searcher>,
}

/// Without one of these no line has a level.
const STEMS: &[&str] = &[
    "rror",
    "ERR",
    "SEVERE",
    "severe",
    "FEHLER",
    "atal",
    "FATAL",
    "CRIT",
    "crit",
    "EMERG",
    "emerg",
    "ALERT",
    "alert",
    "anic",
    "PANIC",
    "arn",
    "WRN",
    "WARN",
    "INF",
    "info",
    "NOTICE",
    "noti",
    "not",
    "ebug",
    "DBG",
    "DEBUG",
    "race",
    "TRACE",
    "FINE",
    "VERBOSE",
    "verbose",
    "silly",
    "FAIL",
    "PASS",
    "ok",
    "xception",
    "fault",
    "***",
    "Caused by",
    "undefined ref",
    "Killed",
    "exit",
    "dumped",
    "Uncaught",
];

impl Gate {
    pub(super) fn new() -> Gate {
        Gate { stems: Searcher::new(STEMS.iter()) }
    }

    /// Whether the line could have a level; all lines beyond ASCII could.
    pub(super) fn may_have_level(&self, line: &[u8]) -> bool {
        let found = self.stems.as_ref().is_none_or(|stems| stems.find(line).is_some());
        found || line.starts_with(b"E ") || !line.is_ascii()
    }
}

/// How far into a line a level is looked for, in bytes.
const LEVEL_WITHIN: usize = 320;
/// Among how many first words a level name in capitals is one.
const LEVEL_WORDS: usize = 10;

/// Returns how grave a (clean) line says it is.
pub(super) fn of(line: &str) -> Level {
    let line = crate::text::cut::head_of(line, LEVEL_WITHIN);
    let trimmed = line.trim();
    if let Some(level) = by_words(trimmed) {
        return level;
    }
    by_form(line, trimmed)
}

fn by_words(line: &str) -> Option<Level> {
    let bytes = line.as_bytes();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let (mut at, mut nth) = (0, 0);
    let mut before = "";
    while at < line.len() {
        let rest = &line[at..];
        let len = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        if len == 0 {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        }
        let word = &rest[..len];
        let ahead = &rest[len..];
        let prior = if at > 0 { bytes[at - 1] } else { b' ' };
        let outside = if at > 1 { bytes[at - 2] } else { b' ' };
        let none_of_it = matches!(before, "0" | "no" | "No" | "zero")
            && line[..at].strip_suffix(' ').is_some_and(|l| l.ends_with(before))
            || is_zero(ahead);
        let stands_free =
            !matches!(prior, b'-' | b'.' | b'/' | b'$' | b'\\') && !ahead.starts_with(['-', '(', '/', '.']);
        if stands_free && !none_of_it {
            if let Some(level) = Level::of_name(word)
                && (nth < LEVEL_WORDS || matches!(level, Level::Failed | Level::Passed))
            {
                return Some(level);
            }
            if let Some(level) = Level::of_small(word).or_else(|| titled(word))
                && (stands_as_level(before, outside, prior, ahead, nth))
            {
                return Some(level);
            }
        }
        before = word;
        at += len;
        // The parts of a time stamp and the numbers of threads are no words.
        nth += usize::from(!word.starts_with(|c: char| c.is_ascii_digit()));
    }
    None
}

/// `Error:` and `Warning:` are levels as `error:` is.
fn titled(word: &str) -> Option<Level> {
    match word {
        "Error" => Some(Level::Error),
        "Fatal" => Some(Level::Fatal),
        "Warning" => Some(Level::Warn),
        _ => None,
    }
}

fn is_zero(ahead: &str) -> bool {
    let value = ahead.trim_start_matches(['"', ':', '=', ' ']);
    ahead.len() - value.len() <= 3
        && value.starts_with('0')
        && !value[1..].starts_with(|c: char| c.is_alphanumeric() || c == '.')
}

/// Whether a small-letter level name stands where a level does.
fn stands_as_level(before: &str, outside: u8, prior: u8, ahead: &str, nth: usize) -> bool {
    // Not `Type[Warning]`, nor `on(error)`.
    let bracketed = matches!(prior, b'[' | b'<' | b'|')
        && ahead.starts_with([']', '>', '|'])
        && matches!(outside, b' ' | b']' | b')' | b'-' | b'|');
    let named =
        matches!(before, "level" | "lvl" | "severity" | "loglevel") && matches!(prior, b'=' | b':' | b'"' | b' ');
    let after_npm = nth == 1 && matches!(before, "npm" | "yarn" | "pnpm");
    // `error:`, not `error::Error`; `error[E0308]:`; `error TS2304:`.
    let colon = |s: &str| s.starts_with(':') && !s.starts_with("::");
    let coded = ahead
        .strip_prefix('[')
        .and_then(|a| a.find(']').map(|n| &a[n + 1..]))
        .or_else(|| {
            let code = ahead.strip_prefix(' ')?;
            let n = code.find(|c: char| !c.is_ascii_alphanumeric())?;
            let (code, after) = code.split_at(n);
            (code.starts_with(|c: char| c.is_ascii_uppercase()) && code.ends_with(|c: char| c.is_ascii_digit()))
                .then_some(after)
        })
        .is_some_and(colon);
    bracketed && nth < LEVEL_WORDS || named || after_npm || (colon(ahead) || coded) && prior != b':' && prior != b'='
}

/// The forms of test results, exceptions and tools that name no level.
fn by_form(line: &str, trimmed: &str) -> Level {
    let starts = |s: &str| trimmed.starts_with(s);
    if starts("not ok ") || starts("✗") || starts("✘") || starts("✕") || starts("✖") || starts("❌") {
        return Level::Failed;
    }
    if starts("test ") && trimmed.ends_with(" ok")
        || starts("ok ")
        || starts("✓")
        || starts("✔")
        || starts("√")
        || starts("✅")
    {
        return Level::Passed;
    }
    // A frame of a stack trace or a quoted line of source is not the fault itself.
    if starts("at ") || starts("File \"") || starts("|") {
        return Level::Plain;
    }
    // pytest marks the lines that tell of the fault.
    let raised = line.strip_prefix("E   ").map_or(trimmed, str::trim_start);
    let head = raised.split([':', ' ', '(']).next().unwrap_or("");
    let name = head.rsplit(['.', '$']).next().unwrap_or("");
    let exception = name.len() > 5
        && (name.ends_with("Error") || name.ends_with("Exception") || name.ends_with("Fault"))
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && (raised.len() == head.len() || raised[head.len()..].starts_with(':'));
    let anywhere =
        ["panicked at", "Segmentation fault", "undefined reference to", "core dumped", ": command not found"];
    if exception
        || starts("Caused by:")
        || starts("Traceback (most recent call last)")
        || starts("make: *** ")
        || starts("Exception in thread ")
        || starts("Uncaught ")
        || starts("Killed")
        || line.strip_prefix("E   ").is_some_and(|rest| rest.trim_start().starts_with("assert "))
        || trimmed.starts_with("make[") && trimmed.contains("]: *** ")
        || anywhere.iter().any(|form| trimmed.contains(form))
        || exit_code(trimmed)
    {
        return Level::Error;
    }
    Level::Plain
}

/// Whether the line tells of a failed exit: `exit code 1`, `exited with status 2`, not 0.
fn exit_code(line: &str) -> bool {
    ["exit code ", "exit code: ", "exit status ", "exit status: ", "exited with code ", "exited with status "]
        .iter()
        .any(|form| {
            line.find(form).is_some_and(|at| line[at + form.len()..].starts_with(|c: char| matches!(c, '1'..='9')))
        })
}

/// Returns the status of an access log's line: the number after its quoted request.
pub(super) fn http_status(line: &str) -> Option<u16> {
    let at = line.find(" HTTP/")?;
    let after = &line[at..];
    let digits = after[after.find("\" ")? + 2..].split([' ', ',']).next()?;
    (digits.len() == 3).then(|| digits.parse().ok()).flatten()
}

/// Whether a raw line could begin a section, by its first bytes.
pub(super) fn may_be_section(line: &[u8]) -> bool {
    let first = line.iter().find(|b| **b != b' ').copied().unwrap_or(b' ');
    matches!(first, b'=' | b'-' | b'_' | b'*' | b'#' | b'+' | b'~' | b':' | b'>' | b'$' | b'[' | 0x1B | b'0'..=b'9')
        || matches!(first, b'B' | b'D' | b'F' | b'P' | b'R' | b'S' | b'T' | b'f' | b'm' | b'r' | b't')
}

/// Whether a (clean) line begins or closes a section of a log.
pub(super) fn is_section(line: &str) -> bool {
    let trimmed = line.trim();
    if trimmed.len() < 4 || line.len() > 400 {
        return false;
    }
    ruled(trimmed) || section_form(line, trimmed)
}

/// `===== FAILURES =====`, `--- stderr ---`, `==> file <==`: a title between rulers.
fn ruled(line: &str) -> bool {
    let bytes = line.as_bytes();
    let mark = bytes[0];
    if !matches!(mark, b'=' | b'-' | b'_' | b'*' | b'#' | b'+' | b'~') {
        return false;
    }
    let ahead = bytes.iter().take_while(|&&b| b == mark).count();
    let behind = bytes.iter().rev().take_while(|&&b| b == mark).count();
    let title = line.get(ahead..line.len().saturating_sub(behind)).unwrap_or("").trim();
    let named = title.chars().filter(|c| c.is_alphabetic()).count() >= 2;
    if line.starts_with("==> ") {
        return named;
    }
    named && ahead >= 3 && behind >= 3 && bytes.get(ahead) == Some(&b' ')
}

fn section_form(line: &str, trimmed: &str) -> bool {
    const STARTS: [&str; 24] = [
        "##[group]",
        "##[section]",
        "::group::",
        "> Task ",
        "PLAY [",
        "TASK [",
        "PLAY RECAP",
        "RUNNING HANDLER",
        "Running unittests ",
        "Running tests/",
        "Doc-tests ",
        "test result: ",
        "--- FAIL",
        "BUILD SUCCESS",
        "BUILD FAIL",
        "Finished ",
        "Tests: ",
        "Test Suites: ",
        "Full thread dump",
        "[INFO] --- ",
        "[INFO] Building ",
        "[INFO] BUILD",
        "[INFO] Reactor Summary",
        "failures:",
    ];
    let counted = |start: &str, next: &[char]| {
        trimmed.strip_prefix(start).is_some_and(|rest| {
            let digits = rest.trim_start_matches(|c: char| c.is_ascii_digit());
            digits.len() < rest.len() && digits.starts_with(next)
        })
    };
    STARTS.iter().any(|start| trimmed.starts_with(start))
        || line.starts_with("Step ") && counted("Step ", &['/', ' ', ':'])
        || line.starts_with("#") && counted("#", &[' ']) && trimmed.contains(" [") && trimmed.contains("/")
        || line.starts_with("running ") && counted("running ", &[' ']) && trimmed.ends_with(['s', 't'])
        || line.starts_with("Ran ") && counted("Ran ", &[' ']) && trimmed.contains(" in ")
        || trimmed.starts_with("make") && trimmed.contains(": Entering directory")
        || trimmed.starts_with("$ ")
}

/// Words that make a line without a level worth seeing.
pub(super) fn is_telling(line: &str) -> bool {
    static WORDS: OnceLock<Option<Searcher>> = OnceLock::new();
    let words = WORDS.get_or_init(|| {
        Searcher::new([
            "imeout",
            "imed out",
            "retry",
            "denied",
            "refused",
            "killed",
            "not found",
            "deprecat",
            "slow",
            "missing",
            "annot ",
            "unable",
            "nvalid",
            "ummary",
            "otal",
            "passed",
            "failed",
            "failure",
            "finished",
            "listening",
            "version",
            "exit",
            "abort",
            "xpired",
            "skipp",
            "conflict",
            "unknown",
        ])
    });
    words.as_ref().is_some_and(|words| words.find(line.as_bytes()).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_believed_where_a_level_stands() {
        for (line, level) in [
            ("2026-11-08 04:12:31 ERROR disk /dev/sda1 full", Level::Error),
            ("2026-11-08 04:12:31 INFO retry after ERROR", Level::Info),
            ("2026-11-08 04:12:31,123 [pool-1-thread-5] WARN a.b.C - error 3", Level::Warn),
            ("01-Dec-2026 02:13:55.910 SEVERE [main] org.apache x", Level::Error),
            ("01-Dec-2026 02:14:15.151 情報 [main] org.apache x", Level::Info),
            ("src/a.c:12:5: error: expected ';'", Level::Error),
            ("error[E0308]: mismatched types", Level::Error),
            ("a.ts(3,1): error TS2304: Cannot find name 'x'.", Level::Error),
            ("npm error code ENOENT", Level::Error),
            ("npm ERR! code ENOENT", Level::Error),
            ("npm silly fetch manifest x", Level::Trace),
            (r#"{"level":"warn","msg":"x"}"#, Level::Warn),
            ("level=error msg=x", Level::Error),
            ("[error] 12#12: *1 open() failed", Level::Error),
            ("test a::b ... FAILED", Level::Failed),
            ("test a::b ... ok", Level::Passed),
            ("pt/test_shop.py::test_price[0-0] PASSED        [  0%]", Level::Passed),
            ("not ok 3 - adds", Level::Failed),
            ("json.decoder.JSONDecodeError: Expecting value", Level::Error),
            ("\tjakarta.servlet.ServletException: audit filter", Level::Error),
            ("thread 'main' panicked at src/main.rs:3:5:", Level::Error),
            ("process exited with exit code 101", Level::Error),
            ("make: *** [Makefile:3: all] Error 1", Level::Error),
        ] {
            assert_eq!(of(line), level, "{line}");
        }
    }

    #[test]
    fn names_flags_and_zero_counts_are_no_errors() {
        for line in [
            "Compiling thiserror v1.0.69",
            "rustc --error-format=json src/main.rs",
            "use std::error::Error;",
            "0 errors, 0 warnings",
            "ERRORS: 0",
            "failed: 0",
            "    at org.example.BadError.init(BadError.java:4)",
            "exit code 0",
            "log_error(x)",
            "server.on('error', (error) => {",
            "x: Union[Type[Error], None] = 1",
        ] {
            assert!(!of(line).is_grave(), "{line}");
        }
    }

    #[test]
    fn the_gate_lets_every_level_through() {
        let gate = Gate::new();
        for name in [
            "FATAL",
            "CRIT",
            "EMERG",
            "ALERT",
            "PANIC",
            "ERROR",
            "ERR",
            "SEVERE",
            "FEHLER",
            "FAILED",
            "WARN",
            "WRN",
            "INFO",
            "INF",
            "NOTICE",
            "DEBUG",
            "DBG",
            "FINE",
            "TRACE",
            "VERBOSE",
            "PASSED",
            "[error]",
            "[warn]",
            "[info]",
            "npm silly",
        ] {
            let line = format!("x {name} y");
            assert!(of(&line) == Level::Plain || gate.may_have_level(line.as_bytes()), "{name}");
        }
    }

    #[test]
    fn sections_are_titles_and_phases() {
        for line in [
            "===== FAILURES =====",
            "____ test_x[1] ____",
            "--- stderr ---",
            "==> Downloading",
            "test result: ok. 3 passed",
            "     Running unittests src/lib.rs",
            "running 12 tests",
            "Step 3/10 : RUN make",
            "make[1]: Entering directory '/x'",
        ] {
            assert!(is_section(line) && may_be_section(line.as_bytes()), "{line}");
        }
        for line in ["=====", "-----------", "--- a/file", "a = b", "- item - item -", "running late"] {
            assert!(!is_section(line), "{line}");
        }
    }
}
