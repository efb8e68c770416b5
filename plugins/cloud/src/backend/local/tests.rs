use std::path::Path;

use bot_cli_sdk::secret::Secret;

use super::{Vault, VaultError};
use crate::backend::{BackendError, Keys, Prior, SecretsBackend};
use crate::domain::{Entry, Key, Organization, Region, RegistryHost, SetKind, SetName};
use crate::secret_file::{Place, SecretFile};
use crate::watch::Nobody;

fn vault(folder: &Path, organization: &str) -> Vault<'static> {
    let organization = Organization::parse(organization).unwrap();
    Vault::new(folder, organization, Place::File, &Nobody)
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

#[test]
fn reading_makes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("vault");
    let vault = vault(&place, "local");
    assert_eq!(vault.list(None), Ok(Vec::new()));
    assert_eq!(vault.get(&name("prod")), Ok(None));
    assert_eq!(vault.delete(&name("prod")), Ok(false));
    assert!(!place.exists());
}

#[test]
fn what_is_put_is_there_and_sealed() {
    let folder = tempfile::tempdir().unwrap();
    let vault = vault(folder.path(), "local");
    vault
        .put(
            &name("prod"),
            &[entry("A", "correct-horse-1"), entry("B", "2")],
            Prior::Keys(&[]),
        )
        .unwrap();
    vault
        .put(
            &name("prod"),
            &[entry("A", "correct-horse-2")],
            Prior::Keys(&[]),
        )
        .unwrap();
    let found = vault.get(&name("prod")).unwrap().unwrap();
    assert_eq!(
        found.keys,
        Keys::Known(vec!["A".to_owned(), "B".to_owned()])
    );
    assert_eq!(found.summary.region, "us-west");
    let values = vault.values(&name("prod")).unwrap().unwrap();
    assert_eq!(values, [entry("A", "correct-horse-2"), entry("B", "2")]);
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        assert!(!bytes.windows(13).any(|window| window == b"correct-horse"));
    }
}

#[test]
fn sets_whose_names_begin_alike_are_strangers() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (vault(folder.path(), "one"), vault(folder.path(), "two"));
    one.put(&name("prod"), &[entry("A", "1")], Prior::Keys(&[]))
        .unwrap();
    one.put(&name("prod-2"), &[entry("B", "2")], Prior::Keys(&[]))
        .unwrap();
    other
        .put(&name("prod"), &[entry("C", "3")], Prior::Keys(&[]))
        .unwrap();
    assert_eq!(one.delete(&name("prod")), Ok(true));
    let left: Vec<String> = one
        .list(None)
        .unwrap()
        .into_iter()
        .map(|set| set.name)
        .collect();
    assert_eq!(left, ["prod-2"]);
    assert_eq!(
        one.values(&name("prod-2")).unwrap().unwrap(),
        [entry("B", "2")]
    );
    assert_eq!(
        other.values(&name("prod")).unwrap().unwrap(),
        [entry("C", "3")]
    );
    assert_eq!(
        other.unset(&name("prod"), &[Key::parse("C").unwrap()]),
        Ok(Vec::new())
    );
    assert_eq!(
        other.unset(&name("prod"), &[Key::parse("C").unwrap()]),
        Ok(vec![Key::parse("C").unwrap()])
    );
    assert_eq!(one.organizations().unwrap(), ["one", "two"]);
}

#[test]
fn image_pull_secrets_are_replaced_and_have_no_keys() {
    let folder = tempfile::tempdir().unwrap();
    let vault = vault(folder.path(), "local");
    let region = Region::parse("us-east").unwrap();
    for host in ["ghcr.io", "https://registry.example/v1/"] {
        let host = RegistryHost::parse(host).unwrap();
        let credentials = Secret::new("dXNlcjp0b2tlbg==".to_owned());
        vault
            .put_image_pull_secret(&name("pull"), &host, &credentials, Prior::Absent(&region))
            .unwrap();
    }
    let found = vault.get(&name("pull")).unwrap().unwrap();
    assert_eq!(
        (found.summary.kind, found.keys),
        (SetKind::ImagePullSecret, Keys::None)
    );
    assert_eq!(found.summary.region, "us-east");
    assert_eq!(vault.values(&name("pull")).unwrap(), None);
    assert_eq!(
        vault.list(Some(&Region::parse("us-west").unwrap())),
        Ok(Vec::new())
    );
}

#[test]
fn a_missing_or_foreign_key_is_no_new_vault() {
    let folder = tempfile::tempdir().unwrap();
    let vault = vault(folder.path(), "local");
    vault
        .put(&name("prod"), &[entry("A", "1")], Prior::Keys(&[]))
        .unwrap();
    let key = folder.path().join("vault.key");
    std::fs::remove_file(&key).unwrap();
    let missing = vault.values(&name("prod")).unwrap_err();
    assert!(matches!(missing, VaultError::NoKey { .. }), "{missing:?}");
    // Names need no key.
    assert_eq!(vault.list(None).unwrap().len(), 1);
    super::key::create(&SecretFile::new(key, &Nobody), Place::File).unwrap();
    let foreign = vault
        .put(&name("prod"), &[entry("A", "1")], Prior::Keys(&[]))
        .unwrap_err();
    assert!(
        matches!(
            foreign.cause,
            BackendError::Vault(VaultError::WrongKey { .. })
        ),
        "{foreign:?}"
    );
}

#[test]
fn a_damaged_store_is_told_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let vault = vault(folder.path(), "local");
    vault
        .put(&name("prod"), &[entry("A", "1")], Prior::Keys(&[]))
        .unwrap();
    let store = folder.path().join("vault.redb");
    std::fs::write(&store, b"not a store").unwrap();
    let damaged = vault.list(None).unwrap_err();
    assert!(
        matches!(damaged, BackendError::Vault(VaultError::Damaged { .. })),
        "{damaged:?}"
    );
    assert_eq!(std::fs::read(&store).unwrap(), b"not a store");
}
