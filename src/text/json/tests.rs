//! Tests of the tokenizer.

use super::*;
use bstr::ByteSlice;
use proptest::prelude::*;

/// Hands out a text a few bytes at a time.
struct Trickle<'a>(&'a [u8], usize);

impl Read for Trickle<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.1.min(self.0.len()).min(buf.len());
        buf[..n].copy_from_slice(&self.0[..n]);
        self.0 = &self.0[n..];
        Ok(n)
    }
}

fn dump(mut tokens: Tokens<impl Read>) -> (String, Option<Stop>) {
    let mut out = String::new();
    while let Some(t) = tokens.next_token().unwrap() {
        let value = if matches!(t.kind, Kind::Key | Kind::String) { t.value() } else { t.raw.to_str_lossy() };
        out.push_str(&format!("{:?} {value} {} {:?} {}\n", t.kind, t.chars, t.span, t.line));
    }
    (out, tokens.stop().cloned())
}

fn kinds(text: &[u8]) -> (Vec<Kind>, Option<Stop>, Quirks) {
    let (mut tokens, mut kinds) = (Tokens::new(text), Vec::new());
    while let Some(t) = tokens.next_token().unwrap() {
        kinds.push(t.kind);
    }
    (kinds, tokens.stop().cloned(), *tokens.quirks())
}

#[test]
fn tokens_say_what_where_and_how_long() {
    let (out, stop) = dump(Tokens::new(&b"{\"a\": [1, -2.5e3,\n \"x\\ny\\u00e9\", true, null]}"[..]));
    assert_eq!(stop, None);
    assert_eq!(
        out,
        "ObjectStart { 1 0..1 0\nKey a 1 1..4 0\nArrayStart [ 1 6..7 0\nNumber 1 1 7..8 0\nNumber -2.5e3 6 10..16 0\n\
         String x\ny\u{e9} 4 19..31 1\nBool true 4 33..37 1\nNull null 4 39..43 1\nArrayEnd ] 1 43..44 1\nObjectEnd } 1 44..45 1\n"
    );
}

#[test]
fn what_does_no_harm_is_accepted_and_counted() {
    let text = b"\xEF\xBB\xBF[NaN, Infinity, -Infinity, \"\\ud800\", \"\\ud83d\\ude00\", \"\xff\", \"a\nb\", \"\\x\"]";
    let (kinds, stop, quirks) = kinds(text);
    assert_eq!((kinds.len(), stop), (10, None));
    assert_eq!(
        quirks,
        Quirks { bom: true, not_finite: 3, lone_surrogates: 1, invalid_utf8: 1, controls: 1, bad_escapes: 1 }
    );
}

#[test]
fn a_fault_is_told_with_its_place() {
    for (text, said) in [
        ("", "the text ends inside a value (line 0, byte 0)"),
        ("{\"a\": [1,\n2", "the text ends with 2 levels open (line 1, byte 10)"),
        ("{\"a\" 1}", "not JSON where a colon was due (line 0, byte 5)"),
        ("[1 2]", "not JSON where a comma or ] was due (line 0, byte 3)"),
        ("[1}", "not JSON where a comma or ] was due (line 0, byte 2)"),
        ("[2026-11-08]", "not JSON where a value was due (line 0, byte 1)"),
        ("[01]", "not JSON where a value was due (line 0, byte 1)"),
        ("{a: 1}", "not JSON where a key was due (line 0, byte 1)"),
        ("tru", "the text ends inside a value (line 0, byte 0)"),
        ("[trux]", "not JSON where a value was due (line 0, byte 1)"),
        ("[\"abc", "the text ends with 1 level open (line 0, byte 1)"),
    ] {
        assert_eq!(kinds(text.as_bytes()).1.unwrap().to_string(), said, "{text}");
    }
}

#[test]
fn a_giant_token_keeps_its_start_its_length_and_its_place() {
    let long = "日\\n\\\"\\ud83d\\ude00x".repeat(30_000);
    let digits = "7".repeat(200_000);
    let text = format!("[\"{long}\", {digits}, 1]");
    for step in [1 << 20, 4099] {
        let mut tokens = Tokens::new(Trickle(text.as_bytes(), step));
        tokens.next_token().unwrap();
        let t = tokens.next_token().unwrap().unwrap();
        assert_eq!(
            (t.kind, t.whole, t.chars, t.span.clone()),
            (Kind::String, false, 150_000, 1..long.len() as u64 + 3)
        );
        assert!(t.raw.len() > PREFIX - 12 && long.as_bytes().starts_with(t.raw));
        let t = tokens.next_token().unwrap().unwrap();
        assert_eq!((t.kind, t.whole, t.chars), (Kind::Number, false, 200_000));
        assert_eq!(tokens.next_token().unwrap().unwrap().raw, b"1");
        assert_eq!(tokens.next_token().unwrap().unwrap().kind, Kind::ArrayEnd);
        assert!(tokens.next_token().unwrap().is_none() && tokens.stop().is_none());
    }
}

#[test]
fn depth_costs_a_bit_a_level() {
    let (open, close) = ("[{\"a\":".repeat(1_000_000), "}]".repeat(1_000_000));
    let text = format!("{open}1{close}");
    let mut tokens = Tokens::new(text.as_bytes());
    while tokens.next_token().unwrap().is_some() {}
    assert_eq!((tokens.stop(), tokens.deepest(), tokens.depth()), (None, 2_000_000, 0));
    let mut tokens = Tokens::new(io::repeat(b'['));
    while tokens.next_token().unwrap().is_some() {}
    assert_eq!(tokens.stop().unwrap().fault, Fault::Deep);
}

#[test]
fn records_are_checked_line_by_line() {
    let giant = format!("{{\"pad\": \"{}\", \"n\": 3}}", "z".repeat(3_000_000));
    let text = format!("{{\"a\": 1}}\n\nnot json\n[1,\n {{\"b\": 2}} \r\n{giant}\n7 8\n\"end\"");
    let mut tokens = Tokens::records(Trickle(text.as_bytes(), 100_003));
    let mut seen = Vec::new();
    while let Some(record) = tokens.next_record().unwrap() {
        let mut n = 0;
        while tokens.next_token().unwrap().is_some() {
            n += 1;
        }
        assert!(tokens.stop().is_none());
        seen.push((record.line, record.fault.is_none(), n));
    }
    assert_eq!(
        seen,
        [(0, true, 4), (2, false, 0), (3, false, 0), (4, true, 4), (5, true, 6), (6, false, 0), (7, true, 1)]
    );
}

#[test]
fn what_follows_the_value_is_found() {
    let mut tokens = Tokens::new(&b"{}\n \n oops"[..]);
    while tokens.next_token().unwrap().is_some() {}
    let start = b"oops".to_vec();
    assert_eq!(tokens.trailing().unwrap(), Some(Trailing { line: 2, offset: 6, start }));
}

fn value() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        "\\PC{0,12}".prop_map(Into::into),
        "[a\n\"\\\\é日]{0,9}".prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            proptest::collection::vec(("\\PC{0,6}", inner), 0..6)
                .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_split_gives_the_same_tokens(value in value(), step in 1usize..50) {
        let text = serde_json::to_string_pretty(&value).unwrap();
        let whole = dump(Tokens::new(text.as_bytes()));
        prop_assert_eq!(&whole.1, &None);
        prop_assert_eq!(whole, dump(Tokens::new(Trickle(text.as_bytes(), step))));
    }

    #[test]
    fn what_is_valid_is_accepted_and_no_bytes_panic(text in proptest::collection::vec(
        prop_oneof![Just(b'"'), Just(b'\\'), Just(b'['), Just(b'{'), Just(b','), Just(b':'), Just(b'1'), any::<u8>()], 0..60)) {
        let mut tokens = Tokens::new(&text[..]);
        while tokens.next_token().unwrap().is_some() {}
        let ours = tokens.stop().is_none() && tokens.trailing().unwrap().is_none();
        if serde_json::from_slice::<serde_json::Value>(&text).is_ok() {
            prop_assert!(ours);
        }
        let mut records = Tokens::records(&text[..]);
        while records.next_record().unwrap().is_some() {
            while records.next_token().unwrap().is_some() {}
        }
        unescape(&text);
    }
}
