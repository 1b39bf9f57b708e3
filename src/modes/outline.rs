//! `outline`: the map of a text that suits its kind.

use serde_json::{Value, json};

use super::{Show, read_error};
use crate::answer::{Answer, Row, Rows};
use crate::error::Result;
use crate::outline::{self, Outline};
use crate::preview;
use crate::store::blob::Blob;
use crate::text::kind::Kind;
use crate::text::show::count;
use crate::text::{clean, cut};

/// The most chars of a row.
const ROW_CHARS: usize = 300;

/// Answers `outline`; `skip` rows were shown before.
pub fn outline(blob: &Blob, skip: usize, show: &Show) -> Result<Answer> {
    let id = blob.id().to_owned();
    let kind = blob.meta().kind;
    let made = map(blob, kind).map_err(read_error(blob))?;
    let again = |skip: usize| vec!["outline".to_owned(), "--start".to_owned(), skip.to_string()];
    let (mut rows, mut after) = (Rows::new(show.cap), None);
    for (k, entry) in made.entries.iter().enumerate().skip(skip) {
        if !rows.open() {
            after = Some(again(k));
            break;
        }
        let text = clean::line(entry.text.as_bytes());
        let text = cut::middle(&text, ROW_CHARS.min(show.cap / 3));
        let mut json = serde_json::Map::new();
        json.insert("line".to_owned(), json!(entry.line));
        json.insert("text".to_owned(), json!(text));
        json.extend(entry.fields.clone());
        let text = match entry.line {
            Some(line) => format!("{line}:{text}"),
            None => text.into_owned(),
        };
        rows.push(Row { text, json: Value::Object(json), here: again(k) });
    }
    let (total, head) = (made.entries.len() as u64, cut::middle(&made.head, 300).into_owned());
    let shown_id = id.clone();
    let header = move |shown: &[Row]| {
        let rows = match shown.len() as u64 {
            n if n == total => String::new(),
            n => format!(
                "; {} of {}",
                if skip > 0 { format!("{n} more") } else { format!("the first {n}") },
                count(total, "row")
            ),
        };
        format!("outline of {shown_id}, {}: {head}{rows}; line numbers from 0", kind.name())
    };
    let mut answer = Answer::new("outline", &id, "entries", Box::new(header));
    answer.fields.insert("type".to_owned(), json!(kind.name()));
    answer.fields.insert("head".to_owned(), json!(cut::middle(&made.head, 300)));
    let mut made = made;
    let size = blob.meta().size;
    if size.lines <= 3 && size.longest_line > 4000 && matches!(kind, Kind::Text | Kind::Log | Kind::Code) {
        made.notes.push(
            "a giant line: `search` and `grep` answer with windows of it, `bytes START COUNT` opens one".to_owned(),
        );
    }
    let notes: Vec<String> = made.notes.iter().map(|note| cut::middle(note, 300).into_owned()).take(5).collect();
    if !notes.is_empty() {
        answer.fields.insert("notes".to_owned(), json!(notes));
    }
    answer.rows = rows.into_rows();
    answer.after = after;
    answer.notes = notes;
    answer.found = !answer.rows.is_empty() || !made.head.is_empty();
    Ok(answer)
}

/// Makes the map of a text.
fn map(blob: &Blob, kind: Kind) -> std::io::Result<Outline> {
    let text = blob.read();
    match kind {
        Kind::Json => outline::json::outline(text),
        Kind::Ndjson => outline::ndjson::outline(text),
        Kind::Html => outline::html::outline(text),
        Kind::Xml => outline::xml::outline(text),
        Kind::Markdown => outline::markdown::outline(text),
        Kind::Csv => outline::csv::outline(text, b','),
        Kind::Tsv => outline::csv::outline(text, b'\t'),
        Kind::Diff => outline::diff::outline(text),
        Kind::Code => outline::code::outline(text),
        Kind::Log => outline::log::outline(text),
        Kind::Text => outline::blocks::outline(text),
        Kind::Binary => {
            let what = preview::binary(text, &blob.meta().size).map(|body| body.lines.join(" ")).unwrap_or_default();
            Ok(Outline { head: what, entries: Vec::new(), notes: Vec::new() })
        }
    }
}
