//! The settings for secrets in a generated project.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use bot_cli_protocol::failure::{Exit, Failure};
use serde::Deserialize;

use super::context::CommandContext;
use crate::domain::SetName;
use crate::files::{Reason, foreign_owner};
use crate::input::wrong;

/// The number of folders to search for a project, including the current one.
const DEEPEST: usize = 4;

pub struct DeployFile {
    pub path: PathBuf,
    pub secret_set: SetName,
    pub region: Option<String>,
}

#[derive(Deserialize)]
struct Text {
    secret_set: Option<String>,
    region: Option<String>,
}

impl DeployFile {
    /// Returns the path of `.env.example` beside the deploy file, relative to `folder` if possible.
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

/// Returns the deploy file of the current project and shows a note about it. `command` is the command that needs a set's name.
pub fn here(context: &CommandContext<'_>, command: &str) -> Result<DeployFile, Failure> {
    let Some(deploy) = find(&context.cwd(), command)? else {
        let problem = "missing: there is no server/cloud-deploy.toml here that names one";
        return Err(wrong("name", problem));
    };
    let (name, path) = (&deploy.secret_set, deploy.path.display());
    context.note(&format!("using the set `{name}` of {path}"));
    Ok(deploy)
}

/// Searches `folder` and its parents for the deploy file of a project.
fn find(folder: &Path, command: &str) -> Result<Option<DeployFile>, Failure> {
    for above in folder.ancestors().take(DEEPEST) {
        let below = ["server/cloud-deploy.toml", "cloud-deploy.toml"];
        let mut paths = below.iter().map(|below| above.join(below));
        if let Some(path) = paths.find(|path| path.is_file()) {
            let file = read(&path).map_err(|reason| {
                let could_not = format!("can't take the name of the set from `{}`", path.display());
                let name = format!("give the name: `bot-cli cloud secrets {command} NAME …`");
                Failure::because(Exit::Usage, "invalid_file", could_not, reason).hint(name)
            });
            return file.map(Some);
        }
        // Don't search outside the repository.
        if above.join(".git").exists() {
            break;
        }
    }
    Ok(None)
}

/// Reads a deploy file. Refuses a file that belongs to another user.
fn read(path: &Path) -> Result<DeployFile, Reason> {
    let mut file = File::open(path)?;
    if let Some(owner) = foreign_owner(&file.metadata()?) {
        return Err(format!("it belongs to another user (uid {owner})").into());
    }
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    let read: Text = toml::from_str(&text).map_err(|error| Reason::from(error.message()))?;
    let name = read.secret_set.ok_or("it has no `secret_set`")?;
    let secret_set = SetName::parse_existing(&name);
    Ok(DeployFile {
        secret_set: secret_set.map_err(|problem| format!("its `secret_set` {problem}"))?,
        region: read.region,
        path: path.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn the_deploy_file_is_found_from_anywhere_in_the_project() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir_all(root.join("server/evals")).unwrap();
        std::fs::create_dir_all(root.join(".git")).unwrap();
        assert!(find(&root.join("server"), "set").unwrap().is_none());
        std::fs::write(
            root.join("server/cloud-deploy.toml"),
            "secret_set = \"bot-secrets\"\n",
        )
        .unwrap();
        for inside in ["", "server", "server/evals"] {
            let found = find(&root.join(inside), "set").unwrap().unwrap();
            assert_eq!(found.secret_set.as_str(), "bot-secrets");
        }
        for (text, problem) in [
            ("agent_name = \"bot\"\n", "it has no `secret_set`"),
            (
                "secret_set = \"bot-\"\n",
                "its `secret_set` has a hyphen at an end",
            ),
        ] {
            std::fs::write(root.join("server/cloud-deploy.toml"), text).unwrap();
            let failure = find(root, "set").err().unwrap();
            assert_eq!(failure.code, "invalid_file");
            assert!(failure.message.contains("cloud-deploy.toml"), "{failure:?}");
            assert!(failure.message.ends_with(problem), "{failure:?}");
        }
    }
}
