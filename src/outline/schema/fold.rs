//! Folding: members under many different names become one path.

use std::collections::HashMap;

use super::{FOLD, NAMED, NONE, Shape};

/// How many similar objects under different keys are shown as one path.
const ALIKE: usize = 8;

impl Shape {
    /// Counts all members of the objects at a path as one.
    pub(super) fn fold(&mut self, id: u32) {
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

    /// Adds what was found at `from` to `into` and frees it. Recursive: paths have at most [`super::LEVELS`] levels.
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
    pub(super) fn fold_maps(&mut self, id: u32) {
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
}
