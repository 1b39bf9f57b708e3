//! The outline of NDJSON: the merged shape of its records, the array they form being the root.

use std::io::{self, Read};

use super::Outline;
use super::schema::Shape;
use crate::text::json::Tokens;
use crate::text::show::{count, thousands};

/// How many lines that are not JSON are named.
const NAMED: usize = 12;

/// Returns the outline of a text with one JSON value a line, in one pass. Lines that are not one value are counted and
/// named; nothing of them is in the shape (but of lines over 1 MiB what stands before the fault).
pub fn outline(text: impl Read) -> io::Result<Outline> {
    let mut tokens = Tokens::records(text);
    let mut shape = Shape::records();
    let (mut records, mut bad, mut named, mut why) = (0u64, 0u64, Vec::new(), None);
    while let Some(record) = tokens.next_record()? {
        let mut fault = record.fault;
        if fault.is_none() {
            while let Some(token) = tokens.next_token()? {
                shape.token(&token);
            }
            fault = tokens.stop().cloned();
            if fault.is_some() {
                shape.end_record();
            }
        }
        match fault {
            None => records += 1,
            Some(stop) => {
                bad += 1;
                if named.len() < NAMED {
                    named.push(record.line.to_string());
                }
                why.get_or_insert(stop);
            }
        }
    }
    shape.close();
    let mut notes = Vec::new();
    if let Some(why) = why {
        let more = if bad as usize > named.len() { ", …" } else { "" };
        let (lines, numbers) = (count(bad, "line"), named.join(", "));
        notes.push(format!("{lines} not JSON, left out: {numbers}{more} (the first: {why})"));
    }
    let mut entries = shape.entries();
    if let Some(root) = entries.first_mut() {
        root.text = format!("(records)  {}; /N is record N, from 0", count(records, "record"));
    }
    notes.extend(shape.notes());
    notes.extend(tokens.quirks().notes());
    let bad = if bad > 0 { format!(", {} lines that are not JSON", thousands(bad)) } else { String::new() };
    Ok(Outline { head: format!("{}{bad}", count(records, "record")), entries, notes })
}
