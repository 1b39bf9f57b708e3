//! The command line: help, version, usage errors.

use crate::sandbox::Sandbox;

#[test]
fn help_and_version_need_nothing() {
    let s = Sandbox::new();
    s.config("{ broken");
    for args in [["--help"].as_slice(), &["-h"], &["fetch", "--help"], &["--help", "fetch"], &["--version"]] {
        let out = s.toolaria(args).unset("HOME").run().success();
        assert!(out.len() > 10, "{args:?}");
    }
    let out = s.toolaria(["--help"]).run().success();
    for word in ["fetch", "list", "--max-result-chars", "Exit status"] {
        assert!(out.contains(word), "{word}");
    }
    assert!(out.lines().all(|l| l.chars().count() <= 110), "{out}");
}

#[test]
fn a_command_nearly_typed_is_named() {
    let s = Sandbox::new();
    s.toolaria(["fetchh", "abcd"]).run().failure(2, "did you mean `toolaria fetch`?");
    s.toolaria(["lst"]).run().failure(2, "did you mean `toolaria list`?");
    s.toolaria(["list", "--jsno"]).run().failure(2, "did you mean --json?");
}
