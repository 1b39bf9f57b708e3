//! A value inside a JSON text by its RFC 6901 pointer, found by streaming, and how it is printed within a budget.
//!
//! Of several members with one name the last counts, as in every common reader; reading stops early where none can
//! follow. In NDJSON the records form an array: `/3/level` is the member of record 3. A miss says what there is.

use std::fmt;
use std::io::{self, Read};
use std::ops::Range;

use crate::text::json::{Kind, Stop, Token, Tokens};
use crate::text::show::{count, thousands};
use crate::text::{clean, cut};

mod print;

pub use print::{Sample, sample, sample_records};

/// How a text holds values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One JSON value.
    Value,
    /// One JSON value a line: an array of those lines that are JSON.
    Records,
}

/// Where a value stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its bytes in the text.
    pub span: Range<u64>,
    /// The line it begins on, from 0.
    pub line: u64,
    /// The line it ends on.
    pub last_line: u64,
    /// What it is: [`Kind::ArrayStart`] stands for an array, [`Kind::ObjectStart`] for an object.
    pub kind: Kind,
    /// Items of an array, members of an object, chars of anything else.
    pub count: u64,
    /// Where the text broke off inside the value, or on the way past it.
    pub stop: Option<Stop>,
}

/// Why there is no such value.
#[derive(Debug)]
pub enum Failure {
    /// The text could not be read.
    Read(io::Error),
    /// This is not a pointer, and what one looks like.
    Pointer(String),
    /// The text has no such value, and what it has instead.
    Missing(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Read(error) => write!(f, "cannot read: {error}"),
            Failure::Pointer(why) | Failure::Missing(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Failure {}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Read(error)
    }
}

/// Returns the steps of a pointer, `~1` and `~0` read as `/` and `~`. A missing first `/` is forgiven.
pub fn steps(pointer: &str) -> Result<Vec<String>, Failure> {
    let rest = pointer.strip_prefix('#').unwrap_or(pointer);
    if rest.is_empty() {
        return Ok(Vec::new());
    }
    let rest = rest.strip_prefix('/').unwrap_or(rest);
    let step = |part: &str| {
        let unknown = part.split('~').skip(1).any(|after| !after.starts_with(['0', '1']));
        match unknown {
            true => Err(Failure::Pointer(format!(
                "no JSON pointer: {}; in a key, ~ is written ~0 and / is written ~1, as in /items/3/a~1b",
                clean::line(pointer.as_bytes())
            ))),
            false => Ok(part.replace("~1", "/").replace("~0", "~")),
        }
    };
    rest.split('/').map(step).collect()
}

/// How many near or first keys a miss names.
const NAMED: usize = 6;

/// A container on the way, or the scalar that ends it.
struct Link {
    kind: Kind,
    count: u64,
    open: bool,
    /// Whether the key just read is the one looked for.
    due: bool,
    first: Vec<String>,
    /// Keys like the one looked for, with their likeness.
    near: Vec<(f64, String)>,
}

impl Link {
    fn new(kind: Kind) -> Link {
        Link { kind, count: 0, open: false, due: false, first: Vec::new(), near: Vec::new() }
    }

    fn array(&self) -> bool {
        self.kind == Kind::ArrayStart
    }

    /// Sees a key; `step` is what is looked for.
    fn key(&mut self, token: &Token<'_>, step: &str) {
        self.count += 1;
        self.due = !token.escaped && token.whole && token.raw == step.as_bytes();
        if self.due {
            return;
        }
        let name = token.value();
        self.due = token.whole && name == step;
        if self.due || name.len() > 200 {
            return;
        }
        if self.first.len() < NAMED {
            self.first.push(name.clone().into_owned());
        }
        if name.len().abs_diff(step.len()) <= 12 && step.len() <= 64 {
            let (a, b) = (name.to_lowercase(), step.to_lowercase());
            let inside = a.len().min(b.len()) >= 3 && (a.contains(&b) || b.contains(&a));
            let likeness = strsim::normalized_damerau_levenshtein(&a, &b).max(if inside { 0.7 } else { 0.0 });
            if likeness >= 0.6 {
                self.near.push((likeness, name.into_owned()));
                crate::order::by(&mut self.near, |a, b| b.0.total_cmp(&a.0));
                self.near.truncate(NAMED);
            }
        }
    }
}

/// Finds the value at a pointer.
pub fn find(text: impl Read, pointer: &str, form: Form) -> Result<Found, Failure> {
    let mut walk = Walk { steps: steps(pointer)?, links: Vec::new(), depth: 0, target: None, found: None, stop: None };
    match form {
        Form::Value => {
            let mut tokens = Tokens::new(text);
            while let Some(token) = tokens.next_token()? {
                if walk.token(&token) {
                    break;
                }
            }
            walk.stop = tokens.stop().cloned();
            walk.end(tokens.offset(), tokens.line());
        }
        Form::Records => walk.records(text)?,
    }
    match walk.found.take() {
        Some(mut found) => {
            found.stop = walk.stop.take();
            Ok(found)
        }
        None => Err(Failure::Missing(walk.miss(form))),
    }
}

struct Walk {
    steps: Vec<String>,
    /// What was met on the way: the container that the first `k` steps lead to is at `k`.
    links: Vec<Link>,
    depth: usize,
    /// The value itself while it is open.
    target: Option<Found>,
    found: Option<Found>,
    stop: Option<Stop>,
}

impl Walk {
    fn records(&mut self, text: impl Read) -> io::Result<()> {
        let mut tokens = Tokens::records(text);
        let whole = self.steps.is_empty();
        self.links.push(Link { open: true, ..Link::new(Kind::ArrayStart) });
        self.depth = 1;
        let mut span = None;
        while let Some(record) = tokens.next_record()? {
            if record.fault.is_some() {
                continue;
            }
            if whole {
                let (_, _, to, n) = span.get_or_insert((record.offset, record.line, 0, 0));
                while tokens.next_token()?.is_some() {}
                (*to, *n) = (tokens.offset(), *n + 1);
                continue;
            }
            while let Some(token) = tokens.next_token()? {
                if self.token(&token) {
                    return Ok(());
                }
            }
            if tokens.stop().is_some() {
                // A giant line that broke off: what was open is closed.
                self.end(tokens.offset(), tokens.line());
                self.links.truncate(1);
                self.links[0].open = true;
                self.depth = 1;
            }
        }
        if let Some((from, line, to, n)) = span {
            let last_line = tokens.line();
            self.found = Some(Found { span: from..to, line, last_line, kind: Kind::ArrayStart, count: n, stop: None });
        }
        Ok(())
    }

    /// Sees the next token; returns whether nothing that follows can matter.
    fn token(&mut self, token: &Token<'_>) -> bool {
        let open = self.links.iter().take_while(|link| link.open).count();
        match token.kind {
            Kind::ArrayEnd | Kind::ObjectEnd => {
                self.depth -= 1;
                if self.depth < open {
                    self.links[self.depth].open = false;
                }
                if let Some(mut target) = self.target.take() {
                    if self.depth == open {
                        (target.span.end, target.last_line) = (token.span.end, token.line);
                        self.found = Some(target);
                    } else {
                        self.target = Some(target);
                    }
                }
                return self.settled();
            }
            Kind::Key => {
                if let Some(target) = self.target.as_mut().filter(|_| self.depth == open + 1) {
                    target.count += 1;
                } else if self.depth == open && self.target.is_none() {
                    let step = &self.steps[open - 1];
                    self.links[open - 1].key(token, step);
                }
                return false;
            }
            _ => {}
        }
        let starts = matches!(token.kind, Kind::ArrayStart | Kind::ObjectStart);
        if let Some(target) = &mut self.target {
            if self.depth == open + 1 && target.kind == Kind::ArrayStart {
                target.count += 1;
            }
        } else if self.depth == open && self.leads_on(open) {
            self.found = None;
            self.links.truncate(open);
            if self.steps.len() == open {
                let found = Found {
                    span: token.span.clone(),
                    line: token.line,
                    last_line: token.line,
                    kind: token.kind,
                    count: if starts { 0 } else { token.chars },
                    stop: None,
                };
                if starts {
                    self.target = Some(found);
                } else {
                    self.found = Some(found);
                }
            } else {
                self.links.push(Link { open: starts, count: 0, ..Link::new(token.kind) });
            }
        }
        self.depth += usize::from(starts);
        !starts && self.settled()
    }

    /// Whether the value that comes in the innermost open container of the way is the next step.
    fn leads_on(&mut self, open: usize) -> bool {
        let Some(link) = open.checked_sub(1).and_then(|k| self.links.get_mut(k)) else { return true };
        if !link.array() {
            return std::mem::take(&mut link.due);
        }
        link.count += 1;
        let step = &self.steps[open - 1];
        let plain = step == "0" || !step.starts_with('0');
        plain && step.bytes().all(|b| b.is_ascii_digit()) && step.parse() == Ok(link.count - 1)
    }

    /// Whether the value was found and no later member can take its place.
    fn settled(&self) -> bool {
        self.found.is_some() && self.links.iter().take_while(|link| link.open).all(Link::array)
    }

    /// Takes what of the value was read as the value, if the text broke off in it.
    fn end(&mut self, offset: u64, line: u64) {
        if let Some(mut target) = self.target.take() {
            (target.span.end, target.last_line) = (offset, line);
            self.found = Some(target);
        }
    }

    fn path(&self, steps: usize) -> String {
        let path = self.steps[..steps]
            .iter()
            .fold(String::new(), |path, step| path + "/" + &step.replace('~', "~0").replace('/', "~1"));
        cut::middle(&clean::line(path.as_bytes()), 200).into_owned()
    }

    /// Says what there is instead.
    fn miss(&self, form: Form) -> String {
        let broken = self.stop.as_ref().map(|stop| format!("; reading stopped: {stop}")).unwrap_or_default();
        let wanted = self.path(self.steps.len());
        let Some(link) = self.links.last() else { return format!("no {wanted}: there is no JSON value{broken}") };
        let at = self.links.len() - 1;
        let step = self.steps.get(at).map(String::as_str).unwrap_or_default();
        let here = match (at, form) {
            (0, Form::Value) => "the whole".to_owned(),
            (0, Form::Records) => "the text".to_owned(),
            _ => self.path(at),
        };
        let said = match link.kind {
            Kind::ArrayStart => {
                let what = match (at, form) {
                    (0, Form::Records) => format!("{} as NDJSON", count(link.count, "record")),
                    _ if link.count == 0 => "an empty array".to_owned(),
                    _ => format!("an array of {}", thousands(link.count)),
                };
                let verb = if at == 0 && form == Form::Records { "has" } else { "is" };
                let range = match link.count {
                    0 => String::new(),
                    n if step.parse::<u64>().is_ok() => format!(" (0-{})", n - 1),
                    n => format!(", its steps are the numbers 0-{}", n - 1),
                };
                format!("{here} {verb} {what}{range}")
            }
            Kind::ObjectStart => {
                let names = |names: Vec<&String>| {
                    let names: Vec<_> = names
                        .iter()
                        .map(|name| name.replace('~', "~0").replace('/', "~1"))
                        .map(|name| cut::start(&clean::line(name.as_bytes()), 60).into_owned())
                        .collect();
                    names.join(", ")
                };
                let keys = if !link.near.is_empty() {
                    format!("; near: {}", names(link.near.iter().map(|(_, name)| name).collect()))
                } else if link.count == 0 {
                    String::new()
                } else {
                    let more = if link.count as usize > link.first.len() { ", …" } else { "" };
                    format!(": {}{more}", names(link.first.iter().collect()))
                };
                format!("{here} is an object with {}{keys}", count(link.count, "key"))
            }
            kind => format!("{here} is {}, which has no parts", article(kind)),
        };
        format!("no {wanted}: {said}{broken}")
    }
}

/// Returns what people call a kind of value.
fn article(kind: Kind) -> &'static str {
    match kind {
        Kind::ArrayStart | Kind::ArrayEnd => "an array",
        Kind::ObjectStart | Kind::ObjectEnd => "an object",
        Kind::Key | Kind::String => "a string",
        Kind::Number => "a number",
        Kind::Bool => "a boolean",
        Kind::Null => "null",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at<'a>(text: &'a str, pointer: &str) -> Result<&'a str, String> {
        let found = find(text.as_bytes(), pointer, Form::Value).map_err(|e| e.to_string())?;
        Ok(&text[found.span.start as usize..found.span.end as usize])
    }

    #[test]
    fn every_pointer_of_the_standard_leads_to_its_value() {
        let text = r#"{"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8}"#;
        assert_eq!(at(text, ""), Ok(text));
        for (pointer, value) in [
            ("/foo", "[\"bar\", \"baz\"]"),
            ("/foo/0", "\"bar\""),
            ("/", "0"),
            ("/a~1b", "1"),
            ("/c%d", "2"),
            ("/e^f", "3"),
            ("/g|h", "4"),
            ("/i\\j", "5"),
            ("/k\"l", "6"),
            ("/ ", "7"),
            ("/m~0n", "8"),
            ("foo/1", "\"baz\""),
        ] {
            assert_eq!(at(text, pointer), Ok(value), "{pointer}");
        }
        assert!(at(text, "/m~n").unwrap_err().contains("~0"));
    }

    #[test]
    fn of_several_members_with_one_name_the_last_counts() {
        let text = r#"{"a": {"b": 1, "b": [2]}, "c": 3, "a": {"b": {"d": 4}}}"#;
        assert_eq!(at(text, "/a/b/d"), Ok("4"));
        assert_eq!(at(text, "/a/b"), Ok(r#"{"d": 4}"#));
        assert!(at(r#"{"a": {"b": 1}, "a": {}}"#, "/a/b").unwrap_err().contains("/a is an object with 0 keys"));
        assert!(at(r#"{"a": {"b": 1}, "a": 5}"#, "/a/b").unwrap_err().contains("/a is a number"));
    }

    #[test]
    fn a_miss_says_what_there_is() {
        let items: Vec<String> = (0..3000).map(|k| format!("{{\"name\": \"n{k}\", \"Size\": {k}}}")).collect();
        let text = format!("{{\"items\": [{}], \"none\": []}}", items.join(","));
        for (pointer, said) in [
            ("/items/99999", "no /items/99999: /items is an array of 3,000 (0-2999)"),
            ("/items/x", "no /items/x: /items is an array of 3,000, its steps are the numbers 0-2999"),
            ("/items/01", "no /items/01: /items is an array of 3,000 (0-2999)"),
            ("/none/0", "no /none/0: /none is an empty array"),
            ("/items/7/nmae", "no /items/7/nmae: /items/7 is an object with 2 keys; near: name"),
            ("/items/7/size", "no /items/7/size: /items/7 is an object with 2 keys; near: Size"),
            ("/items/7/name/x", "no /items/7/name/x: /items/7/name is a string, which has no parts"),
            ("/zzz", "no /zzz: the whole is an object with 2 keys: items, none"),
        ] {
            assert_eq!(at(&text, pointer).unwrap_err(), said);
        }
        assert_eq!(
            at(" ", "/a").unwrap_err(),
            "no /a: there is no JSON value; reading stopped: the text ends inside a value (line 0, byte 1)"
        );
    }

    #[test]
    fn records_are_items() {
        let text = "{\"a\": 1}\nnoise\n{\"a\": {\"b\": [1,2,3]}}\n\n{\"a\": 3}";
        let found = find(text.as_bytes(), "/1/a/b", Form::Records).unwrap();
        assert_eq!(
            (found.line, found.count, &text[found.span.start as usize..found.span.end as usize]),
            (2, 3, "[1,2,3]")
        );
        let said = find(text.as_bytes(), "/3", Form::Records).unwrap_err().to_string();
        assert_eq!(said, "no /3: the text has 3 records as NDJSON (0-2)");
        let whole = find(text.as_bytes(), "", Form::Records).unwrap();
        assert_eq!((whole.span, whole.count, whole.last_line), (0..text.len() as u64, 3, 4));
    }

    #[test]
    fn a_value_that_breaks_off_is_found_as_far_as_it_goes() {
        let found = find(&b"{\"a\": [1, 2,\n 3"[..], "/a", Form::Value).unwrap();
        assert_eq!((found.span.start, found.count, found.stop.is_some()), (6, 2, true));
        let said = find(&b"{\"a\": [1, 2"[..], "/b", Form::Value).unwrap_err().to_string();
        assert!(said.contains("reading stopped"), "{said}");
    }

    #[test]
    fn lines_and_counts_are_told() {
        let text = "\u{feff}{\n \"a\": [\n  \"日本\\u00e9\",\n  {}\n ]\n}";
        let found = find(text.as_bytes(), "/a", Form::Value).unwrap();
        assert_eq!((found.line, found.last_line, found.count), (1, 4, 2));
        let found = find(text.as_bytes(), "/a/0", Form::Value).unwrap();
        assert_eq!((found.line, found.kind, found.count), (2, Kind::String, 3));
    }

    proptest! {
        #[test]
        fn pointers_agree_with_a_tree(text in "[\\[\\]{}:,\"ab01 ]{0,40}", steps in proptest::collection::vec("[ab01]{1,2}", 0..4)) {
            let pointer: String = steps.iter().map(|s| format!("/{s}")).collect();
            if let Ok(tree) = serde_json::from_str::<serde_json::Value>(&text) {
                let ours = at(&text, &pointer).ok().map(|v| serde_json::from_str::<serde_json::Value>(v).unwrap());
                prop_assert_eq!(ours.as_ref(), tree.pointer(&pointer));
            } else {
                let _ = at(&text, &pointer);
                let _ = find(text.as_bytes(), &pointer, Form::Records);
            }
        }

        #[test]
        fn no_bytes_panic(text in proptest::collection::vec(
            prop_oneof![Just(b'"'), Just(b'\\'), Just(b'['), Just(b'{'), Just(b','), Just(b':'), Just(b'1'), Just(b'a'), Just(0xFF),
                Just(b'}'), Just(b']'), Just(b'\n'), any::<u8>()], 0..80)) {
            for start in [&b""[..], b"[", b"{\"a\":", b"{\"a\":[\""] {
                let text = [start, &text].concat();
                for form in [Form::Value, Form::Records] {
                    for pointer in ["", "/a", "/0", "/a/1"] {
                        if let Ok(found) = find(&text[..], pointer, form) {
                            prop_assert!(found.span.start <= found.span.end && found.span.end <= text.len() as u64);
                            let span = &text[found.span.start as usize..found.span.end as usize];
                            let sample = sample(span, found.span.start, found.line, 60).unwrap();
                            prop_assert!(sample.pretty().0.chars().count() <= 60);
                            sample.value();
                        }
                    }
                }
                let size = crate::text::measure::size(&text);
                crate::preview::json::body(&text[..], size, 100, 3, 2).unwrap();
                crate::preview::ndjson::body(&text[..], size, 100, 3, 2).unwrap();
                crate::preview::csv::body(&text[..], b',', size, 100, 3, 2).unwrap();
                crate::outline::json::outline(&text[..]).unwrap();
                crate::outline::ndjson::outline(&text[..]).unwrap();
                crate::outline::csv::outline(&text[..], b',').unwrap();
            }
        }

        #[test]
        fn pointers_into_a_tree_find_it(values in proptest::collection::vec(("[ab]", "[cd]", 0..9u8), 1..9)) {
            let members: Vec<String> = values.iter().map(|(a, b, n)| format!("\"{a}\": {{\"{b}\": [{n}, {{\"x\": {n}}}]}}")).collect();
            let text = format!("{{{}}}", members.join(", "));
            let tree: serde_json::Value = serde_json::from_str(&text).unwrap();
            for pointer in ["/a/c/0", "/a/d/1/x", "/b/c", "/b", "/a/c/2", "/b/d/1"] {
                let ours = at(&text, pointer).ok().map(|v| serde_json::from_str::<serde_json::Value>(v).unwrap());
                prop_assert_eq!(ours.as_ref(), tree.pointer(pointer));
            }
        }
    }
}
