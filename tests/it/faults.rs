//! Nothing is lost: whatever fails, the whole text goes out.

use crate::sandbox::{Sandbox, log};
use std::io::Read;
use std::process::Stdio;

#[test]
fn an_unusable_store_passes_the_text_through_with_one_warning() {
    let s = Sandbox::new();
    std::fs::write(s.dir().join("file"), "").unwrap();
    let text = log(3000);
    for store in [&*s.dir().join("file/sub").to_string_lossy(), "/proc/none/such", "/dev/null/x"] {
        let done = s.toolaria(["--tool", "t"]).env("TOOLARIA_STORE", store).stdin(&text).run();
        done.expect(0, "the text was not stored and is passed through whole: ");
        assert_eq!(done.output.stdout, text.as_bytes());
        assert_eq!(done.output.stderr.iter().filter(|&&b| b == b'\n').count(), 1, "{done}");
    }
}

#[test]
fn a_full_disk_passes_the_text_through() {
    let s = Sandbox::new();
    let text: String = (0..200_000).map(|k| format!("{k}\n")).collect();
    std::fs::write(s.dir().join("in"), &text).unwrap();
    for (blocks, trap) in [(256, "trap '' XFSZ;"), (256, ""), (1, "trap '' XFSZ;"), (0, "trap '' XFSZ;")] {
        let done = s.sh(&format!("{trap} ulimit -f {blocks}; exec toolaria --tool t < in")).run();
        done.expect(0, "not stored and is passed through whole");
        assert_eq!(done.output.stdout, text.as_bytes(), "{blocks}");
        assert!(s.ids().is_empty() && s.unpublished().is_empty());
    }
}

#[test]
fn a_handle_longer_than_the_cap_lets_a_large_text_pass_and_says_why() {
    let s = Sandbox::new();
    let deep = s.dir().join("a".repeat(200)).join("b".repeat(200)).join("c".repeat(200));
    std::fs::create_dir_all(deep.parent().expect("a folder above")).expect("a folder");
    let text = log(3000);
    let filter = s.toolaria(["--excerpt-max-chars", "600", "--store"]).arg(&deep).stdin(&text);
    let done = filter.run();
    assert_eq!(String::from_utf8_lossy(&done.output.stdout), text);
    let why = String::from_utf8_lossy(&done.output.stderr).into_owned();
    assert!(why.contains("the handle takes ") && why.contains("excerpt_max_chars (600)"), "{why}");
    assert_eq!(why.lines().count(), 1, "{why}");
}

#[test]
fn memory_of_an_outline_is_bounded_whatever_the_text() {
    let s = Sandbox::new();
    // Every other line blank: a landmark at each block would be a million.
    let make = "yes 'some words' | head -n 1000000 | awk '{print $0 NR; print \"\"}'";
    let out = s.sh(&format!("{make} | toolaria --tool t")).run().success();
    let id = crate::sandbox::id_in(&out);
    s.sh(&format!("ulimit -v 100000; toolaria fetch {id} outline")).run().success();
}

#[test]
fn too_few_descriptors_pass_the_text_through() {
    let s = Sandbox::new();
    let text: String = (0..5000).map(|k| format!("{k}\n")).collect();
    std::fs::write(s.dir().join("in"), &text).unwrap();
    for limit in 4..12 {
        let done = s.sh(&format!("exec < in; ulimit -n {limit}; exec toolaria --tool t")).run();
        assert_eq!(done.output.status.code(), Some(0), "{limit}: {done}");
        let whole = done.output.stdout == text.as_bytes();
        let rescued = done.output.stdout.starts_with(b"[Toolaria: ");
        assert!(whole || rescued, "{limit}: {done}");
    }
}

#[test]
fn a_file_in_the_place_of_a_folder_passes_the_text_through() {
    let s = Sandbox::new();
    s.sh("mkdir -m 700 store; : > store/blobs").run().success();
    let text = log(3000);
    let done = s.toolaria(["--tool", "t"]).stdin(&text).run();
    done.expect(0, "blobs");
    assert_eq!(done.output.stdout, text.as_bytes());
    assert!(s.unpublished().is_empty());
}

#[test]
fn a_store_removed_under_way_passes_the_text_through() {
    let s = Sandbox::new();
    let script = "{ seq 1 300000; sleep 0.5; rm -r store; seq 1 300000; } | toolaria --tool t | sha256sum; \
                  { seq 1 300000; seq 1 300000; } | sha256sum";
    let done = s.sh(script).run();
    done.expect(0, "not stored");
    let out = String::from_utf8_lossy(&done.output.stdout).into_owned();
    let sums: Vec<&str> = out.lines().collect();
    assert_eq!(sums[0], sums[1]);
}

#[test]
fn without_a_home_the_text_still_comes_out() {
    let s = Sandbox::new();
    let done = s.toolaria(["--tool", "t"]).unset("HOME").unset("TOOLARIA_STORE").env("XDG_STATE_HOME", "/dev/null");
    let text = log(3000);
    let done = done.stdin(&text).run();
    done.expect(0, "passed through whole");
    assert_eq!(done.output.stdout, text.as_bytes());
}

#[test]
fn a_closed_stdout_is_quiet_and_the_text_is_stored() {
    let s = Sandbox::new();
    let done = s.sh("seq 1 200000 | toolaria --tool t | true; echo ${PIPESTATUS[1]}").run().success();
    assert!(["0\n", "141\n"].contains(&&*done), "{done}");
    assert_eq!(s.ids().len(), 1);
    let id = s.ids().remove(0);
    for call in [format!("cat {id}"), format!("fetch {id} range 0 60"), "list".into(), "config".into(), "--help".into()]
    {
        let done = s.sh(&format!("toolaria {call} | true; echo ${{PIPESTATUS[0]}}")).run().success();
        assert!(["0\n", "141\n"].contains(&&*done), "{call}: {done}");
    }
}

#[test]
fn an_output_that_cannot_be_written_is_an_error() {
    let s = Sandbox::new();
    let (id, _) = s.rescue(log(3000));
    let script = |call: &str| format!("toolaria {call} > /dev/full; echo $? >&2; true");
    for call in [format!("fetch {id}"), "list".to_owned(), "--help".to_owned(), format!("cat {id}")] {
        let done = s.sh(&script(&call)).run();
        let said = String::from_utf8_lossy(&done.output.stderr).into_owned();
        assert!(said.contains("cannot write the output: No space left on device") && said.ends_with("2\n"), "{said}");
    }
}

#[test]
fn closed_standard_descriptors_do_no_harm() {
    let s = Sandbox::new();
    assert_eq!(s.sh("toolaria --tool t <&-; echo $?").run().success(), "0\n");
    s.sh("seq 1 20000 | toolaria --tool t 2>&-").run().success();
}

#[test]
fn a_pipe_that_does_not_block_is_waited_for() {
    let s = Sandbox::new();
    // dd opens nothing itself, but its O_NONBLOCK flag sticks to the shared descriptor of the pipe.
    let script = "seq 1 300000 | { dd iflag=nonblock count=0 2>/dev/null; sleep 0.2; toolaria --tool eval; } | \
                  { sleep 0.3; sha256sum; }; seq 1 300000 | sha256sum";
    let out = s.sh(script).run().success();
    let sums: Vec<&str> = out.lines().collect();
    assert_eq!(sums[0], sums[1]);
}

#[test]
fn memory_is_bounded_whatever_the_text() {
    let s = Sandbox::new();
    // 300 MB without a newline, and 300 MB of short lines, under 64 MiB of address space beyond the program's own.
    for make in ["head -c 300000000 /dev/zero | tr '\\0' q", "yes 'a line of the text' | head -c 300000000"] {
        let out = s.sh(&format!("{make} | (ulimit -v 200000; toolaria --tool t)")).run().success();
        assert!(out.contains("size=300,000,000 chars"), "{out}");
    }
}

#[test]
fn hostile_json_is_survived() {
    let s = Sandbox::new();
    for text in [
        "[".repeat(100_000) + &"]".repeat(100_000),
        "[".repeat(100_000),
        format!("{{\"a\": NaN, \"pad\": \"{}\"}}", "p".repeat(13_000)),
        format!("[{}]", "9".repeat(20_000)),
        format!("{{\"a\": \"\\ud800\", \"a\": 1, \"b\": \"{}", "x".repeat(13_000)),
        "{\"a\":".repeat(50_000),
    ] {
        let (id, out) = s.rescue(&text);
        assert!(out.chars().count() <= 8000);
        for mode in ["outline", "json /a", "json", "search a", "grep a", "stat", "range 0", "bytes 0 100"] {
            let call = format!("fetch {id} {mode}");
            let done = s.toolaria(call.split(' ')).run();
            assert!(matches!(done.output.status.code(), Some(0..=2)), "{call}: {done}");
            assert!(!String::from_utf8_lossy(&done.output.stderr).contains("panic"), "{done}");
        }
    }
}

#[test]
fn escapes_reach_no_terminal_from_anywhere() {
    let s = Sandbox::new();
    let evil = "\x1b]52;c;cGF5bG9hZA==\x07\x1b[2J\u{9b}31m\u{202e}evil\0";
    let text = format!("{evil}\n").repeat(2000);
    let out = s
        .toolaria(["--tool", &format!("x{}", evil.replace('\0', "")), "--label", &evil.replace('\0', "")])
        .stdin(&text)
        .run()
        .bytes();
    let id = crate::sandbox::id_in(&String::from_utf8_lossy(&out));
    let mut seen = vec![out];
    for call in [
        format!("fetch {id} range 0 3"),
        format!("fetch {id} grep evil"),
        format!("fetch {id} search evil"),
        format!("fetch {id} outline"),
        format!("fetch {id} bytes 0 200"),
        format!("fetch {id} stat"),
        "list".to_owned(),
        "list --names".to_owned(),
        "status --verbose".to_owned(),
        "search evil".to_owned(),
    ] {
        seen.push(s.toolaria(call.split(' ')).run().output.stdout);
    }
    for args in [["fetch", evil.trim_end_matches('\0')].as_slice(), &[&evil[..5]], &["fetch", &id, "grep", "[\x1b[31m"]]
    {
        seen.push(s.toolaria(args).run().output.stderr);
    }
    for out in seen {
        let shown = String::from_utf8(out).expect("UTF-8");
        let bad = shown.chars().find(|&c| (c.is_control() && c != '\n' && c != '\t') || c == '\u{202e}');
        assert_eq!(bad, None, "{shown}");
    }
}

#[test]
fn output_begins_only_when_the_verdict_is_known() {
    let s = Sandbox::new();
    let mut call = s.toolaria(["--tool", "t"]);
    let mut child = call.command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut pipe, b"small\n").unwrap();
    std::thread::sleep(std::time::Duration::from_millis(200));
    let mut out = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        out.read_to_string(&mut text).unwrap();
        text
    });
    assert!(!reader.is_finished());
    std::io::Write::write_all(&mut pipe, log(3000).as_bytes()).unwrap();
    drop(pipe);
    assert!(reader.join().unwrap().starts_with("[Toolaria: "));
    child.wait().unwrap();
}
