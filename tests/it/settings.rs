//! Settings: flag, environment, file, default; what is wrong is told and does no harm.

use crate::sandbox::{Sandbox, log};

#[test]
fn each_value_says_where_it_comes_from() {
    let s = Sandbox::new();
    let path = s.config("// mine\n{\n  \"head_lines\": 7,\n  \"tools\": {\"bash\": {\"tail_lines\": 3}},\n}\n");
    let out = s
        .toolaria(["config", "--line-max-chars", "99", "--tool", "bash"])
        .env("TOOLARIA_TTL_HOURS", "5")
        .run()
        .success();
    let path = path.display();
    for line in [
        format!("head_lines = 7  # file {path}:3"),
        format!("tail_lines = 3  # file {path}:4"),
        "line_max_chars = 99  # flag".to_owned(),
        "ttl_hours = 5  # environment TOOLARIA_TTL_HOURS".to_owned(),
        "max_result_chars = 12000  # default".to_owned(),
    ] {
        assert!(out.lines().any(|l| l == line), "{line}\n{out}");
    }
    let json = s.toolaria(["config", "--json"]).run().json();
    assert_eq!(json["head_lines"]["value"], 7);
    assert_eq!(json["store_path"]["value"], s.store().to_string_lossy().as_ref());
}

#[test]
fn a_bad_file_warns_and_the_defaults_apply() {
    let s = Sandbox::new();
    let path = s.config("{ \"max_result_chars\": \"many\", // oops\n");
    let done = s.toolaria(["--tool", "t"]).stdin("small\n").run();
    done.expect(0, &format!("{}:", path.display()));
    assert_eq!(done.output.stdout, b"small\n");
    s.config("{ \"max_result_chars\": -1, \"head_linse\": 3 }");
    let done = s.toolaria(["--tool", "t"]).stdin(log(3000)).run();
    done.expect(0, ":1:23: max_result_chars must be a whole number from 1");
    done.expect(0, "unknown setting \"head_linse\"; did you mean head_lines?");
    assert!(String::from_utf8_lossy(&done.output.stdout).contains("blob="));
}

#[test]
fn a_bad_environment_value_warns_and_an_empty_one_is_unset() {
    let s = Sandbox::new();
    for value in ["abc", "-1", "NaN", "12k", "12,000", "1e4"] {
        let done = s.toolaria(["--tool", "t"]).env("TOOLARIA_MAX_RESULT_CHARS", value).stdin(log(3000)).run();
        done.expect(0, "TOOLARIA_MAX_RESULT_CHARS must be a whole number");
        assert!(String::from_utf8_lossy(&done.output.stdout).contains("blob="), "{value}");
    }
    for value in ["", " "] {
        let out = s.toolaria(["--tool", "t"]).env("TOOLARIA_MAX_RESULT_CHARS", value).stdin(log(3000)).run().success();
        assert!(out.contains("blob="));
    }
}

#[test]
fn a_bad_flag_is_found_before_anything_is_read() {
    let s = Sandbox::new();
    s.toolaria(["--no-such-flag"]).stdin("x").run().failure(2, "unknown option --no-such-flag");
    s.toolaria(["--max-result-chars", "lots"])
        .stdin("x")
        .run()
        .failure(2, "--max-result-chars must be a whole number from 1 to");
    s.toolaria(["--excerpt-max-chars", "599"]).stdin("x").run().failure(2, "from 600");
    s.toolaria(["--excerpt-max-chars", "12000"]).stdin("x").run().failure(2, "must be less than max_result_chars");
    assert!(!s.store().exists());
}

#[test]
fn a_store_path_may_begin_with_the_home_directory() {
    let s = Sandbox::new();
    s.config("{\"store_path\": \"~/kept here\"}");
    let out = s.toolaria(["--tool", "t"]).unset("TOOLARIA_STORE").stdin(log(3000)).run().success();
    let id = crate::sandbox::id_in(&out);
    assert!(s.dir().join("kept here/blobs").join(&id).join("text").exists());
    // The file is read again by whoever runs the command, so it need not name the store.
    assert!(out.contains(&format!("`toolaria fetch {id} MODE`")), "{out}");
}

#[test]
fn without_settings_the_store_is_where_xdg_says() {
    let s = Sandbox::new();
    s.toolaria(["--tool", "t"]).unset("TOOLARIA_STORE").stdin(log(3000)).run().success();
    assert!(s.dir().join(".local/state/toolaria/blobs").exists());
    s.toolaria(["--tool", "t"])
        .unset("TOOLARIA_STORE")
        .env("XDG_STATE_HOME", s.dir().join("state"))
        .stdin(log(3000))
        .run()
        .success();
    assert!(s.dir().join("state/toolaria/blobs").exists());
}
