//! Folding: the form in which query and text meet (lower case, no diacritics, no full-width forms), and where words
//! begin and end in it.
//!
//! Law: folding ASCII keeps every byte in its place, so only lines that hold something else need a map back.

/// Base letters of U+00C0..=U+017F; `*` stands for a letter that folds to two ([`pair`]), `.` for one that stays.
const LATIN: &str = "aaaaaa*ceeeeiiiidnooooo.ouuuuyt*aaaaaa*ceeeeiiiidnooooo.ouuuuyty\
                     aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiii**jjkkkllllllllllnnnnnnnnnoooooo**rrrrrr\
                     ssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";

/// Base letters of U+1E00..=U+1EFF, as runs of a letter and how many code points it takes.
const LATIN_ADDITIONAL: &[(char, u32)] = &[
    ('a', 2),
    ('b', 6),
    ('c', 2),
    ('d', 10),
    ('e', 10),
    ('f', 2),
    ('g', 2),
    ('h', 10),
    ('i', 4),
    ('k', 6),
    ('l', 8),
    ('m', 6),
    ('n', 8),
    ('o', 8),
    ('p', 4),
    ('r', 8),
    ('s', 10),
    ('t', 8),
    ('u', 10),
    ('v', 4),
    ('w', 10),
    ('x', 4),
    ('y', 2),
    ('z', 6),
    ('h', 1),
    ('t', 1),
    ('w', 1),
    ('y', 1),
    ('a', 1),
    ('s', 4),
    ('d', 1),
    ('a', 24),
    ('e', 16),
    ('i', 4),
    ('o', 24),
    ('u', 14),
    ('y', 8),
    ('l', 2),
    ('v', 2),
    ('y', 2),
];

fn pair(c: char) -> Option<&'static str> {
    Some(match c {
        'Æ' | 'æ' => "ae",
        'Œ' | 'œ' => "oe",
        'ß' => "ss",
        'Ĳ' | 'ĳ' => "ij",
        _ => return None,
    })
}

/// Appends the folded form of a char.
pub(super) fn fold_char(c: char, out: &mut String) {
    match c {
        '\0'..='\x7F' => out.push(c.to_ascii_lowercase()),
        'À'..='\u{17F}' => match LATIN.as_bytes().get(c as usize - 0xC0) {
            Some(b'*') => out.push_str(pair(c).unwrap_or("")),
            Some(&b) if b != b'.' => out.push(char::from(b)),
            _ => out.push(c),
        },
        '\u{1E00}'..='\u{1EFF}' => {
            let mut left = c as u32 - 0x1E00;
            for &(base, n) in LATIN_ADDITIONAL {
                if left < n {
                    out.push(base);
                    return;
                }
                left -= n;
            }
            out.push(c);
        }
        // Combining diacritical marks: a letter that was composed elsewhere is the same letter.
        '\u{300}'..='\u{36F}' => {}
        'ά' | 'Ά' => out.push('α'),
        'έ' | 'Έ' => out.push('ε'),
        'ή' | 'Ή' => out.push('η'),
        'ί' | 'Ί' | 'ϊ' | 'ΐ' => out.push('ι'),
        'ό' | 'Ό' => out.push('ο'),
        'ύ' | 'Ύ' | 'ϋ' | 'ΰ' => out.push('υ'),
        'ώ' | 'Ώ' => out.push('ω'),
        'ς' => out.push('σ'),
        'ё' | 'Ё' => out.push('е'),
        '\u{FF01}'..='\u{FF5E}' => {
            out.push(char::from_u32(c as u32 - 0xFEE0).unwrap_or(c).to_ascii_lowercase());
        }
        _ => out.extend(c.to_lowercase()),
    }
}

/// Returns the folded form of a text.
pub(super) fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|c| fold_char(c, &mut out));
    out
}

/// Whether a line with this byte needs more than ASCII lower case: the lead bytes of letters that fold, and control
/// characters, which the reader does not see as they stand.
#[inline]
fn special(b: u8) -> bool {
    (b < 0x20 && b != b'\t' && b != b'\n') || ((0xC3..=0xE1).contains(&b) && b != 0xE0) || b == 0x7F || b == 0xEF
}

/// Puts the ASCII-lower-cased bytes in `out`; returns whether some line needs more than that. A `\r` before a `\n` does
/// not: it is cut off with the line's end.
pub(super) fn lower(bytes: &[u8], out: &mut Vec<u8>) -> bool {
    out.clear();
    out.extend_from_slice(bytes);
    out.make_ascii_lowercase();
    let mut any = false;
    for chunk in bytes.chunks(4096) {
        let mut here = false;
        for &b in chunk {
            here |= special(b);
        }
        any |= here;
    }
    any && needs_more(bytes)
}

/// Whether a line or a run of lines has a byte of [`special`] that is not the `\r` of a line end.
pub(super) fn needs_more(bytes: &[u8]) -> bool {
    for (k, chunk) in bytes.chunks(256).enumerate() {
        let mut here = false;
        for &b in chunk {
            here |= special(b);
        }
        if here {
            let from = k * 256;
            let real = |(i, &b): (usize, &u8)| {
                special(b) && !(b == b'\r' && matches!(bytes.get(from + i + 1), Some(b'\n') | None))
            };
            if chunk.iter().enumerate().any(real) {
                return true;
            }
        }
    }
    false
}

/// A line in the form in which it is searched.
#[derive(Clone, Copy)]
pub(super) struct Folded<'a> {
    /// The line as a reader sees it (or as stored, where that is the same).
    pub(super) source: &'a [u8],
    /// Its folded form.
    pub(super) bytes: &'a [u8],
    /// For each folded byte where its char stands in `source`; `None` if each byte is in its place.
    pub(super) map: Option<&'a [u32]>,
}

/// Folds a line that is more than ASCII and says where each byte came from.
pub(super) fn fold_with_map(text: &str, bytes: &mut String, map: &mut Vec<u32>) {
    bytes.clear();
    map.clear();
    for (at, c) in text.char_indices() {
        fold_char(c, bytes);
        map.resize(bytes.len(), at as u32);
    }
}

impl Folded<'_> {
    /// Returns where a folded byte came from.
    pub(super) fn source_at(&self, at: usize) -> usize {
        match self.map {
            None => at.min(self.source.len()),
            Some(map) => map.get(at).map_or(self.source.len(), |&n| n as usize),
        }
    }

    fn case(&self, at: usize) -> u8 {
        self.source.get(self.source_at(at)).copied().unwrap_or(0)
    }

    /// Whether a word ends or begins before byte `at`: at a change between letters, digits and everything else, at
    /// the humps of `camelCase` and `HTTPServer`, and around CJK.
    pub(super) fn boundary(&self, at: usize) -> bool {
        let f = self.bytes;
        if at == 0 || at >= f.len() {
            return true;
        }
        let (before, after) = (f[at - 1], f[at]);
        if before >= 0x80 || after >= 0x80 {
            return self.wide_boundary(at);
        }
        if !before.is_ascii_alphanumeric() || !after.is_ascii_alphanumeric() {
            return true;
        }
        if before.is_ascii_digit() != after.is_ascii_digit() {
            return true;
        }
        if after.is_ascii_digit() || !self.case(at).is_ascii_uppercase() {
            return false;
        }
        // An upper case letter: a hump unless it goes on a run of them that a lower case letter does not end.
        self.case(at - 1).is_ascii_lowercase()
            || f.get(at + 1).is_some_and(|b| b.is_ascii_lowercase()) && self.case(at + 1).is_ascii_lowercase()
    }

    fn wide_boundary(&self, at: usize) -> bool {
        if self.bytes[at] & 0xC0 == 0x80 {
            return false; // inside a char
        }
        let before = bstr::decode_last_utf8(&self.bytes[..at]).0.unwrap_or(' ');
        let after = bstr::decode_utf8(&self.bytes[at..]).0.unwrap_or(' ');
        !before.is_alphanumeric()
            || !after.is_alphanumeric()
            || script(before) != script(after)
            || script(before) != Script::Spaced
    }

    /// Returns where the word that has begun goes to, from byte `at` in it.
    pub(super) fn word_end(&self, mut at: usize) -> usize {
        while !self.boundary(at) {
            at += 1;
        }
        at
    }
}

/// How a char makes words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Script {
    /// Words stand between spaces.
    Spaced,
    /// Han.
    Han,
    /// Hiragana.
    Hiragana,
    /// Katakana: a run is a word.
    Katakana,
    /// Other scripts without reliable spaces: Hangul with its particles, Thai, Lao, Khmer, Burmese.
    Run,
}

/// Returns how a char makes words.
pub(super) fn script(c: char) -> Script {
    match c {
        '\u{3041}'..='\u{309F}' => Script::Hiragana,
        '\u{30A1}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}' | '\u{FF66}'..='\u{FF9F}' => Script::Katakana,
        '\u{2E80}'..='\u{2FDF}'
        | '\u{3005}'..='\u{3007}'
        | '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{3FFFF}' => Script::Han,
        '\u{E00}'..='\u{EFF}'
        | '\u{1000}'..='\u{109F}'
        | '\u{1100}'..='\u{11FF}'
        | '\u{1780}'..='\u{17FF}'
        | '\u{AC00}'..='\u{D7FF}' => Script::Run,
        _ => Script::Spaced,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let (mut bytes, mut map) = (String::new(), Vec::new());
        fold_with_map(text, &mut bytes, &mut map);
        let line = Folded { source: text.as_bytes(), bytes: bytes.as_bytes(), map: Some(&map) };
        let cuts: Vec<usize> = (0..=bytes.len()).filter(|&n| bytes.is_char_boundary(n) && line.boundary(n)).collect();
        let words = cuts.windows(2).map(|w| bytes[w[0]..w[1]].to_owned());
        words.filter(|w| w.chars().any(char::is_alphanumeric)).collect()
    }

    #[test]
    fn letters_lose_their_marks() {
        assert_eq!(fold("Résumé ÀÉÎÕÜ ñ ç ÿ Žluťoučký Łódź"), "resume aeiou n c y zlutoucky lodz");
        assert_eq!(fold("Straße Ærø œuvre ﬁn"), "strasse aero oeuvre ﬁn");
        assert_eq!(fold("Tiếng Việt Ếẹ ỹ"), "tieng viet ee y");
        assert_eq!(fold("e\u{301}a\u{308}"), "ea");
        assert_eq!(fold("ＡＢＣ１２３ ПРИВЕТ Ёж Άλφα"), "abc123 привет еж αλφα");
        assert_eq!(LATIN.len(), 0x180 - 0xC0);
        assert_eq!(LATIN_ADDITIONAL.iter().map(|r| r.1).sum::<u32>(), 256);
    }

    #[test]
    fn words_end_at_humps_digits_and_scripts() {
        assert_eq!(words("paymentGatewayTimeout"), ["payment", "gateway", "timeout"]);
        assert_eq!(
            words("ZeroDivisionError HTTPServer snake_case kebab-case"),
            ["zero", "division", "error", "http", "server", "snake", "case", "kebab", "case"]
        );
        assert_eq!(words("E0308 utf8 v3.2.25"), ["e", "0308", "utf", "8", "v", "3", "2", "25"]);
        assert_eq!(words("任务build-qvx跑完"), ["任", "务", "build", "qvx", "跑", "完"]);
        assert_eq!(words("naïve Привет"), ["naive", "привет"]);
    }

    #[test]
    fn only_lines_with_more_than_ascii_need_more() {
        assert!(!needs_more(b"plain\ttext\r\nand more\r\n") && !needs_more("日本語 — “q”".as_bytes()));
        for text in ["é", "\x1b[31m", "a\rb", "a\x08b", "Ж", "Ａ", "ế"] {
            assert!(needs_more(text.as_bytes()), "{text:?}");
        }
    }
}
