//! Which processes a process has started, and they in turn: what is to end where a process group cannot tell.

use rustix::process::{Pid, Signal, kill_process};

/// A process, told apart from a later one of the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Member {
    pid: i32,
    parent: i32,
    /// When it was started, in ticks since the system was.
    started: u64,
}

/// A process and all that it has started so far.
#[derive(Clone, Debug, Default)]
pub struct Family(Vec<Member>);

impl Family {
    /// Looks up the family of a process. Where the system has no `/proc` it is that process alone.
    pub fn of(root: Pid) -> Family {
        let mut all: Vec<Member> = std::fs::read_dir("/proc")
            .into_iter()
            .flatten()
            .filter_map(|entry| member(entry.ok()?.file_name().to_str()?.parse().ok()?))
            .collect();
        let root = root.as_raw_nonzero().get();
        let first = all.iter().copied().find(|m| m.pid == root);
        let mut family = vec![first.unwrap_or(Member { pid: root, parent: 0, started: 0 })];
        let mut at = 0;
        while let Some(parent) = family.get(at).map(|m| m.pid) {
            family.extend(all.iter().copied().filter(|m| m.parent == parent));
            all.retain(|m| m.parent != parent);
            at += 1;
        }
        Family(family)
    }

    /// Adds those of another family that are not in this one.
    pub fn join(&mut self, other: Family) {
        let new: Vec<Member> =
            other.0.into_iter().filter(|m| !self.0.iter().any(|k| (k.pid, k.started) == (m.pid, m.started))).collect();
        self.0.extend(new);
    }

    /// Sends a signal to each that still lives.
    pub fn kill(&self, signal: Signal) {
        for known in &self.0 {
            let same = known.started == 0 || member(known.pid).is_some_and(|m| m.started == known.started);
            if let (true, Some(pid)) = (same, Pid::from_raw(known.pid)) {
                let _ = kill_process(pid, signal);
            }
        }
    }
}

/// Reads what `/proc` says of a process.
fn member(pid: i32) -> Option<Member> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program stands in parentheses and may itself contain some.
    let fields: Vec<&str> = stat[stat.rfind(')')? + 1..].split_ascii_whitespace().collect();
    Some(Member { pid, parent: fields.get(1)?.parse().ok()?, started: fields.get(19)?.parse().ok()? })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_in_the_family_of_the_one_that_started_it() {
        let mut child = std::process::Command::new("sleep").arg("30").spawn().unwrap();
        let me = rustix::process::getpid();
        let family = Family::of(me);
        assert_eq!(family.0[0].pid, me.as_raw_nonzero().get());
        let pid = i32::try_from(child.id()).unwrap();
        assert!(family.0.iter().any(|m| m.pid == pid));
        Family(family.0.into_iter().filter(|m| m.pid == pid).collect()).kill(Signal::TERM);
        assert!(!child.wait().unwrap().success());
    }
}
