//! What the files of a generated project say about secrets.

use std::path::{Path, PathBuf};

use bot_cli_sdk::failure::{Exit, Failure, reason};
use serde::Deserialize;

/// How far up a project is looked for; what lies higher is somebody else's.
const DEEPEST: usize = 4;

/// What `cloud-deploy.toml` says.
pub struct DeployFile {
    /// Where it is.
    pub path: PathBuf,
    /// The set that the agent uses.
    pub secret_set: String,
    /// The agent's region.
    pub region: Option<String>,
}

#[derive(Deserialize)]
struct Text {
    secret_set: Option<String>,
    region: Option<String>,
}

/// The deploy file of the project that `folder` is in: its root, its `server`, or a folder in these.
pub fn find(folder: &Path) -> Result<Option<DeployFile>, Failure> {
    for above in folder.ancestors().take(DEEPEST) {
        for below in ["server/cloud-deploy.toml", "cloud-deploy.toml"] {
            let path = above.join(below);
            if path.is_file() {
                return read(path).map(Some);
            }
        }
        // A project ends where its repository ends.
        if above.join(".git").exists() {
            break;
        }
    }
    Ok(None)
}

fn read(path: PathBuf) -> Result<DeployFile, Failure> {
    let unusable = |reason: &str| {
        Failure::new(
            Exit::Usage,
            "invalid_file",
            format!(
                "can't take the name of the set from `{}`: {reason}",
                path.display()
            ),
        )
        .hint("give the name: `bot-cli cloud secrets set NAME …`")
    };
    let text = std::fs::read_to_string(&path).map_err(|error| unusable(&reason(&error)))?;
    let read: Text = toml::from_str(&text).map_err(|error| unusable(error.message()))?;
    let Some(secret_set) = read.secret_set else {
        return Err(unusable("it has no `secret_set`"));
    };
    Ok(DeployFile {
        secret_set,
        region: read.region,
        path,
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
        assert!(find(&root.join("server")).unwrap().is_none());
        std::fs::write(
            root.join("server/cloud-deploy.toml"),
            "secret_set = \"bot-secrets\"\n",
        )
        .unwrap();
        for inside in ["", "server", "server/evals"] {
            let found = find(&root.join(inside)).unwrap().unwrap();
            assert_eq!(found.secret_set, "bot-secrets");
        }
        std::fs::write(
            root.join("server/cloud-deploy.toml"),
            "agent_name = \"bot\"\n",
        )
        .unwrap();
        assert_eq!(find(root).err().unwrap().code, "invalid_file");
    }
}
