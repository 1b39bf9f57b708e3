//! `toolaria path ID`: where a stored text is.

use std::process::ExitCode;

use serde_json::json;

use super::spec::Opts;
use super::{Context, Failure, print, some_ids};

pub(super) fn run(context: &Context, opts: Opts) -> Result<ExitCode, Failure> {
    let ids = some_ids(&opts, "path")?;
    let settings = context.settings(&opts)?;
    let (store, _) = context.open(&settings)?;
    let mut paths = Vec::new();
    for id in &ids {
        let blob = store.find(id, context.clock)?;
        blob.renew();
        paths.push((blob.id().to_owned(), blob.path().to_string_lossy().into_owned()));
    }
    if opts.json {
        let all: Vec<_> = paths.iter().map(|(id, path)| json!({ "id": id, "path": path })).collect();
        return print(&format!("{}\n", json!(all)));
    }
    print(&paths.iter().map(|(_, path)| format!("{path}\n")).collect::<String>())
}
