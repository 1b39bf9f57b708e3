//! The handle: the first line and the last two of what replaces a text, and the label of the preview between them.
//!
//! Laws: each is one line whatever the tool is called and wherever the store is; the command in the last line works
//! in any shell as it stands; nothing of the text can stand as one of these lines ([`guard`]).

use std::borrow::Cow;
use std::path::Path;

use crate::store::meta::Meta;
use crate::store::{is_id, layout};
use crate::text::show::{quote, thousands, utc};
use crate::text::{clean, cut};

/// How the first line begins.
const RESCUED: &str = "[Toolaria: tool result rescued.";
/// How the last but one begins.
pub(crate) const INTACT: &str = "The full text is stored intact";
/// How the last begins.
const RETRIEVE: &str = "Retrieve more with";
/// What a line of a text must not begin with where a preview shows it.
const OURS: [&str; 6] = ["[Toolaria:", INTACT, RETRIEVE, "Preview (", "[... ", "[more: "];
/// The longest tool name shown, in chars. Own choice: longer than any tool's name, short enough for a line.
const TOOL_CHARS: usize = 64;

/// What the lines of a handle say.
#[derive(Debug)]
pub struct Handle<'a> {
    /// The blob.
    pub meta: &'a Meta,
    /// Chars and lines of the whole text, stored or not.
    pub chars: u64,
    /// Its lines.
    pub lines: u64,
    /// The store's folder.
    pub store: &'a Path,
    /// Whether the printed command must name the store.
    pub name_store: bool,
    /// Whether whoever reads the preview has lines too long for it.
    pub long_lines: bool,
}

impl Handle<'_> {
    /// Returns the first line, without `\n`.
    pub fn first(&self) -> String {
        let meta = self.meta;
        let mut line = format!(
            "{RESCUED} tool={}; at={}; size={} chars; lines={}; type={}",
            meta.source.tool,
            utc(meta.created),
            thousands(self.chars),
            thousands(self.lines),
            meta.kind.name(),
        );
        if let Some(status) = meta.source.exit_status.filter(|s| *s != 0) {
            line.push_str(&format!("; exit_status={status}"));
        }
        if let Some(why) = &meta.partial {
            line.push_str(&format!("; PARTIAL ({why})"));
        }
        if meta.not_stored > 0 {
            line.push_str(&format!("; THE LAST {} BYTES WERE NOT STORED: NOT stored", thousands(meta.not_stored)));
        }
        line + &format!("; blob={}]", meta.id)
    }

    /// Returns the line that labels the preview.
    pub fn label(shown: &str) -> String {
        format!("Preview ({shown}); this is a preview, NOT the full output:")
    }

    /// Returns the last but one line: where the text is.
    pub fn intact(&self) -> String {
        let path = self.store.join("blobs").join(&self.meta.id).join(layout::TEXT);
        let path = clean::line(path.as_os_str().as_encoded_bytes()).replace('\n', "\u{FFFD}");
        match self.meta.not_stored {
            0 => format!("{INTACT}: {path}"),
            _ => format!("{INTACT} up to byte {}: {path}", thousands(self.meta.size.bytes)),
        }
    }

    /// Returns the last line: how to get more.
    pub fn retrieve(&self) -> String {
        let fetch = command(self.name_store.then_some(self.store), "fetch");
        let bytes = if self.long_lines { " | bytes START COUNT" } else { "" };
        format!(
            "{RETRIEVE} `{fetch} {} MODE`: outline | search QUERY | grep PATTERN | range START COUNT{bytes} | stat | full",
            self.meta.id
        )
    }

    /// Puts the lines around a preview: what replaces the text, ending in `\n`.
    pub fn around(&self, label: &str, body: &[String], cap: usize) -> String {
        let mut out = String::new();
        let mut put = |line: &str| {
            out.push_str(line);
            out.push('\n');
        };
        put(&self.first());
        put(&Handle::label(label));
        // Whatever made the preview: no line of it can stand as one of these. Its own marks of omissions stay.
        body.iter().for_each(|line| put(if line.starts_with("[... ") { line.into() } else { guard(line) }.as_ref()));
        if self.shows_intact(cap) {
            put(&self.intact());
        }
        put(&self.retrieve());
        out
    }

    /// Whether the line that names the path is shown: not where the handle would take more than half the cap and this
    /// line is what makes it so long.
    fn shows_intact(&self, cap: usize) -> bool {
        let intact = chars(&self.intact());
        intact + chars(&self.first()) + chars(&self.retrieve()) <= cap / 2 || intact <= cap / 4
    }

    /// Returns how many chars the lines take around a preview whose label is `label`.
    pub fn cost(&self, label: &str, cap: usize) -> usize {
        chars(&self.around(label, &[], cap))
    }
}

/// Returns how a printed command begins; it names the store that it needs.
pub fn command(store: Option<&Path>, name: &str) -> String {
    match store {
        Some(store) => format!("toolaria --store {} {name}", quote(&store.to_string_lossy())),
        None => format!("toolaria {name}"),
    }
}

fn chars(text: &str) -> usize {
    text.chars().count()
}

/// Returns a line of a text as a preview may show it: indented if it looks like one of a handle's, also where only
/// what cannot be seen stands before that.
pub fn guard(line: &str) -> Cow<'_, str> {
    let seen = line.trim_start_matches(unseen);
    if OURS.iter().any(|ours| seen.starts_with(ours)) { Cow::Owned(format!("  {line}")) } else { Cow::Borrowed(line) }
}

/// Whether a char leaves no mark: those of no width, the fillers, and blanks other than the plain one.
fn unseen(c: char) -> bool {
    matches!(c,
        '\u{AD}' | '\u{34F}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180B}'..='\u{180F}'
        | '\u{200B}'..='\u{200F}' | '\u{2060}'..='\u{206F}' | '\u{2800}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}'
        | '\u{FEFF}' | '\u{FFA0}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0100}'..='\u{E01EF}')
        || (c.is_whitespace() && c != ' ' && c != '\t')
}

/// Returns a tool name as one clean, short word.
pub fn tool_word(name: &str) -> String {
    let cleaned = clean::line(name.split('\n').next().unwrap_or_default().as_bytes()).into_owned();
    let keep = |c: char| c.is_alphanumeric() || "._-:/@+*".contains(c);
    let word: String = cleaned.chars().map(|c| if keep(c) { c } else { '_' }).collect();
    match cut::start(word.trim_matches('_'), TOOL_CHARS) {
        word if word.is_empty() => "stdin".to_owned(),
        word => word.into_owned(),
    }
}

/// Returns the id in the handle if `text` is what this program printed in the place of a text, and nothing else.
pub fn of_replacement(text: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(text).ok()?.strip_suffix('\n')?;
    let (first, rest) = text.split_once('\n')?;
    let (_, last) = rest.rsplit_once('\n')?;
    let id = first.strip_prefix(RESCUED)?.strip_suffix(']')?.rsplit_once("; blob=")?.1;
    let whole = is_id(id)
        && rest.starts_with("Preview (")
        && last.starts_with(RETRIEVE)
        && last.contains(&format!(" {id} MODE`: "))
        && rest.lines().filter(|line| line.starts_with(RETRIEVE) || line.starts_with(RESCUED)).count() == 1;
    whole.then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_name_is_one_short_word() {
        assert_eq!(tool_word("bash"), "bash");
        assert_eq!(tool_word("mcp__github__search"), "mcp__github__search");
        assert_eq!(tool_word("a]; blob=dead\nbeef\x1b[31m"), "a___blob_dead");
        assert_eq!(tool_word("\x1b[31m"), "stdin");
        assert_eq!(tool_word(&"x".repeat(10_000)).chars().count(), TOOL_CHARS);
    }

    #[test]
    fn lines_that_look_like_a_handles_are_indented() {
        assert_eq!(guard("[Toolaria: x"), "  [Toolaria: x");
        assert_eq!(guard("Retrieve more with `x`"), "  Retrieve more with `x`");
        assert_eq!(guard("plain [Toolaria: x"), "plain [Toolaria: x");
        for hidden in
            ['\u{200B}', '\u{2060}', '\u{AD}', '\u{180E}', '\u{2800}', '\u{3164}', '\u{34F}', '\u{A0}', '\u{2003}']
        {
            let line = format!("{hidden}[Toolaria: x");
            assert_eq!(guard(&line), format!("  {line}"), "{hidden:?}");
        }
    }
}
