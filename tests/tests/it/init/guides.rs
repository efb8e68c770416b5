use std::fs;

use bot_cli_tests::init::sha256;

use super::{assert_snapshot, done, run, shown, tree, web};

const NAMES: [&str; 3] = ["AGENTS.md", "ASSISTANT.md", "GETTING_STARTED.md"];

/// Returns a guide as an older version would have written it.
pub(super) fn older(body: &str) -> String {
    let hash = sha256(body.as_bytes());
    format!("{body}<!-- bot-cli guide 0.0.1 sha256:{hash} -->\n")
}

#[test]
fn without_a_terminal_a_target_alone_gets_the_guides() {
    let folder = tempfile::tempdir().unwrap();
    assert_snapshot("guides_made.txt", &shown(folder.path(), &["my-bot"]));
    let made = tree(&folder.path().join("my-bot"));
    assert_eq!(made.keys().collect::<Vec<_>>(), NAMES);
    assert!(made["ASSISTANT.md"].starts_with(b"@AGENTS.md\n"));
    assert_snapshot("guides_again.txt", &shown(folder.path(), &["my-bot"]));
    assert_eq!(tree(&folder.path().join("my-bot")), made);
}

#[test]
fn existing_guides_are_kept_until_told_otherwise() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("my-bot");
    done(folder.path(), &["my-bot"]);
    let fresh = tree(&target);
    let edited = format!(
        "{}mine\n",
        fs::read_to_string(target.join("GETTING_STARTED.md")).unwrap()
    );
    fs::write(target.join("AGENTS.md"), older("old words\n")).unwrap();
    fs::write(target.join("ASSISTANT.md"), "my own words\n").unwrap();
    fs::write(target.join("GETTING_STARTED.md"), edited).unwrap();
    let before = tree(&target);

    assert_snapshot("guides_kept.txt", &shown(folder.path(), &["my-bot"]));
    assert_eq!(tree(&target), before);

    // Scaffolding keeps them too.
    let kept = run(folder.path(), &web(&["my-bot"]));
    assert_eq!(kept.status, Some(0), "{kept:?}");
    assert_eq!(tree(&target)["AGENTS.md"], before["AGENTS.md"]);
    assert_eq!(tree(&target)["ASSISTANT.md"], before["ASSISTANT.md"]);

    done(folder.path(), &["my-bot", "--overwrite-guide"]);
    for name in NAMES {
        assert_eq!(tree(&target)[name], fresh[name], "{name}");
    }
}

#[test]
fn a_scaffold_keeps_the_other_guide_up_to_date_and_never_makes_it() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("my-bot");
    done(folder.path(), &["my-bot"]);
    let fresh = tree(&target);
    fs::write(target.join("GETTING_STARTED.md"), older("old words\n")).unwrap();
    let kept = run(folder.path(), &web(&["my-bot"]));
    assert_eq!(kept.status, Some(0), "{kept:?}");
    assert!(
        kept.stderr.contains("kept: `GETTING_STARTED.md` (written by version 0.0.1); to refresh, add `--overwrite-guide` to the command"),
        "{kept:?}"
    );
    done(folder.path(), &web(&["my-bot", "--overwrite-guide"]));
    assert_eq!(
        tree(&target)["GETTING_STARTED.md"],
        fresh["GETTING_STARTED.md"]
    );
    done(folder.path(), &web(&["other", "--overwrite-guide"]));
    assert!(!folder.path().join("other/GETTING_STARTED.md").exists());
}

#[test]
fn a_guide_that_is_a_link_is_kept_and_never_written_through() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("my-bot");
    fs::create_dir(&target).unwrap();
    fs::write(folder.path().join("theirs"), "theirs").unwrap();
    std::os::unix::fs::symlink("../theirs", target.join("AGENTS.md")).unwrap();
    let kept = run(folder.path(), &["my-bot"]);
    assert_eq!(
        kept.stderr,
        "next: cd my-bot\nnext: cat GETTING_STARTED.md\n      # then start your coding agent in this folder\n"
    );
    let overwrite = run(folder.path(), &["my-bot", "--overwrite-guide"]);
    assert_eq!(overwrite.status, Some(1));
    assert_eq!(
        overwrite.stderr,
        "error: these files are in the way in `my-bot`\n  AGENTS.md: is a symbolic link\nhint: nothing was changed; move them away, or choose another directory\n"
    );
    assert_eq!(
        fs::read_to_string(folder.path().join("theirs")).unwrap(),
        "theirs"
    );
}
