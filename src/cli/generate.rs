//! `toolaria generate WHAT`: what packages install and the README quotes, from the table.

use std::process::ExitCode;

use super::spec::Opts;
use super::{Context, Failure, complete, man, print, readme, words};

/// What can be generated.
pub(super) const WHAT: &[&str] = &["man", "bash", "zsh", "fish", "readme"];

pub(super) fn run(_: &Context, opts: Opts) -> Result<ExitCode, Failure> {
    match words(&opts).as_slice() {
        [what] if what == "man" => print(&man::page()),
        [what] if what == "bash" => print(&complete::bash()),
        [what] if what == "zsh" => print(&complete::zsh()),
        [what] if what == "fish" => print(&complete::fish()),
        [what] if what == "readme" => print(&readme::options()),
        _ => Err(Failure::Usage(format!("generate needs one of {}", WHAT.join(", ")))),
    }
}
