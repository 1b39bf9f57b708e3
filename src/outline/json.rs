//! The outline of a JSON value: every path with its types, counts, ranges and small value sets.

use std::io::{self, Read};

use super::Outline;
use super::schema::Shape;
use crate::text::json::{Tokens, Trailing};
use crate::text::{clean, cut};

/// Returns the outline of the JSON value that a text is, in one pass.
pub fn outline(text: impl Read) -> io::Result<Outline> {
    let mut tokens = Tokens::new(text);
    let mut shape = Shape::default();
    while let Some(token) = tokens.next_token()? {
        shape.token(&token);
    }
    shape.close();
    let mut notes = Vec::new();
    if let Some(stop) = tokens.stop() {
        notes.push(format!("reading stopped: {stop}; what stands before is shown"));
    }
    if let Some(Trailing { line, offset, start }) = tokens.trailing()? {
        let start = clean::line(&start).into_owned();
        let start = cut::middle(&start, 120);
        notes.push(format!("more text after the value, from line {line}, byte {offset}: {start}"));
    }
    if tokens.deepest() > 30 {
        notes.push(format!("nested {} levels deep", crate::text::show::thousands(tokens.deepest())));
    }
    let head = shape.head();
    let entries = shape.entries();
    notes.extend(shape.notes());
    notes.extend(tokens.quirks().notes());
    Ok(Outline { head, entries, notes })
}
