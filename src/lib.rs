//! toolaria keeps oversized tool results out of an AI agent's context.
#![warn(missing_docs)]

pub mod error;
pub mod outline;
pub mod text;
