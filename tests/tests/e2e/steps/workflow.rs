//! Takes the steps of a project's workflow as GitHub does.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use bot_cli_tests::port::free_port;
use serde_json::Value;

use super::User;
use crate::bot::{ANSWERS, models, python, succeeds, text};

/// The path of the workflow in a project.
const WORKFLOW: &str = ".github/workflows/bot.yaml";

/// The value of every secret, which no step may print.
const KEY: &str = "k3y-0f-th3-t3sts";

/// Checks the workflow in the user's project, which does not have it yet.
pub(super) fn passes_and_fails(mut user: User) {
    user.take("bot-cli init --update --ci github");
    let server = user.server();
    // A checkout has neither.
    fs::remove_file(server.join(".env")).unwrap();
    fs::remove_file(server.join("uv.lock")).unwrap();
    let checks = Job::of(&user, "checks");
    checks.has_every_line_of_the_guide();

    let mut last = String::new();
    for name in checks.names() {
        last = passed(&checks.run(name, ""));
    }
    let skipped = "::notice::evals skipped, because these secrets are missing: ";
    assert!(last.starts_with(skipped), "{last}");
    assert!(last.contains(" OPENAI_API_KEY"), "{last}");

    assert!(server.join("uv.lock").is_file());
    passed(&checks.run("Install", KEY));
    let said = passed(&checks.run("Evals", KEY));
    assert!(said.contains("2/2 passed"), "{said}");

    let wrong = ANSWERS.map(|it| {
        if it.contains("Paris") {
            "capital of France=It is Rome."
        } else {
            it
        }
    });
    let (_wrong, address) = models(&wrong);
    user.models = Some(format!("{address}/v1"));
    let checks = Job::of(&user, "checks");
    change(&server.join("evals/text.yaml"), |text| {
        text.replace("within_ms: 30000", "within_ms: 1000")
    });
    let said = failed(&checks.run("Evals", KEY));
    assert!(said.contains("1/2 passed"), "{said}");
    assert!(
        said.contains("Uvicorn running on"),
        "no log of the bot: {said}"
    );

    change(&server.join("bot.py"), |text| {
        format!("raise SystemExit('no bot')\n{text}")
    });
    let said = failed(&checks.run("Evals", KEY));
    assert_eq!(said, "no bot\n", "the log of the bot");
}

/// A job of the workflow. The steps before the first one with a name use actions, which this machine does not have.
struct Job<'u> {
    user: &'u User,
    job: Value,
}

impl<'u> Job<'u> {
    fn of(user: &'u User, name: &str) -> Self {
        const TO_JSON: &str =
            "import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))";
        let mut python = python().command("python");
        let output = succeeds(
            python
                .args(["-c", TO_JSON])
                .arg(user.project.join(WORKFLOW)),
        );
        let mut workflow: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(workflow["defaults"]["run"]["shell"], "bash");
        let job = workflow["jobs"][name].take();
        Self { user, job }
    }

    fn steps(&self) -> impl Iterator<Item = &Value> {
        let steps = self.job["steps"].as_array().unwrap().iter();
        steps.filter(|step| step["uses"].is_null())
    }

    fn names(&self) -> Vec<&str> {
        let names = self.steps().map(|step| step["name"].as_str().unwrap());
        names.collect()
    }

    /// Runs a step in a repository all of whose secrets have this value. The bot listens at a port of its own.
    fn run(&self, name: &str, secret: &str) -> Output {
        let step = self.steps().find(|step| step["name"] == name).unwrap();
        assert!(step["if"].is_null(), "{step}");
        let port = free_port().unwrap();
        let script = step["run"].as_str().unwrap();
        let script = script
            .replace("uv run bot.py", &format!("uv run bot.py --port {port}"))
            .replace(
                "pipecat.evals run",
                &format!("pipecat.evals run --bot-url ws://localhost:{port}/ws"),
            );
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(&file, script).unwrap();
        let mut shell = self
            .user
            .shell("exec bash --noprofile --norc -eo pipefail \"$SCRIPT\"");
        shell.env("SCRIPT", file.path());
        let folder = self.job["defaults"]["run"]["working-directory"]
            .as_str()
            .unwrap();
        shell.current_dir(self.user.project.join(folder));
        for (name, value) in step["env"].as_object().into_iter().flatten() {
            let value = value.as_str().unwrap();
            let is_secret = value == format!("${{{{ secrets.{name} }}}}");
            assert!(is_secret || !value.contains("${{"), "{name}: {value}");
            shell.env(name, if is_secret { secret } else { value });
        }
        let output = shell.output().unwrap();
        assert!(!text(&output).contains(KEY), "{}", text(&output));
        assert_eq!(
            still_running_in(&self.user.project),
            [] as [PathBuf; 0],
            "{name}"
        );
        output
    }

    /// The guide has the steps for other CI services.
    fn has_every_line_of_the_guide(&self) {
        let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/src/guide/evals.md");
        let guide = fs::read_to_string(guide).unwrap();
        let (_, block) = guide.split_once("\n```bash\n").unwrap();
        let (block, _) = block.split_once("```").unwrap();
        let lines: Vec<&str> = block.lines().collect();
        assert_eq!(lines.len(), 10);
        let scripts: String = self
            .steps()
            .map(|step| step["run"].as_str().unwrap())
            .collect();
        for line in lines {
            assert!(scripts.contains(line), "{WORKFLOW} lacks `{line}`");
        }
    }
}

fn passed(output: &Output) -> String {
    assert!(output.status.success(), "{}", text(output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn failed(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{}", text(output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn change(path: &Path, how: impl Fn(&str) -> String) {
    let text = fs::read_to_string(path).unwrap();
    let changed = how(&text);
    assert_ne!(changed, text, "{}", path.display());
    fs::write(path, changed).unwrap();
}

/// Returns the processes whose working directory is in this folder.
fn still_running_in(folder: &Path) -> Vec<PathBuf> {
    let folder = folder.canonicalize().unwrap();
    let processes = fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .map(|entry| entry.path());
    processes
        .filter(|process| {
            fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd.starts_with(&folder))
        })
        .collect()
}
