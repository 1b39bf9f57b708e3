//! The one place that locks, on one file of the store.
//!
//! Locks only narrow races, correctness rests on rename and modification times: a lock that cannot be had is done
//! without, and nothing ever waits for one for long. Publishing and printing a handle holds it shared; a sweep holds
//! it exclusive.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::OFlags;

/// A lock held until it is dropped.
#[derive(Debug)]
pub struct Lock(#[allow(dead_code, reason = "closing the file releases the lock")] File);

/// How long to wait between two tries.
const PAUSE: Duration = Duration::from_millis(5);

#[allow(clippy::disallowed_methods, reason = "this is the one place")]
impl Lock {
    /// Takes the lock beside other holders of this kind; `None` if a sweep keeps it for longer than `patience`.
    pub fn shared(path: &Path, patience: Duration) -> Option<Lock> {
        Self::acquire(path, patience, File::try_lock_shared)
    }

    /// Takes the lock alone; `None` if others keep it for longer than `patience`, or locks are not to be had.
    pub fn exclusive(path: &Path, patience: Duration) -> Option<Lock> {
        Self::acquire(path, patience, File::try_lock)
    }

    /// Takes the lock on an open file alone, at once or not at all. Where locks are not to be had it is given.
    pub fn on(file: File) -> Option<Lock> {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => None,
            _ => Some(Lock(file)),
        }
    }

    fn acquire(path: &Path, patience: Duration, take: fn(&File) -> Result<(), TryLockError>) -> Option<Lock> {
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32;
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).mode(0o600).custom_flags(flags);
        let file = file.open(path).ok()?;
        let give_up = Instant::now() + patience;
        loop {
            match take(&file) {
                Ok(()) => return Some(Lock(file)),
                Err(TryLockError::WouldBlock) if Instant::now() < give_up => std::thread::sleep(PAUSE),
                Err(_) => return None,
            }
        }
    }
}
