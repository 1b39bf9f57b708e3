//! Fitting text into a budget of chars: the only place that truncates.
//!
//! Laws: a result is never longer than its budget, never ends inside a char, and says how much it left out.

use std::borrow::Cow;

use super::show::thousands;

/// Returns `text` if it has at most `max` chars, else its start and its end around `[… 12,345 chars …]`.
pub fn middle(text: &str, max: usize) -> Cow<'_, str> {
    if text.len() <= max {
        return Cow::Borrowed(text);
    }
    let total = text.chars().count();
    if total <= max {
        return Cow::Borrowed(text);
    }
    let mark = omitted(total as u64).chars().count();
    let Some(keep) = max.checked_sub(mark).filter(|&keep| keep >= 8) else {
        return start(text, max);
    };
    // The end gets a third: the reason of a failure often stands there.
    let tail = keep / 3;
    let head = keep - tail;
    Cow::Owned(format!("{}{}{}", head_of(text, head), omitted((total - keep) as u64), tail_of(text, tail)))
}

/// Returns `text` if it has at most `max` chars, else its start and `…`.
pub fn start(text: &str, max: usize) -> Cow<'_, str> {
    if text.len() <= max || text.chars().nth(max).is_none() {
        return Cow::Borrowed(text);
    }
    if max == 0 {
        return Cow::Borrowed("");
    }
    Cow::Owned(format!("{}…", head_of(text, max - 1)))
}

/// Returns the mark that stands for `chars` chars left out of a line.
pub fn omitted(chars: u64) -> String {
    format!("[… {} chars …]", thousands(chars))
}

/// Returns the first `n` chars of `text`, or all of it.
pub fn head_of(text: &str, n: usize) -> &str {
    match text.char_indices().nth(n) {
        Some((at, _)) => &text[..at],
        None => text,
    }
}

/// Returns the last `n` chars of `text`, or all of it.
pub fn tail_of(text: &str, n: usize) -> &str {
    match n.checked_sub(1).and_then(|n| text.char_indices().rev().nth(n)) {
        Some((at, _)) => &text[at..],
        None if n == 0 => "",
        None => text,
    }
}

/// Returns `text` cut around the byte range `around` so that it shows the range (or its start) with what stands
/// before and after it, in at most `max` chars; cut ends are marked with `…`.
pub fn around(text: &str, around: std::ops::Range<usize>, max: usize) -> Cow<'_, str> {
    if text.len() <= max || text.chars().nth(max).is_none() {
        return Cow::Borrowed(text);
    }
    let start = floor(text, around.start.min(text.len()));
    if max < 4 {
        return self::start(&text[start..], max);
    }
    let shown = text[start..floor(text, around.end.clamp(start, text.len()))].chars().count().min(max);
    // A quarter of what is left goes before the match, the rest after it; what one side lacks the other gets.
    let spare = max.saturating_sub(shown + 2);
    let before = tail_of(&text[..start], (spare / 4).max(spare.saturating_sub(text[start..].chars().count())));
    let from = start - before.len();
    if from == 0 {
        return self::start(text, max);
    }
    Cow::Owned(format!("…{}", self::start(&text[from..], max - 1)))
}

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_long_line_keeps_its_start_and_its_end() {
        let cut = middle(&"x".repeat(3000), 400).into_owned();
        assert_eq!(cut.chars().count(), 400);
        assert!(cut.contains("[… 2,617 chars …]"), "{cut}");
        let undefined = format!("{} undefined reference", "y".repeat(3000));
        assert!(middle(&undefined, 400).ends_with("undefined reference"));
    }

    #[test]
    fn a_match_is_shown_with_what_is_around_it() {
        let text = format!("{}NEEDLE{}", "a".repeat(5000), "b".repeat(5000));
        let cut = around(&text, 5000..5006, 100);
        assert!(cut.chars().count() <= 100 && cut.contains("aNEEDLEb") && cut.starts_with('…') && cut.ends_with('…'));
        assert!(around(&text, 0..3, 100).starts_with("aaa"));
        assert!(around(&text, 10_003..10_006, 100).ends_with("bbb"));
    }

    proptest! {
        #[test]
        fn nothing_exceeds_its_budget(text in "\\PC{0,300}", max in 0usize..320, a in 0usize..400, b in 0usize..400) {
            for cut in [middle(&text, max), start(&text, max), around(&text, a.min(b)..a.max(b), max)] {
                prop_assert!(cut.chars().count() <= max || text.chars().count() <= max, "{:?}", cut);
            }
            prop_assert_eq!(head_of(&text, max).chars().count(), text.chars().count().min(max));
            prop_assert_eq!(tail_of(&text, max).chars().count(), text.chars().count().min(max));
        }
    }
}
