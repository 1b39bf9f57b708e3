//! A page of Markdown as its headings, with the numbers of their lines, and its first lines.

use std::io::{self, Read};

use super::Body;
use super::fit::{self, Fit, HEADINGS, Heading, LINE_CHARS, MARK};
use crate::handle::guard;
use crate::text::lines::Blocks;
use crate::text::{clean, cut, measure, show};

/// Returns the preview of a page within `budget_chars` chars; `None` if it has fewer than two headings.
pub fn body(text: impl Read, budget_chars: usize) -> io::Result<Option<Body>> {
    let mut headings: Vec<Heading> = Vec::new();
    let mut count = 0u64;
    let mut first: Vec<(String, u64)> = Vec::new();
    let (mut room, mut total_chars, mut last_line) = (budget_chars, 0u64, 0u64);
    let mut fence: Option<(u8, usize)> = None;
    let mut before: Option<String> = None;
    let mut front = false;
    let mut blocks = Blocks::new(text);
    while let Some(block) = blocks.next_block()? {
        total_chars += measure::chars(block.bytes);
        for line in block.lines() {
            last_line = line.number;
            if !line.part.first {
                continue;
            }
            if room > 0 {
                let shown = cut::middle(&guard(line.text().trim_end()), LINE_CHARS).into_owned();
                room = room.saturating_sub(fit::cost(&shown));
                first.push((shown, measure::chars(line.bytes) + 1));
            }
            // A page may begin with its data between two rules, which are no underlines.
            let rule = line.bytes.trim_ascii() == b"---";
            if front || rule && line.number == 0 {
                front = !(rule && front);
                continue;
            }
            let found = heading(line.bytes, &mut fence, &mut before);
            if let Some((level, text, back)) = found {
                count += 1;
                if headings.len() < HEADINGS {
                    headings.push(Heading { line: line.number.saturating_sub(back), level, text });
                }
            }
        }
    }
    if count < 2 {
        return Ok(None);
    }
    let mut fit = Fit::new(budget_chars);
    let depth = fit::depth(&headings, budget_chars / 2).max(1);
    let mut unshown = count - headings.len() as u64;
    for (k, heading) in headings.iter().enumerate().filter(|(_, heading)| heading.level <= depth) {
        let deeper = headings[k + 1..].iter().take_while(|next| next.level > depth).count();
        if fit.left() < budget_chars / 2 || !fit.push(fit::heading_line(heading, deeper), MARK) {
            unshown += headings[k..].iter().filter(|heading| heading.level <= depth).count() as u64;
            break;
        }
    }
    if unshown > 0 {
        fit.push(format!("[... {} not shown ...]", show::count(unshown, "heading")), 0);
    }
    let mut chars = 0;
    let mut shown = 0u64;
    for (line, cost) in first {
        let whole = shown == last_line;
        if !fit.push(line, if whole { 0 } else { MARK }) {
            break;
        }
        chars += cost;
        shown += 1;
    }
    if shown <= last_line {
        fit.push(fit::omitted(shown, last_line, total_chars.saturating_sub(chars)), 0);
    }
    let label = format!(
        "{} with line numbers from 0, then the first {}",
        show::count(count, "heading"),
        show::count(shown, "line")
    );
    Ok(Some(Body { label, lines: fit.lines }))
}

/// Reads a line: the level and the text of the heading that it is or underlines, and how many lines before it began.
fn heading(line: &[u8], fence: &mut Option<(u8, usize)>, before: &mut Option<String>) -> Option<(usize, String, u64)> {
    let bytes = &line[..line.len().min(4096)];
    let text = bytes.trim_ascii();
    let indent = bytes.iter().take_while(|b| **b == b' ').count();
    let last = before.take();
    let mark = text.first().copied().filter(|b| b"`~".contains(b));
    if let Some(mark) = mark.filter(|_| indent < 4) {
        let run = text.iter().take_while(|b| **b == mark).count();
        match *fence {
            Some((open, length)) if open == mark && run >= length && run == text.len() => *fence = None,
            None if run >= 3 => *fence = Some((mark, run)),
            _ => {}
        }
        return None;
    }
    if fence.is_some() || indent > 3 || text.is_empty() {
        return None;
    }
    let level = text.iter().take_while(|b| **b == b'#').count();
    if (1..=6).contains(&level) && matches!(text.get(level), Some(b' ' | b'\t')) {
        let name = clean::line(&text[level..]);
        return Some((level, cut::start(name.trim().trim_end_matches('#').trim_end(), 160).into_owned(), 0));
    }
    let underline = |sign: u8| text.len() >= 2 && text.iter().all(|b| *b == sign);
    if let Some(last) = last.filter(|_| underline(b'=') || underline(b'-')) {
        return Some((if text[0] == b'=' { 1 } else { 2 }, last, 1));
    }
    // A line of a list, a quotation or a table is no heading, whatever stands below it.
    if !matches!(text[0], b'-' | b'*' | b'+' | b'>' | b'|') {
        *before = Some(cut::start(clean::line(text).trim(), 160).into_owned());
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn headings_come_with_their_lines_and_fences_are_no_headings() {
        let text = "---\nkey: x\n---\n# Title\n\ntext\n\n```sh\n# comment\n```\n## Part ##\n\nOld style\n---------\n\n- item\n---\n";
        let body = body(text.as_bytes(), 2000).unwrap().unwrap();
        assert_eq!(body.lines[..3], ["     3  # Title", "    10  ## Part", "    12  ## Old style"]);
        assert_eq!(body.lines[3], "---");
        assert!(body.label.starts_with("3 headings"));
    }

    #[test]
    fn deep_headings_give_way_and_the_rest_is_marked() {
        let text: String = (0..90).map(|k| format!("## Part {k}\n\n### Deeper {k}\n\nwords and words\n\n")).collect();
        let body = body(format!("# All\n{text}").as_bytes(), 6000).unwrap().unwrap();
        assert!(body.lines.iter().map(|l| fit::cost(l)).sum::<usize>() <= 6000);
        assert!(body.lines.contains(&"     1  ## Part 0 (+1 deeper)".to_owned()), "{:?}", &body.lines[..3]);
        assert!(body.lines.iter().any(|l| l.contains("## Part 89")));
        assert!(body.lines.last().unwrap().contains("-540 omitted ("), "{:?}", body.lines.last());
    }

    #[test]
    fn a_page_without_headings_has_no_preview_of_its_own() {
        assert_eq!(body(&b"just\ntext\n"[..], 999).unwrap(), None);
    }

    proptest! {
        #[test]
        fn nothing_exceeds_its_budget(text in "(#{0,7} [a-z\u{e9}]{0,40}\n|```\n|==\n|--\n|\\PC{0,30}\n?){0,60}", budget in 0usize..2000) {
            if let Some(body) = body(text.as_bytes(), budget).unwrap() {
                prop_assert!(body.lines.iter().map(|l| fit::cost(l)).sum::<usize>() <= budget);
                prop_assert!(body.lines.iter().all(|line| !line.contains('\n')));
            }
        }
    }
}
