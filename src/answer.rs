//! What every mode of `fetch` returns, and how it becomes a short text or JSON.
//!
//! Laws: an answer is never longer than its cap; it begins with one bracketed line that says what is shown, and says
//! no more than is shown; one that was cut ends with the exact command that goes on, which repeats nothing and ends.

use serde_json::{Map, Value, json};

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
        loop {
            let next = if shown < self.rows.len() { Some(&self.rows[shown].here) } else { self.after.as_ref() };
            let header = format!("[{}]\n", (self.header)(&self.rows[..shown]));
            let footer = next.map(|args| format!("[more: `{command} {}`]\n", shell_words(args))).unwrap_or_default();
            if chars(&header) + used + chars(&footer) <= cap || shown == 0 {
                let mut out = header;
                for row in &self.rows[..shown] {
                    out.push_str(&row.text);
                    out.push('\n');
                }
                for note in &self.notes {
                    let note = format!("[{note}]\n");
                    if chars(&out) + chars(&note) + chars(&footer) <= cap {
                        out.push_str(&note);
                    }
                }
                out.push_str(&footer);
                return out;
            }
            shown -= 1;
            used -= chars(&self.rows[shown].text) + 1;
        }
    }

    /// Returns the answer as one JSON object of at most `cap` chars.
    pub fn json(&self, cap: usize) -> String {
        let lengths: Vec<usize> = self.rows.iter().map(|row| row.json.to_string().chars().count() + 1).collect();
        let mut shown = self.rows.len();
        let mut used: usize = lengths.iter().sum();
        loop {
            let next = if shown < self.rows.len() { Some(&self.rows[shown].here) } else { self.after.as_ref() };
            let mut object = Map::new();
            if !self.id.is_empty() {
                object.insert("id".to_owned(), json!(self.id));
            }
            object.insert("mode".to_owned(), json!(self.mode));
            object.insert("truncated".to_owned(), json!(next.is_some()));
            object.insert("next".to_owned(), json!(next));
            object.extend(self.fields.clone());
            if !self.rows_name.is_empty() {
                object.insert(self.rows_name.to_owned(), Value::Array(Vec::new()));
            }
            let frame = Value::Object(object.clone()).to_string().chars().count() + 1;
            if frame + used <= cap || shown == 0 {
                if !self.rows_name.is_empty() {
                    let rows = self.rows[..shown].iter().map(|row| row.json.clone()).filter(|v| !v.is_null());
                    object.insert(self.rows_name.to_owned(), rows.collect());
                }
                return format!("{}\n", Value::Object(object));
            }
            shown -= 1;
            used -= lengths[shown];
        }
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
