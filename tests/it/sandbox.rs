//! A folder with a home and a store of its own, and ways to run the programs in it with an empty environment.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};

/// One test's world.
pub(crate) struct Sandbox {
    dir: tempfile::TempDir,
}

/// The time that `SOURCE_DATE_EPOCH` fixes: 2026-11-08 04:12:31 UTC.
pub(crate) const EPOCH: &str = "1794111151";

impl Sandbox {
    pub(crate) fn new() -> Sandbox {
        Sandbox { dir: tempfile::tempdir().expect("a folder for the test") }
    }

    pub(crate) fn dir(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.dir().join("store")
    }

    /// Prepares a call of `toolaria`.
    pub(crate) fn toolaria<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Call {
        self.call(Command::new(env!("CARGO_BIN_EXE_toolaria")), args)
    }

    /// Prepares a call of `toolaria-fetch`.
    pub(crate) fn toolaria_fetch<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Call {
        self.call(Command::new(env!("CARGO_BIN_EXE_toolaria-fetch")), args)
    }

    /// Prepares a shell script with the programs on its path.
    pub(crate) fn sh(&self, script: &str) -> Call {
        self.call(Command::new("bash"), ["-c", script])
    }

    fn call<A: AsRef<OsStr>>(&self, mut command: Command, args: impl IntoIterator<Item = A>) -> Call {
        let bin = Path::new(env!("CARGO_BIN_EXE_toolaria")).parent().expect("a folder of programs");
        let path = std::env::var("PATH").unwrap_or_default();
        command
            .args(args)
            .current_dir(self.dir())
            .env_clear()
            .env("PATH", format!("{}:{path}", bin.display()))
            .env("HOME", self.dir())
            .env("LC_ALL", "C.UTF-8")
            .env("TOOLARIA_STORE", self.store());
        Call { command, stdin: Vec::new(), store: self.store() }
    }

    /// Rescues a text; returns its id and what replaces it.
    #[track_caller]
    pub(crate) fn rescue(&self, text: impl AsRef<[u8]>) -> (String, String) {
        self.rescue_with(text, [] as [&str; 0])
    }

    /// Rescues a text with more options.
    #[track_caller]
    pub(crate) fn rescue_with<A: AsRef<OsStr>>(
        &self,
        text: impl AsRef<[u8]>,
        args: impl IntoIterator<Item = A>,
    ) -> (String, String) {
        let args: Vec<std::ffi::OsString> = args.into_iter().map(|a| a.as_ref().to_owned()).collect();
        let tool = args.iter().any(|a| a == "--tool");
        let mut call = self.toolaria(args).stdin(text);
        if !tool {
            call = call.arg("--tool").arg("bash");
        }
        let out = call.run().success();
        (id_in(&out), out)
    }

    /// Writes the configuration file.
    pub(crate) fn config(&self, text: &str) -> PathBuf {
        let dir = self.dir().join(".config/toolaria");
        std::fs::create_dir_all(&dir).expect("a folder for the configuration");
        let path = dir.join("config.jsonc");
        std::fs::write(&path, text).expect("the configuration");
        path
    }

    /// Makes a blob look as if it had last been used so many hours ago.
    pub(crate) fn age(&self, id: &str, hours: u64) {
        let text = std::fs::File::options().write(true).open(self.blob(id).join("text")).expect("the text");
        text.set_modified(SystemTime::now() - Duration::from_secs(hours * 3600)).expect("a time");
    }

    pub(crate) fn blob(&self, id: &str) -> PathBuf {
        self.store().join("blobs").join(id)
    }

    /// Returns the ids of the blobs.
    pub(crate) fn ids(&self) -> Vec<String> {
        names(&self.store().join("blobs"))
    }

    /// Returns what is in `tmp/`.
    pub(crate) fn unpublished(&self) -> Vec<String> {
        names(&self.store().join("tmp"))
    }
}

fn names(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).into_iter().flatten();
    entries.filter_map(|e| e.ok()?.file_name().into_string().ok()).collect()
}

/// Returns the id in a handle.
#[track_caller]
pub(crate) fn id_in(out: &str) -> String {
    let at = out.find("blob=").unwrap_or_else(|| panic!("not rescued: {out:.300}"));
    out[at + 5..].split([';', ']']).next().unwrap_or_default().to_owned()
}

/// A log of `n` lines, every line different.
pub(crate) fn log(n: usize) -> String {
    (0..n)
        .map(|k| format!("2026-11-08 04:12:31 INFO worker-{} handled request {k} in {} ms\n", k % 7, k * 37 % 1000))
        .collect()
}

/// A call being prepared.
pub(crate) struct Call {
    pub(crate) command: Command,
    stdin: Vec<u8>,
    store: PathBuf,
}

impl Call {
    pub(crate) fn stdin(mut self, text: impl AsRef<[u8]>) -> Call {
        self.stdin = text.as_ref().to_vec();
        self
    }

    pub(crate) fn arg(mut self, arg: impl AsRef<OsStr>) -> Call {
        self.command.arg(arg);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Call {
        self.command.env(name, value);
        self
    }

    pub(crate) fn unset(mut self, name: &str) -> Call {
        self.command.env_remove(name);
        self
    }

    #[track_caller]
    pub(crate) fn run(mut self) -> Done {
        let child = self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = child.expect("the program starts");
        let mut pipe = child.stdin.take().expect("its standard input");
        let text = std::mem::take(&mut self.stdin);
        // A program that stops reading early is no fault of the test.
        let feeder = std::thread::spawn(move || drop(pipe.write_all(&text)));
        let output = child.wait_with_output().expect("it ends");
        let _ = feeder.join();
        Done { output, what: format!("{:?}", self.command), store: self.store }
    }
}

/// What a call did; it must be looked at.
#[must_use]
pub(crate) struct Done {
    pub(crate) output: Output,
    what: String,
    store: PathBuf,
}

impl Done {
    /// The call succeeded and said nothing on standard error; returns standard output.
    #[track_caller]
    pub(crate) fn success(self) -> String {
        let out = self.bytes();
        String::from_utf8(out).expect("UTF-8 on standard output")
    }

    /// The same, as bytes.
    #[track_caller]
    pub(crate) fn bytes(self) -> Vec<u8> {
        self.expect(0, "");
        self.output.stdout
    }

    /// The call ended with this status and standard error holds this text (is empty for an empty one).
    #[track_caller]
    pub(crate) fn expect(&self, status: i32, stderr: &str) {
        let err = String::from_utf8_lossy(&self.output.stderr);
        let said = if stderr.is_empty() { err.is_empty() } else { err.contains(stderr) };
        assert!(self.output.status.code() == Some(status) && said, "wanted status {status} and {stderr:?}\n{self}");
    }

    /// The call failed with this status and said this and nothing on standard output; returns standard error.
    #[track_caller]
    pub(crate) fn failure(self, status: i32, stderr: &str) -> String {
        self.expect(status, stderr);
        assert!(self.output.stdout.is_empty(), "{self}");
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }

    /// The call found nothing: status 1, said on standard output.
    #[track_caller]
    pub(crate) fn nothing(self) -> String {
        self.expect(1, "");
        String::from_utf8(self.output.stdout).expect("UTF-8")
    }

    /// One JSON value on standard output.
    #[track_caller]
    pub(crate) fn json(self) -> serde_json::Value {
        assert!(matches!(self.output.status.code(), Some(0 | 1)), "{self}");
        serde_json::from_slice(&self.output.stdout).unwrap_or_else(|e| panic!("{e}\n{self}"))
    }
}

impl std::fmt::Display for Done {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let cut = |bytes: &[u8]| String::from_utf8_lossy(bytes).chars().take(3000).collect::<String>();
        writeln!(f, "{}\nstatus: {:?}", self.what, self.output.status)?;
        writeln!(f, "--- stdout\n{}\n--- stderr\n{}", cut(&self.output.stdout), cut(&self.output.stderr))?;
        let list = Command::new("find").arg(&self.store).output().map(|o| o.stdout).unwrap_or_default();
        writeln!(f, "--- store\n{}", cut(&list))
    }
}
