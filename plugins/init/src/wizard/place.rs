//! Expands `~` in the target folder's path and checks that the folder is suitable for a project.

use std::path::{Path, PathBuf};

use bot_cli_terminal::shell;

use crate::equivalent::directory;
use crate::record::PROJECT;
use crate::target::Target;

/// The files that every scaffold creates and never replaces.
pub(super) const ALWAYS: [&str; 4] = [
    "README.md",
    "server/.env.example",
    "server/bot.py",
    "server/pyproject.toml",
];

pub(super) fn expanded(answer: &str, home: Option<&Path>) -> PathBuf {
    match (answer.strip_prefix('~'), home) {
        (Some(""), Some(home)) => home.to_owned(),
        (Some(below), Some(home)) if below.starts_with('/') => {
            home.join(below.trim_start_matches('/'))
        }
        _ => PathBuf::from(answer),
    }
}

/// Returns an explanation if the target already contains files that a scaffold never replaces.
pub(super) fn in_the_way(target: &Target) -> Option<String> {
    let shown = shell::quoted(&directory(&target.shown));
    if target.path.join(PROJECT).is_file() {
        return Some(format!(
            "a project is there already, which `bot-cli init {shown} --update` changes"
        ));
    }
    let is_there = |path: &&str| target.path.join(path).symlink_metadata().is_ok();
    let there = ALWAYS.into_iter().find(is_there)?;
    Some(format!("`{there}` is there already and never replaced"))
}

/// Returns an explanation if a folder is unsuitable for a project because it is the root folder or the home directory.
pub(crate) fn no_place(target: &Path, home: Option<&Path>) -> Option<&'static str> {
    if target.parent().is_none() {
        return Some("this is the root folder");
    }
    let home = home.and_then(|home| home.canonicalize().ok());
    (home.as_deref() == Some(target)).then_some("this is your home directory, not a folder in it")
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::expanded;

    #[test]
    fn a_tilde_is_the_home_directory() {
        for (answer, meant) in [
            ("my-bot", "my-bot"),
            ("~", "/home/ada"),
            ("~/", "/home/ada"),
            ("~//x", "/home/ada/x"),
            ("./~", "./~"),
            ("a~", "a~"),
        ] {
            let expanded = expanded(answer, Some(Path::new("/home/ada")));
            assert_eq!(expanded, PathBuf::from(meant));
        }
    }
}
