//! Stable sorting through one compiled sort for all types.
//!
//! The sort of the standard library is compiled anew for every type, 6 KB each time. Nothing here sorts more than a few
//! thousand things once per answer, so an indirection costs nothing that could be measured.

use std::cmp::Ordering;

/// Sorts by a comparison; equal items keep their order.
pub fn by<T>(items: &mut Vec<T>, compare: impl Fn(&T, &T) -> Ordering) {
    let order = indices(items.len(), &|a, b| compare(&items[a], &items[b]));
    let mut slots: Vec<Option<T>> = items.drain(..).map(Some).collect();
    items.extend(order.into_iter().filter_map(|k| slots[k].take()));
}

/// Sorts by a key; equal items keep their order.
pub fn by_key<T, K: Ord>(items: &mut Vec<T>, key: impl Fn(&T) -> K) {
    by(items, |a, b| key(a).cmp(&key(b)));
}

fn indices(len: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    order.sort_by(|&a, &b| compare(a, b));
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sorts_as_the_standard_library_does(items in proptest::collection::vec((0u8..9, any::<u16>()), 0..80)) {
            let (mut mine, mut theirs) = (items.clone(), items);
            by_key(&mut mine, |item| item.0);
            theirs.sort_by_key(|item| item.0);
            prop_assert_eq!(mine, theirs);
        }
    }
}
