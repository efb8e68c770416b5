//! The region for something new.

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::suggest::{did_you_mean, nearest};

use super::open::Opened;
use crate::backend::{Ability, Profile};
use crate::domain::Region;
use crate::scope::Setting;
use crate::source::Source;
use crate::text::theirs;
use crate::words::failed;

/// Returns the wanted region if the backend has it, else its default, which is noted in the scope; `None` where it has no
/// regions.
pub fn settle(opened: &mut Opened<'_>) -> Result<Option<Region>, Failure> {
    if let Some(wanted) = opened.scope.region.clone() {
        let codes = opened.backend.region_codes()?;
        if codes.iter().any(|code| code == wanted.value.as_str()) {
            return Ok(Some(wanted.value));
        }
        if !is_meant(wanted.source, opened.profile(), &codes) {
            opened.scope.region = None;
            return settle(opened);
        }
        return Err(unknown_region(&wanted, &codes));
    }
    let regions = opened.backend.regions()?;
    let first = regions.all.first().map(|(code, _)| code.as_str());
    let Some(code) = regions.default.as_deref().or(first) else {
        return Ok(None);
    };
    let region = Region::parse(code).map_err(|problem| {
        let subject = &opened.profile().subject;
        let message = format!("the default region of {subject} {problem}");
        failed("invalid_response", message)
            .hint("choose one with `--region`: `bot-cli cloud regions list`")
    })?;
    opened.scope.region = Some(Setting::new(
        region.clone(),
        opened.profile().default_region,
    ));
    Ok(Some(region))
}

/// Whether a region that the backend does not have is meant for it at all.
fn is_meant(source: Source, profile: &Profile, codes: &[String]) -> bool {
    // It is where the bot is deployed, or where the original of a copy is.
    (source != Source::DeployFile || profile.can(Ability::DeployRegions))
        && (source != Source::Existing || !codes.is_empty())
}

/// There is no such region.
fn unknown_region(wanted: &Setting<Region>, codes: &[String]) -> Failure {
    let shown: Vec<String> = codes.iter().map(|code| theirs(code)).collect();
    let message = format!(
        "there is no region `{}`{}",
        wanted.value,
        wanted.source.words()
    );
    let problem = if codes.is_empty() {
        "must be left out: there are no regions"
    } else {
        "is not one of the organization's"
    };
    let failure = Failure::new(Exit::Usage, "unknown_region", message);
    let failure = failure.field("region", Some("--region"), problem);
    let failure = match nearest(wanted.value.as_str(), codes.iter().map(String::as_str)) {
        Some(near) => failure.hint(did_you_mean(&[theirs(near)])),
        None => failure,
    };
    if shown.is_empty() {
        return failure;
    }
    failure.hint(format!("available: {}", shown.join(", ")))
}
