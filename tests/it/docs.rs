//! What is generated from the table is committed and fresh; what the README says works.

use std::path::Path;

use crate::sandbox::Sandbox;

fn generated(what: &str) -> String {
    Sandbox::new().toolaria(["generate", what]).run().success()
}

fn root(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// `SNAPSHOTS=overwrite cargo test docs` refreshes the files.
#[track_caller]
fn fresh(path: &str, want: &str) {
    if std::env::var("SNAPSHOTS").is_ok_and(|v| v == "overwrite") {
        std::fs::create_dir_all(root(path).parent().unwrap()).unwrap();
        std::fs::write(root(path), want).unwrap();
    }
    let is = std::fs::read_to_string(root(path)).unwrap_or_default();
    assert!(is == want, "{path} is stale: SNAPSHOTS=overwrite cargo test docs refreshes it");
}

#[test]
fn the_man_page_is_fresh() {
    fresh("man/toolaria.1", &generated("man"));
}

#[test]
fn the_completions_are_fresh() {
    fresh("completions/toolaria.bash", &generated("bash"));
    fresh("completions/_toolaria", &generated("zsh"));
    fresh("completions/toolaria.fish", &generated("fish"));
}

#[test]
fn the_readme_lists_what_there_is() {
    const BEGIN: &str = "<!-- generated: toolaria generate readme -->\n";
    const END: &str = "<!-- end of generated -->";
    let readme = std::fs::read_to_string(root("README.md")).unwrap();
    let (before, rest) = readme.split_once(BEGIN).expect("the first comment");
    let (_, after) = rest.split_once(END).expect("the second comment");
    fresh("README.md", &format!("{before}{BEGIN}{}{END}{after}", generated("readme")));
}

#[test]
fn the_changelog_begins_with_this_version() {
    let log = std::fs::read_to_string(root("CHANGELOG.md")).unwrap();
    let first = log.lines().find(|l| l.starts_with("## ")).unwrap();
    assert!(first.contains(env!("CARGO_PKG_VERSION")), "{first}");
}

/// Completions are loaded by the real shells and asked.
fn complete(shell: &str, script: &str) -> Option<String> {
    let there = std::process::Command::new(shell).arg("--version").output().is_ok();
    if !there {
        // CI installs the shells and sets this, so that nothing is skipped there.
        assert!(std::env::var("TOOLARIA_TEST_SHELLS").is_err(), "{shell} is missing");
        return None;
    }
    let s = Sandbox::new();
    let (id, _) = s.rescue("x".repeat(13_000));
    let script = script.replace("ROOT", env!("CARGO_MANIFEST_DIR")).replace("IDSTART", &id[..4]).replace("WHOLE", &id);
    let mut call = s.sh("true");
    call.command = {
        let mut command = std::process::Command::new(shell);
        let old = call.command;
        command.args(["-c", &script]).current_dir(s.dir());
        command.env_clear();
        for (name, value) in old.get_envs() {
            if let Some(value) = value {
                command.env(name, value);
            }
        }
        command
    };
    Some(call.run().success().replace(&id, "WHOLE"))
}

#[test]
fn bash_completes_commands_flags_modes_and_ids() {
    let ask = |words: &str, at: usize| {
        complete(
            "bash",
            &format!(
                "source ROOT/completions/toolaria.bash; COMP_WORDS=({words}); COMP_CWORD={at}; _toolaria; printf '%s\\n' \"${{COMPREPLY[@]}}\""
            ),
        )
    };
    let Some(out) = ask("toolaria fe", 1) else { return };
    assert_eq!(out, "fetch\n");
    assert_eq!(ask("toolaria --max-result-c", 1).unwrap(), "--max-result-chars\n");
    assert_eq!(ask("toolaria fetch IDSTART", 2).unwrap(), "WHOLE\n");
    assert_eq!(ask("toolaria fetch WHOLE gr", 3).unwrap(), "grep\n");
    assert_eq!(ask("toolaria list --sort s", 3).unwrap(), "size\n");
    assert_eq!(ask("toolaria-fetch IDSTART", 1).unwrap(), "WHOLE\n");
}

#[test]
fn fish_completes_commands_flags_modes_and_ids() {
    let ask = |line: &str| complete("fish", &format!("source ROOT/completions/toolaria.fish; complete -C '{line}'"));
    let Some(out) = ask("toolaria fe") else { return };
    assert!(out.starts_with("fetch\t"), "{out}");
    assert!(ask("toolaria fetch IDSTART").unwrap().starts_with("WHOLE\t"));
    assert!(ask("toolaria fetch WHOLE gr").unwrap().starts_with("grep\t"));
    assert!(ask("toolaria list --sort s").unwrap().contains("size"));
}

#[test]
fn zsh_loads_the_completion_and_knows_the_words() {
    let script = "autoload -Uz compinit; compinit -u -d ./dump; fpath=(ROOT/completions $fpath); autoload -Uz _toolaria; \
                  whence -w _toolaria; _describe() { print -r -- ${(P)2} }; source <(sed '$d' ROOT/completions/_toolaria); \
                  _toolaria_commands; _toolaria_modes; _toolaria_ids";
    let Some(out) = complete("zsh", script) else { return };
    for word in ["_toolaria: function", "fetch:Get a slice", "grep:The lines", "WHOLE:"] {
        assert!(out.contains(word), "{word}: {out}");
    }
}

/// The shell snippets of the README that are marked to be run, with their names.
fn snippets() -> Vec<(String, String)> {
    let readme = std::fs::read_to_string(root("README.md")).unwrap();
    let marked = readme.split("<!-- run: ").skip(1);
    marked
        .map(|rest| {
            let (name, rest) = rest.split_once(" -->").unwrap();
            let code = rest.split_once("```bash\n").unwrap().1.split_once("```").unwrap().0;
            (name.to_owned(), code.to_owned())
        })
        .collect()
}

#[test]
fn the_readmes_wrappers_work_as_pasted() {
    let names: Vec<String> = snippets().iter().map(|(name, _)| name.clone()).collect();
    assert_eq!(names, ["run", "batch", "wrapper", "pipefail", "tools"]);
    for (name, code) in snippets() {
        let s = Sandbox::new();
        let code = if name == "wrapper" { format!("{code}rescued false; echo \"status $?\"\n") } else { code };
        let done = s.sh(&code).run();
        let out = String::from_utf8_lossy(&done.output.stdout).into_owned();
        match name.as_str() {
            "wrapper" => assert!(out.contains("blob=") && out.ends_with("status 1\n"), "{done}"),
            "run" => assert!(out.contains("exit_status=3;") && out.ends_with("status 3\n"), "{done}"),
            "batch" => assert!(out.contains("blob=") && out.contains("small") && !out.contains("one failed"), "{done}"),
            "pipefail" => assert!(out.contains("blob=") && !out.contains("failed\n"), "{done}"),
            // `jq` and `less` may be missing outside CI.
            _ => assert!(out.starts_with("100000\n100000\n[grep '99$'") && out.contains("\n1000\n"), "{done}"),
        }
    }
}

/// Runs a script of `examples/` in a sandbox; returns what it printed.
#[track_caller]
fn example(s: &Sandbox, script: &str) -> String {
    s.sh(&script.replace("EXAMPLES", &root("examples").to_string_lossy())).run().success()
}

#[test]
fn the_shell_function_keeps_the_status() {
    let s = Sandbox::new();
    let out =
        example(&s, "source EXAMPLES/rescued.bash; rescued seq 1 50000; rescued sh -c 'echo no; exit 9'; echo $?");
    assert!(out.contains("tool=seq;") && out.ends_with("no\n9\n"), "{out}");
}

#[test]
fn the_agents_shell_tool_keeps_the_status_and_ends_in_time() {
    let s = Sandbox::new();
    let out = example(&s, "EXAMPLES/agent-shell.sh 'echo out; echo err >&2; exit 3'; echo $?");
    assert_eq!(out, "out\nerr\n3\n");
    let done = s.sh(&format!("{}/agent-shell.sh 'echo begun; sleep 30' 1", root("examples").display())).run();
    assert_eq!((done.output.status.code(), &*done.output.stdout), (Some(124), &b"begun\n"[..]), "{done}");
}

#[test]
fn a_makefile_can_use_the_filter() {
    let s = Sandbox::new();
    let out = example(&s, "make -s -f EXAMPLES/Makefile");
    assert!(out.contains("tool=list;") && out.contains("1 blob, "), "{out}");
}

#[test]
fn a_listing_of_files_gets_a_map() {
    let s = Sandbox::new();
    let out = example(&s, "mkdir -p d/e; touch d/e/file-{1..2000}; EXAMPLES/find.sh d; EXAMPLES/find.sh d/e/file-1");
    assert!(out.contains("[outline of ") && out.contains("2000 d/e\n") && out.ends_with("\nd/e/file-1\n"), "{out}");
}

#[test]
fn the_cron_jobs_are_commands_that_work() {
    let s = Sandbox::new();
    let cron = std::fs::read_to_string(root("examples/sweep.cron")).unwrap();
    let jobs: Vec<&str> = cron.lines().filter(|l| l.starts_with(|c: char| c.is_ascii_digit())).collect();
    assert_eq!(jobs.len(), 2);
    let (id, _) = s.rescue("x".repeat(13_000));
    s.age(&id, 49);
    for job in jobs {
        let command = job.splitn(6, ' ').nth(5).unwrap();
        assert_eq!(s.sh(command).run().success(), "");
    }
    assert!(!s.blob(&id).exists());
}

#[test]
fn the_report_loops_over_the_list() {
    let there = std::process::Command::new("jq").arg("--version").output().is_ok();
    if !there {
        assert!(std::env::var("TOOLARIA_TEST_SHELLS").is_err(), "jq is missing");
        return;
    }
    let s = Sandbox::new();
    s.rescue(format!("first words\n{}", "x\n".repeat(13_000)));
    s.rescue("y".repeat(50_000));
    let out = example(&s, "EXAMPLES/report.sh");
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines.len() == 2 && lines[0].contains("50000 chars") && lines[1].ends_with("first words"), "{out}");
}
