//! The user's consent to what is about to be done.

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::question::Question;

use super::context::CommandContext;

/// Yes or no. Where nobody can be asked it is a failure that names `--skip`.
pub fn yes(context: &CommandContext<'_>, message: String, details: String) -> Result<(), Failure> {
    let mut question = Question::confirm("confirm", message)
        .details(details)
        .flag("--skip");
    // Without anybody there a default would be an answer.
    if context.interactive() {
        question = question.default(false);
    }
    if context.confirm(&question)? {
        Ok(())
    } else {
        Err(declined("nothing was changed"))
    }
}

/// The name of what is about to go, typed once more.
pub fn by_name(
    context: &CommandContext<'_>,
    name: &str,
    message: String,
    details: String,
) -> Result<(), Failure> {
    let question = Question::text("name", message)
        .details(details)
        .flag("--skip");
    if context.ask_text(&question)?.trim() == name {
        Ok(())
    } else {
        Err(declined(
            "that is not what was asked for; nothing was changed",
        ))
    }
}

fn declined(message: &str) -> Failure {
    Failure::new(Exit::Failed, "declined", message)
}
