//! `range START COUNT`: lines of a text. A line larger than an answer is begun, and the rest is there as `bytes`, so
//! that what continues always goes on where the answer stopped.

use serde_json::json;

use super::{FRAME, Show, blocks_before, line_offset, read_error};
use crate::answer::{Answer, Row, Rows};
use crate::error::Result;
use crate::store::blob::Blob;
use crate::text::show::{count, thousands};

/// How many lines are shown if it is not told.
pub const LINES: u64 = 40;

/// Answers `range START COUNT`; a negative START counts from the end.
pub fn range(blob: &Blob, start: i64, lines: u64, show: &Show) -> Result<Answer> {
    let total = blob.meta().size.lines;
    let id = blob.id().to_owned();
    let past = |what: &str| {
        let valid = match total {
            0 => "it is empty".to_owned(),
            n => format!("it has {}, 0 to {} (or -1 to -{n} from the end)", count(n, "line"), n - 1),
        };
        let head = format!("range in {id}: {what}; {valid}");
        let mut answer = Answer::new("range", &id, "lines", Box::new(move |_| head.clone()));
        answer.found = false;
        answer.fields.insert("start".to_owned(), json!(start));
        answer.fields.insert("total".to_owned(), json!(total));
        answer
    };
    let first = match u64::try_from(start) {
        Ok(first) => first,
        Err(_) => match total.checked_sub(start.unsigned_abs()) {
            Some(first) => first,
            None => return Ok(past(&format!("no line {start}"))),
        },
    };
    if first >= total {
        return Ok(past(&format!("no line {first}")));
    }
    if lines == 0 {
        return Ok(past("0 lines asked for"));
    }
    let end = first.saturating_add(lines).min(total);
    let (mut rows, mut after) = (Rows::new(show.cap), None);
    let row_max = show.cap.saturating_sub(FRAME).max(100);
    let failed = read_error(blob);
    let mut blocks = blocks_before(blob, first).map_err(&failed)?;
    'all: while let Some(block) = blocks.next_block().map_err(&failed)? {
        let newlines = memchr::memchr_iter(b'\n', block.bytes).count() as u64;
        if block.line + newlines < first {
            continue;
        }
        for line in block.lines().filter(|l| l.number >= first) {
            if line.number >= end {
                break 'all;
            }
            let here = vec!["range".to_owned(), line.number.to_string(), (end - line.number).to_string()];
            if !rows.open() {
                after = Some(here);
                break 'all;
            }
            let text = show.text(line.bytes);
            let whole = line.part.last && line.part.first;
            let json = json!({ "line": line.number, "text": text });
            let fits = show.cost(&text) + 30 <= row_max;
            if whole && fits {
                rows.push(Row { text: format!("{}:{text}", line.number), json, here });
                continue;
            }
            if !rows.is_empty() {
                after = Some(here);
                break 'all;
            }
            // A line larger than an answer: its start now, the rest as bytes.
            let n = show.fitting(line.bytes, row_max - 30);
            let text = show.text(&line.bytes[..n]);
            let at = line.offset + n as u64;
            let stop = line_offset(blob, end).map_err(&failed)?;
            after = Some(vec!["bytes".to_owned(), at.to_string(), stop.saturating_sub(at).to_string()]);
            let json = json!({ "line": line.number, "text": text, "cut": true });
            rows.push(Row { text: format!("{}:{text}…", line.number), json, here });
            break 'all;
        }
    }
    let shown_id = id.clone();
    let header = move |shown: &[Row]| {
        let lines = match shown.len() as u64 {
            0 | 1 => format!("line {first}"),
            n => format!("lines {first}-{}", first + n - 1),
        };
        let cut = if shown.iter().any(|r| r.json.get("cut").is_some()) { ", cut" } else { "" };
        format!("range in {shown_id}: {lines}{cut} of {}, numbered from 0", thousands(total))
    };
    let mut answer = Answer::new("range", &id, "lines", Box::new(header));
    answer.fields.insert("start".to_owned(), json!(first));
    answer.fields.insert("total".to_owned(), json!(total));
    answer.rows = rows.into_rows();
    answer.after = after;
    Ok(answer)
}
