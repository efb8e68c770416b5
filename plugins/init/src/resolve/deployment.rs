//! Whether the project gets what the hosting service needs.

use bot_cli_templates::catalogue::Transport;

use super::Problems;
use crate::draft::Draft;
use crate::option_table::Feature;

/// Deployment files are made unless declined, and only where the hosting service can start the bot.
pub(super) fn resolve(draft: &Draft, transports: &[&Transport], problems: &mut Problems) -> bool {
    let starts = transports.is_empty()
        || transports
            .iter()
            .any(|transport| transport.starts_in_cloud());
    if draft.switch(Feature::DeployToCloud) == Some(true) && !starts {
        problems.add(
            "deploy_to_cloud",
            format!(
                "{}: add another transport, or give `--no-deploy-to-cloud`",
                reasons(transports)
            ),
        );
    }
    let deploys = draft.switch(Feature::DeployToCloud).unwrap_or(starts);
    if draft.switch(Feature::NoiseCancel) == Some(true) && !deploys {
        let problem = if starts {
            "needs cloud deployment: give `--deploy-to-cloud`, or `--no-enable-noise-cancel`"
                .to_owned()
        } else {
            format!(
                "needs cloud deployment, and {}: add another transport, or give `--no-enable-noise-cancel`",
                reasons(transports)
            )
        };
        problems.add("enable_noise_cancel", problem);
    }
    deploys
}

/// Why none of these transports starts on the hosting service.
fn reasons(transports: &[&Transport]) -> String {
    let mut reasons: Vec<&str> = transports
        .iter()
        .filter_map(|transport| transport.stays_behind.as_deref())
        .collect();
    reasons.dedup();
    reasons.join(", and ")
}
