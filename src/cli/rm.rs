//! `toolaria rm ID`: removes stored texts now.

use std::process::ExitCode;

use serde_json::json;

use super::spec::Opts;
use super::{Context, Failure, print, some_ids};
use crate::error::Error;
use crate::store::sweep;

pub(super) fn run(context: &Context, opts: Opts) -> Result<ExitCode, Failure> {
    let ids = some_ids(&opts, "rm")?;
    let settings = context.settings(&opts)?;
    let (store, _) = context.open(&settings)?;
    // All are found before the first is removed. A damaged one can be removed too.
    let mut found = Vec::new();
    for id in &ids {
        found.push(match store.find(id, context.clock) {
            Ok(blob) => blob.id().to_owned(),
            Err(Error::Damaged { id, .. }) => id,
            Err(e) => return Err(e.into()),
        });
    }
    crate::order::by(&mut found, |a, b| a.cmp(b));
    found.dedup();
    for id in &found {
        sweep::remove_blob(&store, id, context.clock)?;
    }
    if opts.json {
        return print(&format!("{}\n", json!({ "removed": found })));
    }
    print(&found.iter().map(|id| format!("removed {id}\n")).collect::<String>())
}
