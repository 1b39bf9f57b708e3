//! What kind of text a text is, decided from a bounded sample.
//!
//! The kind chooses the preview and the outline. A wrong choice must never harm: where the sample leaves a doubt the
//! answer is [`Kind::Log`] or [`Kind::Text`], whose previews suit every text of lines.

mod binary;
mod json;
mod lines;
mod table;

use bstr::ByteSlice;

/// The kinds of text that previews and outlines tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// One JSON value.
    Json,
    /// One JSON value a line.
    Ndjson,
    /// An HTML page.
    Html,
    /// XML.
    Xml,
    /// Markdown.
    Markdown,
    /// Comma-separated values.
    Csv,
    /// Tab-separated values.
    Tsv,
    /// A unified diff, also with the mail or commit text around it.
    Diff,
    /// Source code.
    Code,
    /// A log, or the output of a build or a test run.
    Log,
    /// Any other text.
    Text,
    /// Not a text.
    Binary,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 12] = [
        Kind::Json,
        Kind::Ndjson,
        Kind::Html,
        Kind::Xml,
        Kind::Markdown,
        Kind::Csv,
        Kind::Tsv,
        Kind::Diff,
        Kind::Code,
        Kind::Log,
        Kind::Text,
        Kind::Binary,
    ];

    /// Returns the word that stands for the kind in handles, answers and metadata.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Json => "json",
            Kind::Ndjson => "ndjson",
            Kind::Html => "html",
            Kind::Xml => "xml",
            Kind::Markdown => "markdown",
            Kind::Csv => "csv",
            Kind::Tsv => "tsv",
            Kind::Diff => "diff",
            Kind::Code => "code",
            Kind::Log => "log",
            Kind::Text => "text",
            Kind::Binary => "binary",
        }
    }

    /// Returns the kind that a word stands for.
    pub fn from_name(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// What is looked at to decide: the (decoded) start and end of a text.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// The first bytes, at least 16 KiB where the text has them.
    pub head: &'a [u8],
    /// The last bytes, perhaps overlapping the head; not at a line start.
    pub tail: &'a [u8],
    /// The length of the whole text in bytes.
    pub bytes: u64,
}

/// Decides what kind of text a sample is of.
///
/// The surest signs come first: bytes that no text has, then the grammars (JSON, diffs, tags), then what most lines
/// look like.
pub fn detect(sample: &Sample<'_>) -> Kind {
    if sample.head.is_empty() {
        return Kind::Text;
    }
    if binary::is(sample) {
        return Kind::Binary;
    }
    if let Some(kind) = json::detect(sample) {
        return kind;
    }
    if let Some(kind) = tags(without_mark(sample.head)) {
        return kind;
    }
    let lines = lines::of(without_mark(sample.head));
    if lines.is_empty() {
        return Kind::Text;
    }
    if lines::diff(&lines) {
        return Kind::Diff;
    }
    if super::paths::are_matches(lines.iter().copied()) {
        return Kind::Text;
    }
    let log = lines::log(&lines);
    if let Some(kind) = table::detect(sample).filter(|_| !log || !lines::stamped_first(&lines)) {
        return kind;
    }
    if !log && lines::markdown(&lines) {
        return Kind::Markdown;
    }
    if lines::code(&lines) && !(log && lines::stamped_first(&lines)) {
        return Kind::Code;
    }
    if log { Kind::Log } else { Kind::Text }
}

/// Tells [`Kind::Html`] and [`Kind::Xml`] by the first tag.
fn tags(head: &[u8]) -> Option<Kind> {
    let mut rest = head.trim_ascii_start();
    let mut xml = false;
    loop {
        rest = rest.trim_ascii_start();
        if let Some(comment) = rest.strip_prefix(b"<!--") {
            rest = &comment[comment.find(b"-->")? + 3..];
        } else if let Some(instruction) = rest.strip_prefix(b"<?xml") {
            xml = true;
            rest = &instruction[instruction.find(b"?>")? + 2..];
        } else {
            break;
        }
    }
    let tag = rest.strip_prefix(b"<")?;
    if tag.starts_with(b"?") && xml {
        return Some(Kind::Xml);
    }
    let name = &tag[..tag.iter().take_while(|b| b.is_ascii_alphanumeric() || b"!-_:.".contains(b)).count()];
    let name = name.to_ascii_lowercase();
    if name == b"!doctype" {
        let html = tag[name.len()..].trim_ascii_start().get(..4).is_some_and(|w| w.eq_ignore_ascii_case(b"html"));
        return Some(if html { Kind::Html } else { Kind::Xml });
    }
    const HTML: &[&str] = &[
        "html", "head", "body", "div", "table", "p", "ul", "ol", "section", "article", "main", "nav", "header",
        "footer", "span", "h1", "h2", "h3", "meta", "link", "script", "style", "title", "form", "pre", "a", "img",
        "tr", "td", "dl", "center", "font",
    ];
    if HTML.iter().any(|tag| name == tag.as_bytes()) && (!xml || name == b"html") {
        return Some(Kind::Html);
    }
    let named = name.first().is_some_and(u8::is_ascii_alphabetic);
    let ended = tag.get(name.len()).is_some_and(|b| b.is_ascii_whitespace() || b"/>".contains(b));
    // A log may begin with `<name>`; an XML text closes what it opens, or goes on with tags.
    let tags = head.find_iter(b"</").count() + head.find_iter(b"/>").count();
    (named && ended && (xml || tags > 1)).then_some(Kind::Xml)
}

/// Returns a text without its UTF-8 byte order mark.
fn without_mark(head: &[u8]) -> &[u8] {
    head.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(head)
}

/// Returns what a binary is, from its magic bytes: `PNG image, 880 x 550`, `ELF executable`.
pub fn binary_name(head: &[u8]) -> Option<String> {
    binary::name(head)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn kind(text: impl AsRef<[u8]>) -> Kind {
        let text = text.as_ref();
        let head = &text[..text.len().min(16 << 10)];
        let tail = &text[text.len().saturating_sub(16 << 10)..];
        detect(&Sample { head, tail, bytes: text.len() as u64 })
    }

    #[test]
    fn json_is_one_value_however_it_is_written() {
        for text in [
            "{\"a\": 1, \"b\": [true, null, -1.5e3]}",
            "{\n  \"a\": {\n    \"b\": []\n  }\n}\n",
            "\u{FEFF}[1, 2, 3]",
            "{\"a\":NaN,\"pad\":13}",
            "[\n{\"a\":1},\n{\"a\":2}\n]\n",
        ] {
            assert_eq!(kind(text), Kind::Json, "{text}");
        }
        assert_eq!(kind("[".repeat(100_000) + &"]".repeat(100_000)), Kind::Json);
        assert_eq!(kind("{\"a\":".repeat(50_000) + "1" + &"}".repeat(50_000)), Kind::Json);
        assert_eq!(kind(format!("{{\"big\": {}}}", "7".repeat(20_000))), Kind::Json);
        assert_eq!(kind(format!("\"{}\"", "x".repeat(300_000))), Kind::Json);
        assert_eq!(kind(format!("[{}", "{\"id\": 17, \"name\": \"x\"},\n".repeat(2000))), Kind::Json, "truncated");
    }

    #[test]
    fn ndjson_is_one_value_a_line() {
        let row = "{\"level\":\"info\",\"n\":17}\n";
        assert_eq!(kind(row.repeat(3000)), Kind::Ndjson);
        assert_eq!(kind(row.repeat(3)), Kind::Ndjson);
        assert_eq!(kind(format!("{}half a li", row.repeat(300))), Kind::Ndjson);
        let long = format!("{{\"pad\":\"{}\"}}\n", "x".repeat(40_000));
        assert_eq!(kind(long.clone() + &row.repeat(3)), Kind::Ndjson);
        assert_eq!(kind(long), Kind::Json);
    }

    #[test]
    fn a_log_that_begins_like_json_is_a_log() {
        for first in [
            "{\"started\": true}\n",
            "[INFO] starting\n",
            "{\n",
            "[1234] up\n",
            "{'a': 1}\n",
            "[2026-11-08 04:12:31] x\n",
        ] {
            let text = first.to_owned() + &"2026-11-08 04:12:31 INFO worker handled request\n".repeat(500);
            assert_eq!(kind(text), Kind::Log, "{first}");
        }
        assert_eq!(kind("[INFO] building\n[ERROR] no\n".repeat(99)), Kind::Log);
    }

    #[test]
    fn pages_are_told_by_their_first_tag() {
        assert_eq!(kind("<!DOCTYPE html><html><body>x"), Kind::Html);
        assert_eq!(kind("\n<!-- c -->\n<div class=x><p>y</div>"), Kind::Html);
        assert_eq!(kind("<?xml version=\"1.0\"?><a><b/></a>"), Kind::Xml);
        assert_eq!(kind("<project xmlns=\"x\">\n<a>1</a>\n<b/></project>"), Kind::Xml);
        assert_ne!(kind("<34>1 2026-11-08T04:12:31Z host app - - x\n".repeat(9)), Kind::Xml);
        assert_ne!(kind("<alice> hello\n<bob> hi\n".repeat(9)), Kind::Xml);
    }

    #[test]
    fn diffs_are_told_also_with_the_commit_around() {
        let hunk = "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n one\n-two\n+log_error(\"x\")\n three\n";
        assert_eq!(kind(hunk), Kind::Diff);
        assert_eq!(
            kind(format!(
                "commit 5ddff67\nAuthor: A <a@b>\n\n    fix\n\ndiff --git a/x b/x\nindex 1..2 100644\n{}",
                hunk.repeat(3)
            )),
            Kind::Diff
        );
        assert_ne!(kind(format!("{}{}", "2026-11-08 04:12:31 INFO x\n".repeat(99), hunk)), Kind::Diff);
    }

    #[test]
    fn tables_have_the_same_fields_in_every_record() {
        assert_eq!(kind(format!("id,name,score\n{}", "1,\"a, b\",2.5\n".repeat(50))), Kind::Csv);
        assert_eq!(kind(format!("id,text\n{}", "1,\"two\nlines\"\n".repeat(50))), Kind::Csv);
        assert_eq!(kind(format!("id\tname\n{}", "1\tx\n".repeat(50))), Kind::Tsv);
        assert_eq!(kind(format!("a;b;c\n{}", "1;2;3\n".repeat(50))), Kind::Csv);
        assert_ne!(kind("Well, this is prose.\nIt has, now and then, a comma.\nOr none.\n".repeat(20)), Kind::Csv);
        assert_eq!(kind("2026-11-08 04:12:31,123 INFO x\n".repeat(50)), Kind::Log);
        assert_eq!(kind("ok  \tgithub.com/x/y\t0.005s\nok  \tgithub.com/x/z\t0.015s\n".repeat(20)), Kind::Log);
    }

    #[test]
    fn markdown_and_code_are_told() {
        let page = "# Title\n\nSome *text* with a [link](x) and `code` or `two`.\n\n## Part\n\n- one\n- two\n\n```sh\n# not a heading\nmake\n```\n";
        assert_eq!(kind(page), Kind::Markdown);
        for code in [
            "use std::io;\n\nfn main() {\n    let x = 1;\n    println!(\"{x}\");\n}\n",
            "import os\nfrom x import y\n\ndef f(a):\n    return a\n\nclass C:\n    def g(self):\n        return 2\n",
            "#!/bin/sh\n# build\nset -e\nmake\n",
            "#include <stdio.h>\nint main(void) {\n  return 0;\n}\n",
            "CREATE TABLE a(b);\nINSERT INTO a VALUES(1);\nINSERT INTO a VALUES(2);\nCOMMIT;\n",
        ] {
            assert_eq!(kind(code), Kind::Code, "{code}");
        }
        let minified = "!function(t,n){var e=t.a;return n(function(r){return r.b=e,r})}(this,x=>x);".repeat(400);
        assert_eq!(kind(minified), Kind::Code);
    }

    #[test]
    fn logs_builds_and_tests_are_logs() {
        for line in [
            "2026-11-08 04:12:31 INFO worker-3 handled request 5 in 3 ms\n",
            "test misc::order ... ok\n",
            "\x1b[1m\x1b[32m   Compiling\x1b[0m serde v1.0.0\n",
            "tests/test_a.py::test_b[1] PASSED      [ 12%]\n",
            "127.0.0.1 - - [01/Dec/2026:02:10:30 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"x\"\n",
            "npm http fetch GET 200 https://registry.example.org/x 97ms\n",
            "shop.cpp:34:36: error: no match\n   34 |  x;\n      |  ^\n",
        ] {
            assert_eq!(kind(line.repeat(50)), Kind::Log, "{line}");
        }
    }

    #[test]
    fn a_few_stray_bytes_do_not_make_a_binary() {
        let log = "2026-11-08 04:12:31 INFO worker handled request\n".repeat(100);
        assert_eq!(kind([log.as_bytes(), b"\0\0\n", log.as_bytes()].concat()), Kind::Log);
        assert_eq!(kind([log.as_bytes(), b"gr\xfc\xdfe \xff\xfe\n"].concat()), Kind::Log);
        assert_eq!(kind(b"stra\xdfe und gr\xf6\xdfe, so sagt man\n".repeat(50)), Kind::Text);
        assert_eq!(kind(b"\xcf\xf2\xe8\xe2\xe5\xf2 \xec\xe8\xf0\n".repeat(500)), Kind::Text, "Windows-1251");
        assert_eq!(kind(b"./a/b\0./a/c\0./dir/file\0".repeat(500)), Kind::Text);
        for bytes in [
            b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0".repeat(9),
            (0..=255).collect(),
            b"\xff".repeat(12_001),
            vec![0; 99],
        ] {
            assert_eq!(kind(&bytes), Kind::Binary);
        }
        assert_eq!(kind(""), Kind::Text);
        assert_eq!(kind("\n".repeat(9)), Kind::Text);
    }

    #[test]
    fn binaries_are_named_in_peoples_words() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x03\x70\0\0\x02\x26\x08";
        assert_eq!(binary_name(png).as_deref(), Some("PNG image, 880 x 550"));
        assert_eq!(binary_name(b"\x89PNG\r\n\x1a\nxx").as_deref(), Some("PNG image"));
        assert_eq!(binary_name(b"\x1f\x8b\x08\0").as_deref(), Some("gzip compressed data"));
        assert_eq!(binary_name(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0").as_deref(), Some("ELF executable"));
        assert_eq!(binary_name(b"%PDF-1.7").as_deref(), Some("PDF document"));
        assert_eq!(binary_name(b"\x01\x02\x03"), None);
    }

    proptest! {
        #[test]
        fn nothing_makes_it_fail(text in "\\PC{0,200}", bytes in proptest::collection::vec(any::<u8>(), 0..200), cut in 0usize..200) {
            kind(&text);
            kind(&bytes);
            detect(&Sample { head: &bytes[..cut.min(bytes.len())], tail: text.as_bytes(), bytes: 1 << 40 });
            binary_name(&bytes);
            for start in ["{", "[", "\"", "<", "<!--", "--- a\n+++ b\n@@ -", "a,b,c\n", "# x\n"] {
                kind(format!("{start}{text}"));
            }
        }
    }
}
