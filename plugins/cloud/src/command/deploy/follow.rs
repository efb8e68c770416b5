//! Waits for a deployment to become ready and shows the progress.

use std::time::{Duration, Instant};

use bot_cli_protocol::failure::{ChangeState, Exit, Failure};

use super::Agent;
use crate::backend::hosted::ServiceError;
use crate::backend::hosted::http::is_passing;
use crate::command::context::CommandContext;
use crate::scope::Scope;
use crate::service::agent::Revision;
use crate::service::{LogLines, Service};
use crate::text::{span, theirs};
use crate::words::failed;

/// The number of consecutive failed checks after which waiting for the deployment fails.
const FAILURES: u32 = 5;

/// The number of lines to show from the end of the bot's log if the deployment fails.
const LAST_LINES: &str = "15";

/// A deployment to wait for.
pub struct Follow<'a, 'c> {
    pub context: &'a CommandContext<'c>,
    pub service: &'a Service<'a>,
    pub scope: &'a Scope,
    pub name: &'a str,
    /// The ID of the deployment, if the service returned it.
    pub expected: Option<&'a str>,
    pub patience: Duration,
    pub can_roll_back: bool,
}

/// The result of checking the agent's state once.
enum Seen {
    Ready,
    Starting(String),
    /// The deployment failed or was superseded.
    Broken(Failure),
}

impl Follow<'_, '_> {
    /// Waits until the deployment is ready, shows each phase, and returns the elapsed time. Every error states that the agent was deployed.
    pub fn until_ready(&self) -> Result<Duration, Failure> {
        let (begun, pace, name) = (Instant::now(), self.scope.pace, self.name);
        let (mut pause, mut failures) = (pace.first_look, 0);
        let (mut shown, mut backing_off) = (String::new(), None);
        loop {
            match self.service.look(name) {
                Ok(Some(agent)) => match self.seen(&agent, &mut backing_off) {
                    Seen::Ready => return Ok(begun.elapsed()),
                    Seen::Broken(failure) => return Err(self.deployed(failure)),
                    Seen::Starting(phase) => {
                        failures = 0;
                        if phase != shown {
                            self.context
                                .note(&format!("{} {phase}", clock(begun.elapsed())));
                        }
                        shown = phase;
                    }
                },
                Err(ServiceError::Cancelled) => return Err(self.deployed(stopped(name))),
                Err(error) if !passing(&error) => return Err(self.unread(error.into())),
                // A new agent may not be visible immediately.
                missed => {
                    failures += 1;
                    pause = pace.longest_look;
                    if failures >= FAILURES {
                        return Err(self.unread(match missed {
                            Err(error) => error.into(),
                            Ok(_) => failed("contradicted", "the service does not show it"),
                        }));
                    }
                }
            }
            if begun.elapsed() >= self.patience {
                let waited = span(self.patience.as_secs());
                let message = format!("`{name}` was deployed, but is not ready after {waited}");
                let failure = Failure::new(Exit::Unavailable, "not_ready", message);
                return Err(self.deployed(failure));
            }
            let waited = clock(begun.elapsed());
            self.context
                .progress(&format!("Waiting until `{name}` is ready, {waited}"));
            let waited = self.service.client.pause(pause);
            waited.map_err(|_| self.deployed(stopped(name)))?;
            pause = (pause * 2).min(pace.longest_look);
        }
    }

    fn seen(&self, agent: &Agent, backing_off: &mut Option<Instant>) -> Seen {
        if let (Some(expected), Some(desired)) = (self.expected, agent.desired())
            && expected != desired
        {
            let name = self.name;
            let message = format!("`{name}` was deployed, and then someone else deployed it again");
            return Seen::Broken(failed("superseded", message));
        }
        if agent.is_ready() {
            return Seen::Ready;
        }
        // Before it is taken up, the service still describes the deployment before it.
        let revision = agent.newest_revision();
        if revision.is_some_and(Revision::backs_off) {
            backing_off.get_or_insert_with(Instant::now);
        } else {
            *backing_off = None;
        }
        let backs_off =
            backing_off.is_some_and(|since| since.elapsed() >= self.scope.pace.longest_look);
        let has_error = agent.is_taken_up() && agent.error().is_some();
        if has_error || backs_off || revision.is_some_and(Revision::crashes) {
            return Seen::Broken(self.unhealthy(agent));
        }
        Seen::Starting(phase(agent))
    }

    fn deployed(&self, failure: Failure) -> Failure {
        let status = format!("agents status {}", self.name);
        let failure = failure.outcome(ChangeState::Done);
        failure.hint(self.scope.command(&status))
    }

    /// Returns the failure for a deployment whose state can't be read.
    fn unread(&self, mut failure: Failure) -> Failure {
        failure.message = format!(
            "`{}` was deployed, but its state could not be read: {}",
            self.name, failure.message
        );
        self.deployed(failure)
    }

    /// Shows the last lines of the bot's log and returns the failure for a deployment that doesn't start.
    fn unhealthy(&self, agent: &Agent) -> Failure {
        let name = self.name;
        let lines = last_lines(self.service, name, agent.desired());
        for line in lines.unwrap_or_default() {
            self.context.note(&theirs(&line));
        }
        let problem = || agent.newest_revision().and_then(Revision::problem);
        let why = theirs(&agent.error().or_else(problem).unwrap_or_default());
        let serves = serves(agent);
        let message = format!("`{name}` was deployed, but does not start: {why}{serves}");
        let failure = failed("unhealthy", message);
        if self.can_roll_back {
            let rollback = format!("agents rollback {name}");
            return failure.hint(self.scope.command(&rollback));
        }
        failure
    }
}

/// Returns a note that the previous deployment still accepts sessions, or an empty string if it doesn't.
fn serves(agent: &Agent) -> &'static str {
    if agent.serves_earlier() {
        "; the version before still serves"
    } else {
        ""
    }
}

fn stopped(name: &str) -> Failure {
    let message = format!("cancelled; `{name}` was deployed, and the service goes on starting it");
    Failure::cancelled().message(message)
}

/// Describes the state of a deployment that is not ready yet.
fn phase(agent: &Agent) -> String {
    if !agent.is_taken_up() {
        return "waiting for the service to begin".to_owned();
    }
    let Some(revision) = agent.newest_revision() else {
        return "starting".to_owned();
    };
    let before = serves(agent);
    let problem = revision.problem();
    let problem = problem.map_or(String::new(), |problem| format!(": {}", theirs(&problem)));
    format!("{}{before}{problem}", theirs(&revision.words()))
}

/// Returns the last lines of an agent's log, oldest first.
fn last_lines(
    service: &Service<'_>,
    name: &str,
    deployment: Option<&str>,
) -> Result<Vec<String>, ServiceError> {
    let query = [
        ("limit", Some(LAST_LINES.to_owned())),
        ("order", Some("desc".to_owned())),
        ("deploymentId", deployment.map(str::to_owned)),
    ];
    let lines: LogLines = service.get(&[service.agents(), name, "logs"], &query)?;
    Ok(lines.logs.into_iter().rev().map(|line| line.log).collect())
}

/// Reports whether the request may succeed later. Includes 404 responses, because a new resource may not be visible immediately.
pub fn passing(error: &ServiceError) -> bool {
    is_passing(error)
        || matches!(
            error,
            ServiceError::Unavailable { .. } | ServiceError::NotFound(_)
        )
}

/// Formats a duration in minutes and seconds, such as "0:07" or "12:30".
pub fn clock(took: Duration) -> String {
    let seconds = took.as_secs();
    format!("{}:{:02}", seconds / 60, seconds % 60)
}
