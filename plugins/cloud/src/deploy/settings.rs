//! The settings of a deployment, from the deployment file and from options, which take precedence.

use bot_cli_protocol::failure::{Exit, Failure, Field};
use bot_cli_templates::project::LONGEST_AGENT;
use clap::{Args, ValueHint};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::table::{SETTINGS, Values, has_tag};
use crate::text::theirs;

/// The settings of a deployment. Each is a key of the deployment file and an option.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Args)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Name of the agent
    #[arg(long = "agent", value_name = "NAME", value_hint = ValueHint::Other)]
    pub agent_name: Option<String>,
    /// Image to deploy, with its tag (default: the service builds one)
    #[arg(long, value_name = "IMAGE", value_hint = ValueHint::Other)]
    pub image: Option<String>,
    /// ID of the build to deploy; see `builds list`
    #[arg(long, value_name = "ID", conflicts_with = "image", value_hint = ValueHint::Other)]
    pub build_id: Option<String>,
    /// Image pull secret for the image
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    pub image_credentials: Option<String>,
    /// Secret set of the bot
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    pub secret_set: Option<String>,
    /// Region of a new agent (default: the organization's)
    #[arg(short, long, value_name = "REGION", value_hint = ValueHint::Other)]
    pub region: Option<String>,
    /// Size of each agent: agent-1x, agent-2x, agent-3x, or a profile of the organization
    #[arg(long, value_name = "PROFILE", value_hint = ValueHint::Other)]
    pub agent_profile: Option<String>,
    /// `token`: WebSocket clients need a token from `/start`; `none`: anyone can connect
    #[arg(long, value_name = "KIND", value_hint = ValueHint::Other)]
    pub websocket_auth: Option<String>,
    /// Maximum seconds of a session, from 60 to 14400 (default: 7200)
    #[arg(long, value_name = "SECONDS", value_hint = ValueHint::Other)]
    pub max_session_duration: Option<u64>,
    /// Processor architecture of the image: arm64 or amd64
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    pub architecture: Option<String>,
    #[command(flatten)]
    pub scaling: Scaling,
    #[command(flatten)]
    pub krisp_viva: KrispViva,
    #[command(flatten)]
    pub resources: Resources,
    #[command(flatten)]
    pub git: Git,
    #[command(flatten)]
    pub build: Build,
    /// The settings of another tool's local builds, which are ignored.
    #[arg(skip)]
    #[serde(skip_serializing_if = "Value::is_null")]
    pub docker: Value,
}

/// The number of agents.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Args)]
#[serde(default, deny_unknown_fields)]
pub struct Scaling {
    /// Agents kept running without sessions; each costs money all the time
    #[arg(long, value_name = "NUMBER", value_hint = ValueHint::Other)]
    pub min_agents: Option<u64>,
    /// Maximum number of agents; each runs one session
    #[arg(long, value_name = "NUMBER", value_hint = ValueHint::Other)]
    pub max_agents: Option<u64>,
}

/// Noise cancellation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Args)]
#[serde(default, deny_unknown_fields)]
pub struct KrispViva {
    /// Noise cancellation: tel or pro
    #[arg(long, value_name = "KIND", value_hint = ValueHint::Other)]
    pub audio_filter: Option<String>,
}

/// Resources of an agent in a self-hosted region.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Args)]
#[serde(default, deny_unknown_fields)]
pub struct Resources {
    /// CPU in a self-hosted region, such as `500m` or `2`
    #[arg(long, value_name = "QUANTITY", value_hint = ValueHint::Other)]
    pub cpu: Option<String>,
    /// Memory in a self-hosted region, such as `4Gi`
    #[arg(long, value_name = "QUANTITY", value_hint = ValueHint::Other)]
    pub memory: Option<String>,
}

/// A GitHub repository that the service builds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Args)]
#[serde(default, deny_unknown_fields)]
pub struct Git {
    /// Create the agent from a GitHub repository; requires --branch
    #[arg(long, value_name = "OWNER/NAME", value_hint = ValueHint::Other)]
    pub repo: Option<String>,
    /// Branch of the repository
    #[arg(long, value_name = "BRANCH", value_hint = ValueHint::Other)]
    pub branch: Option<String>,
    /// Dockerfile in the repository
    #[arg(long, value_name = "PATH", value_hint = ValueHint::Other)]
    pub dockerfile_path: Option<String>,
    /// Folder of the bot in the repository
    #[arg(long, value_name = "PATH", value_hint = ValueHint::Other)]
    pub subdirectory: Option<String>,
}

/// A build of the image by the service.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Args)]
#[serde(default, deny_unknown_fields)]
pub struct Build {
    /// Folder to build, relative to the deployment file's folder (default: that folder)
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub context_dir: Option<String>,
    /// Dockerfile in that folder (default: Dockerfile)
    #[arg(long, value_name = "PATH", value_hint = ValueHint::Other)]
    pub dockerfile: Option<String>,
    #[command(flatten)]
    pub exclude: Exclude,
}

/// Files that are left out of a build.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Args)]
#[serde(default, deny_unknown_fields)]
pub struct Exclude {
    /// Pattern of files to leave out, besides those of .dockerignore; repeatable
    #[arg(long = "exclude", value_name = "PATTERN", value_hint = ValueHint::Other)]
    pub patterns: Vec<String>,
}

impl Settings {
    /// Parses a deployment file. An unknown key is an error, because the service would silently ignore the key.
    pub fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start));
            let line = before.map_or(1, |before| before.matches('\n').count() + 1);
            format!("line {line}: {}", theirs(error.message()))
        })
    }

    /// Returns the settings of the agent itself. Omits settings without a value.
    pub fn values(&self) -> Values {
        let mut values = Values::new();
        for (name, value) in json!(self).as_object().into_iter().flatten() {
            match value.as_object() {
                Some(table) => values.extend(table.clone()),
                None => drop(values.insert(name.clone(), value.clone())),
            }
        }
        let is_setting = |name: &str| SETTINGS.iter().any(|setting| setting.key == name);
        values.retain(|name, value| is_setting(name) && !value.is_null());
        if self.git.repo.is_some() {
            // The service pulls nothing that it builds.
            values.remove("image_credentials");
        }
        values
    }

    /// Returns these settings, overridden by those in `options`. An image, a build and a repository replace each other, as do an agent
    /// profile and resources.
    pub fn overridden_by(mut self, options: &Self) -> Result<Self, Failure> {
        if options.image.is_some() || options.build_id.is_some() || options.git.repo.is_some() {
            (self.image, self.build_id, self.git) = (None, None, Git::default());
        }
        if options.agent_profile.is_some() {
            self.resources = Resources::default();
        }
        if options.resources.cpu.is_some() {
            self.agent_profile = None;
        }
        let mut all = json!(self);
        overlay(&mut all, json!(options));
        serde_json::from_value(all)
            .map_err(|error| Failure::new(Exit::Usage, "invalid_file", error.to_string()))
    }

    /// Checks the settings without accessing the service and returns the problems.
    pub fn problems(&self) -> Vec<Field> {
        let (git, Resources { cpu, memory }) = (&self.git, &self.resources);
        let (min, max) = (self.scaling.min_agents, self.scaling.max_agents);
        let is_name = self.agent_name.as_deref().map(is_agent_name);
        let has_image = self.image.is_some() || self.build_id.is_some();
        let is_one_of = |it: Option<&str>, all: [&str; 2]| it.is_none_or(|it| all.contains(&it));
        let is_range = |seconds| (60..=14_400).contains(&seconds);
        let has_no_tag = self.image.as_deref().is_some_and(|image| !has_tag(image));
        #[rustfmt::skip]
        let rules = [
            (is_name.is_none(), "agent_name", "--agent", "missing"),
            (is_name == Some(false), "agent_name", "--agent", AGENT_NAME),
            (has_no_tag, "image", "--image", "has no tag, such as `:1.0`"),
            (self.image.is_some() && self.build_id.is_some(), "build_id", "--build-id", "can't be combined with an image"),
            (git.repo.is_some() && has_image, "repo", "--repo", "can't be combined with an image or a build"),
            (git.repo.is_some() != git.branch.is_some(), "branch", "--branch", "a repository and a branch go together"),
            (max == Some(0), "max_agents", "--max-agents", "must be at least 1"),
            (max.is_some() && min > max, "min_agents", "--min-agents", "is more than `max_agents`"),
            (!self.max_session_duration.is_none_or(is_range), "max_session_duration", "--max-session-duration", "must be from 60 to 14400"),
            (!is_one_of(self.krisp_viva.audio_filter.as_deref(), ["tel", "pro"]), "audio_filter", "--audio-filter", "must be tel or pro"),
            (!is_one_of(self.websocket_auth.as_deref(), ["token", "none"]), "websocket_auth", "--websocket-auth", "must be token or none"),
            (!is_one_of(self.architecture.as_deref(), ["arm64", "amd64"]), "architecture", "--architecture", "must be arm64 or amd64"),
            (cpu.is_some() != memory.is_some(), "resources", "--cpu", "cpu and memory go together"),
            (cpu.is_some() && self.agent_profile.is_some(), "resources", "--cpu", "can't be combined with an agent profile"),
        ];
        let values = self.values();
        let unseen = |value: &Value| value.as_str().is_some_and(|text| theirs(text) != text);
        let unseen = values.iter().filter(|(_, value)| unseen(value));
        let unseen = unseen.map(|(name, _)| Field::new(name, "has characters that can't be shown"));
        let broken = rules.into_iter().filter(|(is_broken, ..)| *is_broken);
        let broken = broken.map(|(_, name, flag, problem)| Field::new(name, problem).flag(flag));
        broken.chain(unseen).collect()
    }
}

/// The error message for an invalid agent name.
pub const AGENT_NAME: &str =
    "must be 2 to 54 lower-case letters, digits and hyphens, without a hyphen at either end";

pub fn is_agent_name(name: &str) -> bool {
    let is_end = |c: Option<char>| c.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    (2..=LONGEST_AGENT).contains(&name.len())
        && is_end(name.chars().next())
        && is_end(name.chars().last())
        && name.chars().all(|c| c == '-' || is_end(Some(c)))
}

/// Recursively copies the values in `over` into `under`, except nulls and empty arrays.
fn overlay(under: &mut Value, over: Value) {
    match (under, over) {
        (Value::Object(under), Value::Object(over)) => {
            for (key, value) in over {
                overlay(under.entry(key).or_insert(Value::Null), value);
            }
        }
        (_, Value::Null) => {}
        (_, Value::Array(items)) if items.is_empty() => {}
        (under, over) => *under = over,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{SETTINGS, Settings, is_agent_name};
    use crate::deploy::table::body;

    const FILE: &str = r#"
agent_name = "my-bot"
secret_set = "my-bot-secrets"
max_session_duration = 900
[scaling]
min_agents = 0
max_agents = 5
[krisp_viva]
audio_filter = "tel"
[build.exclude]
patterns = ["*.wav"]
[docker]
auto_build = true
"#;

    #[test]
    fn a_file_and_options_become_the_body_of_a_request() {
        let options = Settings {
            build_id: Some("b-1".to_owned()),
            region: Some("us-east".to_owned()),
            scaling: super::Scaling {
                min_agents: Some(1),
                max_agents: None,
            },
            ..Settings::default()
        };
        let settings = Settings::parse(FILE).unwrap();
        let settings = settings.overridden_by(&options).unwrap();
        assert_eq!(settings.problems(), []);
        assert_eq!(settings.build.exclude.patterns, ["*.wav"]);
        assert_eq!(
            body(&settings.values(), json!({})),
            json!({
                "buildId": "b-1",
                "secretSet": "my-bot-secrets",
                "autoScaling": { "minAgents": 1, "maxAgents": 5 },
                "krispViva": { "audioFilter": "tel" },
                "maxSessionDuration": 900,
            })
        );
    }

    #[test]
    fn the_table_has_every_setting_of_an_agent() {
        let mut keys = Vec::new();
        for (name, value) in json!(Settings::default()).as_object().unwrap() {
            match value.as_object() {
                Some(table) if name != "build" => keys.extend(table.keys().cloned()),
                _ if ["agent_name", "region", "build"].contains(&name.as_str()) => {}
                _ => keys.push(name.clone()),
            }
        }
        let mut table: Vec<_> = SETTINGS.iter().map(|setting| setting.key.clone()).collect();
        keys.sort();
        table.sort();
        assert_eq!(keys, table);
    }

    #[test]
    fn an_option_for_the_image_replaces_the_build_of_the_file() {
        let file = Settings::parse("agent_name = \"a1\"\nbuild_id = \"b\"\n").unwrap();
        let options = Settings {
            image: Some("me/bot:1".to_owned()),
            ..Settings::default()
        };
        let settings = file.overridden_by(&options).unwrap();
        assert_eq!((settings.build_id, settings.image), (None, options.image));
    }

    #[test]
    fn every_problem_is_reported_together() {
        let text = "agent_name = \"My\"\nimage = \"a/b\"\nbuild_id = \"b\"\nmax_session_duration = 1\n\
            architecture = \"x\"\nagent_profile = \"agent-1x\"\n[scaling]\nmin_agents = 2\nmax_agents = 1\n\
            [resources]\ncpu = \"x\"\n[git]\nrepo = \"a/b\"\n[krisp_viva]\naudio_filter = \"no\"";
        let problems = Settings::parse(text).unwrap().problems();
        assert_eq!(problems.len(), 11, "{problems:#?}");
    }

    #[test]
    fn names_are_those_of_the_service() {
        for (name, is_good) in [
            ("a1", true),
            ("a", false),
            ("-a", false),
            ("a-", false),
            ("A1", false),
        ] {
            assert_eq!(is_agent_name(name), is_good, "{name}");
        }
    }
}
