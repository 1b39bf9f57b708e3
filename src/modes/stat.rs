//! What is known of a blob: the `stat` mode, and a line of `list`.

use std::time::{Duration, SystemTime};

use serde_json::{Map, Value, json};

use crate::answer::{Answer, Row};
use crate::store::blob::Blob;
use crate::store::ledger;
use crate::store::meta::Meta;
use crate::store::sweep::Retention;
use crate::text::kind::Kind;
use crate::text::show::{ago, count, duration, rfc3339, thousands, utc};
use crate::text::{clean, cut};

/// What a blob's metadata and files say.
#[derive(Clone, Debug)]
pub struct Stat {
    /// The metadata.
    pub meta: Meta,
    /// When it was last used.
    pub last_used: SystemTime,
    /// When it expires; `None` if it is pinned.
    pub expires: Option<SystemTime>,
    /// The path of the text.
    pub path: String,
}

impl Stat {
    /// Looks at a blob.
    pub fn of(blob: &Blob, keep: &Retention, now: SystemTime) -> Stat {
        let last_used = blob.last_used(now);
        let hot = ledger::fetches(blob.dir()) >= crate::store::sweep::HOT_FETCHES;
        let ttl = if hot { keep.ttl.max(keep.hot_ttl) } else { keep.ttl };
        Stat {
            meta: blob.meta().clone(),
            last_used,
            expires: if blob.pinned() { None } else { last_used.checked_add(ttl) },
            path: blob.path().to_string_lossy().into_owned(),
        }
    }

    /// Returns the JSON object.
    pub fn to_json(&self) -> Map<String, Value> {
        let mut object = self.meta.to_json();
        object.shift_remove("version");
        object.insert("created".to_owned(), json!(rfc3339(self.meta.created)));
        object.insert("last_used".to_owned(), json!(rfc3339(self.last_used)));
        object.insert("expires".to_owned(), json!(self.expires.map(rfc3339)));
        object.insert("pinned".to_owned(), json!(self.expires.is_none()));
        object.insert("path".to_owned(), json!(self.path));
        object
    }
}

/// Answers `stat`.
pub fn stat(blob: &Blob, keep: &Retention, now: SystemTime, full_max: u64) -> Answer {
    let stat = Stat::of(blob, keep, now);
    let meta = &stat.meta;
    let (size, source) = (&meta.size, &meta.source);
    let mut rows: Vec<(&str, String)> = vec![
        (
            "size",
            format!(
                "{}, {}, {}, the longest of {}",
                count(size.chars, "char"),
                count(size.bytes, "byte"),
                count(size.lines, "line"),
                count(size.longest_line, "char")
            ),
        ),
        ("type", meta.kind.name().to_owned()),
        ("tool", source.tool.clone()),
    ];
    let mut maybe = |name: &'static str, text: Option<String>| {
        if let Some(text) = text {
            rows.push((name, text));
        }
    };
    maybe("command", source.command.clone());
    maybe("label", source.label.clone());
    maybe("directory", source.directory.clone());
    maybe("exit status", source.exit_status.map(|s| s.to_string()));
    maybe("duration", source.duration_ms.map(|ms| format!("{}.{:03} s", thousands(ms / 1000), ms % 1000)));
    maybe("session", source.session.clone());
    maybe("PARTIAL", meta.partial.as_ref().map(|why| format!("the text was cut short ({why})")));
    let not_stored = (meta.not_stored > 0).then(|| format!("the last {} are missing", count(meta.not_stored, "byte")));
    maybe("NOT STORED", not_stored);
    rows.push(("stored", format!("{} UTC, {}", utc(meta.created), ago(meta.created, now))));
    rows.push(("last used", format!("{} UTC, {}", utc(stat.last_used), ago(stat.last_used, now))));
    rows.push(match stat.expires {
        None => ("expires", "never, it is pinned".to_owned()),
        Some(at) => {
            let left = at.duration_since(now).unwrap_or(Duration::ZERO);
            ("expires", format!("{} UTC, in {} unless it is used", utc(at), duration(left)))
        }
    });
    rows.push(("path", stat.path.clone()));
    rows.push(("sha256", meta.sha256.clone()));
    rows.push(("modes", modes(meta, full_max)));
    let id = meta.id.clone();
    let mut answer = Answer::new("stat", &meta.id, "", Box::new(move |_| format!("stat of {id}")));
    answer.fields = stat.to_json();
    answer.fields.shift_remove("id");
    answer.rows = rows
        .into_iter()
        .map(|(name, text)| {
            let text = clean::line(text.as_bytes()).replace('\n', " ");
            Row { text: format!("{name}: {}", cut::middle(&text, 600)), ..Row::default() }
        })
        .collect();
    answer
}

/// Returns the modes that make sense for a text.
fn modes(meta: &Meta, full_max: u64) -> String {
    let mut modes = vec!["outline", "search QUERY", "grep PATTERN"];
    if meta.size.lines > 1 {
        modes.push("range START COUNT");
    }
    if meta.size.longest_line > 1000 || meta.kind == Kind::Binary {
        modes.push("bytes START COUNT");
    }
    if matches!(meta.kind, Kind::Json | Kind::Ndjson) {
        modes.push("json POINTER");
    }
    if meta.size.chars <= full_max {
        modes.push("full");
    }
    modes.join(" | ")
}
