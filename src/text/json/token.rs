//! What the tokenizer hands out: tokens, where it stopped, what it accepted.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use bstr::ByteSlice;

use super::{MAX_DEPTH, unescape};
use crate::text::show;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `[`
    ArrayStart,
    /// `]`
    ArrayEnd,
    /// `{`
    ObjectStart,
    /// `}`
    ObjectEnd,
    /// The name of a member; its value follows.
    Key,
    /// A string.
    String,
    /// A number, `NaN` and `Infinity` too.
    Number,
    /// `true` or `false`
    Bool,
    /// `null`
    Null,
}

/// One token.
#[derive(Clone, Debug)]
pub struct Token<'a> {
    /// What it is.
    pub kind: Kind,
    /// It as written, keys and strings without their quotes; only its first [`super::PREFIX`] bytes unless `whole`.
    pub raw: &'a [u8],
    /// Whether `raw` is all of it.
    pub whole: bool,
    /// Its length in chars: of keys and strings what they stand for, of others what is written.
    pub chars: u64,
    /// Whether a key or string has escapes.
    pub escaped: bool,
    /// Where it stands in the text, in bytes, quotes included.
    pub span: Range<u64>,
    /// The line it begins on, from 0.
    pub line: u64,
}

impl Token<'_> {
    /// Returns what a key or string stands for (its start, unless `whole`).
    pub fn value(&self) -> Cow<'_, str> {
        if self.escaped { Cow::Owned(unescape(self.raw)) } else { self.raw.to_str_lossy() }
    }
}

/// Where and why reading stopped before the end of the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// Why.
    pub fault: Fault,
    /// The line, from 0.
    pub line: u64,
    /// The byte of the text.
    pub offset: u64,
}

/// Why reading stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The text ends inside the value (or has none).
    Ends {
        /// How many levels were open.
        open: u64,
    },
    /// Something else stands where this was due.
    Wanted(&'static str),
    /// More than [`MAX_DEPTH`] levels.
    Deep,
}

impl Fault {
    /// Whether the text ended too early, rather than being wrong.
    pub fn ends(&self) -> bool {
        matches!(self, Fault::Ends { .. })
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.fault {
            Fault::Ends { open: 0 } => f.write_str("the text ends inside a value")?,
            Fault::Ends { open } => write!(f, "the text ends with {} open", show::count(open, "level"))?,
            Fault::Wanted(what) => write!(f, "not JSON where {what} was due")?,
            Fault::Deep => write!(f, "more than {} deep", show::count(MAX_DEPTH, "level"))?,
        }
        write!(f, " (line {}, byte {})", self.line, self.offset)
    }
}

/// What was accepted though JSON does not have it, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quirks {
    /// The text begins with a byte order mark.
    pub bom: bool,
    /// `NaN`, `Infinity`, `-Infinity`.
    pub not_finite: u64,
    /// Strings with half a surrogate pair.
    pub lone_surrogates: u64,
    /// Strings with bytes that are not UTF-8.
    pub invalid_utf8: u64,
    /// Strings with raw control characters.
    pub controls: u64,
    /// Strings with a backslash before what JSON does not escape.
    pub bad_escapes: u64,
}

impl Quirks {
    /// Returns a sentence for each thing that was accepted.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let mut note = |n: u64, one: &str, what: &str| {
            if n > 0 {
                notes.push(format!("{} {what}", show::count(n, one)));
            }
        };
        note(self.not_finite, "number", "written NaN or Infinity, which JSON does not have");
        note(self.lone_surrogates, "string", "with half a surrogate pair");
        note(self.invalid_utf8, "string", "with bytes that are not UTF-8");
        note(self.controls, "string", "with raw control characters");
        note(self.bad_escapes, "string", "with escapes that JSON does not have");
        notes
    }
}

/// What follows a value that should be alone in its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trailing {
    /// The line it begins on, from 0.
    pub line: u64,
    /// The byte of the text.
    pub offset: u64,
    /// Its first line, or the start of it.
    pub start: Vec<u8>,
}

/// A line of NDJSON.
#[derive(Clone, Debug)]
pub struct Record {
    /// The line, from 0.
    pub line: u64,
    /// Where the line begins in the text, in bytes.
    pub offset: u64,
    /// Why it is not one JSON value. Lines over 1 MiB are not checked beforehand: see [`super::Tokens::stop`] after them.
    pub fault: Option<Stop>,
}
