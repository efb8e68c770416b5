//! The deployment file of a project, with the settings for secrets and for the deployment.

use std::path::{Path, PathBuf};

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_sdk::session::Session;
use bot_cli_templates::project::{ENV_TEMPLATE, Environment, Project, RECORD, update_command};
use bot_cli_terminal::shell::quoted;
use bot_cli_terminal::standard_input;
use bot_cli_vault::files::{Reason, foreign_owner};

use crate::deploy::settings::{AGENT_NAME, Settings, is_agent_name};
use crate::domain::SetName;
use crate::files::short_text;
use crate::input::wrong;
use crate::options::Of;

/// The secret set of the current project.
pub struct OwnSet {
    pub name: SetName,
    pub region: Option<String>,
    /// The path of the project's `.env.example`, if there is one, as a command in the current folder names it.
    pub template: Option<PathBuf>,
}

/// Returns the command that starts the bot that gets its keys from this set, if it belongs to the generated project that contains `folder`.
pub fn dev_command(folder: &Path, name: &SetName) -> Option<String> {
    let set = |it: &Project| set_of(it).ok()?.filter(|_| it.is_recorded());
    let own = with(folder, name.as_str(), set)?;
    Some(format!("bot-cli dev{}", option(&own)))
}

/// Returns the words of the command that deploys the agent that has this set, if it belongs to the project that contains `folder`.
pub fn deploy_words(folder: &Path, name: &SetName) -> Option<String> {
    let own = with(folder, name.as_str(), |it| settings_of(it)?.secret_set)?;
    Some(format!("deploy{}", option(&own)))
}

/// Returns the deployment file of this agent and its settings, if it belongs to the project that contains `folder`.
pub fn file_of_agent(folder: &Path, agent: &str) -> Option<(PathBuf, Settings)> {
    let own = with(folder, agent, |it| agent_of(it).ok()?)?;
    Some((own.deployment()?, settings_of(&own)?))
}

/// Returns the project that contains `folder`, in the first of its environments in which it has this value.
fn with(folder: &Path, value: &str, of: impl Fn(&Project) -> Option<String>) -> Option<Project> {
    let mut each = in_each(folder).into_iter();
    each.find(|place| of(place).as_deref() == Some(value))
}

/// Returns the names of the agents of the project that contains `folder`.
pub fn agents(folder: &Path) -> Vec<String> {
    let each = in_each(folder).into_iter();
    each.filter_map(|it| agent_of(&it).ok()?).collect()
}

/// Returns the environments of the project that contains `folder`.
pub fn environments(folder: &Path) -> Vec<String> {
    let each = in_each(folder).into_iter();
    each.filter_map(|it| Some(it.environment?.to_string()))
        .collect()
}

/// Returns the set of an environment of the project that contains `folder`.
pub fn set_in(folder: &Path, environment: &str) -> Option<SetName> {
    let mut each = in_each(folder).into_iter();
    let is_it = |it: &Environment| it.to_string() == environment;
    let place = each.find(|place| place.environment.as_ref().is_some_and(is_it))?;
    SetName::parse_existing(&place.secret_set(reader).ok()?.name).ok()
}

fn in_each(folder: &Path) -> Vec<Project> {
    Project::find(folder).map_or_else(Vec::new, |place| place.in_each_environment())
}

/// Returns the option for the project's environment, after a space.
fn option(place: &Project) -> String {
    let environment = place.environment.as_ref();
    environment.map_or(String::new(), |name| format!(" --environment {name}"))
}

fn settings_of(place: &Project) -> Option<Settings> {
    settings(&place.deployment()?).ok()
}

fn agent_of(place: &Project) -> Result<Option<String>, (PathBuf, String)> {
    let Some(file) = place.deployment() else {
        return Ok(None);
    };
    let settings = settings(&file).map_err(|reason| (file, reason.to_string()));
    Ok(settings?.agent_name)
}

fn set_of(place: &Project) -> Result<Option<String>, (PathBuf, String)> {
    Ok(Some(place.secret_set(reader)?.name))
}

/// Returns the project in this environment. Fails if the project does not have it.
fn within(
    session: &Session,
    place: Option<Project>,
    environment: Option<&Environment>,
) -> Result<Option<Project>, Failure> {
    if place.is_none() && environment.is_some() {
        let problem = "belongs to a project, and this is none";
        return Err(wrong("environment", problem));
    }
    let place = place.map(|place| place.within(environment, session.cwd()));
    place.transpose()
}

/// Returns the path of a file in the bot's folder of the project that contains `folder`. A file that exists in `folder` itself comes first.
pub fn file_of_bot(folder: &Path, given: &Path) -> Option<PathBuf> {
    let is_name = given.components().count() == 1 && !standard_input::is_named_by(given);
    if !is_name || folder.join(given).exists() {
        return None;
    }
    let path = Project::find(folder)?.bot.join(given);
    let found = path.metadata().ok()?;
    let is_ours = found.is_file() && foreign_owner(&found).is_none();
    is_ours.then(|| shown_from(folder, &path))
}

/// Returns the given set, whose name `parse` checks, or that of the current project in its environment.
pub fn set(
    session: &Session,
    given: Option<&String>,
    of: &Of,
    parse: fn(&str) -> Result<SetName, String>,
    command: &str,
) -> Result<OwnSet, Failure> {
    let Some(name) = given else {
        return own_set(session, of.environment.as_ref(), command);
    };
    Ok(OwnSet {
        name: parse(name).map_err(|problem| wrong("name", problem))?,
        region: None,
        template: None,
    })
}

/// Returns the set of the current project and shows a note that it is used. `command` is the subcommand suggested in error messages.
fn own_set(
    session: &Session,
    environment: Option<&Environment>,
    command: &str,
) -> Result<OwnSet, Failure> {
    let folder = session.cwd();
    let place = within(session, Project::find(folder), environment)?.ok_or_else(|| {
        wrong("name", "missing: there is no default outside a project")
            .hint(format!("bot-cli cloud secrets {command} --help"))
    })?;
    let could_not = |file: &Path, reason: Reason| {
        let could_not = format!("can't take the name of the set from `{}`", file.display());
        let name = format!("give the name: `bot-cli cloud secrets {command} NAME …`");
        Failure::because(Exit::Usage, "invalid_file", could_not, reason).hint(name)
    };
    if ["set", "unset", "delete", "copy"].contains(&command) {
        place.check_apart("secret set", set_of)?;
    }
    let set = place.secret_set(reader);
    let set = set.map_err(|(file, reason)| could_not(&file, reason.into()))?;
    let name = SetName::parse_existing(&set.name).map_err(|problem| {
        let file = set.file.as_deref().unwrap_or(Path::new(RECORD));
        could_not(file, format!("its `secret_set` {problem}").into())
    })?;
    session.note(&match (&set.file, place.deployment()) {
        (Some(file), _) => format!("using the set `{name}` of {}", file.display()),
        (None, Some(file)) => {
            let file = file.display();
            format!("using the set `{name}` of this project, which `{file}` does not name")
        }
        (None, None) => format!("using the set `{name}` of this project"),
    });
    let template = place.bot.join(ENV_TEMPLATE);
    Ok(OwnSet {
        name,
        region: set.region,
        template: template.is_file().then(|| shown_from(folder, &template)),
    })
}

fn reader(file: &Path) -> Result<String, String> {
    text(file).map_err(|reason| reason.to_string())
}

fn shown_from(folder: &Path, path: &Path) -> PathBuf {
    path.strip_prefix(folder).unwrap_or(path).to_owned()
}

/// Reads a deployment file. Fails if the file belongs to another user or is too large.
fn settings(path: &Path) -> Result<Settings, Reason> {
    Ok(Settings::parse(&text(path)?)?)
}

fn text(path: &Path) -> Result<String, Reason> {
    let (text, metadata) = short_text(path)?;
    match foreign_owner(&metadata) {
        Some(owner) => Err(format!("it belongs to another user (uid {owner})").into()),
        None => Ok(text),
    }
}

/// A project's deployment settings, and the folder that relative paths in the settings refer to.
pub struct Deployment {
    pub folder: PathBuf,
    pub path: Option<PathBuf>,
    pub settings: Settings,
    /// The project, unless a deployment file was named.
    place: Option<Project>,
}

impl Deployment {
    /// Fails if another environment of the project has the same secret set.
    pub fn check_apart(&self) -> Result<(), Failure> {
        let place = self.place.as_ref();
        place.map_or(Ok(()), |place| place.check_apart("secret set", set_of))
    }

    /// Fails if the deployment file sends files from outside of its repository or, without one, of its project.
    pub fn check_context(&self) -> Result<(), Failure> {
        let (Some(file), Some(below)) = (&self.path, &self.settings.build.context_dir) else {
            return Ok(());
        };
        let context = self.folder.join(below).canonicalize();
        let (Ok(folder), Ok(context)) = (self.folder.canonicalize(), context) else {
            // What is not there can't be packed.
            return Ok(());
        };
        let mut above = folder.ancestors();
        let repository = above.find(|it| it.join(".git").exists());
        let project = || Project::find(&folder).map_or(folder.clone(), |place| place.root);
        let root = repository.map_or_else(project, Path::to_owned);
        if context.starts_with(&root) {
            return Ok(());
        }
        let (file, root) = (file.display(), root.display());
        let message = format!("`context_dir` in `{file}` leads out of `{root}`");
        let hint = format!("`--context-dir {}` sends it all the same", quoted(below));
        Err(Failure::new(Exit::Usage, "invalid_file", message).hint(hint))
    }
}

/// Returns the deployment of the project at `place`, which is a folder or a deployment file, or of the current project, in an environment.
///
/// Without a deployment file, the settings are empty.
pub fn deployment(
    session: &Session,
    place: Option<&Path>,
    environment: Option<&Environment>,
) -> Result<Deployment, Failure> {
    let cwd = session.cwd();
    let given = place.map(|place| cwd.join(place));
    let found = match &given {
        None => Project::find(cwd),
        Some(folder) if folder.is_dir() => Project::at(folder),
        Some(file) if file.is_file() && environment.is_none() => None,
        Some(file) if file.is_file() => {
            let problem = "is a deployment file, and environments belong to projects";
            return Err(wrong("dir", problem));
        }
        Some(_) => return Err(wrong("dir", "is neither a folder nor a deployment file")),
    };
    let found = within(session, found, environment)?;
    if let Some(place) = &found {
        place.check_apart("agent", agent_of)?;
    }
    let path = found.as_ref().and_then(Project::deployment);
    let path = path.or_else(|| given.clone().filter(|it| it.is_file()));
    let settings = match &path {
        Some(path) => settings(path).map_err(|reason| {
            let could_not = format!("can't use `{}`", path.display());
            Failure::because(Exit::Usage, "invalid_file", could_not, reason)
        })?,
        None => Settings::default(),
    };
    let parent = path.as_deref().and_then(Path::parent).map(Path::to_owned);
    Ok(Deployment {
        folder: parent.or(given).unwrap_or_else(|| cwd.to_owned()),
        path,
        settings,
        place: found,
    })
}

/// Returns a hint for a folder without a deployment file.
pub fn without_deployment(session: &Session, folder: &Path) -> String {
    let known = environments(folder);
    match Project::find(folder) {
        Some(_) if !known.is_empty() => {
            format!("choose one with `--environment`: {}", known.join(", "))
        }
        Some(place) if place.is_recorded() => {
            update_command(&place.root, session.cwd(), " --deploy-to-cloud")
        }
        _ => "there is no cloud-deploy.toml here; `bot-cli init` creates a project".to_owned(),
    }
}

/// Returns the given agent name or, if there is none, the agent name of the current project in its environment.
pub fn agent_name(session: &Session, given: Option<&String>, of: &Of) -> Result<String, Failure> {
    let name = if let Some(name) = given {
        name.clone()
    } else {
        let own = deployment(session, None, of.environment.as_ref())?;
        let missing = match &own.path {
            Some(path) => format!("missing in {}", path.display()),
            None => {
                "missing: there is no server/cloud-deploy.toml here that names an agent".to_owned()
            }
        };
        let list = "bot-cli cloud agents list";
        let several = environments(session.cwd());
        let hint = if several.is_empty() || own.path.is_some() {
            list.to_owned()
        } else {
            without_deployment(session, session.cwd())
        };
        (own.settings.agent_name).ok_or_else(|| wrong("name", missing).hint(hint))?
    };
    let name = Some(name).filter(|name| is_agent_name(name));
    name.ok_or_else(|| wrong("name", AGENT_NAME))
}
