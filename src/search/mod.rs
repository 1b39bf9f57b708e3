//! Search: the best lines of a text for the words of a query, best first.
//!
//! One scan over the text, without an index and with bounded memory: a packed search over folded blocks finds the lines
//! that hold a word (`find`), only those are looked at (`scan`) and ranked (`rank`). What a query's words stand
//! for is decided once ([`Query`]): their forms, short forms and synonyms (`stem`, `synonyms`), and what kind of
//! line would answer (`shape`).
//!
//! Laws: no query is an error; the text of every hit holds a word of the query, or a synonym that [`Hits::also`] names;
//! a hit's text is the whole line as [`text::clean`](crate::text::clean) shows it unless it says otherwise; the same
//! text and query give the same hits.

mod find;
mod fold;
mod look;
mod place;
mod pool;
mod query;
mod rank;
mod scan;
mod shape;
mod stem;
mod synonyms;

use std::io::{self, Read};

pub use query::Query;
pub use rank::Weights;

/// How an answer is made.
#[derive(Clone, Debug)]
pub struct Options {
    /// The most hits.
    pub limit: usize,
    /// How many lines before and after each hit come with it.
    pub context: usize,
    /// The most chars of a line that are shown; a longer one is cut around its words.
    pub line_max_chars: usize,
    /// What each rule of the ranking counts.
    pub weights: Weights,
}

impl Default for Options {
    fn default() -> Self {
        Options { limit: 10, context: 1, line_max_chars: 400, weights: Weights::default() }
    }
}

/// A line that answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Its number, from 0.
    pub line: u64,
    /// How well it answers: around 1 for a line with all the words; comparable between texts.
    pub score: f64,
    /// The line as a reader sees it, or what of it is around the words.
    pub text: String,
    /// Whether `text` is the whole line.
    pub whole: bool,
    /// The lines before it.
    pub before: Vec<(u64, String)>,
    /// The lines after it.
    pub after: Vec<(u64, String)>,
    /// How many identical lines it stands for, itself included.
    pub count: u64,
    /// Where `text` begins in the (decoded) text, in bytes.
    pub offset: u64,
}

/// The answer to a query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hits {
    /// The best lines, best first.
    pub hits: Vec<Hit>,
    /// How many lines hold at least one word or synonym.
    pub matching: u64,
    /// The words that were looked for.
    pub terms: Vec<String>,
    /// The synonyms that the hits hold.
    pub also: Vec<String>,
}

/// Searches a (decoded) text for a query.
pub fn search(text: impl Read, query: &str, options: &Options) -> io::Result<Hits> {
    search_with(&Query::weighed(query, &options.weights), text, options)
}

/// Searches a (decoded) text for a query that is parsed already.
pub fn search_with(query: &Query, text: impl Read, options: &Options) -> io::Result<Hits> {
    scan::scan(query, text, options)
}

#[cfg(test)]
mod tests;
