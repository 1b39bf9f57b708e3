//! Tests by behaviour, through the real programs, each in a folder and a store of its own.
#![allow(missing_docs)]
#![allow(clippy::disallowed_methods, reason = "tests look at the world")]

mod cli;
mod docs;
mod faults;
mod fetch;
mod filter;
mod layers;
mod run;
mod sandbox;
mod settings;
mod store;
mod types;
