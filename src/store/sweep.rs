//! Retention: blobs leave when they have not been used for a while, or when the store is too large.
//!
//! Laws. A blob that was just stored or used stays. A pinned one stays. A blob leaves by one rename, after its
//! tombstone is written; if it was used in that moment it comes back. What sweeps did not make (unpublished work) is
//! only deleted when it is old and its process is gone.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::error::{Doing, Error, Result};
use crate::store::ledger::Saved;
use crate::store::lock::Lock;
use crate::store::meta::{Meta, Source, Tombstone};
use crate::store::{Store, blob, layout, ledger, publish, recover};
use crate::text::kind::Kind;
use crate::text::measure::Size;

/// How often a blob must have been fetched to be hot. Own choice: twice may be one question and its continuation.
pub const HOT_FETCHES: usize = 3;
/// Without the lock nothing younger than this is removed: its handle may just be printed.
const GRACE: Duration = Duration::from_secs(60);

/// How long and how much a store keeps.
#[derive(Clone, Copy, Debug)]
pub struct Retention {
    /// How long a blob lives since its last use.
    pub ttl: Duration,
    /// How long a hot one does.
    pub hot_ttl: Duration,
    /// The most bytes of texts to keep.
    pub max_bytes: u64,
    /// How long tombstones are kept.
    pub tombstones: Duration,
    /// The least time between two sweeps that nobody asked for.
    pub interval: Duration,
}

/// A blob that was (or would be) swept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    /// Its id.
    pub id: String,
    /// Its size on disk, in bytes.
    pub bytes: u64,
    /// Why: `unused` or `over budget`.
    pub why: &'static str,
    /// When it was last used.
    pub last_used: SystemTime,
}

/// What a sweep did.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The blobs that left.
    pub removed: Vec<Removed>,
    /// How many blobs stay.
    pub kept: usize,
    /// How many bytes they take.
    pub kept_bytes: u64,
    /// Whether the blobs that must stay are more than the budget.
    pub over_budget: bool,
}

struct Candidate {
    id: String,
    bytes: u64,
    used: SystemTime,
}

/// Sweeps the store; with `dry_run` only says what would leave.
pub fn sweep(store: &Store, keep: &Retention, now: SystemTime, dry_run: bool) -> Result<Report> {
    let lock = Lock::exclusive(&store.layout().lock(), Duration::from_secs(2));
    sweep_holding(store, keep, now, dry_run, lock.is_some())
}

/// Sweeps if the last sweep is long enough ago and nobody else is at it; quiet about everything.
pub fn sweep_if_due(store: &Store, keep: &Retention, now: SystemTime) {
    let stamp = store.layout().last_sweep();
    let last = fs::symlink_metadata(&stamp).and_then(|m| m.modified());
    // A stamp in the future is no reason never to sweep again.
    let waited = last.is_ok_and(|t| now.duration_since(t).is_ok_and(|d| d < keep.interval));
    if waited {
        return;
    }
    if let Some(_lock) = Lock::exclusive(&store.layout().lock(), Duration::ZERO) {
        let _ = sweep_holding(store, keep, now, false, true);
    }
}

fn sweep_holding(store: &Store, keep: &Retention, now: SystemTime, dry_run: bool, alone: bool) -> Result<Report> {
    if !dry_run && layout::is_real_dir(store.layout().root()) {
        let stamp = store.layout().last_sweep();
        layout::open_append(&stamp)
            .and_then(|f| f.set_times(fs::FileTimes::new().set_modified(now)))
            .doing("mark the sweep in", &stamp)?;
    }
    let mut stay = Vec::new();
    let mut report = Report::default();
    let mut gone = Saved::default();
    let mut pinned_bytes = 0;
    for id in store.ids()? {
        let dir = store.layout().blob(&id);
        let Some(candidate) = look(id, &dir, now) else { continue };
        if fs::symlink_metadata(dir.join(layout::PINNED)).is_ok() {
            pinned_bytes += candidate.bytes;
            report.kept += 1;
            continue;
        }
        let age = now.duration_since(candidate.used).unwrap_or_default();
        let expired = age > keep.ttl && (age > keep.hot_ttl || ledger::fetches(&dir) < HOT_FETCHES);
        if expired {
            remove(store, candidate, "unused", now, dry_run, &mut report, &mut gone)?;
        } else {
            stay.push(candidate);
        }
    }
    // Past the budget the least recently used go first, never the one used last.
    crate::order::by(&mut stay, |a, b| b.used.cmp(&a.used).then_with(|| a.id.cmp(&b.id)));
    let mut total = pinned_bytes;
    for (rank, candidate) in stay.into_iter().enumerate() {
        let young = !alone && now.duration_since(candidate.used).unwrap_or_default() < GRACE;
        if rank > 0 && !young && total + candidate.bytes > keep.max_bytes {
            remove(store, candidate, "over budget", now, dry_run, &mut report, &mut gone)?;
        } else {
            total += candidate.bytes;
            report.kept += 1;
        }
    }
    report.kept_bytes = total;
    report.over_budget = total > keep.max_bytes;
    if !dry_run {
        if !gone.is_empty() {
            // What is not remembered costs no blob.
            let _ = gone.remember(store);
        }
        forget_tombstones(store, keep, now);
        recover::forget_old_work(store, keep.ttl, now);
    }
    Ok(report)
}

/// How much is stored.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// Blobs.
    pub blobs: u64,
    /// Bytes of their texts.
    pub bytes: u64,
    /// How many of them are pinned.
    pub pinned: u64,
}

/// Counts what is stored.
pub fn usage(store: &Store, now: SystemTime) -> Result<Usage> {
    let mut usage = Usage::default();
    for id in store.ids()? {
        let dir = store.layout().blob(&id);
        if let Some(candidate) = look(id, &dir, now) {
            usage.blobs += 1;
            usage.bytes += candidate.bytes;
            usage.pinned += u64::from(fs::symlink_metadata(dir.join(layout::PINNED)).is_ok());
        }
    }
    Ok(usage)
}

/// Returns the size and the last use of the blob in `dir`.
fn look(id: String, dir: &Path, now: SystemTime) -> Option<Candidate> {
    let text = fs::symlink_metadata(dir.join(layout::TEXT)).or_else(|_| fs::symlink_metadata(dir)).ok()?;
    let used = text.modified().unwrap_or(now).min(now);
    Some(Candidate { id, bytes: text.len(), used })
}

fn remove(
    store: &Store,
    candidate: Candidate,
    why: &'static str,
    now: SystemTime,
    dry_run: bool,
    report: &mut Report,
    gone: &mut Saved,
) -> Result<()> {
    let mut saved = Saved::default();
    if !dry_run {
        saved.add_blob(&store.layout().blob(&candidate.id));
    }
    if dry_run || bury(store, &candidate, why, now)? {
        gone.merge(&saved);
        let Candidate { id, bytes, used } = candidate;
        report.removed.push(Removed { id, bytes, why, last_used: used });
    } else {
        report.kept += 1;
    }
    Ok(())
}

/// Takes a blob out of the store and leaves its tombstone; `false` if it was used meanwhile and stays.
fn bury(store: &Store, candidate: &Candidate, why: &str, now: SystemTime) -> Result<bool> {
    let home = store.layout().blob(&candidate.id);
    let meta = blob::read_meta(&home).unwrap_or_else(|_| unknown(&candidate.id, now));
    write_tombstone(store, &Meta { id: candidate.id.clone(), ..meta }, why, now)?;
    let aside = store.layout().tmp().join(publish::fresh_name("trash"));
    match fs::rename(&home, &aside) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(true),
        other => other.doing("sweep", &home)?,
    }
    let used_meanwhile = look(String::new(), &aside, now).is_some_and(|c| c.used > candidate.used);
    if used_meanwhile && fs::rename(&aside, &home).is_ok() {
        let _ = fs::remove_file(store.layout().tombstone(&candidate.id));
        return Ok(false);
    }
    publish::remove_work(&aside);
    Ok(true)
}

/// Stands in for metadata that cannot be read.
fn unknown(id: &str, now: SystemTime) -> Meta {
    Meta {
        id: id.to_owned(),
        sha256: String::new(),
        size: Size::default(),
        kind: Kind::Text,
        source: Source { tool: "?".to_owned(), ..Source::default() },
        created: now,
        partial: None,
        not_stored: 0,
    }
}

fn write_tombstone(store: &Store, meta: &Meta, why: &str, now: SystemTime) -> Result<()> {
    let dir = store.layout().swept();
    layout::make_private_dir(&dir).doing("make", &dir)?;
    let path = store.layout().tombstone(&meta.id);
    let fresh = dir.join(format!(".{}", publish::fresh_name(&meta.id)));
    layout::write_new(&fresh, Tombstone::to_json(meta, now, why).to_string().as_bytes())
        .and_then(|()| fs::rename(&fresh, &path))
        .inspect_err(|_| drop(fs::remove_file(&fresh)))
        .doing("write", &path)
}

/// Removes one blob at its user's wish; leaves its tombstone.
pub fn remove_blob(store: &Store, id: &str, now: SystemTime) -> Result<()> {
    let home = store.layout().blob(id);
    if !layout::is_real_dir(&home) {
        return Err(Error::Unknown(id.to_owned()));
    }
    let meta = blob::read_meta(&home).unwrap_or_else(|_| unknown(id, now));
    let mut gone = Saved::default();
    gone.add_blob(&home);
    write_tombstone(store, &Meta { id: id.to_owned(), ..meta }, "removed", now)?;
    publish::set_aside(store, &home)?;
    let _ = gone.remember(store);
    Ok(())
}

fn forget_tombstones(store: &Store, keep: &Retention, now: SystemTime) {
    for path in children(&store.layout().swept()) {
        let age = fs::symlink_metadata(&path).and_then(|m| m.modified()).map(|t| now.duration_since(t));
        if matches!(age, Ok(Ok(age)) if age > keep.tombstones) {
            let _ = fs::remove_file(&path);
        }
    }
}

/// Returns the paths in a folder; none if it cannot be read.
pub(super) fn children(dir: &Path) -> Vec<PathBuf> {
    fs::read_dir(dir).into_iter().flatten().filter_map(|e| Some(e.ok()?.path())).collect()
}
