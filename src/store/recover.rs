//! What killed processes left in `tmp/`: finding it, publishing it, and forgetting it when it is old.
//!
//! A living process holds a lock on the text it writes; work whose lock can be taken is nobody's any more.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};

use crate::error::{Doing, Result};
use crate::store::blob::{Window, hex};
use crate::store::lock::Lock;
use crate::store::meta::{Meta, Source};
use crate::store::sweep::children;
use crate::store::{Store, layout, publish};
use crate::text::decode::Decoded;
use crate::text::kind::{self, Sample};
use crate::text::lines::LineIndexBuilder;
use crate::text::measure::Measure;

/// How much of a text's end is looked at to tell its kind, in bytes.
const TAIL: usize = 64 << 10;

/// A text that a killed process left unpublished.
#[derive(Clone, Debug)]
pub struct Orphan {
    /// Its folder in `tmp/`.
    pub dir: PathBuf,
    /// What is known of its source.
    pub source: Source,
    /// How many bytes arrived.
    pub bytes: u64,
    /// When the last of them did.
    pub modified: SystemTime,
}

/// Returns the texts that killed processes left, oldest first.
pub fn orphans(store: &Store) -> Vec<Orphan> {
    let mut found: Vec<Orphan> = children(&store.layout().tmp()).iter().filter_map(|dir| look(dir)).collect();
    crate::order::by_key(&mut found, |o| o.modified);
    found
}

fn look(dir: &Path) -> Option<Orphan> {
    if !dir.file_name()?.to_str()?.starts_with("spill-") || !layout::is_real_dir(dir) {
        return None;
    }
    let text = layout::open_regular(&dir.join(layout::TEXT)).ok()?;
    let meta = text.metadata().ok()?;
    Lock::on(text)?;
    let known: serde_json::Value =
        layout::read_small(&dir.join(layout::META)).ok().and_then(|b| serde_json::from_slice(&b).ok())?;
    let word = |key: &str| known.get(key).and_then(|v| v.as_str()).map(str::to_owned);
    let source = Source {
        tool: word("tool").unwrap_or_default(),
        command: word("command"),
        session: word("session"),
        ..Source::default()
    };
    Some(Orphan { dir: dir.to_owned(), source, bytes: meta.len(), modified: meta.modified().ok()? })
}

/// Publishes an orphan; returns its metadata, or `None` if nothing had arrived or its process lives.
pub fn recover(store: &Store, orphan: &Orphan, now: SystemTime) -> Result<Option<Meta>> {
    let path = orphan.dir.join(layout::TEXT);
    let text = layout::open_regular(&path).doing("open", &path)?;
    let Some(_alone) = text.try_clone().ok().and_then(Lock::on) else { return Ok(None) };
    if orphan.bytes == 0 {
        publish::remove_work(&orphan.dir);
        return Ok(None);
    }
    // The hash is of the stored bytes, the measure of what they mean: for UTF-16 these differ.
    let mut hasher = Sha256::new();
    let mut stored = 0;
    each_chunk(&mut Window::new(&text, 0), |chunk| {
        hasher.update(chunk);
        stored += chunk.len() as u64;
    })
    .doing("read", &path)?;
    let (mut measure, mut index) = (Measure::default(), LineIndexBuilder::default());
    let (mut head, mut tail) = (Vec::new(), Vec::new());
    each_chunk(&mut Decoded::new(Window::new(&text, 0)), |chunk| {
        let newlines = measure.push(chunk);
        index.push(chunk, newlines);
        if head.is_empty() {
            head.extend_from_slice(chunk);
        }
        tail.extend_from_slice(chunk);
        let surplus = tail.len().saturating_sub(TAIL);
        tail.drain(..surplus);
    })
    .doing("read", &path)?;
    let mut size = measure.size();
    let kind = kind::detect(&Sample { head: &head, tail: &tail, bytes: size.bytes });
    let index = (size.bytes == stored && stored > crate::text::lines::INDEX_STEP).then(|| index.finish());
    size.bytes = stored;
    let mut meta = Meta {
        id: String::new(),
        sha256: hex(&hasher.finalize()),
        size,
        kind,
        source: orphan.source.clone(),
        created: orphan.modified,
        partial: Some("killed".to_owned()),
        not_stored: 0,
    };
    // What an earlier try to publish it may have left.
    for name in [layout::INDEX, layout::LEDGER] {
        let _ = fs::remove_file(orphan.dir.join(name));
    }
    let renewed = fs::FileTimes::new().set_modified(SystemTime::now());
    text.set_times(renewed).doing("renew", &path)?;
    publish::publish(store, &orphan.dir, &mut meta, index.as_ref(), now)?;
    Ok(Some(meta))
}

fn each_chunk(input: &mut dyn Read, mut see: impl FnMut(&[u8])) -> std::io::Result<()> {
    let mut buf = vec![0; 256 << 10];
    loop {
        match input.read(&mut buf)? {
            0 => return Ok(()),
            n => see(&buf[..n]),
        }
    }
}

/// Deletes work in `tmp/` that is older than `ttl` and whose process is gone.
pub(super) fn forget_old_work(store: &Store, ttl: Duration, now: SystemTime) {
    for path in children(&store.layout().tmp()) {
        let text = path.join(layout::TEXT);
        let Ok(meta) = fs::symlink_metadata(&text).or_else(|_| fs::symlink_metadata(&path)) else { continue };
        let old = meta.modified().is_ok_and(|t| now.duration_since(t).is_ok_and(|age| age > ttl));
        let trash = path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("trash-"));
        let alive = layout::open_regular(&text).is_ok_and(|f| Lock::on(f).is_none());
        if (old || trash) && !alive {
            publish::remove_work(&path);
        }
    }
}
