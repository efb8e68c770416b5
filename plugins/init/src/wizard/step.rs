//! One question of the table, and the option that answers it.

use bot_cli_protocol::question::{Answer, Question};

use super::Selection;
use crate::catalogue::Catalogue;
use crate::option_table::{Feature, FeatureQuestion, Setting};

pub(super) const TARGET: &str = "target";

/// The question whose no leads back to the folder.
pub(super) const ALL_THE_SAME: &str = "all_the_same";

/// One question of the table.
pub(super) struct Step {
    /// Names the question and its scripted answer: the option's name in `snake_case` where there is one.
    pub(super) key: &'static str,
    /// The option that answers it.
    pub(super) flag: Flag,
    /// The name in the summary.
    pub(super) label: &'static str,
    /// Whether it has a meaning, by what the steps above it have settled.
    pub(super) applies: fn(&Selection) -> bool,
    /// The settled value.
    pub(super) value: fn(&Selection) -> Option<Answer>,
    /// The question; the walk fills in `key`, `flag`, `back` and earlier answers.
    pub(super) question: fn(&Selection, &Catalogue) -> Question,
    /// Settles it, or says what is wrong with the answer.
    pub(super) store: fn(&mut Selection, &Answer) -> Result<(), String>,
}

/// The option or argument that answers a question on a command line.
pub(super) enum Flag {
    /// There is none.
    None,
    /// The argument for the folder.
    Target,
    /// The option of a setting.
    Setting(Setting),
    /// The option of a feature.
    Feature(Feature),
    /// The options of all extras.
    Extras,
}

impl Flag {
    /// Returns its words.
    pub(super) fn words(&self) -> Option<String> {
        match self {
            Self::None => None,
            Self::Target => Some("TARGET_DIR".to_owned()),
            Self::Setting(setting) => Some(setting.row().flag.to_owned()),
            Self::Feature(feature) => Some(feature.flag().to_owned()),
            Self::Extras => {
                let flags: Vec<_> = extras().map(|extra| extra.feature.flag()).collect();
                Some(flags.join(", "))
            }
        }
    }
}

/// An extra: a feature that the question for extras offers.
pub(super) struct Extra {
    pub(super) feature: Feature,
    pub(super) label: &'static str,
    pub(super) about: &'static str,
}

pub(super) fn extras() -> impl Iterator<Item = Extra> {
    Feature::ALL
        .into_iter()
        .filter_map(|feature| match feature.row().question {
            FeatureQuestion::Extra { label, about } => Some(Extra {
                feature,
                label,
                about,
            }),
            FeatureQuestion::Own => None,
        })
}
