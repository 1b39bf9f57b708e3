//! The append-only log of a blob: one JSON line for every rescue, fetch and expansion.
//!
//! A line is written in one call to a file opened for appending, so lines of many processes never mix. A ledger that
//! cannot be written costs no answer.

use std::io::Write;
use std::path::Path;
use std::time::SystemTime;

use serde_json::{Value, json};

use crate::store::layout;
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
