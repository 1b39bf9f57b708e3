//! toolaria keeps oversized tool results out of an AI agent's context.
#![warn(missing_docs)]

pub mod answer;
pub mod cli;
pub mod error;
pub mod handle;
pub mod modes;
pub mod outline;
pub mod pointer;
pub mod preview;
pub mod rescue;
pub mod search;
pub mod settings;
pub mod store;
pub mod text;
