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

#[test]
fn examples_of_help_are_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let config = done(folder.path(), &super::web(&["my-bot", "--dry-run"]));
    std::fs::write(folder.path().join("bot.json"), config).unwrap();
    let help = done(folder.path(), &["--help"]).replace("\\\n", " ");
    let examples: Vec<Vec<&str>> = help
        .lines()
        .filter_map(|line| line.trim().strip_prefix("bot-cli init "))
        .filter(|line| !line.contains('['))
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert!(examples.len() >= 6, "{examples:?}");
    let made = tempfile::tempdir().unwrap();
    done(made.path(), &super::web(&["my-bot"]));
    for mut example in examples {
        // Nobody is there to be asked.
        if example.contains(&"--ask") {
            continue;
        }
        if example.contains(&"--update") {
            done(made.path(), &example);
            continue;
        }
        if !example.contains(&"--list-options")
            && !example.contains(&"--config-schema")
            && example != ["my-bot"]
            && !example.contains(&"--dry-run")
        {
            example.push("--dry-run");
        }
        done(folder.path(), &example);
    }
}
