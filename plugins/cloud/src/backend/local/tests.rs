mod damage;
mod faults;
mod links;
mod places;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use bot_cli_sdk::secret::Secret;

use super::{Vault, VaultError, legacy, read_backup};
use crate::backend::Keys;
use crate::domain::{Entry, Key, Organization, Region, RegistryHost, SetKind, SetName};
use crate::files::Overwrite;
use crate::secret_file::{SecretFile, Storage};
use crate::watch::Nobody;

fn vault(folder: &Path, organization: &str) -> Vault<'static> {
    let organization = Organization::parse(organization).unwrap();
    Vault::new(folder, organization, Storage::File, &Nobody)
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

/// A folder with two sets and an image pull secret.
fn filled(folder: &Path) -> Vault<'static> {
    let vault = local(folder);
    vault
        .put(&name("prod"), &[entry("A", "1"), entry("B", "2")], None)
        .unwrap();
    let region = Region::parse("eu-central").unwrap();
    vault
        .put(&name("test"), &[entry("C", "3")], Some(&region))
        .unwrap();
    let host = RegistryHost::parse("ghcr.io").unwrap();
    let credentials = Secret::new("dXNlcjp0b2tlbg==".to_owned());
    vault
        .put_image_pull_secret(&name("pull"), &host, &credentials, None)
        .unwrap();
    vault
}

/// Everything that can be seen of a vault.
type View = Vec<(String, String, Option<Vec<Entry>>)>;

fn view(vault: &Vault<'_>) -> Result<View, VaultError> {
    let sets = vault.list(None)?.into_iter();
    sets.map(|set| {
        let values = vault.values(&name(&set.name))?;
        Ok((set.name, set.region.unwrap_or_default(), values))
    })
    .collect()
}

/// The files of a folder with their contents.
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
fn reading_makes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("vault");
    let vault = local(&place);
    assert_eq!(vault.list(None), Ok(Vec::new()));
    assert_eq!(vault.get(&name("prod")), Ok(None));
    assert_eq!(vault.values(&name("prod")), Ok(None));
    assert_eq!(vault.delete(&name("prod")), Ok(false));
    assert_eq!(vault.unset(&name("prod"), &[key("A")]), Ok(vec![key("A")]));
    assert_eq!(vault.organizations(), Ok(Vec::new()));
    assert_eq!(vault.verify(), Ok(None));
    assert!(!place.exists());
}

#[test]
fn reading_changes_no_file_and_needs_no_lock() {
    let folder = tempfile::tempdir().unwrap();
    let vault = filled(folder.path());
    fs::remove_file(folder.path().join("vault.lock")).unwrap();
    let before = files(folder.path());
    view(&vault).unwrap();
    vault.get(&name("prod")).unwrap();
    vault.organizations().unwrap();
    vault.verify().unwrap();
    assert_eq!(files(folder.path()), before);
}

#[test]
fn what_is_put_is_there_and_sealed() {
    let folder = tempfile::tempdir().unwrap();
    let vault = local(folder.path());
    let entries = [entry("A", "correct-horse-1"), entry("B", "2")];
    vault.put(&name("prod"), &entries, None).unwrap();
    vault
        .put(&name("prod"), &[entry("A", "correct-horse-2")], None)
        .unwrap();
    let found = vault.get(&name("prod")).unwrap().unwrap();
    let keys = Keys::Known(vec!["A".to_owned(), "B".to_owned()]);
    assert_eq!(found.keys, keys);
    assert_eq!(found.summary.region.as_deref(), Some("us-west"));
    let values = vault.values(&name("prod")).unwrap().unwrap();
    assert_eq!(values, [entry("A", "correct-horse-2"), entry("B", "2")]);
    for (file, bytes) in files(folder.path()) {
        let text = String::from_utf8(bytes).unwrap();
        assert!(!text.contains("correct-horse"), "{file}");
    }
}

#[test]
fn sets_whose_names_begin_alike_are_strangers() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (vault(folder.path(), "one"), vault(folder.path(), "two"));
    one.put(&name("prod"), &[entry("A", "1")], None).unwrap();
    one.put(&name("prod-2"), &[entry("B", "2")], None).unwrap();
    other.put(&name("prod"), &[entry("C", "3")], None).unwrap();
    assert_eq!(one.delete(&name("prod")), Ok(true));
    let left = one.list(None).unwrap().into_iter().map(|set| set.name);
    assert_eq!(left.collect::<Vec<_>>(), ["prod-2"]);
    let values = one.values(&name("prod-2")).unwrap().unwrap();
    assert_eq!(values, [entry("B", "2")]);
    let values = other.values(&name("prod")).unwrap().unwrap();
    assert_eq!(values, [entry("C", "3")]);
    assert_eq!(other.unset(&name("prod"), &[key("C")]), Ok(Vec::new()));
    assert_eq!(other.unset(&name("prod"), &[key("C")]), Ok(vec![key("C")]));
    assert_eq!(one.organizations().unwrap(), ["one", "two"]);
}

#[test]
fn image_pull_secrets_are_replaced_and_have_no_keys() {
    let folder = tempfile::tempdir().unwrap();
    let vault = local(folder.path());
    let region = Region::parse("us-east").unwrap();
    for host in ["ghcr.io", "https://registry.example/v1/"] {
        let host = RegistryHost::parse(host).unwrap();
        let credentials = Secret::new("dXNlcjp0b2tlbg==".to_owned());
        vault
            .put_image_pull_secret(&name("pull"), &host, &credentials, Some(&region))
            .unwrap();
    }
    let found = vault.get(&name("pull")).unwrap().unwrap();
    let kind = (found.summary.kind, found.keys);
    assert_eq!(kind, (SetKind::ImagePullSecret, Keys::None));
    assert_eq!(found.summary.region.as_deref(), Some("us-east"));
    assert_eq!(vault.values(&name("pull")).unwrap(), None);
    let west = Region::parse("us-west").unwrap();
    assert_eq!(vault.list(Some(&west)), Ok(Vec::new()));
    let refused = vault.put(&name("pull"), &[entry("A", "1")], None);
    let words = "`pull` is an image pull secret".to_owned();
    assert_eq!(refused, Err(VaultError::Refused(words)));
}

#[test]
fn missing_or_foreign_key_is_no_new_vault() {
    let folder = tempfile::tempdir().unwrap();
    let vault = filled(folder.path());
    let before = files(folder.path());
    let path = folder.path().join("vault.key");
    fs::remove_file(&path).unwrap();
    let missing = vault.values(&name("prod")).unwrap_err();
    assert!(matches!(missing, VaultError::NoKey { .. }), "{missing:?}");
    // Names need no key, but then nothing vouches for them.
    assert_eq!(vault.list(None).unwrap().len(), 3);
    super::key::create(&SecretFile::new(path, &Nobody), Storage::File).unwrap();
    for failed in [
        vault
            .put(&name("prod"), &[entry("A", "1")], None)
            .unwrap_err(),
        vault.list(None).unwrap_err(),
        vault.delete(&name("prod")).unwrap_err(),
    ] {
        assert!(matches!(failed, VaultError::WrongKey { .. }), "{failed:?}");
    }
    let after = files(folder.path());
    assert_eq!(before.last(), after.last());
}

#[test]
fn deleted_and_overwritten_values_are_in_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let vault = filled(folder.path());
    let sealed = |key: &str| {
        let text = fs::read_to_string(folder.path().join("vault.sealed")).unwrap();
        let at = text.find(&format!(r#"{{"key":"{key}""#)).unwrap();
        let record = text[at..].split('}').next().unwrap().to_owned();
        record.rsplit_once(r#""sealed":""#).unwrap().1.to_owned()
    };
    let (overwritten, removed, deleted) = (sealed("A"), sealed("B"), sealed("C"));
    vault.put(&name("prod"), &[entry("A", "9")], None).unwrap();
    vault.unset(&name("prod"), &[key("B")]).unwrap();
    vault.delete(&name("test")).unwrap();
    for (file, bytes) in files(folder.path()) {
        let text = String::from_utf8(bytes).unwrap();
        for old in [&overwritten, &removed, &deleted] {
            assert!(!text.contains(old.as_str()), "{file}");
        }
    }
}

#[test]
fn what_killed_processes_left_goes_with_the_next_change() {
    let folder = tempfile::tempdir().unwrap();
    let vault = filled(folder.path());
    for name in [".bot-cli-left", ".vault-left"] {
        fs::write(folder.path().join(name), "").unwrap();
    }
    // Nobody else writes while the vault is locked, so a wrong clock saves no file.
    let soon = std::time::SystemTime::now() + std::time::Duration::from_secs(30);
    let ahead = fs::File::create(folder.path().join(".bot-cli-ahead")).unwrap();
    ahead.set_modified(soon).unwrap();
    vault.put(&name("prod"), &[entry("A", "9")], None).unwrap();
    let left: Vec<_> = files(folder.path())
        .into_iter()
        .map(|file| file.0)
        .collect();
    assert_eq!(left, ["vault.key", "vault.lock", "vault.sealed"]);
}

#[test]
fn vault_of_an_earlier_version_is_read_as_it_is_and_converted_at_the_first_change() {
    let folder = tempfile::tempdir().unwrap();
    let rows = [
        ("local", "prod", "A", "1"),
        ("local", "prod", "B", "2"),
        ("acme", "prod", "C", "3"),
    ];
    legacy::tests::write(folder.path(), &rows);
    let before = files(folder.path());
    let vault = local(folder.path());
    let set = |values: &[Entry]| {
        vec![(
            "prod".to_owned(),
            "eu-central".to_owned(),
            Some(values.to_vec()),
        )]
    };
    let expected = set(&[entry("A", "1"), entry("B", "2")]);
    assert_eq!(view(&vault).unwrap(), expected);
    assert_eq!(vault.verify().unwrap().unwrap().format, 1);
    assert_eq!(vault.delete(&name("none")), Ok(false));
    let redb =
        |files: &[(String, Vec<u8>)]| files.iter().find(|file| file.0 == "vault.redb").cloned();
    assert_eq!(redb(&files(folder.path())), redb(&before));
    vault.put(&name("prod"), &[entry("B", "9")], None).unwrap();
    assert_eq!(redb(&files(folder.path())), None);
    assert_eq!(
        view(&vault).unwrap(),
        set(&[entry("A", "1"), entry("B", "9")])
    );
    let verified = vault.verify().unwrap().unwrap();
    assert_eq!(
        (verified.format, verified.values, verified.problems),
        (2, 3, vec![])
    );
}

#[test]
fn converted_vault_wins_over_one_that_a_crash_left() {
    let folder = tempfile::tempdir().unwrap();
    legacy::tests::write(folder.path(), &[("local", "prod", "A", "1")]);
    let redb = folder.path().join("vault.redb");
    let bytes = fs::read(&redb).unwrap();
    let vault = local(folder.path());
    vault.put(&name("prod"), &[entry("A", "2")], None).unwrap();
    fs::write(&redb, bytes).unwrap();
    assert_eq!(
        vault.values(&name("prod")).unwrap().unwrap(),
        [entry("A", "2")]
    );
    assert_eq!(
        vault.verify().unwrap().unwrap().leftovers,
        std::slice::from_ref(&redb)
    );
    vault.put(&name("prod"), &[entry("B", "3")], None).unwrap();
    assert!(!redb.exists());
}

#[test]
fn new_key_opens_everything_and_the_old_one_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let vault = filled(folder.path());
    let expected = view(&vault).unwrap();
    let path = folder.path().join("vault.key");
    let old = fs::read(&path).unwrap();
    assert_eq!(vault.rekey(), Ok(Storage::File));
    assert_eq!(view(&vault).unwrap(), expected);
    assert_eq!(vault.verify().unwrap().unwrap().problems, []);
    let new = fs::read(&path).unwrap();
    fs::write(&path, old).unwrap();
    let failed = view(&vault).unwrap_err();
    assert!(matches!(failed, VaultError::WrongKey { .. }), "{failed:?}");
    fs::write(&path, new).unwrap();
    let left: Vec<_> = files(folder.path())
        .into_iter()
        .map(|file| file.0)
        .collect();
    assert_eq!(left, ["vault.key", "vault.lock", "vault.sealed"]);
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
            let put = |_| vault.put(&name("prod"), &[entry("A", "1")], None).is_ok();
            (0..40).all(put)
        });
        let mut reads = 0;
        while !writer.is_finished() || !other.is_finished() {
            assert_eq!(view(&vault).unwrap(), expected, "{reads}");
            reads += 1;
        }
        assert!(writer.join().unwrap() && other.join().unwrap());
    });
    assert_eq!(vault.verify().unwrap().unwrap().leftovers.len(), 0);
}

#[test]
fn backup_is_restored_whole_into_another_vault() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (folder.path().join("one"), folder.path().join("two"));
    let file = folder.path().join("backup");
    let vault = filled(&one);
    let size = vault
        .backup(&file, &passphrase(), Overwrite::Refuse)
        .unwrap();
    assert_eq!((size.sets, size.values), (3, 4));
    let again = vault.backup(&file, &passphrase(), Overwrite::Refuse);
    assert!(matches!(again, Err(VaultError::Exists { .. })), "{again:?}");
    let mode = fs::metadata(&file).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
    let other = local(&two);
    other.put(&name("old"), &[entry("OLD", "0")], None).unwrap();
    let wrong = read_backup(&file, &Secret::new("wrong".to_owned()));
    assert!(
        matches!(wrong, Err(VaultError::WrongPassphrase { .. })),
        "{wrong:?}"
    );
    assert_eq!(other.list(None).unwrap().len(), 1);
    assert_eq!(
        other.restore(&read_backup(&file, &passphrase()).unwrap()),
        Ok(size)
    );
    assert_eq!(view(&other).unwrap(), view(&vault).unwrap());
    assert_eq!(other.verify().unwrap().unwrap().problems, []);
}
