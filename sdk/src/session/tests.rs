use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use serde_json::{Value, json};

use super::{Capabilities, Context, Level, Session};
use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::question::{Answer, Question, QuestionKind};
use bot_cli_terminal::cancel::Cancel;
use bot_cli_terminal::ui::Ui;

#[derive(Clone, Default)]
struct Script {
    capabilities: Capabilities,
    answers: Rc<RefCell<VecDeque<Answer>>>,
    seen: Rc<RefCell<Vec<String>>>,
}

impl Ui for Script {
    fn capabilities(&self) -> Capabilities {
        self.capabilities.clone()
    }
    fn ask(&mut self, question: &Question) -> Result<Answer, Failure> {
        let problem = question.problem.as_deref().unwrap_or_default();
        self.seen
            .borrow_mut()
            .push(format!("{}{problem}", question.key));
        self.answers
            .borrow_mut()
            .pop_front()
            .ok_or_else(Failure::cancelled)
    }
    fn progress(&mut self, message: &str, _current: Option<u64>, _total: Option<u64>) {
        self.seen.borrow_mut().push(message.to_owned());
    }
    fn log(&mut self, _level: Level, message: &str, _data: &Value) {
        self.seen.borrow_mut().push(message.to_owned());
    }
    fn output(&mut self, text: &str, _data: &Value) {
        self.seen.borrow_mut().push(text.to_owned());
    }
    fn stdin(&mut self) -> Result<Vec<u8>, Failure> {
        Ok(b"piped".to_vec())
    }
}

fn session(ui: &Script, answers: &Value) -> Session {
    let context = Context {
        verbosity: 1,
        ..Context::new("/")
    };
    let answers = answers.as_object().cloned().unwrap_or_default();
    Session::new(Box::new(ui.clone()), context, answers, Cancel::new())
}

fn asking(answers: &[&str]) -> Script {
    let texts = answers.iter().map(|answer| match *answer {
        "<" => Answer::Back,
        text => Answer::Text(text.to_owned()),
    });
    Script {
        capabilities: Capabilities::all(),
        answers: Rc::new(RefCell::new(texts.collect())),
        ..Script::default()
    }
}

fn text(key: &str, default: Option<&str>) -> Question {
    let mut question = Question::new(QuestionKind::Text, key, key);
    question.default = default.map(Value::from);
    question
}

#[test]
fn without_a_user_the_script_comes_before_the_default() {
    for (answers, default, expected) in [
        (json!({ "a": "script" }), Some("default"), Some("script")),
        (json!({}), Some("default"), Some("default")),
        (json!({}), None, None),
    ] {
        let answer = session(&Script::default(), &answers).ask(&text("a", default));
        assert_eq!(
            answer.ok(),
            expected.map(|text| Answer::Text(text.to_owned()))
        );
    }
}

#[test]
fn all_open_questions_and_all_wrong_answers_are_named() {
    let questions = [text("a", None), text("b", Some("x")), text("c", None)];
    let failure = session(&Script::default(), &json!({}))
        .ask_all(&questions)
        .unwrap_err();
    let keys: Vec<&str> = failure
        .inputs()
        .iter()
        .map(|input| input.key.as_str())
        .collect();
    assert_eq!(
        (failure.code.as_str(), keys),
        ("input_required", vec!["a", "c"])
    );

    let wrong = json!({ "a": 1, "c": true });
    let failure = session(&Script::default(), &wrong)
        .ask_all(&questions)
        .unwrap_err();
    let fields: Vec<&str> = failure
        .fields
        .iter()
        .map(|field| field.field.as_str())
        .collect();
    assert_eq!(
        (failure.code.as_str(), fields),
        ("invalid_input", vec!["a", "c"])
    );
}

#[test]
fn back_leads_to_the_question_before_and_past_scripted_ones() {
    let ui = asking(&["1", "<", "2", "3"]);
    let questions = [text("a", None), text("b", None), text("c", None)];
    let answers = session(&ui, &json!({ "b": "s" }))
        .ask_all(&questions)
        .unwrap();
    let texts = ["a", "b", "c"].map(|key| answers[key].as_text().unwrap());
    assert_eq!(texts, ["2", "s", "3"]);
    assert_eq!(*ui.seen.borrow(), ["a", "c", "a", "c"]);
}

#[test]
fn a_refused_answer_of_several_is_asked_again_and_can_be_left() {
    let ui = asking(&["1", "x", "<", "2", "3"]);
    let number = |_: &Question, answer: &Answer| {
        let text = answer.as_text().unwrap_or_default();
        text.parse::<u8>().map_err(|_| " is no number".to_owned())
    };
    let questions = [text("a", None), text("b", None)];
    let numbers = session(&ui, &json!({})).ask_all_until(&questions, number);
    assert_eq!(numbers.unwrap(), [2, 3]);
    let seen = ["a", "b", "b is no number", "a", "b"];
    assert_eq!(*ui.seen.borrow(), seen);
    let wrong = session(&ui, &json!({ "a": "x", "b": "y" })).ask_all_until(&questions, number);
    assert_eq!(wrong.unwrap_err().fields.len(), 2);
}

#[test]
fn a_refused_answer_is_asked_again_but_a_scripted_one_fails() {
    let refuse_short = |answer: &Answer| {
        let text = answer.as_text().filter(|text| text.len() > 1);
        text.map(str::to_owned)
            .ok_or_else(|| " is too short".to_owned())
    };
    let ui = asking(&["x", "xy"]);
    let parsed = session(&ui, &json!({})).ask_until(&text("a", None), refuse_short);
    assert_eq!(parsed.unwrap(), "xy");
    assert_eq!(*ui.seen.borrow(), ["a", "a is too short"]);
    let failure = session(&ui, &json!({ "a": "x" })).ask_until(&text("a", None), refuse_short);
    assert_eq!(failure.unwrap_err().code, "invalid_input");
}
