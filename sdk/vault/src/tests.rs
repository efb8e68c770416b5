mod damage;
mod faults;
mod links;
mod places;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::session::Session;
use bot_cli_secrets::messages::{
    DeleteParams, Prior, PutImagePullSecretParams, PutParams, SetInfo, UnsetParams,
};
use bot_cli_secrets::{
    ChangeError, Code, Effect, Entry, Error, Key, Organization, Region, SetName, Store as _,
};

use super::{Backup, Vault, VaultError};
use crate::files::Overwrite;
use crate::home::Home;
use crate::secret_file::Storage;

fn local(folder: &Path) -> Vault {
    let organization = Organization::parse("local").unwrap();
    Vault::new(folder, organization, Storage::File)
}

fn silent() -> &'static Session {
    Box::leak(Box::new(Session::silent()))
}

fn home(vault: &Vault) -> Home<'_> {
    vault.home(silent())
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

fn list(vault: &Vault) -> Result<Vec<SetInfo>, Error> {
    vault.list(None, &Session::silent())
}

fn get(vault: &Vault, set: &str) -> Result<Option<SetInfo>, Error> {
    vault.get(&name(set), &Session::silent())
}

fn values(vault: &Vault, set: &str) -> Result<Option<BTreeMap<String, Secret>>, Error> {
    vault.values(&name(set), &Session::silent())
}

fn put(vault: &Vault, set: &str, entries: &[Entry]) -> Result<(), ChangeError> {
    let put = PutParams {
        name: name(set),
        region: None,
        entries: entries.to_vec(),
        prior: prior(vault, set).map_err(Error::not_done)?,
    };
    vault.put(&put, &Session::silent())
}

fn put_pull(vault: &Vault, set: &str, host: &str) -> Result<(), ChangeError> {
    let put = PutImagePullSecretParams {
        name: name(set),
        region: None,
        host: host.to_owned(),
        credentials: Secret::new("dXNlcjp0b2tlbg==".to_owned()),
        prior: prior(vault, set).map_err(Error::not_done)?,
    };
    vault.put_image_pull_secret(&put, &Session::silent())
}

fn prior(vault: &Vault, set: &str) -> Result<Prior, Error> {
    let found = get(vault, set)?;
    Ok(found.map_or(Prior::Absent, |found| {
        Prior::Keys(found.keys.unwrap_or_default())
    }))
}

fn unset(
    vault: &Vault,
    set: &str,
    keys: &[Key],
    prior: Option<Prior>,
) -> Result<Vec<Key>, ChangeError> {
    let unset = UnsetParams {
        name: name(set),
        keys: keys.to_vec(),
        prior,
    };
    vault.unset(&unset, &Session::silent())
}

fn delete(vault: &Vault, set: &str, prior: Option<Prior>) -> Result<bool, ChangeError> {
    let name = name(set);
    vault.delete(&DeleteParams { name, prior }, &Session::silent())
}

fn filled(folder: &Path) -> Vault {
    let vault = local(folder);
    put(&vault, "prod", &[entry("A", "1"), entry("B", "2")]).unwrap();
    let test = PutParams {
        name: name("test"),
        region: Some(Region::parse("eu-central").unwrap()),
        entries: vec![entry("C", "3")],
        prior: Prior::Absent,
    };
    vault.put(&test, &Session::silent()).unwrap();
    put_pull(&vault, "pull", "ghcr.io").unwrap();
    vault
}

/// The name, the region and the values of every set.
type View = Vec<(String, String, Option<BTreeMap<String, Secret>>)>;

/// Reads the vault through a new handle, as another process would.
fn view(vault: &Vault) -> Result<View, Error> {
    let vault = &local(&vault.folder);
    let sets = list(vault)?.into_iter();
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
    assert_eq!(list(&vault), Ok(Vec::new()));
    assert_eq!(get(&vault, "prod"), Ok(None));
    assert_eq!(values(&vault, "prod"), Ok(None));
    assert_eq!(delete(&vault, "prod", None), Ok(false));
    assert_eq!(unset(&vault, "prod", &[key("A")], None), Ok(vec![key("A")]));
    let session = &Session::silent();
    assert_eq!(vault.organizations(session), Ok(Vec::new()));
    assert_eq!(vault.verify(session), Ok(None));
    assert!(!place.exists());

    let vault = filled(&place);
    fs::remove_file(place.join("vault.lock")).unwrap();
    let before = files(&place);
    view(&vault).unwrap();
    get(&vault, "prod").unwrap();
    vault.organizations(session).unwrap();
    vault.verify(session).unwrap();
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
            (0..40).all(|_| vault.rekey(&Session::silent()).is_ok())
        });
        let other = scope.spawn(|| {
            let vault = local(folder.path());
            let put = |_| put(&vault, "prod", &[entry("A", "1")]).is_ok();
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

/// Simulates another process that adds a key between the plan and the change.
#[test]
fn change_of_a_key_that_is_another_by_now_is_a_conflict_and_not_done() {
    let folder = tempfile::tempdir().unwrap();
    let vault = filled(folder.path());
    let prior = prior(&vault, "prod").unwrap();
    put(&local(folder.path()), "prod", &[entry("Q", "q")]).unwrap();
    let before = view(&vault).unwrap();
    let ours = |key: &str| PutParams {
        name: name("prod"),
        region: None,
        entries: vec![entry(key, "ours")],
        prior: prior.clone(),
    };
    for changed in [
        vault.put(&ours("Q"), silent()),
        unset(&vault, "prod", &[key("Q")], Some(prior.clone())).map(drop),
        delete(&vault, "prod", Some(prior.clone())).map(drop),
    ] {
        let error = changed.unwrap_err();
        assert_eq!(
            (error.effect, error.cause.code),
            (Effect::NotDone, Code::Conflict)
        );
        assert_eq!(view(&vault).unwrap(), before);
    }
    // The plan for `A` is still valid.
    vault.put(&ours("A"), silent()).unwrap();
}

/// A change of a byte far behind shows whether the file was decrypted.
#[test]
fn vault_is_decrypted_again_only_after_a_write() {
    let folder = tempfile::tempdir().unwrap();
    let vault = filled(folder.path());
    put(&vault, "long", &[entry("L", &"l".repeat(1000))]).unwrap();
    let path = home(&vault).vault();
    let other = local(folder.path());
    let listed = list(&other).unwrap();
    let mut bytes = fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, &bytes).unwrap();
    assert!(list(&local(folder.path())).is_err());
    assert_eq!(list(&other), Ok(listed.clone()));
    // The writer has what it wrote, too, and replaces the whole file.
    put(&vault, "more", &[entry("M", "m")]).unwrap();
    assert_eq!(list(&other).unwrap().len(), listed.len() + 1);
    assert_eq!(view(&vault).unwrap().len(), listed.len() + 1);
}

#[test]
fn set_that_could_not_have_been_stored_is_named_where_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let vault = filled(folder.path());
    let home = home(&vault);
    let key = crate::key::read(&home.key_file()).unwrap().remove(0);
    let document = br#"{"version":1,"sets":[
        {"organization":"local","name":"odd","region":"us-west","contents":{"secret":{"A":1}}},
        {"organization":"local","name":"good","region":"us-west","contents":{"secret":{"A":"1"}}}
    ]}"#;
    let sealed = crate::seal::with_key(0, &|out| out.write_all(document), &key);
    fs::write(home.vault(), sealed.unwrap()).unwrap();
    assert_eq!(list(&vault).unwrap().len(), 2);
    put(&vault, "good", &[entry("B", "2")]).unwrap();
    for found in [
        get(&vault, "odd").map(drop),
        put(&vault, "odd", &[entry("B", "2")]).map_err(|error| error.cause),
        vault.verify(silent()).map(drop).map_err(Error::from),
    ] {
        let message = found.unwrap_err().message;
        assert!(message.contains("the set `odd` of `local`: "), "{message}");
    }
    delete(&vault, "good", None).unwrap();
    assert_eq!(list(&vault).unwrap().len(), 1);
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
    let sealed = fs::read(home(&vault).vault()).unwrap();
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
