//! In the place of `prompt` where the feature `prompts` is off: nobody is asked at a terminal.

use super::Look;
use super::waiting::Waiting;
use crate::failure::{Exit, Failure};
use crate::question::{Answer, Question, QuestionKind};

/// The kinds of question that can be asked at a terminal.
pub const KINDS: &[QuestionKind] = &[];

/// The questions on the screen: there are none.
#[derive(Debug, Clone, Default)]
pub struct Trail(());

impl Trail {
    #[expect(clippy::unused_self, reason = "it stands in for that of `prompt`")]
    pub fn leave(&mut self) {}
}

/// Never called, since no kind of question can be asked.
pub fn ask(
    question: &Question,
    _: &Look,
    _: &mut Waiting,
    _: &mut Trail,
) -> Result<Answer, Failure> {
    let message = format!("`{}` can't be asked here", question.key);
    Err(Failure::new(Exit::Usage, "input_required", message))
}
