//! Whose file a plugin is: what others can change is not run.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use crate::failure::reason;
use crate::platform::files::is_executable;
use crate::platform::trust::{UserId, is_trusted, is_writable_by_others, may_mend, owner};
use crate::shell;

/// Why a file is not run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
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

impl Refusal {
    /// The reason in words.
    #[must_use]
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
    #[must_use]
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
pub(super) fn quoted(path: &Path) -> String {
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
    #[must_use]
    pub fn find(path: &Path) -> Option<Self> {
        let real = fs::canonicalize(path).ok()?;
        let folder = real.parent()?.to_owned();
        let (facts, folder_facts) = (fs::metadata(&real).ok()?, fs::metadata(&folder).ok()?);
        Some(Self {
            owner: owner(&real, &facts),
            writable_by_others: is_writable_by_others(&real, &facts)
                || is_writable_by_others(&folder, &folder_facts),
            folder,
        })
    }
}

impl Trust {
    /// The real path of `file`, if it can be trusted and run. A link is trusted as far as what it points to is.
    pub fn check(&self, file: &Path) -> Result<PathBuf, Refusal> {
        self.check_in(file, &Folders::default())
    }

    /// The same for one of several files of a search, which looks at each of their folders once.
    pub(super) fn check_in(&self, file: &Path, folders: &Folders) -> Result<PathBuf, Refusal> {
        let (real, facts) = folders.real_file(file)?;
        if !is_executable(&real, &facts) {
            return Err(Refusal::NotExecutable);
        }
        self.check_real(file, real, &facts, folders)
    }

    /// The real path of `file`, if what it holds can be trusted: that nobody else could have written it.
    pub(super) fn check_data(&self, file: &Path, folders: &Folders) -> Result<PathBuf, Refusal> {
        let (real, facts) = folders.real_file(file)?;
        self.check_real(file, real, &facts, folders)
    }

    fn check_real(
        &self,
        file: &Path,
        real: PathBuf,
        facts: &Metadata,
        folders: &Folders,
    ) -> Result<PathBuf, Refusal> {
        if self.is_beside_host(&real, facts) {
            return Ok(real);
        }
        self.writable(&real, facts)?;
        self.owned(&real, facts)?;
        let target = real.parent();
        let link = file.parent().filter(|folder| Some(*folder) != target);
        for folder in link.into_iter().chain(target) {
            self.owned(folder, &folders.facts(folder)?)?;
            // Who can write further up can put another folder in the place of this one. Whose those are is not asked: in
            // containers and sandboxes the upper folders often belong to nobody in particular.
            for above in folder.ancestors().filter(|above| above.is_absolute()) {
                if folders.is_closed(above) {
                    break;
                }
                self.writable(above, &folders.facts(above)?)?;
            }
            folders.close(folder);
        }
        Ok(real)
    }

    /// Who can change the host decides what runs anyway: a plugin beside it that no one else can change is trusted as the
    /// host is. Where file systems know no owners, as in folders shared with a container, everybody can change both.
    fn is_beside_host(&self, real: &Path, facts: &Metadata) -> bool {
        self.host.as_ref().is_some_and(|host| {
            real.parent() == Some(host.folder.as_path())
                && owner(real, facts) == host.owner
                && (host.writable_by_others || !is_writable_by_others(real, facts))
        })
    }

    fn writable(&self, path: &Path, facts: &Metadata) -> Result<(), Refusal> {
        if !is_writable_by_others(path, facts) {
            return Ok(());
        }
        Err(Refusal::WritableByOthers {
            path: path.to_owned(),
            can_mend: may_mend(owner(path, facts), self.user),
        })
    }

    fn owned(&self, path: &Path, facts: &Metadata) -> Result<(), Refusal> {
        let owner = owner(path, facts);
        if is_trusted(owner, self.user) {
            return Ok(());
        }
        Err(Refusal::ForeignOwner {
            path: path.to_owned(),
            owner,
        })
    }
}

/// What one search has found out about folders. It is forgotten with the search: another one looks again.
#[derive(Debug, Default)]
pub(super) struct Folders {
    real: RefCell<HashMap<PathBuf, PathBuf>>,
    facts: RefCell<HashMap<PathBuf, Metadata>>,
    /// Those into which, and above which, not everybody can write.
    closed: RefCell<HashSet<PathBuf>>,
}

impl Folders {
    fn real_file(&self, file: &Path) -> Result<(PathBuf, Metadata), Refusal> {
        let (real, facts) = self.resolve(file)?;
        if facts.is_file() {
            Ok((real, facts))
        } else {
            Err(Refusal::NotAFile)
        }
    }

    /// The path without links of what is at `path`, and what there is to know of it.
    fn resolve(&self, path: &Path) -> Result<(PathBuf, Metadata), Refusal> {
        if let (Some(folder), Some(name)) = (path.parent(), path.file_name())
            && path.is_absolute()
        {
            let facts = fs::symlink_metadata(path).map_err(|error| unreadable(&error))?;
            if !facts.is_symlink() {
                return Ok((self.real(folder)?.join(name), facts));
            }
        }
        let real = fs::canonicalize(path).map_err(|error| unreadable(&error))?;
        let facts = fs::metadata(&real).map_err(|error| unreadable(&error))?;
        Ok((real, facts))
    }

    fn real(&self, folder: &Path) -> Result<PathBuf, Refusal> {
        if let Some(real) = self.real.borrow().get(folder) {
            return Ok(real.clone());
        }
        let (real, facts) = self.resolve(folder)?;
        // Under both names: it is what `fs::metadata` says of either.
        let mut known = self.facts.borrow_mut();
        known.insert(folder.to_owned(), facts.clone());
        known.insert(real.clone(), facts);
        let mut known = self.real.borrow_mut();
        known.insert(folder.to_owned(), real.clone());
        Ok(real)
    }

    fn is_closed(&self, folder: &Path) -> bool {
        self.closed.borrow().contains(folder)
    }

    fn close(&self, folder: &Path) {
        let mut closed = self.closed.borrow_mut();
        for above in folder.ancestors() {
            if !closed.insert(above.to_owned()) {
                break;
            }
        }
    }

    /// What there is to know of a folder, or of that which a link leads to.
    fn facts(&self, folder: &Path) -> Result<Metadata, Refusal> {
        if let Some(facts) = self.facts.borrow().get(folder) {
            return Ok(facts.clone());
        }
        let facts = fs::metadata(folder).map_err(|error| unreadable(&error))?;
        let mut known = self.facts.borrow_mut();
        known.insert(folder.to_owned(), facts.clone());
        Ok(facts)
    }
}

fn unreadable(error: &std::io::Error) -> Refusal {
    Refusal::Unreadable(reason(error))
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
    fn hints_are_commands_that_can_be_pasted() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("two words");
        fs::create_dir(&folder).unwrap();
        let plugin = folder.join("bot-cli-x");
        fs::write(&plugin, "").unwrap();
        mode(&plugin, 0o644);
        let trust = Trust {
            user: fs::metadata(&plugin).unwrap().uid(),
            host: None,
        };
        for (command, broken, mended) in [("chmod +x", 0o644, 0o755), ("chmod o-w", 0o757, 0o755)] {
            mode(&plugin, broken);
            let remedy = trust.check(&plugin).unwrap_err().remedy(&plugin).unwrap();
            assert_eq!(remedy, format!("{command} '{}'", plugin.display()));
            mode(&plugin, mended);
            assert!(trust.check(&plugin).is_ok());
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
