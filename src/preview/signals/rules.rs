//! The table of what tells that something failed: a word, the place where it must stand, and what it then means.
//!
//! A word alone says nothing (`thiserror`, `--error-format`, `0 errors`); a word in the place where programs put their
//! verdicts does. Every word of the table contains one of the [`STEMS`], which are searched for over the raw bytes at
//! memory speed; only lines with a stem are cleaned and held against the table.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, Input, Span, packed};

use super::line::{Level, Line};
use super::place::Place;

/// How bad a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// A warning.
    Warning,
    /// Something was denied, missing or answered with a failure; it may be expected.
    Suspect,
    /// An error, an exception, a failed test, a failed command.
    Error,
    /// The end of a program: a panic, a crash, out of memory.
    Fatal,
}

/// One row of the table.
struct Rule {
    word: &'static str,
    place: Place,
    means: Severity,
}

const fn rule(word: &'static str, place: Place, means: Severity) -> Rule {
    Rule { word, place, means }
}

use Place::{
    Anywhere, Complaint, Count, Exception, Exit, First, Head, Header, Http, LevelWord, Named, Reason, Verdict, Word,
};
use Severity::{Error, Fatal, Suspect, Warning};

/// The table. Where several rows hold for a line the worst wins.
#[rustfmt::skip]
const RULES: &[Rule] = &[
    // The end of a program.
    rule("panicked at", Anywhere, Fatal),
    rule("panic:", Head, Fatal),
    rule("Kernel panic", Anywhere, Fatal),
    rule("Segmentation fault", Anywhere, Fatal),
    rule("segmentation fault", Anywhere, Fatal),
    rule("by SIGSEGV", Anywhere, Fatal),
    rule("signal SIGSEGV", Anywhere, Fatal),
    rule(", SIGSEGV", Anywhere, Fatal),
    rule("by SIGABRT", Anywhere, Fatal),
    rule("signal SIGABRT", Anywhere, Fatal),
    rule(", SIGABRT:", Anywhere, Fatal),
    rule("core dumped", Anywhere, Fatal),
    rule("Aborted", Reason, Fatal),
    rule("Killed", Reason, Fatal),
    // A shell tells so of a job: `./run.sh: line 3: 12345 Killed    ./prog`.
    rule("Killed  ", Anywhere, Fatal),
    rule("Aborted  ", Anywhere, Fatal),
    rule("OOMKilled", Anywhere, Fatal),
    rule("Out of memory", Reason, Fatal),
    rule("out of memory", Reason, Fatal),
    rule("Unhandled exception", Anywhere, Fatal),
    rule("fatal", LevelWord, Fatal),
    rule("Fatal", LevelWord, Fatal),
    rule("FATAL", Word, Fatal),
    rule("CRITICAL", Word, Fatal),
    // Severities as logs, compilers and linters write them.
    rule("error", LevelWord, Error),
    rule("Error", LevelWord, Error),
    rule("ERROR", Word, Error),
    rule("SEVERE", Word, Error),
    rule("ERR!", Head, Error),
    rule("npm ERR!", Head, Error),
    rule("npm error", Head, Error),
    rule("CMake Error", Head, Error),
    rule("internal error", LevelWord, Error),
    rule("Error response from", Head, Error),
    rule("Error from server", Head, Error),
    rule("level\":50", Anywhere, Error),
    rule("level\":60", Anywhere, Fatal),
    // Exceptions: the line that names one, not the frames.
    rule("Traceback (most recent call last):", Header, Fatal),
    rule("Error", Exception, Error),
    rule("Exception", Exception, Error),
    rule("Error)", Verdict, Error),
    // Tests and builds.
    rule("FAILED", Head, Error),
    rule("FAILED", Verdict, Error),
    rule("FAIL", Head, Error),
    rule("FAIL", Verdict, Error),
    rule("--- FAIL", Head, Error),
    rule("FAILURE:", Head, Error),
    rule("***Failed", Anywhere, Error),
    rule("BUILD FAILED", Anywhere, Error),
    rule("BUILD FAILURE", Anywhere, Error),
    rule("Build failed", Head, Error),
    rule("not ok", Head, Error),
    rule("✗ ", Head, Error),
    rule("✘ ", Head, Error),
    rule("✕ ", Head, Error),
    rule("✖ ", Head, Error),
    rule("E   ", First, Error),
    rule("<failure ", Anywhere, Error),
    rule("ssertion failed", Anywhere, Error),
    rule("ssertion `", Anywhere, Error),
    rule("failed", Count, Error),
    rule("failing", Count, Error),
    rule("failure", Count, Error),
    rule("failures", Count, Error),
    rule("error", Count, Error),
    rule("errors", Count, Error),
    rule("Failures", Exit, Error),
    rule("failures", Exit, Error),
    rule("failed", Exit, Error),
    // Commands, linkers, make, version control.
    rule("exit code", Exit, Error),
    rule("exit status", Exit, Error),
    rule("exit_code", Exit, Error),
    rule("exit_status", Exit, Error),
    rule("exited with", Exit, Error),
    rule("didn't exit successfully", Anywhere, Suspect),
    rule("*** ", Named, Error),
    rule("undefined reference to", Anywhere, Error),
    rule("undefined symbol", Anywhere, Error),
    rule("ndefined symbols for", Anywhere, Error),
    rule("undefined: ", Complaint, Error),
    rule("cannot find -l", Anywhere, Error),
    rule("command not found", Reason, Error),
    rule("CONFLICT (", Head, Error),
    rule("CrashLoopBackOff", Anywhere, Error),
    rule("ImagePullBackOff", Anywhere, Error),
    rule("Failed to", Head, Error),
    rule("Failed to", Anywhere, Suspect),
    rule("No space left on device", Anywhere, Error),
    rule(": fatal error ", Anywhere, Error),
    rule("subcommand failed", Anywhere, Error),
    rule("connect: connection refused", Anywhere, Error),
    rule("ccess denied for user", Anywhere, Error),
    rule("Unable to connect to", Head, Error),
    rule("Operation timed out", Head, Error),
    rule("! Undefined control sequence", Head, Error),
    rule("AssertionError", Head, Error),
    // Reasons that are a failure more often than not.
    rule("No such file or directory", Reason, Suspect),
    rule("No such", Complaint, Suspect),
    rule("not found", Reason, Suspect),
    rule("not found", Verdict, Suspect),
    rule("ermission denied", Reason, Suspect),
    rule("ccess denied", Reason, Suspect),
    rule("onnection refused", Anywhere, Suspect),
    rule("onnection reset", Anywhere, Suspect),
    rule("timed out", Reason, Suspect),
    rule("timed out", Verdict, Suspect),
    rule("failed to", Anywhere, Suspect),
    rule("failed:", Anywhere, Suspect),
    rule("failed with", Anywhere, Suspect),
    rule("failed", Verdict, Suspect),
    rule("Failed", Verdict, Suspect),
    rule("cannot ", Complaint, Suspect),
    rule("Cannot ", Complaint, Suspect),
    rule("Unable to", Complaint, Suspect),
    rule("unable to", Complaint, Suspect),
    rule("nsupported method", Anywhere, Suspect),
    rule("\" 50", Http, Suspect),
    // The same in other languages.
    rule("失敗", Anywhere, Suspect),
    rule("失败", Anywhere, Suspect),
    rule("エラー", LevelWord, Error),
    rule("错误", LevelWord, Error),
    rule("错误", Reason, Error),
    rule("錯誤", LevelWord, Error),
    rule("重大", Word, Error),
    rule("致命", Word, Fatal),
    rule("Fehler", LevelWord, Error),
    rule("rreur", LevelWord, Error),
    rule("警告", LevelWord, Warning),
    // Warnings.
    rule("warning", LevelWord, Warning),
    rule("Warning", LevelWord, Warning),
    rule("WARNING", Word, Warning),
    rule("warn", LevelWord, Warning),
    rule("WARN", Word, Warning),
    rule("npm warn", Head, Warning),
    rule("npm WARN", Head, Warning),
    rule("Warning", Exception, Warning),
];

/// What is searched for in the raw text; of four bytes at least, because shorter ones make the packed search four
/// times slower (measured), at most 64, and cut so that cases and endings of a word share one.
#[rustfmt::skip]
const STEMS: &[&str] = &[
    "rror", "ERRO", "ERR!", "ERR ", "ERR]", "fail", "Fail", "FAIL", "panic", "fatal", "Fatal", "FATAL", "xception",
    "warn", "Warn", "WARN", "SEVERE", "CRIT", "[crit", "raceback (most", "exit", "denied", "not ok", "not found",
    "No such", "onnection re", "Killed", "*** ", "ore dumped", "ut of memory", "ndefined", "timed out", "Abort",
    "egmentation", "SIGSEGV", "SIGABRT", "E   ", "\" 50", "annot ", "nable to", "CONFLICT (", "BackOff", "el\":50",
    "el\":60", "ssertion `", "o space left", "nsupported method", "✗ ", "✘ ", "✕ ", "✖ ", "✗\x1b", "✘\x1b",
    "✕\x1b", "失敗", "失败", "エラー", "错误", "錯誤", "重大", "致命", "警告", "Fehler", "rreur",
];

enum Finder {
    Packed(packed::Searcher),
    /// Where the processor lacks the instructions that the packed search needs.
    Plain(AhoCorasick),
}

/// The table made ready: built once, at the first text that needs it.
struct Table {
    finder: Finder,
    /// For each stem the rules whose word contains it, and where.
    rules: Vec<Vec<(&'static Rule, usize)>>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut packed = packed::Config::new().match_kind(packed::MatchKind::LeftmostFirst).builder();
    let finder = match packed.extend(STEMS).build() {
        Some(searcher) => Finder::Packed(searcher),
        // Building fails only for patterns of more than 2^31 bytes in all; these are a few hundred.
        None => Finder::Plain(AhoCorasick::new(STEMS).expect("a short list of short words")),
    };
    let mut rules = vec![Vec::new(); STEMS.len()];
    for rule in RULES {
        if let Some((stem, at)) = stem_of(rule.word) {
            rules[stem].push((rule, at));
        }
    }
    Table { finder, rules }
});

/// Returns the number of the stem that a word contains, and where.
fn stem_of(word: &str) -> Option<(usize, usize)> {
    STEMS.iter().enumerate().find_map(|(k, stem)| Some((k, word.find(stem)?)))
}

impl Table {
    fn find(&self, bytes: &[u8], from: usize) -> Option<(usize, Range<usize>)> {
        let span = Span::from(from..bytes.len());
        let found = match &self.finder {
            Finder::Packed(packed) => packed.find_in(bytes, span),
            Finder::Plain(automaton) => automaton.find(Input::new(bytes).span(span)),
        };
        found.map(|m| (m.pattern().as_usize(), m.range()))
    }
}

/// Returns where a stem stands in raw bytes, at or after `from`.
pub(super) fn next_stem(bytes: &[u8], from: usize) -> Option<usize> {
    TABLE.find(bytes, from).map(|(_, at)| at.start)
}

/// What a line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) severity: Severity,
    /// The word of the table that stood, or the severity that the line gives itself, in bytes of the cleaned line.
    pub(super) word: Range<usize>,
    /// Where what the line says begins: after time stamps, logger names and the place in a source file.
    pub(super) from: usize,
    pub(super) place: Place,
}

/// How many stems of one line are held against the table.
const MOST_STEMS: usize = 64;

/// Whether a line is what a compiler adds to a message of its own: `file.h:12:5: note: …`. The message tells it all.
fn is_note(text: &str) -> bool {
    let Some(at) = text.find(": note: ") else { return false };
    text[..at].ends_with(|c: char| c.is_ascii_digit()) && !text[..at].contains(' ')
}

/// Judges a clean line; `None` if nothing in it tells of a failure.
pub(super) fn judge(text: &str) -> Option<Finding> {
    let line = Line::read(text);
    if is_note(text) {
        return None;
    }
    let own = line.level.as_ref().and_then(|(level, word)| {
        let severity = match level {
            Level::Info => return None,
            Level::Warning => Warning,
            Level::Error => Error,
            Level::Fatal => Fatal,
        };
        Some(Finding { severity, from: word.start, word: word.clone(), place: Word })
    });
    let mut worst: Option<Finding> = None;
    let mut at = 0;
    for _ in 0..MOST_STEMS {
        let Some((stem, range)) = TABLE.find(text.as_bytes(), at) else { break };
        for &(rule, offset) in &TABLE.rules[stem] {
            let Some(start) = range.start.checked_sub(offset) else { continue };
            let word = start..start + rule.word.len();
            if worst.as_ref().is_some_and(|w| w.severity >= rule.means)
                || text.as_bytes().get(word.clone()) != Some(rule.word.as_bytes())
            {
                continue;
            }
            if let Some(from) = rule.place.holds(&line, &word) {
                worst = Some(Finding { severity: rule.means, word, from, place: rule.place });
            }
        }
        at = range.end;
    }
    // `cp: cannot stat 'x': No such file or directory` is how programs say that they failed.
    if let Some(worst) = worst.as_mut().filter(|worst| worst.severity == Suspect && line.names_program()) {
        worst.severity = Error;
    }
    // A line that says its own severity is believed, but for what no program says of itself.
    match (&line.level, worst) {
        (Some((Level::Info, _)), worst) => {
            worst.filter(|w| w.severity == Fatal && matches!(w.place, Anywhere | Header))
        }
        (Some((Level::Warning, _)), Some(worst))
            if worst.severity == Fatal && matches!(worst.place, Anywhere | Header) =>
        {
            Some(worst)
        }
        (Some((Level::Warning, _)), _) => own,
        (Some(_), Some(worst))
            if worst.place == Header || own.as_ref().is_some_and(|own| worst.severity > own.severity) =>
        {
            Some(worst)
        }
        (Some(_), _) => own,
        (None, worst) => worst,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_a_stem_and_the_packed_search_takes_them_all() {
        for rule in RULES {
            assert!(stem_of(rule.word).is_some(), "{}", rule.word);
        }
        assert!(STEMS.iter().all(|s| s.len() >= 4) && STEMS.len() <= 64);
        assert!(matches!(TABLE.finder, Finder::Packed(_)) || cfg!(not(target_arch = "x86_64")));
    }
}
