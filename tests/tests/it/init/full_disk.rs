use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{run, tree, web};

/// A filesystem in memory, for the time of a test.
pub(crate) struct Mounted(PathBuf);

impl Mounted {
    /// Needs the right to mount; says so where it is missing.
    pub(crate) fn tmpfs(at: &Path, options: &str) -> Option<Self> {
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", options, "tmpfs"])
            .arg(at)
            .output();
        if mounted.is_ok_and(|output| output.status.success()) {
            return Some(Self(at.to_owned()));
        }
        eprintln!(
            "SKIPPED: no right to mount a filesystem, so full and read-only disks are not tested"
        );
        None
    }

    pub(crate) fn remount(at: &Path, options: &str) {
        let status = Command::new("mount")
            .args(["-o", &format!("remount,{options}")])
            .arg(at)
            .status()
            .unwrap();
        assert!(status.success());
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

#[test]
fn a_full_disk_leaves_the_target_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let disk = folder.path().join("disk");
    fs::create_dir(&disk).unwrap();
    let Some(_mounted) = Mounted::tmpfs(&disk, "size=512k") else {
        return;
    };
    fs::create_dir(disk.join("my-bot")).unwrap();
    fs::write(disk.join("my-bot/notes"), "mine").unwrap();
    // From no space at all up to enough for everything.
    let mut outcomes = Vec::new();
    for free_kib in [0, 4, 12, 24, 40, 60, 80, 400] {
        let filler = disk.join("filler");
        fs::write(&filler, vec![0_u8; (500 - free_kib) * 1024]).unwrap();
        for target in ["disk/my-bot", "disk/new-bot"] {
            let before = tree(&disk);
            let run = run(folder.path(), &web(&[target]));
            outcomes.push(run.status);
            match run.status {
                Some(1) => {
                    assert!(
                        run.stderr
                            .contains("no space left on device\nhint: nothing was changed\n"),
                        "{run:?}"
                    );
                    assert_eq!(tree(&disk), before, "{free_kib} KiB free, {target}");
                }
                Some(0) => {
                    assert!(folder.path().join(target).join("server/bot.py").is_file());
                    fs::remove_dir_all(folder.path().join(target)).unwrap();
                    fs::create_dir_all(disk.join("my-bot")).unwrap();
                    fs::write(disk.join("my-bot/notes"), "mine").unwrap();
                }
                _ => panic!("{run:?}"),
            }
        }
        fs::remove_file(&filler).unwrap();
    }
    assert!(
        outcomes.contains(&Some(1)) && outcomes.contains(&Some(0)),
        "{outcomes:?}"
    );
}
