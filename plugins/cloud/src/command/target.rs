//! The set that a command changes, and the region of a set.

use std::collections::BTreeSet;

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::suggest::{did_you_mean, nearest};
use bot_cli_secrets::messages::{Prior, SetInfo};

use super::open::Opened;
use crate::domain::{Region, SetKind, SetName, kind_words};
use crate::input::wrong;
use crate::scope::Setting;
use crate::source::Source;
use crate::text::theirs;
use crate::words::failed;

/// The state of a set before a change.
pub struct Target {
    pub exists: bool,
    /// The region of the existing or new set, if the backend has regions.
    pub region: Option<Region>,
    /// The set's keys, if known.
    pub known: Option<BTreeSet<String>>,
}

impl Target {
    /// Creates the target for an existing set and records the set's region in the scope.
    pub fn existing(opened: &mut Opened<'_>, details: SetInfo) -> Self {
        let region = details.region.as_deref().map(Region::parse);
        let region = region.and_then(Result::ok);
        if let Some(region) = region.clone() {
            opened.scope.region = Some(Setting::new(region, Source::Existing));
        }
        Self {
            exists: true,
            region,
            known: details.keys,
        }
    }

    pub fn prior(&self) -> Prior {
        if self.exists {
            Prior::Keys(self.known.clone().unwrap_or_default())
        } else {
            Prior::Absent
        }
    }

    /// Returns the region in which a set is created, or `None` if the set exists.
    pub fn new_region(&self) -> Option<Region> {
        self.region.clone().filter(|_| !self.exists)
    }

    pub fn has(&self, key: &str) -> bool {
        self.known.as_ref().is_some_and(|known| known.contains(key))
    }
}

/// Returns the target for changing or creating a set. Fails before any prompt if the name, kind or region is invalid.
pub fn target(
    opened: &mut Opened<'_>,
    name: &SetName,
    kind: SetKind,
    found: Option<SetInfo>,
) -> Result<Target, Failure> {
    let Some(details) = found else {
        let names = opened.profile.check_name(name);
        names.map_err(|problem| wrong("name", problem))?;
        return Ok(Target {
            exists: false,
            region: settle(opened)?,
            known: None,
        });
    };
    if details.kind != kind {
        return Err(wrong_type(name, details.kind));
    }
    if details.is_referenced() {
        return Err(referenced(name));
    }
    let region = match &details.region {
        Some(region) => Some(stay(opened, name, region)?),
        None => settle(opened)?,
    };
    Ok(Target {
        exists: true,
        region,
        known: details.keys,
    })
}

/// Returns the region of an existing set. Fails if an option specifies another region.
fn stay(opened: &mut Opened<'_>, name: &SetName, region: &str) -> Result<Region, Failure> {
    let region = Region::parse(region).map_err(|problem| {
        let message = format!("the region of `{name}` {problem}");
        failed("invalid_response", message)
    })?;
    match opened.scope.region.clone() {
        Some(wanted) if wanted.value == region => return Ok(region),
        Some(wanted) if wanted.source == Source::Flag => {
            // Report an unknown region first.
            settle(opened)?;
            let message =
                format!("`{name}` is in the region {region}, and the region of a set can't change");
            let problem = format!("must be {region} or left out");
            return Err(failed("region_conflict", message)
                .field("region", Some("--region"), problem)
                .hint("use another name, or delete the set first"));
        }
        Some(_) | None => {}
    }
    opened.scope.region = Some(Setting::new(region.clone(), Source::Existing));
    Ok(region)
}

/// Returns the requested region. If no region was requested, returns the backend's default region and records the default in the scope.
/// Returns `None` if the backend has no regions.
///
/// Fails if the backend doesn't have the requested region. A region from a deployment file or a copied set is ignored if the region is
/// meaningless for the backend.
pub fn settle(opened: &mut Opened<'_>) -> Result<Option<Region>, Failure> {
    if let Some(wanted) = opened.scope.region.clone() {
        let regions = opened.store.regions(opened.session)?.into_iter();
        let codes: Vec<String> = regions.map(|region| region.code).collect();
        if codes.iter().any(|code| code == wanted.value.as_str()) {
            return Ok(Some(wanted.value));
        }
        // The region of a deployment or of a copy's original may not exist in this backend.
        let deploys_there = opened.profile.has_regions_of_agents();
        let means_nothing = (wanted.source == Source::DeployFile && !deploys_there)
            || (wanted.source == Source::Existing && codes.is_empty());
        if !means_nothing {
            return Err(unknown_region(&wanted, &codes));
        }
        opened.scope.region = None;
    }
    let first = opened.store.regions(opened.session)?.into_iter().next();
    let default = opened.store.default_region(opened.session)?;
    let Some(code) = default.or(first.map(|region| region.code)) else {
        return Ok(None);
    };
    let region = Region::parse(&code).map_err(|problem| {
        let message = format!("the default region of {} {problem}", opened.profile.subject);
        failed("invalid_response", message)
            .hint("choose one with `--region`: `bot-cli cloud regions list`")
    })?;
    let source = opened.profile.default_region();
    opened.scope.region = Some(Setting::new(region.clone(), source));
    Ok(Some(region))
}

fn unknown_region(wanted: &Setting<Region>, codes: &[String]) -> Failure {
    let (name, source) = (wanted.value.as_str(), wanted.source.words());
    let message = format!("there is no region `{name}`{source}");
    let failure = Failure::new(Exit::Usage, "unknown_region", message);
    let field = |problem| failure.field("region", Some("--region"), problem);
    if codes.is_empty() {
        return field("must be left out: there are no regions");
    }
    let mut failure = field("is not one of the organization's");
    if let Some(near) = nearest(name, codes.iter().map(String::as_str)) {
        failure = failure.hint(did_you_mean(&[theirs(near)]));
    }
    let shown: Vec<String> = codes.iter().map(|code| theirs(code)).collect();
    failure.hint(format!("available: {}", shown.join(", ")))
}

pub fn wrong_type(name: &SetName, is: SetKind) -> Failure {
    let (article, hint) = match is {
        SetKind::Unknown => ("a", "a newer bot-cli may know it: update"),
        SetKind::Secret => ("a", "use another name for the credentials"),
        SetKind::ImagePullSecret => ("an", "`bot-cli cloud secrets image-pull-secret` changes it"),
    };
    let message = format!("`{name}` is {article} {}", kind_words(is));
    failed("wrong_type", message).hint(hint)
}

/// Returns the failure for a set that is stored in the customer's own cluster.
pub fn referenced(name: &SetName) -> Failure {
    let message = format!("`{name}` lives in your own cluster: its keys can be changed only there");
    failed("referenced", message)
}
