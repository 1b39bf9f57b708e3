//! Command lines without the secrets in them, for what is recorded of a command.
//!
//! What is masked: the value of an option, assignment, header or URL parameter whose name says that it is secret
//! (`--token X`, `API_KEY=X`, `"password": "X"`, `Authorization: Bearer X`), the user part of a URL, and words that have
//! the shape of a known kind of key. Laws: what is not secret by these rules stays as it is, a mask is always [`MASK`],
//! and masking twice changes nothing more. A name that merely contains such a word is not one: `--max-tokens 100`,
//! `--token-file path`.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::show::quote;

/// What stands for a secret.
pub const MASK: &str = "[masked]";

/// The end of a name that says its value is secret.
const NAME: &str = r"(?:token|passw(?:or)?d|passphrase|secret|(?:api|secret|access|private|signing|encryption|master|account|auth|session|license|deploy|ssh|gpg)[_-]?key|apikey|credentials?|(?:\b|[_-])(?:pass|auth)|[_-]pwd)";

/// A value in a text that a shell, a URL or JSON takes apart.
const VALUE: &str = r#"(?:"[^"\n]*"|'[^'\n]*'|\\"[^"\\\n]*\\"|\$\([^)\n]*\)|[^\s"'`;&|<>(){},]+)"#;

fn regex(pattern: &str) -> Option<Regex> {
    // A test compiles each; one that does not compile would mask nothing. Words end where ASCII words do.
    Regex::new(&format!("(?i){}", pattern.replace(r"\b", r"(?-u:\b)"))).ok()
}

/// An option alone, whose value is the next word.
static OPTION: LazyLock<Option<Regex>> = LazyLock::new(|| regex(&format!("^--?[a-z0-9_.-]*?{NAME}$")));
/// A word that begins with a name and `=`.
static ASSIGNED: LazyLock<Option<Regex>> = LazyLock::new(|| regex(&format!("^(?:--?)?[a-z0-9_.-]*?{NAME}=")));
/// `--token VALUE` in a script.
static OPTION_VALUE: LazyLock<Option<Regex>> =
    LazyLock::new(|| regex(&format!(r"(?P<keep>(?:^|[\s'`(])--?[a-z0-9_.-]*?{NAME}[ \t]+)(?P<value>{VALUE})")));
/// `NAME=VALUE`, `"name": "value"`, `name: value`.
static NAME_VALUE: LazyLock<Option<Regex>> =
    LazyLock::new(|| regex(&format!(r#"(?P<keep>{NAME}(?:\\?["'])?[ \t]*[=:][ \t]*)(?P<value>{VALUE})"#)));
/// Headers whose whole value is secret, but for the scheme.
static HEADER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(concat!(
        r#"(?P<keep>\b(?:(?:proxy-)?authorization|(?:set-)?cookie)["']?[ \t]*[:=][ \t]*["']?"#,
        r"(?:(?:bearer|basic|token|digest|negotiate|apikey)[ \t]+)?)",
        r#"(?P<value>[^"'\r\n\\]+)"#
    ))
});
static SCHEME: LazyLock<Option<Regex>> =
    LazyLock::new(|| regex(r#"(?P<keep>\b(?:bearer[ \t]+))(?P<value>[a-z0-9+/=._~-]{6,})"#));
/// The user of a URL: all of it if there is a password, or where a lone user is a token.
static URL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(r#"(?P<keep>\b(?:https?://|[a-z][a-z0-9+.-]*://[^\s/@:'"]*:))(?P<value>[^\s/'"]+)(?P<after>@)"#)
});
/// `curl -u name:password`.
static USER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(r#"(?P<keep>(?:^|\s)(?:-u|--user|--proxy-user)[ \t=]*["']?[^\s:"']+:)(?P<value>[^\s"']*[^\s"'0-9:][^\s"']*)"#)
});
/// `-pPASSWORD` of the programs that take it so.
static SHORT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(
        r"(?P<keep>\b(?:(?:mysql|mariadb)[a-z-]*\b[^;&|\n]*?\s-p|sshpass[ \t]+-p[ \t]*|redis-cli\b[^;&|\n]*?\s-a[ \t]+))(?P<value>[^\s;&|]+)",
    )
});
/// Words that have the shape of a key.
static SHAPE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(concat!(
        r"(?P<value>\b(?:sk-[a-z0-9_-]{8,}|[rsp]k_(?:live|test)_[a-z0-9]{8,}|gh[opusr]_[a-z0-9]{6,}|",
        r"github_pat_[a-z0-9_]{10,}|glpat-[a-z0-9_-]{10,}|xox[abeprs]-[a-z0-9-]{8,}|A[KS]IA[A-Z0-9]{12,}|",
        r"AIza[a-z0-9_-]{20,}|npm_[a-z0-9]{20,}|pypi-[a-z0-9_-]{20,}|hf_[a-z0-9]{16,}|shp(?:at|ss|ca)_[a-z0-9]{16,}|",
        r"dop_v1_[a-z0-9]{16,}|SG\.[a-z0-9_-]{10,}\.[a-z0-9_-]{10,}|AGE-SECRET-KEY-1[a-z0-9]{20,}|",
        r"eyJ[a-z0-9_-]{5,}\.[a-z0-9_-]+(?:\.[a-z0-9_-]*)?)|",
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?)"
    ))
});

/// The rules, and what a text has to contain in lower case for a rule to be looked at: making a rule costs more than
/// all the looking.
static RULES: [(&LazyLock<Option<Regex>>, &[&str]); 8] = [
    (&HEADER, &["authorization", "cookie"]),
    (&SCHEME, &["bearer"]),
    (&URL, &["://"]),
    (&OPTION_VALUE, NAMES),
    (&NAME_VALUE, NAMES),
    (&USER, &["-u", "--user", "-user"]),
    (&SHORT, &["mysql", "mariadb", "redis-cli", "sshpass"]),
    (&SHAPE, SHAPES),
];

/// What every name has that [`NAME`] fits.
const NAMES: &[&str] = &["token", "pass", "secret", "key", "credential", "auth", "pwd"];

/// What every word has that [`SHAPE`] fits.
const SHAPES: &[&str] = &[
    "sk-",
    "k_live_",
    "k_test_",
    "gho_",
    "ghp_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xox",
    "akia",
    "asia",
    "aiza",
    "npm_",
    "pypi-",
    "hf_",
    "shpat_",
    "shpss_",
    "shpca_",
    "dop_v1_",
    "sg.",
    "age-secret-key",
    "eyj",
    "-----begin",
];

/// Returns a text (a script, one argument) with its secrets masked.
pub fn mask(text: &str) -> Cow<'_, str> {
    let lower = text.to_ascii_lowercase();
    let mut masked = Cow::Borrowed(text);
    for (rule, hints) in RULES {
        if hints.iter().any(|hint| lower.contains(hint))
            && let Some(rule) = rule.as_ref()
            && let Cow::Owned(changed) = rule.replace_all(&masked, put)
        {
            masked = Cow::Owned(changed);
        }
    }
    masked
}

fn put(found: &Captures<'_>) -> String {
    let part = |name: &str| found.name(name).map_or("", |m| m.as_str());
    let value = part("value");
    let bare = value.trim_matches(|c| c == '"' || c == '\'' || c == '\\');
    // Names of variables are not what is in them; a key always has a digit, `sk-learn-contrib` has none.
    let harmless = bare.is_empty()
        || bare == MASK
        || value.starts_with('-') && part("keep").ends_with([' ', '\t'])
        || bare.starts_with('$')
        || value.starts_with("sk-") && !value.contains(|c: char| c.is_ascii_digit());
    let text = if harmless { value } else { MASK };
    format!("{}{text}{}", part("keep"), part("after"))
}

/// Returns a command line of these words as a shell would read it, with its secrets masked.
pub fn command_line<S: AsRef<str>>(words: &[S]) -> String {
    let fits = |rule: &LazyLock<Option<Regex>>, word: &str| rule.as_ref().is_some_and(|rule| rule.is_match(word));
    let mut shown: Vec<String> = Vec::with_capacity(words.len());
    let mut secret = false;
    for word in words.iter().map(AsRef::as_ref) {
        let lower = word.to_ascii_lowercase();
        let hint = NAMES.iter().any(|name| lower.contains(name));
        if secret && !word.starts_with('-') {
            shown.push(MASK.to_owned());
        } else if let (true, Some((name, value))) = (hint, word.split_once('='))
            && !value.is_empty()
            && fits(&ASSIGNED, &word[..=name.len()])
        {
            shown.push(format!("{}={MASK}", quote(name)));
        } else {
            shown.push(requote(&mask(word)));
        }
        secret = hint && word.starts_with('-') && fits(&OPTION, word);
    }
    // Options that take their secret in a word of its own are only seen with their program.
    mask(&shown.join(" ")).into_owned()
}

/// Quotes a word for the shell; a mask needs no quotes.
fn requote(word: &str) -> String {
    let quoted = quote(&word.replace(MASK, "masked"));
    if quoted.starts_with('\'') { quote(word) } else { word.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(line: &str) -> String {
        command_line(&line.split(' ').collect::<Vec<_>>())
    }

    #[test]
    fn every_rule_compiles() {
        for rule in [&OPTION, &ASSIGNED, &OPTION_VALUE, &NAME_VALUE, &HEADER, &SCHEME, &URL, &USER, &SHORT, &SHAPE] {
            assert!(rule.is_some());
        }
    }

    #[test]
    fn values_of_secret_options_are_masked() {
        for (line, shown) in [
            ("curl --token sk-abcdefgh12345678 x", "curl --token [masked] x"),
            ("x --token=abc --json", "x --token=[masked] --json"),
            ("x --api-key abc -v", "x --api-key [masked] -v"),
            ("x --password -v", "x --password -v"),
            ("API_KEY=abc make all", "API_KEY=[masked] make all"),
            ("env PGPASSWORD=a&b;c psql", "env PGPASSWORD=[masked] psql"),
            ("mysql -u root -phunter2 db", "mysql -u root -p[masked] db"),
            ("sshpass -p hunter2 ssh host", "sshpass -p [masked] ssh host"),
            ("curl -u bob:hunter2 https://x", "curl -u bob:[masked] https://x"),
            ("git clone https://bob:hunter2@github.com/a/b", "git clone https://[masked]@github.com/a/b"),
            ("git clone https://ghp_abcdefgh1234@github.com/a", "git clone https://[masked]@github.com/a"),
            ("psql postgres://bob:hunter2@db:5432/x", "psql postgres://bob:[masked]@db:5432/x"),
            ("curl https://x/y?access_token=abc&n=3", "curl 'https://x/y?access_token=[masked]&n=3'"),
            ("echo AKIAIOSFODNN7EXAMPLE", "echo [masked]"),
            ("echo eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_1", "echo [masked]"),
        ] {
            assert_eq!(words(line), shown);
        }
    }

    #[test]
    fn secrets_in_scripts_and_headers_are_masked() {
        for (script, shown) in [
            ("curl -H 'Authorization: Bearer abc.def' u", "curl -H 'Authorization: Bearer [masked]' u"),
            ("curl -H \"Authorization: Token x y\" u", "curl -H \"Authorization: Token [masked]\" u"),
            ("export TOKEN=abc; run", "export TOKEN=[masked]; run"),
            ("x --token 'a b' --n 3", "x --token [masked] --n 3"),
            ("x --token abc && y", "x --token [masked] && y"),
            ("curl -d '{\"password\": \"p w\", \"n\": 1}' u", "curl -d '{\"password\": [masked], \"n\": 1}' u"),
            ("mysql --password=abc; ls", "mysql --password=[masked]; ls"),
            ("echo Bearer abcdefgh", "echo Bearer [masked]"),
            ("curl -b 'Cookie: sid=1; t=2' u", "curl -b 'Cookie: [masked]' u"),
        ] {
            assert_eq!(mask(script), shown);
        }
        assert_eq!(
            command_line(&["curl", "-H", "Authorization: Bearer abc"]),
            "curl -H 'Authorization: Bearer [masked]'"
        );
        assert_eq!(command_line(&["sh", "-c", "x --token abc; y"]), "sh -c 'x --token [masked]; y'");
        assert_eq!(mask("x --token $TOKEN"), "x --token $TOKEN");
        assert_eq!(command_line(&["x", "--password", "it's a \"secret\""]), "x --password [masked]");
    }

    #[test]
    fn what_is_not_secret_stays() {
        for line in [
            "cargo test --all-features",
            "x --max-tokens 100",
            "x --token-file /run/token",
            "docker login --password-stdin",
            "mkdir -p /tmp/a",
            "docker run -u 1000:1000 -p 80:80 x",
            "git clone git@github.com:a/b.git",
            "git clone ssh://git@github.com/a",
            "pip install sk-learn-contrib-extras",
            "echo $TOKEN",
            "env PWD=/home/x OLDPWD=/ ls",
            "grep -rn tokenizer src",
            "x --author bob --key-file k",
            "ls task-abcdefghijk12345",
            "curl https://x/y@2",
            "rg bypass=1 monkey=2",
        ] {
            let plain = command_line(&line.split(' ').collect::<Vec<_>>());
            assert!(!plain.contains(MASK), "{plain}");
            assert_eq!(mask(line), line);
        }
    }

    proptest! {
        #[test]
        fn masking_never_fails_and_settles(text in "[ -~é\\n]{0,80}") {
            let once = mask(&text).into_owned();
            let _ = command_line(&text.split(' ').collect::<Vec<_>>());
            prop_assert_eq!(mask(&once).matches(MASK).count(), once.matches(MASK).count());
        }

        #[test]
        fn the_value_of_a_token_is_never_shown(value in "[a-zA-Z0-9!#%+/=?^_.~]{4,20}") {
            prop_assume!(!value.contains("masked"));
            for line in [command_line(&["x", "--token", &value]), command_line(&["x", &format!("--token={value}")]),
                command_line(&[&format!("API_TOKEN={value}"), "x"])]
            {
                prop_assert!(!line.contains(&value), "{}", line);
            }
        }
    }
}
