//! `run` and `batch`: commands as texts.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::sandbox::{Sandbox, id_in};

fn bash(script: &str) -> [&str; 5] {
    ["run", "--", "bash", "-c", script]
}

#[test]
fn both_streams_come_in_the_order_written_and_the_status_is_kept() {
    let s = Sandbox::new();
    let done = s.toolaria(bash("echo out; echo err >&2; echo more; exit 7")).run();
    done.expect(7, "");
    assert_eq!(done.output.stdout, b"out\nerr\nmore\n");
    let script = "for k in $(seq 3000); do echo o$k; echo e$k >&2; done";
    let out = s.toolaria(["run", "--no-store", "--", "bash", "-c", script]).run().success();
    let want: String = (1..=3000).map(|k| format!("o{k}\ne{k}\n")).collect();
    assert!(out == want);
}

#[test]
fn statuses_are_those_of_a_shell() {
    let s = Sandbox::new();
    for (script, status) in [("true", 0), ("exit 255", 255), ("kill -KILL $$", 137), ("kill -TERM $$", 143)] {
        s.toolaria(bash(script)).run().expect(status, "");
    }
    s.toolaria(["run", "--", "no-such-program-xyz"]).run().failure(127, "no such command");
    s.toolaria(["run", "--", "/"]).run().failure(126, "cannot run /");
    s.toolaria(["run"]).run().failure(2, "run needs a command");
}

#[test]
fn everything_after_the_dashes_is_the_commands() {
    let s = Sandbox::new();
    let out = s.toolaria(["run", "--", "printf", "<%s>", "--", "-x", "--tool", "", "a b", "$HOME"]).run().success();
    assert_eq!(out, "<--><-x><--tool><><a b><$HOME>");
    assert_eq!(s.toolaria(["run", "echo", "--json", "--"]).run().success(), "--json --\n");
    assert_eq!(s.toolaria(["run", "--", "cat"]).stdin("as it is\n").run().success(), "as it is\n");
}

#[test]
fn a_large_output_is_recorded_with_its_command() {
    let s = Sandbox::new();
    let done = s.toolaria(["run", "--session", "s1", "--label", "l1", "--", "bash", "-c", "seq 1 5000; exit 3"]).run();
    done.expect(3, "");
    let out = String::from_utf8(done.output.stdout).unwrap();
    assert!(out.starts_with("[Toolaria: tool result rescued. tool=bash;"), "{out}");
    assert!(out.lines().next().unwrap().contains("; exit_status=3;"), "{out}");
    let stat = s.toolaria(["fetch", &id_in(&out), "stat", "--json"]).run().json();
    assert_eq!(stat["command"], "bash -c 'seq 1 5000; exit 3'");
    assert_eq!((&stat["exit_status"], &stat["tool"]), (&3.into(), &"bash".into()));
    assert!(stat["duration_ms"].is_u64() || stat["duration_ms"].is_null());
}

#[test]
fn secrets_are_nowhere_in_the_store() {
    let s = Sandbox::new();
    let secrets = ["sk-abcdefgh12345678", "hunter2hunter2", "topsecretvalue"];
    let script = format!("seq 1 5000 # curl -H 'Authorization: Bearer {}' https://bob:{}@x", secrets[1], secrets[2]);
    s.toolaria(["run", "--", "bash", "-c", &script, "x", "--token", secrets[0]]).run().success();
    let found = s.sh(&format!("grep -raE '{}' store; toolaria list; toolaria list --json", secrets.join("|"))).run();
    let shown = found.success();
    assert!(shown.contains("Bearer [masked]") && shown.contains("--token [masked]"), "{shown}");
    assert!(!secrets.iter().any(|secret| shown.contains(secret)), "{shown}");
}

#[test]
fn a_background_process_is_not_waited_for_and_not_killed() {
    let s = Sandbox::new();
    let begun = Instant::now();
    let script = "(sleep 2; echo late; echo alive > mark) & echo started";
    let done = s.toolaria(bash(script)).run();
    done.expect(0, "background process");
    assert_eq!(done.output.stdout, b"started\n");
    assert!(begun.elapsed() < Duration::from_millis(1900));
    wait_for(|| s.dir().join("mark").exists());
}

#[test]
fn what_a_process_substitution_prints_at_the_end_belongs_to_the_text() {
    let s = Sandbox::new();
    assert_eq!(s.toolaria(bash("echo a > >(sed s/a/b/)")).run().success(), "b\n");
}

#[test]
fn a_flood_in_the_background_ends_with_the_command() {
    let s = Sandbox::new();
    let begun = Instant::now();
    let done = s.toolaria(bash("yes & echo $! > pid; echo started")).run();
    s.sh("kill $(cat pid)").run().success();
    assert!(begun.elapsed() < Duration::from_secs(20) && done.output.status.success(), "{done}");
}

#[test]
fn a_timeout_ends_the_group_and_delivers_what_was_printed() {
    let s = Sandbox::new();
    let script = "(trap '' TERM; exec sleep 30 >/dev/null 2>&1) & echo $! > pid; seq 1 5000; sleep 30";
    let begun = Instant::now();
    let done = s.toolaria(["run", "--timeout", "0.5s", "--", "bash", "-c", script]).run();
    done.expect(124, "");
    let out = String::from_utf8(done.output.stdout).unwrap();
    assert!(out.contains("PARTIAL (timed out after 0.5 s)") && out.contains("exit_status=124"), "{out}");
    assert!(begun.elapsed() < Duration::from_secs(10));
    wait_for(|| !s.sh("kill -0 $(cat pid)").run().output.status.success());
    let small = s.toolaria(["run", "--timeout", "300ms", "--", "bash", "-c", "echo before; sleep 30"]).run();
    small.expect(124, "PARTIAL");
    assert_eq!(small.output.stdout, b"before\n");
}

#[test]
fn signals_reach_the_command_and_what_it_printed_is_delivered() {
    let s = Sandbox::new();
    for (signal, script, status, want) in [
        ("TERM", "echo a; touch ready; sleep 30", Some(143), "a\n"),
        ("HUP", "echo a; touch ready; sleep 30", Some(129), "a\n"),
        ("INT", "trap 'echo bye; exit 9' INT; echo a; touch ready; sleep 30", Some(9), "a\nbye\n"),
        ("INT", "echo a; touch ready; exec sleep 30", None, "a\n"),
    ] {
        let mut call = s.toolaria(bash(script)).command;
        call.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = call.spawn().unwrap();
        wait_for(|| s.dir().join("ready").exists());
        Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status().unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), status, "{signal} {script}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), want, "{signal} {script}");
        std::fs::remove_file(s.dir().join("ready")).unwrap();
    }
}

#[test]
fn a_killed_run_does_not_leave_its_command_behind() {
    let s = Sandbox::new();
    let mut call = s.toolaria(bash("echo $$ > pid; touch ready; sleep 60")).command;
    let mut child = call.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for(|| s.dir().join("ready").exists());
    // Shorter commands have no leash.
    std::thread::sleep(Duration::from_millis(1500));
    child.kill().unwrap();
    child.wait().unwrap();
    wait_for(|| !s.sh("kill -0 $(cat pid)").run().output.status.success());
}

#[test]
fn commands_that_close_or_reopen_their_streams_are_read_to_their_end() {
    let s = Sandbox::new();
    s.toolaria(bash("exec >&- 2>&-; sleep 0.3; exit 5")).run().expect(5, "");
    let out = s.toolaria(bash("echo a >/dev/stderr; echo b >/dev/stdout; echo c >&2")).run().success();
    assert_eq!(out, "a\nb\nc\n");
    let out =
        s.toolaria(["run", "--no-store", "--", "bash", "-c", "seq 100000 & seq 100000 >&2; wait"]).run().success();
    assert_eq!(out.len(), 2 * 588_895);
}

#[test]
fn kept_out_command_lines_pass_and_are_never_stored() {
    let s = Sandbox::new();
    for args in [["seq", "1", "5000"].to_vec(), ["sh", "-c", "seq 1 5000"].to_vec()] {
        let args = ["run", "--keep-out", "seq 1 *", "--"].into_iter().chain(args);
        assert_eq!(s.toolaria(args).run().success().lines().count(), 5000);
    }
    assert!(s.ids().is_empty());
}

#[test]
fn standard_error_can_stay_apart() {
    let s = Sandbox::new();
    let done = s.toolaria(["run", "--stderr", "separate", "--", "bash", "-c", "echo out; echo err >&2"]).run();
    done.expect(0, "err\n");
    assert_eq!(done.output.stdout, b"out\n");
}

#[test]
fn a_store_that_fails_lets_the_text_pass_with_the_commands_status() {
    let s = Sandbox::new();
    let done = s.toolaria(["run", "--store", "/proc/nowhere", "--", "bash", "-c", "seq 1 5000; exit 4"]).run();
    done.expect(4, "was not stored");
    assert_eq!(done.output.stdout.len(), 23_893);
    assert_eq!(String::from_utf8_lossy(&done.output.stderr).lines().count(), 1);
}

#[test]
fn a_reader_that_leaves_ends_the_command_as_a_pipe_does() {
    let s = Sandbox::new();
    let done = s.sh("toolaria run --keep-out seq -- seq 100000000 | head -1; echo ${PIPESTATUS[0]}").run();
    assert_eq!(done.success(), "1\n141\n");
    let done = s.sh("toolaria run -- seq 100000 | true; echo ${PIPESTATUS[0]}").run();
    assert_eq!(done.success(), "0\n");
    assert_eq!(s.ids().len(), 1);
}

#[test]
fn the_compact_preset_rescues_what_has_more_than_forty_lines() {
    let s = Sandbox::new();
    let out = s.toolaria(["run", "--preset", "compact", "--", "seq", "-f", "a line of some length %g", "100"]).run();
    let out = out.success();
    assert!(out.contains("Preview (first 8 / last 4 lines)"), "{out}");
    let out = s.toolaria(["run", "--preset", "compact", "--max-result-lines", "0", "--", "seq", "100"]).run().success();
    assert_eq!(out.lines().count(), 100);
    s.toolaria(["run", "--preset", "tiny", "--", "true"]).run().failure(2, "must be one of compact");
}

#[test]
fn a_batch_has_a_row_and_an_output_for_each() {
    let s = Sandbox::new();
    let done = s.toolaria(["batch", "--", "echo one", "seq 1 50000", "exit 4", "cat"]).stdin("not for cat").run();
    done.expect(1, "");
    let out = String::from_utf8(done.output.stdout).unwrap();
    for want in [
        "[batch: 4 commands, 1 failed;",
        "\n1: exit 0, ",
        " 288,894 chars, blob=",
        "\n3: exit 4, ",
        "no output — exit 4\n",
        "\n== 1: echo one — exit 0, ",
        " 4 chars\none\n== 2: seq 1 50000 — ",
    ] {
        assert!(out.contains(want), "{want}\n{out}");
    }
    assert_eq!(s.toolaria(["cat", id_in(&out).split(' ').next().unwrap()]).run().success().len(), 288_894);
}

#[test]
fn one_large_output_leaves_the_small_ones_whole() {
    let s = Sandbox::new();
    let mut commands: Vec<String> = (0..9).map(|k| format!("seq -f 'small-{k} %g' 40")).collect();
    commands.insert(4, "yes large | head -c 5000000".to_owned());
    let out = s.toolaria(["batch", "-j", "3", "--"].iter().map(ToString::to_string).chain(commands)).run().success();
    assert!(out.chars().count() <= 12_000);
    for k in 0..9 {
        let whole: String = (1..=40).map(|n| format!("small-{k} {n}\n")).collect();
        assert!(out.contains(&whole), "{k}\n{out}");
    }
    assert_eq!(out.matches("Retrieve more with").count(), 1);
}

#[test]
fn what_a_batch_does_not_show_whole_is_stored() {
    let s = Sandbox::new();
    let commands: Vec<String> = (1..=20).map(|k| format!("seq -f '{k} %g' 300")).collect();
    let args = |json: bool| {
        let head = if json { vec!["batch", "--json", "--"] } else { vec!["batch", "--"] };
        head.into_iter().map(str::to_owned).chain(commands.clone()).collect::<Vec<_>>()
    };
    let out = s.toolaria(args(false)).run().success();
    assert!(out.chars().count() <= 12_000, "{}", out.chars().count());
    for row in out.lines().skip(1).take(20) {
        let number = row.split(':').next().unwrap();
        let id = row.split("blob=").nth(1).unwrap().split(' ').next().unwrap();
        let want: String = (1..=300).map(|n| format!("{number} {n}\n")).collect();
        assert_eq!(s.toolaria(["cat", id]).run().success(), want);
    }
    let json = s.toolaria(args(true)).run().success();
    assert!(json.chars().count() <= 12_000, "{}", json.chars().count());
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["commands"], &json["failed"]), (&20.into(), &0.into()));
    assert!(json["results"].as_array().unwrap().iter().all(|r| r["blob"].is_string() && r["chars"] == r["chars"]));
}

#[test]
fn five_hundred_commands_fit_one_answer() {
    let s = Sandbox::new();
    let commands: String =
        (0..500).map(|k| format!("# {k}\n\nseq {k} 700; exit {}\n", u8::from(k % 50 == 7))).collect();
    let done = s.toolaria(["batch"]).stdin(commands).run();
    done.expect(1, "");
    let out = String::from_utf8(done.output.stdout).unwrap();
    assert!(out.chars().count() <= 12_000, "{}", out.chars().count());
    assert!(out.starts_with("[batch: 500 commands, 10 failed;") && out.contains(" left out ("), "{out}");
    assert_eq!(out.lines().filter(|line| line.contains(": exit 1, ")).count(), 10, "{out}");
    assert!(s.ids().len() >= 490);
}

#[test]
fn a_batch_can_stop_at_the_first_failure() {
    let s = Sandbox::new();
    let done = s.toolaria(["batch", "-j1", "--fail-fast", "--", "echo a", "false", "touch never"]).run();
    done.expect(1, "");
    assert!(String::from_utf8_lossy(&done.output.stdout).contains("3: not run — touch never"), "{done}");
    assert!(!s.dir().join("never").exists());
    s.toolaria(["batch"]).stdin("# nothing\n\n").run().failure(2, "batch needs commands");
}

#[test]
fn a_batch_passes_whole_what_it_cannot_store() {
    let s = Sandbox::new();
    let done = s.toolaria(["batch", "--store", "/proc/nowhere", "--", "seq 100000", "seq 3000", "seq 3000"]).run();
    done.expect(0, "could not is passed through whole");
    let out = String::from_utf8(done.output.stdout).unwrap();
    assert!(out.matches("\n2999\n3000\n").count() >= 3 && out.contains("\n99999\n100000\n"));
    assert_eq!(String::from_utf8_lossy(&done.output.stderr).lines().count(), 1);
}

/// Waits for something that takes a moment.
#[track_caller]
fn wait_for(happened: impl Fn() -> bool) {
    let begun = Instant::now();
    while !happened() {
        assert!(begun.elapsed() < Duration::from_secs(15), "it does not happen");
        std::thread::sleep(Duration::from_millis(20));
    }
}
