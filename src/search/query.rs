//! From a query to what is looked for: terms, and for each the literals that stand for it.

use memchr::memmem;

use super::fold::{self, Script, fold, script};
use super::rank::Weights;
use super::shape::{self, Intent};
use super::stem::{self, Form, stem};
use super::synonyms;

/// The most terms of a query that are looked for; the longest words stay.
pub(super) const MAX_TERMS: usize = 24;
/// The most literals that one scan looks for: what the packed search takes at speed.
const MAX_LITERALS: usize = 96;

/// One thing that is looked for.
#[derive(Debug)]
pub(super) struct Term {
    /// The folded word.
    pub(super) text: String,
    /// How much it counts against a plain word.
    pub(super) weight: f32,
    /// Counts in lines that others found; is not looked for itself.
    pub(super) passive: bool,
}

/// How a literal that was found is made sure of.
#[derive(Debug)]
pub(super) enum Check {
    /// It begins a word; the endings that count, and the whole word as typed.
    Word { endings: Vec<Form>, word: Box<[u8]> },
    /// A number: not part of a longer one.
    Number,
    /// Stands as it is, its ends being ends of words.
    Exact,
    /// Stands anywhere (scripts without spaces).
    Anywhere,
}

/// A literal of a term.
#[derive(Debug)]
pub(super) struct Variant {
    pub(super) literal: Box<[u8]>,
    pub(super) check: Check,
    /// The terms it stands for, a bit each.
    pub(super) terms: u32,
    pub(super) weight: f32,
    /// Not of the query but of the table of synonyms.
    pub(super) synonym: bool,
}

impl Variant {
    /// Returns the word that it stands for, as an answer names it.
    pub(super) fn word(&self) -> String {
        let word = match &self.check {
            Check::Word { word, .. } => word,
            _ => &self.literal,
        };
        String::from_utf8_lossy(word).into_owned()
    }
}

/// A parsed query. Any text is one.
#[derive(Debug)]
pub struct Query {
    pub(super) terms: Vec<Term>,
    pub(super) variants: Vec<Variant>,
    /// The whole query, folded, if it is more than one term.
    pub(super) phrase: Option<memmem::Finder<'static>>,
    /// The whole query as typed.
    pub(super) typed: memmem::Finder<'static>,
    pub(super) intent: Intent,
    pub(super) finder: super::find::Finder,
    pub(super) passive: super::find::Finder,
}

struct Builder<'w> {
    weights: &'w Weights,
    terms: Vec<Term>,
    variants: Vec<Variant>,
}

/// A word of the query and the term it became.
struct Word {
    text: String,
    term: Option<usize>,
}

impl Query {
    /// Parses a query; never fails, whatever it holds.
    pub fn parse(query: &str) -> Query {
        Query::weighed(query, &Weights::default())
    }

    /// Parses a query to be ranked with `weights`.
    pub fn weighed(query: &str, weights: &Weights) -> Query {
        let typed = query.trim();
        let mut builder = Builder { weights, terms: Vec::new(), variants: Vec::new() };
        let mut words = builder.read(typed, false);
        if builder.terms.iter().all(|t| t.passive && listed(&t.text, synonyms::WEAK)) {
            (builder.terms, builder.variants) = (Vec::new(), Vec::new());
            words = builder.read(typed, true);
        }
        let folded = fold(typed);
        if builder.terms.is_empty() && !folded.is_empty() {
            let term = builder.term(&folded, 1.0, false);
            builder.exact(folded.as_bytes(), 1 << term, 1.0, false);
        }
        builder.add_synonyms(&words);
        builder.add_initials(&words);
        let all: Vec<&str> = words.iter().map(|w| w.text.as_str()).collect();
        let intent = shape::intent(&all);
        for term in intent.asking.iter().filter_map(|&k| words[k].term) {
            builder.terms[term].weight *= weights.asking;
        }
        if intent.cause && weights.cause > 0.0 {
            builder.add_failure();
        }
        // A passive term alone would find nothing.
        if builder.terms.iter().all(|t| t.passive) {
            builder.terms.iter_mut().for_each(|t| t.passive = false);
        }
        let (terms, mut variants) = (builder.terms, builder.variants);
        crate::order::by_key(&mut variants, |v| v.synonym);
        variants.truncate(MAX_LITERALS);
        let passive: u32 = terms.iter().enumerate().filter(|(_, t)| t.passive).map(|(k, _)| 1 << k).sum();
        let finder = super::find::Finder::new(&variants, |v| v.terms & !passive != 0);
        let passive = super::find::Finder::new(&variants, |v| v.terms & !passive == 0);
        let phrase = (terms.len() > 1).then(|| memmem::Finder::new(folded.as_bytes()).into_owned());
        let typed = memmem::Finder::new(typed.as_bytes()).into_owned();
        Query { terms, variants, phrase, typed, intent, finder, passive }
    }

    /// Returns the words that are looked for, for the answer's first line.
    pub fn words(&self) -> Vec<String> {
        self.terms.iter().map(|t| t.text.clone()).collect()
    }
}

/// Whether a word is in a list of words.
fn listed(word: &str, list: &str) -> bool {
    list.split_ascii_whitespace().any(|w| w == word)
}

impl Builder<'_> {
    fn term(&mut self, text: &str, weight: f32, passive: bool) -> usize {
        if let Some(k) = self.terms.iter().position(|t| t.text == text) {
            return k;
        }
        self.terms.push(Term { text: text.to_owned(), weight, passive });
        self.terms.len() - 1
    }

    fn exact(&mut self, literal: &[u8], terms: u32, weight: f32, synonym: bool) {
        self.variant(literal, Check::Exact, terms, weight, synonym);
    }

    fn variant(&mut self, literal: &[u8], check: Check, terms: u32, weight: f32, synonym: bool) {
        if !literal.is_empty() && terms != 0 {
            self.variants.push(Variant { literal: literal.into(), check, terms, weight, synonym });
        }
    }

    /// Looks for the forms of a word.
    fn forms(&mut self, word: &str, terms: u32, weight: f32, synonym: bool) {
        if word.len() < 3 {
            return self.exact(word.as_bytes(), terms, weight, synonym);
        }
        for forms in stem::forms(word, self.weights.derived) {
            let check = Check::Word { endings: forms.endings, word: word.as_bytes().into() };
            self.variant(forms.shared.as_bytes(), check, terms, weight, synonym);
        }
    }

    /// Reads the chunks of a query; returns all its words in order.
    fn read(&mut self, query: &str, with_stop_words: bool) -> Vec<Word> {
        let mut words = Vec::new();
        let chunks: Vec<&str> = query.split_whitespace().collect();
        for chunk in &chunks {
            let edge = |c: char| !c.is_alphanumeric();
            let core = chunk.trim_matches(edge);
            let folded = fold(chunk);
            // Punctuation inside, or at the edge where it is more than a sentence's: the chunk as typed is a term too.
            let sentence = |c: char| ".,;:!?\"'()[]{}".contains(c);
            let marked =
                core.contains(edge) || chunk.trim_matches(sentence) != core || chunks.len() == 1 && *chunk != core;
            let number = !core.is_empty() && core.chars().all(|c| c.is_ascii_digit() || ".:,-/".contains(c));
            if marked && !core.is_empty() {
                let weight = if number { 1.0 } else { self.weights.chunk };
                let term = self.room().then(|| self.term(&folded, weight, false));
                if let Some(term) = term {
                    self.exact(folded.as_bytes(), 1 << term, 1.0, false);
                    if *chunk != core && core.contains(edge) {
                        self.exact(fold(core).as_bytes(), 1 << term, 0.9, false);
                    }
                }
                if number && core.contains(edge) {
                    words.push(Word { text: folded, term });
                    continue;
                }
            } else if core.is_empty() && chunks.len() > 1 && !folded.is_empty() {
                // A lone sign among words: too common to look for.
                words.push(Word { text: folded, term: None });
                continue;
            }
            let parts = split(core);
            let many = parts.len() > 1;
            for part in parts {
                let term = self.part(&part, many, with_stop_words, chunks.len() == 1 && !many);
                words.push(Word { text: part.text, term });
            }
        }
        words
    }

    fn room(&self) -> bool {
        self.terms.len() < MAX_TERMS
    }

    /// Makes a word of the query a term, unless it is one that only asks.
    fn part(&mut self, part: &Part, many: bool, with_stop_words: bool, alone: bool) -> Option<usize> {
        let text = part.text.as_str();
        let weak = listed(text, synonyms::WEAK);
        if !self.room() || (!with_stop_words && !alone && !weak && listed(text, synonyms::STOP)) {
            return None;
        }
        let first = text.chars().next()?;
        let kind = script(first);
        if kind != Script::Spaced {
            return self.run(text, kind, with_stop_words || alone);
        }
        let single = text.chars().nth(1).is_none();
        let passive = single || (weak && !with_stop_words);
        let weight = if weak && !with_stop_words {
            self.weights.weak
        } else if single && many {
            0.4
        } else if !alone && listed(text, synonyms::GENERAL) {
            self.weights.general
        } else {
            1.0
        };
        if weight == 0.0 {
            return None;
        }
        let term = self.term(text, weight, passive);
        let bit = 1 << term;
        let digits = text.bytes().filter(u8::is_ascii_digit).count();
        if digits == text.len() {
            self.variant(text.as_bytes(), Check::Number, bit, 1.0, false);
        } else if digits > 0 {
            self.exact(text.as_bytes(), bit, 1.0, false);
            let letters = text.trim_end_matches(|c: char| c.is_ascii_digit());
            if letters.len() + digits == text.len() && letters.len() >= 3 {
                // `utf8` is `utf-8`; and `python3` is a `python`.
                for sign in ["-", "_", " "] {
                    let apart = format!("{letters}{sign}{}", &text[letters.len()..]);
                    self.exact(apart.as_bytes(), bit, 0.95, false);
                }
                self.exact(letters.as_bytes(), bit, 0.5, false);
            }
        } else {
            self.forms(text, bit, 1.0, false);
            if let Some(at) = text.find("our").filter(|&at| at >= 3 && text.len() >= 6) {
                self.forms(&format!("{}or{}", &text[..at], &text[at + 3..]), bit, 0.95, false);
            }
        }
        Some(term)
    }

    /// Makes a run of a script without spaces terms: katakana is a word, all else pairs of chars.
    fn run(&mut self, text: &str, kind: Script, alone: bool) -> Option<usize> {
        let chars: Vec<char> = text.chars().collect();
        if kind == Script::Hiragana && !alone && chars.len() < 3 {
            return None; // particles
        }
        let weight = if kind == Script::Hiragana && !alone { 0.25 } else { 1.0 };
        if kind == Script::Katakana || chars.len() <= 2 {
            let term = self.term(text, weight, false);
            self.variant(text.as_bytes(), Check::Anywhere, 1 << term, 1.0, false);
            return Some(term);
        }
        let mut first = None;
        for pair in chars.windows(2) {
            if !self.room() {
                break;
            }
            let pair: String = pair.iter().collect();
            let term = self.term(&pair, weight, false);
            self.variant(pair.as_bytes(), Check::Anywhere, 1 << term, 1.0, false);
            first = first.or(Some(term));
        }
        first
    }

    /// Looks for synonyms of single words and of phrases.
    fn add_synonyms(&mut self, words: &[Word]) {
        let stems: Vec<String> = words.iter().map(|w| stem(&w.text)).collect();
        let tables = [
            (synonyms::SHORT, self.weights.short),
            (synonyms::IRREGULAR, self.weights.short),
            (synonyms::ALIKE, self.weights.alike),
        ];
        for (table, weight) in tables {
            if weight == 0.0 {
                continue;
            }
            for group in table.lines() {
                let members = || group.split_ascii_whitespace();
                for member in members() {
                    // A stem begins as its word does: most members need no closer look.
                    if !stems.iter().any(|s| s.as_bytes().first() == member.as_bytes().first()) {
                        continue;
                    }
                    let parts: Vec<String> = member.split('_').map(stem).collect();
                    let Some(at) = stems.windows(parts.len()).position(|w| w == parts) else { continue };
                    let here = &words[at..at + parts.len()];
                    let terms = here.iter().filter_map(|w| w.term).fold(0, |mask, t| mask | 1 << t);
                    for other in members().filter(|o| *o != member) {
                        self.synonym(other, terms, weight);
                    }
                }
            }
        }
    }

    fn synonym(&mut self, other: &str, terms: u32, weight: f32) {
        if terms == 0 {
            return;
        }
        if other.bytes().all(|b| b.is_ascii_digit()) {
            self.variant(other.as_bytes(), Check::Number, terms, weight, true);
        } else if other.contains('_') {
            for sign in [" ", "", "_", "-"] {
                self.exact(other.replace('_', sign).as_bytes(), terms, weight, true);
            }
        } else {
            self.forms(other, terms, weight, true);
        }
    }

    /// `link time optimization` is also `lto`.
    fn add_initials(&mut self, words: &[Word]) {
        if self.weights.initials == 0.0 {
            return;
        }
        for n in 3..=4 {
            for run in words.windows(n) {
                let letters = |w: &Word| w.text.len() >= 2 && w.text.bytes().all(|b| b.is_ascii_alphabetic());
                let terms = run.iter().filter_map(|w| w.term).fold(0u32, |mask, t| mask | 1 << t);
                if run.iter().all(letters) && terms.count_ones() as usize == n {
                    let initials: String = run.iter().filter_map(|w| w.text.chars().next()).collect();
                    self.exact(initials.as_bytes(), terms, self.weights.initials, true);
                }
            }
        }
    }

    /// Whoever asks why asks for an error, whatever it is called.
    fn add_failure(&mut self) {
        let Some(group) = synonyms::ALIKE.lines().find(|l| l.trim_start().starts_with("fail ")) else { return };
        if self.terms.iter().any(|t| listed(&stem(&t.text), group)) || !self.room() {
            return;
        }
        let term = self.term("error", self.weights.cause, false);
        for word in group.split_ascii_whitespace() {
            self.synonym(word, 1 << term, 1.0);
        }
    }
}

/// A word of a chunk.
struct Part {
    text: String,
}

/// Splits a chunk into its folded words: at punctuation, humps and changes of script, but not between letters and digits
/// (`E0308` stays whole).
fn split(core: &str) -> Vec<Part> {
    let (mut bytes, mut map) = (String::new(), Vec::new());
    fold::fold_with_map(core, &mut bytes, &mut map);
    let line = fold::Folded { source: core.as_bytes(), bytes: bytes.as_bytes(), map: Some(&map) };
    let (mut parts, mut from) = (Vec::new(), 0);
    let digit = |at: usize| bytes.as_bytes()[at].is_ascii_digit();
    let alnum = |at: usize| bytes.as_bytes()[at].is_ascii_alphanumeric();
    let same_run = |at: usize| {
        let (before, after) = (bytes[..at].chars().next_back(), bytes[at..].chars().next());
        match (before.map(script), after.map(script)) {
            (Some(a), Some(b)) => a == b && a != Script::Spaced,
            _ => false,
        }
    };
    for at in (1..=bytes.len()).filter(|&at| bytes.is_char_boundary(at)) {
        let cut = at == bytes.len()
            || line.boundary(at) && !same_run(at) && !(alnum(at - 1) && alnum(at) && digit(at - 1) != digit(at));
        if cut {
            let text = &bytes[from..at];
            if text.chars().any(char::is_alphanumeric) {
                parts.push(Part { text: text.to_owned() });
            }
            from = at;
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(query: &str) -> Vec<String> {
        Query::parse(query).words()
    }

    #[test]
    fn words_of_a_query() {
        assert_eq!(words("which tests failed"), ["tests", "failed"]);
        assert_eq!(words("paymentGateway"), ["payment", "gateway"]);
        assert_eq!(words("E0308 utf8"), ["e0308", "utf8"]);
        assert_eq!(words("AND OR NOT"), ["and", "or", "not"]);
        assert_eq!(words("命令替換"), ["命令", "令替", "替換"]);
        assert_eq!(words("コネクタの初期化"), ["コネクタ", "初期", "期化"]);
        assert_eq!(words("io::Pipe"), ["io::pipe", "io", "pipe"]);
        assert_eq!(words("2.11.0"), ["2.11.0"]);
        assert_eq!(words("\""), ["\""]);
        assert_eq!(words("  "), [""; 0]);
    }

    #[test]
    fn long_queries_are_bounded() {
        let query: String = (0..5000).map(|n| format!("word{n} ")).collect();
        let query = Query::parse(&query);
        assert!(query.terms.len() <= MAX_TERMS && query.variants.len() <= MAX_LITERALS);
    }
}
