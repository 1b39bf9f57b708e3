//! THE table of commands, modes and flags. Parsing, help, the man page, the completions and the README's option list
//! all come from it; settings are flags too, from the table in [`crate::settings`].

use std::ffi::OsString;
use std::process::ExitCode;

use super::{Context, Failure};
use crate::settings::{Group, Key, Setting, Value};
use crate::text::show::parse_duration;

/// What was typed, before anything is done about it.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Opts {
    /// Positional words, in order.
    pub words: Vec<OsString>,
    /// What follows the first `--` (or the first word) of a command that runs others.
    pub rest: Vec<OsString>,
    /// Settings given as flags, in order.
    pub settings: Vec<(Key, Value)>,
    /// Flags of modes that were given, to tell those that do not fit the mode.
    pub given: Vec<&'static str>,
    /// `--tool`.
    pub tool: Option<String>,
    /// `--label`.
    pub label: Option<String>,
    /// `--json`.
    pub json: bool,
    /// `--raw`.
    pub raw: bool,
    /// `--verify`.
    pub verify: bool,
    /// `--no-store`.
    pub no_store: bool,
    /// `-i`.
    pub ignore_case: bool,
    /// `-F`.
    pub fixed: bool,
    /// `-w`.
    pub word: bool,
    /// `-v`.
    pub invert: bool,
    /// `-c`.
    pub count: bool,
    /// `-o`.
    pub only_matching: bool,
    /// `-B`.
    pub before: Option<usize>,
    /// `-A`.
    pub after: Option<usize>,
    /// `-m`.
    pub max_count: Option<u64>,
    /// `-e`, each.
    pub patterns: Vec<String>,
    /// `--start`.
    pub start: Option<u64>,
    /// `--skip`.
    pub skip: Option<usize>,
    /// `--limit`.
    pub limit: Option<usize>,
    /// `--id`, each.
    pub ids: Vec<String>,
    /// `--since`, in seconds.
    pub since: Option<u64>,
    /// `--type`.
    pub kind: Option<String>,
    /// `--sort`.
    pub sort: Option<String>,
    /// `--partial`.
    pub partial: bool,
    /// `--names`.
    pub names: bool,
    /// `--verbose`.
    pub verbose: bool,
    /// `--dry-run`.
    pub dry_run: bool,
    /// `--timeout`, in milliseconds.
    pub timeout_ms: Option<u64>,
    /// `--stderr`.
    pub stderr_separate: bool,
    /// `-j`.
    pub jobs: Option<usize>,
    /// `--fail-fast`.
    pub fail_fast: bool,
}

/// What completes the value of a flag or a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Complete {
    /// Nothing can be offered.
    Nothing,
    /// These words.
    Words(&'static [&'static str]),
    /// A folder.
    Folder,
    /// The id of a blob.
    Id,
    /// A program and its arguments.
    Program,
}

/// One flag.
#[derive(Debug)]
pub struct Flag {
    /// The letter, for `-x`.
    pub short: Option<char>,
    /// The name, for `--name`.
    pub long: &'static str,
    /// The placeholder of its value; `None` for a switch.
    pub value: Option<&'static str>,
    /// What completes the value.
    pub complete: Complete,
    /// One sentence.
    pub about: &'static str,
    /// Checks the value and records it; does nothing else.
    pub set: fn(&mut Opts, String) -> Result<(), String>,
}

/// A mode of `fetch`.
#[derive(Debug)]
pub struct Mode {
    /// Its name.
    pub name: &'static str,
    /// What follows it.
    pub args: &'static str,
    /// One sentence.
    pub about: &'static str,
    /// The flags that only some modes take, by name.
    pub flags: &'static [&'static str],
}

/// One command.
#[derive(Debug)]
pub struct Command {
    /// Its name; the filter's is empty.
    pub name: &'static str,
    /// What follows it, for the usage line.
    pub args: &'static str,
    /// One sentence.
    pub about: &'static str,
    /// More, for its help and the man page: paragraphs.
    pub long: &'static str,
    /// Its own flags.
    pub flags: &'static [&'static [Flag]],
    /// The settings it takes as flags.
    pub settings: &'static [Group],
    /// What completes its words.
    pub complete: Complete,
    /// Whether everything from the first word on belongs to a program that it runs.
    pub runs: bool,
    /// Commands that help and completions leave out.
    pub hidden: bool,
    /// What does it.
    pub run: fn(&Context, Opts) -> Result<ExitCode, Failure>,
}

const fn switch(
    short: Option<char>,
    long: &'static str,
    about: &'static str,
    set: fn(&mut Opts, String) -> Result<(), String>,
) -> Flag {
    Flag { short, long, value: None, complete: Complete::Nothing, about, set }
}

const fn value(
    (short, long, value): (Option<char>, &'static str, &'static str),
    complete: Complete,
    about: &'static str,
    set: fn(&mut Opts, String) -> Result<(), String>,
) -> Flag {
    Flag { short, long, value: Some(value), complete, about, set }
}

fn whole<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("needs a whole number from 0, not {text:?}"))
}

fn seconds(text: &str) -> Result<u64, String> {
    let parsed = parse_duration(text).map(|d| d.as_secs());
    parsed.ok_or_else(|| format!("needs a duration like 90s, 2h or 3d, not {text:?}"))
}

static SOURCE: &[Flag] = &[
    value(
        (Some('t'), "tool", "NAME"),
        Complete::Nothing,
        "Name the tool the text comes from; default stdin, or the program that is run.",
        |o, v| {
            o.tool = Some(v);
            Ok(())
        },
    ),
    value(
        (None, "label", "NAME"),
        Complete::Nothing,
        "Name the chain of versions in the place of the command line.",
        |o, v| {
            o.label = Some(v);
            Ok(())
        },
    ),
    switch(None, "no-store", "Let the text pass whatever its size, and store nothing.", |o, _| {
        o.no_store = true;
        Ok(())
    }),
];

/// What becomes of standard error.
const STREAMS: &[&str] = &["joined", "separate"];

static TIMEOUT: &[Flag] = &[value(
    (None, "timeout", "TIME"),
    Complete::Nothing,
    "Stop a command after this long: 90s, 5m; status 124, its output is kept.",
    |o, v| {
        let wrong = || format!("needs a duration like 90s, 2h or 3d, not {v:?}");
        let timeout = parse_duration(&v).ok_or_else(wrong)?;
        o.timeout_ms = Some(u64::try_from(timeout.as_millis()).map_err(|_| wrong())?);
        Ok(())
    },
)];

static STDERR: &[Flag] = &[value(
    (None, "stderr", "HOW"),
    Complete::Words(STREAMS),
    "Filter standard error with the output (joined), or let it pass (separate).",
    |o, v| {
        o.stderr_separate = one_of(v, STREAMS)? == "separate";
        Ok(())
    },
)];

static BATCH: &[Flag] = &[
    value(
        (Some('j'), "jobs", "N"),
        Complete::Nothing,
        "Run N at a time; default as many as there are processors.",
        |o, v| {
            o.jobs = Some(whole::<usize>(&v)?.max(1));
            Ok(())
        },
    ),
    switch(None, "fail-fast", "Start no more commands after the first that fails.", |o, _| {
        o.fail_fast = true;
        Ok(())
    }),
];

static JSON: &[Flag] = &[switch(None, "json", "Answer in JSON, for programs.", |o, _| {
    o.json = true;
    Ok(())
})];

static FETCH: &[Flag] = &[
    switch(None, "raw", "Leave escapes and bytes as they are stored.", |o, _| {
        o.raw = true;
        Ok(())
    }),
    switch(None, "verify", "Hash the whole text before answering.", |o, _| {
        o.verify = true;
        Ok(())
    }),
];

static GREP: &[Flag] = &[
    switch(Some('i'), "ignore-case", "Match upper and lower case alike.", |o, _| {
        o.ignore_case = true;
        Ok(())
    }),
    switch(Some('F'), "fixed-strings", "Take the pattern as a plain string.", |o, _| {
        o.fixed = true;
        Ok(())
    }),
    switch(Some('w'), "word-regexp", "Match whole words only.", |o, _| {
        o.word = true;
        Ok(())
    }),
    switch(Some('v'), "invert-match", "Show the lines that do not match.", |o, _| {
        o.invert = true;
        Ok(())
    }),
    switch(Some('c'), "count", "Show only how many lines match.", |o, _| {
        o.count = true;
        Ok(())
    }),
    switch(Some('o'), "only-matching", "Show only what matched, each match on a line.", |o, _| {
        o.only_matching = true;
        Ok(())
    }),
    value((Some('C'), "context", "N"), Complete::Nothing, "Show N lines before and after each match.", |o, v| {
        let n = whole(&v)?;
        (o.before, o.after) = (Some(n), Some(n));
        Ok(())
    }),
    value((Some('B'), "before-context", "N"), Complete::Nothing, "Show N lines before each match.", |o, v| {
        o.before = Some(whole(&v)?);
        Ok(())
    }),
    value((Some('A'), "after-context", "N"), Complete::Nothing, "Show N lines after each match.", |o, v| {
        o.after = Some(whole(&v)?);
        Ok(())
    }),
    value((Some('m'), "max-count", "N"), Complete::Nothing, "Stop after N matching lines.", |o, v| {
        o.max_count = Some(whole(&v)?);
        Ok(())
    }),
    value((Some('e'), "regexp", "PATTERN"), Complete::Nothing, "Match this pattern; can be repeated.", |o, v| {
        o.patterns.push(v);
        Ok(())
    }),
    value((None, "skip", "N"), Complete::Nothing, "With -o: leave out the first N matches of that line.", |o, v| {
        o.skip = Some(whole(&v)?);
        Ok(())
    }),
    value((None, "start", "LINE"), Complete::Nothing, "Begin at this line (or entry), to go on.", |o, v| {
        o.start = Some(whole(&v)?);
        Ok(())
    }),
];

static LIMIT: &[Flag] = &[value((None, "limit", "N"), Complete::Nothing, "Show at most N.", |o, v| {
    o.limit = Some(whole(&v)?);
    Ok(())
})];

static SELECT: &[Flag] = &[
    value((None, "since", "AGE"), Complete::Nothing, "Only blobs stored within this time: 90s, 2h, 3d.", |o, v| {
        o.since = Some(seconds(&v)?);
        Ok(())
    }),
    value((Some('t'), "tool", "NAME"), Complete::Nothing, "Only blobs of this tool; `*` is a wildcard.", |o, v| {
        o.tool = Some(v);
        Ok(())
    }),
];

static SEARCH: &[Flag] = &[value((None, "id", "ID"), Complete::Id, "Only this blob; can be repeated.", |o, v| {
    o.ids.push(v);
    Ok(())
})];

/// The orders of `list`.
const SORTS: &[&str] = &["age", "size", "used"];
/// The kinds of text, as `list --type` takes them.
const KINDS: &[&str] =
    &["json", "ndjson", "html", "xml", "markdown", "csv", "tsv", "diff", "code", "log", "text", "binary"];

static LIST: &[Flag] = &[
    value((None, "type", "TYPE"), Complete::Words(KINDS), "Only texts of this type.", |o, v| {
        o.kind = Some(one_of(v, KINDS)?);
        Ok(())
    }),
    value((None, "sort", "ORDER"), Complete::Words(SORTS), "Order by age (default), size or last use.", |o, v| {
        o.sort = Some(one_of(v, SORTS)?);
        Ok(())
    }),
    switch(None, "partial", "Only what killed processes left, for `recover`.", |o, _| {
        o.partial = true;
        Ok(())
    }),
    switch(None, "names", "Only ids and what they are, for completions.", |o, _| {
        o.names = true;
        Ok(())
    }),
];

fn one_of(typed: String, words: &[&str]) -> Result<String, String> {
    if words.contains(&typed.as_str()) {
        Ok(typed)
    } else {
        Err(format!("is one of {}, not {typed:?}", words.join(", ")))
    }
}

static VERBOSE: &[Flag] =
    &[switch(Some('v'), "verbose", "Add how much was kept out of contexts, by tool and by day.", |o, _| {
        o.verbose = true;
        Ok(())
    })];

static SWEEP: &[Flag] = &[switch(Some('n'), "dry-run", "Only say what would be swept.", |o, _| {
    o.dry_run = true;
    Ok(())
})];

static HELP: &[Flag] = &[
    switch(Some('h'), "help", "Show this help.", |_, _| Ok(())),
    switch(Some('V'), "version", "Show the version.", |_, _| Ok(())),
];

/// The modes of `fetch`.
pub static MODES: &[Mode] = &[
    Mode {
        name: "outline",
        args: "",
        about: "A map of the text with line numbers that `range` takes.",
        flags: &["start"],
    },
    Mode {
        name: "search",
        args: "QUERY...",
        about: "The best lines for the words of QUERY, best first, with their neighbours.",
        flags: &["limit", "start"],
    },
    Mode {
        name: "grep",
        args: "PATTERN",
        about: "The lines that match a regular expression, with their total.",
        flags: &[
            "ignore-case",
            "fixed-strings",
            "word-regexp",
            "invert-match",
            "count",
            "only-matching",
            "context",
            "before-context",
            "after-context",
            "max-count",
            "regexp",
            "skip",
            "start",
        ],
    },
    Mode {
        name: "range",
        args: "START [COUNT]",
        about: "COUNT lines (default 40) from line START; a negative START counts from the end.",
        flags: &[],
    },
    Mode {
        name: "bytes",
        args: "START [COUNT]",
        about: "A window of bytes, trimmed to whole characters: the way into a giant line.",
        flags: &[],
    },
    Mode {
        name: "json",
        args: "POINTER",
        about: "The value at a JSON pointer (`/items/3/name`), pretty-printed, arrays sampled.",
        flags: &[],
    },
    Mode { name: "stat", args: "", about: "What is known of the text, and the modes that make sense.", flags: &[] },
    Mode { name: "full", args: "", about: "Everything, byte for byte, unless it is too large.", flags: &[] },
];

/// The commands; the first is the filter.
pub static COMMANDS: &[Command] = &[
    Command {
        name: "",
        args: "",
        about: "Pass a small text through; store a large one and print a preview and a handle.",
        long: "Standard input that exceeds no threshold comes out byte for byte. A larger one is stored whole, and what \
               comes out is its first and last lines, the lines that look like errors, and a handle: the commands \
               that get more. If the store cannot be written, the whole text comes out with one warning on standard \
               error.",
        flags: &[SOURCE],
        settings: &[Group::Gate, Group::Preview, Group::Store, Group::Limits],
        complete: Complete::Nothing,
        runs: false,
        hidden: false,
        run: super::filter::run,
    },
    Command {
        name: "run",
        args: "-- CMD [ARG...]",
        about: "Run a command and filter what it prints, both streams as one text.",
        long: "Everything after the first `--` (or from the first word on) is the command's. Its standard input is this \
               one's; its exit status is this one's: 128+N for signal N, 127 not found, 126 not executable, 124 timed \
               out. The text ends with the command, even if a background process keeps its output open. Command line \
               (secrets masked), directory, status and duration are recorded; `--keep-out` also matches command \
               lines.",
        flags: &[SOURCE, TIMEOUT, STDERR],
        settings: &[Group::Gate, Group::Preview, Group::Store, Group::Limits],
        complete: Complete::Program,
        runs: true,
        hidden: false,
        run: super::run::run,
    },
    Command {
        name: "batch",
        args: "-- 'CMD' 'CMD' ...",
        about: "Run several commands and answer about all of them within one cap.",
        long: "Each is run by `sh -c`, with nothing on its standard input. Without commands they are read from standard \
               input, one a line; blank lines and lines that begin with # are skipped. The answer has a row for each, \
               in order, then what each printed: whole where it fits, else a preview; what is not shown whole is \
               stored. Status 1 if any failed.",
        flags: &[BATCH, TIMEOUT, SOURCE, JSON],
        settings: &[Group::Gate, Group::Preview, Group::Batch, Group::Store, Group::Limits],
        complete: Complete::Nothing,
        runs: true,
        hidden: false,
        run: super::batch::run,
    },
    Command {
        name: "fetch",
        args: "ID [MODE] [ARGS]",
        about: "Get a slice of a stored text.",
        long: "An ID is what the handle says, or any unique prefix of 4 digits or more; MODE may also come first. \
               Without a MODE it is `stat`. Lines are numbered from 0. Answers are short; one that was cut ends with \
               the command that goes on.",
        flags: &[FETCH, GREP, LIMIT, JSON],
        settings: &[Group::Fetch, Group::Store],
        complete: Complete::Id,
        runs: false,
        hidden: false,
        run: super::fetch::run,
    },
    Command {
        name: "search",
        args: "QUERY...",
        about: "Search everything that is stored, the best lines first.",
        long: "Each hit comes with its blob's id, tool, age and line number; newest first among equals.",
        flags: &[SELECT, SEARCH, LIMIT, JSON],
        settings: &[Group::Fetch, Group::Store],
        complete: Complete::Nothing,
        runs: false,
        hidden: false,
        run: super::search::run,
    },
    Command {
        name: "list",
        args: "",
        about: "List the stored texts, newest first.",
        long: "One line a blob: id, age, size, lines, type, tool and command.",
        flags: &[SELECT, LIST, LIMIT, JSON],
        settings: &[Group::Store],
        complete: Complete::Nothing,
        runs: false,
        hidden: false,
        run: super::list::run,
    },
    Command {
        name: "status",
        args: "",
        about: "Show how much is stored where, the thresholds and what is kept out.",
        long: "",
        flags: &[VERBOSE, JSON],
        settings: &[Group::Store],
        complete: Complete::Nothing,
        runs: false,
        hidden: false,
        run: super::status::run,
    },
    Command {
        name: "path",
        args: "ID...",
        about: "Print where a stored text is, for `less`, `rg` and `jq`.",
        long: "",
        flags: &[JSON],
        settings: &[Group::Store],
        complete: Complete::Id,
        runs: false,
        hidden: false,
        run: super::path::run,
    },
    Command {
        name: "cat",
        args: "ID...",
        about: "Write a stored text to standard output, byte for byte, whatever its size.",
        long: "",
        flags: &[],
        settings: &[Group::Store],
        complete: Complete::Id,
        runs: false,
        hidden: false,
        run: super::cat::run,
    },
    Command {
        name: "sweep",
        args: "",
        about: "Remove what was not used for long, and the least recently used past the budget.",
        long: "The filter does this by itself after its answer, at most once an hour. Pinned blobs stay.",
        flags: &[SWEEP, JSON],
        settings: &[Group::Store, Group::Retention],
        complete: Complete::Nothing,
        runs: false,
        hidden: false,
        run: super::sweep::run,
    },
    Command {
        name: "recover",
        args: "",
        about: "Publish what killed processes left; `list --partial` shows it.",
        long: "",
        flags: &[JSON],
        settings: &[Group::Store],
        complete: Complete::Nothing,
        runs: false,
        hidden: false,
        run: super::recover::run,
    },
    Command {
        name: "verify",
        args: "[ID...]",
        about: "Hash stored texts again and report the damaged ones; all if no ID is given.",
        long: "",
        flags: &[JSON],
        settings: &[Group::Store],
        complete: Complete::Id,
        runs: false,
        hidden: false,
        run: super::verify::run,
    },
    Command {
        name: "rm",
        args: "ID...",
        about: "Remove stored texts now; only a note of what they were stays.",
        long: "",
        flags: &[JSON],
        settings: &[Group::Store],
        complete: Complete::Id,
        runs: false,
        hidden: false,
        run: super::rm::run,
    },
    Command {
        name: "pin",
        args: "ID...",
        about: "Keep sweeps away from stored texts.",
        long: "",
        flags: &[JSON],
        settings: &[Group::Store],
        complete: Complete::Id,
        runs: false,
        hidden: false,
        run: super::pin::pin,
    },
    Command {
        name: "unpin",
        args: "ID...",
        about: "Let sweeps take stored texts again.",
        long: "",
        flags: &[JSON],
        settings: &[Group::Store],
        complete: Complete::Id,
        runs: false,
        hidden: false,
        run: super::pin::unpin,
    },
    Command {
        name: "config",
        args: "",
        about: "Show every setting, its value and where it comes from.",
        long: "With `--tool NAME`: as they are for that tool.",
        flags: &[TOOL, JSON],
        settings: &[
            Group::Gate,
            Group::Preview,
            Group::Fetch,
            Group::Batch,
            Group::Store,
            Group::Retention,
            Group::Limits,
        ],
        complete: Complete::Nothing,
        runs: false,
        hidden: false,
        run: super::config::run,
    },
    Command {
        name: "drain",
        args: "",
        about: "Read and drop standard input: what background processes of `run` print.",
        long: "",
        flags: &[],
        settings: &[],
        complete: Complete::Nothing,
        runs: false,
        hidden: true,
        run: super::run::drain,
    },
    Command {
        name: "leash",
        args: "GROUP",
        about: "End a process group if standard input ends before its `run` does.",
        long: "",
        flags: &[],
        settings: &[],
        complete: Complete::Nothing,
        runs: false,
        hidden: true,
        run: super::run::leash,
    },
    Command {
        name: "generate",
        args: "WHAT",
        about: "Print the man page, a completion script or the README's option list.",
        long: "",
        flags: &[],
        settings: &[],
        complete: Complete::Words(super::generate::WHAT),
        runs: false,
        hidden: true,
        run: super::generate::run,
    },
];

static TOOL: &[Flag] = &[value((Some('t'), "tool", "NAME"), Complete::Nothing, "The tool.", |o, v| {
    o.tool = Some(v);
    Ok(())
})];

/// A flag as parser and generators see it: of the table here or of the settings.
#[derive(Clone, Copy, Debug)]
pub enum Entry {
    /// A flag of a command.
    Flag(&'static Flag),
    /// A setting.
    Setting(&'static Setting),
}

impl Entry {
    /// Returns the letter.
    pub fn short(&self) -> Option<char> {
        match self {
            Entry::Flag(flag) => flag.short,
            Entry::Setting(_) => None,
        }
    }

    /// Returns the long name.
    pub fn long(&self) -> String {
        match self {
            Entry::Flag(flag) => flag.long.to_owned(),
            Entry::Setting(setting) => setting.flag(),
        }
    }

    /// Returns the placeholder of the value.
    pub fn value(&self) -> Option<&'static str> {
        match self {
            Entry::Flag(flag) => flag.value,
            Entry::Setting(setting) => Some(setting.unit),
        }
    }

    /// Returns the sentence, with the default of a setting.
    pub fn about(&self) -> String {
        match self {
            Entry::Flag(flag) => flag.about.to_owned(),
            Entry::Setting(s) if s.default.is_empty() => s.about.to_owned(),
            Entry::Setting(s) => format!("{} [{}]", s.about, s.default),
        }
    }

    /// Returns what completes the value.
    pub fn complete(&self) -> Complete {
        match self {
            Entry::Flag(flag) => flag.complete,
            Entry::Setting(s) if s.id == Key::StorePath => Complete::Folder,
            Entry::Setting(_) => Complete::Nothing,
        }
    }

    /// Checks a value and records it.
    pub fn set(&self, opts: &mut Opts, text: String) -> Result<(), String> {
        match self {
            Entry::Flag(flag) => {
                opts.given.push(flag.long);
                (flag.set)(opts, text)
            }
            Entry::Setting(setting) => {
                let value = setting.parse(&text)?;
                opts.settings.push((setting.id, value));
                Ok(())
            }
        }
    }
}

impl Command {
    /// Returns the command of this name.
    pub fn named(name: &str) -> Option<&'static Command> {
        COMMANDS.iter().find(|c| c.name == name && !name.is_empty())
    }

    /// Returns the filter.
    pub fn filter() -> &'static Command {
        &COMMANDS[0]
    }

    /// Returns every flag that the command takes, help and version last.
    pub fn entries(&self) -> Vec<Entry> {
        let own = self.flags.iter().copied().flatten().map(Entry::Flag);
        let settings = crate::settings::SETTINGS.iter().filter(|s| self.settings.contains(&s.group));
        own.chain(settings.map(Entry::Setting)).chain(HELP.iter().map(Entry::Flag)).collect()
    }

    /// Returns the usage line.
    pub fn usage(&self) -> String {
        match (self.name, self.args) {
            ("", _) => "COMMAND | toolaria [OPTIONS]".to_owned(),
            (name, "") => format!("toolaria {name} [OPTIONS]"),
            (name, args) => format!("toolaria {name} [OPTIONS] {args}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_well_formed() {
        for command in COMMANDS {
            let entries = command.entries();
            let mut longs: Vec<String> = entries.iter().map(Entry::long).collect();
            let mut shorts: Vec<char> = entries.iter().filter_map(Entry::short).collect();
            assert!(longs.iter().all(|l| l.chars().all(|c| c.is_ascii_lowercase() || c == '-')), "{longs:?}");
            let (l, s) = (longs.len(), shorts.len());
            longs.sort();
            longs.dedup();
            shorts.sort_unstable();
            shorts.dedup();
            assert_eq!((longs.len(), shorts.len()), (l, s), "{}", command.name);
        }
    }

    #[test]
    fn every_sentence_is_one_and_fits_a_line() {
        for command in COMMANDS {
            assert!(command.about.ends_with('.') && command.about.len() <= 90, "{}", command.about);
            for entry in command.entries() {
                let about = entry.about();
                let sentence = about.split(" [").next().unwrap();
                assert!(sentence.ends_with('.') && sentence.len() <= 90, "{about}");
                assert!(entry.value().is_none_or(|v| v.chars().all(|c| c.is_ascii_uppercase())), "{about}");
            }
        }
        for mode in MODES {
            assert!(mode.about.ends_with('.') && mode.about.len() <= 90, "{}", mode.about);
        }
    }

    #[test]
    fn flags_of_modes_are_flags_of_fetch() {
        let fetch = Command::named("fetch").unwrap();
        let longs: Vec<String> = fetch.entries().iter().map(Entry::long).collect();
        for mode in MODES {
            assert!(mode.flags.iter().all(|f| longs.iter().any(|l| l == f)), "{}", mode.name);
        }
    }

    #[test]
    fn kinds_are_the_kinds_of_texts() {
        assert_eq!(KINDS, crate::text::kind::Kind::ALL.map(|k| k.name()));
    }
}
