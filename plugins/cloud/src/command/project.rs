//! The deployment file of a project, with the settings for secrets and for the deployment.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use bot_cli_protocol::failure::{Exit, Failure};

use super::context::CommandContext;
use crate::deploy::settings::{AGENT_NAME, Settings, is_agent_name};
use crate::domain::SetName;
use crate::files::{Reason, foreign_owner, refuse_special};
use crate::input::wrong;

/// The maximum number of folders to search for a project, including the current folder.
const DEEPEST: usize = 4;

/// The names of a deployment file. The second name is that of the service's own client.
const NAMES: [&str; 2] = ["cloud-deploy.toml", "pcc-deploy.toml"];

/// The size limit for a deployment file, in bytes.
const LONGEST: u64 = 256 * 1024;

pub struct DeployFile {
    pub path: PathBuf,
    pub secret_set: SetName,
    pub region: Option<String>,
}

impl DeployFile {
    /// Returns the path of the `.env.example` file next to the deployment file, if any. The path is relative to `folder` if possible.
    pub fn template(&self, folder: &Path) -> Option<PathBuf> {
        let path = self.path.with_file_name(".env.example");
        let shown = path.strip_prefix(folder).unwrap_or(&path);
        path.is_file().then(|| shown.to_owned())
    }
}

/// Reports whether `folder` is in a project created by `bot-cli init`.
pub fn is_generated(folder: &Path) -> bool {
    let mut folders = folder.ancestors();
    folders.any(|above| above.join(".bot-cli/project.json").is_file())
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

/// Returns the current project's deployment file and shows a note that the file is used. `command` is the subcommand suggested in error
/// messages.
pub fn here(context: &CommandContext<'_>, command: &str) -> Result<DeployFile, Failure> {
    let Some(path) = path_from(&context.cwd()) else {
        let problem = "missing: there is no server/cloud-deploy.toml here that names one";
        return Err(wrong("name", problem));
    };
    let deploy = read(path, command)?;
    let (name, path) = (&deploy.secret_set, deploy.path.display());
    context.note(&format!("using the set `{name}` of {path}"));
    Ok(deploy)
}

fn read(path: PathBuf, command: &str) -> Result<DeployFile, Failure> {
    let read = || {
        let settings = settings(&path)?;
        let name = settings.secret_set.ok_or("it has no `secret_set`")?;
        let name = SetName::parse_existing(&name);
        let name = name.map_err(|problem| format!("its `secret_set` {problem}"))?;
        Ok((name, settings.region))
    };
    let (secret_set, region) = read().map_err(|reason: Reason| {
        let could_not = format!("can't take the name of the set from `{}`", path.display());
        let name = format!("give the name: `bot-cli cloud secrets {command} NAME …`");
        Failure::because(Exit::Usage, "invalid_file", could_not, reason).hint(name)
    })?;
    Ok(DeployFile {
        path,
        secret_set,
        region,
    })
}

/// Returns the path of the deployment file of the project that contains `folder`.
fn path_from(folder: &Path) -> Option<PathBuf> {
    for above in folder.ancestors().take(DEEPEST) {
        if let Some(path) = path_in(above) {
            return Some(path);
        }
        // Don't search outside the repository.
        if above.join(".git").exists() {
            break;
        }
    }
    None
}

fn path_in(folder: &Path) -> Option<PathBuf> {
    let below = ["server", ""].map(|below| folder.join(below));
    let mut paths = NAMES
        .iter()
        .flat_map(|name| below.iter().map(move |below| below.join(name)));
    paths.find(|path| path.is_file())
}

/// Reads a deployment file. Fails if the file belongs to another user or is too large.
fn settings(path: &Path) -> Result<Settings, Reason> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    refuse_special(&metadata)?;
    if let Some(owner) = foreign_owner(&metadata) {
        return Err(format!("it belongs to another user (uid {owner})").into());
    }
    let mut text = String::new();
    file.take(LONGEST + 1).read_to_string(&mut text)?;
    if text.len() as u64 > LONGEST {
        return Err(format!("it is longer than {} KiB", LONGEST / 1024).into());
    }
    Ok(Settings::parse(&text)?)
}

/// A project's deployment settings, and the folder that relative paths in the settings refer to.
pub struct Project {
    pub folder: PathBuf,
    pub path: Option<PathBuf>,
    pub settings: Settings,
}

/// Returns the deployment of the project at `place`, which is a folder or a deployment file, or of the current project.
///
/// Without a deployment file, the settings are empty.
pub fn deployment(context: &CommandContext<'_>, place: Option<&Path>) -> Result<Project, Failure> {
    let folder = context.cwd();
    let (folder, path) = match place.map(|place| folder.join(place)) {
        None => (folder.clone(), path_from(&folder)),
        Some(place) if place.is_dir() => (place.clone(), path_in(&place)),
        Some(place) if place.is_file() => (folder, Some(place)),
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
    Ok(Project {
        folder: parent.map_or(folder, Path::to_owned),
        path,
        settings,
    })
}

/// Returns the given agent name or, if there is none, the agent name of the current project.
pub fn agent_name(context: &CommandContext<'_>, given: Option<&String>) -> Result<String, Failure> {
    let name = if let Some(name) = given {
        name.clone()
    } else {
        let Project { settings, .. } = deployment(context, None)?;
        let missing = "missing: there is no server/cloud-deploy.toml here that names an agent";
        settings.agent_name.ok_or_else(|| wrong("name", missing))?
    };
    if is_agent_name(&name) {
        Ok(name)
    } else {
        Err(wrong("name", AGENT_NAME))
    }
}

#[cfg(test)]
mod tests {
    use super::{path_from, read};

    #[test]
    fn the_deploy_file_is_found_from_anywhere_in_the_project() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir_all(root.join("server/evals")).unwrap();
        std::fs::create_dir_all(root.join(".git")).unwrap();
        assert_eq!(path_from(&root.join("server")), None);
        std::fs::write(
            root.join("server/cloud-deploy.toml"),
            "secret_set = \"bot-secrets\"\n",
        )
        .unwrap();
        for inside in ["", "server", "server/evals"] {
            let path = path_from(&root.join(inside)).unwrap();
            assert_eq!(
                read(path, "set").unwrap().secret_set.as_str(),
                "bot-secrets"
            );
        }
        for (text, problem) in [
            ("agent_name = \"bot\"\n", "it has no `secret_set`"),
            (
                "secret_set = \"bot-\"\n",
                "its `secret_set` has a hyphen at an end",
            ),
        ] {
            std::fs::write(root.join("server/cloud-deploy.toml"), text).unwrap();
            let failure = read(path_from(root).unwrap(), "set").err().unwrap();
            assert_eq!(failure.code, "invalid_file");
            assert!(failure.message.contains("cloud-deploy.toml"), "{failure:?}");
            assert!(failure.message.ends_with(problem), "{failure:?}");
        }
    }
}
