use super::*;

#[test]
fn backup_is_written_to_regular_files_outside_of_the_vault_only() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let vault = filled(&at("vault"));
    fs::create_dir(at("folder")).unwrap();
    fs::rename(at("vault/vault.key"), at("key")).unwrap();
    symlink(at("key"), at("vault/vault.key")).unwrap();
    symlink("vault", at("link")).unwrap();
    symlink("vault/vault.age", at("sealed")).unwrap();
    let before = files(&at("vault"));
    for place in [
        "/dev/null",
        &at("folder").display().to_string(),
        &at("vault/new").display().to_string(),
        &at("vault/vault.age").display().to_string(),
        &at("link/vault.age").display().to_string(),
        &at("link/new").display().to_string(),
        &at("sealed").display().to_string(),
        &at("key").display().to_string(),
    ] {
        for overwrite in [Overwrite::Allow, Overwrite::Refuse] {
            let refused = vault.backup(Path::new(place), &passphrase(), overwrite, silent());
            let is_told = matches!(refused, Err(VaultError::NotAPlace(..)));
            assert!(is_told, "{place}: {refused:?}");
        }
    }
    assert_eq!(files(&at("vault")), before);
    assert!(fs::symlink_metadata(at("sealed")).unwrap().is_symlink());
}

#[test]
fn hint_to_restore_is_given_for_damage_only() {
    let folder = tempfile::tempdir().unwrap();
    let vault = filled(folder.path());
    let hints = |failure: Failure| (failure.message, failure.hints.join("; "));
    let path = folder.path().join("vault.key");
    let gone = folder.path().join("unmounted/key");
    fs::remove_file(&path).unwrap();
    symlink(&gone, &path).unwrap();
    let (message, hint) = hints(view(&vault).unwrap_err().into());
    let expected = format!("is a link to `{}`, which is not there", gone.display());
    assert!(message.contains(&expected), "{message}");
    assert!(!hint.contains("restore"), "{hint}");
    assert!(hint.contains("ls -l"), "{hint}");

    for file in [folder.path().join("nowhere"), "/dev/zero".into()] {
        let failed = Backup::read(&file, &passphrase()).unwrap_err();
        let (message, hint) = hints(failed.into());
        assert!(message.starts_with("could not read `"), "{message}");
        assert!(!hint.contains("restore"), "{hint}");
    }

    fs::remove_file(&path).unwrap();
    fs::write(&path, "garbage").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    let (message, hint) = hints(view(&vault).unwrap_err().into());
    assert!(message.ends_with("is not the key of a vault"), "{message}");
    assert!(hint.contains("restore"), "{hint}");
}
