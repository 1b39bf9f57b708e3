//! The store: one blob a text, private, swept by age and size, healed and recovered.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;

use crate::sandbox::{Sandbox, id_in, log};

fn modes(dir: &Path, found: &mut Vec<(String, u32)>) {
    let mode = |p: &Path| std::fs::symlink_metadata(p).unwrap().permissions().mode() & 0o777;
    found.push((dir.display().to_string(), mode(dir)));
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { modes(&path, found) } else { found.push((path.display().to_string(), mode(&path))) }
    }
}

#[test]
fn everything_in_it_is_private_whatever_the_umask() {
    for umask in ["000", "077", "022"] {
        let s = Sandbox::new();
        s.sh(&format!("umask {umask}; seq 1 20000 | toolaria --tool t; toolaria sweep >/dev/null")).run().success();
        let mut found = Vec::new();
        modes(&s.store(), &mut found);
        assert!(found.len() > 5);
        for (path, mode) in found {
            assert_eq!(mode & 0o077, 0, "{path} {mode:o}");
        }
    }
}

#[test]
fn a_store_that_others_can_read_is_tightened_and_one_they_can_write_is_refused() {
    let s = Sandbox::new();
    s.rescue(log(2000));
    let set = |mode| std::fs::set_permissions(s.store(), std::fs::Permissions::from_mode(mode)).unwrap();
    set(0o755);
    s.toolaria(["list"]).run().expect(0, "could be read by others");
    s.toolaria(["list"]).run().expect(0, "");
    set(0o777);
    s.toolaria(["list"]).run().failure(2, "can be written by others");
    let text = log(2001);
    let done = s.toolaria(["--tool", "t"]).stdin(&text).run();
    done.expect(0, "can be written by others");
    assert_eq!(done.output.stdout, text.as_bytes());
}

#[test]
fn planted_links_are_not_followed() {
    let s = Sandbox::new();
    let theirs = s.dir().join("theirs");
    std::fs::create_dir(&theirs).unwrap();
    std::fs::create_dir(s.store()).unwrap();
    std::fs::set_permissions(s.store(), std::fs::Permissions::from_mode(0o700)).unwrap();
    for name in ["tmp", "blobs"] {
        std::os::unix::fs::symlink(&theirs, s.store().join(name)).unwrap();
    }
    let text = log(2000);
    let done = s.toolaria(["--tool", "t"]).stdin(&text).run();
    done.expect(0, "is not a folder");
    assert_eq!(done.output.stdout, text.as_bytes());
    assert_eq!(std::fs::read_dir(&theirs).unwrap().count(), 0);
}

#[test]
fn a_text_that_is_a_link_a_pipe_or_a_folder_is_damaged_and_heals() {
    let s = Sandbox::new();
    let (id, _) = s.rescue(log(2000));
    let (other, _) = s.rescue(log(2001));
    let text = s.blob(&id).join("text");
    let harm: [(&str, &dyn Fn()); 6] = [
        ("truncated", &|| std::fs::File::options().write(true).open(&text).unwrap().set_len(1000).unwrap()),
        ("extended", &|| std::fs::write(&text, log(2002)).unwrap()),
        ("gone", &|| std::fs::remove_file(&text).unwrap()),
        ("a folder", &|| {
            std::fs::remove_file(&text).unwrap();
            std::fs::create_dir(&text).unwrap();
        }),
        ("a link", &|| {
            std::fs::remove_file(&text).unwrap();
            std::os::unix::fs::symlink("/etc/passwd", &text).unwrap();
        }),
        ("a pipe", &|| {
            std::fs::remove_file(&text).unwrap();
            assert!(std::process::Command::new("mkfifo").arg(&text).status().unwrap().success());
        }),
    ];
    for (what, harm) in harm {
        harm();
        for mode in ["stat", "outline", "range 0", "grep x", "full"] {
            let call = format!("fetch {id} {mode}");
            s.toolaria(call.split(' ')).run().failure(2, "is damaged");
        }
        s.toolaria(["verify"]).run().expect(1, &id);
        s.toolaria(["fetch", &other, "range", "0", "1"]).run().success();
        assert_eq!(s.rescue(log(2000)).0, id, "{what}");
        assert_eq!(s.toolaria(["cat", &id]).run().success(), log(2000), "{what}");
        s.toolaria(["verify"]).run().success();
    }
}

#[test]
fn a_flipped_bit_is_found_by_verify_and_healed_by_the_same_text() {
    let s = Sandbox::new();
    let (id, _) = s.rescue(log(2000));
    let text = s.blob(&id).join("text");
    let mut bytes = std::fs::read(&text).unwrap();
    bytes[500] ^= 1;
    std::fs::write(&text, bytes).unwrap();
    s.toolaria(["verify", &id]).run().expect(1, "is damaged: its text hashes to");
    s.toolaria(["fetch", "--verify", &id]).run().failure(2, "is damaged");
    s.rescue(log(2000));
    s.toolaria(["verify", &id]).run().success();
}

#[test]
fn damaged_metadata_costs_no_other_blob_and_heals() {
    let s = Sandbox::new();
    let (id, _) = s.rescue(log(2000));
    let (other, _) = s.rescue(log(2001));
    for junk in ["", "{", "null", "{\"id\": 5}", &"[".repeat(100_000)] {
        std::fs::write(s.blob(&id).join("meta.json"), junk).unwrap();
        s.toolaria(["fetch", &id]).run().failure(2, "is damaged: its metadata");
        let list = s.toolaria(["list"]).run();
        list.expect(0, &id);
        assert!(String::from_utf8_lossy(&list.output.stdout).contains(&other));
    }
    s.rescue(log(2000));
    s.toolaria(["fetch", &id]).run().success();
}

#[test]
fn texts_whose_hashes_begin_alike_are_both_kept() {
    let s = Sandbox::new();
    let (id, _) = s.rescue(log(2000));
    // Another text owns the first 12 digits.
    let meta = s.blob(&id).join("meta.json");
    let json = std::fs::read_to_string(&meta).unwrap();
    let sha = s.toolaria(["fetch", &id, "--json"]).run().json()["sha256"].as_str().unwrap().to_owned();
    let fake = format!("{}{}", &sha[..12], "0".repeat(52));
    std::fs::write(&meta, json.replace(&sha, &fake)).unwrap();
    let (longer, _) = s.rescue(log(2000));
    assert_eq!(longer, sha[..16]);
    assert_eq!(s.toolaria(["cat", &longer]).run().success(), log(2000));
    assert_eq!(s.rescue(log(2000)).0, longer);
    assert_eq!(s.ids().len(), 2);
}

#[test]
fn a_blob_lives_from_its_last_use_and_leaves_word() {
    let s = Sandbox::new();
    let (kept, _) = s.rescue(log(2000));
    let (idle, _) = s.rescue_with(log(2001), ["--tool", "cargo"]);
    let (pinned, _) = s.rescue(log(2002));
    s.toolaria(["pin", &pinned]).run().success();
    s.age(&kept, 71);
    s.age(&idle, 73);
    s.age(&pinned, 900);
    s.toolaria(["fetch", &kept, "range", "0", "1"]).run().success();
    let dry = s.toolaria(["sweep", "--dry-run"]).run().success();
    assert!(dry.contains(&format!("would sweep {idle}: unused")) && dry.contains("1 blob"), "{dry}");
    assert!(s.blob(&idle).exists());
    s.toolaria(["sweep"]).run().success();
    s.toolaria(["fetch", &kept]).run().success();
    s.toolaria(["fetch", &pinned]).run().success();
    let said = s.toolaria(["fetch", &idle]).run().failure(2, "was swept 0 seconds ago");
    assert!(said.contains("tool=cargo") && said.contains("run that again"), "{said}");
    // The same command again revives the same id.
    assert_eq!(s.rescue(log(2001)).0, idle);
    s.toolaria(["fetch", &idle]).run().success();
    s.toolaria(["unpin", &pinned]).run().success();
    s.age(&pinned, 900);
    s.toolaria(["sweep"]).run().success();
    assert!(!s.blob(&pinned).exists());
}

#[test]
fn a_blob_fetched_often_lives_longer() {
    let s = Sandbox::new();
    let (hot, _) = s.rescue(log(2000));
    for _ in 0..3 {
        s.toolaria(["fetch", &hot, "range", "0", "1"]).run().success();
    }
    s.age(&hot, 160);
    s.toolaria(["sweep"]).run().success();
    assert!(s.blob(&hot).exists());
    s.age(&hot, 169);
    s.toolaria(["sweep"]).run().success();
    assert!(!s.blob(&hot).exists());
}

#[test]
fn a_tombstone_is_forgotten_after_its_time() {
    let s = Sandbox::new();
    let (id, _) = s.rescue(log(2000));
    s.toolaria(["rm", &id]).run().success();
    s.toolaria(["fetch", &id]).run().failure(2, "was swept");
    let stone = s.store().join("swept").join(format!("{id}.json"));
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(31 * 86_400);
    std::fs::File::options().write(true).open(&stone).unwrap().set_modified(old).unwrap();
    s.toolaria(["sweep"]).run().success();
    s.toolaria(["fetch", &id]).run().failure(2, "none was swept");
}

#[test]
fn past_the_budget_the_least_recently_used_go_but_never_the_last_one() {
    let s = Sandbox::new();
    let ids: Vec<String> = (0..4).map(|k| s.rescue(format!("{k}\n{}", "x".repeat(600_000))).0).collect();
    for (k, id) in ids.iter().enumerate() {
        s.age(id, 10 - k as u64);
    }
    s.toolaria(["fetch", &ids[0]]).run().success();
    s.toolaria(["sweep", "--max-store-mb", "1"]).run().success();
    let mut left = s.ids();
    left.sort();
    assert_eq!(left, [ids[0].clone()]);
    // One alone is kept even if it is more than the budget, and that is told.
    let (big, _) = s.rescue("y".repeat(3_000_000));
    s.toolaria(["sweep", "--max-store-mb", "1"]).run().expect(0, "more than max_store_mb");
    assert_eq!(s.ids(), [big]);
}

#[test]
fn the_filter_sweeps_by_itself_after_its_answer_but_not_every_time() {
    let s = Sandbox::new();
    let (old, _) = s.rescue(log(2000));
    s.age(&old, 100);
    s.rescue(log(2001));
    assert!(s.blob(&old).exists(), "swept less than an hour after the last sweep");
    s.toolaria(["--tool", "t"]).env("TOOLARIA_SWEEP_INTERVAL_MINUTES", "0").stdin(log(2002)).run().success();
    assert!(!s.blob(&old).exists());
}

#[test]
fn a_time_of_last_use_in_the_future_counts_as_now() {
    let s = Sandbox::new();
    let (id, _) = s.rescue(log(2000));
    let text = std::fs::File::options().write(true).open(s.blob(&id).join("text")).unwrap();
    text.set_modified(std::time::SystemTime::now() + std::time::Duration::from_secs(1_000_000)).unwrap();
    let stat = s.toolaria(["list", "--json"]).run().json();
    let (used, now) = (stat[0]["last_used"].as_str().unwrap(), s.sh("date -u +%Y-%m-%dT%H").run().success());
    assert!(used.starts_with(now.trim()), "{used}");
}

#[test]
fn a_killed_filter_leaves_what_arrived_to_recover() {
    let s = Sandbox::new();
    let text = log(60_000);
    let mut call = s.toolaria(["--tool", "cargo"]);
    let mut child = call.command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut pipe, text.as_bytes()).unwrap();
    let written = || -> u64 {
        let dir = s.store().join("tmp");
        s.unpublished().iter().filter_map(|n| Some(std::fs::metadata(dir.join(n).join("text")).ok()?.len())).sum()
    };
    while written() + (1 << 20) < text.len() as u64 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    s.toolaria(["recover"]).run().nothing();
    child.kill().unwrap();
    child.wait().unwrap();
    drop(pipe);
    assert!(s.ids().is_empty());
    let listed = s.toolaria(["list", "--partial"]).run().success();
    assert!(listed.contains("tool=cargo"), "{listed}");
    let said = s.toolaria(["recover"]).run().success();
    let id = said.split(':').next().unwrap().to_owned();
    let got = s.toolaria(["cat", &id]).run().success();
    assert!(text.starts_with(&got) && got.len() > text.len() / 2);
    assert!(s.toolaria(["fetch", &id]).run().success().contains("PARTIAL: the text was cut short (killed)"));
    assert!(s.unpublished().is_empty());
    s.toolaria(["verify"]).run().success();
}

#[test]
fn a_signal_ends_the_text_and_delivers_it() {
    use std::os::unix::process::ExitStatusExt;
    for (signal, number) in [("TERM", 15), ("INT", 2), ("HUP", 1)] {
        let s = Sandbox::new();
        let text = log(3000);
        let mut call = s.toolaria(["--tool", "t"]);
        let mut child = call.command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        std::io::Write::write_all(&mut pipe, text.as_bytes()).unwrap();
        // Everything has been read when the process waits for more.
        let waits =
            || std::fs::read_to_string(format!("/proc/{}/syscall", child.id())).is_ok_and(|s| s.starts_with("7 "));
        for _ in 0..200 {
            std::thread::sleep(std::time::Duration::from_millis(10));
            if waits() && !s.unpublished().is_empty() {
                break;
            }
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
        let kill = std::process::Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status();
        assert!(kill.unwrap().success());
        let done = child.wait_with_output().unwrap();
        drop(pipe);
        let out = String::from_utf8(done.stdout).unwrap();
        assert!(out.lines().next().unwrap().contains(&format!("PARTIAL (SIG{signal})")), "{out}");
        assert_eq!(s.toolaria(["cat", &id_in(&out)]).run().success(), text);
        assert_eq!(done.status.signal(), Some(number));
    }
}

#[test]
fn a_signal_that_is_ignored_ends_nothing() {
    let s = Sandbox::new();
    let script = "trap '' TERM HUP; { seq 1 20000; sleep 0.6; seq 1 5; } | { toolaria --tool t & p=$!; sleep 0.3; \
                  kill -TERM $p; kill -HUP $p; wait $p; }";
    let out = s.sh(script).run().success();
    assert!(out.contains("lines=20,005;") && !out.contains("PARTIAL"), "{out}");
}

#[test]
fn many_processes_share_one_store() {
    let s = Sandbox::new();
    let script = "for k in $(seq 1 40); do (seq $((k % 8)) 20000 | toolaria --tool t > out.$k 2> err.$k) & \
                  [ $((k % 10)) = 0 ] && { toolaria sweep > /dev/null & }; done; wait; cat err.*";
    assert_eq!(s.sh(script).run().success(), "");
    let ids: Vec<String> =
        (1..=40).map(|k| id_in(&std::fs::read_to_string(s.dir().join(format!("out.{k}"))).unwrap())).collect();
    for (k, id) in ids.iter().enumerate() {
        let text: String = ((k + 1) % 8..=20_000).map(|n| format!("{n}\n")).collect();
        assert_eq!(s.toolaria(["cat", id]).run().success(), text);
    }
    assert_eq!(s.ids().len(), 8);
    assert!(s.unpublished().is_empty());
}

#[test]
fn list_shows_the_newest_first_and_what_is_asked_for() {
    let s = Sandbox::new();
    s.toolaria(["list"]).run().nothing();
    assert_eq!(s.toolaria(["list", "--json"]).run().json(), serde_json::json!([]));
    let (a, _) = s.rescue_with(log(2000), ["--tool", "bash"]);
    let (b, _) = s.rescue_with("b ".repeat(40_000), ["--tool", "web"]);
    let ids = |args: &[&str]| -> Vec<String> {
        let all = s.toolaria(["list", "--json"].iter().chain(args)).run().json();
        all.as_array().unwrap().iter().map(|d| d["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&[]), [b.clone(), a.clone()]);
    assert_eq!(ids(&["--sort", "size"]), [a.clone(), b.clone()]);
    assert_eq!(ids(&["--tool", "ba*"]), std::slice::from_ref(&a));
    assert_eq!(ids(&["--limit", "1"]), std::slice::from_ref(&b));
    assert_eq!(ids(&["--since", "1h"]).len(), 2);
    assert_eq!(ids(&["--type", "log"]), std::slice::from_ref(&a));
    let line = s.toolaria(["list"]).run().success();
    assert!(line.contains(&a) && line.contains("2,000 lines") && line.contains("log bash"), "{line}");
    s.toolaria(["list", "--sort", "name"]).run().failure(2, "--sort is one of age, size, used");
    s.toolaria(["list", "x"]).run().failure(2, "list takes no \"x\"");
    let status = s.toolaria(["status"]).run().success();
    assert!(status.contains("2 blobs") && status.contains("12,000 chars") && status.contains("eval"), "{status}");
    let verbose = s.toolaria(["status", "--verbose"]).run().success();
    assert!(verbose.contains("tool bash: 128,670 stored"), "{verbose}");
    // What was kept out stays counted when the blobs have left.
    s.toolaria(["rm", &a]).run().success();
    s.age(&b, 100);
    s.toolaria(["sweep"]).run().success();
    assert_eq!(s.ids(), [""; 0]);
    let left = s.toolaria(["status", "--verbose"]).run().success();
    assert_eq!(left.lines().skip(1).collect::<Vec<_>>(), verbose.lines().skip(1).collect::<Vec<_>>());
}

#[test]
fn search_covers_everything_that_is_stored() {
    let s = Sandbox::new();
    let (a, _) = s.rescue(log(2000));
    let (b, _) = s.rescue_with(log(2500) + "the quorum was lost on node seven\n", ["--tool", "db"]);
    let out = s.toolaria(["search", "quorum", "lost"]).run().success();
    assert!(out.contains(&b) && !out.contains(&a) && out.contains("2500:the quorum was lost"), "{out}");
    let json = s.toolaria(["search", "quorum lost", "--json"]).run().json();
    assert_eq!((json["hits"][0]["id"].as_str(), json["hits"][0]["line"].as_u64()), (Some(&*b), Some(2500)));
    s.toolaria(["search", "quorum", "--tool", "bash"]).run().nothing();
    s.toolaria(["search", "quorum", "--id", &a]).run().nothing();
    s.toolaria(["search"]).run().failure(2, "needs a QUERY");
}
