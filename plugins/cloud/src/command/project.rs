//! The deployment file of a project, with the settings for secrets and for the deployment.

use std::path::{Path, PathBuf};

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_sdk::session::Session;
use bot_cli_templates::project::{ENV_TEMPLATE, Project, RECORD};
use bot_cli_terminal::shell::quoted;
use bot_cli_terminal::standard_input;
use bot_cli_vault::files::{Reason, foreign_owner};

use crate::deploy::settings::{AGENT_NAME, Settings, is_agent_name};
use crate::domain::SetName;
use crate::files::short_text;
use crate::input::wrong;

/// The secret set of the current project.
pub struct OwnSet {
    pub name: SetName,
    pub region: Option<String>,
    /// The path of the project's `.env.example`, if there is one, as a command in the current folder names it.
    pub template: Option<PathBuf>,
}

/// Reports whether the bot of the generated project that contains `folder` gets its keys from this set.
pub fn reads(folder: &Path, name: &SetName) -> bool {
    let place = Project::find(folder).filter(|place| place.recorded(reader).is_ok());
    let own = place.and_then(|place| place.secret_set(reader).ok());
    own.is_some_and(|own| own.name == name.as_str())
}

/// Returns the agent name in the deployment file of the project that contains `folder`, for completion.
pub fn agent(folder: &Path) -> Option<String> {
    settings(&path_from(folder)?).ok()?.agent_name
}

/// Reports whether the project that contains `folder` deploys its agent with this set.
pub fn deploys(folder: &Path, name: &SetName) -> bool {
    let settings = path_from(folder).and_then(|path| settings(&path).ok());
    settings.is_some_and(|settings| settings.secret_set.as_deref() == Some(name.as_str()))
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

/// Returns the given set, whose name `parse` checks, or that of the current project.
pub fn set(
    session: &Session,
    given: Option<&String>,
    parse: fn(&str) -> Result<SetName, String>,
    command: &str,
) -> Result<OwnSet, Failure> {
    let Some(name) = given else {
        return own_set(session, command);
    };
    Ok(OwnSet {
        name: parse(name).map_err(|problem| wrong("name", problem))?,
        region: None,
        template: None,
    })
}

/// Returns the set of the current project and shows a note that it is used. `command` is the subcommand suggested in error messages.
fn own_set(session: &Session, command: &str) -> Result<OwnSet, Failure> {
    let folder = session.cwd();
    let place = Project::find(folder).ok_or_else(|| {
        wrong("name", "missing: there is no default outside a project")
            .hint(format!("bot-cli cloud secrets {command} --help"))
    })?;
    let could_not = |file: &Path, reason: Reason| {
        let could_not = format!("can't take the name of the set from `{}`", file.display());
        let name = format!("give the name: `bot-cli cloud secrets {command} NAME …`");
        Failure::because(Exit::Usage, "invalid_file", could_not, reason).hint(name)
    };
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

/// Returns the path of the deployment file of the project that contains `folder`.
fn path_from(folder: &Path) -> Option<PathBuf> {
    Project::find(folder)?.deployment()
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
}

impl Deployment {
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

/// Returns the deployment of the project at `place`, which is a folder or a deployment file, or of the current project.
///
/// Without a deployment file, the settings are empty.
pub fn deployment(session: &Session, place: Option<&Path>) -> Result<Deployment, Failure> {
    let folder = session.cwd();
    let (folder, path) = match place.map(|place| folder.join(place)) {
        None => (folder.to_owned(), path_from(folder)),
        Some(place) if place.is_dir() => {
            let path = Project::at(&place).and_then(|it| it.deployment());
            (place, path)
        }
        Some(place) if place.is_file() => (folder.to_owned(), Some(place)),
        Some(_) => return Err(wrong("dir", "is neither a folder nor a deployment file")),
    };
    let settings = match &path {
        Some(path) => settings(path).map_err(|reason| {
            let could_not = format!("can't use `{}`", path.display());
            Failure::because(Exit::Usage, "invalid_file", could_not, reason)
        })?,
        None => Settings::default(),
    };
    let parent = path.as_deref().and_then(Path::parent);
    Ok(Deployment {
        folder: parent.map_or(folder, Path::to_owned),
        path,
        settings,
    })
}

/// Returns a hint for a folder without a deployment file.
pub fn without_deployment(session: &Session, folder: &Path) -> String {
    let Some(place) = Project::find(folder).filter(Project::is_recorded) else {
        return "there is no cloud-deploy.toml here; `bot-cli init` creates a project".to_owned();
    };
    let root = if place.root == session.cwd() {
        String::new()
    } else {
        format!(" {}", quoted(&place.root.display().to_string()))
    };
    format!("bot-cli init{root} --update --deploy-to-cloud")
}

/// Returns the given agent name or, if there is none, the agent name of the current project.
pub fn agent_name(session: &Session, given: Option<&String>) -> Result<String, Failure> {
    let name = if let Some(name) = given {
        name.clone()
    } else {
        let Deployment { settings, .. } = deployment(session, None)?;
        let missing = "missing: there is no server/cloud-deploy.toml here that names an agent";
        let list = "bot-cli cloud agents list";
        (settings.agent_name).ok_or_else(|| wrong("name", missing).hint(list))?
    };
    let name = Some(name).filter(|name| is_agent_name(name));
    name.ok_or_else(|| wrong("name", AGENT_NAME))
}
