//! Whether a text is a table: records with the same number of fields.

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use super::{Kind, Sample};

/// How many records are looked at.
const RECORDS: usize = 200;

/// Tells [`Kind::Csv`] and [`Kind::Tsv`]; `None` for what is neither.
pub(super) fn detect(sample: &Sample<'_>) -> Option<Kind> {
    let head = super::without_mark(sample.head);
    [(b'\t', Kind::Tsv), (b',', Kind::Csv), (b';', Kind::Csv), (b'|', Kind::Csv)]
        .into_iter()
        .find(|(delimiter, _)| table(head, *delimiter))
        .map(|(_, kind)| kind)
}

fn table(text: &[u8], delimiter: u8) -> bool {
    let first_line = &text[..memchr::memchr(b'\n', text).unwrap_or(text.len())];
    if !first_line.contains(&delimiter) {
        return false;
    }
    let records = read(ReaderBuilder::new().delimiter(delimiter).build(), text);
    let Some((header, rows)) = records.split_first() else { return false };
    if rows.len() < 2 || header.len() < 2 {
        return false;
    }
    let same = rows.iter().filter(|row| row.len() == header.len()).count();
    if same * 20 < rows.len() * 19 {
        return false;
    }
    let field_ok = |f: &String| !f.starts_with([' ', '\t']) && !f.ends_with([':', ' ']) && f.len() <= 80;
    let names = header.iter().all(|f| field_ok(f) && !f.is_empty() && !number(f) && !stamped(f));
    let distinct = header.iter().enumerate().all(|(k, f)| !header[..k].contains(f));
    // What most rows begin with, too, is a word of the output, not the name of a column.
    let repeated = rows.iter().filter(|row| row.first() == header.first()).count() * 2 > rows.len();
    if names && distinct && !repeated {
        // A list of words is no header: prose with one comma a line would pass for two columns.
        return header.len() > 2 || rows.len() >= 4 && header.iter().all(|f| f.split(' ').count() <= 3);
    }
    // Without a header: every column of one type, one of them of numbers, and none that a log would have.
    let columns = header.len();
    let numeric = (0..columns).filter(|&k| rows.iter().filter(|r| r.len() == columns).all(|r| number(&r[k]))).count();
    columns >= 3
        && rows.len() >= 4
        && numeric > 0
        && header.iter().all(|f| field_ok(f) && !f.contains(": "))
        && !header[columns - 1].is_empty()
}

fn number(field: &str) -> bool {
    !field.is_empty() && field.parse::<f64>().is_ok()
}

/// Whether a field holds a time of day: the start of a log line, not a column's name.
fn stamped(field: &str) -> bool {
    field
        .as_bytes()
        .windows(5)
        .any(|w| w[0].is_ascii_digit() && w[2] == b':' && w[3].is_ascii_digit() && w[4].is_ascii_digit())
}

/// Reads the first records that end in a line break: one that the sample cuts is left out.
fn read(mut reader: Reader, mut text: &[u8]) -> Vec<Vec<String>> {
    let mut records = Vec::new();
    let (mut fields, mut ends) = (vec![0; text.len() + 1], vec![0; 1024]);
    while records.len() <= RECORDS {
        let (ReadRecordResult::Record, used, _, ended) = reader.read_record(text, &mut fields, &mut ends) else {
            break;
        };
        text = &text[used..];
        let mut from = 0;
        let record = ends[..ended].iter().map(|&end| {
            let field = String::from_utf8_lossy(&fields[from..end]).into_owned();
            from = end;
            field
        });
        records.push(record.collect());
    }
    records
}
