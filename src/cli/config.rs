//! `toolaria config`: every setting, its value and where it comes from.

use std::process::ExitCode;

use serde_json::{Map, Value, json};

use super::spec::Opts;
use super::{Context, Failure, config_path, no_words, print};
use crate::settings::{Key, Origin, SETTINGS};

pub(super) fn run(context: &Context, opts: Opts) -> Result<ExitCode, Failure> {
    no_words(&opts, "config")?;
    let settings = context.settings(&opts)?;
    let mut rows = Vec::new();
    for setting in SETTINGS {
        let (value, origin) = settings.get(setting.id, opts.tool.as_deref());
        // The one default that is not in the table: where the store is depends on the home directory.
        let shown = match (setting.id, &origin) {
            (Key::StorePath, Origin::Default) => {
                context.place(&settings).map(|p| p.root.to_string_lossy().into_owned()).unwrap_or_default()
            }
            _ => value.to_string(),
        };
        rows.push((setting.key, value, shown, origin.to_string()));
    }
    if opts.json {
        let object: Map<String, Value> = rows
            .into_iter()
            .map(|(key, value, shown, origin)| {
                let value = if key == "store_path" { json!(shown) } else { value.to_json() };
                (key.to_owned(), json!({ "value": value, "origin": origin }))
            })
            .collect();
        return print(&format!("{}\n", Value::Object(object)));
    }
    let mut out = match config_path() {
        Some(path) if path.exists() => format!("# {}\n", path.display()),
        Some(path) => format!("# {} (not there)\n", path.display()),
        None => "# no home directory, no configuration file\n".to_owned(),
    };
    for (key, _, shown, origin) in rows {
        out.push_str(&format!("{key} = {shown}  # {origin}\n"));
    }
    print(&out)
}
