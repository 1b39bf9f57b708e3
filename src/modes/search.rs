//! `search QUERY`: the best lines for some words, best first, each with its neighbours.

use serde_json::{Value, json};

use super::{Show, read_error};
use crate::answer::{Answer, Row, Rows};
use crate::error::Result;
use crate::search::{Hit, Options, search as find};
use crate::store::blob::Blob;
use crate::text::show::{count, thousands};
use crate::text::{clean, cut};

/// How many hits are ranked if it is not told; as many are shown as fit.
const HITS: usize = 10;
/// How many hits can be asked for in all: what comes after is no answer any more.
const MOST: usize = 500;
/// How many lines before and after a hit come with it.
const NEIGHBOURS: usize = 1;
/// The most chars of a hit's line.
const LINE_CHARS: usize = 400;
/// The most chars of a neighbour: it is there to be recognised, `range` shows it whole.
const NEIGHBOUR_CHARS: usize = 160;

/// Answers `search QUERY`; `skip` hits were shown before.
pub fn search(blob: &Blob, query: &str, limit: Option<usize>, skip: usize, show: &Show) -> Result<Answer> {
    let id = blob.id().to_owned();
    let wanted = limit.unwrap_or(HITS).min(MOST);
    let options = Options {
        limit: skip.saturating_add(wanted).min(MOST),
        context: NEIGHBOURS,
        line_max_chars: LINE_CHARS.min(show.cap / 4),
        ..Options::default()
    };
    let found = find(blob.read(), query, &options).map_err(read_error(blob))?;
    let again = |skip: usize| {
        let mut args = vec!["search".to_owned(), "--start".to_owned(), skip.to_string()];
        if let Some(limit) = limit {
            args.extend(["--limit".to_owned(), limit.to_string()]);
        }
        args.extend(["--".to_owned(), query.to_owned()]);
        args
    };
    let (mut rows, mut after) = (Rows::new(show.cap), None);
    let ranked = found.hits.len();
    for (rank, hit) in found.hits.iter().enumerate().skip(skip) {
        if !rows.open() {
            after = Some(again(rank));
            break;
        }
        rows.push(row(hit, rank, again(rank)));
    }
    let named = cut::middle(&clean::line(query.as_bytes()), 100).into_owned();
    let also = match found.also.is_empty() {
        true => String::new(),
        false => format!(", also {}", cut::start(&found.also.join(", "), 100)),
    };
    let (matching, lines, shown_id) = (found.matching, blob.meta().size.lines, id.clone());
    let header = move |shown: &[Row]| {
        let best = match shown.len() {
            0 => String::new(),
            n => format!(
                ", best {n}{} shown first, numbered from 0",
                if skip > 0 { format!(" after {skip}") } else { String::new() }
            ),
        };
        format!(
            "search '{named}'{also} in {shown_id}: {} of {} with a word of it{best}",
            count(matching, "line"),
            thousands(lines)
        )
    };
    let mut answer = Answer::new("search", &id, "hits", Box::new(header));
    answer.found = !rows.is_empty();
    answer.fields.insert("matching".to_owned(), json!(matching));
    answer.rows = rows.into_rows();
    // More than were ranked may match; asked for no particular number, the reader has seen the best.
    let more = limit.is_none() && ranked == options.limit && ranked < MOST && (ranked as u64) < matching;
    answer.after = after.or_else(|| more.then(|| again(ranked)));
    Ok(answer)
}

/// Makes the row of a hit: its neighbours in order around it.
pub(crate) fn row(hit: &Hit, rank: usize, here: Vec<String>) -> Row {
    let neighbour = |(number, text): &(u64, String)| format!("{number}-{}", cut::start(text, NEIGHBOUR_CHARS));
    let mut lines: Vec<String> = Vec::new();
    if rank > 0 {
        lines.push("--".to_owned());
    }
    lines.extend(hit.before.iter().map(neighbour));
    let mut line = format!("{}:{}", hit.line, hit.text);
    if hit.count > 1 {
        line.push_str(&format!(" [{} identical lines]", thousands(hit.count)));
    }
    if !hit.whole {
        line.push_str(&format!(" [at byte {}; `bytes` shows more]", hit.offset));
    }
    lines.push(line);
    lines.extend(hit.after.iter().map(neighbour));
    let numbered = |list: &[(u64, String)]| -> Value {
        list.iter().map(|(n, text)| json!({ "line": n, "text": cut::start(text, NEIGHBOUR_CHARS) })).collect()
    };
    let mut json = json!({ "line": hit.line, "text": hit.text, "score": (hit.score * 1000.0).round() / 1000.0 });
    if hit.count > 1 {
        json["count"] = json!(hit.count);
    }
    if !hit.whole {
        json["cut"] = json!(true);
        json["byte"] = json!(hit.offset);
    }
    for (name, list) in [("before", &hit.before), ("after", &hit.after)] {
        if !list.is_empty() {
            json[name] = numbered(list);
        }
    }
    Row { text: lines.join("\n"), json, here }
}
