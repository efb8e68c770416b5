//! Vaults as earlier versions wrote them, by the library that they used.

use std::fs;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bot_cli_sdk::secret::Secret;
use redb::backends::InMemoryBackend;
use redb::{Database, ReadableDatabase, ReadableTable, StorageBackend, TableDefinition};
use zeroize::Zeroizing;

use super::super::keys::Key;
use super::super::seal::Seal;
use super::database::tables;
use super::{CHECK, Legacy};

const ABOUT: TableDefinition<&str, &[u8]> = TableDefinition::new("about");
const SETS: TableDefinition<&str, &str> = TableDefinition::new("sets");
const VALUES: TableDefinition<&str, &[u8]> = TableDefinition::new("values");

/// Writes a vault of an earlier version, with its key, into a folder that is there.
pub fn write(folder: &Path, values: &[(&str, &str, &str, &str)]) {
    let key = Zeroizing::new([7; 32]);
    let line = format!("bot-cli-vault-key-1 {}\n", STANDARD.encode([7; 32]));
    let path = folder.join("vault.key");
    fs::write(&path, line).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    fs::set_permissions(&path, mode).unwrap();
    let seal = Seal::new(&key);
    let sealed = |place: &str, value: &str| {
        let value = Secret::new(value.to_owned());
        seal.close(place, &value).unwrap()
    };
    let database = Database::create(folder.join("vault.redb")).unwrap();
    let transaction = database.begin_write().unwrap();
    {
        let mut about = transaction.open_table(ABOUT).unwrap();
        about.insert("format", b"1".as_slice()).unwrap();
        about
            .insert(CHECK, sealed(CHECK, CHECK).as_slice())
            .unwrap();
        transaction.open_table(SETS).unwrap();
        transaction.open_table(VALUES).unwrap();
    }
    transaction.commit().unwrap();
    for (organization, name, key, value) in values {
        let transaction = database.begin_write().unwrap();
        {
            let mut sets = transaction.open_table(SETS).unwrap();
            let place = format!("{organization}\0{name}");
            let text = r#"{"kind":"secret","region":"eu-central"}"#;
            sets.insert(place.as_str(), text).unwrap();
            let mut values = transaction.open_table(VALUES).unwrap();
            let place = format!("{place}\0{key}");
            let value = sealed(&place, value);
            values.insert(place.as_str(), value.as_slice()).unwrap();
        }
        transaction.commit().unwrap();
    }
}

fn many(count: usize) -> Vec<(String, String)> {
    let key = |index| format!("KEY_{index:04}");
    let value = |index: usize| format!("value {index} {}", "x".repeat(index * 37 % 3000));
    (0..count).map(|index| (key(index), value(index))).collect()
}

fn written(values: &[(String, String)]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let rows = values.iter().enumerate();
    let rows: Vec<_> = rows
        .map(|(index, (key, value))| {
            let set = if index % 3 == 0 { "prod" } else { "test" };
            ("local", set, key.as_str(), value.as_str())
        })
        .collect();
    write(folder.path(), &rows);
    fs::read(folder.path().join("vault.redb")).unwrap()
}

/// Reads the entries with the library itself.
fn witness(bytes: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let memory = InMemoryBackend::new();
    memory.set_len(bytes.len() as u64).unwrap();
    memory.write(0, bytes).unwrap();
    let database = Database::builder().create_with_backend(memory).unwrap();
    let table = database.begin_read().unwrap().open_table(VALUES).unwrap();
    let rows = table.iter().unwrap().map(Result::unwrap);
    rows.map(|(key, value)| (key.value().as_bytes().to_vec(), value.value().to_vec()))
        .collect()
}

#[test]
fn reads_what_the_library_reads_from_trees_of_any_size() {
    for count in [0, 1, 2, 40, 400] {
        let bytes = written(&many(count));
        let found = tables(&bytes).unwrap();
        let found: Vec<_> = found[&b"values"[..]].clone().into_iter().collect();
        assert_eq!(found, witness(&bytes), "{count}");
        assert_eq!(found.len(), count);
    }
}

/// A copy of the file while a process has it open is what that process leaves behind when it is killed.
#[test]
fn reads_what_was_committed_after_an_unclean_end() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[("local", "prod", "A", "1")]);
    let path = folder.path().join("vault.redb");
    let clean = fs::read(&path).unwrap();
    let database = Database::open(&path).unwrap();
    let mut left = vec![fs::read(&path).unwrap()];
    for index in 0..30 {
        let transaction = database.begin_write().unwrap();
        {
            let mut values = transaction.open_table(VALUES).unwrap();
            let place = format!("local\0prod\0KEY_{index}");
            let value = vec![1; index * 100];
            values.insert(place.as_str(), value.as_slice()).unwrap();
            left.push(fs::read(&path).unwrap());
        }
        transaction.commit().unwrap();
        left.push(fs::read(&path).unwrap());
    }
    let mut seen = 0;
    for bytes in &left {
        assert_ne!(bytes[9] & 2, clean[9] & 2, "it must count as unclean");
        let rows = tables(bytes).unwrap()[&b"values"[..]].len();
        assert!(rows == seen || rows == seen + 1, "{rows} after {seen}");
        seen = rows;
    }
    assert_eq!(seen, 31);
}

#[test]
fn opens_with_its_key_and_no_other() {
    let legacy = Legacy::decode(&written(&many(3))).unwrap();
    assert!(legacy.fits(&Key::new(Zeroizing::new([7; 32]))));
    assert!(!legacy.fits(&Key::new(Zeroizing::new([8; 32]))));
    assert_eq!(legacy.sets.len(), 2);
}

#[test]
fn damaged_file_is_an_error_or_makes_no_difference() {
    let bytes = written(&many(12));
    let expected = Legacy::decode(&bytes).unwrap().sets;
    let mut errors = 0;
    let mut check = |damaged: &[u8], what: &str| match Legacy::decode(damaged) {
        Ok(found) => assert_eq!(found.sets, expected, "{what}"),
        Err(_) => errors += 1,
    };
    // Most of the file is empty; every byte of the rest is changed.
    let used = bytes.iter().enumerate().filter(|(_, byte)| **byte != 0);
    for (at, _) in used {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x40;
        check(&damaged, &format!("byte {at}"));
    }
    for at in (0..4096).chain((4096..bytes.len()).step_by(61)) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0xff;
        check(&damaged, &format!("byte {at}"));
    }
    for length in (0..bytes.len()).step_by(997) {
        check(&bytes[..length], &format!("length {length}"));
    }
    assert!(errors > 1000, "{errors}");
}
