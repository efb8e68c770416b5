//! The checks, in their order. Which are made depends on the role of a plugin and on what it is made of.

mod backend;
mod command;
mod every;
mod pack;

use super::bench::{Bench, Form, Stop};
use super::report::{Document, Level};
use crate::protocol::Role;

/// A rule, and how a plugin is held against it.
#[derive(Clone, Copy)]
pub struct Check {
    /// The stable name.
    pub id: &'static str,
    /// Whether the document demands it.
    pub level: Level,
    /// The document that the rule stands in.
    pub document: Document,
    /// The section of the document.
    pub section: &'static str,
    /// Whether it depends on others, or others on it.
    pub gate: Gate,
    /// The change that mends a plugin that fails.
    pub mend: &'static str,
    /// Makes the check.
    pub hold: Hold,
}

/// Makes a check.
type Hold = fn(&Bench) -> Result<(), Stop>;

/// The way checks depend on each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    /// It is made in any case.
    None,
    /// If it fails, all that follow are not made, except those without a gate; the reason.
    Shuts(&'static str),
    /// It is made while no gate is shut.
    Open,
}

/// The checks for the plugin on the bench.
pub fn all(bench: &Bench) -> Vec<&'static Check> {
    let own: &[&[Check]] = match (bench.role(), bench.form()) {
        (Role::Command, _) => &[&every::FILE, &every::TALK, &command::COMMAND, &every::WHOLE],
        (Role::ProviderPack, Form::Folder) => &[&pack::FOLDER, &pack::DECLARED, &pack::SERVICES],
        // There is nothing to ask it for.
        (Role::ProviderPack, Form::Declared) => &[&pack::STATIC, &pack::DECLARED, &pack::SERVICES],
        (Role::ProviderPack, Form::Spoken) => &[
            &every::FILE,
            &pack::DECLARED,
            &every::TALK,
            &pack::ASKED,
            &pack::SERVICES,
            &every::WHOLE,
        ],
        (Role::SecretsBackend, _) => &[
            &every::FILE,
            &backend::DECLARED,
            &every::TALK,
            &backend::METHODS,
            &every::WHOLE,
        ],
        (Role::Other(_), _) => &[&every::FILE, &every::TALK, &every::WHOLE],
    };
    own.iter().copied().flatten().collect()
}

const NO_PLUGIN: Gate = Gate::Shuts("the file is not a plugin that can be run");

const fn check(
    id: &'static str,
    level: Level,
    section: &'static str,
    hold: Hold,
    mend: &'static str,
) -> Check {
    let gate = Gate::Open;
    Check {
        id,
        level,
        document: Document::Protocol,
        section,
        gate,
        mend,
        hold,
    }
}

const fn gate(check: Check, gate: Gate) -> Check {
    Check { gate, ..check }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{Check, backend, command, every, pack};
    use crate::pack::Rule;

    #[test]
    fn every_check_has_its_own_name_and_a_section_of_its_document() {
        let all: [&[Check]; 10] = [
            &every::FILE,
            &every::TALK,
            &command::COMMAND,
            &backend::DECLARED,
            &backend::METHODS,
            &pack::FOLDER[..1],
            &pack::DECLARED,
            &pack::ASKED,
            &pack::SERVICES,
            &every::WHOLE,
        ];
        let mut names = HashSet::new();
        for check in all.into_iter().flatten() {
            assert!(names.insert(check.id), "{}", check.id);
            let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
            let document = folder.join(check.document.to_string());
            let document = std::fs::read_to_string(document).unwrap();
            let heading = format!("\n## {}\n", check.section);
            assert!(
                document.contains(&heading),
                "{}: {}",
                check.id,
                check.section
            );
        }
    }

    #[test]
    fn every_rule_of_packs_has_a_check() {
        for rule in Rule::ALL {
            let id = format!("pack_{}", rule.id());
            assert!(pack::SERVICES.iter().any(|check| check.id == id), "{id}");
        }
    }
}
