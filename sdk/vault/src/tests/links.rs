use super::*;
use crate::files::faults::{self, After};
use crate::key;

/// Creates a filled vault whose key file is a link to a file in another folder.
fn with_the_key_elsewhere(folder: &Path) -> Vault {
    let place = folder.join("vault");
    let vault = filled(&place);
    fs::create_dir(folder.join("usb")).unwrap();
    fs::rename(place.join("vault.key"), folder.join("usb/key")).unwrap();
    symlink("../usb/key", place.join("vault.key")).unwrap();
    vault
}

#[test]
fn new_key_behind_a_link_that_fails_anywhere_is_complete_or_not_begun() {
    for step in 1.. {
        let mut reached = false;
        for rest in [After::Works, After::Fails] {
            let folder = tempfile::tempdir().unwrap();
            let vault = with_the_key_elsewhere(folder.path());
            let at = |name: &str| folder.path().join(name);
            let sealed = at("vault/vault.age");
            let (expected, before) = (view(&vault).unwrap(), fs::read(&sealed).unwrap());
            let key = fs::read(at("usb/key")).unwrap();
            let (result, failed) = faults::at(step, rest, || vault.rekey(&Session::silent()));
            let case = format!("{step}: {result:?}");
            reached |= failed;
            let is_done = result.as_ref().map_err(VaultError::effect) != Err(Effect::NotDone);
            assert_eq!(fs::read(&sealed).unwrap() != before, is_done, "{case}");
            assert_eq!(view(&vault).unwrap(), expected, "{case}");
            vault.rekey(&Session::silent()).unwrap();
            assert_eq!(view(&vault).unwrap(), expected, "{case}");
            assert_ne!(fs::read(at("usb/key")).unwrap(), key, "{case}");
            let link = fs::symlink_metadata(at("vault/vault.key")).unwrap();
            assert!(link.is_symlink(), "{case}");
            assert_eq!(files(&at("usb")).len(), 1, "{case}");
            assert_eq!(files(&at("vault")).len(), 3, "{case}");
            let mode = fs::metadata(at("usb/key")).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, 0o600);
        }
        if !reached {
            break;
        }
    }
}

/// Simulates an interrupted `rekey`: the file contains both keys, and the vault is encrypted with either of them.
#[test]
fn vault_opens_with_either_of_two_keys_and_the_next_change_leaves_one() {
    let folder = tempfile::tempdir().unwrap();
    let vault = filled(folder.path());
    let expected = view(&vault).unwrap();
    let file = home(&vault).key_file();
    let key = key::read(&file).unwrap().remove(0);
    let other = key::generate(&file).unwrap();
    for keys in [[&key, &other], [&other, &key]] {
        key::write(&file, &keys, Storage::File).unwrap();
        assert_eq!(view(&vault).unwrap(), expected);
        put(&local(folder.path()), "prod", &[entry("A", "1")]).unwrap();
        assert_eq!(key::read(&file).unwrap().len(), 1);
        assert_eq!(view(&vault).unwrap(), expected);
    }
}
