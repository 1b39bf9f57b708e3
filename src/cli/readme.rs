//! The README's list of settings and commands, from the table; it stands between two comments there.

use super::spec::{COMMANDS, MODES};
use crate::settings::SETTINGS;

/// Returns the tables in Markdown.
pub(super) fn options() -> String {
    let mut out = String::from("| command | what it does |\n|---|---|\n");
    for command in COMMANDS.iter().filter(|c| !c.hidden) {
        out.push_str(&format!("| `{}` | {} |\n", cell(&command.usage()), cell(command.about)));
    }
    out.push_str("\n| mode of `fetch` | what it answers |\n|---|---|\n");
    for mode in MODES {
        out.push_str(&format!(
            "| `{}` | {} |\n",
            cell(format!("{} {}", mode.name, mode.args).trim()),
            cell(mode.about)
        ));
    }
    out.push_str("\n| setting | flag | default | meaning |\n|---|---|---|---|\n");
    for setting in SETTINGS {
        let default = if setting.default.is_empty() { String::new() } else { format!("`{}`", setting.default) };
        out.push_str(&format!(
            "| `{}` | `--{} {}` | {default} | {} |\n",
            setting.key,
            setting.flag(),
            setting.unit,
            setting.about
        ));
    }
    out
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
