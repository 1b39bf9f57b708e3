//! A JSON value printed with indentation, or as a tree, within a budget of chars.
//!
//! What fits is printed whole; else strings, arrays and objects are shown by their starts, what is left out counted in
//! place. Numbers stand digit for digit and strings as written, escapes too.

use std::io::{self, Read};

use serde_json::{Map, Number, Value};

use crate::text::json::{Kind, Stop, Tokens, unescape};
use crate::text::show::count;
use crate::text::sketch::{Id, Limits, Sketch};
use crate::text::{clean, cut};

/// How much is shown.
#[derive(Clone, Copy, Debug)]
struct Detail {
    /// Chars of a string or number.
    string: usize,
    /// First and last items of an outer array.
    head: usize,
    tail: usize,
    /// First items of an array in an array.
    inner: usize,
    /// Members of an object.
    keys: usize,
    /// Levels.
    depth: usize,
}

const ALL: Detail =
    Detail { string: usize::MAX, head: usize::MAX, tail: usize::MAX, inner: usize::MAX, keys: usize::MAX, depth: 64 };

/// From rich to poor.
const DETAILS: [Detail; 10] = [
    Detail { string: 2000, head: 20, tail: 2, inner: 20, keys: 200, depth: 16 },
    Detail { string: 1000, head: 10, tail: 2, inner: 10, keys: 100, depth: 10 },
    Detail { string: 400, head: 5, tail: 2, inner: 5, keys: 80, depth: 8 },
    Detail { string: 200, head: 5, tail: 2, inner: 3, keys: 50, depth: 6 },
    Detail { string: 120, head: 4, tail: 1, inner: 2, keys: 32, depth: 5 },
    Detail { string: 80, head: 3, tail: 1, inner: 2, keys: 24, depth: 4 },
    Detail { string: 60, head: 2, tail: 1, inner: 1, keys: 16, depth: 3 },
    Detail { string: 48, head: 1, tail: 1, inner: 1, keys: 10, depth: 2 },
    Detail { string: 36, head: 1, tail: 0, inner: 0, keys: 6, depth: 2 },
    Detail { string: 30, head: 0, tail: 0, inner: 0, keys: 3, depth: 1 },
];

/// A value within a budget.
#[derive(Debug)]
pub struct Sample {
    sketch: Sketch,
    budget: usize,
    /// Where the text broke off inside the value.
    pub stop: Option<Stop>,
}

/// Reads the value that begins where `text` stands: at byte `offset` of the whole text, on line `line`. What is printed
/// of it has at most `budget_chars` chars.
pub fn sample(text: impl Read, offset: u64, line: u64, budget_chars: usize) -> io::Result<Sample> {
    let mut tokens = Tokens::at(text, offset, line);
    let budget = budget_chars.max(40);
    let limits = Limits { inner: budget / 2, ..Limits::for_chars(budget, budget / 2, 2) };
    let sketch = Sketch::read(&mut tokens, limits)?;
    let stop = sketch.stop.clone();
    Ok(Sample { sketch, budget, stop })
}

/// Reads the records of a text with one JSON value a line as the items of an array.
pub fn sample_records(text: impl Read, budget_chars: usize) -> io::Result<Sample> {
    let budget = budget_chars.max(40);
    let limits = Limits { inner: budget / 2, ..Limits::for_chars(budget, budget / 2, 2) };
    let sketch = Sketch::read_records(&mut Tokens::records(text), limits)?;
    Ok(Sample { sketch, budget, stop: None })
}

impl Sample {
    /// Returns the value indented by 2 spaces (without a `\n` at its end), and whether something was left out.
    pub fn pretty(&self) -> (String, bool) {
        let Some(root) = self.sketch.root() else { return (String::new(), true) };
        let print = |detail: Detail| {
            let mut printer = Printer { sketch: &self.sketch, detail, out: String::new(), most: self.budget * 4 };
            printer.value(root, 0);
            (printer.out.chars().count() <= self.budget).then_some(printer.out)
        };
        let whole = self.sketch.complete(root);
        if let Some(out) = Some(ALL).filter(|_| whole).and_then(print) {
            return (out, false);
        }
        match richest(print) {
            Some(out) => (out, true),
            None => {
                let mut out = String::new();
                self.sketch.scalar(root, self.budget, &mut out);
                (cut::start(&out, self.budget).into_owned(), true)
            }
        }
    }

    /// Returns the value as a tree whose JSON has at most the budget's chars, and whether something was left out; marks
    /// such as `"… 12 more items …"` then stand for it.
    pub fn value(&self) -> (Value, bool) {
        let Some(root) = self.sketch.root() else { return (Value::Null, true) };
        let build = |detail: Detail| {
            let value = tree(&self.sketch, root, detail, 0);
            let text = serde_json::to_string(&value).ok()?;
            (text.chars().count() <= self.budget).then_some(value)
        };
        if let Some(value) = Some(ALL).filter(|_| self.sketch.complete(root)).and_then(build) {
            return (value, false);
        }
        (richest(build).unwrap_or(Value::Null), true)
    }
}

/// Returns what the richest detail that fits gives, with as many items as fit then.
fn richest<T>(fits: impl Fn(Detail) -> Option<T>) -> Option<T> {
    let (mut detail, mut best) = DETAILS.into_iter().find_map(|detail| Some((detail, fits(detail)?)))?;
    // Short items leave room for more of them.
    loop {
        detail.head = (detail.head * 3 / 2).max(detail.head + 1);
        match fits(detail) {
            Some(more) if detail.head < 4096 => best = more,
            _ => return Some(best),
        }
    }
}

/// Returns which of an array's or object's kept children are shown: so many from the start, so many from the end.
fn room(sketch: &Sketch, id: Id, detail: Detail, level: usize) -> (usize, usize) {
    let (head, tail) = sketch.kept(id);
    if level >= detail.depth {
        return (0, 0);
    }
    match sketch.kind(id) {
        Kind::ObjectStart => (head.min(detail.keys), 0),
        _ if sketch.columns(id).is_some() => (head.min(detail.head), tail.min(detail.tail)),
        _ => (head.min(detail.inner), 0),
    }
}

/// What stands for children that are left out.
fn more(left: u64, shown: usize, object: bool) -> String {
    let noun = if object { "key" } else { "item" };
    if shown == 0 {
        format!("… {} …", count(left, noun))
    } else {
        format!("… {} …", count(left, &format!("more {noun}")))
    }
}

struct Printer<'a> {
    sketch: &'a Sketch,
    detail: Detail,
    out: String,
    /// The length in bytes from which on nothing can fit.
    most: usize,
}

impl Printer<'_> {
    fn line(&mut self, level: usize) {
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n("  ", level));
    }

    // The kept levels are bounded, so the recursion is.
    fn value(&mut self, id: Id, level: usize) {
        if self.out.len() > self.most {
            return;
        }
        let sketch = self.sketch;
        let (open, close, object) = match sketch.kind(id) {
            Kind::ArrayStart => ('[', ']', false),
            Kind::ObjectStart => ('{', '}', true),
            _ => return sketch.scalar(id, self.detail.string, &mut self.out),
        };
        self.out.push(open);
        let total = sketch.count(id);
        let (head, tail) = room(sketch, id, self.detail, level);
        let left = total - (head + tail) as u64;
        let kept = sketch.kept(id);
        let skip = kept.0 + kept.1 - tail;
        if head + tail == 0 && left > 0 {
            self.out.push_str(&more(left, 0, object));
            self.out.push(close);
            return;
        }
        let mut written = 0u64;
        for (k, child) in sketch.children(id).enumerate() {
            if k >= head && k < skip {
                continue;
            }
            if k >= skip && k >= head && written == head as u64 && left > 0 {
                self.line(level + 1);
                self.out.push_str(&more(left, head + tail, object));
            }
            self.line(level + 1);
            if let Some(key) = sketch.key(child, self.detail.string) {
                self.out.push_str(&key);
                self.out.push_str(": ");
            }
            self.value(child, level + 1);
            written += 1;
            if written < (head + tail) as u64 || (left > 0 && tail == 0) {
                self.out.push(',');
            }
        }
        if left > 0 && tail == 0 {
            self.line(level + 1);
            self.out.push_str(&more(left, head, object));
        }
        if total > 0 {
            self.line(level);
        }
        if sketch.closed(id) {
            self.out.push(close);
        } else {
            self.out.push('…');
        }
    }
}

// The kept levels are bounded, so the recursion is.
fn tree(sketch: &Sketch, id: Id, detail: Detail, level: usize) -> Value {
    match sketch.kind(id) {
        Kind::ArrayStart => {
            let (head, tail) = room(sketch, id, detail, level);
            let left = sketch.count(id) - (head + tail) as u64;
            let kept = sketch.kept(id);
            let child = |child| tree(sketch, child, detail, level + 1);
            let mut items: Vec<Value> = sketch.children(id).take(head).map(child).collect();
            if left > 0 {
                items.push(more(left, head + tail, false).into());
            }
            items.extend(sketch.children(id).skip(kept.0 + kept.1 - tail).map(child));
            Value::Array(items)
        }
        Kind::ObjectStart => {
            let (head, _) = room(sketch, id, detail, level);
            let mut members = Map::new();
            for child in sketch.children(id).take(head) {
                let name = sketch.name(child).unwrap_or_default();
                let name =
                    if name.len() > detail.string { cut::middle(&name, detail.string).into_owned() } else { name };
                members.insert(name, tree(sketch, child, detail, level + 1));
            }
            let left = sketch.count(id) - head as u64;
            if left > 0 {
                members.insert("…".into(), more(left, head, true).into());
            }
            Value::Object(members)
        }
        Kind::Null => Value::Null,
        Kind::Bool => Value::Bool(sketch.whole(id) == Some(b"true")),
        Kind::Number => {
            let whole = sketch.whole(id).filter(|raw| raw.len() <= detail.string);
            let number = whole.and_then(|raw| std::str::from_utf8(raw).ok()?.parse::<Number>().ok());
            number.map_or_else(|| written(sketch, id, detail).into(), Value::Number)
        }
        _ => match sketch.whole(id) {
            Some(raw) if raw.len() <= detail.string => unescape(raw).into(),
            _ => {
                let text = written(sketch, id, detail);
                let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(&text);
                unescape(inner.as_bytes()).into()
            }
        },
    }
}

fn written(sketch: &Sketch, id: Id, detail: Detail) -> String {
    let mut out = String::new();
    sketch.scalar(id, detail.string, &mut out);
    clean::line(out.as_bytes()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pretty(text: &str, budget: usize) -> (String, bool) {
        sample(text.as_bytes(), 0, 0, budget).unwrap().pretty()
    }

    #[test]
    fn what_fits_is_printed_whole_as_written() {
        let text = r#"{"id":12345678901234567890123,"rate":0.1000000000000000055511151231257827,"e":"\u00e9\n","x":[],"y":{},"z":[1,[2,null]]}"#;
        let (out, cut) = pretty(text, 4000);
        assert!(!cut);
        assert_eq!(
            out,
            "{\n  \"id\": 12345678901234567890123,\n  \"rate\": 0.1000000000000000055511151231257827,\n  \"e\": \"\\u00e9\\n\",\n  \"x\": [],\n  \"y\": {},\n  \"z\": [\n    1,\n    [\n      2,\n      null\n    ]\n  ]\n}"
        );
        let (value, cut) = sample(text.as_bytes(), 0, 0, 4000).unwrap().value();
        assert!(!cut);
        assert_eq!(serde_json::to_string(&value).unwrap(), text.replace("\\u00e9", "é"));
    }

    #[test]
    fn long_arrays_are_sampled_with_a_mark() {
        let items: Vec<String> = (0..2000).map(|k| format!("{{\"id\":{k},\"tags\":[\"a\",\"b\"]}}")).collect();
        let text = format!("[{}]", items.join(","));
        let (out, cut) = pretty(&text, 1000);
        assert!(cut && out.chars().count() <= 1000, "{out}");
        assert!(out.contains("\"id\": 0") && out.contains("\"id\": 1999") && out.contains("more items …"), "{out}");
        let (value, cut) = sample(text.as_bytes(), 0, 0, 1000).unwrap().value();
        assert!(cut && serde_json::to_string(&value).unwrap().chars().count() <= 1000);
        let items = value.as_array().unwrap();
        assert_eq!(items.last().unwrap()["id"], 1999);
        assert!(items.iter().any(|v| v.as_str().is_some_and(|s| s.ends_with("more items …"))), "{value}");
    }

    #[test]
    fn hostile_values_stay_within_the_budget() {
        for text in [
            "[".repeat(100_000),
            format!("{}1{}", "{\"a\":".repeat(50_000), "}".repeat(50_000)),
            format!("\"{}\"", "x".repeat(1_000_000)),
            "9".repeat(200_000),
            format!("[{}]", "9".repeat(20_000)),
            format!("{{\"{}\": 1}}", "k".repeat(100_000)),
            format!("[{}]", format!("\"{}\",", "\\u00e9".repeat(20_000)).repeat(5).trim_end_matches(',')),
            format!("{{{}}}", (0..5000).map(|k| format!("\"k{k}\":{k}")).collect::<Vec<_>>().join(",")),
            "[\"\\ud800\", NaN, \"\u{202e}\u{7f}\"]".to_owned(),
        ] {
            for budget in [60, 600, 4000] {
                let sample = sample(text.as_bytes(), 0, 0, budget).unwrap();
                let (out, _) = sample.pretty();
                assert!(!out.is_empty() && out.chars().count() <= budget, "{budget} {}", out.chars().count());
                let (value, _) = sample.value();
                assert!(serde_json::to_string(&value).unwrap().chars().count() <= budget);
            }
        }
    }

    #[test]
    fn records_are_printed_as_an_array() {
        let (out, cut) = sample_records(&b"{\"a\":1}\nnoise\n2\n"[..], 400).unwrap().pretty();
        assert_eq!((out.as_str(), cut), ("[\n  {\n    \"a\": 1\n  },\n  2\n]", false));
    }

    proptest! {
        #[test]
        fn a_value_within_its_budget_comes_back(
            members in proptest::collection::vec(("\\PC{0,5}", proptest::collection::vec(any::<i64>(), 0..4)), 0..5)) {
            let value = Value::Object(members.into_iter().map(|(k, v)| (k, v.into())).collect());
            let text = serde_json::to_string(&value).unwrap();
            let sample = sample(text.as_bytes(), 0, 0, 10_000).unwrap();
            prop_assert_eq!(sample.value(), (value.clone(), false));
            prop_assert!(!sample.pretty().1);
        }
    }
}
