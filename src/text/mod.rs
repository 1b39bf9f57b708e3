//! What a text is, knowing nothing of stores or commands: its measures, its lines, what a reader sees of it,
//! what kind it is and how it is cut to fit.
//!
//! A *text* is bytes. A *char* is a Unicode scalar value, each maximal invalid UTF-8 sequence counting as one. A
//! *line* is what stands between `\n`s, numbered from 0. A text with a UTF-16 byte order mark is read as its UTF-8
//! transcoding ([`decode`]), its lines too.

pub mod clean;
pub mod cut;
pub mod decode;
pub mod json;
pub mod kind;
pub mod lines;
pub mod measure;
pub mod paths;
pub mod secrets;
pub mod show;
pub mod sketch;
pub mod table;
