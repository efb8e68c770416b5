//! The examples of `VAULT.md`, computed and compared with that page.

use std::collections::BTreeMap;

use bot_cli_sdk::secret::Secret;
use zeroize::Zeroizing;

use super::backup::tests::example as backup_example;
use super::contents::{CREDENTIALS, Sealed, Set};
use super::keys::{Derived, Key};
use super::sealed::{Book, Unverified};
use crate::domain::SetKind;

const PAGE: &str = include_str!("../../../VAULT.md");

/// The lines of the example of this name.
fn vector(name: &str) -> String {
    let (_, rest) = PAGE
        .split_once(&format!("<!-- vector: {name} -->\n```\n"))
        .unwrap();
    rest.split_once("```\n").unwrap().0.to_owned()
}

fn check(name: &str, computed: &str) {
    if std::env::var_os("UPDATE").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/VAULT.md");
        let page = std::fs::read_to_string(path).unwrap();
        let mark = format!("<!-- vector: {name} -->\n```\n");
        let (before, rest) = page.split_once(&mark).unwrap();
        let (_, after) = rest.split_once("```\n").unwrap();
        std::fs::write(path, format!("{before}{mark}{computed}```\n{after}")).unwrap();
        return;
    }
    assert_eq!(vector(name), computed, "{name}");
}

fn key() -> Key {
    let mut bytes = Zeroizing::new([0; 32]);
    for (index, byte) in (0_u8..).zip(bytes.iter_mut()) {
        *byte = index;
    }
    Key::new(bytes)
}

fn example() -> (Book, Derived) {
    let mut book = Book {
        id: "00112233445566778899aabbccddeeff".to_owned(),
        generation: 7,
        sets: BTreeMap::new(),
    };
    let keys = Derived::new(&key(), &book.id);
    let sealed = |name: &str, key: &str, value: &str| {
        let value = Secret::new(value.to_owned());
        let place = [&book.id, "local", name, key, "7"].join("\0");
        let bytes = keys.seal.close_with(&[0x40; 24], &place, &value).unwrap();
        BTreeMap::from([(key.to_owned(), Sealed { version: 7, bytes })])
    };
    let prod = Set {
        kind: SetKind::Secret,
        region: "us-west".to_owned(),
        host: None,
        values: sealed("prod", "KEY", "correct horse"),
    };
    let pull = Set {
        kind: SetKind::ImagePullSecret,
        region: "us-west".to_owned(),
        host: Some("ghcr.io".to_owned()),
        values: sealed("pull", CREDENTIALS, "dXNlcjp0b2tlbg=="),
    };
    for (name, set) in [("prod", prod), ("pull", pull)] {
        book.sets.insert(("local".to_owned(), name.to_owned()), set);
    }
    (book, keys)
}

#[test]
fn page_has_the_vault_that_this_version_writes_and_reads() {
    let (book, keys) = example();
    let bytes = book.encode(&keys).unwrap();
    check("vault", std::str::from_utf8(&bytes).unwrap());
    let read = Unverified::decode(&bytes).unwrap();
    assert!(read.is_authentic(&keys));
    assert_eq!(read.book, book);
    let value = &book.sets[&("local".to_owned(), "prod".to_owned())].values["KEY"];
    let opened = book.open(&keys, "local", "prod", "KEY", value).unwrap();
    assert_eq!(opened.expose(), "correct horse");
}

#[test]
fn page_has_the_derived_keys() {
    let (book, _) = example();
    let purposes = ["values", "file", "name"];
    let lines = purposes.map(|purpose| {
        let info = format!("bot-cli vault 2 {purpose}");
        let hex = super::keys::tests::derived_hex(&key(), &book.id, &info);
        let length = if purpose == "name" { 32 } else { 64 };
        format!("{purpose} {}\n", &hex[..length])
    });
    check("derived", &lines.concat());
}

#[test]
fn page_has_the_backup_that_this_version_writes_and_reads() {
    check("backup", &backup_example());
}
