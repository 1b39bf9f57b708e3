//! The one way into the store: a finished folder in `tmp/` becomes a blob by one rename.
//!
//! A rename onto a folder that is there fails, and that is the dedupe check. Losing the race to publish is success:
//! the text moves into the blob that is there, which renews its life and heals whatever had happened to its text.

use std::fs;
use std::io;
use std::path::Path;
use std::time::SystemTime;

use crate::error::{Doing, Error, Result};
use crate::store::ledger::{self, Event};
use crate::store::meta::Meta;
use crate::store::{ID_DIGITS, Store, blob, layout};
use crate::text::lines::LineIndex;

/// What `publish` found at the place where the blob belongs.
enum Found {
    /// The same text, now renewed; when it was first stored.
    Same(SystemTime),
    /// Another text whose SHA-256 begins alike.
    Other,
    /// Nothing that can stay there; the place is free now.
    Free,
}

/// Publishes the folder `work` (which holds the text) under the id that `meta.sha256` gives; fills in `meta.id`, and
/// `meta.created` with the time at which the same text was first stored.
///
/// # Errors
/// Whatever the file system refuses; `work` and its text are then still there.
pub fn publish(store: &Store, work: &Path, meta: &mut Meta, index: Option<&LineIndex>, now: SystemTime) -> Result<()> {
    if let Some(index) = index {
        let path = work.join(layout::INDEX);
        layout::write_new(&path, &index.to_bytes()).doing("write", &path)?;
    }
    let rescue = Event {
        event: "rescue",
        detail: &meta.source.tool.clone(),
        chars: meta.size.chars,
        session: meta.source.session.as_deref(),
    };
    let line = rescue.line(now);
    let ledger = work.join(layout::LEDGER);
    layout::write_new(&ledger, line.as_bytes()).doing("write", &ledger)?;
    let sha256 = meta.sha256.clone();
    let mut digits = ID_DIGITS;
    // Two tries more than there are lengths: each try that does not settle it frees the place or lengthens the id.
    for _ in 0..16 {
        meta.id = sha256[..digits.min(sha256.len())].to_owned();
        write_meta(work, meta)?;
        let home = store.layout().blob(&meta.id);
        match fs::rename(work, &home) {
            Ok(()) => return Ok(()),
            Err(e) if taken(&e) || fs::symlink_metadata(&home).is_ok() => match settle(store, work, &home, meta)? {
                Found::Same(created) => {
                    meta.created = created;
                    write_meta(&home, meta)?;
                    ledger::append(&home, &rescue_event(meta), now);
                    remove_work(work);
                    return Ok(());
                }
                Found::Other => digits += 4,
                Found::Free => {}
            },
            Err(e) => return Err(e).doing("publish into", &home),
        }
    }
    Err(Error::Store(format!("cannot find a free place for {} in the store", &sha256[..ID_DIGITS])))
}

fn rescue_event(meta: &Meta) -> Event<'_> {
    Event {
        event: "rescue",
        detail: &meta.source.tool,
        chars: meta.size.chars,
        session: meta.source.session.as_deref(),
    }
}

fn taken(error: &io::Error) -> bool {
    use io::ErrorKind::{AlreadyExists, DirectoryNotEmpty, NotADirectory};
    matches!(error.kind(), AlreadyExists | DirectoryNotEmpty | NotADirectory)
}

/// Writes `meta.json` whole, by a rename if one is there.
pub fn write_meta(dir: &Path, meta: &Meta) -> Result<()> {
    let bytes = serde_json::to_vec_pretty(&meta.to_json()).map_err(io::Error::from);
    let path = dir.join(layout::META);
    let bytes = bytes.doing("write", &path)?;
    let fresh = dir.join(fresh_name(layout::META));
    let written = layout::write_new(&fresh, &bytes).and_then(|()| fs::rename(&fresh, &path));
    if written.is_err() {
        let _ = fs::remove_file(&fresh);
    }
    written.doing("write", &path)
}

/// Deals with what stands where the blob belongs.
fn settle(store: &Store, work: &Path, home: &Path, meta: &Meta) -> Result<Found> {
    let stored = match blob::read_meta(home) {
        Ok(stored) if stored.sha256 != meta.sha256 => return Ok(Found::Other),
        Ok(stored) => stored,
        Err(_) => {
            // Not a blob, or one whose metadata is lost: it cannot be shown as good, so it makes room.
            set_aside(store, home)?;
            return Ok(Found::Free);
        }
    };
    let (from, to) = (work.join(layout::TEXT), home.join(layout::TEXT));
    let now = fs::FileTimes::new().set_modified(SystemTime::now());
    layout::open_regular(&from).and_then(|text| text.set_times(now)).doing("renew", &from)?;
    match fs::rename(&from, &to) {
        Ok(()) => {}
        // A folder in the place of the text.
        Err(e) if matches!(e.kind(), io::ErrorKind::IsADirectory | io::ErrorKind::AlreadyExists) => {
            set_aside(store, &to)?;
            fs::rename(&from, &to).doing("publish into", &to)?;
        }
        // A sweep took the blob away under us: its place is free.
        Err(e) if e.kind() == io::ErrorKind::NotFound && from.exists() => return Ok(Found::Free),
        Err(e) => return Err(e).doing("publish into", &to),
    }
    let index = work.join(layout::INDEX);
    if index.exists() {
        let to = home.join(layout::INDEX);
        fs::rename(&index, &to).doing("publish into", &to)?;
    }
    Ok(Found::Same(stored.created))
}

/// Moves what stands at `path` into `tmp/` and deletes it there.
pub fn set_aside(store: &Store, path: &Path) -> Result<()> {
    let aside = store.layout().tmp().join(fresh_name("trash"));
    match fs::rename(path, &aside) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other.doing("move away", path)?,
    }
    remove_work(&aside);
    Ok(())
}

/// Deletes a folder (or file) of `tmp/`; what cannot be deleted is left to the sweep.
pub fn remove_work(path: &Path) {
    if layout::is_real_dir(path) {
        let _ = fs::remove_dir_all(path);
    } else {
        let _ = fs::remove_file(path);
    }
}

/// Returns a name in `tmp/` that no other process and no other thread of this one uses.
pub fn fresh_name(what: &str) -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let nanos = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
    format!("{what}-{}-{nanos:x}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}
