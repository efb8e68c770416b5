//! Web clients as their users see them: installed, linted, type-checked, built, and used in a browser with the running bot. A stand-in on
//! loopback replaces the AI services.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{OnceLock, PoisonError, RwLock};

use bot_cli_tests::port::free_port;
use bot_cli_tests::program::program;
use tempfile::TempDir;

use crate::bot::{Bot, OPENAI, script, succeeds};
use crate::running::Running;

const GREETING: &str = "Hello, how can I help you?";
const QUESTION: &str = "What time is it?";
const ANSWER: &str = "It is noon.";
const TYPED: &str = "I have typed this.";
const REPLY: &str = "I can read that.";
const WISH: &str = "Tell me a tale.";
const TALE: &str = "Nightingales whisper unforgettable lullabies.";
/// Words on which the bot's language model fails.
const BREAKDOWN: &str = "Break down, please.";
/// The part of the question that the first transcript contains.
const INTERIM: &str = "What time";

const PEER_TO_PEER: [&str; 2] = ["--transport", "p2p_webrtc"];
const OTHERS: [&str; 4] = ["--transport", "hosted_rtc", "--transport", "websocket"];
const CARRIER: [&str; 2] = ["--transport", "carrier_a"];
const VANILLA: [&str; 2] = ["--client-framework", "vanilla"];
const REACT: [&str; 4] = ["--client-framework", "react", "--client-server", "vite"];
const NEXTJS: [&str; 4] = ["--client-framework", "react", "--client-server", "nextjs"];
const CAMERA: [&str; 2] = ["--video-input", "--video-output"];

/// A component that uses every hook for the client, outside the project's own components.
const PROBE: &str = include_str!("../../client/Probe.tsx");
/// A transport whose bot hangs on request, for those whose servers can't run here.
const STAND_IN: &str = include_str!("../../client/StandIn.ts");

#[test]
fn the_plain_client_builds_and_holds_a_spoken_conversation() {
    // Its bot takes calls, too.
    let client = Project::new(&[&VANILLA[..], &PEER_TO_PEER, &OTHERS, &CARRIER].concat());
    install(&client.client());
    client.add_stand_in();
    talk(&client, Some("websocket"), "websocket", "developer.ts", &[]);
    let camera = Project::new(&[&VANILLA[..], &PEER_TO_PEER, &OTHERS, &CAMERA].concat());
    client.hand_dependencies_to(&camera);
    camera.check();
    // The package that it does not use is there all the same.
    let no_peers = Project::new(&[&VANILLA[..], &OTHERS].concat());
    camera.hand_dependencies_to(&no_peers);
    no_peers.check();
    no_peers.build();
}

#[test]
fn the_react_client_builds_and_holds_a_spoken_conversation() {
    let client = Project::new(&[&REACT[..], &PEER_TO_PEER, &OTHERS, &["--video-input"]].concat());
    install(&client.client());
    client.probe_hooks();
    talk(
        &client,
        Some("webrtc"),
        "webrtc",
        "Developer.tsx",
        &["--camera"],
    );
    let no_peers = Project::new(&[&REACT[..], &OTHERS].concat());
    client.hand_dependencies_to(&no_peers);
    no_peers.check();
    no_peers.build();
}

#[test]
fn the_next_js_client_builds_and_holds_a_spoken_conversation() {
    let client = Project::new(&[&NEXTJS[..], &PEER_TO_PEER, &OTHERS].concat());
    install(&client.client());
    // Its parts are those of the client with Vite.
    talk(&client, None, "websocket", "app/template.tsx", &[]);
}

/// Builds the client, breaks its connections, and uses its parts over the transport `parts`. Over the transport `last`, the bot ends a
/// conversation.
fn talk(client: &Project, parts: Option<&str>, last: &str, drawer: &str, more: &[&str]) {
    let port = free_port().unwrap();
    let address = format!("http://127.0.0.1:{port}");
    let folder = client.client();
    fs::write(
        folder.join(".env"),
        format!("VITE_BOT_URL={address}/\nNEXT_PUBLIC_BOT_URL={address}/\n"),
    )
    .unwrap();
    client.check();
    let types = fs::read_to_string(folder.join("tsconfig.json")).unwrap();
    let built = client.build();
    assert!(
        !built.to_lowercase().contains("warn") && !built.contains("(!)"),
        "{built}"
    );
    // Next.js writes down what it misses in there.
    let after = fs::read_to_string(folder.join("tsconfig.json")).unwrap();
    assert_eq!(after, types);

    let (server, page) = client.serve(Served::Built);
    let bot = client.bot(port);
    let mut faults = browse("faults.mjs", &page);
    faults
        .args(["--bot-process", &bot.process().to_string()])
        .args(["--greeting", GREETING])
        .args(more);
    if folder.join("src/StandIn.ts").exists() {
        faults.arg("--stand-in");
    }
    visit(&mut faults);
    // That has killed it.
    drop(bot);
    let bot = client.bot(port);
    if let Some(transport) = parts {
        let mut parts = browse("parts.mjs", &page);
        parts
            .args(["--greeting", GREETING, "--question", QUESTION])
            .args(["--typed", TYPED, "--reply", REPLY])
            .args(["--interim", INTERIM, "--wish", WISH, "--tale", TALE])
            .args(["--transport", transport])
            .args(more);
        if folder.join("src/Probe.tsx").exists() {
            parts.arg("--hooks");
        }
        visit(&mut parts);
    }
    let mut look = browse("look.mjs", &page);
    look.args(["--bot", &address])
        .args(["--bot-process", &bot.process().to_string()])
        .args(["--greeting", GREETING, "--question", QUESTION])
        .args(["--answer", ANSWER, "--last", last])
        .args(["--breakdown", BREAKDOWN])
        .args(more);
    visit(&mut look);
    drop((server, bot));
    drawer_can_be_deleted(client, port, drawer);
}

/// How a client is served.
#[derive(Clone, Copy)]
enum Served {
    Built,
    InDevelopment,
}

/// Checks that the client, served for development, has the drawer, and still works after its file has been deleted.
fn drawer_can_be_deleted(client: &Project, port: u16, file: &str) {
    let bot = client.bot(port);
    let (server, page) = client.serve(Served::InDevelopment);
    visit(
        browse("drawer.mjs", &page)
            .args(["--greeting", GREETING])
            .args(["--typed", TYPED, "--reply", REPLY]),
    );
    drop((server, bot));
    fs::remove_file(client.client().join("src").join(file)).unwrap();
    let (_server, page) = client.serve(Served::InDevelopment);
    visit(&mut browse("bare.mjs", &page));
}

/// Real-time audio needs the whole machine: a browser runs alone, builds run beside each other.
static MACHINE: RwLock<()> = RwLock::new(());

/// Runs a browser script.
fn visit(script: &mut Command) {
    let _alone = MACHINE.write().unwrap_or_else(PoisonError::into_inner);
    succeeds(script);
}

/// Runs npm in the folder.
fn npm(words: &[&str], folder: &Path) -> Output {
    let _shared = MACHINE.read().unwrap_or_else(PoisonError::into_inner);
    let mut npm = Command::new("npm");
    succeeds(npm.env_remove("NODE_ENV").args(words).current_dir(folder))
}

fn browse(script: &str, page: &str) -> Command {
    let mut node = Command::new("node");
    node.arg(script)
        .arg("--chromium")
        .arg(chromium())
        .args(["--page", page])
        .current_dir(tools());
    node
}

/// A generated project whose stand-in models know the conversation in the browser scripts.
struct Project(Bot);

impl Project {
    fn new(options: &[&str]) -> Self {
        // Longer than the voice in the microphone is silent.
        let tale = [TALE; 14].join(" ");
        let [answer, reply, tale] = [(QUESTION, ANSWER), (TYPED, REPLY), (WISH, &tale)]
            .map(|(heard, said)| format!("{heard}={said}"));
        let answers = [
            "--hear", QUESTION, "--fail", BREAKDOWN, "--say", &answer, "--say", &reply, "--say",
            &tale,
        ];
        let named = ["--name", r#"A "b" <i>&{x} 'c' "#];
        let bot = Bot::new(&[&named, &OPENAI[..], options].concat(), &answers);
        // A browser on a busy machine is slower than a user.
        bot.set("SILENCE_SECS", "600");
        Self(bot)
    }

    fn client(&self) -> PathBuf {
        self.0.folder.path().join("bot/client")
    }

    /// Moves the dependencies to another project. Copying them would take longer than installing them.
    fn hand_dependencies_to(&self, other: &Self) {
        let modules = |project: &Self| project.client().join("node_modules");
        fs::rename(modules(self), modules(other)).unwrap();
    }

    /// Lints and type-checks the client.
    fn check(&self) {
        for script in ["lint", "typecheck"] {
            npm(&["run", script], &self.client());
        }
    }

    fn build(&self) -> String {
        let output = npm(&["run", "build"], &self.client());
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Serves the client. Returns the process and the address.
    fn serve(&self, way: Served) -> (Running, String) {
        let folder = self.client();
        let page = free_port().unwrap().to_string();
        let is_next = folder.join("next.config.ts").exists();
        let (program, ready) = if is_next {
            ("node_modules/next/dist/bin/next", "Ready in")
        } else {
            ("node_modules/vite/bin/vite.js", "Local:")
        };
        let command = match way {
            Served::InDevelopment => "dev",
            Served::Built if is_next => "start",
            Served::Built => "preview",
        };
        let mut server = Running::start(
            Command::new("node")
                .args([program, command])
                .args(["--port", &page])
                .current_dir(&folder),
        );
        server.line_with(ready);
        (server, format!("http://localhost:{page}/"))
    }

    /// Adds a component that uses the client-react hooks.
    fn probe_hooks(&self) {
        let source = self.client().join("src");
        fs::write(source.join("Probe.tsx"), PROBE).unwrap();
        let page = fs::read_to_string(source.join("Talk.tsx")).unwrap();
        let probed = page
            .replacen(
                "import {",
                "import { Probe } from \"./Probe\";\nimport {",
                1,
            )
            .replacen("<Stage", "<Probe />\n      <Stage", 1);
        assert!(probed.contains("<Probe />"), "{page}");
        fs::write(source.join("Talk.tsx"), probed).unwrap();
    }

    /// Adds a transport that needs no server.
    fn add_stand_in(&self) {
        let source = self.client().join("src");
        fs::write(source.join("StandIn.ts"), STAND_IN).unwrap();
        let list = fs::read_to_string(source.join("transports.ts")).unwrap();
        // Last, because the first is what a page uses by itself.
        let (before, rest) = list.split_once("export const TRANSPORTS").unwrap();
        let (transports, after) = rest.split_once("\n];").unwrap();
        let entry = r#"{ key: "stand-in", label: "Stand-in", video: false, start: {}, load: () => Promise.resolve({ transport: new StandIn() }) },"#;
        let import = "import { StandIn } from \"./StandIn\";\n";
        let added =
            format!("{import}{before}export const TRANSPORTS{transports}\n  {entry}\n];{after}");
        fs::write(source.join("transports.ts"), added).unwrap();
    }

    fn bot(&self, port: u16) -> Running {
        let mut bot = self.0.python();
        bot.arg(script("hear_in_parts.py"))
            .args(["bot.py", "--host", "127.0.0.1", "--port", &port.to_string()])
            .env("DAILY_API_KEY", "any");
        let mut bot = Running::start(&mut bot);
        bot.line_with("Uvicorn running on");
        bot
    }
}

/// Returns a folder with the browser scripts and their dependencies.
pub(crate) fn tools() -> &'static Path {
    static TOOLS: OnceLock<TempDir> = OnceLock::new();
    TOOLS
        .get_or_init(|| {
            let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("client");
            let folder = tempfile::tempdir().unwrap();
            for file in fs::read_dir(source).unwrap() {
                let file = file.unwrap();
                fs::copy(file.path(), folder.path().join(file.file_name())).unwrap();
            }
            install(folder.path());
            folder
        })
        .path()
}

pub(crate) fn chromium() -> PathBuf {
    program(&["chromium", "chromium-browser", "google-chrome"]).unwrap()
}

fn install(folder: &Path) {
    let words = ["install", "--no-audit", "--no-fund", "--prefer-offline"];
    npm(&words, folder);
}
