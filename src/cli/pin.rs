//! `toolaria pin ID` and `toolaria unpin ID`.

use std::process::ExitCode;

use serde_json::json;

use super::spec::Opts;
use super::{Context, Failure, print, some_ids};

pub(super) fn pin(context: &Context, opts: Opts) -> Result<ExitCode, Failure> {
    set(context, opts, true)
}

pub(super) fn unpin(context: &Context, opts: Opts) -> Result<ExitCode, Failure> {
    set(context, opts, false)
}

fn set(context: &Context, opts: Opts, pinned: bool) -> Result<ExitCode, Failure> {
    let name = if pinned { "pin" } else { "unpin" };
    let ids = some_ids(&opts, name)?;
    let settings = context.settings(&opts)?;
    let (store, _) = context.open(&settings)?;
    let blobs: Vec<_> = ids.iter().map(|id| store.find(id, context.clock)).collect::<Result<_, _>>()?;
    for blob in &blobs {
        blob.set_pinned(pinned)?;
        blob.renew();
    }
    let ids: Vec<&str> = blobs.iter().map(|blob| blob.id()).collect();
    if opts.json {
        return print(&format!("{}\n", json!({ "ids": ids, "pinned": pinned })));
    }
    print(&ids.iter().map(|id| format!("{name}ned {id}\n")).collect::<String>())
}
