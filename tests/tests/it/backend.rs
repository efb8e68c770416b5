//! Tests that use secrets backends through the library's client, with each backend as a real process. Every change must end as done, not
//! done, partly done or unknown. Questions go to the command's user, and nothing may be displayed after a value has been sent.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::fs;

use std::rc::Rc;
use std::time::Duration;

use bot_cli_engine::driver::{Launch, Patience};
use bot_cli_protocol::HostName;
use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::question::{Answer, Question};
use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::session::{Context, Session};
use bot_cli_secrets::client::{Client, Fault};
use bot_cli_secrets::messages::{
    OpenParams, OrganizationsResult, Prior, PutParams, PutResult, VERSION, methods,
};
use bot_cli_secrets::{Code, Effect};
use bot_cli_terminal::cancel::Cancel;
use bot_cli_terminal::ui::{Capabilities, Level, Ui};
use bot_cli_tests::patience::wait_for_end;
use serde_json::{Map, Value, json};
use tempfile::TempDir;

const SAMPLE: &str = env!("CARGO_BIN_EXE_it-secrets-sample");

/// The faulty backends.
const FAULTS: &str = include_str!("backend/faults.toml");

/// A value that must never be displayed.
const CANARY: &str = "canary-5xK2pQ9w";

/// A folder with a faulty copy of the sample backend, and the user of the command.
struct Stage {
    folder: TempDir,
    user: User,
    answers: Map<String, Value>,
    cancel: Cancel,
}

/// A user who answers questions and records everything displayed.
#[derive(Clone, Default)]
struct User {
    seen: Rc<RefCell<Vec<String>>>,
    answers: Rc<RefCell<VecDeque<&'static str>>>,
    capabilities: Capabilities,
}

impl Ui for User {
    fn capabilities(&self) -> Capabilities {
        self.capabilities.clone()
    }

    fn ask(&mut self, question: &Question) -> Result<Answer, Failure> {
        let Question {
            key, message, flag, ..
        } = question;
        self.saw(format!("{key} {message} {flag:?}"));
        let answer = self.answers.borrow_mut().pop_front();
        let answer = answer.ok_or_else(Failure::cancelled)?;
        Ok(Answer::Text(answer.to_owned()))
    }

    fn progress(&mut self, message: &str, _current: Option<u64>, _total: Option<u64>) {
        self.saw(format!("progress {message}"));
    }

    fn log(&mut self, level: Level, message: &str) {
        self.saw(format!("{level:?} {message}"));
    }

    fn output(&mut self, text: &str) {
        self.saw(format!("output {text}"));
    }

    fn stdin(&mut self) -> Result<Vec<u8>, Failure> {
        self.saw("stdin".to_owned());
        Ok(Vec::new())
    }
}

impl User {
    fn saw(&self, what: String) {
        self.seen.borrow_mut().push(what);
    }
}

impl Stage {
    fn new(fault: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("bot-cli-secrets-sample");
        if fs::hard_link(SAMPLE, &file).is_err() {
            fs::copy(SAMPLE, &file).unwrap();
        }
        let faults: BTreeMap<String, String> = toml::from_str(FAULTS).unwrap();
        let rules = faults[fault].replace("CANARY", CANARY);
        fs::write(file.with_extension("fault"), rules).unwrap();
        let user = User {
            capabilities: Capabilities::all(),
            ..User::default()
        };
        Self {
            folder,
            user,
            answers: Map::new(),
            cancel: Cancel::new(),
        }
    }

    fn open(&self) -> Result<Client, Fault> {
        let mut context = Context::new(self.folder.path());
        context.verbosity = 2;
        let session = Session::new(
            Box::new(self.user.clone()),
            context,
            self.answers.clone(),
            self.cancel.clone(),
        );
        let program = self.folder.path().join("bot-cli-secrets-sample");
        let mut launch = Launch::new("secrets-sample", program, self.folder.path());
        launch.patience = Patience::of(Duration::from_secs(2));
        launch.patience.silence = Some(Duration::from_secs(20));
        let file = self.kept().to_string_lossy().into_owned();
        let scope = OpenParams {
            secrets: VERSION.to_owned(),
            settings: [("file".to_owned(), file)].into(),
            ..OpenParams::default()
        };
        let host = HostName::new("bot-cli-tests", "1.0.0");
        Client::open(&launch, host, &scope, session.relay("secrets-sample"))
    }

    /// Returns the path of the file in which the backend stores its sets.
    fn kept(&self) -> std::path::PathBuf {
        self.folder.path().join("kept.json")
    }

    /// Reports whether the stored sets contain `text`.
    fn has_kept(&self, text: &str) -> bool {
        fs::read_to_string(self.kept()).is_ok_and(|kept| kept.contains(text))
    }

    fn seen(&self) -> Vec<String> {
        self.user.seen.borrow().clone()
    }
}

/// Returns the parameters for a new set `prod` with these entries.
fn put(entries: &[(&str, &str)]) -> PutParams {
    let entries: BTreeMap<String, Secret> = entries
        .iter()
        .map(|(key, value)| ((*key).to_owned(), Secret::new((*value).to_owned())))
        .collect();
    PutParams {
        name: "prod".to_owned(),
        region: None,
        entries,
        prior: Prior::Absent,
    }
}

fn save(client: &mut Client, put: &PutParams) -> Result<PutResult, (Fault, Effect)> {
    let keys: Vec<String> = put.entries.keys().cloned().collect();
    client.change(methods::PUT, put, &keys)
}

#[test]
fn parts_of_a_change_are_told_apart() {
    let stage = Stage::new("partly");
    let mut client = stage.open().unwrap();
    let changed = save(&mut client, &put(&[("A", CANARY), ("B", "2")]));
    let (Fault::Told(error), Effect::Partly(parts)) = changed.unwrap_err() else {
        panic!("it is not done in part");
    };
    assert_eq!(
        (parts.done, parts.not_done),
        (vec!["A".to_owned()], vec!["B".to_owned()])
    );
    assert!(parts.unknown.is_empty());
    assert_eq!(error.retry_after, Some(5));
}

#[test]
fn what_is_wrong_before_a_change_is_sent_leaves_it_not_done() {
    // Cancelled before.
    let stage = Stage::new("");
    let mut client = stage.open().unwrap();
    stage.cancel.request();
    let changed = save(&mut client, &put(&[("A", CANARY)]));
    assert_eq!(changed, Err((Fault::Cancelled, Effect::NotDone)));
    assert!(!stage.has_kept(CANARY));
    // It ended after a change that it had called done.
    let stage = Stage::new("dies-after-put");
    let mut client = stage.open().unwrap();
    save(&mut client, &put(&[("A", "1")])).unwrap();
    let pid = stage.folder.path().join("bot-cli-secrets-sample.pid");
    wait_for_end(fs::read_to_string(pid).unwrap().parse().unwrap());
    let next = PutParams {
        prior: Prior::Keys(vec!["A".to_owned()]),
        ..put(&[("B", CANARY)])
    };
    assert_eq!(save(&mut client, &next).unwrap_err().1, Effect::NotDone);
    assert!(stage.has_kept("\"A\"") && !stage.has_kept(CANARY));
}

#[test]
fn a_refusal_of_the_request_itself_is_not_done() {
    let stage = Stage::new("");
    let mut client = stage.open().unwrap();
    let mut wrong = put(&[("A", "1")]);
    wrong.name = "Not A Name".to_owned();
    assert_eq!(save(&mut client, &wrong).unwrap_err().1, Effect::NotDone);
    let organizations = client.ask::<OrganizationsResult>(methods::ORGANIZATIONS, &json!({}));
    let organizations = organizations.unwrap_err();
    assert!(
        matches!(&organizations, Fault::Broken(failure) if failure.code == "method_not_found"),
        "{organizations:?}"
    );
}

#[test]
fn questions_are_relayed_under_the_backends_name() {
    let stage = Stage::new("asks");
    stage.user.answers.borrow_mut().push_back("1234");
    stage.open().unwrap();
    assert_eq!(
        stage.seen(),
        [
            "secrets-sample.code Code None",
            "Note secrets-sample: signed in"
        ]
    );
}

#[test]
fn a_script_answers_a_question_of_the_backend_by_that_name_only() {
    let mut stage = Stage::new("asks");
    stage.user.capabilities.ask.clear();
    stage.answers.insert("code".to_owned(), json!("1234"));
    let fault = stage.open().unwrap_err();
    assert!(
        matches!(&fault, Fault::Told(error) if error.code == Code::InputRequired),
        "{fault:?}"
    );
    stage
        .answers
        .insert("secrets-sample.code".to_owned(), json!("1234"));
    stage.open().unwrap();
    assert_eq!(stage.seen(), ["Note secrets-sample: signed in"]);
}

#[test]
fn a_cancelled_question_cancels_the_command() {
    let stage = Stage::new("asks");
    assert_eq!(stage.open().unwrap_err(), Fault::Cancelled);
    assert!(stage.cancel.requested());
}

#[test]
fn a_question_with_a_value_in_it_is_not_asked() {
    let stage = Stage::new("asks-in-put");
    let mut client = stage.open().unwrap();
    save(&mut client, &put(&[("A", CANARY)])).unwrap();
    drop(client);
    assert_eq!(stage.seen(), [""; 0]);
}

#[test]
fn the_words_of_a_backend_that_never_saw_a_value_are_shown_as_one_line() {
    let told = Stage::new("signed-out").open().unwrap_err();
    let Fault::Told(error) = &told else {
        panic!("{told:?}");
    };
    assert_eq!(error.code, Code::NotSignedIn);
    assert_eq!(error.message, "the sign-in has expired");
    assert_eq!(error.hints, ["sample login"]);
    let told = Stage::new("dies-at-open").open().unwrap_err();
    let Fault::Broken(failure) = &told else {
        panic!("{told:?}");
    };
    assert_eq!(
        failure.message,
        "plugin `secrets-sample` ended without a reply (exit status: 3)"
    );
    assert_eq!(failure.hints, ["its last words: the keyring is locked"]);
}
