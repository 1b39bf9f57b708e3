//! The preview of NDJSON: the merged keys of its records, and the first and the last of them, one a line.

use std::collections::VecDeque;
use std::io::{self, Read};

use super::Body;
use super::json::{DETAILS, Detail, compact};
use crate::text::clean;
use crate::text::json::{Kind, Tokens};
use crate::text::measure::Size;
use crate::text::show::{count, thousands};
use crate::text::sketch::{Builder, Columns, Item, Limits, Sketch};

/// The longest record that is kept as written, in bytes.
const KEPT: usize = 64 << 10;
/// How many lines that are not JSON are named.
const NAMED: usize = 8;

/// A record as written, or what is kept of it if it is longer than [`KEPT`], with its line.
#[derive(Default)]
struct Kept {
    bytes: Vec<u8>,
    sketch: Option<Sketch>,
    line: u64,
}

/// Returns the preview of a text with one JSON value a line in at most `budget_chars` chars (each line counting one for
/// its end), or `None` if most lines are not JSON, or nothing fits.
pub fn body(
    text: impl Read,
    size: Size,
    budget_chars: usize,
    head_items: usize,
    tail_items: usize,
) -> io::Result<Option<Body>> {
    let (head_items, tail_items) = (head_items.clamp(1, 100), tail_items.min(100));
    let limits = Limits { nodes: 2048, ..Limits::for_chars(budget_chars, 8, 2) };
    let mut tokens = Tokens::unchecked_records(text);
    let (mut head, mut tail): (Vec<Kept>, VecDeque<Kept>) = (Vec::new(), VecDeque::new());
    let mut last = Kept::default();
    let (mut total, mut bad, mut named, mut columns) = (0u64, 0u64, Vec::new(), Columns::default());
    while let Some(record) = tokens.next_record()? {
        let bytes = tokens.in_hand();
        last.bytes.clear();
        last.line = record.line;
        let mut builder = None;
        if bytes.len() < KEPT {
            last.bytes.extend_from_slice(bytes);
        } else {
            builder = Some(Builder::new(limits));
        }
        let mut level = 0u64;
        while let Some(token) = tokens.next_token()? {
            if let Some(builder) = &mut builder {
                builder.token(&token);
            }
            match token.kind {
                Kind::ArrayStart | Kind::ObjectStart => {
                    match level {
                        0 => columns.item(token.kind),
                        1 => columns.value(&token),
                        _ => {}
                    }
                    level += 1;
                }
                Kind::ArrayEnd | Kind::ObjectEnd => level -= 1,
                Kind::Key if level == 1 => columns.key(&token),
                Kind::Key if level == 2 => columns.inner_key(&token),
                _ if level == 1 => columns.value(&token),
                _ if level == 2 => columns.inner_value(&token),
                _ => {}
            }
        }
        last.sketch = builder.map(Builder::finish);
        if tokens.stop().is_some() || tokens.trailing()?.is_some() {
            bad += 1;
            if named.len() < NAMED {
                named.push(record.line.to_string());
            }
            continue;
        }
        total += 1;
        // The copy goes where it is kept, what is dropped takes the next one.
        if head.len() < head_items {
            head.push(std::mem::take(&mut last));
        } else if tail_items > 0 {
            if columns.wants_item() {
                let sketch = match last.sketch.take() {
                    Some(sketch) => sketch,
                    None => Sketch::read(&mut Tokens::new(&last.bytes[..]), limits)?,
                };
                columns.kept.push(Item { index: last.line, sketch });
            }
            let spare = if tail.len() == tail_items { tail.pop_front() } else { None };
            tail.push_back(std::mem::replace(&mut last, spare.unwrap_or_default()));
        }
    }
    if total == 0 || bad > total {
        return Ok(None);
    }
    let sketch = |kept: Kept| -> io::Result<(Sketch, u64)> {
        let read = |bytes: &[u8]| Sketch::read(&mut Tokens::new(bytes), limits);
        Ok((kept.sketch.map_or_else(|| read(&kept.bytes), Ok)?, kept.line))
    };
    let head = head.into_iter().map(sketch).collect::<io::Result<Vec<_>>>()?;
    let tail = tail.into_iter().map(sketch).collect::<io::Result<Vec<_>>>()?;
    let all = All { head, tail, total, bad, named, columns, lines: size.lines };
    let mut shown = (all.head.len(), all.tail.len());
    for detail in DETAILS {
        if let Some(body) = all.lay_out(detail, shown, budget_chars) {
            return Ok(Some(body));
        }
    }
    while shown != (1, 0) {
        shown = (shown.0.div_ceil(2), shown.1 / 2);
        if let Some(body) = all.lay_out(DETAILS[DETAILS.len() - 2], shown, budget_chars) {
            return Ok(Some(body));
        }
    }
    Ok(None)
}

struct All {
    head: Vec<(Sketch, u64)>,
    tail: Vec<(Sketch, u64)>,
    total: u64,
    bad: u64,
    named: Vec<String>,
    columns: Columns,
    lines: u64,
}

impl All {
    fn lay_out(&self, detail: Detail, shown: (usize, usize), budget: usize) -> Option<Body> {
        let mut lines = Vec::new();
        let keys = self.columns.names(detail.line.max(100) - 40);
        if self.columns.objects > 0 && !keys.is_empty() {
            let what = match self.columns.objects == self.total {
                true => format!("{}{}", count(self.total, "record"), self.columns.failing()),
                false => {
                    format!("{}, {} of them objects", count(self.total, "record"), thousands(self.columns.objects))
                }
            };
            lines.push(format!("[{what}: {keys}]"));
        }
        if self.bad > 0 {
            let more = if self.bad as usize > self.named.len() { ", …" } else { "" };
            lines.push(format!("[{} not JSON: {}{more}]", count(self.bad, "line"), self.named.join(", ")));
        }
        let (head, tail) = (&self.head[..shown.0], &self.tail[self.tail.len() - shown.1..]);
        let from = head.last().map_or(0, |(_, line)| line + 1);
        let to = tail.first().map_or(self.lines, |(_, line)| *line);
        let failures = self.columns.kept.iter().filter(|item| (from..to).contains(&item.index)).take(detail.failures);
        let rows = head.iter().map(|(sketch, line)| (sketch, *line));
        let rows = rows.chain(failures.map(|item| (&item.sketch, item.index)));
        let mut due = 0;
        for (sketch, line) in rows.chain(tail.iter().map(|(sketch, line)| (sketch, *line))) {
            gap(&mut lines, due, line);
            due = line + 1;
            let mut text = String::new();
            if let Some(root) = sketch.root() {
                let failure = (from..to).contains(&line);
                compact(sketch, root, if failure { detail.richer() } else { detail }, &mut text);
            }
            lines.push(clean::line(text.as_bytes()).into_owned());
        }
        gap(&mut lines, due, self.lines);
        let chars: usize = lines.iter().map(|line| line.chars().count() + 1).sum();
        if chars > budget {
            return None;
        }
        let total = count(self.total, "record");
        let label = match shown {
            (head, tail) if (head + tail) as u64 >= self.total => {
                let cut = if lines.iter().any(|line| line.contains('…')) { ", shortened" } else { "" };
                format!("all {total}{cut}")
            }
            (head, 0) => format!("first {head} of {total}"),
            (head, tail) => format!("first {head} / last {tail} of {total}"),
        };
        Some(Body { label, lines })
    }
}

/// Marks the lines from `from` up to `to` as left out, if there are any.
fn gap(lines: &mut Vec<String>, from: u64, to: u64) {
    if from + 1 == to {
        lines.push(format!("[... line {from} omitted (1 line) ...]"));
    } else if from < to {
        lines.push(format!("[... lines {from}-{} omitted ({}) ...]", to - 1, count(to - from, "line")));
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
            assert!(chars <= budget, "{chars} chars of {budget}");
            assert!(body.lines.iter().all(|line| !line.contains('\n')));
        }
        body
    }

    #[test]
    fn first_and_last_records_stand_under_the_merged_keys() {
        let mut text: String = (0..100).map(|k| format!("{{\"n\": {k}, \"level\": \"info\"}}\n")).collect();
        text.push_str("not json\n{\"n\": 100, \"error\": \"x\"}\n");
        let body = preview(&text, 3000).unwrap();
        assert_eq!(body.label, "first 5 / last 2 of 101 records");
        assert_eq!(
            body.lines,
            [
                "[101 records, 1 looks like a failure: n, level (in 100), error (in 1)]",
                "[1 line not JSON: 100]",
                "{\"n\":0,\"level\":\"info\"}",
                "{\"n\":1,\"level\":\"info\"}",
                "{\"n\":2,\"level\":\"info\"}",
                "{\"n\":3,\"level\":\"info\"}",
                "{\"n\":4,\"level\":\"info\"}",
                "[... lines 5-98 omitted (94 lines) ...]",
                "{\"n\":99,\"level\":\"info\"}",
                "[... line 100 omitted (1 line) ...]",
                "{\"n\":100,\"error\":\"x\"}",
            ]
        );
        assert_eq!(preview(&"plain\n".repeat(100), 3000), None);
    }

    #[test]
    fn giant_records_are_cut() {
        let text = format!("{{\"a\": \"{}\"}}\n{{\"b\": [{}]}}\n1\n", "x".repeat(3_000_000), "1,".repeat(99_999) + "1");
        let body = preview(&text, 800).unwrap();
        assert_eq!(body.label, "all 3 records, shortened");
        assert_eq!(body.lines.len(), 4);
        assert!(body.lines[1].contains("chars …]\"}") && body.lines[2].ends_with(" more items]}"), "{body:?}");
    }

    proptest! {
        #[test]
        fn no_text_exceeds_the_budget(text in "[{}\\[\\]:,\"a1\n ]{0,200}", budget in 0usize..200) {
            preview(&text, budget);
        }
    }
}
