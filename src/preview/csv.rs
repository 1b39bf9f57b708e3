//! The preview of CSV and TSV: the header, the first and the last rows as they are written.

use std::collections::VecDeque;
use std::io::{self, Read};

use super::Body;
use crate::handle::guard;
use crate::text::measure::Size;
use crate::text::show::{count, thousands};
use crate::text::table::{ROW, Row, Rows};
use crate::text::{clean, cut};

/// The longest a row is shown, in chars; where not enough fit, down to the last.
const WIDTHS: [usize; 5] = [400, 240, 160, 90, 50];

/// Returns the preview of a table in at most `budget_chars` chars (each line counting one for its end): its header,
/// `head_rows` first and `tail_rows` last rows, or as many as fit. `None` if it has no two rows, or none fit.
pub fn body(
    text: impl Read,
    delimiter: u8,
    size: Size,
    budget_chars: usize,
    head_rows: usize,
    tail_rows: usize,
) -> io::Result<Option<Body>> {
    let mut rows = Rows::new(text, delimiter);
    let head_rows = head_rows.clamp(1, 1000);
    let tail_rows = tail_rows.min(1000);
    let (mut head, mut tail): (Vec<Shown>, VecDeque<Shown>) = (Vec::new(), VecDeque::new());
    let (mut row, mut total, mut kept) = (Row::default(), 0u64, 0usize);
    while rows.next_row(&mut row)? {
        total += 1;
        // One more for the header.
        if head.len() <= head_rows && kept <= budget_chars {
            let shown = Shown::new(&row, String::new());
            kept += shown.text.len();
            head.push(shown);
        } else if tail_rows > 0 {
            let spare = if tail.len() == tail_rows { tail.pop_front() } else { None };
            tail.push_back(Shown::new(&row, spare.map(|s| s.text).unwrap_or_default()));
        }
    }
    if total < 2 {
        return Ok(None);
    }
    let tail: Vec<Shown> = tail.into();
    for (k, width) in WIDTHS.into_iter().enumerate() {
        let full = lay_out(&head, &tail, total, size.lines, width, budget_chars);
        let last = k + 1 == WIDTHS.len();
        if let Some(body) = full {
            return Ok(Some(body));
        }
        // Rows are worth more whole than many: from here on fewer are shown. The last rows go last.
        if k < 2 && !last {
            continue;
        }
        let (mut first, mut end) = (head.len(), tail.len());
        while first + end > 2 {
            if first > 4.max(end) || (end <= 1 && first > 1) {
                first -= (first / 4).max(1);
            } else {
                end -= (end / 4).max(1);
            }
            if (first < 3 || end < tail.len().min(1)) && !last {
                break;
            }
            let found =
                lay_out(&head[..first.max(1)], &tail[tail.len() - end..], total, size.lines, width, budget_chars);
            if let Some(body) = found {
                return Ok(Some(body));
            }
        }
    }
    Ok(None)
}

/// A row as it is shown.
struct Shown {
    text: String,
    line: u64,
    last_line: u64,
    /// Bytes of the row past what is kept.
    cut: u64,
}

impl Shown {
    fn new(row: &Row, mut text: String) -> Shown {
        text.clear();
        match std::str::from_utf8(&row.raw) {
            Ok(plain) if !plain.bytes().any(|b| b < 0x20 && b != b'\t') => text.push_str(plain),
            _ => text.push_str(&clean::line(&row.raw)),
        }
        Shown { text, line: row.line, last_line: row.last_line, cut: row.bytes.saturating_sub(ROW as u64) }
    }

    fn line(&self, width: usize) -> String {
        let text = clean::line(self.text.as_bytes());
        let text = guard(&text);
        if self.cut == 0 {
            return cut::middle(&text, width).into_owned();
        }
        let mark = format!("[… {} more bytes …]", thousands(self.cut));
        format!("{}{mark}", cut::head_of(&text, width.saturating_sub(mark.chars().count())))
    }
}

fn lay_out(head: &[Shown], tail: &[Shown], total: u64, lines: u64, width: usize, budget: usize) -> Option<Body> {
    let mut out: Vec<String> = head.iter().map(|row| row.line(width)).collect();
    let shown = (head.len() + tail.len()) as u64;
    if total > shown {
        let from = head.last().map_or(0, |row| row.last_line + 1);
        let to = tail.first().map_or(lines, |row| row.line).max(from + 1) - 1;
        let span = if from == to { format!("line {from}") } else { format!("lines {from}-{to}") };
        out.push(format!("[... {span} omitted ({}) ...]", count(to - from + 1, "line")));
    }
    out.extend(tail.iter().map(|row| row.line(width)));
    let chars: usize = out.iter().map(|line| line.chars().count() + 1).sum();
    if chars > budget {
        return None;
    }
    let label = match (head.len(), tail.len()) {
        _ if shown >= total => format!("all {}", count(total, "row")),
        (first, 0) => format!("first {first} of {}", count(total, "row")),
        (first, last) => format!("first {first} / last {last} of {}", count(total, "row")),
    };
    Some(Body { label, lines: out })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::measure;
    use proptest::prelude::*;
    use std::fmt::Write as _;

    fn preview(text: &str, budget: usize) -> Option<Body> {
        let body = body(text.as_bytes(), b',', measure::size(text.as_bytes()), budget, 20, 10).unwrap();
        if let Some(body) = &body {
            let chars: usize = body.lines.iter().map(|line| line.chars().count() + 1).sum();
            assert!(chars <= budget, "{chars} chars of {budget}");
            assert!(body.lines.iter().all(|line| !line.contains('\n')));
        }
        body
    }

    #[test]
    fn first_and_last_rows_stand_around_the_lines_left_out() {
        let mut text = "id,note\n".to_owned();
        for k in 0..3000 {
            let _ = writeln!(text, "{k},{}", if k == 3 { "\"two\nlines\"" } else { "x" });
        }
        let body = preview(&text, 3000).unwrap();
        assert_eq!(body.label, "first 21 / last 10 of 3,001 rows");
        assert_eq!(body.lines[..5], ["id,note", "0,x", "1,x", "2,x", "3,\"two␊lines\""]);
        assert_eq!(body.lines[20..23], ["19,x", "[... lines 22-2991 omitted (2,970 lines) ...]", "2990,x"]);
        let body = preview(&text, 150).unwrap();
        assert_eq!(body.lines[0], "id,note");
        assert_eq!(body.lines[body.lines.len() - 1], "2999,x");
        assert_eq!(preview("one line", 3000), None);
        assert_eq!(preview("a,b\n1,2\n", 3000).unwrap().label, "all 2 rows");
    }

    #[test]
    fn giant_rows_are_cut() {
        let text = format!("a,b\n{},1\n{},2\n", "x".repeat(500_000), "y".repeat(2000));
        let body = preview(&text, 3000).unwrap();
        assert!(body.lines[1].ends_with("[… 491,811 more bytes …]"), "{}", body.lines[1]);
        assert!(body.lines[2].contains("chars …]") && body.lines[2].ends_with(",2"));
        assert!(preview(&text, 300).is_some());
    }

    proptest! {
        #[test]
        fn no_text_exceeds_the_budget(text in "[a,\"\né\u{1b}]{0,300}", budget in 0usize..300) {
            preview(&text, budget);
        }
    }
}
