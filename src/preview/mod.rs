//! What a text's replacement shows of it: the first and last lines and the ones that look like errors, or what suits
//! its kind better.
//!
//! Laws: the preview fits its budget, shows no line that is not the text's (as [`crate::text::clean`] shows it), never
//! two as one, and every omission names the lines it left out, in its place. Each preview reads the text once.

pub mod csv;
pub mod diff;
mod fit;
pub mod html;
pub mod json;
pub mod markdown;
pub mod ndjson;
pub mod signals;
pub mod window;

use std::io::Read;

use crate::text::kind::binary_name;
use crate::text::measure::Size;
use crate::text::show::thousands;

/// Says what a binary is, and shows no byte of it.
pub fn binary(text: impl Read, size: &Size) -> Option<Body> {
    let mut head = Vec::new();
    text.take(64 << 10).read_to_end(&mut head).ok()?;
    let name = binary_name(&head).unwrap_or_else(|| "unknown binary data".to_owned());
    let line = format!("{name}; {} bytes, none of them shown here", thousands(size.bytes));
    Some(Body { label: "binary data".to_owned(), lines: vec![line] })
}

/// What stands between the preview's label line and the last two lines of a handle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// Completes "Preview (…)": `first 5 / last 2 of 2,000 items`.
    pub label: String,
    /// The lines, clean and cut; none contains `\n`.
    pub lines: Vec<String>,
}

/// A line that looks like an error or a failure, with what belongs to it, between the head and the tail of a preview.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marked {
    /// Its number, from 0.
    pub line: u64,
    /// The line, clean and cut.
    pub text: String,
    /// How much it matters: a higher one stays where there is not room for all.
    pub rank: u8,
    /// Lines that belong to it, with their numbers.
    pub context: Vec<(u64, String)>,
}
