//! Why an operation failed: one type for the whole library.
//!
//! Its text says what was done to which path or id, and what to do instead; the program adds `toolaria: ` and exits 2.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why an operation failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused something.
    Io {
        /// The operation, as it follows "cannot": `rename`.
        doing: &'static str,
        /// What it was done to.
        path: PathBuf,
        /// The refusal.
        source: io::Error,
    },
    /// The answer could not be written; not a fault of the store.
    Output(io::Error),
    /// The store as a whole cannot be used, and why.
    Store(String),
    /// No blob has this id.
    Unknown(String),
    /// The id's blob was swept.
    Swept(String),
    /// Several blobs have this prefix.
    Ambiguous {
        /// What was asked for.
        prefix: String,
        /// What it could mean.
        ids: Vec<String>,
    },
    /// A stored text is not what was stored.
    Damaged {
        /// The blob.
        id: String,
        /// What is wrong with it.
        found: String,
    },
    /// A request that cannot be served, and what to do instead.
    Invalid(String),
}

/// The result of an operation of this crate.
pub type Result<T> = std::result::Result<T, Error>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io { doing, path, source } => write!(f, "cannot {doing} {}: {}", path.display(), plain(source)),
            Error::Output(source) => write!(f, "cannot write the output: {}", plain(source)),
            Error::Store(why) | Error::Swept(why) | Error::Invalid(why) => f.write_str(why),
            Error::Unknown(id) => {
                write!(f, "no blob {id} in this store, and none was swept; `toolaria list` shows what there is")
            }
            Error::Ambiguous { prefix, ids } => {
                write!(f, "{prefix} is ambiguous, give more digits: {}", ids.join(", "))
            }
            Error::Damaged { id, found } => {
                write!(f, "blob {id} is damaged: {found}; run the command that made it again, or `toolaria rm {id}`")
            }
        }
    }
}

/// Returns an I/O error without Rust's " (os error 2)".
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(at) => text[..at].to_owned(),
        None => text,
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io { source, .. } | Error::Output(source) => Some(source),
            _ => None,
        }
    }
}

/// Adds the operation and the path to an I/O error, once, where it happens.
pub trait Doing<T> {
    /// Turns the error into [`Error::Io`]; `doing` is a verb as it follows "cannot".
    fn doing(self, doing: &'static str, path: &Path) -> Result<T>;
}

impl<T, E: Into<io::Error>> Doing<T> for std::result::Result<T, E> {
    fn doing(self, doing: &'static str, path: &Path) -> Result<T> {
        self.map_err(|source| Error::Io { doing, path: path.to_owned(), source: source.into() })
    }
}
