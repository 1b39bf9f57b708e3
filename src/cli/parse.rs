//! argv to what is meant by it. No work is done here: nothing is opened, resolved or read.

use std::ffi::OsString;

use lexopt::Arg;

use super::spec::{COMMANDS, Command, Entry, Opts};
use crate::settings::nearest;

/// What argv asks for.
#[derive(Debug)]
pub(super) enum Parsed {
    /// Help about a command (the filter's is the whole program's).
    Help(&'static Command),
    /// The version.
    Version,
    /// A command with what was typed.
    Run(&'static Command, Box<Opts>),
}

/// Reads the words after the program's name.
///
/// # Errors
/// A usage error in one line that names the word and what to do instead.
pub(super) fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Parsed, String> {
    let mut parser = lexopt::Parser::from_args(args);
    parser.set_short_equals(false);
    let mut command = Command::filter();
    let mut opts = Opts::default();
    // Flags before the command's name belong to the command, so they wait until it is known.
    let mut waiting: Vec<(Typed, Option<OsString>)> = Vec::new();
    loop {
        if let Some(word) = negative_number(&mut parser) {
            opts.words.push(word);
            continue;
        }
        let arg = match parser.next().map_err(|e| e.to_string())? {
            None => break,
            Some(Arg::Short(c)) => Typed::Short(c),
            Some(Arg::Long(name)) => Typed::Long(name.to_owned()),
            Some(Arg::Value(word)) => {
                if command.name.is_empty() && opts.words.is_empty() {
                    command = named(&word)?;
                    if command.runs {
                        break;
                    }
                    continue;
                }
                opts.words.push(word);
                continue;
            }
        };
        if matches!(arg, Typed::Short('h')) || matches!(&arg, Typed::Long(l) if l == "help") {
            let later = parser.next().ok().flatten();
            let later = if let Some(Arg::Value(word)) = later { named(&word).ok() } else { None };
            return Ok(Parsed::Help(if command.name.is_empty() { later.unwrap_or(command) } else { command }));
        }
        if matches!(arg, Typed::Short('V')) || matches!(&arg, Typed::Long(l) if l == "version") {
            return Ok(Parsed::Version);
        }
        if command.name.is_empty() {
            // A flag with a value takes it now, whichever command it turns out to belong to.
            let takes = COMMANDS.iter().flat_map(Command::entries).find(|e| arg.names(e));
            let value = match takes {
                None => return Err(unknown(command, &arg, &command.entries())),
                Some(entry) if entry.value().is_some() => Some(parser.value().map_err(|_| lacks(&arg))?),
                Some(_) => None,
            };
            waiting.push((arg, value));
        } else {
            apply(command, &mut opts, &arg, None, &mut parser)?;
        }
    }
    if command.runs {
        runs(command, &mut opts, &mut parser)?;
    }
    for (arg, value) in waiting {
        apply(command, &mut opts, &arg, value, &mut parser)?;
    }
    Ok(Parsed::Run(command, Box::new(opts)))
}

/// Reads the flags of a command that runs others, then leaves all the rest to them.
fn runs(command: &'static Command, opts: &mut Opts, parser: &mut lexopt::Parser) -> Result<(), String> {
    loop {
        let next = parser.try_raw_args().and_then(|raw| raw.peek().map(|word| word == "--"));
        if next == Some(true) {
            break;
        }
        match parser.next().map_err(|e| e.to_string())? {
            None => return Ok(()),
            Some(Arg::Value(word)) => {
                opts.rest.push(word);
                break;
            }
            Some(Arg::Short(c)) => apply(command, opts, &Typed::Short(c), None, parser)?,
            Some(Arg::Long(name)) => {
                let arg = Typed::Long(name.to_owned());
                apply(command, opts, &arg, None, parser)?;
            }
        }
    }
    let raw = parser.raw_args().map_err(|e| e.to_string())?;
    let skip = usize::from(opts.rest.is_empty());
    opts.rest.extend(raw.skip(skip));
    Ok(())
}

/// A flag as it was typed.
#[derive(Clone, Debug)]
enum Typed {
    Short(char),
    Long(String),
}

impl Typed {
    fn names(&self, entry: &Entry) -> bool {
        match self {
            Typed::Short(c) => entry.short() == Some(*c),
            Typed::Long(name) => entry.long() == *name,
        }
    }
}

impl std::fmt::Display for Typed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Typed::Short(c) => write!(f, "-{c}"),
            Typed::Long(name) => write!(f, "--{name}"),
        }
    }
}

fn apply(
    command: &'static Command,
    opts: &mut Opts,
    arg: &Typed,
    value: Option<OsString>,
    parser: &mut lexopt::Parser,
) -> Result<(), String> {
    let entries = command.entries();
    let Some(entry) = entries.iter().find(|e| arg.names(e)) else {
        return Err(unknown(command, arg, &entries));
    };
    if let Typed::Short('h') = arg {
        return Ok(());
    }
    let text = match (entry.value(), value) {
        (None, _) => String::new(),
        (Some(_), Some(value)) => value.to_string_lossy().into_owned(),
        (Some(_), None) => parser.value().map_err(|_| lacks(arg))?.to_string_lossy().into_owned(),
    };
    entry.set(opts, text).map_err(|why| format!("{arg} {why}"))
}

fn lacks(arg: &Typed) -> String {
    format!("{arg} needs a value")
}

fn unknown(command: &Command, arg: &Typed, entries: &[Entry]) -> String {
    let longs: Vec<String> = entries.iter().map(Entry::long).collect();
    let near = match arg {
        Typed::Long(name) => nearest(name, longs.iter().map(String::as_str)),
        Typed::Short(_) => None,
    };
    let hint = near.map(|n| format!("; did you mean --{n}?")).unwrap_or_default();
    let (to, help) = match command.name {
        "" => ("the filter".to_owned(), "toolaria --help".to_owned()),
        name => (name.to_owned(), format!("toolaria {name} --help")),
    };
    format!("unknown option {arg} to {to}{hint} (`{help}` lists them)")
}

fn named(word: &OsString) -> Result<&'static Command, String> {
    let typed = word.to_string_lossy();
    Command::named(&typed).ok_or_else(|| {
        let names = COMMANDS.iter().filter(|c| !c.hidden && !c.name.is_empty()).map(|c| c.name);
        let hint = match nearest(&typed, names.clone()) {
            Some(near) => format!("did you mean `toolaria {near}`?"),
            None => format!("the commands are {}", names.collect::<Vec<_>>().join(", ")),
        };
        format!("unknown command {:?}; {hint}", crate::text::cut::middle(&typed, 80))
    })
}

/// Takes the next word if it is a negative number, which no flag looks like.
fn negative_number(parser: &mut lexopt::Parser) -> Option<OsString> {
    let mut raw = parser.try_raw_args()?;
    let word = raw.peek()?.to_str()?;
    let digits = word.strip_prefix('-')?;
    let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    if is_number { raw.next() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Key, Value};

    fn run(args: &[&str]) -> (&'static str, Opts) {
        match parse(args.iter().map(OsString::from)) {
            Ok(Parsed::Run(command, opts)) => (command.name, *opts),
            other => panic!("{args:?}: {other:?}"),
        }
    }

    fn words(opts: &Opts) -> Vec<String> {
        opts.words.iter().map(|w| w.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn nothing_is_the_filter_with_nothing() {
        assert_eq!(run(&[]), ("", Opts::default()));
    }

    #[test]
    fn flags_stand_before_and_after_the_command() {
        for args in [["--store", "/s", "list", "--json"], ["list", "--json", "--store", "/s"]] {
            let (name, opts) = run(&args);
            assert_eq!((name, opts.json), ("list", true));
            assert_eq!(opts.settings, [(Key::StorePath, Value::Text("/s".into()))]);
        }
    }

    #[test]
    fn a_negative_number_is_a_word() {
        let (_, opts) = run(&["fetch", "abcd", "range", "-40", "5"]);
        assert_eq!(words(&opts), ["abcd", "range", "-40", "5"]);
    }

    #[test]
    fn after_two_dashes_everything_is_a_word() {
        let (_, opts) = run(&["fetch", "abcd", "search", "--json", "--", "--dry-run", "-x"]);
        assert_eq!(
            (words(&opts), opts.json),
            (vec!["abcd".into(), "search".into(), "--dry-run".into(), "-x".into()], true)
        );
    }

    #[test]
    fn usage_errors_name_the_word_and_the_near_one() {
        let fail = |args: &[&str]| parse(args.iter().map(OsString::from)).unwrap_err();
        assert_eq!(
            fail(&["--max-result-char", "5"]),
            "unknown option --max-result-char to the filter; did you mean --max-result-chars? (`toolaria --help` lists them)"
        );
        assert!(fail(&["fetchh", "abcd"]).contains("did you mean `toolaria fetch`?"));
        assert!(fail(&["--max-result-chars", "lots"]).starts_with("--max-result-chars must be a whole number"));
        assert_eq!(fail(&["--tool"]), "--tool needs a value");
    }

    #[test]
    fn help_and_version_come_before_everything() {
        assert!(
            matches!(parse(["fetch", "--help", "--nonsense"].map(OsString::from)), Ok(Parsed::Help(c)) if c.name == "fetch")
        );
        assert!(matches!(parse(["--help", "fetch"].map(OsString::from)), Ok(Parsed::Help(c)) if c.name == "fetch"));
        assert!(matches!(parse(["-V"].map(OsString::from)), Ok(Parsed::Version)));
    }
}
