//! Asks the questions in a table in order.
//!
//! The answers are the only state: replaying the table with the answers produces the current selection. Going back removes an answer, and
//! unanswered questions are asked again. Removed answers become defaults.

use std::collections::BTreeMap;

use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::question::{Answer, Question};
use bot_cli_sdk::session::Session;
use serde_json::Value;

use super::Selection;
use super::steps::{self, Step};
use crate::catalogue::Catalogue;

pub(super) struct Walk<'a> {
    given: &'a Selection,
    pub(super) catalogue: &'a Catalogue,
    answers: BTreeMap<&'static str, Answer>,
    /// The last accepted answer to each question, including removed answers.
    earlier: BTreeMap<&'static str, Answer>,
}

/// The result of replaying the answers.
struct Replay {
    selection: Selection,
    answered: Vec<&'static Step>,
    /// The first applicable step without a valid answer.
    open: Option<&'static Step>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(given: &'a Selection, catalogue: &'a Catalogue) -> Self {
        Self {
            given,
            catalogue,
            answers: BTreeMap::new(),
            earlier: BTreeMap::new(),
        }
    }

    /// Asks all open questions. Without a user, returns a single failure that lists all of them.
    pub(super) fn complete(&mut self, session: &Session) -> Result<Selection, Failure> {
        let mut unanswered: Vec<Question> = Vec::new();
        loop {
            let replay = self.replay(&unanswered);
            let Some(step) = replay.open else {
                session.ask_all(&unanswered)?;
                return Ok(replay.selection);
            };
            let question = self.question(step, &replay);
            match self.put(session, step, &question, &replay) {
                Ok(()) => {}
                Err(failure) if failure.code == "input_required" => unanswered.push(question),
                Err(failure) => return Err(failure),
            }
        }
    }

    pub(super) fn back(&mut self) {
        if let Some(step) = self.replay(&[]).answered.last() {
            self.answers.remove(step.key());
        }
    }

    pub(super) fn has_asked(&self) -> bool {
        !self.answers.is_empty()
    }

    fn replay(&self, skip: &[Question]) -> Replay {
        let mut selection = self.given.clone();
        let mut answered = Vec::new();
        let mut open = None;
        for step in steps::all() {
            let passed_over = step.value(self.given).is_some()
                || skip.iter().any(|question| question.key == step.key());
            if passed_over || !step.applies(&selection) {
                continue;
            }
            let answer = self.answers.get(step.key());
            if !answer.is_some_and(|answer| settle(step, &mut selection, self.catalogue, answer)) {
                open = Some(step);
                break;
            }
            answered.push(step);
        }
        Replay {
            selection,
            answered,
            open,
        }
    }

    fn question(&self, step: &Step, replay: &Replay) -> Question {
        let mut question = step.question(&replay.selection, self.catalogue);
        question.back = !replay.answered.is_empty();
        if let Some(earlier) = self.earlier.get(step.key()) {
            let earlier = as_json(earlier);
            if question.check(&earlier).is_ok() {
                question.default = Some(earlier);
            }
        }
        question
    }

    fn put(
        &mut self,
        session: &Session,
        step: &'static Step,
        question: &Question,
        replay: &Replay,
    ) -> Result<(), Failure> {
        let answer = session.ask_until(question, |answer| {
            if *answer != Answer::Back {
                step.store(&mut replay.selection.clone(), answer)?;
            }
            Ok(answer.clone())
        })?;
        if answer != Answer::Back {
            self.earlier.insert(step.key(), answer.clone());
            self.answers.insert(step.key(), answer);
        } else if let Some(before) = replay.answered.last() {
            self.answers.remove(before.key());
        }
        Ok(())
    }
}

/// Stores the answer if it is still valid for `selection`, and reports whether it was stored.
fn settle(step: &Step, selection: &mut Selection, catalogue: &Catalogue, answer: &Answer) -> bool {
    let mut settled = selection.clone();
    let question = step.question(selection, catalogue);
    let fits = question.check(&as_json(answer)).is_ok() && step.store(&mut settled, answer).is_ok();
    if fits {
        *selection = settled;
    }
    fits
}

/// Converts an answer to JSON, which always succeeds: the table has no secret questions, and going back isn't stored as an answer.
fn as_json(answer: &Answer) -> Value {
    answer.to_json().unwrap_or_default()
}
