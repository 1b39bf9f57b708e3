//! The merged shape of JSON values: every path with what was found there, in one pass and bounded memory.
//!
//! Every value is counted, none sampled. A path is a JSON pointer with `*` for the items of an array. Memory is bounded
//! by folding: an object with more than [`FOLD`] different keys is a map, and its members are counted as one path, `*`;
//! below [`LEVELS`] levels and past [`NODES`] paths values are counted where they hang, not by path.

use std::collections::HashMap;

use super::values::{Numbers, Place, Strings};
use crate::text::cut;
use crate::text::json::{Kind, Token};
use crate::text::show::thousands;

mod fold;
mod rows;

/// How many different keys make an object a map.
const FOLD: usize = 300;
/// The deepest path.
const LEVELS: usize = 48;
/// The most paths.
const NODES: usize = 12_000;
/// How many keys of a map are named.
const NAMED: usize = 12;

const NONE: u32 = u32::MAX;

/// What was found at one path.
#[derive(Debug, Default)]
struct Node {
    /// The key as it reads; `*` for items and folded members.
    name: String,
    wild: bool,
    parent: u32,
    /// Levels of keys, not counting items.
    level: u32,
    children: Vec<u32>,
    /// The children by key, once they are many.
    index: HashMap<Box<[u8]>, u32>,
    /// The items of arrays at this path.
    items: u32,
    /// The members of objects at this path, if they are folded.
    members: u32,
    /// Keys that were folded into `members`: some names, and how many there were at first sight.
    named: Vec<String>,
    folded: u64,

    seen: u64,
    /// How many objects have this key.
    present: u64,
    last_parent: u64,
    nulls: u64,
    truths: [u64; 2],
    numbers: Option<Box<Numbers>>,
    strings: Option<Box<Strings>>,
    objects: Lengths,
    arrays: Lengths,
    first_line: u64,
    first_offset: u64,
    /// The pointer of the first one, if it is not too long.
    first: String,
}

/// How many containers there were and how much was in them.
#[derive(Clone, Copy, Debug, Default)]
struct Lengths {
    count: u64,
    least: u64,
    most: u64,
    total: u64,
}

impl Lengths {
    fn add(&mut self, n: u64) {
        self.merge(Lengths { count: 1, least: n, most: n, total: n });
    }

    fn merge(&mut self, other: Lengths) {
        if other.count == 0 {
            return;
        }
        self.least = if self.count == 0 { other.least } else { self.least.min(other.least) };
        self.most = self.most.max(other.most);
        self.count += other.count;
        self.total += other.total;
    }

    fn range(&self) -> String {
        if self.least == self.most {
            thousands(self.most)
        } else {
            format!("{}-{}", thousands(self.least), thousands(self.most))
        }
    }
}

/// An open array or object.
#[derive(Debug)]
struct Frame {
    node: u32,
    /// Tells objects at one path apart.
    serial: u64,
    count: u64,
    object: bool,
    /// The child that is likely next.
    hint: usize,
    /// The child whose value is due.
    due: u32,
    /// The key whose value is due, if it is folded.
    key: String,
}

/// Collects the shape of values.
#[derive(Debug)]
pub(super) struct Shape {
    nodes: Vec<Node>,
    free: Vec<u32>,
    frames: Vec<Frame>,
    /// Open levels that are not followed.
    skipping: u64,
    serial: u64,
    duplicates: u64,
    duplicate_line: u64,
    last_line: u64,
    too_deep: u64,
    too_many: u64,
}

impl Default for Shape {
    fn default() -> Self {
        let root = Node { parent: NONE, items: NONE, members: NONE, ..Node::default() };
        Shape {
            nodes: vec![root],
            free: Vec::new(),
            frames: Vec::new(),
            skipping: 0,
            serial: 0,
            duplicates: 0,
            duplicate_line: 0,
            last_line: 0,
            too_deep: 0,
            too_many: 0,
        }
    }
}

impl Shape {
    /// Starts an array whose items are the values that follow.
    pub(super) fn records() -> Shape {
        let mut shape = Shape::default();
        shape.nodes[0].seen = 1;
        shape.push_frame(0, false);
        shape
    }

    /// Sees the next token.
    pub(super) fn token(&mut self, token: &Token<'_>) {
        match token.kind {
            Kind::ArrayEnd | Kind::ObjectEnd => {
                if self.skipping > 0 {
                    self.skipping -= 1;
                } else {
                    self.pop_frame();
                }
            }
            Kind::Key if self.skipping == 0 => self.key(token),
            Kind::Key => {}
            Kind::ArrayStart | Kind::ObjectStart if self.skipping > 0 => self.skipping += 1,
            _ if self.skipping > 0 => {}
            _ => self.value(token),
        }
    }

    /// Ends what is still open, as a text that ends early leaves it.
    pub(super) fn close(&mut self) {
        self.skipping = 0;
        while !self.frames.is_empty() {
            self.pop_frame();
        }
    }

    /// Ends what is open of a record that broke off.
    pub(super) fn end_record(&mut self) {
        self.skipping = 0;
        while self.frames.len() > 1 {
            self.pop_frame();
        }
    }

    fn push_frame(&mut self, node: u32, object: bool) {
        self.serial += 1;
        self.frames.push(Frame { node, serial: self.serial, count: 0, object, hint: 0, due: NONE, key: String::new() });
    }

    fn pop_frame(&mut self) {
        if let Some(frame) = self.frames.pop() {
            let node = &mut self.nodes[frame.node as usize];
            if frame.object { &mut node.objects } else { &mut node.arrays }.add(frame.count);
        }
    }

    fn key(&mut self, token: &Token<'_>) {
        let full = self.full();
        let Some(frame) = self.frames.last_mut() else { return };
        frame.count += 1;
        let parent = &self.nodes[frame.node as usize];
        // Objects at one path have their keys in one order more often than not.
        if let Some(&child) = parent.children.get(frame.hint)
            && !token.escaped
            && self.nodes[child as usize].name.as_bytes() == token.raw
        {
            frame.hint += 1;
            frame.due = child;
            return self.present(child, token.line);
        }
        let value = token.value();
        let name = cut::head_of(&value, 200);
        if parent.members != NONE {
            frame.due = parent.members;
            frame.key.clear();
            frame.key.push_str(name);
            return;
        }
        let found = if parent.index.is_empty() {
            parent.children.iter().position(|&child| self.nodes[child as usize].name == name)
        } else {
            parent.index.get(name.as_bytes()).map(|&k| k as usize)
        };
        if let Some(k) = found {
            frame.hint = k + 1;
            frame.due = parent.children[k];
            let child = frame.due;
            return self.present(child, token.line);
        }
        if parent.children.len() >= FOLD {
            let node = frame.node;
            self.fold(node);
            let members = self.nodes[node as usize].members;
            if let Some(frame) = self.frames.last_mut() {
                frame.due = members;
                frame.key.clear();
                frame.key.push_str(name);
            }
            return;
        }
        let (node, k) = (frame.node, parent.children.len());
        if full {
            frame.due = NONE;
            self.too_many += 1;
            return;
        }
        frame.hint = k + 1;
        let child = self.new_node(node, name, false);
        let parent = &mut self.nodes[node as usize];
        parent.children.push(child);
        if k >= 8 {
            if parent.index.is_empty() {
                let children = parent.children.clone();
                let index = children
                    .iter()
                    .enumerate()
                    .map(|(k, &c)| (self.nodes[c as usize].name.as_bytes().into(), k as u32));
                let index = index.collect();
                self.nodes[node as usize].index = index;
            } else {
                parent.index.insert(name.as_bytes().into(), k as u32);
            }
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.due = child;
        }
        self.present(child, token.line);
    }

    /// Counts that an object has a key, once.
    fn present(&mut self, child: u32, line: u64) {
        let Some(frame) = self.frames.last() else { return };
        let node = &mut self.nodes[child as usize];
        if node.last_parent == frame.serial {
            if self.duplicates == 0 {
                self.duplicate_line = line;
            }
            self.duplicates += 1;
        } else {
            node.last_parent = frame.serial;
            node.present += 1;
        }
    }

    fn full(&self) -> bool {
        self.nodes.len() >= NODES && self.free.is_empty()
    }

    fn new_node(&mut self, parent: u32, name: &str, wild: bool) -> u32 {
        let level = self.nodes[parent as usize].level + u32::from(!wild || name == "*");
        let node = Node { name: name.to_owned(), wild, parent, level, items: NONE, members: NONE, ..Node::default() };
        match self.free.pop() {
            Some(id) => {
                self.nodes[id as usize] = node;
                id
            }
            None => {
                self.nodes.push(node);
                (self.nodes.len() - 1) as u32
            }
        }
    }

    /// Returns the node the next value belongs to; `None` if it is not followed.
    fn place(&mut self) -> Option<u32> {
        let Some(frame) = self.frames.last_mut() else { return Some(0) };
        if frame.object {
            return (frame.due != NONE).then_some(frame.due);
        }
        frame.count += 1;
        let node = frame.node;
        let items = self.nodes[node as usize].items;
        if items != NONE {
            return Some(items);
        }
        if self.full() {
            self.too_many += 1;
            return None;
        }
        let items = self.new_node(node, "*", true);
        self.nodes[items as usize].level = self.nodes[node as usize].level;
        self.nodes[node as usize].items = items;
        Some(items)
    }

    fn value(&mut self, token: &Token<'_>) {
        let starts = matches!(token.kind, Kind::ArrayStart | Kind::ObjectStart);
        let Some(id) = self.place() else {
            self.skipping = u64::from(starts);
            return;
        };
        let at = Place { index: self.array_index(), line: token.line };
        self.last_line = token.line;
        if self.nodes[id as usize].seen == 0 {
            let first = self.pointer();
            let node = &mut self.nodes[id as usize];
            (node.first_line, node.first_offset, node.first) = (token.line, token.span.start, first);
        }
        let node = &mut self.nodes[id as usize];
        node.seen += 1;
        match token.kind {
            Kind::Null => node.nulls += 1,
            Kind::Bool => node.truths[usize::from(token.raw == b"true")] += 1,
            Kind::Number => node.numbers.get_or_insert_default().add(token.raw, token.whole, at),
            Kind::String => {
                let strings = node.strings.get_or_insert_default();
                if token.escaped {
                    strings.add(token.value().as_bytes(), token.chars, at);
                } else {
                    strings.add(token.raw, token.chars, at);
                }
            }
            _ => {
                if self.frames.len() >= LEVELS {
                    self.too_deep += 1;
                    self.skipping = 1;
                } else {
                    self.push_frame(id, token.kind == Kind::ObjectStart);
                }
            }
        }
    }

    /// Returns the index in the outermost array around the value.
    fn array_index(&self) -> u64 {
        self.frames.iter().find(|frame| !frame.object).map_or(0, |frame| frame.count.saturating_sub(1))
    }

    /// Returns the pointer of the value that is due.
    fn pointer(&self) -> String {
        let mut out = String::new();
        for frame in &self.frames {
            out.push('/');
            if !frame.object {
                out.push_str(&(frame.count.saturating_sub(1)).to_string());
                continue;
            }
            let node = self.nodes.get(frame.due as usize);
            match node {
                Some(node) if node.wild => out.push_str(&escape(&frame.key)),
                Some(node) => out.push_str(&escape(&node.name)),
                None => return String::new(),
            }
            if out.len() > 400 {
                return String::new();
            }
        }
        out
    }
}

/// Escapes a key as a step of a JSON pointer.
fn escape(name: &str) -> String {
    if name.contains(['~', '/']) { name.replace('~', "~0").replace('/', "~1") } else { name.to_owned() }
}
