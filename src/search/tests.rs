//! What search promises, on small texts of its own.

use proptest::prelude::*;

use super::*;
use crate::text::clean;

fn hits(text: impl AsRef<[u8]>, query: &str) -> Hits {
    search(text.as_ref(), query, &Options::default()).unwrap()
}

fn lines(text: impl AsRef<[u8]>, query: &str) -> Vec<u64> {
    hits(text, query).hits.iter().map(|h| h.line).collect()
}

/// A log of `n` lines without anything to find.
fn log(n: usize) -> String {
    (0..n)
        .map(|k| format!("2026-11-08 04:12:31 INFO worker-{} handled request {k} in {} ms\n", k % 7, k * 37 % 1000))
        .collect()
}

#[test]
fn words_meet_across_case_and_joints() {
    let text = log(5000).replace("request 3210 ", "paymentGatewayTimeout while charging card ");
    for query in [
        "payment gateway timeout",
        "gateway TIMEOUT",
        "charged cards",
        "payment_gateway",
        "payment-gateway",
        "paymentGateway",
    ] {
        assert_eq!(lines(&text, query)[0], 3210, "{query}");
    }
    for (line, query) in [
        ("raise ZeroDivisionError now", "error"),
        ("got a TimeoutError", "timeout"),
        ("connection_refused by peer", "connection refused"),
        ("connection refused by peer", "connection_refused"),
        ("the job failed", "failing"),
        ("a failure of the job", "failed"),
        ("it fails", "failure"),
        ("error[E0308]: mismatched", "E0308"),
        ("encoded as utf-8", "utf8"),
        ("encoded as UTF8", "utf-8"),
        ("un résumé naïf", "resume naif"),
        ("un resume naif", "résumé"),
        ("ＦＵＬＬ width", "full"),
        ("ПРИВЕТ мир", "привет"),
    ] {
        let text = format!("{}{line}\n{}", log(50), log(50));
        assert_eq!(lines(&text, query).first(), Some(&50), "{query} in {line}");
    }
}

#[test]
fn numbers_are_whole() {
    let text = "id,code,latency\n1,200,17\n2,500,90\n3,200,500\n4,200,1500\n5,200,500\n6,5001,1\n7,200,500\n";
    let mut found = lines(text, "500");
    found.sort_unstable();
    assert_eq!(found, [2, 3, 5, 7]);
    assert_eq!(hits(text, "500").matching, 4);
    assert_eq!(lines("takes 500ms\n", "500"), [0]);
    assert!(lines("error[E0308]\n", "308").is_empty());
}

#[test]
fn scripts_without_spaces_are_searched() {
    let mut text: String = (0..2000).map(|k| format!("平常记录第{k}行没有问题\n")).collect();
    text.push_str("夜间任务build-qvx跑完后清理了孤儿分片\nログの保存先zoneKが満杯です\n磁盘空间不足，无法写入日志\n服务器连接失败了\n");
    for (query, line) in [
        ("孤儿", 2000),
        ("孤儿分片", 2000),
        ("qvx", 2000),
        ("清理了", 2000),
        ("保存先", 2001),
        ("zoneK", 2001),
        ("満杯", 2001),
        ("磁盘空间", 2002),
        ("连接失败", 2003),
    ] {
        assert_eq!(lines(&text, query)[0], line, "{query}");
    }
}

#[test]
fn the_query_as_typed_comes_first() {
    let queries = [
        "can't",
        "ledger/post.py",
        "ops@node",
        "x,y",
        "really?",
        "k=vee",
        "#ticket",
        "[slot]",
        "full%",
        "io::Pipe",
        "--dry-run",
        "\"quoted\"",
        "C++",
        "tail~",
        "a&b",
        "semi;colon",
        "star*",
        "(paren",
        "GB/s",
        "foo::bar",
        "ops@example.org",
    ];
    let digits = |k: usize| {
        format!("{k:04}").bytes().map(|b| char::from(b"bcdfghjklm"[usize::from(b - b'0')])).collect::<String>()
    };
    let mut text: String = (0..2500).map(|k| format!("filler row {}\n", digits(k).repeat(2))).collect();
    for query in queries {
        text.push_str(&format!("here stands {query} alone\n"));
    }
    for (k, query) in queries.iter().enumerate() {
        assert_eq!(lines(&text, query).first(), Some(&(2500 + k as u64)), "{query}");
    }
    let text = "run --dry-run now\nrun dry, then run\ndry run\nc plus\nC++ and c\n";
    assert_eq!(lines(text, "--dry-run")[0], 0);
    assert_eq!(lines(text, "c++")[0], 4);
}

#[test]
fn no_query_is_an_error() {
    let text = format!("{}a \" b * c ^ \\ 😀 and or not NEAR( col: -\n", log(300));
    for query in [
        "\"",
        "*",
        "^",
        "\\",
        "😀",
        "NEAR(",
        "col:",
        "AND OR NOT",
        "'",
        "|",
        "--",
        "\u{0}",
        "\u{202E}",
        "((((",
        "\n",
        "é\u{301}",
    ] {
        let found = hits(&text, query);
        assert!(found.hits.iter().all(|h| h.line == 300), "{query:?}: {found:?}");
        if ["\"", "*", "^", "\\", "😀", "AND OR NOT", "NEAR(", "col:"].contains(&query) {
            assert_eq!(found.hits.len(), 1, "{query}");
        }
    }
    assert!(hits(&text, "").hits.is_empty() && hits("", "x").hits.is_empty());
    let long = "words without end ".repeat(10_000);
    assert_eq!(lines(format!("{}no end\n", log(10)), &long), [10]);
}

#[test]
fn stop_words_alone_are_searched() {
    assert_eq!(lines("alpha\nto be or so\ngamma\n", "to be")[0], 1);
    assert_eq!(lines("alpha\nthe who\n", "who"), [1]);
}

#[test]
fn rare_words_and_close_words_weigh_more() {
    let mut text = log(200);
    text.push_str("request queue\nsomething else\nrequest a b c d e f g h i j k l m n o p disk\nq\nq\ndisk request\n");
    assert_eq!(lines(&text, "disk request")[..2], [205, 202]);
    assert_eq!(lines(&text, "request queue")[0], 200);
}

#[test]
fn a_neighbour_completes_the_match() {
    let mut text = log(100);
    text.push_str("upload begins\nx\ny\nz\nupload begins\nquota exceeded\nx\ny\nz\nupload begins\n");
    assert_eq!(lines(&text, "upload quota")[..2], [105, 104]);
}

#[test]
fn identical_lines_fold_with_a_count() {
    let text = format!("{}{}", "boom happened\nfine\n".repeat(1000), "boom elsewhere\n");
    let found = hits(&text, "boom");
    assert_eq!(found.matching, 1001);
    let mut counts: Vec<(u64, u64)> = found.hits.iter().map(|h| (h.line, h.count)).collect();
    counts.sort_unstable();
    assert_eq!(counts, [(0, 1000), (2000, 1)]);
    let red = "\x1b[31mboom\x1b[0m\nboom\nboom\r\n";
    assert_eq!(hits(red, "boom").hits.iter().map(|h| h.count).collect::<Vec<_>>(), [3]);
}

#[test]
fn escapes_do_not_hide_words() {
    let text = format!("{}\x1b[1;31mer\x1b[0mror: dis\x1b[32mk\x1b[m gone\r\n{}", log(30), log(30));
    let found = hits(&text, "disk");
    assert_eq!((found.hits[0].line, found.hits[0].text.as_str(), found.hits[0].whole), (30, "error: disk gone", true));
    assert_eq!(lines("wait...\rdone writing\x1b[K\n", "writing"), [0]);
    assert!(lines("secret\rpublic\n", "secret").is_empty());
}

#[test]
fn one_line_texts_answer_with_places() {
    let mut text = String::from("{");
    for k in 0..20_000 {
        text.push_str(&format!("\"key{k}\":{{\"v\":{k},\"é\":1}},"));
    }
    let at = text.len() * 7 / 8;
    let at = at + text[at..].find('"').unwrap();
    text.insert_str(at, "\"needleName\":\"lost in hay\",");
    let found = hits(&text, "needle lost hay");
    let hit = &found.hits[0];
    assert!(hit.text.contains("needleName") && hit.text.contains("hay") && !hit.whole, "{hit:?}");
    assert!(hit.text.chars().count() <= 400);
    assert!((hit.offset as usize).abs_diff(at) <= 400 && hit.offset as usize <= at, "{} {at}", hit.offset);
    assert_eq!(found.matching, 1);
    // Longer than a piece: every place is found once.
    let text = format!("{}NEEDLE-42{}NEEDLE-43{}", "ab ".repeat(700_000), "cd ".repeat(700_000), "ef ".repeat(100));
    let found = hits(&text, "needle");
    let mut places: Vec<u64> = found.hits.iter().map(|h| h.offset).collect();
    places.sort_unstable();
    assert_eq!(places.len(), 2);
    assert!(places[0].abs_diff(2_100_000) < 400 && places[1].abs_diff(4_200_009) < 400, "{places:?}");
    assert_eq!(found.matching, 1);
}

#[test]
fn neighbours_come_with_the_hit_across_blocks() {
    let text: String = (0..40_000).map(|k| format!("line number {k} of many\n")).collect();
    let options = Options { context: 2, limit: 3, ..Options::default() };
    for n in [0u64, 1, 11_000, 11_001, 20_000, 39_999] {
        let marked = text.replace(&format!("line number {n} of"), "the needle of");
        for reader in [1usize << 30, 1000, 26] {
            struct Slow<'a>(&'a [u8], usize);
            impl Read for Slow<'_> {
                fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
                    let n = buf.len().min(self.1);
                    self.0.read(&mut buf[..n])
                }
            }
            let found = search(Slow(marked.as_bytes(), reader), "needle", &options).unwrap();
            assert_eq!(found.hits.len(), 1);
            let hit = &found.hits[0];
            assert_eq!((hit.line, hit.text.as_str()), (n, "the needle of many"));
            let want = |k: u64| (k, format!("line number {k} of many"));
            assert_eq!(hit.before, (n.saturating_sub(2)..n).map(want).collect::<Vec<_>>());
            assert_eq!(hit.after, (n + 1..(n + 3).min(40_000)).map(want).collect::<Vec<_>>());
        }
    }
}

#[test]
fn questions_want_their_shape_and_failures_their_signals() {
    let text = "compiling\nwarning: unused import\nerror: linker not found\nfinished tests: all about tests\n330 tests passed in 4.2s\n";
    assert_eq!(lines(text, "how many tests passed")[0], 4);
    assert_eq!(lines(text, "why did compiling stop")[0], 0);
    assert!(lines(text, "why did compiling stop").contains(&2));
}

#[test]
fn the_end_of_a_long_text_is_reached() {
    let text = format!("{}the needle", log(60_000));
    assert_eq!(lines(&text, "needle"), [60_000]);
    let text = log(30_000);
    let found = hits(&text, "worker request handled info");
    assert_eq!(found.matching, 30_000);
    assert_eq!(found.hits.len(), 10);
}

fn check(text: &[u8], query: &str) {
    let parsed = Query::parse(query);
    let options = Options { limit: 50, line_max_chars: 60, ..Options::default() };
    let found = search_with(&parsed, text, &options).unwrap();
    let mut all: Vec<&[u8]> = text.split(|&b| b == b'\n').collect();
    if all.last().is_some_and(|l| l.is_empty()) {
        all.pop();
    }
    assert_eq!(found, search_with(&parsed, text, &options).unwrap());
    let mut folded = 0;
    for hit in &found.hits {
        let line = clean::line(all[hit.line as usize]);
        if hit.whole {
            assert_eq!(hit.text, line);
        } else {
            assert!(hit.text.chars().count() <= 60);
            let bare = hit.text.trim_start_matches('…').trim_end_matches('…');
            assert!(line.contains(bare) || line.len() > 400, "{bare:?} in {line:?}");
        }
        let again = search_with(&parsed, hit.text.as_bytes(), &options).unwrap();
        assert!(!again.hits.is_empty(), "{:?} does not show {query:?}", hit.text);
        assert!(hit.offset <= text.len() as u64 && hit.count >= 1 && hit.score.is_finite());
        folded += hit.count;
        for (n, neighbour) in hit.before.iter().chain(&hit.after) {
            assert!(neighbour.chars().count() <= 60);
            assert!(clean::line(all[*n as usize]).starts_with(neighbour.trim_end_matches('…')));
        }
    }
    assert!(folded <= found.matching || text.len() > 4096);
    assert!(found.matching <= all.len() as u64);
}

proptest! {
    #[test]
    fn any_text_and_query_keep_the_laws(
        text in proptest::collection::vec(prop_oneof![
            4 => "[a-c ]{0,8}", 1 => "(error|Failed|time out|naïve|日本語|x::y|42)", 1 => "\\PC{0,20}", 1 => "[\\x00-\\x1f]{1,3}",
            2 => Just("\n".to_owned()), 1 => "[a-z]{300}"], 0..60),
        junk in proptest::collection::vec(any::<u8>(), 0..20),
        query in prop_oneof!["[a-c]{1,3}( [a-c]{1,3})?", "(fail|error|timeout|naive|日本|x::y|42|why error)", "\\PC{0,12}", "[ -/:-@]{1,4}"]) {
        let mut bytes = text.concat().into_bytes();
        bytes.extend(junk);
        check(&bytes, &query);
    }
}
