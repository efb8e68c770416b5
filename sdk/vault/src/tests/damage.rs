use super::*;

#[test]
fn vault_that_others_can_write_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let vault = filled(folder.path());
    for (path, open, closed) in [
        (folder.path().to_owned(), 0o777, 0o700),
        (folder.path().join("vault.age"), 0o622, 0o600),
    ] {
        let mode = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        mode(open);
        let refused = Failure::from(list(&vault).unwrap_err());
        assert_eq!(refused.code, "vault_too_open", "{refused}");
        mode(closed);
        assert!(list(&vault).is_ok());
    }
}

#[test]
fn every_changed_byte_and_every_shorter_file_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let origin = filled(folder.path());
    let path = home(&origin).vault();
    let bytes = fs::read(&path).unwrap();
    let mut spoiled: Vec<Vec<u8>> = (0..bytes.len()).map(|at| bytes[..at].to_vec()).collect();
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        spoiled.push(damaged);
    }
    spoiled.push([&bytes[..], b"\n"].concat());
    for (number, damaged) in spoiled.iter().enumerate() {
        fs::write(&path, damaged).unwrap();
        let vault = local(folder.path());
        for found in [
            list(&vault).map(drop),
            values(&vault, "prod").map(drop),
            vault.verify(silent()).map(drop).map_err(Error::from),
            put(&vault, "prod", &[entry("A", "9")]).map_err(|error| error.cause),
        ] {
            let failure = Failure::from(found.expect_err(&number.to_string()));
            // A changed recipient can't be told from that of another key.
            let is_told = ["vault_damaged", "vault_wrong_key"].contains(&failure.code.as_str());
            assert!(is_told, "{number}: {failure}");
        }
        assert_eq!(&fs::read(&path).unwrap(), damaged, "{number}");
    }
    fs::write(&path, &bytes).unwrap();
    assert_eq!(view(&origin).unwrap().len(), 3);
}

#[test]
fn vault_or_backup_of_a_later_version_is_said_to_be_one() {
    use crate::{key, seal};
    let folder = tempfile::tempdir().unwrap();
    let vault = filled(folder.path());
    let later = br#"{"version":2}"#;
    let key = key::read(&home(&vault).key_file()).unwrap().remove(0);
    let path = home(&vault).vault();
    fs::write(
        &path,
        seal::with_key(0, &|out| out.write_all(later), &key).unwrap(),
    )
    .unwrap();
    let failed = put(&vault, "prod", &[entry("A", "1")]);
    assert_eq!(failed, Err(Error::from(VaultError::Later(path)).not_done()));
    let path = folder.path().join("backup");
    fs::write(
        &path,
        seal::with_passphrase(0, &|out| out.write_all(later), &passphrase()).unwrap(),
    )
    .unwrap();
    let failed = Backup::read(&path, &passphrase()).map(drop);
    assert_eq!(failed, Err(VaultError::Later(path)));
}

/// Covers files that are not valid backups, including one whose work factor exceeds the limit.
#[test]
fn backup_that_is_none_or_asks_too_much_is_refused() {
    use crate::seal;
    let folder = tempfile::tempdir().unwrap();
    let vault = filled(folder.path());
    let path = folder.path().join("backup");
    let sealed = seal::with_passphrase(0, &|out| out.write_all(b"[]"), &passphrase()).unwrap();
    let dear = String::from_utf8_lossy(&sealed)
        .into_owned()
        .replacen(" 4\n", " 21\n", 1);
    for (bytes, reason) in [
        (sealed, "its content is not a vault's"),
        (
            dear.into_bytes(),
            "its passphrase costs more than this version accepts",
        ),
        (
            fs::read(home(&vault).vault()).unwrap(),
            "it is not sealed with a passphrase",
        ),
        (
            b"a note\nof mine\n".to_vec(),
            "it is no file of age, or its beginning was changed",
        ),
    ] {
        fs::write(&path, bytes).unwrap();
        let failed = Backup::read(&path, &passphrase()).map(drop);
        let (path, reason) = (path.clone(), reason.to_owned());
        assert_eq!(failed, Err(VaultError::NotABackup(path, reason)));
    }
}
