//! The commands suggested after a project is created, ready to copy and paste.

use std::ffi::OsStr;
use std::path::Path;

use bot_cli_engine::discovery::Discovery;
use bot_cli_engine::platform::folders::program_files;
use bot_cli_templates::catalogue::{BotType, Service};
use bot_cli_terminal::shell::{self, quoted};

use crate::config::{Client, Config, Pipeline};
use crate::option_table::Feature;
use crate::plan::variables::{Unset, VariableGroup, VariableView, readings};
use crate::target::Target;

const HOST: &str = "bot-cli";

/// The programs that suggested commands can use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Programs {
    /// The host of `bot-cli dev` as the user types it: its name, or its path if it is not on `PATH`. `None` if `dev` is not installed.
    pub(super) dev: Option<String>,
    /// Whether `bot-cli cloud` is installed, which asks for keys.
    pub(super) has_cloud: bool,
}

/// A suggested command, with remarks in order of importance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NextStep {
    pub(super) command: String,
    pub(super) about: Vec<String>,
}

impl NextStep {
    fn new(command: impl Into<String>, about: impl IntoIterator<Item = String>) -> Self {
        Self {
            command: command.into(),
            about: about.into_iter().collect(),
        }
    }
}

impl Programs {
    pub(super) fn find(cwd: &Path) -> Self {
        let own = std::env::current_exe().ok();
        let variable = |name: &str| std::env::var_os(name);
        let discovery = Discovery::here();
        // The host decides whether the plugin may run.
        let has = |plugin: &str| {
            let folders = discovery.folders.iter();
            let mut files = folders.flat_map(|folder| program_files(folder, plugin));
            files.any(|file| file.is_file())
        };
        let start = start(cwd, own.as_deref(), &variable("PATH").unwrap_or_default());
        Self {
            dev: start.filter(|_| has("bot-cli-dev")),
            has_cloud: has("bot-cli-cloud"),
        }
    }
}

/// Returns the host as the user types it: its name, or the file next to this program as a path in the current folder or an absolute path.
fn start(cwd: &Path, own: Option<&Path>, path: &OsStr) -> Option<String> {
    if shell::will_find(HOST, path) {
        return Some(HOST.to_owned());
    }
    let folder = own?.parent()?;
    if !shell::will_find(HOST, folder.as_os_str()) {
        return None;
    }
    let file = folder.join(HOST);
    let shown = match file.strip_prefix(cwd) {
        Ok(below) => format!("./{}", below.display()),
        Err(_) => file.display().to_string(),
    };
    Some(quoted(&shown))
}

pub(super) fn of_project(
    target: &Target,
    config: &Config,
    needed: &[VariableGroup],
    programs: &Programs,
) -> Vec<NextStep> {
    let uv = "https://docs.astral.sh/uv/getting-started/installation/";
    let readme = "README.md, under \"Run\", says how to reach the bot and what else it needs";
    let is_filled_in = target.path.join("server/.env").exists();
    let keys = |first: &str| match asked(needed) {
        asked if asked.is_empty() || is_filled_in => Vec::new(),
        asked => [vec![first.to_owned()], asked].concat(),
    };
    let mut transports = config.transports.iter();
    let calls = transports.any(|transport| transport.bot_type == BotType::Telephony);
    let last = notes(config)
        .chain(strangers(config))
        .chain(blindness(config))
        .chain((calls || programs.dev.is_none()).then(|| readme.to_owned()));
    if let Some(host) = &programs.dev {
        let (first, folder, dev) = if host == HOST {
            (enter(target, ""), String::new(), format!("{host} dev"))
        } else if let Some(folder) = folder(target, "") {
            let dev = format!("{host} dev {}", quoted(&folder));
            (None, folder + "/", dev)
        } else {
            (None, String::new(), format!("{host} dev"))
        };
        let mut steps: Vec<NextStep> = first.into_iter().collect();
        let mut about = Vec::new();
        if programs.has_cloud {
            about = keys("asks first for the keys that it needs; press Enter to skip one");
        } else {
            let fill = keys("then fill in these lines in it");
            let below = |name| quoted(&format!("{folder}server/{name}"));
            let copy = format!("cp {} {}", below(".env.example"), below(".env"));
            steps.extend((!fill.is_empty()).then(|| NextStep::new(copy, fill)));
        }
        let npm = match config.client {
            Client::None => "",
            Client::ReactVite | Client::ReactNextjs | Client::Vanilla => {
                ", and npm from https://nodejs.org"
            }
        };
        about.push("installs what the bot needs, runs it, and says where to talk to it".to_owned());
        about.push(format!("needs uv from {uv}{npm}"));
        steps.push(NextStep::new(dev, about.into_iter().chain(last)));
        return steps;
    }
    let mut steps: Vec<NextStep> = enter(target, "server").into_iter().collect();
    steps.push(NextStep::new("uv sync", [format!("uv comes from {uv}")]));
    let fill = keys("then fill in these lines in .env");
    if !fill.is_empty() {
        steps.push(NextStep::new("cp .env.example .env", fill));
    }
    steps.push(NextStep::new("uv run bot.py", last));
    steps
}

pub(super) fn of_guides(target: &Target) -> Vec<NextStep> {
    let about = "then start your coding agent in this folder";
    let read = NextStep::new("cat GETTING_STARTED.md", [about.to_owned()]);
    enter(target, "").into_iter().chain([read]).collect()
}

pub(super) fn shown(steps: &[NextStep]) -> Vec<String> {
    let entry = |step: &NextStep| {
        let about = step.about.iter().map(|about| format!("\n# {about}"));
        format!("{}{}", step.command, about.collect::<String>())
    };
    steps.iter().map(entry).collect()
}

/// Returns the notes for local services, which require no API key.
fn notes(config: &Config) -> impl Iterator<Item = String> {
    let is_local = |service: &&Service| {
        readings(&[service]).is_ok_and(|all| all.iter().all(|it| it.unset != Unset::Required))
    };
    let local = config.services().filter(is_local);
    local.filter_map(|service| Some(format!("{}: {}", service.label, service.advice()?)))
}

/// Returns a note for each service that does not hear or speak the bot's language as it is.
pub(super) fn strangers(config: &Config) -> impl Iterator<Item = String> {
    config.services().filter_map(|service| {
        if let Some((variable, hint)) = config.voice_variable(service) {
            return Some(format!("{variable}: {hint}"));
        }
        let is_strange =
            !service.languages.is_empty() && service.language(config.language).is_none();
        let label = config.other_language().filter(|_| is_strange)?;
        Some(format!("{}: not known to support {label}", service.label))
    })
}

/// Returns a warning if the bot receives the user's video, but its model doesn't see it.
fn blindness(config: &Config) -> Option<String> {
    let (mind, way_out) = match config.pipeline {
        Pipeline::Cascade { llm, .. } => (llm, ", unless you choose a model that takes pictures"),
        Pipeline::Realtime(service) => (service, ""),
    };
    let is_blind = config.has(Feature::VideoInput) && !mind.pictures;
    is_blind.then(|| format!("{}: does not see the user's video{way_out}", mind.label))
}

/// Formats a line for each required variable, such as `DEEPGRAM_API_KEY: API key (https://console.deepgram.com)`.
fn asked(needed: &[VariableGroup]) -> Vec<String> {
    let mut lines = Vec::new();
    for group in needed {
        for variable in group.variables.iter().filter(|variable| variable.required) {
            let site = group.site.as_ref().map(|site| format!(" ({site})"));
            let way = group.only_for.as_ref();
            let way = way.map(|way| format!(", only for {way}"));
            let [site, way] = [site, way].map(Option::unwrap_or_default);
            let VariableView { name, about, .. } = variable;
            lines.push(format!("  {name}: {about}{site}{way}"));
        }
    }
    lines
}

/// Returns the `cd` command for a folder in the project, or `None` for the current folder.
fn enter(target: &Target, below: &str) -> Option<NextStep> {
    let command = format!("cd {}", quoted(&folder(target, below)?));
    Some(NextStep::new(command, []))
}

/// Returns the path of a folder in the project as an argument, or `None` for the current folder.
fn folder(target: &Target, below: &str) -> Option<String> {
    let shown = target.shown.trim_end_matches('/');
    let folder = match (shown, below) {
        (".", "") => return None,
        (".", below) => below.to_owned(),
        (shown, "") if !shown.is_empty() => shown.to_owned(),
        (shown, below) => format!("{shown}/{below}"),
    };
    // A folder that starts with `-` would be read as an option.
    let guard = if folder.starts_with('-') { "./" } else { "" };
    Some(format!("{guard}{folder}"))
}

#[cfg(test)]
mod tests {
    use std::env::consts::EXE_SUFFIX;
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::{HOST, Programs, blindness, of_project, shown, start, strangers};
    use crate::catalogue::Catalogue;
    use crate::config::parse_file;
    use crate::plan;
    use crate::resolve::resolve;
    use crate::target::Target;

    fn target(shown: &str) -> Target {
        Target {
            shown: shown.to_owned(),
            path: PathBuf::from("/home/me/my-bot"),
        }
    }

    #[test]
    fn a_model_that_does_not_see_is_named_when_the_bot_has_a_camera() {
        let seen = |llm: &str, camera: bool| {
            let text = format!(
                r#"{{"transports": ["p2p_webrtc"], "mode": "cascade", "stt_service": "openai_stt", "llm_service": "{llm}",
                "tts_service": "openai_tts", "video_input": {camera}}}"#
            );
            let draft = parse_file(&text).unwrap().draft;
            blindness(&resolve(&draft, Some("my-bot"), Catalogue::built_in()).unwrap())
        };
        assert_eq!(seen("openai_llm", true), None);
        assert_eq!(seen("cerebras_llm", false), None);
        let warned = "Cerebras: does not see the user's video, unless you choose a model that takes pictures";
        assert_eq!(seen("cerebras_llm", true).as_deref(), Some(warned));
    }

    #[test]
    fn what_does_not_know_the_language_is_named() {
        let named = |stt: &str, tts: &str, language: &str| {
            let text = format!(
                r#"{{"transports": ["p2p_webrtc"], "mode": "cascade", "stt_service": "{stt}", "llm_service": "openai_llm",
                "tts_service": "{tts}", "language": "{language}"}}"#
            );
            let draft = parse_file(&text).unwrap().draft;
            let config = resolve(&draft, Some("my-bot"), Catalogue::built_in()).unwrap();
            strangers(&config).collect::<Vec<_>>()
        };
        assert_eq!(named("deepgram_flux_stt", "deepgram_tts", "en"), [""; 0]);
        assert_eq!(named("openai_stt", "openai_tts", "de"), [""; 0]);
        assert_eq!(
            named("deepgram_flux_stt", "deepgram_tts", "de"),
            [
                "Deepgram Flux: not known to support German",
                "DEEPGRAM_VOICE_ID: the default is for English, so set one for German"
            ]
        );
        // Another voice would not help.
        assert_eq!(
            named("whisper_stt", "kokoro_tts", "de")[1],
            "Kokoro (local): not known to support German"
        );
    }

    #[test]
    fn a_host_that_is_not_on_path_is_named_by_its_path() {
        let folder = tempfile::tempdir().unwrap();
        let bin = folder.path().join("target/debug");
        fs::create_dir_all(&bin).unwrap();
        let own = bin.join("bot-cli-init");
        let found = |cwd: &Path, path: &Path| start(cwd, Some(&own), path.as_os_str());
        let elsewhere = folder.path().join("elsewhere");
        assert_eq!(found(folder.path(), &elsewhere), None);
        let host = bin.join(format!("bot-cli{EXE_SUFFIX}"));
        fs::write(&host, "").unwrap();
        assert_eq!(found(folder.path(), &bin), Some(HOST.to_owned()));
        let relative = "./target/debug/bot-cli".to_owned();
        assert_eq!(found(folder.path(), &elsewhere), Some(relative));
        let absolute = bin.join("bot-cli").display().to_string();
        assert_eq!(found(&elsewhere, &elsewhere), Some(absolute));
    }

    #[test]
    fn a_bot_is_run_by_one_program_or_by_hand() {
        let keys = "#   DEEPGRAM_API_KEY: API key (https://console.deepgram.com)\n\
                    #   OPENAI_API_KEY: API key (https://platform.openai.com/api-keys)\n\
                    #   CARTESIA_API_KEY: API key (https://play.cartesia.ai/keys)\n\
                    #   DAILY_API_KEY: API key (https://dashboard.daily.co/developers), only for -t daily";
        let uv = "https://docs.astral.sh/uv/getting-started/installation/";
        let text = r#"{"transports": ["p2p_webrtc", "hosted_rtc"], "mode": "cascade", "stt_service": "deepgram_stt",
            "llm_service": "openai_llm", "tts_service": "cartesia_tts", "client_framework": "vanilla"}"#;
        let draft = parse_file(text).unwrap().draft;
        let config = resolve(&draft, Some("my-bot"), Catalogue::built_in()).unwrap();
        let needed = plan::needed(&config).unwrap();
        let printed = |shown_as: &str, dev, has_cloud| {
            let programs = Programs { dev, has_cloud };
            shown(&of_project(&target(shown_as), &config, &needed, &programs)).join("\n")
        };
        let by_name = || Some(HOST.to_owned());
        let rest = format!(
            "# installs what the bot needs, runs it, and says where to talk to it\n\
             # needs uv from {uv}, and npm from https://nodejs.org"
        );
        let asks = format!(
            "# asks first for the keys that it needs; press Enter to skip one\n{keys}\n{rest}"
        );
        let by_dev = format!("cd my-bot\nbot-cli dev\n{asks}");
        assert_eq!(printed("my-bot", by_name(), true), by_dev);
        let fill = format!("# then fill in these lines in it\n{keys}");
        let without_cloud =
            format!("cd my-bot\ncp server/.env.example server/.env\n{fill}\nbot-cli dev\n{rest}");
        assert_eq!(printed("my-bot", by_name(), false), without_cloud);
        let by_path = || Some("./target/debug/bot-cli".to_owned());
        let beside = format!("./target/debug/bot-cli dev my-bot\n{asks}");
        assert_eq!(printed("my-bot/", by_path(), true), beside);
        let both = format!(
            "cp my-bot/server/.env.example my-bot/server/.env\n{fill}\n\
             ./target/debug/bot-cli dev my-bot\n{rest}"
        );
        assert_eq!(printed("my-bot", by_path(), false), both);
        let by_hand = format!(
            "cd './-b ot/server'\nuv sync\n# uv comes from {uv}\ncp .env.example .env\n# then fill in these lines in .env\n{keys}\n\
             uv run bot.py\n# README.md, under \"Run\", says how to reach the bot and what else it needs"
        );
        assert_eq!(printed("-b ot/", None, true), by_hand);
        assert!(printed(".", None, true).starts_with("cd server\nuv sync\n"));
    }
}
