//! What many values of one field are like: how large, how long, which, in memory that does not grow with their number.
//!
//! Integers are summed and compared exactly as far as `i128` goes; the least and the greatest number are kept as
//! written, digit for digit. Sets of values are kept while they are small.

use serde_json::{Map, Value, json};

use crate::text::show::{count, thousands};
use crate::text::{clean, cut};

/// The most different values that are told apart.
const MOST_VALUES: usize = 40;
/// The most that are shown in a row.
const SHOWN_VALUES: usize = 16;
/// The longest value that a set keeps, in bytes.
const VALUE_BYTES: usize = 80;

/// Where a value stands: the index of the item of the outermost array it is in, and its line.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    pub(super) index: u64,
    pub(super) line: u64,
}

/// How places are told.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    /// Whether lines tell values apart.
    pub(super) lines: bool,
    /// What stands before an index to make a pointer, if there is an array.
    pub(super) array: Option<String>,
}

impl Places {
    fn show(&self, what: &str, at: Place) -> String {
        match &self.array {
            _ if self.lines => format!(" ({what}line {})", at.line),
            Some(array) => format!(" ({what}at {array}{})", at.index),
            None => String::new(),
        }
    }
}

/// A value, how often it was seen, and where first.
type Counted = (Box<[u8]>, u64, Place);

/// The different values of a field while they are few.
#[derive(Debug, Default)]
pub(super) struct Set {
    entries: Vec<Counted>,
    /// There were too many, or too long ones.
    open: bool,
}

impl Set {
    pub(super) fn add(&mut self, value: &[u8], times: u64, at: Place) {
        if self.open {
            return;
        }
        if let Some(k) = self.entries.iter().position(|(v, _, _)| **v == *value) {
            self.entries[k].1 += times;
            // Frequent values move to the front, where they are found at once.
            if k > 0 && self.entries[k].1 > self.entries[k - 1].1 {
                self.entries.swap(k, k - 1);
            }
        } else if self.entries.len() == MOST_VALUES || value.len() > VALUE_BYTES {
            self.open = true;
            self.entries.truncate(3);
        } else {
            self.entries.push((value.into(), times, at));
        }
    }

    fn merge(&mut self, other: &Set) {
        for (value, times, at) in &other.entries {
            self.add(value, *times, *at);
        }
        if other.open {
            self.open = true;
            self.entries.truncate(3);
        }
    }

    /// Returns the values, most frequent first, if all are known and they repeat or are few.
    fn small(&self, total: u64) -> Option<Vec<&Counted>> {
        let n = self.entries.len() as u64;
        let telling = n == 1 || n <= 3 || n * 2 <= total;
        if self.open || n == 0 || !telling {
            return None;
        }
        let mut sorted: Vec<_> = self.entries.iter().collect();
        crate::order::by(&mut sorted, |a, b| b.1.cmp(&a.1).then((a.2.line, a.2.index).cmp(&(b.2.line, b.2.index))));
        Some(sorted)
    }

    /// Returns `"ok" ×2,000, "failed" ×1,000`; values that look like failures with where the first is.
    fn text(&self, total: u64, quotes: bool, places: &Places) -> Option<String> {
        let values = self.small(total)?;
        let quote = if quotes { "\"" } else { "" };
        let one = values.len() == 1;
        let mut parts: Vec<String> = values
            .iter()
            .take(SHOWN_VALUES)
            .map(|(value, times, at)| {
                let text = clean::line(value).into_owned();
                let text = cut::middle(&text, 60);
                let times = if one { String::new() } else { format!(" ×{}", thousands(*times)) };
                let first = if !one && quotes && alarming(value) { places.show("first ", *at) } else { String::new() };
                format!("{quote}{text}{quote}{times}{first}")
            })
            .collect();
        if values.len() > SHOWN_VALUES {
            parts.push(format!("… {} more values", values.len() - SHOWN_VALUES));
        }
        let all = if one && total > 1 { "always " } else { "" };
        Some(format!("{all}{}", parts.join(", ")))
    }

    fn json(&self, total: u64) -> Option<Value> {
        let values = self.small(total)?;
        let rows = values.iter().map(
            |(value, times, at)| json!({"value": String::from_utf8_lossy(value), "count": times, "line": at.line}),
        );
        Some(Value::Array(rows.collect()))
    }
}

/// Whether a value of a small set stands for a failure.
fn alarming(value: &[u8]) -> bool {
    const WORDS: [&[u8]; 9] = [b"err", b"fail", b"fatal", b"crit", b"panic", b"emerg", b"alert", b"denied", b"timeout"];
    let lower = value.to_ascii_lowercase();
    WORDS.iter().any(|word| lower.windows(word.len()).any(|part| part == *word))
}

/// The strings of a field.
#[derive(Debug, Default)]
pub(super) struct Strings {
    pub(super) count: u64,
    shortest: u64,
    longest: u64,
    longest_at: Place,
    set: Set,
    /// How many look like dates or times, as ISO 8601 writes them.
    dates: u64,
    first: Box<[u8]>,
    last: Box<[u8]>,
    sample: Option<Box<[u8]>>,
}

impl Strings {
    /// Counts a string: what it stands for (its start if it is long) and its length in chars.
    pub(super) fn add(&mut self, value: &[u8], chars: u64, at: Place) {
        if self.count == 0 || chars < self.shortest {
            self.shortest = chars;
        }
        if self.count == 0 || chars > self.longest {
            (self.longest, self.longest_at) = (chars, at);
        }
        if self.count == 0 {
            self.sample = Some(value[..value.len().min(200)].into());
        }
        if self.count == self.dates && is_date(value) {
            if self.dates == 0 || *value < *self.first {
                self.first = value.into();
            }
            if self.dates == 0 || *value > *self.last {
                self.last = value.into();
            }
            self.dates += 1;
        }
        self.count += 1;
        self.set.add(value, 1, at);
    }

    pub(super) fn merge(&mut self, other: &Strings) {
        if other.count == 0 {
            return;
        }
        if self.count == 0 || other.shortest < self.shortest {
            self.shortest = other.shortest;
        }
        if self.count == 0 || other.longest > self.longest {
            (self.longest, self.longest_at) = (other.longest, other.longest_at);
        }
        if self.sample.is_none() {
            self.sample.clone_from(&other.sample);
        }
        if self.dates == self.count && other.dates == other.count {
            if self.dates == 0 || other.first < self.first {
                self.first.clone_from(&other.first);
            }
            if self.dates == 0 || other.last > self.last {
                self.last.clone_from(&other.last);
            }
            self.dates += other.dates;
        }
        self.count += other.count;
        self.set.merge(&other.set);
    }

    /// Whether a string is known to be one of these.
    pub(super) fn knows(&self, value: &[u8]) -> bool {
        self.set.entries.iter().any(|(v, _, _)| **v == *value)
    }

    /// Returns what the strings are like, after their type: `: "ok" 2,000, "failed" 1,000`.
    pub(super) fn text(&self, places: &Places) -> String {
        if self.count == self.dates && self.count > 0 {
            let (first, last) = (String::from_utf8_lossy(&self.first), String::from_utf8_lossy(&self.last));
            return if first == last { format!(": {first}") } else { format!(": {first} to {last}") };
        }
        if let Some(values) = self.set.text(self.count, true, places) {
            return format!(": {values}");
        }
        let chars = match (self.shortest, self.longest) {
            (a, b) if a == b => count(b, "char"),
            (a, b) => format!("{}-{} chars", thousands(a), thousands(b)),
        };
        let example = match &self.sample {
            Some(value) => format!(", e.g. \"{}\"", cut::start(&clean::line(value), 48)),
            None => String::new(),
        };
        let values = if self.set.open || self.count <= 1 { "" } else { ", all different" };
        let values = if self.set.entries.len() as u64 == self.count { values } else { "" };
        format!(", {chars}{values}{example}")
    }

    pub(super) fn json(&self, fields: &mut Map<String, Value>) {
        fields.insert(
            "length".into(),
            json!({"min": self.shortest, "max": self.longest, "longest_line": self.longest_at.line}),
        );
        if self.count == self.dates {
            fields.insert("first".into(), String::from_utf8_lossy(&self.first).into());
            fields.insert("last".into(), String::from_utf8_lossy(&self.last).into());
        }
        if let Some(values) = self.set.json(self.count) {
            fields.insert("values".into(), values);
        }
    }
}

/// Whether a string begins as a date or time of ISO 8601 does and has nothing else in it.
pub(super) fn is_date(value: &[u8]) -> bool {
    (10..=40).contains(&value.len())
        && value[..10].iter().enumerate().all(|(k, b)| if k == 4 || k == 7 { *b == b'-' } else { b.is_ascii_digit() })
        && (value.len() == 10 || matches!(value[10], b'T' | b' ' | b't'))
        && value[10..].iter().all(|b| b.is_ascii_digit() || b"T tzZ:.,+-".contains(b))
}

/// A number as exactly as it can be compared.
#[derive(Clone, Copy, Debug)]
enum Number {
    Integer(i128),
    Real(f64),
}

impl Number {
    fn real(self) -> f64 {
        match self {
            Number::Integer(n) => n as f64,
            Number::Real(x) => x,
        }
    }

    fn less(self, other: Number) -> bool {
        match (self, other) {
            (Number::Integer(a), Number::Integer(b)) => a < b,
            (a, b) => a.real() < b.real(),
        }
    }
}

#[derive(Clone, Debug)]
struct Extreme {
    value: Number,
    text: String,
    at: Place,
}

/// The numbers of a field.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    pub(super) count: u64,
    integers: u64,
    /// `NaN`, infinities, and numbers too long to look at.
    odd: u64,
    least: Option<Extreme>,
    greatest: Option<Extreme>,
    sum: i128,
    /// What is not in `sum`: reals, and integers past its range.
    real_sum: f64,
    set: Set,
}

impl Numbers {
    /// Counts a number as written.
    pub(super) fn add(&mut self, raw: &[u8], whole: bool, at: Place) {
        self.count += 1;
        let value = if whole { parse(raw) } else { None };
        let Some(value) = value else {
            self.odd += 1;
            self.set.add(&raw[..raw.len().min(VALUE_BYTES + 1)], 1, at);
            return;
        };
        match value {
            Number::Integer(n) => {
                self.integers += 1;
                match self.sum.checked_add(n) {
                    Some(sum) => self.sum = sum,
                    None => self.real_sum += n as f64,
                }
            }
            Number::Real(x) => self.real_sum += x,
        }
        if self.least.as_ref().is_none_or(|least| value.less(least.value)) {
            put(&mut self.least, value, raw, at);
        }
        if self.greatest.as_ref().is_none_or(|greatest| greatest.value.less(value)) {
            put(&mut self.greatest, value, raw, at);
        }
        self.set.add(raw, 1, at);
    }

    pub(super) fn merge(&mut self, other: &Numbers) {
        self.count += other.count;
        self.integers += other.integers;
        self.odd += other.odd;
        self.real_sum += other.real_sum;
        match self.sum.checked_add(other.sum) {
            Some(sum) => self.sum = sum,
            None => self.real_sum += other.sum as f64,
        }
        if let Some(less) = &other.least
            && self.least.as_ref().is_none_or(|least| less.value.less(least.value))
        {
            self.least = Some(less.clone());
        }
        if let Some(more) = &other.greatest
            && self.greatest.as_ref().is_none_or(|greatest| greatest.value.less(more.value))
        {
            self.greatest = Some(more.clone());
        }
        self.set.merge(&other.set);
    }

    /// Returns `integer` if all are.
    pub(super) fn noun(&self) -> &'static str {
        if self.integers == self.count { "integer" } else { "number" }
    }

    fn mean(&self) -> Option<f64> {
        let n = self.count - self.odd;
        let mean = (self.sum as f64 + self.real_sum) / n as f64;
        (n > 0 && mean.is_finite()).then_some(mean)
    }

    /// Returns what the numbers are like, after their type: ` 0 to 2999, mean 1499.5`.
    pub(super) fn text(&self, places: &Places) -> String {
        let odd = match self.odd {
            0 => String::new(),
            n => format!(", {} NaN, infinite or too long", thousands(n)),
        };
        let (Some(least), Some(greatest)) = (&self.least, &self.greatest) else { return odd };
        if let Some(values) =
            self.set.text(self.count, false, places).filter(|_| self.set.entries.len() <= 12 && self.count > 3)
        {
            return format!(": {values}");
        }
        let (low, high) = (cut::middle(&least.text, 60), cut::middle(&greatest.text, 60));
        if self.count == 1 || !least.value.less(greatest.value) {
            return format!(" {low}{odd}");
        }
        let at = if self.count > 8 { places.show("", greatest.at) } else { String::new() };
        let mean = self.mean().map(|mean| format!(", mean {}", short(mean))).unwrap_or_default();
        format!(" {low} to {high}{at}{mean}{odd}")
    }

    pub(super) fn json(&self, fields: &mut Map<String, Value>) {
        for (name, extreme) in [("min", &self.least), ("max", &self.greatest)] {
            let Some(extreme) = extreme else { continue };
            let digits = extreme.text.parse::<serde_json::Number>().map(Value::Number);
            fields.insert(name.into(), digits.unwrap_or_else(|_| Value::String(extreme.text.clone())));
            fields.insert(format!("{name}_index"), extreme.at.index.into());
            fields.insert(format!("{name}_line"), extreme.at.line.into());
        }
        if let Some(mean) = self.mean() {
            fields.insert("mean".into(), short(mean).parse::<serde_json::Number>().map_or(Value::Null, Value::Number));
        }
        if let Some(values) = self.set.json(self.count).filter(|_| self.count > 3) {
            fields.entry("values").or_insert(values);
        }
    }
}

fn put(slot: &mut Option<Extreme>, value: Number, raw: &[u8], at: Place) {
    let text = String::from_utf8_lossy(&raw[..raw.len().min(400)]);
    match slot {
        // The allocation is used again: a growing series sets a new greatest each time.
        Some(extreme) => {
            extreme.value = value;
            extreme.at = at;
            extreme.text.clear();
            extreme.text.push_str(&text);
        }
        None => *slot = Some(Extreme { value, text: text.into_owned(), at }),
    }
}

/// Reads a number; `None` if it is not finite or too long to look at.
fn parse(raw: &[u8]) -> Option<Number> {
    let (sign, digits) = match raw.split_first() {
        Some((b'-', rest)) => (-1, rest),
        _ => (1, raw),
    };
    if digits.len() <= 18 && digits.iter().all(u8::is_ascii_digit) {
        let n = digits.iter().fold(0i64, |n, b| n * 10 + i64::from(b - b'0'));
        return Some(Number::Integer(i128::from(sign * n)));
    }
    let text = std::str::from_utf8(raw).ok().filter(|text| text.len() <= 400)?;
    if let Ok(n) = text.parse::<i128>() {
        return Some(Number::Integer(n));
    }
    let x = text.parse::<f64>().ok()?;
    x.is_finite().then_some(Number::Real(x))
}

/// Whether a field of a table is a number.
pub(super) fn is_number(raw: &[u8]) -> bool {
    let plain = raw.iter().all(|b| b.is_ascii_digit() || b"+-.eE".contains(b));
    plain && raw.iter().any(u8::is_ascii_digit) && parse(raw).is_some()
}

/// Returns a number with at most 6 digits after what matters: `1499.5`, `0.00012`.
pub(super) fn short(x: f64) -> String {
    if x == 0.0 || !(1e-6..1e15).contains(&x.abs()) {
        return format!("{x:.6e}").replace(".000000e0", "").to_string();
    }
    let whole = x.abs().log10().floor().max(0.0) as usize;
    let text = format!("{x:.*}", 6usize.saturating_sub(whole).max(if x.abs() < 1.0 { 6 } else { 1 }));
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOWHERE: Places = Places { lines: false, array: None };

    fn numbers(values: &[&str]) -> Numbers {
        let mut numbers = Numbers::default();
        for (index, value) in values.iter().enumerate() {
            numbers.add(value.as_bytes(), true, Place { index: index as u64, line: 0 });
        }
        numbers
    }

    #[test]
    fn numbers_keep_their_digits() {
        let big = "12345678901234567890123456789012345678901234567890";
        assert_eq!(numbers(&["1", big]).text(&NOWHERE), format!(" 1 to {big}, mean 6.172839e48"));
        let n = numbers(&["9007199254740993", "9007199254740992"]);
        assert!(n.text(&NOWHERE).starts_with(" 9007199254740992 to 9007199254740993"), "{}", n.text(&NOWHERE));
        assert_eq!(numbers(&["0.10", "2.50", "1"]).text(&NOWHERE), " 0.10 to 2.50, mean 1.2");
        assert_eq!(numbers(&["NaN", "1e400"]).text(&NOWHERE), ", 2 NaN, infinite or too long");
    }

    #[test]
    fn small_sets_are_counted_and_large_ones_are_not() {
        let mut strings = Strings::default();
        for k in 0..3000u64 {
            let value = if k % 3 == 0 { "failed" } else { "ok" };
            strings.add(value.as_bytes(), value.len() as u64, Place { index: k, line: k });
        }
        assert_eq!(strings.text(&NOWHERE), ": \"ok\" ×2,000, \"failed\" ×1,000");
        let mut strings = Strings::default();
        for k in 0..3000u64 {
            strings.add(format!("user{k}").as_bytes(), 5, Place::default());
        }
        assert_eq!(strings.text(&NOWHERE), ", 5 chars, e.g. \"user0\"");
        assert!(strings.set.entries.len() <= 3);
        assert_eq!(numbers(&["200", "500", "200", "200"]).text(&NOWHERE), ": 200 ×3, 500 ×1");
    }

    #[test]
    fn times_have_a_first_and_a_last() {
        let mut strings = Strings::default();
        for value in ["2026-01-02T00:00:00Z", "2026-01-01T23:59:59Z", "2026-03-01T00:00:00Z"] {
            strings.add(value.as_bytes(), 20, Place::default());
        }
        assert_eq!(strings.text(&NOWHERE), ": 2026-01-01T23:59:59Z to 2026-03-01T00:00:00Z");
        assert!(!is_date(b"2026-01-02 hello") && !is_date(b"2026-1-2") && is_date(b"2026-01-02"));
    }

    #[test]
    fn means_are_short() {
        for (x, shown) in [
            (1499.5, "1499.5"),
            (0.000_123, "0.000123"),
            (2.0, "2"),
            (1e20, "1.000000e20"),
            (0.0, "0"),
            (100.0, "100"),
            (-3.25, "-3.25"),
        ] {
            assert_eq!(short(x), shown);
        }
    }
}
