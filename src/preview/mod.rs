//! What of a text stands in a preview: the parts that say what it is and what happened, in a budget of chars.

pub mod csv;
pub mod json;
pub mod ndjson;

/// What stands between the preview's label line and the last two lines of a handle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// Completes "Preview (…)": "first 5 / last 2 of 2,000 items".
    pub label: String,
    /// Already clean and cut; none contains `\n`.
    pub lines: Vec<String>,
}
