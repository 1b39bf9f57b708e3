//! `toolaria recover`: publishes what killed processes left.

use std::process::ExitCode;

use serde_json::{Value, json};

use super::spec::Opts;
use super::{Context, ERROR, Failure, NOTHING, complain, no_words, print};
use crate::store::{Store, recover};
use crate::text::show::count;

pub(super) fn run(context: &Context, opts: Opts) -> Result<ExitCode, Failure> {
    no_words(&opts, "recover")?;
    let settings = context.settings(&opts)?;
    let place = context.place(&settings)?;
    let store = Store::create(&place.root)?;
    let (mut done, mut failed) = (Vec::new(), false);
    for orphan in recover::orphans(&store) {
        match recover::recover(&store, &orphan, context.now) {
            Ok(Some(meta)) => done.push(meta),
            Ok(None) => {}
            Err(e) => {
                failed = true;
                complain(&e.to_string());
            }
        }
    }
    let code = if failed { ERROR } else { u8::from(done.is_empty()) * NOTHING };
    if opts.json {
        let all: Vec<Value> = done.iter().map(|m| json!({ "id": m.id, "bytes": m.size.bytes })).collect();
        print(&format!("{}\n", Value::Array(all)))?;
    } else if done.is_empty() {
        print("nothing to recover\n")?;
    } else {
        let line = |m: &crate::store::meta::Meta| {
            format!(
                "{}: {}, {} of tool={}, PARTIAL\n",
                m.id,
                count(m.size.bytes, "byte"),
                count(m.size.lines, "line"),
                m.source.tool
            )
        };
        print(&done.iter().map(line).collect::<String>())?;
    }
    Ok(ExitCode::from(code))
}
