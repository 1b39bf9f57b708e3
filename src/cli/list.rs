//! `toolaria list`: what is stored.

use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use super::output::Output;
use super::spec::Opts;
use super::{Context, Failure, NOTHING, no_words, retention};
use crate::error::Error;
use crate::modes::stat::Stat;
use crate::settings::{Key, matches};
use crate::store::blob::Blob;
use crate::store::meta::Meta;
use crate::store::{Store, recover};
use crate::text::show::{self, thousands};
use crate::text::{clean, cut};

pub(super) fn run(context: &Context, opts: Opts) -> Result<ExitCode, Failure> {
    no_words(&opts, "list")?;
    let settings = context.settings(&opts)?;
    let (store, _) = context.open(&settings)?;
    if opts.partial {
        return partial(&store, context, opts.json);
    }
    let keep = retention(&settings);
    let session = settings.text(Key::Session, None).filter(|_| opts.settings.iter().any(|(k, _)| *k == Key::Session));
    let wanted = |meta: &Meta| {
        let since = opts.since.map(Duration::from_secs);
        let recent = since.is_none_or(|d| context.clock.duration_since(meta.created).unwrap_or_default() <= d);
        recent
            && opts.tool.as_ref().is_none_or(|tool| matches(tool, &meta.source.tool))
            && opts.kind.as_ref().is_none_or(|kind| meta.kind.name() == kind)
            && session.as_ref().is_none_or(|s| meta.source.session.as_ref() == Some(s))
    };
    let (mut found, mut damaged) = (Vec::new(), Vec::new());
    for id in store.ids()? {
        match Blob::open(&store, &id) {
            Ok(blob) if wanted(blob.meta()) => found.push(Stat::of(&blob, &keep, context.clock)),
            Ok(_) => {}
            Err(e) => damaged.push(e.to_string()),
        }
    }
    match opts.sort.as_deref() {
        Some("size") => crate::order::by_key(&mut found, |s| std::cmp::Reverse(s.meta.size.bytes)),
        Some("used") => crate::order::by_key(&mut found, |s| std::cmp::Reverse(s.last_used)),
        _ => crate::order::by_key(&mut found, |s| std::cmp::Reverse(s.meta.created)),
    }
    found.truncate(opts.limit.unwrap_or(usize::MAX));
    let mut out = String::new();
    if opts.json {
        let all: Vec<Value> = found.iter().map(|s| Value::Object(s.to_json())).collect();
        out = format!("{}\n", Value::Array(all));
    } else if opts.names {
        for stat in &found {
            out.push_str(&format!("{}:{}\n", stat.meta.id, describe(&stat.meta)));
        }
    } else {
        for stat in &found {
            out.push_str(&line(stat, context.clock));
        }
    }
    Output::stdout()?.write_all(out.as_bytes()).map_err(Error::Output)?;
    damaged.iter().for_each(|what| super::complain(what));
    Ok(if found.is_empty() && !opts.json { ExitCode::from(NOTHING) } else { ExitCode::SUCCESS })
}

/// What a text is, in a few words.
fn describe(meta: &Meta) -> String {
    let command = meta.source.command.as_ref().or(meta.source.label.as_ref());
    let text = match command {
        Some(command) => format!("{} {}: {command}", meta.kind.name(), meta.source.tool),
        None => format!("{} {}", meta.kind.name(), meta.source.tool),
    };
    cut::middle(&clean::line(text.replace('\n', " ").as_bytes()), 80).into_owned()
}

fn line(stat: &Stat, now: SystemTime) -> String {
    let meta = &stat.meta;
    let age = show::duration(now.duration_since(meta.created).unwrap_or_default());
    let mut marks = String::new();
    if let Some(status) = meta.source.exit_status.filter(|s| *s != 0) {
        marks.push_str(&format!(" exit_status={status}"));
    }
    if meta.partial.is_some() {
        marks.push_str(" PARTIAL");
    }
    if meta.not_stored > 0 {
        marks.push_str(" NOT STORED WHOLE");
    }
    if stat.expires.is_none() {
        marks.push_str(" pinned");
    }
    format!(
        "{}  {age:>10}  {:>9}  {:>9} lines  {}{marks}\n",
        meta.id,
        show::bytes(meta.size.bytes),
        thousands(meta.size.lines),
        describe(meta)
    )
}

/// Lists what killed processes left.
fn partial(store: &Store, context: &Context, as_json: bool) -> Result<ExitCode, Failure> {
    let orphans = recover::orphans(store);
    let mut out = String::new();
    if as_json {
        let all: Vec<Value> = orphans
            .iter()
            .map(|o| {
                json!({
                    "path": o.dir.join("text").to_string_lossy(), "bytes": o.bytes, "tool": o.source.tool,
                    "command": o.source.command, "modified": show::rfc3339(o.modified),
                })
            })
            .collect();
        out = format!("{}\n", Value::Array(all));
    } else {
        for o in &orphans {
            let path = o.dir.join("text");
            let tool = clean::line(o.source.tool.as_bytes()).into_owned();
            let age = show::ago(o.modified, context.clock);
            out.push_str(&format!("{}  {age}  {}  tool={tool}\n", path.display(), show::bytes(o.bytes)));
        }
    }
    Output::stdout()?.write_all(out.as_bytes()).map_err(Error::Output)?;
    Ok(if orphans.is_empty() && !as_json { ExitCode::from(NOTHING) } else { ExitCode::SUCCESS })
}
