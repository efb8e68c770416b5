mod offers;
mod place;
mod scripted;
mod walking;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::rc::Rc;

use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::question::{Answer, Question, QuestionKind};
use bot_cli_sdk::session::{Context, Session};
use bot_cli_terminal::cancel::Cancel;
use bot_cli_terminal::ui::{Capabilities, Level, Ui};
use serde_json::{Map, Value, json};

use super::{Selection, Way, ask};
use crate::catalogue::Catalogue;
use crate::draft::Draft;
use crate::option_table::{Feature, Setting, Switches};

/// A simulated user who gives the scripted answers in order, then cancels.
#[derive(Default)]
struct Script {
    says: VecDeque<Value>,
    /// The question types that the user can answer. Empty if no user is present.
    can_ask: Vec<QuestionKind>,
    asked: Rc<RefCell<Vec<Question>>>,
}

impl Ui for Script {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            ask: self.can_ask.clone(),
            ..Capabilities::default()
        }
    }

    fn ask(&mut self, question: &Question) -> Result<Answer, Failure> {
        self.asked.borrow_mut().push(question.clone());
        let said = match self.says.pop_front() {
            None => return Err(Failure::cancelled()),
            Some(said) if said == BACK => {
                assert!(
                    question.back,
                    "`{}` does not allow going back",
                    question.key
                );
                return Ok(Answer::Back);
            }
            Some(said) if said == ENTER => question.default.clone().unwrap_or(json!("")),
            Some(said) => said,
        };
        Ok(question
            .check(&said)
            .unwrap_or_else(|problem| panic!("{}: {problem}", question.key)))
    }

    fn progress(&mut self, _: &str, _: Option<u64>, _: Option<u64>) {}
    fn log(&mut self, _: Level, _: &str, _: &Value) {}
    fn output(&mut self, _: &str, _: &Value) {}
    fn stdin(&mut self) -> Result<Vec<u8>, Failure> {
        Ok(Vec::new())
    }
}

const BACK: &str = "\u{1b}";
const ENTER: &str = "\n";

fn nowhere() -> PathBuf {
    std::env::temp_dir().join("bot-cli-nowhere")
}

fn session(ui: Script, answers: Value) -> Session {
    let context = Context::new(nowhere());
    let answers: Map<String, Value> = serde_json::from_value(answers).unwrap();
    Session::new(Box::new(ui), context, answers, Cancel::new())
}

/// Returns the selection that results from scripted answers without prompts.
fn answered(answers: Value) -> Result<Selection, Failure> {
    ask(
        &session(Script::default(), answers),
        &nothing_given(),
        Catalogue::built_in(),
    )
}

fn nothing_given() -> Selection {
    Selection {
        cwd: nowhere(),
        ..Selection::default()
    }
}

fn talk(given: &Selection, says: &[Value]) -> (Result<Selection, Failure>, Vec<Question>) {
    let asked = Rc::new(RefCell::new(Vec::new()));
    let script = Script {
        says: says.iter().cloned().collect(),
        can_ask: QuestionKind::ALL.to_vec(),
        asked: Rc::clone(&asked),
    };
    let result = ask(&session(script, json!({})), given, Catalogue::built_in());
    (result, asked.take())
}

fn keys(asked: &[Question]) -> Vec<&str> {
    asked.iter().map(|question| question.key.as_str()).collect()
}

fn whole() -> Vec<(&'static str, Value)> {
    vec![
        ("target", json!("no-such-folder")),
        ("way", json!("scaffold")),
        ("name", json!("My Bot")),
        ("bot_type", json!("web")),
        ("transport", json!(["p2p_webrtc"])),
        ("mode", json!("cascade")),
        ("stt", json!("deepgram_stt")),
        ("llm", json!("openai_llm")),
        ("tts", json!("cartesia_tts")),
        ("video", json!("none")),
        ("features", json!(["recording", "video_output"])),
        ("client_framework", json!("react")),
        ("client_server", json!("nextjs")),
        ("deploy_to_cloud", json!(true)),
        ("enable_noise_cancel", json!(true)),
        ("eval", json!(false)),
        ("confirm", json!("create")),
    ]
}

fn said(walk: &[(&str, Value)]) -> Vec<Value> {
    walk.iter().map(|(_, answer)| answer.clone()).collect()
}

fn whole_draft() -> Draft {
    let on = [
        Feature::Recording,
        Feature::VideoOutput,
        Feature::DeployToCloud,
        Feature::NoiseCancel,
    ];
    let mut switches = Switches::of(Feature::ALL.map(|feature| (feature, on.contains(&feature))));
    // Only asked for bots that call people.
    *switches.slot(Feature::Voicemail) = None;
    *switches.slot(Feature::SelfHost) = None;
    let mut draft = Draft {
        switches,
        ..Draft::default()
    };
    for (setting, text) in [
        (Setting::ProjectName, "My Bot"),
        (Setting::BotType, "web"),
        (Setting::Transports, "p2p_webrtc"),
        (Setting::Mode, "cascade"),
        (Setting::SttService, "deepgram_stt"),
        (Setting::LlmService, "openai_llm"),
        (Setting::TtsService, "cartesia_tts"),
        (Setting::VideoService, "none"),
        (Setting::ClientFramework, "react"),
        (Setting::ClientServer, "nextjs"),
    ] {
        draft.put(setting, [text]);
    }
    draft
}

fn switches(but: &[(Feature, Option<bool>)]) -> Switches {
    let mut switches = whole_draft().switches;
    for (feature, said) in but {
        *switches.slot(*feature) = *said;
    }
    switches
}

#[test]
fn asks_every_question_once_and_keeps_every_answer() {
    let (result, asked) = talk(&nothing_given(), &said(&whole()));
    let selection = result.unwrap();
    assert_eq!(
        keys(&asked),
        whole().iter().map(|(key, _)| *key).collect::<Vec<_>>()
    );
    assert_eq!(selection.target.unwrap().shown, "no-such-folder");
    assert_eq!(selection.way, Some(Way::Scaffold));
    assert_eq!(selection.draft, whole_draft());
}
