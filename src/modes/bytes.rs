//! `bytes START COUNT`: a window of the text, the way into a giant line. Windows that follow each other join to the
//! text: each ends with a whole char and the next begins there.

use std::io::Read;

use serde_json::json;

use super::{FRAME, Show, read_error};
use crate::answer::{Answer, Row};
use crate::error::Result;
use crate::store::blob::Blob;
use crate::text::show::thousands;

/// Answers `bytes START COUNT`: a window of the (decoded) text, trimmed inward to whole chars.
pub fn bytes(blob: &Blob, start: u64, length: u64, show: &Show) -> Result<Answer> {
    let id = blob.id().to_owned();
    let failed = read_error(blob);
    let room = show.cap.saturating_sub(FRAME).max(100);
    // A char has at most 4 bytes; an escape that is removed may have more, so there may be room left.
    let want = length.min(room as u64 * 4 + 8) as usize;
    let mut window = Vec::new();
    blob.read_from(start).and_then(|r| r.take(want as u64).read_to_end(&mut window)).map_err(&failed)?;
    let size = if blob.is_utf16() { None } else { Some(blob.meta().size.bytes) };
    let of = size.map(|n| format!(" of {}", thousands(n))).unwrap_or_default();
    if window.is_empty() {
        let head = match length {
            0 => format!("bytes in {id}: 0 bytes asked for{of}"),
            _ => format!("bytes in {id}: no byte {}{of}", thousands(start)),
        };
        let mut answer = Answer::new("bytes", &id, "", Box::new(move |_| head.clone()));
        answer.fields.insert("start".to_owned(), json!(start));
        answer.fields.insert("text".to_owned(), json!(""));
        answer.found = false;
        return Ok(answer);
    }
    // Trimmed inward: neither end cuts a char.
    let lead = if start > 0 { window.iter().take(3).take_while(|&&b| b & 0xC0 == 0x80).count() } else { 0 };
    let open = crate::text::measure::unfinished(&window[window.len().saturating_sub(3)..]);
    let at_end = window.len() < want;
    let stop = if at_end { window.len() } else { (window.len() - open).max(lead) };
    let trimmed = &window[lead.min(stop)..stop];
    let n = show.fitting(trimmed, room);
    let text = show.text(&trimmed[..n]);
    let from = start + lead.min(stop) as u64;
    let to = from + n as u64;
    let left = (start + length).saturating_sub(to);
    let text_left = size.map_or(!at_end, |size| to < size);
    let head = format!("bytes in {id}: {} to {}{of}", thousands(from), thousands(to.saturating_sub(1)));
    let mut answer = Answer::new("bytes", &id, "", Box::new(move |_| head.clone()));
    answer.fields.insert("start".to_owned(), json!(from));
    answer.fields.insert("text".to_owned(), json!(text));
    answer.rows = vec![Row { text, ..Row::default() }];
    if n > 0 && text_left && left > open as u64 {
        answer.after = Some(vec!["bytes".to_owned(), to.to_string(), left.to_string()]);
    }
    Ok(answer)
}
