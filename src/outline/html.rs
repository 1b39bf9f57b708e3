//! The map of an HTML page: title, headings, tables, forms.
//!
//! The tokenizer reads what browsers read; tags that do not end or do not match do no harm, because nothing here
//! waits for an end. Every buffer is capped, so a page of one endless attribute costs no memory.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use html5gum::{Emitter, Error, Reader, State, Tokenizer, naive_next_state};

use crate::text::lines::BLOCK;
use crate::text::show::{count, thousands};
use crate::text::{clean, cut};

use super::{Entry, Levels, Outline, ROW_CHARS};

/// The longest name of a tag or an attribute that is told from others, in bytes.
const NAME: usize = 64;
/// How much of an attribute's value, and of a heading's text, is kept, in bytes.
const VALUE: usize = 512;
/// How many tables within tables, and how many header cells, are followed.
const TABLES: usize = 16;
const CELLS: usize = 12;
/// How many fields of a form are named.
const FIELDS: usize = 12;
/// Headings have levels 1 to 6; tables and forms stand below them all.
const BELOW: u8 = 7;

/// Returns the map of an HTML page.
///
/// Entries carry `kind`: `title`; `heading` with `level`; `table` with `rows`, `columns`; `form` with `fields`.
pub fn outline(text: impl Read) -> io::Result<Outline> {
    let place = Rc::new(Place::default());
    let reader = Source { input: text, buf: vec![0; BLOCK], start: 0, end: 0, run: 0, place: Rc::clone(&place) };
    // The one token of this tokenizer is the finished map.
    Tokenizer::new_with_emitter(reader, Page::new(place)).next().unwrap_or_else(|| Ok(Outline::default()))
}

/// Where the tokenizer is.
#[derive(Default)]
struct Place {
    /// The line, from 0.
    line: Cell<u64>,
    /// Something of that line was read.
    inside: Cell<bool>,
}

/// The bytes of the page.
struct Source<R> {
    input: R,
    buf: Vec<u8>,
    start: usize,
    end: usize,
    /// How many letters were read one by one in a row.
    run: usize,
    place: Rc<Place>,
}

impl<R: Read> Source<R> {
    /// Makes sure that `least` bytes are there, unless the text ends.
    fn fill(&mut self, least: usize) -> io::Result<()> {
        if self.end - self.start >= least {
            return Ok(());
        }
        self.buf.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        while self.end < least {
            match self.input.read(&mut self.buf[self.end..]) {
                Ok(0) => break,
                Ok(n) => self.end += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    fn took(&mut self, n: usize) {
        let taken = &self.buf[self.start..self.start + n];
        let lines = memchr::memchr_iter(b'\n', taken).count();
        self.place.line.set(self.place.line.get() + lines as u64);
        self.place.inside.set(taken.last() != Some(&b'\n'));
        self.start += n;
    }
}

impl<R: Read> Reader for Source<R> {
    type Error = io::Error;

    fn read_byte(&mut self) -> io::Result<Option<u8>> {
        self.fill(1)?;
        if self.start == self.end {
            return Ok(None);
        }
        let b = self.buf[self.start];
        // The tokenizer keeps a would-be end tag's name whole, however long: a blank ends it.
        self.run = if b.is_ascii_alphabetic() { self.run + 1 } else { 0 };
        if self.run > BLOCK {
            self.run = 0;
            return Ok(Some(b' '));
        }
        self.took(1);
        Ok(Some(b))
    }

    fn try_read_string(&mut self, s: &[u8], case_sensitive: bool) -> io::Result<bool> {
        self.fill(s.len())?;
        let here = &self.buf[self.start..self.end.min(self.start + s.len())];
        let same = here == s || !case_sensitive && here.eq_ignore_ascii_case(s);
        if same {
            self.took(s.len());
        }
        Ok(same)
    }

    fn read_until<'b>(&'b mut self, needle: &[u8], _: &'b mut [u8; 4]) -> io::Result<Option<&'b [u8]>> {
        self.fill(1)?;
        let here = &self.buf[self.start..self.end];
        if here.is_empty() {
            return Ok(None);
        }
        let n = match needle {
            [a, b, c] => memchr::memchr3(*a, *b, *c, here),
            [a, b, c, d] => {
                let n = memchr::memchr3(*a, *b, *c, here);
                memchr::memchr(*d, &here[..n.unwrap_or(here.len())]).or(n)
            }
            _ => here.iter().position(|b| needle.contains(b)),
        };
        let n = n.unwrap_or(here.len()).max(1);
        let from = self.start;
        self.took(n);
        Ok(Some(&self.buf[from..from + n]))
    }
}

/// A table that has not ended.
#[derive(Default)]
struct Table {
    line: u64,
    rows: u64,
    /// The cells of the row being read, and of the widest one.
    cells: u64,
    columns: u64,
    header: Vec<String>,
}

/// A form that has not ended.
#[derive(Default)]
struct Form {
    line: u64,
    action: String,
    method: String,
    fields: Vec<String>,
    count: u64,
}

/// What text is being kept for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    Nothing,
    Title(u64),
    Heading(u8, u64),
    Cell,
}

/// What was seen of the page.
struct Page {
    place: Rc<Place>,
    /// The tag being read.
    is_end: bool,
    name: Vec<u8>,
    last_start: Vec<u8>,
    tag_line: u64,
    attribute: Vec<u8>,
    value: Vec<u8>,
    /// The attributes that the map shows.
    attributes: Vec<(String, String)>,
    keep: Keep,
    text: Vec<u8>,
    title: Option<String>,
    rows: Levels,
    open_tables: Vec<Table>,
    /// Tables within too many tables.
    deeper: u64,
    form: Option<Form>,
    headings: u64,
    tables: u64,
    forms: u64,
    links: u64,
    scripts: u64,
    images: u64,
    /// The map, once the page has ended.
    map: Option<Outline>,
}

impl Page {
    fn new(place: Rc<Place>) -> Page {
        Page {
            place,
            is_end: false,
            name: Vec::new(),
            last_start: Vec::new(),
            tag_line: 0,
            attribute: Vec::new(),
            value: Vec::new(),
            attributes: Vec::new(),
            keep: Keep::Nothing,
            text: Vec::new(),
            title: None,
            rows: Levels::new(),
            open_tables: Vec::new(),
            deeper: 0,
            form: None,
            headings: 0,
            tables: 0,
            forms: 0,
            links: 0,
            scripts: 0,
            images: 0,
            map: None,
        }
    }

    /// Ends what text was kept for.
    fn close_text(&mut self) {
        let keep = std::mem::replace(&mut self.keep, Keep::Nothing);
        if keep == Keep::Nothing {
            return;
        }
        let text = shown(&self.text);
        self.text.clear();
        match keep {
            Keep::Title(line) if self.title.is_none() && !text.is_empty() => {
                self.rows.push(0, Entry::at(line, format!("title: {text}")).with("kind", "title"));
                self.title = Some(text);
            }
            Keep::Heading(level, line) if !text.is_empty() => {
                self.headings += 1;
                if self.rows.wants(level) {
                    let entry = Entry::at(line, format!("h{level} {text}"));
                    self.rows.push(level, entry.with("kind", "heading").with("level", level));
                }
            }
            Keep::Cell => {
                if let Some(table) = self.open_tables.last_mut().filter(|t| t.header.len() < CELLS) {
                    table.header.push(cut::start(&text, 24).into_owned());
                }
            }
            _ => {}
        }
    }

    fn start_tag(&mut self) {
        match &self.name[..] {
            b"title" if self.title.is_none() => {
                self.close_text();
                self.keep = Keep::Title(self.tag_line);
            }
            [b'h', level @ b'1'..=b'6'] => {
                let level = level - b'0';
                self.close_text();
                self.keep = Keep::Heading(level, self.tag_line);
            }
            b"table" => {
                self.close_text();
                self.tables += 1;
                if self.open_tables.len() < TABLES {
                    self.open_tables.push(Table { line: self.tag_line, ..Table::default() });
                } else {
                    self.deeper += 1;
                }
            }
            b"tr" => {
                if matches!(self.keep, Keep::Cell) {
                    self.close_text();
                }
                if let Some(table) = self.open_tables.last_mut() {
                    table.rows += 1;
                    table.cells = 0;
                }
            }
            b"td" | b"th" => {
                if matches!(self.keep, Keep::Cell) {
                    self.close_text();
                }
                if let Some(table) = self.open_tables.last_mut() {
                    table.cells += 1;
                    table.columns = table.columns.max(table.cells);
                    if table.rows <= 1 && self.keep == Keep::Nothing {
                        self.keep = Keep::Cell;
                    }
                }
            }
            b"form" => {
                self.close_form();
                self.forms += 1;
                let (action, method) = (self.attribute("action"), self.attribute("method").to_uppercase());
                self.form = Some(Form { line: self.tag_line, action, method, ..Form::default() });
            }
            b"input" | b"select" | b"textarea" | b"button" => {
                let (kind, name) = (self.attribute("type"), self.attribute("name"));
                let tag = String::from_utf8_lossy(&self.name).into_owned();
                if let Some(form) = &mut self.form
                    && kind != "hidden"
                {
                    form.count += 1;
                    if form.fields.len() < FIELDS {
                        let kind = if kind.is_empty() { tag } else { kind };
                        form.fields.push(if name.is_empty() {
                            format!("[{kind}]")
                        } else {
                            format!("{name} ({kind})")
                        });
                    }
                }
            }
            b"a" => self.links += u64::from(!self.attribute("href").is_empty()),
            b"script" => self.scripts += 1,
            b"img" => self.images += 1,
            // A block ends a heading that was never closed.
            b"p" | b"div" | b"section" | b"body" | b"ul" | b"ol"
                if matches!(self.keep, Keep::Heading(..)) && !self.text.trim_ascii().is_empty() =>
            {
                self.close_text();
            }
            b"br" => self.keep_text(b" "),
            _ => {}
        }
    }

    fn end_tag(&mut self) {
        match &self.name[..] {
            b"title" | b"head" => self.close_text(),
            [b'h', b'1'..=b'6'] if matches!(self.keep, Keep::Heading(..)) => self.close_text(),
            b"td" | b"th" | b"tr" if matches!(self.keep, Keep::Cell) => self.close_text(),
            b"table" => {
                self.close_text();
                if self.deeper > 0 {
                    self.deeper -= 1;
                } else {
                    self.close_table();
                }
            }
            b"form" => self.close_form(),
            _ => {}
        }
    }

    fn attribute(&self, name: &str) -> String {
        self.attributes.iter().find(|a| a.0 == name).map(|a| a.1.clone()).unwrap_or_default()
    }

    fn close_table(&mut self) {
        let Some(table) = self.open_tables.pop() else { return };
        let mut text = format!("table {} × {}", count(table.rows, "row"), count(table.columns, "column"));
        if table.header.iter().any(|cell| !cell.is_empty()) {
            text.push_str(&format!(": {}", table.header.join(" | ")));
        }
        let entry = Entry::at(table.line, cut::start(&text, ROW_CHARS)).with("kind", "table");
        self.rows.push(BELOW, entry.with("rows", table.rows).with("columns", table.columns));
    }

    fn close_form(&mut self) {
        let Some(form) = self.form.take() else { return };
        let method = if form.method.is_empty() { "GET" } else { &form.method };
        let mut text = format!("form {method} {}: {}", form.action, form.fields.join(", "));
        if form.count > form.fields.len() as u64 {
            text.push_str(&format!(" and {} more", form.count - form.fields.len() as u64));
        }
        let entry = Entry::at(form.line, cut::start(&text, ROW_CHARS)).with("kind", "form");
        self.rows.push(BELOW, entry.with("fields", form.count));
    }

    fn keep_text(&mut self, text: &[u8]) {
        if self.keep != Keep::Nothing {
            push(&mut self.text, text, VALUE);
        }
    }

    fn finish(&mut self) -> Outline {
        self.close_text();
        let mut notes = Vec::new();
        if !self.open_tables.is_empty() {
            notes.push(format!("{} not closed", count(self.open_tables.len() as u64, "table")));
        }
        while !self.open_tables.is_empty() {
            self.close_table();
        }
        self.close_form();
        let lines = self.place.line.get() + u64::from(self.place.inside.get());
        let mut head = format!("{}, {}", count(lines, "line"), count(self.headings, "heading"));
        for (n, noun) in [
            (self.tables, "table"),
            (self.forms, "form"),
            (self.links, "link"),
            (self.images, "image"),
            (self.scripts, "script"),
        ] {
            if n > 0 {
                head.push_str(&format!(", {}", count(n, noun)));
            }
        }
        if self.deeper > 0 {
            notes.push(format!("{} within {TABLES} others not shown", thousands(self.deeper)));
        }
        let mut rows = std::mem::replace(&mut self.rows, Levels::new());
        rows.in_order();
        let (entries, more) = rows.finish("row");
        notes.extend(more);
        Outline { head, entries, notes }
    }
}

fn push(to: &mut Vec<u8>, bytes: &[u8], cap: usize) {
    to.extend_from_slice(&bytes[..bytes.len().min(cap.saturating_sub(to.len()))]);
}

/// Returns kept text as it is shown: clean, on one line, without the marks that link a heading to itself.
fn shown(text: &[u8]) -> String {
    let text = clean::text(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    let text = text.trim_matches(|c| matches!(c, '§' | '¶' | ' '));
    cut::start(text, ROW_CHARS - 20).into_owned()
}

impl Emitter for Page {
    type Token = Outline;

    fn set_last_start_tag(&mut self, name: Option<&[u8]>) {
        self.last_start.clear();
        push(&mut self.last_start, name.unwrap_or_default(), NAME);
    }

    fn emit_eof(&mut self) {
        self.map = Some(self.finish());
    }

    fn emit_error(&mut self, _: Error) {}

    fn should_emit_errors(&mut self) -> bool {
        false
    }

    fn pop_token(&mut self) -> Option<Outline> {
        self.map.take()
    }

    fn emit_string(&mut self, text: &[u8]) {
        self.keep_text(text);
    }

    fn start_open_tag(&mut self) {
        self.tag_line = self.place.line.get();
    }

    fn init_start_tag(&mut self) {
        self.is_end = false;
        self.name.clear();
        self.attributes.clear();
        self.attribute.clear();
        self.value.clear();
    }

    fn init_end_tag(&mut self) {
        self.init_start_tag();
        self.is_end = true;
    }

    fn init_comment(&mut self) {}

    fn emit_current_tag(&mut self) -> Option<State> {
        self.flush_attribute();
        if self.is_end {
            self.end_tag();
            return None;
        }
        self.start_tag();
        self.last_start.clear();
        self.last_start.extend_from_slice(&self.name);
        naive_next_state(&self.name)
    }

    fn emit_current_comment(&mut self) {}

    fn emit_current_doctype(&mut self) {}

    fn set_self_closing(&mut self) {}

    fn set_force_quirks(&mut self) {}

    fn push_tag_name(&mut self, name: &[u8]) {
        push(&mut self.name, name, NAME);
    }

    fn push_comment(&mut self, _: &[u8]) {}

    fn push_doctype_name(&mut self, _: &[u8]) {}

    fn init_doctype(&mut self) {}

    fn init_attribute(&mut self) {
        self.flush_attribute();
    }

    fn push_attribute_name(&mut self, name: &[u8]) {
        push(&mut self.attribute, name, NAME);
    }

    fn push_attribute_value(&mut self, value: &[u8]) {
        push(&mut self.value, value, VALUE);
    }

    fn set_doctype_public_identifier(&mut self, _: &[u8]) {}

    fn set_doctype_system_identifier(&mut self, _: &[u8]) {}

    fn push_doctype_public_identifier(&mut self, _: &[u8]) {}

    fn push_doctype_system_identifier(&mut self, _: &[u8]) {}

    fn current_is_appropriate_end_tag_token(&mut self) -> bool {
        self.is_end && !self.last_start.is_empty() && self.name == self.last_start
    }
}

impl Page {
    /// Keeps the attribute that was read if the map shows it.
    fn flush_attribute(&mut self) {
        if matches!(&self.attribute[..], b"action" | b"method" | b"type" | b"name" | b"href")
            && self.attributes.len() < 8
        {
            let value = cut::start(&clean::line(&self.value), 60).into_owned();
            self.attributes.push((String::from_utf8_lossy(&self.attribute).into_owned(), value));
        }
        self.attribute.clear();
        self.value.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::super::rendered;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_page_shows_title_headings_tables_and_forms() {
        let page = "<!DOCTYPE html>\n<html><head><title>Shop &amp; more\n</title><script>'<h1>no</h1>'</script></head>\n<body>\n\
            <h1>Welcome <b>to</b>\r\n the shop</h1>\n<!-- <h2>hidden</h2> -->\n<h2 id=x>Prices<a href=#x>§</a></h2>\n\
            <table>\n<tr><th>Name<th>Price</tr>\n<tr><td>A</td><td>1</td></tr>\n</table>\n\
            <form action=\"/order\" method=post><input name=qty type=number><select name='size'><input type=hidden name=t><button>Go</button></form>\n\
            <h2>Unclosed\n<p>text <a href=\"/\">home</a>\n";
        assert_eq!(
            rendered(&outline(page.as_bytes()).unwrap()),
            "15 lines, 3 headings, 1 table, 1 form, 2 links, 1 script\n\
             1:title: Shop & more\n4:h1 Welcome to the shop\n7:h2 Prices\n8:table 2 rows × 2 columns: Name | Price\n\
             12:form POST /order: qty (number), size (select), [button]\n13:h2 Unclosed\n"
        );
    }

    #[test]
    fn hostile_pages_are_mapped_too() {
        let deep = "<table>".repeat(100_000);
        let map = outline(deep.as_bytes()).unwrap();
        assert!(map.head.contains("100,000 tables"), "{}", map.head);
        assert!(map.notes.iter().any(|n| n == "16 tables not closed"), "{:?}", map.notes);
        for page in [
            format!("<title></{}", "a".repeat(3 << 20)),
            format!("<h1 {}", "a".repeat(1 << 20)),
            format!("<h1 a=\"{}", "b".repeat(1 << 20)),
            format!("<{}>", "x".repeat(1 << 20)),
            "&".repeat(100_000),
            "<h1>".repeat(100_000),
        ] {
            outline(page.as_bytes()).unwrap();
        }
    }

    proptest! {
        #[test]
        fn any_text_has_a_map(parts in proptest::collection::vec(prop_oneof![
            Just("<h1>"), Just("</h1>"), Just("<table><tr><td>"), Just("</table>"), Just("<form action='x'"), Just(">"), Just("\n"),
            Just("&amp"), Just("é"), Just("<!--"), Just("-->"), Just("<script>"), Just("\r\n"), Just("</")], 0..60)) {
            let text = parts.concat();
            let map = outline(text.as_bytes()).unwrap();
            let lines = text.matches('\n').count() as u64 + 1;
            prop_assert!(map.entries.iter().all(|e| e.line.is_none_or(|l| l < lines)));
        }
    }
}
