//! How definitions look in the dozen most common languages: one row of a table each.
//!
//! Simple rules over single lines: words that may stand before a definition, words that begin one, and for languages
//! whose functions begin with no word the shape of the line. What language a text is follows from which row knows the
//! most of its first lines; where none does, a row of common words serves.

use super::LINE_BYTES;

/// How the definitions of a language look.
pub(super) struct Language {
    pub(super) name: &'static str,
    /// Words that may stand before a definition.
    before: &'static [&'static str],
    /// Words that begin a definition.
    begins: &'static [&'static str],
    /// Starts of lines that tell the language.
    tells: &'static [&'static str],
    /// What makes a definition without such a word.
    shape: Shape,
    pub(super) comment: &'static [&'static str],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Nothing does.
    None,
    /// `type name(args) {` at the line start (C), or anywhere after a modifier (Java, C#).
    C,
    Java,
    /// `name(args) {` and `name = (args) =>`.
    Script,
    /// `name() {`.
    Shell,
    /// `selector {`.
    Css,
}

const LANGUAGES: &[Language] = &[
    Language {
        name: "Rust",
        before: &["pub", "pub(crate)", "pub(super)", "async", "const", "unsafe", "extern", "\"C\"", "default"],
        begins: &["fn", "struct", "enum", "trait", "impl", "mod", "type", "union", "macro_rules!", "static", "const"],
        tells: &[
            "pub fn ",
            "fn ",
            "impl ",
            "impl<",
            "use ",
            "let ",
            "#[",
            "pub ",
            "match ",
            "//! ",
            "/// ",
            "mod ",
            "Some(",
            "Ok(",
            "assert_eq!",
        ],
        shape: Shape::None,
        comment: &["//"],
    },
    Language {
        name: "Python",
        before: &["async"],
        begins: &["def", "class"],
        tells: &[
            "def ",
            "import ",
            "from ",
            "class ",
            "elif ",
            "except ",
            "except:",
            "@property",
            "@staticmethod",
            "@classmethod",
            "@pytest",
            "if __name__",
            "self.",
            "raise ",
            "with ",
            "try:",
            "else:",
            "\"\"\"",
            "return",
        ],
        shape: Shape::None,
        comment: &["#"],
    },
    Language {
        name: "Go",
        before: &[],
        begins: &["func", "type", "package"],
        tells: &[
            "func ",
            "package ",
            "if err != nil",
            "import (",
            "defer ",
            "type ",
            "return ",
            "for _, ",
            "fmt.",
            "var ",
            "case ",
        ],
        shape: Shape::None,
        comment: &["//"],
    },
    Language {
        name: "JavaScript or TypeScript",
        before: &[
            "export",
            "default",
            "declare",
            "async",
            "abstract",
            "public",
            "private",
            "protected",
            "static",
            "readonly",
        ],
        begins: &["function", "function*", "class", "interface", "enum", "type", "namespace", "module"],
        tells: &[
            "function ",
            "const ",
            "export ",
            "import {",
            "import * as",
            "import type",
            "let ",
            "var ",
            "interface ",
            "declare ",
            "module.exports",
            "});",
            "return ",
            "describe(",
            "it(",
            "async ",
            "'use strict'",
            "\"use strict\"",
            "} else",
            "this.",
        ],
        shape: Shape::Script,
        comment: &["//", "*", "/*"],
    },
    Language {
        name: "C or C++",
        before: &["static", "inline", "extern", "typedef", "constexpr", "virtual", "\"C\""],
        begins: &["struct", "class", "enum", "union", "namespace", "#define", "template"],
        tells: &[
            "#include ",
            "#define ",
            "#ifdef ",
            "#ifndef ",
            "#endif",
            "#if ",
            "typedef ",
            "namespace ",
            "std::",
            "static ",
            "return ",
            "} else",
            "int ",
            "void ",
            "const ",
            "struct ",
            "template",
            "class ",
        ],
        shape: Shape::C,
        comment: &["//", "*", "/*"],
    },
    Language {
        name: "Java",
        before: &[
            "public",
            "private",
            "protected",
            "static",
            "final",
            "abstract",
            "synchronized",
            "native",
            "sealed",
            "strictfp",
        ],
        begins: &["class", "interface", "enum", "record", "@interface"],
        tells: &[
            "import java",
            "package ",
            "public ",
            "@Override",
            "private ",
            "import org.",
            "import com.",
            "protected ",
        ],
        shape: Shape::Java,
        comment: &["//", "*", "/*"],
    },
    Language {
        name: "C#",
        before: &[
            "public",
            "private",
            "protected",
            "internal",
            "static",
            "sealed",
            "abstract",
            "partial",
            "readonly",
            "async",
            "override",
            "virtual",
            "unsafe",
            "new",
        ],
        begins: &["class", "interface", "enum", "struct", "record", "namespace", "delegate"],
        tells: &[
            "using System",
            "using ",
            "namespace ",
            "internal ",
            "public ",
            "private ",
            "get;",
            "/// <",
            "var ",
            "return ",
            "protected ",
        ],
        shape: Shape::Java,
        comment: &["//", "*", "/*"],
    },
    Language {
        name: "Kotlin",
        before: &[
            "public",
            "private",
            "internal",
            "protected",
            "open",
            "data",
            "sealed",
            "override",
            "suspend",
            "inline",
            "abstract",
        ],
        begins: &["fun", "class", "interface", "object", "enum", "typealias"],
        tells: &[
            "fun ",
            "val ",
            "data class ",
            "override fun ",
            "suspend fun ",
            "import ",
            "companion object",
            "package ",
            "private val ",
            "private fun ",
        ],
        shape: Shape::None,
        comment: &["//", "*", "/*"],
    },
    Language {
        name: "Swift",
        before: &[
            "public",
            "private",
            "internal",
            "fileprivate",
            "open",
            "static",
            "final",
            "override",
            "mutating",
            "@objc",
        ],
        begins: &["func", "class", "struct", "enum", "protocol", "extension", "actor", "typealias"],
        tells: &[
            "func ",
            "import Foundation",
            "import UIKit",
            "import SwiftUI",
            "guard ",
            "if let ",
            "extension ",
            "override func ",
            "let ",
            "private func ",
            "var ",
            "public func ",
        ],
        shape: Shape::None,
        comment: &["//"],
    },
    Language {
        name: "Ruby",
        before: &[],
        begins: &["def", "class", "module"],
        tells: &[
            "def ",
            "require ",
            "end",
            "module ",
            "attr_",
            "require_relative ",
            "class ",
            "it \"",
            "describe ",
            "unless ",
            "elsif ",
        ],
        shape: Shape::None,
        comment: &["#"],
    },
    Language {
        name: "PHP",
        before: &["public", "private", "protected", "static", "final", "abstract", "readonly"],
        begins: &["function", "class", "interface", "trait", "enum", "namespace"],
        tells: &[
            "<?php",
            "namespace ",
            "use ",
            "$this",
            "?>",
            "public function ",
            "private function ",
            "protected function",
            "echo ",
            "return ",
        ],
        shape: Shape::None,
        comment: &["//", "*", "/*", "#"],
    },
    Language {
        name: "Shell",
        before: &[],
        begins: &["function"],
        tells: &[
            "#!/bin/",
            "#!/usr/bin/env bash",
            "fi",
            "done",
            "esac",
            "export ",
            "echo ",
            "if [",
            "local ",
            "set -e",
            "then",
        ],
        shape: Shape::Shell,
        comment: &["#"],
    },
    Language {
        name: "SQL",
        before: &["OR", "REPLACE", "TEMP", "TEMPORARY", "UNIQUE"],
        begins: &["CREATE", "ALTER"],
        tells: &[
            "CREATE ",
            "INSERT INTO",
            "SELECT ",
            "LANGUAGE ",
            "COMMENT ON ",
            "GRANT ",
            "UPDATE ",
            "PRAGMA ",
            "ALTER ",
            "DROP ",
            "COMMIT",
            "create table",
            "insert into",
        ],
        shape: Shape::None,
        comment: &["--"],
    },
    Language {
        name: "CSS",
        before: &[],
        begins: &["@media", "@keyframes", "@font-face", "@layer", "@mixin"],
        tells: &[
            "color:",
            "margin:",
            "padding:",
            "display:",
            "font-size:",
            "background:",
            "width:",
            "border:",
            "height:",
            "@media",
        ],
        shape: Shape::Css,
        comment: &["/*", "*", "//"],
    },
];

/// For a language that none of the above is.
pub(super) const ANY: Language = Language {
    name: "",
    before: &["export", "public", "private", "protected", "static", "async", "pub", "local", "abstract", "final"],
    begins: &[
        "def",
        "class",
        "function",
        "func",
        "fn",
        "fun",
        "struct",
        "enum",
        "interface",
        "module",
        "namespace",
        "trait",
        "sub",
        "defmodule",
        "defp",
        "proc",
    ],
    tells: &[],
    shape: Shape::None,
    comment: &["//", "#", "*", "--"],
};

/// Returns the language of which the most lines are.
pub(super) fn guess(head: &[u8]) -> &'static Language {
    let mut scores = vec![0u32; LANGUAGES.len()];
    for line in head.split(|b| *b == b'\n').take(2000) {
        let line = line[..line.len().min(LINE_BYTES)].trim_ascii();
        for (score, language) in scores.iter_mut().zip(LANGUAGES) {
            *score += u32::from(language.tells.iter().any(|tell| line.starts_with(tell.as_bytes())));
        }
    }
    let best = scores.iter().copied().max().unwrap_or(0);
    match scores.iter().position(|score| *score == best) {
        Some(at) if best >= 2 => &LANGUAGES[at],
        _ => &ANY,
    }
}

/// Returns the kind of definition that a line begins, if it does.
pub(super) fn definition(language: &Language, indent: usize, text: &[u8]) -> Option<&'static str> {
    let text = std::str::from_utf8(text).ok()?;
    let (mut rest, mut modified) = (text, false);
    loop {
        let end = rest.find([' ', '\t']).unwrap_or(rest.len());
        let word = &rest[..end];
        let after = rest[end..].trim_start();
        if let Some(kind) = language.begins.iter().copied().find(|begin| begins(begin, rest, word, after))
            && check(language, kind, rest, after, modified)
        {
            return Some(kind);
        }
        let is_before = language.before.contains(&word) || word.starts_with("pub(") || word.starts_with("extern\"");
        if !is_before || after.is_empty() {
            break;
        }
        modified = true;
        rest = after;
    }
    by_shape(language.shape, indent, text, rest, modified)
}

fn begins(begin: &str, rest: &str, word: &str, after: &str) -> bool {
    // `impl<T>`, `func (`, `template<…>`, `function(` without a name is none.
    word == begin && !after.is_empty()
        || matches!(begin, "impl" | "template") && rest.strip_prefix(begin).is_some_and(|r| r.starts_with('<'))
        || word.eq_ignore_ascii_case(begin) && matches!(begin, "CREATE" | "ALTER")
}

/// Refuses what begins like a definition and is none.
fn check(language: &Language, kind: &str, rest: &str, after: &str, modified: bool) -> bool {
    match (language.name, kind) {
        // `const X: T = …` is worth a row only where it is part of the interface; `const fn` is a function.
        ("Rust", "const" | "static") => modified && !after.starts_with("fn "),
        ("Rust", "type") => after.contains('=') || after.ends_with(';'),
        ("C or C++", "#define") => after.contains('('),
        // A declaration of a variable is no definition of its type.
        ("C or C++", "struct" | "union" | "enum" | "class") => {
            !rest.ends_with(';') && !rest.contains('(') && !rest.contains('=')
        }
        ("Go", "type") => !after.starts_with('('),
        ("JavaScript or TypeScript", "type" | "module" | "namespace" | "enum" | "interface") => {
            after.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$' | '"' | '\''))
                && !after.starts_with("of ")
                && after.contains(['=', '{', '<'])
        }
        ("C#" | "Java", "record" | "enum" | "class" | "interface" | "struct") => !after.starts_with(['=', '(', '.']),
        ("SQL", "ALTER") => false,
        _ => {
            after.starts_with(|c: char| {
                c.is_alphabetic() || matches!(c, '_' | '$' | '(' | '<' | '"' | '`' | '~' | '\'' | '{' | '*' | '[')
            }) || matches!(kind, "@media" | "@keyframes" | "@font-face" | "@layer" | "@mixin" | "template")
        }
    }
}

/// Words before a parenthesis that are no names of functions.
const CONTROL: [&str; 22] = [
    "if",
    "for",
    "while",
    "switch",
    "return",
    "else",
    "catch",
    "do",
    "sizeof",
    "new",
    "throw",
    "case",
    "using",
    "lock",
    "foreach",
    "await",
    "typeof",
    "super",
    "this",
    "assert",
    "synchronized",
    "constructor_",
];

fn by_shape(shape: Shape, indent: usize, text: &str, rest: &str, modified: bool) -> Option<&'static str> {
    let open = text.find('(');
    let called = open.map(|at| {
        let head = text[..at].trim_end();
        head.rsplit(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '~'))).next().unwrap_or("")
    });
    let named = called.is_some_and(|name| {
        !name.is_empty() && !CONTROL.contains(&name) && !name.starts_with(|c: char| c.is_ascii_digit())
    });
    let first = text.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or("");
    if CONTROL.contains(&first) && first != "new" {
        return None;
    }
    match shape {
        Shape::None => None,
        Shape::C => {
            // A function begins at the line start and has a body, here or on the next line.
            let head = &text[..open?];
            let plain = !head.contains(['=', '"', '#', ';', '.', '+', '|'])
                && head.starts_with(|c: char| c.is_alphabetic() || c == '_');
            (indent == 0
                && named
                && plain
                && !text.ends_with([';', ',', ':'])
                && (text.ends_with(['{', ')']) || text.contains('{')))
            .then_some("function")
        }
        Shape::Java => {
            let head = &rest[..rest.find('(')?];
            let plain = !head.contains(['=', '"', '.']);
            let has_body = !text.ends_with(';') || text.contains("abstract ");
            (modified && named && plain && has_body).then_some("method")
        }
        Shape::Script => {
            let assigned = rest.starts_with("const ")
                || rest.starts_with("let ")
                || rest.starts_with("var ")
                || rest.starts_with("exports.")
                || rest.starts_with("module.exports");
            if assigned
                && (text.contains("=> ")
                    || text.ends_with("=>")
                    || text.contains("= function")
                    || text.contains("= async ")
                    || text.contains("= class"))
            {
                return (indent == 0).then_some("function");
            }
            let head = &text[..open?];
            // The members of an interface: `charAt(pos: number): string;`.
            let plain_head = !text[..open?].contains(['=', '.', ',', '"', '\'', ';', '?', '!', '&', '|', '[']);
            if named && plain_head && indent > 0 && text.ends_with(';') && text.contains("): ") {
                return Some("member");
            }
            let callback = text.contains("=>") || text.contains("function");
            let method = named
                && text.ends_with('{')
                && !callback
                && !head.contains(['=', '.', ',', '"', '\'', ';', '?', '!', '&', '|', '[']);
            (method && (indent > 0 || modified) && head.split_whitespace().count() <= 3).then_some("method")
        }
        Shape::Shell => {
            let name = text.split('(').next().unwrap_or("").trim();
            let is_name =
                !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ':' | '.'));
            (is_name && text[open?..].replace(' ', "").starts_with("()")).then_some("function")
        }
        Shape::Css => (text.ends_with('{') && text.len() > 1 && !text.starts_with('@')).then_some("rule"),
    }
}
