//! Questions for the user and their answers.

mod answer;
mod wire;

use serde_json::Value;

use crate::secret::Secret;
use crate::suggest;
pub use answer::Answer;
pub use wire::{Choice, Question, QuestionKind};

impl Question {
    /// Parses the JSON form of an answer, which is a string, a boolean or a list of strings. The error describes the problem and never
    /// quotes a password.
    pub fn check(&self, value: &Value) -> Result<Answer, String> {
        match (self.kind, value) {
            (QuestionKind::Text, Value::String(text)) => Ok(Answer::Text(text.clone())),
            (QuestionKind::Password, Value::String(text)) => {
                Ok(Answer::Secret(Secret::new(text.clone())))
            }
            (QuestionKind::Confirm, Value::Bool(yes)) => Ok(Answer::Confirm(*yes)),
            (QuestionKind::Select, Value::String(chosen)) => {
                self.offered(chosen)?;
                Ok(Answer::Text(chosen.clone()))
            }
            (QuestionKind::Multiselect, Value::Array(values)) => {
                let mut chosen = Vec::new();
                for value in values {
                    let value = value.as_str().ok_or("must be a list of strings")?;
                    self.offered(value)?;
                    if !chosen.iter().any(|earlier| earlier == value) {
                        chosen.push(value.to_owned());
                    }
                }
                Ok(Answer::Many(chosen))
            }
            (QuestionKind::Text | QuestionKind::Password | QuestionKind::Select, _) => {
                Err("must be a string".to_owned())
            }
            (QuestionKind::Confirm, _) => Err("must be true or false".to_owned()),
            (QuestionKind::Multiselect, _) => Err("must be a list of strings".to_owned()),
        }
    }

    fn offered(&self, value: &str) -> Result<(), String> {
        if self.choices.iter().any(|choice| choice.value == value) {
            return Ok(());
        }
        let values = self.choices.iter().map(|choice| choice.value.as_str());
        let meant = suggest::nearest(value, values).map_or_else(String::new, |near| {
            format!("; {}", suggest::did_you_mean(&[near]))
        });
        let values = self.choices.iter().map(|choice| choice.value.as_str());
        if suggest::is_plain(value) || suggest::slip(value, values).is_some() {
            return Err(format!("`{value}` is not one of the choices{meant}"));
        }
        // The value may be a secret that was entered in the wrong place.
        Err(format!("is not one of the choices{meant}"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Question;

    #[test]
    fn an_answer_that_is_not_on_offer_names_the_nearest() {
        let choices = ["anthropic_llm", "openai_llm"].map(|value| (value, value));
        let question = Question::select("llm", "Which language model?", choices);
        for (value, problem) in [
            (
                "openai",
                "`openai` is not one of the choices; did you mean `openai_llm`?",
            ),
            ("weather", "`weather` is not one of the choices"),
            ("sk-live-1", "is not one of the choices"),
        ] {
            assert_eq!(question.check(&json!(value)).unwrap_err(), problem);
        }
    }
}
