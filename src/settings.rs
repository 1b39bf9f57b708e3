//! Every setting: its key, type, default and meaning in one table, and where its value comes from.
//!
//! Order: flag, then the `TOOLARIA_<KEY>` environment variable, then the configuration file (a `tools` entry that
//! fits the tool before the general value), then the preset, then the default. This module is handed the environment and the file's
//! text; it reads neither. A value that cannot be used is told with its place, and the next layer applies.

use std::collections::HashMap;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;

/// The keys of the settings, in the order of [`SETTINGS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is documented in its row of SETTINGS")]
pub enum Key {
    Preset,
    MaxResultChars,
    MaxResultBytes,
    MaxResultLines,
    KeepOut,
    ExcerptMaxChars,
    HeadLines,
    TailLines,
    LineMaxChars,
    SignalLines,
    JsonHeadItems,
    JsonTailItems,
    FetchMaxChars,
    FullFetchMaxChars,
    BatchMaxChars,
    StorePath,
    Session,
    TtlHours,
    HotTtlHours,
    MaxStoreMb,
    TombstoneDays,
    SweepIntervalMinutes,
    MaxBlobMb,
    MinFreeMb,
}

/// What a setting is about; a command takes the flags of the groups it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// When a text is rescued.
    Gate,
    /// What its preview shows.
    Preview,
    /// What answers show.
    Fetch,
    /// What `batch` shows.
    Batch,
    /// Where the store is and whose work goes there.
    Store,
    /// How long and how much it keeps.
    Retention,
    /// How much of one text is stored.
    Limits,
}

/// What values a setting takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// A whole number, at least this.
    Number(u64),
    /// Any text.
    Text,
    /// Names separated by commas.
    List,
    /// The name of one of [`PRESETS`], or nothing.
    Preset,
}

/// A named set of values, which come before the defaults and after everything that was set.
#[derive(Debug)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// Its numbers.
    pub values: &'static [(Key, u64)],
}

/// The presets. `compact` has the values of PiClaw's tool-output system, from its configuration page: results of more
/// than 4096 bytes (`PICLAW_TOOL_OUTPUT_STORE_BYTES`) or 40 lines (`…_STORE_LINES`) are stored, previews show 8 lines
/// (`…_PREVIEW_LINES`) of 200 chars (`…_PREVIEW_LINE_CHARS`), outputs are kept 30 days (`…_RETENTION_MS`, here since
/// their last use) and looked through every 15 minutes (`…_CLEANUP_INTERVAL_MS`). Own choice, as PiClaw has no such
/// things: 4 last lines, 4 signal lines, 2 first items and 1 last of JSON, all within 2400 chars.
pub static PRESETS: &[Preset] = &[Preset {
    name: "compact",
    values: &[
        (Key::MaxResultBytes, 4096),
        (Key::MaxResultLines, 40),
        (Key::ExcerptMaxChars, 2400),
        (Key::HeadLines, 8),
        (Key::TailLines, 4),
        (Key::LineMaxChars, 200),
        (Key::SignalLines, 4),
        (Key::JsonHeadItems, 2),
        (Key::JsonTailItems, 1),
        (Key::TtlHours, 720),
        (Key::HotTtlHours, 720),
        (Key::SweepIntervalMinutes, 15),
    ],
}];

/// One row of the table.
#[derive(Debug)]
pub struct Setting {
    /// Which setting this is.
    pub id: Key,
    /// Its name in the file; the flag is the same with `-`, the variable in capitals after `TOOLARIA_`.
    pub key: &'static str,
    /// What values it takes.
    pub kind: Type,
    /// The unit, as the placeholder in the help.
    pub unit: &'static str,
    /// The default, as it would be typed.
    pub default: &'static str,
    /// What it is about.
    pub group: Group,
    /// One sentence for the help.
    pub about: &'static str,
}

const fn number(
    id: Key,
    key: &'static str,
    (min, unit, default): (u64, &'static str, &'static str),
    group: Group,
    about: &'static str,
) -> Setting {
    Setting { id, key, kind: Type::Number(min), unit, default, group, about }
}

/// The table. Defaults of the thresholds, the preview and the retention are those of the original Toolaria.
pub static SETTINGS: &[Setting] = &[
    Setting {
        id: Key::Preset,
        key: "preset",
        kind: Type::Preset,
        unit: "NAME",
        default: "",
        group: Group::Gate,
        about: "A set of values in the place of the defaults; there is `compact`.",
    },
    number(
        Key::MaxResultChars,
        "max_result_chars",
        (1, "CHARS", "12000"),
        Group::Gate,
        "Rescue a text of more chars than this.",
    ),
    number(
        Key::MaxResultBytes,
        "max_result_bytes",
        (0, "BYTES", "0"),
        Group::Gate,
        "Rescue a text of more bytes than this; 0 is off.",
    ),
    number(
        Key::MaxResultLines,
        "max_result_lines",
        (0, "LINES", "0"),
        Group::Gate,
        "Rescue a text of more lines than this; 0 is off.",
    ),
    Setting {
        id: Key::KeepOut,
        key: "keep_out",
        kind: Type::List,
        unit: "NAMES",
        default: "toolaria-fetch,rescuer_fetch,eval",
        group: Group::Gate,
        about: "Never rescue or store output of these tools or command lines; `*` is a wildcard.",
    },
    number(
        Key::ExcerptMaxChars,
        "excerpt_max_chars",
        (600, "CHARS", "8000"),
        Group::Preview,
        "The most chars of what replaces a text (two thirds of max_result_chars if less).",
    ),
    number(
        Key::HeadLines,
        "head_lines",
        (0, "LINES", "40"),
        Group::Preview,
        "How many of the first lines a preview shows.",
    ),
    number(
        Key::TailLines,
        "tail_lines",
        (0, "LINES", "15"),
        Group::Preview,
        "How many of the last lines a preview shows.",
    ),
    number(
        Key::LineMaxChars,
        "line_max_chars",
        (40, "CHARS", "400"),
        Group::Preview,
        "Cut a longer line of a preview in its middle.",
    ),
    number(
        Key::SignalLines,
        "signal_lines",
        (0, "LINES", "10"),
        Group::Preview,
        "How many lines that look like errors a preview shows; 0 is off.",
    ),
    number(
        Key::JsonHeadItems,
        "json_head_items",
        (0, "ITEMS", "5"),
        Group::Preview,
        "How many of the first items a JSON preview shows.",
    ),
    number(
        Key::JsonTailItems,
        "json_tail_items",
        (0, "ITEMS", "2"),
        Group::Preview,
        "How many of the last items a JSON preview shows.",
    ),
    number(
        Key::FetchMaxChars,
        "fetch_max_chars",
        (600, "CHARS", "4000"),
        Group::Fetch,
        "The most chars of an answer, but for `full`.",
    ),
    number(
        Key::FullFetchMaxChars,
        "full_fetch_max_chars",
        (0, "CHARS", "50000"),
        Group::Fetch,
        "Refuse `full` for a text of more chars than this.",
    ),
    number(
        Key::BatchMaxChars,
        "batch_max_chars",
        (1200, "CHARS", "12000"),
        Group::Batch,
        "The most chars of all that `batch` prints.",
    ),
    Setting {
        id: Key::StorePath,
        key: "store_path",
        kind: Type::Text,
        unit: "DIR",
        default: "",
        group: Group::Store,
        about: "The store; default `$XDG_STATE_HOME/toolaria` or `~/.local/state/toolaria`.",
    },
    Setting {
        id: Key::Session,
        key: "session",
        kind: Type::Text,
        unit: "NAME",
        default: "",
        group: Group::Store,
        about: "The session that a text belongs to, recorded with it.",
    },
    number(
        Key::TtlHours,
        "ttl_hours",
        (1, "HOURS", "72"),
        Group::Retention,
        "Sweep a blob that was not used for this long.",
    ),
    number(
        Key::HotTtlHours,
        "hot_ttl_hours",
        (1, "HOURS", "168"),
        Group::Retention,
        "The same for a hot one, fetched three times or more.",
    ),
    number(
        Key::MaxStoreMb,
        "max_store_mb",
        (1, "MIB", "500"),
        Group::Retention,
        "Past this the least recently used blobs are swept.",
    ),
    number(
        Key::TombstoneDays,
        "tombstone_days",
        (0, "DAYS", "30"),
        Group::Retention,
        "How long it is remembered what a swept id was.",
    ),
    number(
        Key::SweepIntervalMinutes,
        "sweep_interval_minutes",
        (0, "MINUTES", "60"),
        Group::Retention,
        "The least time between two sweeps that nobody asked for.",
    ),
    number(
        Key::MaxBlobMb,
        "max_blob_mb",
        (0, "MIB", "4096"),
        Group::Limits,
        "Store no more than this of one text; 0 is no limit.",
    ),
    number(
        Key::MinFreeMb,
        "min_free_mb",
        (0, "MIB", "512"),
        Group::Limits,
        "Past 64 MiB of a text, stop storing when the disk has less free than this.",
    ),
];

/// Keys of the original Toolaria that are accepted in the file and have another name here.
static RENAMED: &[(&str, Key)] = &[("exclude_tools", Key::KeepOut)];

/// Keys of the original Toolaria that are accepted in the file and have no effect: what they tuned does not exist
/// here, or needs no tuning (see NOTICE).
static WITHOUT_EFFECT: &[&str] = &[
    "error_line_patterns",
    "grep_timeout_ms",
    "grep_max_pattern_len",
    "grep_max_line_len",
    "refuse_full_fetch",
    "search_chunk_chars",
    "search_chunk_overlap_lines",
    "search_max_chunks",
    "search_top_k",
    "search_snippet_chars",
    "embedding_model",
    "passref_enabled",
    "passref_max_chars",
    "passref_total_max_chars",
    "passref_allowed_tools",
    "toolaria_key_file",
    "sensitivity_tool_labels",
    "tombstone_ttl_hours",
    "expand_max_chars",
    "expand_total_max_chars",
    "expand_deny",
    "expand_allow",
];

impl Setting {
    /// Returns the row of a setting.
    pub fn of(key: Key) -> &'static Setting {
        &SETTINGS[key as usize]
    }

    /// Returns the flag, without its dashes.
    pub fn flag(&self) -> String {
        if self.id == Key::StorePath { "store".to_owned() } else { self.key.replace('_', "-") }
    }

    /// Returns the environment variable.
    pub fn variable(&self) -> String {
        format!("TOOLARIA_{}", self.key.to_uppercase())
    }

    /// Reads a value as it is typed; the error completes "KEY must be …".
    pub fn parse(&self, text: &str) -> Result<Value, String> {
        match self.kind {
            Type::Number(min) => match text.trim().parse::<u64>() {
                Ok(n) if n >= min && n <= MOST => Ok(Value::Number(n)),
                _ => Err(self.expected(&format!("{text:?}"))),
            },
            Type::Text => Ok(Value::Text(text.to_owned())),
            Type::List => Ok(Value::List(list(text))),
            Type::Preset if text.is_empty() || PRESETS.iter().any(|p| p.name == text) => {
                Ok(Value::Text(text.to_owned()))
            }
            Type::Preset => Err(self.expected(&format!("{text:?}"))),
        }
    }

    fn expected(&self, got: &str) -> String {
        match self.kind {
            Type::Number(min) => format!("must be a whole number from {min} to {MOST}, not {got}"),
            Type::Text => format!("must be a text, not {got}"),
            Type::List => format!("must be a list of names, not {got}"),
            Type::Preset => {
                let names: Vec<&str> = PRESETS.iter().map(|p| p.name).collect();
                format!("must be one of {}, not {got}", names.join(", "))
            }
        }
    }

    fn default_value(&self) -> Value {
        // A test parses every default; an empty number cannot be in the table.
        self.parse(self.default).unwrap_or(Value::Number(0))
    }
}

/// The largest number a setting takes: as many MiB or hours as still fit 64 bits.
const MOST: u64 = 1 << 40;

fn list(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// The value of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Of [`Type::Number`].
    Number(u64),
    /// Of [`Type::Text`].
    Text(String),
    /// Of [`Type::List`].
    List(Vec<String>),
}

impl Value {
    /// Returns the value as JSON.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Value::Number(n) => (*n).into(),
            Value::Text(text) => text.as_str().into(),
            Value::List(names) => names.clone().into(),
        }
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Number(n) => write!(f, "{n}"),
            Value::Text(text) => f.write_str(text),
            Value::List(names) => f.write_str(&names.join(",")),
        }
    }
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A flag.
    Flag,
    /// This environment variable.
    Environment(String),
    /// This place of the configuration file: `FILE:LINE`.
    File(String),
    /// This preset.
    Preset(&'static str),
    /// The table.
    Default,
    /// A value of another setting that this one's default gives way to.
    Derived(&'static str),
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Origin::Flag => f.write_str("flag"),
            Origin::Environment(name) => write!(f, "environment {name}"),
            Origin::File(place) => write!(f, "file {place}"),
            Origin::Preset(name) => write!(f, "preset {name}"),
            Origin::Default => f.write_str("default"),
            Origin::Derived(from) => write!(f, "from {from}"),
        }
    }
}

/// One layer's entry.
#[derive(Clone, Debug)]
struct Entry {
    key: Key,
    value: Value,
    origin: Origin,
}

/// All layers; what a setting is follows from them and the tool.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    flags: Vec<Entry>,
    environment: Vec<Entry>,
    file: Vec<Entry>,
    by_tool: Vec<(String, Vec<Entry>)>,
    warnings: Vec<String>,
}

impl Settings {
    /// Adds the values of flags; the last one given wins.
    pub fn add_flags(&mut self, flags: Vec<(Key, Value)>) {
        for (key, value) in flags {
            self.flags.push(Entry { key, value, origin: Origin::Flag });
        }
    }

    /// Adds what the environment says. An empty variable is one that is not set.
    pub fn add_environment(&mut self, get: impl Fn(&str) -> Option<String>) {
        for setting in SETTINGS {
            let mut names = vec![setting.variable()];
            if setting.id == Key::StorePath {
                names.push("TOOLARIA_STORE".to_owned());
            }
            for name in names {
                let Some(text) = get(&name).filter(|text| !text.trim().is_empty()) else { continue };
                match setting.parse(&text) {
                    Ok(value) => {
                        self.environment.push(Entry { key: setting.id, value, origin: Origin::Environment(name) });
                    }
                    Err(why) => self.warnings.push(format!("{name} {why}; it is ignored")),
                }
            }
        }
    }

    /// Adds what the configuration file `name` says.
    pub fn add_file(&mut self, name: &str, text: &str) {
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        let parsed = jsonc_parser::parse_to_ast(text, &Default::default(), &Default::default());
        let root = match parsed {
            Ok(parsed) => parsed.value,
            Err(e) => {
                let (line, column) = (e.line_display(), e.column_display());
                self.warnings
                    .push(format!("{name}:{line}:{column}: {}; the file is ignored", lower(&e.kind().to_string())));
                return;
            }
        };
        let mut file = FileReader { name, text, warnings: &mut self.warnings };
        match root {
            None => {}
            Some(ast::Value::Object(root)) => {
                let inner = root.get_object("toolaria");
                let (entries, by_tool) = file.settings(inner.unwrap_or(&root), true);
                self.file.extend(entries);
                self.by_tool.extend(by_tool);
            }
            Some(other) => file.warn(other.start(), "must be an object: { \"max_result_chars\": 12000 }"),
        }
    }

    /// Returns what was wrong with the environment and the file, each in one line.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Returns the value of a setting for a tool, and where it comes from.
    pub fn get(&self, key: Key, tool: Option<&str>) -> (Value, Origin) {
        let (value, origin) = self.layered(key, tool);
        if key == Key::ExcerptMaxChars
            && let Value::Number(max) = self.layered(Key::MaxResultChars, tool).0
            && let Value::Number(excerpt) = value
            && excerpt >= max
        {
            // A replacement that could itself be rescued would go round in circles.
            return (Value::Number((max / 3 * 2).max(600)), Origin::Derived("max_result_chars"));
        }
        (value, origin)
    }

    fn layered(&self, key: Key, tool: Option<&str>) -> (Value, Origin) {
        let last = |layer: &[Entry]| layer.iter().rev().find(|e| e.key == key).cloned();
        let found = last(&self.flags)
            .or_else(|| last(&self.environment))
            .or_else(|| self.for_tool(tool?, key))
            .or_else(|| last(&self.file));
        match found.or_else(|| self.of_preset(key, tool)) {
            Some(entry) => (entry.value, entry.origin),
            None => (Setting::of(key).default_value(), Origin::Default),
        }
    }

    /// Returns what the preset says, if there is one.
    fn of_preset(&self, key: Key, tool: Option<&str>) -> Option<Entry> {
        if key == Key::Preset {
            return None;
        }
        let Value::Text(name) = self.layered(Key::Preset, tool).0 else { return None };
        let preset = PRESETS.iter().find(|p| p.name == name)?;
        let (_, value) = preset.values.iter().find(|(k, _)| *k == key)?;
        Some(Entry { key, value: Value::Number(*value), origin: Origin::Preset(preset.name) })
    }

    /// Returns what the `tools` entry that fits best says: the exact name, else the longest pattern.
    fn for_tool(&self, tool: &str, key: Key) -> Option<Entry> {
        let fits = self.by_tool.iter().filter(|(pattern, _)| matches(pattern, tool));
        let having = fits.filter_map(|(pattern, entries)| {
            let entry = entries.iter().rev().find(|e| e.key == key)?;
            Some((!pattern.contains('*'), pattern.len(), entry))
        });
        having.max_by_key(|(exact, len, _)| (*exact, *len)).map(|(_, _, entry)| entry.clone())
    }

    /// Returns a number.
    pub fn number(&self, key: Key, tool: Option<&str>) -> u64 {
        match self.get(key, tool).0 {
            Value::Number(n) => n,
            _ => 0,
        }
    }

    /// Returns a number that is a count of things in memory.
    pub fn count(&self, key: Key, tool: Option<&str>) -> usize {
        usize::try_from(self.number(key, tool)).unwrap_or(usize::MAX)
    }

    /// Returns a text; `None` if it is empty.
    pub fn text(&self, key: Key, tool: Option<&str>) -> Option<String> {
        match self.get(key, tool).0 {
            Value::Text(text) if !text.is_empty() => Some(text),
            _ => None,
        }
    }

    /// Returns a list.
    pub fn list(&self, key: Key, tool: Option<&str>) -> Vec<String> {
        match self.get(key, tool).0 {
            Value::List(names) => names,
            _ => Vec::new(),
        }
    }

    /// Returns why the values of this tool cannot be used together, and whether flags alone are to blame.
    pub fn conflict(&self, tool: Option<&str>) -> Option<(String, bool)> {
        let (excerpt, from) = self.layered(Key::ExcerptMaxChars, tool);
        let (max, max_from) = self.layered(Key::MaxResultChars, tool);
        let (Value::Number(excerpt), Value::Number(max)) = (excerpt, max) else { return None };
        if excerpt < max || matches!(from, Origin::Default | Origin::Preset(_)) {
            return None;
        }
        let used = self.number(Key::ExcerptMaxChars, tool);
        let both = from == Origin::Flag && matches!(max_from, Origin::Flag | Origin::Default);
        Some((
            format!(
                "excerpt_max_chars {excerpt} ({from}) must be less than max_result_chars {max} ({max_from}); {used} is used"
            ),
            both,
        ))
    }
}

/// Returns whether a name fits a pattern: without regard to case, `*` standing for any run of chars.
pub fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.to_lowercase(), name.to_lowercase());
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut left) = name.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    // The last part must stand at the end, the others in order before it.
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        match left.find(part) {
            Some(at) => left = &left[at + part.len()..],
            None => return false,
        }
    }
    left.len() >= last.len() && left.ends_with(last)
}

/// Returns the name of `known` that was probably meant by `typed`.
pub fn nearest<'a>(typed: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let scored = known.map(|name| (strsim::damerau_levenshtein(typed, name), name));
    let best = scored.min_by_key(|(distance, _)| *distance);
    best.filter(|(distance, name)| *distance <= 1 + name.len().min(typed.len()) / 3).map(|(_, name)| name)
}

fn lower(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|c| c.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

/// Reads entries of the file and collects what is wrong with them.
struct FileReader<'a> {
    name: &'a str,
    text: &'a str,
    warnings: &'a mut Vec<String>,
}

type ByTool = Vec<(String, Vec<Entry>)>;

impl FileReader<'_> {
    /// Returns `LINE:COLUMN` (from 1, as editors count) of a byte offset.
    fn place(&self, at: usize) -> (usize, usize) {
        let before = &self.text[..at.min(self.text.len())];
        let line_start = before.rfind('\n').map_or(0, |n| n + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }

    fn warn(&mut self, at: usize, what: &str) {
        let (line, column) = self.place(at);
        self.warnings.push(format!("{}:{line}:{column}: {what}", self.name));
    }

    fn settings(&mut self, object: &ast::Object<'_>, top: bool) -> (Vec<Entry>, ByTool) {
        let (mut entries, mut by_tool) = (Vec::new(), Vec::new());
        for property in &object.properties {
            let name = property.name.as_str();
            let at = property.name.start();
            if top && name == "tools" {
                let ast::Value::Object(tools) = &property.value else {
                    self.warn(property.value.start(), "tools must be an object of tool names; it is ignored");
                    continue;
                };
                for tool in &tools.properties {
                    match &tool.value {
                        ast::Value::Object(inner) => {
                            by_tool.push((tool.name.as_str().to_owned(), self.settings(inner, false).0));
                        }
                        other => self.warn(other.start(), "the settings of a tool must be an object; it is ignored"),
                    }
                }
                continue;
            }
            let setting = SETTINGS.iter().find(|s| s.key == name);
            let renamed = RENAMED.iter().find(|(old, _)| *old == name).map(|(_, key)| Setting::of(*key));
            let Some(setting) = setting.or(renamed) else {
                if !WITHOUT_EFFECT.contains(&name) {
                    let near = nearest(name, SETTINGS.iter().map(|s| s.key).chain(["tools"]));
                    let hint = near.map(|n| format!("; did you mean {n}?")).unwrap_or_default();
                    self.warn(at, &format!("unknown setting {name:?}{hint}"));
                }
                continue;
            };
            match read_value(setting, &property.value) {
                Ok(mut value) => {
                    // The original's list adds to the tools that are always kept out.
                    if let (Some(_), Value::List(names)) = (renamed, &mut value) {
                        names.extend(list(setting.default));
                    }
                    let (line, _) = self.place(at);
                    let origin = Origin::File(format!("{}:{line}", self.name));
                    entries.push(Entry { key: setting.id, value, origin });
                }
                Err(got) => {
                    let what = format!("{name} {}; the default applies", setting.expected(&got));
                    self.warn(property.value.start(), &what);
                }
            }
        }
        (entries, by_tool)
    }
}

/// Reads a value of the file; the error is what stands there instead.
fn read_value(setting: &Setting, value: &ast::Value<'_>) -> Result<Value, String> {
    match (setting.kind, value) {
        (Type::Number(_), ast::Value::NumberLit(n)) => setting.parse(n.value).map_err(|_| n.value.to_string()),
        (Type::Text, ast::Value::StringLit(text)) => Ok(Value::Text(text.value.to_string())),
        (Type::Preset, ast::Value::StringLit(text)) => {
            setting.parse(&text.value).map_err(|_| format!("the text {:?}", text.value))
        }
        (Type::List, ast::Value::StringLit(text)) => Ok(Value::List(list(&text.value))),
        (Type::List, ast::Value::Array(array)) => {
            let names = array.elements.iter().map(|e| e.as_string_lit().map(|s| s.value.to_string()));
            names
                .collect::<Option<Vec<_>>>()
                .map(Value::List)
                .ok_or_else(|| "a list with other things in it".to_owned())
        }
        (_, ast::Value::StringLit(text)) => Err(format!("the text {:?}", text.value)),
        (_, ast::Value::NumberLit(n)) => Err(format!("the number {}", n.value)),
        (_, ast::Value::BooleanLit(b)) => Err(b.value.to_string()),
        (_, ast::Value::Object(_)) => Err("an object".to_owned()),
        (_, ast::Value::Array(_)) => Err("a list".to_owned()),
        (_, ast::Value::NullKeyword(_)) => Err("null".to_owned()),
    }
}

/// An environment that is a map, for callers that do not have a real one.
pub fn from_map(map: &HashMap<String, String>) -> impl Fn(&str) -> Option<String> + '_ {
    |name| map.get(name).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> Settings {
        let mut settings = Settings::default();
        settings.add_file("config.jsonc", text);
        settings
    }

    #[test]
    fn the_table_is_in_order_and_every_default_parses() {
        for (k, setting) in SETTINGS.iter().enumerate() {
            assert_eq!(setting.id as usize, k, "{}", setting.key);
            assert!(setting.parse(setting.default).is_ok(), "{}", setting.key);
            assert!(setting.about.ends_with('.') && setting.about.len() <= 90, "{}", setting.about);
        }
    }

    #[test]
    fn layers_apply_in_order_and_say_where_they_come_from() {
        let mut settings = file("{\n  \"head_lines\": 7,\n  \"tools\": {\"mcp__*\": {\"head_lines\": 3}}\n}");
        assert_eq!(settings.get(Key::HeadLines, None), (Value::Number(7), Origin::File("config.jsonc:2".into())));
        assert_eq!(settings.number(Key::HeadLines, Some("mcp__github__x")), 3);
        assert_eq!(settings.get(Key::TailLines, None), (Value::Number(15), Origin::Default));
        let env = HashMap::from([("TOOLARIA_HEAD_LINES".to_owned(), "5".to_owned())]);
        settings.add_environment(from_map(&env));
        assert_eq!(settings.number(Key::HeadLines, Some("mcp__x")), 5);
        settings.add_flags(vec![(Key::HeadLines, Value::Number(1)), (Key::HeadLines, Value::Number(2))]);
        assert_eq!(settings.get(Key::HeadLines, None), (Value::Number(2), Origin::Flag));
    }

    #[test]
    fn wrong_values_are_told_with_their_place() {
        for (value, words) in [
            ("\"12000\"", "the text \"12000\""),
            ("true", "not true"),
            ("-1", "not -1"),
            ("1e9", "not 1e9"),
            ("12.5", "not 12.5"),
            ("null", "not null"),
        ] {
            let settings = file(&format!("{{\n  // mine\n  \"max_result_chars\": {value},\n}}"));
            let [warning] = settings.warnings() else { panic!("{value}: {:?}", settings.warnings()) };
            assert!(warning.starts_with("config.jsonc:3:23: max_result_chars must be a whole number"), "{warning}");
            assert!(warning.contains(words), "{warning}");
            assert_eq!(settings.number(Key::MaxResultChars, None), 12_000);
        }
    }

    #[test]
    fn an_unknown_key_names_the_near_one() {
        let settings = file("{\"max_result_char\": 1}");
        assert_eq!(
            settings.warnings(),
            ["config.jsonc:1:2: unknown setting \"max_result_char\"; did you mean max_result_chars?"]
        );
    }

    #[test]
    fn the_seeds_file_is_accepted() {
        let settings = file(
            "// toolaria\n{ \"toolaria\": { \"max_result_chars\": 2000, /* low */ \"exclude_tools\": [\"mine\"], \
             \"grep_timeout_ms\": 500, \"ttl_hours\": 72, }, }",
        );
        assert_eq!(settings.warnings(), [""; 0]);
        assert_eq!(settings.number(Key::MaxResultChars, None), 2000);
        assert_eq!(settings.list(Key::KeepOut, None), ["mine", "toolaria-fetch", "rescuer_fetch", "eval"]);
    }

    #[test]
    fn a_broken_file_is_told_with_its_place() {
        let settings = file("{ \"max_result_chars\": \"many\", // oops\n");
        assert_eq!(settings.warnings().len(), 1, "{:?}", settings.warnings());
        assert!(settings.warnings()[0].starts_with("config.jsonc:"), "{:?}", settings.warnings());
    }

    #[test]
    fn a_preset_comes_after_all_that_was_set_and_before_the_defaults() {
        let mut settings = file("{\"preset\": \"compact\", \"head_lines\": 3}");
        assert_eq!(settings.get(Key::MaxResultLines, None), (Value::Number(40), Origin::Preset("compact")));
        assert_eq!(settings.get(Key::MaxResultLines, None).1.to_string(), "preset compact");
        assert_eq!(settings.number(Key::HeadLines, None), 3);
        assert_eq!(settings.get(Key::MaxStoreMb, None).1, Origin::Default);
        settings.add_flags(vec![(Key::MaxResultLines, Value::Number(0)), (Key::MaxResultChars, Value::Number(2000))]);
        assert_eq!(settings.number(Key::MaxResultLines, None), 0);
        assert_eq!((settings.number(Key::ExcerptMaxChars, None), settings.conflict(None)), (1332, None));
        let wrong = file("{\"preset\": \"tiny\"}");
        assert!(wrong.warnings()[0].contains("preset must be one of compact, not the text \"tiny\""));
        assert!(PRESETS.iter().flat_map(|p| p.values).all(|(key, n)| Setting::of(*key).parse(&n.to_string()).is_ok()));
    }

    #[test]
    fn a_preset_can_be_that_of_one_tool() {
        let settings = file("{\"tools\": {\"bash\": {\"preset\": \"compact\"}}}");
        assert_eq!(settings.number(Key::HeadLines, Some("bash")), 8);
        assert_eq!(settings.number(Key::HeadLines, Some("other")), 40);
    }

    #[test]
    fn an_excerpt_that_could_be_rescued_gives_way() {
        let mut settings = Settings::default();
        settings.add_flags(vec![(Key::MaxResultChars, Value::Number(3000))]);
        assert_eq!(settings.number(Key::ExcerptMaxChars, None), 2000);
        assert_eq!(settings.conflict(None), None);
        settings.add_flags(vec![(Key::ExcerptMaxChars, Value::Number(3000))]);
        assert!(settings.conflict(None).is_some_and(|(_, usage)| usage));
    }

    #[test]
    fn patterns_match_names_without_regard_to_case() {
        for (pattern, name, fits) in [
            ("eval", "EVAL", true),
            ("eval", "evals", false),
            ("mcp__*", "mcp__github__x", true),
            ("*fetch", "toolaria-fetch", true),
            ("a*b*c", "aXbYc", true),
            ("a*b*c", "acb", false),
            ("*", "", true),
            ("aws secretsmanager *", "aws secretsmanager get x", true),
            ("ab*ba", "aba", false),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        }
    }
}
