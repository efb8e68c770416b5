//! Carries out a command.

use clap::ArgMatches;

use super::{Command, describe, usage};
use crate::session::Session;
use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::outcome::Outcome;

/// Runs the command described by `matches`. `name` is the command as the user typed it.
pub fn carry_out<C: Command>(matches: &ArgMatches, name: &str, session: &Session) -> Outcome {
    let parsed = C::from_arg_matches(matches);
    let cancel = session.cancel().clone();
    let result = parsed
        .map_err(|error| usage::failure(&error, name, &describe::tree::<C>(), &[""; 0]))
        .and_then(|command| {
            cancel.begin();
            command.run(session)
        })
        .map_err(|failure| cancel.explain(failure));
    cancel.settle();
    if let Err(failure) = &result {
        tell_causes(failure, session);
    }
    let result = result.map(|mut reply| {
        reply.text.insert_str(0, &session.take_output());
        reply
    });
    Outcome::new(result).with_status(session.status())
}

/// Logs the causes of a failure, except after a password question, because the text of a cause may quote the password.
fn tell_causes(failure: &Failure, session: &Session) {
    if !session.has_asked_for_secret() {
        for cause in failure.causes() {
            session.info(&format!("caused by: {cause}"));
        }
    }
}
