//! toolaria keeps oversized tool results out of an AI agent's context.
//!
//! A *text* (what a command printed) that exceeds no threshold comes out byte for byte. Any other is *rescued*: stored
//! whole as a *blob* and replaced by a *preview* inside a *handle*, which says how to get more. A fetch then answers
//! with a slice. Lines are numbered from 0 everywhere.
//!
//! Data flows one way; nothing calls back up:
//!
//! ```text
//! bytes in ─► gate ─► spill ─► preview ─► bytes out     rescue::rescue: Read → Write
//! id in ───► open ─► slice ─► cap ─────► bytes out     modes::*: Blob → Answer → text or JSON
//! ```
//!
//! | module | what it is for |
//! |---|---|
//! | [`text`] | what a text is: its size, its lines, what a reader sees of it, its kind, how it is cut |
//! | [`store`] | the folder of blobs: spill, publish, find, sweep, recover |
//! | [`preview`] | what a replacement shows: first and last lines, signal lines, what suits the kind |
//! | [`handle`] | the lines around a preview |
//! | [`rescue`] | gate, spill and preview: the main job |
//! | [`process`], [`batch`] | running a command as one text; several with one answer |
//! | [`outline`] | maps of texts, one file a kind |
//! | [`search`] | the best lines for some words |
//! | [`mod@pointer`] | a value of a JSON text |
//! | [`modes`] | the modes of fetch, one file each |
//! | [`answer`] | what they return, and how it fits its cap |
//! | [`order`] | sorting |
//! | [`settings`] | every setting and where its value comes from |
//! | [`cli`] | the programs: the only place that prints, exits and looks at the environment and the clock |
//!
//! The laws that hold everywhere: nothing of a text is lost, altered or invented; every omission is marked in its
//! place; nothing that is shown can act on a terminal or stand as a handle; memory is bounded by the settings.

pub mod answer;
pub mod batch;
pub mod cli;
pub mod error;
pub mod handle;
pub mod modes;
pub mod order;
pub mod outline;
pub mod pointer;
pub mod preview;
pub mod process;
pub mod rescue;
pub mod search;
pub mod settings;
pub mod store;
pub mod text;
