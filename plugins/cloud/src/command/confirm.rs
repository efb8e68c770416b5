//! The user's consent to what is about to be done.

use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::question::Question;

use super::context::CommandContext;

/// The answer that Enter alone is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enter {
    Yes,
    No,
}

/// Yes or no. Where nobody can be asked it is a failure that names `--skip`.
pub fn yes(
    context: &CommandContext<'_>,
    message: String,
    details: String,
    enter: Enter,
) -> Result<(), Failure> {
    let mut question = Question::confirm("confirm", message)
        .details(details)
        .flag("--skip");
    // Without anybody there a default would be an answer.
    if context.interactive() {
        question = question.default(enter == Enter::Yes);
    }
    if context.confirm(&question)? {
        Ok(())
    } else {
        Err(Failure::cancelled())
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
        return Ok(());
    }
    let message = "cancelled: that is not what was asked for; nothing was changed";
    Err(Failure::cancelled().message(message))
}
