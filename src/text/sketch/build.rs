//! Building a sketch: what is kept of each token, and what goes when too much was.

use super::{Columns, Item, Limits, NONE, Node, Sketch};
use crate::text::json::{Kind, Token};
use crate::text::measure;

/// The name of a member whose value comes next.
#[derive(Clone, Copy)]
struct KeptKey {
    at: (u32, u32),
    chars: u32,
    whole: bool,
}

/// Builds a sketch from tokens.
pub struct Builder {
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
    /// Starts a sketch.
    pub fn new(limits: Limits) -> Builder {
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

    /// Sees the next token of the value.
    pub fn token(&mut self, token: &Token<'_>) {
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
        } else if self.level == depth + 1 {
            match token.kind {
                Kind::Key => columns.key(token),
                Kind::ArrayEnd | Kind::ObjectEnd => {}
                _ => columns.value(token),
            }
        } else if self.level == depth + 2 {
            match token.kind {
                Kind::Key => columns.inner_key(token),
                Kind::ArrayEnd | Kind::ObjectEnd => {}
                _ => columns.inner_value(token),
            }
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
            self.keep_failure();
            self.ringed += 1;
        }
    }

    /// Keeps the item just read if it looks like a failure.
    fn keep_failure(&mut self) {
        let Some(columns) = self.outer.and_then(|(_, at)| self.columns.get_mut(at)) else { return };
        if columns.wants_item() {
            let part = &self.ring[(self.ringed % self.ring.len() as u64) as usize];
            let sketch = Sketch { nodes: part.nodes.clone(), text: part.text.clone(), ..Sketch::default() };
            let array = self.main.open.last().map_or(0, |&at| self.main.nodes[at as usize].count);
            columns.kept.push(Item { index: array.saturating_sub(1), sketch });
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
    pub(super) fn close_to(&mut self, level: u64) {
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

    /// Returns the sketch of what was seen.
    pub fn finish(mut self) -> Sketch {
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
    let n = max - measure::unfinished(&raw[max.saturating_sub(3)..max]);
    &raw[..n]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::json::Tokens;
    use crate::text::sketch::Id;
    use proptest::prelude::*;

    fn sketch(text: &str, limits: Limits) -> Sketch {
        Sketch::read(&mut Tokens::new(text.as_bytes()), limits).unwrap()
    }

    fn small() -> Limits {
        Limits { nodes: 100, bytes: 4096, ..Limits::for_chars(400, 5, 2) }
    }

    fn scalar(sketch: &Sketch, id: Id) -> String {
        let mut out = String::new();
        sketch.scalar(id, 100, &mut out);
        out
    }

    #[test]
    fn outer_arrays_keep_their_first_and_last_items() {
        let items: Vec<String> = (0..1000).map(|k| format!("[{k}, {{\"a\": [1,2,3,4,5,6,7,8,9,10]}}]")).collect();
        let text = format!("{{\"x\": {{\"rows\": [{}]}}, \"y\": [7, 8], \"z\": 1}}", items.join(","));
        let sketch = sketch(&text, small());
        let root = sketch.root().unwrap();
        let names: Vec<_> = sketch.children(root).map(|id| sketch.name(id).unwrap()).collect();
        assert_eq!(names, ["x", "y", "z"]);
        let x = sketch.children(root).next().unwrap();
        let rows = sketch.children(x).next().unwrap();
        assert_eq!((sketch.count(rows), sketch.kept(rows)), (1000, (5, 2)));
        let firsts: Vec<String> =
            sketch.children(rows).map(|row| scalar(&sketch, sketch.children(row).next().unwrap())).collect();
        assert_eq!(firsts, ["0", "1", "2", "3", "4", "998", "999"]);
        assert!(!sketch.complete(root) && sketch.closed(root));
    }

    #[test]
    fn what_is_kept_is_bounded_and_spread() {
        let item =
            format!("{{\"a\": [{}], \"b\": {{\"c\": [[{}]]}}}}", "1,".repeat(500) + "1", "[2],".repeat(500) + "2");
        let text = format!("[{}]", vec![item.as_str(); 50].join(","));
        let sketch = sketch(&text, small());
        assert!(sketch.nodes.len() <= 3 * small().nodes, "{}", sketch.nodes.len());
        let root = sketch.root().unwrap();
        assert_eq!((sketch.count(root), sketch.kept(root)), (50, (5, 2)));
        assert!(sketch.children(root).all(|id| sketch.count(id) == 2));
    }

    proptest! {
        #[test]
        fn a_sketch_holds_any_text_in_bounds(text in "[\\[\\]{}:,\"ab1 ]{0,300}", nodes in 4usize..40) {
            for text in [text.clone(), format!("[{text}"), format!("{{\"a\": [{text}")] {
                let limits = Limits { nodes, ..small() };
                let sketch = sketch(&text, limits);
                // The root's first and last items stay whatever else goes.
                prop_assert!(sketch.nodes.len() <= 4 * nodes + 64 * 4, "{}", sketch.nodes.len());
                if let Some(root) = sketch.root() {
                    let (head, tail) = sketch.kept(root);
                    prop_assert_eq!(sketch.children(root).count(), head + tail);
                    prop_assert!((head + tail) as u64 <= sketch.count(root));
                }
            }
        }
    }
}
