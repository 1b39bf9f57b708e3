//! The outline of CSV and TSV: each column with its types, its empty fields, its range or its values.

use std::collections::HashSet;
use std::io::{self, Read};

use serde_json::{Map, Value};

use super::values::{Numbers, Place, Places, Strings, is_date, is_number};
use super::{Entry, MAX_ENTRIES, Outline};
use crate::text::show::{count, thousands};
use crate::text::table::{FIELDS, Row, Rows};
use crate::text::{clean, cut};

/// How many different row widths are told apart.
const WIDTHS: usize = 8;
/// How many lines of odd rows are named.
const NAMED: usize = 12;
/// A quoted field over more lines than this is suspected to lack its closing quote.
const SUSPECT: u64 = 200;

#[derive(Default)]
struct Column {
    empty: u64,
    first_empty: u64,
    numbers: Numbers,
    strings: Strings,
}

impl Column {
    fn add(&mut self, field: &[u8], chars: u64, at: Place) {
        let value = field.trim_ascii();
        if value.is_empty() {
            if self.empty == 0 {
                self.first_empty = at.line;
            }
            self.empty += 1;
        } else if is_number(value) {
            self.numbers.add(value, chars as usize == field.len(), at);
        } else {
            self.strings.add(value, chars, at);
        }
    }
}

/// Rows of one width.
struct Width {
    fields: u64,
    rows: u64,
    lines: Vec<u64>,
}

/// Returns the outline of a table, in one pass.
pub fn outline(text: impl Read, delimiter: u8) -> io::Result<Outline> {
    let mut rows = Rows::new(text, delimiter);
    let (mut first, mut row) = (Row::default(), Row::default());
    if !rows.next_row(&mut first)? {
        return Ok(Outline { head: "no rows".to_owned(), ..Outline::default() });
    }
    let mut columns: Vec<Column> = Vec::new();
    let mut widths: Vec<Width> = Vec::new();
    let (mut records, mut longest, mut notes) = (0u64, (0, 0), Vec::new());
    see_width(&mut widths, &first);
    while rows.next_row(&mut row)? {
        records += 1;
        see_width(&mut widths, &row);
        longest = longest.max((row.last_line - row.line, row.line));
        see(&mut columns, &row, records - 1);
    }
    columns.resize_with(columns.len().max(first.iter().count()), Column::default);
    let header = is_header(&first, &columns);
    if !header {
        records += 1;
        see(&mut columns, &first, 0);
    }
    let usual = widths.iter().max_by_key(|w| w.rows).map_or(0, |w| w.fields);
    for width in widths.iter().filter(|w| w.fields != usual) {
        let more = if width.rows as usize > width.lines.len() { ", …" } else { "" };
        let lines: Vec<String> = width.lines.iter().map(u64::to_string).collect();
        let (rows, fields) = (count(width.rows, "row"), count(width.fields, "field"));
        let noun = if width.rows == 1 { "line" } else { "lines" };
        notes.push(format!("{rows} with {fields} instead of {usual} ({noun} {}{more})", lines.join(", ")));
    }
    if widths.len() == WIDTHS {
        notes.push("rows of yet other widths are not listed".to_owned());
    }
    if longest.0 > SUSPECT {
        let lines = thousands(longest.0 + 1);
        notes.push(format!("the row at line {} goes over {lines} lines: a closing quote may be missing", longest.1));
    }
    if usual as usize > FIELDS {
        notes.push(format!("only the first {FIELDS} of {} are described", count(usual, "column")));
    }
    let names: Vec<String> = first.iter().map(|(name, _)| clean::line(name.trim_ascii()).into_owned()).collect();
    let entry = |(k, column): (usize, &Column)| {
        let name = names.get(k).filter(|name| header && !name.is_empty());
        describe(k, name.map(String::as_str), column, first.line, records)
    };
    let entries = columns.iter().enumerate().take(MAX_ENTRIES).map(entry).collect();
    let heading = match header {
        true => format!("header on line {}", first.line),
        false => "no header".to_owned(),
    };
    let head = format!("{}, {}, {heading}", count(records, "row"), count(columns.len() as u64, "column"));
    Ok(Outline { head, entries, notes })
}

fn see(columns: &mut Vec<Column>, row: &Row, index: u64) {
    for (k, (field, chars)) in row.iter().enumerate() {
        if k == columns.len() {
            columns.push(Column::default());
        }
        columns[k].add(field, chars, Place { index, line: row.line });
    }
}

fn see_width(widths: &mut Vec<Width>, row: &Row) {
    match widths.iter().position(|w| w.fields == row.fields) {
        Some(k) => {
            widths[k].rows += 1;
            if widths[k].lines.len() < NAMED {
                widths[k].lines.push(row.line);
            }
        }
        None if widths.len() < WIDTHS => widths.push(Width { fields: row.fields, rows: 1, lines: vec![row.line] }),
        None => {}
    }
}

/// Whether the first row names the columns: words, all different, and none is a value of its column.
fn is_header(first: &Row, columns: &[Column]) -> bool {
    let mut seen = HashSet::new();
    let mut filled = 0;
    for ((field, chars), column) in first.iter().zip(columns) {
        let value = field.trim_ascii();
        if value.is_empty() {
            continue;
        }
        filled += 1;
        if is_number(value) || is_date(value) || chars > 100 || !seen.insert(value) || column.strings.knows(value) {
            return false;
        }
    }
    filled * 2 > first.fields
}

fn describe(k: usize, name: Option<&str>, column: &Column, line: u64, records: u64) -> Entry {
    let places = Places { lines: true, array: None };
    let mut fields = Map::new();
    let mut types = Map::new();
    let mut parts = Vec::new();
    let (numbers, strings) = (column.numbers.count, column.strings.count);
    if numbers > 0 {
        types.insert(column.numbers.noun().into(), numbers.into());
        parts.push((numbers, format!("{}{}", column.numbers.noun(), column.numbers.text(&places))));
        column.numbers.json(&mut fields);
    }
    if strings > 0 {
        types.insert("string".into(), strings.into());
        parts.push((strings, format!("string{}", column.strings.text(&places))));
        column.strings.json(&mut fields);
    }
    // What is more comes first.
    crate::order::by_key(&mut parts, |part| std::cmp::Reverse(part.0));
    let many = parts.len() > 1;
    let mut told: Vec<String> =
        parts.into_iter().map(|(n, text)| if many { format!("{}× {text}", thousands(n)) } else { text }).collect();
    if told.is_empty() {
        told.push("nothing".to_owned());
    }
    let missing = records.saturating_sub(numbers + strings + column.empty);
    let mut text = told.join(" | ");
    if column.empty > 0 {
        text.push_str(&format!("; {} empty (first line {})", thousands(column.empty), column.first_empty));
    }
    if missing > 0 && missing < records {
        text.push_str(&format!("; missing in {}", count(missing, "row")));
    }
    let shown = match name {
        Some(name) => cut::middle(name, 80).into_owned(),
        None => format!("column {}", k + 1),
    };
    fields.insert("column".into(), (k as u64 + 1).into());
    fields.insert("name".into(), name.map_or(Value::Null, Into::into));
    fields.insert("types".into(), Value::Object(types));
    fields.insert("empty".into(), column.empty.into());
    fields.insert("count".into(), (numbers + strings).into());
    Entry { line: Some(line), text: format!("{shown}  {text}"), fields }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;

    fn lines(text: &str, delimiter: u8) -> (String, Vec<String>, Vec<String>) {
        let outline = outline(text.as_bytes(), delimiter).unwrap();
        (outline.head, outline.entries.into_iter().map(|e| e.text).collect(), outline.notes)
    }

    #[test]
    fn columns_are_told_by_what_is_in_them() {
        let mut text = "time,code,ms,note\n".to_owned();
        for k in 0..100 {
            let (code, note) = (if k == 70 { 500 } else { 200 }, if k % 10 == 0 { "\"a\nb\"" } else { "" });
            let _ = writeln!(text, "2026-01-02T03:{:02}:00Z,{code},{}.5,{note}", k % 60, k);
        }
        let (head, rows, notes) = lines(&text, b',');
        assert_eq!(head, "100 rows, 4 columns, header on line 0");
        assert_eq!(
            rows,
            [
                "time  string: 2026-01-02T03:00:00Z to 2026-01-02T03:59:00Z",
                "code  integer: 200 ×99, 500 ×1",
                "ms  number 0.5 to 99.5 (line 110), mean 50",
                "note  string: always \"a␊b\"; 90 empty (first line 3)",
            ]
        );
        assert_eq!(notes, Vec::<String>::new());
    }

    #[test]
    fn rows_of_another_width_are_named() {
        let (head, rows, notes) = lines("a\tb\n1\t2\n3\n4\t5\t6\n7\t8\n", b'\t');
        assert_eq!(head, "4 rows, 3 columns, header on line 0");
        assert_eq!(rows[1], "b  integer 2 to 8 (line 4), mean 5; missing in 1 row".replace(" (line 4)", ""));
        assert_eq!(notes, ["1 row with 1 field instead of 2 (line 2)", "1 row with 3 fields instead of 2 (line 3)"]);
    }

    #[test]
    fn a_first_row_of_values_is_no_header() {
        let (head, rows, _) = lines("1,x\n2,y\n3,x\n", b',');
        assert_eq!(head, "3 rows, 2 columns, no header");
        assert_eq!(rows, ["column 1  integer 1 to 3, mean 2", "column 2  string: \"x\" ×2, \"y\" ×1"]);
        assert!(lines("ok,red\nok,blue\nbad,red\n", b',').0.ends_with("no header"));
        assert_eq!(lines("", b',').0, "no rows");
    }
}
