//! The program: argv to settings to a command to an exit status. Only this module and the ones below it print, exit,
//! or look at the environment and the clock.

mod batch;
mod cat;
pub(crate) mod complete;
mod config;
mod fetch;
mod filter;
mod generate;
mod help;
mod input;
mod list;
mod man;
mod output;
mod parse;
mod path;
mod pin;
mod readme;
mod recover;
mod rm;
mod run;
mod search;
pub mod spec;
mod status;
mod sweep;
mod verify;

use std::ffi::OsString;
use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use etcetera::BaseStrategy;

use crate::error::Error;
use crate::settings::{Key, Origin, Settings};
use crate::store::Store;
use crate::store::sweep::Retention;
use crate::text::clean;
use output::Output;
use parse::Parsed;
use spec::Opts;

/// Why a command did not succeed.
#[derive(Debug)]
pub enum Failure {
    /// The words on the command line.
    Usage(String),
    /// What the library could not do.
    Library(Error),
    /// A signal ended the input; what had arrived was delivered.
    Signal(i32),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Library(error)
    }
}

/// Nothing matched.
const NOTHING: u8 = 1;
/// An error.
const ERROR: u8 = 2;

/// Runs the program; `argv` begins with its name.
pub fn main(argv: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut args: Vec<OsString> = argv.into_iter().collect();
    let own = args.first().map(PathBuf::from).and_then(|p| Some(p.file_name()?.to_owned()));
    if !args.is_empty() {
        args.remove(0);
    }
    if own.is_some_and(|name| name == "toolaria-fetch") {
        args.insert(0, "fetch".into());
    }
    std::panic::set_hook(Box::new(|fault| complain(&format!("internal fault, please report it: {fault}"))));
    match run(args) {
        Ok(code) => code,
        Err(Failure::Library(Error::Output(e))) if e.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Failure::Library(error)) => {
            complain(&error.to_string());
            ExitCode::from(ERROR)
        }
        Err(Failure::Usage(what)) => {
            complain(&what);
            ExitCode::from(ERROR)
        }
        Err(Failure::Signal(signal)) => {
            let _ = signal_hook::low_level::emulate_default_handler(signal);
            ExitCode::from(128u8.wrapping_add(signal as u8))
        }
    }
}

fn run(args: Vec<OsString>) -> Result<ExitCode, Failure> {
    match parse::parse(args).map_err(Failure::Usage)? {
        Parsed::Help(command) => print(&help::help(command)),
        Parsed::Version => print(&format!("toolaria {}\n", env!("CARGO_PKG_VERSION"))),
        Parsed::Run(command, opts) => (command.run)(&Context::new(), *opts),
    }
}

fn print(text: &str) -> Result<ExitCode, Failure> {
    Output::stdout()?.write_all(text.as_bytes()).map_err(Error::Output)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes one line to standard error; nothing of it can act on a terminal.
fn complain(what: &str) {
    let line = format!("toolaria: {}\n", clean::text(what.as_bytes()));
    let _ = io::stderr().lock().write_all(line.as_bytes());
}

/// The world outside: the environment and the clock.
#[derive(Debug)]
pub struct Context {
    /// The time by the clock: for ages and retention.
    clock: SystemTime,
    /// The time that is recorded and printed: `SOURCE_DATE_EPOCH` if it is set.
    now: SystemTime,
}

/// The store that the settings name.
#[derive(Debug)]
struct StorePlace {
    root: PathBuf,
    /// Whether a command that is printed for later must name it: it came from a flag or the environment.
    named: bool,
}

impl Context {
    fn new() -> Context {
        let clock = SystemTime::now();
        let text = variable("SOURCE_DATE_EPOCH").filter(|text| !text.trim().is_empty());
        let fixed = text.as_ref().and_then(|text| text.trim().parse::<u64>().ok());
        if let (Some(text), None) = (&text, fixed) {
            complain(&format!("SOURCE_DATE_EPOCH must be whole seconds since 1970, not {text:?}; it is ignored"));
        }
        let at = |seconds| SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds));
        let now = fixed.and_then(at).unwrap_or(clock);
        Context { clock, now }
    }

    /// Puts the layers of settings together and tells what is wrong with them.
    fn settings(&self, opts: &Opts) -> Result<Settings, Failure> {
        let mut settings = Settings::default();
        if let Some(path) = config_path() {
            match std::fs::read_to_string(&path) {
                Ok(text) => settings.add_file(&path.to_string_lossy(), &text),
                Err(e) if e.kind() == ErrorKind::NotFound => {}
                Err(e) => complain(&format!("cannot read {}: {e}; it is ignored", path.display())),
            }
        }
        settings.add_environment(variable);
        settings.add_flags(opts.settings.clone());
        settings.warnings().iter().for_each(|warning| complain(warning));
        if let Some((why, usage)) = settings.conflict(opts.tool.as_deref()) {
            if usage {
                return Err(Failure::Usage(why.split("; ").next().unwrap_or_default().to_owned()));
            }
            complain(&why);
        }
        Ok(settings)
    }

    /// Returns where the store is.
    fn place(&self, settings: &Settings) -> crate::error::Result<StorePlace> {
        let (_, origin) = settings.get(Key::StorePath, None);
        let named = matches!(origin, Origin::Flag | Origin::Environment(_));
        let root = match settings.text(Key::StorePath, None) {
            Some(path) => match path.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/')) {
                Some(rest) => home()?.join(rest.trim_start_matches('/')),
                None => PathBuf::from(path),
            },
            None => strategy()?.state_dir().map(|dir| dir.join("toolaria")).ok_or_else(no_home)?,
        };
        let root = std::path::absolute(&root).unwrap_or(root);
        Ok(StorePlace { root, named })
    }

    /// Opens the store to read from it.
    fn open(&self, settings: &Settings) -> Result<(Store, StorePlace), Failure> {
        let place = self.place(settings)?;
        let store = Store::open(&place.root)?;
        if let Some(warning) = store.warning() {
            complain(warning);
        }
        Ok((store, place))
    }
}

impl StorePlace {
    /// Returns how a printed command begins: `toolaria fetch`, with the store if it must be named.
    fn command(&self, name: &str) -> String {
        crate::handle::command(self.named.then_some(self.root.as_path()), name)
    }
}

/// Returns how long and how much the store keeps.
fn retention(settings: &Settings) -> Retention {
    let number = |key| settings.number(key, None);
    let hours = |key| Duration::from_secs(number(key).saturating_mul(3600));
    Retention {
        ttl: hours(Key::TtlHours),
        hot_ttl: hours(Key::HotTtlHours),
        max_bytes: number(Key::MaxStoreMb).saturating_mul(1 << 20),
        tombstones: Duration::from_secs(number(Key::TombstoneDays).saturating_mul(86_400)),
        interval: Duration::from_secs(number(Key::SweepIntervalMinutes).saturating_mul(60)),
    }
}

#[allow(clippy::disallowed_methods, reason = "this is the one place")]
fn variable(name: &str) -> Option<String> {
    // Configuration is text; what is not UTF-8 is read as far as it can be.
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

fn no_home() -> Error {
    Error::Store("cannot tell where the store is: no home directory; set TOOLARIA_STORE or HOME".to_owned())
}

fn strategy() -> Result<etcetera::base_strategy::Xdg, Error> {
    etcetera::base_strategy::Xdg::new().map_err(|_| no_home())
}

fn home() -> Result<PathBuf, Error> {
    etcetera::home_dir().map_err(|_| no_home())
}

fn config_path() -> Option<PathBuf> {
    Some(strategy().ok()?.config_dir().join("toolaria").join("config.jsonc"))
}

/// Returns the words as text.
fn words(opts: &Opts) -> Vec<String> {
    opts.words.iter().map(|w| w.to_string_lossy().into_owned()).collect()
}

/// Refuses words where a command takes none.
fn no_words(opts: &Opts, command: &str) -> Result<(), Failure> {
    match opts.words.first() {
        None => Ok(()),
        Some(word) => Err(Failure::Usage(format!(
            "{command} takes no {:?} (`toolaria {command} --help`)",
            word.to_string_lossy()
        ))),
    }
}

/// Refuses a call without ids.
fn some_ids(opts: &Opts, command: &str) -> Result<Vec<String>, Failure> {
    let ids = words(opts);
    if ids.is_empty() {
        return Err(Failure::Usage(format!("{command} needs an ID; `toolaria list` shows them")));
    }
    Ok(ids)
}
