//! Secrets backends over the protocol, as real processes: the client of the library, and `plugin check`.

mod changes;
mod relayed;
mod unseen;

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

use bot_cli_engine::driver::{Launch, Patience};
use bot_cli_protocol::HostName;
use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::question::{Answer, Question};
use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::session::{Context, Session};
use bot_cli_secrets::client::{Client, Fault};
use bot_cli_secrets::messages::{OpenParams, Prior, PutParams, VERSION};
use bot_cli_terminal::cancel::Cancel;
use bot_cli_terminal::ui::{Capabilities, Level, Ui};
use bot_cli_tests::patience::PATIENCE;
use serde_json::{Map, Value};
use tempfile::TempDir;

const SAMPLE: &str = env!("CARGO_BIN_EXE_it-secrets-sample");

/// The wrong backends.
const FAULTS: &str = include_str!("backend/faults.toml");

/// A value that nobody may see.
const CANARY: &str = "canary-5xK2pQ9w";

/// A folder with the sample and its fault in it, and what the user saw.
struct Stage {
    folder: TempDir,
    user: User,
    answers: Map<String, Value>,
    cancel: Cancel,
    silence: Duration,
}

/// A user who answers, and tells what there was to see.
#[derive(Clone, Default)]
struct User {
    seen: Rc<RefCell<Vec<String>>>,
    answers: Rc<RefCell<VecDeque<&'static str>>>,
    capabilities: Capabilities,
    /// Waits with an answer as long as one is wanted, and makes this file to say that the question is open.
    slow: Option<PathBuf>,
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

    fn ask_while(
        &mut self,
        question: &Question,
        wanted: &mut dyn FnMut() -> bool,
    ) -> Result<Answer, Failure> {
        let Some(open) = &self.slow else {
            return self.ask(question);
        };
        self.saw(format!("{} is open", question.key));
        fs::write(open, "").unwrap();
        let deadline = Instant::now() + PATIENCE;
        while wanted() && Instant::now() < deadline {
            // A user interface asks again and again while the user thinks.
            std::thread::sleep(Duration::from_millis(5));
        }
        self.saw("it was taken back".to_owned());
        Err(bot_cli_terminal::ui::withdrawn())
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
            silence: Duration::from_secs(20),
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
        launch.patience.silence = Some(self.silence);
        let file = self.kept().to_string_lossy().into_owned();
        let scope = OpenParams {
            secrets: VERSION.to_owned(),
            settings: [("file".to_owned(), file)].into(),
            ..OpenParams::default()
        };
        let host = HostName::new("bot-cli-tests", "1.0.0");
        Client::open(&launch, host, &scope, session.relay("secrets-sample"))
    }

    /// The file that keeps the sets.
    fn kept(&self) -> std::path::PathBuf {
        self.folder.path().join("kept.json")
    }

    /// Whether the value was kept.
    fn has_kept(&self, value: &str) -> bool {
        has(&self.kept(), value)
    }

    fn seen(&self) -> Vec<String> {
        self.user.seen.borrow().clone()
    }
}

fn has(file: &Path, text: &str) -> bool {
    fs::read_to_string(file).is_ok_and(|kept| kept.contains(text))
}

/// A new set `prod` with these entries.
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
