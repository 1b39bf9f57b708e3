//! Maps of texts: what is where, with line numbers that `range` takes.

pub mod csv;
pub mod json;
pub mod ndjson;
mod schema;
mod values;

/// One row of an outline.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// From 0, what `range` takes.
    pub line: Option<u64>,
    /// What is there.
    pub text: String,
    /// For `--json`, beside line and text.
    pub fields: serde_json::Map<String, serde_json::Value>,
}

/// A map of a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outline {
    /// What the whole is, e.g. "array of 3,000 objects, 171,874 chars".
    pub head: String,
    /// The rows.
    pub entries: Vec<Entry>,
    /// What could not be read and where reading stopped; what was sampled or left out.
    pub notes: Vec<String>,
}

/// The most rows an outline keeps, so that its memory is bounded.
pub const MAX_ENTRIES: usize = 2000;
