//! The settings for secrets in the files of a generated project.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use bot_cli_protocol::failure::{Exit, Failure, Field};
use bot_cli_terminal::shell::quoted;
use serde::Deserialize;

use crate::domain::SetName;
use crate::files::{Reason, foreign_owner};
use crate::scope::Scope;

/// The most bytes of the file.
const LARGEST: u64 = 1024 * 1024;

/// The number of parent folders in which a project is searched for.
const DEEPEST: usize = 4;

/// The settings of `cloud-deploy.toml`.
pub struct DeployFile {
    pub path: PathBuf,
    /// The set that the agent uses.
    pub secret_set: SetName,
    /// The agent's region.
    pub region: Option<String>,
}

#[derive(Deserialize)]
struct Text {
    secret_set: Option<String>,
    region: Option<String>,
}

impl DeployFile {
    /// Returns the line that says where a name came from.
    pub fn used(&self, name: &SetName) -> String {
        format!("using the set `{name}` of {}", self.path.display())
    }

    /// Returns the template beside it, as it is called in `folder`, if there is one.
    pub fn template(&self, folder: &Path) -> Option<PathBuf> {
        let path = self.path.with_file_name(".env.example");
        let shown = path.strip_prefix(folder).unwrap_or(&path);
        path.is_file().then(|| shown.to_owned())
    }
}

/// Returns whether `folder` is in a project that `bot-cli init` has made.
pub fn is_generated(folder: &Path) -> bool {
    let mut folders = folder.ancestors();
    folders.any(|above| above.join(".bot-cli/project.json").is_file())
}

/// Returns the command that asks for the keys of a template and makes the project's set of them.
pub fn filled(template: &Path, scope: &Scope) -> String {
    let shown = quoted(&template.display().to_string());
    scope.command(&format!("secrets set --from-template {shown}"))
}

/// Returns the problem of a command that has no name and nobody to ask.
pub fn no_name() -> Field {
    let problem = "missing: there is no server/cloud-deploy.toml here that names one";
    Field::new("name", problem)
}

/// Returns the deploy file of the project that `folder` is in: its root, its `server`, or a folder in these. `command` is
/// the one that wants a name.
pub fn find(folder: &Path, command: &str) -> Result<Option<DeployFile>, Failure> {
    for above in folder.ancestors().take(DEEPEST) {
        for below in ["server/cloud-deploy.toml", "cloud-deploy.toml"] {
            let path = above.join(below);
            if path.is_file() {
                return read(path, command).map(Some);
            }
        }
        // A project ends where its repository ends.
        if above.join(".git").exists() {
            break;
        }
    }
    Ok(None)
}

fn read(path: PathBuf, command: &str) -> Result<DeployFile, Failure> {
    let unusable = |reason: Reason| {
        let can_not = format!("can't take the name of the set from `{}`", path.display());
        Failure::because(Exit::Usage, "invalid_file", can_not, reason).hint(format!(
            "give the name: `bot-cli cloud secrets {command} NAME …`"
        ))
    };
    let text = text(&path).map_err(unusable)?;
    let read: Text = toml::from_str(&text).map_err(|error| unusable(error.message().into()))?;
    let Some(secret_set) = read.secret_set else {
        return Err(unusable("it has no `secret_set`".into()));
    };
    let secret_set = SetName::parse_existing(&secret_set)
        .map_err(|problem| unusable(format!("its `secret_set` {problem}").into()))?;
    Ok(DeployFile {
        secret_set,
        region: read.region,
        path,
    })
}

/// The text of the file, which nobody else can have put there.
fn text(path: &Path) -> Result<String, Reason> {
    let file = File::open(path)?;
    let found = file.metadata()?;
    if let Some(owner) = foreign_owner(&found) {
        return Err(format!("it belongs to another user (uid {owner})").into());
    }
    let mut text = String::new();
    file.take(LARGEST + 1).read_to_string(&mut text)?;
    if text.len() as u64 > LARGEST {
        return Err("it is larger than 1 MiB".into());
    }
    Ok(text)
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
        let long = format!("secret_set = \"bot\"\n# {}\n", "x".repeat(1024 * 1024));
        for (text, problem) in [
            ("agent_name = \"bot\"\n", "it has no `secret_set`"),
            (
                "secret_set = \"bot-\"\n",
                "its `secret_set` has a hyphen at an end",
            ),
            (long.as_str(), "it is larger than 1 MiB"),
        ] {
            std::fs::write(root.join("server/cloud-deploy.toml"), text).unwrap();
            let failure = find(root, "set").err().unwrap();
            assert_eq!(failure.code, "invalid_file");
            assert!(failure.message.contains("cloud-deploy.toml"), "{failure:?}");
            assert!(failure.message.ends_with(problem), "{failure:?}");
        }
    }
}
