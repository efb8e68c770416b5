//! The set that a command is about to change, and where it is.

use bot_cli_protocol::failure::Failure;

use crate::backend::{Details, Keys, Prior, Summary};
use crate::command::context::CommandContext;
use crate::command::open::Opened;
use crate::command::region;
use crate::domain::{Region, SetKind, SetName, with_article};
use crate::input::wrong;
use crate::scope::Setting;
use crate::source::Source;
use crate::text::theirs;
use crate::words::failed;

/// The existing set that a command acts on, with its properties.
pub struct Target {
    /// Whether it is there.
    pub exists: bool,
    /// The region of the set or of a new one, if the backend has regions.
    pub region: Option<Region>,
    /// Its keys, if they are known.
    pub known: Option<Vec<String>>,
}

impl Target {
    /// A set that is there.
    pub fn existing(Details { summary, keys }: Details) -> Self {
        let region = summary.region.as_deref().map(Region::parse);
        Self {
            exists: true,
            region: region.and_then(Result::ok),
            known: keys.known(),
        }
    }

    /// Returns the state that the backend needs.
    pub fn prior(&self) -> Prior<'_> {
        if self.exists {
            Prior::Keys(self.known())
        } else {
            Prior::Absent(self.region.as_ref())
        }
    }

    pub fn known(&self) -> &[String] {
        self.known.as_deref().unwrap_or_default()
    }

    /// Whether the set has a key.
    pub fn has(&self, key: &str) -> bool {
        self.known().iter().any(|known| known == key)
    }
}

/// Looks at the set that is to be changed; a kind or a region that can't be is told before anything is asked.
pub fn target(
    opened: &mut Opened<'_>,
    name: &SetName,
    kind: SetKind,
    found: Option<Details>,
    context: &CommandContext<'_>,
) -> Result<Target, Failure> {
    let Some(Details { summary, keys }) = found else {
        let names = opened.profile().check_name(name);
        names.map_err(|problem| wrong("name", problem))?;
        return Ok(Target {
            exists: false,
            region: region::settle(opened)?,
            known: None,
        });
    };
    if summary.kind != kind {
        return Err(wrong_type(name, summary.kind));
    }
    if keys == Keys::Referenced {
        return Err(referenced(name));
    }
    Ok(Target {
        exists: true,
        region: region_of(opened, name, &summary, context)?,
        known: keys.known(),
    })
}

/// The region of a set that is there. Where it is, is where it stays.
fn region_of(
    opened: &mut Opened<'_>,
    name: &SetName,
    summary: &Summary,
    context: &CommandContext<'_>,
) -> Result<Option<Region>, Failure> {
    let Some(region) = &summary.region else {
        return region::settle(opened);
    };
    let region = Region::parse(region).map_err(|_| {
        let message = format!("the region of `{name}` is not the code of a region");
        failed("invalid_response", message)
    })?;
    if let Some(wanted) = &opened.scope.region
        && wanted.value != region
    {
        if wanted.source == Source::Flag {
            // Another region, or one that there is not?
            region::settle(opened)?;
            let message =
                format!("`{name}` is in the region {region}, and the region of a set can't change");
            let problem = format!("must be {region} or left out");
            return Err(failed("region_conflict", message)
                .field("region", Some("--region"), problem)
                .hint("use another name, or delete the set first"));
        }
        context.warn(&format!(
            "`{name}` is in the region {}, not in {}{}",
            theirs(region.as_str()),
            wanted.value,
            wanted.source.words()
        ));
    }
    opened.scope.region = Some(Setting {
        value: region.clone(),
        source: match &opened.scope.region {
            Some(wanted) if wanted.value == region => wanted.source,
            Some(_) | None => Source::Existing,
        },
    });
    Ok(Some(region))
}

/// The name stands for something else.
pub fn wrong_type(name: &SetName, is: SetKind) -> Failure {
    let failure = failed("wrong_type", format!("`{name}` is {}", with_article(is)));
    match is {
        SetKind::Unknown => failure.hint("a newer bot-cli may know it: update"),
        SetKind::Secret => failure.hint("use another name for the credentials"),
        SetKind::ImagePullSecret => {
            failure.hint("`bot-cli cloud secrets image-pull-secret` changes it")
        }
    }
}

/// The set is not in the service's hands.
pub fn referenced(name: &SetName) -> Failure {
    let message = format!("`{name}` lives in your own cluster: its keys can be changed only there");
    failed("referenced", message)
}
