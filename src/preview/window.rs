//! The first and last lines of a text, collected while it streams past, and how they are made to fit.
//!
//! Memory is bounded however long a line is: of each line only its first and last [`KEEP`] bytes are kept.

use std::borrow::Cow;

use bstr::ByteSlice;

use super::{Body, Marked};
use crate::handle::guard;
use crate::text::measure::{Measure, Size, unfinished};
use crate::text::show::{count, thousands};
use crate::text::{clean, cut};

/// How much of the start and of the end of a line is kept, in bytes: more than any setting shows.
const KEEP: usize = 16 << 10;
/// How much of a text's end is looked at for its last lines, in bytes.
pub const TAIL: usize = 256 << 10;

/// A line as far as it was kept.
#[derive(Clone, Debug, Default)]
struct Kept {
    start: Vec<u8>,
    /// The end, if the line is longer than `start`.
    end: Vec<u8>,
    /// Bytes between `start` and `end`.
    gap: u64,
    /// Chars of the whole line, with its `\n`; `None` if they were not all seen.
    chars: Option<u64>,
}

impl Kept {
    fn push(&mut self, bytes: &[u8]) {
        let room = KEEP - self.start.len();
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        self.start.extend_from_slice(first);
        if rest.len() >= KEEP {
            self.gap += (self.end.len() + rest.len() - KEEP) as u64;
            self.end.clear();
            self.end.extend_from_slice(&rest[rest.len() - KEEP..]);
            return;
        }
        self.end.extend_from_slice(rest);
        if self.end.len() > 2 * KEEP {
            let surplus = self.end.len() - KEEP;
            self.end.drain(..surplus);
            self.gap += surplus as u64;
        }
    }

    /// Returns the line as it is shown in at most `max` chars.
    fn show(&self, max: usize) -> String {
        if self.gap == 0 {
            let whole: Cow<'_, [u8]> =
                if self.end.is_empty() { (&self.start).into() } else { [&self.start[..], &self.end].concat().into() };
            return cut::middle(&clean::line(&whole), max).into_owned();
        }
        // What a terminal would have left of a line that overwrote itself is what came after the last return to its
        // start; what scrolled by before is not shown.
        let end = self.end.trim_end_with(|c| c == '\r');
        if let Some(last) = end.iter().position(|&b| b == b'\r') {
            return cut::middle(&clean::line(&end[last..]), max).into_owned();
        }
        let start = &self.start[..self.start.len() - unfinished(&self.start[self.start.len() - 3..])];
        let first_char = self.end.iter().position(|&b| b & 0xC0 != 0x80).unwrap_or(0);
        let (start, end) = (clean::line(start), clean::line(&self.end[first_char..]));
        let total = self.chars.map(|n| n.saturating_sub(1));
        let mark = total.map_or_else(|| "[… chars …]".to_owned(), cut::omitted);
        let keep = max.saturating_sub(mark.chars().count());
        let (start, end) = (cut::head_of(&start, keep - keep / 3), cut::tail_of(&end, keep / 3));
        let shown = (start.chars().count() + end.chars().count()) as u64;
        let mark = total.map_or(mark, |n| cut::omitted(n.saturating_sub(shown)));
        format!("{start}{mark}{end}")
    }
}

/// Collects the first lines of a text.
#[derive(Clone, Debug)]
pub struct Head {
    want: usize,
    /// No first line was asked for; one is kept for a text of one line.
    none: bool,
    lines: Vec<Kept>,
    open: bool,
    measure: Measure,
    counted: u64,
}

impl Head {
    /// Collects the first `want` lines (at least one).
    pub fn new(want: usize) -> Self {
        Head {
            want: want.max(1),
            none: want == 0,
            lines: Vec::new(),
            open: false,
            measure: Measure::default(),
            counted: 0,
        }
    }

    /// Sees the next bytes of the text.
    pub fn push(&mut self, mut chunk: &[u8]) {
        while !chunk.is_empty() && (self.open || self.lines.len() < self.want) {
            if !self.open {
                self.lines.push(Kept::default());
                self.open = true;
            }
            let end = memchr::memchr(b'\n', chunk);
            let (line, with_newline) = match end {
                Some(n) => (&chunk[..n], n + 1),
                None => (chunk, chunk.len()),
            };
            self.measure.push(&chunk[..with_newline]);
            if let Some(kept) = self.lines.last_mut() {
                kept.push(line);
                if end.is_some() {
                    let seen = self.measure.size().chars;
                    kept.chars = Some(seen - self.counted);
                    self.counted = seen;
                    self.open = false;
                }
            }
            chunk = &chunk[with_newline..];
        }
    }

    /// Ends the text: a last line without `\n` has been seen whole.
    fn finish(&mut self) {
        if self.open {
            // One more than its chars, as if it had its `\n`: the other lines are counted with theirs.
            let chars = self.measure.size().chars - self.counted + 1;
            if let Some(kept) = self.lines.last_mut() {
                kept.chars = Some(chars);
            }
        }
    }
}

/// Reads the last lines out of the last bytes of a text.
fn tail_lines(end: &[u8], whole: bool, want: usize) -> Vec<Kept> {
    let body = end.strip_suffix(b"\n").unwrap_or(end);
    if end.is_empty() {
        return Vec::new();
    }
    let mut lines: Vec<Kept> = Vec::new();
    for (k, line) in body.rsplit_str("\n").take(want).enumerate() {
        let mut kept = Kept::default();
        let starts_here = whole || line.as_ptr() != body.as_ptr();
        if starts_here {
            kept.push(line);
            let newline = u64::from(k > 0 || end.ends_with(b"\n"));
            kept.chars = Some(crate::text::measure::chars(line) + newline.max(1));
        } else {
            kept.end = line[line.len().saturating_sub(KEEP)..].to_vec();
            kept.start = b"   ".to_vec();
            kept.gap = 1;
        }
        lines.push(kept);
    }
    lines.reverse();
    lines
}

/// What the head and tail preview of a text is made of.
#[derive(Debug)]
pub struct Window {
    head: Vec<Kept>,
    tail: Vec<Kept>,
    size: Size,
}

/// How much of head and tail fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fit {
    head: usize,
    tail: usize,
    line_max: usize,
}

/// Returns how many chars signal lines take with the marks before them.
fn cost(marked: &[Marked]) -> usize {
    let line = |text: &str| text.chars().count() + 12;
    let one = |m: &Marked| line(&m.text) + MARK * 3 / 4 + m.context.iter().map(|(_, text)| line(text)).sum::<usize>();
    marked.iter().map(one).sum()
}

/// The room that the marks of left-out lines are given, in chars each.
const MARK: usize = 80;

impl Window {
    /// Puts together what was collected of a text of this size. `end` is the last [`TAIL`] bytes of it or all of it.
    pub fn new(mut head: Head, end: &[u8], want_tail: usize, size: Size) -> Window {
        head.finish();
        let mut lines = head.lines;
        lines.truncate(head.want);
        if head.none && size.lines > 1 {
            lines.clear();
        }
        // The first line is the head's, even of a text of one line; of the others the tail has the last word.
        let total = usize::try_from(size.lines).unwrap_or(usize::MAX);
        let want_tail = want_tail.min(total.saturating_sub(lines.len().min(1)));
        let from = total - want_tail;
        let mut tail = if from < lines.len() { lines.split_off(from) } else { Vec::new() };
        let whole = end.len() as u64 >= size.bytes;
        let left = want_tail - tail.len();
        tail.extend(tail_lines(end, whole, left));
        Window { head: lines, tail, size }
    }

    /// Makes the preview: at most `budget` chars in its lines. `marked` gives the lines that look like errors among
    /// those that are not visible anyway.
    pub fn body(&self, line_max: usize, budget: usize, marked: impl Fn(&dyn Fn(u64) -> bool) -> Vec<Marked>) -> Body {
        let widest = Fit { head: self.head.len(), tail: self.tail.len(), line_max };
        let wanted = marked(&|line| self.visible(widest, line));
        // What failed may take as much as two fifths of the preview from the head and the tail.
        let most = budget * 2 / 5;
        let reserve = cost(&wanted).min(most);
        let first_fit = self.fit(line_max, budget.saturating_sub(reserve));
        let mut marked = marked(&|line| self.visible(first_fit, line));
        while cost(&marked) > most.max(reserve) {
            let Some(least) = (0..marked.len()).rev().min_by_key(|&k| marked[k].rank) else { break };
            marked.remove(least);
        }
        let mut fit = self.fit(line_max, budget.saturating_sub(cost(&marked)));
        loop {
            let hidden: Vec<&Marked> = marked.iter().filter(|m| !self.visible(fit, m.line)).collect();
            let body = self.render(fit, &hidden);
            let used: usize = body.lines.iter().map(|l| l.chars().count() + 1).sum();
            // The estimate is generous; where it was not enough, a line of the head goes, then one of the tail.
            if used <= budget || (fit.head <= 1 && fit.tail == 0 && fit.line_max <= 8 && marked.is_empty()) {
                return body;
            }
            if fit.head > 1 {
                fit.head -= 1;
            } else if fit.tail > 0 {
                fit.tail -= 1;
            } else if marked.pop().is_none() {
                fit.line_max = fit.line_max.saturating_sub((used - budget).max(1)).max(8);
            }
        }
    }

    fn visible(&self, fit: Fit, line: u64) -> bool {
        line < fit.head as u64 || line >= self.size.lines.saturating_sub(fit.tail as u64)
    }

    fn fit(&self, line_max: usize, budget: usize) -> Fit {
        let all = (self.head.len() + self.tail.len()) as u64 == self.size.lines;
        let room = budget.saturating_sub(if all { 0 } else { MARK });
        // Long lines are first shown shorter, so that as many as possible are shown.
        let mut best = None;
        for line_max in [line_max, line_max / 2, line_max / 4] {
            let line_max = line_max.max(40);
            let cost = |k: &Kept| k.show(line_max).chars().count() + 3;
            let head: Vec<usize> = self.head.iter().map(cost).collect();
            let tail: Vec<usize> = self.tail.iter().rev().map(cost).collect();
            let (h, t) = shrink(&head, &tail, room);
            let fit = Fit { head: h, tail: t, line_max };
            let enough = h >= head.len().min(10) && t >= tail.len().min(8);
            if enough && h + t >= (head.len() + tail.len()) / 2 {
                return fit;
            }
            best = best.filter(|b: &Fit| b.head + b.tail >= h + t).or(Some(fit));
        }
        let fit = best.unwrap_or(Fit { head: 0, tail: 0, line_max });
        if fit.head == 0 && !self.head.is_empty() {
            // Not one line fits: show what fits of the first.
            return Fit { head: 1, tail: 0, line_max: room.saturating_sub(3).clamp(8, line_max) };
        }
        fit
    }

    fn render(&self, fit: Fit, marked: &[&Marked]) -> Body {
        let lines = self.size.lines;
        let tail_from = lines - fit.tail as u64;
        let mut out: Vec<String> = Vec::new();
        let show = |kept: &Kept| guard(&kept.show(fit.line_max)).into_owned();
        out.extend(self.head[..fit.head].iter().map(show));
        let tail = &self.tail[self.tail.len() - fit.tail..];
        let mut next = fit.head as u64;
        if next < tail_from {
            let known = |kept: &[Kept]| kept.iter().map(|k| k.chars).sum::<Option<u64>>();
            let chars = match (known(&self.head[..fit.head]), known(tail)) {
                (Some(h), Some(t)) if marked.is_empty() => Some(self.size.chars.saturating_sub(h + t)),
                _ => None,
            };
            let mut rows: Vec<(u64, &str)> = Vec::new();
            for m in marked {
                rows.push((m.line, &m.text));
                rows.extend(m.context.iter().map(|(line, text)| (*line, text.as_str())));
            }
            crate::order::by_key(&mut rows, |(line, _)| *line);
            rows.dedup_by_key(|(line, _)| *line);
            for (line, text) in rows.into_iter().filter(|(line, _)| (fit.head as u64..tail_from).contains(line)) {
                if line > next {
                    out.push(omitted(next, line, None));
                }
                out.push(format!("{line}:{text}"));
                next = line + 1;
            }
            if next < tail_from {
                out.push(omitted(next, tail_from, chars));
            }
        }
        out.extend(tail.iter().map(show));
        Body { label: self.label(fit, marked.len()), lines: out }
    }

    fn label(&self, fit: Fit, marked: usize) -> String {
        let lines = self.size.lines;
        let signals = match marked {
            0 => String::new(),
            n => format!(", {} between, numbered from 0", count(n as u64, "signal line")),
        };
        if (fit.head + fit.tail) as u64 == lines {
            return match lines {
                1 => "1 line, cut".to_owned(),
                _ => format!("all {} lines, long ones cut", thousands(lines)),
            };
        }
        match (fit.head, fit.tail) {
            (0, 0) => format!("no lines{signals}"),
            (0, t) => format!("last {}{signals}", count(t as u64, "line")),
            (h, 0) => format!("first {}{signals}", count(h as u64, "line")),
            (h, t) => format!("first {h} / last {t} lines{signals}"),
        }
    }
}

/// Returns the mark that stands for the lines from `from` up to `to`.
pub fn omitted(from: u64, to: u64, chars: Option<u64>) -> String {
    let chars = chars.map(|n| format!(", {}", count(n, "char"))).unwrap_or_default();
    match to - from {
        1 => format!("[... line {from} omitted (1 line{chars}) ...]"),
        n => format!("[... lines {from}-{} omitted ({} lines{chars}) ...]", to - 1, thousands(n)),
    }
}

/// Returns how many lines of the head, and of the tail counted from its end, fit: both shrink, the tail last.
fn shrink(head: &[usize], tail: &[usize], room: usize) -> (usize, usize) {
    let total = |costs: &[usize]| costs.iter().sum::<usize>();
    let (mut h, mut t) = (head.len(), tail.len());
    for (least_h, least_t) in [(5, tail.len()), (5, 5), (2, 2), (1, 1), (1, 0), (0, 0)] {
        while total(&head[..h]) + total(&tail[..t]) > room && h > least_h {
            h -= 1;
        }
        while total(&head[..h]) + total(&tail[..t]) > room && t > least_t {
            t -= 1;
        }
        if total(&head[..h]) + total(&tail[..t]) <= room {
            break;
        }
    }
    (h, t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::measure;

    fn body(text: &[u8], head: usize, tail: usize, budget: usize) -> Body {
        let mut collected = Head::new(head);
        text.chunks(1000).for_each(|chunk| collected.push(chunk));
        let end = &text[text.len().saturating_sub(TAIL)..];
        let window = Window::new(collected, end, tail, measure::size(text));
        window.body(400, budget, |_| Vec::new())
    }

    #[test]
    fn head_and_tail_with_a_mark_between() {
        let text: String = (0..100).map(|k| format!("line {k}\n")).collect();
        let body = body(text.as_bytes(), 3, 2, 1000);
        assert_eq!(
            body.lines,
            ["line 0", "line 1", "line 2", "[... lines 3-97 omitted (95 lines, 753 chars) ...]", "line 98", "line 99"]
        );
        assert_eq!(body.label, "first 3 / last 2 lines");
    }

    #[test]
    fn one_giant_line_shows_its_ends_and_how_much_is_between() {
        for newline in ["", "\n"] {
            let text = format!("START{}END{newline}", "x".repeat(3_000_000));
            let body = body(text.as_bytes(), 40, 15, 5000);
            let [line] = &body.lines[..] else { panic!("{:?}", body.lines) };
            assert!(line.starts_with("STARTxxx") && line.ends_with("xxxEND"), "{line}");
            let (start, rest) = line.split_once("[… ").unwrap();
            let (left_out, end) = rest.split_once(" chars …]").unwrap();
            let left_out: usize = left_out.replace(',', "").parse().unwrap();
            assert_eq!(start.len() + left_out + end.len(), 3_000_008);
            assert!(line.chars().count() <= 400);
        }
    }

    #[test]
    fn few_long_lines_all_show_their_ends() {
        let text: String = (0..32).map(|k| format!("step {k} {} end {k}\n", "y".repeat(3000))).collect();
        let body = body(text.as_bytes(), 40, 15, 7400);
        let used: usize = body.lines.iter().map(|l| l.chars().count() + 1).sum();
        assert!(used <= 7400, "{used}");
        assert!(body.lines[0].starts_with("step 0 ") && body.lines.last().unwrap().ends_with(" end 31"));
    }

    #[test]
    fn the_budget_holds_whatever_the_text() {
        for text in [
            "x".repeat(20_000),
            "\n".repeat(12_500),
            "a\n".repeat(6100),
            "日本語 ".repeat(9000),
            format!("{}\n", "w".repeat(300)).repeat(50),
        ] {
            for budget in [120, 300, 1000, 7000] {
                let body = body(text.as_bytes(), 40, 15, budget);
                let used: usize = body.lines.iter().map(|l| l.chars().count() + 1).sum();
                assert!(used <= budget, "{budget}: {used} {:?}", body.lines);
            }
        }
    }
}
