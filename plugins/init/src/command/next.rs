//! The next steps after a project was made: commands that can be typed unchanged, each with its terminal.

use std::collections::BTreeSet;
use std::path::Path;

use bot_cli_engine::discovery::{self, Discovery};
use bot_cli_templates::catalogue::{BotType, Service, Transport};
use bot_cli_terminal::shell::{self, quoted};
use serde_json::{Value, json};

use crate::config::{Client, Config};
use crate::equivalent::directory;
use crate::option_table::Feature;
use crate::plan;
use crate::plan::variables::{Unset, VariableGroup, readings};
use crate::target::Target;

/// The host of the plugins that keep keys and run bots, and those plugins.
const HOST: &str = "bot-cli";
const CLOUD: &str = "cloud";
const CLOUD_FILE: &str = "bot-cli-cloud";
const DEV: &str = "dev";
const DEV_FILE: &str = "bot-cli-dev";

/// The address of the runner's own page, for transports of a browser.
const PAGE: &str = "http://localhost:7860/client/";

/// The address at which it makes a room.
const ROOM: &str = "http://localhost:7860/daily";

/// The remark about a tunnel for calls.
const TUNNEL: &str =
    "calls need a tunnel to port 7860: in another terminal, `ngrok http 7860` prints a host name";

const WITHOUT_SCHEME: &str = "replace YOUR_HOST with that name, without https://";

/// The store of the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keys {
    /// The vault of this machine, and a program gives them to the bot.
    Dev,
    /// The vault of this machine.
    Vault,
    /// The file `.env`.
    File,
}

/// A folder with a list of what its code needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Needs<'a> {
    /// Relative to the project, with `/`; nothing for its own.
    pub(super) folder: &'a str,
    /// Whether the update has changed the list.
    pub(super) has_changed: bool,
}

/// A command, and what somebody who types it has to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NextStep {
    /// Counted from 1.
    pub(super) terminal: usize,
    /// Complete: a shell takes it as it is, unless `about` says what to replace.
    pub(super) command: String,
    /// Whether it runs until it is stopped.
    pub(super) stays: bool,
    /// Sentences, in the order in which they matter: what it asks for, what to do once it is done or runs.
    pub(super) about: Vec<String>,
}

impl Keys {
    /// The vault, where its commands can be typed, and the program that runs the bot, where that is there, too.
    pub(super) fn find() -> Self {
        if !shell::will_find(HOST, &std::env::var_os("PATH").unwrap_or_default()) {
            return Self::File;
        }
        let discovery = Discovery::of_plugin(
            std::env::current_exe().ok(),
            |name| std::env::var_os(name),
            discovery::user(),
        );
        // Whether it may run is for the host to say: nothing is read, so nothing is kept either.
        let has = |plugin| {
            let folders = discovery.folders.iter();
            let mut files = folders.flat_map(|folder| discovery.endings.files(folder, plugin));
            files.any(|file| file.is_file())
        };
        match (has(CLOUD_FILE), has(DEV_FILE)) {
            (true, true) => Self::Dev,
            (true, false) => Self::Vault,
            (false, _) => Self::File,
        }
    }
}

/// The steps from a project in `target` to a bot that answers. `needed` are the variables that it can't do without.
pub(super) fn of_project(
    target: &Target,
    config: &Config,
    needed: &[VariableGroup],
    keys: Keys,
) -> Vec<NextStep> {
    if keys == Keys::Dev {
        return with_dev(target, config, &asked(needed));
    }
    let mut steps = Steps::new();
    let server = target.path.join("server");
    steps.add(enter(target, "server"));
    steps
        .add("uv sync")
        .about("uv comes from https://docs.astral.sh/uv/getting-started/installation/");
    let with_keys = with_keys(&mut steps, config, &server, &asked(needed), keys);
    let transports = &config.transports;
    let in_browser = transports.iter().find(|one| one.bot_type == BotType::Web);
    let call_server = transports.iter().find(|one| one.call_server.is_some());
    match in_browser {
        Some(transport) => in_a_browser(&mut steps, config, transport, &with_keys),
        None => match transports.iter().find(|one| one.carrier) {
            Some(carrier) => on_the_telephone(&mut steps, carrier, &with_keys),
            None => {
                if let Some(other) = transports.first() {
                    by_telephone(&mut steps, other, &with_keys);
                }
            }
        },
    }
    for note in notes(config) {
        steps.about(note);
    }
    if let Some(room) = call_server {
        steps.open(&server);
        steps
            .add(format!("{with_keys}uv run server.py"))
            .stays()
            .about(readme(room));
    }
    if config.client != Client::None {
        steps.open(&target.path.join("client"));
        steps
            .add("npm install")
            .about("npm comes with Node.js: https://nodejs.org");
        let address = match config.client {
            Client::ReactNextjs => "http://localhost:3000",
            Client::ReactVite | Client::Vanilla | Client::None => "http://localhost:5173",
        };
        steps
            .add("npm run dev")
            .stays()
            .about(format!("open {address} and connect"));
    }
    if config.has(Feature::Eval) {
        steps.open(&server);
        steps
            .add("uv run pipecat eval run evals/text.yaml --logs-dir evals/logs")
            .about("types to the running bot and checks its answers");
    }
    steps.steps
}

/// The steps where one program installs, asks and runs.
fn with_dev(target: &Target, config: &Config, asked: &[String]) -> Vec<NextStep> {
    let mut steps = Steps::new();
    if target.shown.trim_end_matches('/') != "." {
        steps.add(enter(target, ""));
    }
    let transports = &config.transports;
    let in_browser = transports.iter().find(|one| one.bot_type == BotType::Web);
    let carrier = transports.iter().find(|one| one.carrier);
    let carrier = carrier.filter(|_| in_browser.is_none());
    let needs_name = carrier.is_some_and(|carrier| !carrier.env.is_empty());
    let (proxy, by_hand) = if needs_name {
        (" --proxy YOUR_HOST", " -x YOUR_HOST")
    } else {
        ("", "")
    };
    let command = format!("{HOST} {DEV}");
    let dev = steps.add(format!("{command}{proxy}")).stays();
    if carrier.is_some() {
        dev.about(TUNNEL);
    }
    if needs_name {
        dev.about(WITHOUT_SCHEME);
    }
    if !asked.is_empty() && !target.path.join("server/.env").exists() {
        dev.about("asks for these keys first; press Enter to skip one");
        for line in asked {
            dev.about(line);
        }
    }
    let npm = if config.client == Client::None {
        ""
    } else {
        ", and npm from https://nodejs.org"
    };
    dev.about("installs what the bot needs, runs it, and says where to talk to it");
    dev.about(format!(
        "needs uv from https://docs.astral.sh/uv/getting-started/installation/{npm}"
    ));
    for note in notes(config) {
        dev.about(note);
    }
    if let Some(call) = in_browser.is_none().then(|| transports.first()).flatten() {
        dev.about(readme(call));
    }
    if config.has(Feature::Eval) {
        dev.about(format!(
            "`{command} --eval` runs the bot and checks its answers"
        ));
    }
    if let Some(first) = in_browser.or(transports.first()) {
        let bot = bot(config, first);
        dev.about(format!(
            "the same by hand, in server: `uv sync`, keys into .env, `{bot}{by_hand}`"
        ));
    }
    steps.steps
}

/// The notes on the services of this machine.
fn notes(config: &Config) -> impl Iterator<Item = String> {
    let local = config.services().filter(|service| is_local(service));
    local.filter_map(|service| Some(format!("{}: {}", service.label, service.note.as_ref()?)))
}

/// The steps from guides in `target` to a coding agent that reads them.
pub(super) fn of_guides(target: &Target) -> Vec<NextStep> {
    let mut steps = Steps::new();
    if target.shown.trim_end_matches('/') != "." {
        steps.add(enter(target, ""));
    }
    steps
        .add("cat GETTING_STARTED.md")
        .about("then start your coding agent in this folder");
    steps.steps
}

/// The steps from an update to a bot that runs again. `explained` is the file
/// that explains the variables, if it is there; `new` are those that it did not need before. `resolved` was in conflict for git.
pub(super) fn of_update(
    target: &Target,
    server: Needs,
    client: Needs,
    explained: Option<&str>,
    new: &[String],
    resolved: Option<&str>,
) -> Vec<NextStep> {
    let mut steps = Steps::new();
    // From where the update was started.
    let at = |path: &str| {
        let shown = directory(&target.shown);
        if path.is_empty() {
            return quoted(shown.trim_end_matches('/'));
        }
        quoted(&format!("{}/{path}", shown.trim_end_matches('/')))
    };
    if let Some(resolved) = resolved {
        steps.add(format!("git -C {} add {resolved}", at("")));
    }
    if server.has_changed {
        steps.add(format!("uv sync --directory {}", at(server.folder)));
    }
    if client.has_changed {
        steps.add(format!("npm install --prefix {}", at(client.folder)));
    }
    if let Some(explained) = explained.filter(|_| !new.is_empty()) {
        steps
            .add(format!("cat {}", at(explained)))
            .about(format!("explains new variables: {}", new.join(", ")));
    }
    steps.steps
}

/// The variables that a bot can't do without and that are not `known`.
pub(super) fn new_variables(config: &Config, known: &BTreeSet<String>) -> Vec<String> {
    let groups = plan::needed(config).unwrap_or_default();
    let variables = groups.into_iter().flat_map(|group| group.variables);
    variables
        .filter(|variable| variable.required && !known.contains(&variable.name))
        .map(|variable| variable.name)
        .collect()
}

/// As people see them: each command with its remarks, which a shell takes for comments, on lines of their own.
pub(super) fn shown(steps: &[NextStep]) -> Vec<String> {
    let mut entries: Vec<String> = Vec::new();
    let mut terminal = 1;
    for step in steps {
        if step.terminal != terminal
            && let Some(before) = entries.last_mut()
        {
            terminal = step.terminal;
            before.extend(["\n# in a ", ordinal(terminal), " terminal:"]);
        }
        let about = step.about.iter().map(|about| format!("\n# {about}"));
        entries.push(format!("{}{}", step.command, about.collect::<String>()));
    }
    entries
}

/// As programs get them.
pub(super) fn document(steps: &[NextStep]) -> Value {
    steps
        .iter()
        .map(|step| {
            json!({
                "terminal": step.terminal,
                "command": step.command,
                "stays": step.stays,
                "about": step.about,
            })
        })
        .collect()
}

/// Puts the keys where the bot finds them; what stands in front of a command that needs them.
fn with_keys(
    steps: &mut Steps,
    config: &Config,
    server: &Path,
    asked: &[String],
    keys: Keys,
) -> String {
    // What is filled in already is used, and not overwritten.
    if asked.is_empty() || server.join(".env").exists() {
        return String::new();
    }
    let set = format!("{}-secrets", config.slug);
    let command = format!("{HOST} {CLOUD} secrets");
    let (ask, about, prefix) = match keys {
        Keys::Dev | Keys::Vault => (
            format!("{command} set {set} --backend local --from-template .env.example"),
            "asks for these keys; press Enter to skip one",
            format!("{command} run {set} --backend local -- "),
        ),
        Keys::File => (
            "cp .env.example .env".to_owned(),
            "then fill in these lines in .env",
            String::new(),
        ),
    };
    steps.add(ask).about(about);
    for line in asked {
        steps.about(line);
    }
    prefix
}

/// `DEEPGRAM_API_KEY: API key (https://console.deepgram.com)`.
fn asked(needed: &[VariableGroup]) -> Vec<String> {
    let mut lines = Vec::new();
    for group in needed {
        for variable in group.variables.iter().filter(|variable| variable.required) {
            let site = group.site.as_ref().map(|site| format!(" ({site})"));
            let only_for = group.only_for.as_ref();
            lines.push(format!(
                "  {}: {}{}{}",
                variable.name,
                variable.about,
                site.unwrap_or_default(),
                only_for.map_or_else(String::new, |way| format!(", only for {way}")),
            ));
        }
    }
    lines
}

/// The command that runs the bot.
fn bot(config: &Config, transport: &Transport) -> String {
    // The client offers every transport, and the runner without `-t` serves every one.
    if config.client != Client::None && config.transports.len() > 1 {
        "uv run bot.py".to_owned()
    } else {
        format!("uv run bot.py {}", transport.run_options())
    }
}

fn in_a_browser(steps: &mut Steps, config: &Config, transport: &Transport, with_keys: &str) {
    let bot = steps
        .add(format!("{with_keys}{}", bot(config, transport)))
        .stays();
    if config.client != Client::None {
        return;
    }
    bot.about(if transport.avatar.is_some() {
        format!("open {ROOM}: it takes you to a room, and the avatar follows")
    } else if transport.no_client.is_some() {
        format!(
            "README.md, under \"{}\", says how to reach it",
            transport.label
        )
    } else {
        format!("open {PAGE}, allow the microphone and connect")
    });
}

/// Calls that come in another way than through a carrier's stream.
fn by_telephone(steps: &mut Steps, transport: &Transport, with_keys: &str) {
    if transport.call_server.is_none() {
        steps.about(TUNNEL);
    }
    let bot = steps
        .add(format!(
            "{with_keys}uv run bot.py {}",
            transport.run_options()
        ))
        .stays();
    if transport.call_server.is_none() {
        bot.about(readme(transport));
    }
}

/// A carrier reaches the bot through a tunnel.
fn on_the_telephone(steps: &mut Steps, carrier: &Transport, with_keys: &str) {
    steps.about(TUNNEL);
    let bot = format!("{with_keys}uv run bot.py {}", carrier.run_options());
    // Without credentials there is no request of the carrier's that the bot would answer with its address.
    if carrier.env.is_empty() {
        steps.add(bot)
    } else {
        steps.about(WITHOUT_SCHEME);
        steps.add(format!("{bot} -x YOUR_HOST"))
    }
    .stays()
    .about(readme(carrier));
}

fn readme(transport: &Transport) -> String {
    format!(
        "README.md, under \"{}\", says what else a call needs",
        transport.label
    )
}

/// Whether it works without any key.
fn is_local(service: &Service) -> bool {
    readings(&[service])
        .is_ok_and(|readings| readings.iter().all(|one| one.unset != Unset::Required))
}

/// From where `init` was started.
fn enter(target: &Target, below: &str) -> String {
    let shown = target.shown.trim_end_matches('/');
    let folder = match (shown, below) {
        (".", below) => below.to_owned(),
        (shown, "") if !shown.is_empty() => shown.to_owned(),
        (shown, below) => format!("{shown}/{below}"),
    };
    // Keeps a directory from being taken for an option.
    let guard = if folder.starts_with('-') { "./" } else { "" };
    format!("cd {}", quoted(&format!("{guard}{folder}")))
}

fn ordinal(terminal: usize) -> &'static str {
    match terminal {
        0 | 1 => "first",
        2 => "second",
        3 => "third",
        _ => "further",
    }
}

/// Steps while they are put together.
struct Steps {
    steps: Vec<NextStep>,
    terminal: usize,
}

impl Steps {
    const fn new() -> Self {
        Self {
            steps: Vec::new(),
            terminal: 1,
        }
    }

    fn add(&mut self, command: impl Into<String>) -> &mut NextStep {
        let step = NextStep {
            terminal: self.terminal,
            command: command.into(),
            stays: false,
            about: Vec::new(),
        };
        self.steps.push(step);
        let last = self.steps.len() - 1;
        &mut self.steps[last]
    }

    /// Goes on in another terminal, which may have been opened anywhere.
    fn open(&mut self, folder: &Path) {
        self.terminal += 1;
        self.add(format!("cd {}", quoted(&folder.display().to_string())));
    }

    /// Says more about the last step.
    fn about(&mut self, about: impl Into<String>) {
        if let Some(last) = self.steps.last_mut() {
            last.about(about);
        }
    }
}

impl NextStep {
    fn about(&mut self, about: impl Into<String>) -> &mut Self {
        self.about.push(about.into());
        self
    }

    fn stays(&mut self) -> &mut Self {
        self.stays = true;
        self
    }
}

#[cfg(test)]
mod tests;
