//! Finding the literals of a query: a packed search over folded bytes, and the check of each place it names.

use aho_corasick::{AhoCorasick, Input, MatchKind, packed};

use super::fold::Folded;
use super::query::{Check, Variant};

/// A place in a folded line that stands for terms.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    /// The terms, a bit each.
    pub(super) terms: u32,
    /// How good the match is, up to 1.
    pub(super) strength: f32,
    pub(super) start: u32,
    pub(super) end: u32,
    /// Found by a synonym.
    pub(super) synonym: bool,
    /// Which variant it was.
    pub(super) variant: u16,
}

enum Engine {
    Nothing,
    Packed(packed::Searcher),
    Automaton(AhoCorasick),
}

/// What partial matches count.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    pub(super) inside: f32,
    pub(super) prefix: f32,
}

/// Searches for many literals at once.
pub(super) struct Finder {
    engine: Engine,
    /// For each literal of the engine the variants that begin with it.
    uses: Vec<Vec<u16>>,
}

impl std::fmt::Debug for Finder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Finder({} literals)", self.uses.len())
    }
}

impl Finder {
    /// Makes a search for those of `variants` that are `wanted`.
    pub(super) fn new(variants: &[Variant], wanted: impl Fn(&Variant) -> bool) -> Finder {
        // A literal that begins with another is found by the other.
        let mut order: Vec<u16> = (0..variants.len() as u16).filter(|&k| wanted(&variants[k as usize])).collect();
        crate::order::by_key(&mut order, |&k| variants[k as usize].literal.len());
        let (mut literals, mut uses): (Vec<&[u8]>, Vec<Vec<u16>>) = (Vec::new(), Vec::new());
        for k in order {
            let literal = &*variants[k as usize].literal;
            match literals.iter().position(|l| literal.starts_with(l)) {
                Some(known) => uses[known].push(k),
                None => {
                    literals.push(literal);
                    uses.push(vec![k]);
                }
            }
        }
        let mut builder = packed::Config::new().heuristic_pattern_limits(false).builder();
        builder.extend(&literals);
        let engine = if literals.is_empty() {
            Engine::Nothing
        } else if let Some(searcher) = builder.build() {
            Engine::Packed(searcher)
        } else {
            match AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(&literals) {
                Ok(automaton) => Engine::Automaton(automaton),
                Err(_) => Engine::Nothing,
            }
        };
        Finder { engine, uses }
    }

    /// Whether there is nothing to find.
    pub(super) fn is_empty(&self) -> bool {
        matches!(self.engine, Engine::Nothing)
    }

    /// Returns the next place at or after `at` where a literal stands: its number and where it begins.
    #[inline]
    pub(super) fn next(&self, folded: &[u8], at: usize) -> Option<(usize, usize)> {
        match &self.engine {
            Engine::Nothing => None,
            Engine::Packed(searcher) => {
                searcher.find_in(folded, (at..folded.len()).into()).map(|m| (m.pattern().as_usize(), m.start()))
            }
            Engine::Automaton(automaton) => {
                automaton.find(Input::new(folded).range(at..folded.len())).map(|m| (m.pattern().as_usize(), m.start()))
            }
        }
    }

    /// Checks a place that [`Finder::next`] named; adds what it stands for.
    pub(super) fn check(
        &self,
        variants: &[Variant],
        rules: Rules,
        (literal, at): (usize, usize),
        line: &Folded<'_>,
        out: &mut Vec<Mark>,
    ) {
        for &variant in &self.uses[literal] {
            let v = &variants[variant as usize];
            // The engine has found the start that the variants share, which is all of the first.
            if variant != self.uses[literal][0] && !line.bytes[at..].starts_with(&v.literal) {
                continue;
            }
            if let Some((strength, end)) = verify(v, rules, at, line) {
                out.push(Mark {
                    terms: v.terms,
                    strength: strength * v.weight,
                    start: at as u32,
                    end: end as u32,
                    synonym: v.synonym,
                    variant,
                });
            }
        }
    }

    /// Finds the marks of a line, at most about `max`.
    pub(super) fn all(&self, variants: &[Variant], rules: Rules, line: &Folded<'_>, max: usize, out: &mut Vec<Mark>) {
        let mut at = 0;
        while let Some((literal, start)) = self.next(line.bytes, at) {
            self.check(variants, rules, (literal, start), line, out);
            if out.len() >= max {
                break;
            }
            at = start + 1;
        }
    }
}

/// Whether two short slices are the same, without the call that comparing them is.
#[inline]
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a == b)
}

/// Returns how well a variant stands at byte `at` of a line, and where it ends.
fn verify(v: &Variant, rules: Rules, at: usize, line: &Folded<'_>) -> Option<(f32, usize)> {
    let f = line.bytes;
    let end = at + v.literal.len();
    match &v.check {
        Check::Anywhere => Some((1.0, end)),
        Check::Exact => {
            let edge = |b: u8| b.is_ascii_alphanumeric() || b >= 0x80;
            let left = !edge(v.literal[0]) || line.boundary(at);
            let right = !edge(v.literal[v.literal.len() - 1]) || line.boundary(end);
            let word = v.literal.iter().all(|b| b.is_ascii_alphanumeric());
            match (left, right) {
                (true, true) => Some((1.0, end)),
                // A chunk with signs counts wherever it stands; a plain word of two or three letters does not.
                _ if !word => Some((0.7, end)),
                _ => None,
            }
        }
        Check::Number => {
            let digit = |at: usize| f.get(at).is_some_and(u8::is_ascii_digit);
            let letter = |at: usize| f.get(at).is_some_and(u8::is_ascii_alphabetic);
            let before = at.checked_sub(1);
            if before.is_some_and(digit) || digit(end) || (before.is_some_and(letter) && letter(end)) {
                return None;
            }
            let point = |at: usize| f.get(at).is_some_and(|b| b".,".contains(b));
            let part = (before.is_some_and(point) && at >= 2 && digit(at - 2)) || (point(end) && digit(end + 1));
            Some((if part { 0.5 } else { 1.0 }, end))
        }
        Check::Word { endings, word } => {
            let begins = line.boundary(at);
            if begins {
                // Where nothing follows there is nothing to look up.
                let stop = line.word_end(end);
                let rest = &f[end..stop];
                if let Some((_, strength)) = endings.iter().find(|(ending, _)| same(ending, rest)) {
                    return Some((*strength, stop));
                }
                if word.len() >= 3 && rules.prefix > 0.0 && f[at..stop].starts_with(word) {
                    return Some((rules.prefix, stop));
                }
                return None;
            }
            (rules.inside > 0.0 && word.len() >= 4 && f[at..].starts_with(word))
                .then_some((rules.inside, at + word.len()))
        }
    }
}
