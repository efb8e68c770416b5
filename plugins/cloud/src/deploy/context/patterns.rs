//! The patterns that exclude files from a build context.
//!
//! As in Docker, patterns are relative to the folder. The last pattern that matches a path or one of its parents determines whether the
//! path is excluded.

use std::fs;
use std::path::{Path, PathBuf, is_separator};

use globset::{Candidate, GlobBuilder, GlobSet};

use super::{ContextError, unreadable};
use crate::files::{exists, refuse_special};

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
    matches: GlobSet,
    is_negated: bool,
    /// The path components of the pattern before the first wildcard.
    literal: PathBuf,
}

/// The depth at which a pattern without a slash matches.
#[derive(Clone, Copy)]
enum Depth {
    Top,
    Any,
}

impl Patterns {
    /// Reads `.dockerignore`, or uses [`USUAL`] if there is no such file. The extra patterns take precedence.
    pub(super) fn read(folder: &Path, extra: &[String]) -> Result<Self, ContextError> {
        let path = folder.join(".dockerignore");
        let text = exists(&path).and_then(|exists| {
            if !exists {
                return Ok(None);
            }
            refuse_special(&fs::metadata(&path)?)?;
            fs::read_to_string(&path).map(Some)
        });
        let extra = Self::parse(None, Depth::Any, extra.iter().map(String::as_str))?;
        if let Some(text) = text.map_err(|error| unreadable(&path, error))? {
            let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
            let mut patterns = Self::parse(Some(&path), Depth::Top, text.lines())?;
            patterns.0.extend(extra.0);
            return Ok(patterns);
        }
        let mut patterns = Self::parse(None, Depth::Any, USUAL.iter().copied())?;
        patterns.0.extend(extra.0);
        Ok(patterns)
    }

    fn parse<'a>(
        file: Option<&Path>,
        depth: Depth,
        lines: impl Iterator<Item = &'a str>,
    ) -> Result<Self, ContextError> {
        let mut patterns = Vec::new();
        for (index, line) in lines.enumerate() {
            let pattern = Pattern::parse(line, depth);
            patterns.extend(pattern.map_err(|reason| ContextError::BadPattern {
                file: file.map(Path::to_owned),
                line: index + 1,
                pattern: line.trim().to_owned(),
                reason,
            })?);
        }
        Ok(Self(patterns))
    }

    pub(super) fn exclude(&self, path: &Path) -> bool {
        let parts = path.ancestors();
        let parts = parts.take_while(|part| !part.as_os_str().is_empty());
        let parts: Vec<Candidate<'_>> = parts.map(Candidate::new).collect();
        let decisive = self.0.iter().rev().find(|pattern| {
            let mut parts = parts.iter();
            parts.any(|part| pattern.matches.is_match_candidate(part))
        });
        decisive.is_some_and(|pattern| !pattern.is_negated)
    }

    /// Reports whether a negated pattern may match a path below an excluded folder.
    pub(super) fn may_include_below(&self, folder: &Path) -> bool {
        let mut negated = self.0.iter().filter(|pattern| pattern.is_negated);
        negated.any(|pattern| {
            let mut parts = folder.iter().zip(&pattern.literal);
            parts.all(|(one, other)| one == other)
        })
    }
}

impl Pattern {
    /// Parses a line. Returns `None` if the line is empty or a comment, or if the pattern refers to the folder itself.
    fn parse(line: &str, depth: Depth) -> Result<Option<Self>, String> {
        let text = line.trim();
        if line.starts_with('#') || text.is_empty() {
            return Ok(None);
        }
        let negated = text.strip_prefix('!').map(str::trim);
        let text = negated.unwrap_or(text);
        if text.is_empty() {
            return Err("nothing follows the `!`".to_owned());
        }
        let mut parts: Vec<&str> = Vec::new();
        for part in text.split(is_separator) {
            match part {
                "" | "." => {}
                ".." if parts.last().is_some_and(|last| *last != "..") => {
                    parts.pop();
                }
                part => parts.push(part),
            }
        }
        match (parts.as_slice(), depth) {
            ([], _) => return Ok(None),
            ([name], Depth::Any) => parts = vec!["**", *name],
            (_, Depth::Any | Depth::Top) => {}
        }
        let glob = translated(&parts.join("/"));
        let glob = GlobBuilder::new(&glob)
            .literal_separator(true)
            .backslash_escape(true)
            .empty_alternates(true)
            .build();
        let matches = glob.and_then(|glob| GlobSet::builder().add(glob).build());
        let literal = parts.into_iter().take_while(|part| !has_wildcard(part));
        Ok(Some(Self {
            matches: matches.map_err(|error| error.kind().to_string())?,
            is_negated: negated.is_some(),
            literal: literal.collect(),
        }))
    }
}

fn has_wildcard(pattern: &str) -> bool {
    pattern.contains(['*', '?', '[', ']', '\\'])
}

/// Translates a Docker pattern to the syntax of `globset`, in which braces are special and `**` is special only as a whole path component.
///
/// Docker translates `**` and `**/` to the regular expression `(.*/)?`. At the end of a pattern, and before a literal at the start, Docker
/// translates `**` to `.*`.
fn translated(pattern: &str) -> String {
    let mut glob = String::new();
    let mut rest = pattern;
    while let Some(first) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("**") {
            rest = after.strip_prefix('/').unwrap_or(after);
            glob.push_str(if rest.is_empty() {
                // A pattern that matches a parent matches everything below it.
                "*"
            } else if glob.is_empty() && rest == after && !has_wildcard(rest) {
                "**/*"
            } else if glob.is_empty() || glob.ends_with('/') {
                "**/"
            } else {
                "{,*/**/}"
            });
            continue;
        }
        let length = match first {
            '[' => rest.find(']').map_or(rest.len(), |end| end + 1),
            '\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            _ => first.len_utf8(),
        };
        let (part, after) = rest.split_at(length);
        let class = part.strip_prefix("[!");
        match (part, class.and_then(|class| class.strip_suffix(']'))) {
            ("{" | "}", _) => glob.extend(["[", part, "]"]),
            // Only `^` negates a class. At its end, `!` is itself.
            (_, Some(names)) if !names.is_empty() => glob.extend(["[", names, "!]"]),
            _ => glob.push_str(part),
        }
        rest = after;
    }
    glob
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Depth, Patterns};
    use crate::deploy::context::ContextError;

    fn patterns(text: &str) -> Patterns {
        Patterns::parse(None, Depth::Top, text.lines()).unwrap()
    }

    #[test]
    fn patterns_match_as_those_of_docker() {
        for (text, excluded, included) in [
            ("", "", "a a/b"),
            ("docs", "docs docs/a docs/a/b", "docs2 a/docs"),
            ("docs/", "docs docs/a", "a/docs"),
            ("/docs", "docs docs/a", "a/docs"),
            ("./docs", "docs docs/a", "a/docs"),
            (" a/..//./docs/. ", "docs docs/a", "a a/docs"),
            ("docs/*", "docs/a docs/a/b", "docs a/docs/b"),
            ("docs/**", "docs/a docs/a/b", "docs a/docs/b"),
            ("*/a", "b/a b/a/c", "a b/c/a"),
            ("*.pyc", "a.pyc .pyc", "a/b.pyc a.pyc2"),
            ("**/*.pyc", "a.pyc a/b.pyc a/b/c.pyc", "a.py a.pyc2"),
            ("**.pyc", "a.pyc a/b.pyc a/b/c.pyc", "a.py a.pyc2"),
            ("**", "a a/b .a", ""),
            ("**/", "a a/b .a", ""),
            ("**/a", "a b/a b/c/a/d", "ab b/ab"),
            ("**a*", "a ab c/ab", "ba c/ba"),
            ("a/**/b", "a/b a/c/b a/c/d/b/e", "ab b a/bc c/a/b"),
            ("a/**b", "a/b a/c/b a/c/d/b/e", "ab b a/cb"),
            ("a**b", "ab a/b ac/d/b", "acb ac/db b"),
            ("a**/*.txt", "a.txt a/b.txt ab/c/d.txt", "b.txt b/a.txt"),
            ("a**", "a ab ab/c", "b b/a"),
            ("**/**/a", "a b/a b/c/a", "ab"),
            ("a?c", "abc", "ac a/c abbc"),
            ("[a-c]x", "ax bx ax/y", "dx x"),
            ("[^a]x", "bx", "ax x"),
            ("[!a-c]x", "!x ax bx", "x dx"),
            ("{a,b}", "{a,b}", "a b"),
            ("[{]a", "{a", "a"),
            (r"\*\{", "*{ *{/a", "a{ *"),
            ("a+(b)$|.", "a+(b)$|.", "aab a+(b)$|x"),
            ("*\n!src/**", "a src docs/a src2/a", "src/a src/a/b"),
            ("*\n!src", "a docs/a src2/a", "src src/a src/a/b"),
            ("*\n!**/*.py", "a docs/a", "a.py docs/b/a.py"),
            (
                "docs\n!docs/a.md",
                "docs docs/b.md docs/a/a.md",
                "docs/a.md",
            ),
            ("docs\n! docs/a.md", "docs docs/b.md", "docs/a.md"),
            (
                "docs\n!docs/a\ndocs/a/b",
                "docs docs/a/b docs/a/b/c",
                "docs/a docs/a/c",
            ),
            ("docs\n!docs", "", "docs docs/a"),
            ("!docs\ndocs", "docs docs/a", "a"),
            ("!docs", "", "docs a"),
            ("#docs\n\n \n.\n/\n../docs\n!/", "", "docs #docs a/docs"),
            (" #docs", "#docs", "docs"),
            ("docs\r\na", "docs a", "b"),
        ] {
            let patterns = patterns(text);
            for path in excluded.split_whitespace() {
                assert!(patterns.exclude(Path::new(path)), "{text:?} {path}");
            }
            for path in included.split_whitespace() {
                assert!(!patterns.exclude(Path::new(path)), "{text:?} {path}");
            }
        }
    }

    #[test]
    fn excluded_folder_is_listed_only_for_patterns_that_may_match_below_it() {
        for (text, folder, expected) in [
            ("a", "a", false),
            ("a\n!b", "a", false),
            ("a\n!a/b", "a", true),
            ("*\n!a/b/c", "a", true),
            ("*\n!a/b/c", "a/b", true),
            ("*\n!a/b/c", "a/c", false),
            ("*\n!a/*/c", "a/c", true),
            ("*\n!a/*/c", "b", false),
            ("*\n!**/c", "a/b", true),
            ("*\n!a*/c", "b", true),
        ] {
            let found = patterns(text).may_include_below(Path::new(folder));
            assert_eq!(found, expected, "{text:?} {folder}");
        }
    }

    #[test]
    fn refuses_invalid_patterns() {
        for (text, reason) in [
            ("!", "nothing follows the `!`"),
            ("! ", "nothing follows the `!`"),
            ("a[b", "unclosed character class; missing ']'"),
            ("[b-a]", "invalid range; 'b' > 'a'"),
            (r"a\", r"dangling '\'"),
        ] {
            let text = format!("a\n{text}");
            let expected = ContextError::BadPattern {
                file: None,
                line: 2,
                pattern: text[2..].trim().to_owned(),
                reason: reason.to_owned(),
            };
            let error = Patterns::parse(None, Depth::Top, text.lines()).err();
            assert_eq!(error, Some(expected));
        }
    }

    #[test]
    fn usual_names_apply_without_a_file_and_extra_patterns_always() {
        let folder = tempfile::tempdir().unwrap();
        let extra = ["*.mp3", "!build", "assets/raw/", "drafts/"].map(str::to_owned);
        let read = || Patterns::read(folder.path(), &extra).unwrap();
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
