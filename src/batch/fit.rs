//! How several texts share a number of chars.

use crate::handle::Handle;

/// A text that wants room.
#[derive(Clone, Copy, Debug)]
pub struct Want {
    /// How many chars all of it takes.
    pub whole: usize,
    /// The fewest that are of use, if it is not shown whole.
    pub least: usize,
    /// Whether it comes before others.
    pub first: bool,
}

/// Returns how much room each text gets: all that it wants if that is no more than its share, else its share, or
/// nothing if that is too little to be of use. The sum is at most `room`.
pub fn share(wants: &[Want], room: usize) -> Vec<usize> {
    let mut rooms = vec![0; wants.len()];
    let mut order: Vec<usize> = (0..wants.len()).collect();
    order.sort_by_key(|&k| (wants[k].whole, !wants[k].first, k));
    let mut left = room;
    let fits = |done: usize, k: usize, left: usize| wants[k].whole <= left / (order.len() - done);
    let mut small = 0;
    while let Some(&k) = order.get(small).filter(|&&k| fits(small, k, left)) {
        rooms[k] = wants[k].whole;
        left -= wants[k].whole;
        small += 1;
    }
    // They are in the order of their sizes: none of the others fits.
    let mut large = order[small..].to_vec();
    // Too many for useful shares: some go without.
    large.sort_by_key(|&k| (!wants[k].first, k));
    while let Some(&last) = large.last() {
        if large.iter().map(|&k| wants[k].least).max().unwrap_or(0) <= left / large.len() {
            break;
        }
        rooms[last] = 0;
        large.pop();
    }
    let mut count = large.len();
    large.sort_by_key(|&k| wants[k].whole);
    for k in large {
        rooms[k] = (left / count).min(wants[k].whole);
        left -= rooms[k];
        count -= 1;
    }
    rooms
}

/// Returns a replacement with fewer lines of its preview, in at most `room` chars; `None` if not even the handle fits.
/// `tail` = the end matters more than the start.
pub fn shorten(replacement: &str, room: usize, tail: bool) -> Option<String> {
    let chars = |text: &str| text.chars().count() + 1;
    if chars(replacement) - 1 <= room {
        return Some(replacement.to_owned());
    }
    let lines: Vec<&str> = replacement.lines().collect();
    let [first, _, body @ .., last] = &lines[..] else { return None };
    let body = match body.split_last() {
        Some((intact, rest)) if intact.starts_with(crate::handle::INTACT) => rest,
        _ => body,
    };
    let label = |n: usize| Handle::label(&format!("shortened to {n} of its {} lines", body.len()));
    let gap = |n: usize| format!("[... {n} lines of this preview left out ...]");
    let fixed = chars(first) + chars(&label(body.len())) + chars(last);
    let mut left = room.checked_sub(fixed)?;
    let (mut head, mut end) = (0, 0);
    left = left.saturating_sub(chars(&gap(body.len())));
    while head + end < body.len() {
        let from_end = if tail { head * 2 > end } else { end * 2 < head };
        let line = if from_end { body[body.len() - 1 - end] } else { body[head] };
        let Some(rest) = left.checked_sub(chars(line)) else { break };
        left = rest;
        if from_end { end += 1 } else { head += 1 }
    }
    let mut out = vec![(*first).to_owned(), label(head + end)];
    out.extend(body[..head].iter().map(|line| (*line).to_owned()));
    let gap = gap(body.len() - head - end);
    if head + end < body.len() && out.iter().map(|l| chars(l)).sum::<usize>() + chars(&gap) + chars(last) <= room {
        out.push(gap);
    }
    out.extend(body[body.len() - end..].iter().map(|line| (*line).to_owned()));
    out.push((*last).to_owned());
    Some(out.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn want(whole: usize) -> Want {
        Want { whole, least: 100, first: false }
    }

    #[test]
    fn small_texts_are_whole_and_the_large_one_takes_the_rest() {
        let wants = [want(50), want(5000), want(60), want(70)];
        assert_eq!(share(&wants, 1000), [50, 820, 60, 70]);
    }

    #[test]
    fn texts_of_one_size_get_the_same() {
        assert_eq!(share(&[want(500); 4], 1000), [250; 4]);
    }

    #[test]
    fn too_small_shares_are_given_to_some() {
        let mut wants = vec![want(5000); 50];
        wants[40].first = true;
        let rooms = share(&wants, 1000);
        assert_eq!(rooms.iter().filter(|&&r| r > 0).count(), 10);
        assert!(rooms[40] > 0 && rooms[0] > 0 && rooms[49] == 0);
    }

    #[test]
    fn a_shortened_preview_says_so_and_keeps_its_handle() {
        let body: String = (0..40).map(|k| format!("line {k}\n")).collect();
        let whole =
            format!("[Toolaria: x; blob=1]\nPreview (x); y:\n{body}The full text is stored intact: /x\nRetrieve `x`\n");
        let short = shorten(&whole, 260, false).unwrap();
        assert!(short.chars().count() <= 260 && short.starts_with("[Toolaria: x; blob=1]\nPreview (shortened to "));
        assert!(
            short.ends_with("line 39\nRetrieve `x`\n") && short.contains("lines of this preview left out"),
            "{short}"
        );
        assert!(!short.contains("intact"));
        assert_eq!(shorten(&whole, 60, false), None);
    }

    proptest! {
        #[test]
        fn shares_never_exceed_the_room(
            sizes in proptest::collection::vec((0usize..3000, 0usize..500, any::<bool>()), 0..40),
            room in 0usize..5000,
            tail in any::<bool>(),
        ) {
            let wants: Vec<Want> =
                sizes.iter().map(|&(whole, least, first)| Want { whole, least, first }).collect();
            let rooms = share(&wants, room);
            prop_assert!(rooms.iter().sum::<usize>() <= room);
            prop_assert!(rooms.iter().zip(&wants).all(|(r, w)| *r <= w.whole));
            let text: String = sizes.iter().map(|(n, ..)| format!("{n}\n")).collect();
            if let Some(short) = shorten(&text, room, tail) {
                prop_assert!(short.chars().count() <= room.max(1), "{:?}", short);
            }
        }
    }
}
