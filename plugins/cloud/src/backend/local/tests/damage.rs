//! Vaults that are damaged, edited or out of reach.

use super::*;

#[test]
fn what_can_not_be_reached_is_not_called_empty() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("vault");
    let nowhere = folder.path().join("nowhere");
    let check = |what: &str| {
        let vault = local(&place);
        let put = vault.put(&name("prod"), &[entry("A", "1")], None);
        for failed in [
            vault.list(None).map(drop),
            vault.delete(&name("a")).map(drop),
            put,
        ] {
            let failed = failed.unwrap_err();
            let is_told = matches!(
                failed,
                VaultError::Unreachable { .. } | VaultError::File { .. }
            );
            assert!(is_told, "{what}: {failed:?}");
        }
    };
    symlink(&nowhere, &place).unwrap();
    check("the folder is a link to nowhere");
    fs::remove_file(&place).unwrap();
    symlink(&place, &place).unwrap();
    check("the folder is a link to itself");
    fs::remove_file(&place).unwrap();
    fs::write(&place, "").unwrap();
    check("the folder is a file");
    fs::remove_file(&place).unwrap();
    fs::create_dir(&place).unwrap();
    for file in ["vault.sealed", "vault.redb"] {
        symlink(&nowhere, place.join(file)).unwrap();
        check(file);
        fs::remove_file(place.join(file)).unwrap();
        fs::create_dir(place.join(file)).unwrap();
        check(file);
        fs::remove_dir(place.join(file)).unwrap();
    }
}

#[test]
fn vault_that_others_can_write_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let vault = filled(folder.path());
    for (path, open, closed) in [
        (folder.path().to_owned(), 0o777, 0o700),
        (folder.path().join("vault.sealed"), 0o622, 0o600),
    ] {
        let mode = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        mode(open);
        let refused = vault.list(None).unwrap_err();
        assert!(
            matches!(refused, VaultError::Writable { .. }),
            "{refused:?}"
        );
        mode(closed);
        assert!(vault.list(None).is_ok());
    }
}

#[test]
fn every_changed_byte_and_every_shorter_file_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let vault = filled(folder.path());
    let path = folder.path().join("vault.sealed");
    let bytes = fs::read(&path).unwrap();
    let expected = view(&vault).unwrap();
    let mut checked = 0;
    let mut check = |damaged: &[u8], what: String| {
        fs::write(&path, damaged).unwrap();
        // With the key at hand, and without.
        for key in ["vault.key", "hidden"] {
            let other = if key == "hidden" {
                "vault.key"
            } else {
                "hidden"
            };
            let _ = fs::rename(folder.path().join(other), folder.path().join(key));
            for found in [
                vault.list(None).map(drop),
                vault.get(&name("prod")).map(drop),
                vault.values(&name("prod")).map(drop),
                vault.verify().map(drop),
                vault.put(&name("prod"), &[entry("A", "9")], None),
            ] {
                let error = found.expect_err(&what);
                let is_told = matches!(
                    error,
                    VaultError::Damaged { .. } | VaultError::Format { .. }
                );
                assert!(is_told, "{what}: {error:?}");
                checked += 1;
            }
        }
        assert_eq!(fs::read(&path).unwrap(), damaged, "{what}");
    };
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        check(&damaged, format!("byte {at}"));
        check(&bytes[..at], format!("length {at}"));
    }
    check(&[&bytes[..], b"\n"].concat(), "longer".to_owned());
    assert!(checked > 10 * bytes.len());
    let _ = fs::rename(
        folder.path().join("hidden"),
        folder.path().join("vault.key"),
    );
    fs::write(&path, &bytes).unwrap();
    assert_eq!(view(&vault).unwrap(), expected);
}

#[test]
fn vault_of_a_later_version_is_said_to_be_one() {
    let folder = tempfile::tempdir().unwrap();
    let vault = filled(folder.path());
    let path = folder.path().join("vault.sealed");
    let text = fs::read_to_string(&path).unwrap();
    let body = text[..text.find("sum ").unwrap()].replace("vault 2\n", "vault 3\n");
    fs::write(&path, crate::backend::local::sealed::with_checksum(body)).unwrap();
    for failed in [
        vault.list(None).map(drop).unwrap_err(),
        vault
            .put(&name("prod"), &[entry("A", "1")], None)
            .unwrap_err(),
    ] {
        assert_eq!(failed, VaultError::Format { path: path.clone() });
    }
}

/// Edits with a text editor by somebody who knows the format, and mends the checksum too, but has no key.
#[test]
fn edited_or_replayed_record_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let vault = filled(folder.path());
    let path = folder.path().join("vault.sealed");
    let before = fs::read_to_string(&path).unwrap();
    vault.put(&name("prod"), &[entry("A", "9")], None).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let value_of_a = |text: &str| {
        let at = text.find(r#"{"key":"A""#).unwrap();
        text[at..].split_inclusive('}').next().unwrap().to_owned()
    };
    let old_record = text.replace(&value_of_a(&text), &value_of_a(&before));
    for (what, edited) in [
        ("region", text.replace("eu-central", "us-central")),
        ("registry", text.replace("ghcr.io", "evil.io")),
        ("name", text.replace(r#""test""#, r#""tess""#)),
        ("key", text.replace(r#""key":"B""#, r#""key":"X""#)),
        (
            "organization",
            text.replace(r#""organization":"local""#, r#""organization":"other""#),
        ),
        ("kind", text.replace("image_pull_secret", "secret")),
        ("old value", old_record),
        (
            "generation",
            text.replace(r#""generation":4"#, r#""generation":9"#),
        ),
    ] {
        assert_ne!(edited, text, "{what}");
        let body = edited[..edited.find("sum ").unwrap()].to_owned();
        fs::write(&path, crate::backend::local::sealed::with_checksum(body)).unwrap();
        for found in [
            vault.list(None).map(drop),
            vault.values(&name("prod")).map(drop),
            vault.delete(&name("prod")).map(drop),
            vault.organizations().map(drop),
        ] {
            let error = found.unwrap_err();
            assert!(
                matches!(error, VaultError::Damaged { .. }),
                "{what}: {error:?}"
            );
        }
        let verified = vault.verify().unwrap().unwrap();
        assert!(!verified.problems.is_empty(), "{what}");
    }
    fs::write(&path, &text).unwrap();
    assert_eq!(vault.verify().unwrap().unwrap().problems, []);
}
