//! The store: a plain folder with one folder a blob. It knows nothing of previews.
//!
//! Laws. A blob is published by one rename: its text, metadata and index are complete or absent together. Any number
//! of processes may use one store. Damage to one blob never costs another. Nothing outside the store is opened
//! through it: links are not followed. See [`layout`] for the paths, [`spill`] for a blob being written, [`publish`]
//! for the one way into the store, [`blob`] for a stored one, [`sweep`] for retention.

pub mod blob;
pub mod layout;
pub mod ledger;
pub mod lock;
pub mod meta;
pub mod publish;
pub mod recover;
pub mod spill;
pub mod sweep;

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::error::{Doing, Error, Result};
use blob::Blob;
use layout::Layout;
use lock::Lock;
use meta::{Meta, Tombstone};

/// How many hex digits of the SHA-256 an id has, unless another text owns them.
pub const ID_DIGITS: usize = 12;
/// The fewest digits that name a blob.
pub const PREFIX_DIGITS: usize = 4;

/// A store that was found fit to use.
#[derive(Clone, Debug)]
pub struct Store {
    layout: Layout,
    warning: Option<String>,
}

impl Store {
    /// Opens the store at `root`, making what is missing. Refuses one that others can write or own.
    pub fn create(root: &Path) -> Result<Store> {
        let layout = Layout::new(absolute(root)?);
        layout::make_private_dir(layout.root()).doing("make the store", layout.root())?;
        let warning = guard(layout.root())?;
        for dir in [layout.blobs(), layout.tmp()] {
            if !layout::is_real_dir(&dir) {
                layout::make_private_dir(&dir).doing("make", &dir)?;
                check_dir(&dir)?;
            }
        }
        Ok(Store { layout, warning })
    }

    /// Opens the store at `root` to read from it; one that is not there is an empty one.
    pub fn open(root: &Path) -> Result<Store> {
        let layout = Layout::new(absolute(root)?);
        let warning = if fs::symlink_metadata(layout.root()).is_ok() { guard(layout.root())? } else { None };
        Ok(Store { layout, warning })
    }

    /// Returns the paths of the store.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Returns what the user should know of the state the store was found in.
    pub fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }

    /// Takes the lock that keeps a sweep away while a handle is being published and printed.
    pub fn hold(&self) -> Option<Lock> {
        Lock::shared(&self.layout.lock(), Duration::from_millis(200))
    }

    /// Returns the ids of all blobs, in no order.
    pub fn ids(&self) -> Result<Vec<String>> {
        let dir = self.layout.blobs();
        let entries = match fs::read_dir(&dir) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            other => other.doing("list", &dir)?,
        };
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        Ok(names.filter(|name| is_id(name)).collect())
    }

    /// Finds the blob that `asked` names: an id, a unique prefix of one of 4 digits or more, in any case, with `tla:`
    /// or `tool-output:` before it, `@N` behind it for the Nth version of that result.
    pub fn find(&self, asked: &str, now: SystemTime) -> Result<Blob> {
        let name = Name::parse(asked)?;
        let blob = self.resolve(&name.digits, now)?;
        match name.version {
            None => Ok(blob),
            Some(n) => self.version(&blob, n),
        }
    }

    fn resolve(&self, digits: &str, now: SystemTime) -> Result<Blob> {
        if digits.len() >= ID_DIGITS {
            if layout::is_real_dir(&self.layout.blob(digits)) {
                return Blob::open(self, digits);
            }
            // More digits of the SHA-256 than the id has are as good as the id.
            for len in (ID_DIGITS..digits.len()).rev() {
                let id = &digits[..len];
                if layout::is_real_dir(&self.layout.blob(id)) {
                    let blob = Blob::open(self, id)?;
                    if blob.meta().sha256.starts_with(digits) {
                        return Ok(blob);
                    }
                }
            }
        }
        let mut ids: Vec<String> = self.ids()?.into_iter().filter(|id| id.starts_with(digits)).collect();
        match ids.len() {
            0 => Err(self.missing(digits, now)),
            1 => Blob::open(self, &ids.remove(0)),
            _ => {
                crate::order::by(&mut ids, |a, b| a.cmp(b));
                ids.truncate(10);
                Err(Error::Ambiguous { prefix: digits.to_owned(), ids })
            }
        }
    }

    /// Tells a swept id from one never seen.
    fn missing(&self, digits: &str, now: SystemTime) -> Error {
        let dir = self.layout.swept();
        let names = fs::read_dir(&dir).into_iter().flatten().filter_map(|e| e.ok()?.file_name().into_string().ok());
        let mut ids: Vec<String> = names
            .filter_map(|name| name.strip_suffix(".json").map(str::to_owned))
            .filter(|id| is_id(id) && (id.starts_with(digits) || digits.starts_with(id.as_str())))
            .collect();
        if ids.len() > 1 {
            crate::order::by(&mut ids, |a, b| a.cmp(b));
            ids.truncate(10);
            return Error::Ambiguous { prefix: digits.to_owned(), ids };
        }
        let Some(id) = ids.pop() else { return Error::Unknown(digits.to_owned()) };
        let path = self.layout.tombstone(&id);
        let modified = fs::symlink_metadata(&path).and_then(|m| m.modified()).unwrap_or(now);
        let tombstone = Tombstone::from_json(&id, &layout::read_small(&path).unwrap_or_default(), modified);
        Error::Swept(tombstone.message(now))
    }

    /// Finds the `n`th (from 1) different text of the same tool, command line (or label) and session.
    fn version(&self, blob: &Blob, n: usize) -> Result<Blob> {
        let mut chain: Vec<Meta> = self.metas()?.into_iter().filter(|m| m.same_chain(blob.meta())).collect();
        crate::order::by_key(&mut chain, |m| m.created);
        match n.checked_sub(1).and_then(|k| chain.get(k)) {
            Some(meta) => Blob::open(self, &meta.id),
            None => Err(Error::Invalid(format!(
                "{} has {} in this store: @1 to @{}",
                blob.id(),
                crate::text::show::count(chain.len() as u64, "version"),
                chain.len()
            ))),
        }
    }

    /// Returns the metadata of every blob whose metadata can be read.
    pub fn metas(&self) -> Result<Vec<Meta>> {
        let ids = self.ids()?;
        Ok(ids.iter().filter_map(|id| blob::read_meta(&self.layout.blob(id)).ok()).collect())
    }
}

/// What a user calls a blob, taken apart.
struct Name {
    digits: String,
    version: Option<usize>,
}

impl Name {
    fn parse(asked: &str) -> Result<Name> {
        let lower = asked.trim().to_ascii_lowercase();
        let bare = ["tla:", "tool-output:"].iter().find_map(|p| lower.strip_prefix(p)).unwrap_or(&lower);
        let (digits, version) = match bare.split_once('@') {
            Some((digits, n)) => {
                let n = n.parse().map_err(|_| Error::Invalid(format!("{asked:?}: after @ comes a version, from 1")))?;
                (digits, Some(n))
            }
            None => (bare, None),
        };
        let hex = digits.bytes().all(|b| b.is_ascii_hexdigit());
        if !hex || digits.len() < PREFIX_DIGITS || digits.len() > 64 {
            let shown = crate::text::cut::middle(asked, 80).into_owned();
            return Err(Error::Invalid(format!(
                "{shown:?} is not an id: 4 to 64 hex digits; `toolaria list` shows the ids"
            )));
        }
        Ok(Name { digits: digits.to_owned(), version })
    }
}

/// Returns whether a file name can be the id of a blob.
pub fn is_id(name: &str) -> bool {
    (ID_DIGITS..=64).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

fn absolute(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path).doing("find", path)
}

/// Checks that a store folder is its user's own; tightens one that others can read, and says so.
fn guard(root: &Path) -> Result<Option<String>> {
    let refuse = |why: &str| Err(Error::Store(format!("the store {} {why}", root.display())));
    let me = rustix::process::geteuid().as_raw();
    let link = fs::symlink_metadata(root).doing("look at the store", root)?;
    if link.is_symlink() && link.uid() != me {
        return refuse("is a link that belongs to another user");
    }
    let meta = fs::metadata(root).doing("look at the store", root)?;
    if !meta.is_dir() {
        return refuse("is not a folder");
    }
    if meta.uid() != me {
        return refuse("belongs to another user");
    }
    let mode = meta.mode() & 0o777;
    if mode & 0o022 != 0 {
        return refuse(&format!("can be written by others (mode {mode:o}); `chmod 700` it if it is yours"));
    }
    for dir in ["blobs", "tmp", "swept"] {
        let dir = root.join(dir);
        if fs::symlink_metadata(&dir).is_ok() {
            check_dir(&dir)?;
        }
    }
    if mode & 0o077 == 0 {
        return Ok(None);
    }
    fs::set_permissions(root, fs::Permissions::from_mode(0o700)).doing("tighten the mode of", root)?;
    Ok(Some(format!("the store {} could be read by others (mode {mode:o}); it is 700 now", root.display())))
}

fn check_dir(dir: &Path) -> Result<()> {
    let refuse = |why: &str| Err(Error::Store(format!("{} in the store {why}", dir.display())));
    let meta = fs::symlink_metadata(dir).doing("look at", dir)?;
    if !meta.is_dir() {
        return refuse("is not a folder");
    }
    if meta.uid() != rustix::process::geteuid().as_raw() {
        return refuse("belongs to another user");
    }
    if meta.mode() & 0o022 != 0 {
        return refuse("can be written by others");
    }
    Ok(())
}
