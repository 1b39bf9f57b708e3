//! `toolaria sweep`: retention, when asked for.

use std::process::ExitCode;

use serde_json::{Value, json};

use super::spec::Opts;
use super::{Context, Failure, complain, no_words, print, retention};
use crate::store::sweep;
use crate::text::show::{self, ago, count};

pub(super) fn run(context: &Context, opts: Opts) -> Result<ExitCode, Failure> {
    no_words(&opts, "sweep")?;
    let settings = context.settings(&opts)?;
    let (store, _) = context.open(&settings)?;
    let keep = retention(&settings);
    let report = sweep::sweep(&store, &keep, context.clock, opts.dry_run)?;
    if report.over_budget {
        complain(&format!(
            "what must stay takes {}, more than max_store_mb ({})",
            show::bytes(report.kept_bytes),
            show::bytes(keep.max_bytes)
        ));
    }
    if opts.json {
        let removed: Vec<Value> = report
            .removed
            .iter()
            .map(|r| json!({ "id": r.id, "bytes": r.bytes, "why": r.why, "last_used": show::rfc3339(r.last_used) }))
            .collect();
        let value = json!({
            "dry_run": opts.dry_run, "removed": removed, "kept": report.kept, "kept_bytes": report.kept_bytes,
        });
        return print(&format!("{value}\n"));
    }
    let verb = if opts.dry_run { "would sweep" } else { "swept" };
    let mut out = String::new();
    for r in &report.removed {
        let used = ago(r.last_used, context.clock);
        out.push_str(&format!("{verb} {}: {}, {}, last used {used}\n", r.id, r.why, show::bytes(r.bytes)));
    }
    let bytes: u64 = report.removed.iter().map(|r| r.bytes).sum();
    out.push_str(&format!(
        "{verb} {} ({}), {} stay ({})\n",
        count(report.removed.len() as u64, "blob"),
        show::bytes(bytes),
        report.kept,
        show::bytes(report.kept_bytes)
    ));
    print(&out)
}
