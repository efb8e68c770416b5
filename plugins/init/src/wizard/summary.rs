//! Shows a summary of all choices and asks whether to create the project or cancel.

use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::question::{Answer, Question};
use bot_cli_sdk::session::Session;
use bot_cli_terminal::table as aligned;

use super::Selection;
use super::steps::{self, Step};
use super::walk::Walk;
use crate::catalogue::Catalogue;

const CONFIRM: &str = "confirm";
const CREATE: &str = "create";
const CANCEL: &str = "cancel";

/// Shows the summary and returns whether to create the project. If the result is `false`, the last question must be asked again.
pub(super) fn agree(
    session: &Session,
    walk: &mut Walk<'_>,
    selection: &Selection,
) -> Result<bool, Failure> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let catalogue = walk.catalogue;
    for step in steps::all().iter().filter(|step| step.applies(selection)) {
        let Some(answer) = step.value(selection) else {
            continue;
        };
        let value = labels(step, &answer, selection, catalogue);
        rows.push(vec![step.label.clone(), value]);
    }
    let choices = [(CREATE, "Create it"), (CANCEL, "Cancel")];
    let mut question = Question::select(CONFIRM, "Create this project?", choices)
        .details(aligned(&rows).trim_end())
        .default(CREATE);
    question.back = walk.has_asked();
    match session.ask(&question)?.as_text() {
        None => {
            walk.back();
            Ok(false)
        }
        Some(CANCEL) => Err(Failure::cancelled()),
        Some(_) => Ok(true),
    }
}

fn labels(step: &Step, answer: &Answer, selection: &Selection, catalogue: &Catalogue) -> String {
    let values = match (answer.as_bool(), answer.as_many()) {
        (Some(true), _) => vec!["yes".to_owned()],
        (Some(false), _) => vec!["no".to_owned()],
        (None, Some([])) => vec!["none".to_owned()],
        (None, Some(values)) => values.to_vec(),
        (None, None) => answer.as_text().map(str::to_owned).into_iter().collect(),
    };
    let choices = step.question(selection, catalogue).choices;
    let label = |value: &String| {
        let chosen = choices.iter().find(|choice| choice.value == *value);
        chosen.map_or(value, |choice| &choice.label).clone()
    };
    let labels: Vec<String> = values.iter().map(label).collect();
    labels.join(", ")
}
