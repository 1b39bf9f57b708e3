//! Several commands, one answer: what each of them gave, and how all of it fits into one cap.
//!
//! Laws. Results stand in the order of the commands, whatever ends first. What is not shown whole is in the store, and
//! what could not be stored (or must not be) is shown whole, past the cap if need be. Every row and every line that is
//! left out is told. Memory: of each command at most its preview or an output that the cap could still show.

pub mod fit;
pub mod report;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::error::Result;
use crate::rescue::{Ended, Gate, Input, Request, rescue};
use crate::store::Store;
use crate::store::meta::Meta;
use crate::store::spill::Spill;
use crate::text::kind::{self, Kind, Sample};
use crate::text::measure::{self, Measure, Size};

/// How much of an output that is not stored is held in memory, in bytes; the rest goes to a file.
const IN_MEMORY: usize = 256 << 10;

/// What became of one command.
#[derive(Debug)]
pub struct Outcome {
    /// How it ended.
    pub ended: Ended,
    /// What it printed, as far as it is here.
    pub output: Output,
    /// The size of all it printed.
    pub size: Size,
}

impl Outcome {
    /// Returns the exit status.
    pub fn status(&self) -> i32 {
        self.ended.exit_status.unwrap_or_default()
    }
}

/// The output of a command.
#[derive(Debug)]
pub enum Output {
    /// Small enough that it may be shown whole.
    Whole(Vec<u8>),
    /// In the store; what replaces it, if there is room for that.
    Stored {
        /// The blob.
        id: String,
        /// Preview and handle.
        replacement: Option<String>,
    },
    /// Kept out of the store, or refused by it: to be shown whole.
    Unstored(Spool),
}

/// Runs `one` for each number below `count`, `jobs` at a time, until `stop` is set; `None` = was not run.
pub fn each<T: Send>(
    count: usize,
    jobs: usize,
    stop: &AtomicBool,
    one: &(dyn Fn(usize) -> T + Sync),
) -> Vec<Option<T>> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<Option<T>>> = Mutex::new((0..count).map(|_| None).collect());
    let work = || {
        while !stop.load(Ordering::Relaxed) {
            let k = next.fetch_add(1, Ordering::Relaxed);
            if k >= count {
                return;
            }
            let result = one(k);
            if let Ok(mut results) = results.lock() {
                results[k] = Some(result);
            }
        }
    };
    std::thread::scope(|scope| {
        // This thread is one of them, so that there is always one.
        for _ in 1..jobs.clamp(1, count.max(1)) {
            if std::thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
    results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Puts an output through the filter, for an answer of at most `cap` chars; `folder` is for what does not fit into
/// memory. The second value is why it could not be
/// stored.
///
/// # Errors
/// If what is not stored cannot be held in a file either.
pub fn take_in(
    input: &mut dyn Input,
    open: &dyn Fn() -> Result<Store>,
    request: &Request,
    (cap, folder): (usize, &Path),
) -> Result<(Outcome, Option<crate::error::Error>)> {
    let mut request = request.clone();
    // What the whole answer cannot show need not be held for it.
    request.gate.max_chars = request.gate.max_chars.min(cap as u64);
    request.preview.excerpt_max = request.preview.excerpt_max.min(cap.saturating_sub(cap / 8)).max(600);
    let mut spool = Spool::new(folder);
    let done = rescue(input, &mut spool, open, &request)?;
    let (output, size) = match done.rescued {
        Some(meta) => {
            let replacement = String::from_utf8_lossy(&spool.head).into_owned();
            (Output::Stored { id: meta.id, replacement: Some(replacement) }, meta.size)
        }
        None if request.keep_out || done.failure.is_some() || spool.file.is_some() => {
            let size = spool.measure.size();
            (Output::Unstored(spool), size)
        }
        None => {
            let size = spool.measure.size();
            (Output::Whole(spool.head), size)
        }
    };
    Ok((Outcome { ended: done.ended, output, size }, done.failure))
}

/// A text in memory.
struct Held<'a> {
    rest: &'a [u8],
    ended: Ended,
}

impl Read for Held<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.rest.read(buf)
    }
}

impl Input for Held<'_> {
    fn ended(&mut self) -> Ended {
        self.ended.clone()
    }
}

/// Stores an output that is not shown whole after all; returns its id and what replaces it in `room` chars, if there
/// is room enough.
///
/// # Errors
/// If it cannot be stored.
pub fn put_away(
    text: &[u8],
    ended: &Ended,
    open: &dyn Fn() -> Result<Store>,
    request: &Request,
    room: usize,
) -> Result<(String, Option<String>)> {
    if room >= 600 {
        let mut request = request.clone();
        request.gate = Gate { max_chars: 0, max_bytes: None, max_lines: None };
        request.preview.excerpt_max = room;
        let mut replacement = Vec::new();
        let done = rescue(&mut Held { rest: text, ended: ended.clone() }, &mut replacement, open, &request)?;
        if let Some(meta) = done.rescued {
            return Ok((meta.id, Some(String::from_utf8_lossy(&replacement).into_owned())));
        }
    }
    Ok((keep(text, ended, &open()?, request)?, None))
}

/// Stores a text without a replacement for it.
fn keep(text: &[u8], ended: &Ended, store: &Store, request: &Request) -> Result<String> {
    let mut spill = Spill::begin(store, &request.source, request.limits)?;
    spill.reserve(text.len());
    spill.write(text.to_vec()).map_err(|unwritten| unwritten.error)?;
    let sha256 = spill.finish();
    let kind = kind::detect(&Sample { head: text, tail: text, bytes: text.len() as u64 });
    let mut source = request.source.clone();
    (source.exit_status, source.duration_ms) = (ended.exit_status, ended.duration_ms);
    let mut meta = Meta {
        id: sha256[..crate::store::ID_DIGITS].to_owned(),
        sha256,
        size: measure::size(text),
        kind: if text.is_empty() { Kind::Text } else { kind },
        source,
        created: request.now,
        partial: ended.partial.clone(),
        not_stored: spill.dropped(),
    };
    spill.publish(&mut meta, None, request.now)?;
    Ok(meta.id)
}

/// Bytes that are written once and read once: the first in memory, the rest in a file without a name.
#[derive(Debug)]
pub struct Spool {
    folder: PathBuf,
    head: Vec<u8>,
    file: Option<File>,
    measure: Measure,
}

impl Spool {
    /// Begins one whose file would be in `folder`.
    pub fn new(folder: &Path) -> Spool {
        Spool { folder: folder.to_owned(), head: Vec::new(), file: None, measure: Measure::default() }
    }

    /// Writes all of it out.
    pub fn write_to(&mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&self.head)?;
        if let Some(file) = &mut self.file {
            file.seek(SeekFrom::Start(0))?;
            io::copy(file, out)?;
        }
        Ok(())
    }

    /// Returns the first bytes.
    pub fn start(&self) -> &[u8] {
        &self.head
    }

    /// Returns whether [`Spool::start`] is all.
    pub fn is_whole(&self) -> bool {
        self.file.is_none()
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = IN_MEMORY.saturating_sub(self.head.len());
        if self.file.is_none() && bytes.len() > room {
            self.file = nameless(&self.folder).ok();
        }
        match &mut self.file {
            Some(file) => file.write_all(bytes)?,
            // Also where there can be no file: memory is the last place.
            None => self.head.extend_from_slice(bytes),
        }
        self.measure.push(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Makes a file that is gone as soon as it is closed.
fn nameless(folder: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let path = folder.join(crate::store::publish::fresh_name("toolaria"));
    let file = File::options().read(true).write(true).create_new(true).mode(0o600).open(&path)?;
    std::fs::remove_file(&path)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_stand_in_order_whatever_ends_first() {
        let stop = AtomicBool::new(false);
        let got = each(20, 4, &stop, &|k| {
            std::thread::sleep(std::time::Duration::from_millis(if k % 4 == 0 { 5 } else { 0 }));
            k
        });
        assert_eq!(got, (0..20).map(Some).collect::<Vec<_>>());
    }

    #[test]
    fn nothing_is_begun_after_the_stop() {
        let stop = AtomicBool::new(false);
        let got = each(5, 1, &stop, &|k| {
            if k == 1 {
                stop.store(true, Ordering::Relaxed);
            }
            k
        });
        assert_eq!(got, [Some(0), Some(1), None, None, None]);
    }

    #[test]
    fn a_spool_gives_back_what_was_written() {
        let mut spool = Spool::new(&std::env::temp_dir());
        let text: Vec<u8> = (0..IN_MEMORY as u32 * 3).map(|k| k as u8).collect();
        text.chunks(100_000).for_each(|chunk| spool.write_all(chunk).unwrap());
        let mut back = Vec::new();
        spool.write_to(&mut back).unwrap();
        assert!(back == text && !spool.is_whole());
    }
}
