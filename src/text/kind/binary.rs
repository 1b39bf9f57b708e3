//! What is not a text, and what it is instead.

use super::Sample;

/// Whether the bytes are no text, in any encoding that has ASCII in it.
pub(super) fn is(sample: &Sample<'_>) -> bool {
    sample.head.starts_with(b"%PDF-") || !textual(sample.head) || !textual(sample.tail)
}

/// Whether bytes could be written by a program that means text. A few stray bytes are no proof: logs hold NULs where
/// a disk was full, and Latin-1.
fn textual(bytes: &[u8]) -> bool {
    let (mut nuls, mut controls, mut printed) = (0usize, 0usize, 0usize);
    for &b in bytes {
        match b {
            0 => nuls += 1,
            b'\t' | b'\n' | b'\r' | 0x07 | 0x08 | 0x0C | 0x1B => {}
            0x01..0x20 | 0x7F => controls += 1,
            0x20..0x7F => printed += 1,
            _ => {}
        }
    }
    // Names that end in NULs (`find -print0`) are text otherwise.
    let clean = controls == 0 && bytes.is_ascii();
    if controls * 50 > bytes.len() || nuls * if clean { 6 } else { 100 } > bytes.len() {
        return false;
    }
    // Text of another encoding has spaces, digits or line ends at least; what has hardly a char of either is none.
    let replaced = bytes.utf8_chunks().map(|chunk| chunk.invalid().len()).sum::<usize>();
    replaced * 2 <= bytes.len() || printed * 20 > bytes.len()
}

/// Returns what bytes are by their magic, in people's words; `None` for what is not known.
pub(super) fn name(head: &[u8]) -> Option<String> {
    let be = |at: usize| head.get(at..at + 4).map(|b| u32::from_be_bytes(b.try_into().unwrap_or_default()));
    let le16 = |at: usize| head.get(at..at + 2).map(|b| u16::from_le_bytes(b.try_into().unwrap_or_default()));
    if head.starts_with(b"\x89PNG\r\n\x1a\n") {
        let size = be(16).zip(be(20)).filter(|_| head.get(12..16) == Some(b"IHDR"));
        return Some(size.map_or("PNG image".to_owned(), |(w, h)| format!("PNG image, {w} x {h}")));
    }
    if head.starts_with(b"GIF8") {
        let size = le16(6).zip(le16(8));
        return Some(size.map_or("GIF image".to_owned(), |(w, h)| format!("GIF image, {w} x {h}")));
    }
    if head.starts_with(b"\x7fELF") {
        return Some(
            match head.get(16) {
                Some(1) => "ELF object file",
                Some(3) => "ELF shared object or executable",
                Some(4) => "ELF core dump",
                _ => "ELF executable",
            }
            .to_owned(),
        );
    }
    let known = OWN.iter().find(|(at, magic, _)| head.get(*at..).is_some_and(|b| b.starts_with(magic)));
    if let Some((_, _, name)) = known {
        return Some((*name).to_owned());
    }
    let kind = infer::get(head)?;
    use infer::MatcherType::{App, Archive, Audio, Book, Doc, Font, Image, Text, Video};
    let noun = match kind.matcher_type() {
        Text => return None,
        App => "file",
        Archive => "archive",
        Audio => "audio",
        Book => "book",
        Doc => "document",
        Font => "font",
        Image => "image",
        Video => "video",
        _ => "data",
    };
    Some(format!("{} {noun}", kind.extension().to_uppercase()))
}

/// Magic bytes, where they stand, and what has them.
const OWN: &[(usize, &[u8], &str)] = &[
    (0, b"\x1f\x8b", "gzip compressed data"),
    (0, b"\x28\xb5\x2f\xfd", "zstd compressed data"),
    (0, b"BZh", "bzip2 compressed data"),
    (0, b"\xfd7zXZ\0", "xz compressed data"),
    (0, b"\x04\x22\x4d\x18", "LZ4 compressed data"),
    (0, b"PK\x03\x04", "ZIP archive"),
    (0, b"7z\xbc\xaf\x27\x1c", "7-Zip archive"),
    (0, b"Rar!", "RAR archive"),
    (257, b"ustar", "tar archive"),
    (0, b"!<arch>\n", "ar archive (static library or Debian package)"),
    (0, b"%PDF-", "PDF document"),
    (0, b"\xff\xd8\xff", "JPEG image"),
    (0, b"SQLite format 3\0", "SQLite database"),
    (0, b"\0asm", "WebAssembly module"),
    (0, b"\xca\xfe\xba\xbe", "Java class file or Mach-O universal binary"),
    (0, b"\xcf\xfa\xed\xfe", "Mach-O executable"),
    (0, b"MZ\x90\0", "Windows executable"),
    (0, b"OggS", "Ogg audio or video"),
    (0, b"fLaC", "FLAC audio"),
    (0, b"ID3", "MP3 audio"),
    (0, b"wOFF", "WOFF font"),
    (0, b"wOF2", "WOFF2 font"),
    (0, b"PAR1", "Parquet table"),
    (0, b"ARROW1", "Arrow table"),
    (0, b"\x93NUMPY", "NumPy array"),
    (0, b"\x89HDF\r\n\x1a\n", "HDF5 data"),
];
