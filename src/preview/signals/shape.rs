//! The shape of a line: what stays the same when numbers, ids, times and quoted names change.

/// How much of a line makes its shape, in bytes.
const REACH: usize = 300;

/// Returns a number that lines of the same shape share.
pub(super) fn of(text: &str) -> u64 {
    let t = &text.as_bytes()[..text.len().min(REACH)];
    let mut hash = 0xCBF2_9CE4_8422_2325u64;
    let mut at = 0;
    while at < t.len() {
        let b = t[at];
        let quoted = t[at..].starts_with("‘".as_bytes());
        let len = if quoted { 0 } else { t[at..].iter().take_while(|b| word(**b)).count() };
        if len > 0 {
            token(&t[at..at + len], &mut hash);
            at += len;
            continue;
        }
        if quoted {
            add(b, &mut hash);
            at = memchr::memmem::find(&t[at..], "’".as_bytes()).map_or(t.len(), |n| at + n);
            continue;
        }
        add(b, &mut hash);
        at += 1;
        if matches!(b, b'\'' | b'"' | b'`') {
            // A quoted name changes from line to line; an apostrophe has no partner near.
            if let Some(n) = t[at..].iter().take(120).position(|c| *c == b) {
                at += n + 1;
            }
        }
    }
    hash
}

fn word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80
}

fn add(b: u8, hash: &mut u64) {
    *hash = (*hash ^ u64::from(b)).wrapping_mul(0x0100_0000_01B3);
}

fn token(token: &[u8], hash: &mut u64) {
    let Some(digit) = token.iter().position(u8::is_ascii_digit) else {
        token.iter().for_each(|b| add(*b, hash));
        return;
    };
    // `E0308`, `TS2307`, `LNK1181` are codes: their number is the message.
    let code =
        digit > 0 && token[..digit].iter().all(u8::is_ascii_uppercase) && token[digit..].iter().all(u8::is_ascii_digit);
    if code && token.len() <= 9 {
        token.iter().for_each(|b| add(*b, hash));
    } else if token.len() >= 4 && token.iter().all(u8::is_ascii_hexdigit) {
        add(b'0', hash);
    } else {
        let mut inside = false;
        for b in token {
            if !(inside && b.is_ascii_digit()) {
                add(if b.is_ascii_digit() { b'0' } else { *b }, hash);
            }
            inside = b.is_ascii_digit();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn numbers_ids_and_quoted_names_do_not_change_a_shape() {
        for (a, b) in [
            ("ERROR worker-3: request 17 took 2.5 s", "ERROR worker-12: request 4 took 17.25 s"),
            ("ERROR id 5ddff67d3a1b", "ERROR id 01234567"),
            ("error: no ‘a b’ in x", "error: no ‘c’ in x"),
            ("error TS2307: Cannot find module 'vitest'", "error TS2307: Cannot find module 'node:fs'"),
        ] {
            assert_eq!(of(a), of(b), "{a}");
        }
    }

    #[test]
    fn codes_and_words_do() {
        for (a, b) in [
            ("error[E0308]: x", "error[E0433]: x"),
            ("ERROR disk full", "ERROR disk lost"),
            ("FAILED a::b", "FAILED a::c"),
            ("don't 1", "don't 1 it's 2"),
        ] {
            assert_ne!(of(a), of(b), "{a}");
        }
    }
}
