//! Whose file a plugin is: what others can change is not run.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use crate::platform::files::is_executable;
use crate::platform::trust::{ROOT, UserId, is_writable_by_others, owner};
use bot_cli_protocol::failure::reason;
use bot_cli_terminal::shell;

/// Why a file is not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// It can't be looked at; the reason.
    Unreadable(String),
    /// It is a folder, a pipe or the like.
    NotAFile,
    /// Nobody may execute it.
    NotExecutable,
    /// Everybody may write to this file, or put another in a place in this folder. `can_mend`: the user may change that.
    WritableByOthers {
        /// The file or folder.
        path: PathBuf,
        /// Whether it is the user's.
        can_mend: bool,
    },
    /// It, or its folder, belongs to somebody else.
    ForeignOwner {
        /// The file or folder.
        path: PathBuf,
        /// That user.
        owner: UserId,
    },
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Self::Unreadable(reason(&error))
    }
}

impl Refusal {
    /// The reason in words.
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

    /// Returns what mends it, with nothing changed that is somebody else's. `file` is the plugin: an executable, or the folder of a pack.
    pub fn remedy(&self, file: &Path) -> Option<String> {
        match self {
            Self::Unreadable(_) | Self::NotAFile => None,
            Self::NotExecutable => Some(format!("chmod +x {}", quoted(file))),
            Self::WritableByOthers {
                path,
                can_mend: true,
            } => Some(format!("chmod o-w {}", quoted(path))),
            // That makes a copy of the user's own, in the place of the plugin if it is there already.
            Self::WritableByOthers { .. } | Self::ForeignOwner { .. } => Some(format!(
                "if you trust it: bot-cli plugin add {}",
                quoted(file)
            )),
        }
    }
}

/// The path as a shell takes it.
pub fn quoted(path: &Path) -> String {
    shell::quoted(&path.display().to_string())
}

/// The user who is to trust a file.
#[derive(Debug, Clone, Default)]
pub struct Trust {
    /// The user.
    pub user: UserId,
    /// The host's own file.
    pub host: Option<HostFile>,
}

/// The place and the owner of the host's executable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostFile {
    folder: PathBuf,
    owner: UserId,
    /// Whether every user can change it, or put another in its place.
    writable_by_others: bool,
}

impl HostFile {
    /// Returns what there is to know of the executable at `path`.
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

    /// The folder of the file itself, not of a link to it.
    pub fn folder(&self) -> &PathBuf {
        &self.folder
    }
}

impl Trust {
    /// The real path of `file`, if it can be trusted and run. A link is trusted as far as what it points to is.
    pub fn check(&self, file: &Path) -> Result<PathBuf, Refusal> {
        let real = self.check_data(file)?;
        if is_executable(&real, &fs::metadata(&real)?) {
            Ok(real)
        } else {
            Err(Refusal::NotExecutable)
        }
    }

    /// The real path of `file`, if what it holds can be trusted: that nobody else could have written it.
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
            // Who can write further up can put another folder in the place of this one. Whose those are is not asked: in
            // containers and sandboxes the upper folders often belong to nobody in particular.
            for above in folder.ancestors().filter(|above| above.is_absolute()) {
                self.writable(above, &fs::metadata(above)?)?;
            }
        }
        Ok(real)
    }

    /// Who can change the host decides what runs anyway: a plugin beside it that no one else can change is trusted as the
    /// host is. Where file systems know no owners, as in folders shared with a container, everybody can change both.
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
        // Somebody who is neither the owner of these files nor root.
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
        // The file itself is another matter, as long as the host is not as open.
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
        // A host of somebody else's vouches for nothing.
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

    #[test]
    fn a_folder_further_up_that_everybody_can_write_is_no_place() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("open/inner/bin");
        fs::create_dir_all(&folder).unwrap();
        let plugin = folder.join("bot-cli-x");
        fs::write(&plugin, "").unwrap();
        mode(&plugin, 0o755);
        let trust = Trust {
            user: fs::metadata(&plugin).unwrap().uid(),
            host: None,
        };
        assert!(trust.check(&plugin).is_ok());
        let open = place.path().join("open");
        mode(&open, 0o777);
        let refused = trust.check(&plugin).unwrap_err();
        assert!(
            matches!(&refused, Refusal::WritableByOthers { path, can_mend: true } if *path == open),
            "{refused:?}"
        );
        mode(&open, 0o1777);
        assert!(trust.check(&plugin).is_ok());
    }
}
