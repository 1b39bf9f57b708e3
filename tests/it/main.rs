//! Tests by behaviour, through the real programs, each in a folder and a store of its own.
#![allow(missing_docs)]

mod cli;
mod docs;
mod faults;
mod fetch;
mod filter;
mod sandbox;
mod settings;
mod store;
