//! The last question: everything at a glance, then create, change or cancel.

use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::question::{Answer, Choice, Question};
use bot_cli_sdk::session::Session;
use bot_cli_terminal::table as aligned;

use super::Selection;
use super::steps::{Sets, Step};
use super::walk::Walk;
use crate::catalogue::Catalogue;
use crate::option_table::{Setting, Values};

/// The user's answer to the summary.
pub(super) enum Verdict {
    Create,
    /// Change the answer to this question.
    Change(String),
    /// Ask the last question again.
    Back,
    Cancel,
}

/// Shows what will be made and asks whether to make it.
pub(super) fn agree(
    session: &mut Session,
    walk: &Walk<'_>,
    selection: &Selection,
) -> Result<Verdict, Failure> {
    let mut lines: Vec<Line> = Vec::new();
    for (step, asked) in walk.relevant(selection) {
        lines.extend(Line::of(step, asked, selection, walk.catalogue()));
        lines.extend(notes(step, selection, walk.catalogue()).map(Line::note));
    }
    let changeable = !session.has_answer(CONFIRM) && lines.iter().any(|line| line.asked);
    let question = question(&lines, changeable);
    loop {
        match session.ask(&question)?.as_text() {
            None => return Ok(Verdict::Back),
            Some(CHANGE) => {
                if let Answer::Text(key) = session.ask(&which(&lines))? {
                    return Ok(Verdict::Change(key));
                }
            }
            Some(CANCEL) => return Ok(Verdict::Cancel),
            Some(_) => return Ok(Verdict::Create),
        }
    }
}

/// The notes about the transports or the service of a step.
fn notes<'c>(
    step: &Step,
    selection: &Selection,
    catalogue: &'c Catalogue,
) -> impl Iterator<Item = &'c str> {
    let names = match (step.sets, step.value(selection)) {
        (Sets::Setting(Setting::Transports), Some(Answer::Many(names))) => names,
        (Sets::Setting(setting), Some(Answer::Text(name)))
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

const CONFIRM: &str = "confirm";
const CREATE: &str = "create";
const CHANGE: &str = "change";
const CANCEL: &str = "cancel";

/// One line of the summary.
struct Line {
    key: &'static str,
    label: &'static str,
    value: String,
    asked: bool,
}

impl Line {
    fn note(note: &str) -> Self {
        Self {
            key: "",
            label: "",
            value: note.to_owned(),
            asked: false,
        }
    }

    fn of(step: &Step, asked: bool, selection: &Selection, catalogue: &Catalogue) -> Option<Self> {
        let value = step.value(selection)?;
        let values = match (value.as_bool(), value.as_many()) {
            (Some(true), _) => vec!["yes".to_owned()],
            (Some(false), _) => vec!["no".to_owned()],
            (None, Some([])) => vec!["none".to_owned()],
            (None, Some(values)) => values.to_vec(),
            (None, None) => vec![value.as_text()?.to_owned()],
        };
        let choices = (step.question)(selection, catalogue).choices;
        let label = |value: &String| {
            let chosen = choices.iter().find(|choice| choice.value == *value);
            chosen.map_or(value, |choice| &choice.label).clone()
        };
        let labels: Vec<String> = values.iter().map(label).collect();
        Some(Self {
            key: step.key,
            label: step.label,
            value: labels.join(", "),
            asked,
        })
    }
}

/// A script that has answered every question has nothing to change, and would change it for ever.
fn question(lines: &[Line], changeable: bool) -> Question {
    let mut choices = vec![Choice::new(CREATE, "Create it")];
    if changeable {
        choices.push(Choice::new(CHANGE, "Change something"));
    }
    choices.push(Choice::new(CANCEL, "Cancel"));
    let mut question = Question::select(CONFIRM, "Create this project?", choices)
        .details(table(lines))
        .default(CREATE);
    question.back = changeable;
    question
}

fn which(lines: &[Line]) -> Question {
    let asked = lines.iter().filter(|line| line.asked);
    let choices = asked.map(|line| Choice::new(line.key, line.label).about(&line.value));
    Question::select("change", "What do you want to change?", choices).allow_back()
}

fn table(lines: &[Line]) -> String {
    let rows = lines.iter();
    let rows: Vec<Vec<String>> = rows
        .map(|line| vec![line.label.to_owned(), line.value.clone()])
        .collect();
    aligned(&rows).trim_end().to_owned()
}
