//! Every path and name inside a store, and opening what stands there without following links.
//!
//! Only regular files and real folders are opened: a link, a FIFO or a device in the place of one is refused, and an
//! open never blocks.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

/// The version of the layout, written into every blob's metadata.
pub const VERSION: u64 = 1;
/// The file of a blob that is the text, byte for byte.
pub const TEXT: &str = "text";
/// The file of a blob that tells what `stat` tells.
pub const META: &str = "meta.json";
/// The file of a blob with its sparse line index, for texts over 1 MiB.
pub const INDEX: &str = "lines.idx";
/// The file of a blob that is its ledger.
pub const LEDGER: &str = "log.jsonl";
/// The empty file of a blob that keeps it from being swept.
pub const PINNED: &str = "pinned";
/// The largest metadata, ledger or tombstone that is read, in bytes: far above what is ever written.
pub const SMALL_FILE: u64 = 1 << 20;

/// The paths of a store.
#[derive(Clone, Debug)]
pub struct Layout {
    root: PathBuf,
}

impl Layout {
    /// Names the paths below `root`.
    pub fn new(root: PathBuf) -> Self {
        Layout { root }
    }
    /// The store's own folder.
    pub fn root(&self) -> &Path {
        &self.root
    }
    /// The folder of published blobs.
    pub fn blobs(&self) -> PathBuf {
        self.root.join("blobs")
    }
    /// The folder of one blob.
    pub fn blob(&self, id: &str) -> PathBuf {
        self.root.join("blobs").join(id)
    }
    /// The folder of unpublished work.
    pub fn tmp(&self) -> PathBuf {
        self.root.join("tmp")
    }
    /// The folder of tombstones.
    pub fn swept(&self) -> PathBuf {
        self.root.join("swept")
    }
    /// The tombstone of one blob.
    pub fn tombstone(&self, id: &str) -> PathBuf {
        self.root.join("swept").join(format!("{id}.json"))
    }
    /// The file that locks are taken on.
    pub fn lock(&self) -> PathBuf {
        self.root.join("lock")
    }
    /// The file that remembers how much was kept out of contexts by blobs that have left.
    pub fn saved(&self) -> PathBuf {
        self.root.join("saved.json")
    }
    /// The file whose modification time is that of the last sweep.
    pub fn last_sweep(&self) -> PathBuf {
        self.root.join("last-sweep")
    }
}

/// Makes a folder (and what is missing above it) that only its owner can enter.
pub fn make_private_dir(path: &Path) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    match DirBuilder::new().mode(0o700).create(path) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        other => other,
    }
}

/// Makes a new file that only its owner can read.
pub fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path)
}

/// Opens a regular file for reading.
pub fn open_regular(path: &Path) -> io::Result<File> {
    regular(OpenOptions::new().read(true), path)
}

/// Opens a regular file for appending, making it if it is not there.
pub fn open_append(path: &Path) -> io::Result<File> {
    regular(OpenOptions::new().append(true).create(true).mode(0o600), path)
}

fn regular(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32;
    let file = options.custom_flags(flags).open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"))
    }
}

/// Returns whether a real folder (not a link to one) stands at `path`.
pub fn is_real_dir(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|m| m.is_dir())
}

/// Reads a small file whole; one over [`SMALL_FILE`] is an error.
pub fn read_small(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_regular(path)?.take(SMALL_FILE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > SMALL_FILE {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "larger than 1 MiB"));
    }
    Ok(bytes)
}

/// Writes a new small file whole.
pub fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    create_private(path)?.write_all(bytes)
}
