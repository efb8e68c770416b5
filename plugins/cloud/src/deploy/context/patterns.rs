//! The patterns that exclude files from a build context.
//!
//! As in Docker, patterns are relative to the folder. The last pattern that matches a path or one of its parents determines whether the
//! path is excluded. A pattern means what it means for Docker's own matcher (`github.com/moby/patternmatcher`), whose answers
//! `patterns/docker.json` records.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::Path;
use std::str::Chars;

use bot_cli_protocol::failure::Failure;
use regex::Regex;

use super::not_packed;
use crate::files::{exists, short_text};
use crate::words::failed;

/// The patterns to exclude at any depth if there is no `.dockerignore`.
#[rustfmt::skip]
const USUAL: &[&str] = &[
    // Version control.
    ".bzr", ".hg", ".jj", ".svn", "CVS",
    // Virtual environments and installed packages.
    ".direnv", ".nox", ".tox", ".venv", "node_modules", "venv", "virtualenv",
    // Caches and reports.
    "*.py[cod]", ".cache", ".coverage", ".coverage.*", ".eggs", ".hypothesis", ".ipynb_checkpoints", ".mypy_cache", ".npm",
    ".nyc_output", ".parcel-cache", ".pytest_cache", ".ruff_cache", ".turbo", "__pycache__", "htmlcov",
    // Keys and credentials.
    "*.jks", "*.key", "*.keystore", "*.p12", "*.pem", "*.pfx", ".aws", ".envrc", ".gnupg", ".netrc", ".pypirc", ".ssh",
    "id_dsa", "id_ecdsa", "id_ed25519", "id_rsa",
    // Build artefacts and logs.
    "*.egg", "*.egg-info", "*.log", ".next", ".nuxt", ".svelte-kit", "build", "dist",
    // Editors and desktops.
    "*.swo", "*.swp", "*~", ".DS_Store", ".idea", ".vscode", "Thumbs.db", "desktop.ini",
];

/// The patterns, in order of increasing precedence.
pub(super) struct Patterns(Vec<Pattern>);

struct Pattern {
    /// The pattern without `!`, in its shortest form.
    text: String,
    matcher: Matcher,
    is_negated: bool,
}

enum Matcher {
    Exact,
    /// The pattern ends with `**`.
    Prefix,
    /// The pattern begins with `**`.
    Suffix,
    Regex(Regex),
}

impl Patterns {
    /// Reads the Dockerfile's own ignore file or else `.dockerignore`, or uses [`USUAL`] if there is no such file. The extra patterns take
    /// precedence.
    pub(super) fn read(
        folder: &Path,
        dockerfile: &Path,
        extra: &[String],
    ) -> Result<Self, Failure> {
        let mut own = OsString::from(folder.join(dockerfile));
        own.push(".dockerignore");
        let mut lines = None;
        for path in [own.into(), folder.join(".dockerignore")] {
            let could_not = |reason| not_packed(&path, reason);
            if exists(&path).map_err(|it| could_not(it.into()))? {
                let (text, _) = short_text(&path).map_err(could_not)?;
                lines = Some(lines_of(&text));
                break;
            }
        }
        let usual = || USUAL.iter().copied().map(at_any_depth).collect();
        let mut lines = lines.unwrap_or_else(usual);
        let extra = extra
            .iter()
            .flat_map(|pattern| lines_of(&at_any_depth(pattern)));
        lines.extend(extra);
        let patterns = lines.iter().map(|line| Pattern::parse(line));
        patterns.collect::<Result<_, _>>().map(Self)
    }

    pub(super) fn exclude(&self, path: &Path) -> bool {
        let parts = path.ancestors();
        let parts = parts.take_while(|part| !part.as_os_str().is_empty());
        let parts: Vec<Cow<'_, str>> = parts.map(Path::to_string_lossy).collect();
        let decisive = self.0.iter().rev().find(|pattern| {
            let mut parts = parts.iter();
            parts.any(|part| pattern.matches(part))
        });
        decisive.is_some_and(|pattern| !pattern.is_negated)
    }

    /// Reports whether a negated pattern matches the path itself, and not only one of its parents.
    pub(super) fn name(&self, path: &Path) -> bool {
        let path = path.to_string_lossy();
        let mut negated = self.0.iter().filter(|pattern| pattern.is_negated);
        negated.any(|pattern| pattern.matches(&path))
    }

    /// Reports whether a negated pattern may match a path below an excluded folder.
    pub(super) fn include_again(&self, folder: &Path) -> bool {
        let folder = format!("{}/", folder.to_string_lossy());
        let mut negated = self.0.iter().filter(|pattern| pattern.is_negated);
        negated.any(|pattern| {
            let literal = pattern.text.split(['*', '?', '[', '\\']).next();
            let literal = literal.unwrap_or_default();
            let is_whole = literal == pattern.text;
            literal.starts_with(&folder) || (!is_whole && folder.starts_with(literal))
        })
    }
}

/// Returns the patterns in an ignore file. A pattern that begins with `/` is relative to the folder, too.
fn lines_of(text: &str) -> Vec<String> {
    let lines = text.trim_start_matches('\u{feff}').lines();
    let patterns = lines.filter(|line| !line.starts_with('#')).map(str::trim);
    let patterns = patterns.filter(|line| !line.is_empty());
    let patterns = patterns.map(|line| {
        let (negation, pattern) = match line.strip_prefix('!') {
            Some(pattern) => ("!", pattern.trim()),
            None => ("", line),
        };
        let clean = if pattern.is_empty() {
            "".into()
        } else {
            clean(pattern)
        };
        let relative = clean.strip_prefix('/').filter(|it| !it.is_empty());
        format!("{negation}{}", relative.unwrap_or(&clean))
    });
    patterns.collect()
}

/// Returns the shortest equal path, without access to the files.
fn clean(path: &str) -> String {
    let is_absolute = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match (part, parts.last()) {
            ("" | ".", _) => {}
            ("..", Some(last)) if *last != ".." => drop(parts.pop()),
            ("..", None) if is_absolute => {}
            _ => parts.push(part),
        }
    }
    match (is_absolute, parts.join("/")) {
        (true, path) => format!("/{path}"),
        (false, path) if path.is_empty() => ".".to_owned(),
        (false, path) => path,
    }
}

/// Prefixes a pattern without a slash with `**/`, so that it matches at any depth.
fn at_any_depth(pattern: &str) -> String {
    let name = pattern.trim_start_matches('!');
    let negation = &pattern[..pattern.len() - name.len()];
    let bare = name.trim_end_matches('/');
    if bare.is_empty() || bare.contains('/') {
        return pattern.to_owned();
    }
    format!("{negation}**/{name}")
}

impl Pattern {
    fn parse(line: &str) -> Result<Self, Failure> {
        let invalid = |reason: String| {
            let message = format!("the pattern `{line}` is invalid: {reason}");
            failed("invalid_pattern", message)
        };
        let text = clean(line);
        let negated = text.strip_prefix('!');
        let pattern = negated.unwrap_or(&text);
        if negated == Some("") {
            return Err(invalid("it has only `!`".to_owned()));
        }
        check(pattern).map_err(|reason| invalid(reason.to_owned()))?;
        let matcher = Matcher::new(pattern)
            .map_err(|_| invalid("a class or an escape that can't be read".to_owned()))?;
        Ok(Self {
            text: pattern.to_owned(),
            matcher,
            is_negated: negated.is_some(),
        })
    }

    fn matches(&self, path: &str) -> bool {
        let text = self.text.as_str();
        match &self.matcher {
            Matcher::Exact => path == text,
            Matcher::Prefix => path.starts_with(text.trim_end_matches("**")),
            Matcher::Suffix => {
                let suffix = &text[2..];
                path.ends_with(suffix) || suffix.strip_prefix('/') == Some(path)
            }
            Matcher::Regex(regex) => regex.is_match(path),
        }
    }
}

impl Matcher {
    /// Translates a pattern as Docker does.
    fn new(pattern: &str) -> Result<Self, regex::Error> {
        let mut regex = String::from("^");
        let (mut has_prefix, mut has_suffix, mut is_regex) = (false, false, false);
        let mut left = pattern.chars().peekable();
        let mut is_first = true;
        while let Some(character) = left.next() {
            match character {
                '*' if left.next_if_eq(&'*').is_some() => {
                    left.next_if_eq(&'/');
                    if left.peek().is_some() {
                        regex.push_str("(.*/)?");
                        is_regex = true;
                    } else if is_regex || has_suffix {
                        regex.push_str(".*");
                        is_regex = true;
                    } else {
                        has_prefix = true;
                    }
                    if is_first {
                        (has_suffix, is_regex) = (true, false);
                    }
                }
                '*' => {
                    regex.push_str("[^/]*");
                    is_regex = true;
                }
                '?' => {
                    regex.push_str("[^/]");
                    is_regex = true;
                }
                // Docker means to escape `{`, `|` and `}`, too, and does not.
                '.' | '+' | '(' | ')' | '$' => regex.extend(['\\', character]),
                '\\' => {
                    regex.push('\\');
                    regex.extend(left.next());
                    is_regex = true;
                }
                '[' | ']' => {
                    regex.push(character);
                    is_regex = true;
                }
                _ => regex.push(character),
            }
            is_first = false;
        }
        Ok(match (is_regex, has_suffix, has_prefix) {
            (true, ..) => Self::Regex(Regex::new(&in_rust(&(regex + "$")))?),
            (false, true, _) => Self::Suffix,
            (false, false, true) => Self::Prefix,
            (false, false, false) => Self::Exact,
        })
    }
}

/// Translates a regular expression of Go: within a class, Rust knows further classes and operators.
fn in_rust(regex: &str) -> String {
    let mut rust = String::with_capacity(regex.len());
    let mut left = regex.chars().peekable();
    let mut in_class = false;
    while let Some(character) = left.next() {
        match character {
            '\\' => match left.next() {
                Some(mark @ ('<' | '>')) => rust.push(mark),
                escaped => rust.extend(['\\'].into_iter().chain(escaped)),
            },
            '[' if !in_class => {
                in_class = true;
                rust.push('[');
                rust.extend(left.next_if_eq(&'^'));
                if left.next_if_eq(&']').is_some() {
                    rust.push_str("\\]");
                }
            }
            '[' if left.peek() == Some(&':') => {
                rust.push('[');
                while let Some(name) = left.next_if(|it| *it != ']') {
                    rust.push(name);
                }
                rust.extend(left.next());
            }
            // Braces are themselves, but for a number of repetitions.
            '{' if !in_class && !left.peek().is_some_and(char::is_ascii_digit) => {
                rust.push_str("\\{");
            }
            '[' | '&' | '~' if in_class => rust.extend(['\\', character]),
            ']' if !in_class => rust.push_str("\\]"),
            ']' => {
                in_class = false;
                rust.push(']');
            }
            _ => rust.push(character),
        }
    }
    rust
}

/// Fails for the syntax that Docker refuses. It looks at a pattern as far as the first `*` at which a comparison with `.` ends.
fn check(pattern: &str) -> Result<(), &'static str> {
    const UNCLOSED: &str = "unclosed character class; missing ']'";
    fn end(left: &mut Chars<'_>) -> Result<(), &'static str> {
        match left.next() {
            Some('-' | ']') => return Err("a character class without a character"),
            Some('\\') => drop(left.next()),
            _ => {}
        }
        // Something has to close the class.
        left.clone().next().map(drop).ok_or(UNCLOSED)
    }
    let mut left = pattern.trim_start_matches('*').chars();
    let mut before = String::new();
    while let Some(character) = left.next() {
        match character {
            '*' if !["", ".", "?"].contains(&before.as_str()) => break,
            '*' => {
                before.clear();
                continue;
            }
            '\\' => drop(left.next().ok_or("dangling '\\'")?),
            '[' => {
                let rest = left.as_str();
                left = rest.strip_prefix('^').unwrap_or(rest).chars();
                let mut is_empty = true;
                while is_empty || !left.as_str().starts_with(']') {
                    end(&mut left)?;
                    if left.as_str().starts_with('-') {
                        left.next();
                        end(&mut left)?;
                    }
                    is_empty = false;
                }
                left.next();
            }
            _ => {}
        }
        before.push(character);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Pattern, Patterns, lines_of};

    #[test]
    fn patterns_mean_what_docker_says() {
        #[derive(serde::Deserialize)]
        struct Row {
            ignore: String,
            #[serde(default)]
            excluded: Vec<String>,
            #[serde(default)]
            sent: Vec<String>,
        }
        let (mut answers, mut wrong) = (0, Vec::new());
        for row in include_str!("patterns/docker.json").lines() {
            let row: Row = serde_json::from_str(row).unwrap();
            let lines = lines_of(&row.ignore);
            let patterns = lines.iter().map(|line| Pattern::parse(line));
            let is_refused = row.excluded.is_empty() && row.sent.is_empty();
            match patterns.collect::<Result<_, _>>().map(Patterns) {
                Err(_) if is_refused => answers += 1,
                Ok(_) if is_refused => wrong.push(format!("{:?} is refused", row.ignore)),
                Err(failure) => wrong.push(format!("{:?}: {}", row.ignore, failure.message)),
                Ok(patterns) => {
                    for (paths, is_excluded) in [(&row.excluded, true), (&row.sent, false)] {
                        for path in paths {
                            answers += 1;
                            if patterns.exclude(Path::new(path)) != is_excluded {
                                wrong.push(format!("{:?} {path}: {is_excluded}", row.ignore));
                            }
                        }
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{answers} right, {wrong:#?}");
        assert!(answers > 2000, "{answers}");
    }

    #[test]
    fn refuses_invalid_patterns() {
        for (text, reason) in [
            ("a[b", "unclosed character class; missing ']'"),
            (r"a\", r"dangling '\'"),
            ("!", "it has only `!`"),
            ("[b-a]", "a class or an escape that can't be read"),
        ] {
            let failure = Pattern::parse(text).err().unwrap();
            let message = format!("the pattern `{text}` is invalid: {reason}");
            assert_eq!(failure.message, message);
        }
    }

    #[test]
    fn usual_names_apply_without_a_file_and_extra_patterns_always() {
        let folder = tempfile::tempdir().unwrap();
        let extra = ["*.mp3", "!build", "assets/raw/", "drafts/"].map(str::to_owned);
        let read = || Patterns::read(folder.path(), Path::new("Dockerfile"), &extra).unwrap();
        let excluded = "a/node_modules/b .venv/a a.pyc a/b.pyo a.key a/b.log a.mp3 a/b.mp3 dist \
            assets/raw/a a/drafts/b";
        let included = "a.py build/a a/build node_modules2 a.keys a/assets/raw Dockerfile";
        let patterns = read();
        for path in excluded.split_whitespace() {
            assert!(patterns.exclude(Path::new(path)), "{path}");
        }
        for path in included.split_whitespace() {
            assert!(!patterns.exclude(Path::new(path)), "{path}");
        }
        // A file replaces the usual names, even an empty one. The extra patterns come after it.
        for (text, expected) in [("", false), ("\u{feff}a.mp4\r\n", true)] {
            std::fs::write(folder.path().join(".dockerignore"), text).unwrap();
            let patterns = read();
            assert_eq!(patterns.exclude(Path::new("a.mp4")), expected);
            assert!(patterns.exclude(Path::new("a.mp3")));
            assert!(!patterns.exclude(Path::new("node_modules")));
        }
    }
}
