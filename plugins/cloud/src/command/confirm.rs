//! The user's consent to what is about to be done.

use bot_cli_sdk::failure::{Exit, Failure};
use bot_cli_sdk::question::{Answer, Question, QuestionKind};
use serde_json::Value;

use super::context::CommandContext;

/// Yes or no. Where nobody can be asked it is a failure that names `--skip`.
pub fn yes(context: &CommandContext<'_>, message: String, details: String) -> Result<(), Failure> {
    let question = Question {
        details: Some(details),
        // Without anybody there a default would be an answer.
        default: context.interactive().then_some(Value::Bool(false)),
        flag: Some("--skip".to_owned()),
        ..Question::new(QuestionKind::Confirm, "confirm", message)
    };
    if context.ask(&question)? == Answer::Confirm(true) {
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
    let question = Question {
        details: Some(details),
        flag: Some("--skip".to_owned()),
        ..Question::new(QuestionKind::Text, "name", message)
    };
    if let Answer::Text(text) = context.ask(&question)?
        && text.trim() == name
    {
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
