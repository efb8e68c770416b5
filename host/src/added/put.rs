//! Puts plugins in place and takes them away, so that there is the old one or the new one whenever the process ends.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use bot_cli_sdk::failure::{Exit, Failure, reason};
use tempfile::TempDir;

use super::home::{Home, Turn, not_written};
use super::record::{Entry, Form, Record};

/// The names of private folders begin with it.
const STAGING: &str = ".adding-";

/// The name of an old folder begins with it, where the system can't exchange two folders in one step.
const OLD: &str = ".old-";

/// What is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replace {
    /// There is nothing in the place.
    Nothing,
    /// A plugin of the same form is in the place.
    Old,
}

/// A private folder on the file system of the plugins.
pub fn staging(home: &Home) -> Result<TempDir, Failure> {
    tempfile::Builder::new()
        .prefix(STAGING)
        .tempdir_in(&home.folder)
        .map_err(|error| not_written(&home.folder, &error))
}

/// A private folder where nothing is put in place from.
pub fn staging_elsewhere() -> Result<TempDir, Failure> {
    tempfile::tempdir().map_err(|error| not_written(&std::env::temp_dir(), &error))
}

/// Removes what a process left behind that was killed, and puts back an old folder for which there is no new one.
pub fn sweep(home: &Home) {
    for entry in fs::read_dir(&home.folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(STAGING) {
            // What can't be removed is in nobody's way.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    for entry in fs::read_dir(home.packs()).into_iter().flatten().flatten() {
        if let Some(name) = entry.file_name().to_string_lossy().strip_prefix(OLD) {
            let place = home.packs().join(name);
            if fs::symlink_metadata(&place).is_ok() {
                let _ = fs::remove_dir_all(entry.path());
            } else {
                let _ = fs::rename(entry.path(), place);
            }
        }
    }
}

/// Puts the plugin at `staged` in its place, and `entry` into the record.
pub fn put(
    home: &Home,
    _turn: &Turn,
    record: &mut Record,
    staged: &Path,
    entry: Entry,
    replace: Replace,
) -> Result<(), Failure> {
    let place = home.place(&entry.name, entry.form);
    let pending = Entry {
        pending: true,
        ..entry.clone()
    };
    record.write(home, Some(pending))?;
    if let Err(error) = moved(staged, &place, entry.form, replace) {
        // Without a plugin of that sum the pending entry means nothing, so that it may stay.
        let _ = record.write(home, None);
        return Err(not_written(&place, &error));
    }
    record.set(entry);
    // The pending entry says the same.
    let _ = record.write(home, None);
    Ok(())
}

fn moved(staged: &Path, place: &Path, form: Form, replace: Replace) -> io::Result<()> {
    let folder = place.parent().unwrap_or(Path::new("/"));
    match (form, replace) {
        (Form::Folder, Replace::Old) => exchange(staged, place)?,
        (Form::File, Replace::Old) | (Form::File | Form::Folder, Replace::Nothing) => {
            fs::rename(staged, place)?;
        }
    }
    // The plugin is in place, whether or not that is on the disk already.
    let _ = sync_folder(folder);
    Ok(())
}

/// Puts the folder at `staged` in the place of another, in one step where the system can.
fn exchange(staged: &Path, place: &Path) -> io::Result<()> {
    if system::exchange(staged, place).is_ok() {
        return Ok(());
    }
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    let old = place.with_file_name(format!("{OLD}{name}"));
    fs::rename(place, &old)?;
    if let Err(error) = fs::rename(staged, place) {
        fs::rename(&old, place)?;
        return Err(error);
    }
    // The next command removes what stays.
    let _ = fs::remove_dir_all(old);
    Ok(())
}

/// Takes a plugin away, and its entry out of the record.
pub fn remove(
    home: &Home,
    _turn: &Turn,
    record: &mut Record,
    entry: &Entry,
) -> Result<(), Failure> {
    let place = home.place(&entry.name, entry.form);
    let removed = match entry.form {
        Form::File => fs::remove_file(&place),
        Form::Folder => {
            let away = staging(home)?;
            fs::rename(&place, away.path().join("removed"))
        }
    };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            let message = format!(
                "could not remove `{}`: {}; nothing was changed",
                place.display(),
                reason(&error)
            );
            return Err(Failure::new(Exit::Failed, "not_removed", message));
        }
        Ok(()) | Err(_) => {}
    }
    record.forget(&entry.name);
    record.write(home, None).map_err(|failure| {
        let path = home.record();
        let message = format!(
            "`{}` was removed, but not its entry in `{}`",
            place.display(),
            path.display()
        );
        Failure::new(Exit::Failed, "not_written", message)
            .caused_by(failure)
            .hint(format!("bot-cli plugin remove {}", entry.name))
    })
}

/// Copies what `read` brings into a new file, which is on the disk afterwards.
pub fn write(
    path: &Path,
    mode: Mode,
    copy: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = system::create(path, mode)?;
    copy(&mut file)?;
    file.sync_all()
}

/// Who may do what with a file.
#[derive(Debug, Clone, Copy)]
pub enum Mode {
    /// Everybody may read it.
    Data,
    /// Everybody may run it.
    Executable,
}

/// Lets everybody run a file, and only its owner change it.
pub fn make_executable(path: &Path) -> io::Result<()> {
    system::make_executable(path)
}

/// Writes the entries of a folder to the disk.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    system::sync_folder(folder)
}

impl Home {
    fn packs(&self) -> PathBuf {
        let pack = self.place("pack-x", Form::Folder);
        pack.parent().map(Path::to_owned).unwrap_or_default()
    }
}

/// What differs between systems.
mod system {
    use std::fs::{File, OpenOptions, Permissions};
    use std::io;
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
    use std::path::Path;

    use rustix::fs::{CWD, RenameFlags, renameat_with};

    use super::Mode;

    pub fn exchange(one: &Path, other: &Path) -> io::Result<()> {
        Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
    }

    pub fn create(path: &Path, mode: Mode) -> io::Result<File> {
        let mode = match mode {
            Mode::Data => 0o644,
            Mode::Executable => 0o755,
        };
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(mode)
            .open(path)?;
        // Whatever the umask is, the plugin can be run, and only its owner can change it.
        file.set_permissions(Permissions::from_mode(mode))?;
        Ok(file)
    }

    pub fn make_executable(path: &Path) -> io::Result<()> {
        std::fs::set_permissions(path, Permissions::from_mode(0o755))
    }

    pub fn sync_folder(folder: &Path) -> io::Result<()> {
        File::open(folder)?.sync_all()
    }
}
