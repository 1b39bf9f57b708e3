//! `toolaria fetch ID MODE`: slices of a stored text.

use std::io::{self, Write};
use std::process::ExitCode;

use super::output::Output;
use super::spec::{MODES, Mode, Opts};
use super::{Context, Failure, NOTHING, StorePlace, complain, retention, words};
use crate::answer::Answer;
use crate::error::Error;
use crate::modes::grep::Grep;
use crate::modes::{Show, bytes, grep, json, outline, range, search, stat};
use crate::settings::{Key, Origin, Settings, nearest};
use crate::store::blob::Blob;
use crate::store::ledger::{self, Event};
use crate::text::show::thousands;

pub(super) fn run(context: &Context, opts: Opts) -> Result<ExitCode, Failure> {
    let typed = words(&opts);
    let (id, mode, args) = take_apart(&typed)?;
    check_flags(mode, &opts)?;
    let request = Request::parse(mode, args, &opts)?;
    let settings = context.settings(&opts)?;
    let (store, place) = context.open(&settings)?;
    let blob = store.find(id, context.clock)?;
    blob.renew();
    if opts.verify {
        blob.verify()?;
    }
    let show = Show { cap: settings.count(Key::FetchMaxChars, None), json: opts.json, raw: opts.raw };
    if let Request::Full = request {
        return full(context, &settings, &place, &blob, &opts);
    }
    let answer = request.answer(context, &settings, &blob, &show)?;
    let mut command = format!("{} {}", place.command("fetch"), blob.id());
    if settings.get(Key::FetchMaxChars, None).1 == Origin::Flag {
        command.push_str(&format!(" --fetch-max-chars {}", show.cap));
    }
    let text = if opts.json { answer.json(show.cap) } else { answer.text(show.cap, &command) };
    Output::stdout()?.write_all(text.as_bytes()).map_err(Error::Output)?;
    record(context, &settings, &blob, mode.name, args, text.chars().count() as u64);
    Ok(if answer.found { ExitCode::SUCCESS } else { ExitCode::from(NOTHING) })
}

/// Puts the fetch into the blob's ledger.
fn record(context: &Context, settings: &Settings, blob: &Blob, mode: &str, args: &[String], chars: u64) {
    let detail = std::iter::once(mode).chain(args.iter().map(String::as_str)).collect::<Vec<_>>().join(" ");
    let detail = crate::text::cut::middle(&detail, 200).into_owned();
    let session = settings.text(Key::Session, None);
    let event = Event { event: "fetch", detail: &detail, chars, session: session.as_deref() };
    ledger::append(blob.dir(), &event, context.now);
}

/// Tells id, mode and arguments apart; MODE may come before ID.
fn take_apart(typed: &[String]) -> Result<(&str, &'static Mode, &[String]), Failure> {
    let usage = |what: String| Err(Failure::Usage(what));
    let named = |word: &str| MODES.iter().find(|m| m.name == word);
    let names = || MODES.iter().map(|m| m.name);
    match typed {
        [] => usage("fetch needs an ID: `toolaria fetch ID MODE`; `toolaria list` shows the ids".to_owned()),
        [first, rest @ ..] if named(first).is_some() => match (rest, named(first)) {
            ([id, args @ ..], Some(mode)) => Ok((id, mode, args)),
            _ => usage(format!("fetch {first} needs an ID: `toolaria fetch ID {first}`")),
        },
        [id] => Ok((id, &MODES[STAT], &[])),
        [id, word, args @ ..] => match named(word) {
            Some(mode) => Ok((id, mode, args)),
            None => {
                let hint = match nearest(word, names()) {
                    Some(near) => format!("did you mean {near}?"),
                    None => format!("the modes are {}", names().collect::<Vec<_>>().join(", ")),
                };
                usage(format!("unknown mode {:?}; {hint}", crate::text::cut::middle(word, 80)))
            }
        },
    }
}

/// Where `stat`, the default mode, stands in the table; a test holds it there.
const STAT: usize = 6;

/// Refuses flags that belong to another mode.
fn check_flags(mode: &Mode, opts: &Opts) -> Result<(), Failure> {
    let of_a_mode = |flag: &&str| MODES.iter().any(|m| m.flags.contains(flag));
    match opts.given.iter().find(|flag| of_a_mode(flag) && !mode.flags.contains(flag)) {
        None => Ok(()),
        Some(flag) => {
            let modes: Vec<&str> = MODES.iter().filter(|m| m.flags.contains(flag)).map(|m| m.name).collect();
            Err(Failure::Usage(format!("--{flag} belongs to {}, not to {}", modes.join(" and "), mode.name)))
        }
    }
}

/// What was asked for.
enum Request {
    Outline { start: usize },
    Search { query: String, limit: Option<usize>, start: usize },
    Grep(Grep),
    Range { start: i64, count: u64 },
    Bytes { start: u64, count: u64 },
    Json { pointer: String },
    Stat,
    Full,
}

impl Request {
    fn parse(mode: &Mode, args: &[String], opts: &Opts) -> Result<Request, Failure> {
        let usage = |what: &str| Failure::Usage(format!("{}: {what}", mode.name));
        let at_most = |n: usize| match args.get(n) {
            None => Ok(()),
            Some(extra) => Err(usage(&format!(
                "one word too many: {extra:?}; it takes {}",
                if mode.args.is_empty() { "none" } else { mode.args }
            ))),
        };
        let number = |k: usize, what: &str, default: Option<u64>| match (args.get(k), default) {
            (None, Some(n)) => Ok(n),
            (None, None) => Err(usage(&format!("needs {what}: `{} {}`", mode.name, mode.args))),
            (Some(text), _) => {
                text.parse::<u64>().map_err(|_| usage(&format!("{what} must be a whole number from 0, not {text:?}")))
            }
        };
        let start = usize::try_from(opts.start.unwrap_or(0)).unwrap_or(usize::MAX);
        Ok(match mode.name {
            "outline" => {
                at_most(0)?;
                Request::Outline { start }
            }
            "search" => {
                let query = args.join(" ");
                if query.trim().is_empty() {
                    return Err(usage("needs a QUERY: the words to look for"));
                }
                Request::Search { query, limit: opts.limit, start }
            }
            "grep" => {
                let mut patterns = opts.patterns.clone();
                if patterns.is_empty() {
                    let Some(pattern) = args.first() else {
                        return Err(usage("needs a PATTERN: `grep PATTERN`"));
                    };
                    patterns.push(pattern.clone());
                    at_most(1)?;
                } else {
                    at_most(0)?;
                }
                Request::Grep(Grep {
                    patterns,
                    ignore_case: opts.ignore_case,
                    fixed: opts.fixed,
                    word: opts.word,
                    invert: opts.invert,
                    count: opts.count,
                    only_matching: opts.only_matching,
                    before: opts.before.unwrap_or(0),
                    after: opts.after.unwrap_or(0),
                    max_count: opts.max_count,
                    start: opts.start.unwrap_or(0),
                    skip: opts.skip.unwrap_or(0),
                })
            }
            "range" => {
                at_most(2)?;
                let Some(text) = args.first() else {
                    return Err(usage("needs START: `range START COUNT`"));
                };
                let start = text.parse::<i64>().map_err(|_| {
                    usage(&format!("START must be a line number from 0, or negative from the end, not {text:?}"))
                })?;
                Request::Range { start, count: number(1, "COUNT", Some(range::LINES))? }
            }
            "bytes" => {
                at_most(2)?;
                Request::Bytes { start: number(0, "START", None)?, count: number(1, "COUNT", Some(u64::MAX >> 1))? }
            }
            "json" => {
                at_most(1)?;
                let Some(pointer) = args.first() else {
                    return Err(usage("needs a POINTER like /items/3/name; \"\" is the whole value"));
                };
                Request::Json { pointer: pointer.clone() }
            }
            "full" => {
                at_most(0)?;
                Request::Full
            }
            _ => {
                at_most(0)?;
                Request::Stat
            }
        })
    }

    fn answer(&self, context: &Context, settings: &Settings, blob: &Blob, show: &Show) -> Result<Answer, Failure> {
        Ok(match self {
            Request::Outline { start } => outline::outline(blob, *start, show)?,
            Request::Search { query, limit, start } => search::search(blob, query, *limit, *start, show)?,
            Request::Grep(grep) => grep::grep(blob, grep, show)?,
            Request::Range { start, count } => range::range(blob, *start, *count, show)?,
            Request::Bytes { start, count } => bytes::bytes(blob, *start, *count, show)?,
            Request::Json { pointer } => json::json(blob, pointer, show)?,
            Request::Stat | Request::Full => {
                let full_max = settings.number(Key::FullFetchMaxChars, None);
                stat::stat(blob, &retention(settings), context.clock, full_max)
            }
        })
    }
}

/// Writes the whole text, unless it is too large for whoever asks.
fn full(
    context: &Context,
    settings: &Settings,
    place: &StorePlace,
    blob: &Blob,
    opts: &Opts,
) -> Result<ExitCode, Failure> {
    let max = settings.number(Key::FullFetchMaxChars, None);
    let size = blob.meta().size;
    if size.chars > max {
        let (id, fetch) = (blob.id(), place.command("fetch"));
        return Err(Failure::Usage(format!(
            "{id} has {} chars, and `full` gives at most {} (full_fetch_max_chars); use `{fetch} {id} outline`, \
             `search QUERY`, `grep PATTERN` or `range START COUNT`, or `{} {id}` in a pipe",
            thousands(size.chars),
            thousands(max),
            place.command("cat")
        )));
    }
    let mut output = Output::stdout()?;
    let mut text = Vec::new();
    io::Read::read_to_end(&mut blob.raw(0), &mut text).map_err(|source| Error::Io {
        doing: "read",
        path: blob.path(),
        source,
    })?;
    if opts.json {
        let mut decoded = Vec::new();
        let _ = io::Read::read_to_end(&mut blob.read(), &mut decoded);
        let text = String::from_utf8_lossy(&decoded);
        let value =
            serde_json::json!({ "id": blob.id(), "mode": "full", "truncated": false, "next": null, "text": text });
        writeln!(output, "{value}").map_err(Error::Output)?;
    } else {
        output.write_all(&text).map_err(Error::Output)?;
    }
    record(context, settings, blob, "full", &[], size.chars);
    if blob.meta().not_stored > 0 {
        complain(&format!("the last {} bytes were NOT stored", thousands(blob.meta().not_stored)));
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stat_is_the_default_mode() {
        assert_eq!(MODES[STAT].name, "stat");
    }
}
