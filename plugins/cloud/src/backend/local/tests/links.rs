//! Keys behind links, and keys that can't be put in their place.

use super::*;

/// A filled vault whose key is on another disk.
fn with_the_key_elsewhere(folder: &Path) -> Vault<'static> {
    let place = folder.join("vault");
    let vault = filled(&place);
    fs::create_dir(folder.join("usb")).unwrap();
    fs::rename(place.join("vault.key"), folder.join("usb/key")).unwrap();
    symlink("../usb/key", place.join("vault.key")).unwrap();
    vault
}

#[test]
fn new_key_takes_the_place_of_the_old_one_behind_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let vault = with_the_key_elsewhere(folder.path());
    let expected = view(&vault).unwrap();
    let target = folder.path().join("usb/key");
    let old = fs::read(&target).unwrap();
    assert_eq!(vault.rekey(), Ok(Storage::File));
    let link = folder.path().join("vault/vault.key");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_ne!(fs::read(&target).unwrap(), old);
    assert_eq!(files(&folder.path().join("usb")).len(), 1);
    assert_eq!(files(&folder.path().join("vault")).len(), 3);
    let mode = fs::metadata(&target).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
    assert_eq!(view(&vault).unwrap(), expected);
}

#[test]
fn key_of_an_interrupted_change_goes_behind_the_link() {
    let folder = tempfile::tempdir().unwrap();
    let vault = with_the_key_elsewhere(folder.path());
    let target = folder.path().join("usb/key");
    let old = fs::read(&target).unwrap();
    vault.rekey().unwrap();
    let next = folder.path().join("vault/vault.key.next");
    fs::copy(&target, &next).unwrap();
    for left in ["the same key", "the key alone"] {
        if left == "the key alone" {
            fs::rename(&target, &next).unwrap();
            fs::write(&target, &old).unwrap();
            fs::set_permissions(&target, fs::Permissions::from_mode(0o600)).unwrap();
        }
        put(&vault, "prod", &[entry("A", "1")], None).unwrap();
        assert!(!next.exists(), "{left}");
        assert_ne!(fs::read(&target).unwrap(), old, "{left}");
        view(&vault).unwrap();
    }
}

/// The vault is in place, but the key behind the link turned unusable meanwhile.
#[test]
fn change_in_place_is_never_said_to_have_failed() {
    use crate::backend::local::home::Missing;
    let folder = tempfile::tempdir().unwrap();
    let vault = filled(folder.path());
    let path = folder.path().join("vault.key");
    let sealed = fs::read(vault.home.vault()).unwrap();
    let work = |sets: &mut super::super::Sets| {
        sets.clear();
        fs::copy(&path, folder.path().join("vault.key.next")).unwrap();
        fs::write(folder.path().join("vault.key.next"), "garbage").unwrap();
        fs::write(&path, "garbage").unwrap();
        Ok(Some(()))
    };
    let error = vault.home.change(Missing::Leave, work).unwrap_err();
    assert_eq!(error.effect(), Effect::Done, "{error:?}");
    assert!(matches!(error, VaultError::Unsettled(..)), "{error:?}");
    assert_ne!(fs::read(vault.home.vault()).unwrap(), sealed);
}

#[test]
fn garbage_in_the_place_of_the_key_does_not_hide_the_next_one() {
    let folder = tempfile::tempdir().unwrap();
    let vault = filled(folder.path());
    let expected = view(&vault).unwrap();
    let (path, next) = (
        folder.path().join("vault.key"),
        folder.path().join("vault.key.next"),
    );
    fs::rename(&path, &next).unwrap();
    fs::write(&path, "garbage").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(view(&vault).unwrap(), expected);
    put(&vault, "prod", &[entry("A", "1")], None).unwrap();
    assert!(!next.exists());
    assert_eq!(view(&vault).unwrap(), expected);
}

#[test]
fn new_key_behind_a_link_that_fails_anywhere_is_complete_or_not_begun() {
    use crate::files::faults::{self, After};
    for step in 1.. {
        let mut reached = false;
        for rest in [After::Works, After::Fails] {
            let folder = tempfile::tempdir().unwrap();
            let vault = with_the_key_elsewhere(folder.path());
            let sealed = folder.path().join("vault/vault.age");
            let (expected, before) = (view(&vault).unwrap(), fs::read(&sealed).unwrap());
            let (result, failed) = faults::at(step, rest, || vault.rekey());
            reached |= failed;
            let is_done = result.as_ref().map_err(VaultError::effect) != Err(Effect::NotDone);
            assert_eq!(
                fs::read(&sealed).unwrap() != before,
                is_done,
                "{step}: {result:?}"
            );
            assert_eq!(view(&vault).unwrap(), expected, "{step}: {result:?}");
            vault.rekey().unwrap();
            assert_eq!(view(&vault).unwrap(), expected, "{step}: {result:?}");
            assert_eq!(
                files(&folder.path().join("usb")).len(),
                1,
                "{step}: {result:?}"
            );
            assert_eq!(
                files(&folder.path().join("vault")).len(),
                3,
                "{step}: {result:?}"
            );
        }
        if !reached {
            break;
        }
    }
}

#[test]
fn key_waits_until_the_disk_behind_the_link_is_back() {
    let folder = tempfile::tempdir().unwrap();
    let vault = with_the_key_elsewhere(folder.path());
    let expected = view(&vault).unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::rename(at("usb/key"), at("vault/vault.key.next")).unwrap();
    fs::rename(at("usb"), at("away")).unwrap();
    assert_eq!(view(&vault).unwrap(), expected);
    let put = || put(&vault, "prod", &[entry("A", "1")], None);
    let error = put().unwrap_err();
    assert!(matches!(error, VaultError::Unsettled(..)), "{error:?}");
    assert_eq!(vault.rekey().unwrap_err().effect(), Effect::NotDone);
    let link = fs::symlink_metadata(at("vault/vault.key")).unwrap();
    assert!(link.is_symlink());
    assert_eq!(view(&vault).unwrap(), expected);
    fs::rename(at("away"), at("usb")).unwrap();
    fs::write(at("usb/key"), "").unwrap();
    fs::set_permissions(at("usb/key"), fs::Permissions::from_mode(0o600)).unwrap();
    put().unwrap();
    assert!(!at("vault/vault.key.next").exists());
    assert_eq!(view(&vault).unwrap(), expected);
}
