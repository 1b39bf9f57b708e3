//! Running a command so that both its streams are one text, which ends when the command does.
//!
//! Laws. Standard output and standard error are one pipe, so what was written first is read first. The text ends with
//! the command, never with the pipe: a background process that keeps the pipe open delays nothing, and is not killed
//! by SIGPIPE either, because [`Running::leave`] has somebody go on reading. What the command wrote before it ended,
//! was stopped or ran out of time is always part of the text. No wait is without an end once the command was told to
//! stop.
//!
//! Process groups. Without a controlling terminal the command gets a group of its own, so that a timeout ends all of
//! it; should this process be killed meanwhile, [`leash`] ends that group. With a terminal the command stays in this
//! group, so that Ctrl-C, Ctrl-Z and `fg` mean what they always mean, and what is to end is looked up
//! ([`family`]).

pub mod family;
pub mod running;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

pub use running::{Interrupts, Running};

/// The status of a command that ran out of time, as `timeout` has it.
pub const TIMED_OUT: i32 = 124;
/// The status of a command that cannot be executed, as shells have it.
pub const NOT_EXECUTABLE: i32 = 126;
/// The status of a command that is not there, as shells have it.
pub const NOT_FOUND: i32 = 127;

/// How a command is run.
#[derive(Debug, Default)]
pub struct Plan {
    /// The program and its arguments.
    pub argv: Vec<OsString>,
    /// How long it may take; `None` = as long as it likes.
    pub timeout: Option<Duration>,
    /// Whether standard error stays what it is, and is no part of the text.
    pub stderr_separate: bool,
    /// Whether the command reads nothing, in the place of what this process has as standard input.
    pub no_input: bool,
    /// This program, to start its [`drain`] and its [`leash`]; `None` = do without.
    pub helper: Option<PathBuf>,
}

/// Why a command could not be started.
#[derive(Debug)]
pub struct NotStarted {
    /// The exit status that a shell gives it: 126 or 127.
    pub status: i32,
    /// Why, in one line.
    pub why: String,
}

impl NotStarted {
    fn new(program: &OsStr, error: &io::Error) -> NotStarted {
        let (status, why) = match error.kind() {
            ErrorKind::NotFound => (NOT_FOUND, "there is no such command".to_owned()),
            ErrorKind::PermissionDenied => (NOT_EXECUTABLE, "it must not be executed".to_owned()),
            _ => (NOT_EXECUTABLE, error.to_string()),
        };
        NotStarted { status, why: format!("cannot run {}: {why}", program.to_string_lossy()) }
    }
}

/// Starts a command.
///
/// # Errors
/// When there is no such program, or it cannot be executed.
pub fn start(plan: &Plan, interrupts: Option<Interrupts>) -> Result<Running, NotStarted> {
    let Some(program) = plan.argv.first() else {
        return Err(NotStarted { status: NOT_FOUND, why: "no command was given".to_owned() });
    };
    let failed = |error: io::Error| NotStarted::new(program, &error);
    let (pipe, writer) = io::pipe().map_err(failed)?;
    widen(&pipe);
    let terminal = File::open("/dev/tty").ok();
    let spawn = |command: &mut Command| {
        if plan.no_input {
            command.stdin(Stdio::null());
        }
        command.stdout(writer.try_clone()?);
        if !plan.stderr_separate {
            command.stderr(writer.try_clone()?);
        }
        if terminal.is_none() {
            std::os::unix::process::CommandExt::process_group(command, 0);
        }
        command.spawn()
    };
    let mut command = Command::new(program);
    command.args(&plan.argv[1..]);
    let child = match spawn(&mut command) {
        // A script without `#!` is one for the shell, as every shell has it.
        Err(e) if e.raw_os_error() == Some(rustix::io::Errno::NOEXEC.raw_os_error()) && is_script(program) => {
            let mut shell = Command::new("/bin/sh");
            shell.args(&plan.argv);
            spawn(&mut shell).map_err(failed)?
        }
        other => other.map_err(failed)?,
    };
    Running::new(child, pipe, plan, terminal, interrupts).map_err(failed)
}

/// Returns whether a file that is no program can be meant for the shell: its first line is text.
fn is_script(program: &OsStr) -> bool {
    let mut start = Vec::new();
    let read = File::open(program).and_then(|file| file.take(128).read_to_end(&mut start));
    let line = start.split(|&b| b == b'\n').next().unwrap_or_default();
    read.is_ok() && Path::new(program).components().count() > 1 && !line.contains(&0)
}

/// Lets a busy command write ahead: fewer, larger reads. The system may refuse.
fn widen(pipe: &io::PipeReader) {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    let _ = rustix::pipe::fcntl_setpipe_size(pipe, 256 << 10);
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    let _ = pipe;
}

/// Reads what background processes print after the end of their command, until the last of them ends.
pub fn drain(mut pipe: impl Read) {
    let _ = rustix::process::setsid();
    let mut sink = vec![0; 64 << 10];
    loop {
        match pipe.read(&mut sink) {
            Ok(0) => return,
            Err(e) if e.kind() != ErrorKind::Interrupted => return,
            _ => {}
        }
    }
}

/// Ends a process group when the other end of `line` is lost before a byte came through it: whoever ran the group was
/// killed, or had to stop it. What is left of the group gets SIGTERM, then, after [`running::GRACE`], SIGKILL.
pub fn leash(mut line: impl Read, group: i32) {
    let _ = rustix::process::setsid();
    let mut byte = [0];
    let lost = loop {
        match line.read(&mut byte) {
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            other => break !matches!(other, Ok(1)),
        }
    };
    let Some(group) = Pid::from_raw(group).filter(|_| lost) else { return };
    let _ = kill_process_group(group, Signal::TERM);
    let step = Duration::from_millis(50);
    let mut left = running::GRACE;
    while !left.is_zero() && test_kill_process_group(group).is_ok() {
        std::thread::sleep(step);
        left = left.saturating_sub(step);
    }
    let _ = kill_process_group(group, Signal::KILL);
}

/// Starts this program as a helper that outlives the command and holds nothing of the caller but `input`.
fn helper(program: &Path, args: &[&str], input: Stdio) -> io::Result<std::process::Child> {
    Command::new(program).args(args).stdin(input).stdout(Stdio::null()).stderr(Stdio::null()).current_dir("/").spawn()
}
