//! Projects of every service, transport and feature, in one folder: each two choices meet in one of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use bot_cli_init::{GuidePath, planned_guides, scaffold};
use bot_cli_tests::matrix::{Combination, pairwise};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A folder of projects.
pub(crate) struct Tree {
    folder: TempDir,
    cases: Vec<Case>,
}

/// A project and how it was made.
pub(crate) struct Case {
    pub name: String,
    pub folder: PathBuf,
    pub command: String,
}

impl Tree {
    /// One for the tests that run at the same time; it goes away with the last of them.
    pub(crate) fn of_the_catalogue() -> Arc<Self> {
        static SHARED: Mutex<Weak<Tree>> = Mutex::new(Weak::new());
        // A test that failed to write its projects leaves nothing behind that another could trip over.
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tree) = shared.upgrade() {
            return tree;
        }
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let cases = pairwise()
            .into_iter()
            .chain([all_features()])
            .map(|combination| write(&combination, folder.path()))
            .collect();
        let tree = Arc::new(Tree { folder, cases });
        *shared = Arc::downgrade(&tree);
        tree
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn cases(&self) -> &[Case] {
        &self.cases
    }

    pub(crate) fn case(&self, name: &str) -> &Case {
        self.cases.iter().find(|case| case.name == name).unwrap()
    }
}

/// Copies a project and the note beside it.
pub(crate) fn copy(case: &Case, to: &Path) {
    let done = Command::new("cp")
        .arg("-R")
        .arg(&case.folder)
        .arg(to)
        .status()
        .unwrap();
    assert!(done.success());
    fs::copy(
        case.folder.with_extension("json"),
        to.with_extension("json"),
    )
    .unwrap();
}

/// Runs `init` with these arguments.
pub(crate) fn init(arguments: &[String], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_it-bot-cli-init"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

/// In memory, as `init` does it, without its care for what is on disk already.
fn write(combination: &Combination, root: &Path) -> Case {
    let name = combination.name.clone();
    let command = format!("bot-cli init {}", combination.arguments().join(" "));
    let config = combination
        .config()
        .unwrap_or_else(|problem| panic!("{command}\n{problem}"));
    let planned = scaffold(&config).unwrap_or_else(|problem| panic!("{command}\n{problem}"));
    let guides = planned_guides(GuidePath::Scaffold).unwrap();
    let folder = root.join(&name);
    for file in planned.files.iter().chain(&guides) {
        let path = folder.join(&file.path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, &file.text).unwrap();
    }
    let ids = |key: &str| combination.keys.get(key).cloned().unwrap_or_default();
    let services: Vec<Value> = [
        "stt_service",
        "llm_service",
        "tts_service",
        "realtime_service",
        "video_service",
    ]
    .map(ids)
    .into_iter()
    .filter(Value::is_string)
    .collect();
    let made = json!({
        "command": command,
        "transports": ids("transports"),
        "services": services,
        "config": config.to_json(),
    });
    fs::write(root.join(format!("{name}.json")), made.to_string()).unwrap();
    Case {
        name,
        folder,
        command,
    }
}

/// A project to plant defects in.
fn all_features() -> Combination {
    let keys = json!({
        "bot_type": "web",
        "transports": ["p2p_webrtc", "hosted_rtc", "livekit", "websocket"],
        "mode": "cascade",
        "stt_service": "deepgram_stt",
        "llm_service": "openai_llm",
        "tts_service": "cartesia_tts",
        "recording": true,
        "transcription": true,
        "video_input": true,
        "video_output": true,
        "enable_noise_cancel": true,
        "enable_observability": true,
        "enable_eval": true,
    });
    Combination {
        name: "all-features".to_owned(),
        keys: keys.as_object().unwrap().clone(),
    }
}
