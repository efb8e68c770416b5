//! The folder that the user names: what `~` means in it, and whether it is a place for a project.

use std::path::{Path, PathBuf};

use bot_cli_terminal::shell;

use super::{Selection, Way};
use crate::equivalent::directory;
use crate::record::PROJECT;

/// The files that every scaffold writes and never replaces.
pub(super) const ALWAYS: [&str; 4] = [
    "README.md",
    "server/.env.example",
    "server/bot.py",
    "server/pyproject.toml",
];

/// The folder that was meant: a shell expands `~` in an argument, and nobody does so in an answer.
pub(super) fn expanded(answer: &str, home: Option<&Path>) -> Result<PathBuf, String> {
    let Some(rest) = answer.strip_prefix('~') else {
        return Ok(PathBuf::from(answer));
    };
    let rest = match rest.strip_prefix('/') {
        Some(below) => below.trim_start_matches('/'),
        None if rest.is_empty() => "",
        None => {
            return Err(format!(
                "only `~` and `~/…` stand for a home directory: give the whole path, or ./{answer}"
            ));
        }
    };
    match home {
        Some(home) if rest.is_empty() => Ok(home.to_owned()),
        Some(home) => Ok(home.join(rest)),
        None => Err("no home directory is known: give the whole path".to_owned()),
    }
}

/// Why the user is asked once more before something is made there; nothing where it is a place like others.
pub(super) fn doubt(selection: &Selection) -> Option<String> {
    let target = selection.target.as_ref()?;
    if let Some(no_place) = no_place(&target.path, selection.home.as_deref()) {
        return Some(no_place.to_owned());
    }
    let there = occupied(&target.path);
    if selection.way != Some(Way::Scaffold) || there.is_empty() {
        return None;
    }
    if target.path.join(PROJECT).is_file() {
        let command = format!(
            "bot-cli init {} --update",
            shell::quoted(&directory(&target.shown))
        );
        return Some(format!(
            "a project is there already, which `{command}` changes, with your edits: here, unless your answers give the very same, nothing is made"
        ));
    }
    Some(format!(
        "{} {} there already, and never replaced: unless your answers give the very same, nothing is made",
        there.join(", "),
        if there.len() == 1 { "is" } else { "are" },
    ))
}

/// Why hardly anybody means a folder of everything; nothing of other folders.
pub(crate) fn no_place(target: &Path, home: Option<&Path>) -> Option<&'static str> {
    if target.parent().is_none() {
        return Some("this is the root folder");
    }
    let home = home.and_then(|home| home.canonicalize().ok());
    (home.as_deref() == Some(target)).then_some("this is your home directory, not a folder in it")
}

/// Returns the existing files in the places of a scaffold.
fn occupied(target: &Path) -> Vec<String> {
    let server = target.join("server");
    if server.symlink_metadata().is_ok_and(|found| !found.is_dir()) {
        return vec!["`server`, which is not a folder,".to_owned()];
    }
    ALWAYS
        .into_iter()
        .filter(|path| target.join(path).symlink_metadata().is_ok())
        .map(|path| format!("`{path}`"))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::expanded;

    #[test]
    fn a_tilde_is_the_home_directory() {
        let home = Some(Path::new("/home/ada"));
        for (answer, meant) in [
            ("my-bot", Ok("my-bot")),
            ("~", Ok("/home/ada")),
            ("~/", Ok("/home/ada")),
            ("~/bots/x", Ok("/home/ada/bots/x")),
            ("~//x", Ok("/home/ada/x")),
            ("./~", Ok("./~")),
            ("a~", Ok("a~")),
            ("~bob/x", Err("give the whole path, or ./~bob/x")),
        ] {
            match meant {
                Ok(path) => assert_eq!(expanded(answer, home), Ok(PathBuf::from(path))),
                Err(part) => assert!(expanded(answer, home).unwrap_err().ends_with(part)),
            }
        }
        assert!(expanded("~", None).is_err());
    }
}
