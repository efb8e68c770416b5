//! Checks who can change a plugin's file. A file that other users can change is not run.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use super::name::{MANAGER, PREFIX, SHIPPED};
use crate::platform::files::is_executable;
use crate::platform::folders::program_name;
use crate::platform::trust::{ROOT, UserId, is_writable_by_others, owner};
use crate::refused::Refused;
use bot_cli_terminal::shell;

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

/// The facts about the folders of the files that one search checks. A folder is read once, although it is above many files. The next search
/// reads it again, because others may have changed it.
#[derive(Debug, Default)]
pub struct Folders {
    facts: RefCell<HashMap<PathBuf, Metadata>>,
    real: RefCell<HashMap<PathBuf, PathBuf>>,
}

impl Folders {
    fn facts(&self, folder: &Path) -> io::Result<Metadata> {
        once(&self.facts, folder, |folder| fs::metadata(folder))
    }

    /// Returns the real path of `file` and the facts about the file. Only a link needs a search for its target.
    fn resolve(&self, file: &Path) -> io::Result<(PathBuf, Metadata)> {
        let facts = fs::symlink_metadata(file)?;
        let parts = file.parent().zip(file.file_name());
        let parts = parts.filter(|(folder, _)| folder.is_absolute() && !facts.is_symlink());
        if let Some((folder, name)) = parts {
            let folder = once(&self.real, folder, |folder| fs::canonicalize(folder))?;
            return Ok((folder.join(name), facts));
        }
        let real = fs::canonicalize(file)?;
        let facts = fs::metadata(&real)?;
        Ok((real, facts))
    }
}

fn once<T: Clone>(
    known: &RefCell<HashMap<PathBuf, T>>,
    folder: &Path,
    read: impl Fn(&Path) -> io::Result<T>,
) -> io::Result<T> {
    if let Some(known) = known.borrow().get(folder) {
        return Ok(known.clone());
    }
    let found = read(folder)?;
    known.borrow_mut().insert(folder.to_owned(), found.clone());
    Ok(found)
}

impl Trust {
    /// Returns the real path of `file`, if the file is trusted and executable. For a symbolic link, checks the link's folder and the
    /// target.
    pub fn check(&self, file: &Path, folders: &Folders) -> Result<PathBuf, Refused> {
        let (real, facts) = self.check_data(file, file, folders)?;
        if is_executable(&real, &facts) {
            return Ok(real);
        }
        let mend = format!("chmod +x {}", quoted(file));
        Err(Refused::with_remedy("not executable", mend))
    }

    /// Returns the real path of `file` and the facts about the file, if no untrusted user can change the file's contents. `plugin` is the
    /// plugin's file or folder, for the remedy.
    pub fn check_data(
        &self,
        file: &Path,
        plugin: &Path,
        folders: &Folders,
    ) -> Result<(PathBuf, Metadata), Refused> {
        let (real, facts) = folders.resolve(file)?;
        if !facts.is_file() {
            return Err(Refused::new("not a file", None));
        }
        if self.is_beside_host(&real, &facts) {
            return Ok((real, facts));
        }
        self.writable(&real, &facts, plugin)?;
        self.owned(&real, &facts, plugin)?;
        let target = real.parent();
        let link = file.parent().filter(|folder| Some(*folder) != target);
        for folder in link.into_iter().chain(target) {
            self.owned(folder, &folders.facts(folder)?, plugin)?;
            // Users who can write to a parent folder can replace this one. The owners of parent folders are not checked, because in
            // containers and sandboxes those folders often belong to an unknown user.
            for above in folder.ancestors().filter(|above| above.is_absolute()) {
                self.writable(above, &folders.facts(above)?, plugin)?;
            }
        }
        Ok((real, facts))
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

    fn writable(&self, path: &Path, facts: &Metadata, plugin: &Path) -> Result<(), Refused> {
        if !is_writable_by_others(facts) {
            return Ok(());
        }
        let reason = format!("`{}` is writable by every user", path.display());
        let can_mend = [ROOT, owner(facts)].contains(&self.user);
        let mend = if can_mend {
            format!("chmod o-w {}", quoted(path))
        } else {
            copy_of(plugin)
        };
        Err(Refused::with_remedy(reason, mend))
    }

    fn owned(&self, path: &Path, facts: &Metadata, plugin: &Path) -> Result<(), Refused> {
        let owner = owner(facts);
        if [ROOT, self.user].contains(&owner) {
            return Ok(());
        }
        let reason = format!(
            "`{}` belongs to user {owner}, neither to you nor to root",
            path.display()
        );
        Err(Refused::with_remedy(reason, copy_of(plugin)))
    }
}

/// Returns the remedy that creates a copy that belongs to the user. The copy replaces the plugin if the plugin is already in the user's
/// folder.
fn copy_of(plugin: &Path) -> String {
    let name = plugin.file_name().and_then(|file| file.to_str());
    let name = name.and_then(|file| program_name(file)?.strip_prefix(PREFIX));
    if name == Some(MANAGER) {
        return "install bot-cli again, so that its files have one owner".to_owned();
    }
    let force = name.filter(|name| SHIPPED.contains(name));
    let force = force.map_or_else(String::new, |name| format!(" --force {name}"));
    format!(
        "if you trust it: bot-cli plugin add {}{force}",
        quoted(plugin)
    )
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::path::Path;

    use super::{Folders, HostFile, Trust};

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
            let refused = stranger.check(&plugin, &Folders::default()).unwrap_err();
            let remedy = format!("if you trust it: bot-cli plugin add {}", plugin.display());
            assert!(refused.reason.contains("belongs to user"), "{refused}");
            assert_eq!(refused.remedy.unwrap(), remedy);
        }
        assert!(trusting.check(&plugin, &Folders::default()).is_ok());
        mode(&folder, 0o777);
        assert!(trusting.check(&plugin, &Folders::default()).is_ok());
        let refused = stranger.check(&plugin, &Folders::default()).unwrap_err();
        if owner == 0 {
            let remedy = format!("if you trust it: bot-cli plugin add {}", plugin.display());
            assert_eq!(refused.remedy.unwrap(), remedy);
        }
        // The permissions of the file itself still count, unless those of the host are as open.
        mode(&folder, 0o755);
        mode(&plugin, 0o777);
        assert!(trusting.check(&plugin, &Folders::default()).is_err());
        mode(&host, 0o777);
        let shared = Trust {
            host: HostFile::find(&host),
            ..stranger.clone()
        };
        assert!(shared.check(&plugin, &Folders::default()).is_ok());
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
        assert!(other.check(&plugin, &Folders::default()).is_err());
    }
}
