//! The help pages, from the table.

use super::spec::{COMMANDS, Command, Entry, MODES};

/// The widest line, in columns.
const WIDTH: usize = 100;
/// Where the sentences begin, in columns.
const INDENT: usize = 32;

/// Returns the help about a command; the filter's is the program's.
pub(super) fn help(command: &Command) -> String {
    let mut out = String::new();
    let mut put = |text: &str| {
        out.push_str(text);
        out.push('\n');
    };
    put(command.about);
    put("");
    put(&format!("Usage: {}", command.usage()));
    if command.name.is_empty() {
        put("       toolaria COMMAND [OPTIONS] [ARGS]");
    }
    if !command.long.is_empty() {
        put("");
        put(&wrap(command.long, 0, WIDTH));
    }
    if command.name == "fetch" {
        put("\nModes:");
        for mode in MODES {
            put(&row(format!("{} {}", mode.name, mode.args).trim_end(), mode.about));
        }
    }
    if command.name.is_empty() {
        put("\nCommands (each has its own --help):");
        for other in COMMANDS.iter().filter(|c| !c.hidden && !c.name.is_empty()) {
            put(&row(format!("{} {}", other.name, other.args).trim_end(), other.about));
        }
    }
    put("\nOptions:");
    for entry in command.entries() {
        put(&row(&flag(&entry), &entry.about()));
    }
    put(&format!("\n{}", exit_statuses(command.name)));
    out
}

/// Returns a flag as it is listed: `-i, --ignore-case`, `--head-lines LINES`.
pub(super) fn flag(entry: &Entry) -> String {
    let short = entry.short().map_or("    ".to_owned(), |c| format!("-{c}, "));
    let value = entry.value().map(|v| format!(" {v}")).unwrap_or_default();
    format!("{short}--{}{value}", entry.long())
}

/// Returns what the exit statuses of a command mean.
pub(super) fn exit_statuses(command: &str) -> &'static str {
    match command {
        "" => "Exit status: 0, also when the store failed and the text was passed through; 2 a usage error.",
        "fetch" | "search" => "Exit status: 0 something shown, 1 nothing matched, 2 an error.",
        "run" => {
            "Exit status: the command's; 128+n if signal n ended it, 124 timed out, 126 not executable, 127 not found, \
             2 a usage error."
        }
        "batch" => "Exit status: 0 all succeeded, 1 one failed, 2 a usage error.",
        "verify" => "Exit status: 0 all good, 1 one is damaged, 2 an error.",
        "list" | "recover" => "Exit status: 0 something listed, 1 nothing, 2 an error.",
        _ => "Exit status: 0 done, 2 an error.",
    }
}

fn row(name: &str, about: &str) -> String {
    let text = wrap(about, INDENT, WIDTH);
    let pad = INDENT.saturating_sub(2);
    if name.len() < pad - 1 { format!("  {name:<pad$}{}", text.trim_start()) } else { format!("  {name}\n{text}") }
}

/// Wraps a text at `width`, each line indented.
fn wrap(text: &str, indent: usize, width: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && indent + line.chars().count() + 1 + word.chars().count() > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    let pad = " ".repeat(indent);
    lines.iter().map(|l| format!("{pad}{l}")).collect::<Vec<_>>().join("\n")
}
