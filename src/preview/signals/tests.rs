use super::*;
use proptest::prelude::*;

fn found(text: &str) -> Vec<Signal> {
    let mut signals = Signals::new(10, 400);
    signals.push(text.as_bytes());
    signals.finish(Kind::Log, |_| false)
}

fn lines(text: &str) -> Vec<u64> {
    found(text).iter().map(|s| s.line).collect()
}

fn log(n: usize) -> String {
    (0..n).map(|k| format!("2026-11-08 04:12:31 INFO worker-{} handled request {k} in 17 ms\n", k % 7)).collect()
}

#[test]
fn what_failed_is_told() {
    for line in [
        "error[E0308]: mismatched types",
        "src/file.c:12:5: error: expected ';' before 'x'",
        "Program.cs(3,4): error CS1002: ; expected",
        "src/x.ts:7:20 - error TS2307: Cannot find module 'vitest'",
        "ERROR in ./src/index.js 3:4-9",
        "\x1b[31merror\x1b[0m: case",
        "2026-11-08 04:12:31 ERROR payment-gateway: connection refused by 203.0.113.9:443",
        "2026-11-08T04:12:31Z\terror\tmain.go:5\tcannot start",
        "2026-11-08 04:12:31,123 - shop.cart - ERROR - total mismatch",
        "ERROR:root:no such table",
        "Dec  1 02:10:30 host app[123]: error: disk full",
        "2026/12/01 02:10:30 [error] 123#0: *1 upstream timed out",
        "[ERROR] Failed to execute goal org.apache.maven",
        "time=\"2026-11-08T04:12:31Z\" level=error msg=\"no route\"",
        r#"{"time":"2026-11-08","level":"error","msg":"no route"}"#,
        r#"{"level":50,"msg":"no route"}"#,
        "E, [2026-11-08T04:12:31 #12] ERROR -- : boom",
        "web-1  | ERROR cannot bind",
        "FAILED tests/test_shop.py::test_price - AssertionError: x",
        "tests/test_shop.py::test_price[271-12] FAILED      [ 67%]",
        "test misc::order ... FAILED",
        "--- FAIL: TestX (0.00s)",
        "FAIL\tgithub.com/x/y\t0.1s",
        " FAIL  src/x.test.ts > adds",
        "not ok 3 - reads the file",
        "  \x1b[31m✗\x1b[0m adds two numbers",
        "[  FAILED  ] Foo.Bar (0 ms)",
        "E   assert 3 == 4",
        "ValueError: invalid literal",
        "json.decoder.JSONDecodeError: Expecting value: line 1 column 24 (char 23)",
        "Caused by: java.net.BindException: Address already in use",
        "Exception in thread \"main\" java.lang.NullPointerException",
        "\tjava.lang.StackOverflowError",
        "Uncaught TypeError: x is not a function",
        "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'x'",
        "x.rb:3:in 'foo': undefined method 'y' for nil (NoMethodError)",
        "thread 'main' panicked at src/main.rs:3:5:",
        "panic: runtime error: index out of range [5] with length 3",
        "Segmentation fault (core dumped)",
        "./run.sh: line 3: 12345 Killed                  ./prog",
        "[ 4242.1] Out of memory: Killed process 123 (prog)",
        "Process completed with exit code 1.",
        "command exited with 2",
        "subprocess.CalledProcessError: Command 'x' returned non-zero exit status 3.",
        "npm ERR! code ELIFECYCLE",
        "npm error code E404",
        "make[1]: *** [Makefile:3: all] Error 1",
        "(.text+0x17): undefined reference to `main'",
        "/usr/bin/ld: cannot find -lssl",
        "bash: foo: command not found",
        "cat: x: No such file or directory",
        "mkdir: cannot create directory '/x': Permission denied",
        "fatal: not a git repository (or any of the parent directories): .git",
        "CONFLICT (content): Merge conflict in a.txt",
        "=== 3 failed, 398 passed in 4.2s ===",
        "Tests: 5, Assertions: 6, Failures: 1.",
        "Found 2 errors in 1 file (checked 3 source files)",
        "dpkg: error processing package x (--configure):",
        "rsync error: some files could not be transferred (code 23)",
        "ERROR:  relation \"x\" does not exist",
        "ERROR 1045 (28000): Access denied for user",
        "Error connecting to the database",
        "10.0.0.1 - - [01/Dec/2026] \"GET /x HTTP/1.1\" 502 559",
        "##[error]Process completed",
        "CMake Error at CMakeLists.txt:3 (find_package):",
        "kubectl  pod/x  0/1  CrashLoopBackOff  5",
        "E: Unable to locate package x",
        "curl: (7) Failed to connect to 127.0.0.1 port 9 after 0 ms: Couldn't connect to server",
        "python3: can't open file '/tmp/x.py': [Errno 2] No such file or directory",
    ] {
        assert_eq!(lines(&format!("{}{line}\n{}", log(3), log(3))), [3], "{line:?}");
    }
}

#[test]
fn words_that_tell_nothing_are_left() {
    for line in [
        "     Running `rustc --crate-name thiserror_7 --error-format=json src/error_7.rs`",
        "+ log_error(\"x\")",
        "var error_12 = 3",
        "   Compiling thiserror v1.0.69",
        "0 errors, 0 warnings",
        "Found 0 errors. Watching for file changes.",
        "no failures",
        "failed=0 unreachable=0",
        "test result: ok. 114 passed; 0 failed; 0 ignored",
        "test flags::config::tests::error ... ok",
        "test regression::r1838_nul_error_with_binary_detection ... ok",
        "checksum ipsum account recount terror mirror",
        "  \"error\": null,",
        "  \"errors\": [],",
        "  error: null",
        "npm silly fetch manifest http-errors@2.0.0",
        "-rw-r--r--  1 root root   2416 Apr 27  2026 error.h",
        "import time:       126 |        126 |           warnings",
        "\tat org.apache.catalina.valves.ErrorReportValve.invoke(ErrorReportValve.java:83)",
        "    error messages the compiler displays: these guide you",
        "       returning  an exit status of 124.  If a shell function returns 124, and",
        "2026-11-08 04:12:31 INFO retry after error: timeout",
        "exit code 0",
        "npm verbose exit 0",
        "    22d0:\te8 6b fd ff ff       \tcall   2040 <abort@plt>",
        "GET /liberror-perl/ HTTP/1.1\" 200 -",
        "19    rt_sigaction(SIGSEGV, NULL, {sa_handler=SIG_DFL}, 8) = 0",
        "19    openat(AT_FDCWD, \"/x\", O_RDONLY) = -1 ENOENT (No such file or directory)",
        "Failures: 0, Errors: 0",
        "ok 3 - error is reported",
        "PASS src/error.test.js",
        "<td>error</td>",
        "on error resume next",
        "- Fixed ls to continue past 403 errors.",
        "Solution:   Bail out if u_savesub() returns FAIL.",
    ] {
        assert_eq!(found(&format!("{line}\n")), [], "{line:?}");
    }
}

#[test]
fn warnings_fold_to_one_line_with_a_count() {
    let mut text = log(100);
    for k in 0..52 {
        text += &format!("src/x.c:{k}:1: warning: unused variable 'v{k}' number {}\n", "x".repeat(k % 3));
    }
    text += "src/x.c:9:9: error: 'y' undeclared\n";
    let signals = found(&text);
    assert_eq!(signals.len(), 2);
    assert_eq!((signals[0].line, signals[0].severity, signals[0].count), (100, Severity::Warning, 52));
    assert_eq!((signals[1].line, signals[1].severity), (152, Severity::Error));
}

#[test]
fn the_worst_is_shown_though_it_comes_after_many_others() {
    let mut text = String::new();
    for k in 0..400 {
        text += &format!("ERROR request {k} refused by {}\n", ["alpha", "beta", "gamma"][k % 3]);
    }
    text += "FATAL: real problem\n";
    let signals = found(&text);
    assert_eq!(signals.len(), 10);
    assert!(signals.iter().any(|s| s.line == 400 && s.severity == Severity::Fatal));
    assert_eq!(signals.iter().map(|s| s.count).sum::<u64>(), 401);
}

#[test]
fn a_traceback_is_shown_as_its_exception_and_its_last_frame() {
    let text = format!(
        "{}Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    f()\n  File \"b.py\", line 9, in f\n    \
         g(1)\n    ^^^^\nmylib.Trouble: it broke\n{}",
        log(1500),
        log(1500)
    );
    let signals = found(&text);
    assert_eq!(signals.len(), 1);
    assert_eq!((signals[0].line, &*signals[0].text), (1506, "mylib.Trouble: it broke"));
    assert_eq!(signals[0].context, [(1503, "  File \"b.py\", line 9, in f".to_owned()), (1504, "    g(1)".to_owned())]);
}

#[test]
fn what_follows_a_message_belongs_to_it() {
    let signals =
        found("error[E0433]: cannot find `D`\n  --> src/c.rs:17:39\n   |\nthread 'x' panicked at a.rs:1:2:\nboom\n");
    assert_eq!(signals[0].context, [(1, "  --> src/c.rs:17:39".to_owned())]);
    assert_eq!(signals[1].context, [(4, "boom".to_owned())]);
    let signals = found(
        "1-Dec-2026 02:14:05.071 SEVERE [main] a.B.c threw\n\tjava.lang.IllegalStateException: no rows\n\t\tat a.B.c(B.java:3)\n",
    );
    assert_eq!((signals.len(), signals[0].line, signals[0].context.len()), (1, 1, 1));
}

#[test]
fn lines_shown_elsewhere_are_not_repeated() {
    let mut signals = Signals::new(10, 400);
    signals.push(b"error: a 1\nerror: a 2\nerror: a 3\nerror: b\n");
    let signals = signals.finish(Kind::Log, |line| line == 0 || line == 3);
    assert_eq!(signals.iter().map(|s| (s.line, s.count)).collect::<Vec<_>>(), [(1, 1), (2, 1)]);
}

#[test]
fn pages_data_and_code_have_none() {
    let mut signals = Signals::new(10, 400);
    signals.push(b"error: a\n");
    assert_eq!(signals.finish(Kind::Html, |_| false), []);
}

#[test]
fn a_giant_line_costs_a_window_and_shows_its_last_state() {
    let mut signals = Signals::new(10, 100);
    for _ in 0..40 {
        signals.push(&[b"\rDownloading error 17%".repeat(1000), b"x".repeat(100_000)].concat());
    }
    signals.push(b"\rerror: checksum mismatch\x1b[K\nplain\nerror: two\n");
    assert!(signals.open.capacity() < 40 * WINDOW);
    let signals = signals.finish(Kind::Log, |_| false);
    assert_eq!(
        signals.iter().map(|s| (s.line, &*s.text)).collect::<Vec<_>>(),
        [(0, "error: checksum mismatch"), (2, "error: two")]
    );
}

#[test]
fn lines_are_cut_but_not_in_the_word_that_tells() {
    let text = format!("{{\"a\":\"{}\",\"level\":\"error\",\"m\":\"{}\"}}\n", "x".repeat(1000), "y".repeat(3000));
    let signals = found(&text);
    assert!(signals[0].text.chars().count() <= 400 && signals[0].text.contains("\"level\":\"error\""), "{signals:?}");
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("\n".to_owned()),
        Just("error: ".to_owned()),
        Just("ERROR ".to_owned()),
        Just("\x1b[31mfatal\x1b[0m: ".to_owned()),
        Just("Traceback (most recent call last):\n".to_owned()),
        Just("  File \"x.py\", line 3, in f\n".to_owned()),
        Just("ValueError: no\n".to_owned()),
        Just("thread 'x' panicked at a.rs:1:2:\n".to_owned()),
        Just("E   assert 1\n".to_owned()),
        Just("  --> a.rs:1\n".to_owned()),
        Just("3 failed, ".to_owned()),
        Just("\r".to_owned()),
        Just("er\x1b[0mror: ".to_owned()),
        Just("warning: w\n".to_owned()),
        "[a-z0-9 é]{0,9}",
        (1usize..50_000).prop_map(|n| "z ".repeat(n)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn any_split_into_chunks_finds_the_same(
        pieces in proptest::collection::vec(piece(), 0..40),
        cuts in proptest::collection::vec(1usize..3000, 0..60),
        limit in 1usize..5) {
        let text = pieces.concat().into_bytes();
        let mut whole = Signals::new(limit, 60);
        whole.push(&text);
        let mut parts = Signals::new(limit, 60);
        let (mut rest, mut cuts) = (&text[..], cuts.into_iter());
        while !rest.is_empty() {
            let n = cuts.next().unwrap_or(rest.len()).min(rest.len());
            parts.push(&rest[..n]);
            rest = &rest[n..];
        }
        let whole = whole.finish(Kind::Log, |_| false);
        prop_assert!(whole.len() <= limit);
        prop_assert!(whole.windows(2).all(|w| w[0].line < w[1].line));
        prop_assert!(whole.iter().all(|s| s.text.chars().count() <= 60 && !s.text.contains('\n')));
        prop_assert_eq!(whole, parts.finish(Kind::Log, |_| false));
    }

    #[test]
    fn nothing_makes_it_fail(bytes in proptest::collection::vec(prop_oneof![
        Just(b'\n'), Just(b':'), Just(b' '), Just(b'['), Just(b'0'), Just(0xE9), any::<u8>()], 0..400), word in "(error|FAIL|ERROR|failed|fatal|exit code|E   |panicked at|Error|\" 502)") {
        for k in 0..=bytes.len().min(40) {
            let text = [&bytes[..k], word.as_bytes(), &bytes[k..]].concat();
            let mut signals = Signals::new(3, 40);
            signals.push(&text);
            signals.finish(Kind::Log, |_| false);
        }
    }
}
