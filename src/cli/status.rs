//! `toolaria status`: how much is stored where, and under which rules.

use std::collections::BTreeMap;
use std::process::ExitCode;

use serde_json::json;

use super::spec::Opts;
use super::{Context, Failure, no_words, print, retention};
use crate::settings::Key;
use crate::store::{ledger, sweep};
use crate::text::show::{self, count, thousands};

pub(super) fn run(context: &Context, opts: Opts) -> Result<ExitCode, Failure> {
    no_words(&opts, "status")?;
    let settings = context.settings(&opts)?;
    let (store, place) = context.open(&settings)?;
    let keep = retention(&settings);
    let usage = sweep::usage(&store, context.clock)?;
    let (max_chars, kept_out) = (settings.number(Key::MaxResultChars, None), settings.list(Key::KeepOut, None));
    let saved = if opts.verbose { Some(ledger::saved(&store)?) } else { None };
    if opts.json {
        let value = json!({
            "store": place.root.to_string_lossy(),
            "blobs": usage.blobs,
            "bytes": usage.bytes,
            "pinned": usage.pinned,
            "max_result_chars": max_chars,
            "max_result_bytes": settings.number(Key::MaxResultBytes, None),
            "max_result_lines": settings.number(Key::MaxResultLines, None),
            "max_store_mb": settings.number(Key::MaxStoreMb, None),
            "ttl_hours": settings.number(Key::TtlHours, None),
            "keep_out": kept_out,
            "saved": saved.as_ref().map(ledger::Saved::to_json),
        });
        return print(&format!("{value}\n"));
    }
    let mut gate = format!("rescues over {}", count(max_chars, "char"));
    for (key, unit) in [(Key::MaxResultBytes, "byte"), (Key::MaxResultLines, "line")] {
        match settings.number(key, None) {
            0 => {}
            n => gate.push_str(&format!(" or {}", count(n, unit))),
        }
    }
    let mut out = format!(
        "{}, {} of {} in {}; {gate}; keeps {} after the last use; keeps out {}\n",
        count(usage.blobs, "blob"),
        show::bytes(usage.bytes),
        show::bytes(keep.max_bytes),
        place.root.display(),
        show::duration(keep.ttl),
        if kept_out.is_empty() { "nothing".to_owned() } else { kept_out.join(", ") },
    );
    if let Some(saved) = saved {
        let mut table = |title: &str, rows: &BTreeMap<String, ledger::Chars>| {
            for (name, chars) in rows {
                out.push_str(&format!(
                    "{title} {name}: {} stored, {} fetched back, {} kept out\n",
                    thousands(chars.stored),
                    thousands(chars.fetched),
                    thousands(chars.stored.saturating_sub(chars.fetched))
                ));
            }
        };
        table("tool", &saved.by_tool);
        table("day", &saved.by_day);
    }
    print(&out)
}
