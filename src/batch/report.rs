//! The answer about several commands: a row for each, then what they printed, as text or as JSON.

use std::borrow::Cow;
use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::fit::{Want, share, shorten};
use super::{Outcome, Output};
use crate::text::show::{count, thousands};
use crate::text::{clean, cut, measure};

/// The widths in which rows show their commands, in chars: the first with which the rows fit.
const WIDTHS: [usize; 4] = [120, 60, 30, 12];
/// The fewest chars in which a preview is of use: its handle and some lines.
const LEAST: usize = 700;
/// The room for the words about what was left out.
const WORDS: usize = 200;
/// The most chars of the line that stands for rows that were left out.
const GAP: usize = 110;

/// A command and what became of it.
#[derive(Debug)]
pub struct Entry {
    /// The command, secrets masked.
    pub command: String,
    /// What became of it; `None` = it was not run.
    pub outcome: Option<Outcome>,
}

/// Stores the output of the command with this number, which will not be shown whole; gives its id and what replaces
/// it in so many chars. `None` = it could not be stored and must be shown whole.
pub type PutAway<'a> = &'a mut dyn FnMut(usize, &Outcome, &[u8], usize) -> Option<(String, Option<String>)>;

impl Entry {
    fn failed(&self) -> bool {
        self.outcome.as_ref().is_some_and(|o| o.status() != 0)
    }

    fn id(&self) -> Option<&str> {
        match &self.outcome.as_ref()?.output {
            Output::Stored { id, .. } => Some(id),
            _ => None,
        }
    }

    /// Returns the command on one line of at most `width` chars.
    fn command(&self, width: usize) -> String {
        let line = clean::text(self.command.as_bytes()).replace('\n', " ");
        cut::middle(&line, width).into_owned()
    }

    /// Returns how it went: `exit 0, 1.2 s, 288,894 chars`.
    fn how(&self) -> String {
        let Some(outcome) = &self.outcome else { return "not run".to_owned() };
        let seconds = outcome.ended.duration_ms.unwrap_or_default() as f64 / 1000.0;
        let mut how = format!("exit {}, {seconds:.1} s, ", outcome.status());
        how += &match outcome.size.chars {
            0 if outcome.size.bytes == 0 => "no output".to_owned(),
            n => count(n, "char"),
        };
        if let Some(why) = &outcome.ended.partial {
            how += &format!(", PARTIAL ({why})");
        }
        how
    }

    /// Returns its row, numbered from 1 as commands are.
    fn row(&self, number: usize, width: usize) -> String {
        let id = self.id().map(|id| format!(", blob={id}")).unwrap_or_default();
        format!("{number}: {}{id} — {}\n", self.how(), self.command(width))
    }

    /// Returns the line above its output.
    fn header(&self, number: usize, width: usize) -> String {
        format!("== {number}: {} — {}\n", self.command(width), self.how())
    }

    /// Returns the most chars of a row.
    fn row_cost(&self, number: usize, width: usize) -> usize {
        let may_be_stored =
            matches!(&self.outcome, Some(o) if matches!(&o.output, Output::Whole(text) if !text.is_empty()));
        chars(&self.row(number, width)) + if may_be_stored { chars(", blob=") + 12 } else { 0 }
    }
}

fn chars(text: &str) -> usize {
    text.chars().count()
}

/// What is said of all of them.
fn summary(entries: &[Entry]) -> (usize, usize) {
    let failed = entries.iter().filter(|e| e.failed()).count();
    (failed, entries.iter().filter(|e| e.outcome.is_none()).count())
}

/// Chooses what can be shown of things that cost so many chars: what comes first, then in order.
fn choose(costs: &[(usize, bool)], room: usize) -> Vec<bool> {
    let mut order: Vec<usize> = (0..costs.len()).collect();
    order.sort_by_key(|&k| (!costs[k].1, k));
    let mut shown = vec![false; costs.len()];
    let mut left = room;
    for k in order {
        match left.checked_sub(costs[k].0) {
            Some(rest) => {
                left = rest;
                shown[k] = true;
            }
            None => break,
        }
    }
    shown
}

/// Turns outputs that get less room than they need into stored ones.
fn put_away(entries: &mut [Entry], wants: &[Want], rooms: &[usize], headers: &[usize], put: PutAway<'_>) {
    for (k, entry) in entries.iter_mut().enumerate() {
        let Some(outcome) = &mut entry.outcome else { continue };
        let Output::Whole(text) = &outcome.output else { continue };
        if rooms[k] < wants[k].whole {
            let stored = put(k, outcome, text, rooms[k].saturating_sub(headers[k]));
            if let Some((id, replacement)) = stored {
                outcome.output = Output::Stored { id, replacement };
            }
        }
    }
}

/// Writes the answer as text of at most `cap` chars, but for what could not be stored.
///
/// # Errors
/// If it cannot be written.
pub fn text(entries: &mut [Entry], cap: usize, put: PutAway<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (failed, not_run) = summary(entries);
    let mut top = format!("[batch: {}, {failed} failed", count(entries.len() as u64, "command"));
    if not_run > 0 {
        top += &format!(", {not_run} not run");
    }
    top += "; blobs are for `toolaria fetch ID MODE`]\n";
    let room = cap.saturating_sub(chars(&top) + WORDS);
    // Rows take no more than half, unless there is nothing else to show.
    let costs = |width| -> Vec<(usize, bool)> {
        entries.iter().enumerate().map(|(k, e)| (e.row_cost(k + 1, width), e.failed())).collect()
    };
    let total = |costs: &[(usize, bool)]| costs.iter().map(|c| c.0).sum::<usize>();
    let width = WIDTHS.into_iter().find(|&width| total(&costs(width)) <= room / 2).unwrap_or(WIDTHS[3]);
    let costs = costs(width);
    // Where not all are shown, one that failed may have a gap before it.
    let gap = |k: usize| if costs[k].1 && (k == 0 || !costs[k - 1].1) { GAP } else { 0 };
    let all = total(&costs) <= room;
    let gaps = (0..costs.len()).map(|k| (costs[k].0 + if all { 0 } else { gap(k) }, costs[k].1)).collect::<Vec<_>>();
    let shown = choose(&gaps, room);
    let rows: usize = gaps.iter().zip(&shown).filter(|(_, shown)| **shown).map(|(cost, _)| cost.0).sum();

    let headers: Vec<usize> = entries.iter().enumerate().map(|(k, e)| chars(&e.header(k + 1, width))).collect();
    let wants: Vec<Want> = entries
        .iter()
        .zip(&headers)
        .map(|(entry, header)| {
            let (whole, least) = match entry.outcome.as_ref().map(|o| &o.output) {
                Some(Output::Whole(text)) if !text.is_empty() => {
                    let end = usize::from(!text.ends_with(b"\n"));
                    (measure::chars(text) as usize + end + header, LEAST)
                }
                Some(Output::Stored { replacement: Some(text), .. }) => (chars(text) + header, LEAST),
                _ => (0, 0),
            };
            Want { whole, least, first: entry.failed() }
        })
        .collect();
    let rooms = share(&wants, room.saturating_sub(rows));
    put_away(entries, &wants, &rooms, &headers, put);

    out.write_all(top.as_bytes())?;
    let mut k = 0;
    while k < entries.len() {
        if shown[k] {
            out.write_all(entries[k].row(k + 1, width).as_bytes())?;
            k += 1;
            continue;
        }
        let end = (k..entries.len()).find(|&j| shown[j]).unwrap_or(entries.len());
        out.write_all(left_out(entries, k, end).as_bytes())?;
        k = end;
    }
    for (k, entry) in entries.iter_mut().enumerate() {
        let header = entry.header(k + 1, width);
        let failed = entry.failed();
        let Some(outcome) = &mut entry.outcome else { continue };
        match &mut outcome.output {
            Output::Whole(text) if !text.is_empty() => {
                out.write_all(header.as_bytes())?;
                out.write_all(text)?;
                if !text.ends_with(b"\n") {
                    out.write_all(b"\n")?;
                }
            }
            Output::Stored { replacement: Some(text), .. } => {
                if let Some(short) = shorten(text, rooms[k].saturating_sub(headers[k]), failed) {
                    out.write_all(header.as_bytes())?;
                    out.write_all(short.as_bytes())?;
                }
            }
            Output::Unstored(spool) if outcome.size.bytes > 0 => {
                out.write_all(header.as_bytes())?;
                spool.write_to(out)?;
                out.write_all(b"\n")?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Tells what rows were left out.
fn left_out(entries: &[Entry], from: usize, to: usize) -> String {
    let failed = entries[from..to].iter().filter(|e| e.failed()).count();
    let stored = entries[from..to].iter().any(|e| e.id().is_some());
    let ids = if stored { "; `toolaria list` shows their blobs" } else { "" };
    format!(
        "[... {}-{to} left out ({}, {} failed){ids} ...]\n",
        from + 1,
        count((to - from) as u64, "command"),
        thousands(failed as u64)
    )
}

/// Returns the answer as one JSON object of at most `cap` chars, but for what could not be stored.
pub fn json(entries: &mut [Entry], cap: usize, put: PutAway<'_>) -> String {
    let (failed, not_run) = summary(entries);
    let frame = |results: Vec<Value>, left_out: usize| {
        json!({
            "commands": entries_count(&results, left_out), "failed": failed, "not_run": not_run,
            "left_out": left_out, "results": results,
        })
    };
    let frame_cost = chars(&frame(Vec::new(), entries.len()).to_string()) + 16;
    let room = cap.saturating_sub(frame_cost);
    let escaped = |text: &str| chars(&Value::from(text).to_string());
    let width = |entry: &Entry, width| entry.command(width);
    let costs = |w: usize| -> Vec<(usize, bool)> {
        let cost = |k: usize, e: &Entry| chars(&object(e, k + 1, &width(e, w), None).to_string()) + 16;
        entries.iter().enumerate().map(|(k, e)| (cost(k, e), e.failed())).collect()
    };
    let total = |costs: &[(usize, bool)]| costs.iter().map(|c| c.0).sum::<usize>();
    let w = WIDTHS.into_iter().find(|&w| total(&costs(w)) <= room / 2).unwrap_or(WIDTHS[3]);
    let costs = costs(w);
    let shown = choose(&costs, room);
    let rows: usize = costs.iter().zip(&shown).filter(|(_, shown)| **shown).map(|(cost, _)| cost.0).sum();
    let wants: Vec<Want> = entries
        .iter()
        .zip(&shown)
        .map(|(entry, shown)| {
            let whole = match entry.outcome.as_ref().map(|o| &o.output) {
                Some(Output::Whole(text)) => escaped(&lossy(text)),
                Some(Output::Stored { replacement: Some(text), .. }) if *shown => escaped(text),
                _ => 0,
            };
            // What is not in a row has no room at all.
            Want { whole, least: if *shown { LEAST } else { usize::MAX }, first: entry.failed() }
        })
        .collect();
    let mut rooms = share(&wants, room.saturating_sub(rows));
    rooms.iter_mut().zip(&shown).filter(|(_, shown)| !**shown).for_each(|(room, _)| *room = 0);
    put_away(entries, &wants, &rooms, &vec![0; rooms.len()], put);
    let mut results = Vec::new();
    for (k, entry) in entries.iter().enumerate().filter(|(k, _)| shown[*k]) {
        let text = match entry.outcome.as_ref().map(|o| &o.output) {
            Some(Output::Whole(text)) => Some(lossy(text)),
            Some(Output::Unstored(spool)) if spool.is_whole() => Some(lossy(spool.start())),
            Some(Output::Unstored(spool)) => {
                Some(cut::start(&lossy(spool.start()), room.max(LEAST)).into_owned().into())
            }
            Some(Output::Stored { replacement: Some(text), .. }) => {
                fitting(text, rooms[k], entry.failed()).map(Cow::Owned)
            }
            _ => None,
        };
        results.push(object(entry, k + 1, &entry.command(w), text.as_deref()));
    }
    let left_out = entries.len() - results.len();
    format!("{}\n", frame(results, left_out))
}

fn entries_count(results: &[Value], left_out: usize) -> usize {
    results.len() + left_out
}

fn lossy(text: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(text)
}

/// Shortens a replacement until its JSON fits.
fn fitting(text: &str, room: usize, tail: bool) -> Option<String> {
    let mut try_room = room;
    for _ in 0..8 {
        let short = shorten(text, try_room, tail)?;
        let cost = chars(&Value::from(short.as_str()).to_string());
        if cost <= room {
            return Some(short);
        }
        try_room = try_room.saturating_sub((cost - room).max(16));
    }
    None
}

fn object(entry: &Entry, number: usize, command: &str, text: Option<&str>) -> Value {
    let mut object = Map::new();
    object.insert("number".to_owned(), json!(number));
    object.insert("command".to_owned(), json!(command));
    let outcome = entry.outcome.as_ref();
    object.insert("status".to_owned(), json!(outcome.map(Outcome::status)));
    object.insert("duration_ms".to_owned(), json!(outcome.and_then(|o| o.ended.duration_ms)));
    if let Some(why) = outcome.and_then(|o| o.ended.partial.as_ref()) {
        object.insert("partial".to_owned(), json!(why));
    }
    object.insert("chars".to_owned(), json!(outcome.map(|o| o.size.chars)));
    object.insert("lines".to_owned(), json!(outcome.map(|o| o.size.lines)));
    object.insert("blob".to_owned(), json!(entry.id()));
    let name = if entry.id().is_some() { "preview" } else { "text" };
    object.insert(name.to_owned(), json!(text));
    Value::Object(object)
}
