//! The merged shape of JSON values: every path with what was found there, in one pass and bounded memory.
//!
//! Every value is counted, none sampled. A path is a JSON pointer with `*` for the items of an array. Memory is bounded
//! by folding: an object with more than [`FOLD`] different keys is a map, and its members are counted as one path, `*`;
//! below [`LEVELS`] levels and past [`NODES`] paths values are counted where they hang, not by path.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::values::{Numbers, Place, Places, Strings};
use super::{Entry, MAX_ENTRIES};
use crate::text::json::{Kind, Token};
use crate::text::show::{count, thousands};
use crate::text::{clean, cut};

/// How many different keys make an object a map.
const FOLD: usize = 300;
/// How many similar objects under different keys are shown as one path.
const ALIKE: usize = 8;
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

    /// Counts all members of the objects at a path as one.
    fn fold(&mut self, id: u32) {
        let children = std::mem::take(&mut self.nodes[id as usize].children);
        self.nodes[id as usize].index = HashMap::new();
        let members = self.new_node(id, "*", true);
        for &child in &children {
            let name = self.nodes[child as usize].name.clone();
            let node = &mut self.nodes[id as usize];
            node.folded += 1;
            if node.named.len() < NAMED {
                node.named.push(name);
            }
            self.merge(members, child);
        }
        self.nodes[id as usize].members = members;
    }

    /// Adds what was found at `from` to `into` and frees it. Recursive: paths have at most [`LEVELS`] levels.
    fn merge(&mut self, into: u32, from: u32) {
        let other = std::mem::take(&mut self.nodes[from as usize]);
        self.free.push(from);
        let node = &mut self.nodes[into as usize];
        if node.seen == 0 || (other.seen > 0 && other.first_offset < node.first_offset) {
            (node.first_line, node.first_offset) = (other.first_line, other.first_offset);
            node.first = other.first;
        }
        node.seen += other.seen;
        node.present += other.present;
        node.nulls += other.nulls;
        node.truths[0] += other.truths[0];
        node.truths[1] += other.truths[1];
        node.objects.merge(other.objects);
        node.arrays.merge(other.arrays);
        node.folded += other.folded;
        if let Some(numbers) = &other.numbers {
            node.numbers.get_or_insert_default().merge(numbers);
        }
        if let Some(strings) = &other.strings {
            node.strings.get_or_insert_default().merge(strings);
        }
        for name in other.named {
            if node.named.len() < NAMED {
                node.named.push(name);
            }
        }
        if other.items != NONE {
            if self.nodes[into as usize].items == NONE {
                self.adopt(other.items, into);
                self.nodes[into as usize].items = other.items;
            } else {
                self.merge(self.nodes[into as usize].items, other.items);
            }
        }
        if other.members != NONE {
            if self.nodes[into as usize].members == NONE {
                self.fold(into);
            }
            self.merge(self.nodes[into as usize].members, other.members);
        }
        for child in other.children {
            if self.nodes[into as usize].members != NONE {
                self.merge(self.nodes[into as usize].members, child);
                continue;
            }
            let name = &self.nodes[child as usize].name;
            let twin = self.nodes[into as usize].children.iter().find(|&&c| self.nodes[c as usize].name == *name);
            match twin {
                Some(&twin) => self.merge(twin, child),
                None => {
                    self.adopt(child, into);
                    let node = &mut self.nodes[into as usize];
                    node.index = HashMap::new();
                    node.children.push(child);
                    if self.nodes[into as usize].children.len() > FOLD {
                        self.fold(into);
                    }
                }
            }
        }
        self.reindex(into);
    }

    fn adopt(&mut self, child: u32, parent: u32) {
        self.nodes[child as usize].parent = parent;
    }

    fn reindex(&mut self, id: u32) {
        let children = &self.nodes[id as usize].children;
        if children.len() > 8 && self.nodes[id as usize].index.is_empty() {
            let index = children.iter().enumerate();
            let index = index.map(|(k, &c)| (self.nodes[c as usize].name.as_bytes().into(), k as u32)).collect();
            self.nodes[id as usize].index = index;
        }
    }

    /// Folds objects whose members are alike under many different names: they are maps, too.
    fn fold_maps(&mut self, id: u32) {
        if self.is_map(id) {
            self.fold(id);
        }
        let node = &self.nodes[id as usize];
        let next: Vec<u32> =
            node.children.iter().copied().chain([node.items, node.members]).filter(|&c| c != NONE).collect();
        for child in next {
            self.fold_maps(child);
        }
    }

    fn is_map(&self, id: u32) -> bool {
        let node = &self.nodes[id as usize];
        if node.children.len() < ALIKE {
            return false;
        }
        let containers = node.children.iter().all(|&c| {
            let child = &self.nodes[c as usize];
            child.objects.count == child.seen && child.seen > 0
        });
        if !containers {
            // Very many members that are all of one simple type, few of them in every object.
            return node.children.len() > 60
                && node.children.iter().all(|&c| {
                    let child = &self.nodes[c as usize];
                    child.strings.as_ref().map_or(0, |s| s.count) == child.seen
                        || child.numbers.as_ref().map_or(0, |n| n.count) == child.seen
                        || child.arrays.count == child.seen
                });
        }
        // Alike: half of the keys of most children are keys of half of the children.
        let mut keys: HashMap<&str, usize> = HashMap::new();
        for &c in &node.children {
            for &grand in &self.nodes[c as usize].children {
                *keys.entry(&self.nodes[grand as usize].name).or_default() += 1;
            }
        }
        let common = |name: &str| keys.get(name).is_some_and(|n| n * 4 >= node.children.len());
        let alike = node.children.iter().filter(|&&c| {
            let child = &self.nodes[c as usize];
            let shared = child.children.iter().filter(|&&g| common(&self.nodes[g as usize].name)).count();
            child.members != NONE || shared * 2 >= child.children.len()
        });
        alike.count() * 4 >= node.children.len() * 3
    }

    /// Returns what the whole is, e.g. `array of 3,000 objects`.
    pub(super) fn head(&self) -> String {
        if self.nodes[0].seen == 0 { "no JSON value".to_owned() } else { self.describe(0) }
    }

    /// Returns one row a path, the outer ones first.
    pub(super) fn entries(&mut self) -> Vec<Entry> {
        self.fold_maps(0);
        let mut order = Vec::new();
        let mut stack = vec![0u32];
        while let Some(id) = stack.pop() {
            order.push(id);
            let node = &self.nodes[id as usize];
            let next =
                [node.items, node.members].into_iter().filter(|&c| c != NONE).chain(node.children.iter().copied());
            let mark = stack.len();
            stack.extend(next);
            stack[mark..].reverse();
        }
        let mut rows: Vec<(u32, u32)> =
            order.into_iter().filter(|&id| self.tells(id)).map(|id| (self.level(id), id)).collect();
        rows.sort_by_key(|&(level, _)| level);
        rows.into_iter().take(MAX_ENTRIES).map(|(_, id)| self.entry(id)).collect()
    }

    /// Returns how many keys lead to a path.
    fn level(&self, id: u32) -> u32 {
        let (mut level, mut at) = (0, id);
        while at != NONE {
            let node = &self.nodes[at as usize];
            let items = node.parent != NONE && self.nodes[node.parent as usize].items == at;
            level += u32::from(!items);
            at = node.parent;
        }
        level
    }

    /// Whether a row says more than its parent's does.
    fn tells(&self, id: u32) -> bool {
        let node = &self.nodes[id as usize];
        let parent = self.nodes.get(node.parent as usize);
        let told = parent
            .is_some_and(|parent| (parent.items == id && parent.seen == parent.arrays.count) || parent.members == id);
        let plain = |id: u32| self.nodes.get(id as usize).is_some_and(|n| n.strings.is_none() && n.numbers.is_none());
        // An array in an array, level after level, tells nothing by itself.
        let nested = node.arrays.count == node.seen && node.arrays.most <= 1 && plain(node.items);
        node.seen > 0 && !(told && (node.objects.count == node.seen || nested || self.simple(id)))
    }

    /// Whether all values at a path are of one simple type.
    fn simple(&self, id: u32) -> bool {
        let node = &self.nodes[id as usize];
        let strings = node.strings.as_ref().map_or(0, |s| s.count);
        let numbers = node.numbers.as_ref().map_or(0, |n| n.count);
        [strings, numbers, node.truths[0] + node.truths[1], node.nulls].contains(&node.seen)
    }

    fn path(&self, id: u32) -> String {
        let (mut parts, mut at) = (Vec::new(), id);
        while self.nodes[at as usize].parent != NONE {
            let node = &self.nodes[at as usize];
            parts.push(if node.wild { "*".to_owned() } else { escape(&node.name) });
            at = node.parent;
        }
        parts.iter().rev().fold(String::new(), |path, part| path + "/" + part)
    }

    fn entry(&self, id: u32) -> Entry {
        let node = &self.nodes[id as usize];
        let path = self.path(id);
        let shown = if path.is_empty() { "(root)".to_owned() } else { clean::line(path.as_bytes()).into_owned() };
        let mut text = format!("{}  {}", cut::middle(&shown, 160), self.describe(id));
        let mut fields = Map::new();
        fields.insert("path".into(), path.into());
        if let Some(parent) = self.nodes.get(node.parent as usize)
            && !node.wild
            && parent.objects.count > node.present
        {
            text.push_str(&format!("; in {} of {}", thousands(node.present), thousands(parent.objects.count)));
            if !node.first.is_empty() && node.first.len() <= 80 {
                text.push_str(&format!(", first {}", clean::line(node.first.as_bytes())));
            }
            fields.insert("in".into(), node.present.into());
            fields.insert("of".into(), parent.objects.count.into());
        }
        fields.insert("count".into(), node.seen.into());
        fields.insert("types".into(), self.types(id));
        if !node.first.is_empty() {
            fields.insert("pointer".into(), node.first.clone().into());
        }
        fields.insert("offset".into(), node.first_offset.into());
        for (name, lengths) in [("items", node.arrays), ("keys", node.objects)] {
            if lengths.count > 0 {
                let told = json!({"min": lengths.least, "max": lengths.most, "total": lengths.total});
                fields.insert(name.into(), told);
            }
        }
        self.values_json(id, &mut fields);
        if node.items != NONE && !self.tells(node.items) {
            let mut item = Map::new();
            item.insert("types".into(), self.types(node.items));
            self.values_json(node.items, &mut item);
            fields.insert("item".into(), Value::Object(item));
        }
        Entry { line: Some(node.first_line), text, fields }
    }

    fn values_json(&self, id: u32, fields: &mut Map<String, Value>) {
        let node = &self.nodes[id as usize];
        if let Some(numbers) = &node.numbers {
            numbers.json(fields);
        }
        if let Some(strings) = &node.strings {
            strings.json(fields);
        }
    }

    fn types(&self, id: u32) -> Value {
        let node = &self.nodes[id as usize];
        let mut types = Map::new();
        let strings = node.strings.as_ref().map_or(0, |s| s.count);
        let numbers = node.numbers.as_ref().map_or(0, |n| n.count);
        let noun = node.numbers.as_ref().map_or("number", |n| n.noun());
        let bools = node.truths[0] + node.truths[1];
        for (name, n) in [
            ("object", node.objects.count),
            ("array", node.arrays.count),
            ("string", strings),
            (noun, numbers),
            ("bool", bools),
            ("null", node.nulls),
        ] {
            if n > 0 {
                types.insert(name.into(), n.into());
            }
        }
        Value::Object(types)
    }

    /// Returns what was found at a path: `string: "ok" 2,000, "failed" 1,000`.
    fn describe(&self, id: u32) -> String {
        let node = &self.nodes[id as usize];
        let places = self.places(id);
        let mut parts = Vec::new();
        let mut kinds = 0;
        let mut part = |n: u64, text: String| {
            if n > 0 {
                kinds += 1;
                parts.push((n, text));
            }
        };
        part(node.objects.count, self.describe_objects(id));
        part(node.arrays.count, self.describe_arrays(id));
        if let Some(strings) = &node.strings {
            part(strings.count, format!("string{}", strings.text(&places)));
        }
        if let Some(numbers) = &node.numbers {
            part(numbers.count, format!("{}{}", numbers.noun(), numbers.text(&places)));
        }
        let bools = node.truths[0] + node.truths[1];
        let told = match node.truths {
            [_, 0] if bools > 1 => "bool: always false".to_owned(),
            [0, _] if bools > 1 => "bool: always true".to_owned(),
            [no, yes] if bools > 1 => format!("bool: true ×{}, false ×{}", thousands(yes), thousands(no)),
            [no, _] => (if no > 0 { "false" } else { "true" }).to_owned(),
        };
        part(bools, told);
        part(node.nulls, "null".to_owned());
        if kinds == 1 {
            return parts.remove(0).1;
        }
        // What is several says how many itself.
        let told = [node.objects.count, node.arrays.count];
        let each = parts.into_iter().map(|(n, text)| match text.starts_with(|c: char| c.is_ascii_digit()) {
            true if told.contains(&n) => text,
            _ => format!("{}× {text}", thousands(n)),
        });
        let each: Vec<String> = each.collect();
        if each.is_empty() { "object or array".to_owned() } else { each.join(" | ") }
    }

    /// Returns how the places of values at a path are told.
    fn places(&self, id: u32) -> Places {
        let path = self.path(id);
        let mut array = None;
        let mut at = id;
        while at != NONE {
            let parent = self.nodes[at as usize].parent;
            if self.nodes.get(parent as usize).is_some_and(|p| p.items == at) {
                array = Some(parent);
            }
            at = parent;
        }
        // Below a map a pointer would not say which member.
        let array = array.map(|array| self.path(array) + "/").filter(|array| !array.contains('*') && path.len() < 400);
        Places { lines: self.last_line > 2, array }
    }

    fn describe_objects(&self, id: u32) -> String {
        let node = &self.nodes[id as usize];
        let keys = format!("{} {}", node.objects.range(), if node.objects.most == 1 { "key" } else { "keys" });
        let map = if node.members == NONE {
            String::new()
        } else {
            let names: Vec<String> =
                node.named.iter().map(|name| cut::start(&clean::line(name.as_bytes()), 40).into_owned()).collect();
            let more = if node.folded as usize > names.len() || node.folded as usize >= FOLD { ", …" } else { "" };
            format!(" (a map, shown as *: {}{more})", names.join(", "))
        };
        match node.objects.count {
            1 => format!("object with {keys}{map}"),
            n => format!("{} with {keys} each{map}", count(n, "object")),
        }
    }

    fn describe_arrays(&self, id: u32) -> String {
        let node = &self.nodes[id as usize];
        let items = self.nodes.get(node.items as usize);
        let places = self.places(id);
        let lines = places.lines;
        let array = if node.arrays.count == 1 { Some(self.path(id) + "/") } else { places.array };
        let places = Places { lines, array: array.filter(|array| !array.contains('*')) };
        let (mut what, mut told) = ("item", String::new());
        if let Some(items) = items.filter(|_| node.arrays.total > 0) {
            match (&items.strings, &items.numbers) {
                _ if items.seen == items.objects.count => what = "object",
                _ if items.seen == items.arrays.count => what = "array",
                (Some(strings), _) if items.seen == strings.count => (what, told) = ("string", strings.text(&places)),
                (_, Some(numbers)) if items.seen == numbers.count => {
                    (what, told) = (numbers.noun(), numbers.text(&places));
                    if told.starts_with(' ') {
                        told.insert(0, ':');
                    }
                }
                _ if items.seen == items.nulls => what = "null",
                _ if items.seen == items.truths[0] + items.truths[1] => what = "bool",
                _ => {}
            }
        }
        match node.arrays.count {
            1 => format!("array of {}{told}", count(node.arrays.total, what)),
            n if node.arrays.least == node.arrays.most => {
                format!("{} of {} each{told}", count(n, "array"), count(node.arrays.most, what))
            }
            n => {
                let (arrays, all) = (count(n, "array"), thousands(node.arrays.total));
                format!("{arrays} of {} {what}s, {all} in all{told}", node.arrays.range())
            }
        }
    }

    /// Returns what was left out and what is odd.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.duplicates > 0 {
            let what = count(self.duplicates, "key");
            notes.push(format!("{what} repeated in one object (first line {}); all are counted", self.duplicate_line));
        }
        if self.too_deep > 0 {
            let what = count(self.too_deep, "value");
            notes.push(format!("below {LEVELS} levels nothing is broken down: {what} there"));
        }
        if self.too_many > 0 {
            let what = count(self.too_many, "value");
            notes.push(format!("past {} paths nothing is broken down: {what}", thousands(NODES as u64)));
        }
        notes
    }
}

/// Escapes a key as a step of a JSON pointer.
fn escape(name: &str) -> String {
    if name.contains(['~', '/']) { name.replace('~', "~0").replace('/', "~1") } else { name.to_owned() }
}
