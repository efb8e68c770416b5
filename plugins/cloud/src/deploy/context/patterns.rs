//! The patterns that exclude files from a build context.
//!
//! As in Docker, patterns are relative to the folder. The last pattern that matches a path or one of its parents determines whether the
//! path is excluded.

use std::path::Path;

use bot_cli_protocol::failure::Failure;
use globset::{Candidate, GlobBuilder, GlobMatcher};

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
    matches: GlobMatcher,
    is_negated: bool,
}

impl Patterns {
    /// Reads `.dockerignore`, or uses [`USUAL`] if there is no such file. The extra patterns take precedence.
    pub(super) fn read(folder: &Path, extra: &[String]) -> Result<Self, Failure> {
        let path = folder.join(".dockerignore");
        let could_not = |reason| not_packed(&path, reason);
        let mut lines: Vec<String> = if exists(&path).map_err(|it| could_not(it.into()))? {
            let (text, _) = short_text(&path).map_err(could_not)?;
            let text = text.trim_start_matches('\u{feff}');
            text.lines().map(str::to_owned).collect()
        } else {
            USUAL.iter().copied().map(at_any_depth).collect()
        };
        lines.extend(extra.iter().map(|pattern| at_any_depth(pattern)));
        let patterns = lines
            .iter()
            .filter_map(|line| Pattern::parse(line).transpose());
        patterns.collect::<Result<_, _>>().map(Self)
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

    /// Reports whether a negated pattern matches the path itself, and not only one of its parents.
    pub(super) fn name(&self, path: &Path) -> bool {
        let mut negated = self.0.iter().filter(|pattern| pattern.is_negated);
        negated.any(|pattern| pattern.matches.is_match(path))
    }

    /// Reports whether a negated pattern may match a path below an excluded folder.
    pub(super) fn include_again(&self) -> bool {
        self.0.iter().any(|pattern| pattern.is_negated)
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
    /// Parses a line. Returns `None` if the line is empty or a comment, or if the pattern refers to the folder itself.
    fn parse(line: &str) -> Result<Option<Self>, Failure> {
        let text = line.trim();
        let negated = text.strip_prefix('!').map(str::trim);
        let parts = negated.unwrap_or(text).split('/');
        let parts = parts.filter(|part| !["", "."].contains(part));
        let parts: Vec<&str> = parts.collect();
        if line.starts_with('#') || parts.is_empty() {
            return Ok(None);
        }
        // Braces are themselves, and `**` before a name crosses folders.
        let glob = parts.join("/").replace('{', "[{]").replace('}', "[}]");
        let glob = match glob.strip_prefix("**") {
            Some(name) if !name.is_empty() && !name.starts_with('/') => format!("**/*{name}"),
            Some(_) | None => glob,
        };
        let glob = GlobBuilder::new(&glob)
            .literal_separator(true)
            .backslash_escape(true)
            .build();
        let matches = glob.map_err(|error| {
            let message = format!("the pattern `{text}` is invalid: {}", error.kind());
            failed("invalid_pattern", message)
        })?;
        Ok(Some(Self {
            matches: matches.compile_matcher(),
            is_negated: negated.is_some(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Pattern, Patterns};

    fn patterns(text: &str) -> Patterns {
        let patterns = text
            .lines()
            .filter_map(|line| Pattern::parse(line).unwrap());
        Patterns(patterns.collect())
    }

    #[test]
    fn patterns_match_as_those_of_docker() {
        for (text, excluded, included) in [
            ("", "", "a a/b"),
            ("docs", "docs docs/a docs/a/b", "docs2 a/docs"),
            ("docs/", "docs docs/a", "a/docs"),
            ("/docs", "docs docs/a", "a/docs"),
            ("./docs", "docs docs/a", "a/docs"),
            (" .//./docs/. ", "docs docs/a", "a a/docs"),
            ("docs/*", "docs/a docs/a/b", "docs a/docs/b"),
            ("docs/**", "docs/a docs/a/b", "docs a/docs/b"),
            ("*/a", "b/a b/a/c", "a b/c/a"),
            ("*.pyc", "a.pyc .pyc", "a/b.pyc a.pyc2"),
            ("**/*.pyc", "a.pyc a/b.pyc a/b/c.pyc", "a.py a.pyc2"),
            ("**.pyc", "a.pyc a/b.pyc a/b/c.pyc", "a.py a.pyc2"),
            ("**", "a a/b .a", ""),
            ("**/", "a a/b .a", ""),
            ("**/a", "a b/a b/c/a/d", "ab b/ab"),
            ("a/**/b", "a/b a/c/b a/c/d/b/e", "ab b a/bc c/a/b"),
            ("a**", "a ab ab/c", "b b/a"),
            ("**/**/a", "a b/a b/c/a", "ab"),
            ("a?c", "abc", "ac a/c abbc"),
            ("[a-c]x", "ax bx ax/y", "dx x"),
            ("[^a]x", "bx", "ax x"),
            ("{a,b}", "{a,b}", "a b"),
            (r"\*{", "*{ *{/a", "a{ *"),
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
    fn refuses_invalid_patterns() {
        for (text, reason) in [
            ("a[b", "unclosed character class; missing ']'"),
            ("[b-a]", "invalid range; 'b' > 'a'"),
            (r"a\", r"dangling '\'"),
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
