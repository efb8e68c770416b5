use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use bot_cli_sdk::cancel::Cancel;
use bot_cli_sdk::failure::{Exit, Failure};
use bot_cli_sdk::question::{Answer, Choice, Question, QuestionKind};
use bot_cli_sdk::session::{Context, Session};
use bot_cli_sdk::ui::{Capabilities, Level, Ui};
use bot_cli_templates::catalogue::{BotType, Kind, Provider};
use serde_json::{Map, Value, json};

use super::{Selection, Way, ask, choices, steps};
use crate::catalogue::{Catalogue, Pack};
use crate::draft::Draft;
use crate::option_table::{Feature, Setting, Switches, fields};
use crate::plan;
use crate::resolve::resolve;

/// Says one thing after the other, and cancels when it has nothing more to say.
struct Script {
    says: VecDeque<Value>,
    asked: Rc<RefCell<Vec<Question>>>,
}

impl Ui for Script {
    fn capabilities(&self) -> Capabilities {
        let mut capabilities = Capabilities::default();
        capabilities.ask = QuestionKind::ALL.to_vec();
        capabilities
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
    fn log(&mut self, _: Level, _: &str) {}
    fn output(&mut self, _: &str) {}
    fn stdin(&mut self) -> Result<Vec<u8>, Failure> {
        Ok(Vec::new())
    }
}

/// Nobody to ask.
struct Nobody;

impl Ui for Nobody {
    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }
    fn ask(&mut self, question: &Question) -> Result<Answer, Failure> {
        panic!("asked for `{}`", question.key)
    }
    fn progress(&mut self, _: &str, _: Option<u64>, _: Option<u64>) {}
    fn log(&mut self, _: Level, _: &str) {}
    fn output(&mut self, _: &str) {}
    fn stdin(&mut self) -> Result<Vec<u8>, Failure> {
        Ok(Vec::new())
    }
}

const BACK: &str = "\u{1b}";
const ENTER: &str = "\n";

fn session(ui: impl Ui + 'static, answers: Value) -> Session {
    let context = Context::new(std::env::temp_dir());
    let answers: Map<String, Value> = serde_json::from_value(answers).unwrap();
    Session::new(Box::new(ui), context, answers, Cancel::new())
}

fn nothing_given() -> Selection {
    Selection {
        cwd: std::env::temp_dir(),
        ..Selection::default()
    }
}

fn talk(given: &Selection, says: &[Value]) -> (Result<Selection, Failure>, Vec<Question>) {
    let asked = Rc::new(RefCell::new(Vec::new()));
    let script = Script {
        says: says.iter().cloned().collect(),
        asked: Rc::clone(&asked),
    };
    let result = ask(&mut session(script, json!({})), given, &|_| {
        Ok(Catalogue::built_in())
    });
    (result, asked.take())
}

fn keys(asked: &[Question]) -> Vec<&str> {
    asked.iter().map(|question| question.key.as_str()).collect()
}

/// The whole way through: key and answer.
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
    Draft {
        project_name: Some("My Bot".to_owned()),
        bot_type: Some("web".to_owned()),
        transports: Some(vec!["p2p_webrtc".to_owned()]),
        mode: Some("cascade".to_owned()),
        stt_service: Some("deepgram_stt".to_owned()),
        llm_service: Some("openai_llm".to_owned()),
        tts_service: Some("cartesia_tts".to_owned()),
        video_service: Some(String::new()),
        switches: Switches::of([
            (Feature::Recording, true),
            (Feature::Transcription, false),
            (Feature::VideoInput, false),
            (Feature::VideoOutput, true),
            (Feature::DeployToCloud, true),
            (Feature::NoiseCancel, true),
            (Feature::Observability, false),
            (Feature::Eval, false),
        ]),
        client_framework: Some("react".to_owned()),
        client_server: Some("nextjs".to_owned()),
        ..Draft::default()
    }
}

/// Those of the whole draft, but for these.
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

#[test]
fn leaves_the_bot_to_a_coding_agent_after_two_questions() {
    let (result, asked) = talk(&nothing_given(), &[json!("no-such-folder"), json!(ENTER)]);
    assert_eq!(keys(&asked), ["target", "way"]);
    assert_eq!(result.unwrap().way, Some(Way::Agent));
}

fn at_a_terminal(home: &std::path::Path) -> Selection {
    Selection {
        cwd: home.to_owned(),
        home: Some(home.to_owned()),
        can_ask: true,
        ..Selection::default()
    }
}

#[test]
fn guides_too_are_agreed_to() {
    let home = tempfile::tempdir().unwrap();
    let given = at_a_terminal(home.path());
    let says = [json!("~/bot"), json!("agent"), json!("create")];
    let (result, asked) = talk(&given, &says);
    assert_eq!(keys(&asked), ["target", "way", "confirm"]);
    assert_eq!(asked[2].message, "Write these guides?");
    let summary = asked[2].details.as_deref().unwrap();
    let folder = home.path().join("bot").display().to_string();
    assert!(summary.contains(&folder), "{summary}");
    assert!(summary.contains("GETTING_STARTED.md"), "{summary}");
    let selection = result.unwrap();
    assert_eq!(selection.target.unwrap().shown, folder);

    let with_target = Selection {
        target: Some(crate::target::Target::find("bot".as_ref(), home.path()).unwrap()),
        ..at_a_terminal(home.path())
    };
    let says = [json!("agent"), json!(BACK), json!("agent"), json!("create")];
    let (result, asked) = talk(&with_target, &says);
    assert_eq!(keys(&asked), ["way", "confirm", "way", "confirm"]);
    assert_eq!(result.unwrap().way, Some(Way::Agent));

    let (cancelled, _) = talk(&given, &[json!("bot"), json!("agent"), json!("cancel")]);
    assert_eq!(cancelled.unwrap_err().exit, Exit::Cancelled);
    let (changed, asked) = talk(
        &given,
        &[
            json!("bot"),
            json!("agent"),
            json!("change"),
            json!("target"),
            json!("other"),
            json!("create"),
        ],
    );
    assert_eq!(changed.unwrap().target.unwrap().shown, "other");
    assert_eq!(asked.len(), 6);
}

#[test]
fn the_root_and_the_home_directory_are_asked_about() {
    let home = tempfile::tempdir().unwrap();
    let given = at_a_terminal(home.path());
    for (answer, why) in [
        ("~", "this is your home directory, not a folder in it"),
        (".", "this is your home directory, not a folder in it"),
        ("/", "this is the root folder"),
    ] {
        let says = [
            json!(answer),
            json!("agent"),
            json!(false),
            json!("bot"),
            json!("create"),
        ];
        let (result, asked) = talk(&given, &says);
        assert_eq!(
            keys(&asked),
            ["target", "way", "all_the_same", "target", "confirm"]
        );
        assert_eq!(asked[2].details.as_deref(), Some(why));
        assert_eq!(result.unwrap().target.unwrap().shown, "bot");
        let says = [json!(answer), json!("agent"), json!(true), json!("create")];
        let (result, asked) = talk(&given, &says);
        assert_eq!(keys(&asked), ["target", "way", "all_the_same", "confirm"]);
        assert_eq!(result.unwrap().way, Some(Way::Agent));
    }
}

#[test]
fn what_is_in_the_way_is_told_before_the_other_questions() {
    let home = tempfile::tempdir().unwrap();
    let bot = home.path().join("bot");
    std::fs::create_dir_all(bot.join("server")).unwrap();
    std::fs::write(bot.join("README.md"), "mine").unwrap();
    let given = at_a_terminal(home.path());
    let says = [json!("bot"), json!("scaffold"), json!(false), json!("new")];
    let (_, asked) = talk(&given, &says);
    assert_eq!(
        keys(&asked),
        ["target", "way", "all_the_same", "target", "name"]
    );
    let why = asked[2].details.as_deref().unwrap();
    assert!(
        why.starts_with("`README.md` is there already, and never replaced"),
        "{why}"
    );
    // Guides are in nobody's way, and an empty folder is not.
    for (folder, way) in [("bot", "agent"), ("bot/server", "scaffold")] {
        let (_, asked) = talk(&given, &[json!(folder), json!(way)]);
        assert_ne!(asked.last().unwrap().key, "all_the_same");
    }
    std::fs::remove_dir(bot.join("server")).unwrap();
    std::fs::write(bot.join("server"), "").unwrap();
    let (_, asked) = talk(&given, &[json!("bot"), json!("scaffold")]);
    let why = asked[2].details.as_deref().unwrap();
    assert!(why.starts_with("`server`, which is not a folder, is there"));
}

#[test]
fn the_files_that_are_looked_for_are_those_of_every_scaffold() {
    let calls = Draft {
        bot_type: None,
        transports: Some(vec!["carrier_a".to_owned()]),
        client_framework: None,
        client_server: None,
        switches: switches(&[
            (Feature::VideoOutput, None),
            (Feature::DeployToCloud, Some(false)),
            (Feature::NoiseCancel, None),
        ]),
        ..whole_draft()
    };
    for draft in [whole_draft(), calls] {
        let config = resolve(&draft, None, Catalogue::built_in()).unwrap();
        let files = plan::scaffold(&config).unwrap().files;
        for path in super::place::ALWAYS {
            let file = files.iter().find(|file| file.path == path).unwrap();
            assert_eq!(file.existing, plan::Existing::Conflict, "{path}");
        }
    }
}

#[test]
fn without_anybody_to_ask_what_the_mode_decides_is_named_too() {
    let failure = ask(
        &mut session(Nobody, json!({"way": "scaffold"})),
        &nothing_given(),
        &|_| Ok(Catalogue::built_in()),
    )
    .unwrap_err();
    assert_eq!(keys(failure.inputs()), ["target", "mode"]);
    assert!(
        failure
            .hints
            .iter()
            .any(|hint| hint.contains("`stt`, `llm` and `tts`")),
        "{:?}",
        failure.hints
    );
}

#[test]
fn goes_back_from_every_question_to_the_one_before() {
    let walk = whole();
    for at in 1..walk.len() {
        let mut says = said(&walk[..at]);
        says.push(json!(BACK));
        // The question before comes again with the answer it got.
        says.push(json!(ENTER));
        says.extend(said(&walk[at..]));
        let (result, asked) = talk(&nothing_given(), &says);
        assert_eq!(asked[at + 1].key, walk[at - 1].0);
        assert_eq!(asked[at + 1].default.as_ref(), Some(&walk[at - 1].1));
        assert_eq!(
            result.unwrap().draft,
            whole_draft(),
            "back from {}",
            walk[at].0
        );
    }
}

#[test]
fn goes_back_from_the_end_to_the_beginning() {
    let walk = whole();
    let mut says = said(&walk[..walk.len() - 1]);
    says.extend(vec![json!(BACK); walk.len() - 1]);
    says.extend(vec![json!(ENTER); walk.len()]);
    let (result, asked) = talk(&nothing_given(), &says);
    let first = &asked[2 * (walk.len() - 1)];
    assert_eq!((first.key.as_str(), first.back), ("target", false));
    assert_eq!(result.unwrap().draft, whole_draft());
}

#[test]
fn cancelling_any_question_cancels_everything() {
    let walk = whole();
    for at in 0..walk.len() {
        let (result, asked) = talk(&nothing_given(), &said(&walk[..at]));
        assert_eq!(asked.len(), at + 1);
        assert_eq!(result.unwrap_err().exit, Exit::Cancelled);
    }
    let mut says = said(&walk);
    *says.last_mut().unwrap() = json!("cancel");
    assert_eq!(
        talk(&nothing_given(), &says).0.unwrap_err().exit,
        Exit::Cancelled
    );
}

#[test]
fn asks_nothing_that_is_settled() {
    let given = Selection {
        way: Some(Way::Scaffold),
        draft: Draft {
            mode: Some("realtime".to_owned()),
            switches: switches(&[(Feature::Eval, Some(true))]),
            ..whole_draft()
        },
        ..nothing_given()
    };
    let (_, asked) = talk(&given, &[json!("x"), json!("openai_realtime")]);
    assert_eq!(keys(&asked), ["target", "realtime", "confirm"]);
}

#[test]
fn an_extra_that_is_settled_is_marked_already() {
    let given = Selection {
        draft: Draft {
            switches: Switches::of([(Feature::Recording, true)]),
            ..Draft::default()
        },
        ..nothing_given()
    };
    let (_, asked) = talk(&given, &said(&whole()));
    let extras = asked
        .iter()
        .find(|question| question.key == "features")
        .unwrap();
    assert_eq!(extras.default, Some(json!(["recording"])));
}

#[test]
fn asks_again_with_the_problem() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let walk = whole();
    let mut says = vec![json!(""), json!(file.path())];
    says.extend(said(&walk[..2]));
    says.push(json!("日本"));
    says.extend(said(&walk[2..3]));
    says.extend(said(&walk[3..4]));
    says.push(json!([]));
    says.extend(said(&walk[4..]));
    let (result, asked) = talk(&nothing_given(), &says);
    assert_eq!(result.unwrap().draft, whole_draft());
    let problems: Vec<_> = asked
        .iter()
        .filter_map(|question| Some((question.key.as_str(), question.problem.as_deref()?)))
        .collect();
    assert_eq!(keys(&asked)[..3], ["target"; 3]);
    let [empty, not_a_folder, name, transports] = problems.as_slice() else {
        panic!("{problems:?}");
    };
    assert_eq!(empty.1, "name a folder, or . for this one");
    assert!(
        not_a_folder.1.ends_with("it is not a directory"),
        "{not_a_folder:?}"
    );
    assert_eq!(name.0, "name");
    assert_eq!(*transports, ("transport", "choose at least one"));
}

#[test]
fn changing_one_answer_asks_only_what_follows_from_it() {
    let mut says = said(&whole());
    says.pop();
    says.extend([
        json!("change"),
        json!("mode"),
        json!("realtime"),
        json!("openai_realtime"),
    ]);
    says.push(json!("create"));
    let (result, asked) = talk(&nothing_given(), &says);
    let after = &keys(&asked)[whole().len() - 1..];
    assert_eq!(after, ["confirm", "change", "mode", "realtime", "confirm"]);
    let expected = Draft {
        mode: Some("realtime".to_owned()),
        stt_service: None,
        llm_service: None,
        tts_service: None,
        realtime_service: Some("openai_realtime".to_owned()),
        ..whole_draft()
    };
    assert_eq!(result.unwrap().draft, expected);
}

#[test]
fn a_telephone_bot_is_asked_for_no_picture() {
    let walk = [
        ("target", json!("no-such-folder")),
        ("way", json!("scaffold")),
        ("name", json!("My Bot")),
        ("bot_type", json!("telephony")),
        ("transport", json!(["carrier_a", "p2p_webrtc"])),
        ("mode", json!("realtime")),
        ("realtime", json!("openai_realtime")),
        ("features", json!(["transcription"])),
        ("deploy_to_cloud", json!(false)),
        ("eval", json!(true)),
        ("confirm", json!("create")),
    ];
    let (result, asked) = talk(&nothing_given(), &said(&walk));
    assert_eq!(keys(&asked), walk.each_ref().map(|(key, _)| *key));
    assert!(
        asked[7]
            .choices
            .iter()
            .all(|choice| !choice.value.starts_with("video"))
    );
    let draft = result.unwrap().draft;
    for feature in [Feature::VideoInput, Feature::VideoOutput] {
        assert_eq!(draft.switch(feature), None);
    }
    plan::scaffold(&resolve(&draft, None, Catalogue::built_in()).unwrap()).unwrap();
}

#[test]
fn a_telephone_bot_can_be_tried_out_in_a_browser_first() {
    let walk = [
        ("target", json!("no-such-folder")),
        ("way", json!("scaffold")),
        ("name", json!("My Bot")),
        ("bot_type", json!("telephony")),
        ("transport", json!(["p2p_webrtc"])),
        ("mode", json!("realtime")),
        ("realtime", json!("openai_realtime")),
        ("features", json!([])),
        ("deploy_to_cloud", json!(false)),
        ("eval", json!(false)),
        ("confirm", json!("create")),
    ];
    let (result, asked) = talk(&nothing_given(), &said(&walk));
    assert_eq!(keys(&asked), walk.each_ref().map(|(key, _)| *key));
    let draft = result.unwrap().draft;
    let config = resolve(&draft, None, Catalogue::built_in()).unwrap();
    assert_eq!(config.bot_type, BotType::Telephony);
    plan::scaffold(&config).unwrap();
}

#[test]
fn a_bot_with_a_face_sends_its_picture_unasked() {
    let mut walk = whole();
    let video = walk.iter().position(|(key, _)| *key == "video").unwrap();
    walk[video].1 = json!("tavus_video");
    walk[video + 1].1 = json!(["recording"]);
    let (result, asked) = talk(&nothing_given(), &said(&walk));
    let offered = &asked[video + 1].choices;
    assert!(offered.iter().all(|choice| choice.value != "video_output"));
    assert!(
        resolve(&result.unwrap().draft, None, Catalogue::built_in())
            .unwrap()
            .has(Feature::VideoOutput)
    );
}

#[test]
fn what_no_longer_applies_is_forgotten_and_comes_back_with_its_cause() {
    let mut says = said(&whole());
    says.pop();
    says.extend([json!("change"), json!("deploy_to_cloud"), json!(false)]);
    let (_, asked) = talk(&nothing_given(), &says);
    let summary = asked.last().unwrap().details.clone().unwrap();
    assert!(!summary.contains("Noise"), "{summary}");
    says.extend([
        json!("change"),
        json!("deploy_to_cloud"),
        json!(true),
        json!("create"),
    ]);
    assert_eq!(
        talk(&nothing_given(), &says).0.unwrap().draft,
        whole_draft()
    );
}

#[test]
fn going_back_from_a_change_keeps_what_was() {
    let mut says = said(&whole());
    says.pop();
    says.extend([
        json!("change"),
        json!(BACK),
        json!("change"),
        json!("stt"),
        json!(BACK),
    ]);
    says.push(json!("create"));
    let (result, asked) = talk(&nothing_given(), &says);
    let after = &keys(&asked)[whole().len() - 1..];
    assert_eq!(
        after,
        ["confirm", "change", "confirm", "change", "stt", "confirm"]
    );
    assert_eq!(result.unwrap().draft, whole_draft());
}

#[test]
fn the_summary_says_everything() {
    let (_, asked) = talk(&nothing_given(), &said(&whole()));
    let summary = asked.last().unwrap().details.as_deref().unwrap();
    let expected = "\
Folder              no-such-folder
Project name        My Bot
Bot type            Web
Transports          p2p_webrtc (SmallWebRTC, peer to peer)
                    Free, but needs STUN or TURN across networks
Pipeline            Cascade
Speech-to-text      Deepgram
Language model      OpenAI
Text-to-speech      Cartesia
Video avatar        None
Extras              Recording, Video output
Web client          React
Client server       Next.js
Cloud deployment    yes
Noise cancellation  yes
Evals               no";
    assert_eq!(summary, expected);
}

#[test]
fn without_anybody_to_ask_all_open_questions_are_named_at_once() {
    let scaffold = json!({"way": "scaffold", "mode": "cascade"});
    let failure = ask(&mut session(Nobody, scaffold), &nothing_given(), &|_| {
        Ok(Catalogue::built_in())
    })
    .unwrap_err();
    assert_eq!(
        (failure.exit, failure.code.as_str()),
        (Exit::Usage, "input_required")
    );
    assert_eq!(keys(failure.inputs()), ["target", "stt", "llm", "tts"]);
}

#[test]
fn a_folder_whose_name_gives_no_name_of_packages_is_no_default() {
    for (target, default) in [
        ("日本", None),
        ("w", Some(json!("w"))),
        ("my-bot", Some(json!("my-bot"))),
    ] {
        let says = [json!(target), json!("scaffold")];
        let (_, asked) = talk(&nothing_given(), &says);
        let name = asked.iter().find(|question| question.key == "name");
        assert_eq!(name.unwrap().default, default);
    }
}

#[test]
fn answers_alone_are_enough() {
    let answers: Map<String, Value> = whole()
        .into_iter()
        .map(|(key, answer)| (key.to_owned(), answer))
        .collect();
    let selection = ask(
        &mut session(Nobody, json!(answers)),
        &nothing_given(),
        &|_| Ok(Catalogue::built_in()),
    )
    .unwrap();
    assert_eq!(selection.draft, whole_draft());
}

#[test]
fn a_script_cannot_change_its_answers_for_ever() {
    let mut answers: Map<String, Value> = whole()
        .into_iter()
        .map(|(key, answer)| (key.to_owned(), answer))
        .collect();
    answers.insert("confirm".to_owned(), json!("change"));
    answers.insert("change".to_owned(), json!("stt"));
    let failure = ask(
        &mut session(Nobody, json!(answers)),
        &nothing_given(),
        &|_| Ok(Catalogue::built_in()),
    )
    .unwrap_err();
    assert_eq!(failure.code, "invalid_input");
    assert_eq!(
        failure.fields[0].problem,
        "`change` is not one of the choices"
    );
}

#[test]
fn the_readme_has_the_key_of_every_question() {
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md"));
    let readme = readme.unwrap();
    let (_, table) = readme
        .split_once("| key of a question of `init` |")
        .unwrap();
    let (table, _) = table.split_once("\n\n").unwrap();
    let documented: Vec<&str> = table
        .lines()
        .skip(2)
        .flat_map(|row| row.split('|').nth(1).unwrap().split(','))
        .map(|key| key.trim().trim_matches('`'))
        .collect();
    let keys = super::steps::ALL.iter().map(|step| step.key);
    let asked: Vec<&str> = keys.chain(["confirm", "refresh_guide"]).collect();
    assert_eq!(documented, asked);
}

#[test]
fn a_wrong_scripted_answer_is_refused_with_its_key() {
    for (key, answer) in [
        ("name", json!("日本")),
        ("transport", json!([])),
        (
            "transport",
            json!(["hosted_rtc_pstn_dialin", "hosted_rtc_pstn_dialout"]),
        ),
        ("stt", json!("nobody_stt")),
    ] {
        let mut answers = json!({
            "target": "x", "way": "scaffold", "name": "bot", "mode": "cascade", "bot_type": "telephony",
            "transport": ["carrier_a"],
        });
        answers[key] = answer;
        let failure = ask(&mut session(Nobody, answers), &nothing_given(), &|_| {
            Ok(Catalogue::built_in())
        })
        .unwrap_err();
        assert_eq!(failure.code, "invalid_input");
        assert_eq!(failure.fields[0].field, key);
    }
}

#[test]
fn everything_on_offer_can_be_generated() {
    let generates = |draft: Draft| {
        let config = resolve(&draft, None, Catalogue::built_in()).unwrap();
        plan::scaffold(&config).unwrap();
    };
    for transport in choices::transports(BotType::Web) {
        let chosen = Draft {
            transports: Some(vec![transport.value]),
            client_framework: None,
            client_server: None,
            ..whole_draft()
        };
        // Where nothing is deployed, the questions for it are not asked.
        let deployed = choices::starts_in_cloud(&chosen);
        let mut chosen = chosen;
        if !deployed {
            let unasked = [(Feature::DeployToCloud, None), (Feature::NoiseCancel, None)];
            chosen.switches = switches(&unasked);
        }
        if choices::reached_by_clients(&chosen) {
            for (client, server) in [
                ("none", None),
                ("vanilla", None),
                ("react", Some("vite")),
                ("react", Some("nextjs")),
            ] {
                generates(Draft {
                    client_framework: Some(client.to_owned()),
                    client_server: server.map(str::to_owned),
                    ..chosen.clone()
                });
            }
        }
        generates(chosen);
    }
    let telephony = choices::transports(BotType::Telephony);
    let (calls, web): (Vec<_>, Vec<_>) = telephony
        .into_iter()
        .map(|choice| choice.value)
        .partition(|name| choices::is_telephony(name));
    assert!(!web.is_empty());
    for call in calls {
        let mut together = vec![call];
        for one in &web {
            together.push(one.clone());
            if choices::excluding(&together).is_some() {
                together.pop();
            }
        }
        assert!(together.len() > 4, "{together:?}");
        generates(Draft {
            bot_type: Some("telephony".to_owned()),
            client_framework: None,
            client_server: None,
            transports: Some(together),
            switches: switches(&[(Feature::VideoInput, None), (Feature::VideoOutput, None)]),
            ..whole_draft()
        });
    }
    for service in choices::services(Kind::Video, Catalogue::built_in()) {
        generates(Draft {
            video_service: Some(service.value),
            ..whole_draft()
        });
    }
    for service in choices::services(Kind::Realtime, Catalogue::built_in()) {
        generates(Draft {
            mode: Some("realtime".to_owned()),
            realtime_service: Some(service.value),
            stt_service: None,
            llm_service: None,
            tts_service: None,
            ..whole_draft()
        });
    }
}

#[test]
fn what_is_said_of_a_choice_fits_a_usual_terminal() {
    let (_, asked) = talk(&nothing_given(), &said(&whole()));
    let services = [Kind::Stt, Kind::Llm, Kind::Tts, Kind::Realtime, Kind::Video];
    let choices = services
        .into_iter()
        .flat_map(|kind| choices::services(kind, Catalogue::built_in()))
        .chain(choices::transports(BotType::Telephony))
        .chain(asked.into_iter().flat_map(|question| question.choices));
    for Choice { label, about, .. } in choices {
        let about = about.unwrap_or_default();
        let deprecated = about.starts_with("deprecated: ");
        let row = format!("{label} - {about}");
        assert!(
            deprecated || row.chars().count() <= choices::LONGEST,
            "{row}"
        );
    }
}

#[test]
fn deprecated_services_come_last_and_say_so() {
    let choices = choices::services(Kind::Tts, Catalogue::built_in());
    let deprecated = |choice: &&Choice| {
        choice
            .about
            .as_deref()
            .is_some_and(|about| about.starts_with("deprecated: "))
    };
    let known = Catalogue::built_in().services(Kind::Tts);
    let expected = known.filter(|service| service.deprecated.is_some()).count();
    assert_eq!(
        choices.iter().rev().take_while(deprecated).count(),
        expected
    );
    assert_eq!(choices.iter().filter(deprecated).count(), expected);
}

#[test]
fn every_question_can_be_answered_by_an_option() {
    let command = <crate::options::Options as clap::CommandFactory>::command();
    let options: Vec<String> = command
        .get_arguments()
        .filter_map(|argument| Some(format!("--{}", argument.get_long()?)))
        .collect();
    for step in steps::ALL {
        let flags = step.flag.words().unwrap_or_default();
        for flag in flags.split(", ").filter(|flag| flag.starts_with("--")) {
            assert!(options.iter().any(|option| option == flag), "{flag}");
        }
        let of_folder = ["way", "all_the_same"].contains(&step.key);
        assert!(step.flag.words().is_some() || of_folder, "{}", step.key);
    }
}

#[test]
fn every_scaffold_option_has_a_question() {
    // The question for transports offers one for each direction.
    let directions = [Setting::DailyPstnMode, Setting::TwilioDailySipMode];
    let asked: Vec<String> = steps::ALL
        .iter()
        .filter_map(|step| step.flag.words())
        .collect();
    let asked: Vec<&str> = asked.iter().flat_map(|flags| flags.split(", ")).collect();
    for (key, flag) in fields() {
        let is_direction = directions.iter().any(|setting| setting.row().key == key);
        assert_eq!(asked.contains(&flag), !is_direction, "{flag}");
    }
}

#[test]
fn a_choice_says_which_pack_it_is_of() {
    let provider: Provider = serde_json::from_value(json!({
        "label": "Acme",
        "site": "https://acme.example",
        "service": [
            { "id": "acme_tts", "kind": "tts", "label": "Acme", "module": "acme", "class": "Acme", "recommended": 1 },
            { "id": "acme_old_tts", "kind": "tts", "label": "Old", "module": "acme", "class": "Old", "deprecated": "take `acme_tts`" },
            { "id": "acme_near_tts", "kind": "tts", "label": "Near", "module": "acme", "class": "Near", "note": "Needs a graphics card" },
        ],
    }))
    .unwrap();
    let pack = Pack {
        name: "acme".to_owned(),
        version: "1.2.0".to_owned(),
        about: String::new(),
        providers: vec![provider],
    };
    let catalogue = Catalogue::with(vec![pack], Vec::new());
    let choices = choices::services(Kind::Tts, &catalogue);
    let about = |id: &str| {
        let choice = choices.iter().find(|choice| choice.value == id).unwrap();
        choice.about.clone().unwrap_or_default()
    };
    assert_eq!(about("acme_tts"), "provider pack acme 1.2.0");
    assert_eq!(
        about("acme_near_tts"),
        "provider pack acme 1.2.0; Needs a graphics card"
    );
    assert_eq!(
        about("acme_old_tts"),
        "provider pack acme 1.2.0; deprecated: take `acme_tts`"
    );
    assert_eq!(about("cartesia_tts"), "recommended");
    // Nobody recommends what a pack brings, and what is deprecated comes last.
    let built_in = choices::services(Kind::Tts, Catalogue::built_in());
    assert_eq!(choices[0], built_in[0]);
    let old = choices
        .iter()
        .position(|choice| choice.value == "acme_old_tts");
    for choice in &choices[old.unwrap()..] {
        assert!(
            about(&choice.value).contains("deprecated: "),
            "{}",
            choice.value
        );
    }
}

#[test]
fn packs_are_looked_for_once_the_user_wants_to_choose() {
    let looked = Rc::new(RefCell::new(0));
    let count = Rc::clone(&looked);
    let find = move |_: &mut Session| {
        *count.borrow_mut() += 1;
        Ok(Catalogue::built_in())
    };
    let given = nothing_given();
    let agent = session(
        Nobody,
        json!({ "target": "no-such-folder", "way": "agent" }),
    );
    let selection = ask(&mut { agent }, &given, &find).unwrap();
    assert_eq!((selection.way, *looked.borrow()), (Some(Way::Agent), 0));
    let scaffold = session(
        Nobody,
        json!({ "target": "no-such-folder", "way": "scaffold" }),
    );
    ask(&mut { scaffold }, &given, &find).unwrap_err();
    assert_eq!(*looked.borrow(), 1);
}
