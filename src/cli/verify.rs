//! `toolaria verify`: rehashes what is stored.

use std::process::ExitCode;

use serde_json::{Value, json};

use super::spec::Opts;
use super::{Context, Failure, NOTHING, complain, print, words};
use crate::store::blob::Blob;
use crate::text::show::count;

pub(super) fn run(context: &Context, opts: Opts) -> Result<ExitCode, Failure> {
    let settings = context.settings(&opts)?;
    let (store, _) = context.open(&settings)?;
    let asked = words(&opts);
    let mut ids = if asked.is_empty() { store.ids()? } else { Vec::new() };
    crate::order::by(&mut ids, |a, b| a.cmp(b));
    let (mut good, mut damaged) = (0u64, Vec::new());
    let mut check = |blob: crate::error::Result<Blob>| match blob.and_then(|blob| blob.verify()) {
        Ok(()) => good += 1,
        Err(e) => damaged.push(e.to_string()),
    };
    asked.iter().for_each(|id| check(store.find(id, context.clock)));
    ids.iter().for_each(|id| check(Blob::open(&store, id)));
    let code = if damaged.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(NOTHING) };
    if opts.json {
        let problems: Vec<Value> = damaged.iter().map(|d| json!(d)).collect();
        print(&format!("{}\n", json!({ "good": good, "damaged": problems })))?;
    } else {
        damaged.iter().for_each(|what| complain(what));
        print(&format!("{} good, {} damaged\n", count(good, "blob"), damaged.len()))?;
    }
    Ok(code)
}
