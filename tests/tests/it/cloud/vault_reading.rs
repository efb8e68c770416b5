//! Tests that reading the vault writes nothing, works without write access, and never reports an unreadable vault as empty.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::user::{User, pairs};

#[test]
fn vault_that_can_not_be_reached_is_not_called_empty() {
    let user = User::of_the_vault();
    user.done(&["secrets", "set", "prod", "A=1", "--skip"]);
    let folder = user.home().join(".local/share/bot-cli/vault");
    let away = user.root().join("disk");
    fs::rename(&folder, &away).unwrap();
    for what in ["unmounted disk", "loop", "file", "unreadable file"] {
        match what {
            "unmounted disk" => symlink(user.root().join("unmounted"), &folder).unwrap(),
            "loop" => symlink(&folder, &folder).unwrap(),
            "file" => fs::write(&folder, "").unwrap(),
            _ => {
                fs::create_dir(&folder).unwrap();
                fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
                symlink("vault.age", folder.join("vault.age")).unwrap();
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
            user.fails(arguments, 1, "vault_unusable");
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
    let mut child = user.start(&["secrets", "set", "prod", "A=2", "--skip"]);
    let mut line = String::new();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    stderr.read_line(&mut line).unwrap();
    let expected = "note: waiting for another process that is using the vault\n";
    assert_eq!(line, expected);
    assert_eq!(user.interrupt(child).status, Some(130));
    drop(lock);
    assert_eq!(user.values("prod"), pairs(&[("A", "1")]));
}
