//! English inflection, simply: which forms of a word count as the word.
//!
//! Two words with the same [`stem`] are forms of one word (`charged`, `charging`); with the same [`root`] they are
//! derived from one (`failure`, `fail`; `allocation`, `allocator`). Neither is a word itself. Far simpler than Porter's
//! rules and with other aims: `failure` must meet `failed`, which Porter keeps apart.

fn vowel(word: &str) -> bool {
    word.bytes().any(|b| b"aeiouy".contains(&b))
}

/// Returns `word` without a doubled last consonant (`stopp` → `stop`), but for those that words end in (`fill`).
fn undouble(word: &str) -> &str {
    match word.as_bytes() {
        [.., a, b] if a == b && !b"aeioulsz".contains(b) && word.len() > 3 => &word[..word.len() - 1],
        _ => word,
    }
}

fn without_e(word: &str) -> &str {
    match word.strip_suffix('e') {
        Some(short) if short.len() >= 2 && vowel(short) => short,
        _ => word,
    }
}

/// Returns what the inflected forms of a folded word have in common.
pub(super) fn stem(word: &str) -> String {
    let plain = |base: &str| without_e(base).to_owned();
    if word.len() < 3 || !word.is_ascii() {
        return word.to_owned();
    }
    // The plural first, so that `settings` and `settled` go the same way as `setting`.
    let single = if word.ends_with("ss") || word.ends_with("us") || word.ends_with("is") {
        word.to_owned()
    } else if let Some(base) = word.strip_suffix("ies").filter(|b| b.len() > 1) {
        format!("{base}y")
    } else if let Some(base) =
        ["sses", "xes", "ches", "shes", "zzes"].iter().find_map(|s| word.ends_with(s).then(|| &word[..word.len() - 2]))
    {
        base.to_owned()
    } else if let Some(base) = word.strip_suffix('s').filter(|b| b.len() > 2 && vowel(b)) {
        base.to_owned()
    } else {
        word.to_owned()
    };
    if let Some(base) = single.strip_suffix("ied").filter(|b| b.len() > 1) {
        return format!("{base}y");
    }
    if single.ends_with("eed") {
        return single;
    }
    for suffix in ["ed", "ing"] {
        if let Some(base) = single.strip_suffix(suffix).filter(|b| b.len() > 1 && vowel(b)) {
            return plain(undouble(base));
        }
    }
    plain(&single)
}

/// The endings that make one word of another, with how much must be left; a final `e` is gone by then.
const DERIVED: &[(&str, usize)] = &[
    ("ization", 4),
    ("isation", 4),
    ("ation", 4),
    ("ition", 4),
    ("ion", 5),
    ("ment", 4),
    ("abl", 4),
    ("ibl", 4),
    ("anc", 4),
    ("enc", 4),
    ("ancy", 4),
    ("ency", 4),
    ("ant", 4),
    ("ent", 4),
    ("ness", 4),
    ("ity", 4),
    ("ur", 4),
    ("iz", 6),
    ("is", 6),
    ("er", 4),
    ("or", 4),
    ("ly", 4),
    ("al", 5),
    ("at", 4),
];

/// Returns what words derived from one another have in common.
pub(super) fn root(word: &str) -> String {
    let mut base = stem(word);
    for _ in 0..2 {
        let Some((suffix, shorter)) = DERIVED.iter().find_map(|&(suffix, left)| {
            let rest = base.strip_suffix(suffix)?;
            (rest.len() >= left && vowel(rest)).then(|| (suffix, undouble(rest).to_owned()))
        }) else {
            break;
        };
        base = shorter;
        // `initialise` is of `initial`, not of what that comes from.
        if suffix.starts_with('i') && suffix[1..].starts_with(['s', 'z']) {
            break;
        }
    }
    base
}

/// Endings tried after the part that the forms of a word share.
const ENDINGS: &[&str] = &[
    "", "s", "es", "e", "ed", "d", "ing", "ings", "er", "ers", "or", "ors", "y", "ies", "ied", "ying", "ion", "ions",
    "ation", "ations", "ition", "itions", "ment", "ments", "ure", "ures", "ured", "uring", "uration", "urations",
    "urable", "able", "ible", "ance", "ence", "ances", "ences", "ancy", "ency", "ancies", "encies", "ant", "ent",
    "ants", "ents", "ness", "ity", "ly", "al", "als", "ally", "ate", "ates", "ated", "ating", "ator", "ators", "ize",
    "izes", "ized", "izing", "izer", "izers", "ization", "izations", "ise", "ises", "ised", "ising", "isation",
    "ional",
];

/// A form of a word: its ending after the shared part, and how much it counts.
pub(super) type Form = (Box<[u8]>, f32);

/// The forms of one word.
pub(super) struct Forms {
    /// What every form begins with.
    pub(super) shared: String,
    /// The endings after it.
    pub(super) endings: Vec<Form>,
}

/// Returns the forms of a folded word as shared beginnings with endings (mostly one; `try` and `trie` for `try`).
/// `derived` is how much a derived word counts against 1 for the word itself; 0 leaves them out.
pub(super) fn forms(word: &str, derived: f32) -> Vec<Forms> {
    let one = |shared: &str, endings| Forms { shared: shared.to_owned(), endings };
    if !word.is_ascii() || word.len() < 3 || !word.bytes().all(|b| b.is_ascii_alphabetic()) {
        return vec![one(word, vec![(Box::default(), 1.0)])];
    }
    let (stem_of_word, root_of_word) = (stem(word), root(word));
    let common = |a: &str, b: &str| a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let mut cut = common(word, &stem_of_word);
    if derived > 0.0 {
        cut = cut.min(common(word, &root_of_word));
    }
    let shared = &word[..cut];
    let without_y = shared.strip_suffix('y').or(shared.strip_suffix('i')).unwrap_or(shared);
    let starts = if without_y.len() >= 3 || without_y == shared {
        vec![without_y.to_owned()]
    } else {
        vec![format!("{without_y}y"), format!("{without_y}i")]
    };
    starts
        .into_iter()
        .map(|shared| {
            let double = shared.chars().last().unwrap_or(' ');
            let endings = ENDINGS.iter().map(|e| (*e).to_owned());
            let doubled = ["ed", "ing", "er", "ers", "ings"].iter().map(|e| format!("{double}{e}"));
            let mut accepted: Vec<Form> = Vec::new();
            for ending in endings.chain(doubled).chain(word.strip_prefix(&*shared).map(str::to_owned)) {
                let form = format!("{shared}{ending}");
                let weight = if form == word {
                    1.0
                } else if stem(&form) == stem_of_word {
                    0.95
                } else if derived > 0.0 && root(&form) == root_of_word {
                    derived
                } else {
                    continue;
                };
                if !accepted.iter().any(|(e, _)| **e == *ending.as_bytes()) {
                    accepted.push((ending.into_bytes().into_boxed_slice(), weight));
                }
            }
            // The word as it was typed is what is met most.
            crate::order::by(&mut accepted, |a, b| b.1.total_cmp(&a.1));
            Forms { shared, endings: accepted }
        })
        .filter(|f| !f.endings.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meets(query: &str, text: &str) -> f32 {
        let found = forms(query, 0.8).into_iter().find_map(|f| {
            let rest = text.strip_prefix(&*f.shared)?;
            f.endings.iter().find(|(e, _)| **e == *rest.as_bytes()).map(|(_, weight)| *weight)
        });
        found.unwrap_or(0.0)
    }

    #[test]
    fn forms_of_a_word_meet() {
        for family in [
            &["fail", "fails", "failed", "failing", "failure", "failures"][..],
            &["charge", "charged", "charges", "charging"],
            &["try", "tries", "tried", "trying"],
            &["retry", "retries", "retried", "retrying"],
            &["stop", "stops", "stopped", "stopping"],
            &["configure", "configured", "configuration", "config"],
            &["allocate", "allocation", "allocator", "alloc"],
            &["use", "used", "uses", "using"],
            &["initialise", "initialised", "initialization", "initialize"],
            &["connect", "connection", "connections", "connecting"],
            &["depend", "depends", "dependency", "dependencies", "dependent"],
            &["directory", "directories"],
            &["miss", "missing", "missed"],
            &["match", "matches", "matched"],
            &["setting", "settings", "set"],
            &["remove", "removal", "removed"],
            &["type", "types", "typed"],
        ] {
            for a in family {
                for b in family {
                    assert!(meets(a, b) > 0.0, "{a} does not meet {b}");
                }
                assert!((meets(a, a) - 1.0).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn other_words_do_not() {
        for (a, b) in [
            ("string", "str"),
            ("user", "us"),
            ("need", "ne"),
            ("order", "ord"),
            ("class", "clas"),
            ("status", "statu"),
            ("event", "even"),
            ("time", "timer"),
            ("port", "portion"),
            ("test", "testament"),
            ("this", "thi"),
        ] {
            assert!(meets(a, b) == 0.0, "{a} meets {b} as {}", meets(a, b));
        }
        assert!(meets("fail", "failure") < meets("fail", "failed"));
    }
}
