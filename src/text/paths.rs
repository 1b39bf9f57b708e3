//! Lines that are paths, or matches with the file they stand in.

/// Returns the path that a line is, or begins with before `:number:`, and whether it is that of a match.
pub fn path(text: &[u8]) -> Option<(&[u8], bool)> {
    if let Some(colon) = memchr::memchr(b':', text).filter(|n| *n > 0) {
        let digits = text[colon + 1..].iter().take_while(|b| b.is_ascii_digit()).count();
        if digits > 0 && matches!(text.get(colon + 1 + digits), Some(b':' | b'-')) && like_a_path(&text[..colon]) {
            return Some((&text[..colon], true));
        }
    }
    let anchored = [&b"/"[..], b"./", b"../", b"~/"].iter().any(|start| text.starts_with(start));
    if text.ends_with(b":") || memchr::memmem::find(text, b"://").is_some() {
        return None;
    }
    let bare = !text.iter().any(|b| b" \t:;,=(){}<>\"'`|".contains(b)) && text.contains(&b'/');
    (anchored || bare).then_some((text, false))
}

fn like_a_path(text: &[u8]) -> bool {
    !text.iter().any(|b| b" \t;,=(){}<>\"'`|".contains(b)) && (text.contains(&b'/') || text.contains(&b'.'))
}

/// Whether lines are those of a search through files (`grep -rn`): nearly all begin with `path:number:`, and few go on
/// as the messages of a compiler do. What such lines say is not what happened.
pub fn are_matches<'a>(lines: impl Iterator<Item = &'a [u8]>) -> bool {
    let (mut all, mut matches, mut messages) = (0u64, 0u64, 0u64);
    for line in lines.filter(|line| !line.is_empty()) {
        all += 1;
        if let Some((path, true)) = path(line) {
            matches += 1;
            messages += u64::from(is_message(&line[path.len()..]));
        }
    }
    all >= 5 && matches * 10 >= all * 9 && messages * 5 < matches
}

/// `:12:5: error: …`, `:12: warning: …`: what a compiler says of the place.
fn is_message(rest: &[u8]) -> bool {
    let after = rest.trim_ascii_start();
    let after = after.strip_prefix(b":").unwrap_or(after);
    let numbers = after.iter().take_while(|b| b.is_ascii_digit() || **b == b':').count();
    let words = after[numbers..].trim_ascii_start();
    let words = words.get(..24.min(words.len())).unwrap_or_default().to_ascii_lowercase();
    ["error", "warning", "note", "fatal", "info", "hint", "undefined", "required from"]
        .iter()
        .any(|word| words.starts_with(word.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_are_told_from_messages() {
        let of = |text: &str| are_matches(text.lines().map(str::as_bytes));
        assert!(of(&"src/error.rs:71:fn plain(error: &io::Error) -> String {\n".repeat(9)));
        assert!(!of(&"src/error.rs:71:5: error: expected `;`\n".repeat(9)));
        assert!(!of(&"shop.cpp:34: undefined reference to `main`\n".repeat(9)));
        assert!(!of(&"2026-11-08 04:12:31 INFO started\n".repeat(9)));
        assert!(!of("a.c:1: x\n"));
    }
}
