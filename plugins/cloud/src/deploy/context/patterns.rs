//! The patterns that exclude files from a build context.
//!
//! As in Docker, patterns are relative to the folder. The last pattern that matches a path or one of its parents determines whether the
//! path is excluded. A pattern means what it means for Docker's own matcher (`github.com/moby/patternmatcher`), whose answers
//! `patterns/docker.json` records.

use std::path::Path;

use bot_cli_protocol::failure::Failure;
use bot_cli_vault::files::exists;
use regex::Regex;

use super::not_packed;
use crate::files::short_text;
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
    regex: Regex,
    is_negated: bool,
}

impl Patterns {
    /// Reads the Dockerfile's own ignore file or else `.dockerignore`, or uses [`USUAL`] if there is no such file. The extra patterns take
    /// precedence.
    pub(super) fn read(
        folder: &Path,
        dockerfile: &Path,
        extra: &[String],
    ) -> Result<Self, Failure> {
        let mut own = folder.join(dockerfile).into_os_string();
        own.push(".dockerignore");
        let mut text = USUAL.iter().map(|it| at_any_depth(it)).collect();
        for path in [folder.join(".dockerignore"), own.into()] {
            let could_not = |reason| not_packed(&path, reason);
            if exists(&path).map_err(|it| could_not(it.into()))? {
                (text, _) = short_text(&path).map_err(could_not)?;
            }
        }
        text.push('\n');
        text.extend(extra.iter().map(|pattern| at_any_depth(pattern)));
        Self::parse(&text)
    }

    fn parse(text: &str) -> Result<Self, Failure> {
        let lines = text.trim_start_matches('\u{feff}').lines();
        let patterns = lines.filter_map(|line| Pattern::parse(line).transpose());
        patterns.collect::<Result<_, _>>().map(Self)
    }

    pub(super) fn exclude(&self, path: &Path) -> bool {
        let parts = path.ancestors();
        let parts = parts.take_while(|part| !part.as_os_str().is_empty());
        let parts: Vec<String> = parts.map(slashed).collect();
        let mut patterns = self.0.iter().rev();
        let decisive = patterns.find(|it| parts.iter().any(|part| it.regex.is_match(part)));
        decisive.is_some_and(|pattern| !pattern.is_negated)
    }

    fn negated(&self) -> impl Iterator<Item = &Pattern> {
        self.0.iter().filter(|pattern| pattern.is_negated)
    }

    /// Reports whether a negated pattern matches the path itself, and not only one of its parents.
    pub(super) fn name(&self, path: &Path) -> bool {
        let path = slashed(path);
        self.negated().any(|pattern| pattern.regex.is_match(&path))
    }

    /// Reports whether a negated pattern may match a path below an excluded folder.
    pub(super) fn include_again(&self, folder: &Path) -> bool {
        let folder = slashed(folder) + "/";
        self.negated().any(|Pattern { text, .. }| {
            let literal = text.split(SPECIAL).next().unwrap_or_default();
            literal.starts_with(&folder) || (literal != text && folder.starts_with(literal))
        })
    }
}

/// Returns a path as patterns have it, with slashes on every system.
pub(super) fn slashed(path: &Path) -> String {
    let parts = path.iter().map(|part| part.to_string_lossy());
    parts.collect::<Vec<_>>().join("/")
}

/// Returns a line with a pattern that matches at any depth if it has no slash.
fn at_any_depth(pattern: &str) -> String {
    let name = pattern.trim_start_matches('!');
    let negation = &pattern[..pattern.len() - name.len()];
    let bare = name.trim_end_matches('/');
    let is_name = !bare.contains('/') && !["", "."].contains(&bare);
    let depth = if is_name { "**/" } else { "" };
    format!("{negation}{depth}{name}\n")
}

/// The characters for which Docker uses a regular expression.
const SPECIAL: [char; 5] = ['*', '?', '[', ']', '\\'];

impl Pattern {
    /// Parses a line. Returns `None` if the line is empty or a comment, or if the pattern refers to the folder itself.
    fn parse(line: &str) -> Result<Option<Self>, Failure> {
        let text = line.trim();
        let negated = text.strip_prefix('!').map(str::trim);
        let mut parts: Vec<&str> = Vec::new();
        for part in negated.unwrap_or(text).split('/') {
            match (part, parts.last()) {
                ("" | ".", _) => {}
                ("..", Some(last)) if *last != ".." => drop(parts.pop()),
                ("..", None) if text.starts_with('/') => {}
                _ => parts.push(part),
            }
        }
        if line.starts_with('#') || parts.is_empty() {
            return Ok(None);
        }
        let pattern = parts.join("/");
        let regex = Regex::new(&regex(&pattern)).map_err(|_| {
            let reason = "a class or an escape that can't be read";
            let message = format!("the pattern `{text}` is invalid: {reason}");
            failed("invalid_pattern", message)
        })?;
        Ok(Some(Self {
            text: pattern,
            regex,
            is_negated: negated.is_some(),
        }))
    }
}

/// Translates a pattern into a regular expression as Docker does, with its quirks.
fn regex(pattern: &str) -> String {
    let plain = pattern.strip_prefix("**").or(pattern.strip_suffix("**"));
    if !plain.unwrap_or(pattern).contains(SPECIAL) {
        // Docker compares these as text: here `**` before a name need not end with a slash, and `|`, `{` and `^` are themselves.
        let plain = regex::escape(pattern).replace(r"\*\*/", "(.*/)?");
        return format!("^{}$", plain.replace(r"\*\*", ".*"));
    }
    let mut regex = "^".to_owned();
    let mut left = pattern.chars().peekable();
    let mut in_class = false;
    while let Some(character) = left.next() {
        match character {
            '*' if left.next_if_eq(&'*').is_some() => {
                left.next_if_eq(&'/');
                let is_last = left.peek().is_none();
                regex.push_str(if is_last { ".*" } else { "(.*/)?" });
            }
            '*' | '?' => {
                // Docker puts this into a class, too, which it ends.
                regex.push_str(if in_class { r"\[^/]" } else { "[^/]" });
                regex.extend((character == '*').then_some('*'));
                in_class = false;
            }
            // Docker takes a letter or a digit after it for a class of its regular expressions.
            '\\' => regex.push_str(&regex::escape(&String::from_iter(left.next()))),
            '[' if !in_class => {
                in_class = true;
                regex.push('[');
                regex.extend(left.next_if_eq(&'^'));
            }
            ']' if in_class => {
                in_class = false;
                regex.push(']');
            }
            '.' | '+' | '(' | ')' | '$' | '{' | '[' | ']' | '&' | '~' => {
                regex.extend(['\\', character]);
            }
            _ => regex.push(character),
        }
    }
    regex + "$"
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Pattern, Patterns};

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
            match Patterns::parse(&row.ignore) {
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
        for text in ["a[b", "[b-a]"] {
            let failure = Pattern::parse(text).err().unwrap();
            assert!(
                failure
                    .message
                    .starts_with(&format!("the pattern `{text}` is invalid"))
            );
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
