//! What every mode of `fetch` returns, and how it becomes a short text or JSON.
//!
//! Laws: an answer is never longer than its cap; it begins with one bracketed line that says what is shown, and says
//! no more than is shown; one that was cut ends with the exact command that goes on, which repeats nothing and ends.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use crate::text::cut;
use crate::text::show::quote;

/// One row of an answer.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// The row as text; more than one line where lines belong together.
    pub text: String,
    /// The row in JSON; `Null` for rows that only the text shows.
    pub json: Value,
    /// The arguments that continue at this row, if it does not fit.
    pub here: Vec<String>,
}

/// The bracketed first line, of what is shown.
type Header = Box<dyn Fn(&[Row]) -> String>;

/// An answer before it is cut.
pub struct Answer {
    /// The mode.
    pub mode: &'static str,
    /// The blob; empty for an answer about several.
    pub id: String,
    /// Makes the first line, without its brackets, for the rows that are shown.
    pub header: Header,
    /// The name of the rows in JSON.
    pub rows_name: &'static str,
    /// The rows.
    pub rows: Vec<Row>,
    /// What JSON says beside the rows.
    pub fields: Map<String, Value>,
    /// The arguments that continue after the last row.
    pub after: Option<Vec<String>>,
    /// What is said after the rows, where it fits.
    pub notes: Vec<String>,
    /// Whether something was shown, for the exit status.
    pub found: bool,
}

impl Answer {
    /// Begins an answer without rows.
    pub fn new(mode: &'static str, id: &str, rows_name: &'static str, header: Header) -> Answer {
        Answer {
            mode,
            id: id.to_owned(),
            header,
            rows_name,
            rows: Vec::new(),
            fields: Map::new(),
            after: None,
            notes: Vec::new(),
            found: true,
        }
    }

    /// Returns the answer as text of at most `cap` chars. `command` is how the continuing command begins, up to and
    /// with the id.
    pub fn text(&self, cap: usize, command: &str) -> String {
        let chars = |text: &str| text.chars().count();
        let mut shown = self.rows.len();
        let mut used: usize = self.rows.iter().map(|row| chars(&row.text) + 1).sum();
        let frame = |shown: usize| {
            let header = format!("[{}]\n", cut::middle(&(self.header)(&self.rows[..shown]), cap / 2));
            let footer = self.next(shown).map(|args| footer(command, args, cap / 3)).unwrap_or_default();
            (header, footer)
        };
        let (mut header, mut footer) = frame(shown);
        while shown > 1 && chars(&header) + used + chars(&footer) > cap {
            shown -= 1;
            used -= chars(&self.rows[shown].text) + 1;
            (header, footer) = frame(shown);
        }
        let mut out = header;
        let mut room = cap.saturating_sub(chars(&out) + chars(&footer));
        for row in &self.rows[..shown] {
            // Only the first can be too large: what would not be shown at all would be asked for again and again.
            let text = fitted(&row.text, room.saturating_sub(1));
            room = room.saturating_sub(chars(&text) + 1);
            out.push_str(&text);
            out.push('\n');
        }
        for note in &self.notes {
            let note = format!("[{note}]\n");
            if chars(&note) <= room {
                room -= chars(&note);
                out.push_str(&note);
            }
        }
        out + &footer
    }

    /// Returns the arguments that go on after the first `shown` rows.
    fn next(&self, shown: usize) -> Option<&Vec<String>> {
        if shown < self.rows.len() { Some(&self.rows[shown].here) } else { self.after.as_ref() }
    }

    /// Returns the answer as one JSON object of at most `cap` chars.
    pub fn json(&self, cap: usize) -> String {
        let length = |value: &Value| value.to_string().chars().count();
        let frame = |shown: usize| {
            let next = self.next(shown);
            let mut object = Map::new();
            if !self.id.is_empty() {
                object.insert("id".to_owned(), json!(self.id));
            }
            object.insert("mode".to_owned(), json!(self.mode));
            object.insert("truncated".to_owned(), json!(next.is_some()));
            let fits = next.filter(|args| length(&json!(args)) <= cap / 3);
            object.insert("next".to_owned(), json!(fits));
            if let (None, Some(args)) = (fits, next) {
                object.insert("go_on".to_owned(), json!(place(args)));
            }
            object.extend(self.fields.clone());
            if !self.rows_name.is_empty() {
                object.insert(self.rows_name.to_owned(), Value::Array(Vec::new()));
            }
            object
        };
        let lengths: Vec<usize> = self.rows.iter().map(|row| length(&row.json) + 1).collect();
        let mut shown = self.rows.len();
        let mut used: usize = lengths.iter().sum();
        let mut object = frame(shown);
        // The length of the frame with one `\n`.
        let outside = |object: &Map<String, Value>| length(&Value::Object(object.clone())) + 1;
        while shown > 1 && outside(&object) + used > cap {
            shown -= 1;
            used -= lengths[shown];
            object = frame(shown);
        }
        if !self.rows_name.is_empty() {
            let room = cap.saturating_sub(outside(&object));
            let mut rows: Vec<Value> =
                self.rows[..shown].iter().map(|row| row.json.clone()).filter(|v| !v.is_null()).collect();
            if shown == 1
                && used > room
                && let Some(row) = rows.first_mut()
            {
                fit_row(row, room.saturating_sub(1));
            }
            object.insert(self.rows_name.to_owned(), rows.into());
        }
        format!("{}\n", Value::Object(object))
    }
}

/// Returns the line that says how to go on: the command, or where it is too long to be repeated, what to add to it.
fn footer(command: &str, args: &[String], max: usize) -> String {
    let whole = format!("{command} {}", shell_words(args));
    if whole.chars().count() <= max.max(command.chars().count() + 60) {
        format!("[more: `{whole}`]\n")
    } else {
        format!("[more: the same again, {}]\n", place(args))
    }
}

/// Returns what of the continuing arguments says where to go on: `with --start 57`.
fn place(args: &[String]) -> String {
    let flags = args.windows(2).filter(|w| w[0] == "--start" || w[0] == "--skip");
    let words: Vec<String> = flags.take(2).map(|w| w.join(" ")).collect();
    match words.is_empty() {
        true => "for what follows".to_owned(),
        false => format!("with {}", words.join(" ")),
    }
}

/// Returns a row of a text answer in at most `max` chars. Of a row of several lines whole lines go, from its end, but
/// for the one that was found (`number:`), which comes first then.
fn fitted(text: &str, max: usize) -> Cow<'_, str> {
    if text.chars().count() <= max || !text.contains('\n') {
        return cut::middle(text, max);
    }
    let found = text.lines().find(|line| {
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        digits > 0 && line.as_bytes().get(digits) == Some(&b':')
    });
    cut::middle(found.or_else(|| text.lines().next()).unwrap_or_default(), max).into_owned().into()
}

/// Makes the JSON of a row fit into `max` chars: what is beside its line and its text goes first, then the middle of
/// the text.
fn fit_row(row: &mut Value, max: usize) {
    let length = |value: &Value| value.to_string().chars().count();
    let Value::Object(object) = row else { return };
    object.retain(|key, _| ["line", "text", "score", "byte", "id"].contains(&key.as_str()));
    object.insert("cut".to_owned(), json!(true));
    let text = object.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut chars = text.chars().count();
    while chars > 0 && length(&Value::Object(object.clone())) > max {
        chars = chars * 3 / 4;
        object.insert("text".to_owned(), json!(cut::middle(&text, chars)));
    }
}

/// Returns words as a shell reads them back.
pub fn shell_words(args: &[String]) -> String {
    args.iter().map(|arg| quote(arg)).collect::<Vec<_>>().join(" ")
}

/// Collects rows until more would not be shown anyway.
#[derive(Debug)]
pub struct Rows {
    rows: Vec<Row>,
    room: usize,
}

impl Rows {
    /// Collects rows for an answer of at most `cap` chars.
    pub fn new(cap: usize) -> Rows {
        Rows { rows: Vec::new(), room: cap }
    }

    /// Returns whether there is room for one more, which may be the one that does not fit.
    pub fn open(&self) -> bool {
        self.room > 0
    }

    /// Adds a row.
    pub fn push(&mut self, row: Row) {
        self.room = self.room.saturating_sub(row.text.chars().count() + 1);
        self.rows.push(row);
    }

    /// Adds to the last row's text, and to the list `name` of its JSON.
    pub fn extend_last(&mut self, text: &str, name: &str, json: Value) {
        let Some(row) = self.rows.last_mut() else { return };
        self.room = self.room.saturating_sub(text.chars().count());
        row.text.push_str(text);
        if let Value::Object(object) = &mut row.json
            && let Value::Array(list) = object.entry(name).or_insert_with(|| json!([]))
        {
            list.push(json);
        }
    }

    /// Returns how many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the rows.
    pub fn into_rows(self) -> Vec<Row> {
        self.rows
    }
}
