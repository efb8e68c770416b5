//! The last question: everything at a glance, then create, change or cancel.

use bot_cli_sdk::failure::Failure;
use bot_cli_sdk::question::{Answer, Choice, Question, QuestionKind};
use bot_cli_sdk::session::Session;
use serde_json::json;

use super::Wishes;
use super::choices::choice;
use super::walk::{Step, Walk};

/// What the user says to the summary.
pub(super) enum Verdict {
    /// That it is right.
    Create,
    /// That the answer to this question is not right.
    Change(String),
    /// That the last question be asked again.
    Back,
    /// That nothing be made.
    Cancel,
}

/// Shows what will be made and asks whether to make it.
pub(super) fn agree(
    session: &mut Session,
    walk: &Walk<'_>,
    wishes: &Wishes,
) -> Result<Verdict, Failure> {
    let lines: Vec<Line> = walk
        .relevant(wishes)
        .into_iter()
        .filter_map(|(step, asked)| Line::of(step, asked, wishes))
        .collect();
    let changeable = !session.has_answer(CONFIRM) && lines.iter().any(|line| line.asked);
    loop {
        match session.ask(&question(&lines, changeable))? {
            Answer::Back => return Ok(Verdict::Back),
            Answer::Text(verdict) if verdict == CHANGE => {
                if let Answer::Text(key) = session.ask(&which(&lines))? {
                    return Ok(Verdict::Change(key));
                }
            }
            Answer::Text(verdict) if verdict == CANCEL => return Ok(Verdict::Cancel),
            Answer::Text(_) | Answer::Secret(_) | Answer::Confirm(_) | Answer::Many(_) => {
                return Ok(Verdict::Create);
            }
        }
    }
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
    fn of(step: &Step, asked: bool, wishes: &Wishes) -> Option<Self> {
        let value = (step.value)(wishes)?;
        let value = match value {
            Answer::Text(text) => label_of(step, wishes, &text),
            Answer::Confirm(yes) => if yes { "yes" } else { "no" }.to_owned(),
            Answer::Many(values) if values.is_empty() => "none".to_owned(),
            Answer::Many(values) => {
                let labels: Vec<String> = values
                    .iter()
                    .map(|value| label_of(step, wishes, value))
                    .collect();
                labels.join(", ")
            }
            Answer::Secret(_) | Answer::Back => return None,
        };
        Some(Self {
            key: step.key,
            label: step.label,
            value,
            asked,
        })
    }
}

fn label_of(step: &Step, wishes: &Wishes, value: &str) -> String {
    let choices = (step.question)(wishes).choices;
    let chosen = choices.into_iter().find(|choice| choice.value == value);
    chosen.map_or_else(|| value.to_owned(), |choice| choice.label)
}

/// A script that has answered every question has nothing to change, and would change it for ever.
fn question(lines: &[Line], changeable: bool) -> Question {
    let mut question = Question::new(QuestionKind::Select, CONFIRM, "Create this project?");
    question.details = Some(table(lines));
    question.default = Some(json!(CREATE));
    question.back = changeable;
    question.choices = vec![choice(CREATE, "Create it")];
    if changeable {
        question.choices.push(choice(CHANGE, "Change something"));
    }
    question.choices.push(choice(CANCEL, "Cancel"));
    question
}

fn which(lines: &[Line]) -> Question {
    let mut question = Question::new(QuestionKind::Select, "change", "What should be different?");
    question.back = true;
    question.choices = lines
        .iter()
        .filter(|line| line.asked)
        .map(|line| Choice {
            about: Some(line.value.clone()),
            ..choice(line.key, line.label)
        })
        .collect();
    question
}

fn table(lines: &[Line]) -> String {
    let width = lines
        .iter()
        .map(|line| line.label.len())
        .max()
        .unwrap_or_default();
    let rows: Vec<String> = lines
        .iter()
        .map(|line| format!("{:width$}  {}", line.label, line.value))
        .collect();
    rows.join("\n")
}
