//! The set that a command is about to change, and where it is.

use bot_cli_protocol::failure::{Exit, Failure};

use super::open::Opened;
use super::region;
use crate::backend::{Details, Keys, Prior, Summary};
use crate::domain::{Region, SetKind, SetName};
use crate::input::invalid;
use crate::scope::Setting;
use crate::source::Source;
use crate::text::theirs;

/// The existing set that a command acts on, with its properties.
pub struct Target {
    /// Whether it is there.
    pub exists: bool,
    /// The region of the set or of a new one, if the backend has regions.
    pub region: Option<Region>,
    pub known: Vec<String>,
}

impl Target {
    /// Returns the state that the backend needs.
    pub fn prior(&self) -> Prior<'_> {
        if self.exists {
            Prior::Keys(&self.known)
        } else {
            Prior::Absent(self.region.as_ref())
        }
    }
}

/// Looks at the set that is to be changed; a kind or a region that can't be is told before anything is asked.
pub fn target(
    opened: &mut Opened<'_>,
    name: &SetName,
    kind: SetKind,
    found: Option<Details>,
    warn: &dyn Fn(&str),
) -> Result<Target, Failure> {
    let Some(Details { summary, keys }) = found else {
        let problem = |problem| invalid(vec![("name".to_owned(), None, problem)]);
        opened.profile().names.check(name).map_err(problem)?;
        return Ok(Target {
            exists: false,
            region: region::settle(opened)?,
            known: Vec::new(),
        });
    };
    if summary.kind != kind {
        return Err(wrong_type(name, summary.kind));
    }
    let known = match keys {
        Keys::Known(keys) => keys,
        Keys::None => Vec::new(),
        Keys::Referenced => return Err(referenced(name)),
    };
    Ok(Target {
        exists: true,
        region: region_of(opened, name, &summary, warn)?,
        known,
    })
}

/// The region of a set that is there. Where it is, is where it stays.
fn region_of(
    opened: &mut Opened<'_>,
    name: &SetName,
    summary: &Summary,
    warn: &dyn Fn(&str),
) -> Result<Option<Region>, Failure> {
    let Some(region) = &summary.region else {
        return region::settle(opened);
    };
    let region = Region::parse(region).map_err(|_| {
        Failure::new(
            Exit::Failed,
            "invalid_response",
            format!("the region of `{name}` is not the code of a region"),
        )
    })?;
    if let Some(wanted) = &opened.scope.region
        && wanted.value != region
    {
        if wanted.source == Source::Flag {
            // Another region, or one that there is not?
            region::settle(opened)?;
            return Err(Failure::new(
                Exit::Failed,
                "region_conflict",
                format!("`{name}` is in the region {region}, and the region of a set can't change"),
            )
            .field(
                "region",
                Some("--region"),
                format!("must be {region} or left out"),
            )
            .hint("use another name, or delete the set first"));
        }
        warn(&format!(
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
    let article = match is {
        SetKind::ImagePullSecret => "an",
        SetKind::Secret | SetKind::Unknown => "a",
    };
    let message = format!("`{name}` is {article} {}", is.words());
    let failure = Failure::new(Exit::Failed, "wrong_type", message);
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
    Failure::new(
        Exit::Failed,
        "referenced",
        format!("`{name}` lives in your own cluster: its keys can be changed only there"),
    )
}
