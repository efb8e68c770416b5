//! Mounts filesystems that tests can fill or make read-only.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// An in-memory filesystem, unmounted when dropped. Mounting requires root privileges.
#[derive(Debug)]
pub struct Mounted(PathBuf);

impl Mounted {
    /// Creates the folder `at` and mounts a tmpfs there.
    pub fn tmpfs(at: &Path, options: &str) -> io::Result<Self> {
        fs::create_dir_all(at)?;
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(at);
        succeed(&mut mount)?;
        Ok(Self(at.to_owned()))
    }

    /// Remounts the filesystem with other options, such as `ro`.
    pub fn remount(&self, options: &str) -> io::Result<()> {
        let mut mount = Command::new("mount");
        mount
            .args(["-o", &format!("remount,{options}")])
            .arg(&self.0);
        succeed(&mut mount)
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

fn succeed(command: &mut Command) -> io::Result<()> {
    let output = command.output().map_err(|error| {
        io::Error::other(format!("`{}`: {error}", command.get_program().display()))
    })?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(io::Error::other(format!("{command:?}: {}", said.trim())))
}
