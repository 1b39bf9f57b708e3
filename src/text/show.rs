//! Numbers, sizes, times and names as people and shells read them. The only module that knows the date library.

use std::time::{Duration, SystemTime};

/// Returns `n` with thousands separators: `171,874`.
pub fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (k, c) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// Returns `1 line`, `2 lines`: a number with thousands separators and its noun.
pub fn count(n: u64, noun: &str) -> String {
    let plural = match noun {
        _ if n == 1 => "",
        _ if noun.ends_with('s') || noun.ends_with('x') || noun.ends_with("ch") => "es",
        _ => "s",
    };
    format!("{} {noun}{plural}", thousands(n))
}

/// Returns a size in bytes for people: `812 B`, `171.9 kB`, `1.2 MB` (powers of 1000, as `ls --si`).
pub fn bytes(n: u64) -> String {
    const UNITS: [&str; 5] = ["kB", "MB", "GB", "TB", "PB"];
    if n < 1000 {
        return format!("{n} B");
    }
    let (mut value, mut unit) = (n as f64 / 1000.0, 0);
    while value >= 999.95 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// Returns how long a duration is, in its largest unit: `3 hours`, `1 day`, `45 seconds`.
pub fn duration(d: Duration) -> String {
    let seconds = d.as_secs();
    let (n, noun) = match seconds {
        0..60 => (seconds, "second"),
        60..3600 => (seconds / 60, "minute"),
        3600..172_800 => (seconds / 3600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    count(n, noun)
}

/// Returns how long before `now` a time was: `3 hours ago`; a time in the future is `0 seconds ago`.
pub fn ago(then: SystemTime, now: SystemTime) -> String {
    format!("{} ago", duration(now.duration_since(then).unwrap_or_default()))
}

fn timestamp(time: SystemTime) -> jiff::Timestamp {
    let whole = |d: Duration| i64::try_from(d.as_secs()).unwrap_or(i64::MAX);
    let seconds = match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => whole(after),
        Err(before) => -whole(before.duration()),
    };
    jiff::Timestamp::from_second(seconds).unwrap_or(jiff::Timestamp::MAX)
}

/// Returns a time in UTC: `2026-11-08 04:12:31`.
pub fn utc(time: SystemTime) -> String {
    rfc3339(time).replace('T', " ").trim_end_matches('Z').to_owned()
}

/// Returns a time as RFC 3339 in UTC with whole seconds: `2026-11-08T04:12:31Z`.
pub fn rfc3339(time: SystemTime) -> String {
    timestamp(time).to_string()
}

/// Returns a time as RFC 3339 in UTC with all its digits, so that what happened within a second keeps its order.
pub fn rfc3339_exact(time: SystemTime) -> String {
    jiff::Timestamp::try_from(time).unwrap_or_else(|_| timestamp(time)).to_string()
}

/// Reads a time that [`rfc3339`] (or another program) wrote.
pub fn parse_time(text: &str) -> Option<SystemTime> {
    SystemTime::try_from(text.parse::<jiff::Timestamp>().ok()?).ok()
}

/// Reads a duration as people type it: `90s`, `2h`, `1d`, `1h30m`; a plain number is seconds.
pub fn parse_duration(text: &str) -> Option<Duration> {
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let span = text.parse::<jiff::SignedDuration>();
    if let Ok(span) = span {
        return Duration::try_from(span).ok();
    }
    // Days and weeks have no fixed length for the date library; here a day is 24 hours.
    let split = text.find(|c: char| !c.is_ascii_digit())?;
    let (n, unit) = text.split_at(split);
    let days = match unit.trim() {
        "d" | "day" | "days" => 1,
        "w" | "week" | "weeks" => 7,
        _ => return None,
    };
    Some(Duration::from_secs(n.parse::<u64>().ok()?.checked_mul(days * 86_400)?))
}

/// Returns `word` as a POSIX shell reads it back: bare where that is safe, else in single quotes.
pub fn quote(word: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || "/._-+:@,=".contains(c);
    if !word.is_empty() && word.chars().all(safe) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        for (n, shown) in [(0, "0"), (999, "999"), (1000, "1,000"), (171_874, "171,874"), (1_234_567, "1,234,567")] {
            assert_eq!(thousands(n), shown);
        }
        assert_eq!(count(1, "line"), "1 line");
        assert_eq!(count(2000, "match"), "2,000 matches");
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(171_874), "171.9 kB");
        assert_eq!(bytes(999_999), "1.0 MB");
    }

    #[test]
    fn times_are_utc_and_come_back() {
        let t = SystemTime::UNIX_EPOCH + Duration::from_secs(1_794_111_151);
        assert_eq!(utc(t), "2026-11-08 04:12:31");
        assert_eq!(rfc3339(t), "2026-11-08T04:12:31Z");
        assert_eq!(parse_time(&rfc3339(t)), Some(t));
        assert_eq!(ago(t, t + Duration::from_secs(3 * 3600 + 5)), "3 hours ago");
        assert_eq!(ago(t + Duration::from_secs(99), t), "0 seconds ago");
    }

    #[test]
    fn durations_as_people_type_them() {
        let s = Duration::from_secs;
        for (text, want) in [("90", 90), ("90s", 90), ("2h", 7200), ("1h30m", 5400), ("3d", 259_200), ("1w", 604_800)] {
            assert_eq!(parse_duration(text), Some(s(want)), "{text}");
        }
        for text in ["", "x", "-5", "3 parsecs", "99999999999999999999d"] {
            assert_eq!(parse_duration(text), None, "{text}");
        }
        assert_eq!(parse_duration("0.5"), Some(Duration::from_millis(500)));
    }

    #[test]
    fn quoted_words_survive_a_shell() {
        for (word, quoted) in [("abc/d.e", "abc/d.e"), ("", "''"), ("a b", "'a b'"), ("it's $x", r"'it'\''s $x'")] {
            assert_eq!(quote(word), quoted);
        }
    }
}
