//! The name of a set, chosen from those that there are.

use bot_cli_sdk::failure::{Exit, Failure};
use bot_cli_sdk::question::{Answer, Choice, Question, QuestionKind};

use super::context::CommandContext;
use super::open::Opened;
use crate::backend::Summary;
use crate::domain::{SetKind, SetName};
use crate::scope::BackendKind;
use crate::text::theirs;

/// The key of the question.
pub const KEY: &str = "name";

/// The answer that is no name; none has a blank.
const NEW: &str = "a new set";

/// Asks which set is written: one that is there, or a new one.
pub fn target(context: &CommandContext<'_>, opened: &Opened<'_>) -> Result<SetName, Failure> {
    let mut choices = choices(&opened.all()?, SetName::parse);
    if !choices.is_empty() || context.has_answer(KEY) {
        choices.push(Choice {
            value: NEW.to_owned(),
            label: format!("{NEW}…"),
            about: None,
        });
        let chosen = ask(context, "Set to change", choices)?;
        if chosen != NEW {
            return parsed(&chosen, SetName::parse);
        }
    }
    let question = Question::new(QuestionKind::Text, "new_name", "Name of the new set");
    context.ask_until(&question, |answer| match answer {
        Answer::Text(name) => {
            let name = SetName::parse(name.trim())?;
            if opened.scope.backend.value == BackendKind::Hosted {
                name.check_hosted()?;
            }
            Ok(name)
        }
        Answer::Secret(_) | Answer::Confirm(_) | Answer::Many(_) | Answer::Back => {
            Err("must be a text".to_owned())
        }
    })
}

/// Asks which of `sets` is used; `None` when there is none.
pub fn existing(
    context: &CommandContext<'_>,
    sets: &[Summary],
) -> Result<Option<SetName>, Failure> {
    let choices = choices(sets, SetName::parse_existing);
    if choices.is_empty() {
        return Ok(None);
    }
    let chosen = ask(context, "Set", choices)?;
    parsed(&chosen, SetName::parse_existing).map(Some)
}

fn choices(sets: &[Summary], parse: fn(&str) -> Result<SetName, String>) -> Vec<Choice> {
    sets.iter()
        .filter(|set| set.kind == SetKind::Secret && parse(&set.name).is_ok())
        .map(|set| Choice {
            value: set.name.clone(),
            label: set.name.clone(),
            about: Some(theirs(&set.region)),
        })
        .collect()
}

fn ask(
    context: &CommandContext<'_>,
    message: &str,
    choices: Vec<Choice>,
) -> Result<String, Failure> {
    let question = Question {
        choices,
        ..Question::new(QuestionKind::Select, KEY, message)
    };
    match context.ask(&question)? {
        Answer::Text(chosen) => Ok(chosen),
        Answer::Secret(_) | Answer::Confirm(_) | Answer::Many(_) | Answer::Back => {
            Err(internal("a choice was answered with something else"))
        }
    }
}

fn parsed(name: &str, parse: fn(&str) -> Result<SetName, String>) -> Result<SetName, Failure> {
    parse(name).map_err(|problem| internal(&problem))
}

fn internal(problem: &str) -> Failure {
    Failure::new(Exit::Failed, "internal", problem)
}
