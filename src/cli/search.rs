//! `toolaria search QUERY`: the best lines of everything that is stored.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use serde_json::json;

use super::output::Output;
use super::spec::Opts;
use super::{Context, Failure, NOTHING, complain, words};
use crate::answer::{Answer, Row, Rows};
use crate::error::Error;
use crate::modes::search::row;
use crate::search::{Hit, Options, Query, search_with};
use crate::settings::{Key, matches};
use crate::store::blob::Blob;
use crate::store::meta::Meta;
use crate::text::kind::Kind;
use crate::text::show::{self, ago, count};
use crate::text::{clean, cut};

/// How many hits are shown if it is not told.
const HITS: usize = 5;
/// The most hits of one blob: the others shall be seen too.
const PER_BLOB: usize = 3;
/// The most chars of a hit's line.
const LINE_CHARS: usize = 240;

pub(super) fn run(context: &Context, opts: Opts) -> Result<ExitCode, Failure> {
    let text = words(&opts).join(" ");
    if text.trim().is_empty() {
        return Err(Failure::Usage("search needs a QUERY: the words to look for".to_owned()));
    }
    let settings = context.settings(&opts)?;
    let (store, place) = context.open(&settings)?;
    let limit = opts.limit.unwrap_or(HITS).clamp(1, 1000);
    let per_blob = if opts.ids.len() == 1 { limit } else { limit.min(PER_BLOB) };
    let options = Options { limit: per_blob, context: 0, line_max_chars: LINE_CHARS, ..Options::default() };
    let query = Query::parse(&text);
    let session = settings.text(Key::Session, None).filter(|_| opts.settings.iter().any(|(k, _)| *k == Key::Session));
    let wanted = |meta: &Meta| {
        let age = context.clock.duration_since(meta.created).unwrap_or_default();
        meta.kind != Kind::Binary
            && opts.since.is_none_or(|s| age <= Duration::from_secs(s))
            && opts.tool.as_ref().is_none_or(|tool| matches(tool, &meta.source.tool))
            && session.as_ref().is_none_or(|s| meta.source.session.as_ref() == Some(s))
    };
    let mut blobs = Vec::new();
    if opts.ids.is_empty() {
        for id in store.ids()? {
            match Blob::open(&store, &id) {
                Ok(blob) => blobs.push(blob),
                Err(e) => complain(&e.to_string()),
            }
        }
    } else {
        for id in &opts.ids {
            blobs.push(store.find(id, context.clock)?);
        }
    }
    blobs.retain(|blob| wanted(blob.meta()));
    // Newest first among equals.
    crate::order::by_key(&mut blobs, |blob| std::cmp::Reverse(blob.meta().created));
    let mut hits: Vec<(usize, Hit)> = Vec::new();
    let (mut matching, mut holding) = (0, 0u64);
    for (k, blob) in blobs.iter().enumerate() {
        let found = search_with(&query, blob.read(), &options).map_err(|source| Error::Io {
            doing: "search",
            path: blob.path(),
            source,
        })?;
        matching += found.matching;
        holding += u64::from(found.matching > 0);
        hits.extend(found.hits.into_iter().map(|hit| (k, hit)));
    }
    crate::order::by(&mut hits, |(a, x), (b, y)| y.score.total_cmp(&x.score).then(a.cmp(b)).then(x.line.cmp(&y.line)));
    hits.truncate(limit);
    let cap = settings.count(Key::FetchMaxChars, None);
    let mut rows = Rows::new(cap);
    for (k, hit) in &hits {
        if !rows.open() {
            break;
        }
        let meta = blobs[*k].meta();
        let made = row(hit, 0, vec![text.clone()]);
        let command = meta.source.command.as_deref().map(|c| format!(" {c}")).unwrap_or_default();
        let command = cut::middle(&clean::line(command.as_bytes()), 60).into_owned();
        let origin = format!("{} {}{command}, {}", meta.id, meta.source.tool, ago(meta.created, context.clock));
        let mut json = made.json;
        json["id"] = json!(meta.id);
        json["tool"] = json!(meta.source.tool);
        json["command"] = json!(meta.source.command);
        json["created"] = json!(show::rfc3339(meta.created));
        rows.push(Row { text: format!("{origin}\n  {}", made.text), json, here: made.here });
    }
    let named = cut::middle(&clean::line(text.as_bytes()), 100).into_owned();
    let total = blobs.len() as u64;
    let header = move |shown: &[Row]| {
        let best = match shown.len() {
            0 => String::new(),
            n => format!("; best {n}, lines numbered from 0"),
        };
        let lines = count(matching, "line");
        format!("search '{named}': {lines} with a word of it in {holding} of {}{best}", count(total, "blob"))
    };
    let mut answer = Answer::new("search", "", "hits", Box::new(header));
    answer.found = !rows.is_empty();
    answer.rows = rows.into_rows();
    if answer.found {
        answer.notes.push(format!("more of a text: `{} ID search QUERY`", place.command("fetch")));
    }
    let out = if opts.json { answer.json(cap) } else { answer.text(cap, &place.command("search --limit 1 --")) };
    Output::stdout()?.write_all(out.as_bytes()).map_err(Error::Output)?;
    Ok(if answer.found { ExitCode::SUCCESS } else { ExitCode::from(NOTHING) })
}
