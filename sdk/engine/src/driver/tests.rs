//! Tests the driver with well-behaved and misbehaving plugins, as real processes.

mod serving;
mod stopping;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::retry_on_intr;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use serde_json::Value;

use super::{Launch, Patience, run};
use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::outcome::Outcome;
use bot_cli_protocol::question::{Answer, Question};
use bot_cli_protocol::{self as protocol, RunParams};
use bot_cli_terminal::cancel::Cancel;
use bot_cli_terminal::ui::{Capabilities, Level, Ui, withdrawn};

#[derive(Default)]
struct Recorder {
    seen: Vec<String>,
    answers: VecDeque<Answer>,
    input: Vec<u8>,
    /// A file to create when a question opens. The question then stays unanswered.
    patient: Option<PathBuf>,
}

impl Ui for Recorder {
    fn capabilities(&self) -> Capabilities {
        Capabilities::all()
    }

    fn ask(&mut self, question: &Question) -> Result<Answer, Failure> {
        self.seen
            .push(format!("ask {} {:?}", question.key, question.problem));
        self.answers.pop_front().ok_or_else(Failure::cancelled)
    }

    fn ask_while(
        &mut self,
        question: &Question,
        wanted: &mut dyn FnMut() -> bool,
    ) -> Result<Answer, Failure> {
        let Some(file) = &self.patient else {
            return self.ask(question);
        };
        std::fs::write(file, "").unwrap();
        let _ = self.ask(question);
        let deadline = Instant::now() + Duration::from_secs(20);
        while wanted() && Instant::now() < deadline {
            // A user interface polls while the user thinks.
            std::thread::sleep(Duration::from_millis(5));
        }
        self.seen.push("withdrawn".to_owned());
        Err(withdrawn())
    }

    fn progress(&mut self, message: &str, current: Option<u64>, total: Option<u64>) {
        self.seen
            .push(format!("progress {message} {current:?} {total:?}"));
    }

    fn log(&mut self, level: Level, message: &str, _data: &Value) {
        self.seen.push(format!("{level:?} {message}"));
    }

    fn output(&mut self, text: &str, _data: &Value) {
        self.seen.push(format!("output {text:?}"));
    }

    fn stdin(&mut self) -> Result<Vec<u8>, Failure> {
        self.seen.push("stdin".to_owned());
        Ok(self.input.clone())
    }

    fn plugin_stderr(&mut self, line: &str) {
        self.seen.push(format!("stderr {line}"));
    }
}

const QUICK: Patience = Patience {
    cancel: Duration::from_millis(200),
    told: Duration::from_millis(200),
    terminate: Duration::from_millis(200),
    finish: Duration::from_millis(500),
    reply: Some(Duration::from_secs(20)),
    silence: None,
};

fn launch(name: &str, patience: Patience) -> Launch {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plugins");
    let mut launch = Launch::new(name, folder.join(name), folder);
    launch.patience = patience;
    launch
}

fn params() -> RunParams {
    RunParams {
        protocol: protocol::VERSION.to_owned(),
        capabilities: Capabilities::all(),
        ..RunParams::default()
    }
}

fn run_plugin(name: &str, ui: &mut Recorder, cancel: &Cancel) -> Outcome {
    let outcome = run(&launch(name, QUICK), &params(), ui, cancel);
    for pid in pids(ui) {
        assert!(!lives(pid), "{name} left process {pid} behind");
    }
    outcome
}

fn pids(ui: &Recorder) -> Vec<u32> {
    let lines = ui
        .seen
        .iter()
        .filter_map(|line| line.strip_prefix("stderr pids "));
    lines
        .flat_map(str::split_whitespace)
        .map(|pid| pid.parse().unwrap())
        .collect()
}

/// Reports whether a process is still running after a short wait, because KILL takes effect with a delay. A zombie counts as exited.
fn lives(pid: u32) -> bool {
    let pid = Pid::from_raw(pid.try_into().unwrap()).unwrap();
    let Ok(process) = pidfd_open(pid, PidfdFlags::empty()) else {
        return false;
    };
    let patience = Timespec::try_from(Duration::from_secs(5)).unwrap();
    let mut ended = [PollFd::new(&process, PollFlags::IN)];
    retry_on_intr(|| poll(&mut ended, Some(&patience))) == Ok(0)
}
