//! Reading the vault: it writes nothing, works where nothing can be written, and never calls unreadable empty.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::{Command, Stdio};

use super::super::init::full_disk::Mounted;
use super::user::{User, pairs};

#[test]
fn everything_but_a_change_works_on_a_read_only_disk() {
    let mut user = User::of_the_vault();
    let disk = user.root().join("disk");
    fs::create_dir(&disk).unwrap();
    let Some(_mounted) = Mounted::tmpfs(&disk, "size=8m") else {
        return;
    };
    user.set("XDG_DATA_HOME", &disk.display().to_string());
    user.done(&["secrets", "set", "prod", "A=1", "--skip"]);
    Mounted::remount(&disk, "ro");
    let listed = user.done(&["secrets", "list"]);
    assert_eq!(listed["sets"][0]["name"], "prod", "{listed}");
    let one = user.done(&["secrets", "list", "prod"]);
    assert_eq!(one["keys"][0], "A", "{one}");
    assert_eq!(user.values("prod"), pairs(&[("A", "1")]));
    assert_eq!(user.done(&["vault", "verify"])["values"], 1);
    user.done(&["config", "show"]);
    user.write("passphrase", "correct horse battery");
    let backup = ["vault", "backup", "copy", "--passphrase-file", "passphrase"];
    user.done(&backup);
    for change in [
        &["secrets", "set", "prod", "B=2", "--skip"][..],
        &["secrets", "delete", "prod", "--skip"],
        &["vault", "rekey"],
    ] {
        let run = user.run(change);
        assert_eq!(run.status, Some(1), "{run:?}");
        assert!(run.stderr.contains("read-only file system"), "{run:?}");
        assert!(run.stderr.contains("hint: nothing has changed"), "{run:?}");
    }
}

#[test]
fn vault_that_can_not_be_reached_is_not_called_empty() {
    let user = User::of_the_vault();
    user.done(&["secrets", "set", "prod", "A=1", "--skip"]);
    let folder = user.home().join(".local/share/bot-cli/vault");
    let away = user.root().join("disk");
    fs::rename(&folder, &away).unwrap();
    for what in ["unmounted disk", "file", "unreadable file"] {
        match what {
            "unmounted disk" => symlink(user.root().join("unmounted"), &folder).unwrap(),
            "file" => fs::write(&folder, "").unwrap(),
            _ => {
                fs::create_dir(&folder).unwrap();
                fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
                symlink("vault.sealed", folder.join("vault.sealed")).unwrap();
            }
        }
        for arguments in [
            &["secrets", "list"][..],
            &["secrets", "list", "prod"],
            &["secrets", "run", "prod", "--", "true"],
            &["secrets", "delete", "prod", "--skip"],
            &["secrets", "set", "prod", "B=2", "--skip"],
            &["organizations", "list"],
            &["vault", "verify"],
        ] {
            let (status, document) = user.json(arguments);
            assert_eq!(status, Some(1), "{what}: {arguments:?}: {document}");
            assert_eq!(document["error"]["code"], "vault_unreachable", "{document}");
        }
        if folder.is_dir() {
            fs::remove_dir_all(&folder).unwrap();
        } else {
            fs::remove_file(&folder).unwrap();
        }
    }
    symlink(&away, &folder).unwrap();
    assert_eq!(user.values("prod"), pairs(&[("A", "1")]));
    user.done(&["secrets", "set", "prod", "B=2", "--skip"]);
    assert_eq!(user.values("prod"), pairs(&[("A", "1"), ("B", "2")]));
}

#[test]
fn who_waits_for_another_process_is_told_and_can_give_up() {
    let user = User::of_the_vault();
    user.done(&["secrets", "set", "prod", "A=1", "--skip"]);
    let folder = user.home().join(".local/share/bot-cli/vault");
    let lock = fs::File::open(folder.join("vault.lock")).unwrap();
    lock.lock().unwrap();
    // Readers don't wait.
    assert_eq!(user.values("prod"), pairs(&[("A", "1")]));
    let mut child = user
        .command(&["secrets", "set", "prod", "A=2", "--skip"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    stderr.read_line(&mut line).unwrap();
    let expected = "note: waiting for another process that is using the vault\n";
    assert_eq!(line, expected);
    let process = child.id().to_string();
    let interrupted = Command::new("kill").args(["-INT", &process]).status();
    assert!(interrupted.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    drop(lock);
    assert_eq!(user.values("prod"), pairs(&[("A", "1")]));
}

/// Against the system calls themselves, where they can be watched.
#[test]
fn a_listing_makes_no_system_call_that_writes_or_syncs() {
    let user = User::of_the_vault();
    user.done(&["secrets", "set", "prod", "A=1", "--skip"]);
    let plain = user.command(&["secrets", "list"]);
    let calls = "trace=fsync,fdatasync,sync,syncfs,sync_file_range,msync,flock,openat,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,ftruncate,pwrite64,link,linkat,fallocate";
    let mut watched = Command::new("strace");
    watched
        .args(["-f", "-o", "trace", "-e", calls])
        .arg(plain.get_program())
        .args(plain.get_args())
        .current_dir(user.work())
        .env_clear()
        .envs(user.variables());
    if !watched.output().is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED: there is no usable strace, so system calls are not watched");
        return;
    }
    let trace = fs::read_to_string(user.work().join("trace")).unwrap();
    assert!(trace.contains("vault.sealed"), "{trace}");
    let writes = trace.lines().filter(|line| {
        let is_open = line.contains(" openat(");
        let is_read =
            line.contains("O_RDONLY") || line.contains("/dev/") || line.contains("ENOENT");
        let is_end = line.contains("+++") || line.contains("---") || line.contains("resumed>");
        !(is_end || is_open && is_read)
    });
    assert_eq!(writes.collect::<Vec<_>>(), Vec::<&str>::new());
}
