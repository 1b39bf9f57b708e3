//! `toolaria fetch`: slices, caps, continuation, exit statuses.

use crate::sandbox::{EPOCH, Sandbox, log};
use proptest::prelude::*;
use serde_json::Value;
use snapbox::str;

/// Follows `next` until it is null; returns the answers.
fn follow(s: &Sandbox, id: &str, first: &[&str], steps: usize) -> Vec<Value> {
    follow_within(4000, s, id, first, steps)
}

/// Follows `next` under a cap in chars.
fn follow_within(cap: usize, s: &Sandbox, id: &str, first: &[&str], steps: usize) -> Vec<Value> {
    let mut args: Vec<String> = first.iter().map(|a| (*a).to_owned()).collect();
    let (mut seen, mut answers) = (Vec::new(), Vec::new());
    loop {
        assert!(!seen.contains(&args) && seen.len() < steps, "asked again: {args:?}");
        seen.push(args.clone());
        let call = ["fetch".to_owned(), "--json".to_owned(), id.to_owned()].into_iter().chain(args);
        let done = s.toolaria(call).env("TOOLARIA_FETCH_MAX_CHARS", cap.to_string()).run();
        assert!(String::from_utf8_lossy(&done.output.stdout).chars().count() <= cap, "{first:?} {done}");
        let answer = done.json();
        assert_eq!(answer["truncated"], answer["next"].is_array(), "{answer}");
        let next = answer["next"].as_array().cloned();
        answers.push(answer);
        match next {
            None => return answers,
            Some(next) => args = next.iter().map(|a| a.as_str().expect("a word").to_owned()).collect(),
        }
    }
}

#[test]
fn ranges_join_to_the_text() {
    let s = Sandbox::new();
    let text = log(3000);
    let (id, _) = s.rescue(&text);
    let answers = follow(&s, &id, &["range", "0", "3000"], 200);
    let lines: Vec<&str> =
        answers.iter().flat_map(|a| a["lines"].as_array().unwrap()).map(|l| l["text"].as_str().unwrap()).collect();
    assert_eq!(lines.join("\n") + "\n", text);
}

#[test]
fn giant_lines_are_begun_and_go_on_as_bytes_to_the_end_of_the_range() {
    let s = Sandbox::new();
    let text: String = (0..5).map(|k| format!("<{k}>{}\n", "z".repeat(20_000))).collect();
    let (id, _) = s.rescue(&text);
    let mut joined = String::new();
    for answer in follow(&s, &id, &["range", "0", "5"], 200) {
        match answer["lines"].as_array() {
            Some(lines) => lines.iter().for_each(|l| joined.push_str(l["text"].as_str().unwrap())),
            None => joined.push_str(answer["text"].as_str().unwrap()),
        }
    }
    assert_eq!(joined, text);
}

#[test]
fn the_start_of_a_range_may_be_negative_and_nothing_is_clamped_in_silence() {
    let s = Sandbox::new();
    let (id, _) = s.rescue(log(3000));
    let lines = |args: &[&str]| -> Vec<u64> {
        let call = [&["fetch", "--json", &id, "range"], args].concat();
        let answer = s.toolaria(call).run().json();
        answer["lines"].as_array().map(|l| l.iter().map(|l| l["line"].as_u64().unwrap()).collect()).unwrap_or_default()
    };
    assert_eq!(lines(&["-2", "5"]), [2998, 2999]);
    assert_eq!(lines(&["2998", "50"]), [2998, 2999]);
    assert_eq!(lines(&["10"]).len(), 40);
    for past in ["3000", "-3001", "9999"] {
        let said = s.toolaria(["fetch", &id, "range", past, "5"]).run().nothing();
        assert!(said.contains("3,000 lines, 0 to 2999"), "{said}");
    }
    let said = s.toolaria(["fetch", &id, "range", "5", "0"]).run().nothing();
    assert!(said.contains("0 lines asked for"), "{said}");
    s.toolaria(["fetch", &id, "range", "x"]).run().failure(2, "START must be a line number");
    s.toolaria(["fetch", &id, "range", "1", "x"]).run().failure(2, "COUNT must be a whole number");
    s.toolaria(["fetch", &id, "range"]).run().failure(2, "needs START");
    s.toolaria(["fetch", &id, "range", "1", "2", "3"]).run().failure(2, "one word too many: \"3\"");
}

#[test]
fn deep_ranges_are_the_same_with_and_without_the_index() {
    let s = Sandbox::new();
    let text: String = (0..200_000).map(|k| format!("{}{k}\n", "v".repeat(k % 40))).collect();
    let (id, _) = s.rescue(&text);
    let ask = |start: u64| s.toolaria(["fetch", "--json", &id, "range", &start.to_string(), "3"]).run().json();
    let want: Vec<&str> = text.lines().collect();
    let starts = [0, 1, 77_777, 150_000, 199_997];
    let with: Vec<Value> = starts.iter().map(|&n| ask(n)).collect();
    for (answer, start) in with.iter().zip(starts) {
        for k in 0..3 {
            assert_eq!(answer["lines"][k]["text"], want[start as usize + k]);
        }
    }
    std::fs::remove_file(s.blob(&id).join("lines.idx")).unwrap();
    assert_eq!(starts.iter().map(|&n| ask(n)).collect::<Vec<_>>(), with);
    // One that lies about its size is not believed.
    std::fs::write(s.blob(&id).join("lines.idx"), [0u8; 24]).unwrap();
    assert_eq!(starts.iter().map(|&n| ask(n)).collect::<Vec<_>>(), with);
}

#[test]
fn bytes_windows_join_to_the_text_and_cut_no_char() {
    let s = Sandbox::new();
    let text = "日本語 🦀 é x".repeat(4000);
    let (id, _) = s.rescue(&text);
    let joined: String =
        follow(&s, &id, &["bytes", "0"], 100).iter().map(|a| a["text"].as_str().unwrap().to_owned()).collect();
    assert_eq!(joined, text);
    let window = s.toolaria(["fetch", "--json", &id, "bytes", "1", "10"]).run().json();
    assert_eq!((window["start"].as_u64(), window["text"].as_str()), (Some(3), Some("本語 ")));
    s.toolaria(["fetch", &id, "bytes", "99999999", "5"]).run().nothing();
}

#[test]
fn grep_counts_all_and_continues_without_repeating() {
    let s = Sandbox::new();
    let text: String = (0..5000)
        .map(|k| {
            if k % 90 == 7 {
                format!("hit number {k} {}\n", "pad ".repeat(60))
            } else {
                format!("line {k} of the text\n")
            }
        })
        .collect();
    let want: Vec<u64> = (0..5000).filter(|k| k % 90 == 7).collect();
    let (id, _) = s.rescue(&text);
    let answers = follow(&s, &id, &["grep", "^hit"], 50);
    assert!(answers.len() > 1 && answers.iter().all(|a| a["total"] == want.len()));
    let got: Vec<u64> =
        answers.iter().flat_map(|a| a["hits"].as_array().unwrap()).map(|h| h["line"].as_u64().unwrap()).collect();
    assert_eq!(got, want);
    let out = s.toolaria(["fetch", &id, "grep", "^hit"]).run().success();
    assert!(out.lines().next().unwrap().contains("56 matching lines of 5,000"), "{out}");
    // The printed command goes on as it stands.
    let more = out.lines().last().unwrap().split('`').nth(1).expect("a command").to_owned();
    let next = s.sh(&more).run().success();
    assert!(next.contains("hit number") && !next.contains("hit number 7 "), "{next}");
}

#[test]
fn grep_reads_like_grep() {
    let s = Sandbox::new();
    let text: String = (0..2000)
        .map(|k| match k {
            100 => "alpha ERROR one\n".to_owned(),
            102 => "alpha error two\n".to_owned(),
            1999 => "last Error (three) here\n".to_owned(),
            _ => format!("row {k}\n"),
        })
        .collect();
    let (id, _) = s.rescue_with(&text, ["--max-result-chars", "5000"]);
    let grep = |args: &[&str]| s.toolaria(["fetch", &id, "grep"].iter().chain(args)).run();
    let out = grep(&["-i", "-C", "1", "error"]).success().replace(&id, "ID");
    snapbox::assert_data_eq!(
        out,
        str![[r#"
[grep 'error' in ID: 3 matching lines of 2,000, numbered from 0]
99-row 99
100:alpha ERROR one
101-row 101
102:alpha error two
103-row 103
--
1998-row 1998
1999:last Error (three) here

"#]]
    );
    let body = |done: crate::sandbox::Done| done.success().lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(body(grep(&["-c", "-i", "error"])), ["3"]);
    assert_eq!(body(grep(&["-c", "-v", "row"])), ["3"]);
    assert_eq!(body(grep(&["-F", "(three)"])), ["1999:last Error (three) here"]);
    assert_eq!(body(grep(&["-w", "ERROR"])), ["100:alpha ERROR one"]);
    assert_eq!(body(grep(&["-o", "row 77."]))[..2], ["770:row 770", "771:row 771"]);
    assert_eq!(body(grep(&["-m", "1", "-i", "error"]))[0], "100:alpha ERROR one");
    assert_eq!(body(grep(&["-e", "ERROR", "-e", "three"])).len(), 2);
    assert_eq!(body(grep(&["--start", "101", "-i", "error"]))[0], "102:alpha error two");
    assert!(grep(&["zeta"]).nothing().contains("0 matching lines"));
    grep(&["[x"]).failure(2, "cannot use the pattern [x: unclosed character class");
    grep(&["(?<=a)b"]).failure(2, "look-around, including look-ahead and look-behind, is not supported");
    grep(&[r"(a)\1"]).failure(2, "backreferences are not supported");
    grep(&["a{5000}{5000}"]).failure(2, "size limit");
    grep(&[]).failure(2, "needs a PATTERN");
    s.toolaria(["fetch", &id, "range", "-i", "0"]).run().failure(2, "--ignore-case belongs to grep, not to range");
}

#[test]
fn grep_sees_lines_as_a_reader_does() {
    let s = Sandbox::new();
    let text: String = (0..1500).map(|k| format!("\x1b[1;31merror\x1b[0m: case {k}\r\n")).collect();
    let (id, _) = s.rescue(text);
    let total = |args: &[&str]| {
        s.toolaria(["fetch", "--json", &id, "grep"].iter().chain(args)).run().json()["total"].as_u64().unwrap()
    };
    assert_eq!(total(&["^error: case 7$"]), 1);
    assert_eq!(total(&["--raw", "^error: case 7$"]), 0);
    assert_eq!(total(&["--raw", r"\x1b\[0m: case 7\r"]), 1);
}

#[test]
fn a_giant_line_is_searched_to_its_end() {
    let s = Sandbox::new();
    let (id, _) = s.rescue(format!("{}NEEDLE-42{}", "a".repeat(3_000_000), "b".repeat(400_000)));
    let out = s.toolaria(["fetch", &id, "grep", r"NEEDLE-\d+"]).run().success();
    assert!(out.contains("aNEEDLE-42b") && out.contains("at byte 3000000") && out.chars().count() <= 4000, "{out}");
    let out = s.toolaria(["fetch", &id, "search", "needle"]).run().success();
    assert!(out.contains("NEEDLE-42"), "{out}");
    let out = s.toolaria(["fetch", &id, "outline"]).run().success();
    assert!(out.contains("`bytes START COUNT` opens one"), "{out}");
}

#[test]
fn search_shows_the_best_line_first_with_its_neighbours() {
    let s = Sandbox::new();
    let mut lines: Vec<String> = log(5000).lines().map(str::to_owned).collect();
    lines[3210] = "worker-5 paymentGatewayTimeout while charging card".to_owned();
    let (id, _) = s.rescue(lines.join("\n"));
    for query in ["payment gateway timeout", "gateway TIMEOUT", "charged cards", "payment_gateway"] {
        let answer = s.toolaria(["fetch", "--json", &id, "search", query]).run().json();
        assert_eq!(answer["hits"][0]["line"], 3210, "{query}: {answer}");
        assert_eq!(answer["hits"][0]["text"], lines[3210], "{query}");
    }
    let out = s.toolaria(["fetch", &id, "search", "payment", "gateway"]).run().success();
    let lines: Vec<&str> = out.lines().collect();
    assert!(
        lines[1].starts_with("3209-") && lines[2].starts_with("3210:worker-5") && lines[3].starts_with("3211-"),
        "{out}"
    );
    s.toolaria(["fetch", &id, "search", "zebra"]).run().nothing();
    for query in ["\"", "*", "AND OR NOT", "^", "\\", "😀", "-", "col:x"] {
        let done = s.toolaria(["fetch", &id, "search", "--", query]).run();
        assert!(matches!(done.output.status.code(), Some(0 | 1)) && done.output.stderr.is_empty(), "{done}");
    }
}

#[test]
fn every_continuation_ends_and_never_asks_twice() {
    let s = Sandbox::new();
    let text: String = (0..1000).map(|k| format!("request {k} it's \"quoted\" in /a b/c*{}\n", k % 13)).collect();
    let (id, _) = s.rescue(text);
    let calls: [&[&str]; 6] = [
        &["search", "request quoted"],
        &["outline"],
        &["range", "-900", "800"],
        &["bytes", "100", "30000"],
        &["grep", "-i", "-C", "2", "it's \"QUO"],
        &["grep", "-m", "70", "-F", "/a b/c*1"],
    ];
    for call in calls {
        let answers = follow(&s, &id, call, 300);
        if call[0] == "grep" {
            let hits = answers.iter().flat_map(|a| a["hits"].as_array().unwrap());
            let lines: Vec<u64> = hits.map(|h| h["line"].as_u64().unwrap()).collect();
            assert!(lines.windows(2).all(|w| w[0] < w[1]), "{call:?}");
            assert_eq!(answers[0]["total"], lines.len(), "{call:?}");
        }
    }
}

#[test]
fn context_too_wide_for_the_cap_is_trimmed_to_the_nearest_and_says_how_to_see_it() {
    let s = Sandbox::new();
    let text: String = (0..3000)
        .map(|k| match k {
            1000 | 2000 => format!("disk full at {k}\n"),
            _ => format!("worker {k} wrote its part of the table\n"),
        })
        .collect();
    let (id, _) = s.rescue(&text);
    for context in [["-B", "400"], ["-A", "400"], ["-C", "300"]] {
        let answers = follow(&s, &id, &["grep", context[0], context[1], "disk full"], 10);
        let hits = answers.iter().flat_map(|a| a["hits"].as_array().unwrap());
        assert_eq!(hits.map(|h| h["line"].as_u64().unwrap()).collect::<Vec<_>>(), [1000, 2000], "{context:?}");
    }
    let out = s.toolaria(["fetch", &id, "grep", "-m1", "-B", "400", "disk full"]).run().success();
    assert!(out.contains("\n999-worker 999 wrote") && out.contains("\n1000:disk full at 1000\n"), "{out}");
    let mark = out.lines().find(|line| line.starts_with("[... ")).expect("a mark");
    assert!(mark.contains("context lines from 600 omitted") && mark.contains("`range 600 "), "{mark}");
    // What the mark left out and what is shown are next to each other.
    let omitted: u64 = mark[5..].split(' ').next().unwrap().parse().expect("a number");
    assert!(out.contains(&format!("\n{}-worker", 600 + omitted)), "{out}");
}

#[test]
fn matches_within_one_line_join_over_all_answers() {
    let s = Sandbox::new();
    let words: Vec<String> = (0..3000).map(|k| format!("key{k}=x{}", k % 7)).collect();
    let (id, _) = s.rescue(format!("first\n{}\nkey-last\n", words.join("&")));
    let answers = follow(&s, &id, &["grep", "-o", r"key\d+"], 200);
    let hits: Vec<String> = answers
        .iter()
        .flat_map(|a| a["hits"].as_array().unwrap())
        .map(|h| h["text"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(hits, (0..3000).map(|k| format!("key{k}")).collect::<Vec<_>>());
}

#[test]
fn however_small_the_cap_every_answer_shows_something_and_goes_on_to_the_end() {
    let s = Sandbox::new();
    let texts = [
        log(150) + &"x".repeat(9000) + "\n" + &log(50),
        (0..60)
            .map(|k| format!("## Part {k}: {}\n\nwords {}\n\n", "long title ".repeat(40), "of it ".repeat(50)))
            .collect(),
        format!(
            "[{}0]",
            (0..40).map(|k| format!("{{\"name\": \"{}\", \"n\": {k}}},", "w".repeat(900))).collect::<String>()
        ),
        format!("日本語 {}", "request 語 ".repeat(2500)),
    ];
    for text in texts {
        let (id, _) = s.rescue(&text);
        for cap in [600, 800] {
            let wide = "name|request|words".to_owned() + &"|never".repeat(15);
            let calls: [&[&str]; 6] = [
                &["search", "request name words"],
                &["outline"],
                &["range", "0", "20"],
                &["bytes", "0", "3000"],
                &["grep", "-m", "20", "request|name|words"],
                &["grep", "-m", "10", "-C", "5", &wide],
            ];
            for call in calls {
                for answer in follow_within(cap, &s, &id, call, 700) {
                    let rows = ["hits", "lines", "entries"].iter().find_map(|rows| answer[rows].as_array());
                    assert!(rows.is_none_or(|rows| !rows.is_empty()) || answer["next"].is_null(), "{call:?}: {answer}");
                }
                let out = s
                    .toolaria(["fetch", &id].iter().chain(call))
                    .env("TOOLARIA_FETCH_MAX_CHARS", cap.to_string())
                    .run();
                let shown = String::from_utf8(out.output.stdout).expect("UTF-8");
                assert!(shown.chars().count() <= cap && shown.lines().count() > 1, "{call:?}: {shown}");
            }
        }
    }
}

#[test]
fn a_pattern_too_long_to_be_repeated_is_not() {
    let s = Sandbox::new();
    let (id, _) = s.rescue(log(3000));
    let long = format!("request{}", "|never".repeat(1000));
    for json in [false, true] {
        for call in [["grep", &long], ["search", &long.replace('|', " ")], ["json", &format!("/{long}")]] {
            let done = s.toolaria(["fetch", &id].iter().chain(&call)).arg(if json { "--json" } else { "--raw" }).run();
            let shown = String::from_utf8(done.output.stdout.clone()).expect("UTF-8");
            assert!(shown.chars().count() <= 4000, "{json} {}", call[0]);
            if call[0] == "grep" {
                assert!(
                    shown.contains(if json { "\"go_on\":\"with --start " } else { "the same again, with --start " }),
                    "{done}"
                );
            }
        }
    }
}

#[test]
fn a_cap_given_as_a_flag_is_kept_by_the_command_that_goes_on() {
    let s = Sandbox::new();
    let (id, _) = s.rescue(log(3000));
    let out = s.toolaria(["fetch", &id, "grep", "--fetch-max-chars", "900", "request"]).run().success();
    let more = out.lines().last().unwrap().split('`').nth(1).expect("a command").to_owned();
    let next = s.sh(&more).run().success();
    assert!(out.chars().count() <= 900 && next.chars().count() <= 900, "{next}");
    assert_eq!(next.lines().last().unwrap().matches("--fetch-max-chars 900").count(), 1, "{next}");
}

#[test]
fn every_answer_is_short_and_passes_the_filter() {
    let s = Sandbox::new();
    for text in
        ["ok\n".repeat(30_000), log(4000), "z ".repeat(200_000), format!("[{}0]", "{\"a\": [1, 2]},".repeat(5000))]
    {
        let (id, _) = s.rescue(&text);
        for mode in ["outline", "search ok", "grep .", "range 0 100000", "bytes 0", "json /0", "stat"] {
            for json in ["", " --json"] {
                let call = format!("fetch {id} {mode}{json}");
                let out = s.toolaria(call.split_whitespace()).run().output.stdout;
                let shown = String::from_utf8(out).expect("UTF-8");
                assert!(shown.chars().count() <= 4000, "{call}");
                assert_eq!(s.toolaria(["--tool", "bash"]).stdin(&shown).run().success(), shown, "{call}");
            }
        }
    }
}

#[test]
fn stat_tells_what_is_known() {
    let s = Sandbox::new();
    let text = log(2999) + "last: 日本";
    let out =
        s.toolaria(["--tool", "bash", "--session", "s1"]).env("SOURCE_DATE_EPOCH", EPOCH).stdin(&text).run().success();
    let id = crate::sandbox::id_in(&out);
    let stat = s.toolaria(["fetch", &id, "--json"]).run().json();
    for (key, value) in [
        ("bytes", Value::from(text.len())),
        ("chars", Value::from(text.chars().count())),
        ("lines", Value::from(3000)),
        ("tool", Value::from("bash")),
        ("session", Value::from("s1")),
        ("created", Value::from("2026-11-08T04:12:31Z")),
        ("pinned", Value::from(false)),
        ("type", Value::from("log")),
        ("id", Value::from(id.clone())),
        ("mode", Value::from("stat")),
    ] {
        assert_eq!(stat[key], value, "{key}");
    }
    assert_eq!(stat["sha256"].as_str().map(|h| &h[..12]), Some(&*id));
    let shown = s.toolaria(["fetch", &id]).run().success();
    assert!(shown.contains("193,503 chars, 193,507 bytes, 3,000 lines"), "{shown}");
}

#[test]
fn full_is_exact_or_refused_with_what_to_do_instead() {
    let s = Sandbox::new();
    let mut text = log(400).into_bytes();
    text.extend_from_slice(b"\0\xff latin \xe4\r\n");
    let (id, _) = s.rescue(&text);
    assert_eq!(s.toolaria(["fetch", &id, "full"]).run().bytes(), text);
    let (id, _) = s.rescue("x".repeat(50_001));
    let said = s.toolaria(["fetch", &id, "full"]).run().failure(2, "at most 50,000");
    assert!(said.contains("range START COUNT") && said.contains("cat"), "{said}");
}

#[test]
fn ids_can_be_short_long_upper_case_prefixed_and_stand_after_the_mode() {
    let s = Sandbox::new();
    let (id, _) = s.rescue(log(3000));
    let sha = s.toolaria(["fetch", &id, "--json"]).run().json()["sha256"].as_str().unwrap().to_owned();
    for form in
        [&id[..4], &id.to_uppercase(), &format!("tla:{id}"), &format!("tool-output:{id}"), &sha, &format!("{id}@1")]
    {
        assert_eq!(s.toolaria(["fetch", form, "stat", "--json"]).run().json()["id"], id, "{form}");
    }
    let a = s.toolaria_fetch([&id, "grep", "request 77 "]).run().success();
    assert_eq!(s.toolaria_fetch(["grep", &id, "request 77 "]).run().success(), a);
    for bad in ["..", "../../etc/passwd", "xyz", "", "ab", "/abcd"] {
        s.toolaria(["fetch", bad]).run().failure(2, "is not an id");
    }
    s.toolaria(["fetch", "ffff00000000"]).run().failure(2, "no blob ffff00000000");
    s.toolaria(["fetch", &id, "@2"]).run().failure(2, "unknown mode");
    s.toolaria(["fetch", &format!("{id}@2")]).run().failure(2, "1 version");
    s.toolaria(["fetch", &id, "gerp", "x"]).run().failure(2, "did you mean grep?");
    s.toolaria(["fetch"]).run().failure(2, "needs an ID");
}

#[test]
fn an_ambiguous_prefix_lists_its_candidates() {
    let s = Sandbox::new();
    let (id, _) = s.rescue(log(3000));
    let twin = format!("{}{}", &id[..6], if id.ends_with("000000") { "111111" } else { "000000" });
    std::fs::create_dir(s.blob(&twin)).unwrap();
    let said = s.toolaria(["fetch", &id[..6]]).run().failure(2, "is ambiguous");
    assert!(said.contains(&id) && said.contains(&twin), "{said}");
}

#[test]
fn versions_of_a_result_are_numbered() {
    let s = Sandbox::new();
    let (first, _) = s.rescue_with(log(1000), ["--label", "build"]);
    s.rescue_with(log(1001), ["--label", "other"]);
    let (second, _) = s.rescue_with(log(1002), ["--label", "build"]);
    for (form, id) in [(format!("{second}@1"), &first), (format!("{first}@2"), &second)] {
        assert_eq!(s.toolaria(["fetch", &form, "--json"]).run().json()["id"], **id);
    }
}

#[test]
fn a_json_pointer_gives_the_value_digit_for_digit() {
    let s = Sandbox::new();
    let rows: String =
        (0..700).map(|k| format!("{{\"name\": \"n{k}\", \"big\": {}}},", 9_007_199_254_740_993u64 + 2 * k)).collect();
    let (id, _) = s.rescue(format!("\u{feff}{{\"id\": 12345678901234567890123, \"items\": [{rows} 1]}}"));
    let value = |pointer: &str| s.toolaria(["fetch", "--json", &id, "json", pointer]).run().json()["value"].to_string();
    assert_eq!(value("/id"), "12345678901234567890123");
    assert_eq!(value("/items/3/big"), "9007199254740999");
    assert_eq!(value("/items/3/name"), "\"n3\"");
    let said = s.toolaria(["fetch", &id, "json", "/items/9999"]).run().nothing();
    assert!(said.contains("701"), "{said}");
    s.toolaria(["fetch", &id, "json"]).run().failure(2, "needs a POINTER");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Whatever the text: ranges join to what a reader sees of it, and grep counts what a plain scan counts.
    #[test]
    fn slices_keep_their_laws(
        parts in proptest::collection::vec(prop_oneof![
            "[a-z ]{0,60}\n", "\\PC{0,200}\n", Just("\u{1b}[31mred\u{1b}[0m error\r\n".to_owned()), Just("\n".to_owned()),
        ], 20..80),
        noise in proptest::collection::vec(any::<u8>(), 0..20),
    ) {
        let once = parts.concat();
        let mut text = once.repeat(1 + 13_000 / once.chars().count()).into_bytes();
        text.extend_from_slice(&noise);
        let s = Sandbox::new();
        let (id, _) = s.rescue(&text);
        let mut lines: Vec<String> = text.split(|&b| b == b'\n').map(|l| toolaria::text::clean::line(l).into_owned()).collect();
        if text.ends_with(b"\n") {
            lines.pop();
        }
        let total = lines.len().to_string();
        let got: Vec<String> = follow(&s, &id, &["range", "0", &total], 300).iter()
            .flat_map(|a| a["lines"].as_array().cloned().unwrap_or_default())
            .map(|l| l["text"].as_str().unwrap().to_owned()).collect();
        prop_assert_eq!(&got, &lines);
        for pattern in ["error$", "^[a-m]", "e"] {
            let regex = regex::Regex::new(pattern).unwrap();
            let want = lines.iter().filter(|l| regex.is_match(l)).count();
            let answer = s.toolaria(["fetch", "--json", &id, "grep", pattern]).run().json();
            prop_assert_eq!(answer["total"].as_u64(), Some(want as u64));
        }
    }
}
