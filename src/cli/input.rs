//! Standard input that ends at its end or at a signal, so that a killed pipeline keeps what arrived.
//!
//! The handlers are installed only when a read would have to wait after something has arrived: a small result never
//! pays for them, and before anything arrived there is nothing to keep.

use std::io::{self, ErrorKind, Read};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};

use crate::error::Error;
use crate::rescue::{Ended, Input};

/// Standard input.
#[derive(Debug)]
pub(super) struct Stdin {
    file: io::Stdin,
    arrived: bool,
    signals: Option<Signals>,
    stopped: Option<i32>,
}

#[derive(Debug)]
struct Signals {
    wake: UnixStream,
    /// Kept open: where every signal is ignored nobody else holds this end, and the other would read as ended.
    _waker: UnixStream,
    which: Arc<AtomicUsize>,
}

impl Stdin {
    /// Takes hold of standard input.
    pub(super) fn new() -> Result<Stdin, Error> {
        Ok(Stdin { file: io::stdin(), arrived: false, signals: None, stopped: None })
    }

    /// Returns the signal that ended the text.
    pub(super) fn stopped(&self) -> Option<i32> {
        self.stopped
    }

    /// Waits until there is something to read; `false` when a signal came instead.
    fn wait(&mut self) -> io::Result<bool> {
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        if self.signals.is_none() {
            if !self.arrived || poll(&mut [PollFd::new(&self.file, PollFlags::IN)], Some(&at_once))? > 0 {
                return Ok(true);
            }
            self.signals = Signals::catch().ok();
        }
        let Some(signals) = &self.signals else { return Ok(true) };
        let mut waiting = [PollFd::new(&self.file, PollFlags::IN), PollFd::new(&signals.wake, PollFlags::IN)];
        while let Err(e) = poll(&mut waiting, None) {
            if e != rustix::io::Errno::INTR {
                return Err(e.into());
            }
        }
        if !waiting[1].revents().is_empty() {
            self.stopped = i32::try_from(signals.which.load(Ordering::Relaxed)).ok();
            return Ok(false);
        }
        Ok(true)
    }
}

impl Read for Stdin {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.stopped.is_some() {
            return Ok(0);
        }
        loop {
            if !self.wait()? {
                return Ok(0);
            }
            match rustix::io::read(&self.file, &mut *buf).map_err(io::Error::from) {
                Err(e) if e.kind() == ErrorKind::WouldBlock => {
                    poll(&mut [PollFd::new(&self.file, PollFlags::IN)], None)?;
                }
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Ok(n) => {
                    self.arrived |= n > 0;
                    return Ok(n);
                }
                Err(e) => return Err(e),
            }
        }
    }
}

impl Input for Stdin {
    fn ended(&mut self) -> Ended {
        Ended { partial: self.stopped.map(|signal| name(signal).to_owned()), ..Ended::default() }
    }
}

fn name(signal: i32) -> &'static str {
    match signal {
        SIGTERM => "SIGTERM",
        SIGINT => "SIGINT",
        SIGHUP => "SIGHUP",
        _ => "signal",
    }
}

impl Signals {
    fn catch() -> io::Result<Signals> {
        let (wake, waker) = UnixStream::pair()?;
        let which = Arc::new(AtomicUsize::new(0));
        let ignored = ignored();
        for signal in [SIGTERM, SIGINT, SIGHUP] {
            // `nohup` and `trap ''` mean that the signal is not for this process.
            if ignored >> (signal - 1) & 1 == 0 {
                signal_hook::flag::register_usize(signal, which.clone(), signal as usize)?;
                signal_hook::low_level::pipe::register(signal, waker.try_clone()?)?;
            }
        }
        Ok(Signals { wake, _waker: waker, which })
    }
}

/// Returns the mask of the signals that this process was started to ignore; none where that cannot be told.
pub(super) fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok()).unwrap_or(0)
}

/// Makes room in the pipe for as much as is read at once several times over: fewer turns between writer and reader.
/// What is no pipe, or may not have so much, stays as it is.
pub(super) fn widen_pipe() {
    let _ = rustix::pipe::fcntl_setpipe_size(io::stdin(), 1 << 20);
}

/// Makes a file size limit an error of the write that meets it, not the death of the process.
pub(super) fn survive_file_size_limit() {
    let seen = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let _ = signal_hook::flag::register(SIGXFSZ, seen);
}
