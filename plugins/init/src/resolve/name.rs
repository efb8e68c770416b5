//! Project names: the display name and the slug for packages and agents.

use std::path::Path;

use bot_cli_templates::project;

use super::{Problems, said};
use crate::draft::Draft;
use crate::option_table::Setting;
use crate::wording::quoted;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectName {
    /// The name as entered by the user, trimmed.
    pub display: String,
    /// The name adapted to the hosting service's rules: 3 to 54 characters from `[a-z0-9-]`, with no hyphen at either end.
    pub slug: String,
}

/// The maximum length of a display name, which is also the usual limit for a folder name.
const LONGEST_DISPLAY: usize = 255;

impl ProjectName {
    /// Parses a single-line project name, or returns a description of the problem.
    pub fn parse(raw: &str) -> Result<Self, String> {
        let display = raw.trim();
        if display.is_empty() {
            return Err("empty".to_owned());
        }
        if display.chars().any(unprintable) {
            return Err(format!("{} contains control characters", quoted(display)));
        }
        if display.chars().count() > LONGEST_DISPLAY {
            return Err(format!("longer than {LONGEST_DISPLAY} characters"));
        }
        Ok(Self {
            display: display.to_owned(),
            slug: project::slug(display),
        })
    }

    /// Returns a note about the slug if the hosting service's rules changed it.
    pub fn note(&self) -> Option<String> {
        let (shortest, longest) = project::SLUG_LENGTHS;
        (project::plain_slug(&self.display) != self.slug).then(|| {
            format!(
                "the package and the agent are called `{}`: the hosting service wants {shortest} to {longest} letters, digits and hyphens",
                self.slug
            )
        })
    }
}

pub fn default_name(target: &Path) -> Option<String> {
    target.file_name()?.to_str().map(str::to_owned)
}

pub(super) fn resolve(
    draft: &Draft,
    default: Option<&str>,
    problems: &mut Problems,
) -> Option<ProjectName> {
    let parsed = match (
        said(draft, Setting::ProjectName),
        draft.said(Setting::ProjectName).is_some(),
        default,
    ) {
        (Some(name), _, _) => ProjectName::parse(name),
        (None, true, _) => Err("empty".to_owned()),
        (None, false, Some(default)) => ProjectName::parse(default).map_err(|problem| {
            format!("missing, and the directory's name can't be used: {problem}")
        }),
        (None, false, None) => Err(super::MISSING.to_owned()),
    };
    parsed
        .map_err(|problem| problems.add("project_name", problem))
        .ok()
}

/// Reports whether a character is a control character, breaks a line or changes the text direction.
fn unprintable(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{2028}' | '\u{2029}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}
