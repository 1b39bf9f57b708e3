//! A stored blob: the one door to its text.

use std::fs::{self, File, FileTimes};
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sha2::{Digest, Sha256};

use crate::error::{Doing, Error, Result};
use crate::store::meta::Meta;
use crate::store::{Store, layout};
use crate::text::decode::{Decoded, Utf16};
use crate::text::lines::LineIndex;

/// A blob whose metadata was read and whose text has the size it says.
#[derive(Debug)]
pub struct Blob {
    dir: PathBuf,
    meta: Meta,
    text: File,
}

impl Blob {
    /// Opens the blob with exactly this id. One whose text is not what the metadata says is [`Error::Damaged`].
    pub fn open(store: &Store, id: &str) -> Result<Blob> {
        let dir = store.layout().blob(id);
        let damaged = |found: String| Error::Damaged { id: id.to_owned(), found };
        let meta = read_meta(&dir).map_err(damaged)?;
        let path = dir.join(layout::TEXT);
        let text = layout::open_regular(&path)
            .map_err(|e| damaged(format!("its text cannot be opened ({})", io_words(&e))))?;
        let len = text.metadata().doing("look at", &path)?.len();
        if len != meta.size.bytes {
            return Err(damaged(format!("its text has {len} bytes instead of {}", meta.size.bytes)));
        }
        Ok(Blob { dir, meta: Meta { id: id.to_owned(), ..meta }, text })
    }

    /// Returns the id.
    pub fn id(&self) -> &str {
        &self.meta.id
    }

    /// Returns what is recorded of the blob.
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// Returns the path of the text.
    pub fn path(&self) -> PathBuf {
        self.dir.join(layout::TEXT)
    }

    /// Returns the blob's folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns the stored bytes from `start` on.
    pub fn raw(&self, start: u64) -> Window<'_> {
        Window { file: &self.text, at: start }
    }

    /// Returns the text as its readers mean it, from its start: UTF-16 comes as UTF-8.
    pub fn read(&self) -> Decoded<Window<'_>> {
        Decoded::new(self.raw(0))
    }

    /// Returns the text from byte `start` on, counted in what [`Blob::read`] gives.
    pub fn read_from(&self, start: u64) -> io::Result<Box<dyn Read + '_>> {
        if start == 0 {
            return Ok(Box::new(self.read()));
        }
        if !self.is_utf16() {
            return Ok(Box::new(self.raw(start)));
        }
        let mut text = self.read();
        io::copy(&mut (&mut text).take(start), &mut io::sink())?;
        Ok(Box::new(text))
    }

    /// Returns whether the text is stored as UTF-16.
    pub fn is_utf16(&self) -> bool {
        let mut head = [0; 2];
        matches!(self.text.read_at(&mut head, 0), Ok(2)) && Utf16::of(&head).is_some()
    }

    /// Returns the byte offset (as in [`Blob::read_from`]) and the number of a line at or before line `line` to begin
    /// looking for it: what the line index knows, or the start of the text. The offset may lie inside the line before;
    /// the number is that of the first line that begins at or after the offset.
    pub fn before_line(&self, line: u64) -> (u64, u64) {
        let size = &self.meta.size;
        if size.bytes <= crate::text::lines::INDEX_STEP || self.is_utf16() {
            return (0, 0);
        }
        let stored = layout::read_small(&self.dir.join(layout::INDEX)).unwrap_or_default();
        LineIndex::from_bytes(&stored, size.bytes, size.lines).map_or((0, 0), |index| index.before(line))
    }

    /// Returns when the blob was last used: the modification time of its text; a future one counts as now.
    pub fn last_used(&self, now: SystemTime) -> SystemTime {
        self.text.metadata().and_then(|m| m.modified()).unwrap_or(now).min(now)
    }

    /// Returns whether sweeps leave the blob alone.
    pub fn pinned(&self) -> bool {
        fs::symlink_metadata(self.dir.join(layout::PINNED)).is_ok()
    }

    /// Pins or unpins the blob.
    pub fn set_pinned(&self, pinned: bool) -> Result<()> {
        let path = self.dir.join(layout::PINNED);
        let done = if pinned { layout::open_append(&path).map(drop) } else { fs::remove_file(&path) };
        match done {
            Err(e) if e.kind() == io::ErrorKind::NotFound && !pinned => Ok(()),
            other => other.doing(if pinned { "pin" } else { "unpin" }, &path),
        }
    }

    /// Renews the blob's life.
    pub fn renew(&self) {
        // A blob in a read-only store can still be read.
        let _ = self.text.set_times(FileTimes::new().set_modified(SystemTime::now()));
    }

    /// Hashes the text; one that is not what was stored is [`Error::Damaged`].
    pub fn verify(&self) -> Result<()> {
        let mut hasher = Sha256::new();
        let mut buf = vec![0; 256 << 10];
        let mut text = self.raw(0);
        loop {
            let n = text.read(&mut buf).doing("read", &self.path())?;
            if n == 0 {
                break;
            }
            hasher.update(&buf[..n]);
        }
        let found = hex(&hasher.finalize());
        if found == self.meta.sha256 {
            return Ok(());
        }
        let found = format!("its text hashes to {}… instead of {}…", &found[..12], &self.meta.sha256[..12]);
        Err(Error::Damaged { id: self.id().to_owned(), found })
    }
}

/// Reads the metadata in a blob's folder; the error says what is wrong with it.
pub fn read_meta(dir: &Path) -> std::result::Result<Meta, String> {
    if !layout::is_real_dir(dir) {
        return Err("its folder is not there".to_owned());
    }
    let bytes = layout::read_small(&dir.join(layout::META))
        .map_err(|e| format!("its metadata cannot be read ({})", io_words(&e)))?;
    Meta::from_json(&bytes)
}

fn io_words(error: &io::Error) -> String {
    error.to_string().split(" (os error").next().unwrap_or_default().to_lowercase()
}

/// Returns bytes in hex.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// A reader over a file that keeps its own place, so that several can read one file.
#[derive(Debug)]
pub struct Window<'a> {
    file: &'a File,
    at: u64,
}

impl<'a> Window<'a> {
    /// Reads `file` from byte `at`.
    pub fn new(file: &'a File, at: u64) -> Self {
        Window { file, at }
    }
}

impl Read for Window<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.file.read_at(buf, self.at)?;
        self.at += n as u64;
        Ok(n)
    }
}
