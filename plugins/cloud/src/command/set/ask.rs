//! The values of keys that came without, asked for and hidden.

use bot_cli_protocol::failure::{Failure, Field};
use bot_cli_protocol::question::{Answer, Question};
use bot_cli_protocol::secret::Secret;

use crate::command::context::CommandContext;
use crate::domain::{Entry, Key};
use crate::input::advice;
use crate::input::template::TemplateKey;

/// Returns the name under which a script answers for the value of `key`.
pub fn name(key: &Key) -> String {
    format!("value_{key}")
}

/// Asks for the value of every key in `open`, with what the template says about it. A key of the template may be left out.
pub fn ask(
    context: &CommandContext<'_>,
    open: &[Key],
    template: &[TemplateKey],
    dry_run: bool,
) -> Result<Vec<Entry>, Failure> {
    if open.is_empty() {
        return Ok(Vec::new());
    }
    if dry_run && !context.interactive() && !context.has_answers() {
        let missing = open
            .iter()
            .map(|key| Field::new(key.as_str(), "has no value"));
        return Err(Failure::invalid_input(missing.collect()));
    }
    let questions: Vec<Question> = open.iter().map(|key| question(key, template)).collect();
    let of_template = |question: &Question| {
        template
            .iter()
            .any(|named| name(&named.key) == question.key)
    };
    let instead = "give them as `KEY=VALUE`, or in a file with `--file`";
    let values = context.ask_all_or(&questions, instead, |question, answer| {
        value(answer, of_template(question))
    })?;
    let given = |(key, value): (Key, Option<Secret>)| value.map(|value| Entry { key, value });
    let entries: Vec<Entry> = open.iter().cloned().zip(values).filter_map(given).collect();
    for warning in advice::warnings(&entries) {
        context.warn(&warning);
    }
    Ok(entries)
}

fn question(key: &Key, template: &[TemplateKey]) -> Question {
    let comment = template
        .iter()
        .find(|named| named.key == *key)
        .map(|named| named.comment.join("\n"));
    let mut question = Question::password(&name(key), format!("Value of {key}"));
    if comment.is_some() {
        question = question.help("Enter alone leaves it out");
    }
    question.details = comment.filter(|comment| !comment.is_empty());
    question
}

/// The value; `None` where nothing was typed and the key is one that a template names.
fn value(answer: &Answer, is_of_template: bool) -> Result<Option<Secret>, String> {
    let value = answer.as_secret().ok_or("must be a text")?;
    if value.expose().is_empty() {
        if is_of_template {
            return Ok(None);
        }
        return Err("a value can't be empty".to_owned());
    }
    if value.expose().contains('\0') {
        return Err("a value can't have a NUL character".to_owned());
    }
    Ok(Some(value.clone()))
}
