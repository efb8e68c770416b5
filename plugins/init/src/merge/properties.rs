//! Property tests for merges in every format, with random edits. `BOT_CLI_DRAWN=N` sets the number of cases per file.

use std::collections::BTreeMap;
use std::env;

use fastrand::Rng;

use super::matrix::changes::{self, Change};
use super::{Merged, Part, Versions, merge};

/// Files that cover every format, each with templates for lines that a user might add.
const FILES: &[(&str, &[&str])] = &[
    (
        "server/pyproject.toml",
        &["own = \"@\"\n", "    \"@>=1\",\n", "# @\n", "[tool.@]\n"],
    ),
    (
        "server/.env.example",
        &["@=1\n", "# @=\n", "# own words of @\n", "\n# @\n\n"],
    ),
    (".gitignore", &["@/\n", "# @\n", "\n@/*\n"]),
    ("server/.dockerignore", &["@/\n", "# @\n"]),
    (
        "README.md",
        &[
            "Own words of @.\n",
            "## About @\n",
            "| `@` | Own |\n",
            "```\n@\n```\n",
        ],
    ),
    (
        "server/cloud-deploy.toml",
        &["own = \"@\"\n", "# @\n", "[@]\n"],
    ),
    (
        "server/evals/text.yaml",
        &["# @\n", "  - name: @\n", "@: 1\n"],
    ),
    ("server/Dockerfile", &["RUN @\n", "# @\n"]),
    (
        "client/package.json",
        &[
            "  \"@\": \"1\",\n",
            "    \"@\": {},\n",
            "  \"@\": [\n    1\n  ],\n",
        ],
    ),
    (
        "client/tsconfig.json",
        &["  \"@\": \"1\",\n", "    \"@\": true,\n"],
    ),
    (
        "server/bot.py",
        &[
            "@ = 1\n",
            "    @()\n",
            "# @\n",
            "import @\n",
            "\n\ndef @():\n    ...\n\n\n",
        ],
    ),
    ("server/server.py", &["@ = 1\n", "    @()\n", "# @\n"]),
];

struct Draw<'r> {
    rng: &'r mut Rng,
    words: Vec<String>,
}

impl Draw<'_> {
    fn edited(&mut self, text: &str, own: &[&str]) -> String {
        let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        for _ in 0..self.rng.usize(1..5) {
            let at = self.rng.usize(0..=lines.len());
            let end = (at + self.rng.usize(1..4)).min(lines.len());
            match self.rng.usize(0..12) {
                0 => drop(lines.drain(at..end)),
                1 if at < lines.len() => {
                    let to = self.rng.usize(0..lines.len());
                    lines.swap(at, to);
                }
                2 if at < lines.len() => lines[at] = lines[at].to_uppercase(),
                3 if at < lines.len() => {
                    lines[at] = lines[at].replacen([',', '"', ']', '('], "", 1);
                }
                4 if at < lines.len() => lines[at] = format!("  {}", lines[at]),
                5 => lines.insert(at, "\n".to_owned()),
                6 if at < lines.len() => {
                    let copy = lines[at].clone();
                    lines.insert(at, copy);
                }
                _ => {
                    let word = format!("own{}", self.rng.u32(1000..u32::MAX));
                    let line = self.rng.choice(own).unwrap().replace('@', &word);
                    lines.insert(at, line);
                    self.words.push(word);
                }
            }
        }
        let mut text = lines.concat();
        match self.rng.usize(0..20) {
            0 => text = text.replace('\n', "\r\n"),
            1 => text.insert(0, '\u{feff}'),
            2 => text.truncate(text.trim_end().len()),
            _ => {}
        }
        // A later edit may have removed one of the words.
        self.words.retain(|word| text.contains(word.as_str()));
        text
    }
}

fn drawn() -> usize {
    env::var("BOT_CLI_DRAWN").map_or(60, |count| count.parse().unwrap())
}

fn for_drawn(hold: impl Fn(&str, &Versions, &[String])) {
    let changes = changes::all();
    let mut rng = Rng::with_seed(7);
    let mut seen = BTreeMap::new();
    for (path, own) in FILES {
        let with_file: Vec<&Change> = changes
            .iter()
            .filter(|change| change.base.contains_key(*path) && change.new.contains_key(*path))
            .collect();
        for _ in 0..drawn() {
            let change = rng.choice(&with_file).unwrap();
            let base = &change.base[*path];
            let draw = |rng: &mut Rng, text: &str| {
                let mut draw = Draw {
                    rng,
                    words: Vec::new(),
                };
                let text = draw.edited(text, own);
                (text, draw.words)
            };
            let (yours, words) = draw(&mut rng, base);
            let new = match rng.usize(0..3) {
                // Generated files have uniform line ends and no byte order mark.
                0 => {
                    draw(&mut rng, base)
                        .0
                        .replace(['\r', '\u{feff}'], "")
                        .trim_end()
                        .to_owned()
                        + "\n"
                }
                _ => change.new[*path].clone(),
            };
            let versions = Versions {
                base,
                yours: &yours,
                new: &new,
            };
            hold(path, &versions, &words);
            *seen.entry(*path).or_insert(0) += words.len();
        }
    }
    assert!(seen.values().all(|words| *words > drawn() / 2), "{seen:?}");
}

fn resolved(merged: &Merged) -> String {
    let parts = merged.parts.iter().map(|part| match part {
        Part::Text(text) => text.as_str(),
        Part::Conflict(conflict) => conflict.yours.as_str(),
    });
    parts.collect()
}

#[test]
fn one_change_is_taken_as_it_is() {
    for_drawn(|path, versions, _| {
        let Versions { base, yours, new } = *versions;
        let merged = |base, yours, new| merge(path, &Versions { base, yours, new }).text();
        assert_eq!(merged(base, base, new).as_deref(), Some(new), "{path}");
        assert_eq!(merged(base, yours, base).as_deref(), Some(yours), "{path}");
        if !yours.contains('\r') {
            assert_eq!(merged(base, yours, yours).as_deref(), Some(yours), "{path}");
        }
    });
}

#[test]
fn nothing_of_the_users_is_lost() {
    for_drawn(|path, versions, words| {
        let merged = merge(path, versions);
        let text = resolved(&merged);
        for word in words {
            assert!(
                text.contains(word.as_str()),
                "{path} lost {word}: {versions:#?}\n{merged:#?}"
            );
        }
        for conflict in merged.conflicts() {
            let lines = versions.yours.lines().count();
            assert!(
                (1..=lines + 1).contains(&conflict.line),
                "{path}: {conflict:?}"
            );
        }
    });
}

#[test]
fn no_variable_comes_to_stand_twice() {
    let count = |text: &str, name: &str| {
        let names = text.lines().filter_map(|line| line.split_once('='));
        names.filter(|(other, _)| *other == name).count()
    };
    for_drawn(|path, versions, _| {
        if path != "server/.env.example" {
            return;
        }
        let Some(text) = merge(path, versions).text() else {
            return;
        };
        for (name, _) in text.lines().filter_map(|line| line.split_once('=')) {
            let most = [versions.yours, versions.new].map(|text| count(text, name));
            assert!(
                count(&text, name) <= most[0].max(most[1]),
                "{name}: {versions:#?}\n{text}"
            );
        }
    });
}
