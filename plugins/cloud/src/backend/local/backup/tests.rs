use bot_cli_sdk::secret::Secret;

use super::{Closed, Copied, Cost, decode, encode_with};
use crate::domain::SetKind;

/// As little work as is allowed.
const CHEAP: Cost = Cost {
    memory: 8,
    passes: 1,
    lanes: 1,
};

fn secret(text: &str) -> Secret {
    Secret::new(text.to_owned())
}

/// The example of `VAULT.md`.
pub fn example() -> String {
    let passphrase = secret("correct horse battery");
    let bytes = encode_with(&sets(), &passphrase, CHEAP, [1; 16], [2; 24]).unwrap();
    assert_eq!(decode(&bytes, &passphrase), Ok(sets()));
    String::from_utf8(bytes).unwrap()
}

fn sets() -> Vec<Copied> {
    vec![
        Copied {
            organization: "local".to_owned(),
            name: "prod".to_owned(),
            kind: SetKind::Secret,
            region: "us-west".to_owned(),
            host: None,
            values: vec![("KEY".to_owned(), secret("correct horse"))],
        },
        Copied {
            organization: "local".to_owned(),
            name: "pull".to_owned(),
            kind: SetKind::ImagePullSecret,
            region: "us-west".to_owned(),
            host: Some("ghcr.io".to_owned()),
            values: vec![("image pull credentials".to_owned(), secret("dTp0"))],
        },
    ]
}

#[test]
fn opens_with_its_passphrase_only() {
    let bytes = encode_with(&sets(), &secret("staple"), CHEAP, [1; 16], [2; 24]).unwrap();
    assert_eq!(decode(&bytes, &secret("staple")), Ok(sets()));
    let wrong = decode(&bytes, &secret("stapler"));
    assert_eq!(wrong, Err(Closed::WrongPassphrase));
    assert!(!String::from_utf8(bytes).unwrap().contains("prod"));
}

#[test]
fn every_damage_is_found() {
    let bytes = encode_with(&sets(), &secret("staple"), CHEAP, [1; 16], [2; 24]).unwrap();
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        let found = decode(&damaged, &secret("staple"));
        assert!(matches!(found, Err(Closed::NotABackup(_))), "{at}");
        assert!(decode(&bytes[..at], &secret("staple")).is_err(), "{at}");
    }
}

#[test]
fn demands_no_more_memory_than_a_backup_of_ours() {
    for cost in [(1 << 21, 1, 1), (8, 65, 1), (1024, 1, 17)] {
        let (memory, passes, lanes) = cost;
        let header = format!(
            r#"{{"kdf":"argon2id","memory":{memory},"passes":{passes},"lanes":{lanes},"salt":"AAAAAAAAAAAAAAAAAAAAAA==","nonce":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}}"#
        );
        let text = format!("bot-cli vault backup 1\n{header}\nAAAA\n");
        let text = super::super::sealed::with_checksum(text);
        let found = decode(text.as_bytes(), &secret("staple"));
        assert!(matches!(found, Err(Closed::NotABackup(_))), "{found:?}");
    }
}

#[test]
fn good_backup_is_not_blamed_for_short_memory() {
    let found = super::closed(argon2::Error::OutOfMemory, CHEAP);
    assert_eq!(found, Closed::OutOfMemory(8));
}

#[test]
fn what_could_not_have_been_stored_is_not_restored() {
    let spoils: [fn(&mut Vec<Copied>); 13] = [
        |sets| sets[0].organization = "../x".to_owned(),
        |sets| sets[0].name = "a/b".to_owned(),
        |sets| sets[0].name = "\u{1b}[2J".to_owned(),
        |sets| sets[0].region = String::new(),
        |sets| sets[0].host = Some("ghcr.io".to_owned()),
        |sets| sets[0].values[0].0 = "..".to_owned(),
        |sets| sets[0].values[0].1 = secret("a\0b"),
        |sets| sets[0].values.push(("KEY".to_owned(), secret("b"))),
        |sets| sets[1].host = None,
        |sets| sets[1].host = Some("https://user@ghcr.io".to_owned()),
        |sets| sets[1].values.clear(),
        |sets| sets[1].values[0].0 = "KEY".to_owned(),
        |sets| sets[1].name = "prod".to_owned(),
    ];
    for (index, spoil) in spoils.into_iter().enumerate() {
        let mut spoiled = sets();
        spoil(&mut spoiled);
        let bytes = encode_with(&spoiled, &secret("staple"), CHEAP, [1; 16], [2; 24]).unwrap();
        let found = decode(&bytes, &secret("staple"));
        assert!(
            matches!(&found, Err(Closed::NotABackup(why)) if why.starts_with("set ")),
            "{index}: {found:?}"
        );
    }
}

#[test]
fn keys_that_other_clients_made_are_restored() {
    let mut sets = sets();
    sets[0].name = "a.b".to_owned();
    sets[0].values[0].0 = "ключ 1".to_owned();
    let bytes = encode_with(&sets, &secret("staple"), CHEAP, [1; 16], [2; 24]).unwrap();
    assert_eq!(decode(&bytes, &secret("staple")), Ok(sets));
}
