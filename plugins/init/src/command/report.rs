//! What was done, for people and for programs.
//!
//! The document of `--json` is an object. `target`: the directory, absolute. `created`, `changed`, `unchanged`: lists of
//! paths relative to it. `kept`: guides that stayed, each with `path` and, in words, what the `guide` is. `config`: the
//! configuration as `--dry-run` prints it, null where only guides were written. `next`: commands that may come next. What
//! is in the way is no result but a failure with the code `conflict` and a field for each file.

use bot_cli_sdk::plugin::Reply;
use serde_json::json;

use crate::config::{Client, Config};
use crate::equivalent::quote;
use crate::target::Target;
use crate::target::compare::Comparison;

/// A finished job.
pub(super) struct Report<'a> {
    pub(super) target: &'a Target,
    pub(super) config: Option<&'a Config<'a>>,
    pub(super) found: &'a Comparison,
    /// Whether the files that are as they were to be go without saying.
    pub(super) quiet: bool,
}

impl Report<'_> {
    pub(super) fn reply(&self) -> Reply {
        let (changed, created): (Vec<_>, Vec<_>) = self
            .found
            .changes
            .iter()
            .partition(|change| change.replaces.is_some());
        let paths = |changes: &[&crate::transaction::Change]| {
            changes
                .iter()
                .map(|change| change.path.clone())
                .collect::<Vec<_>>()
        };
        let (created, changed) = (paths(&created), paths(&changed));
        let next = self.next();
        let kept: Vec<_> = self
            .found
            .kept
            .iter()
            .map(|kept| json!({ "path": kept.path, "guide": kept.guide.words() }))
            .collect();
        Reply::text(self.text(&created, &changed))
            .data(json!({
                "target": self.target.path,
                "created": created,
                "changed": changed,
                "unchanged": self.found.unchanged,
                "kept": kept,
                "config": self.config.map(Config::to_json),
                "next": next,
            }))
            .next_all(next)
    }

    fn text(&self, created: &[String], changed: &[String]) -> String {
        let shown = quote(&self.target.shown);
        let mut text = match (self.config, created.len() + changed.len()) {
            (_, 0) => format!("Nothing to do: {shown} is as it should be\n"),
            (Some(_), _) => format!("Made a bot project in {shown}\n"),
            (None, _) => format!("Made {shown} ready for a coding agent\n"),
        };
        for (word, paths) in [("created", created), ("changed", changed)] {
            for path in paths.iter().filter(|_| !self.quiet) {
                line(&mut text, word, path);
            }
        }
        for kept in &self.found.kept {
            line(
                &mut text,
                "kept",
                &format!("{} ({})", kept.path, kept.guide.words()),
            );
        }
        match self.found.unchanged.len() {
            _ if self.quiet => {}
            0 => {}
            1 => line(&mut text, "unchanged", "1 file"),
            several => line(&mut text, "unchanged", &format!("{several} files")),
        }
        text
    }

    fn next(&self) -> Vec<String> {
        let shown = self.target.shown.trim_end_matches('/');
        let inside = |folder: &str| match shown {
            "." => format!("cd {folder}"),
            "" => format!("cd /{folder}"),
            shown => format!("cd {}", quote(&format!("{}{shown}/{folder}", guard(shown)))),
        };
        let Some(config) = self.config else {
            let enter = match shown {
                "." => None,
                "" => Some("cd /".to_owned()),
                shown => Some(format!("cd {}", quote(&format!("{}{shown}", guard(shown))))),
            };
            return enter
                .into_iter()
                .chain(["cat GETTING_STARTED.md".to_owned()])
                .collect();
        };
        let mut next = vec![
            inside("server"),
            "uv sync".to_owned(),
            "cp .env.example .env".to_owned(),
        ];
        // A carrier needs a tunnel first, whose name the README explains; a browser needs nothing.
        let mut transports = config.transports.iter();
        if let Some(transport) = transports.clone().find(|one| !one.is_carrier()) {
            next.push(format!("uv run bot.py {}", transport.run_options()));
        } else if let Some(carrier) = transports.next() {
            next.push(format!(
                "uv run bot.py -t {} -x YOUR_HOST",
                carrier.runner_key
            ));
        }
        if config.transports.iter().any(|one| one.has_call_server()) {
            next.push("uv run server.py".to_owned());
        }
        if config.client != Client::None {
            next.push("(cd ../client && npm install && npm run dev)".to_owned());
        }
        next
    }
}

fn line(text: &mut String, word: &str, what: &str) {
    text.extend([&format!("  {word:<9} "), what, "\n"]);
}

/// Keeps a directory from being taken for an option.
fn guard(shown: &str) -> &'static str {
    if shown.starts_with('-') { "./" } else { "" }
}
