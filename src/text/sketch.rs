//! A JSON value cut down to what can be shown: every level's first items, counts of the rest, strings by their start.
//!
//! Built in one pass over [`json::Tokens`] with bounded memory: where too much would be kept,
//! fewer items of each array, then fewer levels are kept, so that what stays is spread over the whole value. Of *outer*
//! arrays (not inside another array: the root, `/items`, `/data/rows`) the last items are kept too, and the keys of
//! their objects are counted. Values stay as written, digit for digit; only what is left out is summed up.

use std::io::{self, Read};

use super::json::{Kind, Quirks, Stop, Token, Tokens, Trailing};
use super::{clean, cut, json, show};

mod build;
mod columns;

pub use build::Builder;
pub use columns::{Columns, Item};

/// What a sketch keeps at most.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Items at the start of an outer array.
    pub head: usize,
    /// Items at the end of an outer array.
    pub tail: usize,
    /// Items at the start of any other array.
    pub inner: usize,
    /// Members of an object.
    pub keys: usize,
    /// Levels.
    pub depth: usize,
    /// Bytes of a string, key or number as written.
    pub string: usize,
    /// Values in all.
    pub nodes: usize,
    /// Bytes of strings, keys and numbers in all.
    pub bytes: usize,
}

impl Limits {
    /// The limits that suit an answer of `chars` chars that shows `head` and `tail` items of a long array.
    pub fn for_chars(chars: usize, head: usize, tail: usize) -> Limits {
        let chars = chars.clamp(64, 1 << 20);
        Limits {
            head,
            tail,
            inner: 8,
            keys: chars / 4,
            depth: 64,
            string: chars.min(16 << 10),
            nodes: (chars * 2).clamp(1 << 10, 1 << 16),
            bytes: (chars * 16).clamp(1 << 16, 4 << 20),
        }
    }
}

/// Names a value of a sketch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Id(u32);

const NONE: u32 = u32::MAX;

/// A value that was kept.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// [`Kind::ArrayStart`] for an array, [`Kind::ObjectStart`] for an object.
    kind: Kind,
    /// Whether it is kept whole as written.
    whole: bool,
    closed: bool,
    /// How many levels are above it.
    depth: u16,
    key: (u32, u32),
    /// The length of the key in chars, of what it stands for.
    key_chars: u32,
    key_whole: bool,
    raw: (u32, u32),
    chars: u64,
    /// Children in all.
    count: u64,
    /// Children kept; the last `tail` of them from the end.
    kept: u32,
    tail: u32,
    first: u32,
    last: u32,
    next: u32,
    columns: u32,
}

/// A value cut down.
#[derive(Debug, Default)]
pub struct Sketch {
    nodes: Vec<Node>,
    text: Vec<u8>,
    columns: Vec<Columns>,
    /// Where reading stopped before the end of the value.
    pub stop: Option<Stop>,
    /// What follows the value.
    pub trailing: Option<Trailing>,
    /// What was accepted though it is not JSON.
    pub quirks: Quirks,
    /// How deep the value is, in levels.
    pub deepest: u64,
    /// How far the text was read, in bytes.
    pub read: u64,
}

impl Sketch {
    /// Reads one value.
    pub fn read<R: Read>(tokens: &mut Tokens<R>, limits: Limits) -> io::Result<Sketch> {
        let mut builder = Builder::new(limits);
        while let Some(token) = tokens.next_token()? {
            builder.token(&token);
        }
        let mut sketch = builder.finish();
        sketch.stop = tokens.stop().cloned();
        sketch.quirks = *tokens.quirks();
        sketch.deepest = tokens.deepest();
        sketch.read = tokens.offset();
        Ok(sketch)
    }

    /// Reads the records of NDJSON as the items of an array; lines that are not JSON are left out.
    pub fn read_records<R: Read>(tokens: &mut Tokens<R>, limits: Limits) -> io::Result<Sketch> {
        let mut builder = Builder::new(limits);
        let bracket = |kind: Kind, raw: &'static [u8]| Token {
            kind,
            raw,
            whole: true,
            chars: 1,
            escaped: false,
            span: 0..0,
            line: 0,
        };
        builder.token(&bracket(Kind::ArrayStart, b"["));
        while let Some(record) = tokens.next_record()? {
            if record.fault.is_some() {
                continue;
            }
            while let Some(token) = tokens.next_token()? {
                builder.token(&token);
            }
            builder.close_to(1);
        }
        builder.token(&bracket(Kind::ArrayEnd, b"]"));
        let mut sketch = builder.finish();
        sketch.quirks = *tokens.quirks();
        (sketch.deepest, sketch.read) = (tokens.deepest() + 1, tokens.offset());
        Ok(sketch)
    }

    /// Returns the value itself; `None` if nothing was read.
    pub fn root(&self) -> Option<Id> {
        (!self.nodes.is_empty()).then_some(Id(0))
    }

    fn node(&self, id: Id) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// Returns what the value is: [`Kind::ArrayStart`] stands for an array, [`Kind::ObjectStart`] for an object.
    pub fn kind(&self, id: Id) -> Kind {
        self.node(id).kind
    }

    /// Returns how many items or members the value has in all.
    pub fn count(&self, id: Id) -> u64 {
        self.node(id).count
    }

    /// Returns the length of a scalar in chars.
    pub fn chars(&self, id: Id) -> u64 {
        self.node(id).chars
    }

    /// Whether the value's end was read.
    pub fn closed(&self, id: Id) -> bool {
        self.node(id).closed
    }

    /// Returns the kept children in order.
    pub fn children(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        let mut at = self.node(id).first;
        std::iter::from_fn(move || {
            let id = self.nodes.get(at as usize).map(|_| Id(at))?;
            at = self.node(id).next;
            Some(id)
        })
    }

    /// Returns how many of the kept children stand at the start and how many at the end.
    pub fn kept(&self, id: Id) -> (usize, usize) {
        let node = self.node(id);
        ((node.kept - node.tail) as usize, node.tail as usize)
    }

    /// Returns the keys of the objects in an outer array.
    pub fn columns(&self, id: Id) -> Option<&Columns> {
        self.columns.get(self.node(id).columns as usize)
    }

    fn bytes(&self, range: (u32, u32)) -> &[u8] {
        &self.text[range.0 as usize..range.1 as usize]
    }

    /// Returns the name of a member as written, with its quotes, in about `max` chars.
    pub fn key(&self, id: Id, max: usize) -> Option<String> {
        let node = self.node(id);
        if node.key.0 == NONE {
            return None;
        }
        let raw = self.bytes(node.key);
        let mut out = String::new();
        quoted(&mut out, raw, u64::from(node.key_chars), max);
        Some(out)
    }

    /// Returns what the name of a member stands for (its start).
    pub fn name(&self, id: Id) -> Option<String> {
        let node = self.node(id);
        (node.key.0 != NONE).then(|| json::unescape(self.bytes(node.key)))
    }

    /// Writes a scalar as written, strings and numbers in about `max` chars.
    pub fn scalar(&self, id: Id, max: usize, out: &mut String) {
        let node = self.node(id);
        let raw = self.bytes(node.raw);
        match node.kind {
            Kind::String => quoted(out, raw, node.chars, max),
            Kind::Number if node.chars as usize > max => {
                let text = String::from_utf8_lossy(raw);
                let shown = cut::head_of(&text, max.saturating_sub(18).max(8));
                let left = node.chars - shown.len() as u64;
                out.push_str(&format!("{shown}[… {} digits …]", show::thousands(left)));
            }
            _ => out.push_str(&clean::line(raw)),
        }
    }

    /// Returns the scalar as written if all of it was kept, strings without their quotes.
    pub fn whole(&self, id: Id) -> Option<&[u8]> {
        let node = self.node(id);
        node.whole.then(|| self.bytes(node.raw))
    }

    /// Whether everything of and below the value was kept.
    pub fn complete(&self, id: Id) -> bool {
        // Kept levels are bounded, so the recursion is.
        let node = self.node(id);
        node.closed
            && node.whole
            && u64::from(node.kept) == node.count
            && node.key_whole
            && self.children(id).all(|child| self.complete(child))
    }
}

/// Writes a string as written, cut after about `max` chars at the end of a token of it.
fn quoted(out: &mut String, raw: &[u8], chars: u64, max: usize) {
    let text = clean::line(raw);
    out.push('"');
    let all = text.len() <= max || text.chars().nth(max).is_none();
    let shown = if all { &text[..] } else { whole_escapes(cut::head_of(&text, max.saturating_sub(20).max(8))) };
    let known = json::unescape(shown.as_bytes()).chars().count() as u64;
    if all && known >= chars {
        out.push_str(&text);
    } else {
        out.push_str(shown);
        out.push_str(&cut::omitted(chars.saturating_sub(known)));
    }
    out.push('"');
}

/// Returns the text without the part of an escape at its end.
fn whole_escapes(text: &str) -> &str {
    let tail = text.len().saturating_sub(12);
    let bytes = text.as_bytes();
    for at in tail..bytes.len() {
        if bytes[at] == b'\\' && bytes[..at].iter().rev().take_while(|&&b| b == b'\\').count() % 2 == 0 {
            let need = if bytes.get(at + 1) == Some(&b'u') { 6 } else { 2 };
            if at + need > bytes.len() {
                return &text[..at];
            }
        }
    }
    text
}
