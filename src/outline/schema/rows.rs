//! The rows of a shape: one a path, the outer ones first.

use serde_json::{Map, Value, json};

use super::{FOLD, LEVELS, NODES, NONE, Shape, escape};
use crate::outline::values::Places;
use crate::outline::{Entry, MAX_ENTRIES};
use crate::text::show::{count, thousands};
use crate::text::{clean, cut};

impl Shape {
    /// Returns what the whole is, e.g. `array of 3,000 objects`.
    pub(in crate::outline) fn head(&self) -> String {
        if self.nodes[0].seen == 0 { "no JSON value".to_owned() } else { self.describe(0) }
    }

    /// Returns one row a path, the outer ones first.
    pub(in crate::outline) fn entries(&mut self) -> Vec<Entry> {
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
        crate::order::by_key(&mut rows, |&(level, _)| level);
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
        let told = parent.is_some_and(|parent| {
            (parent.items == id && parent.seen == parent.arrays.count)
                || (parent.members == id && node.objects.count == node.seen)
        });
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
    pub(in crate::outline) fn notes(&self) -> Vec<String> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::json::Tokens;
    use proptest::prelude::*;

    fn outline(text: &str) -> (String, Vec<String>, Vec<String>) {
        let outline = crate::outline::json::outline(text.as_bytes()).unwrap();
        (outline.head, outline.entries.iter().map(|e| e.text.clone()).collect(), outline.notes)
    }

    #[test]
    fn every_path_is_told_with_its_types_ranges_and_values() {
        let items: Vec<String> = (0..3000)
            .map(|k| {
                let status = if k % 3 == 0 { "failed" } else { "ok" };
                let late = if k >= 1200 { ", \"refund\": null" } else { "" };
                format!(
                    "{{\"id\": {k}, \"status\": \"{status}\", \"ms\": {}, \"tags\": [\"a\"]{late}}}",
                    f64::from(k) / 4.0
                )
            })
            .collect();
        let (head, rows, notes) = outline(&format!("{{\"items\": [{}], \"next\": null}}", items.join(",")));
        assert_eq!(head, "object with 2 keys");
        assert_eq!(
            rows,
            [
                "(root)  object with 2 keys",
                "/items  array of 3,000 objects",
                "/next  null",
                "/items/*/id  integer 0 to 2999 (at /items/2999), mean 1499.5",
                "/items/*/status  string: \"ok\" ×2,000, \"failed\" ×1,000 (first at /items/0)",
                "/items/*/ms  number 0 to 749.75 (at /items/2999), mean 374.875",
                "/items/*/tags  3,000 arrays of 1 string each: always \"a\"",
                "/items/*/refund  null; in 1,800 of 3,000, first /items/1200/refund",
            ]
        );
        assert_eq!(notes, Vec::<String>::new());
    }

    #[test]
    fn fields_are_told_for_programs_too() {
        let text = "[{\"n\": 12345678901234567890123},\n{\"n\": 1.10, \"s\": \"x\"}]";
        let outline = crate::outline::json::outline(text.as_bytes()).unwrap();
        let row = &outline.entries[1];
        assert_eq!(row.line, Some(0));
        assert_eq!(row.fields["path"], "/*/n");
        assert_eq!(row.fields["pointer"], "/0/n");
        assert_eq!(row.fields["max"].to_string(), "12345678901234567890123");
        assert_eq!(row.fields["min"].to_string(), "1.10");
        assert_eq!(row.fields["types"].to_string(), "{\"number\":2}");
        let row = &outline.entries[2];
        assert_eq!(
            (row.line, &row.fields["in"].to_string()[..], &row.fields["of"].to_string()[..]),
            (Some(1), "1", "2")
        );
    }

    #[test]
    fn maps_of_many_keys_are_one_path() {
        let members: Vec<String> =
            (0..5000).map(|k| format!("\"key{k}\": {{\"version\": \"1.{k}\", \"dev\": {}}}", k % 2 == 0)).collect();
        let (_, rows, _) = outline(&format!("{{\"packages\": {{{}}}}}", members.join(",")));
        assert_eq!(rows.len(), 4, "{rows:#?}");
        assert!(
            rows[1].starts_with("/packages  object with 5,000 keys (a map, shown as *: key0, key1, "),
            "{}",
            rows[1]
        );
        assert_eq!(rows[2], "/packages/*/version  string, 3-6 chars, e.g. \"1.0\"");
        assert_eq!(rows[3], "/packages/*/dev  bool: true ×2,500, false ×2,500");
    }

    #[test]
    fn what_is_odd_is_noted_and_does_no_harm() {
        let (_, rows, notes) =
            outline("\u{feff}{\"a\": NaN, \"a\": 2, \"b\": [1, \"x\", null, true, [], {}]} trailing");
        assert_eq!(rows[1], "/a  number 2, 1 NaN, infinite or too long");
        assert_eq!(rows[2], "/b  array of 6 items");
        assert_eq!(
            rows[3],
            "/b/*  1× object with 0 keys | 1× array of 0 items | 1× string: \"x\" | 1× integer 1 | 1× true | 1× null"
        );
        assert_eq!(
            notes,
            [
                "more text after the value, from line 0, byte 57: trailing",
                "1 key repeated in one object (first line 0); all are counted",
                "1 number written NaN or Infinity, which JSON does not have",
            ]
        );
        let (head, _, notes) = outline("[{\"a\": 1}, {\"a\": ");
        assert_eq!(head, "array of 2 objects");
        assert_eq!(
            notes[0],
            "reading stopped: the text ends with 2 levels open (line 0, byte 17); what stands before is shown"
        );
        assert_eq!(outline("").0, "no JSON value");
    }

    #[test]
    fn any_depth_and_any_number_of_paths_is_bounded() {
        let (_, rows, notes) = outline(&("[".repeat(100_000) + &"]".repeat(100_000)));
        assert!(rows.len() <= LEVELS && notes.iter().any(|n| n.contains("nested 100,000 levels deep")), "{notes:?}");
        let (_, rows, notes) = outline(&("{\"a\":".repeat(100_000) + "1" + &"}".repeat(100_000)));
        assert!(rows.len() <= LEVELS + 1 && notes.iter().any(|n| n.starts_with("below 48 levels")), "{notes:?}");
        // Every object has keys of its own.
        let items: Vec<String> =
            (0..20_000).map(|k| format!("{{\"k{k}\": {{\"m{}\": [{{\"n{k}\": 1}}]}}}}", k % 7)).collect();
        let text = format!("[{}]", items.join(","));
        let mut shape = Shape::default();
        let mut tokens = Tokens::new(text.as_bytes());
        while let Some(token) = tokens.next_token().unwrap() {
            shape.token(&token);
        }
        shape.close();
        assert!(shape.nodes.len() < 3000, "{}", shape.nodes.len());
        assert!(shape.entries().len() <= MAX_ENTRIES);
    }

    #[test]
    fn records_merge_into_one_shape() {
        let text = "{\"level\": \"info\", \"n\": 1}\n\n{\"level\": \"error\", \"n\": 2, \"why\": \"disk full\"}\n{\"level\": \noops\n{\"level\": \"info\", \"n\": 3}\n";
        let outline = crate::outline::ndjson::outline(text.as_bytes()).unwrap();
        assert_eq!(outline.head, "3 records, 2 lines that are not JSON");
        let rows: Vec<&str> = outline.entries.iter().map(|e| e.text.as_str()).collect();
        assert_eq!(
            rows,
            [
                "(records)  3 records; /N is record N, from 0",
                "/*/level  string: \"info\" ×2, \"error\" ×1 (first line 2)",
                "/*/n  integer 1 to 3, mean 2",
                "/*/why  string: \"disk full\"; in 1 of 3, first /1/why",
            ]
        );
        assert_eq!(outline.entries[3].line, Some(2));
        assert_eq!(
            outline.notes,
            ["2 lines not JSON, left out: 3, 4 (the first: the text ends with 1 level open (line 3, byte 84))"]
        );
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[\\[\\]{}:,\"abc01\\\\u \n]{0,200}") {
            outline(&text);
            crate::outline::ndjson::outline(text.as_bytes()).unwrap();
        }

        #[test]
        fn folding_loses_no_value(keys in proptest::collection::vec((0..900u32, 0..4u8), 0..1500)) {
            let members: Vec<String> = keys.iter().map(|(k, n)| format!("{{\"{k}\": {{\"v\": [{n}, {{\"w\": \"{n}\"}}]}}}}")).collect();
            let text = format!("[{}]", members.join(","));
            let mut shape = Shape::default();
            let mut tokens = Tokens::new(text.as_bytes());
            while let Some(token) = tokens.next_token().unwrap() {
                shape.token(&token);
            }
            shape.close();
            shape.entries();
            let live = |id: &u32| !shape.free.contains(id);
            let count = |f: &dyn Fn(&super::super::Node) -> u64| (0..shape.nodes.len() as u32).filter(live).map(|id| f(&shape.nodes[id as usize])).sum::<u64>();
            prop_assert_eq!(count(&|n| n.numbers.as_ref().map_or(0, |n| n.count)), keys.len() as u64);
            prop_assert_eq!(count(&|n| n.strings.as_ref().map_or(0, |n| n.count)), keys.len() as u64);
        }
    }
}
