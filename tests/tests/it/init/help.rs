use super::{assert_snapshot, done};

#[test]
fn help_is_as_recorded() {
    let folder = tempfile::tempdir().unwrap();
    assert_snapshot("help.txt", &done(folder.path(), &["--help"]));
    assert_snapshot("help_short.txt", &done(folder.path(), &["-h"]));
}

#[test]
fn version_is_that_of_the_plugin() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(done(folder.path(), &["--version"]), "bot-cli-init 0.1.0\n");
}
