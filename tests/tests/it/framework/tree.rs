//! Projects of every service, transport and feature that `--list-options` names, in one folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::tools::Finding;

/// A folder of projects.
pub(super) struct Tree {
    folder: TempDir,
    cases: Vec<Case>,
}

/// A project and how it was made.
pub(super) struct Case {
    pub name: String,
    pub folder: PathBuf,
    pub command: String,
}

impl Tree {
    /// One for the tests that run at the same time; it goes away with the last of them.
    pub(super) fn of_the_catalogue() -> Arc<Self> {
        static SHARED: Mutex<Weak<Tree>> = Mutex::new(Weak::new());
        // A test that failed to write its projects leaves nothing behind that another could trip over.
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tree) = shared.upgrade() {
            return tree;
        }
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let cases = plans(&options())
            .into_iter()
            .map(|plan| plan.write(folder.path()))
            .collect();
        let tree = Arc::new(Tree { folder, cases });
        *shared = Arc::downgrade(&tree);
        tree
    }

    pub(super) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn cases(&self) -> &[Case] {
        &self.cases
    }

    pub(super) fn case(&self, name: &str) -> &Case {
        self.cases.iter().find(|case| case.name == name).unwrap()
    }
}

/// Copies a project and the note beside it.
pub(super) fn copy(case: &Case, to: &Path) {
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
pub(super) fn init(arguments: &[String], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_it-bot-cli-init"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

/// A project to be.
struct Plan {
    name: String,
    transports: Vec<String>,
    /// Option and identifier.
    services: Vec<(&'static str, String)>,
    flags: Vec<&'static str>,
}

impl Plan {
    fn write(self, root: &Path) -> Case {
        let mut arguments = vec![self.name.clone()];
        for transport in &self.transports {
            arguments.extend(["--transport".to_owned(), transport.clone()]);
        }
        let realtime = self
            .services
            .iter()
            .any(|(option, _)| *option == "--realtime");
        arguments.extend([
            "--mode".to_owned(),
            if realtime { "realtime" } else { "cascade" }.to_owned(),
        ]);
        for (option, service) in &self.services {
            arguments.extend([(*option).to_owned(), service.clone()]);
        }
        arguments.extend(self.flags.iter().map(|flag| (*flag).to_owned()));

        let command = format!("bot-cli init {}", arguments.join(" "));
        let output = init(&arguments, root);
        assert!(output.status.success(), "{command}\n{}", Finding(&output));

        let is_video = self.flags.iter().any(|flag| flag.starts_with("--video"))
            || self.services.iter().any(|(option, _)| *option == "--video");
        let services: Vec<String> = self
            .services
            .into_iter()
            .map(|(_, service)| service)
            .collect();
        let made = json!({
            "command": command,
            "transports": self.transports,
            "services": services,
            "video": is_video,
        });
        fs::write(root.join(format!("{}.json", self.name)), made.to_string()).unwrap();
        Case {
            folder: root.join(&self.name),
            name: self.name,
            command,
        }
    }
}

fn options() -> Value {
    let output = init(&["--list-options".to_owned()], Path::new("."));
    assert!(output.status.success(), "{}", Finding(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Every service at least once, each web transport and each carrier alone and all together, each realtime service on the
/// telephone, each feature alone and all together.
fn plans(options: &Value) -> Vec<Plan> {
    let transports = list(&options["transports"]["web"]);
    let (stt, llm, tts) = (
        list(&options["stt"]),
        list(&options["llm"]),
        list(&options["tts"]),
    );
    let realtime = list(&options["realtime"]);
    let cascade = |number: usize| {
        vec![
            ("--stt", turn(&stt, number)),
            ("--llm", turn(&llm, number)),
            ("--tts", turn(&tts, number)),
        ]
    };
    let mut plans = Vec::new();
    let mut add = |name: String,
                   transports: &[String],
                   services: Vec<(&'static str, String)>,
                   flags: &[&'static str]| {
        plans.push(Plan {
            name,
            transports: transports.to_vec(),
            services,
            flags: flags.to_vec(),
        });
    };

    for number in 0..stt.len().max(llm.len()).max(tts.len()) {
        add(
            format!("cascade-{number}"),
            &[turn(&transports, number)],
            cascade(number),
            &[],
        );
    }
    for (number, service) in realtime.iter().enumerate() {
        add(
            service.clone(),
            &[turn(&transports, number)],
            vec![("--realtime", service.clone())],
            &[],
        );
    }
    for transport in &transports {
        add(
            format!("transport-{transport}"),
            std::slice::from_ref(transport),
            known_cascade(),
            &[],
        );
    }
    add(
        "all-transports".to_owned(),
        &transports,
        known_cascade(),
        &["--eval"],
    );
    for feature in FEATURES {
        add(
            format!("cascade{feature}"),
            &transports[..1],
            known_cascade(),
            &[feature],
        );
        add(
            format!("realtime{feature}"),
            &transports[..1],
            vec![("--realtime", realtime[0].clone())],
            &[feature],
        );
    }
    add(
        "all-features".to_owned(),
        &transports,
        known_cascade(),
        FEATURES.split_last().unwrap().1,
    );
    add(
        "realtime-all-features".to_owned(),
        &transports,
        vec![("--realtime", realtime[0].clone())],
        FEATURES.split_last().unwrap().1,
    );
    plans.extend(calls_and_faces(options));
    plans
}

/// Each carrier, each kind of calls in rooms, each realtime service on the telephone, each face.
fn calls_and_faces(options: &Value) -> Vec<Plan> {
    let transports = list(&options["transports"]["web"]);
    let (rooms, carriers): (Vec<String>, Vec<String>) = list(&options["transports"]["telephony"])
        .into_iter()
        .partition(|id| id.contains("hosted_rtc"));
    let realtime = list(&options["realtime"]);
    let mut plans = Vec::new();
    let mut add = |name: String,
                   transports: &[String],
                   services: Vec<(&'static str, String)>,
                   flags: &[&'static str]| {
        plans.push(Plan {
            name,
            transports: transports.to_vec(),
            services,
            flags: flags.to_vec(),
        });
    };
    for (number, carrier) in carriers.iter().enumerate() {
        add(
            format!("call-{carrier}"),
            std::slice::from_ref(carrier),
            known_cascade(),
            &[],
        );
        add(
            format!("call-{carrier}-realtime"),
            &[carrier.clone(), turn(&transports, number)],
            vec![("--realtime", turn(&realtime, number))],
            &["--eval"],
        );
    }
    let of_calls: Vec<&str> = FEATURES
        .iter()
        .copied()
        .filter(|flag| !flag.starts_with("--video") && *flag != "--no-deploy-to-cloud")
        .collect();
    for (number, room) in rooms.iter().enumerate() {
        add(
            format!("call-{room}"),
            std::slice::from_ref(room),
            known_cascade(),
            &[],
        );
        add(
            format!("call-{room}-realtime"),
            &[room.clone(), turn(&transports, number + 1)],
            vec![("--realtime", turn(&realtime, number))],
            &["--recording", "--no-deploy-to-cloud"],
        );
        // Beside a carrier, and beside people in rooms.
        add(
            format!("call-{room}-everywhere"),
            &[std::slice::from_ref(room), &carriers, &transports].concat(),
            known_cascade(),
            &of_calls,
        );
    }
    for service in &realtime {
        add(
            format!("call-{service}"),
            &carriers,
            vec![("--realtime", service.clone())],
            &["--no-deploy-to-cloud"],
        );
    }
    let everywhere = [carriers, transports.clone()].concat();
    add(
        "call-all-features".to_owned(),
        &everywhere,
        known_cascade(),
        &of_calls,
    );
    for face in list(&options["video"]) {
        let with_face = |mut services: Vec<(&'static str, String)>| {
            services.push(("--video", face.clone()));
            services
        };
        add(
            face.clone(),
            &transports,
            with_face(known_cascade()),
            &["--eval", "--recording", "--video-input"],
        );
        add(
            format!("{face}-realtime"),
            &transports[..1],
            with_face(vec![("--realtime", realtime[0].clone())]),
            &[],
        );
    }
    plans
}

fn list(value: &Value) -> Vec<String> {
    let list: Vec<String> = value
        .as_array()
        .unwrap()
        .iter()
        .map(|id| id.as_str().unwrap().to_owned())
        .collect();
    assert!(!list.is_empty());
    list
}

fn turn(list: &[String], number: usize) -> String {
    list[number % list.len()].clone()
}

/// The last one excludes noise cancellation.
const FEATURES: &[&str] = &[
    "--recording",
    "--transcription",
    "--video-input",
    "--video-output",
    "--observability",
    "--eval",
    "--enable-noise-cancel",
    "--no-deploy-to-cloud",
];

fn known_cascade() -> Vec<(&'static str, String)> {
    [
        ("--stt", "deepgram_stt"),
        ("--llm", "openai_llm"),
        ("--tts", "cartesia_tts"),
    ]
    .map(|(option, id)| (option, id.to_owned()))
    .to_vec()
}
