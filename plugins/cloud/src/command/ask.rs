//! Questions to the user, and consent to a plan.

use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::question::{Answer, Question};
use bot_cli_sdk::session::Session;

/// Asks several questions. If prompting is impossible, fails with `instead` as a hint.
pub fn ask_all_or<T>(
    session: &Session,
    questions: &[Question],
    instead: &str,
    parse: impl FnMut(&Question, &Answer) -> Result<T, String>,
) -> Result<Vec<T>, Failure> {
    let answers = session.ask_all_until(questions, parse);
    answers.map_err(|failure| match failure.code.as_str() {
        "input_required" => failure.hint(instead),
        _ => failure,
    })
}

/// Shows the plan and asks for consent, with a default answer, if any. Fails if the user does not agree.
pub fn consent(
    session: &Session,
    question: &str,
    plan: String,
    default: Option<bool>,
) -> Result<(), Failure> {
    let question = Question::confirm("confirm", question.to_owned());
    let mut question = question.details(plan).flag("--skip");
    if let Some(default) = default {
        question = question.default(default);
    }
    if session.confirm(&question)? {
        Ok(())
    } else {
        Err(Failure::cancelled())
    }
}

/// Asks the user to type `word`, in order to delete or replace something. Fails if the answer differs.
pub fn confirm_by_name(
    session: &Session,
    word: &str,
    verb: &str,
    details: String,
) -> Result<(), Failure> {
    let question = Question::text("name", format!("Type `{word}` to {verb} it:"));
    let question = question.details(details).flag("--skip");
    if session.ask_text(&question)?.trim() == word {
        return Ok(());
    }
    let message = "cancelled: that is not what was asked for; nothing was changed";
    Err(Failure::cancelled().message(message))
}
