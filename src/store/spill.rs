//! A blob being written: bytes in, one atomic publish at the end.
//!
//! The text goes to a file in `tmp/` as it arrives and is hashed beside, on a thread of its own once it is longer
//! than [`INLINE`]. Until it is published nothing of it can be seen under an id; if that fails, everything that was
//! written can be read back. A process that is killed leaves its folder to [`super::recover`].

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::SystemTime;

use sha2::{Digest, Sha256};

use crate::error::{Doing, Error, Result};
use crate::store::blob::{Window, hex};
use crate::store::lock::Lock;
use crate::store::meta::{Meta, Source};
use crate::store::{Store, layout, publish};
use crate::text::lines::LineIndex;

/// Up to this many bytes the hash is made by the thread that writes: below, a thread costs more than it saves.
const INLINE: u64 = 1 << 20;
/// How many chunks may wait for the hasher.
const WAITING: usize = 4;
/// How much is written between two looks at the free space, in bytes.
const SPACE_STEP: u64 = 64 << 20;

/// What a runaway text may take.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// The most bytes of one text that are stored; `None` = no limit.
    pub max_blob: Option<u64>,
    /// Past 64 MiB storing stops when the disk has less than this many bytes free; `None` = it never does.
    pub min_free: Option<u64>,
}

/// A chunk that could not be stored, and why.
#[derive(Debug)]
pub struct Unwritten {
    /// The chunk.
    pub chunk: Vec<u8>,
    /// How many of its bytes were stored all the same.
    pub stored: usize,
    /// Why not all.
    pub error: Error,
}

/// A blob being written.
#[derive(Debug)]
pub struct Spill<'s> {
    store: &'s Store,
    dir: PathBuf,
    text: File,
    /// Shows other processes that this one lives; released with the process.
    _alive: Option<Lock>,
    hasher: Hasher,
    written: u64,
    dropped: u64,
    /// How much of the next chunk is to be stored.
    room: usize,
    limits: Limits,
    published: bool,
}

#[derive(Debug)]
enum Hasher {
    Inline(Sha256),
    Beside { chunks: SyncSender<Vec<u8>>, free: Receiver<Vec<u8>>, thread: JoinHandle<Sha256> },
}

impl<'s> Spill<'s> {
    /// Begins a text that comes from `source`.
    pub fn begin(store: &'s Store, source: &Source, limits: Limits) -> Result<Spill<'s>> {
        let dir = store.layout().tmp().join(publish::fresh_name("spill"));
        fs::DirBuilder::new_private().create(&dir).doing("make", &dir)?;
        let begun = (|| {
            let path = dir.join(layout::TEXT);
            let text = layout::create_private(&path).doing("make", &path)?;
            // What `recover` would know of the text if this process were killed.
            let origin =
                serde_json::json!({ "tool": source.tool, "command": source.command, "session": source.session });
            let path = dir.join(layout::META);
            layout::write_new(&path, origin.to_string().as_bytes()).doing("write", &path)?;
            Ok(text)
        })();
        let text = match begun {
            Ok(text) => text,
            Err(e) => {
                publish::remove_work(&dir);
                return Err(e);
            }
        };
        let alive = text.try_clone().ok().and_then(Lock::on);
        let hasher = Hasher::Inline(Sha256::new());
        Ok(Spill { store, dir, text, _alive: alive, hasher, written: 0, dropped: 0, room: 0, limits, published: false })
    }

    /// Returns how many of the next `n` bytes will be stored; to be asked once before each [`Spill::write`].
    pub fn reserve(&mut self, n: usize) -> usize {
        self.room = self.room(n as u64) as usize;
        self.room
    }

    /// Stores the next chunk of the text, as far as it was reserved; returns a buffer to use for the one after.
    pub fn write(&mut self, mut chunk: Vec<u8>) -> std::result::Result<Vec<u8>, Unwritten> {
        let room = self.room.min(chunk.len());
        let mut stored = 0;
        while stored < room {
            match self.text.write(&chunk[stored..room]) {
                Ok(0) => return Err(self.unwritten(chunk, stored, io::ErrorKind::WriteZero.into())),
                Ok(n) => {
                    stored += n;
                    self.written += n as u64;
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(self.unwritten(chunk, stored, e)),
            }
        }
        self.dropped += (chunk.len() - room) as u64;
        chunk.truncate(room);
        Ok(self.hash(chunk))
    }

    fn unwritten(&self, chunk: Vec<u8>, stored: usize, source: io::Error) -> Unwritten {
        let error = Error::Io { doing: "store into", path: self.dir.join(layout::TEXT), source };
        Unwritten { chunk, stored, error }
    }

    /// Returns how many of the next `n` bytes are to be stored.
    fn room(&self, n: u64) -> u64 {
        if self.dropped > 0 {
            return 0;
        }
        if let Some(min_free) = self.limits.min_free
            && self.written >= SPACE_STEP
            && self.written / SPACE_STEP != (self.written + n) / SPACE_STEP
            && let Ok(disk) = rustix::fs::fstatvfs(&self.text)
            && disk.f_bavail.saturating_mul(disk.f_frsize) < min_free
        {
            return 0;
        }
        self.limits.max_blob.map_or(n, |max| n.min(max.saturating_sub(self.written)))
    }

    fn hash(&mut self, chunk: Vec<u8>) -> Vec<u8> {
        if let Hasher::Inline(hasher) = &mut self.hasher {
            hasher.update(&chunk);
            if self.written > INLINE {
                self.hasher = beside(std::mem::take(hasher));
            }
            return chunk;
        }
        match &self.hasher {
            Hasher::Beside { chunks, free, .. } => {
                // The hasher ends only when this end of the channel is dropped, so the chunk arrives.
                let _ = chunks.send(chunk);
                free.try_recv().unwrap_or_default()
            }
            Hasher::Inline(_) => chunk,
        }
    }

    /// Returns how many bytes were stored.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Returns how many bytes came after storing had stopped.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Returns the stored bytes from `start` on.
    pub fn read(&self, start: u64) -> impl Read + '_ {
        Window::new(&self.text, start).take(self.written.saturating_sub(start))
    }

    /// Ends the text; returns its SHA-256 in hex.
    pub fn finish(&mut self) -> String {
        let hasher = std::mem::replace(&mut self.hasher, Hasher::Inline(Sha256::new()));
        let hasher = match hasher {
            Hasher::Inline(hasher) => hasher,
            Hasher::Beside { chunks, thread, .. } => {
                drop(chunks);
                // The thread only hashes; it cannot panic.
                thread.join().unwrap_or_default()
            }
        };
        hex(&hasher.finalize())
    }

    /// Publishes the text; fills in `meta.id` and `meta.created`. After an error the text can still be read back.
    pub fn publish(&mut self, meta: &mut Meta, index: Option<&LineIndex>, now: SystemTime) -> Result<()> {
        publish::publish(self.store, &self.dir, meta, index, now)?;
        self.published = true;
        Ok(())
    }
}

impl Drop for Spill<'_> {
    fn drop(&mut self) {
        // In a panic the bytes stay for `recover`.
        if !self.published && !std::thread::panicking() {
            publish::remove_work(&self.dir);
        }
    }
}

fn beside(mut hasher: Sha256) -> Hasher {
    let (chunks, incoming) = sync_channel::<Vec<u8>>(WAITING);
    let (used, free) = channel();
    let thread = std::thread::spawn(move || {
        for chunk in incoming {
            hasher.update(&chunk);
            let _ = used.send(chunk);
        }
        hasher
    });
    Hasher::Beside { chunks, free, thread }
}

/// A [`fs::DirBuilder`] for folders that only their owner can enter.
trait Private {
    fn new_private() -> fs::DirBuilder;
}

impl Private for fs::DirBuilder {
    fn new_private() -> fs::DirBuilder {
        use std::os::unix::fs::DirBuilderExt;
        let mut builder = fs::DirBuilder::new();
        builder.mode(0o700);
        builder
    }
}
