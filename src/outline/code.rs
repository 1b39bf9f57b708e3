//! The map of source code: its definitions, nested by indentation.
//!
//! The rules are those of [`super::languages`]. Code without line breaks gets windows by bytes; a database dump gets its tables
//! with the number of their rows.

use std::io::{self, Read};

use crate::text::lines::{Blocks, Line};
use crate::text::show::{count, thousands};
use crate::text::{clean, cut};

use super::languages::{ANY, Language, definition, guess};
use super::{Entry, LINE_BYTES, Levels, Outline, ROW_CHARS, row};

/// How much of the text decides the language, in bytes.
const GUESS: usize = 64 << 10;
/// From how many bytes on a line is no line of a person.
const LONG: usize = 5000;
/// How many windows a line without breaks gets.
const WINDOWS: u64 = 40;

/// Returns the map of source code.
///
/// Entries carry `kind` (the word that begins the definition) and `level`; windows of long lines carry `offset`.
pub fn outline(text: impl Read) -> io::Result<Outline> {
    let mut reading = Reading::new();
    let mut blocks = Blocks::new(text);
    while let Some(block) = blocks.next_block()? {
        if reading.language.is_none() {
            reading.language = Some(guess(&block.bytes[..block.bytes.len().min(GUESS)]));
        }
        for line in block.lines() {
            reading.line(&line);
        }
    }
    Ok(reading.finish())
}

/// The rows of a table in a database dump.
struct Inserts {
    table: Vec<u8>,
    first: u64,
    last: u64,
    statements: u64,
}

struct Reading {
    language: Option<&'static Language>,
    rows: Levels,
    /// The indentations of the definitions that the line is in.
    indents: Vec<usize>,
    /// In a comment or text of several lines, with its end.
    within: Option<&'static [u8]>,
    lines: u64,
    bytes: u64,
    definitions: u64,
    windows: Vec<Entry>,
    /// After how many bytes of a long line the next window comes, and where the line begins.
    window_step: u64,
    line_start: u64,
    long_lines: u64,
    inserts: Option<Inserts>,
}

impl Reading {
    fn new() -> Reading {
        Reading {
            language: None,
            rows: Levels::new(),
            indents: Vec::new(),
            within: None,
            lines: 0,
            bytes: 0,
            definitions: 0,
            windows: Vec::new(),
            window_step: 4096,
            line_start: 0,
            long_lines: 0,
            inserts: None,
        }
    }

    fn line(&mut self, line: &Line<'_>) {
        self.lines = line.number + 1;
        self.bytes = line.offset + line.bytes.len() as u64;
        if line.part.first {
            self.line_start = line.offset;
        }
        if line.bytes.len() > LONG || !line.part.first {
            self.long_lines += u64::from(line.part.first);
            self.windows(line);
        }
        if !line.part.first {
            return;
        }
        let bytes = &line.bytes[..line.bytes.len().min(LINE_BYTES)];
        let language = self.language.unwrap_or(&ANY);
        if language.name == "SQL" && self.insert(line.number, bytes) {
            return;
        }
        if self.skips(bytes, language) {
            return;
        }
        let indent = bytes.iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
        let text = bytes[indent..].trim_ascii_end();
        if text.is_empty() || line.bytes.len() > LONG {
            return;
        }
        let Some(kind) = definition(language, indent, text) else { return };
        self.close_inserts();
        while self.indents.last().is_some_and(|last| *last >= indent) {
            self.indents.pop();
        }
        let level = self.indents.len().min(60) as u8;
        if self.indents.len() < 60 {
            self.indents.push(indent);
        }
        self.definitions += 1;
        if self.rows.wants(level) {
            let text = row(text);
            let text = text.trim_end_matches(['{', ' ', ':']);
            let text = format!("{}{}", "  ".repeat(usize::from(level.min(8))), cut::start(text, ROW_CHARS - 20));
            self.rows.push(level, Entry::at(line.number, text).with("kind", kind).with("level", level));
        }
    }

    /// Whether the line is a comment or within a text of several lines.
    fn skips(&mut self, line: &[u8], language: &Language) -> bool {
        if let Some(end) = self.within {
            if memchr::memmem::find(line, end).is_some() {
                self.within = None;
            }
            return true;
        }
        let text = line.trim_ascii_start();
        if language.name == "Python" {
            for quotes in [&b"\"\"\""[..], b"'''"] {
                let found = memchr::memmem::find_iter(line, quotes).count();
                if found % 2 == 1 {
                    self.within = Some(if quotes[0] == b'"' { b"\"\"\"" } else { b"'''" });
                    return text.starts_with(quotes);
                }
            }
        }
        if text.starts_with(b"/*") && language.comment.contains(&"//") {
            if memchr::memmem::find(text, b"*/").is_none() {
                self.within = Some(b"*/");
            }
            return true;
        }
        language.comment.iter().any(|mark| text.starts_with(mark.as_bytes())) && !text.starts_with(b"#define")
    }

    /// Counts an INSERT; returns whether the line was one.
    fn insert(&mut self, number: u64, line: &[u8]) -> bool {
        let text = line.trim_ascii_start();
        let start = &text[..text.len().min(12)];
        let after = match start.to_ascii_uppercase() {
            s if s.starts_with(b"INSERT INTO ") => &text[12..],
            _ => return false,
        };
        let end = after.iter().position(|b| matches!(b, b' ' | b'(')).unwrap_or(after.len());
        let table = &after[..end];
        match &mut self.inserts {
            Some(inserts) if inserts.table == table => {
                inserts.last = number;
                inserts.statements += 1;
            }
            _ => {
                self.close_inserts();
                self.inserts = Some(Inserts { table: table.to_vec(), first: number, last: number, statements: 1 });
            }
        }
        true
    }

    fn close_inserts(&mut self) {
        if let Some(inserts) = self.inserts.take() {
            let table = clean::line(&inserts.table).into_owned();
            let statements = count(inserts.statements, "INSERT");
            let text = format!("  {statements} INTO {table} (last line {})", inserts.last);
            let entry = Entry::at(inserts.first, text).with("kind", "inserts").with("count", inserts.statements);
            self.rows.push(1, entry.with("last", inserts.last));
        }
    }

    /// Notes windows of a line that is too long to be read as one.
    fn windows(&mut self, line: &Line<'_>) {
        let mut at = 0;
        loop {
            let place = line.offset + at as u64;
            let next = place.div_ceil(self.window_step) * self.window_step;
            let from = if place == self.line_start { 0 } else { (next - line.offset) as usize };
            if from >= line.bytes.len() {
                break;
            }
            if self.windows.len() as u64 == WINDOWS * 2 {
                let mut k = 0;
                self.windows.retain(|_| {
                    k += 1;
                    k % 2 == 1
                });
                self.window_step *= 2;
            }
            let window = &line.bytes[from..(from + 240).min(line.bytes.len())];
            let offset = line.offset + from as u64;
            let shown = row(window);
            let text = format!("byte {}: {}", thousands(offset), cut::start(shown.trim(), 70));
            self.windows.push(Entry::at(line.number, text).with("offset", offset));
            at = from + 1;
        }
    }

    fn finish(mut self) -> Outline {
        self.close_inserts();
        let name = self.language.map_or("", |l| l.name);
        let mut head = String::new();
        if !name.is_empty() {
            head.push_str(&format!("{name}, "));
        }
        head.push_str(&format!("{}, {}", count(self.lines, "line"), count(self.definitions, "definition")));
        let (mut entries, mut notes) = self.rows.finish("row");
        if self.long_lines > 0 {
            let bytes = if self.lines < 10 { format!(" ({} in all)", thousands(self.bytes)) } else { String::new() };
            notes.push(format!(
                "{} longer than {} bytes{bytes}: use `bytes START COUNT` with the places given, or `grep -o`",
                count(self.long_lines, "line"),
                thousands(LONG as u64)
            ));
            if !entries.is_empty() && !self.windows.is_empty() {
                entries.push(Entry::caption("windows of long lines:"));
            }
            entries.append(&mut self.windows);
        }
        Outline { head, entries, notes }
    }
}

#[cfg(test)]
mod tests {
    use super::super::rendered;
    use super::*;
    use proptest::prelude::*;

    fn map(text: &str) -> String {
        rendered(&outline(text.as_bytes()).unwrap())
    }

    #[test]
    fn rust_definitions_nest() {
        let text = "use std::io;\n// fn no() {}\npub struct A {\n    x: u8,\n}\n\nimpl<T> A {\n    /// Doc.\n    pub(crate) const fn new() -> A {\n        let x = 1;\n        fn inner() {}\n    }\n}\n\
            pub const MAX: usize = 3;\nconst LOCAL: u8 = 1;\n#[cfg(test)]\nmod tests {\n    /*\n    fn no() {}\n    */\n    #[test]\n    fn it() {}\n}\n";
        assert_eq!(
            map(text),
            "Rust, 23 lines, 7 definitions\n2:pub struct A\n6:impl<T> A\n8:  pub(crate) const fn new() -> A\n10:    fn inner() {}\n13:pub const MAX: usize = 3;\n16:mod tests\n21:  fn it() {}\n"
        );
    }

    #[test]
    fn python_and_its_docstrings() {
        let text = "import os\n\nclass A(B):\n    \"\"\"Text\n    def no():\n    \"\"\"\n    async def run(self):\n        pass\n\ndef main() -> int:\n    return 0\n";
        assert_eq!(
            map(text),
            "Python, 11 lines, 3 definitions\n2:class A(B)\n6:  async def run(self)\n9:def main() -> int\n"
        );
    }

    #[test]
    fn c_functions_are_told_from_calls_and_declarations() {
        let text = "#include <stdio.h>\n#define MAX(a, b) ((a) > (b))\n#define N 3\nstruct point {\n  int x;\n};\nint add(int a, int b);\nstatic int\nadd(int a, int b)\n{\n  if (a) {\n    printf(\"x\");\n  }\n}\nint main(void) {\n  return add(1, 2);\n}\n";
        assert_eq!(
            map(text),
            "C or C++, 17 lines, 4 definitions\n1:#define MAX(a, b) ((a) > (b))\n3:struct point\n8:add(int a, int b)\n14:int main(void)\n"
        );
    }

    #[test]
    fn java_and_script_methods_are_found() {
        let text = "package a;\nimport java.util.List;\npublic class A extends B {\n    private final int x = f(1);\n    @Override\n    public void run(int a) throws E {\n        if (x) {\n        }\n        return;\n    }\n}\n";
        assert_eq!(
            map(text),
            "Java, 11 lines, 2 definitions\n2:public class A extends B\n5:  public void run(int a) throws E\n"
        );
        let text = "import { a } from 'a';\nexport default class A {\n  constructor(x) {\n    if (x) {\n    }\n    foo(x, () => {\n    });\n  }\n  async run() {\n  }\n}\nexport const f = (a) => {\n};\nfunction g() {}\n";
        assert_eq!(
            map(text),
            "JavaScript or TypeScript, 14 lines, 5 definitions\n1:export default class A\n2:  constructor(x)\n8:  async run()\n11:export const f = (a) =>\n13:function g() {}\n"
        );
    }

    #[test]
    fn a_dump_shows_tables_and_their_rows() {
        let text = "PRAGMA x;\nCREATE TABLE a(\n  id INTEGER\n);\nINSERT INTO a VALUES(1);\nINSERT INTO a VALUES(2);\nCREATE INDEX i ON a(id);\nCOMMIT;\n";
        assert_eq!(
            map(text),
            "SQL, 8 lines, 2 definitions\n1:CREATE TABLE a(\n4:  2 INSERTs INTO a (last line 5)\n6:CREATE INDEX i ON a(id);\n"
        );
    }

    #[test]
    fn a_line_without_breaks_has_windows() {
        let text = "function a(){return 1};".repeat(20_000);
        let map = outline(text.as_bytes()).unwrap();
        assert!((30..=100).contains(&map.entries.len()), "{}", map.entries.len());
        assert!(map.entries[0].text.starts_with("byte 0: function a"));
        assert_eq!(
            map.notes,
            [
                "1 line longer than 5,000 bytes (460,000 in all): use `bytes START COUNT` with the places given, or `grep -o`"
            ]
        );
        outline(&vec![b'x'; 5 << 20][..]).unwrap();
    }

    proptest! {
        #[test]
        fn any_text_has_a_map(lines in proptest::collection::vec(prop_oneof![
            Just("fn é("), Just("é("), Just("("), Just("#define"), Just("/*"), Just("\"\"\""), Just("INSERT INTO é"), Just("class"),
            Just("    def x"), Just("impl<"), Just("\u{1b}[1mx"), Just("public é(")], 0..60)) {
            outline(lines.join("\n").as_bytes()).unwrap();
        }
    }
}
