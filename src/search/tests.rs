//! What search promises, on small texts of its own.

use super::*;

fn lines(text: &str, query: &str) -> Vec<u64> {
    let options = Options { limit: 5, ..Options::default() };
    let hits = search(text.as_bytes(), Kind::Text, query, &options).unwrap();
    hits.hits.iter().map(|h| h.line).collect()
}

#[test]
fn a_line_is_found() {
    assert_eq!(lines("alpha\nbeta\ngamma\n", "Beta"), [1]);
}
