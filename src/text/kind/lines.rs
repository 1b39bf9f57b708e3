//! What the lines of a text look like: a diff, a page of Markdown, source code, a log.

use bstr::ByteSlice;

/// How many lines are looked at.
const LINES: usize = 400;

/// Returns the first lines of a sample that are not blank.
pub(super) fn of(head: &[u8]) -> Vec<&[u8]> {
    let end = memchr::memrchr(b'\n', head).filter(|n| *n > head.len() / 2).unwrap_or(head.len());
    head[..end]
        .split(|b| *b == b'\n')
        .map(|line| line.trim_ascii_end())
        .filter(|line| !line.trim_ascii().is_empty())
        .take(LINES)
        .collect()
}

/// Whether most of `lines` are those of a unified diff, with at least one file's header.
pub(super) fn diff(lines: &[&[u8]]) -> bool {
    let hunk = |line: &[u8]| line.starts_with(b"@@ -") || line.starts_with(b"@@@ -");
    let header = lines.windows(3).any(|w| w[0].starts_with(b"--- ") && w[1].starts_with(b"+++ ") && hunk(w[2]))
        || lines.windows(2).any(|w| {
            let git = w[0].starts_with(b"diff --git ") || w[0].starts_with(b"diff --cc ");
            let next: [&[u8]; 8] =
                [b"index ", b"old mode", b"new file", b"deleted", b"similarity", b"rename", b"Binary", b"copy"];
            git && next.iter().any(|word| w[1].starts_with(word))
        });
    let part = |line: &&&[u8]| {
        matches!(line[0], b' ' | b'+' | b'-' | b'\\')
            || hunk(line)
            || line.starts_with(b"diff ")
            || line.starts_with(b"index ")
    };
    header && lines.iter().filter(part).count() * 2 > lines.len()
}

/// Whether the lines are Markdown: headings, and something else that only it has.
pub(super) fn markdown(lines: &[&[u8]]) -> bool {
    let (mut fenced, mut fences, mut headings, mut items, mut links, mut marks, mut rules) = (false, 0, 0, 0, 0, 0, 0);
    let (mut comments, mut deeper) = (0, 0);
    for (k, line) in lines.iter().enumerate() {
        let text = line.trim_ascii_start();
        if text.starts_with(b"```") || text.starts_with(b"~~~") {
            fenced = !fenced;
            fences += 1;
            continue;
        }
        if fenced {
            continue;
        }
        let level = line.iter().take_while(|b| **b == b'#').count();
        if (1..=6).contains(&level) && line.get(level) == Some(&b' ') {
            headings += 1;
            deeper += usize::from(level > 1);
            // Comments of a script come in runs.
            comments += usize::from(k > 0 && lines[k - 1].starts_with(b"# ") && level == 1);
        }
        let bullet = [b"- ", b"* ", b"+ "].iter().any(|b| text.starts_with(*b));
        let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
        items += usize::from(bullet || digits > 0 && text[digits..].starts_with(b". "));
        links += usize::from(
            text.contains_str("](") || text.starts_with(b"[![") || text.starts_with(b"[") && text.contains_str("]: "),
        );
        marks += usize::from(text.contains_str("**") || text.find_iter(b"`").count() >= 2);
        let rule = text.len() >= 3 && (text.iter().all(|b| *b == b'=') || text.iter().all(|b| *b == b'-'));
        rules += usize::from(rule && k > 0 || text.starts_with(b"|") && text.ends_with(b"|"));
    }
    let others = [fences > 0, items > 0, links > 0, marks > 0].iter().filter(|x| **x).count();
    // A guide of headings and plain words: no script has so many comments of two marks, and none in a row.
    if deeper >= 3 && comments == 0 && headings * 2 <= lines.len() + 2 {
        return true;
    }
    if headings > 0 && comments * 3 <= headings {
        return headings + fences + items + links + marks + rules >= 3 && (others >= 2 || headings >= 3 && others >= 1);
    }
    rules > 0 && others >= 2 && links > 0
}

/// The words that begin a line of source code.
const KEYWORDS: &[&str] = &[
    "import ",
    "from ",
    "export ",
    "package ",
    "use ",
    "pub ",
    "fn ",
    "let ",
    "const ",
    "var ",
    "func ",
    "function ",
    "def ",
    "class ",
    "struct ",
    "enum ",
    "impl ",
    "trait ",
    "interface ",
    "type ",
    "return",
    "if ",
    "if(",
    "for ",
    "for(",
    "while ",
    "else",
    "elif ",
    "switch ",
    "case ",
    "match ",
    "try",
    "catch",
    "public ",
    "private ",
    "protected ",
    "static ",
    "void ",
    "int ",
    "char ",
    "async ",
    "await ",
    "namespace ",
    "using ",
    "module ",
    "require",
    "declare ",
    "#include",
    "#define",
    "#if",
    "#endif",
    "#pragma",
    "#[",
    "//",
    "/*",
    "*/",
    "* ",
    "@",
    "CREATE ",
    "INSERT ",
    "SELECT ",
    "ALTER ",
    "DROP ",
    "PRAGMA ",
    "BEGIN",
    "COMMIT",
    "self.",
    "print(",
    "with ",
    "raise ",
    "extern ",
    "template",
    "typedef ",
    "unsigned ",
    "end",
];

/// Whether the lines are source code, also minified.
pub(super) fn code(lines: &[&[u8]]) -> bool {
    let Some(first) = lines.first() else { return false };
    if first.starts_with(b"#!") || first.starts_with(b"<?php") {
        return true;
    }
    let (mut worded, mut closed, mut seen) = (0, 0, 0u128);
    for line in lines {
        let text = line.trim_ascii();
        if let Some(k) = KEYWORDS.iter().position(|word| text.starts_with(word.as_bytes())) {
            worded += 1;
            seen |= 1 << (k % 128);
        }
        closed += usize::from(matches!(text.last(), Some(b'{' | b';' | b'}' | b'(')) || text.ends_with(b"):"));
    }
    let bytes: usize = lines.iter().map(|line| line.len()).sum();
    if bytes / lines.len() > 1000 {
        // Few lines, long ones: minified, if it is made of what programs are made of.
        let signs = lines.iter().flat_map(|line| line.iter()).filter(|b| b"(){};=,.[]".contains(b)).count();
        let words = [&b"function"[..], b"=>", b"return", b"var ", b"{display:", b"{color:", b"{margin"];
        let seen = words.iter().filter(|w| lines.iter().any(|line| line.contains_str(w))).count();
        return signs * 10 > bytes && seen > 1;
    }
    // One word that begins all lines is the name of a field, not a language.
    (worded + closed) * 2 > lines.len()
        && worded * 8 > lines.len()
        && (closed * 8 > lines.len() || seen.count_ones() > 2)
}

/// What lines of builds, tests and package managers begin with.
const STEPS: &[&str] = &[
    "Compiling ",
    "Downloading ",
    "Downloaded ",
    "Running ",
    "Finished ",
    "Checking ",
    "Building ",
    "Installing ",
    "Collecting ",
    "Requirement already",
    "Using cached ",
    "Successfully ",
    "Get:",
    "Hit:",
    "Fetched ",
    "Unpacking ",
    "Setting up ",
    "Selecting ",
    "Preparing to ",
    "npm ",
    "yarn ",
    "make",
    "gcc ",
    "g++ ",
    "cc ",
    "clang",
    "ld ",
    "cmake",
    "-- ",
    "> Task ",
    "test ",
    "ok ",
    "not ok ",
    "PASS",
    "FAIL",
    "=== RUN",
    "--- PASS",
    "--- FAIL",
    "ok\t",
    "running ",
    "error",
    "warning",
    "note:",
    "Error",
    "Warning",
    "Traceback",
    "collected ",
    "=====",
    "Step ",
    "#1 ",
    "=> ",
    " ---> ",
    "+ ",
    "Cloning ",
    "remote: ",
    "Receiving ",
    "Resolving ",
    "Updating ",
    "Adding ",
    "Fresh ",
    "Dirty ",
    "at ",
    "File \"",
    "--> ",
    "Caused by",
    "TASK [",
    "PLAY ",
];

/// Whether the lines are a log, or what a build or a test run prints.
pub(super) fn log(lines: &[&[u8]]) -> bool {
    let (mut stamped, mut steps, mut diagnostics) = (0usize, 0usize, 0usize);
    for line in lines {
        let line = crate::text::clean::line(&line[..line.len().min(400)]);
        let text = line.as_bytes();
        if time(&text[..text.len().min(80)]) || level(&text[..text.len().min(80)]) {
            stamped += 1;
        } else {
            let text = text.trim_ascii();
            let ends = text.ends_with(b"... ok")
                || text.ends_with(b"%]")
                || text.ends_with(b"FAILED")
                || text.ends_with(b"PASSED");
            // `src/x.c:12:5: error: …`, the notes below it, and the frames of code with their gutters.
            let place = text.split(|b| *b == b' ').next().is_some_and(|w| w.find_iter(b":").count() >= 2);
            diagnostics += usize::from(place && [&b"error"[..], b"warning"].iter().any(|w| text.contains_str(w)));
            let gutter = text.iter().take_while(|b| b.is_ascii_digit() || **b == b' ').count();
            let framed = text.get(gutter) == Some(&b'|') || text.iter().all(|b| b"^~- ".contains(b));
            steps += usize::from(ends || place || framed || STEPS.iter().any(|word| text.starts_with(word.as_bytes())));
        }
    }
    stamped * 4 > lines.len() || diagnostics * 8 > lines.len() || (stamped + steps) * 5 > lines.len() * 2
}

/// Whether the first lines all begin with a time or a level: a log, however regular its fields.
pub(super) fn stamped_first(lines: &[&[u8]]) -> bool {
    let first = &lines[..lines.len().min(10)];
    first.iter().all(|line| time(&line[..line.len().min(80)]) || level(&line[..line.len().min(80)]))
}

/// Whether a time of day or a date with a time stands there: `04:12:31`, `2026-11-08T04`.
fn time(text: &[u8]) -> bool {
    let digits = |w: &[u8], at: &[usize]| at.iter().all(|&k| w[k].is_ascii_digit());
    let clock = |w: &[u8]| w[2] == b':' && w[5] == b':' && digits(w, &[0, 1, 3, 4, 6, 7]);
    let date = |w: &[u8]| w[4] == b'-' && w[7] == b'-' && digits(w, &[0, 1, 2, 3, 5, 6, 8, 9]);
    text.windows(8).any(clock) || text.len() >= 10 && date(&text[..10])
}

/// Whether the line gives itself a level: `INFO`, `[warn]`, `level=error`.
fn level(text: &[u8]) -> bool {
    const WORDS: &[&str] = &[
        "INFO", "WARN", "WARNING", "ERROR", "DEBUG", "TRACE", "FATAL", "SEVERE", "NOTICE", "CRITICAL", "[info]",
        "[warn]", "[error]", "[debug]", "level=",
    ];
    WORDS.iter().any(|word| {
        text.find(word.as_bytes()).is_some_and(|at| {
            let bound = |b: Option<&u8>| b.is_none_or(|b| !b.is_ascii_alphanumeric() && *b != b'_' && *b != b'"');
            let end = at + word.len();
            bound(at.checked_sub(1).map(|n| &text[n])) && (word.ends_with(['=', ']']) || bound(text.get(end)))
        })
    })
}
