//! A command that was started: its output as a text, and what becomes of it.

use std::fs::File;
use std::io::{self, PipeReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionread};
use rustix::process::{Pid, Signal, getpgrp, kill_process_group};
use rustix::termios::tcgetpgrp;

use super::family::Family;
use super::{Plan, TIMED_OUT, helper};
use crate::rescue::{Ended, Input};

/// How long a command has between SIGTERM and SIGKILL. Own choice: time to clean up, shorter than the patience of
/// whoever sent the signal.
pub const GRACE: Duration = Duration::from_secs(2);
/// The same after Ctrl-C: who pressed it can press it again.
const GRACE_INTERRUPT: Duration = Duration::from_secs(10);
/// A signal that comes again after this long means it; before, it may be one that was sent to process and group.
const AGAIN: Duration = Duration::from_millis(300);
/// How long the end of the pipe is awaited after the end of the command: what `>(sed …)` prints belongs to the text.
const LINGER: Duration = Duration::from_millis(100);
/// The most that is read meanwhile, in bytes.
const LINGER_BYTES: u64 = 64 << 10;
/// After this long a command that has a group of its own gets a [`super::leash`]. Nobody's patience is shorter.
const LONG: Duration = Duration::from_secs(1);

/// How signals to this process are told to a running command.
#[derive(Debug)]
pub struct Interrupts {
    /// Becomes readable at each signal; does not block.
    pub wake: UnixStream,
    /// The last signal.
    pub which: Arc<AtomicUsize>,
}

/// A command that was started. Reading it gives its output until it has ended.
#[derive(Debug)]
pub struct Running {
    child: Child,
    pid: Pid,
    /// The read end, until it has ended.
    pipe: Option<PipeReader>,
    /// Becomes readable when the command has ended.
    gone: OwnedFd,
    stage: Stage,
    stopping: Stopping,
    started: Instant,
    took: Duration,
    timeout: Option<Duration>,
    timed_out: bool,
    /// Who is to be ended, where there is no group.
    family: Family,
    /// The terminal that controls this process; the command is then in this process's group.
    terminal: Option<File>,
    interrupts: Option<Interrupts>,
    /// The last signal that was passed on, and when.
    interrupted: Option<(i32, Instant)>,
    helper: Option<PathBuf>,
    leash: Option<UnixStream>,
}

/// How far a command is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// It runs.
    Running,
    /// It has ended; so many bytes were in the pipe then.
    Left(u64),
    /// It has ended and all it wrote was read; what others write is read until then, so many bytes.
    Lingering(Instant, u64),
    /// Everything was read.
    Done,
}

/// Whether a command is being stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stopping {
    No,
    /// It was asked to; then it is killed.
    Asked(Instant),
    /// It was killed; then it is given up: not even SIGKILL ends a process that hangs in the system.
    Killed(Instant),
}

/// What a wait ended with.
enum Event {
    Text,
    Gone,
    Signal,
    Due,
}

impl Running {
    pub(super) fn new(
        mut child: Child,
        pipe: PipeReader,
        plan: &Plan,
        terminal: Option<File>,
        interrupts: Option<Interrupts>,
    ) -> io::Result<Running> {
        let pid = Pid::from_child(&child);
        let gone = match watch(pid) {
            Ok(gone) => gone,
            Err(e) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(e);
            }
        };
        Ok(Running {
            child,
            pid,
            pipe: Some(pipe),
            gone,
            stage: Stage::Running,
            stopping: Stopping::No,
            started: Instant::now(),
            took: Duration::ZERO,
            timeout: plan.timeout,
            timed_out: false,
            family: Family::default(),
            terminal,
            interrupts,
            interrupted: None,
            helper: plan.helper.clone(),
            leash: None,
        })
    }

    /// Returns the last signal that was passed on to the command.
    pub fn interrupted(&self) -> Option<i32> {
        self.interrupted.map(|(signal, _)| signal)
    }

    /// Lets go of the output and waits for the end of the command, as a closed pipe would have it.
    pub fn finish(&mut self) -> Ended {
        self.pipe = None;
        while self.read(&mut [0]).is_ok_and(|n| n > 0) {}
        self.ended()
    }

    /// Leaves what background processes go on writing to a [`super::drain`]; returns whether there are any.
    pub fn leave(&mut self) -> bool {
        let Some(pipe) = self.pipe.take() else { return false };
        let mut fds = [PollFd::new(&pipe, PollFlags::IN)];
        let over = poll(&mut fds, Some(&Timespec::default())).is_ok() && fds[0].revents().contains(PollFlags::HUP);
        if over {
            return false;
        }
        if let Some(program) = &self.helper {
            let _ = helper(program, &["drain"], Stdio::from(pipe));
        }
        true
    }

    /// Waits until something happens while the command runs.
    fn wait(&mut self) -> io::Result<Event> {
        loop {
            let due = self.next_due();
            let now = Instant::now();
            if due.is_some_and(|due| due <= now) {
                return Ok(Event::Due);
            }
            let mut fds = vec![PollFd::new(&self.gone, PollFlags::IN)];
            fds.extend(self.interrupts.as_ref().map(|i| PollFd::new(&i.wake, PollFlags::IN)));
            fds.extend(self.pipe.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
            match poll(&mut fds, due.map(|due| timespec(due - now)).as_ref()) {
                Err(Errno::INTR) | Ok(0) => continue,
                other => _ = other?,
            }
            let ready: Vec<bool> = fds.iter().map(|fd| !fd.revents().is_empty()).collect();
            return Ok(match (ready[0], self.interrupts.is_some() && ready[1]) {
                (true, _) => Event::Gone,
                (_, true) => Event::Signal,
                _ => Event::Text,
            });
        }
    }

    fn next_due(&self) -> Option<Instant> {
        let stop = match self.stopping {
            Stopping::No => self.timeout.and_then(|timeout| self.started.checked_add(timeout)),
            Stopping::Asked(at) | Stopping::Killed(at) => Some(at),
        };
        let leash = self.wants_leash().then(|| self.started + LONG);
        stop.into_iter().chain(leash).min()
    }

    /// Does what is due.
    fn due(&mut self) {
        let now = Instant::now();
        if self.wants_leash() && self.started + LONG <= now {
            self.hold();
        }
        match self.stopping {
            Stopping::No if self.timeout.is_some_and(|timeout| now - self.started >= timeout) => {
                self.timed_out = true;
                self.send(Signal::TERM);
                self.stopping = Stopping::Asked(now + GRACE);
            }
            Stopping::Asked(at) if at <= now => self.kill(),
            Stopping::Killed(at) if at <= now => self.stage = Stage::Done,
            _ => {}
        }
    }

    fn wants_leash(&self) -> bool {
        self.terminal.is_none() && self.leash.is_none() && self.helper.is_some()
    }

    /// Makes sure that the group ends if this process is killed.
    fn hold(&mut self) {
        // One attempt: where it fails there is no leash, as there is none for short commands.
        let Some(program) = self.helper.as_ref().filter(|_| self.wants_leash()) else { return };
        let held = UnixStream::pair().and_then(|(line, end)| {
            let group = self.pid.as_raw_nonzero().to_string();
            helper(program, &["leash", &group], Stdio::from(OwnedFd::from(end)))?;
            Ok(line)
        });
        match held {
            Ok(line) => self.leash = Some(line),
            Err(_) => self.helper = None,
        }
    }

    /// Sends a signal to the command and all that it has started.
    fn send(&mut self, signal: Signal) {
        self.hold();
        let signals = [Some(signal), (signal != Signal::KILL).then_some(Signal::CONT)];
        if self.terminal.is_some() {
            self.family.join(Family::of(self.pid));
        }
        for signal in signals.into_iter().flatten() {
            match self.terminal {
                // The number is not used again before the command is waited for, which is done last.
                None => _ = kill_process_group(self.pid, signal),
                Some(_) => self.family.kill(signal),
            }
        }
    }

    fn kill(&mut self) {
        self.send(Signal::KILL);
        self.stopping = Stopping::Killed(Instant::now() + GRACE);
    }

    /// Returns the signal that came since it was last asked.
    fn signal(&mut self) -> Option<i32> {
        let interrupts = self.interrupts.as_mut()?;
        let mut came = false;
        while interrupts.wake.read(&mut [0; 64]).is_ok_and(|n| n > 0) {
            came = true;
        }
        came.then(|| i32::try_from(interrupts.which.load(Ordering::Relaxed)).ok()).flatten()
    }

    /// Passes a signal on.
    fn pass_on(&mut self) {
        let Some(number) = self.signal() else { return };
        let Some(signal) = Signal::from_named_raw(number) else { return };
        let now = Instant::now();
        let before = self.interrupted.replace((number, now));
        if before.is_some_and(|(same, at)| same == number && now - at > AGAIN) {
            return self.kill();
        }
        let pressed = signal == Signal::INT || signal == Signal::QUIT;
        let in_front = self.terminal.as_ref().is_some_and(|tty| tcgetpgrp(tty).is_ok_and(|group| group == getpgrp()));
        if pressed && in_front {
            // The terminal has sent it to the command as well.
            self.family.join(Family::of(self.pid));
        } else {
            self.send(signal);
        }
        if !matches!(self.stopping, Stopping::Killed(_)) {
            self.stopping = Stopping::Asked(now + if pressed { GRACE_INTERRUPT } else { GRACE });
        }
    }

    /// The command has ended: what it wrote is in the pipe.
    fn end(&mut self) {
        self.took = self.started.elapsed();
        if let Some(signal) = self.signal() {
            // It may be what ended the command.
            self.interrupted = Some((signal, Instant::now()));
        }
        let left = self.pipe.as_ref().map_or(0, |pipe| ioctl_fionread(pipe).unwrap_or(0));
        self.stage = Stage::Left(left);
    }

    /// Everything of the command's was read: waits a little for what others write.
    fn linger(&mut self) {
        let now = Instant::now();
        let until = match self.stopping {
            // The rest of the group still has its time.
            Stopping::Asked(at) => at.min(now + GRACE),
            _ => now + LINGER,
        };
        self.stage = Stage::Lingering(until, LINGER_BYTES);
    }

    /// Reads what arrives until then; 0 at the end.
    fn read_on(&mut self, buf: &mut [u8], until: Instant, room: u64) -> io::Result<usize> {
        let now = Instant::now();
        let Some(pipe) = self.pipe.as_mut().filter(|_| room > 0) else {
            self.stage = Stage::Done;
            return Ok(0);
        };
        match poll(&mut [PollFd::new(pipe, PollFlags::IN)], Some(&timespec(until.saturating_duration_since(now)))) {
            Err(Errno::INTR) => Ok(0),
            Err(e) => Err(e.into()),
            Ok(0) if matches!(self.stopping, Stopping::Asked(_)) => {
                self.kill();
                self.linger();
                Ok(0)
            }
            Ok(0) => {
                self.stage = Stage::Done;
                Ok(0)
            }
            Ok(_) => {
                let most = most(room, buf.len());
                let n = pipe.read(&mut buf[..most])?;
                self.stage = if n == 0 { Stage::Done } else { Stage::Lingering(until, room - n as u64) };
                if n == 0 {
                    self.pipe = None;
                }
                Ok(n)
            }
        }
    }

    fn status(&mut self) -> i32 {
        // Only a command that even SIGKILL did not end is not waited for.
        let given_up = matches!(self.stopping, Stopping::Killed(at) if at <= Instant::now());
        let status = if given_up { self.child.try_wait().ok().flatten() } else { self.child.wait().ok() };
        let killed = 128 + Signal::KILL.as_raw();
        match status {
            _ if self.timed_out => TIMED_OUT,
            Some(status) => status.code().or_else(|| Some(128 + status.signal()?)).unwrap_or(killed),
            None => killed,
        }
    }
}

impl Read for Running {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        loop {
            match self.stage {
                Stage::Running => match self.wait()? {
                    Event::Gone => self.end(),
                    Event::Signal => self.pass_on(),
                    Event::Due => self.due(),
                    Event::Text => {
                        let Some(pipe) = &mut self.pipe else { continue };
                        match pipe.read(buf)? {
                            0 => self.pipe = None,
                            n => return Ok(n),
                        }
                    }
                },
                Stage::Left(0) => self.linger(),
                Stage::Left(left) => {
                    let Some(pipe) = &mut self.pipe else {
                        self.stage = Stage::Done;
                        continue;
                    };
                    let most = most(left, buf.len());
                    let n = pipe.read(&mut buf[..most])?;
                    self.stage = Stage::Left(if n == 0 { 0 } else { left - n as u64 });
                    if n > 0 {
                        return Ok(n);
                    }
                }
                Stage::Lingering(until, room) => match self.read_on(buf, until, room)? {
                    0 => {}
                    n => return Ok(n),
                },
                Stage::Done => return Ok(0),
            }
        }
    }
}

impl Input for Running {
    fn ended(&mut self) -> Ended {
        let status = self.status();
        if let (Stopping::No, Some(line)) = (self.stopping, &mut self.leash) {
            let _ = line.write(b".");
        }
        self.leash = None;
        let partial = match (self.timed_out, self.interrupted()) {
            (true, _) => self.timeout.map(|timeout| format!("timed out after {} s", timeout.as_secs_f64())),
            (_, Some(signal)) => Some(signal_hook::low_level::signal_name(signal).unwrap_or("signal").to_owned()),
            _ => None,
        };
        Ended {
            partial,
            exit_status: Some(status),
            duration_ms: Some(u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX)),
        }
    }
}

/// Returns what becomes readable at the end of a child that is not waited for yet.
fn watch(pid: Pid) -> io::Result<OwnedFd> {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    if let Ok(fd) = rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()) {
        return Ok(fd);
    }
    watch_by_thread(pid)
}

/// The same where the system has no such thing: a thread that waits without taking the status away.
fn watch_by_thread(pid: Pid) -> io::Result<OwnedFd> {
    use rustix::process::{WaitId, WaitIdOptions, waitid};
    let (gone, end) = UnixStream::pair()?;
    std::thread::Builder::new().spawn(move || {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while waitid(WaitId::Pid(pid), options).is_err_and(|e| e == Errno::INTR) {}
        drop(end);
    })?;
    Ok(gone.into())
}

/// Returns how much of a buffer of `len` bytes `left` bytes fill.
fn most(left: u64, len: usize) -> usize {
    usize::try_from(left).unwrap_or(usize::MAX).min(len)
}

fn timespec(duration: Duration) -> Timespec {
    Timespec { tv_sec: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX), tv_nsec: duration.subsec_nanos().into() }
}
