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

impl Saved {
    /// Adds what is known of the blob in `dir`.
    pub fn add_blob(&mut self, dir: &Path) {
        let tool = crate::store::blob::read_meta(dir).map(|m| m.source.tool).unwrap_or_else(|_| "?".to_owned());
        self.add(&read(dir), &tool);
    }

    /// Returns whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.by_tool.is_empty()
    }

    /// Reads what the ledgers of blobs that have left said.
    fn of_the_gone(store: &Store) -> Saved {
        let bytes = layout::read_small(&store.layout().saved()).unwrap_or_default();
        let value: Value = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        let table = |name: &str| -> BTreeMap<String, Chars> {
            let rows = value[name].as_object().into_iter().flatten();
            let chars = |v: &Value, key: &str| v[key].as_u64().unwrap_or(0);
            rows.map(|(k, v)| (k.clone(), Chars { stored: chars(v, "stored"), fetched: chars(v, "fetched") })).collect()
        };
        Saved { by_tool: table("by_tool"), by_day: table("by_day") }
    }

    /// Adds another count to this one.
    pub fn merge(&mut self, other: &Saved) {
        for (mine, theirs) in [(&mut self.by_tool, &other.by_tool), (&mut self.by_day, &other.by_day)] {
            for (name, chars) in theirs {
                let row = mine.entry(name.clone()).or_default();
                row.stored += chars.stored;
                row.fetched += chars.fetched;
            }
        }
    }

    /// Adds this to what is remembered of the blobs that have left.
    pub fn remember(&self, store: &Store) -> std::io::Result<()> {
        let mut all = Saved::of_the_gone(store);
        all.merge(self);
        while all.by_day.len() > DAYS {
            all.by_day.pop_first();
        }
        let path = store.layout().saved();
        let fresh = store.layout().tmp().join(crate::store::publish::fresh_name("saved"));
        layout::write_new(&fresh, all.to_json().to_string().as_bytes())
            .and_then(|()| std::fs::rename(&fresh, &path))
            .inspect_err(|_| drop(std::fs::remove_file(&fresh)))
    }
}

/// For how many days it is remembered what was kept out by blobs that have left.
const DAYS: usize = 400;

/// Adds up the ledgers of all blobs, those that have left too.
pub fn saved(store: &Store) -> Result<Saved> {
    let mut saved = Saved::of_the_gone(store);
    for id in store.ids()? {
        saved.add_blob(&store.layout().blob(&id));
    }
    Ok(saved)
}
