//! The region for something new.

use bot_cli_sdk::failure::{Exit, Failure};

use super::open::Opened;
use crate::config::nearest;
use crate::domain::Region;
use crate::scope::{BackendKind, Setting, Source};
use crate::text::theirs;
use crate::words;

/// Returns the wanted region if the organization has it, else its default, which is noted in the scope.
pub fn settle(opened: &mut Opened<'_>) -> Result<Region, Failure> {
    let failed = |error| words::failure(&error);
    if let Some(wanted) = &opened.scope.region {
        let codes = opened.backend.region_codes().map_err(failed)?;
        return if codes.iter().any(|code| code == wanted.value.as_str()) {
            Ok(wanted.value.clone())
        } else {
            Err(unknown_region(wanted, &codes))
        };
    }
    let regions = opened.backend.regions().map_err(failed)?;
    let first = regions.all.first().map(|(code, _)| code.as_str());
    let code = regions.default.as_deref().or(first).unwrap_or_default();
    let region = Region::parse(code).map_err(|problem| {
        let message = format!("the service's default region {problem}");
        Failure::new(Exit::Failed, "invalid_response", message)
            .hint("choose one with `--region`: `bot-cli cloud regions list`")
    })?;
    opened.scope.region = Some(Setting {
        value: region.clone(),
        source: match opened.scope.backend.value {
            BackendKind::Hosted => Source::Service,
            BackendKind::Local => Source::Default,
        },
    });
    Ok(region)
}

/// There is no such region.
fn unknown_region(wanted: &Setting<Region>, codes: &[String]) -> Failure {
    let shown: Vec<String> = codes.iter().map(|code| theirs(code)).collect();
    let failure = Failure::new(
        Exit::Usage,
        "unknown_region",
        format!(
            "there is no region `{}`{}",
            wanted.value,
            wanted.source.words()
        ),
    )
    .field(
        "region",
        Some("--region"),
        "is not one of the organization's",
    );
    let failure = match nearest(wanted.value.as_str(), codes.iter().map(String::as_str)) {
        Some(near) => failure.hint(format!("did you mean `{}`?", theirs(near))),
        None => failure,
    };
    if shown.is_empty() {
        return failure;
    }
    failure.hint(format!("available: {}", shown.join(", ")))
}
