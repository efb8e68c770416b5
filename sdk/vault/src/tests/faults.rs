use super::*;
use crate::files::faults::{self, After};

type Change = (&'static str, fn(&Vault) -> Result<(), ChangeError>);

const CHANGES: [Change; 6] = [
    ("put", |vault| {
        put(vault, "prod", &[entry("A", "9"), entry("Z", "9")])
    }),
    ("new set", |vault| put(vault, "new", &[entry("N", "9")])),
    ("unset", |vault| {
        unset(vault, "prod", &[key("A")], None).map(drop)
    }),
    ("delete", |vault| delete(vault, "prod", None).map(drop)),
    ("rekey", |vault| {
        Ok(vault.rekey(&Session::silent()).map(drop)?)
    }),
    ("pull", |vault| put_pull(vault, "quay", "quay.io")),
];

/// Makes each write, sync and rename fail in turn. The remaining steps succeed or, as after a crash, fail as well.
#[test]
fn change_that_fails_anywhere_is_undone_or_complete_and_says_which() {
    let mut faults = 0;
    for (what, change) in CHANGES {
        for start in ["empty", "filled"] {
            let origin = tempfile::tempdir().unwrap();
            match start {
                "filled" => drop(filled(origin.path())),
                _ if what == "rekey" => continue,
                _ => {}
            }
            let before = view(&local(origin.path())).unwrap();
            let done = tempfile::tempdir().unwrap();
            copy(origin.path(), done.path());
            change(&local(done.path())).unwrap();
            let after = view(&local(done.path())).unwrap();
            for step in 1.. {
                let mut reached = false;
                for rest in [After::Works, After::Fails] {
                    let folder = tempfile::tempdir().unwrap();
                    copy(origin.path(), folder.path());
                    let vault = local(folder.path());
                    let (result, failed) = faults::at(step, rest, || change(&vault));
                    reached |= failed;
                    faults += u32::from(failed);
                    let at = format!("{what}, {start}, step {step}, then {rest:?}: {result:?}");
                    let may_fail = failed && start_writes(what, start);
                    match rest {
                        // The key's file is written a second time where the first was in vain.
                        After::Works => assert!(may_fail || result.is_ok(), "{at}"),
                        After::Fails => assert_eq!(result.is_err(), may_fail, "{at}"),
                    }
                    let expected = match result.as_ref().map_err(|error| &error.effect) {
                        Ok(()) | Err(Effect::Done) => &after,
                        Err(Effect::NotDone | Effect::Unknown | Effect::Partly(_)) => &before,
                    };
                    assert_eq!(&view(&vault).unwrap(), expected, "{at}");
                    // Whoever comes next completes or repeats it, and leaves nothing behind.
                    change(&vault).unwrap();
                    assert_eq!(view(&vault).unwrap(), after, "{at}");
                    let left = files(folder.path()).len();
                    assert!(left <= 3, "{at}");
                }
                if !reached {
                    break;
                }
            }
        }
    }
    assert!(faults > 100, "{faults}");
}

/// Reports whether a change writes anything. Removing from an empty vault writes nothing.
fn start_writes(what: &str, start: &str) -> bool {
    start != "empty" || !matches!(what, "unset" | "delete")
}

#[test]
fn backup_and_restore_that_fail_anywhere_are_undone_or_complete() {
    let folder = tempfile::tempdir().unwrap();
    let (one, file) = (folder.path().join("one"), folder.path().join("backup"));
    let vault = filled(&one);
    vault
        .backup(&file, &passphrase(), Overwrite::Allow, silent())
        .unwrap();
    let whole = view(&vault).unwrap();
    for step in 1.. {
        let target = folder.path().join(format!("backup-{step}"));
        let backup = || vault.backup(&target, &passphrase(), Overwrite::Refuse, silent());
        let (saved, failed) = faults::at(step, After::Works, backup);
        if let Err(error) = saved {
            assert_eq!(target.exists(), error.effect() == Effect::Done, "{step}");
        }
        let other = local(&folder.path().join(format!("two-{step}")));
        put(&other, "old", &[entry("OLD", "0")]).unwrap();
        let before = view(&other).unwrap();
        let restore = || other.restore(Backup::read(&file, &passphrase()).unwrap(), silent());
        let (restored, also) = faults::at(step, After::Works, restore);
        let expected = match restored.as_ref().map_err(VaultError::effect) {
            Ok(_) | Err(Effect::Done) => &whole,
            Err(Effect::NotDone | Effect::Unknown | Effect::Partly(_)) => &before,
        };
        assert_eq!(&view(&other).unwrap(), expected, "{step}: {restored:?}");
        if !failed && !also {
            break;
        }
    }
}
