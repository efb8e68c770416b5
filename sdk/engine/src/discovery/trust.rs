//! Checks who can change a plugin's file. A file that other users can change is not run.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use crate::platform::files::is_executable;
use crate::platform::trust::{ROOT, UserId, is_writable_by_others, owner};
use bot_cli_protocol::failure::reason;
use bot_cli_terminal::shell;

/// The reason why a file is not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The file can't be inspected, for this reason.
    Unreadable(String),
    /// The path is not a regular file.
    NotAFile,
    /// The file is not executable.
    NotExecutable,
    /// Every user can write to the file, or replace files in the folder.
    WritableByOthers {
        /// The file or folder.
        path: PathBuf,
        /// Whether the user can change the permissions.
        can_mend: bool,
    },
    /// The file or its folder belongs to another user.
    ForeignOwner {
        /// The file or folder.
        path: PathBuf,
        /// The owner of the file or folder.
        owner: UserId,
    },
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Self::Unreadable(reason(&error))
    }
}

impl Refusal {
    /// Returns the reason as text.
    pub fn reason(&self) -> String {
        match self {
            Self::Unreadable(reason) => reason.clone(),
            Self::NotAFile => "not a file".to_owned(),
            Self::NotExecutable => "not executable".to_owned(),
            Self::WritableByOthers { path, .. } => {
                format!("`{}` is writable by every user", path.display())
            }
            Self::ForeignOwner { path, owner } => format!(
                "`{}` belongs to user {owner}, neither to you nor to root",
                path.display()
            ),
        }
    }

    /// Returns the remedy, if one exists. A remedy never changes another user's files. `file` is the plugin's executable or the pack's
    /// folder.
    pub fn remedy(&self, file: &Path) -> Option<String> {
        match self {
            Self::Unreadable(_) | Self::NotAFile => None,
            Self::NotExecutable => Some(format!("chmod +x {}", quoted(file))),
            Self::WritableByOthers {
                path,
                can_mend: true,
            } => Some(format!("chmod o-w {}", quoted(path))),
            // This command creates a copy that belongs to the user. The copy replaces the plugin if the plugin is already in the user's
            // folder.
            Self::WritableByOthers { .. } | Self::ForeignOwner { .. } => Some(format!(
                "if you trust it: bot-cli plugin add {}",
                quoted(file)
            )),
        }
    }
}

/// Quotes a path for a shell.
pub fn quoted(path: &Path) -> String {
    shell::quoted(&path.display().to_string())
}

/// The user and the host, which decide whether a file is trusted.
#[derive(Debug, Clone, Default)]
pub struct Trust {
    /// The user who runs the file.
    pub user: UserId,
    /// The host's executable, if it is known.
    pub host: Option<HostFile>,
}

/// The folder and the owner of the host's executable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostFile {
    folder: PathBuf,
    owner: UserId,
    writable_by_others: bool,
}

impl HostFile {
    /// Reads the folder and the owner of the executable at `path`.
    pub fn find(path: &Path) -> Option<Self> {
        let real = fs::canonicalize(path).ok()?;
        let folder = real.parent()?.to_owned();
        let (facts, folder_facts) = (fs::metadata(&real).ok()?, fs::metadata(&folder).ok()?);
        Some(Self {
            owner: owner(&facts),
            writable_by_others: is_writable_by_others(&facts)
                || is_writable_by_others(&folder_facts),
            folder,
        })
    }

    /// Returns the folder that contains the real executable, even if the host was started through a symbolic link.
    pub fn folder(&self) -> &PathBuf {
        &self.folder
    }
}

impl Trust {
    /// Returns the real path of `file`, if the file is trusted and executable. For a symbolic link, checks the link's folder and the
    /// target.
    pub fn check(&self, file: &Path) -> Result<PathBuf, Refusal> {
        let real = self.check_data(file)?;
        if is_executable(&real, &fs::metadata(&real)?) {
            Ok(real)
        } else {
            Err(Refusal::NotExecutable)
        }
    }

    /// Returns the real path of `file`, if no untrusted user can change the file's contents.
    pub fn check_data(&self, file: &Path) -> Result<PathBuf, Refusal> {
        let real = fs::canonicalize(file)?;
        let facts = &fs::metadata(&real)?;
        if !facts.is_file() {
            return Err(Refusal::NotAFile);
        }
        if self.is_beside_host(&real, facts) {
            return Ok(real);
        }
        self.writable(&real, facts)?;
        self.owned(&real, facts)?;
        let target = real.parent();
        let link = file.parent().filter(|folder| Some(*folder) != target);
        for folder in link.into_iter().chain(target) {
            self.owned(folder, &fs::metadata(folder)?)?;
            // Users who can write to a parent folder can replace this one. The owners of parent folders are not checked, because in
            // containers and sandboxes those folders often belong to an unknown user.
            for above in folder.ancestors().filter(|above| above.is_absolute()) {
                self.writable(above, &fs::metadata(above)?)?;
            }
        }
        Ok(real)
    }

    /// Reports whether a plugin is in the host's folder, has the host's owner, and is no easier to change than the host. Such a plugin can
    /// be trusted, because a user who can change the host already controls what runs. On file systems without owners, such as folders
    /// shared with a container, everyone can change both files.
    fn is_beside_host(&self, real: &Path, facts: &Metadata) -> bool {
        self.host.as_ref().is_some_and(|host| {
            real.parent() == Some(host.folder.as_path())
                && owner(facts) == host.owner
                && (host.writable_by_others || !is_writable_by_others(facts))
        })
    }

    fn writable(&self, path: &Path, facts: &Metadata) -> Result<(), Refusal> {
        if !is_writable_by_others(facts) {
            return Ok(());
        }
        Err(Refusal::WritableByOthers {
            path: path.to_owned(),
            can_mend: [ROOT, owner(facts)].contains(&self.user),
        })
    }

    fn owned(&self, path: &Path, facts: &Metadata) -> Result<(), Refusal> {
        let owner = owner(facts);
        if [ROOT, self.user].contains(&owner) {
            return Ok(());
        }
        Err(Refusal::ForeignOwner {
            path: path.to_owned(),
            owner,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::path::Path;

    use super::{HostFile, Refusal, Trust};

    fn mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn what_is_beside_the_host_is_trusted_as_the_host_is() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("bin");
        let (host, plugin) = (folder.join("bot-cli"), folder.join("bot-cli-x"));
        fs::create_dir(&folder).unwrap();
        for file in [&host, &plugin] {
            fs::write(file, "").unwrap();
            mode(file, 0o755);
        }
        let owner = fs::metadata(&host).unwrap().uid();
        // This user is neither the owner of these files nor root.
        let stranger = Trust {
            user: owner + 1,
            host: None,
        };
        let trusting = Trust {
            host: HostFile::find(&host),
            ..stranger.clone()
        };
        if owner != 0 {
            let refused = stranger.check(&plugin).unwrap_err();
            assert!(
                matches!(refused, Refusal::ForeignOwner { .. }),
                "{refused:?}"
            );
            let remedy = refused.remedy(&plugin).unwrap();
            assert!(!remedy.contains("chown"), "{remedy}");
        }
        assert!(trusting.check(&plugin).is_ok());
        mode(&folder, 0o777);
        assert!(trusting.check(&plugin).is_ok());
        let refused = stranger.check(&plugin).unwrap_err();
        if owner == 0 {
            let can_mend = matches!(refused, Refusal::WritableByOthers { can_mend: true, .. });
            assert!(!can_mend, "{refused:?}");
        }
        // The permissions of the file itself still count, unless those of the host are as open.
        mode(&folder, 0o755);
        mode(&plugin, 0o777);
        assert!(trusting.check(&plugin).is_err());
        mode(&host, 0o777);
        let shared = Trust {
            host: HostFile::find(&host),
            ..stranger.clone()
        };
        assert!(shared.check(&plugin).is_ok());
        mode(&plugin, 0o755);
        mode(&folder, 0o777);
        // A host that belongs to another user does not vouch for a plugin.
        let other = HostFile {
            owner: owner + 2,
            ..HostFile::find(&host).unwrap()
        };
        let other = Trust {
            host: Some(other),
            ..stranger
        };
        assert!(other.check(&plugin).is_err());
    }

    #[test]
    fn a_plugin_of_somebody_else_is_added_to_the_users_own() {
        let file = Path::new("/two words/bot-cli-x");
        let foreign = Refusal::ForeignOwner {
            path: file.to_owned(),
            owner: 4242,
        };
        let open = Refusal::WritableByOthers {
            path: "/two words".into(),
            can_mend: false,
        };
        for refusal in [foreign, open] {
            assert_eq!(
                refusal.remedy(file).unwrap(),
                "if you trust it: bot-cli plugin add '/two words/bot-cli-x'"
            );
        }
    }
}
