//! The append-only log of a blob: one JSON line for every rescue, fetch and expansion.
//!
//! A line is written in one call to a file opened for appending, so lines of many processes never mix. A ledger that
//! cannot be written costs no answer.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::time::SystemTime;

use serde_json::{Value, json};

use crate::error::Result;
use crate::store::{Store, layout};
use crate::text::show;

/// The largest ledger that is still appended to, in bytes; more than ten thousand lines.
const FULL: u64 = layout::SMALL_FILE;

/// One line of a ledger.
#[derive(Clone, Debug)]
pub struct Event<'a> {
    /// `rescue`, `fetch` or `expand`.
    pub event: &'static str,
    /// What was asked for: the mode and its arguments; for a rescue the tool.
    pub detail: &'a str,
    /// How many chars went to the asker's context.
    pub chars: u64,
    /// The session, if one is known.
    pub session: Option<&'a str>,
}

impl Event<'_> {
    /// Returns the line, with its `\n`.
    pub fn line(&self, now: SystemTime) -> String {
        let value = json!({
            "at": show::rfc3339(now), "event": self.event, "detail": self.detail,
            "chars": self.chars, "session": self.session,
        });
        format!("{value}\n")
    }
}

/// Appends an event to the ledger in a blob's folder.
pub fn append(blob: &Path, event: &Event<'_>, now: SystemTime) {
    if let Ok(mut file) = layout::open_append(&blob.join(layout::LEDGER))
        && file.metadata().is_ok_and(|m| m.len() < FULL)
    {
        let _ = file.write_all(event.line(now).as_bytes());
    }
}

/// Returns the events of a blob, oldest first; lines that cannot be read are left out.
pub fn read(blob: &Path) -> Vec<Value> {
    let bytes = layout::read_small(&blob.join(layout::LEDGER)).unwrap_or_default();
    bytes.split(|&b| b == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

/// Returns how often a blob was fetched or expanded.
pub fn fetches(blob: &Path) -> usize {
    read(blob).iter().filter(|e| matches!(e["event"].as_str(), Some("fetch" | "expand"))).count()
}

/// How many chars were stored, and how many of them went back into contexts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Chars {
    /// Stored by rescues.
    pub stored: u64,
    /// Handed out by fetches.
    pub fetched: u64,
}

/// What the store kept out of contexts.
#[derive(Clone, Debug, Default)]
pub struct Saved {
    /// By the tool that was rescued.
    pub by_tool: BTreeMap<String, Chars>,
    /// By the day (UTC) of the event.
    pub by_day: BTreeMap<String, Chars>,
}

impl Saved {
    /// Returns the JSON object.
    pub fn to_json(&self) -> Value {
        let table = |rows: &BTreeMap<String, Chars>| -> Value {
            let row = |c: &Chars| json!({ "stored": c.stored, "fetched": c.fetched });
            rows.iter().map(|(name, chars)| (name.clone(), row(chars))).collect::<serde_json::Map<_, _>>().into()
        };
        json!({ "by_tool": table(&self.by_tool), "by_day": table(&self.by_day) })
    }

    /// Counts the events of one blob, whose tool the metadata names.
    fn add(&mut self, events: &[Value], tool: &str) {
        for event in events {
            let chars = event["chars"].as_u64().unwrap_or(0);
            let day = event["at"].as_str().and_then(|at| at.get(..10)).unwrap_or("?").to_owned();
            let rescue = event["event"] == "rescue";
            let name = if rescue { event["detail"].as_str().unwrap_or(tool) } else { tool };
            for row in [self.by_tool.entry(name.to_owned()).or_default(), self.by_day.entry(day).or_default()] {
                *(if rescue { &mut row.stored } else { &mut row.fetched }) += chars;
            }
        }
    }
}

/// Adds up the ledgers of all blobs.
pub fn saved(store: &Store) -> Result<Saved> {
    let mut saved = Saved::default();
    for id in store.ids()? {
        let dir = store.layout().blob(&id);
        let tool = crate::store::blob::read_meta(&dir).map(|m| m.source.tool).unwrap_or_else(|_| "?".to_owned());
        saved.add(&read(&dir), &tool);
    }
    Ok(saved)
}
