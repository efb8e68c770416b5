//! Shows a summary of all choices and asks whether to create the project, change a choice or cancel.

use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::question::{Answer, Choice, Question};
use bot_cli_sdk::session::Session;
use bot_cli_terminal::table as aligned;

use super::Selection;
use super::steps::{self, Sets, Step};
use super::walk::Walk;
use crate::catalogue::Catalogue;
use crate::option_table::{Setting, Values};

const CONFIRM: &str = "confirm";
const CREATE: &str = "create";
const CHANGE: &str = "change";
const CANCEL: &str = "cancel";

/// Shows the summary and returns whether to create the project. If the result is `false`, one of the questions must be asked again.
pub(super) fn agree(
    session: &mut Session,
    walk: &mut Walk<'_>,
    selection: &Selection,
) -> Result<bool, Failure> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut asked: Vec<Choice> = Vec::new();
    let catalogue = walk.catalogue();
    for step in steps::all().iter().filter(|step| step.applies(selection)) {
        let Some(answer) = step.value(selection) else {
            continue;
        };
        let value = labels(step, &answer, selection, catalogue);
        if walk.has_asked(step) {
            asked.push(Choice::new(step.key(), &step.label).about(&value));
        }
        rows.push(vec![step.label.clone(), value]);
        let notes = notes(step, answer, catalogue);
        rows.extend(notes.map(|note| vec![String::new(), note.to_owned()]));
    }
    // A script that answers every question has nothing to change, and would otherwise loop forever.
    let changeable = !session.has_answer(CONFIRM) && !asked.is_empty();
    let change = changeable.then_some((CHANGE, "Change something"));
    let choices = std::iter::once((CREATE, "Create it")).chain(change);
    let choices = choices.chain([(CANCEL, "Cancel")]);
    let mut question = Question::select(CONFIRM, "Create this project?", choices)
        .details(aligned(&rows).trim_end())
        .default(CREATE);
    question.back = changeable;
    let which = Question::select(CHANGE, "What do you want to change?", asked).allow_back();
    loop {
        match session.ask(&question)?.as_text() {
            None => walk.back(),
            Some(CHANGE) => {
                let Answer::Text(key) = session.ask(&which)? else {
                    continue;
                };
                walk.change(&key);
            }
            Some(CANCEL) => return Err(Failure::cancelled()),
            Some(_) => return Ok(true),
        }
        return Ok(false);
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

fn notes<'c>(
    step: &Step,
    answer: Answer,
    catalogue: &'c Catalogue,
) -> impl Iterator<Item = &'c str> {
    let names = match (step.sets(), answer) {
        (Sets::Setting(Setting::Transports), Answer::Many(names)) => names,
        (Sets::Setting(setting), Answer::Text(name))
            if matches!(setting.row().values, Values::Service(_)) =>
        {
            vec![name]
        }
        _ => Vec::new(),
    };
    names.into_iter().filter_map(|name| {
        let service = catalogue.service(&name);
        let of_service = service.and_then(|service| service.note.as_deref());
        of_service.or_else(|| catalogue.transport(&name)?.note.as_deref())
    })
}
