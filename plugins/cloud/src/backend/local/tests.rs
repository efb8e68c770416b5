mod damage;
mod faults;
mod links;
mod places;

use std::error::Error;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use bot_cli_protocol::secret::Secret;

use super::{Backup, Vault, VaultError};
use crate::backend::Effect;
use crate::backend::{
    BackendError, ChangeError, Details, Keys, Prior, ReadsValues, SecretsBackend, Summary,
};
use crate::domain::{Entry, Key, Organization, Region, RegistryHost, SetName};
use crate::files::Overwrite;
use crate::secret_file::Storage;
use bot_cli_sdk::session::Session;

fn vault(folder: &Path, organization: &str) -> Vault<'static> {
    let organization = Organization::parse(organization).unwrap();
    let session = Box::leak(Box::new(Session::silent()));
    Vault::new(folder, organization, Storage::File, session)
}

fn local(folder: &Path) -> Vault<'static> {
    vault(folder, "local")
}

fn entry(key: &str, value: &str) -> Entry {
    Entry {
        key: Key::parse(key).unwrap(),
        value: Secret::new(value.to_owned()),
    }
}

fn name(text: &str) -> SetName {
    SetName::parse(text).unwrap()
}

fn key(text: &str) -> Key {
    Key::parse(text).unwrap()
}

fn passphrase() -> Secret {
    Secret::new("correct horse battery".to_owned())
}

fn own(error: BackendError) -> VaultError {
    match error {
        BackendError::Cancelled => VaultError::Cancelled,
        BackendError::Own(own) => {
            let error: &(dyn Error + 'static) = &*own;
            error.downcast_ref::<VaultError>().unwrap().clone()
        }
    }
}

fn changed(error: ChangeError) -> VaultError {
    own(error.cause)
}

fn list(vault: &Vault<'_>, region: Option<&Region>) -> Result<Vec<Summary>, VaultError> {
    SecretsBackend::list(vault, region).map_err(own)
}

fn get(vault: &Vault<'_>, set: &str) -> Result<Option<Details>, VaultError> {
    SecretsBackend::get(vault, &name(set)).map_err(own)
}

fn values(vault: &Vault<'_>, set: &str) -> Result<Option<Vec<Entry>>, VaultError> {
    ReadsValues::values(vault, &name(set)).map_err(own)
}

fn put(
    vault: &Vault<'_>,
    set: &str,
    entries: &[Entry],
    region: Option<&Region>,
) -> Result<(), VaultError> {
    let known = known(vault, set)?;
    let prior = known.as_deref().map_or(Prior::Absent(region), Prior::Keys);
    let put = SecretsBackend::put(vault, &name(set), entries, prior);
    put.map(drop).map_err(changed)
}

fn put_pull(vault: &Vault<'_>, set: &str, host: &str) -> Result<(), VaultError> {
    let prior = match get(vault, set)? {
        Some(_) => Prior::Keys(&[]),
        None => Prior::Absent(None),
    };
    let host = RegistryHost::parse(host).unwrap();
    let credentials = Secret::new("dXNlcjp0b2tlbg==".to_owned());
    let put = vault.put_image_pull_secret(&name(set), &host, &credentials, prior);
    put.map(drop).map_err(changed)
}

fn known(vault: &Vault<'_>, set: &str) -> Result<Option<Vec<String>>, VaultError> {
    Ok(get(vault, set)?.map(|found| match found.keys {
        Keys::Known(keys) => keys,
        Keys::Referenced | Keys::None => Vec::new(),
    }))
}

fn unset(vault: &Vault<'_>, set: &str, keys: &[Key]) -> Result<Vec<Key>, VaultError> {
    SecretsBackend::unset(vault, &name(set), keys, None).map_err(changed)
}

fn delete(vault: &Vault<'_>, set: &str) -> Result<bool, VaultError> {
    SecretsBackend::delete(vault, &name(set), None).map_err(changed)
}

fn filled(folder: &Path) -> Vault<'static> {
    let vault = local(folder);
    put(&vault, "prod", &[entry("A", "1"), entry("B", "2")], None).unwrap();
    let region = Region::parse("eu-central").unwrap();
    put(&vault, "test", &[entry("C", "3")], Some(&region)).unwrap();
    put_pull(&vault, "pull", "ghcr.io").unwrap();
    vault
}

/// The name, the region and the values of every set.
type View = Vec<(String, String, Option<Vec<Entry>>)>;

/// Reads the vault through a new handle, as another process would.
fn view(vault: &Vault<'_>) -> Result<View, VaultError> {
    let vault = &local(&vault.home.folder);
    let sets = list(vault, None)?.into_iter();
    sets.map(|set| {
        let values = values(vault, &set.name)?;
        Ok((set.name, set.region.unwrap_or_default(), values))
    })
    .collect()
}

fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            (name, fs::read(entry.path()).unwrap())
        })
        .collect();
    files.sort();
    files
}

fn copy(from: &Path, to: &Path) {
    for (name, bytes) in files(from) {
        fs::write(to.join(&name), bytes).unwrap();
        let mode = fs::Permissions::from_mode(0o600);
        fs::set_permissions(to.join(name), mode).unwrap();
    }
}

#[test]
fn reading_makes_nothing_changes_no_file_and_needs_no_lock() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("vault");
    let vault = local(&place);
    assert_eq!(list(&vault, None), Ok(Vec::new()));
    assert_eq!(get(&vault, "prod"), Ok(None));
    assert_eq!(values(&vault, "prod"), Ok(None));
    assert_eq!(delete(&vault, "prod"), Ok(false));
    assert_eq!(unset(&vault, "prod", &[key("A")]), Ok(vec![key("A")]));
    assert_eq!(vault.organizations(), Ok(Vec::new()));
    assert_eq!(vault.verify(), Ok(None));
    assert!(!place.exists());

    let vault = filled(&place);
    fs::remove_file(place.join("vault.lock")).unwrap();
    let before = files(&place);
    view(&vault).unwrap();
    get(&vault, "prod").unwrap();
    vault.organizations().unwrap();
    vault.verify().unwrap();
    assert_eq!(files(&place), before);
}

#[test]
fn readers_and_writers_never_see_half_a_new_key() {
    let folder = tempfile::tempdir().unwrap();
    let vault = filled(folder.path());
    let expected = view(&vault).unwrap();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let vault = local(folder.path());
            (0..40).all(|_| vault.rekey().is_ok())
        });
        let other = scope.spawn(|| {
            let vault = local(folder.path());
            let put = |_| put(&vault, "prod", &[entry("A", "1")], None).is_ok();
            (0..40).all(put)
        });
        let mut reads = 0;
        while !writer.is_finished() || !other.is_finished() {
            assert_eq!(view(&vault).unwrap(), expected, "{reads}");
            reads += 1;
        }
        assert!(writer.join().unwrap() && other.join().unwrap());
    });
}

/// Simulates another process that changes the set between the plan and the change.
#[test]
fn change_of_a_set_that_is_another_by_now_is_a_conflict_and_not_done() {
    let folder = tempfile::tempdir().unwrap();
    let other = filled(folder.path());
    let vault = local(folder.path());
    let keys = |keys: &[&str]| -> Vec<String> { keys.iter().map(ToString::to_string).collect() };
    let (seen, of_test) = (keys(&["A", "B"]), keys(&["C"]));
    // The other process adds keys, deletes a set, and creates one.
    put(&other, "prod", &[entry("Q", "q")], None).unwrap();
    delete(&other, "test").unwrap();
    put(&other, "new", &[entry("A", "theirs")], None).unwrap();
    let before = view(&other).unwrap();
    let (ours, q) = ([entry("A", "ours")], [entry("Q", "ours")]);
    let host = RegistryHost::parse("ghcr.io").unwrap();
    let secret = Secret::new(String::new());
    let (prod, test, new, pull) = (name("prod"), name("test"), name("new"), name("pull"));
    for (what, changed) in [
        ("key made", vault.put(&prod, &q, Prior::Keys(&seen))),
        ("set gone", vault.put(&test, &ours, Prior::Keys(&of_test))),
        ("set made", vault.put(&new, &ours, Prior::Absent(None))),
        ("other kind", vault.put(&pull, &ours, Prior::Keys(&[]))),
        (
            "credentials",
            vault.put_image_pull_secret(&new, &host, &secret, Prior::Keys(&[])),
        ),
        (
            "key made, to go",
            vault.unset(&prod, &[key("Q")], Some(&seen)).map(drop),
        ),
        (
            "deletion",
            SecretsBackend::delete(&vault, &prod, Some(&seen)).map(drop),
        ),
    ] {
        let error = changed.unwrap_err();
        assert_eq!(error.effect, crate::backend::Effect::NotDone, "{what}");
        let error = own(error.cause);
        assert!(
            matches!(error, VaultError::Conflict(_)),
            "{what}: {error:?}"
        );
        assert_eq!(view(&vault).unwrap(), before, "{what}");
    }
    // The plan for `A` is still valid.
    vault.put(&prod, &ours, Prior::Keys(&seen)).unwrap();
    let after = [entry("A", "ours"), entry("B", "2"), entry("Q", "q")];
    assert_eq!(values(&vault, "prod"), Ok(Some(after.into())));
}

#[test]
fn vault_from_before_the_first_release_is_named_and_not_touched() {
    for file in ["vault.sealed", "vault.redb"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(file);
        fs::write(&path, "old").unwrap();
        let vault = local(folder.path());
        for failed in [
            list(&vault, None).map(drop),
            put(&vault, "prod", &[entry("A", "1")], None),
        ] {
            assert_eq!(failed, Err(VaultError::Earlier(path.clone())));
        }
        assert_eq!(files(folder.path()), [(file.to_owned(), b"old".to_vec())]);
    }
}

/// Uses the age crate directly to check the format described in `VAULT.md`.
#[test]
fn vault_is_a_file_of_age_and_its_key_an_identity() {
    use age::secrecy::ExposeSecret;
    let folder = tempfile::tempdir().unwrap();
    let vault = filled(folder.path());
    let key = fs::read_to_string(folder.path().join("vault.key")).unwrap();
    let identity: age::x25519::Identity = key.parse().unwrap();
    assert_eq!(identity.to_string().expose_secret(), key);
    let sealed = fs::read(vault.home.vault()).unwrap();
    // Anyone with the recipient could forge a vault.
    let recipient = identity.to_public().to_string();
    for (file, bytes) in files(folder.path()) {
        assert!(
            !String::from_utf8_lossy(&bytes).contains(&recipient),
            "{file}"
        );
    }
    let document = age::decrypt(&identity, &sealed).unwrap();
    let document: serde_json::Value = serde_json::from_slice(&document).unwrap();
    assert_eq!(document["sets"][0]["contents"]["secret"]["A"], "1");
}
