//! A line as its reader sees it: escapes gone, overwritten text gone, nothing hidden.
//!
//! Previews and answers show text through this module and nothing else. Laws: the result is valid UTF-8 without
//! control characters but tab; cleaning twice is cleaning once; a line that is already clean is borrowed, not copied.
//!
//! The model is one line of a terminal: printing overwrites at the cursor, `\r` and backspace move it, CSI sequences
//! that move within the line or erase it do so, everything else that a terminal would act on is removed. Every char
//! is taken to be one column wide. What a terminal would hide and a reader could be fooled by is shown: C0 controls
//! as their pictures (`␀`), C1 controls, bidirectional overrides, Unicode line separators and tag characters as
//! `<U+202E>`, invalid UTF-8 as U+FFFD.

use std::borrow::Cow;
use std::fmt::Write as _;

use bstr::ByteSlice;

/// How far right a cursor movement can go, in columns: wider than any terminal, small enough to cost nothing.
const WIDEST: usize = 1000;

/// Returns what a reader sees of a line (given without its `\n`).
pub fn line(bytes: &[u8]) -> Cow<'_, str> {
    let bytes = bytes.trim_end_with(|c| c == '\r');
    match plain(bytes) {
        Some(text) => Cow::Borrowed(text),
        None => Cow::Owned(render(bytes)),
    }
}

/// Returns what a reader sees of a text of many lines; only `\n` ends a line.
pub fn text(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for (k, part) in bytes.split(|&b| b == b'\n').enumerate() {
        if k > 0 {
            out.push('\n');
        }
        out.push_str(&line(part));
    }
    out
}

/// Returns whether a reader sees these lines just as they are stored.
pub fn is_plain(lines: &[u8]) -> bool {
    let mut above = false;
    for chunk in lines.chunks(256) {
        let (mut control, mut high) = (false, false);
        for &b in chunk {
            control |= (b < 0x20 && b != b'\t' && b != b'\n') | (b == 0x7F);
            high |= b >= 0x80;
        }
        if control {
            return false;
        }
        above |= high;
    }
    !above || std::str::from_utf8(lines).is_ok_and(|text| !text.chars().any(hidden))
}

/// Returns the bytes as text if a reader sees them as they are.
fn plain(bytes: &[u8]) -> Option<&str> {
    let mut above = false;
    for chunk in bytes.chunks(64) {
        let (mut control, mut high) = (false, false);
        for &b in chunk {
            control |= (b < 0x20 && b != b'\t') | (b == 0x7F);
            high |= b >= 0x80;
        }
        if control {
            return None;
        }
        above |= high;
    }
    let text = std::str::from_utf8(bytes).ok()?;
    (!above || !text.chars().any(hidden)).then_some(text)
}

/// Whether a char acts on what is around it, or is not seen at all.
fn hidden(c: char) -> bool {
    matches!(c,
        '\u{80}'..='\u{9F}' | '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}'
        | '\u{2066}'..='\u{2069}' | '\u{FEFF}' | '\u{E0000}'..='\u{E007F}')
}

/// One line of a terminal.
#[derive(Default)]
struct Screen {
    /// What was printed, while the cursor has not left its end.
    line: String,
    /// The columns, once it has.
    cells: Vec<char>,
    column: usize,
    moved: bool,
}

impl Screen {
    fn print(&mut self, c: char) {
        if !self.moved {
            self.line.push(c);
            return;
        }
        if self.column > self.cells.len() {
            self.cells.resize(self.column, ' ');
        }
        match self.cells.get_mut(self.column) {
            Some(cell) => *cell = c,
            None => self.cells.push(c),
        }
        self.column += 1;
    }

    /// Gives access to the columns, with the cursor where it stands.
    fn cells(&mut self) -> (&mut Vec<char>, &mut usize) {
        if !self.moved {
            self.moved = true;
            self.cells = std::mem::take(&mut self.line).chars().collect();
            self.column = self.cells.len();
        }
        (&mut self.cells, &mut self.column)
    }

    /// Acts on a CSI sequence that stays within the line; all others leave no trace.
    fn csi(&mut self, params: &[u8], last: u8) {
        let number = || params.split(|&b| b == b';').next()?.to_str().ok()?.parse::<usize>().ok();
        let steps = || number().unwrap_or(1).clamp(1, WIDEST);
        match last {
            b'K' | b'J' => {
                let how = number().unwrap_or(0);
                if how == 0 && !self.moved {
                    return;
                }
                let (cells, column) = self.cells();
                match how {
                    0 => cells.truncate(*column),
                    1 => {
                        let end = cells.len().min(*column + 1);
                        cells[..end].fill(' ');
                    }
                    _ => cells.clear(),
                }
            }
            b'G' | b'`' => *self.cells().1 = steps() - 1,
            b'E' | b'F' => *self.cells().1 = 0,
            b'C' => {
                let (_, column) = self.cells();
                *column = (*column + steps()).min(WIDEST.max(*column));
            }
            b'D' => {
                let (_, column) = self.cells();
                *column = column.saturating_sub(steps());
            }
            b'X' => {
                let (cells, column) = self.cells();
                let end = cells.len().min(*column + steps());
                if *column < end {
                    cells[*column..end].fill(' ');
                }
            }
            b'P' => {
                let (cells, column) = self.cells();
                let end = cells.len().min(*column + steps());
                if *column < end {
                    cells.drain(*column..end);
                }
            }
            _ => {}
        }
    }

    fn finish(self) -> String {
        if self.moved { self.cells.into_iter().collect() } else { self.line }
    }
}

fn render(bytes: &[u8]) -> String {
    let mut screen = Screen::default();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            0x1B => at += escape(&bytes[at..], &mut screen),
            b'\r' => {
                *screen.cells().1 = 0;
                at += 1;
            }
            0x08 => {
                let (_, column) = screen.cells();
                *column = column.saturating_sub(1);
                at += 1;
            }
            b @ (b'\t' | 0x20..=0x7E) => {
                screen.print(char::from(b));
                at += 1;
            }
            b @ (0..=0x1F | 0x7F) => {
                // BEL rings and leaves nothing; the others would be acted on, so they are shown.
                if b != 0x07 {
                    let picture = if b == 0x7F { 0x2421 } else { 0x2400 + u32::from(b) };
                    screen.print(char::from_u32(picture).unwrap_or(char::REPLACEMENT_CHARACTER));
                }
                at += 1;
            }
            _ => {
                let (c, n) = bstr::decode_utf8(&bytes[at..]);
                let c = c.unwrap_or(char::REPLACEMENT_CHARACTER);
                if !hidden(c) {
                    screen.print(c);
                } else if !(c == '\u{FEFF}' && at == 0) {
                    let mut shown = String::new();
                    let _ = write!(shown, "<U+{:04X}>", u32::from(c));
                    shown.chars().for_each(|c| screen.print(c));
                }
                at += n;
            }
        }
    }
    screen.finish()
}

/// Acts on the escape sequence at the start of `bytes` (which is ESC); returns its length.
fn escape(bytes: &[u8], screen: &mut Screen) -> usize {
    match bytes.get(1) {
        Some(b'[') => {
            let params = bytes[2..].iter().take_while(|b| (0x30..=0x3F).contains(*b)).count();
            let between = bytes[2 + params..].iter().take_while(|b| (0x20..=0x2F).contains(*b)).count();
            let end = 2 + params + between;
            match bytes.get(end) {
                Some(&last @ 0x40..=0x7E) => {
                    // A private sequence (`?25l`) or one with intermediates does something else than its letter.
                    if between == 0 && !bytes[2..].starts_with(b"?") {
                        screen.csi(&bytes[2..2 + params], last);
                    }
                    end + 1
                }
                _ => end,
            }
        }
        // OSC, DCS, SOS, PM, APC: a string up to BEL or ST. One that does not end in this line is not believed: only
        // its introducer goes, or a stray one could hide the rest of the line.
        Some(b']' | b'P' | b'X' | b'^' | b'_') => {
            let mut from = 2;
            while let Some(n) = memchr::memchr3(0x07, 0x1B, 0x9C, &bytes[from..]) {
                let at = from + n;
                match bytes[at] {
                    0x07 => return at + 1,
                    0x1B if bytes.get(at + 1) == Some(&b'\\') => return at + 2,
                    0x1B => return at,
                    _ if bytes[at - 1] == 0xC2 => return at + 1,
                    _ => from = at + 1,
                }
            }
            2
        }
        Some(0x20..=0x2F) => {
            let between = bytes[1..].iter().take_while(|b| (0x20..=0x2F).contains(*b)).count();
            1 + between + usize::from(matches!(bytes.get(1 + between), Some(0x30..=0x7E)))
        }
        Some(0x30..=0x7E) => 2,
        _ => {
            screen.print('\u{241B}');
            1
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn seen(bytes: impl AsRef<[u8]>) -> String {
        line(bytes.as_ref()).into_owned()
    }

    #[test]
    fn clean_lines_are_borrowed() {
        for text in ["", "plain\ttext", "日本語 🦀 é", "👩\u{200D}💻"] {
            assert!(matches!(line(text.as_bytes()), Cow::Borrowed(t) if t == text));
        }
        assert!(matches!(line(b"crlf\r"), Cow::Borrowed("crlf")));
    }

    #[test]
    fn escapes_leave_no_trace() {
        assert_eq!(seen("\x1b[1;31merror\x1b[0m: case\x1b[K"), "error: case");
        assert_eq!(seen("\x1b]0;title\x07a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\"), "alink");
        assert_eq!(seen("\x1b[2K\x1b[0A\x1b[0Elayer pull: 43%\x1b[?25l\x1b(B\x1b[m"), "layer pull: 43%");
        assert_eq!(seen("\x1b7a\x1b=b\x1bM\x1b[38;5;196mc\x1b[38:2::1:2:3md"), "abcd");
        assert_eq!(seen("\x1bP1$r0m\x1b\\x\x1b_apc\x1b\\y\x1b^pm\x1b\\z"), "xyz");
    }

    #[test]
    fn an_unfinished_string_hides_nothing() {
        assert_eq!(seen("\x1b]52;c;cGF5bG9hZA== the rest"), "52;c;cGF5bG9hZA== the rest");
        assert_eq!(seen("a\x1b["), "a");
        assert_eq!(seen("a\x1b[31"), "a");
        assert_eq!(seen("a\x1b"), "a␛");
        assert_eq!(seen("\x1b[31é"), "é");
    }

    #[test]
    fn overwritten_lines_are_shown_as_a_terminal_leaves_them() {
        let bar = "-".repeat(20);
        assert_eq!(seen(format!("{bar}\rGreetings\x1b[K")), "Greetings");
        assert_eq!(seen(format!("{bar}\rGreetings")), format!("Greetings{}", "-".repeat(11)));
        assert_eq!(seen(format!("{bar}\rHi\x1b[8m\x1b[0m")), format!("Hi{}", "-".repeat(18)));
        assert_eq!(seen("half\rdone\x1b[0K\r"), "done");
        assert_eq!(seen("N\x08NA\x08AM\x08ME\x08E _\x08u"), "NAME u");
        assert_eq!(seen("abc\x1b[1Gx\x1b[2Cy"), "xbcy");
        assert_eq!(seen("abc\x1b[999999999Cz").len(), WIDEST + 1);
    }

    #[test]
    fn what_would_be_hidden_is_shown() {
        assert_eq!(seen("a\0b\x0bc\x7f"), "a␀b␋c␡");
        assert_eq!(seen("\u{202E}evil\u{2066}\u{9B}31m\u{2028}"), "<U+202E>evil<U+2066><U+009B>31m<U+2028>");
        assert_eq!(seen(b"gr\xe4\xdfe \xf0\x9f"), "gr\u{FFFD}\u{FFFD}e \u{FFFD}");
        assert_eq!(seen("\u{FEFF}{}"), "{}");
        assert_eq!(seen("tag\u{E0041}"), "tag<U+E0041>");
    }

    /// What the vte parser, an independent reading of the same standards, prints of a line without cursor movement.
    fn vte_prints(bytes: &[u8]) -> String {
        #[derive(Default)]
        struct Printer(String);
        impl vte::Perform for Printer {
            fn print(&mut self, c: char) {
                self.0.push(c);
            }
            fn execute(&mut self, byte: u8) {
                if byte == b'\t' {
                    self.0.push('\t');
                }
            }
        }
        let mut printer = Printer::default();
        vte::Parser::new().advance(&mut printer, bytes);
        printer.0
    }

    fn piece() -> impl Strategy<Value = String> {
        prop_oneof![
            "[a-z é中]{0,6}",
            "\x1b\\[[0-9;]{0,8}[mhlsu]",
            "\x1b\\[\\?[0-9]{1,3}[hl]",
            "\x1b\\][0-9;a-z]{0,6}(\x07|\x1b\\\\)",
            "\x1b[()][AB0]",
            "\x1b[78=>c]",
        ]
    }

    proptest! {
        #[test]
        fn agrees_with_vte_on_sequences_that_do_not_move(pieces in proptest::collection::vec(piece(), 0..12)) {
            let text = pieces.concat();
            prop_assert_eq!(seen(&text), vte_prints(text.as_bytes()));
        }

        #[test]
        fn anything_becomes_harmless_and_stays_as_it_is(
            bytes in proptest::collection::vec(prop_oneof![
                Just(0x1b), Just(b'['), Just(b'\r'), Just(b'K'), Just(b'1'), Just(b']'), Just(8), Just(b'a'), any::<u8>()], 0..60)) {
            let bytes: Vec<u8> = bytes.into_iter().filter(|&b| b != b'\n').collect();
            let text = seen(&bytes);
            prop_assert!(!text.chars().any(|c| (c.is_control() && c != '\t') || hidden(c)), "{:?}", text);
            prop_assert_eq!(seen(&text), text);
        }
    }
}
