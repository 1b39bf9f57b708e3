//! What kind of text a text is, decided from a bounded sample.
//!
//! The kind chooses the preview and the outline. A wrong choice must never harm: where the sample leaves a doubt the
//! answer is [`Kind::Log`] or [`Kind::Text`], whose previews suit every text of lines.

/// The kinds of text that previews and outlines tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// One JSON value.
    Json,
    /// One JSON value a line.
    Ndjson,
    /// An HTML page.
    Html,
    /// XML.
    Xml,
    /// Markdown.
    Markdown,
    /// Comma-separated values.
    Csv,
    /// Tab-separated values.
    Tsv,
    /// A unified diff, also with the mail or commit text around it.
    Diff,
    /// Source code.
    Code,
    /// A log, or the output of a build or a test run.
    Log,
    /// Any other text.
    Text,
    /// Not a text.
    Binary,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 12] = [
        Kind::Json,
        Kind::Ndjson,
        Kind::Html,
        Kind::Xml,
        Kind::Markdown,
        Kind::Csv,
        Kind::Tsv,
        Kind::Diff,
        Kind::Code,
        Kind::Log,
        Kind::Text,
        Kind::Binary,
    ];

    /// Returns the word that stands for the kind in handles, answers and metadata.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Json => "json",
            Kind::Ndjson => "ndjson",
            Kind::Html => "html",
            Kind::Xml => "xml",
            Kind::Markdown => "markdown",
            Kind::Csv => "csv",
            Kind::Tsv => "tsv",
            Kind::Diff => "diff",
            Kind::Code => "code",
            Kind::Log => "log",
            Kind::Text => "text",
            Kind::Binary => "binary",
        }
    }

    /// Returns the kind that a word stands for.
    pub fn from_name(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// What is looked at to decide: the (decoded) start and end of a text.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// The first bytes, at least 16 KiB where the text has them.
    pub head: &'a [u8],
    /// The last bytes, perhaps overlapping the head; not at a line start.
    pub tail: &'a [u8],
    /// The length of the whole text in bytes.
    pub bytes: u64,
}

/// Decides what kind of text a sample is of.
pub fn detect(sample: &Sample<'_>) -> Kind {
    if sample.head.contains(&0) { Kind::Binary } else { Kind::Text }
}

/// Returns what a binary is, from its magic bytes: `PNG image`, `ELF executable`.
pub fn binary_name(head: &[u8]) -> Option<&'static str> {
    infer::get(head).map(|t| t.mime_type())
}
