//! The man page, from the table.

use super::help::exit_statuses;
use super::spec::{COMMANDS, Command, Entry, MODES};
use crate::settings::SETTINGS;

/// The date on the page; moved with each release.
const DATE: &str = "2026-12-01";

/// Returns `toolaria.1`.
pub(super) fn page() -> String {
    let mut page = Page(String::new());
    page.raw(&format!(".TH TOOLARIA 1 {DATE} \"toolaria {}\" \"User Commands\"", env!("CARGO_PKG_VERSION")));
    page.section("NAME");
    page.raw("toolaria \\- keep oversized tool results out of an AI agent's context");
    page.section("SYNOPSIS");
    page.synopsis(Command::filter());
    for command in COMMANDS.iter().filter(|c| !c.hidden && !c.name.is_empty()) {
        page.raw(".br");
        page.synopsis(command);
    }
    page.section("DESCRIPTION");
    page.text(Command::filter().long);
    page.raw(".PP");
    page.text(
        "What comes out instead of a large text begins with a line in brackets that says what it was, and ends with \
         the path of the full text and the command that gets slices of it. Lines are numbered from 0 everywhere.",
    );
    page.section("FILTER OPTIONS");
    page.entries(Command::filter());
    page.section("COMMANDS");
    for command in COMMANDS.iter().filter(|c| !c.hidden && !c.name.is_empty()) {
        page.subsection(&format!("toolaria {} {}", command.name, command.args));
        page.text(command.about);
        if !command.long.is_empty() {
            page.raw(".PP");
            page.text(command.long);
        }
        if command.name == "fetch" {
            for mode in MODES {
                page.item(&format!("{} {}", mode.name, mode.args), mode.about);
            }
        }
        page.entries(command);
    }
    page.section("SETTINGS");
    page.text(
        "A flag wins over the environment variable, which wins over the configuration file, which wins over the \
         default. In the file, `tools` holds settings by tool name, with `*` as a wildcard. A bad value is told and \
         the next layer applies.",
    );
    for setting in SETTINGS {
        page.item(&format!("{}, {}", setting.key, setting.variable()), &Entry::Setting(setting).about());
    }
    page.section("EXIT STATUS");
    let mut told = Vec::new();
    for command in COMMANDS.iter().filter(|c| !c.hidden) {
        let what = exit_statuses(command.name).trim_start_matches("Exit status: ");
        let name = if command.name.is_empty() { "the filter" } else { command.name };
        match told.iter_mut().find(|(text, _): &&mut (&str, Vec<&str>)| *text == what) {
            Some((_, names)) => names.push(name),
            None => told.push((what, vec![name])),
        }
    }
    for (what, names) in told {
        page.item(&names.join(", "), what);
    }
    page.section("FILES");
    page.item("$XDG_CONFIG_HOME/toolaria/config.jsonc", "The configuration: JSON with comments and trailing commas.");
    page.item("$XDG_STATE_HOME/toolaria", "The store, unless a flag, the environment or the file names another.");
    page.item("blobs/ID/text", "In the store: a text, byte for byte.");
    page.section("ENVIRONMENT");
    page.item("TOOLARIA_STORE", "The store.");
    page.item("SOURCE_DATE_EPOCH", "The time that is recorded and printed, in seconds since 1970.");
    page.section("EXAMPLES");
    let examples = [
        ("Filter a command's output:", "cargo build 2>&1 | toolaria \\-\\-tool bash"),
        ("Look into what was stored:", "toolaria fetch 5ddff67d3a1b grep \\-C 2 error"),
        ("Use other programs on it:", "toolaria cat 5ddff67d3a1b | jq ."),
    ];
    for (k, (what, example)) in examples.into_iter().enumerate() {
        if k > 0 {
            page.raw(".PP");
        }
        page.text(what);
        page.raw(".PP\n.RS 4\n.nf");
        page.raw(example);
        page.raw(".fi\n.RE");
    }
    page.section("SEE ALSO");
    page.raw(".BR tee (1),\n.BR grep (1),\n.BR less (1)");
    page.0
}

struct Page(String);

impl Page {
    fn raw(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    fn section(&mut self, name: &str) {
        self.raw(&format!(".SH {name}"));
    }

    fn subsection(&mut self, name: &str) {
        let name = name.trim_end();
        self.raw(&format!(".SS \"{}\"", escape(name)));
    }

    /// Puts a text, wrapped so that no source line is long.
    fn text(&mut self, text: &str) {
        let mut line = String::new();
        for word in text.split_whitespace() {
            if !line.is_empty() && line.len() + word.len() > 70 {
                self.source_line(&line);
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        self.source_line(&line);
    }

    fn source_line(&mut self, line: &str) {
        let mut escaped = emphasise(&escape(line));
        if escaped.starts_with(['.', '\'']) {
            escaped.insert_str(0, "\\&");
        }
        self.raw(&escaped);
    }

    fn item(&mut self, name: &str, about: &str) {
        self.raw(".TP");
        self.raw(&format!("\\fB{}\\fR", escape(name.trim_end())));
        self.text(about);
    }

    fn entries(&mut self, command: &Command) {
        for entry in command.entries() {
            let flag = super::help::flag(&entry);
            self.item(flag.trim_start(), &entry.about());
        }
    }

    fn synopsis(&mut self, command: &Command) {
        self.raw(&format!("\\fB{}\\fR", escape(&command.usage())));
    }
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\e").replace('-', "\\-")
}

/// Turns what stands in backquotes bold.
fn emphasise(text: &str) -> String {
    let mut out = String::new();
    for (k, part) in text.split('`').enumerate() {
        if k > 0 {
            out.push_str(if k % 2 == 1 { "\\fB" } else { "\\fR" });
        }
        out.push_str(part);
    }
    if text.matches('`').count() % 2 == 1 {
        out.push_str("\\fR");
    }
    out
}
