//! Web clients as their users meet them: installed, linted, type-checked, built, and used in a browser that talks to the
//! running bot. A stand-in on loopback answers for the AI services.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use bot_cli_tests::python::Python;
use tempfile::TempDir;

use crate::conversation::free_port;
use crate::conversation::running::Running;

const GREETING: &str = "Hello, how can I help you?";

#[test]
fn the_plain_client_builds_and_talks_to_the_bot() {
    builds_and_talks(&["vanilla"]);
}

#[test]
fn the_react_client_builds_and_talks_to_the_bot() {
    builds_and_talks(&["react", "--client-server", "vite"]);
}

#[test]
fn clients_with_a_camera_or_without_peer_to_peer_pass_lint_and_types() {
    for framework in ["vanilla", "react"] {
        let both = ["--transport", "hosted_rtc", "--transport", "websocket"];
        let client = ["--client-framework", framework];
        let camera = [
            "--transport",
            "p2p_webrtc",
            "--video-input",
            "--video-output",
        ];
        let first = Project::new(&[&client[..], &both, &camera].concat());
        first.install();
        first.check();
        // The dependencies are the same but for one that it does not use.
        let second = Project::new(&[client, [both[0], both[1]], [both[2], both[3]]].concat());
        let modules = |project: &Project| project.client().join("node_modules");
        fs::rename(modules(&first), modules(&second)).unwrap();
        second.check();
    }
}

fn builds_and_talks(framework: &[&str]) {
    let mut options = vec![
        "--name",
        r#"A "b" <i>&{x} 'c' \"#,
        "--transport",
        "p2p_webrtc",
        "--transport",
        "hosted_rtc",
        "--transport",
        "websocket",
        "--client-framework",
    ];
    options.extend(framework);
    let project = Project::new(&options);
    let (_services, _bot, port) = project.bot();
    fs::write(
        project.client().join(".env"),
        format!("VITE_BOT_URL=http://127.0.0.1:{port}/\n"),
    )
    .unwrap();
    project.install();
    project.check();
    let built = project.build();
    assert!(
        !built.to_lowercase().contains("warn") && !built.contains("(!)"),
        "{built}"
    );

    let page = free_port().to_string();
    let mut server = Running::start(
        Command::new("node")
            .args(["node_modules/vite/bin/vite.js", "preview", "--strictPort"])
            .args(["--port", &page])
            .current_dir(project.client()),
    );
    server.line_with("Local:");
    run(Command::new("node")
        .arg("look.mjs")
        .arg(chromium())
        .args([&format!("http://localhost:{page}/"), GREETING])
        .args(std::env::var_os("SCREENSHOTS"))
        .current_dir(tools()));
}

/// A generated project.
struct Project {
    folder: TempDir,
}

impl Project {
    fn new(options: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        run(Command::new(env!("CARGO_BIN_EXE_it-bot-cli-init"))
            .args(["bot", "--mode", "cascade", "--stt", "openai_stt"])
            .args(["--llm", "openai_llm", "--tts", "openai_tts"])
            .args(options)
            .current_dir(folder.path()));
        Self { folder }
    }

    fn client(&self) -> PathBuf {
        self.folder.path().join("bot/client")
    }

    fn install(&self) {
        install(&self.client());
    }

    /// Lint and types.
    fn check(&self) {
        for script in ["lint", "typecheck"] {
            run(npm().args(["run", script]).current_dir(self.client()));
        }
    }

    fn build(&self) -> String {
        run(npm().args(["run", "build"]).current_dir(self.client()))
    }

    /// The stand-in, the bot that uses it, and the port on which the bot listens.
    fn bot(&self) -> (Running, Running, u16) {
        let python = Python::with_framework().unwrap_or_else(|problem| panic!("{problem}"));
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/framework/stand_in_openai.py");
        let mut services = Running::start(python.command("python").arg(script));
        let address = services.line_with("http://");
        let server = self.folder.path().join("bot/server");
        fs::write(
            server.join(".env"),
            format!("OPENAI_API_KEY=any\nDAILY_API_KEY=any\nOPENAI_BASE_URL={address}/v1\n"),
        )
        .unwrap();
        let port = free_port();
        let mut bot = Running::start(
            python
                .command("python")
                .args(["bot.py", "--host", "127.0.0.1", "--port"])
                .arg(port.to_string())
                .current_dir(server),
        );
        bot.line_with("Uvicorn running on");
        (services, bot, port)
    }
}

/// The folder of `look.mjs`, with what it needs.
fn tools() -> &'static Path {
    static TOOLS: OnceLock<TempDir> = OnceLock::new();
    TOOLS
        .get_or_init(|| {
            let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("client");
            let folder = tempfile::tempdir().unwrap();
            for file in ["package.json", "look.mjs"] {
                fs::copy(source.join(file), folder.path().join(file)).unwrap();
            }
            install(folder.path());
            folder
        })
        .path()
}

/// A browser; Debian's is installed where that is possible.
fn chromium() -> &'static Path {
    static CHROMIUM: OnceLock<PathBuf> = OnceLock::new();
    CHROMIUM.get_or_init(|| {
        let find = || {
            let path = std::env::var_os("PATH").unwrap_or_default();
            std::env::split_paths(&path)
                .flat_map(|folder| {
                    ["chromium", "chromium-browser", "google-chrome"].map(|name| folder.join(name))
                })
                .find(|file| file.is_file())
        };
        find().unwrap_or_else(|| {
            let apt = "apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium";
            let installed = Command::new("sh").args(["-c", apt]).output();
            find().unwrap_or_else(|| {
                panic!("no Chromium on PATH; install it, on Debian with `apt-get install chromium`: {installed:?}")
            })
        })
    })
}

fn install(folder: &Path) {
    run(npm()
        .args(["install", "--no-audit", "--no-fund", "--prefer-offline"])
        .current_dir(folder));
}

fn npm() -> Command {
    let mut npm = Command::new("npm");
    npm.env_remove("NODE_ENV");
    npm
}

/// What the command printed to stdout. It must succeed.
fn run(command: &mut Command) -> String {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}; Node.js with npm must be installed"));
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{command:?}: {}\n{stdout}{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    stdout
}
