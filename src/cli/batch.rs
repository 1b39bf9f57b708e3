//! `toolaria batch -- 'CMD' 'CMD'`: several commands, one bounded answer.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Read, Write};
use std::os::unix::ffi::OsStringExt;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::output::Output;
use super::run::{Runner, catch};
use super::spec::Opts;
use super::{Context, Failure, NOTHING, complain, retention};
use crate::batch::report::{self, Entry};
use crate::batch::{self, Outcome};
use crate::error::{Error, Result};
use crate::process;
use crate::rescue::{Ended, Request};
use crate::settings::Key;
use crate::store::sweep;
use crate::text::secrets;

/// The most that is read of commands on standard input, in bytes.
const MOST: u64 = 16 << 20;

pub(super) fn run(context: &Context, mut opts: Opts) -> std::result::Result<ExitCode, Failure> {
    let mut commands = std::mem::take(&mut opts.rest);
    if commands.is_empty() {
        commands = lines()?;
    }
    if commands.is_empty() {
        let usage = "batch needs commands: `toolaria batch -- 'CMD' 'CMD'`, or one a line on standard input";
        return Err(Failure::Usage(usage.to_owned()));
    }
    let settings = context.settings(&opts)?;
    let cap = settings.count(Key::BatchMaxChars, None);
    let runner = Runner::new(context, &settings, &opts);
    let mut output = Output::stdout()?;
    let (own, _caught) = catch();
    let stop = AtomicBool::new(false);
    let unstored: Mutex<Option<Error>> = Mutex::new(None);
    let tell = |error: Error| {
        // Whoever panicked with the lock left a whole value.
        unstored.lock().unwrap_or_else(std::sync::PoisonError::into_inner).get_or_insert(error);
    };
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    let shell = |command: &OsString| vec![OsString::from("sh"), OsString::from("-c"), command.clone()];
    let shown = |command: &OsString| secrets::mask(&command.to_string_lossy()).into_owned();
    let request = |command: &OsString| runner.request(&shell(command), shown(command));
    let results = batch::each(commands.len(), opts.jobs.unwrap_or(cpus).max(1), &stop, &|k| {
        let request = request(&commands[k]);
        let (outcome, interrupted) = one(&runner, shell(&commands[k]), &request, cap, &tell)?;
        if interrupted || opts.fail_fast && outcome.status() != 0 {
            stop.store(true, Ordering::Relaxed);
        }
        Ok::<_, Error>(outcome)
    });
    let mut entries = Vec::with_capacity(commands.len());
    for (command, result) in commands.iter().zip(results) {
        entries.push(Entry { command: shown(command), outcome: result.transpose()? });
    }
    let failed = entries.iter().any(|e| e.outcome.as_ref().is_none_or(|o| o.status() != 0));
    let mut put = |k: usize, outcome: &Outcome, text: &[u8], room: usize| {
        let stored = batch::put_away(text, &outcome.ended, &|| runner.open(), &request(&commands[k]), room);
        stored.map_err(&tell).ok()
    };
    let written = if opts.json {
        output.write_all(report::json(&mut entries, cap, &mut put).as_bytes())
    } else {
        let mut whole = io::BufWriter::new(&mut output);
        report::text(&mut entries, cap, &mut put, &mut whole).and_then(|()| whole.flush())
    };
    if let Some(error) = unstored.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
        complain(&format!("not all could be stored, and what could not is passed through whole: {error}"));
    }
    written.map_err(Error::Output)?;
    if let Some(store) = runner.opened() {
        sweep::sweep_if_due(&store, &retention(&settings), context.clock);
    }
    let signal = own.map(|own| own.which.load(Ordering::Relaxed)).filter(|&signal| signal > 0);
    match signal.and_then(|signal| i32::try_from(signal).ok()) {
        Some(signal) => Err(Failure::Signal(signal)),
        None if failed => Ok(ExitCode::from(NOTHING)),
        None => Ok(ExitCode::SUCCESS),
    }
}

/// Runs one command; also returns whether a signal stopped it.
fn one(
    runner: &Runner<'_>,
    argv: Vec<OsString>,
    request: &Request,
    cap: usize,
    tell: &dyn Fn(Error),
) -> Result<(Outcome, bool)> {
    let (interrupts, _caught) = catch();
    let mut running = match process::start(&runner.plan(argv, true), interrupts) {
        Ok(running) => running,
        Err(not) => {
            let ended = Ended { exit_status: Some(not.status), ..Ended::default() };
            let text = format!("toolaria: {}\n", not.why).into_bytes();
            let size = crate::text::measure::size(&text);
            return Ok((Outcome { ended, output: batch::Output::Whole(text), size }, false));
        }
    };
    let folder = std::env::temp_dir();
    let (outcome, failure) = batch::take_in(&mut running, &|| runner.open(), request, (cap, &folder))?;
    if let Some(failure) = failure {
        tell(failure);
    }
    running.leave();
    Ok((outcome, running.interrupted().is_some()))
}

/// Reads commands from standard input, one a line; blank lines and comments are none.
fn lines() -> std::result::Result<Vec<OsString>, Failure> {
    let input = io::stdin().lock();
    if input.is_terminal() {
        return Ok(Vec::new());
    }
    let mut text = Vec::new();
    let cannot = |e: io::Error| Error::Invalid(format!("cannot read standard input: {e}"));
    input.take(MOST + 1).read_to_end(&mut text).map_err(cannot)?;
    if text.len() as u64 > MOST {
        return Err(Failure::Usage("batch takes no more than 16 MiB of commands".to_owned()));
    }
    let lines = text.split(|&b| b == b'\n').map(|line| line.trim_ascii());
    let commands = lines.filter(|line| !line.is_empty() && !line.starts_with(b"#"));
    Ok(commands.map(|line| OsString::from_vec(line.to_vec())).collect())
}
