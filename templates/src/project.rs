//! The facts of a project that several plugins need: its folders, its deployment file, its secret set and its web client.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::LazyLock;

use bot_cli_engine::project;
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::suggest::{did_you_mean, nearest};
use bot_cli_terminal::shell::quoted;
use serde::{Deserialize, Serialize};

use crate::embedded;

pub use bot_cli_engine::project::RECORD;

/// The template of `.env`, in the bot's folder.
pub const ENV_TEMPLATE: &str = ".env.example";

/// The bot's folder in a generated project.
const BOT: &str = "server";

/// The beginnings of a deployment file's name. The second is that of the service's own client.
const DEPLOYMENTS: [&str; 2] = ["cloud-deploy", "pcc-deploy"];

/// The maximum number of folders to search for a deployment file outside generated projects, including the first one.
const DEEPEST: usize = 4;

/// The minimum and maximum length of a slug, which names the agent and begins the name of its secret set.
pub const SLUG_LENGTHS: (usize, usize) = (3, LONGEST_AGENT);

/// The maximum length of an agent's name at the hosting service.
pub const LONGEST_AGENT: usize = 54;

/// The maximum length of an environment's name, which is part of the agent's.
const LONGEST_ENVIRONMENT: usize = LONGEST_AGENT - SLUG_LENGTHS.0 - 1;

/// One of the environments in which the bot of a project runs, such as `staging`. Each has a deployment file of its own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Environment(String);

/// A project that `bot-cli init` generated, or that has a deployment file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// The project's root.
    pub root: PathBuf,
    /// The folder with the bot, its `.env` and its deployment files.
    pub bot: PathBuf,
    /// The environment, if one was named.
    pub environment: Option<Environment>,
}

/// The secret set of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretSet {
    /// The name, as written.
    pub name: String,
    /// The region in the deployment file, as written.
    pub region: Option<String>,
    /// The deployment file that names the set. `None` if the name is the project's default.
    pub file: Option<PathBuf>,
}

/// The recorded options of a project that other plugins than `init` use.
#[derive(Debug, Clone, Deserialize)]
pub struct Recorded {
    /// The project's name, as the user wrote it.
    pub project_name: String,
    /// The identifiers of the transports.
    pub transports: Vec<String>,
    client_framework: Option<String>,
    client_server: Option<String>,
    stt_service: Option<String>,
    llm_service: Option<String>,
    tts_service: Option<String>,
    realtime_service: Option<String>,
    video_service: Option<String>,
    /// Whether the bot sees the user's video.
    #[serde(default)]
    pub video_input: bool,
    /// Whether the bot shows pictures.
    #[serde(default)]
    pub video_output: bool,
}

/// A web client of generated projects.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct WebClient {
    #[serde(skip_serializing)]
    framework: String,
    #[serde(skip_serializing)]
    server: Option<String>,
    /// The port of the development server.
    pub port: u16,
    /// The prefix of the environment variables that reach the page.
    pub prefix: String,
}

#[derive(Deserialize)]
struct Record {
    config: Recorded,
}

#[derive(Deserialize)]
struct Deployment {
    agent_name: Option<String>,
    secret_set: Option<String>,
    region: Option<String>,
}

impl Project {
    /// Finds the project that contains `folder`, which must be absolute.
    ///
    /// Without a record, only a deployment file in the same repository, at most three folders above, makes a project.
    pub fn find(folder: &Path) -> Option<Self> {
        let mut is_near = true;
        for (depth, above) in folder.ancestors().enumerate() {
            if let Some(project) = Self::recorded_at(above) {
                return Some(project);
            }
            is_near &= depth < DEEPEST;
            if is_near && let Some(project) = Self::at(above) {
                return Some(project);
            }
            is_near &= !above.join(".git").exists();
        }
        None
    }

    /// Returns the project whose root or bot's folder is `folder`, judged by a deployment file alone.
    pub fn at(folder: &Path) -> Option<Self> {
        let below = [folder.join(BOT), folder.to_owned()];
        let bot = below
            .into_iter()
            .find(|bot| !deployments_in(bot).is_empty())?;
        let is_bot = folder.ends_with(BOT) && bot == folder;
        let root = folder.parent().filter(|_| is_bot).unwrap_or(folder);
        Some(Self {
            root: root.to_owned(),
            bot,
            environment: None,
        })
    }

    /// Returns the project in this environment, if one is given. `cwd` is the folder in which the user types a command.
    ///
    /// # Errors
    /// Returns the failure for an environment without a deployment file.
    pub fn within(
        mut self,
        environment: Option<&Environment>,
        cwd: &Path,
    ) -> Result<Self, Failure> {
        let Some(environment) = environment else {
            return Ok(self);
        };
        self.environment = Some(environment.clone());
        if self.deployment().is_some() {
            return Ok(self);
        }
        let message = format!("the project has no cloud-deploy.{environment}.toml");
        let failure = Failure::new(Exit::Usage, "no_environment", message);
        let deployments = self.deployments();
        let known = deployments.keys().flatten().map(|it| it.0.as_str());
        let deploy = if deployments.is_empty() {
            " --deploy-to-cloud"
        } else {
            ""
        };
        let options = format!("{deploy} --environment {environment}");
        Err(match nearest(&environment.0, known) {
            Some(near) => failure.hint(did_you_mean(&[near])),
            None if !self.is_recorded() => failure,
            None => failure.hint(update_command(&self.root, cwd, &options)),
        })
    }

    /// Returns the project, first without an environment, if it has names without one, and then in each of its environments.
    pub fn in_each_environment(&self) -> Vec<Self> {
        let mut environments: Vec<_> = self.deployments().into_keys().collect();
        if self.is_recorded() && environments.first() != Some(&None) {
            environments.insert(0, None);
        }
        let within = |environment| Self {
            environment,
            ..self.clone()
        };
        environments.into_iter().map(within).collect()
    }

    /// Fails if another environment of the project has the same value, since a change for one would change the other. `of` returns the
    /// value, which `what` describes.
    ///
    /// # Errors
    /// Also fails if the file of another environment can't be used.
    pub fn check_apart(
        &self,
        what: &str,
        of: impl Fn(&Self) -> Result<Option<String>, (PathBuf, String)>,
    ) -> Result<(), Failure> {
        let Some(own) = of(self)
            .ok()
            .flatten()
            .filter(|_| self.environment.is_some())
        else {
            return Ok(());
        };
        let others = self.in_each_environment().into_iter();
        for other in others.filter(|it| it.environment != self.environment) {
            let its = of(&other).map_err(|(file, why)| {
                let message = format!("can't use `{}`: {why}", file.display());
                let hint = format!("correct it: it may have the same {what}");
                Failure::new(Exit::Usage, "invalid_file", message).hint(hint)
            })?;
            if its.as_ref() == Some(&own) {
                let environment = other.environment.map_or_else(
                    || "the project without an environment".to_owned(),
                    |name| format!("the environment `{name}`"),
                );
                let message = format!("{environment} has the same {what}");
                let hint = format!("give each environment {what}s of its own");
                return Err(Failure::new(Exit::Usage, "not_apart", message).hint(hint));
            }
        }
        Ok(())
    }

    /// Returns the project whose record is in the folder `root`.
    pub fn recorded_at(root: &Path) -> Option<Self> {
        let usual = root.join(BOT);
        let is_flat = !usual.is_dir() && root.join("bot.py").is_file();
        let bot = if is_flat { root.to_owned() } else { usual };
        let project = Self {
            root: root.to_owned(),
            bot,
            environment: None,
        };
        Some(project).filter(Self::is_recorded)
    }

    /// Reports whether `bot-cli init` generated the project.
    pub fn is_recorded(&self) -> bool {
        project::is_root(&self.root)
    }

    /// Reads the recorded options with `read`.
    ///
    /// # Errors
    /// Returns the reason why the record can't be used.
    pub fn recorded(
        &self,
        read: impl Fn(&Path) -> Result<String, String>,
    ) -> Result<Recorded, String> {
        let text = read(&self.root.join(RECORD))?;
        let record: Record = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        Ok(record.config)
    }

    /// Returns the deployment file.
    pub fn deployment(&self) -> Option<PathBuf> {
        let environment = self.environment.as_ref().map(|name| format!(".{name}"));
        let ending = environment.unwrap_or_default() + ".toml";
        let folders = [&self.bot, &self.root].into_iter();
        let mut paths = folders.flat_map(|folder| {
            let names = DEPLOYMENTS.iter().map(|it| format!("{it}{ending}"));
            names.map(|name| folder.join(name))
        });
        paths.find(|path| path.is_file())
    }

    /// Returns the deployment files by their environments. The file without an environment comes first.
    pub fn deployments(&self) -> BTreeMap<Option<Environment>, PathBuf> {
        let mut found = deployments_in(&self.root);
        found.extend(deployments_in(&self.bot));
        found
    }

    /// Returns the agent that the deployment file names or, in a generated project, the default agent. `read` reads the files.
    ///
    /// # Errors
    /// Returns the file that can't be used, and the reason.
    pub fn agent(
        &self,
        read: impl Fn(&Path) -> Result<String, String>,
    ) -> Result<String, (PathBuf, String)> {
        if let Some(file) = self.deployment() {
            let parsed = read(&file).and_then(|text| Deployment::parse(&text));
            if let Some(name) = parsed.map_err(|why| (file, why))?.agent_name {
                return Ok(name);
            }
        }
        self.default_agent(read)
    }

    fn default_agent(
        &self,
        read: impl Fn(&Path) -> Result<String, String>,
    ) -> Result<String, (PathBuf, String)> {
        let recorded = self.recorded(read);
        let recorded = recorded.map_err(|why| (self.root.join(RECORD), why))?;
        let slug = slug(&recorded.project_name);
        Ok(agent_of(&slug, self.environment.as_ref()))
    }

    /// Returns the set that the deployment file names or, in a generated project, the default set. `read` reads the files.
    ///
    /// # Errors
    /// Returns the file that can't be used, and the reason.
    pub fn secret_set(
        &self,
        read: impl Fn(&Path) -> Result<String, String>,
    ) -> Result<SecretSet, (PathBuf, String)> {
        let mut region = None;
        if let Some(file) = self.deployment() {
            let parsed = read(&file).and_then(|text| Deployment::parse(&text));
            let deployment = parsed.map_err(|why| (file.clone(), why))?;
            region = deployment.region;
            if let Some(name) = deployment.secret_set {
                let file = Some(file);
                return Ok(SecretSet { name, region, file });
            }
            if !self.is_recorded() {
                return Err((file, "it has no `secret_set`".to_owned()));
            }
        }
        Ok(SecretSet {
            name: secret_set_of(&self.default_agent(read)?),
            region,
            file: None,
        })
    }
}

impl Deployment {
    fn parse(text: &str) -> Result<Self, String> {
        let read: Self = toml::from_str(text).map_err(|error| {
            // The error's own text quotes the line, which may have a secret in it.
            let before = error.span().and_then(|span| text.get(..span.start));
            let line = before.map_or(1, |before| before.matches('\n').count() + 1);
            format!("line {line}: {}", error.message())
        })?;
        if read.secret_set.as_deref().is_none_or(is_secret_set) {
            Ok(read)
        } else {
            Err("its `secret_set` can't be the name of a set".to_owned())
        }
    }
}

impl FromStr for Environment {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let is_letter = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '-';
        let is_inside = !name.starts_with('-') && !name.ends_with('-');
        let fits = (1..=LONGEST_ENVIRONMENT).contains(&name.len());
        if is_inside && fits && name.chars().all(is_letter) && name != "none" {
            Ok(Self(name.to_owned()))
        } else {
            let rule = format!("1 to {LONGEST_ENVIRONMENT} lower-case letters, digits and hyphens");
            Err(format!(
                "must be {rule}, without a hyphen at either end, and not `none`"
            ))
        }
    }
}

impl fmt::Display for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Recorded {
    /// Returns the identifiers of the services.
    pub fn services(&self) -> impl Iterator<Item = &String> {
        let speech = [&self.stt_service, &self.llm_service, &self.tts_service];
        let all = speech
            .into_iter()
            .chain([&self.realtime_service, &self.video_service]);
        all.flatten()
    }

    /// Returns the project's web client, if it has one.
    pub fn client(&self) -> Option<&'static WebClient> {
        let framework = self.client_framework.as_deref()?;
        let server = self.client_server.as_deref();
        let rows = web_clients().values();
        let mut rows = rows.filter(|row| row.framework == framework);
        rows.clone()
            .find(|row| row.server.as_deref() == server)
            .or_else(|| rows.next_back())
    }
}

/// Returns the command that updates the project in the folder `root` with these options, as typed in `cwd`.
pub fn update_command(root: &Path, cwd: &Path, options: &str) -> String {
    let root = root.strip_prefix(cwd).unwrap_or(root).display().to_string();
    let is_special = root.starts_with('-') || root == "quickstart";
    let guard = if is_special { "./" } else { "" };
    let argument = (!root.is_empty()).then(|| format!(" {}", quoted(&format!("{guard}{root}"))));
    format!(
        "bot-cli init{} --update{options}",
        argument.unwrap_or_default()
    )
}

/// Returns the web clients by the name that templates know them by.
pub fn web_clients() -> &'static BTreeMap<String, WebClient> {
    static CLIENTS: LazyLock<BTreeMap<String, WebClient>> =
        LazyLock::new(|| embedded::table("clients").unwrap_or_default());
    &CLIENTS
}

/// Returns the name of the agent of the project with this slug, in this environment.
pub fn agent_of(slug: &str, environment: Option<&Environment>) -> String {
    let environment = environment.map(|name| format!("-{name}"));
    slug.to_owned() + &environment.unwrap_or_default()
}

/// Returns the name of the default secret set of an agent. A set's name may have 63 characters.
pub fn secret_set_of(agent: &str) -> String {
    format!("{agent}-secrets")
}

/// Reports whether a text can be the name of a secret set. Backends have stricter rules.
pub fn is_secret_set(name: &str) -> bool {
    let mut letters = name.chars();
    !name.starts_with('-') && letters.all(|it| it.is_ascii_alphanumeric() || "-.".contains(it))
}

/// Adapts a project's name to the rules of the hosting service: letters, digits and hyphens, with no hyphen at either end.
pub fn slug(name: &str) -> String {
    let (shortest, longest) = SLUG_LENGTHS;
    let derived = plain_slug(name);
    match derived.len() {
        0 => "bot".to_owned(),
        length if length < shortest => format!("{derived}-bot"),
        _ => {
            let kept = derived.get(..longest).unwrap_or(&derived);
            kept.trim_end_matches('-').to_owned()
        }
    }
}

/// Returns the name in lower-case letters, digits and hyphens, at any length.
pub fn plain_slug(name: &str) -> String {
    let mut slug = String::new();
    for letter in name.chars() {
        if letter.is_ascii_alphanumeric() {
            slug.push(letter.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.truncate(slug.trim_end_matches('-').len());
    slug
}

/// Returns the deployment files in a folder: `cloud-deploy.toml`, and `cloud-deploy.NAME.toml` for an environment.
fn deployments_in(folder: &Path) -> BTreeMap<Option<Environment>, PathBuf> {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|it| it == "toml") && path.is_file());
    // Of two files for one environment, the last is kept.
    paths.sort_by(|one, other| other.cmp(one));
    let environment = |path: &Path| {
        let stem = path.file_stem()?.to_str()?;
        let rest = DEPLOYMENTS.iter().find_map(|it| stem.strip_prefix(it))?;
        if rest.is_empty() {
            return Some(None);
        }
        Some(Some(rest.strip_prefix('.')?.parse().ok()?))
    };
    let found = paths.into_iter();
    let found = found.filter_map(|path| Some((environment(&path)?, path)));
    found.collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{Environment, Project, RECORD, SecretSet, secret_set_of, slug, web_clients};

    const RECORDED: &str = r#"{"schema": 1, "config": {"project_name": "My Bot", "transports": ["p2p_webrtc"],
        "client_framework": "react", "client_server": "nextjs", "later": {}}}"#;

    fn put(root: &Path, name: &str, text: &str) {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn set(folder: &Path) -> Result<SecretSet, (std::path::PathBuf, String)> {
        let read = |file: &Path| fs::read_to_string(file).map_err(|it| it.to_string());
        Project::find(folder).unwrap().secret_set(read)
    }

    #[test]
    fn a_project_is_the_same_from_everywhere_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        put(root, ".git/HEAD", "");
        put(root, "server/evals/deep/er/still/text.yaml", "");
        put(root, "client/package.json", "{}");
        assert_eq!(Project::find(&root.join("server")), None);
        let project = Project {
            root: root.to_owned(),
            bot: root.join("server"),
            environment: None,
        };
        put(root, "server/pcc-deploy.toml", "");
        for below in ["", "server", "server/evals"] {
            assert_eq!(
                Project::find(&root.join(below)).unwrap(),
                project,
                "{below}"
            );
        }
        put(root, RECORD, RECORDED);
        for below in ["", "server", "server/evals/deep/er/still", "client"] {
            assert_eq!(
                Project::find(&root.join(below)).unwrap(),
                project,
                "{below}"
            );
        }
        let read = |file: &Path| fs::read_to_string(file).map_err(|it| it.to_string());
        let recorded = project.recorded(read).unwrap();
        assert_eq!(recorded.client().unwrap().port, 3000);
    }

    #[test]
    fn a_project_has_one_set_with_and_without_a_deployment_file() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        put(root, "server/cloud-deploy.toml", "agent_name = \"bot\"\n");
        let (_, problem) = set(root).unwrap_err();
        assert_eq!(problem, "it has no `secret_set`");
        put(root, RECORD, RECORDED);
        let name = |folder: &Path| set(folder).unwrap().name;
        // The line with the set is gone.
        assert_eq!(name(root), "my-bot-secrets");
        put(
            root,
            "server/cloud-deploy.toml",
            "secret_set = \"other\"\nregion = \"eu\"\n",
        );
        let own = set(&root.join("server")).unwrap();
        assert_eq!(
            (own.name.as_str(), own.region.as_deref()),
            ("other", Some("eu"))
        );
        fs::remove_file(root.join("server/cloud-deploy.toml")).unwrap();
        assert_eq!(name(&root.join("server")), "my-bot-secrets");
        for (text, problem) in [
            ("agent_name = \"bot\"\nKEY = c4n4ry\n", "line 2: "),
            ("secret_set = \"--help\"\n", "its `secret_set` "),
        ] {
            put(root, "server/cloud-deploy.toml", text);
            let (file, why) = set(root).unwrap_err();
            assert!(file.ends_with("server/cloud-deploy.toml"));
            assert!(why.starts_with(problem) && !why.contains("c4n4ry"), "{why}");
        }
    }

    #[test]
    fn an_environment_has_a_file_of_its_own_and_a_set_without_a_line_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let staging: Environment = "staging".parse().unwrap();
        put(root, "server/cloud-deploy.staging.toml", "");
        put(root, "server/cloud-deploy.Old.toml", "");
        put(root, "server/cloud-deploy-toml", "");
        let place = Project::find(root).unwrap();
        assert_eq!(place.deployment(), None);
        let known: Vec<_> = place.deployments().into_keys().collect();
        assert_eq!(known, [Some(staging.clone())]);
        put(root, RECORD, RECORDED);
        let read = |file: &Path| fs::read_to_string(file).map_err(|it| it.to_string());
        let of = |name: &str| {
            let place = Project::find(&root.join("server")).unwrap();
            let within = place.within(Some(&name.parse().unwrap()), root);
            within.map(|place| place.secret_set(read).unwrap().name)
        };
        assert_eq!(of("staging").unwrap(), "my-bot-staging-secrets");
        let hints = |name| of(name).unwrap_err().hints;
        assert_eq!(hints("stagin"), ["did you mean `staging`?"]);
        assert_eq!(hints("qa"), ["bot-cli init --update --environment qa"]);
        for name in [
            "",
            "-a",
            "a-",
            "A",
            "a.b",
            "a/b",
            "a b",
            "none",
            &"a".repeat(51),
        ] {
            assert!(name.parse::<Environment>().is_err(), "{name}");
        }
    }

    #[test]
    fn the_names_of_agent_and_set_are_never_too_long() {
        let slug = slug(&"a".repeat(70));
        assert_eq!(slug.len(), 54);
        assert_eq!(secret_set_of(&slug).len(), 62);
    }

    #[test]
    fn every_client_has_a_template() {
        for name in web_clients().keys() {
            let folder = format!("client/{name}/");
            let mut files = crate::project_files();
            assert!(files.any(|(path, _)| path.starts_with(&folder)), "{name}");
        }
        assert_eq!(web_clients().len(), 3);
    }
}
