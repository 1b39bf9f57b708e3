//! What is recorded of a blob: `meta.json`, and of a swept one: its tombstone.

use std::time::SystemTime;

use serde_json::{Map, Value, json};

use crate::store::layout;
use crate::text::kind::Kind;
use crate::text::measure::Size;
use crate::text::show;

/// What is known of the run that a text came from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// The name of the tool, one clean word.
    pub tool: String,
    /// The command line, secrets masked.
    pub command: Option<String>,
    /// A name of its own for the chain of versions, in the place of the command line.
    pub label: Option<String>,
    /// The directory it ran in.
    pub directory: Option<String>,
    /// The exit status as a shell reports it (128+n for a signal).
    pub exit_status: Option<i32>,
    /// How long it ran, in milliseconds.
    pub duration_ms: Option<u64>,
    /// The session it belongs to.
    pub session: Option<String>,
}

/// The metadata of a blob.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meta {
    /// The blob's id.
    pub id: String,
    /// The SHA-256 of the stored text, in hex.
    pub sha256: String,
    /// The size of the stored text.
    pub size: Size,
    /// What kind of text it is.
    pub kind: Kind,
    /// Where it came from.
    pub source: Source,
    /// When this text was first stored.
    pub created: SystemTime,
    /// Why the text is not all that the command would have written: the signal that ended it.
    pub partial: Option<String>,
    /// How many bytes came after storing had stopped.
    pub not_stored: u64,
}

impl Meta {
    /// Returns the metadata as the JSON object that is stored.
    pub fn to_json(&self) -> Map<String, Value> {
        let value = json!({
            "version": layout::VERSION,
            "id": self.id,
            "sha256": self.sha256,
            "bytes": self.size.bytes,
            "chars": self.size.chars,
            "lines": self.size.lines,
            "longest_line": self.size.longest_line,
            "type": self.kind.name(),
            "tool": self.source.tool,
            "command": self.source.command,
            "label": self.source.label,
            "directory": self.source.directory,
            "exit_status": self.source.exit_status,
            "duration_ms": self.source.duration_ms,
            "session": self.source.session,
            "created": show::rfc3339_exact(self.created),
            "partial": self.partial,
            "not_stored_bytes": self.not_stored,
        });
        match value {
            Value::Object(map) => map,
            _ => Map::new(),
        }
    }

    /// Reads stored metadata; the error says what is wrong with it.
    pub fn from_json(bytes: &[u8]) -> Result<Meta, String> {
        let value: Value = serde_json::from_slice(bytes).map_err(|e| format!("its metadata cannot be read ({e})"))?;
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let number = |key: &str| value.get(key).and_then(Value::as_u64);
        let need = |key: &str| format!("its metadata lacks {key}");
        let count = |key: &str| number(key).ok_or_else(|| need(key));
        Ok(Meta {
            id: text("id").ok_or_else(|| need("id"))?,
            sha256: text("sha256").filter(|s| s.len() == 64).ok_or_else(|| need("sha256"))?,
            size: Size {
                bytes: count("bytes")?,
                chars: count("chars")?,
                lines: count("lines")?,
                longest_line: count("longest_line")?,
            },
            kind: text("type").and_then(|name| Kind::from_name(&name)).unwrap_or(Kind::Text),
            source: Source {
                tool: text("tool").unwrap_or_default(),
                command: text("command"),
                label: text("label"),
                directory: text("directory"),
                exit_status: value.get("exit_status").and_then(Value::as_i64).and_then(|n| i32::try_from(n).ok()),
                duration_ms: number("duration_ms"),
                session: text("session"),
            },
            created: text("created").and_then(|t| show::parse_time(&t)).ok_or_else(|| need("created"))?,
            partial: text("partial"),
            not_stored: number("not_stored_bytes").unwrap_or(0),
        })
    }

    /// Returns whether two blobs are versions of one result: same tool, command line (or label) and session.
    pub fn same_chain(&self, other: &Meta) -> bool {
        let key = |m: &Meta| {
            let what = m.source.label.clone().or_else(|| m.source.command.clone());
            (m.source.tool.clone(), what, m.source.session.clone())
        };
        key(self) == key(other)
    }
}

/// What is left of a swept blob.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tombstone {
    /// The blob's id.
    pub id: String,
    /// Where it came from, as people read it: `tool=bash: cargo test`.
    pub origin: String,
    /// When it was swept.
    pub swept: SystemTime,
}

impl Tombstone {
    /// Returns the tombstone of a blob that is being swept, as it is stored.
    pub fn to_json(meta: &Meta, now: SystemTime, why: &str) -> Value {
        json!({
            "id": meta.id,
            "tool": meta.source.tool,
            "command": meta.source.command,
            "bytes": meta.size.bytes,
            "chars": meta.size.chars,
            "lines": meta.size.lines,
            "type": meta.kind.name(),
            "created": show::rfc3339(meta.created),
            "swept": show::rfc3339(now),
            "why": why,
        })
    }

    /// Reads a stored tombstone; a damaged one still tells that the id was swept.
    pub fn from_json(id: &str, bytes: &[u8], modified: SystemTime) -> Tombstone {
        let value: Value = serde_json::from_slice(bytes).unwrap_or(Value::Null);
        let text = |key: &str| value.get(key).and_then(Value::as_str);
        let mut origin = format!("tool={}", text("tool").unwrap_or("?"));
        if let Some(command) = text("command") {
            origin.push_str(": ");
            origin.push_str(command);
        }
        let swept = text("swept").and_then(show::parse_time).unwrap_or(modified);
        Tombstone { id: id.to_owned(), origin, swept }
    }

    /// Returns what to tell whoever asks for the id.
    pub fn message(&self, now: SystemTime) -> String {
        let origin = crate::text::clean::line(self.origin.as_bytes()).into_owned();
        format!("{} was swept {}; it came from {origin}; run that again", self.id, show::ago(self.swept, now))
    }
}
