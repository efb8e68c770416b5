//! The service's own client, as a witness: pointed at the stand-in, it runs its own commands.

mod witness;

use std::process::Stdio;

use bot_cli_tests::python::Python;
use bot_cli_tests::service::{ORGANIZATION, PERSONAL_TOKEN, Service};
use serde_json::Value;

/// Without a name on `PATH` of its own, the client is started by its command tree.
const START: &str =
    "from pipecatcloud.cli.entry_point import entrypoint_cli_typer as start; start()";

/// The way a run of it ended.
struct Theirs {
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

pub(crate) fn python() -> &'static Python {
    Python::with_client().unwrap_or_else(|problem| panic!("{problem}"))
}

/// Runs it as the user of the first organization.
fn official(service: &Service, line: &str) -> Theirs {
    let home = tempfile::tempdir().unwrap();
    let output = python()
        .command("python")
        .args(["-c", START, "--output", "json"])
        .args(shlex::split(line).unwrap())
        .current_dir(home.path())
        .env_clear()
        .env("HOME", home.path())
        .env("PIPECAT_API_HOST", service.url())
        .env("PIPECAT_TOKEN", PERSONAL_TOKEN)
        .env("PIPECAT_ORG", ORGANIZATION)
        .env("PIPECAT_CONFIG_PATH", home.path().join("none.toml"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    Theirs {
        status: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

impl Theirs {
    fn done(self) -> Self {
        assert_eq!(self.status, Some(0), "{}{}", self.stdout, self.stderr);
        self
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", self.stdout))
    }
}
