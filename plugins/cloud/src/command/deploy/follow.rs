//! Waits until a deployment runs, and says what it waits for.

use std::time::Duration;

use bot_cli_protocol::failure::{ChangeState, Exit, Failure};
use bot_cli_terminal::shell::quoted;

use crate::backend::hosted::ServiceError;
use crate::command::agent::NamedAgent;
use crate::service::LogLines;
use crate::service::agent::{Agent, Revision};
use crate::text::{span, theirs};
use crate::words::failed;

/// The number of lines to show from the end of the bot's log if the deployment fails.
const LAST_LINES: &str = "15";

/// Waits until the deployment with the ID `expected` is ready, shows each phase, and returns the agent and the elapsed time. Every error
/// states that the agent was deployed.
pub fn until_ready(
    agent: &NamedAgent<'_>,
    expected: Option<&str>,
    patience: Duration,
) -> Result<(Agent, Duration), Failure> {
    let (context, name) = (agent.context, &agent.name);
    let is_superseded = |found: &Agent| expected.is_some() && found.desired() != expected;
    let mut shown = String::new();
    let seen = agent.service.client.poll(patience, |elapsed| {
        let found = agent.service.agent(name)?;
        let found = found.ok_or_else(|| ServiceError::NotFound(name.clone()))?;
        if is_superseded(&found) || found.is_ready() || has_failed(&found) {
            return Ok(Some((found, elapsed)));
        }
        let (phase, elapsed) = (phase(&found), clock(elapsed));
        if phase != shown {
            context.session.note(&format!("{elapsed} {phase}"));
        }
        shown = phase;
        context.session.progress(
            &format!("Waiting until `{name}` is ready, {elapsed}"),
            None,
            None,
        );
        Ok(None)
    });
    let was_deployed = format!("`{name}` was deployed, ");
    let failure = match seen {
        Ok(Some((found, _))) if is_superseded(&found) => {
            let message = was_deployed + "and then someone else deployed it again";
            failed("superseded", message)
        }
        Ok(Some((found, elapsed))) if found.is_ready() => return Ok((found, elapsed)),
        Ok(Some((found, _))) => unhealthy(agent, &found),
        Ok(None) => {
            let patience = span(patience.as_secs());
            let message = format!("{was_deployed}but is not ready after {patience}");
            Failure::new(Exit::Unavailable, "not_ready", message)
        }
        Err(ServiceError::Cancelled) => Failure::cancelled().message(format!(
            "cancelled; {was_deployed}and the service goes on starting it"
        )),
        Err(error) => {
            let failure = Failure::from(error);
            let why = &failure.message;
            let message = format!("{was_deployed}but its state could not be read: {why}");
            failure.message(message)
        }
    };
    let failure = failure.outcome(ChangeState::Done);
    Err(failure.hint(agent.command("status")))
}

/// Reports whether the desired deployment has failed. Until its rollout starts, the service still describes the previous deployment.
fn has_failed(agent: &Agent) -> bool {
    let has_error = agent.is_taken_up() && agent.error().is_some();
    has_error || agent.newest_revision().is_some_and(Revision::fails)
}

/// Shows the last lines of the bot's log and returns the failure for a deployment that doesn't start.
fn unhealthy(agent: &NamedAgent<'_>, found: &Agent) -> Failure {
    let (service, name) = (&agent.service, &agent.name);
    let query = [
        ("limit", Some(LAST_LINES.to_owned())),
        ("order", Some("desc".to_owned())),
        ("deploymentId", found.desired().map(str::to_owned)),
    ];
    let lines = service.get::<LogLines>(&[service.agents(), name, "logs"], &query);
    for line in lines.iter().flat_map(|lines| lines.logs.iter().rev()) {
        agent.context.session.note(&theirs(&line.log));
    }
    let problem = || found.newest_revision().and_then(Revision::problem);
    let why = theirs(&found.error().or_else(problem).unwrap_or_default());
    let serves = found.still_serves();
    let message = format!("`{name}` was deployed, but does not start: {why}{serves}");
    let failure = failed("unhealthy", message);
    match found.previous() {
        Some(id) if service.is_user() && !serves.is_empty() => {
            let back = agent.command("rollback");
            failure.hint(format!("{back} --to {}", quoted(&theirs(id))))
        }
        _ => failure,
    }
}

/// Describes the state of a deployment that is not ready yet.
fn phase(agent: &Agent) -> String {
    if !agent.is_taken_up() {
        return "waiting for the service to begin".to_owned();
    }
    let Some(revision) = agent.newest_revision() else {
        return "starting".to_owned();
    };
    let problem = revision.problem();
    let problem = problem.map_or(String::new(), |problem| format!(": {}", theirs(&problem)));
    let (words, serves) = (theirs(&revision.words()), agent.still_serves());
    format!("{words}{serves}{problem}")
}

/// Formats a duration in minutes and seconds, such as "0:07" or "12:30".
pub fn clock(took: Duration) -> String {
    let seconds = took.as_secs();
    format!("{}:{:02}", seconds / 60, seconds % 60)
}
