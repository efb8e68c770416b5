//! The name of a set, chosen from those that there are.

use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::question::{Answer, Choice, Question};

use super::context::CommandContext;
use super::open::Opened;
use crate::backend::Summary;
use crate::domain::{SetKind, SetName};
use crate::source::Source;
use crate::text::theirs;
use crate::words::failed;

/// The key of the question.
pub const KEY: &str = "name";

/// The answer that is no name; none has a blank.
const NEW: &str = "a new set";

/// Asks which set is written: one that is there, or a new one.
pub fn target(context: &CommandContext<'_>, opened: &Opened<'_>) -> Result<SetName, Failure> {
    let mut choices = choices(opened, SetName::parse)?;
    let is_choice = !choices.is_empty() || context.has_answer(KEY);
    choices.push(Choice::new(NEW, format!("{NEW}…")));
    let set = Question::select(KEY, "Set to change", choices);
    let mut new = Question::text("new_name", "Name of the new set");
    new.back = is_choice && !context.has_answer(KEY);
    loop {
        if is_choice {
            let chosen = context.ask_text(&set)?;
            if chosen != NEW {
                return parsed(&chosen, SetName::parse);
            }
        }
        let named = context.ask_until(&new, |answer| {
            if *answer == Answer::Back {
                return Ok(None);
            }
            let name = answer.as_text().ok_or("must be a text")?;
            let name = SetName::parse(name.trim())?;
            opened.profile().check_name(&name)?;
            Ok(Some(name))
        })?;
        if let Some(name) = named {
            return Ok(name);
        }
    }
}

/// Asks which of the sets is used; `None` when there is none.
pub fn existing(
    context: &CommandContext<'_>,
    opened: &Opened<'_>,
) -> Result<Option<SetName>, Failure> {
    let choices = choices(opened, SetName::parse_existing)?;
    if choices.is_empty() {
        return Ok(None);
    }
    let chosen = context.ask_text(&Question::select(KEY, "Set", choices))?;
    parsed(&chosen, SetName::parse_existing).map(Some)
}

fn choices(
    opened: &Opened<'_>,
    parse: fn(&str) -> Result<SetName, String>,
) -> Result<Vec<Choice>, Failure> {
    let mut sets = opened.backend.list(None)?;
    sets.retain(|set| set.kind == SetKind::Secret && parse(&set.name).is_ok());
    let choice = |set: &Summary| {
        let choice = Choice::new(&set.name, &set.name);
        match opened.said_region(set.region.as_deref(), Source::Existing) {
            Some(region) => choice.about(theirs(region)),
            None => choice,
        }
    };
    Ok(sets.iter().map(choice).collect())
}

fn parsed(name: &str, parse: fn(&str) -> Result<SetName, String>) -> Result<SetName, Failure> {
    parse(name).map_err(|problem| failed("internal", problem))
}
