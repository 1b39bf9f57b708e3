//! What a reader sees first of a text: previews by kind, and the lines that tell what went wrong.
//!
//! Relies on [`crate::text`] only. Every preview reads the text once, keeps to its budget of chars and marks in place
//! what it leaves out.

pub mod diff;
mod fit;
pub mod html;
pub mod markdown;
pub mod signals;

/// What stands between the preview's label line and the last two lines of a handle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// Completes "Preview (…)".
    pub label: String,
    /// The lines, clean and cut; none contains `\n`.
    pub lines: Vec<String>,
}
