//! `json POINTER`: a value inside a JSON text, printed within the answer; in NDJSON `/3/name` is of record 3.

use serde_json::json;

use super::{FRAME, Show, read_error};
use crate::answer::{Answer, Row};
use crate::error::{Error, Result};
use crate::pointer::{self, Failure, Form};
use crate::store::blob::Blob;
use crate::text::json::Kind as Token;
use crate::text::kind::Kind;
use crate::text::show::{count, thousands};
use crate::text::{clean, cut};

/// Answers `json POINTER`.
pub fn json(blob: &Blob, pointer: &str, show: &Show) -> Result<Answer> {
    let id = blob.id().to_owned();
    let failed = read_error(blob);
    let form = if blob.meta().kind == Kind::Ndjson { Form::Records } else { Form::Value };
    let named = cut::middle(&clean::line(pointer.as_bytes()), 100).into_owned();
    let named = if named.is_empty() { "(the whole)".to_owned() } else { named };
    let budget = show.cap.saturating_sub(FRAME + pointer.len().min(200)).max(200);
    let found = match pointer::find(blob.read(), pointer, form) {
        Ok(found) => found,
        Err(Failure::Read(e)) => return Err(failed(e)),
        Err(Failure::Pointer(why)) => return Err(Error::Invalid(why)),
        Err(Failure::Missing(why)) => {
            let head = format!("json {named} in {id}: {}", cut::middle(&why, show.cap / 3));
            let mut answer = Answer::new("json", &id, "", Box::new(move |_| head.clone()));
            answer.found = false;
            answer.fields.insert("pointer".to_owned(), json!(cut::middle(pointer, show.cap / 8)));
            answer.fields.insert("value".to_owned(), json!(null));
            answer.fields.insert("missing".to_owned(), json!(cut::middle(&why, show.cap / 4)));
            return Ok(answer);
        }
    };
    let whole_records = form == Form::Records && matches!(pointer, "" | "#" | "/");
    let sample = if whole_records {
        pointer::sample_records(blob.read(), budget)
    } else {
        let from = blob.read_from(found.span.start).map_err(&failed)?;
        pointer::sample(from, found.span.start, found.line, budget)
    };
    let sample = sample.map_err(&failed)?;
    let (text, shortened) = sample.pretty();
    let (value, sampled) = sample.value();
    let what = match found.kind {
        Token::ArrayStart => format!("array of {}", count(found.count, "item")),
        Token::ObjectStart => format!("object of {}", count(found.count, "key")),
        kind => format!("{}, {}", format!("{kind:?}").to_lowercase(), count(found.count, "char")),
    };
    let lines = match found.last_line {
        last if last == found.line => format!("line {last}"),
        last => format!("lines {}-{last}", found.line),
    };
    let short = if shortened { ", shortened" } else { "" };
    let shown_id = id.clone();
    let head = format!("json {named} in {shown_id}: {what}, {lines} (from 0){short}");
    let mut answer = Answer::new("json", &id, "", Box::new(move |_| head.clone()));
    answer.fields.insert("pointer".to_owned(), json!(cut::middle(pointer, show.cap / 8)));
    answer.fields.insert("value".to_owned(), value);
    answer.rows = vec![Row { text, ..Row::default() }];
    if if show.json { sampled } else { shortened } {
        let length = found.span.end - found.span.start;
        answer.after = Some(vec!["bytes".to_owned(), found.span.start.to_string(), length.to_string()]);
    }
    if let Some(stop) = &found.stop {
        answer.notes.push(format!("the text breaks off at line {}, byte {}", stop.line, thousands(stop.offset)));
    }
    Ok(answer)
}
