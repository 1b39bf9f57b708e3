//! The bytes of JSON: where a string ends and how long it is, what escapes stand for, what a number is.

use bstr::ByteSlice;

pub(super) struct StringEnd {
    pub(super) end: usize,
    pub(super) escaped: bool,
    /// There may be bytes above 0x7F.
    pub(super) high: bool,
    pub(super) control: bool,
}

/// Returns where the closing quote is; `None` if it is not among the bytes.
#[inline]
pub(super) fn string_end(bytes: &[u8]) -> Option<StringEnd> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = 0x8080_8080_8080_8080;
    let zero = |w: u64| w.wrapping_sub(ONES) & !w & TOPS;
    let (mut at, mut high) = (0, 0u64);
    let (mut escaped, mut control) = (false, false);
    while at < bytes.len() {
        let b = match bytes[at..].first_chunk::<8>() {
            Some(chunk) => {
                let w = u64::from_le_bytes(*chunk);
                // The lowest set bit is exact; what a borrow sets above it does not matter.
                let hits =
                    zero(w ^ (ONES * 0x22)) | zero(w ^ (ONES * 0x5C)) | (w.wrapping_sub(ONES * 0x20) & !w & TOPS);
                high |= w & TOPS;
                if hits == 0 {
                    at += 8;
                    continue;
                }
                at += (hits.trailing_zeros() / 8) as usize;
                bytes[at]
            }
            None => bytes[at],
        };
        match b {
            b'"' => return Some(StringEnd { end: at, escaped, high: high != 0, control }),
            b'\\' => {
                escaped = true;
                at += 2;
            }
            _ => {
                control |= b < 0x20;
                high |= u64::from(b & 0x80);
                at += 1;
            }
        }
    }
    None
}

#[derive(Default)]
pub(super) struct Odd {
    pub(super) lone: bool,
    pub(super) bad: bool,
    pub(super) invalid: bool,
}

/// Counts the chars a string stands for and finds what is odd in it.
pub(super) fn inspect(raw: &[u8]) -> (u64, Odd) {
    let mut odd = Odd::default();
    let mut count = |plain: &[u8]| match std::str::from_utf8(plain) {
        Ok(text) => text.chars().count() as u64,
        Err(_) => {
            odd.invalid = true;
            plain.chars().count() as u64
        }
    };
    let (mut chars, mut rest) = (0, raw);
    while let Some(n) = memchr::memchr(b'\\', rest) {
        chars += count(&rest[..n]) + 1;
        let (length, found) = escape_at(&rest[n..]);
        match found {
            Escape::Char(_) => {}
            Escape::Lone => odd.lone = true,
            Escape::Bad => odd.bad = true,
        }
        rest = rest.get(n + length..).unwrap_or_default();
    }
    (chars + count(rest), odd)
}

pub(super) enum Escape {
    Char(char),
    Lone,
    Bad,
}

/// Reads the escape at the start of `bytes` (a backslash); returns its length and what it stands for.
pub(super) fn escape_at(bytes: &[u8]) -> (usize, Escape) {
    let unit = |at: usize| -> Option<u32> {
        let digits = bytes.get(at..at + 6)?;
        if &digits[..2] != b"\\u" || !digits[2..].iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        u32::from_str_radix(std::str::from_utf8(&digits[2..]).ok()?, 16).ok()
    };
    let c = match bytes.get(1) {
        Some(b'n') => '\n',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(&b @ (b'"' | b'\\' | b'/')) => char::from(b),
        Some(b'u') => match unit(0) {
            Some(first @ 0xD800..=0xDBFF) => match unit(6) {
                Some(second @ 0xDC00..=0xDFFF) => {
                    let c = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
                    return (12, char::from_u32(c).map_or(Escape::Lone, Escape::Char));
                }
                _ => return (6, Escape::Lone),
            },
            Some(one) => return (6, char::from_u32(one).map_or(Escape::Lone, Escape::Char)),
            None => return (2, Escape::Bad),
        },
        _ => return (2, Escape::Bad),
    };
    (2, Escape::Char(c))
}

/// Returns what a string without its quotes stands for; halves of surrogate pairs and bytes that are not UTF-8 become
/// U+FFFD, unknown escapes stay as written.
pub fn unescape(raw: &[u8]) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(n) = memchr::memchr(b'\\', rest) {
        out.push_str(&rest[..n].to_str_lossy());
        let (length, found) = escape_at(&rest[n..]);
        let length = length.min(rest.len() - n);
        match found {
            Escape::Char(c) => out.push(c),
            Escape::Lone => out.push(char::REPLACEMENT_CHARACTER),
            Escape::Bad => out.push_str(&rest[n..n + length].to_str_lossy()),
        }
        rest = &rest[n + length..];
    }
    out.push_str(&rest.to_str_lossy());
    out
}

pub(super) fn number_run(bytes: &[u8]) -> usize {
    bytes.iter().position(|b| !matches!(b, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')).unwrap_or(bytes.len())
}

/// Whether this is a number as JSON writes it.
pub(super) fn is_number(bytes: &[u8]) -> bool {
    let digits = |bytes: &[u8]| bytes.iter().take_while(|b| b.is_ascii_digit()).count();
    let rest = bytes.strip_prefix(b"-").unwrap_or(bytes);
    let n = digits(rest);
    if n == 0 || (n > 1 && rest[0] == b'0') {
        return false;
    }
    let mut rest = &rest[n..];
    if let Some(fraction) = rest.strip_prefix(b".") {
        let n = digits(fraction);
        if n == 0 {
            return false;
        }
        rest = &fraction[n..];
    }
    if let Some((b'e' | b'E', power)) = rest.split_first() {
        let power = power.strip_prefix(b"-").or_else(|| power.strip_prefix(b"+")).unwrap_or(power);
        let n = digits(power);
        return n > 0 && n == power.len();
    }
    rest.is_empty()
}

pub(super) fn ends_word(next: Option<&u8>) -> bool {
    matches!(next, None | Some(b' ' | b'\t' | b'\r' | b'\n' | b',' | b']' | b'}'))
}
