//! A JSON value cut down to what can be shown: every level's first items, counts of the rest, strings by their start.
//!
//! Built in one pass over [`json::Tokens`](super::json::Tokens) with bounded memory: where too much would be kept,
//! fewer items of each array, then fewer levels are kept, so that what stays is spread over the whole value. Of *outer*
//! arrays (not inside another array: the root, `/items`, `/data/rows`) the last items are kept too, and the keys of
//! their objects are counted. Values stay as written, digit for digit; only what is left out is summed up.

use std::io::{self, Read};

use super::json::{Kind, Quirks, Stop, Token, Tokens, Trailing};
use super::{clean, cut, json, show};

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

/// The keys of the objects in an outer array, and what else is in it.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// Each key with the number of objects that have it, in order of appearance; at most 64.
    pub keys: Vec<(String, u64)>,
    /// Objects among the items.
    pub objects: u64,
    /// Arrays among the items.
    pub arrays: u64,
    /// Whether there were more keys.
    pub more: bool,
    next: usize,
}

impl Columns {
    /// Counts a key of an object.
    pub fn key(&mut self, token: &Token<'_>) {
        const MOST: usize = 64;
        if self.keys.get(self.next).is_none_or(|(k, _)| k.as_bytes() != token.raw) {
            let value = token.value();
            match self.keys.iter().position(|(k, _)| *k == value) {
                Some(at) => self.next = at,
                None if self.keys.len() == MOST => {
                    self.more = true;
                    return;
                }
                None => {
                    self.next = self.keys.len();
                    self.keys.push((cut::start(&value, 80).into_owned(), 0));
                }
            }
        }
        self.keys[self.next].1 += 1;
        self.next += 1;
    }

    /// Counts an item that is an object or an array; its keys follow.
    pub fn item(&mut self, kind: Kind) {
        self.next = 0;
        self.objects += u64::from(kind == Kind::ObjectStart);
        self.arrays += u64::from(kind == Kind::ArrayStart);
    }

    /// Returns the keys for a reader, in at most `max` chars: `id, name, refund (in 800), …`.
    pub fn names(&self, max: usize) -> String {
        let mut out = String::new();
        for (k, (key, n)) in self.keys.iter().enumerate() {
            let key = clean::line(key.as_bytes());
            let word = if *n < self.objects { format!("{key} (in {})", show::thousands(*n)) } else { key.into_owned() };
            let more = k + 1 < self.keys.len() || self.more;
            if out.chars().count() + word.chars().count() + 2 + 3 * usize::from(more) > max {
                out.push_str(if out.is_empty() { "…" } else { ", …" });
                return out;
            }
            if k > 0 {
                out.push_str(", ");
            }
            out.push_str(&word);
        }
        if self.more {
            out.push_str(", …");
        }
        out
    }
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

/// The name of a member whose value comes next.
#[derive(Clone, Copy)]
struct KeptKey {
    at: (u32, u32),
    chars: u32,
    whole: bool,
}

/// Builds a sketch.
struct Builder {
    limits: Limits,
    main: Part,
    /// The last items of the outer array that is being read.
    ring: Vec<Part>,
    ring_limits: Limits,
    /// How many items went into the ring; the next slot is this modulo its length.
    ringed: u64,
    /// The outer array whose items go into the ring, as a place in the main stack.
    in_ring: bool,
    /// Levels that are not kept and open.
    skipping: u64,
    key: Option<KeptKey>,
    /// Arrays among the open levels of the main part.
    arrays: usize,
    columns: Vec<Columns>,
    /// Levels that are open in the text.
    level: u64,
    /// The open outer array: the level of its items, and its columns.
    outer: Option<(u64, usize)>,
}

/// Nodes with their text and their open levels.
#[derive(Default)]
struct Part {
    nodes: Vec<Node>,
    text: Vec<u8>,
    open: Vec<u32>,
    /// The limits, once they were lowered.
    limits: Option<Limits>,
}

impl Builder {
    fn new(limits: Limits) -> Builder {
        let ring_limits = Limits { nodes: (limits.nodes / 4).max(64), bytes: (limits.bytes / 4).max(4096), ..limits };
        Builder {
            limits,
            main: Part::default(),
            ring: (0..limits.tail).map(|_| Part::default()).collect(),
            ring_limits,
            ringed: 0,
            in_ring: false,
            skipping: 0,
            key: None,
            arrays: 0,
            columns: Vec::new(),
            level: 0,
            outer: None,
        }
    }

    fn token(&mut self, token: &Token<'_>) {
        let ends = matches!(token.kind, Kind::ArrayEnd | Kind::ObjectEnd);
        let starts = matches!(token.kind, Kind::ArrayStart | Kind::ObjectStart);
        if ends {
            self.level -= 1;
        }
        self.count_columns(token, starts);
        if starts {
            self.level += 1;
        }
        if self.skipping > 0 {
            if starts {
                self.skipping += 1;
            } else if ends {
                self.skipping -= 1;
                self.item_done();
            }
            return;
        }
        match token.kind {
            Kind::ArrayEnd | Kind::ObjectEnd => self.end(token.kind),
            Kind::Key => self.member(token),
            _ => self.value(token, starts),
        }
    }

    /// Counts the items and keys of the outer array that is being read.
    fn count_columns(&mut self, token: &Token<'_>, starts: bool) {
        let Some((depth, columns)) = self.outer else { return };
        let Some(columns) = self.columns.get_mut(columns) else { return };
        if starts && self.level == depth {
            columns.item(token.kind);
        } else if token.kind == Kind::Key && self.level == depth + 1 && columns.objects > 0 {
            columns.key(token);
        }
    }

    fn part(&mut self) -> (&mut Part, Limits) {
        if self.in_ring {
            let slot = (self.ringed % self.ring.len() as u64) as usize;
            let part = &mut self.ring[slot];
            let limits = part.limits.unwrap_or(self.ring_limits);
            (part, limits)
        } else {
            let limits = self.main.limits.unwrap_or(self.limits);
            (&mut self.main, limits)
        }
    }

    fn member(&mut self, token: &Token<'_>) {
        self.key = None;
        let (part, limits) = self.part();
        let Some(&parent) = part.open.last() else { return };
        let parent = &mut part.nodes[parent as usize];
        parent.count += 1;
        if (parent.kept as usize) < limits.keys {
            let raw = bounded(token.raw, limits.string.min(4096));
            let start = part.text.len() as u32;
            part.text.extend_from_slice(raw);
            let chars = token.chars.min(u64::from(u32::MAX)) as u32;
            let whole = token.whole && raw.len() == token.raw.len();
            self.key = Some(KeptKey { at: (start, part.text.len() as u32), chars, whole });
        }
    }

    fn value(&mut self, token: &Token<'_>, starts: bool) {
        let key = self.key.take();
        let outer = self.arrays == 1 && !self.in_ring;
        let ring = self.ring.len();
        let (part, limits) = self.part();
        let mut keep = true;
        let mut to_ring = false;
        if let Some(&parent) = part.open.last() {
            let node = &mut part.nodes[parent as usize];
            if node.kind == Kind::ArrayStart {
                node.count += 1;
                let room = if outer { limits.head } else { limits.inner };
                keep = (node.kept as usize) < room && node.kept as u64 + 1 == node.count;
                to_ring = outer && !keep && ring > 0;
            } else {
                keep = key.is_some();
            }
            keep &= usize::from(node.depth) + 1 < limits.depth;
        }
        if to_ring && part.open.len() < limits.depth {
            self.in_ring = true;
            let slot = (self.ringed % ring as u64) as usize;
            self.ring[slot].clear();
            keep = true;
        }
        if !keep {
            self.skipping = u64::from(starts);
            return;
        }
        self.push(token, key, starts);
    }

    fn push(&mut self, token: &Token<'_>, key: Option<KeptKey>, starts: bool) {
        let outer_array = token.kind == Kind::ArrayStart && self.arrays == 0 && !self.in_ring;
        let base = if self.in_ring { self.main.open.len() } else { 0 };
        let columns = self.columns.len() as u32;
        let (part, limits) = self.part();
        let raw = if starts { &[][..] } else { bounded(token.raw, limits.string) };
        let start = part.text.len() as u32;
        part.text.extend_from_slice(raw);
        let id = part.nodes.len() as u32;
        let key = key.unwrap_or(KeptKey { at: (NONE, NONE), chars: 0, whole: true });
        part.nodes.push(Node {
            kind: token.kind,
            whole: token.whole && raw.len() == token.raw.len() || starts,
            closed: !starts,
            depth: (base + part.open.len()) as u16,
            key: key.at,
            key_chars: key.chars,
            key_whole: key.whole,
            raw: (start, part.text.len() as u32),
            chars: token.chars,
            count: 0,
            kept: 0,
            tail: 0,
            first: NONE,
            last: NONE,
            next: NONE,
            columns: if outer_array { columns } else { NONE },
        });
        if let Some(&parent) = part.open.last() {
            part.link(parent, id);
        }
        if starts {
            part.open.push(id);
        }
        let crowded = part.nodes.len() > limits.nodes || part.text.len() > limits.bytes;
        if crowded {
            self.skipping = part.prune(limits, base);
        }
        if self.in_ring {
            return self.item_done();
        }
        let nodes = &self.main.nodes;
        if crowded {
            self.arrays = self.main.open.iter().filter(|&&at| nodes[at as usize].kind == Kind::ArrayStart).count();
        } else {
            self.arrays += usize::from(token.kind == Kind::ArrayStart);
        }
        if self.arrays == 0 {
            self.outer = None;
        } else if outer_array {
            self.outer = Some((self.main.open.len() as u64, self.columns.len()));
            self.columns.push(Columns::default());
        }
    }

    fn end(&mut self, kind: Kind) {
        let (part, _) = self.part();
        if let Some(id) = part.open.pop() {
            part.nodes[id as usize].closed = true;
            if !self.in_ring {
                if kind == Kind::ArrayEnd {
                    if self.arrays == 1 {
                        self.absorb(id);
                        self.outer = None;
                    }
                    self.arrays -= 1;
                }
                return;
            }
        }
        self.item_done();
    }

    /// Leaves the ring when the item in it is complete.
    fn item_done(&mut self) {
        if self.in_ring && self.skipping == 0 && self.part().0.open.is_empty() {
            self.in_ring = false;
            self.ringed += 1;
        }
    }

    /// Puts the last items behind the first ones of the outer array.
    fn absorb(&mut self, array: u32) {
        let slots = self.ring.len() as u64;
        let parts = self.ringed.min(slots);
        for k in self.ringed - parts..self.ringed {
            let part = std::mem::take(&mut self.ring[(k % slots) as usize]);
            let (nodes, text) = (self.main.nodes.len() as u32, self.main.text.len() as u32);
            let shift = |at: u32, by: u32| if at == NONE { NONE } else { at + by };
            self.main.text.extend_from_slice(&part.text);
            self.main.nodes.extend(part.nodes.iter().map(|node| Node {
                key: (shift(node.key.0, text), shift(node.key.1, text)),
                raw: (node.raw.0 + text, node.raw.1 + text),
                first: shift(node.first, nodes),
                last: shift(node.last, nodes),
                next: shift(node.next, nodes),
                ..*node
            }));
            if !part.nodes.is_empty() {
                self.main.link(array, nodes);
                self.main.nodes[array as usize].tail += 1;
            }
        }
        self.ringed = 0;
    }

    /// Leaves all levels below `level`, which a record that broke off left open.
    fn close_to(&mut self, level: u64) {
        if self.level == level {
            return;
        }
        self.level = level;
        self.skipping = 0;
        if self.in_ring {
            self.part().0.open.clear();
            self.item_done();
        } else {
            self.main.open.truncate(level as usize);
            self.arrays = self.main.open.len().min(1);
        }
    }

    fn finish(mut self) -> Sketch {
        if self.in_ring {
            self.in_ring = false;
            self.ringed += 1;
        }
        let nodes = &self.main.nodes;
        let outer = self.main.open.iter().find(|&&at| nodes[at as usize].kind == Kind::ArrayStart);
        if let Some(&array) = outer {
            self.absorb(array);
        }
        Sketch { nodes: self.main.nodes, text: self.main.text, columns: self.columns, ..Sketch::default() }
    }
}

impl Part {
    fn clear(&mut self) {
        self.nodes.clear();
        self.text.clear();
        self.open.clear();
        self.limits = None;
    }

    fn link(&mut self, parent: u32, id: u32) {
        let last = self.nodes[parent as usize].last;
        match self.nodes.get_mut(last as usize) {
            Some(last) => last.next = id,
            None => self.nodes[parent as usize].first = id,
        }
        let parent = &mut self.nodes[parent as usize];
        parent.last = id;
        parent.kept += 1;
    }

    /// Lowers the limits until less than half of what they allow is kept; returns how many open levels went.
    fn prune(&mut self, mut limits: Limits, base: usize) -> u64 {
        let open = self.open.len();
        loop {
            if self.text.len() > limits.bytes / 2 && limits.string > 256 {
                limits.string /= 2;
            } else if limits.inner > 4 {
                limits.inner /= 2;
            } else if limits.head > 8 {
                limits.head = (limits.head / 2).max(8);
            } else if limits.depth > base + 2 {
                limits.depth = limits.depth.min(self.nodes.iter().map(|n| usize::from(n.depth) + 1).max().unwrap_or(0));
                limits.depth = (limits.depth - 1).max(base + 2);
            } else if limits.inner > 0 {
                limits.inner /= 2;
            } else if limits.keys > 16 {
                limits.keys /= 2;
            } else {
                // The smallest: a few items of one level each.
                limits.string = limits.string.min(64);
                limits.depth = base + 1;
            }
            self.compact(limits, base > 0);
            let small = self.nodes.len() <= limits.nodes / 2 && self.text.len() <= limits.bytes / 2;
            if small || limits.depth <= base + 1 {
                self.limits = Some(limits);
                return (open - self.open.len()) as u64;
            }
        }
    }

    /// Keeps what the limits allow.
    fn compact(&mut self, limits: Limits, inside: bool) {
        let old = std::mem::take(&mut self.nodes);
        let text = std::mem::take(&mut self.text);
        let open = std::mem::take(&mut self.open);
        // Each entry: an old node, its new parent, whether it is inside an array.
        let mut work = vec![(0u32, NONE, inside)];
        while let Some((at, parent, in_array)) = work.pop() {
            let node = old[at as usize];
            let id = self.nodes.len() as u32;
            let mut put = |range: (u32, u32), max: usize| {
                if range.0 == NONE {
                    return range;
                }
                let start = self.text.len() as u32;
                self.text.extend_from_slice(bounded(&text[range.0 as usize..range.1 as usize], max));
                (start, self.text.len() as u32)
            };
            let key = put(node.key, limits.string.min(4096));
            let raw = put(node.raw, limits.string);
            let whole = node.whole && raw.1 - raw.0 == node.raw.1 - node.raw.0;
            self.nodes.push(Node { key, raw, whole, kept: 0, tail: 0, first: NONE, last: NONE, next: NONE, ..node });
            if parent != NONE {
                self.link(parent, id);
            }
            if open.get(self.open.len()) == Some(&at) {
                self.open.push(id);
            }
            if usize::from(node.depth) + 1 >= limits.depth {
                continue;
            }
            let array = node.kind == Kind::ArrayStart;
            let room = match (array, in_array) {
                (false, _) => limits.keys,
                (true, false) => limits.head,
                (true, true) => limits.inner,
            };
            let mark = work.len();
            let (mut child, mut k) = (node.first, 0);
            let head = (node.kept - node.tail) as usize;
            while child != NONE {
                if k < room.min(head) || k >= head {
                    work.push((child, id, in_array || array));
                }
                k += 1;
                child = old[child as usize].next;
            }
            self.nodes[id as usize].tail = node.tail;
            // The last one in is taken first: children keep their order.
            work[mark..].reverse();
        }
    }
}

/// Returns at most `max` bytes, cut at the end of a char.
fn bounded(raw: &[u8], max: usize) -> &[u8] {
    if raw.len() <= max {
        return raw;
    }
    let n = max - super::measure::unfinished(&raw[max.saturating_sub(3)..max]);
    &raw[..n]
}
