//! The preview of a JSON value: its shape, its first and its last items, one a line.
//!
//! A [`Sketch`] keeps more than can be shown; it is laid out in ever less detail until it fits the budget. Members of
//! objects outside arrays stand one a line, the items of outer arrays too; everything else is compact. Whatever is left
//! out is counted in place, tokens stay whole.

use std::io::{self, Read};

use super::Body;
use crate::text::json::{Kind, Tokens};
use crate::text::measure::Size;
use crate::text::show::{count, thousands};
use crate::text::sketch::{Id, Limits, Sketch};
use crate::text::{clean, cut};

/// How much of a value is shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Detail {
    /// Chars of a string or number.
    pub(crate) string: usize,
    /// Items of an array inside a line.
    pub(crate) inner: usize,
    /// Members of an object inside a line.
    pub(crate) keys: usize,
    /// Levels inside a line.
    pub(crate) depth: usize,
    /// Chars of a line.
    pub(crate) line: usize,
    /// Members of the root that have a line each, if they are so many.
    members: usize,
    /// Members of any other object that has a line for each.
    below: usize,
    /// Levels of objects that have a line for each member.
    expand: usize,
    /// Items that look like failures, between the first and the last ones.
    pub(crate) failures: usize,
}

impl Detail {
    /// Returns what an item is shown in that tells more than its neighbours.
    pub(crate) fn richer(self) -> Detail {
        Detail { string: self.string * 2, line: self.line * 2, ..self }
    }
}

/// From rich to poor.
pub(crate) const DETAILS: [Detail; 11] = [
    Detail { string: 400, inner: 4, keys: 64, depth: 12, line: 1200, members: 120, below: 60, expand: 4, failures: 3 },
    Detail { string: 240, inner: 4, keys: 48, depth: 8, line: 800, members: 100, below: 40, expand: 3, failures: 3 },
    Detail { string: 160, inner: 3, keys: 40, depth: 6, line: 500, members: 80, below: 24, expand: 3, failures: 3 },
    Detail { string: 120, inner: 3, keys: 32, depth: 5, line: 360, members: 60, below: 16, expand: 2, failures: 3 },
    Detail { string: 80, inner: 2, keys: 24, depth: 4, line: 240, members: 48, below: 12, expand: 2, failures: 2 },
    Detail { string: 60, inner: 2, keys: 16, depth: 3, line: 180, members: 40, below: 8, expand: 2, failures: 2 },
    Detail { string: 48, inner: 1, keys: 12, depth: 3, line: 140, members: 32, below: 6, expand: 1, failures: 1 },
    Detail { string: 40, inner: 1, keys: 8, depth: 2, line: 100, members: 24, below: 4, expand: 1, failures: 1 },
    Detail { string: 36, inner: 0, keys: 5, depth: 2, line: 80, members: 16, below: 3, expand: 1, failures: 1 },
    Detail { string: 32, inner: 0, keys: 3, depth: 1, line: 70, members: 8, below: 2, expand: 1, failures: 0 },
    Detail { string: 28, inner: 0, keys: 0, depth: 1, line: 60, members: 5, below: 0, expand: 1, failures: 0 },
];

/// The widest value that is written on one line though it could have several, in chars.
const NARROW: usize = 100;

/// Returns the preview of a JSON value in at most `budget_chars` chars (each line counting one for its end), or `None`
/// if so little of the text is JSON, or so little fits, that its first and last lines tell more.
pub fn body(
    text: impl Read,
    size: Size,
    budget_chars: usize,
    head_items: usize,
    tail_items: usize,
) -> io::Result<Option<Body>> {
    let mut tokens = Tokens::new(text);
    let limits = Limits::for_chars(budget_chars, head_items.clamp(1, 1000), tail_items.min(1000));
    let mut sketch = Sketch::read(&mut tokens, limits)?;
    sketch.trailing = tokens.trailing()?;
    let Some(root) = sketch.root() else { return Ok(None) };
    // A value with much text after it, or broken off early by what is not JSON, is better seen by its lines.
    let read = sketch.trailing.as_ref().map_or(sketch.read, |trailing| trailing.offset);
    let broken = sketch.stop.as_ref().is_some_and(|stop| !stop.fault.ends()) || sketch.trailing.is_some();
    if broken && read < size.bytes / 2 {
        return Ok(None);
    }
    let scalar = !matches!(sketch.kind(root), Kind::ArrayStart | Kind::ObjectStart);
    if scalar && (broken || sketch.stop.is_some()) {
        return Ok(None);
    }
    let mut shown = (head_items, tail_items);
    for detail in DETAILS {
        if let Some(body) = lay_out(&sketch, root, detail, shown, budget_chars) {
            return Ok(Some(body));
        }
    }
    let poor = DETAILS[DETAILS.len() - 2];
    while shown.0 > 1 || shown.1 > 0 {
        shown = (shown.0.div_ceil(2), shown.1 / 2);
        if let Some(body) = lay_out(&sketch, root, poor, shown, budget_chars) {
            return Ok(Some(body));
        }
        if shown == (1, 0) {
            break;
        }
    }
    Ok(lay_out(&sketch, root, DETAILS[DETAILS.len() - 1], (1, 0), budget_chars))
}

fn lay_out(sketch: &Sketch, root: Id, detail: Detail, shown: (usize, usize), budget: usize) -> Option<Body> {
    let mut layout = Layout { sketch, detail, shown, budget, lines: Vec::new(), chars: 0, items: None };
    let shape = shape(sketch, root, detail.line.max(120));
    if !shape.is_empty() {
        layout.line(shape)?;
    }
    layout.block(root, 0, String::new(), "")?;
    if let Some(stop) = &sketch.stop {
        layout.line(format!("[... reading stops here: {stop} ...]"))?;
    }
    if let Some(trailing) = &sketch.trailing {
        let start = clean::line(&trailing.start).into_owned();
        let start = cut::middle(&start, detail.line.min(200));
        layout.line(format!("[... the JSON value ends; more text from line {}: {start}]", trailing.line))?;
    }
    let whole = layout.lines.iter().all(|line| !line.contains('…') && !line.contains("omitted"));
    let label = match (layout.items, sketch.kind(root)) {
        (Some((head, tail, total)), _) if (head + tail) as u64 >= total => match whole {
            true => format!("all {}", count(total, "item")),
            false if total == 1 => "the 1 item, shortened".to_owned(),
            false => format!("all {}, shortened", count(total, "item")),
        },
        (Some((head, 0, total)), _) => format!("first {head} of {}", count(total, "item")),
        (Some((head, tail, total)), _) => format!("first {head} / last {tail} of {}", count(total, "item")),
        (None, Kind::ArrayStart) => format!("a JSON array of {}", count(sketch.count(root), "item")),
        (None, Kind::ObjectStart) => format!("a JSON object with {}", count(sketch.count(root), "key")),
        (None, Kind::String) => format!("a JSON string of {}", count(sketch.chars(root), "char")),
        (None, Kind::Number) => format!("a JSON number of {}", count(sketch.chars(root), "char")),
        (None, _) => "a JSON value".to_owned(),
    };
    Some(Body { label, lines: layout.lines })
}

/// Returns a line that says what the value is as a whole.
fn shape(sketch: &Sketch, root: Id, max: usize) -> String {
    let deep = match sketch.deepest {
        0..30 => String::new(),
        deep => format!(", {} deep", count(deep, "level")),
    };
    match sketch.kind(root) {
        Kind::ArrayStart => format!("[array of {}{deep}]", items(sketch, root, max)),
        Kind::ObjectStart if !deep.is_empty() => format!("[object with {}{deep}]", count(sketch.count(root), "key")),
        _ => String::new(),
    }
}

/// Returns what the items of an outer array are: `2,000 objects: id, user, amount, refund (in 3)`.
fn items(sketch: &Sketch, array: Id, max: usize) -> String {
    let total = sketch.count(array);
    match sketch.columns(array) {
        Some(columns) if columns.objects == total && total > 0 => {
            let what = format!("{}{}", count(total, "object"), columns.failing());
            let names = columns.names(max.saturating_sub(what.len() + 12));
            if names.is_empty() { what } else { format!("{what}: {names}") }
        }
        Some(columns) if columns.arrays == total && total > 0 => count(total, "array"),
        Some(columns) if columns.objects > 0 => {
            format!(
                "{}, {} of them objects: {}",
                count(total, "item"),
                thousands(columns.objects),
                columns.names(max.saturating_sub(50))
            )
        }
        _ => count(total, "item"),
    }
}

struct Layout<'a> {
    sketch: &'a Sketch,
    detail: Detail,
    /// How many first and last items of an outer array are shown.
    shown: (usize, usize),
    budget: usize,
    lines: Vec<String>,
    chars: usize,
    /// First, last and all items of the longest outer array.
    items: Option<(usize, usize, u64)>,
}

impl Layout<'_> {
    /// Adds a line; `None` if it does not fit.
    fn line(&mut self, line: String) -> Option<()> {
        let line = match clean::line(line.as_bytes()) {
            std::borrow::Cow::Borrowed(_) => line,
            std::borrow::Cow::Owned(clean) => clean,
        };
        self.chars += line.chars().count() + 1;
        self.lines.push(line);
        (self.chars <= self.budget).then_some(())
    }

    /// Writes a value on one or more lines; `lead` stands before it (its key), `after` behind it (a comma).
    fn block(&mut self, id: Id, level: usize, lead: String, after: &str) -> Option<()> {
        let pad = "  ".repeat(level);
        let sketch = self.sketch;
        let kind = sketch.kind(id);
        let (head, tail) = sketch.kept(id);
        // Outer arrays are reached through objects only, so a sketch knows their columns.
        let outer = kind == Kind::ArrayStart && sketch.columns(id).is_some();
        let expands = match kind {
            Kind::ArrayStart => outer && head + tail > 0,
            Kind::ObjectStart => level < self.detail.expand && head > 0,
            _ => false,
        };
        if !expands || (level > 0 && self.narrow(id)) {
            let mut line = format!("{pad}{lead}");
            compact(sketch, id, self.detail, &mut line);
            line.push_str(after);
            return self.line(line);
        }
        if kind == Kind::ArrayStart {
            return self.array(id, &pad, lead, after);
        }
        self.line(format!("{pad}{lead}{{"))?;
        let total = sketch.count(id);
        let shown = head.min(if level == 0 { self.detail.members } else { self.detail.below });
        for (k, child) in sketch.children(id).take(shown).enumerate() {
            let key = sketch.key(child, self.detail.string).unwrap_or_default();
            let comma = if k as u64 + 1 < total { "," } else { "" };
            self.block(child, level + 1, format!("{key}: "), comma)?;
        }
        if total > shown as u64 {
            let left = total - shown as u64;
            self.line(format!("{pad}  [... {} omitted ...]", count(left, "more key")))?;
        }
        if sketch.closed(id) { self.line(format!("{pad}}}{after}")) } else { Some(()) }
    }

    /// Writes the first and last items of an outer array, one a line.
    fn array(&mut self, id: Id, pad: &str, lead: String, after: &str) -> Option<()> {
        let sketch = self.sketch;
        let total = sketch.count(id);
        let (kept_head, kept_tail) = sketch.kept(id);
        let (head, tail) = (kept_head.min(self.shown.0), kept_tail.min(self.shown.1));
        if self.items.is_none_or(|(_, _, most)| total > most) {
            self.items = Some((head, tail, total));
        }
        let what = if pad.is_empty() && lead.is_empty() {
            String::new()
        } else {
            format!("  [{}]", items(sketch, id, self.detail.line.min(300)))
        };
        self.line(format!("{pad}{lead}[{what}"))?;
        // The first items, those that look like failures, the last ones: whatever lies between is told by its numbers.
        let last = total - tail as u64;
        let mut rows: Vec<(u64, &Sketch, Id)> = Vec::new();
        rows.extend(sketch.children(id).take(head).enumerate().map(|(k, child)| (k as u64, sketch, child)));
        let failures = sketch.columns(id).map_or(&[][..], |columns| &columns.kept[..]);
        let between = failures.iter().filter(|item| item.index >= head as u64 && item.index < last);
        rows.extend(
            between.take(self.detail.failures).filter_map(|item| Some((item.index, &item.sketch, item.sketch.root()?))),
        );
        let tails = sketch.children(id).skip(kept_head + kept_tail - tail).enumerate();
        rows.extend(tails.map(|(k, child)| (last + k as u64, sketch, child)));
        let mut due = 0;
        for (place, sketch, child) in rows {
            self.gap(pad, due, place)?;
            due = place + 1;
            let mut line = format!("{pad}  ");
            let failure = (head as u64..last).contains(&place);
            compact(sketch, child, if failure { self.detail.richer() } else { self.detail }, &mut line);
            if place + 1 < total {
                line.push(',');
            }
            self.line(line)?;
        }
        self.gap(pad, due, total)?;
        if sketch.closed(id) { self.line(format!("{pad}]{after}")) } else { Some(()) }
    }

    /// Marks the items from `from` up to `to` as left out, if there are any.
    fn gap(&mut self, pad: &str, from: u64, to: u64) -> Option<()> {
        if from >= to {
            return Some(());
        }
        let which = if from + 1 == to { format!("item {from}") } else { format!("items {from}-{}", to - 1) };
        self.line(format!("{pad}  [... {which} omitted ({}) ...]", count(to - from, "item")))
    }

    /// Whether a value is whole and short enough for one line.
    fn narrow(&self, id: Id) -> bool {
        if self.sketch.count(id) > 40 || !self.sketch.complete(id) {
            return false;
        }
        let mut line = String::new();
        let all = Detail { string: NARROW, inner: NARROW, keys: NARROW, depth: 8, line: NARROW + 1, ..self.detail };
        compact(self.sketch, id, all, &mut line);
        line.chars().count() <= NARROW && !line.contains('…')
    }
}

/// Writes a value on one line without spaces, in about `detail.line` chars; what does not fit is counted in place.
pub(crate) fn compact(sketch: &Sketch, id: Id, detail: Detail, out: &mut String) {
    let start = out.len();
    Compact { sketch, detail }.write(id, 0, start + detail.line, out);
    // Members are dropped before they are written; only long keys can still be too much.
    let written = &out[start..];
    if written.len() > detail.line * 2 && written.chars().count() > detail.line * 2 {
        let short = cut::middle(written, detail.line).into_owned();
        out.truncate(start);
        out.push_str(&short);
    }
}

/// Returns how much of a line a member deserves: more if it says in words what happened.
fn weight(sketch: &Sketch, id: Id) -> usize {
    const WORDS: [&str; 14] = [
        "message",
        "msg",
        "error",
        "err",
        "errors",
        "rendered",
        "reason",
        "detail",
        "details",
        "exception",
        "text",
        "summary",
        "stderr",
        "title",
    ];
    let name = sketch.name(id).unwrap_or_default().to_ascii_lowercase();
    if WORDS.contains(&name.as_str()) { 6 } else { 1 }
}

struct Compact<'a> {
    sketch: &'a Sketch,
    detail: Detail,
}

impl Compact<'_> {
    /// Writes a value; from `most` bytes in the line on only counts are written. The kept levels are bounded, so the
    /// recursion is.
    fn write(&self, id: Id, level: usize, most: usize, out: &mut String) {
        let (sketch, detail) = (self.sketch, self.detail);
        let (open, close, noun, room) = match sketch.kind(id) {
            Kind::ArrayStart => ('[', ']', "item", detail.inner),
            Kind::ObjectStart => ('{', '}', "key", detail.keys),
            _ => {
                let left = most.saturating_sub(out.len()).max(28);
                return sketch.scalar(id, detail.string.min(left), out);
            }
        };
        out.push(open);
        let total = sketch.count(id);
        let room = if level >= detail.depth { 0 } else { room.min(sketch.kept(id).0) };
        let weights: Vec<usize> = sketch.children(id).take(room).map(|child| weight(sketch, child)).collect();
        let mut due: usize = weights.iter().sum();
        let mut shown = 0;
        for child in sketch.children(id).take(room) {
            if (shown > 0 || level > 0) && out.len() >= most {
                break;
            }
            if shown > 0 {
                out.push(',');
            }
            if let Some(key) = sketch.key(child, detail.string.min(60)) {
                out.push_str(&key);
                out.push(':');
            }
            // Each gets its share of what is left, and what the ones before did not need.
            let share = most.saturating_sub(out.len()) * weights[shown as usize] / due.max(1);
            due -= weights[shown as usize];
            self.write(child, level + 1, out.len() + share, out);
            shown += 1;
        }
        if total > shown {
            let left = total - shown;
            match shown {
                0 => out.push_str(&format!("… {}", count(left, noun))),
                _ => out.push_str(&format!(", … {}", count(left, &format!("more {noun}")))),
            }
        }
        if sketch.closed(id) {
            out.push(close);
        } else if !out.ends_with('…') {
            out.push('…');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::measure;
    use proptest::prelude::*;

    fn preview(text: &str, budget: usize) -> Option<Body> {
        let body = body(text.as_bytes(), measure::size(text.as_bytes()), budget, 5, 2).unwrap();
        if let Some(body) = &body {
            let chars: usize = body.lines.iter().map(|line| line.chars().count() + 1).sum();
            assert!(chars <= budget, "{chars} chars of {budget}: {body:#?}");
            assert!(body.lines.iter().all(|line| !line.contains('\n') && clean::line(line.as_bytes()) == *line));
        }
        body
    }

    fn rows(n: usize) -> String {
        let rows: Vec<String> = (0..n)
            .map(|k| {
                format!("{{\"id\": {k}, \"user\": \"user{k}\"{}}}", if k > 1200 { ", \"late\": 1.50" } else { "" })
            })
            .collect();
        format!("[{}]", rows.join(", "))
    }

    #[test]
    fn an_array_shows_its_shape_its_first_and_its_last_items() {
        let body = preview(&rows(2000), 3000).unwrap();
        assert_eq!(body.label, "first 5 / last 2 of 2,000 items");
        assert_eq!(
            body.lines,
            [
                "[array of 2,000 objects: id, user, late (in 799)]",
                "[",
                "  {\"id\":0,\"user\":\"user0\"},",
                "  {\"id\":1,\"user\":\"user1\"},",
                "  {\"id\":2,\"user\":\"user2\"},",
                "  {\"id\":3,\"user\":\"user3\"},",
                "  {\"id\":4,\"user\":\"user4\"},",
                "  [... items 5-1997 omitted (1,993 items) ...]",
                "  {\"id\":1998,\"user\":\"user1998\",\"late\":1.50},",
                "  {\"id\":1999,\"user\":\"user1999\",\"late\":1.50}",
                "]",
            ]
        );
    }

    #[test]
    fn an_object_shows_every_key_and_samples_its_long_arrays() {
        let text = format!("{{\"total\": 2000, \"meta\": {{\"q\": \"x\"}}, \"items\": {}, \"next\": null}}", rows(9));
        let body = preview(&text, 3000).unwrap();
        assert_eq!(body.label, "first 5 / last 2 of 9 items");
        assert_eq!(
            body.lines[1..4],
            ["  \"total\": 2000,", "  \"meta\": {\"q\":\"x\"},", "  \"items\": [  [9 objects: id, user]"]
        );
        assert_eq!(body.lines[9], "    [... items 5-6 omitted (2 items) ...]");
        assert_eq!(body.lines[12..], ["  ],", "  \"next\": null", "}"]);
    }

    #[test]
    fn hostile_values_are_previewed_within_any_budget() {
        let five: Vec<String> = (0..5).map(|k| format!("{{\"k\": {k}, \"s\": \"{}\"}}", "x".repeat(60_000))).collect();
        let keys: Vec<String> =
            (0..3000).map(|k| format!("\"a rather long key {k}\": [{k}, {{\"b\": {{}}}}]")).collect();
        for (text, label) in [
            (format!("[{}]", five.join(",")), "all 5 items, shortened"),
            (format!("{{\"a\": NaN, \"pad\": \"{}\"}}", "p".repeat(13_000)), "a JSON object with 2 keys"),
            ("[".repeat(3000) + &"]".repeat(3000), "the 1 item, shortened"),
            ("{\"a\":".repeat(50_000) + "1" + &"}".repeat(50_000), "a JSON object with 1 key"),
            (format!("[{}, 2]", "9".repeat(20_000)), "all 2 items, shortened"),
            ("9".repeat(20_000), "a JSON number of 20,000 chars"),
            (format!("{{\"a\": 1, \"a\": 2, \"pad\": \"{}\"}}", "p".repeat(13_000)), "a JSON object with 3 keys"),
            (format!("[\"\\ud800\", \"{}\"]", "\\ud83d\\ude00".repeat(3000)), "all 2 items, shortened"),
            (format!("\"{}\"", "s".repeat(3_000_000)), "a JSON string of 3,000,000 chars"),
            (format!("{{{}}}", keys.join(",")), "a JSON object with 3,000 keys"),
        ] {
            let body = preview(&text, 3000).unwrap();
            assert_eq!(body.label, label);
            for budget in [0, 40, 100, 200, 500, 900, 11_000] {
                preview(&text, budget);
            }
            assert!(preview(&text, 900).is_some());
        }
    }

    #[test]
    fn what_breaks_off_says_where() {
        let text = rows(2000);
        let body = preview(&text[..50_000], 3000).unwrap();
        assert!(body.label.starts_with("first 5 / last 2 of 1,4"), "{}", body.label);
        assert_eq!(
            body.lines[body.lines.len() - 1],
            "[... reading stops here: the text ends with 2 levels open (line 0, byte 49998) ...]"
        );
        let body = preview(&format!("{text}\nDone in 3 s\nbye"), 3000).unwrap();
        assert_eq!(body.lines[body.lines.len() - 1], "[... the JSON value ends; more text from line 1: Done in 3 s]");
        assert_eq!(preview(&format!("{{}}\n{}", "plain line\n".repeat(2000)), 3000), None);
        assert_eq!(preview("", 3000), None);
        assert_eq!(preview("no json", 3000), None);
    }

    proptest! {
        #[test]
        fn no_text_exceeds_the_budget(text in "[\\[\\]{}:,\"a\\\\u0041é\u{202e}\u{1b} \n]{0,200}", budget in 0usize..400) {
            preview(&text, budget);
            preview(&format!("[{text}"), budget);
            preview(&format!("[\"{}\", {{\"{}\": 1}}]", text.replace('"', "'"), text.replace('"', "'")), budget);
        }
    }
}
