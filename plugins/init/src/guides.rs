//! Renders the guides for coding agents and recognizes existing guides.
//!
//! The last line of a guide is a stamp, which contains the version that wrote the guide and a hash of the text above the stamp.

use std::cmp::Ordering;

use bot_cli_protocol::failure::{Exit, Failure};
use semver::Version;

use crate::digest::sha256;
use crate::plan::{Existing, PlannedFile};

/// The file names of the guides. Only coding agents that start from scratch need the last guide.
const NAMES: [&str; 3] = ["AGENTS.md", "ASSISTANT.md", "GETTING_STARTED.md"];

/// The builder of the bot, which determines the guides to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Path {
    /// A coding agent.
    CodingAgent,
    /// This program, without a coding agent.
    Scaffold,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Guide {
    /// Written by this version and not edited.
    Current,
    /// Written by an older version, or by another build of this version.
    Older {
        version: String,
        edited: bool,
    },
    Newer {
        version: String,
    },
    /// Written by this version and edited afterwards.
    Edited,
    Foreign,
}

impl Guide {
    pub const fn is_stale(&self) -> bool {
        matches!(self, Self::Older { .. })
    }

    pub fn words(&self) -> String {
        match self {
            Self::Current => "as it is".to_owned(),
            Self::Older { version, edited } => {
                let edited = if *edited { ", edited since" } else { "" };
                format!("written by version {version}{edited}")
            }
            Self::Newer { version } => format!("written by the newer version {version}"),
            Self::Edited => "edited since it was written".to_owned(),
            Self::Foreign => "not written by bot-cli".to_owned(),
        }
    }
}

/// Returns the guides to write. With [`Path::Scaffold`], updates an existing `GETTING_STARTED.md`, but does not create a missing one.
pub fn planned(path: Path) -> Result<Vec<PlannedFile>, Failure> {
    let guides = NAMES.into_iter().enumerate().map(|(number, name)| {
        Ok(PlannedFile {
            path: name.to_owned(),
            text: stamped(text_of(name)?),
            existing: if path == Path::Scaffold && number == 2 {
                Existing::GuideIfThere
            } else {
                Existing::Guide
            },
        })
    });
    guides.collect()
}

pub fn recognise(bytes: &[u8]) -> Guide {
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
    let Some((body, version, hash)) = stamp_of(&text) else {
        return Guide::Foreign;
    };
    let edited = sha256(body.as_bytes()) != hash;
    let age = match Version::parse(OWN_VERSION) {
        Ok(own) => version.cmp_precedence(&own),
        Err(_) => Ordering::Less,
    };
    let version = version.to_string();
    match age {
        Ordering::Greater => Guide::Newer { version },
        Ordering::Equal if edited => Guide::Edited,
        Ordering::Equal if is_own(body) => Guide::Current,
        Ordering::Equal | Ordering::Less => Guide::Older { version, edited },
    }
}

const OWN_VERSION: &str = env!("CARGO_PKG_VERSION");
const STAMP: &str = "<!-- bot-cli guide ";

fn stamped(body: &str) -> String {
    let body = format!("{}\n\n", body.trim_end());
    format!(
        "{body}{STAMP}{OWN_VERSION} sha256:{} -->\n",
        sha256(body.as_bytes())
    )
}

/// Returns the text above the stamp, along with the stamp's version and hash.
fn stamp_of(text: &str) -> Option<(&str, Version, &str)> {
    let start = text.rfind(STAMP)?;
    let (body, stamp) = text.split_at(start);
    let (stamp, rest) = stamp.strip_prefix(STAMP)?.split_once(" -->")?;
    let (version, hash) = stamp.split_once(" sha256:")?;
    // Text below the stamp counts as an edit.
    let hash = if rest.trim().is_empty() { hash } else { "" };
    Some((body, Version::parse(version).ok()?, hash))
}

fn text_of(name: &str) -> Result<&'static str, Failure> {
    bot_cli_templates::guide(&format!("{name}.liquid")).ok_or_else(|| {
        let message = format!("the guide `{name}` is missing in this program");
        Failure::new(Exit::Failed, "broken_template", message)
            .hint("this is a defect of bot-cli: report it")
    })
}

fn is_own(body: &str) -> bool {
    NAMES
        .iter()
        .filter_map(|name| text_of(name).ok())
        .any(|own| own.trim_end() == body.trim_end())
}

#[cfg(test)]
mod tests {
    use super::{Guide, OWN_VERSION, recognise, stamped};
    use crate::digest::sha256;

    fn written_by(version: &str, body: &str) -> String {
        format!(
            "{body}<!-- bot-cli guide {version} sha256:{} -->\n",
            sha256(body.as_bytes())
        )
    }

    #[test]
    fn tells_guides_apart() {
        let older = Guide::Older {
            version: "0.0.9".to_owned(),
            edited: false,
        };
        let edited = Guide::Older {
            version: "0.0.9".to_owned(),
            edited: true,
        };
        let newer = Guide::Newer {
            version: "99.0.0".to_owned(),
        };
        let pre_release = Guide::Older {
            version: format!("{OWN_VERSION}-rc.1"),
            edited: false,
        };
        let next_pre_release = Guide::Newer {
            version: "99.0.0-rc.1".to_owned(),
        };
        let other_build = Guide::Older {
            version: OWN_VERSION.to_owned(),
            edited: false,
        };
        for (text, guide) in [
            (String::new(), Guide::Foreign),
            ("# Mine\n".to_owned(), Guide::Foreign),
            (written_by("0.0.9", "a\n"), older.clone()),
            (written_by("0.0.9", "a\n").replace('\n', "\r\n"), older),
            (
                written_by("0.0.9", "a\n").replace("a\n", "b\n"),
                edited.clone(),
            ),
            (written_by("0.0.9", "a\n") + "more\n", edited),
            (written_by("99.0.0", "a\n"), newer),
            (
                written_by(&format!("{OWN_VERSION}-rc.1"), "a\n"),
                pre_release,
            ),
            (written_by("99.0.0-rc.1", "a\n"), next_pre_release),
            (written_by("x", "a\n"), Guide::Foreign),
            (stamped("a"), other_build),
            (stamped("a").replace("a\n", "b\n"), Guide::Edited),
        ] {
            assert_eq!(recognise(text.as_bytes()), guide, "{text}");
        }
    }

    #[test]
    fn knows_its_own_guides() {
        for guide in super::planned(super::Path::CodingAgent).unwrap() {
            assert_eq!(
                recognise(guide.text.as_bytes()),
                Guide::Current,
                "{}",
                guide.path
            );
        }
    }
}
