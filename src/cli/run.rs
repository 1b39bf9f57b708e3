//! `toolaria run -- CMD`: a command with both its streams as one text through the filter.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use signal_hook::SigId;
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM};

use super::filter::request;
use super::input::{ignored, survive_file_size_limit};
use super::output::Output;
use super::spec::Opts;
use super::{Context, Failure, StorePlace, complain, retention};
use crate::error::Error;
use crate::handle::tool_word;
use crate::process::{self, Interrupts, Plan};
use crate::rescue::{Request, rescue};
use crate::settings::{Key, Settings, matches};
use crate::store::meta::Source;
use crate::store::{Store, sweep};
use crate::text::secrets;

pub(super) fn run(context: &Context, mut opts: Opts) -> Result<ExitCode, Failure> {
    let argv = std::mem::take(&mut opts.rest);
    let Some(program) = argv.first() else {
        return Err(Failure::Usage("run needs a command: `toolaria run -- CMD [ARG...]`".to_owned()));
    };
    let name = Path::new(program).file_name().unwrap_or(program);
    opts.tool.get_or_insert_with(|| name.to_string_lossy().into_owned());
    let settings = context.settings(&opts)?;
    let runner = Runner::new(context, &settings, &opts);
    let request = runner.request(&argv, secrets::command_line(&text(&argv)));
    let plan = runner.plan(argv, false);
    let mut output = Output::stdout()?;
    let (interrupts, _caught) = catch();
    let mut running = match process::start(&plan, interrupts) {
        Ok(running) => running,
        Err(not) => {
            complain(&not.why);
            return Ok(status(not.status));
        }
    };
    let mut stored = None;
    let (ended, told) = match rescue(&mut running, &mut output, &|| runner.open(), &request) {
        Ok(outcome) => {
            if let Some(failure) = outcome.failure {
                complain(&format!("the text was not stored and is passed through whole: {failure}"));
            }
            stored = outcome.store;
            (outcome.ended, outcome.rescued.is_some())
        }
        Err(Error::Output(e)) => {
            let ended = running.finish();
            if e.kind() != ErrorKind::BrokenPipe {
                return Err(Error::Output(e).into());
            }
            (ended, true)
        }
        Err(other) => return Err(other.into()),
    };
    if let (Some(why), false) = (&ended.partial, told) {
        complain(&format!("{why}: the output is PARTIAL"));
    }
    if running.leave() && ended.partial.is_none() {
        complain("a background process still has the output of this command; what it prints from now on is dropped");
    }
    if let Some(store) = stored {
        sweep::sweep_if_due(&store, &retention(&settings), context.clock);
    }
    let code = ended.exit_status.unwrap_or_default();
    match running.interrupted() {
        // A shell goes on with its script unless it sees that Ctrl-C ended this.
        Some(SIGINT) if code == 128 + SIGINT => Err(Failure::Signal(SIGINT)),
        _ => Ok(status(code)),
    }
}

/// `toolaria drain`: goes on reading what background processes print.
pub(super) fn drain(_: &Context, _: Opts) -> Result<ExitCode, Failure> {
    process::drain(io::stdin().lock());
    Ok(ExitCode::SUCCESS)
}

/// `toolaria leash GROUP`: ends a process group if the one that ran it is killed.
pub(super) fn leash(_: &Context, opts: Opts) -> Result<ExitCode, Failure> {
    let group = opts.words.first().and_then(|word| word.to_str()?.parse::<i32>().ok()).filter(|&group| group > 1);
    let Some(group) = group else { return Err(Failure::Usage("leash needs a process group".to_owned())) };
    process::leash(io::stdin().lock(), group);
    Ok(ExitCode::SUCCESS)
}

/// What running one command and running many have in common.
pub(super) struct Runner<'a> {
    context: &'a Context,
    settings: &'a Settings,
    opts: &'a Opts,
    place: crate::error::Result<StorePlace>,
    /// Opened once, however many texts go there.
    store: Mutex<Option<Store>>,
}

impl Runner<'_> {
    pub(super) fn new<'a>(context: &'a Context, settings: &'a Settings, opts: &'a Opts) -> Runner<'a> {
        Runner { context, settings, opts, place: context.place(settings), store: Mutex::new(None) }
    }

    /// Returns what is to be done with the output of a command; `shown` is how it is recorded.
    pub(super) fn request(&self, argv: &[OsString], shown: String) -> Request {
        let words = text(argv);
        let source = Source {
            tool: tool_word(self.opts.tool.as_deref().unwrap_or("sh")),
            command: Some(shown),
            label: self.opts.label.clone(),
            directory: std::env::current_dir().ok().map(|dir| dir.to_string_lossy().into_owned()),
            session: self.settings.text(Key::Session, None),
            ..Source::default()
        };
        let kept_out = self.settings.list(Key::KeepOut, Some(&source.tool));
        let mut request = request(self.context, self.settings, source);
        // A script that a shell runs is a command line as well.
        let lines = [words.join(" "), script(&words).unwrap_or_default().trim().to_owned()];
        request.keep_out |= self.opts.no_store;
        request.keep_out |= kept_out.iter().any(|pattern| lines.iter().any(|line| matches(pattern, line)));
        request.name_store = self.place.as_ref().is_ok_and(|place| place.named);
        request
    }

    /// Returns how a command is run.
    pub(super) fn plan(&self, argv: Vec<OsString>, no_input: bool) -> Plan {
        Plan {
            argv,
            timeout: self.opts.timeout_ms.filter(|&ms| ms > 0).map(Duration::from_millis),
            stderr_separate: self.opts.stderr_separate,
            no_input,
            helper: std::env::current_exe().ok(),
        }
    }

    /// Opens the store to write to it.
    pub(super) fn open(&self) -> crate::error::Result<Store> {
        // Whoever panicked with the lock left a whole value.
        let mut open = self.store.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(store) = &*open {
            return Ok(store.clone());
        }
        survive_file_size_limit();
        let root = match &self.place {
            Ok(place) => place.root.clone(),
            Err(_) => self.context.place(self.settings)?.root,
        };
        let store = Store::create(&root)?;
        if let Some(warning) = store.warning() {
            complain(warning);
        }
        *open = Some(store.clone());
        Ok(store)
    }

    /// Returns the store if it was opened.
    pub(super) fn opened(&self) -> Option<Store> {
        self.store.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }
}

/// Returns words as they are recorded.
fn text(argv: &[OsString]) -> Vec<String> {
    argv.iter().map(|word| word.to_string_lossy().into_owned()).collect()
}

/// Returns the script that a shell is given with `-c`.
fn script(words: &[String]) -> Option<&str> {
    let name = Path::new(words.first()?).file_name().and_then(OsStr::to_str)?;
    if !["sh", "bash", "dash", "zsh", "ksh", "fish", "ash"].contains(&name) {
        return None;
    }
    let short = |word: &&String| word.starts_with('-') && !word.starts_with("--") && word.ends_with('c');
    let at = words.iter().position(|word| short(&word))?;
    words.get(at + 1).map(String::as_str)
}

/// Returns an exit status as a process has it.
pub(super) fn status(code: i32) -> ExitCode {
    ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX))
}

/// Handlers that are taken away again.
pub(super) struct Caught(Vec<SigId>);

impl Drop for Caught {
    fn drop(&mut self) {
        for id in self.0.drain(..) {
            signal_hook::low_level::unregister(id);
        }
    }
}

/// Catches the signals that are for a command; without them it runs as well.
pub(super) fn catch() -> (Option<Interrupts>, Caught) {
    let mut caught = Caught(Vec::new());
    let ignored = ignored();
    let ignores = |signal: i32| ignored >> (signal - 1) & 1 == 1;
    if ignores(SIGCHLD) {
        // A process that ignores its children's end never learns their status.
        let seen = Arc::new(AtomicBool::new(false));
        caught.0.extend(signal_hook::flag::register(SIGCHLD, seen).ok());
    }
    let made = (|| -> io::Result<Interrupts> {
        let (wake, waker) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        let which = Arc::new(AtomicUsize::new(0));
        for signal in [SIGTERM, SIGINT, SIGHUP, SIGQUIT] {
            // `nohup` and `trap ''` mean that the signal is not for this process, nor for what it runs.
            if !ignores(signal) {
                caught.0.push(signal_hook::flag::register_usize(signal, which.clone(), signal as usize)?);
                caught.0.push(signal_hook::low_level::pipe::register(signal, waker.try_clone()?)?);
            }
        }
        Ok(Interrupts { wake, which })
    })();
    (made.ok(), caught)
}
