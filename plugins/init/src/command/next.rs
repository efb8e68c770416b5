//! The commands suggested after a project is created, ready to copy and paste.

use std::ffi::OsString;

use bot_cli_engine::discovery::{self, Discovery};
use bot_cli_engine::platform::folders::program_files;
use bot_cli_templates::catalogue::{BotType, Service};
use bot_cli_terminal::shell::{self, quoted};

use crate::config::{Client, Config, Pipeline};
use crate::option_table::Feature;
use crate::plan::variables::{Unset, VariableGroup, VariableView, readings};
use crate::target::Target;

const HOST: &str = "bot-cli";
const DEV_FILE: &str = "bot-cli-dev";

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

pub(super) fn has_dev() -> bool {
    let path: OsString = std::env::var_os("PATH").unwrap_or_default();
    if !shell::will_find(HOST, &path) {
        return false;
    }
    let discovery = Discovery::of_plugin(
        std::env::current_exe().ok(),
        |name| std::env::var_os(name),
        discovery::user(),
    );
    // The host decides whether the plugin may run.
    let folders = discovery.folders.iter();
    let mut files = folders.flat_map(|folder| program_files(folder, DEV_FILE));
    files.any(|file| file.is_file())
}

pub(super) fn of_project(
    target: &Target,
    config: &Config,
    needed: &[VariableGroup],
    has_dev: bool,
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
        .chain(blindness(config))
        .chain((calls || !has_dev).then(|| readme.to_owned()));
    if has_dev {
        let mut about = keys("asks for these keys first; press Enter to skip one");
        let npm = match config.client {
            Client::None => "",
            Client::ReactVite | Client::ReactNextjs | Client::Vanilla => {
                ", and npm from https://nodejs.org"
            }
        };
        about.push("installs what the bot needs, runs it, and says where to talk to it".to_owned());
        about.push(format!("needs uv from {uv}{npm}"));
        let dev = NextStep::new("bot-cli dev", about.into_iter().chain(last));
        return enter(target, "").into_iter().chain([dev]).collect();
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
    local.filter_map(|service| Some(format!("{}: {}", service.label, service.note.as_ref()?)))
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
    let shown = target.shown.trim_end_matches('/');
    let folder = match (shown, below) {
        (".", "") => return None,
        (".", below) => below.to_owned(),
        (shown, "") if !shown.is_empty() => shown.to_owned(),
        (shown, below) => format!("{shown}/{below}"),
    };
    // A folder that starts with `-` would be read as an option.
    let guard = if folder.starts_with('-') { "./" } else { "" };
    let command = format!("cd {}", quoted(&format!("{guard}{folder}")));
    Some(NextStep::new(command, []))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{blindness, of_project, shown};
    use crate::catalogue::Catalogue;
    use crate::config::parse_file;
    use crate::plan;
    use crate::resolve::resolve;
    use crate::target::Target;

    fn target(shown: &str) -> Target {
        Target {
            shown: shown.to_owned(),
            path: PathBuf::from("/home/me/my-bot"),
            exists: false,
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
        let printed = |shown_as: &str, has_dev| {
            shown(&of_project(&target(shown_as), &config, &needed, has_dev)).join("\n")
        };
        let with_dev = format!(
            "cd my-bot\nbot-cli dev\n# asks for these keys first; press Enter to skip one\n{keys}\n\
             # installs what the bot needs, runs it, and says where to talk to it\n\
             # needs uv from {uv}, and npm from https://nodejs.org"
        );
        assert_eq!(printed("my-bot", true), with_dev);
        let by_hand = format!(
            "cd './-b ot/server'\nuv sync\n# uv comes from {uv}\ncp .env.example .env\n# then fill in these lines in .env\n{keys}\n\
             uv run bot.py\n# README.md, under \"Run\", says how to reach the bot and what else it needs"
        );
        assert_eq!(printed("-b ot/", false), by_hand);
        assert!(printed(".", false).starts_with("cd server\nuv sync\n"));
    }
}
