//! The checks, in order. Data files next to the protocol documents define the checks. `sdk/protocol/checks/README.md` describes the format.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::bench::{Bench, Form};
use super::report::Level;
use bot_cli_protocol::Role;
use bot_cli_protocol::failure::{Exit, Failure};

#[derive(Debug, Deserialize)]
pub struct File {
    pub document: String,
    /// The JSON members to add to the parameters of every request.
    #[serde(default)]
    pub params: String,
    /// The replacement text for each `$word`.
    #[serde(default)]
    pub words: BTreeMap<String, String>,
    #[serde(default)]
    pub place: Place,
    #[serde(rename = "check")]
    pub checks: Vec<Rule>,
}

/// The steps that open a backend's scope, such as an organization, and the steps that restore it afterwards.
#[derive(Debug, Default, Deserialize)]
pub struct Place {
    pub enter: String,
    pub leave: String,
}

/// A rule and the steps that check it. The data files also describe plugins that break the rule, but only the tests read that part.
#[derive(Debug, Deserialize)]
pub struct Rule {
    pub id: String,
    pub level: Level,
    /// The heading of the rule's section in the document.
    pub section: String,
    pub mend: String,
    /// The reason for skipping all later checks if this check fails.
    pub shuts: Option<String>,
    /// When a plugin that fails the check can't be used at all. Such a check starts nothing.
    pub bars: Option<Bars>,
    /// The plugin forms that the check applies to. If empty, the check applies to all forms.
    #[serde(default)]
    only: Vec<Form>,
    #[serde(default)]
    pub needs: Vec<String>,
    /// The lines to send and the expected replies.
    pub steps: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bars {
    Always,
    /// Only if the pack has no service that can be used.
    WithoutServices,
}

pub fn files(bench: &Bench) -> Result<Vec<File>, Failure> {
    let names: &[&str] = match (&bench.role, bench.form) {
        (Role::Command, _) => &["file", "messages", "command", "whole"],
        (Role::ProviderPack, Form::Folder) => &["folder", "file", "pack"],
        (Role::ProviderPack, _) => &["file", "pack"],
        (Role::SecretsBackend, _) => &["file", "manifest", "messages", "methods", "whole"],
        (Role::Other(_), _) => &["file", "messages", "whole"],
    };
    let mut files: Vec<File> = names
        .iter()
        .map(|name| read(name))
        .collect::<Result<_, _>>()?;
    for file in &mut files {
        file.checks
            .retain(|check| check.only.is_empty() || check.only.contains(&bench.form));
    }
    Ok(files)
}

fn read(name: &str) -> Result<File, Failure> {
    let text = texts().find(|(file, _)| *file == name);
    let text = text.map_or("", |(_, text)| text);
    toml::from_str(text).map_err(|error| {
        Failure::because(Exit::Failed, "checks", "could not read the checks", error)
    })
}

fn texts() -> impl Iterator<Item = (&'static str, &'static str)> {
    let own = bot_cli_protocol::CHECKS.into_iter();
    own.chain(bot_cli_secrets::CHECKS)
        .chain(bot_cli_templates::CHECKS)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::path::Path;

    use super::{read, texts};

    /// The steps that only read the file.
    const READ: [&str; 3] = ["-- executable", "-- named", "-- services"];

    #[test]
    fn every_check_has_its_own_name_and_a_section_of_its_document() {
        let mut names = HashSet::new();
        for (name, _) in texts() {
            let file = read(name).unwrap();
            let beside = match file.document.as_str() {
                "PROTOCOL.md" => "../../sdk/protocol",
                "BACKENDS.md" => "../../sdk/secrets",
                _ => "../../templates",
            };
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(beside);
            let document = std::fs::read_to_string(folder.join(&file.document)).unwrap();
            for check in file.checks {
                let heading = format!("\n## {}\n", check.section);
                assert!(document.contains(&heading), "{}", check.id);
                assert!(names.insert(check.id.clone()), "{}", check.id);
                let is_read = |line: &str| line.starts_with(['=', '?']) || READ.contains(&line);
                let starts_nothing = check.steps.lines().all(is_read);
                assert!(check.bars.is_none() || starts_nothing, "{}", check.id);
            }
        }
    }
}
